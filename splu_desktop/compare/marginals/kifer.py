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

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised, System
from splu_desktop.compare.generalise.diversity import recursive
from splu_desktop.compare.marginals.domain import Domain
from splu_desktop.compare.marginals.fit import KnownMarginal, combinatorial, fitted, gain
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress

_MARGINALS = 12  # pairs that are added to the columns' own
_LITTLE = 1e-4  # nats; what brings less is not published
_AT_ONCE = 4_000_000  # cells times selections
_C = 3.0


class MaximumEntropy(Sanitised):
    """Marginals, read by the distribution of largest entropy.

    cells : (cells,) its expected records.
    """

    def __init__(self, domain: Domain, marginals: Sequence[KnownMarginal], cells: Floats, k: int) -> None:
        self.source, self.domain, self.marginals, self.cells, self.k = domain.source, domain, marginals, cells, k

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

    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        # The sensitive column's counts are exact: all others' values taken away, one is left.
        return np.ones(len(records))

    def metrics(self) -> dict[str, float]:
        combined = combinatorial(self.marginals, len(self.domain.shape) - 1, self.source.m, self.k)
        pairs = float(len(self.marginals) - len(self.domain.shape))
        # 1 where they are k-combinatorially anonymous, 0 where not; nothing where their pairs make a circle.
        decided = {} if combined is None else {"k-combinatorial": float(combined)}
        return {"pairs": pairs, "KL divergence": self.divergence, **decided}

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


@dataclass(frozen=True)
class Marginals(System):
    """Marginals that are k-link anonymous, and (3, l)-diverse by the fit."""

    k: int
    l: int = 2  # noqa: E741 - the paper's name

    name = "marginals"
    title = say("Anonymised marginals")
    random = False
    points = (5, 50)
    span, whole = (2, 2_000), True
    setting_said = say("k = {k}, l = {l}")

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
        return MaximumEntropy(domain, chosen, cells, self.k)
