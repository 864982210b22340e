"""Make it safe: a set of steps that a plan needs until a named aim holds, each tried, with its effect.

Greedy and bounded. First what needs no search: what names persons or is a special matter is left out, persons with
several records are drawn at once. Then, as long as a column published unchanged gives a sensitive one away, it is made
coarser or left out; sensitive columns that tell each other's values are drawn together. Then, as long as too many
records stand alone, the column and the form of it (the next coarser, or none at all) that frees most records for what
it gives up. What a form gives up is the share of the column's entropy that is lost. Every column can be left out, so
the aim is always reached, unless the steps run out first; then it says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.together import planned
from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.generalise import (
    Chapter,
    DatePart,
    Part,
    Prefix,
    Rare,
    Steps,
    by_width,
    column_after,
    is_measurement,
    round_width,
    system_of,
    table_after,
)
from splu_desktop.core.guarantees.audience import per_cent
from splu_desktop.core.messages import Figure, counted, listed, say, share_of
from splu_desktop.core.persons import persons_of
from splu_desktop.core.plan import DEFAULT_GAMMA, Plan
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.risk.alike import alike
from splu_desktop.core.risk.giveaway import giveaways
from splu_desktop.core.risk.uniqueness import Uniqueness, causes, class_sizes, figures, records_below
from splu_desktop.core.roles.names import numbering
from splu_desktop.core.roles.suggest import Role, Suggestion, suggest_roles
from splu_desktop.core.roles.vocabulary import said_by
from splu_desktop.core.sanitise import redrawable
from splu_desktop.core.table import Column, Kind, Table

MOST_STEPS = 40
_WIDTHS = (1, 2, 4)  # times the round width that suits a column of numbers
_AGES = (5, 10, 20)  # years
_RARE = (10, 100)  # records below which values go into one, besides the k aimed at and a twentieth of all
_TOLD = 0.005  # share given up from which it is said
_LEAST_LOSS = 0.02  # that a step counts for, however little it gives up
_OUT = 1.5  # what leaving a column out counts for, where its coarsest form counts for less than 1
_WANTED = {"an age or a year of birth": 3.0, "sex, family or household": 2.0}  # recipients need it more than the rest
_STAGE = "Looking for steps that make it safe"


@dataclass(frozen=True)
class Aim:
    """What is to hold.

    Attributes
    ----------
    k : records that share their values in the unchanged columns, at least; 1 where that is not asked.
    unique : share of the records that may be unique in them, at most.
    giveaway : whether no column may give a sensitive one away.
    """

    k: int = 1
    unique: float = 0.01
    giveaway: bool = True

    def __post_init__(self) -> None:
        if self.k < 1 or not 0 <= self.unique <= 1:
            raise BadSetting("The aim is a whole number k from 1 and a share of unique records from 0 to 1.")

    @property
    def sentence(self) -> str:
        """What is to hold."""
        text = say("at most {unique} of the records unique in the unchanged columns", unique=per_cent(self.unique))
        if self.k > 1:
            text = say("{text}, each with at least {k} alike", text=text, k=self.k)
        return say("{text}, and no column giving a sensitive one away", text=text) if self.giveaway else text

    def far(self, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
        """Return how many records are too many to be alone, 0 where the aim is reached."""
        alone = records_below(sizes, 2)
        over = alone if alone > self.unique * int(sizes.sum()) else 0
        return max(over, records_below(sizes, self.k))


@dataclass(frozen=True)
class SafeStep:
    """One step, which has been tried.

    Attributes
    ----------
    words : what it does.
    column : the column that it changes.
    plan : the plan with it and the steps before.
    unique, unique_before : unique records after and before it.
    lost : share of what the column told that it gives up; 0 for steps that give up none of it.
    out : whether it leaves a column out.
    """

    words: str
    column: str
    plan: Plan
    unique: int
    unique_before: int
    lost: float = 0.0
    out: bool = False

    @property
    def sentence(self) -> str:
        """What it does, and its effect."""
        return say(
            "{words}: {before} unique records become {after}{lost}.",
            words=self.words,
            before=self.unique_before,
            after=self.unique,
            lost=say(", and {lost} of what the column tells is given up", lost=Figure(f"{100 * self.lost:.0f} %"))
            if self.lost >= _TOLD
            else "",
        )


@dataclass(frozen=True)
class MadeSafe:
    """The steps, and where they lead.

    Attributes
    ----------
    aim : what was asked.
    plan : the plan with all steps.
    steps : in the order in which they were found; each builds on those before.
    reached : whether the aim holds.
    records, unique, below : N, the unique records, and those with fewer than the aim's k alike, after all steps.
    """

    aim: Aim
    plan: Plan
    steps: tuple[SafeStep, ...]
    reached: bool
    records: int
    unique: int
    below: int

    @property
    def sentence(self) -> str:
        """Whether the aim holds, and what was given up for it."""
        gone = [step.column for step in self.steps if step.out]
        text: str = counted(
            len(self.steps),
            "After 1 step {unique} of {records} records ({share}) are unique in the unchanged columns.",
            "After {n} steps {unique} of {records} records ({share}) are unique in the unchanged columns.",
            unique=self.unique,
            records=self.records,
            share=share_of(self.unique, self.records) if self.records else Figure("0 %"),
        )
        if self.aim.k > 1:
            few = say("{below} have fewer than {k} alike.", below=self.below, k=self.aim.k)
            text = listed((text, few), "{head} {tail}", "{head} {tail}")
        if not self.reached:
            text = say("{text} The aim is not reached.", text=text)
        if not gone:
            return text
        names = listed(say("“{name}”", name=name) for name in dict.fromkeys(gone))
        return say("{text} Given up: {columns}.", text=text, columns=names)


def coarser_forms(column: Column, k: int) -> Iterator[Steps]:
    """Yield ever coarser forms of a column, each as the steps to add to those that it has."""
    present = [str(label) for label in column.labels[~column.missing]]
    aged = any(matter.what in _WANTED for matter in said_by(column.name)[0])
    if column.kind in (Kind.DATE, Kind.DATETIME):
        yield from ((DatePart(part),) for part in (Part.MONTH, Part.QUARTER, Part.YEAR))
    elif aged and column.kind is Kind.INTEGER and column.m > min(_AGES):
        yield from ((by_width(column, width),) for width in _AGES)
    elif is_measurement(column) or (column.kind is Kind.INTEGER and column.m > _RARE[0] and not numbering(column.name)):
        yield from ((by_width(column, times * round_width(column)),) for times in _WIDTHS)
    else:
        system = system_of(column)
        if system is not None:
            yield (Chapter(system),)
        longest = max(map(len, present), default=0)
        if len(present) > _RARE[0] and longest > 1 and all(len(t) == longest and t.isdigit() for t in present):
            yield from ((Prefix(length=length),) for length in range(longest - 1, 0, -1))
        else:
            yield from ((Rare(least),) for least in sorted({k, *_RARE, column.n // 20}) if least > 1)


def entropy(column: Column) -> float:
    """Return the entropy of a column's values, in nats."""
    counts = column.counts()
    shares = counts[counts > 0] / max(column.n, 1)
    return float(-(shares * np.log(shares)).sum())


