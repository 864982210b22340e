"""Small parts that several pages use: labels, cards, banners, the empty and the busy panel."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAction,
    QColor,
    QGuiApplication,
    QHelpEvent,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAccessibleWidget,
    QApplication,
    QBoxLayout,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from splu_desktop.core.messages import Said
from splu_desktop.core.progress import Pace
from splu_desktop.files.disk.inert import inert
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.focus import Stops
from splu_desktop.gui.base.words import caption, joined, number, percent, plain, show_tip, t, tip, told

_FRAME, _FIELD = 28, 220  # pixels: what stands around the text of a field, and a field that has room for a long one
_Box = TypeVar("_Box", bound=QBoxLayout)
_Held = QWidget | QLayout
Part = _Held | int | tuple[_Held, int] | tuple[_Held, int, Qt.AlignmentFlag]
_REST = 300  # ms that a text stands before it is said: while a slider moves, none does
_LETTERS = 30  # of a name that stand there in any case
_AROUND = 42  # pixels of a box to choose from that its text doesn't have
_LONGEST = 64  # characters on a button
_GAP = 6  # between a button's icon and its text


class _Fitting(QLabel):
    """Sentences that take the height of their lines at the width there is, and no more."""

    def setText(self, text: str) -> None:
        super().setText(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumHeight(0)  # a label never says that it needs less than it is bound to
        self.setMinimumHeight(self.heightForWidth(max(self.width(), 1)) if self.text() else 0)


class Live(QLabel):
    """A label whose text tells what came of something: a screen reader says it where the focus is elsewhere.

    It is said once it has rested, however often it changes before, and once it can be seen.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self._said = ""
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._say)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._rest.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._rest.start()

    def waits(self) -> bool:
        """Return whether what it shows is still to be said."""
        return self._rest.isActive()

    def _say(self) -> None:
        if self.isVisible() and self.text() != self._said:
            self._said = self.text()
            announce(self, self._said)


class _LiveFitting(_Fitting, Live):
    """Both."""


def label(
    text: str = "",
    look: str = "",
    *,
    wrap: bool = False,
    selectable: bool = False,
    fitting: bool = False,
    live: bool = False,
) -> QLabel:
    """Return a label of plain text; `look` is "quiet" or "strong"; what a `live` one says anew is announced.

    `fitting` ones wrap and are as high as their lines. Others are as high as their lines in a narrow window, too, and
    don't move what stands below them.
    """
    kinds: dict[tuple[bool, bool], type[QLabel]]
    kinds = {(False, False): QLabel, (True, False): _Fitting, (False, True): Live, (True, True): _LiveFitting}
    made = kinds[fitting, live](text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if look:
        made.setProperty("look", look)
    if look == "warning":  # on a ground of its own
        made.setMargin(3)
    if wrap or fitting:
        made.setWordWrap(True)
        policy = made.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Preferred if fitting else QSizePolicy.Policy.Minimum)
        made.setSizePolicy(policy)
    if selectable:
        made.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    return made


def button(text: str, act: Callable[[], object], *, look: str = "", picture: str = "", hint: str = "") -> QPushButton:
    """Return a push button; `look` is "primary", "flat" or nothing. An & in `text` marks the mnemonic."""
    made = IconButton(text, picture, look) if picture else QPushButton(text)
    if look:
        made.setProperty("look", look)
    if hint:
        tip(made, hint)
    made.setAutoDefault(False)
    made.clicked.connect(lambda: act())
    return made


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
    """Return a field for a line of text with its accessible name, and a hint while it is empty."""
    made = _Line()
    made.setProperty("look", "field")
    made.setAccessibleName(name)
    hint_in(made, hint)
    return made


def hint_in(field: QLineEdit, hint: str) -> None:
    """Show a hint in an empty field, with room for it; of a long one, room for a good part, and all of it at rest."""
    field.setPlaceholderText(hint)
    wide = field.fontMetrics().horizontalAdvance(hint) + _FRAME
    field.setMinimumWidth(min(wide, _FIELD))
    tip(field, hint if wide > _FIELD else "")


def announce(widget: QWidget, text: str, *, alert: bool = False) -> None:
    """Let a screen reader say `text`, where one is listening: what changed is not where the focus is.

    An alert is said at once, whatever is being said; all else when that has been said.
    """
    if not text or not QAccessible.isActive():
        return
    told = QAccessibleAnnouncementEvent(widget, text)
    if alert:
        told.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(QAccessibleEvent(widget, QAccessible.Event.Alert))
    QAccessible.updateAccessibility(told)


