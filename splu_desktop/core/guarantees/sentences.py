"""Promises in words, one exact promise per sentence, fit to be copied into a mail.

Numbers are rounded in the safe direction only: a probability of protection down, an error that is promised to be
exceeded down, an error that is promised not to be exceeded up. No sentence promises 100 %.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from splu_desktop.core.guarantees import public_figures
from splu_desktop.core.guarantees.exact import Number, checked_epsilon, checked_probability, t_f, t_p, t_p_reaches
from splu_desktop.core.guarantees.planning import Recommendation, ValuePlan, ValueState
from splu_desktop.core.messages import Figure, counted, listed, say
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.thresholds import Thresholds


def percent(share: Fraction, *, up: bool, digits: int = 4) -> str:
    """Return a share as per cent with at most `digits` significant digits, rounded up or down as asked: "2.5 %"."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    number = context.divide(Decimal(100 * share.numerator), Decimal(share.denominator))
    return Figure(f"{number.normalize(context):f} %")


def _subject(column: str | None) -> str:
    return say("a value") if column is None else say("a value of “{column}”", column=column)


def _opening(gamma: int, releases: int) -> str:
    if releases == 1:
        return say("With gamma = {gamma}, ", gamma=gamma)
    return say(
        "With gamma = {gamma} and {releases} releases of the same records averaged, ", gamma=gamma, releases=releases
    )


def small_count_promise(
    gamma: int, epsilon: Number, alpha: int, *, column: str | None = None, releases: int = 1
) -> str:
    """Return the sentence that states T_P: how surely a small count is shown wrong.

    Parameters
    ----------
    column : name of the sensitive column, named in the sentence where given.
    releases : how many releases of the same records are averaged.
    """
    exact = checked_epsilon(epsilon)
    probability = t_p(gamma, exact, alpha, releases)
    who = (
        say("{subject} shared by {alpha} records or fewer", subject=_subject(column), alpha=alpha)
        if alpha > 1
        else say("{subject} of one record", subject=_subject(column))
    )
    error = percent(exact, up=False)
    if probability <= 0:
        return say(
            "{opening}{who} can't be promised to be shown wrong by more than {error}.",
            opening=_opening(gamma, releases),
            who=who,
            error=error,
        )
    share = _safe_share(gamma, exact, alpha, probability, releases)
    return say(
        "{opening}{who} is shown wrong by more than {error} with a probability of at least {share}.",
        opening=_opening(gamma, releases),
        who=who,
        error=error,
        share=percent(share, up=False),
    )


def unprotected(
    n: int, gamma: int, values: int, epsilon: Number, alpha: int, *, column: str | None = None
) -> str | None:
    """Return the sentence that public figures alone tell small counts, None where they do not (`public_figures`).

    n, values : records of the table, and values of its sensitive column.
    """
    if not public_figures.tell_small(n, gamma, values, checked_epsilon(epsilon), alpha):
        return None
    least, most = public_figures.of_plan(n, gamma, values)
    return say(
        "Small counts are not protected: {n} records, gamma = {gamma} and {values} values of {subject} leave each "
        "value {least} to {most} records, as anyone can work out.",
        n=n,
        gamma=gamma,
        values=values,
        subject=say("the column") if column is None else say("“{column}”", column=column),
        least=least,
        most=most,
    )


def relieved(known: str | None, relief: str | None = None) -> str | None:
    """Return a sentence of `unprotected` for the custodian, with what hinders it, which a recipient can't do."""
    if known is None:
        return None
    return listed((known, relief or say("Choose a smaller gamma.")), "{head} {tail}", "{head} {tail}")


def _safe_share(gamma: int, epsilon: Fraction, alpha: int, probability: float, releases: int) -> Fraction:
    """Return T_P rounded down to whole per cent (two digits below 1 %), exact where it lies on the edge; below 1."""
    unit = Fraction(1, 100) if probability >= 0.01 else Fraction(10) ** (math.floor(math.log10(probability)) - 1)
    steps = math.floor(probability * (1 + 1e-9) / float(unit))
    if not t_p_reaches(gamma, epsilon, alpha, steps * unit, releases):
        steps -= 1
    return min(steps * unit, Fraction(99, 100))


def large_count_promise(
    gamma: int, epsilon: Number, t_e: Number, *, column: str | None = None, releases: int = 1
) -> str:
    """Return the sentence that states T_f: from which count on, and how surely, a published count can be relied on."""
    exact = checked_epsilon(epsilon)
    least = t_f(gamma, exact, t_e, releases)
    who = (
        say("{subject} shared by {least} records or more", subject=_subject(column), least=least)
        if least > 1
        else say("any count of {subject}", subject=_subject(column))
    )
    return say(
        "{opening}{who} is within {error} of the truth in at least {odds}.",
        opening=_opening(gamma, releases),
        who=who,
        error=percent(exact, up=True),
        odds=odds(1 - checked_probability(t_e)),
    )


def odds(share: Fraction) -> str:
    """Return a probability as whole odds rounded down, "98 of 100 releases", with as many noughts as it needs."""
    for whole in (100, 1000, 10_000, 100_000, 1_000_000):
        if (share * whole).denominator == 1 or whole == 1_000_000:
            break
    return say("{part} of {whole} releases", part=min(math.floor(share * whole), whole - 1), whole=whole)


