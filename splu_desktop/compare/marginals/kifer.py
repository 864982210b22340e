"""Anonymised marginals with a maximum-entropy fit (Kifer, Gehrke, Injecting utility into anonymized datasets, 2006).

Published: the counts of each column, rare labels together, and those of some pairs of columns, whose labels stand
together in ranges of about equally many records, as many as the domain allows. Read: the distribution F2 of largest
entropy that agrees with them. No pair tells of labels within ranges, so F2 is the fit over ranges times each column's
own shares within them, and x the sum over its cells of what meets the question.

- k-link anonymity (Definition 4.1): every combination of unchanged columns' ranges in a marginal has no record or k and
  more. For marginals that can be put together without a cycle it gives k-combinatorial anonymity (Definition 4.2): the
  most that a cell can hold is then the least of its entries (Dobra, Fienberg 2000).
- MaxEnt l-diversity (Definition 4.3): the values of every combination of ranges are (c, l)-diverse under F2, c = 3.
- Choice: the marginal is added next by which F2 comes nearest, at least KL of its true counts over the fitted ones,
  unless it breaks one of the two; pairs that are not k-linked are tried again with ranges merged in twos. KL divergence
  of the true table from F2, (1 / N) sum over records of ln(f(t) / (N F2(t))), is what remains.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Microdata, Sanitised, System
from splu_desktop.compare.generalise.diversity import recursive
from splu_desktop.compare.marginals.fit import KnownMarginal, fitted, gain
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass

_CELLS = 1 << 18  # of the domain that is fitted
_MOST_RANGES = 16  # of a column
_MARGINALS = 12  # pairs that are added to the columns' own
_LITTLE = 1e-4  # nats; what brings less is not published
_AT_ONCE = 4_000_000  # cells times selections
_C = 3.0


def ranges(counts: Ints, most: int, least: int) -> NDArray[np.intp]:
    """Return (m,) the range of each label, rising from 0 without gaps.

    At most `most` ranges, of about equally many records where labels are more, all of `least` records and more.
    """
    middle = (np.cumsum(counts) - counts / 2) / counts.sum()
    found = np.arange(len(counts)) if len(counts) <= most else np.minimum(middle * most, most - 1).astype(np.intp)
    number, inside = 0, 0
    merged = np.zeros(int(found.max()) + 1, np.intp)
    held = np.bincount(found, counts)
    for at, records in enumerate(held):
        merged[at] = number
        inside += records
        if inside >= least and held[at + 1 :].sum() >= least:
            number, inside = number + 1, 0
    return np.asarray(merged[found])


def within_ranges(counts: Ints, of: NDArray[np.intp], least: int) -> Floats:
    """Return (m,) the published share of each label in its range, rare ones sharing theirs evenly.

    The labels with fewer than `least` records count as one, together with the rarest others that bring them to it.
    """
    share = np.empty(len(counts))
    for number in range(int(of.max()) + 1):
        mine = np.flatnonzero(of == number)
        mine = mine[np.argsort(counts[mine], kind="stable")]
        own = counts[mine].astype(np.float64)
        rare = int((own < least).sum())
        if rare:
            rare = max(rare, int(np.searchsorted(np.cumsum(own), least)) + 1)
            own[:rare] = own[:rare].mean()
        share[mine] = own / own.sum()
    return share


class Domain:
    """The cells over which the distribution is fitted.

    Attributes
    ----------
    ranges : for each unchanged column (m_j,) the range of each label.
    shares : for each (m_j,) the published share of each label within its range.
    shape : numbers of ranges, and of values.
    counts : (cells,) true counts.
    """

    def __init__(self, source: TrueTable, k: int) -> None:
        self.source = source
        sizes = [column.m for column in source.columns]
        most = next(
            (
                each
                for each in range(_MOST_RANGES, 1, -1)
                if math.prod(min(size, each) for size in sizes) * source.m <= _CELLS
            ),
            None,
        )
        if most is None:
            raise Impossible(
                "{columns} columns and {values} values have more combinations than a distribution can be fitted "
                "to, even with two ranges per column.",
                columns=len(sizes),
                values=source.m,
            )
        counts = [column.counts() for column in source.columns]
        self.ranges = [ranges(each, most, k) for each in counts]
        self.shares = [within_ranges(each, of, k) for each, of in zip(counts, self.ranges, strict=True)]
        self.shape = (*(int(each.max()) + 1 for each in self.ranges), source.m)
        own = [each[column.codes] for each, column in zip(self.ranges, source.columns, strict=True)]
        self.of_record = np.ravel_multi_index((*own, source.sensitive.codes), self.shape)
        self.counts = np.bincount(self.of_record, minlength=math.prod(self.shape)).astype(np.float64)

    @cached_property
    def _places(self) -> list[NDArray[np.intp]]:
        return list(np.unravel_index(np.arange(math.prod(self.shape)), self.shape))

    def marginal(self, columns: tuple[int, ...], merged: int = 0) -> KnownMarginal:
        """Return the counts by some columns, their ranges merged by 2^merged; the sensitive one's values never are."""
        last = len(self.shape) - 1
        entry, others = np.zeros_like(self._places[0]), np.zeros_like(self._places[0])
        for column in columns:
            shift = 0 if column == last else merged
            size = ((self.shape[column] - 1) >> shift) + 1
            label = self._places[column] >> shift
            entry = entry * size + label
            if column != last:
                others = others * size + label
        number = int(entry.max()) + 1
        of_others = np.zeros(number, np.intp)
        of_others[entry] = others
        return KnownMarginal(columns, entry, np.bincount(entry, self.counts, number).astype(np.float64), of_others)

    def pairs(self, k: int) -> Iterator[KnownMarginal]:
        """Yield each pair of columns with the finest ranges with which it is k-linked."""
        last = len(self.shape) - 1
        for columns in itertools.combinations(range(len(self.shape)), 2):
            finest = max(self.shape[column] for column in columns if column != last)
            for merged in range(finest.bit_length()):
                marginal = self.marginal(columns, merged)
                if marginal.linked(k):
                    yield marginal
                    break


