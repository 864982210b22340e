"""Tables that memory can't hold: the same draw by counts, the same files, nothing left of a run that ends early."""

from __future__ import annotations

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from splu_desktop.cli import main
from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.mechanism import LenderPool, Lenders, Randomness, SystemRandomness
from splu_desktop.core.progress import SILENT
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.large import heaps
from splu_desktop.files.large.drawing import CountedBlock, CountedTable
from splu_desktop.files.publish.publishing import tidy
from tests.optional import ROOT, needs
from tests.seeded import Seeded

ENGINES = [pytest.param("memory"), pytest.param("duckdb", marks=needs("DuckDB"))]
ACCEPT = ("--accept-all", "a run of the tests", "--person", "none")
PLAN = (
    "--sa",
    "finding,stage",
    "--nsa",
    "number,ward,age,place",
    "--generalise",
    "age:cuts=40,60",
    "--gamma",
    "3",
)


@pytest.fixture(autouse=True)
def _beyond_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have engines publish by their two passes what memory holds, too."""
    monkeypatch.setattr("splu_desktop.cli.base.import_options.MANY", 0)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_source(tmp_path_factory.mktemp("large") / "stays.csv", "zwei\nZeilen")


def make_source(path: Path, ward_name: str) -> Path:
    """Write a table whose texts are easily spoilt: noughts in front, several spellings, formulas, NULL, quotes."""
    rng = np.random.default_rng(7)
    wards = ["007", "07", "Nord, 2", 'Süd "alt"', "=1+1", "NULL", ward_name]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["number", "ward", "age", "place", "finding", "stage"])
        for at in range(4_000):
            ward = int(rng.integers(0, 7))
            finding = "K35" if rng.random() < 0.2 + 0.08 * ward else rng.choice(["A00", "B10", "b10 ", ""])
            age = rng.choice(["", "1.0", "64"]) if at % 50 == 0 else rng.integers(18, 90)
            place = rng.choice(["x", "NA"]) if at % 80 else "X "
            writer.writerow([at, wards[ward], age, place, finding, rng.integers(1, 4)])
    return path


def publish(source: Path, out: Path, engine: str, *words: str) -> dict[str, Any]:
    assert main(["publish", str(source), *(words or PLAN), *ACCEPT, "--engine", engine, "--out", str(out)]) == 0
    facts: dict[str, Any] = json.loads((out / "release.json").read_text(encoding="utf-8"))
    return facts


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@needs("DuckDB")
@pytest.mark.parametrize("together", [(), ("--set", "together=finding,stage")])
def test_an_engine_makes_the_release_that_memory_makes(
    source: Path, tmp_path: Path, together: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*PLAN, "--table", "finding=K35 by ward", *together)
    one, other = (publish(source, tmp_path / engine, engine, *words) for engine in ("memory", "duckdb"))
    assert len(one["classes"]["cells"]) == 7
    chance = {"id", "created", "title", "sha256", "files", "spread"}
    assert {k: v for k, v in one.items() if k not in chance} == {k: v for k, v in other.items() if k not in chance}
    tables = [rows_of(tmp_path / engine / "table.csv") for engine in ("memory", "duckdb")]
    kept = ("number", "ward", "age", "place", "lender class")
    assert Counter(tuple(row[n] for n in kept) for row in tables[0]) == Counter(
        tuple(row[n] for n in kept) for row in tables[1]
    )
    assert {row["finding"] for row in tables[1]} == {"K35", "A00", "B10", ""}
    assert len({row["place"] for row in tables[1]}) == 2  # a rare spelling would tell a row
    assert main(["verify", str(tmp_path / "duckdb")]) == 0, capsys.readouterr().out


def check_law(source: Path, release: Path) -> None:
    """Each chi-square fails by chance once in a million runs."""
    truth = {row["number"]: row for row in rows_of(source)}
    shown = rows_of(release / "table.csv")
    assert Counter(row["number"] for row in shown) == Counter(list(truth))
    for name in ("finding", "stage"):
        for ward in {row["lender class"] for row in shown}:
            own = [row for row in shown if row["lender class"] == ward]
            pairs = Counter((truth[row["number"]][name].strip().upper(), row[name]) for row in own)
            values = sorted({value for value, _ in pairs})
            counts = np.array([[pairs[v, u] for u in values] for v in values], float)
            expected = counts.sum(axis=1)[:, None] * Lenders(3.0).transition(counts.sum(axis=1))
            large = expected.sum(axis=1) > 20
            statistic = ((counts - expected) ** 2 / expected)[large].sum()
            assert stats.chi2.sf(statistic, int(large.sum()) * (len(values) - 1)) > 1e-6
    place = np.array([int(row["number"]) for row in shown])
    assert abs(stats.spearmanr(np.arange(len(place)), place).statistic) < 6 / np.sqrt(len(place))
    assert abs(np.mean(np.diff(place) == 1)) < 0.01


@needs("DuckDB")
@pytest.mark.system_randomness
def test_what_lies_on_disk_of_drawn_rows_says_nothing(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While texts are counted nothing goes to the disk; drawn rows lie hidden in a file that has no name."""
    from splu_desktop.files.large.duck import DuckDB

    seen: list[Any] = []
    laid: list[bytes] = []

    def look(self: Any, heap: int) -> Any:
        found = take_heap(self, heap)
        seen.append((found, list(tmp_path.glob(".splu-partial-*/*/*"))))
        self._laid.seek(0)
        laid.extend(self._laid.read(end - start) for start, end in pairwise(self._ends))
        assert not self.ask("select current_setting('temp_directory')").column(0)[0].as_py()
        return found

    take_heap = DuckDB._take_heap
    monkeypatch.setattr(heaps, "_HEAP", 30_000)
    monkeypatch.setattr(DuckDB, "_take_heap", look)
    publish(source, tmp_path / "r", "duckdb")
    assert len(seen) >= 4
    assert not seen[0][1]  # before anything is written
    check_hidden(laid[: len(laid) // len(seen)], seen[0][0].shape[1], 4_000)


def check_hidden(laid: Sequence[bytes], width: int, least: int) -> None:
    """See to it that numbers are as 32 random bits are, though values are few."""
    rows = np.frombuffer(b"".join(each[heaps._NONCE :] for each in laid), np.int32).reshape(-1, width)
    assert len(rows) >= least
    for own in rows.T:
        assert len(np.unique(own)) > len(own) - 100
        assert abs(np.mean(own.astype(float))) < 6 * 2.0**32 / np.sqrt(12 * len(own))


def heaps_of(rows: int, width: int) -> heaps.Heaps:
    return heaps.Heaps(CountedTable(rows, {}, {}, tuple(map(str, range(width))), (), (), {}))


@pytest.mark.parametrize(("about", "most"), [(1, 9), (40, 9), (90, 9), (90, 2)])
def test_rows_are_put_into_a_uniformly_random_order(about: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one heap and on several. Each chi-square fails by chance once in a million runs."""
    monkeypatch.setattr(heaps, "_HEAP", 8 * 20)
    monkeypatch.setattr(heaps, "_MOST_HEAPS", most)
    rows, chance = np.arange(2 * about, dtype=np.int32).reshape(-1, 2), Seeded(5)
    seen = np.zeros((about, about))
    runs = 20 if about == 1 else 600
    for _ in range(runs):
        some = heaps_of(about, 2)
        assert some.number == min(-(-about // 20), most)
        laid = [some.deal(part, chance) for part in (rows[:3], rows[3:])]
        order = np.concatenate([some.shuffle(heap, chance) for heap in zip(*laid, strict=True)])
        assert np.array_equal(order[:, 1], order[:, 0] + 1)
        seen[np.arange(about), order[:, 0] // 2] += 1
    assert (seen.sum(axis=0) == runs).all()
    if about > 1:
        statistic = ((seen - runs / about) ** 2 / (runs / about)).sum()
        assert stats.chi2.sf(statistic, (about - 1) ** 2) > 1e-6


@pytest.mark.system_randomness
def test_rows_laid_on_heaps_say_nothing_and_come_back_where_the_key_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heaps, "_HEAP", 20_000)
    rows, (some, other) = np.random.default_rng(1).integers(0, 7, (4_000, 6)), (heaps_of(4_000, 6) for _ in range(2))
    laid = some.deal(rows.astype(np.int32), SystemRandomness())
    check_hidden(laid, 6, 4_000)
    worker = pickle.loads(pickle.dumps(some))
    back = np.concatenate([worker.reveal(each) for each in laid])
    assert Counter(map(tuple, back.tolist())) == Counter(map(tuple, rows.tolist()))
    again = worker.deal(rows.astype(np.int32), SystemRandomness())
    assert len({each[: heaps._NONCE] for each in laid + again}) == 2 * some.number > 8
    for own, shown in zip(back.T, np.concatenate([other.reveal(each) for each in laid]).T, strict=True):
        assert len(np.unique(shown)) > len(rows) - 100
        assert abs(stats.spearmanr(own, shown).statistic) < 6 / np.sqrt(len(rows))


@pytest.mark.system_randomness
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_draws_by_one_law_and_in_no_order(source: Path, tmp_path: Path, engine: str) -> None:
    publish(source, tmp_path / "r", engine)
    check_law(source, tmp_path / "r")
    assert main(["verify", str(tmp_path / "r")]) == 0


@needs("DuckDB")
def test_what_an_engine_reads_whole_is_published_as_in_memory(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    for engine in ("memory", "duckdb"):
        publish(source, tmp_path / engine, engine, *PLAN, "--table", "finding=K35 by ward")
        lines = (tmp_path / engine / "README.md").read_text(encoding="utf-8").splitlines()
        # Figures, which need all rows.
        assert [line for line in lines if " answers about 50 rows and more within " in line]
    check_law(source, tmp_path / "duckdb")


class KilledOnce(CountedTable):
    """Kills the worker that draws first, after it has drawn."""

    def draw(self, columns: Sequence[Any], source: Randomness) -> Any:
        """Draw some rows."""
        found = super().draw(columns, source)
        flag = Path(os.environ["SPLU_DATA_DIR"]) / "killed"
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return found


@needs("Spark")
@pytest.mark.system_randomness
def test_spark_draws_by_the_same_law_though_a_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from splu_desktop.cluster.spark import Spark
    from splu_desktop.files.large.table import LargeTable

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--master local[2,3] --driver-memory 1g pyspark-shell")

    def counted(self: Any, *words: Any) -> CountedTable:
        found = count(self, *words)
        return KilledOnce(**{each.name: getattr(found, each.name) for each in fields(found)})

    count = LargeTable.count
    monkeypatch.setattr(LargeTable, "count", counted)
    stays = make_source(tmp_path / "stays.csv", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark does not know this pandas yet, and is asked for none of it
        publish(stays, tmp_path / "r", "spark")
    assert (Path(os.environ["SPLU_DATA_DIR"]) / "killed").exists()
    assert sorted(path.suffix for path in (tmp_path / "r").iterdir() if path.is_dir()) == []
    check_law(stays, tmp_path / "r")
    assert main(["verify", str(tmp_path / "r")]) == 0, capsys.readouterr().out

    latin, lines = tmp_path / "latin.csv", b"1,x\n2,y\n" * 60_000  # a letter beyond what encodings are learned from
    latin.write_bytes(b"a,b\n" + lines + "3,é\n".encode("latin-1") + lines)
    with pytest.raises(FileFault, match="UTF-8"):
        Spark(latin, ImportChoices(), SILENT).count_sets([["b"]])


def test_counts_of_published_values_have_the_variance_of_their_law() -> None:
    pool_rows = np.array([60, 540, 30, 370])
    classes = np.array([0, 0, 1, 1], np.int32)
    pool, draw, source = LenderPool(classes, pool_rows), Lenders(5.0), Seeded(3)
    own = np.repeat(np.arange(4, dtype=np.int32), pool_rows)
    found = []
    for _ in range(2_000):
        lent = pool.pick(classes[own], source)
        found.append(np.bincount(np.where(draw.draw_kept(len(own), source), own, lent), minlength=4))
    mean, spread = np.mean(found, axis=0), np.var(found, axis=0)
    law = draw.count_law(60, 600)
    wanted = float(law @ (np.arange(len(law)) - 60) ** 2)
    assert mean == pytest.approx(pool_rows, abs=5 * np.sqrt(spread.max() / 2_000))
    assert spread[0] == pytest.approx(wanted, rel=0.15)


def test_a_pair_that_was_not_counted_is_a_change_of_the_file() -> None:
    codes, rows = np.array([0, 1], np.int32), np.array([5, 5])
    for size in (2, 1 << 40):
        block = CountedBlock(Lenders(1.0), {"a": codes, "b": codes}, (size, 2), codes * 0, rows)
        other = np.array([1, 0], np.int32)
        assert block.draw({"a": other, "b": other}, Seeded(1)).tolist() == [1, 0]
        with pytest.raises(BadSetting, match="changed"):
            block.draw({"a": codes, "b": other}, Seeded(1))
    with pytest.raises(BadSetting, match="different values"):
        CountedBlock(Lenders(2.0), {"a": codes, "b": codes}, (1 << 32, 1 << 32), codes * 0, rows)


@needs("DuckDB")
def test_what_an_engine_would_read_otherwise_is_refused(tmp_path: Path) -> None:
    from splu_desktop.files.large.duck import DuckDB

    lines = "a,b\n" + "1,x\n2,y\n" * 50
    for name, content, fault in (
        ("latin.csv", (lines + "3,é\n").encode("latin-1"), BadSetting),
        ("total.csv", (lines + "Total,100\n").encode(), FileFault),
        ("title.csv", ("Report of June\n\n" + lines).encode(), BadSetting),
        ("ragged.csv", (lines + "3,x,y\n").encode(), FileFault),
        ("lines.json", b'{"a": 1}\n{"a": 2}\n', BadSetting),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(fault):
            DuckDB(path, ImportChoices(), SILENT).count_sets([["a"]])
    assert not any((Path(os.environ["SPLU_DATA_DIR"])).glob(".splu-partial-*"))


@needs("DuckDB")
def test_an_engine_prints_nothing(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from splu_desktop.files.large.duck import DuckDB

    opened = DuckDB(source, ImportChoices(), SILENT)
    opened._base.execute("set progress_bar_time = 0")  # else of what takes two seconds alone
    opened.count_sets([["ward"], ["ward", "age"]])
    assert capfd.readouterr() == ("", "")


@needs("DuckDB")
@pytest.mark.parametrize("words", [("--set", "draw=groups", "--person", "none"), ("--person", "number")])
def test_what_needs_all_rows_at_once_is_refused(source: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    asked = ["publish", str(source), *PLAN, *ACCEPT[:2], *words, "--engine", "duckdb", "--out", str(tmp_path / "r")]
    assert main(asked) == 2
    assert list(tmp_path.iterdir()) == []


_KILLED = """
import os, signal, sys
from splu_desktop.cli import main
from splu_desktop.cli.base import import_options
from splu_desktop.files.large import {module}
def kill(*_): os.kill(os.getpid(), signal.SIGKILL)
import_options.MANY = 0
{module}.{where} = kill
main(sys.argv[1:])
"""


@needs("DuckDB")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.parametrize(("module", "where"), [("table", "Pages"), ("pages", "Pages.write"), ("table", "close_folder")])
def test_nothing_is_left_of_a_run_that_was_killed(source: Path, tmp_path: Path, module: str, where: str) -> None:
    words = ["publish", str(source), *PLAN, *ACCEPT, "--engine", "duckdb", "--out", str(tmp_path / "r")]
    program = _KILLED.format(module=module, where=where)
    run = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=False)
    assert run.returncode == -9, run.stderr.decode()
    assert not (tmp_path / "r").exists()
    tidy()
    assert list(tmp_path.iterdir()) == []
    assert not any(Path(os.environ["SPLU_DATA_DIR"]).glob(".splu-partial-*"))