def copy_text(text: str) -> None:
    """Copy a text, or rows of cells between tabs; nothing of it runs in the spreadsheet that it is pasted into."""
    copy_exactly("\n".join("\t".join(map(inert, row.split("\t"))) for row in text.split("\n")))


def shortcut(
    owner: QWidget, text: str, keys: QKeySequence.StandardKey | str, act: Callable[[], object], *, inside: bool = False
) -> QAction:
    """Give a widget an act with keys that do it while the focus is on the widget, or `inside` on a part of it."""
    made = QAction(text, owner)
    made.setShortcut(QKeySequence(keys))
    context = Qt.ShortcutContext
    made.setShortcutContext(context.WidgetWithChildrenShortcut if inside else context.WidgetShortcut)
    made.triggered.connect(lambda: act())
    owner.addAction(made)
    return made


def emptied(layout: QLayout) -> None:
    """Take all widgets out of a layout and let go of them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def way_button(words: str, act: Callable[[], object]) -> QPushButton:
    """Return a button for a way out, whose words may be long: the rest is in its hover text."""
    short = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    return button(caption(short), act, hint=words)


def copy_exactly(text: str) -> None:
    """Copy a text of ours as it is, and say so where the focus is: nothing else in the window shows it."""
    QGuiApplication.clipboard().setText(text)
    at = QApplication.focusWidget()
    if at is not None:
        show_tip(at, at.mapToGlobal(QPoint(0, at.height())), t("Copied"))
        announce(at, t("Copied"))


def empties_on_escape(edit: QLineEdit) -> None:
    """Let Esc empty a field of search."""
    leave = QShortcut(QKeySequence(Qt.Key.Key_Escape), edit, edit.clear)
    leave.setContext(Qt.ShortcutContext.WidgetShortcut)


def restyle(widget: QWidget, look: str) -> None:
    """Change a widget's `look`."""
    if widget.property("look") != look:
        widget.setProperty("look", look)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def margins(layout: _Box, *sides: int, spacing: int = 8) -> _Box:
    """Set a layout's margins (one number for all sides, or left, top, right, bottom; none: as is) and spacing."""
    if sides:
        left, top, right, bottom = sides * 4 if len(sides) == 1 else sides
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


