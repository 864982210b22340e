"""Larger parts that pages share: cards, the verdict, choices, banners, the empty and the busy state, two columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QMouseEvent
from PySide6.QtWidgets import (
    QAccessibleWidget,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)

from splu_desktop.core.messages import Phrase
from splu_desktop.core.progress import Pace
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import Picture, announce, button, label, make_grid, margins, put, restyle, turn
from splu_desktop.gui.base.words import as_rich, join, number, percent, t, translate, without_bold

_STANDS = 0.3  # seconds of reports without any progress, after which no share is shown


class Card(QFrame):
    """A white box with a heading; add to `body`."""

    def __init__(self, heading: str = "", *edges: int, spacing: int = 8) -> None:
        super().__init__()
        self.setProperty("look", "card")
        self.body = margins(QVBoxLayout(self), *(edges or (16, 12)), spacing=spacing)
        if heading:
            self.body.addWidget(label(heading, "strong"))


_GOOD, _AMBER = ("circle-check", "answerable", "done"), ("triangle-alert", "warning", "warning")
_RED = "circle-alert", "fault", "fault"
# State of a verdict, a line, a cell -> its picture, its colour, the look of its ground.
STATES = dict.fromkeys(("useful", "ok"), _GOOD) | dict.fromkeys(("blurred", "too small", "amber"), _AMBER)
STATES |= dict.fromkeys(("unsafe", "red"), _RED)


class Figure(QWidget):
    """One figure of a verdict: a state's picture, the figure, and what it is."""

    def __init__(self) -> None:
        super().__init__()
        grid = make_grid(6, 2, filling=1)
        grid.setContentsMargins(14, 0, 0, 0)
        self.setLayout(grid)
        self.picture = Picture("circle-check", "answerable", 16)
        self.figure, self.words = label("", "strong"), label("", "small")
        grid.addWidget(self.picture, 0, 0)
        grid.addWidget(self.figure, 0, 1)
        grid.addWidget(self.words, 1, 0, 1, 2)

    def say(self, state: str, figure: str, words: str) -> None:
        """Show a figure: "ok", "11 of 12", "cells are readable"."""
        self.picture.show_picture(*STATES[state][:2])
        self.figure.setText(figure)
        self.words.setText(words)


class VerdictBar(QFrame):
    """The verdict as a page's headline: its picture, title, one sentence, and up to three figures with their limits."""

    def __init__(self) -> None:
        super().__init__()
        row = margins(QHBoxLayout(self), 18, 6, 14, 6, spacing=14)
        self._picture = Picture("circle-check", "answerable", 26)
        self.title, self.sentence = label("", "title"), label("", wrap=True, live=True)
        words = put(margins(QVBoxLayout(), 0, spacing=1), self.title, self.sentence)
        put(row, self._picture, (words, 1))
        self.figures = [Figure() for _ in range(3)]
        for each in self.figures:
            row.addWidget(each, 0, Qt.AlignmentFlag.AlignVCenter)
            each.hide()
        self._shown: Sequence[tuple[str, str, str]] = ()
        self._short = False
        self.state = ""

    def say(self, state: str, title: str, sentence: str, figures: Sequence[tuple[str, str, str]] = ()) -> None:
        """Show a verdict; `state` is a key of `STATES`, each figure (state, figure, words)."""
        picture, colour, look = STATES[state]
        self.state, self._shown = state, figures
        restyle(self, f"verdict-{look}")
        self._picture.show_picture(picture, colour)
        self.title.setText(title)
        restyle(self.title, colour)
        self.sentence.setText(sentence)
        self.setAccessibleName(join((title, sentence, *(f"{figure} {words}" for _, figure, words in figures)), ","))
        self._fill()

    def make_short(self, short: bool) -> None:
        """Leave the figures out where there is no room beside the sentence."""
        self._short = short
        self._fill()

    def _fill(self) -> None:
        for at, each in enumerate(self.figures):
            each.setVisible(at < len(self._shown) and not self._short)
            if at < len(self._shown):
                each.say(*self._shown[at])


