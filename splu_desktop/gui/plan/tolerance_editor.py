"""The tolerances of one column: by class, by slider or number, by rule, from a file; what follows from them, live."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QDoubleSpinBox, QHBoxLayout, QPushButton, QSlider, QVBoxLayout, QWidget

from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.ways import half
from splu_desktop.core.errors import SpluError
from splu_desktop.core.groups.design import BLOCK
from splu_desktop.core.groups.rules import Sensitivity, linear, on_ladder
from splu_desktop.core.groups.sized import MOST_FAKES
from splu_desktop.core.groups.tolerances import Tolerances, check_feasible
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.table import Column
from splu_desktop.files.project.tolerances import read_tolerances
from splu_desktop.gui.base.models import Field, RowsModel, SortFilter, TableView
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import (
    Banner,
    Folding,
    asked_file,
    button,
    label,
    line_edit,
    margins,
    percent_box,
    put,
    whole_box,
)
from splu_desktop.gui.base.words import number, percent, t, tip, told
from splu_desktop.gui.plan.tolerance_figures import Designed, Edited, ToleranceRow, designed, rows_of, workable

_REST = 150  # ms that a slider must rest before group sizes are looked for
_FINE = 1000  # slider steps for a tolerance of 1


def _up(limit: Fraction) -> float:
    """Return a share that is a limit rounded up to what is shown, as the plan's sentence says it."""
    return math.ceil(1000 * limit) / 1000


