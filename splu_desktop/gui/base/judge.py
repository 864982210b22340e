"""Judges the plan of now in a worker, whichever page or step of undo led to it; the newest plan wins."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import EarlierRelease, verdict
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.register import Register
from splu_desktop.files.register.earlier import earlier_releases
from splu_desktop.gui.base.session import Judgement, Session
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.work import Work

CHANNEL = "verdict"
_REST = 250  # ms without a newer plan after which one is judged: a slider in motion leaves the processors alone


def judge(
    source: Source, plan: Plan, earlier: Sequence[EarlierRelease] | None = None, progress: Progress = SILENT
) -> Judgement:
    """Return the verdict on a plan. Raises what `prepare` and the register raise; Cancelled."""
    prepared = source.prepare(plan, progress)
    known = earlier_releases(Register(), source.table, plan) if earlier is None else earlier
    judgement = verdict(prepared, plan, earlier=known, suggestions=source.suggestions, progress=progress)
    return Judgement(plan, prepared, judgement, known)


class Judge(QObject):
    """Keeps the session's verdict up with its plan."""

    def __init__(self, session: Session, work: Work, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._work = session, work
        self._asked: object = None
        session.changed.connect(self._look)
        # This is made while the first table is being told of, and what is connected meanwhile does not hear it.
        self._look()

    def _look(self) -> None:
        session, plan = self._session, self._session.plan
        if session.source is None or plan is None or session.judgement is not None or session.judge_fault:
            # Undo may lead to a plan that has its verdict while that of another one is still worked out.
            if plan is None or session.judgement is not None:
                self._asked = None
                self._work.drop(CHANNEL)
            return
        # Answers and pages change the session, too: begun anew each time, no verdict would be reached.
        if plan == self._asked and self._work.busy(CHANNEL):
            return
        self._asked = plan
        self._work.start(
            judge,
            session.source,
            plan,
            on_done=session.take_verdict,
            on_exception=session.fail_verdict,
            channel=CHANNEL,
            pause=_REST,
        )
