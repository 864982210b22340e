"""The window in each language: every text, Qt's own buttons, numbers, what core says; and the setting of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtGui import QAction, QTextLayout
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialogButtonBox,
    QLabel,
    QMenu,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from scripts.translations import catalogue
from splu_desktop.core.messages import say
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.gui.base import languages
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.words import filled, number, told
from splu_desktop.gui.shell import app
from splu_desktop.gui.shell.main_window import MainWindow

ROLE = Qt.ItemDataRole
TRANSLATED = [code for code in LANGUAGES if code != "en"]


@pytest.fixture(params=TRANSLATED)
def code(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    """A language, set before the window is made; English again afterwards."""
    chosen: str = request.param
    languages.choose(chosen)
    app.prepare(qapp)
    yield chosen
    languages.speak(qapp, "en")


def texts(window: QWidget) -> Iterator[str]:
    """Yield what a window shows and says to a screen reader, but for the user's own data."""
    for widget in window.findChildren(QWidget):
        yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QTabWidget):
            yield from (widget.tabText(i) for i in range(widget.count()))
        elif isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
            for row in range(min(model.rowCount(), 40)):
                for column in range(model.columnCount()):
                    at = model.index(row, column)
                    yield from (str(at.data(role) or "") for role in (ROLE.DisplayRole, ROLE.ToolTipRole))
    for action in window.findChildren(QAction):
        yield from (action.text(), action.toolTip())


def test_no_english_is_left(
    code: str, window: MainWindow, small_csv: Path, idle: Callable[[MainWindow], None], qtbot: QtBot
) -> None:
    window.import_page.open_file(small_csv)
    idle(window)
    window.session.set_roles(
        {
            "Record number": Role.IDENTIFIER,
            "Sex": Role.NSA,
            "Age": Role.NSA,
            "Ward": Role.NSA,
            "Diagnosis": Role.SA,
        },
        "roles",
    )
    english = {text.replace("&", ""): translated.replace("&", "") for text, translated in language(code).window.items()}
    seen = 0
    for step in Step:
        window.show_step(step)
        idle(window)
        for text in texts(window):
            plain = text.replace("&", "")
            seen += plain in set(english.values())
            assert english.get(plain, plain) == plain, f"“{plain}” is English"
    assert seen > 100


def test_qt_and_core_speak_it_too(code: str, qtbot: QtBot) -> None:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(buttons)
    cancel = buttons.button(QDialogButtonBox.StandardButton.Cancel).text().replace("&", "")
    assert cancel == {"de": "Abbrechen", "fr": "Annuler"}[code]
    assert number(20_000) == language(code).number(20_000)
    assert QLocale().name().startswith(code)
    said = say("All {records} records are there.", records=20_000)
    assert told(said) == language(code).sentence(said) != said
    assert told("Mixing groups") != "Mixing groups"


def test_another_language_holds_at_once_and_nothing_chosen_is_lost(
    window: MainWindow, small_csv: Path, idle: Callable[[MainWindow], None], qapp: QApplication, qtbot: QtBot
) -> None:
    window.import_page.open_file(small_csv)
    idle(window)
    window.session.set_roles({"Ward": Role.SA, "Diagnosis": Role.SA}, "roles")
    window.show_step(Step.CLASSIFY)
    source, choices = window.session.source, window.session.choices
    (menu,) = window.findChildren(languages.LanguageMenu)
    names = [action.text() for action in menu.actions()]
    assert names[1:] == list(LANGUAGES.values())
    assert menu.actions()[0].isChecked()
    try:
        menu.actions()[names.index("Deutsch")].trigger()
        qtbot.waitUntil(lambda: window.rail.buttons[Step.CLASSIFY].name == language("de").window["Classify"])
        assert languages.chosen() == languages.in_force() == "de"
        assert window.step is Step.CLASSIFY
        assert window.classify_page.title.text() == language("de").window["Classify"]
        assert (window.session.source, window.session.choices) == (source, choices)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        actions = [action for menu in window.findChildren(QMenu) for action in menu.actions()]
        shortcuts = [keys for action in actions if (keys := action.shortcut().toString())]
        assert len(shortcuts) == len(set(shortcuts))  # those of the menus before are gone
        window.session.undo_stack.undo()
        assert window.session.choices != choices
    finally:
        languages.speak(qapp, "en")


def test_an_unknown_language_in_the_settings_is_the_systems() -> None:
    languages.choose("tlh")
    assert languages.chosen() == languages.SYSTEM
    assert languages.in_force() in LANGUAGES


@pytest.mark.parametrize("code", ["de", "fr"])
def test_no_line_begins_with_a_per_cent_sign(code: str, qapp: QApplication) -> None:
    said = (text for room in ("window", "core") for text in catalogue(room, code).values() if "%" in text)
    texts = [filled(re.sub(r"{[^}]*}", "12", text).replace("%%", "%")) for text in said]
    assert len(texts) > 20
    begun = set()
    for text in (text for text in texts if re.search(r"\d.%", text)):
        for width in range(60, 300, 20):
            layout = QTextLayout(text, qapp.font())
            layout.beginLayout()
            while (line := layout.createLine()).isValid():
                line.setLineWidth(width)
                if text[line.textStart() :].startswith("%"):
                    begun.add(text)
            layout.endLayout()
    assert not begun
