"""Persons with several records: what is done about them, and how their records hang together.

One record per person, a draw per person (`draw.persons`), or each record for itself with the reason in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.randomness import Randomness, SystemRandomness, below, permutation
from splu_desktop.core.table import Column, Kind, Table, remembered, unique
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]

WAYS = ("draw", "first", "last", "random", "record")
ONE = ("first", "last", "random")
NUMBER = "person number"  # name of the column
REST = "*"  # stands for rarer values of a column
LEFT_OUT = "persons_left_out"  # entry of `Table.origin`
SHIFTED = "dates_shifted"  # another
MOST_DAYS = 36_500

_WELL_KNOWN = 100  # records from which a value has a design effect of its own, persons from which a correlation is told
_MANY = 20  # times anybody's squares, from which those of all who have a value are looked at
_COUNTED = 10  # persons who come as often, that how often one comes counts
_MOST_LABELS = 200  # of columns whose values have one each
_MEASURING, _MEASURED = 9176, 100_000  # stream of chance, and records drawn to measure something
_CELLS = 16  # of persons by values, times the records, up to which a table of them is quicker than sorting


@dataclass(frozen=True)
class ByPerson:
    """What is done about persons with several records.

    Attributes
    ----------
    column : the identifier that repeats.
    way : "draw" for a draw per person; "first", "last" or "random" for one record per person; "record" for each record
        by itself.
    reason : why each record stands for itself; needed for that, and shown in gate and report.
    order : column by whose values records are first or last, "" for the order of the file.
    number : whether each person gets a random number in the release, another in each, by which its records are found.
    shift : columns of dates that are moved by one random number of days per person, the same in all of them.
    days : the most days they are moved, either way.
    """

    column: str
    way: str
    reason: str = ""
    order: str = ""
    number: bool = False
    shift: tuple[str, ...] = ()
    days: int = 0

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise BadSetting(
                "There is no way “{way}” to treat persons with several records; choose among {known}.",
                way=str(self.way)[:40],
                known=", ".join(WAYS),
            )
        if self.way == "record" and not self.reason.strip():
            raise BadSetting(
                "Say in words why each record of a person in “{column}” may be drawn by itself: whoever sees "
                "them all learns more than from one.",
                column=self.column,
            )
        if self.reason and self.way != "record":
            raise BadSetting(
                "A reason says why each record of a person stands for itself; it belongs to the way “record”, not to "
                "“{way}”.",
                way=self.way,
            )
        if self.order and self.way not in ("first", "last"):
            raise BadSetting("A column says which record is a person's first or last; choose one of the two with it.")

        object.__setattr__(self, "shift", tuple(self.shift))
        if bool(self.shift) != bool(self.days) or not 0 <= self.days <= MOST_DAYS:
            raise BadSetting(
                "Dates are shifted by 1 to {most} days at most, not by {days}.", most=MOST_DAYS, days=self.days
            )
        if self.number and self.way != "draw":
            raise BadSetting("A person number shows which records are one person's; choose a draw per person with it.")

    @property
    def drawn(self) -> str:
        """The column that persons are drawn by, "" where records are."""
        return self.column if self.way == "draw" else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it goes by."""
        return tuple(filter(None, (self.column, self.order, *self.shift)))

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data; entries left empty are left out."""
        found = {name: said for name in ("column", "way", "reason", "order", "number") if (said := getattr(self, name))}
        return {**found, **({"shift": list(self.shift), "days": self.days} if self.shift else {})}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ByPerson:
        """Return what `as_dict` gave. Raises BadSetting, TypeError."""
        kinds = {"number": bool, "shift": list, "days": int}
        if not all(type(said) is kinds.get(name, str) for name, said in data.items()):
            raise TypeError
        if not all(type(name) is str for name in data.get("shift", ())):
            raise TypeError
        return cls(**data)


@remembered
def persons(column: Column) -> Ints:
    """Return (N,) a number per person, from 0; a record without an identifier is a person of its own."""
    codes = first_spelling(column)[column.codes].astype(np.int64)
    unknown = column.missing[column.codes]
    codes[unknown] = column.m + np.arange(int(unknown.sum()))
    found = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    found.flags.writeable = False  # every column of a plan asks for it several times
    return found


@remembered
def first_spelling(column: Column) -> Ints:
    """Return (m,) the first label that is the same but for capitals, blanks and noughts in front: M0012 is m0012."""
    own = np.arange(column.m)
    texts = column.texts
    if column.kind not in (Kind.CATEGORY, Kind.TEXT) or (isinstance(texts, Texts) and not _spelled(texts)):
        return own
    first: dict[str, int] = {}
    for at, text in enumerate(texts):
        plain = " ".join(str(text).split()).casefold()
        own[at] = first.setdefault(plain.lstrip("0") if plain.isdecimal() else plain, at)
    return own


def _spelled(texts: Texts) -> bool:
    """Whether there are blanks, noughts in front, or letters of both cases: else no two are spellings of one."""
    raw = texts.raw
    small, large = (bool(((raw >= low) & (raw < low + 26)).any()) for low in b"aA")
    return (small and large) or bool((raw[:, 0] == ord("0")).any()) or texts.has(b" \t")


def numbered(who: Ints, source: Randomness) -> Column:
    """Return a column with a random number of each person, from 1, for the records of persons (N,)."""
    number = int(who.max()) + 1
    labels = np.array([str(each) for each in range(1, number + 1)], object)
    codes = permutation(source, number)[who]
    values = np.arange(1, number + 1, dtype=np.float64)
    return Column.from_codes(NUMBER, codes, labels, np.zeros(number, bool), values, kind=Kind.INTEGER)


def shifted(table: Table, choice: ByPerson | None, source: Randomness) -> Table:
    """Return the table with its dates moved by one random number of days per person, where that is chosen.

    Uniform from -days to days, the same in all columns chosen; the numbers are gone when this returns. A table that is
    shifted already stays as it is. Raises UnknownColumn, BadSetting.
    """
    if choice is None or not choice.shift or SHIFTED in table.origin:
        return table
    who = persons(table[choice.column])
    number = int(who.max()) + 1 if len(who) else 0
    moved = (below(source, 2 * choice.days + 1, number).astype(np.int64) - choice.days)[who]
    columns = [_moved(column, moved) if column.name in choice.shift else column for column in table.columns]
    return replace(table, columns=tuple(columns), origin=table.origin | {SHIFTED: True})


def _moved(column: Column, days: Ints) -> Column:
    """Return a column of dates with each record's moved by (N,) days; what is no date stays as it is."""
    check_dates(column)
    assert column.values is not None
    unit = "datetime64[D]" if column.kind is Kind.DATE else "datetime64[us]"
    dates = column.values.astype(unit)[column.codes]
    known = ~np.isnat(dates) & ~column.missing[column.codes]
    found, to = np.unique(dates[known] + days[known].astype("timedelta64[D]"), return_inverse=True)
    rest, other = np.unique(column.codes[~known], return_inverse=True)
    codes = np.empty(column.n, np.int64)
    codes[known], codes[~known] = to, len(found) + other
    spelled = np.array([str(date).replace("T", " ") for date in found.tolist()], object)
    labels = np.concatenate([spelled.astype(object), column.labels[rest]])
    values = np.concatenate([found.astype("datetime64[us]"), column.values[rest].astype("datetime64[us]")])
    missing = np.concatenate([np.zeros(len(found), bool), column.missing[rest]])
    return Column.from_codes(column.name, codes, labels, missing, values, kind=column.kind)


