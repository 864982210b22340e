"""Which sensitive columns are drawn together: what is gained by it, what it costs, and what suggests it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.belonging import TogetherSuggestion, suggested
from splu_desktop.core.draw.together import MOST_GAMMA, planned
from splu_desktop.core.plan import DEFAULT_GAMMA
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Table
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Dialog, TickList, button, label, last_row, margins, put, scrolled
from splu_desktop.gui.base.words import t, told

_PAUSE = 150  # milliseconds after the last change
_SUGGESTED = 3


@dataclass(frozen=True)
class _Found:
    """The draw of the columns chosen, and its costs in words."""

    draws: Mapping[str, Draw]
    costs: tuple[str, ...]


def _found(table: Table, names: Sequence[str], gamma: int, person: str, progress: Progress) -> _Found:
    progress.report("Forming groups", 0.0)
    draws = planned(table, names, gamma)
    carried = {name: draw.by_person(person) for name, draw in draws.items()}
    first = next(iter(carried.values()))
    return _Found(draws, tuple(first.of_block(carried).costs(table)))


def _suggested(table: Table, names: Sequence[str], progress: Progress) -> tuple[TogetherSuggestion, ...]:
    progress.report("Comparing columns", 0.0)
    return suggested(table, names)


class TogetherDialog(Dialog):
    """The sensitive columns with a box each, one gamma, and what follows from the choice."""

    def __init__(self, session: Session, tasks: Tasks, shown: str, parent: QWidget | None = None) -> None:
        intro = t(
            "Columns drawn together keep what they say about each other. In return a row shows a combination of values"
            " that a record has: who knows some of a person's values can recognise it and read the rest."
        )
        super().__init__(t("Draw columns together"), (720, 640), parent, intro)
        self._session, self._tasks = session, tasks
        _, choices = session.opened
        persons, names = choices.persons, choices.sensitive
        self._person = "" if persons is None else persons.drawn
        self._table = Table(tuple(session.drawn(name)[0] for name in names)) if not self._person else session.prepared()
        self._result: _Found | None = None
        self._turn = 0
        draw = choices.draws[shown]
        self._now = draw.block(shown) if len(draw.block(shown)) > 1 else ()
        outer = self.parts
        self.suggestions = margins(QVBoxLayout(), 0, spacing=6)
        outer.addLayout(self.suggestions)
        self.columns = TickList(t("Sensitive columns"))
        self.columns.offer(names, self._now)
        outer.addWidget(self.columns, 2)
        row = QHBoxLayout()
        caption = label(t("Group &size"))
        self.gamma = QSpinBox()
        self.gamma.setRange(2, MOST_GAMMA)
        # Not the gamma of columns drawn one by one: few values limit those, while combinations hardly limit any.
        self.gamma.setValue(int(draw.settings()["gamma"]) if self._now else DEFAULT_GAMMA)
        caption.setBuddy(self.gamma)
        self.gamma.setAccessibleName(caption.text().replace("&", ""))
        put(row, caption, self.gamma, 1)
        outer.addLayout(row)
        self.costs = label("", wrap=True, selectable=True, live=True)
        self.costs.setAlignment(Qt.AlignmentFlag.AlignTop)
        scroll = scrolled(self.costs)
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        scroll.setAccessibleName(t("What it brings and costs"))
        outer.addWidget(scroll, 3)
        others = ((t("Draw &one by one"), self.apart),) if self._now else ()
        self.use = last_row(self, outer, t("&Draw together"), *others)
        self.columns.itemChanged.connect(lambda _: self._changed())
        self.gamma.valueChanged.connect(lambda _: self._changed())
        table = self._table
        job = tasks.run("belonging", lambda progress: _suggested(table, names, progress))
        job.done.connect(self._suggest)
        self._changed()

    def chosen(self) -> list[str]:
        """Return the columns whose boxes are ticked."""
        return self.columns.ticked()

    def choose(self, names: Sequence[str]) -> None:
        """Tick the boxes of these columns alone."""
        self.columns.offer([self.columns.item(at).text() for at in range(self.columns.count())], names)
        self._changed()

    def _suggest(self, found: tuple[TogetherSuggestion, ...]) -> None:
        for each in found[:_SUGGESTED]:
            row = put(
                QHBoxLayout(),
                (label(told(each.sentence), wrap=True), 1),
                button(t("Choose these"), partial(self.choose, each.columns)),
            )
            self.suggestions.addLayout(row)

    def _changed(self) -> None:
        self._result = None
        self.use.setEnabled(False)
        names, gamma, table, person = self.chosen(), self.gamma.value(), self._table, self._person
        if len(names) < 2:
            self.costs.setText(t("Choose two columns or more."))
            return
        self._turn += 1
        turn = self._turn
        job = self._tasks.run("together", lambda progress: _found(table, names, gamma, person, progress), pause=_PAUSE)
        job.done.connect(lambda found: self._known(found, turn))
        job.failed.connect(lambda fault: self._refused(str(fault), turn))

    def _known(self, found: _Found, turn: int) -> None:
        if turn == self._turn and len(self.chosen()) > 1:
            self._result = found
            self.costs.setText("\n\n".join(told(each) for each in found.costs))
            self.use.setEnabled(True)

    def _refused(self, fault: str, turn: int) -> None:
        if turn == self._turn:
            self.costs.setText(told(fault))

    def _take(self, draws: Mapping[str, Draw]) -> None:
        choices = self._session.choices
        if choices is not None:
            usual = PlainGroups(next(iter(choices.gammas.values()), DEFAULT_GAMMA))
            apart = dict.fromkeys(self._now, usual)
            after = replace(choices, draws={**choices.draws, **apart, **draws})
            self._session.choose(after, t("columns drawn together"))

    def apart(self) -> None:
        """Draw the columns shown one by one again."""
        self._take({})
        super().accept()

    def accept(self) -> None:
        """Draw the columns chosen together, as one step of undo."""
        if self._result is not None:
            self._take(self._result.draws)
            super().accept()
