"""Figures and names as the report writes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from splu_desktop.core.messages import cases_of_100, count_to_name, isolated, say
from splu_desktop.core.policy.limits import WHOLE
from splu_desktop.files.language import Language, mark
from splu_desktop.report.document import Number, cell_text
from splu_desktop.report.facts import Facts
from splu_desktop.report.limit_facts import ALIKE, ASKED, AVERAGE, READ, RISKIEST, SMALL, ChangedLimit, Limit
from splu_desktop.report.table_facts import Cell

_WHO = {
    "colleague": mark("a colleague of the house"),
    "partner": mark("a partner under contract"),
    "public": mark("anyone"),
}
# What lines ask for, by their names, but for those that tell figures of the release.
_ASKED = {
    AVERAGE: mark("A row that shows a secret value is right, on average at most"),
    RISKIEST: mark("A row that shows a secret value is right, in the riskiest group at most"),
    ASKED: mark("Any row that shows a secret value is right, at most (asked for with this report)"),
    "gives-away": mark("No other column gives a secret value away"),
    "names-persons": mark("No column that names persons is published"),
    "sensitive-as-is": mark("No column that says how a person lives is published as it is"),
    "second-release": mark("The same persons were not released before"),
    "no-person-column": mark("It is known which rows are one person’s"),
    "dates": mark("No date is published to the day"),
    "not-signed": mark("The recipient has signed not to recognise anybody"),
    READ: mark("Cells of 50 and more that can be read, at least"),
}

# Limits that can be changed by hand: the line that holds them, or what they are.
_LINE_OF = {"alike": ALIKE, "average": AVERAGE, "riskiest": RISKIEST, "small_counts": SMALL, "useful": READ}
_CHANGED = {
    "share_alike": mark("Share of the persons who look alike, at least"),
    "gamma": mark("Strength to begin with"),
    "printed": mark("Least number printed in tables"),
    "within": mark("Relative error of a number that can be read, at most"),
}


def of_100(share: float, *, down: bool = False) -> str:
    """Return cases of 100, rounded against the release."""
    return str(cases_of_100(share, down=down))


def who_gets_it(level: str, t: Language) -> str:
    """Return whose limits hold."""
    return t(_WHO[level])


def bearers_word(facts: Facts, t: Language) -> str:
    """Return the head of a column that counts who has a value."""
    return t("have it") if facts.internal else t("rows with it")


def persons_word(facts: Facts, t: Language) -> str:
    """Return what is counted."""
    return t.sentence(say("persons") if facts.by_person else say("rows"))


def limit_words(limit: Limit, facts: Facts, t: Language) -> str:
    """Return what a line asks for."""
    if limit.name == ALIKE:
        columns = names([each.name for each in facts.columns if each.is_known], t, 3)
        return t("Alike in {columns}, at least ({who})", columns=columns, who=persons_word(facts, t))
    if limit.name == SMALL:
        epsilon = t.percent(facts.epsilon, 0)
        return t("Counts of 1 to {alpha} wrong by more than {epsilon}, at least", alpha=facts.alpha, epsilon=epsilon)
    return t(_ASKED[limit.name]) if limit.name in _ASKED else t.sentence(limit.sentence)


def changed_words(changed: ChangedLimit, facts: Facts, t: Language) -> str:
    """Return that a limit was changed by hand, by whom and why."""
    name = _LINE_OF.get(changed.name, "")
    what = t(_CHANGED[changed.name]) if not name else limit_words(Limit(name, None, None, True), facts, t)
    usual, value = (
        t.number(each) if changed.name in WHOLE else t("{n} of 100", n=round(100 * each))
        for each in (changed.usual, changed.value)
    )
    who = facts.operator if facts.internal and facts.operator else t("the custodian")
    return t(
        "A limit was changed by {who}. {what}: {value} instead of {usual}. Reason: {why}.",
        who=who,
        what=what,
        value=value,
        usual=usual,
        why=changed.why.rstrip("."),
    )


def limit_figures(limit: Limit, t: Language) -> tuple[str, str]:
    """Return a line's limit and what was reached; a dash where there is none."""
    bound, reached = limit.limit, limit.value
    if limit.name == ALIKE or (bound or 0) > 1:  # an open line counts those who have too few like them
        return "–" if bound is None else t.number(bound), "–" if reached is None else t.number(reached)
    if limit.name in (AVERAGE, RISKIEST, ASKED, SMALL, READ):
        return (
            "–" if bound is None else t("{n} of 100", n=round(100 * bound)),
            "–" if reached is None else t("{n} of 100", n=of_100(reached, down=limit.name in (SMALL, READ))),
        )
    return "–", "–"


