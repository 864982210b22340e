"""Whether each figure of a report that follows from its release is the release's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT
from splu_desktop.files.disk.plain_data import TooLong, file_bytes, from_json
from splu_desktop.files.release.reading import open_release
from splu_desktop.report.facts import EXTERNAL
from splu_desktop.report.fields import Fields
from splu_desktop.report.limit_facts import ALIKE, AVERAGE, READ, RISKIEST, SMALL, Limit
from splu_desktop.report.make import FORMAT, Report, as_json, make_report

_LARGEST = 1 << 27  # bytes of a report
_MOST = 20  # differences that are named


class BadReport(FileFault):
    """A report can't be read."""


def verify_report(report_path: Path, release_path: Path, password: str | None = None) -> list[str]:
    """Return in sentences what differs between a recipient's JSON report and its release; nothing where all agrees.

    Raises BadReport, also where another version made it and figures differ; BadRelease, PasswordNeeded.
    """
    report = _read(report_path)
    if report.get("edition") != EXTERNAL:
        raise BadReport(
            "“{name}” is not a recipient's report; only that follows from a release.", name=report_path.name
        )
    opened = open_release(release_path, password=password)
    # Law follows from no release, and neither it nor what was typed is compared.
    again = make_report(opened, Fields(law="none"), progress=SILENT)
    true = _derive(from_json(as_json(again).decode("utf-8"))) | _say_of_lines(again, report.get("verdict"))
    stated, met = _derive(report), f"{ALIKE} met"
    true[met] = true.get(met) and stated.get(met) is not False  # cells left empty for it are the register's to tell
    differences = list(_differences("", stated, true))[:_MOST]
    if differences and report.get("made_with") != __version__:
        raise BadReport(
            "“{name}” was made by another version of the program, whose figures may differ: check it with that.",
            name=report_path.name,
        )
    return differences


def _read(path: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = from_json(file_bytes(path, _LARGEST).decode("utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(FORMAT)
    except (OSError, LookupError, TypeError, ValueError, TooLong):
        raise BadReport("“{name}” can't be read as a report in JSON.", name=path.name) from None
    return data


def _derive(data: dict[str, Any]) -> dict[str, Any]:
    """Return what follows from a release: all figures, what limits are held against, and for whom it was made."""
    stated, verdict = ({**each} if isinstance(each, dict) else {} for each in map(data.get, ("custodian", "verdict")))
    derived = {name: value for name, value in stated.items() if name not in ("fields", "state", "title")}
    lines = verdict.get("lines")
    for each in lines if isinstance(lines, list) else ():
        if isinstance(each, dict) and each.get("name") in (ALIKE, AVERAGE, RISKIEST, SMALL, READ):
            # An original may keep a limit that its release, by chance, does not; but not these two.
            parts = ("value", "limit", "met") if each["name"] in (ALIKE, SMALL) else ("value", "limit")
            derived |= {f"{each['name']} {part}": each.get(part) for part in parts}
    first = {name: verdict.get(name) for name in ("answered", "code", "sentence")}
    return {**derived, **first, "release": data.get("release")}


def _say_of_lines(again: Report, verdict: Any) -> dict[str, Any]:
    """Return the first line of a report by the lines it states: who accepted them, the register alone knows."""
    try:
        limits = tuple(Limit(**each) for each in verdict["lines"])
        first = Report(replace(again.facts, limits=limits, state=verdict["state"]), again.fields).verdict_as_dict()
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        return {"code": "", "sentence": ""}  # no report of ours states such lines
    return {name: first[name] for name in ("code", "sentence")}


def _differences(place: str, stated: Any, true: Any) -> Iterator[str]:
    if isinstance(true, dict) and isinstance(stated, dict):
        for name in sorted({*true, *stated}):
            yield from _differences(f"{place}.{name}".lstrip("."), stated.get(name), true.get(name))
    elif isinstance(true, list) and isinstance(stated, list) and len(true) == len(stated):
        for at, (one, other) in enumerate(zip(stated, true, strict=True)):
            yield from _differences(f"{place}[{at}]", one, other)
    elif not _same(stated, true):
        yield say(
            "“{place}” is {stated} in the report, and {true} by the release.",
            place=place,
            stated=str(stated)[:60],
            true=str(true)[:60],
        )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool) or not isinstance(one, int | float):
        return bool(one == other)
    return isinstance(other, int | float) and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
