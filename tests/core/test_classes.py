"""Risk by the columns published unchanged, against counting rows one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.errors import UnknownColumn
from splu_desktop.core.generalise import Rare
from splu_desktop.core.progress import Cancelled, Watched
from splu_desktop.core.risk import uniqueness as risk
from splu_desktop.core.risk.classes import classes_of, one_class, sizes_of
from splu_desktop.core.table import Column, Table
from tests.core.tables import column

NAMES = "wxyz"
ROWS = st.lists(st.tuples(*[st.sampled_from("abc")] * 4), max_size=40)


def table_of(rows: list[tuple[str, ...]]) -> Table:
    return Table(tuple(Column.from_labels(name, [row[i] for row in rows]) for i, name in enumerate(NAMES)))


def counted(rows: list[tuple[str, ...]], names: str) -> risk.Uniqueness:
    sizes = Counter(tuple(row[NAMES.index(name)] for name in names) for row in rows).values()
    below = {k: sum(size for size in sizes if size < k) for k in risk.KS}
    return risk.Uniqueness(len(rows), len(sizes), min(sizes, default=0), below)


@given(ROWS, st.sets(st.sampled_from(NAMES), min_size=1))
def test_risk_and_causes_are_those_of_counting_rows(rows: list[tuple[str, ...]], chosen: set[str]) -> None:
    table, names = table_of(rows), "".join(sorted(chosen))
    whole = risk.risk(table, names)
    assert whole == counted(rows, names)
    assert whole.unique == whole.below[2]
    found = risk.causes(table, names)
    assert sorted(cause.name for cause in found) == list(names)
    for cause in found:
        assert cause.without == counted(rows, names.replace(cause.name, ""))
        assert cause.alone == counted(rows, cause.name)
        assert all(cause.freed(whole, k) >= 0 for k in risk.KS), "fewer columns never make smaller classes"
    assert [c.without.unique for c in found] == sorted(c.without.unique for c in found)


@given(ROWS, st.sampled_from(NAMES), st.integers(2, 20))
def test_a_column_on_trial_gives_the_risk_of_the_table_with_it(rows: list[tuple[str, ...]], name: str, k: int) -> None:
    table = table_of(rows)
    trial = Rare(k).apply(table[name])
    changed = Table(tuple(trial if c.name == name else c for c in table.columns))
    rest = risk.others(table, NAMES, name)
    assert risk.with_column(rest, trial) == risk.risk(changed, NAMES)
    assert risk.with_column(rest, table[name]) == risk.risk(table, NAMES)
    assert risk.with_column(rest, trial).unique <= risk.risk(table, NAMES).unique
    for cause in risk.causes(table, NAMES, trials={name: trial}):
        assert cause.generalised == (risk.risk(changed, NAMES) if cause.name == name else None)
        assert cause.without == risk.risk(table, [other for other in NAMES if other != cause.name])


@pytest.mark.parametrize("m", [3, 400, 70_000])
def test_classes_agree_by_every_way_of_numbering(m: int) -> None:
    """By a table, by a packed sort, and by an indirect one where 64 bits don't hold number and place: all alike."""
    rng, n = np.random.default_rng(5), 3_000
    columns = [column(f"c{i}", rng.integers(0, m, n), [f"{v:06d}" for v in range(m)]) for i in range(5)]
    rows = np.stack([c.codes for c in columns], axis=1)
    for upto in range(1, 6):
        distinct, which, sizes = np.unique(rows[:, :upto], axis=0, return_inverse=True, return_counts=True)
        found = classes_of(columns[:upto], n)
        assert found.count == len(distinct)
        assert len(set(zip(found.ids.tolist(), which.ravel().tolist(), strict=True))) == len(distinct)
        assert sorted(found.sizes.tolist()) == sorted(sizes.tolist())
        stepwise = one_class(n)
        for c in columns[: upto - 1]:
            stepwise = stepwise.split(c)
        last = columns[upto - 1]
        assert sorted(stepwise.split_sizes(last.codes, last.m).tolist()) == sorted(sizes.tolist())
        wide, narrow = stepwise.joined(last.codes, 2**50), stepwise.joined(last.codes, last.m)
        assert wide.count == narrow.count
        assert np.array_equal(wide.ids, narrow.ids), "both number classes in the order of their keys"


def test_huge_spans_are_counted_without_packing() -> None:
    keys = np.array([2**62, 5, 2**62, 7, 5, 5], np.int64)
    assert sorted(sizes_of(keys, 2**62 + 1).tolist()) == [1, 2, 3]


def test_no_column_and_no_record_are_one_class_and_none() -> None:
    table = table_of([("a", "a", "a", "a")] * 3)
    assert risk.risk(table, []) == risk.Uniqueness(3, 1, 3, {2: 0, 3: 0, 5: 3, 10: 3})
    assert risk.risk(table_of([]), NAMES) == risk.Uniqueness(0, 0, 0, dict.fromkeys(risk.KS, 0))
    assert risk.risk(table_of([]), NAMES).share(2) == 0.0
    assert risk.causes(table, ["w"])[0].without == risk.risk(table, [])


def test_unknown_columns_are_named_and_work_can_be_stopped() -> None:
    table = table_of([("a", "b", "c", "a")])
    with pytest.raises(UnknownColumn, match="“q”"):
        risk.risk(table, ["q"])
    with pytest.raises(Cancelled):
        risk.causes(table, NAMES, Watched(lambda stage, done: None, lambda: True))


def test_the_risk_as_plain_data_says_what_its_keys_say() -> None:
    found = risk.risk(table_of([("a", "b", "c", "a"), ("a", "b", "c", "b"), ("a", "b", "c", "b")]), NAMES)
    assert found.as_dict() == {
        "records": 3,
        "classes": 2,
        "smallest_class": 1,
        "below": {"2": 1, "3": 3, "5": 3, "10": 3},
    }
    assert found.share(2) == pytest.approx(1 / 3)
