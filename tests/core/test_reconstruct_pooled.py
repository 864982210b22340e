"""What the default estimator learns from the other selections of a release, and what it does where there is nothing."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.reconstruct.pooled import LADDER, UNTAUGHT, learn


def test_nothing_to_learn_from_leaves_the_untaught_weights() -> None:
    """Counts that scatter a hundred times as far as they are large say nothing of how far they stray."""
    aims = np.full((20, 5), 3.0)
    weights = learn(aims, np.full_like(aims, 1e5), aims, np.zeros_like(aims), 10.0)
    assert np.abs(weights - UNTAUGHT).max() < 1e-3


def test_much_to_learn_from_is_learnt_to_the_last_bit_whatever_stands_in_for_nothing() -> None:
    chance = np.random.default_rng(1)
    aims = np.full((50, 5), 1000.0)
    x = aims * (1 + 0.3 * chance.normal(size=aims.shape))  # t = 0.09
    args = x, np.full_like(aims, 100.0), aims, np.zeros_like(aims)
    assert np.array_equal(learn(*args, 10.0), learn(*args))
    assert LADDER[learn(*args, 10.0).argmax()] == 0.1
