"""A release read back without its source."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from splu_desktop.core.answer.conditions import columns_named
from splu_desktop.core.mechanism import CLASS, NUMBER, ClassCell
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.whole_files import CannotWrite, check_new
from splu_desktop.files.release.columns import read_column
from splu_desktop.files.release.csv_table import read_table
from splu_desktop.files.release.facts import (
    FACTS_NAME,
    TABLE_NAME,
    Dialect,
    blocks_of,
    cells_of,
    correlations_of,
    damage_fault,
    means_of,
    parse_facts,
    words_of,
)
from splu_desktop.files.release.package import Package, contents, digest_of, incomplete, open_package

_MOST_FACTS = 1 << 28  # bytes of a release.json


@dataclass(frozen=True, eq=False)
class OpenRelease:
    """A release, read and checked.

    Attributes
    ----------
    path : where it lies: its folder or ZIP.
    facts : `release.json` as plain data.
    published : the table with what its reader knows.
    """

    path: Path
    facts: dict[str, Any]
    published: Published

    @property
    def id(self) -> str:
        """The release's own name, by chance."""
        return str(self.facts["id"])

    @property
    def title(self) -> str:
        """What the custodian called it."""
        return str(self.facts["title"])

    @property
    def timestamp(self) -> str:
        """When it was made, ISO 8601."""
        return str(self.facts["created"])


def open_release(
    path: Path, *, password: str | None = None, conditions: Sequence[str] | None = None, progress: Progress = SILENT
) -> OpenRelease:
    """Read a release: its folder, the path of its release.json, or a ZIP of it.

    conditions : what is asked, if nothing else is: then only columns that it may name are read, those drawn with them,
        classes and persons.

    Raises BadRelease with a sentence where anything is missing, altered or of another version, PasswordNeeded;
    Cancelled.
    """
    package, wanted = open_package(Path(path), password), None
    with in_background(lambda watch: digest_of(package, TABLE_NAME, watch), progress) as digest:
        facts = facts_of(package)
        names = [entry["name"] for entry in facts["columns"]]
        named = [set(columns_named(text, names)) for text in conditions or ()]
        if conditions is not None and all(named):  # else a sentence names those that there are
            asked = set().union(*named)
            together = [set(block["columns"]) for block in facts["blocks"]]  # what is drawn as one is one event
            wanted = asked.union((CLASS, NUMBER), *(block for block in together if block & asked)) & set(names)
        published = published_of(package, facts, progress, wanted)
        if digest() != next(entry["sha256"] for entry in facts["files"] if entry["name"] == TABLE_NAME):
            raise damage_fault(package.path / TABLE_NAME)
    return OpenRelease(package.path, facts, published)


def check_answers_path(path: Path, *, overwrite: bool, release: Path | None = None) -> None:
    """Raise CannotWrite where answers can't go to `path`, a CSV or XLSX by its ending, before any work is done.

    release : the folder or ZIP asked, in which nothing is ever written.
    """
    check_new(path, overwrite=overwrite)
    if path.suffix.lower() not in (".csv", ".xlsx"):
        raise CannotWrite("“{path}” must end in .csv or .xlsx.", path=path.name)
    if release is not None and path.absolute() == release.absolute():
        raise CannotWrite("“{path}” would lie in a release; choose another folder.", path=path)


def facts_of(package: Package) -> dict[str, Any]:
    """Return the facts of a package. Raises BadRelease."""
    raw = contents(package, FACTS_NAME, most=_MOST_FACTS)
    facts = parse_facts(raw, str(package.path / FACTS_NAME))
    if not any(entry["name"] == TABLE_NAME for entry in facts["files"]):
        raise damage_fault(package.path / FACTS_NAME)
    return facts


def published_of(
    package: Package, facts: dict[str, Any], progress: Progress, wanted: Collection[str] | None = None
) -> Published:
    """Return the table, or the columns wanted, with what its reader knows. Raises BadRelease; Cancelled."""
    if TABLE_NAME not in package.names():
        raise incomplete(package.path, TABLE_NAME)
    dialect = Dialect(**facts["dialect"])
    entries = {each["name"]: each for each in facts["columns"] if wanted is None or each["name"] in wanted}
    columns, damaged = [], FACTS_NAME
    try:
        cells = cells_of(facts)  # once: there may be thousands
        damaged = TABLE_NAME
        with package.open(TABLE_NAME) as file:
            for name, codes, texts in read_table(file, dialect, facts["records"], progress, wanted):
                # What is popped can't come twice; what is left over was stated and is not there.
                columns.append(read_column(entries.pop(name), codes, texts, dialect.decimal))
        if entries:
            raise ValueError("other columns than stated")
        published = describe_table(facts, Table(tuple(columns)), cells)
    # Facts are sealed, but whoever writes a folder can seal it anew: they are untrusted to the last field.
    except (ValueError, KeyError, TypeError):
        raise damage_fault(package.path / damaged) from None
    return published


def describe_table(facts: dict[str, Any], table: Table, cells: tuple[ClassCell, ...]) -> Published:
    """Return a table with what its reader knows. Raises ValueError, KeyError, TypeError where it does not fit."""
    if table.n != facts["records"]:
        raise ValueError("other rows than stated")
    published = Published(
        table=table,
        blocks=blocks_of(facts),
        class_columns=tuple(map(str, facts["classes"]["columns"])),
        cells=cells,
        person=facts["person"],
        correlations=correlations_of(facts),
        thresholds=Thresholds(**facts["thresholds"]),
        rare={str(name): int(least) for name, least in facts["rare"].items()},
        means=means_of(facts),
        words=words_of(facts),
        spread={str(name): float(each) for name, each in dict(facts.get("spread", {})).items()},
    )
    if not all(0 <= each < math.inf for each in published.spread.values()):
        raise ValueError("a spread that is none")
    # Classes index arrays everywhere; a negative one would count from the end, and silently.
    if published.record_class.max(initial=0) >= len(published.cells) or published.record_class.min(initial=0) < 0:
        raise ValueError("a class that is not stated")
    if (NUMBER in table and published.person is False) or (CLASS not in table and len(published.cells) > 1):
        raise ValueError("persons or classes without their column")
    return published
