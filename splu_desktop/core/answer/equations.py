"""Estimating equations over hidden values: one engine for means, ratios and regressions.

A row whose hidden value could be v counts for each v with the weight phi_v, the score of "is v" (several blocks:
products). So sums of weights times any function of the hidden values are right on average, and every analysis is the
root of such sums (mechanism.md section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.scores import class_shares
from splu_desktop.core.distinct import row_classes
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.mechanism import Block
from splu_desktop.core.published import Published, block_codes

Floats = NDArray[np.float64]
Values = Mapping[str, Floats]  # feature -> (R, d) or (1, d) values
Score = Callable[[Floats, Values], tuple[Floats, Floats]]  # theta, values -> psi (R, k), derivative (R, k, k)

_MOST_STATES = 2_000
_MOST_STEPS = 40
_MORE = 4.0  # rows that a class counts more, as many of each state (Agresti and Coull 1998)


@dataclass(frozen=True, eq=False)
class Feature:
    """What an analysis reads of a column: values (m, d), what each label means, NaN where it means nothing."""

    column: str
    values: Floats


class NoAnswer(BadQuestion):
    """The equations have no root, or one that the release can't tell.

    theta : (k,) where the search ended; entries that ran away are those that can't be told.
    """

    def __init__(self, theta: Floats) -> None:
        self.theta = theta
        super().__init__("The release can't tell this: too few records are left. Ask of more records or fewer columns.")


def _find_alike(keys: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (N,) codes of rows, the same for those that agree in all keys (N,), and a row that has each."""
    codes = row_classes(keys, [int(key.max(initial=-1)) + 1 for key in keys], len(keys[0]))
    rows = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    rows[codes] = np.arange(len(codes))
    return codes, rows


class HiddenBlock:
    """One block's part: which states its features can be in, and the weight of each state in each row."""

    def __init__(self, published: Published, block: Block, features: Mapping[str, Feature]) -> None:
        self.block, self.a = block, block.draw.retention
        hidden = {key: each for key, each in features.items() if each.column in block.columns}
        names = list(dict.fromkeys(each.column for each in hidden.values()))
        stacked: list[Floats] = [
            np.concatenate([each.values for each in hidden.values() if each.column == name], axis=1) for name in names
        ]
        keys: list[NDArray[np.integer]] = []
        for name, values in zip(names, stacked, strict=True):
            # Values that the analysis takes for the same are one state: far fewer states, and less noise in each.
            same = np.where(np.isnan(values), 1e300, values)  # NaN differs from itself: rows with it would never agree
            keys.append(np.unique(same, axis=0, return_inverse=True)[1].ravel().take(published.table[name].codes))
        if block.draw.name != "lenders":  # lenders alone draw joined values as they draw each: others need them apart
            keys = [block_codes(published.table, block.columns)]
        self.shown, first = _find_alike(keys)
        self.states = len(first)
        self.values = {key: each.values[published.table[each.column].codes[first]] for key, each in hidden.items()}

    def learn(self, published: Published) -> Floats:
        """Return (C, V, V) the scores of "is v" where u is shown, by class: weights[c, u, v]."""
        classes, number = published.record_class, len(published.cells)
        self.shares = class_shares(self.shown, self.states, classes, number)
        counts = self.shares * np.bincount(classes, minlength=number)[:, None]
        self.seen = (counts + _MORE / self.states) / (counts.sum(axis=1, keepdims=True) + _MORE)
        some, place = np.unique(counts, axis=0, return_inverse=True)  # of thousands of classes most are alike in it
        return np.stack([self.block.draw.score(np.eye(self.states), each).T for each in some])[place]


