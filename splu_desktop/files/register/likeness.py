"""Whether two tables hold the same records, from keyed hashes of one of them alone, whatever was done in between.

Rows are counted over many sets of columns: all of them, the unchanged ones, all but one, some thirds drawn by the key,
and single ones. So a release is recognised when columns changed their role, were added or dropped, or when records
were added or removed. For a sample of the different rows ("cells") one keyed hash of row and count is kept: nobody
without key and table can read either, and one record more moves one hash. Who has the other table and the key finds
each count again by trying those near its own.

The same records are too much alike for chance. Of n records that two disjoint tables of the same kind have in a cell
together, the other table holds Binomial(n, p) with p = its share of all records, so the sum of (c - np)^2 / np(1 - p)
over the cells would be about their number; of the same records it is near 0. Chernoff's bound says how improbable that
is; clusters (a person's many rows) make chance sums larger, never smaller.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.rowkeys import Keys
from splu_desktop.core.table import Column, Table, pieces
from splu_desktop.files.register.hashes import derived, siphash_words
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]
Sums = NDArray[np.uint32]
Names = tuple[str, ...]

CHANCE = 1e-8  # a chance likeness is called the same records at most this often, per comparison of one set of columns
_KEPT, _KEPT_SMALL = 2_048, 512  # cells kept of all columns together, and of any other set
_DENSE = 128  # fewer sampled cells than this: the rows are so coarse that all of them are counted
_THIRDS, _MOST_LEFT_OUT = 8, 30
_LEAST_LABELS = 3
_AT_ONCE = 1 << 14  # records, so that all columns' hashes of a piece stay in the processor's own memory
_CANDIDATES = 30_000  # counts tried per set of columns
_STAGE = "Recognising the source"


@dataclass(frozen=True, eq=False)
class Cells:
    """The sampled rows of a table over some columns.

    Attributes
    ----------
    keys : sorted (C,) 32-bit row sums, those below 2^(32 - rate).
    counts : (C,) records of each.
    """

    keys: Sums
    counts: Ints


@dataclass(frozen=True, eq=False)
class Likeness:
    """What is kept of a table.

    Attributes
    ----------
    records : of the table.
    columns : names of the columns, to which `sets` refer by number.
    sets : for each set of columns: their numbers, the sampling rate (cells below 2^(32 - rate)), cells kept, and how
        many of these have one record.
    tokens : the keyed hashes of all sets, one after the other, each sorted.
    """

    records: int
    columns: Names
    sets: tuple[tuple[tuple[int, ...], int, int, int], ...]
    tokens: Keys

    def as_bytes(self) -> bytes:
        """Return the tokens as bytes, for a file."""
        return self.tokens.astype("<u8").tobytes()

    def facts(self) -> dict[str, Any]:
        """Return all but the tokens as plain data, with the hash of their bytes."""
        return {
            "records": self.records,
            "columns": list(self.columns),
            "sets": [[list(at), rate, cells, once] for at, rate, cells, once in self.sets],
            "sha256": hashlib.sha256(self.as_bytes()).hexdigest(),
        }


def likeness_from(facts: Mapping[str, Any], raw: bytes) -> Likeness:
    """Return what `facts` and `as_bytes` gave. Raises KeyError, TypeError or ValueError on other data."""
    if hashlib.sha256(raw).hexdigest() != facts["sha256"]:
        raise ValueError("not these hashes")
    sets = tuple((tuple(map(int, at)), int(rate), int(cells), int(once)) for at, rate, cells, once in facts["sets"])
    columns = tuple(map(str, facts["columns"]))
    if any(not 0 <= at < len(columns) for numbers, *_ in sets for at in numbers):
        raise ValueError("no such column")
    return Likeness(int(facts["records"]), columns, sets, np.frombuffer(raw, "<u8"))


class SketchedRows:
    """The rows of a table, counted over any of its columns.

    Parameters
    ----------
    table : the source before generalisation.
    bits : keyed 64-bit hashes of the labels of each column.
    key : the register's. Columns that number the records, or nearly, have sketches of their own and no part in this.
    """

    def __init__(self, table: Table, bits: Mapping[str, Keys], key: bytes, *, progress: Progress = SILENT) -> None:
        self._table, self._key, self._progress = table, key, progress
        self.names: Names = tuple(c.name for c in table.columns if c.m <= max(table.n / 2, 1))
        # Half of the bits is enough to tell sampled rows apart, and is summed twice as fast.
        self._bits = {name: _upper(_by_value(table[name], bits[name], key)) for name in self.names}
        self._known: dict[tuple[Names, int], Cells] = {}
        self._groups: tuple[Ints, Ints] | None = None  # of a coarse table: one record of each row, records of each

    def likeness(self, nsas: Sequence[str]) -> Likeness:
        """Return what is to be kept. Raises Cancelled."""
        rate = max(0, math.ceil(math.log2(self._table.n / _KEPT)))
        small = max(0, math.ceil(math.log2(self._table.n / _KEPT_SMALL)))
        wanted = [(names, rate if at == 0 else small) for at, names in enumerate(self._sets(nsas))]
        if wanted and rate and len(self.cells(wanted)[wanted[0]].keys) < _DENSE:
            everything = self._count([(names, 0) for names, _ in wanted])
            wanted = [
                (names, _rate_of(len(everything[names, 0].keys), at == 0)) for at, (names, _) in enumerate(wanted)
            ]
        for name in self.names:
            if self._table[name].m >= _LEAST_LABELS:
                wanted.append(((name,), _rate_of(self._table[name].m, False)))
        found = self.cells(wanted)
        place = {name: at for at, name in enumerate(self.names)}
        sets = tuple(
            (tuple(place[x] for x in names), rate, len(cells.keys), int(np.count_nonzero(cells.counts == 1)))
            for (names, rate), cells in found.items()
        )
        of_all = self._tokens(
            np.concatenate([np.empty(0, np.uint32), *(cells.keys for cells in found.values())]),
            np.concatenate([np.empty(0, np.int64), *(cells.counts for cells in found.values())]),
        )
        ends = np.cumsum([cells for _, _, cells, _ in sets])[:-1]
        tokens = [np.sort(part) for part in np.split(of_all, ends)] if sets else [of_all]
        return Likeness(self._table.n, self.names, sets, np.concatenate(tokens))

    def cells(self, wanted: Iterable[tuple[Names, int]]) -> dict[tuple[Names, int], Cells]:
        """Return the sampled rows over sets of columns, each with its rate. Raises Cancelled."""
        asked = dict.fromkeys(wanted)
        fresh = [each for each in asked if each not in self._known]
        if fresh:
            self._known |= self._count(fresh)
        return {each: self._known[each] for each in asked}

    def chance(self, theirs: Likeness) -> tuple[float, float] | None:
        """Return how improbable it is that the records of two tables are that much alike by chance, and how many of
        the smaller table's are the same, about; None where they are no more alike than chance makes them.
        """
        start, found = 0, []
        shared = set(self.names)
        compared: list[tuple[Names, int, Keys, int]] = []
        for at, rate, cells, once in theirs.sets:
            names = tuple(theirs.columns[i] for i in at)
            if shared.issuperset(names):
                compared.append((names, rate, theirs.tokens[start : start + cells], once))
            start += cells
        ours = self.cells((names, rate) for names, rate, _, _ in compared)
        single: list[tuple[float, float]] = []
        for names, rate, tokens, once in compared:
            self._progress.report(_STAGE, 0.9)
            log_chance, share = self._compare(ours[names, rate], tokens, once, theirs.records, rate)
            if len(names) == 1:
                single.append((log_chance, share))
            elif log_chance < math.log(CHANCE):
                found.append((log_chance, share))
        # A column can be balanced on purpose (as many men as women): alone it shows nothing unless most others agree.
        if not found and single and float(np.median([share for _, share in single])) >= 0.5:
            found = [each for each in single if each[0] < math.log(CHANCE)]
        if not found:
            return None
        log_chance, share = min(found)
        return math.exp(max(log_chance, -700.0)), share

    def _sets(self, nsas: Sequence[str]) -> list[Names]:
        sets = [self.names, tuple(name for name in self.names if name in nsas)]
        if len(self.names) <= _MOST_LEFT_OUT:
            sets += [tuple(name for name in self.names if name != left) for left in self.names]
        for number in range(_THIRDS):
            digests = (
                (name, hmac.digest(self._key, f"third {number} {name}".encode("utf-8", "surrogatepass"), "sha256"))
                for name in self.names
            )
            sets.append(tuple(name for name, digest in digests if digest[0] % 3 == 0))
        return list(dict.fromkeys(names for names in sets if len(names) > 1))

    def _tokens(self, keys: Sums, counts: Ints) -> Keys:
        return siphash_words([keys.astype(np.uint64), counts.astype(np.uint64)], derived(self._key, "cells"))

    def _count(self, wanted: Sequence[tuple[Names, int]]) -> dict[tuple[Names, int], Cells]:
        found: dict[tuple[Names, int], Cells] = {}
        together: list[tuple[Names, int]] = []
        for names, rate in wanted:
            if len(names) == 1:
                column = self._table[names[0]]
                found[names, rate] = _merged(self._bits[names[0]], column.counts(), rate)
            else:
                together.append((names, rate))
        if not together:
            return found
        n = self._table.n
        if min(rate for _, rate in together) == 0 and n > 16 * _KEPT:
            at, weights = self._coarse()
        else:
            at, weights = None, None
        rows = n if at is None else len(at)
        codes = {name: self._table[name].codes for name in dict.fromkeys(x for names, _ in together for x in names)}
        if at is not None:
            codes = {name: of_column[at] for name, of_column in codes.items()}
        pieces: dict[tuple[Names, int], list[tuple[Sums, Ints | None]]] = {each: [] for each in together}
        for start in range(0, rows, _AT_ONCE):
            self._progress.report(_STAGE, start / rows)
            piece = slice(start, start + _AT_ONCE)
            taken = {name: np.take(self._bits[name], of_column[piece]) for name, of_column in codes.items()}
            total = _sum(list(taken.values()))
            for names, rate in together:
                left = [name for name in taken if name not in names] if 2 * len(names) > len(taken) else None
                if left is None:
                    sums = _sum([taken[name] for name in names])
                else:
                    sums = total
                    for name in left:
                        sums = sums - taken[name]
                kept = sums < _limit(rate) if rate else slice(None)
                pieces[names, rate].append((sums[kept], None if weights is None else weights[piece][kept]))
        for each, parts in pieces.items():
            keys = np.concatenate([part for part, _ in parts])
            heavy = None if weights is None else np.concatenate([w for _, w in parts if w is not None])
            found[each] = _merged(keys, heavy, 0)
        return found

    def _coarse(self) -> tuple[Ints, Ints]:
        """Return one record of each different row, and how many records each row has."""
        if self._groups is None:
            keys, at, weights = np.zeros(0, np.uint32), np.zeros(0, np.int64), np.zeros(0, np.int64)
            for part in pieces(self._table.n):
                sums = _sum([np.take(self._bits[name], self._table[name].codes[part]) for name in self.names])
                own, first, some = np.unique(sums, return_index=True, return_counts=True)
                keys, kept, of = np.unique(np.concatenate([keys, own]), return_index=True, return_inverse=True)
                at = np.concatenate([at, part.start + first])[kept]
                weights = np.bincount(of, np.concatenate([weights, some])).astype(np.int64)
            self._groups = at, weights
        return self._groups

    def _compare(self, ours: Cells, tokens: Keys, once: int, records: int, rate: int) -> tuple[float, float]:
        """Return ln of the chance of such likeness, and the share of common records, for one set of columns."""
        mine, theirs = self._counts_there(ours, tokens, records)
        if rate == 0 and len(mine):  # all cells add up to the table, so one of them tells nothing new
            largest = int(np.argmax(mine))
            mine, theirs = np.delete(mine, largest), np.delete(theirs, largest)
        p = records / (records + self._table.n)
        together = mine + theirs
        strays, expected, log_chance = _dispersion(together, theirs, p)
        share = max(0.0, 1 - strays / expected) if expected else 0.0
        return log_chance, share

    def _counts_there(self, ours: Cells, tokens: Keys, records: int) -> tuple[Ints, Ints]:
        """Return the counts of our cells and of the same cells in the other table, 0 where it is not found."""
        ratio = records / self._table.n
        mean = ours.counts * ratio
        half = np.ceil(5 * np.sqrt(mean * (1 + ratio))) + 2
        low, high = np.maximum(1, np.floor(mean - half)), np.ceil(mean + half)
        low, high = np.minimum(low, np.maximum(1, ours.counts - 2)), np.maximum(high, ours.counts + 2)
        width = (high - low + 1).astype(np.int64)
        # The cells stand in the order of their hashes: the first ones are a random choice of them.
        tried = max(1, int(np.searchsorted(np.cumsum(width), _CANDIDATES, side="right")))
        width, low, mine = width[:tried], low[:tried].astype(np.int64), ours.counts[:tried]
        cell = np.repeat(np.arange(len(mine)), width)
        counts = low[cell] + np.arange(len(cell)) - np.repeat(np.cumsum(width) - width, width)
        candidates = self._tokens(ours.keys[:tried][cell], counts)
        at = np.searchsorted(tokens, candidates)
        hit = np.zeros(len(cell), bool) if not len(tokens) else tokens[np.minimum(at, len(tokens) - 1)] == candidates
        theirs = np.zeros(len(mine), np.int64)
        theirs[cell[hit]] = counts[hit]
        return mine, theirs


def _dispersion(together: Ints, theirs: Ints, p: float) -> tuple[float, float, float]:
    """Return the sum of (c - np)^2 / np(1 - p) over the cells, its mean by chance, and ln Pr[as little by chance].

    By Chernoff's bound: ln Pr[X <= x] <= min over t of t x + sum ln E exp(-t (c - np)^2 / np(1 - p)), where c is
    Binomial(n, p) given c < n, since only cells of which we have a record ourselves are looked at.
    """
    if not len(together):
        return 0.0, 0.0, 0.0
    spread = together * p * (1 - p)
    strays = float(((theirs - together * p) ** 2 / spread).sum())
    steepness = np.concatenate(([0.0], np.geomspace(2**-6, 2**24, 61)))
    logs, expected = np.zeros(len(steepness)), 0.0
    for n, cells in zip(*(part.tolist() for part in np.unique(together, return_counts=True)), strict=True):
        variance = n * p * (1 - p)
        if n <= 300:
            k = np.arange(n)
            ways = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(n)])
            law = np.exp(ways + k * math.log(p) + (n - k) * math.log1p(-p))
            law /= law.sum()
            away = (k - n * p) ** 2 / variance
            expected += cells * float(law @ away)
            moment = law @ np.exp(-np.outer(away, steepness))
        else:
            expected += cells
            moment = np.minimum(1.0, 1 / np.sqrt(1 + 2 * steepness) + 1 / math.sqrt(2 * math.pi * variance))
        logs += cells * np.log(np.maximum(moment, 1e-300))
    return strays, expected, float(np.min(steepness * strays + logs))


def _rate_of(cells: int, whole: bool) -> int:
    return max(0, math.ceil(math.log2(max(1, cells) / (_KEPT if whole else _KEPT_SMALL))))


def _limit(rate: int) -> np.uint32:
    return np.uint32(1 << (32 - rate))


def _merged(keys: Sums, weights: Ints | None, rate: int) -> Cells:
    """Return the different ones of row sums, with their records."""
    if rate:
        kept = keys < _limit(rate)
        keys, weights = keys[kept], None if weights is None else weights[kept]
    if weights is None:
        found, counts = np.unique(keys, return_counts=True)
        return Cells(found, counts.astype(np.int64))
    found, place = np.unique(keys, return_inverse=True)
    counts = np.bincount(place, weights, minlength=len(found)).astype(np.int64)
    return Cells(found[counts > 0], counts[counts > 0])


def _upper(bits: Keys) -> Sums:
    return (bits >> np.uint64(32)).astype(np.uint32)


def _by_value(column: Column, bits: Keys, key: bytes) -> Keys:
    """Return the labels' hashes, those of numbers, dates and missing values by what they stand for, not by spelling."""
    found = bits.copy()
    of_column = derived(key, f"value {column.name}")
    if column.values is not None and column.values.dtype.kind == "M":
        moments = column.values.astype("datetime64[us]")
        known = ~np.isnat(moments)
        found[known] = siphash_words([moments[known].view(np.uint64)], of_column)
    elif column.values is not None:
        numbers = column.values.astype(np.float64) + 0.0  # -0 is 0
        known = np.isfinite(numbers)
        found[known] = siphash_words([numbers[known].view(np.uint64)], of_column)
    found[column.missing] = siphash_words([np.zeros(1, np.uint64)] * 2, of_column)[0]
    return found


def _sum(parts: Sequence[Sums]) -> Sums:
    """Return the sum without widening it, as `np.add.reduce` would."""
    found = parts[0].copy()
    for part in parts[1:]:
        found += part
    return found
