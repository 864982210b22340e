"""Recipes, projects and recovery files: what goes in comes out, wrong ones get a sentence, data stay out."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from splu_desktop.core.table import Table
from splu_desktop.files.importer import ImportChoices, SourceFile
from splu_desktop.files.project.file import (
    BadProject,
    Project,
    SourceState,
    find_source,
    open_project,
    save_project,
    source_state,
)
from splu_desktop.files.project.recipe import BadRecipe, Recipe, RecipeDoesNotFit, read_recipe, write_recipe
from splu_desktop.files.project.recovery import Autosave, discard, recoveries
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


def test_a_project_comes_back_and_finds_its_source(table: Table, tmp_path: Path) -> None:
    (tmp_path / "stays.csv").write_text("hello", encoding="utf-8")
    plan = ward_plan(table)
    project = Project(
        SOURCE, ImportChoices(), plan, {"persons-alike": "The contract allows it"}, window={"page": "ask"}
    )
    save_project(project, tmp_path / "p.splu", source=tmp_path / "stays.csv")
    found = open_project(tmp_path / "p.splu")
    assert found.plan_for(table) == plan
    assert (found.accepted, found.window) == (project.accepted, project.window)
    path = find_source(found, tmp_path / "p.splu")
    assert path == (tmp_path / "stays.csv").resolve()
    assert source_state(found, path) is SourceState.CHANGED
    assert source_state(found, None) is SourceState.MISSING


@pytest.mark.parametrize("text", ["", "[]", '{"format": "splu-project"}', '{"format": "splu-project", "version": 2}'])
def test_a_wrong_project_gets_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.splu").write_text(text, encoding="utf-8")
    with pytest.raises(BadProject, match=r"p\.splu"):
        open_project(tmp_path / "p.splu")


def test_a_path_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    for name, folder in (("../x", ""), ("x", "../.."), ("C:x", ""), ("x", "//share/x")):
        assert (
            find_source(Project(SourceFile(name, 1, "0" * 64), ImportChoices(), folder=folder), tmp_path / "p") is None
        )


def test_what_a_crash_leaves_is_recovered_once(table: Table, tmp_path: Path) -> None:
    session = Autosave(tmp_path)
    session.keep(Project(SOURCE, ImportChoices(), ward_plan(table)), tmp_path / "stays.csv")
    assert recoveries(tmp_path) == ()  # it lives
    session._lock.release()  # it is dead
    (found,) = recoveries(tmp_path)
    assert found.project.plan_for(table) == ward_plan(table)
    discard(found)
    assert recoveries(tmp_path) == ()
