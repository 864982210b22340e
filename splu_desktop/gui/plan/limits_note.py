"""The limits of who gets the release that the plan misses, said where it is chosen as the gate says it later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.checks.gate import Line, beyond_limits
from splu_desktop.core.checks.proposing import kept_by
from splu_desktop.core.draw.by_person import ONE
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.core.risk.uniqueness import class_sizes, records_below
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.sanitise import redrawable
from splu_desktop.core.table import Table
from splu_desktop.files.publish.order import fitted
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Choices, Session, Source
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Picture, button, label, margins, put
from splu_desktop.gui.base.words import number, t, told
from splu_desktop.gui.plan.figures import SLIDER

_REST = 120  # ms without a change: while the slider is dragged, the figures that follow it come first
_NAMED = 4  # columns
_AT_ONCE = 20  # sentences that are read at most: 400 columns have as many

Below = Callable[[int], int]


@dataclass(frozen=True, eq=False)
class Missed:
    """The limits that a plan misses.

    Attributes
    ----------
    alike : what the classes of records alike depend on; no draw changes them.
    below : k -> records in classes of fewer than k.
    lines : the gate's, those first that the plan's draws decide.
    gamma : a group size with which all draws keep their limit, 0 where none does.
    """

    alike: tuple[object, ...]
    below: Below
    lines: tuple[Line, ...]
    gamma: int


def missed(source: Source, choices: Choices, shown: str, known: Missed | None, progress: Progress) -> Missed:
    """Return what the gate would say of the limits. In a worker; `known` is what was found before. Raises SpluError."""
    plan = choices.plan()
    names = [name for name, role in choices.roles.items() if role.published]
    columns = [source.drawn(name, choices.steps(name), choices.persons)[0] for name in names]
    if plan.persons is not None and plan.persons.drawn and plan.persons.drawn not in names:
        columns.append(source.imported.table[plan.persons.drawn])  # what is drawn by person asks for it
    table, nsas = Table(tuple(columns)), plan.named(Role.NSA)
    alike = (source, nsas, *map(choices.steps, nsas), choices.persons)
    if known is not None and known.alike == alike:
        below = known.below
    else:
        below = partial(records_below, class_sizes(table, nsas, progress))
    if plan.persons is not None and plan.persons.way in ONE:
        plan = replace(plan, draws=fitted(plan.draws, table.__getitem__))  # as the order will, of the same records
    ways = redrawable(table, plan.draws, plan.thresholds)
    lines = beyond_limits(table, plan, ways, progress, below)
    sure = [line.column for line in lines if line.name == "certainty" and line.column is not None]
    turned = [name for name in choices.follows if choices.together or name == shown]
    gamma = 0
    if sure and set(sure) <= set(turned):
        gamma = kept_by(table, plan, turned, choices.follows[sure[0]], SLIDER, progress)
    return Missed(alike, below, tuple(sorted(lines, key=lambda line: line.name != "certainty")), gamma)


class LimitsNote(QWidget):
    """What is missed in the gate's words, and a group size that keeps the limit as a button."""

    def __init__(
        self, session: Session, tasks: Tasks, take: Callable[[int], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._tasks, self._take = session, tasks, take
        self._key: tuple[object, ...] = ()
        self.found: Missed | None = None
        self._whole = False
        row = margins(QHBoxLayout(self), 0, spacing=12)
        put(row, (Picture("triangle-alert", "warning", 16), 0, Qt.AlignmentFlag.AlignTop))
        self.text = label("", wrap=True, live=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self.way = button("", self._taken, hint=t("A group size that keeps the limit for who gets the release"))
        self.more = button(t("Details"), self._turn, look="flat")
        self.more.setAccessibleName(t("Details of the limits that are missed"))
        acts = put(margins(QVBoxLayout(), 0, spacing=4), self.way, self.more)
        acts.addStretch(1)
        row.addLayout(acts)
        self.hide()

    def look(self, shown: str) -> None:
        """Find them anew where anything was chosen; in a worker. `shown` is the column whose gamma the slider sets."""
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None or choices.audience is None:
            self._key, self.found = (), None
            self._tasks.drop("limits")
            self.hide()
            return
        key = (source, choices, "" if choices.together else shown)
        if key == self._key:
            return
        self._key, known = key, self.found
        job = self._tasks.run("limits", lambda progress: missed(source, choices, shown, known, progress), pause=_REST)
        job.done.connect(self._show)
        job.failed.connect(lambda _: self.hide())  # what can't be drawn at all is told where it is chosen

    def _show(self, found: Missed) -> None:
        self.found, self._whole = found, False
        self._say()

    def _turn(self) -> None:
        self._whole = not self._whole
        self._say()

    def _say(self) -> None:
        lines = () if self.found is None else self.found.lines
        self.setVisible(bool(lines))
        if self.found is None or not lines:
            return
        whole = "\n\n".join(told(line.sentence) for line in lines[:_AT_ONCE])
        self.text.setText(whole if self._whole else _short(lines))
        self.more.setVisible(len(lines) > 1)
        self.way.setVisible(bool(self.found.gamma))
        self.way.setText(t("Use gamma {gamma}", gamma=number(self.found.gamma)))

    def _taken(self) -> None:
        if self.found is not None and self.found.gamma:
            self._take(self.found.gamma)


def _short(lines: Sequence[Line]) -> str:
    """Return the first sentence, the columns of which the same is said, and how many limits more are missed."""
    words = told(lines[0].sentence)
    others = [line.column for line in lines[1:] if line.name == lines[0].name and line.column is not None]
    if others:
        named = ", ".join(told(say("“{name}”", name=name)) for name in others[:_NAMED])
        words = t(
            "{first} More of the kind: {others}", first=words, others=f"{named}, …" if others[_NAMED:] else f"{named}."
        )
    more = len({line.name for line in lines}) - 1
    if more == 1:
        words = t("{first} Another limit is missed, too.", first=words)
    if more > 1:
        words = t("{first} {n} other limits are missed, too.", first=words, n=number(more))
    return words
