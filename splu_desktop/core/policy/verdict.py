"""The verdict: one call that window, command line, report and verify print, line by line.

Each line holds one figure against one limit, with a repair that the program can carry out. A release is useful and
defensible where no line is open; an open one stands against it until it is repaired or accepted with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import DatePart, Part
from splu_desktop.core.messages import Figure, counted, listed, quoted, say
from splu_desktop.core.persons.identify import person_columns
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.blocks import linked_apart
from splu_desktop.core.policy.edits import Edit, draw_together, raise_gamma, set_person, set_roles, set_steps
from splu_desktop.core.policy.figures import FEWEST_CELLS, EarlierRelease, Figures, figures_of
from splu_desktop.core.policy.limits import REASONS, Limits, check_reason, limits_for, share_words
from splu_desktop.core.policy.search import Search, strength_needed
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.giveaway import giveaways
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import Suggestion, suggest_roles
from splu_desktop.core.sanitise import Prepared, prepare
from splu_desktop.core.table import Kind, Table

USEFUL, BLURRED, TOO_SMALL, UNSAFE = "useful", "blurred", "too small", "unsafe"
OK, AMBER, RED = "ok", "amber", "red"
MOST_LINES = 8
_ORDER = {RED: 0, AMBER: 1, OK: 2}


@dataclass(frozen=True)
class Repair:
    """What the program can do about a line.

    Attributes
    ----------
    words : what a button says.
    apply : gives the plan that has it done.
    """

    words: str
    apply: Edit


@dataclass(frozen=True)
class Line:
    """One thing that was checked.

    Attributes
    ----------
    name : by which it is accepted and found in JSON.
    state : "ok", "amber" or "red".
    sentence : of at most 25 words, with one number.
    value, limit : the figure and what it is held against; None where there is none.
    repair : what would settle it, None where nothing does.
    reasons : ready ones to accept it for.
    """

    name: str
    state: str
    sentence: str
    value: float | None = None
    limit: float | None = None
    repair: Repair | None = None
    reasons: tuple[str, ...] = REASONS

    @property
    def open(self) -> bool:
        """Whether it stands against the release."""
        return self.state != OK

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "state": self.state,
            "sentence": str(self.sentence),
            "value": self.value,
            "limit": self.limit,
            "repair": None if self.repair is None else str(self.repair.words),
        }


@dataclass(frozen=True, eq=False)
class Verdict:
    """What is said of a plan.

    Attributes
    ----------
    state : "useful", "blurred", "too small" or "unsafe".
    sentence : the headline's sentence.
    lines : at most eight, the red ones first.
    figures : all that was counted.
    limits : that hold.
    """

    state: str
    sentence: str
    lines: tuple[Line, ...]
    figures: Figures
    limits: Limits

    @property
    def title(self) -> str:
        """The verdict in three words or so."""
        return title_of(self.state)

    @property
    def open(self) -> tuple[Line, ...]:
        """Lines that must be repaired or accepted."""
        return tuple(line for line in self.lines if line.open)

    def waiting(self, accepted: Mapping[str, str], everything: str = "") -> tuple[Line, ...]:
        """Return open lines that nobody has accepted. Raises BadSetting where a name or a reason is none.

        accepted : name of a line -> reason; `everything` : a reason for all lines.
        """
        names = {line.name for line in self.lines}
        for name, reason in accepted.items():
            check_reason(reason)
            if name not in names:
                raise BadSetting(
                    "There is no line “{name}” to accept; the lines are {known}.",
                    name=name,
                    known=", ".join(sorted(names)),
                )
        if everything:
            check_reason(everything)
            return ()
        return tuple(line for line in self.open if line.name not in accepted)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, as the command line's JSON and the report have it."""
        figures = self.figures
        return {
            "verdict": self.state,
            "sentence": str(self.sentence),
            "lines": [line.as_dict() for line in self.lines],
            "rows": figures.rows,
            "persons": figures.persons,
            "unique_persons": figures.alike.unique,
            "smallest_class": figures.alike.smallest,
            "answered": {"cells": figures.answered, "of": figures.cells},
            "certainty": {"average": figures.certainty.average, "riskiest": figures.certainty.riskiest},
            "other_questions": figures.other,
            "audience": self.limits.name,
        }


