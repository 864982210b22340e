"""What did not fit while reading: to be sorted, searched, narrowed to one kind, and saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.files.importer import Problem, write_problems
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.dialogs import save_as
from splu_desktop.gui.base.models import Field, RowsModel, SortFilter, TableView
from splu_desktop.gui.base.parts import Empty
from splu_desktop.gui.base.widgets import button, line_edit, margins, put
from splu_desktop.gui.base.words import number, t, translate
from splu_desktop.gui.base.work import Work


class ProblemList(QWidget):
    """The problems of a reading; `say` is told "done" or "fault", and a sentence."""

    def __init__(self, work: Work, say: Callable[[str, str], object]) -> None:
        super().__init__()
        self._work, self._say = work, say
        self._problems: tuple[Problem, ...] = ()
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        row = margins(QHBoxLayout(), spacing=8)
        self.search = line_edit(t("Search the problems"), t("Search the problems"))
        self.kinds = Choice(t("All kinds"))
        self.save_button = button(t("&Save the list…"), self._ask_save, picture="download")
        put(row, (self.search, 1), self.kinds, self.save_button)
        column.addLayout(row)
        self.model: RowsModel[Problem] = RowsModel(
            [
                Field(t("Sheet"), lambda p: p.sheet or ""),
                Field(t("Row"), lambda p: number(p.row) if p.row else "", key=lambda p: p.row or 0, right=True),
                Field(t("Column"), lambda p: p.column or ""),
                Field(t("What did not fit"), lambda p: translate(p.sentence)),
                Field(
                    t("Rows"),
                    lambda p: number(p.told_rows) if p.told_rows else "",
                    key=lambda p: p.told_rows,
                    right=True,
                ),
                Field(t("What was done"), lambda p: translate(p.done)),
            ]
        )
        self.view = TableView(t("What did not fit"))
        self.view.setWordWrap(True)
        self.view.verticalHeader().setDefaultSectionSize(2 * self.view.fontMetrics().height() + 8)  # for a sentence
        self.sorted = SortFilter(self.view)
        self.sorted.setSourceModel(self.model)
        self.view.setModel(self.sorted)
        self.view.setSortingEnabled(True)
        # Only then, since that sorts at once by whatever column the header marks.
        self.view.sortByColumn(1, Qt.SortOrder.AscendingOrder)
        column.addWidget(self.view, 1)
        self.nothing = Empty("circle-check", t("Nothing was dropped, no cell was changed."))
        column.addWidget(self.nothing, 1)
        self.search.textChanged.connect(self.sorted.look_for)
        self.kinds.activated.connect(lambda _: self._narrow())

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show the problems of another reading."""
        self._problems = tuple(problems)
        self.search.clear()
        kinds = dict.fromkeys(problem.kind for problem in self._problems)
        self.kinds.offer([(t("All kinds"), None), *((translate(kind.value), kind) for kind in kinds)])
        self.save_button.setEnabled(bool(self._problems))
        for part in (self.search, self.kinds, self.save_button, self.view):
            part.setVisible(bool(self._problems))
        self.nothing.setVisible(not self._problems)
        self._narrow()
        self.view.setColumnHidden(0, len({problem.sheet for problem in self._problems}) < 2)
        # This comes last: widths depend on the rows shown and on the column hidden.
        self.view.fit_columns(640, filling=3)

    def select_shown(self) -> tuple[Problem, ...]:
        """Return the problems of the kind chosen."""
        kind = self.kinds.currentData()
        return tuple(p for p in self._problems if kind is None or p.kind is kind)

    def _narrow(self) -> None:
        self.model.show(self.select_shown())

    def _ask_save(self) -> None:
        write = partial(write_problems, self.select_shown(), overwrite=True)
        save_as(self, self._work, t("&Save the list…"), "problems.csv", (".csv",), write, self._say)
