#!/usr/bin/env python3
"""Answers from a release of SPLU Desktop, with 95 % intervals, from nothing but the folder it was handed out in.

    from splu_release import Release
    r = Release("the/folder")
    r.count({"Ward": "Cardiology", "Diagnosis": "Heart failure"})
    r.odds_ratio("Smoker=yes", "Diagnosis=Heart failure", where={"Ward": "Cardiology"})
    r.logit("Diagnosis=Heart failure", on=["Age", "Sex"])

or in the folder itself: python splu_release.py count 'Ward=Cardiology' 'Diagnosis=Heart failure' --json

Needs Python 3.9 or newer and no packages; `Release.frame()` gives a pandas DataFrame where pandas is installed.

Sensitive columns were re-drawn: a record of value v is shown as u with the chance T[v, u], so counting rows is wrong.
Every answer here goes back through T. "unbiased": each record weighs what the inverse of T makes of it, which is right
on average over releases. "bayes": the likeliest count, never negative. Intervals are about the original table: they say
how far the re-drawing may have moved the answer, T being computed from published counts included, not how far its
patients stand for others. The formulas are in the program's docs/recipient.md. Version 1; MIT licence.
"""

from __future__ import annotations

import copy
import csv
import datetime
import difflib
import functools
import hashlib
import io
import itertools
import json
import math
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from operator import add, itemgetter, mul, sub
from pathlib import Path

__version__ = "1"
Z = 1.959963984540054  # of a 95 % interval
METHODS = ("unbiased", "bayes")
_MOST_APART = 4  # columns whose persons' records are told apart; of more the largest design effect stands for all
_MOST_COLUMNS, _FEWER = 6, 0.05  # unchanged ones whose pairs of records are told apart
_ALIKE = 30  # records of the whole table, by which those of one pattern are judged
_FEW, _MOST_FEW = 300, 500_000  # records of a pattern, of which more tell by themselves; kinds of these by classes
_MOST_CLASSES = 2000  # combinations of sensitive values told apart in one answer
_MOST_STATES = 64  # of conditions on columns drawn together
_MOST_APART = 3  # conditions drawn together, of which a count tells apart which are missed
_STEPS, _FINE, _GONE = 2000, 1e-6, 1e-6
_FAR, _FLAT, _HALVINGS = 1e12, 1e-9, 50  # as good as without bound, as 0; steps of a search
_ENDLESS = 1e3  # times an estimate, as good as no bound: so flat further out that rounding would decide
_FARTHEST = 64  # times an interval at first, as good as no bound
_NEAR, _TANGENT = 3e-3, 1e-3  # of a standard error, from where on an end lies on a curve; of an arm, by the tangent
_BEYOND = 4.0  # standard deviations beyond all that can be at which an estimate says nothing
_LEAST, _FULL = 1e-9, 0.999  # records at least; of all, with a value, at most
_SKEWED = (Z * Z - 1) / 6
_NARROWEST = 0.25  # times a modelled variance, at least
_BELOW = "A count below 0 stands for few records or none; it is not cut at 0, so that cells add up to their margins."
_WITHIN = (
    "Within an interval of “{column}” all groups count with the same number: what they differ by there is missing from "
    "this answer and its 95 % intervals. Shares of the intervals have no such gap."
)
# Nobody can tell from a release which values these are.
_NARROW = (
    "Persons were drawn: for values that few persons have again and again, asked of few records or compared by what "
    "goes with coming often, 95 % intervals hold the truth in 80 to 93 %. Ask of more records, or of groups of values."
)
_DATES = ("date", "datetime")
_NUMBERS = ("integer", "decimal")


class Refused(ValueError):
    """A question that this release can't answer, or a folder that is none; the sentence says why."""


def _in_a_sentence(ask):
    """Have whatever a question that nobody foresaw, or altered facts, lead to told by Refused."""

    @functools.wraps(ask)
    def asked(self, *given, **named):
        try:
            found = ask(self, *given, **named)
            persons = isinstance(found, Answer) and not found.exact and self.facts.get("persons")
            if persons and persons.get("design_effects") and _NARROW not in found.notes:
                found.notes.append(_NARROW)
            return found
        except Refused:
            raise
        except Exception as fault:
            raise Refused(
                "This can't be answered: the question is not written as splu_release.py shows, or release.json was "
                "altered; write it so, or ask for the release again."
            ) from fault

    return asked


class Answer:
    """One figure: `estimate`, and the ends of its 95 % interval, `low` and `high`.

    Where `interval_by` is "possible", the release does not tell the figure: the ends are then what it leaves possible.
    `what` says in words what it is, `method` how it was estimated, `exact` whether nothing sensitive is in it.
    `selected` is the number of records meant, where that is exact; `published` what counting rows would have said.
    `parts` holds the figures that it is made of, by name: coefficients, periods, cells. `notes` are sentences that say
    what must be known of it.
    """

    def __init__(self, what, estimate, low, high, method="unbiased", exact=False, **more):
        self.what, self.estimate, self.low, self.high = what, estimate, low, high
        self.method, self.exact = method, exact
        self.published = more.pop("published", None)
        self.selected = more.pop("selected", None)
        self.share = more.pop("share", None)
        self.parts = more.pop("parts", {})
        self.release = more.pop("release", "")
        self.interval_by = "possible" if more.pop("possible", False) else "theory"
        counts = [self] if self.selected is not None else [part for at, part in self.parts.items() if type(at) is tuple]
        self.notes = [*more.pop("notes", ()), *([_BELOW] if any(count.low < 0 for count in counts) else [])]

    def __getitem__(self, name):
        return self.parts[name]

    def __repr__(self):
        by = "possible" if self.interval_by == "possible" else "95 %"
        text = f"{self.what}: {_said(self.estimate)} ({by}: {_said(self.low)} to {_said(self.high)})"
        return "\n".join([text, *(f"  {part!r}" for part in self.parts.values()), *self.notes])

    def as_dict(self):
        """Return it as plain data."""
        found = {"what": self.what, "estimate": _plain(self.estimate), "low": _plain(self.low)}
        found.update(high=_plain(self.high), interval_by=self.interval_by, method=self.method, exact=self.exact)
        for name in ("published", "selected", "share", "notes", "release"):
            value = getattr(self, name)
            if value not in (None, "", []):
                found[name] = value
        if self.parts:
            found["parts"] = {
                _crossed(name) if isinstance(name, tuple) else str(name): part.as_dict()
                for name, part in self.parts.items()
            }
        return found


