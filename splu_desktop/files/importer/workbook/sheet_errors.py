"""A look through an XLSX sheet's XML beside calamine's: which cells failed, and which numbers are filled up with zeros.

Cells with an error and formulas without a stored result come out of calamine as empty; here they are found.
"""

from __future__ import annotations

import dataclasses
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.recognise import UNREADABLE
from splu_desktop.files.importer.workbook.hidden_parts import Hidden

_BLOCK = 1 << 20
_LONGEST_CELL = 1 << 16
_FAILED = re.compile(
    rb'<c\b(?=[^>]*\bt="e")[^>]*\br="([A-Z]{1,3})(\d+)"[^>]*>(?:<f\b[^>]*(?:/>|>[^<]*</f>))?<v>([^<]*)</v>'
    rb'|<c\b[^>]*\br="([A-Z]{1,3})(\d+)"[^>]*><f\b[^>]*(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>)?</c>'
)
MOST_FAILED = 100_000


@dataclass(frozen=True)
class Failed:
    """A cell: row from 1, column from 0, and the error it shows ("" for a formula without a stored result)."""

    row: int
    column: int
    value: str


@dataclasses.dataclass
class SheetScan:
    """What a look through a sheet's XML finds.

    Attributes
    ----------
    failed : cells that failed.
    padded : (column from 0, digits) -> cells whose format fills numbers up with zeros, as postcodes often have it.
    hidden : rows and columns that are not shown.
    """

    failed: list[Failed]
    padded: Counter[tuple[int, int]] = field(default_factory=Counter)
    hidden: Hidden = field(default_factory=Hidden)


def scan_sheet(path: Path, sheet: str, progress: Progress) -> SheetScan:
    """Look through a sheet's XML; formulas are skipped over, never read or run."""
    found = SheetScan([])
    try:
        with zipfile.ZipFile(path) as archive:
            part = part_of(archive, sheet)
            if part is None:
                return found
            size = max(archive.getinfo(part).file_size, 1)
            styles = padding_styles(archive)
            with archive.open(part) as file:
                carry, done = b"", 0
                while block := file.read(_BLOCK):
                    done += len(block)
                    progress.report("Opening the workbook", min(done / size, 1.0))
                    found.hidden.look(block)
                    text = carry + block
                    carry = _scan(text, found)
                    if styles:
                        _count_padded(text[: len(text) - len(carry)], styles, found)
                if styles:
                    _count_padded(carry, styles, found)
    except UNREADABLE:
        return found  # calamine says what is wrong; a part it doesn't need may be odd
    return found


def _scan(text: bytes, found: SheetScan) -> bytes:
    """Scan a block; returns its end, where a cell may be cut in two."""
    cut = max(text.rfind(b"<c "), len(text) - _LONGEST_CELL)
    if len(found.failed) > MOST_FAILED or not _suspect(text):
        return text[max(cut, 0) :]
    found.failed.extend(map(_cell, _FAILED.finditer(text)))
    # A cell cut in two is found again with its rest; the last whole one must not be found twice.
    cut = max(cut, 0)
    return text[cut + max((m.end() for m in _FAILED.finditer(text[cut:])), default=0) :]


def padding_styles(archive: zipfile.ZipFile) -> dict[bytes, int]:
    """Return the cell styles whose number format is nothing but zeros, with the number of zeros."""
    try:
        text = archive.read("xl/styles.xml")
    except KeyError:
        return {}
    formats = {
        number: len(code)
        for tag in re.findall(rb"<(?:\w+:)?numFmt\b[^>]*>", text)
        for number in re.findall(rb'\bnumFmtId="(\d+)"', tag)
        for code in re.findall(rb'\bformatCode="(0{2,})"', tag)
    }
    cells = re.search(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", text, re.DOTALL)
    if not formats or cells is None:
        return {}
    styles = re.findall(rb'<(?:\w+:)?xf\b[^>]*?\bnumFmtId="(\d+)"', cells[0])
    return {str(i).encode(): formats[number] for i, number in enumerate(styles) if number in formats}


def _count_padded(text: bytes, styles: dict[bytes, int], found: SheetScan) -> None:
    """Count the cells of these styles, per column."""
    pattern = rb'<c r="([A-Z]{1,3})\d+" s="(' + b"|".join(styles) + rb')"(?: t="n")?>'
    for (letters, style), count in Counter(re.findall(pattern, text)).items():
        found.padded[column_of(letters) - 1, styles[style]] += count


def column_of(letters: bytes) -> int:
    """Return the column, from 1, that letters name."""
    column = 0
    for letter in letters:
        column = column * 26 + letter - 64
    return column


def _suspect(text: bytes) -> bool:
    """Whether a text holds "<f" or '"e"', found many times quicker than by a search for two such common characters."""
    data = np.frombuffer(text, np.uint8)
    formula = (data[:-1] == ord("<")) & (data[1:] == ord("f"))
    failed = (data[:-2] == ord('"')) & (data[1:-1] == ord("e")) & (data[2:] == ord('"'))
    return bool(formula.any() or failed.any())


def _cell(match: re.Match[bytes]) -> Failed:
    letters, row, value = match[1] or match[4], match[2] or match[5], match[3] or b""
    return Failed(int(row), column_of(letters) - 1, unescape(value.decode("utf-8", "replace")))


def uses_1904(path: Path) -> bool:
    """Whether an XLSX workbook counts days from 1904."""
    try:
        with zipfile.ZipFile(path) as archive:
            book = archive.read("xl/workbook.xml")
    except UNREADABLE:
        return False
    return re.search(rb'<workbookPr\b[^>]*\bdate1904="(?:1|true)"', book) is not None


def part_of(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the path of a sheet's XML inside the workbook."""
    names = {name.lstrip("/").lower(): name for name in archive.namelist()}
    book = archive.read(names["xl/workbook.xml"]).decode("utf-8", "replace")
    links = archive.read(names["xl/_rels/workbook.xml.rels"]).decode("utf-8", "replace")
    for tag in re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book):
        name = re.search(r'\bname="([^"]*)"', tag)
        key = re.search(r'\b\w+:id="([^"]*)"', tag)
        if name and key and unescape(name[1]) == sheet:
            for link in re.findall(r"<(?:\w+:)?Relationship\b[^>]*>", links):
                if f'Id="{key[1]}"' in link and (target := re.search(r'Target="([^"]*)"', link)):
                    part = target[1].lstrip("/")
                    part = part if part.startswith("xl/") else f"xl/{part}"
                    return names.get(part.lower())
    return None
