"""Codes of many records, kept in files that have no name: they take no memory, and a killed process leaves nothing.

Nothing but whole numbers is written; what they stand for stays in memory. The system keeps of such a file in memory
what it has room for. Where the disk refuses, the codes stay in memory.
"""

from __future__ import annotations

import mmap
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.resources import data_folder
from splu_desktop.core.table import Column

IN_MEMORY = 1 << 22  # records whose codes stay in memory
_FILES = 400  # open at a time, of the thousand that systems allow a process
_open: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


class CodeCollector:
    """(N,) codes of a column, collected part by part."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.int32]] = []
        self._count = self._written = 0
        self._file: Any = None
        self._refused = False

    def add(self, codes: NDArray[np.int32]) -> None:
        """Append the codes of some records."""
        self._parts.append(codes)
        self._count += len(codes)
        if self._count > IN_MEMORY and not self._refused:
            self._write()

    def all_codes(self) -> NDArray[np.int32]:
        """Return all codes, those of many records as a file that is mapped into memory and can't be written to."""
        if self._file is None:
            return np.concatenate(self._parts) if self._parts else np.zeros(0, np.int32)
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self._file.close()  # the mapping holds what it maps
        _open.add(mapped)
        return np.frombuffer(mapped, np.int32)

    def __del__(self) -> None:
        """Let go of the file where the codes were not asked for, as after a fault."""
        if self._file is not None:
            self._file.close()

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = nameless_file()
            for part in self._parts:
                left = np.ascontiguousarray(part, np.int32).data.cast("B")
                while len(left):
                    left = left[self._file.write(left) :]
            self._written, self._parts = self._count, []
        except OSError:
            self._refused = True
            if self._file is not None:
                self._file.seek(0)
                whole = np.frombuffer(self._file.read(4 * self._written), np.int32)
                self._file.close()
                self._file, self._parts = None, [whole, *self._parts]


def nameless_file() -> Any:
    """Return an open file in the data folder that ends with its process. Raises OSError."""
    import tempfile  # few tables have so many records

    if len(_open) >= _FILES:
        raise OSError
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryFile(dir=folder, buffering=0)


def store_codes(column: Column) -> Column:
    """Return a column with the codes of its records in a file where they are many."""
    stored = isinstance(getattr(column.codes.base, "obj", None), mmap.mmap)
    if column.n <= IN_MEMORY or stored:
        return column
    codes, spellings = _store(column.codes), column.spellings
    if spellings is not None and spellings.over is column.codes:
        spellings = replace(spellings, codes=_store(spellings.codes), over=codes)
    return replace(column, codes=codes, spellings=spellings)


def _store(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    file = CodeCollector()
    file.add(codes)
    return file.all_codes()
