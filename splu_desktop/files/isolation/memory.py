"""What memory is free, and what no honest file asks of it."""

from __future__ import annotations

import ctypes
import sys
import zipfile
from pathlib import Path

from splu_desktop.core.errors import FileFault
from splu_desktop.files.disk.room import THREADS
from splu_desktop.files.isolation.faults import Corrupt, TooLarge, TooSpread

PER_ROW = 120  # bytes that verdict and draw take for a row at the peak, beside codes in files (docs/scale.md)
_LEAST = 256 << 20  # free bytes without which nothing more is read
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
    return None


def check_left(path: Path, need: float = _LEAST) -> None:
    """Raise TooLarge where fewer bytes are free than are needed to go on."""
    free = available()
    if free is not None and free < need:
        raise TooLarge(path)


def check_width(path: Path, columns: int) -> None:
    """Raise FileFault where a file has more columns than a table has."""
    if columns > _WIDEST:
        raise FileFault(
            "“{path}” has {columns} columns, and a table can have {most}; check its delimiter, or export fewer "
            "columns.",
            path=path.name,
            columns=columns,
            most=_WIDEST,
        )


def unpacked_size(path: Path) -> int:
    """Return the bytes that a workbook unpacks to. Raises Corrupt; TooSpread where no honest file has so many."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(item.file_size for item in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Corrupt(path, "ZIP") from error
    refuse_bomb(path, max(path.stat().st_size, 1), size)
    return size


def refuse_bomb(path: Path, packed: int, unpacked: int) -> None:
    """Raise TooSpread where a file unpacks to a size that no honest file has."""
    if unpacked > _SMALL and unpacked > _LARGEST_RATIO * packed:
        raise TooSpread(path)
