"""A release: written whole, as a folder or one ZIP, and read back without the source."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Table
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.in_blocks import file_sha256
from splu_desktop.files.disk.resources import resource_path
from splu_desktop.files.language import language
from splu_desktop.files.release.described import DESCRIBED, write_described
from splu_desktop.files.release.facts import (
    FACTS_NAME,
    FORMAT,
    FORMAT_VERSION,
    BadRelease,
    Generalisations,
    as_published,
    facts_text,
    make_facts,
    seal_of,
)
from splu_desktop.files.release.package import PasswordNeeded
from splu_desktop.files.release.read_back import written_differs
from splu_desktop.files.release.reading import OpenRelease, read_release, table_of
from splu_desktop.files.release.recipient import DICTIONARY_NAME, README_NAME, warning, write_dictionary, write_readme
from splu_desktop.files.tables.spelling import plain
from splu_desktop.files.tables.table_writers import WRITERS

__all__ = [
    "FACTS_NAME",
    "FORMAT",
    "FORMAT_VERSION",
    "BadRelease",
    "OpenRelease",
    "PasswordNeeded",
    "check_formats",
    "fill_folder",
    "final",
    "read_release",
    "table_of",
]

KIT = ("splu_release.py", "splu_release.R")  # for recipients without this program
_MOST_FACTS = 1 << 28  # bytes of a release.json
_SPARE_HEADER = 1 << 16  # bytes


def check_formats(formats: Sequence[str]) -> None:
    """Raise BadSetting where a format is not known."""
    for name in formats:
        if name not in WRITERS:
            raise BadSetting(
                "There is no output format “{name}”; choose among {known}.", name=name, known=", ".join(WRITERS)
            )


def final(published: Published, progress: Progress = SILENT) -> Published:
    """Return what is handed out: numbers and dates spelled plainly, re-drawn columns typed by what is published."""
    columns = tuple(
        plain(as_published(column) if published.is_sensitive(column.name) else column, progress)
        for column in published.table.columns
    )
    table = Table(columns)
    draws = {name: draw.respelled(published.table[name], table[name]) for name, draw in published.draws.items()}
    return replace(published, table=table, draws=draws)


def fill_folder(
    published: Published,
    folder: Path,
    *,
    formats: Sequence[str] = ("csv",),
    bom: bool = False,
    generalisations: Generalisations | None = None,
    spoken: str = "en",
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """Write all files of a release into an empty folder, read the tables back, and return the facts.

    `published` is what `final` gave. Raises BadRelease where a table does not read as it was written.
    """
    spoken_warning = language(spoken).sentence(warning(published))
    note = (language(spoken).sentence(say("Read first")), spoken_warning)  # a sheet of its own in a workbook
    tables: dict[str, str] = {}
    files = []
    with contextlib.ExitStack() as beside:
        digests = {}
        for name in dict.fromkeys(["csv", *formats]):
            file_name, write = WRITERS[name]
            write(published.table, folder / file_name, progress, bom, note)
            tables[file_name] = name
            hashed = partial(_kept_sha256, folder / file_name)
            digests[file_name] = beside.enter_context(in_background(hashed, progress, "Reading the files back"))
        progress.report("Describing the release", 0.0)
        # The README names the release's id, so id and date are drawn once, before the final facts.
        reader = Reader(published)  # one: facts and README need the same matrices
        draft = make_facts(reader, [], generalisations=generalisations)
        write_readme(reader, draft, folder / README_NAME, list(tables), language(spoken))
        write_dictionary(published, draft, folder / DICTIONARY_NAME, language(spoken))
        for name, form in tables.items():
            _check_written(folder / name, form, published.table, progress)
        write_described(published, draft, spoken_warning, folder)
        for name in KIT:
            (folder / name).write_bytes(resource_path(f"kit/{name}").read_bytes())
        beside_tables = {README_NAME: "readme", DICTIONARY_NAME: "dictionary", **dict.fromkeys(KIT, "kit")}
        beside_tables |= dict.fromkeys(DESCRIBED, "description")
        for name, form in {**tables, **beside_tables}.items():
            digest = digests[name]() if name in digests else file_sha256(folder / name)
            size = (folder / name).stat().st_size
            files.append({"name": name, "format": form, "bytes": size, "sha256": digest})
    facts = {**draft, "files": files}
    facts["sha256"] = seal_of(facts)
    (folder / FACTS_NAME).write_text(facts_text(facts), encoding="utf-8", newline="\n")
    return facts


def describe(
    published: Published,
    folder: Path,
    tables: Sequence[dict[str, Any]],
    *,
    named: Sequence[str],
    generalisations: Generalisations | None = None,
    spoken: str = "en",
) -> dict[str, Any]:
    """Write what describes a table whose files others have written into `folder`, and return the facts.

    Parameters
    ----------
    published : what `final` gives; of its columns the counts are enough.
    tables : name, format, bytes and sha256 of each file of the table.
    named : what the README calls them.
    """
    reader = Reader(published)
    draft = make_facts(reader, [], generalisations=generalisations)
    write_readme(reader, draft, folder / README_NAME, list(named), language(spoken), kit=False)
    write_dictionary(published, draft, folder / DICTIONARY_NAME, language(spoken), kit=False)
    beside = [
        {"name": name, "format": form, "bytes": (folder / name).stat().st_size, "sha256": file_sha256(folder / name)}
        for name, form in ((README_NAME, "readme"), (DICTIONARY_NAME, "dictionary"))
    ]
    facts = {**draft, "files": [*tables, *beside]}
    facts["sha256"] = seal_of(facts)
    (folder / FACTS_NAME).write_text(facts_text(facts), encoding="utf-8", newline="\n")
    return facts


def _kept_sha256(path: Path, progress: Progress) -> str:
    """Return a file's hash once the disk has it: to wait for that beside other work costs no time."""
    with path.open("r+b") as file:  # Windows syncs what may be written
        with in_background(lambda own: os.fsync(file.fileno()), progress, "Reading the files back") as kept:
            found = file_sha256(path, progress)
            kept()
        return found


def _check_written(path: Path, form: str, table: Table, progress: Progress) -> None:
    """Raise BadRelease where a table file does not read as it was written."""
    odd = written_differs(path, form, table, progress)
    if odd is not None:
        raise BadRelease(
            "The release was withheld: column “{odd}” of “{path}” does not read as it was written.",
            odd=odd,
            path=path.name,
        )
