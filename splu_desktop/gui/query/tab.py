"""What the ways of asking share: each is a tab of the query page with its own primary act."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QCheckBox, QFileDialog, QStackedWidget, QWidget

from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Answer
from splu_desktop.gui.base.models import Field
from splu_desktop.gui.base.tasks import Job, Tasks, Work
from splu_desktop.gui.base.widgets import Busy, Empty
from splu_desktop.gui.base.words import joined, number, t, tip, told
from splu_desktop.gui.query.answer_card import LOOKS, interval
from splu_desktop.gui.query.answer_card import trust as trust_of
from splu_desktop.gui.query.work import Asker


def in_short(conditions: Sequence[Condition]) -> str:
    """Return a question's conditions alone, for a list in which every line is a question."""
    if not conditions:
        return t("all records")
    return joined(told(condition.words()) for condition in conditions)


def answer_fields(answer_of: Callable[[Any], Answer | None], fault_of: Callable[[Any], str]) -> list[Field[Any]]:
    """Return the columns of a list of questions, of rows of any kind with an answer or what is wrong with them."""

    def figure(text: Callable[[Answer], str]) -> Callable[[Any], str]:
        return lambda row: "" if (answer := answer_of(row)) is None else text(answer)

    def trust(row: Any) -> tuple[str, str | None, str | None]:
        answer, bad = answer_of(row), bool(fault_of(row))
        if answer is None:
            return (t("bad"), "fault", "circle-alert") if bad else ("", None, None)
        picture, colour = LOOKS[answer.badge]
        return trust_of(answer), colour, picture

    return [
        Field(t("Answer"), figure(lambda answer: told(answer.shown)), right=True),
        Field(
            t("Trust"),
            lambda row: trust(row)[0],
            colour=lambda row: trust(row)[1],
            picture=lambda row: trust(row)[2],
            tip=lambda row: figure(lambda answer: told(answer.badge_text))(row) or told(fault_of(row)),
        ),
        Field(t("95 % CI"), figure(interval), right=True, hint=t("95 % interval")),
        Field(t("Published"), figure(lambda answer: number(answer.published)), right=True),
        Field(t("Selected"), figure(lambda answer: number(answer.n_p)), right=True),
    ]


def truth_switch(text: str) -> QCheckBox:
    """Return the box that shows true counts beside the answers."""
    made = QCheckBox(text)
    tip(made, t("From the source that is open here. For the custodian only: no file and no copy ever holds them."))
    return made


class Tab(QWidget):
    """One way of asking.

    Signals
    -------
    offered : what the primary button does, or whether it can, is another now.
    failed (str) : a fault's sentence for the page's banner, "" to take the last one away.
    told (str) : a sentence about something that went well.
    answered : an answer has been shown.
    """

    offered = Signal()
    failed = Signal(str)
    told = Signal(str)
    answered = Signal()

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tasks = tasks
        self.asker: Asker | None = None

    def first(self) -> QWidget:
        """Return where asking begins."""
        raise NotImplementedError

    def take(self, asker: Asker | None) -> None:
        """Begin anew with another release, or none."""
        raise NotImplementedError

    def offer(self) -> tuple[str, bool, str]:
        """Return the primary button's words, whether it can be pressed, and a note beside it."""
        raise NotImplementedError

    def act(self) -> None:
        """Do what the primary button says."""
        raise NotImplementedError

    def help_text(self) -> str:
        """Return the text of "What this means"."""
        raise NotImplementedError

    def still(self, asker: Asker) -> bool:
        """Return whether answers of `asker` still belong here: another release may have been opened meanwhile."""
        return self.asker is asker


class WorkingTab(Tab):
    """A way of asking that takes a while: what it is for, then the work under way, then what came of it."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        self._job: Job | None = None
        self._came = False  # whether there is something to go back to where work ends in nothing
        self.stack = QStackedWidget()

    def use_parts(self, start: Empty, busy: str, result: QWidget) -> QStackedWidget:
        """Take what is shown before, during (in words) and after the work; return the room of all three."""
        self.start, self.busy, self._result = start, Busy(busy, t("Cancel")), result
        self.busy.cancelled.connect(lambda: self._job.cancel() if self._job is not None else None)
        for part in (self.start, self.busy, result):
            self.stack.addWidget(part)
        return self.stack

    def forget(self, *channels: str) -> None:
        """Show what the tab is for, and hear nothing more of work under way."""
        for channel in channels:
            self.tasks.drop(channel)
        self._job, self._came = None, False
        self.stack.setCurrentWidget(self.start)

    def work(self, channel: str, work: Work, done: Callable[[Any], None], heading: str = "") -> Job:
        """Do the work in the worker and show how far it is; `done` hears what came of it, where that still belongs."""
        asker = self.asker
        self.failed.emit("")
        self.busy.begin(heading)
        self.stack.setCurrentWidget(self.busy)
        now = QApplication.focusWidget()  # kept here while the primary button is out of order
        if now is None or now.property("look") == "primary" or self.isAncestorOf(now):
            self.busy.cancel.setFocus()
        job = self._job = self.tasks.run(channel, work)

        def came(found: Any) -> None:
            if self.asker is asker:
                self._job, self._came = None, True
                done(found)

        job.progressed.connect(self.busy.show_progress)
        job.done.connect(came)
        job.failed.connect(self._ended)
        job.stopped.connect(lambda: self._ended(""))
        self.offered.emit()
        return job

    def show_result(self, focus: QWidget) -> None:
        """Show what came of the work."""
        self._after_busy(self._result, focus)
        self.offered.emit()

    def write(self, path: Path, work: Work) -> Job:
        """Write a file in the worker, and say so."""
        self.failed.emit("")
        job = self.tasks.run("export", work)
        job.done.connect(lambda _: self.told.emit(t("Saved as “{path}”.", path=path)))
        job.failed.connect(self.failed)
        return job

    def ask_where(self, title: str, start: str, kinds: Sequence[tuple[str, str]]) -> Path | None:
        """Return the file that the user chooses to write, of `kinds` (ending, its words), the first being usual."""
        name, kind = QFileDialog.getSaveFileName(self, title, start, ";;".join(words for _, words in kinds))
        ending = next((each for each, words in kinds if words == kind), kinds[0][0])
        return (Path(name) if Path(name).suffix else Path(f"{name}.{ending}")) if name else None

    def _after_busy(self, part: QWidget, focus: QWidget) -> None:
        """Show a part, and pass the focus on to it unless the user is elsewhere by now."""
        now = QApplication.focusWidget()
        self.stack.setCurrentWidget(part)
        if now is None or now is self.busy.cancel:
            focus.setFocus()

    def _ended(self, text: str) -> None:
        self._job = None
        self._after_busy(self._result if self._came else self.start, self.first())
        if text:
            self.failed.emit(text)
        self.offered.emit()
