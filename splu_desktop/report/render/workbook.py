"""XLSX: the tables of a document, each on its sheet, figures as numbers, text never a formula."""

from __future__ import annotations

import tempfile
from pathlib import Path

from splu_desktop.core.progress import Progress
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.report.document import Document, Number, TableBlock, cell_text

_LONGEST_NAME = 31  # of a sheet


def as_xlsx(document: Document, progress: Progress) -> bytes:
    """Return the tables of a document as a workbook."""
    sheets, taken = [], set[str]()
    for block in document.blocks:
        if isinstance(block, TableBlock):
            name = block.name[:_LONGEST_NAME]
            while name.casefold() in taken:
                name = f"{name[: _LONGEST_NAME - 2]} 2"
            taken.add(name.casefold())
            header = tuple(block.header) or ("", *[""] * (len(block.align) - 1))
            rows = [
                [each.value if isinstance(each, Number) and each.value is not None else cell_text(each) for each in row]
                for row in block.rows
            ]
            sheets.append(Sheet(name, _told_apart((*header, document.edition)), [[*row, ""] for row in rows]))
    with tempfile.TemporaryDirectory(prefix="splu-") as folder:
        path = Path(folder) / "report.xlsx"
        write_sheets(sheets, path, progress, fitted=True)
        return path.read_bytes()


def _told_apart(header: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for title in header:
        while title in found:
            title += "\u00a0"
        found.append(title)
    return tuple(found)
