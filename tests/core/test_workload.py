"""Questions drawn at random: their true counts are the table's, whichever way they are drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.accuracy import draw_from_records
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.query.workload import Workload, bands_of, draw
from tests.core.tables import skewed, with_nsas


@pytest.mark.parametrize("drawn", [draw, draw_from_records])
def test_truth_and_band_are_the_tables(drawn: Callable[..., Workload]) -> None:
    table = with_nsas(skewed(4_000, 25, 0.12, 1), 2)
    workload = drawn(table, ["dependent", "free"], ["s"], size=120, seed=3)
    assert len(workload.questions) > 60
    for question, truth in zip(workload.questions, workload.truth, strict=True):
        meets = np.ones(table.n, bool)
        for condition in question:
            column = table[condition.column]
            meets &= np.isin(column.labels[column.codes].astype(str), condition.values)
        assert int(meets.sum()) == truth > 0
    assert np.array_equal(workload.band, bands_of(workload.truth, table.n))
    assert np.bincount(workload.band).max() <= 20, "no band has more than its share"


def test_the_same_seed_asks_the_same_questions() -> None:
    table = with_nsas(skewed(2_000, 25, 0.12, 1), 2)
    first, second = (draw(table, ["free"], ["s"], size=30, seed=4) for _ in range(2))
    assert first.questions == second.questions
    assert first.questions != draw(table, ["free"], ["s"], size=30, seed=5).questions


def test_a_table_without_unchanged_columns_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadQuestion, match="unchanged column"):
        draw(skewed(100, 5, 0.3, 1), [], ["s"], size=60)
