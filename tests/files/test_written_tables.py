"""Published files opened again by pandas, openpyxl, pyarrow, LibreOffice and the program's importer: equal values."""

from __future__ import annotations

import csv
import datetime
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest

from splu_desktop.core.progress import Cancelled, Silent
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.inert import inert
from splu_desktop.files.importer import read
from splu_desktop.files.release.read_back import csv_differs, differing
from splu_desktop.files.tables.table_writers import write_csv, write_parquet
from splu_desktop.files.tables.xlsx_writer import NotForExcel, write_xlsx
from tests.files.releases import awkward_table, cells_of
from tests.optional import needs

pytestmark = pytest.mark.usefixtures("readers_here")


@pytest.fixture(scope="module")
def table() -> Table:
    return awkward_table()


@pytest.fixture(scope="module")
def xlsx(table: Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("x") / "table.xlsx"
    write_xlsx(table, path, Silent())
    return path


def expected(column: Column) -> list[Any]:
    """What a typed reader should find: numbers, dates, texts, None."""
    if column.values is None:
        return [text or None for text in column.labels[column.codes].tolist()]
    values = column.values[column.codes]
    if values.dtype.kind == "M":
        return list(values.astype("datetime64[us]").tolist())
    return [None if value != value else value for value in values.tolist()]


def test_openpyxl_finds_equal_values_and_no_formula(table: Table, xlsx: Path) -> None:
    sheet = openpyxl.load_workbook(xlsx).active
    assert sheet is not None
    rows = list(sheet.iter_rows())
    assert [cell.value for cell in rows[0]] == list(table.names)
    assert len(rows) == table.n + 1
    for place, column in enumerate(table.columns):
        assert [row[place].value for row in rows[1:]] == expected(column)
    assert {cell.data_type for row in rows for cell in row} <= {"s", "n", "d"}
    assert sheet.freeze_panes == "A2"
    assert all(sheet.column_dimensions[letter].width >= 8 for letter in "ABCDEFG")
    assert rows[0][0].font.bold


def test_dates_are_dates_and_codes_are_text(xlsx: Path, table: Table) -> None:
    sheet = openpyxl.load_workbook(xlsx).active
    assert sheet is not None
    row = dict(zip(table.names, next(sheet.iter_rows(min_row=2, max_row=2)), strict=True))
    assert isinstance(row["admitted"].value, datetime.datetime)
    assert row["admitted"].number_format.replace("\\", "") == "yyyy-mm-dd"
    assert isinstance(row["code"].value, str)
    assert len(row["code"].value) == 5


def test_pandas_finds_equal_values(table: Table, xlsx: Path, tmp_path: Path) -> None:
    sheet = pd.read_excel(xlsx, engine="calamine", dtype={"code": str})
    assert list(sheet["code"]) == [text for (text, *_rest) in cells_of(table)]
    assert (sheet["admitted"].to_numpy() == expected_dates(table)).all()
    write_csv(table, tmp_path / "t.csv", Silent())
    frame = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)
    assert list(frame.columns) == [inert(name) for name in table.names]
    assert list(frame.itertuples(index=False, name=None)) == [tuple(map(inert, row)) for row in cells_of(table)]


def expected_dates(table: Table) -> Any:
    column = table["admitted"]
    assert column.values is not None
    return column.values[column.codes]


def test_the_importer_finds_equal_values(table: Table, xlsx: Path, tmp_path: Path) -> None:
    write_csv(table, tmp_path / "t.csv", Silent())
    for path in (tmp_path / "t.csv", xlsx):
        got = read(path).table
        assert got.n == table.n
        for name in ("code", "illness"):
            wanted = table[name].labels[table[name].codes].tolist()
            if path.suffix == ".csv":
                wanted = list(map(inert, wanted))
            assert got[name].labels[got[name].codes].tolist() == wanted
        for name in ("weight", "admitted", "seen"):
            assert np.array_equal(got[name].values[got[name].codes], table[name].values[table[name].codes]), name


