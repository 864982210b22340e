"""XLSB workbooks: read, and refused before loading where cells far away would need all memory there is."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.progress import Silent
from splu_desktop.files.importer import ProblemKind, read
from splu_desktop.files.importer.workbook.xlsb_parts import scan_xlsb

pytestmark = pytest.mark.usefixtures("readers_here")

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
TABLE: dict[tuple[int, int], str | float | None] = {
    (0, 0): "id", (0, 1): "age", (1, 0): 1, (1, 1): 42, (2, 0): 2, (2, 1): 57,
}  # fmt: skip


def record(kind: int, content: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([(kind & 127) | 128, kind >> 7])
    length = len(content)
    while length > 127:
        head += bytes([(length & 127) | 128])
        length >>= 7
    return head + bytes([length]) + content


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode("utf-16-le")


def cell(column: int, value: str | float | None) -> bytes:
    place = struct.pack("<II", column, 0)
    if value is None:
        return record(1, place)
    if value == "#DIV/0!":
        return record(3, place + b"\x07")
    return record(6, place + text(value)) if isinstance(value, str) else record(5, place + struct.pack("<d", value))


def workbook(path: Path, cells: dict[tuple[int, int], str | float | None], name: str = "Tabelle") -> Path:
    book = record(131) + record(143) + record(156, struct.pack("<II", 0, 1) + text("rId1") + text(name))
    sheet = record(129) + record(148, struct.pack("<IIII", 0, 2, 0, 1)) + record(145)
    for row in sorted({row for row, _ in cells}):
        sheet += record(0, struct.pack("<IIHBBI", row, 0, 300, 0, 0, 0) + bytes(9))
        sheet += b"".join(cell(column, value) for (at, column), value in sorted(cells.items()) if at == row)
    link = '<Relationships xmlns="{0}"><Relationship Id="rId1" Type="{1}/{2}" Target="{3}"/></Relationships>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{_TYPES}"/>')
        archive.writestr("_rels/.rels", link.format(_RELATIONS, _OFFICE, "officeDocument", "xl/workbook.bin"))
        archive.writestr(
            "xl/_rels/workbook.bin.rels", link.format(_RELATIONS, _OFFICE, "worksheet", "worksheets/sheet1.bin")
        )
        archive.writestr("xl/workbook.bin", book + record(144) + record(132))
        archive.writestr("xl/worksheets/sheet1.bin", sheet + record(146) + record(130))
    return path


def test_it_is_read(tmp_path: Path) -> None:
    found = read(workbook(tmp_path / "t.xlsb", TABLE))
    assert found.choices.format == "xlsb"
    assert found.table.names == ("id", "age")
    assert found.table["age"].labels.tolist() == ["42", "57"]


def test_errors_are_told(tmp_path: Path) -> None:
    cells = {**TABLE, (3, 0): 3, (3, 1): "#DIV/0!", (4, 0): 4, (4, 1): 61}
    found = read(workbook(tmp_path / "t.xlsb", cells))
    assert [(p.kind, p.row, p.column, p.value) for p in found.problems] == [
        (ProblemKind.ERROR_CELL, 4, "age", "#DIV/0!")
    ]


def test_empty_cells_far_away_take_no_room(tmp_path: Path) -> None:
    assert read(workbook(tmp_path / "t.xlsb", {**TABLE, (1_048_575, 16_383): None})).table.n == 2


@given(damage=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6), cut=st.integers(0, 400))
def test_a_damaged_sheet_is_looked_through(
    tmp_path_factory: pytest.TempPathFactory, damage: list[tuple[int, int]], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("xlsb")
    with zipfile.ZipFile(workbook(folder / "t.xlsb", TABLE)) as whole, zipfile.ZipFile(folder / "d.xlsb", "w") as other:
        for name in whole.namelist():
            data = bytearray(whole.read(name))
            for at, byte in damage if name.endswith(".bin") else ():
                data[at % len(data)] = byte
            other.writestr(name, bytes(data[: len(data) - cut]) if name.endswith("sheet1.bin") else bytes(data))
    scan = scan_xlsb(folder / "d.xlsb", "Tabelle", Silent())
    assert scan.hidden.rows >= 0
