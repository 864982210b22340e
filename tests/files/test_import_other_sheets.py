"""What ODS and XLS sheets hold beyond the cells that calamine hands on."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ProblemKind, TableReading, read

pytestmark = pytest.mark.usefixtures("readers_here")

_SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"))
)


def ods(path: Path, rows: str, name: str = "Tabelle &amp; 1") -> TableReading:
    body = (
        f'<office:body><office:spreadsheet><table:table table:name="{name}">{rows}</table:table></office:spreadsheet>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr(
            "content.xml",
            f"<office:document-content {_SPACES}>{body}</office:body></office:document-content>",
        )
    return read(path)


def row(*cells: str, again: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{again}">{"".join(cells)}</table:table-row>'


def text(value: str, spans: str = "") -> str:
    return f'<table:table-cell office:value-type="string"{spans}><text:p>{value}</text:p></table:table-cell>'


def number(value: int, shown: str | None = None) -> str:
    said = str(value) if shown is None else shown
    return (
        f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{said}</text:p></table:table-cell>'
    )


COVERED = "<table:covered-table-cell/>"


def test_merged_cells_of_ods(tmp_path: Path) -> None:
    down, over = ' table:number-rows-spanned="2"', ' table:number-columns-spanned="2"'
    rows = row(text("ward", down), text("Person", over), COVERED) + row(COVERED, text("name"), text("age"))
    for i in range(4):
        rows += row(text(f"W{i}", down), text(f"P{i}"), number(30 + i)) + row(COVERED, text(f"Q{i}"), number(60 + i))
    found = ods(tmp_path / "t.ods", rows).table
    assert found.names == ("ward", "Person name", "Person age")
    assert found["ward"].labels[found["ward"].codes].tolist() == ["W0", "W0", "W1", "W1", "W2", "W2", "W3", "W3"]


def test_zeros_shown_in_ods(tmp_path: Path) -> None:
    rows = row(text("id"), text("Ort")) + row(number(1), number(1067, "01067")) + row(number(2), number(10115))
    found = ods(tmp_path / "t.ods", rows + row(number(3), number(99, "00099"), again=1)).table["Ort"]
    assert found.written_texts().tolist() == ["01067", "10115", "00099"]
    assert found.kind is Kind.CATEGORY


def test_errors_and_hidden_parts_of_ods_are_told(tmp_path: Path) -> None:
    failed = (
        '<table:table-cell office:value-type="string" office:string-value="" calcext:value-type="error">'
        "<text:p>#DIV/0!</text:p></table:table-cell>"
    )
    shut = ' table:visibility="collapse"'
    columns = f'<table:table-column table:number-columns-repeated="2"/><table:table-column{shut}/>'
    hidden = row(number(2), number(4), number(6)) + row("<table:table-cell/>")
    hidden = hidden.replace("<table:table-row", f"<table:table-row{shut}")
    twice = failed.replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="2"')
    body = row(text("id"), text("ratio"), text("share")) + row(number(1), twice) + hidden
    body += row(number(3), number(7), number(9)) * 5
    found = ods(tmp_path / "t.ods", columns + body)
    assert [(p.kind, p.row, p.column, p.value, p.rows) for p in found.problems if "Blank" not in p.sentence] == [
        (ProblemKind.NOTE, None, None, None, 1),
        (ProblemKind.NOTE, None, "share", None, 0),
        (ProblemKind.ERROR_CELL, 2, "ratio", "#DIV/0!", 0),
        (ProblemKind.ERROR_CELL, 2, "share", "#DIV/0!", 0),
    ]


def test_a_day_and_more_of_ods_is_hours(tmp_path: Path) -> None:
    cells = (f'<table:table-cell office:value-type="time" office:time-value="PT{22 + k}H05M00S"/>' for k in range(4))
    found = ods(tmp_path / "t.ods", row(text("id"), text("stay")) + "".join(row(number(1), each) for each in cells))
    assert found.table["stay"].written_texts().tolist() == ["22:05:00", "23:05:00", "24:05:00", "25:05:00"]


def test_numbers_of_ods_without_zeros(tmp_path: Path) -> None:
    found = ods(tmp_path / "t.ods", row(text("id"), text("n")) + row(number(1), number(7), again=1) * 4).table["n"]
    assert found.written_texts().tolist() == ["7"] * 4


def record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def cell(column: int, style: int) -> bytes:
    return record(0x0203, struct.pack("<HHHd", 1, column, style, 1067.0))
