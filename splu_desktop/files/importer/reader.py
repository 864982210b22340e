"""From a file to a table: the one way in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import say, which_of
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import IDENTIFIERS, LABELS
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.importer import statistical
from splu_desktop.files.importer.choices import ImportChoices, SourceFile, TableReading
from splu_desktop.files.importer.coded_columns import gather
from splu_desktop.files.importer.columns.build import build
from splu_desktop.files.importer.columns.cells import CellColumn
from splu_desktop.files.importer.columns.chosen_rows import choose_rows, mixed_rows
from splu_desktop.files.importer.data_dictionary import describe_columns, dictionaries_beside
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.importer.recognise import TEXTS, WORKBOOKS, describe_file, recognise
from splu_desktop.files.importer.text import delimited_text, json_lines
from splu_desktop.files.importer.text.mojibake import report_mojibake
from splu_desktop.files.importer.workbook import reading as workbook
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import BadChoice, EmptyFile, NoRecords


def read(
    path: Path, choices: ImportChoices | None = None, progress: Progress = SILENT, *, allow_empty: bool = False
) -> TableReading:
    """Read a file into a table.

    path : the file.
    choices : what the user decided; everything left None is detected.
    progress : told how far the work is; may raise Cancelled.
    allow_empty : whether a header without records is a table too.

    Raises FileFault: a subclass of it says what is wrong with the file and what to do.
    """
    path = Path(path)
    choices = choices or ImportChoices()
    kind = recognise(path)
    with in_background(lambda watch: describe_file(path, watch), progress, "Fingerprinting") as source:
        raw, resolved, reasons = read_raw(path, kind, choices, progress)
        memory.check_left(path, memory.PER_ROW * len(raw.rows))
        if not len(raw.rows) and not allow_empty:
            raise (
                NoRecords(path, at, resolved.sheet) if (at := resolved.header_row) else EmptyFile(path, resolved.sheet)
            )
        imported = assemble(kind, raw, resolved, reasons, source(), progress)
    progress.report("Finding types", 1.0)
    return imported


def read_columns(
    columns: Sequence[tuple[str, NDArray[np.int32], list[Any]]], choices: ImportChoices | None
) -> TableReading:
    """Read columns of codes over values that a program holds, by the same rules as a Parquet file of them.

    Raises FileFault.
    """
    path = Path("DataFrame")  # what sentences call it
    choices = choices or ImportChoices()
    coded = [(name, CellColumn(codes, cells)) for name, codes, cells in columns]
    raw, resolved, reasons = _rename(gather(coded, path, choices, SILENT), choices)
    raw = choose_rows(raw, resolved.rows)
    if not len(raw.rows):
        raise EmptyFile(path)
    return assemble("frame", raw, resolved, reasons, SourceFile(path.name, 0, ""), SILENT)


@dataclass(frozen=True, eq=False)
class Preview:
    """The first records of a file as they would be read, for a wizard to show while choices change.

    Attributes
    ----------
    reading : the first records; its choices, reasons and problems are those of the whole file as far as seen.
    head : the first rows as they stand, titles and header among them (none for formats without rows above a header).
    rows : (n,) row number of each record of `reading`.
    catalogs : names of the files beside it that may have words for its codes.
    """

    reading: TableReading
    head: tuple[tuple[str, ...], ...]
    rows: NDArray[np.int64]
    catalogs: tuple[str, ...] = ()


def preview(
    path: Path, choices: ImportChoices | None = None, progress: Progress = SILENT, *, limit: int = 300
) -> Preview:
    """Read the first records only. Types and encoding are those of this part, so the whole file may show others.

    A text file's first 256 kB are looked at; a workbook is opened whole, as its format wants. Raises FileFault.
    """
    path = Path(path)
    choices = choices or ImportChoices()
    kind = recognise(path)
    source = SourceFile(path.name, path.stat().st_size, "")
    raw, resolved, reasons = read_raw(path, kind, choices, progress, limit=limit)
    imported = assemble(kind, raw, resolved, reasons, source, progress)
    catalogs = statistical.catalogs_beside(path) if kind == "sas" else dictionaries_beside(path)
    return Preview(imported, tuple(map(tuple, raw.head[:limit])), raw.rows, tuple(each.name for each in catalogs))


def forget_preview() -> None:
    """Let go of what previews keep for the next one: the sheet of a workbook."""
    workbook.forget()


def read_raw(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a file of a recognised format into untyped columns, and call them as chosen.

    `limit` : read only so many records, as a preview.
    """
    if kind in WORKBOOKS:
        raw, resolved, reasons = workbook.read(path, kind, choices, progress, limit=limit)
    elif kind in TEXTS:
        raw, resolved, reasons = delimited_text.read(path, kind == "csv.gz", choices, progress, limit=limit)
    elif kind == "ndjson":
        raw, resolved, reasons = json_lines.read(path, choices, progress, limit=limit)
    else:
        raw, resolved, reasons = statistical.read(path, kind, choices, progress, limit=limit)
    memory.check_width(path, len(raw.columns))
    resolved = replace(resolved, format="csv" if kind in TEXTS else kind)
    raw_names = raw.names
    raw, resolved, name_reasons = _rename(raw, resolved)
    if kind in (*TEXTS, *WORKBOOKS):
        raw, resolved, more = describe_columns(raw, raw_names, resolved, path)
        name_reasons |= more
    return choose_rows(raw, resolved.rows, whole=limit is None), resolved, {**reasons, **name_reasons}


