"""Tables of cells as they were before the draw, and sums over them with their covariances.

A question names columns and sets of their values, which part every column into classes. Records are counted by their
classes of NSAs (a *pattern*) and their published values u of SAs. With phi_c(u) from the inverse of T, of mean 1 for
records of class c and 0 for others, a record counts phi_c(u) for class c (for several SAs the product), which makes
unbiased counts x of all cells. Every analysis is a function of sums S = sum over records of psi(cell).

T is computed from the published counts f', which move together with the records. To first order a record shown as u
adds to S

    h(u) = sum_c phi_c(u) psi(p, c) - D(u),    D(u) = sum_c (phi_c(u) - [u in c]) Q_c,

Q_c = sum over patterns of psi(p, c) (N_p - x_pc) / (N - f_c), 0 for classes whose chances are published. Its mean given
the true class is m(c) = psi(p, c) - sum_e ([c = e] - K[c, e]) Q_e with K the transition between classes, so

    Var S = sum over records h h' - sum over cells x m m',

both of which the release tells (docs/recipient.md; as van den Hout and van der Heijden 2002 for a known T).

Records drawn by person scatter by the design effect e more. Of several SAs drawn apart two records of a person scatter
together in each with r = (e - 1) / (w - 1), w the effect if all of a person's records did. With S_B the same products
where the SAs of B are drawn and the true classes of the others known (h is that of all, m that of none),

    Var S = S_all - S_none + (w - 1) (sum over B of prod over B of r, over others of (1 - r), times S_B, - S_none),

which for one SA is e times as much, and for a count of independent conditions `by_person.at_once`.

Where patterns p, q are told apart, N_p N_q K[p, q] / N of the (w - 1) N pairs of a person's records stand there. K is
a product over columns of near_c for two records of one class c of it, plus apart for any two (`_pairs`), by the effects
of its values. So what persons keep, as a sex, has the effects of each sex, and in a comparison of what changes between
a person's records their common part cancels. Expanded, these are sums over groups of patterns alike in some columns,
each record in them with the mean of psi over its group.

A variance seen in few records says little: of seven bearers of a flag all may be shown with a value that four have, as
if nothing were uncertain. So it is never below what it would be if a pattern of N_p records were shown as these are by
N_p / (N_p + 30), and else as all records of the table are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.query.engine import Engine
from splu_desktop.core.table import Flags, Picked, pieces
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.core.transition.two_numbers import Transition
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
Codes = NDArray[np.signedinteger[Any]]
Chosen = Mapping[str, Flags]  # column -> (m,) its chosen labels
_Held = tuple[Collection[int], Codes, Floats]  # of `CellTable._held`

_MOST_CLASSES = 2_000  # combinations of sensitive values told apart in one answer
_MOST_STATES = 64  # of columns drawn together
_MOST_APART = 4  # columns whose persons' records are told apart; of more the largest design effect stands for all
_MOST_COLUMNS = 6  # unchanged ones whose pairs of records are told apart
_FEWER = 0.05  # of a record's other ones that are not of its class though chance would have them
_AT_ONCE = 4_000_000  # numbers
_ALIKE = 30.0  # records of the whole table, by which a pattern's own ones are judged
_FEW = 300  # records of a pattern, of which more tell by themselves
_MOST_FEW = 500_000  # numbers: kinds of such records by classes
_FAR = 1e12  # as good as without bound
_ENDLESS = 1e3  # times an estimate, as good as no bound: so flat further out that rounding would decide
_HALVINGS = 50
_FLAT = 1e-9  # of what is 0 but for rounding


@dataclass(frozen=True, eq=False)
class SensitiveClasses:
    """One SA, or several drawn together, in classes.

    Attributes
    ----------
    names : of the columns.
    base : the column, or that of the states that several make, in `Engine.counted`.
    codes : (N,) published values u.
    weights : (m, C) phi_c(u); they add up to 1.
    of : (m,) the class of each u.
    chances : (C, C) K.
    counts : (C,) published records of each class.
    moving : (C,) the part of each class whose chances are computed from published counts.
    drift : (m, C) what a record shown as u moves those by, times N; `drifted` (C, C) its mean by true class.
    resting : whether what moves shares a fixed rest, so that another untold value's records move it back.
    told : (C,) whether the class can be told from the others.
    first : (C, names) a label code of each column that stands for its class.
    into : (C, m) the chance that a record of a class is shown as u.
    """

    names: tuple[str, ...]
    base: str
    codes: Codes
    weights: Floats
    of: Codes
    chances: Floats
    counts: Floats
    moving: Floats
    drift: Floats
    drifted: Floats
    resting: bool
    told: Flags
    first: Codes
    into: Floats

    def met(self, chosen: Chosen) -> int:
        """Return the class that meets conditions."""
        flags = np.all([chosen[name][codes] for name, codes in zip(self.names, self.first.T, strict=True)], axis=0)
        return int(flags.argmax())

    def squares(self, at: int) -> tuple[float, float]:
        """Return E[phi_at^2] for records of one of two classes and of the other."""
        found = self.into @ self.weights[:, at] ** 2
        return float(found[at]), float(found[1 - at])


class CellTable:
    """The table over classes of columns, as it was before the draw.

    counts : (P, C) unbiased counts of every pattern of NSAs with every combination of sensitive classes.
    """

    def __init__(self, engine: Engine, asked: Sequence[Chosen], full: Collection[str] = ()) -> None:
        self._engine = engine
        published = engine.published
        named = {name for chosen in asked for name in chosen} | set(full)
        self._plain = [name for name in published.nsas if name in named]
        blocks: dict[tuple[str, ...], list[str]] = {}
        for name in published.sensitive:
            if name in named:
                blocks.setdefault(published.draws[name].block(name), []).append(name)
        self.parts = [_part(engine, block, names, asked, full) for block, names in blocks.items()]
        self._shape = tuple(len(part.counts) for part in self.parts)
        if math.prod(self._shape) > _MOST_CLASSES:
            largest = max(self.parts, key=lambda part: len(part.counts))
            raise BadQuestion(
                "That tells {number} combinations of sensitive values apart, too many for one answer: {most} of "
                "“{column}” alone; ask about fewer of its values, or leave it out.",
                number=math.prod(self._shape),
                most=len(largest.counts),
                column=", ".join(largest.names),
            )
        self._one = len(asked) == 1 and not full
        only = asked[0] if self._one else {}
        picked: list[Picked] = [(name, only[name].tobytes()) for name in sorted(only) if name in self._plain]
        self._picked = picked
        self.effects = [engine.widened(part.base, picked) for part in self.parts]
        self._draws: list[tuple[Codes | None, list[_Held]]] = []
        self._steadied: list[CellTable] = []
        if self._one and len(self.parts) == 1:
            self._count_selected(asked[0], picked)
        else:
            self._count(asked, full)
        self._records = np.bincount(self._pattern, self._times).astype(np.float64)

    def _count_selected(self, asked: Chosen, picked: Sequence[Picked]) -> None:
        """Count as `_count`, of one selection and one part: by what the engine has counted for it before."""
        base = self.parts[0].base
        inside = self._engine.counted(base, picked)
        every = self._engine.published.table[base].counts().astype(np.float64)
        sides = [inside, every - inside] if picked else [inside]
        self._first = {name: np.array([asked[name].argmax(), asked[name].argmin()]) for name in self._plain}
        self._times = np.concatenate(sides)
        self._pattern = np.repeat(np.arange(len(sides)), len(every))
        self._shown = [np.tile(np.arange(len(every)), len(sides))]
        self._weights = np.tile(self.parts[0].weights, (len(sides), 1))
        self.counts = np.stack([side @ self.parts[0].weights for side in sides])

    def shown(self, chosen: Chosen, at: int | None = None) -> float:
        """Return how many records meet conditions on NSAs, of those shown in a class of the first part or of all."""
        inside = self.meets({name: flags for name, flags in chosen.items() if name in self._plain})[:, 0]
        met = inside[self._pattern]
        return float(self._times[met if at is None else met & (self.parts[0].of[self._shown[0]] == at)].sum())

    def powers(self, chosen: Chosen, at: int) -> tuple[float, float, float]:
        """Return the sums of phi, phi^2 and phi^3 of a class of the only part, over records that meet those on NSAs."""
        inside = self.meets({name: flags for name, flags in chosen.items() if name in self._plain})[:, 0]
        phi, times = self._weights[:, at], self._times * inside[self._pattern]
        return float(times @ phi), float(times @ phi**2), float(times @ phi**3)

    def margin(self, chosen: Chosen, part: int, at: int) -> float:
        """Return the unbiased count of records that meet conditions on NSAs and are of a class of one part."""
        inside = self.meets({name: flags for name, flags in chosen.items() if name in self._plain})[:, 0]
        found = self.counts[inside].sum(axis=0).reshape(self._shape)
        return float(np.take(found, at, axis=part).sum())

    def _count(self, asked: Sequence[Chosen], full: Collection[str]) -> None:
        table = self._engine.published.table
        classes = [_classes(name, table[name].m, asked, full) for name in self._plain]
        sizes = [*(len(first) for first, _ in classes), *(len(part.of) for part in self.parts)]
        if math.prod(sizes) > np.iinfo(np.int64).max:
            raise BadQuestion("That asks about too many columns for one answer; ask about fewer.")
        keys, times = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for piece in pieces(table.n):
            every = np.zeros(piece.stop - piece.start, np.int64)
            each = [of[table[name].codes[piece]] for name, (_, of) in zip(self._plain, classes, strict=True)]
            for size, codes in zip(sizes, [*each, *(part.codes[piece] for part in self.parts)], strict=True):
                every = every * size + codes
            new, number = np.unique(every, return_counts=True)
            keys, of_each = np.unique(np.concatenate([keys, new]), return_inverse=True)
            times = np.bincount(of_each.reshape(-1), np.concatenate([times, number])).astype(np.int64)
        self._times = times.astype(np.float64)
        shown: list[Codes] = []
        for part in reversed(self.parts):
            keys, u = np.divmod(keys, len(part.of))
            shown.insert(0, u.astype(np.intp))
        patterns, pattern = np.unique(keys, return_inverse=True)
        self._shown, self._pattern, self._first = shown, pattern.reshape(-1), {}
        rest = patterns
        self._classes: dict[str, tuple[Codes, Codes]] = {}  # of each label, and of each pattern
        for name, (first, of) in reversed([*zip(self._plain, classes, strict=True)]):
            rest, one = np.divmod(rest, len(first))
            self._first[name], self._classes[name] = first[one], (of, one)
        weights: Floats = np.ones((len(keys), 1))
        for part, u in zip(self.parts, shown, strict=True):
            weights = (weights[:, :, None] * part.weights[u][:, None, :]).reshape(len(keys), -1)
        self._weights = weights
        self.counts = np.zeros((len(patterns), weights.shape[1]))
        np.add.at(self.counts, self._pattern, self._times[:, None] * weights)

    def widened_at_once(self, scatter: Sequence[tuple[float, float]]) -> float:
        """Return the design effect of the count of records that meet a condition on every part at once.

        scatter : of each part, its share of the records and the variance of a record's weight.
        """
        each = [(effect, *of) for effect, of in zip(self.effects, scatter, strict=True)]
        return self._engine.widened_at_once(self._picked, each)

    def codes(self, column: str) -> Codes:
        """Return (P, C) a label code of a column that stands for the class of each cell."""
        if column in self._first:
            return np.broadcast_to(self._first[column][:, None], self.counts.shape).astype(np.intp)
        at, part = next((at, part) for at, part in enumerate(self.parts) if column in part.names)
        codes = part.first[:, part.names.index(column)]
        spread = codes.reshape([-1 if axis == at else 1 for axis in range(len(self._shape))])
        return np.broadcast_to(np.broadcast_to(spread, self._shape).reshape(1, -1), self.counts.shape).astype(np.intp)

    def meets(self, chosen: Chosen) -> Flags:
        """Return (P, C) which cells meet conditions."""
        result = np.ones(self.counts.shape, bool)
        for name, flags in chosen.items():
            result &= flags[self.codes(name)]
        return result

    def sums(self, functions: Sequence[NDArray[np.generic]]) -> Sums:
        """Return the sums over the original records of k functions of their cell, each (P, C), with covariances.

        Raises BadQuestion where the release does not tell where a class is that counts.
        """
        psi = np.stack([np.asarray(one, np.float64) for one in functions], axis=-1)
        self._check(psi)
        values = np.einsum("pc,pck->k", self.counts, psi)
        k = psi.shape[-1]
        if not self.parts:
            return Sums(values, np.zeros((1, k, k)))
        size, n = psi.shape[0], self._engine.published.n
        x = self.counts.reshape(size, *self._shape)
        shaped = psi.reshape(size, *self._shape, k)
        shifts: list[tuple[Floats, Floats]] = []  # of each part, by shown value D, and by true class its mean
        for at, part in enumerate(self.parts):
            axis = at + 1
            across = [-1 if each == axis else 1 for each in range(x.ndim)]
            own = 0.0 if part.resting else 1.0
            share = (x.sum(axis=axis, keepdims=True) - own * x) / np.maximum(n - own * part.counts, 1.0).reshape(across)
            others = tuple(each for each in range(x.ndim) if each != axis)
            q = (share[..., None] * shaped).sum(axis=others)
            shifts.append((part.drift @ q, part.drifted @ q))
        if not self._steadied:
            self._steadied.extend((self, *self._steady()))
        return Sums(values, np.stack([each._spread(shaped, shifts) for each in self._steadied]))

    def _steady(self) -> Iterator[CellTable]:
        """Yield the table as its variances are never below, unless that is this one or a count's, which has its own."""
        few = np.flatnonzero(self._records < _FEW)
        shown, kinds = np.unique(np.stack(self._shown), axis=1, return_inverse=True)
        number, kinds = shown.shape[1], kinds.reshape(-1)
        numbers = len(few) * number * self.counts.shape[1]
        if self._one or not self._plain or not 0 < numbers <= _MOST_FEW:
            return
        place = np.full(len(self._records), -1)
        place[few] = np.arange(len(few))
        place = place[self._pattern]
        seen = np.zeros((len(few), number))
        np.add.at(seen, (place[place >= 0], kinds[place >= 0]), self._times[place >= 0])
        records = self._records[few, None]
        whole = np.bincount(kinds, self._times) / self._times.sum()
        seen = (seen + _ALIKE * whole) * (records / (records + _ALIKE))
        many, other = place < 0, copy(self)
        other._pattern = np.concatenate([self._pattern[many], np.repeat(few, number)])
        other._times = np.concatenate([self._times[many], seen.reshape(-1)])
        parts = zip(self._shown, shown, strict=True)
        other._shown = [np.concatenate([each[many], np.tile(every, len(few))]) for each, every in parts]
        other._draws = []
        yield other

    def _spread(self, psi: Floats, shifts: Sequence[tuple[Floats, Floats]]) -> Floats:
        """Return (k, k) Var S; psi is (P, C of each part, k), shifts are as for `_products`."""
        if not self._draws:
            self._draws.extend(self._drawn())  # whatever is summed
        result = np.zeros((psi.shape[-1], psi.shape[-1]))
        for group, draws in self._draws:
            means = psi if group is None else _means(psi, self._records, group)
            for held in draws:
                result += self._products(means, shifts, *held)
        return result

    def _drawn(self) -> Iterator[tuple[Codes | None, list[_Held]]]:
        """Yield by which groups of patterns (P,), if any, records add to a variance, and how: of none drawn, less."""
        every = range(len(self.parts))
        yield None, [self._held(every, 1.0), self._held((), -1.0)]
        persons = self._engine.widened_of_persons(self._picked)
        alone = len(every) == 1 or len(every) > _MOST_APART or persons is None
        whole = max(self.effects) if alone or persons is None else persons
        if whole <= 1:
            return
        ratios = [1.0 if alone else min((effect - 1) / (whole - 1), 1.0) for effect in self.effects]
        chances = {}
        for drawn in itertools.product((False, True), repeat=len(every)):
            chance = (whole - 1) * math.prod(r if of else 1 - r for r, of in zip(ratios, drawn, strict=True))
            if chance > 0 and any(drawn):
                chances[tuple(at for at in every if drawn[at])] = chance
        chances[()] = -sum(chances.values())
        groups = [(None, np.ones(len(self._records)))] if self._one else self._groups(self._records, alone=alone)
        for group, factor in groups:
            yield group, [self._held(drawn, chance * factor) for drawn, chance in chances.items()]

    def _groups(self, records: Floats, *, alone: bool) -> Iterator[tuple[Codes, Floats]]:
        """Yield (P,) groups of patterns, and how often a record has others of its person there, in parts of w - 1.

        alone : whether only the part whose records scatter together most counts.
        """
        engine, repeats = self._engine, self._engine.published.repeats
        of_parts = [engine.effects(name) for part in self.parts for name in part.names]
        told = of_parts if alone or repeats is None else [repeats.whole]
        effects = max(filter(None, told), key=lambda each: each.whole)
        n, columns = engine.published.n, list[tuple[Codes, float, Floats]]()
        for name, (of, at) in self._classes.items():
            own = effects.narrowed(engine.published.table[name], of)[0]
            known = len(columns) < _MOST_COLUMNS
            alike = 0.0 if repeats is None or repeats.whole is None else repeats.whole.correlations.get(name, 0.0)
            columns.append((at, *_pairs(own, np.bincount(at, records, len(own)) / n, alike, known=known)))
        for chosen in itertools.product((False, True), repeat=len(columns)):
            factor, group = np.ones(len(records)), np.zeros(len(records), np.int64)
            for same, (at, apart, near) in zip(chosen, columns, strict=True):
                factor *= near[at] if same else apart
                group = np.unique(group * len(near) + at, return_inverse=True)[1].reshape(-1) if same else group
            if factor.any():
                yield group, factor * np.bincount(group, records)[group] / n

    def _held(self, drawn: Collection[int], factor: Floats | float) -> _Held:
        """Return the parts B = `drawn`, one record (R,) of each kind that differs then, and of how many it tells.

        These are (R, C of parts not drawn), each times the factor (P,) of its pattern.
        """
        key = self._pattern
        weights: Floats = (self._times * np.broadcast_to(factor, self._records.shape)[key])[:, None]
        for at in drawn:
            key = key * len(self.parts[at].of) + self._shown[at]
        for at in range(len(self.parts)):
            if at not in drawn:
                of = self.parts[at].weights[self._shown[at]]
                weights = (weights[:, :, None] * of[:, None, :]).reshape(len(weights), -1)
        _, first, alike = np.unique(key, return_index=True, return_inverse=True)
        x = np.zeros((len(first), weights.shape[1]))
        np.add.at(x, alike.reshape(-1), weights)
        return drawn, first, x

    def _products(
        self,
        psi: Floats,
        shifts: Sequence[tuple[Floats, Floats]],
        drawn: Collection[int],
        first: Codes,
        x: Floats,
    ) -> Floats:
        """Return S_B (k, k): summed products of what a record adds where its values of the parts B = `drawn` are drawn.

        psi : (P, C of each part, k). shifts : of each part (m, k) D and (C, k) its mean. drawn, first, x : of `_held`.
        """
        known = [at for at in range(len(self.parts)) if at not in drawn]
        k = psi.shape[-1]
        for at in known:
            psi = psi - shifts[at][1].reshape(*(-1 if axis == at + 1 else 1 for axis in range(psi.ndim - 1)), k)
        result = np.zeros((k, k))
        step = max(_AT_ONCE // max(psi[0].size, 1), 1)
        for start in range(0, len(first), step):
            rows = first[start : start + step]
            adds = psi[self._pattern[rows]]
            for at in sorted(drawn, reverse=True):
                of = self.parts[at].weights[self._shown[at][rows]]
                adds = np.moveaxis(adds, at + 1, 1)
                rest = adds.shape[2:]
                adds = (of[:, None, :] @ adds.reshape(*adds.shape[:2], -1)).reshape(len(rows), *rest)
            adds = adds.reshape(len(rows), -1, k)
            for at in drawn:
                adds = adds - shifts[at][0][self._shown[at][rows]][:, None, :]
            flat = adds.reshape(-1, k)
            result += (flat * x[start : start + step].reshape(-1, 1)).T @ flat
        return result

    def _whole(self) -> bool:
        """Whether all records are asked about at once: groups keep their shares true, whatever else they hide."""
        return not self._plain and len(self.parts) == 1 and self._engine.two_numbers(self.parts[0].base) is not None

    def _check(self, psi: Floats) -> None:
        if self._whole():
            return
        used = psi.reshape(psi.shape[0], *self._shape, psi.shape[-1])
        for at, part in enumerate(self.parts):
            # A class that counts like all others needs not be told.
            apart = np.moveaxis(used, at + 1, 0)
            differs = (apart != apart[-1]).reshape(len(apart), -1).any(axis=1)
            if (differs & ~part.told).any():
                raise BadQuestion(
                    "The release does not tell where “{columns}” has some of these values: they are too frequent "
                    "or too rare for this draw.",
                    columns=", ".join(part.names),
                )


def _means(psi: Floats, records: Floats, group: Codes) -> Floats:
    """Return psi (P, ...) as its means over the records of each pattern's group (P,)."""
    whole = np.zeros((int(group.max()) + 1, *psi.shape[1:]))
    across = (-1, *([1] * (psi.ndim - 1)))
    np.add.at(whole, group, records.reshape(across) * psi)
    return np.asarray((whole / np.bincount(group, records).reshape(across))[group], np.float64)


def _pairs(own: Floats, shares: Floats, alike: float, *, known: bool) -> tuple[float, Floats]:
    """Return how often two records of a person have any two classes of a column, and how much more often one of each.

    own : (C,) share of a record's other ones that have its class; shares : (C,) of all records; alike : the correlation
    of two records of a person, where the column has numbers or dates.

    Both in times of chance. Values that differ may be near, as days of a month: records have one class at least as
    often as the correlation says. Where records of one class are fewer than by chance it is not known which go
    together: then, and unless `known`, all of a person are taken to have the same.
    """
    others = 1 - float(shares @ shares)
    apart = max(1 - float(shares @ own), 0.0) / others if others > _FLAT else 0.0
    if apart > 1 - alike and alike > 0:
        own, apart = own + (apart - 1 + alike) * (1 - shares), 1 - alike
    there = np.maximum(shares, 1e-300)
    if not known or float(shares @ np.maximum(apart * shares - own, 0.0)) > _FEWER:
        return 0.0, np.where(shares > 0, 1 / there, 0.0)
    return apart, np.where(shares > 0, np.maximum(own / there - apart, 0.0), 0.0)


@dataclass(frozen=True, eq=False)
class Sums:
    """k sums over the original records, `values` (k,), and what their covariances over releases may be (ways, k, k)."""

    values: Floats
    covariances: Floats

    def covariance(self, slope: Floats) -> Floats:
        """Return the covariances (k, k) that make most of a combination (k,) of the sums."""
        return np.asarray(self.covariances[(self.covariances @ slope @ slope).argmax()], np.float64)

    def along(self, slope: Floats) -> float:
        """Return the variance of a combination (k,) of the sums."""
        return max(float(slope @ self.covariance(slope) @ slope), 0.0)

    def variance(self, at: int) -> float:
        """Return the variance of one sum."""
        return self.along(np.eye(len(self.values))[at])

    def arm(self, slope: Floats) -> float:
        """Return half the width of the 95 % interval of a combination of the sums."""
        return float(NORMAL_95 * math.sqrt(self.along(slope)))

    def quotient(self, over: Floats, under: Floats) -> tuple[float, float]:
        """Return the ends of the interval of a quotient of combinations of the sums."""
        top, bottom = float(over @ self.values), float(under @ self.values)
        of = self.covariance(over - top / bottom * under)
        return fieller((top, bottom), (float(over @ of @ over), float(under @ of @ under), float(over @ of @ under)))

    def product_quotient(self, over: tuple[int, int], under: tuple[int, int]) -> tuple[float, float]:
        """Return the ends of the interval of x_i x_j / (x_k x_l), all of which are counts: the profile likelihood's.

        Raises BadQuestion where one of them may well be 0.
        """
        if (self.values[[*over, *under]] <= 0).any():
            raise BadQuestion(
                "A group that this is made of may well have no record, so the release can't tell the ratio; ask "
                "about larger groups."
            )
        of = [*over, *under]
        counts = self.values[of]
        slope = np.zeros(len(self.values))
        np.add.at(slope, of, np.array([1.0, 1.0, -1.0, -1.0]) / counts)
        low, high = _profile(self.covariance(slope)[np.ix_(of, of)] / np.outer(counts, counts))
        if low <= 0 and math.isinf(high):
            raise BadQuestion("The release can't tell this ratio: it may be anything; ask about larger groups.")
        estimate = float(counts[0] * counts[1] / (counts[2] * counts[3]))
        return estimate * low, estimate * high


def fieller(values: tuple[float, float], spread: tuple[float, float, float]) -> tuple[float, float]:
    """Return the ends of all q for which top - q bottom may be 0 (Fieller 1954).

    values : top and bottom; spread : their variances and covariance.

    An end is infinite where the bottom may be 0.
    """
    (top, bottom), (of_top, of_bottom, both), z = values, spread, NORMAL_95**2
    two, one, none = bottom**2 - z * of_bottom, top * bottom - z * both, top**2 - z * of_top
    inside = one * one - two * none
    root = math.sqrt(max(inside, 0.0))
    if two > 0:
        return (one - root) / two, (one + root) / two
    if inside <= 0 or two == 0:
        return -math.inf, math.inf
    low, high = sorted(((one - root) / two, (one + root) / two))
    return (high, math.inf) if top / bottom >= high else (-math.inf, low)


def _profile(relative: Floats) -> tuple[float, float]:
    """Return the ends of all t for which counts of ratio t times the one found are near enough to those found.

    relative : (4, 4) covariances of the counts x_i, x_j, x_k, x_l, each over those found.

    Near enough: no further than 1.96 standard deviations in the normal likelihood of all four, so that it holds how
    curved a quotient of products is, which a linear approximation misses where counts are hardly known. An end is 0 or
    infinite where a count may be 0.
    """
    size, axes = np.linalg.eigh(relative)
    root = axes * np.sqrt(np.maximum(size, 0.0))

    def near(t: float) -> bool:
        # The least |z|^2 with (1 + e_i) (1 + e_j) = t (1 + e_k) (1 + e_l), e = root z: a point of a quadric.
        square = np.outer(root[0], root[1]) - t * np.outer(root[2], root[3])
        bent, turned = np.linalg.eigh((square + square.T) / 2)
        return nearest(1 - t, (root[0] + root[1] - t * (root[2] + root[3])) @ turned, bent) <= NORMAL_95**2

    return _end(near, 0.5), _end(near, 2.0)


def nearest(level: float, slope: Floats, bent: Floats) -> float:
    """Return the least |z|^2 with level + slope z + sum bent z^2 = 0, by Lagrange's multiplier; infinite if none."""
    if level < 0:
        level, slope, bent = -level, -slope, -bent
    bent = np.where(np.abs(bent) < _FLAT, 0.0, bent)
    steepest = float(bent.min(initial=0.0))
    most = -1 / steepest if steepest < 0 else math.inf

    both = list(zip(slope.tolist(), bent.tolist(), strict=True))  # NumPy takes ten times as long for so few numbers

    def point(at: float) -> tuple[float, float]:
        square, rest = 0.0, level
        for along, curve in both:
            turned = 1 + at * curve
            if not turned:
                return math.inf, -math.inf
            z = -at * along / (2 * turned)
            square += z * z
            rest += along * z + curve * z * z
        return square, rest

    low, high = 0.0, 1.0
    while high < most and high < _FAR and point(high)[1] > 0:
        high *= 2
    high = min(high, most)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if point(middle)[1] > 0 else (low, middle)
    square, rest = point(low)
    if rest <= _FLAT * level:
        return square
    # What is left where the multiplier can go no further lies along the steepest direction.
    return square + rest / -steepest if steepest < 0 else math.inf


def _end(near: Callable[[float], bool], factor: float) -> float:
    """Return the last t, from 1 by steps of `factor` on, that is near; 0 or infinite where all are."""
    step = factor
    while near(step):
        step *= step
        if not 1 / _ENDLESS < step < _ENDLESS:
            return 0.0 if factor < 1 else math.inf
    inside, outside = 1.0 if step == factor else math.sqrt(step), step
    for _ in range(_HALVINGS):
        middle = math.sqrt(inside * outside)
        inside, outside = (middle, outside) if near(middle) else (inside, middle)
    return inside


def _classes(name: str, m: int, asked: Sequence[Chosen], full: Collection[str]) -> tuple[Codes, Codes]:
    """Return (C,) the first label of each class of a column's labels, and (m,) the class of each; the rest is last."""
    if name in full:
        return np.arange(m), np.arange(m)
    sets = [chosen[name] for chosen in asked if name in chosen]
    key = reduce(
        lambda found, flags: 2 * np.unique(found, return_inverse=True)[1].reshape(-1) + flags,
        sets,
        np.zeros(m, np.int64),
    )
    member = np.any(sets, axis=0)
    _, first, of = np.unique(np.where(member, key, np.iinfo(np.int64).max), return_index=True, return_inverse=True)
    return first.astype(np.intp), of.reshape(-1).astype(np.intp)


def _part(
    engine: Engine, block: tuple[str, ...], names: Sequence[str], asked: Sequence[Chosen], full: Collection[str]
) -> SensitiveClasses:
    table = engine.published.table
    if len(block) == 1:
        name = names[0]
        first, of = _classes(name, table[name].m, asked, full)
        rest = name not in full and not any(chosen[name][first[-1]] for chosen in asked if name in chosen)
        return _made((name,), name, engine, of, first[:, None], rest=rest)
    if len(asked) == 1 and not full:  # as a count of those that meet all is answered
        chosen = [asked[0][name] for name in names]
        name, flags = engine.met(block, list(zip(names, chosen, strict=True)))
        met, of = np.unique(flags, return_inverse=True)
        yes = np.array([each.argmax() for each in chosen])
        no = np.array([chosen[0].argmin(), *yes[1:]])
        return _made(tuple(names), name, engine, of.reshape(-1), np.where(met[:, None], yes, no), rest=False)
    codes = np.zeros(table.n, np.int64)
    stands = []
    for name in names:
        first, of = _classes(name, table[name].m, asked, full)
        codes = codes * len(first) + of[table[name].codes]
        stands.append(first[of][table[name].codes])
    _, one, states = np.unique(codes, return_index=True, return_inverse=True)
    if len(one) > _MOST_STATES:
        raise BadQuestion(
            "{columns} are drawn together and have too many values for one answer; ask about some of them.",
            columns=", ".join(names),
        )
    name, part_of = engine.states(block, states.reshape(-1).astype(np.int32), np.arange(len(one)))
    standing = np.stack([each[one] for each in stands], axis=1).astype(np.intp)
    return _made(tuple(names), name, engine, part_of.astype(np.intp), standing, rest=False)


def _made(
    names: tuple[str, ...], base: str, engine: Engine, of: Codes, first: Codes, *, rest: bool
) -> SensitiveClasses:
    codes, through, member = engine.codes(base), engine.best(base), np.eye(len(first))[of]
    if isinstance(through, Transition):
        f, moving = through.counts, np.ones(len(of))
        gain = np.where(through.readable, 1 / np.where(through.readable, through.signal, 1.0), 0.0)
        weights = gain[:, None] * member - (gain * through.b) @ member
        whole = f @ member
        share = _shares(f, member, whole)
        into = through.b + share.T * (through.a - through.b)
        into /= into.sum(axis=1, keepdims=True)
    else:
        f, moving = through.counts, through.moving.astype(np.float64)
        weights = through.inverse @ member
        whole = f @ member
        into = _shares(f, member, whole).T @ through.matrix
    if rest:
        if isinstance(through, Transition):
            weights += np.outer(through.short, np.where(member.sum(axis=0) > 1, whole, 0.0) / through.n)
        weights[:, -1] = 1 - weights[:, :-1].sum(axis=1)
    else:
        weights = weights + (1 - weights.sum(axis=1, keepdims=True)) * (whole / f.sum())
    told = np.array([bool(through.readable[of == c].all()) for c in range(len(first))])
    moves = np.divide((moving * f) @ member, whole, out=np.ones(len(first)), where=whole > 0)
    chances, resting = into @ member, bool(0 < moving.sum() < len(of))
    drift, drifted = (weights - member) * moves, (np.eye(len(first)) - chances) * moves
    if resting:
        assert not isinstance(through, Transition)
        u, v = int(moving.argmax()), int(moving.argmin())  # a value of the rest, and another
        part, size = (moving * f) @ member, max(float(moving @ f), 1e-300)
        taken = float(through.matrix[v] @ moving) * (through.inverse[u, u] - through.inverse[v, u])
        drift = moving[:, None] * (member - part / size) * taken * float(f.sum()) / size
        drifted, moves = into @ drift, moves * (1 - part / size)
    return SensitiveClasses(
        names,
        base,
        codes,
        np.asarray(weights, np.float64),
        of,
        chances,
        whole,
        moves,
        drift,
        drifted,
        resting,
        told,
        first,
        into,
    )


def _shares(f: Floats, member: Floats, whole: Floats) -> Floats:
    """Return (m, C) the share of each value in its class."""
    return np.where(whole > 0, member * f[:, None] / np.where(whole > 0, whole, 1.0), member / member.sum(axis=0))
