"""Each system by its own law: what its paper says of its estimate, its noise and its promise, on small tables.

Means over publications are compared by z = (mean - expected) / standard error, over at most 80 questions at once; |z| <
5 raises a false alarm in fewer than 1 of 10,000 runs of each (Student's t with 200 publications, Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Impossible, System
from splu_desktop.compare.base.utility import pmse
from splu_desktop.compare.buckets.anatomy import Anatomy, Bucketed
from splu_desktop.compare.counts.cell_key import SETTINGS, CellKey, CellKeyed, noise_law
from splu_desktop.compare.counts.laplace import EPSILONS, Laplace, LaplaceAnswers, LaplaceEach, inferred
from splu_desktop.compare.ours.as_published import dealt, largest_first
from splu_desktop.compare.ours.splu import Splu, Stream, carried_out
from splu_desktop.compare.perturb.alpha_beta import AlphaBeta, DeletedAndInserted, chances, meets_conditions
from splu_desktop.compare.perturb.channel import Channelled, drawn
from splu_desktop.compare.perturb.local import RandomisedResponse, SubsetSelection
from splu_desktop.compare.perturb.pram import InvariantPram, banded, invariant
from splu_desktop.compare.perturb.retention import Retention
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.ways import JOINED, by_gamma
from splu_desktop.core.progress import Silent
from tests.compare.tables import small_questions, small_source
from tests.core.tables import column

RUNS = 200
FAR = 5.0


def strayed(estimates: Floats, expected: Floats) -> float:
    """Return the largest |z| of (R, Q) estimates from their (Q,) expectation; what never varies must meet it."""
    error = estimates.std(axis=0, ddof=1) / np.sqrt(len(estimates))
    gap = np.abs(estimates.mean(axis=0) - expected)
    varies = error > 1e-9  # of records; below, rounding
    assert (gap[~varies] < 1e-6).all()
    return float((gap[varies] / error[varies]).max(initial=0.0))


def published(system: System, source: TrueTable, runs: int = RUNS) -> list[object]:
    chance = np.random.default_rng(7)
    return [system.publish(source, chance, Silent()) for _ in range(runs)]


def test_equal_records_do_not_bias_deletion_and_insertion() -> None:
    # 300 records of at most 60 kinds: most stand there several times.
    source = small_source(300)
    few = TrueTable(source.columns[:2], source.sensitive)
    questions = CountingQuestions.of_margins(few)
    chance = np.random.default_rng(2)
    estimates = np.array([DeletedAndInserted(few, 0.5, 0.2, chance).unbiased(questions) for _ in range(RUNS)])
    assert strayed(estimates, questions.truth.astype(float)) < FAR


@pytest.mark.parametrize("system", [Retention(0.4), SubsetSelection(3), AlphaBeta(0.4), Splu(3)], ids=lambda s: s.name)
def test_intervals_hold_about_as_often_as_they_say(system: System) -> None:
    # Questions of one release hang together, so the rate is bounded loosely: 0.93 - 5 standard errors of 15 releases.
    source = small_source(400)
    questions = small_questions(source)
    held = []
    for outcome in published(system, source, 15):
        answers = outcome.answer(questions)  # type: ignore[attr-defined]
        held.append(((answers.low <= questions.truth) & (questions.truth <= answers.high)).mean())
    assert np.mean(held) > 0.93 - 5 * np.std(held) / np.sqrt(15)


def test_a_known_matrix_that_tells_little_in_a_direction_pays_for_it_in_width_alone() -> None:
    # Left out, it biased every count: 82 % held on adult, all on small tables. Five standard errors as above.
    source = small_source(400)
    questions = small_questions(source)
    held = []
    for outcome in published(InvariantPram(0.5), source, 15):
        answers = outcome.answer(questions)  # type: ignore[attr-defined]
        held.append(((answers.low <= questions.truth) & (questions.truth <= answers.high)).mean())
    assert 0.93 - 5 * np.std(held) / np.sqrt(15) < np.mean(held) < 0.99


def test_anatomy_keeps_counts_of_the_whole_table_and_l_values_in_each_bucket() -> None:
    source = small_source(301)
    (outcome,) = published(Anatomy(3), source, 1)
    assert isinstance(outcome, Bucketed)
    everything = CountingQuestions.of_margins(TrueTable(source.columns[:1], source.sensitive))
    whole = outcome.answer(small_questions(source))
    assert whole.estimate.shape
    assert outcome.parts.T @ np.bincount(outcome.bucket) == pytest.approx(source.counts)
    assert everything.truth.sum() == source.n
    copies = np.rint(outcome.parts.toarray() * np.bincount(outcome.bucket)[:, None])
    assert copies.max() == 1
    assert copies.sum(axis=1).min() >= 3


@pytest.mark.parametrize("gamma", [2, 3, 5])
def test_groups_take_from_the_largest_buckets(gamma: int) -> None:
    chance = np.random.default_rng(gamma)
    for _ in range(30):
        counts = chance.integers(0, 40, chance.integers(gamma, 12)).astype(np.int64)
        groups = largest_first(counts, gamma)
        left = counts.copy()
        for group in groups:
            assert len(set(group.tolist())) == gamma
            others = np.delete(left, group)
            assert left[group].min() >= max(others.max(initial=0), 1)
            left[group] -= 1
        assert np.count_nonzero(left) < gamma


def test_records_are_dealt_once_each_to_groups_of_their_values() -> None:
    source = small_source(300)
    values = largest_first(source.counts.astype(np.int64), 3)
    members = dealt(source.sensitive.codes, values, np.random.default_rng(1))
    assert (source.sensitive.codes[members] == values).all()
    assert len(np.unique(members)) == members.size


@pytest.mark.parametrize("make", [lambda m: banded(m, 0.7, 2), lambda m: np.full((m, m), 1 / m)], ids=["band", "even"])
def test_values_are_shown_with_the_chances_of_the_matrix(make: Callable[[int], Floats]) -> None:
    # chi-square over 25 cells, 20 degrees of freedom; 60 is exceeded in fewer than 1 of 100,000 runs.
    matrix, chance = make(5), np.random.default_rng(4)
    codes = np.repeat(np.arange(5), 4_000)
    seen = np.zeros((5, 5))
    np.add.at(seen, (codes, drawn(matrix, codes, chance)), 1)
    expected = 4_000 * matrix
    assert (seen[expected == 0] == 0).all()
    assert ((seen - expected)[expected > 0] ** 2 / expected[expected > 0]).sum() < 60


def test_invariant_pram_leaves_the_shares_and_is_a_matrix_of_chances() -> None:
    shares = small_source().shares
    made = invariant(banded(len(shares), 0.6), shares)
    assert shares @ made == pytest.approx(shares)
    assert made.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("gamma", [2, 5])
@pytest.mark.parametrize("system", [RandomisedResponse, SubsetSelection])
def test_local_mechanisms_keep_the_posterior_bound_of_gamma(system: type, gamma: int) -> None:
    source = small_source()
    (outcome,) = published(system(gamma), source, 1)
    belief = outcome.row(np.arange(source.n))  # type: ignore[attr-defined]
    limit = source.shares + (1 - source.shares) / gamma
    assert (belief <= limit + 1e-12).all()
    if system is RandomisedResponse:  # the most frequent value reaches it
        top = int(source.shares.argmax())
        assert belief[:, top].max() == pytest.approx(limit[top])


@pytest.mark.parametrize(("prior", "belief"), [(1e-6, 0.1), (0.01, 0.2), (0.2, 0.5)])
def test_deletion_and_insertion_meet_theorem_4_3_by_enumeration(prior: float, belief: float) -> None:
    alpha, beta = chances(prior, belief)
    assert meets_conditions(alpha, beta, prior, belief)
    # A tuple with prior d is published with alpha + beta if it is in the table and with beta if not.
    there = prior * (alpha + beta) / (prior * (alpha + beta) + (1 - prior) * beta)
    gone = prior * (1 - alpha - beta) / (prior * (1 - alpha - beta) + (1 - prior) * (1 - beta))
    assert there == pytest.approx(belief)
    assert gone / prior >= prior / belief * (1 - 1e-9)
    assert not meets_conditions(alpha + beta / 2, beta / 2, prior, belief)


def test_a_table_that_fills_its_domain_can_not_be_hidden_in_it() -> None:
    with pytest.raises(Impossible, match="of all combinations"):
        chances(0.5, 0.2)


@pytest.mark.parametrize("epsilon", EPSILONS.values())
def test_laplace_noise_has_its_scale_and_no_bias(epsilon: float) -> None:
    source = small_source(300)
    questions = small_questions(source)
    chance = np.random.default_rng(9)
    for system, scale in ((Laplace(epsilon), len(questions.row) / epsilon), (LaplaceEach(epsilon), 1 / epsilon)):
        answers = [system.publish(source, chance, Silent()).answer(questions) for _ in range(RUNS)]
        noise = np.array([each.estimate for each in answers]) - questions.truth
        assert strayed(noise, np.zeros(noise.shape[1])) < FAR
        # |noise| has mean b and standard deviation b; over RUNS times Q of them, 5 standard errors: 1 of 10^6 runs.
        assert abs(np.abs(noise).mean() / scale - 1) < 5 / np.sqrt(noise.size)
        held = np.mean([((each.low <= questions.truth) & (questions.truth <= each.high)).mean() for each in answers])
        assert abs(held - 0.95) < 5 * math.sqrt(0.05 * 0.95 / noise.size) + 1e-9


def test_noise_on_margins_grows_by_the_columns_not_by_the_questions() -> None:
    source = small_source(300)
    outcome = Laplace(0.1).publish(source, np.random.default_rng(1), Silent())
    assert isinstance(outcome, LaplaceAnswers)
    assert outcome.scale(CountingQuestions.of_margins(source)) == len(source.columns) / 0.1


def test_the_same_question_gets_the_same_answer() -> None:
    source = small_source(300)
    questions = small_questions(source)
    for system in (Laplace(0.1), CellKey(3, 2.0)):
        outcome = system.publish(source, np.random.default_rng(1), Silent())
        assert (outcome.answer(questions).estimate == outcome.answer(questions).estimate).all()


def test_two_noisy_answers_infer_by_the_differential_inference_theorem() -> None:
    # 400,000 pairs: 6 standard errors of the mean; second order, so b / x is kept small.
    x, y, b = 400.0, 300.0, 10.0
    noise = np.random.default_rng(3).laplace(0.0, b, (2, 400_000))
    ratio = (y + noise[1]) / (x + noise[0])
    mean, spread = inferred(np.array([x]), np.array([y]), b)
    assert abs(ratio.mean() - mean[0]) < 6 * spread[0] / np.sqrt(ratio.size)
    assert ratio.std() == pytest.approx(spread[0], rel=0.02)


@pytest.mark.parametrize(("most", "variance"), SETTINGS)
def test_cell_key_noise_has_mean_0_its_variance_and_its_bound(most: int, variance: float) -> None:
    steps = np.arange(-most, most + 1)
    for count in range(most + 2):
        law = noise_law(count, most, variance)
        assert law.sum() == pytest.approx(1)
        assert law @ steps == pytest.approx(0, abs=1e-6)
        assert law @ steps**2 <= variance * (1 + 1e-6)
        assert (law[steps < -count] == 0).all()
    assert noise_law(most + 1, most, variance) @ steps**2 == pytest.approx(variance, rel=1e-5)


def test_cell_keys_are_unbiased_and_averaging_finds_small_counts() -> None:
    source = small_source(300)
    questions = small_questions(source)
    outcomes = published(CellKey(3, 2.0), source)
    estimates = np.array([outcome.answer(questions).estimate for outcome in outcomes])  # type: ignore[attr-defined]
    assert strayed(estimates, questions.truth.astype(float)) < FAR
    assert np.abs(estimates - questions.truth).max() <= 3
    wide = small_source(2_000, m=40)
    outcome = CellKey(3, 2.0).publish(wide, np.random.default_rng(1), Silent())
    assert isinstance(outcome, CellKeyed)
    cells = CountingQuestions.of_margins(TrueTable(wide.columns[:2], wide.sensitive))
    once = outcome.shown(cells.by_value, outcome.keyed(cells)) == cells.by_value
    # sqrt(2 V / 20) = .45, so |error| < 1/2 in three of four cells; a single answer is exact in about one of four.
    assert (outcome.averaged(cells) == cells.by_value).mean() > 2 * once.mean()


def test_an_insider_takes_answers_apart_as_far_as_the_noise_allows() -> None:
    source = small_source(300)
    questions = small_questions(source)
    some = np.arange(0, 300, 3)
    sure = {}
    for epsilon in (5.0, 0.001):
        outcome = LaplaceEach(epsilon).publish(source, np.random.default_rng(1), Silent())
        sure[epsilon] = outcome.insider(some, questions).mean()
    assert sure[5.0] > 0.95
    # Next to no information: the mean belief in the true value is what the shares alone give.
    assert sure[0.001] == pytest.approx(float((source.shares**2).sum()), abs=0.03)


def test_records_that_are_a_second_sample_look_no_different() -> None:
    # Mean over 3 tables of chi-square over 15 degrees of freedom and more: its standard deviation is below 0.25.
    source = small_source(3_000)
    other = small_source(3_000, seed=6)
    copy = pmse(source, _as_microdata(other))
    assert copy < 2.25
    shuffled = np.random.default_rng(1).permutation(source.n)
    apart = TrueTable(source.columns, source.sensitive.take(shuffled))
    assert pmse(source, _as_microdata(apart)) > 3


def _as_microdata(table: TrueTable):  # type: ignore[no-untyped-def]
    (outcome,) = published(Retention(1.0), table, 1)
    assert isinstance(outcome, Channelled)
    return outcome.microdata(np.random.default_rng(1))


def test_an_insider_names_the_only_bearer_as_often_as_the_draw_says() -> None:
    """Who knows all others is told a value that one record has whenever it is published; |z| < 4: 1 in 16,000."""
    draw = PlainGroups(5)
    codes = np.append(np.repeat(np.arange(11), 4), 11)
    source = TrueTable((column("a", np.arange(len(codes)) % 4),), column("s", codes))
    chance, releases = np.random.default_rng(8), 300
    shown = sum(
        bool((draw.redraw(source.sensitive, Stream(chance), Silent()).codes == 11).any()) for _ in range(releases)
    )
    expected = draw.sole_bearer
    assert abs(shown / releases - expected) < 4 * (expected * (1 - expected) / releases) ** 0.5
    (only,) = source.sole_bearers
    drawn = carried_out(source, draw, chance, Silent())
    questions = CountingQuestions.of(source, [()])
    assert drawn.sole_bearers(source.sole_bearers, questions) >= expected
    assert drawn.insider(np.array([only]), questions)[0] >= expected


def test_independent_draws_name_the_only_bearer_too() -> None:
    """A release names none but values of its source: whoever knows that nobody else has one knows whose it is."""
    source = small_source(400)
    joined = by_gamma(source.sensitive, 3, JOINED, Silent())
    assert joined.sole_bearer == joined.insider > 0.0
