"""Other systems of the papers beside this plan: what each would make of the table; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout

from splu_desktop.core.messages import isolated
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.parts import Busy
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import Choice, button, label, margins, put
from splu_desktop.gui.base.words import decimal, number, percent, t, told
from splu_desktop.gui.base.work import Job, Work
from splu_desktop.gui.expert.section import Section

if TYPE_CHECKING:
    from splu_desktop.compare.outcome import Comparison, SystemTried

_SECONDS = 20.0  # that each system may take
_QUESTIONS, _DRAWS = 600, 3
_MANY = -1  # of the bands of counts, the largest


@dataclass(frozen=True)
class TriedRow:
    """One system with one setting, in figures; None where there is none."""

    name: str
    setting: str
    right: float | None
    error: float | None
    t_p: float | None
    t_f: float | None
    why: str


def tried_rows(found: Comparison) -> list[TriedRow]:
    """Return one row for each system and setting."""
    return [_row(each) for each in found.tried]


def _row(each: SystemTried) -> TriedRow:
    told_of = {name: value for name, value in each.system.parameters.items() if name != "draw"}
    setting = ", ".join(f"{name} {_plain(value)}" for name, value in told_of.items())
    if not each.draws:
        return TriedRow(told(each.system.title), setting, None, None, None, None, told(each.impossible))
    achieved = each.achieved
    return TriedRow(
        told(each.system.title), setting, achieved.best_reader, achieved.errors[_MANY], each.t_p, each.t_f, ""
    )


def compare_plan(source: Source, plan: Plan, column: str, progress: Progress = SILENT) -> Comparison:
    """Compare other systems with a plan, for a worker. Raises SpluError; Cancelled."""
    # An optional part: nobody waits for the papers' systems at the start.
    from splu_desktop.compare.ours.splu import of_plan
    from splu_desktop.compare.runner import compare
    from splu_desktop.compare.systems import FIRST

    table, planned = of_plan(source.table, plan, column)
    return compare(
        table,
        FIRST,
        plan=planned,
        size=_QUESTIONS,
        draws=_DRAWS,
        thresholds=plan.thresholds,
        limit=_SECONDS,
        progress=progress,
    )


class SystemsSection(Section):
    """A table of systems, on demand."""

    def __init__(self, session: Session, work: Work) -> None:
        super().__init__(
            session,
            work,
            t("Other systems"),
            t("Each publishes your table on paper, is asked the same questions, read by the same readers."),
        )

    def build(self) -> None:
        self._job: Job | None = None
        self.column = Choice(t("Secret column compared"))
        self.column.keep_short(18)
        self.start = button(t("&Compare"), self.run)
        self.body.addLayout(put(margins(QHBoxLayout(), 0, spacing=8), label(t("Column")), self.column, self.start, 1))
        self.busy = Busy("", t("Stop"))
        self.busy.cancelled.connect(lambda: self._job.cancel() if self._job else None)
        self.busy.hide()
        fields: list[Field[TriedRow]] = [
            Field(t("System"), lambda r: r.name),
            Field(t("Setting"), lambda r: r.setting),
            Field(t("Row right"), lambda r: _share(r.right), lambda r: r.right, True),
            Field(t("Large counts off by"), lambda r: _share(r.error), lambda r: r.error, True),
            Field("T_P", lambda r: "–" if r.t_p is None else decimal(r.t_p), lambda r: r.t_p, True),
            Field("T_f", lambda r: "–" if r.t_f is None else number(r.t_f), lambda r: r.t_f, True),
            Field(t("Remark"), lambda r: r.why, colour=lambda r: "quiet"),
        ]
        self.model = RowsModel(fields, self)
        self.view = TableView(t("Other systems"))
        self.view.setModel(self.model)
        self.view.setMinimumHeight(140)
        self.body.addWidget(self.busy)
        self.body.addWidget(self.view, 1)

    def refresh(self) -> None:
        plan = self.session.plan
        if plan is not None:
            self.column.offer([(isolated(name), name) for name in plan.sensitive], self.column.currentData())

    def run(self) -> None:
        """Compare, in a worker."""
        source, plan = self.session.source, self.session.plan
        if source is None or plan is None:
            return
        self.say_fault("")
        self.start.setEnabled(False)
        self.busy.begin(t("Publishing your table on paper by every system"))
        self.busy.show()
        self._job = self.work.start(
            compare_plan,
            source,
            plan,
            self.column.currentData(),
            on_partial=self.busy.show_progress,
            on_done=self._done,
            on_exception=self._failed,
            on_cancel=self._ended,
            channel="systems",
        )

    def _ended(self) -> None:
        self._job = None
        self.busy.hide()
        self.start.setEnabled(True)

    def _done(self, found: Comparison) -> None:
        self._ended()
        self.model.show(tried_rows(found))
        self.view.fit_columns(200, filling=6, least=120)

    def _failed(self, sentence: str) -> None:
        self._ended()
        self.say_fault(sentence)


def _plain(value: object) -> str:
    return decimal(value) if isinstance(value, float) else str(value)


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value, 0)
