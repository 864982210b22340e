"""Mondrian: the classes, what is answered from them and what they tell, each by its paper's law."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.buckets.trivial import TrivialSanitisation
from splu_desktop.compare.generalise.classes import ClassDisclosure, Generalised
from splu_desktop.compare.generalise.closeness import Closeness, OrderedCloseness, equal_distance, ordered_distance
from splu_desktop.compare.generalise.delta_disclosure import DeltaDisclosure
from splu_desktop.compare.generalise.diversity import (
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    entropy,
    recursive,
)
from splu_desktop.compare.generalise.k_anonymity import KAnonymity
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.core.progress import Silent
from tests.compare.tables import small_questions, small_source

CONDITIONS: list[Mondrian] = [
    KAnonymity(2),
    KAnonymity(7),
    DistinctDiversity(3),
    EntropyDiversity(2),
    RecursiveDiversity(3),
    RecursiveDiversity(2, 0.8),
    Closeness(0.3),
    OrderedCloseness(0.1),
    DeltaDisclosure(1.0),
]


def halved(system: Mondrian, columns: list[np.ndarray], s: np.ndarray, m: int) -> list[np.ndarray]:
    """Mondrian as its paper says it, one class after the other."""
    shares = np.bincount(s, minlength=m) / len(s)
    reach = [max(int(codes.max()), 1) for codes in columns]

    def may_stand(records: np.ndarray) -> bool:
        counts = np.bincount(s[records], minlength=m).astype(float)
        return len(records) >= system.least and bool(system.meets(counts[None], shares)[0])

    def parts(records: np.ndarray) -> list[np.ndarray]:
        width = [np.ptp(codes[records]) / most for codes, most in zip(columns, reach, strict=True)]
        for at in np.argsort(-np.array(width), kind="stable"):
            codes = columns[at][records]
            labels = np.unique(codes)[:-1]
            if len(labels):
                cut = min(labels, key=lambda label: abs(2 * (codes <= label).sum() - len(records)))
                halves = records[codes <= cut], records[codes > cut]
                if all(map(may_stand, halves)):
                    return parts(halves[0]) + parts(halves[1])
        return [records]

    return parts(np.arange(len(s)))


@pytest.mark.parametrize("system", CONDITIONS, ids=lambda system: f"{system.name}-{system.setting}")
def test_classes_are_those_of_the_recursion_and_meet_the_condition(system: Mondrian) -> None:
    source = small_source(500, ordered=True)
    outcome = system.publish(source, np.random.default_rng(1), Silent())
    expected = halved(system, [column.codes for column in source.columns], source.sensitive.codes, source.m)
    found = [np.flatnonzero(outcome.classes == number) for number in range(len(outcome.sizes))]
    assert sorted(map(tuple, found)) == sorted(map(tuple, expected))
    assert system.meets(outcome.counts.toarray(), source.shares).all()
    assert outcome.sizes.min() >= system.least
    assert len(found) > 1


def test_a_condition_that_the_whole_table_misses_is_impossible() -> None:
    for system in (KAnonymity(301), DistinctDiversity(6), EntropyDiversity(5), RecursiveDiversity(5, 0.1)):
        with pytest.raises(Impossible):
            system.publish(small_source(300), np.random.default_rng(1), Silent())
    with pytest.raises(Impossible, match="no order"):
        OrderedCloseness(0.1).publish(small_source(300), np.random.default_rng(1), Silent())


@pytest.mark.parametrize("most", [1, 40])
def test_many_classes_are_judged_in_parts_like_all_at_once(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = small_source(400)
    whole = DistinctDiversity(2).publish(source, np.random.default_rng(1), Silent())
    answers = whole.answer(small_questions(source)).estimate
    monkeypatch.setattr("splu_desktop.compare.generalise.mondrian._CELLS", most)
    monkeypatch.setattr("splu_desktop.compare.generalise.classes._CELLS", most)
    parts = DistinctDiversity(2).publish(source, np.random.default_rng(1), Silent())
    assert (parts.classes == whole.classes).all()
    assert parts.answer(small_questions(source)).estimate == pytest.approx(answers)


def test_questions_about_what_no_class_hides_are_exact() -> None:
    source = small_source(300)
    questions = small_questions(source)
    outcome = KAnonymity(10).publish(source, np.random.default_rng(1), Silent())
    assert np.isnan(outcome.answer(questions).low).all()
    everything = CountingQuestions(
        source,
        tuple(np.ones((1, column.m), bool) for column in source.columns),
        np.zeros(source.m, np.intp),
        np.eye(source.m, dtype=bool),
        1,
    )
    assert outcome.answer(everything).estimate == pytest.approx(source.counts)
    classes = np.arange(source.n)
    assert Generalised(source, classes).answer(questions).estimate == pytest.approx(questions.truth)


def test_the_earth_movers_distances_are_those_of_the_t_closeness_paper() -> None:
    # Li, Li, Venkatasubramanian 2007, section 4.2: salaries 3k..11k; {3k, 4k, 5k} lies 0.375 away, {6k, 8k, 11k} 0.167.
    shares = np.full(9, 1 / 9)
    classes = np.zeros((2, 9))
    classes[0, [0, 1, 2]] = classes[1, [3, 5, 8]] = 1
    assert ordered_distance(classes, shares) == pytest.approx([0.375, 1 / 6])
    assert equal_distance(classes, shares) == pytest.approx([2 / 3, 2 / 3])


def test_diversities_on_counts_worked_by_hand() -> None:
    counts = np.array([[4.0, 3, 2, 1], [5, 5, 0, 0], [10, 0, 0, 0]])
    # r_1 = 4 <= c (3 + 2 + 1); 4 <= c (2 + 1); 5 <= c 5.
    assert recursive(counts, 1, 2).tolist() == [True, True, False]
    assert recursive(counts, 1.3, 3).tolist() == [False, False, False]
    assert recursive(counts, 4 / 3, 3).tolist() == [True, False, False]
    assert np.exp(entropy(counts)) == pytest.approx([3.596, 2, 1], abs=1e-3)


def test_disclosure_is_brickells_and_the_trivial_sanitisation_has_none() -> None:
    # Two classes, 3:1 and 1:3, of a table of 4:4.
    counts = np.array([[3.0, 1], [1, 3]])
    found = ClassDisclosure.of(sparse.csr_array(counts))
    assert (found.know, found.accuracy) == pytest.approx((0.25, 0.25))
    assert found.quotient == pytest.approx(math.log(2))
    assert math.isinf(ClassDisclosure.of(sparse.csr_array(np.array([[2.0, 0], [1, 3]]))).quotient)
    source = small_source(300)
    apart = TrivialSanitisation().publish(source, np.random.default_rng(1), Silent())
    questions = small_questions(source)
    whole = ClassDisclosure.of(sparse.csr_array(np.rint(apart.parts.toarray() * source.n)))
    assert (whole.know, whole.accuracy, whole.quotient) == pytest.approx((0, 0, 0))
    assert apart.answer(questions).estimate == pytest.approx(questions.top * (questions.chosen @ source.shares))


@pytest.mark.parametrize("delta", [2.0, 1.0, 0.5])
def test_delta_disclosure_bounds_the_information_gain(delta: float) -> None:
    # Brickell and Shmatikov's Lemma 1.
    source = small_source(2_000)
    outcome = DeltaDisclosure(delta).publish(source, np.random.default_rng(1), Silent())
    within: Floats = entropy(outcome.counts.toarray())
    gain = entropy(source.counts[None])[0] - outcome.sizes @ within / source.n
    assert 0 <= gain < delta
    assert ClassDisclosure.of(outcome.counts).quotient < delta
