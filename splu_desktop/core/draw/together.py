"""Columns drawn together: one draw of whole combinations of values, published as separate columns (mechanism.md 9).

Records form random groups of gamma, and each takes all its values from one random member, so what the columns say about
each other stays. A value stands in a group at most as often as its cap allows: groups start as chance makes them, and
random exchanges that never raise the number of clashes go on until none is left. The partition is a function of random
ids and sensitive values alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.combined_groups import EMPTY, SharedGroups, broken, formed, stacked
from splu_desktop.core.draw.decoy_groups import DecoyGroups
from splu_desktop.core.draw.draw import Draw, Flags, Floats, Ints, Promise, ToldBy, draw_from, registered
from splu_desktop.core.draw.recognition import Recognised, recognised
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.groups.forming import check_gamma
from splu_desktop.core.groups.tolerances import Infeasible, Tolerances
from splu_desktop.core.messages import Figure, listed, say
from splu_desktop.core.progress import SILENT, Progress, Silent
from splu_desktop.core.randomness import Randomness, below, permutation
from splu_desktop.core.table import IN_MEMORY, Column, Storage, Table, respelled
from splu_desktop.core.transition.matrix import MatrixTransition, PartedTransition
from splu_desktop.frozen import dataclass

if TYPE_CHECKING:
    from splu_desktop.core.guarantees.several_releases import ValueDraw
    from splu_desktop.core.thresholds import Thresholds

MOST_COLUMNS = 200
MOST_GAMMA = 200
_NAMED = 3  # columns whose cost has a sentence of its own
_SHOWN = 6  # columns that are all named in a sentence
_KEPT = 2  # times one after another that groups keep all caps, before these are planned
_TRIES = 3  # of new ids
_DESIGNING = 20_130_904  # any fixed one: the same table must give the same caps


@registered
@dataclass(frozen=True)
class Together(Draw):
    """One column's part in a draw of several columns as one.

    Attributes
    ----------
    columns : all that are drawn together, in the table's order.
    size : gamma, from 2.
    caps : value of this column -> how often a group of gamma holds it at most, 1 to gamma; gamma is no bound.
    members : the parts of all columns, where the draw is to be carried out (`of_block`); no setting.
    states : how states that several columns tell together are carried, where it is the draw of these (`told_by`).
    """

    columns: tuple[str, ...]
    size: int
    caps: Mapping[str, int]
    members: tuple[Together, ...] = field(default=(), compare=False, repr=False)
    states: MatrixTransition | None = field(default=None, compare=False, repr=False)

    name = "together"

    def __post_init__(self) -> None:
        if type(self.size) is not int or not 2 <= self.size <= MOST_GAMMA:
            raise BadSetting(
                "The group size gamma of columns drawn together must be a whole number from 2 to {most}, not {gamma}.",
                most=MOST_GAMMA,
                gamma=repr(self.size)[:40],
            )
        if not 2 <= len(set(self.columns)) == len(self.columns) <= MOST_COLUMNS:
            raise BadSetting("Name two to {most} different columns that are to be drawn together.", most=MOST_COLUMNS)
        if not all(type(cap) is int and 1 <= cap <= self.size for cap in self.caps.values()):
            raise BadSetting("How often a group may hold a value must be a whole number from 1 to the group's size.")
        object.__setattr__(self, "caps", dict(self.caps))

    def __hash__(self) -> int:
        return hash((self.columns, self.size, frozenset(self.caps.items())))

    # --- settings

    def settings(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "gamma": self.size, "caps": dict(self.caps)}

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        columns, caps = data["columns"], data["caps"]
        if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
            raise ValueError
        if not all(isinstance(label, str) for label in caps):
            raise ValueError
        return cls(tuple(columns), data["gamma"], dict(caps))

    def recorded(self) -> dict[str, Any]:
        return {**self.as_dict(), "caps": {str(cap): cap for cap in sorted(set(self.caps.values()))}}

    def block(self, column: str) -> tuple[str, ...]:
        return self.columns

    def of_block(self, draws: Mapping[str, Draw]) -> Together:
        parts = [draws.get(name) for name in self.columns]
        whole = tuple(part for part in parts if isinstance(part, Together))
        if len(whole) != len(parts) or any((part.columns, part.size) != (self.columns, self.size) for part in whole):
            raise apart(self.columns)
        return replace(self, members=whole)

    def by_person(self, column: str) -> Draw:
        if not column:
            return self
        # By its name: it stands above this one.
        said = {"gamma": self.size, "columns": list(self.columns), "person": column, "by_record": self.as_dict()}
        return draw_from({"draw": "together by person", **said})

    def within(self, labels: object) -> Self:
        known = {str(label) for label in np.asarray(labels, object)}
        return replace(self, members=(), caps={label: cap for label, cap in self.caps.items() if label in known})

    def completed(self, labels: NDArray[np.object_]) -> Self:
        return replace(self, caps={**{str(label): self.size for label in labels}, **self.caps})

    def respelled(self, before: Column, after: Column) -> Self:
        caps: dict[str, int] = {}
        for old, label in respelled(before, after):
            cap = self.caps[old]
            caps[label] = min(cap, caps.get(label, cap))
        return replace(self, caps=caps)

    def fault(self, records: int, domain: Iterable[str]) -> str | None:
        if set(self.caps) != set(domain):
            return say("the tolerances are not those of its values")
        return say("the group size gamma is larger than the table") if self.size > records else None

    # --- carrying it out

    def limits(self, column: Column) -> Ints:
        """Return (m,) caps in the order of the column's labels. Raises BadSetting where one has none."""
        missing = [str(label) for label in column.labels if str(label) not in self.caps]
        if missing:
            raise BadSetting(
                "“{column}” has the value “{missing}”, of which the plan of columns drawn together knows nothing; "
                "choose these columns anew.",
                column=column.name,
                missing=missing[0],
            )
        return np.array([self.caps[str(label)] for label in column.labels], np.int64)

    def check(self, column: Column) -> None:
        if column.n == 0:
            raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column.name)
        if self.size > column.n:
            raise BadSetting(
                "“{column}” has {records} records, fewer than a group of {gamma} needs; choose a smaller gamma.",
                column=column.name,
                records=column.n,
                gamma=self.size,
            )
        room, counts = self.limits(column) * (column.n // self.size), column.counts()
        over = np.flatnonzero((counts > room) & (self.limits(column) < self.size))
        if len(over):
            at = int(over[0])
            raise Infeasible(
                "“{value}” of “{column}” has {count} records, more than {room} that groups of {gamma} can hold; "
                "choose the columns drawn together anew.",
                value=str(column.labels[at]),
                column=column.name,
                count=int(counts[at]),
                room=int(room[at]),
                gamma=self.size,
            )

    def fitted(self, column: Column, progress: Progress = SILENT) -> Self:
        least = {str(label): cap for label, cap in zip(column.labels, _least(column, self.size), strict=True)}
        return replace(self, caps={label: max(cap, least.get(label, cap)) for label, cap in self.caps.items()})

    def redraw(self, column: Column, source: Randomness, progress: Progress, storage: Storage = IN_MEMORY) -> Column:
        raise NotImplementedError  # `redraw_block` does it for all columns at once

    def redraw_block(
        self, table: Table, columns: Sequence[str], source: Randomness, progress: Progress, storage: Storage = IN_MEMORY
    ) -> tuple[Column, ...]:
        chosen = [table[name] for name in columns]
        parts = dict(zip(self.columns, self.members, strict=True))
        codes, caps = stacked(chosen), [parts[column.name].limits(column) for column in chosen]
        progress.report("Drawing random ids", 0.0)
        for _ in range(_TRIES):
            records = formed(codes, caps, permutation(source, table.n), self.size, progress)
            if records is not None:
                break
        else:
            raise _stuck(columns, self.size)
        progress.report("Drawing values", 0.0)
        sizes = (records != EMPTY).sum(axis=0)
        taken = np.empty(table.n, np.int32)
        for row in range(len(records)):
            at = np.flatnonzero(records[row] != EMPTY)
            member = below(source, sizes[at].astype(np.uint32), len(at))
            taken[records[row, at]] = records[member, at]
        return tuple(column.with_codes(np.take(column.codes, taken)) for column in chosen)

    # --- what its reader knows

    @cached_property
    def alone_drawn(self) -> DecoyGroups:
        """The draw of this column by itself with the same caps, whose laws hold for it here too."""
        limits = {label: Fraction(cap, self.size) for label, cap in self.caps.items()}
        return DecoyGroups((self.size,), (Fraction(1),), Tolerances(limits))

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        return self.alone_drawn.transition(counts, labels) if self.states is None else self.states

    def _law(self, table: Table) -> SharedGroups:
        # Groups formed anew on what was published say how any states of the combinations share groups.
        chosen = [table[name] for name in self.columns]
        caps = [part.limits(column) for part, column in zip(self.members, chosen, strict=True)]
        return SharedGroups.of(chosen, caps, self.size)

    def sharing(self, table: Table) -> dict[str, Any]:
        chosen = [table[name] for name in self.columns]
        combinations, code = np.unique(stacked(chosen), axis=0, return_inverse=True)
        return {
            "columns": list(self.columns),
            "combinations": [
                [str(column.labels[at]) for column, at in zip(chosen, row, strict=True)]
                for row in combinations.tolist()
            ],
            **self._law(table).as_dict(code.reshape(-1)),
        }

    def told_by(self, table: Table) -> ToldBy:
        law = self._law(table)

        def told(states: Column, asked: Ints) -> tuple[Column, Ints, Draw]:
            codes, part_of = law.finer(states.codes, states.m)
            m = len(part_of)
            labels = np.array([f"{state:04} {at:04}" for at, state in enumerate(part_of.tolist())], object)
            finer = Column(states.name, states.kind, codes, labels, np.zeros(m, bool))
            through = PartedTransition(finer.n, finer.counts().astype(np.float64), law.mixing(codes, m), asked[part_of])
            return finer, part_of, replace(self, states=through)

        return told

    def count_law(self, count: int) -> Floats:
        return self.alone_drawn.count_law(count)

    def unseen(self, tail: float) -> float:
        return self.alone_drawn.unseen(tail)

    # --- what is promised

    @property
    def confidence(self) -> Fraction:
        return self.alone_drawn.confidence

    @property
    def insider(self) -> float:
        return self.alone_drawn.insider

    @property
    def tells_second(self) -> float:
        return self.alone_drawn.tells_second

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        return self.alone_drawn.t_p(thresholds, releases)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        return self.alone_drawn.t_f(thresholds, releases)

    def room_for(self, labels: Sequence[str], n: int) -> Ints:
        return self.alone_drawn.room_for(labels, n)

    def promises(self, thresholds: Thresholds, told: Collection[str] = ()) -> tuple[Promise, ...]:
        return self.alone_drawn.promises(thresholds, told)

    def stated(self, thresholds: Thresholds, told: Collection[str] = ()) -> dict[str, Any]:
        return self.alone_drawn.stated(thresholds, told)

    def sentences(self, column: str, thresholds: Thresholds, told: Collection[str] = ()) -> list[str]:
        return [
            *self.alone_drawn.sentences(column, thresholds, told),
            say(
                "“{column}” is drawn together with {others}: a row shows a combination of values that a record has. "
                "Who knows some of a person's values can recognise the combination as the person's own and read the "
                "rest.",
                column=column,
                others=other_columns(column, self.columns),
            ),
        ]

    def recognised(self, table: Table) -> tuple[Recognised, ...]:
        """Return what a row tells of each column to someone who knows all the others of a person."""
        chosen = [table[name] for name in self.columns]
        caps = [part.limits(column) for part, column in zip(self.members, chosen, strict=True)]
        return recognised(chosen, caps, self.size)

    def costs(self, table: Table, *, published: bool = False) -> list[str]:
        limits = {name: self._part(name).confidence for name in self.columns}
        return cost_sentences(self.columns, self.size, self.recognised(table), limits, published=published)

    def _part(self, column: str) -> Together:
        return self.members[self.columns.index(column)]

    def shape(self) -> dict[str, Any]:
        return {**super().shape(), "sizes": (self.size,), "shares": (1.0,)}

    def limit(self, label: str) -> Fraction:
        return Fraction(self.caps.get(label, 0), self.size)

    def most_share(self, label: str, records: int) -> Fraction | None:
        limit = self.limit(label)
        return limit * (self.size * (records // self.size)) / records if 0 < limit < 1 else None

    def words(self) -> str:
        return say("{number} columns together, groups of {gamma}", number=len(self.columns), gamma=self.size)

    def how(self) -> str:
        return say(
            "{columns} were drawn together: every record was put into a group with random others, and took all these "
            "values from one random member of its group, so that what the columns say about each other stays. Who "
            "knows some of a person's values can recognise a row's combination as the person's own.",
            columns=named_columns(self.columns),
        )

    def able(self, column: str) -> str:
        return say(
            "“{column}” can be re-drawn in groups of {gamma}, together with {others}.",
            column=column,
            gamma=self.size,
            others=other_columns(column, self.columns),
        )

    def chance(self) -> str:
        return self.alone_drawn.chance()

    def odds(self, column: str | None = None) -> str:
        return self.alone_drawn.odds(column)

    # --- what a check of a release looks at

    def bounds(self, column: Column) -> tuple[Ints, Ints]:
        return self.alone_drawn.bounds(column)

    @property
    def sole_bearer(self) -> float:
        return self.alone_drawn.sole_bearer

    def by_value(self) -> tuple[ValueDraw, ...]:
        return self.alone_drawn.by_value()

    def readers(self, column: str) -> tuple[str, ...]:
        return self.alone_drawn.readers(column)

    def strays(self, column: Column, before: Ints, after: Ints) -> Flags:
        return self.alone_drawn.strays(column, before, after)

    def keeps_all(self, before: Ints) -> float:
        return self.alone_drawn.keeps_all(before)


def planned(table: Table, columns: Sequence[str], gamma: int) -> dict[str, Together]:
    """Return the draw of columns together: each value with the least cap that groups can keep.

    A cap is floor(f' gamma) with f' = pi + (1 - pi) / gamma, pi the value's share, and at least ceil(pi gamma). Where
    exchanges don't end with all of them kept, those still broken are raised.

    Raises UnknownColumn, EmptyTable, BadSetting.
    """
    names = tuple(name for name in table.names if name in set(columns))
    for name in columns:
        table[name]  # raises UnknownColumn
    first = {name: Together(names, gamma, {}) for name in names}
    chosen = [table[name] for name in names]
    for column in chosen:
        check_gamma(column, gamma)
        replace(first[column.name], caps=dict.fromkeys(map(str, column.labels), gamma)).check(column)
    caps = [_usual(column, gamma) for column in chosen]
    codes = stacked(chosen)
    chance = np.random.default_rng(_DESIGNING)
    kept = 0
    while kept < _KEPT:
        records = formed(codes, caps, chance.permutation(table.n).astype(np.int32), gamma, Silent(), broken=True)
        assert records is not None
        over = broken(codes, caps, records, gamma)
        kept = 0 if any(flags.any() for flags in over) else kept + 1
        for cap, flags in zip(caps, over, strict=True):
            cap[flags] = np.minimum(cap[flags] + 1, gamma)
    return {
        column.name: replace(
            first[column.name], caps={str(label): int(most) for label, most in zip(column.labels, cap, strict=True)}
        )
        for column, cap in zip(chosen, caps, strict=True)
    }


def cost_sentences(
    columns: Sequence[str],
    gamma: int,
    found: Sequence[Recognised],
    limits: Mapping[str, Fraction],
    *,
    published: bool = False,
) -> list[str]:
    """Return what it costs to draw columns together, for people.

    `limits` are the most that each column alone tells; `published` says that `found` is of a release.
    """
    found = sorted(found, key=lambda each: -each.certainty)
    bare = [each.column for each in found if limits[each.column] == 1]
    found = [each for each in found if each.column not in bare]
    named = _NAMED if len(found) != _NAMED + 1 else len(found)  # one is named as shortly as it is counted
    rest = [_share(each.certainty) for each in found[named:]]
    return [
        say(
            "{columns} are drawn together: 1 in {gamma} rows keeps two of its own values at once, where 1 in "
            "{squared} would if they were drawn one by one.",
            columns=named_columns(columns),
            gamma=gamma,
            squared=gamma**2,
        ),
        *(
            [
                say(
                    "The shares that follow are counted in the published rows, which are re-drawn: those of the "
                    "original, which its custodian sees, can be some points higher or lower."
                )
            ]
            if published and found
            else []
        ),
        *(
            say(
                "Who finds a person's row and knows the person's other values drawn together with “{column}”: in "
                "{learnt} of the cases the row shows the person's own protected value beside them, and a protected "
                "value that it shows beside them is the person's own in {certainty} of the cases, where the column "
                "alone would say so with at most {limit}.",
                column=each.column,
                learnt=_share(each.learnt),
                certainty=_share(each.certainty),
                limit=_share(float(limits[each.column])),
            )
            for each in found[:named]
        ),
        # Records of a release share their combinations with those that took them: it has about half as many unique.
        *(
            say(
                "{alone} of the records with a protected value of “{column}” are the only ones with their other "
                "values drawn together.",
                column=each.column,
                alone=_share(each.alone_protected),
            )
            for each in ([] if published else found[:named])
            if each.alone_protected
        ),
        *(
            say(
                "Groups of {gamma} protect no value of “{column}”, since its values are too frequent: its records "
                "may be published as they are. Choose a larger gamma, or draw it by itself.",
                gamma=gamma,
                column=name,
            )
            for name in bare
        ),
        *(
            [
                say(
                    "For the other {number} columns a protected value beside known ones is the person's own in "
                    "{share} of the cases.",
                    number=len(rest),
                    share=rest[0] if rest[0] == rest[-1] else say("{low} to {high}", low=rest[-1], high=rest[0]),
                )
            ]
            if rest
            else []
        ),
    ]


def _least(column: Column, gamma: int) -> Ints:
    """Return (m,) the least caps by which groups can hold the column's records."""
    return np.clip(-(-column.counts() // max(column.n // gamma, 1)), 1, gamma)


def _usual(column: Column, gamma: int) -> Ints:
    counts, n = column.counts(), column.n
    return np.maximum(1 + (gamma - 1) * counts // n, _least(column, gamma)).clip(1, gamma)


def _share(part: float) -> Figure:
    """Return a share in words, rounded up: nobody is surer than what is said."""
    return Figure(f"{min(math.ceil(100 * part - 1e-9), 100)} %")


def named_columns(names: Iterable[str]) -> str:
    """Return columns in words, the first few of many."""
    said = [say("“{name}”", name=name) for name in names]
    if len(said) <= _SHOWN:
        return listed(said, "{head} and {tail}")
    first = listed(said[:_NAMED], "{head}, {tail}")
    return say("{first} and {number} more columns", first=first, number=len(said) - _NAMED)


def other_columns(column: str, columns: Sequence[str]) -> str:
    """Return the other columns in words; of many only how many, so that the same can be said of each column."""
    if len(columns) > _SHOWN:
        return say("{number} other columns", number=len(columns) - 1)
    return named_columns(name for name in columns if name != column)


def apart(columns: Sequence[str]) -> BadSetting:
    """Return the fault that not all of these columns are drawn together."""
    return BadSetting(
        "{columns} are drawn together, so all of them must be sensitive and drawn so; choose the columns anew.",
        columns=named_columns(columns),
    )


def _stuck(columns: Sequence[str], gamma: int) -> Infeasible:
    return Infeasible(
        "{columns} can't be drawn together in groups of {gamma} now: exchanges leave groups that hold a value more "
        "often than planned; choose the columns drawn together anew, fewer of them, or a smaller gamma.",
        columns=named_columns(columns),
        gamma=gamma,
    )
