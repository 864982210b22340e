"""The import room: any table a hospital has, read with every decision visible and open to be overruled."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splu_desktop.files.importer.choices import (
        ALL_SHEETS,
        ImportChoices,
        Imported,
        MissingToken,
        SheetFacts,
        SourceFile,
        alike,
    )
    from splu_desktop.files.importer.inspection import InspectedColumn, Inspection, describe, inspect_file
    from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, write_problems
    from splu_desktop.files.importer.reader import Preview, forget_preview, preview, read


# Which room each name lives in. They are entered when asked for: a reader's process (`files.isolation`) needs few of
# them, and would otherwise take three times as long to start.
_ROOMS = {
    "choices": ("ALL_SHEETS", "ImportChoices", "Imported", "MissingToken", "SheetFacts", "SourceFile", "alike"),
    "inspection": ("InspectedColumn", "Inspection", "describe", "inspect_file"),
    "problems": ("Decision", "Problem", "ProblemKind", "write_problems"),
    "reader": ("Preview", "forget_preview", "preview", "read"),
}


def __getattr__(name: str) -> object:
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{room}"), name)
    raise AttributeError(name)
