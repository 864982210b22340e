"""Shapes that hospitals' files have, each made here from a table that is known: what comes out is that table."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from splu_desktop.core.errors import SpluError
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import Problem, ProblemKind, TableReading, read, write_problems
from tests.columns import put_cells

pytestmark = pytest.mark.usefixtures("readers_here")

HEAD = ["id", "Name", "Sex", "Age", "Seen date", "Amount", "Zip"]
NAMES = ["Müller", "Jörg Groß", "Weiß", "Kühn", "Smith", "Häßler", "Schön"]
DAYS = [dt.date(2019, 1, 31) + dt.timedelta(37 * i) for i in range(30)]
AMOUNTS = [round(1.5 + 1234.56 * i, 2) for i in range(30)]
KINDS = {"id": Kind.INTEGER, "Age": Kind.INTEGER, "Seen date": Kind.DATE, "Amount": Kind.DECIMAL, "Zip": Kind.CATEGORY}


def records(amount: str = "{:.2f}", day: str = "%Y-%m-%d") -> list[list[str]]:
    return [
        [
            str(i + 1),
            NAMES[i % 7],
            "MF"[i % 2],
            str(20 + i * 7 % 60),
            DAYS[i].strftime(day),
            amount.format(AMOUNTS[i]),
            f"{i * 3251 % 99_999:05d}",
        ]
        for i in range(30)
    ]


def lines(rows: list[list[str]], delimiter: str = ",") -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    return stream.getvalue()


BODY = lines([HEAD, *records()])


def rows_of(found: TableReading) -> list[list[str]]:
    return [list(row) for row in zip(*(c.written_texts() for c in found.table.columns), strict=True)]


def read_text(tmp_path: Path, text: str | bytes) -> TableReading:
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def is_the_table(found: TableReading) -> None:
    assert found.table.names == tuple(HEAD)
    assert rows_of(found) == records()
    assert {name: found.table[name].kind for name in KINDS} == KINDS


def skipped(found: TableReading) -> list[Problem]:
    return [p for p in found.problems if p.kind is ProblemKind.SKIPPED_ROWS and p.row is not None]


AROUND: dict[str, tuple[str, int]] = {
    "title": (f"Admissions\r\n\r\n{BODY}", 1),
    "facts above": (f"Hospital:,St. Mary,,,,,\r\nPeriod:,2019-2021,,,,,\r\nMade:,2021-05-06,,,,,\r\n{BODY}", 3),
    "comments": (f"# made by KIS 4.2\r\n# 2021-05-06, 12:00, ward 3, all patients\r\n{BODY}", 2),
    "total": (f"{BODY}Total,,,,,{sum(AMOUNTS):.2f},\r\n", 1),
    "total without a word": (f"{BODY},,,,,{sum(AMOUNTS):.2f},\r\n", 1),
    "statistics": (f"{BODY}Sum,,,,,99.50,\r\nMean,,,45,,2500.10,\r\nMedian,,,44,,24.00,\r\n", 3),
    "footnotes": (f"{BODY}\r\n* provisional\r\nSource: KIS\r\n", 2),
    "a note with commas": (f"{BODY}\r\n* provisional, incomplete, do not cite\r\n", 1),
    "rows counted": (f"{BODY}\r\n(30 rows affected)\r\n", 1),
    "header again on each page": (
        lines([HEAD, *records()[:9]]) + "Page 2,,,,,,\r\n" + lines([HEAD, *records()[9:]]),
        2,
    ),
    "line of dashes": (lines([HEAD, ["---"] * 7, *records()]), 1),
    "another table below": (f"{BODY}\r\n\r\nward,beds\r\nSurgery,10\r\nMedicine,12\r\n", 3),
    "padding": ("\r\n".join(f"{line},,," for line in BODY.split("\r\n")[:-1]) + "\r\n" + ",,,,,,,,,\r\n" * 9, 0),
    "every line in quotes": ("".join('"' + line.replace('"', '""') + '"\r\n' for line in BODY.split("\r\n")[:-1]), 0),
    "blanks for looks": ("".join(" , ".join(c.ljust(12) for c in row) + "\n" for row in [HEAD, *records()]), 0),
    "bars": ("".join("| " + " | ".join(row) + " |\n" for row in [HEAD, ["--"] * 6 + ["---"], *records()]), 1),
    "zero bytes at the end": (BODY + "\x00" * 300, 0),
    "line ends mixed": (BODY.replace("\r\n", "\n", 9), 0),
}


@pytest.mark.parametrize(("text", "gone"), AROUND.values(), ids=AROUND)
def test_what_stands_around_the_records_is_left_out_and_listed(tmp_path: Path, text: str, gone: int) -> None:
    found = read_text(tmp_path, text)
    is_the_table(found)
    assert len(skipped(found)) == gone
    assert all(p.value for p in skipped(found))


def test_what_is_left_out_stands_in_the_problem_file(tmp_path: Path) -> None:
    text = lines([["Report"], HEAD, *records(), ["Total", "", "", "", "", "7", "x"], ["Source: archive, room 5"]])
    long = text.splitlines()
    long[12] += ",kept, too"
    found = read_text(tmp_path, "\r\n".join(long))
    write_problems(found.problems, tmp_path / "p.csv")
    written = (tmp_path / "p.csv").read_text(encoding="utf-8-sig")
    for text in ("Report", "Total | 7 | x", "Source: archive, room 5", "kept |  too"):
        assert text in written


@pytest.mark.parametrize("text", ['said "ok",\nthen left', 'said "no"\nand "yes",\n"', '"a",\n"b",\n"c"'])
def test_letters_whose_lines_end_behind_quotes_are_one_field(tmp_path: Path, text: str) -> None:
    rows = [["id", "note", "dx"], *([str(at), f"{text} {at % 7}", "flu"] for at in range(40))]
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(rows)
    found = read_text(tmp_path, stream.getvalue())
    assert list(zip(*(column.written_texts() for column in found.table.columns), strict=True)) == [
        tuple(row) for row in rows[1:]
    ]


NUMBERS = {
    "no-break blank": "1\u00a0234,50 7,25 12\u00a0000,00",
    "narrow blank": "1\u202f234,50 7,25 12\u202f000,00",
    "apostrophe": "1’234.50 7.25 12’000.00",
    "brackets": "1234.50 (7.25) 12000.00",
    "minus behind": "1234.50 7.25- 12000.00",
    "dollars": "$1,234.50 -$7.25 $12,000.00",
    "dollars inside": "$1,234.50 $-7.25 $12,000.00",
    "reais": "R$1.234,50 R$7,25 R$12.000,00",
    "true minus": "1234.50 −7.25 12000.00",
    "plus": "+1234.50 -7.25 +12000.00",
    "euro": "1.234,50€ 7,25€ 12.000,00€",
}


@pytest.mark.parametrize("texts", NUMBERS.values(), ids=NUMBERS)
def test_numbers(tmp_path: Path, texts: str) -> None:
    cells = texts.split(" ")
    column = read_text(tmp_path, "id;x\n" + "".join(f"{i};{cell}\n" for i, cell in enumerate(cells))).table["x"]
    assert column.kind is Kind.DECIMAL
    assert column.values is not None
    negative = any(mark in cells[1] for mark in "-−(")
    assert [float(column.values[column.code_of(cell)]) for cell in cells] == [
        1234.5,
        -7.25 if negative else 7.25,
        12000,
    ]


@pytest.mark.parametrize(
    "cells",
    ["65- 80- 18-", "1234567890123456 9876543210987654 1111222233334444", "12:30 13:45 08:00", "120/80 130/85 110/70"],
)
def test_what_only_looks_like_numbers(tmp_path: Path, cells: str) -> None:
    text = "id;x\n" + "".join(f"{i};{cell}\n" for i, cell in enumerate(cells.split()))
    assert read_text(tmp_path, text).table["x"].kind is Kind.CATEGORY


@pytest.mark.parametrize(
    "form",
    [
        "%d.%m.%Y",
        "%d/%m/%Y",
        "%m/%d/%Y",
        "%d-%b-%y",
        "%Y-%b-%d",
        "%Y%m%d",
        "%d %m %Y",
        "%Y年%m月%d日",
        "%B %d, %Y",
        "%A, %d %B %Y",
        "%d%b%Y",
    ],
)
def test_days(tmp_path: Path, form: str) -> None:
    column = read_text(tmp_path, lines([HEAD, *records(day=form)])).table["Seen date"]
    assert column.kind is Kind.DATE
    assert column.values is not None
    assert column.values[column.codes].astype("datetime64[D]").tolist() == DAYS


def test_moments_of_messages(tmp_path: Path) -> None:
    column = read_text(tmp_path, "id,visit date\n1,20140513083059\n2,201405131200\n").table["visit date"]
    assert column.kind is Kind.DATETIME
    assert column.labels.tolist() == ["20140513083059", "201405131200"]


def test_one_column_with_commas(tmp_path: Path) -> None:
    found = read_text(tmp_path, 'name\n"Smith, J"\n"Doe, A"\n')
    assert found.table.names == ("name",)
    assert found.table.n == 2


def test_excels_mark_for_texts_is_taken_off(tmp_path: Path) -> None:
    found = read_text(tmp_path, 'id,zip\n1,"=""01067"""\n2,"=""10115"""\n')
    assert rows_of(found) == [["1", "01067"], ["2", "10115"]]
    assert "Excel" in found.reasons["texts of zip"]


