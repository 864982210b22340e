"""Files of the user's own folder, as docs/recipe.md lists them; word lists and limits have theirs in tests/core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise.clinical import measure_of, measures
from splu_desktop.core.policy.limits import limits_named
from splu_desktop.core.resources import own_files, resource_path
from splu_desktop.core.table import Kind
from splu_desktop.files.project.hierarchy import BadHierarchy, read_hierarchy
from splu_desktop.report.law import codes, pack
from tests.columns import column_of

MEASURE = """[[measure]]
name = "Troponin"
unit = "ng/l"
cuts = [14, 52]
medians = [1, 500]
source = "our laboratory"
words = ["troponin", "tnt"]
"""
PACK = """dated = "2026-11-28"
title = "Landesgesetz: Krankenhaus"
source = { en = "State law", de = "Landesgesetz" }
[[demand]]
place = "§ 1"
asks = { en = "A reason.", fr = "Un motif." }
answer = "x"
field = "basis"
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path))
    for kind in ("bands", "law", "hierarchies", "policy"):
        (tmp_path / kind).mkdir()
    measures.cache_clear()
    yield tmp_path
    measures.cache_clear()


def test_bands_of_ones_own_go_before_those_of_the_program(own: Path) -> None:
    shipped = resource_path("generalise/measures.toml").read_text(encoding="utf-8")
    (own / "bands" / "laboratory.toml").write_text(MEASURE, encoding="utf-8")
    column = column_of("TnT", ["4", "20", "60"], kind=Kind.DECIMAL)
    found = measure_of(column)
    assert found is not None
    assert (found.cuts, found.source) == ((14, 52), "our laboratory")
    assert len(measures()) == shipped.count("[[measure]]") + 1


@pytest.mark.parametrize(
    "change", [("[14, 52]", "[52, 14]"), ("[14, 52]", "[]"), ("[1, 500]", "[nan, inf]"), ('"ng/l"', "3"), ("cuts", "x")]
)
def test_a_measure_that_is_none_is_refused_by_its_file(own: Path, change: tuple[str, str]) -> None:
    (own / "bands" / "laboratory.toml").write_text(MEASURE.replace(*change), encoding="utf-8")
    with pytest.raises(BadSetting, match=r"laboratory\.toml"):
        measures()


def test_a_law_of_ones_own_stands_beside_the_others(own: Path) -> None:
    (own / "law" / "land.toml").write_text(PACK, encoding="utf-8")
    assert codes()[-1] == "land"
    found = pack("land")
    assert found.name("fr") == "Landesgesetz"
    assert found.source == {"en": "State law", "de": "Landesgesetz", "fr": "State law"}
    assert found.demands[0].asks["fr"] == "Un motif."
    (own / "law" / "gdpr.toml").write_text(PACK, encoding="utf-8")
    assert pack("gdpr").title["en"].startswith("Landesgesetz")
    assert codes().count("gdpr") == 1


@pytest.mark.parametrize("change", [("title", "x"), ('"basis"', '"bases"'), ("[[demand]]", "[demand]"), ("en = ", "")])
def test_a_law_that_is_none_is_refused_by_its_file(own: Path, change: tuple[str, str]) -> None:
    (own / "law" / "land.toml").write_text(PACK.replace(*change, 1), encoding="utf-8")
    with pytest.raises(BadSetting, match=r"land\.toml"):
        pack("land")


def test_a_hierarchy_that_is_not_here_is_sought_in_ones_own_folder(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "hierarchies" / "wards.csv").write_text("A1;Medicine\nB1;Surgery\n", encoding="utf-8")
    here = own / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert read_hierarchy(Path("wards.csv")).levels == 1
    with pytest.raises(BadHierarchy):
        read_hierarchy(here / "wards.csv")
    (here / "wards.csv").write_text("A1;Medicine;All\nB1;Surgery;All\n", encoding="utf-8")
    assert read_hierarchy(Path("wards.csv")).levels == 2


def test_limits_of_ones_own_that_lack_a_number_are_refused_by_their_file(own: Path) -> None:
    (own / "policy" / "public.toml").write_text("alike = 20\n", encoding="utf-8")
    with pytest.raises(BadSetting, match=r"public\.toml"):
        limits_named("public")


def test_what_is_no_toml_file_is_left_alone(own: Path) -> None:
    (own / "law" / "notes.txt").write_text("x", encoding="utf-8")
    assert own_files("law") == []
    assert own_files("roles") == []
