"""A release read back without its source: its facts, and its table at once, or columns as they are asked for."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.table import IN_MEMORY, Column, Kind, OnDemand, Storage, Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.disk.inert import restored
from splu_desktop.files.importer.raw import Away, RawColumn
from splu_desktop.files.release.csv_table import read_cells
from splu_desktop.files.release.facts import FACTS_NAME, BadRelease, draws_of, means_of, parse_facts, repeats_of
from splu_desktop.files.release.package import Package, contents, digest_of, open_package, storage_of
from splu_desktop.files.tables.spelling import parsed

_MOST_FACTS = 1 << 28  # bytes of a release.json
_SPARE_HEADER = 1 << 16  # bytes
_LARGE = 256 << 20  # bytes of a CSV from which some columns of a Parquet file beside it are read in less time


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


def read_release(
    folder: Path,
    *,
    password: str | None = None,
    progress: Progress = SILENT,
    verify: bool = True,
    at_once: bool = True,
) -> OpenRelease:
    """Read a release: its folder, the path of its release.json, or a ZIP of it.

    Parameters
    ----------
    password : of an encrypted ZIP.
    verify : whether the table's SHA-256 is compared with the stated one.
    at_once : whether the whole table is read now; else its columns are when they are asked for, and what is wrong with
        the table is said then.

    Raises BadRelease with a sentence where anything is missing, altered or of another version, PasswordNeeded;
    Cancelled.
    """
    package = open_package(Path(folder), password)
    facts = facts_of(package)
    storage = storage_of(package)
    if at_once:
        table = table_of(package, facts, verify=verify, progress=progress, storage=storage)
    else:
        names = [entry["name"] for entry in facts["columns"]]

        def read(some: Sequence[str], first: int | None) -> Sequence[Column]:
            wanted = [names.index(name) for name in some]
            return _columns(_Asked(package, facts, verify, progress, storage, wanted, first))

        table = OnDemand(names, facts["records"], read)
    thresholds = Thresholds(**facts["thresholds"])
    published = Published(table, draws_of(facts), thresholds, repeats_of(facts), means_of(facts))
    return OpenRelease(package.path, facts, published)


def facts_of(package: Package) -> dict[str, Any]:
    """Return the facts of a package. Raises BadRelease."""
    raw, _ = contents(package, FACTS_NAME, most=min(package.size(FACTS_NAME), _MOST_FACTS))
    return parse_facts(raw, str(package.path / FACTS_NAME))


def table_of(
    package: Package,
    facts: dict[str, Any],
    *,
    verify: bool = True,
    progress: Progress = SILENT,
    storage: Storage | None = None,
) -> Table:
    """Return the table of a package as `facts` describe it: its CSV or, where there is none, its Parquet files.

    `storage` : where codes are to lie; None for what the table's size asks for.

    Raises BadRelease; FileFault where the library for Parquet is not here; Cancelled.
    """
    storage = storage_of(package) if storage is None else storage
    return Table(tuple(_columns(_Asked(package, facts, verify, progress, storage))))


Cells = list[tuple[np.ndarray[Any, Any], list[str]]]  # of each column (N,) codes, and the texts they stand for


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is read, and how.

    Attributes
    ----------
    verify : whether each file's SHA-256 is compared with the stated one.
    wanted : the places of some columns, None for all.
    first : only so many first records. The table is not compared with its hash then, which asks for all of it.
    """

    package: Package
    facts: dict[str, Any]
    verify: bool
    progress: Progress
    storage: Storage
    wanted: Sequence[int] | None = None
    first: int | None = None

    def check_there(self, entry: dict[str, Any]) -> None:
        """Raise BadRelease where a file of the table is missing, or has another size than was released."""
        if entry["name"] not in self.package.names():
            raise BadRelease(
                "“{path}” lacks its table “{entry}”; ask for the complete release.",
                path=self.package.path,
                entry=entry["name"],
            )
        if self.verify and self.package.size(entry["name"]) != entry["bytes"]:
            raise _altered(self.package.path / entry["name"])