class Release:
    """A release folder, read and checked. Raises Refused where it is none."""

    def __init__(self, folder="."):
        folder = Path(folder)
        if folder.name == "release.json":
            folder = folder.parent
        if folder.is_file():
            raise Refused(
                f"“{folder.name}” is a packed release: unpack it first (an encrypted one with 7-Zip and the "
                "password that came by another way), then name the folder."
            )
        if not (folder / "release.json").is_file():
            raise Refused(f"“{folder}” holds no release.json; name the folder of a release.")
        try:
            self._open(folder)
        except Refused:
            raise
        except (OSError, MemoryError) as fault:
            raise Refused(f"“{folder}” can't be read: {fault}.") from None
        except Exception:  # whatever an altered file leads to
            raise Refused("release.json is damaged or was altered; ask for the release again.") from None

    def _open(self, folder):
        self.facts = json.loads((folder / "release.json").read_text("utf-8-sig"))
        if self.facts["format"] != "splu-release" or self.facts["version"] != 1:
            raise Refused("This release is of another format; take the splu_release.py that came with it.")
        rest = {key: value for key, value in self.facts.items() if key != "sha256"}
        text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != self.facts["sha256"]:
            raise Refused("release.json was altered after the release was made; ask for the release again.")
        if "transitions" not in self.facts:
            raise Refused(
                "This release was made before the program wrote down its transitions; ask for it anew, or "
                "use the program itself."
            )
        self.id = self.facts["id"]
        self.columns = {entry["name"]: entry for entry in self.facts["columns"]}
        self.sensitive = [name for name, entry in self.columns.items() if entry["role"] == "sa"]
        self.n = self.facts["records"]
        self._read(folder)
        stated = self.facts["transitions"]
        self._blocks = {tuple(block["columns"]): block for block in stated.get("blocks", ())}
        self._totals = {}  # name, codes -> the ends of how many records have these values
        self._held, self._parts = {}, {}  # what answers share
        self._ways = {name: _Way(self.counts(name), stated["columns"][name], self.n) for name in self.sensitive}

    # --- the table

    def _read(self, folder):
        raw = (folder / "table.csv").read_bytes() if (folder / "table.csv").is_file() else None
        entry = next(entry for entry in self.facts["files"] if entry["name"] == "table.csv")
        if raw is None or hashlib.sha256(raw).hexdigest() != entry["sha256"]:
            raise Refused(
                "table.csv is missing or is not the table that was released, as after saving it with "
                "another program; take the original file."
            )
        rows = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True)
        header = [_restored(name) for name in next(rows)]
        cells = list(zip(*rows))
        if header != list(self.columns) or (cells and len(cells[0]) != self.n):
            raise Refused("table.csv and release.json don't fit together; ask for the release again.")
        self.labels, self.codes = {}, {}
        for name, texts in zip(header, cells):
            seen = [_restored(text) for text in dict.fromkeys(texts)]
            labels = list(self.columns[name].get("domain") or _sorted(seen, self.columns[name]["kind"]))
            place = {label: at for at, label in enumerate(labels)}
            code = {text: place[_restored(text)] for text in set(texts)}
            self.labels[name], self.codes[name] = labels, [code[text] for text in texts]

    @_in_a_sentence
    def counts(self, column):
        """Return how many published records show each label of a column."""
        found = Counter(self.codes[column])
        return [found[at] for at in range(len(self.labels[column]))]

    @_in_a_sentence
    def missing(self, column):
        """Return the labels that stand for no value."""
        return set(self.columns[column]["missing"])

    @_in_a_sentence
    def rows(self):
        """Return the records as dicts with their types: numbers and dates as such, "01" as text, None for no value.

        The sensitive columns show re-drawn values.
        """
        typed = {}
        for name, labels in self.labels.items():
            entry, none = self.columns[name], self.missing(name)
            typed[name] = [None if label in none else _typed(label, entry) for label in labels]
        return [{name: typed[name][self.codes[name][at]] for name in typed} for at in range(self.n)]

    @_in_a_sentence
    def frame(self):
        """Return the same as a pandas DataFrame, text columns as text. Raises Refused where pandas is missing."""
        try:
            import pandas
        except ImportError:
            raise Refused("pandas is not installed; use rows().") from None
        return pandas.DataFrame(self.rows(), columns=list(self.labels))

    # --- questions

    def __getattr__(self, name):
        asked = ", ".join(_FEWEST).replace("-", "_")
        raise AttributeError(f"A release has no “{name}”; ask {asked}: a median is quantile(column).")

    @_in_a_sentence
    def count(self, conditions=(), method="unbiased", where=()):
        """Return how many records of the original table meet conditions, and those of `where`.

        conditions : {"Column": "value"}, with lists of values, "10..20" for a range, "2024-03" for a month,
        {"Column!": "value"} for all but it; or texts, one or a list: "Column=value", "Column=a|b", "Column!=value",
        "Column>=low", several in one with ; between them.
        """
        _check(method)
        conditions = _both(conditions, where)
        return self._count(
            f"records with {_words(conditions)}", self._chosen(conditions), self._named(conditions), method
        )

    def _count(self, what, chosen, asked, method="unbiased"):
        """Return the count of records whose codes are chosen; `asked` are the columns named, whatever their codes."""
        chosen = {name: some for name, some in chosen.items() if len(some) < len(self.labels[name])}
        table, held = _Table(self, [chosen]), Counter()
        for (p, us), n in table.keys.items():
            if table.selects(p, chosen):
                held[us] += n
        top, hidden = sum(held.values()), {name: some for name, some in chosen.items() if name in self._ways}
        unseen = [self._ways[name].stated["unseen"] for name in asked if name in self._ways]
        least = max(top - sum(unseen), 0.0)  # some may have values that vanished
        if not hidden:
            more = {"published": top, "selected": top, "possible": least < top, "release": self.id}
            return Answer(what, top, least, top, method, least == top, **more)
        parts = table.parts
        shown = sum(n for us, n in held.items() if all(part.meets(u, hidden) for part, u in zip(parts, us)))
        estimate = (self._straight if method == "unbiased" else self._likeliest)(parts, held, top, hidden)
        low, high, told = self._ends(chosen, top, table)
        fewest, most = self._ends_of_all(hidden, max(high, estimate))
        estimate = estimate if method == "unbiased" else min(estimate, most)
        low, high = min(low, estimate, least, fewest), max(min(high, most), estimate, min(top, max(unseen)))
        share = {"estimate": estimate / top, "low": low / top, "high": high / top} if top else None
        possible = top > 0 and not told  # of no record the count is known
        more = {"published": shown, "selected": top, "share": share, "possible": possible, "release": self.id}
        return Answer(what, estimate, low, high, method, **more)

    @_in_a_sentence
    def share(self, conditions, where=(), method="unbiased"):
        """Return the share of records that meet conditions, of those that meet `where`.

        Beside conditions on sensitive columns those on others count as `where`: {"Ward": "Cardiology", "Diagnosis":
        "Heart failure"} asks for the share of heart failure in Cardiology. Records without a value don't meet one.
        """
        _check(method)
        what = f"share with {_words(conditions)}" + (f" of {_words(where)}" if where else "")
        exact = not any(name in self._ways for name in self._chosen(where))
        if exact and self._hides(conditions):
            count = self.count(_both(conditions, where), method)
            if not count.selected:
                raise Refused("No record meets the conditions on columns published unchanged.")
            possible = count.interval_by == "possible"
            if possible and method == "unbiased":
                self._shares([(conditions, where)])  # refuses what nothing tells
            ends = [one / count.selected for one in (count.estimate, count.low, count.high)]
            more = {"selected": count.selected, "possible": possible, "release": self.id}
            return Answer(what, *_within(*ends, 0.0, 1.0), method, count.exact, **more)
        if method == "bayes" and not exact:
            raise Refused(
                "The likeliest share needs a group that is known exactly: leave sensitive columns out of "
                "`where`, or take the method “unbiased”."
            )
        sums = self._shares([(conditions, where)])
        low, high = sums.quotient([1, 0], [0, 1])
        value = sums.values[0] / sums.values[1]
        return Answer(what, *_within(value, low, high, 0.0, 1.0), method, exact, release=self.id)

    @_in_a_sentence
    def difference(self, first, second, where=()):
        """Return the share of `first` less that of `second`, each as for `share`."""
        sums = self._shares([(first, where), (second, where)])
        (x, n, y, k), what = sums.values, f"share with {_words(first)} less share with {_words(second)}"
        value, arm = x / n - y / k, sums.arm([1 / n, -x / n**2, -1 / k, y / k**2])
        return Answer(what, *_within(value, value - arm, value + arm, -1.0, 1.0), release=self.id)

    @_in_a_sentence
    def ratio(self, first, second, where=()):
        """Return the share of `first` over that of `second`, each as for `share` (a risk ratio of two groups)."""
        sums = self._shares([(first, where), (second, where)])
        low, high = sums.product_quotient((0, 3), (1, 2))
        x, n, y, k = sums.values
        what = f"share with {_words(first)} over share with {_words(second)}"
        return Answer(what, x * k / (n * y), low, high, release=self.id)

    @_in_a_sentence
    def odds_ratio(self, first, second, where=()):
        """Return how many times the odds of `second` are with `first` what they are without, of records of `where`."""
        one, other, of = self._chosen(first), self._chosen(second), self._chosen(where)
        sums = _Table(self, [one, other, of]).sums(
            [
                lambda cell, a=a, b=b: float(cell.meets(of) and cell.meets(one) == a and cell.meets(other) == b)
                for a in (True, False)
                for b in (True, False)
            ]
        )
        low, high = sums.product_quotient((0, 3), (1, 2))
        a, b, c, d = sums.values
        return Answer(
            f"odds ratio of {_words(first)} and {_words(second)}", a * d / (b * c), low, high, release=self.id
        )

    @_in_a_sentence
    def mean(self, column, where=()):
        """Return the mean of a column of numbers, or of closed intervals of numbers, over records of `where`."""
        column = _column(column, self.columns)
        numbers = self._told_numbers(column)
        of = self._chosen(where)
        table = _Table(self, [of], [column])
        asked = [numbers[cell[column]] if cell.meets(of) else None for cell in table.cell.values()]
        there = [number for number in asked if number is not None]
        sums = table.summed([[number or 0.0 for number in asked], [float(number is not None) for number in asked]])
        if sums.values[1] <= 0:
            raise Refused("No record to take a mean of is left.")
        low, high = sums.quotient([1, 0], [0, 1])
        return Answer(
            f"mean of {column}" + _of(where),
            *_within(sums.values[0] / sums.values[1], low, high, min(there), max(there)),
            notes=self._within_intervals(column) if set(of) - {column} else (),
            release=self.id,
        )

    def _told_numbers(self, column):
        """Return the same as `_numbers`. Raises Refused where nobody knows what stands for an interval without end."""
        for entry in self.columns[column].get("intervals", ()):
            if not {"from", "below"} <= set(entry) and "mean" not in entry:
                raise Refused(
                    f"“{entry['value']}” of “{column}” has no end, and too few records for its mean to be told: ask "
                    "for quantiles, counts or shares."
                )
        return self._numbers(column)

    def _within_intervals(self, column):
        """Return what must be known where groups are compared by the numbers that stand for intervals."""
        numbers = self.columns[column]["kind"] in _NUMBERS
        return () if numbers or self._intervals(column) is None else (_WITHIN.format(column=column),)

    @_in_a_sentence
    def quantile(self, column, q=0.5, where=()):
        """Return the least value of a column of numbers that at least the share q of records stay at or below.

        Of intervals, what stands for the one it lies in; `low` and `high` are the ends of those that it may lie in: the
        fewest values that hold it with 95 % together.
        """
        if not 0 < q < 1:
            raise Refused("The share q of a quantile lies between 0 and 1.")
        column = _column(column, self.columns)
        numbers, of = self._numbers(column), self._chosen(where)
        order = sorted({number for number in numbers if number is not None})
        table = _Table(self, [of], [column])
        sums = table.sums(
            [
                lambda cell, most=most: float(
                    cell.meets(of) and numbers[cell[column]] is not None and numbers[cell[column]] <= most
                )
                for most in order
            ]
        )
        whole, at = sums.values[-1], len(order) - 1
        if whole <= 0:
            raise Refused("No record to take a quantile of is left.")
        below, reached = [0.0], []  # the chance that it is at or below each, and which may be it
        for place, number in enumerate(order):
            slope = [0.0] * len(order)
            slope[place] += 1.0
            slope[at] -= q
            gap = sums.values[place] - q * whole + 1e-9
            reached += [number] if gap >= 0 else []
            below.append(max(below[-1], math.erfc(-gap / max(math.sqrt(2 * sums.along(slope)), 1e-300)) / 2))
        each, left, first, last = list(map(sub, below[1:-1] + [1.0], below)), 1.0, 0, at
        while left - min(each[first], each[last]) >= 0.95:
            left -= min(each[first], each[last])
            first, last = (first + 1, last) if each[first] <= each[last] else (first, last - 1)
        ends = [reached[0] if reached else order[-1], order[first], order[last]]
        reach = [(n, _ends(label)) for n, label in zip(numbers, self.labels[column]) if n is not None]
        ends[1] = min(least for number, (least, _) in reach if number == ends[1])
        ends[2] = max(most for number, (_, most) in reach if number == ends[2])
        return Answer(f"quantile {q:g} of {column}" + _of(where), *ends, release=self.id)

    @_in_a_sentence
    def trend(self, conditions, by, period=""):
        """Return how much the share of records that meet conditions grows per period, by least squares over records.

        by : a column of dates, published unchanged, or of numbers, each a period of its own; period : of dates, "year",
        "quarter", "month" (unless told), "week" or "day". `parts` has the share of each period.
        """
        by = _column(by, self.columns)
        if by in self._ways:
            raise Refused(f"“{by}” is sensitive: a trend goes over a column published unchanged.")
        none = self.missing(by) | set(self.columns[by].get("texts", ()))
        if self.columns[by]["kind"] in _DATES or self._spans(by):
            period = period or "month"
            times = [None if label in none else _period(label, period) for label in self.labels[by]]
        else:
            if period and (self.columns[by]["kind"] in _NUMBERS or self._intervals(by)):
                raise Refused(f"“{by}” holds numbers, each a period of its own; leave “{period}” out.")
            period = "1"
            numbers, first = self._numbers(by), {}  # of several spellings of a number the first
            for number, label in zip(numbers, self.labels[by]):
                first.setdefault(number, str(label))
            times = [None if number is None else (number, first[number]) for number in numbers]
        chosen = self._chosen(conditions)
        hides = self._hides(conditions)
        groups = {name: some for name, some in chosen.items() if hides and name not in self._ways}
        found = defaultdict(set)
        for at, time in enumerate(times):
            if time is not None:
                found[time].add(at)
        table = _Table(self, [chosen, *({by: frozenset(codes)} for codes in found.values())])
        meant = {code: time for time, codes in found.items() for code in codes}
        periods = sorted(found)
        functions = []
        for time in periods:
            functions += [
                lambda cell, t=time: float(meant.get(cell[by]) == t and cell.meets(chosen)),
                lambda cell, t=time: float(meant.get(cell[by]) == t and cell.meets(groups)),
            ]
        sums = table.sums(functions)
        inside = [(time, 2 * at) for at, time in enumerate(periods) if sums.values[2 * at + 1] > 0]
        if len(inside) < 2:
            raise Refused("A trend needs records in two periods at least.")
        totals = [sums.values[at + 1] for _, at in inside]
        centre = sum(time[0] * n for (time, _), n in zip(inside, totals)) / sum(totals)
        spread = sum((time[0] - centre) ** 2 * n for (time, _), n in zip(inside, totals))
        slope, parts, named = [0.0] * len(functions), {}, self._named(conditions) | {by}
        for (time, at), n in zip(inside, totals):
            slope[at] = (time[0] - centre) / spread
            here = {**chosen, by: frozenset(found[time] & chosen.get(by, found[time]))}
            met = self._count(time[1], here, named)
            ends = _within(sums.values[at] / n, met.low / n, met.high / n, 0.0, 1.0)
            parts[time[1]] = Answer(time[1], *ends, selected=round(n), possible=met.interval_by == "possible")
        value = sum(along * x for along, x in zip(slope, sums.values))
        arm = sums.arm(slope)
        return Answer(
            f"change of the share with {_words(conditions)} per {period} of {by}",
            value,
            value - arm,
            value + arm,
            parts=parts,
            release=self.id,
        )

    @_in_a_sentence
    def crosstab(self, rows, columns, where=()):
        """Return counts of all values of one column against all of another, of records of `where`.

        `parts` has a cell under (value, value), a margin under (value, None) and (None, value), all under (None, None).
        Cells add up to their margins exactly, so single ones may be below 0, as `low` then is.
        """
        rows, columns = (_column(name, self.columns) for name in (rows, columns))
        if rows == columns:
            raise Refused("A cross-table needs two different columns.")
        of = self._chosen(where)
        table = _Table(self, [of], [rows, columns])
        counted, parts = Counter(), {}
        for key, x in table.counted.items():
            cell = table.cell[key]
            if cell.meets(of):
                for at in itertools.product((cell[rows], None), (cell[columns], None)):
                    counted[at] += x
        for at in itertools.product(*([*range(len(self.labels[name])), None] for name in (rows, columns))):
            named = {name: code for name, code in zip((rows, columns), at) if code is not None}
            key = tuple(None if code is None else self.labels[name][code] for name, code in zip((rows, columns), at))
            title = _crossed(key)
            chosen = {**of, **{name: frozenset([code]) & of.get(name, {code}) for name, code in named.items()}}
            asked = self._named(where) | set(named)
            ends = self._count(title, chosen, asked) if all(chosen.values()) else Answer(title, 0.0, 0.0, 0.0)
            x = ends.estimate if abs(counted[at] - ends.estimate) < 1e-6 else float(counted[at])  # but for rounding
            possible = ends.interval_by == "possible"
            parts[key] = Answer(title, x, min(ends.low, x), max(ends.high, x), possible=possible)
        whole, more = parts[None, None], {"parts": parts, "release": self.id}
        return Answer(f"{rows} by {columns}" + _of(where), whole.estimate, whole.low, whole.high, **more)

    @_in_a_sentence
    def logit(self, outcome, on, where=()):
        """Return the logistic regression of a condition on columns: `parts` has "(intercept)" and every coefficient.

        on : columns of numbers as they are, others by a coefficient per value but the first; "Column=value" for one.
        The figure itself is the first coefficient.
        """
        return self._regression("logistic regression", outcome, on, where, _logistic)

    @_in_a_sentence
    def poisson(self, outcome, on, where=()):
        """Return the Poisson regression, with a logarithmic link, of a condition or a column of numbers on columns."""
        return self._regression("Poisson regression", outcome, on, where, _exponential)

    def _regression(self, name, outcome, on, where, link):
        outcome = _meant(outcome, self.columns) or outcome
        on = [_meant(term, self.columns) or term for term in ([on] if isinstance(on, str) else on)]
        of = self._chosen(where)
        full, asked, notes = [term for term in on if term in self.columns], [of], ()
        if isinstance(outcome, str) and outcome in self.columns and link is _exponential:
            if outcome in full:
                raise Refused(
                    f"“{outcome}” explains itself: leave it out of the columns by which it is to be explained."
                )
            numbers, notes = self._told_numbers(outcome), self._within_intervals(outcome)
            full.append(outcome)
            value = lambda cell: numbers[cell[outcome]]  # noqa: E731
        else:
            met = self._chosen(outcome)
            asked.append(met)
            value = lambda cell: float(cell.meets(met))  # noqa: E731
        asked += [self._chosen(term) for term in on if term not in self.columns]
        table = _Table(self, asked, full)
        inside = [cell for cell in table.cell.values() if cell.meets(of) and value(cell) is not None]
        terms, groups = [], []  # (title, number of a cell), (title, whether a cell is of it)
        for term in on:
            if term not in self.columns:
                some = self._chosen(term)
                terms.append((_words(term), lambda cell, some=some: float(cell.meets(some))))
                groups.append((_words(term), lambda cell, some=some: cell.meets(some)))
                continue
            if self.columns[term]["kind"] in _NUMBERS:
                numbers_of = self._numbers(term)
                terms.append((term, lambda cell, some=numbers_of, name=term: some[cell[name]]))
                continue
            none, held, there = self.missing(term), self.counts(term), {cell[term] for cell in inside}
            some = [None if label in none else at for at, label in enumerate(self.labels[term])]
            codes = [at for at in some if at is not None and held[at] and at in there]
            for code in codes:
                title = f"{term}={self.labels[term][code]}"
                groups.append((title, lambda cell, name=term, code=code: cell[name] == code))
                if code == codes[0]:
                    continue
                terms.append(
                    (
                        title,
                        lambda cell, some=some, name=term, code=code: (
                            None if some[cell[name]] is None else float(some[cell[name]] == code)
                        ),
                    )
                )
        used, rows = {}, defaultdict(lambda: [0.0, 0.0])
        for key, cell in table.cell.items():
            row = (1.0, *(term(cell) for _, term in terms))
            y = value(cell)
            if y is not None and None not in row and cell.meets(of):
                used[key] = row, y
                held, x = rows[row], table.counted[key]
                held[0] += x
                held[1] += x * y
        if len({y for _, y in used.values()}) == 1:
            raise Refused("All of these records, or none, seem to meet the outcome: there is nothing to fit.")
        parted = {
            title: [(table.counted[key], used[key][1]) for key in used if of_it(table.cell[key])]
            for title, of_it in groups
        }
        _check_groups(parted, link)
        equations = _Equations(list(rows), *zip(*rows.values()), link) if rows else _Equations([], (), (), link)
        try:
            fit = equations.fitted()
        except Refused:
            _check_groups(parted, link, failed=True)
            raise

        number = {row: at for at, row in enumerate(rows)}
        told = [(number[used[key][0]], used[key][1]) if key in used else None for key in table.cell]

        def own(at, bread, means):
            along = equations.along(bread[at])
            return table.summed([[0.0 if of is None else along[of[0]] * (of[1] - means[of[0]][0]) for of in told]])

        parts = {}
        for at, title in enumerate(["(intercept)", *(title for title, _ in terms)]):
            arm = own(at, *fit[1:]).arm([1.0])
            low, high = (equations.end(own, fit, at, side) for side in (-arm, arm))
            parts[title] = Answer(title, fit[0][at], low, high)
        if terms and all(math.isinf(parts[title].low) and math.isinf(parts[title].high) for title, _ in terms):
            raise Refused(
                "The release can't tell these coefficients: each may be anything; ask about larger groups, or fewer "
                "columns."
            )
        first = parts[terms[0][0]] if terms else parts["(intercept)"]
        words = outcome if isinstance(outcome, str) else _words(outcome)
        return Answer(
            f"{name} of {words} on {', '.join(title for title, _ in terms)}",
            first.estimate,
            first.low,
            first.high,
            parts=parts,
            notes=notes,
            release=self.id,
        )

    # --- what questions mean

    def _chosen(self, conditions):
        """Return column -> the codes of its labels that meet conditions; what every label meets is left out."""
        found = {}
        for name, excluded, text in _conditions(conditions, self.columns):
            codes = self._codes_of(name, text)
            if excluded:
                codes = set(range(len(self.labels[name]))) - codes
            found[name] = frozenset(codes & found.get(name, codes))
            if not found[name]:
                raise Refused(
                    f"The conditions on “{name}” contradict each other: no value meets them all; write a|b for either "
                    "of two."
                )
        return {name: codes for name, codes in found.items() if len(codes) < len(self.labels[name])}

    def _named(self, conditions):
        """Return the columns that conditions are on, those that every label meets among them."""
        return {name for name, _, _ in _conditions(conditions, self.columns)}

    def _hides(self, conditions):
        """Return whether conditions ask for anything sensitive."""
        return any(name in self._ways for name in self._named(conditions))

    def _codes_of(self, name, text):
        labels, none = self.labels[name], self.missing(name)
        if isinstance(text, (list, tuple, set, frozenset)):
            return set().union(*(self._codes_of(name, one) for one in text))
        if not isinstance(text, str):  # pandas marks no value in three ways, and has days with a time
            none_at_all = str(text) in ("None", "nan", "NaT", "<NA>")
            day = self.columns[name]["kind"] == "date" and isinstance(text, datetime.datetime) and not none_at_all
            text = "" if none_at_all else str(text.date() if day else text)
        place = {label: at for at, label in enumerate(labels)}
        if text in place and text not in none:
            return {place[text]}
        if text.strip() in ("", "(empty)"):
            found = {at for at, label in enumerate(labels) if label in none}
            if found:
                return found
        if text.strip() in place:
            return {place[text.strip()]}
        folded = [at for at, label in enumerate(labels) if _folded(label) == _folded(text)]
        if len(folded) == 1:
            return set(folded)
        if "|" in text:
            return set().union(*(self._codes_of(name, part) for part in _barred(text, place)))
        found = self._range(name, text)
        if not found:
            why = " (a rare value can vanish when the column is re-drawn)" if name in self._ways else ""
            raise Refused(f"No published record has {name} = “{text}”{why}; {self._there(name, text)}.")
        return found

    def _there(self, name, text):
        """Return what can be asked of a column in place of a text that no record has."""
        known = [label for label in self.labels[name] if label not in self.missing(name)]
        if any(re.search(rf"{re.escape(each)}\s*[!<>]?=", text) for each in self.columns):
            return "join conditions that are to be met at once by “;”"
        if self.columns[name]["kind"] in (*_NUMBERS, *_DATES) or self._spans(name) or self._intervals(name):
            known = [label for label in known if any(map(str.isdigit, label))] or known
            return f"its values run from {known[0]} to {known[-1]}, a range is low..high, the smaller end first"
        folded = {label.lower(): label for label in known}
        near = difflib.get_close_matches(text.lower(), folded, 1)
        return (
            f"the nearest is “{folded[near[0]]}”"
            if near
            else f"its values are: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}"
        )

    def _range(self, name, text):
        entry, none = self.columns[name], self.missing(name)
        low, dots, high = (part.strip() for part in text.partition(".."))
        inside = set()
        if not low and not high:
            return inside
        known = [
            (at, label)
            for at, label in enumerate(self.labels[name])
            if label not in none and label not in entry.get("texts", ()) and any(map(str.isdigit, label))
        ]
        spans = self._spans(name)
        if entry["kind"] in _DATES or spans:
            if not dots:
                low = high = text.strip()
            low, high = (_dated(end) if not spans else end for end in (low, high))
            for end in filter(None, (low, high)):
                if not re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])\b.*)?| Q[1-4])?", end):
                    return inside
                if spans and len(end) > 4 and any((len(end), "Q" in end) != (len(one), "Q" in one) for _, one in known):
                    return inside  # a day among months, a quarter among them: only their texts would be compared
                if not spans and "Q" in end:
                    return inside
            if low and high and low[: len(high)] > high:
                raise Refused(_backwards(name, text))
            for at, label in known:
                if (not low or label >= low) and (not high or label[: len(high)] <= high):
                    inside.add(at)
            return inside
        try:
            low, high = (
                _number(end) if end else sign * math.inf for end, sign in ((low, -1), (high if dots else low, 1))
            )
        except ValueError:
            return inside
        if low > high and (entry["kind"] in _NUMBERS or self._intervals(name)):
            raise Refused(_backwards(name, text))
        if entry["kind"] in _NUMBERS:
            return {at for at, label in known if low <= float(label) <= high}
        ends = self._intervals(name)
        if ends is None:
            return inside  # “7” is not the text “007”: what holds no intervals has no numbers
        tops = {top for _, top in ends.values()}
        # 20..39 of whole numbers ends where the interval that stays below 40 does.
        whole = all(math.isinf(top) or top == round(top) for top in tops)
        fits = {math.nextafter(high, math.inf), high + 1 if whole else high}
        stop = math.inf if math.isinf(high) else min((fits - {high}) & tops, default=None)
        if stop is None or (math.isfinite(low) and all(low != least for least, _ in ends.values())):
            raise Refused(
                f"“{name}” was published in intervals, and {text} begins or ends within one; choose among "
                f"{', '.join(list(ends)[:12])}."
            )
        return {at for at, label in known if label in ends and low <= ends[label][0] and ends[label][1] <= stop}

    def _spans(self, name):
        """Return whether all values of a column of texts are quarters or months, or all are years."""
        known = set(self.labels[name]) - self.missing(name)
        alike = len(set(map(len, known))) == 1 and all(map(_SPAN.fullmatch, known))
        return self.columns[name]["kind"] not in (*_NUMBERS, *_DATES) and alike

    def _intervals(self, name):
        """Return label -> the least number and what it stays below, of a column of intervals; None where it is none.

        As the program reads them: words may stand beside three intervals, plain numbers alone are codes.
        """
        known = [label for label in self.labels[name] if label not in self.missing(name)]
        digits = [label for label in known if any(map(str.isdigit, label))]
        known = digits if len(digits) > 2 else known
        found = {label: _below(label) for label in known}
        if len(self.labels[name]) > 2000 or None in found.values() or not any(wide for *_, wide in found.values()):
            return None
        ends = sorted((low, top) for low, top, _ in found.values())
        if any(low >= top for low, top in ends) or any(one[1] > two[0] for one, two in zip(ends, ends[1:])):  # noqa: RUF007
            return None
        return {label: (low, top) for label, (low, top, _) in found.items()}

    def _numbers(self, name):
        """Return a number per label of a column: intervals by their middle, None for no value. Raises Refused."""
        stated = self.facts["transitions"]["columns"].get(name, {}).get("numbers")
        if stated:
            return stated  # of a sensitive column in intervals: what stands for each of them
        found, numbers = [], self.columns[name]["kind"] in _NUMBERS
        known = None if numbers else self._intervals(name)
        if known is None and not numbers:
            raise Refused(f"“{name}” holds neither numbers nor intervals of numbers; ask for counts or shares.")
        for label in self.labels[name]:
            if label in self.missing(name) or (known is not None and label not in known):
                found.append(None)
                continue
            ends = _ends(label)
            if ends is None:
                raise Refused(f"“{name}” holds “{label}”, which is no number and no interval of numbers.")
            if not all(map(math.isfinite, ends)):
                raise Refused(f"“{label}” of “{name}” has no end, so it has no middle: ask for counts or shares.")
            found.append(sum(ends) / 2)
        if all(number is None for number in found):
            raise Refused(f"“{name}” holds no numbers.")
        return found

    def _shares(self, pairs):
        """Return the sums x, n of each pair (conditions, where): how many meet both, and how many they are of."""
        functions, asked = [], []
        for conditions, where in pairs:
            chosen = self._chosen(_both(conditions, where))
            seen = {name: some for name, some in chosen.items() if name not in self._ways}
            group = {**self._chosen(where), **(seen if self._hides(conditions) else {})}
            asked += [chosen, group]
            functions += [lambda cell, some=some: float(cell.meets(some)) for some in (chosen, group)]
        sums = _Table(self, asked).sums(functions)
        if any(sums.values[at] <= 0 for at in range(1, len(functions), 2)):
            raise Refused("No record is left to take a share of, as far as can be told.")
        return sums

    # --- the sensitive columns

    def _by_block(self, names):
        """Return the sensitive columns among names, those drawn together side by side."""
        found = {}
        for name in (name for name in self.columns if name in names and name in self._ways):
            block = next((block for block in self._blocks if name in block), (name,))
            found.setdefault(block, []).append(name)
        return list(found.values())

    def held(self, names):
        """Return how many records are published with each combination of codes of columns."""
        if (names := tuple(names)) not in self._held:
            if len(self._held) > 9:
                self._held.clear()
            self._held[names] = Counter(zip(*(self.codes[name] for name in names))) if names else {(): self.n}
        return self._held[names]

    def _part(self, names, asked, full=()):
        sets = tuple(tuple(chosen.get(name) for name in names) for chosen in asked)
        key = tuple(names), sets, bool(full), tuple(name in full for name in names)
        if key not in self._parts:
            if len(self._parts) > 999:
                self._parts.clear()
            block = next((block for block in self._blocks if names[0] in block), None)
            self._parts[key] = (
                _Single(self, names[0], asked, names[0] in full)
                if block is None
                else _Together(self, self._blocks[block], names, asked, full)
            )
        return self._parts[key]

    def _straight(self, parts, held, top, hidden):
        """Return the unbiased count over records, as `splu query --method unbiased` does."""
        if len(parts) == 1:
            return parts[0].unbiased(Counter({u: n for (u,), n in held.items()}), top, hidden)
        matrix = any(part.by_matrix for part in parts)
        weights = [part.weights(hidden, matrix) for part in parts]
        found = sum(n * math.prod(w[u] for w, u in zip(weights, us)) for us, n in held.items())
        sure = all(part.told(hidden) for part in parts)
        return found if sure or not matrix else min(max(found, 0.0), top)

    def _likeliest(self, parts, held, top, hidden):
        """Return the likeliest count over records, as `splu query --method bayes` does."""
        if len(parts) == 1:
            found = parts[0].likeliest(Counter({u: n for (u,), n in held.items()}), top, hidden)
        else:
            matrix = any(part.only_matrix for part in parts)
            kron = [[1.0]]
            for part in parts:
                kron = _kron(part.two_states(hidden, matrix), kron)
            y = [0.0] * len(kron)
            for us, n in held.items():
                y[sum(part.meets(u, hidden) << bit for bit, (part, u) in enumerate(zip(parts, us)))] += n
            found = _likeliest_state(y, kron)
        return min(max(found, 0.0), float(top))

    def _ends_of_all(self, hidden, high):
        """Return what neither end exceeds, of how many records have the values at all, where an answer reaches `high`.

        Were the upper end cut alone, a count of all of them would miss where either of the two does.
        """
        fewest = most = float(self.n)
        for name, some in hidden.items():
            way = self._ways[name]
            shown = sum(way.counts[at] for at in some)
            most = min(most, len(some) * way.stated["most"])
            if high > shown:
                key = name, some
                if key not in self._totals:
                    self._totals[key] = self._ends({name: some}, self.n, _Table(self, [{name: some}]))
                ends = self._totals[key]
                fewest, most = min(fewest, ends[0]), min(most, max(ends[1], way.stated["unseen"], shown))
        return fewest, most

    def _ends(self, chosen, top, table):
        """Return the ends of all counts x with (estimate - x)^2 <= 1.96^2 V(x), and whether the release tells them.

        V is the variance if x is true (a score interval; docs/recipient.md has it).
        """
        n, top = self.n, float(top)
        if any(len(part.members) != 2 for part in table.parts):
            return 0.0, top, False  # all are shown with these values
        met = [part.met(chosen) for part in table.parts]
        alone = len(met) == 1
        if alone:
            (wide,) = table.effects
            model, lean = table.spread_of_one(met[0], chosen, top)
        else:
            model, scatter = table.spread_of_several(met, chosen, top)
            wide = self._widened_at_once(table, scatter)
        if alone and top == n and table.parts[0].moving[met[0]] == 1:
            return _inverted(table.shown(chosen, met[0])[1], top, lambda x: wide * model(x))
        try:
            sums = table.sums([lambda cell: float(cell.meets(chosen))])
        except Refused:
            return 0.0, top, False
        seen = sums.values[0]
        usual = wide * model(seen if alone else min(max(seen, 0.0), top))
        more = sums.along([1.0]) - usual
        if not alone:
            return _inverted(seen, top, lambda x: wide * model(x) + max(more, 0.0))
        bend = wide * table.bend(met[0], chosen, _NARROWEST * model(seen))
        return _inverted(
            seen,
            top,
            lambda x: max(wide * model(x) + more + bend * (x - seen), wide * _NARROWEST * model(x)),
            lambda x: wide * lean(x),
        )

    def widened(self, names, asked):
        """Return how many times the variance of independent records sums over records have (persons, README)."""
        effects = self.facts.get("persons", {}).get("design_effects", {})
        return max([1.0, *(self._effect(effects[name], asked) for name in names if name in effects)])

    def widened_of_persons(self, asked):
        """Return the same if all records of a person scattered together, None where the release doesn't tell."""
        whole = self.facts.get("persons", {}).get("design_effects_of_persons")
        return self._effect(whole, asked) if whole else None

    def widened_together(self, names, asked, together):
        """Return the same of conditions met at once, as `together`, on columns drawn together (docs/recipient.md)."""
        effect, persons = self.widened(names, asked), self.widened_of_persons(asked)
        rare = sum(2 * sum(self.counts(name)[at] for at in asked[name]) < self.n for name in names if together)
        if persons is None or persons <= 1 or rare < 2:
            return effect
        return 1 + (persons - 1) * min((effect - 1) / (persons - 1), 1.0) ** rare

    def _widened_at_once(self, table, scatter):
        """Return the same for a count of records that meet a condition on every part (docs/recipient.md)."""
        each, persons = table.effects, self.widened_of_persons(table.asked)
        if persons is None or persons <= 1:
            return max(each) if persons is None else 1.0
        more = persons - 1
        alone = together = every = 1.0
        for effect, (share, spread) in zip(each, scatter):
            alone *= spread + share
            together *= min((effect - 1) / more, 1.0) * spread + share
            every *= share
        return 1 + more * (together - every) / max(alone - every, 1e-300)

    def _effect(self, effects, asked):
        result = reach = whole = effects["whole"]
        share = 1.0
        for name, chosen in sorted(asked.items()):
            if name in self._ways or not chosen or whole <= 1:
                continue
            of = [at in chosen for at in range(len(self.labels[name]))]
            narrowed, reached, inside = self.narrowed(effects, name, of)[True]
            if inside:
                result = 1 + (result - 1) * narrowed
                reach = 1 + (reach - 1) * reached
                share *= inside / self.n
        off = effects.get("moving", 0.0) * share
        return max((share * (result - 2 * off * reach) + off**2 * whole) / (share * (1 - 2 * off) + off**2), 1.0)

    def narrowed(self, effects, name, of):
        """Return how many others of a person's records scatter together with one, of all that do, by classes of labels.

        Those in its own class, and those anywhere; and the records of the class.
        """
        known, counts, whole = effects["columns"].get(name, {}), self.counts(name), effects["whole"]
        each = [known.get(label, known.get("*", 1.0)) for label in self.labels[name]]
        inside, same, squares = defaultdict(int), defaultdict(float), defaultdict(int)
        for c, count, effect in zip(of, counts, each):
            inside[c] += count
            same[c] += count * effect
            squares[c] += count**2
        between = max(self.n * whole - sum(same.values()), 0.0) / max(self.n**2 - sum(squares.values()), 1e-300)

        def part(c, pairs):
            if whole <= 1:
                return 1.0
            return max((same[c] + between * (pairs - squares[c])) / max(inside[c], 1) - 1, 0.0) / (whole - 1)

        return {c: (part(c, number**2), part(c, number * self.n), number) for c, number in inside.items()}


