"""Columns in which one value nearly fills its groups: not two numbers a, b_s describe them, but the whole matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splu_desktop.core.analyse.analyses import difference
from splu_desktop.core.draw import DecoyGroups, PlainGroups
from splu_desktop.core.query.engine import Engine
from splu_desktop.core.query.reader import Badge, Condition, Method, Reader
from splu_desktop.core.randomness import permutation
from splu_desktop.core.reconstruct.whole_matrix import MatrixPart, numbers_of, several_sas
from splu_desktop.core.table import Kind, Table
from splu_desktop.core.transition.matrix import Independent, MatrixTransition, strays
from tests.core.published_tables import dependent_table, release, table_of
from tests.core.random_designs import of_seed
from tests.core.tables import assign
from tests.seeded import Seeded

RELEASES = 8


def tight_table(shares: list[float], n: int, seed: int = 3) -> Table:
    """Return a table whose SA "s" goes strongly with its NSAs and has values of these shares, v0 the first."""
    chance = np.random.default_rng(seed)
    level = chance.normal(size=n)
    area = np.digitize(level + chance.normal(size=n) * 0.6, [-1.2, -0.4, 0.4, 1.2])
    ward = np.digitize(0.5 * level + chance.normal(size=n), [-1, -0.3, 0.2, 0.9])
    order = np.argsort(np.argsort(level + chance.normal(size=n)))
    value = np.searchsorted(np.round(np.cumsum(shares) * n), order, side="right").clip(max=len(shares) - 1)
    other = (value + chance.integers(0, 5, n)) % 6
    return table_of(
        {"area": area, "ward": ward, "s": np.char.add("v", value.astype(str)), "t": other}, {"t": Kind.INTEGER}
    )


def questions_of(table: Table, least: int) -> tuple[list[tuple[Condition, ...]], np.ndarray]:
    """Return all questions of one or two NSA values and one value of s that at least `least` records meet."""
    area, ward, s = table["area"], table["ward"], table["s"]
    counts = np.zeros((area.m, ward.m, s.m), int)
    np.add.at(counts, (area.codes, ward.codes, s.codes), 1)
    asked, truth = [], []
    for flat, of in ((counts, (0, 1)), (counts.sum(axis=1), (0,)), (counts.sum(axis=0), (1,))):
        for at in np.argwhere(flat >= least):
            columns = [(area, ward)[k] for k in of]
            picked = [Condition(c.name, (str(c.labels[k]),)) for c, k in zip(columns, at[:-1], strict=True)]
            asked.append((*picked, Condition("s", (str(s.labels[at[-1]]),))))
            truth.append(int(flat[tuple(at)]))
    return asked, np.array(truth)


@pytest.mark.parametrize(
    ("shares", "gamma"),
    [
        ([0.48, 0.3, 0.2, 0.02], 2),
        ([0.315, 0.3, 0.25, 0.1, 0.035], 3),
        ([0.35, 0.33, 0.19, 0.08, 0.05], 2),
        ([0.4, 0.36, 0.2, 0.04], 2),
    ],
)
def test_intervals_of_a_tight_column_cover_and_reliable_answers_are(shares: list[float], gamma: int) -> None:
    """Two numbers a, b_s alone covered 72 and 88 % here, and kept 65 and 80 % of what "reliable" promised."""
    table = tight_table(shares, 12_000)
    asked, truth = questions_of(table, 60)
    covered, kept, claimed = [], 0, 0
    for seed in range(RELEASES):
        answers = Reader(release(table, {"s": gamma}, seed)).answers(asked)
        covered.append(np.mean([a.low <= x <= a.high for a, x in zip(answers, truth, strict=True)]))
        for answer, true in zip(answers, truth, strict=True):
            if answer.badge is Badge.RELIABLE and answer.relative is not None:
                claimed += 1
                kept += abs(answer.estimate - true) <= np.ceil(100 * answer.relative) / 100 * answer.estimate
    # Each release's share strays by some 0.04, the mean of eight by 0.015: a right program fails 1 time in 500.
    assert np.mean(covered) > 0.905
    assert kept >= 0.81 * claimed  # few are left that dare to promise anything; 24 promises stray by 5 %


def test_where_two_numbers_lean_little_but_leave_out_variance_the_whole_matrix_answers() -> None:
    """Three values fill their groups to 93 %: two numbers state 0.6 of the rarer ones' standard deviation.

    Eight seeds; the median of some 100 intervals lies within 0.02, a wrong one lies at 0.6.
    """
    table = tight_table([*[0.1867] * 3, 0.0537, 0.0588, 0.0283, 0.0787, 0.0298, 0.0353, 0.0607, 0.0457, 0.0487], 6_000)
    area, s, stated = table["area"], table["s"], []
    for seed in range(8):
        reader = Reader(release(table, {"s": 5}, seed))
        through = reader.engine.whole("s")
        assert through is not None
        asked = [(at, value) for at in range(area.m) for value in range(3, s.m)]
        answers = reader.answers(
            [
                (Condition("area", (str(area.labels[at]),)), Condition("s", (str(s.labels[value]),)))
                for at, value in asked
            ],
            Method.UNBIASED,
        )
        for answer, (at, value) in zip(answers, asked, strict=True):
            if answer.low > 0:  # else an end is where no count can be
                true, weight = np.bincount(s.codes[area.codes == at], minlength=s.m), through.inverse[:, value]
                exact = np.sqrt(true @ (through.matrix @ weight**2 - (through.matrix @ weight) ** 2))
                stated.append((answer.high - answer.low) / (2 * 1.96 * exact))
    assert 0.85 < np.median(stated) < 1.3, (np.median(stated), len(stated))


def test_what_a_release_can_not_tell_apart_is_a_range_that_holds_the_truth() -> None:
    """A value in every group: how many of P have it is hidden, and the others' counts with it, but not wholly."""
    table = tight_table([0.5, 0.3, 0.15, 0.05], 6_000)
    asked, truth = questions_of(table, 1)
    for seed in range(3):
        answers = Reader(release(table, {"s": 2}, seed)).answers(asked)
        held = np.mean([a.low <= x <= a.high for a, x in zip(answers, truth, strict=True)])
        assert held > 0.95  # near all of them by far more than 1.96 standard deviations
        assert all(0 <= a.low <= a.estimate <= a.high <= a.n_p for a in answers)
        rare = [a for a in answers if a.conditions[-1].values == ("v3",)]
        # Were everything possible, each would reach from none to all selected records.
        assert np.mean([(a.high - a.low) / a.n_p for a in rare]) < 0.5