def title_of(state: str) -> str:
    """Return a state in words."""
    return {
        USEFUL: say("Useful and defensible"),
        BLURRED: say("Protected, but too blurred"),
        TOO_SMALL: say("Too small for rows"),
        UNSAFE: say("Not safe"),
    }[state]


def verdict(
    table: Table | Prepared,
    plan: Plan,
    *,
    earlier: Sequence[EarlierRelease] = (),
    suggestions: Mapping[str, Suggestion] | None = None,
    changed: Mapping[str, tuple[float, str]] | None = None,
    progress: Progress = SILENT,
) -> Verdict:
    """Return the verdict on a plan.

    Parameters
    ----------
    table : the source, or what `prepare` made of it.
    earlier : releases of the same persons that were handed out before.
    suggestions : what each column of the source is taken for; None to look.
    changed : limits that were changed by hand, with reasons.

    Raises
    ------
    SpluError where the plan does not fit the table; Cancelled.
    """
    prepared = table if isinstance(table, Prepared) else prepare(table, plan)
    source = prepared.source if isinstance(table, Prepared) else table
    known = suggest_roles(source) if suggestions is None else suggestions
    limits = limits_for(plan.audience, changed)
    figures = figures_of(prepared, plan, earlier, progress)
    judge = _Judge(source, prepared, plan, known, limits, figures, tuple(earlier))
    lines = sorted(judge.lines(), key=lambda line: _ORDER[line.state])[:MOST_LINES]
    state, sentence = _state(lines, figures, plan)
    return Verdict(state, sentence, tuple(lines), figures, limits)


def _state(lines: Sequence[Line], figures: Figures, plan: Plan) -> tuple[str, str]:
    others = [line for line in lines if line.open and line.name != "too-blurred"]
    if red := [line for line in others if line.state == RED]:
        return UNSAFE, red[0].sentence
    if any(line.open and line.name == "too-blurred" for line in lines):
        if figures.cells < FEWEST_CELLS:
            return TOO_SMALL, counted(
                figures.persons,
                "{n} person is too few: no strength both hides them and answers your tables.",
                "{n} persons are too few: no strength both hides them and answers your tables.",
            )
        return BLURRED, counted(
            len(plan.questions),
            "Recipients can’t use your table. Take one of the two ways that work.",
            "Recipients can’t use your {n} tables. Take one of the two ways that work.",
        )
    if others:
        return UNSAFE, counted(
            len(others), "Not safe yet. One line needs your decision.", "Not safe yet. {n} lines need your decision."
        )
    return USEFUL, counted(
        len(plan.questions),
        "Recipients can use it for your table, and no limit is broken.",
        "Recipients can use it for your {n} tables, and no limit is broken.",
    )


