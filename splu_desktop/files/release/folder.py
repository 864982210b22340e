"""A release: written whole, as a folder or one ZIP, and read back without the source."""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.in_blocks import file_sha256
from splu_desktop.files.disk.inert import restored
from splu_desktop.files.disk.resources import resource_path
from splu_desktop.files.disk.whole import whole_folder
from splu_desktop.files.importer import parquet
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.language import language
from splu_desktop.files.release.csv_table import read_cells
from splu_desktop.files.release.described import DESCRIBED, write_described
from splu_desktop.files.release.facts import (
    FACTS_NAME,
    FORMAT,
    FORMAT_VERSION,
    BadRelease,
    Generalisations,
    as_published,
    draws_of,
    facts_text,
    make_facts,
    means_of,
    parse_facts,
    repeats_of,
    seal_of,
)
from splu_desktop.files.release.package import Package, PasswordNeeded, check_memory, contents, open_package
from splu_desktop.files.release.read_back import written_differs
from splu_desktop.files.release.recipient import DICTIONARY_NAME, README_NAME, warning, write_dictionary, write_readme
from splu_desktop.files.tables.spelling import parsed, plain
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
    "sha256_of",
    "table_of",
    "write_release",
]

sha256_of = file_sha256
KIT = ("splu_release.py", "splu_release.R")  # for recipients without this program
_MOST_FACTS = 1 << 28  # bytes of a release.json
_SPARE_HEADER = 1 << 16  # bytes


@dataclass(frozen=True, eq=False)
class OpenRelease:
    """A release, read and checked.

    Attributes
    ----------
    folder : where it lies: its folder or ZIP.
    facts : `release.json` as plain data.
    published : the table with its draws and thresholds.
    """

    folder: Path
    facts: dict[str, Any]
    published: Published


def write_release(
    published: Published,
    folder: Path,
    *,
    formats: Sequence[str] = ("csv",),
    bom: bool = False,
    generalisations: Generalisations | None = None,
    spoken: str = "en",
    progress: Progress | None = None,
) -> OpenRelease:
    """Write a release folder, whole or not at all. `files.publishing.publish` does so with gate, check and register.

    Parameters
    ----------
    published : what `sanitise.run` returned.
    folder : must not exist; its parent must.
    formats : of "csv", "xlsx", "parquet"; CSV is always written, since it is what the reader opens.
    bom : whether the CSV starts with a byte order mark, which Excel needs to show letters beyond ASCII.
    generalisations : column -> steps as plain data, told to the recipient as far as they say nothing of the source.
    spoken : code of the language of README and data dictionary, of `files.language.LANGUAGES`.

    Raises
    ------
    CannotWrite, BadSetting (unknown format or language), NoParquet, Cancelled. Nothing is left behind then.
    """
    progress = progress or Silent()
    check_formats(formats)
    published = final(published, progress)
    with whole_folder(folder) as unfinished:
        facts = fill_folder(
            published,
            unfinished,
            formats=formats,
            bom=bom,
            generalisations=generalisations,
            spoken=spoken,
            progress=progress,
        )
        progress.report("Finishing", 1.0)
    return OpenRelease(folder=folder, facts=facts, published=published)


def check_formats(formats: Sequence[str]) -> None:
    """Raise BadSetting where a format is not known."""
    for name in formats:
        if name not in WRITERS:
            raise BadSetting(
                say("There is no output format “{name}”; choose among {known}.", name=name, known=", ".join(WRITERS))
            )


