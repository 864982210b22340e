"""The release folder: written whole, read back without the source.

`release.json` says all that a reader needs and nothing that only the source knows: every figure in it follows from the
published table, the plan's parameters or the software.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from splu_desktop import __version__
from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.inert import restored
from splu_desktop.files.table_writers import WRITERS
from splu_desktop.files.whole import whole_folder

FORMAT = "splu-release"
FORMAT_VERSION = 1
FACTS_NAME = "release.json"
_LONGEST_DOMAIN = 5_000  # the domain of an NSA with more labels is left to the table itself


class BadRelease(FileFault):
    """A release folder is incomplete, altered, or of a kind this version can't read."""


@dataclass(frozen=True, eq=False)
class OpenRelease:
    """A release folder, read and checked.

    Attributes
    ----------
    folder : where it lies.
    facts : `release.json` as plain data.
    published : the table with its gammas and thresholds.
    """

    folder: Path
    facts: dict[str, Any]
    published: Published


def write_release(
    published: Published,
    folder: Path,
    *,
    formats: Sequence[str] = ("csv",),
    progress: Progress | None = None,
) -> OpenRelease:
    """Write a release folder, whole or not at all.

    Parameters
    ----------
    published : what `sanitise.run` returned.
    folder : must not exist; its parent must.
    formats : of "csv", "xlsx", "parquet"; CSV is always written, since it is what the reader opens.

    Raises
    ------
    CannotWrite, BadSetting (unknown format), NoParquet, Cancelled. Nothing is left behind then.
    """
    progress = progress or Silent()
    wanted = dict.fromkeys(["csv", *formats])
    for name in wanted:
        if name not in WRITERS:
            raise BadSetting(f"There is no output format “{name}”; choose among {', '.join(WRITERS)}.")
    table = Table(tuple(_plain(column) for column in published.table.columns))
    final = Published(table=table, gammas=published.gammas, thresholds=published.thresholds)
    with whole_folder(folder) as partial:
        files = []
        for name in wanted:
            file_name, write = WRITERS[name]
            write(table, partial / file_name, progress)
            files.append(_file_facts(partial / file_name, name, progress))
        facts = _facts(final, files)
        text = json.dumps(facts, ensure_ascii=False, indent=2, allow_nan=False)
        (partial / FACTS_NAME).write_text(text + "\n", encoding="utf-8")
        progress.report("Finishing", 1.0)
    return OpenRelease(folder=folder, facts=facts, published=final)


def read_release(folder: Path, *, progress: Progress | None = None, verify: bool = True) -> OpenRelease:
    """Read a release folder (or the path of its release.json).

    Raises BadRelease with a sentence where anything is missing, altered or of another version; Cancelled.
    """
    progress = progress or Silent()
    if folder.name == FACTS_NAME and folder.is_file():
        folder = folder.parent
    if not folder.is_dir():
        raise BadRelease(f"There is no release folder “{folder}”; give the folder that holds {FACTS_NAME}.")
    facts = _read_facts(folder)
    entry = next((entry for entry in facts["files"] if entry["format"] == "csv"), None)
    if entry is None:
        raise BadRelease(f"“{folder / FACTS_NAME}” names no CSV table; ask for the complete release folder.")
    path = folder / "table.csv"
    if entry["name"] != path.name or not path.is_file():
        raise BadRelease(f"“{folder}” lacks its table “{path.name}”; ask for the complete release folder.")
    if verify and sha256_of(path, progress) != entry["sha256"]:
        raise BadRelease(
            f"“{path}” is not the table that was released: its SHA-256 differs from the one in {FACTS_NAME}; "
            "ask for the release again."
        )
    table = _read_table(path, facts, progress)
    gammas = {column["name"]: column["gamma"] for column in facts["columns"] if column["role"] == "sa"}
    thresholds = Thresholds(**facts["thresholds"])
    return OpenRelease(folder, facts, Published(table=table, gammas=gammas, thresholds=thresholds))


