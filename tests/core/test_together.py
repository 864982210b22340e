"""Columns drawn together: groups that keep every cap, answers that hold, and what someone can recognise."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.draw import Together, draw_from
from splu_desktop.core.draw.combined_groups import EMPTY, broken, formed, stacked
from splu_desktop.core.draw.recognition import recognised
from splu_desktop.core.draw.together import planned
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from tests.seeded import Seeded

N = 3_000


def flags(number: int, seed: int = 1) -> Table:
    """Flags that go together: two and two hardly differ, and all go by how ill one is, as the ward does."""
    chance = np.random.default_rng(seed)
    ill = chance.gamma(1.5, 1, N)
    ward = np.where(ill > np.quantile(ill, 0.7), "A", chance.choice(["B", "C"], N))
    columns, last = [Column.from_labels("ward", ward.tolist())], np.zeros(N, bool)
    for at in range(number):
        share = 0.04 + 0.1 * chance.random()
        own = chance.random(N) < np.clip(share * ill / 1.5, 0, 0.9)
        last = np.where(chance.random(N) < 0.85, last, own) if at % 2 else own
        columns.append(Column.from_labels(f"F{at}", np.where(last, "yes", "no").tolist()))
    return Table(tuple(columns))


def plan_of(table: Table, gamma: int) -> Plan:
    names = [name for name in table.names if name != "ward"]
    return Plan({name: Role.NSA if name == "ward" else Role.SA for name in table.names}, planned(table, names, gamma))


@pytest.mark.parametrize(("number", "gamma"), [(2, 3), (12, 5), (30, 4)])
def test_no_group_holds_a_value_more_often_than_its_cap(number: int, gamma: int) -> None:
    table = flags(number)
    columns = table.columns[1:]
    plan = plan_of(table, gamma)
    draws = [plan.draws[column.name] for column in columns]
    assert all(isinstance(draw, Together) and draw.caps["yes"] == 1 for draw in draws)
    caps = [draw.limits(column) for draw, column in zip(draws, columns, strict=True) if isinstance(draw, Together)]
    codes = stacked(columns)
    ids = np.random.default_rng(2).permutation(N).astype(np.int32)
    groups = formed(codes, caps, ids, gamma, Silent())
    assert groups is not None
    assert sorted(groups[groups != EMPTY].tolist()) == list(range(N))
    assert ((groups != EMPTY).sum(axis=0) >= gamma).all()
    assert not any(over.any() for over in broken(codes, caps, groups, gamma))
    again = formed(codes, caps, ids, gamma, Silent())
    assert again is not None
    assert (again == groups).all()  # a function of ids and values alone
    random = ids[: N // gamma * gamma].reshape(gamma, -1)
    assert any(over.any() for over in broken(codes, caps, random, gamma))  # else nothing was tested


def test_a_row_is_a_record_of_the_source() -> None:
    table = flags(4)
    published = sanitise.run(table, plan_of(table, 4), randomness=Seeded(1)).table
    names = table.names[1:]

    def rows(of: Table) -> set[tuple[str, ...]]:
        return set(zip(*(of[name].labels[of[name].codes].tolist() for name in names), strict=True))

    assert rows(published) <= rows(table)


def test_promises_are_those_of_the_worst_way_to_share_groups() -> None:
    draw = Together(("a", "b"), 5, {"x": 2, "y": 5})
    once = Together(("a", "b"), 5, {"x": 1, "y": 5})
    # Of one record, Binomial(5, 1/5) is off in all cases but one copy.
    alone = 1 - 5 * (1 / 5) * (4 / 5) ** 4
    asked = Thresholds(epsilon=0.3, alpha=1)
    assert draw.t_p(asked) == pytest.approx(alone)
    assert once.t_p(asked) == pytest.approx(alone)
    # Two in one group of 5 give .654, where two groups give .698.
    two = Thresholds(epsilon=0.3, alpha=2)
    assert draw.t_p(two) == pytest.approx(min(alone, 0.654), abs=5e-4)
    assert draw.limit("x") == Fraction(2, 5)
    assert draw.confidence == Fraction(2, 5)


def question(asked: tuple[tuple[str, str], ...]) -> tuple[Condition, ...]:
    return tuple(Condition(name, (value,)) for name, value in asked)


def truth(table: Table, asked: tuple[tuple[str, str], ...]) -> int:
    meets: NDArray[np.bool_] = np.ones(table.n, bool)
    for name, value in asked:
        meets &= table[name].codes == table[name].code_of(value)
    return int(meets.sum())


@pytest.mark.parametrize(("number", "gamma"), [(2, 3), (5, 4), (9, 4)])
def test_intervals_hold_and_estimates_are_unbiased(number: int, gamma: int) -> None:
    """20 releases; an interval that holds in 93 % misses 12 % of 20 times 24 or more answers once in 10,000 at most."""
    table = flags(number)
    plan = plan_of(table, gamma)
    asked = [
        (*ward, ("F0", one), *other)
        for ward in ((), (("ward", "A"),), (("ward", "B"),), (("ward", "C"),))
        for one in ("yes", "no")
        for other in ((), (("F1", "yes"),), (("F1", "no"),), *([(("F3", "no"), ("F4", "yes"))] if number > 4 else []))
    ]
    true = np.array([truth(table, each) for each in asked])
    missed, estimates = 0, []
    for seed in range(20):
        reader = Reader(sanitise.run(table, plan, randomness=Seeded(seed)))
        answers = reader.answers([question(each) for each in asked], Method.UNBIASED)
        missed += sum(not one.low <= t <= one.high for one, t in zip(answers, true, strict=True))
        estimates.append([one.estimate for one in answers])
    assert missed <= 0.12 * 20 * len(asked)
    off = np.mean(estimates, axis=0) - true
    error = np.std(estimates, axis=0) / 20**0.5
    assert (np.abs(off) < 5 * error + 1).all()


def test_counts_of_linked_columns_are_right_on_average() -> None:
    """20 releases. A column that two others nearly determine, and a cell that holds nearly all who have a combination:
    records that meet a condition share groups otherwise the further values they have, and so did cells."""
    chance = np.random.default_rng(1)
    one, two = chance.random(N) < 0.1, chance.random(N) < 0.08
    linked = np.where(chance.random(N) < 0.92, one ^ two, one == two)
    cell = np.where(chance.random(N) < 0.92, one + 2 * linked, chance.integers(0, 4, N))
    told = {"F0": one, "F1": two, "F2": linked}
    columns = [Column.from_labels(name, np.where(has, "yes", "no").tolist()) for name, has in told.items()]
    table = Table((Column.from_labels("ward", [f"W{at}" for at in cell]), *columns))
    asked = [
        (("ward", f"W{at}"), *zip(some, values, strict=True))
        for at in range(4)
        for size in (1, 2, 3)
        for some in itertools.combinations(told, size)
        for values in itertools.product(("yes", "no"), repeat=size)
    ]
    plan, true = plan_of(table, 3), np.array([truth(table, each) for each in asked])
    readers = [Reader(sanitise.run(table, plan, randomness=Seeded(seed))) for seed in range(20)]
    answers = [reader.answers([question(each) for each in asked], Method.UNBIASED) for reader in readers]
    found = np.array([[one.estimate for one in release] for release in answers])
    held = [[one.low <= t <= one.high for one, t in zip(release, true, strict=True)] for release in answers]
    assert (np.abs(found.mean(axis=0) - true) < 5 * found.std(axis=0) / 20**0.5 + 1).all()
    assert np.mean(held, axis=0).min() >= 0.65  # by chance not once in 3,000


def test_a_value_that_nearly_every_group_holds_misleads_no_count_beside_it() -> None:
    """10 releases. Who has the value shares groups unlike others, in what is asked and out of it; a class that tells
    school and so holds one of the two kinds alone had counts with intervals that held in none of 40 releases."""
    chance, n = np.random.default_rng(2), 6_000
    often = chance.random(n) < 0.48
    school = np.where(often, 0, 1 + np.minimum(chance.geometric(0.25, n) - 1, 15))
    kinds = chance.choice(6, n, p=(0.4, 0.25, 0.15, 0.1, 0.06, 0.04))
    family = np.where(chance.random(n) < 0.5, kinds, np.where(often, 1, 0))
    held = {"class": school, "school": school, "family": family}
    table = Table(tuple(Column.from_labels(name, [str(at) for at in each]) for name, each in held.items()))
    draws = dict(planned(table, ("school", "family"), 2))
    plan = Plan({"class": Role.NSA, "school": Role.SA, "family": Role.SA}, draws)
    asked = [(("class", str(at)), ("school", str(at)), ("family", str(one))) for at in range(4) for one in range(4)]
    true, kept = np.array([truth(table, each) for each in asked]), []
    for seed in range(10):
        answers = Reader(sanitise.run(table, plan, randomness=Seeded(seed))).answers([question(each) for each in asked])
        kept.append([one.low <= t <= one.high for one, t in zip(answers, true, strict=True)])
    assert np.mean(kept, axis=0).min() >= 0.5  # intervals of 90 %: by chance not once in 400


def test_a_question_with_as_many_conditions_as_there_are_columns() -> None:
    """Which of 64 are met was a number too large for its place: 85 of 2,000 records were told as 0 to 3."""
    chance, n = np.random.default_rng(1), 2_000
    flagged = {f"F{at}": np.where(chance.random(n) < 0.05, "yes", "no") for at in range(70)}
    table = Table(tuple(Column.from_labels(name, each.tolist()) for name, each in flagged.items()))
    plan = Plan(dict.fromkeys(flagged, Role.SA), dict(planned(table, tuple(flagged), 4)))
    asked = [tuple((f"F{at}", "no") for at in range(most)) for most in (3, 4, 63, 64, 70)]
    reader = Reader(sanitise.run(table, plan, randomness=Seeded(1)))
    for each, answer in zip(asked, reader.answers([question(each) for each in asked]), strict=True):
        off, arm = abs(answer.estimate - truth(table, each)), (answer.high - answer.low) / 2
        assert off <= 2 * arm  # four standard deviations


def test_a_question_over_two_blocks_and_a_single_column() -> None:
    table = flags(5)
    names = table.names[1:]
    draws = {**planned(table, names[:2], 3), **planned(table, names[2:4], 3), **planned(table, names[3:5], 3)}
    with pytest.raises(BadSetting, match="must be sensitive and drawn so"):
        Plan({name: Role.NSA if name == "ward" else Role.SA for name in table.names}, draws)
    draws |= {**planned(table, names[:2], 3), **planned(table, names[2:5], 3)}
    plan = Plan({name: Role.NSA if name == "ward" else Role.SA for name in table.names}, draws)
    assert len(plan.blocks) == 2
    asked = (("F0", "no"), ("F1", "no"), ("F2", "no"), ("F4", "no"))
    true, held = truth(table, asked), 0
    for seed in range(10):
        (answer,) = Reader(sanitise.run(table, plan, randomness=Seeded(seed))).answers([question(asked)])
        held += answer.low <= true <= answer.high
        assert answer.high < N
    assert held >= 7


def test_who_knows_the_others_is_as_sure_as_was_said() -> None:
    """The attack: find the row, compare the values known, read the rest. 40 releases, five standard deviations."""
    table = flags(6)
    plan = plan_of(table, 4)
    names = list(table.names[1:])
    codes = stacked([table[name] for name in names])
    caps = [draw.limits(table[name]) for name in names if isinstance(draw := plan.draws[name], Together)]
    said = {each.column: each for each in recognised([table[name] for name in names], caps, 4)}
    ((block, draw),) = plan.blocks.items()
    shown, right = np.zeros(len(names)), np.zeros(len(names))
    for seed in range(40):
        drawn = stacked(draw.redraw_block(table, block, Seeded(seed), Silent()))
        for at, column in enumerate(table[name] for name in names):
            others = [other for other in range(len(names)) if other != at]
            agrees = (drawn[:, others] == codes[:, others]).all(axis=1) & (drawn[:, at] == column.code_of("yes"))
            shown[at] += agrees.sum()
            right[at] += (agrees & (codes[:, at] == drawn[:, at])).sum()
    for at, name in enumerate(names):
        certainty, chance = right[at] / shown[at], said[name].certainty
        assert certainty <= chance + 5 * (chance * (1 - chance) / shown[at]) ** 0.5 + 0.01
        assert certainty >= chance - 5 * (chance * (1 - chance) / shown[at]) ** 0.5 - 0.01
        assert chance > 0.25  # more than the column alone tells
        held = int((codes[:, at] == table[name].code_of("yes")).sum())
        assert right[at] / 40 / held == pytest.approx(said[name].learnt, abs=5 * (0.25 / 40 / held) ** 0.5)


def test_all_other_records_known_names_a_sole_bearer_as_often_as_said() -> None:
    """Who knows every other record, and the bearer's other values, reads a value or a combination that one record has
    off any row that shows it. 150 draws, five standard deviations."""
    few = flags(6).take(np.arange(401))
    once = Column.from_labels("F0", ["yes", *["no"] * 400])
    lone = Column.from_labels("F1", ["yes", *["yes", "no"] * 200])
    table = Table((few["ward"], once, lone, *few.columns[3:]))
    plan = plan_of(table, 4)
    ((block, draw),) = plan.blocks.items()
    others = {tuple(row) for row in stacked([table[name] for name in block])[1:].tolist()}
    value = combination = 0
    for seed in range(150):
        drawn = stacked(draw.redraw_block(table, block, Seeded(seed), Silent()))
        value += bool((drawn[:, 0] == once.code_of("yes")).any())
        combination += any(tuple(row) not in others for row in drawn.tolist())
    insider = plan.draws["F0"].insider
    assert value == combination  # nothing that is shown was made up of several records
    assert insider - 5 * (0.25 / 150) ** 0.5 - 0.03 <= value / 150 <= insider + 5 * (0.25 / 150) ** 0.5
    (said,) = (each for each in plan.draws["F0"].readers("F0") if "all other records" in each)
    assert f"{100 * insider:.0f} %" in said


def test_a_table_that_no_random_groups_suit_raises_caps_until_some_do() -> None:
    """A value of 79 % may stand 4 times in 5, and one of 21 % twice: together they may have to give way."""
    chance = np.random.default_rng(5)
    columns = [Column.from_labels(f"C{at}", chance.choice(["a", "b"], 500, p=[0.79, 0.21]).tolist()) for at in range(8)]
    draws = planned(Table(tuple(columns)), [column.name for column in columns], 5)
    for column in columns:
        draw, shares = draws[column.name], column.counts() / column.n
        assert (draw.limits(column) / 5 >= shares - 1e-9).all()
    plan = Plan(dict.fromkeys(draws, Role.SA), draws)
    sanitise.run(Table(tuple(columns)), plan, randomness=Seeded(1))


def test_settings_come_back_and_name_only_their_own_column() -> None:
    draw = planned(flags(2), ["F0", "F1"], 4)["F0"]
    assert draw_from(draw.as_dict()) == draw
    assert draw.within(["no"]).caps == {"no": 4}
    assert "yes" not in str(draw.recorded()["caps"])
    with pytest.raises(BadSetting):
        Together(("a",), 4, {})
    with pytest.raises(BadSetting):
        Together(("a", "b"), 1, {})
    with pytest.raises(BadSetting):
        Together(("a", "b"), 4, {"x": 5})
