"""Columns published unchanged that give a sensitive value away, such as a diagnosis' name beside its code.

Re-drawing a column protects nothing while another one that says the same is published as it is. For one non-sensitive
attribute (NSA) and one sensitive attribute (SA): guess each record's SA value as the most frequent one among the other
records with its NSA value. A record alone with its NSA value can't be guessed this way, so that columns with a value
per record don't count as telling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.said import say
from splu_desktop.core.table import Codes, Column, Table

_STAGE = "Looking for columns that tell the sensitive ones"
TELLING = 0.8  # share of right guesses from which a column is named
_GAIN = 0.1  # and by how much they must exceed always guessing the most frequent value


@dataclass(frozen=True)
class Giveaway:
    """One NSA that tells one SA.

    Attributes
    ----------
    column, sensitive : names of NSA and SA.
    right : share of the records whose SA value is guessed right from the NSA's.
    blind : the same by always guessing the SA's most frequent value.
    """

    column: str
    sensitive: str
    right: float
    blind: float

    @property
    def sentence(self) -> str:
        """What it means and what to do."""
        return say(
            "Column “{column}” gives “{sensitive}” away: who knows it guesses the value right in "
            "{right} of 100 records. Published unchanged it undoes the protection; leave it out or "
            "generalise it.",
            column=self.column,
            sensitive=self.sensitive,
            right=int(100 * self.right),
        )


def giveaways(
    table: Table, names: Sequence[str], sensitive: Sequence[str], progress: Progress | None = None
) -> tuple[Giveaway, ...]:
    """Return which of the NSAs `names` give an SA away, the most telling first. Raises UnknownColumn; Cancelled."""
    progress = progress or Silent()
    found = []
    for done, name in enumerate(names):
        for secret in sensitive:
            progress.report(_STAGE, done / len(names))
            if _cannot_tell(table[name], table[secret], progress):
                continue
            right, blind = guessed(table[name], table[secret], progress)
            if right >= TELLING and right >= blind + _GAIN:
                found.append(Giveaway(name, secret, right, blind))
    return tuple(sorted(found, key=lambda each: -each.right))


def _cannot_tell(column: Column, secret: Column, progress: Progress) -> bool:
    """Whether little counting already shows that too many guesses are wrong.

    Guessing each block of records by its own majorities is never worse than guessing them all by common ones. Most
    columns fail on the first quarter; those that may tell are counted again, whole.
    """
    n, cells = column.n, column.m * secret.m
    if n - np.count_nonzero(column.counts() == 1) < TELLING * n:
        return True  # records alone with their value can't be guessed
    least = max(TELLING, float(secret.counts().max()) / n + _GAIN) if n else 0.0
    if cells > n:  # blocks with hardly a record per cell would guess nearly all right; all records of some values don't
        some = column.codes < column.m // 3
        codes = column.codes[some]
        return len(codes) - _right(codes, secret.codes[some], column.m // 3, secret.m, progress) > (1 - least) * n + 1
    wrong = 0
    for start in range(0, n, max(n // 4, 1)):
        block = slice(start, start + max(n // 4, 1))
        keys = column.codes[block].astype(np.intp)
        keys *= secret.m
        keys += secret.codes[block]
        joint = np.bincount(keys, minlength=cells).reshape(column.m, secret.m)
        wrong += len(keys) - int(joint.max(axis=1).sum())
        if wrong > (1 - least) * n + 1:
            return True
    return False


def guessed(column: Column, secret: Column, progress: Progress | None = None) -> tuple[float, float]:
    """Return the shares of right guesses, from `column` and blindly.

    With n_v records of NSA value v, n_vs of them with SA value s: sum over v of n_v (max_s n_vs - 1)/(n_v - 1) over N.
    """
    n = column.n
    if not n:
        return 0.0, 0.0
    right = _right(column.codes, secret.codes, column.m, secret.m, progress or Silent())
    return right / n, float(secret.counts().max()) / n


def _right(codes: Codes, secret: Codes, values: int, secrets: int, progress: Progress) -> float:
    """Return how many records are guessed right, on average: the sum that `guessed` divides by N."""
    keys = codes.astype(np.int64)
    keys *= secrets
    keys += secret
    progress.report(_STAGE, 0.5)
    if values * secrets <= 4 * len(keys):
        joint = np.bincount(keys, minlength=values * secrets).reshape(values, secrets)
        most, size = joint.max(axis=1), joint.sum(axis=1)
    else:
        alone = np.bincount(codes, minlength=values) == 1
        keys = np.sort(keys[~np.take(alone, codes)])  # a record alone can't be guessed
        if not len(keys):
            return 0.0
        progress.report(_STAGE, 0.5)
        edges = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True])))
        keys, counts = keys[edges[:-1]], np.diff(edges)
        value = keys // secrets  # rising, since the keys are
        first = np.flatnonzero(np.concatenate(([True], value[1:] != value[:-1])))
        most, size = np.maximum.reduceat(counts, first), np.add.reduceat(counts, first)
    several = size > 1
    return float((size[several] * (most[several] - 1) / (size[several] - 1)).sum())
