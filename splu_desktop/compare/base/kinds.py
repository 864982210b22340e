"""Kinds of systems, by what they publish and how it is read: rows with drawn values, answers with noise, groups."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, System
from splu_desktop.core.answer.counts import CountFigures, learn_spread
from splu_desktop.core.distinct import count_pairs
from splu_desktop.core.table import Column

_GRID = 1 << 12  # points that stand for a law without steps of its own
_IMPOSSIBLE = -1e3  # logarithm of the chance of what can't be


class UnbiasedDraw(System):
    """Rows with a drawn sensitive value, whose chances are known; what differs between systems is the draw alone.

    Read as the program reads its own releases: unbiased counts drawn towards what each condition by itself lets expect
    (mechanism.md section 4), target mu = N_P pi prod(lift of each single condition), the estimate mu + k (x - mu) with
    k = t mu^2 / (t mu^2 + V), cut to the interval of the roots of (x^ - x)^2 = 1.96^2 V(x).

    classes : (N,) the class of each record, within which it was drawn; all are in one where a draw knows none.
    drawn_values : (N,) drawn values, records in the source's order.
    published_shares : (m,) the share of each value as published, or worked back where the draw moves shares.
    has_bearer : whether a value that is shown has a bearer: who knows that nobody else has it knows the person's.
    spread : t.
    """

    classes: NDArray[np.integer]
    drawn_values: NDArray[np.int32]
    published_shares: Floats
    has_bearer = False
    spread: float

    @abstractmethod
    def count(self, questions: CountingQuestions) -> CountFigures:
        """Return (P, m) unbiased figures of every value in every selection."""

    def count_with_targets(self, questions: CountingQuestions) -> tuple[CountFigures, Floats]:
        """Return (Q,) figures and their targets mu; learns the spread t of single conditions on the way."""
        share, (singles, of), figures = self.published_shares, questions.singles, self.count(questions)
        alone, target = self.count(singles), singles.sizes[:, None] * share
        self.spread = learn_spread(alone.estimate.ravel(), alone.variance().ravel(), target.ravel())
        lift = alone.lifts(target, self.spread)
        mu = np.stack([share * (lift[which].prod(axis=0) if len(which) > 1 else 1.0) for which in of])
        total = mu.sum(axis=1, keepdims=True)
        mu = questions.sizes[:, None] * np.where(total > 0, mu / np.where(total > 0, total, 1), share)
        estimate, level, slope = map(questions.pick, (figures.estimate, figures.level, figures.slope))
        return CountFigures(estimate, level, slope), questions.pick(mu)

    @abstractmethod
    def transition(self, counts: Floats) -> Floats:
        """Return (m, m) T[v, u] = P(shown u | true v) in a class with (m,) such counts."""

    def count_by_class(self, codes: NDArray[np.integer]) -> Floats:
        """Return (C, m) records of each class with each value, of (N,) values."""
        return count_pairs(self.classes, int(self.classes.max()) + 1, codes, self.source.m).astype(np.float64)

    @cached_property
    def true(self) -> Floats:
        """(C, m) true counts of each class."""
        return self.count_by_class(self.source.sensitive.codes)

    def prior(self, records: Ints) -> Floats:
        # Of who knows the class as well, which stands in the row.
        return np.asarray((self.true / self.true.sum(axis=1, keepdims=True))[self.classes[records]])

    def evidence(self, records: Ints) -> Floats:
        likelihoods = np.empty((len(records), self.source.m))
        for each, counts in enumerate(self.true):
            here = np.flatnonzero(self.classes[records] == each)
            likelihoods[here] = self.transition(counts)[:, self.drawn_values[records[here]]].T
        return likelihoods

    def answer(self, questions: CountingQuestions) -> Floats:
        asked, target = self.count_with_targets(questions)
        return np.clip(asked.draw_towards(target, self.spread), *asked.interval(questions.sizes[questions.row]))

    def insider(self, records: Ints, row: Floats, questions: CountingQuestions, answers: Floats) -> Floats:
        # Records are drawn by themselves: what all others are adds nothing to the row but the shares.
        codes = self.source.sensitive.codes[records]
        named = self.has_bearer & (self.source.counts[codes] == 1) & np.isin(codes, self.drawn_values)
        return np.where(named, 1.0, self.source.pick_own(row, records))


class Channel(UnbiasedDraw):
    """A published matrix for the whole table, each record drawn by itself; records stay in the source's order.

    Counts are estimated by the scores phi = T^-1 h of the value asked for, unbiased (mechanism.md section 4): a record
    of value v adds one with variance W_v = sum over u of T[v, u] phi_u^2 - h_v, so V(x) = N_P w0 + x (w1 - w0) with W
    of the value asked for, w1, and its mean over the others, w0.
    """

    def make(self, chance: np.random.Generator) -> None:
        codes, m = self.source.sensitive.codes, self.source.m
        self.classes, self.drawn_values = np.zeros_like(codes), np.empty_like(codes)
        counts = self.source.counts
        drawn = [chance.choice(m, int(f), p=law) for f, law in zip(counts, self.transition(counts), strict=True)]
        self.drawn_values[np.argsort(codes, kind="stable")] = np.concatenate(drawn)

    def scores(self, source: TrueTable) -> Floats:
        """Return (m, m) T^-1. Raises Impossible where nothing leads back."""
        raise Impossible("With this setting the shown values can't be worked back to counts.")

    @cached_property
    def published_shares(self) -> Floats:  # type: ignore[override]
        shown = np.bincount(self.drawn_values, minlength=self.source.m)
        likely = np.maximum(shown @ self.scores(self.source), 0.5)
        return np.asarray(likely / likely.sum())

    def count(self, questions: CountingQuestions) -> CountFigures:
        y, share = questions.histogram(self.drawn_values, self.source.m), self.published_shares
        matrix, back = self.transition(self.source.counts), self.scores(self.source)
        with_it = np.maximum((matrix * back.T**2).sum(axis=1) - 1, 0.0)
        without = np.maximum(share @ matrix @ back**2 - share - share * with_it, 0.0) / np.maximum(1 - share, 1e-12)
        level = y.sum(axis=1, keepdims=True) * without
        return CountFigures(y @ back, level, np.broadcast_to(with_it - without, level.shape))

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        # A sum of scores, whose law is a product of Fourier transforms on a grid that the least and the largest are on.
        at, asked = int(np.argmin(np.abs(source.counts - count))), count + others
        score, matrix = self.scores(source)[:, at], self.transition(source.counts)
        rest = np.where(np.arange(source.m) == at, 0.0, source.counts)
        kinds = ((matrix[at], 1.0, count), (rest @ matrix / max(float(rest.sum()), 1.0), 0.0, others))
        variance = sum(number * max(float(law @ score**2) - mean, 0.0) for law, mean, number in kinds)
        width = 2 * (9 * math.sqrt(variance) + 6 * float(np.abs(score).max()))
        least, gap = float(score.min()), float(np.ptp(score))
        step = gap / max(int(gap * _GRID / width), 1)
        place = (score - least) / step
        low = np.floor(place).astype(np.int64)
        whole = np.ones(_GRID // 2 + 1, complex)
        for law, _, number in kinds:
            # Between two points a score goes to both, so that its mean is kept.
            on_grid = np.bincount(low % _GRID, law * (1 - place + low), _GRID)
            on_grid += np.bincount((low + 1) % _GRID, law * (place - low), _GRID)
            whole *= np.fft.rfft(on_grid) ** number
        steps = round((count - asked * least) / step) + np.arange(-_GRID // 2, _GRID // 2)
        chance = np.maximum(np.fft.irfft(whole, _GRID)[steps % _GRID], 0.0)
        return np.clip(asked * least + step * steps, 0.0, float(asked)), chance / chance.sum()

    def exact_epsilon(self, source: TrueTable) -> float:
        # The most that two true values differ in the chance of anything shown.
        matrix = self.transition(source.counts)
        least = matrix.min(axis=0)
        return float(np.log((matrix.max(axis=0) / least).max())) if (least > 0).all() else np.inf


class NoisyAnswers(System):
    """Answers with noise; estimates are not cut to what is possible."""

    @abstractmethod
    def likelihood(self, shown: Floats, counts: Floats) -> Floats:
        """Return (Q,) logarithms of the chance, or density, of these answers if these were the true counts."""

    def insider(self, records: Ints, row: Floats, questions: CountingQuestions, answers: Floats) -> Floats:
        """Return (K,) beliefs in the true value by all answers at once, all other records being known."""
        codes, truth, number = self.source.sensitive.codes[records], questions.truth.astype(float), len(questions.row)
        inside = questions.incidence[:, records].tocsr()[questions.row]  # (Q, K)
        has = inside.multiply(questions.value[:, None] == codes).tocsr()  # the person is among those counted
        lacks = inside - has
        asked = sparse.csr_array((np.ones(number), questions.value, np.arange(number + 1)), (number, self.source.m))
        steps = [np.maximum(self.likelihood(answers, truth + step), _IMPOSSIBLE) for step in (-1, 0, 1)]
        score = np.log(self.source.shares)
        for of, likelier in zip((has, lacks), np.diff(steps, axis=0), strict=True):  # with the person than without
            score = score + (of.T @ (sparse.diags_array(likelier) @ asked)).toarray()
        return self.source.pick_own(softmax(score, axis=1), records)


class Groups(System):
    """Records in groups, and how many of each group have each value: not which of them.

    Disclosure as Brickell and Shmatikov measure it (The cost of privacy, KDD 2008), p(g, s) the shares in a group, p(s)
    those in the whole table, which the trivial sanitisation tells:
    A_know = mean over records of 1/2 sum over s of |p(g, s) - p(s)|; A_acc = mean over records of max_s p(g, s), less
    max_s p(s); A_quot = largest |ln(p(g, s) / p(s))|, infinite where a value is in no record of a group.

    Discernability (Bayardo, Agrawal, ICDE 2005): sum over groups of |g|^2, nothing being suppressed. Classification
    metric (Iyengar, KDD 2002): share of the records whose value is not the commonest of their group.

    group : (N,) of each record, from 0 without gaps.
    sizes : (G,) records of each.
    counts : (G, m) of them with each value.
    """

    def hold(self, group: Ints) -> None:
        """Publish records in these groups."""
        self.group, self.sizes = group, np.bincount(group)
        self.counts = self.count_labels(self.source.sensitive)

    def count_labels(self, column: Column) -> sparse.csr_array:
        """Return (G, m_j) the records of each group with each label."""
        of_label = sparse.coo_array((np.ones(column.n), (self.group, column.codes)), shape=(len(self.sizes), column.m))
        return of_label.tocsr()

    def evidence(self, records: Ints) -> Floats:
        return np.asarray(self.counts[self.group[records]].toarray() / self.source.shares)

    def metrics(self) -> dict[str, float]:
        counts, sizes, n, whole = self.counts, self.sizes, self.source.n, self.source.shares
        published = counts.sum(axis=1)  # values of each group, fakes among them
        at = np.repeat(np.arange(len(sizes)), np.diff(counts.indptr))
        inside, expected = counts.data / published[at], whole[counts.indices]
        # Half the sum of |p - q| is the sum of p - q where p is larger, and there p > 0.
        know = float(sizes[at] @ np.maximum(inside - expected, 0.0)) / n
        commonest = float(sizes @ (counts.max(axis=1).toarray().ravel() / published)) / n
        every = counts.nnz == counts.shape[0] * counts.shape[1]
        return {
            "average class": n / len(sizes),
            "discernability": float((sizes.astype(np.float64) ** 2).sum()),
            "classification": 1 - commonest,
            "A_know": know,
            "A_acc": commonest - float(whole.max()),
            "A_quot": float(np.abs(np.log(inside / expected)).max()) if every else math.inf,
        }
