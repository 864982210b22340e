"""Random groups of records over several columns, in which no value stands more often than its cap.

Groups start as random ids make them. A sweep matches every group that holds a value too often with a random other one,
and exchanges two random records where that does not raise the number of clashes; it ends with no clash left. NSAs are
never looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

EMPTY = -1
_IDS_THAT_DRIVE = 64
_MOST_SWEEPS = 20_000
_STALLED = 1_500  # sweeps without a clash less, after which exchanges lead nowhere
_READING = 20_131_015  # any fixed one: the same release must give the same answers
_READ_RECORDS = 60_000  # in groups formed anew for a reader
_READ_SWEEPS = 150
_MOST_READ = 8  # times that all records are
_MOST_STATES = 32  # combinations told apart one by one
_MOST_PARTS = 16  # that states are cut into, where combinations are more
_AT_ONCE = 1_000  # kinds of groups whose products are summed up together
_ALIKE = 1e-9  # of all records' leaning, squared, that parts may differ by


def stacked(columns: Sequence[Column]) -> NDArray[Any]:
    """Return (N, C) the codes of columns, as narrow as they can be."""
    widest = max(column.m for column in columns)
    return np.stack([column.codes for column in columns], axis=1).astype(np.int16 if widest < 1 << 15 else np.int32)


def formed(
    codes: NDArray[Any],
    caps: Sequence[Ints],
    ids: NDArray[np.int32],
    gamma: int,
    progress: Progress,
    *,
    broken: bool = False,
    sweeps: int = _MOST_SWEEPS,
) -> NDArray[np.int32] | None:
    """Form groups.

    Parameters
    ----------
    codes : (N, C) of the columns' values; caps : for each column (m,) how often a group holds a value at most.
    ids : (N,) a permutation; ids[i] is the record with the i-th smallest random id.
    broken : whether groups that break a cap are returned too, where exchanges don't end without.
    sweeps : after which exchanges end at the latest.

    Returns
    -------
    (rows, r) the record at each place of each of r = floor(N / gamma) groups, EMPTY at last where N is no multiple.
    None where exchanges don't end with all caps kept.
    """
    n, number = len(codes), len(codes) // gamma
    rows = math.ceil(n / number)
    dealt = np.full(rows * number, EMPTY, np.int32)
    dealt[:n] = ids
    records: NDArray[np.int32] = dealt.reshape(rows, number)
    bound, most = _bounded(codes, caps, gamma)
    if not bound.shape[1]:
        return records
    # The drawn ids drive the exchanges: groups must be a function of ids and values alone.
    stream = np.random.Generator(np.random.PCG64(ids[:_IDS_THAT_DRIVE]))
    # A record's values and caps stand side by side; of an empty place nothing clashes.
    values = np.concatenate([bound, np.arange(-1, -2, -1, dtype=bound.dtype)[:, None].repeat(bound.shape[1], axis=1)])
    limits = np.concatenate([most, np.full((1, most.shape[1]), np.iinfo(most.dtype).max, most.dtype)])
    full = n // number
    over = _excess(values[records], limits[records])
    excess = over.sum(axis=0)
    least, since = int(excess.sum()), 0
    for sweep in range(sweeps):
        left = np.flatnonzero(excess)
        if not len(left) or since > _STALLED:
            break
        if 2 * len(left) > number:
            left = stream.permutation(left)[: number // 2]
        others = np.setdiff1d(np.arange(number), left, assume_unique=True)
        if not len(others):
            break
        left = left[: len(others)]
        right = stream.choice(others, len(left), replace=False)
        # Every other time a record that clashes, else any: sometimes another one has to give way first.
        i, j = stream.integers(0, full, len(left)), stream.integers(0, full, len(left))
        clashing = np.argmax(over[:full, left] * stream.random((full, len(left))), axis=0)
        i = np.where(stream.integers(0, 2, len(left)) == 0, clashing, i)
        before = excess[left] + excess[right]
        ours, theirs = records[:, left], records[:, right]
        at = np.arange(len(left))
        one, other = ours[i, at].copy(), theirs[j, at].copy()
        ours[i, at], theirs[j, at] = other, one
        new_left, new_right = (_excess(values[part], limits[part]) for part in (ours, theirs))
        good = new_left.sum(axis=0) + new_right.sum(axis=0) <= before
        records[:, left[good]], records[:, right[good]] = ours[:, good], theirs[:, good]
        over[:, left[good]], over[:, right[good]] = new_left[:, good], new_right[:, good]
        for part in (left[good], right[good]):
            excess[part] = over[:, part].sum(axis=0)
        total = int(excess.sum())
        since = 0 if total < least else since + 1
        least = min(least, total)
        if sweep % 50 == 0:
            progress.report("Mixing groups", 1 - least / max(least + number, 1))
    return records if broken or not excess.any() else None


def _bounded(codes: NDArray[Any], caps: Sequence[Ints], gamma: int) -> tuple[NDArray[Any], NDArray[np.int16]]:
    """Return (N, C') the codes of columns with any cap below gamma, and (N, C') the cap of each of them."""
    at = [column for column, most in enumerate(caps) if (most < gamma).any()]
    free = np.iinfo(np.int16).max
    most = [np.where(caps[column] < gamma, caps[column], free).astype(np.int16)[codes[:, column]] for column in at]
    return codes[:, at], np.stack(most, axis=1) if at else np.empty((len(codes), 0), np.int16)


def _excess(values: NDArray[Any], limits: NDArray[np.int16]) -> Ints:
    """Return (rows, g) by how many values each record of groups (rows, g, C) is too much.

    A record is too much where as many as its value's cap stand before it in the group.
    """
    total = np.zeros(values.shape[:2], np.int64)
    for row in range(1, len(values)):
        before = (values[:row] == values[row]).sum(axis=0, dtype=np.int16)
        total[row] = (before >= limits[row]).sum(axis=1)
    return total


def broken(codes: NDArray[Any], caps: Sequence[Ints], records: NDArray[np.int32], gamma: int) -> list[Flags]:
    """Return for each column (m,) which values some group holds more often than their caps."""
    group = np.empty(len(codes), np.int64)
    for row in records:
        there = row != EMPTY
        group[row[there]] = np.flatnonzero(there)
    found = []
    for column, most in enumerate(caps):
        keys, often = np.unique(group * len(most) + codes[:, column], return_counts=True)
        over = np.zeros(len(most), bool)
        value = keys % len(most)
        over[value[often > most[value]]] = True
        found.append(over & (most < gamma))  # gamma is no bound, as some groups have more records
    return found


@dataclass(frozen=True, eq=False)
class SharedGroups:
    """How combinations share groups: groups formed anew on a table that has them as often.

    Attributes
    ----------
    groups : (K, N) the group of each record, K times; numbered on.
    combinations : (N,) which combination each record has, numbered.
    records, values : (E,) which record has which of the values that fewer than half of the records have; numbered over
        all columns.
    """

    groups: Ints
    combinations: Ints
    records: Ints
    values: Ints

    @classmethod
    def of(cls, columns: Sequence[Column], caps: Sequence[Ints], gamma: int) -> SharedGroups:
        """Return the groups that these values and caps make."""
        codes, n = stacked(columns), columns[0].n
        chance = np.random.default_rng(_READING)
        times = min(max(-(-_READ_RECORDS // n), 2), _MOST_READ)
        found = np.empty((times, n), np.int64)
        for turn in range(times):
            # What was published strays from the caps a little, so that a clash more or less may have to stay.
            ids = chance.permutation(n).astype(np.int32)
            records = formed(codes, caps, ids, gamma, Silent(), broken=True, sweeps=_READ_SWEEPS)
            assert records is not None
            for row in records:
                there = row != EMPTY
                found[turn, row[there]] = np.flatnonzero(there) + turn * records.shape[1]
        offsets = np.cumsum([0, *(column.m for column in columns)])
        unusual = np.concatenate([2 * column.counts() < n for column in columns])
        every = codes + offsets[:-1]
        held, at = np.nonzero(unusual[every])
        _, combinations = np.unique(codes, axis=0, return_inverse=True)
        return cls(found, combinations.reshape(-1).astype(np.int64), held, every[held, at].astype(np.int64))

    def as_dict(self, code: NDArray[np.intp]) -> dict[str, Any]:
        """Return the law as plain data, of records (N,) with these combinations.

        "rounds", how often groups were formed; "groups", each [how many are made up so, combination, combination, ...];
        "states" and "parts", how many combinations are told apart one by one, and how many parts of states (`finer`).
        """
        group, member = self.groups.ravel(), np.tile(code, len(self.groups))
        order = np.lexsort((member, group))
        group, member = group[order], member[order]
        sizes = np.bincount(group)
        place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        made = np.full((len(sizes), int(sizes.max())), EMPTY, np.int64)
        made[group, place] = member
        found, times = np.unique(made, axis=0, return_counts=True)
        return {
            "states": _MOST_STATES,
            "parts": _MOST_PARTS,
            "rounds": len(self.groups),
            "groups": [
                [count, *(at for at in row if at != EMPTY)]
                for count, row in zip(times.tolist(), found.tolist(), strict=True)
            ],
        }

    @cached_property
    def _kinds(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(C,) one record of each combination, and how many there are."""
        _, first, often = np.unique(self.combinations, return_index=True, return_counts=True)
        return first, often

    def _leaning(self, states: NDArray[Any], m: int) -> Floats:
        """Return (C, m - 1) how much a combination's values bring others of each state but the commonest into groups.

        The sum over its values of the share that records with the value have among their group's others, less the share
        of all. Caps push like away from like, so what a record is published as depends on all its values a little.
        """
        kinds = np.delete(np.arange(m), np.bincount(states).argmax())
        own = (states[:, None] == kinds).astype(np.float64)
        seen = np.zeros(own.shape)
        for group in self.groups:
            group = group - group.min()
            sizes = np.bincount(group)
            others = np.stack([np.bincount(group, one) for one in own.T], axis=1)[group] - own
            seen += others / np.maximum(sizes[group] - 1, 1)[:, None]
        often = np.maximum(np.bincount(self.values), 1)
        found = np.empty((len(self._kinds[0]), len(kinds)))
        for at, one in enumerate(seen.T):
            rates = np.bincount(self.values, one[self.records]) / often - one.mean()
            found[self.combinations, at] = np.bincount(self.records, rates[self.values], len(one)) / len(self.groups)
        return found

    def finer(self, states: NDArray[Any], m: int) -> tuple[NDArray[np.int32], Ints]:
        """Return (N,) states parted as far as can be told, and (m',) the state that each is part of.

        Records of one part are published as the state alike only where they share groups alike, which those of one
        combination do, whatever cell they stand in. Where combinations are too many, states are cut in two again and
        again, at the mean of what those of a part lean by most differently.
        """
        first, often = self._kinds
        part, part_of = states[first].astype(np.int64), list(range(m))
        if len(often) <= _MOST_STATES:
            return self.combinations.astype(np.int32), part
        leaning = self._leaning(states, m) if 1 < m < _MOST_PARTS else np.zeros((len(often), 1))
        little = _ALIKE * float((often @ leaning**2).sum())

        def apart(at: int) -> tuple[float, Flags]:
            """Return by how much a part's combinations lean unlike each other, one way, and those that lean more."""
            held, here = often * (part == at), leaning[part == at]
            mean = held @ leaning / max(held.sum(), 1)
            far = often[part == at] @ (here - mean) ** 2
            way = int(far.argmax())
            return float(far[way]), (part == at) & (leaning[:, way] > mean[way])

        found = [apart(at) for at in range(m)]
        while len(found) < _MOST_PARTS:
            at = max(range(len(found)), key=lambda one: found[one][0])
            if found[at][0] <= little:
                break
            part[found[at][1]] = len(found)
            part_of.append(part_of[at])
            found[at] = apart(at)
            found.append(apart(len(found)))
        return part[self.combinations].astype(np.int32), np.array(part_of, np.int64)

    def mixing(self, states: NDArray[Any], m: int) -> Shared:
        """Return how (N,) states of m kinds are mixed."""
        number = int(self.groups.max()) + 1
        held = np.bincount((self.groups * m + states).ravel(), minlength=number * m).reshape(number, m)
        # Most groups are alike, and are reckoned with once.
        marks = held @ np.random.default_rng(_READING).integers(1, 1 << 62, m)  # modulo 2^64
        _, first, often = np.unique(marks, return_index=True, return_counts=True)
        return Shared(held[first].astype(np.float64), often / len(self.groups))


