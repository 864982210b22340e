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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from py4j.protocol import Py4JError
from pyspark import TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, LongType, StringType, StructType

from splu_desktop.core.errors import FileFault
from splu_desktop.core.mechanism import SystemRandomness
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.partial import partial_beside
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.large.counted import Counted
from splu_desktop.files.large.drawing import Drawing
from splu_desktop.files.large.engine import NO_TEXT, OtherwiseRead, TextFile, check_read_alike, count_sets, text_file
from splu_desktop.files.large.pages import LEARNED, Pages, Written, pages_of, spread_of
from splu_desktop.files.large.table import LargeTable
from splu_desktop.files.release.csv_table import RowWriter, TableWriter, checked_file
from splu_desktop.files.release.facts import TABLE_NAME, Dialect
from splu_desktop.files.release.score_columns import SCORES_NAME

_KEYS = ("k0", "k1")  # 128 random bits of each row: no two rows have the same


@contextmanager
def open_table(path: Path, choices: ImportChoices, progress: Progress) -> Iterator[LargeTable]:
    """Open a file by Spark, as `spark-submit` says, else on this computer's cores. Raises FileFault, BadSetting."""
    found = text_file(path, choices, progress)
    data_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    with partial_beside(data_folder() / "engine") as folder:
        folder.mkdir(mode=0o700)
        engine = Spark(found)
        check_read_alike(engine, folder, progress)
        yield LargeTable(engine, engine.write)


class Spark:
    """One file, opened by Spark: workers must see it, and the folder of the release, under the same paths."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        settings = {
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.execution.arrow.maxRecordsPerBatch": 1 << 16,
            "spark.sql.shuffle.partitions": max(2, file.rows >> 20),
            "spark.ui.enabled": "false",
            "spark.io.encryption.enabled": "true",  # what workers lay aside on disk dies with the run's key
        }
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("SPLU")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self._base = builder.getOrCreate()
        self._base.sparkContext.setLogLevel("OFF")  # a line that can't be read would stand in the log
        self._source = self._scanned(file.path, file.choices, list(file.keys.values()))
        if len(file.keys) > 1:  # a row of nothing but blanks is padding
            self._source = self._source.where(" or ".join(f"trim({key}) <> ''" for key in file.keys.values()))

    def head(self, rows: int) -> Any:
        """Return the first records as an Arrow table of all columns."""
        return self._asked(self._source.limit(rows))

    def sample(self, rows: int, person: str | None) -> Any:
        """Return about so many records, of a person all or none, as an Arrow table of all columns."""
        part = -(-self.file.rows // rows)
        if part <= 1:
            return self._asked(self._source)
        if person is not None:
            return self._asked(self._source.where(f"pmod(hash({self.file.keys[person]}), {part}) = 0"))
        return self._asked(self._source.sample(1 / part))

    def count_sets(self, sets: Sequence[Sequence[str]]) -> list[Any]:
        """Return, for each set of columns, an Arrow table of its distinct combinations and their `count`."""
        keys = self.file.keys
        return self._grouped(self._source, [[keys[name] for name in each] for each in sets])

    def write(
        self, counted: Counted, plan: Plan, folder: Path, dialect: Dialect, progress: Progress
    ) -> tuple[Pages, Written]:
        """Draw all rows and write table.csv and scores.csv; return what describes them, and what `write_pages` does."""
        progress.report("Drawing", 0.0)
        wanted = [self.file.keys[name] for name in counted.drawing.texts]
        numbers = len(counted.drawing.unchanged) + len(counted.drawing.blocks)
        schema = ", ".join([*(f"n{at} int" for at in range(numbers)), *(f"{key} bigint" for key in _KEYS)])
        drawn_path, parts = folder / "drawn", folder / "parts"
        parts.mkdir()
        drawing = self._base.sparkContext.broadcast(counted.drawing)
        with self._refusals():
            self._source.select(*wanted).mapInArrow(_drawing_rows(drawing), schema).write.parquet(str(drawn_path))
            drawn = self._base.read.parquet(str(drawn_path))
            shown = []
            for at, block in enumerate(counted.drawing.blocks, len(counted.drawing.unchanged)):
                found = drawn.groupBy(f"n{at}").count().toArrow()
                tally = np.zeros(len(block.classes), np.int64)
                tally[found.column(0).to_numpy()] = found.column(1).to_numpy()
                shown.append(tally)
            pages = pages_of(counted, plan, shown)
            some = drawn.sort(*_KEYS).limit(LEARNED).toArrow()
            first = pages.table_codes([some.column(at).to_numpy() for at in range(numbers)])
            progress.report("Writing CSV", 0.5)
            cells, codes = pages.score_cells(dialect)
            columns = [column for column, _, _ in pages.table]
            table = TableWriter(columns, dialect)
            plain = (table, [(at, of) for _, at, of in pages.table], RowWriter(cells), codes)
            writing = _writing_lines(self._base.sparkContext.broadcast(plain), str(parts))
            said = StructType().add("part", IntegerType()).add("name", StringType()).add("rows", LongType())
            ended = sorted(drawn.sort(*_KEYS).mapInArrow(writing, said).collect())
        if sum(row.rows for row in ended) != counted.rows:
            raise FileFault("“{path}” was not drawn whole; start again.", path=self.file.path.name)
        digests = {}
        for name, own in ((TABLE_NAME, columns), (SCORES_NAME, pages.scores)):
            with checked_file(folder / name, [each.name for each in own], dialect, progress) as whole:
                for row in ended:
                    with (parts / f"{row.name}.{name}").open("rb") as part:
                        shutil.copyfileobj(part, whole, 1 << 20)
            digests[name] = whole.digest.hexdigest()
        shutil.rmtree(drawn_path)
        shutil.rmtree(parts)
        return pages, (spread_of(pages, first), digests)

    def _scanned(self, path: Path, choices: ImportChoices, keys: Sequence[str]) -> Any:
        quote = choices.quote if choices.quote is not None else '"'
        reader = self._base.read.schema(", ".join(f"{key} string" for key in keys)).option("mode", "FAILFAST")
        said: dict[str, str | int | bool] = {
            "sep": choices.delimiter or ",", "quote": quote, "escape": quote, "header": choices.header_row != 0,
            "nullValue": NO_TEXT, "maxCharsPerColumn": -1, "enforceSchema": True,
        }  # fmt: skip
        # Spark takes an empty cell for none; a cell of the mark itself is no text either, and no importer's.
        return reader.options(**said).csv(path.absolute().as_uri()).na.fill("")

    def _grouped(self, source: Any, sets: Sequence[Sequence[str]]) -> list[Any]:
        source.createOrReplaceTempView("source")
        return count_sets(sets, "source", lambda words: self._asked(self._base.sql(words)))

    def _asked(self, frame: Any) -> Any:
        with self._refusals():
            return frame.toArrow()

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Say that the file breaks off for Spark, without what stands there. Raises OtherwiseRead."""
        try:
            yield
        except (Py4JError, PySparkException):
            raise OtherwiseRead(
                "Spark failed to read or draw “{path}”; export it anew in UTF-8, without line ends in cells.",
                path=self.file.path.name,
            ) from None


