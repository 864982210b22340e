"""What version 0.1.0 wrote still opens: releases, a recipe, a project. They lie in tests/files/version_0_1_0."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from splu_desktop.core.draw import DecoyGroups, PlainGroups
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.query.reader import Condition, Reader
from splu_desktop.files.draws import draws_in_words, recorded_draws
from splu_desktop.files.project.file import open_project
from splu_desktop.files.project.recipe import read_recipe, recipe_text
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release

STORED = Path(__file__).parent / "version_0_1_0"
OUTCOME = DecoyGroups(
    (1, 4), (Fraction(3, 5), Fraction(2, 5)), Tolerances({"death": Fraction(1, 4), "home": "1", "transfer": "1"})
)


@pytest.mark.parametrize("name", ["plain", "tolerances"])
def test_releases_open_are_sound_and_answer(name: str) -> None:
    opened = read_release(STORED / name)
    assert all(check.passed for check in verify_release(STORED / name))
    for column in opened.published.sensitive:
        assert opened.published.stated(column) == opened.facts["guarantees"][column]
    answer = Reader(opened.published).answer([Condition("ward", ("A",)), Condition("diagnosis", ("flu",))])
    assert answer.low <= answer.estimate <= answer.high


def test_their_draws_are_those_of_now() -> None:
    assert read_release(STORED / "plain").published.draws == {"diagnosis": PlainGroups(3)}
    draws = read_release(STORED / "tolerances").published.draws
    assert draws["outcome"] == OUTCOME
    assert isinstance(draws["diagnosis"], DecoyGroups)
    assert (draws["diagnosis"].sizes, draws["diagnosis"].fakes) == ((2,), 1)


def test_recipe_and_project_are_brought_up_to_date(tmp_path: Path) -> None:
    recipe = read_recipe(STORED / "recipe.toml")
    assert recipe.plan.draws == {"diagnosis": PlainGroups(3), "outcome": OUTCOME}
    (tmp_path / "now.toml").write_text(recipe_text(recipe), encoding="utf-8")
    assert read_recipe(tmp_path / "now.toml") == recipe
    project = open_project(STORED / "project.splu")
    assert project.draws == {"diagnosis": PlainGroups(3), "ward": PlainGroups(4), "outcome": OUTCOME}
    assert project.plan().draws == recipe.plan.draws


def test_the_registers_entries_are_understood_and_damaged_ones_passed_over() -> None:
    body = {
        "gammas": {"diagnosis": 3},
        "groupings": {"outcome": {"sizes": [1, 4], "shares": ["3/5", "2/5"], "tolerances": {"1/4": 1, "1": 2}}},
    }
    known = recorded_draws(body)
    assert known["diagnosis"] == PlainGroups(3)
    assert known["outcome"].confidence == Fraction(1, 4)
    now = {"draws": {name: draw.recorded() for name, draw in {"diagnosis": PlainGroups(3), "outcome": OUTCOME}.items()}}
    assert recorded_draws(now) == known
    assert "death" not in str(now)
    assert draws_in_words({"gammas": {"diagnosis": "x"}}) == {}
