"""DuckDB as the engine: one computer, any number of rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from splu_desktop.core.mechanism import SystemRandomness
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.partial import partial_beside
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.large.counted import Counted
from splu_desktop.files.large.dealt import Dealt
from splu_desktop.files.large.engine import NO_TEXT, OtherwiseRead, TextFile, check_read_alike, count_sets, text_file
from splu_desktop.files.large.pages import Pages, Written, pages_of, write_pages
from splu_desktop.files.large.table import LargeTable
from splu_desktop.files.release.facts import Dialect

_MEMORY = "2GB"  # that DuckDB takes at most, before it turns to the disk
_BATCH = 1 << 17  # rows drawn at once


@contextmanager
def open_table(path: Path, choices: ImportChoices, progress: Progress) -> Iterator[LargeTable]:
    """Open a file by DuckDB; what does not fit in memory lies in a folder of one's own until the block ends.

    Raises FileFault, BadSetting.
    """
    found = text_file(path, choices, progress)
    data_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    with partial_beside(data_folder() / "engine") as folder:
        folder.mkdir(mode=0o700)
        engine = DuckDB(found, folder)
        try:
            check_read_alike(engine, folder, progress)
            yield LargeTable(engine, engine.write)
        finally:
            engine.close()


class DuckDB:
    """One file, opened by DuckDB."""

    def __init__(self, file: TextFile, folder: Path) -> None:
        self.file = file
        self._base = duckdb.connect(
            config={
                "temp_directory": str(folder),
                "memory_limit": _MEMORY,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        keys = file.keys.values()
        # A row of nothing but blanks is padding, except in a table of one column, where it is a missing value.
        filled = " or ".join(f"trim({key}) <> ''" for key in keys) if len(keys) > 1 else "true"
        self._source = f"(select * from {_scanned(file.path, file.choices, keys)} where {filled})"

    def close(self) -> None:
        """Let go of the file and of what lies on disk."""
        self._base.close()

    def head(self, rows: int) -> Any:
        """Return the first records as an Arrow table of all columns."""
        return self._asked(f"select * from {self._source} limit {rows}")

    def sample(self, rows: int, person: str | None) -> Any:
        """Return about so many records, of a person all or none, as an Arrow table of all columns."""
        part = -(-self.file.rows // rows)
        if part <= 1:
            some = ""
        elif person is not None:
            some = f"where hash({self.file.keys[person]}) % {part} = 0"
        else:
            # Which rows a plan is judged by is no secret: nothing of them is published.
            some = f"where random() < {1 / part}"
        return self._asked(f"select * from {self._source} {some}")

    def count_sets(self, sets: Sequence[Sequence[str]]) -> list[Any]:
        """Return, for each set of columns, an Arrow table of its distinct combinations and their `count`."""
        keys = self.file.keys
        return count_sets([[keys[name] for name in each] for each in sets], self._source, self._asked)

    def write(
        self, counted: Counted, plan: Plan, folder: Path, dialect: Dialect, progress: Progress
    ) -> tuple[Pages, Written]:
        """Draw all rows and write table.csv and scores.csv; return what describes them, and what `write_pages` does."""
        source, drawing = SystemRandomness(), counted.drawing
        sizes = [counted.unchanged[name].m for name, _ in drawing.unchanged]
        sizes += [len(block.classes) for block in drawing.blocks]
        shown = [np.zeros(len(block.classes), np.int64) for block in drawing.blocks]
        with Dealt(sizes, counted.rows, source) as dealt:
            done = 0
            for batch in self._batches(tuple(drawing.texts)):
                progress.report("Drawing", done / counted.rows)
                drawn = drawing.draw(batch.columns, source)
                dealt.add(drawn)
                for tally, pairs in zip(shown, drawn[-len(shown) :], strict=True):
                    tally += np.bincount(pairs, minlength=len(tally))
                done += batch.num_rows
            pages = pages_of(counted, plan, shown)
            return pages, write_pages(pages, dealt.parts(), counted.rows, folder, dialect, progress)

    def _batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Give the records of some columns as Arrow record batches."""
        wanted = ", ".join(self.file.keys[name] for name in names)
        with self._refusals():
            yield from self._base.sql(f"select {wanted} from {self._source}").to_arrow_reader(_BATCH)

    def _asked(self, words: str) -> Any:
        with self._refusals():
            return self._base.sql(words).to_arrow_table()

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Say where the file breaks off for the engine; what stands there may be secret. Raises OtherwiseRead."""
        try:
            yield
        except duckdb.Error as fault:
            line = re.search(r"(?i)line:? (\d+)", str(fault))
            raise OtherwiseRead(
                "“{path}” can't be read by the engine, from line {line} on; export the table anew as CSV in UTF-8.",
                path=self.file.path.name, line=line[1] if line else "?",
            ) from None  # fmt: skip


def _scanned(path: Path, choices: ImportChoices, keys: Collection[str]) -> str:
    """Return the table function that reads a file's cells as they stand."""
    quote = choices.quote if choices.quote is not None else '"'
    columns = ", ".join(f"{key}: 'varchar'" for key in keys)
    said: Mapping[str, str] = {
        "delim": _quoted(choices.delimiter or ","), "quote": _quoted(quote), "escape": _quoted(quote),
        "header": str(choices.header_row != 0).lower(), "columns": "{" + columns + "}", "nullstr": _quoted(NO_TEXT),
        "auto_detect": "false", "strict_mode": "true", "max_line_size": str(16 << 20),
    }  # fmt: skip
    words = ", ".join(f"{name} = {value}" for name, value in said.items())
    return f"read_csv({_quoted(str(path))}, {words})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
