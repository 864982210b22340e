"""Which secret columns are drawn as one, and within which classes values are lent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splu_desktop.core.mechanism import Block
from splu_desktop.core.plan import Plan
from splu_desktop.gui.base.choices import Choice, TickList
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import label, put, show_whole
from splu_desktop.gui.base.words import number, t
from splu_desktop.gui.expert.section import Rows, Section


class TogetherSection(Section):
    """A block for each secret column."""

    def build(self) -> None:
        self.rows = Rows(t("Block"), self._box)
        self.body.addWidget(self.rows)

    def _box(self, name: str) -> Choice:
        box = Choice()
        box.activated.connect(self._choose)
        return box

    def show_plan(self, plan: Plan, source: Source) -> None:
        self.rows.show_names(plan.sensitive)
        for box in self.rows.boxes.values():
            box.offer([(number(each + 1), each) for each in range(len(plan.sensitive))])
        for at, block in enumerate(plan.blocks):
            for name in block.columns:
                self.rows.boxes[name].choose(at)

    def _choose(self) -> None:
        wanted = {name: box.currentData() for name, box in self.rows.boxes.items()}
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

    def build(self) -> None:
        self.ticks = TickList(self.title)
        self.ticks.itemChanged.connect(lambda item: self._tick())
        self.found = label("", "quiet", wrap=True, live=True)
        show_whole(self.ticks, 0, whole=True)
        put(self.body, self.ticks, self.found)

    def show_plan(self, plan: Plan, source: Source) -> None:
        self.ticks.offer(plan.nsas, plan.classes)
        judged = self.session.judgement
        if judged is None:
            self.found.setText(t("Working it out…"))
            return
        sizes = np.bincount(judged.draw_input.classes.code)
        # A number below the last may belong to no class, and the smallest class would have 0 rows.
        sizes = sizes[sizes > 0]
        self.found.setText(
            t("{n} {n:class|classes}; the smallest has {least}.", n=number(len(sizes)), least=number(int(sizes.min())))
        )

    def _tick(self) -> None:
        self.change_part(self.title, classes=tuple(self.ticks.list_ticked()))
