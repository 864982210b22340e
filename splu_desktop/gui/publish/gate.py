"""Shows the gate before publishing: one line per condition, each passed, to be accepted, or in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from splu_desktop.core.checks.gate import Light, Line
from splu_desktop.gui.base.reason_dialog import ReasonDialog
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.widgets import Picture, announce, button, emptied, label, margins, new_grid, put
from splu_desktop.gui.base.words import joined, number, t, tip, told

_LOOKS = {
    Light.GREEN: ("circle-check", "answerable"),
    Light.NOTE: ("info", "accent"),
    Light.AMBER: ("triangle-alert", "warning"),
    Light.RED: ("circle-alert", "fault"),
}
_AT_ONCE = 20  # lines of a kind; 400 columns of one would hold the window for a second, and are read by nobody
_STEPS = {"import": Step.IMPORT, "classify": Step.CLASSIFY, "plan": Step.PLAN}
Key = tuple[str, str | None, str]


def key_of(line: Line) -> Key:
    """Return what an acceptance is remembered by: with the words, so that changed facts ask again."""
    return line.name, line.column, line.sentence


def _spoken(line: Line) -> str:
    """Return a line with its light in words."""
    lights = {
        Light.GREEN: t("Passed"),
        Light.NOTE: t("To be known"),
        Light.AMBER: t("To be accepted"),
        Light.RED: t("In the way"),
    }
    state = t("Grave, to be accepted in words") if line.grave else lights[line.light]
    return joined((state, told(line.sentence)), ":")


def _unfolding(text: QLabel, whole: str) -> QWidget:
    """Return a short text with a button below that shows the whole of it in its place, and back."""
    short, made = text.text(), QWidget()
    more = button(t("Details"), lambda: text.setText(whole if text.text() == short else short), look="flat")
    more.setAccessibleName(t("Details: {text}", text=short))
    put(margins(QVBoxLayout(made), 0, spacing=0), text, (more, 0, Qt.AlignmentFlag.AlignLeft))
    return made


class GateView(QWidget):
    """The lines, with a box to tick, a reason to give, or a button that leads to where a line can be mended.

    Signals
    -------
    changed : something was accepted, or no longer.
    go (Step, column) : the user wants to mend a line, of this column where it is about one (else "").
    reason_given (column, reason) : why a column that may name a person is published all the same.
    earlier : the user wants to see the earlier releases of the same records.
    """

    changed = Signal()
    go = Signal(Step, str)
    reason_given = Signal(str, str)
    earlier = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = new_grid(12, 10, self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._accepted: dict[Key, str] = {}  # with the custodian's words
        self._acts: dict[Key, QWidget] = {}  # where a line is accepted, or else mended
        self._room: Counter[tuple[str, Light]] = Counter()  # for how many more lines of a kind was asked
        self.lines: tuple[Line, ...] = ()
        self.waiting = True

    def forget(self) -> None:
        """Forget what was accepted: of another table, the same words have to be judged anew."""
        self._accepted.clear()
        self._room.clear()

    def show_waiting(self) -> None:
        """Say that the lines are being worked out."""
        self.waiting = True
        self.lines = ()
        self._clear()
        self._grid.addWidget(Picture("circle", "quiet", 18), 0, 0)
        self._grid.addWidget(label(t("Checking…"), "quiet"), 0, 1)

    def show_lines(self, lines: Iterable[Line]) -> None:
        """Show other lines; what was accepted stays accepted where the words are the same."""
        lines = tuple(lines)
        if lines == self.lines and not self.waiting:
            return
        before, self.waiting = {key_of(line) for line in self.open_lines()}, False
        self.lines = lines
        self._show()
        announce(self, " ".join(_spoken(line) for line in self.open_lines() if key_of(line) not in before))

    def _show(self) -> None:
        self._clear()
        # What waits for the custodian comes first: 40 sensitive columns alone are 40 lines that have passed.
        urgent = [Light.RED, Light.AMBER, Light.NOTE, Light.GREEN]
        kinds = Counter((line.name, line.light) for line in self.lines)
        shown: Counter[tuple[str, Light]] = Counter()
        for row, line in enumerate(sorted(self.lines, key=lambda line: (urgent.index(line.light), not line.grave))):
            kind = line.name, line.light
            shown[kind] += 1
            beyond = shown[kind] - _AT_ONCE - self._room[kind]
            if beyond == 1:
                words = t("{n} more lines like the last…", n=number(kinds[kind] - shown[kind] + 1))
                more = button(words, partial(self._show_more, kind), look="flat")
                self._acts[key_of(line)] = more
                self._grid.addWidget(more, row, 1, Qt.AlignmentFlag.AlignLeft)
            if beyond > 0:
                continue
            text = label(told(line.short or line.sentence), "strong" if line.grave else "", wrap=True)
            text.setAccessibleName(_spoken(line))
            looks = _LOOKS[Light.RED if line.grave else line.light]
            self._grid.addWidget(Picture(*looks, 18), row, 0)
            # What has passed asks for nothing, so that its words take the room of the acts, too.
            whole = _unfolding(text, told(line.sentence)) if line.short else text
            self._grid.addWidget(whole, row, 1, 1, 3 if line.light is Light.GREEN else 1)
            if line.light is Light.AMBER:
                part = self._acts[key_of(line)] = self._accepting(line)
                if kinds[kind] > 1 and shown[kind] == 1:
                    part = self._with_all(part, line.name, kinds[kind])
                self._grid.addWidget(part, row, 2)
            if line.light is not Light.GREEN and line.step in _STEPS:
                act = button(t("Change"), partial(self.go.emit, _STEPS[line.step], line.column or ""), look="flat")
                act.setAccessibleName(t("Change what is behind: {text}", text=told(line.sentence)))
                self._acts.setdefault(key_of(line), act)
                self._grid.addWidget(act, row, 3)
            if line.light is Light.AMBER and line.name in ("earlier-release", "register"):
                again = line.name == "earlier-release"
                name = t("Use the earlier one…") if again else t("Look at it…")
                act = button(name, self.earlier.emit, look="flat")
                said = t("Show the earlier releases of the same records, to hand one out again")
                act.setAccessibleName(said if again else t("Show the register of releases"))
                self._grid.addWidget(act, row, 3)

    def _show_more(self, kind: tuple[str, Light]) -> None:
        """Show the next lines of a kind, with the focus on the first of them."""
        first = [line for line in self.lines if (line.name, line.light) == kind][_AT_ONCE + self._room[kind]]
        self._room[kind] += _AT_ONCE
        self._show()
        act = self._acts.get(key_of(first), self)
        act.show()  # Qt shows what is new in a later turn, and what is hidden takes no focus
        act.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_lines(self) -> list[Line]:
        """Return the lines that still keep the gate shut."""
        return [
            line
            for line in self.lines
            if line.light is Light.RED or (line.light is Light.AMBER and key_of(line) not in self._accepted)
        ]

    def first_open(self) -> QWidget | None:
        """Return where the first line that keeps the gate shut is accepted or mended."""
        opened = {key_of(line) for line in self.open_lines()}
        return next((act for key, act in self._acts.items() if key in opened), None)

    def accepted(self) -> dict[str, str]:
        """Return the names of the amber lines that were accepted, with the custodian's words."""
        found: dict[str, list[str]] = {}
        for line in self.lines:
            if line.light is Light.AMBER and key_of(line) in self._accepted:
                found.setdefault(line.name, []).append(self._accepted[key_of(line)])
        return {name: "; ".join(dict.fromkeys(filter(None, words))) for name, words in found.items()}

    def accept_all(self, words: str = "accepted") -> None:
        """Accept every amber line that waits with the same words."""
        self._accept([line for line in self.open_lines() if line.light is Light.AMBER], words)

    def accept_kind(self, name: str) -> None:
        """Ask once why all amber lines of a kind are accepted."""
        self._ask([line for line in self.lines if line.light is Light.AMBER and line.name == name])

    def _with_all(self, part: QWidget, name: str, number_of: int) -> QWidget:
        both = QWidget()
        column = put(margins(QVBoxLayout(both), 0, spacing=4), part)
        every = button(
            t("Accept all {n} of this kind…", n=number(number_of)), partial(self.accept_kind, name), look="flat"
        )
        column.addWidget(every)
        return both

    def _accepting(self, line: Line) -> QWidget:
        if line.name == "identifiers" and line.column is not None:
            # An identifier is not published by a mere tick: the reason stands in the report.
            ask = button(t("Give a reason…"), partial(self._ask, [line]))
            ask.setAccessibleName(t("Give a reason for: {text}", text=told(line.sentence)))
            return ask
        box = QCheckBox(t("I accept this, because…"))
        box.setAccessibleName(t("I accept: {text}", text=told(line.sentence)))
        box.setChecked(key_of(line) in self._accepted)
        tip(box, self._accepted.get(key_of(line), ""))
        box.toggled.connect(partial(self._ask_one, line))
        return box

    def _ask_one(self, line: Line, on: bool) -> None:
        if on:
            self._ask([line])
        else:
            self._accepted.pop(key_of(line), None)
            self.changed.emit()

    def _accept(self, lines: Sequence[Line], words: str) -> None:
        for line in lines:
            if line.name == "identifiers" and line.column is not None:
                self.reason_given.emit(line.column, words)
                continue
            self._accepted[key_of(line)] = words
            self._show_box(line)
        self.changed.emit()

    def _show_boxes(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self._show_box(line)

    def _show_box(self, line: Line) -> None:
        box = self._acts.get(key_of(line))
        if isinstance(box, QCheckBox):
            with QSignalBlocker(box):
                box.setChecked(key_of(line) in self._accepted)
            tip(box, self._accepted.get(key_of(line), ""))

    def _ask(self, lines: Sequence[Line]) -> None:
        first, act = lines[0], t("&Accept")
        if first.name == "identifiers" and first.column is not None and len(lines) == 1:
            title = t("Why is “{column}” published?", column=first.column)
            text = t("It may name a person. The report will show your reason:")
            act = t("&Publish it for this reason")
        elif any(line.grave for line in lines):
            title = t("Accept a grave risk")
            text = t("This is a high risk. Say why it will do; your register keeps it:")
        elif first.name == "thresholds":
            title = t("Accept less protection than asked")
            text = t("The plan asks for more than this release keeps. Say why that will do; your register keeps it:")
        else:
            title = t("Accept a risk")
            text = t("Say in a few words why this will do; your register keeps it:")
        dialog = ReasonDialog(title, [told(line.sentence) for line in lines], text, act, self)
        dialog.given.connect(partial(self._accept, lines))
        dialog.rejected.connect(partial(self._show_boxes, lines))
        dialog.open()

    def _clear(self) -> None:
        self._acts.clear()
        emptied(self._grid)
