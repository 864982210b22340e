"""The questions that all systems are asked, and the register."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.ours.splu import Splu
from splu_desktop.compare.perturb.channel import Channelled, evenly
from splu_desktop.compare.systems import SYSTEMS, named
from splu_desktop.core.errors import BadQuestion, BadSetting
from splu_desktop.core.estimate import Method
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.workload import draw
from splu_desktop.core.reconstruct.whole_matrix import numbers_of
from tests.compare.tables import small_questions, small_source


def test_questions_have_the_truth_that_their_conditions_have() -> None:
    source = small_source()
    workload = draw(source.table, source.names, [source.sensitive.name], size=60, sets=True, seed=2)
    asked = CountingQuestions.of(source, workload.questions)
    assert asked.truth.tolist() == workload.truth.tolist()
    assert asked.overlap == len(workload.questions)


def test_conditions_on_one_column_meet() -> None:
    source = small_source()
    (one,) = CountingQuestions.of(
        source, [(Condition("a", ("v0000", "v0001")), Condition("a", ("v0001",)), Condition("s", ("v0002",)))]
    ).truth
    assert one == ((source.columns[0].codes == 1) & (source.sensitive.codes == 2)).sum()


def test_a_question_without_conditions_counts_all_records() -> None:
    source = small_source()
    assert CountingQuestions.of(source, [()]).truth.tolist() == [source.n]


def test_another_column_is_refused() -> None:
    with pytest.raises(BadQuestion, match="no column of this comparison"):
        CountingQuestions.of(small_source(), [(Condition("z", ("1",)),)])


def test_margins_hold_every_record_once_per_column() -> None:
    source = small_source()
    margins = CountingQuestions.of_margins(source)
    assert margins.truth.sum() == source.n * len(source.columns)
    assert margins.overlap == len(source.columns)


def test_the_share_of_the_domain_is_that_of_its_cells() -> None:
    share = small_questions(small_source()).share_of_domain()
    assert share[0] == pytest.approx(1 / (4 * 3 * 5))
    assert share[-1] == pytest.approx(2 / (4 * 3 * 5))


def test_the_register_knows_names_once_and_refuses_others() -> None:
    assert len({system.name for system in SYSTEMS}) == len(SYSTEMS)
    assert named("all") == SYSTEMS
    assert named(" splu ") == (Splu,)
    with pytest.raises(BadSetting, match="no system “nonsense”"):
        named("splu,nonsense")


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_system_keeps_the_protocol(system: type) -> None:
    source = small_source(300, ordered=True)
    questions = small_questions(source)
    some = np.arange(0, source.n, 7)
    tried = 0
    for each in system.curve():
        assert each.setting
        assert each.promise
        assert all(hash(value) is not None for value in each.parameters.values())
        try:
            outcome = each.publish(source, np.random.default_rng(1), Silent())
        except Impossible:
            continue
        tried += 1
        answers = outcome.answer(questions)
        assert all(outcome.remarks(questions))
        for part in (answers.estimate, answers.low, answers.high):
            assert part.shape == questions.row.shape
        told = ~np.isnan(answers.low)
        assert (answers.low[told] <= answers.high[told]).all()
        sure = outcome.insider(some, questions)
        assert sure.shape == some.shape
        assert ((sure >= 0) & (sure <= 1 + 1e-9)).all()
        belief = outcome.row(some)
        if belief is not None:
            assert np.allclose(belief.sum(axis=1), 1)
    assert tried


@pytest.mark.parametrize("method", [Method.POOLED, Method.UNBIASED, Method.AS_PUBLISHED], ids=lambda each: each.value)
def test_all_values_at_once_are_answered_as_each_by_itself_by_the_whole_matrix(method: Method) -> None:
    source = small_source(500, m=4)
    outcome = Channelled(source, evenly(source.m, 0.4), np.random.default_rng(2))
    y = small_questions(source).histogram(outcome.shown, source.m)
    every = [(row, one) for row in range(len(y)) for one in np.eye(source.m, dtype=bool)]
    at_once = numbers_of(y, None, outcome.through, method)
    assert np.array_equal(at_once, numbers_of(y, every, outcome.through, method))
    for number in (0, 7, 20):
        alone = numbers_of(y, [every[number]], outcome.through, method)
        assert at_once[:, number] == pytest.approx(alone[:, 0])
