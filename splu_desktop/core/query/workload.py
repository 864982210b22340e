"""Counts asked at random, and how well a release answers them (journal section 6; mechanism.md section 4).

Only who holds the source can do this: the true counts are in it.

A question is a conjunction of one to three NSA conditions and one value (or set of values) of each SA asked. Values
drawn uniformly from their domains almost never give a large count, so half of the selections take the values that a
random record has, the other half take uniform ones; from all counts found, each band of true counts then gets its equal
share of the questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import DEFAULT, Condition, Method, Reader
from splu_desktop.core.query.selection import Selector
from splu_desktop.core.table import Table, unique
from splu_desktop.core.transition.two_numbers import Floats
from splu_desktop.frozen import dataclass

SMALL = 10  # the papers' largest small count
BANDS = ((0.0005, 0.002), (0.002, 0.005), (0.005, 0.01), (0.01, 0.02), (0.02, 0.05))  # of N, low end included
PROTECTED = 3  # counts up to this must stay wrong by more than WRONG
WRONG = 0.3
_MOST_SELECTIONS = 4_000
_PER_SELECTION = 4  # questions of one band taken from one selection, so that no selection rules a band
_SETS = (2, 3, 5)
_SET_TRIES = 12


@dataclass(frozen=True, eq=False)
class Workload:
    """Questions with their true counts.

    Attributes
    ----------
    questions : Q questions.
    truth : (Q,) true counts, at least 1.
    band : (Q,) number of the band, 0 for counts of 1 to 10, then `BANDS` in turn.
    n : records of the source.
    """

    questions: tuple[tuple[Condition, ...], ...]
    truth: NDArray[np.int64]
    band: NDArray[np.intp]
    n: int


@dataclass(frozen=True, eq=False)
class Measured:
    """How well one release, or several together, answered a workload.

    Attributes
    ----------
    names : the bands' names.
    queries : (6,) questions per band.
    errors : method -> (6,) mean of |estimate - truth| / truth; NaN for an empty band.
    coverage : (6,) share of 95 % intervals, of the default estimator where it is asked, that hold the truth.
    unsafe : method -> share of counts of 1 to 3 answered wrong by more than 30 %; NaN where there are none.
    small : questions with a true count of 1 to 3.
    """

    names: tuple[str, ...]
    queries: NDArray[np.int64]
    errors: dict[Method, Floats]
    coverage: Floats
    unsafe: dict[Method, float]
    small: int


def band_names() -> tuple[str, ...]:
    """Return the bands' names, for headers."""
    return (
        say("1 to {most} records", most=SMALL),
        *(say("{low:g} to {high:g} %", low=100 * low, high=100 * high) for low, high in BANDS),
    )


def bands_of(truth: NDArray[np.int64], n: int) -> NDArray[np.intp]:
    """Return (Q,) the band of each true count, -1 for none. Small counts come first where bands overlap."""
    band = np.full(len(truth), -1, np.intp)
    for number, (low, high) in enumerate(BANDS, 1):
        band[(truth >= low * n) & (truth < high * n)] = number
    band[(truth >= 1) & (truth <= SMALL)] = 0
    return band


