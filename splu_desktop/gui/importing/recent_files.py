"""The files opened last, by path alone; kept in the user's settings, at most eight, and can be forgotten."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QMenu, QWidget

from splu_desktop.gui.base.words import caption, t

_MOST = 8
_KEY = "recent/files"


def recent_files() -> list[Path]:
    """Return the files, the latest first; those that are gone are left out."""
    stored = QSettings().value(_KEY, [])
    # A list of one comes back as a bare text.
    names = stored if isinstance(stored, list) else [stored] if stored else []
    return [Path(str(name)) for name in names if Path(str(name)).is_file()]


class RecentFiles(QMenu):
    """A menu of them. `chosen` carries the path."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(t("Open recen&t"))
        self._last: Path | None = None
        self.aboutToShow.connect(self._fill)

    def remember(self, path: Path) -> None:
        """Put a file at the top."""
        # Every change of the session comes by here, and settings are written to the disk.
        if path == self._last:
            return
        self._last = path
        # A path from the command line may count from a folder that is another one next time.
        full = path.resolve()
        QSettings().setValue(_KEY, [str(full), *(str(p) for p in recent_files() if p != full)][:_MOST])

    def forget(self) -> None:
        """Forget all of them."""
        QSettings().remove(_KEY)

    def _fill(self) -> None:
        self.clear()
        for path in recent_files():
            self.addAction(caption(str(path))).triggered.connect(lambda _, path=path: self.chosen.emit(path))
        if self.isEmpty():
            self.addAction(t("No file was opened yet")).setEnabled(False)
            return
        self.addSeparator()
        self.addAction(t("&Forget these")).triggered.connect(self.forget)
