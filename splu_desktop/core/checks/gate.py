"""The gate before publishing: every condition of a release on a line of its own, with a light.

Green needs nothing, nor does a note, which is no merit. Amber is a risk that the custodian may take, in words that go
into the register. Red keeps the release back; the line names the step and column where it is mended. Lines about files,
machine and register are added by `files.publish`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.checks.proposing import exceeded, hardly_answered
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import (
    LEFT_OUT,
    ONE,
    ByPerson,
    first_spelling,
    known_by_distances,
    persons,
    unique_courses,
)
from splu_desktop.core.draw.draw import up
from splu_desktop.core.errors import EmptyTable, SpluError
from splu_desktop.core.generalise import check_sensitive, table_after
from splu_desktop.core.guarantees.audience import per_cent
from splu_desktop.core.messages import Said, listed, percent_of, quoted, say, share_of
from splu_desktop.core.persons import naming, per_person, perhaps_persons, persons_of, rounded, shift_sentence
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.risk.alike import alike
from splu_desktop.core.risk.classes import classes_of
from splu_desktop.core.risk.giveaway import giveaways, looked_closely
from splu_desktop.core.risk.uniqueness import class_sizes, records_below
from splu_desktop.core.roles.content import counts_up
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.roles.vocabulary import RoleCard
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass

NAMES = (  # of the lines that can be amber
    "identifiers",
    "sensitive",
    "giveaway",
    "persons",
    "unique-records",
    "small-classes",
    "certainty",
    "fake-values",
    "combinations",
    "public-figures",
    "thresholds",
    "source",
    "earlier-release",
    "register",
    "memory",
)


_MANY = 0.5  # share of the records from which recognising or telling them is a grave risk, whoever gets the release
_FEW_KNOWN = 0.05  # of persons that the days between their dates may single out before the gate says so
_PAIRS = 20  # pairs of records, each counted both ways, below which likeness is chance: twins, or an error
_FAR = 2  # times as many pairs of records with one name as chance makes, from which they are one person's
_SAID = 3  # chances of different columns that a line says one by one
_TELLING = 1.2  # times 1 / gamma that one may be sure before the gate says so

IN_WORDS = ("thresholds",)  # lines that are accepted in words, which go into the register, not by a bare yes
# Those that, accepted in words alone, are asked of every release: what was asked for is missed, or hardly anything of a
# sensitive column is protected. A record that can be found keeps its protection.
_ALWAYS = (*IN_WORDS, "giveaway")


class Light(Enum):
    """How a line of the gate stands."""

    GREEN = "green"
    NOTE = "note"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True)
class Line:
    """One condition of a release.

    Attributes
    ----------
    name : stable: one of `NAMES`, which `--accept` takes, or "eligible", "answers", "destination", "room", "time".
    light : how it stands.
    sentence : what was found and, where amber or red, what to do or what is risked.
    step : where it is mended: "import", "classify", "plan" or "publish".
    column : the column it is about, None where it is about the table.
    grave : of an amber line, whether the risk is so high that it is accepted in words alone.
    short : of a long sentence, what a window shows until it is asked for the whole; "" for the sentence itself.
    """

    name: str
    light: Light
    sentence: str
    step: str
    column: str | None = None
    grave: bool = False
    short: str = ""

    @property
    def in_words(self) -> bool:
        """Whether it is accepted in words alone."""
        return self.grave or self.name in IN_WORDS


@dataclass(frozen=True)
class Gate:
    """All lines, and what was accepted.

    Attributes
    ----------
    lines : in the order in which they are mended.
    accepted : name of a line -> the custodian's words ("" for a bare acknowledgement).
    """

    lines: tuple[Line, ...]
    accepted: Mapping[str, str] = field(default_factory=dict)

    @property
    def red(self) -> tuple[Line, ...]:
        """The lines that keep the release back."""
        return tuple(line for line in self.lines if line.light is Light.RED)

    @property
    def amber(self) -> tuple[Line, ...]:
        """The lines that need an acknowledgement, given or not."""
        return tuple(line for line in self.lines if line.light is Light.AMBER)

    @property
    def notes(self) -> tuple[Line, ...]:
        """The lines that say what is to be known and need nothing."""
        return tuple(line for line in self.lines if line.light is Light.NOTE)

    @property
    def waiting(self) -> tuple[Line, ...]:
        """The amber lines that nobody acknowledged yet."""
        return tuple(line for line in self.amber if not self._is_accepted(line))

    @property
    def wordless(self) -> tuple[Line, ...]:
        """The waiting lines that are accepted in words alone and keep back a release wherever it is made."""
        return tuple(line for line in self.waiting if line.in_words and line.name in _ALWAYS)

    def _is_accepted(self, line: Line) -> bool:
        words = self.accepted.get(line.name)
        return words is not None and (not line.in_words or bool(words.strip()))

    @property
    def open(self) -> bool:
        """Whether the release may go ahead."""
        return not self.red and not self.waiting


@dataclass(frozen=True)
class Elsewhere:
    """What was found out of records that are not here, of whose columns only the counts are known.

    Attributes
    ----------
    below : k -> records in classes of fewer than k that agree on the NSAs after generalisation.
    giveaway : lines about columns that tell what is sensitive.
    persons : the line about persons with several records.
    """

    below: Callable[[int], int]
    giveaway: tuple[Line, ...]
    persons: Line


def table_lines(
    table: Table,
    plan: Plan,
    *,
    unique: Callable[[], int | None] | None = None,
    elsewhere: Elsewhere | None = None,
    progress: Progress = SILENT,
) -> tuple[Line, ...]:
    """Return the lines that follow from a table (as it was read) and a plan alone.

    Parameters
    ----------
    unique : gives how many records are unique in the NSAs after generalisation, None where it doesn't know; asked late.
    elsewhere : what only the records can tell, where the table's columns are known by their counts alone.

    A fault of the plan as a whole (an unknown column, no records) is one red line and the only one. Raises Cancelled.
    """
    try:
        if table.n == 0:
            raise EmptyTable("The table has no records, so there is nothing to publish.")
        plan.check(table)
        generalised = table_after(table, plan.generalisations)
    except SpluError as fault:
        return (Line("eligible", Light.RED, str(fault), "classify"),)
    ways: dict[str, Draw] = {}
    lines = [*_eligible(table, generalised, plan, ways)]
    lines += _identifiers(generalised, plan, progress)
    refused = {line.column for line in lines if line.light is Light.RED}
    ways = {name: draw for name, draw in ways.items() if name not in refused}
    if elsewhere is None:
        lines += giveaway_lines(generalised, plan, ways, progress)
        lines.append(persons_line(table, generalised, ways, progress, plan.persons, plan.named(Role.IDENTIFIER)))
    else:
        lines += [*elsewhere.giveaway, elsewhere.persons]
    if plan.persons is not None and plan.persons.number:
        lines.append(number_line(table, generalised, plan))
    if plan.persons is not None and plan.persons.shift:
        lines.append(shift_line(table, plan.persons))
    below = None if elsewhere is None else elsewhere.below
    lines += _recognisable(generalised, plan, ways, unique, below, progress)
    lines += _certainty(generalised, plan, ways)
    for name, draw in ways.items():
        unkept = draw.not_promised(name)
        if unkept is not None:
            lines.append(Line("fake-values", Light.AMBER, unkept, "plan", name))
    lines += _combinations(generalised, plan, lines)
    known = list(_public_figures(generalised, plan))
    lines += [*known, *_thresholds(plan, {line.column for line in known})]
    return tuple(lines)


def _eligible(table: Table, generalised: Table, plan: Plan, ways: dict[str, Draw]) -> Iterable[Line]:
    """Give whether each column can be drawn; `ways` takes the draws that can, with what they learn of the table."""
    for name, planned in plan.draws.items():
        draw = planned
        try:
            if name not in plan.generalisations:
                check_sensitive(table[name])
            draw.check(generalised[name])
            # What is promised is what the table's own persons leave of the tolerances, not what the plan asked for.
            ways[name] = draw = draw.learned(generalised, name, plan.thresholds)
        except SpluError as fault:
            yield Line("eligible", Light.RED, str(fault), "plan", name)
        else:
            yield Line("eligible", Light.GREEN, draw.able(name), "plan", name)
            if all(draw.limit(str(label)) == 1 for label in generalised[name].compacted().labels):
                text = say(
                    "“{name}” is marked as sensitive, but no value of it is protected: it is published as it is. Give "
                    "its values tolerances, or leave it out.",
                    name=name,
                )
                yield Line("sensitive", Light.AMBER, text, "plan", name)


def _identifiers(table: Table, plan: Plan, progress: Progress) -> Iterable[Line]:
    suspects, unread = 0, []
    text: str
    suggested = suggest_roles(table, sensitive=plan.sensitive, progress=progress)
    # A re-drawn column shows every value it has, only beside other rows: a name stays a name.
    suggested |= suggest_roles(table.select(plan.sensitive), progress=progress)
    for name, said in suggested.items():
        if not plan.roles[name].published:
            continue
        if plan.roles[name] is Role.SA and said.role is Role.IDENTIFIER and name not in plan.kept_identifiers:
            suspects += 1
            text = say(
                "The values of “{name}” would be published, though re-drawn, and may name persons: {reason}.",
                name=name,
                reason=said.reason,
            )
            yield Line("identifiers", Light.AMBER, text, "classify", name)
        elif said.role is Role.IDENTIFIER:
            suspects += 1
            if name in plan.kept_identifiers:
                text = say(
                    "“{name}” is published although it may name a person ({reason}); the reason given: {given}",
                    name=name,
                    reason=said.reason,
                    given=plan.kept_identifiers[name],
                )
                yield Line("identifiers", Light.GREEN, text, "classify", name)
                continue
            text = say(
                "“{name}” would be published unchanged although it may name a person: {reason}.",
                name=name,
                reason=said.reason,
            )
            yield Line("identifiers", Light.AMBER, text, "classify", name)
        elif plan.roles[name] is Role.NSA and said.matter:
            suspects += 1
            text = say(
                "“{name}” would be published unchanged, and it may be {what}: whoever recognises a person reads it.",
                name=name,
                what=say(said.matter),
            )
            yield Line("sensitive", Light.AMBER, text, "classify", name)
        elif said.role is Role.DROPPED and said.card is RoleCard.SPECIAL:
            unread.append(name)
    if not suspects:
        text = "No column that is published unchanged looks like an identifier or like a sensitive column."
        if unread:
            text = say(
                "No column that is published unchanged looks like an identifier or like a sensitive column, as far as "
                "names and values tell: what {columns} says is known to you alone.",
                columns=quoted(unread),
            )
        yield Line("identifiers", Light.GREEN, text, "classify")


def answer_lines(table: Table, plan: Plan, progress: Progress = SILENT) -> tuple[Line, ...]:
    """Return a note where few cells of the tables that people would first look at can be answered, else nothing.

    `table` : generalised as planned, every record of it. Raises Cancelled.
    """
    try:
        few = hardly_answered(table, plan, progress)
    except SpluError:  # another line says what is wrong
        return ()
    return (Line("answers", Light.NOTE, few, "plan"),) if few else ()


def giveaway_lines(table: Table, plan: Plan, ways: Mapping[str, Draw], progress: Progress = SILENT) -> tuple[Line, ...]:
    """Return which columns tell what is sensitive.

    Parameters
    ----------
    table : generalised as planned; all columns that are published.
    ways : SA -> its draw, those that can be re-drawn.
    """
    return tuple(_giveaways(table, plan, ways, progress))


def _giveaways(table: Table, plan: Plan, ways: Mapping[str, Draw], progress: Progress) -> Iterable[Line]:
    found = giveaways(table, plan.named(Role.NSA), plan.sensitive, progress)
    for each in found:
        yield Line("giveaway", Light.AMBER, each.sentence, "classify", each.column, each.share > _MANY)
    both = alike(table, ways, progress)
    for pair in both:
        yield Line("giveaway", Light.AMBER, pair.sentence, "classify", pair.column)
    if not found and not both:
        text = (
            "No column published unchanged, alone or with one other, gives a sensitive value away in a tenth of its "
            "records or more, beyond chance."
        )
        if len(ways) > 1:
            text = (
                "No column published unchanged, alone or with one other, gives a sensitive value away in a tenth of "
                "its records or more, beyond chance, and no two sensitive columns tell each other's."
            )
        yield Line("giveaway", Light.GREEN, text, "classify")
    if (closely := looked_closely(table, plan.named(Role.NSA))) is not None:
        yield Line("giveaway", Light.GREEN, closely, "classify")


def persons_line(
    source: Table,
    table: Table,
    ways: Mapping[str, Draw],
    progress: Progress = SILENT,
    chosen: ByPerson | None = None,
    told: Collection[str] = (),
) -> Line:
    """Return whether persons have several records, and what is promised of such a person.

    Parameters
    ----------
    source, table : as it was read, and generalised as planned.
    ways : SA -> its draw, those that can be re-drawn.
    chosen : what is done about them, None where nothing was chosen.
    told : columns of which somebody says that they identify a person.
    """
    text: str
    if chosen is not None:
        return _persons_treated(source, table, ways, chosen, progress)
    found = persons_of(source, progress, told=told)
    if found is None or found.public is None:
        perhaps = perhaps_persons(source)
        if perhaps is not None:
            text = say(
                "The promise is per record. If “{column}” tells persons, they have several: {persons} values stand in "
                "{records} records. Mark it as an identifier then, and what this means for them is said here.",
                column=perhaps.column,
                persons=perhaps.persons,
                records=perhaps.records,
            )
            return Line("persons", Light.AMBER, text, "classify", perhaps.column)
        if (named := _by_name(source, progress)) is not None:
            return named
        text = say("The promise is per record; nothing in the table tells whether persons have several.")
        return Line("persons", Light.GREEN, text, "classify")
    if not found.repeats:
        if (named := _by_name(source, progress)) is not None:
            return named
        if counts_up(source[found.column]):
            text = say(
                "Each value of “{column}” stands in one record, but they differ in a number that counts up at their "
                "end: persons may have several records, and the promise is per record. Give the table a column that "
                "numbers persons, and what this means for them is said here.",
                column=found.column,
            )
            return Line("persons", Light.AMBER, text, "import", found.column)
        text = say(
            "Each value of “{column}” stands in one record: if each person has one value, the promise per record is "
            "one per person.",
            column=found.column,
        )
        if found.records < source.n:
            more = say(
                "Of the persons in {n} records without a value there nothing is known.", n=source.n - found.records
            )
            text = listed((text, more), "{head} {tail}", "{head} {tail}")
        return Line("persons", Light.GREEN, text, "classify", found.column)
    perhaps = None if found.each_is_one else perhaps_persons(source)
    wider = perhaps is not None and perhaps.persons < found.persons  # persons come again, with another stay
    text = say(
        "Persons have several records: {persons} values of “{column}” in {records} records, up to {told} each. "
        "{promise} If “{other}” tells persons, they have more, for it has {fewer} values: mark it as an identifier "
        "then, and what this means for them is said here."
        if wider
        else "Persons have several records: {persons} values of “{column}” in {records} records, up to {told} each. "
        "{promise} Take one record per person, or draw a person's at once.",
        persons=found.persons,
        column=found.column,
        records=found.records,
        told=found.public.largest,  # rounded up, as a release says it, and the promise goes by
        promise=per_person(found.public, table, ways).in_short if ways else say("The promise is per record."),
        **({"other": perhaps.column, "fewer": perhaps.persons} if perhaps is not None and wider else {}),
    )
    return Line("persons", Light.AMBER, text, "classify", found.column)


def _by_name(source: Table, progress: Progress) -> Line | None:
    """Return the line of persons whom their names and dates of birth tell in several records, None where they don't."""
    columns, sure = naming(source)
    if not columns:
        return None
    names = listed(say("“{name}”", name=column.name) for column in columns)
    if any(len(column.codes) < column.n for column in columns):  # the records are not here
        text = say(
            "The promise is per record. Whether persons by {columns} have several was not looked at.", columns=names
        )
        return Line("persons", Light.AMBER, text, "import", columns[0].name)
    known = np.logical_and.reduce([~column.missing[column.codes] for column in columns])
    spelled = [column.with_codes(first_spelling(column).astype(np.int32)[column.codes]) for column in columns]
    sizes = np.bincount(classes_of(spelled, source.n, progress).ids[known])
    if sizes.max(initial=0) < 2 or not (sure or _beyond_chance(columns, sizes)):
        return None
    text = say(
        "The promise is per record, and persons have several: {persons} different persons by {columns} stand in "
        "{records} records, one in {largest}. Give the table a column that numbers them, and what this means for them "
        "is said here.",
        persons=int(np.count_nonzero(sizes)),
        columns=names,
        records=int(sizes.sum()),
        largest=int(sizes.max()),
    )
    return Line("persons", Light.AMBER, text, "import", columns[0].name)


