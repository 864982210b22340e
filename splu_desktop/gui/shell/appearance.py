"""Light, dark or high contrast: as the system has it, or the user's own choice, remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import t

_SECTION, _KEY, SYSTEM = "window", "appearance", "system"
SCHEMES = {"light": theme.LIGHT, "dark": theme.DARK, "contrast": theme.CONTRAST}


def read_scheme() -> str:
    """Return the name of the scheme that was set, or SYSTEM."""
    name = read_section(_SECTION).get(_KEY, SYSTEM)
    return name if name in SCHEMES else SYSTEM


def choose(name: str) -> None:
    """Remember a scheme, or SYSTEM, and dress the application in it."""
    remember(_SECTION, {**read_section(_SECTION), _KEY: name})
    if isinstance(application := QApplication.instance(), QApplication):
        dress(application)


def dress(application: QApplication) -> None:
    """Dress the application as chosen; else as the system asks for, high contrast before all."""
    hints = application.styleHints()
    scheme = SCHEMES.get(read_scheme())
    # The frame around the window is the system's, and follows what it is told here.
    if scheme is not None:
        hints.setColorScheme(Qt.ColorScheme.Dark if scheme.dark else Qt.ColorScheme.Light)
    else:
        hints.unsetColorScheme()
    if scheme is None and hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        scheme = theme.CONTRAST
    # The system's own scheme can be asked for only now that ours is taken back.
    if scheme is None:
        scheme = theme.DARK if hints.colorScheme() == Qt.ColorScheme.Dark else theme.LIGHT
    theme.apply(application, scheme)


def follow_system(application: QApplication) -> None:
    """Dress the application anew whenever the system changes its mind, where it is the system that is followed."""
    hints = application.styleHints()

    def dress_anew(_: object) -> None:
        if read_scheme() == SYSTEM:
            dress(application)

    hints.colorSchemeChanged.connect(dress_anew)
    hints.accessibility().contrastPreferenceChanged.connect(dress_anew)


def appearance_menu(parent: QWidget) -> QMenu:
    """Return the menu of schemes."""
    names = {SYSTEM: t("As the &system"), "light": t("&Light"), "dark": t("&Dark"), "contrast": t("&High contrast")}
    return choice_menu(t("A&ppearance"), parent, names, read_scheme(), choose)


def choice_menu(
    title: str, parent: QWidget, names: Mapping[str, str], chosen: str, choose: Callable[[str], object]
) -> QMenu:
    """Return a menu of which one entry is chosen: code -> its name; `choose` is told the code of another."""
    menu = QMenu(title, parent)
    group = QActionGroup(menu)
    for code, name in names.items():
        action = QAction(name, menu, checkable=True, checked=code == chosen)
        action.triggered.connect(lambda on, code=code: choose(code))
        group.addAction(action)
        menu.addAction(action)
    return menu
