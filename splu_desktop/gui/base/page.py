"""The frame that every page shares: content in a scrolled column, its other states, and a footer with one button.

A page is made once, reads the session in `refresh`, and is told by `fold` how much room there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from splu_desktop.gui.base.focus import find_stops
from splu_desktop.gui.base.parts import Banner, Busy, Empty
from splu_desktop.gui.base.session import Session, Step
from splu_desktop.gui.base.widgets import Rule, announce, button, label, margins, put, put_in_scroll_area
from splu_desktop.gui.base.words import t, tip, translate
from splu_desktop.gui.base.work import Work

if TYPE_CHECKING:
    from splu_desktop.core.plan import Plan
    from splu_desktop.core.policy import Line


class Fold(Enum):
    """How much room a window has: the drawn sizes at 100, 150 and 200 % of a screen of 1366 x 768."""

    WIDE = "wide"
    MIDDLE = "middle"
    NARROW = "narrow"


KEPT = "kept"  # the property of a button, or text, whose state its page alone knows: whether there is one to keep
SIDES = {Fold.WIDE: (20, 10, 20), Fold.MIDDLE: (12, 8, 12), Fold.NARROW: (12, 6, 12)}  # left, top, right


class Page(QWidget):
    """One page.

    A page says its `step`, and overrides `build` (make the parts, in `self.body`), `refresh` (read the session) and
    `act` (what the primary button does); perhaps `go_back`, `folded`, `show_what_waits`.

    Signals
    -------
    go (Step) : the page asks the window to show another page.
    """

    go = Signal(object)
    step: Step
    before: Step | None = None  # where Back and Esc lead
    empty: Empty  # where a page has one: see `use_empty`, `use_busy`
    busy: Busy
    follows_answers = False  # whether it goes on with a proposal, which must answer the questions as they stand
    scrolls = True  # whether the content scrolls when it is too high; a page that is one table scrolls in the table

    def __init__(self, session: Session, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.work = session, work
        self.fold, self.spare = Fold.WIDE, 0
        self._dirty = True
        self._outer = margins(QVBoxLayout(self), 0, spacing=0)
        self._inner = margins(QVBoxLayout(), 20, 10, 20, 0, spacing=8)
        self._outer.addLayout(self._inner, 1)
        self.banner = Banner()
        self._inner.addWidget(self.banner)
        self.head = margins(QVBoxLayout(), 0, spacing=8)  # stays in sight while the rest scrolls
        self._inner.addLayout(self.head)
        self.stack = QStackedWidget()
        self._inner.addWidget(self.stack, 1)
        self.content = QWidget()
        self.body = margins(QVBoxLayout(self.content), 0, spacing=12)
        self.room: QWidget = self.content
        if self.scrolls:
            self.room = put_in_scroll_area(self.content)
        self.stack.addWidget(self.room)
        self._outer.addWidget(Rule())
        self.footer = QWidget()
        self.footer.setProperty("look", "footer")
        self.foot = margins(QHBoxLayout(self.footer), 20, 6, 20, 6, spacing=12)
        self.note = label("", "quiet", wrap=True, live=True)
        self.back = button("", self.press_back)
        self.back.hide()
        self.primary: QPushButton = button("", self._press, look="primary")
        middle = Qt.AlignmentFlag.AlignVCenter
        put(self.foot, (self.note, 1), (self.back, 0, middle), (self.primary, 0, middle))
        self._outer.addWidget(self.footer)
        # The parts come first: laying the page out calls `folded`, which works on them.
        self.build()
        self._lay_out()
        session.changed.connect(self._hear)

    # --- what a page overrides

    def build(self) -> None:
        """Make the page's parts, once."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show the session as it is now."""
        raise NotImplementedError

    def act(self) -> None:
        """Do what the primary button says."""
        raise NotImplementedError

    def leave(self) -> None:
        """Do what Esc does: stop what is under way here, or go back."""
        busy = getattr(self, "busy", None)
        (busy.cancel.click if busy is not None and busy.isVisible() else self.go_back)()

    def go_back(self) -> None:
        """Do what Back does, and Esc."""
        if self.before is not None:
            self.go.emit(self.before)

    def press_back(self) -> None:
        """Do what the button beside the primary one says; Back, unless a page says otherwise."""
        self.go_back()

    def apply_fold(self, fold: Fold) -> None:
        """Lay the parts out for another amount of room."""

    def show_what_waits(self) -> None:
        """Put the focus on what the grey primary button waits for, where that can be told."""

    def first_focus(self) -> QWidget | None:
        """Return where the page begins: the primary button, or the first part where that is grey."""
        return self.primary if self.primary.isEnabled() else None

    # --- states

    def use_empty(self, picture: str, heading: str, words: str, act: Callable[[], object]) -> None:
        """Give the page its empty state, with the button that leads out of it."""
        self._waits_for = heading
        self.empty = Empty(picture, heading)
        self.empty.buttons.addWidget(button(words, act, look="primary"))
        self.stack.addWidget(self.empty)

    def use_busy(self, channel: str) -> None:
        """Give the page its busy state, whose Stop asks the work of a channel to stop."""
        self.busy = Busy()
        self.busy.cancelled.connect(lambda: self.work.cancel(channel))
        self.stack.addWidget(self.busy)

    def show_content(self) -> None:
        """Show the content."""
        self._show_part(self.room)

    def show_empty(self, primary: str) -> None:
        """Show the empty state: what the primary button waits for, or that the release is out of date."""
        self._show_part(self.empty)
        stale = t("The release was made from other choices; Ask and Report are out of date.")
        waits = stale if self.session.stale else self._waits_for
        self.empty.heading.setText(waits)
        self.set_primary(primary, False, waits)

    def work_on(
        self, words: str, take: Callable[[Any], object], function: Callable[..., Any], *args: Any, **keywords: Any
    ) -> None:
        """Show how far a worker is, then the content with what `take` does of it, or with what went wrong.

        What follows `function` goes to `Work.start`.
        """

        def done(result: Any) -> None:
            self.show_content()
            take(result)

        def end(kind: str, sentence: str) -> None:
            self.show_content()
            self.refresh()
            self.tell_end(kind, sentence)

        self.banner.hide()
        self.busy.begin(words)
        self._show_part(self.busy)
        self.set_primary(self.primary.text(), False)
        self.work.start(
            function,
            *args,
            on_partial=self.busy.show_progress,
            on_done=done,
            on_exception=partial(end, "fault"),
            on_cancel=lambda: end("note", t("Stopped. Nothing was left behind.")),
            **keywords,
        )

    def tell_end(self, kind: str, sentence: str) -> None:
        """Tell on the page in front that work stopped or failed: the user may have left this one meanwhile."""
        self.session.noticed.emit(kind, sentence)

    def show_error(self, sentence: str) -> None:
        """Show a fault's sentence above the content; the work stays as it is."""
        self.banner.say("fault", sentence)

    # --- the plan

    def change_plan(self, make: Callable[[Plan], Plan], name: str, merge: str = "") -> None:
        """Change the plan, if there is one, as one step; what is wrong is said above the page, and the plan stays."""
        if fault := self.session.make_plan(make, name, merge):
            self.show_error(fault)

    def repair(self, line: Line, ended: Callable[[], object] = lambda: None) -> None:
        """Let a worker do what repairs a line, behind which a search may stand; `ended` hears that it did or failed."""
        plan, repair = self.session.plan, line.repair
        if plan is None or repair is None:
            return

        def take(better: Plan) -> None:
            ended()
            if better == plan:
                self.show_error(t("This repair changes nothing here. Take another way."))
            elif plan == self.session.plan:  # else it was changed or undone meanwhile
                self.change_plan(lambda _: better, translate(repair.words))

        def fail(sentence: str) -> None:
            ended()
            self.show_error(sentence)

        self.work.start(repair.apply, plan, on_done=take, on_exception=fail, channel="repair")

    def _show_part(self, part: QWidget) -> None:
        if self.stack.currentWidget() is part:
            return
        held = self.has_focus()
        if held and (focus := QApplication.focusWidget()) is not None:
            focus.clearFocus()  # Qt gives the focus of what is hidden to the rail
        self.stack.setCurrentWidget(part)
        if held:
            # It waits a turn: whoever shows a part still has to enable what is to have the focus.
            QTimer.singleShot(0, self, partial(self.keep_focus, arriving=True))

    # --- the footer

    def set_primary(self, text: str, enabled: bool, note: str = "") -> None:
        """Name the primary button; `note` stands at the left: what it waits for, or for whom the release is."""
        if self.follows_answers and self.session.has_new_answers:
            text, enabled, note = t("Answer anew"), True, ""
        self.primary.setText(text)
        waited = not self.primary.isEnabled()
        if not enabled and self.primary.hasFocus():
            # The button still has the focus here, and Qt moves it on as soon as it turns grey.
            QTimer.singleShot(0, self, self.keep_focus)
        self.primary.setEnabled(enabled)
        # Every refresh comes by here; it is said only when the button wakes.
        if enabled and waited and self.isVisible():
            announce(self.primary, text)
        self.note.setText(note)
        keys = QKeySequence("Ctrl+Return").toString(QKeySequence.SequenceFormat.NativeText)
        tip(self.primary, f"{text} ({keys})" if enabled else note)

    def set_back(self, text: str, short: str = "") -> None:
        """Show Back with a text, and the short one where there is little room."""
        self._backs = (text, short or text)
        self.back.show()
        self._name_back()

    def _name_back(self) -> None:
        long, short = getattr(self, "_backs", ("", ""))
        self.back.setText(long if self.fold is Fold.WIDE else short)

    def _press(self) -> None:
        if self.follows_answers and self.session.has_new_answers:
            self.go.emit(Step.QUESTIONS)
        else:
            self.act()

    def do_primary(self) -> None:
        """Press the primary button, or show what it waits for."""
        if self.primary.isEnabled():
            self.primary.click()
        else:
            self.show_what_waits()

    # --- room, focus, session

    def set_fold(self, fold: Fold, spare: int = 0) -> None:
        """Lay the page out for so much room, with so many steps of height to spare."""
        if (fold, spare) != (self.fold, self.spare):
            self.fold, self.spare = fold, spare
            self._lay_out()

    def _lay_out(self) -> None:
        left, top, right = SIDES[self.fold]
        wide = self.fold is Fold.WIDE
        self._inner.setContentsMargins(left, top, right, 6 if wide else 0)
        self._inner.setSpacing(8 if wide else 6)
        margins(self.banner.row, 12, 8 if wide else 1, 8, 8 if wide else 1, spacing=12)
        self.foot.setContentsMargins(left, 6 if wide else 4, right, 6 if wide else 4)
        self._name_back()
        held, focus = self.has_focus(), QApplication.focusWidget()
        self.apply_fold(self.fold)
        if held and focus is not None and not focus.hasFocus():  # a part that is moved loses it, to the rail
            QTimer.singleShot(0, focus, focus.setFocus)

    def _hear(self) -> None:
        held, self._dirty = self.has_focus(), not self.isVisible()
        if not self._dirty:
            self.refresh()
        if held:  # what had it may be gone, and Qt would give it to the rail
            self.keep_focus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._dirty:
            self._dirty = False
            self.refresh()

    # --- another language, in which the page is made anew

    def _find_fields(self) -> dict[str, Any]:
        """Return what is filled in on the page: its place there -> the field."""
        fields: dict[str, Any] = {}
        around: QWidget | None
        for each in self.findChildren(QWidget):
            if each.property("look") == "field" or each.property(KEPT) is not None:
                path, around = "", each
                while around is not None and around is not self:
                    path, around = f"{around.objectName() or type(around).__name__}/{path}", around.parentWidget()
                while path in fields:
                    path += "'"
                fields[path] = each
        return fields

    def read_typed(self) -> dict[str, Any]:
        """Return what was typed or ticked here and is known to this page alone: its place -> text or tick."""
        fields = self._find_fields().items()
        typed = ((place, each) for place, each in fields if each.property(KEPT) or each.property("modified"))
        return {place: each.property(each.metaObject().userProperty().name()) for place, each in typed}

    def type_again(self, typed: Mapping[str, Any]) -> None:
        """Show the session, and above it what was typed and ticked on this page in another language."""
        self.refresh()
        fields = self._find_fields()
        for place in typed.keys() & fields.keys():
            field = fields[place]
            field.setProperty(field.metaObject().userProperty().name(), typed[place])
            if field.property(KEPT) is None:
                field.setModified(True)
                field.textEdited.emit(typed[place])
                field.editingFinished.emit()

    def has_focus(self) -> bool:
        """Return whether the focus is on this page, or nowhere."""
        focus = QApplication.focusWidget()
        return self.isVisible() and (focus is None or self.isAncestorOf(focus))

    def keep_focus(self, *, arriving: bool = False) -> None:
        """See to it that the focus is on what this page shows: where one begins when arriving."""
        focus, shown, first = QApplication.focusWidget(), self.stack.currentWidget(), self.first_focus()
        # A dialog in front must keep the keys.
        if not self.isVisible() or QApplication.activeModalWidget() is not None:
            return
        if not arriving and focus is not None and focus.isVisible() and focus.isEnabled() and self.isAncestorOf(focus):
            return
        shown_first = first is not None and first.isVisible() and first.isEnabled()
        if arriving and shown is self.room and not shown_first:  # a grey button's page begins at what it waits for
            self.show_what_waits()
            if (kept := self.window().focusWidget()) is not None and shown.isAncestorOf(kept):
                return
        for stop in (first, *find_stops(shown), self.primary):
            if stop is not None and stop.isVisible() and stop.isEnabled():
                stop.setFocus(Qt.FocusReason.OtherFocusReason)
                return


def title_row(title: str, subtitle: str) -> QHBoxLayout:
    """Return a page's name in large writing, and a line beside it on the same line of writing."""
    row = margins(QHBoxLayout(), 0, spacing=12)
    name = label(title, "title")
    aside = label(subtitle, "quiet", wrap=True)
    # Large letters reach lower below their line of writing, so the small ones are lifted by the difference.
    aside.setContentsMargins(0, 0, 0, max(0, name.fontMetrics().descent() - aside.fontMetrics().descent()))
    put(row, (name, 0, Qt.AlignmentFlag.AlignBottom), (aside, 1, Qt.AlignmentFlag.AlignBottom))
    return row
