"""Sums and products of number columns that say a sensitive one: a total and its parts, an index of weight and height.

Least squares on all columns of numbers and dates at once, and on their logarithms, so that the number of columns costs
nothing: k columns take a k x k system. What is fitted is the sensitive column itself where it holds numbers (three
times over, each time without the half of the records that fits worst, so that some wrong ones don't spoil a formula
that holds of the others: Rousseeuw's least trimmed squares), and whether a record has each of its most frequent values.
Even records are judged by what odd ones taught and the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import Column, Kind, Table, remembered
from splu_desktop.frozen import dataclass

_RECORDS = 5_000  # that teach
_FULL = 0.8  # share of records that must have a number
_VALUES = 8  # of a sensitive column, each looked for by itself
_ROUNDS = 3
_TELLS = 0.15  # correlation of what a formula makes of a record with its having a value, at least
_DAY = re.compile(r"\d{7,8}|(\d{1,2})([./ -])(\d{1,2})\2(\d{4})|(\d{4})([./ -])(\d{1,2})\6(\d{1,2})")  # 0 may be lost
_TIME = re.compile(r"([01]?\d|2[0-4])[:hH]([0-5]\d)(?:[:mM]([0-5]\d))?|([01]\d|2[0-4])([0-5]\d)")
_MOST_TIMES = 86_400
_NONE = 1e-6  # of the deviation, that a formula which says all may leave unsaid

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Formula:
    """A sum, or a product, of columns.

    Attributes
    ----------
    product : which of them.
    value : label of the SA that is likelier the higher it is; None where it says the sensitive number itself.
    columns : their names.
    scores : (N,) what it makes of each record.
    """

    product: bool
    value: int | None
    columns: tuple[str, ...]
    scores: Floats


@dataclass(frozen=True, eq=False)
class Terms:
    """What formulas are made of: columns of numbers, or their logarithms where it is a product."""

    product: bool
    names: NDArray[np.object_]
    x: Floats

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> tuple[Terms, Terms]:
        """Return those of sums and of products of the number columns among `names`."""
        found_in = {name: as_numbers(table[name]) for name in names}
        numbers = {name: x[table[name].codes] for name, x in found_in.items() if x is not None}
        found = []
        for product in (False, True):
            every = {name: _logarithm(x) if product else x for name, x in numbers.items()}
            every = {name: x for name, x in every.items() if np.isfinite(x).mean() >= _FULL}
            x = np.column_stack([_whole(x) for x in every.values()]) if every else np.zeros((table.n, 0))
            found.append(cls(product, np.array(list(every), object), x))
        return found[0], found[1]

    def formula(self, column: Column, value: int | None) -> Formula | None:
        """Return what fits a number column, or whether its label is `value`, best; None where nothing can or does."""
        if not len(self.names):
            return None
        if value is not None:
            flag = (column.codes == value).astype(np.float64)
            if not self._hint(flag):
                return None
            used, scores = _fitted(self.x, flag, trimmed=False)
        else:
            numbers = as_numbers(column)
            if numbers is None:
                return None
            y = numbers[column.codes]
            y = _logarithm(y) if self.product else y
            if np.isfinite(y).mean() < _FULL:
                return None
            used, scores = _fitted(self.x, y, trimmed=True)
            scores = np.exp(np.minimum(scores, 700.0)) if self.product else scores
        return Formula(self.product, value, tuple(self.names[used].tolist()), scores)

    @cached_property
    def _taught(self) -> tuple[NDArray[np.intp], Floats]:
        """Records that teach, and an orthonormal basis of what sums make of them."""
        taught = _teaching(len(self.x))
        ones = np.column_stack([self.x[taught], np.ones(len(taught))])
        u, size, _ = np.linalg.svd(ones, full_matrices=False)
        return taught, np.asarray(u[:, size > 1e-9 * size.max(initial=0.0)])

    def _hint(self, flag: Floats) -> bool:
        """Whether any sum goes with (N,) flags at all: else none need be found."""
        taught, basis = self._taught
        y = flag[taught] - flag[taught].mean()
        return float(np.sum((y @ basis) ** 2)) >= _TELLS**2 * float(y @ y) > 0


def formulas(terms: Sequence[Terms], column: Column) -> Iterator[Formula]:
    """Yield the formulas that fit an SA, or one of its most frequent values."""
    frequent = np.argsort(-np.where(column.missing, 0, column.counts()), kind="stable")[:_VALUES]
    for each in terms:
        for value in (None, *frequent.tolist()):
            if (found := each.formula(column, value)) is not None:
                yield found


def as_numbers(column: Column, unit: str = "D") -> Floats | None:
    """Return (m,) what is added: dates in days or another `unit`, times of the day in days; None where nothing can be.

    Dates in digits alone are dates. NaN stands for no value of the column's kind.
    """
    values = column.values
    if (days := _digits_as_days(column)) is not None:
        return days
    if values is None:
        return _times(column)
    if values.dtype.kind != "M":
        return values.astype(float)
    return np.where(np.isnat(values), np.nan, values.astype(f"datetime64[{unit}]").astype(float))


@remembered
def _digits_as_days(column: Column) -> Floats | None:
    """Return days written as 31122023 or 31.12.2023, in days; None where one of the texts is none."""
    there = ~column.missing
    if column.kind not in (Kind.CATEGORY, Kind.INTEGER) or not there.any():
        return None
    texts = column.labels[np.flatnonzero(there)]
    found_digits = []
    for text in map(str, texts):
        match = _DAY.fullmatch(text)
        if match is None:
            return None
        parts = [part for part in match.groups() if part is not None and part.isdigit()]
        found_digits.append(int("".join(part.zfill(2) for part in parts) or text))
    digits = np.array(found_digits)
    day_first = (digits % 10**4, digits // 10**4 % 100, digits // 10**6)
    month_first = (day_first[0], day_first[2], day_first[1])
    for year, month, day in (day_first, month_first, (digits // 10**4, digits // 100 % 100, digits % 100)):
        if ((year >= 1880) & (year < 2100) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all():
            months = (12 * (year - 1970) + month - 1).astype("datetime64[M]")
            found = np.full(column.m, np.nan)
            found[there] = months.astype("datetime64[D]").astype(float) + day - 1
            return found
    return None


@remembered
def _times(column: Column) -> Floats | None:
    """Return the labels of a column of times of the day, such as 08:30, in days; None where one of them is none."""
    labels = column.labels
    if column.kind is not Kind.CATEGORY or column.m > _MOST_TIMES:
        return None
    found, bare, nought = np.full(column.m, np.nan), False, False
    for at in np.flatnonzero(~column.missing).tolist():
        match = _TIME.fullmatch(str(labels[at]).strip())
        if match is None:
            return None
        hour, minute, second = (int(part or 0) for part in (match[1] or match[4], match[2] or match[5], match[3]))
        found[at] = (3600 * hour + 60 * minute + second) / 86_400
        bare, nought = bare or match[4] is not None, nought or match[0][0] == "0"
    return None if bare and not nought else found  # 1215 may be a code; with 0815 beside it, it is a time


def _logarithm(x: Floats) -> Floats:
    return np.log(np.where(x > 0, x, np.nan))


def _whole(x: Floats) -> Floats:
    """Return numbers of mean 0 and deviation 1, 0 for those that lack."""
    there = np.isfinite(x)
    x = np.where(there, x - x[there].mean(), 0.0)
    return np.asarray(x / max(float(x.std()), 1e-300))


def _fitted(x: Floats, y: Floats, *, trimmed: bool) -> tuple[NDArray[np.intp], Floats]:
    """Return the columns of (N, k) numbers that explain (N,) y, and what each half makes of the other."""
    taught = _teaching(len(y))
    taught = taught[np.isfinite(y[taught])]
    used = _enough(x[taught], y[taught], trimmed=trimmed)
    scores = np.empty(len(y))
    for half in (0, 1):
        some = taught[taught % 2 != half]
        scores[half::2] = x[half::2, used] @ (by := _least_squares(x[some][:, used], y[some], trimmed=trimmed))[:-1]
        scores[half::2] += by[-1]
    return used, scores


def _teaching(n: int) -> NDArray[np.intp]:
    return np.arange(0, n, max(1, -(-n // _RECORDS)) | 1)  # an odd step: both halves teach


def _least_squares(x: Floats, y: Floats, *, trimmed: bool) -> Floats:
    """Return (k + 1,) coefficients, the last of the constant."""
    ones = np.column_stack([x, np.ones(len(y))])
    kept = np.ones(len(y), bool)
    for _ in range(1 + trimmed * _ROUNDS):
        by = np.linalg.lstsq(ones[kept].T @ ones[kept], ones[kept].T @ y[kept], rcond=1e-12)[0]
        off = np.abs(y - ones @ by)
        kept = off <= np.median(off)
    return np.asarray(by, np.float64)


def _enough(x: Floats, y: Floats, *, trimmed: bool) -> NDArray[np.intp]:
    """Return the fewest columns, those that move most first, that leave little more unsaid than all do."""
    by = _least_squares(x, y, trimmed=trimmed)
    order = np.argsort(-np.abs(by[:-1]), kind="stable")

    def unsaid(chosen: NDArray[np.intp]) -> float:
        own = _least_squares(x[:, chosen], y, trimmed=trimmed)
        off = np.abs(y - x[:, chosen] @ own[:-1] - own[-1])
        return float(np.median(off) if trimmed else np.sqrt(np.mean(off**2)))

    most = (1.05 if trimmed else 1.005) * unsaid(order) + _NONE * float(y.std())
    low, high = 1, len(order)
    while low < high:  # what is left falls as columns come in
        middle = (low + high) // 2
        low, high = (low, middle) if unsaid(order[:middle]) <= most else (middle + 1, high)
    return np.sort(order[:high])