def check_dates(column: Column) -> None:
    """Raise BadSetting unless a column holds dates."""
    if column.kind not in (Kind.DATE, Kind.DATETIME) or column.values is None:
        raise BadSetting(
            "“{column}” holds no dates, so it can't be shifted; name columns of dates.", column=column.name
        )


def known_by_distances(table: Table, who: Ints, names: Iterable[str]) -> float:
    """Return the share of persons that are unique by the days between their dates, which shifting leaves."""
    number = int(who.max()) + 1
    first = np.full(number, np.iinfo(np.int64).max)
    days = []
    for name in names:
        column = table[name]
        check_dates(column)
        assert column.values is not None
        each = column.values.astype("datetime64[D]")[column.codes]
        known = ~np.isnat(each)
        day = np.where(known, each.astype(np.int64), 0)
        np.minimum.at(first, who[known], day[known])
        days.append((day, known))
    apart = []
    for at, (day, known) in enumerate(days):
        values, codes = np.unique(np.where(known, day - first[who], -1), return_inverse=True)
        labels = np.array([str(value) for value in values.tolist()], object)
        apart.append(Column(str(at), Kind.CATEGORY, codes.astype(np.int32), labels, np.zeros(len(labels), bool)))
    return unique_courses(Table(tuple(apart)), who, [column.name for column in apart])[0]


