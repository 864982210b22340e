"""Groups of several sizes: valid, mixed, drawn by their law.

Seeds are fixed; a law test fails by chance at most once in 10,000.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups.design import BLOCK, chosen_from_blocks, design, one_size, workable
from splu_desktop.core.groups.forming import assign_tolerant, confidence
from splu_desktop.core.groups.law import GroupLaw
from splu_desktop.core.groups.layout import caps_of, fits, layout
from splu_desktop.core.groups.mixed import MixedGroups
from splu_desktop.core.groups.rules import by_hand, equal, linear, on_ladder
from splu_desktop.core.groups.shares import spread, whole
from splu_desktop.core.groups.states import GroupStates
from splu_desktop.core.groups.tolerances import Infeasible, Tolerances
from splu_desktop.core.guarantees.exact import t_p
from splu_desktop.core.guarantees.tolerant import count_law, given_away, t_p_of
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.randomness import permutation
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from tests.core.tables import assign, column
from tests.seeded import Seeded


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_partition_exists_just_where_every_set_of_sizes_can_be_filled(data: st.DataObject) -> None:
    """The cut condition of `fits` beside a search for the records themselves."""
    sizes = tuple(sorted(data.draw(st.sets(st.integers(1, 7), min_size=2, max_size=4))))
    parts = data.draw(st.lists(st.integers(1, 4), min_size=len(sizes), max_size=len(sizes)))
    counts = np.array(data.draw(st.lists(st.integers(0, 40), min_size=2, max_size=6)))
    n = int(counts.sum())
    limits = tuple(Fraction(data.draw(st.integers(1, 20)), 20) for _ in counts)
    labels = {f"v{at}": limit for at, limit in enumerate(limits)}
    grouping = DecoyGroups(sizes, tuple(Fraction(part, sum(parts)) for part in parts), Tolerances(labels))
    most = caps_of(limits, sizes)
    room, numbers = grouping.room(n), grouping.numbers(n)
    expected = False
    if (numbers >= 1).all():
        bounds = np.minimum(most * numbers, counts[:, None])
        expected = whole(np.zeros(bounds.shape), counts, room, bounds) is not None
    assert fits(counts, most, grouping) == expected
    assert (layout(counts, limits, grouping) is not None) == expected


def of_counts(*counts: int) -> Column:
    return column("s", np.repeat(np.arange(len(counts)), counts))


SKEWED = of_counts(2_743, 1_777, 568)  # diabetes130's readmitted, 1 in 20
LIMITS = by_hand(SKEWED, {"v0001": "0.5", "v0002": "0.3"})
HALVES = DecoyGroups((1, 4), (Fraction(1, 4), Fraction(3, 4)), LIMITS)


@pytest.mark.parametrize(
    ("rates", "caps", "size"),
    [([3, 1, 0.4], [4, 2, 1], 4), ([9, 1, 0.1, 2], [6, 3, 2, 1], 6), ([1, 1, 1, 30, 0.01], [2] * 5, 5)],
)
def test_the_law_of_a_group_equals_enumeration(rates: list[float], caps: list[int], size: int) -> None:
    weights, seen = [], []
    for copies in itertools.product(*[range(cap + 1) for cap in caps]):
        if sum(copies) == size:
            weights.append(math.prod(rate**c / math.factorial(c) for rate, c in zip(rates, copies, strict=True)))
            seen.append(copies)
    chance, c = np.array(weights) / sum(weights), np.array(seen, float)
    listed = GroupStates.of(chance @ c, np.array(caps), size)
    assert listed is not None
    left, right = np.random.default_rng(1).normal(size=(2, len(caps), 2))
    expected = np.einsum("p,pv,ps,ps->vs", chance, c, c @ left, c @ right)
    for law, off in ((GroupLaw.of(chance @ c, np.array(caps), size), 1e-3), (listed, 1e-6)):
        assert np.allclose(law.means(), chance @ c, atol=off / 10)
        assert np.allclose(law.pairs(), np.einsum("p,pi,pj->ij", chance, c, c), atol=off)
        assert np.allclose(law.triples(left, right), expected, atol=10 * off)


def test_many_states_are_left_to_the_series() -> None:
    assert GroupStates.of(np.full(40, 0.5), np.full(40, 3), 20) is None


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_record_shares_keep_sums_and_bounds(data: st.DataObject) -> None:
    truth = np.array(data.draw(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=6)))
    slack = np.array([[data.draw(st.integers(0, 9)) for _ in row] for row in truth])
    counts, room, bounds = truth.sum(axis=1), truth.sum(axis=0), truth + slack
    found = whole(spread(counts.astype(float), room.astype(float), bounds.astype(float)), counts, room, bounds)
    assert found is not None, "a partition exists, so one is found"
    assert (found >= 0).all()
    assert (found <= bounds).all()
    assert (found.sum(axis=1) == counts).all()
    assert (found.sum(axis=0) == room).all()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=2, max_size=7), st.data())
def test_groups_hold_every_record_once_and_keep_every_cap(counts: list[int], data: st.DataObject) -> None:
    sa = of_counts(*counts)
    least = [-(-20 * count // sa.n) for count in counts]
    limits = {
        str(label): Fraction(data.draw(st.integers(low, 20)), 20) for label, low in zip(sa.labels, least, strict=True)
    }
    sizes = tuple(sorted(data.draw(st.sets(st.integers(1, 8), min_size=1, max_size=3))))
    shares = (Fraction(1),) if len(sizes) == 1 else tuple([Fraction(1, len(sizes))] * len(sizes))
    grouping = DecoyGroups(sizes, shares, Tolerances(limits))
    plan = layout(sa.counts(), grouping.tolerances.of(sa), grouping)
    if plan is None:
        return
    parts = assign_tolerant(sa, permutation(Seeded(data.draw(st.integers(0, 99))), sa.n), plan)
    placed = np.concatenate([records[records >= 0] for records, _ in parts])
    assert np.array_equal(np.sort(placed), np.arange(sa.n))
    for j, (records, values) in enumerate(parts):
        assert np.array_equal(values[records >= 0], sa.codes[records[records >= 0]])
        assert ((records >= 0).sum(axis=0) >= sizes[j]).all()
        for value in range(sa.m):
            assert ((values == value).sum(axis=0) <= plan.caps[value, j]).all()
    reached, _ = confidence(parts, sa.m)
    assert (reached <= [float(limit) + 1e-12 for limit in grouping.tolerances.of(sa)]).all()


def test_plain_groups_are_the_special_case_of_equal_tolerances() -> None:
    sa = of_counts(90, 80, 70, 60, 50, 50, 40, 35)
    ids = permutation(Seeded(3), sa.n)
    grouping = DecoyGroups((5,), (Fraction(1),), equal(sa, 5))
    plan = layout(sa.counts(), grouping.tolerances.of(sa), grouping)
    assert plan is not None
    tolerant, plain = assign_tolerant(sa, ids, plan)[0], assign(sa, ids, 5)
    assert np.array_equal(tolerant[0], plain[0])
    assert np.array_equal(tolerant[1], plain[1])


def test_equal_tolerances_lead_to_plain_promises() -> None:
    grouping = DecoyGroups((5,), (Fraction(1),), equal(SKEWED, 5))
    (promise,) = grouping.promises(Thresholds())
    assert promise.t_p == pytest.approx(t_p(5, 0.3, 3))


def realised(parts: list[tuple[np.ndarray, np.ndarray]], m: int) -> np.ndarray:
    shared = np.zeros((m, m))
    for _, values in parts:
        copies = np.stack([(values == value).sum(axis=0) for value in range(m)])
        shared += (copies / copies.sum(axis=0)) @ copies.T
    return shared


def test_mixed_groups_are_those_that_the_reader_computes() -> None:
    """T from counts, sizes and shares alone against the groups formed: within the scatter of 1,000 groups."""
    plan = layout(SKEWED.counts(), LIMITS.of(SKEWED), HALVES)
    assert plan is not None
    seen = np.mean(
        [realised(assign_tolerant(SKEWED, permutation(Seeded(seed), SKEWED.n), plan), 3) for seed in range(20)], axis=0
    )
    known = MixedGroups.of(SKEWED.counts().astype(float), caps_of(LIMITS.of(SKEWED), HALVES.sizes), HALVES)
    assert known.fits
    expected = SKEWED.counts()[:, None] * known.matrix
    assert np.abs(seen - expected).max() < 0.004 * SKEWED.n


def runs_of(sa: Column, grouping: DecoyGroups, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """(runs, m) published counts and (m, m) how often a record of v was published as u."""
    table = Table((column("id", np.arange(sa.n)), sa))
    plan = Plan(roles={"id": Role.NSA, "s": Role.SA}, draws={"s": grouping})
    source, counts, moves = Seeded(8), np.zeros((runs, sa.m)), np.zeros((sa.m, sa.m))
    for run in range(runs):
        published = sanitise.run(table, plan, randomness=source).table
        record = np.array([int(label[1:]) for label in published["id"].labels])[published["id"].codes]
        at = np.array([sa.code_of(label) for label in published["s"].labels])[published["s"].codes]
        counts[run] = np.bincount(at, minlength=sa.m)
        np.add.at(moves, (sa.codes[record], at), 1)
    return counts, moves


def test_published_counts_and_transitions_follow_their_laws() -> None:
    sa = of_counts(270, 170, 60)
    grouping = DecoyGroups((1, 4), (Fraction(1, 4), Fraction(3, 4)), by_hand(sa, {"v0001": "0.5", "v0002": "0.3"}))
    runs = 400
    counts, moves = runs_of(sa, grouping, runs)
    known = MixedGroups.of(sa.counts().astype(float), caps_of(grouping.tolerances.of(sa), grouping.sizes), grouping)
    share = moves / moves.sum(axis=1, keepdims=True)
    assert np.abs(share - known.matrix).max() < 0.02
    true, kept = sa.counts(), np.diag(known.matrix)
    variance = true * (1 - kept)  # sum over groups of size (c / size) (1 - c / size)
    z = (counts.mean(axis=0) - true) / np.sqrt(variance / runs)
    assert np.abs(z).max() < stats.norm.isf(1e-4 / 6)
    ratio = counts.var(axis=0, ddof=1) / variance
    assert np.abs(ratio - 1).max() < 4.3 * np.sqrt(2 / runs) + 0.02  # T is that of many groups, here there are 94


def test_count_law_is_the_convolution() -> None:
    """A value once in a group of 4 and twice in another: Binomial(4, 1/4) + Binomial(4, 1/2), mean 3."""
    law = count_law([(4, 1), (4, 2)])
    one, two = stats.binom(4, 0.25), stats.binom(4, 0.5)
    expected = [sum(one.pmf(i) * two.pmf(k - i) for i in range(k + 1)) for k in range(9)]
    assert np.allclose(law, expected)
    assert float(law @ np.arange(9)) == pytest.approx(3)


def test_t_p_holds_whatever_groups_were_formed() -> None:
    limit, sizes = Fraction(1, 2), (2, 4)
    least = t_p_of(limit, sizes, 0.3, 3)
    for f in (1, 2, 3):
        for standing in itertools.combinations_with_replacement([(2, 1), (4, 1), (4, 2)], f):
            if sum(copies for _, copies in standing) == f:
                law = count_law(standing)
                inside = law[math.ceil(Fraction(7, 10) * f) : math.floor(Fraction(13, 10) * f) + 1].sum()
                assert 1 - inside >= least - 1e-12
    assert t_p_of(Fraction(1), (1, 4), 0.3, 3) == 0, "a record that may stand alone is published as it is"
    assert t_p_of(limit, sizes, 0.3, 3, 5) < least, "five releases averaged tell more"


def test_design_keeps_signal_and_conditioning() -> None:
    found = design(SKEWED, LIMITS)
    assert found.signal >= 0.35
    assert found.condition >= 0.06
    assert 1 in found.grouping.sizes, "records of the harmless value that no group needs stay alone"
    assert layout(SKEWED.counts(), LIMITS.of(SKEWED), found.grouping) is not None
    single = one_size(SKEWED, LIMITS)
    assert single is not None
    assert single.grouping.sizes == (4,)
    assert single.signal < found.signal / 2


def test_what_is_published_of_sizes_is_coarse() -> None:
    """Shares are whole steps of 1/40 or more, so many counts lead to the same ones."""
    found = DecoyGroups.designed(SKEWED, LIMITS)
    assert all((40 * share).denominator == 1 for share in found.shares)
    assert given_away(found, SKEWED.n)["step"] >= SKEWED.n // 40
    others = [layout(np.array([2_743 - k, 1_777, 568 + k]), LIMITS.of(SKEWED), found) is not None for k in range(-9, 4)]
    assert all(others), "the same sizes and shares serve all of these counts"


def test_sizes_tell_nothing_of_small_counts() -> None:
    """A value of 1 to 10 records leads to the same sizes, shares and, by rule, tolerance, whatever its count."""
    seen = set()
    for few in (1, 4, 9):
        sa = of_counts(2_740, 1_780, 570 - few, few)
        by_rule = on_ladder(sa, linear(sa, 8, "0.02", block=BLOCK))
        found = DecoyGroups.designed(
            sa, by_hand(sa, {"v0003": by_rule.limits["v0003"], "v0002": "0.3", "v0001": "0.5"})
        )
        seen.add((found.sizes, found.shares, found.tolerances.limits["v0003"]))
    assert len(seen) == 1


def test_infeasible_tolerances_are_one_sentence() -> None:
    with pytest.raises(Infeasible, match=r"0\.2 of “v0001”.*34\.9 %.*set it to 0\.35 or more"):
        design(SKEWED, by_hand(SKEWED, {"v0001": "0.2"}))
    tight = of_counts(500, 300, 209)
    with pytest.raises(Infeasible, match="No group sizes up to"):
        design(tight, by_hand(tight, {"v0000": "0.496", "v0001": "0.298", "v0002": "0.208"}))


@pytest.mark.parametrize("fakes", [0, 1])
def test_the_nearest_workable_tolerances_are_near_and_work(fakes: int) -> None:
    tight = of_counts(500, 300, 209)
    asked = by_hand(tight, {"v0000": "0.52", "v0001": "0.298", "v0002": "0.1"})
    found = workable(tight, asked, fakes=fakes)
    assert layout(tight.counts(), found.of(tight), DecoyGroups.designed(tight, found, fakes=fakes)) is not None
    assert all(found.limits[label] >= asked.limits[label] for label in asked.limits)
    if not fakes:
        assert found.limits["v0000"] < Fraction(7, 10)
    kept = by_hand(SKEWED, {"v0001": "0.5", "v0002": "0.3"})
    assert workable(SKEWED, kept) == kept, "what can be kept is left as it is"


def test_sizes_say_where_exact_counts_decided() -> None:
    assert chosen_from_blocks(SKEWED, DecoyGroups.designed(SKEWED, LIMITS))
    tight = of_counts(2_743, 1_777, 568)
    share = Fraction(1_777, tight.n)
    limits = by_hand(tight, {"v0001": share, "v0002": "0.3"})
    try:
        grouping = DecoyGroups.designed(tight, limits)
    except Infeasible:
        return
    assert not chosen_from_blocks(tight, grouping), "a tolerance at the value's very share leaves no room for blocks"


def test_plans_keep_sizes_and_refuse_shares_that_are_none() -> None:
    plan = Plan(roles={"s": Role.SA}, draws={"s": HALVES})
    assert Plan.from_dict(plan.as_dict()).draws == plan.draws
    with pytest.raises(BadSetting, match="add up to 1"):
        DecoyGroups((1, 4), (Fraction(1, 4), Fraction(1, 4)), LIMITS)


def test_intervals_cover() -> None:
    """Selections that depend on the value and that do not; 95 % nominal, 1,600 intervals each, 93 to 98 % wanted."""
    sa = of_counts(5_486, 3_554, 1_136)
    grouping = DecoyGroups(
        (1, 2, 4),
        (Fraction(11, 40), Fraction(1, 5), Fraction(21, 40)),
        by_hand(sa, {"v0001": "0.5", "v0002": "0.3"}),
    )
    table = Table((column("id", np.arange(sa.n)), sa))
    plan = Plan(roles={"id": Role.NSA, "s": Role.SA}, draws={"s": grouping})
    chance, source = np.random.default_rng(2), Seeded(5)
    parts = {"dependent": (sa.codes * 2 + chance.integers(0, 5, sa.n)) % 9, "free": chance.integers(0, 9, sa.n)}
    hits: dict[str, list[np.ndarray]] = {name: [] for name in parts}
    for _ in range(60):
        published = sanitise.run(table, plan, randomness=source).table
        record = np.array([int(label[1:]) for label in published["id"].labels])[published["id"].codes]
        drawn = np.empty(sa.n, np.int64)
        drawn[record] = published["s"].codes
        counts = np.bincount(drawn, minlength=3).astype(float)
        through = grouping.transition(counts, published["s"].labels)
        for name, part in parts.items():
            y = np.zeros((9, 3))
            true = np.zeros((9, 3))
            np.add.at(y, (part, drawn), 1)
            np.add.at(true, (part, sa.codes), 1)
            x = y @ through.inverse
            likely = np.clip(x, 0, None)
            likely *= y.sum(axis=1, keepdims=True) / likely.sum(axis=1, keepdims=True)
            arm = 1.96 * np.sqrt(through.variance(likely))
            hits[name].append(np.abs(x - true) <= arm)
    for name, seen in hits.items():
        assert 0.93 <= float(np.mean(seen)) <= 0.98, name
