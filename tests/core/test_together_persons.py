"""Columns drawn together by person: exact chances whatever the number of records, honest answers, and the attacks."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.checks.selfcheck import check_release
from splu_desktop.core.draw import Draw, Together, TogetherPerPerson, draw_from
from splu_desktop.core.draw.by_person import ByPerson, Effects, counts_of_many, persons, sure_if_kept
from splu_desktop.core.draw.combined_groups import stacked
from splu_desktop.core.draw.together import planned
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees.several_releases import t_p_of_all
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.core.thresholds import Thresholds
from tests.seeded import Seeded

GAMMA = 4
FLAGS = tuple(f"flag {at}" for at in range(6))


@pytest.fixture(scope="module")
def table() -> Table:
    """Persons with 1 to 40 records; most flags stay, who comes again has more of them, and wards go by them."""
    chance = np.random.default_rng(3)
    times = np.minimum(chance.geometric(0.6, 2_500), 40)
    times[:3] = 40, 25, 15
    who = np.repeat(np.arange(2_500), times)
    ill = chance.gamma(1.5, 1, 2_500) * (1 + 0.5 * (times > 1))
    ward, found = chance.integers(0, 3, len(who)), []
    for at, name in enumerate(FLAGS):
        share = np.clip(0.03 * (at + 1) * ill / 2, 0, 0.9)
        stays, now = chance.random(2_500) < share, chance.random(len(who)) < share[who]
        has = np.where(chance.random(len(who)) < 0.85, stays[who], now)
        ward = np.where(has & (chance.random(len(who)) < 0.3), at % 3, ward)
        found.append(Column.from_labels(name, np.where(has, "yes", "no").tolist()))
    return Table(
        (
            Column.from_labels("patient", [f"P{x}" for x in who]),
            Column.from_labels("ward", [f"w{x}" for x in ward]),
            Column.from_labels("again", ["yes" if times[x] > 1 else "no" for x in who]),
            *found,
        )
    )


def plan_of(table: Table, columns: tuple[str, ...] = FLAGS) -> Plan:
    roles = {name: Role.SA if name in columns else Role.DROPPED for name in table.names}
    roles |= {"patient": Role.IDENTIFIER, "ward": Role.NSA, "again": Role.NSA}
    draws: dict[str, Draw] = dict(planned(table, columns, GAMMA))
    return Plan(roles, draws, persons=ByPerson("patient", "draw"))


def drawn(table: Table, seed: int) -> NDArray[np.int64]:
    ((block, draw),) = plan_of(table).blocks.items()
    return stacked(draw.redraw_block(table, block, Seeded(seed), Silent())).astype(np.int64)


def test_every_record_is_taken_as_often_whatever_number_a_person_has(table: Table) -> None:
    """T is exact by combination and by number of records: 25 draws, 5 standard deviations times the design effect."""
    who, codes = persons(table["patient"]), stacked([table[name] for name in FLAGS]).astype(np.int64)
    mark = codes @ (2 ** np.arange(len(FLAGS)))
    shown = np.stack([drawn(table, seed) @ (2 ** np.arange(len(FLAGS))) for seed in range(25)])
    times = np.bincount(who)[who]
    keep = 1 / GAMMA
    for low, high in ((1, 1), (2, 2), (3, 5), (6, 40)):
        there = (times >= low) & (times <= high)
        for value in np.unique(mark)[np.bincount(mark)[np.unique(mark)] >= 100]:
            chance = keep * (mark[there] == value) + (1 - keep) * (mark == value).mean()
            seen = shown[:, there] == value
            error = (chance * (1 - chance)).sum() * 25 * high
            assert abs(seen.sum() - 25 * chance.sum()) < 5 * error**0.5 + 5


def test_estimates_are_unbiased_and_intervals_hold(table: Table) -> None:
    """10 releases, 66 questions on one flag and on two: 660 intervals, 5 % with the spread of answers that go together.

    A mean error beyond 6 of its standard errors, estimated from ten, has one in 10,000 a question (Student's t).
    """
    plan, asked, true, off, missed = plan_of(table), [], [], [], 0
    cells = ((), *((("again", x),) for x in ("yes", "no")), *((("ward", x),) for x in ("w0", "w1", "w2")))
    for cell, flags in itertools.product(
        cells, [*itertools.combinations(FLAGS[2:], 1), *itertools.combinations(FLAGS, 2)][:11]
    ):
        said = (*cell, *((name, "yes") for name in flags))
        meets: NDArray[np.bool_] = np.ones(table.n, bool)
        for name, value in said:
            meets &= table[name].codes == table[name].code_of(value)
        asked.append(tuple(Condition(name, (value,)) for name, value in said))
        true.append(int(meets.sum()))
    truth = np.array(true)
    for seed in range(10):
        published = sanitise.run(table, plan, randomness=Seeded(seed))
        answers = Reader(published).answers(asked, Method.UNBIASED)
        off.append([answer.estimate for answer in answers] - truth)
        missed += sum(not one.low <= x <= one.high for one, x in zip(answers, truth, strict=True))
    error = np.std(off, axis=0, ddof=1) / 10**0.5
    assert (np.abs(np.mean(off, axis=0)) < 6 * error + 0.5).all()
    assert missed <= 62
    assert all(check.passed for check in check_release(table, plan, published))


def test_all_rows_of_a_person_tell_little_more_than_one(table: Table) -> None:
    """The attack: all rows of a person are known as the person's; do they agree like those of one person?

    By the number of different values in them, and by how many rare values stand in all of them.
    """
    ((block, draw),) = plan_of(table).blocks.items()
    sure, kept = draw.sure_of_person(table, block[0])
    assert kept == 1 / GAMMA
    assert sure < 1.15 * kept
    who, before = persons(table["patient"]), [table[name] for name in block]
    times = np.bincount(who)

    def lasting(columns: list[Column]) -> Column:
        in_all = [np.bincount(who, column.codes == column.code_of("yes")) == times for column in columns]
        return Column.from_labels("", np.sum(in_all, axis=0)[who].astype(str).tolist())

    after = draw.redraw_block(table, block, Seeded(2), Silent())
    several = np.flatnonzero((times > 1)[who])
    seen = [lasting(list(part)).take(several) for part in (before, after)]
    own = np.unique(who[several], return_index=True)[1]
    key = [
        np.minimum(times[who[several]][own], 4) * 10 + np.array([int(x) for x in one.labels[one.codes]])[own]
        for one in seen
    ]
    truly, shown = (np.bincount(each, minlength=60) for each in key)
    told = float((truly * np.minimum(truly * kept / np.maximum(shown, 1), 1)).sum() / truly.sum())
    assert told < 1.15 * kept
    # Rows of anyone at random would tell: this is what the attack looks like where it works.
    loose = [column.take(np.random.default_rng(1).permutation(table.n)) for column in before]
    mixed = [
        b.with_codes(np.where((np.arange(len(times)) % GAMMA == 0)[who], b.codes, a.codes))
        for b, a in zip(before, loose, strict=True)
    ]
    assert sure_if_kept(before, mixed, who, GAMMA) > 1.3 * kept


def test_who_knows_other_values_is_as_sure_as_was_said(table: Table) -> None:
    """The attack: find the row, compare the values known, read the rest. 30 releases, five standard deviations."""
    ((block, draw),) = plan_of(table).blocks.items()
    assert isinstance(draw, TogetherPerPerson)
    said = {each.column: each for each in draw.recognised(table)}
    codes = stacked([table[name] for name in block])
    right, shown, draws = np.zeros(len(block)), np.zeros(len(block)), 30
    for seed in range(draws):
        now = drawn(table, seed)
        for at, name in enumerate(block):
            others = [other for other in range(len(block)) if other != at]
            agrees = (now[:, others] == codes[:, others]).all(axis=1) & (now[:, at] == table[name].code_of("yes"))
            shown[at] += agrees.sum()
            right[at] += (agrees & (codes[:, at] == now[:, at])).sum()
    effect = draw.effects(table, persons(table["patient"]), block[0], ()).whole
    for at, name in enumerate(block):
        chance = said[name].certainty
        spread = 5 * (chance * (1 - chance) / shown[at] * effect) ** 0.5 + 0.01
        assert abs(right[at] / shown[at] - chance) < spread
        held = int((table[name].codes == table[name].code_of("yes")).sum())
        assert right[at] / draws / held == pytest.approx(
            said[name].learnt, abs=5 * (0.25 * effect / draws / held) ** 0.5
        )


def test_all_other_records_known_names_a_sole_bearer_as_often_as_said(table: Table) -> None:
    """A value that one record has is shown somewhere in so many releases: 400 draws, five standard deviations."""
    once = np.zeros(table.n, np.int64)
    once[0] = 1
    rare = Column.from_labels(FLAGS[0], np.where(once, "yes", "no").tolist())
    small = Table((table["patient"], table["ward"], table["again"], rare, table[FLAGS[1]])).take(np.arange(600))
    plan = plan_of(small, FLAGS[:2])
    draw = plan.draws[FLAGS[0]].learned(small, FLAGS[0], Thresholds())
    ((block, whole),) = plan.blocks.items()
    seen = 0
    for seed in range(400):
        now = whole.redraw_block(small, block, Seeded(seed), Silent())[0]
        seen += bool((now.codes == now.code_of("yes")).any())
    assert seen / 400 <= draw.insider + 5 * (0.25 / 400) ** 0.5


def test_promises_follow_from_shares_and_counts_of_few_persons_are_wrong(table: Table) -> None:
    plan, asked = plan_of(table), Thresholds(epsilon=0.3, alpha=3)
    for name in FLAGS:
        draw = plan.draws[name].learned(table, name, asked)
        often = counts_of_many(table[name], persons(table["patient"]))
        assert np.abs(often - table[name].counts()).max() < 0.005 * table.n, "nobody's records beyond the tenth one's"
        for at, label in enumerate(table[name].labels):
            share = Fraction(int(often[at]), table.n)
            exact = share + (1 - share) / GAMMA
            assert exact <= draw.limit(str(label)) <= exact + Fraction(1, 100) + Fraction(1, 10**9)
        law = draw.count_law(3)
        assert law.sum() == pytest.approx(1)
        assert law @ np.arange(len(law)) == pytest.approx(3)
        assert draw.t_p(asked) > plan.draws[name].by_person("").t_p(asked) > 0.4
        values = [label for promise in draw.promises(asked) for label in promise.values]
        assert sorted(values) == sorted(table[name].labels)
        assert t_p_of_all(draw.by_value() * 2, 0.3, 3) > 0.35, "its law"
        assert t_p_of_all(plan.draws[name].by_value() * 2, 0.3, 3) == 0, "as registered, without the persons' number"


def test_design_effects_of_a_block_are_those_of_its_values(table: Table) -> None:
    """Within a fifth of the squares, which can't be told: of persons with up to ten records, so that none decides."""
    every = persons(table["patient"])
    table = table.take(np.flatnonzero(np.bincount(every)[every] <= 10))
    who = persons(table["patient"])
    for name in FLAGS:
        found = Effects.of_courses(table, who, [name], ("ward",))
        has = table[name].codes == table[name].code_of("yes")
        for label, inside in ((None, has), *((f"w{at}", has & (table["ward"].codes == at)) for at in range(3))):
            said = found.whole if label is None else found.columns["ward"][label]
            squares = np.bincount(who[inside]).astype(np.float64) ** 2
            assert said == pytest.approx(squares.sum() / inside.sum(), rel=0.2), (name, label)


def test_files_hold_it_and_the_way_back(table: Table) -> None:
    plan = plan_of(table)
    assert Plan.from_dict(plan.as_dict()) == plan
    before = plan.draws[FLAGS[0]].by_person("")
    assert isinstance(before, Together)
    assert before == planned(table, FLAGS, GAMMA)[FLAGS[0]]
    published = sanitise.run(table, plan, randomness=Seeded(1))
    for name, draw in published.draws.items():
        assert draw_from(draw.as_dict()) == draw
        assert "patient" not in str(draw.as_dict())
        assert draw.fault(table.n, [str(label) for label in table[name].labels]) is None
    one = dict(plan.draws)
    del one[FLAGS[0]]
    roles = {**plan.roles, FLAGS[0]: Role.NSA}
    with pytest.raises(BadSetting, match="must be sensitive and drawn so"):
        Plan(roles, one, persons=plan.persons)


def test_what_a_column_alone_tells_is_one_figure_in_a_release(table: Table) -> None:
    """What it shows moves by chance, what it promises does not: “at most 41 %” stood beside “at most 40 %”."""
    plan = plan_of(table, FLAGS[:3])
    for seed in range(3):
        published = sanitise.run(table, plan, randomness=Seeded(seed))
        ((block, draw),) = published.blocks.items()
        costs = draw.costs(published.table.select(block), published=True)
        assert "counted in the published rows" in costs[1], "“57 %” stood beside the gate's “58 %”, as one figure"
        told = re.findall(r"with “(flag .)”: .* at most (\d+) %", "\n".join(costs))
        assert dict(told) == {name: str(math.ceil(100 * published.draws[name].limit("yes"))) for name in block}
        (before,) = plan.blocks.values()
        assert sorted(told) == sorted(
            re.findall(r"with “(flag .)”: .* at most (\d+) %", "\n".join(before.costs(table)))
        )
