"""The program may be installed in any folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QCheckBox
from pytestqt.qtbot import QtBot

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.gui.base import theme


@pytest.mark.parametrize("name", ["a folder of ü", 'with "quotes" (and) more; {}'])
def test_the_style_is_read_from_any_folder(
    name: str, qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(resource_path("style/README.md").parent, tmp_path / name / "style")
    monkeypatch.setattr(theme, "resource_path", lambda inner: tmp_path / name / inner)
    box = QCheckBox()
    qtbot.addWidget(box)
    box.setStyleSheet(theme.style_sheet(theme.LIGHT))  # Qt warns of what it can't parse, and a warning fails a test
    box.setChecked(True)
    box.show()
    assert not box.grab().isNull()