class ChoiceCard(QFrame):
    """One of a few ways to choose from: a radio button with a line below it; all of the card can be clicked."""

    def __init__(self, words: str, below: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "choice")
        row = margins(QHBoxLayout(self), 10, 7, 10, 7, spacing=6)
        # A radio button can't wrap its words, so labels beside it show them.
        self.radio = QRadioButton()
        self.radio.setFixedSize(24, 22)
        self.radio.setAccessibleName(words)
        self.radio.setAccessibleDescription(below)
        self.words, self.below = label(words, wrap=True), label(below, "quiet-small", wrap=True)
        texts = put(margins(QVBoxLayout(), 0, 2, 0, 0, spacing=1), self.words, self.below, 1)
        put(row, (self.radio, 0, Qt.AlignmentFlag.AlignTop), (texts, 1))
        self.radio.toggled.connect(self._show)

    def _show(self, on: bool) -> None:
        restyle(self, "choice-taken" if on else "choice")
        restyle(self.words, "strong" if on else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.radio.setFocus(Qt.FocusReason.MouseFocusReason)
        # Forms listen to `clicked`, which setChecked would not emit.
        self.radio.click()


class Columns(QWidget):
    """Two parts beside each other, the second so wide; one below the other when it is folded."""

    def __init__(self, first: QWidget, second: QWidget, width: int, spacing: int = 14) -> None:
        super().__init__()
        self._first, self._second, self._width = first, second, width
        self.row = margins(QHBoxLayout(self), 0, spacing=spacing)
        self.row.addWidget(first, 1)
        self.row.addWidget(second)
        self.fold(False)

    def fold(self, one: bool, width: int = 0) -> None:
        """Put the parts one below the other, or beside each other with another width of the second."""
        turn(self.row, down=one)
        self.row.setStretch(0, 0 if one else 1)
        if one:
            self._second.setMinimumWidth(0)
            # PySide has no name for Qt's largest width, which takes back what setFixedWidth had bound.
            self._second.setMaximumWidth(16_777_215)
        else:
            self._second.setFixedWidth(width or self._width)


class Consequences(QFrame):
    """What follows from a choice, in a few sentences of which the figures stand in bold."""

    def __init__(self, heading: str) -> None:
        super().__init__()
        self.setProperty("look", "follows")
        self.heading = label(heading, "accent")
        self.heading.setFont(theme.small_font(self.font()))
        self.text = label(wrap=True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        put(margins(QVBoxLayout(self), 14, 10, 14, 10, spacing=4), self.heading, (self.text, 1))

    def say(self, sentences: Sequence[str]) -> None:
        """Show sentences, each a paragraph."""
        html = "".join(f"<p style='margin: 0 0 8px 0'>{as_rich(each)}</p>" for each in sentences if each)
        if html != self.text.text():
            self.text.setText(html)
            self.text.setAccessibleName(without_bold(" ".join(sentences)))


class Flow(QLayout):
    """Parts beside each other that go on in the next line where there is no room, as words do."""

    def __init__(self, parent: QWidget | None = None, across: int = 8, down: int = 6) -> None:
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self._items: list[QLayoutItem] = []
        self._widgets: list[QWidget] = []  # until a window has them, nobody else keeps them
        self._across, self._down = across, down

    def addWidget(self, widget: QWidget) -> None:
        # Of items that Qt makes itself PySide says at times that they are deleted, and the program dies of it.
        self.addChildWidget(widget)
        self._widgets.append(widget)
        self.addItem(QWidgetItem(widget))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        if not 0 <= index < len(self._items):
            return None
        self._widgets.pop(index)
        return self._items.pop(index)

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lay(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return size

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay(rect, move=True)

    def _lay(self, rect: QRect, *, move: bool) -> int:
        x, y, high = rect.left(), rect.top(), 0
        line: list[tuple[QLayoutItem, QRect]] = []

        def place() -> None:
            for item, where in line:  # on one middle line
                item.setGeometry(where.translated(0, (high - where.height()) // 2))

        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), 16_777_215))
            # Qt's right() is the last pixel inside, one less than the edge.
            if x > rect.left() and x + size.width() > rect.right() + 1:
                if move:
                    place()
                x, y, high, line = rect.left(), y + high + self._down, 0, []
            line.append((item, QRect(QPoint(x, y), size)))
            x, high = x + size.width() + self._across, max(high, size.height())
        if move:
            place()
        return y + high - rect.top()


def link(text: str, act: Callable[[], object], of: str = "") -> QPushButton:
    """Return a button that looks like a link; `of` tells a screen reader which of several that read alike."""
    control = button(text, act, look="flat-link")
    if of:
        control.setAccessibleName(join((text, of), ":"))
    return control


def line_of(picture: str, colour: str, text: str, look: str = "") -> QWidget:
    """Return a picture with words beside it."""
    row = QWidget()
    words = label(text, look, fitting=True)
    put(margins(QHBoxLayout(row), 0, spacing=8), (Picture(picture, colour), 0, Qt.AlignmentFlag.AlignTop), (words, 1))
    return row


def _banners() -> dict[str, tuple[str, str, str]]:
    """Return the kinds of banner, each with its picture, colour and name."""
    return {
        "note": ("info", "accent", t("Note")),
        "warning": ("triangle-alert", "warning", t("Warning")),
        "fault": ("circle-alert", "fault", t("Problem")),
        "done": ("circle-check", "answerable", t("Done")),
    }


class Banner(QFrame):
    """One sentence above the page's content, with its kind by icon, colour and accessible name, and perhaps an act."""

    _roles: ClassVar[dict[int, QAccessibleWidget]] = {}  # Qt lets go of them when their banner is gone, and not before

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = margins(QHBoxLayout(self), 12, 8, 8, 8, spacing=12)
        self._picture = Picture("info", "accent", 18)
        self.text = label(wrap=True, selectable=True)
        self.text.setMinimumWidth(100)  # a long name would push the buttons out of sight
        self._act: Callable[[], object] = lambda: None
        # The act is looked up at each click, since `say` replaces it.
        self.act_button = button("", lambda: self._act())
        self.close_button = button("", self.hide, look="flat", picture="x", hint=t("Hide"))
        self.close_button.setAccessibleName(t("Hide"))
        middle = Qt.AlignmentFlag.AlignVCenter
        put(self.row, (self._picture, 0, middle), (self.text, 1))
        put(self.row, (self.act_button, 0, middle), (self.close_button, 0, middle))
        self.kind = ""
        # A frame is a group otherwise.
        interface = QAccessibleWidget(self, QAccessible.Role.AlertMessage)
        key = QAccessible.registerAccessibleInterface(interface)
        Banner._roles[key] = interface
        self.destroyed.connect(partial(Banner._roles.pop, key, None))
        self.hide()

    def say(self, kind: str, text: str, act: str = "", do: Callable[[], object] | None = None) -> None:
        """Show `text`; `kind` is "note", "warning", "fault" or "done"; `act` names a button that does `do`."""
        self.kind = kind
        restyle(self, f"banner-{kind}")
        picture, colour, name = _banners()[kind]
        self._picture.show_picture(picture, colour)
        text = translate(text) if isinstance(text, Phrase) else text
        self.text.setText(text)
        self.setAccessibleName(join((name, text), ":"))
        self.text.setAccessibleName(self.accessibleName())
        self.act_button.setVisible(bool(act))
        self.act_button.setText(act)
        self._act = do or (lambda: None)
        self.show()
        announce(self, self.accessibleName(), alert=kind in ("warning", "fault"))


class Empty(QWidget):
    """The empty state: what this page is for, and the button that starts it."""

    def __init__(self, picture: str, heading: str, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = put(
            margins(QVBoxLayout(self), 16, 8, 16, 8, spacing=10),
            2,
            (Picture(picture, "accent", 40), 0, Qt.AlignmentFlag.AlignHCenter),
        )
        self.heading = label(heading, "title", wrap=True)
        self.heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.heading)
        if text:
            below = label(text, "quiet", wrap=True)
            below.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            below.setMaximumWidth(520)
            # Stretches at both sides, not an alignment: an aligned label is never asked how high its wrapped text is.
            column.addLayout(put(QHBoxLayout(), 1, (below, 3), 1))
        self.buttons = margins(QHBoxLayout(), spacing=8)
        column.addSpacing(4)
        column.addLayout(self.buttons)
        self.buttons.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)


class Busy(QWidget):
    """The busy state: what is being done, how far it is, how long it may take, and a way out."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = put(margins(QVBoxLayout(self), 32, spacing=8), 2)
        self.heading = label("", "strong", wrap=True, live=True)
        self.stage = label("", "quiet")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(t("Progress"))
        self.cancel = button(t("Stop"), self._cancel)
        put(column, self.heading, self.bar, self.stage)
        column.addSpacing(8)
        put(column, (self.cancel, 0, Qt.AlignmentFlag.AlignLeft), 3)

    def begin(self, heading: str) -> None:
        """Start from nothing."""
        self.heading.setText(heading)
        self._pace, self._told, self._since = Pace(), ("", 0.0), 0.0
        self.bar.setRange(0, 1000)
        self.bar.setValue(0)
        self.stage.setText(t("Starting"))

    def show_progress(self, stage: str, done: float) -> None:
        """Show the stage and how far it is, or that nobody knows: a search reports, and comes no nearer to its end."""
        now = time.monotonic()
        if (stage, done) != self._told:
            self._told, self._since = (stage, done), now
        stands = now - self._since > _STANDS
        # In thousandths, since a bar counts in whole numbers; one that ends where it begins moves to and fro.
        self.bar.setRange(0, 0 if stands else 1000)
        self.bar.setValue(round(1000 * done))
        left = self._pace.seconds_left(stage, done, now)
        # Seconds and minutes both begin at 1.5, which rounds to 2: the sentences know the plural alone.
        stage, share = translate(stage), percent(done, 0)
        if left is None or left < 1.5:
            text = stage if stands else join((stage, share), ":")
        elif left < 90:
            text = t("{stage}: {share}, about {n} seconds left", stage=stage, share=share, n=number(left))
        else:
            text = t("{stage}: {share}, about {n} minutes left", stage=stage, share=share, n=number(left / 60))
        self.stage.setText(text)
        self.bar.setAccessibleDescription(self.stage.text())

    def _cancel(self) -> None:
        self.stage.setText(t("Stopping"))
        self.cancelled.emit()
