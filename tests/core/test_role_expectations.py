"""Suggested roles on real tables: what a careful custodian would expect, column by column where it matters."""

from __future__ import annotations

import pytest

from splu_desktop.core.groups import largest_gamma
from splu_desktop.core.roles import Role, suggest_roles
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
# What is medical or financial, and so must be said to look sensitive where it is published as it is.
SENSITIVE = {
    "diabetes130.csv.gz": {"diag_2", "diag_3", "max_glu_serum"},
    "adult.csv.gz": {"income", "capital-gain", "capital-loss"},
    "linelist_raw.xlsx": set(),
    "sparcs_1000.csv": {
        "CCS Diagnosis Code", "CCS Procedure Code", "CCS Procedure Description", "APR DRG Code", "APR DRG Description",
        "Patient Disposition", "Total Charges", "Total Costs", "Abortion Edit Indicator",
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


def test_what_else_looks_sensitive_is_said(real: tuple[str, Table]) -> None:
    name, table = real
    found = suggest_roles(table)
    for column in SENSITIVE[name]:
        assert found[column].role is Role.NSA
        assert found[column].reason.startswith("looks sensitive")


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
