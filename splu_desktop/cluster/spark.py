"""Tables of any size on a cluster: Spark reads, counts and sorts; each worker draws by counts, by its own randomness.

A first job draws: each task writes the drawn rows, as whole numbers of what is published, with a random key. Spark
keeps what a task wrote only if it ended, so a worker that is killed is replaced by one that draws its rows anew. A
second job sorts what is there by the keys and writes lines. The driver holds counts and texts of values, no rows.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, LongType, StringType, StructType

from splu_desktop.cluster.hidden_rows import RANDOM, HiddenRows
from splu_desktop.core.errors import FileFault
from splu_desktop.core.mechanism import SystemRandomness
from splu_desktop.core.progress import Progress
from splu_desktop.files.large.drawing import Codes, CountedTable, Ints
from splu_desktop.files.large.pages import Pages
from splu_desktop.files.large.table import NO_TEXT, LargeTable
from splu_desktop.files.release.csv_table import checked_file
from splu_desktop.files.release.facts import TABLE_NAME, Dialect
from splu_desktop.files.release.score_columns import SCORES_NAME

_SOME = 200_000  # drawn rows of which all is learned that counts do not tell


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
        self._source = self._scan()
        if len(self.keys) > 1:
            self._source = self._source.where(" or ".join(f"trim({key}) <> ''" for key in self.keys.values()))
        self._source.createOrReplaceTempView("source")

    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises FileFault."""
        with self._refusals():
            return self._base.sql(words).toArrow()

    def draw(self, counted: CountedTable, folder: Path, progress: Progress) -> tuple[list[Ints], Codes]:
        """Draw all rows, see `LargeTable`."""
        progress.report("Drawing", 0.0)
        self._hidden, path = HiddenRows(counted), str(folder / "drawn")
        schema = ", ".join([*(f"{name} int" for name in self._hidden.names), *(f"{name} bigint" for name in RANDOM)])
        wanted, held = [self.keys[name] for name in counted.texts], self._base.sparkContext.broadcast(self._hidden)
        with self._refusals():
            self._source.select(*wanted).mapInArrow(_drawing_rows(held), schema).write.parquet(path)
            self._base.read.parquet(path).createOrReplaceTempView("drawn")
            drawn = self._base.table("drawn")
            counts = drawn.mapInArrow(_counting_pairs(held), "block INT, pair INT, count BIGINT").toArrow()
        shown = counted.no_pairs()
        block, pair, count = (column.to_numpy() for column in counts.columns)
        for at, own in enumerate(shown):
            np.add.at(own, pair[block == at], count[block == at])
        return shown, self._hidden.reveal(self.ask(f"select * from drawn order by {', '.join(RANDOM)} limit {_SOME}"))

    def write(self, pages: Pages, folder: Path, dialect: Dialect, progress: Progress) -> dict[str, str]:
        """Write table.csv and scores.csv, see `LargeTable`."""
        progress.report("Writing CSV", 0.5)
        parts, digests = folder / "parts", {}
        parts.mkdir()
        writing = _writing_lines(self._base.sparkContext.broadcast((self._hidden, pages)), str(parts))
        said = StructType().add("part", IntegerType()).add("name", StringType()).add("rows", LongType())
        with self._refusals():
            ended = sorted(self._base.table("drawn").sort(*RANDOM).mapInArrow(writing, said).collect())
        if sum(row.rows for row in ended) != pages.published.n:
            raise FileFault("“{path}” was not drawn whole; start again.", path=self.path.name)
        for name, own in pages.names.items():
            with checked_file(folder / name, own, dialect, progress) as whole:
                for row in ended:
                    with (parts / f"{row.name}.{name}").open("rb") as part:
                        shutil.copyfileobj(part, whole, 1 << 20)
            digests[name] = whole.digest.hexdigest()
        shutil.rmtree(parts)
        shutil.rmtree(folder / "drawn")
        return digests

    def _scan(self) -> Any:
        quote = self.choices.quote if self.choices.quote is not None else '"'
        reader = self._base.read.schema(", ".join(f"{key} string" for key in self.keys.values()))
        said: dict[str, str | int | bool] = {
            "sep": self.choices.delimiter or ",", "quote": quote, "escape": quote,
            "header": self.choices.header_row != 0, "nullValue": NO_TEXT, "maxCharsPerColumn": -1,
            "enforceSchema": True, "mode": "FAILFAST",
        }  # fmt: skip
        # Spark takes an empty cell for none; a cell of the mark itself is no text either, and no importer's.
        return reader.options(**said).csv(self.path.absolute().as_uri()).na.fill("")

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Say that the file breaks off for Spark, without what stands there. Raises FileFault."""
        try:
            yield
        except (Py4JError, PySparkException):
            raise FileFault(
                "Spark failed to read or draw “{path}”; export it anew in UTF-8, without line ends in cells.",
                path=self.path.name,
            ) from None


def _drawing_rows(held: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what a task of the first job does: rows of texts in, whole numbers and keys out."""

    def draw(batches: Iterable[Any]) -> Iterator[Any]:
        source = SystemRandomness()
        yield from (held.value.draw(batch, source) for batch in batches)

    return draw


def _counting_pairs(held: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what counts drawn rows: hidden rows in, and for each block the pairs that some show out."""

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        hidden, shown = held.value, held.value.counted.no_pairs()
        for batch in batches:
            hidden.counted.add_pairs(hidden.reveal(batch), shown)
        for at, own in enumerate(shown):
            pairs = np.flatnonzero(own)
            columns = np.full(len(pairs), at, np.int32), pairs.astype(np.int32), own[pairs]
            yield pa.RecordBatch.from_arrays([pa.array(each) for each in columns], ["block", "pair", "count"])

    return count


def _writing_lines(held: Any, folder: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what a task of the second job does: sorted rows in, files out, and what they are called once whole."""

    def write(batches: Iterable[Any]) -> Iterator[Any]:
        task, name, rows = TaskContext.get(), secrets.token_hex(16), 0
        hidden, pages = held.value
        assert task is not None
        begun = f"{folder}/{name}"
        with Path(f"{begun}.{TABLE_NAME}").open("wb") as first, Path(f"{begun}.{SCORES_NAME}").open("wb") as second:
            for batch in batches:
                pages.write((first, second), hidden.reveal(batch))
                rows += batch.num_rows
            for file in (first, second):
                file.flush()
                os.fsync(file.fileno())
        ended = {"part": pa.array([task.partitionId()], pa.int32()), "name": [name], "rows": [rows]}
        yield pa.RecordBatch.from_pydict(ended)

    return write


open_table = Spark
