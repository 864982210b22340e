"""T_P of several releases: mechanism.md's figures, the README's, and the law of different groups."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.guarantees.several_releases import ValueDraw, row_gain, t_p_of_all
from splu_desktop.core.guarantees.tolerant import t_p_of
from splu_desktop.core.progress import SILENT
from tests.core.tables import column
from tests.seeded import Seeded


def test_the_figures_of_the_mechanism_and_of_the_readme() -> None:
    found = {k: t_p_of_all([ValueDraw.plain(10)] * k, 0.3, 3) for k in (1, 2, 5, 10)}
    assert [round(t_p, 3) for t_p in found.values()] == [0.613, 0.429, 0.219, 0.066]
    readme = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    once, twice, five = (math.floor(100 * found[k]) for k in (1, 2, 5))  # promised at least, so rounded down
    assert f"With gamma 10, the {once} % or more for a small count to be wrong by more than 30 %" in readme
    assert f"falls to {twice} % after two releases and {five} % after five" in readme


@pytest.mark.parametrize("gamma", [2, 3, 7])
def test_plain_groups_are_a_tolerance_with_one_size(gamma: int) -> None:
    for k in (1, 2, 3):
        tolerant = t_p_of(Fraction(1, gamma), (gamma,), 0.3, 3, k)
        assert t_p_of_all([ValueDraw.plain(gamma)] * k, 0.3, 3) == pytest.approx(tolerant)
    # A hair's breadth apart: the mixed law of nearly equal draws is that of equal ones.
    mixed = t_p_of_all([ValueDraw.plain(gamma), ValueDraw((gamma,), Fraction(1, gamma) + Fraction(1, 10**9))], 0.3, 3)
    assert mixed == pytest.approx(t_p_of_all([ValueDraw.plain(gamma)] * 2, 0.3, 3))


def test_a_common_value_comes_twice_by_chance() -> None:
    """Which is why nobody is said to know what comes twice but where it is rare."""
    s = column("s", np.repeat([0, 1, 2], [1_900, 2_000, 100]))
    shown = [PlainGroups(2).redraw(s, Seeded(seed), SILENT).codes for seed in (1, 2)]
    agree = shown[0] == shown[1]
    right, rare = shown[0] == s.codes, shown[0] == 2
    assert right[agree & ~rare].mean() < 0.7
    assert right[agree & rare].mean() > 0.8  # .95 of them, by the law


def test_rows_seen_in_several_releases() -> None:
    assert row_gain([ValueDraw.plain(5)]).right == pytest.approx(0.2)
    assert row_gain([ValueDraw.plain(5)]).twice == 0
    assert row_gain([ValueDraw.plain(5), ValueDraw.plain(4)]).twice == pytest.approx(1 / 20)
    k = [row_gain([ValueDraw.plain(5)] * times).right for times in range(1, 40)]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(k))
    assert k[-1] > 0.99
