"""The limits of a report: lines of the verdict as each edition tells them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from splu_desktop.core.audience import Audience
from splu_desktop.core.policy.figures import FEWEST_CELLS
from splu_desktop.core.policy.limits import Limits, level_of, limits_named
from splu_desktop.core.policy.lines import AMBER, RED
from splu_desktop.core.policy.verdict import Verdict
from splu_desktop.core.risk.certainty import Certainty
from splu_desktop.files.register.ledger import Entry
from splu_desktop.report.fields import Fields

ALIKE, AVERAGE, RISKIEST, SMALL, READ = "persons-alike", "certainty", "riskiest-group", "small-counts", "too-blurred"
ASKED = "threshold"  # the limit that was asked for with the report
LimitValues = dict[str, tuple[float | None, float, bool]]  # figure, what it is held against, whether it is met


@dataclass(frozen=True)
class Limit:
    """One line of the verdict.

    Attributes
    ----------
    name : as the verdict has it, or "threshold".
    value, limit : the figure and what it is held against; None where there is none, or it can't be worked out.
    met : whether nothing stands against the release.
    grave : whether it is a limit; else a decision that somebody had to take.
    reason : with which it was accepted, "" where it was not; the recipient reads only that it was.
    accepted : whether it was.
    sentence : of the verdict, "" in the external edition.
    """

    name: str
    value: float | None
    limit: float | None
    met: bool
    grave: bool = True
    reason: str = ""
    accepted: bool = False
    sentence: str = ""


@dataclass(frozen=True)
class ChangedLimit:
    """A limit of `policy.limits.Limits` that was changed by hand: from what, to what, and why."""

    name: str
    usual: float
    value: float
    why: str


def judged_limits(judged: Verdict, accepted: Mapping[str, str]) -> Iterator[Limit]:
    """Give the lines of a verdict; of the four limits, both certainties always stand."""
    lines = {line.name: line for line in judged.lines}
    figures, limits = judged.figures, judged.limits
    small = lines[SMALL].value if SMALL in lines else None
    values = limit_values(limits, figures.alike.smallest, figures.alike.below(limits.alike), figures.certainty, small)
    reasons = dict(accepted)
    if accepted and AVERAGE not in lines:  # accepted with the riskiest group, whose line stands for both
        reasons[AVERAGE] = accepted.get(RISKIEST, "")

    def state(name: str, value: float | None, limit: float | None, met: bool, sentence: str, grave: bool) -> Limit:
        reason = "" if met else str(reasons.get(name, ""))
        return Limit(name, value, limit, met, grave, reason, not met and name in reasons, sentence)

    for name, (value, limit, met) in values.items():
        if name in lines:
            yield state(name, value, limit, not lines[name].open, str(lines[name].sentence), grave=True)
        elif name != SMALL:  # where there are earlier releases, their line stands for it
            yield state(name, value, limit, met, "", grave=True)
    for line in sorted(judged.lines, key=lambda line: line.name != READ):  # what can be read comes first
        if line.name not in values:
            grave, pair = line.state != AMBER, (line.value, line.limit)
            if line.name == READ:
                grave, pair = False, _readable_figures(figures.readable, figures.cells, limits)
            yield state(line.name, *pair, not line.open, str(line.sentence), grave)


def recipient_limits(limits: Limits, values: LimitValues, read: int, of: int, entry: Entry | None) -> Iterator[Limit]:
    """Give the four limits and the names of what else was accepted: what was missed, the custodian's verdict says.

    read, of : cells of 50 and more that can be read, and all of them.
    """
    opens = None if entry is None else dict(entry.body.get("open", {}))
    for name, (value, limit, met) in values.items():
        if opens is not None and not (name == AVERAGE and RISKIEST in opens):  # whose line then stands for both
            met = name not in opens
        yield Limit(name, value, limit, met, accepted=not met and opens is not None)
    red = {each["name"] for each in (entry.body["lines"] if entry else ()) if each["state"] == RED}
    for name in opens or ():
        if name not in values and name != READ:
            yield Limit(name, None, None, False, grave=name in red, accepted=True)
    if of or READ in (opens or ()):
        met = READ not in opens if opens is not None else read >= limits.useful * of
        accepted = not met and opens is not None
        yield Limit(READ, *_readable_figures(read, of, limits), met, grave=False, accepted=accepted)


def limit_values(
    limits: Limits, smallest: int | None, few: int | None, certainty: Certainty, small: float | None
) -> LimitValues:
    """Return what is known of each of the four limits."""
    return {
        ALIKE: (smallest, limits.alike, not few),
        AVERAGE: (certainty.average, limits.average, certainty.average <= limits.average + 1e-9),
        RISKIEST: (certainty.riskiest, limits.riskiest, certainty.riskiest <= limits.riskiest + 1e-9),
        SMALL: (small, limits.small_counts, small is None or small >= limits.small_counts),
    }


def _readable_figures(read: int, of: int, limits: Limits) -> tuple[float | None, float | None]:
    """Return what can be read and what is asked: a share of the cells of 50 and more, their number where few are."""
    if not of:
        return None, None
    return (read / of, limits.useful) if of >= FEWEST_CELLS else (read, FEWEST_CELLS)


def asked_limit(fields: Fields, certainty: Certainty) -> tuple[Limit, ...]:
    """Return the limit that was asked for with the report, none where none was."""
    if fields.threshold is None:
        return ()
    return (Limit(ASKED, certainty.riskiest, fields.threshold, certainty.riskiest <= fields.threshold + 1e-9),)


def changed_limits(audience: Audience) -> tuple[ChangedLimit, ...]:
    """Return the limits that were changed by hand for an audience."""
    usual = limits_named(level_of(audience))
    return tuple(ChangedLimit(each.name, getattr(usual, each.name), each.value, each.why) for each in audience.limits)