# --- transitions


class _Way:
    """The transition of one sensitive column: the numbers a, b_s, or the matrix T with its inverse, or both."""

    def __init__(self, counts, stated, n):
        self.counts, self.n, self.stated = [float(count) for count in counts], n, stated
        self.a = stated.get("a")
        self.T, self.inverse = stated.get("T"), stated.get("inverse")
        if self.a is None and self.T is None:
            raise Refused(
                f"A sensitive column has too many values for this file ({stated['left_out']}); use the program itself."
            )
        if self.a is not None:
            others = [max(n - f, 1.0) for f in self.counts]
            self.b = [(1 - self.a) * f / o for f, o in zip(self.counts, others)]
            self.signal = [self.a - b for b in self.b]
            error = [
                (1 - self.a) * n / o**2 * math.sqrt(max(f, 1.0) * (1 - self.a)) for f, o in zip(self.counts, others)
            ]
            self.clear = [signal > 3 * e for signal, e in zip(self.signal, error)]
            # What phi over all values misses of 1, where all can be told: sets of several get their part, f_s / N.
            off = sum(b / signal for b, signal in zip(self.b, self.signal)) if all(self.clear) else 0.0
            self.short = [1 - 1 / signal + off if all(self.clear) else 0.0 for signal in self.signal]
        if self.T is not None:
            self.whole, self.readable = stated["counts"], stated["readable"]
            self.moving, self.shift = stated["moving"], stated.get("shift") or [0.0] * len(counts)
        else:
            self.whole, self.readable, self.moving = self.counts, self.clear, [True] * len(counts)
        self.size = len(self.counts)
        self.stated["most"], self.stated["unseen"] = float(stated["most"]), float(stated["unseen"])
        listed = [self.whole, self.readable, self.moving, self.T, self.inverse] if self.T else []
        if any(len(each) != self.size for each in (*listed, *(self.T or ()), *(self.inverse or ()))):
            raise ValueError("chances of other values than the table's")

    def entry(self, u, s):
        """Return how much a record shown as u counts for s."""
        if self.T is not None:
            return self.inverse[u][s]
        return ((u == s) - self.b[s]) / self.signal[s] if self.clear[s] else 0.0

    def part(self, chosen):
        """Return the share of several values, 0 of one."""
        return sum(self.counts[s] for s in chosen) / self.n if len(chosen) > 1 else 0.0

    def chance(self, v, u):
        """Return T[v, u]."""
        if self.T is not None:
            return self.T[v][u]
        return self.a if u == v else self.b[u]


