"""An XLSX sheet of plain cells, read by finding its distinct cells and letting calamine interpret only those.

The sheet's XML is looked at block by block (`sheet_cells`). Number cells are read here; of all others (texts, dates,
yes/no, errors) only the distinct ones are put into a small workbook in memory, together with the styles and the shared
strings of the real one, and read by calamine. What a cell means is thus what calamine says it means, at a fraction of
the time: a column of 300,000 dates has some 4,000 different ones. Whatever is not plain is left to calamine whole.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import IO, Any

import numpy as np
import python_calamine as calamine
from numpy.typing import NDArray

from splu_desktop.core.progress import Cancelled, Progress
from splu_desktop.files.importer.columns.spread import spread, workers
from splu_desktop.files.importer.recognise import UNREADABLE
from splu_desktop.files.importer.text.fields import Irregular, Packed, Words, factorise_words, joined, plain_bytes
from splu_desktop.files.importer.workbook.hidden_parts import Hidden
from splu_desktop.files.importer.workbook.plain_numbers import numbers_of
from splu_desktop.files.importer.workbook.plain_sheet import PlainColumn, PlainSheet, Span
from splu_desktop.files.importer.workbook.sheet_cells import Block, Piece, parse
from splu_desktop.files.importer.workbook.sheet_errors import (
    MOST_FAILED,
    Failed,
    column_of,
    padding_styles,
    part_of,
    uses_1904,
)
from splu_desktop.files.isolation import memory
from splu_desktop.files.tables import xlsx_parts
from splu_desktop.frozen import dataclass

_BLOCK = 1 << 20
_LONGEST_ROW = 64 << 20
_AROUND = 16 << 20  # bytes before and behind the cells that may be looked through
_DENSE = 12  # bytes of memory per cell of a column that has any
_PER_ROW = 64  # cells in a row of the small workbook
_STAGE = "Opening the workbook"
_BEGIN, _END, _ROW_END = b"<sheetData>", b"</sheetData>", b"</row>"
_TAIL = re.compile(rb'"(?:\s+(?!r=)\w+="[^"<>]*")*\s*')
_STYLE = re.compile(rb'\ss="(\d+)"')
_TYPE = re.compile(rb'\st="(\w+)"')
_MERGED = re.compile(rb'<mergeCell\b[^>]*\bref="([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)"')
_ENCODING = re.compile(rb'<\?xml[^>]*\bencoding="([^"]*)"')
_CONTENT = {
    b"v": (b"><v>", b"</v></c>"),
    b"t": (b"><is><t>", b"</t></is></c>"),
    b"s": (b'><is><t xml:space="preserve">', b"</t></is></c>"),
}
_STRINGS = "xl/sharedStrings.xml"
_ANCHOR = b'<c t="inlineStr"><is><t>.</t></is></c>'


def read_plain(path: Path, name: str, progress: Progress) -> PlainSheet | None:
    """Read a sheet, None where it is not plain and calamine has to read it.

    Raises TooLarge: where its columns would not fit into memory.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            part = part_of(archive, name)
            if part is None:
                return None
            reading = _Reading(path, archive, progress)
            reading.run(part)
            return reading.sheet(name)
    except (Irregular, *UNREADABLE):
        return None  # calamine says what is wrong; a part it doesn't need may be odd


@dataclass(frozen=True, eq=False)
class _Found:
    """One column: codes over its distinct numbers, its other distinct cells by tail and content, then "nothing"."""

    codes: NDArray[np.int32]
    numbers: NDArray[np.float64]
    others: list[tuple[int, bytes]]
    rows: NDArray[np.int32]  # of the cells that are no numbers
    tails: NDArray[np.int32]  # of them


@dataclass(frozen=True, eq=False)
class _Joined:
    """All filled cells of one column: place of their rows, tails, contents as words, or as they are if one is long."""

    rows: NDArray[np.int32]
    tails: NDArray[np.int32]
    words: list[Words]
    length: NDArray[np.uint8]
    long: list[bytes] | None


