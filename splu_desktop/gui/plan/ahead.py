"""The release before it exists: what recipients will be told of a small table, and what a row tells to whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QVBoxLayout, QWidget

from splu_desktop.core.checks.asked import AskedTable, Cell, cells, suggested
from splu_desktop.core.checks.expected import Ahead, Foretold
from splu_desktop.core.checks.proposing import Reached, reached
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import one_per_person
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.query.answer import Badge
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.models import AT_ONCE, Field, RowsModel, TableView
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Card, Choice, Folding, Picture, button, called, label, margins, new_grid, put
from splu_desktop.gui.base.words import beside, number, percent, plain, t, told

_MOST_CHOICES = 60  # values that a list offers
_LEAST = (100, 50, 20, 10, 5)  # records from which cells are asked for, unless all are smaller
_NARROWEST = 80  # pixels of a column
_BREATH = 40  # ms between two jobs, so that a drag of the slider leaves the processor to the window
_WIDE = 125  # letters beside which the readers have their place
_SHORT, _LONG = 8, 32  # letters of a choice that its box has room for, at least and at most, beside the others


@dataclass(frozen=True)
class Wish:
    """What is to be looked at: a table under a plan.

    Attributes
    ----------
    key : what the records that are counted depend on; another one means another `Ahead`.
    table : all columns as generalised, all records.
    stay : gives, of one record per person, those that stay; None where all do. A pass over the records.
    asked : None for the one that the program would show.
    """

    key: tuple[object, ...]
    table: Table
    plan: Plan
    sa: str
    draws: Mapping[str, Draw]
    asked: AskedTable | None
    stay: Callable[[], NDArray[np.int64] | None]

    @property
    def figures(self) -> tuple[object, ...]:
        """What the figures depend on."""
        return self.key, self.sa, self.draws, self.asked, self.plan.thresholds


@dataclass(frozen=True)
class AheadRow:
    """One cell of the table; `answered` is whether the sentence above the table counts it so."""

    cell: Cell
    told: Foretold
    answered: bool


@dataclass(frozen=True, eq=False)
class Foreseen:
    """What is shown, made in a worker."""

    wanted: Wish
    ahead: Ahead
    asked: AskedTable
    rows: tuple[AheadRow, ...]
    reached: Reached
    readers: tuple[str, ...]
    values: tuple[str, ...]


def foresee(wanted: Wish, known: Foreseen | None, progress: Progress) -> Foreseen:
    """Return what recipients will be told. Runs in a worker; `known` has what was counted before. Raises SpluError."""
    plan = wanted.plan
    if known is not None and known.wanted.key == wanted.key:
        ahead = known.ahead
    else:
        ahead = Ahead.of(one_per_person(wanted.table, plan.persons, kept=wanted.stay()), plan)
    asked = wanted.asked or suggested(ahead.table, plan.named(Role.NSA), wanted.sa)
    every = cells(ahead.table, asked)
    found = ahead.told(wanted.draws, plan.thresholds, [cell.conditions for cell in every], progress)
    lines = {tuple(c for c in cell.conditions if c.column not in wanted.draws): None for cell in every}
    readers = ahead.readers(wanted.draws, plan.thresholds, wanted.sa, list(lines))
    column = ahead.table[wanted.sa]
    return Foreseen(
        wanted,
        ahead,
        asked,
        tuple(
            AheadRow(cell, one, one.within(asked.error))
            for cell, one in zip(every, found, strict=True)
            if one.answer.n_p
        ),
        reached(found, asked, least=1),
        tuple(told(each) for each in readers.sentences([n for n in asked.named if n not in wanted.draws])),
        tuple(str(column.labels[at]) for at in np.argsort(-column.counts(), kind="stable")[:_MOST_CHOICES]),
    )


def _group(row: AheadRow) -> str:
    return beside((value or t("(empty)") for value in row.cell.values), " · ") or "–"


class AheadTab(QWidget):
    """The table with its choices, the readers beside it, the plots below; follows every change of the plan.

    Work runs one after another and the newest wish waits, so that figures follow the slider while it is dragged.

    Signals
    -------
    failed (str) : a sentence on why nothing can be told.
    """

    failed = Signal(str)

    def __init__(
        self, session: Session, tasks: Tasks, plots: QWidget, ask: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, tasks
        self._source: object = None
        self._asked: dict[str, AskedTable] = {}
        self._running = False
        self._next: Wish | None = None
        self._wish: Wish | None = None
        self.shown: Foreseen | None = None
        outer = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        self.table: TableView
        both = Folding(self._build_table(), self._build_readers(), _WIDE)  # the groups' names need the room
        both.row.setSpacing(12)
        both.row.setStretch(0, 5)
        both.row.setStretch(1, 2)
        self.summary = label("", "strong", wrap=True, live=True)
        put(outer, self._build_choices(ask), self.summary, (both, 3), (plots, 2))

    def _build_choices(self, ask: Callable[[], object]) -> QHBoxLayout:
        self.value = Choice(t("Value counted"))
        self.lines = (Choice(t("Column of the lines")), Choice(t("Column of the lines")))
        said = label(t("&Counts of"))
        said.setBuddy(self.value)
        called(self.value, said.text())
        row = self._choices = put(margins(QHBoxLayout(), spacing=8), said, (self.value, 1), label(t("by"), "quiet"))
        for box in self.lines:
            box.keep_whole(t("(nothing)"), t("nothing else"))
            row.addWidget(box, 1)
        for box in (self.value, *self.lines):
            box.keep_short(6)
            box.activated.connect(self._chosen)
        self.must = button(
            t("What must be &answered?…"),
            ask,
            hint=t("Name the tables that must work, and the program looks for the strongest protection for them"),
        )
        row.addSpacing(8)
        row.addWidget(self.must)
        return row

    def _build_table(self) -> QWidget:
        words = {
            Badge.EXACT: t("exact"),
            Badge.PROTECTED: t("protected"),
            Badge.UNCERTAIN: t("uncertain"),
        }

        def error(row: AheadRow) -> str:
            badge = row.told.answer.badge
            if badge is Badge.EXACT or not (row.answered or badge is Badge.RELIABLE):
                return words[badge]
            # Rounded up, so that no figure looks answered whose mark says that it is not.
            return f"±{percent(math.ceil(100 * row.told.error - 1e-9) / 100, 0)}"

        def look(row: AheadRow) -> tuple[str, str | None]:
            if row.answered:
                return "circle-check", "answerable"
            return ("shield", "protected") if row.told.answer.badge is Badge.PROTECTED else ("circle", None)

        self.model: RowsModel[AheadRow] = RowsModel(
            [
                Field(t("Group"), _group),
                Field(t("True count"), lambda r: number(r.told.true), right=True),
                Field(
                    t("Recipients read"),
                    lambda r: told(r.told.words()),
                    right=True,
                    hint=t("The estimate with its 95 % interval, as they are expected; a small count is a range"),
                ),
                Field(
                    t("Trust"),
                    error,
                    colour=lambda r: look(r)[1],
                    picture=lambda r: look(r)[0],
                    tip=lambda r: plain(told(r.told.answer.badge_text)),
                    hint=t(
                        "How far from the true count the ends of the interval are in every second release: further"
                        " than those beside it, which are the average over releases. A green tick: the sentence above"
                        " counts the cell as answered. Point at a cell for the words that recipients see."
                    ),
                ),
            ]
        )
        self.table = TableView(t("What recipients will read"))
        self.table.setModel(self.model)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_NARROWEST)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        return self.table

    def _build_readers(self) -> QWidget:
        card = Card(t("Who learns what from one row"), spacing=6)
        grid = new_grid(10, 6)
        grid.setColumnStretch(1, 1)
        self.readers = tuple(label(selectable=True, fitting=True, live=True) for _ in range(3))
        self._pictures = tuple(Picture(name) for name in ("circle-question-mark", "search", "lock"))
        for at, (picture, text) in enumerate(zip(self._pictures, self.readers, strict=True)):
            text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)  # beside its picture
            grid.addWidget(picture, at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, at, 1)
        put(card.body, grid, 1)
        return card

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the groups' names the height that they need at the width there is, and the table that of its rows."""
        self.table.fit_lines()
        self.table.setMinimumHeight(self.table.height_of_rows(AT_ONCE))

    def hasHeightForWidth(self) -> bool:
        return False  # how high it is, the page decides, not the wrapped sentences in it

    # -- what is looked at ---------------------------------------------------------------------------------------

    def look(self, sa: str) -> None:
        """Look at the plan as it is now, for a sensitive column."""
        choices, source = self._session.choices, self._session.source
        if choices is None or source is None:
            return
        if source is not self._source:
            self._source, self.shown = source, None
            self._asked.clear()
        plan = choices.plan()
        block = plan.draws[sa].block(sa)
        nsas = plan.named(Role.NSA)
        steps = tuple((name, choices.steps(name)) for name in (*nsas, *plan.sensitive))
        key = (id(source), nsas, steps, plan.persons)
        asked = self._asked.get(sa)
        if asked is not None and not set(asked.named) <= {*nsas, *block}:
            asked = None
        draws, stay = {name: plan.draws[name] for name in block}, partial(source.stay, plan.persons)
        wanted = Wish(key, self._session.prepared(), plan, sa, draws, asked, stay)
        if self._wish is not None and self._wish.figures == wanted.figures:
            return
        self._wish = wanted
        if self._running:
            self._next = wanted
        else:
            self._start(wanted)

    def asked(self) -> AskedTable | None:
        """Return the table shown, to be answered from a round number of records on that some cell of it has."""
        if self.shown is None:
            return None
        most = max((row.told.true for row in self.shown.rows), default=0)
        return replace(self.shown.asked, least=next((least for least in _LEAST if least <= most), _LEAST[-1]))

    def _start(self, wanted: Wish, pause: int = 0) -> None:
        self._running, self._next, known = True, None, self.shown
        job = self._tasks.run("ahead", lambda progress: foresee(wanted, known, progress), pause=pause)
        job.done.connect(self._show)
        job.failed.connect(self._fail)
        job.stopped.connect(self._ended)

    def _ended(self) -> None:
        self._running = False
        if self._next is not None:
            self._start(self._next, _BREATH)

    def _fail(self, sentence: str) -> None:
        self.model.show(())
        self.summary.setText(sentence)
        self._ended()

    def _show(self, found: Foreseen) -> None:
        first = self.shown is None or self.shown.asked != found.asked or self.shown.wanted.sa != found.wanted.sa
        self.shown = found
        self.model.show(found.rows)
        if first:
            self._show_choices(found)
        self.summary.setText(told(found.reached.sentence(named=False)))
        for text, picture, sentence in zip(self.readers, self._pictures, found.readers, strict=True):
            text.setText(sentence)
            for part in (text, picture):
                part.setVisible(bool(sentence))
        self._fit()
        self._ended()

    def _show_choices(self, found: Foreseen) -> None:
        sa, asked = found.wanted.sa, found.asked
        counted = {c.column: c.values for c in asked.conditions}.get(sa, ("",))[0] if sa not in asked.columns else None
        every = t("every value of {column}", column=sa)
        self.value.offer([(every, None), *((text or t("(empty)"), text) for text in found.values)], counted)
        columns = [(name, name) for name in found.wanted.plan.named(Role.NSA)]
        lines = [*(name for name in asked.columns if name != sa), "", ""]
        for box, none, line in zip(self.lines, (t("(nothing)"), t("nothing else")), lines, strict=False):
            box.offer([(none, ""), *columns], line)
        for box in (self.value, *self.lines):  # who shows more gets more, so that a short name gives a long one room
            self._choices.setStretchFactor(box, min(max(len(box.currentText()), _SHORT), _LONG))

    def _chosen(self) -> None:
        found = self.shown
        if found is None:
            return
        sa, value = found.wanted.sa, self.value.currentData()
        lines = tuple(dict.fromkeys(box.currentData() for box in self.lines if box.currentData()))
        asked = (
            replace(found.asked, columns=(*lines, sa), conditions=())
            if value is None
            else replace(found.asked, columns=lines, conditions=(Condition(sa, (value,)),))
        )
        self._asked[sa] = asked
        self.look(sa)
