"""The inputs of the plan page: the gamma slider with its limit in words, and boxes for shares and counts."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from splu_desktop.core.plan import Thresholds
from splu_desktop.gui.base.facts import ColumnFacts
from splu_desktop.gui.base.widgets import Sparing, called, label, margins, new_grid, percent_box, whole_box
from splu_desktop.gui.base.words import filled, number, percent, t, tip
from splu_desktop.gui.plan.figures import SLIDER


class GammaControl(QWidget):
    """Slider and box for gamma, limited to what the column allows, which it says in words; `beside` is at its end."""

    changed = Signal(int)

    def __init__(self, beside: QWidget) -> None:
        super().__init__()
        grid = new_grid(12, 4, self)
        grid.setContentsMargins(0, 0, 0, 0)
        caption = label(t("&Group size gamma"), "strong")
        caption.setTextFormat(Qt.TextFormat.AutoText)
        self.box = whole_box(SLIDER[0], SLIDER[-1], t("Group size gamma"))
        caption.setBuddy(self.box)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(SLIDER[0], SLIDER[-1])
        self.slider.setPageStep(5)
        self.slider.setAccessibleName(t("Group size gamma"))
        self.least, self.most = label(number(SLIDER[0]), "quiet"), label(number(SLIDER[-1]), "quiet")
        self.limit = label("", "quiet", wrap=True)
        grid.addWidget(caption, 0, 0)
        grid.addWidget(self.least, 0, 1)
        grid.addWidget(self.slider, 0, 2)
        grid.addWidget(self.most, 0, 3)
        grid.addWidget(self.box, 0, 4)
        grid.addWidget(beside, 0, 5)
        grid.addWidget(self.limit, 1, 0, 1, 6)  # as wide as there is room, so that it takes few lines
        grid.setColumnStretch(2, 1)
        self.slider.valueChanged.connect(self._moved)
        self.box.valueChanged.connect(self._moved)

    def value(self) -> int:
        """Return gamma."""
        return self.slider.value()

    def show_value(self, gamma: int, least: ColumnFacts) -> None:
        """Show gamma, and of the column that has room for the smallest groups up to where these serve it."""
        for part in (self.slider, self.box):
            with QSignalBlocker(part):
                part.setValue(gamma)
        if least.largest_gamma >= SLIDER[-1]:
            text = t("Groups of any size are possible: the most frequent value, “{value}”, fills only {share}.")
        elif least.largest_gamma < SLIDER[0]:
            text = t(
                "“{column}”: the most frequent value, “{value}”, fills {share} of the records, too much for groups."
                " Instead, other records show the sensitive values too; gamma says how sure someone may be."
            )
        else:
            text = t(
                "“{column}”: groups up to {most}, since the most frequent value, “{value}”, fills {share} of the"
                " records. Above {most}, other records show the sensitive values too, instead of groups."
            )
        self.limit.setText(
            filled(
                text,
                column=least.name,
                most=number(least.largest_gamma),
                value=least.top or t("(empty)"),
                share=percent(least.top_share),
            )
        )
        self.slider.setAccessibleDescription(self.limit.text())

    def _moved(self, gamma: int) -> None:
        for part in (self.slider, self.box):
            with QSignalBlocker(part):
                part.setValue(gamma)
        self.changed.emit(gamma)


class ThresholdBoxes(QWidget):
    """What the custodian asks of the release: alpha, epsilon, T_P and T_E in one row, in words."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        cases = label(t("of cases,"))
        row = Sparing(cases)
        margins(QHBoxLayout(self), 0).addWidget(row)
        asks = row.row
        asks.setSpacing(4)
        self.alpha = whole_box(1, 1000, t("Largest small count, alpha"))
        self.epsilon = percent_box(2.0, 100.0, 0, t("Relative error, epsilon"))
        self.t_e = percent_box(0.1, 50.0, 1, t("Tolerated probability of failing, T_E"))
        self.t_p = percent_box(0.0, 99.0, 0, t("How surely small counts are to be shown wrong"))
        self.t_p.setSpecialValueText(t("not set"))
        for words, box, hint in (
            (
                t("Counts up to"),
                self.alpha,
                t("alpha: counts of this many records or fewer are small, and are to be shown wrong"),
            ),
            (
                t("are off by over"),
                self.epsilon,
                t("epsilon: an error of more than this share of the true count makes a count wrong"),
            ),
            (
                t("in at least"),
                self.t_p,
                t("How surely a small count is to be shown wrong (T_P); a group size is then recommended"),
            ),
            (
                t("large ones in at most"),
                self.t_e,
                t("T_E: the probability with which a large count may still be wrong"),
            ),
        ):
            text = label(words)
            text.setBuddy(box)
            called(box, words)
            tip(text, hint)
            tip(box, hint)
            asks.addWidget(text)
            special, wide = box.specialValueText(), box.fontMetrics().horizontalAdvance
            box.setMinimumWidth(max(62, wide(special) + 38 if special else 0, wide("30 %") + 30))
            box.setMaximumWidth(max(84, box.minimumWidth()))
            asks.addWidget(box)
            asks.addSpacing(2)
        asks.insertWidget(asks.indexOf(self.t_p) + 1, cases)
        asks.addStretch(1)
        for box in (self.alpha, self.epsilon, self.t_p, self.t_e):
            box.valueChanged.connect(lambda _: self.changed.emit())

    def value(self) -> Thresholds:
        """Return what is asked."""
        return Thresholds(
            epsilon=round(self.epsilon.value() / 100, 6),
            t_e=round(self.t_e.value() / 100, 6),
            alpha=self.alpha.value(),
            t_p=round(self.t_p.value() / 100, 6) or None,
        )

    def show_value(self, thresholds: Thresholds) -> None:
        """Show what is asked."""
        shares = ((self.epsilon, thresholds.epsilon), (self.t_e, thresholds.t_e), (self.t_p, thresholds.t_p or 0.0))
        for box, share in shares:
            with QSignalBlocker(box):
                box.setValue(100 * share)
        with QSignalBlocker(self.alpha):
            self.alpha.setValue(thresholds.alpha)