class _Single:
    """A sensitive column by itself, its values in classes by which asked conditions they meet, or each its own."""

    def __init__(self, release, name, asked, full):
        self.names, self.columns, self.way = [name], [name], release._ways[name]
        sets = [chosen[name] for chosen in asked if name in chosen]
        keys = [(at,) if full else tuple(at in some for some in sets) for at in range(self.way.size)]
        order = sorted(dict.fromkeys(keys), key=lambda key: not any(key) and not full)  # the rest is last
        self.of = [order.index(key) for key in keys]
        self.first = [[keys.index(key)] for key in order]
        self.members = [[at for at in range(self.way.size) if keys[at] == key] for key in order]
        rest = not full and not any(order[-1])
        self._classes(rest)
        self.by_matrix, self.only_matrix = self.way.T is not None, self.way.a is None

    def _classes(self, rest):
        way, m = self.way, self.way.size
        number = len(self.members)
        share = [sum(way.whole[at] for at in some) for some in self.members]
        self.counts = share
        self.W = []
        # For two numbers a sum over a class is [u in the class] / signal - sum of b / signal: no loop over its values.
        for u in range(m):
            row = [sum(way.entry(u, s) for s in some) for some in self.members] if way.T is not None else None
            self.W.append(row)
        if way.T is None:
            off = [sum(way.b[s] / way.signal[s] for s in some if way.clear[s]) for some in self.members]
            self.W = [
                [(1 / way.signal[u] if self.of[u] == c and way.clear[u] else 0.0) - off[c] for c in range(number)]
                for u in range(m)
            ]
        parts = [way.part(some) if rest and way.T is None else 0.0 for some in self.members]
        for u, row in enumerate(self.W):
            if rest:
                if way.T is None:
                    row[:] = [w + way.short[u] * part for w, part in zip(row, parts)]
                row[-1] = 1.0 - sum(row[:-1])
            else:
                left = 1.0 - sum(row)
                self.W[u] = [w + left * f / way.n for w, f in zip(row, share)]
        self.into, self.K = [], []  # chances that a record of a class is shown as u, and in a class
        for some in self.members:
            whole = sum(way.whole[v] for v in some)
            parts = {v: way.whole[v] / whole if whole > 0 else 1 / len(some) for v in some}
            if way.T is not None:
                row = [sum(p * way.T[v][u] for v, p in parts.items()) for u in range(m)]
            else:
                row = [b + parts.get(u, 0.0) * (way.a - b) for u, b in enumerate(way.b)]
                scale = sum(row)
                row = [chance / scale for chance in row]
            self.into.append(row)
            self.K.append([sum(row[u] for u in other) for other in self.members])
        self.moving = [
            sum(way.whole[v] for v in some if way.moving[v]) / f if f > 0 else 1.0
            for some, f in zip(self.members, share)
        ]
        # What a record shown as u moves T by, times n, and its mean by true class; values of a fixed rest move back.
        self.resting = any(way.moving) and not all(way.moving)
        self.drift = [
            [(w - (self.of[u] == c)) * self.moving[c] for c, w in enumerate(row)] for u, row in enumerate(self.W)
        ]
        self.drifted = [[((c == e) - self.K[c][e]) * self.moving[e] for e in range(number)] for c in range(number)]
        if self.resting:
            u, v = way.moving.index(True), way.moving.index(False)
            size = max(sum(f for f, moves in zip(way.whole, way.moving) if moves), 1e-300)
            part = [sum(way.whole[s] for s in some if way.moving[s]) / size for some in self.members]
            taken = sum(chance for chance, moves in zip(way.T[v], way.moving) if moves) * sum(way.whole) / size
            taken *= way.inverse[u][u] - way.inverse[v][u]
            self.drift = [
                [taken * moves * ((at == c) - w) for c, w in enumerate(part)] for at, moves in zip(self.of, way.moving)
            ]
            columns = list(zip(*self.drift))
            self.drifted = [[sum(map(mul, row, column)) for column in columns] for row in self.into]
            self.moving = [moves * (1 - w) for moves, w in zip(self.moving, part)]

    def shown(self, codes):
        """Return the published value u of records, by the codes of its columns."""
        return codes[0]

    def met(self, chosen):
        """Return the class that meets conditions."""
        return next(
            c for c, codes in enumerate(self.first) if all(at in chosen[name] for name, at in zip(self.names, codes))
        )

    def squares(self, at):
        """Return E[phi_at^2] for records of one of two classes, and of the other."""
        found = [sum(chance * row[at] ** 2 for chance, row in zip(into, self.W)) for into in self.into]
        return found[at], found[1 - at]

    def chosen(self, hidden):
        """Return the published values that meet conditions."""
        return hidden[self.names[0]]

    def meets(self, u, hidden):
        return u in hidden[self.names[0]]

    def told(self, hidden):
        met = self.chosen(hidden)
        return 0 < len(met) < self.way.size and all(self.way.readable[s] for s in met)

    def needs(self, c):
        """Return whether a class can be told from the others."""
        return all(self.way.readable[s] for s in self.members[c])

    def weights(self, hidden, matrix):
        way, chosen = self.way, self.chosen(hidden)
        if way.T is not None and (matrix or way.a is None):
            return [sum(way.inverse[u][s] for s in chosen) for u in range(way.size)]
        off = sum(way.b[s] / way.signal[s] for s in chosen if way.clear[s])
        off = [off - short * way.part(chosen) for short in way.short]
        return [(1 / way.signal[u] if u in chosen and way.clear[u] else 0.0) - off[u] for u in range(way.size)]

    def unbiased(self, y, top, hidden):
        way, chosen = self.way, self.chosen(hidden)
        if not 0 < len(chosen) < way.size:
            return top if chosen else 0.0
        if way.T is not None:
            found = sum(n * sum(way.inverse[u][s] for s in chosen) for u, n in y.items())
            found += top * sum(way.shift[s] for s in chosen)
            return found if self.told(hidden) else min(max(found, 0.0), top)
        found = sum(
            (y[s] - top * way.b[s]) / way.signal[s] if way.clear[s] else top * way.counts[s] / way.n for s in chosen
        )
        return found + way.part(chosen) * sum(n * way.short[u] for u, n in y.items())

    def two_states(self, hidden, matrix):
        way, chosen = self.way, self.chosen(hidden)
        if way.T is not None and (matrix or way.a is None):
            into = [sum(row[u] for u in chosen) for row in way.T]
            own = sum(way.whole[v] for v in chosen)
            keep = (
                sum(way.whole[v] * into[v] for v in chosen) / own
                if own > 0
                else sum(into[v] for v in chosen) / len(chosen)
            )
            others = [(way.whole[v], into[v]) for v in range(way.size) if v not in chosen]
            come = sum(f * chance for f, chance in others) / max(sum(f for f, _ in others), 1e-300)
        else:
            whole = sum(way.counts[s] for s in chosen)
            fed = [way.b[s] for s in chosen]
            keep = (
                way.a
                + sum(fed)
                - (sum(way.counts[s] * way.b[s] for s in chosen) / whole if whole > 0 else sum(fed) / len(fed))
            )
            come = whole * (1 - keep) / max(way.n - whole, 1.0)
        return [[1 - come, come], [1 - keep, keep]]

    def likeliest(self, y, top, hidden):
        chosen = self.chosen(hidden)
        if self.way.a is None:
            return _likeliest(y, self.way.T, chosen) if chosen else 0.0
        inside = float(sum(y[s] for s in chosen))
        return _likeliest_state([top - inside, inside], self.two_states(hidden, False))