@needs("LibreOffice")
def test_libreoffice_finds_equal_values(table: Table, xlsx: Path, tmp_path: Path) -> None:
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false"  # cells as they are, not as shown
    subprocess.run(
        ["soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/profile", "--convert-to", form,
         "--outdir", str(tmp_path), str(xlsx)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(table.names)
    assert len(rows) == table.n + 1
    for place, column in enumerate(table.columns):
        got = [row[place] for row in rows[1:]]
        if column.kind in (Kind.INTEGER, Kind.DECIMAL):
            assert [float(cell) if cell else None for cell in got] == expected(column)
        elif column.kind is Kind.CATEGORY or column.kind is Kind.DATE:
            assert got == column.labels[column.codes].tolist()


def test_a_long_table_goes_on_in_further_sheets(table: Table, tmp_path: Path) -> None:
    write_xlsx(table, tmp_path / "t.xlsx", Silent(), sheet_rows=151)
    book = openpyxl.load_workbook(tmp_path / "t.xlsx")
    assert book.sheetnames == ["Table", "Table 2", "Table 3"]
    assert [sheet.max_row for sheet in book] == [151, 151, 101]
    assert all([cell.value for cell in next(sheet.iter_rows())] == list(table.names) for sheet in book)
    codes = [row[0] for sheet in book for row in sheet.iter_rows(min_row=2, values_only=True)]
    assert codes == [row[0] for row in cells_of(table)]
    assert differing((tmp_path / "t.xlsx").read_bytes(), tmp_path / "t.xlsx", "xlsx", table, Silent()) is None


def test_parquet_is_typed(table: Table, tmp_path: Path) -> None:
    write_parquet(table, tmp_path / "t.parquet", Silent())
    got = pq.read_table(tmp_path / "t.parquet")
    assert got.column_names == list(table.names)
    assert got["code"].to_pylist() == [row[0] for row in cells_of(table)]
    assert got["age"].to_pylist() == expected(table["age"])
    assert got["weight"].to_pylist() == expected(table["weight"])
    assert [str(day) for day in got["admitted"].to_pylist()] == [row[4] for row in cells_of(table)]
    assert got["seen"].to_pylist() == expected(table["seen"])


def altered(table: Table) -> Table:
    column = table["age"]
    codes = column.codes.copy()
    codes[-1] = (codes[-1] + 1) % column.m
    return Table(tuple(column.with_codes(codes) if c is column else c for c in table.columns))


def test_reading_back_notices_one_changed_cell(table: Table, tmp_path: Path) -> None:
    write_csv(table, tmp_path / "t.csv", Silent())
    write_xlsx(table, tmp_path / "t.xlsx", Silent())
    assert csv_differs(tmp_path / "t.csv", table, Silent()) is None
    assert csv_differs(tmp_path / "t.csv", altered(table), Silent()) == "age"
    raw = (tmp_path / "t.xlsx").read_bytes()
    assert differing(raw, tmp_path / "t.xlsx", "xlsx", table, Silent()) is None
    assert differing(raw, tmp_path / "t.xlsx", "xlsx", altered(table), Silent()) == "age"
    write_parquet(table, tmp_path / "t.parquet", Silent())
    raw = (tmp_path / "t.parquet").read_bytes()
    assert differing(raw, tmp_path / "t.parquet", "parquet", table, Silent()) is None
    assert differing(raw, tmp_path / "t.parquet", "parquet", altered(table), Silent()) == "age"


def test_long_files_are_read_back_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    table = Table(
        tuple(Column.from_labels(name, [f"{x}" for x in rng.integers(0, 10**6, 9_000)]) for name in ("a", "b", "c"))
    )
    write_csv(table, tmp_path / "t.csv", Silent())
    for block in (500, 1_000, 7_777):
        monkeypatch.setattr("splu_desktop.files.release.read_back._BLOCK", block)
        assert csv_differs(tmp_path / "t.csv", table, Silent()) is None
    rolled = Table((*table.columns[:2], table["c"].with_codes(np.roll(table["c"].codes, 1))))
    assert csv_differs(tmp_path / "t.csv", rolled, Silent()) == "c"


def test_what_excel_can_not_hold_is_refused(tmp_path: Path) -> None:
    long = Table((Column.from_labels("note", ["x" * 32_768, "y"]),))
    with pytest.raises(NotForExcel, match="“note”"):
        write_xlsx(long, tmp_path / "t.xlsx", Silent())
    assert not (tmp_path / "t.xlsx").exists()


def test_every_writer_can_be_stopped(table: Table, tmp_path: Path) -> None:
    class Stopped:
        def report(self, stage: str, done: float) -> None:
            raise Cancelled

    for write in (write_csv, write_xlsx):
        with pytest.raises(Cancelled):
            write(table, tmp_path / "t", Stopped())


def test_values_are_kept_as_multisets_whatever_the_file(table: Table, xlsx: Path) -> None:
    sheet = pd.read_excel(xlsx, engine="calamine", dtype=str, keep_default_na=False)
    assert Counter(sheet["illness"]) == Counter(row[-1] for row in cells_of(table))
