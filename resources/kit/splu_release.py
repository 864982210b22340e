#!/usr/bin/env python3
"""Count in a release of SPLU Desktop: estimates with 95 % intervals, from nothing but the folder it came in.

    r = splu_release.load(".")
    r.count("result=positive", "age=18-39")
    r.risk_ratio("died=yes", "smoker=yes", where=["ward=A"])
    r.regress("result=positive ~ sex + age", family="logistic").summary()

Re-drawn columns show another unit's value in some rows, so rows are not counted but scores are added: of what a row
shows (u) the score is (u - (1 - a) g) / a, a the chance that a value was kept, g the mean of u in the row's class.
`low` and `high` are for persons like these, which is what a paper says; `low_table` and `high_table` for this table.
Conditions: column=value, column=one|two, column=low..high, >=, <=, !=; column=(empty) is a row without a value.
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
_SIGNS = ("!=", ">=", "<=", "=")
_BEFORE, _MARK = "['\" \u00a0\u3000]*", "=+\\-@\uff1d\uff0b\uff0d\uff20"  # of cells that a spreadsheet would run
_GUARDED = re.compile(rf"\A'(?={_BEFORE}[{_MARK}\t\r\n])|(?<=[;\t\r\n])'(?={_BEFORE}[{_MARK}])")


class Refused(ValueError):
    """A question that this release can't answer, or a folder that is none; the sentence says why."""


class Result:
    """One figure or several: `coef`, `confint()`, `vcov()`, `summary()`; of a single one `estimate`, `low`, `high`."""

    def __init__(self, what, names, coef, like, table, vcov_like=None, vcov_table=None, notes=()):
        self.what, self.names, self.notes = what, list(names), list(notes)
        self._coef, self._like, self._table = list(coef), list(like), list(table)
        self._vcov = {"like": vcov_like, "table": vcov_table}

    estimate = property(lambda self: self._coef[0])
    low, high = (property(lambda self, at=at: self._like[0][at]) for at in (0, 1))
    low_table, high_table = (property(lambda self, at=at: self._table[0][at]) for at in (0, 1))

    @property
    def coef(self):
        """The estimates by name."""
        return pandas.Series(self._coef, self.names) if pandas else dict(zip(self.names, self._coef))

    def confint(self, about="like"):
        """The 95 % intervals: about="like" for persons like these, "table" for those of this table."""
        ends = self._like if about == "like" else self._table
        return pandas.DataFrame(ends, self.names, ["low", "high"]) if pandas else dict(zip(self.names, ends))

    def vcov(self, about="like"):
        """Variances and covariances (of ratios: of their logarithms)."""
        found = self._vcov[about]
        return pandas.DataFrame(found, self.names, self.names) if pandas and found is not None else found

    def summary(self):
        """All figures: estimate, low and high for persons like these, low_table and high_table for this table."""
        rows = [[x, *like, *table] for x, like, table in zip(self._coef, self._like, self._table)]
        head = ["estimate", "low", "high", "low_table", "high_table"]
        return pandas.DataFrame(rows, self.names, head) if pandas else [dict(zip(head, row)) for row in rows]

    def __repr__(self):
        lines = [self.what]
        for name, x, like, table in zip(self.names, self._coef, self._like, self._table):
            ends = "persons like these {:.5g} to {:.5g}; this table {:.5g} to {:.5g}".format(*like, *table)
            lines.append(f"  {name}: {x:.5g}; {ends}")
        return "\n".join(lines + self.notes)