def _leaning(release, block, state, often):
    """Return how much each combination's values bring others of each state but the commonest into its group.

    The sum over its values of the share that records with the value have among their group's others, less that of all;
    values that fewer than half of the records have. `often` says how many records have a combination.
    """
    n, in_state = release.n, Counter()
    for number, count in often.items():
        in_state[state[number]] += count
    commonest = min(in_state, key=lambda s: (-in_state[s], s))
    place = {kind: at for at, kind in enumerate(sorted(set(in_state) - {commonest}))}
    seen, found = [[0.0] * len(place) for _ in state], [[] for _ in state]
    for count, *members in block["groups"]:
        inside = Counter(state[number] for number in members)
        for number in members:
            for kind, others in inside.items():
                if kind in place:
                    others -= int(kind == state[number])
                    seen[number][place[kind]] += count * others / max(len(members) - 1, 1)
    held, times = [list(zip(block["columns"], combination)) for combination in block["combinations"]], Counter()
    for number, values in enumerate(held):
        for value in values:
            times[value] += often[number]
    for at in place.values():
        sums, mean = Counter(), sum(row[at] for row in seen) / n
        for row, values in zip(seen, held):
            for value in values:
                sums[value] += row[at]
        rate = {value: sums[value] / max(times[value], 1) - mean for value in times if 2 * times[value] < n}
        for lean, values in zip(found, held):
            lean.append(sum(rate.get(value, 0.0) for value in values) / block["rounds"])
    return found


def _parted(state, number, leaning, often, most):
    """Return the part of each combination: states are cut in two again and again, where a part leans unlike itself."""
    part, kinds = list(state), range(len(leaning[0]))
    spread = sum(count * lean * lean for at, count in often.items() for lean in leaning[at])
    while leaning[0] and number < most:
        size, mean, apart = [0] * number, [[0.0] * len(kinds) for _ in range(number)], {}
        for at, count in often.items():
            size[part[at]] += count
            for way in kinds:
                mean[part[at]][way] += count * leaning[at][way]
        mean = [[total / max(count, 1) for total in row] for count, row in zip(size, mean)]
        for at, count in often.items():
            for way in kinds:
                key = part[at], way
                apart[key] = apart.get(key, 0.0) + count * (leaning[at][way] - mean[part[at]][way]) ** 2
        cut, way = max(sorted(apart), key=apart.get)
        if apart[cut, way] <= 1e-9 * spread:
            break
        for at, lean in enumerate(leaning):
            if part[at] == cut and lean[way] > mean[cut][way]:
                part[at] = number
        number += 1
    return part


class _Together(_Single):
    """Columns drawn together: the states that their asked conditions tell, by how combinations share groups."""

    def __init__(self, release, block, names, asked, full):
        self.names, self.columns = names, block["columns"]
        place = [block["columns"].index(name) for name in names]
        code = [{label: at for at, label in enumerate(release.labels[name])} for name in names]
        rows = [[code[j][combination[at]] for j, at in enumerate(place)] for combination in block["combinations"]]
        sets = [[chosen[name] for chosen in asked if name in chosen] for name in names]
        keys = [
            tuple(
                (at,) if name in full else tuple(at in some for some in sets[j])
                for j, (name, at) in enumerate(zip(names, row))
            )
            for row in rows
        ]
        labels = [{label: at for at, label in enumerate(release.labels[name])} for name in block["columns"]]
        at_row = {
            tuple(labels[j][label] for j, label in enumerate(combination)): number
            for number, combination in enumerate(block["combinations"])
        }
        often = {at_row[codes]: n for codes, n in release.held(self.columns).items()}
        cells = keys
        if len(asked) == 1 and not full:
            every = tuple((True,) for _ in names)
            keys = [key if key == every else tuple((False,) for _ in names) for key in keys]
            if len(names) > _MOST_APART:
                cells = keys
        order = sorted(dict.fromkeys(cells))
        if len(order) > _MOST_STATES:
            raise Refused(
                f"{', '.join(names)} are drawn together and have too many values for one answer; ask about "
                "some of them."
            )
        state = [order.index(cell) for cell in cells]
        few, apart = len(keys) <= block["states"], 1 < len(order) < block["parts"]
        leaning = _leaning(release, block, state, often) if apart and not few else [[]] * len(state)
        finer = list(range(len(keys))) if few else _parted(state, len(order), leaning, often, block["parts"])
        states = sorted({finer[number] for number in often})
        at_state = {state: at for at, state in enumerate(states)}
        key_of = dict(zip(finer, keys))
        classes = sorted({key_of[state] for state in states})
        self.of = [classes.index(key_of[state]) for state in states]
        held, shown = [0.0] * len(states), [[0.0] * len(states) for _ in states]
        for times, *members in block["groups"]:
            inside = Counter(at_state[finer[number]] for number in members)
            for v, n in inside.items():
                held[v] += times * n
                for u, k in inside.items():
                    shown[v][u] += times * n * k / len(members)
        T = [[chance / max(n, 1e-300) for chance in row] for row, n in zip(shown, held)]
        counts = [n / block["rounds"] for n in held]
        inverse, hidden = _clear_inverse(T, counts, release.n)
        ready = [_states_told(T, counts, inverse, self.of)] * len(states)
        stated = {
            "T": T,
            "inverse": inverse,
            "counts": counts,
            "readable": ready,
            "hidden": hidden,
            "moving": [True] * len(states),
            "most": release.n,
            "unseen": 0,
        }
        self.way = _Way(counts, stated, release.n)
        self._shown = {codes: at_state.get(finer[number]) for codes, number in at_row.items()}
        self.rows = {}
        for number, state in enumerate(finer):
            self.rows.setdefault(at_state.get(state), rows[number])
        self.members = [[at for at, c in enumerate(self.of) if c == number] for number in range(len(classes))]
        self.first = [self.rows[some[0]] for some in self.members]
        self._classes(False)
        self.by_matrix = self.only_matrix = True

    def shown(self, codes):
        return self._shown[codes]

    def meets(self, u, hidden):
        return all(at in hidden[name] for name, at in zip(self.names, self.rows[u]))

    def chosen(self, hidden):
        return {u for u in range(self.way.size) if self.meets(u, hidden)}


# --- tables of cells, and sums over them


class _Cell:
    """A cell of a table: one value of each column stands for all of its class."""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, column):
        return self.values[column]

    def meets(self, chosen):
        return all(self.values[name] in some for name, some in chosen.items())


