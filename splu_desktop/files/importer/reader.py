"""From a file to a table: the one way in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from splu_desktop.core.progress import Progress, Silent
from splu_desktop.files.importer import delimited, workbook
from splu_desktop.files.importer.build import build
from splu_desktop.files.importer.choices import ImportChoices, Imported
from splu_desktop.files.importer.faults import NoRecords, NotInstalled
from splu_desktop.files.importer.recognise import WORKBOOKS, check_readable, facts, recognise


def read(
    path: Path, choices: ImportChoices | None = None, progress: Progress | None = None, *, allow_empty: bool = False
) -> Imported:
    """Read a file into a table.

    Parameters
    ----------
    path : the file.
    choices : what the user decided; everything left None is detected.
    progress : told how far the work is; may raise Cancelled.
    allow_empty : whether a header without records is a table too.

    Raises
    ------
    FileFault : a subclass of it says what is wrong with the file and what to do.
    """
    path = Path(path)
    choices = choices or ImportChoices()
    progress = progress or Silent()
    check_readable(path)
    kind = recognise(path)
    source = facts(path, progress)
    if kind in WORKBOOKS:
        raw, resolved, reasons = workbook.read(path, kind, choices, progress)
    elif kind in ("csv", "csv.gz"):
        raw, resolved, reasons = delimited.read(path, kind == "csv.gz", choices, progress)
    else:
        raise NotInstalled(f"“{path.name}” is a {kind} file, which can't be read yet; export it as CSV.")
    if not len(raw.rows) and not allow_empty:
        raise NoRecords(path, resolved.header_row or 0, resolved.sheet)
    built = build(raw, resolved, progress, comma_likely=resolved.delimiter == ";")
    table = replace(built.table, origin={"file": source.name, "format": kind, "sheet": resolved.sheet})
    return Imported(
        table=table,
        choices=built.choices,
        problems=tuple(replace(p, sheet=p.sheet or resolved.sheet) for p in (*raw.problems, *built.problems)),
        source=source,
        reasons={**reasons, **built.reasons},
        missing_tokens=built.missing_tokens,
        rows_dropped=built.rows_dropped,
    )
