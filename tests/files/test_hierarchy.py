"""Hierarchy files: ARX's as they are, others by their separator, wrong ones with a sentence."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.generalise import CannotGeneralise, Groups
from splu_desktop.files.project.hierarchy import BadHierarchy, read_groups, read_hierarchy
from tests.columns import column_of

CELL = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=8)


@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=3, max_size=12, unique_by=lambda row: row[0]),
    st.sampled_from(";,\t"),
)
def test_what_a_csv_writer_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], mark: str
) -> None:
    path = tmp_path_factory.mktemp("h") / "h.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL).writerows(rows)
    found = read_hierarchy(path, 2)
    assert found.rows == tuple(rows)
    assert (found.level, found.levels, found.name) == (2, 2, "h.csv")


def test_an_arx_hierarchy_generalises_a_column(tmp_path: Path) -> None:
    # As ARX exports it: semicolons, no header, the top level a star.
    path = tmp_path / "adult_hierarchy_marital.csv"
    path.write_text(
        "Married-civ-spouse;spouse present;*\nDivorced;spouse not present;*\nNever-married;spouse not present;*\n",
        encoding="utf-8",
    )
    column = column_of("m", ["Divorced", "Married-civ-spouse ", "Never-married", "?"], missing=("?",))
    after = read_hierarchy(path).apply(column)
    assert after.labels[after.codes].tolist() == ["spouse not present", "spouse present", "spouse not present", "?"]
    assert read_hierarchy(path, 2).apply(column).labels.tolist() == ["*", "?"]
    with pytest.raises(CannotGeneralise, match=r"Values of column “m” that .* lacks: 1, such as “Widowed”"):
        read_hierarchy(path).apply(column_of("m", ["Widowed"]))
    with pytest.raises(CannotGeneralise, match=r"hierarchy_marital.csv”.*no level 3"):
        read_hierarchy(path, 3)


def test_value_and_group_name(tmp_path: Path) -> None:
    path = tmp_path / "wards.csv"
    path.write_text("\ufeffA1,Medicine\nB1,Surgery\nA2,Medicine\n\n", encoding="utf-8")
    assert read_groups(path) == Groups.of({"Medicine": ["A1", "A2"], "Surgery": ["B1"]})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is no hierarchy"),
        (b"a\nb\n", "is no hierarchy"),
        (b"a;A\nb\n", "row 2, has 1 fields where row 1 has 2"),
        (b"a;A\nb;B\na;C\n", "“a” two different groupings, in rows 1 and 3"),
        (b"PK\x03\x04\x00\x00", "is no hierarchy"),
    ],
)
def test_a_wrong_file_gets_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "h.csv"
    path.write_bytes(content)
    with pytest.raises(BadHierarchy, match=r"“h\.csv”") as fault:
        read_hierarchy(path)
    assert says in str(fault.value)


def test_no_file_and_three_columns(tmp_path: Path) -> None:
    with pytest.raises(BadHierarchy, match="There is no file"):
        read_hierarchy(tmp_path / "none.csv")
    (tmp_path / "h.csv").write_text("a;b;c\n", encoding="utf-8")
    with pytest.raises(BadHierarchy, match="has 3 columns"):
        read_groups(tmp_path / "h.csv")
