"""From Python a table is read, published and asked by what window and command line call."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from splu_desktop import api
from splu_desktop.cli import main
from splu_desktop.files.register import Register
from tests.files.releases import load_kit
from tests.optional import ROOT, needs

TABLE = "dx=yes by sex, age"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 3_000
    age, male = rng.integers(0, 100, n), rng.random(n) < 0.5
    smoker = rng.random(n) < 0.3
    return pd.DataFrame(
        {
            "age": age,
            "sex": np.where(male, "m", "f"),
            "ward": pd.Categorical(rng.choice(["007", "008", "None"], n)),
            "admitted": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "bmi": np.where(rng.random(n) < 0.1, np.nan, rng.normal(25, 4, n).round(1)),
            "smoker": smoker,
            "dx": np.where(rng.random(n) < 0.1 + 0.004 * age + 0.1 * smoker, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def release(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> api.Release:
    folder = tmp_path_factory.mktemp("api")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPLU_DATA_DIR", str(folder / "data"))
        return api.publish(frame, folder / "release", tables=[TABLE], accept_all="A test of the interface")


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    main([*words, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("through_arrow", [False, True])
def test_a_frame_is_read_as_a_file_of_it(frame: pd.DataFrame, tmp_path: Path, through_arrow: bool) -> None:
    frame.to_csv(tmp_path / "frame.csv", index=False)
    source = api.read(pa.Table.from_pandas(frame) if through_arrow else frame)
    wanted = api.read(str(tmp_path / "frame.csv"))
    for own, other in zip(source.reading.table.columns, wanted.reading.table.columns, strict=True):
        assert (own.name, own.kind) == (other.name, other.kind)
        if own.values is not None and other.values is not None:  # 24 or 24.0
            assert np.array_equal(own.values[own.codes], other.values[other.codes], equal_nan=True), own.name
        elif own.kind is not api.Kind.BOOLEAN:  # True is TRUE here, as in a workbook
            assert (own.labels[own.codes] == other.labels[other.codes]).all(), own.name
    assert set(source.table["ward"].cat.categories) >= {"007", "008"}
    assert source.table["admitted"].equals(frame["admitted"].astype("datetime64[us]"))
    assert source.table["bmi"].isna().equals(frame["bmi"].isna())
    assert source.table["age"].sum() == frame["age"].sum()


def test_what_is_decided_about_reading_holds_for_frames(frame: pd.DataFrame) -> None:
    wards = api.ImportChoices(types={"ward": api.Kind.INTEGER}, renames={"dx": "diagnosis"})
    source = api.read(frame, wards)
    assert "diagnosis" in source.table
    assert source.reading.table["ward"].kind is api.Kind.INTEGER


def test_the_proposal_is_that_of_the_command_line(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame.to_csv(tmp_path / "stays.csv", index=False)
    said = _said(capsys, "propose", str(tmp_path / "stays.csv"), "--for", "public", "--table", TABLE)
    found = api.propose(tmp_path / "stays.csv", "public", tables=[TABLE])
    own = json.loads(json.dumps(found.as_dict()))
    assert own == {name: said[name] for name in own}
    assert list(found.lines.index) == [line["name"] for line in said["lines"]]  # type: ignore[attr-defined]
    assert repr(found).startswith(f"Useful and defensible (gamma {found.plan.gamma:g})")


def test_open_lines_come_with_the_exception_and_are_accepted_by_name(frame: pd.DataFrame, tmp_path: Path) -> None:
    proposal = api.propose(frame, tables=[TABLE])
    weak = proposal.with_plan(proposal.plan.with_gamma(1.1))
    with pytest.raises(api.Refused) as refused:
        api.publish(weak, tmp_path / "release")
    assert not (tmp_path / "release").exists()
    assert refused.value.lines == weak.verdict.open
    reasons = {line.name: "The contract allows it" for line in refused.value.lines}
    released = api.publish(weak, tmp_path / "release", accept=reasons, form=api.Form(title="Stays", contact="Dr Who"))
    (entry,) = Register().releases()
    assert entry.body["accepted"] == reasons
    assert released.content.title == "Stays"
    assert len(released.fingerprint.split()) == 6


def test_a_recipe_goes_both_ways(frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame.to_csv(tmp_path / "stays.csv", index=False)
    proposal = api.propose(tmp_path / "stays.csv", tables=[TABLE], person=None)
    proposal.save_recipe(tmp_path / "june.toml")
    said = _said(capsys, "plan", str(tmp_path / "stays.csv"), "--recipe", str(tmp_path / "june.toml"))
    again = api.propose(tmp_path / "stays.csv", recipe=tmp_path / "june.toml")
    assert said["recipe"] == again.plan.as_dict() == proposal.plan.as_dict()
    assert again.verdict.as_dict() == proposal.verdict.as_dict()


def test_with_a_password_a_zip_is_written(frame: pd.DataFrame, tmp_path: Path) -> None:
    lock = "correct horse battery staple"
    api.publish(frame, tmp_path / "stays.zip", password=lock, accept_all="A test of the interface", tables=[TABLE])
    with pytest.raises(api.SpluError, match="password"):
        api.open_release(tmp_path / "stays.zip")
    assert api.open_release(tmp_path / "stays.zip", lock).table["sex"].notna().any()


def test_figures_are_those_of_the_command_line_and_of_the_kit(
    release: api.Release, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(release.content.path)
    kit, again = load_kit().load(place), api.open_release(place)
    names = ("estimate", "low_alike", "high_alike", "low", "high", "trust")
    said = _said(capsys, "query", place, "dx=yes", "sex=f")
    assert again.count("dx=yes", "sex=f") == tuple(said[name] for name in names)
    cells = _said(capsys, "crosstab", place, "--by", "sex", "--sa", "dx")["cells"]
    table = again.crosstab("sex", "dx")
    assert list(table.itertuples(index=False, name=None)) == [tuple(each[n] for n in names) for each in cells]  # type: ignore[attr-defined]
    assert table.index.names == ["sex", "dx"]
    pairs = [
        (again.share("dx=yes", "sex=f"), kit.share("dx=yes", "sex=f")),
        (again.difference("dx=yes", "sex=m"), kit.difference("dx=yes", "sex=m")),
        (again.risk_ratio("dx=yes", "sex=m"), kit.risk_ratio("dx=yes", "sex=m")),
        (again.odds_ratio("dx=yes", "sex=m"), kit.odds_ratio("dx=yes", "sex=m")),
    ]
    for own, other in pairs:
        assert list(own[:-1]) == pytest.approx(other.summary().iloc[0].tolist(), rel=1e-7)
    fit, wanted = again.regress("dx=yes ~ sex + age"), kit.regress("dx=yes ~ sex + age")
    assert fit.to_numpy() == pytest.approx(wanted.summary().to_numpy(), rel=1e-7)
    assert fit.attrs["vcov"].to_numpy() == pytest.approx(wanted.vcov().to_numpy(), rel=1e-7)
    assert again.scores["dx_yes"].to_numpy() == pytest.approx(kit.score("dx=yes").to_numpy())


def test_a_question_that_is_none_gets_a_sentence(release: api.Release) -> None:
    for ask in (lambda: release.count("dy=yes"), lambda: release.share("dx"), lambda: release.regress("dx ~ sex")):
        with pytest.raises(api.SpluError):
            ask()


def _cells() -> list[str]:
    cells = json.loads((ROOT / "docs/publish.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)  # those of another run would say what this one does not
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_the_notebook_runs_cell_by_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By exec, so that nobody needs Jupyter for it."""
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for cell in _cells():
        exec(cell, known)
    assert {path.name for path in tmp_path.iterdir()} == {"stays-release"}
    women, truth = known["women"], known["truth"]
    assert isinstance(women, pd.Series)
    assert isinstance(truth, pd.DataFrame)
    release = api.open_release("stays-release")
    told = release.count("Diagnosis=Heart failure", "Sex=female")
    assert told.low_table < len(truth) < told.high_table


@pytest.fixture
def page(frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """docs/api.md, in a folder with the table that it speaks of."""
    frame.to_csv(tmp_path / "stays.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return (ROOT / "docs/api.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_runs(page: str) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", page, re.S)
    known: dict[str, object] = {}
    exec(example, known)
    assert isinstance(known["release"], api.Release)
    public = set(api.__all__) - {"Figure", "Form", "Kind", "Role", "Audience", "ByPerson"}
    assert [name for name in public if f"`{name}" not in page] == []


@needs("jsonlite")
def test_the_example_for_r_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```r\n(.*?)```", page, re.S)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    ran = subprocess.run(["Rscript", "-"], input=example, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "persons-alike" in ran.stdout
    assert "(intercept)" in ran.stdout
