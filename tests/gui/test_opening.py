"""A double click, the command line and macOS's events open projects, releases and tables where they belong."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from splu_desktop.files.disk.resources import sample_path
from splu_desktop.files.project.opening import Opens, opens
from splu_desktop.files.release.facts import FACTS_NAME

_DELIVERED = """
import sys
from pathlib import Path
from PySide6.QtGui import QFileOpenEvent
from splu_desktop.gui.shell import app
application = app.Application(["splu-desktop"])
app.prepare(application)
window = app.make_window()
opened = []
window.open_path = opened.append
application.sendEvent(application, QFileOpenEvent(sys.argv[1]))  # before there is a window: nothing to open it in
application.window = window
application.sendEvent(application, QFileOpenEvent(sys.argv[1]))
window.close()
assert opened == [Path(sys.argv[1])], opened
"""


def _zip(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for name in names:
            packed.writestr(name, "{}")
    return path


def test_each_kind_of_file_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(b"PK\3\4 and no more")
    expected = {
        tmp_path / "mine.splu": Opens.PROJECT,
        tmp_path / "MINE.SPLU": Opens.PROJECT,
        tmp_path / "release": Opens.RELEASE,
        tmp_path / "release" / FACTS_NAME: Opens.RELEASE,
        tmp_path / "x.splurelease": Opens.RELEASE,
        _zip(tmp_path / "release.zip", "r/table.csv", "r/release.json"): Opens.RELEASE,
        _zip(tmp_path / "other.zip", "table.csv"): Opens.TABLE,
        damaged: Opens.TABLE,
        tmp_path / "gone.csv": Opens.TABLE,
        sample_path(): Opens.TABLE,
    }
    assert {path: opens(path) for path in expected} == expected


@pytest.mark.parametrize("name", ["mine.splu", "Füße 1.csv"])
def test_files_that_macos_hands_over_are_opened(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _DELIVERED, str(tmp_path / name)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
