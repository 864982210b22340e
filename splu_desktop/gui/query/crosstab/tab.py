"""Cross-table: estimates with intervals for every cell, as a heat map and as bars."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.crosstab_grid import MOST_CELLS, TRUST, CrosstabGrid
from splu_desktop.files.questions.crosstab_file import write_cells
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Choice, Empty, button, copy_text, empties_on_escape, label, line_edit, margins
from splu_desktop.gui.base.words import number, t
from splu_desktop.gui.query.crosstab.cells import CellsModel
from splu_desktop.gui.query.crosstab.export import CrosstabPicture, title_of, write_picture
from splu_desktop.gui.query.crosstab.model import PROTECTED, Copying, HeatModel, SeenTable
from splu_desktop.gui.query.crosstab.setup import MANY, Setup
from splu_desktop.gui.query.crosstab.view import CellsView, HeatView
from splu_desktop.gui.query.crosstab.work import compute, sizes, true_cells
from splu_desktop.gui.query.tab import WorkingTab, truth_switch
from splu_desktop.gui.query.work import Asker


class CrosstabTab(WorkingTab):
    """The second tab."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        self.setup = Setup()
        self.setup.changed.connect(self._setup_changed)
        column.addWidget(self.setup)
        self.seen = SeenTable(self)
        self.heat, self.cells = HeatModel(self.seen), CellsModel(self.seen)
        start = Empty(
            "chart-column",
            t("All counts of a table at once"),
            t("Choose one or two columns above. Each cell gets its estimate and its 95 % interval."),
        )
        self.table = self._build_table()
        column.addWidget(self.use_parts(start, t("Counting the cells"), self.table), 1)

    def _build_table(self) -> QWidget:
        table = QWidget()
        column = margins(QVBoxLayout(table), 0, spacing=6)
        bar = margins(QHBoxLayout(), spacing=8)
        self.search = line_edit(t("Find a row or column"), t("Find a row or column"))
        self.search.setClearButtonEnabled(True)
        empties_on_escape(self.search)
        self.search.textChanged.connect(lambda text: self.seen.set(text=text))
        bar.addWidget(self.search, 1)
        self.trust = Choice(t("Cells shown"))
        kinds = t("all cells"), t("without protected"), t("reliable only")
        self.trust.offer((words, len(TRUST) - left_out) for left_out, words in enumerate(kinds))
        self.trust.keep_whole(*kinds)
        self.trust.currentIndexChanged.connect(lambda _: self.seen.set(trusted=self.trust.currentData()))
        bar.addWidget(self.trust)
        self.measure = Choice(t("Figures shown"))
        self.measure.offer([(t("counts"), False), (t("shares"), True)])
        self.measure.currentIndexChanged.connect(lambda _: self.seen.set(share=bool(self.measure.currentData())))
        bar.addWidget(self.measure)
        self.looks = QButtonGroup(self)
        self.heat_button, self.bars_button = QPushButton(t("Heat ma&p")), QPushButton(t("&Bars"))
        for at, made in enumerate((self.heat_button, self.bars_button)):
            made.setCheckable(True)
            self.looks.addButton(made, at)
            bar.addWidget(made)
        self.heat_button.setChecked(True)
        self.looks.idClicked.connect(self._look)
        self.turn_button = button(t("&Turn"), self.turn, picture="refresh-cw", hint=t("Swap rows and columns"))
        bar.addWidget(self.turn_button)
        self.truth_switch = truth_switch(t("True &counts"))
        self.truth_switch.toggled.connect(self._truth_switched)
        self.export_button = button(t("E&xport…"), lambda: None, picture="download")
        menu = QMenu(self.export_button)
        for words, ending in (
            (t("Cells as &CSV…"), "csv"),
            (t("Cells as &Excel workbook…"), "xlsx"),
            (t("Heat map as &PNG…"), "png"),
            (t("Heat map as &SVG…"), "svg"),
        ):
            menu.addAction(words).triggered.connect(partial(self._ask_export, ending))
        self.export_button.setMenu(menu)
        column.addLayout(bar)
        self.old = label("", "warning", wrap=True, live=True)
        self.old.hide()
        column.addWidget(self.old)
        self.views = QStackedWidget()
        self.heat_view, self.cells_view = HeatView(self.heat), CellsView(self.cells)
        for view in (self.heat_view, self.cells_view):
            view.pointed.connect(self._point)
            view.copying.connect(self._copy)
            self.views.addWidget(view)
        self.nothing = label(
            t("No cell fits. Empty the field “Find a row or column”, or choose “all cells”."), "quiet", wrap=True
        )
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.views.addWidget(self.nothing)
        self.seen.changed.connect(self._show_view)
        column.addWidget(self.views, 1)
        foot = margins(QHBoxLayout(), spacing=12)
        self.readout = label("", wrap=True, selectable=True)
        foot.addWidget(self.readout, 1)
        self.warning = label(t("True counts are shown: custodian only"), "warning", wrap=False)
        self.warning.hide()
        for part in (self.warning, self.truth_switch, self.export_button):
            foot.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(foot)
        self.legend = label("", "quiet", wrap=True, live=True)
        column.addWidget(self.legend)
        return table

    def first(self) -> QWidget:
        return self.setup.first.column

    # -- the page asks -------------------------------------------------------------------------------------------

    def take(self, asker: Asker | None) -> None:
        self.asker = asker
        self.forget("crosstab", "true cells")
        self.seen.take(None)
        self.truth_switch.setChecked(False)
        self.truth_switch.setVisible(asker is not None and asker.knows_truth)
        self._show_truth(None)
        self.setup.show_release(asker.published if asker is not None else None)

    def offer_within(self, conditions: tuple[Condition, ...]) -> None:
        """Take the conditions of the question in front."""
        if self.asker is not None:
            sensitive = self.asker.published.sensitive
            self.setup.offer_within(tuple(c for c in conditions if c.column not in sensitive))

    def offer(self) -> tuple[str, bool, str]:
        words = t("Count the cells")
        wanted = self.setup.wanted()
        if self.asker is None or self._job is not None:
            return words, False, ""
        if wanted is None:
            if not self.asker.published.nsas:
                return words, False, t("The release has no column to set against the sensitive one.")
            return words, False, t("Choose two different columns.")
        cells = sizes(self.asker, wanted)
        words = t("Count {n} cells", n=number(cells))
        if cells > MOST_CELLS:
            return (
                words,
                False,
                t(
                    "At most {most} cells at once: choose intervals, or a column with fewer values.",
                    most=number(MOST_CELLS),
                ),
            )
        return words, True, ""

    def act(self) -> None:
        self.count()

    def count(self) -> Job | None:
        """Count the cells in the worker."""
        asker, wanted = self.asker, self.setup.wanted()
        if asker is None or wanted is None:
            return None
        return self.work("crosstab", partial(compute, asker, wanted), self._counted)

    def turn(self) -> None:
        """Swap rows and columns."""
        self.heat.turn(not self.heat.across)

    def export(self, path: Path) -> Job | None:
        """Write what is seen, in the worker, as the file's ending says."""
        grid, asker = self.seen.grid, self.asker
        if grid is None or asker is None:
            return None
        work: Callable[[Progress], None]
        if path.suffix.lower() in (".png", ".svg"):
            picture = self.picture()
            work = partial(write_picture, picture, path)
        else:
            work = partial(write_cells, grid, self.cells.cells().copy(), asker.release.facts["id"] or "", path)
        return self.write(path, work)

    def picture(self) -> CrosstabPicture:
        """Return the heat map as it is seen, for a file."""
        heat, across, down = self.heat, Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        assert self.seen.grid is not None
        return CrosstabPicture(
            title=title_of(self.seen.grid, share=self.seen.share),
            across=tuple(heat.name(at, across) for at in range(heat.columnCount())),
            down=tuple(heat.name(at, down) for at in range(heat.rowCount())),
            heat=heat.shot(),
            note=self._legend(),
            font=self.font(),
        )

    # -- inside --------------------------------------------------------------------------------------------------

    def _truth_switched(self, on: bool) -> None:
        """Count the true cells in the worker, or forget them."""
        self.tasks.drop("true cells")
        self._show_truth(None)
        asker, grid = self.asker, self.seen.grid
        if on and asker is not None and grid is not None:
            job = self.tasks.run("true cells", lambda progress: true_cells(asker, grid, progress))
            job.done.connect(partial(self._truth_counted, grid))
            job.failed.connect(self.failed)

    def _truth_counted(self, grid: CrosstabGrid, truth: NDArray[np.int64]) -> None:
        if self.seen.grid is grid and self.truth_switch.isChecked():
            self._show_truth(truth)

    def _show_truth(self, truth: NDArray[np.int64] | None) -> None:
        self.warning.setVisible(truth is not None)
        self.cells_view.show_truth(truth is not None)
        if truth is not None or self.seen.truth is not None:
            self.seen.take_truth(truth)

    def _ask_export(self, ending: str) -> None:
        if self.seen.grid is None:
            return
        stem = ", ".join([self.seen.grid.wanted.sa, *(side.column for side in self.seen.grid.wanted.sides)])
        start = "".join("_" if mark in '/\\:*?"<>|' else mark for mark in stem)
        kinds = [(ending, f"{ending.upper()} (*.{ending})")]
        if path := self.ask_where(t("Save the cross-table"), f"{start}.{ending}", kinds):
            self.export(path)

    def _counted(self, grid: CrosstabGrid) -> None:
        column = self.asker.published.table[grid.wanted.sa] if self.asker is not None else None
        # Of many values without an order the most frequent come first: their counts are those that can be read.
        unordered = column is not None and not column.kind.ordered and column.m > MANY
        self.heat.row_order = (-1, True) if unordered else None
        self.heat.column_order = None
        self.heat.across = len(grid.values) < len(grid.parts)
        self.seen.take(grid)
        self.cells_view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.cells_view.fit()
        self.show_result(self.views.currentWidget() or self.table)
        self.readout.setText(t("Go to a cell to read it in words."))
        self.legend.setText(self._legend())
        self._setup_changed()
        self._truth_switched(self.truth_switch.isChecked())
        self.answered.emit()

    def _look(self, at: int) -> None:
        self._show_view()
        self.turn_button.setEnabled(at == 0)

    def _show_view(self) -> None:
        some = self.seen.grid is None or bool(self.seen.mask.any())
        self.views.setCurrentIndex(self.looks.checkedId() if some else self.views.indexOf(self.nothing))
        if not some:
            self.readout.setText("")

    def _setup_changed(self) -> None:
        """Say so where the cells shown are not those that are chosen now."""
        grid, wanted = self.seen.grid, self.setup.wanted()
        self.old.setVisible(grid is not None and wanted is not None and grid.wanted != wanted)
        if grid is not None:
            self.old.setText(t("Below are still the cells counted before: {title}.", title=title_of(grid).rstrip(".")))
        self.offered.emit()

    def _copy(self, text: Copying) -> None:
        """Put cells on the clipboard; thousands of them are written in the worker."""
        job = self.tasks.run("copy", text)
        job.done.connect(lambda copied: copy_text(copied))
        job.failed.connect(self.failed)

    def _point(self, text: str) -> None:
        self.readout.setText(text)

    def _legend(self) -> str:
        words = t(
            "No mark: reliable. ≈: uncertain, use the interval. A range: only that is known; with {mark}: protected,"
            " the count is small.",
            mark=PROTECTED.strip(),
        )
        grid = self.seen.grid
        if grid is not None and grid.wanted.method.bounded:
            words += " " + t("Cells are fitted so that they add up: asked one by one, a figure may differ a little.")
            words += " " + t("A range may pass the figure of its total, which has a range, too: never its upper end.")
        if grid is not None and grid.left_out:
            words += " " + t("{n} combinations have no record and are left out.", n=number(grid.left_out))
        return words

    def help_text(self) -> str:
        return t(
            "<p>A cross-table asks for all combinations at once: for each ward, how many patients have each "
            "diagnosis.</p><p>The deeper the colour, the larger the figure. "
            "<span class='p'>A range with a diamond</span> is a protected cell: its count is small and "
            "unreliable on purpose.</p><p>Click a header to sort by it. "
            "Point at a cell to read its interval.</p><p><b>What should I choose?</b></p><p>Few, broad columns: every "
            "further column makes the cells smaller and their answers less sure. Put numbers and dates into "
            "intervals.</p>"
        )
