"""Cells of an XLSX sheet that hold an error or a formula without a stored result; calamine shows both as empty."""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import unescape

import numpy as np

from splu_desktop.core.progress import Progress

_BLOCK = 1 << 20
_LONGEST_CELL = 1 << 16
_FAILED = re.compile(
    rb'<c\b(?=[^>]*\bt="e")[^>]*\br="([A-Z]{1,3})(\d+)"[^>]*>(?:<f\b[^>]*(?:/>|>[^<]*</f>))?<v>([^<]*)</v>'
    rb'|<c\b[^>]*\br="([A-Z]{1,3})(\d+)"[^>]*><f\b[^>]*(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>)?</c>'
)
_MOST = 100_000


@dataclass(frozen=True)
class Failed:
    """A cell: row from 1, column from 0, and the error it shows ("" for a formula without a stored result)."""

    row: int
    column: int
    value: str


def failed_cells(path: Path, sheet: str, progress: Progress) -> list[Failed]:
    """Find such cells by scanning the sheet's XML; formulas are skipped over, never read or run."""
    found: list[Failed] = []
    try:
        with zipfile.ZipFile(path) as archive:
            part = _part_of(archive, sheet)
            if part is None:
                return []
            size = max(archive.getinfo(part).file_size, 1)
            with archive.open(part) as file:
                carry, done = b"", 0
                while block := file.read(_BLOCK):
                    done += len(block)
                    progress.report("Looking for formula errors", min(done / size, 1.0))
                    text = carry + block
                    cut = max(text.rfind(b"<c "), len(text) - _LONGEST_CELL)
                    if not _suspect(text):
                        carry = text[cut:]
                        continue
                    found.extend(map(_cell, _FAILED.finditer(text)))
                    # A cell cut in two is found again with its rest; the last whole one must not be found twice.
                    last = max((m.end() for m in _FAILED.finditer(text[cut:])), default=0)
                    carry = text[cut + last :]
                    if len(found) > _MOST:
                        break
    except (zipfile.BadZipFile, zlib.error, KeyError, OSError, NotImplementedError, RuntimeError, EOFError):
        return found  # calamine has read the sheet; a part it doesn't need may be odd
    return found


def _suspect(text: bytes) -> bool:
    """Whether a text holds "<f" or '"e"', found many times quicker than by a search for two such common characters."""
    data = np.frombuffer(text, np.uint8)
    formula = (data[:-1] == ord("<")) & (data[1:] == ord("f"))
    failed = (data[:-2] == ord('"')) & (data[1:-1] == ord("e")) & (data[2:] == ord('"'))
    return bool(formula.any() or failed.any())


def _cell(match: re.Match[bytes]) -> Failed:
    letters, row, value = match[1] or match[4], match[2] or match[5], match[3] or b""
    column = 0
    for letter in letters:
        column = column * 26 + letter - 64
    return Failed(int(row), column - 1, unescape(value.decode("utf-8", "replace")))


def uses_1904(path: Path) -> bool:
    """Whether an XLSX workbook counts days from 1904."""
    try:
        with zipfile.ZipFile(path) as archive:
            book = archive.read("xl/workbook.xml")
    except (zipfile.BadZipFile, zlib.error, KeyError, OSError):
        return False
    return re.search(rb'<workbookPr\b[^>]*\bdate1904="(?:1|true)"', book) is not None


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the path of a sheet's XML inside the workbook."""
    names = {name.lstrip("/").lower(): name for name in archive.namelist()}
    book = archive.read(names["xl/workbook.xml"]).decode("utf-8", "replace")
    links = archive.read(names["xl/_rels/workbook.xml.rels"]).decode("utf-8", "replace")
    for tag in re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book):
        name = re.search(r'\bname="([^"]*)"', tag)
        key = re.search(r'\b\w+:id="([^"]*)"', tag)
        if name and key and unescape(name[1], {"&quot;": '"', "&apos;": "'"}) == sheet:
            for link in re.findall(r"<(?:\w+:)?Relationship\b[^>]*>", links):
                if f'Id="{key[1]}"' in link and (target := re.search(r'Target="([^"]*)"', link)):
                    part = target[1].lstrip("/")
                    part = part if part.startswith("xl/") else f"xl/{part}"
                    return names.get(part.lower())
    return None
