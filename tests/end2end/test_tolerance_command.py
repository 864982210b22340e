"""Columns with a tolerance per value on the command line: planned, published, verified, queried, reported."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core.guarantees.exact import t_p
from splu_desktop.core.guarantees.tolerant import t_p_of
from splu_desktop.core.query.reader import Method
from tests.optional import real


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """4,000 records, 80 % of them "none"; the ward depends on the disease."""
    chance = np.random.default_rng(4)
    disease = chance.choice(["none", "flu", "HIV"], 4_000, p=[0.8, 0.15, 0.05])
    ward = np.where((disease == "HIV") & (chance.random(4_000) < 0.8), "A", chance.choice(["A", "B"], 4_000))
    path = tmp_path / "table.csv"
    rows = [f"{w},{d}" for w, d in zip(ward, disease, strict=True)]
    path.write_text("ward,disease\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, object]:
    status = main([*map(str, words), "--json"])
    out, err = capsys.readouterr()
    assert status == 0, err
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) == 2
    _, err = capsys.readouterr()
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if line.strip()]
    assert len(lines) == 1, "one sentence"
    return lines[0]


CHOICE = ("--tolerance", "disease:HIV=0.2", "--tolerance", "disease:flu=0.5")


@pytest.mark.usefixtures("brief_attacks")
def test_published_verified_queried_and_reported(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = run(capsys, "plan", table, *CHOICE)
    rows = {row["value"]: row for row in planned["sensitive"]["disease"]["values"]}  # type: ignore[index]
    assert rows["HIV"]["tolerance"] == 0.2
    assert rows["none"]["signal"] >= 0.35
    out = tmp_path / "release"
    run(capsys, "publish", table, *CHOICE, "--out", out)
    facts = json.loads((out / "release.json").read_text(encoding="utf-8"))
    entry = next(column for column in facts["columns"] if column["name"] == "disease")
    assert "gamma" not in entry
    assert entry["grouping"]["tolerances"] == {"HIV": "1/5", "flu": "1/2", "none": "1"}
    run(capsys, "verify", out)
    whole = run(capsys, "query", out, "disease=none")
    assert whole["low"] <= 3_200 + 150
    part = run(capsys, "query", out, "disease=HIV", "ward=A")
    assert part["selected"] > 1_900
    assert part["low"] < part["high"]
    several = run(capsys, "query", out, "disease=HIV|flu", "ward=A")
    assert several["low"] <= several["estimate"] <= several["high"] <= part["selected"]
    for name in ("report.html", "report.json"):
        assert main(["report", str(out), "--out", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert "HIV" in (tmp_path / "report.html").read_text(encoding="utf-8")
    for method in Method:
        asked = run(capsys, "query", out, "disease=HIV", "ward=A", "--method", method.value)
        assert asked["method"] == method.value
        assert (asked["low"], asked["high"]) == (part["low"], part["high"]) or method is not Method.POOLED


@pytest.mark.usefixtures("brief_attacks")
def test_fake_values_beside_tolerances_and_in_plain_groups(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = table.read_text(encoding="utf-8").splitlines()
    kinds = np.random.default_rng(8).choice(list("abcdefghij"), len(rows) - 1)
    lines = [f"{row},{kind}" for row, kind in zip(rows, ["kind", *kinds], strict=True)]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = (*CHOICE, "--fakes", "disease=1", "--sa", "kind:5", "--fakes", "kind=2")
    planned = run(capsys, "plan", table, *words)
    found = planned["sensitive"]
    assert isinstance(found, dict)
    assert found["disease"]["certainty"] == 0.5
    assert found["kind"]["certainty"] == pytest.approx(1 / 3)
    assert found["kind"]["grouping"]["sizes"] == [5]
    assert found["kind"]["values"][0]["keeps"] == pytest.approx(1 / 7, rel=1e-3), "as in groups of 5 + 2"
    recipe, out = tmp_path / "recipe.toml", tmp_path / "release"
    run(capsys, "plan", table, *words, "--save-recipe", recipe)
    assert "--accept fake-values" in refused(capsys, "publish", table, "--recipe", recipe, "--out", out)
    accepted = (word for line in ("thresholds", "identifiers", "fake-values") for word in ("--accept", line))
    run(capsys, "publish", table, "--recipe", recipe, "--out", out, *accepted)
    facts = json.loads((out / "release.json").read_text(encoding="utf-8"))
    assert {c["name"]: c["grouping"]["fakes"] for c in facts["columns"] if c["role"] == "sa"} == {
        "disease": 1,
        "kind": 2,
    }
    run(capsys, "verify", out)
    part = run(capsys, "query", out, "disease=HIV", "ward=A")
    assert part["low"] <= part["estimate"] <= part["high"] < part["selected"]
    assert main(["report", str(out), "--out", str(tmp_path / "report.html")]) == 0
    capsys.readouterr()
    assert "sure of a sensitive value" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "fake values" in (out / "README.txt").read_text(encoding="utf-8").replace("\n", " ").replace("    ", "")


def test_tolerances_from_a_file_a_rule_and_a_recipe(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "tolerances.csv"
    listed.write_text("value;tolerance\nHIV;high\nflu;0.5\n", encoding="utf-8-sig")
    recipe = tmp_path / "recipe.toml"
    planned = run(capsys, "plan", table, "--tolerances", f"disease={listed}", "--save-recipe", recipe)
    rows = {row["value"]: row["tolerance"] for row in planned["sensitive"]["disease"]["values"]}  # type: ignore[index]
    assert rows == {"HIV": 0.1, "flu": 0.5, "none": 1.0}
    out = tmp_path / "release"
    accept = ("--accept", "thresholds", "--accept", "unique-records", "--accept", "identifiers")
    run(capsys, "publish", table, "--recipe", recipe, "--out", out, *accept)
    planned = run(capsys, "plan", table, "--tolerance-rule", "disease=2,0.05", "--tolerance", "disease:none=1")
    rows = {row["value"]: row["tolerance"] for row in planned["sensitive"]["disease"]["values"]}  # type: ignore[index]
    assert rows["HIV"] == pytest.approx(1 / 8), "2 x 0.05 + 0.05, down to the next rung"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--tolerance", "disease:flu=0.1"), "can't be kept: the value fills 15"),
        (("--tolerance", "disease:AIDS=0.1"), "has no value “AIDS”"),
        (("--tolerance", "disease:flu=0.5", "--tolerance", "disease:flu=0.4"), "two tolerances"),
        (("--tolerance", "disease:flu=often"), "must be a number"),
        (("--tolerance", "illness:flu=0.5"), "There is no column “illness”"),
        (("--tolerance", "disease:flu"), "gives no tolerance"),
        (("--sa", "disease:2", "--tolerance", "disease:flu=0.5"), "both a group size gamma and tolerances"),
        (("--tolerance-rule", "disease=two"), "two numbers"),
        (("--tolerances", "disease=/nowhere/x.csv"), "can't be read"),
        ((*CHOICE, "--fakes", "disease=6"), "stands once at most in a group"),
        ((*CHOICE, "--fakes", "disease=many"), "gives no whole number"),
        ((*CHOICE, "--fakes", "disease=21"), "from 0 to 20"),
        ((*CHOICE, "--fakes", "ward=1"), "is not sensitive"),
        ((*CHOICE, "--fakes", "disease=1", "--fakes", "disease=2"), "two numbers of fake values"),
        (("--sa", "ward:2", "--fakes", "ward=1"), "no value may fill more than 1 in 3"),
    ],
)
def test_faults_are_one_sentence(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused(capsys, "publish", table, *words, "--out", tmp_path / "release")
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("HIV,0.2\nAIDS,0.1\n", "Row 2 of “t.csv”: Column “disease” has no value “AIDS”"),
        ("HIV,0.2\nflu\n", "Row 2 of “t.csv” has 1 cells"),
        ("HIV,0.2\nHIV,0.3\n", "Rows 1 and 2 of “t.csv” give “HIV” two tolerances"),
        ("HIV,2\n", "Row 1 of “t.csv”: The tolerance of “HIV” must lie above 0"),
        ("", "holds no tolerances"),
        ('"HIV,0.2\n', "not closed"),
    ],
)
def test_faults_in_a_file_name_the_row(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    assert sentence in refused(capsys, "plan", table, "--tolerances", f"disease={path}")


def test_guarantees_of_a_tolerance_need_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    plain = run(capsys, "guarantee", "--gamma", 5)
    equal = run(capsys, "guarantee", "--tolerance", "0.2", "--sizes", "5")
    assert (equal["t_p"], equal["t_f"]) == (pytest.approx(plain["t_p"]), plain["t_f"]), "gamma is a special case"
    faked = run(capsys, "guarantee", "--tolerance", "0.25", "--sizes", "1,4", "--fakes", "1")
    assert faked["certainty"] == 0.5
    assert faked["t_p"] == pytest.approx(t_p_of(Fraction(1, 4), (1, 4), 0.3, 3, fakes=1))
    averaged = run(capsys, "guarantee", "--tolerance", "0.2", "--sizes", "5", "--releases", "5")
    assert averaged["t_p"] == pytest.approx(t_p(5, 0.3, 3, 5))
    for words, sentence in (
        ((), "Give either --gamma"),
        (("--gamma", "5", "--tolerance", "0.2", "--sizes", "5"), "Give either --gamma"),
        (("--tolerance", "0.2", "--sizes", "4"), "add groups of 5 or more"),
        (("--tolerance", "0.2", "--sizes", "five"), "whole number"),
        (("--tolerance", "2", "--sizes", "5"), "at most at 1"),
    ):
        assert sentence in refused(capsys, "guarantee", *words)


@pytest.mark.parametrize(
    ("file", "column", "words", "commonest"),
    [
        ("diabetes130.csv.gz", "readmitted", ("readmitted:>30=0.5", "readmitted:<30=0.3"), "NO"),
        ("diabetes130.csv.gz", "A1Cresult", ("A1Cresult:*=0.25", "A1Cresult:None=1"), "None"),
    ],
)
def test_the_commonest_value_keeps_its_signal(
    file: str, column: str, words: tuple[str, ...], commonest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [part for word in words for part in ("--tolerance", word)]
    planned = run(capsys, "plan", real(file), *options)
    rows = {row["value"]: row for row in planned["sensitive"][column]["values"]}  # type: ignore[index]
    assert rows[commonest]["signal"] >= 0.35
