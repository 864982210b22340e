"""The insider who knows every other record of the table: what fake values do not do, measured by the attack."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from splu_desktop.core import sanitise
from splu_desktop.core.checks import gate
from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups, joined
from splu_desktop.core.draw.ways import gamma_tolerances
from splu_desktop.core.groups.rules import by_hand
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees.tolerant import law_with_fakes, sole_bearer_named
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.progress import Silent
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
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
    releases = 400
    named = sum(bool((grouping.redraw(sa, Seeded(seed), Silent()).codes == 2).any()) for seed in range(releases))
    law = 1 - float(law_with_fakes([(size, 1)], fakes)[0])
    assert abs(named / releases - law) < 4.5 * 0.5 / releases**0.5
    said = float(sole_bearer_named(grouping))
    assert law <= said + 1e-12 <= law + 0.03
    assert said > float(grouping.certainty)


def test_both_are_said_once_each_and_at_the_gate() -> None:
    sa = of_counts(500, 300, 1)
    grouping = DecoyGroups((4,), (Fraction(1),), by_hand(sa, {"v0002": "0.2"}), 1)
    said = [*grouping.sentences("s", Thresholds()), *grouping.readers("s")]
    assert any("and nothing else of the table, is at most 50 % sure" in sentence for sentence in said)
    named = [sentence for sentence in said if "all other records of the table" in sentence]
    assert len(named) == 1
    assert "is named whenever the value is published" in named[0]
    assert not any("this version does not make" in sentence for sentence in said)
    table = Table((column("ward", np.arange(sa.n) % 3), sa))
    plan = Plan({"ward": Role.NSA, "s": Role.SA}, {"s": grouping})
    (line,) = (line for line in gate.table_lines(table, plan) if line.name == "fake-values")
    assert line.light is gate.Light.AMBER
    assert named[0].startswith(line.sentence)
    no_fakes = DecoyGroups((5,), (Fraction(1),), by_hand(sa, {"v0002": "0.2"}))
    assert not any("fake" in sentence for sentence in no_fakes.sentences("s", Thresholds()))
    plain = gate.table_lines(table, Plan({"ward": Role.NSA, "s": Role.SA}, {"s": no_fakes}))
    assert "fake-values" not in {line.name for line in plain}


def test_the_joined_draw_names_a_sole_bearer_as_often_as_it_says() -> None:
    """No other record has the value, and the release names no value that nobody has: shown is named."""
    codes = np.r_[np.zeros(900), np.repeat(np.arange(1, 20), 5), [20]].astype(int)
    table = Table((column("s", codes),))
    labels = table["s"].labels
    limits = {str(label): Fraction(1) if place == 0 else Fraction(1, 4) for place, label in enumerate(labels)}
    draw = joined.design(table["s"], limits)
    bearer = str(labels[20])
    named = 0
    for seed in range(100):
        published = sanitise.run(table, Plan({"s": Role.SA}, {"s": draw}), randomness=Seeded(seed))
        named += bearer in {str(label) for label in published.table["s"].compacted().labels}
    # Binomial of 100: six standard deviations, false alarm below 1e-8.
    assert named / 100 >= draw.insider - 6 * (draw.insider * (1 - draw.insider) / 100) ** 0.5 - 1e-9
    assert named / 100 > 0.9
    told = [str(said) for said in draw.readers("s")]
    assert any("names its bearer" in said and "in up to 100 % of" in said for said in told)
    assert not any("learns no more" in said for said in told)
    stated = draw.stated(Thresholds())["by_tolerance"]
    assert {entry["certainty"] for entry in stated.values()} == {1.0}, "such a reader is sure"


@pytest.mark.parametrize(("gamma", "bearers"), [(3, 2), (5, 2), (5, 3)])
def test_who_knows_all_others_tells_the_second_and_third_bearer_as_often_as_is_said(gamma: int, bearers: int) -> None:
    """240 releases, in half of which the last record has the value; false alarm 1 in 100,000 (4.5 standard errors)."""
    releases, right = 240, 0
    chance, with_it, without = 1 / gamma, bearers * gamma - 1, (bearers - 1) * gamma
    for seed in range(releases):
        has = seed % 2
        codes = np.r_[np.arange(60 * gamma) % 30 + 1, np.zeros(bearers - 1), 0 if has else 31].astype(int)
        shows = PlainGroups(gamma).redraw(column("s", codes), Seeded(seed), Silent()).codes == codes[-2]
        count = int(shows[:-1].sum())
        likely = (1 - chance) * binom.pmf(count, with_it, chance) > binom.pmf(count, without, chance)
        right += int((bool(shows[-1]) or bool(likely)) == bool(has))
    said = attackers.tells_bearer(gamma, bearers)
    assert abs(right / releases - said) < 4.5 * (said * (1 - said) / releases) ** 0.5
    assert 0.5 < said < attackers.tells_bearer(gamma, 1) == pytest.approx((1 + attackers.sole_bearer(gamma)) / 2)


SECOND: dict[str, Callable[[Column], Draw]] = {
    "sizes": lambda sa: DecoyGroups((3,), (Fraction(1),), by_hand(sa, {"v0004": "0.34"})),
    "fakes": lambda sa: DecoyGroups((3,), (Fraction(1),), by_hand(sa, {"v0004": "0.34"}), 1),
    "joined": lambda sa: joined.design(sa, gamma_tolerances(sa, 2)),
    "joined, free": lambda sa: joined.design(sa, gamma_tolerances(sa, 4, [str(sa.labels[0])])),
    "by person": lambda _: PlainGroups(3).by_person("person"),
    "joined by person": lambda sa: joined.design(sa, gamma_tolerances(sa, 3, [str(sa.labels[0])])).by_person("person"),
}


@pytest.mark.parametrize("name", SECOND)
def test_who_knows_all_others_tells_a_second_bearer_no_more_often_than_is_said(name: str) -> None:
    """200 releases, in half of which the last record has the value; false alarm 1 in 100,000 (4.5 standard errors)."""
    chance, releases = np.random.default_rng(5), 200
    others = np.r_[np.repeat(np.arange(4), (80, 30, 25, 14)), 4]
    rows, counts, has = np.zeros(releases, bool), np.zeros(releases, int), np.arange(releases) % 2 == 0
    person = column("person", np.arange(others.size + 1))
    last = np.where(has, 4, chance.choice(others[:-1], releases))
    tables = [Table((person, column("s", np.r_[others, code]))) for code in last]
    draw = SECOND[name](tables[0]["s"]).learned(tables[0], "s", Thresholds())
    said = draw.tells_second
    for seed, table in enumerate(tables):
        (made,) = draw.redraw_block(table, ["s"], Seeded(seed), Silent())
        shows = made.labels[made.codes] == table["s"].labels[4]
        rows[seed], counts[seed] = shows[-1], int(shows[:-1].sum())
    # Settled on one half of the releases and judged on the other: the row, the count of the others, or either.
    tried = [rows, *(counts >= least for least in range(1, 6)), *(rows | (counts >= least) for least in range(1, 6))]
    half = np.arange(releases) // 2 % 2 == 0
    best = max(tried, key=lambda each: float((each == has)[half].mean()))
    right = float((best == has)[~half].mean())
    error = 4.5 * 0.5 / (~half).sum() ** 0.5
    assert right < said + error
    if name.startswith("joined") and "person" not in name:
        assert right > said - error
