"""Whether a table will fit into memory, asked before it is loaded."""

from __future__ import annotations

import ctypes
import io
import os
import sys
import zipfile
from pathlib import Path

from splu_desktop.files.disk.room import THREADS
from splu_desktop.files.isolation.faults import Corrupt, NeedsMore, TooLarge, TooWide

# Bytes of memory at the peak, measured by tests/files/test_memory.py's tables and rounded up.
_PER_TEXT_BYTE, _PER_FIELD, _PER_VALUE, _PER_VALUE_BYTE = 2.0, 20.0, 140.0, 5.0
_PARTS, _PART = 64, 1 << 14  # places of a text file that are looked at, and bytes there
_TO_COMMAS = bytes.maketrans(b";|\t\r\n", b",,,,,")  # four times as quick as a pattern
PER_FACTS_BYTE = 12.0
PER_BYTE = {
    "xlsx": 8.5,
    "ods": 5.0,
    "xlsb": 8.0,
    "xls": 8.0,
    "marked_up": 6.0,
}
_PER_SHARED = 5.0  # letters of a text that many cells show: each has it for itself, in the library and as Python's
AT_LEAST = 100 << 20  # of a reader's process, whatever the file
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


def lacking(need: float) -> float | None:
    """Return the bytes that can be used where `need` bytes are more than that, None where there is room."""
    most = usable()
    return most if most is not None and need > most else None


def check(path: Path, need: float) -> None:
    """Raise TooLarge where `need` bytes are more than can be used of the memory that is free."""
    most = lacking(need)
    if most is not None:
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


def need(kind: str, size: int) -> float:
    """Return the bytes of memory that reading a file is estimated to take, by its kind and its unpacked size."""
    return AT_LEAST + PER_BYTE[kind] * size


class Allowance:
    """What a reader's process was told of its file: nothing where it may take what it finds necessary."""

    need = most = 0.0

    @classmethod
    def told(cls, need: float, most: float) -> None:
        """Remember the bytes that the file was estimated to take, and those that may be taken."""
        cls.need, cls.most = need, most


def ask_for_shared(path: Path, letters: int) -> None:
    """Raise NeedsMore where a reader was given too little for the letters of texts that stand once and are shown often.

    How often, only the cells tell: a file of 4 MB may take 500.
    """
    need = Allowance.need + _PER_SHARED * letters
    if need > Allowance.most > 0:
        raise NeedsMore(path, need)


def need_of_text(size: int, sample: bytes) -> float:
    """Return the bytes of memory that reading a delimited text of `size` bytes is estimated to take.

    Each distinct value of a column costs several times what a field that repeats one costs. As many of the text's
    fields count as distinct values as are distinct in the sample, which is too many rather than too few.
    """
    fields = sample.translate(_TO_COMMAS).split(b",")
    values = set(fields)
    number = len(fields) - fields.count(b"")
    share = size / max(len(sample), 1)
    per_values = _PER_VALUE * len(values) + _PER_VALUE_BYTE * sum(map(len, values))
    return AT_LEAST + _PER_TEXT_BYTE * size + share * (_PER_FIELD * number + per_values)


def most_of_text(size: int) -> float:
    """Return what `need_of_text` says at most, of whatever `size` bytes: each a field with a value of its own."""
    return AT_LEAST + (_PER_TEXT_BYTE + _PER_FIELD + _PER_VALUE + _PER_VALUE_BYTE) * (size + 1)


def sample_of(path: Path) -> bytes:
    """Return some of a file's bytes, from places spread over all of it. Raises OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size <= _PARTS * _PART:
            file.seek(0)
            return file.read()
        parts = []
        for k in range(_PARTS):
            file.seek(k * (size - _PART) // (_PARTS - 1))
            parts.append(file.read(_PART))
        return b"\n".join(parts)


def need_of_release(facts: int, table: int, sample: bytes) -> float:
    """Return the bytes of memory that reading a release is estimated to take.

    Parameters
    ----------
    facts, table : bytes of its release.json and its CSV.
    sample : the first part of the CSV.
    """
    return PER_FACTS_BYTE * facts + table + need_of_text(table, sample)


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
