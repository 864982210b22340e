"""The documents' commands, run in their order in an empty folder, do what the documents say."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import splu_desktop
from splu_desktop.cli.main import build_parser, main
from splu_desktop.files.disk.resources import sample_path
from tests.files.releases import released, ward_plan, ward_table

ROOT = Path(splu_desktop.__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
# Every document that says what is so now; the changelog says what was.
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for pattern in ("*.md", "docs/**/*.md", "resources/**/*.md")
    for path in sorted(ROOT.glob(pattern))
    if path.name != "CHANGELOG.md"
}
# Scripts that stand in documents: where they lie, and the options behind them.
_SCRIPT = re.compile(r"\./|python |sh$|packaging/|installer/|scripts/|\.github/steps/")


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command; it must end well. Returns what it printed, in one line."""
    capsys.readouterr()
    assert main(list(words)) == 0, (words, capsys.readouterr().err)
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("reader")
    (made / "resources").mkdir()
    for each in sample_path().parent.glob("sample_*"):  # a reader has these files, and none besides
        shutil.copy(each, made / "resources")
    return made


@pytest.fixture(autouse=True)
def _here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SPLU_DATA_DIR", str(folder / "data"))


def test_the_first_five_minutes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [shlex.split(line) for line in re.findall(r"^\.venv/bin/splu (.+)$", README, re.MULTILINE)]
    assert [words[0] for words in commands] == [
        "propose", "publish", "query", "queries", "crosstab", "analyse", "report", "verify"
    ]  # fmt: skip
    for words in commands:
        assert _said(capsys, *words)
    assert {path.name for path in folder.iterdir()} >= {"my-release", "answers.csv", "cells.xlsx", "report.pdf"}
    # The table of the three counts; another draw gives other figures, and ranges of about the same width.
    rows = re.findall(
        r"^\| `([^|`]+)` \| ([\d,]+) \| ([\d,]+) to ([\d,]+) \| ([\d,]+) to ([\d,]+) \| ([\d,]+) \|$", README, re.M
    )
    assert len(rows) == 3
    for question, *figures in rows:
        estimate, low, high, low_alike, high_alike, truth = (int(figure.replace(",", "")) for figure in figures)
        assert low_alike <= low <= estimate <= high <= high_alike
        assert low <= truth <= high
        told = json.loads(_said(capsys, "query", "my-release", *shlex.split(question), "--json"))
        assert told["high"] - told["low"] == pytest.approx(high - low, rel=0.5)


def test_what_the_readme_promises_is_what_the_program_promises(capsys: pytest.CaptureFixture[str]) -> None:
    readme = " ".join(README.split())
    told = _said(capsys, "guarantee", "--gamma", "5", "--json")
    found = {key: float(value) for key, value in re.findall(r'"(\w+)": ([\d.]+)', told)}
    wrong = re.search(r"wrong by more than 30 % in at least (\d+) of 100", readme)
    large = re.search(r"one that (\d+) rows or more have is within 30 % in at least 95 of 100", readme)
    assert wrong is not None
    assert large is not None
    assert int(wrong[1]) == int(100 * found["t_p"])
    assert int(large[1]) == found["t_f"]


def _parsers() -> dict[str, argparse.ArgumentParser]:
    (commands,) = (each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction))
    return dict(commands.choices)


def test_every_command_and_option_that_a_document_names_is_there() -> None:
    parsers = _parsers()
    named = {found for text in DOCUMENTS.values() for found in re.findall(r"`(?:\.venv/bin/)?splu ([a-z][^`]*)`", text)}
    assert len(named) > 10
    for line in sorted(named):
        command, *words = line.split()
        assert command in parsers, line
        options = set(parsers[command]._option_string_actions)
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= options, line


def test_every_command_has_its_line_in_a_document() -> None:
    text = " ".join(DOCUMENTS.values())
    missing = [name for name in _parsers() if not re.search(rf"\bsplu {name}\b|`{name}`", text)]
    assert missing == []


def test_a_script_that_a_document_names_is_there_and_knows_its_options() -> None:
    for name, text in DOCUMENTS.items():
        blocks = [line.partition("#")[0] for block in re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
                  for line in block.splitlines()]  # fmt: skip
        spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
        for words in [part.split() for line in [*blocks, *spans] for part in line.split("&&")]:
            if len(words) < 2 or not _SCRIPT.match(" ".join(words)) or words[1] == "splu_release.py":
                continue
            if words[1:2] == ["-m"]:
                words[1:3] = [words[2].replace(".", "/") + ".py"]
            found = [word for word in words if (ROOT / word).is_file() and not word.startswith("--")]
            if not found:
                continue
            code = (ROOT / found[0]).read_text("utf-8")
            options = [word for word in words[words.index(found[0]) + 1 :] if word.startswith("--")]
            assert not [option for option in options if option.partition("=")[0] not in code], (name, words)


def test_the_kit_runs_as_its_document_shows_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = ward_table(1_000)
    released(table, ward_plan(table), folder / "kit")
    document = (ROOT / "docs/recipient.md").read_text("utf-8")
    lines = re.findall(r"`python3? (splu_release\.py [^`]+)`", document)
    monkeypatch.chdir(folder / "kit")
    for line in [*lines, "splu_release.py"]:
        words = [word for word in shlex.split(line) if "=" not in word]
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, line
