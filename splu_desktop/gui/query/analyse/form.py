"""What an analysis is made of: its kind, and the fields that this kind has."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QListWidget, QVBoxLayout, QWidget

from splu_desktop.core.analyse.analysis import Analysis, AnalysisKind
from splu_desktop.core.published import Published
from splu_desktop.gui.base.widgets import Choice, TickList, hint_in, label, margins
from splu_desktop.gui.base.words import t, tip
from splu_desktop.gui.query.analyse.condition_edit import ConditionEdit, Counts

KINDS = tuple(kind for kind in AnalysisKind if kind is not AnalysisKind.CROSSTAB)  # which has a tab of its own
_REGRESSIONS = (AnalysisKind.LOGIT, AnalysisKind.POISSON)
_SHARES = (AnalysisKind.DIFFERENCE, AnalysisKind.RATIO)
_ROWS = 6  # of columns that the list shows at once


class AnalysisForm(QWidget):
    """The choices of an analysis; only those are seen that its kind has."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._times: Mapping[str, tuple[str, ...]] = {}
        self._labels: dict[QWidget, QLabel] = {}
        column = margins(QVBoxLayout(self), 0, 0, 8, 0, spacing=4)
        self._column = column
        self.kind = Choice()
        for kind, words, means in self._kinds():
            self.kind.addItem(words, kind)
            self.kind.setItemData(self.kind.count() - 1, means, Qt.ItemDataRole.StatusTipRole)
        self.kind.currentIndexChanged.connect(lambda _: self._kind_chosen())
        self.meaning = label("", "quiet", wrap=True)
        self.column, self.counted, self.by, self.period = Choice(), Choice(), Choice(), Choice()
        self.first, self.second, self.where = (ConditionEdit("") for _ in range(3))
        self.terms = ConditionEdit("")
        self.columns = TickList()
        self.columns.setSelectionMode(QListWidget.SelectionMode.SingleSelection)
        self.columns.itemChanged.connect(lambda _: self.changed.emit())
        self.q = QDoubleSpinBox()
        self.q.setRange(0.01, 0.99)
        self.q.setSingleStep(0.05)
        self.q.setValue(0.5)
        self.q.valueChanged.connect(lambda _: self.changed.emit())
        self._add(self.kind, t("Analysis"))
        column.addWidget(self.meaning)
        column.addSpacing(6)
        self._add(self.column, t("Column of numbers"))
        self._add(self.q, t("Share of records at or below it"))
        self._add(self.counted, t("Outcome"))
        self._add(self.first, t("Records with"))
        self._add(self.second, t("compared with"))
        self._add(self.by, t("Over the dates or numbers of"))
        self._add(self.period, t("Period"))
        self._add(self.columns, t("On the columns"))
        self._add(self.terms, t("and on the conditions"))
        self._add(self.where, t("Only where"))
        column.addStretch(1)
        for box in (self.column, self.counted, self.by, self.period):
            box.keep_short(12)
        for edit in self._edits():
            edit.changed.connect(self.changed)
        for box in (self.column, self.period):
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.counted.currentIndexChanged.connect(lambda _: self._kind_chosen())
        self.by.currentIndexChanged.connect(lambda _: self._by_chosen())
        self._kind_chosen()

    def _kinds(self) -> tuple[tuple[AnalysisKind, str, str], ...]:
        return (
            (AnalysisKind.SHARE, t("Share"), t("The share of records that meet conditions.")),
            (
                AnalysisKind.DIFFERENCE,
                t("Difference of shares"),
                t("The share in one group less that in another."),
            ),
            (AnalysisKind.RATIO, t("Ratio of shares"), t("How many times as large one share is.")),
            (
                AnalysisKind.ODDS_RATIO,
                t("Odds ratio"),
                t("How closely two conditions go together: 1 where they have nothing to do with each other."),
            ),
            (AnalysisKind.MEAN, t("Mean"), t("Of a column of numbers; of intervals by one number for each.")),
            (AnalysisKind.QUANTILE, t("Quantile"), t("0.5 is the median.")),
            (AnalysisKind.TREND, t("Trend"), t("The share in each period, and by how much it grows.")),
            (
                AnalysisKind.LOGIT,
                t("Logistic regression"),
                t("What changes the odds of an outcome, the other columns being equal."),
            ),
            (
                AnalysisKind.POISSON,
                t("Poisson regression"),
                t("What changes a number or a rate, the other columns being equal."),
            ),
        )

    def _add(self, field: QWidget, words: str) -> None:
        title = label(words, "quiet")
        title.setBuddy(field.text if isinstance(field, ConditionEdit) else field)
        self._labels[field] = title
        self._column.addWidget(title)
        self._column.addWidget(field)
        self._name(field, words)

    def _name(self, field: QWidget, words: str) -> None:
        self._labels[field].setText(words)
        plain = words.replace("&", "")
        if isinstance(field, ConditionEdit):
            field.rename(plain)
        else:
            field.setAccessibleName(plain)

    def _edits(self) -> tuple[ConditionEdit, ...]:
        return self.first, self.second, self.terms, self.where

    # -- what the tab asks ---------------------------------------------------------------------------------------

    def show_release(self, published: Published | None) -> None:
        """Begin anew with another release."""
        for edit in self._edits():
            edit.show_release(published)
        self.columns.offer(published.table.names if published is not None else ())
        rows = max(1, min(_ROWS, self.columns.count()))
        self.columns.setFixedHeight(rows * max(self.columns.sizeHintForRow(0), 20) + 6)
        self.offer_columns((), {})

    def offer_columns(self, numbers: tuple[str, ...], times: Mapping[str, tuple[str, ...]]) -> None:
        """Offer the columns that hold numbers, and those that a trend can go over with the periods they tell."""
        self._times = times
        for box, names, none in (
            (self.column, numbers, ""),
            (self.counted, numbers, t("records that meet conditions")),
            (self.by, tuple(times), ""),
        ):
            box.offer([*([(none, "")] if none else []), *((name, name) for name in names)])
        self._by_chosen()

    def take_counts(self, counts: Counts) -> None:
        """Show published counts where values are chosen."""
        for edit in self._edits():
            edit.take_counts(counts)

    def chosen(self) -> AnalysisKind:
        """Return the kind of analysis."""
        kind: AnalysisKind = self.kind.currentData()
        return kind

    def missing(self) -> str:
        """Return what is still to be chosen, "" where nothing is."""
        kind = self.chosen()
        if kind in (AnalysisKind.MEAN, AnalysisKind.QUANTILE) and not self.column.currentData():
            return t("No column of this release holds numbers.")
        if kind is AnalysisKind.TREND and not self.by.currentData():
            return t("No unchanged column of this release holds dates or numbers.")
        for edit in (self.first, self.second):
            if edit.isVisibleTo(self) and not edit.text.text().strip():
                return t("Choose conditions under “{field}”.", field=self._plain(edit))
        if kind in _REGRESSIONS and not self.columns.ticked() and not self.terms.text.text().strip():
            return t("Tick at least one column.")
        return ""

    def analysis(self) -> Analysis:
        """Return what is asked for. Raises BadQuestion where conditions can't be read."""
        kind = self.chosen()
        counted = (self.counted.currentData() or "") if kind is AnalysisKind.POISSON else ""
        columns: tuple[str, ...] = ()
        if kind in (AnalysisKind.MEAN, AnalysisKind.QUANTILE):
            columns = (self.column.currentData(),)
        elif kind is AnalysisKind.TREND:
            columns = (self.by.currentData(),)
        return Analysis(
            kind,
            first=self.first.conditions() if self.first.isVisibleTo(self) else (),
            second=self.second.conditions() if self.second.isVisibleTo(self) else (),
            where=self.where.conditions(),
            columns=columns,
            on=(*self.columns.ticked(), *((each,) for each in self.terms.conditions())) if kind in _REGRESSIONS else (),
            counted=counted,
            period=self.period.currentData() or "",
            q=self.q.value(),
        )

    # -- inside --------------------------------------------------------------------------------------------------

    def _plain(self, field: QWidget) -> str:
        return self._labels[field].text().replace("&", "")

    def _kind_chosen(self) -> None:
        kind = self.chosen()
        self.meaning.setText(self.kind.currentData(Qt.ItemDataRole.StatusTipRole))
        counts = kind is AnalysisKind.POISSON and bool(self.counted.currentData())
        numbers = kind in (AnalysisKind.MEAN, AnalysisKind.QUANTILE)
        for field, seen in (
            (self.column, numbers),
            (self.q, kind is AnalysisKind.QUANTILE),
            (self.counted, kind is AnalysisKind.POISSON),
            (self.first, not numbers and not counts),
            (self.second, kind in (*_SHARES, AnalysisKind.ODDS_RATIO)),
            (self.by, kind is AnalysisKind.TREND),
            (self.period, kind is AnalysisKind.TREND and self.period.count() > 0),
            (self.columns, kind in _REGRESSIONS),
            (self.terms, kind in _REGRESSIONS),
        ):
            field.setVisible(seen)
            self._labels[field].setVisible(seen)
        names = {
            AnalysisKind.ODDS_RATIO: (t("First condition"), t("Second condition")),
            AnalysisKind.LOGIT: (t("Outcome: records with"), ""),
        }
        first, second = names.get(kind, (t("Records with"), t("compared with")))
        self._name(self.first, first)
        self._name(self.second, second)
        example = t("such as Ward=A; Diagnosis=Stroke") if kind in _SHARES else t("such as Diagnosis=Stroke")
        for edit in (self.first, self.second):
            hint_in(edit.text, example)
        for edit in (self.terms, self.where):
            hint_in(edit.text, t("none"))
        self.changed.emit()

    def _by_chosen(self) -> None:
        names = {
            "year": t("year"),
            "quarter": t("quarter"),
            "month": t("month"),
            "week": t("week"),
            "day": t("day"),
        }
        known = self._times.get(self.by.currentData() or "", ())
        self.period.offer(((names[period], period) for period in known), "month")
        tip(self.by, self.by.currentText())
        self._kind_chosen()
