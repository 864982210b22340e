"""Two other ways, each a whole proposal; and, for a table too small for rows, what would make rows possible."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from splu_desktop.core.policy import Alternative
from splu_desktop.gui.base.parts import Card, link
from splu_desktop.gui.base.widgets import Picture, button, emptied, label, margins, put, restyle
from splu_desktop.gui.base.words import decimal, number, t, told


class WayCard(Card):
    """One way with its figures. Signal `taken`."""

    taken = Signal()

    def __init__(self, way: Alternative, *, first: bool) -> None:
        super().__init__(spacing=5)
        self.body.setContentsMargins(12, 9, 12, 9)
        kinds = {"safer": t("Safer"), "sharper": t("More exact"), "works": t("A way that works"), "possible": ""}
        title = kinds.get(way.kind, "")
        words = told(way.words)
        head, _, rest = words.partition(": ") if way.kind in ("safer", "sharper") else ("", "", words)
        put(self.body, label(title or head, "strong"))
        text = label(rest[:1].upper() + rest[1:] if rest else words, "quiet", wrap=True)
        text.setToolTip(words)
        put(self.body, text)
        for good, figure in _figures(way):
            row = margins(QHBoxLayout(), 0, spacing=6)
            put(row, Picture(*_sign(good), 14), (label(figure), 1))
            self.body.addLayout(row)
        self.body.addStretch(1)
        self.use: QPushButton = button(t("Use this"), self.taken.emit)
        self.use.setAccessibleName(t("Use this: {way}", way=words))
        self.use.setVisible(way.plan is not None)
        if first:
            restyle(self.use, "primary")
        self.body.addWidget(self.use, 0, Qt.AlignmentFlag.AlignLeft)


def _sign(good: bool) -> tuple[str, str]:
    return ("circle-check", "answerable") if good else ("circle-alert", "warning")


def _figures(way: Alternative) -> list[tuple[bool, str]]:
    found = []
    if way.cells is not None:
        words = t("{n} of {cells} cells readable", n=number(way.answered or 0), cells=number(way.cells))
        found.append((way.works, words))
    if way.gamma is not None:
        found.append((True, t("strength {gamma}", gamma=decimal(way.gamma))))
    return found


class Ways(QWidget):
    """The ways side by side under a heading. Signal `taken` (Alternative)."""

    taken = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        outer = margins(QVBoxLayout(self), 0, spacing=6)
        self.heading = label("", "strong")
        outer.addWidget(self.heading)
        self.row = margins(QHBoxLayout(), 0, spacing=12)
        outer.addLayout(self.row, 1)
        self.cards: list[WayCard] = []

    def show_ways(self, ways: Sequence[Alternative], *, needed: bool) -> None:
        """Show other ways; `needed` where the proposal itself is not good, so that the first becomes the main act."""
        emptied(self.row)
        if needed:
            self.heading.setText(t("Two ways that work") if len(ways) > 1 else t("A way that works"))
        else:
            self.heading.setText(t("Two other ways") if len(ways) > 1 else t("Another way"))
        self.cards = []
        for at, way in enumerate(ways[:2]):
            card = WayCard(way, first=needed and not at)
            card.taken.connect(lambda way=way: self.taken.emit(way))
            self.cards.append(card)
            self.row.addWidget(card, 1)
        self.setVisible(bool(ways))

    def stack(self, on: bool) -> None:
        """Put the cards below one another, or side by side."""
        down, right = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self.row.setDirection(down if on else right)


class Possible(Card):
    """What would make rows possible, each with its figure, also where it fails. Signal `taken` (Alternative)."""

    taken = Signal(object)

    def __init__(self) -> None:
        super().__init__(t("Or get the rows out after all"), spacing=6)
        self.body.setContentsMargins(14, 10, 14, 10)
        self.lines = margins(QVBoxLayout(), 0, spacing=8)
        self.body.addLayout(self.lines)
        self.body.addStretch(1)

    def show_ways(self, ways: Sequence[Alternative]) -> None:
        """Show what would help; what can be tried now is a button."""
        emptied(self.lines)
        for way in ways:
            row = QWidget()
            inside = margins(QHBoxLayout(row), 0, spacing=10)
            picture = ("circle-check", "answerable") if way.works else ("history", "quiet")
            text = margins(QVBoxLayout(), 0, spacing=0)
            put(text, label(told(way.words), fitting=True))
            if way.cells is not None:
                figure = t("{n} of {cells} cells readable", n=way.answered or 0, cells=way.cells)
                text.addWidget(label(figure if way.works else t("{figure}, too few", figure=figure), "quiet"))
            put(inside, (Picture(*picture, 16), 0, Qt.AlignmentFlag.AlignTop), (text, 1))
            if way.plan is not None:
                name = t("Try it: {way}", way=told(way.words))
                inside.addWidget(link(t("Try it"), lambda way=way: self.taken.emit(way), name))
            self.lines.addWidget(row)