def _columns(asked: _Asked) -> list[Column]:
    """Return columns of the table. Raises BadRelease; FileFault; Cancelled."""
    package, facts, first = asked.package, asked.facts, asked.first
    entry = next((entry for entry in facts["files"] if entry["format"] == "csv"), None)
    parts = [entry for entry in facts["files"] if entry["format"] == "parquet"]
    where = package.path / FACTS_NAME
    if (entry is not None and entry["name"] != "table.csv") or (entry is None and not parts):
        raise BadRelease("“{where}” names no table; ask for the complete release.", where=where)
    quicker = asked.wanted is not None and parts and find_spec("pyarrow")
    if entry is not None and not (quicker and entry["bytes"] > _LARGE):
        header, cells = _csv_cells(asked, entry)
        path = package.path / entry["name"]
    else:
        header, cells = _parquet_cells(asked, parts)
        path = package.path / parts[0]["name"]
    _check_header(header, len(cells[0][0]) if cells and first is None else facts["records"], path, facts)
    columns = []
    places = range(len(header)) if asked.wanted is None else asked.wanted
    for done, (at, (codes, texts)) in enumerate(zip(places, cells, strict=True)):
        asked.progress.report("Reading the table", (done + 1) / len(cells))
        described, labels = facts["columns"][at], np.array(texts, dtype=object)
        if first is not None:
            codes = codes[:first]
        elif "domain" in described and described["role"] == "sa" and sorted(texts) != sorted(described["domain"]):
            raise BadRelease(
                "Column “{entry}” of “{path}” holds other values than {facts_name} says; ask for the release again.",
                entry=described["name"],
                path=path,
                facts_name=FACTS_NAME,
            )
        absent = _among(labels, described["missing"])
        columns.append(_column(described, codes, labels, absent, path, asked.storage))
    return columns


class _Hashing:
    """A file whose bytes are hashed by another thread while they are read."""

    def __init__(self, file: IO[bytes], pool: ThreadPoolExecutor) -> None:
        self._file, self._pool, self._digest = file, pool, hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        block = self._file.read(size)
        self._pool.submit(self._digest.update, block)
        return block

    def digest(self) -> str:
        return self._pool.submit(self._digest.hexdigest).result()


def _altered(path: Path) -> BadRelease:
    return BadRelease(
        "“{path}” is not the table that was released: its SHA-256 differs from the one in {facts_name}, as after "
        "saving it with another program; take the original file, or ask for the release again.",
        path=path,
        facts_name=FACTS_NAME,
    )


def _csv_cells(asked: _Asked, entry: dict[str, Any]) -> tuple[list[str], Cells]:
    asked.check_there(entry)
    package, progress, verify = asked.package, asked.progress, asked.verify and asked.first is None
    path, size = package.path / entry["name"], package.size(entry["name"])
    progress.report("Reading the table", 0.0)
    # A name's quotes may be doubled; a few names too many get a sentence of their own.
    most = _SPARE_HEADER + 2 * sum(len(one["name"].encode("utf-8", "replace")) + 4 for one in asked.facts["columns"])
    with package.open(entry["name"]) as file, ThreadPoolExecutor(1) as pool:
        hashing = _Hashing(file, pool) if verify else file
        fault: Exception | None = None
        try:
            header, cells = read_cells(
                hashing,
                size,
                progress,
                longest_header=most,
                wanted=asked.wanted,
                first=asked.first,
                storage=asked.storage,
            )
        except (ValueError, csv.Error) as error:
            fault = error
        if verify:
            while hashing.read(1 << 22):  # what is left where the table broke off
                progress.report("Checking the file", 1.0)
            if hashing.digest() != entry["sha256"]:
                raise _altered(path)
    if fault is not None:
        raise BadRelease("“{path}” is not a readable CSV table; ask for the release again.", path=path) from None
    return [restored(name) for name in header], [(codes, list(map(restored, texts))) for codes, texts in cells]


