"""The register of estimators: a new one is one function and answers every question, an unknown one is a fault."""

from __future__ import annotations

from fractions import Fraction

import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.estimate import DEFAULT, Method, method, registered
from splu_desktop.core.plan import Plan
from splu_desktop.core.query import Condition, Reader
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table
from splu_desktop.core.tolerance_rules import equal
from tests.core.tables import column
from tests.seeded import Seeded

TABLE = Table((column("ward", [0, 1] * 300), column("a", [0, 1, 2, 3] * 150), column("b", [0, 1, 2] * 200)))


@pytest.fixture
def halfway(monkeypatch: pytest.MonkeyPatch) -> Method:
    monkeypatch.setattr(method, "_KNOWN", dict(method._KNOWN))
    made = Method("halfway", "Between two others.", lambda case: (case.unbiased() + case.pooled()) / 2, bounded=False)
    return registered(made)


def draws(by_matrix: bool) -> dict[str, Draw]:
    sizes = {"a": 3, "b": 2}
    if not by_matrix:
        return {name: PlainGroups(size) for name, size in sizes.items()}
    return {name: DecoyGroups((size,), (Fraction(1),), equal(TABLE[name], size)) for name, size in sizes.items()}


@pytest.mark.parametrize("by_matrix", [False, True])
@pytest.mark.parametrize("sas", [("a",), ("a", "b")])
def test_a_new_one_answers_every_sort_of_question(halfway: Method, by_matrix: bool, sas: tuple[str, ...]) -> None:
    plan = Plan({"ward": Role.NSA, "a": Role.SA, "b": Role.SA}, draws(by_matrix))
    reader = Reader(sanitise.run(TABLE, plan, randomness=Seeded(3)))
    question = [Condition(name, (str(TABLE[name].labels[0]),)) for name in ("ward", *sas)]
    found = {each.value: reader.answer(question, each).estimate for each in Method}
    assert halfway in Method
    assert found["halfway"] != 0
    if len(sas) == 1 and not by_matrix:
        low, high = sorted((found["unbiased"], found["pooled"]))
        assert low - 1e-9 <= found["halfway"] <= high + 1e-9 or found["pooled"] in (0.0, 300.0)


def test_an_unknown_one_is_a_fault() -> None:
    with pytest.raises(BadSetting, match="no estimator “guess”; choose among pooled, shrunk, unbiased, bayes, as-pub"):
        Method.named("guess")
    assert Method.named("pooled") is Method.POOLED is DEFAULT
    with pytest.raises(TypeError):
        Method("empty", "says nothing")  # type: ignore[call-arg]
