"""What an engine does for a large table: it hands out its rows as exact texts, and counts them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer import ImportChoices, ProblemKind
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.importer.reader import read_raw
from splu_desktop.files.importer.recognise import check_readable, recognise

_SMALL = 1 << 20  # bytes of a file that is compared whole; of others the beginning, and the end for totals and notes
_END = 1 << 17
_SETS = 20  # that are counted at once, of at most three columns but for blocks
NO_TEXT = "\x01"  # what no cell is: else an engine takes empty cells for something else than a text


class OtherwiseRead(FileFault):
    """An engine would read a file otherwise than the importer does."""


@dataclass(frozen=True, eq=False)
class TextFile:
    """A text file with delimiters as an engine reads it, all cells texts.

    Attributes
    ----------
    path : the file.
    head : its first records as the importer reads them, with what it knows of columns besides their texts.
    choices : how it is read.
    rows : about how many records it has.
    """

    path: Path
    head: RawTable
    choices: ImportChoices
    rows: int

    @property
    def keys(self) -> dict[str, str]:
        """Name of each column -> its name in queries, which needs no quotes."""
        return {name: f"c{at}" for at, name in enumerate(self.head.names)}


class Engine(ABC):
    """One file that an engine has opened: its queries know the file's records as `source`, all cells texts.

    Parameters
    ----------
    file : the file.
    folder : for what does not fit in memory.
    """

    def __init__(self, file: TextFile, folder: Path) -> None:
        self.file, self.folder = file, folder

    @abstractmethod
    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises OtherwiseRead."""

    def sample(self, rows: int, person: str | None) -> Any:
        """Return about so many records, of a person all or none, as an Arrow table of all columns."""
        part = -(-self.file.rows // rows)
        # Which rows a plan is judged by is no secret: nothing of them is published.
        chosen = f"random() < {1 / part}" if person is None else f"hash({self.file.keys[person]}) % {part} = 0"
        return self.ask(f"select * from source where {chosen if part > 1 else 'true'}")

    def count_sets(self, sets: Sequence[Sequence[str]]) -> list[Any]:
        """Return, for each set of columns, an Arrow table of its distinct combinations and their `count`."""
        found = []
        for begin in range(0, len(sets), _SETS):
            some = [[self.file.keys[name] for name in each] for each in sets[begin : begin + _SETS]]
            every = list(dict.fromkeys(key for each in some for key in each))
            # Bit i says that a row's set has not the i-th column.
            mark = " + ".join(f"cast(grouping({key}) as bigint) * {1 << at}" for at, key in enumerate(every))
            each_once = sorted({tuple(key for key in every if key in each) for each in some})
            grouped = ", ".join(f"({', '.join(each)})" for each in each_once)
            words = f"select {', '.join(every)}, {mark} as mark, count(*) as count from source"
            table = self.ask(f"{words} group by grouping sets ({grouped})")
            for each in some:
                own = sum(1 << at for at, key in enumerate(every) if key not in each)
                found.append(table.filter(pc.equal(table.column("mark"), own)).select([*each, "count"]))
        return found

    def check_read_alike(self, progress: Progress) -> None:
        """Raise OtherwiseRead unless the engine reads the first records to the letter as the importer does.

        The end of a large file is looked at by the importer alone, for totals and notes.
        """
        path, head = self.file.path, self.file.head
        own = self.ask(f"select * from source limit {len(head.rows) + 1}")
        short = own.num_rows < len(head.rows)
        if path.stat().st_size < _SMALL:
            short |= own.num_rows > len(head.rows)
        else:
            end = self.folder / "end.csv"
            with path.open("rb") as file:
                names = file.readline() if self.file.choices.header_row else b""
                file.seek(-_END, 2)
                end.write_bytes(names + file.read().partition(b"\n")[2])
            last, _, _ = read_raw(end, "csv", self.file.choices, progress)
            end.unlink()
            short |= any(each.kind in (ProblemKind.SKIPPED_ROWS, ProblemKind.DOUBTFUL_ROW) for each in last.problems)
        for at, (name, column) in enumerate(zip(head.names, head.columns, strict=True)):
            theirs = own.column(at).to_pylist()
            for row, (code, text) in enumerate(zip(column.codes.tolist(), theirs, strict=False)):
                if column.labels[code] != text:
                    raise OtherwiseRead(
                        "Record {row}, column “{column}” of “{path}” would be read otherwise by the engine; export the "
                        "table anew.",
                        row=row + 1, column=name, path=path.name,
                    )  # fmt: skip
        if short:
            raise OtherwiseRead(
                "“{path}” has rows that are no records, which an engine would take for some; remove them.",
                path=path.name,
            )


def text_file(path: Path, choices: ImportChoices, progress: Progress) -> TextFile:
    """Return a file as engines read it. Raises FileFault, BadSetting where only the importer can read it."""
    check_readable(path)
    kind = recognise(path)
    if kind != "csv":
        raise BadSetting("An engine reads text with delimiters alone; export the table as CSV in UTF-8.")
    if choices.rows or choices.last_row is not None or choices.decisions:
        raise BadSetting("An engine reads all rows as they are; leave out rows, last_row and decisions.")
    size = path.stat().st_size
    raw, resolved, _ = read_raw(path, kind, choices, progress, limit=None if size < _SMALL else 400)
    odd = resolved.escape or resolved.null or len(resolved.delimiter or "") != 1 or resolved.header_row not in (0, 1)
    encoded = (resolved.encoding or "").replace("_", "-").lower() in ("ascii", "utf-8", "utf-8-sig")
    if odd or not encoded or (resolved.header_rows or 1) > 1 or any(mark in str(path) for mark in "*?[]{}"):
        raise BadSetting(
            "An engine reads UTF-8 with one mark between fields and one line of names; export the table so."
        )
    with path.open("rb") as file:
        block = file.read(1 << 20)
    rows = size * max(block.count(b"\n"), 1) // max(len(block), 1)
    return TextFile(path, raw, resolved, rows)
