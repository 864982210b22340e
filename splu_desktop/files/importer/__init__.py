"""The importer: any table a hospital has, read with every decision visible and open to be overruled.

What its columns look like, role suggestions among it, is told by `project.inspection`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splu_desktop.files.importer.choices import (
        ALL_SHEETS,
        ImportChoices,
        MissingToken,
        SheetFacts,
        SourceFile,
        TableReading,
        alike,
    )
    from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, write_problems
    from splu_desktop.files.importer.reader import Preview, forget_preview, preview, read, read_columns

_HOMES = {
    "choices": ("ALL_SHEETS", "ImportChoices", "MissingToken", "SheetFacts", "SourceFile", "TableReading", "alike"),
    "problems": ("Decision", "Problem", "ProblemKind", "write_problems"),
    "reader": ("Preview", "forget_preview", "preview", "read", "read_columns"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for: who parses one file, or reads a release, has no use for the rest, and starts sooner."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(name)