def _beyond_chance(columns: Collection[Column], sizes: NDArray[np.int64]) -> bool:
    """Whether records agree in all columns far more often than if these had nothing to do with each other.

    sizes : records of each combination of their values.
    """
    n = int(sizes.sum())
    by_chance = [float(((column.counts()[~column.missing] / n) ** 2).sum()) for column in columns]
    pairs = float((sizes * (sizes - 1.0)).sum())
    return pairs >= _PAIRS and pairs > _FAR * n * (n - 1.0) * float(np.prod(by_chance))


def persons_told(line: Line, published: Published) -> Line:
    """Return the line of persons as it stands after the draw: with the figures of README and report, none else."""
    repeats, said = published.repeats, line.sentence
    if line.name != "persons" or line.light is Light.GREEN or repeats is None or not isinstance(said, Said):
        return line
    promise = per_person(repeats, published.table, published.draws, published=True).sentence
    return replace(line, sentence=Said(said.template, {**said.values, "promise": promise}))


def number_line(source: Table, table: Table, plan: Plan) -> Line:
    """Return what a random person number costs: how many persons are unique by the course of their records."""
    assert plan.persons is not None
    who = persons(source[plan.persons.column])
    course, single = unique_courses(table, who, plan.named(Role.NSA))
    text = say(
        "Each person gets a random number, new in each release, so that courses can be followed: {course} of the "
        "persons are unique by all their records in the columns published unchanged, {single} by one of them. Whoever "
        "finds one of a person's rows finds them all.",
        course=percent_of(course),
        single=percent_of(single),
    )
    return Line("persons", Light.AMBER, text, "classify", plan.persons.column)


