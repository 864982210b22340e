"""What a recipient, or anybody, can check of a release without its source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.analyse.transitions import stated
from splu_desktop.core.checks.selfcheck import Check, check_alone
from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Table
from splu_desktop.files.register.book import Register, RegisterFault
from splu_desktop.files.release.facts import FACTS_NAME, BadRelease, draws_of, means_of, repeats_of
from splu_desktop.files.release.package import Package, PasswordNeeded, contents, digest_of, open_package, storage_of
from splu_desktop.files.release.read_back import differing
from splu_desktop.files.release.reading import facts_of, table_of


def verify_release(
    path: Path,
    *,
    password: str | None = None,
    register: Register | None = None,
    progress: Progress = SILENT,
) -> tuple[Check, ...]:
    """Check a release: its facts, the hash of each file, the table against the facts, and what chance makes of it.

    Parameters
    ----------
    path : release folder, its release.json, or a ZIP.
    register : where the release is looked up, if it was made here; None for no look.

    Returns
    -------
    tuple of Check, named "release.json", "files", "register", "table", "formats", "guarantees", "transitions",
    "counts", "order".

    Raises PasswordNeeded, and BadRelease where there is no release at all; Cancelled.
    """
    package = open_package(path, password)
    storage = storage_of(package)
    found: list[Check] = []
    try:
        facts = facts_of(package)
    except PasswordNeeded:
        raise
    except BadRelease as fault:
        return (Check("release.json", False, str(fault)),)
    found.append(
        Check("release.json", True, say("{facts_name} is of a known version and unchanged.", facts_name=FACTS_NAME))
    )
    found += check_files(package, facts, progress)
    found += _registered(package, facts, register)
    found.append(_guarantees(facts))
    try:
        table = table_of(package, facts, verify=False, progress=progress, storage=storage)
    except BadRelease as fault:
        return (*found, Check("table", False, str(fault)))
    found.append(_table(table, facts))
    found += _formats(package, facts, table, progress)
    thresholds = Thresholds(**facts["thresholds"])
    published = Published(table, draws_of(facts), thresholds, repeats_of(facts), means_of(facts))
    found += _transitions(facts, published)
    found += check_alone(published, progress=progress)
    return tuple(found)


def check_files(package: Package, facts: dict[str, Any], progress: Progress = SILENT) -> list[Check]:
    """Return a check per file that `facts` name: there, and with the stated hash. Raises Cancelled."""
    found = []
    for entry in facts["files"]:
        name = entry["name"]
        if name not in package.names():
            found.append(Check("files", False, say("“{name}” is missing from “{path}”.", name=name, path=package.path)))
            continue
        try:
            digest = digest_of(package, name, progress) if package.size(name) == entry["bytes"] else ""
        except BadRelease as fault:
            found.append(Check("files", False, str(fault)))
            continue
        same = digest == entry["sha256"]
        found.append(
            Check(
                "files",
                same,
                say("“{name}” is unchanged.", name=name)
                if same
                else say("“{name}” was changed after it was released.", name=name),
            )
        )
    known = {FACTS_NAME, *(entry["name"] for entry in facts["files"])}
    others = [name for name in package.names() if name not in known]
    if others:
        found.append(
            Check("files", True, say("Not part of the release, though it lies beside it: “{file}”.", file=others[0]))
        )
    return found


def _registered(package: Package, facts: dict[str, Any], register: Register | None) -> list[Check]:
    if register is None or not register.folder.is_dir():
        return []
    try:
        reading = register.read()
    except RegisterFault as fault:
        return [Check("register", True, say("Not compared with the register of releases: {fault}", fault=fault))]
    entry = next((entry for entry in reading.releases if entry.release == facts.get("id")), None)
    if entry is None:
        return [Check("register", True, "This computer's register of releases does not know the release.")]
    _, digest = contents(package, FACTS_NAME, most=package.size(FACTS_NAME))
    same = entry.body.get("facts_sha256") == digest
    text = say("release.json is the one that entry {number} of the register of releases tells of.", number=entry.number)
    if not same:
        text = say(
            "release.json is not the one that entry {number} of the register of releases tells of.", number=entry.number
        )
    return [Check("register", same, text)]


def _guarantees(facts: dict[str, Any]) -> Check:
    thresholds = Thresholds(**facts["thresholds"])
    domains = {column["name"]: column["domain"] for column in facts["columns"] if column["role"] == "sa"}
    for name, draw in draws_of(facts).items():
        told = draw.told(facts["records"], domains[name], thresholds)
        known, said = draw.stated(thresholds, told), facts.get("guarantees", {}).get(name)
        same = _close(said, known) or _close(said, dict(draw.stated_before(known)))
        if not same or facts.get("gammas", {}).get(name) != draw.gamma:
            text = say(
                "The guarantees stated for “{column}” are not those of {words}.", column=name, words=draw.words()
            )
            return Check("guarantees", False, text, name)
    return Check("guarantees", True, "The stated guarantees are those of the stated group sizes.")


def _transitions(facts: dict[str, Any], published: Published) -> list[Check]:
    """Return whether the stated transitions are those of table and draws; releases of older versions state none."""
    if "transitions" not in facts:
        return []
    known = stated(Reader(published))
    for block in known.get("blocks", ()):
        del block["groups"]  # examples by chance, which another version of NumPy may draw otherwise
    if not _close(facts["transitions"], known):
        return [
            Check("transitions", False, "The stated chances of the draw are not those that table and settings give.")
        ]
    return [Check("transitions", True, "The stated chances of the draw are those that table and settings give.")]


def _close(stated: Any, known: Any) -> bool:
    if isinstance(known, dict):
        return isinstance(stated, dict) and all(_close(stated.get(key), value) for key, value in known.items())
    if isinstance(known, list):
        return (
            isinstance(stated, list)
            and len(stated) == len(known)
            and all(_close(one, other) for one, other in zip(stated, known, strict=True))
        )
    if known is None or isinstance(known, str | bool):
        return type(stated) is type(known) and stated == known
    if type(stated) not in (int, float):
        return False
    try:
        return bool(np.isclose(float(stated), known, rtol=1e-6, atol=1e-9))
    except OverflowError:  # a whole number beyond all that a float can hold
        return False


def _table(table: Table, facts: dict[str, Any]) -> Check:
    for column, entry in zip(table.columns, facts["columns"], strict=True):
        stated = entry.get("domain")
        if entry.get("distinct") != column.m or (stated is not None and list(column.labels) != stated):
            return Check(
                "table",
                False,
                say(
                    "The values of “{column}” are not those that {facts_name} states.",
                    column=column.name,
                    facts_name=FACTS_NAME,
                ),
                column.name,
            )
    return Check(
        "table",
        True,
        say("The table has the {records} records, the columns and the values stated.", records=facts["records"]),
    )


def _formats(package: Package, facts: dict[str, Any], table: Table, progress: Progress) -> list[Check]:
    found: list[Check] = []
    if all(entry["format"] != "csv" for entry in facts["files"]):
        return found  # Parquet files are the table themselves
    for entry in facts["files"]:
        if entry["format"] not in ("xlsx", "parquet") or entry["name"] not in package.names():
            continue
        try:
            raw = None
            if package.path.is_file() or entry["format"] == "xlsx":
                raw, _ = contents(package, entry["name"], most=package.size(entry["name"]), progress=progress)
            odd = differing(raw, package.path / entry["name"], entry["format"], table, progress)
        except FileFault as fault:
            found.append(
                Check(
                    "formats",
                    True,
                    say("“{file}” was not compared with the CSV: {fault}", file=entry["name"], fault=fault),
                )
            )
            continue
        text = say("“{file}” holds the same values as the CSV.", file=entry["name"])
        if odd is not None:
            text = say("Column “{column}” of “{file}” holds other values than the CSV.", column=odd, file=entry["name"])
        found.append(Check("formats", odd is None, text, odd))
    return found
