"""What memory is free, and what no honest file asks of it."""

from __future__ import annotations

import zipfile
from pathlib import Path

from splu_desktop.core.errors import FileFault
from splu_desktop.files.disk.room import THREADS, check_room
from splu_desktop.files.isolation.faults import Corrupt, TooLarge, TooSpread

PER_ROW = 120  # bytes that verdict and draw take for a row at the peak, beside codes in files (docs/scale.md)
_LEAST = 256 << 20  # free bytes without which nothing more is read
_LARGEST_RATIO = 400  # unpacked bytes per packed byte; a sheet of repeated cells stays below 200
_SMALL = 100 << 20  # unpacked bytes below which no ratio is suspicious
_WIDEST = 1 << 15  # columns of a table, twice a worksheet's: each costs time of its own, whatever is in it


def available() -> int | None:
    """Return the bytes of memory that are free in this computer, None where Linux doesn't tell.

    Other systems refuse memory that they have not got, which raises a MemoryError; Linux ends a process instead.
    """
    try:
        free = Path("/proc/meminfo").read_text(encoding="ascii").partition("MemAvailable:")[2]
        return int(free.split()[0]) << 10
    except (OSError, ValueError, IndexError):
        return None


def check_left(path: Path, need: int = _LEAST) -> None:
    """Raise TooLarge where fewer bytes are free, or left to this process by a limit, than are needed to go on."""
    free = available()
    if free is not None and free < need:
        raise TooLarge(path)
    try:
        check_room(need + THREADS)
    except MemoryError as fault:
        raise TooLarge(path) from fault


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
    refuse_bomb(path, path.stat().st_size, size)
    return size


def refuse_bomb(path: Path, packed: int, unpacked: int) -> None:
    """Raise TooSpread where a file unpacks to a size that no honest file has."""
    if unpacked > _SMALL and unpacked > _LARGEST_RATIO * packed:
        raise TooSpread(path)
