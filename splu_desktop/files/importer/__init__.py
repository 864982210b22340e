"""The importer: any table a hospital has, read with every decision visible and open to be overruled.

What its columns look like, role suggestions among it, is told by `importer.inspection`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from splu_desktop.files.importer.reader import Preview, forget_preview, preview, read, read_columns


def __getattr__(name: str) -> Any:
    """Import the reader when it is asked for: a process that parses one file has no use for it, and starts sooner."""
    if name not in ("Preview", "forget_preview", "preview", "read", "read_columns"):
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.reader"), name)
