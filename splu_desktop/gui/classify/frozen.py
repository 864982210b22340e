"""A table whose first column stays in view while the others are scrolled sideways."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QSize, QSortFilterProxyModel, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from splu_desktop.core.roles.vocabulary import RoleCard
from splu_desktop.gui.base.models import ROW, Index, SortFilter, TableView

_ROWS = 6  # seen on the smallest screen


class CardFilter(SortFilter):
    """Keeps the columns of one card, and those in which every word that is looked for occurs."""

    def __init__(self) -> None:
        super().__init__()
        self._card: RoleCard | None = None

    def look_at(self, card: RoleCard | None) -> None:
        """Keep the columns of one card, None for all."""
        if card is self._card:
            return
        self.beginFilterChange()
        self._card = card
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        if self._card is not None:
            shown = self.sourceModel().index(row, 0, parent).data(ROW)
            if shown.suggestion.card is not self._card:
                return False
        return super().filterAcceptsRow(row, parent)


class FrozenTable(TableView):
    """A table view with a second one over its first column; both show one model and one selection."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)  # what is not a name is a sentence
        self._long: tuple[int, int, int, int] | None = None
        self.first = QTableView(self)
        self.first.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.first.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.first.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.first.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.first.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.first.setFrameShape(QTableView.Shape.NoFrame)
        self.first.setStyleSheet("QTableView { border: none; border-radius: 0 }")
        self.first.setWordWrap(False)
        self.first.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.first.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.first.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.first.setAccessibleName("")  # a picture of what the table has already
        self.first.verticalHeader().hide()
        self.first.horizontalHeader().setHighlightSections(False)
        self.first.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.first.horizontalHeader().setDefaultAlignment(self.horizontalHeader().defaultAlignment())
        self.first.horizontalHeader().sectionClicked.connect(self._sort)
        self.verticalScrollBar().valueChanged.connect(lambda at: self.first.verticalScrollBar().setValue(at))
        self.first.verticalScrollBar().valueChanged.connect(lambda at: self.verticalScrollBar().setValue(at))
        self.horizontalHeader().sectionResized.connect(lambda at, _, size: self._resized(at, size))
        self.horizontalHeader().sortIndicatorChanged.connect(self._sorted)
        self.first.horizontalHeader().setSortIndicatorShown(True)
        self.first.horizontalHeader().setSectionsClickable(True)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        self.first.setModel(model)
        self.first.setSelectionModel(self.selectionModel())
        for at in range(1, model.columnCount() if model is not None else 0):
            self.first.setColumnHidden(at, True)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def keep_in_view(self, at: int, least: int, beside: int, most: int) -> None:
        """Let a column have up to `most` pixels of what the columns before it leave in view, and no less than `least`.

        Of those after it as many stay in view as leave it `beside` pixels; the others are scrolled to.
        """
        self._long = at, least, beside, most
        self._place()

    def minimumSizeHint(self) -> QSize:
        rows = _ROWS * self.verticalHeader().defaultSectionSize()
        rest = self.horizontalHeader().sizeHint().height() + self.horizontalScrollBar().sizeHint().height()
        return QSize(super().minimumSizeHint().width(), rows + rest + 2 * self.frameWidth())

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        # To bring the first column into view is to scroll the others out of it.
        if index.column() > 0:
            super().scrollTo(index, hint)
        else:
            before = self.horizontalScrollBar().value()
            super().scrollTo(index, hint)
            self.horizontalScrollBar().setValue(before)

    def _sort(self, at: int) -> None:
        self.horizontalHeader().setSortIndicator(at, self.first.horizontalHeader().sortIndicatorOrder())

    def _sorted(self, at: int, order: Qt.SortOrder) -> None:
        self.first.horizontalHeader().setSortIndicator(at, order)

    def _resized(self, at: int, size: int) -> None:
        if at == 0:
            self.first.setColumnWidth(0, size)
            self._place()

    def _place(self) -> None:
        header = self.verticalHeader()
        self.first.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.first.verticalHeader().setDefaultSectionSize(header.defaultSectionSize())
        self.first.horizontalHeader().setFixedHeight(self.horizontalHeader().height())
        self.first.setColumnWidth(0, self.columnWidth(0))
        if self._long is not None:
            at, least, beside, most = self._long
            left = self.viewport().width() - sum(map(self.columnWidth, range(at)))
            for wide in map(self.columnWidth, range(at + 1, self.horizontalHeader().count())):
                if left - wide < beside:
                    break
                left -= wide
            self.setColumnWidth(at, min(max(left, least), most))
        frame = self.frameWidth()
        self.first.setGeometry(
            frame, frame, self.columnWidth(0), self.viewport().height() + self.horizontalHeader().height()
        )