class MaximumEntropy(Sanitised):
    """Marginals, read by the distribution of largest entropy.

    cells : (cells,) its expected records.
    """

    def __init__(self, domain: Domain, marginals: Sequence[KnownMarginal], cells: Floats) -> None:
        self.source, self.domain, self.marginals, self.cells = domain.source, domain, marginals, cells

    def answer(self, questions: CountingQuestions) -> Answers:
        by_value = np.empty((questions.selections, self.source.m))
        step = max(_AT_ONCE // len(self.cells), 1)
        for start in range(0, questions.selections, step):
            part = slice(start, start + step)
            left = np.ones((len(by_value[part]), 1)) * self.cells
            for flags, of, share in zip(questions.flags, self.domain.ranges, self.domain.shares, strict=True):
                meets = (flags[part] * share) @ np.eye(int(of.max()) + 1)[of]
                left = np.einsum("pg,pgr->pr", meets, left.reshape(*meets.shape, -1))
            by_value[part] = left
        return Answers.without_intervals(questions.asked(by_value))

    @property
    def uniques(self) -> None:
        return None

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # The sensitive column's counts are exact: all others' values taken away, one is left.
        return np.ones(len(records))

    @property
    def divergence(self) -> float:
        """KL divergence of the true table, label by label, from the fitted distribution, nats."""
        source = self.source
        _, which, number = np.unique(
            np.column_stack([*(column.codes for column in source.columns), source.sensitive.codes]),
            axis=0,
            return_inverse=True,
            return_counts=True,
        )
        thought = self.cells[self.domain.of_record]
        for column, share in zip(source.columns, self.domain.shares, strict=True):
            thought = thought * share[column.codes]
        return float(np.log(number[which.ravel()] / thought).mean())

    def remarks(self, questions: CountingQuestions) -> tuple[str, ...]:
        return (
            say(
                "{count} pairs of columns are published beside the columns themselves; the distribution of largest "
                "entropy is {divergence} nats from the table (KL divergence).",
                count=len(self.marginals) - len(self.domain.shape),
                divergence=Figure(f"{self.divergence:.2f}"),
            ),
        )

    def microdata(self, chance: np.random.Generator) -> Microdata:
        ends = np.cumsum(self.cells)
        drawn = np.searchsorted(ends, chance.random(self.source.n) * ends[-1], "right")
        *own, values = np.unravel_index(np.minimum(drawn, len(ends) - 1), self.domain.shape)
        codes = []
        for label, share in zip(own, self.domain.shares, strict=True):
            # Each range fills a whole step, so that one search serves all.
            found = np.searchsorted(np.cumsum(share), label + chance.random(len(label)), "right")
            codes.append(np.minimum(found, len(share) - 1).astype(np.int32))
        return Microdata(tuple(codes), values.astype(np.int32))


@dataclass(frozen=True)
class Marginals(System):
    """Marginals that are k-link anonymous, and (3, l)-diverse by the fit."""

    k: int
    l: int = 2  # noqa: E741 - the paper's name

    name = "marginals"
    title = say("Anonymised marginals")
    words = say(
        "No rows are handed out, but cross-tables of two columns each, with ranges for entries; other counts are "
        "estimated as if nothing more linked the columns."
    )
    points = (5, 50)
    setting_said = say("k = {k}, l = {l}")
    promise_said = say(
        "No cross-table has a cell of the other columns with fewer than {k} persons, and by all of them together "
        "no value is nearly sure."
    )

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> MaximumEntropy:
        domain = Domain(source, self.k)
        shape = domain.shape

        def diverse(cells: Floats) -> bool:
            by_value = cells.reshape(-1, shape[-1])
            return bool(recursive(by_value[by_value.sum(axis=1) > 0], _C, self.l).all())

        chosen = [domain.marginal((column,)) for column in range(len(shape))]
        cells = fitted(np.full(math.prod(shape), source.n / math.prod(shape)), chosen)
        if source.n < self.k or cells is None or not diverse(cells):
            raise Impossible(
                "Not even all records in one class meet this condition, so no classes do: it asks too much here."
            )
        left = list(domain.pairs(self.k))
        while left and len(chosen) < len(shape) + _MARGINALS:
            progress.report(self.title, (len(chosen) - len(shape)) / _MARGINALS)
            gains = [gain(cells, marginal) for marginal in left]
            best = int(np.argmax(gains))
            if gains[best] < _LITTLE:
                break
            tried = [*chosen, left.pop(best)]
            more = fitted(cells, tried)
            if more is not None and diverse(more):
                chosen, cells = tried, more
        return MaximumEntropy(domain, chosen, cells)
