"""Random questions of every kind, asked of the program, of the recipient's kit, and of the kit in R."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.analyse import analyses, regression
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Answer, Condition, Method, Reader, parse_condition
from splu_desktop.core.table import Column, Kind
from tests.files.kit_releases import kit

KINDS = (
    "count",
    "count",
    "share",
    "difference",
    "ratio",
    "odds_ratio",
    "mean",
    "quantile",
    "trend",
    "crosstab",
    "logit",
    "poisson",
)
PERIODS = ("year", "quarter", "month", "week", "day")
# Estimate and ends of the answer ("") and of its parts, and 1 where these are only what is possible; an end without
# bound is infinite.
Figures = dict[str, list[float]]
Given = str | float | list[str]


@dataclass(frozen=True)
class Question:
    """A method of the kit with its arguments: conditions and names as typed."""

    kind: str
    given: tuple[Given, ...]

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(map(repr, self.given))})"

    @property
    def in_r(self) -> str:
        """The same call in R."""

        def one(given: Given) -> str:
            if isinstance(given, list):
                return f"c({', '.join(map(json.dumps, given))})" if given else "NULL"
            return json.dumps(given)

        return f"r${self.kind}({', '.join(map(one, self.given))})"

    @property
    def typed(self) -> list[str]:
        """The same on a command line, of the kit or after `splu analyse FOLDER`; of counts the kit's alone."""

        def each(given: Given) -> list[str]:
            return given if isinstance(given, list) else [str(given)]

        def where(given: Given) -> list[str]:
            return [word for text in each(given) for word in ("--where", text)]

        name, first = self.kind.replace("_", "-"), each(self.given[0])
        match self.kind:
            case "count":
                return [name, *first, "--method", str(self.given[1])]
            case "share":
                return [name, *first, *where(self.given[1])]
            case "difference" | "ratio" | "odds_ratio":
                return [name, "; ".join(first), "; ".join(each(self.given[1])), *where(self.given[2])]
            case "mean":
                return [name, *first, *each(self.given[1])]
            case "quantile":
                return [name, *first, *each(self.given[2]), "--q", str(self.given[1])]
            case "trend":
                return [name, *first, "--by", f"{self.given[1]}:{self.given[2]}".removesuffix(":")]
            case "crosstab":
                return [name, *first, str(self.given[1]), *where(self.given[2])]
            case _:
                on = [word for text in each(self.given[1]) for word in ("--on", text)]
                return [name, *first, *on, *where(self.given[2])]


def asked_of_kit(release: Any, question: Question) -> Figures | None:
    """Return what the kit answers; None where it refuses."""
    try:
        found = getattr(release, question.kind)(*question.given)
    except kit().Refused:
        return None
    return figures_of(found.as_dict())


def asked_of_program(reader: Reader, question: Question) -> Figures | None:
    """Return what the program answers; None where it refuses."""

    def of(texts: Given) -> tuple[Condition, ...]:
        assert not isinstance(texts, float)
        each = [texts] if isinstance(texts, str) else texts
        return tuple(parse_condition(text, reader.published) for text in each)

    def terms(texts: Given) -> list[Any]:
        assert isinstance(texts, list)
        return [text if text in reader.published.table else of(text) for text in texts]

    given: tuple[Any, ...] = question.given
    try:
        match question.kind:
            case "count":
                one = reader.answer(of(given[0]), Method.named(given[1]))
                return figures_of(stated(one, 1))
            case "share" if given[2] == "bayes":
                if any(reader.published.is_sensitive(each.column) for each in of(given[1])):
                    return None  # the kit says why
                one = reader.answer((*of(given[0]), *of(given[1])), Method.BAYES)
                return figures_of(stated(one, one.n_p)) if one.n_p else None
            case "share":
                found = analyses.share(reader, of(given[0]), of(given[1]))
            case "difference" | "ratio" | "odds_ratio":
                found = getattr(analyses, question.kind)(reader, *map(of, given))
            case "mean":
                found = analyses.mean(reader, given[0], of(given[1]))
            case "quantile":
                found = analyses.quantile(reader, given[0], given[1], of(given[2]))
            case "trend":
                found = analyses.trend(reader, of(given[0]), given[1], given[2])
            case "crosstab":
                found = analyses.crosstab(reader, given[0], given[1], of(given[2]))
            case "logit":
                found = regression.logit(reader, of(given[0]), terms(given[1]), of(given[2]))
            case _:
                counted = isinstance(given[0], str) and given[0] in reader.published.table
                outcome = given[0] if counted else of(given[0])
                found = regression.poisson(reader, outcome, terms(given[1]), of(given[2]))
    except BadQuestion:
        return None
    return figures_of(found.as_dict())