def unique_courses(table: Table, who: Ints, names: Iterable[str]) -> tuple[float, float]:
    """Return the share of persons that are unique by the rows of all their records, and by one of them alone.

    Parameters
    ----------
    table : N records.
    who : (N,) persons.
    names : columns published unchanged; rows are compared in these, whatever their order.
    """
    row = np.zeros(table.n, np.int64)
    for name in names:
        column = table[name]
        row = np.unique(row * column.m + column.codes, return_inverse=True)[1].astype(np.int64)
    number = int(who.max()) + 1
    keys = SystemRandomness().bits(2 * (int(row.max()) + 1)).view(np.uint64)
    course = np.zeros(number, np.uint64)
    np.add.at(course, who, keys[row])  # two courses have one sum with a probability of 2^-64
    alone = np.bincount(np.unique(course, return_inverse=True)[1])
    single = np.bincount(row)[row] == 1
    found = np.bincount(who, single, number) > 0
    return float((alone == 1).sum()) / number, float(found.mean())


def one_per_person(
    table: Table, choice: ByPerson | None, source: Randomness | None = None, kept: Ints | None = None
) -> Table:
    """Return the table with one record of each person, in its order, where that is chosen; else the table itself.

    `Table.origin` has the number of records left out then. Raises UnknownColumn, BadSetting.

    kept : what `records_kept` gave before: at random, asked again, it gives others, of which other figures hold.
    """
    if choice is None or choice.way not in ONE or LEFT_OUT in table.origin:
        return table
    taken = table.take(records_kept(table, choice, source) if kept is None else kept)
    # Values that only records left out had go with them: no draw knows what to do with a value that nobody has.
    columns = tuple(column.compacted() for column in taken.columns)
    return replace(taken, columns=columns, origin=table.origin | {LEFT_OUT: table.n - taken.n})


def records_kept(table: Table, choice: ByPerson, source: Randomness | None = None) -> Ints:
    """Return (persons,) the place of the record that each person keeps, rising. Raises UnknownColumn, BadSetting."""
    for name in choice.columns:
        if name not in table:
            raise UnknownColumn(name, table.names)
    who = persons(table[choice.column])
    if choice.way == "random":
        rank = permutation(source or SystemRandomness(), table.n).astype(np.int64)
    elif choice.order:
        column = table[choice.order]
        if column.values is None:
            raise BadSetting("“{column}” has no order: choose a column of dates or numbers.", column=choice.order)
        rank = column.codes.astype(np.int64)  # labels stand in the order of their values; missing ones last
        if choice.way == "last":
            rank = np.where(column.missing[column.codes], -1, rank)
    else:
        rank = np.arange(table.n)
    by = np.lexsort((np.arange(table.n), rank, who))
    edge = who[by][1:] != who[by][:-1]
    taken = by[np.r_[edge, True]] if choice.way == "last" else by[np.r_[True, edge]]
    return np.asarray(np.sort(taken), np.int64)


