"""The rail on the left: six steps, each with number, name and state."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QVBoxLayout, QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.base.widgets import margins
from splu_desktop.gui.base.words import joined, t

_AROUND = 72  # pixels beside a name: its circle, and the edges
_MARKS = {State.DONE: "check", State.STALE: "refresh-cw", State.BLOCKED: "lock"}


class StepButton(QAbstractButton):
    """One step. Its state stands in words below its name, beside a mark in the circle."""

    def __init__(self, step: Step, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.step, self.name = step, name
        self.state, self.words = State.OPEN, ""
        self.current = False  # no check mark, which a screen reader would call it
        self.setText(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # Ctrl+1 .. Ctrl+6 belong to the menu; the rail shows the number.

    def show_state(self, state: State, words: str) -> None:
        """Show another state."""
        if (state, words) == (self.state, self.words):
            return
        self.state, self.words = state, words
        self._tell()

    def show_current(self, current: bool) -> None:
        """Show whether its page is in front."""
        self.current = current
        self._tell()

    def _tell(self) -> None:
        name = f"{self.step + 1} {self.name}, {self.words}"
        self.setAccessibleName(joined((name, t("shown now")), ",") if self.current else name)
        self.update()

    def sizeHint(self) -> QSize:
        font = self.font()
        font.setWeight(font.Weight.DemiBold)  # as it is drawn while its page is in front
        wide = QFontMetrics(font).horizontalAdvance(self.name) + _AROUND
        return QSize(max(176, wide), self.fontMetrics().height() * 2 + 24)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(8.5, 2.5, -8.5, -2.5)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.current:
            painter.setBrush(QColor(c.card))
            painter.drawRoundedRect(box, 6, 6)
            painter.setBrush(QColor(c.accent))
            painter.drawRoundedRect(QRectF(box.left(), box.top() + 8, 3, box.height() - 16), 1.5, 1.5)
        elif self.underMouse():
            painter.setBrush(QColor(c.sunken))
            painter.drawRoundedRect(box, 6, 6)
        self._paint_circle(painter, box)
        left = box.left() + 48
        line = self.fontMetrics().height()
        top = box.center().y() - line
        blocked = self.state is State.BLOCKED
        font = self.font()
        font.setWeight(font.Weight.DemiBold if self.current else font.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(c.quiet if blocked else c.text))
        space = QRectF(left, top, box.right() - left - 4, line)
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), self.name)
        painter.setFont(theme.small_font(self.font()))
        painter.setPen(QColor(c.warning if self.state is State.STALE else c.quiet))
        painter.drawText(space.translated(0, line), int(Qt.AlignmentFlag.AlignVCenter), self.words)

    def _paint_circle(self, painter: QPainter, box: QRectF) -> None:
        c = theme.colours()
        circle = QRectF(box.left() + 12, box.center().y() - 13, 26, 26)
        done = self.state is State.DONE
        colour = {State.DONE: c.accent, State.STALE: c.warning, State.BLOCKED: c.line}.get(self.state, c.accent)
        painter.setPen(QPen(QColor(colour), 1.5))
        painter.setBrush(QColor(c.accent if done else c.card if self.state is State.OPEN else c.window))
        painter.drawEllipse(circle)
        if self.state in _MARKS:
            ink = c.on_accent if done else c.warning if self.state is State.STALE else c.quiet
            drawn = theme.pixmap(_MARKS[self.state], ink, 14, self.devicePixelRatioF())
            painter.drawPixmap(round(circle.left() + 6), round(circle.top() + 6), drawn)
        else:
            painter.setFont(theme.small_font(self.font()))
            painter.setPen(QColor(c.accent))
            painter.drawText(circle, int(Qt.AlignmentFlag.AlignCenter), str(self.step + 1))


class Rail(QFrame):
    """All six steps. `chosen` names the one that was clicked or reached with the arrow keys."""

    chosen = Signal(Step)

    def __init__(self, names: dict[Step, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "window")
        self.setAccessibleName(t("Steps"))
        column = margins(QVBoxLayout(self), 0, 12, 0, 12, spacing=0)
        self.buttons: dict[Step, StepButton] = {}
        for step, name in names.items():
            made = StepButton(step, name)
            made.clicked.connect(lambda _=False, at=step: self.chosen.emit(at))
            column.addWidget(made)
            self.buttons[step] = made
        column.addStretch(1)
        self.setFixedWidth(max(188, *(made.sizeHint().width() for made in self.buttons.values())))

    def show_state(self, step: Step, state: State) -> None:
        """Show the state of a step."""
        words = {
            State.OPEN: t("open"),
            State.DONE: t("done"),
            State.STALE: t("out of date"),
            State.BLOCKED: t("not yet"),
        }
        self.buttons[step].show_state(state, words[state])

    def show_current(self, step: Step) -> None:
        """Mark the step whose page is in front."""
        for at, made in self.buttons.items():
            made.show_current(at is step)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        at = next((s for s, made in self.buttons.items() if made.hasFocus()), None)
        if by and at is not None and 0 <= at + by < len(self.buttons):
            self.buttons[Step(at + by)].setFocus(Qt.FocusReason.TabFocusReason)
            return
        super().keyPressEvent(event)
