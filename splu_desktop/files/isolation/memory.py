"""Whether a table will fit into memory, asked before it is loaded."""

from __future__ import annotations

import ctypes
import io
import os
import sys
import zipfile
from pathlib import Path

from splu_desktop.files.disk.room import THREADS
from splu_desktop.files.isolation.faults import Corrupt, TooLarge, TooWide

_PER_TEXT_BYTE = 12  # bytes of memory that a byte of a delimited text takes at the peak, measured and rounded up
_FIRST_PART = 256 << 20  # bytes of a text for which this is known before; of more only what it holds tells
_PER_ROW = 120  # bytes that verdict and draw take for a row at the peak, beside codes in files (docs/scale.md)
_LEAST = 256 << 20  # free bytes without which nothing more is read
_KEPT_FREE = 0.1
_LARGEST_RATIO = 400  # unpacked bytes per packed byte; a sheet of repeated cells stays below 200
_SMALL = 100 << 20  # unpacked bytes below which no ratio is suspicious
_WIDEST = 1 << 15  # columns of a table, twice a worksheet's: each costs time of its own, whatever is in it


def available() -> int | None:
    """Return the bytes of memory that this process can have, None where the system doesn't tell."""
    found = [free for free in (_free(), _left_to_this_process()) if free is not None]
    return min(found) if found else None


def _left_to_this_process() -> int | None:
    """Return the bytes that a limit set on this process (`ulimit -v`) leaves, None where there is none."""
    if sys.platform != "linux":
        return None
    import resource  # of POSIX alone

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return None
    return max(0, limit - taken - THREADS)


def _free() -> int | None:
    """Return the bytes of memory that are free in this computer, None where the system doesn't tell."""
    if sys.platform == "win32":

        class Status(ctypes.Structure):
            _fields_ = (
                ("length", ctypes.c_ulong),
                ("load", ctypes.c_ulong),
                *(
                    (name, ctypes.c_ulonglong)
                    for name in ("total", "free", "page", "page_free", "virt", "virt_free", "ext")
                ),
            )

        status = Status()
        status.length = ctypes.sizeof(Status)
        return int(status.free) if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else None
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def usable() -> float | None:
    """Return the bytes of memory that may be used, most of what is free; None where the system doesn't tell."""
    free = available()
    return None if free is None else (1 - _KEPT_FREE) * free


def check(path: Path, need: float) -> None:
    """Raise TooLarge where `need` bytes are more than can be used of the memory that is free."""
    most = usable()
    if most is not None and need > most:
        raise TooLarge(
            "Reading “{path}” would need about {need:.1f} GB of memory, but only {free:.1f} GB can be used; close "
            "other programs, use a computer with more memory, or import a part of the table.",
            path=path.name,
            need=need / 1e9,
            free=most / 1e9,
        )


def check_width(path: Path, columns: int) -> None:
    """Raise TooWide where a file has more columns than a table has."""
    if columns > _WIDEST:
        raise TooWide(path, columns, _WIDEST)


def need_of_text(size: int) -> float:
    """Return the bytes of memory that reading a delimited text of `size` bytes is estimated to take at least."""
    return float(_PER_TEXT_BYTE * min(size, _FIRST_PART))


def need_of_rows(rows: int) -> float:
    """Return the bytes of memory that a table of so many rows takes from when it is read until it is published."""
    return float(_PER_ROW * rows)


def check_left(path: Path, share: float) -> None:
    """Raise TooLarge where memory has run out when a share of a text was read: its texts are nearly all different."""
    free = available()
    if free is not None and free < _LEAST:
        raise TooLarge(
            "“{path}” has too many different texts for the free memory, which was full at {percent} %; read a part.",
            path=path.name,
            percent=int(100 * share),
        )


def unpacked_size(path: Path, content: bytes | None = None) -> int:
    """Return the bytes that a workbook unpacks to. `content` : the workbook, where it doesn't lie at `path`.

    Raises Corrupt; TooLarge where that is a size that no honest file has.
    """
    try:
        with zipfile.ZipFile(path if content is None else io.BytesIO(content)) as archive:
            packed = max(path.stat().st_size if content is None else len(content), 1)
            sheets = sum(item.file_size for item in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Corrupt(path, "its ZIP container can't be read") from error
    refuse_bomb(path, packed, sheets)
    return sheets


def refuse_bomb(path: Path, packed: int, unpacked: int) -> None:
    """Raise TooLarge where a file unpacks to a size that no honest file has."""
    if unpacked > _SMALL and unpacked > _LARGEST_RATIO * packed:
        raise TooLarge(
            "“{path}” would unpack to {size:.1f} GB, {times} times its size, as only files made "
            "to exhaust a computer do; ask whoever sent it for an ordinary export.",
            path=path.name,
            size=unpacked / 1e9,
            times=unpacked // packed,
        )
