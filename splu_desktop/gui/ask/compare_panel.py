"""Compare groups: rates or averages of two groups, as a difference or a ratio, and by several columns at once."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout

from splu_desktop.core.answer.analyses import Analysis, Estimate, Result, analyse
from splu_desktop.core.answer.answer import EXACT
from splu_desktop.gui.ask.asking import AskableRelease, Panel
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.choices import Choice, TickList
from splu_desktop.gui.base.messages import name_value, value_words
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.parts import Card
from splu_desktop.gui.base.widgets import label, make_grid, margins, put, show_whole
from splu_desktop.gui.base.words import bare, decimal, t, translate
from splu_desktop.gui.proposal.ranges import RangeStrip, Strip, range_words

_MOST = 400  # values offered in a box
_REST = 120  # ms


class ComparePanel(Panel):
    """Two groups, or several columns at once."""

    def build(self) -> None:
        self.kind = Choice(bare(t("&Compare")))
        self.outcome, self.value = Choice(t("Column"), 12), Choice(t("Value"), 12)
        self.exposure = Choice(t("between groups by"), 12)
        self.one, self.other = Choice(t("Group"), 12), Choice(t("all others"), 12)
        self.adjusted = TickList(t("adjusted for"))
        card = Card(spacing=6)
        grid = make_grid(10, 8, filling=1)
        for row, (name, parts) in enumerate(
            (
                (bare(t("&Compare")), (self.kind,)),
                (t("of"), (self.outcome, self.value)),
                (t("between groups by"), (self.exposure,)),
                (t("namely"), (self.one, self.other)),
            )
        ):
            grid.addWidget(label(name, "strong"), row, 0)
            line = margins(QHBoxLayout(), 0, spacing=8)
            put(line, *((part, 1) for part in parts))
            grid.addLayout(line, row, 1)
        self.adjusted_name = label(t("adjusted for"), "strong")
        grid.addWidget(self.adjusted_name, 4, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.adjusted, 4, 1)
        grid.setRowStretch(4, 1)
        card.body.addLayout(grid, 1)
        self.result = self._make_result()
        self.row = margins(QHBoxLayout(), 0, spacing=14)
        put(self.row, (card, 5), (self.result, 4))
        margins(QVBoxLayout(self), 0).addLayout(self.row, 1)
        self.kind.currentIndexChanged.connect(lambda at: self._fill())
        self.outcome.currentIndexChanged.connect(lambda at: self._fill_values())
        self.exposure.currentIndexChanged.connect(lambda at: self._fill_groups())
        for box in (self.value, self.one, self.other):
            box.currentIndexChanged.connect(lambda at: self._change())
        self.adjusted.itemChanged.connect(lambda item: self._change())

    def _make_result(self) -> Card:
        card = Card(spacing=8)
        self.what = label("", "quiet", fitting=True)
        self.figure = label("", live=True, fitting=True)
        self.figure.setFont(theme.resize_font(self.font(), 2.0, bold=True))
        self.interval = RangeStrip(52)
        self.sentence, self.alike = label("", fitting=True), label("", "quiet", fitting=True)
        self.notes, self.fault = label("", "quiet", fitting=True), label("", "fault", fitting=True)
        self.table = TableView(t("Answer"))
        fields: list[Field[Estimate]] = [
            Field(t("Column"), lambda each: each.name),
            Field(t("Figure"), lambda each: decimal(each.estimate), right=True),
            Field(t("between"), lambda each: range_words(each.low, each.high, mean=True), right=True),
        ]
        self.model = self.table.hold(fields)
        put(card.body, self.what, self.figure, self.interval, self.sentence, self.alike, self.fault, self.notes)
        put(card.body, (self.table, 5), 1)
        return card

    def fold(self, fold: Fold) -> None:
        # In one column the answer comes first.
        self.row.setDirection(
            QBoxLayout.Direction.BottomToTop if fold is Fold.NARROW else QBoxLayout.Direction.LeftToRight
        )
        self.adjusted.setMaximumHeight({Fold.WIDE: 260, Fold.MIDDLE: 120, Fold.NARROW: 16_777_215}[fold])
        for each in (self.adjusted, self.table):
            show_whole(each, 70, whole=fold is Fold.NARROW)

    def show_release(self, opened: AskableRelease) -> None:
        super().show_release(opened)
        self.kind.offer(
            [
                (t("rates, as a ratio"), "risk ratio"),
                (t("rates, as a difference"), "difference"),
                (t("odds, as a ratio"), "odds ratio"),
                (t("averages, as a difference"), "mean"),
                (t("odds, adjusted for other columns"), "logistic"),
            ]
        )
        self._fill()

    def ask_for(self, outcome: str, value: str | None, by: Sequence[str]) -> None:
        """Choose what is compared first."""
        for box, name in ((self.outcome, outcome), (self.value, value), (self.exposure, by[0] if by else None)):
            # Not by `choose`, which nobody hears: each box fills those that come after it.
            box.setCurrentIndex(max(0, box.findData(name)))

    # --- boxes

    def _fill(self) -> None:
        published = self.current.published
        mean, adjusts = (self.kind.currentData() == each for each in ("mean", "logistic"))
        outcomes = [*published.sensitive, *published.nsas]
        if mean:
            outcomes = [name for name in outcomes if published.numbers(name) is not None]
        kept = self.outcome.currentData()
        self.outcome.offer([(name, name) for name in outcomes], kept)
        self.value.setVisible(not mean)
        for part in (self.adjusted, self.adjusted_name):
            part.setVisible(adjusts)
        for box in (self.one, self.other):
            box.setVisible(not adjusts)
        self._fill_values()

    def _fill_values(self) -> None:
        name = self.outcome.currentData()
        if name is None:
            self.show_fault(t("No column of this release holds numbers."))
            return
        self.value.offer(_values(self.current, str(name)), self.value.currentData())
        names = sorted((each for each in self.current.columns if each != name), key=self.current.is_secret)
        self.exposure.offer([(each, each) for each in names], self.exposure.currentData())
        self._fill_groups()

    def _fill_groups(self) -> None:
        name = self.exposure.currentData()
        if name is None:
            return
        values = _values(self.current, str(name))
        self.one.offer(values, self.one.currentData())
        self.other.offer([(t("all others"), None), *values], self.other.currentData())
        self.adjusted.offer(each for each in self.current.columns if each not in (name, self.outcome.currentData()))
        self._change()

    def _change(self) -> None:
        boxes = self.outcome, self.value, self.exposure, self.one, self.other
        outcome, value, exposure, one, other = (box.currentData() for box in boxes)
        if outcome is None or exposure is None:
            return
        kind = str(self.kind.currentData())
        if kind == "logistic":
            asked = Analysis("logistic", str(outcome), value, covariates=(str(exposure), *self.adjusted.list_ticked()))
        elif one == other:
            self.show_fault(t("Choose two different groups."))
            return
        elif kind == "mean":
            asked = Analysis("difference", str(outcome), None, str(exposure), one, other)
        else:
            asked = Analysis(kind, str(outcome), value, str(exposure), one, other)
        reader = self.current.reader
        # It waits a moment, since boxes that are set one after another come here each time.
        self.work.start(analyse, reader, asked, on_done=self.take_result, on_exception=self.show_fault, pause=_REST)

    # --- the result

    def take_result(self, result: Result) -> None:
        """Show what came out."""
        analysis, first = result.analysis, result.first
        ratio = analysis.kind in ("risk ratio", "odds ratio")
        several = analysis.kind == "logistic"
        self.fault.setText("")
        self.model.show(result.estimates if several else ())
        self.table.setVisible(several)
        self.table.resizeColumnsToContents()
        for part in (self.figure, self.interval):
            part.setVisible(not several)
        ends, nothing = (first.low, first.high), 1.0 if ratio else 0.0
        as_share = analysis.kind == "difference" and analysis.value is not None

        def words(value: float) -> str:
            if not as_share:
                return decimal(value)
            return t("{n} points", n=decimal(100 * value))

        # EXACT stands for its colour alone: a comparison is not called readable or rough.
        self.interval.show_strip(Strip(ends, EXACT, first.estimate, nothing=nothing, ratio=ratio, words=words))
        self.figure.setText(t("about {n}", n=words(first.estimate)))
        self.what.setText(_title(analysis))
        compared = t("Odds ratios with their ranges; the first values are what they are compared with.")
        low, high = words(first.low), words(first.high)
        between = t("Between {low} and {high} for these rows, in 95 of 100 releases.", low=low, high=high)
        low, high = words(first.low_alike), words(first.high_alike)
        alike = t("About persons like these: between {low} and {high}.", low=low, high=high)
        self.sentence.setText(compared if several else between)
        self.alike.setText("" if several else alike)
        self.notes.setText(" ".join(translate(each) for each in result.notes))

    def show_fault(self, sentence: str) -> None:
        """Show why there is no result."""
        for part in (self.what, self.figure, self.sentence, self.alike, self.notes):
            part.setText("")
        self.interval.show_strip(None)
        self.table.hide()
        self.fault.setText(sentence)


def _values(opened: AskableRelease, name: str) -> list[tuple[str, str]]:
    """Return values to choose from, the frequent ones first where they are published as they are."""
    column = opened.published.table[name]
    labels = [str(each) for at, each in enumerate(column.labels) if not column.missing[at]][:_MOST]
    return [(value_words(each), each) for each in labels]


def _title(analysis: Analysis) -> str:
    what = analysis.outcome if analysis.value is None else name_value(analysis.outcome, str(analysis.value))
    if analysis.kind == "logistic":
        return t("Odds of {what}, adjusted", what=what)
    other = t("all others") if analysis.unexposed is None else value_words(str(analysis.unexposed))
    return t("{what}: {one} against {other}", what=what, one=value_words(str(analysis.exposed)), other=other)