def shift_line(source: Table, chosen: ByPerson) -> Line:
    """Return what shifted dates cost, and what they leave: who is unique by the days between the person's dates."""
    unique = known_by_distances(source, persons(source[chosen.column]), chosen.shift)
    text = say(
        "{moved} {unique} of the persons are unique by the days between their dates alone.",
        moved=shift_sentence(chosen.shift, chosen.days),
        unique=percent_of(unique),
    )
    return Line("persons", Light.AMBER if unique > _FEW_KNOWN else Light.GREEN, text, "classify", chosen.column)


def _persons_treated(
    source: Table, table: Table, ways: Mapping[str, Draw], chosen: ByPerson, progress: Progress
) -> Line:
    """Return what becomes of persons with several records as chosen."""
    line = _persons_chosen(source, table, ways, chosen, progress)
    column = source[chosen.column]
    blank = int(column.counts()[column.missing].sum())
    if not blank or (chosen.way in ONE and LEFT_OUT in source.origin):  # of records left out before nothing is known
        return line
    # Else the persons said here are more than the values that were said before something was chosen.
    more = say("Of these persons {n} are records without a value there, each taken for one.", n=blank)
    return replace(line, sentence=listed((line.sentence, more), "{head} {tail}", "{head} {tail}"))


def _persons_chosen(
    source: Table, table: Table, ways: Mapping[str, Draw], chosen: ByPerson, progress: Progress
) -> Line:
    who = persons(source[chosen.column])
    number, records = int(who.max()) + 1, source.n
    if chosen.way in ONE:
        left = int(source.origin.get(LEFT_OUT, records - number))
        text = say(
            "Each of the {persons} persons in “{column}” keeps one record; {left} of {records} records are left out. "
            "So the promise per record is one per person.",
            persons=number,
            column=chosen.column,
            left=left,
            records=number + left,
        )
        return Line("persons", Light.GREEN, text, "classify", chosen.column)
    if chosen.way == "record":
        promise = per_person(rounded(who), table, ways).sentence if ways else say("The promise is per record.")
        text = say(
            "Each record of the {persons} persons in “{column}” is drawn by itself. {promise} The reason given: "
            "{reason}",
            persons=number,
            column=chosen.column,
            promise=promise,
            reason=chosen.reason,
        )
        return Line("persons", Light.GREEN, text, "classify", chosen.column)
    first = {name: draw for name, draw in ways.items() if name == draw.block(name)[0]}  # a block is drawn at once
    found = {name: draw.sure_of_person(table, name, progress) for name, draw in first.items()}
    of = max(found, key=lambda name: found[name][0] / max(found[name][1], 1e-300), default="")
    sure, least = found.get(of, (0.0, 0.0))
    text = say(
        "All records of each of the {persons} persons in “{column}” are drawn at once ({records} records): whoever "
        "sees them all is right about them with a probability of {chance}.",
        persons=number,
        column=chosen.column,
        records=records,
        chance=_chances(ways),
    )
    if sure > _TELLING * least:
        more = say(
            "Where values of “{sensitive}” were kept, their variety over a person's rows shows it: one is then "
            "{sure} sure on average. Draw it joined, take one record per person, or accept this.",
            sensitive=of,
            sure=percent_of(sure),
        )
        return Line(
            "persons", Light.AMBER, listed((text, more), "{head} {tail}", "{head} {tail}"), "classify", chosen.column
        )
    return Line("persons", Light.GREEN, text, "classify", chosen.column)