class Choice(QComboBox):
    """A box to choose from that ends a text too long for it in dots; Qt's own cuts through the letters.

    `name` is what a screen reader says of it.
    """

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        if self.sizeAdjustPolicy() is not QComboBox.SizeAdjustPolicy.AdjustToContents:
            return least
        # Qt keeps what the first names needed, until the style changes: a name too long for the room ends in dots.
        narrow = _AROUND + _LETTERS * self.fontMetrics().averageCharWidth()
        return QSize(min(self.sizeHint().width(), narrow), least.height())

    def offer(self, items: Iterable[tuple[str, Any]], chosen: Any = None) -> None:
        """Offer texts, each with what it stands for, and choose one, the first where it is not there; nobody hears."""
        listed = list(items)
        with QSignalBlocker(self):
            self.clear()
            for text, meant in listed:
                self.addItem(text, meant)
            self.setCurrentIndex(next((at for at, (_, meant) in enumerate(listed) if meant == chosen), 0))

    def keep_short(self, letters: int) -> None:
        """Ask for no more room than so many letters, however long the texts."""
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(letters)

    def keep_whole(self, *words: str) -> None:
        """Keep room for words of our own, however narrow the window: they are short, and names of a table aren't."""
        self.setMinimumWidth(max(map(self.fontMetrics().horizontalAdvance, words)) + _AROUND)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.isEditable() or self.currentIndex() < 0:
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self._fitting(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _fitting(self, option: QStyleOptionComboBox) -> str:
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + _GAP
        return self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            option = QStyleOptionComboBox()
            self.initStyleOption(option)
            if self._fitting(option) != option.currentText:
                show_tip(self, event.globalPos(), option.currentText)
                return True
        return super().event(event)


class TickList(QListWidget):
    """A list of which lines are ticked; `itemChanged` tells of it.

    `name` is what a screen reader says of it.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)

    def offer(self, texts: Iterable[str], ticked: Container[str] = ()) -> None:
        """Offer other lines, some of them ticked; nobody hears."""
        with QSignalBlocker(self):
            self.clear()
            for text in texts:
                item = QListWidgetItem(text, self)
                item.setCheckState(Qt.CheckState.Checked if text in ticked else Qt.CheckState.Unchecked)

    def places(self) -> list[int]:
        """Return the places of the lines that are ticked."""
        return [at for at in range(self.count()) if self.item(at).checkState() is Qt.CheckState.Checked]

    def ticked(self) -> list[str]:
        """Return the lines that are ticked."""
        return [self.item(at).text() for at in self.places()]


class IconButton(QPushButton):
    """A push button whose icon takes the colour of its text."""

    def __init__(self, text: str, picture: str, look: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        if look:
            self.setProperty("look", look)
        self._picture = picture
        self._recolour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._recolour()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._recolour()  # a picture alone has no gap beside it

    def show_picture(self, picture: str) -> None:
        """Show another icon."""
        self._picture = picture
        self._recolour()

    def _recolour(self) -> None:
        c = theme.colours()
        look = self.property("look")
        colour = c.on_accent if look == "primary" else c.accent if look == "flat" else c.text
        gap = _GAP if self.text() else 0
        self.setIconSize(QSize(16 + gap, 16))
        self.setIcon(theme.icon(self._picture, colour, c.disabled, gap))


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

    def sizeHint(self) -> QSize:
        return QSize(self._size, self._size)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = getattr(theme.colours(), self._colour)
        painter.drawPixmap(0, 0, theme.pixmap(self._picture, colour, self._size, self.devicePixelRatioF()))


class Card(QFrame):
    """A white box with a heading; add to `body`."""

    def __init__(self, heading: str = "", *, spacing: int = 8, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "card")
        self.body = margins(QVBoxLayout(self), 16, 12, 16, 12, spacing=spacing)
        if heading:
            self.heading = label(heading, "strong")
            self.body.addWidget(self.heading)


class Scrolled(QScrollArea):
    """Room in which what is too high scrolls: large writing, small screens; too wide it scrolls sideways, too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)

    def viewportEvent(self, event: QEvent) -> bool:
        inside = self.widget()
        if inside is not None and event.type() is QEvent.Type.LayoutRequest:
            # As high as its lines are here: Qt asks for as much as they take in a narrow window.
            bends = inside.layout() or inside.sizePolicy()
            inside.setMinimumHeight(1 if bends.hasHeightForWidth() else 0)
        return super().viewportEvent(event)


class WholeLines(Scrolled):
    """Room in which what is too high scrolls, and which cuts no line of it while nothing is scrolled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verticalScrollBar().valueChanged.connect(self._end_between_lines)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._end_between_lines()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.widget() and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            QTimer.singleShot(0, self, self._end_between_lines)  # once its parts have their places
        return super().eventFilter(watched, event)

    def _end_between_lines(self) -> None:
        """Leave empty what is below the last whole line of text or button, as long as nothing is scrolled."""
        inside = self.widget()
        if inside is None:
            return
        end = height = self.viewport().height() + self.viewportMargins().bottom()
        if inside.height() > height and not self.verticalScrollBar().value():
            kinds = (QLabel, QAbstractButton, QComboBox)
            for part in (part for part in (inside, *inside.findChildren(QWidget)) if isinstance(part, kinds)):
                top = part.mapTo(inside, part.contentsRect().topLeft()).y()
                if part.isVisible() and top < height < top + part.contentsRect().height():
                    line = part.fontMetrics().lineSpacing() if isinstance(part, QLabel) else part.height()
                    end = min(end, top + (height - top) // line * line)
        self.setViewportMargins(0, 0, 0, height - end)


def scrolled(content: QWidget, kind: type[Scrolled] = Scrolled) -> QScrollArea:
    """Return room in which `content` scrolls."""
    room = kind()
    room.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    room.setWidget(content)
    return room


def called(part: QWidget, caption: str) -> None:
    """Begin what a screen reader says of a part with the caption that stands at it: whoever speaks that gets there."""
    words = caption.replace("&", "")
    part.setAccessibleName(joined(dict.fromkeys(filter(None, (words, part.accessibleName()))), ","))


def tab_after(before: QWidget | None, *parts: QWidget) -> None:
    """Let Tab come to parts, which were made later, after a widget, or after what it comes to last before that."""
    for part in parts:
        # Qt puts nothing behind what Tab does not come to.
        while before is not None and not before.focusPolicy() & Qt.FocusPolicy.TabFocus:
            before = before.previousInFocusChain()
        if before is not None and before is not part:
            QWidget.setTabOrder(before, part)
        before = part


class Tabs(QTabWidget):
    """Tabs that don't let the text on them decide how high they are: the page's own layout does."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for at in range(self.count()):
                if not self.tabIcon(at).isNull():
                    self.setTabIcon(at, theme.icon("triangle-alert", theme.colours().warning))

    def mark(self, tab: QWidget, why: str) -> None:
        """Mark a tab behind which a warning stands, "" for none: nobody looks for what he can't see."""
        at = self.indexOf(tab)
        self.setTabIcon(at, theme.icon("triangle-alert", theme.colours().warning) if why else QIcon())
        self.setTabToolTip(at, plain(why))
        self.tabBar().setAccessibleTabName(at, joined((self.tabText(at).replace("&", ""), why), ":") if why else "")

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 196)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 210)


