"""Each system of the register held against code that is not its own.

Where no outside library does the same, the paper's formula is written anew here, one record after the other, from the
paper alone. Means of draws may be five standard errors apart.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.optimize import Bounds, LinearConstraint, milp, minimize

from splu_desktop.compare.base import System, TrueTable
from splu_desktop.compare.base.questions import draw_questions
from splu_desktop.compare.systems import SYSTEMS
from splu_desktop.compare.systems.alpha_beta import AlphaBeta
from splu_desktop.compare.systems.anatomy import Anatomy, FakeValues
from splu_desktop.compare.systems.laplace import Laplace, LaplaceOfParts, log_density
from splu_desktop.compare.systems.marginals import Marginals, fit_marginals
from splu_desktop.compare.systems.matrices import DistributionBased
from splu_desktop.compare.systems.noisy_margins import NoisyMargins
from splu_desktop.compare.systems.splu import AsPublished
from splu_desktop.compare.systems.tolerant import caps_of, loss, many_sizes, tolerances
from splu_desktop.core.progress import SILENT
from tests.compare.tables import column, small_questions, small_source
from tests.optional import ROOT

Records = list[tuple[int, ...]]  # by code, the sensitive value last
DRAWS = 200


def records_of(source: TrueTable) -> Records:
    return list(zip(*(each.codes.tolist() for each in source.all_columns), strict=True))


def asked_of(source: TrueTable) -> list[tuple[int, int, int]]:
    """The label of each of the first two columns, and the value, that `small_questions` asks for."""
    return list(itertools.product(range(4), range(3), range(source.m)))


def published(system: System, source: TrueTable, seed: int = 1) -> Any:
    return system.publish(source, np.random.default_rng(seed), SILENT)


def same_law(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Check that (D, Q) figures of D draws have means and spreads as others have them."""
    off = np.abs(ours.mean(axis=0) - theirs.mean(axis=0))
    assert (off < 5 * np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / len(ours)) + 1e-9).all()
    assert ours.std(axis=0).mean() == pytest.approx(theirs.std(axis=0).mean(), rel=5 / math.sqrt(len(ours)))


