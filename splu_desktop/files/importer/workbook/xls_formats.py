"""What calamine leaves out of an old XLS workbook: errors, what is hidden, and numbers filled up with zeros.

A postcode may be stored as 1067 and shown as 01067. All of it is found in the workbook's records ([MS-XLS] 2.4).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from splu_desktop.files.importer.workbook.sheet_errors import ERRORS, MOST_FAILED, Failed, SheetScan

_SHEET, _FORMAT, _XF, _BEGIN, _END, _PASSWORD = 0x0085, 0x041E, 0x00E0, 0x0809, 0x000A, 0x002F
_NUMBER, _RK, _SEVERAL_RK, _FORMULA, _ERROR, _ROW, _COLUMNS = 0x0203, 0x027E, 0x00BD, 0x0006, 0x0205, 0x0208, 0x007D
_LAST_COLUMN = 255
_ENTRY = 128  # bytes of an entry of the container's directory ([MS-CFB] 2.6)
_SMALL = 4096  # bytes below which a stream stands in sectors of 64 bytes


def scan_xls(path: Path, sheet: str) -> SheetScan:
    """Look through a sheet's records before calamine does."""
    scan = SheetScan([])
    try:
        stream = workbook_stream(path.read_bytes())
        begin, styles = _styles(stream, sheet)
        for kind, at, length in _records(stream, begin) if begin is not None else ():
            if kind in (_NUMBER, _RK, _FORMULA) and length >= 6:
                row, column, style = struct.unpack_from("<HHH", stream, at)
                if style in styles:
                    scan.padded[column, styles[style]] += 1
                # A formula's result is a number, unless it ends in two bytes of ones; the first byte then says what.
                if kind == _FORMULA and stream[at + 12 : at + 14] == b"\xff\xff" and stream[at + 6] == 2:
                    _fail(scan, row, column, stream[at + 8])
            elif kind == _SEVERAL_RK and length >= 6:
                column = struct.unpack_from("<H", stream, at + 2)[0]
                for k in range((length - 6) // 6):
                    style = struct.unpack_from("<H", stream, at + 4 + 6 * k)[0]
                    if style in styles:
                        scan.padded[column + k, styles[style]] += 1
            elif kind == _ERROR and length >= 8 and stream[at + 7]:
                row, column = struct.unpack_from("<HH", stream, at)
                _fail(scan, row, column, stream[at + 6])
            elif kind == _ROW and length >= 16:
                scan.hidden.rows += bool(stream[at + 12] & 0x20)
            elif kind == _COLUMNS and length >= 10 and stream[at + 8] & 1:
                first, last = struct.unpack_from("<HH", stream, at)
                scan.hidden.columns.update(range(first, min(last, _LAST_COLUMN) + 1))
    except (OSError, struct.error, IndexError, ValueError):
        return scan  # calamine says what is wrong
    return scan


def _fail(scan: SheetScan, row: int, column: int, code: int) -> None:
    if len(scan.failed) <= MOST_FAILED:
        scan.failed.append(Failed(row + 1, column, ERRORS.get(code, "#N/A")))


def _records(stream: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Yield kind, first byte and length of the records of one part, those of charts inside it left out."""
    depth = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        depth += (kind == _BEGIN) - (kind == _END)
        if kind == _PASSWORD or (kind == _END and depth <= 0):
            return
        if depth == 1:
            yield kind, at + 4, length
        at += 4 + length


def _styles(stream: bytes, sheet: str) -> tuple[int | None, dict[int, int]]:
    """Return where a sheet begins, and the cell styles whose format is nothing but zeros, with their number."""
    begin: int | None = None
    zeros: dict[int, int] = {}
    formats: list[int] = []
    for kind, at, length in _records(stream, 0):
        if kind == _SHEET and length >= 8 and _text(stream, at + 8, stream[at + 6], stream[at + 7]) == sheet:
            begin = struct.unpack_from("<I", stream, at)[0]
        elif kind == _FORMAT and length >= 5:
            number, count, flags = struct.unpack_from("<HHB", stream, at)
            code = _text(stream, at + 5, count, flags)
            if len(code) > 1 and set(code) == {"0"}:
                zeros[number] = len(code)
        elif kind == _XF and length >= 4:
            formats.append(struct.unpack_from("<H", stream, at + 2)[0])
    return begin, {style: zeros[number] for style, number in enumerate(formats) if number in zeros}


def _text(stream: bytes, at: int, count: int, flags: int) -> str:
    """Return a text of `count` characters, of one byte each unless `flags` says two."""
    if flags & 1:
        return stream[at : at + 2 * count].decode("utf-16-le", "replace")
    return stream[at : at + count].decode("latin-1")


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