def _chances(ways: Mapping[str, Draw]) -> str:
    """Return how sure someone is of columns, of each where few differ, else of the one that is told most."""
    each: dict[str, list[str]] = {}
    for name, draw in ways.items():
        each.setdefault(draw.chance(), []).append(name)
    if len(each) <= 1:
        return next(iter(each), "")  # itself: joined, it would forget what it was made of
    if len(each) <= _SAID:
        said = (say("{chance} ({columns})", chance=chance, columns=quoted(each[chance])) for chance in sorted(each))
        return listed(said, "{head} or {tail}")
    most = max(ways, key=lambda name: ways[name].confidence)
    return say(
        "at most {most}, which is that of “{column}”; less for other columns and values, as planned",
        most=up(ways[most].confidence),
        column=most,
    )


def _recognisable(
    table: Table,
    plan: Plan,
    ways: Mapping[str, Draw],
    unique: Callable[[], int | None] | None,
    below: Callable[[int], int] | None,
    progress: Progress,
) -> Iterable[Line]:
    """Give the line about unique records and, where it was asked who gets the release, the one about small classes."""
    nsas, audience = plan.named(Role.NSA), plan.audience
    if not nsas:
        yield Line("unique-records", Light.GREEN, "No column is published unchanged.", "classify")
        return
    alone = unique() if unique is not None else None
    if below is None and (alone is None or audience is not None):
        below = partial(records_below, class_sizes(table, nsas, progress))
    if below is not None:
        alone = below(2)
    if not alone:
        none = "No record is unique in the columns that are published unchanged."
        yield Line("unique-records", Light.GREEN, none, "classify")
    else:
        yield _unique(table.n, plan, ways, alone)
    if audience is None or below is None:
        return
    k = audience.limits.k
    few = below(k)
    if not few:
        text = say("Every record shares its values in the unchanged columns with at least {k} in all.", k=k)
        yield Line("small-classes", Light.GREEN, text, "classify")
        return
    text = say(
        "{few} of {records} records ({share}) share their values in the unchanged columns with fewer than {k} in all, "
        "the limit for who gets the release.",
        few=few,
        records=table.n,
        share=share_of(few, table.n),
        k=k,
    )
    yield Line("small-classes", Light.AMBER, text, "classify", grave=few > _MANY * table.n)


