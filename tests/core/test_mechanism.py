"""Laws of the draw (mechanism.md section 3), for records, blocks and persons. Seeds are fixed.

Each chi-square fails by chance once in 10,000 seeds.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from splu_desktop.core.mechanism import DecoyGroups, Lenders, Units, draw_from, draw_names
from splu_desktop.core.mechanism.draw import draw_as_dict
from tests.core.releases import people
from tests.seeded import Seeded

Ints = NDArray[np.int64]


def shown(draw: Lenders | DecoyGroups, values: Ints, classes: Ints, seed: int) -> tuple[Ints, NDArray[np.bool_]]:
    """Return (U,) the shown values, and whether each was kept."""
    ones = np.ones(len(values), np.int64)
    lender = draw.choose_lenders(values.astype(np.int32), classes.astype(np.int32), ones, Seeded(seed))
    return values[np.where(lender < 0, np.arange(len(values)), lender)], lender < 0


@pytest.mark.parametrize("gamma", [1.5, 3.0, 10.0])
def test_records_show_values_by_the_transition_of_their_class(gamma: float) -> None:
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 3, 6_000)
    values = np.where(rng.random(6_000) < 0.3 + 0.2 * classes, 0, rng.integers(1, 6, 6_000))
    draw = Lenders(gamma)
    counts = np.zeros((3, 6, 6))
    for seed in range(40):
        found, _ = shown(draw, values, classes, seed)
        np.add.at(counts, (classes, values, found), 1)
    for each in range(3):
        own = np.bincount(values[classes == each], minlength=6).astype(float)
        matrix = draw.transition(own)
        for value in range(6):
            expected = counts[each, value].sum() * matrix[value]
            assert stats.chisquare(counts[each, value], expected).pvalue > 1e-4


def test_groups_show_values_by_their_transition() -> None:
    rng = np.random.default_rng(2)
    values = rng.choice(12, 4_000, p=np.r_[0.14, 0.12, np.full(10, 0.074)])
    draw = DecoyGroups(3.0)
    counts = np.zeros((12, 12))
    for seed in range(60):
        found, _ = shown(draw, values, np.zeros(len(values), np.int64), seed)
        np.add.at(counts, (values, found), 1)
    matrix = draw.transition(np.bincount(values).astype(float))
    assert np.diag(matrix) == pytest.approx(1 / 3)
    # Groups mix in 40 sweeps, so the law holds to a hundredth of each chance and not beyond.
    assert counts / counts.sum(axis=1, keepdims=True) == pytest.approx(matrix, abs=0.01)


def test_what_stands_there_was_kept_with_one_probability_whatever_it_says() -> None:
    rng = np.random.default_rng(3)
    values = np.minimum(rng.geometric(0.4, 20_000), 8)
    kept, total = np.zeros(9), np.zeros(9)
    for seed in range(40):
        found, stays = shown(Lenders(5.0), values, np.zeros(len(values), np.int64), seed)
        kept += np.bincount(found[stays], minlength=9)
        total += np.bincount(found, minlength=9)
    off = (kept[1:] / total[1:] - 0.2) / np.sqrt(0.16 / total[1:])
    assert np.abs(off).max() < 4  # eight values: a false alarm in some 2,000 seeds


@pytest.mark.parametrize("gamma", [2.0, 3.0, 5.0])
def test_persons_keep_all_rows_or_show_a_lender_of_their_number_of_rows(gamma: float) -> None:
    _, owner = people(4_000, 4)
    units = Units.of_persons(owner)
    sizes = np.minimum(units.sizes, 9).astype(np.int32)  # the largest numbers together
    kept = np.zeros(10)
    total = np.zeros(10)
    for seed in range(10):
        bits = Seeded(seed)
        lender = Lenders(gamma).choose_lenders(np.zeros(units.number, np.int32), sizes, units.sizes, bits)
        rows = units.shown_rows(lender, bits)
        stays = lender < 0
        assert (rows[stays[units.owner]] == np.flatnonzero(stays[units.owner])).all()
        assert (units.owner[rows] == np.where(lender < 0, np.arange(units.number), lender)[units.owner]).all()
        lent = np.flatnonzero(~stays & (units.sizes < 9))
        assert (units.sizes[lender[lent]] == units.sizes[lent]).all()
        kept += np.bincount(sizes, stays, minlength=10)
        total += np.bincount(sizes, minlength=10)
    there = total > 0
    off = (kept[there] / total[there] - 1 / gamma) / np.sqrt((1 - 1 / gamma) / gamma / total[there])
    assert np.abs(off).max() < 4


def test_a_lent_course_shows_each_of_the_lenders_rows_once_where_they_have_as_many() -> None:
    owner = np.repeat(np.arange(300), 4)
    units = Units.of_persons(np.random.default_rng(5).permutation(owner))
    bits = Seeded(5)
    lender = Lenders(50.0).choose_lenders(np.zeros(300, np.int32), np.zeros(300, np.int32), units.sizes, bits)
    rows = units.shown_rows(lender, bits)
    for person in range(300):
        assert len(set(rows[units.owner == person].tolist())) == 4


def test_who_lends_to_itself_shows_any_of_its_rows() -> None:
    """Else it would keep all of them: of 4,000 draws a quarter stays, but for five standard deviations."""
    units, bits = Units.of_persons(np.zeros(4, int)), Seeded(6)
    rows = np.array([units.shown_rows(np.zeros(1, np.int32), bits) for _ in range(4_000)])
    assert (np.sort(rows, axis=1) == np.arange(4)).all()
    assert abs((rows == np.arange(4)).mean(axis=0) - 0.25).max() < 0.035


def test_shares_of_rows_are_right_on_average_where_sizes_stand_together() -> None:
    source, owner = people(600, 6)
    units = Units.of_persons(owner)
    codes = source["dx"].codes
    total = np.zeros(source["dx"].m)
    for seed in range(400):
        bits = Seeded(seed)
        lender = Lenders(4.0).choose_lenders(
            np.zeros(units.number, np.int32), np.zeros(units.number, np.int32), units.sizes, bits
        )
        total += np.bincount(codes[units.shown_rows(lender, bits)], minlength=len(total))
    true = np.bincount(codes)
    assert total / 400 == pytest.approx(true, rel=0.05)


def test_a_release_of_larger_gamma_is_one_of_smaller_gamma_drawn_again() -> None:
    counts = np.array([50.0, 30, 15, 4, 1])
    a, b = Lenders(2.0).transition(counts), Lenders(3.5).transition(counts)
    assert a @ b == pytest.approx(Lenders(7.0).transition(counts))


@pytest.mark.parametrize("draw", [Lenders(4.0), DecoyGroups(4.0)])
def test_scores_undo_the_transition(draw: Lenders | DecoyGroups) -> None:
    counts = np.array([12.0, 11, 10, 9, 9, 9, 8, 8, 8, 8, 8])
    h = np.random.default_rng(0).random((3, len(counts)))
    assert draw.score(h, counts) @ draw.transition(counts).T == pytest.approx(h)


def test_every_draw_is_made_again_from_its_settings() -> None:
    for name in draw_names():
        draw = draw_from({"draw": name, "gamma": 4})
        assert draw_from(draw_as_dict(draw)) == draw
