"""A report from a release, and its files."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Table
from splu_desktop.files.disk.whole_files import CannotWrite, check_name, check_new, whole_file
from splu_desktop.files.language import Language, language
from splu_desktop.files.register.earlier import releases_before
from splu_desktop.files.register.ledger import Entry, Register
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.report.content.annex import annex
from splu_desktop.report.content.front import front
from splu_desktop.report.content.words import first_line
from splu_desktop.report.document import Document, name_by_headings
from splu_desktop.report.facts import Facts, external_facts, internal_facts
from splu_desktop.report.fields import Fields
from splu_desktop.report.law import packs
from splu_desktop.report.render.html import as_html
from splu_desktop.report.render.typeset import as_pages, as_pdf
from splu_desktop.report.render.workbook import as_xlsx

FORMAT, FORMAT_VERSION = "splu-report", 3
ENDINGS = (".pdf", ".html", ".json", ".xlsx")
# What follows from a release alone, so that `verify` holds it against the release.
DERIVED = (
    "id", "created", "rows", "persons", "average", "riskiest", "riskiest_value", "riskiest_share", "secrets", "tables",
    "columns", "class_columns", "classes", "blocks", "epsilon", "alpha", "t_e", "files",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Report:
    """A report, ready to be written in any format and language."""

    facts: Facts
    fields: Fields

    @property
    def edition(self) -> str:
        """ "internal" or "external"."""
        return self.facts.edition

    @property
    def first_line(self) -> str:
        """The verdict as it stands first, in English."""
        return first_line(self.facts, language("en"))

    def say_edition(self, t: Language) -> str:
        """Return for whom it is, as it stands above each page."""
        if self.facts.internal:
            return t("For our own files: holds true counts, never hand it out")
        return t("For the recipient: holds nothing that the release does not tell")

    def verdict_as_dict(self) -> dict[str, Any]:
        """Return what is said of the release, as plain data; "missed" where a limit is not met, whoever accepted it."""
        facts = self.facts
        read, of = facts.cells
        return {
            "code": "missed" if facts.missed_limits else facts.state,
            "state": facts.state,
            "sentence": self.first_line,
            "lines": [asdict(each) for each in facts.limits],
            "answered": {"cells": read, "of": of},
        }

    def document(self, code: str) -> Document:
        """Return the pages in a language. Raises BadSetting for one that is not spoken."""
        t, facts = language(code), self.facts
        title = t("Release “{title}”", title=facts.title)
        return Document(
            title=title,
            edition=self.say_edition(t),
            internal=facts.internal,
            footer=f"{facts.title} · {facts.digest[:16] or facts.id[:16]}",
            language=t.code,
            page_of=t("Page {page} of {pages}"),
            front=tuple(name_by_headings(front(facts, self.fields, t))),
            annex=tuple(name_by_headings(annex(facts, self.fields, t))),
            most_annex=6 if facts.internal else 4,
        )


def make_report(
    opened: OpenRelease,
    fields: Fields,
    *,
    entry: Entry | None = None,
    source: Table | None = None,
    progress: Progress = SILENT,
) -> Report:
    """Return the report of a release: internal with its source, else the recipient's.

    What was measured is kept beside the table it was measured on, so that the next report only says it anew. Raises
    BadSetting; Cancelled.
    """
    packs(fields.law)  # a code that there is not is said before anything is worked out
    if fields.threshold is not None and not 0 <= fields.threshold <= 1:
        raise BadSetting("The largest certainty of a row lies between 0 and 1.")
    earlier = () if entry is None else releases_before(Register(), entry)
    known = (opened.published.table if source is None else source).__dict__.setdefault("_facts", {})
    key = (opened.id, fields.threshold, None if entry is None else entry.number, earlier)
    if key not in known:
        if source is None:
            known[key] = external_facts(opened, fields, entry, progress)
        else:
            known[key] = internal_facts(opened, fields, entry, source, earlier, progress)
    # A title is typed, so it may differ where all that was measured is the same.
    return Report(replace(known[key], title=fields.title or opened.title), fields)


def check_target(path: Path) -> None:
    """Raise CannotWrite where a report can't be written there: asked early, so that no work is done in vain."""
    if path.suffix.lower() not in ENDINGS:
        raise CannotWrite("“{path}” must end in .pdf, .html, .json or .xlsx.", path=path.name)
    check_name(path)
    check_new(path, overwrite=True)


def pages(report: Report, code: str) -> list[bytes]:
    """Return the pages as they print, each as PNG."""
    return as_pages(report.document(code))


def write_report(report: Report, path: Path, *, language: str = "en", progress: Progress = SILENT) -> None:
    """Write a report in the format of the file's ending, whole or not at all, over a file that is there.

    The internal edition can be read by its owner alone. Raises CannotWrite, BadSetting; Cancelled.
    """
    check_target(path)
    progress.report("Writing", 0.0)
    kind = path.suffix.lower()
    if kind == ".json":
        data = as_json(report)
    elif kind == ".html":
        data = as_html(report.document(language)).encode("utf-8")
    elif kind == ".pdf":
        data = as_pdf(report.document(language))
    else:
        data = as_xlsx(report.document(language), progress)
    progress.report("Writing", 0.8)
    write_bytes(path, data, private=report.facts.internal)
    progress.report("Writing", 1.0)


def write_bytes(path: Path, data: bytes, *, private: bool) -> None:
    """Write a file, whole or not at all; a private one for its owner alone, from its first byte on."""
    mode = 0o600 if private else 0o666
    with whole_file(path, overwrite=True) as partial:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)


def as_json(report: Report) -> bytes:
    """Return a report as JSON: what follows from the release apart from what people stated."""
    facts = asdict(report.facts)
    del facts["limits"]  # the verdict has them
    data = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "made_with": __version__,
        "edition": report.edition,
        "verdict": report.verdict_as_dict(),
        "release": {name: facts.pop(name) for name in DERIVED},
        "custodian": {**facts, "fields": asdict(report.fields)},
    }
    return (json.dumps(_plain(data), ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode("utf-8")


def _plain(value: Any) -> Any:
    """Return data as JSON knows it: an infinite ratio is none."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