def test_one_byte_of_another_encoding_does_not_garble_all_others(tmp_path: Path) -> None:
    text = BODY.encode() + "31,Köln,M,30,2020-01-01,5.00,01067\r\n".encode("cp1252")
    found = read_text(tmp_path, text)
    assert found.choices.encoding == "utf-8"
    assert rows_of(found)[:30] == records()
    assert [(p.row, p.column) for p in found.problems if p.kind is ProblemKind.UNDECODABLE] == [(32, "Name")]


def test_central_european_letters_of_the_older_standard(tmp_path: Path) -> None:
    names = ["Růžička", "Šťastný", "Dvořák", "Jiří", "Němec"]
    found = read_text(tmp_path, ("id,name\n" + "".join(f"{i},{n}\n" for i, n in enumerate(names))).encode("iso8859_2"))
    assert [row[1] for row in rows_of(found)] == names


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<!-- KIS --><html><table></table></html>", "HTML"),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n", "MHTML"),
        (b'ID;PWXL;N;E\r\nC;Y1;X1;K"id"\r\nE\r\n', "SYLK"),
        (json.dumps([{"a": 1}, {"a": 2}]).encode(), "JSON"),
        (json.dumps([{"a": 1}, {"a": 2}], indent=1).encode(), "JSON"),
        (b'{"a": [1]}\n{"a": [2]}\n', "JSON"),
        (b",,,\r\n,,,\r\n", "nothing but blanks"),
    ],
)
def test_what_is_no_table(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(SpluError, match=words):
        read_text(tmp_path, content)


Fill = Callable[[Any, Any, dict[str, Any]], None]
CELLS: list[list[Any]] = [
    [i + 1, NAMES[i % 7], "MF"[i % 2], 20 + i * 7 % 60, DAYS[i], AMOUNTS[i], f"{i * 3251 % 99_999:05d}"]
    for i in range(30)
]


def workbook(path: Path, fill: Fill) -> Path:
    with xlsxwriter.Workbook(str(path), {"default_date_format": "yyyy-mm-dd"}) as book:
        made = {"zip": book.add_format({"num_format": "00000"})}
        fill(book, book.add_worksheet("Data"), made)
    return path


def same(found: TableReading) -> None:
    assert found.table.names == tuple(HEAD)
    got = rows_of(found)
    assert [row[:5] + row[6:] for row in got] == [row[:5] + row[6:] for row in records()]
    assert found.table["Amount"].values is not None
    assert found.table["Amount"].values[found.table["Amount"].codes].tolist() == AMOUNTS


def test_a_header_of_three_rows_with_merged_cells(tmp_path: Path) -> None:
    def fill(book: Any, sheet: Any, made: dict[str, Any]) -> None:
        sheet.merge_range(0, 1, 0, 4, "Lab")
        sheet.merge_range(1, 1, 1, 2, "Day 1")
        sheet.merge_range(1, 3, 1, 4, "Day 2")
        put_cells(sheet, [["id", "Na", "K", "Na", "K"], *[[i, 140 + i % 5, 4.1, 139, 3.9] for i in range(20)]], 2)

    found = read(workbook(tmp_path / "t.xlsx", fill))
    assert found.table.names == ("id", "Lab Day 1 Na", "Lab Day 1 K", "Lab Day 2 Na", "Lab Day 2 K")
    assert found.table.n == 20


def test_postcodes_that_a_format_fills_up_keep_their_zeros(tmp_path: Path) -> None:
    def fill(book: Any, sheet: Any, made: dict[str, Any]) -> None:
        put_cells(sheet, [HEAD, *[row[:6] for row in CELLS]])
        for i, row in enumerate(CELLS):
            sheet.write_number(i + 1, 6, int(row[6]), made["zip"])

    found = read(workbook(tmp_path / "t.xlsx", fill))
    same(found)
    assert found.table["Zip"].kind is Kind.CATEGORY


def test_few_postcodes_keep_their_zeros_and_errors_stand_where_they_were(tmp_path: Path) -> None:
    def fill(book: Any, sheet: Any, made: dict[str, Any]) -> None:
        put_cells(sheet, [["id", "ward", "zip", "cost"], *[[i, "AB"[i % 2], None, 5.5 + i] for i in range(30)]])
        for i in range(0, 30, 7):
            sheet.write_number(i + 1, 2, 1067 + i, made["zip"])
        sheet.write_formula(9, 3, "=1/0", None, "#DIV/0!")

    found = read(workbook(tmp_path / "t.xlsx", fill))
    rows = rows_of(found)
    assert [row[2] for row in rows] == ["" if i % 7 else f"0{1067 + i}" for i in range(30)]
    assert [row[3] for row in rows] == ["#DIV/0!" if i == 8 else f"{5.5 + i}" for i in range(30)]


def test_day_numbers_among_days_written_as_texts(tmp_path: Path) -> None:
    def fill(book: Any, sheet: Any, made: dict[str, Any]) -> None:
        days = ["2024-01-02" if i % 3 else 45_293 for i in range(30)]  # both the second of January
        put_cells(sheet, [["id", "seen"], *[[f"p{i}", day] for i, day in enumerate(days)]])

    found = read(workbook(tmp_path / "t.xlsx", fill))
    assert found.table["seen"].kind is Kind.DATE
    assert {row[1] for row in rows_of(found)} == {"2024-01-02"}
    assert "day counts" in found.reasons["days of seen"]


def test_numbers_that_are_texts_with_a_comma_among_true_ones(tmp_path: Path) -> None:
    def fill(book: Any, sheet: Any, made: dict[str, Any]) -> None:
        mixed = [[*r[:5], f"{r[5]:.2f}".replace(".", ",") if i % 3 else r[5], r[6]] for i, r in enumerate(CELLS)]
        put_cells(sheet, [HEAD, *mixed])

    same(read(workbook(tmp_path / "t.xlsx", fill)))


def test_a_page_of_notes_before_the_table(tmp_path: Path) -> None:
    def fill(book: Any, sheet: Any, made: dict[str, Any]) -> None:
        put_cells(sheet, [["Hospital", "St. Mary"], ["Period", "2019-2021"], ["Made", "5 May"]])
        put_cells(book.add_worksheet("Visits"), [HEAD, *CELLS])

    found = read(workbook(tmp_path / "t.xlsx", fill))
    assert found.choices.sheet == "Visits"
    same(found)


@pytest.mark.parametrize("name", ["t.xls", "t.csv", "t.ods", "t.dat"])
def test_a_workbook_under_another_name(tmp_path: Path, name: str) -> None:
    found = read(workbook(tmp_path / "t.xlsx", lambda b, s, m: put_cells(s, [HEAD, *CELLS])).rename(tmp_path / name))
    same(found)
    assert found.choices.format == "xlsx"


CHANGED: dict[str, Callable[[bytes], bytes]] = {
    "no dimension": lambda xml: re.sub(rb"<dimension[^>]*/>", b"", xml),
    "wrong dimension": lambda xml: re.sub(rb"<dimension[^>]*/>", b'<dimension ref="A1"/>', xml),
    "huge dimension": lambda xml: re.sub(rb"<dimension[^>]*/>", b'<dimension ref="A1:XFD1048576"/>', xml),
    "no references": lambda xml: re.sub(rb' r="[A-Z]+\d+"', b"", re.sub(rb'<row r="\d+"', b"<row", xml)),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_workbooks_of_careless_programs(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    path = workbook(tmp_path / "t.xlsx", lambda b, s, m: put_cells(s, [HEAD, *CELLS]))
    odd = tmp_path / "odd.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(odd, "w") as new:
        for part in old.namelist():
            content = old.read(part)
            new.writestr(part, change(content) if part.endswith("sheet1.xml") else content)
    same(read(odd))
