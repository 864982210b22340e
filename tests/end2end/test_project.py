"""The project's own promises: one version, a licence, locks that agree, documents whose commands and links are real."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import python_calamine
from PySide6.QtCore import QObject

import splu_desktop
from splu_desktop.cli.main import build_parser, main
from splu_desktop.files.disk.resources import sample_path

ROOT = Path(splu_desktop.__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)(?: ; ([^\\]+?))? \\$", re.MULTILINE)


@pytest.fixture(scope="module")
def declared() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(lock: str) -> set[tuple[str, str, str]]:
    return set(PIN.findall((ROOT / lock).read_text("utf-8")))


def test_version_is_written_once(declared: dict[str, Any]) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev0)?", splu_desktop.__version__)
    assert "version" not in declared["project"]
    assert "version" in declared["project"]["dynamic"]
    assert declared["tool"]["hatch"]["version"]["path"] == "splu_desktop/__init__.py"
    assigned = re.compile(r"""^\s*(__version__|version|VERSION)\s*=\s*["']\d+\.\d+\.\d+(?:\.dev0)?["']""", re.MULTILINE)
    folders = ("splu_desktop", "scripts", "packaging", "installer", "benchmarks", "resources", "docs")
    sources = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".toml", ".spec")
    ]
    holders = [path.relative_to(ROOT).as_posix() for path in sources if assigned.search(path.read_text("utf-8"))]
    assert holders == ["splu_desktop/__init__.py"]


def test_licence(declared: dict[str, Any]) -> None:
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert text.startswith("MIT License")
    assert "SPLU Desktop maintainers" in text
    assert declared["project"]["license"] == "MIT"


def test_every_pin_has_a_hash_and_no_file_names_a_registry() -> None:
    for name in ("requirements.lock", "requirements-run.lock"):
        text = (ROOT / name).read_text("utf-8")
        blocks = re.split(r"\n(?=[A-Za-z0-9])", text[text.index("\n", text.index("scripts/lock")) + 1 :])
        assert len(blocks) == len(pins(name)) > 10
        for block in blocks:
            assert "--hash=sha256:" in block, block.split()[0]
    setting = re.compile(r"index-url|find-links|trusted-host|https?://\S*(pypi|pythonhosted)", re.IGNORECASE)
    files = [ROOT / name for name in ("start", "check", ".ci/run", "pyproject.toml", "requirements.lock")]
    files += [ROOT / "requirements-run.lock", *(path for path in (ROOT / "scripts").iterdir() if path.is_file())]
    for path in files:
        assert not setting.search(path.read_text("utf-8")), path


def test_locks_agree_with_each_other_and_the_declaration(declared: dict[str, Any]) -> None:
    run, full = pins("requirements-run.lock"), pins("requirements.lock")
    assert run < full, "run scripts/lock"
    pinned = {canonical(name) for name, _, _ in run}
    wanted = declared["project"]["dependencies"] + declared["dependency-groups"]["build"]
    for requirement in wanted:
        assert canonical(re.split(r"[<>=!~ \[;]", requirement)[0]) in pinned, f"{requirement}: run scripts/lock"
    build = dict(entry.split("==") for entry in declared["build-system"]["requires"])
    assert ("hatchling", build["hatchling"]) in {(name, version) for name, version, _ in run}
    developers = {"pytest", "mypy", "ruff", "pyarrow"}
    assert not developers & pinned
    assert developers <= {name for name, _, _ in full}


def test_every_import_is_declared(declared: dict[str, Any]) -> None:
    # A package that only a developer's tool brings along would be missing on a user's machine.
    project = declared["project"]
    requirements = project["dependencies"] + [
        each for extra in project["optional-dependencies"].values() for each in extra
    ]
    names = {canonical(re.split(r"[<>=!~ \[;]", requirement)[0]) for requirement in requirements}
    names.add("shiboken6")  # PySide6's other half, always installed with it
    brings = packages_distributions()
    for path in (ROOT / "splu_desktop").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module or ""]
            else:
                continue
            for top in {module.split(".")[0] for module in modules} - sys.stdlib_module_names - {"splu_desktop"}:
                assert {canonical(name) for name in brings.get(top, [top])} & names, f"{path.name} imports {top}"