def final(published: Published, progress: Progress | None = None) -> Published:
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
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write all files of a release into an empty folder, read the tables back, and return the facts.

    `published` is what `final` gave. Raises BadRelease where a table does not read as it was written.
    """
    progress = progress or Silent()
    spoken_warning = language(spoken).sentence(warning(published))
    tables: dict[str, str] = {}
    files = []
    with contextlib.ExitStack() as beside:
        digests = {}
        for name in dict.fromkeys(["csv", *formats]):
            file_name, write = WRITERS[name]
            write(published.table, folder / file_name, progress, bom, spoken_warning)
            tables[file_name] = name
            hashed = partial(_kept_sha256, folder / file_name)
            digests[file_name] = beside.enter_context(in_background(hashed, progress, "Reading the files back"))
        progress.report("Describing the release", 0.0)
        # The README names the release's id, so id and date are drawn once, before the final facts.
        draft = make_facts(published, [], generalisations=generalisations)
        write_readme(published, draft, folder / README_NAME, list(tables), language(spoken))
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
    draft = make_facts(published, [], generalisations=generalisations)
    write_readme(published, draft, folder / README_NAME, list(named), language(spoken), kit=False)
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
        os.fsync(file.fileno())
    return file_sha256(path, progress)


def _check_written(path: Path, form: str, table: Table, progress: Progress) -> None:
    """Raise BadRelease where a table file does not read as it was written."""
    odd = written_differs(path, form, table, progress)
    if odd is not None:
        raise BadRelease(
            say(
                "The release was withheld: column “{odd}” of “{path}” does not read as it was written.",
                odd=odd,
                path=path.name,
            )
        )


def read_release(
    folder: Path, *, password: str | None = None, progress: Progress | None = None, verify: bool = True
) -> OpenRelease:
    """Read a release: its folder, the path of its release.json, or a ZIP of it.

    Parameters
    ----------
    password : of an encrypted ZIP.
    verify : whether the table's SHA-256 is compared with the stated one.

    Raises BadRelease with a sentence where anything is missing, altered or of another version, PasswordNeeded;
    Cancelled.
    """
    progress = progress or Silent()
    package = open_package(Path(folder), password)
    check_memory(package)
    facts = facts_of(package)
    table = table_of(package, facts, verify=verify, progress=progress)
    thresholds = Thresholds(**facts["thresholds"])
    published = Published(table, draws_of(facts), thresholds, repeats_of(facts), means_of(facts))
    return OpenRelease(package.path, facts, published)


def facts_of(package: Package) -> dict[str, Any]:
    """Return the facts of a package. Raises BadRelease."""
    raw, _ = contents(package, FACTS_NAME, most=min(package.size(FACTS_NAME), _MOST_FACTS))
    return parse_facts(raw, str(package.path / FACTS_NAME))


def table_of(
    package: Package, facts: dict[str, Any], *, verify: bool = True, progress: Progress | None = None
) -> Table:
    """Return the table of a package as `facts` describe it: its CSV or, where there is none, its Parquet files.

    Raises BadRelease; FileFault where the library for Parquet is not here; Cancelled.
    """
    progress = progress or Silent()
    entry = next((entry for entry in facts["files"] if entry["format"] == "csv"), None)
    parts = [entry for entry in facts["files"] if entry["format"] == "parquet"]
    where = package.path / FACTS_NAME
    if entry is not None and entry["name"] == "table.csv":
        parts = [entry]
    elif entry is not None or not parts:
        raise BadRelease(say("“{where}” names no table; ask for the complete release.", where=where))
    found = []
    for each in parts:
        raw = _unaltered(package, each, verify, progress)
        path = package.path / each["name"]
        found.append(_csv_cells(raw, path, facts, progress) if each is entry else _parquet_cells(raw, path, progress))
    path = package.path / parts[0]["name"]
    headers = {tuple(header) for header, _ in found}
    if len(headers) > 1:
        raise BadRelease(say("“{path}” is not a readable table; ask for the release again.", path=path))
    cells = [cells for _, cells in found]
    return _read_table(list(headers.pop()), cells[0] if entry is not None else _joined(cells), path, facts, progress)


Cells = list[tuple[np.ndarray[Any, Any], list[str]]]  # of each column (N,) codes, and the texts they stand for


def _unaltered(package: Package, entry: dict[str, Any], verify: bool, progress: Progress) -> bytes:
    """Return the bytes of a file of the table. Raises BadRelease where they are not those that were released."""
    path = package.path / entry["name"]
    if entry["name"] not in package.names():
        raise BadRelease(
            say(
                "“{path}” lacks its table “{entry}”; ask for the complete release.",
                path=package.path,
                entry=entry["name"],
            )
        )
    altered = BadRelease(
        say(
            "“{path}” is not the table that was released: its SHA-256 differs from the one in {facts_name}, as after "
            "saving it with another program; take the original file, or ask for the release again.",
            path=path,
            facts_name=FACTS_NAME,
        )
    )
    if verify and package.size(entry["name"]) != entry["bytes"]:
        raise altered
    raw, digest = contents(package, entry["name"], most=package.size(entry["name"]), progress=progress)
    if verify and digest != entry["sha256"]:
        raise altered
    return raw


def _csv_cells(raw: bytes, path: Path, facts: dict[str, Any], progress: Progress) -> tuple[list[str], Cells]:
    progress.report("Reading the table", 0.0)
    try:
        # A name's quotes may be doubled; a few names too many get a sentence of their own below.
        most = _SPARE_HEADER + 2 * sum(len(entry["name"].encode("utf-8", "replace")) + 4 for entry in facts["columns"])
        header, cells = read_cells(raw, progress, longest_header=most)
    except (ValueError, csv.Error):
        raise BadRelease(say("“{path}” is not a readable CSV table; ask for the release again.", path=path)) from None
    return [restored(name) for name in header], [(codes, list(map(restored, texts))) for codes, texts in cells]


def _parquet_cells(raw: bytes, path: Path, progress: Progress) -> tuple[list[str], Cells]:
    found = parquet.values(path, len(raw), progress, content=raw)
    return [name for name, _, _ in found], [(codes, list(map(parquet.cell_text, texts))) for _, codes, texts in found]


def _joined(parts: Sequence[Cells]) -> Cells:
    """Return columns whose records come in several Parquet files, in the files' order, with the texts that are used."""
    found: Cells = []
    for column in zip(*([RawColumn(codes, texts) for codes, texts in part] for part in parts), strict=True):
        joined = RawColumn.joined(column)
        used = joined.counts() > 0
        new = np.cumsum(used, dtype=np.int32) - 1
        found.append((new[joined.codes], [joined.labels[at] for at in np.flatnonzero(used).tolist()]))
    return found


