"""One way to a report: a release in, a report out, written in any format from the same model."""

from __future__ import annotations

from pathlib import Path

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.report.content import document
from splu_desktop.report.model import Fields, Original, Public, Report
from splu_desktop.report.original import Background, matched, original
from splu_desktop.report.public import carried_out, public, weighed
from splu_desktop.report.render.html import write_html
from splu_desktop.report.render.json_report import write_json

ENDINGS = (".pdf", ".html", ".json", ".xlsx")


def make_report(
    opened: OpenRelease,
    fields: Fields | None = None,
    background: Background | None = None,
    *,
    created: str | None = None,
    password: str | None = None,
    progress: Progress = SILENT,
) -> Report:
    """Return the report of a release: the external edition, or with `background` the internal one.

    Parameters
    ----------
    created : moment of the report, ISO 8601 with offset; None for now.
    password : of an encrypted ZIP.

    Raises
    ------
    NotItsSource : `background` holds another source. BadRelease; Cancelled.
    """
    given = None if background is None else matched(opened, background)  # refuses before minutes of attacks
    attacks = carried_out(opened.published, progress)
    found = public(opened, fields or Fields(), created=created, password=password, attacks=attacks, progress=progress)
    return edition(found, None if given is None else original(given, attacks=attacks, progress=progress))


def edition(found: Public, behind: Original | None) -> Report:
    """Return the external edition, or with what only the source tells the internal one, its verdict over both."""
    if behind is None:
        return Report(found)
    warned = [each.name for each in behind.acknowledged or ()]
    again, limits = bool(behind.earlier), behind.audience_limits
    return Report(weighed(found, behind.checks, again=again, warned=warned, limits=limits), behind)


def check_target(target: Path) -> None:
    """Raise BadSetting where a file name's ending is none of the formats. Asked early, before any work."""
    if target.suffix.lower() not in ENDINGS:
        raise BadSetting(
            "The report “{name}” must end in {endings} or {last}.",
            name=target.name,
            endings=", ".join(ENDINGS[:-1]),
            last=ENDINGS[-1],
        )


def write_report(
    report: Report,
    target: Path,
    *,
    language: str = "en",
    paper: str = "A4",
    progress: Progress = SILENT,
) -> None:
    """Write a report in the format that the file's ending says, whole or not at all, over an existing file.

    Parameters
    ----------
    language : "en", "de" or "fr"; JSON has names instead of sentences and no language.
    paper : "A4" or "Letter", for PDF.

    Raises
    ------
    BadSetting : unknown ending, language or paper. CannotWrite; Cancelled.
    """
    check_target(target)
    ending = target.suffix.lower()
    if ending == ".json":
        write_json(report, target)
        return
    made = document(report, language)
    if ending == ".pdf":
        from splu_desktop.report.render.pdf import write_pdf  # brings fonts and pictures along, for this format alone

        write_pdf(made, target, paper=paper, progress=progress)
    elif ending == ".html":
        write_html(made, target)
    else:
        # Brings fonts and pictures along, for this format alone.
        from splu_desktop.report.render.xlsx import write_report_xlsx

        write_report_xlsx(made, target)
