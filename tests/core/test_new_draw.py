"""What CONTRIBUTING.md says of a new draw, done: one file, and every answer and bound knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import Lenders, draw_from, law
from tests.core.new_draw import AnyValue
from tests.core.releases import Releases, lines_of, table


def test_counts_of_a_new_draw_are_held() -> None:
    """95 of 100 intervals hold; of 800, less than 735 do in one of 10,000 seeds."""
    rng = np.random.default_rng(1)
    source = table(
        {"sex": rng.choice(["f", "m"], 8_000), "ward": rng.integers(0, 5, 8_000), "dx": rng.integers(0, 8, 8_000)}
    )
    line, lines = lines_of(source, ("sex", "ward"))
    truth = np.bincount(line * 8 + source["dx"].codes, minlength=lines * 8).reshape(-1, 8)
    held = 0
    for seed in range(10):
        grid = Reader(Releases(source, {("dx",): AnyValue(3.0)}).draw(seed)).column_grid(line, lines, "dx")
        low, high = grid.figures.interval(np.broadcast_to(grid.line_rows[:, None].astype(float), truth.shape))
        held += int(((low <= truth) & (truth <= high)).sum())
    assert held >= 735


def test_a_new_draw_is_known_by_its_name() -> None:
    draw = draw_from({"draw": "any value", "gamma": 4})
    assert draw == AnyValue(4.0)
    assert 0 < law.t_p(draw, 0.3, 3) < 1


@dataclass(frozen=True)
class _Renamed(Lenders):
    name: ClassVar[str] = "renamed"


def test_bounds_of_a_new_draw_follow_from_its_own_law() -> None:
    assert law.t_f(_Renamed(5.0), 0.3, 0.05) == law.t_f(Lenders(5.0), 0.3, 0.05) == 44
    with pytest.raises(BadSetting):  # its counts are never right on average
        law.t_f(AnyValue(4.0), 0.3, 0.05)
