"""Reads a file, and works out once what every page needs of it: suggested roles, persons, the tables to propose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import SpluError
from splu_desktop.core.persons.choice import persons
from splu_desktop.core.persons.identify import person_columns, what_rows_are
from splu_desktop.core.policy.draft import draft
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.core.roles.suggest import Suggestion, suggest_roles
from splu_desktop.core.table import Table
from splu_desktop.files import importer
from splu_desktop.files.importer import ALL_SHEETS, ImportChoices, ProblemKind, TableReading, alike
from splu_desktop.gui.base.messages import row_words
from splu_desktop.gui.base.recipes import recall
from splu_desktop.gui.base.session import Answers, Choices
from splu_desktop.gui.base.source import Source, count_values
from splu_desktop.gui.base.words import number, t, translate
from splu_desktop.gui.importing.recent_files import remember_file

_PERSONS = 4  # columns of which the persons are counted ahead
_READ = 0.7  # share of the work that reading the file is


def read_source(path: Path, choices: ImportChoices | None, progress: Progress = SILENT) -> tuple[Source, Choices, bool]:
    """Read a file. Runs in a worker. Raises what the importer raises; Cancelled.

    Returns the table; what was answered and planned when it was open before, else what the file tells of the three
    questions; and whether anything was.
    """
    imported = importer.read(path, choices, progress=ProgressPart(progress, 0.0, _READ))
    remember_file(path)
    table = imported.table
    progress.report(t("Looking at the columns"), _READ)
    suggestions = suggest_roles(table)
    for done, column in enumerate(table.columns):
        progress.report(t("Looking at the columns"), _READ + 0.2 * done / len(table.columns))
        count_values(column)  # counted here, and known to every page
    names = tuple(person_columns(table))
    counted = {name: persons_named(table, name) for name in names[:_PERSONS]}
    source = Source(path, imported, choices, suggestions, names, counted)
    progress.report(t("Looking at the columns"), 0.95)
    kept = recall(source)
    if kept is None:
        return source, Choices(first_answers(table, suggestions, names)), False
    return source, kept, kept.plan is not None or kept.answers.audience != Audience()


def persons_named(table: Table, column: str) -> tuple[int, int]:
    """Return how many persons a column names, and the most rows that one of them has."""
    owner = persons(table[column])
    counts = np.bincount(owner)
    return int(np.count_nonzero(counts)), int(counts.max(initial=0))


def first_answers(table: Table, suggestions: Mapping[str, Suggestion], names: tuple[str, ...]) -> Answers:
    """Return what the file tells of the three questions: the custodian changes what is wrong."""
    audience = Audience()
    person = names[0] if names else None
    one_row = what_rows_are(table, several=person is not None and persons_named(table, person)[1] > 1)
    row_word = "" if one_row is None else row_words()[one_row]
    try:
        first = draft(table, audience, person=person, suggestions=suggestions)
    except SpluError:  # no column is secret, say: the questions stay to be asked
        return Answers(audience, person, row_word)
    return Answers(audience, person, row_word, first.plan.questions)


def reading_words(imported: TableReading) -> tuple[str, bool]:
    """Return what was done to the file, in at most two sentences, and whether anything was dropped or changed."""
    header = imported.choices.header_row
    names = t("Names of the columns in row {row}.", row=number(header)) if header else t("The file names its columns.")
    dropping = [each for each in imported.problems if each.kind is ProblemKind.SKIPPED_ROWS]
    if dropping or imported.rows_dropped:
        sentences = [translate(each.sentence) for each in dropping]
        if len(sentences) not in (1, 2):
            left = imported.rows_dropped + sum(max(each.told_rows, 1) for each in dropping)
            sentences = [t("{n} {n:row was|rows were} left out.", n=number(left)), *sentences[:1]]
        return " ".join(sentences), True
    changing = [each for each in imported.problems if each.kind is not ProblemKind.NOTE]
    if len(changing) > 2:
        return f"{names} {t('{n} {n:thing|things} did not fit.', n=number(len(changing)))}", True
    if changing:
        return " ".join(translate(each.sentence) for each in changing), True
    return f"{names} {t('Nothing was dropped, no cell was changed.')}", False


def all_sheets(imported: TableReading) -> tuple[int, ImportChoices]:
    """Return how many rows other sheets with the same columns have, and the choices that read them as one table."""
    same = alike(imported.sheets) if imported.choices.sheets is None else ()
    return sum(sheet.rows for sheet in same if not sheet.chosen), ImportChoices(sheets=ALL_SHEETS)


def emptiest(source: Source) -> str:
    """Return a sentence about the column with the most empty cells, "" where no cell is empty."""
    empty, name = max(((count_values(column)[1], column.name) for column in source.table.columns), default=(0, ""))
    return t("{n} {n:cell|cells} of “{column}” {n:is|are} empty.", n=number(empty), column=name) if empty else ""
