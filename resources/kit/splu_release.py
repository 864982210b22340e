"""Count in a release of SPLU Desktop: estimates with 95 % intervals, from nothing but the folder it came in.

    r = splu_release.load(".")
    r.count("result=positive", "age=18-39")
    r.regress("result=positive ~ sex + age", family="logistic").summary()

Re-drawn columns show another unit's value in some rows, so scores are added instead of counting rows: of what a row
shows (u) the score is (u - (1 - a) g) / a, a the chance that a value was kept, g the mean of u in the row's class.
`low` and `high` are for persons like these, as a paper says; `low_table` and `high_table` for this table. Conditions:
column=value, =one|two, =low..high, >=, <=, !=, =(empty). Python 3.9 suffices, pandas gives DataFrames. MIT licence.
"""

import csv
import functools
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
Z, _ANY = 1.959963984540054, (-math.inf, math.inf)
_NUMBERS, _NUMBER = {"integer": int, "decimal": float}, re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_SHAPE = functools.partial(re.compile(r"\w").sub, "x")  # a day is written otherwise than a quarter
CLASS, NUMBER, EMPTY = "lender class", "person number", "(empty)"
_MET = functools.partial(min, default=1)  # whether all flags are set; of one value itself
_BEFORE, _MARK = "['\" \u00a0\u3000]*", "=+\\-@\uff1d\uff0b\uff0d\uff20"  # of cells that a spreadsheet would run
_GUARDED = re.compile(rf"\A'(?={_BEFORE}[{_MARK}\t\r\n])|(?<=[;\t\r\n])'(?={_BEFORE}[{_MARK}])")
_LINKS = {  # family -> the mean at a sum of terms, and its slope there
    "linear": lambda at: (at, 1.0),
    "logistic": lambda at: ((1 + math.tanh(at / 2)) / 2, (1 - math.tanh(at / 2) ** 2) / 4),
    "poisson": lambda at: (math.exp(min(at, 50.0)),) * 2,
}


class Refused(ValueError):
    """A question that this release can't answer, or a folder that is none; the sentence says why."""


class Result:
    """One figure or several: `coef`, `confint()`, `vcov()`, `summary()`; of a single one `estimate`, `low`, `high`."""

    estimate, low, high, low_table, high_table = (property(lambda self, at=at: self.rows[0][at]) for at in range(5))

    def __init__(self, what, names, rows, vcov=None, notes=()):
        self.what, self.names, self.rows, self._vcov, self.notes = what, list(names), list(rows), vcov, list(notes)

    def _framed(self, of, head, about="like"):
        if about not in of:
            raise Refused(f"There is nothing about “{about}”; choose {' or '.join(of)}.")
        found = {name: dict(zip(head, row)) for name, row in zip(self.names, of[about])}
        return pandas.DataFrame(of[about], self.names, head) if pandas else found

    @property
    def coef(self):
        """The estimates by name."""
        return (pandas.Series if pandas else dict)({name: row[0] for name, row in zip(self.names, self.rows)})

    def confint(self, about="like"):
        """The 95 % intervals: about="like" for persons like these, "table" for those of this table."""
        of = {each: [row[at : at + 2] for row in self.rows] for at, each in ((1, "like"), (3, "table"))}
        return self._framed(of, ["low", "high"], about)

    def vcov(self, about="like"):
        """Variances and covariances (of ratios: of their logarithms); counts have intervals alone."""
        if not self._vcov:
            raise Refused("A count has no variance, but intervals: confint() and confint('table').")
        return self._framed(self._vcov, self.names, about)

    def summary(self):
        """All figures: estimate, low and high for persons like these, low_table and high_table for this table."""
        return self._framed({"like": self.rows}, ["estimate", "low", "high", "low_table", "high_table"])

    def __repr__(self):
        return "\n".join([self.what, self.summary().to_string() if pandas else str(self.summary()), *self.notes])


def load(folder="."):
    """Read the release in a folder that holds release.json."""
    try:
        return Release(Path(folder))
    except (OSError, KeyError, TypeError, ValueError) as fault:
        raise Refused(f"{folder} is no release that this program reads: {fault}.") from None


