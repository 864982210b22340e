"""Persons with several records the whole way, by command: plan, recipe, release, questions, report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.files.project.recipe import read_recipe
from splu_desktop.files.release.folder import read_release


@pytest.fixture
def source(tmp_path: Path) -> Path:
    chance = np.random.default_rng(5)
    who = np.repeat(np.arange(1_500), np.minimum(chance.geometric(0.6, 1_500), 9))
    path = tmp_path / "visits.csv"
    rows = [
        f"{700_000 + x * 13},{'ABC'[w]},{day},{['flu', 'gout', 'cold', 'asthma', 'none'][i]}\n"
        for x, w, day, i in zip(
            who,
            chance.integers(0, 3, len(who)),
            chance.integers(1, 999, len(who)),
            chance.integers(0, 5, len(who)),
            strict=True,
        )
    ]
    path.write_text("patient_id,ward,day,illness\n" + "".join(rows), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object, status: int = 0) -> dict[str, object]:
    found = main([*map(str, words), "--json"])
    out, err = capsys.readouterr()
    assert found == status, err
    return json.loads(out) if status == 0 else {"fault": err}  # type: ignore[no-any-return]


def line(found: dict[str, object]) -> dict[str, str]:
    return next(each for each in found["gate"] if each["name"] == "persons")  # type: ignore[attr-defined,no-any-return]


def test_a_draw_per_person(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, out = tmp_path / "r.toml", tmp_path / "out"
    asked = ("--sa", "illness", "--gamma", 3, "--drop", "day", "--person", "patient_id=draw")
    said = run(capsys, "plan", source, *asked, "--save-recipe", recipe)
    assert said["by_person"] == {"column": "patient_id", "way": "draw"}
    assert said["sensitive"]["illness"]["eligible"]  # type: ignore[index]
    plan = read_recipe(recipe).plan
    assert plan.persons is not None
    assert plan.persons.way == "draw"
    published = run(capsys, "publish", source, "--recipe", recipe, "--out", out, "--accept", "persons")
    assert all(check["passed"] for check in published["checks"])  # type: ignore[attr-defined]
    assert "1 in 3" in line(published)["sentence"]
    facts = json.loads((out / "release.json").read_text("utf-8"))
    assert facts["persons"]["way"] == "draw"
    assert facts["persons"]["design_effects"]["illness"]["whole"] >= 1
    assert "patient_id" not in (out / "release.json").read_text("utf-8")
    readme = " ".join((out / "README.txt").read_text("utf-8-sig").split())
    assert "in a person's records are all kept with a probability of 1 in 3" in readme
    assert "right on average" not in readme
    assert read_release(out).published.repeats is not None
    assert main(["verify", str(out)]) == 0
    capsys.readouterr()
    numbered = tmp_path / "numbered"
    accept = ("--accept", "persons", "--accept", "earlier-release")
    run(capsys, "publish", source, *asked, "--person-number", "--out", numbered, *accept)
    assert "person number" in read_release(numbered).published.table
    assert "random number of each person" in " ".join((numbered / "README.txt").read_text("utf-8-sig").split())
    answer = run(capsys, "query", out, "ward=A", "illness=gout")
    assert answer["low"] <= answer["estimate"] <= answer["high"]  # type: ignore[operator]
    for ending in ("html", "json"):
        assert main(["report", str(out), "--out", str(tmp_path / f"report.{ending}")]) == 0
    assert "The values of “illness” in a person" in (tmp_path / "report.html").read_text("utf-8")


def test_one_record_per_person_and_each_by_itself(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--sa", "illness", "--gamma", 3, "--drop", "day")
    for way, more in (("first", ()), ("last", ("--person-order", "day")), ("random", ())):
        out = tmp_path / way
        published = run(
            capsys,
            "publish",
            source,
            *asked,
            "--person",
            f"patient_id={way}",
            *more,
            "--out",
            out,
            "--accept",
            "earlier-release",
        )
        assert published["records"] == 1_500
        assert line(published)["light"] == "green"
        assert "left out" in (out / "README.txt").read_text("utf-8-sig")
        facts = json.loads((out / "release.json").read_text("utf-8"))["persons"]
        assert facts["most_records"] == 1
        assert facts["left_out"] > 500
    told = run(capsys, "publish", source, *asked, "--person", "patient_id=record", "--out", tmp_path / "x", status=2)
    assert "Say in words" in str(told["fault"])
    words = ("--person-reason", "stays are years apart", "--accept", "earlier-release")
    published = run(capsys, "publish", source, *asked, "--person", "patient_id=record", *words, "--out", tmp_path / "y")
    assert "stays are years apart" in line(published)["sentence"]
    fault = run(capsys, "plan", source, *asked, "--person", "nobody=draw", status=2)["fault"]
    assert "nobody" in str(fault)


def test_shifted_dates_a_number_and_a_skewed_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = np.random.default_rng(6)
    who = np.repeat(np.arange(900), np.minimum(chance.geometric(0.6, 900), 9))
    path, recipe, out = tmp_path / "visits.csv", tmp_path / "r.toml", tmp_path / "out"
    path.write_text(
        "patient_id,ward,came,flag\n"
        + "".join(
            f"{700_000 + x * 13},{'ABC'[chance.integers(0, 3)]},{np.datetime64('2021-01-01') + int(x % 800)},"
            f"{'yes' if chance.random() < 0.08 else 'no'}\n"
            for x in who
        ),
        encoding="utf-8",
    )
    asked = ("--sa", "flag", "--nsa", "ward,came", "--gamma", 3, "--person", "patient_id=draw", "--person-number")
    fault = run(capsys, "plan", path, *asked, "--shift-dates", "came", status=2)["fault"]
    assert "gives no number of days" in str(fault)
    said = run(capsys, "plan", path, *asked, "--shift-dates", "came=30", "--save-recipe", recipe)
    assert said["sensitive"]["flag"]["eligible"]  # type: ignore[index]
    assert any("moved by one random number of days" in note for note in said["notes"])  # type: ignore[attr-defined]
    kept = read_recipe(recipe).plan
    assert kept.persons is not None
    assert (kept.persons.shift, kept.persons.days) == (("came",), 30)
    accept = ("--accept", "persons=checked", "--accept", "unique-records=checked")
    published = run(capsys, "publish", path, "--recipe", recipe, "--out", out, *accept)
    assert all(check["passed"] for check in published["checks"])  # type: ignore[attr-defined]
    readme = " ".join((out / "README.txt").read_text("utf-8-sig").split())
    assert "All other columns are unchanged." not in readme
    assert "up to 30 either way" in readme
    assert "dates moved by one random number of days per person" in (out / "dictionary.csv").read_text("utf-8-sig")
    assert main(["verify", str(out)]) == 0
    report = tmp_path / "report.html"
    internal = ("report", out, "--internal", "--source", path, "--recipe", recipe, "--out", report)
    assert main([str(word) for word in internal]) == 0
    assert "Counts by them are not exact" in report.read_text("utf-8")


def test_nobody_is_recognised_by_the_random_number(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports took it for a column that people know: every record was unique by it, and only after the release."""
    out, made = tmp_path / "out", tmp_path / "report.json"
    asked = ("--sa", "illness", "--nsa", "ward,day", "--gamma", 3, "--person", "patient_id=draw", "--person-number")
    gate = run(capsys, "publish", source, *asked, "--out", out)["gate"]
    unique = next(each["sentence"] for each in gate if each["name"] == "unique-records")  # type: ignore[attr-defined]
    assert main([str(word) for word in ("report", out, "--internal", "--source", source, "--out", made)]) == 0
    report = json.loads(made.read_text("utf-8"))
    found, before = report["public"]["risk"]["recognisable"], report["original"]["before"]
    assert found["nsas"] == before["nsas"] == ["ward", "day"]
    assert f"{found['below']['2']:,} of {found['records']:,} records" in unique
    assert 0 < found["below"]["2"] == before["below"]["2"] < found["records"]
    assert not any("person number" in each["columns"] for each in report["public"]["risk"]["attacks"])


