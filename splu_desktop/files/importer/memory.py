"""Whether a table will fit into memory, asked before it is loaded."""

from __future__ import annotations

import ctypes
import io
import os
import sys
import zipfile
from pathlib import Path

from splu_desktop.core.said import say
from splu_desktop.files.importer.faults import Corrupt, TooLarge

# Peak memory per byte, measured by benchmarks/import.py and rounded up.
PER_TEXT_BYTE = 6.0
PER_BYTE = {
    "xlsx": 5.0,
    "ods": 5.0,
    "xlsb": 8.0,
    "xls": 8.0,
    "spss": 8.0,
    "sas": 8.0,
    "stata": 8.0,
    "parquet": 8.0,
    "marked_up": 6.0,
}
_AT_LEAST = 100 << 20  # of a reader's process, whatever the file
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
    """Raise TooLarge where `need` bytes are more than can be used of the memory that is free."""
    free = available()
    usable = None if free is None else (1 - _KEPT_FREE) * free
    if usable is not None and need > usable:
        raise TooLarge(
            say(
                "Reading “{path}” would need about {need:.1f} GB of memory, but only {free:.1f} GB "
                "can be used; close other programs, use a computer with more memory, or import a part of "
                "the table.",
                path=path.name,
                need=need / 1e9,
                free=usable / 1e9,
            )
        )


def need(kind: str, size: int) -> float:
    """Return the bytes of memory that reading a file is estimated to take, by its kind and its unpacked size."""
    return _AT_LEAST + PER_BYTE.get(kind, PER_TEXT_BYTE) * size


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
            say(
                "“{path}” would unpack to {size:.1f} GB, {times} times its size, as only files made "
                "to exhaust a computer do; ask whoever sent it for an ordinary export.",
                path=path.name,
                size=unpacked / 1e9,
                times=unpacked // packed,
            )
        )
