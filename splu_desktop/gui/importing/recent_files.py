"""The files opened last, by path alone; kept in the user's settings, at most eight, and can be forgotten."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.gui.base.words import caption, t

_MOST = 8
_SECTION, _KEY = "recent", "files"


def recent_files() -> list[Path]:
    """Return the files, the latest first; those that are gone are left out."""
    names = read_section(_SECTION).get(_KEY, "").split("\n")
    return [Path(name) for name in names if name and Path(name).is_file()]


def remember_file(path: Path) -> None:
    """Put a file at the top. For workers: settings are written to the disk."""
    # A path from the command line may count from a folder that is another one next time.
    full = path.resolve()
    latest = [full, *(each for each in recent_files() if each != full)][:_MOST]
    remember(_SECTION, {_KEY: "\n".join(map(str, latest))})


class RecentFiles(QMenu):
    """A menu of them. `chosen` carries the path."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(t("Open recen&t"))
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for path in recent_files():
            self.addAction(caption(str(path))).triggered.connect(lambda _, path=path: self.chosen.emit(path))
        if self.isEmpty():
            self.addAction(t("No file was opened yet")).setEnabled(False)
            return
        self.addSeparator()
        self.addAction(t("&Forget these")).triggered.connect(lambda: remember(_SECTION, {}))
