"""What the ways of asking share: each is a tab of the query page with its own primary act."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from splu_desktop.core.query.condition import Condition
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Busy
from splu_desktop.gui.base.words import told
from splu_desktop.gui.query.work import Asker


def in_short(conditions: Sequence[Condition]) -> str:
    """Return a question's conditions alone, for a list in which every line is a question."""
    if not conditions:
        return QCoreApplication.translate("query", "all records")
    return "; ".join(told(condition.words()) for condition in conditions)


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

    def hold_focus(self, busy: Busy) -> None:
        """Keep the focus here while the primary button is out of order: on the button that cancels."""
        now = QApplication.focusWidget()
        if now is None or now.property("look") == "primary" or self.isAncestorOf(now):
            busy.cancel.setFocus()

    def after_busy(self, busy: Busy, stack: QStackedWidget, part: QWidget, focus: QWidget) -> None:
        """Show what came of the work, and pass the focus on to it unless the user is elsewhere by now."""
        now = QApplication.focusWidget()
        stack.setCurrentWidget(part)
        if now is None or now is busy.cancel:
            focus.setFocus()

    def first(self) -> QWidget:
        """Return where asking begins."""
        raise NotImplementedError

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
