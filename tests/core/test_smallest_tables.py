"""Tables of a handful of records: whatever a draw leaves of them, every question has an answer within its bounds."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.checks.selfcheck import check_alone
from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Method, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from tests.draws import plain
from tests.seeded import Seeded


def column(name: str, codes: NDArray[np.int64]) -> Column:
    labels = np.array([f"{name}{i}" for i in range(int(codes.max()) + 1)], object)
    missing = np.zeros(len(labels), bool)
    return Column.from_codes(name, codes.astype(np.int32), labels, missing, None, kind=Kind.CATEGORY)


@cache
def releases() -> list[Published]:
    rng = np.random.default_rng(5)
    found: list[Published] = []
    for trial in itertools.count():
        n, gamma, other = int(rng.integers(2, 30)), int(rng.integers(2, 5)), int(rng.integers(2, 4))
        kinds = gamma + int(rng.integers(0, 3))
        table = Table(
            (
                column("s", rng.integers(0, kinds, n)),
                column("u", rng.integers(0, 4, n)),
                column("w", rng.integers(0, 2, n)),
            )
        )
        second = Role.SA if trial % 2 else Role.NSA
        gammas = {"s": gamma, "u": other} if trial % 2 else {"s": gamma}
        try:
            plan = Plan(roles={"s": Role.SA, "u": second, "w": Role.NSA}, draws=plain(gammas))
            found.append(sanitise.run(table, plan, randomness=Seeded(trial)))
        except SpluError:  # a value too frequent for its groups
            continue
        if len(found) == 60:
            return found
    raise AssertionError


@pytest.mark.parametrize("method", list(Method))
def test_every_question_has_an_answer_within_its_bounds(method: Method) -> None:
    for published in releases():
        reader = Reader(published)
        values = {name: published.table[name].labels.tolist() for name in published.table.names}
        sets = [*((value,) for value in values["s"]), tuple(values["s"][:2]), tuple(values["s"])]
        beside = [
            (),
            (Condition("w", values["w"][:1]),),
            (Condition("u", values["u"][:1]),),
            (Condition("u", values["u"]),),
        ]
        asked = [[Condition("s", chosen), *more] for chosen, more in itertools.product(sets, beside)]
        # The default's one by one, as a person asks; those of the others at once, as a file of questions does.
        answers = [reader.answer(each) for each in asked] if method is DEFAULT else reader.answers(asked, method)
        for answer in answers:
            assert answer.low <= answer.estimate <= answer.high
            assert answer.low >= 0 or answer.low == answer.estimate  # an unbiased one alone can be there
            assert answer.high <= answer.n_p + 1e-9 or answer.high == answer.estimate
            if method is not Method.UNBIASED:
                assert 0 <= answer.estimate <= answer.n_p + 1e-9
            possible = np.clip(answer.estimate, 0, answer.n_p)
            if method is Method.UNBIASED:  # it may lie beyond what the value has in the whole table
                possible = min(possible, answer.high)
            assert answer.low - 1e-9 <= possible <= answer.high + 1e-9


def test_cross_tables_and_repeated_draws_work_too() -> None:
    for published in releases()[:20]:
        reader = Reader(published)
        first = published.table["s"].labels.tolist()[:1]
        answer = reader.answer([Condition("s", first)], bootstrap=True)
        assert 0 <= answer.low <= answer.high <= answer.n_p
        lines = [(Condition("w", (value,)),) for value in published.table["w"].labels.tolist()]
        counts, selected, _, low, high, _ = reader.cells(lines, "s")
        assert counts.sum() == selected.sum() == published.n
        assert (low >= 0).all()
        assert (high <= selected[:, None] + 1e-9).all()


def test_no_such_release_is_taken_for_forged() -> None:
    """The check alarms with a probability of less than 1e-10 per value and tail."""
    for published in releases():
        assert [check.sentence for check in check_alone(published) if not check.passed] == []