class Equations:
    """Sums over the rows of a release of functions of some features, hidden ones scored.

    Parameters
    ----------
    published : the release.
    features : name -> feature; those of sensitive columns are hidden.
    """

    def __init__(self, published: Published, features: Mapping[str, Feature]) -> None:
        self.published, self.features = published, features
        columns = dict.fromkeys(each.column for each in features.values())
        blocks = dict.fromkeys(published.block_of(name) for name in columns if published.is_sensitive(name))
        self.hidden = [HiddenBlock(published, block, features) for block in blocks]
        if np.prod([each.states for each in self.hidden], initial=1) > _MOST_STATES:
            raise BadQuestion("The secret columns asked have too many values together; choose fewer.")
        self.states = list(np.ndindex(*(each.states for each in self.hidden)))
        weights = [each.learn(published) for each in self.hidden]
        # Rows that agree in all that is asked are one row with a number.
        open_codes = [published.table[name].codes for name in columns if not published.is_sensitive(name)]
        self.row, first = _find_alike([published.record_class, *open_codes, *(each.shown for each in self.hidden)])
        self.number = np.bincount(self.row).astype(float)
        self.row_class = published.record_class[first]
        self.person_rows = np.array([cell.rows for cell in published.cells])[self.row_class]
        self.class_size = np.bincount(published.record_class, minlength=len(published.cells)).astype(float)
        self.shown = [each.shown[first] for each in self.hidden]
        self.weights = [w[self.row_class, u] for w, u in zip(weights, self.shown, strict=True)]  # (R, V) each
        self.open = {
            key: each.values[published.table[each.column].codes[first]]
            for key, each in features.items()
            if not published.is_sensitive(each.column)
        }

    def values(self, state: Sequence[int]) -> dict[str, Floats]:
        """Return the features of all rows, were their hidden values in this state."""
        by_key = dict(self.open)
        for each, at in zip(self.hidden, state, strict=True):
            by_key |= {key: values[at : at + 1] for key, values in each.values.items()}
        return by_key

    def _weigh(self, state: Sequence[int], but: int = -1) -> Floats:
        """Return (R,) the weight of a state in each row, a product over blocks; without that of block `but`."""
        parts = (w[:, at] for place, (w, at) in enumerate(zip(self.weights, state, strict=True)) if place != but)
        return reduce(np.multiply, parts, np.ones(len(self.number)))

    def sums(self, score: Score, theta: Floats) -> tuple[Floats, Floats]:
        """Return (k,) the sum of scores at theta, and (k, k) its derivative."""
        k = len(theta)
        total, slope = np.zeros(k), np.zeros((k, k))
        for state in self.states:
            psi, derivative = score(theta, self.values(state))
            weight = self.number * self._weigh(state)
            total += np.broadcast_to(psi, (len(weight), k)).T @ weight
            # Weights may be negative; the derivative is that of the sum as it is, so Newton's root is the sum's own.
            slope += np.tensordot(weight, np.broadcast_to(derivative, (len(weight), k, k)), axes=1)
        return total, slope

    def solve(self, score: Score, start: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the root of the sums (k,), by Newton's method, and its covariances (k, k). Raises BadQuestion.

        They are about this table, of several blocks no smaller ones, and about persons like these.
        """
        theta = np.asarray(start, float)
        with np.errstate(all="ignore"):
            for _ in range(_MOST_STEPS):
                total, slope = self.sums(score, theta)
                # Columns that say the same leave a direction in which any coefficient would do.
                if not np.isfinite(slope).all() or np.linalg.cond(slope) > 1e12:
                    raise NoAnswer(theta)
                step = np.linalg.solve(slope, total)
                size = float(np.abs(step).max(initial=0) / (1 + np.abs(theta).max(initial=0)))
                # A first step may be far too long: it is cut to about twice the size of theta.
                theta = theta - step * min(1.0, 2.0 / size if size > 0 else 1.0)
                if size < 1e-10:
                    break
            else:
                raise NoAnswer(theta)
            if not np.isfinite(theta).all():
                raise NoAnswer(theta)
            return self._with_spreads(score, theta, slope)

    def _with_spreads(self, score: Score, theta: Floats, slope: Floats) -> tuple[Floats, Floats, Floats]:
        k, rows, number, hidden = len(theta), len(self.number), len(self.class_size), bool(self.hidden)
        effect, sampling, least, persons = np.zeros((rows, k)), np.zeros((k, k)), np.zeros(k), self._alike_rows()
        bread = np.linalg.inv(slope)
        # Of each block, what a row adds in each of its states, the others as they are shown.
        beside = [np.zeros((rows, each.states, k)) for each in self.hidden]
        for state in self.states:
            psi = np.broadcast_to(score(theta, self.values(state))[0], (rows, k))
            weight = self._weigh(state)
            effect += weight[:, None] * psi
            sampling += hidden * (psi * (weight * persons)[:, None]).T @ psi
            for place, at in enumerate(state):
                beside[place][:, at] += self._weigh(state, place)[:, None] * psi
        for each, added, shown in zip(self.hidden, beside, self.shown, strict=True):
            # Shares are read off the same table: each row moves those of its class, and so all scores in it.
            flat = (self.number[:, None, None] * added).reshape(rows, -1).T
            pull = np.stack([np.bincount(self.row_class, part, minlength=number) for part in flat], axis=1)
            pull *= (1 - each.a) / each.a / np.maximum(self.class_size, 1)[:, None]
            pull = pull.reshape(number, each.states, k)
            centre = (pull * each.shares[:, :, None]).sum(axis=1)
            effect -= pull[self.row_class, shown] - centre[self.row_class]
            # What it adds by what it shows, over its class.
            added /= each.a
            added -= pull[self.row_class]
            added -= (each.shares[self.row_class][:, :, None] * added).sum(axis=1, keepdims=True)
            # Few rows mostly show nobody: no variance is less than that of rows as their class, with some more of it.
            squares = np.einsum("rv,rvi->i", self.number[:, None] * each.seen[self.row_class], (added @ bread.T) ** 2)
            least = np.maximum(least, (1 - each.a**2) * squares)
        table = alike = self._cluster(effect)
        if len(self.hidden) == 1 and self.hidden[0].block.draw.name == "lenders":
            table = self._about_table(beside[0], persons)
        # Who is in the table is chance, and who lends in it is chance again: whole classes have both.
        table, alike, sampling = (bread @ each @ bread.T for each in (hidden * table, alike + sampling, sampling))
        table += np.diag(np.maximum(least - np.diag(table), 0))
        alike += np.diag(np.maximum(least + np.diag(sampling - alike), 0))
        return theta, table, alike

    def _alike_rows(self) -> Floats:
        """Return (R,) as how many rows each counts that stands for persons: theirs tell less than so many others do."""
        asked = {each.column for each in self.features.values()}
        states = (self.published.correlation_of(each.block, asked, np.bincount(each.shown)) for each in self.hidden)
        # The least of a block's states: of two that are an event and the others both are alike.
        return np.asarray(self.number * (1 + (self.person_rows - 1) * max((each.min() for each in states), default=1)))

    def _cluster(self, effect: Floats) -> Floats:
        """Return (k, k) the sum over units of the squares of what each adds."""
        owner = self.published.owner if self.published.person else None
        if owner is None:  # all rows of a person might add alike
            return np.asarray((effect * (self.number * self.person_rows)[:, None]).T @ effect)
        sums = np.stack([np.bincount(owner, each) for each in effect[self.row].T], axis=1)
        return np.asarray(sums.T @ sums)

    def _about_table(self, added: Floats, number: Floats) -> Floats:
        """Return (k, k) (1 - a) sum (D^2 + a var D), D(u) (R, V, k) what a row adds that shows u, over its class."""
        (each,), (shown,) = self.hidden, self.shown
        off = added[np.arange(len(shown)), shown]
        within = np.einsum("r,rv,rvi,rvj->ij", number, each.shares[self.row_class], added, added, optimize=True)
        return np.asarray((1 - each.a) * ((off * number[:, None]).T @ off + each.a * within))
