"""Whether each figure of a report that follows from its release is the release's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT
from splu_desktop.files.disk.plain_data import TooLong, file_bytes, from_json
from splu_desktop.files.release.reading import open_release
from splu_desktop.report.facts import EXTERNAL
from splu_desktop.report.fields import Fields
from splu_desktop.report.limit_facts import ALIKE, AVERAGE, READ, RISKIEST, SMALL
from splu_desktop.report.make import FORMAT, FORMAT_VERSION, as_json, make_report

_LARGEST = 1 << 27  # bytes of a report
_MOST = 20  # differences that are named


class BadReport(FileFault):
    """A report can't be read."""


def verify_report(report_path: Path, release_path: Path, password: str | None = None) -> list[str]:
    """Return in sentences what differs between a recipient's JSON report and its release; nothing where all agrees.

    Raises BadReport, BadRelease, PasswordNeeded.
    """
    report = _read(report_path)
    if report.get("edition") != EXTERNAL:
        raise BadReport(
            "“{name}” is not a recipient's report; only that follows from a release.", name=report_path.name
        )
    opened = open_release(release_path, password=password)
    # Law follows from no release, and neither it nor what was typed is compared.
    again = from_json(as_json(make_report(opened, Fields(law="none"), progress=SILENT)).decode("utf-8"))
    return list(_differences("", _derive(report), _derive(again)))[:_MOST]


def _read(path: Path) -> dict[str, Any]:
    try:
        data = from_json(file_bytes(path, _LARGEST).decode("utf-8"))
    except (OSError, ValueError, TooLong):
        raise BadReport("“{name}” can't be read as a report in JSON.", name=path.name) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != FORMAT_VERSION:
        raise BadReport("“{name}” is no report of this version.", name=path.name)
    return data


def _derive(data: dict[str, Any]) -> dict[str, Any]:
    """Return what follows from a release: all figures, what limits are held against, and for whom it was made."""
    stated, verdict = ({**each} if isinstance(each, dict) else {} for each in map(data.get, ("custodian", "verdict")))
    derived = {name: value for name, value in stated.items() if name not in ("fields", "limits", "state", "title")}
    lines = verdict.get("lines")
    for each in lines if isinstance(lines, list) else ():
        if isinstance(each, dict) and each.get("name") in (ALIKE, AVERAGE, RISKIEST, SMALL, READ):
            derived |= {f"{each['name']} {part}": each.get(part) for part in ("value", "limit")}
    return {**derived, "release": data.get("release"), "answered": verdict.get("answered")}


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
