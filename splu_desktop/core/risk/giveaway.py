"""Unchanged columns that give a secret value away, alone, in pairs, or by their difference.

A new draw protects nothing where another column says the same as it is: a code beside a diagnosis, a laboratory value
that decides a test, two dates whose distance is the length of stay. The reader takes the cell of rows that agree with a
person in the unchanged column and claims the value that the *other* persons of the cell have. A claim is made where

- more than `SURE` of their rows have the value, and the odds are `LIFT` times those in the whole table or more;
- chance does not make it: n KL(K/n || pi) >= ln(T/`ALPHA`) for K of n rows and T cells, pi the value's share in the
  table (Hoeffding 1963, theorem 1: exp(-n KL) bounds the chance of each).

A value is given away where `SHARE` of its bearers are claimed and `SURE` of its claims are right. No record teaches the
claim that is made of its own person, so that columns with a value for nearly each row tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import count_keys, pair_keys
from splu_desktop.core.messages import quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk.association import few_labels
from splu_desktop.core.risk.certainty import secret_values
from splu_desktop.core.sanitise import DrawInput
from splu_desktop.core.table import Column, Table, unique

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]

SURE, LIFT, SHARE, ALPHA = 0.8, 4.0, 0.1, 0.01
_RUNS = (16, 64)  # rows of a run of neighbouring values
_MANY = 64  # values from which a column is cut into runs too
_PAIRED, _PAIR_LABELS = 6, 48  # columns that are crossed with each other, and labels of each
_SUBTRACTED = 6  # columns of numbers or dates whose differences are looked at
_LOOKED = 20_000  # rows on which pairs are looked for


@dataclass(frozen=True)
class Giveaway:
    """A secret value that unchanged columns tell.

    Attributes
    ----------
    columns : one or two unchanged columns, the one to leave out first.
    sensitive, value : what they tell.
    rows, bearers : persons (rows, where no column names persons) of whom it is told, of those who have it.
    """

    columns: tuple[str, ...]
    sensitive: str
    value: str
    rows: int
    bearers: int

    @property
    def sentence(self) -> str:
        """What is given away."""
        words = "“{value}” of “{sensitive}” follows from {columns} in {rows} of {bearers} cases."
        names, columns = {"value": self.value, "sensitive": self.sensitive}, quoted(self.columns)
        return say(words, columns=columns, rows=self.rows, bearers=self.bearers, **names)


def giveaways(prepared: DrawInput, plan: Plan) -> tuple[Giveaway, ...]:
    """Return what unchanged columns give away, that of most persons first.

    Pairs of columns are looked for on some persons of a large table; what they tell is counted on all.
    """
    table, owner = prepared.table, prepared.owner
    secrets = [_Secret(prepared, table[name], plan) for name in plan.sensitive]
    strength = np.zeros((len(secrets), len(plan.knowable)))
    for done, name in enumerate(plan.knowable):
        # As it goes out, to the letter: a spelling may tell.
        for cells in [_Cells(cut, owner) for cut in _cuts(table[name].written_column())]:
            for at, secret in enumerate(secrets):
                strength[at, done] = max(strength[at, done], secret.find((name,), cells))
    some = np.flatnonzero(owner % max(len(owner) // _LOOKED, 1) == 0)
    few = table.select((*plan.nsas, *plan.sensitive)).take(some)
    few_owner = np.unique(owner[some], return_inverse=True)[1]
    sample = replace(prepared, table=few, owner=few_owner)
    # Pairs of all columns would be thousands; what tells nothing alone seldom tells much beside another.
    best = [[plan.knowable[at] for at in np.argsort(-row)[:_PAIRED]] for row in strength]
    looked = [_Secret(sample, few[name], plan, secret) for name, secret in zip(plan.sensitive, secrets, strict=True)]
    pairs: dict[frozenset[str], tuple[str, str]] = {}  # which tell the same whichever column stands first
    for pair in (*_pair_differences(table, plan.nsas), *(two for each in best for two in combinations(each, 2))):
        pairs.setdefault(frozenset(pair), pair)
    for pair in pairs.values():
        for how in (_subtract, _cross):
            wanted = [at for at in range(len(secrets)) if how is _subtract or set(pair) <= set(best[at])]
            for cells in [_Cells(cut, few_owner) for cut in how(few, *pair)] if wanted else []:
                for at in wanted:
                    looked[at].find(pair, cells)
            # What the sample suspects is counted on all rows, so that the sentence's numbers are true.
            wanted = [at for at in wanted if looked[at].given_away.pop(pair, None) is not None]
            for cells in [_Cells(cut, owner) for cut in how(table, *pair)] if wanted else []:
                for at in wanted:
                    secrets[at].find(pair, cells)
    leaks = [each for secret in secrets for each in secret.giveaways()]
    return tuple(sorted(leaks, key=lambda each: -each.rows))


class _Cells:
    """Rows (N,) cut into cells, with the rows of each cell, some of none, and for each row a key of cell and person."""

    def __init__(self, cut: Ints, owner: Ints) -> None:
        self.of, self.rows = cut, np.bincount(cut)
        self.number = int(np.count_nonzero(self.rows))
        persons = int(owner.max(initial=-1)) + 1
        # Without it each row would vouch for its own person, and a column of one value per row would tell all.
        self.own = None if persons == len(owner) else cut * np.int64(persons) + owner


class _Secret:
    """A sensitive column, and of whom each of its values is told by which columns."""

    def __init__(self, prepared: DrawInput, column: Column, plan: Plan, whole: _Secret | None = None) -> None:
        self.column, self.value, self.owner = column, column.codes.astype(np.int64), prepared.owner
        self.persons = int(prepared.owner.max(initial=-1)) + 1
        self.secret = secret_values(column, plan)
        self.share = column.counts() / max(column.n, 1)
        self.given_away: dict[tuple[str, ...], NDArray[np.int64]] = {}
        self._single = np.zeros(column.m, np.int64)
        if whole is not None and whole._single.any():  # of some persons: what single columns tell of all is known
            self._single = whole._single * self.bearers // np.maximum(whole.bearers, 1)

    @cached_property
    def bearers(self) -> NDArray[np.int64]:
        """(m,) persons who have each value in some rows."""
        return self._persons_by_value(np.arange(self.column.n))

    def find(self, columns: tuple[str, ...], cells: _Cells) -> float:
        """Look what some columns tell, cut into cells; return the share of rows that the others of a cell guess.

        Two columns count for what none of them tells alone.
        """
        top, count = _commonest(cells, self.value, self.column.m)
        claims = self._claims(cells, top, count)
        if claims.any():  # else nobody's bearers need be counted
            enough = claims >= np.maximum(SHARE * self.bearers, 1)
            if len(columns) == 1:
                self._single = np.maximum(self._single, claims)
            else:
                # Else every pair with a telling column would be named as well.
                enough &= claims >= self._single + SHARE * self.bearers
            if enough.any():
                self.given_away[columns] = np.maximum(self.given_away.get(columns, 0), np.where(enough, claims, 0))
        return float(np.maximum(count - 1, 0).sum() / max(self.column.n, 1))

    def _claims(self, cells: _Cells, top: Ints, count: Ints) -> NDArray[np.int64]:
        """Return (m,) persons of whom each value is rightly claimed, 0 where too many claims are wrong."""
        likely = self.secret[top] & (2 * count > cells.rows) & (cells.rows > 2)
        if not likely.any():
            return np.zeros(self.column.m, np.int64)
        at = np.flatnonzero(likely.take(cells.of))
        cell = cells.of[at]
        has = self.value[at] == top[cell]
        # What the person's own rows say is taken out before the cell is asked about it.
        own_rows, own_has = np.ones(len(at)), has.astype(float)
        if cells.own is not None:
            _, pair = np.unique(cells.own[at], return_inverse=True)
            own_rows, own_has = np.bincount(pair)[pair].astype(float), np.bincount(pair, has)[pair]
        others, having = cells.rows[cell] - own_rows, count[cell] - own_has
        q, pi = having / np.maximum(others, 1), self.share[top[cell]]
        odds = pi / np.maximum(1 - pi, 1e-12)
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = np.where(q > 0, q * np.log(q / pi), 0) + np.where(q < 1, (1 - q) * np.log((1 - q) / (1 - pi)), 0)
            evidence = np.where(others > 0, others * surprise, 0)
        # Odds of a value that most have must grow by their square: 95 % is nothing where 90 % have it anyway.
        claimed = (q > SURE) & (others >= 2) & (q >= LIFT * np.maximum(odds, odds**2) * (1 - q))
        # So many cells are looked at that some would be pure by chance.
        claimed &= evidence >= np.log(max(cells.number, 1) / ALPHA)
        every = np.bincount(top[cell[claimed]], minlength=self.column.m)
        right = np.bincount(top[cell[claimed & has]], minlength=self.column.m)
        return np.where(right >= SURE * every, self._persons_by_value(at[claimed & has]), 0)

    def _persons_by_value(self, rows: Ints) -> NDArray[np.int64]:
        """Return (m,) persons who have each value in some rows."""
        if self.persons == len(self.value):
            return np.bincount(self.value[rows], minlength=self.column.m)
        pairs = unique(self.value[rows] * self.persons + self.owner[rows])
        return np.bincount(pairs // max(self.persons, 1), minlength=self.column.m)

    def giveaways(self) -> Iterator[Giveaway]:
        """Give for each columns the value that they tell of most persons, rare ones rather than what most have."""
        for columns, claims in self.given_away.items():
            at = int((claims * (1 - self.share)).argmax())
            value = str(self.column.labels[at])
            yield Giveaway(columns, self.column.name, value, int(claims[at]), int(self.bearers[at]))


def _commonest(cells: _Cells, value: Ints, m: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (C,) the commonest value of each cell, and how many of its rows have it."""
    known, counts = count_keys(pair_keys(cells.of, m, value), len(cells.rows) * m)
    cell, having = np.divmod(known, m)
    begins = np.flatnonzero(np.diff(cell, prepend=-1))
    # The largest of count and value as one number; of equal counts the value that stands first.
    largest = np.zeros(len(cells.rows), np.int64)
    largest[cell[begins]] = np.maximum.reduceat(counts * m + (m - 1 - having), begins)
    count, below = np.divmod(largest, m)
    return m - 1 - below, count


