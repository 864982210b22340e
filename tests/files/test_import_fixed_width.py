"""Columns of fixed width, as databases and old systems print them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ImportChoices, ProblemKind, TableReading, read
from splu_desktop.files.importer.text.fixed_width import count_unparted, edges_of, name_columns, split

HEAD = ["CASENO", "SURNAME", "SEX", "AGE", "ADMITTED"]
NAMES = ["Anna Müller", "Groß", "Jan van der Berg", "O'Neill", "Smith"]
ROWS = [
    [str(1000 + i), NAMES[i % 5], "mf"[i % 2], str(20 + i) if i % 7 else "", f"2020-01-{i + 1:02d}"] for i in range(24)
]
FORM = "{:>8} {:<20} {:<3} {:>5} {}"
RULE = " ".join("-" * n for n in (8, 20, 3, 5, 10))


def read_lines(tmp_path: Path, lines: list[str], choices: ImportChoices | None = None) -> TableReading:
    path = tmp_path / "t.rpt"
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n", encoding="utf-8")
    return read(path, choices)


def printed(rows: list[list[str]]) -> list[str]:
    return [FORM.format(*row) for row in rows]


def is_the_table(found: TableReading) -> None:
    assert found.table.names == tuple(HEAD)
    assert [list(row) for row in zip(*(c.written_texts() for c in found.table.columns), strict=True)] == ROWS
    assert found.table["AGE"].kind is Kind.INTEGER
    assert found.table["ADMITTED"].kind is Kind.DATE


def test_the_output_of_a_query(tmp_path: Path) -> None:
    above = ["Changed database context to 'KIS'."]
    below = ["", "(24 rows affected)", "", "Completion time: 2020-01-01T12:00:00+01:00"]
    found = read_lines(tmp_path, [*above, *printed([HEAD]), RULE, *printed(ROWS), *below])
    is_the_table(found)
    told = [(p.value or "").replace(" | ", " ") for p in found.problems if p.row]
    assert told == [above[0], RULE, below[1], below[3]]


def test_pages(tmp_path: Path) -> None:
    lines = [""]
    for start in range(0, 24, 8):
        lines += ["", *printed([HEAD]), RULE, *printed(ROWS[start : start + 8])]
    is_the_table(read_lines(tmp_path, [*lines, "", "24 rows selected."]))


def test_blanks_that_run_down(tmp_path: Path) -> None:
    is_the_table(read_lines(tmp_path, ["{:<10}{:<21}{:<6}{:<5}{}".format(*row) for row in [HEAD, *ROWS]]))


@pytest.mark.parametrize("texts", [("Groß, Anna", "Smith"), ("stable; home", "worse; see GP; call"), ("1,5", "22,75")])
def test_what_stands_in_them_may_hold_commas_and_semicolons(tmp_path: Path, texts: tuple[str, str]) -> None:
    rows = [[row[0], texts[i % 2], *row[2:]] for i, row in enumerate(ROWS)]
    found = read_lines(tmp_path, ["{:<10}{:<21}{:<6}{:<5}{}".format(*row) for row in [HEAD, *rows]])
    assert found.table.names == tuple(HEAD)
    assert list(found.table["SURNAME"].written_texts()) == [row[1] for row in rows]


def test_numbers_to_the_right_below_a_name(tmp_path: Path) -> None:
    rows = [HEAD, *([*row[:3], row[3] or "7", row[4]] for row in ROWS)]
    found = read_lines(tmp_path, ["{:<8}{:<20}{:<4} {:<4}{}".format(*rows[0])] + [
        f"{row[0]:<8}{row[1]:<20} {row[2]:<3}  {row[3]:>2} {row[4]}" for row in rows[1:]
    ])  # fmt: skip
    assert found.table.names == tuple(HEAD)


def test_what_nothing_parts_is_told_and_can_be_cut(tmp_path: Path) -> None:
    lines = [f"{i:08d}{NAMES[i % 5]:<16}{20 + i:03d}202001{i + 1:02d}" for i in range(24)]
    found = read_lines(tmp_path, lines)
    assert found.table.n == 24
    assert [p.kind for p in found.problems] == [ProblemKind.NO_HEADER, ProblemKind.NOTE]
    names = ("case", "name", "age", "day")
    found = read_lines(tmp_path, lines, ImportChoices(delimiter="fixed 0 8 24 27", names=names, header_row=0))
    assert found.table.n == 24
    rows = list(zip(*(c.written_texts() for c in found.table.columns), strict=True))
    assert rows[1] == ("00000001", "Groß", "021", "20200102")
    assert found.table["day"].kind is Kind.DATE


@pytest.mark.parametrize(
    "text",
    [
        "one, two\nthree, four\n",
        "He came  and went.\nShe stayed.\n" * 6,
        "a  b\n1  2\n3  4\n5  6\n7  8\n",
        "a   \n  b\n" * 9,
    ],
)
def test_other_texts_have_no_fixed_widths(tmp_path: Path, text: str) -> None:
    assert not edges_of(read_lines(tmp_path, text.split("\n")).choices.delimiter or "")


words = st.text(st.characters(codec="latin-1", categories=("L", "N")), min_size=1, max_size=6)


@given(rows=st.lists(st.lists(words, min_size=3, max_size=3), min_size=1, max_size=5))
def test_lines_are_cut_as_they_were_printed(rows: list[list[str]]) -> None:
    edges = (0, 8, 16)
    assert edges_of(name_columns(edges)) == edges
    assert [split("{:<8}{:<8}{:<8}".format(*row), edges) for row in rows] == rows


@pytest.mark.parametrize("mark", ["", "fixed", "fixed 3", "fixed 5 3", "fixed a b", "||"])
def test_what_is_no_layout(mark: str) -> None:
    assert edges_of(mark) == ()


def test_five_long_lines_of_one_length_may_hold_columns_and_fewer_say_nothing() -> None:
    lines = [f"{at:010d}XY{at:08d}\n" for at in range(5)]
    assert count_unparted(lines) == 20
    assert count_unparted(lines[:4]) == 0
    assert count_unparted([line[1:] for line in lines]) == 0, "a line of nineteen is one code"
    assert count_unparted(["only words and no number\n"] * 5) == 0
