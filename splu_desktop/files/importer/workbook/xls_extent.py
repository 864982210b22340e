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
_PASSWORD, _TEXTS, _CONTINUE, _SHARED = 0x002F, 0x00FC, 0x003C, 0x00FD
_ENTRY = 128  # bytes of an entry of the directory
_SMALL = 4096  # bytes below which a stream stands in sectors of 64 bytes
_REPORT = 100_000  # records


def check_extent(path: Path, progress: Progress) -> int:
    """Return the bytes of all texts that cells share, each as often as it is shown.

    Raises Corrupt where a cell lies outside of any sheet, or the container is damaged.
    """
    try:
        stream = workbook_stream(path.read_bytes())
    except (struct.error, IndexError, ValueError) as error:
        raise Corrupt(path, "the workbook can't be opened") from error
    at = count = shared = 0
    lengths: list[int] = []
    while at + 8 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        if kind == _PASSWORD:
            break  # what follows is encrypted, which calamine says
        if kind == _TEXTS:
            lengths = _lengths(stream, at)
        elif kind == _SHARED and (text := int.from_bytes(stream[at + 10 : at + 14], "little")) < len(lengths):
            shared += lengths[text]
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
    return shared


def _lengths(stream: bytes, at: int) -> list[int]:
    """Return the bytes of each text that cells share ([MS-XLS] 2.4.265), which goes on in the records behind it."""
    parts: list[tuple[int, int]] = []
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        if kind != (_CONTINUE if parts else _TEXTS):
            break
        parts.append((at + 4, min(at + 4 + length, len(stream))))
        at += 4 + length
    found: list[int] = []
    number, (at, end) = 0, parts[0]
    at += 8  # how many there are is counted here
    while True:
        while at >= end:
            number += 1
            if number >= len(parts):
                return found
            at, end = at - end + parts[number][0], parts[number][1]
        if at + 3 > end:
            return found
        letters, flags = stream[at] | stream[at + 1] << 8, stream[at + 2]
        at += 3
        behind = 0  # runs of other letters, and what pronounces it
        if flags & 8:
            behind += 4 * int.from_bytes(stream[at : at + 2], "little")
            at += 2
        if flags & 4:
            behind += int.from_bytes(stream[at : at + 4], "little")
            at += 4
        size = 0
        while letters:
            taken = min(letters, max(end - at, 0) >> (flags & 1))
            letters -= taken
            size += taken << (flags & 1)
            at += taken << (flags & 1)
            if letters:  # the rest begins with flags of its own
                number += 1
                if number >= len(parts) or parts[number][0] >= parts[number][1]:
                    return found
                at, end = parts[number]
                flags = stream[at]
                at += 1
        found.append(size)
        at += behind


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
