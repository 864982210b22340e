"""Recipes: what goes in comes out, wrong ones get a sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from splu_desktop.core.table import Table
from splu_desktop.files.importer import ImportChoices, SourceFile
from splu_desktop.files.project.recipe import BadRecipe, Recipe, RecipeDoesNotFit, read_recipe, write_recipe
from tests.files.releases import ward_plan, ward_table

SOURCE = SourceFile("stays.csv", 5, "0" * 64)


@pytest.fixture(scope="module")
def table() -> Table:
    return ward_table(300, persons=True)


def test_a_recipe_comes_back(table: Table, tmp_path: Path) -> None:
    plan = ward_plan(table, number=True)
    write_recipe(Recipe(ImportChoices(), plan, SOURCE, ("gdpr",)), tmp_path / "r.toml")
    found = read_recipe(tmp_path / "r.toml")
    assert found.plan_for(table) == plan
    assert (found.source, found.laws) == (SOURCE, ("gdpr",))
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "r.toml").stat().st_mode) == 0o600


def test_a_recipe_for_other_columns_is_refused(table: Table, tmp_path: Path) -> None:
    write_recipe(Recipe(ImportChoices(), ward_plan(table)), tmp_path / "r.toml")
    fewer = table.select([name for name in table.names if name != "bmi"])
    with pytest.raises(RecipeDoesNotFit, match="bmi"):
        read_recipe(tmp_path / "r.toml").plan_for(fewer)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("[", "TOML"),
        ("a = 1", "version"),
        ("[recipe]\nversion = 2", "version 2"),
        ("[recipe]\nversion = 3\n[plans]", "plans"),
        ("[recipe]\nversion = 3", "plan"),
        ("[recipe]\nversion = 3\n[plan]\nversion = 3\ngama = 2", "gama"),
    ],
)
def test_a_wrong_recipe_gets_a_sentence(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadRecipe, match=match):
        read_recipe(tmp_path / "r.toml")
