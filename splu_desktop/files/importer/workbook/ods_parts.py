"""What calamine leaves out of an ODS sheet: merged cells, errors, what is hidden, and numbers filled up with zeros."""

from __future__ import annotations

import itertools
import re
import zipfile
from html import escape
from pathlib import Path

from splu_desktop.files.importer.recognise import UNREADABLE
from splu_desktop.files.importer.workbook.sheet_scan import MOST_FAILED, WIDEST, CellError, Padded, SheetScan

_LARGEST = 256 << 20  # bytes of XML looked through
_MERGED = re.compile(rb'table:number-(?:rows|columns)-spanned="(?:[2-9]|[1-9]\d)')
_ZEROS = re.compile(rb"<text:p>0\d+</text:p>")
_TAG = re.compile(
    rb"<table:(?P<kind>table-row|table-column|table-cell|covered-table-cell)\b(?P<rest>[^>]*)>"
    rb"(?:<text:p>(?P<text>\d+|#[^<]*|Err:\d+)</text:p>)?|(?P<end></table:table-row>)"
)
_VALUE = re.compile(rb'office:value="(\d+)"')
_FAILED, _HIDDEN = b'calcext:value-type="error"', b'table:visibility="'
_MOST = 1_000_000  # merged cells


def scan_ods(path: Path, sheet: str) -> tuple[SheetScan, Padded]:
    """Look through a sheet of an ODS workbook."""
    nothing = SheetScan(), Padded()
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo("content.xml").file_size > _LARGEST:
                return nothing
            xml = archive.read("content.xml")
    except UNREADABLE:
        return nothing
    name = escape(sheet, quote=False).replace('"', "&quot;").encode()
    begin = re.search(rb'<table:table\b[^>]*\btable:name="' + re.escape(name) + rb'"[^>]*>', xml)
    if begin is None:
        return nothing
    end = xml.find(b"</table:table>", begin.end())
    part = xml[begin.end() : end if end >= 0 else len(xml)]
    if not (_FAILED in part or _HIDDEN in part or _MERGED.search(part) or _ZEROS.search(part)):
        return nothing
    return _scan_part(part)


def _scan_part(part: bytes) -> tuple[SheetScan, Padded]:
    scan, shown = SheetScan(), Padded()
    zeros: set[int] = set()
    row = column = declared = 0
    again = 1
    shut = False  # whether the row is hidden and none of its values has been met
    for tag in _TAG.finditer(part):
        rest = tag["rest"] or b""
        if tag["kind"] == b"table-row":
            again, column, shut = _number(rest, b"rows-repeated"), 0, _HIDDEN in rest
        elif tag["kind"] == b"table-column":
            behind = declared + _number(rest, b"columns-repeated")
            if _HIDDEN in rest:
                scan.hidden_columns.update(range(declared, min(behind, WIDEST)))
            declared = behind
        if tag["end"] or (tag["kind"] == b"table-row" and rest.endswith(b"/")):
            row += again
            continue
        if tag["kind"] not in (b"table-cell", b"covered-table-cell"):
            continue
        times = _number(rest, b"columns-repeated")
        if shut and b"office:value-type=" in rest:
            scan.hidden_rows, shut = scan.hidden_rows + again, False
        if _FAILED in rest and len(scan.error_cells) <= MOST_FAILED:
            error = (tag["text"] or b"#N/A").decode("utf-8", "replace")
            tall, wide = min(again, MOST_FAILED), times if again * times <= MOST_FAILED else 1
            cells = itertools.product(range(tall), range(wide))
            scan.error_cells.extend(CellError(row + 1 + k, column + i, error) for k, i in cells)
        if b"-spanned=" in rest:
            tall, wide = _number(rest, b"rows-spanned"), _number(rest, b"columns-spanned")
            if (tall > 1 or wide > 1) and len(scan.merged_cells) < _MOST:
                scan.merged_cells.append(((row, column), (row + tall - 1, column + wide - 1)))
        if (value := _VALUE.search(rest)) and (tag["text"] or b"").isdigit() and int(value[1]) == int(tag["text"]):
            shown[column, "0" * len(tag["text"])] += again
            if tag["text"].startswith(b"0") and len(tag["text"]) > 1:
                zeros.add(column)
        column += times
    return scan, Padded({place: count for place, count in shown.items() if place[0] in zeros})


def _number(text: bytes, name: bytes) -> int:
    match = re.search(rb'number-%b="(\d+)"' % name, text)
    return max(int(match[1]), 1) if match is not None and len(match[1]) < 9 else 1
