"""What calamine leaves out of an XLSB workbook: cells with errors, and what is hidden ([MS-XLSB] 2.1.4, 2.4)."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.recognise import UNREADABLE
from splu_desktop.files.importer.workbook.sheet_errors import ERRORS, MOST_FAILED, Failed, SheetScan

_ROW, _COLUMNS = 0, 60  # BrtRowHdr, BrtColInfo
_ERRORS = (3, 11)  # cells with an error, of a formula or not
_SHEET = 156  # BrtBundleSh
_BOOK = "xl/workbook.bin"
_LINKS = "xl/_rels/workbook.bin.rels"
_REPORT = 1 << 18  # records
_LAST_COLUMN = 16_383


def scan_xlsb(path: Path, sheet: str, progress: Progress) -> SheetScan:
    """Look through a sheet's records: nothing is found in one so odd that calamine has to say what is wrong with it."""
    try:
        with zipfile.ZipFile(path) as archive:
            part = _part(archive, sheet)
            return _scan(archive.read(part), progress) if part is not None else SheetScan([])
    except (*UNREADABLE, struct.error, IndexError):
        return SheetScan([])


def _records(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield kind, first byte and length of each record."""
    at, end = 0, len(data)
    while at < end - 1:
        kind = data[at]
        at += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | data[at] << 7
            at += 1
        length = shift = 0
        while at < end:
            byte = data[at]
            at += 1
            length |= (byte & 0x7F) << shift
            if byte < 0x80 or shift == 21:
                break
            shift += 7
        yield kind, at, length
        at += length


def _scan(data: bytes, progress: Progress) -> SheetScan:
    found = SheetScan([])
    row = 0
    for count, (kind, at, length) in enumerate(_records(data)):
        if kind in _ERRORS and length >= 9 and len(found.failed) <= MOST_FAILED:
            column = int.from_bytes(data[at : at + 4], "little")
            found.failed.append(Failed(row + 1, column, ERRORS.get(data[at + 8], "#N/A")))
        elif kind == _ROW and length >= 4:
            row = int.from_bytes(data[at : at + 4], "little")
            found.hidden.rows += length >= 12 and bool(data[at + 11] & 0x10)
        elif kind == _COLUMNS and length >= 18 and data[at + 16] & 1:
            first, last = struct.unpack_from("<II", data, at)
            found.hidden.columns.update(range(first, min(last, _LAST_COLUMN) + 1))
        if count % _REPORT == 0:
            progress.report("Looking through the sheet", at / len(data))
    return found


def _part(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the path of a sheet inside the workbook."""
    book = archive.read(_BOOK)
    links = archive.read(_LINKS).decode("utf-8", "replace")
    for kind, at, _ in _records(book):
        if kind != _SHEET:
            continue
        key, behind = _text(book, at + 8)
        name, _ = _text(book, behind)
        if name != sheet:
            continue
        for tag in re.findall(r"<(?:\w+:)?Relationship\b[^>]*>", links):
            if f'Id="{key}"' in tag and (target := re.search(r'Target="([^"]*)"', tag)):
                part = unescape(target[1]).lstrip("/")
                return part if part.startswith("xl/") else f"xl/{part}"
    return None


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Return a text that stands behind its length, and the place behind it."""
    length = struct.unpack_from("<I", data, at)[0]
    end = at + 4 + 2 * (length if length != 0xFFFFFFFF else 0)
    return data[at + 4 : end].decode("utf-16-le"), end
