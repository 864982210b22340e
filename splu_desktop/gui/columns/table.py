"""The list of columns: a table of which the second column is a box of kinds and the last one a link."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QStyledItemDelegate, QStyleOptionViewItem

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import ROW, Field, Index, RowsModel, SortFilter, TableView
from splu_desktop.gui.base.words import bare, t
from splu_desktop.gui.columns.facts import KINDS, ColumnRow, look_of

NAME, KIND, FORM, WHY, UNDO = range(5)
_MOST_NAME, _FORM = 146, 140  # pixels; both may have two lines
_WITH_WHY = 700  # pixels from which on the reason has room for two lines, too


def fields() -> list[Field[ColumnRow]]:
    """Return the columns of the list."""
    return [
        Field(t("Column"), lambda r: r.name, colour=lambda r: "protected" if r.role.sensitive else None),
        Field(t("What it is"), lambda r: look_of(r.role)[2]),
        Field(t("Published as"), lambda r: r.form, colour=lambda r: "accent" if r.role.is_published else "quiet"),
        Field(t("Why"), lambda r: r.why, colour=lambda r: "quiet", tip=lambda r: r.why),
        Field("", lambda r: bare(t("&Undo")) if r.differs else "", colour=lambda r: "accent", hint=bare(t("&Undo"))),
    ]


class KindDelegate(QStyledItemDelegate):
    """Draws a kind as a box to choose from: its picture, name and tag."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        row = index.data(ROW)
        if not isinstance(row, ColumnRow):
            return
        c, (picture, named, name, tag) = theme.colours(), look_of(row.role)
        colour = str(getattr(c, named))
        box = QRectF(option.rect).adjusted(4, 4, -4, -4)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(c.line), 1))
        painter.setBrush(QColor(c.protected_soft if row.role.sensitive else c.card))
        painter.drawRoundedRect(box, 5, 5)
        ratio = painter.device().devicePixelRatioF()
        middle = round(box.center().y())
        painter.drawPixmap(round(box.left()) + 8, middle - 7, theme.pixmap(picture, colour, 14, ratio))
        painter.drawPixmap(round(box.right()) - 22, middle - 7, theme.pixmap("chevron-down", colour, 14, ratio))
        painter.setPen(QColor(colour))
        words = box.adjusted(28, 0, -26, 0)
        flags = int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(words, flags, name)
        if tag:
            painter.setFont(theme.small_font(option.font))
            painter.drawText(words, flags | int(Qt.AlignmentFlag.AlignRight), tag)
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        # The box is drawn in place of the text, which the model keeps to be searched and sorted by.
        option.text = ""


class ColumnTable(TableView):
    """All columns.

    Signals
    -------
    kind_chosen (list of names, Role) : columns are to be of another kind.
    undo_asked (name) : a column is to be as proposed.
    opened (name) : Enter on a column.
    """

    air = 22  # room for two lines of writing, and a box around one

    kind_chosen = Signal(object, object)
    undo_asked = Signal(str)
    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__(bare(t("&Columns")))
        self.rows_model: RowsModel[ColumnRow] = RowsModel(fields(), self)
        self.shown = SortFilter(self)
        self.shown.setSourceModel(self.rows_model)
        self.setModel(self.shown)
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setItemDelegateForColumn(KIND, KindDelegate(self))
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(WHY, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(UNDO, QHeaderView.ResizeMode.ResizeToContents)
        words = [" ".join(look_of(role)[2:]) for role in KINDS]
        kind = 70 + max(map(self.fontMetrics().horizontalAdvance, words))  # beside it a picture and an arrow
        for at, width in ((NAME, 20 * self.fontMetrics().averageCharWidth()), (KIND, kind), (FORM, _FORM)):
            header.resizeSection(at, width)
        self.clicked.connect(self._click)

    def names_chosen(self) -> list[str]:
        """Return the names of the columns that are chosen."""
        return [row.name for row in self.list_chosen()]

    def row_at(self, index: Index) -> ColumnRow | None:
        """Return the column that stands there."""
        row = index.data(ROW)
        return row if isinstance(row, ColumnRow) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < _WITH_WHY
        self.setColumnHidden(WHY, narrow)
        header = self.horizontalHeader()
        filling = FORM if narrow else WHY
        for at in (FORM, WHY):
            mode = QHeaderView.ResizeMode.Stretch if at == filling else QHeaderView.ResizeMode.Interactive
            header.setSectionResizeMode(at, mode)
        if not narrow:
            header.resizeSection(FORM, _FORM)

    def fit_names(self) -> None:
        """Give the names the room that they need, as far as the rest has enough."""
        needed = self.sizeHintForColumn(NAME) + 8
        self.horizontalHeader().resizeSection(NAME, max(self.columnWidth(NAME), min(needed, _MOST_NAME)))

    def choose_kind(self, name: str, at: QPoint) -> None:
        """Let the user choose the kind of a column, and of the others that are chosen with it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = self.names_chosen()
        names = chosen if name in chosen else [name]
        for number, role in enumerate(KINDS, 1):
            picture, colour, words, _ = look_of(role)
            action = menu.addAction(theme.icon(picture, getattr(theme.colours(), colour)), words)
            action.setShortcut(str(number))
            action.triggered.connect(lambda _=False, role=role: self.kind_chosen.emit(names, role))
        menu.popup(at)

    def _click(self, index: QModelIndex) -> None:
        row = self.row_at(index)
        if row is None:
            return
        if index.column() == KIND:
            where = self.visualRect(index)
            self.choose_kind(row.name, self.viewport().mapToGlobal(where.bottomLeft()))
        elif index.column() == UNDO and row.differs:
            self.undo_asked.emit(row.name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        row = self.row_at(index)
        if row is not None and index.column() in (KIND, UNDO) and row.name in self.names_chosen():
            self.clicked.emit(index)  # several stay chosen
            return
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.row_at(self.currentIndex())
        if event.text() in ("1", "2", "3", "4") and self.names_chosen():
            self.kind_chosen.emit(self.names_chosen(), KINDS[int(event.text()) - 1])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.opened.emit(row.name)
        elif event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete) and row is not None and row.differs:
            self.undo_asked.emit(row.name)
        else:
            super().keyPressEvent(event)
