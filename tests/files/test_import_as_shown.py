"""A value arrives as its own program shows it, whichever format it was saved in."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter

from splu_desktop import api
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import read
from splu_desktop.files.importer.columns.cells import fill_up
from splu_desktop.files.importer.period_texts import period_text
from splu_desktop.files.importer.recognise import recognise
from splu_desktop.files.isolation.faults import EmptyFile, WrongFormat

N = 20


def test_a_letter_among_numbers_of_stata_is_no_value(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": range(N), "dose": [1.0, 2.0, "a", "b"] * 5})
    labels: dict[str, dict[Any, str]] = {"dose": {1.0: "low", "a": "refused"}}
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(frame, path, variable_value_labels=labels, missing_user_values={"dose": ["a", "b"]})
    column = read(path).table["dose"]
    texts, missing = column.written_texts().tolist(), column.missing[column.codes].tolist()
    assert texts[:4] == ["low", "2", "refused", ".b"]
    assert missing[:4] == [False, False, True, True]


def test_narrow_floats_are_the_numbers_that_were_written(tmp_path: Path) -> None:
    weights = [72.3 + k / 10 for k in range(N)]
    frame = pd.DataFrame({"weight": np.array(weights, np.float32), "steps": np.float32(123_456_789)})
    frame.to_stata(tmp_path / "t.dta", write_index=False)
    for table in (read(tmp_path / "t.dta").table, api.read(frame).reading.table):
        assert table["weight"].written_texts().tolist() == [f"{weight:.1f}".removesuffix(".0") for weight in weights]
        assert set(table["steps"].written_texts()) == {"123456792"}  # a whole number is what the float holds


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_narrow_floats_of_parquet(tmp_path: Path, kind: type[np.floating]) -> None:
    pq.write_table(pa.table({"x": pa.array(np.array([0.1, 1.5, 7.0] * 5, kind))}), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").table["x"].written_texts().tolist()[:3] == ["0.1", "1.5", "7"]


@pytest.mark.parametrize(
    ("kind", "form", "text"), [("stata", "%05.0f", "00123"), ("sas", "Z5.", "00123"), ("spss", "N5", "00123")]
)
def test_formats_fill_numbers_up_with_zeros(kind: str, form: str, text: str) -> None:
    period = period_text(kind, form)
    assert period is not None
    assert period(123.0) == text


def test_a_postcode_keeps_its_zeros_in_spss(tmp_path: Path) -> None:
    frame = pd.DataFrame({"place": [1000.0 + k for k in range(N)]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_format={"place": "N5"})
    column = read(tmp_path / "t.sav").table["place"]
    assert (column.kind, column.labels[0]) == (Kind.CATEGORY, "01000")


def test_labels_that_differ_in_upper_case_stay_apart_and_blank_ones_are_none(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1.0, 2.0, 3.0, 4.0] * 5})
    labels = {"sex": {1.0: "Male", 2.0: "male ", 3.0: "female", 4.0: " "}}
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_value_labels=labels)
    assert read(tmp_path / "t.sav").table["sex"].written_texts().tolist()[:4] == ["Male (1)", "male (2)", "female", "4"]


def test_formats_of_sas_need_no_catalog(tmp_path: Path) -> None:
    frame = pd.DataFrame({"day": [23_376.0 + k for k in range(N)], "at": [3_600.0 * k for k in range(N)]})
    pyreadstat.write_xport(frame, tmp_path / "t.xpt", variable_format={"day": "WEEKV", "at": "HOUR"})
    found = read(tmp_path / "t.xpt")
    assert found.table["day"].written_texts()[0] == "2024-01-01"
    assert found.table["at"].written_texts()[1] == "01:00:00"
    assert not found.problems


def test_a_file_of_names_alone_has_nothing_in_it(tmp_path: Path) -> None:
    pyreadstat.write_sav(pd.DataFrame({"sex": pd.Series([], dtype=float)}), tmp_path / "t.sav")
    with pytest.raises(EmptyFile, match="nothing but blanks"):
        read(tmp_path / "t.sav")


@pytest.mark.parametrize(("start", "name"), [(b"ARROW1\0\0", "Feather"), (b"RDX3\n", "R"), (b"\x89HDF\r\n", "HDF5")])
def test_files_of_other_programs_are_refused_by_name(tmp_path: Path, start: bytes, name: str) -> None:
    (tmp_path / "t.csv").write_bytes(start + b"x" * 100)
    with pytest.raises(WrongFormat, match=rf"\({name}\)"):
        recognise(tmp_path / "t.csv")


@pytest.mark.parametrize("price", ["$({n}.00)", "$ ({n}.00)", "({n}.50 €)", "€({n}.50)"])
def test_accountants_put_a_currency_before_brackets(tmp_path: Path, price: str) -> None:
    (tmp_path / "t.csv").write_text("id;price\n" + "".join(f"{k};{price.format(n=k)}\n" for k in range(1, N)))
    values = read(tmp_path / "t.csv").table["price"].values
    assert values is not None
    assert (values < 0).all()


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_header_of_two_rows_whose_first_column_is_named_in_the_upper_one(tmp_path: Path, ending: str) -> None:
    rows: list[list[str | int]] = [["Patient", "Pressure", "", "Lab", ""], ["", "systolic", "diastolic", "Na", "K"]]
    rows += [[f"P{k}", 110 + k, 70 + k, 135 + k % 9, 4 + k % 3] for k in range(N)]
    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame(rows)
    if ending == "csv":
        frame.to_csv(path, sep=";", header=False, index=False)
    else:
        frame.replace("", None).to_excel(path, header=False, index=False)
    names = ("Patient", "Pressure systolic", "Pressure diastolic", "Lab Na", "Lab K")
    assert read(path).table.names == names


def _book(path: Path, rows: list[list[Any]], form: str) -> Path:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet, shape, day = book.add_worksheet(), book.add_format({"num_format": form}), {"num_format": "d/m/yyyy"}
        for at, row in enumerate(rows):
            for place, cell in enumerate(row):
                if isinstance(cell, dt.date):
                    sheet.write_datetime(at, place, dt.datetime.combine(cell, dt.time()), book.add_format(day))
                else:
                    sheet.write(at, place, cell, shape)
    return path


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("00000", "00123"),
        ("00000;-00000", "00123"),
        ('"P"0000', "P0123"),
        ("000-000", "000-123"),
        ("00\\:00", "01:23"),
        ("[$-407]00000_)", "00123"),
        ("0.00", "123"),
        ("#,##0", "123"),
        ('0" kg"', "123"),
    ],
)
def test_a_format_of_zeros_and_letters_shows_a_number(tmp_path: Path, form: str, text: str) -> None:
    path = _book(tmp_path / "t.xlsx", [["id", "code"], *[[k, 123 + k] for k in range(N)]], form)
    assert read(path).table["code"].written_texts()[0] == text


def test_numbers_longer_than_their_format_keep_all_digits() -> None:
    assert [fill_up(number, "P00-00") for number in (7.0, 1234.0, 987654.0, 1.5, -3.0)] == [
        "P00-07", "P12-34", "P9876-54", 1.5, -3.0
    ]  # fmt: skip


def test_zeros_errors_and_1904_are_known_where_names_have_a_prefix(tmp_path: Path) -> None:
    """As the library of Microsoft writes a workbook; another puts a cell's style before its place."""
    rows: list[list[Any]] = [["id", "code"], *[[k, 123 + k] for k in range(N)]]
    source = _book(tmp_path / "t.xlsx", rows, "00000")
    for name in ("prefix", "order"):
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(tmp_path / f"{name}.xlsx", "w") as new:
            for part in old.namelist():
                xml = old.read(part)
                if name == "order":
                    xml = re.sub(rb'<c r="(\w+)" s="(\d+)"', rb'<c s="\2" r="\1"', xml)
                elif part.startswith("xl/work"):
                    xml = re.sub(rb"<(/?)([a-zA-Z])", rb"<\1x:\2", xml).replace(b'xmlns="', b'xmlns:x="')
                new.writestr(part, xml)
        assert read(tmp_path / f"{name}.xlsx").table["code"].written_texts()[0] == "00123"


@pytest.mark.parametrize("swapped", [True, False])
def test_days_that_excel_took_for_months_are_told(tmp_path: Path, swapped: bool) -> None:
    days = [dt.date(2024, 1, 1) + dt.timedelta(5 * k) for k in range(40)]
    cells: list[dt.date | str] = []
    for day in days:
        if swapped:
            cells.append(day.replace(day=day.month, month=day.day) if day.day <= 12 else f"{day:%d/%m/%Y}")
        else:
            cells.append(day if day.day % 3 else f"{day:%d/%m/%Y}")
    path = _book(tmp_path / "t.xlsx", [["id", "seen"], *[[k, cell] for k, cell in enumerate(cells)]], "0")
    told = [str(problem.sentence) for problem in read(path).problems]
    assert told == swapped * [
        "Column “seen”: “2024-06-01” seems to mean “2024-01-06”; it was read as it stands: "
        "export the table again if so."
    ]
