"""Promises in words, one exact promise per sentence, fit to be copied into a mail.

Numbers are rounded in the safe direction only: a probability of protection down, an error that is promised to be
exceeded down, an error that is promised not to be exceeded up. No sentence promises 100 %.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from splu_desktop.core.guarantees import Number, checked_epsilon, checked_probability, t_f, t_p, t_p_reaches


def percent(share: Fraction, *, up: bool, digits: int = 4) -> str:
    """Return a share as per cent with at most `digits` significant digits, rounded up or down as asked: "2.5 %"."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    number = context.divide(Decimal(100 * share.numerator), Decimal(share.denominator))
    return f"{number.normalize(context):f} %"


def _subject(column: str | None) -> str:
    return "a value" if column is None else f"a value of “{column}”"


def _opening(gamma: int, releases: int) -> str:
    if releases == 1:
        return f"With gamma = {gamma}, "
    return f"With gamma = {gamma} and {releases} releases of the same records averaged, "


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
    who = f"{_subject(column)} shared by {alpha} records or fewer" if alpha > 1 else f"{_subject(column)} of one record"
    error = percent(exact, up=False)
    if probability <= 0:
        return f"{_opening(gamma, releases)}{who} can't be promised to be shown wrong by more than {error}."
    share = _safe_share(gamma, exact, alpha, probability, releases)
    return (
        f"{_opening(gamma, releases)}{who} is shown wrong by more than {error} with a probability of at least "
        f"{percent(share, up=False)}."
    )


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
    who = f"{_subject(column)} shared by {least:,} records or more" if least > 1 else f"any count of {_subject(column)}"
    return (
        f"{_opening(gamma, releases)}{who} is within {percent(exact, up=True)} of the truth in at least "
        f"{odds(1 - checked_probability(t_e))} releases."
    )


def odds(share: Fraction) -> str:
    """Return a probability as whole odds rounded down, "98 of 100", with as many noughts as its decimals need."""
    for whole in (100, 1000, 10_000, 100_000, 1_000_000):
        if (share * whole).denominator == 1 or whole == 1_000_000:
            break
    return f"{min(math.floor(share * whole), whole - 1):,} of {whole:,}"
