"""Tables in web pages and in Excel's XML of 2003, as hospitals' systems export them under the name of a workbook."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splu_desktop.core.errors import SpluError
from splu_desktop.core.progress import Cancelled, WatchedProgress
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ImportChoices, TableReading, preview, read
from splu_desktop.files.importer.recognise import form_of

pytestmark = pytest.mark.usefixtures("readers_here")

HEAD = ["case", "age", "finding", "cost"]
ROWS = [[f"{i:05d}", str(20 + i), ("Gicht", "Anämie & Fieber", "Röteln <2>")[i % 3], f"{i},50"] for i in range(20)]
SHEET = "urn:schemas-microsoft-com:office:spreadsheet"


def rows_of(found: TableReading) -> list[list[str]]:
    return [list(row) for row in zip(*(c.written_texts() for c in found.table.columns), strict=True)]


def page(rows: list[list[str]], *, before: str = "", after: str = "") -> str:
    cells = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<html><head><style>td {{x: y}}</style></head><body>{before}<table>{cells}</table>{after}</body></html>"


def book(rows: list[str]) -> str:
    return (
        f'<?xml version="1.0"?><Workbook xmlns="{SHEET}" xmlns:ss="{SHEET}"><Worksheet ss:Name="A"><Table>'
        f"{''.join(f'<Row>{row}</Row>' for row in rows)}</Table></Worksheet></Workbook>"
    )


def cell(text: str, kind: str = "String", more: str = "") -> str:
    return f'<Cell{more}><Data ss:Type="{kind}">{escape(text)}</Data></Cell>'


def put(tmp_path: Path, text: str | bytes, name: str = "export.xls") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_page_named_as_a_workbook(tmp_path: Path, encoding: str) -> None:
    found = read(put(tmp_path, page([HEAD, *ROWS]).encode(encoding)))
    assert found.table.names == tuple(HEAD)
    assert rows_of(found) == ROWS
    assert found.table["cost"].kind is Kind.DECIMAL
    assert not found.problems
    assert found.choices.format == "html"


def test_what_a_page_says_of_its_letters_is_believed(tmp_path: Path) -> None:
    text = page([HEAD, *ROWS]).replace("<style>", '<meta charset="iso-8859-15"><style>').replace("Gicht", "5 €")
    assert rows_of(read(put(tmp_path, text.encode("iso-8859-15"))))[0][2] == "5 €"


def test_cells_over_several_rows_scripts_and_tables_beside(tmp_path: Path) -> None:
    wards = "".join(
        f"<tr><td rowspan=3>W{i}</td><td>{i}0</td><td>a<br>b</td></tr><tr><td>{i}1<td>c</td></tr><tr><td>{i}2<td>d"
        for i in range(4)
    )
    text = (
        "<!-- KIS --><html><body><script>document.write('<table><tr><td>no')</script><table><tr><td>Stand</td></tr>"
        "<tr><td>2024</td></tr></table><table><tr><th>ward<th>no<th>finding</tr>" + wards + "</table></body></html>"
    )
    found = read(put(tmp_path, text))
    expected = [[f"W{i}", f"{i}{k}", ("a b", "c", "d")[k]] for i in range(4) for k in range(3)]
    assert rows_of(found) == expected
    assert any("was not read" in p.sentence for p in found.problems)


def test_a_workbook_of_2003(tmp_path: Path) -> None:
    rows = ["".join(map(cell, ["case", "age", "admitted", "at", "alive", "finding"]))]
    for i in range(12):
        day = cell(f"2024-01-{i + 1:02d}T00:00:00.000", "DateTime", "" if i % 4 else ' ss:Index="3"')
        known = cell(f"{i:04d}") + (cell(f"{30 + i}", "Number") if i % 4 else "")
        time = cell(f"1899-12-31T{i:02d}:30:00.000", "DateTime")
        finding = '<Cell><Data ss:Type="String">Gicht</Data><Comment><Data>by Dr. B</Data></Comment></Cell>'
        rows.append(known + day + time + cell(str(i % 2), "Boolean") + finding)
    found = read(put(tmp_path, book(rows)))
    expected = []
    for i in range(12):
        told = [f"2024-01-{i + 1:02d}", f"{i:02d}:30:00", ("FALSE", "TRUE")[i % 2], "Gicht"]
        expected.append([f"{i:04d}", f"{30 + i}" if i % 4 else "", *told])
    assert rows_of(found) == expected
    assert [found.table[name].kind for name in ("age", "admitted", "alive")] == [Kind.INTEGER, Kind.DATE, Kind.BOOLEAN]


def test_rows_and_cells_with_places_of_their_own(tmp_path: Path) -> None:
    first = "".join(map(cell, ["ward", "case", "finding"]))
    down = cell("W1", more=' ss:MergeDown="1"') + cell("1") + cell("a")
    text = book([first, down, cell("2", more=' ss:Index="2"') + cell("b"), "".join(map(cell, ["W2", "3", "c"]))])
    text = text.replace("<Row>" + cell("W2"), '<Row ss:Index="6">' + cell("W2"))
    found = read(put(tmp_path, text))
    assert rows_of(found) == [["W1", "1", "a"], ["W1", "2", "b"], ["W2", "3", "c"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<html><body>Your session has expired.<table><tr><td>x</td></tr></table></body></html>", "HTML"),
        (f'<Workbook xmlns="{SHEET}"><Worksheet><Table><Row></Row><Row></Row>', "XML"),
        (
            f'<!DOCTYPE x [<!ENTITY a "b">]><Workbook xmlns="{SHEET}"><Row><Cell><Data>&a;</Data></Cell></Row><Row/>',
            "XML DOCTYPE",
        ),
        (f'<Workbook xmlns="{SHEET}"><Worksheet/></Workbook>', "XML"),
    ],
)
def test_what_holds_no_table_is_refused_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SpluError, match=words):
        read(put(tmp_path, text))


def test_far_away_cells_are_no_danger(tmp_path: Path) -> None:
    wide = page([HEAD, *ROWS]).replace("<td>00003</td>", "<td colspan=99999999 rowspan=99999999>00003</td>")
    assert len(rows_of(read(put(tmp_path, wide)))) == 20


def test_a_preview_and_a_second_reading_say_the_same(tmp_path: Path) -> None:
    path = put(tmp_path, page([["Auszug"], HEAD, *ROWS]))
    first = preview(path)
    assert rows_of(first.reading) == ROWS
    found = read(path)
    assert found.choices.format == "html"
    assert rows_of(read(path, found.choices)) == rows_of(found) == ROWS


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    def stop(stage: str, done: float) -> None:
        if stage == "Reading":
            raise Cancelled

    path = put(tmp_path, page([HEAD, *ROWS * 2000]))
    with pytest.raises(Cancelled):
        read(path, progress=WatchedProgress(stop))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text("ab<>&\"'\t;|é漢 ", max_size=6), min_size=3, max_size=3), min_size=1, max_size=6))
def test_any_text_in_a_cell_comes_back(tmp_path: Path, texts: list[list[str]]) -> None:
    """Up to blanks, which a page does not keep; rows of nothing are no records."""
    rows = [[str(i), *(" ".join(text.split()) or "-" for text in row)] for i, row in enumerate(texts)]
    found = read(put(tmp_path, page([["no", "x", "y", "z"], *rows])), ImportChoices(header_row=1, last_row=99))
    assert rows_of(found) == rows


def test_texts_that_begin_with_an_angle_are_no_page() -> None:
    assert form_of(b"<E1000>,34\n<E1001>,45\n") is None
    assert form_of(b"<p1>;<p2>\n1;2\n") is None
