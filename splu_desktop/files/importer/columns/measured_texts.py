"""Numbers as laboratories write them: "<0.1", "> 200", "72 kg", "neg" among them.

A bound counts as a number just beyond it, so that it falls into the interval it tells of; results in words stay values
of their own beside the numbers. The texts themselves are kept as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import Phrase, say
from splu_desktop.files.importer.columns.missing import neutral
from splu_desktop.files.importer.columns.number_texts import LONGEST
from splu_desktop.files.importer.columns.words import AGES, RESULTS, pattern

_MOST = 50_000  # different texts up to which a column is looked at
_LOOK = 200  # of them that tell whether it is worth it
_MEASURED = pattern("measured")


@dataclass(frozen=True, eq=False)
class Quantities:
    """What m texts say as measured numbers.

    Attributes
    ----------
    bare : (m,) the numbers' texts without bounds and units; other texts as they are.
    side : (m,) -1 below, 1 above, 0 where the number is none of a bound.
    includes_bound : (m,) whether the bound itself is meant, too (≤, ≥).
    result : (m,) whether the text is a result in words.
    unit : what stands behind every number, or behind some of them; "" for nothing.
    """

    bare: list[str]
    side: NDArray[np.int8]
    includes_bound: NDArray[np.bool_]
    result: NDArray[np.bool_]
    unit: str

    def values(self, numbers: NDArray[np.float64], *, whole: bool) -> NDArray[np.float64]:
        """Return the (m,) numbers, those of bounds moved just beyond."""
        beyond = numbers + self.side if whole else np.nextafter(numbers, np.where(self.side < 0, -np.inf, np.inf))
        return np.where((self.side != 0) & ~self.includes_bound, beyond, numbers)

    def bounds(self, values: NDArray[np.float64]) -> dict[int, str]:
        """Return what each bound means, by the place of its text: it differs from its number's own meaning."""
        places = np.flatnonzero(self.side).tolist()
        return {at: f"{self.side[at]} {self.includes_bound[at]} {values[at]}" for at in places}

    def note(self, column: str, labels: Sequence[str]) -> Phrase:
        """Say how such a column is read."""
        odd = np.flatnonzero(self.side if self.side.any() else self.result)
        if len(odd):
            return say(
                "Column “{column}”: texts among numbers, such as “{text}”, stay as they are; one with a bound counts "
                "as a number just beyond it.",
                column=column,
                text=labels[int(odd[0])][:40],
            )
        words = "The numbers of “{column}” are in {unit}; those that say nothing were read as the same."
        return say(words, column=column, unit=self.unit)


def measure_texts(labels: Sequence[str], odd: NDArray[np.intp]) -> Quantities | None:
    """Return what a column's texts say as measured numbers; None where nothing but numbers, or no such numbers, stand.

    labels : (m,) texts.
    odd : places of those that are no plain number.

    All numbers with a unit must have the same one, and none may lack it unless a bound or a word tells, or it is years.
    """
    if not 0 < len(odd) <= _MOST:
        return None
    look = [labels[i] for i in odd[:: max(1, len(odd) // _LOOK)].tolist()]
    if not any(_parts(text) or _is_result(text) for text in look):
        return None
    bare = list(labels)
    side, touching = np.zeros(len(bare), np.int8), np.zeros(len(bare), bool)
    result = np.zeros(len(bare), bool)
    units: dict[str, str] = {}  # in small letters -> as first written
    without = len(bare) - len(odd)
    for i in odd.tolist():
        text = bare[i]
        if (parts := _parts(text)) is None:
            result[i] = _is_result(text) and not neutral(text)
            continue
        unit = parts["near"] or parts["apart"] or ""
        if unit:
            units.setdefault(unit.lower(), unit)
        elif not parts["bound"]:
            without += 1
        if parts["bound"]:
            side[i], touching[i] = -1 if parts["bound"][0] in "<≤＜≦" else 1, parts["bound"] not in "<>＜＞"
        bare[i] = unicodedata.normalize("NFKC", parts["number"]).strip() + ("%" if unit == "%" else "")
    units.pop("%", None)  # said by the numbers themselves
    if len(units) > 1 or (without and not AGES.issuperset(units)):
        return None  # grams beside kilograms are no numbers of one kind
    if not (side.any() or units or result.any()):
        return None
    return Quantities(bare, side, touching, result, next(iter(units.values()), ""))


def _parts(text: str) -> re.Match[str] | None:
    return _MEASURED.fullmatch(text) if len(text) <= LONGEST else None


def _is_result(text: str) -> bool:
    return "".join(text.split()).casefold() in RESULTS
