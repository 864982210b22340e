#!/usr/bin/env python3
"""Count in a release of SPLU Desktop: estimates with 95 % intervals, from nothing but the folder it came in.

    r = splu_release.load(".")
    r.count("result=positive", "age=18-39")
    r.risk_ratio("died=yes", "smoker=yes", where=["ward=A"])
    r.regress("result=positive ~ sex + age", family="logistic").summary()

Re-drawn columns show another unit's value in some rows, so rows are not counted but scores are added: of what a row
shows (u) the score is (u - (1 - a) g) / a, a the chance that a value was kept, g the mean of u in the row's class.
`low` and `high` are for persons like these, as a paper says; `low_table` and `high_table` for this table. Conditions:
column=value, column=one|two, column=low..high, >=, <=, !=; column=(empty) is a row without a value.
Needs Python 3.9 or later and nothing else; with pandas, results are DataFrames. MIT licence.
"""

import csv
import itertools
import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

try:
    import pandas
except ImportError:
    pandas = None

__version__ = "0.3.0"
Z = 1.959963984540054
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
CLASS, NUMBER, EMPTY = "lender class", "person number", "(empty)"
THIN = 20  # rows below which a category gets no coefficient of its own
_UNTOLD = "The release can't tell this: two terms say the same, too few rows are left, or a share is none or all."
_SIGNS = ("!=", ">=", "<=", "=")
_BEFORE, _MARK = "['\" \u00a0\u3000]*", "=+\\-@\uff1d\uff0b\uff0d\uff20"  # of cells that a spreadsheet would run
_GUARDED = re.compile(rf"\A'(?={_BEFORE}[{_MARK}\t\r\n])|(?<=[;\t\r\n])'(?={_BEFORE}[{_MARK}])")


_LINKS = {  # family -> the mean at a sum of terms, and its slope there
    "linear": lambda at: (at, 1.0),
    "logistic": lambda at: ((1 + math.tanh(at / 2)) / 2, (1 - math.tanh(at / 2) ** 2) / 4),
    "log": lambda at: (math.exp(min(at, 500.0)),) * 2,
}


class Refused(ValueError):
    """A question that this release can't answer, or a folder that is none; the sentence says why."""


class Result:
    """One figure or several: `coef`, `confint()`, `vcov()`, `summary()`; of a single one `estimate`, `low`, `high`."""

    head = ("estimate", "low", "high", "low_table", "high_table")
    estimate, low, high, low_table, high_table = (property(lambda self, at=at: self.rows[0][at]) for at in range(5))

    def __init__(self, what, names, rows, vcov=None, notes=()):
        self.what, self.names, self.rows, self.notes = what, list(names), list(rows), list(notes)
        self._vcov = vcov or {}

    def _framed(self, rows, head):
        if pandas:
            return pandas.DataFrame(rows, self.names, head)
        return {name: dict(zip(head, row)) for name, row in zip(self.names, rows)}

    @property
    def coef(self):
        """The estimates by name."""
        found = {name: row[0] for name, row in zip(self.names, self.rows)}
        return pandas.Series(found) if pandas else found

    def confint(self, about="like"):
        """The 95 % intervals: about="like" for persons like these, "table" for those of this table."""
        at = 1 if about == "like" else 3
        return self._framed([row[at : at + 2] for row in self.rows], ["low", "high"])

    def vcov(self, about="like"):
        """Variances and covariances (of ratios: of their logarithms)."""
        return self._framed(self._vcov[about], self.names)

    def summary(self):
        """All figures: estimate, low and high for persons like these, low_table and high_table for this table."""
        return self._framed(self.rows, self.head)

    def __repr__(self):
        return "\n".join([self.what, str(self.summary()), *self.notes])


