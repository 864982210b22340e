"""XLSB workbooks: read, and refused before loading where cells far away would need all memory there is."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from splu_desktop.files.importer import read
from tests.hostile.files import xlsb_record as record
from tests.hostile.files import xlsb_text as text

pytestmark = pytest.mark.usefixtures("readers_here")

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
TABLE: dict[tuple[int, int], str | float | None] = {
    (0, 0): "id", (0, 1): "age", (1, 0): 1, (1, 1): 42, (2, 0): 2, (2, 1): 57,
}  # fmt: skip


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
    assert any("errors in cells" in problem.sentence for problem in found.problems)  # which nobody can tell of it


def test_empty_cells_far_away_take_no_room(tmp_path: Path) -> None:
    assert read(workbook(tmp_path / "t.xlsb", {**TABLE, (1_048_575, 16_383): None})).table.n == 2
