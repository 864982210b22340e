"""What was done to each column: one line per step, each with its own undo."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from splu_desktop.core.generalise import words_for
from splu_desktop.core.messages import quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import Figures, Proposal, Step, blanked_step, together_step
from splu_desktop.core.roles import Role
from splu_desktop.gui.base.parts import link
from splu_desktop.gui.base.widgets import ElidedLabel, Picture, Rule, empty, label, margins, put, put_in_scroll_area
from splu_desktop.gui.base.words import bare, join, language_code, t, translate

_NAMED = re.compile(r"^(\w+ )?[“„«]\s?(?P<name>[^”“»]*?)\s?[”“»]\s*:?\s*")  # a column's name, first in its own line
_CHANGED_ELSEWHERE = ("secret", "strength", "tables", "person")
_OF_THE_WHOLE = {"tables": "questions", "person": "persons", "classes": "classes"}  # steps about no one column


def looks() -> dict[str, tuple[str, str, str]]:
    """Return the steps by name in the order of the list, each with its picture, colour and heading."""
    return {
        "secret": ("shield", "protected", t("Secret")),
        "person": ("tags", "quiet", t("Person")),
        "coarser": ("sliders-horizontal", "quiet", t("Coarser")),
        "left-out": ("ban", "quiet", t("Left out")),
        "blanked": ("ban", "quiet", t("Emptied")),
        "names-persons": ("eye-off", "quiet", t("Person")),
        "together": ("shield", "protected", t("Together")),
        "public-value": ("shield", "quiet", t("Not secret")),
        "classes": ("file-text", "quiet", t("Your tables")),
        "strength": ("sliders-horizontal", "quiet", t("Strength")),
        "tables": ("file-text", "quiet", t("Tables")),
    }


def step_words(step: Step) -> str:
    """Return what a step did and what for, without the column's name, which stands before it."""
    words = translate(step.words)
    if step.column:
        named = _NAMED.match(words)
        if named is not None and named["name"] == step.column:
            words = words[named.end() :]
        if language_code() != "de":  # a noun keeps its capital
            words = words[:1].lower() + words[1:]
    return join((words.rstrip("."), translate(step.why)) if step.why else (words,)).rstrip(".")


def steps_of(plan: Plan, proposal: Proposal | None = None, figures: Figures | None = None) -> list[Step]:
    """Return what a plan does: as a proposal tells it, with its reasons, where the plan does so still, else in words.

    figures : of this plan; without them nothing is told of cells left empty.
    """
    base = plan if proposal is None else proposal.plan
    all_steps = [each for each in (() if proposal is None else proposal.steps) if _is_done(each, plan, base)]
    covered = {name for each in all_steps if each.name in ("coarser", "left-out") for name in columns_of(each, base)}
    for name, steps in plan.generalisations.items():
        if name not in covered and plan.roles[name].is_published:
            undo = partial(Plan.with_steps, columns=[name], steps=())
            all_steps.append(Step("coarser", name, words_for(name, steps), undo=undo))
    all_steps += [together_step(block.columns) for block in plan.blocks if len(block.columns) > 1]
    for name, role, text in (
        ("secret", Role.SA, "{columns}: drawn anew."),
        ("left-out", Role.DROPPED, "{columns}: left out."),
        ("names-persons", Role.IDENTIFIER, "{columns}: never published."),
    ):
        if columns := [each for each in plan.list_with(role) if each not in covered or role is not Role.DROPPED]:
            all_steps.append(Step(name, "", say(text, columns=quoted(columns, 3))))
    if plan.blanking is not None and figures is not None:
        all_steps += map(blanked_step, figures.losses(plan)[:1])
    return [*all_steps, Step("strength", "", say("One row in {gamma} keeps its own value.", gamma=f"{plan.gamma:g}"))]


