"""How far a sheet of an old XLS workbook reaches, known before it is loaded.

Calamine asks for room for every cell between the first and the last one. A damaged cell in column 60,000 makes that 100
GB, and the system then ends the whole program. So the cells' places are looked at first ([MS-XLS] 2.4, [MS-CFB] 2.2 to
2.6), and a container that can't be followed is not handed on.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from splu_desktop.core.progress import Progress
from splu_desktop.files.isolation.faults import Corrupt

_LAST_COLUMN = 255
_CELLS = frozenset((0x0006, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E, 0x00BD, 0x00BE, 0x00D6, 0x00FD, 0x0406))
_PASSWORD = 0x002F
_ENTRY = 128  # bytes of an entry of the directory
_SMALL = 4096  # bytes below which a stream stands in sectors of 64 bytes
_REPORT = 100_000  # records


def check_extent(path: Path, progress: Progress) -> None:
    """Raise Corrupt where a cell lies outside of any sheet, or the container is damaged."""
    try:
        stream = workbook_stream(path.read_bytes())
    except (struct.error, IndexError, ValueError) as error:
        raise Corrupt(path, "the workbook can't be opened") from error
    at = count = 0
    while at + 8 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        if kind == _PASSWORD:
            return  # what follows is encrypted, which calamine says
        if kind in _CELLS and length >= 4:
            column = int.from_bytes(stream[at + 6 : at + 8], "little")
            if kind in (0x00BD, 0x00BE):
                column = max(column, int.from_bytes(stream[at + 2 + length : at + 4 + length], "little"))
            if column > _LAST_COLUMN:
                raise Corrupt(path, "a cell lies outside of any sheet")
        at += 4 + length
        count += 1
        if count % _REPORT == 0:
            progress.report("Looking through the sheet", at / len(stream))


def workbook_stream(data: bytes) -> bytes:
    """Return the workbook inside its container; raises where the container is damaged."""
    if not data.startswith(b"\xd0\xcf\x11\xe0"):
        return data  # the oldest workbooks have none
    size = 1 << struct.unpack_from("<H", data, 30)[0]
    fat_count, directory = struct.unpack_from("<I", data, 44)[0], struct.unpack_from("<I", data, 48)[0]
    places = list(struct.unpack_from("<109I", data, 76))
    extra, _ = struct.unpack_from("<II", data, 68)
    while extra < 0xFFFFFFFA and len(places) < 1 << 20:
        more = struct.unpack_from(f"<{size // 4}I", data, (extra + 1) * size)
        places += more[:-1]
        extra = more[-1]
    fat: list[int] = []
    for place in places[:fat_count]:
        fat += struct.unpack_from(f"<{size // 4}I", data, (place + 1) * size)

    def chain(first: int, table: Sequence[int]) -> Iterator[int]:
        for _ in range(len(table) + 1):
            if first >= 0xFFFFFFFA:
                return
            yield first
            first = table[first]
        raise ValueError("the chain of sectors runs in a circle")

    def content(first: int) -> bytes:
        return b"".join(data[(s + 1) * size : (s + 2) * size] for s in chain(first, fat))

    entries = content(directory)
    root = b""
    for at in range(0, len(entries) - _ENTRY + 1, _ENTRY):
        entry = entries[at : at + _ENTRY]
        name = entry[: max(struct.unpack_from("<H", entry, 64)[0] - 2, 0)].decode("utf-16-le", "replace")
        first, length = struct.unpack_from("<II", entry, 116)
        if not at:
            root = content(first) if first < 0xFFFFFFFA else b""
        elif name.lower() in ("workbook", "book"):
            if length >= _SMALL:
                return content(first)[:length]
            table = content(struct.unpack_from("<I", data, 60)[0])  # from the first sector of it
            small = struct.unpack(f"<{len(table) // 4}I", table)
            return b"".join(root[64 * s : 64 * (s + 1)] for s in chain(first, small))[:length]
    return b""