class Folding(QWidget):
    """Two parts beside each other; where there is no room for both, the second one below the first.

    `letters` is the width from which there is, None for that which both need at least.
    """

    def __init__(self, first: QWidget, second: QWidget, letters: int | None = None) -> None:
        super().__init__()
        self._parts, self._letters = (first, second), letters
        self.row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        margins(self.row, 0, spacing=8)
        for part in self._parts:
            self.row.addWidget(part)

    def event(self, event: QEvent) -> bool:
        # What it holds may come to need more room while the window stays as wide as it is.
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            if self._letters is None:
                needed = sum(self._least()) + self.row.spacing()
            else:
                needed = self._letters * self.fontMetrics().averageCharWidth()
            narrow = self.width() < needed
            self.row.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        return super().event(event)

    def _least(self) -> list[int]:
        """Return the widths that the parts need; one that is hidden needs none."""
        return [part.minimumSizeHint().width() for part in self._parts if not part.isHidden()]

    def minimumSizeHint(self) -> QSize:
        return QSize(max(self._least(), default=0), self.row.minimumSize().height())


class Sparing(QWidget):
    """A row of parts, one of which goes where there is no room for it: words that the parts beside it say, too."""

    def __init__(self, spare: QWidget) -> None:
        super().__init__()
        self._spare = spare
        self.row = margins(QHBoxLayout(self), 0, spacing=8)

    def _least(self) -> int:
        """Return the width that the others need."""
        spared = 0 if self._spare.isHidden() else self._spare.minimumSizeHint().width() + self.row.spacing()
        return self.row.minimumSize().width() - spared

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            needed = self._least() + self._spare.minimumSizeHint().width() + self.row.spacing()
            self._spare.setVisible(needed <= self.width())
        return super().event(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least(), self.row.minimumSize().height())


class Rule(QFrame):
    """A hairline."""

    def __init__(self, *, vertical: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "rule")
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)


_BANNERS = {
    "note": ("info", "accent"),
    "warning": ("triangle-alert", "warning"),
    "fault": ("circle-alert", "fault"),
    "done": ("circle-check", "answerable"),
}


class Banner(QFrame):
    """One sentence above the page's content, with its kind by icon, colour and accessible name, and perhaps an act."""

    _roles: ClassVar[dict[int, QAccessibleWidget]] = {}  # Qt lets go of them when their banner is gone, and not before

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = margins(QHBoxLayout(self), 12, 8, 8, 8, spacing=12)
        self._picture = Picture("info", "accent", 18)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignVCenter)
        self.text = label(wrap=True, selectable=True)
        row.addWidget(self.text, 1)
        self._act: Callable[[], object] = lambda: None
        self.act_button = button("", lambda: self._act())
        row.addWidget(self.act_button, 0, Qt.AlignmentFlag.AlignTop)
        self.close_button = button("", self.hide, look="flat", picture="x", hint=t("Hide this message"))
        self.close_button.setAccessibleName(t("Hide this message"))
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self.kind = ""
        # A frame is a group otherwise.
        told = QAccessibleWidget(self, QAccessible.Role.AlertMessage)
        key = QAccessible.registerAccessibleInterface(told)
        Banner._roles[key] = told
        self.destroyed.connect(partial(Banner._roles.pop, key, None))
        self.hide()

    def say(self, kind: str, text: str, act: str = "", do: Callable[[], object] | None = None) -> None:
        """Show `text`; `kind` is "note", "warning", "fault" or "done"; `act` names a button that does `do`."""
        self.kind = kind
        restyle(self, kind)
        self._picture.show_picture(*_BANNERS[kind])
        text = told(text) if isinstance(text, Said) else text
        self.text.setText(text)
        names = {
            "note": t("Note"),
            "warning": t("Warning"),
            "fault": t("Problem"),
            "done": t("Done"),
        }
        self.setAccessibleName(joined((names[kind], text), ":"))
        self.text.setAccessibleName(self.accessibleName())
        self.act_button.setVisible(bool(act))
        self.act_button.setText(act)
        self._act = do or (lambda: None)
        self.show()
        announce(self, self.accessibleName(), alert=kind in ("warning", "fault"))


