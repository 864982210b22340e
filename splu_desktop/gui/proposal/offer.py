"""The offer for a table too small for rows: its own tables, protected, in place of a release."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.answer.protected import BASE, LEAST, Protected, ProtectedTable, protect_tables
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Table
from splu_desktop.files.tables.sheets import Cell, Sheet, write_sheets
from splu_desktop.gui.base.parts import line_of
from splu_desktop.gui.base.widgets import Picture, button, emptied, label, margins, put, scrolled
from splu_desktop.gui.base.words import number, t, told
from splu_desktop.gui.proposal.fitted import hold_height

_MOST = 60  # lines of a table that are shown


def protect(table: Table, plan: Plan, progress: Progress = SILENT) -> Protected:
    """Return the protected tables of a plan. For workers. Raises BadSetting."""
    progress.report(say("Counting"), 0.1)
    return protect_tables(table, plan)


def write_protected(found: Protected, path: Path, progress: Progress = SILENT) -> None:
    """Write protected tables as a workbook, a sheet each behind one that says how to read them. Raises CannotWrite."""
    notes = [
        say("Every number is a multiple of {base}, rounded up or down by chance.", base=BASE),
        say("All tables and totals are sums of the same cells."),
        say("Groups of fewer than {least} persons were merged with a neighbour.", least=LEAST),
        *found.joined,
    ]
    sheets = [Sheet(told(say("Read me")), (told(say("How to read these tables")),), [(told(note),) for note in notes])]
    for at, table in enumerate(found.tables):
        rows: list[tuple[Cell, ...]] = [
            (line or told(say("All")), *map(int, table.counts[place]), int(table.rows[place]))
            for place, line in enumerate(table.lines)
        ]
        header = (", ".join(table.asked.by) or told(say("Group")), *table.labels, told(say("All rows")))
        sheets.append(Sheet(told(say("Table {n}", n=at + 1)), header, rows))
    write_sheets(sheets, path, progress)


class Offer(QFrame):
    """Protected tables beside the true counts. Signal `wanted`: make them."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "card-accent")
        outer = margins(QHBoxLayout(self), 14, 12, 14, 12, spacing=12)
        outer.addWidget(Picture("file-spreadsheet", "accent", 20), 0, Qt.AlignmentFlag.AlignTop)
        column = margins(QVBoxLayout(), 0, spacing=8)
        outer.addLayout(column, 1)
        title = label(t("Hand out protected tables instead of rows"), "strong")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.1)
        title.setFont(font)
        words = t(
            "The recipient gets your tables as a workbook. Every number is rounded to {base} by chance; groups under"
            " {least} are merged with a neighbour.",
            base=BASE,
            least=LEAST,
        )
        inside = QWidget()
        self.tables = margins(QVBoxLayout(inside), 0, 0, 8, 0, spacing=8)
        self.room = scrolled(inside)
        inside.setAutoFillBackground(False)
        self.note = label(
            t("True counts are seen only here. Lost: other questions. Kept: all tables add up to the same totals."),
            "quiet",
            fitting=True,
        )
        self.make = button("", self.wanted.emit, look="primary")
        self.make.setEnabled(False)
        put(column, title, label(words, fitting=True), (self.room, 1), self.note)
        put(column, (self.make, 0, Qt.AlignmentFlag.AlignLeft))
        self._inside, self._flowing = inside, False
        self.show_tables(None)

    def show_tables(self, found: Protected | None, fault: str = "") -> None:
        """Show protected tables; None while they are made, or why there are none."""
        emptied(self.tables)
        self.make.setEnabled(found is not None)
        count = 0 if found is None else len(found.tables)
        self.make.setText(t("Make this table…") if count == 1 else t("Make these {n} tables…", n=count or 2))
        if found is None:
            self.tables.addWidget(label(fault or t("The tables are being made."), "quiet", wrap=True))
        for table in () if found is None else found.tables:
            self.tables.addWidget(_grid_of(table))
        for words in () if found is None else found.joined:
            self.tables.addWidget(line_of("sliders-horizontal", "quiet", told(words)))
        self.tables.addStretch(1)
        QTimer.singleShot(0, self, lambda: self.set_flowing(self._flowing))  # once its parts know their fonts

    def set_flowing(self, flowing: bool) -> None:
        """Let it be as high as its tables, where the page around it scrolls."""
        self._flowing = flowing
        self.tables.activate()
        high = self._inside.sizeHint().height() + 4
        self.room.setMinimumHeight(high if flowing else 80)
        self.room.setMaximumHeight(high if flowing else 16_777_215)
        self._hold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hold()

    def _hold(self) -> None:
        if self._flowing:
            hold_height(self)
        else:
            self.setMinimumHeight(0)


def _grid_of(table: ProtectedTable) -> QWidget:
    """Return a table with the true counts beside what goes out."""
    made = QWidget()
    column = margins(QVBoxLayout(made), 0, spacing=4)
    column.addWidget(label(told(table.asked.words()), "strong"))
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(3)
    grid.setColumnStretch(0, 1)
    column.addLayout(grid)
    several = len(table.labels) > 1
    heads = [t("Group"), t("goes out"), t("true"), t("all rows"), t("true")]
    right = Qt.AlignmentFlag.AlignRight
    for at, words in enumerate(heads):
        grid.addWidget(label(words, "quiet"), 0, at, right if at else Qt.AlignmentFlag.AlignLeft)
    places = [(line, value) for line in range(len(table.lines)) for value in range(len(table.labels))][:_MOST]
    for row, (line, value) in enumerate(places, 1):
        group = table.lines[line] or t("All")
        look = "strong" if not table.lines[line] else ""
        grid.addWidget(label(f"{group}: {table.labels[value]}" if several else group, look), row, 0)
        figures = (table.counts[line, value], table.truth[line, value], table.rows[line], table.true_rows[line])
        for at, figure in enumerate(figures, 1):
            grid.addWidget(label(number(figure), "quiet" if at % 2 == 0 else look or "strong"), row, at, right)
    made.setAccessibleName(told(table.asked.words()))
    return made
