"""Laws of every system of the register: its estimator, the law of its counts, and what it promises.

Means over publications are compared by z = (mean - expected) / standard error over 96 questions: |z| < 5.5 raises a
false alarm in fewer than 1 of 5,000 runs of each (Student's t, Bonferroni).
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from benchmarks.papers.claims import epsilon_of_part, sharp_epsilon_of_part
from splu_desktop.compare.base.kinds import UnbiasedDraw
from splu_desktop.compare.base.questions import CountingQuestions, most_met
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Impossible, System
from splu_desktop.compare.systems import SYSTEMS, find_systems
from splu_desktop.compare.systems.alpha_beta import AlphaBeta
from splu_desktop.compare.systems.anatomy import Anatomy, FakeValues
from splu_desktop.compare.systems.cell_key import CellKey
from splu_desktop.compare.systems.laplace import Laplace, LaplaceOfParts
from splu_desktop.compare.systems.matrices import DistributionBased, Pram, Retention
from splu_desktop.compare.systems.noisy_margins import NoisyMargins, possible_counts
from splu_desktop.compare.systems.splu import AsPublished, Splu, SpluGen
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import DecoyGroups, Lenders, law
from splu_desktop.core.progress import SILENT
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.report.comparison import MOST_LINES
from tests.compare.tables import column, random_questions, small_questions, small_source

FAR = 5.5
DRAWN = (Splu(3), SpluGen(2), Retention(0.4), Pram(0.7), AlphaBeta(0.4))
NOISY = (Laplace(1.0), LaplaceOfParts(1.0, 3), CellKey(2.0))


def outcomes(system: System, runs: int, n: int = 400, m: int = 8) -> list[Any]:
    chance, source = np.random.default_rng(7), small_source(n, m=m)
    object.__setattr__(source, "sensitivity", 3)  # whatever it is
    return [system.publish(source, chance, SILENT) for _ in range(runs)]


def strayed(estimates: Floats, expected: Floats) -> float:
    """Return the largest |z| of the means."""
    error = estimates.std(axis=0, ddof=1) / math.sqrt(len(estimates))
    return float(np.abs((estimates.mean(axis=0) - expected) / np.maximum(error, 1e-9)).max())


def straight(outcome: Any, questions: CountingQuestions) -> Floats:
    """Return estimates that are neither drawn to a target nor cut."""
    if isinstance(outcome, UnbiasedDraw) and not isinstance(outcome, DistributionBased):
        return questions.pick(outcome.count(questions).estimate)
    return np.asarray(outcome.answer(questions))


@pytest.mark.parametrize("system", [*DRAWN, *NOISY], ids=lambda system: system.name)
def test_counts_are_unbiased(system: System) -> None:
    questions = small_questions(small_source(400, m=8))
    some = outcomes(system, 100)
    assert strayed(np.array([straight(each, questions) for each in some]), questions.truth.astype(float)) < FAR


@pytest.mark.parametrize("system", [*DRAWN[:4], *NOISY, DistributionBased()], ids=lambda system: system.name)
def test_the_law_of_a_count_is_that_of_its_estimates(system: System) -> None:
    source = small_source(400, m=8)
    object.__setattr__(source, "class_columns", ())
    everything = CountingQuestions.from_flags(source, [{}] * source.m, np.arange(source.m))
    chance = np.random.default_rng(3)
    estimates = np.array([straight(system.publish(source, chance, SILENT), everything) for _ in range(200)])
    object.__setattr__(source, "sensitivity", everything.sensitivity)
    at = source.m - 1
    count = int(source.counts[at])
    values, chances = system.count_law(source, count, source.n - count)
    mean = values @ chances
    assert chances.sum() == pytest.approx(1)
    assert estimates[:, at].mean() == pytest.approx(mean, abs=5 * estimates[:, at].std() / math.sqrt(200))
    # Five standard errors of a variance of kurtosis 6.
    assert estimates[:, at].var() == pytest.approx((values - mean) ** 2 @ chances, rel=5 * math.sqrt(5 / 200))


def with_a_rare_value(count: int, n: int = 240) -> TrueTable:
    """A value that `count` of n records have, the first of a column by which any number of first records is asked."""
    rng = np.random.default_rng(2)
    place = np.concatenate([np.arange(count), count + rng.permutation(n - count)])
    return TrueTable((column("a", place),), column("s", np.r_[np.zeros(count, int), 1 + np.arange(n - count) % 8]))


def wrong(answers: Floats, chances: Floats, count: int) -> float:
    return float(chances[np.abs(answers - count) > 0.3 * count + 1e-9].sum())


# Of what stands in rows, each with the numbers of others that its law holds for.
BY_ROWS: tuple[tuple[System, tuple[int, ...]], ...] = (
    (Splu(2.0), (0, 1, 20, 120, 232, 237)),
    (Splu(5.0), (0, 1, 20, 120, 232, 237)),
    (SpluGen(3), (0, 20, 232, 237)),
    (Retention(0.5), (0, 1, 20, 120, 232, 237)),
    (Retention(0.25), (0, 1, 20, 120, 232, 237)),
    (Pram(0.6), (0, 237)),
    (Pram(0.3), (0, 237)),
    (DistributionBased(), (0, 1, 120, 232, 237)),
)


@pytest.mark.parametrize(("system", "others"), BY_ROWS, ids=lambda each: getattr(each, "setting", ""))
@pytest.mark.parametrize("count", [1, 3])
def test_small_counts_are_wrong_in_any_selection_as_often_as_draws_show(
    system: System, others: tuple[int, ...], count: int
) -> None:
    source, draws = with_a_rare_value(count), 100 if isinstance(system, SpluGen) else 400
    sizes = np.minimum(np.array(others), source.n - count)
    first = [{0: np.arange(source.n) < count + each} for each in sizes]
    questions = CountingQuestions.from_flags(source, first, np.zeros(len(first), np.int64))
    chance = np.random.default_rng([count, len(others)])
    drawn = np.array([straight(system.publish(source, chance, SILENT), questions) for _ in range(draws)])
    missed = (np.abs(np.clip(drawn, 0, count + sizes) - count) > 0.3 * count + 1e-9).mean(axis=0)
    expected = [wrong(*system.count_law(source, count, int(each)), count) for each in sizes]
    assert missed == pytest.approx(np.array(expected), abs=5 * 0.5 / math.sqrt(draws))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_small_counts_of_deletion_and_insertion_are_wrong_as_often_as_draws_show(count: int) -> None:
    # Written anew: tuples of the table stay with alpha + beta, others of the domain come with beta.
    source, rng = with_a_rare_value(3, n=30), np.random.default_rng(count)
    system = AlphaBeta(0.3)
    alpha, beta = system.chances(source)
    for others in (0, 5, 27):
        shown = rng.binomial(count, alpha + beta, 20_000) + rng.binomial(others, beta, 20_000)
        found = np.clip((shown - beta * (count + others)) / alpha, 0, count + others)
        expected = wrong(*system.count_law(source, count, others), count)
        assert (np.abs(found - count) > 0.3 * count + 1e-9).mean() == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    "system",
    [
        *(Splu(gamma) for gamma in (1.2, 2.0, 3.0, 5.0, 10.0, 20.0)),
        *(Retention(keep) for keep in (0.999, 0.8, 0.5, 0.3, 0.15)),
        *(SpluGen(3), SpluGen(8), Pram(0.9), Pram(0.4), DistributionBased()),
    ],
    ids=lambda system: f"{system.name} {system.setting}",
)
def test_t_p_is_the_least_over_all_selections_that_hold_a_value(system: System) -> None:
    source = with_a_rare_value(3)
    every = [
        wrong(*system.count_law(source, count, others), count)
        for count in (1, 2, 3)
        for others in range(source.n - count + 1)
    ]
    assert min(every) - 1e-9 <= system.t_p(source, Thresholds()) < min(every) + 0.003


def test_what_keeps_nearly_every_value_hides_no_small_count_and_buckets_none() -> None:
    source = small_source(20_000, m=2)
    assert Pram(0.999).t_p(source, Thresholds()) == pytest.approx(0.001)
    assert wrong(*Pram(0.999).count_law(source, 1, source.n - 1), 1) > 0.9, "as the whole table alone would have it"
    for system in (Anatomy(2), FakeValues(2, 1)):
        assert system.t_p(small_source(600, m=12), Thresholds()) == 0


@pytest.mark.parametrize("gamma", [2, 5, 10])
def test_t_p_and_t_f_of_ours_are_the_mechanisms_in_the_whole_table_and_less_where_rows_are_asked(gamma: int) -> None:
    source, asked = small_source(20_000), Thresholds()
    for system, draw, units in (
        (Splu(gamma), Lenders(gamma), source.n),
        (SpluGen(gamma), DecoyGroups(gamma), None),
    ):
        promised = min(law.error_probability(draw, f, 0.3, units) for f in (1, 2, 3))
        assert min(wrong(*system.count_law(source, f, source.n - f), f) for f in (1, 2, 3)) == pytest.approx(promised)
        assert system.t_p(source, asked) < promised
    # Two or three who alone have a value are taken for so many as soon as one shows it.
    least = {2: 0.5**2, 5: 0.8**3, 10: 0.557}[gamma]
    assert Splu(gamma).t_p(source, asked) == pytest.approx(least, abs=0.003)
    # The bisection looks at some counts, the mechanism at all: a tooth of the saw apart at most.
    assert abs((Splu(gamma).t_f(source, asked) or 0) - law.t_f(Lenders(gamma), 0.3, 0.05)) <= 7


def test_buckets_lean_to_independence_by_their_own_transition() -> None:
    source = small_source(300, m=8)
    questions = small_questions(source)
    some = outcomes(Anatomy(3), 60, 300)
    transition = np.zeros((source.m, source.m))
    for outcome in some:
        held = outcome.counts.toarray()
        transition += held.T @ (held / held.sum(axis=1, keepdims=True)) / source.counts[:, None] / len(some)
    expected = questions.pick(questions.by_value @ transition)
    assert strayed(np.array([each.answer(questions) for each in some]), expected) < FAR


def test_the_papers_own_estimate_is_too_low_where_a_cell_stands_out() -> None:
    questions = small_questions(small_source(800))
    independent = questions.sizes[questions.row] * questions.source.shares[questions.value]
    out = (questions.truth > 1.5 * independent) & (questions.truth > 20)
    estimates = np.array([each.answer(questions) for each in outcomes(AsPublished(2), 20, 800, 5)])
    whole = estimates[:, out].sum(axis=1) / questions.truth[out].sum()
    assert out.sum() >= 3
    assert whole.mean() + 3 * whole.std(ddof=1) / math.sqrt(len(whole)) < 1


@pytest.mark.parametrize("seed", range(12))
def test_sensitivity_is_that_of_every_record_of_a_small_domain(seed: int) -> None:
    source = small_source(60, seed, m=4)
    questions = random_questions(source, 40, seed)
    meets = [
        sum(
            asked == value and all(flags[row][label] for flags, label in zip(questions.flags, labels, strict=True))
            for row, asked in zip(questions.row, questions.value, strict=True)
        )
        for *labels, value in itertools.product(*(range(each.m) for each in source.columns), range(source.m))
    ]
    assert questions.sensitivity == max(meets)


def test_questions_that_all_take_every_label_meet_each_record() -> None:
    assert most_met([np.ones((7, 3), bool), np.ones((7, 5), bool)]) == 7


def test_noisy_margins_come_near_where_the_budget_is_large_and_keep_what_counts_can_be() -> None:
    questions = small_questions(small_source(4_000, m=8))
    sharp, blurred = (
        np.mean([each.answer(questions) for each in outcomes(NoisyMargins(e), 5, 4_000)], axis=0) for e in (50.0, 0.01)
    )
    # s stands by a, and c and b are independent of both: a tree of pairs holds the whole table.
    assert np.abs(sharp - questions.truth).mean() < 6
    assert np.abs(blurred - questions.truth).mean() > 20
    nearest = possible_counts(np.array([[5.0, -3.0], [9.0, 1.0]]), 10.0)
    assert nearest == pytest.approx(np.array([[3.0, 0.0], [7.0, 0.0]]))


def test_who_knows_all_others_reads_noisy_margins_as_sharply_as_bayes_does_from_each_count() -> None:
    source = small_source(200, m=4)
    outcome, own = NoisyMargins(6.0).publish(source, np.random.default_rng(3), SILENT), source.sensitive.codes
    nobody = small_questions(source)
    sure = outcome.insider(np.arange(20), np.ones(0), nobody, nobody.truth)  # type: ignore[arg-type]
    for record in range(20):
        score = np.log(source.shares)
        for value in range(source.m):
            for row, noise, scale in outcome.told:
                line, true = row[record], np.bincount(own[row == row[record]], minlength=source.m)
                counted = true - np.eye(source.m)[own[record]] + np.eye(source.m)[value]
                score[value] -= np.abs(true + noise[line] - counted).sum() / scale
        belief = np.exp(score - score.max())
        assert sure[record] == pytest.approx(belief[own[record]] / belief.sum())


@pytest.mark.parametrize("epsilon", [0.1, math.log(3)])
@pytest.mark.parametrize(("n", "part"), [(4, 2), (5, 2), (6, 5)])
def test_theorem_2_holds_by_enumeration_of_all_parts_and_is_not_sharp(n: int, part: int, epsilon: float) -> None:
    shown, steps = np.arange(part + 1), np.arange(-400, 401)

    def of_random_part(table: tuple[int, ...]) -> Floats:
        laws = []
        for some in itertools.combinations(table, part):
            noise = np.exp(-epsilon * np.abs(steps - sum(some))) * math.tanh(epsilon / 2)
            laws.append(np.bincount(np.clip(steps, 0, part), noise, len(shown)))
        return np.asarray(np.mean(laws, axis=0))

    worst = max(
        float(np.log(of_random_part(table) / of_random_part((1 - table[0], *table[1:]))).max())
        for table in itertools.product((0, 1), repeat=n)
    )
    assert worst == pytest.approx(sharp_epsilon_of_part(epsilon, part / n), rel=1e-6)
    assert worst < epsilon_of_part(epsilon, part / n)


def test_fakes_stand_beside_values_they_differ_from_and_leave_an_insider_unsure() -> None:
    source = small_source(600, m=12)
    outcome = FakeValues(3, 2).publish(source, np.random.default_rng(1), SILENT)
    assert (outcome.counts.toarray()[np.arange(len(outcome.added))[:, None], outcome.added] == 1).all()
    assert all(len(set(row)) == 2 for row in outcome.added.tolist())
    questions = small_questions(source)
    answers = outcome.answer(questions)
    sure = outcome.insider(np.arange(source.n), np.ones(0), questions, answers)
    assert (sure >= 1 / 3 - 1e-12).all()
    # Column a rules out one value in four: of three records together half of all, so two that none rules out are rare;
    # fakes by shares alone would be ruled out for a quarter of the records each.
    assert (1 / sure - 1).mean() > 1.7
    free = small_source(600, m=12)
    object.__setattr__(free, "columns", free.columns[1:])
    free_outcome = FakeValues(3, 2).publish(free, np.random.default_rng(1), SILENT)
    assert free_outcome.insider(np.arange(free.n), np.ones(0), questions, answers) == pytest.approx(1 / 3)


def test_every_system_is_known_by_its_name_and_nine_stand_first_beside_the_plan() -> None:
    assert len({system.name for system in SYSTEMS}) == len(SYSTEMS)
    assert len(find_systems("first")) == MOST_LINES - 1
    with pytest.raises(BadSetting):
        find_systems("none such")
    with pytest.raises(Impossible):
        Retention(0.5).t_p(small_source(100, m=2), Thresholds())  # of two values nothing leads back
    few = small_source(m=3)
    with pytest.raises(Impossible, match="fills 1,667 % of all"):
        AlphaBeta(0.5).chances(TrueTable(few.columns[:2], few.sensitive))
    with pytest.raises(Impossible):
        SpluGen(5).publish(small_source(100), np.random.default_rng(1), SILENT)