@dataclass(frozen=True)
class Effects:
    """How many times the variance of as many independent records sums over records have: design effects.

    What scatters together in k records each scatters as sum k^2, where single records scatter as sum k; k counts the
    records of the selection.

    Attributes
    ----------
    whole : of all records.
    columns : unchanged column -> value -> that of its records; under `REST` what the rarer ones have on average.
    moving : share of the records that show what others have, where it is read off published counts; else 0.
    correlations : unchanged column of numbers or dates -> that of the ranks of two records of a person, at least 0.
    """

    whole: float
    columns: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    moving: float = 0.0
    correlations: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "correlations", MappingProxyType(dict(self.correlations)))
        object.__setattr__(self, "columns", MappingProxyType({n: dict(e) for n, e in self.columns.items()}))

    @classmethod
    def of(cls, table: Table, who: Ints, sensitive: str, names: Iterable[str]) -> Effects:
        """Return the effects of all records and of the values of some columns, for sums over a sensitive column.

        Records of a person that have the same value take the same, those that differ take values of different members.
        Of k records k_s have one of the values counted, whose share is pi, and the sum scatters with (k_s - k pi)^2:
        pi (1 - pi) times the sum of the squares of the equal ones, as long as values that differ are among those
        counted independently. So they nearly are, whatever is counted: within a tenth for values and sets of five
        columns of diabetes130.
        """
        return cls._of(table, who, _parts(who, _squares(table[sensitive], who)), names)

    @classmethod
    def of_courses(cls, table: Table, who: Ints, columns: Sequence[str], names: Iterable[str]) -> Effects:
        """Return the same where all of a person's records are kept, or all are those of others, in columns at once.

        Of k records with k_s of the value s kept or not at once, k pi_s would come else, so that the sum scatters with
        (k_s - k pi_s)^2, where single records scatter with (1 - pi_s)^2 and pi_s^2; those of another person likewise.
        A rare value's squares are larger by far than a common one's, so they would tell who has it. So it is how many
        of a person's records agree beyond chance, which is the same whatever they have, and what that misses of all
        records, as bearers come more often: of the values that enough persons have, each person's counting up to those
        of the `_COUNTED`-th. Means over the columns, each by its records of rarer values.
        """
        times = np.bincount(who).astype(np.float64)
        parts, every = np.zeros(len(times)), 0.0
        for column in (table[name] for name in columns):
            pi = counts_of_many(column, who) / max(column.n, 1)
            rarer, chance = float(pi[2 * pi < 1].sum()), float(pi @ pi)
            agree = (_squares(column, who) - chance * times**2) / max(1 - chance, 1e-9)
            parts += rarer * (_parts(who, agree) + _missed(column, who, pi))
            every += rarer
        return cls._of(table, who, parts / max(every, 1e-300), names)

    @classmethod
    def of_persons(cls, table: Table, who: Ints, names: Iterable[str]) -> Effects:
        """Return what they would be if all records of a person scattered together, whatever their values."""
        names = tuple(names)
        known = (table[name] for name in names if table[name].values is not None)
        found = {column.name: _correlation(column, who) for column in known}
        return replace(cls._of(table, who, np.ones(table.n), names), correlations=found)

    @classmethod
    def _of(cls, table: Table, who: Ints, parts: NDArray[np.float64], names: Iterable[str]) -> Effects:
        """Return the effects where of each person's other records such a part scatters together with one.

        So what is said of an unchanged value is where records of persons stand together, and of no sensitive value but
        by the parts, which many persons make.
        """
        found = {}
        for name in ("", *names):
            codes, m = (table[name].codes, table[name].m) if name else (np.zeros(table.n, np.int32), 1)
            pairs, times = np.unique(who * m + codes, return_counts=True)
            person, at = np.divmod(pairs, m)
            squares = np.bincount(at, times + parts[person] * (times**2 - times), m).astype(np.float64)
            records = np.bincount(codes, minlength=m)
            if not name:
                whole = _said(squares[0] / max(table.n, 1))
                continue
            found[name] = _told(table[name], squares, records)
        return cls(whole, found)

    def selected(self, conditions: Iterable[tuple[Column, NDArray[np.bool_]]]) -> float:
        """Return the effect of the records that meet conditions: each a column and (m,) its chosen labels.

        Exact for a single value and for all records; between them pairs of records of one person are taken to be
        spread over the values like all pairs, and several conditions to narrow them independently.

        Where the shares of values that are taken are computed from published counts (`moving`), a sum over a share p of
        the records takes off o = `moving` p of what all show: with e the effect of the selected records, W of all and
        R = 1 + how many others of the person's, anywhere, scatter together with one of them, its variance is
        p (e - 2 o R) + o^2 W where that of independent records is p (1 - 2 o) + o^2.
        """
        result = reach = self.whole
        share = 1.0
        for column, chosen in conditions:
            inside = column.counts()[chosen].sum()
            if not inside or self.whole <= 1:
                continue
            narrowed, reached = self.narrowed(column, chosen)
            result = 1 + (result - 1) * float(narrowed[-1])
            reach = 1 + (reach - 1) * float(reached[-1])
            share *= inside / column.n
        off = self.moving * share
        whole = share * (result - 2 * off * reach) + off**2 * self.whole
        return max(float(whole / (share * (1 - 2 * off) + off**2)), 1.0)

    def narrowed(
        self, column: Column, of: NDArray[np.integer[Any] | np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how many others of a person's records scatter together with one, of all that do, by classes of labels.

        of : (m,) the class of each label.

        Two (C,): those in the record's own class, and those anywhere. 1 where no records scatter together.
        """
        known = self.columns.get(column.name, {})
        rest = known.get(REST, 1.0)
        each = np.array([known.get(str(label), rest) for label in column.labels])
        counts, of = column.counts().astype(np.float64), of.astype(np.intp)
        inside, n = np.bincount(of, counts), float(counts.sum())
        if self.whole <= 1:
            return np.ones(len(inside)), np.ones(len(inside))
        same, squares = np.bincount(of, counts * each), np.bincount(of, counts**2)
        between = max(n * self.whole - float(same.sum()), 0.0) / max(n**2 - float(squares.sum()), 1e-300)
        own, anywhere = (
            np.maximum((same + between * (pairs - squares)) / np.maximum(inside, 1.0) - 1, 0.0) / (self.whole - 1)
            for pairs in (inside**2, inside * n)
        )
        return own, anywhere

    def agreeing(self, column: Column) -> float:
        """Return the share of the others that scatter together with a record which agree with it in a column."""
        of, counts = np.arange(column.m), column.counts()
        return float(self.narrowed(column, of)[0] @ counts) / max(column.n, 1)

    def mixed(self, other: Effects, part: float, moving: float) -> Effects:
        """Return the effects of sums of which a part of the variance scatters so, and the rest as others say."""

        def both(mine: float, its: float) -> float:
            return _said(part * mine + (1 - part) * its)

        columns = {
            name: {value: both(effect, other.columns[name].get(value, effect)) for value, effect in each.items()}
            for name, each in self.columns.items()
        }
        return Effects(both(self.whole, other.whole), columns, moving)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        found: dict[str, Any] = {"whole": self.whole, "columns": {n: dict(each) for n, each in self.columns.items()}}
        found |= {"moving": self.moving} if self.moving else {}
        return found | ({"correlations": dict(self.correlations)} if self.correlations else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Effects:
        """Return what `as_dict` gave. Raises BadSetting, KeyError, TypeError or AttributeError for anything else."""
        numbers = [data["whole"], *(number for each in data["columns"].values() for number in each.values())]
        if not all(type(number) in (int, float) and 1 <= number < 1e9 for number in numbers):
            raise BadSetting("The stated design effects are out of range.")
        moving = data.get("moving", 0.0)
        if type(moving) not in (int, float) or not 0 <= moving < 1:
            raise BadSetting("The stated design effects are out of range.")
        alike = data.get("correlations", {})
        if not all(type(each) in (int, float) and 0 <= each <= 1 for each in alike.values()):
            raise BadSetting("The stated design effects are out of range.")
        return cls(data["whole"], data["columns"], float(moving), alike)


def _correlation(column: Column, who: Ints) -> float:
    """Return the correlation of the ranks of two records of a person, at least 0; no value far out decides it.

    0 where few persons have two: their records' ranks could be told from it, and so which records are one person's.
    """
    counts = np.where(column.missing, 0, column.counts()).astype(np.float64)
    rank = np.where(column.missing, 0.0, np.cumsum(counts) - (counts + counts.sum()) / 2)
    times, mean = np.bincount(who).astype(np.float64), float(rank**2 @ counts) / max(column.n, 1)
    pairs = float(times @ times) - column.n
    if np.count_nonzero(times > 1) < _WELL_KNOWN or mean <= 0:
        return 0.0
    together = float((np.bincount(who, rank[column.codes]) ** 2).sum()) - mean * column.n
    return min(max(round(together / (mean * pairs), 2), 0.0), 1.0)


def at_once(persons: float, columns: Iterable[tuple[float, float, float]]) -> float:
    """Return the design effect of sums of products of weights, one of each column, columns being drawn independently.

    Parameters
    ----------
    persons : w, the effect if all records of a person scattered together (`Effects.of_persons`).
    columns : of each, its own effect e, the share p of the records that meet its condition, and v, the variance of a
        record's weight on average.

    Two records of a person scatter together in one column with the part r = (e - 1) / (w - 1) of what one does, and in
    the products as often as in each, taken as independent. So the variance prod(v + p) - prod(p) of a record comes
    with w - 1 times prod(r v + p) - prod(p): within a tenth of the exact figure for 28 pairs of columns of diabetes130.
    """
    alone = together = every = 1.0
    for effect, share, spread in columns:
        part = min((effect - 1) / (persons - 1), 1.0) if persons > 1 else 0.0
        alone *= spread + share
        together *= part * spread + share
        every *= share
    return 1 + (persons - 1) * (together - every) / max(alone - every, 1e-300) if persons > 1 else 1.0


def met_together(persons: float, effect: float, conditions: int) -> float:
    """Return the design effect of a count of records that meet several conditions on columns drawn together.

    Parameters
    ----------
    persons : as for `at_once`.
    effect : that of one condition.
    conditions : those that fewer than half of the records meet; what most meet tells no records apart.

    Another record of the person meets one of them with r = (effect - 1) / (persons - 1), and all with its power, as if
    they were independent: 1.55 for 1.51 of pairs of 35 flags that partly last, 1.27 for 1.35 of diabetes130's drugs.
    """
    if persons <= 1 or conditions < 2:
        return effect
    return 1 + (persons - 1) * min((effect - 1) / (persons - 1), 1.0) ** conditions


def weights_of_many(who: Ints) -> NDArray[np.float64]:
    """Return (N,) what each record counts for, so that nobody's count for more than those of the `_COUNTED`-th person.

    What a release tells of sensitive values beside its rows is made so, or who is known to come often would decide it.
    """
    who = np.unique(who, return_inverse=True)[1]
    return np.asarray(np.sqrt(_counted(np.bincount(who).astype(np.float64)))[who])


def counts_of_many(column: Column, who: Ints) -> Ints:
    """Return (m,) how many of the N records have each value by `weights_of_many`."""
    found = np.bincount(column.codes, weights_of_many(who), column.m)
    counts = np.maximum(np.rint(found * (column.n / max(found.sum(), 1e-300))), found > 0).astype(np.int64)
    counts[counts.argmax()] += column.n - counts.sum()
    return np.asarray(counts, np.int64)


def _squares(column: Column, who: Ints) -> NDArray[np.float64]:
    """Return of each person the sum of the squares of how often it has each value."""
    pairs, times = np.unique(who * column.m + column.codes, return_counts=True)
    return np.asarray(np.bincount(pairs // column.m, times.astype(np.float64) ** 2), np.float64)


def _counted(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what part of each person's pairs of records counts, so that nobody's outweigh the `_COUNTED`-th one's."""
    return np.asarray(np.minimum(np.sort(times)[-_COUNTED:][0] / times, 1.0) ** 2)


def _parts(who: Ints, squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each person which part of its other records scatters together with one, of persons with as many.

    squares : of each person, its records if none did, and their square if all did. Taken together are persons of one
    number of records, or of neighbouring ones where few have it; of fewer with several records nothing is told of how
    they agree, and they are taken to.
    """
    times = np.bincount(who).astype(np.float64)
    most, several = np.unique(times[times > 1], return_counts=True)
    if several.sum() < _WELL_KNOWN:
        return np.ones(len(times))
    # From the most records downwards, and the last with those before where too few are left.
    strata, held = np.zeros(len(most), np.int64), 0
    for at in range(len(most) - 1, -1, -1):
        strata[at] = strata[min(at + 1, len(most) - 1)] + (held >= _WELL_KNOWN)
        held = int(several[at]) + (held if held < _WELL_KNOWN else 0)
    if held < _WELL_KNOWN:
        strata = np.minimum(strata, strata[0] - 1)
    stratum = strata[np.minimum(np.searchsorted(most, times), len(most) - 1)]
    counted = _counted(times)
    every = np.bincount(stratum, counted * (times**2 - times))
    return np.asarray((np.bincount(stratum, counted * (squares - times)) / np.maximum(every, 1e-300))[stratum])


def _missed(column: Column, who: Ints, pi: NDArray[np.float64]) -> float:
    """Return what part of a person's other records scatters together as bearers come more often than others.

    With k_s of k records, (k_s - k pi_s)^2 is pi_s (1 - pi_s) times what agrees beyond chance and (1 - 2 pi_s) k
    (k_s - k pi_s): many persons' are looked at, and all others as one. Values count by pi_s (1 - pi_s), as they do in
    agreeing.
    """
    k = np.bincount(who).astype(np.float64)
    counted = _counted(k)
    every = float(counted @ k**2)
    have = np.bincount(column.codes, (counted * k)[who], column.m)
    known = np.minimum(have, every - have) >= _MANY * float((counted * k**2).max())
    rest = float(pi[~known] @ pi[~known]) / max(float(pi[~known].sum()), 1e-300)  # the others', as if alike
    more = float((have - pi * every)[known] @ (2 * rest - 2 * pi[known]))
    return more / max(1 - float(pi @ pi), 1e-9) / max(float(counted @ (k**2 - k)), 1e-300)


def _told(column: Column, squares: NDArray[np.float64], records: Ints) -> dict[str, float]:
    """Return the effect of each value of a column that enough records have, and under `REST` that of all others."""
    known = (records >= _WELL_KNOWN) & (column.m <= _MOST_LABELS)
    each = {str(column.labels[at]): _said(squares[at] / records[at]) for at in np.flatnonzero(known)}
    rest = float(records[~known].sum())
    return {**each, **({REST: _said(float(squares[~known].sum()) / rest)} if rest else {})}


def _said(effect: float) -> float:
    return max(float(f"{effect:.2f}"), 1.0)


class Rehearsal:
    """Chance of a draw that is measured and shown to nobody: the same each time, so that two looks say one figure."""

    def __init__(self) -> None:
        self._chance = np.random.default_rng(_MEASURING)

    def bits(self, count: int) -> NDArray[np.uint32]:
        return self._chance.integers(0, 1 << 32, count, np.uint32)


def mean_sure(
    before: Sequence[Column], draw: Callable[[Randomness], Sequence[Column]], who: Ints, gamma: float
) -> float:
    """Return `sure_if_kept` as it is on average over draws; `draw` makes the columns after one."""
    chance, times = Rehearsal(), min(max(_MEASURED // max(len(who), 1), 1), 20)
    return sum(sure_if_kept(before, draw(chance), who, gamma) for _ in range(times)) / times


def sure_if_kept(before: Sequence[Column], after: Sequence[Column], who: Ints, gamma: float) -> float:
    """Return how sure someone is on average that persons' values were kept, from which rows of a person agree.

    Parameters
    ----------
    before, after : the sensitive columns that are drawn at once, before and after a draw per person.
    who : (N,) persons.
    gamma : of the draw, one in which a person's values are kept.

    Returns
    -------
    The mean, over persons with several records whose values were kept, of the posterior by the numbers of records and
    of different values, all columns' together: 1 / gamma if these tell nothing, or nobody has several records.
    """
    times = np.bincount(who)
    several = times > 1
    if not several.any():
        return 1 / gamma
    own, shown = (np.sum([_different(column, who)[several] for column in part], axis=0) for part in (before, after))
    width = int(times.max()) * len(before) + 1
    key = times[several] * width
    there, at = np.unique(np.concatenate((key + own, key + shown)), return_inverse=True)
    half = len(own)
    truly, seen = np.bincount(at[:half], minlength=len(there)), np.bincount(at[half:], minlength=len(there))
    sure = np.divide(truly / gamma, seen, out=np.ones(len(there)), where=seen > 0)
    return float((truly * np.minimum(sure, 1.0)).sum() / half)


def _different(column: Column, who: Ints) -> Ints:
    """Return how many different values each person has."""
    number = int(who.max()) + 1
    if number * column.m <= _CELLS * column.n:
        has = np.zeros((number, column.m), bool)
        has[who, column.codes] = True
        return np.asarray(has.sum(axis=1), np.int64)
    return np.bincount(unique(who * column.m + column.codes) // column.m)
