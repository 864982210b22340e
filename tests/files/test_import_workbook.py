"""Workbooks and the files of statistics programs: cells as texts, sheets, padding, errors, value labels."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splu_desktop.core.table import Kind, Table
from splu_desktop.files.importer import ImportChoices, ProblemKind, TableReading, forget_preview, preview, read
from splu_desktop.files.importer.workbook import reading as workbook_module
from tests.columns import put_cells
from tests.hostile import files


def rows_of(table: Table) -> list[list[str]]:
    return [list(row) for row in zip(*(column.written_texts() for column in table.columns), strict=True)]


def workbook(path: Path, rows: list[list[Any]], *, left: int = 0, top: int = 0) -> Path:
    with xlsxwriter.Workbook(str(path), {"default_date_format": "yyyy-mm-dd"}) as book:
        put_cells(book.add_worksheet("Data"), rows, top, left)
    return path


def text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell)


def test_a_blank_cell_is_a_record_where_a_sheet_has_one_column_alone(tmp_path: Path) -> None:
    one = read(workbook(tmp_path / "one.xlsx", [["dx"], ["flu"], [None], ["gout"]])).table
    assert rows_of(one) == [["flu"], [""], ["gout"]]
    two = read(workbook(tmp_path / "two.xlsx", [["dx", "sex"], ["flu", "f"], [None, None], ["gout", "m"]])).table
    assert rows_of(two) == [["flu", "f"], ["gout", "m"]]


CELLS = st.one_of(
    st.none(),
    st.text("abcäß 漢.,;\"'=+-@0123", min_size=1, max_size=8).filter(lambda t: bool(t.strip())),
    st.integers(-(10**9), 10**9),
    st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.6g}")).filter(lambda x: x == 0 or abs(x) > 1e-3),
    st.booleans(),
    st.dates(dt.date(1901, 1, 1), dt.date(2099, 12, 31)),
)


@pytest.mark.usefixtures("readers_here")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(CELLS, min_size=4, max_size=4), min_size=1, max_size=12),
    left=st.integers(0, 2),
    top=st.integers(0, 3),
)
def test_cells_come_back_as_their_texts(tmp_path: Path, rows: list[list[Any]], left: int, top: int) -> None:
    rows = [["n", *row] for row in rows]  # no row is blank
    # A column of dates and plain numbers is read as dates on purpose, so each column here holds one of the two.
    for x in range(1, 5):
        if any(isinstance(row[x], dt.date) for row in rows):
            for row in rows:
                row[x] = None if isinstance(row[x], (int, float)) and not isinstance(row[x], bool) else row[x]
    path = workbook(tmp_path / "t.xlsx", [["key", "a", "b", "c", "d"], *rows], left=left, top=top)
    found = read(path, ImportChoices(header_row=top + 1, last_row=top + 1 + len(rows)))
    assert found.table.names == ("key", "a", "b", "c", "d")
    assert rows_of(found.table) == [[text(cell) for cell in row] for row in rows]


def test_padding_around_the_table_and_titles_above_it(tmp_path: Path) -> None:
    rows = [
        ["Ward statistics"],
        [],
        ["id", "age", None, "sex"],
        *[[i, 20 + i, None, "fm"[i % 2]] for i in range(30)],
        [],
        ["Source: archive"],
    ]
    found = read(workbook(tmp_path / "t.xlsx", rows, left=2, top=3))
    assert found.table.names == ("id", "age", "sex")
    assert found.choices.header_row == 6
    assert found.table.n == 30
    assert sum(p.told_rows for p in found.problems if p.kind is ProblemKind.SKIPPED_ROWS) == 3


def test_hidden_sheets_are_marked_and_not_read_unasked(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        hidden, shown = book.add_worksheet("Codes"), book.add_worksheet("Visits")
        for sheet, name in ((hidden, "code"), (shown, "visit")):
            sheet.write_row(0, 0, [name, "n"])
            sheet.write_row(1, 0, ["x", 1])
            sheet.write_row(2, 0, ["y", 2])
        shown.activate()
        shown.set_first_sheet()
        hidden.hide()
    assert read(path).table.names == ("visit", "n")
    assert read(path, ImportChoices(sheet="Codes")).table.names == ("code", "n")
    assert [(s.name, s.visible) for s in preview(path).reading.sheets] == [("Codes", False), ("Visits", True)]


def test_formulas_are_never_read_only_their_stored_results(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "value", "other"])
        sheet.write_row(1, 0, [1])
        sheet.write_formula(1, 1, '=HYPERLINK("http://evil.example","x")', None, 42)
        sheet.write_formula(1, 2, "=1/0", None, "#DIV/0!")
        sheet.write_row(2, 0, [2])
        sheet.write_formula(2, 1, "=A1+1", None, "")
        sheet.write_string(2, 2, "=1+1")
    found = read(path)
    assert rows_of(found.table) == [["1", "42", "#DIV/0!"], ["2", "", "=1+1"]]
    errors = {(p.row, p.column, p.value) for p in found.problems if p.kind is ProblemKind.ERROR_CELL}
    assert errors == {(2, "other", "#DIV/0!"), (3, "value", "")}
    assert found.table["other"].missing[found.table["other"].code_of("#DIV/0!")]


def test_days_counted_from_1904_in_a_workbook_of_that_kind(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path), {"date_1904": True, "default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "seen"])
        sheet.write_row(1, 0, [1, dt.date(2020, 1, 31)])
        sheet.write_row(2, 0, [2, 42_400])
        sheet.write_row(3, 0, [3, dt.date(2020, 2, 2)])
    column = read(path).table["seen"]
    assert column.labels.tolist() == ["2020-01-31", "2020-02-01", "2020-02-02"]
    assert column.kind is Kind.DATE


def test_a_row_at_the_end_of_the_sheet_is_read_without_a_million_between(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "age"])
        for i in range(1, 30):
            sheet.write_row(i, 0, [i, 20 + i])
        sheet.write_blank(200_000, 1, None, book.add_format({"bold": True}))
    assert read(path).table.n == 29


def test_text_named_as_a_workbook_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.xls"
    path.write_text("id\tage\n1\t30\n2\t40\n")
    found = read(path)
    assert found.table.n == 2
    assert found.choices.format == "csv"


FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, 9.0],
        "age": [30.0, np.nan, 41.0, -9.0],
        "born": [dt.date(1980, 1, 2)] * 4,
        "name": ["a", "b", "ä", ""],
    }
)
LABELS = {"sex": {1: "male", 2: "female", 9: "not known"}}


def check_statistical(found: TableReading, sex: list[str]) -> None:
    assert rows_of(found.table) == [
        [sex[0], "30", "1980-01-02", "a"],
        [sex[1], "", "1980-01-02", "b"],
        [sex[2], "41", "1980-01-02", "ä"],
        [sex[3], "-9", "1980-01-02", ""],
    ]
    assert [c.kind for c in found.table.columns[1:3]] == [Kind.INTEGER, Kind.DATE]


def test_spss_with_value_labels_and_declared_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    missing = {"sex": [9], "age": [{"lo": -99, "hi": -1}]}
    pyreadstat.write_sav(FRAME, str(path), variable_value_labels=LABELS, missing_ranges=missing)
    found = read(path)
    check_statistical(found, ["male", "female", "male", "not known"])
    assert found.table["sex"].labels[found.table["sex"].missing].tolist() == ["not known"]
    assert sorted(found.table["age"].labels[found.table["age"].missing]) == ["", "-9"]


def test_stata_with_value_labels(tmp_path: Path) -> None:
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(FRAME, str(path), variable_value_labels=LABELS)
    check_statistical(read(path), ["male", "female", "male", "not known"])


def test_sas_transport(tmp_path: Path) -> None:
    path = tmp_path / "t.xpt"
    pyreadstat.write_xport(FRAME, str(path), file_format_version=8)
    check_statistical(read(path), ["1", "2", "1", "9"])


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.to_parquet(path)
    check_statistical(read(path), ["1", "2", "1", "9"])


def test_codes_that_share_a_word_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(FRAME, str(path), variable_value_labels={"sex": {1: "same", 2: "same", 9: "other"}})
    assert [row[0] for row in rows_of(read(path).table)] == ["same (1)", "same (2)", "same (1)", "other"]


def test_a_sheet_is_opened_once_while_its_reading_is_tried_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "t.xlsx", [["id", "age"], *[[i, 20 + i] for i in range(30)]])
    real, opened = workbook_module.isolate, []
    monkeypatch.setattr(workbook_module, "isolate", lambda *a, **b: (opened.append(1), real(*a, **b))[1])
    preview(path)
    assert preview(path, ImportChoices(header_row=0)).reading.table.n == 31
    assert len(opened) == 1
    workbook(path, [["id", "age"], *[[i, 20 + i] for i in range(40)]])
    assert preview(path).reading.table.n == 40  # the file has changed meanwhile
    forget_preview()
    preview(path)
    assert read(path).table.n == 40
    assert len(opened) == 3
    assert read(path).table.n == 40  # what was tried out is kept for one reading only
    assert len(opened) == 4


def test_blank_rows_leave_no_mark_for_no_value(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", [["id", "age"], [1, 20], [], [2, 30]])
    with zipfile.ZipFile(path) as plain, zipfile.ZipFile(tmp_path / "odd.xlsx", "w") as odd:
        for name in plain.namelist():
            odd.writestr(name, plain.read(name).replace(b"<sheetData>", b"<sheetData><!-- left to calamine -->"))
    for name in ("t.xlsx", "odd.xlsx"):
        assert read(tmp_path / name).missing_tokens == ()


def test_texts_of_formulas_in_an_old_workbook_are_no_cells(tmp_path: Path) -> None:
    """Their records (STRING, 0x0207) hold a length and a text where those of cells have a row and a column."""
    names = ["ward", "Größe Ω " + "w" * 180, "x" * 255]
    cells = [files.label(0, at, name) for at, name in enumerate(("number", "said", "score"))]
    rows = [(row, names[row % 3], row / 2) for row in range(1, 41)]
    for row, said, score in rows:
        cells += [files.number(row, 0, row), files.formula(row, 1, said), files.number(row, 2, score)]
    path = tmp_path / "formulas.xls"
    path.write_bytes(files.contained(files.xls_stream(b"".join(cells))))
    assert rows_of(read(path).table) == [[str(row), said, f"{score:g}"] for row, said, score in rows]
