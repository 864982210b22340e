"""Files of questions: conditions in, one row each; answers out, in the same order."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence, Set
from dataclasses import field
from pathlib import Path

from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import counted, say
from splu_desktop.core.progress import SILENT, Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition_values import short
from splu_desktop.core.query.reader import (
    DEFAULT,
    Answer,
    Condition,
    Method,
    Reader,
    UnknownValue,
    parse_choice,
    unknown_column,
)
from splu_desktop.files.disk.inert import inert, restored
from splu_desktop.files.disk.whole import CannotWrite, check_new_file, whole_file
from splu_desktop.files.questions.rows import BadQuestions, question_rows
from splu_desktop.files.release.facts import FACTS_NAME
from splu_desktop.files.release.recipient import DICTIONARY_NAME
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.files.tables.table_writers import WRITERS
from splu_desktop.frozen import dataclass

SHARE_COLUMNS = ("share", "share low", "share high")
ANSWER_COLUMNS = (
    *("published", "estimate", "low", "high", "interval_by", "method", "selected", *SHARE_COLUMNS),
    *("badge", "note", "release"),
)
VANISHED_NOTE = "no published record has this sensitive value"
_ROWS_NAMED = 12  # further rows listed where several can't be understood


@dataclass(frozen=True)
class Questions:
    """A file of questions, read and checked.

    Attributes
    ----------
    header : the columns named, in the file's order.
    cells : one tuple per question, as typed.
    conditions : one tuple per question.
    faults : number of a question that can't be understood, from 0 -> why; it has no answer.
    """

    header: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    conditions: tuple[tuple[Condition, ...], ...]
    faults: Mapping[int, str] = field(default_factory=dict)

    def answered(
        self,
        reader: Reader,
        method: Method = DEFAULT,
        progress: Progress = SILENT,
        *,
        bootstrap: bool | None = False,
    ) -> list[Answer]:
        """Return one answer per question that is understood, in order; `bootstrap` as for `Reader.answers`."""
        asked = [conditions for at, conditions in enumerate(self.conditions) if at not in self.faults]
        return reader.answers(asked, method, progress, vanished=True, bootstrap=bootstrap)


def read_questions(path: Path, published: Published, *, strict: bool = True) -> Questions:
    """Read a file of questions: CSV (UTF-8; comma, semicolon or tab) or the first sheet of a workbook.

    An empty cell is no condition, and what has no name and no content is no column. A sensitive value that no published
    record shows is let through, since a rare value may vanish in the draw; its count is answered from that very
    absence. Raises BadQuestions naming row and column of the first cell that can't be understood, and where others are;
    where not `strict`, only if no question is understood at all, and `faults` says the rest.
    """
    lines = question_rows(path, lambda names: sum(_known(name, published) is not None for name in names))
    if not lines or not any(name.strip() for name in lines[0]):
        raise BadQuestions("“{path}” is empty; its first row must name columns of the release.", path=path)
    places = [place for place, name in enumerate(lines[0]) if name.strip() or name in published.table]
    header = tuple(_column_name(lines[0][place], path, published) for place in places)
    _check_nameless(lines, set(places), path)
    if len(set(header)) < len(header):
        repeated = next(name for name in header if header.count(name) > 1)
        raise BadQuestions("“{path}” names the column “{column}” twice in its first row.", path=path, column=repeated)
    cells: list[tuple[str, ...]] = []
    conditions: list[tuple[Condition, ...]] = []
    known: dict[tuple[str, str], Condition | BadQuestion] = {}
    bad: list[tuple[int, str, object]] = []  # row, column, fault
    faults: dict[int, str] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line and len(header) > 1:
            continue  # a blank line; in a file of one column it is a question without conditions
        if any(cell.strip() for cell in line[len(lines[0]) :]):
            fault = say("{cells} cells where the first row has {columns}.", cells=len(line), columns=len(lines[0]))
            bad.append((number, "", fault))
            faults[len(cells)] = fault
            cells.append(tuple(line[place] for place in places))
            conditions.append(())
            continue
        row = tuple(line[place] if place < len(line) else "" for place in places)
        asked = []
        for name, cell in zip(header, row, strict=True):
            if not cell:
                continue
            found = known.get((name, cell))
            if found is None:
                found = known[name, cell] = _condition(name, cell, published)
            if isinstance(found, BadQuestion):
                bad.append((number, name, found))
                faults.setdefault(len(cells), str(found))
            else:
                asked.append(found)
        cells.append(row)
        conditions.append(tuple(asked))
    if bad and (strict or len(faults) == len(cells)):
        raise _told(path, bad)
    return Questions(header, tuple(cells), tuple(conditions), faults)


def _check_nameless(lines: Sequence[Sequence[str]], named: Set[int], path: Path) -> None:
    """Raise BadQuestions where a column without a name has content."""
    for place in range(len(lines[0])):
        if place in named:
            continue
        number = next((at for at, line in enumerate(lines) if place < len(line) and line[place].strip()), None)
        if number is not None:
            raise BadQuestions(
                "“{path}”, row {number}: “{cell}” stands in column {place}, which has no name in the first row; "
                "name a column of the release there, or take it out.",
                path=path,
                number=number + 1,
                cell=short(lines[number][place]),
                place=place + 1,
            )


def _told(path: Path, bad: Sequence[tuple[int, str, object]]) -> BadQuestions:
    """Return the fault about cells that can't be understood: what is wrong with the first, and where the others are."""
    number, name, fault = bad[0]
    if name:
        first = say(
            "“{path}”, row {number}, column “{name}”: {fault}", path=path, number=number, name=name, fault=fault
        )
    else:
        first = say("“{path}”, row {number}: {fault}", path=path, number=number, fault=fault)
    rows = list(dict.fromkeys(str(row) for row, _, _ in bad[1:]))
    if not rows:
        return BadQuestions(first)
    where = ", ".join(rows[:_ROWS_NAMED]) + (", …" if len(rows) > _ROWS_NAMED else "")
    more = counted(
        len(bad) - 1,
        "{first} One more can't be understood, in row {where}.",
        "{first} {n} more can't be understood, in rows {where}.",
        first=first,
        where=where,
    )
    return BadQuestions(more)


