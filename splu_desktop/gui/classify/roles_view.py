"""How the four roles look and read, and the delegate that shows and changes one in a table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QComboBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import BAR, ROW
from splu_desktop.gui.base.widgets import Choice
from splu_desktop.gui.base.words import t

Index = QModelIndex | QPersistentModelIndex

PICTURES = {Role.IDENTIFIER: "eye-off", Role.NSA: "file-text", Role.SA: "shield", Role.DROPPED: "ban"}
COLOURS = {Role.IDENTIFIER: "fault", Role.NSA: "text", Role.SA: "protected", Role.DROPPED: "quiet"}


def role_name(role: Role) -> str:
    """Return a role as a custodian says it."""
    return {
        Role.IDENTIFIER: t("Identifier"),
        Role.NSA: t("Published as it is"),
        Role.SA: t("Sensitive"),
        Role.DROPPED: t("Left out"),
    }[role]


def role_meaning(role: Role) -> str:
    """Return what a role does, in one sentence."""
    return {
        Role.IDENTIFIER: t("Names a person by itself, such as a record number. It is never published."),
        Role.NSA: t("Published unchanged (NSA, non-sensitive attribute). Rare combinations stay recognisable."),
        Role.SA: t("Re-drawn so that counts of a few patients can't be trusted (SA, sensitive attribute)."),
        Role.DROPPED: t("Not needed by the recipient, so not published."),
    }[role]


class RoleDelegate(QStyledItemDelegate):
    """Draws the role with its icon and an arrow; a click, F2, Enter or the space bar opens the choice."""

    def __init__(self, choose: Callable[[str, Role], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._choose = choose

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        if row is None:
            return
        c = theme.colours()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(option.rect, QColor(c.accent_soft if selected else c.card))
        box = QRectF(option.rect).adjusted(5, 3, -5, -3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QPen(QColor(c.accent if focused else c.line), 2 if focused else 1))
        painter.setBrush(QColor(c.protected_soft if row.role is Role.SA else c.card))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        ratio = painter.device().devicePixelRatioF()
        colour = getattr(c, COLOURS[row.role])
        middle = round(box.center().y())
        left = round(box.left())
        painter.drawPixmap(left + 7, middle - 7, theme.pixmap(PICTURES[row.role], colour, 14, ratio))
        painter.drawPixmap(round(box.right()) - 18, middle - 6, theme.pixmap("chevron-down", c.quiet, 12, ratio))
        painter.setPen(QColor(colour))
        text = box.adjusted(27, 0, -20, 0)
        shown = painter.fontMetrics().elidedText(
            role_name(row.role), Qt.TextElideMode.ElideRight, max(0, round(text.width()))
        )
        painter.drawText(text, int(Qt.AlignmentFlag.AlignVCenter), shown)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        combo = Choice(t("Role of {column}", column=index.data(ROW).fact.name), parent)
        c = theme.colours()
        for role in Role:
            combo.addItem(theme.icon(PICTURES[role], getattr(c, COLOURS[role])), role_name(role), role)
            combo.setItemData(combo.count() - 1, role_meaning(role), Qt.ItemDataRole.ToolTipRole)
        combo.activated.connect(lambda: self._commit(combo))
        return combo

    def _commit(self, combo: QComboBox) -> None:
        self.commitData.emit(combo)
        self.closeEditor.emit(combo)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(list(Role).index(index.data(ROW).role))
            editor.showPopup()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            self._choose(index.data(ROW).fact.name, list(Role)[editor.currentIndex()])

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect)


class BarsDelegate(QStyledItemDelegate):
    """Draws shares of the records as a row of small bars; the first bar is the most frequent value where unordered."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        c = theme.colours()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.fillRect(option.rect, QColor(c.accent_soft if selected else c.card))
        shares = index.data(BAR)
        if not shares:
            return
        space = QRect(option.rect).adjusted(8, 4, -8, -4)
        width = min(12.0, space.width() / len(shares))
        top = max(shares)
        painter.save()
        row = index.data(ROW)
        colour = c.protected if getattr(row, "role", None) is Role.SA else c.between
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        for place, share in enumerate(shares):
            height = max(1.0, space.height() * share / top) if share else 0.0
            left = space.left() + place * width
            painter.drawRect(QRectF(left, space.bottom() + 1 - height, max(1.0, width - 1), height))
        painter.restore()
