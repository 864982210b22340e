"""Rows in random order, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism import Randomness, below, permutation
from splu_desktop.files.disk.codes import nameless_file

_PART = 1 << 20  # rows put in order at once, unless the table has more than so many for each of the files
_FILES = 200


class Dealt:
    """Rows of whole numbers, dealt at random to files without a name, and each file put in random order by itself.

    Law: the order is uniform. Proof: which file a row goes to is independent of all else, and within a file every
    order is as likely; so it is of the permutation in memory, see `core/mechanism/randomness.py`. The files hold what
    is published, and end with the process.

    Parameters
    ----------
    sizes : below which the numbers of each column are.
    rows : about how many there will be.
    """

    def __init__(self, sizes: Sequence[int], rows: int, source: Randomness) -> None:
        self._row = np.dtype([(f"{at}", np.min_scalar_type(max(size - 1, 0))) for at, size in enumerate(sizes)])
        self._source = source
        with ExitStack() as opened:
            self._files = [opened.enter_context(nameless_file()) for _ in range(min(rows // _PART + 1, _FILES))]
            self._opened = opened.pop_all()

    def __enter__(self) -> Dealt:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the files."""
        self._opened.close()

    def add(self, columns: Sequence[NDArray[Any]]) -> None:
        """Deal some rows."""
        rows = np.empty(len(columns[0]), self._row)
        for at, column in enumerate(columns):
            rows[f"{at}"] = column
        to = below(self._source, len(self._files), len(rows)).astype(np.uint8)
        rows = rows[np.argsort(to, kind="stable")]
        ends = np.cumsum(np.bincount(to, minlength=len(self._files))).tolist()
        for file, begin, end in zip(self._files, [0, *ends], ends, strict=False):
            left = rows[begin:end].view(np.uint8).data
            while len(left):
                left = left[file.write(left) :]

    def parts(self) -> Iterator[list[NDArray[Any]]]:
        """Give the rows in random order, by column, some at a time."""
        for file in self._files:
            file.seek(0)
            rows = np.frombuffer(file.read(), self._row)
            rows = rows[permutation(self._source, len(rows))]
            if len(rows):
                yield [rows[name] for name in self._row.names or ()]