class Release:
    """A release that was read; `table` is a DataFrame where pandas is there."""

    def __init__(self, folder):
        self.facts = json.loads((folder / "release.json").read_text(encoding="utf-8-sig"))
        if self.facts["format"] != "splu-release" or self.facts["version"] != 3:
            raise ValueError("of another version")
        blocks, cells, dialect = self.facts["blocks"], self.facts["classes"]["cells"], self.facts["dialect"]
        if any(block["draw"] != "lenders" for block in blocks):
            raise ValueError("drawn in decoy groups; ask SPLU Desktop, or add up scores.csv")
        with (folder / "table.csv").open(encoding="utf-8-sig", newline="") as file:
            names, *rows = csv.reader(file, delimiter=dialect["delimiter"])
        self.entries = {entry["name"]: entry for entry in self.facts["columns"]}
        self.codes, self.labels, self.rows, self.numbers, self.values, self.bands = ({} for _ in range(6))  # by column
        for name, texts in zip((_GUARDED.sub("", name) for name in names), zip(*rows)):
            entry, rows_of = self.entries[name], Counter(texts)
            point = dialect["decimal"] if entry["kind"] == "decimal" else "."
            of_label = {_GUARDED.sub("", text).replace(point, "."): text for text in rows_of}
            labels = [*(entry.get("values") or sorted(filter(None, of_label))), *([""] if "" in of_label else ())]
            place, numbers = {of_label[label]: code for code, label in enumerate(labels)}, entry.get("numbers")
            if cast := _NUMBERS.get(entry["kind"]):
                numbers = {text: cast(float(text)) for text in labels if _NUMBER.fullmatch(text)}
            self.codes[name], self.labels[name] = [place[text] for text in texts], labels
            self.rows[name] = [rows_of[text] for text in place]
            self.numbers[name] = [numbers.get(text) for text in labels] if numbers else None
            self.values[name] = self.numbers[name] if cast and numbers else [text or None for text in labels]
            self.bands[name] = [f"A band of “{name}” counts as one number: means may lie outside."] * ("bands" in entry)
        self.n = len(rows)
        if self.n != self.facts["records"] or set(self.codes) != set(self.entries):
            raise ValueError("table.csv is not the table that release.json describes")
        self.keep, self.alike = [1 / block["gamma"] for block in blocks], [block["correlation"] for block in blocks]
        self.block_of = {name: at for at, block in enumerate(blocks) for name in block["columns"]}
        self.classes, self.owner = self.codes.get(CLASS, [0] * self.n), self.codes.get(NUMBER)
        self.person_rows = [cells[int(text) - 1]["rows"] for text in self.labels.get(CLASS, ["1"])]  # of a person
        self.tally = functools.lru_cache(20)(lambda *names: Counter(zip(self.classes, *map(self.codes.get, names))))
        self.lifts = functools.lru_cache(99)(self._lifts)  # both are kept for the next question
        names = map(re.escape, sorted(self.codes, key=len)[::-1])  # the longest first
        self._asked = re.compile(rf"({'|'.join(names)})\s*(!=|>=|<=|=)\s*(.*?)\s*", re.S)

    @property
    def table(self):
        """The table with its types: numbers as numbers, all else as text ("007" and "None" stay), empty as missing."""
        columns = {name: list(map(self.values[name].__getitem__, codes)) for name, codes in self.codes.items()}
        return (pandas.DataFrame if pandas else dict)(columns)

    def score(self, *where):
        """Return each row's score: of conditions, or of the number in a column. Sums over rows are right on average."""
        features = [self._feature(where[0])] if where and where[0] in list(self.codes) else self._conditions(where)
        equations = _Equations(self, features)
        values, _ = equations.weighed()
        grids = {key: equations.unmixed(key[0], {s: [math.prod(v)] for s, v in values[key].items()}) for key in values}
        return (pandas.Series if pandas else list)([grids[each, x][shown][0] for each, x, shown in equations.by_row])

    def count(self, *where):
        """Return how many rows meet all conditions."""
        return Result("Count of " + ", ".join(map(str, where)), ["count"], [self._count(self._conditions(where))])

    def share(self, outcome, where=()):
        """Return the share of rows with the outcome among those that meet the conditions and have a value."""
        return self._ratio("Share", outcome, where, (0.0, 1.0))

    def mean(self, column, where=()):
        """Return the mean of a column of numbers, or of bands, among the rows that meet the conditions."""
        return self._ratio("Mean", column, where)

    def crosstab(self, by, outcome, where=()):
        """Return counts of an outcome, or of each value of a column, in each combination of the columns `by`."""
        by, where = ([each] if isinstance(each, str) else list(each) for each in (by, where))
        sides = [[f"{x}={y or EMPTY}" for y in self.labels[x]] if x in self.codes else [x] for x in (*by, outcome)]
        cells = {", ".join(cell): self._count(self._conditions([*cell, *where])) for cell in itertools.product(*sides)}
        return Result(f"{outcome} by {', '.join(by)}", cells, cells.values())

    def difference(self, outcome, exposure, where=()):
        """Return the share (or mean) of the outcome among the exposed less that among the others."""
        return self._fit("Difference", outcome, [exposure], where, ends=_ANY if outcome in self.codes else (-1.0, 1.0))

    def risk_ratio(self, outcome, exposure, where=()):
        """Return the share of the outcome among the exposed, divided by that among the others."""
        return self._fit("Risk ratio", outcome, [exposure], where, "poisson")

    def odds_ratio(self, outcome, exposure, where=()):
        """Return the odds of the outcome among the exposed, divided by those among the others."""
        return self._fit("Odds ratio", outcome, [exposure], where, "logistic")

    def regress(self, formula, where=(), family="linear"):
        """Fit "outcome ~ column + column=value + ..." by least squares; family: "linear", "logistic" or "poisson".

        Columns of words get a term for each value but the most frequent; `notes` say which are too rare to tell.
        """
        outcome, *words = (each.strip().strip("`") for each in re.split(r"~|\s\+\s|\+(?=[^\s+])", formula))
        return self._fit(f"{family.capitalize()} regression", outcome, words, where, family, rare=frozenset())

    def _ratio(self, what, outcome, where, ends=None):
        """Return y summed over who meets the conditions, by how many do; the ends are roots (Fieller 1954)."""
        (name, y), notes = self._feature(outcome), self.bands.get(outcome, ())
        equations = _Equations(self, [(name, y), (name, [1.0] * len(y)), *self._conditions(where)])
        (s, n), *both = equations.solve(2, lambda t, v: [math.prod(v) - t[0], math.prod(v[1:]) - t[1], -1, 0, 0, -1])
        if n <= 0:
            raise Refused("Too few rows are left: the release can't tell this.")
        # Of a share two rows more, one with the value, and how many may have a value that no row shows.
        low, top = ends or [end(x for x in y if x is not None) for end in (min, max)]
        far = bool(ends) * (self._count([*self._conditions(where), (name, [0.0] * len(y))])[4] / self.n / n) ** 2
        x, two, row, vcov = min(max(s / n, low), top), bool(ends) / (n * self.n), [], {}  # the nearest that may be
        for about, ((p, q), (_, r)) in zip(("like", "table"), both):
            vcov[about] = [[(p - 2 * x * q + x**2 * r) / n**2]]
            p, q, r = (f - (Z / n) ** 2 * (v + k * two * r) for f, v, k in ((x * x - far, p, 1), (x, q, 1), (1, r, 2)))
            reach = math.sqrt(max(q * q - p * r, 0.0))
            row += [(q - reach) / r, (q + reach) / r] if r > 0 else (low, top)
        return Result(f"{what} of {outcome}", [what.lower()], [[x, *(min(max(e, low), top) for e in row)]], vcov, notes)

    def _fit(self, what, outcome, words, where, family="linear", ends=_ANY, rare=None):
        """Return intercept and coefficients; the last of them alone, a ratio as such, where no values can be `rare`."""
        if family not in _LINKS:
            raise Refused(f"There is no family “{family}”; choose {', '.join(_LINKS)}.")
        y, notes = self._feature(outcome), list(self.bands.get(outcome, ()))
        one = "(intercept)", (y[0], [1.0] * len(y[1]))
        names, xs = zip(one, *(term for word in words for term in self._terms(word, rare, notes)))

        def score(theta, v):
            x, weight = v[1 : len(xs) + 1], math.prod(v[len(xs) + 1 :])
            mean, slope = _LINKS[family](sum(t * z for t, z in zip(theta, x)))
            return [*(weight * (v[0] - mean) * z for z in x), *(-weight * slope * p * q for p in x for q in x)]

        theta, like, table = _Equations(self, [y, *xs, *self._conditions(where)]).solve(len(xs), score)
        if not like:
            astray = {name for name, x in zip(names, theta) if abs(x) > 10}  # too few rows to tell their effects
            if rare is None or astray <= rare:
                raise Refused("Two terms say the same, or too few rows are left: the release can't tell this.")
            return self._fit(what, outcome, words, where, family, ends, rare | astray)
        reach = [[Z * math.sqrt(max(v[at][at], 0.0)) for v in (like, table)] for at in range(len(xs))]
        near = [min(max(x, ends[0]), ends[1]) for x in theta]  # the nearest that may be
        rows = [[x, *(x + sign * z for z in each for sign in (-1, 1))] for x, each in zip(near, reach)]
        if rare is None:
            scale = float if family == "linear" else lambda x: math.exp(min(x, 700.0))
            rows = [[scale(min(max(x, ends[0]), ends[1])) for x in rows[-1]]]
            names, like, table = [what.lower()], [like[-1][-1:]], [table[-1][-1:]]
        what += f" of {outcome}" + (f" by {', '.join(words)}" if words else "")
        return Result(what, names, rows, {"like": like, "table": table}, notes)

    def _conditions(self, texts):
        return [self._feature(text, 0.0) for text in ([texts] if isinstance(texts, str) else texts or ())]

    def _feature(self, text, unknown=None):
        """Return a column and what each label counts: its number, or whether it meets a condition; unknown if empty."""
        if unknown is None and text in self.codes:
            if self.numbers[text] is None:
                raise Refused(f"“{text}” holds no numbers: ask for {text}=value.")
            return text, self.numbers[text]
        if not (parts := self._asked.fullmatch(str(text))):
            hint = " For an interaction, regress within each value by where." * bool(re.search("[*:]", str(text)))
            raise Refused(f"“{text}” names no column with = behind it; the columns are {', '.join(self.codes)}.{hint}")
        name, sign, asked = parts.groups()
        labels, asked = self.labels[name], {">=": f"{asked}..", "<=": f"..{asked}"}.get(sign, asked)
        words = {EMPTY: "", **self.entries[name].get("words", {})}  # "65 und mehr" is "65 and more"
        asked = [asked] if asked in labels else [words.get(x.strip(), x.strip()) for x in asked.split("|")]
        found = [[float(label == x) for label in labels] if x in labels else self._within(name, x) for x in asked]
        if any(None in flags or not (1 in flags or ".." in x) for flags, x in zip(found, asked)):
            raise Refused(f"“{text}” fits no whole value of “{name}”: {', '.join(filter(None, labels[:12]))}.")
        met = [1 - max(flags) if sign == "!=" else max(flags) for flags in zip(*found)]
        return name, [unknown if label == "" and not flag else flag for label, flag in zip(labels, met)]

    def _within(self, name, text):
        """Return 1 for labels in a range: texts (a month holds its days), numbers, bands; None for what it cuts."""
        labels, numbers, bands = self.labels[name], self.numbers[name], self.entries[name].get("bands", {})
        low, _, high = map(str.strip, (text if ".." in text else f"{text}..{text}").partition(".."))  # a year of months
        if numbers is None and (".." in text or re.match(r"\d{4}[- ]", labels[0])):
            if all(any(_SHAPE(label).startswith(_SHAPE(end)) for label in labels) for end in (low, high)):
                return [float(x != "" and x >= low and (high == "" or x[: len(high)] <= high)) for x in labels]
        elif numbers is not None and all(_NUMBER.fullmatch(end or "0") for end in (low, high)):
            whole = int(bool(bands) and not any(" to below " in text for text in bands))  # 20 to 29 ends before 30
            low, high = float(low or "-inf"), float(high or "inf") + whole
            ends = [bands.get(text) or [math.nan if x is None else x] * 2 for text, x in zip(labels, numbers)]
            ends = [[far if x is None else x for x, far in zip(each, _ANY)] for each in ends]
            return [float(low <= a and b <= high) or (None if low < b and a < high else 0.0) for a, b in ends]
        return [None]

    def _terms(self, word, rare, notes):
        """Return names and features of a word of a formula. Rare values are left out, or count as the most frequent."""
        if rare is None or word not in self.codes or self.entries[word]["kind"] in _NUMBERS:
            return [(word, self._feature(word))]
        rows, hidden = dict(zip(self.labels[word], self.rows[word])), word in self.block_of
        kept = [x for x in self.labels[word] if x and rows[x] >= 20 and f"{word}={x}" not in rare]
        few, base = sorted(set(rows) - {"", *kept}), max(kept, key=rows.get, default="")
        what, out = (f"count as “{base}”", {""}) if hidden else ("are left out", {"", *few})
        if few:
            notes.append(f"{sum(map(rows.get, few))} rows of “{word}” {what}, too few to tell: {', '.join(few)}.")
        if len(kept) < 2:
            notes.append(f"“{word}” has one value in nearly all rows, so it explains nothing.")
        flags = [[None if text in out else float(text == label) for text in self.labels[word]] for label in kept]
        return [(f"{word}={label}", (word, each)) for label, each in zip(kept, flags) if label != base]

    def _count(self, features):
        """Return the estimated count, and its intervals for persons like these and for this table."""
        met = {}
        for name, values in features:
            met[name] = tuple(a * b for a, b in zip(met.get(name, values), values))
        met = {name: values for name, values in met.items() if min(values) < 1 or name in self.block_of}
        drawn, still = [name for name in met if name in self.block_of], [n for n in met if n not in self.block_of]
        equations = _Equations(self, list(met.items()), merge=_MET)
        inside, ((x, level, slope, step, rho),) = equations.figures([1])
        if not drawn or not inside:
            return [inside] * 5
        target, spread = inside, sum(self.facts["spread"][name] for name in drawn) / len(drawn)
        for name in drawn:
            mu = whole = [rows / self.n for rows in self.rows[name]]
            for each in still if len(still) > 1 else ():
                mu = [p * lift for p, lift in zip(mu, self.lifts(name, each, met[each]))]
            mu = mu if sum(mu) > 0 else whole
            target *= sum(p for p, flag in zip(mu, met[name]) if flag) / sum(mu)
        low, high = table = _roots(x, level, slope, inside, step)
        share, within = (min(max(x / n, 0), 1) for n in (self.n, inside))
        more = sum(map(self.person_rows.__getitem__, self.classes)) / self.n - 1  # rows of a person besides one of them
        like = _roots(x, level, slope + 1 - share + more * max(rho + (1 - rho) * within - share, 0), inside, step)
        return [min(max(_shrunk(x, level, slope, target, spread), low), high), *like, *table]

    def _lifts(self, name, column, met):
        """Return how many times as often each label occurs where a column meets a condition, drawn towards 1."""
        codes, spread = range(len(self.labels[name])), self.facts["spread"][name]
        inside, figures = _Equations(self, [(column, met), (name, codes)], merge=_MET).figures(codes)
        mus = [inside * rows / self.n for rows in self.rows[name]]
        return [max(_shrunk(*each[:3], mu, spread), 0) / mu if mu > 0 else 1.0 for each, mu in zip(figures, mus)]


