"""Files of questions: conditions in, one row each; answers out, in the same order."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from splu_desktop.core.errors import BadQuestion, FileFault
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query import (
    DEFAULT,
    Answer,
    Condition,
    Method,
    Reader,
    UnknownValue,
    parse_choice,
    unknown_column,
)
from splu_desktop.core.said import say
from splu_desktop.files.inert import inert, restored
from splu_desktop.files.whole import CannotWrite, whole_file

ANSWER_COLUMNS = ("published", "estimate", "low", "high", "method", "selected", "badge", "note")
VANISHED_NOTE = "no published record has this sensitive value"


class BadQuestions(FileFault):
    """A file of questions can't be read, or a cell of it can't be understood."""


@dataclass(frozen=True)
class Questions:
    """A file of questions, read and checked.

    Attributes
    ----------
    header : the columns named, in the file's order.
    cells : one tuple per question, as typed.
    conditions : one tuple per question.
    """

    header: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    conditions: tuple[tuple[Condition, ...], ...]

    def answered(
        self,
        reader: Reader,
        method: Method = DEFAULT,
        progress: Progress | None = None,
        *,
        bootstrap: bool | None = False,
    ) -> list[Answer]:
        """Return one answer per question, in order; `bootstrap` as for `Reader.answers`."""
        return reader.answers(self.conditions, method, progress, vanished=True, bootstrap=bootstrap)


def read_questions(path: Path, published: Published) -> Questions:
    """Read a CSV file of questions (UTF-8, comma or semicolon).

    An empty cell is no condition. A sensitive value that no published record shows is let through, since a rare value
    may vanish in the draw; its count is answered from that very absence. Raises BadQuestions naming row and column.
    """
    text = _text(path)
    first_line = text.partition("\n")[0]
    delimiter = ";" if first_line.count(";") > first_line.count(",") else ","
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as fault:
        raise BadQuestions(say("“{path}” is not a readable CSV file ({fault}).", path=path, fault=fault)) from None
    if not lines or not any(name.strip() for name in lines[0]):
        raise BadQuestions(say("“{path}” is empty; its first row must name columns of the release.", path=path))
    header = tuple(_column_name(name, path, published) for name in lines[0])
    if len(set(header)) < len(header):
        repeated = next(name for name in header if header.count(name) > 1)
        raise BadQuestions(
            say("“{path}” names the column “{column}” twice in its first row.", path=path, column=repeated)
        )
    cells: list[tuple[str, ...]] = []
    conditions: list[tuple[Condition, ...]] = []
    known: dict[tuple[str, str], Condition] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line and len(header) > 1:
            continue  # a blank line; in a file of one column it is a question without conditions
        if len(line) > len(header):
            raise BadQuestions(
                say(
                    "“{path}”, row {number}: {cells} cells where the first row has {columns}.",
                    path=path,
                    number=number,
                    cells=len(line),
                    columns=len(header),
                )
            )
        row = tuple(line) + ("",) * (len(header) - len(line))
        asked = []
        for name, cell in zip(header, row, strict=True):
            if not cell:
                continue
            if (name, cell) not in known:
                known[name, cell] = _condition(name, cell, path, number, published)
            asked.append(known[name, cell])
        cells.append(row)
        conditions.append(tuple(asked))
    return Questions(header, tuple(cells), tuple(conditions))


def check_answers_path(path: Path, *, overwrite: bool) -> None:
    """Raise CannotWrite where answers can't go to `path`, before any work is done."""
    if path.is_dir():
        raise CannotWrite(say("“{path}” is a folder; give a file name.", path=path))
    if path.exists() and not overwrite:
        raise CannotWrite(say("“{path}” exists already; choose another name or say --overwrite.", path=path))
    if not path.parent.is_dir():
        raise CannotWrite(
            say("The folder “{parent}” does not exist; create it or choose another destination.", parent=path.parent)
        )


def write_answers(questions: Questions, answers: Sequence[Answer], path: Path, *, overwrite: bool = False) -> None:
    """Write the questions' cells and their answers as CSV, whole or not at all; formulas are made inert."""
    taken = {name.casefold() for name in questions.header}
    names = [f"answer {name}" if name in taken else name for name in ANSWER_COLUMNS]
    with whole_file(path, overwrite=overwrite) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*map(inert, questions.header), *names])
        for cells, answer in zip(questions.cells, answers, strict=True):
            writer.writerow(
                [
                    *map(inert, cells),
                    answer.published,
                    _number(answer.estimate),
                    _number(answer.low),
                    _number(answer.high),
                    answer.method.value,
                    answer.n_p,
                    answer.badge.value,
                    VANISHED_NOTE if answer.vanished else "",
                ]
            )


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadQuestions(say("“{path}” is not in UTF-8; save it as “CSV UTF-8” and try again.", path=path)) from None
    except FileNotFoundError:
        raise BadQuestions(say("There is no file “{path}”.", path=path)) from None
    except OSError as fault:
        raise BadQuestions(
            say("“{path}” can't be read ({reason}).", path=path, reason=(fault.strerror or "no reason given").lower())
        ) from None


def _column_name(name: str, path: Path, published: Published) -> str:
    for candidate in (name, name.strip(), restored(name)):
        if candidate in published.table:
            return candidate
    raise BadQuestions(say("“{path}”, row 1: {fault}", path=path, fault=unknown_column(name, published)))


def _condition(name: str, cell: str, path: Path, number: int, published: Published) -> Condition:
    column, sensitive = published.table[name], published.is_sensitive(name)
    try:
        return parse_choice(cell, column, sensitive=sensitive)
    except BadQuestion as fault:
        if isinstance(fault, UnknownValue) and sensitive:
            return Condition(name, tuple(part.strip() for part in cell.split("|") if part.strip()))
        guarded = restored(cell)
        if guarded != cell:
            return _condition(name, guarded, path, number, published)
        raise BadQuestions(
            say("“{path}”, row {number}, column “{name}”: {fault}", path=path, number=number, name=name, fault=fault)
        ) from None
