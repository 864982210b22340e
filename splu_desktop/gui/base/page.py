"""The frame that every page shares: title, banner, content or its empty and busy state, and one primary button."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.session import Session, Step
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Banner, Busy, Empty, Rule, announce, button, label, margins, put, tab_after
from splu_desktop.gui.base.words import tip

if TYPE_CHECKING:
    from splu_desktop.core.plan import Plan
    from splu_desktop.core.table import Table


class Page(QWidget):
    """One of the six pages.

    Signals
    -------
    go (Step) : the page asks the window to show another page.
    help_changed : the text of "What this means" is another one now.
    """

    go = Signal(Step)
    help_changed = Signal()
    step: Step

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.tasks = session, tasks
        outer = margins(QVBoxLayout(self), 24, 16, 24, 12, spacing=12)
        head = margins(QHBoxLayout(), spacing=16)
        self.title = label()
        self.title.setFont(theme.title_font(self.font()))
        self.subtitle = label("", "quiet", wrap=True)
        # Both stand on one line of writing, though their sizes differ.
        drop = self.title.fontMetrics().descent() - self.subtitle.fontMetrics().descent()
        self.subtitle.setContentsMargins(0, 0, 0, max(0, drop))
        put(head, (self.title, 0, Qt.AlignmentFlag.AlignBottom), (self.subtitle, 1, Qt.AlignmentFlag.AlignBottom))
        outer.addLayout(head)
        self.banner = Banner()
        outer.addWidget(self.banner)
        self.stack = QStackedWidget()
        outer.addWidget(self.stack, 1)
        self.content = QWidget()
        self.body = margins(QVBoxLayout(self.content), 0, spacing=12)
        self.stack.addWidget(self.content)
        self._words = ""  # of the primary button
        self._put: QWidget | None = None  # what Qt gave the focus to when what had it was hidden
        self.empty: Empty | None = None
        self.busy: Busy | None = None
        outer.addWidget(Rule())
        self.foot = margins(QHBoxLayout(), spacing=8)
        self.foot_note = label("", "quiet", wrap=True, live=True)
        self.foot.addWidget(self.foot_note, 1)
        self.primary: QPushButton = button("", self.act, look="primary")
        self.foot.addWidget(self.primary, 0, Qt.AlignmentFlag.AlignRight)
        outer.addLayout(self.foot)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):  # wherever in the window the focus is: the page in front answers
            go = QShortcut(QKeySequence(keys), self)
            go.setAutoRepeat(False)
            go.activated.connect(self._go_on)  # told to the constructor, PySide keeps the page: freed twice

    def _go_on(self) -> None:
        if self.primary.isEnabled():
            self.primary.click()
        else:
            self.show_what_waits()

    def show_what_waits(self) -> None:
        """Put the focus on what the primary button waits for, where that can be told."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.put_primary_last()

    def put_primary_last(self) -> None:
        """Let Tab come to the primary button after all else on the page, as it stands there; parts are made later.

        It goes behind all of the window, since other pages are hidden. To look through the whole page for its last
        part would make a Python object of each of Qt's own, which outlives it.
        """
        tab_after(self.window().previousInFocusChain(), self.primary)

    def set_title(self, title: str, subtitle: str) -> None:
        """Name the page."""
        self.title.setText(title)
        self.subtitle.setText(subtitle)
        self.setAccessibleName(title)

    def use_empty(self, empty: Empty) -> None:
        """Give the page its empty state."""
        self.empty = empty
        self.stack.addWidget(empty)

    def use_busy(self, busy: Busy) -> None:
        """Give the page its busy state."""
        self.busy = busy
        self.stack.addWidget(busy)

    def show_part(self, part: QWidget | None) -> None:
        """Show the content, the empty or the busy state."""
        if self.stack.currentWidget() is (part or self.content):
            return
        # Qt gives the focus of what is hidden to the next widget of the window, which is the rail's first step.
        held = self.has_focus()
        self.stack.setCurrentWidget(part or self.content)
        if held:
            self._put = QApplication.focusWidget()
            QTimer.singleShot(0, self, self.keep_focus)

    def has_focus(self) -> bool:
        """Return whether the focus is on this page, or nowhere."""
        focus = QApplication.focusWidget()
        return self.isVisible() and (focus is None or self.isAncestorOf(focus))

    def keep_focus(self, *, arriving: bool = False) -> None:
        """See to it that the focus is on what this page shows: the primary button, or where one would begin."""
        focus, shown = QApplication.focusWidget(), self.stack.currentWidget()
        if shown is None or not self.isVisible() or QApplication.activeModalWidget() is not None:
            return
        placed = focus is self.primary or (focus is not None and shown.isAncestorOf(focus))
        if placed and (arriving or focus is not self._put or not self.primary.isEnabled()):
            return
        if self.primary.isEnabled() and not arriving:
            self.primary.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        at = shown.nextInFocusChain()
        while at is not None and at is not shown:
            tabs = at.focusPolicy() & Qt.FocusPolicy.TabFocus
            if tabs and at.isVisible() and at.isEnabled() and (shown.isAncestorOf(at) or at is self.primary):
                at.setFocus(Qt.FocusReason.OtherFocusReason)
                return
            at = at.nextInFocusChain()

    def _fit_primary(self) -> None:
        """Name the primary button as far as there is room: a table's names in it may be long, and the tip has all."""
        self.primary.setText(self._words)
        acts = self.findChildren(QPushButton, options=Qt.FindChildOption.FindDirectChildrenOnly)  # all in the footer
        needed = sum(part.sizeHint().width() + self.foot.spacing() for part in acts if not part.isHidden())
        over = needed - self.foot.geometry().width()
        if self.isVisible() and over > 0:
            metrics = self.primary.fontMetrics()
            room = metrics.horizontalAdvance(self._words) - over
            self.primary.setText(metrics.elidedText(self._words, Qt.TextElideMode.ElideMiddle, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit_primary)  # once the row has its width

    def set_primary(self, text: str, enabled: bool, why: str = "") -> None:
        """Name the primary button; `why` says in the footer what it waits for, or what else matters."""
        self._words = text
        self._fit_primary()
        if not enabled and self.primary.hasFocus():
            QTimer.singleShot(0, self, self.keep_focus)
        waited = not self.primary.isEnabled()
        self.primary.setEnabled(enabled)
        if enabled and waited and self.isVisible():  # what it waited for stands in the footer, and goes without a word
            announce(self.primary, text)
        self.foot_note.setText(why)
        keys = QKeySequence("Ctrl+Return").toString(QKeySequence.SequenceFormat.NativeText)
        tip(self.primary, f"{text} ({keys})" if enabled else why)

    def planned(self) -> tuple[Table, Plan] | None:
        """Return the table and its plan; None where there is none, whose fault is shown."""
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None:
            return None
        try:
            return source.imported.table, choices.plan()
        except SpluError as fault:
            self.fault(str(fault))
            return None

    def fault(self, text: str) -> None:
        """Show a fault's sentence; the work stays as it is."""
        self.banner.say("fault", text)

    def act(self) -> None:
        """Do what the primary button says."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Read the session anew."""
        raise NotImplementedError

    def arrived(self) -> None:
        """The page has come to the front."""

    def help_text(self) -> str:
        """Return the text of "What this means", as simple HTML."""
        raise NotImplementedError
