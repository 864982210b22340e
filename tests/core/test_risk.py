"""Classes of records that agree on some columns, against counting them one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.risk.uniqueness import class_sizes, records_below
from splu_desktop.core.table import Column, Table


@given(
    rows=st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), max_size=40),
    chosen=st.sets(st.sampled_from("xyz")),
)
def test_class_sizes_are_those_of_counting_rows(rows: list[tuple[str, ...]], chosen: set[str]) -> None:
    table = Table(tuple(Column.from_labels(name, [row[i] for row in rows]) for i, name in enumerate("xyz")))
    names = sorted(chosen)
    expected = Counter(tuple(row["xyz".index(name)] for name in names) for row in rows)
    sizes = class_sizes(table, names)
    assert sorted(sizes.tolist()) == sorted(expected.values())
    assert records_below(sizes, 2) == sum(1 for count in expected.values() if count == 1)


def test_many_wide_columns_do_not_overflow() -> None:
    # 12 columns of 1,000 values each span 10^36 combinations, far beyond 64 bits; every record is unique.
    codes = np.arange(1000, dtype=np.int32)
    labels = np.array([f"v{i:04}" for i in range(1000)], dtype=object)
    base = Column.from_labels("c", labels)
    table = Table(tuple(Column(f"c{i}", base.kind, np.roll(codes, i), labels, base.missing) for i in range(12)))
    assert class_sizes(table, table.names).tolist() == [1] * 1000
