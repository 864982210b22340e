"""Arrays as long as a table that lie on disk, for tables larger than the memory they may take.

They are mapped: NumPy works on them as on any others, and the system holds in memory what is being worked on. They lie
in files without a name, which nobody else can open and which are gone when the process is, however it ends. What lies
there are codes and row numbers; texts never do.
"""

from __future__ import annotations

import errno
import mmap
import os
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import FileFault

LEAST = 500 << 20  # bytes of memory with which any large table can be published
_SLAB = 256 << 20  # bytes of a file at least: arrays share them, for a process may not open many
_LINE = 64  # bytes to whose multiples arrays begin
_PART = 0.2  # of the memory, that mapped arrays are let have
_PAUSE = 0.02  # seconds between two looks
_LETTERS = 0.4  # of the memory, that columns' different texts are let have
_PER_LABEL = 200  # bytes that a text takes, with its place in tables and indexes, beside its letters


class DiskFull(FileFault):
    """There is no room on disk for what does not fit into memory."""


class _Slab(mmap.mmap):
    """A mapped file that can be referred to weakly."""


class OnDisk:
    """Storage on disk (`core.table.Storage`).

    memory : bytes that the process is to get along with.
    """

    records: int | None = 1 << 20  # brought here at a time

    def __init__(self, memory: int) -> None:
        self.memory: int | None = memory
        self._part, self._letters = int(_PART * memory), int(_LETTERS * memory)
        self._slabs: weakref.WeakSet[_Slab] = weakref.WeakSet()
        self._open: _Slab | None = None
        self._used = 0
        self._turn = threading.Lock()  # columns are put in order side by side
        threading.Thread(target=_keep, args=(weakref.ref(self),), name="splu-storage").start()

    def array(self, n: int, dtype: Any = np.int32) -> NDArray[Any]:
        """Return (n,) numbers to be written. Raises DiskFull."""
        size = n * np.dtype(dtype).itemsize
        if not size:
            return np.empty(n, dtype)
        with self._turn:
            if self._open is None or self._used + size > len(self._open):
                self._open, self._used = self._slab(max(size, _SLAB)), 0
            found: NDArray[Any] = np.frombuffer(self._open, dtype, n, self._used)
            self._used += -(-size // _LINE) * _LINE
        return found

    def _slab(self, size: int) -> _Slab:
        folder = scratch_folder()
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                if hasattr(os, "posix_fallocate"):  # else a full disk would end the process at the first write
                    os.posix_fallocate(file.fileno(), 0, size)
                else:
                    file.truncate(size)
                slab = _Slab(file.fileno(), size)
        except OSError as fault:
            if fault.errno == errno.ENOMEM:  # it lies there, and can't be mapped
                raise MemoryError from None
            raise DiskFull(
                "The table is larger than the memory it may take, and there is no room for it in “{folder}” "
                "({fault}); make room there, or set TMPDIR to a folder on a larger disk.",
                folder=folder,
                fault=fault.strerror or str(fault),
            ) from None
        self._slabs.add(slab)
        return slab

    def room_for_labels(self, labels: int, letters: int) -> bool:
        """Return whether so many different texts with so many letters in all may be held in memory."""
        return labels * _PER_LABEL + 2 * letters <= self._letters

    def let_go(self) -> None:
        """Give back the memory that mapped arrays take; what they hold stays."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for slab in list(self._slabs):
                slab.madvise(mmap.MADV_DONTNEED)

    def crowded(self) -> bool:
        """Return whether mapped arrays take more memory than their part."""
        try:
            shared = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[2]) * mmap.PAGESIZE
        except (OSError, ValueError, IndexError):  # macOS: give it back every time
            return True
        return shared > self._part


def _keep(storage: weakref.ref[OnDisk]) -> None:
    """Look after a storage as long as there is one: work on whole columns reports its progress too rarely for that."""
    while threading.main_thread().is_alive() and (here := storage()) is not None:
        if here.crowded():
            here.let_go()
        del here
        time.sleep(_PAUSE)


def scratch_folder() -> str:
    """Return where such files lie: the folder for temporary files that TMPDIR names, else one that is no memory."""
    named = os.environ.get("TMPDIR")
    if named or sys.platform == "win32" or not os.access("/var/tmp", os.W_OK | os.X_OK):  # noqa: S108, /tmp may be memory
        return tempfile.gettempdir()
    return "/var/tmp"  # noqa: S108
