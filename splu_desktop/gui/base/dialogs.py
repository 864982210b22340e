"""Windows beside the main one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QDialog, QDialogButtonBox, QFileDialog, QPushButton, QVBoxLayout, QWidget

from splu_desktop.gui.base.focus import Stops
from splu_desktop.gui.base.widgets import button, label, margins
from splu_desktop.gui.base.words import bare, t
from splu_desktop.gui.base.work import Work

_TITLE = 32  # pixels of a window's title
RELEASES = "release.json *.zip *.splurelease"


class Dialog(Stops, QDialog):
    """A window beside the main one, gone for good when it is closed; `parts` has its parts, one below the other.

    size : in pixels, for it to open with, as far as the screen is high enough; None for what its parts ask for.
    intro : what it is for, at the top.

    Attributes
    ----------
    act : the button that Enter presses where no button has the focus; None where Enter does nothing there.
    """

    act: QPushButton | None = None

    def __init__(self, title: str, size: tuple[int, int] | None, parent: QWidget | None, intro: str = "") -> None:
        super().__init__(parent)
        # Else every opening would leave one more hidden dialog behind with the parent.
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        if size:
            self.resize(size[0], min(size[1], self.screen().availableGeometry().height() - _TITLE))
        self.parts = margins(QVBoxLayout(self), 16, spacing=12)
        if intro:
            self.parts.addWidget(label(intro, wrap=True))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Qt presses what it takes for the default: any button that had the focus before, be it Cancel.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        at = self.focusWidget()
        pressed = at if isinstance(at, QAbstractButton) else self.act
        if pressed is not None:
            pressed.click()


def last_row(dialog: Dialog, act: str = "", *others: tuple[str, Callable[[], object]]) -> QPushButton:
    """Give a dialog its last row, and return its first button: the act that Enter does, other acts, and the way out.

    Parameters
    ----------
    act : what `accept` does, in words; "" where the dialog only shows, and Close is all.
    others : further acts, each with what it does.
    """
    # The box puts the buttons in the order that the user's system has them in.
    row = QDialogButtonBox()
    first = leave = row.addButton(t("Cancel") if act else t("Close"), QDialogButtonBox.ButtonRole.RejectRole)
    leave.setAutoDefault(False)
    if act:
        first = QPushButton(act)
        first.setProperty("look", "primary")
        row.addButton(first, QDialogButtonBox.ButtonRole.AcceptRole)
        dialog.act = first
    for text, do in others:
        row.addButton(button(text, do), QDialogButtonBox.ButtonRole.ResetRole)
    first.setDefault(True)
    row.accepted.connect(dialog.accept)
    row.rejected.connect(dialog.reject)
    dialog.parts.addWidget(row)
    return first


def asked_file(parent: QWidget, act: str, patterns: str, start: str = "") -> Path | None:
    """Return the file that the user chooses to open, None for none.

    Parameters
    ----------
    act : what the menu or button said that opened the dialog.
    patterns : names that are shown first, "*.csv *.xlsx".
    start : the folder shown first.
    """
    kinds = f"{bare(act)} ({patterns});;{t('All files (*)')}"
    name, _ = QFileDialog.getOpenFileName(parent, bare(act), start, kinds)
    return Path(name) if name else None


def asked_target(parent: QWidget, act: str, start: str | Path, *endings: str) -> Path | None:
    """Return where a file is to be saved, with one of the endings, the first by default; None for nowhere."""
    kinds = [f"{ending[1:].upper()} (*{ending})" for ending in endings]
    name, kind = QFileDialog.getSaveFileName(parent, bare(act), str(start), ";;".join(kinds))
    path = Path(name)
    if not name:
        return None
    # Qt's dialog adds no ending to a name that was typed without one.
    chosen = next((ending for ending, each in zip(endings, kinds, strict=True) if each == kind), endings[0])
    if path.suffix.lower() in endings:
        return path
    named = path.with_name(f"{path.name}{chosen}")
    # Of this file the dialog did not ask whether it may be replaced.
    return asked_target(parent, act, named, *endings) if named.exists() else named


def show_folder(path: Path) -> None:
    """Let the system show a folder, or the one that a file lies in."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path if path.is_dir() else path.parent)))


def save_as(
    parent: QWidget,
    work: Work,
    act: str,
    start: str | Path,
    endings: Iterable[str],
    write: Callable[..., object],
    say: Callable[[str, str], object],
) -> None:
    """Let the user choose a file, and let a worker write it.

    Parameters
    ----------
    act : what the button said; `start` and `endings` as in `asked_target`.
    write : writes to a path. Raises SpluError; Cancelled.
    say : is told "done" or "fault", and a sentence.
    """
    path = asked_target(parent, act, start, *endings)
    if path is not None:
        work.start(
            write,
            path,
            on_done=lambda _: say("done", t("Saved: {file}", file=path.name)),
            on_exception=partial(say, "fault"),
            channel=act,
        )
