"""What each messy file of the shared data is, written down by looking at it; and the four real tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from splu_desktop.core.errors import SpluError
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ProblemKind, TableReading, read
from tests.optional import real

pytestmark = pytest.mark.usefixtures("readers_here")

# file, records, columns, header row, and choices as resolved
CSV: list[tuple[str, int, int, int, dict[str, Any]]] = [
    ("211.csv", 2132, 96, 1, {"delimiter": ",", "encoding": "mac_roman"}),
    ("characters.csv", 382, 18, 1, {"delimiter": ",", "encoding": "big5"}),
    ("complex.csv", 3, 4, 1, {"delimiter": ",", "encoding": "utf-8"}),
    ("example.tsv", 140, 17, 1, {"delimiter": "\t"}),
    ("excel_pasting.csv", 13, 9, 4, {"delimiter": ",", "thousands": ","}),
    ("healthcare_messy_data.csv", 1000, 10, 1, {"delimiter": ",", "date_order": "mdy"}),
    ("hospital_patients_real_world.csv", 5000, 7, 1, {"delimiter": ","}),
    ("mixedGLB.csv", 133, 19, 4, {"delimiter": ","}),
    ("null.csv", 10, 4, 0, {"delimiter": ","}),
    ("skip_initials.csv", 2, 2, 1, {"delimiter": ","}),
    ("spanish_chars.csv", 114, 8, 1, {"delimiter": ",", "encoding": "cp1252", "thousands": ","}),
    ("sparse_with_column_errors.csv", 2200, 4, 1, {"delimiter": ",", "encoding": "cp1252"}),
    ("utf-16le_encoded.csv", 327, 19, 1, {"delimiter": ",", "encoding": "utf-16"}),
    ("utf8bom.csv", 0, 2, 1, {"encoding": "utf-8-sig"}),
    ("weird_head_padding.csv", 60, 10, 12, {"delimiter": ";", "decimal": ",", "thousands": "."}),
]
WORKBOOKS: list[tuple[str, int, int, int, dict[str, Any]]] = [
    ("dates-1904.xls", 1, 5, 0, {"format": "xls"}),
    ("dates-leap-year-1900-xlsx.xlsx", 7, 3, 1, {"sheet": "for_testing"}),
    ("datetime-rounding.xlsx", 4, 2, 1, {}),
    ("deaths.xlsx", 10, 6, 5, {"sheet": "arts"}),
    ("dirty_data.xlsx", 12, 11, 2, {}),
    ("empty-sheets.xlsx", 0, 2, 1, {"sheet": "header_only"}),
    ("messy_aki.xlsx", 20, 15, 5, {}),
    ("messy_bp.xlsx", 20, 13, 4, {"header_rows": 2}),
    ("missing-values-xlsx.xlsx", 3, 3, 1, {}),
    ("names-need-repair-xlsx.xlsx", 2, 4, 1, {}),
    ("simple.ods", 3, 3, 1, {"format": "ods"}),
    ("unicode_sheet_name.xls", 0, 1, 1, {"sheet": "mês"}),
]


@pytest.mark.parametrize(("name", "records", "columns", "header", "choices"), CSV, ids=[case[0] for case in CSV])
def test_text(name: str, records: int, columns: int, header: int, choices: dict[str, Any]) -> None:
    check(read(real(f"messy_csv/{name}"), allow_empty=True), records, columns, header, choices)


@pytest.mark.parametrize(
    ("name", "records", "columns", "header", "choices"), WORKBOOKS, ids=[case[0] for case in WORKBOOKS]
)
def test_workbook(name: str, records: int, columns: int, header: int, choices: dict[str, Any]) -> None:
    check(read(real(f"messy_xlsx/{name}"), allow_empty=True), records, columns, header, choices)


def check(found: TableReading, records: int, columns: int, header: int, choices: dict[str, Any]) -> None:
    assert (found.table.n, len(found.table.columns)) == (records, columns)
    assert found.choices.header_row == header
    assert {name: getattr(found.choices, name) for name in choices} == choices


@pytest.mark.parametrize(
    ("name", "words"),
    [("encrypted_no_password.xls", "protected by a password"), ("libreoffice.xlsx", "nothing but blanks")],
)
def test_refused(name: str, words: str) -> None:
    with pytest.raises(SpluError, match=words):
        read(real(f"messy_xlsx/{name}"))


def kinds(found: TableReading) -> dict[str, Kind]:
    return {column.name: column.kind for column in found.table.columns}


def test_blanks_after_delimiters_and_grouped_thousands() -> None:
    found = read(real("messy_csv/complex.csv"))
    assert found.table.names == ("date", "another date", "temperature", "place")
    assert kinds(found) == {
        "date": Kind.DATE,
        "another date": Kind.DATE,
        "temperature": Kind.INTEGER,
        "place": Kind.CATEGORY,
    }
    assert found.table["temperature"].values is not None
    assert found.table["temperature"].values.tolist() == [-1, 0, 6_000_000]


def test_a_nan_among_addresses_is_only_proposed_and_one_among_numbers_taken() -> None:
    found = read(real("messy_csv/healthcare_messy_data.csv"))
    applied = {(t.column, t.token): t.applied for t in found.missing_tokens}
    assert applied["Cholesterol", "NaN"]
    assert not applied["Email", "nan"]
    assert not applied["Condition", "None"]
    assert found.table["Visit Date"].kind is Kind.DATE
    misfits = [p for p in found.problems if p.kind is ProblemKind.MISFIT]
    assert {p.value for p in misfits} == {"forty"}
    assert all(p.column == "Age" and p.row is not None for p in misfits)


def test_notes_and_totals_around_a_table_are_left_out_and_counted() -> None:
    found = read(real("messy_csv/excel_pasting.csv"))
    assert found.table.names == ("Year", *map(str, range(2000, 2008)))
    assert "Total" not in found.table["Year"].labels
    skipped = sum(p.told_rows for p in found.problems if p.kind is ProblemKind.SKIPPED_ROWS)
    assert found.table.n + 1 + 1 + skipped == 21  # records, the header, the blank line above it, and what was skipped


def test_two_header_rows_with_merged_cells_are_joined() -> None:
    found = read(real("messy_xlsx/messy_bp.xlsx"))
    assert found.table.names[7:] == ("Visit 1 BP", "Visit 1 HR", "Visit 2 BP", "Visit 2 HR", "Visit 3 BP", "Visit 3 HR")
    assert found.table.names[0] == "pat_id"


def test_unformatted_day_counts_among_dates_become_dates_and_error_cells_are_listed() -> None:
    found = read(real("messy_xlsx/dirty_data.xlsx"))
    hired = found.table["Hire Date"]
    assert hired.kind is Kind.DATE
    assert "2008-08-30" in hired.labels  # 39690
    errors = {(p.row, p.column, p.value) for p in found.problems if p.kind is ProblemKind.ERROR_CELL}
    assert (6, "Subject", "#REF!") in errors
    assert found.table["Active?"].n == 12


def test_a_date_that_never_was_is_shown() -> None:
    found = read(real("messy_xlsx/dates-leap-year-1900-xlsx.xlsx"))
    assert [(p.row, p.value) for p in found.problems if p.kind is ProblemKind.MISFIT] == [(5, "1900-02-29 08:00:00")]


def test_days_from_1904() -> None:
    assert set(read(real("messy_xlsx/dates-1904.xls")).table.columns[0].labels) == {"2000-01-01"}


def test_names_made_unique_are_said() -> None:
    found = read(real("messy_xlsx/names-need-repair-xlsx.xlsx"))
    assert found.table.names == ("a b", "a b (2)", "Column 3", "c%&$")
    assert [p.column for p in found.problems if p.kind is ProblemKind.NAME_CHANGED] == ["a b (2)", "Column 3"]


def test_linelist() -> None:
    found = read(real("linelist_raw.xlsx"))
    table = found.table
    assert table.n == 6611
    assert table.names[-2:] == ("merged_header", "merged_header (2)")
    got = kinds(found)
    for name in ("infection date", "date onset", "hosp date", "date_of_outcome"):
        assert got[name] is Kind.DATE
    assert got["age"] is Kind.INTEGER
    assert got["lon"] is Kind.DECIMAL
    assert got["fever"] is Kind.BOOLEAN
    roles = {name: said.role for name, said in suggest_roles(table).items()}
    identifiers = {name for name, role in roles.items() if role is Role.IDENTIFIER}
    assert identifiers == {"case_id", "row_num", "lon", "lat", "infector"}


def test_sparcs() -> None:
    found = read(real("sparcs_1000.csv"))
    charges = found.table["Total Charges"]
    assert charges.kind is Kind.DECIMAL
    assert charges.values is not None
    assert charges.values[charges.code_of("108,429.42")] == 108429.42
    assert found.table["CCS Diagnosis Code"].n == 1000


def test_diabetes() -> None:
    found = read(real("diabetes130.csv.gz"))
    table = found.table
    assert table.n == 101_766
    for name in ("diag_1", "diag_2", "diag_3"):
        column = table[name]
        assert column.kind is Kind.CATEGORY
        assert column.labels[column.missing].tolist() == ["?"]
        assert "250.01" in column.labels
    tested = table["A1Cresult"]
    assert "None" in tested.labels
    assert not tested.missing.any()
    roles = suggest_roles(table)
    assert [name for name, said in roles.items() if said.role is Role.IDENTIFIER] == ["encounter_id", "patient_nbr"]
    assert roles["diag_1"].role is Role.SA


@pytest.mark.parametrize(("name", "records"), [("adult.csv.gz", 48_842), ("census_workers.csv.gz", 147_754)])
def test_census_tables_have_no_identifier(name: str, records: int) -> None:
    table = read(real(name)).table
    assert table.n == records
    assert not [said for said in suggest_roles(table).values() if said.role is Role.IDENTIFIER]
    if name.startswith("census"):
        assert set(table["IncomeClass"].labels) == {"- 50000.", "50000+."}


@pytest.mark.parametrize("folder", ["messy_csv", "messy_xlsx"])
def test_every_messy_file_has_an_expectation(folder: str) -> None:
    known = {case[0] for case in (*CSV, *WORKBOOKS)} | {"encrypted_no_password.xls", "libreoffice.xlsx"}
    assert {path.name for path in real(folder).iterdir()} <= known


def test_totals_of_groups_named_in_another_column_are_no_records(tmp_path: Path) -> None:
    """ "Summe Innere" stands where numbers of cases stand, below the last record of that ward."""
    wards = ("Chirurgie", "Innere", "Gynäkologie", "Urologie")
    rows, lines = [], []
    for ward in wards:
        part = [[f"P{100 + 7 * i}", ward, str(20 + i), f"{i}.5"] for i in range(12)]
        rows += part
        lines += [*part, [f"Summe {ward}", "", str(sum(int(row[2]) for row in part)), ""]]
    path = tmp_path / "totals.csv"
    path.write_text("\n".join(map(",".join, [["case", "ward", "age", "score"], *lines])) + "\n", encoding="utf-8")
    found = read(path)
    read_as = zip(*(column.written_texts().tolist() for column in found.table.columns), strict=True)
    assert [list(row) for row in read_as] == rows
    assert sum(problem.kind is ProblemKind.SKIPPED_ROWS for problem in found.problems) == len(wards)
    assert [each for each in found.notes if "no record" in each] == list(found.notes[-3:-1])
    assert found.notes[-1] == "There are 2 more of these: rows that are not records."


def test_a_dash_below_a_name_is_no_unit(tmp_path: Path) -> None:
    lines = [["case", "ward", "age", "Hb"], ["-", "–", "years", "g/dl"]]
    lines += [[f"P{i}", "ABC"[i % 3], str(20 + i), f"{8 + i / 10:.1f}"] for i in range(30)]
    path = tmp_path / "units.csv"
    path.write_text("\n".join(map(",".join, lines)) + "\n", encoding="utf-8")
    assert read(path).table.names == ("case", "ward", "age years", "Hb g/dl")
