"""A draw per person that keeps tolerances: for columns that one value fills too much of for groups.

Each person keeps all values with the chance a. Else the person's records take the values of one other person with
about as many records, drawn so that on average a share g_s of what is taken is s, whatever the number of records. So a
record keeps its value with a and takes s with (1 - a) g_s: T = a I + (1 - a) 1 g', the joined draw of one row for all,
and all that is said of that one holds (`Joined`). P(true = s | shown s) <= f'_s needs (1 - a) g_s >= a c_s, with
c_s = pi_s (1 - f'_s) / (f'_s - pi_s). With the tolerances of one gamma for all values that is a = 1 / gamma, g = pi, as
in groups of gamma; where values are declared not sensitive, g leans towards the others and a grows.

Values of single members, as `draw.persons` takes them, would not do here: of a yes/no column differing rows would
nearly always be kept ones. Whole persons show the patterns that persons have. Persons of one number of records have
other shares than g; so they are weighted (`_leaned`: exponential tilting, the weights nearest to equal ones in relative
entropy that have the mean wanted), and g leans no further than what all rows tell stays near the tolerances.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.by_person import Effects, counts_of_many, mean_sure, persons
from splu_desktop.core.draw.draw import Draw, Flags, Floats, Ints, Promise, draw_from, registered
from splu_desktop.core.draw.joined import Joined
from splu_desktop.core.draw.joined_chances import (
    PARTS,
    BlockCounts,
    JoinedPart,
    Programme,
    coarse,
    limits_of_gamma,
    parts_of,
    programme,
)
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.groups.design import block_of
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Infeasible, Tolerances, check_feasible
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees.several_releases import ValueDraw
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.randomness import Randomness, below, permutation
from splu_desktop.core.table import IN_MEMORY, Column, Kind, Storage, Table, unique
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.frozen import dataclass

if TYPE_CHECKING:
    from splu_desktop.core.thresholds import Thresholds

_LEANS = (1.0, 0.95, 0.75, 0.5, 0.25, 0.0)  # how far g leans from the shares towards the protected values
_STEPS = 160  # a decade, of the grid of chances
_MARGINS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)  # of a, given up so that rounding fits
_ENOUGH = 100  # persons among whom one is drawn
_MADE_UP = 1e-4  # weight of persons made up, of one part alone, so that every mean can be had
_ROUNDS = 200
_NEXT_TO_NONE = 1e-10  # of what mean shares may be off
_LONGEST = 4.0  # change of a logarithm of weights in a round
_TOLD = 1.2  # times f' that all rows of a person may tell on average
_FEW_AS = 2  # times as many records a value with few is taken to have
_FEWEST = 20
_FAR = 8.0


@registered
@dataclass(frozen=True)
class JoinedPerPerson(Joined):
    """A draw per person with tolerances.

    Attributes
    ----------
    person : the column that tells persons; "" in a release, which doesn't need it.
    persons : number of persons; 0 before the table is known (`learned`), when the parts are a guess.
    effect : design effect of all records (`by_person.Effects`).
    by_record : the draw that this one stands for, whose tolerances it keeps; None in a release.
    """

    person: str = ""
    persons: int = 0
    effect: float = 1.0
    by_record: Draw | None = None

    name = "joined by person"

    # --- settings

    @classmethod
    def of(cls, draw: Draw, person: str) -> JoinedPerPerson:
        """Return the draw per person that keeps the tolerances of another. Raises BadSetting where that has none."""
        limits = draw.tolerated()
        if limits is None:
            raise BadSetting(
                "Columns with {words} can't be drawn per person: a person's values then come from many persons, "
                "not from one group in which a fake value could leave somebody in doubt; leave the fake values "
                "out, or keep one record per person.",
                words=draw.words(),
            )
        return cls(_parts_of_limits(Tolerances(limits)), 1, draw.follows, person, by_record=draw)

    def settings(self) -> dict[str, Any]:
        if not self.persons:
            assert self.by_record is not None
            return {"person": self.person, "by_record": self.by_record.as_dict()}
        return {**super().settings(), "persons": self.persons, "effect": self.effect}

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        if "by_record" in data:
            made = cls.of(draw_from(data["by_record"]), data["person"])
            if not isinstance(data["person"], str) or not data["person"]:
                raise TypeError
            return replace(cls(made.parts, 1), **{n: getattr(made, n) for n in ("follows", "person", "by_record")})
        number, effect = data["persons"], data["effect"]
        if type(number) is not int or number < 1 or type(effect) not in (int, float) or not 1 <= effect < 1e9:
            raise ValueError
        return replace(super().from_settings(data), persons=number, effect=float(effect))

    def recorded(self) -> dict[str, Any]:
        if self.persons:
            return super().recorded()
        return {"draw": self.name, "person": "-", "by_record": self._origin.recorded()}

    @property
    def _origin(self) -> Draw:
        assert self.by_record is not None
        return self.by_record

    def turned(self, gamma: int) -> JoinedPerPerson:
        return JoinedPerPerson.of(self._origin.turned(gamma), self.person)

    def by_person(self, column: str) -> Draw:
        if not column:
            return self._origin
        return self if column == self.person else JoinedPerPerson.of(self._origin, column)

    def fault(self, records: int, domain: object) -> str | None:
        if not 1 <= self.persons <= records:
            return say("the number of persons does not fit the table")
        return super().fault(records, domain)

    # --- carrying it out

    def check(self, column: Column) -> None:
        if column.n == 0:
            raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column.name)
        check_feasible(column, self._tolerances)

    @property
    def _tolerances(self) -> Tolerances:
        return Tolerances({label: part.limit for part in self.parts for label in part.values})

    def fitted(self, column: Column, progress: Progress = SILENT) -> Self:
        return self

    def learned(self, table: Table, column: str, thresholds: Thresholds) -> JoinedPerPerson:
        return self._designed(table, column)[0]

    def within(self, labels: object) -> Self:
        return replace(super().within(labels), person="", by_record=None)

    def _designed(self, table: Table, name: str) -> tuple[JoinedPerPerson, _Persons, list[Floats]]:
        """Return the draw with its chances, the persons of the table, and the weights of compositions by stratum."""
        column, who = table[name], persons(table[self.person])
        known = _DESIGNED.get(column)  # gate, plan, release and its check ask for the same in turn
        if known is not None and known[2].who is who and self in known[:2]:
            return known[1:]
        self.check(column)
        number = int(who.max()) + 1
        if number < _FEWEST:
            raise BadSetting(
                "“{column}” tells {persons} persons, too few to hide among one another; draw each record by "
                "itself, or keep one per person.",
                column=self.person,
                persons=number,
            )
        bearers = np.bincount(unique(who * column.m + column.codes) % column.m, minlength=column.m)
        block = block_of(column.n, int(np.count_nonzero(bearers)))
        counts = counts_of_many(column, who)
        most = np.minimum(BlockCounts.of(counts).most, -(-bearers // block) * block)
        asked = self
        if self.follows is not None:  # by the counts of many: those of records tell who comes often
            free = [label for label, limit in self._tolerances.limits.items() if limit == NOT_SENSITIVE]
            limits = limits_of_gamma(column.labels.tolist(), counts, self.follows, free)
            asked = replace(self, parts=_parts_of_limits(Tolerances(limits)))
        parts = parts_of(most, asked._tolerances.of(column))
        every = _Persons(column, who, parts)
        made = asked._law_of(column, counts, parts, every)
        made = replace(made, persons=number, effect=self.effects(table, who, name, ()).whole)
        _DESIGNED[column] = self, made, every, every.leaned(made.goes)
        return _DESIGNED[column][1:]

    def _law_of(self, column: Column, counts: Ints, parts: list[list[int]], every: _Persons | None) -> Self:
        """Return the draw whose chances keep most values; without persons as if each had one record."""
        exact = self._tolerances.of(column)
        for told in BlockCounts.every(counts):
            problem = programme(parts, told, exact)
            limits = [exact[part[0]] for part in parts]
            if self.follows is not None:  # what gamma gives, not rounded down: shares are told by the chances anyway
                for at, share in enumerate(problem.most.tolist()):
                    if limits[at] < NOT_SENSITIVE:
                        most = min(coarse(share, _STEPS), Fraction(1))
                        limits[at] = most + (1 - most) / self.follows
                problem = replace(problem, limits=np.array([float(limit) for limit in limits]))
            guarded = problem.limits < 1
            few, finer = guarded & [told.least[part].min() <= 1 for part in parts], not told.hides
            if guarded.all():
                few[:] = False  # nothing to lean to
            # By chance a value with few records is more frequent among persons of one number of records than of others.
            more = np.minimum(_FEW_AS * problem.most, (problem.most + problem.limits) / 2)
            problem = replace(problem, most=np.where(few, more, problem.most))
            keep, goes = self._kept_most(problem, every, guarded & ~few)
            if not self._fits(every, goes, keep, problem, few):
                (keep, goes), finer = self._kept_most(problem, every, guarded), True
            if self.follows is not None and guarded.all():  # no more than gamma, which blocks would let by a bit
                keep = min(keep, 1 / self.follows)
            for margin in _MARGINS:
                made = self._rounded(column, parts, limits, problem, keep * (1 - margin), goes)
                if told.kept(made.parts, parts):
                    return replace(made, finer=finer)
        raise Infeasible(
            "No chances keep the tolerances of column “{column}”, since one lies at its value's share of the "
            "records; raise it a little.",
            column=column.name,
        )

    def _kept_most(self, problem: Programme, every: _Persons | None, asked: Flags) -> tuple[float, Floats]:
        """Return the largest chance to keep values, and g, among those that tell no more of the parts `asked`."""
        guarded = problem.limits < 1
        need = np.where(guarded, problem.most * (1 - problem.limits), 0.0)
        need *= problem.sizes / np.maximum(problem.limits - problem.most, 1e-12)  # c, of all values of a part
        total, shares = float(need.sum()), problem.share / problem.share.sum()
        if not total:
            return 1.0, shares
        best = 0.0, shares
        for lean in _LEANS:
            goes = (1 - lean) * shares + lean * need / total
            ratio = float(np.min(goes[guarded] / need[guarded]))
            keep = ratio / (1 + ratio)
            if keep > best[0] and (lean == 0 or self._fits(every, goes, keep, problem, asked)):
                best = keep, goes
        return best

    def _fits(self, every: _Persons | None, goes: Floats, keep: float, problem: Programme, asked: Flags) -> bool:
        return every is None or not asked.any() or every.told(every.leaned(goes), keep, problem, asked) <= _TOLD

    def _rounded(
        self,
        column: Column,
        parts: list[list[int]],
        limits: list[Fraction],
        problem: Programme,
        keep: float,
        goes: Floats,
    ) -> Self:
        feeds = tuple(coarse(float((1 - keep) * g / s), _STEPS) for g, s in zip(goes, problem.sizes, strict=True))
        moved = sum((len(part) * feed for part, feed in zip(parts, feeds, strict=True)), Fraction(0))
        if moved > 1:  # nothing is kept
            feeds = tuple(Fraction(int(feed / moved * PARTS), PARTS) for feed in feeds)
            moved = sum((len(part) * feed for part, feed in zip(parts, feeds, strict=True)), Fraction(0))
        made = [
            JoinedPart(
                tuple(str(column.labels[value]) for value in sorted(part)),
                limits[at],
                min(coarse(float(problem.share[at])), Fraction(1)),
                1 - moved,
                feeds,
            )
            for at, part in enumerate(parts)
        ]
        return replace(self, parts=tuple(made), records=column.n)

    def _guess(self, column: Column) -> Self:
        """Return what the draw would be if each person had one record: before the persons are known."""
        self.check(column)
        parts = parts_of(BlockCounts.of(column.counts()).most, self._tolerances.of(column))
        return replace(self._law_of(column, column.counts(), parts, None), persons=column.n)

    @property
    def goes(self) -> Floats:
        """(p,) share of each part in what is taken."""
        into = np.array([len(part.values) * float(f) for part, f in zip(self.parts, self.parts[0].feeds, strict=True)])
        return np.asarray(into / max(float(into.sum()), 1e-300))

    def redraw(self, column: Column, source: Randomness, progress: Progress, storage: Storage = IN_MEMORY) -> Column:
        raise TypeError("a draw per person needs the table that tells persons")

    def redraw_block(
        self, table: Table, columns: Sequence[str], source: Randomness, progress: Progress, storage: Storage = IN_MEMORY
    ) -> tuple[Column, ...]:
        return tuple(self._redrawn(table, name, source, progress) for name in columns)

    def _redrawn(self, table: Table, name: str, source: Randomness, progress: Progress) -> Column:
        progress.report("Drawing values", 0.0)
        made, every, weights = self._designed(table, name)
        column, who, keeps = table[name], every.who, made.parts[0].keeps
        drawing = np.flatnonzero(below(source, PARTS, every.number) >= int(keeps * PARTS))
        lent = every.drawn(drawing, weights, source)
        progress.report("Drawing values", 0.5)
        # Records by person, in random order within each.
        ids = permutation(source, column.n)
        records = ids[np.argsort(who[ids], kind="stable")]
        times = every.times
        start = np.cumsum(times) - times
        wanted = times[drawing]
        owner = np.repeat(np.arange(len(drawing)), wanted)
        nth = np.arange(len(owner)) - np.repeat(np.cumsum(wanted) - wanted, wanted)
        true = lent[owner] < every.number
        lender = np.where(true, lent[owner], 0)
        taken = column.codes[records[start[lender] + nth % times[lender]]].astype(np.int64)
        part = np.where(true, every.part[taken], lent[owner] - every.number)
        # Within a part all values are as likely, so equal ones of a person go to one at random.
        pairs, which = np.unique(
            owner * (column.m + len(weights[0])) + np.where(true, taken, column.m + part), return_inverse=True
        )
        of = np.zeros(len(pairs), np.int64)
        of[which] = part
        pick = below(source, every.sizes[of].astype(np.uint32), len(pairs))
        codes = column.codes.copy()
        codes[records[start[drawing[owner]] + nth]] = every.values[every.first[of] + pick][which]
        progress.report("Drawing values", 1.0)
        return column.with_codes(codes)

    # --- what its reader knows

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        if self.persons:
            return super().transition(counts, labels)
        codes = np.repeat(np.arange(len(counts), dtype=np.int32), np.round(counts).astype(np.int64))
        column = Column("", Kind.CATEGORY, codes, labels.copy(), np.zeros(len(counts), bool))
        return self._guess(column).transition(counts, labels)

    def figures(self, column: Column, thresholds: Thresholds, *, curves: bool = False) -> dict[str, Any]:
        known = self if self.persons else self._guess(column)
        return super(JoinedPerPerson, known).figures(column, thresholds, curves=curves)

    def effects(self, table: Table, who: Ints, column: str, names: Iterable[str]) -> Effects:
        return Effects.of_courses(table, who, [column], names)

    def widened(self, effects: Effects | None, conditions: Iterable[tuple[Column, Flags]]) -> float:
        return 1.0 if effects is None else effects.selected(conditions)

    def scatter(self, likely: Floats, labels: NDArray[np.object_]) -> Floats:
        return np.asarray(super().scatter(likely, labels) * self.effect**0.5, np.float64)

    def _law(self, at: int) -> tuple[float, float, float]:
        # For T_P persons are counted as if each had one record, for T_f as they scatter (`t_f`).
        if not self.persons:
            return super()._law(at)
        mean, variance, spread = super()._law(at)
        return mean, variance, spread * self.persons / self.records

    def _exact(self, at: int) -> tuple[int, float] | None:
        return None

    @property
    def _draws(self) -> int:
        return self.persons or self.records  # a person's records that show the value add its steps together

    # Before the table is known, T_P and all that is about single values is that of the draw it stands for: that one is
    # at least as sharp, so no less is true of this one.

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        return super().t_p(thresholds, releases) if self.persons else self._origin.t_p(thresholds, releases)

    def promises(self, thresholds: Thresholds, told: Collection[str] = ()) -> tuple[Promise, ...]:
        return super().promises(thresholds, told) if self.persons else self._origin.promises(thresholds, told)

    def by_value(self) -> tuple[ValueDraw, ...]:
        return super().by_value() if self.persons else self._origin.by_value()

    def count_law(self, count: int) -> Floats:
        return super().count_law(count) if self.persons else self._origin.count_law(count)

    def sure(self, releases: int, gammas: Collection[int] = ()) -> float:
        own = Joined(self.parts, self.records, self.follows) if self.persons else self._origin
        return own.sure(releases, gammas) if isinstance(own, Joined) else float(self.confidence)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        if not self.persons:
            return self._origin.t_f(thresholds, releases)
        plain = super().t_f(thresholds, releases)
        # The variance is that of all records, times the design effect; T_f goes with its root.
        return int(np.ceil(plain * (self.effect * self.records / self.persons) ** 0.5))

    def draws_of_person(self, records: int) -> int:
        return 1

    def sure_of_person(self, table: Table, column: str, progress: Progress = SILENT) -> tuple[float, float]:
        who = persons(table[self.person])
        keep = float(self._designed(table, column)[0].parts[0].keeps)
        if not keep:
            return 0.0, keep
        return mean_sure(
            [table[column]], lambda chance: [self._redrawn(table, column, chance, progress)], who, 1 / keep
        ), keep

    @property
    def tells_second(self) -> float:
        return attackers.tells_at_most(self.insider)  # all rows of a person tell, not one

    def readers(self, column: str) -> tuple[str, ...]:
        together = say(
            "Whoever sees all records of a person learns of “{column}” from them together little more than from one: "
            "all are kept, or none is, and those that are not show what another person with about as many records has.",
            column=column,
        )
        if not self._protected:
            return ()
        alone, with_release = attackers.of_independent(column)
        named = attackers.names_person(column, self.insider)
        return alone, with_release, attackers.also_tells(named, self.tells_second), together

    def words(self) -> str:
        return say("{words}, by person", words=super().words())

    def how(self) -> str:
        return say(
            "all records of a person kept their values, or all took those of another person with about as many "
            "records, by chances that stand in release.json (PRAM with a published matrix, by person)."
        )

    def caution(self, column: str) -> str:
        return say(
            "Published shares of “{column}” are not true: persons took values of others by chances that favour "
            "sensitive ones, so every count must be reconstructed, that of the whole table too.",
            column=column,
        )

    def strays(self, column: Column, before: Ints, after: Ints) -> Flags:
        counts = before.astype(np.float64)
        matrix = self.transition(counts, column.labels).matrix
        most = max(column.n - self.persons + 1, 1)  # records of one person at most
        variance = (counts @ (matrix * (1 - matrix))) * most
        return np.asarray(np.abs(after - counts @ matrix) > _FAR * np.sqrt(variance) + _FAR**2 * most)


def _parts_of_limits(tolerances: Tolerances) -> tuple[JoinedPart, ...]:
    """Return the parts of values before anything is known of the table."""
    classes, none = tolerances.classes(), Fraction(0)
    return tuple(
        JoinedPart(labels, limit, none, Fraction(1), (none,) * len(classes)) for limit, labels in classes.items()
    )


class _Persons:
    """The persons of a table by their number of records, and what share of each one's records lies in which part."""

    def __init__(self, column: Column, who: Ints, parts: list[list[int]]) -> None:
        self.who, self.times = who, np.bincount(who)
        self.number = len(self.times)
        self.sizes = np.array([len(part) for part in parts], np.int64)
        self.first = np.cumsum(self.sizes) - self.sizes
        self.values = np.concatenate([np.array(part, np.int32) for part in parts])
        self.part = np.empty(column.m, np.int64)
        for at, part in enumerate(parts):
            self.part[part] = at
        p = len(parts)
        inside = np.bincount(who * p + self.part[column.codes], minlength=self.number * p).reshape(-1, p)
        # Strata of one number of records, or of neighbouring ones where few have it.
        order = np.argsort(self.times, kind="stable")
        ends, many = [0], self.times[order]
        for end in (np.flatnonzero(np.diff(many)) + 1).tolist():
            if end - ends[-1] >= _ENOUGH and self.number - end >= _ENOUGH:
                ends.append(end)
        self.stratum = np.empty(self.number, np.int64)
        self.stratum[order] = np.searchsorted(ends, np.arange(self.number), side="right") - 1
        # Persons of one stratum and one composition stand together.
        by = np.lexsort((*inside.T, self.stratum))
        new = (np.diff(self.stratum[by]) != 0) | (np.diff(inside[by], axis=0) != 0).any(axis=1)
        starts = np.append(0, np.flatnonzero(new) + 1)
        number, shares = np.diff(np.append(starts, self.number)), inside[by[starts]] / self.times[by[starts], None]
        at = np.searchsorted(starts, [*ends, self.number]).tolist()
        self.strata = [
            _Stratum(by[low:high], number[a:b], shares[a:b], int(many[high - 1]))
            for low, high, a, b in zip(ends, [*ends[1:], self.number], at, at[1:], strict=False)
        ]

    def leaned(self, goes: Floats) -> list[Floats]:
        """Return the weights of each stratum's compositions, and last of made-up ones, with the mean shares `goes`."""
        return [_leaned(stratum.shares, stratum.many, goes) for stratum in self.strata]

    def told(self, weights: list[Floats], keep: float, problem: Programme, asked: Flags) -> float:
        """Return how many times its limit someone is sure of a value of parts `asked` who sees all rows, at most.

        On average, of persons with several records that show it; the limit is at least what their share makes of f'.
        """
        worst = 0.0
        for at in np.flatnonzero(asked).tolist():
            right = shown = allowed = 0.0
            more = (problem.limits[at] - problem.most[at]) / (1 - problem.most[at])
            for stratum, weight in zip(self.strata, weights, strict=True):
                if stratum.most < 2:
                    continue
                bears, persons = stratum.shares[:, at] > 0, int(stratum.many.sum())
                own = float(stratum.many[bears].sum()) / persons
                lent = float(weight[: len(bears)][bears].sum()) + float(weight[len(bears) + at])
                shows = keep * own + (1 - keep) * lent
                right += persons * (keep * own + (1 - keep) * lent * own)
                shown += persons * shows
                allowed += persons * shows * max(float(problem.limits[at]), own + (1 - own) * float(more))
            if shown > 0:
                worst = max(worst, right / allowed)
        return worst

    def drawn(self, drawing: Ints, weights: list[Floats], source: Randomness) -> Ints:
        """Return for each person that is drawn another of its stratum; from `number` on one made up, of one part."""
        found = np.empty(len(drawing), np.int64)
        ticket = below(source, PARTS, len(drawing)).astype(np.float64) / PARTS
        for at, (stratum, weight) in enumerate(zip(self.strata, weights, strict=True)):
            here = np.flatnonzero(self.stratum[drawing] == at)
            place = np.minimum(np.searchsorted(np.cumsum(weight), ticket[here], side="right"), len(weight) - 1)
            true = place < len(stratum.many)
            first = np.cumsum(stratum.many) - stratum.many
            own = place[true]
            found[here[true]] = stratum.persons[
                first[own] + below(source, stratum.many[own].astype(np.uint32), len(own))
            ]
            found[here[~true]] = self.number + place[~true] - len(stratum.many)
        return found


