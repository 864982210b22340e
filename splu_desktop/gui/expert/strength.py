"""Strength per block: gamma, how it is drawn, what that promises, and both plots large."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from splu_desktop.core.mechanism import Block, draw_from
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.gui.base.choices import Choice, number_box, show_value
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import empty, label, margins, put
from splu_desktop.gui.base.words import decimal, join, number, percent, t
from splu_desktop.gui.expert.section import Section, grid_of
from splu_desktop.gui.proposal.plots import LargeCounts, LargeCountsPlot, SmallCounts, SmallCountsPlot
from splu_desktop.gui.proposal.preview import plot_figures


def block_figures(plan: Plan, progress: Progress = SILENT) -> list[tuple[LargeCounts, SmallCounts]]:
    """Return what each block's draw promises, for a worker."""
    figures = []
    for done, block in enumerate(plan.blocks):
        progress.report(t("Working it out…"), done / len(plan.blocks))
        figures.append(plot_figures(block.draw, plan))
    return figures


class StrengthSection(Section):
    """Gamma of each block."""

    def build(self) -> None:
        self._lines: list[tuple[QDoubleSpinBox, Choice, tuple[QLabel, ...]]] = []  # of a block: gamma, draw, figures
        self._blocks: tuple[tuple[str, ...], ...] = ()
        self._figures: list[tuple[LargeCounts, SmallCounts]] = []
        self.rows = QWidget()
        self._room = margins(QVBoxLayout(self.rows), 0)
        self.body.addWidget(self.rows)
        self.all = QCheckBox(t("One strength for all columns (the slider on the proposal)"))
        self.all.setChecked(True)
        self.body.addWidget(self.all)
        self.shown = Choice(t("The plots show"), 20)
        self.shown.activated.connect(self._draw)
        self.body.addLayout(put(margins(QHBoxLayout()), label(t("The plots show")), self.shown, 1))
        self.large, self.small = LargeCountsPlot(), SmallCountsPlot()
        self.words: list[QLabel] = []
        plots = margins(QHBoxLayout(), 0, spacing=16)
        for plot, name in ((self.large, t("T_f against T_E")), (self.small, t("T_P over small counts"))):
            words = label("", "quiet", wrap=True)
            plot.setMinimumHeight(150)
            column = put(margins(QVBoxLayout(), 0, spacing=2), label(name, "strong"), (plot, 1), words)
            plots.addLayout(column, 1)
            self.words.append(words)
        self.body.addLayout(plots, 1)

    def show_plan(self, plan: Plan, source: Source) -> None:
        blocks = tuple(block.columns for block in plan.blocks)
        if blocks != self._blocks:
            self._blocks = blocks
            self._build_rows(plan)
        for (gamma, draw, _), block in zip(self._lines, plan.blocks, strict=True):
            show_value(gamma, block.draw.gamma)
            draw.choose(block.draw.name)
        if len({block.draw.gamma for block in plan.blocks}) > 1:
            # Left ticked, the next change of one strength would make all of them alike.
            self.all.setChecked(False)
        self.all.setVisible(len(plan.blocks) > 1)
        self.work.start(
            block_figures, plan, on_done=self._take, on_exception=self.fault.tell, channel="bounds", pause=40
        )

    def _build_rows(self, plan: Plan) -> None:
        empty(self._room)
        holder = QWidget()
        headings = (t("Drawn as one"), "γ", t("draw"), t("row right"), "T_f", "T_P", t("signal kept"))
        grid = grid_of(headings)
        holder.setLayout(grid)
        for heading in holder.findChildren(QLabel)[3:]:  # those above figures
            heading.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._lines = []
        for at, block in enumerate(plan.blocks):
            named = join(block.columns, ",")
            words = label(named, "protected", wrap=True)
            gamma = number_box(1, 1000, 1, join((named, "γ"), ":"))
            gamma.valueChanged.connect(lambda value, at=at: self._set_gamma(at, value))
            draw = Choice(join((named, t("draw")), ":"), 8)
            draw.offer([(t("lenders"), "lenders"), (t("groups (SPLU-Gen)"), "groups")])
            draw.activated.connect(lambda _, at=at: self._set_draw(at))
            figures = label(), label(), label(), label()
            for place, part in enumerate((words, gamma, draw, *figures)):
                grid.addWidget(part, at + 1, place)
                if isinstance(part, QLabel) and place:
                    part.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._lines.append((gamma, draw, figures))
        self._room.addWidget(holder)
        self.shown.offer([(join(block.columns, ","), at) for at, block in enumerate(plan.blocks)])

    def _take(self, pairs: list[tuple[LargeCounts, SmallCounts]]) -> None:
        self._figures = pairs
        plan, judged = self.session.plan, self.session.judgement
        if plan is None or len(pairs) != len(self._lines):
            return
        shares = {} if judged is None else judged.verdict.figures.certainty.shares
        for (_, _, labels), block, (large, small) in zip(self._lines, plan.blocks, pairs, strict=True):
            known = [shares[name].mean for name in block.columns if name in shares]
            right = percent(block.draw.certainty(max(known)), 0) if known else "–"
            figures = right, number(large.at[1]), decimal(small.t_p), decimal(block.draw.retention, 2)
            for words, figure in zip(labels, figures, strict=True):
                words.setText(figure)
        self._draw()

    def _draw(self) -> None:
        plan, at = self.session.plan, max(0, self.shown.currentIndex())
        if plan is None or at >= len(self._figures):
            return
        large, small = self._figures[at]
        if self.session.judgement is not None:
            counts = self.session.judgement.draw_input.table[plan.blocks[at].columns[0]].counts()
            large = replace(large, counts=counts[counts > 0].astype(np.float64))
        self.large.show_figures(large)
        self.small.show_figures(small)
        for plot, words in zip((self.large, self.small), self.words, strict=True):
            words.setText(plot.accessibleDescription())

    def _set_gamma(self, at: int, gamma: float) -> None:
        plan = self.session.plan
        if plan is None:
            return
        name = t("strength {gamma}", gamma=f"{gamma:g}")
        if self.all.isChecked():
            self.change(lambda plan: plan.with_gamma(gamma), name, "gamma")
        else:
            name = join((join(plan.blocks[at].columns, ","), name), ":")
            self.change(lambda plan: with_block(plan, at, plan.blocks[at].draw.name, gamma), name, f"gamma {at}")

    def _set_draw(self, at: int) -> None:
        plan = self.session.plan
        if plan is None:
            return
        kind, gamma = self._lines[at][1].currentData(), plan.blocks[at].draw.gamma
        if kind == "groups":  # their sizes are whole numbers
            gamma = float(max(2, round(gamma)))
        name = join((join(plan.blocks[at].columns, ","), t("draw")), ":")
        self.change(lambda plan: with_block(plan, at, kind, gamma), name)
        # Where the change was refused, the boxes show again what the plan has.
        self.refresh()


def with_block(plan: Plan, at: int, kind: str, gamma: float) -> Plan:
    """Return the plan with another draw of one block. Raises BadSetting."""
    blocks = list(plan.blocks)
    blocks[at] = Block(blocks[at].columns, draw_from({"draw": kind, "gamma": gamma}))
    return replace(plan, blocks=tuple(blocks))
