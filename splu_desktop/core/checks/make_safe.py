"""Make it safe: a set of steps that a plan needs until a named aim holds, each tried, with its effect.

First what needs no search: what names persons or is a special matter is left out, persons with several records are
drawn at once. Then, as long as a column published unchanged gives a sensitive one away, it is made coarser, or left out
where no form of it keeps quiet; sensitive columns that tell each other's values are drawn together.

Then, if too many records stand alone, the finest forms of the columns with which the aim holds are looked for from the
coarse end: nothing shows there which column to begin with where all records are unique, and a column is left out only
where not even its coarsest form fits. Columns come in one by one, in their coarsest form; then the one that has lost
most is made finer, again and again, while the aim holds. A finer form only splits classes, so a form that failed once
fails ever after, and each is tried once at most: the search is bounded by the number of forms. It is done three times,
with those columns first that tell most, with those that recipients need most and that split least, and with those of
them that tell least, for which there is room longest, and again with each form of a column that recipients need most
given beforehand, which the others make room for, or without it, where it takes the room of two; taken is what leaves
fewest columns out, and of these what loses least. What a form gives up is the entropy that is lost, of columns that
recipients need more the more so.

Last, a step without which all stays as it is reached is no step: what was needed before others were found may not be
after them. Each of those that are left tells what it does by itself, or what would be without it alone.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.together import planned
from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.generalise import (
    USUAL_REST,
    CannotGeneralise,
    Chapter,
    DatePart,
    Groups,
    Part,
    Prefix,
    Rest,
    Steps,
    by_quantiles,
    by_width,
    column_after,
    rare_together,
    round_width,
    system_of,
    table_after,
)
from splu_desktop.core.generalise.interval_texts import interval_ends, whole_numbers
from splu_desktop.core.generalise.intervals import interval_labels
from splu_desktop.core.guarantees.audience import per_cent
from splu_desktop.core.messages import Figure, counted, listed, say, share_of
from splu_desktop.core.persons import persons_of
from splu_desktop.core.plan import DEFAULT_GAMMA, Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.alike import alike
from splu_desktop.core.risk.classes import Classes, classes_of, one_class
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.risk.uniqueness import class_sizes, records_below
from splu_desktop.core.roles.names import numbering
from splu_desktop.core.roles.suggest import Role, Suggestion, suggest_roles
from splu_desktop.core.roles.vocabulary import said_by
from splu_desktop.core.sanitise import redrawable
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.frozen import dataclass

_WIDTHS = (1, 2, 4)  # times the round width that suits a column of numbers
_AGES = (5, 10, 20)  # years
_QUANTILES = (5, 3, 2)  # intervals of about equally many records
_RARE = (10, 100)  # records below which values go into one, besides the k aimed at,
_PARTS = (50, 20, 10, 5)  # and one in so many of all
_CODED = 0.9  # of the values are numbers of one length where they are cut to their first digits, as those of places
_SMALL = 3  # records below which a class counts where the aim is about unique ones
_TIME = re.compile(r"[0-2]\d:[0-5]\d")
_UNIT = re.compile(r"[\s_.-]*(?:units?|einheit|unité|unite)$", re.IGNORECASE)  # after the name of what it is of
_TOLD = 0.005  # share given up from which it is said
# A coarser form that tells less than so much, in nats, and than this share of what the column told is no use.
_LEAST_TOLD, _LEAST_SHARE = 0.3, 0.1
_WANTED = {"an age or a year of birth": 3.0, "sex, family or household": 2.0}  # recipients need it more than the rest
_ORDERS = ("most", "even", "least")  # first come columns that tell most, that split least, that tell least
_OUT = -1  # in place of a form
_STAGE = "Looking for steps that make it safe"


@dataclass(frozen=True)
class Aim:
    """What is to hold.

    Attributes
    ----------
    k : records that share their values in the unchanged columns, at least; 1 where that is not asked.
    unique : share of the records that may be unique in them, at most.
    giveaway : whether no column may give a sensitive one away.
    """

    k: int = 1
    unique: float = 0.01
    giveaway: bool = True

    def __post_init__(self) -> None:
        if self.k < 1 or not 0 <= self.unique <= 1:
            raise BadSetting("The aim is a whole number k from 1 and a share of unique records from 0 to 1.")

    @property
    def sentence(self) -> str:
        """What is to hold."""
        text = say("at most {unique} of the records unique in the unchanged columns", unique=per_cent(self.unique))
        if self.k > 1:
            text = say("{text}, each with at least {k} alike", text=text, k=self.k)
        return say("{text}, and no column giving a sensitive one away", text=text) if self.giveaway else text

    def far(self, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
        """Return how many records are too many to be alone, 0 where the aim is reached."""
        alone = records_below(sizes, 2)
        over = alone if alone > self.unique * int(sizes.sum()) else 0
        return max(over, records_below(sizes, self.k))


@dataclass(frozen=True)
class SafeStep:
    """One step, which has been tried.

    Attributes
    ----------
    words : what it does.
    column : the column that it changes.
    plan : the plan with it and the steps before.
    unique, unique_before : unique records after and before it.
    lost : share of what the column told that it gives up; 0 for steps that give up none of it.
    out : whether it leaves a column out.
    effect : what it does besides, which is told where the unique records stay as many; "" where the words say it.
    """

    words: str
    column: str
    plan: Plan
    unique: int
    unique_before: int
    lost: float = 0.0
    out: bool = False
    effect: str = ""

    @property
    def sentence(self) -> str:
        """What it does, and its effect."""
        lost: str = ""
        if self.lost >= _TOLD:
            lost = say(", and {lost} of what the column tells is given up", lost=Figure(f"{100 * self.lost:.0f} %"))
        if self.unique == self.unique_before and not self.effect:
            return say("{words}{lost}.", words=self.words, lost=lost)
        effect = self.effect
        if self.unique != self.unique_before:
            effect = say("unique records go from {before} to {after}", before=self.unique_before, after=self.unique)
        return say("{words}: {effect}{lost}.", words=self.words, effect=effect, lost=lost)


@dataclass(frozen=True)
class MadeSafe:
    """The steps, and where they lead.

    Attributes
    ----------
    aim : what was asked.
    plan : the plan with all steps.
    steps : in the order in which they were found; each builds on those before.
    reached : whether the aim holds.
    records, unique, below : N, the unique records, and those with fewer than the aim's k alike, after all steps.
    """

    aim: Aim
    plan: Plan
    steps: tuple[SafeStep, ...]
    reached: bool
    records: int
    unique: int
    below: int

    @property
    def sentence(self) -> str:
        """Whether the aim holds, and what was given up for it."""
        gone = [step.column for step in self.steps if step.out]
        text: str = counted(
            len(self.steps),
            "After 1 step {unique} of {records} records ({share}) are unique in the unchanged columns.",
            "After {n} steps {unique} of {records} records ({share}) are unique in the unchanged columns.",
            unique=self.unique,
            records=self.records,
            share=share_of(self.unique, self.records) if self.records else Figure("0 %"),
        )
        if self.aim.k > 1:
            few = say("{below} have fewer than {k} alike.", below=self.below, k=self.aim.k)
            text = listed((text, few), "{head} {tail}", "{head} {tail}")
        if not self.reached:
            text = say("{text} The aim is not reached.", text=text)
        if not gone:
            return text
        names = listed(say("“{name}”", name=name) for name in dict.fromkeys(gone))
        return say("{text} Left out: {columns}.", text=text, columns=names)


def coarser_forms(column: Column, k: int, rest: Rest = USUAL_REST) -> Iterator[Steps]:
    """Yield ever coarser forms of a column, each as the steps to add to those that it has; `rest` names rare values."""
    present = [str(label) for label in column.labels[~column.missing]]
    aged = any(matter.what in _WANTED for matter in said_by(column.name)[0])
    ends = interval_ends(column)
    if column.kind in (Kind.DATE, Kind.DATETIME):
        yield from ((DatePart(part),) for part in (Part.MONTH, Part.QUARTER, Part.YEAR))
        years = column_after(column, (DatePart(Part.YEAR),))
        yield from ((DatePart(Part.YEAR), *steps) for steps in _numbers(years, (5, 10)))
    elif column.kind.ordered and not numbering(column.name):
        width = round_width(column)
        yield from _numbers(column, _AGES if aged and column.kind is Kind.INTEGER else [t * width for t in _WIDTHS])
    elif ends is not None:
        yield from _neighbours(column, ends[0])
    elif present and sum(map(bool, map(_TIME.match, present))) >= _CODED * len(present):
        hour = Prefix(before=":")
        yield (hour,)
        yield (hour, Groups.of({f"{h:02} to {h + 5:02}": [f"{h + i:02}" for i in range(6)] for h in range(0, 24, 6)}))
    else:
        for steps in _codes(column):
            after = column_after(column, steps)
            if steps:
                yield steps
            filled = int(after.counts()[~after.missing].sum())
            for least in sorted({k, *_RARE, *(filled // part for part in _PARTS)}):
                rare = rare_together(after, least, rest)
                if rare is not None:
                    yield (*steps, rare)


def _codes(column: Column) -> Iterator[Steps]:
    """Yield a column as it is, and shorter forms of the codes that it holds."""
    yield ()
    system = system_of(column)
    if system is not None:
        yield (Chapter(system),)
    present = [str(label) for label in column.labels[~column.missing]]
    longest = max(map(len, present), default=0)
    coded = [text for text in present if len(text) == longest and text.isdigit()]
    if len(present) > _RARE[0] and longest > 1 and len(coded) >= _CODED * len(present):
        yield from ((Prefix(length=length),) for length in range(longest - 1, 0, -1))


def _numbers(column: Column, widths: Sequence[float]) -> Iterator[Steps]:
    """Yield intervals of these widths, and of about equally many records, as far as they can be made."""
    for width in widths:
        with contextlib.suppress(CannotGeneralise):
            yield (by_width(column, width),)
    for number in _QUANTILES:
        with contextlib.suppress(CannotGeneralise):
            yield (by_quantiles(column, number),)


def _neighbours(column: Column, low: NDArray[np.float64]) -> Iterator[Steps]:
    """Yield neighbouring intervals put together, by twos, by fours, and into two with about equally many records."""
    order = np.flatnonzero(~column.missing)
    order = order[np.argsort(low[order], kind="stable")]
    reach = np.cumsum(column.counts()[order])
    half = int(np.argmin(np.abs(reach[:-1] - reach[-1] / 2))) + 1 if len(order) > 1 else 0
    for starts in (range(2, len(order), 2), range(4, len(order), 4), range(half, half + 1)):
        cuts = [float(low[order[at]]) for at in starts]
        if not cuts or not np.isfinite(cuts).all():
            continue
        names = interval_labels(cuts, whole=whole_numbers(column))
        groups: dict[str, list[str]] = {name: [] for name in names}
        for code in order.tolist():
            groups[names[int(np.searchsorted(cuts, low[code], side="right"))]].append(str(column.labels[code]))
        yield (Groups.of(groups),)


def entropy(column: Column) -> float:
    """Return the entropy of a column's values, in nats."""
    counts = column.counts()
    shares = counts[counts > 0] / max(column.n, 1)
    return float(-(shares * np.log(shares)).sum())