def _rename(raw: RawTable, resolved: ImportChoices) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Give columns the names chosen for them; what the file calls them is kept in the choices and the reasons."""
    given, problems = raw.names if resolved.names is None else resolved.names, raw.problems
    if len(given) != len(raw.names):
        words = "{given} column names were given, but the table has {columns} columns."
        raise BadChoice(words, given=len(given), columns=len(raw.names))
    if resolved.names is not None:
        problems = tuple(p for p in problems if p.kind not in (ProblemKind.NAME_CHANGED, ProblemKind.NO_HEADER))
    raw_names = given if resolved.header_row == 0 else raw.names
    # Choices resolved before hold the new names already.
    unknown = [old for old, new in resolved.renames.items() if old not in raw_names and new not in given]
    if unknown:
        words = "There is no column “{name}” to rename; {advice}"
        raise BadChoice(words, name=unknown[0], advice=which_of(unknown[0], raw_names))
    names = tuple(resolved.renames.get(old, now).strip() for old, now in zip(raw_names, given, strict=True))
    twice = next((name for name, count in Counter(names).items() if count > 1 or not name), None)
    if twice is not None:
        raise BadChoice("“{name}” can't be the name of a column; give each a name of its own.", name=twice)
    new = dict(zip(raw.names, names, strict=True))
    raw = replace(
        raw,
        names=names,
        problems=tuple(replace(p, column=new.get(p.column, p.column) if p.column else None) for p in problems),
        declared_missing={new[name]: texts for name, texts in raw.declared_missing.items()},
        number_cells=frozenset(new[name] for name in raw.number_cells),
    )
    renames = {old: name for old, name in zip(raw_names, names, strict=True) if old != name}
    name_reasons: dict[str, str] = {
        f"name of {name}": say("renamed; the file calls it “{name}”", name=old) for old, name in renames.items()
    }
    return raw, replace(resolved, names=names, renames=renames), name_reasons


def _with_sheet(problem: Problem, sheet: str | None, *, joined: bool) -> Problem:
    """Return a problem with its sheet, which its sentence names where several are read as one table."""
    sentence = problem.sentence
    if joined and sheet and problem.kind is not ProblemKind.SKIPPED_SHEET:
        sentence = say("Sheet “{sheet}”: {sentence}", sheet=sheet, sentence=sentence)
    return replace(problem, sheet=sheet, sentence=sentence)


def assemble(
    kind: str,
    raw: RawTable,
    resolved: ImportChoices,
    reasons: dict[str, str],
    source: SourceFile,
    progress: Progress,
) -> TableReading:
    """Return what was read of a file as a table, with all that was decided. Raises FileFault; Cancelled."""
    built = build(raw, resolved, source, progress, comma_likely=resolved.delimiter == ";")
    more = report_mojibake(raw.columns, built.table.columns, raw.number_cells)
    problems = [
        _with_sheet(p, p.sheet or resolved.sheet, joined=bool(raw.parts))
        for p in (*raw.problems, *mixed_rows(raw), *built.problems, *more)
    ]
    sheet = ", ".join(name for name, _ in raw.parts) or resolved.sheet
    labels = {key.removeprefix("label:"): text for key, text in reasons.items() if key.startswith("label:")}
    origin = {"file": source.name, "format": kind, "sheet": sheet, IDENTIFIERS: raw.identifiers, LABELS: labels}
    table = replace(built.table, origin=origin)
    return replace(built, table=table, problems=tuple(problems), reasons={**reasons, **built.reasons})
