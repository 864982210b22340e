"""What asking does in the worker: one reader, true counts for the custodian, opening a release."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.generalise import Steps, table_after
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Answer, Method, Reader
from splu_desktop.core.query.selection import Selector
from splu_desktop.core.table import Column, Flags, Table
from splu_desktop.files.release.facts import as_published
from splu_desktop.files.release.package import PasswordNeeded
from splu_desktop.files.release.reading import OpenRelease, read_release
from splu_desktop.files.tables.spelling import plain
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Release
from splu_desktop.gui.base.words import told


class Truth:
    """True counts, from the source that a release was made from. For the custodian's eyes alone.

    Parameters
    ----------
    table : the source as it was read.
    generalisations : what was done to its columns before the draw.
    published : the release.
    """

    def __init__(self, table: Table, generalisations: Mapping[str, Steps], published: Published) -> None:
        chosen = table.select(published.table.names)
        steps = {name: ways for name, ways in generalisations.items() if name in chosen}
        self._published = published
        self.table = Table(
            tuple(_spelled_alike(c, published.table[c.name]) for c in table_after(chosen, steps).columns)
        )
        self._selector = Selector(self.table)

    def count(self, conditions: Sequence[Condition]) -> int:
        """Return how many records of the source meet the conditions."""
        picked = []
        for condition in conditions:
            flags = self._flags(condition)
            picked.append((condition.column, flags.tobytes()))
        records = self._selector.records(picked)
        return self.table.n if records is None else len(records)

    def cells(self, lines: Sequence[Sequence[Condition]], sa: str, progress: Progress) -> NDArray[np.int64]:
        """Return (A, B) true counts of the published values of one SA among the records that meet each line."""
        shown, own = self._published.table[sa], self.table[sa]
        place = {str(label): at for at, label in enumerate(shown.labels)}
        to = np.array([place.get(str(label), shown.m) for label in own.labels], np.intp)  # one more for what vanished
        codes = to[own.codes]
        found = np.zeros((len(lines), shown.m), np.int64)
        for at, conditions in enumerate(lines):
            progress.report("Counting the true cells", at / len(lines))
            records = self._selector.records([(c.column, self._flags(c).tobytes()) for c in conditions])
            found[at] = np.bincount(codes if records is None else codes[records], minlength=shown.m + 1)[: shown.m]
        return found

    def _flags(self, condition: Condition) -> Flags:
        column = self.table[condition.column]
        if not condition.is_range:
            return condition.select_known(column)
        if column.values is not None:
            return condition.select(column)
        # The source's column has texts that vanished in the draw, so only what is published counts as numbers.
        shown = self._published.table[condition.column]
        return np.isin(column.labels.astype(str), shown.labels[condition.select(shown)].astype(str))


def _spelled_alike(column: Column, shown: Column) -> Column:
    """Return a source's column with the spelling and kind that the release has."""
    if column.kind is not shown.kind and shown.kind.ordered:
        column = as_published(column)
    known = set(column.labels.tolist())
    return column if all(text in known for text in shown.labels.tolist()) else plain(column)


@dataclass(frozen=True)
class Asked:
    """One question and its answers.

    Attributes
    ----------
    answer : by the estimator chosen.
    others : by every estimator, where they were asked for.
    true : how many records of the source meet the conditions; None where that was not asked.
    """

    answer: Answer
    others: tuple[Answer, ...] = ()
    true: int | None = None


class Asker:
    """A reader that several workers may ask: one at a time."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.published = release.published
        self.lock = threading.Lock()
        self.reader = Reader(release.published)
        self._truth: Truth | None = None

    @property
    def knows_truth(self) -> bool:
        """Whether the source of the release is open."""
        return self.release.made_from is not None

    def ask(
        self,
        conditions: tuple[Condition, ...],
        method: Method,
        progress: Progress,
        *,
        others: bool = False,
        truth: bool = False,
        repeat: bool = False,
    ) -> Asked:
        """Answer one question, repeating the draw where theory gives out or with `repeat`. Raises BadQuestion."""
        with self.lock:
            progress.report("Counting", 0.0)
            answer = self.reader.answer(conditions, method, progress, bootstrap=True if repeat else None)
            every = tuple(self.reader.answer(conditions, each) for each in Method) if others else ()
            true = self.truth(progress).count(conditions) if truth else None
            return Asked(answer, every, true)

    def truth(self, progress: Progress) -> Truth:
        """Return the true counts. To be called with the lock held."""
        if self._truth is None:
            assert self.release.made_from is not None
            source, choices = self.release.made_from
            progress.report("Preparing the true counts", 0.1)
            self._truth = Truth(source.imported.table, choices.plan().generalisations, self.published)
        return self._truth

    def true_counts(self, asked: Sequence[Sequence[Condition]], progress: Progress) -> list[int]:
        """Return the true count of each question."""
        with self.lock:
            truth = self.truth(progress)
            found = []
            for done, conditions in enumerate(asked):
                if done % 50 == 0:
                    progress.report("Counting the true answers", done / len(asked))
                found.append(truth.count(conditions))
            return found

    def counts(self, progress: Progress) -> dict[str, NDArray[np.int64]]:
        """Return the published counts of every column's values."""
        found = {}
        for done, column in enumerate(self.published.table.columns):
            progress.report("Counting", done / len(self.published.table.columns))
            found[column.name] = column.counts()
        return found


@dataclass(frozen=True)
class Locked:
    """A release that wants a password, or another one than was given."""

    path: Path
    words: str


def open_release(path: Path, password: str | None, progress: Progress) -> OpenRelease | Locked:
    """Read a release folder or ZIP. Raises BadRelease; Cancelled."""
    try:
        return read_release(path, password=password, progress=progress)
    except PasswordNeeded as fault:
        return Locked(path, told(str(fault)))
