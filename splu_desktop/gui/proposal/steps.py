"""What was done to each column: one line per step, each with its own undo."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from splu_desktop.core.generalise import words_for
from splu_desktop.core.messages import quoted, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import Step
from splu_desktop.core.roles import Role
from splu_desktop.gui.base.parts import link
from splu_desktop.gui.base.widgets import Elided, Picture, Rule, empty, label, margins, put, put_in_scroll_area
from splu_desktop.gui.base.words import bare, language_code, t, translate

_NAMED = re.compile(
    r"^(\w+ )?[“„«]\s?(?P<name>[^”“»]*?)\s?[”“»]\s*:?\s*"
)  # a column's name at the beginning of its own line
_CHANGED_ELSEWHERE = ("secret", "strength", "tables", "person")


def looks() -> dict[str, tuple[str, str, str]]:
    """Return the steps by name in the order of the list, each with its picture, colour and heading."""
    return {
        "secret": ("shield", "protected", t("Secret")),
        "person": ("tags", "quiet", t("Person")),
        "coarser": ("sliders-horizontal", "quiet", t("Coarser")),
        "left-out": ("ban", "quiet", t("Left out")),
        "blanked": ("ban", "quiet", t("Emptied")),
        "names-persons": ("eye-off", "quiet", t("Names a person")),
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
    words = words.rstrip(".")
    return f"{words}; {translate(step.why)}" if step.why else words


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
        if plan.having(role):
            found.append(Step(name, "", say(words, columns=quoted(plan.having(role), 3))))
    return (*found, strength_of(plan))


def strength_of(plan: Plan) -> Step:
    """Return the step that says a plan's strength."""
    return Step("strength", "", say("One row in {gamma} keeps its own value.", gamma=f"{plan.gamma:g}"))


def _as_read(name: str, plan: Plan) -> Plan:
    return replace(plan, generalisations={k: steps for k, steps in plan.generalisations.items() if k != name})


class StepRow(QWidget):
    """One step; `undo` and `change` are what its link does."""

    def __init__(
        self, step: Step, head_width: int, undo: Callable[[Step], object], change: Callable[[Step], object]
    ) -> None:
        super().__init__()
        self.step = step
        picture, colour, heading = looks()[step.name]
        row = margins(QHBoxLayout(self), 14, 0, 8, 0, spacing=10)
        self.head = Elided(step.column or heading, "strong")
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
        self.room = put_in_scroll_area(self._content)
        outer.addWidget(self.room, 1)

    def show_steps(self, steps: Sequence[Step], columns: int) -> None:
        """Show steps, and how many columns there are."""
        self.open_columns.setText(t("All {n} columns", n=columns))
        empty(self.rows)
        if not steps:
            return
        heads = (step.column or looks()[step.name][2] for step in steps)
        wide = max(map(self.fontMetrics().horizontalAdvance, heads))
        wide = min(round(1.15 * wide) + 8, max(90, self.width() // 4))
        for at, step in enumerate(sorted(steps, key=lambda each: [*looks()].index(each.name))):
            if at:
                self.rows.addWidget(Rule())
            self.rows.addWidget(StepRow(step, wide, self.undone.emit, self.changed.emit))
        self.rows.addStretch(1)

    def say_strength(self, step: Step) -> None:
        """Say another strength in the row that is there: it follows the slider."""
        for row in self._content.findChildren(StepRow):
            if row.step.name == "strength":
                row.words.setText(step_words(step))
