"""What the four ways of asking share: each is a tab of the query page with its own primary act."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from splu_desktop.gui.query_work import Asker
from splu_desktop.gui.tasks import Tasks


class Tab(QWidget):
    """One way of asking.

    Signals
    -------
    offered : what the primary button does, or whether it can, is another now.
    failed (str) : a fault's sentence for the page's banner, "" to take the last one away.
    told (str) : a sentence about something that went well.
    answered : an answer has been shown.
    """

    offered = Signal()
    failed = Signal(str)
    told = Signal(str)
    answered = Signal()

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tasks = tasks
        self.asker: Asker | None = None

    def take(self, asker: Asker | None) -> None:
        """Begin anew with another release, or none."""
        raise NotImplementedError

    def offer(self) -> tuple[str, bool, str]:
        """Return the primary button's words, whether it can be pressed, and a note beside it."""
        raise NotImplementedError

    def act(self) -> None:
        """Do what the primary button says."""
        raise NotImplementedError

    def help_text(self) -> str:
        """Return the text of "What this means"."""
        raise NotImplementedError

    def still(self, asker: Asker) -> bool:
        """Return whether answers of `asker` still belong here: another release may have been opened meanwhile."""
        return self.asker is asker