@dataclass(frozen=True, eq=False)
class _Judge:
    """Makes the lines of one plan."""

    source: Table
    prepared: Prepared
    plan: Plan
    suggestions: Mapping[str, Suggestion]
    limits: Limits
    figures: Figures
    earlier: tuple[EarlierRelease, ...]

    def lines(self) -> Iterator[Line]:
        """Give all lines; of two that say the same of one fault only the worse."""
        yield from self._columns()
        alike = self._alike()
        yield alike
        riskiest = self._riskiest()
        yield riskiest
        if not riskiest.open:
            yield self._average()
        yield self._readable()
        yield (
            self._gives_away()
            or self._linked()
            or Line("gives-away", OK, say("No unchanged column gives a secret value away."))
        )
        yield self._releases()
        if (line := self._person_column()) is not None:
            yield line
        if not alike.open and (line := self._dates()) is not None:
            yield line
        if self.plan.audience.who != "public" and not self.plan.audience.signed:
            yield Line(
                "not-signed",
                AMBER,
                say("The recipient has not signed. The limits for anyone were used."),
                repair=Repair(
                    say("They have signed"),
                    lambda plan: replace(plan, audience=replace(plan.audience, signed=True)),
                ),
            )

    def _columns(self) -> Iterator[Line]:
        plan = self.plan
        shown = [name for name in plan.roles if plan.roles[name].published and name in self.suggestions]
        naming = [
            name
            for name in shown
            if self.suggestions[name].role is Role.IDENTIFIER
            and name not in plan.kept_identifiers
            and name not in plan.generalisations
        ]
        if naming:
            yield Line(
                "names-persons",
                RED,
                say("{columns} names persons and would go out.", columns=quoted(naming, 3)),
                len(naming),
                0,
                Repair(say("Never publish it"), set_roles(naming, Role.IDENTIFIER)),
            )
            return
        counted_by = {name for each in plan.questions for name in each.by}
        bare = [n for n in plan.nsas if n in self.suggestions and self.suggestions[n].role is Role.SA]
        bare = [name for name in bare if name not in counted_by]
        if bare:
            yield Line(
                "sensitive-as-is",
                AMBER,
                say("{columns} is published as it is. It says how a person lives.", columns=quoted(bare, 3)),
                len(bare),
                0,
                Repair(say("Make it secret"), set_roles(bare, Role.SA)),
            )

    def _alike(self) -> Line:
        figures, limits, persons = self.figures, self.limits, self._who
        few, k = figures.alike.below(limits.alike), limits.alike
        changed, everybody = figures.emptied + figures.left_out, figures.persons + figures.left_out
        repair = Repair(say("Make columns coarser"), self._coarser)
        if few:
            columns = listed(self.plan.nsas[:3], "{head} and {tail}")
            return Line(
                "persons-alike",
                RED,
                say(
                    "{n} {persons} stand out by {columns}: fewer than {k} look alike.",
                    n=few,
                    persons=persons,
                    columns=columns,
                    k=k,
                ),
                few,
                0,
                repair,
            )
        if changed > (1 - limits.share_alike) * everybody:
            return Line(
                "persons-alike",
                AMBER,
                say("{n} {persons} lose cells or are left out, so that nobody stands out.", n=changed, persons=persons),
                changed,
                (1 - limits.share_alike) * everybody,
                repair,
            )
        return Line(
            "persons-alike",
            OK,
            say(
                "At least {n} {persons} look alike in every row; {k} are asked for.",
                n=figures.alike.smallest,
                persons=persons,
                k=k,
            ),
            figures.alike.smallest,
            k,
        )

    def _riskiest(self) -> Line:
        certainty, limit = self.figures.certainty, self.limits.riskiest
        state = OK if certainty.riskiest <= limit + 1e-9 else RED
        return Line(
            "riskiest-group",
            state,
            say(
                "In the riskiest group a row that shows a secret value is right in {share} cases; {limit} is allowed.",
                share=_at_most(certainty.riskiest),
                limit=share_words(limit),
            ),
            certainty.riskiest,
            limit,
            None if state == OK else self._stronger(),
        )

    def _average(self) -> Line:
        certainty, limit = self.figures.certainty, self.limits.average
        state = OK if certainty.average <= limit + 1e-9 else RED
        return Line(
            "certainty",
            state,
            say(
                "A row that shows a secret value is right in {share} cases on average; {limit} is allowed.",
                share=_at_most(certainty.average),
                limit=share_words(limit),
            ),
            certainty.average,
            limit,
            None if state == OK else self._stronger(),
        )

    def _stronger(self) -> Repair:
        needed = strength_needed(self.figures.certainty, self.limits)
        if needed <= 50:
            return Repair(say("Make it safer"), raise_gamma(needed))
        return Repair(say("Join it with a neighbour"), self._way)

    def _readable(self) -> Line:
        figures, share = self.figures, self.limits.useful
        value = figures.answered / figures.cells if figures.cells else 0.0
        if figures.useful(share):
            return Line(
                "too-blurred",
                OK,
                say(
                    "{answered} of {cells} cells of 50 and more can be read.",
                    answered=figures.answered,
                    cells=figures.cells,
                ),
                value,
                share,
            )
        repair = Repair(say("Show ways that work"), self._way)
        if figures.cells < FEWEST_CELLS:
            sentence = counted(
                figures.cells,
                "Your tables have {n} cell of 50 and more; three are needed.",
                "Your tables have {n} cells of 50 and more; three are needed.",
            )
            return Line("too-blurred", AMBER, sentence, figures.cells, FEWEST_CELLS, repair)
        if not figures.answered:
            return Line("too-blurred", RED, say("None of your tables can be read."), 0.0, share, repair)
        sentence = say(
            "{answered} of {cells} cells of 50 and more can be read; {wanted} are needed.",
            answered=figures.answered,
            cells=figures.cells,
            wanted=share_words(share),
        )
        return Line("too-blurred", AMBER, sentence, value, share, repair)

    def _gives_away(self) -> Line | None:
        found = giveaways(self.prepared, self.plan)
        if not found:
            return None
        worst = found[0]
        return Line(
            "gives-away",
            RED,
            worst.sentence,
            worst.rows,
            0,
            Repair(say("Leave it out"), set_roles([worst.column], Role.DROPPED)),
        )

    def _linked(self) -> Line | None:
        apart = linked_apart(self.prepared.table, [block.columns for block in self.plan.blocks])
        if apart is None:
            return None
        first, second, strength = apart
        return Line(
            "gives-away",
            RED,
            say(
                "“{first}” and “{second}” tell each other and are drawn apart: together they give persons away.",
                first=first,
                second=second,
            ),
            round(strength, 3),
            None,
            Repair(say("Draw them together"), draw_together(first, second)),
        )

    def _releases(self) -> Line:
        figures, limits, alpha = self.figures, self.limits, self.plan.thresholds.alpha
        if not self.earlier:
            state = OK if figures.small_counts >= limits.small_counts else RED
            sentence = say(
                "Counts of 1 to {alpha} come out wrong in at least {share} of 100 releases.",
                alpha=alpha,
                share=int(100 * figures.small_counts),
            )
            repair = None if state == OK else Repair(say("Make it safer"), raise_gamma(2))
            return Line("small-counts", state, sentence, figures.small_counts, limits.small_counts, repair)
        last, mine = self.earlier[-1], self.plan.audience.recipient.strip().casefold()
        same = bool(mine) and any(each.recipient.strip().casefold() == mine for each in self.earlier)
        if same:
            sentence = say(
                "The same recipient has these {persons} already. With both, a row is right in {share} cases.",
                persons=self._who,
                share=_at_most(figures.joint),
            )
        else:
            sentence = say(
                "These {persons} were released before, to {recipient}. With both, a row is right in {share} cases.",
                persons=self._who,
                recipient=last.recipient or say("somebody"),
                share=_at_most(figures.joint),
            )
        return Line("second-release", RED if same else AMBER, sentence, figures.joint, limits.riskiest)

    def _person_column(self) -> Line | None:
        if self.plan.persons is not None:
            return None
        names = person_columns(self.source)
        if not names:
            return None
        return Line(
            "no-person-column",
            AMBER,
            say("“{column}” may name the person. If persons have several rows, they are less safe.", column=names[0]),
            repair=Repair(say("Name the column"), set_person(names[0])),
        )

    def _dates(self) -> Line | None:
        table = self.prepared.table
        exact = [n for n in self.plan.nsas if table[n].kind in (Kind.DATE, Kind.DATETIME)]
        if not exact or (self.plan.persons is not None and set(exact) <= set(self.plan.persons.shift)):
            return None

        return Line(
            "dates",
            AMBER,
            say("{columns} is published to the day, and days are widely known.", columns=quoted(exact, 3)),
            len(exact),
            0,
            Repair(say("Months instead"), set_steps(exact, (DatePart(Part.MONTH),))),
        )

    @property
    def _who(self) -> str:
        return say("persons") if self.prepared.knows_persons else say("rows")

    def _search(self, plan: Plan) -> Search:
        subjects = {name: each.subject for name, each in self.suggestions.items()}
        return Search(self.source, plan, subjects, self.limits)

    def _coarser(self, plan: Plan) -> Plan:
        search = self._search(plan)
        levels = search.tiers.mildest()
        return plan if levels is None else replace(search.plan_with(levels), classes=plan.classes)

    def _way(self, plan: Plan) -> Plan:
        found = self._search(plan).find()
        return plan if found is None else found.plan


def _at_most(share: float) -> Figure:
    """Return a share in cases of 100, rounded up: figures round against the release."""
    return Figure(f"{min(100, -int(-100 * share // 1))} in 100")
