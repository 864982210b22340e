"""What the gate will ask for, said in its own words where roles and protection are chosen.

That is columns that give a sensitive one away, and limits of who gets the release that the plan misses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.checks.gate import Line, beyond_limits
from splu_desktop.core.checks.proposing import kept_by
from splu_desktop.core.draw.by_person import ONE
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.core.risk.alike import Alike, alike
from splu_desktop.core.risk.giveaway import Giveaway, giveaways
from splu_desktop.core.risk.uniqueness import class_sizes, records_below
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.sanitise import redrawable
from splu_desktop.files.publish.order import fitted
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Choices, Session, Source
from splu_desktop.gui.base.tasks import Tasks, Work
from splu_desktop.gui.base.widgets import Card, Picture, button, label, margins, put
from splu_desktop.gui.base.words import number, t, told
from splu_desktop.gui.plan.figures import SLIDER

_REST = 250  # ms without a change
_SOON = 120  # ms without one: while the slider is dragged, the figures that follow it come first
_NAMED = 4  # columns
_AT_ONCE = 20  # sentences that are read at most: 400 columns have as many

Below = Callable[[int], int]


def _with_others(first: str, others: Sequence[str]) -> str:
    """Return a sentence, and of which columns the same is to be said."""
    named = ", ".join(told(say("“{name}”", name=name)) for name in others[:_NAMED])
    return t(
        "{first} More of the kind: {others}", first=first, others=f"{named}, …" if others[_NAMED:] else f"{named}."
    )


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
        nsas = choices.named(Role.NSA)
        sensitive = choices.sensitive
        grouped = tuple(choices.steps(name) for name in (*nsas, *sensitive))
        persons, thresholds = choices.persons, choices.thresholds
        self._run(
            "giveaway",
            (source, nsas, sensitive, persons, grouped),
            lambda progress: giveaways(source.published(choices), nsas, sensitive, progress),
            bool(nsas and sensitive),
        )
        try:
            ways = {name: choices.carried_out(name) for name in sensitive}
        except SpluError:  # a draw that can't be carried out is told where it is chosen
            ways = {}

        def told_apart(progress: Progress) -> tuple[Alike, ...]:
            table = source.published(choices)
            return alike(table, redrawable(table, ways, thresholds), progress)

        self._run("alike", (source, persons, thresholds, *ways.items(), grouped), told_apart, len(ways) > 1)

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
            words = _with_others(words, others)
        self.text.setText(words)
        self.coarser.setVisible(isinstance(first, Giveaway))
        self.out.setAccessibleName(t("Leave “{column}” out", column=first.column))
        self.coarser.setAccessibleName(t("Group the values of “{column}”", column=first.column))

    def _leave_out(self) -> None:
        self._session.set_roles({self._name: Role.DROPPED}, t("role of {column}", column=self._name))


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
    table, nsas = source.published(choices), plan.named(Role.NSA)
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
        job = self._tasks.run("limits", lambda progress: missed(source, choices, shown, known, progress), pause=_SOON)
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
        words = _with_others(words, others)
    more = len({line.name for line in lines}) - 1
    if more == 1:
        words = t("{first} Another limit is missed, too.", first=words)
    if more > 1:
        words = t("{first} {n} other limits are missed, too.", first=words, n=number(more))
    return words
