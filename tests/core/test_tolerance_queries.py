"""Questions about columns with a tolerance per value: every estimator, several columns at once, cross-tables.

Seeds are fixed; a law test fails by chance at most once in 10,000.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups, PlainGroups
from splu_desktop.core.groups.rules import by_hand
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.reconstruct.states import as_printed
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import NORMAL_95
from tests.core.random_designs import of_seed
from tests.core.tables import column
from tests.seeded import Seeded


def related(n: int = 6_000) -> Table:
    """Wards, a skewed disease that depends on them, and an outcome that depends on the disease."""
    chance = np.random.default_rng(3)
    ward = chance.integers(0, 3, n)
    disease = np.where(chance.random(n) < 0.7 - 0.15 * ward, 0, 1 + (chance.random(n) < 0.3))
    outcome = np.where(chance.random(n) < 0.8 - 0.3 * (disease == 2), 0, 1)
    return Table((column("ward", ward), column("disease", disease), column("outcome", outcome)))


TABLE = related()
GROUPINGS = {
    "disease": DecoyGroups(
        (1, 4),
        (Fraction(3, 10), Fraction(7, 10)),
        by_hand(TABLE["disease"], {"v0001": "0.5", "v0002": "0.25"}),
    ),
    "outcome": DecoyGroups((1, 3), (Fraction(1, 4), Fraction(3, 4)), by_hand(TABLE["outcome"], {"v0001": "0.34"})),
}
TOLERANT = Plan(roles={"ward": Role.NSA, "disease": Role.SA, "outcome": Role.SA}, draws=GROUPINGS)
MIXED = Plan(
    roles={"ward": Role.SA, "disease": Role.SA, "outcome": Role.NSA},
    draws={"ward": PlainGroups(2), "disease": GROUPINGS["disease"]},
)


def questions(*names: str) -> tuple[list[tuple[Condition, ...]], np.ndarray]:
    """Every combination of values of these columns, with its true count."""
    asked, true = [], []
    for labels in itertools.product(*[TABLE[name].labels for name in names]):
        meets = np.ones(TABLE.n, bool)
        for name, label in zip(names, labels, strict=True):
            meets &= TABLE[name].codes == TABLE[name].code_of(str(label))
        asked.append(tuple(Condition(name, (str(label),)) for name, label in zip(names, labels, strict=True)))
        true.append(int(meets.sum()))
    return asked, np.array(true, float)


def releases(plan: Plan, runs: int) -> list[Published]:
    source = Seeded(11)
    return [sanitise.run(TABLE, plan, randomness=source) for _ in range(runs)]


@pytest.mark.parametrize(
    ("plan", "names"),
    [(TOLERANT, ("ward", "disease", "outcome")), (MIXED, ("outcome", "disease", "ward"))],
    ids=["both with tolerances", "one plain"],
)
def test_several_columns_at_once_are_unbiased_and_covered(plan: Plan, names: tuple[str, ...]) -> None:
    """18 counts in 40 releases; 95 % nominal, 93 to 99 % wanted: the counts of one release go together.

    Of 12 further runs of 24 releases three were covered in 97.7 to 98.6 %, none in less than 94.7 %.
    """
    asked, true = questions(*names)
    hits, gaps = [], []
    for published in releases(plan, 40):
        answers = Reader(published).answers(asked, Method.UNBIASED)
        hits.append([answer.low <= t <= answer.high for answer, t in zip(answers, true, strict=True)])
        gaps.append([answer.estimate - t for answer, t in zip(answers, true, strict=True)])
    z = np.mean(gaps, axis=0) / (np.std(gaps, axis=0, ddof=1) / np.sqrt(40))
    assert np.abs(z).max() < 5.2, "18 t values with 39 degrees of freedom"
    assert 0.93 <= float(np.mean(hits)) <= 0.99


def test_every_estimator_answers_for_one_column_and_for_several() -> None:
    one, true_one = questions("ward", "disease")
    several, true_several = questions("ward", "disease", "outcome")
    errors: dict[Method, list[float]] = {method: [] for method in Method}
    for published in releases(TOLERANT, 6):
        reader = Reader(published)
        for method in Method:
            for asked, true in ((one, true_one), (several, true_several)):
                answers = reader.answers(asked, method)
                estimates = np.array([answer.estimate for answer in answers])
                assert np.isfinite(estimates).all()
                assert all(answer.method is method for answer in answers)
                if method is not Method.UNBIASED:
                    assert all(0 <= answer.estimate <= answer.n_p for answer in answers)
                errors[method].append(float(np.mean((estimates - true) ** 2)))
    mean = {method: float(np.mean(found)) for method, found in errors.items()}
    assert mean[Method.POOLED] < mean[Method.UNBIASED]
    assert mean[Method.BAYES] < mean[Method.UNBIASED]


def test_as_published_is_the_journals_rule_with_what_values_keep() -> None:
    (published,) = releases(TOLERANT, 1)
    asked, _ = questions("ward", "disease")
    counts = published.table["disease"].counts().astype(float)
    through = published.draws["disease"].transition(counts, published.table["disease"].labels)
    for question, answer in zip(asked, Reader(published).answers(asked, Method.AS_PUBLISHED), strict=True):
        chosen = published.table["disease"].labels == question[1].values[0]
        keep = float(through.a[chosen][0])
        assert through.two_states(chosen)[1, 1] == pytest.approx(keep)
        whole, y, n_p = float(counts[chosen].sum()), float(answer.published), float(answer.n_p)
        cells = np.array([[TABLE.n - n_p - (whole - y), whole - y, n_p - y, y]])
        assert answer.estimate == pytest.approx(float(as_printed(cells, TABLE.n, [1 / keep])[0]))


def test_cross_tables_take_columns_with_tolerances() -> None:
    (published,) = releases(TOLERANT, 1)
    reader = Reader(published)
    selections = [(Condition("ward", (str(label),)),) for label in published.table["ward"].labels]
    counts, selected, estimate, low, high, _ = reader.cells(selections, "disease")
    for row, selection in enumerate(selections):
        for place, label in enumerate(published.table["disease"].labels):
            answer = reader.answer((*selection, Condition("disease", (str(label),))))
            assert (counts[row, place], selected[row]) == (answer.published, answer.n_p)
            assert estimate[row, place] == pytest.approx(answer.estimate)
            assert low[row, place] == pytest.approx(answer.low)
            assert high[row, place] == pytest.approx(answer.high, abs=12)


def test_counts_of_the_whole_table_are_told_whatever_is_hidden_of_its_parts() -> None:
    """Published counts are right on average, and scatter as they are seen to: 135 of 4,827 records were "0 to 4,827".

    Up to five directions of design 307 are hidden. Of 20 releases, 8 values, 140 of 160 hold or fewer once in 10,000.
    """
    sa, limits, fakes = of_seed(307)
    plan = Plan({"s": Role.SA}, {"s": DecoyGroups.designed(sa, limits, fakes=fakes)})
    asked, true = [[Condition("s", (str(label),))] for label in sa.labels], sa.counts()
    every = [Reader(sanitise.run(Table((sa,)), plan, randomness=Seeded(one))).answers(asked) for one in range(20)]
    low, high, seen = (
        np.array([[getattr(a, end) for a in each] for each in every]) for end in ("low", "high", "published")
    )
    assert not any(answer.possible for each in every for answer in each)
    assert ((low <= true) & (true <= high)).sum() > 140
    assert ((high - low).mean(axis=0) < 1.6 * 2 * NORMAL_95 * seen.std(axis=0)).all()
