"""Checks a report against a release without the source: every fingerprint, and every figure that the release yields."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import SpluError
from splu_desktop.core.guarantees.audience import Limits
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.release.facts import FACTS_NAME, BadRelease
from splu_desktop.files.release.package import Package, open_package
from splu_desktop.files.release.reading import OpenRelease, read_release
from splu_desktop.frozen import dataclass
from splu_desktop.report import model
from splu_desktop.report.public import file_facts, public, told_counts, weighed
from splu_desktop.report.render.json_report import read_json
from splu_desktop.report.render.schema import problems

_CLOSE = 1e-9  # another processor may round the last digits of a logarithm otherwise
_GUESSES = 5e-3  # and then end a search for weights elsewhere, or decide a near-tie otherwise
_MOST_SHOWN = 200
_NOT_COMPARED = {"public.release.folder"}  # a folder may be renamed


@dataclass(frozen=True)
class Difference:
    """Something that does not agree.

    Attributes
    ----------
    where : "report", a file's name, or a place in the report such as "public.guarantees[0].t_f".
    sentence : what, in one sentence.
    """

    where: str
    sentence: str


@dataclass(frozen=True)
class Verification:
    """What a check of a report found.

    Attributes
    ----------
    differences : empty where all agrees.
    compared : figures compared.
    files : files whose fingerprints were compared.
    edition : of the report; figures of the internal part that need the source are not compared.
    digest : of what is reported, as the page to be signed states it.
    """

    differences: tuple[Difference, ...]
    compared: int
    files: int
    edition: str
    digest: str


def verify_report(
    report: Path, release: Path, *, password: str | None = None, progress: Progress = SILENT
) -> Verification:
    """Check a report against a release.

    Raises BadReport: the report is no JSON or no report. BadRelease : there is no release. PasswordNeeded; Cancelled.
    """
    data, sealed = read_json(report)
    found: list[Difference] = []
    if not sealed:
        found.append(
            Difference(
                "report",
                say("“{name}” was altered after it was written: its digest does not fit its bytes.", name=report.name),
            )
        )
    wrong = list(problems(data))
    found += [Difference(place or "report", _wrong(place, what)) for place, what in wrong[:_MOST_SHOWN]]
    package = open_package(release, password)
    stated = _stated_files(data)
    found += list(_files(package, stated, progress))
    compared = 0
    try:
        opened = read_release(release, password=password, progress=progress, verify=False)
    except BadRelease as fault:
        found.append(Difference(FACTS_NAME, str(fault)))
    else:
        if not wrong:
            more, compared = _figures(data, opened, password, progress)
            found += more
    unique = {(each.where, each.sentence): each for each in found}
    return Verification(
        tuple(unique.values()), compared, len(stated), str(data.get("edition", "")), model.digest_of(data)
    )


def _wrong(place: str, what: str) -> str:
    return say("{place}: {what}.", place=place, what=what) if place else say("The report {what}.", what=what)


def _stated_files(data: dict[str, Any]) -> dict[str, str]:
    try:
        return {str(entry["name"]): str(entry["sha256"]) for entry in data["public"]["files"]}
    except (KeyError, TypeError):
        return {}


def _files(package: Package, stated: dict[str, str], progress: Progress) -> Iterator[Difference]:
    there = package.names()
    for name, sha256 in stated.items():
        if name not in there:
            yield Difference(name, say("The release lacks its file “{name}”.", name=name))
            continue
        try:
            now = file_facts(package, name, None, progress)
        except SpluError as fault:
            yield Difference(name, str(fault))
            continue
        if now.sha256 != sha256:
            yield Difference(
                name,
                say(
                    "“{name}” is not the file reported on: its SHA-256 is {now}, not {then}.",
                    name=name,
                    now=now.sha256,
                    then=sha256,
                ),
            )
    for name in there:
        if name not in stated:
            yield Difference(name, say("The release holds a file “{name}” that the report does not know.", name=name))


def _figures(
    data: dict[str, Any], opened: OpenRelease, password: str | None, progress: Progress
) -> tuple[list[Difference], int]:
    said = data["public"]["cover"]
    try:
        typed = model.Fields(**{item.name: said["fields"][item.name] for item in fields(model.Fields)})
        again = public(
            opened,
            typed,
            created=said["created"],
            time_zone=said["time_zone"],
            software_version=said["software_version"],
            laws=tuple(model.LawPack(**law) for law in said["laws"]),
            password=password,
            progress=progress,
        )
    except SpluError as fault:
        return [Difference("report", str(fault))], 0
    behind = data.get("original", {})
    checks = tuple(model.CheckResult(**check) for check in behind.get("checks", ()))
    warned = [line["name"] for line in behind.get("acknowledged") or ()]
    limits = behind.get("audience_limits")
    again = weighed(
        again,
        checks,
        again=bool(behind.get("earlier")),
        warned=warned,
        limits=None if limits is None else Limits(**limits),
    )
    found, compared = [], 0
    leaves = (
        (where, ours, theirs, where not in _NOT_COMPARED and not _same(where, ours, theirs))
        for where, ours, theirs in _leaves(data["public"], model.plain(again), "public")
    )
    counts = ((where, ours, theirs, ours != theirs) for where, ours, theirs in _published_counts(data, opened))
    for where, ours, theirs, differ in itertools.chain(leaves, counts):
        compared += 1
        if differ:
            found.append(
                Difference(
                    where,
                    say(
                        "{where}: the report says {said}, the release gives {found}.",
                        where=where,
                        said=_shown(ours),
                        found=_shown(theirs),
                    ),
                )
            )
    return found[:_MOST_SHOWN], compared


def _published_counts(data: dict[str, Any], opened: OpenRelease) -> Iterator[tuple[str, Any, Any]]:
    """Give the published counts that the internal part repeats."""
    for i, marginal in enumerate(data.get("original", {}).get("marginals", ())):
        if marginal["column"] not in opened.published.table:
            yield f"original.marginals[{i}].column", marginal["column"], None
            continue
        column = opened.published.table[marginal["column"]]
        counts = dict(zip(column.labels.tolist(), column.counts().tolist(), strict=True))
        told = told_counts(opened.published, column.name, [row["value"] for row in marginal["values"]])
        for j, (row, answered) in enumerate(zip(marginal["values"], told, strict=True)):
            yield f"original.marginals[{i}].values[{j}].published", row["published"], counts.get(row["value"], 0)
            yield f"original.marginals[{i}].values[{j}].told", row["told"], answered


def _leaves(ours: Any, theirs: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in dict.fromkeys([*ours, *theirs]):
            yield from _leaves(ours.get(name), theirs.get(name), f"{where}.{name}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield say("{where} (number of entries)", where=where), len(ours), len(theirs)
        for i, (one, other) in enumerate(zip(ours, theirs, strict=False)):
            yield from _leaves(one, other, f"{where}[{i}]")
    else:
        yield where, ours, theirs


def _same(where: str, ours: Any, theirs: Any) -> bool:
    number = isinstance(ours, int | float) and isinstance(theirs, int | float)
    if not number or isinstance(ours, bool) or isinstance(theirs, bool):
        return type(ours) is type(theirs) and bool(ours == theirs)
    if isinstance(ours, int) and isinstance(theirs, int):
        return bool(ours == theirs)
    if ".attacks[" in where:
        return bool(abs(ours - theirs) <= _GUESSES)
    return math.isclose(ours, theirs, rel_tol=_CLOSE, abs_tol=1e-12)


def _shown(value: Any) -> str:
    text = f"“{value}”" if isinstance(value, str) else "nothing" if value is None else f"{value}"
    return text if len(text) <= 120 else text[:119] + "…"