class _Reading:
    """A sheet on its way from XML to columns."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, progress: Progress) -> None:
        self._path, self._archive, self._progress = path, archive, progress
        self._tails: dict[tuple[bytes, bytes], int] = {}
        self._pieces: dict[int, list[tuple[int, NDArray[np.int32], Piece]]] = {}
        self._numbers: list[NDArray[np.int64]] = []
        self._hollow: list[NDArray[np.int64]] = []
        self._rows = 0
        self._behind = b""
        self._hidden = Hidden()

    def run(self, part: str) -> None:
        """Go through the sheet's XML. Raises Irregular."""
        size = max(self._archive.getinfo(part).file_size, 1)
        memory.check(self._path, size)
        waiting: deque[Future[Block]] = deque()
        count = workers(size)
        with self._archive.open(part) as file, ThreadPoolExecutor(count, "splu-import") as pool:
            try:
                for block in self._blocks(file, size):
                    waiting.append(pool.submit(parse, block))
                    if len(waiting) > count + 1:
                        self._add(waiting.popleft().result())
                while waiting:
                    self._add(waiting.popleft().result())
            finally:
                pool.shutdown(cancel_futures=True)

    def _blocks(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        """Yield blocks of whole rows. Raises Irregular."""
        carry, done, inside = b"", 0, False
        while block := file.read(_BLOCK):
            done += len(block)
            self._progress.report(_STAGE, min(done / size, 1.0))
            text = carry + block
            self._hidden.look(block)
            if not inside:
                at = text.find(_BEGIN)
                encoding = _ENCODING.match(text)
                if len(text) > _AROUND or (encoding is not None and encoding[1].lower() != b"utf-8"):
                    raise Irregular
                if at < 0:
                    carry = text
                    continue
                text, inside = text[at + len(_BEGIN) :], True
            at = text.rfind(_END)
            cut = at if at >= 0 else text.rfind(_ROW_END) + len(_ROW_END)
            if at < 0 and cut < len(_ROW_END):
                cut = 0
            if rows := text[:cut].strip():
                yield rows
            carry = text[cut:]
            if at >= 0:
                self._behind = carry + file.read(_AROUND)
                if file.read(1):
                    raise Irregular
                return
            if len(carry) > _LONGEST_ROW:
                raise Irregular
        raise Irregular

    def _add(self, block: Block) -> None:
        if not len(block.numbers):
            return
        if self._numbers and block.numbers[0] <= self._numbers[-1][-1]:
            raise Irregular
        tails = np.array([self._tails.setdefault(tail, len(self._tails)) for tail in block.tails], np.int32)
        for i, piece in block.columns.items():
            self._pieces.setdefault(i, []).append((self._rows, tails, piece))
        self._numbers.append(block.numbers)
        self._hollow.append(block.hollow)
        self._rows += len(block.numbers)

    def sheet(self, name: str) -> PlainSheet:
        """Return the sheet read. Raises Irregular."""
        if not all(_TAIL.fullmatch(tail) for tail, _ in self._tails):
            raise Irregular
        places = sorted(self._pieces)
        memory.check(self._path, _DENSE * len(places) * self._rows)
        if not places:
            nothing = np.zeros(0, np.int64)
            failed = self._failed([], [], [], nothing)
            return PlainSheet(name, 0, 0, nothing, {}, _merged(self._behind), failed, Counter())
        interpreter = _Interpreter(self._path, self._archive)
        is_number = self._number_tails(interpreter)
        padding = self._padding_tails(is_number)
        padded: Counter[tuple[int, int]] = Counter()

        def one(k: int, own: Progress) -> _Found:
            cells = _join(self._pieces.pop(places[k]))
            for tail, digits in padding.items():
                if count := int(np.count_nonzero(cells.tails == tail)):
                    padded[places[k], digits] += count
            return _found(cells, is_number, self._rows, own)

        bounds = [(p[0][0] + int(p[0][2].rows[0]), p[-1][0] + int(p[-1][2].rows[-1])) for p in self._pieces.values()]
        first, last = min(low for low, _ in bounds), max(high for _, high in bounds)
        found = spread(one, len(places), self._rows, self._progress, _STAGE)
        tails = list(self._tails)
        asked = [_cell(*tails[tail], content) for each in found for tail, content in each.others]
        meant = iter(interpreter.read(asked, self._progress))
        columns = {
            i: PlainColumn(each.codes[: last + 1], each.numbers, [next(meant) for _ in each.others])
            for i, each in zip(places, found, strict=True)
        }
        numbers = np.concatenate(self._numbers)[: last + 1]
        failed = self._failed(places, found, tails, numbers)
        height = int(numbers[last] - numbers[first]) + 1
        width = places[-1] - places[0] + 1
        return PlainSheet(name, height, width, numbers, columns, _merged(self._behind), failed, padded, self._hidden)

    def _number_tails(self, interpreter: _Interpreter) -> NDArray[np.bool_]:
        """(t,) whether cells with a tail are numbers, not dates: calamine is asked for one of each style."""
        plain = np.zeros(len(self._tails), bool)
        asked: list[int] = []
        for (tail, form), code in self._tails.items():
            kind = _TYPE.search(tail)
            if form == b"v" and (kind is None or kind[1] == b"n"):
                asked.append(code)
        tails = list(self._tails)
        cells = interpreter.read([_cell(*tails[code], b"1.5") for code in asked], self._progress, strings=False)
        plain[[code for code, cell in zip(asked, cells, strict=True) if type(cell) is float]] = True
        return plain

    def _padding_tails(self, is_number: NDArray[np.bool_]) -> dict[int, int]:
        """Return the tails of numbers whose format is nothing but zeros, with the number of zeros."""
        styles = padding_styles(self._archive)
        found: dict[int, int] = {}
        for (tail, _), code in self._tails.items():
            style = _STYLE.search(tail)
            if is_number[code] and style is not None and style[1] in styles:
                found[code] = styles[style[1]]
        return found

    def _failed(
        self, places: list[int], found: list[_Found], tails: list[tuple[bytes, bytes]], numbers: NDArray[np.int64]
    ) -> list[Failed]:
        """Return the cells with an error or without a result, in the order of the sheet."""
        failed = [Failed(row, column, "") for hollow in self._hollow for row, column in hollow.tolist()]
        errors = {code for code, (tail, _) in enumerate(tails) if (kind := _TYPE.search(tail)) and kind[1] == b"e"}
        for column, one in zip(places, found, strict=True):
            for at in np.flatnonzero(np.isin(one.tails, list(errors))).tolist() if errors else ():
                row = int(one.rows[at])
                text = one.others[int(one.codes[row]) - len(one.numbers)][1]
                failed.append(Failed(int(numbers[row]), column, unescape(text.decode("utf-8", "replace"))))
        return sorted(failed, key=lambda cell: (cell.row, cell.column))[:MOST_FAILED]


def _join(pieces: list[tuple[int, NDArray[np.int32], Piece]]) -> _Joined:
    """Put the pieces of a column together."""
    rows = np.concatenate([piece.rows + start for start, _, piece in pieces])
    tails = np.concatenate([tails[piece.tails] for _, tails, piece in pieces])
    parts = [piece.content for _, _, piece in pieces]
    if any(part.long is not None for part in parts):
        length = np.concatenate([part.length for part in parts])
        return _Joined(rows, tails, [], length, [cell for part in parts for cell in _bytes(part)])
    length, words = joined(parts)
    return _Joined(rows, tails, words, length, None)


def _bytes(part: Packed) -> list[bytes]:
    return plain_bytes(part.words, part.length) if part.long is None else part.long


def _found(cells: _Joined, is_number: NDArray[np.bool_], height: int, own: Progress) -> _Found:
    """Find the distinct cells of a column. Raises Irregular."""
    number = is_number[cells.tails]
    other = ~number
    codes = np.full(height, -1, np.int32)
    numbers = np.zeros(0)
    if number.any():
        if cells.long is not None:
            raise Irregular  # a number among texts of more than 64 bytes
        values = numbers_of([word[number] for word in cells.words], cells.length[number], own)
        values += 0.0  # "-0" is 0, too
        numbers, found = np.unique(values, return_inverse=True)
        codes[cells.rows[number]] = found
    others: list[tuple[int, bytes]] = []
    rows, tails = cells.rows[other], cells.tails[other]
    if len(rows):
        own.report("", 0.0)
        if cells.long is not None:
            index: dict[tuple[int, bytes], int] = {}
            pairs = zip(tails.tolist(), cells.long, strict=True)
            places = np.fromiter((index.setdefault(pair, len(index)) for pair in pairs), np.int32, len(rows))
            others = list(index)
        else:
            words, length = [word[other] for word in cells.words], cells.length[other]
            same = bool((tails == tails[0]).all())
            places, firsts = factorise_words(words if same else [*words, tails.astype(np.uint64)])
            contents = plain_bytes([word[firsts] for word in words], length[firsts])
            others = list(zip(tails[firsts].tolist(), contents, strict=True))
        codes[rows] = places + len(numbers)
    codes[codes < 0] = len(numbers) + len(others)
    return _Found(codes, numbers, others, rows, tails)


def _cell(tail: bytes, form: bytes, content: bytes) -> bytes:
    before, behind = _CONTENT[form]
    return b"<c" + tail[1:] + before + content + behind


class _Interpreter:
    """Asks calamine what cells mean, in a small workbook with the styles and shared strings of the real one."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        names = {name.lstrip("/").lower(): name for name in archive.namelist()}
        self._parts = {
            part: archive.read(names[part.lower()]) for part in ("xl/styles.xml", _STRINGS) if part.lower() in names
        }
        sheets = {"cells": "sheet1.xml"}
        book = xlsx_parts.workbook(sheets)
        if uses_1904(path):
            book = book.replace("<sheets>", '<workbookPr date1904="1"/><sheets>')
        self._parts |= {
            "[Content_Types].xml": xlsx_parts.content_types(sheets).encode(),
            "_rels/.rels": xlsx_parts.ROOT_RELATIONS.encode(),
            "xl/workbook.xml": book.encode(),
            "xl/_rels/workbook.xml.rels": xlsx_parts.workbook_relations(sheets).encode(),
        }

    def read(self, cells: Sequence[bytes], progress: Progress, *, strings: bool = True) -> list[Any]:
        """Return what calamine makes of cells given as XML; `strings`: some are shared ones. Raises Irregular."""
        if not cells:
            return []
        rows = (cells[at : at + _PER_ROW] for at in range(0, len(cells), _PER_ROW))
        sheet = b"".join(b"<row>" + _ANCHOR + b"".join(row) + b"</row>" for row in rows)
        start = f'<worksheet xmlns="{xlsx_parts.MAIN}"><sheetData>'.encode()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, part in self._parts.items():
                if strings or name != _STRINGS:
                    archive.writestr(name, part)
            archive.writestr("xl/worksheets/sheet1.xml", start + sheet + b"</sheetData></worksheet>")
        packed.seek(0)
        found: list[Any] = []
        try:
            progress.report(_STAGE, 0.5)
            for row in calamine.load_workbook(packed).get_sheet_by_index(0).iter_rows():
                found += [*row[1:], *[""] * (_PER_ROW + 1 - len(row))]
        except BaseException as error:  # a panic in calamine is no Exception
            if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, Cancelled)):
                raise
            raise Irregular from error
        if len(found) < len(cells):
            raise Irregular
        return found[: len(cells)]


def _merged(behind: bytes) -> list[Span]:
    """Return the ranges of merged cells, from 0."""
    return [
        ((int(top) - 1, column_of(left) - 1), (int(bottom) - 1, column_of(right) - 1))
        for left, top, right, bottom in _MERGED.findall(behind)
    ]
