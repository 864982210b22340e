"""Large Parquet releases whose questions DuckDB counts: every answer is that of the records read one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw.plain_groups import PlainGroups
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import parquet, parquet_counts
from splu_desktop.files.release import reading
from splu_desktop.files.release.facts import BadRelease
from splu_desktop.files.release.reading import read_release
from tests.optional import needs
from tests.seeded import Seeded
from tests.written import write_release

ByRecords = tuple[list[tuple[float, ...]], list[tuple[float, ...]], list[list[str]]]
pytestmark = needs("DuckDB")
_HOSTILE = 'ward"; DROP TABLE t; --'
_TEXTS = {
    "age": (Kind.INTEGER, ["007", "0", "-3", "90", ""]),
    "weight": (Kind.DECIMAL, ["0.0", "-0.50", "61.25", "1e300", "NA"]),
    "seen": (Kind.DATE, ["0001-01-01", "2024-02-29", "9999-12-31", ""]),
    "at": (Kind.DATETIME, ["2024-02-29T23:59:59", "1999-01-01T00:00:00.000001", "?"]),
    _HOSTILE: (Kind.CATEGORY, ["007", "7", "é, “a”", "O'Brien", "=1+1", "NULL", ""]),
    "Ward": (Kind.CATEGORY, ["A", "B", "C"]),
    "ward": (Kind.CATEGORY, ["x", "y"]),
    "illness": (Kind.CATEGORY, [f"illness {at}" for at in range(12)]),
    "drug": (Kind.CATEGORY, [f"drug {at}" for at in range(9)]),
}
_QUESTIONS = [
    [Condition(_HOSTILE, ("O'Brien", "007")), Condition("illness", ("illness 2",))],
    [
        Condition("Ward", ("A",)),
        Condition("ward", ("y",)),
        Condition("age", ("007", "0")),
        Condition("drug", ("drug 1",)),
    ],
    [Condition("weight", ("0.0", "NA")), Condition("seen", ("2024-02-29",)), Condition("at", ("2024-02-29T23:59:59",))],
    [Condition("illness", ("illness 3",))],
]
_TWO_SAS = [[Condition("Ward", ("B",)), Condition("illness", ("illness 1",)), Condition("drug", ("drug 2", "drug 3"))]]


def released(folder: Path, seed: int, n: int = 4_000) -> Path:
    rng = np.random.default_rng(seed)
    columns = [
        Column.from_labels(name, rng.choice(np.array(texts, object), n), kind=kind, missing=("", "NA", "?"))
        for name, (kind, texts) in _TEXTS.items()
    ]
    roles = {name: Role.SA if name in ("illness", "drug") else Role.NSA for name in _TEXTS}
    plan = Plan(roles, {"illness": PlainGroups(4), "drug": PlainGroups(3)})
    write_release(
        sanitise.run(Table(tuple(columns)), plan, randomness=Seeded(seed)), folder, formats=("csv", "parquet")
    )
    return folder


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("counted") / "r1", 5)


@pytest.fixture
def by_parquet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_LARGE", 0)


def asked(published: Published, questions: list[list[Condition]]) -> list[tuple[float, ...]]:
    answers = Reader(published).answers(questions)
    return [(answer.published, answer.estimate, answer.low, answer.high, answer.n_p) for answer in answers]


@pytest.fixture(scope="module")
def by_records(release: Path) -> ByRecords:
    """Both lists of answers and all labels, of the same Parquet file read record by record."""
    with pytest.MonkeyPatch.context() as without:
        without.setattr(reading, "_LARGE", 0)
        without.setattr(parquet, "counts", lambda *given: None)
        found = read_release(release, at_once=False).published
        labels = [column.labels.tolist() for column in found.table.columns]
        return asked(found, _QUESTIONS), asked(found, _TWO_SAS), labels


def test_counts_answer_as_records_do(
    release: Path, by_parquet: None, by_records: ByRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no condition names two SAs, no record but those that the estimator learns from is read for it."""
    read: list[object] = []
    plain = reading._columns
    monkeypatch.setattr(reading, "_columns", lambda asked: (read.append(asked.first), plain(asked))[1])
    found = read_release(release, at_once=False).published
    found.table.need(_TEXTS)
    assert [found.table[name].labels.tolist() for name in found.table.names] == by_records[2]
    monkeypatch.setattr("splu_desktop.core.query.engine._LESSON", 3_999)  # one fewer than there are
    expected = asked(read_release(release).published, _QUESTIONS[3:])
    assert asked(found, _QUESTIONS[3:]) == expected
    assert set(read) <= {3_999, None}
    assert read.count(None) == 1  # of the release that was read at once


