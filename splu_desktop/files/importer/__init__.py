"""The import room: any table a hospital has, read with every decision visible and open to be overruled."""

from splu_desktop.files.importer.choices import ImportChoices, Imported, MissingToken, SourceFacts
from splu_desktop.files.importer.inspection import ColumnFacts, Inspection, describe, inspect_file
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, write_problems
from splu_desktop.files.importer.reader import Preview, forget_preview, preview, read

__all__ = [
    "ColumnFacts",
    "Decision",
    "ImportChoices",
    "Imported",
    "Inspection",
    "MissingToken",
    "Preview",
    "Problem",
    "ProblemKind",
    "SourceFacts",
    "describe",
    "forget_preview",
    "inspect_file",
    "preview",
    "read",
    "write_problems",
]
