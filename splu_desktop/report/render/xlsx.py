"""XLSX: every table on a sheet of its own, figures as real numbers (shares of 1), text never a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from splu_desktop.files.disk.rust_libraries import writing
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.files.language import language
from splu_desktop.report.document import Cell, Document, Number, TableBlock, cell_text

_LONGEST_TEXT = 32_767
_LONGEST_NAME = 31
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def write_report_xlsx(document: Document, target: Path) -> None:
    """Write the document's tables as a workbook, whole or not at all, over an existing file. Raises CannotWrite."""
    from rustpy_xlsxwriter import write_worksheets  # a tenth of a second, for workbooks alone

    tables = [block for block in document.blocks if isinstance(block, TableBlock)]
    names = _sheet_names(tables)
    t = language(document.language)
    plain = (t("Fact"), t("Value"))
    titles = [table.header or (*plain, *[""] * (len(table.align) - 2)) for table in tables]
    headers = [_unique([*title, document.edition]) for title in titles]
    sheets: list[tuple[str, Any]] = [
        (name, _rows(table, header)) for name, table, header in zip(names, tables, headers, strict=True)
    ]
    widths: dict[str, Any] = {
        name: {title: _width(table, i) for i, title in enumerate(header)}
        for name, table, header in zip(names, tables, headers, strict=True)
    }
    with whole_file(target, overwrite=True) as partial, writing():
        write_worksheets(
            sheets,
            str(partial),
            freeze_panes={"general": {"row": 1, "col": 0}},
            bold_headers=True,
            column_widths=widths,
        )


def _rows(table: TableBlock, header: list[str]) -> Iterator[dict[str, Any]]:
    for row in table.rows:
        yield dict(zip(header, [*(_value(cell) for cell in row), ""], strict=True))


def _value(cell: Cell) -> str | float:
    if isinstance(cell, Number) and cell.value is not None:
        return cell.value
    return _CONTROL.sub(" ", cell_text(cell))[:_LONGEST_TEXT]


def _width(table: TableBlock, i: int) -> float:
    if i >= len(table.align):
        return 12.0
    longest = max((len(cell_text(row[i])) for row in table.rows), default=0)
    title = len(table.header[i]) if table.header else 0
    return float(min(max(longest, title, 8) + 2, 70))


def _unique(header: list[str]) -> list[str]:
    found: list[str] = []
    for title in header:
        while title in found:
            title += "\u00a0"
        found.append(title)
    return found


def _sheet_names(tables: list[TableBlock]) -> list[str]:
    """Return names that Excel takes: 31 letters at most, without its marks, different but for case."""
    found: list[str] = []
    for table in tables:
        base = _FORBIDDEN.sub(" ", table.name).strip(" '")[:_LONGEST_NAME] or "TableBlock"
        name, number = base, 2
        while name.casefold() in {known.casefold() for known in found}:
            end = f" {number}"
            name, number = base[: _LONGEST_NAME - len(end)] + end, number + 1
        found.append(name)
    return found
