"""What the page needs of the report: pages for a release, an edition, what was typed, and a language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.gui.base.session import Release
from splu_desktop.report.document import Document
from splu_desktop.report.render.page import PdfLayout


@dataclass(frozen=True)
class Typed:
    """What is asked on the page Report: who decides, who signs, on which basis, under which number."""

    decides: str = ""
    signs: str = ""
    basis: str = ""
    request: str = ""


@dataclass(frozen=True, eq=False)
class Made:
    """A report, set on pages."""

    release: Release
    document: Document
    layout: PdfLayout


def make(release: Release, typed: Typed, language: str, *, internal: bool, progress: Progress = SILENT) -> Made:
    """Return the report of a release, set on pages. For workers. Raises SpluError; Cancelled."""
    raise NotImplementedError


def write(made: Made, path: Path, progress: Progress = SILENT) -> None:
    """Write the pages as PDF, whole or not at all. Raises CannotWrite; Cancelled."""
    raise NotImplementedError
