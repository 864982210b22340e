"""Eligibility and remedies: what is offered is enough, and something is always offered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core import generalise as g
from splu_desktop.core.errors import SpluError
from splu_desktop.core.groups import forming as groups
from splu_desktop.core.guarantees.exact import t_f
from splu_desktop.core.guarantees.remedies import RemedyKind, eligibility, remedies
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.table import Column, Kind
from tests.core.tables import column


@given(st.lists(st.integers(0, 6), min_size=1, max_size=80), st.integers(2, 8))
def test_eligibility_is_that_of_the_groups(codes: list[int], gamma: int) -> None:
    sa = column("s", codes).compacted()
    found = eligibility(sa)
    assert found.largest_gamma == groups.largest_gamma(sa)
    assert found.count == sa.counts().max()
    assert sa.counts()[sa.code_of(found.value)] == found.count
    try:
        groups.check_eligible(sa, gamma)
    except SpluError:
        assert not found.allows(gamma)
    else:
        assert found.allows(gamma)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=80), st.integers(2, 8))
def test_an_ineligible_column_always_has_a_way_out_that_holds(codes: list[int], gamma: int) -> None:
    sa = column("s", codes).compacted()
    found = remedies(sa, (), gamma, tolerances=True)
    if eligibility(sa).allows(gamma):
        assert found == ()
        return
    assert found[-1].kind is RemedyKind.LEAVE_OUT
    lower = [remedy for remedy in found if remedy.kind is RemedyKind.LOWER_GAMMA]
    assert bool(lower) == (groups.largest_gamma(sa) >= 2)
    for remedy in lower:
        assert remedy.gamma is not None
        assert eligibility(sa).allows(remedy.gamma)
        assert not eligibility(sa).allows(remedy.gamma + 1)


def charges() -> Column:
    numbers = np.random.default_rng(3).lognormal(8, 1, 4_000).round(2)
    return Column.from_labels("charge", [str(x) for x in numbers], kind=Kind.DECIMAL)


@pytest.mark.parametrize("gamma", [2, 5, 10])
def test_a_measurement_is_offered_intervals_that_allow_the_gamma(gamma: int) -> None:
    first = remedies(charges(), (), gamma)[0]
    assert first.kind is RemedyKind.GENERALISE
    assert first.steps is not None
    assert eligibility(charges(), first.steps).allows(gamma)
    assert first.largest_gamma == eligibility(charges(), first.steps).largest_gamma


def test_intervals_that_are_too_wide_are_offered_finer() -> None:
    wide = (g.by_cuts([100_000]),)
    assert not eligibility(charges(), wide).allows(5)
    first = remedies(charges(), wide, 5)[0]
    assert first.kind is RemedyKind.FINER
    assert first.steps is not None
    assert eligibility(charges(), first.steps).allows(5)


def test_grouping_that_went_too_far_is_offered_to_be_undone() -> None:
    wards = column("Ward", np.arange(600) % 12)
    steps = (g.Groups.of({"all": [str(label) for label in wards.labels]}),)
    first = remedies(wards, steps, 5)[0]
    assert (first.kind, first.steps) == (RemedyKind.FINER, ())
    dates = Column.from_labels("d", [f"2020-{m:02d}-15" for m in range(1, 13)] * 20, kind=Kind.DATE)
    first = remedies(dates, (g.DatePart(g.Part.YEAR),), 4)[0]
    assert first.steps == (g.DatePart(g.Part.QUARTER),)


def test_grouping_is_offered_where_nothing_can_be_answered_and_makes_it_so() -> None:
    codes = Column.from_labels("ICD", [f"{c}{n:02d}.{n % 7}" for c in "CEIJKM" for n in range(80)] * 2)
    asked = Thresholds()
    assert codes.counts().max() < t_f(4, asked.epsilon, asked.t_e)
    found = remedies(codes, (), 4, asked)
    assert found
    for remedy in found:
        assert remedy.kind is RemedyKind.GROUP
        after = g.column_after(codes, remedy.steps or ())
        assert after.counts().max() >= t_f(4, asked.epsilon, asked.t_e)
        assert eligibility(codes, remedy.steps or ()).allows(4)
    assert remedies(codes, (), 4) == (), "without thresholds there is nothing to mend"


def test_remedies_are_plain_data_too() -> None:
    data = remedies(charges(), (), 5)[0].as_dict()
    assert data["kind"] == "generalise"
    assert g.steps_from(data["generalise"]) == remedies(charges(), (), 5)[0].steps


def test_an_empty_column_has_no_gamma() -> None:
    empty = column("s", [])
    assert eligibility(empty).largest_gamma == 0
    assert eligibility(empty).share == 0.0
    assert not eligibility(empty).allows(2)