class Empty(QWidget):
    """The empty state: what this page is for, and the button that starts it."""

    def __init__(self, picture: str, heading: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = put(
            margins(QVBoxLayout(self), 24, spacing=12),
            2,
            (Picture(picture, "accent", 48), 0, Qt.AlignmentFlag.AlignHCenter),
        )
        self.heading = label(heading)
        self.heading.setFont(theme.title_font(self.font()))
        self.heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.heading.setWordWrap(True)
        column.addWidget(self.heading)
        self.text = label(text, "quiet", wrap=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.text.setMaximumWidth(520)
        # Stretches at both sides, not an alignment: an aligned label is never asked how high its wrapped text is.
        row = put(QHBoxLayout(), 1, (self.text, 3), 1)
        column.addLayout(row)
        self.buttons = margins(QHBoxLayout(), spacing=8)
        column.addSpacing(4)
        column.addLayout(self.buttons)
        self.buttons.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)


class Busy(QWidget):
    """The busy state: what is being done, how far it is, how long it may take, and a way out."""

    cancelled = Signal()

    def __init__(self, heading: str, cancel: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = put(margins(QVBoxLayout(self), 32, spacing=8), 2)
        self.heading = label(heading, "strong", wrap=True, live=True)
        self.stage = label("", "quiet")
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(t("Progress"))
        self.cancel = button(cancel, self._cancel)
        for part in (self.heading, self.bar, self.stage):
            column.addWidget(part)
        column.addSpacing(8)
        put(column, (self.cancel, 0, Qt.AlignmentFlag.AlignLeft), 3)
        self._pace = Pace()

    def begin(self, heading: str = "") -> None:
        """Start from nothing."""
        if heading:
            self.heading.setText(heading)
        self._pace = Pace()
        self.bar.setRange(0, 1000)
        self.bar.setValue(0)
        self.stage.setText(t("Starting"))
        self.cancel.setEnabled(True)

    def show_progress(self, stage: str, done: float) -> None:
        """Show the stage and how far it is."""
        self.bar.setValue(round(1000 * done))
        left = self._pace.left(stage, done, time.monotonic())
        if left is None or left < 1.5:
            text = t("{stage}: {share}", stage=told(stage), share=percent(done, 0))
        elif left < 90:
            text = t(
                "{stage}: {share}, about {n} seconds left", stage=told(stage), share=percent(done, 0), n=number(left)
            )
        else:
            text = t(
                "{stage}: {share}, about {n} minutes left",
                stage=told(stage),
                share=percent(done, 0),
                n=number(left / 60),
            )
        self.stage.setText(text)
        self.bar.setAccessibleDescription(self.stage.text())

    def _cancel(self) -> None:
        self.cancel.setEnabled(False)
        self.stage.setText(t("Stopping"))
        self.cancelled.emit()


class Chip(QWidget):
    """A word on a coloured ground with an icon, such as "protected"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture, self._text, self._colour, self._soft = "shield", "", "protected", "protected_soft"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def say(self, picture: str, text: str, colour: str) -> None:
        """Show `text`; `colour` is a name in `Colours` that has a soft ground beside it."""
        self._picture, self._text, self._colour, self._soft = picture, text, colour, f"{colour}_soft"
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return the word shown."""
        return self._text

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text) + 36, metrics.height() + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(c, self._soft)))
        painter.drawRoundedRect(self.rect(), 6, 6)
        colour = getattr(c, self._colour)
        top = (self.height() - 14) // 2
        painter.drawPixmap(9, top, theme.pixmap(self._picture, colour, 14, self.devicePixelRatioF()))
        painter.setPen(QColor(colour))
        painter.drawText(self.rect().adjusted(28, 0, -4, 0), int(Qt.AlignmentFlag.AlignVCenter), self._text)


