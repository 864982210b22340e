"""Beside the table of columns: how recognisable the records are, and ways out for a column that can't be sensitive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QWidget

from splu_desktop.core.generalise import column_after
from splu_desktop.core.progress import Progress
from splu_desktop.core.remedies import Remedy, RemedyKind, remedies
from splu_desktop.core.risk import Cause, Risk, causes, risk
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.gui.facts import ColumnFacts
from splu_desktop.gui.group_trial import facts_after
from splu_desktop.gui.session import Session
from splu_desktop.gui.tasks import Tasks
from splu_desktop.gui.tolerance_dialog import ToleranceDialog
from splu_desktop.gui.widgets import Card, Picture, button, label, margins
from splu_desktop.gui.words import number, percent

_REST = 250  # ms
_LONGEST = 64  # characters on a button; the rest is in its hover text


@dataclass(frozen=True, eq=False)
class Recognisable:
    """How recognisable records are, and what each column contributes, the most telling first."""

    whole: Risk
    causes: tuple[Cause, ...]


def recognisable(table: Table, progress: Progress) -> Recognisable:
    """Return it for a table of the columns published as they are. Runs in a worker. Raises Cancelled."""
    return Recognisable(risk(table, table.names, progress), causes(table, table.names, progress))


class RiskLine(QWidget):
    """How many records are unique in the columns published as they are; on hover, which column causes it."""

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, tasks
        self._key: tuple[object, ...] = ()
        row = QHBoxLayout(self)
        margins(row, 0, spacing=8)
        self._picture = Picture("eye-off", "quiet", 16)
        self.text = label("", "quiet")
        row.addWidget(self._picture)
        row.addWidget(self.text)

    def look(self) -> None:
        """Work it out anew if roles or groups have changed; in a worker, the newest wins."""
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None:
            return
        names = [name for name, role in choices.roles.items() if role is Role.NSA]
        key = (source, *((name, choices.steps(name)) for name in names))
        if key == self._key:
            return
        self._key = key
        self.text.setText(self.tr("Looking for recognisable records…"))
        table = Table(tuple(self._session.column(name) for name in names))
        job = self._tasks.run("risk", lambda progress: recognisable(table, progress), pause=_REST)
        job.done.connect(self._show)
        job.failed.connect(self.text.setText)

    def _show(self, found: Recognisable) -> None:
        whole = found.whole
        if not found.causes:
            self._picture.show_picture("circle-check", "answerable")
            self.text.setText(self.tr("No column is published as it is"))
            self.setToolTip("")
            return
        share = whole.share(2)
        self._picture.show_picture(*(("triangle-alert", "warning") if whole.unique else ("circle-check", "answerable")))
        self.text.setText(
            self.tr("{n} records ({share}) can be recognised").format(n=number(whole.unique), share=percent(share))
        )
        lines = [self.tr("So many are unique in the columns published as they are.")]
        lines += [
            self.tr("Fewer than {k} alike: {n} records ({share})").format(
                k=k, n=number(whole.below[k]), share=percent(whole.share(k))
            )
            for k in (3, 5, 10)
        ]
        lines += [
            self.tr("Without “{column}”: {n} unique").format(column=cause.name, n=number(cause.without.unique))
            for cause in found.causes[:5]
        ]
        self.setToolTip("\n".join(lines))
        self.setAccessibleName(self.text.text())
        self.setAccessibleDescription(self.toolTip())


def generalised(column: Column, remedy: Remedy, progress: Progress) -> tuple[Column, ColumnFacts]:
    """Return a column after a remedy's steps, and its facts. Runs in a worker."""
    progress.report("Grouping", 0.0)
    made = column_after(column, remedy.steps or ())
    return made, facts_after(column, made)


class RemedyCard(Card):
    """For the first column that is marked sensitive and can't be: what would help, as buttons."""

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(spacing=8, parent=parent)
        self._session, self._tasks = session, tasks
        self._key: tuple[object, ...] = ()
        self.text = label("", wrap=True)
        self.body.addWidget(self.text)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self.body.addLayout(self._row)
        self.hide()

    def look(self) -> None:
        """Find ways out for the first barred column, in a worker."""
        source, choices = self._session.source, self._session.choices
        barred = [n for n in choices.sensitive if self._session.barred(n)] if choices is not None else []
        if source is None or choices is None or not barred:
            self._key = ()
            self._tasks.drop("remedies")
            self.hide()
            return
        name = barred[0]
        key = (source, name, choices.steps(name))
        if key == self._key:
            return
        self._key = key
        self.hide()
        column, steps = source.imported.table[name], choices.steps(name)
        job = self._tasks.run("remedies", lambda progress: remedies(column, steps, 2, tolerances=True))
        job.done.connect(partial(self._show, name))

    def _show(self, name: str, found: tuple[Remedy, ...]) -> None:
        while self._row.count():
            item = self._row.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.deleteLater()
        self.text.setText(self.tr("What would help with “{column}”:").format(column=name))
        bare = (RemedyKind.LEAVE_OUT, RemedyKind.TOLERANCE)
        shown = [remedy for remedy in found if remedy.steps is not None or remedy.kind in bare]
        for remedy in shown[:3]:
            words = remedy.words if len(remedy.words) <= _LONGEST else remedy.words[: _LONGEST - 1] + "…"
            self._row.addWidget(button(words, partial(self._take, name, remedy), hint=remedy.words))
        self._row.addStretch(1)
        self.setVisible(bool(shown))

    def _take(self, name: str, remedy: Remedy) -> None:
        source = self._session.source
        if source is None:
            return
        if remedy.kind is RemedyKind.TOLERANCE:
            ToleranceDialog(name, self._session, self._tasks, self).open()
            return
        if remedy.steps is None:
            self._session.set_roles({name: Role.DROPPED}, self.tr("role of {column}").format(column=name))
            return
        column = source.imported.table[name]
        job = self._tasks.run("remedy", lambda progress: generalised(column, remedy, progress))
        job.done.connect(partial(self._made, name, remedy))

    def _made(self, name: str, remedy: Remedy, made: tuple[Column, ColumnFacts]) -> None:
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None or remedy.steps is None:
            return
        source.variants[name, remedy.steps] = made
        after = {**choices.generalisations, name: remedy.steps}
        self._session.choose(replace(choices, generalisations=after), self.tr("groups of {column}").format(column=name))
