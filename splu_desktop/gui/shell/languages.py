"""The window's language: the system's or the user's own, remembered.

Sentences come from the catalogues that the report uses too (`files.language`); Qt's own (dialog buttons, the menu of a
text field) from the translations that come with Qt.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTimer, QTranslator
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.files.language import LANGUAGES, Language, language
from splu_desktop.gui.base import words
from splu_desktop.gui.base.dialogs import choice_menu
from splu_desktop.gui.base.words import t

_SECTION, _KEY, SYSTEM = "window", "language", "system"
_COUNTRIES = {"de": QLocale.Country.Germany, "fr": QLocale.Country.France, "en": QLocale.Country.UnitedStates}


class Catalogue(QTranslator):
    """Answers ``tr()`` from a catalogue by the English text; what is not there stays English."""

    def __init__(self, spoken: Language, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sentences = spoken.window

    def isEmpty(self) -> bool:
        return not self._sentences

    def translate(  # type: ignore[override]  # None is Qt's null string
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        # None, and not the English text, lets Qt's own catalogue answer for Qt's own sentences.
        return self._sentences.get(source)


def chosen() -> str:
    """Return the code of the language set, or SYSTEM."""
    code = read_section(_SECTION).get(_KEY, SYSTEM)
    return code if code in LANGUAGES else SYSTEM


def choose(code: str) -> None:
    """Remember a language, or SYSTEM."""
    remember(_SECTION, {**read_section(_SECTION), _KEY: code})


def in_force() -> str:
    """Return the code of the language that the choice comes to."""
    code = chosen()
    if code != SYSTEM:
        return code
    wanted = (name.replace("_", "-").split("-")[0] for name in QLocale.system().uiLanguages())
    return next((each for each in wanted if each in LANGUAGES), "en")


def speak(application: QApplication, code: str) -> None:
    """Let the application speak a language: our sentences, Qt's, numbers and dates."""
    for old in application.findChildren(QTranslator):
        application.removeTranslator(old)
        old.deleteLater()
    spoken = language(code)
    words.speak(spoken)
    system = QLocale.system()
    same = system.name().startswith(code)  # de_AT keeps Austria's way of writing numbers
    QLocale.setDefault(system if same else QLocale(QLocale(code).language(), _COUNTRIES[code]))
    if code == "en":
        return
    theirs, ours = QTranslator(application), Catalogue(spoken, application)
    if theirs.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(theirs)
    application.installTranslator(ours)  # the last one is asked first


def language_menu(parent: QWidget, changed: Callable[[], object]) -> QMenu:
    """Return the languages to choose from, each by its own name; `changed` hears that another one was chosen."""

    def take(code: str) -> None:
        if code != chosen():
            choose(code)
            QTimer.singleShot(0, parent, changed)  # the menu itself is made anew

    return choice_menu(t("&Language"), parent, {SYSTEM: t("As the &system"), **LANGUAGES}, chosen(), take)
