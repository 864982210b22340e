"""A workbook in a reader's process: which sheet is read, and what is handed over of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
_SMALL = 100  # cells up to which a sheet may be a cover page before the table's own sheet


def choose(path: Path, progress: Progress, *, kind: str, wanted: list[str] | None) -> Plain:
    """Return facts of all sheets, and the sheets to read.

    `wanted` : names of the sheets to read; "*" for those with the same columns and the most rows, "" for the first
    sheet whatever it holds, None for the first visible one with a table.
    """
    progress.report("Opening the workbook", 0.0)
    loaded: dict[str, PlainSheet | FileFault] = {}  # what a sheet refuses matters where it is to be read
    if kind in MARKED_UP:
        loaded.update((table.name, table) for table in marked_up.sheets(path, progress))
        shown = list(loaded)
    else:
        book = open_workbook(path, kind)
        for name, _ in sheets_of(book):
            try:
                loaded[name] = load(path, kind, book, name, progress)
            except FileFault as fault:
                loaded[name] = fault
        shown = [name for name, visible in sheets_of(book) if visible]
    facts = {name: (0, []) if isinstance(sheet, FileFault) else _facts(sheet) for name, sheet in loaded.items()}
    if wanted is None:
        names = [_first(path, loaded, shown)]
    elif wanted == [""]:
        names = list(loaded)[:1]
    elif "*" in wanted:
        groups: dict[frozenset[str], list[str]] = {}
        for name in shown:
            if facts[name][0]:
                groups.setdefault(frozenset(facts[name][1]), []).append(name)
        names = max(groups.values(), key=lambda group: sum(facts[name][0] for name in group), default=[])
    else:
        names = wanted
    if unknown := next((name for name in names if name not in loaded), None):
        raise UnknownSheet(path, unknown, tuple(loaded))
    sheets = [_readable(loaded[name]) for name in names]
    if not any(sheet.height for sheet in sheets):
        raise EmptyFile(path, names[0] if names else None)
    known = [[name, name in shown, *facts[name]] for name in loaded]
    return {"known": known, "sheets": [sheet.as_plain() for sheet in sheets]}


def _readable(sheet: PlainSheet | FileFault) -> PlainSheet:
    if isinstance(sheet, FileFault):
        raise sheet
    return sheet


def _facts(sheet: PlainSheet) -> tuple[int, list[str]]:
    """Return how many rows a sheet has below its header, and its columns' names."""
    head = sheet.head(LOOK_AHEAD)
    if not head:
        return 0, []
    header = find_header(head, sheet.beside.merged_cells)
    names = joined_names(head, header, len(head[0]), sheet.beside.merged_cells) if header.last >= 0 else []
    filled = np.any([column.has_cell for column in sheet.columns.values()], axis=0)
    return int(filled[header.last + 1 :].sum()), [name for name in names if name]


def _first(path: Path, loaded: dict[str, PlainSheet | FileFault], shown: Sequence[str]) -> str:
    """Return the name of the first sheet shown that is a table and no cover page, else of the longest one."""
    tables: list[PlainSheet] = []
    sheets: list[PlainSheet] = []
    for name in shown:
        if tables and isinstance(loaded[name], FileFault):
            break
        sheets.append(sheet := _readable(loaded[name]))
        if sheet.height > 1 and (sheet.width > 1 or len(loaded) == 1):
            tables.append(sheet)
    if tables:
        first = tables[0]
        if first.cells <= _SMALL and first.width <= 3:  # perhaps notes on the table, which then follows on its own
            first = next((sheet for sheet in tables if sheet.cells > _LARGER * first.cells), first)
        return first.name
    longest = max(sheets, key=lambda sheet: sheet.height, default=None)
    if longest is not None and longest.height:
        return longest.name
    if hidden := tuple(name for name in loaded if name not in shown):
        raise UnknownSheet(path, None, hidden)
    raise EmptyFile(path)