_TITLE = 32  # pixels of a window's title


class Dialog(Stops, QDialog):
    """A window beside the main one, gone for good when it is closed; `parts` has its parts, one below the other.

    size : in pixels, for it to open with, as far as the screen is high enough; None for what its parts ask for.
    intro : what it is for, at the top.

    Attributes
    ----------
    act : the button that Enter presses where no button has the focus; None where Enter does nothing there.
    """

    act: QPushButton | None = None

    def __init__(self, title: str, size: tuple[int, int] | None, parent: QWidget | None, intro: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        if size:
            self.resize(size[0], 0)
            self.grow(size[1])
        self.parts = margins(QVBoxLayout(self), 16, spacing=12)
        if intro:
            self.parts.addWidget(label(intro, wrap=True))

    def grow(self, height: int) -> None:
        """Be at least so high, as far as the screen is."""
        most = self.screen().availableGeometry().height() - _TITLE
        self.resize(self.width(), max(self.height(), min(height, most)))

    def drop_work(self) -> None:
        """Drop work under way that nobody hears of once the dialog is closed."""

    def done(self, code: int) -> None:
        """Close, however it was ended."""
        self.drop_work()
        super().done(code)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Qt presses what it takes for the default: any button that had the focus before, be it Cancel.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        at = self.focusWidget()
        pressed = at if isinstance(at, QAbstractButton) else self.act
        if pressed is not None:
            pressed.click()


def new_grid(across: int = -1, down: int = -1, parent: QWidget | None = None) -> QGridLayout:
    """Return a grid with so many pixels between columns and between lines, -1 for the usual."""
    made = QGridLayout(parent)
    made.setHorizontalSpacing(across)
    made.setVerticalSpacing(down)
    return made


def room_above(last: QVBoxLayout) -> QVBoxLayout:
    """Return room above a dialog's last row, in whose layout that is to stand, that scrolls on a small screen."""
    inside = QWidget()
    last.addWidget(scrolled(inside), 1)
    return margins(QVBoxLayout(inside), 0, spacing=12)


def last_row(
    dialog: Dialog, column: QBoxLayout, act: str = "", *others: tuple[str, Callable[[], object]]
) -> QPushButton:
    """Give a dialog its last row, and return its first button: the act that Enter does, other acts, and the way out.

    Parameters
    ----------
    column : the dialog's layout, at whose end the row stands.
    act : what `accept` does, in words; "" where the dialog only shows, and Close is all.
    others : further acts, each with what it does.
    """
    row = QDialogButtonBox()
    first = leave = row.addButton(t("Cancel") if act else t("Close"), QDialogButtonBox.ButtonRole.RejectRole)
    leave.setAutoDefault(False)
    if act:
        first = QPushButton(act)
        first.setProperty("look", "primary")
        row.addButton(first, QDialogButtonBox.ButtonRole.AcceptRole)
        dialog.act = first
    for text, do in others:
        row.addButton(button(text, do), QDialogButtonBox.ButtonRole.ResetRole)
    first.setDefault(True)
    row.accepted.connect(dialog.accept)
    row.rejected.connect(dialog.reject)
    column.addWidget(row)
    return first


def asked_file(parent: QWidget, title: str, kinds: str = "", start: str = "") -> Path | None:
    """Return the file that the user chooses to open, None for none; `start` is the folder shown first."""
    name, _ = QFileDialog.getOpenFileName(parent, title, start, kinds)
    return Path(name) if name else None


class _PercentBox(QDoubleSpinBox):
    """A box that says 5 %, not 5.00 %."""

    def textFromValue(self, value: float) -> str:
        places = next(at for at in range(self.decimals() + 1) if round(value, at) == round(value, self.decimals()))
        return self.locale().toString(value, "f", places)


def percent_box(least: float, most: float, places: int, name: str) -> QDoubleSpinBox:
    """Return a box for a share, shown in per cent; its value is in per cent."""
    box = _PercentBox()
    box.setRange(least, most)
    box.setDecimals(places)
    box.setSuffix(" %")
    box.setSingleStep(1.0)
    box.setAccessibleName(name)
    box.setKeyboardTracking(False)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    return box


def whole_box(least: int, most: int, name: str) -> QSpinBox:
    """Return a box for a whole number."""
    box = QSpinBox()
    box.setRange(least, most)
    box.setAccessibleName(name)
    box.setKeyboardTracking(False)
    box.setGroupSeparatorShown(True)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    return box
