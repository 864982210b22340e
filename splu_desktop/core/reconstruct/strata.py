"""How likely each value of a re-drawn column is given the unchanged ones: a multinomial logit fitted through the draw.

Records whose unchanged columns (or the intervals and groups of `reconstruct_explained.Design`) agree are one stratum z.
Over the strata a record's true value follows

    p_s(z) = softmax over s of (alpha_s + sum over columns j of B_s[j, z_j]),

and its published one the values that the draw makes of it, q_u(z) = sum over s of p_s(z) T[s, u]. B has a normal prior
whose variance is learnt, and is where the posterior is largest. Of two columns that both go with the strata, p_s p_t
summed over the records of a selection says how often s and t meet there. A product of probabilities bends as
exponentials do, so this finds more of how pairs stray from independence than the linear regression of
`reconstruct_explained`, which stays for tables whose strata are too many or tell too little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.reconstruct.explained import D_RANGE
from splu_desktop.core.transition.two_numbers import Floats, Transition
from splu_desktop.frozen import dataclass

Indices = NDArray[np.intp]

MOST_CLASSES = 60  # values told apart; the others count as one
_LEAST_SHARE = 0.002  # of the records, of a value told apart
_MOST_WORK = 70_000_000  # strata times groups times classes
_MOST_CELLS = 3_000_000  # strata times classes
_ENOUGH = 0.8  # of what all columns tell
_PRIOR, _PRIORS = 0.1, (0.01, 1.0)  # variance of a log-odds ratio: at first, and the range it is learnt in
_HELD = 0.1  # of the number of coefficients: how much the first variance weighs
_DRAWN_TWICE = 4.0
_STEPS, _KEPT = (6, 10), 10  # of the search: steps with each variance, the second learnt; and how many are remembered
_LOOSE = 0.05  # standard deviation within which a value's share in all strata is held to its published one, relative
_LOOKED_AT = 100_000  # records that say which columns tell anything; their order is random
_FLAT = 1e-6  # of the largest variance of a direction, below which it is none
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Strata:
    """Records that agree in what the design tells apart.

    Attributes
    ----------
    place : (N,) stratum of each record.
    counts : (U,) records of each.
    groups : (U, D) whether a stratum is in a group.
    """

    place: Indices
    counts: Floats
    groups: Floats

    @classmethod
    def of(cls, places: NDArray[np.uint16], telling: Floats, classes: int) -> Strata | None:
        """Return the strata of as many columns as can be afforded, None where those tell too little of what all do.

        Parameters
        ----------
        places : (J, N) group of each record in each column, numbered over all columns.
        telling : (J,) how much each column tells about the re-drawn ones; those that tell nothing are left out.
        classes : values to be told apart, of all re-drawn columns.
        """
        n = places.shape[1]
        place, number, used = np.zeros(n, np.intp), 1, []
        width = 0
        for at in np.argsort(-telling, kind="stable").tolist():
            if telling[at] <= 0:
                break
            low = int(places[at].min())
            size = int(places[at].max()) - low + 1
            keys = place * size + (places[at].astype(np.intp) - low)
            more, count = _renumbered(keys, number * size)
            if count * (width + size) * classes > _MOST_WORK or count * classes > _MOST_CELLS:
                continue
            place, number, width = more, count, width + size
            used.append(at)
        if not used or telling[used].sum() < _ENOUGH * telling.sum():
            return None
        first = np.zeros(number, np.intp)
        first[place] = np.arange(n)
        columns = [places[at][first].astype(np.intp) for at in used]
        groups = np.concatenate(
            [
                column[:, None] == np.arange(places[at].min(), int(places[at].max()) + 1)
                for at, column in zip(used, columns, strict=True)
            ],
            axis=1,
        )
        return cls(place, np.bincount(place, minlength=number).astype(np.float64), groups.astype(np.float64))

    def among(self, records: Indices | None) -> Floats:
        """Return (U,) how many of some records, or of all, are in each stratum."""
        if records is None:
            return self.counts
        return np.bincount(self.place[records], minlength=len(self.counts)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class ValueClasses:
    """The values of a re-drawn column told apart.

    Attributes
    ----------
    of_value : (m,) class of each value; the last class may hold many.
    share : (m,) share of a value in its class.
    """

    of_value: Indices
    share: Floats

    @classmethod
    def of(cls, counts: Floats) -> ValueClasses:
        """Return classes of the most frequent values and one of all others."""
        often = np.argsort(-counts, kind="stable")[:MOST_CLASSES]
        often = np.sort(often[counts[often] >= _LEAST_SHARE * counts.sum()])
        if len(often) >= len(counts) - 1:
            often = np.arange(len(counts))
        of_value = np.full(len(counts), len(often), np.intp)
        of_value[often] = np.arange(len(often))
        whole = np.bincount(of_value, counts)
        return cls(of_value, counts / np.maximum(whole[of_value], _LEAST))

    @property
    def number(self) -> int:
        """K, how many classes there are."""
        return int(self.of_value.max()) + 1


def telling(places: NDArray[np.uint16], codes: Indices, number: int) -> Floats:
    """Return (J,) by how much each column's chi^2 with a re-drawn one stands clear of chance (2 standard deviations).

    Parameters
    ----------
    codes : (N,) class of each record's published value.
    number : of classes.
    """
    result = np.zeros(len(places))
    shown = codes[:_LOOKED_AT]
    for at, column in enumerate(places):
        groups = column[:_LOOKED_AT].astype(np.intp)
        groups -= groups.min()
        size = int(groups.max()) + 1
        seen = np.bincount(groups * number + shown, minlength=size * number).reshape(size, number)
        usual = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / len(shown)
        chi = float((np.square(seen - usual) / np.maximum(usual, _LEAST)).sum())
        free = float((size - 1) * (number - 1))
        result[at] = max(chi - free - 2 * np.sqrt(2 * free), 0.0)
    return result


def meeting(among: Floats, p: Floats, other: Floats) -> Floats:
    """Return (K,) d: how much more often than by chance each class goes with another column's values in a selection.

    Parameters
    ----------
    among : (U,) selected records of each stratum.
    p, other : (U, K), (U,) chances of the classes, and of the other column's values.
    """
    weight = among * other
    usual = (among @ p) * float(weight.sum()) / max(float(among.sum()), 1.0)
    return np.asarray(np.clip((weight @ p) / np.maximum(usual, 1e-300), *D_RANGE))


def likely(published: Floats, p: Floats, way: tuple[Floats, Floats, Floats]) -> float:
    """Return the log likelihood of (L, K) published counts under (L, K) chances of the true classes."""
    straight, theta, h = way
    q = straight * p + np.outer(p @ h, theta)
    return float(np.vdot(published, np.log(np.maximum(q, 1e-9))))


def carried(through: Transition, classes: ValueClasses) -> tuple[Floats, Floats, Floats]:
    """Return (K,) straight, theta and h: the published classes' chances are straight p + theta (p . h)."""
    theta = through.affinity
    whole = np.maximum(np.bincount(classes.of_value, through.counts), _LEAST)
    both = np.bincount(classes.of_value, theta).astype(np.float64)
    own = np.bincount(classes.of_value, theta**2)
    h = both / whole
    # Of a class of many values a record may be published as another of them.
    return through.a - own / whole, both, h


