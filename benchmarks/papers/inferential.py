"""The figures of the inferential privacy paper (F'-privacy by buckets, section 7): occupation and education."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import cast

import numpy as np

from benchmarks.papers.figure import Figure, Finding, Outcome, Series, series, told
from benchmarks.papers.tables import SEED, Tables, published
from benchmarks.tolerance import LARGEST, problem
from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.compare.base.system import Impossible, Sanitised
from splu_desktop.compare.buckets.optimum import BestSizes, best_sizes
from splu_desktop.compare.buckets.tolerant import ManySizes, Tolerated, TwoSizes
from splu_desktop.compare.ours.splu import Splu
from splu_desktop.core.groups.search import Pruning, loss_of, mean_squared_error, two_sizes
from splu_desktop.core.progress import Silent

THETAS = (2, 4, 8, 16, 32)
MANY = (8, 16, 32)  # the recursive search takes a minute and more for stricter ones
BOTH = ("Occupation", "Education")
_ALIKE = 1.25  # times, up to which two methods are called close
KINDS = (TwoSizes, ManySizes, BestSizes)
_SECONDS = 30.0  # of one search for the integer optimum


def _counts(tables: Tables, name: str) -> Ints:
    return tables.census(sensitive=name).counts.astype(np.int64)


def _made(tables: Tables, name: str, kind: type[TwoSizes], theta: int) -> Tolerated | None:
    """Return the buckets of one method, None where there are none or they are not searched for."""
    key = "buckets", name, kind, theta
    if key not in tables.kept:
        wanted = kind is not ManySizes or theta in MANY
        tables.kept[key] = published(kind(theta), tables.census(sensitive=name)) if wanted else None
    return cast(Tolerated | None, tables.kept[key])


def _figure_2(tables: Tables) -> Outcome:
    curves, words, skewed = [], [], []
    for name, (top, low) in zip(BOTH, ((0.075, 0.0018), (0.273, 0.0044)), strict=True):
        counts = np.sort(_counts(tables, name))[::-1]
        share = 100 * counts / counts.sum()
        curves.append(series(f"{name}, ours", range(1, len(share) + 1), share.tolist()))
        ends = [1, len(share)]
        curves.append(series(f"{name}, their largest and smallest", ends, [100 * top, 100 * low], theirs=True))
        words.append(f"{name} {share[0]:.1f} % to {share[-1]:.2f} % in {len(share)} values")
        skewed.append(share[0] / share[-1] > 10)
    return Outcome(tuple(curves), (Finding("; ".join(words), all(skewed)),))


def _figure_3(tables: Tables) -> Outcome:
    curves: list[Series] = []
    words, most = [], []
    for name, theirs in zip(BOTH, (0.0018, 0.0044), strict=True):
        counts = _counts(tables, name)
        ours = [math.ceil(1 / min(problem(counts, theta)[2])) for theta in THETAS]
        curves += [
            series(f"{name}, ours", THETAS, ours),
            series(
                f"{name}, theirs", THETAS, [math.ceil(1 / (theta * theirs + 0.02)) for theta in THETAS], theirs=True
            ),
        ]
        beyond = [l_ for l_ in ours if counts.max() * l_ > counts.sum()]
        words.append(
            f"{name}: l = {', '.join(map(str, ours))}; {len(beyond)} of {len(ours)} impossible, since the most "
            f"frequent value allows {int(counts.sum() // counts.max())}"
        )
        most.append(len(beyond) > len(ours) / 2)
    return Outcome(tuple(curves), (Finding("; ".join(words), all(most)),))


def _figure_4(tables: Tables) -> Outcome:
    curves: list[Series] = []
    near_two, near_best, far = [], [], []
    for name in BOTH:
        counts = _counts(tables, name)
        n, found = int(counts.sum()), np.full((4, len(THETAS)), np.nan)
        for at, theta in enumerate(THETAS):
            for row, kind in enumerate(KINDS):
                made = _made(tables, name, kind, theta)
                if made is not None:
                    found[row, at] = mean_squared_error(made.setting)
            l_ = math.ceil(1 / min(problem(counts, theta)[2]))
            rest = n % l_
            found[3, at] = ((n // l_ - rest) * (l_ - 1) ** 2 + rest * l_**2) / (n - 1)
        titles = ("two sizes", "many sizes", "optimum", "Anatomy")
        curves += [
            series(f"{name}, {title}", THETAS, row.tolist(), theirs=title.startswith("Anatomy"))
            for title, row in zip(titles, found, strict=True)
        ]
        near_two.append(float(np.nanmax(found[0] / found[1])))
        near_best.append(float(np.nanmax(found[1] / found[2])))
        far.append(float(np.nanmin(found[3] / found[0])))
    return Outcome(
        tuple(curves),
        (
            Finding(f"Anatomy's is at least {min(far):.1f} times that of two sizes", min(far) > 1.5),
            Finding(f"two sizes over many at most: {_named(near_two)}", max(near_two) < _ALIKE),
            Finding(f"many sizes over the integer optimum at most: {_named(near_best)}", max(near_best) < _ALIKE),
        ),
    )


def _named(values: Sequence[float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in zip(BOTH, values, strict=True))


def questions_of_ranges(tables: Tables, source: TrueTable, selectivity: float = 0.01) -> CountingQuestions:
    """Return questions as Anatomy's paper draws them: 1 to d columns, b random labels of each, and b random values.

    b of m labels such that independent columns select about `selectivity`: ceil(m selectivity^(1 / (columns + 1))).
    """
    chance, number, d = np.random.default_rng(SEED), tables.many(800), len(source.columns)
    flags = [np.ones((number, column.m), bool) for column in source.columns]
    chosen = np.zeros((number, source.m), bool)
    for row in range(number):
        asked = int(chance.integers(1, d + 1))
        part = selectivity ** (1 / (asked + 1))
        for at in chance.choice(d, asked, replace=False).tolist():
            m = source.columns[at].m
            flags[at][row] = False
            flags[at][row, chance.choice(m, math.ceil(part * m), replace=False)] = True
        chosen[row, chance.choice(source.m, math.ceil(part * source.m), replace=False)] = True
    return CountingQuestions(source, tuple(flags), np.arange(number), chosen, number)


def _relative(outcome: Sanitised | None, asked: CountingQuestions) -> float:
    if outcome is None:
        return math.nan
    true = asked.truth > 0
    return float((np.abs(outcome.answer(asked).estimate - asked.truth)[true] / asked.truth[true]).mean())


def _figure_5(tables: Tables) -> Outcome:
    curves: list[Series] = []
    words, top, gained, best_gained = [], 0.0, [], []
    for name in BOTH:
        source = tables.census(sensitive=name)
        asked = questions_of_ranges(tables, source)
        found = np.array([[_relative(_made(tables, name, kind, theta), asked) for theta in THETAS] for kind in KINDS])
        ours = _relative(published(Splu(5), source), asked)
        titles = ("two sizes", "many sizes", "optimum")
        curves += [
            series(f"{name}, {title}", THETAS, row.tolist(), theirs=True)
            for title, row in zip(titles, found, strict=True)
        ]
        curves.append(series(f"{name}, SPLU gamma 5", THETAS, [ours] * len(THETAS)))
        said = ", ".join(f"{title} {told(row.tolist())}" for title, row in zip(titles, found, strict=True))
        words.append(f"{name} {said}; SPLU gamma 5 {told([ours])}")
        top = max(top, float(np.nanmax(found)))
        gained.append(float(np.nanmax(found[0] - found[1])))
        best_gained.append(float(np.nanmax(found[1] - found[2])))
    return Outcome(
        tuple(curves),
        (
            Finding("; ".join(words), top < 0.12),
            Finding(f"gains of many sizes over two at most {told(gained)}", max(gained) < 0.03),
            Finding(
                f"gains of the optimum over many sizes at most {told(best_gained)}", 0.01 < max(best_gained) < 0.03
            ),
        ),
    )


def _timed(counts: Ints, theta: int, pruning: Pruning) -> tuple[float, int | None]:
    caps_of, least, _ = problem(counts, theta)
    start = time.process_time()
    setting = two_sizes(counts, caps_of, least, LARGEST, pruning=pruning)
    return time.process_time() - start, None if setting is None else loss_of(setting)


def _optimum_timed(counts: Ints, seconds: float) -> float:
    """Return the seconds of the integer programme over any number of sizes; nan where it is not settled."""
    caps_of, least, _ = problem(counts, 8)
    start = time.process_time()
    try:
        best_sizes(counts, caps_of, least, LARGEST, Silent(), seconds=seconds)
    except Impossible:
        return math.nan
    return time.process_time() - start


def _runs(
    cases: Sequence[tuple[float, Ints]], most: float, seconds: float
) -> tuple[tuple[Series, ...], dict[Pruning, Floats], Floats]:
    """Return the curves of run times, and them; unpruned only where settings times values are few enough."""
    found = {pruning: np.full(len(cases), np.nan) for pruning in Pruning}
    for at, (_, counts) in enumerate(cases):
        losses = set()
        for pruning in Pruning:
            if pruning is Pruning.NONE and counts.sum() * len(counts) > most:
                continue
            found[pruning][at], loss = _timed(counts, 8, pruning)
            losses.add(loss)
        assert len(losses) == 1, "all prunings find the same optimum"
    best = np.full(len(cases), np.nan)
    for at, (_, counts) in enumerate(cases):
        best[at] = _optimum_timed(counts, seconds)
        if math.isnan(best[at]):
            break  # the next ones have more values
    x = [each for each, _ in cases]
    curves = [series(pruning.value, x, found[pruning].tolist(), theirs=True) for pruning in Pruning]
    return (*curves, series("optimum", x, best.tolist())), found, best


def _seconds(values: Floats) -> str:
    return ", ".join("–" if math.isnan(value) else f"{value:.2g}" for value in values)


def _times(over: Floats, under: Floats) -> str:
    return ", ".join("–" if math.isnan(value) else f"{value:.1f}" for value in over / under)


def _figure_6(tables: Tables) -> Outcome:
    whole = _counts(tables, "Occupation")
    sizes = [round(n * tables.effort) for n in (100_000, 200_000, 300_000, 400_000, 500_000)]
    shares = whole / whole.sum()
    cases = []
    for n in sizes:
        counts = np.maximum((shares * n).astype(np.int64), 1)
        counts[0] += n - counts.sum()
        cases.append((float(n), counts))
    curves, found, best = _runs(cases, 3e7, _SECONDS * tables.effort)
    none, loss, full = (found[pruning] for pruning in (Pruning.NONE, Pruning.LOSS, Pruning.FULL))
    words = f"seconds unpruned {_seconds(none)}; loss-based {_seconds(loss)}; full {_seconds(full)}"
    words += f"; optimum {_seconds(best)}"
    order = bool(np.nansum(full) <= np.nansum(loss) <= np.nansum(none))
    return Outcome(
        curves,
        (
            Finding(words, order),
            Finding(
                f"full pruning takes {full[-1] / full[0]:.1f} times as long for 5 times the records",
                bool(full[-1] < 2.5 * full[0]),
            ),
            Finding(f"optimum over no pruning: {_times(best, none)}", bool(np.nanmax(best / none) < 1)),
        ),
    )


def _figure_7(tables: Tables) -> Outcome:
    source, chance = tables.census(sensitive="Education"), np.random.default_rng(SEED)
    cases = []
    for factor in (2, 4, 8, 16, 32, 64):
        counts = np.bincount(source.sensitive.codes * factor + chance.integers(0, factor, source.n))
        cases.append((float(factor), counts[counts > 0].astype(np.int64)))
    curves, found, best = _runs(cases, 3e7, _SECONDS * tables.effort)
    none, loss, full = (found[pruning] for pruning in (Pruning.NONE, Pruning.LOSS, Pruning.FULL))
    words = f"seconds unpruned {_seconds(none)}; loss-based {_seconds(loss)}; full {_seconds(full)}"
    words += f"; optimum {_seconds(best)}"
    return Outcome(
        curves,
        (
            Finding(words, bool(max(full[-1] / full[0], loss[-1] / loss[0]) < 32)),
            Finding(
                f"settled within {_SECONDS:g} s up to {16 * 2 ** int(np.isfinite(best).sum())} values, "
                f"{np.nanmax(best) / best[0]:.1f} times as long as with 32",
                bool(np.isnan(best).any() or np.nanmax(best) > 8 * best[0]),
            ),
        ),
    )


FIGURES = (
    Figure(
        "inferential-2",
        "Inferential privacy, Fig. 2: shares of the sensitive values",
        ("Occupation from 7.5 % to 0.18 %, Education from 27.3 % to 0.44 %: skewed",),
        "value, by frequency",
        "share, %",
        _figure_2,
        y_log=True,
    ),
    Figure(
        "inferential-3",
        "Inferential privacy, Fig. 3: l that l-diversity would need",
        ("for most theta, the l-diversity that F'-privacy would need is impossible",),
        "theta",
        "l",
        _figure_3,
        x_log=True,
    ),
    Figure(
        "inferential-4",
        "Inferential privacy, Fig. 4: MSE by theta",
        (
            "Anatomy's MSE is much higher than all others'",
            "two sizes are only slightly worse than many",
            "many sizes are only slightly worse than the optimum",
        ),
        "theta",
        "MSE",
        _figure_4,
        x_log=True,
        y_log=True,
    ),
    Figure(
        "inferential-5",
        "Inferential privacy, Fig. 5: relative error of range questions, 1 % expected",
        (
            "errors are about 10 % or less",
            "many sizes gain about 2 points over two",
            "the optimum gains about 2 points over many sizes",
        ),
        "theta",
        "relative error",
        _figure_5,
        x_log=True,
    ),
    Figure(
        "inferential-6",
        "Inferential privacy, Fig. 6: run time by records, theta 8",
        (
            "full pruning is quickest, no pruning slowest",
            "full pruning hardly depends on the number of records",
            "the integer optimum takes less than no pruning",
        ),
        "records",
        "seconds",
        _figure_6,
        y_log=True,
    ),
    Figure(
        "inferential-7",
        "Inferential privacy, Fig. 7: run time by number of values, theta 8",
        ("pruned searches take little longer as values multiply by 32", "the integer optimum takes quickly more"),
        "times as many values",
        "seconds",
        _figure_7,
        x_log=True,
        y_log=True,
    ),
)
