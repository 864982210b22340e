"""Columns that give a sensitive one away, said where roles and protection are chosen as the gate says it later."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import say
from splu_desktop.core.risk.alike import Alike, alike
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.sanitise import redrawable
from splu_desktop.core.table import Table
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks, Work
from splu_desktop.gui.base.widgets import Card, Picture, button, label, margins, put
from splu_desktop.gui.base.words import t, told

_REST = 250  # ms without a change


class GiveawayCard(Card):
    """For the column that gives a sensitive one away most: what it means, and two ways out as buttons.

    Signals
    -------
    group (name) : the user wants to put its values into groups.
    """

    group = Signal(str)

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(spacing=8, parent=parent)
        self._session, self._tasks, self._name = session, tasks, ""
        self._keys: dict[str, tuple[object, ...]] = {}  # what was last asked, per sort
        self._found: dict[str, tuple[Giveaway | Alike, ...]] = {}  # and what came of it
        row = put(
            margins(QHBoxLayout(), spacing=12), (Picture("triangle-alert", "warning", 18), 0, Qt.AlignmentFlag.AlignTop)
        )
        self.text = label("", wrap=True, live=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self.out = button(t("Leave it &out"), self._leave_out)
        self.coarser = button(t("&Group its values…"), lambda: self.group.emit(self._name))
        ways = margins(QVBoxLayout(), 0, spacing=4)  # one above the other: the words need the width
        put(ways, self.out, self.coarser).addStretch(1)
        row.addLayout(ways)
        self.body.addLayout(row)
        self.hide()

    @property
    def found(self) -> tuple[Giveaway | Alike, ...]:
        """What the gate would say, in its order: unchanged columns that tell, sensitive ones that tell each other."""
        return (*self._found.get("giveaway", ()), *self._found.get("alike", ()))

    def look(self) -> None:
        """Find them anew where roles, groups or draws have changed; in a worker, of the same columns as the gate."""
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None:
            return
        nsas = tuple(name for name, role in choices.roles.items() if role is Role.NSA)
        sensitive = choices.sensitive
        names = (*nsas, *sensitive)
        table = Table(tuple(self._session.column(name) for name in names))
        grouped = tuple(choices.steps(name) for name in names)
        self._run(
            "giveaway",
            (source, nsas, sensitive, grouped),
            lambda progress: giveaways(table, nsas, sensitive, progress),
            bool(nsas and sensitive),
        )
        try:
            ways = {name: choices.carried_out(name) for name in sensitive}
        except SpluError:  # a draw that can't be carried out is told where it is chosen
            ways = {}
        persons, thresholds = choices.persons, choices.thresholds
        if persons is not None and persons.column not in table:
            table = Table((*table.columns, source.imported.table[persons.column]))
        self._run(
            "alike",
            (source, persons, thresholds, *ways.items(), grouped),
            lambda progress: alike(table, redrawable(table, ways, thresholds), progress),
            len(ways) > 1,
        )

    def _run(self, sort: str, key: tuple[object, ...], work: Work, asked: bool) -> None:
        channel, before = f"{sort} {id(self)}", self._keys.get(sort, ())
        if key == before:
            return
        self._keys[sort] = key
        if key[:1] != before[:1]:  # another file's are not this one's
            self._take(sort, ())
        if not asked:
            self._tasks.drop(channel)
            self._take(sort, ())
            return
        job = self._tasks.run(channel, work, pause=_REST)
        job.done.connect(partial(self._take, sort))

    def _take(self, sort: str, found: tuple[Giveaway | Alike, ...]) -> None:
        self._found[sort] = found
        self._show()

    def _show(self) -> None:
        """Show the first of them, and which columns there are more."""
        found = self.found
        self.setVisible(bool(found))
        if not found:
            return
        first = found[0]
        self._name = first.column
        words = told(first.sentence)
        others = [name for name in dict.fromkeys(each.column for each in found) if name != first.column]
        if others:
            named = ", ".join(told(say("“{name}”", name=name)) for name in others[:4]) + (
                ", …" if len(others) > 4 else "."
            )
            words = t("{first} More of the kind: {others}", first=words, others=named)
        self.text.setText(words)
        self.coarser.setVisible(isinstance(first, Giveaway))
        self.out.setAccessibleName(t("Leave “{column}” out", column=first.column))
        self.coarser.setAccessibleName(t("Group the values of “{column}”", column=first.column))

    def _leave_out(self) -> None:
        self._session.set_roles({self._name: Role.DROPPED}, t("role of {column}", column=self._name))
