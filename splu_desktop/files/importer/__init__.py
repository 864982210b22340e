"""The importer: any table a hospital has, read with every decision visible and open to be overruled.

What its columns look like, role suggestions among it, is told by `importer.inspection`.
"""

from __future__ import annotations

from splu_desktop.files.importer.choices import (
    ALL_SHEETS,
    ImportChoices,
    Imported,
    MissingToken,
    SheetFacts,
    SourceFile,
    alike,
)
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, write_problems
from splu_desktop.files.importer.reader import Preview, forget_preview, preview, read, read_columns