class _Search:
    def __init__(self, table: Table, plan: Plan, aim: Aim, rest: Rest, progress: Progress) -> None:
        self.source, self.plan, self.aim, self.rest, self.progress = table, plan, aim, rest, progress
        self.now = table_after(table, plan.generalisations)
        self.steps: list[SafeStep] = []
        self.given, self.planned = plan, dict(plan.generalisations)
        self.sizes = class_sizes(self.now, plan.named(Role.NSA), progress)
        self.first = self.now  # forms are tried on the columns as they were planned, and replace one another
        self.asked: set[str] = set()  # columns that are left out whatever the aim

    @cached_property
    def forms(self) -> dict[str, list[tuple[Steps, Column]]]:
        return {name: self._forms(name) for name in self.given.named(Role.NSA)}

    @cached_property
    def told(self) -> dict[str, float]:
        return {name: entropy(self.source[name]) for name in self.given.named(Role.NSA)}

    def _forms(self, name: str) -> list[tuple[Steps, Column]]:
        column, found = self.first[name], []
        with contextlib.suppress(SpluError):  # nothing obvious fits this one
            found = [(steps, column_after(column, steps)) for steps in coarser_forms(column, self.aim.k, self.rest)]
        kept: list[tuple[Steps, Column]] = []
        for steps, after in sorted(found, key=lambda form: -entropy(form[1])):
            if 1 < after.m < (kept[-1][1].m if kept else column.m):  # one with more values that tells less is no use
                kept.append((steps, after))
        return kept

    def take(self, plan: Plan, column: str, words: str, lost: float = 0.0, out: bool = False, effect: str = "") -> None:
        self.progress.report(_STAGE, 0.95)
        before = records_below(self.sizes, 2)
        self.plan = plan
        self.now = table_after(self.source, plan.generalisations)
        self.sizes = class_sizes(self.now, plan.named(Role.NSA), self.progress)
        self.steps.append(SafeStep(words, column, plan, records_below(self.sizes, 2), before, lost, out, effect))

    def leave_out(self, name: str, role: Role = Role.DROPPED, why: str = "") -> None:
        words = say("Leave out “{column}”", column=name)
        if unit := self._without_unit(name):
            why = listed((why, unit), "{head}; {tail}", "{head}; {tail}") if why else unit
        if why:
            words = say("Leave out “{column}” ({why})", column=name, why=why)
        every = {n: steps for n, steps in self.plan.generalisations.items() if n != name or n in self.planned}
        every |= {name: self.planned[name]} if name in self.planned else {}  # what was tried of it before is no choice
        plan = replace(self.plan, roles={**self.plan.roles, name: role}, generalisations=every)
        self.take(plan, name, words, out=True)

    def _without_unit(self, name: str) -> str:
        """Return what is no longer known of a column that is published, where `name` holds its unit; "" for no unit."""
        of = _UNIT.sub("", name)
        if of == name or of not in self.plan.roles or not self.plan.roles[of].published:
            return ""
        column = self.source[name]
        counts = np.where(column.missing, 0, column.counts())
        usual = int(counts.argmax())
        return say(
            "“{column}” is then read without its unit, which is not “{unit}” in {n} records",
            column=of,
            unit=str(column.labels[usual]),
            n=int(counts.sum() - counts[usual]),
        )

    def grouped(self, name: str, steps: Steps) -> None:
        every = {**self.plan.generalisations, name: (*self.planned.get(name, ()), *steps)}
        lost = self.loss(name, column_after(self.first[name], steps))
        then = "{head}, then {tail}"
        words = say("“{column}”: {how}", column=name, how=listed((step.words for step in steps), then, then))
        self.take(replace(self.plan, generalisations=every), name, words, lost)
        self.forms[name] = [form for form in self.forms[name] if form[1].m < self.now[name].m]

    def loss(self, name: str, after: Column | None) -> float:
        """Return the share of what a column told as it was read that a form of it gives up."""
        whole = self.told.get(name, 0.0)
        return 1.0 if after is None or not whole else min(1.0, max(0.0, 1 - entropy(after) / whole))

    def wanted(self, name: str) -> float:
        """Return how much more than others recipients need a column."""
        return max((_WANTED.get(matter.what, 1.0) for matter in said_by(name)[0]), default=1.0)

    def price(self, name: str, after: Column | None) -> float:
        """Return what a form of a column, or its absence, costs its recipients; little where it tells little."""
        return self.wanted(name) * min(self.told.get(name, 0.0), 1.0) * self.loss(name, after)

    # --- the steps, in order

    def names_and_matters(self) -> None:
        found: Mapping[str, Suggestion] = suggest_roles(self.now, self.plan.sensitive, progress=self.progress)
        for name in self.plan.named(Role.NSA):
            said = found[name]
            if (said.role is Role.IDENTIFIER or said.matter) and name not in self.plan.kept_identifiers:
                self.asked.add(name)
            if said.role is Role.IDENTIFIER and name not in self.plan.kept_identifiers:
                self.leave_out(name, Role.IDENTIFIER, said.reason)
            elif said.matter and name not in self.plan.kept_identifiers:
                self.leave_out(name, why=said.why)

    def persons(self) -> None:
        if self.plan.persons is not None:
            return
        known = persons_of(self.source, self.progress, told=self.plan.named(Role.IDENTIFIER))
        if known is None or not known.repeats:
            return
        try:
            plan = replace(self.plan, persons=ByPerson(known.column, "draw"))
        except SpluError:  # a draw that can't be carried out per person
            return
        words = say("Draw all records of a person at once, by “{column}”", column=known.column)
        self.take(
            plan,
            known.column,
            words,
            effect=say("several records of one person can’t be put together to find a true value"),
        )

    def told_by_one(self) -> None:
        """Make each column coarser that gives a sensitive one away by itself."""
        for name in self.plan.named(Role.NSA) if self.aim.giveaway else ():
            found = giveaways(self.now, (name,), self.plan.sensitive, self.progress)
            if found:
                self.quieter(found[0])

    def told_by_others(self) -> None:
        while self.aim.giveaway:
            found = giveaways(self.now, self.plan.named(Role.NSA), self.plan.sensitive, self.progress)
            if not found:
                return
            self.quieter(found[0])

    def quieter(self, found: Giveaway) -> None:
        """Take the form of a column that gives least up so that these give nothing away; else leave one out."""
        ways: list[tuple[float, str, Steps]] = []
        for name in found.columns:
            others = [self.now[n] for n in (*found.columns, *self.plan.sensitive) if n != name]
            for steps, after in self.forms[name]:
                tried = Table((after, *others))
                if not giveaways(tried, found.columns, self.plan.sensitive, self.progress):
                    ways.append((self.price(name, after), name, steps))
                    break
        if ways:
            _, name, steps = min(ways, key=lambda way: way[0])
            self.grouped(name, steps)
        else:
            name = min(found.columns, key=lambda name: self.price(name, None))
            self.leave_out(name, why=say("gives “{sensitive}” away", sensitive=found.sensitive))

    def told_by_each_other(self) -> None:
        while self.aim.giveaway:
            ways = redrawable(self.now, self.plan.draws, self.plan.thresholds)
            found = alike(self.now, ways, self.progress)
            pair = next((p for p in found if len(ways[p.column].block(p.column)) == 1), None)
            if pair is None:
                return
            names = (pair.column, *(n for n in (pair.other,) if len(ways[n].block(n)) == 1))
            gamma = self.plan.draws[pair.column].gamma or DEFAULT_GAMMA
            try:
                if len(names) < 2:
                    raise BadSetting("One of them is drawn together with others already.")
                plan = replace(self.plan, draws={**self.plan.draws, **planned(self.now, names, gamma)})
            except SpluError:
                if len(self.plan.sensitive) < 2:
                    return
                draws = {n: draw for n, draw in self.plan.draws.items() if n != pair.column}
                plan = replace(self.plan, roles={**self.plan.roles, pair.column: Role.DROPPED}, draws=draws)
                self.take(plan, pair.column, say("Leave out “{column}”", column=pair.column), out=True)
                continue
            words = say(
                "Draw “{column}” and “{other}” together, since each tells the other", column=names[0], other=names[1]
            )
            self.take(plan, pair.column, words)

    def alone(self) -> None:
        """Find the finest forms of the columns with which few enough records stand alone, as the module says."""
        if not self.aim.far(self.sizes):
            return
        names = self.plan.named(Role.NSA)
        forms = {name: [((), self.now[name]), *filter(self.useful, self.forms[name])] for name in names}
        needed = [name for name in names if self.wanted(name) > 1]
        given = [None, *((name, at) for name in needed for at in (*range(len(forms[name])), _OUT))]
        most, tried = len(_ORDERS) * len(given) * (len(names) ** 2 // 2 + sum(map(len, forms.values()))), 0

        def sizes(rest: Classes, name: str, at: int) -> NDArray[np.int64]:
            nonlocal tried
            tried += 1
            self.progress.report(_STAGE, 0.9 * min(1.0, tried / most))
            return rest.split_sizes(forms[name][at][1].codes, forms[name][at][1].m)

        def arranged(order: str, first: tuple[str, int] | None) -> dict[str, int]:
            """Return which of its forms, the finest first, each column has, columns in one of `_ORDERS`.

            `first` : a column and its form that the others have to make room for, `_OUT` where it makes room itself.
            """
            taken: dict[str, int] = {}
            waiting = {name: len(every) - 1 for name, every in forms.items()}
            rest = one_class(self.now.n)
            if first is not None and first[1] == _OUT:
                del waiting[first[0]]
            elif first is not None and not self.aim.far(sizes(rest, *first)):
                taken[first[0]] = first[1]
                del waiting[first[0]]
                rest = rest.split(forms[first[0]][first[1]][1])
            while waiting:
                fitting: list[tuple[float, float, float, str]] = []
                for name, at in list(waiting.items()):
                    after, column = sizes(rest, name, at), forms[name][at][1]
                    if self.aim.far(after):
                        del waiting[name]
                    elif order == "most":
                        fitting.append((-self.wanted(name) * entropy(column), 0, 0, name))
                    elif order == "least":
                        fitting.append((-self.wanted(name), entropy(column), 0, name))
                    else:
                        alone = records_below(after, max(self.aim.k, _SMALL))
                        fitting.append((-self.wanted(name), alone, self.price(name, column), name))
                if fitting:
                    name = min(fitting)[-1]
                    taken[name] = waiting.pop(name)
                    rest = rest.split(forms[name][taken[name]][1])
            coarse = {name for name, at in taken.items() if at}
            while coarse:
                name = max(coarse, key=lambda name: self.price(name, forms[name][taken[name]][1]))
                others = [forms[n][at][1] for n, at in taken.items() if n != name]
                rest = classes_of(sorted(others, key=lambda column: column.m), self.now.n)
                if self.aim.far(sizes(rest, name, taken[name] - 1)):
                    coarse.remove(name)
                else:
                    taken[name] -= 1
                    coarse -= set() if taken[name] else {name}
            return taken

        def lost(taken: dict[str, int]) -> float:
            return sum(self.price(name, forms[name][taken[name]][1] if name in taken else None) for name in names)

        ways = (arranged(order, first) for first in given for order in _ORDERS)
        taken = min(ways, key=lambda taken: (-len(taken), lost(taken)))
        for name in sorted(taken, key=lambda name: self.price(name, forms[name][taken[name]][1])):
            if taken[name]:
                self.grouped(name, forms[name][taken[name]][0])
        for name in names:
            if name not in taken:
                self.leave_out(name, why=say("even its coarsest form singles people out"))

    def useful(self, form: tuple[Steps, Column]) -> bool:
        """Whether a form still tells something."""
        told = entropy(form[1])
        return told >= _LEAST_TOLD or told >= _LEAST_SHARE * self.told[form[1].name]

    def summed_up(self) -> None:
        """Make one step of those of a column, drop what changes nothing, and tell the effects in their order."""
        last, whole = {step.column: step for step in self.steps}, self.plan
        steps = [step for step in self.steps if last[step.column] is step]
        for step in sorted(
            steps, key=lambda step: -self.price(step.column, None if step.out else self.now[step.column])
        ):
            others = [each for each in steps if each is not step]
            if self._searched(step) and not self._without(others, whole):
                steps = others
        self.replay(steps, whole)
        told = [
            replace(step, effect=self._without([each for each in steps if each.column != step.column], whole))
            if step.unique == step.unique_before and self._searched(step)
            else step
            for step in self.steps
        ]
        self.steps = told

    def _searched(self, step: SafeStep) -> bool:
        """Whether a step is there for the aim, and not for what its column is."""
        return step.column in self.forms and step.column not in self.asked

    def _without(self, others: Sequence[SafeStep], whole: Plan) -> str:
        """Return what is worse than in the plan found so far when only `others` are taken, "" where nothing is."""
        plan = self.given
        for step in others:
            plan = _with(plan, step, whole)
        names = plan.named(Role.NSA)
        now = table_after(self.source, plan.generalisations)
        sizes = class_sizes(now, names, self.progress)
        alone, below = records_below(sizes, 2), records_below(sizes, self.aim.k)
        if alone > self.aim.unique * self.now.n and alone > records_below(self.sizes, 2):
            return say("without this step, {n} records would be unique", n=alone)
        if self.aim.k > 1 and below > records_below(self.sizes, self.aim.k):
            return say("without this step, {n} records would have fewer than {k} alike", n=below, k=self.aim.k)
        if self.aim.giveaway:
            found = giveaways(now, names, plan.sensitive, self.progress)
            if found and len(found) > len(
                giveaways(self.now, self.plan.named(Role.NSA), plan.sensitive, self.progress)
            ):
                columns = listed(say("“{name}”", name=name) for name in found[0].columns)
                return say(
                    "without this step, {columns} would give “{sensitive}” away",
                    columns=columns,
                    sensitive=found[0].sensitive,
                )
        return ""

    def replay(self, steps: Sequence[SafeStep], whole: Plan) -> None:
        """Take steps of a plan `whole` one after another, from the plan that was given."""
        self.steps, self.plan, self.now = [], self.given, self.first
        self.sizes = class_sizes(self.now, self.given.named(Role.NSA), self.progress)
        for step in steps:
            self.take(_with(self.plan, step, whole), step.column, step.words, step.lost, step.out, step.effect)

    def left(self) -> bool:
        """Whether the aim is not reached."""
        names = self.plan.named(Role.NSA)
        return bool(self.aim.far(self.sizes)) or (
            self.aim.giveaway and bool(giveaways(self.now, names, self.plan.sensitive, self.progress))
        )

    def found(self) -> MadeSafe:
        """Return the steps, and where they lead."""
        alone, below = records_below(self.sizes, 2), records_below(self.sizes, self.aim.k)
        return MadeSafe(self.aim, self.plan, tuple(self.steps), not self.left(), self.source.n, alone, below)


def _with(plan: Plan, step: SafeStep, whole: Plan) -> Plan:
    """Return a plan with what one of the steps to the plan `whole` changes."""
    name = step.column
    roles = {**plan.roles, name: whole.roles[name]}
    grouped = dict(plan.generalisations)
    if name in whole.generalisations:
        grouped[name] = whole.generalisations[name]
    persons = whole.persons if whole.persons is not None and whole.persons.column == name else plan.persons
    by = "" if persons is None else persons.drawn
    draws = {n: whole.draws.get(n, draw).by_person(by) for n, draw in plan.draws.items()}
    draws = {n: draw for n, draw in draws.items() if roles[n] is Role.SA}
    return replace(plan, roles=roles, generalisations=grouped, draws=draws, persons=persons)


def make_safe(
    table: Table, plan: Plan, aim: Aim | None = None, progress: Progress = SILENT, rest: Rest = USUAL_REST
) -> MadeSafe:
    """Return the steps that lead from a plan to an aim; the plan's sensitive columns keep their draws.

    `rest` is what rare values are called that are put together.

    Raises the faults of the plan itself (UnknownColumn, BadSetting); Cancelled.
    """
    plan.check(table)
    aim = aim or Aim()
    search = _Search(table, plan, aim, rest, progress)
    search.names_and_matters()
    search.persons()
    search.told_by_each_other()
    search.told_by_one()
    search.alone()
    search.told_by_others()
    search.summed_up()
    return search.found()


def with_some(
    table: Table, plan: Plan, whole: MadeSafe, columns: Collection[str], progress: Progress = SILENT
) -> MadeSafe:
    """Return where those steps of `whole` lead that change `columns`, without the others. Raises Cancelled."""
    search = _Search(table, plan, whole.aim, USUAL_REST, progress)
    search.replay([step for step in whole.steps if step.column in columns], whole.plan)
    return search.found()
