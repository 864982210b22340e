"""A workbook in a reader's process: which sheet is read, and what is handed over of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.errors import FileFault
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.columns.header import LOOK_AHEAD, find_header, joined_names
from splu_desktop.files.importer.recognise import MARKED_UP
from splu_desktop.files.importer.workbook import marked_up
from splu_desktop.files.importer.workbook.calamine_sheet import load, open_workbook, sheets_of
from splu_desktop.files.importer.workbook.plain_sheet import PlainSheet
from splu_desktop.files.isolation.faults import EmptyFile, UnknownSheet
from splu_desktop.files.isolation.wire import Plain

_LARGER = 5  # how many times larger the table's own sheet then is
_FIRST = "the first visible sheet with a table"
_SMALL = 100  # cells up to which a sheet may be a cover page before the table's own sheet


def choose(
    path: Path, progress: Progress, *, kind: str, wanted: str | None, first: bool, several: list[str] | None = None
) -> Plain:
    """Return facts of all sheets, the sheets to read, and why these.

    `wanted` : name of one sheet. `several` : names of sheets to join, "*" for all alike ones. `first` : the first
    sheet, whatever it holds; then nothing is told of the others.
    """
    progress.report("Opening the workbook", 0.0)
    if kind in MARKED_UP:
        tables = marked_up.sheets(path, progress)
        opened = _Opened(path, [(table.name, True) for table in tables], {table.name: table for table in tables}.get)
    else:
        book = open_workbook(path, kind)
        opened = _Opened(path, sheets_of(book), lambda name: load(path, kind, book, name, progress))
    if first:
        sheets, why = [opened.load(opened.first)], ""
    elif several is not None:
        sheets, why = opened.several(several), "chosen"
    else:
        sheet, why = choose_sheet(opened, wanted)
        sheets = [sheet]
    known = [[name, visible, *opened.facts(name, given=first)] for name, visible in opened.known]
    return {"known": known, "sheets": [sheet.as_plain() for sheet in sheets], "why": why}


class _Opened:
    """A workbook whose sheets are loaded one by one."""

    def __init__(self, path: Path, known: list[tuple[str, bool]], load: Callable[[str], Any]) -> None:
        self.path, self.known, self._load = path, known, load  # those that can hold a table, hidden ones too
        self._facts: dict[str, tuple[int, list[str]]] = {}

    @property
    def first(self) -> str:
        """Name of the first sheet. Raises EmptyFile."""
        if not self.known:
            raise EmptyFile(self.path)
        return self.known[0][0]

    def load(self, name: str) -> PlainSheet:
        """Load one sheet; a refusal becomes a sentence."""
        sheet: PlainSheet = self._load(name)
        self._facts[name] = _facts(sheet)
        return sheet

    def facts(self, name: str, *, given: bool = False) -> tuple[int, list[str]]:
        """Return how many rows a sheet has below its header, and its columns' names.

        (0, []) stands for a sheet that can't be read. `given` : only what is known without loading another sheet.
        """
        if name not in self._facts and not given:
            with suppress(FileFault):  # it is not the sheet that was asked for
                self.load(name)
        return self._facts.get(name, (0, []))

    def several(self, names: list[str]) -> list[PlainSheet]:
        """Load the sheets of these names, or of the most rows with the same columns. Raises UnknownSheet, EmptyFile."""
        if unknown := next((name for name in names if name != "*" and name not in dict(self.known)), None):
            raise UnknownSheet(self.path, unknown, tuple(name for name, _ in self.known))
        if "*" not in names:
            return [self.load(name) for name in names]
        groups: dict[frozenset[str], list[str]] = {}
        for name, visible in self.known:
            rows, columns = self.facts(name)
            if visible and rows:
                groups.setdefault(frozenset(columns), []).append(name)
        if not groups:
            raise EmptyFile(self.path)
        most = max(groups.values(), key=lambda group: sum(self.facts(name)[0] for name in group))
        return [self.load(name) for name in most]


def _facts(sheet: PlainSheet) -> tuple[int, list[str]]:
    head = sheet.head(LOOK_AHEAD)
    if not head:
        return 0, []
    header = find_header(head, sheet.beside.merged)
    names = joined_names(head, header, len(head[0]), sheet.beside.merged) if header.last >= 0 else []
    below, _ = sheet.below(header.last + 1, None)
    filled = np.any([column.filled for column in below], axis=0)
    return int(filled.sum()), [name for name in names if name]


def choose_sheet(opened: _Opened, wanted: str | None) -> tuple[PlainSheet, str]:
    """Return the sheet to read and why: the one chosen, or the first visible one with a table."""
    path, known = opened.path, opened.known
    if wanted is not None:
        if wanted not in {name for name, _ in known}:
            raise UnknownSheet(path, wanted, tuple(name for name, _ in known))
        sheet = opened.load(wanted)
        if sheet.height == 0:
            raise EmptyFile(path, wanted)
        return sheet, "chosen"
    fallback = cover = None
    for name, visible in known:
        if not visible:
            continue
        sheet = opened.load(name)
        if sheet.height > 1 and (sheet.width > 1 or len(known) == 1):
            if cover is not None and _cells(sheet) <= _LARGER * _cells(cover):
                continue
            if cover is None and len(known) > 1 and _cells(sheet) <= _SMALL and sheet.width <= 3:
                cover = sheet  # perhaps notes on the table, which then follows on a sheet of its own
                continue
            return sheet, _FIRST
        if sheet.height > 0 and (fallback is None or sheet.height > fallback.height):
            fallback = sheet
    if cover is not None:
        return cover, _FIRST
    if fallback is not None:
        return fallback, _FIRST
    hidden = [name for name, visible in known if not visible]
    if hidden:
        raise UnknownSheet(path, None, tuple(hidden))
    raise EmptyFile(path)


def _cells(sheet: PlainSheet) -> int:
    return int(sheet.height * sheet.width)