def beyond_limits(
    table: Table,
    plan: Plan,
    ways: Mapping[str, Draw],
    progress: Progress = SILENT,
    below: Callable[[int], int] | None = None,
) -> tuple[Line, ...]:
    """Return the lines on the limits of who gets the release that a plan breaks; none where that was not asked.

    They are the gate's own, so that whoever says them before it is asked says the same. Raises Cancelled.

    Parameters
    ----------
    table : as it is after the plan's generalisations, with one record of each person where that is chosen.
    ways : SA -> its draw, those that can be re-drawn.
    below : k -> records in classes of fewer than k, where they were counted before; no draw changes them.
    """
    if plan.audience is None:
        return ()
    lines = (*_recognisable(table, plan, ways, None, below, progress), *_certainty(table, plan, ways))
    return tuple(x for x in lines if x.light is Light.AMBER and (x.name != "unique-records" or x.grave))


def _unique(records: int, plan: Plan, ways: Mapping[str, Draw], alone: int) -> Line:
    # Of draws of one sort, the one that leaves a reader surest.
    surest = {draw.name: draw for draw in sorted({**plan.draws, **ways}.values(), key=lambda draw: draw.confidence)}
    chances = [draw.odds() for _, draw in sorted(surest.items(), reverse=True)]
    text: str = say(
        "{alone} of {records} records ({share}) are unique in the columns published "
        "unchanged: whoever knows those of a person finds the row. The sensitive value there is the person's own "
        "in {gamma} on average, before looking at it; one that is common among people alike may be nearly certain.",
        alone=alone,
        records=records,
        share=share_of(alone, records),
        gamma=listed(chances, "{head} or {tail}"),
    )
    most = _MANY if plan.audience is None else plan.audience.limits.unique
    if alone > most * records:
        over = say("That is more than {most} of the records.", most=per_cent(most))
        text = listed((text, over), "{head} {tail}", "{head} {tail}")
    return Line("unique-records", Light.AMBER, text, "classify", grave=alone > most * records)


