"""SPLU-Gen as its papers print it: their groups, their matrix, their iteration (journal sections 3 and 4).

Groups: while records are left, one record of each of the gamma largest buckets of equal values makes a group (the loop
of Anatomy); the last N mod gamma records are deleted. Draw: each record shows the value of a uniform member of its
group. Estimate: Eq. 13-14, x_i <- sum_j y_j a_ij x_i / sum_r a_rj x_r over the four states of (P, s), with the printed
a_23 = f_s / N for other values, from x = y until no component moves by 1 %.

The loop always puts the same values together, and the matrix overstates what joins a rare value by gamma / (gamma - 1),
so estimates are biased by -10 to -20 % (mechanism.md sections 2 and 4). For comparison only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Ints, TrueTable
from splu_desktop.compare.base.system import ByGamma, Impossible
from splu_desktop.compare.ours.splu import Drawn
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.errors import SpluError
from splu_desktop.core.groups.forming import check_eligible
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.core.reconstruct.states import as_printed
from splu_desktop.frozen import dataclass


def largest_first(counts: Ints, gamma: int) -> Ints:
    """Return (r, gamma) the values of r = floor(N / gamma) groups, each of the gamma buckets that are largest then.

    Runs of groups with the same values, and rounds of buckets of equal size, are made at once.
    """
    left = counts.astype(np.int64)
    blocks = []
    while np.count_nonzero(left) >= gamma:
        order = np.argsort(-left, kind="stable")
        level = left[order[gamma - 1]]
        above, tied = order[left[order] > level], order[left[order] == level]
        lower = left[left < level].max(initial=0)
        slots = gamma - len(above)
        if slots == len(tied):
            times = int(level - lower)
            block = np.tile(order[:gamma], (times, 1))
        else:
            common = math.gcd(len(tied), slots)
            each, around = slots // common, len(tied) // common
            rounds = int(level - lower) // each
            if len(above):
                rounds = min(rounds, int(left[above].min() - level) // (around - each))
            many = rounds * around or 1  # groups; a single one where no whole round fits
            turns = np.arange(many * slots).reshape(many, slots) % len(tied)
            block = np.concatenate([np.tile(above, (many, 1)), tied[turns]], axis=1)
        blocks.append(block)
        left -= np.bincount(block.ravel(), minlength=len(left))
    return np.concatenate(blocks) if blocks else np.zeros((0, gamma), np.int64)


def dealt(codes: NDArray[np.integer], values: Ints, chance: np.random.Generator) -> Ints:
    """Return (r, gamma) random records of the source that have these (r, gamma) values, none twice."""
    order = chance.permutation(len(codes))
    by_value = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    first = np.cumsum(counts) - counts
    flat = values.ravel()
    place = np.argsort(flat, kind="stable")
    used = np.bincount(flat, minlength=len(counts))
    within = np.arange(len(flat)) - np.repeat(np.cumsum(used) - used, used)
    members = np.empty(len(flat), np.int64)
    members[place] = by_value[first[flat[place]] + within]
    return members.reshape(values.shape)


class Printed(Drawn):
    """A table of the papers' mechanism, answered by the papers' iteration, which gives no intervals."""

    def answer(self, questions: CountingQuestions) -> Answers:
        gamma, n = self.draw.gamma, self.source.n - self.lost
        by_value = questions.histogram(self.shown.codes, self.source.m, self.kept.astype(np.float64))
        inside, total = questions.asked(by_value), by_value.sum(axis=1)[questions.row]
        whole = questions.chosen @ np.bincount(self.shown.codes[self.kept], minlength=self.source.m).astype(np.float64)
        # The states of records: neither meeting P nor s, s alone, P alone, both.
        states = np.stack([n - total - (whole - inside), whole - inside, total - inside, inside], axis=1)
        return Answers.without_intervals(np.clip(as_printed(states, n, [gamma or 1]), 0.0, total))


@dataclass(frozen=True)
class AsPublished(ByGamma):
    """SPLU-Gen with the papers' groups, matrix and iteration."""

    name = "splu-as-published"
    title = say("SPLU-Gen as published")
    words = say(
        "The papers' own form of decoy groups, for comparison only: its groups always hold the same values together, "
        "its estimates are biased and come without a range."
    )
    promise_said = say("Someone who finds a person's row is right about the value in 1 in {gamma} rows on average.")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Printed:
        try:
            check_eligible(source.sensitive, self.gamma)
        except SpluError as fault:
            raise Impossible(str(fault)) from None
        codes = source.sensitive.codes
        members = dealt(codes, largest_first(source.counts.astype(np.int64), self.gamma), chance)
        drawn = np.take_along_axis(members, chance.integers(0, self.gamma, members.shape), axis=1)
        shown = codes.copy()
        shown[members] = codes[drawn]
        kept = np.zeros(source.n, bool)
        kept[members] = True
        return Printed(source, PlainGroups(self.gamma), source.sensitive.with_codes(shown), kept)