def _cuts(column: Column) -> Iterator[Ints]:
    """Give the cells of a column: its values, and runs of neighbouring ones where they are many."""
    # A value for nearly each row tells of nobody else.
    if 2 * column.m < column.n:
        yield column.codes
    counts = column.counts()
    # Its neighbours do: near numbers, codes that begin alike, and any value at all where others have none.
    if column.m > 2 and (column.m > _MANY or counts.min() < _RUNS[0]):
        yield from _runs(counts, column.codes, column.missing)


def _runs(counts: Ints, codes: Ints, apart: NDArray[np.bool_]) -> Iterator[Ints]:
    """Give cells of neighbouring labels (m,), unless each were a cell of its own; those `apart` begin one."""
    before = np.cumsum(counts) - counts
    runs = ((np.diff(before // rows, prepend=0) > 0) | apart for rows in _RUNS)
    yield from (np.cumsum(begins, dtype=np.int32).take(codes) for begins in runs if not begins[1:].all())


def _cross(table: Table, one: str, other: str) -> Iterator[Ints]:
    """Give the cells of two columns crossed, by few labels of each."""
    yield few_labels(table[one], _PAIR_LABELS) * _PAIR_LABELS + few_labels(table[other], _PAIR_LABELS)


def _pair_differences(table: Table, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give pairs of columns of dates, and of numbers, that are subtracted."""
    yield from combinations([name for name in names if _of_kind(table[name], "M")][:_SUBTRACTED], 2)
    numbers = [name for name in names if _of_kind(table[name], "f") and table[name].m > 2]
    yield from combinations(numbers[:_SUBTRACTED], 2)


def _subtract(table: Table, one: str, other: str) -> Iterator[Ints]:
    """Give the cells of two columns' difference, none where these are no numbers or dates."""
    if not any(_of_kind(table[one], kind) and _of_kind(table[other], kind) for kind in "Mf"):
        return
    apart = _numbers(table[one]) - _numbers(table[other])
    # 0.3 - 0.1 and 0.2 are one difference; all that is not known is one cell.
    rounded = np.where(np.isfinite(apart), np.round(apart, 6), np.inf)
    values, codes, counts = np.unique(rounded, return_inverse=True, return_counts=True)
    yield codes
    if len(values) > _MANY:
        yield from _runs(counts, codes, ~np.isfinite(values))


def _of_kind(column: Column, kind: str) -> bool:
    return column.values is not None and column.values.dtype.kind == kind and column.m > 1


def _numbers(column: Column) -> Floats:
    """Return (N,) numbers, or days, NaN where there is none."""
    assert column.values is not None
    values = column.values
    if values.dtype.kind == "M":
        days = values.astype("datetime64[D]").astype(np.int64).astype(float)
        values = np.where(np.isnat(values), np.nan, days)
    return np.where(column.missing, np.nan, values)[column.codes].astype(float)