def standing_words(limit: Limit, facts: Facts, t: Language) -> str:
    """Return whether a line is met."""
    if limit.met and not facts.internal and _is_beyond(limit):  # the release scatters around its original
        return t("met by the original")
    if limit.met:
        return t("met")
    if limit.grave:
        return t("NOT met")
    return t("decided") if limit.accepted else t("open")


def _is_beyond(limit: Limit) -> bool:
    """Whether the release gives no figure, or one beyond a limit that the original keeps."""
    if limit.value is None or limit.limit is None:
        return limit.limit is not None
    least = limit.name in (ALIKE, SMALL, READ)
    return limit.value < limit.limit - 1e-9 if least else limit.value > limit.limit + 1e-9


def first_line(facts: Facts, t: Language) -> str:
    """Return the verdict as it stands first: what is not met, or what was met and can be read."""
    limits = [each for each in facts.limits if each.grave or each.met]  # all of the table but decisions
    missed, count = facts.missed_limits, t.number(len(limits))
    read, of = facts.cells
    if missed:
        worst = missed[0]
        bound, reached = limit_figures(worst, t)
        head = t("NOT met: {k} of {n} limits.", k=t.number(len(missed)), n=count)
        asked = limit_words(worst, facts, t)
        what = t("{what} {bound}: reached {reached}.", what=asked, bound=bound, reached=reached)
        if reached == "–":
            what = t.sentence(worst.sentence) if worst.sentence else f"{t.join((asked, t('NOT met')), ':')}."
        return f"{head} {what} {_say_accepted(worst, facts, t)}"
    useful = facts.limit(READ)
    if useful is not None and not useful.met:
        head = t(
            "All {n} limits are met, but only {k} of the {of} numbers asked for can be read.",
            n=count,
            k=t.number(read),
            of=t.number(of),
        )
        if not of:
            head = t("All {n} limits are met, but no number that was asked for is as large as 50.", n=count)
        return f"{head} {_say_accepted(useful, facts, t)}"
    parts = [t("All {n} limits are met.", n=count)]
    if of:
        parts.append(t("{k} of the {of} numbers asked for can be read.", k=t.number(read), of=t.number(of)))
    if decided := sum(not each.met for each in facts.limits):
        parts.append(t("Decided by hand, in section 6: {n}.", n=t.number(decided)))
    return " ".join(parts)


def _say_accepted(limit: Limit, facts: Facts, t: Language) -> str:
    if limit.name == ASKED:
        return t("Accepted by: ..................")
    if not limit.accepted:
        return t("Nobody has accepted this.")
    if not facts.internal:
        return t("The custodian has accepted this.")
    return t("Accepted by {name}: {reason}.", name=facts.operator or "…", reason=limit.reason.rstrip("."))


def names(texts: Sequence[str], t: Language, most: int = 12) -> str:
    """Return names between commas, the empty one by a word; of more than one beyond `most`, how many."""
    most = count_to_name(len(texts), most)
    shown = ", ".join(isolated(t.value(each.strip() and each)) for each in texts[:most])
    rest = len(texts) - most
    return t.sentence(say("{names} and {n} more", names=shown, n=rest)) if rest > 0 else shown or "–"


def more_words(t: Language) -> Callable[[int], str]:
    """Return what says how many further rows there are, and where."""
    return lambda rest: t("Further rows, in the workbook (.xlsx) and in JSON: {n}.", n=t.number(rest))


def share_cell(value: float | None, t: Language, *, down: bool = False) -> Number | str:
    """Return cases of 100 as a cell."""
    return "–" if value is None else Number(t("{n} of 100", n=of_100(value, down=down)), value)


def whole(value: int | None, t: Language) -> Number | str:
    """Return a whole number as a cell."""
    return "–" if value is None else Number(t.number(value), value)


def cell_name(cell: Cell, t: Language) -> str:
    """Return what a cell counts."""
    values = cell.line if cell.value == "mean" else (cell.value, *cell.line)
    return ", ".join(isolated(t.value(each)) for each in values)


def cell_figures(cell: Cell, t: Language) -> tuple[Number | str, ...]:
    """Return the true number and the ends of the range; those of a count in whole rows, rounded against us."""
    mean = cell.value == "mean"
    digits = 1 if mean and cell.high < 20 else 0
    low, high = (cell.low, cell.high) if mean else (math.floor(cell.low + 1e-9), math.ceil(cell.high - 1e-9))
    return tuple(Number(t.number(each, digits), each) for each in (cell.true, low, high))


def cell_words(cell: Cell, t: Language) -> str:
    """Return a cell: what it counts, the true number where it is told, and what the recipient reads."""
    what, (true, low, high) = cell_name(cell, t), map(cell_text, cell_figures(cell, t))
    if cell.true is None:
        return t("{what}: reads {low} to {high}", what=what, low=low, high=high)
    return t("{what}: {true}, reads {low} to {high}", what=what, true=true, low=low, high=high)
