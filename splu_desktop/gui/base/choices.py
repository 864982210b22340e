"""What is chosen, ticked or counted up: boxes, lists of ticks, boxes of numbers. The first window has none of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDoubleSpinBox,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
)

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import Index
from splu_desktop.gui.base.words import join, show_tip, tip

_LETTERS = 30  # of a name that stand there in any case
_AROUND = 42  # pixels of a box to choose from that its text doesn't have
_NARROW, _WIDE = 102, 264  # pixels of a box that is as wide as what is chosen
_GAP = 6  # between a box's icon and its text
_TICK = 28  # pixels before a line's words
_COUNT = Qt.ItemDataRole.UserRole + 1


class Choice(QComboBox):
    """A box to choose from that ends a text too long for it in dots; Qt's own cuts through the letters.

    `name` is what a screen reader says of it. It asks for room for so many `letters`, however long the texts; with 0
    for what they need.
    """

    def __init__(self, name: str = "", letters: int = 0) -> None:
        super().__init__()
        self.setAccessibleName(name)
        if letters:
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(letters)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        if self.sizeAdjustPolicy() is not QComboBox.SizeAdjustPolicy.AdjustToContents:
            return least
        # Qt keeps what the first names needed, until the style changes: a name too long for the room ends in dots.
        narrow = _AROUND + _LETTERS * self.fontMetrics().averageCharWidth()
        return QSize(min(self.sizeHint().width(), narrow), least.height())

    def fit(self) -> None:
        """Be as wide as what is chosen, within a little and a name of thirty letters."""
        wide = self.fontMetrics().horizontalAdvance(self.currentText()) + _AROUND
        self.setFixedWidth(min(max(wide, _NARROW), _WIDE))

    def offer(self, items: Iterable[tuple[str, Any]], chosen: Any = None) -> None:
        """Offer texts, each with what it stands for, and choose one, the first where it is not there; nobody hears."""
        with QSignalBlocker(self):
            self.clear()
            for text, meant in items:
                self.addItem(text, meant)
            self.choose(chosen)

    def choose(self, meant: Any) -> None:
        """Choose what stands for something, the first where it is not there; nobody hears."""
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, next((at for at in range(self.count()) if self.itemData(at) == meant), 0)))

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + _GAP
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideMiddle, room)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            option = QStyleOptionComboBox()
            self.initStyleOption(option)
            if option.currentText != self.currentText():
                show_tip(self, event.globalPos(), self.currentText())
                return True
        return super().event(event)


class _CountedLine(QStyledItemDelegate):
    """Draws a line's count at the right edge, and its words in the room before that."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        room = option.rect.width() - _TICK - _GAP - option.fontMetrics.horizontalAdvance(index.data(_COUNT) or "")
        option.text = option.fontMetrics.elidedText(option.text, option.textElideMode, room)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        painter.setPen(QColor(theme.colours().quiet))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(option.rect.adjusted(0, 0, -_GAP, 0), right, index.data(_COUNT) or "")


class TickList(QListWidget):
    """A list of which lines are ticked, by a click on their words, too; `itemChanged` tells of it.

    `name` is what a screen reader says of it.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegate(_CountedLine(self))
        self._hit: QListWidgetItem | None = None  # the line whose tick itself was hit
        self.itemPressed.connect(lambda item: setattr(self, "_hit", None))  # a key may have ticked it before
        self.itemChanged.connect(lambda item: setattr(self, "_hit", item))
        self.itemClicked.connect(self._click)

    def _click(self, item: QListWidgetItem) -> None:
        # Qt tells of a tick that was hit before it tells of the click that hit it.
        if self._hit is not item:
            on = item.checkState() is Qt.CheckState.Checked
            item.setCheckState(Qt.CheckState.Unchecked if on else Qt.CheckState.Checked)

    def offer(self, texts: Iterable[str], ticked: Container[str] = (), counts: Sequence[str] = ()) -> None:
        """Offer other lines, with or without counts, some ticked, the first of these in sight; nobody hears."""
        lines = list(texts)
        with QSignalBlocker(self):
            other = lines != [self.item(at).text() for at in range(self.count())]
            if other:
                self.clear()
                self.addItems(lines)
            for at, text in enumerate(lines):
                tip(self.item(at), text)
                self.item(at).setData(_COUNT, counts[at] if counts else "")
                self.item(at).setData(Qt.ItemDataRole.AccessibleTextRole, join((text, *counts[at : at + 1]), ":"))
                self.item(at).setCheckState(Qt.CheckState.Checked if text in ticked else Qt.CheckState.Unchecked)
        # Where the lines are the same, the list stays where the user has it.
        if other and (places := self.places()):
            middle = QAbstractItemView.ScrollHint.PositionAtCenter
            # Once it is as high as it will be.
            QTimer.singleShot(0, self, lambda: self.scrollTo(self.model().index(places[0], 0), middle))

    def places(self) -> list[int]:
        """Return the places of the lines that are ticked."""
        return [at for at in range(self.count()) if self.item(at).checkState() is Qt.CheckState.Checked]

    def list_ticked(self) -> list[str]:
        """Return the lines that are ticked."""
        return [self.item(at).text() for at in self.places()]


class _NumberBox(QDoubleSpinBox):
    """A box that says 5, not 5.00."""

    def textFromValue(self, value: float) -> str:
        places = next(at for at in range(self.decimals() + 1) if round(value, at) == round(value, self.decimals()))
        return self.locale().toString(value, "f", places)


def number_box(least: float, most: float, places: int, name: str, unit: str = "") -> QDoubleSpinBox:
    """Return a box for a number; one of a share, whose unit is " %", has its value in per cent."""
    box = _NumberBox()
    box.setDecimals(places)
    box.setRange(least, most)
    box.setSuffix(unit)
    box.setAccessibleName(name)
    # Else 15 would be heard as 1 first.
    box.setKeyboardTracking(False)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    return box


def show_value(box: QDoubleSpinBox, value: float) -> None:
    """Show a value in a box; nobody hears."""
    with QSignalBlocker(box):
        box.setValue(value)
