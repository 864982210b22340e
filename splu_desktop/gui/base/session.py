"""The only mutable state of the window: what is open, answered, proposed, planned, judged and released.

Each stage holds a frozen value that is replaced, never changed. All that the custodian decides is one `Choices`; the
undo stack is a list of them, each with the name of the step that led there. A verdict belongs to a plan and a release
to the plan it was made from, so that undoing to that plan brings both back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import SpluError
from splu_desktop.gui.base.words import t, translate

if TYPE_CHECKING:  # the first window shows no table: NumPy and SciPy come with the first page that does
    from splu_desktop.core.plan import Plan
    from splu_desktop.core.policy import EarlierRelease, Proposal, Verdict
    from splu_desktop.core.questions import AskedTable
    from splu_desktop.core.sanitise import DrawInput
    from splu_desktop.files.release.reading import OpenRelease
    from splu_desktop.gui.base.source import Source

_REST = 1.0  # seconds without a change after which a drag of the slider is over
_MOST_STEPS = 200


class Step(Enum):
    """The pages: six steps of the rail, and two entries under the proposal."""

    OPEN = "open"
    QUESTIONS = "questions"
    PROPOSAL = "proposal"
    PUBLISH = "publish"
    ASK = "ask"
    REPORT = "report"
    COLUMNS = "columns"
    EXPERT = "expert"


RAIL = (Step.OPEN, Step.QUESTIONS, Step.PROPOSAL, Step.PUBLISH, Step.ASK, Step.REPORT)


class State(Enum):
    """What the rail says of a step."""

    BLOCKED = "blocked"
    OPEN = "open"
    DONE = "done"
    STALE = "stale"


@dataclass(frozen=True)
class Answers:
    """The answers to the three questions.

    Attributes
    ----------
    audience : who gets it, on which terms, what for, until when.
    person : the column that names the person, None for no column.
    row_word : what one row is, "a test".
    questions : one to three tables that must come out.
    not_secret : asked columns whose asked value the custodian declared to be no secret.
    """

    audience: Audience = field(default_factory=Audience)
    person: str | None = None
    row_word: str = ""
    questions: tuple[AskedTable, ...] = ()
    not_secret: tuple[str, ...] = ()

    @classmethod
    def of_plan(cls, plan: Plan) -> Answers:
        """Return the answers that a plan stands for."""
        person = None if plan.persons is None else plan.persons.column
        return cls(plan.audience, person, plan.row_word, plan.questions)


@dataclass(frozen=True, eq=False)
class Choices:
    """All that is decided about one table.

    Attributes
    ----------
    answers : as they stand on the page Questions.
    basis : those that `proposal` was made from; None while there is none.
    proposal : the last one that was worked out.
    plan : what would be published now: the proposal's, or changed since.
    expert : what was changed in Expert, in words.
    release : what a recipe said of the release's files (`files.project.release_section`), kept for its next saving.
    """

    answers: Answers
    basis: Answers | None = None
    proposal: Proposal | None = None
    plan: Plan | None = None
    expert: tuple[str, ...] = ()
    release: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Judgement:
    """A plan with its table as the mechanism sees it, the verdict, and what was released of the same persons before."""

    plan: Plan
    draw_input: DrawInput
    verdict: Verdict
    earlier: Sequence[EarlierRelease] = ()


@dataclass(frozen=True, eq=False)
class Release:
    """A release at hand.

    Attributes
    ----------
    content : folder, facts, published table.
    source, plan : what it was made from in this session; None for one opened from its folder.
    verdict, reasons : what was said of it then, and the lines accepted with their reasons.
    fingerprint : six words, "" where they were not worked out.
    answers : those of the page Ask so far, which is made anew in another language.
    """

    content: OpenRelease
    source: Source | None = None
    plan: Plan | None = None
    verdict: Verdict | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    answers: list[Any] = field(default_factory=list)


class Session(QObject):
    """What is open and decided now.

    Signals
    -------
    changed : something was replaced; every page reads anew when it is next in front.
    noticed (kind, sentence) : "note", "done" or "fault", and what the user should see.
    """

    changed = Signal()
    noticed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source: Source | None = None
        self._steps: list[tuple[Choices, str, str]] = []  # choices, name of the step, what merges with it
        self._at = 0
        self._last = 0.0
        self._judged: list[Judgement] = []  # the last few, the newest first
        self._accepted: dict[str, tuple[str, str]] = {}  # line -> its sentence, the reason
        self._release: Release | None = None
        self.judge_fault = ""  # why the plan of now could not be judged
        self.confirmed: set[Step] = set()

    # --- what there is

    @property
    def choices(self) -> Choices:
        """What is decided now. Only while a table is open."""
        return self._steps[self._at][0]

    @property
    def answers(self) -> Answers:
        """The answers as they stand."""
        return self.choices.answers if self._steps else Answers()

    @property
    def proposal(self) -> Proposal | None:
        """The last proposal."""
        return self.choices.proposal if self._steps else None

    @property
    def plan(self) -> Plan | None:
        """What would be published now."""
        return self.choices.plan if self._steps else None

    @property
    def judgement(self) -> Judgement | None:
        """The plan of now with its verdict; None while that is being worked out."""
        if not self._steps:
            return None
        return next((each for each in self._judged if each.plan == self.plan), None)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the plan of now; None while it is being worked out."""
        return None if self.judgement is None else self.judgement.verdict

    @property
    def reasons(self) -> dict[str, str]:
        """Open lines of the verdict of now that were accepted -> the reason. A line that says another figure is not."""
        lines = {} if self.verdict is None else {line.name: str(line.sentence) for line in self.verdict.open}
        return {name: why for name, (sentence, why) in self._accepted.items() if lines.get(name) == sentence}

    @property
    def release(self) -> Release | None:
        """The release at hand, unless the plan it was made from was changed since."""
        return None if self.stale else self._release

    @property
    def stale(self) -> bool:
        """Whether the release was made from another plan than that of now."""
        release = self._release
        return release is not None and release.plan is not None and release.plan != self.plan

    @property
    def has_new_answers(self) -> bool:
        """Whether the answers were changed since the proposal was made from them."""
        return bool(self._steps) and self.choices.basis is not None and self.choices.basis != self.choices.answers

    def state(self, step: Step) -> State:
        """Return what the rail says of a step."""
        if step in (Step.COLUMNS, Step.EXPERT):
            return State.BLOCKED if self.plan is None else State.OPEN
        if step is Step.OPEN:
            return State.DONE if self.source is not None else State.OPEN
        stale, done = self.stale, step in self.confirmed
        if step in (Step.ASK, Step.REPORT):
            blocked = self._release is None
        else:
            blocked = self.source is None or (step is not Step.QUESTIONS and self.plan is None)
        if step is Step.QUESTIONS:
            stale = False
        elif step is Step.PROPOSAL:
            stale = self.has_new_answers
        elif step is Step.PUBLISH:
            done = self._release is not None and self._release.plan is not None
        if blocked:
            return State.BLOCKED
        if stale:
            return State.STALE
        return State.DONE if done else State.OPEN

    # --- what happens to it

    def open_source(self, source: Source, choices: Choices) -> None:
        """Take a table that was read; what belonged to the one before goes, and so does the undo history."""
        # A release that was opened from its folder belongs to no table, so it stays.
        if self._release is not None and self._release.source is not None:
            self._release = None
        self.source = source
        self._steps = [(choices, "", "")]
        self._at = 0
        self._judged, self._accepted, self.judge_fault = [], {}, ""
        self.confirmed = {Step.OPEN} if choices.plan is None else {Step.OPEN, Step.QUESTIONS}
        self.changed.emit()

    def do(self, choices: Choices, name: str, merge: str = "") -> None:
        """Replace the choices, as one step of undo with a name; steps with the same `merge` in one drag become one."""
        now = time.monotonic()
        merges = bool(merge) and self._steps[self._at][2] == merge and now - self._last < _REST and self._at > 0
        self._last = now
        del self._steps[self._at + 1 :]
        if merges:
            self._steps[self._at] = choices, name, merge
        else:
            self._steps.append((choices, name, merge))
            # The first one stays, so that Undo still leads back to the table as it was opened.
            del self._steps[1 : max(1, len(self._steps) - _MOST_STEPS)]
            self._at = len(self._steps) - 1
        self.judge_fault = ""
        self.changed.emit()

    def answer(self, answers: Answers, name: str) -> None:
        """Replace the answers; a proposal made from others is out of date until it is made anew."""
        if answers != self.answers:
            self.do(replace(self.choices, answers=answers), name)

    def take_proposal(self, proposal: Proposal, answers: Answers, judged: Judgement, plan: Plan | None = None) -> None:
        """Take a proposal that was made from these answers, with its verdict; `plan` stays instead of its own."""
        # The verdict comes before `do`, whose signal would let the judge work it out once more.
        self._judged.insert(0, judged)
        release = self.choices.release
        self.do(Choices(answers, answers, proposal, plan or proposal.plan, release=release), t("Proposal"))

    def change_plan(self, plan: Plan, name: str, merge: str = "", *, expert: str = "") -> None:
        """Replace the plan, as one step; `expert` is what it says of it in Expert."""
        now = self.choices
        if plan == now.plan:
            return
        more = replace(now, plan=plan)
        if now.plan is not None and now.basis is not None:  # another way may be for somebody else, or other tables
            edits = {name: getattr(plan, name) for name in ("audience", "questions")}
            edits = {name: value for name, value in edits.items() if value != getattr(now.plan, name)}
            more = replace(more, answers=replace(now.answers, **edits), basis=replace(now.basis, **edits))
        if expert:
            more = replace(more, expert=(*dict.fromkeys((*now.expert, expert)),))
        self.do(more, name, merge)

    def make_plan(self, make: Callable[[Plan], Plan], name: str, merge: str = "", *, expert: str = "") -> str:
        """Replace the plan by what is made of it, as `change_plan`; return what is wrong, and then it stays."""
        try:
            if self.plan is not None:
                self.change_plan(make(self.plan), name, merge, expert=expert)
        except SpluError as fault:
            return translate(str(fault))
        return ""

    def take_verdict(self, judged: Judgement) -> None:
        """Keep what a plan came to."""
        self._judged = [judged, *self._judged][:4]
        self.changed.emit()

    def judge_anew(self) -> None:
        """Let go of verdicts, as what they know of earlier releases is out of date."""
        self._judged = []
        self.changed.emit()

    def fail_verdict(self, sentence: str) -> None:
        """Keep why the plan of now could not be judged."""
        self.judge_fault = sentence
        self.changed.emit()

    def accept(self, line: str, reason: str) -> None:
        """Accept an open line of the verdict of now with a reason; "" takes that back. No step of undo."""
        sentences = {} if self.verdict is None else {each.name: str(each.sentence) for each in self.verdict.open}
        self._accepted.pop(line, None)
        if reason and line in sentences:
            self._accepted[line] = sentences[line], reason
        self.changed.emit()

    def take_release(self, release: Release) -> None:
        """Take a release that was just made, or opened; that at hand keeps its table when it is opened once more."""
        had = self.release
        if had is not None and had.content.id == release.content.id and release.source is None:
            release = replace(had, content=release.content)
        self._release = release
        if release.plan is not None:
            self.confirmed.update((Step.OPEN, Step.QUESTIONS, Step.PROPOSAL))
        self.changed.emit()

    def confirm(self, step: Step) -> None:
        """Note that the user has finished a step."""
        if step not in self.confirmed:
            self.confirmed.add(step)
            self.changed.emit()

    # --- undo

    @property
    def undo_name(self) -> str:
        """The step that Undo would take back, "" for none."""
        return self._steps[self._at][1] if self._at else ""

    @property
    def redo_name(self) -> str:
        """The step that Redo would bring back, "" for none."""
        return self._steps[self._at + 1][1] if self._at + 1 < len(self._steps) else ""

    def undo(self) -> None:
        """Go back one step."""
        self._go(self._at - 1)

    def redo(self) -> None:
        """Go forward one step."""
        self._go(self._at + 1)

    def _go(self, at: int) -> None:
        if 0 <= at < len(self._steps):
            # The time of the last change is forgotten, so that a drag after Undo is a step of its own.
            had, self._at, self._last, self.judge_fault = self.release, at, 0.0, ""
            if had is not None and self.stale:
                self.noticed.emit("note", t("The release was made from other choices; Ask and Report are out of date."))
            self.changed.emit()
