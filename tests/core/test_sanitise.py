"""SPLU-Gen as a whole. Statistical tests: fixed seeds, each fails by chance at most once in 10,000."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from splu_desktop.core import sanitise
from splu_desktop.core.errors import BadSetting, Ineligible, UnknownColumn
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.progress import Cancelled, Watched
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from tests.core.tables import column, plan_for, skewed, with_nsas
from tests.draws import plain
from tests.seeded import Seeded


def rows(table: Table, names: list[str]) -> np.ndarray:
    """Sorted rows of labels."""
    stacked = np.stack([table[name].labels[table[name].codes].astype(str) for name in names], axis=1)
    return stacked[np.lexsort(stacked.T[::-1])]


@pytest.mark.parametrize(("n", "gamma"), [(5_000, 5), (5_003, 7), (1_234, 2)])
def test_nsas_and_records_survive(n: int, gamma: int) -> None:
    table = with_nsas(skewed(n, 30, 0.12, 1), 2)
    published = sanitise.run(table, plan_for(table, s=gamma))
    assert published.n == n
    assert published.table.names == ("dependent", "free", "s")
    assert published.sensitive == ("s",)
    assert np.array_equal(rows(table, ["dependent", "free"]), rows(published.table, ["dependent", "free"]))
    assert set(published.table["s"].labels) <= set(table["s"].labels)
    assert (published.table["s"].counts() > 0).all(), "the domain is the published one"


def counts_over_runs(gamma: int, n: int, runs: int) -> tuple[np.ndarray, np.ndarray]:
    sa = skewed(n, 25, 0.15, 3)
    table = Table((sa,))
    source = Seeded(11)
    seen = np.zeros((runs, sa.m))
    for run in range(runs):
        published = sanitise.run(table, plan_for(table, s=gamma), randomness=source).table["s"]
        seen[run, [sa.code_of(label) for label in published.labels]] = published.counts()
    return sa.counts(), seen


@pytest.mark.parametrize(("gamma", "n"), [(2, 1_000), (5, 1_000), (6, 1_201)])
def test_published_counts_follow_their_law(gamma: int, n: int) -> None:
    """f'_s is a sum over the groups that hold s of Binomial(|group|, 1/|group|): mean f_s, variance between bounds.

    A variance wrong by a seventh in all values is seen, and one twice as large in a single one.
    """
    runs = 250
    true, seen = counts_over_runs(gamma, n, runs)
    variance = true * (1 - 1 / gamma)  # groups of gamma + 1 add up to f_s (1/gamma - 1/(gamma + 1)) to it
    allowance = true * (1 / gamma - 1 / (gamma + 1)) if n % gamma else 0.0
    z = (seen.mean(axis=0) - true) / np.sqrt((variance + allowance) / runs)
    limit = stats.norm.isf(1e-4 / 2 / len(true))
    assert np.abs(z).max() < limit
    # A sample variance has relative deviation about sqrt((2 + excess kurtosis) / runs), excess at most 1 / variance.
    width = limit * np.sqrt((2 + 1 / variance) / runs)
    ratio = seen.var(axis=0, ddof=1)
    assert (ratio > variance * (1 - width)).all()
    assert (ratio < (variance + allowance) * (1 + width)).all()
    mean = stats.norm.isf(1e-4 / 4) * np.sqrt((2 + (1 / variance).mean()) / runs / len(true))
    assert 1 - mean < (ratio / variance).mean() < (1 + allowance / variance).mean() * (1 + mean)


def test_one_value_follows_the_binomial_exactly() -> None:
    """With equal groups f' ~ Binomial(gamma f, 1/gamma), tested as a whole distribution.

    Of twenty values with three records each, which rarely share groups: 3,000 counts.
    """
    sa = column("s", np.r_[np.arange(60) % 20, np.arange(2_000) % 27 + 20])
    table, source, gamma = Table((sa,)), Seeded(2), 5
    seen: list[int] = []
    for _ in range(150):
        published = sanitise.run(table, plan_for(table, s=gamma), randomness=source).table["s"]
        counts = dict(zip(published.labels.tolist(), published.counts().tolist(), strict=True))
        seen += [counts.get(f"v{value:04d}", 0) for value in range(20)]
    law = stats.binom(15, 0.2)
    observed = np.bincount(np.minimum(seen, 7), minlength=8)
    expected = np.r_[law.pmf(np.arange(7)), law.sf(6)] * len(seen)
    assert stats.chisquare(observed, expected).pvalue > 1e-4


@pytest.mark.parametrize(("n", "gamma"), [(6_000, 5), (6_007, 6)])
def test_a_record_keeps_its_value_with_probability_r_over_n(n: int, gamma: int) -> None:
    """And a kept record and a changed one are otherwise alike: the NSA that names the record travels with it."""
    sa = column("s", np.arange(n) % 12)
    table = Table((column("id", np.arange(n)), sa))
    plan = Plan(roles={"id": Role.NSA, "s": Role.SA}, draws=plain({"s": gamma}))
    source, kept, runs = Seeded(3), 0, 30
    for _ in range(runs):
        published = sanitise.run(table, plan, randomness=source).table
        record = np.array([int(label[1:]) for label in published["id"].labels])[published["id"].codes]
        value = np.array([int(label[1:]) for label in published["s"].labels])[published["s"].codes]
        kept += int((value == record % 12).sum())
    retention = (n // gamma) / n
    assert abs(kept / (runs * n) - retention) < 4 * np.sqrt(retention * (1 - retention) / (runs * n))


def test_a_changed_record_takes_any_other_value_in_proportion() -> None:
    """Given that it changes, a record of value u is published as v with probability f_v / (N - f_u)."""
    counts = [500, 500, 400, 400, 400, 300, 300, 200]
    sa = column("s", np.repeat(np.arange(8), counts))
    table = Table((column("id", np.arange(sa.n)), sa))
    plan = Plan(roles={"id": Role.NSA, "s": Role.SA}, draws=plain({"s": 3}))
    source, moves = Seeded(9), np.zeros((8, 8))
    for _ in range(60):
        published = sanitise.run(table, plan, randomness=source).table
        record = np.array([int(label[1:]) for label in published["id"].labels])[published["id"].codes]
        value = np.array([int(label[1:]) for label in published["s"].labels])[published["s"].codes]
        np.add.at(moves, (sa.codes[record], value), 1)
    np.fill_diagonal(moves, 0)
    share = moves / moves.sum(axis=1, keepdims=True)
    total = np.array(counts)
    expected = total[None, :] / (total.sum() - total)[:, None]
    np.fill_diagonal(expected, 0)
    # Every share rests on 600 and more moves, so chance is 4 % of it; exclusion within a group bends the law as much.
    big = expected > 0.1
    assert np.abs(share[big] / expected[big] - 1).max() < 0.2


def test_the_order_of_records_is_unrelated_to_the_source() -> None:
    n = 20_000
    table = Table((column("id", np.arange(n)), column("s", np.arange(n) % 20)))
    plan = Plan(roles={"id": Role.NSA, "s": Role.SA}, draws=plain({"s": 4}))
    order = sanitise.run(table, plan, randomness=Seeded(1)).table["id"].codes
    assert abs(stats.spearmanr(order, np.arange(n)).statistic) < 4 / np.sqrt(n)
    assert abs(np.corrcoef(order[1:], order[:-1])[0, 1]) < 4 / np.sqrt(n)


def test_two_releases_share_no_randomness() -> None:
    table = with_nsas(skewed(4_000, 30, 0.1, 1), 2)
    first = sanitise.run(table, plan_for(table, s=5)).table
    second = sanitise.run(table, plan_for(table, s=5)).table
    assert (first["free"].codes == second["free"].codes).mean() < 0.1
    assert not np.array_equal(first["s"].counts()[:5], second["s"].counts()[:5])


@pytest.mark.parametrize("after", range(12))
def test_every_stage_can_be_stopped(after: int) -> None:
    table = with_nsas(skewed(3_000, 30, 0.1, 1), 2)
    stages: list[str] = []

    def stop() -> bool:
        return len(stages) >= after

    def show(stage: str, done: float) -> None:
        assert 0 <= done <= 1
        stages.append(stage)

    with pytest.raises(Cancelled):
        sanitise.run(table, plan_for(table, s=5), progress=Watched(show, stop))
    assert len(stages) == after


def test_stages_are_named_in_order() -> None:
    table = with_nsas(skewed(3_000, 30, 0.1, 1), 2)
    stages: list[str] = []
    sanitise.run(table, plan_for(table, s=5), progress=Watched(lambda stage, done: stages.append(stage)))
    assert list(dict.fromkeys(stages)) == [
        "Drawing random ids",
        "Forming groups",
        "Mixing groups",
        "Drawing values",
        "Shuffling records",
    ]


def test_refusals() -> None:
    table = with_nsas(column("s", np.r_[np.zeros(300, int), np.arange(700) % 29 + 1]), 2)
    with pytest.raises(Ineligible):
        sanitise.run(table, plan_for(table, s=5))
    with pytest.raises(BadSetting, match="no role"):
        sanitise.run(table, Plan(roles={"s": Role.SA}, draws=plain({"s": 2})))
    with pytest.raises(UnknownColumn, match="“x”"):
        sanitise.run(table, Plan(roles={"x": Role.SA}, draws=plain({"x": 2})))
    with pytest.raises(BadSetting, match="No sensitive column"):
        Plan(roles={"s": Role.NSA}, draws=plain({}))
    with pytest.raises(BadSetting, match="2 or more"):
        Plan(roles={"s": Role.SA}, draws=plain({"s": 1}))
    with pytest.raises(BadSetting, match="epsilon"):
        Thresholds(epsilon=0)
