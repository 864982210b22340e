"""Risk is counted in persons: every figure equals a recount by persons in pandas."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from splu_desktop.core.audience import Audience, OwnLimit
from splu_desktop.core.generalise import DatePart, Part
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.policy import OK, RED, verdict
from splu_desktop.core.published import block_codes
from splu_desktop.core.risk.alike import alike, unique_combinations, unique_distances, unique_histories
from splu_desktop.core.risk.association import association, find_linked
from splu_desktop.core.risk.certainty import certainties, certainty_of_persons, gamma_for
from splu_desktop.core.risk.releases import joint_certainty, surest_jointly
from splu_desktop.core.sanitise import prepare, run, show_rows
from splu_desktop.core.table import Column, Kind, Table
from tests.core.risk_tables import coded, plan_for, visits
from tests.seeded import Seeded


def _frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame({name: table[name].labels[table[name].codes] for name in table.names})


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_persons_alike_equal_a_recount_by_persons(seed: int) -> None:
    table = visits(seed=seed)
    prepared = prepare(table, plan := plan_for(table, [["finding"]], person="id"))
    found, frame = alike(prepared, plan), _frame(prepared.table)
    left = frame.groupby("id")["sex"].transform("size")  # published as the class
    had = frame["id"].map(_frame(table).groupby("id").size())  # known, but not who of them gave some up
    alike_of = [frame.assign(n=n).groupby(["sex", "age", "ward", "n"])["id"].transform("nunique") for n in (left, had)]
    least = np.maximum(*alike_of).groupby(frame["id"]).min()
    assert sorted(found.sizes.tolist()) == sorted(least.tolist())
    assert len(found.sizes) == frame["id"].nunique()
    assert found.smallest == least.min()
    assert found.below(2) == (least == 1).sum()
    assert found.below(5) == (least < 5).sum()


@pytest.mark.parametrize("own", [1, 2])
def test_rows_of_one_person_are_one_person(own: int) -> None:
    """Review B1: "8 alike" were the rows of one person (found with certainty), and of two (in one of two cases)."""
    who = np.r_[np.repeat(np.arange(own), 8 // own), own + np.repeat(np.arange(50), 8)]
    place = np.r_[np.zeros(8, int), np.repeat([1, 2], 200)]
    table = Table((coded("id", who), coded("place", place), coded("dx", np.arange(len(who)) % 5)))
    plan = plan_for(table, [["dx"]], person="id")
    found = alike(prepare(table, plan), plan)
    assert found.smallest == own
    rows = plan_for(Table(table.columns[1:]), [["dx"]])
    assert alike(prepare(Table(table.columns[1:]), rows), rows).smallest == 8


def test_moved_dates_are_known_to_nobody() -> None:
    table = visits()
    plan = plan_for(table, [["finding"]], person="id")
    assert plan.knowable == ("sex", "age", "ward")
    assert unique_distances(prepare(table, plan), plan) == 0


@pytest.mark.parametrize("number", [False, True], ids=["rows", "numbered"])
def test_who_knows_a_moved_day_knows_what_moving_leaves(number: bool) -> None:
    """Moved by weeks a day keeps weekday and time of day, and dates their distance: 35 alike as told were 2."""
    rng, rows = np.random.default_rng(8), 2 if number else 1
    owner = np.repeat(np.arange(400), rows)
    hours = rng.integers(0, 700, len(owner)) * 24 + rng.choice([8, 20], len(owner))
    moments = {"came": hours, "went": hours + 24 * rng.integers(0, 2, len(owner))}
    dates = [
        _moments(name, np.datetime64("2020-01-05T00:00") + each.astype("timedelta64[h]"))
        for name, each in moments.items()
    ]
    table = Table((coded("id", owner), coded("sex", owner % 2), *dates, coded("dx", owner % 5)))
    plan = plan_for(table, [["dx"]], person="id", shift=("came", "went"))
    plan = replace(plan, persons=replace(plan.persons, number=number))
    frame = pd.DataFrame({"who": owner, "sex": owner % 2, **moments})
    frame["first"] = frame.groupby("who").came.transform("min")
    frame["row"] = list(
        zip(frame.sex, frame["first"] % 168, frame.came - frame["first"], frame.went - frame["first"], strict=True)
    )
    keys = frame.groupby("who")["row"].agg(lambda each: tuple(sorted(each)))
    assert alike(prepare(table, plan), plan).sizes.tolist() == keys.map(keys.value_counts()).tolist()
    line = next(each for each in verdict(table, plan).lines if each.name == "persons-alike")
    assert line.state == RED
    months = plan.with_steps(("came", "went"), (DatePart(Part.MONTH),))
    assert alike(prepare(table, months), months).smallest == 200
    assert line.repair is not None
    assert number or line.repair.apply(plan) == months


def _moments(name: str, values: NDArray[np.datetime64]) -> Column:
    labels, codes = np.unique(values, return_inverse=True)
    texts = np.array([str(each).replace("T", " ") for each in labels], object)
    return Column.from_codes(name, codes, texts, np.zeros(len(texts), bool), labels, kind=Kind.DATETIME)


def test_certainty_is_law_2_of_the_shares_in_each_class() -> None:
    table = visits(persons=3000)
    plan = plan_for(table, [["finding"]], person="id", classes=["sex"])
    prepared = prepare(table, plan)
    found = certainties(prepared, plan)
    frame = _frame(prepared.table).assign(cell=prepared.row_class)
    size = frame.groupby("cell").size()
    counts = frame.groupby(["cell", "finding"]).size()
    pi = counts / size.reindex(counts.index, level="cell")
    assert found.riskiest_share == pytest.approx(pi.max())
    share = (pi * counts).sum() / counts.sum()
    gamma = plan.gamma
    assert found.riskiest == pytest.approx(pi.max() + (1 - pi.max()) / gamma)
    assert found.average == pytest.approx(share + (1 - share) / gamma)
    assert found.riskiest_value[:2] == ("finding", pi.idxmax()[1])
    # What a slider shows of another strength is what the plan with it is told.
    other = certainties(prepare(table, sharper := plan.with_gamma(3)), sharper)
    assert (found.with_gamma(3).average, found.with_gamma(3).riskiest) == (other.average, other.riskiest)


def test_public_values_are_no_risk() -> None:
    codes = np.r_[np.zeros(900, int), np.ones(100, int)]
    table = Table((coded("place", np.arange(1000) % 3), coded("test", codes)))
    plan = plan_for(table, [["test"]], 2)
    everything = certainties(prepare(table, plan), plan)
    plan = replace(plan, public_values={"test": ("v000",)})
    found = certainties(prepare(table, plan), plan)
    assert everything.riskiest == pytest.approx(0.95)
    assert found.riskiest == found.average == pytest.approx(0.55)


def test_the_least_strength_keeps_a_limit_that_it_meets_exactly() -> None:
    """Of law 2, whatever the last digit says: a hair above a whole number would cost a whole step of strength."""
    for share, gamma in itertools.product(np.arange(0, 1, 0.01), range(2, 51)):
        assert gamma_for((share, share + (1 - share) / gamma)) == gamma


def test_a_certainty_that_meets_its_limit_is_no_red_line() -> None:
    """.2 + .8/5 is .36 and a last digit."""
    table = Table((coded("dx", np.arange(1_000) % 5), coded("sex", np.arange(1_000) % 2)))
    own = OwnLimit("riskiest", 0.36, "the ethics board agreed")
    found = verdict(table, replace(plan_for(table, [["dx"]]), audience=Audience("partner", limits=(own,))))
    assert found.figures.certainty.riskiest > 0.36
    assert [each.state for each in found.lines if each.name == "riskiest-group"] == [OK]


def test_what_is_public_is_no_risk_of_a_person_either() -> None:
    """One of ten persons has a secret value, all the others have one that is none."""
    owner = np.repeat(np.arange(500), 2)
    table = Table((coded("id", owner), coded("test", np.where(owner % 10, 0, 1))))
    plan = replace(plan_for(table, [["test"]], person="id"), public_values={"test": ("v000",)})
    assert certainty_of_persons(prepare(table, plan), plan) == pytest.approx(0.1 + 0.9 / 5)


def test_a_history_has_several_rows() -> None:
    """Of 100 persons with two rows the first is alone with its values; the last, who is, too, has one row."""
    owner = np.r_[np.repeat(np.arange(100), 2), np.arange(100, 200)]
    table = Table((coded("id", owner), coded("dx", np.r_[0, 1, np.tile([1, 2], 99), np.ones(99, int), 3])))
    prepared = prepare(table, plan_for(table, [["dx"]], person="id"))
    assert unique_histories(prepared, Block(("dx",), Lenders(5))) == pytest.approx(1 / 100)


def test_a_lone_value_seen_twice_is_taken_for_one_that_nobody_else_shows() -> None:
    table = Table((coded("dx", np.arange(600)), coded("sex", np.arange(600) % 2)))
    prepared, plan = prepare(table, plan := plan_for(table, [["dx"]])), plan
    stated = surest_jointly(prepared, plan, 1 / 600, [5, 5])
    assert stated == pytest.approx(joint_certainty(1 / 600, [5, 5], alone=True))
    assert stated > joint_certainty(1 / 600, [5, 5])


def test_a_shown_secret_value_is_right_as_often_as_is_said() -> None:
    """Persons of 1 to 40 rows, 20 releases: rows within 4 standard errors (a false alarm once in 15,000 runs)."""
    table = visits(persons=4000)
    plan = plan_for(table, [["finding"]], 3, person="id")
    found = certainties(prepare(table, plan), plan)
    prepared = prepare(table, plan)
    true = prepared.table["finding"].codes
    right = np.array([(true[show_rows(prepared, plan.blocks[0], Seeded(seed))] == true).mean() for seed in range(20)])
    # Average over all shown values: each value by how many rows have it.
    assert abs(right.mean() - found.average) < 4 * right.std() / np.sqrt(20) + 0.004


def test_combinations_and_histories_equal_a_recount_by_persons() -> None:
    table = visits(most=6)
    codes = np.random.default_rng(1).integers(0, 40, table.n)
    table = Table((*table.columns, coded("drug", codes)))
    plan = plan_for(table, [["finding", "drug"]], person="id")
    prepared, frame = prepare(table, plan), _frame(table)
    pair = frame["finding"] + frame["drug"]
    persons = pair.map(frame["id"].groupby(pair).nunique())
    assert unique_combinations(prepared, plan.blocks[0]) == pytest.approx(
        frame["id"][persons == 1].nunique() / frame["id"].nunique()
    )
    block = Block(("finding",), Lenders(5))
    history = frame.groupby("id")["finding"].agg(lambda each: tuple(sorted(each)))
    alone = history.map(history.value_counts()) == 1
    assert unique_histories(prepared, block) == pytest.approx(alone[history.map(len) > 1].mean())


def test_a_class_of_one_value_is_told() -> None:
    place = np.repeat([0, 1], 100)
    table = Table((coded("place", place), coded("dx", np.where(place == 1, 4, np.arange(200) % 4))))
    plan = plan_for(table, [["dx"]], classes=["place"])
    assert certainties(prepare(table, plan), plan).riskiest == 1
    (line,) = (each for each in verdict(prepare(table, plan), plan).lines if each.name == "riskiest-group")
    assert line.state == RED
    assert line.sentence.startswith("In one group everybody has the same secret value")
    assert set(run(table, plan, randomness=Seeded(1)).table["dx"].labels) >= {"v004"}


def test_several_releases_promise_less() -> None:
    """Law 6: at gamma 5 what two releases show of a share of .001, .01, .05 is right in .98, .87, .66."""
    for share, joint in ((0.001, 0.98), (0.01, 0.87), (0.05, 0.66)):
        assert joint_certainty(share, [5, 5]) == pytest.approx(joint, abs=0.006)
        assert joint_certainty(share, [5]) == pytest.approx(share + (1 - share) / 5)
        assert joint_certainty(share, [5, 10]) < joint_certainty(share, [5, 5])
    assert joint_certainty(0.5, [1, 5]) == 1


@pytest.mark.parametrize(("gamma", "told"), [(2, 0.667), (3, 0.429), (5, 0.238)])
def test_a_value_that_nobody_else_shows_is_surer_than_law_2_says_on_average(gamma: float, told: float) -> None:
    """Of 600 different values: all are right in 1/gamma, who alone shows one in more, in two releases in most."""
    values, draw = np.arange(600, dtype=np.int32), Lenders(gamma)
    counts = np.zeros((3, 2))
    for seed in range(300):
        rows, alone = [], []
        for more in (0, 1):
            lender = draw.choose_lenders(values, 0 * values, 0 * values + 1, Seeded(2 * seed + more))
            rows.append(np.where(lender < 0, values, lender))
            alone.append(np.bincount(rows[-1], minlength=600)[rows[-1]] == 1)
        for at, of in enumerate((values >= 0, alone[0], (rows[0] == rows[1]) & alone[0] & alone[1])):
            counts[at] += (rows[0] == values)[of].sum(), of.sum()
    stated = 1 / gamma, joint_certainty(1 / 600, [gamma], alone=True), joint_certainty(1 / 600, [gamma] * 2, alone=True)
    assert stated[1] == pytest.approx(told, abs=0.003)
    assert stated[2] > joint_certainty(1 / 600, [gamma] * 2)
    for (right, of), share in zip(counts, stated, strict=True):
        assert right / of == pytest.approx(share, abs=0.003 + 4 * np.sqrt(share * (1 - share) / of))


@pytest.mark.parametrize("together", [False, True])
def test_no_value_seen_twice_is_surer_than_two_releases_say(together: bool) -> None:
    """A rare value is: of the commonest, two releases would say .58, and what a block shows together is rarer still."""
    rng = np.random.default_rng(5)
    dx = rng.choice(5, 2000, p=[0.55, 0.3, 0.12, 0.02, 0.01])
    table = Table((coded("sex", rng.integers(0, 2, 2000)), coded("dx", dx), coded("test", rng.integers(0, 6, 2000))))
    plan = plan_for(table, [["dx", "test"]] if together else [["dx"], ["test"]], classes=["sex"])
    prepared, block = prepare(table, plan), plan.blocks[0]
    stated = surest_jointly(prepared, plan, certainties(prepared, plan).riskiest_share, [5, 5])
    true = block_codes(table, block.columns)
    both, right = np.zeros((2, int(true.max()) + 1))
    for seed in range(200):
        one, two = (true[show_rows(prepared, block, Seeded(2 * seed + more))] for more in (0, 1))
        both += np.bincount(one[one == two], minlength=len(both))
        right += np.bincount(one[(one == two) & (one == true)], minlength=len(both))
    assert stated < 1
    for seen, found in zip(both[both >= 30], right[both >= 30], strict=True):
        assert found / seen < stated + 3 * np.sqrt(stated * (1 - stated) / seen)
    assert stated > (right / np.maximum(both, 1))[both >= 30].max() - 0.05


def test_all_rows_of_a_person_seen_twice_are_no_surer_than_two_releases_say() -> None:
    """Three rows of five values each: a row by itself says .56, all three in their order are right in .89."""
    rng = np.random.default_rng(6)
    table = Table((coded("id", np.repeat(np.arange(400), 3)), coded("dx", rng.integers(0, 5, 1200))))
    plan = plan_for(table, [["dx"]], person="id")
    prepared, (block,) = prepare(table, plan), plan.blocks
    true, seen = prepared.table["dx"].codes, []
    stated = surest_jointly(prepared, plan, certainties(prepared, plan).riskiest_share, [5, 5])
    for seed in range(200):
        one, two = (true[show_rows(prepared, block, Seeded(2 * seed + more))].reshape(-1, 3) for more in (0, 1))
        seen.append((one == true.reshape(-1, 3)).all(axis=1)[(one == two).all(axis=1)])
    right = np.concatenate(seen)
    assert right.mean() > 0.85
    assert right.mean() < stated < 0.96


def test_a_person_whose_rows_are_drawn_by_themselves_is_no_surer_than_is_told() -> None:
    """One value in six rows is drawn six times: who shows it in four has it in .81, where a row says .36."""
    rng, owner = np.random.default_rng(7), np.repeat(np.arange(500), 6)
    table = Table((coded("id", owner), coded("dx", rng.integers(0, 5, 500)[owner])))
    plan = replace(plan_for(table, [["dx"]]), persons=ByPerson("id", way="record", reason="The contract says so"))
    found = verdict(table, plan).figures
    prepared, (block,) = prepare(table, plan), plan.blocks
    true, right = prepared.table["dx"].codes, []
    for seed in range(10):
        shown = true[show_rows(prepared, block, Seeded(seed))]
        times = np.bincount(owner * 5 + shown, minlength=2_500).reshape(-1, 5)
        right.append((times.argmax(axis=1) == true[::6])[times.max(axis=1) >= 4])
    assert found.certainty.riskiest < 0.4
    assert 0.75 < np.concatenate(right).mean() < found.person
    (line,) = (each for each in verdict(table, plan).lines if each.name == "riskiest-group")
    assert "a person’s" in line.sentence


def test_a_person_number_lets_all_rows_of_a_person_stand_out_together() -> None:
    table = visits(most=6)
    plan = plan_for(table, [["finding"]], person="id")
    numbered = replace(plan, persons=ByPerson("id", number=True))
    frame = _frame(table)
    rows = frame["sex"] + frame["age"] + frame["ward"]
    course = rows.groupby(frame["id"]).agg(lambda each: tuple(sorted(each)))
    found = alike(prepare(table, numbered), numbered)
    assert found.below(2) == (course.map(course.value_counts()) == 1).sum()
    assert found.below(2) > 3 * alike(prepare(table, plan), plan).below(2)
    (line,) = (each for each in verdict(table, numbered).lines if each.name == "persons-alike")
    assert line.state == RED
    assert "by “person number”" in line.sentence
    assert line.repair is not None
    assert not line.repair.apply(numbered).persons.number


def test_one_rare_value_that_tells_another_keeps_columns_from_being_drawn_apart() -> None:
    """Forty diseases and forty drugs: V is .14, but who shows the one disease and its drug has it in .91."""
    rng = np.random.default_rng(3)
    ill = rng.random(6000) < 0.006
    dx = np.where(ill, 40, rng.integers(0, 40, 6000))
    drug = np.where(ill & (rng.random(6000) < 0.9), 40, rng.integers(0, 40, 6000))
    table = Table((coded("dx", dx), coded("drug", drug)))
    assert find_linked(table, [["dx"], ["drug"]]) is not None
    assert find_linked(table, [["dx", "drug"]]) is None
    for seed in range(10):
        rng = np.random.default_rng(seed)
        one, other = rng.integers(0, 40, (2, 1500))
        assert association(coded("one", one), coded("other", other)) < 0.05
        assert association(coded("one", one % 2), coded("other", (other == 3) * 1)) < 0.1


def test_a_value_that_all_rows_have_hangs_together_with_none() -> None:
    """Labels that no row has any more are rare ones, beside one of all rows; warnings are faults in tests."""
    labels = np.array(["a", "b"], object)
    one = Column.from_codes("one", np.zeros(300, np.int32), labels, np.zeros(2, bool), None, kind=Kind.CATEGORY)
    with np.errstate(all="raise"):
        assert association(one, coded("other", np.arange(300) % 3)) == 0
