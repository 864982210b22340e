"""The only mutable state of the window: one frozen value per stage, and the undo stack of the choices.

Import -> classify -> plan -> publish -> query and report. A stage's value is never changed, only replaced; replacing
one drops the results of the later stages and says so. Results are kept beside the choices they were made from, so
undoing back to those choices brings them back instead of computing them again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from enum import Enum, IntEnum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from splu_desktop.core.errors import BadSetting
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.words import t

if TYPE_CHECKING:  # the core, with NumPy, is imported where a table is there to work on: no window waits for it
    import numpy as np
    from numpy.typing import NDArray

    from splu_desktop.core.draw import Draw
    from splu_desktop.core.draw.by_person import ByPerson
    from splu_desktop.core.generalise import Steps
    from splu_desktop.core.guarantees.audience import Audience
    from splu_desktop.core.plan import Plan, Thresholds
    from splu_desktop.core.published import Published
    from splu_desktop.core.roles.suggest import Role, Suggestion
    from splu_desktop.core.table import Column, Table
    from splu_desktop.files.importer import Imported
    from splu_desktop.gui.base.facts import ColumnFacts
    from splu_desktop.report.model import Alternative


class Step(IntEnum):
    """The six pages, in order."""

    IMPORT = 0
    CLASSIFY = 1
    PLAN = 2
    PUBLISH = 3
    QUERY = 4
    REPORT = 5


class State(Enum):
    """What the rail says of a step."""

    BLOCKED = "blocked"
    OPEN = "open"
    DONE = "done"
    STALE = "stale"


@dataclass(frozen=True, eq=False)
class Source:
    """A table that was read, and what is known of its columns.

    Attributes
    ----------
    path : the file.
    imported : table, choices, problems, facts of the file.
    suggestions : column name -> suggested role with its reason.
    facts : one per column as it was read, in the table's order.
    variants : (column name, steps) -> the column generalised so, and its facts. Made in a worker before the steps are
        chosen, and kept, so that choosing, undoing and redoing them costs nothing.
    served : (column name, steps, gamma, persons) -> the draw that a gamma gives a column.
    kept : what is done about persons -> the records that stay, where each keeps one; and `one_each`, the columns then.
    """

    path: Path
    imported: Imported
    suggestions: Mapping[str, Suggestion]
    facts: tuple[ColumnFacts, ...]
    variants: dict[tuple[str, Steps], tuple[Column, ColumnFacts]] = field(default_factory=dict)
    served: dict[tuple[str, Steps, int, ByPerson | None], Draw] = field(default_factory=dict)
    kept: dict[ByPerson, NDArray[np.int64]] = field(default_factory=dict)
    one_each: dict[tuple[str, Steps, ByPerson], tuple[Column, ColumnFacts]] = field(default_factory=dict)

    def column(self, name: str, steps: Steps = ()) -> Column:
        """Return a column, generalised by `steps`."""
        return self.variants[name, steps][0] if steps else self.imported.table[name]

    def drawn(self, name: str, steps: Steps, persons: ByPerson | None) -> tuple[Column, ColumnFacts]:
        """Return a column as it is to be drawn, and its facts: with one record of each person, where that is chosen."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.gui.base.facts import column_facts

        whole, fact, records = self.column(name, steps), self.fact(name, steps), self.stay(persons)
        if persons is None or records is None:
            return whole, fact
        key = name, steps, persons
        if key not in self.one_each:
            made = whole.take(records).compacted()
            self.one_each[key] = made, replace(column_facts(made), measurement=fact.measurement)
        return self.one_each[key]

    def stay(self, persons: ByPerson | None) -> NDArray[np.int64] | None:
        """Return the records that stay where each person keeps one, None where all do. A pass over them, once.

        Chosen at random they are others each time, and workers may ask at once: the first ones hold for all, so that no
        table has columns of several choices.
        """
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.core.draw.by_person import ONE, records_kept

        if persons is None or persons.way not in ONE:
            return None
        found = self.kept.get(persons)
        return self.kept.setdefault(persons, records_kept(self.imported.table, persons)) if found is None else found

    def published(self, choices: Choices) -> Table:
        """Return the columns that are published, generalised, of the records that are; what tells persons, too.

        What the gate looks at, so that a page that says a figure before it says the same. May pass over the records,
        for a worker.
        """
        from splu_desktop.core.table import Table  # not above: as in `drawn`

        names = [name for name, role in choices.roles.items() if role.published]
        columns = [self.drawn(name, choices.steps(name), choices.persons)[0] for name in names]
        who = "" if choices.persons is None else choices.persons.drawn
        if who and who not in names:
            columns.append(self.imported.table[who])
        return Table(tuple(columns))

    def grouped(self, name: str, steps: Steps, more: Steps, persons: ByPerson | None) -> Column:
        """Return a column as `drawn` does, with further steps on trial. A pass over the records, for a worker."""
        from splu_desktop.core.generalise import column_after  # not above: as in `drawn`

        whole, records = column_after(self.column(name, steps), more), self.stay(persons)
        return whole if records is None else whole.take(records).compacted()

    def serve(self, name: str, steps: Steps, gamma: int, persons: ByPerson | None = None) -> Draw:
        """Return the draw that a gamma gives a column. A few milliseconds, once."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.core.draw import PlainGroups
        from splu_desktop.core.draw.ways import by_gamma
        from splu_desktop.core.errors import SpluError

        key = name, steps, gamma, persons
        if key not in self.served:
            column, fact = self.drawn(name, steps, persons)
            found: Draw = PlainGroups(max(2, min(gamma, fact.largest_gamma)))
            if gamma > fact.largest_gamma and not fact.measurement:
                # Tables too small to hide anybody keep groups, and are told why they can't have them.
                with suppress(SpluError):
                    found = by_gamma(column, gamma)
            self.served[key] = found
        return self.served[key]

    def fact(self, name: str, steps: Steps = ()) -> ColumnFacts:
        """Return the facts of one column, generalised by `steps`."""
        return self.variants[name, steps][1] if steps else self._read[name]

    @cached_property
    def _read(self) -> dict[str, ColumnFacts]:
        return {fact.name: fact for fact in self.facts}


def _thresholds() -> Thresholds:
    from splu_desktop.core.plan import Thresholds  # not above: brings NumPy, which the window that opens does without

    return Thresholds()


@dataclass(frozen=True)
class Choices:
    """All that the custodian decides about one source. Compared by value: equal choices make equal plans.

    Attributes
    ----------
    roles : column name -> role, for every column.
    draws : SA name -> how it is drawn; may also hold columns that are no SA now, to come back to.
    thresholds : epsilon, T_E, alpha and T_P as asked.
    together : whether one gamma is set for all SAs.
    generalisations : column name -> its steps; columns without any left out.
    kept : name of a column published although it was suggested as an identifier -> the reason given.
    persons : what is done about persons with several records; None where nothing was chosen.
    audience : who gets the release; None where it was not asked.
    """

    roles: Mapping[str, Role]
    draws: Mapping[str, Draw] = field(default_factory=dict)
    thresholds: Thresholds = field(default_factory=_thresholds)
    together: bool = True
    generalisations: Mapping[str, Steps] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)
    persons: ByPerson | None = None
    audience: Audience | None = None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "generalisations", MappingProxyType({n: s for n, s in self.generalisations.items() if s})
        )
        object.__setattr__(self, "kept", MappingProxyType(dict(self.kept)))
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))
        object.__setattr__(self, "draws", MappingProxyType(dict(self.draws)))

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the SAs, in the table's order."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.core.roles.suggest import Role

        return self.named(Role.SA)

    def named(self, role: Role) -> tuple[str, ...]:
        """Return the names of the columns of a role, in the table's order."""
        return tuple(name for name, each in self.roles.items() if each is role)

    @property
    def gammas(self) -> dict[str, int]:
        """SA name -> gamma, for those whose draw has one."""
        found = {name: self.draws[name].gamma for name in self.sensitive if name in self.draws}
        return {name: gamma for name, gamma in found.items() if gamma is not None}

    @property
    def follows(self) -> dict[str, int]:
        """SA name -> the gamma that its draw follows from, for those that follow from one."""
        found = {name: self.draws[name].follows for name in self.sensitive if name in self.draws}
        return {name: gamma for name, gamma in found.items() if gamma is not None}

    def with_gamma(self, names: Iterable[str], gamma: int) -> Choices:
        """Return the choices with this gamma for some SAs that have one."""
        return replace(self, draws={**self.draws, **{name: self.draws[name].turned(gamma) for name in names}})

    def without_draw(self, name: str) -> Choices:
        """Return the choices with a column's draw left to what is usual."""
        return replace(self, draws={other: draw for other, draw in self.draws.items() if other != name})

    def plan(self) -> Plan:
        """Return the plan of a release. Raises BadSetting."""
        from splu_desktop.core.plan import Plan  # not above: brings NumPy, which the window that opens does without

        published = {name for name, role in self.roles.items() if role.published}
        return Plan(
            self.roles,
            {name: self.draws[name] for name in self.sensitive},
            self.thresholds,
            generalisations={name: steps for name, steps in self.generalisations.items() if name in published},
            kept_identifiers={name: why for name, why in self.kept.items() if name in published},
            persons=self._persons(),
            audience=self.audience,
        )

    def _persons(self) -> ByPerson | None:
        """Return what is done about persons; only dates that are published as they are are moved."""
        if self.persons is None or not self.persons.shift:
            return self.persons
        shift = tuple(name for name in self.persons.shift if self.roles[name].published and name not in self.sensitive)
        return replace(self.persons, shift=shift, days=self.persons.days if shift else 0)

    def carried_out(self, name: str) -> Draw:
        """Return the draw of a column as it is carried out: per person, where that is chosen. Raises BadSetting."""
        return self.draws[name].by_person("" if self.persons is None else self.persons.drawn)

    def steps(self, name: str) -> Steps:
        """Return how a column is generalised, () where it is not."""
        return self.generalisations.get(name, ())

    def _whole(self, name: str, draw: Draw) -> bool:
        """Whether all columns that are to be drawn together with one still are; a column that is no SA may wait."""
        if name not in self.sensitive:
            return True
        try:
            draw.of_block({each: self.draws[each] for each in self.sensitive if each in self.draws})
        except BadSetting:
            return False
        return True

    def fitted(self, source: Source) -> Choices:
        """Return the choices with a draw for each SA: where nothing else was chosen, the one that its gamma gives.

        One gamma for all where `together`. A column that can't have groups of that size is drawn so that the same
        promise holds, as on the command line (`ways.by_gamma`); no column makes the gamma of another smaller.
        """
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.core.plan import DEFAULT_GAMMA

        kept = {name: draw for name, draw in self.draws.items() if draw.follows is None and self._whole(name, draw)}
        common = next(iter(self.follows.values()), DEFAULT_GAMMA)
        for name in self.sensitive:
            if name not in kept:
                own = common if self.together else self.follows.get(name, common)
                kept[name] = source.serve(name, self.steps(name), own, self.persons)
        return replace(self, draws=kept)

    def counted(self, source: Source) -> Choices:
        """Return the choices as they fit, and let the source keep what that needs: passes over the records.

        For a worker: what the window asks the source afterwards costs nothing. Raises UnknownColumn, BadSetting.
        """
        for name, role in self.roles.items():
            if role.published:
                source.drawn(name, self.steps(name), self.persons)
        return self.fitted(source)


