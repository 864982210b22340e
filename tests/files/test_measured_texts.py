"""Laboratory values, costs and lengths of stay as cells have them: bounds, units, words; their means hold the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ProblemKind, read
from tests.messy.cases import csv_bytes


def column(path: Path, values: list[str]):  # type: ignore[no-untyped-def]
    path.write_bytes(
        csv_bytes([["Fall", "Wert"], *([f"F{i}", value] for i, value in enumerate(values))], delimiter=";")
    )
    found = read(path)
    return found.table["Wert"], [str(p.sentence) for p in found.problems if p.kind is ProblemKind.NOTE]


NUMBERS = ["0,4", "1,7", "12,5", "3,1", "88,0", "5,5", "7,2", "9,9"]


@pytest.mark.parametrize(
    ("values", "kind", "says"),
    [
        ([*NUMBERS, "<0,3", "<0,3", ">200", "≥150"], Kind.DECIMAL, "texts among numbers"),
        ([*NUMBERS, "＜0,3", "≧150"], Kind.DECIMAL, "texts among numbers"),
        ([*NUMBERS, *["neg"] * 8], Kind.DECIMAL, "texts among numbers"),
        ([f"{40 + i} kg" for i in range(12)], Kind.INTEGER, "are in kg"),
        ([f"1,{50 + i} m" for i in range(12)], Kind.DECIMAL, "are in m"),
        ([f"{i + 3} Tage" for i in range(12)], Kind.INTEGER, "are in Tage"),
        ([f"{i + 3} {'g' if i % 2 else 'kg'}" for i in range(12)], Kind.CATEGORY, ""),  # no numbers of one kind
        ([f"{i + 20}{' ans' if i % 2 else ''}" for i in range(12)], Kind.INTEGER, "were read as the same"),
        ([f"{i + 20}{'歳' if i % 2 else ''}" for i in range(12)], Kind.INTEGER, "are in 歳"),
        (["２０", "２１", "２２", *(f"{i + 23} 岁" for i in range(9))], Kind.INTEGER, "were read as the same"),
        ([f"{i + 20}{' mg' if i % 2 else ''}" for i in range(12)], Kind.CATEGORY, ""),
        (["normal", "high", "low"] * 8 + ["7"], Kind.CATEGORY, ""),  # one number makes no column of numbers
        (["3A", "4A", "12A"] * 4, Kind.CATEGORY, ""),  # wards
        (["neg", "+", "++", "+++"] * 4, Kind.CATEGORY, ""),
        (["3E5", "1E9", "2E2", "4E7"] * 3, Kind.CATEGORY, ""),  # stages
    ],
)
def test_what_a_cell_says_beside_its_number(tmp_path: Path, values: list[str], kind: Kind, says: str) -> None:
    found, notes = column(tmp_path / "t.csv", values)
    assert found.kind is kind
    assert any(says in note for note in notes) if says else not notes
    assert found.written_texts().tolist() == values  # the texts stay


def test_a_cross_among_noughts_and_ones_is_asked_about(tmp_path: Path) -> None:
    """It may be a yes: it was taken as no value, as beside other numbers."""
    (tmp_path / "t.csv").write_bytes(csv_bytes([["Fall", "Asthma"], *([f"F{i}", "01x1"[i % 4]] for i in range(40))]))
    found = read(tmp_path / "t.csv")
    assert [(token.token, token.applied) for token in found.missing_tokens] == [("x", False)]
    assert "x" in found.table["Asthma"].labels
    assert not found.table["Asthma"].missing.any()


def test_a_bound_lies_just_beyond_its_number(tmp_path: Path) -> None:
    found, _ = column(tmp_path / "t.csv", [*NUMBERS, "<0,3", ">200", "≤0,3", "≥200"])
    value = dict(zip(found.labels.tolist(), found.values.tolist(), strict=True))
    assert value["<0,3"] < 0.3 == value["≤0,3"] < 0.4 < value["≥200"] == 200 < value[">200"]
    whole, _ = column(tmp_path / "t.csv", [*map(str, range(10)), "<5", ">100"])
    value = dict(zip(whole.labels.tolist(), whole.values.tolist(), strict=True))
    assert (whole.kind, value["<5"], value[">100"]) == (Kind.INTEGER, 4, 101)


@pytest.mark.parametrize(("values", "told"), [(["12", "7", "1234"], False), (["1,5", "7", "12"], True)])
def test_how_numbers_are_written_is_said_where_one_tells(tmp_path: Path, values: list[str], told: bool) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(csv_bytes([["Fall", "Wert"], *([f"F{i}", each] for i, each in enumerate(values))], delimiter=";"))
    assert ("decimal" in read(path).reasons) == told