def _is_done(step: Step, plan: Plan, base: Plan) -> bool:
    """Return whether a plan does what a step of the proposal for `base` tells; what a plan tells itself is left out."""
    if of := _OF_THE_WHOLE.get(step.name):
        return bool(getattr(plan, of) == getattr(base, of))
    columns = columns_of(step, base) if step.name in ("coarser", "left-out", "public-value") else []
    return bool(columns) and all(part_of(plan, name) == part_of(base, name) for name in columns)


def columns_of(step: Step, plan: Plan) -> list[str]:
    """Return the columns that a step of a plan is about."""
    if step.column or step.undo is None:
        return [step.column] if step.column else []
    before = step.undo(plan).roles
    return [name for name, role in plan.roles.items() if before[name] is not role]


def part_of(plan: Plan, name: str) -> tuple[Any, ...]:
    """Return what a plan says of one column."""
    return plan.roles[name], plan.generalisations.get(name, ()), tuple(plan.public_values.get(name, ()))


class StepRow(QWidget):
    """One step; `undo` and `change` are what its link does."""

    def __init__(
        self, step: Step, head_width: int, undo: Callable[[Step], object], change: Callable[[Step], object]
    ) -> None:
        super().__init__()
        self.step = step
        picture, colour, heading = looks()[step.name]
        row = margins(QHBoxLayout(self), 14, 4, 8, 4, spacing=10)
        self.head = ElidedLabel(step.column or heading, "protected" if step.name == "secret" else "strong")
        self.head.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.head.setFixedWidth(head_width)
        self.words = label(step_words(step), fitting=True)
        put(row, Picture(picture, colour, 14), self.head, (self.words, 1))
        name = step.column or self.words.text()
        if step.undo is not None:
            row.addWidget(link(bare(t("&Undo")), partial(undo, step), name))
        elif step.name in _CHANGED_ELSEWHERE:
            row.addWidget(link(t("Change"), partial(change, step), name))
        self.setMinimumHeight(max(28, self.fontMetrics().height() + 11))


class StepList(QWidget):
    """All steps, the important ones first.

    Signals: `undone` (Step), `changed` (Step), `all_columns`.
    """

    undone = Signal(object)
    changed = Signal(object)
    all_columns = Signal()

    def __init__(self) -> None:
        super().__init__()
        outer = margins(QVBoxLayout(self), 0, spacing=0)
        head = margins(QHBoxLayout(), 14, 6, 8, 4, spacing=10)
        self.note = ElidedLabel(t("every line can be taken back"), "quiet")
        self.open_columns = link("", self.all_columns.emit)
        put(head, label(t("What was done to each column"), "strong"), (self.note, 99), 1, self.open_columns)
        outer.addLayout(head)
        self._content = QWidget()
        self.rows = margins(QVBoxLayout(self._content), 0, spacing=0)
        self.room = put_in_scroll_area(self._content)
        outer.addWidget(self.room, 1)

    def show_steps(self, steps: Sequence[Step], columns: int) -> None:
        """Show steps, and how many columns there are."""
        self.open_columns.setText(t("All {n} {n:column|columns}", n=columns))
        empty(self.rows)
        if not steps:
            return
        heads = (step.column or looks()[step.name][2] for step in steps)
        wide = max(map(self.fontMetrics().horizontalAdvance, heads))
        wide = min(round(1.15 * wide) + 8, max(90, self.width() // 5))
        for at, step in enumerate(sorted(steps, key=lambda each: [*looks()].index(each.name))):
            if at:
                self.rows.addWidget(Rule())
            self.rows.addWidget(StepRow(step, wide, self.undone.emit, self.changed.emit))
        self.rows.addStretch(1)

    def say_strength(self, gamma: float) -> None:
        """Say another strength in the row that is there: it follows the slider."""
        words = say("One row in {gamma} keeps its own value.", gamma=f"{gamma:g}")
        for row in self._content.findChildren(StepRow):
            if row.step.name == "strength":
                row.words.setText(step_words(replace(row.step, words=words)))
