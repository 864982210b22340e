"""What hospitals' systems export, in their own ways of writing: each file here is made from a table that is known."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path

import openpyxl
import pytest

from splu_desktop.core.errors import SpluError
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ImportChoices, ProblemKind, TableReading, read

pytestmark = pytest.mark.usefixtures("readers_here")

HEAD = ["caseno", "surname", "sex", "age", "admission", "amount", "plz"]
DAYS = [dt.date(2019, 1, 31) + dt.timedelta(41 * i) for i in range(24)]
NAMES = ["Müller", "Groß", "Smith", "van der Berg", "O'Neill"]


def records() -> list[list[str]]:
    return [
        [str(1000 + i), NAMES[i % 5], "mf"[i % 2], str(20 + i), str(day), f"{1.5 + 99.25 * i:.2f}", f"{i:05d}"]
        for i, day in enumerate(DAYS)
    ]


def rows_of(found: TableReading) -> list[list[str]]:
    return [list(row) for row in zip(*(c.written_texts() for c in found.table.columns), strict=True)]


def read_text(tmp_path: Path, text: str | bytes, choices: ImportChoices | None = None) -> TableReading:
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, choices)


def column(tmp_path: Path, name: str, cells: list[str]) -> TableReading:
    return read_text(tmp_path, f"id;{name}\n" + "".join(f"{i};{cell}\n" for i, cell in enumerate(cells)))


RUNS = ("|#|", "||", ";;", "~|~", "::", "^|^", "@@", "|;|", "<|>", "|~|", "%%", "¤", "~~", "&&", "[|]", "++", "##")


@pytest.mark.parametrize("mark", [*RUNS, " | ", " ; ", "\t|\t"])
def test_delimiters_of_several_characters(tmp_path: Path, mark: str) -> None:
    table = records()
    for row in table[::3]:
        row[2] = ""
    found = read_text(tmp_path, "".join(mark.join(row) + "\n" for row in [HEAD, *table]))
    assert found.table.names == tuple(HEAD)
    assert rows_of(found) == table


def test_values_that_end_alike_do_not_belong_to_the_delimiter(tmp_path: Path) -> None:
    lines = [
        f"{at};{name};{group};no" for at, (name, group) in enumerate(zip("abcd" * 5, ("A+", "O+") * 10, strict=True))
    ]
    found = read_text(tmp_path, "\n".join(["no;name;blood group;smokes", *lines]) + "\n")
    assert found.choices.delimiter == ";"
    assert found.table.names == ("no", "name", "blood group", "smokes")


def test_a_delimiter_of_several_characters_may_stand_within_quotes(tmp_path: Path) -> None:
    found = read_text(tmp_path, 'a|#|b|#|c\n1|#|"x|#|y"|#|2\n3|#|z|#|4\n')
    assert rows_of(found) == [["1", "x|#|y", "2"], ["3", "z", "4"]]


@pytest.mark.parametrize(
    "text",
    ["a;b;c\n1;;3\n2;;4\n5;;6\n", "a|b|c|d\n1||2|x\n3||4|y\n", "id,cost,fee\n1,$2.00,$3.00\n2,$4.50,$5.00\n"],
)
def test_empty_fields_and_currencies_are_no_delimiters_of_two_characters(tmp_path: Path, text: str) -> None:
    assert len(read_text(tmp_path, text).choices.delimiter or "") == 1


def test_a_list_of_sap(tmp_path: Path) -> None:
    rule = "-" * 60 + "\n"
    days = [day.strftime("%d.%m.%Y") if i % 6 else "00.00.0000" for i, day in enumerate(DAYS)]
    lines = [
        f"|{7000 + i:010d}|{NAMES[i % 5]:<12}|{day}|{i},50{'-' if i % 5 == 4 else ' '}|" for i, day in enumerate(days)
    ]
    text = f"31.01.2020     Dynamische Liste     1\n{rule}|Fallnr    |Name        |Aufnahme  |Betrag|\n{rule}"
    text += "\n".join(lines) + f"\n{rule}|*         |            |          |276,00 |\n{rule}"
    found = read_text(tmp_path, text.encode("cp1252"))
    assert found.table.names == ("Fallnr", "Name", "Aufnahme", "Betrag")
    assert found.table.n == 24
    assert [c.kind for c in found.table.columns] == [Kind.CATEGORY, Kind.CATEGORY, Kind.DATE, Kind.DECIMAL]
    day = found.table["Aufnahme"]
    assert int(day.missing[day.codes].sum()) == 4
    amount = found.table["Betrag"]
    assert amount.values is not None
    assert float(amount.values[amount.codes[4]]) == -4.5


@pytest.mark.parametrize("again", [True, False])
def test_files_joined_with_their_marks(tmp_path: Path, again: bool) -> None:
    table = records()
    whole = ["\ufeff" + ",".join(HEAD), *map(",".join, table[:12])]
    rest = list(map(",".join, table[12:]))
    rest = ["\ufeff" + ",".join(HEAD), *rest] if again else ["\ufeff" + rest[0], *rest[1:]]
    found = read_text(tmp_path, "\r\n".join(whole + rest) + "\r\n")
    assert rows_of(found) == table


def test_the_index_row_of_pandas_belongs_to_the_header(tmp_path: Path) -> None:
    text = ",age,age\n,mean,std\nward,,\n" + "".join(f"W{i},{30 + i}.5,{i}.25\n" for i in range(9))
    found = read_text(tmp_path, text)
    assert found.table.names == ("ward", "age mean", "age std")
    assert found.table.n == 9


SPOILT = {"Köln": "cp1252", "Straße": "latin-1", "Élise": "cp1252", "Müller": "mac_roman", "Москва": "cp1251"}


@pytest.mark.parametrize("text", SPOILT, ids=list(SPOILT))
def test_letters_saved_in_a_wrong_encoding_before_are_told(tmp_path: Path, text: str) -> None:
    found = column(tmp_path, "ort", [text.encode().decode(SPOILT[text])] * 4)
    said = [p for p in found.problems if p.kind is ProblemKind.NOTE]
    assert [p.column for p in said] == ["ort"]
    assert f"“{text}”" in said[0].sentence


@pytest.mark.parametrize("text", ["SÃO PAULO", "MÃE", "Ãlvaro", "naïve “Ö”", "Ребро", "√2 – √3", "ÇÃO"])
def test_letters_that_are_right_are_not_called_spoilt(tmp_path: Path, text: str) -> None:
    assert not [p for p in column(tmp_path, "x", [text, "b", "c"]).problems if p.kind is ProblemKind.NOTE]


WRITTEN = {
    "1,23,456.50 12,34,567.00": 123456.5,
    "$_____12.00 $_-___": 12.0,
    "CHF_10.– CHF_20.–": 10.0,
    "12\u200b 13\u200e": 12.0,
    "1'234.50 12'345.00": 1234.5,
}


@pytest.mark.parametrize("cells", WRITTEN)
def test_more_numbers(tmp_path: Path, cells: str) -> None:
    found = column(tmp_path, "x", [cell.replace("_", " ") for cell in cells.split()]).table["x"]
    assert found.kind in (Kind.INTEGER, Kind.DECIMAL)
    assert found.values is not None
    assert float(found.values[found.codes[0]]) == WRITTEN[cells]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("contact", ["030 123 456", "040 555 123"]),
        ("call", ["+491701234567", "+49309018201"]),
        ("NHS Number", ["943 476 5919", "401 023 2137"]),
        ("NHSNo", ["9434765919", "4010232137"]),
    ],
)
def test_numbers_that_name_somebody_stay_text(tmp_path: Path, name: str, cells: list[str]) -> None:
    assert column(tmp_path, name, cells * 3).table[name].kind is Kind.CATEGORY


DAYS_IN_WORDS = [
    "13 marca 2019",
    "13. března 2019",
    "13 марта 2019",
    "13 Mart 2019",
    "2019. március 13.",
    "13. maaliskuuta 2019",
    "13. marts 2019",
    "2019. 03. 13.",
    "13 Μαρτίου 2019",
    "13 marca 2019 r.",
    "13 марта 2019 г.",
]


@pytest.mark.parametrize("text", DAYS_IN_WORDS)
def test_days_in_more_languages(tmp_path: Path, text: str) -> None:
    found = column(tmp_path, "x", [text] * 3).table["x"]
    assert found.kind is Kind.DATE
    assert found.values is not None
    assert found.values[found.codes[0]].astype("datetime64[D]").item() == dt.date(2019, 3, 13)


MOMENTS = [
    "31JAN2019:08:30:00",
    "31/Jan/2019:08:30:00 +0000",
    "Thu Jan 31 08:30:00 2019",
    "31/01/2019 08h30",
    "31.01.2019 08.30",
    "20190131T083000",
    "2019-01-31-08.30.00.000000",
    "jeudi 31 janvier 2019 à 8h30",
    "31. Januar 2019 um 08:30 Uhr",
    "31. januar 2019 kl. 8.30",
    "31 de enero de 2019 a las 8:30",
    "31/01/2019 às 08:30",
    "January 31, 2019 at 8:30 AM",
    "31 января 2019 г. в 08:30",
]


@pytest.mark.parametrize("text", MOMENTS)
def test_more_moments(tmp_path: Path, text: str) -> None:
    found = column(tmp_path, "visit date", [text] * 3).table["visit date"]
    assert found.kind is Kind.DATETIME
    assert found.values is not None
    assert found.values[found.codes[0]].astype("datetime64[m]").item() == dt.datetime(2019, 1, 31, 8, 30)


def test_24_o_clock_is_midnight_after(tmp_path: Path) -> None:
    found = column(tmp_path, "zeit", ["31.12.2019 24:00", "01.01.2020 08:30"]).table["zeit"]
    assert found.values is not None
    assert found.values[found.codes[0]].astype("datetime64[m]").item() == dt.datetime(2020, 1, 1)


@pytest.mark.parametrize("name", ["Datum", "BWIDT"])
@pytest.mark.parametrize("none", ["00000000", "99991231"])
def test_days_of_eight_digits(tmp_path: Path, name: str, none: str) -> None:
    found = column(tmp_path, name, [none, *(day.strftime("%Y%m%d") for day in DAYS)])
    assert found.table[name].kind is Kind.DATE
    tokens = {token.token: token.applied for token in found.missing_tokens}
    assert tokens == {none: none == "00000000"}


def test_eight_digits_that_number_cases_are_no_days(tmp_path: Path) -> None:
    assert column(tmp_path, "case", [str(20190000 + 7 * i) for i in range(40)]).table["case"].kind is Kind.INTEGER


@pytest.mark.parametrize("none", ["0000-00-00", "0000-00-00 00:00:00"])
def test_dates_of_zeros_are_no_dates(tmp_path: Path, none: str) -> None:
    found = column(tmp_path, "d", [none, "2020-01-31", "2020-02-29"])
    assert [(token.token, token.applied) for token in found.missing_tokens] == [(none, True)]
    assert not found.problems


def test_days_that_mean_no_end_are_proposed(tmp_path: Path) -> None:
    found = column(tmp_path, "end", ["9999-12-31", "1900-01-01", *(str(day) for day in DAYS)])
    assert {(token.token, token.applied) for token in found.missing_tokens} == {
        ("9999-12-31", False),
        ("1900-01-01", False),
    }


@pytest.mark.parametrize("pair", ["sim não", "tak nie", "ano ne", "igen nem", "да нет", "是 否", "Yes no YES y"])
def test_yes_and_no_in_more_languages(tmp_path: Path, pair: str) -> None:
    found = column(tmp_path, "flag", [*pair.split(), ""] * 4).table["flag"]
    assert found.kind is Kind.BOOLEAN
    assert int(found.missing[found.codes].sum()) == 4


@pytest.mark.parametrize("none", ["#WERT!", "#¡VALOR!", "(blank)", "[null]", "n.b.", "NR", "#", ".a", "Err:502", "無"])
def test_more_marks_for_no_value(tmp_path: Path, none: str) -> None:
    found = column(tmp_path, "lab", [none, *map(str, range(40, 60))])
    assert found.table["lab"].kind is Kind.INTEGER
    assert [(token.token, token.applied) for token in found.missing_tokens] == [(none, True)]
    assert not found.problems


WEB = "<style>td{}</style><table><tr><td>a</td></tr></table>"
BOOK = '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet/></Workbook>'
FOREIGN = {
    "a page with styles": (WEB.encode(), "HTML"),
    "a page in UTF-16": (("\ufeff<html><body>" + WEB).encode("utf-16-le"), "HTML"),
    "a workbook of 2003": (BOOK.encode(), "XML"),
    "a workbook of 2003 in UTF-16": (('<?xml version="1.0"?>\n' + BOOK).encode("utf-16"), "XML"),
    "XML": (b'<patients><p id="1"/></patients>', "XML"),
    "DIF": (b'TABLE\r\n0,1\r\n"EXCEL"\r\n', "DIF"),
    "a packed workbook": (gzip.compress(b"PK\x03\x04" + b"\x00" * 50), "GZ"),
    "a packed page": (gzip.compress(WEB.encode()), "HTML"),
}


@pytest.mark.parametrize(("content", "words"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_table_is_refused_by_name(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(SpluError, match=words):
        read_text(tmp_path, content)


def test_a_code_in_angles_is_no_xml(tmp_path: Path) -> None:
    assert rows_of(read_text(tmp_path, "<E1000>,34\n<E1001>,45\n"))[0] == ["<E1000>", "34"]


@pytest.mark.parametrize("header", ["id;ort\n", ""])
def test_a_mark_of_utf_8_before_another_encoding(tmp_path: Path, header: str) -> None:
    text = header + "1;Köln\n2;Düren\n3;Fürth\n"
    found = read_text(tmp_path, b"\xef\xbb\xbf" + text.encode("cp1252"))
    assert rows_of(found) == [["1", "Köln"], ["2", "Düren"], ["3", "Fürth"]]
    assert found.choices.encoding == "cp1252"


def test_fields_parted_by_control_characters(tmp_path: Path) -> None:
    assert rows_of(read_text(tmp_path, "a\x01b\x01c\n1\x012\x013\n4\x015\x016\n"))[1] == ["4", "5", "6"]


def test_an_old_mark_of_the_end_is_no_record(tmp_path: Path) -> None:
    assert read_text(tmp_path, "id,x\n1,a\n2,b\n3,c\n\x1a").table.n == 3


def test_a_note_below_two_columns(tmp_path: Path) -> None:
    found = read_text(tmp_path, "id,x\n1,a\n2,b\n3,c\n\nTotal rows: 3\n")
    assert found.table.n == 3
    assert [p.value for p in found.problems if p.row] == ["Total rows: 3"]


def test_titles_of_pages(tmp_path: Path) -> None:
    rows = [["id", "x", "age", "n"], *([str(i), "ab"[i % 2], "30", str(i * i)] for i in range(12))]
    text = lines(rows[:5]) + "\nStation:,4,,\n" + lines([rows[0], *rows[5:9]]) + "\nStation:,5,,\n"
    found = read_text(tmp_path, text + lines([rows[0], *rows[9:]]))
    assert rows_of(found) == rows[1:]


def lines(rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


SECOND_ROWS = [
    ("id,weight,height\n,kg,cm\n", ("id", "weight kg", "height cm")),
    ("id,weight,height\n-,[kg],[cm]\n", ("id", "weight [kg]", "height [cm]")),
    ("subj,age,size\nSubject,Age at baseline,Size in cm\n", ("subj Subject", "age Age at baseline", "size Size in cm")),
]


@pytest.mark.parametrize(("header", "names"), SECOND_ROWS)
def test_units_and_labels_below_the_names(tmp_path: Path, header: str, names: tuple[str, ...]) -> None:
    found = read_text(tmp_path, header + "".join(f"{i},{20 + i},{150 + i}\n" for i in range(9)))
    assert found.table.names == names
    assert found.table.n == 9


def test_a_survey_with_three_rows_of_names(tmp_path: Path) -> None:
    header = 'Start,Q1\nStart Date,How old?\n"{""ImportId"":""start""}","{""ImportId"":""Q1""}"\n'
    found = read_text(tmp_path, header + "".join(f"2020-01-{i + 1:02d},{20 + i}\n" for i in range(9)))
    assert found.table.n == 9
    assert [c.kind for c in found.table.columns] == [Kind.DATE, Kind.INTEGER]


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1254", ["Şahin", "İstanbul", "hastalığı"]),
        ("cp1255", ["ישראל", "ישראלי", "חולים"]),
        ("cp1252", ["1 µg/l", "2 µg/l", "3 µmol/l"]),
        ("koi8_r", ["Иванов", "Москва", "больница"]),
    ],
)
def test_more_encodings(tmp_path: Path, encoding: str, words: list[str]) -> None:
    text = "id;x\n" + "".join(f"{i};{words[i % 3]}\n" for i in range(30))
    assert [row[1] for row in rows_of(read_text(tmp_path, text.encode(encoding)))[:3]] == words


def test_subtotals_and_titles_of_groups_among_the_records(tmp_path: Path) -> None:
    rows = [["case", "ward", "age", "day", "cost"]]
    rows += [[str(i), f"W{i % 2}", str(30 + i), f"2020-01-{i + 1:02d}", f"{i}.50"] for i in range(12)]
    first = [["Station 1", "", "", "", ""], *rows[1:7], ["Subtotal", "", "", "", "18.00"]]
    second = [["Station 2", "", "", "", ""], *rows[7:], ["Subtotal", "", "", "", "54.00"]]
    found = read_text(tmp_path, lines([rows[0], *first, *second]))
    assert rows_of(found) == rows[1:]
    assert [p.row for p in found.problems] == [2, 9, 10, 17]


def test_a_record_that_does_not_fit_stays(tmp_path: Path) -> None:
    rows = [[str(i), f"W{i % 2}", str(30 + i), f"2020-01-{i + 1:02d}", f"{i}.50"] for i in range(12)]
    rows[4] = ["unclear", "W1", "", "2020-02-01", "7.00"]
    rows[7] = ["12a", "", "", "", ""]
    found = read_text(tmp_path, lines([["case", "ward", "age", "day", "cost"], *rows]))
    assert rows_of(found) == rows


@pytest.mark.parametrize("total", ["{} Ergebnis", "{} Total", "Total {}", "Summe {}", "Sous-total {}", "Total for {}"])
def test_the_totals_that_spreadsheets_write_below_each_group(tmp_path: Path, total: str) -> None:
    rows = [["ward", "case", "cost", "finding"]]
    expected = []
    for ward in ("Innere", "Chirurgie", "Pädiatrie"):
        group = [[ward, f"{i:05d}", f"{10 + i}.50", "Gicht" if i % 2 else "Anämie"] for i in range(6)]
        expected += group
        rows += [*group, [total.format(ward), "", "75.00", ""]]
    rows.append(["Gesamtergebnis", "", "225.00", ""])
    found = read_text(tmp_path, lines(rows))
    assert rows_of(found) == expected
    assert [p.row for p in found.problems] == [8, 15, 22, 23]


@pytest.mark.parametrize(
    "total",
    [
        "Summa",
        "I alt",
        "Yhteensä",
        "Kokku",
        "Eindtotaal",
        "Genel Toplam",
        "Ukupno",
        "Разом",
        "Σύνολο",
        "합계",
        "รวม",
        "Tổng cộng",
        "المجموع",
        "סה״כ",
    ],
)
def test_totals_in_more_languages(tmp_path: Path, total: str) -> None:
    rows = [[f"P{i:03d}", "mf"[i % 2], str(20 + 7 * i % 60), ("gout", "flu", "mumps")[i % 3]] for i in range(30)]
    text = "\n".join(map(";".join, [["case", "sex", "age", "finding"], *rows, [total, "30", "", ""]]))
    assert rows_of(read_text(tmp_path, text)) == rows


@pytest.mark.parametrize("end", ["(30 rows affected)", "30 rows selected.", "30 row(s) returned", "(30 Zeilen)"])
def test_the_count_of_rows_below_what_a_database_prints_is_no_record(tmp_path: Path, end: str) -> None:
    rows = [[str(i), "mf"[i % 2]] for i in range(30)]
    text = "id          sex\n----------- ---\n" + "".join(f"{key:>11} {sex}  \n" for key, sex in rows)
    assert rows_of(read_text(tmp_path, f"{text}\n{end}\n")) == rows


def test_a_finding_called_total_stays(tmp_path: Path) -> None:
    names = ["bilirubin", "bilirubin total", "sodium"]
    rows = [[f"{1000 + i}", names[i % 3], "" if i in (4, 13) else f"{i}.5", "2020-01-02"] for i in range(18)]
    assert rows_of(read_text(tmp_path, lines([["case", "test", "result", "day"], *rows]))) == rows


def test_another_table_below_is_told_once_with_its_place(tmp_path: Path) -> None:
    first = [["ward", "beds", "", ""], *([f"W{i}", str(10 + i), "", ""] for i in range(4)), ["", "", "", ""]]
    second = [["case", "age", "sex", "finding"], *([f"{i:05d}", str(30 + i), "f", "Gicht"] for i in range(20))]
    found = read_text(tmp_path, lines([*first, *second]))
    told = [p for p in found.problems if p.kind is ProblemKind.NOTE]
    assert [p.row for p in told] == [7]
    again = read_text(tmp_path, lines([*first, *second]), ImportChoices(header_row=7))
    assert rows_of(again) == second[1:]


@pytest.mark.parametrize("names", [["ward", "region", "beds"], ["ward", "beds"]])
def test_another_table_is_told_where_no_blank_row_parts_it(tmp_path: Path, names: list[str]) -> None:
    first = [["case", "sex", "age"], *([str(i), "mf"[i % 2], str(30 + i)] for i in range(30))]
    second = [names, *([str(i), *["North"] * (len(names) - 2), str(500 + i)] for i in range(12))]
    found = read_text(tmp_path, lines([*first, *second]))
    assert 32 in [p.row for p in found.problems]


@pytest.mark.parametrize("odd", ["7;f;40;Gicht, akut;3", "7,'f',40,'Gicht, akut',3"])
def test_a_row_of_another_delimiter_or_quote_is_told(tmp_path: Path, odd: str) -> None:
    rows = [f'{i},m,{30 + i},"Gicht, akut",{i % 5}' for i in range(30)]
    found = read_text(tmp_path, "\n".join(["case,sex,age,finding,days", *rows[:7], odd, *rows[8:]]))
    assert 9 in [p.row for p in found.problems if p.kind in (ProblemKind.SHORT_ROW, ProblemKind.LONG_ROW)]


_WRITTEN = {  # a month of a year
    "Mar 2024": ("%b %Y", Kind.DATE),
    "Mar-24": ("%b-%y", Kind.DATE),
    "03/2024": ("%m/%Y", Kind.DATE),
    "3-2024": ("%-m-%Y", Kind.DATE),
    "03.2024": ("%m.%Y", Kind.DATE),
    "2024/03": ("%Y/%m", Kind.DATE),
    "2024年3月": ("%Y年%-m月", Kind.DATE),
    "2024-03": ("%Y-%m", Kind.CATEGORY),
}


@pytest.mark.parametrize("form", _WRITTEN)
def test_months_of_years_stand_in_their_order(tmp_path: Path, form: str) -> None:
    """By values, or by texts that sort alike; each stays as it is written."""
    months = [dt.date(2021 + i // 12, 1 + i % 12, 1) for i in range(30)]
    written, kind = _WRITTEN[form]
    texts = [f"{month:{written}}" for month in months]
    found = column(tmp_path, "seen", [texts[17 * i % 30] for i in range(60)]).table["seen"]
    assert (found.kind, found.labels.tolist()) == (kind, texts)
    assert found.values is None or found.values.astype("M8[D]").tolist() == months


def test_what_only_looks_like_months_is_none(tmp_path: Path) -> None:
    quarters = [f"{1 + i % 4}/{2020 + i % 3}" for i in range(40)]
    for texts in (quarters, [f"{1 + i % 9}.20{10 + i}" for i in range(5)], [*quarters[:39], "13/2020"]):
        assert not column(tmp_path, "seen", texts).table["seen"].kind.is_date


def test_days_of_weeks_are_dates(tmp_path: Path) -> None:
    days = [dt.date(2024, 12, 20) + dt.timedelta(i) for i in range(30)]
    for form in ("%G-W%V-%u", "%GW%V%u"):
        found = column(tmp_path, "seen", [f"{day:{form}}" for day in days]).table["seen"]
        assert found.kind is Kind.DATE
        assert found.values is not None
        assert found.values.astype("M8[D]").tolist() == days


def test_nobody_of_a_table_was_born_after_its_last_date(tmp_path: Path) -> None:
    """13.01.25 is 1925 in a table of 1996, and may be nine months after what is known of a pregnancy."""
    born = [dt.date(1915 + i, 1 + i % 12, 1 + i % 28) for i in range(80)]
    for later, known in ((dt.timedelta(0), born), (dt.timedelta(270), [born[-1]])):
        seen = known[-1] - later
        rows = [[str(i), f"{day:%d.%m.%y}", f"{seen:%d.%m.%Y}"] for i, day in enumerate(known * 80)][:80]
        values = read_text(tmp_path, lines([["id", "birth_date", "seen"], *rows])).table["birth_date"].values
        assert values is not None
        assert sorted(set(values.astype("M8[D]").tolist())) == known


@pytest.mark.parametrize("digits", ["０１２３４５６７８９．／", "٠١٢٣٤٥٦٧٨٩٫/", "۰۱۲۳۴۵۶۷۸۹·/"])
def test_numbers_in_other_digits_are_numbers(tmp_path: Path, digits: str) -> None:
    plain = [[f"{36 + i / 10:.1f}", f"{10 + i % 15}/07/2023"] for i in range(40)]
    drawn = [[cell.translate(str.maketrans("0123456789./", digits)) for cell in row] for row in plain]
    tables = [read_text(tmp_path, lines([["t", "day"], *rows])).table for rows in (plain, drawn)]
    for name in ("t", "day"):
        one, other = (table[name] for table in tables)
        assert one.kind is other.kind
        assert (one.values[one.codes] == other.values[other.codes]).all()
    assert tables[1]["t"].written_texts().tolist() == [row[0] for row in drawn]


_NOTES = ["Fell at home, dizzy since", "No pain", "Nausea, cough; fever, since two days", "By ambulance; alone"]


@pytest.mark.parametrize("texts", [_NOTES, ["Meyer, Jo", "Abel, Kim"], ["I10,E11", "J18", "K35,I10,E11", "I10"]])
def test_texts_below_one_name_are_one_column(tmp_path: Path, texts: list[str]) -> None:
    found = read_text(tmp_path, "\n".join(["note", *texts * 20]))
    assert found.table.names == ("note",)
    assert [row[0] for row in rows_of(found)] == texts * 20


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ([",,years,,mg/l"], ["id", "sex", "age years", "seen", "crp mg/l"]),
        (["id,What sex?,How old?,Seen?,CRP?", *['{"ImportId":"Q1"}' + ',{"ImportId":"Q"}' * 4]], None),
    ],
)
def test_rows_that_describe_columns_are_no_records(tmp_path: Path, head: list[str], names: list[str] | None) -> None:
    rows = [f"{i},{'mf'[i % 2]},{20 + i},2024-01-{1 + i % 28:02d},{i / 4}" for i in range(30)]
    found = read_text(tmp_path, "\n".join(["id,sex,age,seen,crp", *head, *rows]), ImportChoices(quote=""))
    assert rows_of(found) == [row.split(",") for row in rows]
    assert names is None or found.table.names == tuple(names)
    assert not any("ImportId" in name for name in found.table.names)


def test_answers_below_a_question_are_names(tmp_path: Path) -> None:
    rows = [[f"1{i:03d}", "mf"[i % 2], ["Fever", ""][i % 2], ["Cough", ""][i // 2 % 2]] for i in range(40)]
    found = read_text(tmp_path, lines([["ID", "Sex?", "Which?", ""], ["", "Response", "Fever", "Cough"], *rows]))
    assert found.table.names == ("ID", "Sex? Response", "Which? Fever", "Which? Cough")
    assert rows_of(found) == rows


@pytest.mark.parametrize("mark", [";", "; ", "|", "\t"])
def test_fields_filled_up_with_blanks_are_their_texts(tmp_path: Path, mark: str) -> None:
    table = records()
    for row in table[::3]:
        row[2] = ""
    lines = [mark.join(f"{cell:<14}" for cell in row[:-1]) + mark + row[-1] for row in [HEAD, *table]]
    assert rows_of(read_text(tmp_path, "\n".join(lines) + "\n")) == table


def test_blanks_one_by_one_part_empty_fields_too(tmp_path: Path) -> None:
    rows = [[str(i), "" if i % 3 else "f", str(30 + i)] for i in range(20)]
    assert rows_of(read_text(tmp_path, "\n".join(map(" ".join, [["case", "sex", "age"], *rows])))) == rows


def test_a_label_below_the_records_is_no_record(tmp_path: Path) -> None:
    rows = [[f"K{i}", "Innere", str(30 + i)] for i in range(20)]
    notes = [["Anzahl: 20", "", ""], ["Stand: 03.02.2025", "", ""]]
    assert rows_of(read_text(tmp_path, lines([["case", "ward", "age"], *rows, *notes]))) == rows


@pytest.mark.parametrize(
    "cell", ["2023-12-31 23:10:00+01", "31.12.2023 23:10 MEZ", "2023-12-31T23:10+01:00[Europe/Berlin]"]
)
def test_zones_of_databases_and_of_java_keep_the_clock(tmp_path: Path, cell: str) -> None:
    found = column(tmp_path, "arrival", [cell] * 9).table["arrival"]
    assert found.kind is Kind.DATETIME
    assert str(found.values[0])[:16] == "2023-12-31T23:10"


@pytest.mark.parametrize("odd", ["2020", "05.2020", "00.05.2020", "UN-MAY-2020", "2020-05-UK", "ongoing"])
def test_dates_known_in_part_leave_a_column_one_of_dates(tmp_path: Path, odd: str) -> None:
    found = column(tmp_path, "onset", [odd if i % 5 < 3 else f"{1 + i:02d}.05.2020" for i in range(25)])
    assert found.table["onset"].kind is Kind.DATE
    assert {p.value for p in found.problems if p.kind is ProblemKind.MISFIT} == {odd}


def test_null_in_capitals_is_no_value_among_words(tmp_path: Path) -> None:
    found = column(tmp_path, "sex", ["m", "NULL", "f"] * 9).table["sex"]
    assert found.labels[found.missing].tolist() == ["NULL"]


@pytest.mark.parametrize(
    "below",
    [
        [["Summary", "", ""], ["dx", "count", ""], ["J10", "17", ""], ["I21", "13", ""], ["Total", "30", ""]],
        [["code", "meaning", ""], ["J10", "influenza", ""], ["I21", "infarction", ""]],
    ],
)
def test_a_table_below_with_a_title_or_of_words_is_none_of_this_one(tmp_path: Path, below: list[list[str]]) -> None:
    first = [["case", "age", "dx"], *([str(i), str(30 + i), "J10"] for i in range(30)), ["", "", ""]]
    found = read_text(tmp_path, lines([*first, *below]))
    assert rows_of(found) == first[1:-1]
    assert sum(p.kind is ProblemKind.NOTE for p in found.problems) == 1


def test_a_header_said_again_in_capitals_is_no_record(tmp_path: Path) -> None:
    rows = [[f"w{i}", str(i)] for i in range(10)]
    assert rows_of(read_text(tmp_path, lines([["name", "beds"], *rows, ["NAME", "BEDS"], *rows]))) == [*rows, *rows]


def test_one_number_late_in_a_long_column_tells_its_marks(tmp_path: Path) -> None:
    cells = [f"{1 + i % 9}.{i % 1000:03d}" for i in range(4_999)]
    found = column(tmp_path, "steps", [*cells[:4_703], "12.345,50", *cells[4_703:]])
    values = found.table["steps"].values
    assert values is not None
    assert values.max() == 12_345.5
    assert not found.problems


@pytest.mark.parametrize("share", [2, 3])
def test_day_counts_among_dates_are_days(tmp_path: Path, share: int) -> None:
    """As a spreadsheet leaves them that took some texts for dates and others not."""
    cells = [
        str((day - dt.date(1899, 12, 30)).days) if i % share == 0 else f"{day:%d/%m/%Y}" for i, day in enumerate(DAYS)
    ]
    found = column(tmp_path, "discharged", cells)
    assert found.table["discharged"].kind is Kind.DATE
    values = found.table["discharged"].values
    assert values is not None
    days = values[found.table["discharged"].codes].astype("datetime64[D]").tolist()
    assert days == DAYS
    again = read(tmp_path / "t.csv", found.choices)
    assert (again.table["discharged"].values == values).all()


@pytest.mark.parametrize("other", ["12345", "79999", "3.5"])
def test_numbers_of_other_times_among_dates_are_none(tmp_path: Path, other: str) -> None:
    found = column(tmp_path, "note", [other if i % 2 else f"{day:%d/%m/%Y}" for i, day in enumerate(DAYS)])
    assert found.table["note"].kind is Kind.CATEGORY


def test_long_numbers_that_a_spreadsheet_cut_off_are_told(tmp_path: Path) -> None:
    found = column(tmp_path, "barcode", [f"4,711{i % 10}E+12" for i in range(30)])
    assert [p.column for p in found.problems if "spreadsheet shows" in p.sentence] == ["barcode"]
    small = column(tmp_path, "ratio", [f"{1 + i / 10:.1f}E-03".replace(".", ",") for i in range(30)])
    assert small.problems == ()


def test_three_digits_behind_every_mark_are_told(tmp_path: Path) -> None:
    """They may be thousands; where one number has another form, it has told which."""
    cells = [f"{1 + i}.{17 * i % 1000:03d}" for i in range(30)]
    found = column(tmp_path, "cost", cells)
    assert [p.column for p in found.problems if "may hold thousands" in p.sentence] == ["cost"]
    book = openpyxl.Workbook()
    for row in [["id", "cost"], *([f"c{i}", float(cell)] for i, cell in enumerate(cells) if not cell.endswith("0"))]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    assert not [p for p in read(tmp_path / "t.xlsx").problems if "may hold thousands" in p.sentence]
    for more in ("0.125", "1.5", "1.234.567"):
        told = column(tmp_path, "cost", [*cells, more])
        assert not [p for p in told.problems if "may hold thousands" in p.sentence]
