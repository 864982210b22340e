"""What the commands say to people is in their language; what programs read is not."""

from __future__ import annotations

import ast
import csv
import json
import re
from pathlib import Path

import pytest

from splu_desktop.cli.main import main
from splu_desktop.files.language import LANGUAGES

CLI = Path(__file__).parents[2] / "splu_desktop" / "cli"
SPOKEN = ("inspect", "plan", "publish", "query", "releases")  # the other commands are English yet, but for their faults
ENGLISH = re.compile(r"\b(the|of|records|with|which|there|column|values?|counts?|is|by)\b")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "ward.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("Sexe", "Âge", "شكوى"))
        rows.writerows(("fm"[i % 2], 20 + i % 7, f"K{(i * 7919) % 11}") for i in range(900))
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    try:
        status = main(list(map(str, words)))
    except SystemExit as left:
        status = int(left.code or 0)
    said = capsys.readouterr()
    return status, said.out, said.err


def way(table: Path, out: Path) -> list[tuple[object, ...]]:
    release = out / "release"
    return [
        ("inspect", table),
        ("plan", table, "--sa", "شكوى", "--gamma", 3),
        ("publish", table, "--sa", "شكوى", "--gamma", 3, "--out", release),
        ("query", release, "شكوى=K1", "Sexe=f"),
        ("releases",),
    ]


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_the_way_from_file_to_answer_is_told_in_the_language(
    code: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in way(table, tmp_path):
        status, out, err = run(capsys, *words, "--lang", code)
        assert (status, err) == (0, "")
        # Names of the options' own words (SA, Âge) and of files stay.
        left = [line for line in out.splitlines() if ENGLISH.search(line.replace(str(tmp_path), ""))]
        assert not left


@pytest.mark.parametrize("words", [("plan", "TABLE", "--sa", "Nobody"), ("plan", "TABLE", "--gamma"), ("plan",),
                                   ("query", "nowhere"), ("publish", "TABLE"), ("plan", "TABLE", "--person", "Sexe=x"),
                                   ("plan", "TABLE", "--sa", "Sexe", "--no-such"), ("plan", "none.csv"),
                                   ("verify", "nowhere"), ("query", "TABLE")])  # fmt: skip
def test_every_fault_is_told_in_the_language(
    words: tuple[str, ...], table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [str(table) if word == "TABLE" else word for word in words]
    said = {}
    for code in LANGUAGES:
        status, out, err = run(capsys, "--lang", code, *asked)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        said[code] = err
    assert len(set(said.values())) == len(LANGUAGES), said


def test_the_language_is_the_systems_unless_said(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    said = {}
    for name, value in (("LANG", "de_AT.UTF-8"), ("LC_MESSAGES", "fr_CA"), ("LC_ALL", "C.UTF-8"), ("LC_ALL", "pl_PL")):
        monkeypatch.setenv(name, value)  # each outdoes the one before
        said[value] = run(capsys, "inspect", table)[1]
    assert "Spalte" in said["de_AT.UTF-8"]
    assert "colonne" in said["fr_CA"]
    assert said["C.UTF-8"] == said["pl_PL"] == run(capsys, "inspect", table, "--lang", "en")[1]


def test_json_is_the_same_in_every_language(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("inspect", table), ("plan", table, "--sa", "شكوى")):
        made = {run(capsys, *words, "--json", "--lang", code)[1] for code in LANGUAGES}
        assert len(made) == 1
        assert json.loads(made.pop())


@pytest.mark.parametrize("command", SPOKEN)
def test_no_sentence_is_printed_past_the_door(command: str) -> None:
    tree = ast.parse((CLI / f"{command}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input"):
            inside = [each for arg in node.args for each in ast.walk(arg)]
            told = {id(each) for call in inside if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "say"
                    for each in ast.walk(call)}  # fmt: skip
            for each in inside:
                if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in told:
                    assert not re.search(r"[A-Za-z]{3,} [a-z]", each.value), f"{command}.py:{each.lineno}: {each.value}"
