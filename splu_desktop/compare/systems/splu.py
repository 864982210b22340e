"""SPLU as this program does it, by lenders or in decoy groups, and as its papers print it; the current plan's draw.

Lenders: a record keeps its value with chance a = 1/gamma, else shows that of a random record of its class:
T_c = a I + (1 - a) 1 g_c'. Decoy groups, SPLU-Gen as the journal has it with the right matrix: r = floor(N/gamma)
groups of records with different values from (random id, value) alone, and a record shows the value of a random member:
T[v, u] = w_v w_u / f_v, T[v, v] = 1/gamma; f' = Bin(gamma f, 1/gamma).

A table is drawn within the classes that some of its columns make, and answered by the program's own figures: counts are
sums of scores over the classes, with the variance and interval of `core.answer.counts`.

SPLU-Gen as its papers print it: their groups, their matrix, their iteration (journal sections 3 and 4).

Groups: while records are left, one record of each of the gamma largest buckets of equal values makes a group (the loop
of Anatomy); the last N mod gamma records are deleted. Draw: each record shows the value of a uniform member of its
group. Estimate: Eq. 13-14, x_i <- sum_j y_j a_ij x_i / sum_r a_rj x_r over the states of (P, s), with the printed
a_23 = f_s / N for other values, from x = y until no component moves by 1 %.

The loop always puts the same values together, and the matrix overstates what joins a rare value by gamma / (gamma - 1),
so estimates are biased by -10 to -20 % (mechanism.md section 8). For comparison only.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base import GAMMAS, CountingQuestions, Impossible, TrueTable, UnbiasedDraw, system
from splu_desktop.compare.base.source import Floats, in_parts
from splu_desktop.compare.systems.anatomy import deal_groups
from splu_desktop.core.answer.counts import CountFigures, count_groups, count_one_block
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism import DecoyGroups, Draw, Lenders, Units, draw_from, make_classes
from splu_desktop.core.mechanism.law import privacy_ratio, selection_law
from splu_desktop.core.messages import say

_STEPS = 2_000  # at most
_STOP = 0.01  # the journal's stopping rule
_GONE = 1e-6  # records below which a component has arrived at 0


class Stream(NamedTuple):
    """A generator's bits behind the `Randomness` protocol, for draws that are compared and never handed out."""

    chance: np.random.Generator

    def bits(self, count: int) -> NDArray[np.uint32]:
        """Return (count,) uniform 32-bit numbers."""
        return self.chance.integers(0, 1 << 32, count, dtype=np.uint32)


class Redraw(UnbiasedDraw):
    """One of the program's draws, by its name and its strength, within the classes that some of its columns make."""

    draw: str
    gamma: float
    in_classes = has_bearer = True

    @property
    def mechanism(self) -> Draw:
        """The program's draw with its strength."""
        return draw_from({"draw": self.draw, "gamma": self.gamma})

    def make(self, chance: np.random.Generator) -> None:
        source, codes, rows = self.source, self.source.sensitive.codes, np.arange(self.source.n)
        columns = [each for each in source.columns if self.in_classes and each.name in source.class_columns]
        self.classes = make_classes(columns, Units.of_records(source.n)).code
        try:
            for counts in self.true:
                self.mechanism.check(counts.astype(np.int64), source.sensitive.name)
        except SpluError as fault:
            raise Impossible(str(fault)) from None
        lender = self.mechanism.choose_lenders(codes, self.classes, np.ones(source.n, np.int64), Stream(chance))
        self.drawn_values = codes[np.where(lender < 0, rows, lender)]
        self.published_shares = np.bincount(self.drawn_values, minlength=source.m) / source.n

    def transition(self, counts: Floats) -> Floats:
        return self.mechanism.transition(counts)

    def count(self, questions: CountingQuestions) -> CountFigures:
        m, published = self.source.m, self.count_by_class(self.drawn_values)
        number, share = len(published), published / published.sum(axis=1, keepdims=True)
        keys = self.classes.astype(np.int64) * m + self.drawn_values
        by_class = questions.histogram(keys, number * m).reshape(-1, number, m)
        inside, sizes = by_class.sum(axis=2), published.sum(axis=1)
        if self.draw == DecoyGroups.name:
            shown = ((by_class[:, each], counts, np.eye(m)) for each, counts in enumerate(published))
            return count_groups(self.mechanism, shown)
        total = np.zeros((3, len(inside), m))
        for some in in_parts(len(inside), number * m):
            line, at = np.nonzero(inside[some])  # the classes that each selection has records of
            parts = inside[some][line, at][:, None], sizes[at][:, None], by_class[some][line, at], share[at]
            figures = count_one_block(self.mechanism.retention, *parts, line, len(inside[some]))
            total[:, some] = figures.estimate, figures.level, figures.slope
        return CountFigures(*total)

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        return selection_law(self.mechanism, count, source.n, others)  # in one class

    def reading(self, source: TrueTable) -> tuple[float, float, float]:
        return self.gamma, (1 - self.gamma) / source.n, 0.0  # of those who show it, all asked about

    def exact_epsilon(self, source: TrueTable) -> float:
        # What who computes it finds for one record, the shares held fixed; it is not the promise (law 7).
        return privacy_ratio(source.n, int(source.counts.min()), self.gamma) if self.draw == Lenders.name else math.inf


