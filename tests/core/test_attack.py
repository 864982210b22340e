"""The attack reproduces the figures of the design, is told nothing by own blocks, and never gains by a larger gamma."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.risk.attack import ColumnAttack, attack
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from tests.core.releases import column
from tests.core.risk_tables import coded, plan_for, visits
from tests.seeded import Seeded

_EIGHT = [f"sign {at}" for at in range(8)]


def _illness(rows: int = 20_000) -> Table:
    """Eight columns of one illness of ten kinds: each shows the kind in 90 % of the rows, else a kind at random."""
    rng = np.random.default_rng(1)
    share = 1 / np.sqrt(np.arange(1, 11))
    share /= share.sum()
    kind = rng.choice(10, rows, p=share)
    signs = [np.where(rng.random(rows) < 0.9, kind, rng.choice(10, rows, p=share)) for _ in _EIGHT]
    columns = [coded(name, codes) for name, codes in zip(_EIGHT, signs, strict=True)]
    return Table((coded("sex", rng.integers(0, 2, rows)), coded("age", rng.integers(0, 8, rows)), *columns))


def _attack(table: Table, blocks: list[list[str]], gamma: float, **more: object) -> tuple[ColumnAttack, ...]:
    plan = plan_for(table, blocks, gamma, **more)  # type: ignore[arg-type]
    return attack(prepare(table, plan), plan, randomness=Seeded(1))


@pytest.mark.parametrize(
    ("gamma", "right", "known", "together"), [(2, 0.843, 0.73, 0.560), (3, 0.665, 0.35, 0.431), (5, 0.420, 0.02, 0.328)]
)
def test_eight_columns_of_one_illness(gamma: float, right: float, known: float, together: float) -> None:
    """mechanism.md section 7, within .05."""
    table = _illness()
    apart = _attack(table, [[name] for name in _EIGHT], gamma)
    assert np.mean([each.right for each in apart]) == pytest.approx(right, abs=0.05)
    assert np.mean([each.known_share for each in apart]) == pytest.approx(known, abs=0.05)
    block = _attack(table, [_EIGHT], gamma)
    assert np.mean([each.right for each in block]) == pytest.approx(together, abs=0.05)
    assert max(each.known_share for each in block) == 0


def test_no_attack_gains_by_a_larger_gamma() -> None:
    """From 2 to 50, each figure but for the noise of 20,000 rows: 4 standard errors of .0035."""
    table = _illness()
    rng = np.random.default_rng(2)
    mild = coded("mild", np.where(rng.random(table.n) < 0.8, table["sign 0"].codes, rng.integers(0, 10, table.n)))
    positive = coded("positive", (table["sign 1"].codes < 2).astype(int))
    table = Table((table["sex"], table["age"], mild, table["sign 0"], positive))
    before = np.full(2, 1.0)
    for gamma in (2, 3, 4, 5, 7, 8, 10, 15, 20, 35, 50):
        found = np.array([each.right for each in _attack(table, [["sign 0"], ["positive"]], gamma)])
        assert (found <= before + 0.014).all(), gamma
        before = np.minimum(found, before)


def test_what_noise_moves_among_sure_rows_is_not_known() -> None:
    """A ward of 3 % positives and one of 30, four hints: judged among rows that the ward tells, .04 seemed known."""
    rng = np.random.default_rng(5)
    ward, lean = rng.integers(0, 2, 20_000), rng.integers(0, 4, 20_000)
    positive = rng.random(20_000) < np.where(ward == 0, 0.03, np.array([0.05, 0.2, 0.35, 0.6])[lean])
    columns = [coded("ward", ward), coded("positive", positive.astype(int))]
    for at in range(4):
        hint = np.where(rng.random(20_000) < 0.7, lean, rng.integers(0, 4, 20_000)) * 4 + rng.integers(0, 4, 20_000)
        columns.append(coded(f"hint {at}", hint))
    known = [
        _attack(Table(tuple(columns)), [["positive"]], gamma, classes=("ward",))[0].known_share
        for gamma in (2, 20, 100)
    ]
    assert known[0] > 0.25 > 0.15 > known[1]
    assert known[2] == 0


def test_without_hints_a_guess_is_as_sure_as_law_2_says() -> None:
    rng = np.random.default_rng(3)
    table = Table((coded("sex", rng.integers(0, 2, 20_000)), coded("dx", rng.choice(3, 20_000, p=[0.9, 0.06, 0.04]))))
    (found,) = _attack(table, [["dx"]], 5)
    for value in found.values:
        share = value.bearers / table.n
        # As many are guessed as have it, first of all those who show it: a published count is within 4 sd of the true.
        assert value.right == pytest.approx(share + (1 - share) / 5, abs=4 * np.sqrt(0.25 / value.bearers))
        assert value.baseline == pytest.approx(share)
        assert value.known_share == 0


@pytest.mark.parametrize("gamma", [5, 10, 20, 50])
def test_the_largest_gain_among_many_rare_values_is_that_of_law_2(gamma: float) -> None:
    """Of fifteen who have a value three more may be guessed by chance: of ninety values the luckiest one gained .3."""
    dx = np.repeat(np.arange(91), [18_650, *[15] * 90])
    (found,) = _attack(Table((coded("ward", np.zeros(20_000, int)), coded("dx", dx))), [["dx"]], gamma)
    law = 15 / 20_000 + (1 - 15 / 20_000) / gamma
    assert len(found.values) == 91
    # Fifteen guesses of its own beside a hundred of the bin, which is judged on all 1,350.
    error = np.sqrt(15 * law) / 115 + np.sqrt(law / 1_350)
    assert found.values[0].right == pytest.approx(law, abs=4 * error)
    assert found.right >= found.baseline


def test_all_rows_of_a_person_tell_more_than_each_by_itself() -> None:
    """Persons of thirty rows whose unchanged column half tells the finding: kept and lent persons are told apart."""
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(600), 30)
    finding = rng.integers(0, 8, len(who))
    hint = np.where(rng.random(len(who)) < 0.5, finding, rng.integers(0, 8, len(who)))
    table = Table((coded("id", who), coded("hint", hint), coded("finding", finding)))
    by_person = _attack(table, [["finding"]], 3, person="id")
    by_row = _attack(Table(table.columns[1:]), [["finding"]], 3)
    # A third is kept and as good as known; of the others the hint tells what it tells: .33 + .67 * .56 = .71.
    assert by_person[0].right == pytest.approx(0.71, abs=0.02)
    assert by_row[0].right < 0.66


def test_the_order_of_a_persons_days_tells_what_was_kept() -> None:
    """Five stages that only rise: a lent course comes in any order, and of who shows a rising one .98 are kept."""
    rng, who, visit = np.random.default_rng(5), np.repeat(np.arange(2_000), 5), np.tile(np.arange(5), 2_000)
    day, stage = 2 * visit + rng.integers(0, 20, 2_000)[who], np.sort(rng.integers(0, 8, (2_000, 5)), axis=1).ravel()
    known = []
    for days in (day, rng.permutation(day)):
        table = Table((coded("id", who), column("day", days), coded("stage", stage)))
        known.append(_attack(table, [["stage"]], 3, person="id")[0].known_share)
    assert known[0] > 0.2  # a third is kept
    assert known[1] < 0.02


def test_persons_of_1_to_40_rows_are_judged_as_persons() -> None:
    table = visits(persons=2000)
    found = _attack(table, [["finding"]], 5, person="id")
    persons = table["id"].m
    for value in found[0].values:
        assert 0 < value.bearers <= persons
        assert value.right >= value.baseline - 0.05
        assert 0 <= value.known_share <= 1
    assert found[0].values
