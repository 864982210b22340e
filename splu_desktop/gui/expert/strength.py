"""Strength per block: gamma, how it is drawn, what that promises, and both plots large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from splu_desktop.core.mechanism import Block, draw_from, law
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import Choice, emptied, label, margins, put, show_value
from splu_desktop.gui.base.words import decimal, joined, number, percent, t
from splu_desktop.gui.expert.section import Section, grid_of
from splu_desktop.gui.proposal.plots import LargeCounts, LargeCountsPlot, SmallCounts, SmallCountsPlot, nice_top

_T_E = np.geomspace(0.004, 0.5, 48)
_SMALL = 12
_GAMMAS = (1.0, 50.0)


@dataclass(frozen=True, eq=False)
class BlockFigures:
    """What a block's draw promises."""

    block: Block
    t_f: int
    t_p: float
    curve: NDArray[np.int64]
    small: NDArray[np.float64]


def block_figures(
    blocks: Sequence[Block], thresholds: Thresholds, progress: Progress = SILENT
) -> tuple[BlockFigures, ...]:
    """Return what each block's draw promises, for a worker."""
    found = []
    for done, block in enumerate(blocks):
        progress.report("Working out the bounds", done / len(blocks))
        draw = block.draw
        found.append(
            BlockFigures(
                block,
                law.t_f(draw, thresholds.epsilon, thresholds.t_e),
                law.t_p(draw, thresholds.epsilon, thresholds.alpha),
                law.t_f_curve(draw, thresholds.epsilon, _T_E),
                law.error_curve(draw, thresholds.epsilon, np.arange(1, _SMALL + 1)),
            )
        )
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Line:
    gamma: QDoubleSpinBox
    draw: Choice
    figures: tuple[QLabel, QLabel, QLabel, QLabel]


