"""Two other ways, each a whole proposal; and, for a table too small for rows, what would make rows possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from splu_desktop.core.messages import cases_of_100
from splu_desktop.core.policy import Alternative
from splu_desktop.gui.base.parts import Card, line_of, link
from splu_desktop.gui.base.session import Judgement
from splu_desktop.gui.base.widgets import Picture, button, empty, label, margins, put, restyle
from splu_desktop.gui.base.words import join, number, plain, t, translate
from splu_desktop.gui.proposal.figures import strength_words


@dataclass(frozen=True, eq=False)
class Way:
    """A way as its card shows it.

    Attributes
    ----------
    title, words : what it is called, and what it changes.
    figures : (whether it is good, words).
    take : what its button does.
    """

    title: str
    words: str
    figures: tuple[tuple[bool, str], ...]
    take: Callable[[], object]


def way_of(other: Alternative, take: Callable[[], object], judged: Judgement | None) -> Way:
    """Return an alternative of the policy as a card shows it, beside what was judged."""
    words = translate(other.words)
    head, colon, rest = words.partition(": ")
    rest = rest if colon and other.kind in ("safer", "sharper") else words
    titles = {"safer": t("Safer"), "sharper": t("More exact"), "works": t("A way that works")}
    figures = []
    if other.cells is not None:
        reads = t("{n} of {cells} cells readable", n=number(other.readable or 0), cells=number(other.cells))
        figures.append((other.works, reads))
    if other.gamma is not None:
        words = t("strength {gamma}", gamma=strength_words(other.gamma))
        if judged is not None and other.plan == judged.plan.with_gamma(other.gamma):  # strength is said already
            average = judged.verdict.figures.certainty.with_gamma(other.gamma).average
            words = t("rows right: {n} in 100", n=cases_of_100(average))
        figures.append((True, words))
    return Way(titles.get(other.kind, head), rest[:1].upper() + rest[1:], tuple(figures), take)


class WayCard(Card):
    """One way with its figures."""

    def __init__(self, way: Way, *, first: bool) -> None:
        super().__init__("", 12, 9, spacing=5)
        text = label(way.words, "quiet", fitting=True)
        text.setToolTip(plain(way.words))
        put(self.body, label(way.title, "strong", fitting=True), text)
        for good, figure in way.figures:
            picture = ("circle-check", "answerable") if good else ("circle-alert", "warning")
            self.body.addWidget(line_of(*picture, figure))
        self.body.addStretch(1)
        self.use: QPushButton = button(t("Use this"), way.take)
        self.use.setAccessibleName(join((self.use.text(), join((way.title, way.words), ",")), ":"))
        if first:
            restyle(self.use, "primary")
            restyle(self, "card-accent")
        self.body.addWidget(self.use, 0, Qt.AlignmentFlag.AlignLeft)


class Ways(QWidget):
    """The ways side by side under a heading."""

    def __init__(self) -> None:
        super().__init__()
        outer = margins(QVBoxLayout(self), 0, spacing=6)
        self.heading = label("", "strong")
        outer.addWidget(self.heading)
        self.row = margins(QHBoxLayout(), 0, spacing=12)
        outer.addLayout(self.row, 1)
        self.cards: list[WayCard] = []

    def show_ways(self, ways: Sequence[Way], *, needed: bool) -> None:
        """Hold other ways, hidden; `needed` where the proposal itself is not good: the first becomes the main act."""
        self.hide()  # else the page, plots and all, would be laid out for each card
        empty(self.row)
        self.heading.setText(t("Ways that work") if needed else t("Other ways"))
        self.cards = []
        for at, way in enumerate(ways[:2]):
            card = WayCard(way, first=needed and not at)
            self.cards.append(card)
            self.row.addWidget(card, 1)


class PossibleCard(Card):
    """What would make rows possible, each with its figure, also where it fails. Signal `taken` (Alternative)."""

    taken = Signal(object)

    def __init__(self) -> None:
        super().__init__(t("Or get the rows out after all"), 14, 10, spacing=6)
        self.lines = margins(QVBoxLayout(), 0, spacing=8)
        self.body.addLayout(self.lines)
        self.body.addStretch(1)

    def show_ways(self, ways: Sequence[Alternative]) -> None:
        """Show what would help; what can be tried now is a button."""
        empty(self.lines)
        for way in ways:
            row = QWidget()
            inside = margins(QHBoxLayout(row), 0, spacing=10)
            picture = ("circle-check", "answerable") if way.works else ("history", "quiet")
            text = put(margins(QVBoxLayout(), 0, spacing=0), label(translate(way.words), fitting=True))
            if way.cells:
                figure = t("{n} of {cells} cells readable", n=way.readable or 0, cells=way.cells)
                text.addWidget(label(figure if way.works else t("{figure}, still too few", figure=figure), "quiet"))
            elif way.plan is not None:
                text.addWidget(label(t("no cell is large enough, still too few"), "quiet"))
            put(inside, (Picture(*picture, 16), 0, Qt.AlignmentFlag.AlignTop), (text, 1))
            if way.plan is not None:
                inside.addWidget(link(t("Try it"), partial(self.taken.emit, way), translate(way.words)))
            self.lines.addWidget(row)
