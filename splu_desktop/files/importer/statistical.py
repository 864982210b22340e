"""SPSS, SAS and Stata files, their codes turned into the words of their value labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.coded_columns import coded_columns, gathered
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation.parent import isolated
from splu_desktop.files.isolation.wire import Plain

_UNPACKED = 8  # bytes that a byte of a file counts as: SPSS and SAS compress


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a statistics program's file into raw columns; returns them with the resolved choices and the reasons."""
    given: dict[str, Plain] = {"kind": kind, "encoding": choices.encoding}
    found = isolated("statistical", path, progress, size=_UNPACKED * path.stat().st_size, limit=limit, **given)
    coded = coded_columns(found, path)
    raw, names = gathered(coded, path, choices, progress)
    declared = {new: tuple(map(str, texts)) for new, texts in zip(names, found["declared"], strict=True) if texts}
    reasons = {f"label of {new}": str(label) for new, label in zip(names, found["labels"], strict=True) if label}
    if found["words"]:
        reasons["value labels"] = "codes with a value label are shown as the label's words"
    resolved = replace(choices, format=kind, encoding=found["encoding"], names=names)
    return replace(raw, declared=declared), resolved, reasons
