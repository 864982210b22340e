"""Classes are cells of unchanged columns, none of fewer units than 50, and tell nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.mechanism import LEAST, Units, make_classes
from tests.core.releases import column, people, table


@pytest.mark.parametrize("seed", range(4))
def test_no_class_has_fewer_units_than_fifty_and_its_description_is_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source = table({"sex": rng.choice(["f", "m", "x"], 3_000, p=[0.55, 0.44, 0.01]), "age": rng.integers(0, 30, 3_000)})
    found = make_classes(source.columns, Units.of_records(source.n))
    assert np.bincount(found.code).min() >= LEAST
    for each, cell in enumerate(found.cells):
        inside = np.ones(source.n, bool)
        for each_column, labels in zip(source.columns, cell.labels, strict=True):
            inside &= np.isin(each_column.labels[each_column.codes].astype(str), labels)
        assert (inside == (found.code == each)).all()


def test_persons_lend_to_persons_of_as_many_rows_in_the_cell_where_most_of_their_rows_lie() -> None:
    source, owner = people(3_000, 1)
    units = Units.of_persons(owner)
    found = make_classes([source["sex"]], units)
    persons = np.bincount(found.code)
    assert persons.min() >= LEAST
    for each, cell in enumerate(found.cells):
        sizes = units.sizes[found.code == each]
        assert set(sizes) == {cell.rows}


def test_of_a_person_the_commonest_cell_counts_and_of_equally_common_ones_the_first() -> None:
    """a, a, b and a, b, b are of a and of b; a, b of a."""
    owner = np.repeat(np.arange(300), np.repeat([3, 3, 2], 100))
    source = table(
        {"ward": np.concatenate([np.tile(list("aab"), 100), np.tile(list("abb"), 100), np.tile(list("ab"), 100)])}
    )
    found = make_classes(source.columns, Units.of_persons(owner))
    cells = [(found.cells[each].rows, found.cells[each].labels) for each in found.code[[0, 100, 200]]]
    assert cells[:2] == [(3, (("a",),)), (3, (("b",),))]
    assert (cells[2][0], cells[2][1][0][0]) == (2, "a")
    assert (np.diff(found.code.reshape(3, 100), axis=1) == 0).all()


_JOINED = [((100, 30, 60), (100, 90)), ((60, 30, 100), (90, 100)), ((50, 51), (50, 51))]


@pytest.mark.parametrize(("sizes", "joined"), _JOINED)
def test_a_value_of_few_units_joins_its_smaller_neighbour(sizes: tuple[int, ...], joined: tuple[int, ...]) -> None:
    ward = column("ward", np.repeat(list("abc")[: len(sizes)], sizes))
    assert tuple(np.bincount(make_classes([ward], Units.of_records(sum(sizes))).code)) == joined


def test_a_table_of_fewer_units_than_a_class_is_one_class() -> None:
    source = table({"sex": ["f", "m"] * 15})
    assert make_classes(source.columns, Units.of_records(30)).number == 1
