"""Fake values beside the records' own: dealt fairly, drawn by their law, estimated through.

Seeds are fixed; a law test fails by chance at most once in 10,000.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups, draw_from
from splu_desktop.core.draw.decoy_groups import plain_with_fakes
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups import fakes as fake_values
from splu_desktop.core.groups.forming import assign_tolerant, confidence
from splu_desktop.core.groups.layout import layout
from splu_desktop.core.groups.mixed import MixedGroups
from splu_desktop.core.groups.rules import by_hand, equal
from splu_desktop.core.groups.tolerances import Infeasible, check_feasible, nearest_feasible
from splu_desktop.core.guarantees.exact import t_f
from splu_desktop.core.guarantees.tolerant import law_with_fakes, t_f_of, t_p_of
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.randomness import permutation
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from tests.core.tables import column
from tests.core.test_tolerance_groups import of_counts, runs_of
from tests.seeded import Seeded

HALF = Fraction(1, 2)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=2, max_size=8), st.integers(1, 30), st.integers(1, 4), st.integers(0, 999))
def test_every_group_gets_its_records_and_sigma_fakes(counts: list[int], groups: int, fakes: int, seed: int) -> None:
    n, m = sum(counts), len(counts)
    groups = min(groups, n)
    codes = np.repeat(np.arange(m), counts).astype(np.int32)
    stream = np.random.default_rng(seed)
    free = np.full(m, n + fakes)
    values = fake_values.dealt(codes, groups, fakes, free, stream)
    real = values[:-fakes]
    assert np.array_equal(np.sort(real[real >= 0]), codes)
    assert (values[-fakes:] >= 0).all()
    assert np.isin((real >= 0).sum(axis=0), [n // groups, n // groups + 1]).all()
    copies = np.bincount(values[-fakes:].ravel(), minlength=m)
    expected = np.array(counts) * fakes * groups / n
    assert (np.abs(copies - expected) < 1 + 1e-9).all(), "systematic sampling rounds up or down"


def test_fakes_are_right_on_average() -> None:
    counts = np.array([301, 200, 90, 7, 1, 1])
    codes = np.repeat(np.arange(6), counts).astype(np.int32)
    runs, total = 2_000, np.zeros(6)
    for seed in range(runs):
        stream = np.random.default_rng(seed)
        values = fake_values.dealt(codes, 150, 1, np.full(6, 9), stream)
        total += np.bincount(values[-1], minlength=6)
    part = counts / 4 % 1  # rounded up with this chance
    error = np.sqrt(np.maximum(part * (1 - part), 1e-12) / runs)
    assert (np.abs(total / runs - counts / 4) <= 4.5 * error + 1e-9).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(1, 3), st.data())
def test_groups_keep_tolerances_with_fakes_and_sensitive_values_stand_once(
    rare: list[int], fakes: int, data: st.DataObject
) -> None:
    sa = of_counts(600, *rare)
    given_ = {f"v{at + 1:04d}": Fraction(1, data.draw(st.integers(1 + fakes, 6))) for at in range(len(rare))}
    sizes = tuple(sorted(data.draw(st.sets(st.integers(1, 6), min_size=1, max_size=3))))
    grouping = DecoyGroups(sizes, (Fraction(1, len(sizes)),) * len(sizes), by_hand(sa, given_), fakes)
    plan = layout(sa.counts(), grouping.tolerances.of(sa), grouping)
    if plan is None:
        return
    parts = assign_tolerant(sa, permutation(Seeded(data.draw(st.integers(0, 99))), sa.n), plan)
    placed = np.concatenate([records[records >= 0] for records, _ in parts])
    assert np.array_equal(np.sort(placed), np.arange(sa.n))
    for size, (records, values) in zip(sizes, parts, strict=True):
        fake = (records < 0) & (values >= 0)
        assert (fake.sum(axis=0) == fakes).all()
        assert ((records >= 0).sum(axis=0) >= size).all()
    reached, copies = confidence(parts, sa.m)
    assert (reached <= [float(limit) + 1e-12 for limit in grouping.tolerances.of(sa)]).all()
    assert (copies[1:] <= 1).all()


def test_who_knows_all_others_of_a_group_is_as_sure_as_promised() -> None:
    """Of all records that groups with the same values left over can hold, 1 in 1 + sigma has each of them."""
    sa = of_counts(700, 120, 100, 80)
    grouping = DecoyGroups((3,), (Fraction(1),), by_hand(sa, {f"v000{i}": "0.25" for i in (1, 2, 3)}), 1)
    plan = layout(sa.counts(), grouping.tolerances.of(sa), grouping)
    assert plan is not None
    right, all_left = 0, 0
    for seed in range(60):
        ((records, values),) = assign_tolerant(sa, permutation(Seeded(seed), sa.n), plan)
        for row in range(3):  # the target; the two others are known, so it and the fake value are left
            here = (records[row] >= 0) & ((records >= 0).sum(axis=0) == 3)
            target, fake = values[row, here], values[-1, here]
            for one, other in itertools.permutations((1, 2, 3), 2):
                left = ((target == one) & (fake == other)) | ((target == other) & (fake == one))
                right += int((left & (target == one)).sum())
                all_left += int(left.sum())
    assert all_left > 5_000
    assert abs(right / all_left - float(grouping.certainty)) < 4.5 * 0.5 / np.sqrt(all_left / 6)
    assert grouping.certainty == HALF


@pytest.mark.parametrize(("sizes", "fakes"), [((1, 3), 1), ((2, 5), 2), ((4,), 1)])
def test_published_counts_and_transitions_follow_their_laws(sizes: tuple[int, ...], fakes: int) -> None:
    sa = of_counts(1_300, 120, 80, 3)
    limits = by_hand(sa, {"v0001": "0.3", "v0002": "0.3", "v0003": "0.2" if fakes > 1 else "0.25"})
    grouping = DecoyGroups(sizes, (HALF, HALF) if len(sizes) > 1 else (Fraction(1),), limits, fakes)
    runs = 100
    counts, moves = runs_of(sa, grouping, runs)
    known = grouping.transition(sa.counts().astype(float), sa.labels)
    assert known.groups.fits
    total = moves.sum(axis=1, keepdims=True)
    far = 4.5 * np.sqrt(known.matrix * (1 - known.matrix) / total)  # false alarm below 1e-4 per case: 12 shares
    assert (np.abs(moves / total - known.matrix) <= far + 0.002)[:3].all()  # the matrix is itself good to some 0.001
    variance = sa.counts() * (1 - known.a)
    z = (counts.mean(axis=0) - sa.counts()) / np.sqrt((variance + len(sizes) / 4) / runs)
    assert np.abs(z).max() < stats.norm.isf(1e-4 / 8), "published counts are true on average"
    ratio = counts.var(axis=0, ddof=1) / variance
    assert np.abs(ratio - 1).max() < 4.3 * np.sqrt(2 / runs) + 0.1


def test_the_law_of_a_small_count_is_the_one_published() -> None:
    """Three records in groups of 4 records with one fake value: a chi-squared test of 1,200 counts.

    Of ten such values, which rarely share groups; that their fake copies are dealt in turn makes their counts a little
    more alike.
    """
    sa, rare = of_counts(1_800, 270, *[3] * 10), [f"v{at:04d}" for at in range(2, 12)]
    grouping = DecoyGroups((4,), (Fraction(1),), by_hand(sa, {"v0001": "0.3", **dict.fromkeys(rare, "0.2")}), 1)
    counts = runs_of(sa, grouping, 120)[0][:, 2:].ravel()
    seen = np.bincount(counts.astype(int), minlength=8)
    law = law_with_fakes([(4, 3)], 1)
    assert float(law @ np.arange(len(law))) == pytest.approx(3)
    expected = np.append(law[:7], law[7:].sum()) * len(counts)
    seen = np.append(seen[:7], seen[7:].sum())
    assert stats.chisquare(seen, expected).pvalue > 1e-4


def test_t_p_holds_whatever_groups_were_formed() -> None:
    least = t_p_of(Fraction(1, 4), (3, 5), 0.3, 3, fakes=1)
    for f in (1, 2, 3):
        for there in range(f + 1):
            law = law_with_fakes([(size, k) for size, k in ((3, there), (5, f - there)) if k], 1)
            inside = law[-(-7 * f // 10) : 13 * f // 10 + 1].sum()
            assert 1 - inside >= least - 1e-12
    assert t_p_of(Fraction(1, 5), (5,), 0.3, 3, fakes=1) > t_p_of(Fraction(1, 5), (5,), 0.3, 3), "fakes protect more"
    assert t_p_of(Fraction(1), (5,), 0.3, 3, fakes=1) == 0, "nothing is promised of values that are not sensitive"


@pytest.mark.parametrize(("epsilon", "t_e"), [(0.3, 0.05), (0.2, 0.02), (0.5, 0.1)])
def test_t_f_holds_from_there_on(epsilon: float, t_e: float) -> None:
    """Whether a count's fake copies were rounded up or down, for all larger counts tried."""
    grouping = DecoyGroups((5,), (Fraction(1),), equal(of_counts(9, 9, 9, 9, 9, 9, 9), 5), 2)
    found = t_f_of(grouping, epsilon, t_e)
    assert found >= t_f(7, epsilon, t_e)
    for f in range(found, found + 300):
        for copies in {f + 2 * f // 5, f - (-2 * f // 5)}:
            arm = -(-Fraction(str(epsilon)) * f // 1)
            law = stats.binom(5 * copies, 1 / 7)
            assert law.cdf(int(f - arm)) + law.sf(int(f + arm) - 1) <= t_e


def test_plain_groups_with_fakes_are_equal_tolerances() -> None:
    """gamma with sigma fakes has the transition of groups of gamma + sigma, certainty 1 / (1 + sigma)."""
    sa = of_counts(300, 290, 280, 270, 260, 250, 240, 230)
    plain = DecoyGroups((6,), (Fraction(1),), equal(sa, 6))
    fake = DecoyGroups((5,), (Fraction(1),), equal(sa, 5), 1)
    assert plain_with_fakes(sa, 5, 1) == fake
    with pytest.raises(Infeasible, match=r"hold 8 different values.*“v0000” of column “s” fills 14\.2 %"):
        plain_with_fakes(sa, 5, 3)
    counts = sa.counts().astype(float)
    one, other = (each.transition(counts, sa.labels) for each in (plain, fake))
    assert np.allclose(one.matrix, other.matrix, atol=1e-3)
    (promise,) = fake.promises(Thresholds())
    assert promise.certainty == HALF
    published = sanitise.run(
        Table((column("id", np.arange(sa.n)), sa)),
        Plan(roles={"id": Role.NSA, "s": Role.SA}, draws={"s": fake}),
        randomness=Seeded(4),
    )
    assert published.draws["s"].fakes == 1


def with_wards(sa: Column) -> Table:
    chance = np.random.default_rng(6)
    ward = (sa.codes * 2 + chance.integers(0, 5, sa.n)) % 7
    return Table((column("ward", ward), sa))


def test_intervals_cover_and_estimates_are_right_with_fakes() -> None:
    """28 counts in 30 releases by each estimator; 95 % nominal, 93 to 98 % wanted."""
    sa = of_counts(4_700, 600, 330, 200)
    table = with_wards(sa)
    limits = by_hand(sa, {"v0001": "0.4", "v0002": "0.25", "v0003": "0.25"})
    plan = Plan(roles={"ward": Role.NSA, "s": Role.SA}, draws={"s": DecoyGroups.designed(sa, limits, fakes=1)})
    questions, true = [], []
    for ward, value in itertools.product(map(str, table["ward"].labels), map(str, sa.labels)):
        questions.append([Condition("ward", (ward,)), Condition("s", (value,))])
        true.append(int(((table["ward"].codes == table["ward"].code_of(ward)) & (sa.codes == sa.code_of(value))).sum()))
    source, methods = Seeded(9), (Method.POOLED, Method.UNBIASED, Method.BAYES)
    hits: dict[Method, list[list[bool]]] = {method: [] for method in methods}
    gaps: dict[Method, list[list[float]]] = {method: [] for method in methods}
    for _ in range(30):
        reader = Reader(sanitise.run(table, plan, randomness=source))
        for method in methods:
            answers = reader.answers(questions, method)
            hits[method].append([answer.low <= t <= answer.high for answer, t in zip(answers, true, strict=True)])
            gaps[method].append([answer.estimate - t for answer, t in zip(answers, true, strict=True)])
    for method in methods:
        assert 0.93 <= float(np.mean(hits[method])) <= 0.98, method
    unbiased = np.array(gaps[Method.UNBIASED])
    z = unbiased.mean(axis=0) / (unbiased.std(axis=0, ddof=1) / np.sqrt(30))
    assert np.abs(z).max() < 5.9, "28 t values with 29 degrees of freedom"
    spread = {method: float(np.mean(np.square(gaps[method]))) for method in methods}
    assert spread[Method.POOLED] < spread[Method.UNBIASED]


def test_what_fakes_allow_is_said() -> None:
    sa = of_counts(500, 300, 200)
    with pytest.raises(Infeasible, match=r"stands once at most.*“v0001”.*30\.0 %.*treat it as not sensitive"):
        check_feasible(sa, by_hand(sa, {"v0001": "0.4"}), 3)
    with pytest.raises(Infeasible, match=r"“v0002”.*set it to 0\.2 or more"):
        check_feasible(sa, by_hand(sa, {"v0002": "0.19"}), 1)
    near = nearest_feasible(sa, by_hand(sa, {"v0001": "0.4", "v0002": "0.19"}), 3)
    assert near.limits["v0001"] == 1
    assert near.limits["v0002"] == Fraction(1, 5)
    check_feasible(sa, near, 3)
    for wrong in (-1, 21, 1.5, True):
        with pytest.raises(BadSetting, match="whole number from 0 to 20"):
            DecoyGroups((1,), (Fraction(1),), by_hand(sa, {}), wrong)  # type: ignore[arg-type]


def test_fakes_are_stored_and_said() -> None:
    sa = of_counts(500, 30, 20)
    grouping = DecoyGroups((1, 4), (HALF, HALF), by_hand(sa, {"v0001": "0.25", "v0002": "0.2"}), 2)
    assert draw_from(grouping.as_dict()) == grouping
    assert grouping.within(["v0000"]).fakes == 2
    assert "fakes" not in DecoyGroups((1, 4), (HALF, HALF), by_hand(sa, {})).as_dict()
    assert any("33.4 % sure" in sentence for sentence in grouping.sentences("s", Thresholds()))
    stated = grouping.stated(Thresholds())["by_tolerance"]
    assert stated["1/4"]["certainty"] == pytest.approx(1 / 3)
    assert stated["1"]["certainty"] == 1
    with pytest.raises(BadSetting):
        draw_from({**grouping.as_dict(), "fakes": "2"})
    groups = MixedGroups.of(sa.counts().astype(float), np.array([[3, 6], [0, 1], [0, 1]]), grouping)
    assert np.allclose(sa.counts() @ groups.matrix, sa.counts()), "published counts are true on average"
