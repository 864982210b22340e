"""Small parts that several pages use: labels, buttons, fields, boxes, pictures, layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAction,
    QGuiApplication,
    QHelpEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QBoxLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import BREAK, breakable, show_tip, t, tip

_FRAME, _FIELD = 28, 220  # pixels: what stands around the text of a field, and a field that has room for a long one
_Box = TypeVar("_Box", bound=QBoxLayout)
_Held = QWidget | QLayout
Part = _Held | int | tuple[_Held, int] | tuple[_Held, int, Qt.AlignmentFlag]
_REST = 300  # ms that a text stands before it is said: while a slider moves, none does
_GAP = 6  # between a button's icon and its text


class Label(QLabel):
    """A label whose longest words may be broken, and that may be `fitting` and `live`: see `label`.

    What a live one says is said once it has rested, however often it changes before, and once it can be seen.
    """

    def __init__(self, *, breaks: bool, fitting: bool, live: bool) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._breaks, self._fitting, self._live, self._said = breaks, fitting, live, ""
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._say)

    def text(self) -> str:
        return super().text().replace(BREAK, "")

    def setText(self, text: str) -> None:
        super().setText(breakable(text) if self._breaks and self.textFormat() is Qt.TextFormat.PlainText else text)
        self._fit()
        if self._live:
            self._rest.start()

    def tell(self, sentence: str) -> None:
        """Show a sentence, and nothing for ""."""
        self.setText(sentence)
        self.setVisible(bool(sentence))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._live:
            self._rest.start()

    def _fit(self) -> None:
        if self._fitting:
            self.setMinimumHeight(0)  # a label never says that it needs less than it is bound to
            self.setMinimumHeight(self.heightForWidth(max(self.width(), 1)) if self.text() else 0)

    def _say(self) -> None:
        if self.isVisible() and self.text() != self._said:
            self._said = self.text()
            announce(self, self._said)


class ElidedLabel(QLabel):
    """A line of text that ends in dots where it has no room; all of it shows at rest."""

    def __init__(self, text: str = "", look: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("look", look)
        if look == "title":
            self.setFont(theme.title_font(self.font()))
        # Names that begin alike end differently; a sentence is understood from its beginning.
        self._mode = Qt.TextElideMode.ElideMiddle if look in ("title", "strong") else Qt.TextElideMode.ElideRight
        # The width of the whole text must not widen the window.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        tip(self, text)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self.palette().color(self.foregroundRole()))
        words = painter.fontMetrics().elidedText(self.text(), self._mode, self.contentsRect().width())
        painter.drawText(self.contentsRect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), words)
        painter.end()


def label(
    text: str = "",
    look: str = "",
    *,
    wrap: bool = False,
    selectable: bool = False,
    fitting: bool = False,
    live: bool = False,
) -> Label:
    """Return a label of plain text; what a `live` one says anew is announced.

    `look` is "quiet", "strong", "title" in the largest of the three sizes, "small" and "quiet-small" in the smallest,
    or a colour's name.

    `fitting` ones wrap and are as high as their lines. Others are as high as their lines in a narrow window, too, and
    don't move what stands below them.
    """
    # What is copied from a label must be what it says.
    text_label = Label(breaks=(wrap or fitting) and not selectable, fitting=fitting, live=live)
    if look:
        text_label.setProperty("look", look)
    if look in ("title", "small", "quiet-small"):
        text_label.setFont((theme.title_font if look == "title" else theme.small_font)(text_label.font()))
    if wrap or fitting:
        text_label.setWordWrap(True)
        policy = text_label.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Preferred if fitting else QSizePolicy.Policy.Minimum)
        text_label.setSizePolicy(policy)
    if selectable:
        text_label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    text_label.setText(text)
    return text_label


def button(text: str, act: Callable[[], object], *, look: str = "", picture: str = "", hint: str = "") -> QPushButton:
    """Return a push button; `look` is "primary", "flat" or nothing. An & in `text` marks the mnemonic."""
    control = IconButton(text, picture, look) if picture else QPushButton(text)
    if look:
        control.setProperty("look", look)
    if hint:
        tip(control, hint)
    control.setAutoDefault(False)
    # `clicked` carries a bool, which an act with an optional argument would take for that.
    control.clicked.connect(lambda: act())
    return control


class _Line(QLineEdit):
    """A line of text of which all is shown at rest where it is longer than the field."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.displayText()
            if self.fontMetrics().horizontalAdvance(text) + _FRAME > self.width():
                show_tip(self, event.globalPos(), text)
                return True
        return super().event(event)


