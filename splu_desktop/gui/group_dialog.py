"""Putting a column's values into groups, with live bars of before and after. Made in a worker; the newest wins."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import Steps, column_after
from splu_desktop.core.progress import Progress
from splu_desktop.core.risk import risk
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.gui.bars import BarsView
from splu_desktop.gui.facts import ColumnFacts, column_facts
from splu_desktop.gui.group_ways import WayInputs, suggested, way_of, ways_for
from splu_desktop.gui.release_work import Bars
from splu_desktop.gui.session import Session
from splu_desktop.gui.tasks import Tasks
from splu_desktop.gui.widgets import Banner, label, margins
from splu_desktop.gui.words import number, percent

_REST = 150  # ms


@dataclass(frozen=True, eq=False)
class Trial:
    """What steps would make of a column."""

    steps: Steps
    column: Column
    facts: ColumnFacts
    bars: Bars
    unique: int | None


def trial(column: Column, steps: Steps, rest: Table | None, progress: Progress) -> Trial:
    """Try steps. `rest` holds the other columns published unchanged where this one is too. Runs in a worker."""
    progress.report("Grouping", 0.0)
    made = column_after(column, steps)
    progress.report("Grouping", 0.3)
    unique = None
    if rest is not None:
        whole = Table((*rest.columns, made))
        unique = risk(whole, whole.names, progress).unique
    facts = column_facts(made)
    if steps:  # whoever put numbers into groups has decided on them; what remains is no measurement any more
        facts = replace(facts, measurement=False)
    return Trial(steps, made, facts, Bars.of(made), unique)


class GroupDialog(QDialog):
    """Choose a way at the top, see before and after below."""

    def __init__(self, name: str, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._name, self._session, self._tasks = name, session, tasks
        source, choices = session.source, session.choices
        if source is None or choices is None:
            raise RuntimeError("nothing is open")
        self._source, self._role = source, choices.roles[name]
        self._column = source.imported.table[name]
        start = choices.steps(name) or suggested(self._column, sensitive=self._role is Role.SA)
        self._rest: Table | None = None
        if self._role is Role.NSA:
            others = [n for n, role in choices.roles.items() if role is Role.NSA and n != name]
            self._rest = Table(tuple(session.column(n) for n in others))
        self._trial: Trial | None = None
        self.setWindowTitle(self.tr("Group the values of {column}").format(column=name))
        self.resize(760, 560)
        column = QVBoxLayout(self)
        margins(column, 16, spacing=12)
        self.banner = Banner()
        column.addWidget(self.banner)
        top = QHBoxLayout()
        top.setSpacing(16)
        self.way = QComboBox()
        self.way.setAccessibleName(self.tr("How the values are grouped"))
        for way in ways_for(self._column):
            self.way.addItem(way.title, way.key)
        top.addWidget(self.way, 0, Qt.AlignmentFlag.AlignTop)
        self._holder = QVBoxLayout()
        top.addLayout(self._holder, 1)
        column.addLayout(top)
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        self.before, self.after = BarsView(self.tr("Before")), BarsView(self.tr("After"))
        self.before_title, self.after_title = label("", "strong"), label("", "strong")
        grid.addWidget(self.before_title, 0, 0)
        grid.addWidget(self.after_title, 0, 1)
        grid.addWidget(self.before, 1, 0)
        grid.addWidget(self.after, 1, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(1, 1)
        column.addLayout(grid, 1)
        self.effect = label("", wrap=True)
        column.addWidget(self.effect)
        buttons = QDialogButtonBox()
        self.use = QPushButton(self.tr("&Use these groups"))
        self.use.setProperty("look", "primary")
        buttons.addButton(self.use, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(self.tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self.inputs: WayInputs | None = None
        before = Bars.of(self._column)
        self.before.show_bars(before, "between")
        self.before_title.setText(self.tr("Before: {n} values").format(n=number(before.values)))
        self.way.setCurrentIndex(max(0, self.way.findData(way_of(start))))
        self._show_inputs(start)
        self.way.currentIndexChanged.connect(lambda _: self._show_inputs(()))

    def _show_inputs(self, steps: Steps) -> None:
        if self.inputs is not None:
            self._holder.removeWidget(self.inputs)
            self.inputs.deleteLater()
        self.inputs = WayInputs(self.way.currentData(), self._column, steps)
        self.inputs.changed.connect(self._try)
        self._holder.addWidget(self.inputs)
        self._try()

    def _try(self) -> None:
        """Try what the inputs mean, in the worker."""
        if self.inputs is None:
            return
        self.use.setEnabled(False)
        try:
            steps = self.inputs.steps(self._column)
        except SpluError as fault:
            self._tasks.drop("group")
            self.banner.say("warning", str(fault))
            return
        self.banner.hide()
        column, rest = self._column, self._rest
        job = self._tasks.run("group", lambda progress: trial(column, steps, rest, progress), pause=_REST)
        job.done.connect(self._tried)
        job.failed.connect(lambda text: self.banner.say("warning", text))

    def _tried(self, found: Trial) -> None:
        self._trial = found
        self.use.setEnabled(True)
        hue = "protected" if self._role is Role.SA else "accent"
        self.after.show_bars(found.bars, hue)
        self.after_title.setText(self.tr("After: {n} values").format(n=number(found.bars.values)))
        parts = []
        if self._role is Role.SA:
            if found.facts.measurement:
                parts.append(self.tr("Still too many different measurements to be re-drawn; use wider groups."))
            elif found.facts.largest_gamma < 2:
                parts.append(
                    self.tr("Can't be re-drawn: “{value}” fills {share} of the records.").format(
                        value=found.facts.top, share=percent(found.facts.top_share)
                    )
                )
            else:
                parts.append(self.tr("Largest group size possible: {n}.").format(n=number(found.facts.largest_gamma)))
        if found.unique is not None:
            parts.append(
                self.tr("Then {n} of {of} records ({share}) are unique in the columns published as they are.").format(
                    n=number(found.unique),
                    of=number(found.facts.records),
                    share=percent(found.unique / max(1, found.facts.records)),
                )
            )
        self.effect.setText(" ".join(parts))

    def accept(self) -> None:
        """Take the groups over, as one step of undo."""
        choices = self._session.choices
        if self._trial is None or choices is None or self._session.source is not self._source:
            self.reject()
            return
        steps = self._trial.steps
        if steps:
            self._source.variants[self._name, steps] = (self._trial.column, self._trial.facts)
        after = {**choices.generalisations, self._name: steps}
        self._session.choose(
            replace(choices, generalisations=after), self.tr("groups of {column}").format(column=self._name)
        )
        self._close(QDialog.DialogCode.Accepted)

    def reject(self) -> None:
        """Leave everything as it was."""
        self._close(QDialog.DialogCode.Rejected)

    def _close(self, code: QDialog.DialogCode) -> None:
        self._tasks.drop("group")
        self.done(code)
