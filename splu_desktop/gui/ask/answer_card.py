"""The answer to one question: the number, how far it may be trusted, its range, and one sentence."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from splu_desktop.core.answer.answer import EXACT, HIDDEN, READABLE, ROUGH, Answer, ends_of
from splu_desktop.gui.ask.asking import AnsweredQuestion
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.parts import Card
from splu_desktop.gui.base.widgets import Picture, label, margins, put, restyle
from splu_desktop.gui.base.words import number, percent, t
from splu_desktop.gui.proposal.ranges import TRUST, RangeStrip, Strip


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
        return t("readable: good to {error}", error=percent(max(answer.relative, 0.01), 0))
    if trust == ROUGH:
        return t("too rough: about {n}, wrong by up to {error}", n=number(about(answer)), error=error_words(answer))
    if trust == HIDDEN:
        return t("hidden: it may be very small")
    return t("exact: no secret column is asked")


def share_line(answer: Answer) -> str:
    """Return which share of the rows that is, "" where that is not estimated."""
    share = answer.share
    if share is None or answer.exact:
        return ""
    middle, low, high = (percent(min(each, 1.0), 1) for each in share)
    if answer.trust() == HIDDEN:
        return t("At most {high} of {n} rows.", high=high, n=number(answer.n_p))
    return t("{share} of the {n} rows ({low} to {high})", share=middle, n=number(answer.n_p), low=low, high=high)


def error_words(answer: Answer) -> str:
    """Return the error of an answer, which may be larger than the answer."""
    return percent(min(max(answer.relative, 0.01), 9.99), 0)


class AnswerCard(Card):
    """The answer. Signal `truth_wanted` (bool)."""

    truth_wanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__(spacing=4)
        self._asked: AnsweredQuestion | None = None
        self.number = label("", live=True, fitting=True)
        self.number.setFont(theme.resize_font(self.font(), 2.1, bold=True))  # a later one goes with the next colours
        self.picture = Picture("circle-check", "answerable", 15)
        self.trust = label("", fitting=True)
        self.range = RangeStrip(52)
        self.promise = label(t("In 95 of 100 releases the range holds the true count."), fitting=True)
        self.share = label("", fitting=True)
        self.truth = QCheckBox(t("True counts, only here"))
        self.truth.toggled.connect(self._turn)
        row = put(margins(QHBoxLayout(), 0, spacing=7), (self.picture, 0, Qt.AlignmentFlag.AlignTop), (self.trust, 1))
        self.heading = label(t("Answer"), "quiet")
        put(self.body, self.heading, self.number, row, self.range, self.promise, self.share, 1)
        self.body.addWidget(self.truth)

    def offer_truth(self, there: bool) -> None:
        """Show the tick for true counts where the source is at hand."""
        self.truth.setVisible(there)
        if not there:
            self.truth.setChecked(False)

    def show_answer(self, asked: AnsweredQuestion | None) -> None:
        """Show an answer, or none."""
        self._asked = asked
        there = asked is not None
        estimated = asked is not None and not asked.answer.exact
        parts: dict[QWidget, bool] = {self.picture: there, self.trust: there, self.share: there}
        for part, on in (parts | {self.range: estimated, self.promise: estimated}).items():
            part.setVisible(on)
        trust = "" if asked is None else asked.answer.trust()
        self.number.setFont(theme.resize_font(self.font(), 1.5 if trust == ROUGH else 2.1, bold=True))
        if asked is None:
            self.number.setText(t("Choose values"))
            return
        answer, (picture, colour, _) = asked.answer, TRUST[trust]
        self.number.setText(answer_words(answer))
        self.picture.show_picture(picture, colour)
        self.trust.setText(trust_line(answer))
        restyle(self.trust, colour)
        point = None if trust == HIDDEN else about(answer)
        truth = asked.truth if self.truth.isChecked() else None
        self.range.show_strip(Strip(ends_of(answer), trust, point, truth, words=number))
        self.share.setText(share_line(answer))

    def _turn(self, on: bool) -> None:
        self.truth_wanted.emit(on)
        self.show_answer(self._asked)