def test_what_a_release_hides_of_one_value_is_left_out_of_no_others_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """At gamma 3, one value fills 31.5 %: among a quarter of the records it is half as often again, or half as often.

    1,000 draws by the rows of T. Two numbers a, b_s take the others as they are in the whole table: 79 to 87 % held.
    """
    engine = Engine(release(tight_table([0.315, 0.22, 0.16, 0.155, 0.09, 0.06], 6_500), {"s": 3}, 0))
    through = engine.matrix("s")
    assert len(through.hidden)
    asked = [(row, flags) for row in range(1_000) for flags in np.eye(6, dtype=bool)]
    for often in (0.5, 1.5):
        true = through.counts / 4
        true[0] *= often
        true[1:] *= (through.n / 4 - true[0]) / true[1:].sum()
        chance, true = np.random.default_rng(7), np.round(true).astype(int)
        y = sum(chance.multinomial(count, row, 1_000) for count, row in zip(true, through.matrix, strict=True))
        drawn = iter(np.asarray(y, float))
        monkeypatch.setattr(engine, "counted", lambda base, picked, drawn=drawn: next(drawn))
        found = engine.one_sa("s", [()] * 1_000, asked, Method.UNBIASED)
        held = [one.low <= x <= one.high for one, x in zip(found, np.tile(true, 1_000), strict=True)]
        assert np.reshape(held, (1_000, 6)).mean(axis=0).min() > 0.93


def test_at_the_edge_of_what_is_possible_a_range_misses_as_often_as_an_interval() -> None:
    """None of the selected has v0, so the others' counts are the largest that the release leaves possible.

    2,000 draws by the rows of T: of a right end 2.5 % miss, to within 0.35 %. Centre and edge were taken to stray the
    same way, and 0.9 % missed: intervals of columns with tolerances held 98.9 and 99.4 % of all counts.
    """
    engine = Engine(release(tight_table([0.5, 0.3, 0.15, 0.05], 6_000), {"s": 2}, 0))
    through, chance, true = engine.matrix("s"), np.random.default_rng(5), np.array([0, 900, 400, 200])
    y = sum(chance.multinomial(count, row, 2_000) for count, row in zip(true, through.matrix, strict=True))
    _, low, high, _ = numbers_of(np.asarray(y, float), None, through, Method.UNBIASED).reshape(4, -1, 4)
    missed = (high < true).mean(axis=0)
    assert (low <= true).all()
    assert (missed[1:] > 0.014).all(), missed
    assert (missed[1:] < 0.04).all(), missed


