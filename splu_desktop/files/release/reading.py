"""A release read back without its source: its facts, and its table at once, or columns as they are asked for."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.table import IN_MEMORY, Column, Joint, Kind, OnDemand, Storage, Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.disk.inert import restored
from splu_desktop.files.disk.stamp import stamp
from splu_desktop.files.importer.raw import Away, RawColumn
from splu_desktop.files.release.csv_table import read_cells
from splu_desktop.files.release.facts import FACTS_NAME, BadRelease, draws_of, means_of, parse_facts, repeats_of
from splu_desktop.files.release.package import Package, contents, digest_of, open_package, storage_of
from splu_desktop.files.tables.spelling import parsed
from splu_desktop.frozen import dataclass

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
        known: dict[str, Any] = {}

        def asked(some: Sequence[str], first: int | None = None, most: int | None = None) -> _Asked:
            wanted = [names.index(name) for name in some]
            return _Asked(package, facts, verify, progress, storage, wanted, first, most, known)

        def read(some: Sequence[str], first: int | None, most: int | None) -> Sequence[Column]:
            return _columns(asked(some, first, most))

        def count(some: Sequence[str], later: Callable[[], None]) -> tuple[Sequence[Column], Joint] | None:
            return _counted(asked(some), later)

        table = OnDemand(names, facts["records"], read, count)
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


Cells = list[tuple[np.ndarray[Any, Any], list[str] | Texts]]  # of each column (N,) codes, and the texts they stand for


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is read, and how.

    Attributes
    ----------
    verify : whether each file's SHA-256 is compared with the stated one.
    wanted : the places of some columns, None for all.
    first : only so many first records. The table is not compared with its hash then, which asks for all of it.
    most : columns of more labels are left out; None for all.
    verified : file -> its stamp when it was last compared with its hash, which is not done again until it is touched.
    """

    package: Package
    facts: dict[str, Any]
    verify: bool
    progress: Progress
    storage: Storage
    wanted: Sequence[int] | None = None
    first: int | None = None
    most: int | None = None
    verified: dict[str, Any] = field(default_factory=dict)

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

    @property
    def by_parquet(self) -> list[dict[str, Any]]:
        """The Parquet files where they are what is read, else none: some columns of a large table, or no CSV.

        A column of which they hold values that two of its labels stand for is read from the CSV.
        """
        files = self.facts["files"]
        parts = [entry for entry in files if entry["format"] == "parquet"]
        entry = next((entry for entry in files if entry["format"] == "csv"), None)
        if entry is None:
            return parts
        quicker = parts and self.wanted is not None and find_spec("pyarrow") and entry["bytes"] > _LARGE
        columns = [self.facts["columns"][at] for at in self.wanted or ()] if quicker else []
        return parts if columns and all(_spelt(described)[1] for described in columns) else []

    @contextmanager
    def comparing(self, entries: Sequence[dict[str, Any]]) -> Iterator[None]:
        """Compare files with their hashes while the block reads them. Raises BadRelease."""
        stamps = {entry["name"]: stamp(self.package.path / entry["name"]) for entry in entries}
        new = [entry for entry in entries if self.verified.get(entry["name"]) != stamps[entry["name"]]]
        with ThreadPoolExecutor(1) as pool:
            compared = self.verify and self.first is None
            digests = [(entry, pool.submit(digest_of, self.package, entry["name"])) for entry in new if compared]
            yield
            for entry, digest in digests:
                if digest.result() != entry["sha256"]:
                    raise _altered(self.package.path / entry["name"])
                self.verified[entry["name"]] = stamps[entry["name"]]


def _counted(asked: _Asked, later: Callable[[], None]) -> tuple[Sequence[Column], Joint] | None:
    """Return columns known by their counts, and these together; None where every record is to be read instead.

    Raises BadRelease; FileFault; Cancelled.
    """
    package, facts, parts = asked.package, asked.facts, asked.by_parquet
    if not parts or package.path.is_file():  # a ZIP, whose files lie nowhere
        return None
    from splu_desktop.files.importer import parquet  # most releases are read from their CSV

    for entry in parts:
        asked.check_there(entry)
    assert asked.wanted is not None
    every = [entry["name"] for entry in facts["columns"]]
    with asked.comparing(parts):
        found = parquet.counts([package.path / entry["name"] for entry in parts], every, asked.wanted, asked.progress)
    if found is None or found[1].sum() != facts["records"]:
        return None
    columns, codes = [], {}
    for at, (name, each, values) in zip(asked.wanted, found[0], strict=True):
        index: dict[str, int] = {}
        place = np.array([index.setdefault(parquet.cell_text(value), len(index)) for value in values], np.int32)
        described = _described(asked, at, np.arange(len(index), dtype=np.int32), list(index), parts[0])
        codes[name] = described.codes[place][each]
        counts = np.bincount(codes[name], found[1], described.m).astype(np.int64)
        given = described.labels, described.missing, described.values
        columns.append(Column.of_counts(name, counts, *given, kind=described.kind, later=later))
    return columns, Joint(codes, found[1])


