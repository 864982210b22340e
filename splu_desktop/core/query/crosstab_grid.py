"""A cross-table as it is asked for and shown: the values of one or two columns against those of a sensitive one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query import crosstab
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Answer, Badge, Method, Reader
from splu_desktop.core.table import Column, unique
from splu_desktop.frozen import dataclass

MOST_CELLS = 20_000
TRUST = (Badge.EXACT, Badge.RELIABLE, Badge.UNCERTAIN, Badge.PROTECTED)


@dataclass(frozen=True)
class Side:
    """One column of a cross-table; `intervals` is how many intervals its values are put in, 0 for each value."""

    column: str
    intervals: int = 0


@dataclass(frozen=True)
class Wanted:
    """A cross-table to be computed.

    Attributes
    ----------
    sides : one or two NSAs, or columns drawn together with the SA.
    sa : the sensitive column.
    within : conditions that every record counted meets.
    method : the estimator of each cell.
    """

    sides: tuple[Side, ...]
    sa: str
    within: tuple[Condition, ...] = ()
    method: Method = DEFAULT


@dataclass(frozen=True, eq=False)
class CrosstabGrid:
    """A cross-table with A lines of NSA values and B values of the SA.

    Attributes
    ----------
    wanted : what was asked.
    parts : (A,) the NSA values of each line, one text per side.
    values : (B,) the SA's values.
    answers : (A, B) objects, one Answer per cell.
    lines : (A,) Answer, the records of each line, exact where only NSAs name them.
    totals : (B,) Answer, each value among all records counted.
    all : Answer, all records counted, exact.
    trust : (A, B) place in TRUST.
    left_out : lines without any record, which are not shown.
    """

    wanted: Wanted
    parts: tuple[tuple[str, ...], ...]
    values: tuple[str, ...]
    answers: NDArray[np.object_]
    lines: tuple[Answer, ...]
    totals: tuple[Answer, ...]
    all: Answer
    trust: NDArray[np.int8]
    left_out: int

    @property
    def names(self) -> tuple[str, ...]:
        """The NSA part of each line as one text."""
        return tuple(" · ".join(part or "–" for part in parts) for parts in self.parts)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return (A, B) one figure of every cell: "estimate", "low", "high", "published"."""
        flat = [float(getattr(answer, name)) for answer in self.answers.ravel()]
        return np.array(flat).reshape(self.answers.shape)


def records_of(line: Answer) -> int | None:
    """Return the records of a line, estimated where a sensitive column names it; None where they are protected."""
    estimate = line.stated[0]
    return line.published if line.exact else None if estimate is None else round(estimate)


def pieces(column: Column, intervals: int) -> list[tuple[str, Condition]]:
    """Return the values of a column, or intervals with about equally many records each, as named conditions."""
    labels = column.labels.tolist()
    gone = [(text, Condition(column.name, (text,))) for text, lost in zip(labels, column.missing, strict=True) if lost]
    known = [text for text, lost in zip(labels, column.missing, strict=True) if not lost]
    if not intervals or len(known) <= intervals or not column.kind.ordered:
        return [(text, Condition(column.name, (text,))) for text in known] + gone
    counts = column.counts()[~column.missing]
    before = np.concatenate([[0], np.cumsum(counts)[:-1]])
    # The interval in which the middle record of a value falls, so that a frequent value does not push all to one side.
    place = np.minimum(((before + counts / 2) * intervals / max(int(counts.sum()), 1)).astype(int), intervals - 1)
    found = []
    for at in unique(place):
        inside = np.flatnonzero(place == at)
        low, high = known[inside[0]], known[inside[-1]]
        name = low if low == high else f"{low} – {high}"
        found.append((name, Condition(column.name, (), low, high)))
    return found + gone


def size_of(published: Published, wanted: Wanted) -> int:
    """Return how many cells the table may have; touches no record."""
    table = published.table
    cells = table[wanted.sa].m
    for side in wanted.sides:
        m = table[side.column].m
        cells *= min(m, side.intervals + int(table[side.column].missing.sum())) if side.intervals else m
    return cells


def check(published: Published, wanted: Wanted) -> None:
    """Raise BadQuestion where a release has no such cross-table."""
    names = [side.column for side in wanted.sides]
    if wanted.sa not in published.sensitive:
        raise BadQuestion("“{sa}” is not a sensitive column of this release.", sa=wanted.sa)
    for name in names:
        together = published.draws[wanted.sa].block(wanted.sa)
        if published.is_sensitive(name) and (name == wanted.sa or name not in together):
            raise BadQuestion("“{column}” is sensitive; the lines are columns published unchanged.", column=name)
    if len(set(names)) < len(names):
        raise BadQuestion("“{column}” stands twice; name two different columns.", column=names[0])
    for side in wanted.sides:
        if side.intervals and not published.table[side.column].kind.ordered:
            raise BadQuestion("“{column}” holds neither numbers nor dates to put into intervals.", column=side.column)
    cells = size_of(published, wanted)
    if cells > MOST_CELLS:
        raise BadQuestion(
            "The table would have {cells} cells, and {most} are the most at once; choose intervals, or a column "
            "with fewer values.",
            cells=cells,
            most=MOST_CELLS,
        )


def compute(reader: Reader, wanted: Wanted, progress: Progress) -> CrosstabGrid:
    """Compute every cell with its interval, and the margins. Raises BadQuestion; Cancelled."""
    table = reader.published.table
    progress.report("Preparing the cells", 0.0)
    every = reader.answers([wanted.within])[0]  # first, since conditions that contradict each other leave no line
    sides = [_within(table[side.column], pieces(table[side.column], side.intervals), wanted) for side in wanted.sides]
    heads = list(product(*sides))
    lines = [tuple(condition for _, condition in head) for head in heads]
    made = crosstab.table(reader, lines, wanted.sa, within=wanted.within, progress=progress, method=wanted.method)
    exact = reader.answers([(*wanted.within, *line) for line in lines])
    totals = reader.answers([(*wanted.within, Condition(wanted.sa, (value,))) for value in made.labels], wanted.method)
    progress.report("Arranging the cells", 1.0)
    kept = np.flatnonzero(made.selected > 0)
    answers = np.empty((len(kept), len(made.labels)), object)
    for row, line in enumerate(kept):
        answers[row] = made.answers(int(line))
    trust = np.array([TRUST.index(cell.badge) for cell in answers.ravel()], np.int8)
    return CrosstabGrid(
        wanted=wanted,
        parts=tuple(tuple(name for name, _ in heads[line]) for line in kept),
        values=made.labels,
        answers=answers,
        lines=tuple(exact[line] for line in kept),
        # The total is the figure that the cells add up to, with the interval of the question for it.
        totals=tuple(replace(total, estimate=float(sum_)) for total, sum_ in zip(totals, made.margin, strict=True)),
        all=every,
        trust=trust.reshape(answers.shape),
        left_out=len(heads) - len(kept),
    )


def _within(column: Column, parts: list[tuple[str, Condition]], wanted: Wanted) -> list[tuple[str, Condition]]:
    """Return the parts of a column that records counted can be in, where the question names the column as well."""
    asked = [condition.select(column) for condition in wanted.within if condition.column == column.name]
    if not asked:
        return parts
    allowed = np.logical_and.reduce(asked)
    return [part for part in parts if (part[1].select(column) & allowed).any()]
