"""Which secret columns are drawn as one, and within which classes values are lent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from splu_desktop.core.mechanism import Block
from splu_desktop.core.messages import isolated
from splu_desktop.core.plan import Plan
from splu_desktop.gui.base.parts import Flow
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.widgets import Choice, emptied, label, margins
from splu_desktop.gui.base.words import caption, joined, number, t
from splu_desktop.gui.base.work import Work
from splu_desktop.gui.expert.section import Section, grid_of


class TogetherSection(Section):
    """A block for each secret column."""

    def __init__(self, session: Session, work: Work) -> None:
        super().__init__(
            session,
            work,
            t("Drawn together"),
            t("Columns of one block are kept or lent as a whole, so that laying them beside each other tells nothing."),
        )

    def build(self) -> None:
        self.rows = QWidget()
        self._room = margins(QVBoxLayout(self.rows), 0)
        self.body.addWidget(self.rows)
        self.body.addStretch(1)
        self._names: tuple[str, ...] = ()
        self.boxes: dict[str, Choice] = {}

    def refresh(self) -> None:
        plan = self.session.plan
        if plan is None:
            return
        if plan.sensitive != self._names:
            self._names = plan.sensitive
            emptied(self._room)
            holder = QWidget()
            grid = grid_of((t("Secret column"), t("Block")))
            holder.setLayout(grid)
            self.boxes = {}
            for at, name in enumerate(plan.sensitive):
                box = Choice(joined((name, t("Block")), ":"))
                box.offer([(number(each + 1), each) for each in range(len(plan.sensitive))])
                box.activated.connect(self._chosen)
                grid.addWidget(label(isolated(name), "protected"), at + 1, 0)
                grid.addWidget(box, at + 1, 1)
                self.boxes[name] = box
            self._room.addWidget(holder)
        for at, block in enumerate(plan.blocks):
            for name in block.columns:
                self.boxes[name].choose(at)

    def _chosen(self) -> None:
        wanted = {name: box.currentData() for name, box in self.boxes.items()}
        self.change(lambda plan: with_blocks(plan, wanted), self.title)


def with_blocks(plan: Plan, wanted: dict[str, int]) -> Plan:
    """Return the plan with its secret columns in other blocks, each drawn as its first column was."""
    blocks = []
    for at in sorted(set(wanted.values())):
        columns = tuple(name for name in plan.sensitive if wanted[name] == at)
        blocks.append(Block(columns, plan.block_of(columns[0]).draw))
    return replace(plan, blocks=tuple(blocks))


class ClassesSection(Section):
    """Columns within whose values values are lent."""

    def __init__(self, session: Session, work: Work) -> None:
        super().__init__(
            session,
            work,
            t("Classes of lenders"),
            t("Values are lent within the cells of these columns; small cells are joined with a neighbour."),
        )

    def build(self) -> None:
        holder = QWidget()
        self._flow = Flow(holder, across=20)
        self.body.addWidget(holder)
        self.found = label("", "quiet", wrap=True, live=True)
        self.body.addWidget(self.found)
        self.body.addStretch(1)
        self.ticks: dict[str, QCheckBox] = {}

    def refresh(self) -> None:
        plan = self.session.plan
        if plan is None:
            return
        if tuple(self.ticks) != plan.nsas:
            emptied(self._flow)
            self.ticks = {}
            for name in plan.nsas:
                tick = QCheckBox(caption(name))
                tick.clicked.connect(self._ticked)
                self._flow.addWidget(tick)
                self.ticks[name] = tick
        for name, tick in self.ticks.items():
            tick.setChecked(name in plan.classes)
        judged = self.session.judged
        if judged is None:
            self.found.setText(t("Working it out…"))
            return
        sizes = np.bincount(judged.prepared.classes.code)
        sizes = sizes[sizes > 0]
        self.found.setText(
            t("{n} classes; the smallest has {least}.", n=number(len(sizes)), least=number(int(sizes.min())))
        )

    def _ticked(self) -> None:
        chosen = tuple(name for name, tick in self.ticks.items() if tick.isChecked())
        self.change_part(self.title, classes=chosen)
