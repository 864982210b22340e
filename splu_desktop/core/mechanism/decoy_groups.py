"""SPLU-Gen as the journal has it: decoy groups of gamma records with distinct values, class by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism.draw import Draw, Floats, register
from splu_desktop.core.mechanism.law import binomial
from splu_desktop.core.mechanism.randomness import Randomness, below, permutation

_SWEEPS = 40  # of exchanges between pairs of groups, after which groups no longer tell how they were dealt


@register
@dataclass(frozen=True)
class DecoyGroups(Draw):
    """SPLU-Gen (journal section 3), corrected as in mechanism.md section 8; records alone.

    gamma : records of a group, a whole number of at least 1; a value may fill at most 1/(2 gamma) of a class.
    """

    name: ClassVar[str] = "groups"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gamma != int(self.gamma):
            raise BadSetting("Decoy groups have a whole number of records; choose gamma {n}.", n=round(self.gamma))

    def check(self, counts: NDArray[np.int64], column: str) -> None:
        """Raise BadSetting where one of (m,) values fills over 1/(2 gamma) of a class, so that groups would tell it."""
        if self.gamma > 1 and 2 * self.gamma * int(counts.max(initial=0)) > int(counts.sum()):
            words = "A value of “{column}” fills more than 1 in {most} records of a class; draw by lenders instead."
            raise BadSetting(words, column=column, most=int(2 * self.gamma))

    def choose_lenders(
        self, values: NDArray[np.int32], classes: NDArray[np.int32], weights: NDArray[np.int64], source: Randomness
    ) -> NDArray[np.int32]:
        """Return (U,) the record whose value each record shows.

        Law: T[v, u] = w_v w_u / f_v, T[v, v] = 1/gamma. Groups follow from (random id, value) alone: records stand by
        value (most frequent first) and id, number i goes to group i mod floor(n/gamma); exchanges drive them towards
        random groups without a value twice. Proof of T[v, v]: each of the gamma records of a group is shown as likely.
        Not proved: that so many exchanges are enough for the rest of T. Test: test_mechanism.py, by chi-square.
        """
        if int(weights.max(initial=1)) > 1:
            raise BadSetting("Decoy groups draw record by record; draw persons by lenders.")
        lender = np.empty(len(values), np.int32)
        order = np.argsort(classes, kind="stable")
        for members in np.split(order, np.cumsum(np.bincount(classes))[:-1]):
            if len(members):
                lender[members] = members[self._one_class(values[members], source)]
        return lender

    def _one_class(self, values: NDArray[np.int32], source: Randomness) -> NDArray[np.int32]:
        size = int(self.gamma)
        n = len(values)
        groups = max(n // size, 1)
        counts = np.bincount(values)
        ids = permutation(source, n)
        by_value = np.lexsort((ids, values, -counts[values]))
        # Group j holds the records that stand at places j, j + groups, ...: -1 where the last row of places is short.
        places = np.full(-(-n // groups) * groups, -1)
        places[:n] = by_value
        member = places.reshape(-1, groups).T.copy()
        self._mix(member, values, source)
        held = (member >= 0).sum(axis=1)
        lender = np.empty(n, np.int32)
        for row in range(member.shape[1]):
            who = member[:, row]
            there = who >= 0
            # Rows are filled from the left, so that a group's members are its first `held` places.
            shown = member[np.flatnonzero(there), below(source, held[there], int(there.sum()))]
            lender[who[there]] = shown
        return lender

    def _mix(self, member: NDArray[np.int64], values: NDArray[np.int32], source: Randomness) -> None:
        """Exchange single records between random pairs of groups where no group comes to hold a value twice."""
        groups, width = member.shape
        if groups < 2:
            return
        # An empty place counts as a value that no record has, so it hinders no exchange.
        value = np.where(member >= 0, values[member], -1 - np.arange(width))
        full: NDArray[np.bool_] = np.asarray((member >= 0).all(axis=1))
        for _ in range(_SWEEPS):
            order = permutation(source, groups)
            one, two = order[: groups // 2], order[groups // 2 : 2 * (groups // 2)]
            # The short last place takes no part: only places that both groups hold are exchanged.
            last = np.asarray(np.where(full[one] & full[two], width, width - 1))
            at, to = below(source, last, len(one)), below(source, last, len(one))
            u, v = value[one, at], value[two, to]
            # The place that is exchanged may hold the value: it leaves.
            in_two = ((value[two] == u[:, None]) & (np.arange(width) != to[:, None])).any(axis=1)
            in_one = ((value[one] == v[:, None]) & (np.arange(width) != at[:, None])).any(axis=1)
            go = ~in_one & ~in_two
            a, b, i, j = one[go], two[go], at[go], to[go]
            member[a, i], member[b, j] = member[b, j], member[a, i]
            value[a, i], value[b, j] = value[b, j], value[a, i]

    def _weights(self, counts: Floats) -> Floats:
        """Return (m,) w with sum w = W and w_v (W - w_v) = t_v, t = f (1 - 1/gamma): who shares groups with whom."""
        t = counts * (1 - self.retention)
        low, high = 2 * np.sqrt(t.max(initial=0)), 2 * np.sqrt(t.max(initial=0)) + np.sqrt(t).sum() * 2 + 1

        def roots(total: float) -> Floats:
            return np.asarray((total - np.sqrt(np.maximum(total**2 - 4 * t, 0))) / 2)

        for _ in range(200):  # roots(total).sum() - total rises as total falls
            middle = (low + high) / 2
            low, high = (middle, high) if roots(middle).sum() > middle else (low, middle)
        return roots(high)

    def transition(self, counts: Floats) -> Floats:
        """Return (m, m) T[v, u] = w_v w_u / f_v, T[v, v] = 1/gamma; a row of I for a value that nobody has.

        Law: that of `choose_lenders`. Proof: of pairs in groups without a value twice, v and u share one with a
        chance ~ w_v w_u; w makes rows sum to 1.
        Test: test_mechanism.py (test_groups_show_values_by_their_transition).
        """
        if self.gamma == 1:
            return np.eye(len(counts))
        w = self._weights(counts)
        nobody = np.flatnonzero(counts == 0)
        matrix = np.outer(w, w) / np.maximum(counts, 1)[:, None]
        np.fill_diagonal(matrix, self.retention)
        matrix[nobody] = 0
        matrix[nobody, nobody] = 1
        # The weights solve their equations to the last digits only; chances add up to 1.
        return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))

    def score(self, h: Floats, counts: Floats) -> Floats:
        """Return (..., m) T^-1 h.

        Law: E[score of the shown value] = h(true value). Proof: T phi = h. Test: test_mechanism.py.
        """
        return np.asarray(np.linalg.solve(self.transition(counts), np.asarray(h, float).T).T)

    def count_law(self, count: int, units: int | None) -> Floats:
        """Return (K,) P(published count = k): f' = Bin(gamma f, 1/gamma) exactly. Proof: gamma f records stand in the
        groups of f bearers, and each shows the bearer with probability 1/gamma (journal, Lemma 2). Test: test_law.py.
        """
        places = int(self.gamma) * count
        return binomial(np.arange(places + 1), places, self.retention)

    def certainty(self, share: float) -> float:
        """Return 1/gamma: how often a row that shows a value is right, whatever the value (law 2 without lending).

        Proof: of gamma records of a group, each with a value of its own, one has it. Test: test_mechanism.py.
        """
        return self.retention