def sha256_of(path: Path, progress: Progress | None = None) -> str:
    """Return the SHA-256 of a file as hexadecimal text."""
    progress = progress or Silent()
    digest = hashlib.sha256()
    size, seen = max(path.stat().st_size, 1), 0
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            digest.update(block)
            seen += len(block)
            progress.report("Checking the file", seen / size)
    return digest.hexdigest()


def _plain(column: Column) -> Column:
    """Return a numeric or date column whose labels read back without knowledge of the source's spelling.

    Labels that ``float()`` or ISO 8601 understand stay to the letter; a column with other spellings (``108,429.42``,
    ``31.12.2020``) is respelled as a whole.
    """
    if column.values is None:
        return column
    known = ~column.missing
    labels = column.labels.copy()
    try:
        if np.array_equal(_parsed(labels[known], column.kind), column.values[known]):
            return column
    except ValueError:
        pass
    labels[known] = _spelled(column.values[known], column.kind)
    distinct, first, codes = np.unique(labels.astype(str), return_index=True, return_inverse=True)
    return Column.from_codes(
        column.name,
        codes[column.codes],
        distinct.astype(object),
        column.missing[first],
        column.values[first],
        kind=column.kind,
    )


def _parsed(labels: np.ndarray[Any, np.dtype[np.object_]], kind: Kind) -> np.ndarray[Any, Any]:
    if kind in (Kind.DATE, Kind.DATETIME):
        return np.array(labels.tolist(), "datetime64[us]")
    return np.array([float(text) for text in labels])


def _spelled(values: np.ndarray[Any, Any], kind: Kind) -> list[str]:
    if kind is Kind.DATE:
        return [str(day) for day in values.astype("datetime64[D]")]
    if kind is Kind.DATETIME:
        whole = bool((values == values.astype("datetime64[s]")).all())
        return [str(moment) for moment in values.astype("datetime64[s]" if whole else "datetime64[us]")]
    return [str(int(v)) if v == int(v) and abs(v) < 2**53 else repr(v) for v in values.tolist()]


def _file_facts(path: Path, form: str, progress: Progress) -> dict[str, Any]:
    return {
        "name": path.name,
        "format": form,
        "bytes": path.stat().st_size,
        "sha256": sha256_of(path, progress),
    }


def _facts(published: Published, files: list[dict[str, Any]]) -> dict[str, Any]:
    columns = []
    for column in published.table.columns:
        sensitive = column.name in published.gammas
        entry: dict[str, Any] = {
            "name": column.name,
            "role": "sa" if sensitive else "nsa",
            "kind": column.kind.name.lower(),
        }
        if sensitive:
            entry["gamma"] = published.gammas[column.name]
        entry["distinct"] = column.m
        if sensitive or column.m <= _LONGEST_DOMAIN:
            entry["domain"] = column.labels.tolist()
        entry["missing"] = column.labels[column.missing].tolist()
        columns.append(entry)
    thresholds = published.thresholds
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "software": {"name": "SPLU Desktop", "version": __version__},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "mechanism": "SPLU-Gen",
        "records": published.n,
        "gammas": dict(published.gammas),
        "columns": columns,
        "thresholds": {
            "epsilon": thresholds.epsilon,
            "t_e": thresholds.t_e,
            "alpha": thresholds.alpha,
            "t_p": thresholds.t_p,
        },
        "files": files,
    }


