"""What the page needs of the report: pages for a release, an edition, what was typed, and a language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.register import Register
from splu_desktop.gui.base.session import Release
from splu_desktop.report.fields import Fields
from splu_desktop.report.make import Report, make_report, pages, write_report


@dataclass(frozen=True)
class Typed:
    """What is asked on the page: who decides, who signs for data protection, on which basis, under which number."""

    organisation: str = ""
    reviewer: str = ""
    basis: str = ""
    contract: str = ""


@dataclass(frozen=True, eq=False)
class Made:
    """A report with its pages as PNG."""

    release: Release
    report: Report
    language: str
    pages: tuple[bytes, ...]

    @property
    def first_line(self) -> str:
        """The verdict, word for word."""
        return str(self.report.first_line)


def make(release: Release, typed: Typed, language: str, *, internal: bool, progress: Progress = SILENT) -> Made:
    """Return the report of a release. For workers. Raises SpluError; Cancelled."""
    given = Fields(organisation=typed.organisation, reviewer=typed.reviewer, basis=typed.basis, contract=typed.contract)
    entry = Register().find(release.opened.id)
    source = release.source.table if internal and release.source is not None else None
    report = make_report(release.opened, given, entry=entry, source=source, progress=progress)
    return Made(release, report, language, tuple(pages(report, language)))


def write(made: Made, path: Path, progress: Progress = SILENT) -> None:
    """Write the report in the format of the file's ending, whole or not at all. Raises CannotWrite; Cancelled."""
    write_report(made.report, path, language=made.language, progress=progress)
