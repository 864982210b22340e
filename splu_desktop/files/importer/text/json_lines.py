"""JSON of one level, an object per line (NDJSON): each key a column, numbers to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.coded_columns import gather
from splu_desktop.files.importer.columns.cells import encode_cells
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.importer.recognise import flat_object
from splu_desktop.files.isolation.faults import Corrupt, EmptyFile

_CHUNK = 10_000  # lines between two reports


def read(
    path: Path, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Return raw columns, the resolved choices and the reasons. Raises Corrupt, EmptyFile; Cancelled."""
    cells: dict[str, list[str]] = {}
    n = 0
    for number, line in _lines(path, progress):
        record = flat_object(line)
        if record is None:
            raise Corrupt(path, say("line {number} is no flat object", number=number))
        for key, value in record.items():
            column = cells.setdefault(key, [])
            column.extend([""] * (n - len(column)))
            text = str(value).lower() if isinstance(value, bool) else value
            column.append("" if text is None else text)
        n += 1
        if n == limit:
            break
    if not cells:
        raise EmptyFile(path)
    columns = [(key, encode_cells([*column, *[""] * (n - len(column))])) for key, column in cells.items()]
    return gather(columns, path, choices, progress), choices, {}


def _lines(path: Path, progress: Progress) -> Iterator[tuple[int, bytes]]:
    size = max(path.stat().st_size, 1)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if number % _CHUNK == 0:
                progress.report("Reading", min(file.tell() / size, 1.0))
            bare = line.strip().removeprefix(b"\xef\xbb\xbf")
            if bare:
                yield number, bare
