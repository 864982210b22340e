"""The two looks of a cross-table: a heat map with margins, and cells with their intervals as bars."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import BAR, ROW, Index, TableView
from splu_desktop.gui.base.widgets import shortcut
from splu_desktop.gui.base.words import joined, t, told
from splu_desktop.gui.query.answer_card import LOOKS
from splu_desktop.gui.query.crosstab.cells import CellsModel
from splu_desktop.gui.query.crosstab.model import HeatModel

_LEAST_WORDS = 60  # pixels of an interval's figures beside its bar


class HeatView(TableView):
    """The heat map; a click on a header sorts by it."""

    pointed = Signal(str)
    copying = Signal(object)  # Copying: gives the text that is to go to the clipboard

    def __init__(self, heat: HeatModel, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAccessibleName(t("Cross-table"))
        self.heat = heat
        self.setModel(heat)
        self.setSelectionBehavior(TableView.SelectionBehavior.SelectItems)
        self.setItemDelegate(HeatDelegate(self))
        header = self.verticalHeader()
        header.show()
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setMaximumWidth(220)
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.horizontalHeader().setStretchLastSection(False)
        self.horizontalHeader().setSectionsClickable(True)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.horizontalHeader().sectionClicked.connect(lambda at: heat.sort_by(at, Qt.Orientation.Horizontal))
        header.sectionClicked.connect(lambda at: heat.sort_by(at, Qt.Orientation.Vertical))
        self.selectionModel().currentChanged.connect(lambda now, _: self._point(now))
        heat.modelReset.connect(self._fit)
        for words, keys, orientation in (
            (t("Sort by this column"), "Ctrl+Shift+Down", Qt.Orientation.Horizontal),
            (t("Sort by this row"), "Ctrl+Shift+Right", Qt.Orientation.Vertical),
        ):
            shortcut(self, words, keys, partial(self._sort_here, orientation))

    def copy(self) -> None:
        """Copy the selected cells with the names of their rows and columns, without true counts."""
        rows, columns = self.rows_chosen(), self.columns_chosen()
        if rows:
            self.copying.emit(self.heat.copying(rows, columns))

    def _sort_here(self, orientation: Qt.Orientation) -> None:
        index = self.currentIndex()
        if index.isValid():
            section = index.column() if orientation == Qt.Orientation.Horizontal else index.row()
            self.heat.sort_by(section, orientation)
            self.setCurrentIndex(self.heat.index(index.row(), index.column()))

    def _fit(self) -> None:
        width, across = self.fontMetrics().horizontalAdvance, Qt.Orientation.Horizontal
        some = range(min(self.heat.columnCount(), 60))
        names = max((width(str(self.heat.headerData(at, across))) for at in some), default=0)
        widest = self.heat.seen.widest()
        if self.heat.seen.truth is not None:
            count = widest.split()[-1]
            widest = t("{estimate} | true {count}", estimate=widest, count=count)
        # Figures are never cut off; names are beyond some width.
        self.horizontalHeader().setDefaultSectionSize(max(width(widest), min(names, 142)) + 28)

    def _point(self, index: Index) -> None:
        if not index.isValid():
            return
        line, value = self.heat.place(index)
        if line >= 0 and value >= 0:
            self.pointed.emit(self.heat.seen.words(line, value))
        else:
            across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
            names = (self.heat.headerData(index.row(), down), self.heat.headerData(index.column(), across))
            self.pointed.emit(joined((f"{names[0]} · {names[1]}", told(self.heat.answer(line, value).shown)), ":"))


class HeatDelegate(QStyledItemDelegate):
    """Fills a cell with its own ground, which a style sheet would paint over, and frames the current one."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        c = theme.colours()
        ground = index.data(Qt.ItemDataRole.BackgroundRole)
        rect = option.rect
        painter.fillRect(rect, ground or QColor(c.card))
        ink = index.data(Qt.ItemDataRole.ForegroundRole)
        painter.setPen(ink or QColor(c.quiet))
        painter.drawText(
            rect.adjusted(4, 0, -8, 0),
            int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
            option.fontMetrics.elidedText(str(index.data() or ""), Qt.TextElideMode.ElideMiddle, rect.width() - 12),
        )
        view = self.parent()
        if isinstance(view, HeatView) and view.currentIndex() == index and view.hasFocus():
            painter.setPen(QPen(QColor(c.accent), 2))
            painter.drawRect(QRectF(rect).adjusted(1, 1, -1, -1))


