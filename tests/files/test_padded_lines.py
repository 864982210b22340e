"""CSV written by whole arrays and field by field: the same bytes, whatever the texts."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.progress import Silent
from splu_desktop.core.table import Column, Table
from splu_desktop.files.disk.in_blocks import encoded
from splu_desktop.files.disk.inert import inert, inert_packed
from splu_desktop.files.tables import table_writers
from tests.core.test_texts import packed

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(_TEXTS, max_size=20), st.sampled_from(["", ",", "\n"]))
def test_texts_encoded_together_are_those_encoded_one_by_one(texts: list[str], end: str) -> None:
    assert encoded(texts, end) == [(text + end).encode("utf-8") for text in texts]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_TEXTS, _TEXTS, _TEXTS), min_size=1, max_size=30), st.booleans())
def test_both_ways_of_writing_give_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], bom: bool
) -> None:
    table = Table(tuple(Column.from_labels(f"c{at}", texts) for at, texts in enumerate(zip(*rows, strict=True))))
    folder = tmp_path_factory.mktemp("lines")
    table_writers.write_csv(table, folder / "quick.csv", Silent(), bom)
    with pytest.MonkeyPatch.context() as slow:
        slow.setattr(table_writers, "_padded_lines", lambda *_: None)
        table_writers.write_csv(table, folder / "slow.csv", Silent(), bom)
    assert (folder / "quick.csv").read_bytes() == (folder / "slow.csv").read_bytes()


_ASCII = st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=12) | st.from_regex(
    r"[-+=@;' ]?[0-9]{0,3}[.,%eE+-]?[0-9]{0,3}", fullmatch=True
)


@settings(max_examples=100, deadline=None)
@given(st.lists(_ASCII, min_size=1, max_size=6, unique=True), st.data())
def test_packed_texts_are_written_as_others_are(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    column = Column.from_labels("b", data.draw(st.permutations(texts * 2)))
    columns = [Column.from_labels("a", ["x"] * column.n)] * data.draw(st.integers(0, 1))
    labels: Any = packed(column.labels.tolist())
    folder = tmp_path_factory.mktemp("packed")
    table_writers.write_csv(Table((*columns, column)), folder / "one.csv", Silent())
    table_writers.write_csv(Table((*columns, replace(column, labels=labels))), folder / "packed.csv", Silent())
    with pytest.MonkeyPatch.context() as slow:
        slow.setattr(table_writers, "_padded_lines", lambda *_: None)
        table_writers.write_csv(Table((*columns, replace(column, labels=labels))), folder / "slow.csv", Silent())
    wanted = (folder / "one.csv").read_bytes()
    assert (folder / "packed.csv").read_bytes() == wanted
    assert (folder / "slow.csv").read_bytes() == wanted
    found = inert_packed(labels)
    assert found is None or list(found) == list(map(inert, labels))


def test_one_long_text_does_not_make_all_lines_as_long(tmp_path: Path) -> None:
    texts = ["x" * 5_000, *("y" for _ in range(2_000))]
    table = Table((Column.from_labels("a", texts), Column.from_labels("b", texts)))
    cells = [np.array(column.labels, dtype=object) for column in table.columns]
    assert table_writers._padded_lines(table, cells, Silent()) is None
    table_writers.write_csv(table, tmp_path / "t.csv", Silent())
    lines = io.StringIO((tmp_path / "t.csv").read_text("utf-8")).readlines()
    assert lines[1:3] == [f"{'x' * 5_000},{'x' * 5_000}\n", "y,y\n"]
