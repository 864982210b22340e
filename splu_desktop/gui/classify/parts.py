"""What several rooms of the classify page share: words, and ways out for a column that can't be sensitive."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QWidget

from splu_desktop.core.generalise import Rest
from splu_desktop.core.guarantees.remedies import Remedy, RemedyKind, remedies
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Card, emptied, label, margins, way_button
from splu_desktop.gui.base.words import t, told
from splu_desktop.gui.plan.taking_groups import take_groups
from splu_desktop.gui.plan.tolerance_dialog import ToleranceDialog


def rest_of_values() -> Rest:
    """Return what the values that are put together are called, in the custodian's language."""
    return Rest(t("Other"), t("{value} or other"))


def meanings_of_limits() -> dict[str, str]:
    """Return what each limit of `guarantees.audience` means for the people in the table."""
    return {
        "k": t("So many people look alike in what is published unchanged; nobody stands out from fewer."),
        "unique": t("Whoever knows such a person finds the row for certain, since no other looks like it."),
        "certainty": t("How often a sensitive value in a row may be the person's own: 33 % is one time in three."),
        "cell": t("Smaller numbers are left out of tables that are printed or published."),
    }


class RemedyCard(Card):
    """For the first column that is marked sensitive and can't be: what would help, as buttons."""

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(spacing=8, parent=parent)
        self._session, self._tasks = session, tasks
        self._key: tuple[object, ...] = ()
        self.text = label("", wrap=True)
        self.body.addWidget(self.text)
        self._row = margins(QHBoxLayout(), spacing=8)
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
        emptied(self._row)
        self.text.setText(t("What would help with “{column}”:", column=name))
        bare = (RemedyKind.LEAVE_OUT, RemedyKind.TOLERANCE)
        shown = [remedy for remedy in found if remedy.steps is not None or remedy.kind in bare]
        for remedy in shown[:3]:
            self._row.addWidget(way_button(told(remedy.words), partial(self._take, name, remedy)))
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
            self._session.set_roles({name: Role.DROPPED}, t("role of {column}", column=name))
            return
        take_groups(self._session, self._tasks, name, remedy.steps)
