"""The documents' commands, run in their order in an empty folder, say what the documents say that they say."""

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

ROOT = Path(splu_desktop.__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
# Every document that says what is so now; the changelog says what was.
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for folder in (".", "docs", "resources")
    for path in sorted((ROOT / folder).glob("*.md" if folder == "." else "**/*.md"))
    if path.name != "CHANGELOG.md"
}
# What stands for a file in the documents, and the file here.
PLACES = {
    "FOLDER": "small-release",
    "RELEASE": "small-release",
    "DIR": "another-release",
    "report.pdf": "report.pdf",
    "REPORT.json": "report.json",
    "COL": "Diagnosis",
    "G": "4",
}


# What no test can run here, by its first words, with where else it is tried. Benchmarks run for hours and give the
# figures of docs/: of them it is seen that they and the options named are there.
ELSEWHERE = {
    "apt": "packaging/prove.py, as root in a clean Debian",
    "apt-get": "packaging/prove.py and .github/steps/linux-packages",
    "dpkg": "packaging/prove.py installs what it lists",
    "man": "packaging/check reads each page by man",
    "sudo": "on a Mac",
    "shasum": "on a Mac",
    "powershell": "on Windows; the script is parsed by tests/packaging",
    "setup.exe": ".github/steps/windows-proof.ps1",
    "unins000.exe": ".github/steps/windows-proof.ps1",
    "gh": "asks GitHub",
    "git": "asks GitHub; what it starts is read by tests/packaging/test_workflows.py",
    "gpg": "tests/packaging/test_workflows.py signs and verifies",
    "sha256sum": "tests/packaging/test_workflows.py checks a release by it",
    "./install.sh": "tests/packaging/test_installers.py, with a small bundle",
    "tar": "tests/end2end/test_setup_failures.py carries a wheelhouse",
    "splu-desktop": "packaging/check runs it frozen, tests/gui from the checkout",
}


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command; it must end well. Returns what it printed, in one line."""
    assert main(list(words)) == 0, words
    return " ".join(capsys.readouterr().out.split())


def _plain(text: str) -> str:
    return " ".join(text.split())


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


@pytest.mark.usefixtures("brief_attacks")
def test_the_first_five_minutes(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splu_desktop.cli.compare.LIMIT", 0.2)  # seconds for each method; tests/compare has them whole
    commands = [shlex.split(line) for line in re.findall(r"^\.venv/bin/splu (.+)$", README, re.MULTILINE)]
    assert len(commands) == 10
    for words in commands:
        assert _said(capsys, *words)
    assert {path.name for path in folder.iterdir()} >= {"my-release", "answers.csv", "cells.xlsx"}

    # The table of the three counts: the same lines come, but for what each draw draws anew.
    rows = re.findall(
        r"^\| `([^|`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([\d,]+) \|$", README, re.MULTILINE
    )
    assert len(rows) == 3

    def drawn(text: str) -> str:
        return re.sub(r"\d[\d,]*", "N", text)

    for question, published, estimate, interval, trust, _ in rows:
        told = _said(capsys, "query", "my-release", *shlex.split(question))
        line = f"Published {published} Estimate {estimate} 95 % interval {interval} Of "
        if trust == "uncertain":  # another draw may show that it is small
            assert re.search(r"Trust (uncertain|protected)", told)
            assert re.search(r"Published N Estimate (about N|N to N|N or fewer|at most N)", drawn(told)), told
        else:
            assert drawn(line) in drawn(told), told
            assert drawn(f"Trust {trust}") in drawn(told)
    told = _said(capsys, "query", "my-release", *shlex.split(rows[0][0]))
    within = re.search(r"reliable to ±(\d+) %", told)
    stated = re.search(r"reliable to ±(\d+) %", rows[0][4])
    assert within is not None
    assert stated is not None
    assert abs(int(within[1]) - int(stated[1])) <= 1, "how wide the error bars are hardly depends on the draw"


def test_what_the_readme_promises_is_what_the_commands_promise(capsys: pytest.CaptureFixture[str]) -> None:
    readme = _plain(README)
    told = _said(capsys, "guarantee", "--gamma", "5")
    small = "shown wrong by more than 30 % with a probability of at least 59 %"
    large = "is within 30 % of the truth in at least 95 of 100 releases"
    row = "is the person's own in 1 in 5 rows on average, before looking at what it says. Once read it may be nearly"
    where = "where 80 % of the people like this one truly have a"
    release = "No group size bounds that"
    for words in (small, row, where, release):
        assert words in told, words
        assert words in readme, words
    for share in (
        "that 10 % of all have, a row that shows it is right with 90 %",
        "is shown in up to 67 % of releases",
    ):
        assert share in told
        assert share in readme
    assert f"shared by 34 records or more {large}" in told
    assert "a value that 34 records or more share is within 30 % of the truth in at least 95 of 100 releases" in readme
    stated = re.search(
        r"With gamma 10, the (\d+) % or more for a small count to be wrong by more than 30 % falls to (\d+) % after two"
        r" releases and (\d+) % after five",
        readme,
    )
    assert stated is not None
    for releases, share in zip(("1", "2", "5"), stated.groups(), strict=True):
        told = _said(capsys, "guarantee", "--gamma", "10", "--releases", releases)
        assert f"by more than 30 % with a probability of at least {share} %" in told


def _parser(name: str) -> argparse.ArgumentParser:
    (commands,) = (each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction))
    parser = commands.choices[name]
    assert isinstance(parser, argparse.ArgumentParser)
    return parser


def test_every_command_between_the_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A small table, since the reports of the sample have tests of their own.
    values = ("flu", "cold", "asthma", "gout", "none", "burn")
    lines = [f"{'fm'[i % 2]},{values[i * 7 % 6]}\n" for i in range(300)]
    (folder / "table.csv").write_text("Sex,Diagnosis\n" + "".join(lines))
    _said(capsys, "publish", "table.csv", "--sa", "Diagnosis", "--gamma", "4", "--out", "small-release")
    _said(capsys, "report", "small-release", "--out", "report.json")
    named = sorted({found for text in DOCUMENTS.values() for found in re.findall(r"`splu ([^`]+)`", text)})
    assert len(named) > 10
    run = []
    for line in named:
        words = line.split()
        if words[0].startswith("--"):
            with pytest.raises(SystemExit) as end:
                main(words)
            assert end.value.code == 0
        elif words[-1] in ("releases", *PLACES, "FILE"):
            # FILE is the table that is published, or the report that is written.
            file = "table.csv" if words[0] == "publish" else "report.html"
            words = [PLACES.get(word, file if word == "FILE" else word) for word in words]
            assert _said(capsys, *words), line
            run.append(words[0])
        else:  # a command is mentioned: it and its options are there
            options = _parser(words[0])._option_string_actions
            assert {word for word in words if word.startswith("--")} <= set(options), line
    assert sorted(run) == ["publish", "releases", "report", "report", "verify", "verify"]


def _commands(text: str) -> list[list[str]]:
    """Return the commands of a document: what stands between backticks or in a block of a shell, word by word."""
    blocks = [line.partition("#")[0] for block in re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
              for line in block.splitlines()]  # fmt: skip
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    found = [line.split() for part in [*blocks, *spans] for line in part.split("&&")]
    scripts = r"\./|python|sh$|packaging/|installer/|scripts/|\.github/steps/|\.venv/bin/"
    return [
        words
        for words in found
        if (len(words) > 1 and words[0] in ELSEWHERE) or (words and re.match(rf"({scripts})(?!.*:)", words[0]))
    ]


@pytest.mark.parametrize("name", [name for name, text in DOCUMENTS.items() if _commands(text)])
def test_a_command_that_is_not_run_here_names_what_is_there(name: str) -> None:
    """Its script lies where it says, knows the options that stand behind it, and its other paths exist, too."""
    for words in _commands(DOCUMENTS[name]):
        if words[0] in ELSEWHERE or words[0].startswith(".venv/bin/splu") or words[1:2] == ["splu_release.py"]:
            continue  # which test_the_kit_as_its_document_shows_it runs
        if len(words) == 1 and "/" not in words[0]:
            continue  # a program that is spoken of
        if words[:2] == ["python", "-m"]:
            module = words[2].replace(".", "/")
            words[1:3] = [f"{module}.py" if (ROOT / f"{module}.py").is_file() else f"{module}/__main__.py"]
        script = next((word for word in words if re.fullmatch(r"[\w./-]+", word) and (ROOT / word).is_file()), None)
        if words[0] == "sh":  # the self-extracting file, and the installer that it leaves behind
            script = "installer/linux/" + ("install.sh" if "install.sh" in words[1] else "self-extract.sh.in")
        if words[0] in (".github/steps", "scripts/", ".venv/bin/pre-commit"):
            continue
        assert script is not None, (name, words)
        text = (ROOT / script).read_text("utf-8")
        for word in words[words.index(script) + 1 if script in words else 2 :]:
            if word.startswith("--"):
                assert word in text, (name, words)
            elif "/" in word and not word.startswith(("~", "/")):
                assert (ROOT / word).exists(), (name, words)


def test_the_kit_as_its_document_shows_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = (ROOT / "docs/recipient.md").read_text("utf-8")
    wards, diagnoses = ("Cardiology", "A", "B"), ("Heart failure", "Stroke", "Gout", "Burn", "Flu")
    lines = [f"{wards[i % 3]},{diagnoses[i * 7 % 5]},{'yes' if i % 4 else 'no'}\n" for i in range(6_000)]
    (folder / "kit.csv").write_text("Ward,Diagnosis,Smoker\n" + "".join(lines))
    told = ["--sa", "Diagnosis", "--nsa", "Ward,Smoker", "--gamma", "3", "--out", "folder"]
    assert main(["publish", "kit.csv", *told]) == 0
    block, library = re.findall(r"^```python\n(.*?)^```", document, re.M | re.S)
    code = f"import sys; sys.path.insert(0, 'folder')\n{block}\nprint(r.count({{'Ward': 'Cardiology'}}).estimate)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == 2_000
    code = f"{library}\nimport sys; print([name for name in sys.modules if 'PySide' in name], count.n_p)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[] 2000\n", done.stderr
    (line,) = re.findall(r"`python (splu_release\.py [^`]+)`", document)
    monkeypatch.chdir("folder")
    done = subprocess.run([sys.executable, *shlex.split(line)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
