"""Files of questions: conditions in, one row each; answers out, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from splu_desktop.core.answer.answer import Answer
from splu_desktop.core.answer.conditions import Condition, UnknownValue, in_labels, parse_choice, unknown_column
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import Phrase, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.files.disk.inert_texts import restore_text
from splu_desktop.files.disk.plain_data import say_of_file
from splu_desktop.files.questions.rows import BadQuestions, question_rows
from splu_desktop.files.tables.sheets import Cell, Sheet, digits, write_sheets

ANSWER_COLUMNS = (
    *("published", "estimate", "low", "high", "low_alike", "high_alike", "selected"),
    *("share", "share low", "share high", "trust", "note", "release"),
)


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

    def answers(self, reader: Reader, estimator: str = "shrunk", progress: Progress = SILENT) -> list[Answer]:
        """Return one answer per question that is understood, in order. Raises BadQuestion; Cancelled."""
        asked = [conditions for at, conditions in enumerate(self.conditions) if at not in self.faults]
        return reader.answers(asked, estimator, progress)


def read_questions(path: Path, published: Published, *, strict: bool = True) -> Questions:
    """Read a file of questions: CSV (UTF-8; comma, semicolon or tab) or the first sheet of a workbook.

    An empty cell is no condition, and what has no name and no content is no column. A sensitive value that no published
    row shows is let through, since a rare value may vanish in the draw. Raises BadQuestions about the first cell that
    can't be understood; where not `strict`, only if no question is understood at all.
    """
    lines = question_rows(path, lambda names: sum(_find_column(name, published) is not None for name in names))
    if not lines or not any(name.strip() for name in lines[0]):
        raise BadQuestions("“{path}” is empty; its first row must name columns of the release.", path=path)
    # A cell beyond the header asks for something, too: to leave it out would answer another question.
    names = [*lines[0], *[""] * (max(map(len, lines)) - len(lines[0]))]
    used = {place for line in lines for place, cell in enumerate(line) if cell.strip()}
    places = [place for place, name in enumerate(names) if name.strip() or place in used]
    header = tuple(_column_name(names[place], path, published) for place in places)
    if len(set(header)) < len(header):
        repeated = next(name for name in header if header.count(name) > 1)
        raise BadQuestions("“{path}” names the column “{column}” twice in its first row.", path=path, column=repeated)
    cells: list[tuple[str, ...]] = []
    conditions: list[tuple[Condition, ...]] = []
    faults: dict[int, str] = {}
    rows: list[str] = []  # of faults
    for number, line in enumerate(lines[1:], start=2):
        if not line and len(header) > 1:
            continue  # a blank line; in a file of one column it is a question without conditions
        row = tuple(line[place] if place < len(line) else "" for place in places)
        asked = []
        for name, cell in zip(header, row, strict=True):
            try:
                asked += [_condition(name, cell, published)] if cell else []
            except BadQuestion as fault:
                if len(cells) not in faults:
                    faults[len(cells)] = say("Column “{name}”: {fault}", name=name, fault=fault)
                    rows.append(str(number))
        cells.append(row)
        conditions.append(tuple(asked))
    if faults and (strict or len(faults) == len(cells)):
        first = next(iter(faults.values()))
        sentence = say("row {number}: {fault}", number=rows[0], fault=first)
        if len(rows) > 1:
            sentence = Phrase("{first} (+{n})", {"first": sentence, "n": len(rows) - 1})
        raise BadQuestions(say_of_file(path, sentence))
    return Questions(header, tuple(cells), tuple(conditions), faults)


def _find_column(name: str, published: Published) -> str | None:
    """Return the column of the release that a name in the first row means, None where there is none."""
    return next((text for text in (name, name.strip(), restore_text(name)) if text in published.table), None)


def _column_name(name: str, path: Path, published: Published) -> str:
    column = _find_column(name, published)
    if column is None:
        raise BadQuestions(say_of_file(path, unknown_column(name, published)))
    return column


def _condition(name: str, cell: str, published: Published) -> Condition:
    """Return the condition that a cell asks for. Raises BadQuestion."""
    column, sensitive = published.table[name], published.is_sensitive(name)
    for text in dict.fromkeys((cell, restore_text(cell))):  # as the table's CSV writes what a spreadsheet would run
        try:
            return parse_choice(in_labels(text, name, published), column, sensitive=sensitive)
        except UnknownValue:
            continue
    return parse_choice(cell, column, sensitive=sensitive, vanished=sensitive)


def write_answers(questions: Questions, answers: Sequence[Answer], release: str, path: Path) -> None:
    """Write the questions' cells and their answers as XLSX or CSV, whole or not at all, over a file that is there.

    A question that was not understood has no figures, and why as its note. Each line names the release by its id.
    """
    results = iter(answers)
    rows: list[list[Cell]] = []
    for at, cells in enumerate(questions.cells):
        fault = questions.faults.get(at)
        figures = [None] * (len(ANSWER_COLUMNS) - 2) if fault is not None else list(answer_cells(next(results)))
        rows.append([*cells, *figures, fault or "", release])
    write_sheets([Sheet("Answers", answer_header(questions.header), rows)], path, SILENT)


def answer_header(taken: Sequence[str], columns: Sequence[str] = ANSWER_COLUMNS) -> tuple[str, ...]:
    """Return the columns of a file of answers behind some columns of the table."""
    names = {name.casefold() for name in taken}
    return (*taken, *(f"answer {name}" if name in names else name for name in columns))


def answer_cells(answer: Answer) -> Iterator[Cell]:
    """Give the figures of an answer, without note and release."""
    yield answer.published_count
    for figure in (answer.estimate, answer.low, answer.high, answer.low_alike, answer.high_alike):
        yield digits(figure)
    yield answer.n_p
    yield from map(digits, answer.share or (None, None, None))
    yield answer.trust()