class ToleranceEditor(QWidget):
    """Values with their tolerances in a table, ways to change them above it, what follows below it.

    Signals
    -------
    edited : the user changed something; no draw is known for it yet.
    found (Designed) : the draw for what is shown.
    failed : what is shown can't be kept; the banner says why.
    """

    edited = Signal()
    found = Signal(object)
    failed = Signal()

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._shown: Edited | None = None
        self._thresholds = Thresholds()
        self._limits: dict[str, Fraction] = {}
        self._found: Designed | None = None
        self._unfitted = False
        self._planned: Draw | None = None  # what the plan has for the tolerances as they were opened
        self._channel = f"tolerance {id(self)}"
        column = put(margins(QVBoxLayout(self), 0, spacing=8), self._build_tools(), self._build_ways())
        self.banner = Banner()
        column.addWidget(self.banner)
        self._build_table()
        column.addWidget(self.table, 1)
        self.effect = label("", "strong", wrap=True, live=True)
        self.compared = label("", "quiet", wrap=True)
        put(column, self.effect, self.compared)

    # -- parts ---------------------------------------------------------------------------------------------------

    def _build_tools(self) -> QWidget:
        steps, classes = QWidget(), QWidget()
        row, names = QHBoxLayout(steps), QHBoxLayout(classes)
        margins(row, 0)
        margins(names, 0)
        self.search = line_edit(t("Find a value"), t("Find a value"))
        put(row, (self.search, 1), label(t("Set selected:"), "quiet"))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(1, _FINE)
        self.slider.setPageStep(50)
        self.slider.setMinimumWidth(90)
        tip(self.slider, t("Share of the rows that show the value that may be right, on average"))
        self.slider.setAccessibleName(t("Tolerance of the selected values"))
        row.addWidget(self.slider, 1)
        self.box = percent_box(0.1, 100.0, 1, t("Tolerance of the selected values"))
        self.box.setMinimumWidth(76)
        row.addWidget(self.box)
        self.slider.valueChanged.connect(lambda steps: self._limit_moved(Fraction(steps, _FINE)))
        self.box.valueChanged.connect(lambda share: self._limit_moved(Fraction(round(10 * share), _FINE)))
        self.class_buttons: dict[Sensitivity, QPushButton] = {}
        for sort, text in (
            (Sensitivity.HIGH, t("H&igh")),
            (Sensitivity.MEDIUM, t("&Medium")),
            (Sensitivity.LOW, t("&Low")),
            (Sensitivity.NONE, t("&Not sensitive")),
        ):
            share = percent(float(sort.tolerance))
            made = button(text, partial(self.set_selected, sort), hint=t("Linked with at most {share}", share=share))
            self.class_buttons[sort] = made
            names.addWidget(made)
        return Folding(steps, classes)

    def _build_ways(self) -> QHBoxLayout:
        row = put(margins(QHBoxLayout(), spacing=8), label(t("Set all to their share ×"), "quiet"))
        self.theta = QDoubleSpinBox()
        self.theta.setRange(0.0, 100.0)
        self.theta.setDecimals(1)
        self.theta.setValue(2.0)
        self.theta.setMaximumWidth(84)
        self.theta.setAccessibleName(t("Theta: tolerance as a multiple of a value's share"))
        row.addWidget(self.theta)
        self.theta.setAlignment(Qt.AlignmentFlag.AlignRight)
        row.addWidget(label(t("+"), "quiet"))
        self.offset = percent_box(0.0, 100.0, 1, t("Constant added to the tolerance by rule"))
        self.offset.setMaximumWidth(84)
        self.offset.setValue(2.0)
        row.addWidget(self.offset)
        self.rule = button(t("&Apply"), self.by_rule, hint=t("Rounded down to 1, 1/2, 1/3, 1/4, 1/6, …"))
        row.addWidget(self.rule)
        self.file = button(
            t("Fr&om a file…"),
            self.ask_file,
            picture="folder-open",
            hint=t("A CSV file of value and tolerance: a number, or none, low, medium, high"),
        )
        put(row, self.file, 1)
        caption = self.fakes_caption = label(t("Fake values"), "quiet")
        self.fakes = whole_box(0, MOST_FAKES, t("Fake values per group"))
        caption.setBuddy(self.fakes)
        hint = t(
            "Against someone who knows the values of all other records of a group: with one fake value they are sure of"
            " the last record's value with at most 50 %, with two 33 %. Not against someone who knows all other"
            " records of the table"
        )
        tip(caption, hint)
        tip(self.fakes, hint)
        put(row, caption, self.fakes)
        self.fakes.valueChanged.connect(lambda _: self._changed())
        return row

    def _build_table(self) -> None:
        def figure(get: str, shown: str, hint: str) -> Field[ToleranceRow]:
            def text(row: ToleranceRow) -> str:
                value = getattr(row, get)
                if value is None:
                    return "–"
                if get == "t_p":
                    value = math.floor(1000 * value) / 1000  # it is the least, so never rounded up
                return percent(value)

            def key(row: ToleranceRow) -> float:
                value = getattr(row, get)
                return -1.0 if value is None else float(value)

            return Field(shown, text, key=key, right=True, hint=hint)

        self.model: RowsModel[ToleranceRow] = RowsModel(
            [
                Field(t("Value"), lambda r: r.value or t("(empty)")),
                Field(t("Records"), lambda r: number(r.count), key=lambda r: r.count, right=True),
                Field(t("Share"), lambda r: percent(r.share), key=lambda r: r.share, right=True),
                Field(
                    t("At most"),
                    lambda r: t("not sensitive") if r.limit == 1 else percent(_up(r.limit)),
                    key=lambda r: r.limit,
                    right=True,
                    hint=t("Share of the rows that show the value that may be right, on average"),
                    colour=lambda r: "fault" if r.limit < r.share else None if r.limit == 1 else "protected",
                ),
                figure(
                    "t_p", t("Shown wrong"), t("How surely a small count of the value is shown wrong, at least (T_P)")
                ),
                figure("keeps", t("Kept"), t("How often a record with the value is published with it")),
                figure(
                    "others",
                    t("Others"),
                    t("How often a record of another value is published with it; as often as kept: it tells nothing"),
                ),
            ]
        )
        self.table = TableView(t("Values and how sensitive they are"))
        ordered = SortFilter()
        ordered.setParent(self.table)
        ordered.setSourceModel(self.model)
        self.search.textChanged.connect(ordered.look_for)
        self.table.setModel(ordered)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def column(self) -> Column | None:
        """The column that is shown."""
        return None if self._shown is None else self._shown.column

    @property
    def limits(self) -> Mapping[str, Fraction]:
        """The tolerances as they stand."""
        return dict(self._limits)

    @property
    def designed(self) -> Designed | None:
        """The draw for what is shown, None while it is looked for and where there is none."""
        return self._found

    def open(self, shown: Edited, limits: Mapping[str, Fraction], thresholds: Thresholds) -> None:
        """Show a column's tolerances, unless they are shown already; `shown.draw` is planned for them, if any."""
        if (shown, thresholds) == (self._shown, self._thresholds) and dict(limits) == self._limits:
            return
        self._planned = shown.draw
        other = shown.column is not self.column
        if other:
            self.table.clearSelection()
        self._shown, self._limits, self._thresholds = shown, dict(limits), thresholds
        with QSignalBlocker(self.fakes):
            self.fakes.setValue(shown.fakes)
        for part in (self.fakes, self.fakes_caption):
            part.setVisible(not shown.joined)  # which has no groups to put them into
        self._unfitted = self._unfitted or other
        self._look()
        if not self.table.selectionModel().hasSelection() and self.table.model().rowCount():
            self.table.selectionModel().setCurrentIndex(
                self.table.model().index(0, 0),
                QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
            )
        self._show_selected()

    def close_work(self) -> None:
        """Drop what is under way."""
        self._tasks.drop(self._channel)

    def _show_selected(self) -> None:
        picked = self._selected()
        for part in (self.slider, self.box, *self.class_buttons.values()):
            part.setEnabled(bool(picked))
        if picked:
            limit = self._limits[picked[0]]
            with QSignalBlocker(self.slider), QSignalBlocker(self.box):
                self.slider.setValue(max(1, int(limit * _FINE)))
                self.box.setValue(float(100 * limit))

    def _selected(self) -> list[str]:
        return [row.value for row in self.table.chosen()]

    # -- what the user does --------------------------------------------------------------------------------------

    def set_selected(self, sort: Sensitivity) -> None:
        """Put the selected values into a class of sensitivity."""
        self._limit_moved(sort.tolerance)

    def _limit_moved(self, limit: Fraction) -> None:
        for value in self._selected():
            self._limits[value] = limit
        self._changed()

    def by_rule(self) -> None:
        """Give every value min(1, theta f + c), rounded down to a rung of the ladder."""
        if self.column is None:
            return
        try:
            self._limits = dict(self.rule_for(self.column).limits)
        except SpluError as fault:
            self._say(str(fault))
            return
        self._changed()

    def rule_for(self, column: Column) -> Tolerances:
        """Return what the rule gives a column. Raises SpluError where it can't be met there."""
        theta, offset = str(round(self.theta.value(), 1)), Fraction(round(10 * self.offset.value()), 1000)
        return on_ladder(column, linear(column, theta, offset, block=BLOCK))

    def ask_file(self) -> None:
        """Let the user choose a CSV file of tolerances."""
        path = asked_file(self, t("Tolerances from a file"), t("Tables (*.csv *.txt);;All files (*)"))
        if path is not None:
            self.from_file(path)

    def from_file(self, path: Path) -> None:
        """Take the tolerances of a CSV file over; values it does not name keep theirs."""
        if self.column is None:
            return
        try:
            self._limits = dict(read_tolerances(path, self.column, Tolerances(self._limits)).limits)
        except SpluError as fault:
            self._say(str(fault))
            return
        self._changed()

    def raise_to_possible(self) -> None:
        """Look for the nearest tolerances that can be kept, and take them."""
        if self._shown is None:
            return
        shown, limits, fakes = self._shown, self.limits, self.fakes.value()
        self.banner.hide()
        self.effect.setText(t("Looking for the nearest tolerances that can be kept…"))
        job = self._tasks.run(self._channel, lambda progress: workable(shown, limits, fakes, progress))
        job.done.connect(self._raised)
        job.failed.connect(self._failed)

    def _raised(self, limits: dict[str, Fraction]) -> None:
        self._limits = limits
        self._changed()

    def _changed(self) -> None:
        self._planned = None
        self.edited.emit()
        self._look()
        self._show_selected()

    # -- what follows --------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Show the tolerances and look for their draw; what can be seen to be impossible is said at once."""
        if self._shown is None:
            return
        shown, limits, fakes, thresholds = self._shown, self.limits, self.fakes.value(), self._thresholds
        self._found = None
        self._list()
        self._tasks.drop(self._channel)
        try:
            check_feasible(shown.column, Tolerances(limits), fakes)
        except SpluError as fault:
            self._failed(str(fault))
            return
        planned = self._planned
        job = self._tasks.run(
            self._channel,
            lambda progress: designed(shown, limits, fakes, thresholds, progress, planned),
            pause=0 if planned is not None else _REST,
        )
        job.done.connect(self._designed)
        job.failed.connect(self._failed)

    def _list(self) -> None:
        if self.column is not None:
            self.model.show(rows_of(self.column, self._limits, self._found))
        if self._unfitted and self._found is not None:  # without its figures a column would be as wide as its header
            self._unfitted = False
            self.table.fit_columns(200, filling=0, words={3: t("not sensitive")})

    def _say(self, text: str) -> None:
        self.banner.say("warning", told(text))

    def _failed(self, text: str) -> None:
        self._found = None
        self.effect.setText("")
        self.compared.setText("")
        self.banner.say("warning", told(text), t("Raise to what is possible"), self.raise_to_possible)
        self.failed.emit()

    def _designed(self, found: Designed) -> None:
        self._found, self._limits = found, dict(found.limits)
        self.banner.hide()
        self._list()
        self.effect.setText(self._effect(found))
        self.compared.setText(self._comparison(found))
        self.found.emit(found)

    def _effect(self, found: Designed) -> str:
        figures = found.figures
        commonest, t_f = figures["values"][0], number(figures["t_f"])
        kept, others = percent(commonest["keeps"]), percent(commonest["keeps"] - commonest["signal"])
        if figures.get("mse") is None:
            return t(
                "Counts of a protected value are typically within ±{cell} records in a tenth of the table and ±{whole}"
                " in all of it. Of the records with the commonest value {kept} show it, of the others {others}. Each"
                " count of the whole table is within the error asked for from {t_f} on.",
                cell=told(half(found.widths[0])),
                whole=told(half(found.widths[1])),
                kept=kept,
                others=others,
                t_f=t_f,
            )
        return t(
            "The records stand in {sizes}. Of those with the commonest value {kept} show it, of the others {others}."
            " Counts of {t_f} or more are within the error asked for.",
            sizes=told(figures["words"]),
            kept=kept,
            others=others,
            t_f=t_f,
        )

    def _comparison(self, found: Designed) -> str:
        said, figures = [], found.figures
        single = figures.get("one_size")
        if single is not None and len(found.draw.shape()["sizes"]) > 1:
            said.append(
                t(
                    "With one group size for all, {size}, these two shares would be {apart} apart, not {now}.",
                    size=number(single["size"]),
                    apart=percent(single["signal"]),
                    now=percent(figures["values"][0]["signal"]),
                )
            )
        if not figures.get("from_blocks", True):
            said.append(
                t(
                    "These tolerances are so tight that exact counts decide the group sizes, which are published: they"
                    " may tell something of small counts. Raise the tightest ones a little to avoid it."
                )
            )
        return " ".join(said)
