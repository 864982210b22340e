"""`splu publish --declared`: a code list whose values are shown whether or not somebody has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from splu_desktop.cli import main

_RARE = [f"C{at:02}" for at in range(40)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """1,000 records: 970 without a diagnosis, one with each of C00 to C09, two with each of C10 to C19."""
    codes = ["none"] * 970 + _RARE[:10] + 2 * _RARE[10:20]
    path = tmp_path / "visits.csv"
    path.write_text("ward,code\n" + "".join(f"{at % 3},{code}\n" for at, code in enumerate(codes)), encoding="utf-8")
    return path


def listed(folder: Path, codes: list[str]) -> Path:
    path = folder / "codes.csv"
    path.write_text("code;meaning\n" + "".join(f"{code};x, y\n" for code in codes), encoding="utf-8")
    return path


def run(command: str, source: Path, codes: Path, *more: object) -> int:
    options = ["--sa", "code", "--nsa", "ward", "--tolerance", "code:none=1", "--tolerance", "code:*=0.2"]
    return main([command, str(source), *options, "--declared", f"code={codes}", *map(str, more)])


def drawn(release: Path) -> dict[str, Any]:
    facts = json.loads((release / "release.json").read_text("utf-8"))
    (column,) = (each for each in facts["columns"] if each["name"] == "code")
    found: dict[str, Any] = column["draw"]
    return found


def test_what_is_published_says_so_and_names_no_value_that_it_does_not_show(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = source.parent / "out"
    assert run("publish", source, listed(source.parent, _RARE), "--out", out) == 0, capsys.readouterr().err
    draw = drawn(out)
    assert draw["declared"] is True
    shown = {line.split(",")[1] for line in (out / "table.csv").read_text("utf-8").splitlines()[1:]}
    assert len(shown & set(_RARE[20:])) > 5, "values that nobody has"
    assert {value for part in draw["parts"] for value in part["values"]} == shown
    assert "learns no more of “code” than a row says" in (out / "README.txt").read_text("utf-8").replace("\n", " ")
    capsys.readouterr()
    value = min(shown & set(_RARE[20:]))
    assert main(["query", str(out), f"code={value}", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["low"] == 0


def test_the_recipe_makes_the_same_plan_again(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes, recipe = listed(source.parent, _RARE), source.parent / "recipe.toml"
    out, again = source.parent / "out", source.parent / "again"
    assert run("plan", source, codes, "--save-recipe", recipe) == 0, capsys.readouterr().err
    assert run("publish", source, codes, "--out", out) == 0, capsys.readouterr().err
    codes.unlink()
    accepted = ["--accept", "earlier-release=a test"]
    command = ["publish", str(source), "--recipe", str(recipe), "--out", str(again), *accepted]
    assert main(command) == 0, capsys.readouterr().err
    assert drawn(again)["parts"][0] == drawn(out)["parts"][0]


@pytest.mark.parametrize(
    ("codes", "more", "said"),
    [
        (_RARE[1:], [], "lacks 1 values that occur, “C00” among them"),
        (_RARE[:20], [], "declare more values that may occur"),
        (_RARE, ["--fakes", "code=1"], "neither groups nor fake values"),
        (_RARE, ["--draw", "code=groups"], "neither groups nor fake values"),
        (_RARE, ["--declared", "ward=codes.csv"], "is not drawn by itself"),
        ([], [], "holds no values"),
    ],
)
def test_a_list_that_can_not_serve_is_refused_in_a_sentence(
    source: Path, capsys: pytest.CaptureFixture[str], codes: list[str], more: list[str], said: str
) -> None:
    assert run("publish", source, listed(source.parent, codes), *more, "--out", source.parent / "out") != 0
    assert said in capsys.readouterr().err.replace("\n", " ")
    assert not (source.parent / "out").exists()
