"""Cut points that medicine uses, for laboratory values and vital signs under common names.

They come from published criteria, never from the table, so they tell nothing of its records. A cut point begins the
interval above it. Units are told by where the median of a column lies; a column whose median lies in none of the spans
has an unknown unit and gets no clinical cut points. Limits of what is usual stand beside those of the criteria named.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from splu_desktop.core.generalise.intervals import Intervals, numbers_and_counts
from splu_desktop.core.generalise.step import CannotGeneralise
from splu_desktop.core.resources import own_files, read_toml, resource_path, unreadable
from splu_desktop.core.table import Column, unique
from splu_desktop.core.words import words_of


@dataclass(frozen=True)
class Measure:
    """A clinical measure in one unit.

    Attributes
    ----------
    name, unit, source : as people write them.
    cuts : rising cut points.
    medians : between which the median of a column in this unit lies, the upper one excluded.
    words : how columns that hold it are called.
    """

    name: str
    unit: str
    cuts: tuple[float, ...]
    medians: tuple[float, float]
    source: str
    words: tuple[str, ...]


@cache
def measures() -> tuple[Measure, ...]:
    """Return the measures of the user's own files, which go first, and of `resources/generalise`. Raises BadSetting."""
    every: list[Measure] = []
    for path in (*own_files("bands"), resource_path("generalise/measures.toml")):
        try:
            every += [_measure(entry) for entry in read_toml(path)["measure"]]
        except (KeyError, TypeError, ValueError):
            raise unreadable(path) from None
    return tuple(every)


def _measure(entry: dict[str, Any]) -> Measure:
    """Return a measure of a file, which may be anybody's. Raises TypeError, ValueError."""
    lists: dict[str, Any] = {name: tuple(each) for name, each in entry.items() if isinstance(each, list)}
    measure = Measure(**{**entry, **lists})
    low, high = measure.medians
    texts = (measure.name, measure.unit, measure.source, *measure.words)
    rising = measure.cuts and np.isfinite(measure.cuts).all() and all(np.diff(measure.cuts) > 0)
    if not (rising and low < high and all(isinstance(text, str) for text in texts)):
        raise ValueError(measure.name)
    return measure


@cache
def words_for_numbers(kind: str) -> frozenset[str]:
    """Return the words in names of columns of numbers that are of a kind: see `resources/generalise/words.toml`."""
    return frozenset(str(read_toml(resource_path("generalise/words.toml"))[kind]).split())


def measure_of(column: Column) -> Measure | None:
    """Return the clinical measure that a column of numbers holds, by its name and its median; None where none is known.

    The longest name that fits decides; where its unit stays unknown, no shorter one does.
    """
    words = words_of(column.name)
    runs = {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
    spelt = [("".join(words_of(word)), each) for each in measures() for word in each.words]
    known = [(len(run), each) for run, each in spelt if run in runs]
    if not known:
        return None
    longest = max(known, key=lambda each: each[0])[0]
    spared = {word for size, each in known if size == longest for name in each.words for word in words_of(name)}
    # A name of one or two letters is that of a measure only where it is all the name.
    if (words_for_numbers("beside") - spared).intersection(words) or (longest <= 2 and len("".join(words)) > longest):
        return None
    try:
        values, counts = numbers_and_counts(column)
    except CannotGeneralise:
        return None
    median = float(values[np.searchsorted(np.cumsum(counts), counts.sum() / 2)])
    fits = [each for size, each in known if size == longest and each.medians[0] <= median < each.medians[1]]
    return fits[0] if fits else None


def clinical(column: Column) -> Intervals:
    """Return intervals at the cut points of the column's measure. Raises CannotGeneralise where it has none."""
    measure = measure_of(column)
    if measure is None or len(unique(np.searchsorted(measure.cuts, numbers_and_counts(column)[0], side="right"))) < 2:
        raise CannotGeneralise(
            "No clinical cut points part the numbers of column “{column}”; give cut points of your own.",
            column=column.name,
        )
    return Intervals(measure.cuts, clinical=f"{measure.name}, {measure.unit}: {measure.source}")
