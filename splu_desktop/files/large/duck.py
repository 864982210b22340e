"""DuckDB as the engine: one computer, any number of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb

from splu_desktop.core.errors import FileFault
from splu_desktop.core.mechanism import SystemRandomness
from splu_desktop.core.progress import Progress
from splu_desktop.files.large.drawing import Codes, CountedTable, Ints
from splu_desktop.files.large.pages import Pages
from splu_desktop.files.large.random_order import shuffle
from splu_desktop.files.large.table import NO_TEXT, LargeTable
from splu_desktop.files.release.csv_table import checked_file
from splu_desktop.files.release.facts import Dialect

_MEMORY = "2GB"  # that DuckDB takes at most
_BATCH = 1 << 17  # rows drawn at once


class DuckDB(LargeTable):
    """One file, opened by DuckDB, which reads and counts it in memory alone."""

    def connect(self) -> None:
        """Have queries know the file's records, see `LargeTable`."""
        self._base = duckdb.connect(
            config={
                "temp_directory": "",  # what is counted, texts of the file, stays in memory
                "memory_limit": _MEMORY,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        keys = self.keys.values()
        filled = " or ".join(f"trim({key}) <> ''" for key in keys) if len(keys) > 1 else "true"
        with self._refusals():
            self._base.execute(f"create view source as select * from {self._scan()} where {filled}")

    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises FileFault."""
        with self._refusals():
            return self._base.sql(words).to_arrow_table()

    def draw(self, counted: CountedTable, folder: Path, progress: Progress) -> tuple[list[Ints], Codes]:
        """Draw all rows, see `LargeTable`."""
        source, shown = SystemRandomness(), counted.no_pairs()

        def draw_all() -> Iterator[Codes]:
            done, names = 0, ", ".join(self.keys[name] for name in counted.texts)
            with self._refusals():
                for batch in self._base.sql(f"select {names} from source").to_arrow_reader(_BATCH):
                    progress.report("Drawing", min(done / counted.rows, 1.0))
                    rows = counted.draw(batch.columns, source)
                    counted.add_pairs(rows, shown)
                    done += len(rows)
                    yield rows

        shuffled = shuffle(draw_all(), counted.rows, folder, source)
        first = next(shuffled)  # all are drawn by then
        self._drawn = chain([first], shuffled)
        return shown, first

    def write(self, pages: Pages, folder: Path, dialect: Dialect, progress: Progress) -> dict[str, str]:
        """Write table.csv and scores.csv, see `LargeTable`."""
        done = 0
        with ExitStack() as opened:
            files = [
                opened.enter_context(checked_file(folder / file, names, dialect, progress))
                for file, names in pages.names.items()
            ]
            for rows in self._drawn:
                progress.report("Writing CSV", done / pages.published.n)
                pages.write(files, rows)
                done += len(rows)
        return {name: file.digest.hexdigest() for name, file in zip(pages.names, files, strict=True)}

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Say where the file breaks off for the engine; what stands there may be secret.

        Raises FileFault, MemoryError.
        """
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise MemoryError from None
        except duckdb.Error as fault:
            line = re.search(r"(?i)line:? (\d+)", str(fault))
            raise FileFault(
                "“{path}” can't be read by the engine, from line {line} on; export the table anew as CSV in UTF-8.",
                path=self.path.name, line=line[1] if line else "?",
            ) from None  # fmt: skip

    def _scan(self) -> str:
        """Return the table function that reads the file's cells as they stand."""
        quote = self.choices.quote if self.choices.quote is not None else '"'
        columns = ", ".join(f"{key}: 'varchar'" for key in self.keys.values())
        said = {
            "delim": _quote(self.choices.delimiter or ","), "quote": _quote(quote), "escape": _quote(quote),
            "header": str(self.choices.header_row != 0).lower(), "columns": "{" + columns + "}",
            "nullstr": _quote(NO_TEXT), "auto_detect": "false", "strict_mode": "true", "max_line_size": str(16 << 20),
        }  # fmt: skip
        words = ", ".join(f"{name} = {value}" for name, value in said.items())
        return f"read_csv({_quote(str(self.path))}, {words})"


open_table = DuckDB


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
