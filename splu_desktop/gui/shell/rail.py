"""The rail: six steps with number, name and state, two entries under the proposal; and the bar it becomes at 200 %."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.parts import link
from splu_desktop.gui.base.session import RAIL, Session, State, Step
from splu_desktop.gui.base.widgets import IconButton, Picture, label, margins, put, restyle
from splu_desktop.gui.base.words import bare, join, t, tip

WIDE, NARROW = 176, 48
_UNDER = {Step.COLUMNS: "tags", Step.EXPERT: "sliders-horizontal"}
_MARKS = {State.DONE: "check", State.STALE: "refresh-cw", State.BLOCKED: "lock"}


def step_name(step: Step) -> str:
    """Return a page's name."""
    return {
        Step.OPEN: t("Open"),
        Step.QUESTIONS: t("Questions"),
        Step.PROPOSAL: t("Proposal"),
        Step.PUBLISH: t("Publish"),
        Step.ASK: t("Ask"),
        Step.REPORT: t("Report"),
        Step.COLUMNS: bare(t("&Columns")),
        Step.EXPERT: bare(t("&Expert")),
    }[step]


def state_name(state: State) -> str:
    """Return a state in words."""
    return {
        State.OPEN: t("open"),
        State.DONE: t("done"),
        State.STALE: t("out of date"),
        State.BLOCKED: t("not yet"),
    }[state]


def paint_circle(painter: QPainter, circle: QRectF, number: int, state: State, ratio: float) -> None:
    """Draw a step's circle: its number, or the mark of its state."""
    c = theme.colours()
    edge = {State.STALE: c.warning, State.BLOCKED: c.line}.get(state, c.accent)
    ground = {State.DONE: c.accent, State.OPEN: c.card}.get(state, c.window)
    painter.setPen(QPen(QColor(edge), 1.5))
    painter.setBrush(QColor(ground))
    painter.drawEllipse(circle)
    if state in _MARKS:
        ink = {State.DONE: c.on_accent, State.STALE: c.warning}.get(state, c.quiet)
        drawn = theme.pixmap(_MARKS[state], ink, 14, ratio)
        painter.drawPixmap(round(circle.center().x() - 7), round(circle.center().y() - 7), drawn)
    else:
        painter.setPen(QColor(c.accent))
        painter.drawText(circle, int(Qt.AlignmentFlag.AlignCenter), str(number))


class StepButton(QAbstractButton):
    """One step. Its state stands in words below its name, beside a mark in the circle; narrow, in its tool tip."""

    def __init__(self, step: Step, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.step, self.number = step, number
        self.state, self.current, self.narrow = State.OPEN, False, False
        self.setText(step_name(step))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_state(self, state: State, current: bool, narrow: bool) -> None:
        """Show another state."""
        self.state, self.current, self.narrow = state, current, narrow
        words = f"{self.number} {self.text()}, {state_name(state)}"
        self.setAccessibleName(join((words, t("shown now")), ",") if current else words)
        tip(self, words if narrow else "")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(NARROW if self.narrow else WIDE, 44 if self.narrow else 50)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        c, painter = theme.colours(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = 4.5 if self.narrow else 8.5
        box = QRectF(self.rect()).adjusted(inset, 2, -inset, -2)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.current:
            painter.setBrush(QColor(c.accent))
            painter.drawRoundedRect(QRectF(box.left(), box.top() + 8, 3, box.height() - 16), 1.5, 1.5)
        elif self.underMouse():
            painter.setBrush(QColor(c.sunken))
            painter.drawRoundedRect(box, 6, 6)
        middle = box.center().y()
        left = box.center().x() - 13 if self.narrow else box.left() + 12
        ratio = self.devicePixelRatioF()
        circle = QRectF(left, middle - 13, 26, 26)
        paint_circle(painter, circle, self.number, self.state, ratio)
        if self.narrow:
            return
        line = self.fontMetrics().height()
        font = self.font()
        font.setWeight(font.Weight.DemiBold if self.current else font.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(c.quiet if self.state is State.BLOCKED else c.text))
        space = QRectF(box.left() + 49, middle - line, box.width() - 53, line)
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), self.text())
        painter.setFont(theme.small_font(self.font()))
        painter.setPen(QColor(c.warning if self.state is State.STALE else c.quiet))
        painter.drawText(space.translated(0, line), int(Qt.AlignmentFlag.AlignVCenter), state_name(self.state))


def _entry_name(step: Step, current: bool) -> str:
    return join((step_name(step), t("shown now")), ",") if current else step_name(step)


class Entry(IconButton):
    """An entry under the proposal."""

    def __init__(self, step: Step) -> None:
        super().__init__(step_name(step), _UNDER[step], "flat-entry")
        self.step = step

    def show_state(self, state: State, current: bool, narrow: bool) -> None:
        """Show whether it can be opened and is in front; narrow, its picture alone."""
        self.setEnabled(state is not State.BLOCKED)
        self.setText("" if narrow else step_name(self.step))
        self.setAccessibleName(_entry_name(self.step, current))
        tip(self, step_name(self.step) if narrow else "")
        restyle(self, "flat-entry-now" if current else "flat-entry")