def fitted(strata: Strata, published: Floats, way: tuple[Floats, Floats, Floats], a: float) -> Floats:
    """Return (U, K) p of each stratum and class.

    Parameters
    ----------
    published : (U, K) records of each stratum published as each class.
    way : what the draw makes of p (`carried`).
    a : the chance that a record keeps its value.
    """
    straight, theta, h = way
    n, k = float(published.sum()), published.shape[1]
    mean = strata.counts @ strata.groups / n
    centred = strata.groups - mean
    roots, vectors = np.linalg.eigh((centred * strata.counts[:, None]).T @ centred / n)
    used = roots > _FLAT * roots[-1]
    roots, scores = roots[used], centred @ vectors[:, used]
    whole = np.maximum(published.sum(axis=0), 0.5)
    loose = whole * (1 - a) + (_LOOSE * whole) ** 2
    start = np.log(whole / n)

    def chances(alpha: Floats, beta: Floats) -> tuple[Floats, Floats]:
        eta = scores @ beta + alpha
        eta -= eta.max(axis=1, keepdims=True)
        p = np.exp(eta, out=eta)
        p /= p.sum(axis=1, keepdims=True)
        q = (p @ h)[:, None] * theta
        q += straight * p
        return p, q

    alpha, beta = start, np.zeros((len(roots), k))
    prior = _PRIOR
    for number, steps in enumerate(_STEPS):
        p, q = chances(alpha, beta)
        told = strata.counts @ ((straight * p * (1 - p)) ** 2 / np.maximum(q, _LEAST))
        pinned = (strata.counts @ (p * (1 - p))) ** 2 / loose
        known = np.concatenate([(told + pinned)[None, :], told * roots[:, None] + 1 / prior])
        scale = 1 / np.sqrt(np.maximum(known, _LEAST))

        def worth(x: Floats, scale: Floats = scale, prior: float = prior) -> tuple[float, Floats]:
            """Return the log posterior, negated, and its gradient."""
            own = x.reshape(scale.shape) * scale
            p, q = chances(own[0], own[1:])
            np.maximum(q, 1e-300, out=q)
            off = strata.counts @ p - whole
            likely = float(np.vdot(published, np.log(q))) - 0.5 * float(off @ (off / loose))
            surprise = np.divide(published, q, out=q)
            also = surprise @ theta
            surprise *= straight
            surprise += also[:, None] * h
            surprise -= strata.counts[:, None] * (off / loose)
            surprise -= np.einsum("uk,uk->u", p, surprise)[:, None]
            surprise *= p
            slope = np.concatenate([surprise.sum(axis=0)[None, :], scores.T @ surprise - own[1:] / prior])
            return 0.5 * float((own[1:] ** 2).sum()) / prior - likely, -(slope * scale).ravel()

        found = lowest(worth, (np.concatenate([alpha[None, :], beta]) / scale).ravel(), steps).reshape(scale.shape)
        alpha, beta = (found * scale)[0], (found * scale)[1:]
        # MacKay (1992): the coefficients' sum of squares over the number of those that the data settle.
        settled = float((1 - scale[1:] ** 2 / prior).sum())
        held = _HELD * beta.size
        prior = float(np.clip((float((beta**2).sum()) + held * _PRIOR) / (settled + held), *_PRIORS))
        if number == len(_STEPS) - 2:
            # Where two columns meet, both sides' coefficients are multiplied, so what draws them to 0 counts twice.
            prior = min(prior * (1 + _DRAWN_TWICE * settled / beta.size), _PRIORS[1])
    return chances(alpha, beta)[0]