class _Table:
    """The table over classes of columns, as it was before the draw: `counted` has unbiased counts, `sums` variances."""

    def __init__(self, release, asked, full=()):
        self.release = release
        names = {name for chosen in asked for name in chosen} | set(full)
        for name in names:
            if name not in release.columns:
                raise Refused(_unknown(name, release.columns))
        self.plain = plain = [name for name in release.columns if name in names and name not in release._ways]
        self.parts = [release._part(block, asked, full) for block in release._by_block(names)]
        number = math.prod(len(part.members) for part in self.parts)
        if number > _MOST_CLASSES:
            largest = max(self.parts, key=lambda part: len(part.members))
            raise Refused(
                f"That tells {number} combinations of sensitive values apart, too many for one answer: "
                f"{len(largest.members)} of “{', '.join(largest.names)}” alone; ask about fewer of its values, or "
                "leave it out."
            )
        self.one = len(asked) == 1 and not full
        self.asked = dict(asked[0]) if self.one else {}
        self.effects = [release.widened_together(part.names, self.asked, self.one) for part in self.parts]
        self.classes = classes = []
        for name in plain:
            sets = [chosen[name] for chosen in asked if name in chosen]
            keys = [
                (at,) if name in full else tuple(at in some for some in sets) for at in range(len(release.labels[name]))
            ]
            first = {}
            for at, key in enumerate(keys):
                first.setdefault(key, at)
            classes.append([first[key] for key in keys])
        self.keys, begins = Counter(), [len(plain)]
        for part in self.parts:
            begins.append(begins[-1] + len(part.columns))
        for codes, n in release.held([*plain, *(name for part in self.parts for name in part.columns)]).items():
            p = tuple([of[code] for of, code in zip(classes, codes)])
            us = tuple([part.shown(codes[a:b]) for part, a, b in zip(self.parts, begins, begins[1:])])
            self.keys[p, us] += n
        self.choices = list(itertools.product(*(range(len(part.members)) for part in self.parts)))
        self.cell, self.counted = {}, defaultdict(float)  # pattern by pattern, each with all choices
        self.weight, self.shares, self.drawn = {}, None, None
        for (p, us), n in self.keys.items():
            if us not in self.weight:
                self.weight[us] = [
                    math.prod(part.W[u][c] for part, u, c in zip(self.parts, us, cs)) for cs in self.choices
                ]
            for cs, weight in zip(self.choices, self.weight[us]):
                self.counted[p, cs] += n * weight
        for p, cs in self.counted:
            values = dict(zip(plain, p))
            for part, c in zip(self.parts, cs):
                values.update(zip(part.names, part.first[c]))
            self.cell[p, cs] = _Cell(values)

    def shown(self, chosen, at):
        """Return how many records are shown in a class of the first part: of those that `chosen` selects, of all."""
        found = [0, 0]
        for (p, us), n in self.keys.items():
            if self.parts[0].of[us[0]] == at:
                found[0] += n if self.selects(p, chosen) else 0
                found[1] += n
        return found

    def selects(self, p, chosen):
        return all(at in chosen[name] for name, at in zip(self.plain, p))

    def spread_of_one(self, at, chosen, top):
        """Return the variance of an estimated count, if x is true, where records show whether they are of a class.

        And the third moment over it.
        """
        part, n = self.parts[0], self.release.n
        published, shown = self.shown(chosen, at)
        keep, come, moving = part.K[at][at], part.K[1 - at][at], part.moving[at]
        known = min(max(part.counts[at], _LEAST), _FULL * n)
        signal = max(keep - come, _LEAST)

        def likeliest(x, w):
            c, kept, f = (1 - keep) * w / n, keep * x, shown
            two = c * (1 - c)
            if two > 1e-12:
                one = kept * (1 - 2 * c) - two * shown
                none = kept * (c * published - (1 - c) * (shown - published)) - kept * kept
                f = (math.sqrt(max(one * one - 4 * two * none, 0.0)) - one) / (2 * two)
            return min(max(f, x, _LEAST), max(_FULL * n, x))

        def figures(x):
            w = top - x
            f = known + moving * (likeliest(x, w) - known)
            f = min(max(f, x), x + n - top)  # no more have it than these and all that are not selected
            c = min(come * (1 + moving * (f / max(n - f, 1.0) * (n - known) / known - 1)), keep)
            e = (1 / signal - 1) * moving * w / max(n - f, 1.0)
            own, other = keep * (1 - keep), c * (1 - c)
            rest = max(f - x, 0.0) * own + max(n - f - w, 0.0) * other
            d, third = 1 / signal - e, x * own * (1 - 2 * keep) + w * other * (1 - 2 * c)
            variance = max(d**2 * (x * own + w * other) + e * e * rest, _LEAST)
            return variance, d**3 * third / variance

        return lambda x: figures(x)[0], lambda x: figures(x)[1]

    def bend(self, at, chosen, least):
        """Return by how much more that variance grows with x since values differ (B - B2; docs/recipient.md)."""
        part = self.parts[0]
        found = [(part.W[us[0]][at], n) for (p, us), n in self.keys.items() if self.selects(p, chosen)]
        one, two, three = (math.fsum(n * phi**power for phi, n in found) for power in (1, 2, 3))
        keep, come = part.K[at][at], part.K[1 - at][at]
        of_two = (keep * (1 - keep) - come * (1 - come)) / max(keep - come, _LEAST) ** 2
        return (three - two - one * (part.squares(at)[0] - 1)) / max(two - one, least) - of_two

    def spread_of_several(self, met, chosen, top):
        """Return the same over several parts, whose conditions are met as often as each is estimated to be.

        And of each part that share of the records, and the variance of a record's weight on average.
        """
        mixed, every, slope, scatter = 1.0, 1.0, 1.0, []
        for j, (part, at) in enumerate(zip(self.parts, met)):
            margin = sum(x for (p, cs), x in self.counted.items() if cs[j] == at and self.selects(p, chosen))
            share = min(max(margin / max(top, 1.0), 0.0), 1.0)
            within, without = part.squares(at)
            square = share * within + (1 - share) * without
            scatter.append((share, square - share))
            mixed *= square
            every *= share
            slope *= within - without
        return (lambda x: max(top * mixed + (x - top * every) * slope - x, _LEAST)), scatter

    def sums(self, functions):
        """Return the sums over the original records of functions of their cell, with their covariances."""
        return self.summed([[function(cell) for cell in self.cell.values()] for function in functions])

    def summed(self, psi):
        """Return the same of functions given by their values, each a list over cells."""
        # Of all records at once groups keep the shares true, whatever else they hide.
        whole = not self.plain and len(self.parts) == 1 and getattr(self.parts[0].way, "a", None) is not None
        for part in () if whole else self.parts:
            for c in range(len(part.members)):
                if not part.needs(c) and c < len(part.members) - 1:
                    raise Refused(
                        f"The release does not tell where “{', '.join(part.names)}” has some of its values: "
                        "they are too frequent or too rare for this draw."
                    )
        xs = list(self.counted.values())
        values = [math.fsum(map(mul, xs, column)) for column in psi]
        if not self.parts:
            return _Sums(values, [[[0.0] * len(psi) for _ in psi]])
        if self.drawn is None:  # neither follows what is summed
            self.shares = list(map(self._shares, range(len(self.parts))))
            self.drawn = [list(table._draws()) for table in (self, *self._steady())]
        moved = []  # per part: how T's own error moves the sums, by shown value and by true class
        for part, shares in zip(self.parts, self.shares):
            Q = [[sum(map(mul, share, map(column.__getitem__, some))) for some, share in shares] for column in psi]
            moved.append([[[sum(map(mul, row, q)) for row in rows] for q in Q] for rows in (part.drift, part.drifted)])
        return _Sums(values, [self._spread(psi, moved, drawn) for drawn in self.drawn])

    def _steady(self):
        """Yield the table as its variances are never below: few records are shown more as all are. None for a count."""
        records, whole, seen = Counter(), Counter(), defaultdict(dict)
        for (p, us), n in self.keys.items():
            records[p] += n
            whole[us] += n
            seen[p][us] = n
        few = sum(number < _FEW for number in records.values())
        if self.one or not self.plain or not 0 < few * len(whole) * len(self.choices) <= _MOST_FEW:
            return
        steady, total = copy.copy(self), sum(whole.values())
        steady.keys, steady.counted = {}, defaultdict(float)
        for p, number in records.items():
            if number < _FEW:
                part = number / (number + _ALIKE)
                seen[p] = {us: (seen[p].get(us, 0) + _ALIKE * n / total) * part for us, n in whole.items()}
            for us, n in seen[p].items():
                steady.keys[p, us] = n
                for cs, weight in zip(self.choices, self.weight[us]):
                    steady.counted[p, cs] += n * weight
        yield steady

    def _shares(self, j):
        """Return of each class of a part the numbers of its cells and the shares of other values' records in them."""
        part, line = self.parts[j], defaultdict(float)
        for (p, cs), x in self.counted.items():
            line[p, cs[:j] + cs[j + 1 :]] += x
        own, found = 0.0 if part.resting else 1.0, [([], []) for _ in part.members]
        for at, ((p, cs), x) in enumerate(self.counted.items()):
            some, share = found[cs[j]]
            some.append(at)
            others = max(self.release.n - own * part.counts[cs[j]], 1.0)
            share.append((line[p, cs[:j] + cs[j + 1 :]] - own * x) / others)
        return found

    def _spread(self, psi, moved, drawn_so):
        """Return the covariances, from what records add where some parts are drawn (docs/recipient.md)."""
        found, size = [[0.0] * len(psi) for _ in psi], len(self.choices)
        for means, draws in drawn_so:
            adds, numbers = [], [n for *_, some in draws for n in some]
            for k, column in enumerate(psi):
                if means is not None:
                    lines = [column[at : at + size] for at in range(0, len(column), size)]
                    column = [sum(map(mul, of, c)) for some, of in means for c in zip(*[lines[p] for p in some])]
                adds.append([])
                for drawn, ways, of_way, slots, _ in draws:
                    shifts = [shift[not of][k] for of, shift in zip(drawn, moved)]
                    off = [-sum(shift[u] for u, shift in zip(at, shifts)) for at in ways]
                    each = map(off.__getitem__, of_way)
                    for pick, weights in slots:
                        each = list(map(add, each, map(mul, weights, pick(column))))
                    adds[-1] += each
            for row, more in zip(found, _products(adds, numbers)):
                row[:] = map(add, row, more)
        return found

    def _draws(self):
        """Yield by which means over patterns, if any, records add to a variance, and how (`_seen`): none less often."""
        every, records = [True] * len(self.parts), Counter()
        for (p, _), number in self.keys.items():
            records[p] += number
        at = {p: number for number, p in enumerate(records)}
        each, no = (at, self.keys, self.counted), [False] * len(every)
        yield None, [self._seen(every, *each, 1.0), self._seen(no, *each, -1.0)]
        effects = self.effects
        persons = self.release.widened_of_persons(self.asked)
        alone = len(every) == 1 or len(every) > _MOST_APART or persons is None
        more = (max(effects) if alone else persons) - 1
        if more <= 0:
            return
        ratios = [1.0 if alone else min((effect - 1) / more, 1.0) for effect in effects]
        chances = {}
        for some in itertools.product((False, True), repeat=len(every)):
            chance = more * math.prod(r if of else 1 - r for r, of in zip(ratios, some))
            if chance > 0 and any(some):
                chances[some] = chance
        chances[tuple(no)] = -sum(chances.values())
        groups = self._groups(records, alone)
        for means, of_group in [(None, each)] if self.one else (self._grouped(at, records, *group) for group in groups):
            yield means, [self._seen(some, *of_group, chance) for some, chance in chances.items()]

    def _groups(self, records, alone):
        """Yield groups of patterns, and how often a record has others of its person in its group."""
        release, n, persons = self.release, self.release.n, self.release.facts["persons"]
        stated = persons["design_effects"]
        names = [name for part in self.parts for name in part.names if name in stated]
        told = [stated[name] for name in names] if alone else [persons["design_effects_of_persons"]]
        effects = max(told, key=lambda each: each["whole"])
        columns = []
        for at, (name, of) in enumerate(zip(self.plain, self.classes)):
            held = Counter()
            for p, number in records.items():
                held[p[at]] += number / n
            own = {c: each[0] for c, each in release.narrowed(effects, name, of).items()}
            near = persons.get("design_effects_of_persons", {}).get("correlations", {}).get(name, 0.0)
            columns.append(_pairs(own, held, near, at < _MOST_COLUMNS))
        for alike in itertools.product((False, True), repeat=len(columns)):
            apart = math.prod(apart for same, (apart, _) in zip(alike, columns) if not same)
            group = {p: tuple(c for same, c in zip(alike, p) if same) for p in records}
            factor, number = {}, Counter()
            for p, each in records.items():
                number[group[p]] += each
                factor[p] = apart * math.prod(near[c] for same, c, (_, near) in zip(alike, p, columns) if same)
            if any(factor.values()):
                yield group, {p: each * number[group[p]] / n for p, each in factor.items()}

    def _grouped(self, at, records, group, factor):
        """Return the patterns of each group with their shares of its records, and these records, times a factor."""
        number, means, keys, counted = Counter(), {}, Counter(), Counter()
        for p, each in records.items():
            number[group[p]] += each
        for p, each in records.items():
            some, shares = means.setdefault(group[p], ([], []))
            some.append(at[p])
            shares.append(each / number[group[p]])
        for (p, cs), each in self.counted.items():
            counted[group[p], cs] += each * factor[p]
        for (p, us), each in self.keys.items():
            keys[group[p], us] += each * factor[p]
        return list(means.values()), ({g: number for number, g in enumerate(means)}, keys, counted)

    def _seen(self, drawn, at, keys, counted, chance):
        """Return how records add where their values of some parts are `drawn`, and known if not, `chance` times.

        at : the number of each pattern. Returns drawn; what is known of records (per part the shown value, or the true
        class); the number of that for each kind of record, the cells it may be of, one after another, as what picks
        them of all kinds with their weights; and how many records.
        """
        numbers = [range(len(part.members)) for part in self.parts]
        held = defaultdict(float)
        if not any(drawn):
            held = counted
        elif all(drawn):
            held = keys
        else:
            for (p, us), n in keys.items():
                for known in itertools.product(*([u] if of else c for of, u, c in zip(drawn, us, numbers))):
                    parts = zip(drawn, self.parts, us, known)
                    held[p, known] += n * math.prod(part.W[u][c] for of, part, u, c in parts if not of)
        ways = {}
        for known in {known: None for _, known in held}:
            parts = list(zip(drawn, self.parts, known))
            may = [c for c, cs in enumerate(self.choices) if all(of or u == c for of, u, c in zip(drawn, known, cs))]
            weights = [
                math.prod(part.W[u][self.choices[c][j]] for j, (of, part, u) in enumerate(parts) if of) for c in may
            ]
            ways[known] = len(ways), may, weights
        kinds = [(at[p] * len(self.choices), *ways[known]) for p, known in held]
        cells, slots = list(range(len(at) * len(self.choices))), []
        for slot in range(len(kinds[0][2])):
            some = [cells[start + may[slot]] for start, _, may, _ in kinds]
            slots.append((itemgetter(*some, 0), [weights[slot] for *_, weights in kinds]))
        return drawn, list(ways), [way for _, way, _, _ in kinds], slots, [chance * n for n in held.values()]


def _pairs(own, shares, alike, known):
    """Return how often two records of a person have any two classes of a column, and how much more often one of each.

    own : share of a record's other ones that have its class; shares : of all records; alike : the correlation of two
    records of a person, where told: they have one class at least as often. Both in times of chance. Where records of
    one class are fewer than by chance, and unless `known`, all of a person are taken to have the same.
    """
    others = 1 - sum(share**2 for share in shares.values())
    apart = max(1 - sum(share * own[c] for c, share in shares.items()), 0.0) / others if others > _FLAT else 0.0
    if apart > 1 - alike and alike > 0:
        own = {c: each + (apart - 1 + alike) * (1 - shares[c]) for c, each in own.items() if c in shares}
        apart = 1 - alike
    if not known or sum(share * max(apart * share - own[c], 0.0) for c, share in shares.items()) > _FEWER:
        return 0.0, {c: 1 / share for c, share in shares.items()}
    return apart, {c: max(own[c] / share - apart, 0.0) for c, share in shares.items()}


class _Sums:
    """Sums with what their covariances may be."""

    def __init__(self, values, ways):
        self.values, self.ways = values, ways

    def covariance(self, slope):
        """Return the covariances that make most of a combination of the sums."""
        return max(self.ways, key=lambda V: _bilinear(V, slope, slope))

    def along(self, slope):
        """Return the variance of a combination of the sums."""
        return max(_bilinear(self.covariance(slope), slope, slope), 0.0)

    def arm(self, slope):
        return Z * math.sqrt(self.along(slope))

    def quotient(self, over, under):
        """Return the ends of the interval of a quotient of combinations of the sums (Fieller 1954)."""
        top, bottom = (sum(s * x for s, x in zip(slope, self.values)) for slope in (over, under))
        V = self.covariance([a - top / bottom * b for a, b in zip(over, under)])
        return _fieller(top, bottom, *(_bilinear(V, *of) for of in ((over, over), (under, under), (over, under))))

    def product_quotient(self, over, under):
        """Return the ends of the interval of x_i x_j / (x_k x_l), all of which are counts. Raises Refused."""
        of = (*over, *under)
        x = [self.values[at] for at in of]
        if min(x) <= 0:
            raise Refused(
                "A group that this is made of may well have no record, so the release can't tell the ratio; ask about "
                "larger groups."
            )
        slope = [0.0] * len(self.values)
        for at, each, sign in zip(of, x, (1, 1, -1, -1)):
            slope[at] += sign / each
        V = self.covariance(slope)
        low, high = _profile([[V[a][b] / (x[i] * x[j]) for j, b in enumerate(of)] for i, a in enumerate(of)])
        if low <= 0 and math.isinf(high):
            raise Refused("The release can't tell this ratio: it may be anything; ask about larger groups.")
        estimate = x[0] * x[1] / (x[2] * x[3])
        return estimate * low, estimate * high


def _bilinear(V, slope, other):
    slope, other = ([(a, s) for a, s in enumerate(each) if s] for each in (slope, other))
    return sum(s * t * V[a][b] for a, s in slope for b, t in other)


def _within(value, low, high, least, most):
    """Return an estimate and the ends of its interval cut to what can be, the estimate in it."""
    value = min(max(value, least), most)
    return value, min(max(low, least), value), max(min(high, most), value)


def _inverted(seen, top, spread, lean=lambda _: 0.0):
    """Return the ends of all counts that an estimate does not speak against, and whether it tells anything."""

    def far(x):
        further = _SKEWED * (lean(x) if seen > x else -lean(x))
        return max(abs(seen - x) - max(further, 0.0), 0.0) / math.sqrt(max(spread(x), _LEAST))

    start, found = min(max(seen, 0.0), top), []
    if far(start) > _BEYOND:
        return 0.0, top, False
    for end in (0.0, top):
        inside, outside = (start, end) if far(end) > Z else (end, end)
        for _ in range(_HALVINGS if inside != outside else 0):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if far(middle) <= Z else (inside, middle)
        found.append(inside)
    return found[0], found[1], True


def _fieller(top, bottom, vt, vb, cov):
    """Return all q for which top - q bottom may be 0; unbounded above where bottom may be 0."""
    two, one, none = bottom**2 - Z * Z * vb, top * bottom - Z * Z * cov, top**2 - Z * Z * vt
    root = math.sqrt(max(one * one - two * none, 0.0))
    if two > 0:
        return (one - root) / two, (one + root) / two
    if one * one - two * none <= 0:
        return -math.inf, math.inf
    ends = sorted(((one - root) / two, (one + root) / two)) if two < 0 else [none / (2 * one)] * 2
    return (ends[1], math.inf) if top / bottom >= ends[1] else (-math.inf, ends[0])


def _profile(relative):
    """Return the ends of all t for which counts whose ratio is t times the one found are near enough to those found.

    Near enough: no further than 1.96 standard deviations in the normal likelihood of all four, so that it holds how
    curved a quotient of products is. `relative` are their covariances, each over the counts found.
    """
    size, axes = _jacobi(relative)
    root = [[each * math.sqrt(max(size[i], 0.0)) for i, each in enumerate(row)] for row in axes]

    def near(t):
        # The least |z|^2 with (1 + e_i) (1 + e_j) = t (1 + e_k) (1 + e_l), e = root z: a point of a quadric.
        one, other, third, fourth = root
        square = [
            [
                (one[i] * other[j] + one[j] * other[i] - t * (third[i] * fourth[j] + third[j] * fourth[i])) / 2
                for j in range(4)
            ]
            for i in range(4)
        ]
        bent, turn = _jacobi(square)
        line = [one[i] + other[i] - t * (third[i] + fourth[i]) for i in range(4)]
        return _nearest(1 - t, [sum(line[i] * turn[i][j] for i in range(4)) for j in range(4)], bent) <= Z * Z

    return _end(near, 0.5), _end(near, 2.0)


