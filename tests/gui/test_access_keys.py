"""Alt and a letter go to one thing: no page's or dialog's letters clash, nor with the menu bar's, in any language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QGroupBox, QLabel, QMenu, QTabWidget, QWidget

from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.language import LANGUAGES
from splu_desktop.gui.base import languages
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.gui.test_fits import dialogs

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")
Idle = Callable[[MainWindow], None]
_KEY = re.compile(r"(?<!&)(?:&&)*&(\w)")


@pytest.fixture(params=list(LANGUAGES))
def spoken(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    """A language, chosen before the window is made; English again afterwards."""
    languages.choose(request.param)
    yield request.param
    languages.choose("en")
    languages.speak(qapp, "en")


def shown(page: QWidget) -> Iterator[str]:
    """Yield the texts on a page that can be gone to by a letter."""
    for widget in page.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QGroupBox):
            yield widget.title()
        elif isinstance(widget, QLabel) and widget.buddy() is not None:
            yield widget.text()
        elif isinstance(widget, QTabWidget):
            yield from (widget.tabText(at) for at in range(widget.count()) if widget.isTabVisible(at))


def twice(texts: Iterator[str] | list[str]) -> dict[str, list[str]]:
    """Return the letters that several texts ask for."""
    found: dict[str, list[str]] = {}
    for text in texts:
        for letter in _KEY.findall(text)[:1]:
            found.setdefault(letter.casefold(), []).append(text)
    return {letter: which for letter, which in found.items() if len(which) > 1}


def otherwise_named(page: QWidget) -> list[str]:
    """Return what is told to a screen reader without the words that stand on it: whoever speaks them gets nowhere."""
    parts = {part: part.text() for part in page.findChildren(QAbstractButton) if part.isVisible()}
    labels = [each for each in page.findChildren(QLabel) if each.isVisible() and each.buddy() is not None]
    parts |= {each.buddy(): each.text() for each in labels}
    bare = {part: text.replace("&", "").strip(" :…\u00a0") for part, text in parts.items()}
    told = {part: part.accessibleName() or text for part, text in bare.items()}  # else Qt tells what stands there
    return [f"“{bare[part]}”: {told[part]}" for part in parts if bare[part].casefold() not in told[part].casefold()]


def test_each_letter_of_a_page_goes_to_one_thing(
    spoken: str, window: MainWindow, small_csv: Path, idle: Idle, tmp_path: Path
) -> None:
    bar = [action.text() for action in window.menuBar().actions()]
    assert len(bar) == 4
    assert not twice(bar)
    found: dict[str, dict[str, list[str]]] = {}

    def look(name: str) -> None:
        idle(window)
        QApplication.processEvents()
        if clash := twice([*bar, *shown(window.pages[window.step])]):
            found[name] = clash
        if wrong := otherwise_named(window):
            found[f"{name}, told"] = {"": wrong}

    look("import, empty")
    window.import_page.open_file(small_csv)
    look("import, open")
    roles = dict.fromkeys(("Sex", "Age", "Ward"), Role.NSA)
    window.session.set_roles({"Record number": Role.IDENTIFIER, "Diagnosis": Role.SA, **roles}, "roles")
    for step in Step:
        window.show_step(step)
        look(step.name)
        for tabs in window.pages[step].findChildren(QTabWidget):
            for at in range(tabs.count()) if tabs.isVisible() else ():
                tabs.setCurrentIndex(at)
                look(f"{step.name}, {tabs.tabText(at)}")

    def look_at(name: str, dialog: QDialog | None) -> None:
        assert dialog is not None, name
        idle(window)
        QApplication.processEvents()
        if clash := twice(list(shown(dialog))):
            found[name] = clash
        if wrong := otherwise_named(dialog):
            found[f"{name}, told"] = {"": wrong}
        dialog.reject()

    for name, dialog in dialogs(window, idle):
        look_at(name, dialog)
    page = window.publish_page
    window.show_step(Step.PUBLISH)
    idle(window)
    page.set_target(tmp_path / "release")
    idle(window)
    look_at("trial", page.try_sample())
    page.gate.accept_all()
    page.act()
    idle(window)
    look_at("hand over", page.hand_over())
    register = page.show_releases()
    idle(window)
    look_at("acknowledge", register.acknowledge())
    look_at("register", register)
    for step in (Step.PUBLISH, Step.QUERY, Step.REPORT):
        window.show_step(step)
        look(f"{step.name}, published")
    assert not sorted({(letter, *texts) for clash in found.values() for letter, texts in clash.items()}), list(found)


def test_each_letter_of_a_menu_goes_to_one_entry(spoken: str, window: MainWindow) -> None:
    menus = [menu for menu in window.menuBar().findChildren(QMenu) if menu.actions()]
    assert len(menus) >= 5
    clashes = {menu.title(): twice([action.text() for action in menu.actions()]) for menu in menus}
    assert not {title: clash for title, clash in clashes.items() if clash}, spoken
