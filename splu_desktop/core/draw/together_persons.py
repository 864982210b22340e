"""Columns drawn together by person: all of a person's rows are kept, or all take rows of others (mechanism.md 9, 10).

Each person keeps all combinations of values with 1/gamma. Else its k records take k rows, each of which is any of the
table's N records with the same chance, whatever k is. So a record of the combination v shows u with

    T[v, u] = 1/gamma [u = v] + (1 - 1/gamma) f_u / N,

for combinations and for all that is told by them: published counts are right on average, a value of share pi that a row
shows is the person's own in pi + (1 - pi) / gamma of the cases, and nothing but gamma need be published to invert T.

The k rows have to look like one person's, else who sees them all knows when they are not kept. They are those of one
person with k records or more, where the first of them is such a person's; else rows that follow one another in a ring
of all records of persons with fewer, who stand beside others like them (`_ring`). Every record is in as many windows of
k as any other, so T is exact.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.by_person import Effects, Rehearsal, counts_of_many, mean_sure
from splu_desktop.core.draw.combined_groups import stacked
from splu_desktop.core.draw.draw import (
    Draw,
    Floats,
    Ints,
    Promise,
    ToldBy,
    by_tolerance,
    draw_from,
    registered,
    sentence_of,
)
from splu_desktop.core.draw.joined import binomial_law
from splu_desktop.core.draw.persons import DrawPerPerson, PersonTransition
from splu_desktop.core.draw.recognition import Recognised, recognised_anywhere
from splu_desktop.core.draw.together import Together, apart, cost_sentences, named_columns, other_columns
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.randomness import Randomness, below, permutation
from splu_desktop.core.table import IN_MEMORY, Column, Storage, Table, unique
from splu_desktop.core.transition.matrix import Independent, MatrixTransition
from splu_desktop.frozen import dataclass

if TYPE_CHECKING:
    from splu_desktop.core.guarantees.several_releases import ValueDraw
    from splu_desktop.core.thresholds import Thresholds

_JITTER = 12  # columns' weights in a ring differ by chance by as much as 1 to this
_EFFECTS: WeakKeyDictionary[Column, dict[tuple[object, ...], tuple[Ints, Effects]]] = WeakKeyDictionary()
_COMMON = 0.5  # share from which a value is everybody's guess


@registered
@dataclass(frozen=True)
class TogetherPerPerson(DrawPerPerson):
    """One column's part in a draw of several columns by person.

    Attributes
    ----------
    columns : all that are drawn together, in the table's order.
    by_record : the draw of single records that this one stands for; None in a release.
    members : the parts of all columns, of a whole block.
    """

    columns: tuple[str, ...] = ()
    by_record: Draw | None = field(default=None, compare=False)
    members: tuple[TogetherPerPerson, ...] = field(default=(), compare=False, repr=False)

    name = "together by person"
    true_shares = True

    # --- settings

    def settings(self) -> dict[str, Any]:
        origin = {} if self.by_record is None else {"by_record": self.by_record.as_dict()}
        return {**super().settings(), "columns": list(self.columns), **origin}

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        plain = DrawPerPerson.from_settings(data)
        columns, origin = data["columns"], data.get("by_record")
        if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
            raise ValueError
        Together(tuple(columns), plain.size, {})  # raises where these are none
        made = None if origin is None else draw_from(origin)
        return cls(plain.size, plain.person, plain.shares, tuple(columns), made)

    def recorded(self) -> dict[str, Any]:
        return {**super().recorded(), "columns": list(self.columns)}

    def turned(self, gamma: int) -> TogetherPerPerson:
        return self

    def by_person(self, column: str) -> Draw:
        if column:
            return self if column == self.person else replace(self, person=column, shares=None)
        assert self.by_record is not None
        return self.by_record

    def block(self, column: str) -> tuple[str, ...]:
        return self.columns

    def of_block(self, draws: Mapping[str, Draw]) -> TogetherPerPerson:
        parts = [draws.get(name) for name in self.columns]
        whole = tuple(part for part in parts if isinstance(part, TogetherPerPerson))
        mine = self.columns, self.size, self.person
        if len(whole) != len(parts) or any((part.columns, part.size, part.person) != mine for part in whole):
            raise apart(self.columns)
        return replace(self, members=whole)

    def learned(self, table: Table, column: str, thresholds: Thresholds) -> Self:
        known = super().learned(table, column, thresholds)
        assert known.shares is not None
        shares = dict(zip(map(str, table[column].labels), self._often(table, column).tolist(), strict=True))
        return replace(known, shares=replace(known.shares, each=shares))

    def _often(self, table: Table, column: str) -> Floats:
        return counts_of_many(table[column], self._persons(table)) / table.n

    def within(self, labels: object) -> Self:
        return replace(super().within(labels), by_record=None, members=())

    # --- carrying it out

    def redraw_block(
        self, table: Table, columns: Sequence[str], source: Randomness, progress: Progress, storage: Storage = IN_MEMORY
    ) -> tuple[Column, ...]:
        who = self._persons(table)
        drawing = np.flatnonzero(below(source, self.size, self._number(who)))
        taken = _taken([table[name] for name in columns], who, drawing, source, progress)
        return tuple(table[name].with_codes(np.take(table[name].codes, taken)) for name in columns)

    # --- what its reader knows

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        shares, keep = counts / max(float(counts.sum()), 1e-300), 1 / self.size
        chances = Independent(keep * np.eye(len(counts)) + (1 - keep) * shares)
        unknown = np.zeros(len(counts), bool)
        return PersonTransition(int(counts.sum()), counts, chances, keep, shares, unknown)

    def told_by(self, table: Table) -> ToldBy:
        return lambda states, asked: (states, np.arange(states.m), self)

    def sharing(self, table: Table) -> dict[str, Any]:
        # T as groups: each record by itself with 1/gamma, all of them in one with the rest.
        chosen = [table[name] for name in self.columns]
        combinations, code, often = np.unique(stacked(chosen), axis=0, return_inverse=True, return_counts=True)
        keep = 1 / self.size
        return {
            "columns": list(self.columns),
            "combinations": [
                [str(column.labels[at]) for column, at in zip(chosen, row, strict=True)]
                for row in combinations.tolist()
            ],
            "states": 1,
            "parts": 1,
            "rounds": 1,
            "groups": [
                *([keep * count, at] for at, count in enumerate(often.tolist())),
                [1 - keep, *code.reshape(-1).tolist()],
            ],
        }

    def effects(self, table: Table, who: Ints, column: str, names: Iterable[str]) -> Effects:
        # A value's count scatters with the records kept or not, 1 to gamma, and with those taken. Rows that are taken
        # agree more often than a person's own: of diabetes130's drugs 2.04 times as single ones, where 1.53 is theirs.
        names = tuple(names)
        key = self.columns, self.size, names
        known = _EFFECTS.setdefault(table[self.columns[0]], {})  # the columns of a block ask for the same in turn
        if key not in known or known[key][0] is not who:
            columns = [table[name] for name in self.columns]
            taken = _taken(columns, who, np.arange(int(who.max()) + 1), Rehearsal())
            shown = {one.name: one.with_codes(np.take(one.codes, taken)) for one in columns}
            other = replace(table, columns=tuple(shown.get(one.name, one) for one in table.columns))
            kept, come = (Effects.of_courses(each, who, self.columns, names) for each in (table, other))
            known[key] = who, kept.mixed(come, 1 / (1 + self.size), round(1 - 1 / self.size, 4))
        return known[key][1]

    def count_law(self, count: int) -> Floats:
        number = count if self.shares is None else max(self.shares.persons, count)
        keep = 1 / self.size
        comes = (1 - keep) * count / number
        come = np.trim_zeros(binomial_law(number - count, comes), "b")
        return np.convolve(binomial_law(count, keep + comes), come)

    # --- what is promised

    @property
    def confidence(self) -> Fraction:
        return Fraction(1, self.size) if self.shares is None else Fraction(math.ceil(100 * super().confidence), 100)

    @property
    def _told(self) -> tuple[str, ...]:
        return () if self.shares is None else tuple(self.shares.each)

    def limit(self, label: str) -> Fraction:
        return Fraction(math.ceil(100 * super().limit(label)), 100)

    def by_value(self) -> tuple[ValueDraw, ...]:
        # What the register keeps of it knows no persons, and no law of its counts.
        (one,) = super().by_value()
        return (one if self.shares is None else replace(one, law=self.count_law),)

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        return super().t_p(thresholds, releases) if self.shares is None else Draw.t_p(self, thresholds, releases)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        # f' of independent records has the variance f (1 - 1/gamma^2) at most; by the normal law, with the effect.
        quantile = NormalDist().inv_cdf(1 - float(thresholds.t_e) / 2)
        return math.ceil(self._effect * (1 - self.size**-2) * (quantile / float(thresholds.epsilon)) ** 2 / releases)

    def sure_of_person(self, table: Table, column: str, progress: Progress = SILENT) -> tuple[float, float]:
        before = [table[name] for name in self.columns]
        who = self._persons(table)
        sure = mean_sure(
            before, lambda chance: self.redraw_block(table, self.columns, chance, progress), who, self.size
        )
        return sure, 1 / self.size

    def readers(self, column: str) -> tuple[str, ...]:
        named = attackers.names_person(column, self.insider)
        return (*attackers.of_independent(column), attackers.also_tells(named, self.tells_second))

    def promises(self, thresholds: Thresholds, told: Collection[str] = ()) -> tuple[Promise, ...]:
        """Return what is promised for each confidence, the strictest first."""
        by_limit: dict[Fraction, list[str]] = {}
        for label in self._told:
            by_limit.setdefault(self.limit(label), []).append(label)
        t_p, t_f = self.t_p(thresholds), self.t_f(thresholds)
        return tuple(
            Promise(limit, 0.0 if set(labels) & set(told) else t_p, t_f, tuple(labels))
            for limit, labels in sorted(by_limit.items())
        )

    def stated(self, thresholds: Thresholds, told: Collection[str] = ()) -> dict[str, Any]:
        return {"by_tolerance": by_tolerance(self.promises(thresholds, told), insider=False)}

    def sentences(self, column: str, thresholds: Thresholds, told: Collection[str] = ()) -> list[str]:
        return [
            *(sentence_of(promise, column, thresholds) for promise in self.promises(thresholds, told)),
            say(
                "Whoever sees all records of a person reads the person's own values of “{column}” there with a "
                "probability of {chance}: all of them are kept, or none is.",
                column=column,
                chance=self.chance(),
            ),
            say(
                "“{column}” is drawn together with {others}, by person: who knows some of a person's values and finds "
                "them in the person's rows can take all other values there for the person's own, too.",
                column=column,
                others=other_columns(column, self.columns),
            ),
        ]

    def recognised(self, table: Table) -> tuple[Recognised, ...]:
        """Return what a row tells of each column to someone who knows all the others of a person."""
        chosen = [table[name] for name in self.columns]
        flags = [column.counts() < _COMMON * column.n for column in chosen]
        return recognised_anywhere(chosen, flags, 1 / self.size)

    def costs(self, table: Table, *, published: bool = False) -> list[str]:
        limits = {}
        for part, name in zip(self.members, self.columns, strict=True):
            # A release states them: what it shows has moved, and told of another limit than it promises.
            known = part.shares
            shares = self._often(table, name) if known is None else np.array([*known.each.values()])
            limits[name] = self._right(float(shares[shares < _COMMON].max(initial=0.0)))
        return cost_sentences(self.columns, self.size, self.recognised(table), limits, published=published)

    def words(self) -> str:
        return say("{number} columns together by person, 1 in {gamma} kept", number=len(self.columns), gamma=self.size)

    def caution(self, column: str) -> str:
        return ""

    def how(self) -> str:
        return say(
            "{columns} were drawn together by person: all records of a person kept all these values, or each took "
            "those of a record of others, every record of the table with the same chance. Who knows some of a person's "
            "values can recognise a row's combination as the person's own.",
            columns=named_columns(self.columns),
        )

    def able(self, column: str) -> str:
        return say(
            "“{column}” can be re-drawn by person, 1 in {gamma} kept, together with {others}.",
            column=column,
            gamma=self.size,
            others=other_columns(column, self.columns),
        )


def _taken(
    columns: Sequence[Column], who: Ints, drawing: Ints, source: Randomness, progress: Progress = SILENT
) -> Ints:
    """Return (N,) the record whose combination each record takes: its own, but for the records of persons `drawing`."""
    progress.report("Drawing values", 0.0)
    codes, n = stacked(columns), len(who)
    # Records by person, in random order within each.
    ids = permutation(source, n)
    records = ids[np.argsort(who[ids], kind="stable")].astype(np.int64)
    times = np.bincount(who)
    start = np.cumsum(times) - times
    wanted = times[drawing]
    first = below(source, n, len(drawing)).astype(np.int64)  # a place in `records`
    lender = who[records[first]]
    taken = np.arange(n)
    # Of a person with as many records or more: in turn from the first.
    whole = times[lender] >= wanted
    owner, nth = _each(wanted[whole])
    lent = lender[whole][owner]
    place = start[lent] + (first[whole][owner] - start[lent] + nth) % times[lent]
    taken[records[start[drawing[whole]][owner] + nth]] = records[place]
    # Of one with fewer: those that follow in the ring of all such persons.
    progress.report("Drawing values", 0.5)
    ring = _ring(codes, who, records, start, source)
    many, at = times[who[records[ring]]], np.empty(n, np.int64)
    for most in unique(wanted[~whole]).tolist():
        mine, short = ~whole & (wanted == most), ring[many < most]
        at[short] = np.arange(len(short))
        owner, nth = _each(wanted[mine])
        place = short[(at[first[mine]][owner] + nth) % len(short)]
        taken[records[start[drawing[mine]][owner] + nth]] = records[place]
    progress.report("Drawing values", 1.0)
    return taken


def _each(lengths: Ints) -> tuple[Ints, Ints]:
    """Return for each of these many things whose it is, and its number from 0 among these."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _ring(codes: NDArray[Any], who: Ints, records: Ints, start: Ints, source: Randomness) -> Ints:
    """Return (N,) places in `records`, each person's one after another, persons beside others with like values.

    Persons are sorted by one of their records, rare values first, since these tell most whether rows are one person's;
    columns are weighted by chance, too, so that the ring of a release is not known.
    """
    sample = codes[records[start]]
    usual = np.array([np.bincount(column).argmax() for column in sample.T])
    unusual = (sample != usual).mean(axis=0)
    weight = np.maximum(unusual, 1e-9) * (1 + below(source, _JITTER, len(unusual)).astype(np.float64))
    keys = [sample[:, at] for at in np.argsort(-weight)]  # the last key counts most
    order = np.lexsort((permutation(source, len(sample)), *keys))
    times = np.diff(np.append(start, len(who)))[order]
    owner, nth = _each(times)
    return np.asarray(start[order][owner] + nth, np.int64)