def _drawing_rows(drawing: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what a task of the first job does: rows of texts in, whole numbers and keys out."""

    def draw(batches: Iterable[Any]) -> Iterator[Any]:
        source, held = SystemRandomness(), drawing.value
        assert isinstance(held, Drawing)
        for batch in batches:
            found: list[NDArray[Any]] = [*held.draw(batch.columns, source)]
            found += [source.bits(2 * batch.num_rows).view(np.int64) for _ in _KEYS]
            names = [*(f"n{at}" for at in range(len(found) - len(_KEYS))), *_KEYS]
            yield pa.RecordBatch.from_arrays([pa.array(each) for each in found], names)

    return draw


def _writing_lines(lines: Any, folder: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what a task of the second job does: sorted rows in, files out, and what they are called once whole."""

    def write(batches: Iterable[Any]) -> Iterator[Any]:
        task, name, rows = TaskContext.get(), secrets.token_hex(16), 0
        assert task is not None
        table, table_codes, scores, score_codes = lines.value
        begun = f"{folder}/{name}"
        with Path(f"{begun}.{TABLE_NAME}").open("wb") as first, Path(f"{begun}.{SCORES_NAME}").open("wb") as second:
            for batch in batches:
                drawn = [column.to_numpy() for column in batch.columns]
                table.write(first, [drawn[at] if of is None else of[drawn[at]] for at, of in table_codes], SILENT, "")
                scores.write(second, [of[drawn[at]] for at, of in score_codes], SILENT, "")
                rows += batch.num_rows
            for file in (first, second):
                file.flush()
                os.fsync(file.fileno())
        ended = {"part": pa.array([task.partitionId()], pa.int32()), "name": [name], "rows": [rows]}
        yield pa.RecordBatch.from_pydict(ended)

    return write