class Release:
    """A release that was read; `table` is a DataFrame where pandas is there."""

    def __init__(self, folder="."):
        self.folder = Path(folder)
        try:
            self.facts = json.loads((self.folder / "release.json").read_text(encoding="utf-8-sig"))
            if self.facts["format"] != "splu-release" or self.facts["version"] != 3:
                raise ValueError("of another version")
            self._read()
            if any(block["draw"] != "lenders" for block in self.facts["blocks"]):
                raise ValueError("drawn in decoy groups; ask SPLU Desktop, or add up scores.csv")
        except (OSError, KeyError, TypeError, ValueError) as fault:
            raise Refused(f"{self.folder} is no release that this program reads: {fault}.") from None

    def _read(self):
        self.entries = {entry["name"]: entry for entry in self.facts["columns"]}
        columns = dict(self._cells())
        self.codes, self.labels = ({name: part[at] for name, part in columns.items()} for at in (0, 1))
        self.n = len(next(iter(self.codes.values())))
        if self.n != self.facts["records"] or set(columns) != set(self.entries):
            raise ValueError("table.csv is not the table that release.json describes")
        self.numbers = {name: self._numbers(name) for name in columns}
        blocks = self.facts["blocks"]
        self.keep, self.alike = [1 / block["gamma"] for block in blocks], [block["correlation"] for block in blocks]
        self.block_of = {name: at for at, block in enumerate(blocks) for name in block["columns"]}
        self.mean_rows = [cell["mean_rows"] for cell in self.facts["classes"]["cells"]]
        numbers = [int(text) - 1 for text in self.labels.get(CLASS, ["1"])]
        self.classes = [numbers[code] for code in self.codes.get(CLASS, [0] * self.n)]
        self.person, self.owner = self.facts["person"], self.codes.get(NUMBER)

    def _cells(self):
        """Give each column's name, the code of each row, and the labels that codes stand for."""
        point = self.facts["dialect"]["decimal"]
        with (self.folder / "table.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=self.facts["dialect"]["delimiter"])
            names = [_GUARDED.sub("", name) for name in next(rows)]
            seen = [{} for _ in names]
            cells = zip(*([at.setdefault(text, len(at)) for at, text in zip(seen, row)] for row in rows))
            for name, codes, texts in zip(names, cells, seen):
                texts = [_GUARDED.sub("", text) for text in texts]
                decimal = self.entries[name]["kind"] == "decimal"
                yield name, (codes, [text.replace(point, ".") for text in texts] if decimal else texts)

    def _numbers(self, name):
        """Return the number that each label stands for: itself, or what stands for its band; None where it is none."""
        entry, labels = self.entries[name], self.labels[name]
        if "numbers" in entry:
            return [entry["numbers"].get(text) for text in labels]
        if entry["kind"] not in ("integer", "decimal"):
            return None
        return [float(text) if _NUMBER.fullmatch(text) else None for text in labels]

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
        return Result("Count of " + ", ".join(where), ["count"], *([each] for each in self._count(where)))

    def share(self, outcome, where=()):
        """Return the share of rows with the outcome among those that meet the conditions."""
        return self._means("Share", self._feature(outcome), None, where, 0.0, 1.0)

    def mean(self, column, where=()):
        """Return the mean of a column of numbers, or of bands, among the rows that meet the conditions."""
        return self._means("Mean", self._feature(column), None, where)

    def crosstab(self, by, outcome, where=()):
        """Return counts of an outcome, or of each value of a column, in each combination of the columns `by`."""
        by, where = ([each] if isinstance(each, str) else list(each) for each in (by, where))
        asked = [f"{outcome}={text or EMPTY}" for text in self._few(outcome)] if outcome in self.codes else [outcome]
        lines = itertools.product(*([f"{name}={text or EMPTY}" for text in self._few(name)] for name in by))
        cells = [[*line, each] for line in lines for each in asked]
        counts = [self._count([*cell, *where]) for cell in cells]
        return Result(f"{outcome} by {', '.join(by)}", [", ".join(cell) for cell in cells], *zip(*counts))

    def difference(self, outcome, exposure, where=()):
        """Return the share (or mean) of the outcome among the exposed less that among the others."""
        most = math.inf if outcome in self.codes else 1.0
        return self._means("Difference", self._feature(outcome), exposure, where, -most, most)

    def risk_ratio(self, outcome, exposure, where=()):
        """Return the share of the outcome among the exposed, divided by that among the others."""
        return self._means("Risk ratio", self._feature(outcome), exposure, where)

    def odds_ratio(self, outcome, exposure, where=()):
        """Return the odds of the outcome among the exposed, divided by those among the others."""
        return self._means("Odds ratio", self._feature(outcome), exposure, where)

    def regress(self, formula, where=(), family="linear"):
        """Fit "outcome ~ column + column=value + ..." by least squares ("linear") or "logistic" regression.

        Columns of numbers count as numbers, others by one term for each value but the most frequent.
        """
        outcome, words = formula.split("~")[0].strip().strip("`"), formula.partition("~")[2].split("+")
        y, notes, names, xs = self._feature(outcome), [], ["(intercept)"], []
        for word in (each.strip().strip("`") for each in words):
            for name, feature in self._terms(word, notes):
                names.append(name)
                xs.append(feature)
        constant = (y[0], [1.0] * len(y[1]))
        theta, *covariances = self._fit(y, [constant, *xs], where, family)
        reach = [[Z * math.sqrt(max(v[at][at], 0)) for at in range(len(theta))] for v in covariances]
        ends = [[[t - r, t + r] for t, r in zip(theta, each)] for each in reach]
        return Result(f"{family.capitalize()} regression {formula}", names, theta, *ends, *covariances, notes)

    def _fit(self, y, xs, where, family):
        """Return coefficients of y on xs, and their covariances for persons like these and for this table."""

        def score(theta, v):
            x, weight = v[1 : len(xs) + 1], math.prod(v[len(xs) + 1 :])
            at = sum(t * z for t, z in zip(theta, x))
            mean = at if family == "linear" else 1 / (1 + math.exp(-max(-500.0, min(500.0, at))))
            slope = -weight * (1.0 if family == "linear" else mean * (1 - mean))
            return [weight * (v[0] - mean) * z for z in x], [slope * p * q for p in x for q in x]

        return _Equations(self, [y, *xs, *self._conditions(where)], len(xs), score).solve()

    def _few(self, column):
        """Return the labels of a column in order, missing last."""
        if column not in self.codes:
            raise Refused(f"There is no column “{column}”; the columns are {', '.join(self.codes)}.")
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
        fits = [(name, sign) for name, sign in fits if text.startswith(name)]
        if not fits:
            raise Refused(f"“{text}” names no column with = behind it; the columns are {', '.join(self.codes)}.")
        name, sign = max(fits, key=lambda each: len(each[0]))
        asked, labels = text[len(name) :].lstrip()[len(sign) :].strip(), self.labels[name]
        if sign in (">=", "<="):
            asked = f"{asked}.." if sign == ">=" else f"..{asked}"
        if ".." in asked and asked not in labels:
            low, _, high = asked.partition("..")
            met = [self._within(name, code, low.strip(), high.strip()) for code in range(len(labels))]
        else:
            wanted = {"" if part.strip() in ("", EMPTY) else part.strip() for part in asked.split("|")}
            wanted = {asked} if asked in labels else wanted
            met = [float(label in wanted) for label in labels]
            absent = wanted - set(labels)
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
        of, hidden = {label: code for code, label in enumerate(self.labels[word])}, word in self.block_of
        rows, labels = Counter(self.codes[word]), [label for label in self._few(word) if label]
        kept = [label for label in labels if rows[of[label]] >= THIN]
        if len(kept) < 2:
            raise Refused(f"“{word}” has one value in nearly all rows, so it explains nothing.")
        thin, base = [label for label in labels if label not in kept], max(kept, key=lambda label: rows[of[label]])
        if thin:
            what, n = f"count as “{base}”" if hidden else "are left out", sum(rows[of[label]] for label in thin)
            notes.append(f"{n} rows with rare values of “{word}” {what}: {', '.join(thin)}.")
        out, kept = {"", *(thin if not hidden else ())}, [label for label in kept if label != base]
        values = {label: [None if text in out else float(text == label) for text in of] for label in kept}
        return [(f"{word}={label}", (word, each)) for label, each in values.items()]

    def _count(self, texts):
        """Return the estimated count, and its intervals for persons like these and for this table."""
        met = {}
        for name, values in self._conditions(texts):
            met[name] = [a * b for a, b in zip(met.get(name, values), values)]
        met = {name: values for name, values in met.items() if min(values) < 1}
        drawn = {name: values for name, values in met.items() if name in self.block_of}
        still = {name: values for name, values in met.items() if name not in self.block_of}
        inside, figures = self._figures([*still.items(), *drawn.items()], [None])
        if not drawn or not inside:
            return inside, [inside, inside], [inside, inside]
        (x, level, slope), target = figures[None], inside
        for name, values in drawn.items():
            rows = Counter(self.codes[name])
            mu = whole = [rows[code] / self.n for code in range(len(values))]
            for each in still.items() if len(still) > 1 else ():
                mu = [p * lift for p, lift in zip(mu, self._lifts(name, each))]
            mu = mu if sum(mu) > 0 else whole
            target *= sum(p for p, flag in zip(mu, values) if flag) / sum(mu)
        spread = sum(self.facts["spread"][name] for name in drawn) / len(drawn)
        like = slope + 1 - min(max(x / self.n, 0), 1)
        blocks = {self.block_of[name] for name in drawn}
        step = 1 / self.keep[min(blocks)] if len(blocks) == 1 else 0
        low, high = table = _roots(x, level, slope, inside, step)
        estimate = min(max(_shrunk(x, level, slope, target, spread), low), high)
        return estimate, _roots(x, level, like, inside, step), table

    def _lifts(self, name, condition):
        """Return how many times as often each label occurs under one condition, drawn towards 1."""
        codes, rows = range(len(self.labels[name])), Counter(self.codes[name])
        inside, figures = self._figures([condition, (name, list(codes))], [(code,) for code in codes])
        targets = [inside * rows[code] / self.n for code in codes]
        drawn = [_shrunk(*figures[(code,)], mu, self.facts["spread"][name]) for code, mu in zip(codes, targets)]
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
                g = [sum(share[u] for u in some) for share, some in zip(shares, chosen)]
                met = Counter() if event is None else Counter({(True,): rows[(event,)]})
                for state, number in rows.items() if event is None else ():
                    met[tuple(u in some for u, some in zip(state, chosen))] += number
                one = _one_block if len(g) == 1 else _several
                parts[event].append((inside * math.prod(g), effects[each], *one(e.keep, n, inside, met, g)))
        return sum(line), {event: _added(classes) for event, classes in parts.items()}

    def _effects(self, line, alike):
        """Return how many times wider sums over a person's rows scatter, by class."""
        mean = defaultdict(float, enumerate(self.mean_rows if self.person else ()))
        if self.person and self.owner:
            rows = Counter(each for each, inside in zip(self.classes, line) if inside)
            mean = defaultdict(float)
            for (each, _, inside), n in Counter(zip(self.classes, self.owner, line)).items():
                mean[each] += n * n / rows[each] if inside else 0
        return {each: 1 + max(mean[each] - 1, 0) * alike for each in self.classes}

    def _means(self, what, y, exposure, where, least=-math.inf, most=math.inf):
        """Return a mean, or what compares the mean among the exposed with that among the others."""
        groups = [(y[0], [1.0] * len(y[1]))]
        if exposure:
            name, exposed = self._feature(exposure)
            groups = [(name, exposed), (name, [None if flag is None else 1 - flag for flag in exposed])]
        p, *covariances = self._fit(y, groups, where, "linear")
        odds, ratio = what == "Odds ratio", what.endswith("ratio")
        if ratio and (min(p) <= 0 or (odds and max(p) >= 1)):
            raise Refused("The release can't tell this ratio: one of its risks can't be told from none.")
        slopes = [(1 / t / (1 - t) if odds else 1 / t) if ratio else 1.0 for t in p]
        slopes = [slopes[0], -slopes[-1]][: len(p)]
        parts = [[i * j * v for i, row in zip(slopes, c) for j, v in zip(slopes, row)] for c in covariances]
        reach = [Z * math.sqrt(max(sum(c), 0.0)) for c in parts]
        if ratio:
            values = [t / (1 - t) if odds else t for t in p]
            value = values[0] / values[1]
            ends = [[value / math.exp(r), value * math.exp(r)] for r in reach]
        else:
            value = min(max(p[0] - sum(p[1:]), least), most)
            ends = [[max(p[0] - sum(p[1:]) - r, least), min(p[0] - sum(p[1:]) + r, most)] for r in reach]
        name = f"{what} in {y[0]}" + (f" by {exposure}" if exposure else "")
        return Result(name, [what.lower()], [value], ends[:1], ends[1:], *([[sum(c)]] for c in parts))


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
        """Return score and slopes at one state; 0 where a value is missing."""
        parts = (x, *state)
        v = [parts[axis][place] for axis, place in self.place]
        return ([0.0] * self.k, [0.0] * self.k**2) if None in v else self.score(theta, v)

    def scored(self, theta, each, x, but=None):
        """Return what a row of a class adds, by what it shows: T^-1 of the score along all blocks `but` one."""
        grid = {s: self.at(theta, x, s)[0] for s in itertools.product(*self.shares[each])}
        for axis, (a, share) in enumerate(zip(self.keep, self.shares[each])):
            if axis != but:
                mean = defaultdict(lambda: [0.0] * self.k)
                for s, f in grid.items():
                    mean[s[:axis], s[axis + 1 :]] = _plus(mean[s[:axis], s[axis + 1 :]], f, share[s[axis]])
                for s, f in grid.items():
                    grid[s] = [(p - (1 - a) * m) / a for p, m in zip(f, mean[s[:axis], s[axis + 1 :]])]
        return grid

    def weights(self, but=None):
        """Return how many rows are estimated to have each state, those of block `but` taken together."""
        found = Counter()
        for (each, x), counts in self.counts.items():
            for state in itertools.product(*self.shares[each]):
                lent = [(1 - a) * share[v] for a, share, v in zip(self.keep, self.shares[each], state)]
                for shown, rows in counts.items():
                    parts = [((u == v) - g) / a for u, v, g, a in zip(shown, state, lent, self.keep)]
                    found[each, x, state] += rows * math.prod(p for axis, p in enumerate(parts) if axis != but)
        return found

    def solve(self):
        """Return the root, and covariances for persons like these and for this table (of several blocks, the same)."""
        k, theta, expected = self.k, [0.0] * self.k, Counter()
        for (_, x, state), weight in self.weights().items():
            expected[x, state] += weight
        for _ in range(40):
            total, slope = [0.0] * k, [0.0] * k**2
            for (x, state), weight in expected.items():
                psi, slopes = self.at(theta, x, state)
                total, slope = _plus(total, psi, weight), _plus(slope, slopes, weight)
            bread = _inverse([slope[i * k : i * k + k] for i in range(k)])
            step = [sum(b * t for b, t in zip(line, total)) for line in bread]
            size = max(map(abs, step)) / (1 + max(map(abs, theta)))
            theta = _plus(theta, step, -min(1.0, 2 / size) if size else -1.0)
            if size < 1e-10:
                return theta, *(_sandwich(bread, flat) for flat in self.covariances(theta))
        raise Refused("The release can't tell this: take fewer terms, or more rows.")

    def covariances(self, theta):
        """Return the sums of squares of what units add, the pull of the shares that are read off the table included."""
        k, release, pulls = self.k, self.release, defaultdict(lambda: [0.0] * self.k)
        for axis, a in enumerate(self.keep):
            for (each, x, state), weight in self.weights(but=axis).items():
                psi, v = self.at(theta, x, state)[0], state[axis]
                pull = _plus([0.0] * k, psi, weight * (1 - a) / a / self.size[each])
                pulls[each, axis, v] = _plus(pulls[each, axis, v], pull, 1)
                pulls[each, axis] = _plus(pulls[each, axis], pull, self.shares[each][axis][v])
        added, table, like = {}, [0.0] * k**2, [0.0] * k**2
        for (each, x), counts in self.counts.items():
            grid, rows, person = self.scored(theta, each, x), sum(counts.values()), release.person
            for state, f in grid.items():
                for axis, v in enumerate(state):
                    f = [p - q + m for p, q, m in zip(f, pulls[each, axis, v], pulls[each, axis])]
                added[each, x, state] = f
                if not (person and release.owner):
                    like = _plus(like, _outer(f), counts[state] * (release.mean_rows[each] if person else 1))
            if len(self.keep) == 1:  # (1 - a) ((F - mean F)^2 + a var F)
                (a,), (share,) = self.keep, self.shares[each]
                wide = (1 - a) * (1 + (release.mean_rows[each] - 1) * self.alike[0] if person else 1)
                middle = [sum(g * added[each, x, (v,)][i] for v, g in share.items()) for i in range(k)]
                for v, g in share.items():
                    off = _outer(_plus(added[each, x, (v,)], middle, -1))
                    table = _plus(table, off, wide * (a * g * rows + counts[(v,)]))
        if release.person and release.owner:
            units = defaultdict(lambda: [0.0] * k)
            for who, key in zip(release.owner, self.keys):
                units[who] = _plus(units[who], added[key], 1)
            for f in units.values():
                like = _plus(like, _outer(f), 1)
        return like, like if len(self.keep) > 1 else table


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


def _sandwich(bread, flat):
    """Return bread meat bread', the meat as a flat list."""
    k = len(bread)
    half = [[sum(b * flat[p * k + j] for p, b in enumerate(row)) for j in range(k)] for row in bread]
    return [[sum(h * b for h, b in zip(line, row)) for row in bread] for line in half]


def _inverse(matrix):
    """Return the inverse, by Gauss and Jordan with pivots."""
    n = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    scale = [max(map(abs, row)) or 1.0 for row in matrix]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]) / scale[r])
        rows[i], rows[best], scale[i], scale[best] = rows[best], rows[i], scale[best], scale[i]
        if abs(rows[i][i]) < 1e-12 * scale[i]:
            raise Refused("Two terms say the same, or too few rows are left: leave one out.")
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = _plus(rows[r], rows[i], -rows[r][i])
    return [row[n:] for row in rows]


load = Release  # splu_release.load("the folder that holds release.json")
