"""A table that was read, and what is worked out from it once: a worker fills it, every page reads it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.roles import Suggestion
from splu_desktop.core.sanitise import DrawInput, prepare
from splu_desktop.core.table import Column, Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.importer import ImportChoices, TableReading
from splu_desktop.gui.base.words import t

_KEPT = 6  # prepared tables


def count_values(column: Column) -> tuple[int, int]:
    """Return how many values a column has, missing ones not counted, and how many rows are without one."""
    counts = column.counts()
    return int(np.count_nonzero(counts[~column.missing])), int(counts[column.missing].sum())


@dataclass(frozen=True, eq=False)
class Source:
    """A table that was read.

    Attributes
    ----------
    path : the file.
    reading : table, choices, problems, facts of the file.
    wishes : how it was asked to be read; None for as the file is.
    suggestions : column name -> suggested role with its reason.
    person_columns : columns that may name the person, the likeliest first.
    persons : column of `person_columns` -> how many persons it names, and the most rows of one.
    """

    path: Path
    reading: TableReading
    wishes: ImportChoices | None
    suggestions: Mapping[str, Suggestion]
    person_columns: tuple[str, ...] = ()
    persons: dict[str, tuple[int, int]] = field(default_factory=dict)
    _prepared: list[tuple[Plan, DrawInput]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def table(self) -> Table:
        """The table as it was read."""
        return self.reading.table

    @property
    def name(self) -> str:
        """The file's name."""
        return self.reading.source.name

    @cached_property
    def fingerprint(self) -> str:
        """What the file is known by when it is opened again."""
        return str(self.reading.source.sha256 or self.path)

    def prepare(self, plan: Plan, progress: Progress = SILENT) -> DrawInput:
        """Return the table as the mechanism sees it; the strength costs nothing once the rest is known. For workers."""
        shape = _shape(plan)
        with self._lock:
            draw_input = next((ready for known, ready in self._prepared if known == shape), None)
        if draw_input is None:
            progress.report(t("Working it out…"), 0.0)
            # The lock is not held meanwhile; at worst two workers prepare the same plan.
            draw_input = prepare(self.table, plan)
            with self._lock:
                self._prepared.insert(0, (shape, draw_input))
                del self._prepared[_KEPT:]
        return draw_input


def _shape(plan: Plan) -> Plan:
    """Return a plan without what the prepared table does not depend on."""
    bare = replace(
        plan, questions=(), audience=Audience(), public_values={}, rare={}, thresholds=Thresholds(), row_word=""
    )
    # Decoy groups are checked against the table at their strength, so with them it counts.
    return bare.with_gamma(2.0) if all(block.draw.name == "lenders" for block in plan.blocks) else bare
