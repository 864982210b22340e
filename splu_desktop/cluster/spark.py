"""Tables of any size on a cluster: Spark reads, counts and sorts; each worker draws by counts, by its own randomness.

A first job draws: each task lays the drawn rows, as whole numbers of what is published, on hidden heaps. Spark keeps
what a task wrote only if it ended, so a worker that is killed is replaced by one that draws its rows anew. A second job
shuffles each heap and writes lines. The driver holds counts and texts of values, no rows but those of one heap.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from splu_desktop.core.errors import FileFault
from splu_desktop.core.mechanism import SystemRandomness
from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.digests import DigestedFile
from splu_desktop.files.large.drawing import Codes, CountedTable, Drawn
from splu_desktop.files.large.heaps import Heaps
from splu_desktop.files.large.pages import Pages
from splu_desktop.files.large.table import NO_TEXT, LargeTable
from splu_desktop.files.release.facts import TABLE_NAME
from splu_desktop.files.release.score_columns import SCORES_NAME


class Spark(LargeTable):
    """One file, opened by Spark as `spark-submit` says, else on this computer's cores.

    Workers must see it, and the folder of the release, under the same paths.
    """

    def connect(self) -> None:
        """Have queries know the file's records, see `LargeTable`."""
        settings = {
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.execution.arrow.maxRecordsPerBatch": 1 << 16,
            "spark.sql.shuffle.partitions": max(2, self.rows >> 20),
            "spark.ui.enabled": "false",
            "spark.io.encryption.enabled": "true",  # what workers lay aside on disk dies with the run's key
        }
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("SPLU")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self._base = builder.getOrCreate()
        self._base.sparkContext.setLogLevel("OFF")  # a line that can't be read would stand in the log
        self._source = self._scan().where(self.filled)
        self._source.createOrReplaceTempView("source")

    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises FileFault."""
        with self._refusals():
            answer = self._base.sql(words).toArrow()
        # Spark reads bytes that are no UTF-8 as this sign. All texts that are published pass here, to be counted.
        texts = [column for column in answer.columns if column.type in (pa.string(), pa.large_string())]
        if any(pc.any(pc.match_substring(column, "\ufffd")).as_py() for column in texts):
            raise self._fault()
        return answer

    @contextmanager
    def draw(self, counted: CountedTable, folder: Path, progress: Progress) -> Iterator[Drawn]:
        """Draw all rows, see `LargeTable`."""
        progress.report("Drawing", 0.0)
        self._folder, self._heaps, drawn = folder, Heaps(counted), str(folder / "drawn")
        wanted, held = [self.keys[name] for name in counted.texts], self._share((counted, self._heaps))
        with self._refusals():
            self._source.select(*wanted).mapInArrow(_drawing_rows(held), "heap INT, hidden BINARY").write.parquet(drawn)
            self._base.read.parquet(drawn).createOrReplaceTempView("drawn")
            counts = self._base.table("drawn").mapInArrow(_counting_pairs(held), "pair INT, count BIGINT").toArrow()
            first = self._base.table("drawn").where("heap = 0").toArrow()
        shown = np.zeros(sum(len(block.classes) for block in counted.blocks), np.int64)
        np.add.at(shown, *(column.to_numpy() for column in counts.columns))
        yield shown, _take_heap(self._heaps, first)
        shutil.rmtree(drawn)

    def write(self, pages: Pages, files: Sequence[DigestedFile], progress: Progress) -> None:
        """Write what was drawn, see `LargeTable`."""
        progress.report("Writing CSV", 0.5)
        parts = self._folder / "parts"
        parts.mkdir()
        writing = _writing_lines(self._share((self._heaps, pages)), str(parts))
        with self._refusals():
            heaps = self._base.table("drawn").groupBy("heap")
            ended = sorted(heaps.applyInArrow(writing, "heap INT, name STRING, rows BIGINT").collect())
        if sum(row.rows for row in ended) != pages.published.n:
            raise FileFault("“{path}” was not drawn whole; start again.", path=self.path.name)
        for name, whole in zip(pages.names, files, strict=True):
            for row in ended:
                with (parts / f"{row.name}.{name}").open("rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
        shutil.rmtree(parts)

    def _share(self, what: Any) -> Any:
        return self._base.sparkContext.broadcast(what)

    def _scan(self) -> Any:
        quote = self.choices.quote if self.choices.quote is not None else '"'
        reader = self._base.read.schema(", ".join(f"{key} string" for key in self.keys.values()))
        options: dict[str, str | int | bool] = {
            "sep": self.choices.delimiter or ",", "quote": quote, "escape": quote,
            "header": self.choices.header_row != 0, "nullValue": NO_TEXT, "maxCharsPerColumn": -1,
            "enforceSchema": True, "mode": "FAILFAST",
        }  # fmt: skip
        # Spark takes an empty cell for none; a cell of the mark itself is no text either, and no importer's.
        return reader.options(**options).csv(self.path.absolute().as_uri()).na.fill("")

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Say that the file breaks off for Spark, without what stands there. Raises FileFault."""
        try:
            yield
        except (Py4JError, PySparkException):
            raise self._fault() from None

    def _fault(self) -> FileFault:
        return FileFault(
            "Spark failed to read or draw “{path}”; export it anew in UTF-8, without line ends in cells.",
            path=self.path.name,
        )


def _drawing_rows(held: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what a task of the first job does: rows of texts in, what is laid on each heap out."""

    def draw(batches: Iterable[Any]) -> Iterator[Any]:
        (counted, heaps), source = held.value, SystemRandomness()
        for batch in batches:
            hidden = heaps.deal(counted.draw(batch.columns, source), source)
            numbers = np.arange(heaps.number, dtype=np.int32)
            yield pa.RecordBatch.from_arrays([pa.array(numbers), pa.array(hidden, pa.binary())], ["heap", "hidden"])

    return draw


def _counting_pairs(held: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what counts drawn rows: hidden rows in, and the pairs that some show out."""

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        counted, heaps = held.value
        shown = np.zeros(1, np.int64)
        for batch in batches:
            rows = np.concatenate(list(map(heaps.reveal, batch.column("hidden").to_pylist())))
            shown = shown + counted.count_pairs(rows)
        pairs = np.flatnonzero(shown)
        columns = pairs.astype(np.int32), shown[pairs]
        yield pa.RecordBatch.from_arrays([pa.array(each) for each in columns], ["pair", "count"])

    return count


def _writing_lines(held: Any, folder: str) -> Callable[[Any], Any]:
    """Return what a task of the second job does: a heap in, files out, and what they are called once whole."""

    def write(heap: Any) -> Any:
        (heaps, pages), name = held.value, secrets.token_hex(16)
        rows, begun = _take_heap(heaps, heap), f"{folder}/{name}"
        with Path(f"{begun}.{TABLE_NAME}").open("wb") as first, Path(f"{begun}.{SCORES_NAME}").open("wb") as second:
            pages.write((first, second), rows)
            for file in (first, second):
                file.flush()
                os.fsync(file.fileno())
        number = heap.column("heap").slice(0, 1).cast(pa.int32())
        return pa.table({"heap": number, "name": [name], "rows": [len(rows)]})

    return write


def _take_heap(heaps: Heaps, laid: Any) -> Codes:
    return heaps.shuffle(laid.column("hidden").to_pylist(), SystemRandomness())
