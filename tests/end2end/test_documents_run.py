"""The documents' commands, run in their order in an empty folder, do what the documents say."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import splu_desktop
from splu_desktop.cli.main import build_parser, main
from splu_desktop.core.answer.answer import EXACT, HIDDEN, READABLE, ROUGH
from splu_desktop.core.audience import WHO, Audience, OwnLimit
from splu_desktop.core.generalise import Generalisation
from splu_desktop.core.mechanism import Block, draw_names
from splu_desktop.core.persons.blanking import Blanking
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.limits import Limits
from splu_desktop.core.policy.verdict import BLURRED, TOO_SMALL, UNSAFE, USEFUL
from splu_desktop.core.questions import KINDS, AskedTable
from splu_desktop.core.resources import sample_path
from splu_desktop.core.roles import Role
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.importer import read
from splu_desktop.files.importer.columns.words import ENDINGS
from splu_desktop.files.importer.problems import ProblemKind
from splu_desktop.files.project.import_section import IMPORT
from splu_desktop.files.project.recipe import read_recipe
from splu_desktop.files.project.release_section import PLANNING, RELEASE
from splu_desktop.files.register.ledger import RELEASE as RELEASE_KIND
from splu_desktop.files.register.ledger import TABLES
from splu_desktop.files.release.verify import NOTE, OK, WRONG
from splu_desktop.report.make import ENDINGS as REPORTS
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
        "propose", "publish", "query", "queries", "crosstab", "analyse", "tables", "report", "verify"
    ]  # fmt: skip
    answers = {words[0]: _said(capsys, *words) for words in commands}
    assert all(answers.values())
    assert "Trust: 2 readable" in answers["queries"]  # both questions of the sample's file
    assert {path.name for path in folder.iterdir()} >= {"answers.csv", "my-release", "tables.docx", "report.pdf"}
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


def test_every_option_says_what_it_means() -> None:
    """In the help: what a file, a release or a column is, its place among the words that are asked for says."""
    bare = [
        f"{name} {action.option_strings or action.dest}"
        for name, parser in _parsers().items()
        for action in parser._actions
        if not action.help and action.option_strings
    ]
    assert bare == []


def _recipe(heading: str) -> str:
    """Return one part of the recipe's page: a name like `dates` may stand in another, too."""
    return DOCUMENTS["docs/recipe.md"].partition(f"\n## {heading}")[2].partition("\n## ")[0]


def test_every_entry_of_a_recipe_has_its_line() -> None:
    lines = [line for line in DOCUMENTS["docs/recipe.md"].splitlines() if line.startswith("|")]
    parts = (Audience, OwnLimit, Thresholds, ByPerson, Blanking, AskedTable, Block)
    assert [each.name for each in fields(Plan) if not any(line.startswith(f"| `{each.name}`") for line in lines)] == []
    inner = {entry.name for part in parts for entry in fields(part)} | {role.value for role in Role} | {*draw_names()}
    inner |= {*Generalisation.registry} | {*WHO, *KINDS}
    assert inner - {name for line in lines for name in re.findall(r"`(\w+)`", line)} == set()
    help_ = _parsers()["publish"].format_help()
    assert [entry.name for entry in (*IMPORT, *RELEASE, *PLANNING) if f"\n  {entry.spelling}" not in help_] == []


def test_the_recipe_that_the_document_shows_is_one(folder: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", DOCUMENTS["docs/recipe.md"], re.M | re.S)
    (folder / "shown.toml").write_text(text, "utf-8")
    (folder / "shown.csv").write_text("a\n\nName,Sex,Age,Diagnosis\n" + "x,f,20,flu\ny,m,999,gout\n" * 20, "utf-8")
    shown = read_recipe(folder / "shown.toml")
    table = read(folder / "shown.csv", shown.choices).table
    plan = shown.plan_for(table)
    assert (plan.sensitive, plan.gamma, shown.release["title"]) == (("Diagnosis",), 5, "Stays of June")


def test_every_line_of_the_verdict_and_every_limit_has_its_line() -> None:
    text = DOCUMENTS["docs/recipe.md"]
    code = (ROOT / "splu_desktop/core/policy/lines.py").read_text("utf-8")
    names = set(re.findall(r"(?:Line|_certain)\(\s*\"([a-z-]+)\"", code))
    assert len(names) > 10
    assert {name for name in names if not re.search(rf"^\| [^|]*`{name}`", _recipe("Lines of the v"), re.M)} == set()
    limits = text.partition("Limits, for `--set limits.")[2].partition("\n\n")[0]
    own = {entry.name for entry in fields(Limits)} - {"name"}
    assert {name for name in own if f"`{name}`" not in limits} == set()


def test_every_name_that_json_prints_has_its_line() -> None:
    lines = [line for line in _recipe("Names that `--json` prints").splitlines() if line.startswith("|")]
    code = (ROOT / "splu_desktop/files/release/verify.py").read_text("utf-8")
    checks = set(re.findall(r"(?:Check|agrees)\(\"(\w+)\"", code))
    assert len(checks) == 7
    names = (
        checks
        | {OK, NOTE, WRONG}
        | {USEFUL, BLURRED, TOO_SMALL, UNSAFE}
        | {EXACT, READABLE, ROUGH, HIDDEN}
        | {each.value for each in ProblemKind}
        | {RELEASE_KIND, TABLES}
    )
    assert {name for name in names if not any(f"`{name}`" in line for line in lines)} == set()


def test_every_format_has_its_line() -> None:
    assert {ending for ending in (*ENDINGS, *REPORTS) if f"`{ending}`" not in _recipe("Files that are read")} == set()


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