class _Search:
    def __init__(self, table: Table, plan: Plan, aim: Aim, progress: Progress) -> None:
        self.source, self.plan, self.aim, self.progress = table, plan, aim, progress
        self.now = table_after(table, plan.generalisations)
        self.steps: list[SafeStep] = []
        self.searched: set[str] = set()  # columns whose steps were found by search, and may turn out to be needless
        self.given, self.planned = plan, dict(plan.generalisations)
        self.sizes = class_sizes(self.now, plan.named(Role.NSA), progress)
        self.first = self.now  # forms are tried on the columns as they were planned, and replace one another
        self.forms = {name: self._forms(name) for name in plan.named(Role.NSA)}
        self.told = {name: entropy(table[name]) for name in plan.named(Role.NSA)}

    def _forms(self, name: str) -> list[tuple[Steps, Column]]:
        found: list[tuple[Steps, Column]] = []
        column = self.first[name]
        with contextlib.suppress(SpluError):  # nothing obvious fits this one
            for steps in coarser_forms(column, self.aim.k):
                after = column_after(column, steps)
                if 1 < after.m < (found[-1][1].m if found else column.m):
                    found.append((steps, after))
        return found

    @property
    def full(self) -> bool:
        return len(self.steps) >= MOST_STEPS

    def take(self, plan: Plan, column: str, words: str, lost: float = 0.0, out: bool = False) -> None:
        self.progress.report(_STAGE, min(0.99, len(self.steps) / MOST_STEPS))
        before = records_below(self.sizes, 2)
        self.plan = plan
        self.now = table_after(self.source, plan.generalisations)
        self.sizes = class_sizes(self.now, plan.named(Role.NSA), self.progress)
        self.steps.append(SafeStep(words, column, plan, records_below(self.sizes, 2), before, lost, out))

    def leave_out(self, name: str, role: Role = Role.DROPPED, why: str = "") -> None:
        words = say("Leave out “{column}”", column=name)
        if why:
            words = say("Leave out “{column}” ({why})", column=name, why=why)
        self.take(replace(self.plan, roles={**self.plan.roles, name: role}), name, words, out=True)

    def grouped(self, name: str, steps: Steps) -> None:
        every = {**self.plan.generalisations, name: (*self.planned.get(name, ()), *steps)}
        lost = self.loss(name, column_after(self.first[name], steps))
        words = say("“{column}”: {how}", column=name, how=steps[-1].words)
        self.take(replace(self.plan, generalisations=every), name, words, lost)
        self.forms[name] = [form for form in self.forms[name] if form[1].m < self.now[name].m]

    def loss(self, name: str, after: Column | None) -> float:
        """Return the share of what a column told as it was read that a form of it gives up."""
        whole = self.told.get(name, 0.0)
        return 1.0 if after is None or not whole else min(1.0, max(0.0, 1 - entropy(after) / whole))

    def price(self, name: str, after: Column | None) -> float:
        """Return what a form of a column costs its recipients."""
        wanted = max((_WANTED.get(matter.what, 1.0) for matter in said_by(name)[0]), default=1.0)
        return wanted * (_OUT if after is None else self.loss(name, after))

    # --- the steps, in order

    def names_and_matters(self) -> None:
        found: Mapping[str, Suggestion] = suggest_roles(self.now, self.plan.sensitive, progress=self.progress)
        for name in self.plan.named(Role.NSA):
            said = found[name]
            if said.role is Role.IDENTIFIER and name not in self.plan.kept_identifiers:
                self.leave_out(name, Role.IDENTIFIER, said.reason)
            elif said.matter and name not in self.plan.kept_identifiers:
                self.leave_out(name, why=said.reason.partition(":")[0] if ":" in said.reason else said.reason)

    def persons(self) -> None:
        known = persons_of(self.source, self.progress) if self.plan.persons is None else None
        if known is None or not known.repeats:
            return
        try:
            plan = replace(self.plan, persons=ByPerson(known.column, "draw"))
        except SpluError:  # a draw that can't be carried out per person
            return
        self.take(plan, known.column, say("Draw all records of a person at once, by “{column}”", column=known.column))

    def told_by_others(self) -> None:
        while self.aim.giveaway and not self.full:
            found = giveaways(self.now, self.plan.named(Role.NSA), self.plan.sensitive, self.progress)
            if not found:
                return
            name, others = found[0].column, found[0].columns
            for steps, after in self.forms[name]:
                tried = Table((after, *(self.now[n] for n in (*others[1:], *self.plan.sensitive))))
                if not giveaways(tried, others, self.plan.sensitive, self.progress):
                    self.grouped(name, steps)
                    break
            else:
                self.leave_out(name, why=say("gives “{sensitive}” away", sensitive=found[0].sensitive))

    def told_by_each_other(self) -> None:
        while self.aim.giveaway and not self.full:
            ways = redrawable(self.now, self.plan.draws)
            found = alike(self.now, ways, self.progress)
            pair = next((p for p in found if len(ways[p.column].block(p.column)) == 1), None)
            if pair is None:
                return
            names = (pair.column, *(n for n in (pair.other,) if len(ways[n].block(n)) == 1))
            gamma = self.plan.draws[pair.column].gamma or DEFAULT_GAMMA
            try:
                if len(names) < 2:
                    raise BadSetting("One of them is drawn together with others already.")
                plan = replace(self.plan, draws={**self.plan.draws, **planned(self.now, names, gamma)})
            except SpluError:
                if len(self.plan.sensitive) < 2:
                    return
                draws = {n: draw for n, draw in self.plan.draws.items() if n != pair.column}
                plan = replace(self.plan, roles={**self.plan.roles, pair.column: Role.DROPPED}, draws=draws)
                self.take(plan, pair.column, say("Leave out “{column}”", column=pair.column), out=True)
                continue
            words = say(
                "Draw “{column}” and “{other}” together, since each tells the other", column=names[0], other=names[1]
            )
            self.take(plan, pair.column, words)

    def alone(self) -> None:
        while not self.full and self.aim.far(self.sizes):
            names = self.plan.named(Role.NSA)
            trials = {name: self.forms[name][0][1] for name in names if self.forms[name]}
            best: tuple[float, str, bool] | None = None
            for cause in causes(self.now, names, self.progress, trials=trials):
                paid = self.loss(cause.name, self.now[cause.name])
                ways: list[tuple[Uniqueness, Column | None]] = [(cause.without, None)]
                if cause.generalised is not None:
                    ways.append((cause.generalised, trials[cause.name]))
                for risk, column in ways:
                    gain = self._freed(risk) / max(self.price(cause.name, column) - paid, _LEAST_LOSS)
                    if best is None or gain > best[0]:
                        best = gain, cause.name, column is None
            if best is None:
                return
            _, name, out = best
            self.searched.add(name)
            if out:
                self.leave_out(name)
            else:
                self.grouped(name, self.forms[name][0][0])

    def pruned(self) -> None:
        """Leave out the steps that a later one of the same column, or all others, make needless; tell effects anew."""
        last = {step.column: step for step in self.steps}
        kept = [step for step in self.steps if last[step.column] is step]
        whole = self.plan
        for step in list(kept):
            if step.column in self.searched:
                fewer = [each for each in kept if each is not step]
                self._replay(fewer, whole)
                if not self.left():
                    kept = fewer
        self._replay(kept, whole)

    def _replay(self, steps: list[SafeStep], whole: Plan) -> None:
        """Take steps of a plan `whole` one after another, from the plan that was given."""
        self.steps, self.plan, self.now = [], self.given, self.first
        self.sizes = class_sizes(self.now, self.given.named(Role.NSA), self.progress)
        for step in steps:
            name = step.column
            roles = {**self.plan.roles, name: whole.roles[name]}
            grouped = dict(self.plan.generalisations)
            if name in whole.generalisations:
                grouped[name] = whole.generalisations[name]
            persons = whole.persons if whole.persons is not None and whole.persons.column == name else self.plan.persons
            by = "" if persons is None else persons.drawn
            draws = {n: whole.draws.get(n, draw).by_person(by) for n, draw in self.plan.draws.items()}
            draws = {n: draw for n, draw in draws.items() if roles[n] is Role.SA}
            after = replace(self.plan, roles=roles, generalisations=grouped, draws=draws, persons=persons)
            self.take(after, name, step.words, step.lost, step.out)

    def left(self) -> bool:
        """Whether the aim is not reached."""
        names = self.plan.named(Role.NSA)
        return bool(self.aim.far(self.sizes)) or (
            self.aim.giveaway and bool(giveaways(self.now, names, self.plan.sensitive, self.progress))
        )

    def _freed(self, after: Uniqueness) -> float:
        """Return how many records a trial frees, those in classes below the aim's k a little less than unique ones."""
        now = figures(self.sizes)
        small = sum(now.below[k] - after.below[k] for k in now.below if 2 < k <= max(self.aim.k, 3))
        return now.unique - after.unique + 0.5 * small + 1e-3


def make_safe(table: Table, plan: Plan, aim: Aim | None = None, progress: Progress | None = None) -> MadeSafe:
    """Return the steps that lead from a plan to an aim; the plan's sensitive columns keep their draws.

    Raises the faults of the plan itself (UnknownColumn, BadSetting); Cancelled.
    """
    plan.check(table)
    aim = aim or Aim()
    search = _Search(table, plan, aim, progress or Silent())
    search.names_and_matters()
    search.persons()
    search.told_by_each_other()
    search.told_by_others()
    search.alone()
    search.told_by_others()
    search.pruned()
    return MadeSafe(
        aim,
        search.plan,
        tuple(search.steps),
        not search.left(),
        table.n,
        records_below(search.sizes, 2),
        records_below(search.sizes, aim.k),
    )