def test_an_attack_on_a_release_with_numbers_tries_itself_without_them(tmp_path: Path) -> None:
    """Tables made to try an attack on lacked the number, by which it keeps a person's records together."""
    chance, out = np.random.default_rng(7), tmp_path / "out"
    who = np.repeat(np.arange(700), 2)
    rows = [
        f"{700_000 + x * 13},{'AB'[x % 2]},{'NSEW'[x % 4]},{['flu', 'gout', 'cold', 'asthma'][int(i)]}\n"
        for x, i in zip(who, np.where(chance.random(1_400) < 0.6, who % 4, chance.integers(0, 4, 1_400)), strict=True)
    ]
    path = tmp_path / "visits.csv"
    path.write_text("patient_id,ward,part,illness\n" + "".join(rows), encoding="utf-8")
    asked = ["--sa", "illness", "--nsa", "ward,part", "--gamma", "2", "--person", "patient_id=draw", "--person-number"]
    assert main(["publish", str(path), *asked, "--out", str(out)]) == 0
    assert main(["report", str(out), "--out", str(tmp_path / "report.json")]) == 0


def test_many_sensitive_columns_are_told_of_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = np.random.default_rng(6)
    who = np.repeat(np.arange(400), np.minimum(chance.geometric(0.5, 400), 8))
    flags = [f"flag {at}" for at in range(1, 15)]
    rows = [[str(700_000 + x), "AB"[x % 2], *("yn"[int(n)] for n in chance.random(14) < 0.9)] for x in who]
    path, out = tmp_path / "flags.csv", tmp_path / "out"
    path.write_text("\n".join(map(",".join, [["patient_id", "ward", *flags], *rows])) + "\n", encoding="utf-8")
    asked = [*(part for name in flags for part in ("--sa", name)), "--gamma", "3", "--person", "patient_id=draw"]
    assert main(["publish", str(path), *asked, "--out", str(out)]) == 0
    said = capsys.readouterr().out
    # What is said of a column after publishing is what the release says, not what was planned before the persons.
    for name, draw in read_release(out).published.draws.items():
        assert f"{name}, {draw.words()}" in said
    readme = " ".join((out / "README.txt").read_text("utf-8-sig").split())
    assert readme.count("every count must be reconstructed") == 1
    assert "“flag 1”, “flag 2”, “flag 3”, 10 more columns or “flag 14”" in readme
    assert "of the other 2 sensitive columns stands under “guarantees”" in readme
    assert "whoever names the commonest value is right in" in readme
    fault = run(capsys, "plan", path, *asked, "--draw", "*=joined,leave=0.1", status=2)["fault"]
    assert "no share of the bearers can be left out" in str(fault)
