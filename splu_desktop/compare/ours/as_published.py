"""SPLU-Gen as its papers print it: their groups, their matrix, their iteration (journal sections 3 and 4).

Groups: while records are left, one record of each of the gamma largest buckets of equal values makes a group (the loop
of Anatomy); the last N mod gamma records are deleted. Draw: each record shows the value of a uniform member of its
group. Estimate: Eq. 13-14, x_i <- sum_j y_j a_ij x_i / sum_r a_rj x_r over the states of (P, s), with the printed
a_23 = f_s / N for other values, from x = y until no component moves by 1 %.

The loop always puts the same values together, and the matrix overstates what joins a rare value by gamma / (gamma - 1),
so estimates are biased by -10 to -20 % (mechanism.md section 8). For comparison only.
"""

from __future__ import annotations

import itertools

import numpy as np

from splu_desktop.compare.base import CountingQuestions, Floats, system
from splu_desktop.compare.buckets.anatomy import deal_groups
from splu_desktop.compare.ours.splu import SpluGen
from splu_desktop.core.messages import say

_STEPS = 2_000  # at most
_STOP = 0.01  # the journal's stopping rule
_GONE = 1e-6  # records below which a component has arrived at 0


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


@system("splu-as-published", say("SPLU-Gen as published"))
class AsPublished(SpluGen):
    """SPLU-Gen with the papers' groups, matrix and iteration, which gives no intervals."""

    has_bearer = False

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
            np.add.at(pairs, (one, other), 1 / self.gamma)
        return np.asarray(pairs / counts[:, None])
