"""The lines of a verdict: red ones with their repair, amber ones to repair or accept, one folded green one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.policy import REASONS, RED, Line, check_reason
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.parts import STATES, Flow, line_of, link
from splu_desktop.gui.base.widgets import (
    Picture,
    Rule,
    announce,
    button,
    empty,
    label,
    line_edit,
    margins,
    put,
    restyle,
)
from splu_desktop.gui.base.words import bare, caption, t, translate
from splu_desktop.gui.proposal.figures import repair_words

_READY = 3  # reasons that are offered
_OWN_WORDS = 5  # of a reason of one's own


class LineCard(QFrame):
    """One open line; once it is `over`, which is when the release is there, nothing is taken back.

    Signals: `repaired`; `shown` (where the thing can be looked at); `accepted` (reason, "" to take it back).
    """

    repaired = Signal()
    shown = Signal()
    accepted = Signal(str)

    def __init__(self, line: Line, accepted: str, *, first: bool, repairing: bool, over: bool) -> None:
        super().__init__()
        self.line = line
        self.setObjectName(line.name)  # by which what is typed here is found again in another language
        red = line.state == RED
        self.setProperty("look", "card-fault" if red else "card")
        picture, colour, _ = STATES[line.state if not accepted else "ok"]
        outer = margins(QHBoxLayout(self), 14, 12, 14, 12, spacing=12)
        outer.addWidget(Picture(picture, colour, 20), 0, Qt.AlignmentFlag.AlignTop)
        self.column = margins(QVBoxLayout(), 0, spacing=8)
        outer.addLayout(self.column, 1)
        self.sentence: QLabel = label(translate(line.sentence), fitting=True)
        # A label has one look, which is its colour here, so that it is made bold by its font.
        font = self.sentence.font()
        font.setBold(True)
        self.sentence.setFont(font)
        restyle(self.sentence, colour)
        self.column.addWidget(self.sentence)
        words = t("Working it out…") if repairing else caption(repair_words(line))
        self.repair = button(words, self.repaired.emit, look="primary" if first else "")
        self.repair.setEnabled(not repairing)
        self.show_me = link(t("Show me"), self.shown.emit, translate(line.sentence))
        self.column.addLayout(put(margins(QHBoxLayout(), 0, spacing=8), self.repair, self.show_me, 1))
        # Shown before it has a parent, it would come up as a window of its own.
        self.repair.setVisible(bool(words) and not accepted)
        if accepted:
            undo = link(bare(t("&Undo")), lambda: self.accepted.emit(""))
            acceptance = label(t("Accepted by {words}", words=accepted), fitting=True)
            self.column.addLayout(put(margins(QHBoxLayout(), 0, spacing=8), (acceptance, 1), *([] if over else [undo])))
        elif not red:
            self.column.addWidget(Rule())
            self._add_reasons()
        kind = t("Stops the release") if red else t("Needs your decision")
        self.setAccessibleName(f"{kind}: {translate(line.sentence)}")

    def _add_reasons(self) -> None:
        self.reason = Choice(t("Reason"), 18)
        ready = [(translate(each), translate(each)) for each in REASONS[:_READY]]
        self.reason.offer([(t("choose a reason"), ""), *ready, (t("another reason"), None)], "")
        self.own = line_edit(t("Your own reason, in five words or more"), t("Your own reason, in five words or more"))
        self.own.hide()
        self.initials = line_edit(t("Your initials"), t("Your initials"))
        self.initials.setFixedWidth(110)
        self.accept = button(t("Accept"), self._accept)
        self.accept.setEnabled(False)
        self.problem = label("", "fault", fitting=True)
        self.problem.hide()
        row = Flow()  # beside what goes out there is no room for all four at 150 %
        for each in (label(t("Or accept, because")), self.reason, self.initials, self.accept):
            row.addWidget(each)
        put(self.column, row, self.own, self.problem)
        self.reason.currentIndexChanged.connect(self._change)
        self.own.textEdited.connect(lambda: self.reason.choose(None))  # what was typed in another language, too
        self.own.textChanged.connect(self._change)
        self.initials.textChanged.connect(self._change)
        for field in (self.own, self.initials):
            field.returnPressed.connect(self._accept)

    def _change(self) -> None:
        typed = self.reason.currentData() is None
        self.own.setVisible(typed)
        self.problem.hide()
        self.accept.setEnabled(bool(self._words()) and bool(self.initials.text().strip()))

    def _words(self) -> str:
        chosen = self.reason.currentData()
        return " ".join(self.own.text().split()) if chosen is None else str(chosen)

    def _accept(self) -> None:
        # Enter in a field comes here, too, and may come before there is a reason or anybody's initials.
        if not self.accept.isEnabled():
            return
        words = self._words()
        try:
            check_reason(words)
            # The policy wants three words of every reason; the five that the field asks for hold for typed ones alone.
            short = self.reason.currentData() is None and len(words.split()) < _OWN_WORDS
        except SpluError:
            short = True
        if short:
            self.problem.tell(t("Write a reason that the person who signs will understand."))
            announce(self.problem, self.problem.text(), alert=True)
            self.own.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.accepted.emit(f"{self.initials.text().strip()}: {words}")

    def first_field(self) -> QWidget:
        """Return what the focus goes to when this line is what the release waits for."""
        ready = self.repair.isEnabled() and not self.repair.isHidden()  # which it is before it is seen, too
        return self.repair if ready else getattr(self, "reason", self.show_me)


class HeldLines(QFrame):
    """All that was checked and holds, folded to one line."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "card")
        outer = margins(QVBoxLayout(self), 14, 10, 10, 10, spacing=8)
        row = margins(QHBoxLayout(), 0, spacing=12)
        self.heading = label("", "strong", fitting=True)
        self.toggle = link(t("Show"), self._turn)
        put(row, Picture("circle-check", "answerable", 20), (self.heading, 1), self.toggle)
        outer.addLayout(row)
        self.content = QWidget()
        self.list = margins(QVBoxLayout(self.content), 34, 0, 8, 4, spacing=8)
        outer.addWidget(self.content)
        self.content.hide()

    def show_lines(self, sentences: Sequence[str]) -> None:
        """Show what holds."""
        self.heading.setText(t("Checked, and holds: {n}", n=len(sentences)))
        empty(self.list)
        for words in sentences:
            self.list.addWidget(line_of("check", "answerable", words, "quiet"))
        self.setVisible(bool(sentences))

    def unfold(self, on: bool) -> None:
        """Show or hide the list."""
        self.content.setVisible(on)
        self.toggle.setText(t("Hide") if on else t("Show"))

    def _turn(self) -> None:
        # Not by isVisible, which is false of every part of a page that is not in front.
        self.unfold(self.content.isHidden())