def test_records_are_read_once_they_are_asked_for(release: Path, by_parquet: None, by_records: ByRecords) -> None:
    found = read_release(release, at_once=False).published
    found.table.need(["Ward", "illness", "drug"])
    assert "codes" not in found.table["illness"].__dict__
    assert asked(found, _TWO_SAS) == by_records[1]
    assert "codes" in found.table["illness"].__dict__
    assert asked(found, _QUESTIONS) == by_records[0]


def test_columns_without_repeated_values_are_not_counted(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, names = [str(release / "table.parquet")], list(_TEXTS)
    monkeypatch.setattr(parquet_counts, "_SAMPLE", 500)
    found = parquet_counts.counts(paths, SILENT, names=names, wanted=[0, 5])
    assert isinstance(found, dict)
    assert found["counts"].sum() == 4_000
    assert parquet_counts.counts(paths, SILENT, names=names, wanted=list(range(9))) is None


def test_files_that_are_no_tables_of_these_columns_are_not_counted(release: Path, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("PAR1 no table PAR1")
    paths, names = [str(release / "table.parquet")], list(_TEXTS)
    assert parquet_counts.counts([str(tmp_path / "text.parquet")], SILENT, names=names, wanted=[0]) is None
    assert parquet_counts.counts([*paths, "/etc/passwd"], SILENT, names=names, wanted=[0]) is None
    assert parquet_counts.counts(paths, SILENT, names=[*names[1:], names[0]], wanted=[0]) is None
    assert parquet_counts.counts(paths, SILENT, names=[name.lower() for name in names], wanted=[0]) is None


def test_a_pattern_in_a_name_leads_to_no_other_file(release: Path, by_parquet: None) -> None:
    """The records are read then."""
    other = released(release.parent / "r[1]", 6, 300)
    paths, names = [str(other / "table.parquet")], list(_TEXTS)
    assert parquet_counts.counts(paths, SILENT, names=names, wanted=[5]) is None
    assert read_release(other, at_once=False).published.table["Ward"].counts().sum() == 300


def test_the_engine_opens_no_other_file(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb  # an optional part

    plain, refused = duckdb.connect, []

    def connect(**given: object) -> object:
        class Watched:
            def __init__(self) -> None:
                self.engine = plain(**given)

            def __enter__(self) -> Watched:
                return self

            def __exit__(self, *_: object) -> None:
                for query in (
                    "SELECT * FROM read_text('/etc/passwd')",
                    "SELECT * FROM read_parquet('https://localhost/x.parquet')",
                    "INSTALL httpfs",
                    "LOAD httpfs",
                    "SET enable_external_access = true",
                    f"COPY (SELECT 1) TO '{release / 'written.csv'}'",
                ):
                    with pytest.raises(duckdb.Error):
                        self.engine.execute(query)
                    refused.append(query)
                self.engine.close()

            def execute(self, query: str, given: object) -> object:
                return self.engine.execute(query, given)

        return Watched()

    monkeypatch.setattr(duckdb, "connect", connect)
    found = parquet_counts.counts([str(release / "table.parquet")], SILENT, names=list(_TEXTS), wanted=[5])
    assert len(refused) == 6
    assert isinstance(found, dict)
    assert found["counts"].sum() == 4_000


def test_an_altered_file_is_told_of_at_the_first_count(by_parquet: None, tmp_path: Path) -> None:
    folder = released(tmp_path / "r", 7, 500)
    file = folder / "table.parquet"
    raw = bytearray(file.read_bytes())
    raw[40] ^= 3
    file.write_bytes(raw)
    found = read_release(folder, at_once=False).published
    with pytest.raises(BadRelease, match="SHA-256 differs"):
        found.table.need(["Ward", "illness"])