def _certainty(table: Table, plan: Plan, ways: Mapping[str, Draw]) -> Iterable[Line]:
    """Give whether the draws keep the certainty that is right for who gets the release."""
    if plan.audience is None:
        return
    most, kept = plan.audience.limits.certainty, True
    for name, draw in ways.items():
        if text := exceeded(plan.audience, table[name], draw):
            kept = False
            yield Line("certainty", Light.AMBER, text, "plan", name, grave=float(draw.confidence) > 2 * most)
    if kept:
        yield Line("certainty", Light.GREEN, plan.audience.sentence, "classify")


def _combinations(table: Table, plan: Plan, lines: Iterable[Line]) -> Iterable[Line]:
    """Give what columns drawn together cost, unless they can't be drawn so at all."""
    red = {line.column for line in lines if line.light is Light.RED}
    for names, draw in plan.blocks.items():
        if red.isdisjoint(names) and (costs := draw.costs(table)):
            yield Line("combinations", Light.AMBER, listed(costs, "{head} {tail}", "{head} {tail}"), "plan", names[0])


def _public_figures(table: Table, plan: Plan) -> Iterable[Line]:
    """Give a line for each column whose small counts need no release to be known (`public_figures`)."""

    asked = plan.thresholds
    for name, draw in plan.draws.items():
        known = draw.unprotected(table.n, table[name].compacted().labels.tolist(), name, asked)
        if known is not None:
            yield Line("public-figures", Light.AMBER, known, "plan", name)


def _thresholds(plan: Plan, known: set[str | None]) -> Iterable[Line]:
    asked = plan.thresholds
    if asked.t_p is None:
        return
    for name, draw in plan.draws.items():
        met, text = draw.wish(name, asked)
        if name in known:  # nothing is protected as asked where public figures tell it
            continue
        yield Line("thresholds", Light.GREEN if met else Light.AMBER, text, "plan", name)
