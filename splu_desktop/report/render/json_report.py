"""JSON: the model itself, sealed by a digest over every byte of the file but the digest's own."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.files.disk.plain_data import from_json, read_bytes, to_json
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.report.model import FORMAT, VERSION, Report

_NOUGHTS = "0" * 64
_LARGEST = 200_000_000  # bytes; a report of 60 columns and 1,500 values has half a million


class BadReport(FileFault):
    """A report can't be read."""


def as_json(report: Report) -> str:
    """Return the report as JSON text, sealed."""
    data = {**report.as_dict(), "digest": _NOUGHTS}
    text = to_json(data)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    place = text.rindex(_NOUGHTS)
    return text[:place] + digest + text[place + len(_NOUGHTS) :]


def write_json(report: Report, target: Path) -> None:
    """Write the report as JSON, whole or not at all, over an existing file. Raises CannotWrite."""
    with whole_file(target, overwrite=True) as partial:
        partial.write_bytes(as_json(report).encode("utf-8"))


def read_json(path: Path) -> tuple[dict[str, Any], bool]:
    """Return a report's data and whether its digest holds. Raises BadReport where it is no report."""
    none = say("There is no file “{path}”; give the report's JSON file.")
    raw = read_bytes(path, _LARGEST, BadReport, say("a report in JSON"), none)
    try:
        data = from_json(raw, paths=True)
    except ValueError:
        raise BadReport(
            "“{path}” was altered or damaged: it is not valid JSON; ask for the report again.", path=path
        ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadReport("“{path}” is not a report of this program.", path=path)
    if data.get("version") != VERSION:
        raise BadReport(
            "“{path}” has report format {shown}, and this program (version {version}) reads format {known}; use "
            "the program version that wrote it, or write the report anew from the release.",
            path=path,
            shown=str(data.get("version"))[:20],
            version=__version__,
            known=VERSION,
        )
    digest = data.get("digest")
    sealed = False
    if isinstance(digest, str) and len(digest) == 64 and digest.isascii():
        place = raw.rfind(digest.encode())
        blank = raw[:place] + _NOUGHTS.encode() + raw[place + 64 :]
        sealed = place > 0 and hashlib.sha256(blank).hexdigest() == digest
    return data, sealed