def _parquet_cells(asked: _Asked, entries: Sequence[dict[str, Any]]) -> tuple[list[str], Cells]:
    from splu_desktop.files.importer import parquet  # most releases are read from their CSV

    package, progress, verify = asked.package, asked.progress, asked.verify and asked.first is None
    every = [entry["name"] for entry in asked.facts["columns"]]
    names = None if asked.wanted is None else [every[at] for at in asked.wanted]
    away: list[Away] = []
    header: list[str] = []
    left = asked.first
    for entry in entries:
        asked.check_there(entry)
        name, path = entry["name"], package.path / entry["name"]
        content = None
        if package.path.is_file():  # a ZIP, whose files lie nowhere
            content, digest = contents(package, name, most=package.size(name), progress=progress)
        with ThreadPoolExecutor(1) as pool:
            hashed = pool.submit(digest_of, package, name) if verify and content is None else None
            for part in parquet.in_parts(
                path, package.size(name), progress, content=content, limit=left, wanted=names, width=len(every)
            ):
                if header and header != [name for name, _, _ in part]:
                    raise BadRelease("“{path}” is not a readable table; ask for the release again.", path=path)
                header = [name for name, _, _ in part]
                away = away or [Away(asked.storage) for _ in header]
                for one, (_, codes, texts) in zip(away, part, strict=True):
                    one.add(RawColumn(codes, list(map(parquet.cell_text, texts))))
                left = None if left is None else left - len(part[0][1])
            if verify and (digest if hashed is None else hashed.result()) != entry["sha256"]:
                raise _altered(path)
        if left is not None and left <= 0:
            break
    found = [one.column(progress) for one in away]
    if names is not None:  # in the file's order
        found = [found[header.index(name)] for name in names if name in header]
        header = every if len(found) == len(names) else header
    return header, [(one.codes, list(one.labels)) for one in map(_used, found)]


def _used(column: RawColumn) -> RawColumn:
    """Return a column without the texts that no record has."""
    used = column.counts() > 0
    if used.all():
        return column
    new = np.cumsum(used, dtype=np.int32) - 1
    return RawColumn(new[column.codes], [column.labels[at] for at in np.flatnonzero(used).tolist()])


def _check_header(header: Sequence[str], records: int, path: Path, facts: dict[str, Any]) -> None:
    """Raise BadRelease where the table has other columns or more or fewer records than its facts say."""
    described = facts["columns"]
    if records != facts["records"] or len(header) != len(described):
        raise BadRelease(
            "“{path}” has {records} records and {header} columns where {facts_name} says {facts} and "
            "{described}; ask for the release again.",
            path=path,
            records=records,
            header=len(header),
            facts_name=FACTS_NAME,
            facts=facts["records"],
            described=len(described),
        )
    for name, entry in zip(header, described, strict=True):
        if name != entry["name"]:
            raise BadRelease(
                "“{path}” has a column “{header}” where {facts_name} says “{entry}”.",
                path=path,
                header=name,
                facts_name=FACTS_NAME,
                entry=entry["name"],
            )


def _column(
    entry: dict[str, Any],
    codes: np.ndarray[Any, Any],
    labels: np.ndarray[Any, np.dtype[np.object_]],
    absent: np.ndarray[Any, np.dtype[np.bool_]],
    path: Path,
    storage: Storage = IN_MEMORY,
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
                "Column “{entry}” of “{path}” holds text where {facts_name} says {kind}; ask for the release again.",
                entry=entry["name"],
                path=path,
                facts_name=FACTS_NAME,
                kind=kind.value,
            ) from None
    order = _listed(labels, entry.get("domain")) if values is None else None
    return Column.from_codes(entry["name"], codes, labels, absent, values, kind=kind, storage=storage, order=order)


def _among(labels: np.ndarray[Any, np.dtype[np.object_]], few: Iterable[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return (m,) which labels are among a few."""
    known = set(few)
    return np.fromiter((text in known for text in labels), bool, len(labels)) if known else np.zeros(len(labels), bool)


def _listed(labels: np.ndarray[Any, np.dtype[np.object_]], domain: Any) -> np.ndarray[Any, np.dtype[np.intp]] | None:
    """Return the order in which the facts list a column's labels: intervals stand in theirs, not by text."""
    if not isinstance(domain, list) or sorted(map(str, domain)) != sorted(labels.tolist()):
        return None
    place = {label: at for at, label in enumerate(domain)}
    return np.argsort([place[label] for label in labels.tolist()])