class _Equations:
    """Sums over rows of score(theta, values), k numbers and their k x k slopes, some values hidden; and their root.

    A row counts for each value v that may be hidden in it by ((shown v) - (1 - a) g_v) / a, blocks by products.
    """

    def __init__(self, release, features, merge=tuple):
        self.release = release
        names, of = sorted({name for name, _ in features}), [release.block_of.get(name, -1) for name, _ in features]
        blocks = sorted(set(of) - {-1})
        self.keep = [release.keep[block] for block in blocks]
        axes = [[at for at, block in enumerate(of) if block == each] for each in (-1, *blocks)]
        self.place = [[at for line in axes for at in line].index(each) for each in range(len(features))]
        read = [[(names.index(features[at][0]) + 1, features[at][1]) for at in line] for line in axes]
        self.shown, self.size, self.counts = {}, release.tally(), defaultdict(Counter)
        self.shares, shown = defaultdict(lambda: [Counter() for _ in blocks]), [Counter() for _ in blocks]
        for key, rows in release.tally(*names).items():
            x, *state = [merge([values[key[at]] for at, values in line]) for line in read]
            self.shown[key] = key[0], x, tuple(state)
            self.counts[key[0], x][tuple(state)] += rows
            for share, whole, u in zip(self.shares[key[0]], shown, state):
                share[u] += rows / self.size[key[:1]]
                whole[u] += rows
        self.alike = []  # how alike a person's rows are in each state; of three columns, or few rows, it is not known
        for at, (b, whole) in enumerate(zip(blocks, shown)):
            for share in self.shares.values():
                share[at].update(dict.fromkeys(whole, 0))  # what a class does not show may be hidden in it all the same
            rho = release.alike[b] if sum(release.block_of.get(n) == b for n in names) < 3 else 1.0
            self.alike.append({u: 1.0 if min(k, release.n - k) < 50 else rho for u, k in whole.items()})
        self.by_row = map(self.shown.get, zip(release.classes, *map(release.codes.get, names)))  # to go through once

    def figures(self, events):
        """Return how many rows meet what is asked of unchanged columns, and x, level, slope and step of each event."""
        line, found, mean = {each: rows for (each, x), rows in self.counts.items() if x}, [], self.release.person_rows
        inside = {each: sum(rows.values()) for each, rows in line.items()}
        if self.release.owner and self.keep:  # rows of one person in the line
            own, mean = Counter((each, p) for (each, x, _), p in zip(self.by_row, self.release.owner) if x), Counter()
            for (each, _), n in own.items():
                mean[each] += n * n / inside[each]
        for event in events:  # a value of the one block there is, or 1 where what is asked of all blocks is met
            total, r = [0.0] * 5, [alike.get(event, 1.0) for alike in self.alike]
            for each, rows in line.items() if self.keep else ():
                g = [share[event] for share in self.shares[each]]
                met = {(True,): rows[event,], (False,): inside[each] - rows[event,]} if len(g) == 1 else rows
                rho = r[0] if len(g) == 1 else math.prod(one + (1 - one) * p for one, p in zip(r, g))
                x, level, slope, step = _event(self.keep, self.size[each,], inside[each], met, g)
                effect = 1 + max(mean[each] - 1, 0) * rho  # of several blocks, each about 0 and not about its mean
                mu = inside[each] * (math.prod(g) + 1e-12)  # x is split over classes as they let expect
                total = _plus(total, [x, level * effect, slope * effect * mu, step * mu, mu], 1)
            found.append([*total[:2], *(each / (total[4] or 1) for each in total[2:4]), max(r, default=1.0)])
        return sum(inside.values()), found

    def unmixed(self, each, grid):
        """Return what a row of a class adds by what it shows, of what each state that may be hidden adds: T^-1."""
        for axis, (a, share) in enumerate(zip(self.keep, self.shares[each])):
            grid = _blend(grid, axis, share, 1 / a)
        return grid

    def weighed(self):
        """Return values and weights of all states, by class and unchanged values; all are 0 where one is missing."""
        values, weights = defaultdict(dict), defaultdict(dict)
        for (each, x), rows in self.counts.items():
            lent = {s: math.prod(map(Counter.get, self.shares[each], s)) for s in itertools.product(*self.shares[each])}
            lift = self.unmixed(each, {s: [rows[s] / (g or 1)] for s, g in lent.items()})  # for each lent so
            for s, g in lent.items():
                weights[each, x][s] = [lift[s][0] * g]
                flat = [*x, *itertools.chain(*s)]
                values[each, x][s] = [0.0 if None in flat else flat[at] for at in self.place]
        return values, weights

    def solve(self, k, score):
        """Return the root, and covariances for persons like these and for this table; None where there is no root."""
        theta, (values, weights) = [0.0] * k, self.weighed()
        for _ in range(40):
            total = [0.0] * (k + k**2)
            for key, states in values.items():
                for s, v in states.items():
                    total = _plus(total, score(theta, v), weights[key][s][0])
            if not (bread := _inverse([total[i : i + k] for i in range(k, k + k**2, k)])):
                break
            step = _times(bread, total)
            size = max(map(abs, step)) / (1 + max(map(abs, theta)))
            theta = _plus(theta, step, -min(1.0, 2 / size) if size else -1.0)
            if size < 1e-10:
                added = {key: {s: _times(bread, score(theta, v)) for s, v in values[key].items()} for key in values}
                return theta, *self.covariances(k, added, weights)
        return theta, None, None

    def covariances(self, k, added, weights):
        """Return sums of squares of what units add; no variance is less than of rows as their class with four more."""
        release, units, pulls = self.release, *(defaultdict(lambda: [0.0] * k) for _ in range(2))
        table, like, sampled, zero, *least = ([0.0] * k**2 for _ in range(4 + len(self.keep)))
        for (each, x), grid in added.items():
            for axis, (a, share) in enumerate(zip(self.keep, self.shares[each])):
                rest = _blend(weights[each, x], axis, dict.fromkeys(share, 1), 0.0)
                for s, f in _blend(grid, axis, share, 1 / a).items():
                    pull, f = pulls[each, axis, s[axis]], _plus(f, grid[s], -1)
                    pulls[each, axis, s[axis]] = _plus(pull, f, rest[s][0] / self.size[each,])
        for (each, x), plain in added.items():
            rows, own, n = self.counts[each, x], release.person_rows[each], self.size[each,]
            wide = 1 + (own - 1) * max((min(alike.values()) for alike in self.alike), default=1)
            added[each, x] = grid = self.unmixed(each, plain)
            for s, f in grid.items():
                sampled = _squared(sampled, plain[s], weights[each, x][s][0] * wide)
                for axis, u in enumerate(s):
                    f = _plus(f, pulls[each, axis, u], -1)
                grid[s], like = f, like if release.owner else _squared(like, f, rows[s] * own)
            for axis, (a, g) in enumerate(zip(self.keep, self.shares[each])):
                inside = _blend({s: [rows[s]] for s in grid}, axis, dict.fromkeys(g, 1), 0.0)
                for s, mean in _blend(grid, axis, g, 0.0).items():  # (1 - a) ((F - mean F)^2 + a var F)
                    f, many = _plus(grid[s], mean, -1), (1 - a) * inside[s][0]
                    least[axis] = _squared(least[axis], f, many * (1 + a) * (n * g[s[axis]] + 4 / len(g)) / (n + 4))
                    table = _squared(table, f, wide * (1 - a) * rows[s] + wide * many * a * g[s[axis]])
        for who, (each, x, s) in zip(release.owner or (), self.by_row):
            units[who] = _plus(units[who], added[each, x][s], 1)
        like = functools.reduce(lambda total, f: _squared(total, f, 1), units.values(), like)
        on, low = bool(self.keep), [-math.inf if at % (k + 1) else max(f) for at, f in enumerate(zip(zero, *least))]
        found = (_plus(like, sampled, on), _plus(low, sampled, on)), (like if len(self.keep) > 1 else table, low)
        return [[list(map(max, v[i : i + k], f[i : i + k])) for i in range(0, k**2, k)] for v, f in found]


