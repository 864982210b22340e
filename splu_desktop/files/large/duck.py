"""DuckDB as the engine: one computer, any number of rows."""

from __future__ import annotations

import re
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from splu_desktop.core.errors import FileFault
from splu_desktop.core.mechanism import SystemRandomness
from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.digests import DigestedFile
from splu_desktop.files.large.drawing import Codes, CountedTable, Drawn
from splu_desktop.files.large.heaps import Heaps
from splu_desktop.files.large.pages import Pages
from splu_desktop.files.large.table import NO_TEXT, LargeTable

_SETTINGS: dict[str, Any] = {
    "memory_limit": "2GB",
    "temp_directory": "",  # what is counted, texts of the file, stays in memory
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_BATCH = 1 << 19  # rows drawn at once: for each part the texts of a column are looked up anew


class DuckDB(LargeTable):
    """One file, opened by DuckDB, which reads and counts it in memory alone."""

    def connect(self) -> None:
        """Have queries know the file's records, see `LargeTable`."""
        self._base = duckdb.connect(config=_SETTINGS)
        self._base.execute("set enable_progress_bar_print = false")  # which would stand in what is printed
        quote = self.choices.quote if self.choices.quote is not None else '"'
        options: dict[str, Any] = {
            "sep": self.choices.delimiter, "quotechar": quote, "escapechar": quote,
            "header": self.choices.header_row != 0, "columns": dict.fromkeys(self.keys.values(), "varchar"),
            "na_values": NO_TEXT, "auto_detect": False, "strict_mode": True, "max_line_size": 16 << 20,
        }  # fmt: skip
        with self._refusals():
            self._base.read_csv(str(self.path), **options).filter(self.filled).create_view("source")

    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises FileFault."""
        with self._refusals():
            return self._base.sql(words).to_arrow_table()

    @contextmanager
    def draw(self, counted: CountedTable, folder: Path, progress: Progress) -> Iterator[Drawn]:
        """Draw all rows, see `LargeTable`."""
        source, names = SystemRandomness(), ", ".join(self.keys[name] for name in counted.texts)
        self._heaps, self._ends, shown, done = Heaps(counted), array("q", [0]), np.zeros(1, np.int64), 0
        # A file without a name, which ends with the process.
        with tempfile.TemporaryFile(dir=folder) as self._laid, self._refusals():
            for batch in self._base.sql(f"select {names} from source").to_arrow_reader(_BATCH):
                progress.report("Drawing", min(done / counted.rows, 1.0))
                rows = counted.draw(batch.columns, source)
                shown = shown + counted.count_pairs(rows)
                for hidden in self._heaps.deal(rows, source):
                    self._laid.write(hidden)
                    self._ends.append(self._laid.tell())
                done += len(rows)
            yield shown, self._take_heap(0)

    def write(self, pages: Pages, files: Sequence[DigestedFile], progress: Progress) -> None:
        """Write what was drawn, see `LargeTable`."""
        for heap in range(self._heaps.number):
            progress.report("Writing CSV", heap / self._heaps.number)
            pages.write(files, self._take_heap(heap))

    def _take_heap(self, heap: int) -> Codes:
        def read() -> Iterator[bytes]:
            for at in range(heap, len(self._ends) - 1, self._heaps.number):
                self._laid.seek(self._ends[at])
                yield self._laid.read(self._ends[at + 1] - self._ends[at])

        return self._heaps.shuffle(read(), SystemRandomness())

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
