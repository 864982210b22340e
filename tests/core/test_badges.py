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


def test_noise_that_pushed_a_count_below_none_does_not_make_it_small() -> None:
    """Of 100 records 0 to 8, by an estimate far below 0: with noise of 20 records nothing is known to be small."""
    small = replace(PLAIN, low=0.0, high=8.0, estimate=0.0, n_p=100)
    assert small.badge is Badge.PROTECTED
    assert replace(small, variance=100.0).badge is Badge.UNCERTAIN
    assert replace(small, variance=100.0, n_p=12).badge is Badge.PROTECTED  # no more can have it


def test_an_answer_far_above_what_was_expected_has_to_be_surer() -> None:
    sure = replace(PLAIN, low=60.0, high=140.0, estimate=100.0, variance=400.0)
    assert sure.badge is Badge.RELIABLE
    assert replace(sure, expected=50.0).badge is Badge.UNCERTAIN
    assert replace(sure, expected=50.0, low=80.0, high=120.0, variance=100.0).badge is Badge.RELIABLE
    # Ends at what is possible hide the noise.
    assert replace(sure, low=90.0, high=105.0, variance=2_500.0).badge is Badge.UNCERTAIN
