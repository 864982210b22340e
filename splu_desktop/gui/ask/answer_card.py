"""The answer to one question: the number, how far it may be trusted, its range, and one sentence."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from splu_desktop.core.answer.answer import EXACT, HIDDEN, READABLE, ROUGH, Answer
from splu_desktop.core.answer.words import ends_of
from splu_desktop.gui.ask.asking import Asked
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.parts import Card
from splu_desktop.gui.base.widgets import Picture, label, margins, put, restyle
from splu_desktop.gui.base.words import number, percent, t
from splu_desktop.gui.proposal.ranges import TRUST, draw_range, trust_words


def about(answer: Answer) -> int:
    """Return the number that is said, inside its range."""
    low, high = ends_of(answer)
    return min(max(round(answer.estimate), low), high)


def answer_words(answer: Answer) -> str:
    """Return an answer as people read it: the range first where the number is too rough, no number where hidden."""
    low, high = ends_of(answer)
    trust = answer.trust()
    if trust == EXACT:
        return number(answer.n_p)
    if trust == READABLE:
        return t("about {n}", n=number(about(answer)))
    if trust == ROUGH:
        return t("between {low} and {high}", low=number(low), high=number(high))
    return t("hidden")


def trust_line(answer: Answer) -> str:
    """Return how good an answer is, in words."""
    trust = answer.trust()
    if trust == READABLE:
        return t("readable: good to {error}", error=percent(answer.relative, 0))
    if trust == ROUGH:
        return t("too rough: about {n}, wrong by up to {error}", n=number(about(answer)), error=error_words(answer))
    if trust == HIDDEN:
        return t("hidden: small on purpose")
    return t("exact: no secret column is asked")


def error_words(answer: Answer) -> str:
    """Return the error of an answer, which may be larger than the answer."""
    return percent(min(answer.relative, 9.99), 0)


class RangeLine(QWidget):
    """The range on a line from 0, with the number, and the true count above it where it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: Asked | None = None
        self._truth = False
        self.setMinimumHeight(58)

    def show_answer(self, asked: Asked | None, truth: bool) -> None:
        """Show an answer."""
        self._asked, self._truth = asked, truth
        if asked is not None:
            low, high = ends_of(asked.answer)
            self.setAccessibleName(t("between {low} and {high}", low=number(low), high=number(high)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 60)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._asked is None or self._asked.answer.exact:
            return
        c, painter, answer = theme.colours(), QPainter(self), self._asked.answer
        low, high = ends_of(answer)
        truth = self._asked.truth if self._truth else None
        top = 1.25 * max(high, truth or 0, 1)
        box, middle = QRectF(6, 0, self.width() - 12, 60), 30.0

        def place(value: float) -> float:
            return box.left() + value / top * box.width()

        point = None if answer.trust() == HIDDEN else about(answer)
        draw_range(painter, box, place, (low, high), answer.trust(), truth=truth, point=point)
        painter.setFont(theme.small_font(self.font()))
        metrics = painter.fontMetrics()
        painter.setPen(QColor(c.text))
        first, last = number(low), number(high)
        widths = metrics.horizontalAdvance(first), metrics.horizontalAdvance(last)
        lefts = [place(low) - widths[0] / 2, place(high) - widths[1] / 2]
        over = lefts[0] + widths[0] + 10 - lefts[1]
        if over > 0:  # the ends lie closer than their words are wide
            lefts = [lefts[0] - over / 2, lefts[1] + over / 2]
        shift = max(0.0, -lefts[0])
        for words, left, wide in ((first, lefts[0], widths[0]), (last, lefts[1], widths[1])):
            x = min(left + shift, self.width() - wide)
            painter.drawText(QPointF(x, middle + 9 + metrics.ascent() + 3), words)
        if truth is not None:
            words = t("true: {n}", n=number(truth))
            wide = metrics.horizontalAdvance(words)
            painter.drawText(QPointF(min(max(place(truth) - wide / 2, 0), self.width() - wide), 12), words)
        painter.end()


class AnswerCard(Card):
    """The answer. Signal `truth_wanted` (bool)."""

    truth_wanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__(spacing=6)
        self._asked: Asked | None = None
        self.body.addWidget(label(t("Answer"), "quiet"))
        self.number = label("", live=True, fitting=True)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 2.1)
        font.setBold(True)
        self.number.setFont(font)
        self.picture = Picture("circle-check", "answerable", 15)
        self.trust = label("", fitting=True)
        self.range = RangeLine()
        self.promise, self.share = label("", fitting=True), label("", fitting=True)
        self.truth = QCheckBox(t("True counts, only here"))
        self.truth.toggled.connect(self._turn)
        row = put(margins(QHBoxLayout(), 0, spacing=7), (self.picture, 0, Qt.AlignmentFlag.AlignTop), (self.trust, 1))
        put(self.body, self.number, row, self.range, self.promise, self.share, 1, self.truth)

    def offer_truth(self, there: bool) -> None:
        """Show the tick for true counts where the source is at hand."""
        self.truth.setVisible(there)
        if not there:
            self.truth.setChecked(False)

    def show_answer(self, asked: Asked | None) -> None:
        """Show an answer, or none."""
        self._asked = asked
        there = asked is not None
        for part in (self.picture, self.trust, self.range, self.promise, self.share):
            part.setVisible(there)
        if asked is None:
            self.number.setText(t("Choose values"))
            return
        answer = asked.answer
        trust = answer.trust()
        self._size_of(trust)
        self.number.setText(answer_words(answer))
        picture, colour, _ = TRUST[trust]
        self.picture.show_picture(picture, colour)
        self.trust.setText(trust_line(answer))
        restyle(self.trust, colour)
        exact = answer.exact
        self.range.setVisible(not exact)
        self.range.show_answer(asked, self.truth.isChecked())
        self.promise.setVisible(not exact)
        self.promise.setText(t("In 95 of 100 releases the range holds the true count."))
        share = answer.share
        if share is None or exact:
            self.share.setText("")
        elif trust == HIDDEN:
            self.share.setText(
                t("At most {high} of {n} rows.", high=percent(min(share[2], 1.0), 1), n=number(answer.n_p))
            )
        else:
            self.share.setText(
                t(
                    "{share} of the {n} rows ({low} to {high})",
                    share=percent(share[0], 1),
                    n=number(answer.n_p),
                    low=percent(share[1], 1),
                    high=percent(share[2], 1),
                )
            )

    def _size_of(self, trust: str) -> None:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * (1.5 if trust == ROUGH else 2.1))
        font.setBold(True)
        self.number.setFont(font)

    def _turn(self, on: bool) -> None:
        self.truth_wanted.emit(on)
        if self._asked is not None:
            self.range.show_answer(self._asked, on)


__all__ = ["AnswerCard", "answer_words", "trust_words"]
