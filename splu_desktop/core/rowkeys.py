"""A 64-bit key per record, equal for equal rows: what multisets of rows are compared by.

Every label of every column gets 64 bits, a row the sum of its labels' bits, stirred. With bits drawn at random (or by
a keyed hash whose key nobody else holds) two different rows share a key with probability 2^-64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import SILENT, Progress

Keys = NDArray[np.uint64]
_AT_ONCE = 1 << 18  # records


def row_sums(
    codes: Sequence[NDArray[np.int32]],
    bits: Sequence[Keys],
    n: int,
    *,
    progress: Progress = SILENT,
    stage: str = "Checking the release",
) -> Keys:
    """Return (N,) sums of the labels' bits; `stir` makes keys of them, sums of sums stay sums.

    Parameters
    ----------
    codes : a column of (N,) codes each.
    bits : for each column, (m,) 64-bit numbers, one per label.
    n : number of records.
    """
    sums = np.zeros(n, np.uint64)
    for piece, of_piece in pieces(codes, bits, n, progress=progress, stage=stage):
        sums[piece] = of_piece
    return sums


def pieces(
    codes: Sequence[NDArray[np.int32]],
    bits: Sequence[Keys],
    n: int,
    *,
    progress: Progress = SILENT,
    stage: str = "Checking the release",
) -> Iterator[tuple[slice, Keys]]:
    """Give the same piece by piece: small enough to stay in the processor's own memory from one column to the next."""
    for start in range(0, n, _AT_ONCE):
        piece = slice(start, min(start + _AT_ONCE, n))
        sums = np.zeros(piece.stop - start, np.uint64)
        for column, of_label in zip(codes, bits, strict=True):
            progress.report(stage, start / n)
            sums += np.take(of_label, column[piece])
        yield piece, sums


def stir(keys: Keys) -> Keys:
    """Return the keys through a bijection (splitmix64's), so that sums of few numbers fill all 64 bits."""
    keys = keys ^ (keys >> np.uint64(30))
    keys *= np.uint64(0xBF58476D1CE4E5B9)
    keys ^= keys >> np.uint64(27)
    keys *= np.uint64(0x94D049BB133111EB)
    keys ^= keys >> np.uint64(31)
    return keys
