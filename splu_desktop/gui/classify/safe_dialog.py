"""Make it safe: the steps that are proposed, with the effect of each, to be taken or left."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from splu_desktop.core.checks.make_safe import Aim, MadeSafe, SafeStep, make_safe, with_some
from splu_desktop.core.generalise import Rest, Steps
from splu_desktop.core.guarantees.audience import USUAL
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Table
from splu_desktop.gui.base.facts import ColumnFacts
from splu_desktop.gui.base.session import Choices, Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Dialog, TickList, label, last_row, percent_box, whole_box
from splu_desktop.gui.base.words import t, tip, told
from splu_desktop.gui.classify.parts import meanings_of_limits, rest_of_values
from splu_desktop.gui.plan.taking_groups import generalised

Variants = dict[tuple[str, Steps], tuple[Column, ColumnFacts]]
_REST = 300  # ms
_BESIDE = 16  # pixels that the style keeps beside an item's text


def proposed(table: Table, plan: Plan, aim: Aim, rest: Rest, progress: Progress) -> tuple[MadeSafe, Variants]:
    """Return the steps, and the columns as they would be grouped. Runs in a worker. Raises Cancelled."""
    found = make_safe(table, plan, aim, progress, rest)
    variants: Variants = {}
    for name, steps in found.plan.generalisations.items():
        if steps != plan.generalisations.get(name, ()):
            variants[name, steps] = generalised(table[name], steps, progress)
    return found, variants


class _Lines(QStyledItemDelegate):
    """Gives each item the height of its lines: Qt breaks them for more width than the style leaves beside a box."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        option.rect.setWidth(option.rect.width() - _BESIDE)
        return super().sizeHint(option, index)


class SafeDialog(Dialog):
    """The aim, and the steps to it with a box each; what is ticked is taken, one step of undo each."""

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(t("Make it safe"), (720, 520), parent)
        self._session, self._tasks = session, tasks
        self.found: MadeSafe | None = None
        self._variants: Variants = {}
        choices = session.choices
        k, unique = USUAL.k, USUAL.unique
        if choices is not None and choices.audience is not None:
            k, unique = choices.audience.limits.k, choices.audience.limits.unique
        column = self.parts
        column.addWidget(
            label(
                t(
                    "Steps are looked for until what you ask for holds and no column gives a sensitive one away. Untick"
                    " what you don't want; every step taken can be undone."
                ),
                "quiet",
                wrap=True,
            )
        )
        row = QHBoxLayout()
        row.setSpacing(8)
        self.k = whole_box(1, 1000, t("Records alike, at least"))
        self.k.setValue(k)
        self.unique = percent_box(0.0, 100.0, 2, t("Unique records, at most"))
        self.unique.setValue(100 * unique)
        for text, box, limit in (
            (t("Records alike, at least"), self.k, "k"),
            (t("Unique records, at most"), self.unique, "unique"),
        ):
            caption = label(text)
            for part in (caption, box):
                tip(part, meanings_of_limits()[limit])
                row.addWidget(part)
            row.addSpacing(8)
        row.addStretch(1)
        column.addLayout(row)
        self.list = TickList(t("Proposed steps"))
        self.list.setWordWrap(True)
        self.list.setItemDelegate(_Lines(self.list))
        self.list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)  # lines are broken anew, and none is left out
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAlternatingRowColors(False)
        self.list.itemChanged.connect(self._ticked)
        column.addWidget(self.list, 1)
        self.text = label("", wrap=True, live=True)
        column.addWidget(self.text)
        self.take = last_row(self, column, t("&Take these steps"))
        self.k.valueChanged.connect(self._look)
        self.unique.valueChanged.connect(self._look)
        self._look()

    def _look(self) -> None:
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None:
            return
        self.found = None
        self.list.clear()
        self.take.setEnabled(False)
        self.text.setText(t("Looking for steps…"))
        aim = Aim(self.k.value(), self.unique.value() / 100)
        table, plan, rest = source.imported.table, choices.plan(), rest_of_values()
        job = self._tasks.run("make safe", lambda progress: proposed(table, plan, aim, rest, progress), pause=_REST)
        job.done.connect(self._show)
        job.failed.connect(self.text.setText)

    def _show(self, found: tuple[MadeSafe, Variants]) -> None:
        self.found, self._variants = found
        said = [told(step.sentence) for step in self.found.steps]
        self.list.offer(said, said)
        self._tell(self.found)
        self.take.setEnabled(bool(self.found.steps))

    def _tell(self, found: MadeSafe) -> None:
        if not found.steps and found.reached:
            self.text.setText(t("Nothing needs to be done: what you ask for holds already."))
        else:
            self.text.setText(told(found.sentence))

    def _ticked(self) -> None:
        """Tell where the ticked steps lead by themselves."""
        source, choices, whole = self._session.source, self._session.choices, self.found
        if source is None or choices is None or whole is None:
            return
        columns = {step.column for step in self.chosen()}
        self.take.setEnabled(bool(columns))
        table, plan = source.imported.table, choices.plan()
        job = self._tasks.run(
            "make safe", lambda progress: with_some(table, plan, whole, columns, progress), pause=_REST
        )
        job.done.connect(self._tell)
        job.failed.connect(self.text.setText)

    def chosen(self) -> list[SafeStep]:
        """Return the steps that are ticked."""
        return [self.found.steps[at] for at in self.list.places()] if self.found is not None else []

    def accept(self) -> None:
        """Take the ticked steps, one step of undo each."""
        source, taken = self._session.source, self.chosen()
        if source is None or self.found is None or not taken:
            return
        source.variants.update(self._variants)
        for step in taken:
            choices = self._session.choices
            if choices is not None:
                self._session.choose(_with(choices, step, self.found.plan), told(step.words))
        super().accept()


def _with(choices: Choices, step: SafeStep, whole: Plan) -> Choices:
    """Return the choices with what a step changes: its column's role and groups, or draws."""
    name = step.column
    grouped = dict(choices.generalisations)
    if name in whole.generalisations:
        grouped[name] = whole.generalisations[name]
    by_person = whole.persons is not None and whole.persons.column == name
    draws = dict(choices.draws)
    block = whole.draws[name].block(name) if name in whole.draws else ()
    if len(block) > 1:
        draws |= {each: whole.draws[each].by_person("") for each in block}
    return replace(
        choices,
        roles={**choices.roles, name: whole.roles[name]},
        generalisations=grouped,
        draws=draws,
        persons=whole.persons if by_person else choices.persons,
    )
