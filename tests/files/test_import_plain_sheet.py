"""Sheets of plain cells: what is read of their distinct cells is what calamine reads of all of them."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splu_desktop.core.progress import Silent
from splu_desktop.files.importer import ProblemKind, read
from splu_desktop.files.importer.columns.cells import listed, text_of
from splu_desktop.files.importer.text.fields import Irregular
from splu_desktop.files.importer.workbook.calamine_sheet import load, open_workbook
from splu_desktop.files.importer.workbook.plain_numbers import numbers_of
from splu_desktop.files.importer.workbook.plain_reading import read_plain
from splu_desktop.files.importer.workbook.plain_sheet import PlainSheet
from splu_desktop.files.importer.workbook.sheet_cells import parse
from splu_desktop.files.isolation.faults import Corrupt
from splu_desktop.files.tables import xlsx_parts

pytestmark = pytest.mark.usefixtures("readers_here")

ALL = 1_100_000  # rows, more than a sheet has


def trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the empty cells at their ends, and without empty rows at the end."""
    found = [row[: max((i + 1 for i, text in enumerate(row) if text), default=0)] for row in rows]
    while found and not found[-1]:
        found.pop()
    return found


def expanded(sheet: PlainSheet, first: int) -> list[list[str]]:
    """Return the texts of all rows below `first`, from the chunks that the reader takes."""
    rows: dict[int, list[str]] = {}
    for columns, numbers in sheet.chunks(first, None, Silent()):
        texts = [np.array([text_of(cell) for cell in listed(cells)], object)[codes] for codes, cells in columns]
        rows.update(zip(numbers.tolist(), map(list, zip(*texts, strict=True)), strict=True))
    assert sheet.left_out(first, None) == max(max(rows, default=first) - first, 0) - len(rows)
    return [rows.get(number, []) for number in range(first + 1, max(rows, default=first) + 1)]


def compared(path: Path, name: str) -> PlainSheet:
    """Read a sheet both ways and compare; returns the plain reading."""
    plain = read_plain(path, name, Silent())
    assert plain is not None, "not taken for a plain sheet"
    slow = load(path, "xlsx", open_workbook(path, "xlsx", Silent()), name, Silent())
    expected = trimmed(slow.head(ALL))
    assert trimmed(plain.head(ALL)) == expected
    assert trimmed(expanded(plain, 0)) == expected
    assert trimmed(expanded(plain, 1)) == expected[1:]
    assert [(c.row, c.column, c.value) for c in plain.failed] == [(c.row, c.column, c.value) for c in slow.failed]
    assert plain.merged == slow.merged
    return plain


NUMBERS = st.one_of(
    st.integers(-(10**17), 10**17).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-(10**6), 10**6, places=3).map(str),
    st.sampled_from(
        ["0", "-0", "5.", ".5", "1E-05", "1e3", "+7", "007", "0.1234567890123", "12345678.1234567", "-0.0"]
    ),
)
PLAINLY = ("", ' t="n"')
FORMULAS = ("", "", "", "<f>A1+1</f>", '<f t="shared" si="0"/>', '<f t="shared" ref="A1:A9" si="0">B1&lt;2</f>')
TEXTS = st.text("ab ä漢_x0041;&<>\"'\n\t=,.1", max_size=90).filter(lambda t: t == "" or t.strip() != "")
STYLES = ("", ' s="0"', ' s="1"', ' s="2"', ' s="3"', ' s="4"', ' s="5"', ' s="99"')
STYLE_PART = xlsx_parts.STYLES.replace(
    '<numFmts count="2">', '<numFmts count="4"><numFmt numFmtId="170" formatCode="00000"/>'
    '<numFmt numFmtId="171" formatCode="[h]:mm"/>',
).replace(
    "</cellXfs>", '<xf numFmtId="170" applyNumberFormat="1"/><xf numFmtId="171" applyNumberFormat="1"/></cellXfs>'
)  # fmt: skip
STRINGS = ["shared", " kept ", "007", "a & b", "<b>", "", "x" * 200]


def escaped(text: str) -> str:
    return xlsx_parts.escape(text)