@dataclass(frozen=True, eq=False)
class Shared:
    """Mixing by groups formed anew (`Mixing`).

    Attributes
    ----------
    held : (g, m) records of each state in groups of each kind.
    often : (g,) groups of each kind, on average.
    """

    held: Floats
    often: Floats
    fits: bool = True
    stated: bool = False

    @cached_property
    def _part(self) -> Floats:
        return np.asarray(self.held / self.held.sum(axis=1, keepdims=True), np.float64)

    @cached_property
    def _counts(self) -> Floats:
        """(m,) records, at least a hint of one."""
        return np.asarray(np.maximum(self.often @ self.held, 1e-300), np.float64)

    @cached_property
    def _shown(self) -> Floats:
        """(m, m) how many records of a state show each."""
        return np.asarray((self.held.T * self.often) @ self._part, np.float64)

    @cached_property
    def matrix(self) -> Floats:
        return np.asarray(self._shown / np.maximum(self._shown.sum(axis=1, keepdims=True), 1e-300), np.float64)

    def spread_of_means(self, left: Floats, right: Floats) -> Floats:
        """Return (m, k) Cov, over what a state's records share, of the means of two functions of published states."""
        weight = self.held * self.often[:, None] / self._counts
        one, other = self._part @ left, self._part @ right
        return np.asarray(weight.T @ (one * other) - (weight.T @ one) * (weight.T @ other), np.float64)

    def pairing(self, shares: Floats, functions: Floats) -> Floats:
        """Return zeros: states are few, and intervals without it hold .94 to .97 (docs/decisions/together.md)."""
        return np.zeros((len(shares), functions.shape[1]))

    def moments(self, functions: Floats) -> tuple[Floats, Floats]:
        """Return what `Mixing` says of k functions g (m, k) of a published state.

        The odds with which states share groups stay: d_u d_w times as many records of u show others of w, and of a
        further record of a state, the share 1 - own that does not show itself shows others.
        """
        own = self.often @ self._part / self._counts
        others = self._shown - np.diag(own * self._counts)
        odds = np.linalg.pinv(np.diag(others.sum(axis=1)) + others, hermitian=True) * (1 - own)
        moved = odds.T[:, :, None] * (others @ functions)
        moved += np.tensordot(odds.T, others[:, :, None] * functions, axes=(1, 1))
        itself = np.arange(len(own))
        moved[itself, itself] += own[:, None] * functions - self.matrix @ functions
        weight = self.held * self.often[:, None] / self._counts
        means, (m, k) = self._part @ functions, functions.shape
        products = np.zeros((m, m * k))
        for at in range(0, len(weight), _AT_ONCE):
            part = slice(at, at + _AT_ONCE)
            products += weight[part].T @ (self._part[part, :, None] * means[part, None]).reshape(-1, m * k)
        return moved / self._counts[:, None], products.reshape(m, m, k)