def largest_buckets(values: Sequence[int], size: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """Groups of one each of the values that most records are left of, and the values left over."""
    left, groups = Counter(values), []
    while len(left) >= size:
        top = sorted(left, key=lambda value: (-left[value], value))[:size]
        groups.append(tuple(sorted(top)))
        left = Counter({value: many - (value in top) for value, many in left.items() if many > (value in top)})
    return groups, list(left.elements())


def anatomy() -> None:
    source = small_source(240, m=8)
    records, outcome = records_of(source), published(Anatomy(3), source)
    theirs, left = largest_buckets([each[-1] for each in records], 3)
    assert not left
    buckets: dict[int, list[int]] = {}
    for bucket, record in zip(outcome.group.tolist(), records, strict=True):
        buckets.setdefault(bucket, []).append(record[-1])
    assert Counter(tuple(sorted(each)) for each in buckets.values()) == Counter(theirs)
    for (a, b, value), found in zip(asked_of(source), outcome.answer(small_questions(source)).tolist(), strict=True):
        mine = [buckets[at] for at, record in zip(outcome.group, records, strict=True) if record[:2] == (a, b)]
        assert found == pytest.approx(sum(each.count(value) / len(each) for each in mine))


def as_published() -> None:
    source, gamma = small_source(241, m=8), 3
    values, outcome = source.sensitive.codes.tolist(), published(AsPublished(gamma), source)
    theirs, left = largest_buckets(values, gamma)
    assert Counter(tuple(sorted(values[at] for at in group)) for group in outcome.members.tolist()) == Counter(theirs)
    assert Counter(values[at] for at in np.flatnonzero(~outcome.kept)) == Counter(left)
    records, n = records_of(source), sum(outcome.kept)
    shown = [
        (*record[:2], value)
        for record, value, kept in zip(records, outcome.drawn_values, outcome.kept, strict=True)
        if kept
    ]
    found = outcome.answer(small_questions(source)).tolist()
    for (a, b, value), ours in zip(asked_of(source), found, strict=True):
        states = Counter(2 * (record[:2] == (a, b)) + (record[2] == value) for record in shown)
        y = x = [float(states[state]) for state in range(4)]  # neither P nor s, s alone, P alone, both
        while y[3] > 0:
            share = (x[1] + x[3]) / n
            to = {0: (1 - share, share), 1: (1 - 1 / gamma, 1 / gamma)}  # what others show, what s shows
            chance = [[to[i % 2][j % 2] * (i // 2 == j // 2) for j in range(4)] for i in range(4)]
            likely = [sum(chance[i][j] * x[i] for i in range(4)) for j in range(4)]
            old, x = x, [sum(y[j] * chance[i][j] * x[i] / likely[j] for j in range(4) if likely[j]) for i in range(4)]
            if all(abs(new - was) <= 0.01 * max(was, 1e-6) for new, was in zip(x, old, strict=True)):
                break
        assert ours == pytest.approx(min(x[3] if y[3] else 0, y[2] + y[3]), rel=1e-9, abs=1e-9)


Held = tuple[int, int, list[int]]  # size of buckets, how many, records of each value


def two_by_trial(counts: list[int], caps: dict[int, list[int]], below: float) -> list[Held] | None:
    """Algorithm 1 by trying every setting in turn; the partition gives over one record of each value in turn."""
    n, best = sum(counts), None
    for small, large in itertools.combinations(caps, 2):
        for second in range(n // large + 1):
            first, rest = divmod(n - large * second, small)
            cost = first * (small - 1) ** 2 + second * (large - 1) ** 2
            room = [
                [min(cap * b, o) for cap, o in zip(caps[s], counts, strict=True)]
                for s, b in ((small, first), (large, second))
            ]
            fits = all(one + two >= o for one, two, o in zip(*room, counts, strict=True))
            if not rest and cost < below and fits and sum(room[0]) >= small * first and sum(room[1]) >= large * second:
                below, best = cost, (small, first, large, second, room)
    if best is None:
        return None
    small, first, large, second, (held, other) = best
    turns = itertools.cycle(range(len(counts)))
    while sum(held) > small * first:
        at = next(turns)
        if held[at] and counts[at] - held[at] < other[at]:
            held[at] -= 1
    parts = (small, first, held), (large, second, [o - h for o, h in zip(counts, held, strict=True)])
    return [part for part in parts if part[1]]


def sizes_of_many() -> None:
    chance = np.random.default_rng(8)
    compared = 0
    for theta in (2, 4, 8, 2, 4, 8):
        counts = chance.multinomial(int(chance.integers(60, 150)), chance.dirichlet(np.full(4, 2.0))).astype(np.int64)
        caps = caps_of(tolerances(counts.astype(float), theta), 9)
        waiting, found = two_by_trial(counts.tolist(), {size: cap.tolist() for size, cap in caps.items()}, math.inf), 0
        ours = many_sizes(counts, caps)
        assert (ours is None) == (waiting is None)
        while waiting:  # Algorithm 2: a part is split for as long as that lowers its loss
            size, number, held = waiting.pop()
            cost = number * (size - 1) ** 2
            smaller = two_by_trial(held, {each: cap.tolist() for each, cap in caps.items()}, cost)
            found += 0 if smaller else cost
            waiting += smaller or []
        compared += ours is not None
        assert ours is None or loss(ours) == found
    assert compared > 2


def fakes() -> None:
    source, sigma = small_source(240, m=8), 2
    records, outcome = records_of(source), published(FakeValues(3, sigma), source)
    pairs = [Counter((record[at], record[-1]) for record in records) for at in range(3)]
    single = [Counter(record[at] for record in records) for at in range(4)]

    def rules_out(record: tuple[int, ...], value: int) -> bool:
        return any(
            (likely := single[at][record[at]] * single[3][value] / len(records)) >= 5
            and pairs[at][record[at], value] < likely / 10
            for at in range(3)
        )

    def counted_against(members: Records, value: int) -> int:
        likely = [[single[at][each[at]] * single[3][value] / len(records) for at in range(3)] for each in members]
        return sum(
            like >= 5 and pairs[at][each[at], value] < like / 10
            for each, row in zip(members, likely, strict=True)
            for at, like in enumerate(row)
        )

    group = outcome.group.tolist()
    members = [
        [record for record, at in zip(records, group, strict=True) if at == each] for each in range(max(group) + 1)
    ]
    for mine, added in zip(members, outcome.added.tolist(), strict=True):
        own = {record[-1] for record in mine}
        against = sorted(counted_against(mine, value) for value in range(source.m) if value not in own)
        assert sorted(counted_against(mine, value) for value in added) == against[:sigma]
    told = Counter(itertools.chain(*outcome.added.tolist(), (record[-1] for record in records)))
    found = outcome.answer(small_questions(source)).tolist()
    for (a, b, value), ours in zip(asked_of(source), found, strict=True):
        x = 0.0
        for at, record in zip(group, records, strict=True):
            if record[:2] == (a, b):
                listed = [each[-1] for each in members[at]] + outcome.added[at].tolist()
                x += (listed.count(value) - sigma * told[value] / told.total()) / len(members[at])
        assert ours == pytest.approx(max(x, 0.0), abs=1e-9)
    sure = outcome.insider(np.arange(source.n), np.ones(0), small_questions(source), None)
    for record, at, one in zip(records, group, sure.tolist(), strict=True):
        assert one == pytest.approx(1 / (1 + sum(not rules_out(record, value) for value in outcome.added[at].tolist())))


def by_distribution() -> None:
    source, rng = small_source(200, m=8), random.Random(3)
    records, questions = records_of(source), small_questions(source)
    inside = Counter(record[:2] for record in records)
    theirs = []
    for _ in range(DRAWS):
        drawn = Counter(rng.choice(records)[-1] for _ in records)
        theirs.append([inside[a, b] * drawn[value] / len(records) for a, b, value in asked_of(source)])
    ours = [published(DistributionBased(), source, seed).answer(questions) for seed in range(DRAWS)]
    same_law(np.array(ours), np.array(theirs))


def alpha_beta() -> None:
    rng, g = random.Random(4), 0.4
    domain = list(itertools.product(range(4), range(3), range(6), range(5)))
    table = set(rng.sample(domain, 60))
    assert all(len({each[at] for each in table}) == m for at, m in enumerate((4, 3, 6, 5)))
    *columns, last = (
        column(name, np.array(codes)) for name, codes in zip("abcs", zip(*sorted(table), strict=True), strict=True)
    )
    source = TrueTable(tuple(columns), last)
    d = len(table) / len(domain)
    stays = 1 - d / g  # alpha + beta
    beta = stays * d * (1 - g) / (g * (1 - d))
    theirs = []
    for _ in range(DRAWS):
        shown = [each for each in domain if rng.random() < (stays if each in table else beta)]
        counts = Counter((each[0], each[1], each[3]) for each in shown)
        theirs.append([(counts[asked] - 6 * beta) / (stays - beta) for asked in asked_of(source)])
    questions = small_questions(source)
    ours = [published(AlphaBeta(g), source, seed).answer(questions) for seed in range(DRAWS)]
    same_law(np.array(ours), np.array(theirs))


def marginals() -> None:
    # Largest entropy by its dual, a smooth convex function of one number for each entry; pairs make a circle.
    chance, shape = np.random.default_rng(2), (3, 2, 4)
    true = chance.integers(1, 30, shape).astype(float)
    pairs = [(0, 1), (1, 2), (0, 2)]
    cells = list(itertools.product(*map(range, shape)))
    entries = [(axes, key) for axes in pairs for key in itertools.product(*(range(shape[at]) for at in axes))]
    in_entry = np.array([[tuple(cell[at] for at in axes) == key for cell in cells] for axes, key in entries], float)
    shares = in_entry @ true.ravel() / true.sum()

    def dual(weights: np.ndarray) -> tuple[float, np.ndarray]:
        score = in_entry.T @ weights
        likely = np.exp(score - score.max())
        whole = math.log(likely.sum()) + score.max()
        return whole - float(weights @ shares), in_entry @ (likely / likely.sum()) - shares

    best = np.exp(
        in_entry.T @ minimize(dual, np.zeros(len(entries)), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    )
    fit = fit_marginals(true, pairs, np.full(shape, true.sum() / true.size))
    assert fit is not None
    assert fit.ravel() == pytest.approx(true.sum() * best / best.sum(), rel=1e-3)
    # An answer adds up the cells of the domain, each label by its share of the range.
    source = small_source(600)
    outcome = published(Marginals(20), source)
    found = outcome.answer(small_questions(source)).tolist()
    for (a, b, value), ours in list(zip(asked_of(source), found, strict=True))[::7]:
        ranges, share = outcome.ranges, outcome.shares
        expected = sum(
            outcome.cells[ranges[0][a], ranges[1][b], ranges[2][c], value] * share[0][a] * share[1][b] * share[2][c]
            for c in range(source.columns[2].m)
        )
        assert ours == pytest.approx(expected)


def noisy_margins() -> None:
    source, n = small_source(400, m=4), 400
    sharp, blurred = published(NoisyMargins(1e9), source), published(NoisyMargins(20.0), source)
    # The tree, without noise to speak of, by Prim's way over the distances from independence.
    codes = [groups[each.codes].tolist() for groups, each in zip(sharp.groups, source.all_columns, strict=True)]

    def distance(one: int, other: int) -> float:
        both, left, right = (
            Counter(zip(codes[one], codes[other], strict=True)),
            Counter(codes[one]),
            Counter(codes[other]),
        )
        return sum(abs(both[a, b] - left[a] * right[b] / n) for a in left for b in right)

    tree, reached = set(), {0}
    while len(reached) < 4:
        _, one, other = max((distance(a, b), a, b) for a in reached for b in range(4) if b not in reached)
        tree |= {(one, other), (other, one)}
        reached.add(other)
    assert set(sharp.edges) == tree
    # The product of the conditional shares over the tree, cell by cell of the domain.
    within = [single / np.bincount(of, single)[of] for of, single in zip(blurred.groups, blurred.single, strict=True)]

    def share(cell: tuple[int, ...], at: int, parent: int) -> float:
        found = 1.0
        for (one, behind), counts in blurred.edges.items():
            if one == at and behind != parent:
                row = counts[blurred.groups[at][cell[at]]]
                to = blurred.groups[behind][cell[behind]]
                even = counts.sum(axis=0)[to] / counts.sum()
                chance = row[to] / row.sum() if row.sum() else even
                found *= chance * within[behind][cell[behind]] * share(cell, behind, at)
        return found

    asked, found = asked_of(source), blurred.answer(small_questions(source)).tolist()
    for (a, b, value), ours in list(zip(asked, found, strict=True))[::11]:
        whole = sum(share((a, b, c, value), 3, 3) for c in range(source.columns[2].m))
        assert ours == pytest.approx(blurred.single[3][value] * whole)
    # Lap(3 (d + 1) / epsilon) on the columns' own counts, Lap(3 d / epsilon) on those of pairs.
    for at, scale in ((0, 12 / 20.0), (1, 9 / 20.0)):
        noise = [published(NoisyMargins(20.0), source, seed).told[at][1].ravel() for seed in range(100)]
        assert np.abs(np.concatenate(noise)).mean() == pytest.approx(scale, rel=5 / math.sqrt(400))


def laplace_of(system: Laplace, parts: int) -> None:
    source, rng = small_source(120, m=4), random.Random(5)
    questions = small_questions(source)
    object.__setattr__(source, "sensitivity", 2)
    records, theirs = records_of(source), []

    def noise() -> float:
        return rng.expovariate(1 / 2) - rng.expovariate(1 / 2)  # at epsilon 1

    for _ in range(DRAWS):
        dealt = [rng.randrange(parts) for _ in records]
        counts = Counter((part, record[0], record[1], record[-1]) for part, record in zip(dealt, records, strict=True))
        theirs.append([sum(counts[part, *asked] + noise() for part in range(parts)) for asked in asked_of(source)])
    ours = [published(system, source, seed).answer(questions) for seed in range(DRAWS)]
    same_law(np.array(ours), np.array(theirs))
    # The density of the sum, which an insider reads by, by convolution.
    x = np.linspace(-40, 40, 8_001)
    one = np.exp(-np.abs(x)) / np.exp(-np.abs(x)).sum()
    law = one
    for _ in range(parts - 1):
        law = np.convolve(law, one, mode="same")
    at = np.searchsorted(x, (-6.0, -1.0, 0.5, 3.0))
    density = np.exp(log_density(x[at], parts) - log_density(np.array([2.0]), parts))
    assert density == pytest.approx(law[at] / law[np.searchsorted(x, 2.0)], rel=0.02)


CHECKS: dict[str, Callable[[], None]] = {
    "anatomy": anatomy,
    "splu-as-published": as_published,
    "buckets-many-sizes": sizes_of_many,
    "buckets-with-fakes": fakes,
    "dbr": by_distribution,
    "alpha-beta": alpha_beta,
    "marginals": marginals,
    "noisy-margins": noisy_margins,
    "laplace": partial(laplace_of, Laplace(1.0), 1),
    "laplace-of-parts": partial(laplace_of, LaplaceOfParts(1.0, 3), 3),
}
# Outside libraries, enumeration, or code of its own in another file.
ELSEWHERE = {
    "splu": "core/test_mechanism.py::test_records_show_values_by_the_transition_of_their_class",
    "splu-gen": "core/test_mechanism.py::test_groups_show_values_by_their_transition",
    "k-anonymity": "compare/test_outside.py::test_classes_are_those_of_anonypy",
    "l-diversity": "compare/test_outside.py::test_what_classes_keep_is_what_pycanon_finds",
    "t-closeness": "compare/test_outside.py::test_what_classes_keep_is_what_pycanon_finds",
    "delta-disclosure": "compare/test_outside.py::test_what_classes_keep_is_what_pycanon_finds",
    "c-l-diversity": "compare/test_generalise.py::test_diversity_and_disclosure_on_counts_worked_by_hand",
    "buckets-two-sizes": "compare/test_buckets.py::test_the_best_settings_are_those_of_enumeration",
    "buckets-best-sizes": "compare/test_buckets.py::test_the_best_settings_are_those_of_enumeration",
    "retention": "compare/test_outside.py::test_a_record_changes_as_its_definition_says",
    "pram": "compare/test_outside.py::test_a_record_changes_as_its_definition_says",
    "cell-key": "compare/test_outside_in_r.py::test_cell_key_noise_is_that_of_ptable",
}


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_each_system_does_what_code_not_its_own_does(name: str) -> None:
    if name in CHECKS:
        CHECKS[name]()
    else:
        path, test = ELSEWHERE[name].split("::")
        assert f"def {test}(" in (ROOT / "tests" / path).read_text("utf-8")


def test_questions_of_the_workload_are_met_as_often_as_an_integer_programme_finds() -> None:
    source = small_source(1_000, m=6)
    questions = draw_questions(source, 90, np.random.default_rng(3), SILENT)
    flags = [*(each[questions.row] for each in questions.flags), np.eye(source.m, dtype=bool)[questions.value]]
    sizes, asked = [each.shape[1] for each in flags], len(questions.row)
    # Of the labels one is chosen in each column; a question counts at most as much as its labels are chosen.
    met = np.hstack([np.tile(np.eye(asked), (len(flags), 1)), -block_diag(*flags).astype(float)])
    one_each = np.hstack([np.zeros((len(flags), asked)), block_diag(*(np.ones((1, size)) for size in sizes))])
    best = milp(
        np.r_[-np.ones(asked), np.zeros(sum(sizes))],
        integrality=np.r_[np.zeros(asked), np.ones(sum(sizes))],
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(met, -np.inf, 0), LinearConstraint(one_each, 1, 1)],
    )
    assert questions.sensitivity == round(-float(best.fun or 0))