def test_intervals_hold_whatever_differs_in_several_hidden_directions_alone() -> None:
    """Of five directions design 307 tells nothing, and counts of v5 lie a little in what they hide.

    2,000 draws by the rows of T, of records that are as far out in these directions as can be: with ends about the
    estimate alone, 65 % of the intervals at the lower edge held the count.
    """
    sa, limits, fakes = of_seed(307)
    through = DecoyGroups.designed(sa, limits, fakes=fakes).transition(sa.counts().astype(float), sa.labels)
    through = MatrixTransition.of(through.counts, replace(through.groups, stated=False))  # as told by 3 / sqrt(N)
    assert len(through.hidden) > 1
    assert through.readable[5]
    even, way = through.counts / 3, through.hidden[:, 5] @ through.hidden
    for sign in (-1, 1):
        true = np.floor(even + sign * (even / np.abs(way)).min() * way).astype(int)
        chance = np.random.default_rng(7)
        y = sum(chance.multinomial(count, row, 2_000) for count, row in zip(true, through.matrix, strict=True))
        _, low, high, _ = numbers_of(np.asarray(y, float), None, through, Method.UNBIASED).reshape(4, -1, 8)[:, :, 5]
        assert ((low <= true[5]) & (true[5] <= high)).mean() > 0.93


def test_eigenvalues_stray_as_their_derivatives_say() -> None:
    """Published counts drawn 80 times: sizes of deviations stray by 8 %, the law is that of many records.

    1 / sqrt(N) was taken for all: up to eight times as much, and directions that a release tells were hidden.
    """
    tight = tight_table([0.315, 0.22, 0.16, 0.155, 0.09, 0.06], 6_500)["s"]
    sa, limits, fakes = of_seed(55)
    for draw, column in ((PlainGroups(3), tight), (DecoyGroups.designed(sa, limits, fakes=fakes), sa)):
        through = draw.transition(column.counts().astype(float), column.labels)
        counts, root = through.counts, np.sqrt(through.counts)
        spread, chance, seen = counts[:, None] * (np.eye(column.m) - through.matrix), np.random.default_rng(1), []
        for drawn in chance.multivariate_normal(counts, (spread + spread.T) / 2, 80, check_valid="ignore"):
            there = draw.transition(np.maximum(np.round(drawn), 1), column.labels)
            known = np.sqrt(there.counts)
            seen.append(np.linalg.eigvalsh(known[:, None] * there.matrix / known)[:3])
        vectors = np.linalg.eigh(root[:, None] * through.matrix / root)[1][:, :3]
        ratio = strays(through.groups, counts, vectors / root[:, None]) / np.std(seen, axis=0)
        assert ((ratio > 0.75) & (ratio < 1.5)).all(), ratio


def test_directions_are_told_where_their_eigenvalues_are_known_and_one_alone_where_it_says_more() -> None:
    """Of design 55 two or three directions were hidden in every release, and two thirds of the answers were "all that
    is possible"; of 214 and 5 "no value has less than no record" says as much as the one small eigenvalue, or more.
    """
    for seed, sharper in ((55, 0.7), (214, 1.0), (5, 1.0)):
        sa, limits, fakes = of_seed(seed)
        through = DecoyGroups.designed(sa, limits, fakes=fakes).transition(sa.counts().astype(float), sa.labels)
        cautious = MatrixTransition.of(through.counts, replace(through.groups, stated=False))
        assert len(cautious.hidden) > (seed == 55)
        assert (len(through.hidden) < len(cautious.hidden)) == (seed == 55)
        y = np.outer([0.1, 0.25, 0.4], through.counts) @ through.matrix
        found, hidden = (numbers_of(y, None, each, Method.UNBIASED) for each in (through, cautious))
        wide, most = found[2] - found[1], hidden[2] - hidden[1]
        assert wide.sum() < (sharper + 1e-6) * most.sum()


def test_a_variance_takes_the_eigenvalues_that_were_found() -> None:
    """Two of design 6's lie just above what can be told: that they are found, not known, widened it by a fifth."""
    sa, limits, fakes = of_seed(6)
    through = DecoyGroups.designed(sa, limits, fakes=fakes).transition(sa.counts().astype(float), sa.labels)
    alone = MatrixTransition.of(through.counts, Independent(through.matrix))  # T stands, so nothing else strays
    few = np.eye(sa.m)
    exact = alone.matrix @ alone.inverse**2 - (alone.matrix @ alone.inverse) ** 2
    assert alone.variance(few)[:, alone.readable] == pytest.approx(exact[:, alone.readable], rel=0.01)