def test_nothing_but_the_window_needs_qt() -> None:
    # A finder in front of all others that refuses Qt stands for a machine without it.
    program = """
import importlib, pkgutil, sys
class NoQt:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "pyqtgraph"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoQt())
import splu_desktop
found = 0
for room in ("core", "files", "compare", "report", "cli"):
    for module in pkgutil.walk_packages([f"{splu_desktop.__path__[0]}/{room}"], f"splu_desktop.{room}."):
        importlib.import_module(module.name)
        found += 1
print(found)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


def test_no_use_of_qt_network() -> None:
    # import-linter sees PySide6 as one; this sees its parts.
    for path in (ROOT / "splu_desktop").rglob("*.py"):
        assert not re.search(
            r"QtNetwork|QtWebEngine|QDesktopServices\.openUrl\(\s*QUrl\(\s*[\"']http", path.read_text("utf-8")
        )


def test_qt_keeps_its_references_to_none() -> None:
    # PySide6 6.12 lost one in every void call; see docs/decisions/qt-6.10.3.md.
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(100_000):
        thing.setObjectName("x")
    assert abs(sys.getrefcount(None) - before) < 1_000


def test_one_list_of_checks() -> None:
    run = re.findall(r"^ +there (\w+) \./(.+)$", (ROOT / ".ci/run").read_text("utf-8"), re.MULTILINE)
    assert set(run) == {(user, command) for user in ("custodian", "root") for command in ("start", "check")} | {
        ("root", "check --extras")
    }
    entries = re.findall(r"entry: (.+)", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert entries
    assert all(entry.startswith("./check") for entry in entries)


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text("utf-8")):
            if not target.startswith(("http://", "https://")):
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line) for line in re.findall(r"^(?:\$ )?\.venv/bin/splu (.+)$", text, re.MULTILINE)]


def test_documented_commands_are_understood() -> None:
    found = [command for document in DOCUMENTS for command in commands(document.read_text("utf-8"))]
    assert {command[0] for command in found} >= {"inspect", "publish", "query", "queries", "guarantee"}
    for command in found:
        build_parser().parse_args(command)


def test_what_start_runs_without_a_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
    shown = re.findall(r"^show (.+)$", (ROOT / "start").read_text("utf-8"), re.MULTILINE)
    assert len(shown) == 4
    for line in shown:
        line = line.replace("$sample", str(sample_path())).replace("$release", str(tmp_path / "sample-release"))
        assert main(shlex.split(line)) == 0


def test_the_true_counts_that_start_and_readme_tell() -> None:
    rows = python_calamine.load_workbook(str(sample_path())).get_sheet_by_index(0).to_python()
    sample = pd.DataFrame(rows[1:], columns=rows[0])

    def truth(conditions: list[str]) -> int:
        meets = pd.Series(True, index=sample.index)
        for condition in conditions:
            column, value = condition.split("=")
            meets &= sample[column] == value
        return int(meets.sum())

    start = (ROOT / "start").read_text("utf-8")
    asked = [shlex.split(line) for line in re.findall(r'^show query "\$release" (.+)$', start, re.MULTILINE)]
    told = re.search(r"truth can be told: (\d+), (\d+) and (\d+) records", start)
    assert told is not None
    assert [truth(conditions) for conditions in asked] == [int(count) for count in told.groups()]
    readme = (ROOT / "README.md").read_text("utf-8")
    rows_of_truth = re.findall(r"^\| `([^|]+)` \|.*\| ([\d,]+) \|$", readme, re.MULTILINE)
    assert len(rows_of_truth) == 3
    for question, count in rows_of_truth:
        assert truth(shlex.split(question)) == int(count.replace(",", ""))


def test_a_wheel_has_all_it_needs(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, check=True, capture_output=True, cwd=ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"splu_desktop-{splu_desktop.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")
    facts = next((tmp_path / "installed").glob("*.dist-info"))
    assert (facts / "licenses/LICENSE").is_file()
    assert "splu = splu_desktop.cli:main" in (facts / "entry_points.txt").read_text("utf-8")
    program = "from splu_desktop.files.disk.resources import sample_path; print(sample_path())"
    # -P and the environment keep this checkout out of sight.
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=True,
    )
    found = Path(done.stdout.strip())
    assert found.is_relative_to(tmp_path)
    assert found.read_bytes() == sample_path().read_bytes()