class CellsView(TableView):
    """The cells as a list with bars."""

    pointed = Signal(str)
    copying = Signal(object)  # Copying: gives the text that is to go to the clipboard

    def __init__(self, cells: CellsModel, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAccessibleName(t("Cells with their intervals"))
        self.cells = cells
        self.setModel(cells)
        self.setItemDelegate(BarDelegate(self))
        self.setSortingEnabled(True)
        self.selectionModel().currentChanged.connect(lambda now, _: self._point(now))

    def copy(self) -> None:
        """Copy the selected cells, without true counts."""
        rows = self.rows_chosen()
        if rows:
            self.copying.emit(self.cells.copying(rows))

    def show_truth(self, on: bool) -> None:
        """Show the column of true counts, or hide it."""
        header = self.horizontalHeader()
        for section in range(self.cells.columnCount()):  # their number differs from one cross-table to the next
            self.setColumnHidden(section, section == self.cells.secret_section and not on)
            header.moveSection(header.visualIndex(section), section)
        words = self.cells.titles()[self.cells.secret_section]
        self.setColumnWidth(self.cells.secret_section, self.fontMetrics().horizontalAdvance(words) + 28)
        # Beside the answer, where it is compared.
        header.moveSection(
            header.visualIndex(self.cells.secret_section), header.visualIndex(self.cells.bar_section - 1) + 1
        )

    def fit(self) -> None:
        """Give the columns the width of their content, and the bars room."""
        self.show_truth(self.cells.seen.truth is not None)  # a hidden column takes no width
        self.fit_columns(180)
        wide = self.fontMetrics().horizontalAdvance
        self.setColumnWidth(self.cells.bar_section, 140 + wide(self.cells.seen.widest()))
        self.setColumnWidth(self.cells.bar_section + 1, max(map(wide, (t("protected"), t("uncertain")))) + 48)

    def _point(self, index: Index) -> None:
        if index.isValid():
            self.pointed.emit(self.cells.seen.words(*self.cells.place(index)))


class BarDelegate(QStyledItemDelegate):
    """Draws the 95 % interval of a cell on a scale common to all cells, with its ends in figures beside it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        bar: Any = index.data(BAR)
        if bar is None:
            super().paint(painter, option, index)
            return
        # The empty text leaves ground and selection to the style.
        blank = QStyleOptionViewItem(option)
        self.initStyleOption(blank, index)
        rect = QRectF(option.rect)
        style = option.widget.style()
        blank.text = ""
        style.drawControl(style.ControlElement.CE_ItemViewItem, blank, painter, option.widget)
        c = theme.colours()
        answer = index.data(ROW)
        colour = QColor(getattr(c, LOOKS[answer.badge][1]))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, middle = rect.left() + 8, rect.center().y()
        words = str(index.data())
        room = max(_LEAST_WORDS, painter.fontMetrics().horizontalAdvance(words))
        if isinstance(option.widget, CellsView):
            room = max(room, painter.fontMetrics().horizontalAdvance(option.widget.cells.seen.widest()))
        width = max(40.0, rect.width() - room - 28)
        painter.setPen(QPen(QColor(c.line), 1))
        painter.drawLine(round(left), round(middle), round(left + width), round(middle))
        at = [left + width * min(max(figure, 0.0), 1.0) for figure in bar]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(at[0], middle - 3, max(3.0, at[2] - at[0]), 6), 3, 3)
        if not answer.vague:
            painter.setPen(QPen(colour, 1.5))
            painter.setBrush(QColor(c.card))
            painter.drawEllipse(QRectF(at[1] - 4, middle - 4, 8, 8))
        painter.setPen(QColor(c.text))
        painter.drawText(rect.adjusted(width + 20, 0, -4, 0), int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()
