"""Codes over distinct keys: exact for any keys, few or many, near or far apart."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from splu_desktop.core.distinct import _ODD, count_keys, cross_codes, distinct, distinct_rows
from splu_desktop.core.table import Column, Kind, quantiles, unique


def holds(keys: NDArray[np.uint64]) -> None:
    codes, firsts = distinct(keys)
    assert np.array_equal(np.sort(keys[firsts]), np.unique(keys))
    assert np.array_equal(keys[firsts][codes], keys)


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3), max_size=300))
def test_every_key_gets_the_code_of_its_like(keys: list[int]) -> None:
    holds(np.array(keys, np.uint64))


@given(
    st.sampled_from(["", "ab", "é", "Diagnosis 1", "\0", "\udcff", "😀"]),
    st.lists(st.text("abé\0\udc80\uffff\U0010ffff😀", max_size=14) | st.text(max_size=20), max_size=40),
)
def test_labels_stand_in_the_order_of_their_letters_missing_ones_last(start: str, rest: list[str]) -> None:
    texts = np.array([*{start + text for text in rest}], object)
    codes, missing = np.arange(len(texts), dtype=np.int32), np.arange(len(texts)) % 5 == 4
    column = Column.from_codes("any", codes, texts, missing, None, kind=Kind.CATEGORY)
    assert column.labels.tolist() == sorted(texts[~missing]) + sorted(texts[missing])
    assert column.labels[column.codes].tolist() == texts.tolist()


@pytest.mark.parametrize("different", [1, 1_999, 32_768, 32_769, 50_000])
def test_few_keys_and_many_are_told_apart(different: int) -> None:
    rng = np.random.default_rng(20)
    holds(rng.integers(0, 2**64, different, np.uint64)[rng.integers(0, different, 60_000)])


@pytest.mark.parametrize("repeated", [0, 1, 300, 9_000])
def test_nearly_distinct_keys_are_coded_in_the_order_of_the_records(repeated: int) -> None:
    rng = np.random.default_rng(20)
    keys = rng.permutation(60_000).astype(np.uint64) << np.uint64(40)
    keys[rng.choice(60_000, repeated, replace=False)] = keys[rng.integers(0, 60_000, repeated)]
    holds(keys)
    codes, firsts = distinct(keys)
    assert np.array_equal(codes[firsts], np.arange(len(firsts)))
    assert np.all(np.diff(firsts) > 0)


def test_keys_made_to_fall_together_are_still_told_apart() -> None:
    # Multiplied by any odd number, keys that differ in their highest bits' cycle alone keep few places.
    holds((np.arange(2_000, dtype=np.uint64) * np.uint64(1 << 40))[np.arange(9_000) % 2_000])
    holds(np.arange(2_000, dtype=np.uint32)[np.arange(9_000) % 2_000])
    # Of these the first multiplication makes neighbours, all at one place.
    holds((np.arange(2_000, dtype=np.uint64) * np.uint64(pow(_ODD, -1, 1 << 64)))[np.arange(9_000) % 2_000])


def test_many_keys_of_one_hash_are_still_told_apart() -> None:
    # What the multiplication leaves of these differs in the lowest bits alone, where records are numbered.
    holds((np.arange(70_000, dtype=np.uint64) % 40_000) * np.uint64(pow(_ODD, -1, 1 << 64)))


@pytest.mark.parametrize("step", [1, pow(_ODD, 3, 1 << 64)])
def test_rows_are_distinct_where_some_column_is(step: int) -> None:
    rng = np.random.default_rng(22)
    columns = [rng.integers(0, 50, 5_000).astype(np.uint64) * np.uint64(step) for _ in range(3)]
    columns[2] -= columns[1] * np.uint64(_ODD)  # so that sums of the first and the last fall together
    codes, firsts = distinct_rows(columns)
    assert len(firsts) == len(np.unique(np.stack(columns), axis=1).T)
    assert all(np.array_equal(column[firsts][codes], column) for column in columns)


@pytest.mark.parametrize("rare", [1, 5_000, 40_000])
def test_keys_that_a_look_at_some_records_does_not_show_are_found(rare: int) -> None:
    keys = np.tile(np.array([7, 1 << 60, 3], np.uint64), 100_000)
    # Every fourth record is looked at, none of these.
    keys[np.arange(rare) * 4 + 1] = np.arange(rare, dtype=np.uint64) * np.uint64(_ODD)
    holds(keys)


@given(st.lists(st.integers(-5, 5), max_size=40))
def test_distinct_numbers_are_those_of_numpy(numbers: list[int]) -> None:
    assert np.array_equal(unique(np.array(numbers, np.int64)), np.unique(np.array(numbers, np.int64)))


@given(st.lists(st.floats(width=16), max_size=40))
def test_what_is_no_number_is_one_of_them_at_most(numbers: list[float]) -> None:
    assert np.array_equal(unique(numbers), np.unique(np.array(numbers, np.float64)), equal_nan=True)
    days = np.array([number if np.isfinite(number) else "NaT" for number in np.trunc(numbers)], "M8[D]")
    assert np.array_equal(unique(days.reshape(1, -1)), np.unique(days), equal_nan=True)


@pytest.mark.parametrize("records", [1, 30, 300])
def test_few_records_take_little_memory(records: int) -> None:
    # A file of 16,384 columns is coded column by column: what each takes beyond its records is paid that many times.
    keys = np.random.default_rng(20).integers(0, 2**64, records, np.uint64)
    tracemalloc.start()
    try:
        distinct(keys)
        assert tracemalloc.get_traced_memory()[1] < 20_000 + 32 * records**2
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [10, 60_000, 1 << 40])
def test_crossed_codes_are_those_of_numpy_whether_keys_fill_their_range_or_not(size: int) -> None:
    keys = np.random.default_rng(21).integers(0, size, 5_000)
    codes, values = cross_codes(keys, size)
    wanted, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    assert np.array_equal(values, wanted)
    assert np.array_equal(codes, inverse)
    assert all(map(np.array_equal, count_keys(keys, size), (wanted, counts)))


def test_quantiles_are_those_of_numpy() -> None:
    rng = np.random.default_rng()
    for size in (1, 2, 11, 500):
        values, shares = rng.integers(0, 40, size), [0.0, *rng.random(3), 0.5, 1.0]
        assert np.allclose(quantiles(values, shares), np.quantile(values, shares))