def _nearest(level, slope, bent):
    """Return the least |z|^2 with level + slope z + sum bent z^2 = 0, by Lagrange's multiplier; infinite if none."""
    if level < 0:
        level, slope, bent = -level, [-s for s in slope], [-b for b in bent]
    bent = [b if abs(b) >= _FLAT else 0.0 for b in bent]
    steepest = min(0.0, *bent)
    most = -1 / steepest if steepest < 0 else math.inf

    def point(at):
        z = [-at * s / (2 * (1 + at * b)) for s, b in zip(slope, bent)]
        return z, level + sum(s * x + b * x * x for s, b, x in zip(slope, bent, z))

    low, high = 0.0, 1.0
    while high < most and high < _FAR and point(high)[1] > 0:
        high *= 2
    high = min(high, most)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if point(middle)[1] > 0 else (low, middle)
    z, rest = point(low)
    if rest <= _FLAT * level:
        return sum(x * x for x in z)
    # What is left where the multiplier can go no further lies along the steepest direction.
    return sum(x * x for x in z) + rest / -steepest if steepest < 0 else math.inf


def _end(near, factor):
    """Return the last t, from 1 by steps of `factor` on, that is near; 0 or infinite where all are."""
    step = factor
    while near(step):
        step *= step
        if not 1 / _ENDLESS < step < _ENDLESS:
            return 0.0 if factor < 1 else math.inf
    inside, outside = 1.0 if step == factor else math.sqrt(step), step
    for _ in range(_HALVINGS):
        middle = math.sqrt(inside * outside)
        inside, outside = (middle, outside) if near(middle) else (inside, middle)
    return inside


# --- mathematics


def _likeliest(y, T, chosen):
    """Return the likeliest number of records of some values, over all values at once (EM)."""
    m = len(T)
    x = [float(y[s]) + 1e-9 for s in range(m)]
    for _ in range(5000):
        expected = [sum(x[v] * T[v][u] for v in range(m)) for u in range(m)]
        ratio = [y[u] / expected[u] if expected[u] > 0 else 0.0 for u in range(m)]
        new = [x[v] * sum(r * t for r, t in zip(ratio, T[v])) for v in range(m)]
        settled = all(abs(b - a) <= 1e-7 * max(a, 1.0) for a, b in zip(x, new))
        x = new
        if settled:
            break
    return sum(x[s] for s in chosen)


def _likeliest_state(y, T):
    """Return the likeliest number of records in the last state."""
    solved = _solved(zip(*T), y)
    if solved:
        exact = solved[0]
        if all(one >= 0 for one in exact):
            return exact[-1]
        if len(y) == 2:
            return min(max(exact[-1], 0.0), sum(y))
    x = list(y)
    for _ in range(_STEPS):
        expected = [sum(v * row[u] for v, row in zip(x, T)) for u in range(len(y))]
        ratio = [a / b if b > 0 else 0.0 for a, b in zip(y, expected)]
        new = [v * sum(t * r for t, r in zip(row, ratio)) for v, row in zip(x, T)]
        settled = all(abs(b - a) <= _FINE * max(a, _GONE) for a, b in zip(x, new))
        x = new
        if settled:
            break
    return x[-1]


def _products(columns, weights):
    """Return the matrix of sums of weight x column x column."""
    found = [[0.0] * len(columns) for _ in columns]
    for a, column in enumerate(columns):
        scaled = list(map(mul, weights, column))
        for b in range(a + 1):
            found[a][b] = found[b][a] = sum(map(mul, scaled, columns[b]))
    return found


def _kron(one, other):
    return [[a * b for a in row for b in inner] for row in one for inner in other]


def _solved(matrix, *rights):
    """Return the solutions of linear equations for each right side, None where there is none or many."""
    rows = [[*row, *right] for row, right in zip(matrix, zip(*rights))]
    for at in range(len(rows)):
        best = max(range(at, len(rows)), key=lambda i: abs(rows[i][0]))
        if abs(rows[best][0]) < 1e-13:
            return None
        rows[at], rows[best] = rows[best], rows[at]
        lead = [x / rows[at][0] for x in rows[at][1:]]
        rows = [[a - row[0] * b for a, b in zip(row[1:], lead)] if row[0] else row[1:] for row in rows]
        rows[at] = lead
    return list(zip(*rows))


def _clear_inverse(T, counts, n):
    """Return the inverse of T over the directions that tell anything, and how many do not (the program's rule)."""
    m = len(counts)
    root = [math.sqrt(max(count, 1e-9)) for count in counts]
    even = [[root[v] * T[v][u] / root[u] for u in range(m)] for v in range(m)]
    values, vectors = _jacobi([[(even[v][u] + even[u][v]) / 2 for u in range(m)] for v in range(m)])
    clear = [at for at in range(m) if values[at] > 3 / math.sqrt(max(n, 1))]
    inverse = [
        [sum(vectors[v][at] * vectors[u][at] / values[at] for at in clear) / root[v] * root[u] for u in range(m)]
        for v in range(m)
    ]
    return inverse, m - len(clear)


def _states_told(T, counts, inverse, of):
    """Return whether each state, as told from all others, leaves hardly any of what it varies to hidden directions."""
    n, each = sum(counts), range(len(of))
    for state in set(of):
        some = [v for v in each if of[v] == state]
        whole = sum(counts[v] for v in some)
        found = sum(counts[v] * T[v][u] * sum(inverse[u][s] for s in some) for v in some for u in each)
        if whole - found > 0.02 * whole * (1 - whole / max(n, 1)) + 1e-9 * n:
            return False
    return True


def _jacobi(A):
    """Return eigenvalues and eigenvectors (columns) of a symmetric matrix."""
    m = len(A)
    A, X = [list(row) for row in A], [[float(i == j) for j in range(m)] for i in range(m)]
    for _ in range(100):
        if sum(A[i][j] ** 2 for i in range(m) for j in range(i)) < 1e-26:
            break
        for p in range(m - 1):
            for q in range(p + 1, m):
                if abs(A[p][q]) < 1e-300:
                    continue
                tau = (A[q][q] - A[p][p]) / (2 * A[p][q])
                t = math.copysign(1.0, tau) / (abs(tau) + math.sqrt(1 + tau * tau))
                c = 1 / math.sqrt(1 + t * t)
                s = t * c
                for i in range(m):
                    A[i][p], A[i][q] = c * A[i][p] - s * A[i][q], s * A[i][p] + c * A[i][q]
                A[p], A[q] = ([c * a - s * b for a, b in zip(A[p], A[q])], [s * a + c * b for a, b in zip(A[p], A[q])])
                for row in X:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    return [A[i][i] for i in range(m)], X


def _quantile_of(ordered, q):
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def _logistic(eta):
    """Return the mean and its slope."""
    mean = 1 / (1 + math.exp(-eta)) if eta > -700 else 0.0
    return mean, mean * (1 - mean)


def _exponential(eta):
    mean = math.exp(min(eta, 300.0))  # beyond, its square has no number
    return mean, mean


def _check_groups(groups, link, failed=False):
    """Raise Refused, with its name, where a group (of weights and outcomes) lets the equations have no solution."""
    lone = {}
    for title, found in groups.items():
        records, outcome = math.fsum(w for w, _ in found), math.fsum(w * y for w, y in found)
        near = 1e-9 * max(records, 1.0)
        ends = outcome <= near or (link is _logistic and outcome >= records - near)
        if ends and (failed or all(w >= -near for w, _ in found)):
            lone[title] = max(round(records), 0)
    if lone:
        title = min(lone, key=lone.get)
        raise Refused(
            f"With “{title}” (records: {lone[title]}) the outcome seems to be all or nothing, as far as the release "
            "can tell, so there is no coefficient; leave these records out by a condition, or put the value together "
            "with another."
        )


class _Equations:
    """Sum of x (top - weight mean(xb)) = 0 over distinct rows x of a design.

    rows : x; weights : records with each; tops : sum of their outcomes; link : the mean and its slope, of xb.
    """

    def __init__(self, rows, weights, tops, link):
        self.weights, self.link, self.columns, self.size = weights, link, list(zip(*rows)), list(map(abs, weights))
        self.scale = [
            max(math.sqrt(sum(map(mul, self.size, map(mul, column, column)))), 1e-9) for column in self.columns
        ]
        # A value's column is 0 in most rows: of each those where it isn't, and of each but fuller ones it meets there.
        self.filled = [[at for at, x in enumerate(column) if x] or [0] for column in self.columns]
        self.picks = [itemgetter(*some, 0) for some in self.filled]
        self.held = [list(pick(column))[:-1] for pick, column in zip(self.picks, self.columns)]
        order = sorted(range(len(self.columns)), key=lambda at: len(self.filled[at]))
        self.pairs = [
            (a, [b for b in order[i:] if any(map(mul, self.held[a], self.picks[a](self.columns[b])))])
            for i, a in enumerate(order)
        ]
        self.top = [sum(map(mul, pick(tops), held)) for pick, held in zip(self.picks, self.held)]

    def along(self, slope):
        """Return the sum of slope x column in each row."""
        found = [slope[0]] * len(self.weights)
        for b, column, some in zip(slope[1:], self.columns[1:], self.filled[1:]):
            if 2 * len(some) > len(column):
                found = [y + b * x for y, x in zip(found, column)]
            else:
                for at in some:
                    found[at] += b * column[at]
        return found

    def means_at(self, beta):
        return list(map(self.link, self.along(beta)))

    def score(self, means):
        expected = [w * mean for w, (mean, _) in zip(self.weights, means)]
        return [top - sum(map(mul, pick(expected), held)) for top, pick, held in zip(self.top, self.picks, self.held)]

    def slope(self, means):
        """Return the slope of the equations by the coefficients, each in parts of its column's scale."""
        found = [[0.0] * len(self.scale) for _ in self.scale]
        weights = [w * slope for w, (_, slope) in zip(self.weights, means)]
        for a, others in self.pairs:
            pick = self.picks[a]
            scaled = list(map(mul, pick(weights), self.held[a]))
            for b in others:
                found[a][b] = found[b][a] = sum(map(mul, scaled, pick(self.columns[b]))) / self.scale[a] / self.scale[b]
        return found

    def fitted(self):
        """Return what `solved` does, from an intercept alone on. Raises Refused."""
        whole = math.fsum(self.weights)
        if whole <= 0:
            raise Refused("No record is left to fit a regression to.")
        centre = self.top[0] / whole
        if (self.link is _logistic and not 0 < centre < 1) or centre <= 0:
            raise Refused("All of these records, or none, seem to meet the outcome: there is nothing to fit.")
        start = math.log(centre / (1 - centre)) if self.link is _logistic else math.log(centre)
        return self.solved([start] + [0.0] * (len(self.columns) - 1))

    def solved(self, beta, held=None):
        """Return the coefficients that solve them, lines of their slope's inverse, and the means; the `held` one stays.

        By Newton's steps, halved if they stray; where columns tell the outcome for certain they go on for ever. The
        lines are all, or that of the held one. What a step leaves is its square, and an end moves with that square's
        square: beside one, steps may be larger.
        """
        scale = self.scale
        free = [at for at in range(len(beta)) if at != held]
        lines = range(len(beta)) if held is None else [held]
        units = [[float(at == line) for at in range(len(beta))] for line in lines]
        enough = (1e-8 if held is None else 1e-4) * math.sqrt(sum(self.size))

        def far(score):
            return sum((score[at] / scale[at]) ** 2 for at in free)

        means = self.means_at(beta)
        now = self.score(means)
        for done in range(100):
            found = _solved(self.slope(means), [x / a for x, a in zip(now, scale)], *units)
            if found is None:
                if not done:
                    raise Refused("The columns named say the same of each other, or nothing at all; leave one out.")
                break
            step, *found = [[x / a for x, a in zip(line, scale)] for line in found]
            bread = {line: [x / scale[line] for x in each] for line, each in zip(lines, found)}
            if held is not None:
                step = [s - b * step[held] / bread[held][held] for s, b in zip(step, bread[held])]
            for halved in range(30):
                tried = [b + s / 2**halved for b, s in zip(beta, step)]
                means = self.means_at(tried)
                there = self.score(means)
                if far(there) <= far(now):
                    break
            beta, now = tried, there
            if max(abs(s) * a for s, a in zip(step, scale)) < enough:
                return beta, bread, means
        raise Refused(
            "The regression has no solution here: these columns tell the outcome for certain, or too little is left of "
            "its link to them."
        )

    def end(self, own, fit, at, arm):
        """Return the end of the interval of one coefficient on the side of `arm`; infinite for no bound.

        That is the last at which its own equation, the others solved, is within 1.96 of its standard errors there (a
        score interval); `own` tells by how much it would move it from there. Each tried lies on the curve through the
        last three, of which the first two are the estimate's tangent: there the distance grows as Wald's.
        """
        beta, bread = fit[:2]
        inside, outside, step = 0.0, math.inf, 1.0 if arm else 0.0
        tried = [(-Z, 0.0), (-Z * (1 - _TANGENT), _TANGENT)]
        for _ in range(_HALVINGS if arm else 0):
            by = (fit[0][at] + step * arm - beta[at]) / bread[at][at]
            try:
                beta, bread, means = self.solved([b + by * x for b, x in zip(beta, bread[at])], at)
            except Refused:  # nothing solves the other equations there
                return math.copysign(math.inf, arm)
            moved = own(at, bread, means)
            found = -math.copysign(1.0, arm) * moved.values[0] / max(math.sqrt(moved.along([1.0])), 1e-300) - Z
            if found < 0 and step >= _FARTHEST:
                return math.copysign(math.inf, arm)
            inside, outside = (step, outside) if found < 0 else (inside, step)
            tried = [*tried[-2:], (found, step)]
            guess = _crossing(tried)
            if inside < guess < min(outside, 2 * max(inside, 1.0)):
                step = guess
            elif abs(found) >= _NEAR:
                step = 2 * inside if math.isinf(outside) else (inside + outside) / 2
            if abs(found) < _NEAR:
                break
        return fit[0][at] + step * arm


