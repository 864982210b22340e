"""The window's language: the system's or the user's own, remembered.

Sentences come from the catalogues that the report uses too (`files.language`); Qt's own (dialog buttons, the menu of a
text field) from the translations that come with Qt.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLibraryInfo, QLocale, QTimer, QTranslator
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.gui.base import words
from splu_desktop.gui.base.words import t
from splu_desktop.gui.shell.appearance import choice_menu

_SECTION, _KEY, SYSTEM = "window", "language", "system"
_COUNTRIES = {"de": QLocale.Country.Germany, "fr": QLocale.Country.France, "en": QLocale.Country.UnitedStates}

_installed: list[QTranslator] = []  # not looked for among the application's children, all of which Qt would hand over


def read_language() -> str:
    """Return the code of the language set, or SYSTEM."""
    code = read_section(_SECTION).get(_KEY, SYSTEM)
    return code if code in LANGUAGES else SYSTEM


def choose(code: str) -> None:
    """Remember a language, or SYSTEM."""
    remember(_SECTION, {**read_section(_SECTION), _KEY: code})


def language_in_force() -> str:
    """Return the code of the language that the choice comes to."""
    code = read_language()
    if code != SYSTEM:
        return code
    wanted = (name.replace("_", "-").split("-")[0] for name in QLocale.system().uiLanguages())
    return next((each for each in wanted if each in LANGUAGES), "en")


def speak(application: QApplication, code: str) -> None:
    """Let the application speak a language: our sentences, Qt's, numbers and dates."""
    while _installed:
        application.removeTranslator(_installed.pop())
    words.speak(language(code))
    system = QLocale.system()
    same = system.name().startswith(code)  # de_AT keeps Austria's way of writing numbers
    QLocale.setDefault(system if same else QLocale(QLocale(code).language(), _COUNTRIES[code]))
    theirs = QTranslator()
    if code != "en" and theirs.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(theirs)
        _installed.append(theirs)


def language_menu(parent: QWidget, changed: Callable[[], object]) -> QMenu:
    """Return the languages to choose from, each by its own name; `changed` hears that another one was chosen."""

    def take(code: str) -> None:
        if code != read_language():
            choose(code)
            QTimer.singleShot(0, parent, changed)  # the menu itself is made anew

    return choice_menu(t("&Language"), parent, {SYSTEM: t("As the &system"), **LANGUAGES}, read_language(), take)