def lowest(worth: Callable[[Floats], tuple[float, Floats]], x: Floats, steps: int) -> Floats:
    """Return where a smooth function is low, by quasi-Newton steps of limited memory (Nocedal 1980)."""
    value, slope = worth(x)
    moves: list[tuple[Floats, Floats, float]] = []
    for _ in range(steps):
        way = slope.copy()
        weights = []
        for move, bend, size in reversed(moves):
            weight = float(move @ way) / size
            weights.append(weight)
            way -= weight * bend
        if moves:
            move, bend, size = moves[-1]
            way *= size / float(bend @ bend)
        for (move, bend, size), weight in zip(moves, reversed(weights), strict=True):
            way += (weight - float(bend @ way) / size) * move
        fall = float(way @ slope)
        length = 1.0
        while True:
            there, above = worth(x - length * way)
            if there <= value - 1e-4 * length * fall:
                break
            length /= 2
            if length < 1e-4:
                return x
        move, bend = -length * way, above - slope
        size = float(move @ bend)
        if size > 1e-12 * float(bend @ bend):
            moves = [*moves[1 - _KEPT :], (move, bend, size)]
        done = value - there < 1e-7 * abs(value)
        x, value, slope = x + move, there, above
        if done:
            break
    return x


def _renumbered(keys: Indices, limit: int) -> tuple[Indices, int]:
    """Return keys from 0 to limit numbered without gaps, and how many there are."""
    if limit <= 4 * len(keys) + 1_000_000:
        seen = np.bincount(keys, minlength=limit) > 0
        return (np.cumsum(seen) - 1)[keys], int(seen.sum())
    seen_keys, place = np.unique(keys, return_inverse=True)
    return place, len(seen_keys)