def test_counts_that_no_groups_explain_stay_unbiased_for_the_whole_table() -> None:
    """A value in every group is published more often than groups can hold it in half the releases."""
    table = tight_table([0.5, 0.3, 0.15, 0.05], 6_000)
    held, over = [], 0
    for seed in range(10):
        published = release(table, {"s": 2}, seed)
        reader = Reader(published)
        over += int(published.table["s"].counts()[0] > 3_000)
        for value, true in (("v1", 1_800), ("v2", 900), ("v3", 300)):
            answer = reader.answer([Condition("s", (value,))])
            assert answer.estimate == pytest.approx(answer.published, abs=0.01)
            held.append(answer.low <= true <= answer.high)
    assert over >= 2
    assert np.mean(held) > 0.8  # 30 intervals, three a release: a right program misses six of them 1 time in 500


def test_pairs_with_a_tight_column_cover() -> None:
    table = tight_table([0.48, 0.3, 0.2, 0.02], 12_000)
    t, s, area = table["t"], table["s"], table["area"]
    asked, truth = [], []
    for u in range(t.m):
        for v in range(s.m):
            for z in range(area.m):
                asked.append(tuple(Condition(c.name, (str(c.labels[k]),)) for c, k in ((area, z), (s, v), (t, u))))
                truth.append(int(((t.codes == u) & (s.codes == v) & (area.codes == z)).sum()))
    held = []
    for seed in range(4):
        answers = Reader(release(table, {"s": 2, "t": 4}, seed)).answers(asked)
        held.append(np.mean([a.low <= x <= a.high for a, x in zip(answers, truth, strict=True)]))
    assert np.mean(held) > 0.9  # 480 answers about 120 questions: 3.5 standard deviations below 95 %


def test_other_columns_are_answered_by_two_numbers() -> None:
    engine = Engine(release(dependent_table(), {"disease": 3, "ward": 2}))
    assert not engine.tight("disease")
    assert not engine.tight("ward")


def test_a_value_at_a_third_widens_intervals_already() -> None:
    """35 % at gamma 2: two numbers alone were up to 1.3 times too sure of variances, and covered 91 %."""
    table = tight_table([0.35, 0.3, 0.2, 0.15], 12_000)
    assert Engine(release(table, {"s": 2})).tight("s")


def test_an_estimate_beyond_every_possible_count_does_not_make_the_largest_one_sure() -> None:
    """50 records that weigh 900 each: 45,000 +- 12,500 of 40 at most was "40, reliable to 1 %"."""
    state = np.array([[0.9, 0.1], [0.5, 0.5]])
    parts, weights = [MatrixPart(state, (20.0, 40.0))] * 2, (50 * 900.0, 50 * 900.0**2)
    estimate, low, high, _ = several_sas(
        parts, weights, True, np.array([10.0, 15, 15, 10]), np.full(4, 100.0), Method.POOLED
    )
    assert (low, high) == (0, 40)
    assert 0 <= estimate <= 40


def test_a_frequent_value_is_as_uncertain_however_many_rare_ones_stand_beside_it() -> None:
    """Values that nearly nobody has may be one or a hundred: what is said of the frequent one hardly changes.

    Nothing is drawn here. Among 12,000 records with nearly all bearers a standard deviation of 91 was said beyond 48
    values, of 99 with fewer.
    """
    n, said = 12_000, {}
    for rare in (30, 120):
        counts = np.r_[0.31 * n, np.full(10, 0.05 * n), np.full(rare, 0.19 * n / rare)]
        through = PlainGroups(2).transition(counts, np.array([f"{at:03}" for at in range(len(counts))], object))
        nearly_all = np.r_[0.97, np.full(len(counts) - 1, 0.5)] * counts
        said[rare] = float(np.sqrt(through.variance(nearly_all[None, :])[0, 0]))
    assert said[120] == pytest.approx(said[30], rel=0.01)


