"""XLSX: the tables of a document, each on its sheet, figures as numbers, text never a formula."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from splu_desktop.core.progress import Progress
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.report.document import Document, Number, TableBlock, cell_text

_LONGEST_NAME = 31  # of a sheet
_FORBIDDEN = re.compile(r"[\[\]*?:/\\\x00-\x1f]")  # in it


def as_xlsx(document: Document, progress: Progress) -> bytes:
    """Return the tables of a document as a workbook."""
    sheets, taken = [], set[str]()
    for block in document.blocks:
        if isinstance(block, TableBlock):
            name = _sheet_name(block.name, taken)
            header = tuple(block.header) or ("", *[""] * (len(block.align) - 1))
            rows = [
                [each.value if isinstance(each, Number) and each.value is not None else cell_text(each) for each in row]
                for row in block.rows
            ]
            # The edition stands in each sheet's header, as every page bears it.
            sheets.append(Sheet(name, (*header, document.edition), [[*row, ""] for row in rows]))
    with tempfile.TemporaryDirectory(prefix="splu-") as folder:
        path = Path(folder) / "report.xlsx"
        write_sheets(sheets, path, progress, fitted=True)
        return path.read_bytes()


def _sheet_name(name: str, taken: set[str]) -> str:
    """Return a name that Excel takes and no sheet has yet, and take it."""
    plain = _FORBIDDEN.sub("-", name).strip("'")
    candidate, at = plain[:_LONGEST_NAME], 1
    while candidate.casefold() in taken:
        at += 1
        candidate = f"{plain[: _LONGEST_NAME - 3]} {at}"
    taken.add(candidate.casefold())
    return candidate
