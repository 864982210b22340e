"""How recognisable the records are by the columns published as they are, and what each column has to do with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.checks.gate import Light, Line, persons_line
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.ways import Unprotected, unprotected
from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import Rest, Steps, coarser
from splu_desktop.core.guarantees.audience import USUAL
from splu_desktop.core.persons import PersonsFound, persons_of
from splu_desktop.core.progress import Progress
from splu_desktop.core.risk.uniqueness import KS, Cause, Uniqueness, causes, risk
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.sanitise import redrawable
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Choices, Session, Source
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Folding, Picture, label, margins, put
from splu_desktop.gui.base.words import joined, number, t, told
from splu_desktop.gui.classify.parts import rest_of_values
from splu_desktop.gui.classify.person_way import PersonOptions, PersonWay
from splu_desktop.gui.classify.risk_grid import RiskGrid

_REST = 250  # ms
_NAMED = 3


@dataclass(frozen=True, eq=False)
class WhatIf:
    """What one column published as it is contributes.

    Attributes
    ----------
    cause : the risk without it, by it alone, and with it in coarser groups (None where nothing obvious is coarser).
    steps : these groups, to follow the ones it has; () where nothing obvious is coarser.
    """

    cause: Cause
    steps: Steps

    def helps(self, whole: Uniqueness) -> bool:
        """Whether the coarser groups leave fewer records recognisable than `whole`."""
        coarse = self.cause.generalised
        return coarse is not None and any(coarse.below[k] < whole.below[k] for k in KS)


@dataclass(frozen=True, eq=False)
class RecognisableNow:
    """How recognisable records are, and what each column contributes.

    Attributes
    ----------
    whole : the risk as things are.
    columns : column name -> what it contributes, the most telling first.
    persons : the line of the gate about persons with several records.
    repeating : the identifier that repeats, None where none does.
    common : sensitive column -> its common value that could be declared not sensitive, where that gains much.
    """

    whole: Uniqueness
    columns: Mapping[str, WhatIf]
    persons: Line | None = None
    repeating: PersonsFound | None = None
    common: Mapping[str, Unprotected] = field(default_factory=dict)


def recognisable(
    source: Source, choices: Choices, nsas: tuple[str, ...], ways: Mapping[str, Draw], rest: Rest, progress: Progress
) -> RecognisableNow:
    """Return it for a table as it is published now. In a worker. Raises Cancelled."""
    read, chosen = source.imported.table, choices.persons
    told = choices.named(Role.IDENTIFIER)
    known = persons_of(read, progress, told=told)
    table = source.published(choices)
    steps: dict[str, Steps] = {}
    trials: dict[str, Column] = {}
    for name in nsas:
        before = choices.steps(name)
        try:
            steps[name] = coarser(source.column(name, before), rest=rest)
            trials[name] = source.grouped(name, before, steps[name], chosen)
        except SpluError:  # nothing obvious fits this one
            steps[name] = ()
    whole = risk(table, nsas, progress)
    found = causes(table, nsas, progress, trials={name: trials[name] for name in trials if steps[name]})
    drawn = redrawable(table, ways, choices.thresholds)
    common = {name: unprotected(table[name], draw) for name, draw in drawn.items()}
    return RecognisableNow(
        whole,
        {cause.name: WhatIf(cause, steps[cause.name]) for cause in found},
        persons_line(read, table, drawn, progress, chosen, told),
        known if known is not None and known.repeats else None,
        {name: found for name, found in common.items() if found is not None},
    )


class RiskPanel(QWidget):
    """The figures, and in words which columns tell most.

    Signals
    -------
    found : other figures are shown; `shown` has them (None while they are worked out).
    """

    found = Signal()

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, tasks
        self._key: tuple[object, ...] = ()
        self.shown: RecognisableNow | None = None
        outer = margins(QVBoxLayout(self), 0, spacing=4)
        row = margins(QHBoxLayout(), spacing=8)
        self._picture = Picture("eye-off", "quiet", 16)
        self.grid = RiskGrid((t("Recognisable records"),))
        put(row, (self._picture, 0, Qt.AlignmentFlag.AlignBottom), (self.grid, 1))  # in the line of figures
        outer.addLayout(row)
        self.text = label("", "quiet", wrap=True, live=True)
        outer.addWidget(self.text)
        self.persons = label("", wrap=True, live=True)
        self._persons_picture = Picture("triangle-alert", "warning", 16)
        self.way = PersonWay(self._session, self._tasks)
        self.person_options = PersonOptions(self._session, self.way)
        # A part of its own, for the page to put first: in the low room of a small screen it is read without scrolling.
        # The sentence has the whole width, and so the fewest lines.
        self.persons_part = QWidget()
        both = margins(QHBoxLayout(self.persons_part), 0, spacing=8)
        both.addWidget(self._persons_picture, 0, Qt.AlignmentFlag.AlignTop)
        said = margins(QVBoxLayout(), 0, spacing=2)
        ways = Folding(self.way, self.person_options)
        ways.row.setAlignment(self.way, Qt.AlignmentFlag.AlignLeft)
        put(said, self.persons, ways)
        both.addLayout(said, 1)
        self.persons_part.hide()

    def look(self) -> None:
        """Work it out anew if roles or groups have changed; in a worker, the newest wins."""
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None:
            return
        nsas = choices.named(Role.NSA)
        sensitive = choices.sensitive
        names = (*nsas, *sensitive)
        identifiers = choices.named(Role.IDENTIFIER)
        try:
            ways = {name: choices.carried_out(name) for name in choices.sensitive}
        except SpluError as fault:
            self.text.setText(told(str(fault)))
            return
        steps = (choices.steps(name) for name in names)
        key = (source, nsas, identifiers, choices.persons, choices.thresholds, *ways.items(), *steps)
        if key == self._key:
            return
        self._key = key
        self.shown = None
        self.text.setText(t("Looking for recognisable records…"))
        # The figures first, which are quick; what causes them takes some ten times as long.
        quick = self._tasks.run("risk", lambda progress: risk(source.published(choices), nsas, progress), pause=_REST)
        quick.done.connect(lambda whole: self.grid.show_risk(0, whole if nsas else None))
        rest = rest_of_values()
        job = self._tasks.run(
            "causes",
            lambda progress: recognisable(source, choices, nsas, ways, rest, progress),
            pause=_REST,
        )
        job.done.connect(self._show)
        job.failed.connect(self.text.setText)

    def most_telling(self) -> str:
        """Return the column whose absence leaves the fewest records recognisable, "" while that is not known."""
        return next(iter(self.shown.columns), "") if self.shown is not None else ""

    def _show(self, found: RecognisableNow) -> None:
        self.shown = found
        for part in (self._picture, self.grid):  # without figures there is nothing for the picture to stand beside
            part.setVisible(bool(found.columns))
        unique = found.whole.unique
        self._picture.show_picture(*(("triangle-alert", "warning") if unique else ("circle-check", "answerable")))
        self.grid.show_risk(0, found.whole if found.columns else None)
        self.text.setText(self._words(found))
        repeat = found.persons is not None and found.repeating is not None
        amber = found.persons is not None and found.persons.light is Light.AMBER
        self.persons.setText(told(found.persons.sentence) if found.persons is not None and repeat else "")
        self.persons_part.setVisible(repeat)
        self._persons_picture.show_picture(
            *(("triangle-alert", "warning") if amber else ("circle-check", "answerable"))
        )
        self.way.show_persons(found.repeating)
        if found.repeating is not None:
            self.person_options.look()
        else:
            self.person_options.hide()
        self.found.emit()

    def _words(self, found: RecognisableNow) -> str:
        if not found.columns:
            return t("No column is published as it is.")
        whole = found.whole
        if not whole.below[10]:
            return t("No record stands out in the columns published as they are.")
        audience = self._session.choices.audience if self._session.choices is not None else None
        asked = USUAL.k if audience is None else audience.limits.k
        if not whole.below.get(asked, 1):
            return t("Every record has at least {k} alike in the columns published as they are.", k=number(asked))
        k = 2 if whole.unique else 10
        helping = [what for what in found.columns.values() if what.cause.freed(whole, k) > 0][:_NAMED]
        if not helping:
            alone = max(found.columns.values(), key=lambda what: what.cause.alone.below[k])
            return t(
                "No single column causes this: without any one of them it stays. By itself, “{column}” tells most.",
                column=alone.cause.name,
            )
        listed = joined(
            t("{n} without “{column}”", column=what.cause.name, n=number(what.cause.without.below[k]))
            for what in helping
        )
        if k == 2:
            return t("Unique records: {columns}.", columns=listed)
        return t("Records with fewer than 10 alike: {columns}.", columns=listed)
