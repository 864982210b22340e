"""Releases made by blocks follow the laws of those made whole, with 1, 4 and 64 blocks.

Statistical tests have fixed seeds and fail by chance at most once in 10,000 each.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups
from splu_desktop.core.draw.joined import design
from splu_desktop.core.groups import blocks
from splu_desktop.core.groups.blocks import Dealt, Slots, members
from splu_desktop.core.groups.rules import equal
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.reader import Reader, parse_condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from tests.core.tables import column, plan_for, skewed
from tests.draws import plain
from tests.seeded import Seeded

NUMBERS = [1, 4, 64]
RUNS = {1: 100, 4: 50, 64: 8}  # releases; what they show is told by as many values
RARELY = 1e-4


def in_blocks(monkeypatch: pytest.MonkeyPatch, records: int, number: int) -> None:
    monkeypatch.setattr(blocks, "RECORDS", -(-records // number))


def tolerant(sa: Column) -> DecoyGroups:
    shares = sa.counts() / sa.n
    limits = {
        str(label): Fraction(1) if share > 0.3 else Fraction(2, 5)
        for label, share in zip(sa.labels, shares, strict=True)
    }
    return DecoyGroups.designed(sa, Tolerances(limits))


def uneven(n: int) -> Column:
    return column("s", np.random.default_rng(n).choice(6, n, p=[0.45, 0.2, 0.15, 0.1, 0.06, 0.04]))


@pytest.mark.parametrize("number", [2, 4, 64])
@pytest.mark.parametrize("n", [6_400, 6_401, 20_003])
@pytest.mark.parametrize("kind", ["plain", "at the limit", "several sizes"])
def test_blocks_part_the_groups_of_the_whole(n: int, number: int, kind: str) -> None:
    """Every block has its share of groups and values, is eligible by itself, and all add up to the whole."""
    sa = {
        "plain": skewed(n, 30, 0.15, 1),
        "at the limit": column("s", np.arange(n) // (n // 5)),
        "several sizes": uneven(n),
    }[kind]
    draw = tolerant(sa) if kind == "several sizes" else PlainGroups(5)
    layout, source = draw.layout(sa), Seeded(n + number)
    dealt = Dealt.of(layout, number, source)
    parts = [dealt.part(block) for block in range(dealt.number)]
    assert sum(int(part.numbers.sum()) for part in parts) == int(layout.numbers.sum())
    assert np.array_equal(sum(part.records.sum(axis=1) for part in parts), sa.counts())
    share = sa.counts() / dealt.number
    seen = np.zeros(sa.n, int)
    for part, at in zip(parts, members(sa.codes, sa.counts(), dealt, source, at_once=999), strict=True):
        seen[at] += 1
        held = np.bincount(sa.codes[at], minlength=sa.m)
        assert np.array_equal(held, part.records.sum(axis=1)), "the records dealt are those of the layout"
        assert (part.records <= part.caps * part.numbers).all(), "dealt in turn, no group breaks a cap"
        if kind != "several sizes":
            assert len(at) // 5 == part.numbers[0], "groups of gamma, or of one more"
            assert (np.abs(held - share) < 5 / 4 * len(share)).all()
            PlainGroups(5).check(sa.take(at))
    assert (seen == 1).all()


def test_values_are_in_each_block_as_often_as_their_share() -> None:
    sa = skewed(40_000, 40, 0.15, 1)
    dealt = Dealt.of(PlainGroups(5).layout(sa), 64, Seeded(1))
    held = np.stack([dealt.part(block).records[:, 0] for block in range(64)])
    assert dealt.number == 64
    # r = 8000 = 64 * 125: rounds of r places are shared evenly, so that only a line's ends are off, by one record each.
    assert (np.abs(held - sa.counts() / 64) <= 1).all()


def test_slots_follow_the_order_in_which_records_come() -> None:
    codes = np.array([2, 0, 2, 1, 0, 2, 2], np.int32)
    counts = np.bincount(codes)
    slots = Slots(counts)
    found = np.concatenate([slots.of(codes[:3]), slots.of(codes[3:])])
    assert found.tolist() == [3, 0, 4, 2, 1, 5, 6]
    # Somebody else holds the first record of value 2.
    assert Slots(counts, np.array([0, 2, 4])).of(codes[2:]).tolist() == [4, 2, 0, 5, 6]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("kind", ["plain", "several sizes", "joined"])
def test_blocks_drawn_anywhere_are_the_column_drawn(number: int, kind: str) -> None:
    """Whoever knows no more than the counts deals and draws by the protocol alone, as a cluster does."""
    sa = uneven(8_000) if kind != "plain" else skewed(8_000, 30, 0.15, 1)
    limits = {str(label): Fraction(1) if at else Fraction(1, 2) for at, label in enumerate(sa.labels[::-1])}
    draw: Draw = {
        "plain": lambda: PlainGroups(5),
        "several sizes": lambda: tolerant(sa),
        "joined": lambda: design(sa, limits),
    }[kind]()
    known = Column.of_counts(sa.name, sa.counts(), sa.labels, sa.missing, sa.values, kind=sa.kind)
    source = Seeded(number)
    made = draw.blocks(known, number, source)
    assert made.number == number
    block = made.of(Slots(sa.counts()).of(sa.codes), sa.codes)
    kept = 0
    for at in range(made.number):
        own = sa.codes[block == at]
        drawn = made.redraw(at, own, source, Silent())
        assert drawn.shape == own.shape
        kept += int((drawn == own).sum())
    a = draw.transition(sa.counts().astype(float), sa.labels).a
    expected, variance = float(a @ sa.counts()), float((a * (1 - a)) @ sa.counts())
    assert abs(kept - expected) < 5 * np.sqrt(variance)


def runs_of(monkeypatch: pytest.MonkeyPatch, sa: Column, gamma: int, number: int, runs: int, seed: int) -> np.ndarray:
    in_blocks(monkeypatch, sa.n, number)
    source = Seeded(seed)
    return np.stack([PlainGroups(gamma).redraw(sa, source, Silent()).codes for _ in range(runs)])


@pytest.mark.parametrize("number", NUMBERS)
def test_published_counts_follow_their_law(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Mean f_s and variance f_s (1 - 1/gamma), whatever the number of blocks; of rare values the whole distribution."""
    sa, gamma, runs = skewed(5_120, 40, 0.19, 3), 5, RUNS[number]
    drawn = runs_of(monkeypatch, sa, gamma, number, runs, 11)
    seen = np.stack([np.bincount(codes, minlength=sa.m) for codes in drawn])
    true = sa.counts()
    variance = true * (1 - 1 / gamma)
    limit = stats.norm.isf(RARELY / 4 / sa.m)
    assert np.abs((seen.mean(axis=0) - true) / np.sqrt(variance / runs)).max() < limit
    ratio = float((seen.var(axis=0, ddof=1) / variance).mean())
    assert abs(ratio - 1) < stats.norm.isf(RARELY / 4) * np.sqrt((2 / (runs - 1) + (1 / variance).mean() / runs) / sa.m)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_rare_value_follows_the_binomial_exactly(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Of twenty values with three records each, which hardly ever share groups."""
    sa = column("s", np.r_[np.arange(60) % 20, np.arange(5_060) % 27 + 20])
    drawn = runs_of(monkeypatch, sa, 5, number, RUNS[number], 2)
    seen = np.stack([np.bincount(codes, minlength=sa.m)[:20] for codes in drawn]).ravel()
    observed = np.bincount(np.minimum(seen, 7), minlength=8)
    law = stats.binom(15, 0.2)
    assert stats.chisquare(observed, np.r_[law.pmf(np.arange(7)), law.sf(6)] * len(seen)).pvalue > RARELY


@pytest.mark.parametrize("number", NUMBERS)
def test_records_are_carried_as_t_says(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A record keeps its value with r/N, and else takes another in proportion, T, as with plain groups of a whole."""
    sa = column("s", np.repeat(np.arange(8), [1000, 1000, 800, 800, 800, 600, 600, 520]))
    draw, runs = PlainGroups(3), RUNS[number]
    moves = np.zeros((8, 8))
    for codes in runs_of(monkeypatch, sa, 3, number, runs, 9):
        np.add.at(moves, (sa.codes, codes), 1)
    expected = draw.transition(sa.counts().astype(float), sa.labels).matrix * (sa.counts() * runs)[:, None]
    # Within groups records are drawn by themselves; that groups hold no value twice makes cells a little less random.
    assert (np.abs(moves - expected) / np.sqrt(expected)).max() < stats.norm.isf(RARELY / 2 / 64)


@pytest.mark.parametrize("number", NUMBERS)
def test_tolerances_carry_records_as_t_says(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    sa, runs = uneven(6_400), RUNS[number]
    draw = tolerant(sa)
    in_blocks(monkeypatch, sa.n, number)
    source, moves = Seeded(5), np.zeros((sa.m, sa.m))
    for _ in range(runs):
        np.add.at(moves, (sa.codes, draw.redraw(sa, source, Silent()).codes), 1)
    expected = draw.transition(sa.counts().astype(float), sa.labels).matrix * (sa.counts() * runs)[:, None]
    some = expected > 20
    assert (np.abs(moves - expected)[some] / np.sqrt(expected[some])).max() < stats.norm.isf(RARELY / 2 / sa.m**2) + 1


def test_any_two_records_share_a_block_alike() -> None:
    """Records of rare values too, and whatever the column looks like: 1 in B, by the random order of the values."""
    sa = column("s", np.r_[np.arange(6_394) % 60, 60, 61, 62, 63, 64, 64])
    layout, runs, source = PlainGroups(5).layout(sa), 600, Seeded(8)
    pairs = [(6_394, 6_395), (6_396, 6_397), (6_394, 0), (100, 101), (6_398, 200)]
    shared = np.zeros(len(pairs))
    for _ in range(runs):
        dealt = Dealt.of(layout, 4, source)
        ids = np.argsort(source.bits(sa.n), kind="stable")
        block = np.empty(sa.n, int)
        block[ids] = dealt.blocks(Slots(sa.counts()).of(sa.codes[ids]), sa.codes[ids])
        shared += [block[one] == block[other] for one, other in pairs]
    assert (np.abs(shared / runs - 1 / 4) < stats.norm.isf(RARELY / 2 / len(pairs)) * np.sqrt(3 / 16 / runs)).all()


@pytest.mark.parametrize("number", NUMBERS)
def test_several_columns_are_dealt_and_drawn_independently(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Two identical columns keep their values together with 1/gamma_1 times 1/gamma_2, as the estimators assume."""
    n = 61_440
    in_blocks(monkeypatch, n, number)
    codes = np.arange(n) % 30
    table = Table((column("id", np.arange(n)), column("s", codes), column("t", codes)))
    plan = Plan(roles={"id": Role.NSA, "s": Role.SA, "t": Role.SA}, draws=plain({"s": 4, "t": 3}))
    published = sanitise.run(table, plan, randomness=Seeded(4)).table
    record = np.array([int(label[1:]) for label in published["id"].labels])[published["id"].codes]
    kept = [published[name].codes == record % 30 for name in ("s", "t")]
    both = float((kept[0] & kept[1]).mean())
    assert abs(both - 1 / 12) < stats.norm.isf(RARELY / 2) * np.sqrt(1 / 12 * 11 / 12 / n)
    # Nothing of the dealing is left in the order of the records.
    limit = stats.norm.isf(RARELY / 8) / np.sqrt(n)
    for name in ("s", "t"):
        shown = published[name].codes.astype(float)
        assert abs(np.corrcoef(shown[1:], shown[:-1])[0, 1]) < limit
        assert abs(np.corrcoef(shown[number:], shown[:-number])[0, 1]) < limit
        assert abs(stats.spearmanr(np.arange(n), record).statistic) < limit


@pytest.mark.parametrize("number", NUMBERS)
def test_ranges_cover_as_before(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """95 % intervals of 240 counts of cells hold the truth in 90 %: of independent ones once in 2,000 fewer."""
    n = 12_800
    in_blocks(monkeypatch, n, number)
    rng = np.random.default_rng(6)
    sa = skewed(n, 20, 0.15, 4)
    cell = column("cell", (sa.codes + rng.integers(0, 3, n)) % 6)
    table, held = Table((cell, sa)), []
    for seed in range(2):
        published = sanitise.run(table, plan_for(table, s=4), randomness=Seeded(seed))
        reader = Reader(published)
        for where in range(6):
            for value in range(20):
                asked = [f"cell=v{where:04d}", f"s={sa.labels[value]}"]
                found = reader.answer([parse_condition(text, published) for text in asked])
                true = int(((cell.codes == where) & (sa.codes == value)).sum())
                held.append(found.low <= true <= found.high)
    assert np.mean(held) >= 0.90


def test_what_cant_be_parted_is_one_block() -> None:
    sa = skewed(4_000, 30, 0.1, 1)
    fakes = DecoyGroups((4,), (Fraction(1),), equal(sa, 5), 1)
    assert fakes.blocks(sa, 8, Seeded(1)).number == 1
    assert PlainGroups(100).blocks(column("s", np.arange(4_000)), 8, Seeded(1)).number == 2, "40 groups, 16 in a block"
