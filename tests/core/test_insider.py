"""The insider who knows every other record of the table: what fake values do not do, measured by the attack."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table
from splu_desktop.core.tolerance_rules import by_hand
from splu_desktop.core.tolerant_guarantees import law_with_fakes, sole_bearer_named
from tests.core.tables import column
from tests.core.test_tolerance_groups import of_counts
from tests.seeded import Seeded


@pytest.mark.parametrize(("size", "fakes"), [(4, 1), (5, 2), (1, 3)])
def test_the_sole_bearer_of_a_value_is_named_as_often_as_is_said(size: int, fakes: int) -> None:
    """Who knows all others has them all without the value, so its being published names the one record left.

    400 releases; false alarm 1 in 100,000 (4.5 standard errors). More often than 1 / (1 + sigma), the certainty that
    holds for who knows a group alone.
    """
    sa = of_counts(size * 15, size * 9 - 1, 1)
    limits = by_hand(sa, {"v0002": Fraction(1, size + fakes)})
    grouping = DecoyGroups((size,), (Fraction(1),), limits, fakes)
    table = Table((column("id", np.arange(sa.n)), sa))
    plan = Plan({"id": Role.NSA, "s": Role.SA}, {"s": grouping})
    releases = 400
    named = 0
    for seed in range(releases):
        published = sanitise.run(table, plan, randomness=Seeded(seed))
        named += int("v0002" in published.table["s"].labels)
    law = 1 - float(law_with_fakes([(size, 1)], fakes)[0])
    assert abs(named / releases - law) < 4.5 * 0.5 / releases**0.5
    said = float(sole_bearer_named(grouping))
    assert law <= said + 1e-12 <= law + 0.03
    assert said > float(grouping.certainty)


def test_both_are_said() -> None:
    sa = of_counts(500, 300, 1)
    grouping = DecoyGroups((4,), (Fraction(1),), by_hand(sa, {"v0002": "0.2"}), 1)
    said = grouping.sentences("s", Thresholds())
    assert any("and nothing else of the table, is at most 50 % sure" in sentence for sentence in said)
    assert any("is named whenever the value is published" in sentence for sentence in said)
    no_fakes = DecoyGroups((5,), (Fraction(1),), by_hand(sa, {"v0002": "0.2"}))
    assert not any("fake" in sentence for sentence in no_fakes.sentences("s", Thresholds()))
