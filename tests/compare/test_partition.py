"""Random pre-partitioning: its theorem by enumeration, and what it does to each system that it goes with."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.partition.blocks import SpluBlocks
from splu_desktop.compare.partition.generalised_parts import KAnonymityOfParts
from splu_desktop.compare.partition.noisy_parts import LaplaceOfParts, half_width, log_density
from splu_desktop.compare.partition.parts import dealt_by_value, dealt_to_parts, epsilon_of_part, sharp_epsilon_of_part
from splu_desktop.core.progress import Silent
from tests.compare.tables import small_questions, small_source
from tests.compare.test_laws import FAR, strayed


def noisy_count(ones: int, epsilon: float, shown: np.ndarray) -> np.ndarray:
    """Chances of a count with two-sided geometric noise, cut to 0..n: differentially private with epsilon."""
    steps = np.arange(-400, 401)  # beyond, less than 1e-17 of the chance
    law = np.exp(-epsilon * np.abs(steps - ones)) * math.tanh(epsilon / 2)
    return np.bincount(np.clip(steps, shown[0], shown[-1]) - shown[0], law)


@pytest.mark.parametrize("epsilon", [0.1, math.log(2), math.log(3)])
@pytest.mark.parametrize(("n", "part"), [(3, 1), (4, 2), (5, 2), (6, 2), (6, 5)])
def test_theorem_2_holds_by_enumeration_of_all_parts_of_tiny_tables(n: int, part: int, epsilon: float) -> None:
    shown = np.arange(part + 1)

    def of_random_part(table: tuple[int, ...]) -> np.ndarray:
        laws = [noisy_count(sum(some), epsilon, shown) for some in itertools.combinations(table, part)]
        return np.asarray(np.mean(laws, axis=0))

    worst = 0.0
    for table in itertools.product((0, 1), repeat=n):
        for other in (1 - table[0], *table[1:]), (table[0], 1 - table[1], *table[2:]):
            worst = max(worst, float(np.log(of_random_part(table) / of_random_part(other)).max()))
    assert worst <= epsilon_of_part(epsilon, part / n) + 1e-9
    # The later bound is met: a table of equal records and its neighbour reach it.
    assert worst == pytest.approx(sharp_epsilon_of_part(epsilon, part / n), rel=1e-6)
    assert sharp_epsilon_of_part(epsilon, part / n) < epsilon_of_part(epsilon, part / n)


def test_epsilon_of_a_part_is_the_papers() -> None:
    # With half the records it promises less than the whole table's answers do, ln 3; the later bound gives ln 2.
    assert epsilon_of_part(math.log(3), 0.5) == pytest.approx(math.log(4))
    assert sharp_epsilon_of_part(math.log(3), 0.5) == pytest.approx(math.log(2))
    assert epsilon_of_part(1.0, 1e-9) == pytest.approx(math.e * 1e-9)


def test_parts_are_even_and_blocks_are_so_for_every_value() -> None:
    chance = np.random.default_rng(1)
    codes = small_source(601).sensitive.codes
    assert np.ptp(np.bincount(dealt_to_parts(601, 7, chance))) <= 1
    block = dealt_by_value(codes, 7, chance)
    for value in range(5):
        assert np.ptp(np.bincount(block[codes == value], minlength=7)) <= 1


def test_parts_generalised_by_themselves_stay_k_anonymous_and_get_coarser() -> None:
    source = small_source(600)
    questions = small_questions(source)
    errors, sizes = [], []
    for parts in (1, 5):
        outcome = KAnonymityOfParts(5, parts).publish(source, np.random.default_rng(1), Silent())
        assert outcome.sizes.min() >= 5
        errors.append(np.abs(outcome.answer(questions).estimate - questions.truth).mean())
        width = [(high - low + 1) / c.m for low, high, c in zip(outcome.low, outcome.high, source.columns, strict=True)]
        sizes.append(float(outcome.sizes @ np.prod(width, axis=0)) / source.n)
    assert sizes[1] > 1.5 * sizes[0]
    assert errors[1] > errors[0]
    with pytest.raises(Impossible, match="too few"):
        KAnonymityOfParts(5, 200).publish(source, np.random.default_rng(1), Silent())


@pytest.mark.parametrize("parts", [1, 2, 10])
def test_noise_of_parts_adds_up(parts: int) -> None:
    grid = np.linspace(-60, 60, 240_001)
    density = np.exp(log_density(grid, parts))
    step = grid[1] - grid[0]
    assert density.sum() * step == pytest.approx(1, abs=1e-4)
    assert (density * grid**2).sum() * step == pytest.approx(2 * parts, rel=1e-3)
    source = small_source(300)
    questions = small_questions(source)
    system, chance = LaplaceOfParts(2.0, parts), np.random.default_rng(2)
    answers = [system.publish(source, chance, Silent()).answer(questions) for _ in range(200)]
    noise = np.array([each.estimate for each in answers]) - questions.truth
    assert strayed(noise, np.zeros(noise.shape[1])) < FAR
    # 14,400 independent sums: 5 standard errors of a variance of kurtosis 3 + 3 / B, and of a share of 0.95.
    b = len(questions.row) / 2
    assert noise.var() == pytest.approx(2 * parts * b**2, rel=5 * math.sqrt((2 + 3 / parts) / noise.size))
    held = (np.abs(noise) <= b * half_width(parts)).mean()
    assert held == pytest.approx(0.95, abs=5 * math.sqrt(0.05 * 0.95 / noise.size))
    assert half_width(1) == pytest.approx(math.log(20))


def test_blocks_leave_published_counts_and_answers_unbiased() -> None:
    source = small_source(400)
    chance = np.random.default_rng(4)
    published = []
    for _ in range(60):
        outcome = SpluBlocks(3, 4).publish(source, chance, Silent())
        published.append(np.bincount(outcome.shown.codes, minlength=source.m).astype(float))
    assert strayed(np.array(published), source.counts) < FAR
    questions = small_questions(source)
    answers = outcome.answer(questions)
    assert ((answers.low <= questions.truth) & (questions.truth <= answers.high)).mean() > 0.7
    with pytest.raises(Impossible):
        SpluBlocks(5, 4).publish(small_source(400, m=3), chance, Silent())