@dataclass(frozen=True, eq=False)
class Release:
    """A release at hand.

    Attributes
    ----------
    published : its table.
    facts : the content of its `release.json`.
    folder : where it lies.
    made_from : the source and choices it was made from in this session; None for one opened from its folder.
    password : of an encrypted ZIP, to read its other files again; kept in memory alone.
    """

    published: Published
    facts: Mapping[str, Any]
    folder: Path
    made_from: tuple[Source, Choices] | None = None
    password: str | None = field(default=None, repr=False)


class Strokes:
    """Names for `merge` that tell one drag of a slider, which is one step of undo, from the next one."""

    _PAUSE = 1.0  # seconds without a change after which the next one is a step of its own

    def __init__(self) -> None:
        self._last, self._number = 0.0, 0

    def next(self, what: str) -> str:
        """Return the name for a change made now."""
        now = time.monotonic()
        self._number += now - self._last > self._PAUSE
        self._last = now
        return f"{what} {self._number}"


class Session(QObject):
    """What is open and decided now.

    Signals
    -------
    changed : something was replaced; every page reads anew.
    noticed (str) : a sentence the user should see, such as which results were dropped.
    """

    changed = Signal()
    noticed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # It counts and names the steps, with commands of its own: PySide never lets go of a command written in Python.
        self.undo_stack = QUndoStack(self)
        self.undo_stack.indexChanged.connect(self._go_to)
        self._steps: list[tuple[Choices, str]] = []  # the choices at each index of the stack, and what merges with them
        self._source: Source | None = None
        self._choices: Choices | None = None
        self._release: Release | None = None
        self._confirmed: set[Step] = set()
        self._compared: tuple[Choices | None, tuple[Alternative, ...]] = None, ()

    @property
    def source(self) -> Source | None:
        """The table that is open."""
        return self._source

    @property
    def choices(self) -> Choices | None:
        """What is decided about it."""
        return self._choices

    @property
    def release(self) -> Release | None:
        """The release at hand, unless an earlier step was changed since."""
        return None if self.stale else self._release

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """What the last comparison found of other methods, while the choices are those that it was made from."""
        choices, found = self._compared
        return found if choices is not None and choices == self._choices else ()

    def take_alternatives(self, found: tuple[Alternative, ...]) -> None:
        """Keep what a comparison found of the choices as they are, for the internal report."""
        self._compared = self._choices, found

    @property
    def dropped(self) -> Release | None:
        """The release that no longer belongs to the choices, None while it does."""
        return self._release if self.stale else None

    @property
    def stale(self) -> bool:
        """Whether the choices differ from those that the release was made from."""
        if self._release is None or self._release.made_from is None:
            return False
        return self._release.made_from[1] != self._choices

    @property
    def opened(self) -> tuple[Source, Choices]:
        """The table that is open and what is decided about it, for who is asked only while there is one."""
        if self._source is None or self._choices is None:
            raise RuntimeError("nothing is open")
        return self._source, self._choices

    def open_source(self, source: Source, choices: Choices | None = None) -> None:
        """Take a table that was read, with `choices` or else the suggested roles. Ends the undo history."""
        left = self._release if self._release is not None and self._release.made_from is not None else None
        if left is not None:  # no undoing leads back to it
            self._release = None
        self._confirmed.clear()
        self._compared = None, ()
        self._source = source
        roles = {fact.name: source.suggestions[fact.name].role for fact in source.facts}
        self._choices = (choices or Choices(roles)).fitted(source)
        self.end_history()
        self.changed.emit()
        if left is not None:
            self.noticed.emit(
                t(
                    "“{name}” is no longer shown here, since another table was read. Its folder stays as it is.",
                    name=left.folder.name,
                )
            )

    def end_history(self) -> None:
        """Let undoing go back no further than to the choices of now."""
        self._steps = [] if self._choices is None else [(self._choices, "")]
        self.undo_stack.clear()

    def choose(self, choices: Choices, words: str, merge: str = "") -> None:
        """Replace the choices, as one step of undo named `words`; steps with the same `merge` become one."""
        source, now = self.opened
        # What a draw says of values, it says of them as they are grouped; other groups have other values.
        same = {
            n: draw
            for n, draw in choices.draws.items()
            if choices.steps(n) == now.steps(n) or draw != now.draws.get(n) or draw.within(()) == draw
        }
        choices = replace(choices, draws=same).fitted(source)
        if choices == now:
            return
        stack = self.undo_stack
        at = stack.index()
        if not merge or merge != self._steps[at][1] or at < stack.count() or stack.isClean():
            del self._steps[at + 1 :]
            self._steps.append((choices, merge))
            stack.beginMacro(words)
            stack.endMacro()
        elif choices != self._steps[at - 1][0]:
            self._steps[at] = choices, merge
            self._take(choices)
        else:  # the step leads nowhere: it goes away as it is undone
            stack.command(at - 1).setObsolete(True)
            stack.undo()

    def set_roles(self, roles: Mapping[str, Role], words: str) -> None:
        """Give columns other roles."""
        if self._choices is not None:
            self.choose(replace(self._choices, roles={**self._choices.roles, **roles}), words)

    def take_release(self, release: Release) -> None:
        """Take a release that was just made, or opened."""
        self._release = release
        if release.made_from is not None:
            self._confirmed.update((Step.IMPORT, Step.CLASSIFY, Step.PLAN))
        self.changed.emit()

    def prepared(self) -> Table:
        """Return the open table as it is generalised now; shares the columns, so it costs nothing."""
        table = self.opened[0].imported.table
        return replace(table, columns=tuple(self.column(name) for name in table.names))

    def confirm(self, step: Step) -> None:
        """Note that the user has finished a step."""
        self._confirmed.add(step)
        self.changed.emit()

    def ready_to_plan(self) -> bool:
        """Whether at least one SA is marked and every SA can have groups."""
        if self._source is None or self._choices is None:
            return False
        marked = self._choices.sensitive
        return bool(marked) and not any(self.barred(name) for name in marked)

    def column(self, name: str) -> Column:
        """Return a column of the open table as it is generalised now."""
        source, choices = self.opened
        return source.column(name, choices.steps(name))

    def drawn(self, name: str) -> tuple[Column, ColumnFacts]:
        """Return a column as it is to be drawn now, one record of each person where that is chosen, and its facts."""
        source, choices = self.opened
        return source.drawn(name, choices.steps(name), choices.persons)

    def fact(self, name: str) -> ColumnFacts:
        """Return the facts of a column as it is generalised now."""
        source, choices = self.opened
        return source.fact(name, choices.steps(name))

    def barred(self, name: str) -> bool:
        """Whether a column can't be sensitive as it stands: too skewed, or a measurement not yet put into groups."""
        draw = None if self._choices is None else self._choices.draws.get(name)
        if draw is not None and draw.gamma is None:
            return False
        fact = self.fact(name)
        return fact.largest_gamma < 2 or fact.measurement

    def state(self, step: Step) -> State:
        """Return what the rail says of a step."""
        if step is Step.IMPORT:
            return State.DONE if self._source else State.OPEN
        if step in (Step.QUERY, Step.REPORT):
            if self.stale:
                return State.STALE
            if self._release is None:
                return State.BLOCKED
            return State.DONE if step in self._confirmed else State.OPEN
        blocked = self._source is None if step is Step.CLASSIFY else not self.ready_to_plan()
        if blocked:
            return State.BLOCKED
        if step is Step.PUBLISH:
            if self.stale:
                return State.STALE
            return State.DONE if self._release is not None and self._release.made_from else State.OPEN
        return State.DONE if step in self._confirmed else State.OPEN

    def _go_to(self, at: int) -> None:
        del self._steps[self.undo_stack.count() + 1 :]  # a step that led nowhere is gone
        if self._steps[at][0] != self._choices:
            self._take(self._steps[at][0])

    def _take(self, choices: Choices) -> None:
        had = self.release
        self._choices = choices
        if had is not None and self.stale:
            # The release itself is a file on disk and stays there; only what the window shows of it is dropped.
            self.noticed.emit(
                t(
                    "Query and report of “{name}” were dropped: the choices it was made from have changed. Its folder "
                    "stays as it is. Publish again, or undo.",
                    name=had.folder.name,
                )
            )
        elif had is None and self.release is not None:
            self.noticed.emit(t("These are the choices of your release again, so its results are back."))
        self.changed.emit()
