"""Columns published unchanged that give sensitive values away, by themselves or in pairs.

Re-drawing a column protects nothing while another one that says the same is published as it is: a diagnosis' name
beside its code, a laboratory value that decides a test's result. What counts is what an attacker gains per sensitive
value, not a share of all records, which a frequent value uses up.

The attacker knows a person's non-sensitive attribute (NSA), so the cell of records v that agree in it, and claims value
s where the cell's *other* records say so. With K of those n records having s, pi the share of s among all others:

- K/n >= `TELLING`, and with o the odds of pi the odds of K/n are at least `LIFT` max(o, o^2): he is sure, and wasn't
  before; of a value that fills half of the table or more he was, nearly, and gains little by being surer;
- n KL(K/n || pi) >= ln(T/`ALPHA`), T being the number of (cell, value) asked about. K is hypergeometric where the
  column has nothing to do with the sensitive one, so that exp(-n KL) bounds the chance of each claim (Hoeffding 1963,
  theorem 1 and section 6) and `ALPHA` the chance that any column or pair is named without a reason.

Each record is left out of what its own claim is learned from, so the right claims and the wrong ones are what the
attacker has out of sample: columns with a value of nearly every record's own don't count as telling. A value is told
where at least `SHARE` of its records are claimed and at least `TELLING` of its claims are right.

The cells are the column's values and, since numbers tell by their neighbourhood, runs of neighbouring values of
`_LEAST`, 4 `_LEAST`, ... records; texts stand in the order of their letters, so codes of one chapter are neighbours
too, and short ones that few records share are cut by one letter, counted from either end, numbers by one of their last
digits, texts by the words that many hold. Two columns are crossed by their values or runs, by runs so long that a pair
of them has `_LEAST` records on average, and, where both are dates, times or numbers, cut by their difference and their
sum: two dates tell the days between them. Texts of many values are cut by whether they say the same, however it is
spelled. Of more than `_CLOSELY` pairs only those are cut that explain most of a sensitive value at a first look at all
of them (`_promising`), so that hundreds of columns take a bounded time. Sums and products of any number of columns
(`formula`) are cut into runs as well, or, where they make the sensitive number itself, claim the nearest.
Values that stand for "no value" are not told: nothing is lost by them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, combinations, pairwise, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import distinct
from splu_desktop.core.messages import counted, listed, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.risk.formula import Formula, Terms, as_numbers, formulas
from splu_desktop.core.table import Codes, Column, Kind, Table, pieces, remembered, tallied, unique
from splu_desktop.core.words import unaccented
from splu_desktop.frozen import dataclass

_STAGE = "Looking for columns that tell the sensitive ones"
TELLING = 0.8  # certainty from which a value is told
LIFT = 4.0  # and by how much its odds exceed those before
SHARE = 0.1  # of a value's records, from which it is told
ALPHA = 0.01  # chance that anything is named in a table whose sensitive column has nothing to do with the others
_LEAST = 16  # records in the smallest run of neighbouring values
_PAIRED = 64  # ordered columns with more values are paired by runs, at most half as many
_MOST_PAIRED = 2_000  # values of a column of categories that is paired by them
_PAIR_RECORDS = 200_000  # looked at to find pairs; what they tell is counted among all
_COUNTED = 1 << 17  # pairs of cell and value that are counted in the processor's own memory; more are sorted
_MOST_COUNTED = 1 << 22  # that are counted where records are too many to be sorted at once
_SORTED = 1 << 22  # records at once, about
_CROSSINGS = 5  # ways to cut a pair
_CLOSELY = 2_000  # pairs that are cut, those of 63 columns; of more the ones that a first look finds
_LOOK_RECORDS, _LOOK_CELLS, _LOOK_VALUES = 20_000, 3_200, 64  # of that look: records, cells of all columns, values
_LOOKED_AT_ONCE = 4_096  # records
_CUT_RECORDS, _EDGED = 25_000, 10_000  # looked at to find other cuts of pairs, and where sums are cut
_SEEN = 200  # texts of a column that are looked for in another
_MOST_SPELLED, _END = 10_000, 6  # texts of which other spellings are looked for; signs at either end that may agree
_MOST_WORDS, _WORDED = 64, 3  # of texts, the most frequent ones; words of a text, on average, else it is a key or name
_PARTS, _THREE = re.compile(r"[a-z]+|\d+"), re.compile(r"\d{3}")
_DAYS = (Kind.DATE, Kind.DATETIME)
_LETTERS = 64  # different ones in one place, at most
_DIGITS = 3  # last ones of a number
_SHORT = 24  # characters of texts that are cut by one of them
_FORMULAS = 100  # and cuts of them, at most, of one SA
_PAIRS = 3  # named per sensitive column: each tells what the ones before don't

Ints = NDArray[np.int64]
_Ways = Mapping[str, tuple[Codes, int]]  # by which each column is paired: the cell of each label, and how many
_Met = tuple[int, Iterable[tuple[NDArray[Any], Ints]]]  # how many cells there may be, and what `_met` says of them


@dataclass(frozen=True)
class Giveaway:
    """One NSA, or a pair, that tells values of one SA.

    Attributes
    ----------
    columns : names of the NSAs, one, two or those of a formula.
    sensitive : name of the SA.
    value : the value told that means most, by records and by how much surer they become.
    told : records of `value` that are recognised.
    bearers : records of `value`.
    values : how many values are told in all.
    share : of the records that have a value, those of which it is told.
    """

    columns: tuple[str, ...]
    sensitive: str
    value: str
    told: int
    bearers: int
    values: int
    share: float

    @property
    def column(self) -> str:
        """The first of the columns."""
        return self.columns[0]

    @property
    def found(self) -> str:
        """What the columns tell, with counts."""
        more = counted(self.values - 1, "; so it is with 1 other value", "; so it is with {n} other values")
        return say(
            "{columns} gives “{sensitive}” away: it tells “{value}” in {told} of the {bearers} records "
            "that have it{more}."
            if len(self.columns) == 1
            else "{columns} together give “{sensitive}” away: they tell “{value}” in {told} of the {bearers} "
            "records that have it{more}.",
            columns=listed(say("“{name}”", name=name) for name in self.columns),
            sensitive=self.sensitive,
            value=self.value,
            told=self.told,
            bearers=self.bearers,
            more=more if self.values > 1 else "",
        )

    @property
    def sentence(self) -> str:
        """What it means and what to do."""
        return say(
            "{found} Published unchanged it undoes the protection of these; leave it out or group its values."
            if len(self.columns) == 1
            else "{found} Published unchanged they undo the protection of these; leave one out or group its values.",
            found=self.found,
        )


@dataclass(frozen=True, eq=False)
class Told:
    """What an attacker with one way of cutting the records into cells claims of each value of an SA.

    right, wrong : (m,) records of which the value is claimed rightly and wrongly, each by the other records.
    """

    right: Ints
    wrong: Ints

    def reached(self, column: Column) -> Ints:
        """Return (m,) the records of the values that are told, 0 for the others."""
        enough = (self.right >= SHARE * column.counts()) & (self.right >= TELLING * (self.right + self.wrong))
        return np.where(enough & ~column.missing, self.right, 0)


def giveaways(
    table: Table, names: Sequence[str], sensitive: Sequence[str], progress: Progress = SILENT
) -> tuple[Giveaway, ...]:
    """Return which of the NSAs `names`, and which pairs, give an SA away, single columns and the most telling first.

    Raises UnknownColumn; Cancelled.
    """
    if not table.n:
        return ()
    found: list[tuple[float, Giveaway]] = []
    cut = {name: tuple(cuts(table[name])) for name in names}
    asked = sum(len(ways) for ways in cut.values())
    known: dict[str, Ints] = {}
    for done, secret in enumerate(sensitive):
        column = table[secret]
        known[secret] = np.zeros(column.m, np.int64)
        for at, name in enumerate(names):
            progress.report(_STAGE, (done + at / len(names)) / len(sensitive) / 4)
            best = np.zeros(column.m, np.int64)
            for met in _all_met(table[name], column, cut[name]):
                best = np.maximum(best, _judged(met, column, 2 * asked).reached(column))
            if best.any():
                found.append(_told((name,), column, best))
                known[secret] = np.maximum(known[secret], best)
    found += _pairs(table, names, known, progress)
    found += _by_formulas(table, names, known, {(each.sensitive, each.columns) for _, each in found})
    return tuple(each for _, each in sorted(found, key=lambda pair: (len(pair[1].columns), -pair[0])))


def cuts(column: Column) -> Iterator[tuple[Codes, int]]:
    """Yield (m,) cell of each label and the number of cells: each label its own, and runs of neighbours, ever longer.

    What has no value of its kind (missing, text among numbers) stays by itself in all of them.
    """
    yield np.arange(column.m, dtype=np.int32), column.m
    yield from _characters(column)
    yield from _words(column)
    before = column.m
    size = _LEAST
    while 2 * size < column.n:
        cells, count = _runs(column, size)
        if count < 2:
            break
        if count < 0.7 * before:  # else hardly anything is put together
            yield cells, count
            before = count
        size *= 4


def _characters(column: Column) -> Iterator[tuple[Codes, int]]:
    """Yield the cells of short texts that few records share by one character, counted from either end: 4711-P, 12M05.

    Letters that stand in one place in all texts are often a code of their own, whatever stands before them; so are the
    last digits of a number, of which the first are told by its neighbours.
    """
    numbers = column.kind in (Kind.INTEGER, Kind.DECIMAL)
    if column.m * _LEAST < column.n or not (numbers or (column.values is None and column.kind is Kind.CATEGORY)):
        return
    texts = np.array([str(text)[: _SHORT + 1].encode("latin-1", "replace") for text in column.labels], f"S{_SHORT + 1}")
    length = np.char.str_len(texts)
    if np.count_nonzero(length <= _SHORT) < TELLING * column.m or column.missing.all():
        return
    letters = texts.view(np.uint8).reshape(column.m, -1)
    length[column.missing] = 0
    every = np.arange(column.m)
    ends = (False,) if numbers else (True, False) if np.ptp(length[~column.missing]) else (True,)
    for at, first in product(range(_DIGITS if numbers else _SHORT), ends):
        place = np.full(column.m, at) if first else length - 1 - at
        found = np.where((place >= 0) & (place < length), letters[every, place], 0)
        there = np.bincount(found, minlength=256) > 0
        if 1 < np.count_nonzero(there) <= _LETTERS:
            yield (np.cumsum(there, dtype=np.int32) - 1)[found].astype(np.int32), int(np.count_nonzero(there))


def _words(column: Column) -> Iterator[tuple[Codes, int]]:
    """Yield the cells of texts that few records share by whether they hold a word, of those that many hold."""
    some = [str(text) for text in column.labels[:: -(-column.m // _SEEN)]]
    several = sum(len(text.split()) for text in some) >= _WORDED * len(some)
    if column.values is not None or not several or not column.n <= column.m * _LEAST <= _MOST_SPELLED * _LEAST:
        return
    of = [set(filter(str.isalpha, _PARTS.findall(unaccented(str(text)).lower()))) for text in column.labels]
    held = Counter(chain.from_iterable(of))
    for word, number in held.most_common(_MOST_WORDS):
        if _LEAST <= number < column.m:
            yield np.fromiter((word in words for words in of), np.int32, column.m), 2


def _runs(column: Column, size: int) -> tuple[Codes, int]:
    """Return (m,) the cell of each label, runs of neighbouring labels of about `size` records, and their number."""
    counts = column.counts()
    own = column.missing.copy()
    if column.values is not None:
        own |= np.isnat(column.values) if column.values.dtype.kind == "M" else np.isnan(column.values)
    own |= counts >= size
    counts[own] = 0
    run = (np.cumsum(counts) - 1) // size  # of the labels that are put together
    step = np.flatnonzero(own)
    keys = np.where(own, 0, np.maximum(run, 0)) * (len(step) + 1) + np.searchsorted(step, np.arange(column.m))
    keys[step] = -1 - np.arange(len(step))  # a label by itself ends the run before it
    cells, firsts = distinct((keys - keys.min(initial=0)).view(np.uint64))
    return cells, len(firsts)


Cells = Callable[[slice], NDArray[Any]]  # of some records, in 0..count-1


def claims(cells: Cells, count: int, column: Column, asked: int) -> Told:
    """Return what an attacker who knows each record's cell claims of each value of the SA `column`.

    Parameters
    ----------
    cells, count : of the records, and how many there may be.
    asked : ways of cutting among which chance could choose, for the bound on false alarms.
    """
    return _judged((count, _met(cells, count, column)), column, asked)


def _judged(met: _Met, column: Column, asked: int) -> Told:
    """Return the same of the pairs of cells and values that there are, and how many cells there may be."""
    n, m = column.n, column.m
    count, found = met
    surprise = np.log(asked * float(count) * m / ALPHA)
    right, wrong = np.zeros(m, np.int64), np.zeros(m, np.int64)
    counts = column.counts()
    most = np.log(max(n - 1, 1) / np.maximum(counts - 1, 1)) + 1e-9  # what another record adds to a surprise, at most
    for pairs, k in found:
        cell = pairs // m
        cell -= cell.min(initial=count)
        size = np.bincount(cell, k).astype(np.int64)[cell]
        likely = np.flatnonzero((k >= TELLING * (size - 1)) & (size > 1))  # few, of which alone the rest is asked
        value = pairs[likely] % m
        enough = (size[likely] - 1) * most[value] >= surprise
        if not enough.any():
            continue
        k, size, value = k[likely[enough]], size[likely[enough]], value[enough]
        f = counts[value]
        np.add.at(right, value, np.where(_claimed(k - 1, size - 1, (f - 1) / max(n - 1, 1), surprise), k, 0))
        np.add.at(wrong, value, np.where(_claimed(k, size - 1, f / max(n - 1, 1), surprise), size - k, 0))
    return Told(right, wrong)


def _all_met(nsa: Column, column: Column, cuts: Sequence[tuple[Codes, int]]) -> Iterator[_Met]:
    """Yield what `_met` says of each cut of a column's labels: one pass over the records, where memory has room for it.

    The first cut has a cell for each label, so the other ones are sums of it.
    """
    m = column.m
    if nsa.m * m > max(_COUNTED, min(nsa.n, _MOST_COUNTED)):
        yield from ((count, _met(_of(labels, nsa.codes), count, column)) for labels, count in cuts)
        return
    found = list(_met(nsa.codes.__getitem__, nsa.m, column))
    yield nsa.m, found
    pairs, k = (np.concatenate(each) for each in zip(*found, strict=True))
    for labels, count in cuts[1:]:
        joint = np.bincount(labels[pairs // m].astype(np.int64) * m + pairs % m, k, count * m).astype(np.int64)
        held = np.flatnonzero(joint)
        yield count, [(held, joint[held])]


def _met(cells: Cells, count: int, column: Column) -> Iterator[tuple[NDArray[Any], Ints]]:
    """Yield which pairs of a cell and a value there are, as cell * m + value, and the records of each.

    All pairs of a cell come at once, and of so many cells that memory has room for their records.
    """
    n, m = column.n, column.m
    room = _COUNTED if n <= _SORTED else _MOST_COUNTED
    if n <= _SORTED:
        edges = np.array([0, count])
    elif count * m / room <= n / _SORTED:
        edges = unique(np.r_[: count : max(room // m, 1), count])
    else:
        ends = np.cumsum(tallied(count, map(cells, pieces(n))))
        edges = unique(np.r_[0, np.searchsorted(ends, np.arange(_SORTED, n, _SORTED)), count])
    for low, high in pairwise(edges.tolist()):

        def keys(part: slice, low: int = low, high: int = high) -> NDArray[Any]:
            of, values = cells(part), column.codes[part]
            if len(edges) > 2:
                among = (of >= low) & (of < high)
                of, values = of[among] - low, values[among]
            return _paired_codes(of, values, high - low, m)

        if (high - low) * m <= room:
            joint = tallied((high - low) * m, map(keys, pieces(n)))
            pairs: NDArray[Any] = np.flatnonzero(joint)
            yield pairs + low * m, joint[pairs]
        else:
            every = np.concatenate([keys(part) for part in pieces(n)])
            every.sort()
            at = np.flatnonzero(np.concatenate(([True], every[1:] != every[:-1], [True])))
            yield every[at[:-1]].astype(np.int64) + low * m, np.diff(at)


def _claimed(k: Ints, n: Ints, prior: NDArray[np.float64], surprise: float) -> NDArray[np.bool_]:
    """Return whether k of n other records, of all of which a share `prior` has the value, make a claim.

    Where k = n the record in question may be the only one without the value: k is cut to n, which claims no less.
    """
    k = np.minimum(k, n)
    c = k / n
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(k > 0, k * np.log(c / prior), 0.0)
        no = np.where(k < n, (n - k) * np.log((1 - c) / (1 - prior)), 0.0)
        odds = prior / (1 - prior)
        surer = c >= LIFT * odds * np.maximum(1, odds) * (1 - c)
    return (c >= TELLING) & surer & (c > prior) & (yes + no >= surprise)


def _told(columns: tuple[str, ...], secret: Column, reached: Ints) -> tuple[float, Giveaway]:
    """Return a giveaway and its weight: the records told, each by how much its odds rise, in logarithms."""
    f = secret.counts()
    weight = reached * np.log(np.maximum(secret.n - f, 0.5) / np.maximum(f, 0.5) * LIFT + 1)
    top = int(weight.argmax())
    values = int(np.count_nonzero(reached))
    return float(weight.sum()), Giveaway(
        columns,
        secret.name,
        str(secret.labels[top]),
        int(reached[top]),
        int(f[top]),
        values,
        float(reached.sum() / max(f[~secret.missing].sum(), 1)),
    )


def _pairs(
    table: Table, names: Sequence[str], known: dict[str, Ints], progress: Progress
) -> list[tuple[float, Giveaway]]:
    """Return the pairs that tell what single columns (`known`: records of each value of an SA that they tell) don't.

    What they tell is known then, too.
    """
    ways = {name: way for name in names if (way := _paired(table[name]))[1] > 1}
    pairs = list(combinations(ways, 2))
    share = {name: np.ceil(SHARE * table[name].counts()) for name in known}
    open_ones = [  # else what is left of each value is too little
        table[name]
        for name, told in known.items()
        if not (told + share[name] > table[name].counts())[~table[name].missing].all()
    ]
    asked = 2 * _CROSSINGS * len(pairs)
    if len(pairs) > _CLOSELY and open_ones:
        pairs = _promising(table, list(ways), open_ones, progress)
    candidates: dict[str, list[tuple[float, tuple[str, str]]]] = {secret.name: [] for secret in open_ones}
    for at, (a, b, reached) in enumerate(_screened(table, pairs, ways, open_ones, asked)):
        if at % 8 == 0:
            progress.report(_STAGE, 0.25 + 0.5 * at / len(pairs))
        for name, told in reached.items():
            more = told - known[name]
            if (more >= share[name]).any():
                candidates[name].append((float(np.maximum(more, 0).sum()), (a, b)))
    found: list[tuple[float, Giveaway]] = []
    for done, secret in enumerate(open_ones):
        here: list[tuple[float, Giveaway]] = []
        told_by = known[secret.name]
        for _, (a, b) in sorted(candidates[secret.name], key=lambda each: -each[0]):
            progress.report(_STAGE, 0.75 + 0.25 * done / len(open_ones))
            told = np.zeros(secret.m, np.int64)
            for cells, count in (_crossed(table[a], table[b], ways), *_cut(table[a], table[b], ways, _long_runs)):
                told = np.maximum(told, claims(cells, count, secret, asked).reached(secret))
            told[told < told_by + share[secret.name]] = 0
            if told.any():
                here.append(_told((a, b), secret, told))
                told_by = np.maximum(told_by, told)
            if len(here) == _PAIRS:
                break
        found += here
        known[secret.name] = told_by
    return found


def looked_closely(table: Table, names: Sequence[str]) -> str | None:
    """Return the sentence that says how many pairs of the NSAs `giveaways` looks at, None where it is all of them."""
    pairs = comb(sum(table[name].m > 1 for name in names), 2)
    if pairs <= _CLOSELY:
        return None
    return say(
        "Of the {pairs} pairs of columns that are published unchanged, at most {closely} were looked at closely: those "
        "that say most of a sensitive value at a first look at all of them.",
        pairs=pairs,
        closely=_CLOSELY,
    )


def _by_formulas(
    table: Table, names: Sequence[str], known: Mapping[str, Ints], named: Collection[tuple[str, tuple[str, ...]]] = ()
) -> list[tuple[float, Giveaway]]:
    """Return the sums and products of number columns that tell what single columns and pairs (`known`) don't.

    named : SAs and the columns that are named for them anyway.
    """
    found: list[tuple[float, Giveaway]] = []
    step = -(-table.n // _CUT_RECORDS)
    thin = {name: table[name].with_codes(table[name].codes[::step]) for name in (*names, *known)}
    terms = Terms.of(Table(tuple(thin[name] for name in names)), names) if names else ()
    for name, told in known.items():
        secret, some, share = table[name], thin[name], np.ceil(SHARE * table[name].counts())
        if (told + share > secret.counts())[~secret.missing].all():
            continue
        candidates = []
        for formula in formulas(terms, some):
            more = step * _said(formula, some) - told
            if (more >= share).any() and (name, formula.columns) not in named:
                candidates.append((float(np.maximum(more, 0).sum()), formula))
        for _, formula in sorted(candidates, key=lambda each: -each[0])[:_PAIRS]:
            # Looked for in a part of the records, counted in all.
            more = _said(formula, secret) if step == 1 else _said_of_pieces(formula, table, secret)
            more[more < told + share] = 0
            if more.any():
                found.append(_told(formula.columns, secret, more))
                told = np.maximum(told, more)
    return found


def _said(formula: Formula, secret: Column) -> Ints:
    """Return (m,) the records of each value of an SA that a formula tells, 0 for those that it does not."""
    order = np.sort(formula.scores)
    told = np.zeros(secret.m, np.int64)
    for size in (_LEAST, 16 * _LEAST):
        edges = unique(order[::size])
        cells = np.searchsorted(edges, formula.scores, side="right")
        told = np.maximum(told, claims(cells.__getitem__, len(edges) + 1, secret, _FORMULAS).reached(secret))
    return np.maximum(told, _nearest(formula, secret)) if formula.value is None else told


def _said_of_pieces(formula: Formula, table: Table, secret: Column) -> Ints:
    """Return the same of a formula's columns, fitted anew to each piece of a long table."""
    told = np.zeros(secret.m, np.int64)
    for piece in pieces(table.n):
        own = secret.with_codes(secret.codes[piece])
        others = Table(tuple(table[name].with_codes(table[name].codes[piece]) for name in formula.columns))
        again = Terms.of(others, formula.columns)[formula.product].formula(own, formula.value)
        if again is not None:
            told += _said(again, own)
    return told


