"""Recipes: what goes in comes out, wrong ones get a sentence."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting
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
    write_recipe(Recipe(ImportChoices(), plan.as_dict(), SOURCE, ("gdpr",)), tmp_path / "r.toml")
    found = read_recipe(tmp_path / "r.toml")
    assert found.plan_for(table) == plan
    assert (found.source, found.laws) == (SOURCE, ("gdpr",))
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "r.toml").stat().st_mode) == 0o600


def test_no_day_to_delete_it_by_gets_a_sentence(table: Table, tmp_path: Path) -> None:
    plan = replace(ward_plan(table, number=True), audience=Audience(until="2027-12-31"))
    write_recipe(Recipe(ImportChoices(), plan.as_dict()), tmp_path / "r.toml")
    text = (tmp_path / "r.toml").read_text(encoding="utf-8")
    (tmp_path / "r.toml").write_text(text.replace("2027-12-31", "in a year"), encoding="utf-8")
    with pytest.raises(BadSetting, match="in a year"):
        read_recipe(tmp_path / "r.toml").plan_for(table)
    with pytest.raises(BadSetting, match="tomorrow"):
        Audience(until="tomorrow")


@pytest.mark.parametrize("alpha", ["0", "2.5", "2.0", "1000000000000000"])
def test_a_small_count_is_no_other_number(table: Table, tmp_path: Path, alpha: str) -> None:
    write_recipe(Recipe(ImportChoices(), ward_plan(table).as_dict()), tmp_path / "r.toml")
    text = (tmp_path / "r.toml").read_text(encoding="utf-8")
    (tmp_path / "r.toml").write_text(text.replace("alpha = 3\n", f"alpha = {alpha}\n"), encoding="utf-8")
    with pytest.raises(BadSetting, match="a whole number from 1 to 50"):
        read_recipe(tmp_path / "r.toml").plan_for(table)


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ("generalisations", {"nix": [{"how": "prefix", "length": 1}]}),
        ("kept_identifiers", {"nix": "the ethics board agreed"}),
        ("public_values", {"nix": ["none"]}),
        ("rare", {"nix": 5}),
        ("classes", ["nix"]),
        ("persons", {"column": "nix"}),
        ("blanking", {"k": 5, "groups": [["nix"]]}),
        ("questions", [{"table": "nix by sex"}]),
    ],
)
def test_an_entry_is_refused_by_file_entry_and_the_column_that_is_not_there(
    table: Table, entry: str, wrong: object
) -> None:
    sound = ward_plan(table).as_dict()
    for data, words in ((wrong, "“nix”"), (7, rf"{entry}”: .* of the wrong kind")):
        with pytest.raises(BadSetting, match=rf"“--recipe \[plan\].*{words}"):
            Recipe(ImportChoices(), {**sound, entry: data}).plan_for(table, name="--recipe")


def test_a_recipe_for_other_columns_is_refused(table: Table, tmp_path: Path) -> None:
    write_recipe(Recipe(ImportChoices(), ward_plan(table).as_dict()), tmp_path / "r.toml")
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
        ("[recipe]\nversion = 3\ngamma = 2\n[plan]\nversion = 3", "gamma"),
        ("[recipe]\nversion = 3\n[plan]\nversion = 3\nroles = [[1]]", "wrong kind"),
    ],
)
def test_a_wrong_recipe_gets_a_sentence(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadRecipe, match=match):
        read_recipe(tmp_path / "r.toml")