class Rail(QFrame):
    """All steps; `chosen` names the one that was clicked."""

    chosen = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.setProperty("look", "window")
        self.setAccessibleName(t("Steps"))
        column = margins(QVBoxLayout(self), 0, 8, 0, 8, spacing=0)
        self.buttons: dict[Step, StepButton | Entry] = {}
        self._shown: object = None  # states, the page in front, and whether it is narrow
        for number, step in enumerate(RAIL, 1):
            button = StepButton(step, number)
            # The step is bound as a default, since the loop goes on; the first argument is the bool of `clicked`.
            button.clicked.connect(lambda _=False, at=step: self.chosen.emit(at))
            self.buttons[step] = button
            if step is Step.PROPOSAL:
                column.addWidget(self._proposal(button))
            else:
                column.addWidget(button)
        column.addStretch(1)
        self.offline = Picture("wifi-off", "quiet", 16)
        self.offline.setAccessibleName(t("Offline – nothing leaves this computer"))
        tip(self.offline, t("Offline – nothing leaves this computer"))
        column.addWidget(self.offline, 0, Qt.AlignmentFlag.AlignHCenter)
        self.narrow = False  # whether it shows circles alone, from the next `refresh` on
        self.refresh(Step.OPEN)

    def _proposal(self, button: StepButton) -> QFrame:
        """Return the proposal's step with its two entries below."""
        box = self._proposal_box = QFrame()
        column = margins(QVBoxLayout(box), 0, spacing=0)
        column.addWidget(button)
        self._entries = margins(QVBoxLayout(), 56, 0, 8, 4, spacing=0)
        for step in _UNDER:
            entry = Entry(step)
            entry.clicked.connect(lambda _=False, at=step: self.chosen.emit(at))
            self.buttons[step] = entry
            self._entries.addWidget(entry)
        column.addLayout(self._entries)
        return box

    def refresh(self, current: Step) -> None:
        """Show the session as it is, and mark the page in front."""
        states = {step: self._session.state(step) for step in self.buttons}
        # Each stop of the slider comes by here, and drawing what did not change would hold it up.
        if (states, current, self.narrow) == self._shown:
            return
        self.current, self._shown = current, (states, current, self.narrow)
        proposal = self.current in (Step.PROPOSAL, *_UNDER)
        for step, button in self.buttons.items():
            front = step is self.current or (step is Step.PROPOSAL and proposal)
            button.show_state(states[step], front, self.narrow)
            if isinstance(button, Entry):
                button.setVisible(states[step] is not State.BLOCKED)
        left, below = (8 if self.narrow else 54), 0 if states[Step.COLUMNS] is State.BLOCKED else 4
        self._entries.setContentsMargins(left, 0, 8 if self.narrow else 14, below)
        self.offline.setVisible(self.narrow)
        self.setFixedWidth(NARROW if self.narrow else WIDE)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        at = self.buttons[Step.PROPOSAL if self.current in _UNDER else self.current]
        # The rail draws the ground of the step in front, since the proposal's goes on below its entries.
        frame: QWidget = self._proposal_box if at.step is Step.PROPOSAL else at
        inset = 4.5 if self.narrow else 8.5
        box = QRectF(frame.geometry()).adjusted(inset, 2, -inset, -2)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.colours().card))
        painter.drawRoundedRect(box, 6, 6)


class TopBar(QFrame):
    """What the rail is at 200 %: the menu, the steps as a list, the two entries, the sign of being offline."""

    chosen = Signal(object)

    def __init__(self, session: Session, menu: QMenu) -> None:
        super().__init__()
        self._session = session
        self.setProperty("look", "window")
        self.setFixedHeight(max(34, self.fontMetrics().height() + 12))
        row = margins(QHBoxLayout(self), 8, 2, 12, 2, spacing=8)
        self.menu_button = IconButton("", "menu", "flat")
        self.menu_button.setAccessibleName(t("Menu"))
        self.menu_button.setMenu(menu)
        self.steps = QPushButton()
        self.steps.setProperty("look", "steps")
        self._list = QMenu(self.steps)
        self._list.aboutToShow.connect(self._fill)
        self.steps.setMenu(self._list)
        self.entries = {step: link(step_name(step), partial(self.chosen.emit, step)) for step in _UNDER}
        put(row, self.menu_button, self.steps, *self.entries.values())
        put(row, 1, Picture("wifi-off", "quiet", 14), label(t("Offline – nothing leaves this computer"), "quiet"))

    def refresh(self, current: Step) -> None:
        """Show the session as it is, and name the page in front."""
        at = Step.PROPOSAL if current in _UNDER else current
        words = t("{name}, {n} of 6", name=step_name(at), n=RAIL.index(at) + 1)
        self.steps.setText(words)
        self.steps.setAccessibleName(join((t("Steps"), words), ":"))
        for step, entry in self.entries.items():
            entry.setVisible(self._session.state(step) is not State.BLOCKED)
            entry.setAccessibleName(_entry_name(step, step is current))
            restyle(entry, "flat-link-now" if step is current else "flat-link")

    def _fill(self) -> None:
        self._list.clear()
        for number, step in enumerate(RAIL, 1):
            text = f"{number} {step_name(step)}, {state_name(self._session.state(step))}"
            self._list.addAction(text).triggered.connect(lambda _=False, at=step: self.chosen.emit(at))
