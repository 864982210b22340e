"""`splu-desktop --smoke-test`, which every installer is tried with: passes here, and notices what is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A program that is broken in one way before the test runs.
_BROKEN = """
import sys
{damage}
from splu_desktop.__main__ import main
sys.exit(main(["--smoke-test"]))
"""


def _run(damage: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment.pop("SPLU_DATA_DIR", None)
    command = [sys.executable, "-c", _BROKEN.format(damage=damage)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=home, check=False)


def test_a_sound_installation_passes_and_leaves_nothing(tmp_path: Path) -> None:
    told = _run("", tmp_path)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stderr == ""
    *found, last = told.stdout.splitlines()
    assert len(found) >= 5
    assert all(line.startswith("ok  ") for line in found)
    assert last.startswith("SPLU Desktop works")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            "import splu_desktop.gui.shell.smoke_test as s\nfrom PySide6.QtCore import qWarning\n"
            "s._Walk.run = lambda self: [qWarning('left in') or 'read']",
            ["unexpected output", "left in"],
        ),
        (
            "import splu_desktop.gui.shell.smoke_test as s\ns.sample_path = lambda: s.Path('/gone')",
            ["FAILED"],
        ),
    ],
)
def test_a_broken_one_fails_and_says_how(damage: str, words: list[str], tmp_path: Path) -> None:
    told = _run(damage, tmp_path)
    assert told.returncode == 1
    assert all(each in told.stdout for each in words)
