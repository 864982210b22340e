"""What people do to sheets: merged cells among records, hidden rows and columns, tables beside, days from 1904."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ImportChoices, ProblemKind, TableReading, read
from tests.messy.cases import xlsx_bytes

pytestmark = pytest.mark.usefixtures("readers_here")

HEAD = ["ward", "name", "age"]
ROWS: list[list[Any]] = [[f"Ward {i // 3}", f"P{i}", 20 + i] for i in range(24)]


def sheet(path: Path, fill: Callable[[Any, Any], None], **options: Any) -> TableReading:
    """Read a sheet that `fill` writes."""
    book = xlsxwriter.Workbook(path, options)
    page = book.add_worksheet()
    fill(book, page)
    book.close()
    return read(path)


def table(page: Any, rows: list[list[Any]] = ROWS) -> None:
    for i, row in enumerate([HEAD, *rows]):
        page.write_row(i, 0, row)


def notes(found: TableReading) -> list[str]:
    return [str(p.sentence) for p in found.problems if p.kind is ProblemKind.NOTE]


def test_a_merged_cell_holds_for_all_its_records(tmp_path: Path) -> None:
    def fill(_: Any, page: Any) -> None:
        table(page)
        for i in range(0, 24, 3):
            page.merge_range(1 + i, 0, 3 + i, 0, f"Ward {i // 3}")

    found = sheet(tmp_path / "t.xlsx", fill)
    wards = found.table["ward"]
    assert wards.written_texts().tolist() == [row[0] for row in ROWS]
    assert (wards.counts() > 0).all()
    assert "8" in found.reasons["merged cells of ward"]


def test_a_merged_cell_makes_no_records_of_blank_rows(tmp_path: Path) -> None:
    def fill(_: Any, page: Any) -> None:
        table(page, [["", "a", 1], ["", "b", 2], ["", "", ""], ["x", "c", 3]])
        page.merge_range(1, 0, 3, 0, "Ward 1")

    found = sheet(tmp_path / "t.xlsx", fill).table
    assert found["ward"].labels[found["ward"].codes].tolist() == ["Ward 1", "Ward 1", "x"]


def test_merged_numbers(tmp_path: Path) -> None:
    def fill(_: Any, page: Any) -> None:
        table(page, [[7, "a", 1], [None, "b", 2], [8, "c", 3]])
        page.merge_range(1, 0, 2, 0, 7)

    found = sheet(tmp_path / "t.xlsx", fill).table["ward"]
    assert found.kind is Kind.INTEGER
    assert found.written_texts().tolist() == ["7", "7", "8"]


def test_a_header_cell_that_reaches_down(tmp_path: Path) -> None:
    def fill(_: Any, page: Any) -> None:
        page.merge_range(0, 0, 1, 0, "ward")
        page.merge_range(0, 1, 0, 2, "Person")
        page.write_row(1, 1, ["name", "age"])
        for i, row in enumerate(ROWS):
            page.write_row(i + 2, 0, row)

    found = sheet(tmp_path / "t.xlsx", fill)
    assert found.table.names == ("ward", "Person name", "Person age")
    assert found.table.n == 24


@pytest.mark.parametrize("hidden", [(3, 5, 7), (5,)])
def test_hidden_rows_and_columns_are_read_and_told(tmp_path: Path, hidden: tuple[int, ...]) -> None:
    def fill(_: Any, page: Any) -> None:
        table(page)
        page.autofilter(0, 0, 24, 2)
        for row in hidden:
            page.set_row(row, None, None, {"hidden": True})
        page.set_column(1, 1, None, None, {"hidden": True})

    found = sheet(tmp_path / "t.xlsx", fill)
    assert found.table.n == 24
    said = notes(found)
    assert len(said) == 2
    assert f"rows: {len(hidden)}" in said[0]
    assert "“name”" in said[1]
    assert [problem.told_rows for problem in found.problems] == [len(hidden), 0]  # the second is of a column


def test_nothing_is_told_of_a_sheet_that_shows_all(tmp_path: Path) -> None:
    found = sheet(tmp_path / "t.xlsx", lambda _, page: table(page))
    assert not found.problems


@pytest.mark.parametrize("rows", [2, 40])
def test_a_table_beside_is_told(tmp_path: Path, rows: int) -> None:
    def fill(_: Any, page: Any) -> None:
        table(page)
        for i in range(rows + 1):
            page.write_row(i, 5, [f"Unit {i}", i] if i else ["unit", "beds"])

    said = notes(sheet(tmp_path / "t.xlsx", fill))
    assert len(said) == 1
    assert "“unit”, “beds”" in said[0]


def test_an_empty_column_between_is_no_table_beside(tmp_path: Path) -> None:
    def fill(_: Any, page: Any) -> None:
        for i, row in enumerate([HEAD, *ROWS]):
            page.write_row(i, 0, row[:2])
            page.write(i, 3, row[2])

    found = sheet(tmp_path / "t.xlsx", fill)
    assert found.table.names == ("ward", "name", "age")
    assert not found.problems


@pytest.mark.parametrize("since", [1900, 1904])
def test_day_counts_begin_where_the_workbook_says(tmp_path: Path, since: int) -> None:
    day = dt.date(2019, 1, 31)
    first = dt.date(1899, 12, 30) if since == 1900 else dt.date(1904, 1, 1)

    def fill(_: Any, page: Any) -> None:
        page.write_row(0, 0, ["id", "Aufnahmedatum"])
        for i in range(9):
            page.write_row(i + 1, 0, [i, (day - first).days + i])

    found = sheet(tmp_path / "t.xlsx", fill, date_1904=since == 1904).table["Aufnahmedatum"]
    assert found.kind is Kind.DATE
    assert found.values is not None
    assert found.values[found.codes[0]].astype("datetime64[D]").item() == day


def test_a_table_of_very_many_columns(tmp_path: Path) -> None:
    width = 1200

    def fill(_: Any, page: Any) -> None:
        page.write_row(0, 0, [f"v{i}" for i in range(width)])
        for row in (1, 2):
            page.write_row(row, 0, [row * i for i in range(width)])

    found = sheet(tmp_path / "t.xlsx", fill).table
    assert found.names == tuple(f"v{i}" for i in range(width))
    assert found["v1199"].labels[found["v1199"].codes].tolist() == ["1199", "2398"]


def test_a_row_is_told_with_its_sheet_where_several_are_one_table(tmp_path: Path) -> None:
    rows = [["ward", "age"], *([f"w{i % 3}", str(30 + i)] for i in range(30)), [], ["Total", ""]]
    path = tmp_path / "t.xlsx"
    path.write_bytes(xlsx_bytes({"Q1": rows, "Q2": rows}))
    said = [p.sentence for p in read(path, ImportChoices(sheets=("Q1", "Q2"))).problems if p.row == 33]
    assert [sentence.partition(": ")[0] for sentence in said] == ["Sheet “Q1”", "Sheet “Q2”"]
    assert not any(p.sentence.startswith("Sheet “Q1”:") for p in read(path, ImportChoices(sheet="Q1")).problems)


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("word", ["Total", "Summe", "合計"])
def test_a_word_alone_at_the_end_is_no_record(tmp_path: Path, width: int, word: str) -> None:
    """A total without its figures, of a table of few columns, was kept as a record and nothing said of it."""
    rows = [["ward", "age", "sex"], *([f"w{i % 3}", str(30 + i), "m"] for i in range(30)), [word, "", ""]]
    path = tmp_path / "t.xlsx"
    path.write_bytes(xlsx_bytes({"Q1": [row[:width] for row in rows]}))
    found = read(path)
    assert found.table.n == 30
    assert [p.row for p in found.problems] == [32]
    rows = [["operation", "age"], *([["total", "partial"][i % 2], str(30 + i)] for i in range(30)), ["total", ""]]
    path.write_bytes(xlsx_bytes({"Q1": rows}))
    assert read(path).table.n == 31  # a finding
