"""Buckets for tolerances: the papers' examples, exhaustive search, the integer optimum."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import milp

from splu_desktop.compare.base.source import Ints
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.systems import tolerant as programme
from splu_desktop.compare.systems.tolerant import (
    BestSizes,
    Caps,
    ManySizes,
    Part,
    TwoSizes,
    best_sizes,
    caps_of,
    loss,
    many_sizes,
    partition,
    tolerances,
    two_sizes,
)
from splu_desktop.core.progress import SILENT
from tests.compare.tables import small_source


def small_case(chance: np.random.Generator, most: int) -> tuple[Ints, Caps]:
    counts = chance.multinomial(int(chance.integers(6, 24)), chance.dirichlet(np.ones(4))).astype(np.int64)
    limits = [Fraction(int(chance.integers(2, 11)), 10) for _ in range(4)]
    return counts, {size: np.array([int(limit * size) for limit in limits]) for size in range(1, most + 1)}


def least_by_enumeration(counts: Ints, caps: Caps, kinds: int) -> int | None:
    """Return the least loss of buckets of at most so many sizes, by Gale's condition on every set of sizes."""
    n, sizes, found = int(counts.sum()), list(caps), []
    for number in itertools.product(*(range(n // size + 1) for size in sizes)):
        used = [at for at, many in enumerate(number) if many]
        if np.dot(number, sizes) == n and len(used) <= kinds:
            room = {at: caps[sizes[at]] * number[at] for at in used}
            some = itertools.chain(*(itertools.combinations(used, many + 1) for many in range(len(used))))
            if all(
                np.minimum(counts, np.sum([room[at] for at in part], axis=0)).sum()
                >= sum(sizes[at] * number[at] for at in part)
                for part in some
            ):
                found.append(sum(many * (size - 1) ** 2 for many, size in zip(number, sizes, strict=True)))
    return min(found, default=None)


def test_the_examples_of_the_paper() -> None:
    counts = np.array([1] * 8 + [6] * 4 + [9] * 2)
    limits = [min(Fraction(1), 2 * Fraction(int(each), 50) + Fraction(5, 100)) for each in counts]
    room = [np.array([int(limit * size) * number for limit in limits]) for size, number in ((4, 9), (14, 1))]
    first = partition(counts, (room[0], room[1]), 36)
    assert first.tolist() == [0] * 8 + [5] * 4 + [8] * 2, "Example 4.20: one record each of x9 to x14 goes over"
    assert tolerances(np.array([29.0, 71]), 1)[0] * 100 == 31
    assert loss((Part(3, 10, counts), Part(5, 4, counts))) == 10 * 4 + 4 * 16


def test_the_best_settings_are_those_of_enumeration() -> None:
    chance = np.random.default_rng(12)
    seen = set()
    for _ in range(60):
        counts, caps = small_case(chance, 3)
        two, best = two_sizes(counts, caps), best_sizes(counts, caps, SILENT)
        seen.add(None if best is None else loss(best))
        assert (None if best is None else loss(best)) == least_by_enumeration(counts, caps, 3)
        assert (None if two is None else loss(two)) == least_by_enumeration(counts, caps, 2)
        if two is not None:
            bound = loss(two)
            assert two_sizes(counts, caps, below=bound) is None
    assert None in seen
    assert len(seen) > 4


def test_many_sizes_lie_between_the_optimum_and_two() -> None:
    chance = np.random.default_rng(3)
    ratios: list[float] = []
    while len(ratios) < 12:
        n, m = int(chance.integers(200, 1_000)), int(chance.integers(3, 8))
        counts = chance.multinomial(n, chance.dirichlet(np.full(m, 0.8))).astype(np.int64)
        caps = caps_of(tolerances(counts.astype(float), int(chance.choice([2, 4, 8]))), 12)
        two, found, best = two_sizes(counts, caps), many_sizes(counts, caps), best_sizes(counts, caps, SILENT)
        if two is None or found is None or best is None or not (least := loss(best)):
            continue
        for parts in (two, found, best):
            assert all(int(part.records.sum()) == part.size * part.number for part in parts)
            assert all((part.records <= caps[part.size] * part.number).all() for part in parts)
            assert np.array_equal(np.sum([part.records for part in parts], axis=0), counts)
        assert least <= loss(found) <= loss(two)
        ratios.append(loss(found) / least)
    assert np.mean(ratios) < 1.05


def test_the_optimum_stops_after_a_count_of_steps_whatever_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    source, steps = small_source(600, m=12), list[dict[str, float]]()

    def solve(*words: Any, options: dict[str, float], **more: Any) -> Any:
        steps.append(dict(options))
        return milp(*words, options=options, **more)

    monkeypatch.setattr(programme, "milp", solve)
    BestSizes(2).publish(source, np.random.default_rng(1), SILENT)
    assert all({"node_limit", "mip_rel_gap"} == set(options) for options in steps)
    assert steps[0]["node_limit"] == programme.NODES
    monkeypatch.setattr(programme, "NODES", 0)
    with pytest.raises(Impossible, match="more combinations"):
        BestSizes(2).publish(source, np.random.default_rng(1), SILENT)


@pytest.mark.parametrize("system", [TwoSizes, ManySizes, BestSizes])
def test_no_bucket_tells_a_value_more_surely_than_its_tolerance(system: type[TwoSizes]) -> None:
    source = small_source(600, m=12)
    outcome = system(2).publish(source, np.random.default_rng(1), SILENT)
    limits = np.array([float(f) for f in tolerances(source.counts, 2)])
    assert (outcome.counts.toarray() <= limits * np.bincount(outcome.group)[:, None] + 1e-12).all()
    assert outcome.counts.sum(axis=0) == pytest.approx(source.counts)
    with pytest.raises(Impossible, match="too frequent"):
        TwoSizes(0).publish(small_source(110), np.random.default_rng(1), SILENT)