def _crossing(tried):
    """Return the step at which the curve through three (what is found, step) finds 0 (Neville's scheme)."""
    (a, x), (b, y), (c, z) = tried
    xy, yz = (x * b - y * a) / (b - a or _LEAST), (y * c - z * b) / (c - b or _LEAST)
    return (xy * c - yz * a) / (c - a or _LEAST)


# --- texts


_SIGNS = "=+\\-@＝＋－＠"
_GUARDED = re.compile(rf"\A'(?=['\" \u00a0\u3000]*[{_SIGNS}\t\r\n])|(?<=[;\t\r\n])'(?=['\" \u00a0\u3000]*[{_SIGNS}])")


def _restored(text):
    """Return a cell without the apostrophes that keep spreadsheets from running it."""
    return _GUARDED.sub("", text) if "'" in text else text


def _typed(label, entry):
    if label in entry.get("texts", ()):
        return label
    if entry["kind"] == "integer":
        return int(label) if label.isdecimal() else int(float(label))  # of which 17 digits would not all be kept
    if entry["kind"] == "boolean" and label.lower() in ("true", "false"):
        return label.lower() == "true"
    if entry["kind"] == "decimal":
        return float(label)
    if entry["kind"] == "date":
        return datetime.date.fromisoformat(label[:10])
    if entry["kind"] == "datetime":
        return datetime.datetime.fromisoformat(label.replace(" ", "T"))
    return label


def _sorted(labels, kind):
    if kind in _NUMBERS:

        def key(label):
            try:
                return 0, float(label), label
            except ValueError:
                return 1, 0.0, label

        return sorted(labels, key=key)
    return sorted(labels)


_NUMBER = r"([-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_INTERVALS = (
    ("below", re.compile(rf"{_NUMBER}\s+to\s+below\s+{_NUMBER}|\[\s*{_NUMBER}\s*[-–,]\s*{_NUMBER}\s*\)")),
    ("to", re.compile(rf"{_NUMBER}\s+to\s+{_NUMBER}|{_NUMBER}\s*[-–]\s*{_NUMBER}")),
    ("under", re.compile(rf"(?:below|under|<)\s*{_NUMBER}")),
    ("from", re.compile(rf"{_NUMBER}\s*(?:and more|or more|and over|\+)|(?:>=|≥)\s*{_NUMBER}")),
    ("one", re.compile(_NUMBER)),
)


def _ends(label):
    """Return the least and the largest number that a label stands for, None where it is none."""
    for way, pattern in _INTERVALS:
        found = pattern.fullmatch(label.strip())
        if found:
            ends = [float(part.replace("−", "-")) for part in found.groups() if part is not None]
            return (
                (-math.inf, ends[0])
                if way == "under"
                else (ends[0], math.inf)
                if way == "from"
                else (ends[0], ends[-1])
            )
    return None


def _below(label):
    """Return the least number of a label, what it stays below, and whether it is more than a number; None if none."""
    ends = _ends(label)
    if ends is None or math.inf in map(abs, ends):
        return ends and (*ends, True)
    way = next(way for way, pattern in _INTERVALS if pattern.fullmatch(label.strip()))
    if way == "below":
        return (*ends, True)
    return ends[0], ends[1] + 1 if "." not in label else math.nextafter(ends[1], math.inf), way == "to"


def _number(text):
    """Return the number that a typed text is, also with a decimal comma. Raises ValueError.

    "1,500" is fifteen hundred to some and one and a half to others, so none.
    """
    if _DECIMAL_COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text):
        text = text.replace(",", ".")
    found = float(text)
    if math.isnan(found) or "_" in text:
        raise ValueError(text)
    return found


def _dated(text):
    """Return an end of a range of dates; a day with points, which all who write it mean day first, by dashes."""
    pointed = _POINTED.fullmatch(text)
    return f"{pointed[3]}-{pointed[2]:0>2}-{pointed[1]:0>2}" if pointed else text


def _backwards(name, text):
    return f"The range of “{name}={text}” runs backwards; write the smaller end first."


_DECIMAL_COMMA, _THOUSANDS = re.compile(r"[+-]?\d+,\d+"), re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_POINTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
# A bare number is a year of the centuries that tables are about: postcodes and other numbers have four digits, too.
_SPAN = re.compile(r"(18|19|20|21)\d\d|\d{4}(-(0[1-9]|1[0-2])| Q[1-4])")
_UNITS = ("year", "quarter", "month", "week", "day")


def _period(label, period):
    """Return the number of the period that a date is in, and its name."""
    if period not in _UNITS:
        raise Refused(f"There is no period “{period}”; choose among {', '.join(_UNITS)}.")
    told = 1 if len(label) == 4 else 2 if "Q" in label else 3 if len(label) == 7 else len(_UNITS)
    if _UNITS.index(period) >= told:
        raise Refused(f"“{label}” is no date that tells a {period}; choose among {', '.join(_UNITS[:told])}.")
    year, month = int(label[:4]), 3 * int(label[6]) - 2 if told == 2 else int(label[5:7] or 1)
    if period == "year":
        return year, f"{year:04d}"
    if period == "quarter":
        return 4 * year + (month - 1) // 3, f"{year:04d} Q{(month - 1) // 3 + 1}"
    if period == "month":
        return 12 * year + month - 1, f"{year:04d}-{month:02d}"
    day = datetime.date.fromisoformat(label[:10])
    if period == "week":
        monday = day - datetime.timedelta(days=day.weekday())
        return monday.toordinal() // 7, monday.isoformat()
    return day.toordinal(), day.isoformat()


def _conditions(conditions, columns):
    """Yield (column, whether it is excluded, what is asked) of conditions in any of their forms."""
    if isinstance(conditions, str):
        conditions = [conditions]
    if isinstance(conditions, dict):
        for name, asked in conditions.items():
            meant = _meant(name, columns)
            excluded = meant is None and name.endswith("!")
            yield meant or _column(name[:-1] if excluded else name, columns), excluded, asked
        return
    for text in conditions:
        if not isinstance(text, str):
            yield from _conditions(text, columns)
            continue
        parts = [_begins(part.strip(), columns) for part in text.split(";")]
        if len(parts) > 1 and all(_begun(part, columns) for part in parts):
            yield from _conditions(parts, columns)
            continue
        text = _begins(text, columns)
        found = _begun(text, columns)
        if not found:
            name, sign, _ = text.partition("=")
            raise Refused(
                _unknown(name.rstrip(" !"), columns)
                if sign
                else f"“{text}” is no condition on a column of the release; write Column=value, Column=a|b, "
                "Column=low..high or Column>=low."
            )
        name = max(found, key=len)
        sign, _, asked = text[len(name) :].partition("=")
        ends = {">": f"{asked}..", "<": f"..{asked}"}
        yield name, sign.strip() == "!", ends.get(sign.strip(), asked)


def _meant(name, columns):
    """Return the column that a typed name means, whose accents may stand apart; None where there is none."""
    if isinstance(name, str):
        for one in (name, name.strip(), unicodedata.normalize("NFC", name.strip())):
            if one in columns:
                return one
    return None


def _column(name, columns):
    """Return the column that a typed name means. Raises Refused."""
    found = _meant(name, columns)
    if found is None:
        raise Refused(_unknown(name, columns))
    return found


def _begins(text, columns):
    """Return a condition as it begins with a column, its accents put together where they hinder it."""
    return text if _begun(text, columns) else unicodedata.normalize("NFC", text)


def _folded(text):
    """Return a text as it is compared where no value is that very text: accents may be put together or not."""
    return unicodedata.normalize("NFC", text.strip()).casefold()


def _begun(text, columns):
    """Return the columns that a condition may be on, as it begins."""
    return [name for name in columns if re.match(re.escape(name) + r"\s*[!<>]?=", text)]


def _barred(text, labels):
    """Return the parts of a text between bars: the longest that are a label each, which may hold a bar itself."""
    parts, bars, found = text.split("|"), max(label.count("|") for label in labels), []
    while parts:
        runs = ((stop, "|".join(parts[:stop])) for stop in range(min(len(parts), bars + 1), 0, -1))
        stop, run = next((stop, run) for stop, run in runs if stop == 1 or run in labels or run.strip() in labels)
        if not run.strip():
            raise Refused(f"“{text}” has an empty place between its bars; take it out, or write (empty) for no value.")
        found.append(run)
        del parts[:stop]
    return found


def _crossed(values):
    """Return the name of a cell."""
    return " | ".join("(all)" if one is None else one or "(empty)" for one in values)


def _unknown(name, columns):
    if not isinstance(name, str):
        return f"One column's name is asked for here, not {name!r}; the columns are: {', '.join(columns)}."
    return f"The release has no column “{name}”; its columns are: {', '.join(columns)}."


def _both(first, second):
    parts = []
    for one in (first, second):
        parts += [one] if isinstance(one, (str, dict)) and one else list(one)
    return parts


def _words(conditions):
    if isinstance(conditions, str):
        return conditions
    if isinstance(conditions, dict):
        return ", ".join(
            f"{name}={'|'.join(map(str, asked)) if isinstance(asked, (list, tuple, set)) else asked}"
            for name, asked in conditions.items()
        )
    return ", ".join(_words(one) for one in conditions)


def _of(where):
    return f" of {_words(where)}" if where else ""


def _check(method):
    if method not in METHODS:
        raise Refused(f"There is no method “{method}” here; choose among {', '.join(METHODS)}. The program has more.")


def _said(number):
    if not isinstance(number, (int, float)):
        return str(number)
    if math.isinf(number):
        return "no bound"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def _plain(number):
    return number if not isinstance(number, float) or math.isfinite(number) else None


# --- command line


_FEWEST = {"count": 0, "share": 1, "difference": 2, "ratio": 2, "odds-ratio": 2, "mean": 1, "quantile": 1, "trend": 1}
_FEWEST.update({"crosstab": 2, "logit": 1, "poisson": 1})  # words after the question, of which these take no more:
_NO_MORE = ("difference", "ratio", "odds-ratio", "crosstab", "logit", "poisson")
_OPTIONS = ("--where", "--by", "--on", "--method", "--q", "--release")
_HOW = (
    f'Ask {", ".join([*_FEWEST][:-1])} or {[*_FEWEST][-1]}, with all that it takes: for example odds-ratio "A=x" '
    '"B=y", mean COLUMN "A=x", trend "A=x" --by DATE:month, logit "A=x" --on B; join what is to be met at once by ;'
)


def _given(words):
    """Return the words of a command line that are no options, and what is given with each option. Raises Refused."""
    rest, given, words = [], {name: [] for name in _OPTIONS}, iter(words)
    for word in words:
        name, sign, value = word.partition("=")
        if name in given:
            value = value if sign else next(words, None)
            if value is None or value in given:
                raise Refused(f"{name} needs a value after it.")
            given[name].append(value)
        elif word.startswith("--"):
            raise Refused(f"“{name}” is no option here; there are --json, {', '.join(_OPTIONS)}.")
        else:
            rest.append(word)
    return rest, given


def _answer(release, words, given):
    """Return the answer to a command line. Raises Refused."""
    kind, asked = words[0] if words else "", words[1:]
    wants = {"trend": "--by", "logit": "--on", "poisson": "--on"}.get(kind)
    fewest, where = _FEWEST.get(kind, math.inf), given["--where"]
    if len(asked) < fewest or (kind in _NO_MORE and len(asked) > fewest) or (wants and not given[wants]):
        raise Refused(f"{_HOW}.")
    if kind in ("count", "share"):
        method = ["unbiased", *given["--method"]][-1]
        return release.count(asked, method, where) if kind == "count" else release.share(asked, where, method)
    if kind in ("difference", "ratio", "odds-ratio", "crosstab"):
        return getattr(release, kind.replace("-", "_"))(*asked, where=where)
    if kind == "mean":
        return release.mean(asked[0], _both(asked[1:], where))
    if kind == "quantile":
        return release.quantile(asked[0], _share(["0.5", *given["--q"]][-1]), _both(asked[1:], where))
    if kind == "trend":
        (by, *more), period = given["--by"], ""
        if more:
            raise Refused("A trend goes by one column: give --by once.")
        if not _meant(by, release.columns) and ":" in by:
            by, _, period = by.rpartition(":")
        return release.trend(_both(asked, where), by, period)
    return getattr(release, kind)(asked[0], given["--on"], where)


def _share(text):
    """Return the number that is typed, NaN where it is none, which is refused as no share."""
    try:
        return _number(text)
    except ValueError:
        return math.nan


def main(arguments=None):
    """Run the command line and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # whose encoding may lack a letter of the release
            stream.reconfigure(errors="backslashreplace")
    if "--help" in words or "-h" in words:
        print(f"{__doc__.strip()}\n\n{_HOW}.\nOptions: --json, {', '.join(_OPTIONS)}.")
        return 0
    try:
        words, given = _given(word for word in words if word != "--json")
        release = Release([str(Path(__file__).resolve().parent), *given["--release"]][-1])
        answer = _answer(release, words, given)
    except Refused as fault:
        print(f"splu_release: {fault}", file=sys.stderr)
        return 2
    print(json.dumps(answer.as_dict(), ensure_ascii=False, indent=2) if as_json else answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
