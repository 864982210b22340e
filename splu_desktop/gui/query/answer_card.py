"""One answer: the figure, how far to trust it, and its interval as a bar."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from splu_desktop.core.persons import NARROW
from splu_desktop.core.query.reader import Answer, Badge
from splu_desktop.core.reconstruct.bootstrap import REPEATING
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import Card, Chip, label
from splu_desktop.gui.base.words import number, percent, percent_within, spanned, t, told

LOOKS = {
    Badge.EXACT: ("circle-check", "answerable"),
    Badge.RELIABLE: ("circle-check", "answerable"),
    Badge.UNCERTAIN: ("circle", "between"),
    Badge.PROTECTED: ("shield", "protected"),
}


def interval(answer: Answer) -> str:
    """Return the ends for a list, "–" where the count is exact."""
    return "–" if answer.exact else spanned(*map(number, answer.ends), possible=answer.possible)


def trust(answer: Answer) -> str:
    """Return how far to trust an answer, for a list: the word, or within how much it is reliable."""
    if answer.badge is Badge.RELIABLE:
        return f"±{percent(answer.within / 100, 0)}"
    return told(answer.badge_text).partition(":")[0]


class IntervalBar(QWidget):
    """The 95 % interval on a line that begins at zero; a dot marks the estimate, where there is one to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: Answer | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_answer(self, answer: Answer | None) -> None:
        """Show another answer."""
        self._answer = answer
        if answer is not None:
            low, high = map(number, answer.ends)
            self.setAccessibleName(
                t("{low} to {high} are possible", low=low, high=high)
                if answer.possible
                else t("The true count lies between {low} and {high}, in 95 of 100 cases", low=low, high=high)
            )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.fontMetrics().height() + 26)

    def paintEvent(self, event: QPaintEvent) -> None:
        answer = self._answer
        if answer is None:
            return
        c = theme.colours()
        colour = QColor(getattr(c, LOOKS[answer.badge][1]))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        small = theme.small_font(self.font())
        painter.setFont(small)
        line = painter.fontMetrics().height()
        left, width, middle = 4.0, self.width() - 8.0, 12.0
        top = max(answer.ends[1] * 1.15, 1.0)
        at = [
            left + width * min(value, top) / top
            for value in (answer.low, answer.estimate, max(answer.high, answer.ends[1] - 1.0))
        ]
        painter.setPen(QPen(QColor(c.line), 2))
        painter.drawLine(QPointF(left, middle), QPointF(left + width, middle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(at[0], middle - 4, max(4.0, at[2] - at[0]), 8), 4, 4)
        if not answer.vague:
            painter.setPen(QPen(colour, 2))
            painter.setBrush(QColor(c.card))
            painter.drawEllipse(QPointF(at[1], middle), 6, 6)
        painter.setPen(QColor(c.quiet))
        ends = [number(end) for end in answer.ends]
        if answer.exact:
            ends = ["", ends[1]]
        metrics = painter.fontMetrics()
        wide = [metrics.horizontalAdvance(text) for text in ends]
        places = [min(max(0.0, at[0] - wide[0] / 2), self.width() - wide[0] - wide[1] - 12.0)]
        places.append(max(places[0] + wide[0] + 12.0, min(at[2] - wide[1] / 2, self.width() - wide[1] - 0.0)))
        for place, text, w in zip(places, ends, wide, strict=True):
            painter.drawText(QRectF(place, middle + 10, w + 2, line), int(Qt.AlignmentFlag.AlignLeft), text)


class AnswerCard(Card):
    """Shows one answer, or says that none was asked for yet.

    by_person : whether the release was drawn by person, so that its intervals may be too narrow, which is said then.
    """

    by_person = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", spacing=4, parent=parent)
        self.heading = label(t("Answer"), "strong")
        self.body.addWidget(self.heading)
        self.figure = label("", selectable=True)
        self.figure.setFont(theme.title_font(self.font()))
        self.badge = Chip()
        self.badge_more = label("", "quiet", wrap=True)
        self.bar = IntervalBar()
        self.bar_note = label("", "quiet", wrap=True)
        self.caution = label(told(NARROW), "quiet", wrap=True)
        self.published = label("", selectable=True, wrap=True)
        self.share = label("", selectable=True, wrap=True)
        self.true = label("", "warning", selectable=True, wrap=True)
        self.true.setMargin(6)
        self.nothing = label(t("Choose values, then press the button below."), "quiet", wrap=True)
        self._parts = (
            self.figure,
            self.badge,
            self.badge_more,
            self.bar,
            self.bar_note,
            self.caution,
            self.published,
            self.share,
        )
        self.repeating = QProgressBar()
        self.repeating.setTextVisible(False)
        self.repeating.setMaximumHeight(6)
        self.repeating.setRange(0, 100)
        self.repeating.setAccessibleName(t("Repeating the draw"))
        self.repeating_note = label(t("Repeating the draw"), "quiet", wrap=True)
        self.end_progress()
        for part in (self.nothing, *self._parts, self.true, self.repeating_note, self.repeating):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self.show_answer(None)

    def show_progress(self, stage: str, done: float) -> None:
        """Show how far the repetitions of the draw are; other work takes no time that would be seen."""
        if stage == REPEATING:
            self.repeating.setValue(round(100 * done))
            for part in (self.repeating_note, self.repeating):
                part.show()

    def end_progress(self) -> None:
        """Show no progress any more."""
        for part in (self.repeating_note, self.repeating):
            part.hide()

    def show_answer(self, answer: Answer | None, true: int | None = None) -> None:
        """Show another answer; `true` is the true count where the custodian asked to see it."""
        for part in self._parts:
            part.setVisible(answer is not None)
        self.nothing.setVisible(answer is None)
        self.true.setVisible(answer is not None and true is not None)
        if answer is None:
            return
        if true is not None:
            self.true.setText(t("True count: {n} (custodian only)", n=number(true)))
        self.figure.setText(told(answer.shown))
        word, _, more = told(answer.badge_text).partition(": ")
        self.badge.say(LOOKS[answer.badge][0], word, LOOKS[answer.badge][1])
        self.badge_more.setText(more[:1].upper() + more[1:] + "." if more else "")
        self.badge_more.setVisible(bool(more))
        self.bar.show_answer(answer)
        self.bar.setVisible(not answer.exact)
        self.bar_note.setVisible(not answer.exact)
        self.caution.setVisible(not answer.exact and self.by_person)
        self.bar_note.setText(
            t("The release does not tell this count: the range is what it leaves possible.")
            if answer.possible
            else t("The true count lies in this range in 95 of 100 cases, by repeating the draw on paper.")
            if answer.bootstrapped
            else t("The true count lies in this range in 95 of 100 cases.")
        )
        self.published.setText(t("Published count: {n}", n=number(answer.published)))
        self.published.setVisible(not answer.exact)
        self._show_share(answer)

    def spoken(self) -> str:
        """Return the answer as it is read out: what stands on the card, the true count apart."""
        said = (
            self.figure.text(),
            self.badge.text(),
            self.badge_more.text() if not self.badge_more.isHidden() else "",
            self.bar.accessibleName() if not self.bar.isHidden() else "",
        )
        return ". ".join(part.rstrip(".") for part in said if part)

    def _show_share(self, answer: Answer) -> None:
        self.share.setVisible(answer.n_p > 0 and not answer.exact)
        if self.share.isHidden():
            return
        of = number(answer.n_p)
        width = (answer.ends[1] - answer.ends[0]) / answer.n_p
        ends = [percent_within(end / answer.n_p, width) for end in answer.ends]
        if answer.vague:
            text = t("{low} to {high} of the {of} records selected", low=ends[0], high=ends[1], of=of)
        else:
            text = t(
                "{share} of the {of} records selected ({low} to {high})",
                share=percent_within(answer.estimate / answer.n_p, width),
                of=of,
                low=ends[0],
                high=ends[1],
            )
        self.share.setText(text.replace(" %", "\N{NO-BREAK SPACE}%"))
