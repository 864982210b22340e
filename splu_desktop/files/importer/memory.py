"""Whether a table will fit into memory, asked before it is loaded."""

from __future__ import annotations

import ctypes
import os
import sys
import zipfile
from pathlib import Path

from splu_desktop.core.said import say
from splu_desktop.files.importer.faults import TooLarge

# Peak memory per byte, measured by benchmarks/import.py and rounded up.
PER_TEXT_BYTE = 6.0
PER_SHEET_BYTE = 5.0  # per byte of a workbook's unpacked XML
_KEPT_FREE = 0.1
_LARGEST_RATIO = 400  # unpacked bytes per packed byte; a sheet of repeated cells stays below 200
_SMALL = 100 << 20  # unpacked bytes below which no ratio is suspicious


def available() -> int | None:
    """Return the bytes of memory that are free now, None where the system doesn't tell."""
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


def check(path: Path, need: float) -> None:
    """Raise TooLarge where `need` bytes are more than the memory that is free."""
    free = available()
    if free is not None and need > (1 - _KEPT_FREE) * free:
        raise TooLarge(
            say(
                "Reading “{path}” would need about {need:.1f} GB of memory, but only {free:.1f} GB "
                "are free; close other programs, use a computer with more memory, or import a part of "
                "the table.",
                path=path.name,
                need=need / 1e9,
                free=free / 1e9,
            )
        )


def check_zip(path: Path) -> None:
    """Refuse a workbook that unpacks to more than memory holds, or to a size that no honest file has."""
    with zipfile.ZipFile(path) as archive:
        packed = max(path.stat().st_size, 1)
        sheets = sum(item.file_size for item in archive.infolist())
    refuse_bomb(path, packed, sheets)
    check(path, PER_SHEET_BYTE * sheets)


def refuse_bomb(path: Path, packed: int, unpacked: int) -> None:
    """Raise TooLarge where a file unpacks to a size that no honest file has."""
    if unpacked > _SMALL and unpacked > _LARGEST_RATIO * packed:
        raise TooLarge(
            say(
                "“{path}” would unpack to {size:.1f} GB, {times} times its size, as only files made "
                "to exhaust a computer do; ask whoever sent it for an ordinary export.",
                path=path.name,
                size=unpacked / 1e9,
                times=unpacked // packed,
            )
        )