def _nearest(formula: Formula, secret: Column) -> Ints:
    """Return (m,) the records of each value that are recognised by claiming the number nearest to the formula's.

    A number that few records have is told by few, so such values are judged together: by how many of all claims are
    right, where each were with the share of the value claimed.
    """
    numbers = as_numbers(secret)
    if numbers is None:
        return np.zeros(secret.m, np.int64)
    order = np.argsort(numbers, kind="stable")[: int(np.count_nonzero(~np.isnan(numbers)))]
    if len(order) < 2:
        return np.zeros(secret.m, np.int64)
    middles = (numbers[order[1:]] + numbers[order[:-1]]) / 2
    claimed = order[np.searchsorted(middles, formula.scores)]
    right = np.bincount(claimed[claimed == secret.codes], minlength=secret.m)
    every, prior = np.bincount(claimed, minlength=secret.m), secret.counts() / secret.n
    surprise = np.log(_FORMULAS * float(secret.m) / ALPHA)
    sure = _claimed(right, np.maximum(every, 1), prior, surprise)
    rare = every < _LEAST
    k, n = int(right[rare].sum()), int(every[rare].sum())
    if n:
        chance = np.array([float(every[rare] @ prior[rare]) / n])
        sure |= rare & bool(_claimed(np.array([k]), np.array([n]), chance, surprise)[0])
    return Told(np.where(sure, right, 0), np.where(sure, every - right, 0)).reached(secret)


