"""What is said before the draw is what recipients read after it, on average."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.answer.analyses import Analysis, analyse
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.answer.forecast import Forecaster
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare, run
from splu_desktop.core.table import Table
from tests.columns import blocks_of
from tests.core.releases import column, lines_of, people
from tests.seeded import Seeded


@pytest.mark.parametrize("person", [False, True], ids=["rows", "persons"])
def test_expected_ranges_are_as_wide_as_those_read(person: bool) -> None:
    found, owner = people(4_000, 1)
    source = Table((column("who", owner), *found.columns))
    roles = {"who": Role.IDENTIFIER, "sex": Role.NSA, "age": Role.NSA, "unit": Role.NSA, "dx": Role.SA}
    asked = AskedTable("dx", None, ("sex", "age"))
    for gamma in (2.0, 5.0):
        plan = Plan(roles, blocks_of(("dx",), gamma), ("sex", "age"), persons=ByPerson("who") if person else None)
        ahead = Forecaster(prepare(source, plan), plan).forecast(asked, [gamma])
        expected = (ahead.high - ahead.low)[0]
        read = np.zeros(expected.shape)
        for seed in range(10):
            published = run(source, plan, randomness=Seeded(seed))
            line, lines = lines_of(published.table, asked.by)
            grid = Reader(published).column_grid(line, lines, "dx")
            low, high = grid.figures.interval(
                np.broadcast_to(grid.line_rows[:, None].astype(float), grid.published_counts.shape)
            )
            read += (high - low) / 10
        large = ahead.truth >= 50
        assert (read[large] / expected[large]).mean() == pytest.approx(1, abs=0.1)


def test_a_stronger_draw_answers_no_more_and_the_asked_cells_hardly_less() -> None:
    source, _ = people(4_000, 2)
    roles = {"sex": Role.NSA, "age": Role.NSA, "unit": Role.NSA, "dx": Role.SA}
    plan = Plan(roles, blocks_of(("dx",), 5), ("sex", "age"))
    ahead = Forecaster(prepare(source, plan), plan)
    gammas = [2.0, 3, 5, 10, 20]
    inside = ahead.forecast(AskedTable("dx", None, ("sex", "age")), gammas)
    across = ahead.forecast(AskedTable("dx", None, ("unit",)), gammas)
    told = [inside.count_readable(at)[0] for at in range(5)]
    assert told == sorted(told, reverse=True)
    assert told[-1] > 0.8 * told[0]
    width = (across.high - across.low).mean(axis=(1, 2))
    assert (np.diff(width) > 0).all()
    other = ahead.other_questions(gammas)
    assert (np.diff(other) <= 0).all()


def test_a_search_passes_over_no_value_that_has_a_large_cell() -> None:
    source, _ = people(4_000, 3)
    plan = Plan({"sex": Role.NSA, "age": Role.NSA, "unit": Role.NSA, "dx": Role.SA}, blocks_of(("dx",), 5), ("sex",))
    ahead, asked = Forecaster(prepare(source, plan), plan), AskedTable("dx", None, ("sex", "age"))
    counts = source["dx"].counts()
    least = int(np.median(counts)) + 1
    every, some = (ahead.forecast(asked, [3.0, 8.0], each) for each in (0, least))
    kept = [every.labels.index(label) for label in some.labels]
    assert 0 < len(kept) < len(every.labels)
    assert every.truth[:, [at for at in range(len(every.labels)) if at not in kept]].max() < least
    for name in ("truth", "low", "high"):
        np.testing.assert_allclose(getattr(some, name), getattr(every, name)[..., kept])


def test_averages_are_forecast_where_values_are_numbers() -> None:
    rng = np.random.default_rng(0)
    source = Table((column("sex", rng.choice(["f", "m"], 2_000)), column("stay", rng.integers(1, 15, 2_000))))
    plan = Plan({"sex": Role.NSA, "stay": Role.SA}, blocks_of(("stay",), 4), ("sex",))
    ahead = Forecaster(prepare(source, plan), plan).forecast(AskedTable("stay", None, ("sex",), "mean"), [4.0])
    assert ahead.truth[:, 0] == pytest.approx([7.5, 7.5], abs=0.4)
    half = (ahead.high - ahead.low)[0, :, 0] / 2
    assert half == pytest.approx(1.96 * np.sqrt((1 - 1 / 16) * 16.3 / 1_000), rel=0.1)


def test_averages_by_person_are_forecast_as_wide_as_they_are_read() -> None:
    """Points that hardly change: where only rows were looked at, half the width was forecast."""
    rng, owner = np.random.default_rng(2), np.repeat(np.arange(900), 5)
    points = rng.integers(0, 12, 900)[owner] + rng.integers(0, 2, len(owner))
    sex = np.array(["f", "m"])[rng.integers(0, 2, 900)[owner]]
    source = Table((column("who", owner), column("sex", sex), column("points", points)))
    roles = {"who": Role.IDENTIFIER, "sex": Role.NSA, "points": Role.SA}
    plan = Plan(roles, blocks_of(("points",), 4), ("sex",), persons=ByPerson("who"))
    ahead = Forecaster(prepare(source, plan), plan).forecast(AskedTable("points", None, ("sex",), "mean"), [4.0])
    read, held = [], 0
    for seed in range(8):
        reader = Reader(run(source, plan, randomness=Seeded(seed)))
        found = analyse(reader, Analysis("mean", "points", where=(Condition("sex", ("f",)),))).first
        read.append(found.high - found.low)
        held += found.low <= points[sex == "f"].mean() <= found.high
    assert np.mean(read) == pytest.approx(float((ahead.high - ahead.low)[0, 0, 0]), rel=0.15)
    assert held >= 6