def test_how_often_values_share_groups_of_two_varies_as_said() -> None:
    """Sums that 400 partitions of the same records give on average over their draws, for all records of some values.

    A variance of 400 has a standard error of 7 %: 28 % off is one in 3,000 for each of four values. Left out, as it
    was, intervals of selections that nearly all have the frequent value were up to a fifth too narrow.
    """
    share = np.append(0.45, np.full(19, 0.55 / 19))
    column = table_of({"s": np.repeat(np.arange(20), np.round(share * 3_800).astype(int))})["s"]
    shares, functions = np.zeros((1, 20)), np.eye(20)[:, :4]
    shares[0, [0, 5, 6, 7]] = 1.0
    shares = shares[:, column.labels.astype(int)]
    found = []
    for seed in range(400):
        _, values = assign(column, permutation(Seeded(seed), column.n), 2)
        found.append((shares[0][values].sum(axis=0)[:, None] * functions[values].mean(axis=0)).sum(axis=0))
    groups = PlainGroups(2).transition(column.counts().astype(float), column.labels).groups
    said = groups.pairing(shares, functions)[0]
    assert np.var(found, axis=0, ddof=1) == pytest.approx(said, rel=0.28)


def test_sets_of_two_numbers_do_not_lean_with_who_is_selected() -> None:
    """One value has 23 % in groups of two; in a quarter of the records some value stands half as often again.

    By the rows of the true T, nothing drawn, counts of all values but one were .3 to 1.4 standard errors off. Then 150
    releases of 333 records, of which a selection has a frequent value: a mean error of 4 of its standard errors comes
    once in 16,000 programs that are right. It was 8 of them.
    """
    counts = np.r_[391.0, np.round(np.geomspace(300, 2, 20))]
    through = PlainGroups(2).two_numbers(counts)
    assert through.matrix is not None
    for but in (0, 1, 10, 20):
        chosen = np.arange(21) != but
        weights = through.weights(chosen)
        mean = through.matrix @ weights
        error = np.sqrt(counts @ np.maximum(through.matrix @ weights**2 - mean**2, 0.0) / 4)
        gap = counts / 8 * (mean - chosen - counts @ (mean - chosen) / counts.sum())
        assert (np.abs(gap) < 0.15 * error).all(), np.abs(gap / error).max()
    often = [70, 50, 50, 38, 25, 20, 18, 17, 12, 12, 9, 6, 3, 3]
    young = [62, 46, 43, 24, 14, 9, 4, 1, 1, 1, 0, 0, 0, 0]
    value = np.repeat([f"{at:02}" for at in range(14)], often)
    of = np.concatenate([np.repeat(["y", "o"], [n, all_ - n]) for n, all_ in zip(young, often, strict=True)])
    table = table_of({"age": of, "s": value})
    few = Condition("s", tuple(f"{at:02}" for at in range(3, 14)))
    errors = []
    for seed in range(150):
        reader = Reader(release(table, {"s": 3}, seed))
        present = tuple(one for one in few.values if one in reader.published.table["s"].labels)
        asked = [Condition("age", ("y",)), Condition("s", present)]
        errors.append(reader.answer(asked, Method.UNBIASED).estimate - sum(young[3:]))
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(150)


def test_single_values_do_not_lean_with_who_is_selected() -> None:
    """One value has 30 % in groups of two and stands among some records twice as often: by two numbers all others were
    told up to 1.7 standard deviations too high there, and 83 % of differences held.

    40 releases: a mean error of 4 of its standard errors comes once in 16,000 programs that are right; it was 9. Of 240
    differences of six values, a right program holds less than 90 % 1 time in 1,000.
    """
    chance = np.random.default_rng(1)
    rare = np.geomspace(1, 0.02, 59)
    value = chance.choice(60, 3_400, p=np.r_[0.3, 0.7 * rare / rare.sum()])
    of = np.where(chance.random(3_400) < np.where(value == 0, 0.7, 0.15), "y", "o")
    table = table_of({"of": of, "s": np.char.zfill(value.astype(str), 2)})
    counts = {side: np.bincount(value[of == side], minlength=60) for side in ("y", "o")}
    errors, held = [], []
    for seed in range(40):
        reader = Reader(release(table, {"s": 2}, seed))
        one = reader.answer([Condition("of", ("y",)), Condition("s", ("01",))], Method.UNBIASED)
        errors.append(one.estimate - counts["y"][1])
        for at in range(1, 7):
            sides = [(Condition("of", (side,)), Condition("s", (f"{at:02}",))) for side in ("y", "o")]
            found = difference(reader, *sides)
            true = counts["y"][at] / counts["y"].sum() - counts["o"][at] / counts["o"].sum()
            held.append(found.low <= true <= found.high)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(40)
    assert np.mean(held) > 0.9