class StrengthSection(Section):
    """Gamma of each block."""

    def build(self) -> None:
        self._lines: list[_Line] = []
        self._blocks: tuple[tuple[str, ...], ...] = ()
        self._figures: tuple[BlockFigures, ...] = ()
        self.rows = QWidget()
        self._room = margins(QVBoxLayout(self.rows), 0)
        self.body.addWidget(self.rows)
        self.all = QCheckBox(t("One strength for all columns (the slider on the proposal)"))
        self.all.setChecked(True)
        self.body.addWidget(self.all)
        self.shown = Choice(t("The plots show"))
        self.shown.keep_short(20)
        self.shown.activated.connect(self._draw)
        self.body.addLayout(put(margins(QHBoxLayout()), label(t("The plots show")), self.shown, 1))
        self.large, self.small = LargeCountsPlot(), SmallCountsPlot()
        self.words: list[QLabel] = []
        plots = margins(QHBoxLayout(), 0, spacing=16)
        for plot, name in ((self.large, t("T_f against T_E")), (self.small, t("T_P over small counts"))):
            words = label("", "quiet", wrap=True)
            plot.setMinimumHeight(150)
            plot.readout.connect(
                lambda text, words=words, plot=plot: words.setText(text or plot.accessibleDescription())
            )
            column = put(margins(QVBoxLayout(), 0, spacing=2), label(name, "strong"), (plot, 1), words)
            plots.addLayout(column, 1)
            self.words.append(words)
        self.body.addLayout(plots, 1)

    def show_plan(self, plan: Plan, source: Source) -> None:
        blocks = tuple(block.columns for block in plan.blocks)
        if blocks != self._blocks:
            self._blocks = blocks
            self._build_rows(plan)
        for line, block in zip(self._lines, plan.blocks, strict=True):
            show_value(line.gamma, block.draw.gamma)
            line.draw.choose(block.draw.name)
        if len({block.draw.gamma for block in plan.blocks}) > 1:
            self.all.setChecked(False)
        self.all.setVisible(len(plan.blocks) > 1)
        self.work.start(
            block_figures,
            plan.blocks,
            plan.thresholds,
            on_done=self._take,
            on_exception=self.say_fault,
            channel="bounds",
            pause=40,
        )

    def _build_rows(self, plan: Plan) -> None:
        emptied(self._room)
        holder = QWidget()
        headings = (t("Drawn as one"), "γ", t("draw"), t("row right"), "T_f", "T_P", t("signal kept"))
        grid = grid_of(headings)
        holder.setLayout(grid)
        self._lines = []
        for at, block in enumerate(plan.blocks):
            named = joined(block.columns, ",")
            words = label(named, "protected", wrap=True)
            gamma = QDoubleSpinBox()
            gamma.setRange(*_GAMMAS)
            gamma.setDecimals(1)
            gamma.setKeyboardTracking(False)
            gamma.setAccessibleName(joined((named, "γ"), ":"))
            gamma.valueChanged.connect(lambda value, at=at: self._set_gamma(at, value))
            draw = Choice(joined((named, t("draw")), ":"))
            draw.offer([(t("lenders"), "lenders"), (t("groups (SPLU-Gen)"), "groups")])
            draw.keep_short(8)
            draw.activated.connect(lambda _, at=at: self._set_draw(at))
            figures = label(), label(), label(), label()
            for place, part in enumerate((words, gamma, draw, *figures)):
                grid.addWidget(part, at + 1, place)
                if isinstance(part, QLabel) and place:
                    part.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._lines.append(_Line(gamma, draw, figures))
        self._room.addWidget(holder)
        self.shown.offer([(joined(block.columns, ","), at) for at, block in enumerate(plan.blocks)])

    def _take(self, found: tuple[BlockFigures, ...]) -> None:
        self._figures = found
        plan, judged = self.session.plan, self.session.last_judged
        if plan is None or len(found) != len(self._lines):
            return
        for line, each in zip(self._lines, found, strict=True):
            gamma = each.block.draw.gamma
            right = "–"
            if judged is not None:
                shares = judged.verdict.figures.certainty.shares
                known = [shares[name].mean for name in each.block.columns if name in shares]
                right = percent(each.block.draw.certainty(max(known)), 0) if known else "–"
            for words, figure in zip(
                line.figures, (right, number(each.t_f), decimal(each.t_p), decimal(1 / gamma, 2)), strict=True
            ):
                words.setText(figure)
        self._draw()

    def _draw(self) -> None:
        plan, at = self.session.plan, max(0, self.shown.currentIndex())
        if plan is None or at >= len(self._figures):
            return
        each, asked = self._figures[at], plan.thresholds
        own = np.zeros(0)
        if self.session.judged is not None:
            column = self.session.judged.prepared.table[each.block.columns[0]]
            own = column.counts()[column.counts() > 0].astype(np.float64)
        top = nice_top(float(max(each.curve[0], each.t_f)))
        chosen = asked.t_e, each.t_f
        self.large.show_figures(LargeCounts(_T_E, each.curve, chosen, top, own, asked.epsilon))
        self.small.show_figures(SmallCounts(each.small, asked.alpha, asked.epsilon))
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
            name = joined((joined(plan.blocks[at].columns, ","), name), ":")
            self.change(lambda plan: with_block(plan, at, plan.blocks[at].draw.name, gamma), name, f"gamma {at}")

    def _set_draw(self, at: int) -> None:
        plan = self.session.plan
        if plan is None:
            return
        kind, gamma = self._lines[at].draw.currentData(), plan.blocks[at].draw.gamma
        if kind == "groups":  # their sizes are whole numbers
            gamma = float(max(2, round(gamma)))
        name = joined((joined(plan.blocks[at].columns, ","), t("draw")), ":")
        self.change(lambda plan: with_block(plan, at, kind, gamma), name)
        self.refresh()


def with_block(plan: Plan, at: int, kind: str, gamma: float) -> Plan:
    """Return the plan with another draw of one block. Raises BadSetting."""
    blocks = list(plan.blocks)
    blocks[at] = Block(blocks[at].columns, draw_from({"draw": kind, "gamma": gamma}))
    return replace(plan, blocks=tuple(blocks))