@system("splu", say("SPLU, lenders"), first=True, points=GAMMAS, span=(1.05, 50.0), draw=Lenders.name)
class Splu(Redraw):
    """Lenders within classes, at one gamma."""

    gamma: float


@system(
    "splu-gen", say("SPLU-Gen, decoy groups"), points=(2, 3, 5), span=(2, 30), draw=DecoyGroups.name, in_classes=False
)
class SpluGen(Redraw):
    """Decoy groups of `gamma` records with different values, in the whole table."""

    gamma: int


def solve_as_printed(y: Floats, n: int, gamma: float) -> Floats:
    """Return (Q,) x of the last state by Eq. 13-14 as printed.

    y : (Q, 4) published records by state: neither meeting P nor s, s alone, P alone, both.
    n : records, N.
    """
    # By half and whether s: P is published as it is, so the two halves never mix.
    shown, keep = y.reshape(-1, 2, 2).astype(np.float64), 1 / gamma
    x, going = shown.copy(), np.flatnonzero(y[:, 3] > 0)
    for _ in range(_STEPS):
        old = x[going]
        into = old[:, :, 1].sum(axis=1) / n  # f_s / N, the printed chance of other values to show s
        chance = np.empty((len(going), 1, 2, 2))  # of what is shown (last), by what is true
        chance[:, 0, 0], chance[:, 0, 1] = np.stack([1 - into, into], axis=1), (1 - keep, keep)
        likely = (old[..., None] * chance).sum(axis=2)
        ratio = np.divide(shown[going], likely, out=np.zeros_like(likely), where=likely > 0)
        x[going] = new = old * (chance * ratio[:, :, None]).sum(axis=3)
        going = going[(np.abs(new - old) > _STOP * np.maximum(old, _GONE)).any(axis=(1, 2))]
    return np.where(y[:, 3] > 0, x[:, 1, 1], 0.0)


@system("splu-as-published", say("SPLU-Gen as published"), has_bearer=False)
class AsPublished(SpluGen):
    """SPLU-Gen with the papers' groups, matrix and iteration, which gives no intervals."""

    def make(self, chance: np.random.Generator) -> None:
        codes, self.members = self.source.sensitive.codes, deal_groups(self.source, self.gamma, chance)
        at = np.take_along_axis(self.members, chance.integers(0, self.gamma, self.members.shape), axis=1)
        self.classes = np.zeros_like(codes)  # its groups know none
        self.drawn_values, self.kept = codes.copy(), np.zeros(self.source.n, bool)
        self.drawn_values[self.members], self.kept[self.members] = codes[at], True

    def answer(self, questions: CountingQuestions) -> Floats:
        n, m = int(self.kept.sum()), self.source.m
        by_value = questions.histogram(self.drawn_values, m, self.kept.astype(np.float64))
        inside, total = questions.pick(by_value), by_value.sum(axis=1)[questions.row]
        whole = np.bincount(self.drawn_values[self.kept], minlength=m).astype(float)[questions.value]
        states = np.stack([n - total - (whole - inside), whole - inside, total - inside, inside], axis=1)
        return np.clip(solve_as_printed(states, n, self.gamma), 0.0, total)

    def transition(self, counts: Floats) -> Floats:
        # A member's value was shown: own or another's of the group, which always holds the same values together.
        values, pairs = self.source.sensitive.codes[self.members], np.full((len(counts), len(counts)), 1e-300)
        for one, other in itertools.product(values.T, repeat=2):
            np.add.at(pairs, (one, other), self.mechanism.retention)
        return np.asarray(pairs / counts[:, None])


@system("plan", say("This plan"), points=())
class PlannedDraw(Redraw):
    """The plan's draw: what all others are held to be as strong as."""

    gamma: float
    draw: str = Lenders.name
