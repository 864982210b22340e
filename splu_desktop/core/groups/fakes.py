"""Fake values beside the records' own in every decoy group, against corruption.

Source: papers/inferential_privacy.txt, section 6. Whoever knows the values of all other records of a group is left with
those of one record and of sigma fakes, and can't tell which is which. A fake value is one of the column's, as often of
each value as the group's size class has records of it: then fakes look like records, and published counts stay true on
average (`core.groups.mixed`). What they do not do: hold back who knows every other record of the *table*. A published
value always has a true bearer, so its sole bearer is named (`core.guarantees.tolerant.sole_bearer_named`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def dealt(line: NDArray[Any], groups: int, fakes: int, caps: Ints, stream: np.random.Generator) -> NDArray[Any]:
    """Deal records' values in turn to groups with room for fake values, and fill it.

    Parameters
    ----------
    line : (n,) codes of one size class's records, value by value.
    groups : number of groups b; each gets floor(n / b) records or one more.
    fakes : sigma.
    caps : (m,) most copies of each value in a group, fake ones included.
    stream : the pseudo-random stream that the random ids drive.

    Returns
    -------
    (ceil(n / b) + sigma, b) codes, -1 where empty; the fake ones fill the last sigma rows.

    Value v gets n_v sigma b / n fake copies, rounded up or down so that the mean is exact: systematic sampling along
    the sorted records. Records and fakes are laid out in one sorted line with sigma fakes in every stretch of
    S + sigma, and the line is dealt in turn, so that copies of a value spread evenly over the groups.
    """
    n, size = len(line), len(line) // groups
    start = int(stream.integers(n))
    period, rows = size + fakes, size + fakes
    # Real places of one period of the line: record i comes after i records and floor((i sigma + c) / S) fakes.
    at = np.arange(size)
    pattern = np.ones(period, bool)
    pattern[at + (at * fakes + start * size // n) // size] = False
    # Every group meets each phase of the pattern once, so it gets exactly sigma fakes; where the step of the phase is
    # that of the line itself, the line is periodic throughout.
    step = groups % period if math.gcd(groups, period) == 1 else 1
    fake = pattern[(np.arange(groups) + np.arange(rows)[:, None] * step) % period].ravel()
    over = n - size * groups
    fake = np.concatenate([fake, np.zeros(over, bool)])
    behind = np.cumsum(~fake) - 1  # the record that stands at each place, or before it
    values = np.full((rows + (over > 0)) * groups, -1, line.dtype)
    kind = np.ones(len(values), np.int8)  # records first, then the empty place, then fakes
    values[: len(fake)] = line[behind]
    kind[: len(fake)] = np.where(fake, 2, 0)
    order = np.argsort(kind.reshape(-1, groups), axis=0, kind="stable")
    values = np.take_along_axis(values.reshape(-1, groups), order, axis=0)
    _level(values, fakes, _sampled(line, len(caps), fakes * groups, start), caps, stream)
    return values


def _sampled(codes: NDArray[Any], m: int, wanted: int, start: int) -> Ints:
    """Return (m,) how many of `wanted` evenly spaced places of the sorted records, from `start` on, hold each value."""
    ends = (np.arange(1, len(codes) + 1, dtype=np.int64) * wanted + start) // len(codes)
    return np.bincount(codes, np.diff(ends, prepend=start // len(codes)), m).astype(np.int64)


def _level(values: NDArray[Any], fakes: int, wanted: Ints, caps: Ints, stream: np.random.Generator) -> None:
    """Replace the few fakes that the line's ends and turns leave off the sample; at most about sigma for each row."""
    bottom = values[-fakes:]
    off = wanted - np.bincount(bottom.ravel(), minlength=len(caps))
    lacking = np.repeat(np.arange(len(caps)), np.maximum(off, 0))
    for value in lacking.tolist():
        room = (values == value).sum(axis=0) < caps[value]
        spare = (off < 0)[bottom] & room
        rows, at = np.nonzero(spare)
        if len(rows):
            chosen = int(stream.integers(len(rows)))
            off[bottom[rows[chosen], at[chosen]]] += 1
            bottom[rows[chosen], at[chosen]] = value