def _read_facts(folder: Path) -> dict[str, Any]:
    path = folder / FACTS_NAME
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadRelease(f"“{folder}” is not a release folder: it holds no {FACTS_NAME}.") from None
    except OSError as fault:
        raise BadRelease(f"“{path}” can't be read ({(fault.strerror or 'no reason given').lower()}).") from None
    except (ValueError, RecursionError):
        raise BadRelease(f"“{path}” is damaged: it is not valid JSON; ask for the release again.") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise BadRelease(f"“{path}” does not describe a release of this program.")
    if facts.get("version") != FORMAT_VERSION:
        raise BadRelease(
            f"“{path}” has release format {facts.get('version')}, and this program (version {__version__}) reads "
            f"format {FORMAT_VERSION}; open it with the program version that made it or a newer one."
        )
    problem = _shape_problem(facts)
    if problem:
        raise BadRelease(f"“{path}” is damaged: {problem}; ask for the release again.")
    return facts


def _shape_problem(facts: dict[str, Any]) -> str | None:
    """Return what keeps the facts from being usable, or None."""
    kinds = {kind.name.lower() for kind in Kind}
    try:
        if type(facts["records"]) is not int or facts["records"] < 1:
            return "the number of records is not a whole number from 1"
        if not facts["columns"]:
            return "it names no columns"
        for column in facts["columns"]:
            if (
                not isinstance(column["name"], str)
                or column["kind"] not in kinds
                or column["role"] not in ("nsa", "sa")
            ):
                return "a column's name, role or type is not understood"
            if column["role"] == "sa" and not (
                type(column["gamma"]) is int and 2 <= column["gamma"] <= facts["records"]
            ):
                return f"the group size gamma of column “{column['name']}” is not a whole number from 2"
            if not all(isinstance(label, str) for label in column["missing"]):
                return f"the missing values of column “{column['name']}” are not text"
        if not any(column["role"] == "sa" for column in facts["columns"]):
            return "it names no sensitive column"
        for entry in facts["files"]:
            if not all(isinstance(entry[key], str) for key in ("name", "format", "sha256")):
                return "the list of files is not understood"
        Thresholds(**facts["thresholds"])
    except (KeyError, TypeError, AttributeError) as fault:
        return (
            f"the entry {fault} is missing or not understood"
            if isinstance(fault, KeyError)
            else "its structure is broken"
        )
    except BadSetting:
        return "its thresholds are out of range"
    return None


def _read_table(path: Path, facts: dict[str, Any], progress: Progress) -> Table:
    progress.report("Reading the table", 0.0)
    described = facts["columns"]
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header = [restored(name) for name in next(csv.reader(file), [])]
        frame = pd.read_csv(
            path,
            dtype="category",
            keep_default_na=False,
            na_filter=False,
            encoding="utf-8",
            header=0,
            names=list(range(len(header))),
            index_col=False,
            skip_blank_lines=False,
        )
    except (ValueError, OSError, csv.Error):  # pandas' parser faults are ValueErrors
        raise BadRelease(f"“{path}” is not a readable CSV table; ask for the release again.") from None
    if len(frame) != facts["records"] or len(frame.columns) != len(described):
        raise BadRelease(
            f"“{path}” has {len(frame)} records and {len(frame.columns)} columns where {FACTS_NAME} says "
            f"{facts['records']} and {len(described)}; ask for the release again."
        )
    columns = []
    for at, entry in enumerate(described):
        progress.report("Reading the table", (at + 1) / len(described))
        if header[at] != entry["name"]:
            raise BadRelease(f"“{path}” has a column “{header[at]}” where {FACTS_NAME} says “{entry['name']}”.")
        series = frame[at]
        labels = np.array([restored(str(text)) for text in series.cat.categories], dtype=object)
        absent = np.isin(labels.astype(str), entry["missing"]) if len(labels) else np.zeros(0, bool)
        columns.append(_column(entry, series.cat.codes.to_numpy().astype(np.int32), labels, absent, path))
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
            values[~absent] = _parsed(labels[~absent], kind)
        except ValueError:
            raise BadRelease(
                f"Column “{entry['name']}” of “{path}” holds text where {FACTS_NAME} says {kind.value}; ask for the "
                "release again."
            ) from None
    return Column.from_codes(entry["name"], codes, labels, absent, values, kind=kind)
