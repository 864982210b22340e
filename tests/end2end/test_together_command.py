"""Columns drawn together go the whole way by command: plan, publish, verify, query, cross-table, report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core.draw import Together
from splu_desktop.files.project.recipe import read_recipe
from splu_desktop.files.release.folder import read_release

N = 3_000


@pytest.fixture
def source(tmp_path: Path) -> Path:
    chance = np.random.default_rng(3)
    ward = chance.choice(["A", "B"], N)
    one = chance.random(N) < 0.1
    other = np.where(chance.random(N) < 0.7, one, chance.random(N) < 0.05)
    cause = chance.choice(["flu", "cold", "gout", "cut", "burn", "none"], N)
    path = tmp_path / "table.csv"
    rows = (
        f"{w},{'yes' if a else 'no'},{'yes' if b else 'no'},{c}\n"
        for w, a, b, c in zip(ward, one, other, cause, strict=True)
    )
    path.write_text("ward,diabetes,insulin,cause\n" + "".join(rows), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, object]:
    status = main([*map(str, words), "--json"])
    out, err = capsys.readouterr()
    assert status == 0, err
    return json.loads(out)  # type: ignore[no-any-return]


def test_the_whole_way(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, out = tmp_path / "r.toml", tmp_path / "release"
    # One by one the flags are drawn joined with this gamma; that they could be together is said all the same.
    assert main(["plan", str(source), "--sa", "diabetes,insulin,cause", "--nsa", "ward", "--gamma", "4", "--json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    (suggested,) = alone["could_be_together"]
    assert suggested["columns"] == ["diabetes", "insulin"]
    assert alone["together"] == []
    asked = ("--together", "diabetes,insulin", "--sa", "cause", "--nsa", "ward", "--gamma", 4, "--save-recipe", recipe)
    said = run(capsys, "plan", source, *asked)
    (block,) = said["together"]  # type: ignore[misc]
    assert block["columns"] == ["diabetes", "insulin"]
    assert "is the person's own in" in block["costs"][1]
    assert said["could_be_together"] == []
    plan = read_recipe(recipe).plan
    assert all(isinstance(plan.draws[name], Together) for name in ("diabetes", "insulin"))
    assert main(["publish", str(source), "--recipe", str(recipe), "--out", str(out)]) != 0
    assert "combinations" in capsys.readouterr().err
    published = run(capsys, "publish", source, "--recipe", recipe, "--out", out, "--accept", "combinations")
    assert all(check["passed"] for check in published["checks"])  # type: ignore[attr-defined]
    again = ("publish", source, "--recipe", recipe, "--out", tmp_path / "again")
    accepted = ("--accept", "combinations", "--accept", "earlier-release")
    for words in (("verify", out), (*again, *accepted)):
        assert main([str(word) for word in words]) == 0
    capsys.readouterr()
    assert main(["releases"]) == 0
    assert "2 columns together, groups of 4" in capsys.readouterr().out
    draw = read_release(out).published.draws["insulin"]
    assert isinstance(draw, Together)
    assert set(draw.caps) == {"yes", "no"}
    answer = run(capsys, "query", out, "diabetes=yes", "insulin=yes")
    assert answer["low"] <= answer["estimate"] <= answer["high"]  # type: ignore[operator]
    both = run(capsys, "query", out, "diabetes=yes", "insulin=yes", "cause=flu", "ward=A")
    assert both["high"] < N  # type: ignore[operator]
    for by in ("ward", "diabetes", "cause"):  # published unchanged, drawn together with it, drawn apart from it
        assert run(capsys, "crosstab", out, "--by", by, "--sa", "insulin")
    for ending in ("html", "json", "pdf"):
        assert main(["report", str(out), "--out", str(tmp_path / f"report.{ending}")]) == 0
    assert "Who finds a person&#x27;s row" in (tmp_path / "report.html").read_text("utf-8").replace("'", "&#x27;")
    readme = " ".join((out / "README.txt").read_text("utf-8-sig").split())
    assert "“diabetes” and “insulin” were drawn together" in readme


def test_what_can_not_be_drawn_together_is_said(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, told in (
        (("--together", "diabetes"), "two to"),
        (("--together", "diabetes,nothing"), "nothing"),
        (("--together", "diabetes,insulin", "--together", "insulin,cause"), "two draws"),
        (("--together", "diabetes,insulin", "--sa", "diabetes:3", "--sa", "insulin:4"), "one gamma"),
        (("--together", "diabetes,insulin", "--nsa", "insulin"), "two roles"),
    ):
        assert main(["plan", str(source), *words]) != 0
        assert told in capsys.readouterr().err


def test_a_draw_of_its_own_for_a_column_drawn_together_is_refused(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    together = ("--together", "diabetes,insulin", "--sa", "cause", "--nsa", "ward", "--gamma", "4")
    assert main(["plan", str(source), *together, "--draw", "diabetes=joined"]) != 0
    assert "“diabetes” is drawn together with others, so it has no draw of its own" in capsys.readouterr().err
    # For every column: those drawn together stay so.
    said = run(capsys, "plan", source, *together, "--draw", "*=joined")
    assert "other records join the sensitive ones" in said["sensitive"]["cause"]["words"]  # type: ignore[index]
    assert said["together"][0]["columns"] == ["diabetes", "insulin"]  # type: ignore[index]


def test_a_common_value_that_need_not_be_protected_is_offered(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is offered is what is got: the same half widths once the value is declared not sensitive."""
    asked = ("plan", source, "--sa", "diabetes", "--nsa", "ward", "--drop", "insulin,cause", "--gamma", "4")
    found = run(capsys, *asked)["sensitive"]["diabetes"]["unprotected"]  # type: ignore[index]
    assert found["value"] == "no"
    now, then = found["half_widths"]
    assert then <= 0.8 * now
    options = ("--tolerance", "diabetes:no=1", "--tolerance", "diabetes:*=gamma", "--draw", "diabetes=joined")
    taken = run(capsys, *asked, *options)["sensitive"]["diabetes"]  # type: ignore[index]
    assert "unprotected" not in taken
    assert taken["values"][1]["signal"] > 0.5
