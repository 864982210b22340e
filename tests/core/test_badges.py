"""What the badge of an answer may claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.query.reader import DEFAULT, Answer, Badge

PLAIN = Answer((), 5, 5.0, 0.0, 9.0, DEFAULT, 1000, 4.0, 3, 100.0)


@pytest.mark.parametrize(
    ("low", "high", "badge"),
    [
        (0, 8, Badge.PROTECTED),
        (2, 13, Badge.PROTECTED),
        (0, 826, Badge.UNCERTAIN),  # little is known; nothing says that the count is small
        (0, 40, Badge.UNCERTAIN),
        (4, 20, Badge.UNCERTAIN),
        (80, 120, Badge.RELIABLE),
    ],
)
def test_protected_is_said_only_where_the_interval_says_that_the_count_is_small(
    low: float, high: float, badge: Badge
) -> None:
    answer = replace(PLAIN, low=low, high=high, estimate=(low + high) / 2)
    assert answer.badge is badge


@given(low=st.floats(0, 500), width=st.floats(0, 500), small=st.integers(1, 50))
def test_no_single_figure_is_shown_where_the_count_may_be_small(low: float, width: float, small: int) -> None:
    answer = replace(PLAIN, low=low, high=low + width, estimate=low + width / 2, small=small)
    assert (" to " in answer.shown) == (low <= small)
    if answer.badge is Badge.RELIABLE:
        assert low > small
    if answer.badge is Badge.PROTECTED:
        # No count is called small that is beyond what a small count's own interval reaches.
        assert answer.high <= small + 4 * small**0.5 + 4 + 2
