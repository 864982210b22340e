"""A trial on a sample: what publishing would do to the sensitive columns. It writes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from splu_desktop.core.checks.trial import LEAST_RECORDS, trial
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Table
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.bars import Bars
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import (
    Banner,
    Dialog,
    Picture,
    button,
    label,
    last_row,
    margins,
    put,
)
from splu_desktop.gui.base.words import number, t
from splu_desktop.gui.publish.compared import Compared

_SAMPLE = 10_000


@dataclass(frozen=True, eq=False)
class Tried:
    """What a trial showed.

    Attributes
    ----------
    records : the sample's size.
    compared : SA -> its bars in the sample and as it would be published.
    """

    records: int
    compared: Mapping[str, tuple[Bars, Bars]]


def tried(table: Table, plan: Plan, records: int, progress: Progress) -> Tried:
    """Sanitise a sample in memory. Runs in a worker. Raises SpluError, Cancelled."""
    found = trial(table, plan, records, progress=progress)
    bars = {m.column: Bars.of_counts(m.labels, m.before, m.after) for m in found.marginals}
    return Tried(found.published.n, bars)


class TrialDialog(Dialog):
    """A sample drawn at random, its sensitive columns as they are and as they would be published."""

    def __init__(self, table: Table, plan: Plan, tasks: Tasks, parent: QWidget | None = None) -> None:
        intro = t(
            "Re-draws records picked at random, as publishing would re-draw all of them. Nothing is written, and a"
            " release draws anew. A sample scatters more than the whole table; its counts are smaller."
        )
        super().__init__(t("Try it on a sample"), (820, 560), parent, intro)
        self._table, self._plan, self._tasks = table, plan, tasks
        self._job: Job | None = None
        column, self.banner = self.parts, Banner()
        self.compared = Compared(t("In the sample"), t("As it would be published"))
        put(column, self.banner, self._build_head(), (self.compared, 1))
        last_row(self, column)
        self.act = self.again
        self.run()

    def _build_head(self) -> QHBoxLayout:
        row = put(margins(QHBoxLayout(), spacing=10), Picture("eye-off", "warning", 18))
        self.title = label("", "strong", wrap=True, live=True)
        row.addWidget(self.title, 1)
        row.addWidget(self.compared.column)
        self.records = QSpinBox()
        self.records.setRange(min(LEAST_RECORDS, self._table.n), max(self._table.n, LEAST_RECORDS))
        self.records.setValue(min(_SAMPLE, self._table.n))
        self.records.setGroupSeparatorShown(True)
        self.records.setSingleStep(1_000)
        self.records.setAccessibleName(t("Records in the sample"))
        row.addWidget(self.records)
        self.again = button(t("&Draw another"), self.run, picture="refresh-cw")
        row.addWidget(self.again)
        return row

    def run(self) -> Job:
        """Draw a sample and try it, in the worker."""
        table, plan, records = self._table, self._plan, self.records.value()
        self.banner.hide()
        self.again.setEnabled(False)
        self.title.setText(t("Trying {n} records…", n=number(min(records, table.n))))
        job = self._tasks.run("trial", lambda progress: tried(table, plan, records, progress))
        self._job = job
        job.done.connect(self._show)
        job.failed.connect(self._failed)
        return job

    def drop_work(self) -> None:
        if self._job is not None:
            self._job.drop()

    def _show(self, found: Tried) -> None:
        self._job = None
        self.again.setEnabled(True)
        self.title.setText(t("{n} records, for your eyes only; nothing was written", n=number(found.records)))
        self.compared.show_columns(found.compared)

    def _failed(self, text: str) -> None:
        self._job = None
        self.again.setEnabled(True)
        self.title.setText(t("The sample could not be tried"))
        self.banner.say("fault", text)