class Release:
    """A release that was read; `table` is a DataFrame where pandas is there."""

    def __init__(self, folder="."):
        self.folder = Path(folder)
        try:
            self.facts = json.loads((self.folder / "release.json").read_text(encoding="utf-8-sig"))
            if self.facts["format"] != "splu-release" or self.facts["version"] != 3:
                raise ValueError("of another version")
            if any(block["draw"] != "lenders" for block in self.facts["blocks"]):
                raise ValueError("drawn in decoy groups; ask SPLU Desktop, or add up scores.csv")
            self._read()
        except (OSError, KeyError, TypeError, ValueError) as fault:
            raise Refused(f"{self.folder} is no release that this program reads: {fault}.") from None

    def _read(self):
        """Take each column apart: the code of each row, the labels of the codes, the numbers that these mean."""
        self.entries, dialect = {entry["name"]: entry for entry in self.facts["columns"]}, self.facts["dialect"]
        with (self.folder / "table.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=dialect["delimiter"])
            names = [_GUARDED.sub("", name) for name in next(rows)]
            seen = [{} for _ in names]
            cells = list(zip(*([at.setdefault(text, len(at)) for at, text in zip(seen, row)] for row in rows)))
        self.codes, self.labels, self.numbers = dict(zip(names, cells)), {}, {}
        for name, texts in zip(names, seen):
            labels, entry, numbers = [_GUARDED.sub("", text) for text in texts], self.entries[name], None
            if entry["kind"] == "decimal":
                labels = [text.replace(dialect["decimal"], ".") for text in labels]
            if "numbers" in entry:  # of bands
                numbers = [entry["numbers"].get(text) for text in labels]
            elif entry["kind"] in ("integer", "decimal"):
                numbers = [float(text) if _NUMBER.fullmatch(text) else None for text in labels]
            self.labels[name], self.numbers[name] = labels, numbers
        self.n, blocks = self.facts["records"], self.facts["blocks"]
        if any(len(codes) != self.n for codes in self.codes.values()) or set(self.codes) != set(self.entries):
            raise ValueError("table.csv is not the table that release.json describes")
        self.keep, self.alike = [1 / block["gamma"] for block in blocks], [block["correlation"] for block in blocks]
        self.block_of = {name: at for at, block in enumerate(blocks) for name in block["columns"]}
        cells, person = self.facts["classes"]["cells"], self.facts["person"]
        self.mean_rows = [cell["mean_rows"] if person else 1 for cell in cells]  # of a person in each class
        numbers = [int(text) - 1 for text in self.labels.get(CLASS, ["1"])]
        self.classes = [numbers[code] for code in self.codes.get(CLASS, [0] * self.n)]
        self.owner = self.codes.get(NUMBER)

    @property
    def table(self):
        """The table with its types: numbers as numbers, all else as text ("007" and "None" stay), empty as missing."""
        columns = {}
        for name, codes in self.codes.items():
            kind, values = self.entries[name]["kind"], [text or None for text in self.labels[name]]
            if kind in ("integer", "decimal"):
                values = [int(x) if kind == "integer" and x is not None else x for x in self.numbers[name]]
            columns[name] = [values[code] for code in codes]
        return pandas.DataFrame(columns) if pandas else columns

    def score(self, *where):
        """Return each row's score: of conditions, or of the number in a column. Sums over rows are right on average."""
        features = [self._feature(where[0])] if where and where[0] in self.codes else self._conditions(where)
        equations = _Equations(self, features, 1, lambda theta, v: ([math.prod(v)], [0.0]))
        grids = {key: equations.scored([0.0], *key) for key in equations.counts}
        scores = [grids[each, x][shown][0] for each, x, shown in equations.keys]
        return pandas.Series(scores) if pandas else scores

    def count(self, *where):
        """Return how many rows meet all conditions."""
        return Result("Count of " + ", ".join(where), ["count"], [self._count(where)])

    def share(self, outcome, where=()):
        """Return the share of rows with the outcome among those that meet the conditions."""
        return self._one("Share", outcome, None, where, ends=(0.0, 1.0))

    def mean(self, column, where=()):
        """Return the mean of a column of numbers, or of bands, among the rows that meet the conditions."""
        return self._one("Mean", column, None, where)

    def crosstab(self, by, outcome, where=()):
        """Return counts of an outcome, or of each value of a column, in each combination of the columns `by`."""
        by, where = ([each] if isinstance(each, str) else list(each) for each in (by, where))
        sides = [[f"{name}={text or EMPTY}" for text in self._few(name)] if name in self.codes else [name]
                 for name in (*by, outcome)]  # fmt: skip
        cells = list(itertools.product(*sides))
        rows = [self._count([*cell, *where]) for cell in cells]
        return Result(f"{outcome} by {', '.join(by)}", [", ".join(cell) for cell in cells], rows)

    def difference(self, outcome, exposure, where=()):
        """Return the share (or mean) of the outcome among the exposed less that among the others."""
        most = math.inf if outcome in self.codes else 1.0
        return self._one("Difference", outcome, exposure, where, ends=(-most, most))

    def risk_ratio(self, outcome, exposure, where=()):
        """Return the share of the outcome among the exposed, divided by that among the others."""
        return self._one("Risk ratio", outcome, exposure, where, "log")

    def odds_ratio(self, outcome, exposure, where=()):
        """Return the odds of the outcome among the exposed, divided by those among the others."""
        return self._one("Odds ratio", outcome, exposure, where, "logistic")

    def regress(self, formula, where=(), family="linear"):
        """Fit "outcome ~ column + column=value + ..." by least squares ("linear") or "logistic" regression.

        Columns of numbers count as numbers, others by one term for each value but the most frequent.
        """
        outcome, words = formula.split("~")[0].strip().strip("`"), formula.partition("~")[2].split("+")
        notes, names, xs = [], ["(intercept)"], []
        for word in (each.strip().strip("`") for each in words):
            for name, feature in self._terms(word, notes):
                names.append(name)
                xs.append(feature)
        theta, *covariances = self._fit(outcome, xs, where, family)
        return _result(f"{family.capitalize()} regression {formula}", names, theta, covariances, notes=notes)

    def _one(self, what, outcome, exposure, where, family="linear", ends=(-math.inf, math.inf)):
        """Return a mean, or the coefficient of an exposure: a difference of means, or the logarithm of a ratio."""
        theta, *covariances = self._fit(outcome, [self._feature(exposure)] if exposure else [], where, family)
        name = f"{what} in {outcome}" + (f" by {exposure}" if exposure else "")
        parts = [[row[-1:] for row in c[-1:]] for c in covariances]
        return _result(name, [what.lower()], theta[-1:], parts, ends, math.exp if family != "linear" else None)

    def _fit(self, outcome, xs, where, family):
        """Return intercept and coefficients, and their covariances for persons like these and for this table."""
        y = self._feature(outcome)
        xs = [(y[0], [1.0] * len(y[1])), *xs]

        def score(theta, v):
            x, weight = v[1 : len(xs) + 1], math.prod(v[len(xs) + 1 :])
            mean, slope = _LINKS[family](sum(t * z for t, z in zip(theta, x)))
            return [weight * (v[0] - mean) * z for z in x], [-weight * slope * p * q for p in x for q in x]

        return _Equations(self, [y, *xs, *self._conditions(where)], len(xs), score).solve()

    def _few(self, column):
        """Return the labels of a column in order, missing last."""
        found = self.entries[column].get("values") or sorted(filter(None, self.labels[column]))
        return [*found, *([""] if "" in self.labels[column] else [])]

    def _conditions(self, texts):
        return [self._condition(text) for text in ([texts] if isinstance(texts, str) else texts)]

    def _feature(self, text):
        """Return a column's numbers, or a condition: then rows without a value are left out, unless they are asked."""
        if text not in self.codes:
            name, met = self._condition(text)
            return name, [None if label == "" and not flag else flag for label, flag in zip(self.labels[name], met)]
        if self.numbers[text] is None:
            raise Refused(f"“{text}” holds no numbers: ask for {text}=value.")
        return text, self.numbers[text]

    def _condition(self, text):
        fits = [(n, sign) for n in self.codes for sign in _SIGNS if text[len(n) :].lstrip().startswith(sign)]
        name, sign = max(((n, s) for n, s in fits if text.startswith(n)), key=lambda fit: len(fit[0]), default=("", ""))
        if not sign:
            raise Refused(f"“{text}” names no column with = behind it; the columns are {', '.join(self.codes)}.")
        asked, labels = text[len(name) :].lstrip()[len(sign) :].strip(), self.labels[name]
        asked = {">=": f"{asked}..", "<=": f"..{asked}"}.get(sign, asked)
        if ".." in asked and asked not in labels:
            low, _, high = asked.partition("..")
            met = [self._within(name, code, low.strip(), high.strip()) for code in range(len(labels))]
        else:
            parts = [asked] if asked in labels else asked.split("|")
            wanted = {"" if part.strip() in ("", EMPTY) else part.strip() for part in parts}
            met, absent = [float(label in wanted) for label in labels], wanted - set(labels)
            if absent and name not in self.block_of:  # a rare value can vanish from a re-drawn column
                raise Refused(f"No row has “{min(absent)}” in “{name}”; its values are {', '.join(labels[:12])}.")
        return name, [1 - each for each in met] if sign == "!=" else met

    def _within(self, name, code, low, high):
        """Return 1 for a label within a range: a text such as a date (a month holds its days), a number, or a band."""
        label, band = self.labels[name][code], self.entries[name].get("bands", {}).get(self.labels[name][code])
        if self.numbers[name] is None:
            return float(label != "" and label >= low and (high == "" or label[: len(high)] <= high))
        begin = below = self.numbers[name][code]
        if band is not None:
            begin, below = (-math.inf if band[0] is None else band[0], math.inf if band[1] is None else band[1] - 1)
        return float(begin is not None and float(low or "-inf") <= begin and below <= float(high or "inf"))

    def _terms(self, word, notes):
        """Return names and features of one word of a formula. Thin categories are left out, or count with the base."""
        if word not in self.codes or self.entries[word]["kind"] in ("integer", "decimal"):
            return [(word, self._feature(word))]
        rows, hidden = Counter(self.labels[word][code] for code in self.codes[word]), word in self.block_of
        kept = [label for label in self._few(word) if label and rows[label] >= THIN]
        thin = sorted(set(rows) - {"", *kept})
        if len(kept) < 2:
            raise Refused(f"“{word}” has one value in nearly all rows, so it explains nothing.")
        base = max(kept, key=rows.get)
        if thin:
            what, n = f"count as “{base}”" if hidden else "are left out", sum(rows[label] for label in thin)
            notes.append(f"{n} rows with rare values of “{word}” {what}: {', '.join(thin)}.")
        out = {"", *(thin if not hidden else ())}
        flags = [[None if text in out else float(text == label) for text in self.labels[word]] for label in kept]
        return [(f"{word}={label}", (word, each)) for label, each in zip(kept, flags) if label != base]

    def _count(self, texts):
        """Return the estimated count, and its intervals for persons like these and for this table."""
        met = {}
        for name, values in self._conditions(texts):
            met[name] = [a * b for a, b in zip(met.get(name, values), values)]
        met = {name: values for name, values in met.items() if min(values) < 1}
        drawn, still = [name for name in met if name in self.block_of], [n for n in met if n not in self.block_of]
        inside, figures = self._figures(met.items(), [None])
        if not drawn or not inside:
            return [inside] * 5
        (x, level, slope), target = figures[None], inside
        for name in drawn:
            mu = whole = self._shares(name)
            for each in still if len(still) > 1 else ():
                mu = [p * lift for p, lift in zip(mu, self._lifts(name, (each, met[each])))]
            mu = mu if sum(mu) > 0 else whole
            target *= sum(p for p, flag in zip(mu, met[name]) if flag) / sum(mu)
        spread = sum(self.facts["spread"][name] for name in drawn) / len(drawn)
        blocks = {self.block_of[name] for name in drawn}
        step = 1 / self.keep[min(blocks)] if len(blocks) == 1 else 0
        low, high = table = _roots(x, level, slope, inside, step)
        like = _roots(x, level, slope + 1 - min(max(x / self.n, 0), 1), inside, step)
        return [min(max(_shrunk(x, level, slope, target, spread), low), high), *like, *table]

    def _shares(self, name):
        rows = Counter(self.codes[name])
        return [rows[code] / self.n for code in range(len(self.labels[name]))]

    def _lifts(self, name, condition):
        """Return how many times as often each label occurs under one condition, drawn towards 1."""
        codes, spread = range(len(self.labels[name])), self.facts["spread"][name]
        inside, figures = self._figures([condition, (name, codes)], [(code,) for code in codes])
        targets = [inside * share for share in self._shares(name)]
        drawn = [_shrunk(*figures[(code,)], mu, spread) for code, mu in zip(codes, targets)]
        return [max(x, 0) / mu if mu > 0 else 1.0 for x, mu in zip(drawn, targets)]

    def _figures(self, features, events):
        """Return how many rows meet the unchanged features, and of each event estimate, level and slope.

        An event is a state of the one block there is, or None where all features of all blocks are met.
        """
        e = _Equations(self, features, 0, None)
        line, counts = [all(x) for _, x, _ in e.keys], defaultdict(Counter)
        for (each, x), rows in e.counts.items():
            if all(x):
                counts[each].update(rows)
        effects, parts = self._effects(line, max(e.alike, default=0)), defaultdict(list)
        for each, rows in counts.items() if e.keep else ():
            n, inside, shares = e.size[each], sum(rows.values()), e.shares[each]
            for event in events:
                chosen = [[u for u in share if all(u)] if event is None else [event] for share in shares]
                g, met = [sum(share[u] for u in some) for share, some in zip(shares, chosen)], Counter()
                for state, number in rows.items() if event is None else [((event,), rows[(event,)])]:
                    met[tuple(u in some for u, some in zip(state, chosen))] += number
                one = _one_block if len(g) == 1 else _several
                parts[event].append((inside * math.prod(g), effects[each], *one(e.keep, n, inside, met, g)))
        return sum(line), {event: _added(classes) for event, classes in parts.items()}

    def _effects(self, line, alike):
        """Return how many times wider sums over a person's rows scatter, by class."""
        mean = self.mean_rows
        if self.owner:
            rows, mean = Counter(itertools.compress(self.classes, line)), Counter()
            for (each, _), n in Counter(itertools.compress(zip(self.classes, self.owner), line)).items():
                mean[each] += n * n / rows[each]
        return [1 + max(mean[each] - 1, 0) * alike for each in range(len(self.mean_rows))]


class _Equations:
    """Sums over rows of a score that depends on hidden values, and their root.

    `score(theta, values)` gives k numbers and their k x k slopes. A row counts for each value v that may be hidden in
    it with the weight ((shown v) - (1 - a) g_v) / a, blocks by products, so that sums are right on average.
    """

    def __init__(self, release, features, k, score):
        self.release, self.k, self.score = release, k, score
        of = [release.block_of.get(name, -1) for name, _ in features]
        blocks = sorted(set(of) - {-1})
        self.keep, self.alike = ([each[block] for block in blocks] for each in (release.keep, release.alike))
        axes = [[at for at, block in enumerate(of) if block == each] for each in (-1, *blocks)]
        self.place = [(axis, line.index(at)) for at in range(len(of)) for axis, line in enumerate(axes) if at in line]
        values = [[each[code] for code in release.codes[name]] for name, each in features]
        still, *shown = (zip(*(values[at] for at in line)) if line else [()] * release.n for line in axes)
        self.keys = list(zip(release.classes, still, zip(*shown) if shown else [()] * release.n))
        self.size, self.counts = Counter(release.classes), defaultdict(Counter)
        self.shares = defaultdict(lambda: [Counter() for _ in blocks])
        for (each, x, shown), rows in Counter(self.keys).items():
            self.counts[each, x][shown] = rows
            for share, u in zip(self.shares[each], shown):
                share[u] += rows / self.size[each]

    def at(self, theta, x, state):
        """Return score and slopes at one state, one after the other; 0 where a value is missing."""
        parts, k = (x, *state), self.k
        v = [parts[axis][place] for axis, place in self.place]
        score, slopes = ([0.0] * k, [0.0] * k**2) if None in v else self.score(theta, v)
        return [*score, *slopes]

    def scored(self, theta, each, x, but=None):
        """Return what a row of a class adds, by what it shows: T^-1 of `at` along all blocks `but` one."""
        grid = {s: self.at(theta, x, s) for s in itertools.product(*self.shares[each])}
        for axis, (a, share) in enumerate(zip(self.keep, self.shares[each])):
            if axis != but:
                mean = defaultdict(lambda: [0.0] * (self.k + self.k**2))
                for s, f in grid.items():
                    mean[s[:axis], s[axis + 1 :]] = _plus(mean[s[:axis], s[axis + 1 :]], f, share[s[axis]])
                for s, f in grid.items():
                    grid[s] = [(p - (1 - a) * m) / a for p, m in zip(f, mean[s[:axis], s[axis + 1 :]])]
        return grid

    def solve(self):
        """Return the root, and covariances for persons like these and for this table (of several blocks, the same)."""
        k, theta = self.k, [0.0] * self.k
        for _ in range(40):
            total = [0.0] * (k + k**2)
            for (each, x), counts in self.counts.items():
                grid = self.scored(theta, each, x)
                for shown, rows in counts.items():
                    total = _plus(total, grid[shown], rows)
            bread = _inverse([total[i : i + k] for i in range(k, k + k**2, k)])
            step = _times(bread, total)
            size = max(map(abs, step)) / (1 + max(map(abs, theta)))
            theta = _plus(theta, step, -min(1.0, 2 / size) if size else -1.0)
            if size < 1e-10:
                return theta, *self.covariances(theta, bread)
        raise Refused(_UNTOLD)

    def covariances(self, theta, bread):
        """Return the sums of squares of what units add, the pull of the shares that are read off the table included."""
        k, release, pulls = self.k, self.release, defaultdict(lambda: [0.0] * self.k)
        for (each, x), counts in self.counts.items():
            for axis, a in enumerate(self.keep):
                grid, share = self.scored(theta, each, x, but=axis), self.shares[each][axis]
                for shown, rows in counts.items():
                    for v, g in share.items():
                        f, b = grid[(*shown[:axis], v, *shown[axis + 1 :])], rows * (1 - a) / a / self.size[each]
                        pulls[each, axis, v] = _plus(pulls[each, axis, v], f, b)
                        pulls[each, axis] = _plus(pulls[each, axis], f, b * g)
        added, table, like = {}, [0.0] * k**2, [0.0] * k**2
        for (each, x), counts in self.counts.items():
            grid, rows = self.scored(theta, each, x), sum(counts.values())
            for state, f in grid.items():
                for axis, v in enumerate(state):
                    f = _plus(_plus(f, pulls[each, axis, v], -1), pulls[each, axis], 1)
                added[each, x, state] = f = _times(bread, f)
                like = like if release.owner else _plus(like, _outer(f), counts[state] * release.mean_rows[each])
            if len(self.keep) == 1:  # (1 - a) ((F - mean F)^2 + a var F)
                (a,), (share,) = self.keep, self.shares[each]
                wide = (1 - a) * (1 + (release.mean_rows[each] - 1) * self.alike[0])
                middle = [sum(g * added[each, x, (v,)][i] for v, g in share.items()) for i in range(k)]
                for v, g in share.items():
                    off = _outer(_plus(added[each, x, (v,)], middle, -1))
                    table = _plus(table, off, wide * (a * g * rows + counts[(v,)]))
        if release.owner:
            units = [[0.0] * k for _ in range(release.n)]
            for who, key in zip(release.owner, self.keys):
                units[who] = _plus(units[who], added[key], 1)
            like = [sum(each) for each in zip(*map(_outer, units))]
        found = (like, like if len(self.keep) > 1 else table)
        return [[flat[i : i + k] for i in range(0, k**2, k)] for flat in found]


def _one_block(keep, n, inside, met, shares):
    """Return estimate, and level and slope of its variance, in one class: g, read off the table, moves with it."""
    (a,), (g,), b, q = keep, shares, 1 - keep[0], inside / n
    x = (met[(True,)] - b * inside * g) / a
    own, pull = (1 - b * q) ** 2, (b * q) ** 2
    others = max(n * g - min(max(x, 0.0), inside), 0.0) + 2 * (1 - q)  # how many they are is not well known
    p0, p1 = b * g, a + b * g
    more = (p1 * (1 - p1) - p0 * (1 - p0)) / a**2
    each = b * (1 - p0) / (n * a**2) * (own * inside + pull * (n - inside))
    return x, each * others + pull * others * more, each + own * more


def _several(keep, n, inside, met, shares):
    """The same of an event of several blocks: by the true states of its parts, as if independent but for x."""
    states = list(itertools.product((False, True), repeat=len(keep)))
    phi = [(-(1 - a) * g / a, (1 - (1 - a) * g) / a) for a, g in zip(keep, shares)]

    def product(state, but=-1):
        return math.prod(phi[at][u] for at, u in enumerate(state) if at != but)

    pulls = [(1 - a) / a / n * sum(met[s] * product(s, at) for s in states) for at, a in enumerate(keep)]
    effect = {s: product(s) - sum(pull * u for pull, u in zip(pulls, s)) for s in states}
    alone = [sum(met[s] * each[s[at]] for s in states) for at, each in enumerate(phi)]
    alone = [min(max(each, 0.0), inside) / max(inside, 1) for each in alone]
    x, together = sum(met[s] * product(s) for s in states), math.prod(alone)
    level = sum(p**2 * (a * (1 - a) + 1 - a) * g * (1 - g) for p, a, g in zip(pulls, keep, shares)) * (n - inside)
    slope = 0.0
    for s in states:
        chance = dict.fromkeys(states, 1.0)
        for at, (a, g) in enumerate(zip(keep, shares)):
            for u in states:
                chance[u] *= a * (s[at] == u[at]) + (1 - a) * (g if u[at] else 1 - g)
        mean = sum(p * effect[u] for u, p in chance.items())
        v, sign = max(sum(p * effect[u] ** 2 for u, p in chance.items()) - mean**2, 0.0), (-1) ** s.count(False)
        level += inside * (math.prod(p if u else 1 - p for u, p in zip(s, alone)) - sign * together) * v
        slope += sign * v
    return x, level, slope


def _added(classes):
    """Return the sums of figures over classes, which count so many times; x is split as the classes let expect."""
    whole = sum(expected for expected, *_ in classes)
    weights = [expected / whole if whole > 0 else 1 / len(classes) for expected, *_ in classes]
    x, level = sum(each[2] for each in classes), sum(each[1] * each[3] for each in classes)
    return x, level, sum(weight * each[1] * each[4] for weight, each in zip(weights, classes))


def _roots(x, level, slope, top, step):
    """Return the x' of (x - x')^2 = 1.96^2 (level + slope x'), from 0 to the top; the lower for half a row less."""
    half, ends = Z * Z * slope / 2, []
    for sign, at in ((-1, x - step / 2), (1, x)):
        arm = math.sqrt(max(0.0, half**2 + Z * Z * (slope * at + level)))
        ends.append(min(max(at + half + sign * arm, 0.0), top) if sign > 0 or x > step / 2 else 0.0)
    return sorted(ends)


def _shrunk(x, level, slope, target, spread):
    signal, variance = spread * target**2, max(level + slope * max(x, 0), 0.0)
    drawn = target + (signal / (signal + variance) if signal + variance > 0 else 1.0) * (x - target)
    return min(max(drawn, x - variance**0.5), x + variance**0.5)  # by one deviation at most


def _plus(f, g, times):
    return [p + times * q for p, q in zip(f, g)]


def _outer(f):
    return [p * q for p in f for q in f]


def _times(matrix, f):
    return [sum(b * x for b, x in zip(row, f)) for row in matrix]


def _result(what, names, values, covariances, ends=(-math.inf, math.inf), scale=None, notes=()):
    """Return figures with their two intervals, cut at the ends, or on the scale that logarithms come from."""
    shown = scale or (lambda x: min(max(x, ends[0]), ends[1]))
    rows = [[shown(x)] for x in values]
    for v in covariances:
        for at, x in enumerate(values):
            reach = Z * math.sqrt(max(v[at][at], 0.0))
            rows[at] += [shown(x - reach), shown(x + reach)]
    return Result(what, names, rows, dict(zip(("like", "table"), covariances)), notes)


def _inverse(matrix):
    """Return the inverse, by Gauss and Jordan with pivots."""
    n = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    scale = [max(map(abs, row)) or 1.0 for row in matrix]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]) / scale[r])
        rows[i], rows[best], scale[i], scale[best] = rows[best], rows[i], scale[best], scale[i]
        if abs(rows[i][i]) < 1e-12 * scale[i]:
            raise Refused(_UNTOLD)
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = _plus(rows[r], rows[i], -rows[r][i])
    return [row[n:] for row in rows]


load = Release  # splu_release.load("the folder that holds release.json")
