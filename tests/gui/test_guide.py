"""The user guide and the licences can be read in the window, in each language, without internet."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.files.language import LANGUAGES
from splu_desktop.gui.base import languages
from splu_desktop.gui.shell.guide import GuideDialog
from splu_desktop.gui.shell.main_window import MainWindow

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


def _text(code: str) -> str:
    return resource_path(f"help/guide.{code}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", list(LANGUAGES))
def test_each_language_has_the_whole_guide(code: str, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "in_force", lambda: code)
    reader = window.show_guide()
    headings = re.findall(r"^## (.*)$", _text(code), re.MULTILINE)
    shown = [reader.headings.item(row).text() for row in range(reader.headings.count())]
    assert shown == headings
    assert len(shown) == len(re.findall(r"^## ", _text("en"), re.MULTILINE))
    commands = re.findall(r"`[^`]+`", _text("en"))
    assert re.findall(r"`[^`]+`", _text(code)) == commands, "a command or place is missing or translated"
    reader.close()


def test_it_asks_for_nothing_from_outside() -> None:
    for code in LANGUAGES:
        assert not re.search(r"https?:|\]\(", _text(code))


def test_words_are_found_and_headings_lead_there(window: MainWindow, qtbot: QtBot) -> None:
    reader = window.show_guide()
    qtbot.waitExposed(reader)
    _find(qtbot, reader, "telemetry")
    assert reader.text.textCursor().selectedText() == "telemetry"
    _find(qtbot, reader, "gamma")  # which stands above: the search starts anew
    first = reader.text.textCursor().position()
    qtbot.keyClick(reader.search, Qt.Key.Key_Return)
    assert reader.text.textCursor().position() > first
    reader.headings.setCurrentRow(reader.headings.count() - 1)
    assert reader.text.verticalScrollBar().value() > 0
    reader.close()


def _find(qtbot: QtBot, reader: GuideDialog, words: str) -> None:
    reader.search.setText(words)
    qtbot.keyClick(reader.search, Qt.Key.Key_Return)


def test_the_licences_name_the_programs_own(window: MainWindow) -> None:
    reader = window.show_licences()
    assert "SPLU Desktop" in reader.text.toPlainText()
    assert "MIT" in reader.text.toPlainText()
    reader.close()