def line_edit(name: str, hint: str = "") -> QLineEdit:
    """Return a field for a line of text with its accessible name, and a hint while it is empty, with room for it.

    Of a long hint there is room for a good part, and all of it shows at rest.
    """
    edit = _Line()
    edit.setProperty("look", "field")
    edit.setAccessibleName(name)
    edit.setPlaceholderText(hint)
    wide = edit.fontMetrics().horizontalAdvance(hint) + _FRAME
    edit.setMinimumWidth(min(wide, _FIELD))
    tip(edit, hint if wide > _FIELD else "")
    return edit


def announce(widget: QWidget, text: str, *, alert: bool = False) -> None:
    """Let a screen reader say `text`, where one is listening: what changed is not where the focus is.

    An alert is said at once, whatever is being said; all else when that has been said.
    """
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    if alert:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(QAccessibleEvent(widget, QAccessible.Event.Alert))
    QAccessible.updateAccessibility(event)


def copy_text(text: str) -> None:
    """Copy a text, or rows of cells between tabs; nothing of it runs in the spreadsheet that it is pasted into."""
    from splu_desktop.files.disk.inert_texts import inert  # its patterns are not made before the first window is there

    copy_exactly("\n".join("\t".join(map(inert, row.split("\t"))) for row in text.split("\n")))


def shortcut(owner: QWidget, text: str, keys: QKeySequence.StandardKey | str, act: Callable[[], object]) -> QAction:
    """Give a widget an act with keys that do it while the focus is on the widget."""
    action = QAction(text, owner)
    action.setShortcut(QKeySequence(keys))
    # Several tables have Copy: in the whole window Qt calls equal keys ambiguous and does nothing.
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(lambda: act())
    owner.addAction(action)
    return action


