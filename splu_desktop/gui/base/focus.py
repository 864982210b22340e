"""Where the focus is: a ring around it, whatever has it, and no stop of Tab at what no key does anything to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QBoxLayout, QLayout, QPushButton, QRubberBand, QTabBar, QWidget

from splu_desktop.gui.base import theme


class FocusRing(QRubberBand):
    """Two lines along a widget's edge: one of them stands out from any ground.

    A rubber band takes no mouse, no focus, and no place in what a screen reader is told.
    """

    def __init__(self, around: QWidget) -> None:
        super().__init__(QRubberBand.Shape.Rectangle, around)
        self._around = around
        around.installEventFilter(self)
        self._fit()
        self.show()

    def _fit(self) -> None:
        of = self._around
        box = of.tabRect(of.currentIndex()) if isinstance(of, QTabBar) else of.rect()
        if box != self.geometry():
            self.setGeometry(box)
            self.clearMask()
            self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Tabs are laid out after this; another one in front, or in their place, is painted and no more.
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Paint):
            QTimer.singleShot(0, self, self._fit)
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        c, painter, box = theme.colours(), QPainter(self), QRectF(self.rect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for colour, width, inset in ((c.card, 1.0, 2.5), (c.accent, 2.0, 1.0)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 5 - inset, 5 - inset)


def show_focus(application: QApplication) -> None:
    """Draw a ring around what has the focus from now on; none around a clicked button, nor in a list let down.

    What has it is scrolled into sight: Qt does so only where Tab moves inside one and the same room.

    A button that has it is pressed by Enter as by Space: else Enter does nothing on a page, and what another button
    says in a dialog, be it from Cancel.
    """

    def move_ring(old: QWidget | None, new: QWidget | None) -> None:
        for ring in old.findChildren(FocusRing, options=Qt.FindChildOption.FindDirectChildrenOnly) if old else ():
            # The event loop deletes it later; until then it would still be drawn.
            ring.hide()
            ring.deleteLater()
        if isinstance(new, QPushButton):
            new.setAutoDefault(True)
        if new is None or new.window().windowType() == Qt.WindowType.Popup:
            return
        if not (new.inherits("QAbstractButton") and QGuiApplication.mouseButtons()):
            FocusRing(new)
        if not QGuiApplication.mouseButtons():
            QTimer.singleShot(0, new, partial(_bring_into_sight, new))  # once a page that has just come is laid out

    application.focusChanged.connect(move_ring)


def _bring_into_sight(widget: QWidget) -> None:
    room: Any = widget.parentWidget()
    while room is not None:
        if room.inherits("QScrollArea"):
            room.ensureWidgetVisible(widget)
        room = room.parentWidget()


def finish_typing() -> None:
    """Let the field that has the focus take what was typed, as when the focus leaves it: a shortcut moves none."""
    field = QApplication.focusWidget()
    if field is not None and any(map(field.inherits, ("QLineEdit", "QComboBox", "QAbstractSpinBox"))):
        field.clearFocus()
        field.setFocus()


def idle(widget: Any) -> bool:
    """Return whether no key does anything to a widget: nothing to scroll, to choose from or to move."""

    def is_any(*names: str) -> bool:  # by name: to import all of them would be a tenth of the start
        return widget is not None and any(map(widget.inherits, names))

    if is_any("QComboBox", "QTabBar"):
        return bool(widget.count() < 2 and not (is_any("QComboBox") and widget.isEditable()))
    if is_any("QAbstractSlider", "QSpinBox", "QDoubleSpinBox"):
        return bool(widget.minimum() == widget.maximum())
    # The first kind that fits decides, so kinds of scroll area stand before QAbstractScrollArea.
    if is_any("QAbstractItemView"):
        return widget.model() is None or not widget.model().rowCount()
    if is_any("QAbstractScrollArea") and not (is_any("QPlainTextEdit", "QTextEdit") and not widget.isReadOnly()):
        return not widget.verticalScrollBar().maximum() and not widget.horizontalScrollBar().maximum()
    return False


def find_stops(part: Any, among: Sequence[Any] = ()) -> Iterator[QWidget]:
    """Yield what Tab may come to in a part, in the order of its layouts, which is that of reading.

    Qt's own order is that of making, and cards and lines are made anew whenever they change.
    """
    if isinstance(part, QLayout):
        # Of a layout's items PySide says at times that they are deleted; an index needs none of them.
        inside = {part.indexOf(each): each for each in (*among, *part.children())}
        backwards = isinstance(part, QBoxLayout) and part.direction() is QBoxLayout.Direction.BottomToTop
        for at in sorted(inside.keys() - {-1}, reverse=backwards):
            yield from find_stops(inside[at], among)
    elif not part.isHidden():
        if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.focusProxy() is None:
            yield part
        inner = [part.layout()]
        if part.inherits("QScrollArea"):
            inner = [part.widget()]
        elif part.inherits("QTabWidget"):
            inner = [part.tabBar(), part.currentWidget()]
        for each in filter(None, inner):
            yield from find_stops(each, [child for child in part.children() if child.isWidgetType()])


class Stops:
    """What a window begins with, so that Tab goes as one reads, and passes by whatever is idle."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        # QWidget comes next in the order of a window's bases, which no type checker sees from here.
        qt: Any = super()
        stops = [*find_stops(getattr(self, "centralWidget", lambda: self)())]
        for one, other in pairwise(stops):
            QWidget.setTabOrder(one, other)
        for _ in stops:  # where everything is idle, Tab would go round without end
            if not qt.focusNextPrevChild(forward):
                return False
            if not idle(QApplication.focusWidget()):
                break
        return True