def _columns(asked: _Asked) -> list[Column]:
    """Return columns of the table. Raises BadRelease; FileFault; Cancelled."""
    package, facts, first = asked.package, asked.facts, asked.first
    entry = next((entry for entry in facts["files"] if entry["format"] == "csv"), None)
    parts = [entry for entry in facts["files"] if entry["format"] == "parquet"]
    where = package.path / FACTS_NAME
    if (entry is not None and entry["name"] != "table.csv") or (entry is None and not parts):
        raise BadRelease("“{where}” names no table; ask for the complete release.", where=where)
    if found := asked.by_parquet:
        entry = found[0]
        header, cells = _parquet_cells(asked, found)
    else:
        assert entry is not None
        header, cells = _csv_cells(asked, entry)
    path = package.path / entry["name"]
    _check_header(header, len(cells[0][0]) if cells and first is None else facts["records"], path, facts)
    columns = []
    places = range(len(header)) if asked.wanted is None else asked.wanted
    for done, (at, (codes, texts)) in enumerate(zip(places, cells, strict=True)):
        asked.progress.report("Reading the table", (done + 1) / len(cells))
        if asked.most is not None and len(texts) > asked.most:
            continue
        columns.append(_described(asked, at, codes if first is None else codes[:first], list(texts), entry))
    return columns


def _described(asked: _Asked, at: int, codes: np.ndarray[Any, Any], texts: list[str], entry: dict[str, Any]) -> Column:
    """Return the column at a place as the facts describe it, from its codes over texts. Raises BadRelease."""
    described, path = asked.facts["columns"][at], asked.package.path / entry["name"]
    if entry["format"] == "parquet" and (spelt := _spelt(described)[0]):
        values = _values([text for text in texts if text], Kind[described["kind"].upper()])
        texts = [spelt.get(next(values, None) if text else None, text) for text in texts]
    labels = np.array(texts, dtype=object)
    if (
        asked.first is None
        and "domain" in described
        and described["role"] == "sa"
        and sorted(texts) != sorted(described["domain"])
    ):
        raise BadRelease(
            "Column “{entry}” of “{path}” holds other values than {facts_name} says; ask for the release again.",
            entry=described["name"],
            path=path,
            facts_name=FACTS_NAME,
        )
    return _column(described, codes, labels, _among(labels, described["missing"]), path, asked.storage)


def _spelt(described: dict[str, Any]) -> tuple[dict[Any, str], bool]:
    """Return value -> label of a column that Parquet holds by its values, and whether each value has one label.

    None is no value. Nothing, where Parquet holds the labels themselves; of a column whose labels the facts do not
    list, no value alone.
    """
    kind, missing = Kind[described["kind"].upper()], list(described["missing"])
    if not kind.ordered or described.get("texts"):
        return {}, True
    labels = [label for label in described.get("domain", ()) if label not in missing]
    found: dict[Any, str] = dict(zip(_values(labels, kind), labels, strict=False))
    if missing:
        found[None] = missing[0]
    return found, len(found) == len(labels) + len(missing)


def _values(texts: list[str], kind: Kind) -> Iterator[Any]:
    """Give what texts stand for; nothing where one is none of the kind, which is said of the whole column."""
    try:
        return iter(parsed(np.array(texts, object), kind).tolist())
    except ValueError:
        return iter(())


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
    few = [asked.most is None or len(texts) <= asked.most for _, texts in cells]  # others are left out
    made = [list(map(restored, texts)) if some else texts for (_, texts), some in zip(cells, few, strict=True)]
    return [restored(name) for name in header], [(codes, texts) for (codes, _), texts in zip(cells, made, strict=True)]


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
        with asked.comparing([entry] if content is None else []):
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
        if verify and content is not None and digest != entry["sha256"]:
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
    used = column.counts > 0
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
