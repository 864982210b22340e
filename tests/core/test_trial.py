"""A trial shows what publishing would do to a sample, and keeps it to itself."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.checks.trial import marginals, trial
from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups.rules import by_hand
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from tests.core.tables import column, plan_for, skewed, with_nsas
from tests.seeded import Seeded


def test_marginals_are_the_counts_of_both_tables() -> None:
    table = with_nsas(skewed(2_000, 30, 0.1, 1), 2)
    made = sanitise.run(table, plan_for(table, s=5), randomness=Seeded(1))
    (bars,) = marginals(table, made)
    assert bars.column == "s"
    assert bars.before.tolist() == table["s"].counts().tolist()
    published = dict(zip(made.table["s"].labels, made.table["s"].counts(), strict=True))
    assert dict(zip(bars.labels, bars.after, strict=True)) == {x: published.get(x, 0) for x in bars.labels}
    assert bars.after.sum() == 2_000


def test_a_trial_takes_as_many_records_as_asked() -> None:
    table = with_nsas(skewed(2_000, 30, 0.1, 1), 2)
    tried = trial(table, plan_for(table, s=3), 500)
    assert tried.published.n == 500
    assert tried.marginals[0].before.sum() == tried.marginals[0].after.sum() == 500
    assert trial(table, plan_for(table, s=3), 5_000).published.n == 2_000
    with pytest.raises(BadSetting, match="100 records"):
        trial(table, plan_for(table, s=3), 20)


def test_two_trials_take_different_samples() -> None:
    table = with_nsas(skewed(2_000, 30, 0.1, 1), 2)
    first, second = (trial(table, plan_for(table, s=3), 500).marginals[0].before for _ in range(2))
    assert not np.array_equal(first, second)  # by chance with a probability below 1e-10


def test_a_sample_gets_group_sizes_of_its_own_where_it_needs_them() -> None:
    """Tolerances with little room: the table's sizes fit about every second sample."""
    chance = np.random.default_rng(5)
    sa = column("s", chance.choice(3, 4_000, p=[0.54, 0.35, 0.11]))
    table = Table((column("id", np.arange(sa.n)), sa))
    limits = by_hand(sa, {"v0001": "0.5", "v0002": "0.3"})
    for fakes in (0, 1):
        grouping = DecoyGroups.designed(sa, limits, fakes=fakes)
        plan = Plan(roles={"id": Role.NSA, "s": Role.SA}, draws={"s": grouping})
        for _ in range(8):
            found = trial(table, plan, 400)
            assert found.published.n == 400
            assert found.published.draws["s"].fakes == fakes
            assert set(found.published.draws["s"].tolerances.limits.items()) <= set(limits.limits.items())
