"""A tolerance per value, for columns that one group size can't protect: each value in a class of sensitivity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from splu_desktop.core.errors import SpluError
from splu_desktop.core.group_design import Rating, design
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.core.tolerance import Tolerances
from splu_desktop.core.tolerance_rules import Sensitivity
from splu_desktop.core.tolerant_groups import Grouping
from splu_desktop.core.tolerant_guarantees import sentences_of
from splu_desktop.gui.models import ROW, Field, RowsModel, SortFilter, TableView
from splu_desktop.gui.session import Session
from splu_desktop.gui.tasks import Tasks
from splu_desktop.gui.widgets import Banner, button, label, line_edit, margins
from splu_desktop.gui.words import number, percent

_REST = 200  # ms


def sizes_in_words(grouping: Grouping) -> str:
    """Return the group sizes with their shares: groups of 1 (28 %), 4 (72 %)."""
    shown = ", ".join(
        f"{s} ({percent(float(share))})" for s, share in zip(grouping.sizes, grouping.shares, strict=True)
    )
    return QCoreApplication.translate("tolerances", "groups of {sizes}").format(sizes=shown)


@dataclass(frozen=True)
class ToleranceRow:
    """One value: its true count, and how surely a record may be linked to it."""

    value: str
    count: int
    share: float
    limit: Fraction


@dataclass(frozen=True, eq=False)
class Designed:
    """Group sizes that meet the tolerances, and what they promise."""

    rating: Rating
    promises: tuple[str, ...]


def designed(column: Column, tolerances: Tolerances, thresholds: Thresholds, progress: Progress) -> Designed:
    """Find the group sizes. Runs in a worker. Raises SpluError, Cancelled."""
    rating = design(column, tolerances, progress=progress)
    return Designed(rating, tuple(sentences_of(column.name, rating.grouping, thresholds)))


def proposed(column: Column) -> dict[str, Fraction]:
    """Return the strictest class of sensitivity for each value that leaves room for half as many records again."""
    strictest = sorted(sort.tolerance for sort in Sensitivity)
    n = max(1, column.n)
    limits = {}
    for text, count in zip(column.labels, column.counts(), strict=True):
        wanted = Fraction(3 * int(count), 2 * n)
        limits[str(text)] = next((limit for limit in strictest if limit >= wanted), Fraction(1))
    return limits


class ToleranceDialog(QDialog):
    """The values at the top, classes of sensitivity as buttons, what follows from them below."""

    def __init__(self, name: str, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._name, self._session, self._tasks = name, session, tasks
        if session.choices is None:
            raise RuntimeError("nothing is open")
        self._column = session.column(name)
        self._thresholds = session.choices.thresholds
        self._found: Designed | None = None
        now = session.choices.groupings.get(name)
        self._limits = dict(now.tolerances.limits) if now is not None else proposed(self._column)
        self.setWindowTitle(self.tr("A tolerance per value of {column}").format(column=name))
        self.resize(720, 580)
        column = QVBoxLayout(self)
        margins(column, 16, spacing=12)
        column.addWidget(
            label(
                self.tr(
                    "Say how sensitive each value is: how surely someone may link a person's row to it. A value that"
                    " fills many records can't be very sensitive; a rare illness can."
                ),
                wrap=True,
            )
        )
        self.banner = Banner()
        column.addWidget(self.banner)
        column.addLayout(self._build_tools())
        self._build_table()
        column.addWidget(self.table, 2)
        self.effect = label("", "strong", wrap=True)
        self.promises = label("", wrap=True, selectable=True)
        column.addWidget(self.effect)
        column.addWidget(self.promises, 1, Qt.AlignmentFlag.AlignTop)
        buttons = QDialogButtonBox()
        self.use = QPushButton(self.tr("&Use these tolerances"))
        self.use.setProperty("look", "primary")
        buttons.addButton(self.use, QDialogButtonBox.ButtonRole.AcceptRole)
        if now is not None:
            plain = buttons.addButton(self.tr("&One group size instead"), QDialogButtonBox.ButtonRole.ResetRole)
            plain.clicked.connect(self._plain)
        buttons.addButton(self.tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self._show()

    def _build_tools(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.search = line_edit(self.tr("Find a value"), self.tr("Find a value"))
        self.search.setMaximumWidth(180)
        row.addWidget(self.search)
        row.addStretch(1)
        row.addWidget(label(self.tr("Set selected:"), "quiet"))
        self.class_buttons: dict[Sensitivity, QPushButton] = {}
        for sort, text in (
            (Sensitivity.HIGH, self.tr("&High")),
            (Sensitivity.MEDIUM, self.tr("&Medium")),
            (Sensitivity.LOW, self.tr("&Low")),
            (Sensitivity.NONE, self.tr("&Not sensitive")),
        ):
            share = percent(float(sort.tolerance))
            made = button(
                text, partial(self.set_selected, sort), hint=self.tr("Linked with at most {share}").format(share=share)
            )
            self.class_buttons[sort] = made
            row.addWidget(made)
        return row

    def _build_table(self) -> None:
        self.model: RowsModel[ToleranceRow] = RowsModel(
            [
                Field(self.tr("Value"), lambda r: r.value or self.tr("(empty)")),
                Field(self.tr("Records"), lambda r: number(r.count), key=lambda r: r.count, right=True),
                Field(self.tr("Share"), lambda r: percent(r.share), key=lambda r: r.share, right=True),
                Field(
                    self.tr("Linked with at most"),
                    lambda r: self.tr("not sensitive") if r.limit == 1 else percent(float(r.limit)),
                    key=lambda r: r.limit,
                    right=True,
                    colour=lambda r: None if r.limit == 1 else "protected",
                ),
            ]
        )
        self.table = TableView(self.tr("Values and how sensitive they are"))
        ordered = SortFilter()
        ordered.setParent(self.table)
        ordered.setSourceModel(self.model)
        self.search.textChanged.connect(ordered.look_for)
        self.table.setModel(ordered)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)

    def set_selected(self, sort: Sensitivity) -> None:
        """Put the selected values into a class of sensitivity."""
        for index in self.table.selectionModel().selectedRows():
            self._limits[index.data(ROW).value] = sort.tolerance
        self._show()

    def _show(self) -> None:
        counts = self._column.counts()
        n = max(1, self._column.n)
        self.model.show(
            tuple(
                ToleranceRow(str(text), int(count), float(count) / n, self._limits[str(text)])
                for text, count in zip(self._column.labels, counts, strict=True)
            )
        )
        self.table.fit_columns(300)
        self.use.setEnabled(False)
        column, thresholds = self._column, self._thresholds
        try:
            tolerances = Tolerances(self._limits)
        except SpluError as fault:
            self._failed(str(fault))
            return
        job = self._tasks.run(
            "tolerance", lambda progress: designed(column, tolerances, thresholds, progress), pause=_REST
        )
        job.done.connect(self._designed)
        job.failed.connect(self._failed)

    def _failed(self, text: str) -> None:
        self._found = None
        self.effect.setText("")
        self.promises.setText("")
        self.banner.say("warning", text, self.tr("Raise to what is possible"), self._raise)

    def _raise(self) -> None:
        self.banner.hide()
        # Raised with room to spare: tolerances that each could just be kept alone need not go together.
        room = proposed(self._column)
        self._limits = {text: max(limit, room[text]) for text, limit in self._limits.items()}
        self._show()

    def _designed(self, found: Designed) -> None:
        self._found = found
        self.banner.hide()
        self.use.setEnabled(True)
        self.effect.setText(
            self.tr("The records stand in {sizes}; signal left on the commonest value: {signal}.").format(
                sizes=sizes_in_words(found.rating.grouping), signal=percent(found.rating.signal)
            )
        )
        shown = found.promises[:4]
        self.promises.setText("\n".join(shown))

    def _take(self, grouping: Grouping | None) -> None:
        choices = self._session.choices
        if choices is not None:
            after = {name: kept for name, kept in choices.groupings.items() if name != self._name}
            if grouping is not None:
                after[self._name] = grouping
            self._session.choose(
                replace(choices, groupings=after), self.tr("tolerances of {column}").format(column=self._name)
            )

    def _plain(self) -> None:
        self._take(None)
        self._close(QDialog.DialogCode.Accepted)

    def accept(self) -> None:
        """Take the tolerances over, as one step of undo."""
        if self._found is not None:
            self._take(self._found.rating.grouping)
        self._close(QDialog.DialogCode.Accepted)

    def reject(self) -> None:
        """Leave everything as it was."""
        self._close(QDialog.DialogCode.Rejected)

    def _close(self, code: QDialog.DialogCode) -> None:
        self._tasks.drop("tolerance")
        self.done(code)
