"""Columns that give a sensitive one away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.giveaway import TELLING, giveaways, guessed
from splu_desktop.core.table import Table
from tests.core.tables import column


def _pairs(least: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Records of an NSA and an SA value: few values, or so many that most records are alone with theirs."""
    return st.one_of(
        st.lists(st.tuples(st.integers(0, most), st.integers(0, 3)), min_size=least, max_size=60) for most in (2, 4, 70)
    )


@given(_pairs(1))
def test_the_share_of_right_guesses_is_that_of_guessing(pairs: list[tuple[int, int]]) -> None:
    """Whoever guesses by the majority of a record's class, itself left out, is right as often on average."""
    nsa, sa = (column(name, [pair[i] for pair in pairs]) for i, name in enumerate(("nsa", "sa")))
    right = 0.0
    for v in {pair[0] for pair in pairs}:
        values = [s for nsa_value, s in pairs if nsa_value == v]
        if len(values) > 1:
            most = max(values, key=values.count)
            right += len(values) * (values.count(most) - 1) / (len(values) - 1)
    found, blind = guessed(nsa, sa)
    assert found == pytest.approx(right / len(pairs))
    assert blind == sa.counts().max() / len(pairs)
    assert 0 <= found <= 1


def test_a_code_and_its_name_are_noticed_and_chance_is_not() -> None:
    rng = np.random.default_rng(2)
    code = rng.integers(0, 30, 4_000)
    nearly = np.where(rng.random(4_000) < 0.05, rng.integers(0, 30, 4_000), code)
    table = Table(
        (
            column("code", code),
            column("name", (code + 7) % 30),
            column("nearly", nearly),
            column("free", rng.integers(0, 5, 4_000)),
            column("key", np.arange(4_000)),
        )
    )
    found = giveaways(table, ["name", "nearly", "free", "key"], ["code"])
    assert [each.column for each in found] == ["name", "nearly"]
    assert found[0].right == 1.0
    assert 0.85 < found[1].right < 0.98
    assert "“name” gives “code” away" in found[0].sentence
    assert "100 of 100 records" in found[0].sentence


@given(_pairs(12), st.sampled_from([0, 0, 3]))
def test_not_counting_on_loses_no_column(pairs: list[tuple[int, int]], telling: int) -> None:
    """Whatever order the records stand in: what some of them rule out, all of them rule out."""
    pairs = [(a, a if i < telling * len(pairs) // 4 else b) for i, (a, b) in enumerate(pairs)]
    for rows in (pairs, sorted(pairs), pairs[::-1]):
        nsa, sa = (column(name, [row[i] for row in rows]) for i, name in enumerate(("nsa", "sa")))
        right, blind = guessed(nsa, sa)
        tells = right >= TELLING and right >= blind + 0.1
        assert [each.column for each in giveaways(Table((nsa, sa)), ["nsa"], ["sa"])] == ["nsa"] * tells


def test_both_ways_of_counting_agree() -> None:
    rng = np.random.default_rng(9)
    few, many = rng.integers(0, 40, 5_000), rng.integers(0, 900, 5_000)
    secret = column("s", (few * 3 + rng.integers(0, 2, 5_000)) % 60)
    for codes in (few, many):
        nsa = column("a", codes)
        padded = column("a", codes, [f"{i:07d}" for i in range(100_000)])
        assert guessed(nsa, secret) == guessed(padded, secret), "labels that no record has change nothing"


def test_a_frequent_value_alone_gives_nothing_away() -> None:
    secret = column("s", [0] * 900 + [1] * 100)
    assert giveaways(Table((column("a", np.arange(1_000) % 7), secret)), ["a"], ["s"]) == ()