def _event(keep, n, inside, met, shares):
    """Return estimate, level, slope and step of an event in a class: by its parts' true states, as if independent."""
    states = list(itertools.product((False, True), repeat=len(keep)))
    phi = [(-(1 - a) * g / a, (1 - (1 - a) * g) / a) for a, g in zip(keep, shares)]
    product = {(s, but): math.prod(phi[at][u] for at, u in enumerate(s) if at != but)
               for s in states for but in range(-1, len(keep))}  # fmt: skip
    pulls = [(1 - a) / a / n * sum(met[s] * product[s, at] for s in states) for at, a in enumerate(keep)]
    alone = [min(max(sum(met[s] * f[s[at]] for s in states), 0.0), inside) / max(inside, 1) for at, f in enumerate(phi)]
    effect = {s: product[s, -1] - sum(pull * u for pull, u in zip(pulls, s)) for s in states}
    moments, level, slope, step = {s: [f, f * f] for s, f in effect.items()}, 0.0, 0.0, 0.0
    for axis, (a, g) in enumerate(zip(keep, shares)):
        g = (n * g + 2) / (n + 4)  # two rows more with it and without: how many they are is not well known
        moments = _blend(moments, axis, {True: g, False: 1 - g}, a)
        none, more = (1 - a) * g * (1 - (1 - a) * g), a * (1 - a) * (1 - 2 * g)  # of rows outside, and of those with it
        level += pulls[axis] ** 2 * ((n - inside) * none + min(max(n * g - inside * alone[axis], 0), n - inside) * more)
    for s, (mean, square) in moments.items():
        v, sign = max(square - mean**2, 0.0), (-1) ** s.count(False)
        level += inside * (math.prod(p if u else 1 - p for u, p in zip(s, alone)) - sign * math.prod(alone)) * v
        slope, step = slope + sign * v, step + sign * effect[s]
    return sum(met[s] * product[s, -1] for s in states), level, slope, step


