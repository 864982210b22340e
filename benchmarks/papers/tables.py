"""Our tables in the papers' place, and their questions: up to three columns, and one sensitive value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised, System
from splu_desktop.core.progress import Silent
from splu_desktop.core.table import Table
from splu_desktop.files.importer import ImportChoices, read

CENSUS = ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Country")
HOSPITAL = (
    "race",
    "gender",
    "age",
    "admission_type_id",
    "discharge_disposition_id",
    "admission_source_id",
    "time_in_hospital",
    "medical_specialty",
)
ADULT = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "relationship",
    "race",
    "gender",
    "hours-per-week",
    "native-country",
)
SMALL = (1.0, 10.0)  # records, the papers' small counts
SEED = 1


@dataclass(frozen=True)
class Tables:
    """The tables, read once.

    Attributes
    ----------
    folder : where census_workers, diabetes130 and adult lie, as .csv.gz or .csv.
    effort : 1 for figures to be told; less for fewer questions and repetitions, as tests want.
    kept : what several figures need, by whoever needs it.
    """

    folder: Path
    effort: float = 1.0
    kept: dict[object, Any] = field(default_factory=dict)
    _read: dict[str, Table] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """Return a table by its file's name."""
        if name not in self._read:
            path = next(path for path in (self.folder / f"{name}{end}" for end in (".csv.gz", ".csv")) if path.exists())
            self._read[name] = read(path, ImportChoices()).table
        return self._read[name]

    def census(self, records: int | None = None, sensitive: str = "Occupation") -> TrueTable:
        """Return the papers' CENSUS, a random part of it where so many records are wanted."""
        table = self.table("census_workers")
        if records is not None and records < table.n:
            table = table.take(np.sort(np.random.default_rng(SEED).permutation(table.n)[:records]))
        others = [*CENSUS, "Occupation"]
        return TrueTable.of(table, [name for name in others if name != sensitive], sensitive)

    def hospital(self) -> TrueTable:
        """Return what stands for CADRMP, with the first diagnosis for the disease."""
        return TrueTable.of(self.table("diabetes130"), HOSPITAL, "diag_1")

    def adult(self) -> TrueTable:
        """Return Brickell's table, with the occupation as sensitive."""
        return TrueTable.of(self.table("adult"), ADULT, "occupation")

    def many(self, number: int) -> int:
        """Return how many of so many are taken with this effort."""
        return max(round(number * self.effort), 2)


@dataclass(frozen=True, eq=False)
class Pool:
    """Questions by bands of their true counts.

    Attributes
    ----------
    questions : Q of them.
    band : (Q,) number of the band.
    bands : how many.
    """

    questions: CountingQuestions
    band: Ints
    bands: int

    def errors(self, answers: Answers) -> Floats:
        """Return (bands,) means of |estimate - truth| / truth, NaN where there is no question."""
        truth = self.questions.truth
        gap = np.abs(answers.estimate - truth) / truth
        return np.array(
            [gap[self.band == at].mean() if (self.band == at).any() else np.nan for at in range(self.bands)]
        )


def pool(tables: Tables, source: TrueTable, bands: Sequence[tuple[float, float]], size: int = 400) -> Pool:
    """Return random questions as the papers draw them, up to `size` for each band, from as many selections.

    bands : (low, high) in shares of the records, high not included; `SMALL` in records, included.

    Half of the selections take the values of a random record, half uniform ones, which alone give few large counts; at
    most four questions of a band are of one selection.
    """
    chance = np.random.default_rng(SEED)
    number, d = max(tables.many(size), 20), len(source.columns)
    flags = [np.ones((number, column.m), bool) for column in source.columns]
    for row in range(number):
        record = int(chance.integers(source.n))
        for at in chance.choice(d, int(chance.integers(1, min(3, d) + 1)), replace=False).tolist():
            column = source.columns[at]
            code = int(column.codes[record]) if row % 2 else int(chance.integers(column.m))
            flags[at][row] = np.arange(column.m) == code
    whole = CountingQuestions(source, tuple(flags), np.arange(number), np.ones((number, source.m), bool), number)
    truth = whole.by_value
    rows, codes, band = [], [], []
    for at, (low, high) in enumerate(bands):
        few = (low, high) == SMALL
        inside = (truth >= 1) & (truth <= high) if few else (truth >= low * source.n) & (truth < high * source.n)
        order = chance.permutation(np.flatnonzero(inside.ravel()))
        row = order // source.m
        # The place of each question among those of its selection.
        sort = np.argsort(row, kind="stable")
        place = np.empty(len(row), np.int64)
        place[sort] = np.arange(len(row)) - np.searchsorted(row[sort], row[sort])
        taken = np.flatnonzero(place < 4)[:number]
        rows.append(row[taken])
        codes.append(order[taken] % source.m)
        band.append(np.full(len(taken), at))
    chosen = np.eye(source.m, dtype=bool)[np.concatenate(codes)]
    asked = CountingQuestions(source, tuple(flags), np.concatenate(rows), chosen, number)
    return Pool(asked, np.concatenate(band), len(bands))


def published(system: System, source: TrueTable, seed: int = SEED) -> Sanitised | None:
    """Return what a system publishes, None where it can't."""
    try:
        return system.publish(source, np.random.default_rng(seed), Silent())
    except Impossible:
        return None