@st.composite
def cells(draw: st.DrawFn) -> str:
    """Return what follows a cell's reference, from the closing quote on."""
    style = draw(st.sampled_from(STYLES))
    formula = draw(st.sampled_from(FORMULAS))
    kind = draw(st.sampled_from("nnnssittbed-/v"))
    match kind:
        case "n":
            return f'"{style}{draw(st.sampled_from(PLAINLY))}>{formula}<v>{draw(NUMBERS)}</v></c>'
        case "s":
            return f'"{style} t="s"><v>{draw(st.integers(0, len(STRINGS) - 1))}</v></c>'
        case "i":
            return f'" t="inlineStr"{style}><is><t>{escaped(draw(TEXTS))}</t></is></c>'
        case "t":
            return f'"{style} t="inlineStr"><is><t xml:space="preserve">{escaped(draw(TEXTS))}</t></is></c>'
        case "b":
            return f'"{style} t="b">{formula}<v>{draw(st.sampled_from("01"))}</v></c>'
        case "e":
            return f'"{style} t="e">{formula}<v>{draw(st.sampled_from(["#N/A", "#DIV/0!"]))}</v></c>'
        case "d":
            return f'"{style} t="d"><v>2020-02-{draw(st.integers(1, 29)):02d}T00:00:00</v></c>'
        case "v":
            return f'"{style} t="str">{formula}<v>{escaped(draw(TEXTS))}</v></c>'
        case "-":
            return f'"{style}>{formula}</c>' if formula else f'"{style}></c>'
        case _:
            return f'"{style}/>'


@st.composite
def sheets(draw: st.DrawFn) -> str:
    """Return the rows of a sheet as XML."""
    rows = []
    for number in sorted(draw(st.sets(st.integers(1, 60), min_size=1, max_size=10))):
        columns = sorted(draw(st.sets(st.sampled_from([0, 1, 2, 3, 25, 26, 30]), max_size=5)))
        inside = "".join(f'<c r="{xlsx_parts.column_letters(i)}{number}{draw(cells())}' for i in columns)
        spans = draw(st.sampled_from(["", ' spans="1:9" ht="15"']))
        rows.append(f'<row r="{number}"{spans}>{inside}</row>' if inside else f'<row r="{number}"{spans}/>')
    return draw(st.sampled_from(["", "", "\n", "\r\n    "])).join(rows)


def raw_workbook(path: Path, rows: str, *, behind: str = "", first: str = "<sheetData>", epoch: str = "") -> Path:
    strings = "".join(
        f'<si><t xml:space="preserve">{escaped(text)}</t></si>' if i else "<si><r><t>sha</t></r><r><t>red</t></r></si>"
        for i, text in enumerate(STRINGS)
    )
    sheet = {"Data": "sheet1.xml"}
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", xlsx_parts.content_types(sheet))
        archive.writestr("_rels/.rels", xlsx_parts.ROOT_RELATIONS)
        archive.writestr("xl/workbook.xml", xlsx_parts.workbook(sheet).replace("<sheets>", f"{epoch}<sheets>"))
        archive.writestr("xl/_rels/workbook.xml.rels", xlsx_parts.workbook_relations(sheet))
        archive.writestr("xl/styles.xml", STYLE_PART)
        archive.writestr("xl/sharedStrings.xml", f'{head}<sst xmlns="{xlsx_parts.MAIN}">{strings}</sst>')
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f'{head}<worksheet xmlns="{xlsx_parts.MAIN}">{first}{rows}</sheetData>{behind}</worksheet>',
        )
    return path


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=sheets(), epoch=st.sampled_from(["", '<workbookPr date1904="1"/>']))
def test_a_sheet_of_any_plain_cells_says_what_calamine_says(tmp_path: Path, rows: str, epoch: str) -> None:
    path = raw_workbook(tmp_path / "t.xlsx", rows, epoch=epoch)
    if read_plain(path, "Data", Silent()) is not None:
        compared(path, "Data")
        return
    with pytest.raises(Corrupt):  # a length of time that no calendar holds
        load(path, "xlsx", open_workbook(path, "xlsx", Silent()), "Data", Silent()).head(ALL)


@pytest.mark.parametrize("writer", ["xlsxwriter", "xlsxwriter, constant memory", "openpyxl", "openpyxl, write only"])
def test_what_common_programs_write_is_plain(tmp_path: Path, writer: str) -> None:
    rng = np.random.default_rng(4)
    rows: list[list[Any]] = [["id", "name", "born", "weight", "ok", "note"]]
    for i in range(3000):
        born = dt.datetime(1950, 1, 1) + dt.timedelta(days=int(rng.integers(20_000)), hours=int(rng.integers(2)) * 6)
        note = None if i % 7 else f"Größe <{i % 50}> & mehr"
        rows.append([i, f"Müller {rng.integers(900)}", born, float(rng.normal(75, 15)), bool(i % 2), note])
    path = tmp_path / "t.xlsx"
    if writer.startswith("openpyxl"):
        book = openpyxl.Workbook(write_only="write" in writer)
        sheet = book.create_sheet("Data")
        for row in rows:
            sheet.append(row)
        book.save(path)
    else:
        options = {"constant_memory": "constant" in writer, "default_date_format": "yyyy-mm-dd"}
        with xlsxwriter.Workbook(str(path), options) as written:
            sheet = written.add_worksheet("Data")
            for y, row in enumerate(rows):
                sheet.write_row(y, 0, row)
    plain = compared(path, "Data")
    assert (plain.height, plain.width) == (3001, 6)
    assert read(path).table.n == 3000