def draw(
    table: Table,
    nsas: Sequence[str],
    sas: Sequence[str],
    *,
    size: int = 6_000,
    sets: bool = False,
    seed: int | None = None,
    progress: Progress = SILENT,
) -> Workload:
    """Draw questions about a source table.

    Parameters
    ----------
    nsas, sas : the columns to ask about; every question names a value, or with `sets` two to five values, of every SA.
    size : questions wanted; fewer come where a band has too few counts.
    seed : None for fresh questions; benchmarks fix it so that releases are asked alike.

    Raises
    ------
    BadQuestion : no column of one of the kinds is named.
    Cancelled.
    """
    if not nsas or not sas:
        raise BadQuestion("Random questions need an unchanged column and a sensitive one; publish a column unchanged.")
    chance = np.random.default_rng(seed)
    selector = Selector(table)
    quota = -(-size // (len(BANDS) + 1))
    questions: list[tuple[Condition, ...]] = []
    truth: list[int] = []
    left = np.full(len(BANDS) + 1, quota)
    seen: set[object] = set()
    for number in range(_MOST_SELECTIONS):
        if number % 20 == 0:
            progress.report("Drawing questions", 1 - float(left.sum()) / (quota * len(left)))
        if not left.any():
            break
        picked = _selection(table, nsas, chance, from_record=number % 2 == 0)
        if picked in seen:
            continue
        seen.add(picked)
        flags = [(name, (np.arange(table[name].m) == code).tobytes()) for name, code in picked]
        records = selector.records(flags)
        if records is None or not len(records):
            continue
        base = [Condition(name, (str(table[name].labels[code]),)) for name, code in picked]
        found = list(_sets(table, sas, records, chance) if sets else _values(table, sas, records))
        counts = np.array([count for _, count in found], np.int64)
        for at in _share(bands_of(counts, table.n), left, chance):
            chosen = found[at][0]
            asked = [
                Condition(sa, tuple(str(table[sa].labels[code]) for code in codes))
                for sa, codes in zip(sas, chosen, strict=True)
            ]
            questions.append((*base, *asked))
            truth.append(int(counts[at]))
    progress.report("Drawing questions", 1.0)
    true = np.array(truth, np.int64)
    return Workload(tuple(questions), true, bands_of(true, table.n), table.n)


def _selection(
    table: Table, nsas: Sequence[str], chance: np.random.Generator, *, from_record: bool
) -> tuple[tuple[str, int], ...]:
    count = int(chance.integers(1, min(3, len(nsas)) + 1))
    names = sorted(chance.choice(len(nsas), count, replace=False).tolist())
    record = int(chance.integers(table.n))
    return tuple(
        (nsas[at], int(table[nsas[at]].codes[record]) if from_record else int(chance.integers(table[nsas[at]].m)))
        for at in names
    )


def _values(table: Table, sas: Sequence[str], records: NDArray[np.intp]) -> Iterator[tuple[list[list[int]], int]]:
    """Give every combination of single values that occurs, with its count."""
    keys = np.zeros(len(records), np.int64)
    for sa in sas:
        keys = keys * table[sa].m + table[sa].codes[records]
    for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
        codes, rest = [], int(key)
        for sa in reversed(sas):
            rest, code = divmod(rest, table[sa].m)
            codes.append([code])
        yield codes[::-1], int(count)


def _sets(
    table: Table, sas: Sequence[str], records: NDArray[np.intp], chance: np.random.Generator
) -> Iterator[tuple[list[list[int]], int]]:
    """Give random sets of values with their counts: half of them of values as frequent as they come."""
    for _ in range(_SET_TRIES):
        meets = np.ones(len(records), bool)
        chosen = []
        for sa in sas:
            column = table[sa]
            size = min(int(chance.choice(_SETS)), column.m - 1)
            if chance.random() < 0.5:
                codes = unique(column.codes[chance.integers(0, table.n, size)]).astype(np.int64)
            else:
                codes = chance.choice(column.m, size, replace=False)
            meets &= np.isin(column.codes[records], codes)
            chosen.append(sorted(codes.tolist()))
        yield chosen, int(meets.sum())


def _share(band: NDArray[np.intp], left: NDArray[np.int64], chance: np.random.Generator) -> Iterator[int]:
    """Give some questions of each band that still has room, and note them."""
    for number in range(len(left)):
        at = np.flatnonzero(band == number)
        take = min(len(at), _PER_SELECTION, int(left[number]))
        if take:
            left[number] -= take
            yield from chance.choice(at, take, replace=False).tolist()


def measure(
    workload: Workload,
    releases: Sequence[Published],
    methods: Sequence[Method] = (),
    *,
    progress: Progress = SILENT,
) -> Measured:
    """Ask releases of one source a workload and average over them. Raises BadQuestion; Cancelled."""
    methods = methods or tuple(Method)
    truth, bands = workload.truth, len(BANDS) + 1
    small = truth <= PROTECTED
    gaps: dict[Method, list[Floats]] = {method: [] for method in methods}
    covered = []
    for number, published in enumerate(releases):
        reader = Reader(published)
        for method in methods:
            progress.report("Asking", number / len(releases))
            answers = reader.answers(workload.questions, method, vanished=True)
            gaps[method].append(np.abs(np.array([answer.estimate for answer in answers]) - truth) / truth)
            # An interval holds its estimate at least, so that of a wild estimator covers more than people will see.
            if method is (DEFAULT if DEFAULT in methods else methods[0]):
                covered.append([answer.low <= true <= answer.high for answer, true in zip(answers, truth, strict=True)])
    progress.report("Asking", 1.0)
    held = np.mean(np.array(covered, float), axis=0)

    def by_band(values: Floats) -> Floats:
        return np.array(
            [values[workload.band == at].mean() if (workload.band == at).any() else np.nan for at in range(bands)]
        )

    return Measured(
        names=band_names(),
        queries=np.bincount(workload.band, minlength=bands),
        errors={method: by_band(np.mean(gaps[method], axis=0)) for method in methods},
        coverage=by_band(held),
        unsafe={
            method: float(np.mean([(gap[small] > WRONG).mean() for gap in gaps[method]])) if small.any() else np.nan
            for method in methods
        },
        small=int(small.sum()),
    )