def _screened(
    table: Table, pairs: Sequence[tuple[str, str]], ways: _Ways, secrets: Sequence[Column], asked: int
) -> Iterator[tuple[str, str, dict[str, Ints]]]:
    """Yield of each pair about how many records of each value of the SAs it tells, by the best way to cut it.

    From a part of the records, the cells of a pair made once for all SAs.
    """
    if not secrets:
        return
    some = slice(None, None, -(-table.n // _PAIR_RECORDS))
    cell = {name: np.take(labels, table[name].codes[some]) for name, (labels, _) in ways.items()}

    def crossed(a: Column, b: Column) -> Iterator[tuple[Cells, int]]:
        count, other = ways[a.name][1], ways[b.name][1]
        yield _both(cell[a.name].__getitem__, cell[b.name].__getitem__, count, other), count * other

    runs = cache(_long_runs)  # made once for all pairs of a column

    def cut(a: Column, b: Column) -> Iterator[tuple[Cells, int]]:
        return _cut(a, b, ways, runs)

    parts = []
    for most, cells_of in ((_PAIR_RECORDS, crossed), (_CUT_RECORDS, cut)):
        step = -(-table.n // most)
        thin = {name: table[name].with_codes(table[name].codes[::step]) for name in ways}
        parts.append((step, cells_of, thin, [secret.with_codes(secret.codes[::step]) for secret in secrets]))
    for a, b in pairs:
        reached = {secret.name: np.zeros(secret.m, np.int64) for secret in secrets}
        for step, cells_of, thin, thinned in parts:
            for cells, count in cells_of(thin[a], thin[b]):
                codes = cells(slice(None))
                for secret in thinned:
                    told = claims(codes.__getitem__, count, secret, asked).reached(secret)
                    reached[secret.name] = np.maximum(reached[secret.name], step * told)
        yield a, b, reached


def _promising(
    table: Table, names: Sequence[str], secrets: Sequence[Column], progress: Progress
) -> list[tuple[str, str]]:
    """Return `_CLOSELY` pairs of columns at most: for each value of the SAs as many, those that explain it best.

    With k of the n records in a cell having a value that f have in all, sum k^2/(n f) is how many of its bearers' own
    cell share it; a pair is worth what it has more of that than the better of its columns alone. Each column has a few
    runs of neighbouring values, and the k of all pairs are one product of matrices for each value.
    """
    some = slice(None, None, -(-table.n // _LOOK_RECORDS))
    most = min(max(_LOOK_CELLS // len(names), 2), 8)
    ways = [_coarse(table[name], most) for name in names]
    starts = np.cumsum([0, *(count for _, count in ways)])
    at = np.column_stack([
        np.take(labels, table[name].codes[some]) + start
        for name, (labels, _), start in zip(names, ways, starts[:-1], strict=True)
    ])  # fmt: skip
    size = int(starts[-1])

    def together(records: Ints) -> NDArray[np.float32]:
        """(size, size) how many of the records have both cells."""
        found = np.zeros((size, size), np.float32)
        for start in range(0, len(records), _LOOKED_AT_ONCE):
            part = at[records[start : start + _LOOKED_AT_ONCE]]
            cells = np.zeros((len(part), size), np.float32)
            np.put_along_axis(cells, part, 1, axis=1)
            found += cells.T @ cells
        return found

    every = 1 / np.maximum(together(np.arange(len(at))), 1)
    values: list[Ints] = []
    for secret in secrets:
        labels, count = _coarse(secret, _LOOK_VALUES)
        of = np.take(labels, secret.codes[some])
        there = ~np.take(secret.missing, secret.codes[some])
        values += [np.flatnonzero((of == value) & there) for value in range(count)]
    values = [records for records in values if len(records)]
    first, second = np.triu_indices(len(names), 1)
    best = np.zeros(len(first), bool)
    most = max(_CLOSELY // max(len(values), 1), 1)
    for done, records in enumerate(values):
        progress.report(_STAGE, 0.25 * (1 + done / len(values)))
        k = together(records)
        k *= k
        k *= every
        shared = np.add.reduceat(np.add.reduceat(k, starts[:-1], axis=0), starts[:-1], axis=1)
        alone = shared.diagonal()
        gain = shared[first, second] - np.maximum(alone[first], alone[second])
        best[np.argpartition(-gain, most)[:most]] = True
    return [(names[a], names[b]) for a, b in zip(first[best].tolist(), second[best].tolist(), strict=True)]


def _coarse(column: Column, most: int) -> tuple[Codes, int]:
    """Return about `most` cells of a column, its labels or runs of neighbours."""
    if column.m <= most:
        return np.arange(column.m, dtype=np.int32), column.m
    return _runs(column, -(-column.n // most))


def _paired(column: Column) -> tuple[Codes, int]:
    """Return the cells by which a column is paired."""
    if column.m <= _PAIRED or (column.values is None and column.m <= _MOST_PAIRED):
        return np.arange(column.m, dtype=np.int32), column.m
    return _runs(column, max(1, 2 * column.n // _PAIRED))


def _of(labels: Codes, codes: Codes) -> Cells:
    """Return the cells of records with (N,) codes, from those of the labels."""
    return lambda part: np.take(labels, codes[part])


def _crossed(a: Column, b: Column, ways: _Ways) -> tuple[Cells, int]:
    """Return the cells of a pair by its values or runs, and how many there may be."""
    (first, count), (second, other) = ways[a.name], ways[b.name]
    return _both(_of(first, a.codes), _of(second, b.codes), count, other), count * other


def _long_runs(column: Column) -> tuple[Codes, int]:
    """Return runs so long that a pair of them has `_LEAST` records on average."""
    return _runs(column, int(np.sqrt(_LEAST * column.n)))


def _cut(a: Column, b: Column, ways: _Ways, runs: Callable[[Column], tuple[Codes, int]]) -> Iterator[tuple[Cells, int]]:
    """Yield cells by which a pair is cut beside its own.

    Numbers, dates and times: long runs, difference, sum; texts of many values: whether they are the same.
    """
    x, y = as_numbers(a), as_numbers(b)
    if x is None or y is None:
        texts = a.values is None and b.values is None
        if a.m * b.m * _LEAST > a.n and (texts or (_numbered(a) and _numbered(b))):
            yield from _same(a, b)
        return
    (some, few), (more, least) = runs(a), runs(b)
    if few * least < 0.7 * ways[a.name][1] * ways[b.name][1]:
        yield _both(_of(some, a.codes), _of(more, b.codes), few, least), few * least
    if (a.kind in _DAYS) != (b.kind in _DAYS):
        return
    for sign in (-1, 1):
        yield _cut_by(x, sign * y, a.codes, b.codes)
    if a.kind is b.kind is Kind.DATETIME:  # hours between them as well as days
        first, second = as_numbers(a, "s"), as_numbers(b, "s")
        if first is not None and second is not None:
            yield _cut_by(first, -second, a.codes, b.codes)


def _same(a: Column, b: Column) -> Iterator[tuple[Cells, int]]:
    """Yield cells by whether two columns hold the same text, where many texts of one are texts of the other.

    In each of the ways in which one thing is written in two systems: see `_spelled`.
    """
    for (mine, _, _), (_, place, their) in zip(_spelled(a), _spelled(b), strict=False):
        some = [text for text in mine[:: -(-a.m // _SEEN)] if text]
        if not some or sum(text in place for text in some) < SHARE * len(some):
            continue
        of = np.array([place.get(text, -1) for text in mine], np.int64)
        of[a.missing | (of < 0)] = -1
        yield _alike(of, their, a.codes, b.codes), 2


@remembered
def _numbered(column: Column) -> bool:
    """Whether most labels are numbers, or hold one of three digits or more: no dates, which are no numbers."""
    some = [str(text) for text in column.labels[:: -(-column.m // _SEEN)]]
    return column.kind not in _DAYS and sum(_THREE.search(text) is not None for text in some) >= 0.5 * len(some)


def _alike(of: Ints, their: Ints, a: Codes, b: Codes) -> Cells:
    return lambda part: (of[a[part]] == their[b[part]]).astype(np.int32)


@remembered
def _spelled(column: Column) -> tuple[tuple[list[str], dict[str, int], Ints], ...]:
    """Return what labels say however they are spelled: words in any order and case; last number; first and last signs.

    Of each the labels' texts, "" for none, a number of each text, and the labels' numbers, -2 for none. Labels that are
    very many are keys of records, and stand as they are.
    """
    texts = list(map(str, column.labels))
    ways: list[list[str]] = [texts] if column.m > _MOST_SPELLED else [[], [], [], []]
    for text in texts if len(ways) > 1 else ():
        words = _PARTS.findall((text if text.isascii() else unaccented(text)).lower())
        plain = "".join(words) if len(words) != 1 else words[0]
        whole = " ".join(sorted(word.lstrip("0") for word in words)) if len(words) != 1 else plain.lstrip("0")
        number = next(filter(str.isdigit, reversed(words)), "").lstrip("0")
        long = len(plain) >= _END
        said = (whole, number if len(number) > 1 else "", plain[:_END] if long else "", plain[-_END:] if long else "")
        for way, each in zip(ways, said, strict=True):
            way.append(each)
    found = []
    for way in ways:
        place = dict(zip(way, range(len(way)), strict=True)) | {"": -2}
        found.append((way, place, np.fromiter(map(place.__getitem__, way), np.int64, len(way))))
    return tuple(found)


def _both(first: Cells, second: Cells, count: int, other: int) -> Cells:
    return lambda part: _paired_codes(first(part), second(part), count, other)


def _cut_by(x: NDArray[np.float64], y: NDArray[np.float64], a: Codes, b: Codes) -> tuple[Cells, int]:
    """Return cells of x + y: runs of `_LEAST` records or more, and a cell for records that lack either."""
    step = -(-len(a) // _EDGED)
    some = x[a[::step]] + y[b[::step]]
    some = np.sort(some[~np.isnan(some)])
    edges = np.append(unique(some[::_LEAST]), np.inf)  # what is no number is beyond
    if len(x) * len(y) < len(a):  # each sum is looked up once
        of = np.searchsorted(edges, np.add.outer(x, y).ravel(), side="right")
        return lambda part: of[_paired_codes(a[part], b[part], len(x), len(y))], len(edges) + 1
    return lambda part: np.searchsorted(edges, x[a[part]] + y[b[part]], side="right"), len(edges) + 1


def _paired_codes(first: NDArray[Any], second: NDArray[Any], count: int, other: int) -> NDArray[Any]:
    """Return (N,) a number of each pair of codes, of 0..count-1 and 0..other-1."""
    keys: NDArray[Any] = first.astype(np.int64 if count * other > np.iinfo(np.int32).max else np.int32)
    keys *= other
    keys += second
    return keys
