"""Work on tables and releases larger than memory: what it holds for each record, and that it answers as any other."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core import randomness, rowkeys, sanitise, table
from splu_desktop.core.analyse.analyses import share
from splu_desktop.core.draw.plain_groups import PlainGroups
from splu_desktop.core.groups import blocks
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query import engine
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.reconstruct import explained
from splu_desktop.core.risk import giveaway
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, OnDemand, Table
from splu_desktop.files.disk.storage import LEAST, OnDisk
from splu_desktop.files.isolation import memory
from splu_desktop.files.register import fingerprint
from splu_desktop.files.release import reading
from splu_desktop.files.release.facts import BadRelease
from splu_desktop.files.release.reading import read_release
from splu_desktop.files.release.verify import verify_release
from tests.seeded import Seeded
from tests.written import write_release

_PLAN = Plan(
    {"age": Role.NSA, "ward": Role.NSA, "sex": Role.NSA, "illness": Role.SA, "drug": Role.SA},
    {"illness": PlainGroups(4), "drug": PlainGroups(3)},
)
_QUESTIONS = [
    [Condition("ward", ("3",)), Condition("illness", ("5",))],
    [Condition("ward", ("3",)), Condition("sex", ("1",)), Condition("age", ("40", "41")), Condition("illness", ("2",))],
    [Condition("sex", ("0",)), Condition("illness", ("1",)), Condition("drug", ("2",))],
]


def source(n: int) -> Table:
    rng = np.random.default_rng(8)
    sizes = {"age": 100, "ward": 12, "sex": 2, "illness": 20, "drug": 9}
    made = []
    for name, m in sizes.items():
        labels = np.array([str(at) for at in range(m)], object)
        codes = rng.integers(0, m, n, np.int32)
        made.append(Column(name, Kind.CATEGORY, codes, labels, np.zeros(m, bool)))
    return Table(tuple(made))


def asked(published: Published) -> list[tuple[float, float, float]]:
    answers = Reader(published).answers(_QUESTIONS)
    return [(answer.estimate, answer.low, answer.high) for answer in answers]


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """All work goes by pieces of some thousand records."""
    for module, name, size in (
        (table, "_COUNTED", 1 << 13),
        (engine, "_LESSON", 10_000),
        (explained, "TOLD_BY", 10_000),
        (giveaway, "_SORTED", 1 << 13),
        (giveaway, "_MOST_COUNTED", 1 << 10),
        (giveaway, "_PAIR_RECORDS", 10_000),
        (randomness, "_AT_ONCE", 1 << 13),
        (rowkeys, "_AT_ONCE", 1 << 13),
        (blocks, "RECORDS", 20_000),
    ):
        monkeypatch.setattr(module, name, size)


def drawn(given: Table) -> None:
    sanitise.run(given, _PLAN, storage=OnDisk(LEAST))


def told(given: Table) -> None:
    giveaway.giveaways(given, _PLAN.named(Role.NSA), ["illness"])


def known(given: Table) -> None:
    fingerprint.fingerprints(given, _PLAN, bytes(32), storage=OnDisk(LEAST))


def questioned(given: Table) -> None:
    asked(Published(given, _PLAN.draws))


@pytest.mark.parametrize("work", [drawn, told, known, questioned])
def test_work_holds_next_to_nothing_for_each_record(work: Callable[[Table], None], in_pieces: None) -> None:
    """Bits of conditions at most: arrays as long as the table lie in the storage, which is no memory."""
    peaks = []
    for n in (100_000, 400_000):
        given = source(n)
        tracemalloc.start()
        work(given)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (peaks[1] - peaks[0]) / 300_000 < 1.5


def test_a_formula_found_holds_next_to_nothing_for_each_record(in_pieces: None) -> None:
    """A total and its parts: of 100 million records this held 7 GB."""
    rng = np.random.default_rng(8)
    peaks = []
    for n in (100_000, 400_000):
        parts = [rng.integers(0, 50, n, np.int32) for _ in range(2)]
        codes = {"first": parts[0], "second": parts[1], "total": parts[0] + parts[1]}
        columns = []
        for name, of_column in codes.items():
            m = int(of_column.max()) + 1
            labels = np.array([str(at) for at in range(m)], object)
            columns.append(Column(name, Kind.INTEGER, of_column, labels, np.zeros(m, bool), np.arange(m) * 1.0))
        known = {"total": np.zeros(99, np.int64)}
        tracemalloc.start()
        found = giveaway._by_formulas(Table(tuple(columns)), ["first", "second"], known)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert [each.columns for _, each in found] == [("first", "second")]
        assert found[0][1].told > 0.9 * found[0][1].bearers
    assert (peaks[1] - peaks[0]) / 300_000 < 1.5


def test_pieces_answer_as_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    published = sanitise.run(source(20_000), _PLAN, randomness=Seeded(1))
    named = [Condition("illness", ("2",)), Condition("drug", ("3",))]
    whole = asked(published), share(Reader(published), named).estimate
    monkeypatch.setattr(table, "_COUNTED", 1 << 9)
    again = Published(Table(published.table.columns), published.draws)
    assert np.allclose(asked(again), whole[0], rtol=1e-9)
    assert share(Reader(again), named).estimate == pytest.approx(whole[1], rel=1e-9)


@pytest.fixture
def released(tmp_path: Path) -> Path:
    published = sanitise.run(source(3_000), _PLAN, randomness=Seeded(2))
    write_release(published, tmp_path / "r", formats=("csv", "parquet"))
    return tmp_path / "r"


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("where", ["memory", "disk"])
def test_columns_read_when_asked_for_answer_as_the_whole_table(
    released: Path, monkeypatch: pytest.MonkeyPatch, form: str, where: str
) -> None:
    usual = read_release(released).published
    monkeypatch.setattr(engine, "_LESSON", 500)
    expected = asked(usual)
    monkeypatch.setattr(reading, "_LARGE", 0 if form == "parquet" else 1 << 40)
    if where == "disk":
        monkeypatch.setattr(OnDisk, "records", 700)
        monkeypatch.setattr(memory, "lacking", lambda need: 2.0 * LEAST)
    found = read_release(released, at_once=False).published
    assert isinstance(found.table, OnDemand)
    known = dict(found.table._known)
    assert all(name in found.table for name in usual.table.names)
    assert found.table._known == known, "to ask whether a column is there reads none"
    assert asked(found) == expected
    for one, other in zip(found.table.columns, usual.table.columns, strict=True):
        assert one.labels.tolist() == other.labels.tolist()
        assert np.array_equal(one.codes, other.codes)


def test_a_release_larger_than_memory_is_verified(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "lacking", lambda need: 2.0 * LEAST)
    checks = verify_release(released)
    assert all(check.passed for check in checks)
    assert {"table", "formats", "counts"} <= {check.name for check in checks}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_was_altered_is_said_at_the_first_question(
    released: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(reading, "_LARGE", 0 if form == "parquet" else 1 << 40)
    file = released / f"table.{form}"
    raw = bytearray(file.read_bytes())
    at = raw.rindex(b"1") if form == "csv" else 40
    raw[at] ^= 3
    file.write_bytes(raw)
    found = read_release(released, at_once=False).published
    with pytest.raises(BadRelease, match="SHA-256 differs"):
        found.table.need(["ward", "illness"])