def test_merged_cells_and_blank_rows(tmp_path: Path) -> None:
    rows = (
        '<row r="3"><c r="B3" t="str"><v>age</v></c><c r="C3" t="str"><v>sex</v></c></row>'
        '<row r="4"><c r="B4"><v>1</v></c><c r="C4" t="str"><v>f</v></c></row><row r="5"/>'
        '<row r="8"><c r="B8"><v>2</v></c><c r="C8" t="str"><v>m</v></c></row><row r="90"><c r="A90" s="1"/></row>'
    )
    path = raw_workbook(tmp_path / "t.xlsx", rows, behind='<mergeCells count="1"><mergeCell ref="B1:C2"/></mergeCells>')
    plain = compared(path, "Data")
    assert (plain.height, plain.width, plain.total_height) == (6, 2, 8)
    assert plain.merged == [((0, 1), (1, 2))]
    found = read(path)
    assert found.table.n == 2
    skipped = [p for p in found.problems if p.kind is ProblemKind.SKIPPED_ROWS]
    assert [p.told_rows for p in skipped if "3 blank rows" in str(p.sentence)]


IRREGULAR = {
    "rich text in a cell": '<row r="1"><c r="A1" t="inlineStr"><is><r><t>a</t></r></is></c></row>',
    "cells without references": "<row><c><v>1</v></c></row>",
    "a cell in another row": '<row r="1"><c r="A2"><v>1</v></c></row>',
    "rows out of order": '<row r="2"><c r="A2"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>',
    "a cell twice": '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>',
    "a comment": '<row r="1"><!-- --><c r="A1"><v>1</v></c></row>',
    "a text between tags": '<row r="1"><c r="A1">x<v>1</v></c></row>',
    "a text between rows": '<row r="1"><c r="A1"><v>1</v></c></row>x<row r="2"></row>',
    "a long way between rows": '<row r="1"><c r="A1"><v>1</v></c></row>' + " " * 99 + '<row r="2"></row>',
    "a value without an end": '<row r="1"><c r="A1"><v>1</c></row>',
    "cells outside rows": '<c r="A1"><v>1</v></c>',
    "lower-case references": '<row r="1"><c r="a1"><v>1</v></c></row>',
    "a long tail": '<row r="1"><c r="A1" ' + 'a="1" ' * 20 + "><v>1</v></c></row>",
    "two values": '<row r="1"><c r="A1"><v>1</v><v>2</v></c></row>',
}


@pytest.mark.parametrize("rows", IRREGULAR.values(), ids=IRREGULAR)
def test_anything_else_is_left_to_calamine(rows: str) -> None:
    with pytest.raises(Irregular):
        parse(rows.encode())


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1"><c r="A1"><v>one</v></c></row>',
        '<row r="1"><c r="A1"><v>1_000</v></c></row>',
        '<row r="1"><c r="A1"><v>nan</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>4000</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>x</v></c></row>',
    ],
)
def test_cells_that_say_nothing_sensible_are_left_to_calamine(tmp_path: Path, rows: str) -> None:
    plain = read_plain(raw_workbook(tmp_path / "t.xlsx", rows), "Data", Silent())
    slow = open_workbook(tmp_path / "t.xlsx", "xlsx", Silent())
    if plain is not None:  # then calamine takes it, too, and the same way
        assert trimmed(plain.head(5)) == trimmed(load(tmp_path / "t.xlsx", "xlsx", slow, "Data", Silent()).head(5))


@settings(max_examples=200, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_numbers_are_those_of_float(texts: list[str]) -> None:
    block = "".join(f'<row r="{i}"><c r="A{i}"><v>{text}</v></c></row>' for i, text in enumerate(texts, 1))
    content = parse(block.encode()).columns[0].content
    assert content.long is None
    found = numbers_of(content.words, content.length, Silent())
    assert found.tolist() == list(map(float, texts))


def test_a_column_far_away_costs_no_memory_between(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    plain = read_plain(raw_workbook(tmp_path / "t.xlsx", rows), "Data", Silent())
    assert plain is not None
    assert sorted(plain.columns) == [0, 16383]
    assert plain.numbers.tolist() == [1, 1048576]


def test_nothing_is_unpacked_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small workbook that calamine reads stays in memory: the source's values have no business on the disk."""
    path = raw_workbook(tmp_path / "t.xlsx", '<row r="1"><c r="A1" t="str"><v>secret</v></c></row>')
    given_: list[object] = []
    from splu_desktop.files.importer.workbook import plain_reading

    real = plain_reading.calamine.load_workbook
    monkeypatch.setattr(plain_reading.calamine, "load_workbook", lambda source: given_.append(source) or real(source))
    assert read_plain(path, "Data", Silent()) is not None
    assert given_
    assert all(isinstance(source, io.BytesIO) for source in given_)
    assert [p.name for p in tmp_path.iterdir()] == ["t.xlsx"]
