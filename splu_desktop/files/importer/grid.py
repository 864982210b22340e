"""Rows of texts, chunk by chunk, into columns: blank, short and long rows, trailing totals and notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.missing import is_blank
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind
from splu_desktop.files.importer.raw import Gatherer, RawColumn, RawTable

MAX_LISTED = 1000
_TAIL = 40  # last rows looked at for totals and notes
_TOTAL = re.compile(
    r"\s*(?:grand\s+)?(?:sub)?total[se]?\b.*|\s*(?:gesamt|insgesamt|summe|somme|suma)\b.*", re.IGNORECASE
)


class Grid:
    """Gathers the records of a table `width` fields wide."""

    def __init__(self, width: int, choices: ImportChoices, *, sheet: str | None = None) -> None:
        self.width = width
        self.sheet = sheet
        self._choices = choices
        self._columns = [Gatherer() for _ in range(width)]
        self._rows: list[NDArray[np.int64]] = []
        self._problems: list[Problem] = []
        self._listed = {ProblemKind.LONG_ROW: 0, ProblemKind.SHORT_ROW: 0}
        self.blank_rows = 0
        self.dropped = 0

    def add(self, rows: Sequence[Sequence[str]], numbers: NDArray[np.int64]) -> None:
        """Append rows of texts with their row numbers in the file."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        if (lengths != self.width).any():
            rows, numbers = self._mend(rows, numbers, lengths)
        if not rows:
            return
        factorised = []
        blank = np.ones(len(rows), bool)
        for texts in zip(*rows, strict=True):
            array = np.empty(len(texts), object)
            array[:] = texts
            codes, labels = pd.factorize(array)
            if blank.any():
                empty = np.array([is_blank(label) for label in labels], bool)
                blank &= empty[codes]
            factorised.append((codes, labels))
        # A row of nothing but empty fields is padding, except in a table of one column, where it is a missing value.
        if self.width > 1 and blank.any():
            self.blank_rows += int(blank.sum())
            keep = ~blank
            numbers = numbers[keep]
            factorised = [(codes[keep], labels) for codes, labels in factorised]
        for gatherer, (codes, labels) in zip(self._columns, factorised, strict=True):
            gatherer.add(codes, labels)
        self._rows.append(numbers)

    def _mend(
        self, rows: Sequence[Sequence[str]], numbers: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> tuple[list[Sequence[str]], NDArray[np.int64]]:
        mended = list(rows)
        keep = np.ones(len(rows), bool)
        for i in np.flatnonzero(lengths != self.width).tolist():
            row = rows[i]
            if not row or (len(row) != 1 or self.width > 1) and all(is_blank(cell) for cell in row):
                keep[i] = False
                self.blank_rows += 1
                continue
            if len(row) > self.width:
                surplus = row[self.width :]
                mended[i] = row[: self.width]
                if all(is_blank(cell) for cell in surplus):
                    continue
                keep[i] = self._ragged(ProblemKind.LONG_ROW, int(numbers[i]), len(row), " | ".join(surplus))
            else:
                mended[i] = [*row, *[""] * (self.width - len(row))]
                keep[i] = self._ragged(ProblemKind.SHORT_ROW, int(numbers[i]), len(row), None)
        return [row for row, kept in zip(mended, keep, strict=True) if kept], numbers[keep]

    def _ragged(self, kind: ProblemKind, number: int, fields: int, surplus: str | None) -> bool:
        decision = self._choices.decisions.get(kind, Decision.KEEP)
        self._listed[kind] += 1
        if self._listed[kind] <= MAX_LISTED:
            rest = f"; not in the table: “{surplus[:80]}”" if surplus else ""
            self._problems.append(
                Problem(
                    kind,
                    f"Row {number} has {fields} fields, the table {self.width}{rest}.",
                    self.sheet,
                    number,
                    None,
                    surplus,
                    1,
                    decision,
                )
            )
        if decision is Decision.DROP:
            self.dropped += 1
            return False
        return True

    def table(self, names: Sequence[str], problems: Sequence[Problem], *, trim: bool) -> RawTable:
        """Return what was gathered; `trim` cuts trailing totals and notes off."""
        columns = [gatherer.column() for gatherer in self._columns]
        rows = np.concatenate(self._rows) if self._rows else np.zeros(0, np.int64)
        found = [*problems, *self._problems]
        for kind, count in self._listed.items():
            if count > MAX_LISTED:
                found.append(
                    Problem(
                        kind,
                        f"{count - MAX_LISTED} further rows have {kind.value}.",
                        self.sheet,
                        rows=count - MAX_LISTED,
                    )
                )
        if trim:
            cut = _trailing(columns, self.width)
            if cut:
                gone = rows[len(rows) - cut :]
                found.append(
                    Problem(
                        ProblemKind.SKIPPED_ROWS,
                        f"Rows {gone[0]} to {gone[-1]} at the end are a total or notes, not records ({cut} rows)."
                        if cut > 1
                        else f"Row {gone[0]} at the end is a total or a note, not a record.",
                        self.sheet,
                        int(gone[0]),
                        None,
                        " | ".join(t for t in (c.labels[c.codes[len(rows) - cut]] for c in columns) if t)[:200],
                        cut,
                        Decision.DROP,
                    )
                )
                first_gone = set(gone.tolist())
                found = [p for p in found if not (p.kind is ProblemKind.SHORT_ROW and p.row in first_gone)]
                rows = rows[: len(rows) - cut]
                columns = [_compact(c.codes[: len(rows)], c.labels) for c in columns]
        if self.blank_rows:
            found.append(
                Problem(
                    ProblemKind.SKIPPED_ROWS,
                    f"{self.blank_rows} blank rows were skipped."
                    if self.blank_rows > 1
                    else "1 blank row was skipped.",
                    self.sheet,
                    rows=self.blank_rows,
                    decision=Decision.DROP,
                )
            )
        return RawTable(tuple(names), tuple(columns), rows, tuple(found))


def _compact(codes: NDArray[np.int32], labels: list[str]) -> RawColumn:
    used = np.bincount(codes, minlength=len(labels)) > 0
    if used.all():
        return RawColumn(codes, labels)
    new = np.cumsum(used, dtype=np.int32) - 1
    return RawColumn(new[codes].astype(np.int32), [label for label, u in zip(labels, used, strict=True) if u])


def _trailing(columns: Sequence[RawColumn], width: int) -> int:
    """Count the rows at the end that are a total or notes: nearly empty ones, and a row that starts with "Total"."""
    n = len(columns[0].codes) if columns else 0
    if width < 3 or n < 3:
        return 0
    first = max(1, n - _TAIL)
    cells = [[column.labels[code] for column in columns] for code in ()]
    cells = [[column.labels[column.codes[i]] for column in columns] for i in range(first, n)]
    filled = [sum(not is_blank(cell) for cell in row) for row in cells]
    sample = range(0, min(n, 200))
    typical = float(np.median([sum(not is_blank(c.labels[c.codes[i]]) for c in columns) for i in sample]))
    cut = 0
    for row, count in zip(reversed(cells), reversed(filled), strict=True):
        words = [cell for cell in row if not is_blank(cell)]
        note = (
            count <= max(1, 0.25 * typical)
            and typical >= 3
            and any(len(w) > 3 and not w.strip().isdigit() for w in words)
        )
        total = bool(words) and _TOTAL.fullmatch(words[0]) is not None
        if not (note or total):
            break
        cut += 1
    # Sparse tables have nearly empty rows everywhere: then these are records like the others.
    sparse = np.mean(
        [sum(not is_blank(c.labels[c.codes[i]]) for c in columns) <= max(1, 0.25 * typical) for i in sample]
    )
    return 0 if sparse > 0.1 and n > 20 else cut


def name_table(raw: RawTable, names: tuple[str, ...]) -> RawTable:
    """Return the table under other names."""
    return replace(raw, names=names)
