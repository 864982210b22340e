"""Shares, differences, ratios, odds ratios, means, quantiles, trends and cross-tables, by the unbiased estimate.

Each is a function of sums over cells (`query.cells`); intervals are those of counts for counts and shares of exact
groups, Fieller's for other quotients, normal for the rest. The recipient's kit (`resources/kit`) has the same formulas
in files of its own.
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from splu_desktop.core.analyse.figures import BELOW, Analysed, within
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.generalise.interval_texts import interval_ends, whole_numbers
from splu_desktop.core.messages import listed, say
from splu_desktop.core.query.cells import CellTable, Chosen, Floats, Sums
from splu_desktop.core.query.condition import EMPTY, Condition
from splu_desktop.core.query.condition_values import holds_spans
from splu_desktop.core.query.reader import Answer, Method, Reader
from splu_desktop.core.table import Column, Flags, Kind, unique

ALL = "(all)"  # stands for a margin
PERIODS = ("year", "quarter", "month", "week", "day")
_USUAL = "month"
_WORDS = dict(zip(PERIODS, (say("year"), say("quarter"), say("month"), say("week"), say("day")), strict=True))
_SETTLED = 1e-9  # of a record, that a share may lie below the one asked for
_ROUNDED = 1e-6  # of a record, by which sums stray
_LEAST = 1e-300  # standard error of what is known
_TOGETHER = 0.95  # the chance of all values that a quantile may be

Conditions = Sequence[Condition]


def share(reader: Reader, conditions: Conditions, where: Conditions = ()) -> Analysed:
    """Return the share of records that meet conditions, of those that meet `where`.

    Beside conditions on SAs those on NSAs count as `where`. Of a group that is known exactly the interval is that of
    the count in it, else Fieller's. Raises BadQuestion, as all analyses do.
    """
    possible = False
    if _hidden(reader, where) or not _hidden(reader, conditions):
        sums = _shares(reader, [(conditions, where)])
        value = float(sums.values[0] / sums.values[1])
        low, high = sums.quotient(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    else:  # as the count says, for which values drawn together are parted otherwise than for sums
        count = reader.answer((*conditions, *where), Method.UNBIASED)
        possible = count.possible
        if possible or not count.n_p:
            _shares(reader, [(conditions, where)])  # refuses what nothing tells
        value, low, high = (end / count.n_p for end in (count.estimate, count.low, count.high))
    what = say("share of records with {asked}", asked=words((*conditions, *where)))
    return Analysed(what, *within(value, low, high, 0.0, 1.0), possible=possible)


def difference(reader: Reader, first: Conditions, second: Conditions, where: Conditions = ()) -> Analysed:
    """Return the share of `first` less that of `second`, each as for `share`."""
    sums = _shares(reader, [(first, where), (second, where)])
    x, n, y, k = sums.values.tolist()
    value, arm = x / n - y / k, sums.arm(np.array([1 / n, -x / n**2, -1 / k, y / k**2]))
    what = say("share with {first} less share with {second}", first=words(first), second=words(second))
    return Analysed(what, *within(value, value - arm, value + arm, -1.0, 1.0))


def ratio(reader: Reader, first: Conditions, second: Conditions, where: Conditions = ()) -> Analysed:
    """Return the share of `first` over that of `second`, each as for `share`."""
    sums = _shares(reader, [(first, where), (second, where)])
    low, high = sums.product_quotient((0, 3), (1, 2))
    x, n, y, k = sums.values.tolist()
    what = say("share with {first} over share with {second}", first=words(first), second=words(second))
    return Analysed(what, x * k / (n * y), low, high)


def odds_ratio(reader: Reader, first: Conditions, second: Conditions, where: Conditions = ()) -> Analysed:
    """Return how many times the odds of `second` are with `first` what they are without, of records of `where`."""
    one, other, of = (chosen(reader, each) for each in (first, second, where))
    cells = CellTable(reader.engine, [one, other, of])
    a, b, inside = cells.meets(one), cells.meets(other), cells.meets(of)
    sums = cells.sums([inside & a & b, inside & a & ~b, inside & ~a & b, inside & ~a & ~b])
    low, high = sums.product_quotient((0, 3), (1, 2))
    value = float(sums.values[0] * sums.values[3] / (sums.values[1] * sums.values[2]))
    return Analysed(
        say("odds ratio of {first} and {second}", first=words(first), second=words(second)), value, low, high
    )


def mean(reader: Reader, column: str, where: Conditions = ()) -> Analysed:
    """Return the mean of a column of numbers, or of intervals of numbers by one for each (`numbers_of`)."""
    numbers, of = numbers_of(reader, column), chosen(reader, where)
    check_told(reader, column)
    cells = CellTable(reader.engine, [of], [column])
    each = numbers[cells.codes(column)]
    known = cells.meets(of) & ~np.isnan(each)
    sums = cells.sums([np.where(known, each, 0.0), known])
    if sums.values[1] <= 0:
        raise BadQuestion("No record is left to take a mean of, as far as the release can tell.")
    low, high = sums.quotient(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    what = say("mean of {column}{of}", column=column, of=_of(where))
    there = each[known]
    ends = within(float(sums.values[0] / sums.values[1]), low, high, float(there.min()), float(there.max()))
    return Analysed(what, *ends, notes=within_intervals(reader, column) if of.keys() - {column} else ())


def within_intervals(reader: Reader, column: str) -> tuple[str, ...]:
    """Return what must be known where groups are compared by the numbers that stand for intervals of a column."""
    if interval_ends(reader.published.table[column]) is None:
        return ()
    return (
        say(
            "Within an interval of “{column}” all groups count with the same number: what they differ by there is "
            "missing from this answer and its 95 % intervals. Shares of the intervals have no such gap.",
            column=column,
        ),
    )


def check_told(reader: Reader, name: str) -> None:
    """Raise BadQuestion where an interval without an end has too few records for its mean to be told: none is known."""
    column = reader.published.table[name]
    if not reader.published.is_sensitive(name) or (ends := interval_ends(column)) is None:
        return
    means = reader.published.means.get(name, {})
    for label in column.labels[(np.isinf(ends[0]) | np.isinf(ends[1])) & (column.counts() > 0)].tolist():
        if str(label) not in means:
            raise BadQuestion(
                "“{label}” of “{column}” has no end, and too few records for its mean to be told: ask for quantiles, "
                "counts or shares.",
                label=str(label),
                column=name,
            )


def quantile(reader: Reader, column: str, q: float = 0.5, where: Conditions = ()) -> Analysed:
    """Return the least value that at least the share q of records stay at or below.

    Of intervals, what stands for the one it lies in; the ends are those of the intervals that it may lie in. It is at
    or below a value with the chance that the share there is at least q: told are the fewest values of 95 % together.
    """
    if not 0 < q < 1:
        raise BadQuestion("The share of a quantile lies between 0 and 1, not at {q}.", q=f"{q:g}")
    numbers, of = numbers_of(reader, column), chosen(reader, where)
    cells = CellTable(reader.engine, [of], [column])
    each, order = numbers[cells.codes(column)], unique(numbers[~np.isnan(numbers)])
    inside = cells.meets(of)
    sums = cells.sums([inside & (each <= most) for most in order.tolist()])  # NaN is below nothing
    if sums.values[-1] <= 0:
        raise BadQuestion("No record is left to take a quantile of, as far as the release can tell.")
    gap = sums.values - q * sums.values[-1]
    slopes = np.eye(len(order))
    slopes[:, -1] -= q
    errors = np.array([max(math.sqrt(2 * sums.along(slope)), _LEAST) for slope in slopes])
    below = np.maximum.accumulate([math.erfc(-far) / 2 for far in ((gap + _SETTLED) / errors).tolist()])
    each, first, last = np.diff(np.append(below[:-1], 1.0), prepend=0.0), 0, len(order) - 1
    left = 1.0
    while (left := left - min(each[first], each[last])) >= _TOGETHER:
        first, last = (first + 1, last) if each[first] <= each[last] else (first, last - 1)
    reached = gap >= -_SETTLED
    estimate, low, high = (
        float(order[reached.argmax() if reached.any() else -1]),
        float(order[first]),
        float(order[last]),
    )
    if (ends := interval_ends(reader.published.table[column])) is not None:  # it may lie anywhere in one of them
        whole = whole_numbers(reader.published.table[column])
        low, high = float(ends[0][numbers == low].min()), float(ends[1][numbers == high].max() - whole)
    return Analysed(say("quantile {q} of {column}{of}", q=f"{q:g}", column=column, of=_of(where)), estimate, low, high)


def trend(reader: Reader, conditions: Conditions, by: str, period: str = "") -> Analysed:
    """Return by how much the share of records that meet conditions grows per period, by least squares over records.

    Parameters
    ----------
    by : an NSA of dates, or of numbers, of which each is a period of its own.
    period : of dates, one of `PERIODS`; "" for months.

    `parts` has the share of every period.
    """
    if by not in reader.published.nsas:
        raise BadQuestion("A trend goes over a column published unchanged, not over “{column}”.", column=by)
    column = reader.published.table[by]
    times, names = periods(column, period)
    asked = chosen(reader, conditions)
    groups = chosen(reader, _grouping(reader, conditions))
    found = unique(times[~np.isnan(times)])
    cells = CellTable(reader.engine, [asked, *({by: times == at} for at in found.tolist())])
    when, inside, of = times[cells.codes(by)], cells.meets(asked), cells.meets(groups)
    sums = cells.sums(
        [*((when == at) & inside for at in found.tolist()), *((when == at) & of for at in found.tolist())]
    )
    count, totals = np.split(sums.values, 2)
    if (totals > 0).sum() < 2:
        raise BadQuestion("A trend needs records in two periods at least.")
    centre = float(found @ totals / totals.sum())
    slope = np.zeros(2 * len(found))
    slope[: len(found)] = (found - centre) / float(totals @ (found - centre) ** 2)
    parts, there = {}, np.flatnonzero(totals > 0).tolist()
    values = [tuple(map(str, column.labels[times == found[at]])) for at in there]
    counts = reader.answers([(*conditions, Condition(by, some)) for some in values], Method.UNBIASED)
    for at, one in zip(there, counts, strict=True):
        name = names[float(found[at])]
        share_of = float(count[at] / totals[at])
        n = round(float(totals[at]))
        ends = within(share_of, one.low / n, one.high / n, 0.0, 1.0)
        parts[name] = Analysed(name, *ends, selected=n, possible=one.possible)
    value, arm = float(slope @ sums.values), sums.arm(slope)
    if has_numbers(column):
        what = say("change of the share with {asked} per 1 of {column}", asked=words(conditions), column=by)
    else:
        what = say(
            "change of the share with {asked} per {period} of {column}",
            asked=words(conditions),
            period=_WORDS[period or _USUAL],
            column=by,
        )
    return Analysed(what, value, value - arm, value + arm, parts)


def crosstab(reader: Reader, rows: str, columns: str, where: Conditions = ()) -> Analysed:
    """Return the counts of all values of one column against all of another, SAs or not: `parts`, with their `values`.

    Cells add up to their margins, whose value is None, exactly, so single ones may be below 0; each has the interval of
    its count.
    """
    found = cross_cells(reader, rows, columns, where)
    parts = {}
    for values, one in found.items():
        name = " | ".join(ALL if each is None else each or EMPTY for each in values)
        parts[name] = Analysed(name, one.estimate, one.low, one.high, values=values, possible=one.possible)
    whole = found[None, None]
    what = say("{rows} by {columns}{of}", rows=rows, columns=columns, of=_of(where))
    notes = (BELOW,) if any(part.low < 0 for part in parts.values()) else ()
    return Analysed(what, whole.estimate, whole.low, whole.high, parts, possible=whole.possible, notes=notes)


def cross_cells(
    reader: Reader, rows: str, columns: str, where: Conditions = ()
) -> dict[tuple[str | None, str | None], Answer]:
    """Return the answers of all cells, row by row, by their values, None for a margin after the others."""
    if rows == columns:
        raise BadQuestion("A cross-table needs two different columns.")
    of, table = chosen(reader, where), reader.published.table
    cells = CellTable(reader.engine, [of], [rows, columns])
    sides = table[rows], table[columns]
    counted = np.zeros((sides[0].m + 1, sides[1].m + 1))
    np.add.at(counted, (cells.codes(rows), cells.codes(columns)), np.where(cells.meets(of), cells.counts, 0.0))
    counted[-1] = counted.sum(axis=0)
    counted[:, -1] = counted.sum(axis=1)
    labels = [[*map(str, side.labels), None] for side in sides]
    meant = [[*of.get(side.name, np.ones(side.m, bool)), True] for side in sides]
    asked = {
        (one, other): (*where, *(Condition(name, (label,)) for name, label in named if label is not None))
        for one in labels[0]
        for other in labels[1]
        for named in [((rows, one), (columns, other))]
    }
    possible = [a and b for a in meant[0] for b in meant[1]]
    answers = iter(reader.answers(itertools.compress(asked.values(), possible), Method.UNBIASED))
    none = Answer((), 0, 0.0, 0.0, 0.0, Method.UNBIASED, 0, 0.0, reader.published.thresholds.alpha, 0.0)
    found = {}
    for values, can, estimate in zip(asked, possible, counted.ravel().tolist(), strict=True):
        one = next(answers) if can else replace(none, conditions=asked[values])
        if abs(one.estimate - estimate) < _ROUNDED:
            estimate = one.estimate
        found[values] = replace(one, estimate=estimate, low=min(one.low, estimate), high=max(one.high, estimate))
    return found


# --- what they share


def chosen(reader: Reader, conditions: Conditions) -> dict[str, Flags]:
    """Return column -> (m,) the labels that meet conditions; what every label meets is left out."""
    found: dict[str, Flags] = {}
    for condition in conditions:
        published = reader.published
        flags = condition.select(published.table[condition.column], sensitive=published.is_sensitive(condition.column))
        found[condition.column] = flags & found.get(condition.column, flags)
        if not found[condition.column].any():
            raise BadQuestion(
                "The conditions on “{column}” contradict each other: no value meets them all; write a|b "
                "for either of two.",
                column=condition.column,
            )
    return {name: flags for name, flags in found.items() if not flags.all()}


def words(conditions: Conditions) -> str:
    """Return conditions in words."""
    return listed((condition.words() for condition in conditions), "{head}; {tail}", "{head}; {tail}") or say(
        "any value"
    )


def _of(where: Conditions) -> str:
    return say(" where {asked}", asked=words(where)) if where else ""


def numbers_of(reader: Reader, name: str) -> Floats:
    """Return (m,) a number per label of a column, NaN for no value. Raises BadQuestion where it holds others."""
    stand = reader.published.typical(name) if reader.published.is_sensitive(name) else None
    return _numbers(reader.published.table[name]) if stand is None else stand


def _numbers(column: Column) -> Floats:
    if column.kind in (Kind.INTEGER, Kind.DECIMAL) and column.values is not None:
        numbers = np.where(column.missing, np.nan, column.values.astype(np.float64))
        if np.isnan(numbers[~column.missing]).any():
            raise BadQuestion("“{column}” holds texts among its numbers.", column=column.name)
    else:
        ends = interval_ends(column)
        if ends is None:
            raise BadQuestion(
                "“{column}” holds neither numbers nor intervals of numbers; ask for counts or shares.",
                column=column.name,
            )
        # 20 to 39 of whole numbers stays below 40, and a label that is one number stands for itself.
        numbers = np.where(ends[1] - ends[0] < 1, ends[0], (ends[0] + ends[1] - whole_numbers(column)) / 2)
        if np.isinf(numbers[~column.missing]).any():
            at = np.flatnonzero(np.isinf(numbers))[0]
            raise BadQuestion(
                "“{label}” of “{column}” has no end, so it has no middle: ask for counts or shares.",
                label=column.labels[at],
                column=column.name,
            )
    if np.isnan(numbers).all():
        raise BadQuestion(
            "“{column}” holds neither numbers nor intervals of numbers; ask for counts or shares.", column=column.name
        )
    return numbers


def has_numbers(column: Column) -> bool:
    """Return whether the labels of a column are numbers, or intervals of them, which are their own periods."""
    return (column.kind in (Kind.INTEGER, Kind.DECIMAL) and column.values is not None) or (
        not holds_spans(column) and interval_ends(column) is not None
    )


def told_periods(column: Column) -> tuple[str, ...]:
    """Return the periods that dates, or years, quarters or months, tell: none of them a finer one than itself."""
    if column.kind in (Kind.DATE, Kind.DATETIME) and column.values is not None:
        return PERIODS
    if not holds_spans(column):
        return ()
    texts = [str(label) for label in column.labels[~column.missing]]
    return PERIODS[: min(1 if len(text) == 4 else 2 if "Q" in text else 3 for text in texts)]


def periods(column: Column, period: str) -> tuple[Floats, dict[float, str]]:
    """Return (m,) the number of the period that each label lies in, NaN for none, and their names.

    Raises BadQuestion where the labels tell none: a quarter lies in a year and in itself, but in no one month.
    """
    if has_numbers(column) and period:
        raise BadQuestion(
            "“{column}” holds numbers, each a period of its own; leave “{period}” out.",
            column=column.name,
            period=period,
        )
    if has_numbers(column):
        times = _numbers(column)
        # Of several spellings of a number the first.
        return times, {float(times[at]): str(column.labels[at]) for at in reversed(range(column.m))}
    period = period or _USUAL
    if period not in PERIODS:
        raise BadQuestion(
            "There is no period “{period}”; choose among {known}.", period=period, known=", ".join(PERIODS)
        )
    told = told_periods(column)
    if period not in told:
        sentence = (
            say(
                "“{column}” tells no {period}; choose among {known}.",
                column=column.name,
                period=_WORDS[period],
                known=", ".join(told),
            )
            if told
            else say("“{column}” holds no dates that tell a {period}.", column=column.name, period=say(period))
        )
        raise BadQuestion(sentence)
    known = ~column.missing
    if column.values is not None:
        known &= ~np.isnat(column.values)
        days = column.values[known].astype("datetime64[D]")
    else:
        texts = [str(label) for label in column.labels[known]]
        days = np.array([f"{text[:4]}-{3 * int(text[6]) - 2:02}" if "Q" in text else text for text in texts], "M8[D]")
    times, names = np.full(column.m, np.nan), {}
    for at, day in zip(np.flatnonzero(known).tolist(), days.tolist(), strict=True):
        times[at], name = _period(day, period)
        names[float(times[at])] = name
    return times, names


def _period(day: datetime.date, period: str) -> tuple[float, str]:
    match period:
        case "year":
            return day.year, f"{day.year:04}"
        case "quarter":
            quarter = (day.month - 1) // 3
            return 4 * day.year + quarter, f"{day.year:04} Q{quarter + 1}"
        case "month":
            return 12 * day.year + day.month - 1, f"{day.year:04}-{day.month:02}"
        case "week":
            monday = day - datetime.timedelta(days=day.weekday())
            return monday.toordinal() // 7, monday.isoformat()
        case _:
            return day.toordinal(), day.isoformat()


def _hidden(reader: Reader, conditions: Conditions) -> bool:
    """Return whether conditions ask for anything sensitive."""
    return any(reader.published.is_sensitive(each.column) for each in conditions)


def _grouping(reader: Reader, conditions: Conditions) -> Conditions:
    """Return the conditions that say of which records a share is: those on NSAs, beside others on SAs."""
    if not _hidden(reader, conditions):
        return ()
    return [each for each in conditions if not reader.published.is_sensitive(each.column)]


def _shares(reader: Reader, pairs: Sequence[tuple[Conditions, Conditions]]) -> Sums:
    """Return the sums x, n of each pair: how many records meet its conditions, and how many these are of."""
    asked: list[Chosen] = []
    counted = []
    for conditions, where in pairs:
        met = chosen(reader, (*conditions, *where))
        group = chosen(reader, (*where, *_grouping(reader, conditions)))
        asked += [met, group]
        counted += [met, group]
    cells = CellTable(reader.engine, asked)
    sums = cells.sums([cells.meets(each) for each in counted])
    if (sums.values[1::2] <= 0).any():
        raise BadQuestion("No record is left to take a share of, as far as the release can tell.")
    return sums