def value_promises(values: ValuePlan, *, column: str | None = None) -> list[str]:
    """Return the promises of one sensitive column at its gamma, then what they mean for its values, in sentences."""
    asked, gamma, k = values.thresholds, values.gamma, values.releases
    told = unprotected(values.n, gamma, int(np.count_nonzero(values.counts)), asked.epsilon, asked.alpha, column=column)
    said: list[str] = [
        relieved(told) or small_count_promise(gamma, asked.epsilon, asked.alpha, column=column, releases=k),
        large_count_promise(gamma, asked.epsilon, asked.t_e, column=column, releases=k),
    ]
    totals = values.totals
    safe, rest, known = (totals[state] for state in ValueState)
    said.append(
        say(
            "Of the {values} values, {first} ({first_records}) fall under the first promise, {second} "
            "({second_records}) under the second and {neither} ({other_records}) under neither.",
            values=len(values.counts),
            first=safe.values,
            first_records=_records(safe.records),
            second=known.values,
            second_records=_records(known.records),
            neither=rest.values,
            other_records=_records(rest.records),
        )
    )
    return said


def _records(number: int) -> str:
    return counted(number, "1 record", "{n} records")


def value_warnings(values: ValuePlan, *, column: str | None = None) -> list[str]:
    """Return what the thresholds fail to give at this gamma, by how much, and what would; empty where all is well."""
    asked, gamma, k = values.thresholds, values.gamma, values.releases
    said: list[str] = []
    if asked.t_p is not None and not t_p_reaches(gamma, asked.epsilon, asked.alpha, asked.t_p, k):
        said.append(
            say(
                "Gamma {gamma} shows small counts wrong with a probability of only {found}, {gap} short "
                "of the {wanted} asked for.",
                gamma=gamma,
                found=_down(values.t_p),
                gap=_gap(asked.t_p, values.t_p),
                wanted=_plain(asked.t_p),
            )
        )
    if values.t_f <= asked.alpha:
        said.append(
            say(
                "Within {error}, counts from {t_f} are already promised to be answered, so not all "
                "counts up to {alpha} are protected; choose a smaller epsilon.",
                error=percent(checked_epsilon(asked.epsilon), up=True),
                t_f=values.t_f,
                alpha=asked.alpha,
            )
        )
    most = int(values.counts.max())
    if values.t_f > most:
        enough = epsilon_that_answers(gamma, asked.t_e, most, k)
        remedy = (
            say("an epsilon of {enough:g} would promise the most frequent value", enough=enough)
            if enough is not None
            else say("no epsilon would promise even that one, so group values")
        )
        said.append(
            say(
                "No value of {column} is frequent enough to be answered: that takes {t_f} records, and "
                "the most frequent value has {most}; {remedy}.",
                column=_named(column),
                t_f=values.t_f,
                most=most,
                remedy=remedy,
            )
        )
    return said


def recommendation(found: Recommendation, thresholds: Thresholds, *, column: str | None = None) -> str:
    """Return the recommended gamma and why, or by how much the wish can't be met and which change would meet it."""
    wish = say(
        "the {wanted} asked for (counts up to {alpha}, error above {error})",
        wanted=_plain(found.wanted),
        alpha=thresholds.alpha,
        error=percent(checked_epsilon(thresholds.epsilon), up=False),
    )
    if found.gamma is not None:
        return say(
            "Gamma {gamma} is recommended for {column}: the smallest that meets {wish}, with a "
            "probability of {found}, and so the one that leaves the most signal.",
            gamma=found.gamma,
            column=_named(column),
            wish=wish,
            found=_down(found.t_p),
        )
    if found.told:
        return say(
            "No gamma protects small counts of {column} as asked: those that would are so large that its few values "
            "and records alone tell each count, as anyone can work out; have more records, or generalise the column.",
            column=_named(column),
        )
    if found.largest < 2:
        return say(
            "No gamma can protect {column} as it stands, since one value fills more than half of the "
            "records; divide that value into finer ones or choose another sensitive column.",
            column=_named(column),
        )
    ways: list[str] = []
    if found.needed is not None:
        ways.append(
            say(
                "gamma {needed} would, if no value filled more than 1/{needed} of the records (divide "
                "the most frequent values into finer ones)",
                needed=found.needed,
            )
        )
    if found.epsilon is not None:
        ways.append(say("an epsilon of {epsilon:g} would", epsilon=found.epsilon))
    if found.alpha is not None:
        ways.append(say("an alpha of {alpha} would", alpha=found.alpha))
    if not ways:
        ways.append(
            say(
                "no gamma comes above {most}, and neither a smaller epsilon nor a smaller alpha is "
                "enough, so ask for a lower probability",
                most=_plain(found.t_p_limit, up=True),
            )
        )
    return say(
        "The largest gamma that {column} allows, {largest}, gives a probability of {found}, {gap} "
        "short of {wish}: {ways}.",
        column=_named(column),
        largest=found.largest,
        found=_down(found.t_p),
        gap=_gap(found.wanted, found.t_p),
        wish=wish,
        ways=listed(ways, "{head}, or {tail}"),
    )


def epsilon_that_answers(gamma: int, t_e: Number, most: int, releases: int = 1) -> float | None:
    """Return the least epsilon in whole per cent at which T_f <= `most`; None where not even 1 is enough."""
    low, high = 1, 100
    if t_f(gamma, 1, t_e, releases) > most:
        return None
    while low < high:  # T_f may wobble by a tooth between neighbours; what is returned does hold
        middle = (low + high) // 2
        if t_f(gamma, Fraction(middle, 100), t_e, releases) <= most:
            high = middle
        else:
            low = middle + 1
    return high / 100


def _named(column: str | None) -> str:
    return say("the sensitive column") if column is None else say("“{column}”", column=column)


def _down(probability: float) -> str:
    return percent(as_fraction(probability), up=False, digits=3)


def _plain(probability: float, *, up: bool = False) -> str:
    return percent(as_fraction(probability), up=up, digits=6 if not up else 3)


def _gap(wanted: float, found: float) -> str:
    points = Figure(percent(as_fraction(wanted) - as_fraction(found), up=True, digits=2).removesuffix(" %"))
    return say("{points} percentage points", points=points)
