"""A draw per person: all records of a person keep their values, or take those of others in its group (mechanism.md 10).

Persons form groups of gamma at random, whatever their numbers of records. Each keeps all its values with 1/gamma, and
else takes those of random records of the other members. So a record keeps its value with a, about 1/gamma, and else
shows s with the person-weighted share pi~_s, the mean over persons of the share of their records that have s:
T = a I + (1 - a) 1 pi~'. A value that few persons have stands once among the persons of a group; what T leaves out
there is below a tenth of its noise (`_most_rare`).

Which of a person's records get the same value is taken from a random person with about as many records (`_alike`).
Were all of them one member's, most of whom have a single record, then differing values would show that they were kept:
on diabetes130 with gamma 5 whoever sees them was 42 % sure from 2 records and 73 % from 5; were each drawn from another
member, equal ones would. And one's own equalities must not be published: of a yes/no column they tell nearly all.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.by_person import Effects, mean_sure, persons
from splu_desktop.core.draw.decoy_groups import binomial
from splu_desktop.core.draw.draw import Draw, Flags, Floats, Ints, registered, up
from splu_desktop.core.draw.plain_groups import PlainGroups
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees.several_releases import ValueDraw
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.randomness import Randomness, below, permutation
from splu_desktop.core.table import IN_MEMORY, Column, Storage, Table, unique
from splu_desktop.core.transition.matrix import Independent, MatrixTransition
from splu_desktop.frozen import dataclass

if TYPE_CHECKING:
    from splu_desktop.core.thresholds import Thresholds

_SWEEPS = 500
_FEWEST_GROUPS = 5
_FAR = 8.0
_NEAR = 50  # persons with about as many records among whom one is drawn


@dataclass(frozen=True)
class Shares:
    """What a release tells of the persons behind a column.

    Attributes
    ----------
    each : value -> person-weighted share pi~, of values that enough persons have.
    rest : share of all other values together.
    persons : number of persons, n.
    effect : design effect of all records (`by_person.Effects`).
    few : persons below which a value's share is not told; 0 in a release, which tells what it tells.
    most : in a release, the share that a value which is not told has at most.
    """

    each: Mapping[str, float]
    rest: float
    persons: int
    effect: float = 1.0
    few: int = 0
    most: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "each", MappingProxyType(dict(self.each)))

    def __hash__(self) -> int:
        return hash((self.persons, self.rest))

    def told(self) -> dict[str, float]:
        """Return the shares that a release tells."""
        return {label: share for label, share in self.each.items() if share * self.persons >= self.few}

    @property
    def untold(self) -> float:
        """The share that a value which is not told has at most, for the reader of a release."""
        rest = max(1 - sum(self.told().values()), 0.0) if self.few else self.rest
        return min(rest, self.few / self.persons if self.few else self.most)

    def of(self, labels: NDArray[np.object_], counts: Floats) -> tuple[Floats, Flags]:
        """Return (m,) pi~, values that are not told sharing `rest` like their counts, and which are told."""
        told = np.array([str(label) in self.each for label in labels], bool)
        shares = np.array([self.each.get(str(label), 0.0) for label in labels])
        rare = np.where(told, 0.0, counts)
        if rare.sum() > 0:
            shares = shares + self.rest * rare / rare.sum()
        if np.count_nonzero(rare) == 1:  # the rest is told, and all its own
            told = told | (rare > 0)
        return shares / max(float(shares.sum()), 1e-300), told


def _stated(share: float) -> float:
    """Return a share as a release states it."""
    return float(f"{share:.3g}")


@registered
@dataclass(frozen=True)
class DrawPerPerson(Draw):
    """A draw per person from groups of one size.

    Attributes
    ----------
    size : gamma, from 2: persons in a group.
    person : the column that tells persons; "" in a release, which doesn't need it.
    shares : None before the table is known (`learned`).
    """

    size: int
    person: str = ""
    shares: Shares | None = None

    name = "by person"
    true_shares = False

    def __post_init__(self) -> None:
        if type(self.size) is not int or self.size < 2:
            raise BadSetting(
                "The group size gamma must be a whole number from 2, not {gamma}.", gamma=repr(self.size)[:40]
            )

    # --- settings

    def settings(self) -> dict[str, Any]:
        found: dict[str, Any] = {"gamma": self.size}
        if self.person:
            found["person"] = self.person
        if self.shares is not None:
            found |= {"shares": dict(self.shares.each), "rest": self.shares.rest, "persons": self.shares.persons}
            found |= {"effect": self.shares.effect, "most": self.shares.most}
        return found

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        shares = None
        if "shares" in data:
            each, rest, number, effect = data["shares"], data["rest"], data["persons"], data["effect"]
            most = data.get("most", rest)
            numbers = [*each.values(), rest, most]
            if not all(type(x) in (int, float) and 0 <= x <= 1 for x in numbers) or type(number) is not int:
                raise ValueError
            if type(effect) not in (int, float) or not 1 <= effect < 1e9:
                raise ValueError
            shares = Shares(each, float(rest), number, float(effect), most=float(most))
        if not isinstance(data.get("person", ""), str):
            raise TypeError
        return cls(data["gamma"], data.get("person", ""), shares)

    def recorded(self) -> dict[str, Any]:
        return {"draw": self.name, "gamma": self.size}

    @property
    def gamma(self) -> int | None:
        return None  # a published count is no binomial of the column's own count

    @property
    def follows(self) -> int:
        return self.size

    def turned(self, gamma: int) -> DrawPerPerson:
        return replace(self, size=gamma)

    def by_person(self, column: str) -> Draw:
        if column:
            return self if column == self.person else replace(self, person=column, shares=None)
        return PlainGroups(self.size)

    def learned(self, table: Table, column: str, thresholds: Thresholds) -> Self:
        who = self._persons(table)
        number = self._number(who)
        values = table[column]
        if not values.n:
            raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column)
        weights = 1 / np.bincount(who)[who]
        shares = np.bincount(values.codes, weights, values.m) / number
        each = dict(zip(map(str, values.labels), shares.tolist(), strict=True))
        effect = self.effects(table, who, column, ()).whole
        few = guarantees.t_f(self.size, thresholds.epsilon, thresholds.t_e)
        return replace(self, shares=Shares(each, 0.0, number, effect, few))

    def within(self, labels: object) -> Self:
        """Return what is published: shares rounded, and no share of a value that few persons have."""
        if self.shares is None:
            return self
        known = {str(label) for label in labels}  # type: ignore[attr-defined]
        told = {x: y for x, y in self.shares.told().items() if x in known}
        rest = max(1 - sum(told.values()), 0.0) if self.shares.few else self.shares.rest
        each = {x: _stated(y) for x, y in told.items()}
        shares = replace(self.shares, each=each, rest=_stated(rest), few=0, most=_stated(self.shares.untold))
        return replace(self, person="", shares=shares)

    def fault(self, records: int, domain: Sequence[str]) -> str | None:
        if self.shares is None:
            return say("the shares of its values among persons are missing")
        if not self.size <= self.shares.persons <= records:
            return say("the number of persons does not fit the table")
        total = sum(self.shares.each.values()) + self.shares.rest
        return None if set(self.shares.each) <= set(domain) and abs(total - 1) < 0.05 else say("its shares do not fit")

    # --- carrying it out

    def check(self, column: Column) -> None:
        if column.n == 0:
            raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column.name)
        if column.compacted().m < 2:
            raise BadSetting(
                "All records have the same value of “{column}”; there is nothing to draw.", column=column.name
            )

    def redraw(self, column: Column, source: Randomness, progress: Progress, storage: Storage = IN_MEMORY) -> Column:
        raise TypeError("a draw per person needs the table that tells persons")

    def redraw_block(
        self, table: Table, columns: Sequence[str], source: Randomness, progress: Progress, storage: Storage = IN_MEMORY
    ) -> tuple[Column, ...]:
        who = self._persons(table)
        self._number(who)
        return tuple(self._redrawn(table[name], who, source, progress) for name in columns)

    def _persons(self, table: Table) -> Ints:
        return persons(table[self.person])

    def _number(self, who: Ints) -> int:
        number = int(who.max()) + 1 if len(who) else 0
        if number < _FEWEST_GROUPS * self.size:
            raise BadSetting(
                "“{column}” tells {persons} persons, too few for groups of {gamma}; make gamma smaller, or draw "
                "each record by itself.",
                column=self.person,
                persons=number,
                gamma=self.size,
            )
        return number

    def _redrawn(self, column: Column, who: Ints, source: Randomness, progress: Progress) -> Column:
        number = int(who.max()) + 1
        groups = number // self.size
        progress.report("Forming groups", 0.0)
        at = permutation(source, number).astype(np.int64)  # at[p] is the person in place p, of group p mod r
        at = _apart(at, groups, _rare_pairs(column, who, number, self.size), column.m, source, progress)
        place = np.empty(number, np.int64)
        place[at] = np.arange(number)
        group = place % groups
        progress.report("Drawing values", 0.0)
        sizes = (number - 1 - group) // groups + 1
        drawing = np.flatnonzero(below(source, sizes.astype(np.uint32), number) > 0)
        # Records by person, in random order within each; and which of a person's have the same value.
        ids = permutation(source, column.n)
        records = ids[np.argsort(who[ids], kind="stable")]
        times = np.bincount(who)
        start = np.cumsum(times) - times
        pairs, pair = np.unique(who[records] * column.m + column.codes[records], return_inverse=True)
        nth_value = pair - np.searchsorted(pairs // column.m, np.arange(number))[who[records]]
        progress.report("Drawing values", 0.4)
        like = _alike(times, source)[drawing]
        wanted = times[drawing]
        owner = np.repeat(np.arange(len(drawing)), wanted)
        nth = _within(wanted)
        of = nth_value[start[like[owner]] + nth % times[like[owner]]]
        each, which = np.unique(owner * (int(nth_value.max()) + 1) + of, return_inverse=True)
        by, of = np.divmod(each, int(nth_value.max()) + 1)
        progress.report("Drawing values", 0.7)
        # Different values come from different members of the group, in turn from a random one, and then from anyone.
        others = sizes[drawing] - 1
        turn = (below(source, others.astype(np.uint32), len(drawing))[by] + of) % others[by]
        row = (place[drawing] // groups)[by] + 1 + turn
        lent = at[group[drawing][by] + groups * (row % sizes[drawing][by])]
        more = of >= others[by]
        lent[more] = below(source, number, int(more.sum()))
        taken = records[start[lent] + below(source, times[lent].astype(np.uint32), len(lent))]
        codes = column.codes.copy()
        codes[records[start[drawing[owner]] + nth]] = column.codes[taken[which]]
        progress.report("Drawing values", 1.0)
        return column.with_codes(codes)

    # --- what its reader knows

    def _known(self, counts: Floats) -> Shares:
        """Return the shares, those of records where nothing is known of persons yet."""
        return self.shares or Shares({}, 1.0, max(int(counts.sum()), 1))

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        known = self._known(counts)
        a = (known.persons // self.size) / known.persons or 1 / self.size
        shares, told = known.of(labels, counts)
        matrix = a * np.eye(len(counts)) + (1 - a) * shares
        return PersonTransition(int(counts.sum()), counts, Independent(matrix), a, shares, told)

    def widened(self, effects: Effects | None, conditions: Iterable[tuple[Column, Flags]]) -> float:
        return 1.0 if effects is None else effects.selected(conditions)

    def count_law(self, count: int) -> Floats:
        return binomial(self.size * count, 1, self.size)  # of persons, for a value that stands once in a group

    def scatter(self, likely: Floats, labels: NDArray[np.object_]) -> Floats:
        # Records of a person come and go together; what is reconstructed is magnified by gamma, as in `t_f`.
        matrix = self.transition(likely, labels).matrix
        shown = np.sqrt(self._effect * (likely @ (matrix * (1 - matrix))))
        return np.asarray(shown if self.true_shares else self.size * shown, np.float64)

    @property
    def _effect(self) -> float:
        return 1.0 if self.shares is None else self.shares.effect

    # --- what is promised

    @property
    def confidence(self) -> Fraction:
        # Another person's value may be the own one: of the most frequent value that is often so.
        known = self.shares
        most = 0.0 if known is None else max(known.told().values(), default=0.0)
        most = most if known is None else max(most, known.untold)
        return self._right(min(most, 1.0))

    def _right(self, share: float) -> Fraction:
        """Return how many of the rows that show a value are right, each person counted once: pi~ + (1 - pi~) / gamma.

        Rounded up, as it is told and stored. share : pi~, of the persons, taken as a release states it: a plan says the
        same.
        """
        share = _stated(share)
        return max(Fraction(math.ceil(1000 * (share + (1 - share) / self.size) - 1e-9), 1000), Fraction(1, self.size))

    @property
    def insider(self) -> float:
        # A person with several values takes them from as many of the group's members, or from anybody where these are
        # too few: a sole bearer who has nothing else is then nearly always among them.
        return 1.0

    def by_value(self) -> tuple[ValueDraw, ...]:
        return (ValueDraw((), Fraction(1, self.size)),)  # of values that hardly anybody else has

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        return guarantees.t_p(self.size, thresholds.epsilon, thresholds.alpha, releases)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        # Of f records with a rare value the estimate has the variance D f (gamma^2 - 1): f / gamma of its own that come
        # or go, and as many of others as would bring f back, all magnified by gamma; by the normal law.
        quantile = NormalDist().inv_cdf(1 - float(thresholds.t_e) / 2)
        return math.ceil(self._effect * (self.size**2 - 1) * (quantile / float(thresholds.epsilon)) ** 2 / releases)

    def limit(self, label: str) -> Fraction:
        """Return how many of the rows that show it are right; who knows nothing but shares is right with pi~."""
        known = self.shares
        return self._right(0.0 if known is None else known.told().get(label, known.untold))

    def sure_of_person(self, table: Table, column: str, progress: Progress = SILENT) -> tuple[float, float]:
        who = self._persons(table)
        before = [table[column]]
        sure = mean_sure(before, lambda chance: [self._redrawn(before[0], who, chance, progress)], who, self.size)
        return sure, 1 / self.size

    def readers(self, column: str) -> tuple[str, ...]:
        return attackers.of_persons(column, self.size, up(self.confidence), self.insider)

    def draws_of_person(self, records: int) -> int:
        return 1

    def sentences(self, column: str, thresholds: Thresholds, told: Collection[str] = ()) -> list[str]:
        found: list[str] = [
            say(
                "The values of “{column}” in a person's records are all kept with a probability of 1 in {gamma}, or "
                "all are those of other persons.",
                column=column,
                gamma=self.size,
            ),
            say(
                "Whoever knows one of a person's values of “{column}”, a rare one, and finds it in the person's rows "
                "can take the others there for the person's own, too.",
                column=column,
            ),
            say(
                "If {alpha} persons or fewer have a value of “{column}”, their number is shown wrong by more than "
                "{error} with a probability of at least {chance} %.",
                column=column,
                alpha=thresholds.alpha,
                error=Figure(f"{100 * thresholds.epsilon:g} %"),
                chance=0 if told else int(100 * self.t_p(thresholds) * (1 + 1e-12)),
            ),
        ]
        if self.shares is not None:
            found.append(
                say(
                    "Published counts of “{column}” are not those of the source. Reconstructed, a count of {t_f} "
                    "records or more in the whole table is within {error} of the true one with a probability of "
                    "about {chance} %.",
                    column=column,
                    t_f=self.t_f(thresholds),
                    error=Figure(f"{100 * thresholds.epsilon:g} %"),
                    chance=Figure(f"{100 * (1 - thresholds.t_e):g}"),
                )
            )
        return found

    def words(self) -> str:
        return say("persons in groups of {gamma}", gamma=self.size)

    def caution(self, column: str) -> str:
        return say(
            "Published shares of “{column}” are not true: where values were re-drawn each person weighs alike, however "
            "many records they have, so every count must be reconstructed, that of the whole table too.",
            column=column,
        )

    def how(self) -> str:
        return say(
            "every person was put into a group with other persons at random; either all records of the person kept "
            "their values, or all took those of random records of the others (mechanism SPLU-Gen by person). Shares of "
            "values are therefore between those among persons and those among records."
        )

    def able(self, column: str) -> str:
        return say("“{name}” can be re-drawn by person, in groups of {gamma}.", name=column, gamma=self.size)

    def chance(self) -> str:
        return say("1 in {gamma}, and up to {most} of frequent values", gamma=self.size, most=up(self.confidence))

    def odds(self, column: str | None = None) -> str:
        return say(
            "1 in {gamma} rows, and up to {most} of those that show frequent values",
            gamma=self.size,
            most=up(self.confidence),
        )

    # --- what a check of a release looks at

    def strays(self, column: Column, before: Ints, after: Ints) -> Flags:
        known = self.shares
        if known is None:
            return np.zeros(len(before), bool)
        counts = before.astype(np.float64)
        matrix = self.transition(counts, column.labels).matrix
        most = column.n - known.persons + 1  # records of one person at most
        # Of all tables with so many persons, one with a single person of all further records strays most.
        variance = (counts @ (matrix * (1 - matrix))) * most
        return np.asarray(np.abs(after - counts @ matrix) > _FAR * np.sqrt(variance) + _FAR**2 * most)


@dataclass(frozen=True, eq=False)
class PersonTransition(MatrixTransition):
    """T = a I + (1 - a) 1 pi~'.

    Attributes
    ----------
    keep : a.
    shares : (m,) pi~.
    told : (m,) whether pi~ is told, or follows from the value's own published count.
    """

    keep: float
    shares: Floats
    told: Flags

    @cached_property
    def _inverted(self) -> tuple[Floats, Floats]:
        m = len(self.counts)
        inverse = (np.eye(m) - (1 - self.keep) * self.shares) / self.keep
        return inverse, np.zeros((0, m))

    @property
    def readable(self) -> Flags:
        return np.ones(len(self.counts), bool)

    @property
    def moving(self) -> Flags:
        """(m,) the values whose share is taken from their published counts."""
        return ~self.told

    def variance(self, x: Floats, chosen: Flags | None = None) -> Floats:
        # The estimate of a set is (y - (1 - a) N_P pi~) / a. Untold values share a fixed rest as their published counts
        # do: with w the set's part of these, a record that shows an untold value of the set takes c (1 - w) off, one
        # that shows another untold value adds c w.
        a = self.keep
        sets = np.eye(len(self.counts)) if chosen is None else chosen.astype(np.float64)
        total = x.sum(axis=1, keepdims=True)
        rare = float(self.counts[~self.told].sum())
        c = (1 - a) * total * float(self.shares[~self.told].sum()) / rare if rare else 0 * total
        unknown = sets * ~self.told[:, None]
        part = (self.counts @ unknown) / rare if rare else np.zeros(sets.shape[1])
        shown = sets - unknown, unknown, ~self.told[:, None] - unknown
        come = [(1 - a) * (self.shares @ flags) for flags in shown]

        def spread(records: Floats, adds: Sequence[Floats | float]) -> Floats:
            """Return the variance of what records (Q, m) add that show values of `shown`."""
            found: Floats = np.zeros((len(records), sets.shape[1]))
            numbers = [records @ flags for flags in shown]
            for own, number in enumerate([*numbers, records.sum(axis=1, keepdims=True) - sum(numbers)]):
                each = [(come[at] + a * (at == own), add) for at, add in enumerate(adds)]
                mean: Floats = np.asarray(sum(chance * add for chance, add in each))
                square: Floats = np.asarray(sum(chance * add**2 for chance, add in each))
                found += np.maximum(number, 0.0) * (square - mean**2)
            return found

        inside = spread(x, (1.0, 1 - c * (1 - part), c * part))
        outside = spread(np.maximum(self.counts - x, 0.0), (0.0, -c * (1 - part), c * part))
        return np.asarray(np.maximum((inside + outside) / a**2, 1e-9), np.float64)


def _alike(times: Ints, source: Randomness) -> Ints:
    """Return (n,) a random person with about as many records as each has: of the next in the order of `times`."""
    mixed = permutation(source, len(times)).astype(np.int64)
    ranked = mixed[np.argsort(times[mixed], kind="stable")]
    reach = min(_NEAR, len(times))
    first = np.clip(np.arange(len(times)) - reach // 2, 0, len(times) - reach)
    found = np.empty(len(times), np.int64)
    found[ranked] = ranked[first + below(source, reach, len(times))]
    return found


def _within(lengths: NDArray[Any]) -> Ints:
    """Return 0, 1, ... within each of these lengths."""
    return np.asarray(np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths))


def _most_rare(number: int, size: int) -> float:
    """Return how many persons a value may have that stands once in a group.

    Other records of a person who has s then never get it from others, so a count is too low by the share
    (gamma - 1) n_s / n of them, beside a noise of gamma / sqrt(n_s): a tenth at n_s = (n / 20)^(2/3). And only where
    few clash can groups be found by exchanging persons.
    """
    return float(max(min((number / 20) ** (2 / 3), number / (10 * (size - 1))), 1.0))


def _rare_pairs(column: Column, who: Ints, number: int, size: int) -> tuple[Ints, Ints]:
    """Return persons and values, one entry for each rare value of each person."""
    pairs = unique(who * column.m + column.codes)
    person, value = np.divmod(pairs, column.m)
    rare = np.bincount(value, minlength=column.m) <= _most_rare(number, size)
    return person[rare[value]], value[rare[value]]


def _apart(at: Ints, groups: int, pairs: tuple[Ints, Ints], m: int, source: Randomness, progress: Progress) -> Ints:
    """Return the persons in their places with persons exchanged until no group holds a rare value twice."""
    person, value = pairs
    for _ in range(_SWEEPS):
        place = np.empty(len(at), np.int64)
        place[at] = np.arange(len(at))
        keys = place[person] % groups * m + value
        order = np.argsort(keys, kind="stable")
        twice = keys[order][1:] == keys[order][:-1]
        if not twice.any():
            return at
        clashing = unique(person[order[1:][twice]])
        partners = unique(below(source, len(at), len(clashing)).astype(np.int64))
        partners = np.setdiff1d(partners, clashing)
        partners = partners[permutation(source, len(partners))]
        clashing = clashing[permutation(source, len(clashing))][: len(partners)]
        at[place[clashing]], at[place[partners]] = partners, clashing
        progress.report("Forming groups", 0.5)
    raise BadSetting(
        "No groups of persons were found in which each rare value stands once; make gamma smaller, or values coarser."
    )
