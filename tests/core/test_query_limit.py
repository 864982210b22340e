"""Values near the eligibility limit: no answer reaches beyond what decoy groups can hold."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.published import Published
from splu_desktop.core.query import crosstab
from splu_desktop.core.query.reader import Badge, Condition, Reader
from tests.core.published_tables import release, table_of

N, GAMMA = 6_000, 5
MOST = N // GAMMA  # records of one value


@pytest.fixture(scope="module")
def published() -> Published:
    """Two values that fill nearly all the room there is, and eight that share the rest."""
    codes = np.repeat(np.arange(10), [MOST - 6, MOST - 60, *([(N - 2 * MOST + 66) // 8 + 1] * 8)])[:N]
    sex = np.random.default_rng(4).integers(0, 2, N)
    return release(table_of({"S": codes, "Sex": sex}), {"S": GAMMA}, seed=7)


def test_one_value_of_the_whole_table_is_told_within_the_limit(published: Published) -> None:
    column = published.table["S"]
    for label in column.labels[np.argsort(-column.counts())][:2]:
        answer = Reader(published).answer([Condition("S", (str(label),))])
        assert answer.high <= max(MOST, answer.estimate)
        assert answer.badge is Badge.RELIABLE, "the release knows well how often it is there"


def test_no_selection_holds_more_of_values_than_groups_do(published: Published) -> None:
    reader = Reader(published)
    labels = [str(label) for label in published.table["S"].labels]
    reached = 0
    for sex in ("0", "1"):
        for k in (1, 2, 3):
            answer = reader.answer([Condition("Sex", (sex,)), Condition("S", tuple(labels[:k]))])
            assert answer.high <= max(k * MOST, answer.estimate)
            reached += answer.high == k * MOST
    assert reached, "the limit says something here"


def test_a_cross_table_keeps_to_the_limit_and_to_the_answers(published: Published) -> None:
    reader = Reader(published)
    lines = [[Condition("Sex", (sex,))] for sex in ("0", "1")]
    table = crosstab.table(reader, lines, "S")
    assert (table.high <= np.maximum(MOST, table.estimate)).all()
    assert (table.high >= table.estimate).all()
    assert table.estimate.sum(axis=1) == pytest.approx(table.selected)


def test_how_often_a_value_is_in_the_whole_table_is_known_whatever_the_others_are() -> None:
    """Two values near the limit hide where they are, not how many records have them or any other value."""
    shares = np.array([0.19, 0.18, 0.14, 0.09, 0.08, 0.08, 0.06, 0.06, 0.05, 0.04, *([0.0015] * 20)])
    n = 20_000
    codes = np.repeat(np.arange(len(shares)), np.round(shares / shares.sum() * n).astype(int))[:n]
    table = table_of({"S": codes, "Sex": np.random.default_rng(3).integers(0, 2, len(codes))})
    published = release(table, {"S": GAMMA}, seed=5)
    reader = Reader(published)
    frequent = [str(code) for code in range(10)]
    answers = reader.answers([[Condition("S", (label,))] for label in frequent])
    # f' scatters by at most sqrt(f (1 - 1/gamma)) around f: three of them are exceeded by 1 of 370 values.
    for answer, label in zip(answers, frequent, strict=True):
        true = int((table["S"].codes == table["S"].code_of(label)).sum())
        near = 3 * np.sqrt(true * (1 - 1 / GAMMA))
        assert abs(answer.estimate - true) <= near
        assert answer.badge is Badge.RELIABLE, answer.shown
    totals = crosstab.table(reader, [[]], "S")
    places = [list(totals.labels).index(label) for label in frequent]
    assert totals.low[0, places] == pytest.approx([answer.low for answer in answers])
    assert totals.high[0, places] == pytest.approx([answer.high for answer in answers])