def _read_table(header: list[str], cells: Cells, path: Path, facts: dict[str, Any], progress: Progress) -> Table:
    described = facts["columns"]
    records = len(cells[0][0]) if cells else 0
    if records != facts["records"] or len(header) != len(described):
        raise BadRelease(
            say(
                "“{path}” has {records} records and {header} columns where {facts_name} says {facts} and "
                "{described}; ask for the release again.",
                path=path,
                records=records,
                header=len(header),
                facts_name=FACTS_NAME,
                facts=facts["records"],
                described=len(described),
            )
        )
    columns = []
    for at, entry in enumerate(described):
        progress.report("Reading the table", (at + 1) / len(described))
        if header[at] != entry["name"]:
            raise BadRelease(
                say(
                    "“{path}” has a column “{header}” where {facts_name} says “{entry}”.",
                    path=path,
                    header=header[at],
                    facts_name=FACTS_NAME,
                    entry=entry["name"],
                )
            )
        codes, texts = cells[at]
        labels = np.array(texts, dtype=object)
        if "domain" in entry and entry["role"] == "sa" and sorted(labels.tolist()) != sorted(entry["domain"]):
            raise BadRelease(
                say(
                    "Column “{entry}” of “{path}” holds other values than {facts_name} says; ask for the "
                    "release again.",
                    entry=entry["name"],
                    path=path,
                    facts_name=FACTS_NAME,
                )
            )
        absent = _among(labels, entry["missing"])
        columns.append(_column(entry, codes, labels, absent, path))
    return Table(tuple(columns))


def _column(
    entry: dict[str, Any],
    codes: np.ndarray[Any, Any],
    labels: np.ndarray[Any, np.dtype[np.object_]],
    absent: np.ndarray[Any, np.dtype[np.bool_]],
    path: Path,
) -> Column:
    kind = Kind[entry["kind"].upper()]
    values = None
    if kind.ordered:
        dates = kind in (Kind.DATE, Kind.DATETIME)
        values = np.full(len(labels), np.datetime64("NaT") if dates else np.nan, "datetime64[us]" if dates else float)
        try:
            known = ~absent & ~_among(labels, entry.get("texts", ()))
            values[known] = parsed(labels[known], kind)
        except ValueError:
            raise BadRelease(
                say(
                    "Column “{entry}” of “{path}” holds text where {facts_name} says {kind}; ask for the "
                    "release again.",
                    entry=entry["name"],
                    path=path,
                    facts_name=FACTS_NAME,
                    kind=kind.value,
                )
            ) from None
    column = Column.from_codes(entry["name"], codes, labels, absent, values, kind=kind)
    return column if values is not None else _as_listed(column, entry.get("domain"))


def _among(labels: np.ndarray[Any, np.dtype[np.object_]], few: Iterable[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return (m,) which labels are among a few."""
    known = set(few)
    return np.fromiter((text in known for text in labels), bool, len(labels)) if known else np.zeros(len(labels), bool)


def _as_listed(column: Column, domain: Any) -> Column:
    """Return a column with its labels in the order the facts list them in: intervals stand in theirs, not by text."""
    if not isinstance(domain, list) or sorted(map(str, domain)) != sorted(column.labels.tolist()):
        return column
    place = {label: at for at, label in enumerate(domain)}
    new = np.array([place[label] for label in column.labels.tolist()], np.int32)
    order = np.argsort(new)
    return Column(
        name=column.name,
        kind=column.kind,
        codes=new[column.codes] if column.m else column.codes,
        labels=column.labels[order],
        missing=column.missing[order],
    )
