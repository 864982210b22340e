"""The verdict: one call that window, command line, report and verify print, line by line.

Each line holds one figure against one limit, with a repair that the program can carry out. A release is useful and
defensible where no line is open; an open one stands against it until it is repaired or accepted with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import Phrase, none_of, plain_of, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.figures import FEWEST_CELLS, Figures, figures_of, who_of
from splu_desktop.core.policy.limits import Limits, check_reason, limits_for
from splu_desktop.core.policy.lines import RED, Case, Line
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.risk.releases import EarlierRelease
from splu_desktop.core.roles.suggest import Suggestion, suggest_roles
from splu_desktop.core.sanitise import DrawInput, prepare
from splu_desktop.core.table import Table

_BY_SIZE = ("persons-alike", "riskiest-group", "certainty")  # what a larger table would settle
USEFUL, BLURRED, TOO_SMALL, UNSAFE = "useful", "blurred", "too small", "unsafe"


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
    def open(self) -> tuple[Line, ...]:
        """Lines that must be repaired or accepted."""
        return tuple(line for line in self.lines if line.open)

    def list_waiting(self, accepted: Mapping[str, str], everything: str = "") -> tuple[Line, ...]:
        """Return open lines that nobody has accepted. Raises BadSetting where a name or a reason is none.

        accepted : name of a line -> reason; `everything` : a reason for all lines.
        """
        names = {line.name for line in self.lines}
        for name, reason in accepted.items():
            check_reason(reason)
            if name not in names:
                raise BadSetting(none_of(name, sorted(names)))
        if everything:
            check_reason(everything)
            return ()
        return tuple(line for line in self.open if line.name not in accepted)

    def as_remembered(self) -> dict[str, Any]:
        """Return what the register keeps, so that the same lines can be said again, in any language."""
        lines = [{**line.as_dict(), "sentence": plain_of(line.sentence)} for line in self.lines]
        return {"verdict": self.state, "headline": plain_of(self.sentence), "lines": lines}

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, as the command line's JSON and the report have it."""
        figures, sure = self.figures, self.figures.certainty
        return {
            "verdict": self.state,
            "headline": str(self.sentence),
            "lines": [line.as_dict() for line in self.lines],
            "rows": figures.rows,
            "rows_left_out": figures.rows_left_out,
            "persons": figures.persons,
            "unique_persons": figures.alike.below(2),
            "smallest_class": figures.alike.smallest,
            "found_by_others": figures.found_by_others,
            "answered": {"cells": figures.readable, "of": figures.cells},
            "certainty": {"average": sure.average, "riskiest": sure.riskiest, "person": figures.person},
            "other_questions": figures.other,
            "audience": self.limits.name,
        }


def title_of(state: str) -> str:
    """Return a state in three words or so."""
    return {
        USEFUL: say("Useful and defensible"),
        BLURRED: say("Protected, but too blurred"),
        TOO_SMALL: say("Too small for rows"),
        UNSAFE: say("Not safe"),
    }[state]


def verdict(
    table: Table | DrawInput,
    plan: Plan,
    *,
    earlier: Sequence[EarlierRelease] = (),
    suggestions: Mapping[str, Suggestion] | None = None,
    leaks: tuple[Giveaway, ...] | None = None,
    progress: Progress = SILENT,
) -> Verdict:
    """Return the verdict on a plan.

    Parameters
    ----------
    table : the source, or what `prepare` made of it.
    earlier : releases of the same persons that were handed out before.
    suggestions : what each column of the source is taken for; None to look.
    leaks : what unchanged columns give away; None to look.

    Raises
    ------
    SpluError where the plan does not fit the table; Cancelled.
    """
    prepared = table if isinstance(table, DrawInput) else prepare(table, plan)
    source = prepared.whole or prepared.source
    known = suggest_roles(source) if suggestions is None else suggestions
    limits = limits_for(plan.audience)
    for why in plan.kept_identifiers.values():  # it silences a red line
        check_reason(why)
    # Neither asks for the other's, and NumPy leaves the interpreter free meanwhile: the second core takes one of them.
    with ThreadPoolExecutor(1, "splu") as pool:
        looked = pool.submit(lambda: giveaways(prepared, plan) if leaks is None else leaks)
        figures = figures_of(prepared, plan, earlier, progress)
    lines = Case(source, prepared, plan, known, limits, figures, tuple(earlier), looked.result()).lines()
    state, sentence = _state(lines, figures, plan)
    if figures.rows_left_out > (1 - limits.share_alike) * (figures.rows + figures.rows_left_out):
        sentence = Phrase("{head} {tail}", {"head": sentence, "tail": figures.losses(plan)[-1]})
    return Verdict(state, sentence, tuple(lines), figures, limits)


def _state(lines: Sequence[Line], figures: Figures, plan: Plan) -> tuple[str, str]:
    blurred = any(line.open and line.name == "too-blurred" for line in lines)
    others = [line for line in lines if line.open and line.name != "too-blurred"]
    red = [line for line in others if line.state == RED]
    # Before “not safe”: more persons would settle these red lines, and no strength settles them and the tables.
    if blurred and plan.questions and figures.cells < FEWEST_CELLS and all(line.name in _BY_SIZE for line in red):
        words = "Fewer than {least} cells of your tables have 50 {who}: wait for more, or ask for tables of more cells."
        return TOO_SMALL, say(words, who=who_of(plan), least=FEWEST_CELLS)
    if red:
        return UNSAFE, red[0].sentence
    if blurred:
        return BLURRED, say("Recipients can’t use your tables. Change the tables, or take a way that works.")
    if others:
        return UNSAFE, say("Lines that need your decision: {n}.", n=len(others))
    if not plan.questions or figures.count_unread(plan):
        return USEFUL, say("Recipients can use it, and no limit is broken.")
    return USEFUL, say("Recipients can use it for your tables, and no limit is broken.")
