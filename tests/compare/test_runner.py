"""The comparison: one budget, equal protection, streams of their own, readers in order."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from splu_desktop.compare import runner
from splu_desktop.compare.outcome import CERTAINTY, CURVE, SMALL_COUNTS, Comparison
from splu_desktop.compare.runner import compare, find_weakest
from splu_desktop.compare.systems import SYSTEMS, find_systems
from splu_desktop.compare.systems.generalise import KAnonymity
from splu_desktop.compare.systems.splu import PlannedDraw, Splu
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import Cancelled, WatchedProgress
from splu_desktop.core.thresholds import Thresholds
from tests.compare.tables import small_source


def compared(systems: str, **settings: Any) -> Comparison:
    return compare(
        small_source(500), find_systems(systems), plan=PlannedDraw(4), **{"size": 90, "draws": 2, "seed": 5} | settings
    )


def lines_of(comparison: Comparison, name: str) -> list[dict[str, Any]]:
    return [row for row in comparison.as_dict()["tried"] if row["system"] == name]


def test_adding_a_method_changes_no_other_line() -> None:
    few, more = compared("laplace,retention"), compared("anatomy,laplace,k-anonymity,retention,cell-key")
    for name in ("plan", "laplace", "retention"):
        assert lines_of(few, name) == lines_of(more, name)
    assert lines_of(few, "laplace") != lines_of(compared("laplace", seed=6), "laplace")


def test_every_system_has_a_row_or_says_why_not_and_who_knows_more_is_right_no_less_often() -> None:
    comparison = compared("all", draws=1)
    json.dumps(comparison.as_dict(), allow_nan=False)
    assert {each.system.name for each in comparison.systems} == {"plan", *(system.name for system in SYSTEMS)}
    for each in comparison.systems:
        assert bool(each.draws) != bool(each.impossible)
        for draw in each.draws:
            row, classifier, best, insider = (draw[name] for name in ("row", "classifier", "best_reader", "insider"))
            assert classifier is not None
            assert best is not None
            assert insider is not None
            assert comparison.guess <= classifier <= best <= insider + 1e-12
            assert row is None or comparison.guess <= row <= best
    assert comparison.systems[0].system.name == "plan"


def test_others_are_held_to_be_as_strong_as_the_plan() -> None:
    comparison = compared("retention,cell-key,anatomy", draws=1)
    plan = comparison.systems[0]
    for each in comparison.systems[1:]:
        if each.line == SMALL_COUNTS and each.draws:
            assert (each.t_p or 0) >= (plan.t_p or 0) - 0.003
        if each.line == CERTAINTY and each.draws:
            assert (each.median("best_reader") or 1) <= (plan.median("best_reader") or 0) + 0.003
    source, asked = small_source(20_000), Thresholds()
    # Two thirds to the third; below three T_P is .274 at most.
    same, why = find_weakest(Splu.curve(), lambda each: each.t_p(source, asked) >= 0.294, 1 << 17, 16, "too weak")
    assert isinstance(same, Splu)
    assert same.gamma == pytest.approx(3, rel=0.06)
    assert why == ""


def test_every_method_has_a_line_at_equal_protection_or_says_why_none_is_as_strong() -> None:
    comparison = compared("retention,cell-key,anatomy,dbr,marginals", draws=1)
    for name in {each.system.name for each in comparison.systems} - {"plan"}:
        lines = [each for each in comparison.systems if each.system.name == name and each.line != CURVE]
        assert [each.line for each in lines] == [SMALL_COUNTS, CERTAINTY]
        assert all(each.draws or "At no setting" in each.impossible for each in lines)
    anatomy = next(each for each in comparison.systems if each.system.name == "anatomy" and each.line == SMALL_COUNTS)
    assert "small counts" in anatomy.impossible, "it tells counts of the whole table exactly"
    weak, why = find_weakest(Splu.curve(), lambda system: False, 128, 4, "too weak")
    assert (weak.setting, why) == ("gamma = 50", "too weak")
    # Of four values, one seldom kept tells what is not true: strong enough in the middle of the span alone.
    some = Splu.curve()
    middle, why = find_weakest(some, lambda system: 3 <= getattr(system, "gamma", 0) <= 9, 1 << 14, 4, "too weak")
    assert why == ""
    assert getattr(middle, "gamma", 0) == pytest.approx(3, rel=0.01)
    assert find_weakest(Splu.curve(), lambda system: True, 128, 4, "too weak")[0].setting == "gamma = 1.05"


def test_a_comparison_stops_when_asked_and_says_what_was_not_finished() -> None:
    with pytest.raises(Cancelled):
        compared("laplace", progress=WatchedProgress(lambda stage, done: None, lambda: True))
    late = compared("retention", limit=1e-9)
    assert [each.impossible for each in late.systems if each.system.name == "retention"]
    with pytest.raises(BadSetting):
        compare(type(late.source)((), late.source.sensitive), [], plan=PlannedDraw(4))


def test_what_was_finished_stands_and_each_search_that_was_not_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def search_long(*given: Any) -> Any:
        clock[0] += 10
        return find_weakest(*given)

    monkeypatch.setattr(runner, "time", SimpleNamespace(thread_time=lambda: clock[0]))
    monkeypatch.setattr(runner, "find_weakest", search_long)
    late = [each for each in compared("k-anonymity", limit=5.0).systems if each.system.name == "k-anonymity"]
    assert [(each.line, bool(each.draws)) for each in late] == [
        *[(CURVE, True)] * len(KAnonymity.points), (SMALL_COUNTS, False), (CERTAINTY, False)
    ]  # fmt: skip
    assert {str(each.impossible) for each in late} == {"", "Not finished within 5 seconds."}


def test_the_same_seed_writes_the_same_comparison_and_no_time_is_in_it() -> None:
    found = [compared("splu,pram,buckets-best-sizes", draws=1).as_dict() for _ in range(2)]
    assert found[0] == found[1]
    assert not any("second" in name for name in (*found[0], *found[0]["tried"][0]["low"]))


def test_medians_and_ranges_are_over_the_draws() -> None:
    comparison = compared("retention,k-anonymity", draws=3)
    assert {len(each.draws) for each in comparison.systems if each.system.name == "retention"} <= {0, 3}
    assert {len(each.draws) for each in comparison.systems if each.system.name == "k-anonymity"} == {0, 1}
    low, middle, high = comparison.systems[0].spread("large_right") or (0, 0, 0)
    assert low <= middle <= high
    assert comparison.systems[0].median("large_right") == middle


def test_own_questions_are_answered_as_if_nothing_else_were_asked() -> None:
    source = small_source(500)
    value, name = str(source.sensitive.labels[0]), source.sensitive.name
    own = [(Condition(name, (value,)),)]
    comparison = compared("laplace,anatomy", own=own)
    (found,) = comparison.as_dict()["own"]
    assert found["truth"] == int((source.sensitive.codes == 0).sum())
    assert [answer is None for answer in found["answers"]] == [not each.draws for each in comparison.systems]
    laplace = next(at for at, each in enumerate(comparison.systems) if each.system.name == "laplace")  # epsilon ln 3
    assert abs(found["answers"][laplace]["estimate"] - found["truth"]) < 15  # of a scale below 1
    with pytest.raises(BadSetting):
        compared("laplace", own=[(Condition("a", (str(source.columns[0].labels[0]),)),)])


def test_a_table_of_fewer_records_than_small_counts_have_is_compared() -> None:
    comparison = compare(small_source(2, m=2), SYSTEMS, plan=PlannedDraw(4), size=60, draws=1, seed=5)
    json.dumps(comparison.as_dict(), allow_nan=False)
    assert comparison.systems[0].t_p == 0, "of a value that all have the count is known"