@dataclass(frozen=True, eq=False)
class _Stratum:
    """Persons with about as many records, those of one composition together.

    Attributes
    ----------
    persons : by composition. many : (c,) persons of each. shares : (c, p) its share of each part.
    most : records of one person.
    """

    persons: Ints
    many: Ints
    shares: Floats
    most: int


# Column -> the draw asked for, the one that it made of that, the persons, and the weights.
_DESIGNED: WeakKeyDictionary[Column, tuple[JoinedPerPerson, JoinedPerPerson, _Persons, list[Floats]]] = (
    WeakKeyDictionary()
)


def _leaned(shares: Floats, many: Ints, goes: Floats) -> Floats:
    """Return (c + p,) weights of c compositions and p made-up persons, with mean shares `goes`, nearest to equal ones.

    `many` (c,) persons have each composition, of shares (c, p).

    Exponential tilting: w ~ w0 exp(C l), l by Newton's method on the convex dual log sum w0 exp(C l) - l' goes.
    """
    p = shares.shape[1]
    every = np.vstack([shares, np.eye(p)])
    base = np.concatenate([(1 - _MADE_UP) * many / many.sum(), np.full(p, _MADE_UP / p)])
    goes = np.maximum(goes, 1e-9) / np.maximum(goes, 1e-9).sum()
    lam = np.zeros(p)

    def dual(x: Floats) -> float:
        z = every @ x
        top = float(z.max())
        return top + float(np.log(base @ np.exp(z - top))) - float(goes @ x)

    weight = base
    off = np.inf
    for _ in range(_ROUNDS):
        z = every @ lam
        weight = base * np.exp(z - z.max())
        weight /= weight.sum()
        mean = weight @ every
        slope = mean - goes
        off = float(np.abs(slope).max())
        if off < _NEXT_TO_NONE:
            break
        curve = (every * weight[:, None]).T @ every - np.outer(mean, mean) + 1e-12 * np.eye(p)
        step, now = np.linalg.lstsq(curve, slope, rcond=1e-13)[0], dual(lam)
        size = min(1.0, _LONGEST / max(float(np.ptp(step)), 1e-300))  # far out the curve is flat
        # Near the solution the dual's own rounding hides what a step gains: a whole step is right there.
        while off > 1e-5 and size > 1e-8 and dual(lam - size * step) > now - 1e-4 * size * float(slope @ step):
            size /= 2
        lam = lam - size * step
    if off > 1e-6:
        raise ArithmeticError(goes)  # the dual has a solution for every mean within
    return np.asarray(weight, np.float64)
