"""DuckDB as the engine: one computer, any number of rows."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism import SystemRandomness
from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.whole_files import CannotWrite
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.large.drawing import RANDOM, Drawing, say_changed
from splu_desktop.files.large.engine import NO_TEXT, OtherwiseRead, TextFile
from splu_desktop.files.large.pages import Pages, PageWriter
from splu_desktop.files.large.table import LargeTable
from splu_desktop.files.release.csv_table import checked_file
from splu_desktop.files.release.facts import Dialect

_MEMORY = "2GB"  # that DuckDB takes at most, before it turns to the disk
_BATCH = 1 << 17  # rows drawn at once


class DuckDB(LargeTable):
    """One file, opened by DuckDB, which also holds the drawn rows and sorts them."""

    def __init__(self, file: TextFile, folder: Path) -> None:
        super().__init__(file, folder)
        self._base = duckdb.connect(
            config={
                "temp_directory": "",  # what is counted, texts of the file, stays in memory
                "memory_limit": _MEMORY,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        keys = file.keys.values()
        # A row of nothing but blanks is padding, except in a table of one column, where it is a missing value.
        filled = " or ".join(f"trim({key}) <> ''" for key in keys) if len(keys) > 1 else "true"
        with self._refusals():
            scanned = _scan(file.path, file.choices, keys)
            self._base.execute(f"create view source as select * from {scanned} where {filled}")

    def close(self) -> None:
        """Let go of the file and of what lies on disk."""
        self._base.close()

    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises OtherwiseRead."""
        with self._refusals():
            return self._base.sql(words).to_arrow_table()

    def draw(self, drawing: Drawing, rows: int, folder: Path, progress: Progress) -> None:
        """Draw all rows, see `LargeTable`."""
        self._base.execute(f"set temp_directory = {_quote(str(self.folder))}")
        columns = [*(f"{name} int" for name in drawing.names), *(f"{name} bigint" for name in RANDOM)]
        self._base.execute(f"create table drawn ({', '.join(columns)})")
        adding, source, done = self._base.cursor(), SystemRandomness(), 0  # a cursor beside the one that reads
        for batch in self._batches(f"select {', '.join(self.file.keys[name] for name in drawing.texts)} from source"):
            progress.report("Drawing", done / rows)
            adding.register("batch", drawing.draw_batch(batch, source))
            with self._refusals():
                adding.execute("insert into drawn from batch")
            done += batch.num_rows

    def tally(self, drawing: Drawing) -> list[NDArray[np.int64]]:
        """Count drawn pairs, see `LargeTable`."""
        return drawing.tally(self._batches('from "drawn"'))

    def write(
        self, pages: Pages, drawing: Drawing, rows: int, folder: Path, dialect: Dialect, progress: Progress
    ) -> dict[str, str]:
        """Write table.csv and scores.csv, see `LargeTable`."""
        writer, done = PageWriter(pages, dialect), 0
        with ExitStack() as opened:
            files = [
                opened.enter_context(checked_file(folder / file, names, dialect, progress))
                for file, names in pages.names.items()
            ]
            for batch in self._batches(f"from drawn order by {', '.join(RANDOM)}"):
                progress.report("Writing CSV", done / rows)
                writer.write(files, drawing.reveal(batch))
                done += batch.num_rows
        if done != rows:
            raise say_changed()
        return {name: file.digest.hexdigest() for name, file in zip(pages.names, files, strict=True)}

    def _batches(self, words: str) -> Iterator[Any]:
        """Give the answer to a query as Arrow record batches. Raises OtherwiseRead."""
        with self._refusals():
            yield from self._base.sql(words).to_arrow_reader(_BATCH)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Say where the file breaks off for the engine; what stands there may be secret.

        Raises OtherwiseRead, MemoryError, and CannotWrite where neither memory nor disk has room.
        """
        try:
            yield
        except duckdb.OutOfMemoryException:
            if not any(self.folder.iterdir()):
                raise MemoryError from None
            raise CannotWrite.from_refusal(self.folder, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))) from None
        except duckdb.Error as fault:
            line = re.search(r"(?i)line:? (\d+)", str(fault))
            raise OtherwiseRead(
                "“{path}” can't be read by the engine, from line {line} on; export the table anew as CSV in UTF-8.",
                path=self.file.path.name, line=line[1] if line else "?",
            ) from None  # fmt: skip


open_table = DuckDB.open


def _scan(path: Path, choices: ImportChoices, keys: Collection[str]) -> str:
    """Return the table function that reads a file's cells as they stand."""
    quote = choices.quote if choices.quote is not None else '"'
    columns = ", ".join(f"{key}: 'varchar'" for key in keys)
    said: Mapping[str, str] = {
        "delim": _quote(choices.delimiter or ","), "quote": _quote(quote), "escape": _quote(quote),
        "header": str(choices.header_row != 0).lower(), "columns": "{" + columns + "}", "nullstr": _quote(NO_TEXT),
        "auto_detect": "false", "strict_mode": "true", "max_line_size": str(16 << 20),
    }  # fmt: skip
    words = ", ".join(f"{name} = {value}" for name, value in said.items())
    return f"read_csv({_quote(str(path))}, {words})"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
