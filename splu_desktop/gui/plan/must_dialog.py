"""What must be answered: the custodian names tables, the program the strongest protection that answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QGridLayout, QSpinBox, QWidget

from splu_desktop.core.checks.asked import AskedTable, suggested
from splu_desktop.core.checks.proposing import Proposal, propose
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import one_per_person
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.generalise import Steps, column_after
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.facts import ColumnFacts
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Busy, Choice, Dialog, button, label, last_row, new_grid, room_above, whole_box
from splu_desktop.gui.base.words import t, told
from splu_desktop.gui.plan.taking_groups import generalised

TABLES = 3
_ERRORS = (10, 20, 50)  # per cent
_MOST_VALUES = 60


@dataclass(frozen=True, eq=False)
class MustFound:
    """A proposal, with the coarser columns that it needs."""

    proposal: Proposal
    draws: Mapping[str, Draw]
    variants: Mapping[tuple[str, Steps], tuple[Column, ColumnFacts]]


def look(
    read: Table, kept: NDArray[np.int64] | None, plan: Plan, musts: list[AskedTable], progress: Progress
) -> MustFound:
    """Return the strongest protection that answers tables. Runs in a worker. Raises SpluError, Cancelled."""
    table = one_per_person(read, plan.persons, kept=kept)
    proposal = propose(table, plan, musts, progress=progress)
    variants = {
        (name, steps): generalised(read[name], steps, progress) for name, steps in proposal.generalisations.items()
    }
    return MustFound(
        proposal, {name: _kept(table, plan, draw, name) for name, draw in proposal.draws.items()}, variants
    )


def _kept(table: Table, plan: Plan, draw: Draw, name: str) -> Draw:
    """Return a draw as choices hold it: one that its gamma alone would not give has its own tolerances."""
    draw = draw.by_person("")
    if draw.follows is None or draw.gamma is not None or len(draw.block(name)) > 1:
        return draw
    column = column_after(table[name], plan.generalisations.get(name, ()))
    return draw if by_gamma(column, draw.follows) == draw else draw.unbound()


class _Line(QObject):
    """One table: its sensitive column and value, the columns of its lines, and how exactly."""

    def __init__(self, dialog: MustDialog, grid: QGridLayout, row: int) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self.sa, self.value, self.error = Choice(), Choice(), Choice()
        self.lines = (Choice(), Choice())
        self.least = whole_box(0, 1_000_000, t("Smallest cell that must be answered, records"))
        self.least.setSpecialValueText(t("any"))
        self.least.setValue(100)
        self.sa.offer([(t("(no table)"), ""), *((name, name) for name in dialog.draws)])
        self.sa.keep_whole(t("(no table)"))
        for line in self.lines:
            line.offer([(t("nothing else"), ""), *((name, name) for name in dialog.nsas)])
            line.keep_whole(t("nothing else"))
        self.error.offer([(t("{n} %", n=share), share / 100) for share in _ERRORS], 0.2)
        names = (
            t("Sensitive column"),
            t("Value"),
            t("by"),
            t("and by"),
            t("within"),
            t("cells of at least"),
        )
        boxes: tuple[Choice | QSpinBox, ...] = (self.sa, self.value, *self.lines, self.error, self.least)
        for at, (box, said) in enumerate(zip(boxes, names, strict=True)):
            if isinstance(box, Choice):
                box.keep_short(5 if box is self.error else 9)
            if row == 0:
                grid.addWidget(label(said, "quiet"), 0, at)
            box.setAccessibleName(t("{what}, table {n}", what=said, n=row + 1))
            grid.addWidget(box, row + 1, at)
            grid.setColumnStretch(at, 0 if box in (self.error, self.least) else 1)  # names need the room
        self.sa.currentIndexChanged.connect(self._list_values)

    def _list_values(self) -> None:
        values = self._dialog.values.get(self.sa.currentData(), ())
        self.value.offer([(t("every value"), None), *((text or t("(empty)"), text) for text in values)])

    def show_asked(self, sa: str, asked: AskedTable) -> None:
        """Fill the boxes."""
        self.sa.setCurrentIndex(max(self.sa.findData(sa), 0))
        values = {c.column: c.values for c in asked.conditions}
        self.value.setCurrentIndex(max(self.value.findData(values[sa][0]) if sa in values else 0, 0))
        for box, name in zip(self.lines, [name for name in asked.columns if name != sa], strict=False):
            box.setCurrentIndex(max(box.findData(name), 0))
        if asked.least:
            self.least.setValue(asked.least)

    def asked(self) -> AskedTable | None:
        """Return the table, None where none is named."""
        sa, value = self.sa.currentData(), self.value.currentData()
        if not sa:
            return None
        lines = tuple(dict.fromkeys(box.currentData() for box in self.lines if box.currentData()))
        error, least = self.error.currentData(), self.least.value()
        if value is None:
            return AskedTable((*lines, sa), (), error, least)
        return AskedTable(lines, (Condition(sa, (value,)),), error, least)


class MustDialog(Dialog):
    """Up to three tables, and the proposal for them."""

    def __init__(
        self, session: Session, tasks: Tasks, sa: str, asked: AskedTable | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(t("What must be answered?"), (930, 460), parent)
        self._session, self._tasks = session, tasks
        self._source, choices = session.opened
        self._table, self._plan = session.prepared(), choices.plan()
        self.draws, self.nsas = self._plan.draws, self._plan.named(Role.NSA)
        self.values: dict[str, tuple[str, ...]] = {
            name: tuple(
                str(self._table[name].labels[at])
                for at in np.argsort(-self._table[name].counts(), kind="stable")[:_MOST_VALUES]
            )
            for name in self.draws
        }
        self._found: MustFound | None = None
        column = room_above(self.parts)
        intro = t(
            "Name the tables that must work. The program looks for the strongest protection with which each of their"
            " cells can be read so exactly, or says what comes closest."
        )
        column.addWidget(label(intro, wrap=True))
        grid = new_grid(8, 6)
        column.addLayout(grid)
        self.lines = tuple(_Line(self, grid, row) for row in range(TABLES))
        self.search = button(t("&Look for the strongest protection"), self.look, picture="search")
        column.addWidget(self.search, 0, Qt.AlignmentFlag.AlignLeft)
        self.busy = Busy(t("Trying settings"), t("Stop"))
        self.busy.cancelled.connect(self._stop)
        self.busy.hide()
        column.addWidget(self.busy)
        self.outcome = label("", wrap=True, selectable=True, live=True)
        self.outcome.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.outcome, 1)
        self.use = last_row(self, self.parts, t("&Use these settings"))
        self.use.setEnabled(False)
        self.lines[0].show_asked(sa, asked or suggested(self._table, self.nsas, sa))
        for line in self.lines:
            for box in (line.sa, line.value, *line.lines, line.error):
                box.activated.connect(self._changed)
            line.least.valueChanged.connect(self._changed)

    def _changed(self) -> None:
        self._found = None
        self.use.setEnabled(False)

    def look(self) -> None:
        """Look for the proposal, in the worker."""
        musts = list(dict.fromkeys(asked for line in self.lines if (asked := line.asked()) is not None))
        if not musts:
            self.outcome.setText(t("Name a table first."))
            return
        self._changed()
        self.search.setEnabled(False)
        self.busy.begin()
        self.busy.show()
        self.outcome.setText("")
        source, plan = self._source, self._plan
        job = self._tasks.run(
            "must", lambda progress: look(source.imported.table, source.stay(plan.persons), plan, musts, progress)
        )
        job.progressed.connect(self.busy.show_progress)
        job.done.connect(self._show)
        job.failed.connect(self._failed)

    def _show(self, found: MustFound) -> None:
        self._ended()
        self._found = found
        self.outcome.setText("\n".join(told(each) for each in found.proposal.sentences()))
        self.use.setEnabled(any(each.answered for each in found.proposal.answered))
        (self.use if self.use.isEnabled() else self.search).setFocus()

    def _failed(self, sentence: str) -> None:
        self._ended()
        self.outcome.setText(sentence)

    def _ended(self) -> None:
        self.busy.hide()
        self.search.setEnabled(True)

    def _stop(self) -> None:
        self._tasks.drop("must")
        self._ended()

    def accept(self) -> None:
        """Take the settings over, as one step of undo."""
        found, choices = self._found, self._session.choices
        if found is not None and choices is not None and self._session.source is self._source:
            self._source.variants.update(found.variants)
            after = replace(
                choices,
                draws={**choices.draws, **found.draws},
                generalisations={**choices.generalisations, **found.proposal.generalisations},
            )
            alike = len(set(after.follows.values())) < 2
            self._session.choose(replace(after, together=after.together and alike), t("what must be answered"))
        super().accept()

    def drop_work(self) -> None:
        self._tasks.drop("must")
