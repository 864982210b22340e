"""SPSS, SAS and Stata files, their codes turned into the words of their value labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.coded_columns import coded_columns, gathered
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.parent import BrokeOff, isolated
from splu_desktop.files.isolation.wire import Plain

_PER_CELL = 8  # bytes of a file, not compressed, that a cell counts as where the time is limited


def need_of(path: Path, kind: str, encoding: str | None, progress: Progress) -> tuple[float, int]:
    """Return the bytes of memory that reading a file takes beside its reader's own, and those that it unpacks to."""
    size = path.stat().st_size
    told = isolated("statistical_size", path, progress, size=size, need=memory.AT_LEAST, kind=kind, encoding=encoding)
    try:
        return float(told["takes"]), max(size, _PER_CELL * int(told["cells"]))
    except (KeyError, TypeError, ValueError):
        raise BrokeOff(path) from None


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a statistics program's file into raw columns; returns them with the resolved choices and the reasons."""
    size = path.stat().st_size
    given: dict[str, Plain] = {"kind": kind, "encoding": choices.encoding}
    need = float(memory.AT_LEAST)
    if limit is None:
        more, size = need_of(path, kind, choices.encoding, progress)
        need += more
        memory.check(path, need)
    found = isolated("statistical", path, progress, size=size, need=need, limit=limit, **given)
    coded = coded_columns(found, path)
    raw, names = gathered(iter([coded]), path, choices, progress)
    declared = {new: tuple(map(str, texts)) for new, texts in zip(names, found["declared"], strict=True) if texts}
    reasons = {f"label of {new}": str(label) for new, label in zip(names, found["labels"], strict=True) if label}
    if found["words"]:
        reasons["value labels"] = "codes with a value label are shown as the label's words"
    resolved = replace(choices, format=kind, encoding=found["encoding"], names=names)
    return replace(raw, declared=declared), resolved, reasons
