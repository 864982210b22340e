"""Each option of `splu propose`, `plan` and `publish` works or is refused in one sentence that names it."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.policy import propose
from splu_desktop.files.importer import read
from tests.end2end.hospital import Splu

WHY = "the board has agreed"
# Columns called like words of the options, and one whose folded name is longer.
COLUMNS = ("person", "none", "by", "Größe=3, cm", "test")
REFUSED = (
    ("--within", "propose {} --within 0"),
    ("--within", "propose {} --within nan"),
    ("--within", "plan {} --within -5 --sa test"),
    ("--person", "plan {} --person person=sometimes"),
    ("--person", "plan {} --person person=record"),
    ("--person", "propose {} --person nobody"),
    ("--person", "plan {} --person person --sa person,test"),
    ("--person", "plan {} --person person --nsa person --sa test"),
    ("--person", "plan {} --person person=first --sa test --set person_number"),
    ("--table", "propose {} --table 'test by by' --drop by"),
    ("--table", "propose {} --table 'test by by' --nsa test"),
    ("--table", "propose {} --table 'test by by' --sa by"),
    ("--table", "propose {} --table 'test by by by'"),
    ("--for", "propose {} --for nobody"),
    ("--signed", "propose {} --signed maybe"),
    ("--gamma", "plan {} --sa test --gamma 1e400"),
    ("--engine", "plan {} --engine postgres"),
    ("Give --gamma a number", "plan {} --sa test --gamma \"'\""),
    ("“'”", "plan {} --engine \"'\""),
    ("none of encoding, delimiter", "plan {} --sa test --set nonsense"),
    ("can't be “test: x”", "plan {} --sa test --set types.test=x"),
    ("“thousands” can't be “5”", "plan {} --sa test --set thousands=5"),
    ("header row can't be 700", "plan {} --sa test --set header_rows=700"),
    ("width 1e+308 make", "plan {} --sa test --nsa none --generalise none:width=1e308"),
    ("limits", f"plan {{}} --sa test --limit 'alike=nan:{WHY}'"),
    ("limits", f"plan {{}} --sa test --limit 'printed=inf:{WHY}'"),
    ("none", "plan {} --sa test --person person --shift-dates none=40"),
    ("ok", "plan {} --sa test --set kept_identifiers.by=ok"),
    ("--accept", "publish {} --out {}-release --accept too-blurred=ok"),
    ("--accept", f"publish {{}} --out {{}}-release --accept 'nothing={WHY}'"),
)  # fmt: skip
WORKS = (
    "plan {} --person none --sa test --nsa none,by",
    "plan {} --person none=draw --sa test --nsa by",
    "plan {} --person person --drop person --sa test --nsa by",
    "plan {} --sa 'Größe=3, cm,test' --nsa none",
    "plan {} --sa test --nsa 'Größe=3, cm' --generalise 'Größe=3, cm:prefix=1'",
    "propose {} --table 'test=flu by Größe=3, cm, by'",
    "propose {} --table 'Größe=3, cm=A by by'",
    "propose {} --table 'by by none'",
    f"plan {{}} --sa test --limit 'alike=2.5:{WHY}'",
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    chance, path = np.random.default_rng(5), tmp_path / "key.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in range(600):
            ill = chance.choice(["flu", "gout", "-"], p=[0.3, 0.2, 0.5])
            known = [f"P{row // 2:03d}", chance.integers(1, 95), chance.choice(["f", "m"]), chance.choice(list("ABC"))]
            writer.writerow([*known, ill])
    return path


def test_what_means_nothing_is_refused_by_its_name(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    splu = Splu(capsys)
    for name, line in REFUSED:
        assert splu(*shlex.split(line.replace("{}", str(source))), "--json") == 2, line
        said = json.loads(splu.out)["error"]
        assert name in said, (line, said)
        assert len(said.splitlines()) == 1


@pytest.mark.parametrize(("way", "idle"), [("prefix=99", True), ("before=/", True), ("prefix=2", False)])
def test_a_way_that_makes_no_value_coarser_is_told(
    source: Path, capsys: pytest.CaptureFixture[str], way: str, idle: bool
) -> None:
    splu = Splu(capsys)
    line = ["plan", str(source), "--sa", "test", "--nsa", "none,by", "--generalise", f"test:{way}", "--json"]
    assert splu(*line) in (0, 3)
    assert any("“test” coarser changes none" in note for note in json.loads(splu.out)["notes"]) is idle


def test_a_type_that_fits_no_value_is_no_fault_of_the_program(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    splu = Splu(capsys)
    for kind in ("date", "datetime", "integer", "decimal", "boolean"):
        assert splu("inspect", str(source), "--set", f"types.by={kind}") == 0


def test_a_check_of_a_release_shows_how_far_it_is(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    splu, out = Splu(capsys), tmp_path / "release"
    assert splu("publish", source, "--sa", "test", "--nsa", "by", "--out", out, "--accept", f"all={WHY}") == 0
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert splu("verify", out) == 0
    assert " %  " in splu.err


def test_columns_may_be_called_like_words_of_the_options(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    splu = Splu(capsys)
    for line in WORKS:
        assert splu(*shlex.split(line.replace("{}", str(source))), "--json") in (0, 3), (line, splu.out)


@pytest.mark.parametrize("name", ["-1+1", "=cmd|' /C calc'!A0", "lender class", "row", "<b>x</b>", "שם", "a" * 300])
def test_any_name_of_a_column_can_be_left_out_published_and_asked(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names that options, spreadsheets or our own columns have a use for; one of ours may not go out beside it."""
    path, splu = tmp_path / "t.csv", Splu(capsys)
    with path.open("w", encoding="utf-8", newline="") as file:
        each = ([place, "mf"[i % 2], "flu" if i % 3 else "gout"] for i in range(600) for place in ["NS"[i // 2 % 2]])
        csv.writer(file).writerows([[name, "sex", "dx"], *each])
    plan = ("--sa", "dx", "--gamma", 2, "--accept-all", WHY)
    assert splu("publish", path, *plan, "--nsa", "sex", f"--drop={name}", "--out", tmp_path / "out") == 0
    own = name == "lender class"
    assert splu("publish", path, *plan, f"--nsa={name}", "--nsa", "sex", "--out", tmp_path / "all") == (2 if own else 0)
    if not own:
        answer = splu.json("query", tmp_path / "all", f"{name}=N", "sex=m")
        assert (answer["estimate"], answer["trust"]) == (150, "exact")


def test_a_register_that_was_changed_is_told_where_a_release_is_judged(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What went out before is no longer recognised by another key: that nothing is found says nothing then."""
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
    splu, plan = Splu(capsys), ("--person", "none", "--sa", "test", "--nsa", "by")
    assert splu("publish", source, *plan, "--out", tmp_path / "one", "--accept-all", WHY) == 0

    def open_line() -> str:
        lines = {each["name"]: each for each in splu.json("plan", source, *plan)["lines"]}
        return str(lines["second-release"]["sentence"]) if "second-release" in lines else ""

    assert "not be recognised" not in open_line()
    (tmp_path / "data" / "register" / "key").write_bytes(b"k" * 32)
    assert "not be recognised" in open_line()
    assert splu("publish", source, *plan, "--out", tmp_path / "two") == 3
    assert "not be recognised" in splu.out
    assert splu("publish", source, *plan, "--out", tmp_path / "two", "--accept-all", WHY) == 0


@pytest.mark.parametrize("name", ["CON.zip", "a:b.zip", "r .zip ", "nul.csv"])
def test_no_file_gets_a_name_that_another_system_refuses(
    name: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    splu = Splu(capsys)
    assert splu("publish", source, "--person", "none", "--sa", "test", "--nsa", "by", "--out", tmp_path / "r",
                "--accept-all", WHY) == 0  # fmt: skip
    command = ("handover",) if "zip" in name else ("crosstab", "--by", "by", "--sa", "test")
    assert splu(command[0], tmp_path / "r", *command[1:], "--out", tmp_path / name) == 2
    assert not (tmp_path / name).exists()


def test_no_table_gets_a_wider_error_than_was_asked_for(source: Path) -> None:
    for within in (0.05, 0.3):
        assert {each.within for each in propose(read(source).table, within=within).plan.questions} == {within}


def test_rows_that_do_not_go_out_are_told_wherever_the_verdict_is(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    splu, words = Splu(capsys), "Rows left out: 300 of 600."
    own = ("--person", "person=first", "--sa", "test", "--nsa", "by")
    found = splu.json("plan", source, *own)
    assert (found["rows"], found["rows_left_out"]) == (300, 300)
    assert found["headline"].endswith(words)
    assert splu("publish", source, *own, "--out", tmp_path / "out", "--accept-all", WHY) == 0
    assert words in splu.out
    splu("verify", tmp_path / "out")
    assert words in splu.out
    assert "only the first is here" in (tmp_path / "out" / "README.md").read_text("utf-8")
    splu("report", tmp_path / "out", "--internal", "--source", source, "--out", tmp_path / "own.html")
    assert words in (tmp_path / "own.html").read_text("utf-8")
