"""Messy files whose table is known: the reader finds it, or says that it isn't sure. All 943: `tests.messy.sweep`."""

from __future__ import annotations

from pathlib import Path

import pytest

from splu_desktop.files.importer import ALL_SHEETS, Decision, ImportChoices, ProblemKind, alike, read
from splu_desktop.files.importer.text.encoding import UNSURE, detect
from splu_desktop.files.importer.text.stray_quotes import records
from splu_desktop.files.isolation.faults import BadChoice
from splu_desktop.files.project.import_section import import_as_dict, import_from_dict
from tests.messy.cases import Case, all_cases, csv_bytes, xlsx_bytes
from tests.messy.sweep import wrong

pytestmark = pytest.mark.usefixtures("readers_here")

_HARD = (
    "two words",
    "few letters",
    "pollution",
    "other",
    "below ASCII",
)  # counted by the sweep: no reader has all right
_EVERY = 6

# Nobody can know what was meant, or the program leaves it to the custodian: each is told, and none is read in silence.
ASKED = {"two-encodings.csv", "twice-encoded.csv", "notes-beside.xlsx", "table-beside.xlsx"}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Return every case: made once, and not by whoever only collects these tests."""
    return all_cases()


def test_the_tables_of_messy_files_are_found(tmp_path: Path, cases: list[Case]) -> None:
    quick = [case for case in cases if not any(word in case.group for word in (*_HARD, "office"))][::_EVERY]
    assert len(quick) > 70
    faults = [(case.name, wrong(case, tmp_path)[0]) for case in quick]
    assert [(name, fault) for name, fault in faults if fault] == []


def test_what_offices_send_is_read_asked_about_or_refused(tmp_path: Path, cases: list[Case]) -> None:
    silent = []
    for case in cases:
        if not case.group.startswith("office"):
            continue
        if fault := wrong(case, tmp_path)[0]:
            asked = case.name in ASKED and read(_written(tmp_path, case)).problems
            silent += [] if asked else [f"{case.name}: {fault}"]
    assert silent == []


def _written(folder: Path, case: Case) -> Path:
    path = folder / case.name
    path.write_bytes(case.content)
    return path


def test_no_encoding_is_wrong_in_silence(cases: list[Case]) -> None:
    for case in cases:
        if case.group.startswith("encoding"):
            found = detect([case.content])
            text = case.content.decode(found.name, "replace")
            assert found.plausible < UNSURE or (case.names[-1] in text and case.rows[20 % len(case.rows)][1] in text)


HEAD = ["id", "ward", "age"]
BOOK = {
    "A": [HEAD, ["1", "x", "30"], ["2", "y", "31"]],
    "B": [["age", "id", "ward"], ["40", "3", "x"]],
    "Legend": [["code", "meaning"], ["x", "surgery"]],
    "C": [HEAD, ["4", "y", "n/k"]],
}


def test_alike_sheets_are_one_table_and_the_others_are_told(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    path.write_bytes(xlsx_bytes(BOOK, hidden=["C"]))
    one = read(path)
    assert one.table.n == 2
    assert [sheet.name for sheet in alike(one.sheets)] == ["A", "B"]
    told = [(p.sheet, p.told_rows) for p in one.problems if p.kind is ProblemKind.SKIPPED_SHEET]
    assert told == [("B", 1), ("Legend", 1), ("C", 1)]
    both = read(path, ImportChoices(sheets=ALL_SHEETS))
    assert both.table.names == ("id", "ward", "age", "Sheet")
    assert [c.written_texts().tolist() for c in both.table.columns] == [
        ["1", "2", "3"], ["x", "y", "x"], ["30", "31", "40"], ["A", "A", "B"],
    ]  # fmt: skip
    again = read(path, import_from_dict(import_as_dict(both.choices)))
    assert again.table.names == both.table.names
    named = read(path, ImportChoices(sheets=("A", "C")))
    assert named.table.n == 3
    with pytest.raises(BadChoice, match="only “A” has a column “id”"):
        read(path, ImportChoices(sheets=("A", "Legend")))


def test_a_problem_in_a_joined_table_names_its_sheet(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    many = [[str(i), "x", str(i)] for i in range(20)]
    path.write_bytes(xlsx_bytes({"A": [HEAD, *many], "B": [HEAD, *many[:9], ["9", "x", "forty-one"]]}))
    found = read(path, ImportChoices(sheets=ALL_SHEETS))
    assert [(p.sheet, p.row) for p in found.problems if p.kind is ProblemKind.MISFIT] == [("B", 11)]


def test_a_row_that_may_be_no_record_is_kept_and_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [[f"P{i}", "surgery", str(30 + i), "1.5", "died"] for i in range(20)]
    path.write_bytes(csv_bytes([["id", "ward", "age", "crea", "end"], *rows, ["P20", "", "see notes", "", ""]]))
    kept = read(path)
    assert kept.table.n == 21
    assert [(p.row, p.decision) for p in kept.problems if p.kind is ProblemKind.DOUBTFUL_ROW] == [(22, Decision.KEEP)]
    dropped = read(path, ImportChoices(decisions={ProblemKind.DOUBTFUL_ROW: Decision.DROP}))
    assert dropped.table.n == 20
    assert [(p.row, p.decision) for p in dropped.problems if p.kind is ProblemKind.DOUBTFUL_ROW] == [
        (22, Decision.DROP)
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ['a,"b"\n', 'c,"d\n', 'e"\n'],
        ['"a, b",c\n', '"x""y",z\n'],
        ["a,b\n", 'c,5"\n'],
    ],
)
def test_quotes_that_stand_right_are_left_alone(lines: list[str]) -> None:
    told: list[int] = []
    assert "".join(text for text, _ in records(lines, ",", '"', tell=told.append)) == "".join(lines)
    assert told == []


def test_lines_taken_are_all_lines() -> None:
    lines = ["a,b\n", '1,"two\n', 'lines"\n', '2,"never closed\n', '3,"so" what\n']
    told: list[int] = []
    found = list(records(lines, ",", '"', tell=told.append))
    assert [count for _, count in found] == [1, 2, 1, 1]
    assert told == [2, 3]