def asked_in_r(folder: Path, questions: Iterable[Question]) -> list[Figures | None]:
    """Return what the kit in R answers, None where it refuses."""
    script = [
        'options(OutDec = ",")',  # as where R was told to write numbers so
        f"source({json.dumps(str(folder / 'splu_release.R'))})",
        f"r <- splu_release({json.dumps(str(folder))})",
        *(
            f"cat(tryCatch(r$json(unclass({question.in_r})), splu_refused = function(e) 'null'), '\\n')"
            for question in questions
        ),
    ]
    ran = subprocess.run(["Rscript", "-"], input="\n".join(script), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = map(json.loads, ran.stdout.splitlines())
    return [None if one is None else figures_of(one) for one in found]


ELSEWHERE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import splu_release
release, found = splu_release.Release(sys.argv[1]), []
for kind, given in json.load(sys.stdin):
    try:
        found.append(getattr(release, kind)(*given).as_dict())
    except splu_release.Refused:
        found.append(None)
json.dump(found, sys.stdout)
"""


def asked_elsewhere(python: str, folder: Path, questions: Sequence[Question]) -> list[Figures | None]:
    """Return what the release's own file answers in a Python without packages."""
    asked = json.dumps([[question.kind, question.given] for question in questions])
    call = [python, "-I", "-S", "-c", ELSEWHERE, str(folder)]
    found = json.loads(subprocess.run(call, input=asked, capture_output=True, text=True, check=True).stdout)
    return [None if one is None else figures_of(one) for one in found]


def figures_of(found: dict[str, Any]) -> Figures:
    """Return the figures of an answer as plain data."""
    # The kits name a term as it was typed, the program "stay <= 3,5" as "stay=..3.5".
    named = {
        re.sub(r" <= (\S+)", r"=..\1", re.sub(r">=(\S+)", r"=\1..", re.sub(r"(?<=\d),(?=\d)", ".", name))): part
        for name, part in found.get("parts", {}).items()
    }
    parts = {"": found, **named}
    return {
        name: [
            *(math.inf if part[end] is None else part[end] for end in ("estimate", "low", "high")),
            float(part["interval_by"] == "possible"),
        ]
        for name, part in parts.items()
    }


def stated(one: Answer, of: int) -> dict[str, Any]:
    """Return a count as the kits state it, or a share of so many records."""
    return {"estimate": one.estimate / of, "low": one.low / of, "high": one.high / of, "interval_by": one.interval_by}


def alike(one: Figures | None, other: Figures | None) -> bool:
    """Return whether two answers are the same to 1 in 10,000, or both refused."""
    if one is None or other is None:
        return one is other
    same = all(
        np.allclose(ours, theirs, rtol=1e-4, atol=1e-4)
        for ours, theirs in zip(one.values(), (other.get(name, [math.nan] * 4) for name in one), strict=True)
    )
    return same and one.keys() == other.keys()


# --- questions


def of_every_kind(published: Published, number: int, seed: int = 1) -> list[Question]:
    """Return so many questions, of all kinds in turn, each with something sensitive in it."""
    chance = random.Random(seed)
    return [_question(chance, published, KINDS[at % len(KINDS)]) for at in range(number)]


def _question(chance: random.Random, published: Published, kind: str) -> Question:
    table, sensitive = published.table, published.sensitive
    unchanged = published.nsas

    def hidden() -> str:
        return _condition(chance, table[chance.choice(sensitive)])

    def some(most: int, columns: Sequence[str] = table.names) -> list[str]:
        names = chance.sample(list(columns), chance.randint(0, most))
        return [_condition(chance, table[name]) for name in names]

    method = chance.choice(["unbiased", "bayes"])
    numbers = [c.name for c in table.columns if c.kind in (Kind.INTEGER, Kind.DECIMAL) or c.name in ("band", "dose")]
    dated = chance.choice(["day", "day", "age", "band", "blood"])
    period = chance.choice(PERIODS[:3] if "-" not in str(table["day"].labels[0])[5:] else PERIODS[:4])
    few = [c.name for c in table.columns if c.m <= 16]
    on = chance.sample([*few, "age", "blood"], chance.randint(1, 2))
    terms = [name if chance.random() < 0.6 else _condition(chance, table[name]) for name in dict.fromkeys(on)]
    match kind:
        case "count":
            return Question(kind, ([*some(2), hidden()], method))
        case "share":
            return Question(kind, ([hidden(), *some(1)], some(2), method))
        case "difference" | "ratio":
            sa = hidden()
            two = [[_condition(chance, table["ward"]), sa], [_condition(chance, table["ward"]), sa]]
            either = two if chance.random() < 0.7 else [[sa], [hidden()]]
            return Question(kind, (*either, some(1)))
        case "odds_ratio":
            return Question(kind, (some(1) or [hidden()], [hidden()], some(1)))
        case "mean":
            return Question(kind, (chance.choice(numbers), [hidden(), *some(1)]))
        case "quantile":
            q = chance.choice([0.1, 0.25, 0.5, 0.9])
            return Question(kind, (chance.choice(numbers), q, [hidden(), *some(1)]))
        case "trend":
            return Question(
                kind, ([hidden(), *some(1)], dated, period if dated == "day" or chance.random() < 0.2 else "")
            )
        case "crosstab":
            sa = chance.choice([name for name in sensitive if name in few])
            other = chance.choice([name for name in few if name != sa])
            return Question(kind, (*chance.sample([sa, other], 2), some(1)))
        case "logit":
            outcome = hidden() if chance.random() < 0.6 else _condition(chance, table[chance.choice(unchanged)])
            return Question(kind, (outcome, terms, some(1)))
        case _:
            counts = [name for name in ("stay", "dose", "age") if name in table]
            outcome = hidden() if chance.random() < 0.6 else chance.choice(counts)
            return Question(kind, (outcome, terms, some(1)))


def _condition(chance: random.Random, column: Column) -> str:
    """Return a value, a set, all but these, a range, a month or months, or no value, as typed."""
    labels = [str(label) for label in column.labels[~column.missing]]
    sign = chance.choice(["=", "=", "=", "!="])
    if column.missing.any() and chance.random() < 0.15:
        return f"{column.name}{sign}(empty)"
    if column.name == "day":
        if len(labels[0]) == 10 and chance.random() < 0.2:  # as people write days
            low, high = (".".join(reversed(label.split("-"))) for label in sorted(chance.sample(labels, 2)))
            return f"day{sign}{low}..{high}"
        ends = sorted(chance.sample(sorted({label[:7] for label in labels}), 2))
        return f"day{sign}{chance.choice([ends[0], ends[0][:4], '..'.join(ends), f'{ends[0]}..', f'..{ends[1]}'])}"
    if column.kind in (Kind.INTEGER, Kind.DECIMAL):
        low, high = sorted(chance.sample(range(len(labels)), 2))
        if chance.random() < 0.2:
            labels = [label.replace(".", ",") for label in labels]
        if chance.random() < 0.7:
            if chance.random() < 0.3:
                return f"{column.name}{chance.choice(['>=', ' <= '])}{labels[low]}"
            return f"{column.name}{sign}{chance.choice(['{}..{}', '{}..', '..{}']).format(labels[low], labels[high])}"
    number = chance.choice([1, 1, 2, 3])
    if len(labels) > 20:
        number = len(labels) // 2
    return f"{column.name}{sign}{'|'.join(chance.sample(labels, min(number, max(len(labels) - 1, 1))))}"
