"""Numbers as sensitive columns: the intervals suggested for them, and what stands for the numbers in each."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core import generalise as g
from splu_desktop.core.generalise.clinical import MEASURES
from splu_desktop.core.generalise.interval_texts import interval_ends
from splu_desktop.core.generalise.typical import ENOUGH, told_means, typical
from splu_desktop.core.table import Column, Kind
from splu_desktop.core.words import words_of


def numbers(name: str, values: object, kind: Kind = Kind.DECIMAL) -> Column:
    return Column.from_labels(name, [f"{each:g}" for each in np.asarray(values)], kind=kind)


def spread(middle: float, records: int = 3_000) -> np.ndarray:
    return np.round(np.random.default_rng(8).normal(middle, abs(middle) / 8, records), 2)


def test_every_measure_rises_and_its_unit_is_never_ambiguous() -> None:
    for measure in MEASURES:
        assert all(low < high for low, high in pairwise(measure.cuts)), measure.title
        assert measure.words
        assert measure.source
    for one, other in combinations(MEASURES, 2):
        if {"".join(words_of(word)) for word in one.words} & {"".join(words_of(word)) for word in other.words}:
            assert one.medians[1] <= other.medians[0] or other.medians[1] <= one.medians[0], (one.title, other.title)


@pytest.mark.parametrize(
    ("name", "middle", "title"),
    [
        ("HbA1c", 7.1, "HbA1c, %"),
        ("hba1c_mmol_mol", 52, "HbA1c, mmol/mol"),
        ("Glucose (mg/dL)", 118, "Glucose, mg/dl"),
        ("Blutzucker", 6.2, "Glucose, mmol/l"),
        ("LDL-Cholesterol", 3.1, "LDL cholesterol, mmol/l"),
        ("Kreatinin i.S.", 88, "Creatinine, µmol/l"),
        ("serum_potassium_last", 4.2, "Potassium, mmol/l"),
        ("K", 4.2, "Potassium, mmol/l"),
        ("Fréquence cardiaque", 78, "Heart rate, 1/min"),
    ],
)
def test_measures_are_told_by_name_and_median(name: str, middle: float, title: str) -> None:
    found = g.measure_of(numbers(name, spread(middle)))
    assert found is not None
    assert found.title.startswith(title)
    (step,) = g.suggest(numbers(name, spread(middle)))
    assert isinstance(step, g.Intervals)
    assert step.cuts == found.cuts
    assert g.from_dict(step.as_dict()) == step


@pytest.mark.parametrize(
    ("name", "middle"),
    [
        ("glucose_tests_count", 7),  # how often
        ("days since HbA1c", 40),
        ("HbA1c", 4_000),  # of no unit that is known
        ("K factor", 4.2),
        ("charges", 8_000),
        ("BMI change", 25),
    ],
)
def test_what_only_sounds_like_a_measure_gets_quantiles(name: str, middle: float) -> None:
    column = numbers(name, spread(middle))
    assert g.measure_of(column) is None
    (step,) = g.suggest(column)
    assert isinstance(step, g.Intervals)
    assert step.found == ("quantiles", 10.0)
    with pytest.raises(g.CannotGeneralise, match="No clinical cut points"):
        g.clinical(column)


def test_a_measure_within_one_interval_gets_quantiles() -> None:
    (step,) = g.suggest(numbers("heart rate", np.random.default_rng(8).uniform(60, 80, 3_000).round(2)))
    assert isinstance(step, g.Intervals)
    assert not step.clinical


@given(
    st.lists(st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.5g}")), min_size=ENOUGH, max_size=ENOUGH + 60),
    st.floats(-1e12, 1e12),
    st.integers(0, ENOUGH - 1),
)
def test_a_single_record_hardly_moves_a_told_mean(values: list[float], other: float, at: int) -> None:
    """A mean is rounded to steps of which one record moves it by at most one and a half, as that of a median may."""
    cuts = g.by_cuts([0.0])
    changed = list(values)
    changed[at] = float(f"{abs(other) if values[at] >= 0 else -abs(other) - 1:.5g}")  # stays in its interval
    means = []
    for each in (values, changed):
        column = numbers("charge", each)
        means.append(told_means(column, cuts.apply(column)))
    assert means[0].keys() == means[1].keys()
    for label, mean in means[0].items():
        inside = np.array([x for x in values if (x >= 0) == (label != "below 0")])
        assert len(inside) >= ENOUGH
        middles = [
            float(np.median([x for x in each if (x >= 0) == (label != "below 0")])) for each in (values, changed)
        ]
        step = max(map(abs, middles)) / 20  # the cut is 0
        # The median itself may jump in a set of few different numbers; beyond that, one record moves by one step.
        assert abs(means[1][label] - mean) <= 3 * step + 3 * abs(middles[1] - middles[0]) + 1e-9


def test_few_records_have_no_mean_and_the_middle_stands_for_them() -> None:
    column = numbers("stay", [3] * 400 + [5] * 20 + [90] * 30, Kind.INTEGER)
    after = g.by_cuts([4, 10]).apply(column)
    means = told_means(column, after)
    assert means == {"below 4": 3.0}
    stand = typical(after, means)
    assert stand is not None
    assert dict(zip(after.labels.tolist(), stand.tolist(), strict=True)) == {
        "below 4": 3.0,
        "4 to 9": 6.5,  # of 4, ..., 9
        "10 and more": 12.5,  # 10, ..., 15: as wide as the one beside it
    }
    assert typical(column, {}) is None


@pytest.mark.parametrize(
    ("cuts", "values"),
    [
        ([5.0, 10.0], [0] * 900 + [1, 2, 3, 4] * 100 + [7] * 300 + [30] * 300),  # most of them 0
        ([5.0], [0] * 900 + [1, 2, 3, 4] * 100 + [5] * 700 + [9, 14] * 100),  # one cut, most of them at it
        ([1960.0, 1980.0], [*range(1930, 2010)] * 20),  # years: two digits of 1994 are steps of a century
        ([7.35, 7.45], [7.3, 7.32, 7.34, 7.4, 7.47, 7.48, 7.5] * 300),
        ([-1.0, 1.0], [-3, -2, 0, 0.2, 1.2, 1.4] * 300),
    ],
)
def test_told_means_of_open_intervals_are_those_of_their_numbers(cuts: list[float], values: list[float]) -> None:
    """Wherever 0 of the scale is: "below 5" with most records at 0 had 3e-299 for its mean, and years 2000 for 1995."""
    column = numbers("score", values)
    after = g.by_cuts(cuts).apply(column)
    means = told_means(column, after)
    ends = interval_ends(after)
    assert ends is not None
    assert len(means) == len(cuts) + 1
    near = max((cuts[-1] - cuts[0]) / 20, 0.3 if len(cuts) == 1 else 0)
    for at, label in enumerate(after.labels.tolist()):
        assert abs(means[label] - np.array(values)[after.codes == at].mean()) <= near, label
        assert ends[0][at] <= means[label] < ends[1][at]


def test_told_means_give_the_mean_of_skewed_numbers() -> None:
    """Within 3 % for charges, whose last interval has no end; its middle by width alone would be a fifth too low."""
    values = np.random.default_rng(5).lognormal(8, 1.2, 20_000).round(2)
    column = numbers("charges", values)
    (step,) = g.suggest(column)
    after = step.apply(column)
    counts = after.counts()
    told, blind = typical(after, told_means(column, after)), typical(after, {})
    assert told is not None
    assert blind is not None
    assert abs(counts @ told / len(values) - values.mean()) < 0.03 * values.mean()
    assert counts @ blind / len(values) < 0.9 * values.mean()
    ends = interval_ends(after)
    assert ends is not None
    assert ((told >= ends[0]) & (told < ends[1])).all()
