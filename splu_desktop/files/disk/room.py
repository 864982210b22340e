"""Whether there is room in memory for work, asked before it begins.

Where memory runs out in the middle, NumPy raises MemoryError, but other libraries end the process: the loader that
finds no room for a thread's own data, a C++ library that can't allocate. So work under a limit (`ulimit -v`, a
container) is refused before it starts unless it has what it takes, threads and their arenas included.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys

# Address space that reading, drawing and writing the smallest table takes, measured: libraries, threads, their arenas.
LIBRARIES, THREADS = 600 << 20, 200 << 20
# What the GNU C library calls how it holds memory, and what it is told: no heap for each thread, and pieces of any size
# come from the heap, which keeps a gigabyte of what is freed. Publishing a million rows asks for and frees a gigabyte
# every second; else the system would hand out and clear each page anew: a fifth of processor time of ten million rows.
_ARENAS, _MAPPED, _KEPT = (-8, 1), (-4, 0), (-1, 1 << 30)


def keep_freed_memory() -> None:
    """Have what is freed used again at once, where the C library can be told; before any thread starts."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library knows no such call
            for parameter, value in (_ARENAS, _MAPPED, _KEPT):
                ctypes.CDLL(None).mallopt(parameter, value)


def return_freed_memory() -> None:
    """Give the system back what is free between what is in use, where the C library can be told."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def check_room(size: int) -> None:
    """Raise MemoryError unless so many bytes of address space are to be had. None of them is used."""
    if sys.platform == "win32":  # which has no such limits, and would set the bytes aside on disk
        return
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0).close()
    except OSError as fault:
        raise MemoryError from fault
