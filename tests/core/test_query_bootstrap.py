"""Intervals by repeating the draw on paper."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core import workload
from splu_desktop.core.progress import Cancelled, Watched
from splu_desktop.core.query import Condition, Reader
from splu_desktop.core.query_engine import Engine
from splu_desktop.core.reconstruct_bootstrap import Law
from tests.core.published_tables import dependent_table, release

TABLE = dependent_table(12_000)
SAS = ("disease", "ward")
PAIR = [Condition("city", ("Aa",)), Condition("disease", ("d3",)), Condition("ward", ("2",))]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(release(TABLE, dict.fromkeys(SAS, 4)))


@pytest.mark.parametrize("values", [["d3"], ["d1", "d4", "d7"]])
def test_the_law_of_a_weight_has_mean_one_within_and_none_without(reader: Reader, values: list[str]) -> None:
    through = Engine(reader.published).transition("disease")
    chosen = np.isin(reader.published.table["disease"].labels.astype(str), values)
    law = Law.plain(through.a, through.b, through.signal, chosen, through.counts)
    assert law.within.sum() == pytest.approx(1)
    assert law.without.sum() == pytest.approx(1)
    assert law.values @ law.within == pytest.approx(1)
    assert law.values @ law.without == pytest.approx(0, abs=1e-12)
    by_matrix = Law.of(through.weights(chosen), through.matrix, chosen, through.counts)
    assert by_matrix.values @ by_matrix.within == pytest.approx(1, abs=0.1)  # a, b_s miss T by so much at most here
    assert by_matrix.values @ by_matrix.without == pytest.approx(0, abs=0.1)


def test_where_theory_holds_the_repetitions_agree_with_it(reader: Reader) -> None:
    """2,000 repetitions: an end has a standard error of about 3 % of the interval's width; 12 % is four of them."""
    for question in (PAIR, PAIR[1:], [PAIR[0], Condition("disease", ("d2", "d3", "d4"))], PAIR[:2]):
        plain, repeated = reader.answer(question), reader.answer(question, bootstrap=True)
        assert repeated.bootstrapped
        assert not plain.bootstrapped
        width = plain.high - plain.low
        assert repeated.low == pytest.approx(plain.low, abs=0.12 * width)
        assert repeated.high == pytest.approx(plain.high, abs=0.12 * width)
        assert repeated.low <= repeated.estimate <= repeated.high


def test_the_same_question_gets_the_same_answer(reader: Reader) -> None:
    assert reader.answer(PAIR, bootstrap=True) == Reader(reader.published).answer(PAIR, bootstrap=True)


def test_only_doubtful_questions_are_repeated_unless_asked_for(reader: Reader) -> None:
    asked = workload.draw(TABLE, ("age", "sex", "city"), SAS, size=600, seed=3).questions
    plain = reader.answers(asked, vanished=True)
    assert 0 < sum(answer.doubtful for answer in plain) < len(plain)
    chosen = [question for question, answer in zip(asked, plain, strict=True) if answer.doubtful][:3]
    chosen += [question for question, answer in zip(asked, plain, strict=True) if not answer.doubtful][:3]
    told = [answer.bootstrapped for answer in reader.answers(chosen, vanished=True, bootstrap=None)]
    assert told == [True, True, True, False, False, False]
    exact = reader.answer([Condition("city", ("Aa",))], bootstrap=True)
    assert exact.exact
    assert not exact.bootstrapped


def test_doubtful_questions_are_covered() -> None:
    """Up to 40 doubtful questions in each of 5 releases; the share covered has a standard error of about 2.5 %
    (dependent within a release), so 85 % is four of them below 95 %."""
    asked = workload.draw(TABLE, ("age", "sex", "city"), SAS, size=900, seed=4)
    covered = []
    for seed in range(5):
        asking = Reader(release(TABLE, dict.fromkeys(SAS, 4), seed))
        plain = asking.answers(asked.questions, vanished=True)
        places = [at for at, answer in enumerate(plain) if answer.doubtful][:40]
        found = asking.answers([asked.questions[at] for at in places], vanished=True, bootstrap=None)
        covered += [a.low <= asked.truth[at] <= a.high for a, at in zip(found, places, strict=True)]
    assert len(covered) >= 60
    assert np.mean(covered) > 0.85


def test_repeating_can_be_stopped(reader: Reader) -> None:
    seen: list[float] = []

    def stop() -> bool:
        return any(done > 0.3 for done in seen[2:])

    with pytest.raises(Cancelled):
        reader.answer(PAIR, progress=Watched(lambda _, done: seen.append(done), stop), bootstrap=True)