def empty(layout: QLayout) -> None:
    """Take all widgets out of a layout and let go of them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            # The event loop deletes it later; until then it would stand where it was.
            widget.hide()
            widget.deleteLater()


def copy_exactly(text: str) -> None:
    """Copy a text of ours as it is, and say so where the focus is: nothing else in the window shows it."""
    # It is a plain text, since PySide 6.10 crashes at the end while a QMimeData of ours is on the clipboard.
    QGuiApplication.clipboard().setText(text)
    at = QApplication.focusWidget()
    if at is not None:
        show_tip(at, at.mapToGlobal(QPoint(0, at.height())), t("Copied"))
        announce(at, t("Copied"))


def restyle(widget: QWidget, look: str) -> None:
    """Change a widget's `look`."""
    if widget.property("look") != look:
        widget.setProperty("look", look)
        # Qt looks at the property for its style sheet only when a widget is dressed anew.
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def margins(layout: _Box, *sides: int, spacing: int = 8) -> _Box:
    """Set a layout's margins (for all sides, across and down, or each from the left on; none: as is) and spacing."""
    if sides:
        left, top, right, bottom = sides * (4 // len(sides))
        layout.setContentsMargins(left, top, right, bottom)
    layout.setSpacing(spacing)
    return layout


def put(layout: _Box, *parts: Part) -> _Box:
    """Add parts in order: widgets and layouts, alone or as (part, stretch, alignment), and room as its stretch."""
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        what, stretch, *where = part if isinstance(part, tuple) else (part, 0)
        if isinstance(what, QLayout):
            layout.addLayout(what, stretch)
        else:
            layout.addWidget(what, stretch, *where)
    return layout


def make_grid(across: int, down: int, filling: int) -> QGridLayout:
    """Return a grid with so many pixels between its parts, of which one column takes the room that is left."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(across)
    grid.setVerticalSpacing(down)
    grid.setColumnStretch(filling, 1)
    return grid


def turn(layout: QBoxLayout, *, down: bool) -> None:
    """Put a layout's parts below one another, or beside each other."""
    layout.setDirection(QBoxLayout.Direction.TopToBottom if down else QBoxLayout.Direction.LeftToRight)


class IconButton(QPushButton):
    """A push button whose icon takes the colour of its text."""

    def __init__(self, text: str, picture: str, look: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        if look:
            self.setProperty("look", look)
        self._picture, self._drawn = picture, ("", 0)
        self._recolour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._recolour()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._recolour()  # a picture alone has no gap beside it

    def _recolour(self) -> None:
        c = theme.colours()
        inks = {"primary": c.on_accent, "flat": c.accent, "flat-entry": c.accent, "pill-protected": c.protected}
        colour = inks.get(str(self.property("look")).removesuffix("-now"), c.text)
        gap = _GAP if self.text() else 0
        # Qt tells of a style several times for each button that is shown.
        if (colour, gap) != self._drawn:
            self._drawn = colour, gap
            self.setIconSize(QSize(16 + gap, 16))
            self.setIcon(theme.icon(self._picture, colour, gap))


class Picture(QWidget):
    """One icon, in a colour of the scheme given by name."""

    def __init__(self, picture: str, colour: str = "quiet", size: int = 16, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture, self._colour, self._size = picture, colour, size
        self.setFixedSize(size, size)

    def show_picture(self, picture: str, colour: str) -> None:
        """Show another icon."""
        self._picture, self._colour = picture, colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = getattr(theme.colours(), self._colour)
        painter.drawPixmap(0, 0, theme.pixmap(self._picture, colour, self._size, self.devicePixelRatioF()))


class ScrollArea(QScrollArea):
    """Room in which what is too high scrolls: large writing, small screens; too wide it scrolls sideways, too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Tab goes to the parts inside, and each is brought into sight
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)

    def sizeHint(self) -> QSize:
        # Qt's own has 24 lines of writing at most.
        inside, whole = self.widget(), QScrollArea.SizeAdjustPolicy.AdjustToContents
        return inside.sizeHint() if inside is not None and self.sizeAdjustPolicy() is whole else super().sizeHint()

    def viewportEvent(self, event: QEvent) -> bool:
        inside = self.widget()
        if inside is not None and event.type() is QEvent.Type.LayoutRequest:
            # As high as its lines are here: Qt asks for as much as they take in a narrow window.
            bends = inside.layout() or inside.sizePolicy()
            inside.setMinimumHeight(1 if bends.hasHeightForWidth() else 0)
            if self.sizeAdjustPolicy() is QScrollArea.SizeAdjustPolicy.AdjustToContents:
                self.updateGeometry()
        return super().viewportEvent(event)


def put_in_scroll_area(content: QWidget) -> QScrollArea:
    """Return room in which `content` scrolls, never sideways; what it stands on shows through."""
    room = ScrollArea()
    room.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    room.setWidget(content)
    # setWidget has just turned it on.
    content.setAutoFillBackground(False)
    return room


def show_whole(view: QAbstractScrollArea, least: int, *, whole: bool) -> None:
    """Let what scrolls be as high as its lines, where the page scrolls; else it scrolls from `least` on."""
    view.setMinimumHeight(0 if whole else least)
    adjust, size = QAbstractScrollArea.SizeAdjustPolicy, QSizePolicy.Policy
    view.setSizeAdjustPolicy(adjust.AdjustToContents if whole else adjust.AdjustIgnored)
    view.setSizePolicy(size.Expanding, size.Minimum if whole else size.Expanding)


class Rule(QFrame):
    """A hairline."""

    def __init__(self, *, vertical: bool = False) -> None:
        super().__init__()
        self.setProperty("look", "rule")
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
