"""What didn't fit while reading, each with its place, and what is done about it."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path

from splu_desktop.core.messages import count_to_name, say
from splu_desktop.files.disk.inert_texts import inert

MAX_LISTED = 1000  # problems of a kind that are listed one by one


class ProblemKind(Enum):
    """The kinds of problem; decisions are taken per kind."""

    LONG_ROW = "too many fields"
    SHORT_ROW = "too few fields"
    MISFIT = "value doesn't fit the column's type"
    UNDECODABLE = "undecodable bytes"
    ERROR_CELL = "error in a cell"
    NAME_CHANGED = "column name made unique"
    NO_HEADER = "no header row"
    SKIPPED_ROWS = "rows that are not records"
    DOUBTFUL_ROW = "row that may be no record"
    SKIPPED_SHEET = "sheet not read"
    STRAY_QUOTE = "quote out of place"
    DATE_ORDER = "day and month can't be told apart"
    NOTE = "note"


class Decision(Enum):
    """What to do with a problem of a kind."""

    KEEP = "keep as text"
    MISSING = "treat as missing"
    DROP = "drop the row"


@dataclass(frozen=True)
class Problem:
    """One problem, at one place or, where the same value repeats, at the first place with the number of rows.

    Attributes
    ----------
    kind : which kind.
    sentence : what it is, for the user; names file positions and the offending value only.
    sheet : the sheet's name, None for files without sheets.
    row : row number in the file or sheet as its own program shows it, from 1; None where it concerns no single row.
    column : the column's name, None where it concerns the whole row.
    value : the offending text, None where there is none.
    rows : how many rows have it where `row` does not say which.
    decision : what was done, None where there was nothing to decide.
    """

    kind: ProblemKind
    sentence: str
    sheet: str | None = None
    row: int | None = None
    column: str | None = None
    value: str | None = None
    rows: int = 0
    decision: Decision | None = None

    @property
    def done(self) -> str:
        """What was done, "" where nothing was to be decided and the sentence says all."""
        return self.decision.value if self.decision else ""

    @property
    def told_rows(self) -> int:
        """How many rows have it, 0 where it is one of a column or of the file."""
        return self.rows or int(self.row is not None)

    def as_dict(self) -> dict[str, object]:
        """Return the problem as plain data."""
        return {**asdict(self), "kind": self.kind.value, "rows": self.told_rows, "decision": self.done}


def list_problems(problems: Iterable[Problem], count: int, most: int = MAX_LISTED) -> Iterator[Problem]:
    """Yield the first of `count` problems of one kind, and one that counts the others."""
    last, most = None, count_to_name(count, most)
    for last in itertools.islice(problems, most):
        yield last
    if last is not None and count > most:
        sentence = say("There are {rest} more of these: {kind}.", rest=count - most, kind=say(last.kind.value))
        yield replace(last, sentence=sentence, row=None, value=None, rows=count - most)


def report_cells(
    kind: ProblemKind,
    what: str,
    cells: Iterable[tuple[int, str, str, str | None]],
    count: int,
    done: Decision | None = None,
) -> Iterator[Problem]:
    """Yield a problem for each of `count` cells (row, column, value, sheet) whose value is not `what` it should be."""
    sentence = "Row {row}, column “{column}”: “{value}” is no {what}."
    each = (
        Problem(
            kind, say(sentence, row=row, column=name, value=text[:80], what=say(what)), sheet, row, name, text, 0, done
        )
        for row, name, text, sheet in cells
    )
    return list_problems(each, count)


def write_problems(problems: Iterable[Problem], path: Path, *, overwrite: bool = False) -> None:
    """Write a problem list as CSV, for its owner alone: it holds values of the source. Raises CannotWrite."""
    from splu_desktop.files.disk.whole_files import whole_file  # a reader's process has no use for it

    names = ["kind", "sheet", "row", "column", "value", "rows", "decision", "sentence"]
    rows = ((p.kind.value, p.sheet, p.row, p.column, p.value, p.told_rows, p.done, p.sentence) for p in problems)
    with whole_file(path, overwrite=overwrite) as partial:
        partial.touch(mode=0o600)
        with partial.open("w", encoding="utf-8-sig", newline="") as file:
            cells = (["" if cell is None else inert(str(cell)) for cell in row] for row in rows)
            csv.writer(file).writerows([names, *cells])
