"""A REDCap export with its data dictionary beside it is read by that: words for codes, labels, what names a person."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.table import LABELS, Kind
from splu_desktop.files.importer import ImportChoices, read
from splu_desktop.files.isolation.faults import BadChoice

_HEAD = (
    "Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label",
    "Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number",
    "Text Validation Min", "Text Validation Max", "Identifier?", "Branching Logic (Show field only if...)",
)  # fmt: skip
_FIELDS = (
    ("record_id", "basics", "", "text", "Record ID", "", "", "", "", "", "", ""),
    ("nick", "basics", "", "text", "<b>Called</b>", "", "", "", "", "", "y", ""),
    ("sex", "basics", "", "radio", "Sex at birth", "1, Male | 2, Female | 3, Not, or not only, these", *[""] * 6),
    ("risk", "basics", "", "checkbox", "Risks", "1, Smoking | -2, Alcohol", *[""] * 6),
    ("died", "basics", "", "yesno", "Died?", *[""] * 7),
    ("grade", "basics", "", "dropdown", "Grade", "1, low | 2, low | 3, high", *[""] * 6),
    ("score", "basics", "", "calc", "Score", "sum([a], [b])", *[""] * 6),
)
_EXPORT = ("record_id", "nick", "sex", "risk___1", "risk____2", "died", "grade", "score", "basics_complete")


def _written(folder: Path, name: str = "Study_DataDictionary_2026-01-05.csv", head: tuple[str, ...] = _HEAD) -> Path:
    with (folder / name).open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *_FIELDS])
    path = folder / "Study_DATA_2026-01-05_1203.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = [[k, f"Name{k}", 1 + k % 3, k % 2, 0, k % 2, 1 + k % 3, k, 2] for k in range(1, 41)]
        csv.writer(file).writerows([_EXPORT, *rows])
    return path


def test_codes_labels_and_identifiers_come_from_it(tmp_path: Path) -> None:
    imported = read(_written(tmp_path))
    table = imported.table
    assert set(table["sex"].labels) == {"Male", "Female", "Not, or not only, these"}
    assert set(table["risk___1"].labels) == {"Checked", "Unchecked"}
    assert table["risk___1"].kind is Kind.BOOLEAN
    assert list(table["risk____2"].labels) == ["Unchecked"]
    assert set(table["died"].labels) == {"Yes", "No"}
    assert set(table["grade"].labels) == {"low (1)", "low (2)", "high"}
    assert list(table["basics_complete"].labels) == ["Complete"]
    assert table["score"].kind is Kind.INTEGER
    assert imported.reasons["label:nick"] == "Called"
    assert imported.reasons["label:risk____2"] == table.origin[LABELS]["risk____2"] == "Risks: Alcohol"
    assert imported.choices.catalog == "Study_DataDictionary_2026-01-05.csv"
    assert any("data dictionary" in problem.sentence for problem in imported.problems)
    assert suggest_roles(table)["nick"].role is Role.IDENTIFIER
    assert (
        suggest_roles(read(_written(tmp_path), ImportChoices(renames={"nick": "n"})).table)["n"].role is Role.IDENTIFIER
    )


def test_columns_of_the_interface_for_programs_are_known_too(tmp_path: Path) -> None:
    head = ("field_name", "form_name", "section_header", "field_type", "field_label", "select_choices_or_calculations",
            "field_note", "text_validation_type_or_show_slider_number", "text_validation_min", "text_validation_max",
            "identifier", "branching_logic")  # fmt: skip
    table = read(_written(tmp_path, "metadata.csv", head)).table
    assert set(table["sex"].labels) == {"Male", "Female", "Not, or not only, these"}


def test_choices_as_resolved_and_none_at_all(tmp_path: Path) -> None:
    path = _written(tmp_path)
    first = read(path)
    again = read(path, first.choices).table
    assert [list(column.labels) for column in again.columns] == [list(column.labels) for column in first.table.columns]
    assert set(read(path, ImportChoices(catalog="")).table["sex"].labels) == {"1", "2", "3"}
    with pytest.raises(BadChoice, match="no words for its codes"):
        read(path, ImportChoices(catalog=path.name))


def test_one_of_another_study_is_left_alone(tmp_path: Path) -> None:
    _written(tmp_path)
    other = tmp_path / "other.csv"
    other.write_text("sex;ward;stay;height\n" + "1;a;3;170\n2;b;4;180\n" * 10, encoding="utf-8")
    assert set(read(other).table["sex"].labels) == {"1", "2"}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'field_name,field_type\n"\n', b"Variable / Field Name\n"])
def test_a_damaged_one_is_no_trouble(tmp_path: Path, content: bytes) -> None:
    path = _written(tmp_path)
    (tmp_path / "Study_DataDictionary_2026-01-05.csv").write_bytes(content)
    assert read(path).table.n == 40


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_beside_a_table_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    table = tmp_path / "table.csv"
    table.write_text("sex,age\nf,30\nm,40\n")
    assert read(table).table.n == 2
