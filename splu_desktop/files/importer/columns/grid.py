"""Records chunk by chunk into columns: blank, short and long rows, trailing totals and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.cells import encode_cells
from splu_desktop.files.importer.columns.missing import is_blank
from splu_desktop.files.importer.columns.non_record_rows import (
    LineKind,
    find_group_totals,
    find_headings,
    find_trailing,
    other_table,
    problems_of,
)
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, list_problems
from splu_desktop.files.importer.raw import Gatherer, RawColumn, RawTable
from splu_desktop.files.importer.text.fields import Fields, gather, take

_AT_ONCE = 1 << 20  # records that wait packed at most
_WORKERS = 2


class Grid:
    """Gathers the records of a table `width` fields wide."""

    def __init__(
        self,
        width: int,
        choices: ImportChoices,
        *,
        sheet: str | None = None,
        encoding: str = "utf-8",
        delimiter: str = "",
    ) -> None:
        self.width = width
        self.sheet = sheet
        self._encoding, self._delimiter = encoding, delimiter
        self._choices = choices
        self._texts = [Gatherer() for _ in range(width)]
        self._packed: list[list[Fields]] = [[] for _ in range(width)]
        self._waiting = 0  # records of the packed parts
        self._rows: list[NDArray[np.int64]] = []
        self._problems: list[Problem] = []
        # Number of each row with too many or too few fields, how many it has, and the surplus ones.
        self._ragged: dict[ProblemKind, list[tuple[int, int, str]]] = {
            ProblemKind.LONG_ROW: [],
            ProblemKind.SHORT_ROW: [],
        }
        self.blank_rows = 0

    def add(self, rows: Sequence[Sequence[str]], numbers: NDArray[np.int64]) -> None:
        """Append rows of texts with their row numbers in the file."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        if (lengths != self.width).any():
            rows, numbers = self._mend(rows, numbers, lengths)
        if not rows:
            return
        columns = map(encode_cells, zip(*rows, strict=True))
        self.add_columns([RawColumn(column.codes, column.cells) for column in columns], numbers)

    def add_columns(self, columns: Sequence[RawColumn], numbers: NDArray[np.int64]) -> None:
        """Append records given as columns, the texts of each all different."""
        blank = np.ones(len(numbers), bool)
        for column in sorted(columns, key=lambda each: len(each.labels)):
            if not blank.any():
                break
            blank &= np.array([is_blank(text) for text in column.labels], bool)[column.codes]
        # A row of nothing but empty fields is padding, except in a table of one column, where it is a missing value.
        if self.width > 1 and blank.any():
            self.blank_rows += int(blank.sum())
            numbers = numbers[~blank]
            columns = [RawColumn(column.codes[~blank], column.labels) for column in columns]
        self._code_packed()
        for gatherer, column in zip(self._texts, columns, strict=True):
            gatherer.add(column)
        self._rows.append(numbers)

    def add_packed(self, columns: Sequence[Fields], blank: NDArray[np.bool_], numbers: NDArray[np.int64]) -> None:
        """Append the records of a regular block."""
        if self.width > 1 and blank.any():
            keep = ~blank
            self.blank_rows += int(blank.sum())
            numbers = numbers[keep]
            columns = [take(column, keep) for column in columns]
        for parts, column in zip(self._packed, columns, strict=True):
            parts.append(column)
        self._rows.append(numbers)
        self._waiting += len(numbers)
        if self._waiting > _AT_ONCE:
            self._code_packed()

    def note(self, problems: Sequence[Problem]) -> None:
        """Add problems that the reader met."""
        self._problems.extend(problems)

    def _code_packed(self) -> None:
        """Turn what waits into codes, which take a fifth of its room: columns beside each other, as NumPy lets them."""
        with ThreadPoolExecutor(_WORKERS, "splu-code") as pool:
            list(pool.map(self._code_column, range(self.width if self._waiting else 0)))
        self._waiting = 0

    def _code_column(self, i: int) -> None:
        parts, self._packed[i] = self._packed[i], []
        self._texts[i].add(gather(parts, self._encoding))

    def _mend(
        self, rows: Sequence[Sequence[str]], numbers: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> tuple[list[Sequence[str]], NDArray[np.int64]]:
        mended = list(rows)
        keep = np.ones(len(rows), bool)
        for i in np.flatnonzero(lengths != self.width).tolist():
            row = rows[i]
            if not row or ((len(row) != 1 or self.width > 1) and all(map(is_blank, row))):
                keep[i] = False
                self.blank_rows += 1
                continue
            if len(row) > self.width:
                surplus = row[self.width :]
                mended[i] = row[: self.width]
                if all(map(is_blank, surplus)):
                    continue
                kind, rest = ProblemKind.LONG_ROW, " | ".join(surplus)
            else:
                mended[i] = [*row, *[""] * (self.width - len(row))]
                kind, rest = ProblemKind.SHORT_ROW, ""
            self._ragged[kind].append((int(numbers[i]), len(row), rest))
            keep[i] = self._choices.decisions.get(kind) is not Decision.DROP
        return [row for row, kept in zip(mended, keep, strict=True) if kept], numbers[keep]

    def _tell(self, kind: ProblemKind) -> Iterator[Problem]:
        """Yield a problem for each row with too many or too few fields."""
        decision = self._choices.decisions.get(kind, Decision.KEEP)
        sentence = (
            "Row {row} has more fields ({n}) than there are columns ({width}); left out: “{surplus}”."
            if kind is ProblemKind.LONG_ROW
            else "Row {row} has fewer fields ({n}) than there are columns ({width}); the others are empty."
        )
        for row, n, surplus in self._ragged[kind]:
            phrase = say(sentence, row=row, n=n, width=self.width, surplus=surplus[:80])
            yield Problem(kind, phrase, self.sheet, row, None, surplus or None, 1, decision)

    def _find_tail(
        self, columns: Sequence[RawColumn], rows: NDArray[np.int64], out: dict[int, LineKind]
    ) -> list[Problem]:
        """Add to `out`, the rows that are no records, those of other tables, totals and notes; return what to tell."""
        end, problems = len(rows), []
        other = other_table(columns, rows, out)
        if other is not None:
            end, header = other
            words = "Another table begins in row {row}; to read that one instead, choose row {row} as the header."
            row = int(rows[header])
            problems.append(Problem(ProblemKind.NOTE, say(words, row=row), self.sheet, row))
            out.update(dict.fromkeys(range(end, len(rows)), LineKind.OTHER))
        short = {number for number, _, _ in self._ragged[ProblemKind.SHORT_ROW]}
        while end and end - 1 in out:
            end -= 1
        tail = find_trailing(columns, rows[:end], short)
        out.update(tail)
        totals = find_group_totals(columns, rows[: min(tail, default=end)])
        out.update({at: kind for at, kind in totals.items() if at not in out})
        return problems

    def table(
        self,
        names: Sequence[str],
        problems: Sequence[Problem],
        *,
        trim: bool,
        last_row: int | None,
        heading: Sequence[str] | None = None,
        progress: Progress,
    ) -> RawTable:
        """Return what was gathered, up to `last_row`.

        `trim` cuts trailing totals, notes and other tables off; `heading`, the cells of the header's last row, leaves
        out the rows that say it again.
        """
        rows = np.concatenate(self._rows) if self._rows else np.zeros(0, np.int64)
        progress.report("Finding types", 0.0)
        self._code_packed()
        columns = [each.column() for each in self._texts]
        all_problems = [*problems, *self._problems]
        for kind, ragged in self._ragged.items():
            all_problems.extend(list_problems(self._tell(kind), len(ragged)))
        keep = len(rows) if last_row is None else int(np.searchsorted(rows, last_row, side="right"))
        out: dict[int, LineKind] = {}
        if heading is not None and self.width > 1:
            out = find_headings(columns, rows[:keep], heading)
        if trim:
            all_problems += self._find_tail(columns, rows[:keep], out)
        doubt = self._choices.decisions.get(ProblemKind.DOUBTFUL_ROW, Decision.KEEP)
        if out:
            all_problems.extend(problems_of(out, columns, rows, self.sheet, doubt))
            if doubt is not Decision.DROP:
                out = {at: kind for at, kind in out.items() if kind is not LineKind.DOUBT}
            numbers = set(rows[list(out)].tolist())
            all_problems = [p for p in all_problems if not (p.kind is ProblemKind.SHORT_ROW and p.row in numbers)]
        if out or keep < len(rows):
            kept = np.ones(len(rows), bool)
            kept[keep:] = kept[list(out)] = False
            rows = rows[kept]
            columns = [column.keep_rows(kept) for column in columns]
        if self.blank_rows:
            sentence = say("Blank rows were skipped ({n}).", n=self.blank_rows)
            all_problems.append(
                Problem(ProblemKind.SKIPPED_ROWS, sentence, self.sheet, rows=self.blank_rows, decision=Decision.DROP)
            )
        return RawTable(tuple(names), tuple(columns), rows, tuple(all_problems))