def _blend(grid, axis, share, own):
    """Return own f(u) + (1 - own) sum g f along one axis of states: T where own is a, its inverse where it is 1 / a."""
    total = defaultdict(lambda: [0.0] * len(next(iter(grid.values()))))
    for s, f in grid.items():
        total[s[:axis], s[axis + 1 :]] = _plus(total[s[:axis], s[axis + 1 :]], f, share[s[axis]])
    return {s: _plus([own * p for p in f], total[s[:axis], s[axis + 1 :]], 1 - own) for s, f in grid.items()}


def _roots(x, level, slope, top, step):
    """Return the x' of (x - x')^2 = 1.96^2 (level + slope x'), from 0 to the top, half a row further apart."""
    near, half = min(max(x, 0.0), top), Z * Z * slope / 2  # the nearest that may be
    ends = [near + part * step / 2 for part in (near / top - 1, near / top)]
    low, high = (e + half + s * math.sqrt(half**2 + Z * Z * max(slope * e + level, 0.0)) for s, e in zip((-1, 1), ends))
    return max(low, 0.0) if near > step / 2 else 0.0, min(high, top) if near < top - step / 2 else top


def _shrunk(x, level, slope, target, spread):
    signal, variance = spread * target**2, max(level + slope * max(x, 0), 0.0)
    drawn = target + (signal / (signal + variance) if signal + variance > 0 else 1.0) * (x - target)
    return min(max(drawn, x - variance**0.5), x + variance**0.5)  # by one deviation at most


def _plus(f, g, times):
    return [p + times * q for p, q in zip(f, g)]


def _squared(total, f, times):
    return _plus(total, [p * q for p in f for q in f], times)


def _times(matrix, f):
    return [sum(b * x for b, x in zip(row, f)) for row in matrix]


def _inverse(matrix):
    """Return the inverse, by Gauss and Jordan; None where there is none."""
    n = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for i in range(n):
        if abs(rows[i][i]) <= 1e-12 * max(map(abs, matrix[i])):
            return None
        rows[i] = [x / rows[i][i] for x in rows[i]]
        rows = [row if r == i else _plus(row, rows[i], -row[i]) for r, row in enumerate(rows)]
    return [row[n:] for row in rows]
