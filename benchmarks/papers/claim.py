"""A claim of a paper: what it says, what is measured of it in one draw, and when that holds."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from splu_desktop.compare.base.questions import CountingQuestions, draw_questions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Impossible, System
from splu_desktop.core.progress import SILENT
from splu_desktop.core.resources import sample_path
from splu_desktop.core.table import Table
from splu_desktop.files.importer import read
from tests.columns import column_of

_COLUMNS = {
    "census_workers": ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Occupation"),
    "diabetes130": ("race", "gender", "age", "admission_type_id", "time_in_hospital", "diag_1"),
    "adult": ("age", "workclass", "education", "marital-status", "race", "gender", "income", "occupation"),
}  # the last one is sensitive
_SAMPLE = ("Age", "Sex", "Postcode", "Smoker", "Diagnosis")


@dataclass(frozen=True)
class Tables:
    """The tables of a run.

    Attributes
    ----------
    data : the folder that they lie in.
    most : records taken of each, at random.
    questions : counts asked of each.
    seed : of everything.
    """

    data: Path
    most: int
    questions: int
    seed: int

    @cache  # noqa: B019 - one value for a whole run
    def source(self, name: str) -> TrueTable:
        """Return a table."""
        with gzip.open(self.data / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        some = np.random.default_rng(self.seed).permutation(len(rows))[: self.most]
        columns = [column_of(each, [rows[at][each].strip() for at in some]) for each in _COLUMNS[name]]
        return TrueTable.of(Table(tuple(columns)), _COLUMNS[name][:-1], _COLUMNS[name][-1])

    def sample(self) -> TrueTable:
        """Return the sample hospital: diagnosis by decade of age, sex, postcode and smoking."""
        table = read(sample_path()).table
        some = np.random.default_rng(self.seed).permutation(table.n)[: self.most]
        columns = []
        for name in _SAMPLE:
            column = table[name]
            labels = [str(column.labels[code]) for code in column.codes[some]]
            if name == "Age":
                labels = [each and f"{int(each) // 10}" for each in labels]
            columns.append(column_of(name, labels))
        return TrueTable.of(Table(tuple(columns)), _SAMPLE[:-1], _SAMPLE[-1])

    @cache  # noqa: B019
    def asked(self, name: str) -> CountingQuestions:
        """Return random questions about a table."""
        return draw_questions(self.source(name), self.questions, np.random.default_rng(self.seed), SILENT)

    def estimates(self, name: str, system: System, chance: np.random.Generator) -> Floats:
        """Return (Q,) answers of one publication, cut to what is possible. Raises Impossible."""
        outcome = system.publish(self.source(name), chance, SILENT)
        return np.clip(outcome.answer(self.asked(name)), 0.0, self.source(name).n)

    def error(self, name: str, system: System, chance: np.random.Generator, *, small: bool = False) -> float:
        """Return the mean relative error of large counts (0.5 % and more), or of those of 1 to 10."""
        truth = self.asked(name).truth
        here = truth <= 10 if small else truth >= 0.005 * self.source(name).n
        return float((np.abs(self.estimates(name, system, chance) - truth) / truth)[here].mean())


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes
    ----------
    place : paper and place.
    says : what it says.
    figure : what is measured, in words.
    measure : (tables, random numbers of one draw) -> the figure.
    holds : whether the claim is true of such a figure.
    random : whether draws differ.
    """

    place: str
    says: str
    figure: str
    measure: Callable[[Tables, np.random.Generator], float]
    holds: Callable[[float], bool]
    random: bool = True


@dataclass(frozen=True)
class Measured:
    """A claim's figures over the draws, and the verdict from their range; no figures where it can't be measured."""

    claim: Claim
    figures: tuple[float, ...]
    why: str = ""

    @property
    def verdict(self) -> str:
        """What becomes of the claim."""
        if not self.figures:
            return f"not measured: {self.why}"
        low, high = (self.claim.holds(end) for end in (min(self.figures), max(self.figures)))
        middle = self.claim.holds(float(np.median(self.figures)))
        return "open: the draws differ" if not low == middle == high else "holds" if low else "**does not hold**"

    @property
    def range(self) -> str:
        """The median with its range; a dash where there is none."""
        if not self.figures:
            return "–"
        low, middle, high = min(self.figures), float(np.median(self.figures)), max(self.figures)
        return f"{middle:.3g}" + (f" ({low:.3g} to {high:.3g})" if len(self.figures) > 1 else "")

    @property
    def row(self) -> str:
        """The line of the document."""
        return f"| {self.claim.place} | {self.claim.says} | {self.claim.figure}: {self.range} | {self.verdict} |"


def measured(claim: Claim, tables: Tables, draws: int) -> Measured:
    """Measure a claim. Its random numbers are its own, so that another claim changes nothing."""
    own = zlib.crc32(f"{claim.place} {claim.says} {claim.figure}".encode())
    try:
        figures = tuple(
            claim.measure(tables, np.random.default_rng([tables.seed, own, draw]))
            for draw in range(draws if claim.random else 1)
        )
    except Impossible as fault:
        return Measured(claim, (), str(fault))
    return Measured(claim, figures)
