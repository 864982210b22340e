"""Tables: models over frozen rows, and one view that sorts, copies and keeps the Tab key for moving on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeySequence, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyleOptionHeader, QTableView, QWidget

from splu_desktop.core.messages import isolated
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import copy_text, shortcut
from splu_desktop.gui.base.words import join, plain, t, translate

if TYPE_CHECKING:
    from splu_desktop.core.table import Column, Table

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")
SORT = Qt.ItemDataRole.UserRole
ROW = Qt.ItemDataRole.UserRole + 1
WHOLE = Qt.ItemDataRole.UserRole + 2  # a cell's text however long it is, to be copied

_AT_ONCE = 30  # columns that are measured in one turn of the event loop: more than a screen shows
_AIR = 8  # pixels beside what a column holds
_LONGEST = 200  # characters of a value that a cell shows; the rest is in its hover text


@dataclass(frozen=True)
class Field(Generic[Row]):
    """One column of a table.

    Attributes
    ----------
    title : the header.
    text : what the cell shows.
    key : what it sorts by; None: the text.
    right : numbers stand at the right edge.
    hint : the header's explanation on hover.
    colour : name of a colour of the scheme for the cell's text, None for the usual.
    picture : name of an icon before the text, None for none.
    tip : what the cell's hover text says below its text.
    tick : whether the box in the cell is ticked; None for a cell without a box.
    editable : whether the text can be typed over.
    """

    title: str
    text: Callable[[Row], str]
    key: Callable[[Row], Any] | None = None
    right: bool = False
    hint: str = ""
    colour: Callable[[Row], str | None] | None = None
    picture: Callable[[Row], str | None] | None = None
    tip: Callable[[Row], str] | None = None
    tick: Callable[[Row], bool | None] | None = None
    editable: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        """The edge at which its header and cells stand."""
        side = Qt.AlignmentFlag.AlignRight if self.right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class RowsModel(QAbstractTableModel, Generic[Row]):
    """A table of frozen rows, each drawn by a list of fields.

    Signals
    -------
    changed (row's place, bool or str) : the user ticked a box or typed a text; whoever hears it shows other rows.
    """

    changed = Signal(int, object)

    def __init__(self, fields: Sequence[Field[Row]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields = tuple(fields)
        self.rows: Sequence[Row] = ()

    def show(self, rows: Sequence[Row]) -> None:
        """Show other rows. Where only their content differs, selection and scrolling stay."""
        if len(rows) == len(self.rows) and rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.fields) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own signature)
        # Qt asks for the rows below a cell, too, as in a tree, and a table has none.
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.fields)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return super().headerData(section, orientation, role)  # the row's number
        if not 0 <= section < len(self.fields):
            return None
        field = self.fields[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return field.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(field.hint) or None
        if role == Qt.ItemDataRole.AccessibleTextRole:  # of a narrow column whose header has no room for words
            return field.title or field.hint
        return field.side if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, field = self.rows[index.row()], self.fields[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return shorten(field.text(row))
        if role == WHOLE:
            return field.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return field.side
        if role == SORT:
            return field.key(row) if field.key else field.text(row)
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.ForegroundRole and field.colour:
            name = field.colour(row)
            return QColor(getattr(theme.colours(), name)) if name else None
        if role == Qt.ItemDataRole.DecorationRole and field.picture:
            name = field.picture(row)
            colour = (field.colour(row) if field.colour else None) or "quiet"
            return QIcon(theme.icon(name, getattr(theme.colours(), colour))) if name else None
        if role == Qt.ItemDataRole.ToolTipRole:
            text, more = field.text(row), field.tip(row) if field.tip else ""
            return plain(more if text in more else "\n".join(part for part in (text, more) if part))
        if role == Qt.ItemDataRole.EditRole and field.editable:
            return field.text(row)
        if role == Qt.ItemDataRole.CheckStateRole and field.tick and (on := field.tick(row)) is not None:
            return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid():
            row, field = self.rows[index.row()], self.fields[index.column()]
            if field.tick and field.tick(row) is not None:
                flags |= Qt.ItemFlag.ItemIsUserCheckable
            if field.editable:
                flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role not in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.CheckStateRole) or not index.isValid():
            return False
        ticks = role == Qt.ItemDataRole.CheckStateRole
        self.changed.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked if ticks else value)
        return True


def shorten(text: str) -> str:
    """Return a cell's text on one line and no longer than a cell can show."""
    line = text.replace("\r", " ").replace("\n", " ")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _in_preview(column: Column) -> Field[int]:
    return Field(
        column.name,
        lambda row: str(column.labels[column.codes[row]]),
        right=column.kind.value in ("whole number", "decimal number"),
        hint=join((isolated(column.name), translate(column.kind.value)), ":"),
        colour=lambda row: "quiet" if column.missing[column.codes[row]] else None,
    )


class SortFilter(QSortFilterProxyModel):
    """Sorts by the fields' keys and filters by words found in any cell of a row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # As texts, 1,000 would stand before 20.
        self.setSortRole(SORT)
        self.setSortCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._words: list[str] = []

    def look_for(self, text: str) -> None:
        """Keep the rows in which every word of `text` occurs."""
        words = text.casefold().split()
        if words == self._words:
            return
        self.beginFilterChange()
        self._words = words
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        if not self._words:
            return True
        source = cast("RowsModel[Any]", self.sourceModel())  # asked cell by cell, Qt would take three times as long
        text = " ".join(field.text(source.rows[row]) for field in source.fields).casefold()
        return all(word in text for word in self._words)


class _Header(QHeaderView):
    """A header with no room beside a name for the arrow of sorting, which stands above it; a cut name gets dots."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def sectionSizeFromContents(self, section: int) -> QSize:
        self.ensurePolished()
        option = QStyleOptionHeader()
        self.initStyleOption(option)
        option.text = str(self.model().headerData(section, self.orientation()) or "")
        return self.style().sizeFromContents(QStyle.ContentsType.CT_HeaderSection, option, QSize(), self)


class _StillColumns(QTableView):
    """The first columns of a table once more, in front of it, where they stay while the rest moves sideways."""

    def __init__(self, of: TableView) -> None:
        super().__init__(of)
        self._of = of
        self.lower()  # below the ring of the focus
        for part in (of.viewport(), of.horizontalHeader()):
            part.stackUnder(self)
        self.setProperty("look", "still")
        self.setAccessibleName(of.accessibleName())
        self.setFocusProxy(of)
        self.setSelectionBehavior(of.selectionBehavior())
        self.setSelectionMode(of.selectionMode())
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTextElideMode(of.textElideMode())
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(of.verticalScrollMode())
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalHeader(_Header(Qt.Orientation.Horizontal, self))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        bar, whole = self.verticalScrollBar(), of.verticalScrollBar()
        bar.valueChanged.connect(whole.setValue)
        whole.valueChanged.connect(bar.setValue)

    def follow(self) -> None:
        """Show what the table shows there now."""
        of, room, above = self._of, self._of.viewport().geometry(), self._of.horizontalHeader().height()
        if self.model() is not of.model():
            self.setModel(of.model())
            self.setSelectionModel(of.selectionModel())
        self.verticalHeader().setDefaultSectionSize(of.verticalHeader().defaultSectionSize())
        for at in range(of.model().columnCount()):
            self.setColumnHidden(at, at >= of.still)
            self.setColumnWidth(at, of.columnWidth(at))
        self.setGeometry(room.left(), room.top() - above, self.horizontalHeader().length() + 1, room.height() + above)
        self.verticalScrollBar().setValue(of.verticalScrollBar().value())
        self.show()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # so that the table itself scrolls, sideways, too


class TableView(QTableView):
    """A table that can be sorted, resized and copied from, and lets Tab move on; rows have `air` around text.

    Its first columns, `still` many, stand still while the others move sideways, where these keep half of the room.
    """

    air, still = 12, 1

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filling: tuple[int | None, int] = None, 0
        self._front: _StillColumns | None = None
        self.horizontalScrollBar().valueChanged.connect(lambda at: self._stand_still())
        self.setAccessibleName(name)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setWordWrap(False)
        self.setShowGrid(False)  # hairlines stand between rows alone
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names that begin alike end differently
        self.setHorizontalHeader(_Header(Qt.Orientation.Horizontal, self))
        # A header that we made takes no clicks by itself, unlike the one that QTableView makes.
        self.horizontalHeader().setSectionsClickable(True)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        shortcut(self, t("&Copy"), QKeySequence.StandardKey.Copy, lambda: self.copy())
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._fit_rows()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_rows()

    def _fit_rows(self) -> None:
        # One height for all rows: asking each row for its own would cost a visit to every row.
        header = self.verticalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setDefaultSectionSize(QFontMetrics(self.font()).height() + self.air)

    def hold(self, fields: Sequence[Field[Any]], *, bare: bool = False) -> RowsModel[Any]:
        """Show rows of these fields, without a frame around them where `bare`; return their model."""
        model, old = RowsModel[Any](fields, self), self.model()
        self.setModel(model)
        if old is not None:
            # setModel leaves the former model alive, a child of this view.
            old.deleteLater()
        if bare:
            self.setProperty("look", "bare")
        return model

    def show_table(self, table: Table, most: int, widest: int) -> None:
        """Show the first records of a table, as the file has them, in columns of at most so many pixels."""
        self.hold(list(map(_in_preview, table.columns))).show(range(min(most, table.n)))
        self.horizontalHeader().setStretchLastSection(False)
        self.fit_columns(widest)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        header = self.horizontalHeader()
        # Of the rows' own it would ask each cell whether a column is chosen as a whole, for a look that it hasn't.
        header.setSelectionModel(QItemSelectionModel(self.model(), self))
        # While there are no rows to look at, at least the headers can be read.
        for section in range(header.count()):
            header.resizeSection(section, max(header.sectionSize(section), header.sectionSizeHint(section)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fill()

    def updateGeometries(self) -> None:
        super().updateGeometries()  # for every change of columns, rows and room
        self._stand_still()

    def _stand_still(self) -> None:
        moved = self.horizontalScrollBar().value() > 0 and self.model() is not None
        if moved and 2 * sum(map(self.columnWidth, range(self.still))) <= self.viewport().width():
            self._front = self._front or _StillColumns(self)
            self._front.follow()
        elif self._front is not None:
            self._front.hide()

    def scrollTo(self, index: Index, hint: QAbstractItemView.ScrollHint = QTableView.ScrollHint.EnsureVisible) -> None:
        bar, front = self.horizontalScrollBar(), self._front
        before, moved = bar.value(), front is not None and not front.isHidden()
        super().scrollTo(index, hint)
        if moved and index.column() < self.still:
            bar.setValue(before)
        elif front is not None and not front.isHidden():
            bar.setValue(bar.value() - max(0, front.width() - self.visualRect(index).left()))

    def viewportSizeHint(self) -> QSize:
        # Qt leaves no room for the bar by which a wide table moves sideways, and would let it scroll by as much.
        return super().viewportSizeHint() + QSize(0, self.horizontalScrollBar().sizeHint().height())

    def fit_columns(self, most: int = 260, filling: int | None = None, least: int = 160) -> None:
        """Give each column the width of its content, at most `most`, looking at the first rows alone.

        `filling` takes the room that the others leave, and no less than `least`, also when the view changes its width.
        """
        header = self.horizontalHeader()
        header.setResizeContentsPrecision(20)
        header.length()  # Qt keeps the room of a column that was hidden just now, unless it is asked
        header.setStretchLastSection(False)
        for at in range(min(header.count(), _AT_ONCE)):  # more than a screen shows
            self.resizeColumnToContents(at)
            header.resizeSection(at, min(header.sectionSize(at) + _AIR, most))
        self._filling = filling, least
        self._fill()

    def _fill(self) -> None:
        filling, least = self._filling
        if filling is None:
            return
        header = self.horizontalHeader()
        others = sum(header.sectionSize(at) for at in range(header.count()) if at != filling)
        header.resizeSection(filling, max(least, self.viewport().width() - others))

    def rows_chosen(self) -> list[int]:
        """Return the selected rows, told from the selection's blocks: there may be thousands of cells."""
        chosen = self.selectionModel().selection()
        blocks = (chosen.at(at) for at in range(chosen.count()))
        return sorted({row for block in blocks for row in range(block.top(), block.bottom() + 1)})

    def list_chosen(self) -> list[Any]:
        """Return what the selected rows show."""
        return [self.model().index(row, 0).data(ROW) for row in self.rows_chosen()]

    def copy(self) -> None:
        """Copy the selected rows, with the header, as text that a spreadsheet takes."""
        model, chosen = self.model(), self.selectionModel()
        if model is None or chosen is None or not chosen.hasSelection():
            return
        columns = [at for at in range(model.columnCount()) if not self.isColumnHidden(at)]
        rows = self.rows_chosen()
        across = Qt.Orientation.Horizontal
        lines = ["\t".join(one_cell(model.headerData(at, across)) for at in columns)]
        for row in rows:
            cells = [one_cell(model.index(row, at).data(WHOLE)) for at in columns]
            lines.append("\t".join(cells))
        copy_text("\n".join(lines))

    def copy_all(self) -> None:
        """Copy all rows."""
        self.selectAll()
        self.copy()
        self.clearSelection()

    def selectRow(self, row: int) -> None:
        """Select one row alone, and make it the current one, whatever keys the user holds: Qt's own adds or removes."""
        index, flags = self.model().index(row, 0), QItemSelectionModel.SelectionFlag
        self.selectionModel().select(index, flags.ClearAndSelect | flags.Rows)
        self.selectionModel().setCurrentIndex(index, flags.NoUpdate)


def one_cell(cell: object) -> str:
    """Return a cell's text as one cell of what a spreadsheet takes."""
    return "" if cell is None else " ".join(str(cell).splitlines()).replace("\t", " ")
