"""The table of a release as CSV reads back to the letter, whatever its texts are."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.progress import SILENT
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release import csv_table
from splu_desktop.files.release.columns import column_as_handed_out
from splu_desktop.files.release.csv_table import read_table, write_numbers, write_table
from splu_desktop.files.release.facts import Dialect
from tests.columns import column_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=90) | st.sampled_from(
    ["", "a,b", 'say "no"', '"', "two\nlines", "a\r\nb", "\0", "\ufeff", "=1+1", "'=1", "x" * 3_000, "ÿ", "é;è"]
)
ROWS = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1))


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, dialect=st.sampled_from([Dialect(), Dialect(";", "."), Dialect("\t", ".")]))
def test_a_table_reads_as_it_was_written(
    rows: list[list[str]], dialect: Dialect, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    columns = [column_of(f"col {at}", texts) for at, texts in enumerate(zip(*rows, strict=True))]
    write_table(Table(tuple(columns)), path, dialect, SILENT)
    with path.open("rb") as file:
        read = list(read_table(file, dialect, len(rows), SILENT))
    assert [name for name, _, _ in read] == [column.name for column in columns]
    assert [[texts[code] for code in codes] for _, codes, texts in read] == [list(each) for each in zip(*rows)]  # noqa: B905 - rows are even


def test_columns_of_numbers_that_share_their_codes_are_written_beside_each_other(tmp_path: Path) -> None:
    codes, other = np.array([0, 1, 2, 1], np.int32), np.array([0, 0, 1, 1], np.int32)
    every = np.arange(3, dtype=np.int32)
    columns = [(np.array([0.5, 2, 2]), every, codes), (np.array([1e-9, -3, 3]), every, codes)]
    columns.append((np.array([8, 7]), np.array([1, 0], np.int32), other))
    write_numbers(["a", "b", "c"], columns, tmp_path / "s.csv", Dialect(";", ","), SILENT)
    assert (tmp_path / "s.csv").read_text() == "a;b;c\n0,5;1e-09;7\n2;-3;7\n2;3;8\n2;-3;8\n"


@pytest.mark.parametrize("damaged", [b"a,b\n1,2\n3\n", b"a,b\n1,\xff\n", b'a,b\n1,"2\n', b"a,b\n1,2\n3,4\n5,6\n"])
def test_what_is_no_such_table_is_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong, the caller says one sentence
        list(read_table(io.BytesIO(damaged), Dialect(), 1, SILENT))


@pytest.mark.parametrize(("setting", "value"), [("_RUN", 10), ("_WIDE", 5)])
def test_scores_are_written_alike_together_and_one_by_one(
    setting: str, value: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(8)
    codes = [chance.integers(0, 30, 500).astype(np.int32) for _ in range(2)]
    every = [(chance.normal(size=9).round(1), chance.integers(0, 9, 30).astype(np.int32)) for _ in range(4)]
    columns = [(*each, codes[at // 2]) for at, each in enumerate(every)]
    write_numbers(list("abcd"), columns, tmp_path / "together.csv", Dialect(), SILENT)
    monkeypatch.setattr(csv_table, setting, value)
    write_numbers(list("abcd"), columns, tmp_path / "apart.csv", Dialect(), SILENT)
    assert (tmp_path / "together.csv").read_bytes() == (tmp_path / "apart.csv").read_bytes()


@pytest.mark.parametrize(
    ("labels", "values", "kind", "shown"),
    [
        (["0,9", "12,0", "3,1"], [0.9, 12.0, 3.1], Kind.DECIMAL, ["0.9", "12", "3.1"]),
        (["-0,5", "7"], [-0.5, 7.0], Kind.DECIMAL, ["-0.5", "7"]),
        (["1,2", "1,3"], None, Kind.CATEGORY, ["1,2", "1,3"]),
        (["1,200", "2,500"], [1200.0, 2500.0], Kind.CATEGORY, ["1,200", "2,500"]),
    ],
)
def test_a_drawn_number_with_a_decimal_comma_is_a_number(
    labels: list[str], values: list[float] | None, kind: Kind, shown: list[str]
) -> None:
    """Else no mean of it can be asked for; but lists of codes stay what they are."""
    texts, codes = np.array(labels, object), np.arange(len(labels), dtype=np.int32)
    known = None if values is None else np.array(values)
    of = Kind.CATEGORY if values is None else Kind.DECIMAL
    source = Column.from_codes("crp", codes, texts, np.zeros(len(labels), bool), known, kind=of)
    found = column_as_handed_out(source, drawn=True)
    assert found.kind is kind
    assert found.labels[found.codes].tolist() == shown
