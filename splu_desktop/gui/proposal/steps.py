"""What was done to each column: one line per step, each with its own undo."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from splu_desktop.core.generalise import words_for
from splu_desktop.core.messages import quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import Step
from splu_desktop.core.roles import Role
from splu_desktop.gui.base.parts import link
from splu_desktop.gui.base.widgets import Elided, Picture, Rule, emptied, label, margins, put, scrolled
from splu_desktop.gui.base.words import bare, spoken, t, told

_PICTURES = {
    "secret": ("shield", "protected"),
    "coarser": ("sliders-horizontal", "quiet"),
    "left-out": ("ban", "quiet"),
    "names-persons": ("eye-off", "quiet"),
    "person": ("tags", "quiet"),
    "public-value": ("shield", "quiet"),
    "together": ("shield", "protected"),
    "blanked": ("ban", "quiet"),
    "classes": ("file-text", "quiet"),
    "strength": ("sliders-horizontal", "quiet"),
    "tables": ("file-text", "quiet"),
}
_ORDER = ("secret", "person", "coarser", "left-out", "blanked", "names-persons", "together", "public-value")
_NAMED = re.compile(
    r"^(\w+ )?[“„«]\s?(?P<name>[^”“»]*?)\s?[”“»]\s*:?\s*"
)  # a column's name at the beginning of its own line
_CHANGED_ELSEWHERE = ("secret", "strength", "tables", "person")


def step_words(step: Step) -> str:
    """Return what a step did and what for, without the column's name, which stands before it."""
    words = told(step.words)
    if step.column:
        named = _NAMED.match(words)
        if named is not None and named["name"] == step.column:
            words = words[named.end() :]
        if spoken() != "de":  # a noun keeps its capital
            words = words[:1].lower() + words[1:]
    words = words.rstrip(".")
    return f"{words}; {told(step.why)}" if step.why else words


def steps_of(plan: Plan) -> tuple[Step, ...]:
    """Return what a plan does to its columns, where no proposal tells why: one from a recipe, or of a former day."""
    found = [
        Step("coarser", name, words_for(name, steps), undo=partial(_as_read, name))
        for name, steps in plan.generalisations.items()
    ]
    for name, role, words in (
        ("secret", Role.SA, "{columns}: secret, drawn anew."),
        ("left-out", Role.DROPPED, "{columns}: left out."),
        ("names-persons", Role.IDENTIFIER, "{columns}: never published."),
    ):
        if plan.named(role):
            found.append(Step(name, "", say(words, columns=quoted(plan.named(role), 3))))
    return (*found, Step("strength", "", say("One row in {gamma} keeps its own value.", gamma=f"{plan.gamma:g}")))


def _as_read(name: str, plan: Plan) -> Plan:
    return replace(plan, generalisations={k: steps for k, steps in plan.generalisations.items() if k != name})


class StepRow(QWidget):
    """One step; `undo` and `change` are what its link does."""

    def __init__(
        self, step: Step, head_width: int, undo: Callable[[Step], object], change: Callable[[Step], object]
    ) -> None:
        super().__init__()
        picture, colour = _PICTURES.get(step.name, ("info", "quiet"))
        row = margins(QHBoxLayout(self), 14, 0, 8, 0, spacing=10)
        self.head = Elided(step.column or _heading(step.name), "strong")
        self.head.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.head.setFixedWidth(head_width)
        if step.name == "secret":
            self.head.setProperty("look", "protected")
        self.words = Elided(step_words(step))
        put(row, Picture(picture, colour, 14), self.head, (self.words, 1))
        name = step.column or self.words.text()
        if step.undo is not None:
            row.addWidget(link(bare(t("&Undo")), partial(undo, step), name))
        elif step.name in _CHANGED_ELSEWHERE:
            row.addWidget(link(t("Change"), partial(change, step), name))
        self.setFixedHeight(max(28, self.fontMetrics().height() + 11))


def _heading(name: str) -> str:
    return {
        "secret": t("Secret"),
        "coarser": t("Coarser"),
        "left-out": t("Left out"),
        "names-persons": t("Names a person"),
        "person": t("Person"),
        "public-value": t("Not secret"),
        "together": t("Together"),
        "blanked": t("Emptied"),
        "classes": t("Your tables"),
        "strength": t("Strength"),
        "tables": t("Tables"),
    }.get(name, "")


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
        self.note = Elided(t("every line can be taken back"), "quiet")
        self.open_columns = link("", self.all_columns.emit)
        put(head, label(t("What was done to each column"), "strong"), (self.note, 1), self.open_columns)
        outer.addLayout(head)
        self._content = QWidget()
        self.rows = margins(QVBoxLayout(self._content), 0, spacing=0)
        self.room = scrolled(self._content)
        outer.addWidget(self.room, 1)
        self._steps: tuple[Step, ...] = ()

    def show_steps(self, steps: Sequence[Step], columns: int) -> None:
        """Show steps, and how many columns there are."""
        self.open_columns.setText(t("All {n} columns", n=columns))
        self._steps = tuple(sorted(steps, key=lambda each: [*_ORDER, each.name].index(each.name)))
        self._fill()

    def _fill(self) -> None:
        emptied(self.rows)
        if not self._steps:
            return
        wide = max(self.fontMetrics().horizontalAdvance(step.column or _heading(step.name)) for step in self._steps)
        wide = min(round(1.15 * wide) + 8, max(90, self.width() // 4))
        for at, step in enumerate(self._steps):
            if at:
                self.rows.addWidget(Rule())
            self.rows.addWidget(StepRow(step, wide, self.undone.emit, self.changed.emit))
        self.rows.addStretch(1)

    def set_flowing(self, flowing: bool) -> None:
        """Let the list be as high as its lines, where the page around it scrolls."""
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if flowing else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.room.setVerticalScrollBarPolicy(policy)
        self.room.setMinimumHeight(self._content.sizeHint().height() + 4 if flowing else 60)
