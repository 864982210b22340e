"""Numbers marked sensitive go the whole way by command: intervals are suggested, kept, published and described."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core.generalise import Intervals
from splu_desktop.files.project.recipe import read_recipe
from splu_desktop.files.release.folder import read_release

N = 3_000


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = np.random.default_rng(12)
    rows = zip(
        chance.choice(["A", "B"], N),
        chance.lognormal(8, 1, N).round(2),
        chance.normal(7, 1.2, N).round(1),
        chance.gamma(2, 3, N).astype(int) + 1,
        chance.integers(0, 900, N).astype("datetime64[D]"),
        strict=True,
    )
    path = tmp_path_factory.mktemp("numbers") / "table.csv"
    text = "".join(f"{','.join(map(str, row))}\n" for row in rows)
    path.write_text("ward,charges,HbA1c,stay days,admitted\n" + text, encoding="utf-8")
    return path


def said(capsys: pytest.CaptureFixture[str], *words: object) -> dict:  # type: ignore[type-arg]
    status = main([*map(str, words), "--json"])
    out, err = capsys.readouterr()
    assert status == 0, err
    return json.loads(out)  # type: ignore[no-any-return]


def test_the_whole_way(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, out = tmp_path / "r.toml", tmp_path / "release"
    sensitive = ("--sa", "charges,HbA1c,stay days,admitted", "--nsa", "ward", "--gamma", 4)
    plan = said(capsys, "plan", source, *sensitive, "--save-recipe", recipe)
    for name, option in (("charges", "--intervals"), ("HbA1c", "--intervals"), ("admitted", "--generalise")):
        assert any(f"Column “{name}”" in note and option in note for note in plan["notes"]), plan["notes"]
    kept = read_recipe(recipe).plan.generalisations
    assert isinstance(kept["HbA1c"][0], Intervals)
    assert kept["HbA1c"][0].cuts == (5.7, 6.5, 8.0, 10.0)
    assert main(["publish", str(source), *map(str, sensitive), "--out", str(out)]) == 0
    capsys.readouterr()
    opened = read_release(out)
    for column in opened.facts["columns"]:
        if column["name"] in ("charges", "HbA1c", "stay days"):
            cuts = column["generalised"][0]["cuts"]
            assert cuts == list(kept[column["name"]][0].cuts)
            assert [entry["value"] for entry in column["intervals"]] == column["domain"]
            for entry in column["intervals"]:
                assert (
                    entry.get("from", -np.inf) <= entry.get("mean", entry.get("from", 0)) < entry.get("below", np.inf)
                )
    stand = opened.published.typical("charges")
    assert stand is not None
    assert np.isfinite(stand).all()
    with (out / "dictionary.csv").open(encoding="utf-8-sig") as file:
        next(file)  # what must not be done
        described = {row["column"]: row["generalised"] for row in csv.DictReader(file)}
    assert described["HbA1c"] == "numbers in clinical intervals (HbA1c, %: ADA 2024), cut at 5.7, 6.5, 8, 10"
    assert described["charges"].startswith("numbers in intervals, cut at ")


@pytest.mark.parametrize(("how", "cuts"), [("18000,6000", (6_000.0, 18_000.0)), ("quantiles:4", None), ("auto", None)])
def test_intervals_as_said(how: str, cuts: object, source: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "r.toml"
    asked = ["--sa", "charges", "--nsa", "ward", "--drop", "HbA1c,stay days,admitted", "--intervals", f"charges={how}"]
    assert main(["plan", str(source), *asked, "--save-recipe", str(recipe)]) == 0
    (step,) = read_recipe(recipe).plan.generalisations["charges"]
    assert isinstance(step, Intervals)
    if how == "quantiles:4":
        assert step.found == ("quantiles", 4.0)
    if cuts is not None:
        assert step.cuts == cuts


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("charges", "gives no intervals"),
        ("charges=", "gives no intervals"),
        ("charges=clinical", "No clinical cut points"),
        ("charges=a,b", "must be a number"),
        ("nothing=3", "nothing"),
    ],
)
def test_intervals_not_understood(how: str, words: str, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(source), "--sa", "charges", "--intervals", how]) != 0
    assert words in capsys.readouterr().err