def check_answers_path(path: Path, *, overwrite: bool, release: Path | None = None) -> None:
    """Raise CannotWrite where answers can't go to `path`, a CSV or XLSX by its ending, before any work is done.

    release : the folder or ZIP asked, none of whose files is ever replaced.
    """
    check_new_file(path, overwrite=True)
    if path.suffix.lower() not in (".csv", ".xlsx"):
        raise CannotWrite("“{path}” must end in .csv or .xlsx.", path=path.name)
    if release is not None and path.exists():
        folder = release if release.is_dir() else release.parent
        own = path.name in (DICTIONARY_NAME, *(name for name, _ in WRITERS.values()))
        if path.samefile(release) or (own and (folder / FACTS_NAME).exists() and path.parent.samefile(folder)):
            raise CannotWrite("“{path}” is a file of the release itself; choose another name.", path=path)
    if path.exists() and not overwrite:
        raise CannotWrite("“{path}” exists already; choose another name or say --overwrite.", path=path)


def write_answers(
    questions: Questions, answers: Sequence[Answer], release: str, path: Path, *, overwrite: bool = False
) -> None:
    """Write the questions' cells and their answers as XLSX, else as CSV, whole or not at all; formulas stay text.

    A protected count has no estimate. A question that was not understood has the badge "bad", and why as its note. Each
    line names the `release` by its id.
    """
    found = iter(answers)
    lines = [
        (*(_bad(questions.faults[at]) if at in questions.faults else _figures(next(found))), release)
        for at in range(len(questions.cells))
    ]
    taken = {name.casefold() for name in questions.header}
    names = [f"answer {name}" if name in taken else name for name in ANSWER_COLUMNS]
    header = (*questions.header, *names)
    if path.suffix.lower() == ".xlsx":
        check_new_file(path, overwrite=overwrite)
        rows = [(*cells, *figures) for cells, figures in zip(questions.cells, lines, strict=True)]
        write_sheets([Sheet("Answers", header, rows)], path, Silent())
        return
    with whole_file(path, overwrite=overwrite) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(inert, header))
        for cells, figures in zip(questions.cells, lines, strict=True):
            shown = (_number(cell) if isinstance(cell, float) else inert(str(cell)) for cell in figures)
            writer.writerow([*map(inert, cells), *shown])


def _bad(fault: str) -> tuple[str | int | float, ...]:
    return (*[""] * (len(ANSWER_COLUMNS) - 3), "bad", fault)


def _figures(answer: Answer) -> tuple[str | int | float, ...]:
    low, high = answer.ends
    estimate = answer.stated[0]
    return (
        answer.published,
        _rounded(estimate),
        low,
        high,
        answer.interval_by,
        answer.method.value,
        answer.n_p,
        *map(_rounded, shares_of(answer)),
        answer.badge.value,
        VANISHED_NOTE if answer.vanished else "",
    )


def shares_of(answer: Answer) -> tuple[float | None, float | None, float | None]:
    """Return estimate and ends, as people are shown them, as shares of the records selected; None of no records."""
    shares = [None if end is None or not answer.n_p else end / answer.n_p for end in (answer.stated[0], *answer.ends)]
    return shares[0], shares[1], shares[2]


def _rounded(figure: float | None) -> str | float:
    return "" if figure is None else float(f"{figure:.9g}")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _known(name: str, published: Published) -> str | None:
    """Return the column of the release that a name in the first row means, None where there is none."""
    return next((text for text in (name, name.strip(), restored(name)) if text in published.table), None)


def _column_name(name: str, path: Path, published: Published) -> str:
    found = _known(name, published)
    if found is None:
        raise BadQuestions("“{path}”, row 1: {fault}", path=path, fault=unknown_column(name, published))
    return found


def _condition(name: str, cell: str, published: Published) -> Condition | BadQuestion:
    """Return the condition that a cell asks for, or the fault that keeps it from being one."""
    column, sensitive = published.table[name], published.is_sensitive(name)
    try:
        return parse_choice(cell, column, sensitive=sensitive)
    except BadQuestion as fault:
        guarded = restored(cell)  # as the table's CSV writes what a spreadsheet would run
        if guarded != cell:
            found = _condition(name, guarded, published)
            if isinstance(found, Condition):
                return found
        if not (isinstance(fault, UnknownValue) and sensitive):
            return fault
    try:
        return parse_choice(cell, column, sensitive=sensitive, vanished=True)
    except BadQuestion as fault:
        return fault
