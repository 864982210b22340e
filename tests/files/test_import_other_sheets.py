"""What ODS and XLS sheets hold beyond the cells that calamine hands on."""

from __future__ import annotations

import struct
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import Imported, read
from splu_desktop.files.importer.workbook.calamine_sheet import coded
from splu_desktop.files.importer.workbook.xls_formats import padded_cells

pytestmark = pytest.mark.usefixtures("readers_here")

_SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"))
)


def ods(path: Path, rows: str, name: str = "Tabelle &amp; 1") -> Imported:
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
    assert found.labels[found.codes].tolist() == ["01067", "10115", "00099"]
    assert found.kind is Kind.CATEGORY


def test_numbers_of_ods_without_zeros(tmp_path: Path) -> None:
    found = ods(tmp_path / "t.ods", row(text("id"), text("n")) + row(number(1), number(7), again=1) * 4).table["n"]
    assert found.labels[found.codes].tolist() == ["7"] * 4


def record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def cell(column: int, style: int) -> bytes:
    return record(0x0203, struct.pack("<HHHd", 1, column, style, 1067.0))


@pytest.mark.parametrize("wide", [False, True])
def test_zero_formats_of_xls(tmp_path: Path, wide: bool) -> None:
    code = "00000"
    form = struct.pack("<HHB", 165, 5, int(wide)) + (code.encode("utf-16-le") if wide else code.encode())
    styles = record(0x00E0, struct.pack("<HH", 0, 0) + bytes(16)) + record(
        0x00E0, struct.pack("<HH", 0, 165) + bytes(16)
    )
    begin, end = record(0x0809, bytes(16)), record(0x000A)
    several = struct.pack("<HH", 2, 3) + struct.pack("<HI", 1, 0) * 2 + struct.pack("<H", 4)
    first = begin + cell(0, 1) + end
    second = begin + cell(0, 0) + cell(1, 1) + begin + cell(9, 1) + end + record(0x00BD, several) + end

    def name(at: int, sheet: str) -> bytes:
        return record(0x0085, struct.pack("<IHBB", at, 0, len(sheet), 0) + sheet.encode())

    front = begin + record(0x041E, form) + styles
    size = len(front) + len(name(0, "A")) + len(name(0, "B")) + len(end)
    path = tmp_path / "t.xls"
    path.write_bytes(front + name(size, "A") + name(size + len(first), "B") + end + first + second)
    assert padded_cells(path, "B") == Counter({(1, 5): 1, (3, 5): 1, (4, 5): 1})
    assert padded_cells(path, "A") == Counter({(0, 5): 1})
    assert padded_cells(path, "C") == Counter()


@given(content=st.binary(max_size=300))
def test_damaged_formats_of_xls(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("xls") / "t.xls"
    path.write_bytes(record(0x0809, bytes(16)) + content)
    assert isinstance(padded_cells(path, "A"), Counter)


@given(st.lists(st.one_of(st.integers(0, 3), st.floats(0, 3), st.just(""), st.sampled_from(["a", "b"])), min_size=1))
def test_whole_numbers_are_numbers_like_all_others(cells: list[int | float | str]) -> None:
    column = coded(cells)
    if column is None:
        assert set(cells) == {""}
        return
    found = column.cells(slice(None))
    assert found == cells
    assert int not in set(map(type, found))
