"""Suggested roles on real tables: what a careful custodian would expect, column by column where it matters."""

from __future__ import annotations

import pytest

from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.roles.vocabulary import RoleCard
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from tests.optional import real as real_table

# File -> the identifiers, all of them; the sensitive column (None: none that medical or financial and eligible).
EXPECTED: dict[str, tuple[set[str], str | None]] = {
    "diabetes130.csv.gz": ({"encounter_id", "patient_nbr"}, "diag_1"),
    "adult.csv.gz": (set(), None),
    "linelist_raw.xlsx": ({"case_id", "infector", "lon", "lat", "row_num"}, "outcome"),
    "sparcs_1000.csv": ({"Column 1"}, "CCS Diagnosis Description"),
}
# What is published as it is by suggestion: nothing of health, origin or money, and nothing that nearly names a record.
PUBLISHED = {
    "diabetes130.csv.gz": {
        "gender", "age", "admission_type_id", "admission_source_id", "time_in_hospital", "payer_code",
        "medical_specialty",
    },
    "adult.csv.gz": {
        "age", "workclass", "education", "educational-num", "marital-status", "occupation", "relationship", "gender",
        "hours-per-week", "native-country",
    },
    "linelist_raw.xlsx": {"gender", "hospital", "source", "age", "age_unit", "time_admission"},
    "sparcs_1000.csv": {
        "Health Service Area", "Hospital County", "Facility Id", "Facility Name", "Age Group", "Zip Code - 3 digits",
        "Gender", "Length of Stay", "Type of Admission", "Discharge Year", "Payment Typology 1", "Payment Typology 2",
        "Payment Typology 3", "Emergency Department Indicator",
    },
}  # fmt: skip


@pytest.fixture(scope="module", params=sorted(EXPECTED))
def real(request: pytest.FixtureRequest) -> tuple[str, Table]:
    return request.param, read(real_table(request.param)).table


def test_identifiers_are_caught_and_nothing_else_is_called_one(real: tuple[str, Table]) -> None:
    name, table = real
    found = suggest_roles(table)
    assert tuple(found) == table.names
    assert {c for c, s in found.items() if s.role is Role.IDENTIFIER} == EXPECTED[name][0]
    assert all(s.reason for s in found.values())


def test_the_sensitive_column_is_medical_and_possible(real: tuple[str, Table]) -> None:
    name, table = real
    marked = [c for c, s in suggest_roles(table).items() if s.role is Role.SA]
    assert marked == ([EXPECTED[name][1]] if EXPECTED[name][1] else [])
    assert all(largest_gamma(table[c]) >= 2 for c in marked)


def test_nothing_sensitive_is_published_as_it_is(real: tuple[str, Table]) -> None:
    name, table = real
    found = suggest_roles(table)
    assert {column for column, said in found.items() if said.role is Role.NSA} == PUBLISHED[name]
    assert all(said.card is RoleCard.SPECIAL for said in found.values() if said.matter)


def test_a_reference_to_another_record_is_an_identifier_too() -> None:
    """A case names the case that infected it; a ward's name among the wards is no reference to a record."""
    cases = [f"c{i:03x}" for i in range(200)]
    infector = [cases[i // 3] if i % 2 else f"x{i:03x}" for i in range(200)]
    table = Table(
        (
            Column.from_labels("case_id", cases),
            Column.from_labels("infector", infector),
            Column.from_labels("ward", [f"W{i % 9}" for i in range(200)]),
            Column.from_labels("age", [str(i % 90) for i in range(200)], kind=Kind.INTEGER),
        )
    )
    found = suggest_roles(table)
    assert [name for name, said in found.items() if said.role is Role.IDENTIFIER] == ["case_id", "infector"]
    assert "“case_id”" in found["infector"].reason
