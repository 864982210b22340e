"""Labels that are intervals of numbers, read back as such, so that a range may be asked of them.

A release names its intervals in words ("below 20", "20 to 39", "40 and more"; `generalise.intervals.interval_labels`),
and some tables come with their own ("[20-30)", "20-29", "80+").
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.table import Column, Flags, remember

_FEWEST = 3  # intervals, for words beside them
_MOST = 2_000  # intervals
# Texts, which `re` compiles where a column first asks, and keeps: a count of words starts without.
_NUMBER = r"([-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_DASH = r"\s*[-–]\s*"
_FROM_TO = rf"{_NUMBER}\s+to\s+{_NUMBER}|{_NUMBER}{_DASH}{_NUMBER}"
_TO_BELOW = rf"{_NUMBER}\s+to\s+below\s+{_NUMBER}|\[\s*{_NUMBER}\s*[-–,]\s*{_NUMBER}\s*\)"
_BELOW = rf"(?:below|under|<)\s*{_NUMBER}"
_FROM = rf"(?i){_NUMBER}\s*(?:(?:and|or)\s+(?:more|over|older|above)|\+)|(?:>=|≥)\s*{_NUMBER}"

Ends = NDArray[np.float64]


@remember
def interval_ends(column: Column) -> tuple[Ends, Ends] | None:
    """Return (m,) least number and (m,) the number it stays below, per label; None unless all with digits are such.

    Of whole numbers "20 to 39" stays below 40. Missing labels and words without digits get NaN. A column whose labels
    are plain numbers is none of intervals, nor is one of thousands of labels.
    """
    if column.m > _MOST:
        return None
    low, top = np.full(column.m, np.nan), np.full(column.m, np.nan)
    known = np.flatnonzero(~column.missing)
    digits = np.array([any(map(str.isdigit, str(column.labels[at]))) for at in known], bool)
    if digits.sum() >= _FEWEST:  # results in words ("neg") stand beside intervals as values of their own
        known = known[digits]
    wide = False
    for code in known[::-1]:  # a code that is no number mostly begins with a letter, and comes late
        ends = _ends(str(column.labels[code]))
        if ends is None or not ends[0] < ends[1]:
            return None
        low[code], top[code] = ends[:2]
        wide |= ends[2]
    order = known[np.argsort(low[known], kind="stable")]
    if not wide or (top[order][:-1] > low[order][1:]).any():
        return None
    return low, top


def whole_numbers(column: Column) -> bool:
    """Return whether a column of intervals is one of whole numbers: "20 to 39", not "20 to below 40"."""
    known = [str(label) for label in column.labels[~column.missing]]
    return any(re.fullmatch(_FROM_TO, text.strip()) and "." not in text for text in known)


def is_interval(text: str) -> bool:
    """Return whether a text names an interval of numbers."""
    ends = _ends(text)
    return ends is not None and ends[2]


def find_interval(column: Column, number: float) -> str | None:
    """Return the label of the interval that holds a number; None where none does or the column is none of intervals."""
    ends = interval_ends(column)
    if ends is None:
        return None
    places = np.flatnonzero((ends[0] <= number) & (number < ends[1]))
    return str(column.labels[places[0]]) if len(places) else None


def respelled_interval(column: Column, text: str) -> list[int]:
    """Return the code of the interval that a text writes in another way: [30,40) is “30 to 39”; none for no such."""
    ends, asked = interval_ends(column), _ends(text)
    if ends is None or asked is None or not asked[2]:
        return []
    return np.flatnonzero((ends[0] == asked[0]) & (ends[1] == asked[1])).tolist()


def _ends(text: str) -> tuple[float, float, bool] | None:
    """Return where a label begins, below what it stays, and whether it is more than a number."""
    text = text.strip()
    for pattern, way in ((_TO_BELOW, "below"), (_FROM_TO, "to"), (_BELOW, "under"), (_FROM, "from"), (_NUMBER, "one")):
        match = re.fullmatch(pattern, text)
        if match is None:
            continue
        texts = [part for part in match.groups() if part is not None]
        ends = [float(part.replace("−", "-")) for part in texts]
        whole = not any("." in part for part in texts)
        past = ends[-1] + 1 if whole else float(np.nextafter(ends[-1], np.inf))
        known = {"under": (-np.inf, ends[0]), "from": (ends[0], np.inf), "below": (ends[0], ends[-1])}
        return *known.get(way, (ends[0], past)), way != "one"
    return None


def inside(column: Column, ends: tuple[Ends, Ends], low: float | None, high: float | None) -> Flags:
    """Return (m,) the intervals that a range is made of. Raises BadQuestion where its ends cut through one.

    Both ends of a range belong to it; it must begin where an interval begins and end with the last number of one.
    """
    bottom, top = ends
    known = ~column.missing
    whole = bool(np.all(np.isinf(top[known]) | (top[known] == np.round(top[known]))))
    # 20..39 of whole numbers ends where the interval that stays below 40 does.
    ways = [] if high is None else [float(np.nextafter(high, np.inf))]
    if high is not None and whole:
        ways.insert(0, high + 1)
    stop = next((at for at in ways if (top[known] == at).any()), None)
    bad = high if ways and stop is None else None
    if low is not None and not (bottom[known] == low).any():
        bad = low
    if bad is not None:
        labels = column.labels[known][np.argsort(bottom[known], kind="stable")].tolist()
        listed = ", ".join(labels[:12]) + (", …" if len(labels) > 12 else "")
        raise BadQuestion(
            "“{column}” was published in intervals, and {end} is not where one of them begins or ends; choose among: "
            "{listed}.",
            column=column.name,
            end=f"{bad:g}",
            listed=listed,
        )
    chosen = known if low is None else known & (bottom >= low)
    return chosen if stop is None else chosen & (top <= stop)
