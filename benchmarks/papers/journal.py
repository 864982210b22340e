"""The figures of the journal paper (SPLU-Gen, sections 4 and 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.papers.figure import Figure, Finding, Outcome, Series, falls, series, told
from benchmarks.papers.methods import ANATOMY, DBR, LN_2, LN_3, OURS, PRINTED, Method, curve, errors
from benchmarks.papers.tables import CENSUS, SEED, SMALL, Tables, pool, published
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.ours.as_published import Printed
from splu_desktop.compare.ours.splu import Drawn, Stream
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.estimate import Method as Estimator
from splu_desktop.core.guarantees.exact import (
    failure_probability,
    small_count_curve,
    t_f_as_published,
    t_f_curve,
    t_f_exact,
    t_p,
)
from splu_desktop.core.progress import Silent
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Table
from tests.core.tables import column as column_of

BANDS = ((0.005, 0.01), (0.01, 0.02), (0.02, 0.03), (0.03, 0.04), (0.04, 0.05))  # CENSUS
WIDE = tuple((at / 100, (at + 1) / 100) for at in range(1, 9))  # CADRMP
LARGE = ((0.005, 0.05),)
TWO = ((0.001, 0.007),)
GAMMA = 10
ALL = (OURS, PRINTED, ANATOMY, DBR)


def middles(bands: Sequence[tuple[float, float]]) -> list[float]:
    """Return the middle of each band, in per cent."""
    return [50 * (low + high) for low, high in bands]


def t_f_curves(epsilons: Sequence[str]) -> tuple[Series, ...]:
    """Return T_E against T_f, as printed and exact, gamma 10."""
    grid = np.array([float(f"{value:.3g}") for value in np.geomspace(0.001, 0.5, 60)])
    curves = []
    for epsilon in epsilons:
        exact, _, printed = t_f_curve(GAMMA, epsilon, grid)
        curves += [
            series(f"epsilon {epsilon}, printed", printed.tolist(), grid.tolist(), theirs=True),
            series(f"epsilon {epsilon}, exact", exact.tolist(), grid.tolist()),
        ]
    return tuple(curves)


def _figure_4(tables: Tables) -> Outcome:
    asked = (("0.3", "0.05"), ("0.2", "0.02"), ("0.1", "0.05"))
    at = [t_f_as_published(GAMMA, *each) for each in asked]
    failing = [float(failure_probability(GAMMA, each[0], [math.ceil(f)])[0]) for each, f in zip(asked, at, strict=True)]
    right = [int(t_f_exact(GAMMA, epsilon, [float(t_e)])[0]) for epsilon, t_e in asked]
    words = "; ".join(
        f"epsilon {epsilon}, T_E {t_e}: printed {f:.1f}, where {100 * p:.1f} % fail; right {exact:,}"
        for (epsilon, t_e), f, p, exact in zip(asked, at, failing, right, strict=True)
    )
    far = [float(failure_probability(GAMMA, epsilon, [900])[0]) for epsilon in ("0.3", "0.2", "0.1")]
    holds = all(p <= float(t_e) for (_, t_e), p in zip(asked, failing, strict=True))
    return Outcome(
        t_f_curves(("0.3", "0.2", "0.1")),
        (
            Finding(words, holds),
            Finding(f"failing at 900 with epsilon 0.3, 0.2, 0.1: {told(far)}", max(far) < 0.01),
        ),
    )


def simulated(tables: Tables, gamma: int) -> tuple[Floats, int]:
    """Return (10,) how often real draws miss a count of 1 to 10 by more than 0.3, and the number of trials of each."""
    copies, chance = 30, np.random.default_rng(SEED)
    counts = np.concatenate([np.repeat(np.arange(1, 11), copies), np.full(60, 100)])
    column = column_of("s", np.repeat(np.arange(len(counts)), counts))
    missed, times = np.zeros(10), tables.many(60)
    for _ in range(times):
        shown = PlainGroups(gamma).redraw(column, Stream(chance), Silent()).counts()[: 10 * copies].reshape(10, copies)
        true = np.arange(1, 11)[:, None]
        missed += (10 * np.abs(shown - true) > 3 * true).mean(axis=1)
    return missed / times, times * copies


def small_counts(tables: Tables) -> tuple[tuple[Series, ...], float, float]:
    """Return the curves of small counts, their largest gap from the draws, and what is chance 1 in 1,000 for it."""
    f, curves, gap, room = np.arange(1, 11), [], 0.0, 0.0
    for gamma in (2, 5, 10):
        law = small_count_curve(gamma, "0.3", 10)
        ours, trials = simulated(tables, gamma)
        curves += [
            series(f"gamma {gamma}, Lemma 2", f, law.tolist(), theirs=True),
            series(f"gamma {gamma}, our draw", f, ours.tolist()),
        ]
        gap, room = max(gap, float(np.abs(ours - law).max())), 4.3 * 0.5 / math.sqrt(trials)  # 30 points, two sides
    return tuple(curves), gap, room


def _figure_5(tables: Tables) -> Outcome:
    curves, gap, room = small_counts(tables)
    at_3 = [t_p(gamma, "0.3", 3) for gamma in (2, 5, 10)]
    at_5 = [t_p(gamma, "0.3", 5) for gamma in (2, 5, 10)]
    return Outcome(
        curves,
        (
            Finding(f"real draws stray from it by {gap:.3f} at most, chance allows {room:.3f}", gap <= room),
            Finding(f"T_P {at_3[2]:.4f}", at_3[2] >= 0.6),
            Finding(
                f"gamma 2, 5, 10: T_P {told(at_3)} for alpha 3, {told(at_5)} for alpha 5; little from 5 on",
                max(at_3) - min(at_3) < 0.05,
            ),
        ),
    )


def small_errors(
    tables: Tables, source: TrueTable, gammas: Sequence[int], methods: Sequence[Method], size: int, times: int
) -> dict[Method, Floats]:
    """Return for each method the (len(gammas),) errors of small counts."""
    asked = pool(tables, source, (SMALL,), size)
    return {method: errors(tables, asked, method, gammas, times)[:, 0] for method in methods}


def _small(tables: Tables, source: TrueTable, gammas: Sequence[int], size: int, times: int, from_: int) -> Outcome:
    methods = (*ALL, LN_3, LN_2)
    found = small_errors(tables, source, gammas, methods, size, times)
    large = [at for at, gamma in enumerate(gammas) if gamma >= from_]
    highest = all(found[PRINTED][at] >= np.nanmax([found[each][at] for each in methods[2:]]) for at in large)
    last = "; ".join(f"{each.name} {found[each][large[0]]:.2f}" for each in methods)
    straight = float(np.corrcoef(gammas, found[PRINTED])[0, 1])
    lowest = all(found[LN_3][at] <= np.nanmin([found[each][at] for each in methods[:4]]) for at in large)
    ours = found[OURS]
    return Outcome(
        tuple(curve(each, gammas, found[each].tolist()) for each in methods),
        (
            Finding(f"at gamma {gammas[large[0]]}: {last}", bool(highest)),
            Finding(f"correlation with gamma {straight:.2f}", straight > 0.9),
            Finding(f"Laplace with ln 3: {told([float(found[LN_3][large[0]])])}", bool(lowest)),
            Finding(
                f"by our estimator, the sharpest, {told([float(ours.min())])} to {told([float(ours.max())])}",
                bool(ours.min() > 0.3),
            ),
        ),
    )


_SMALL_CLAIMS = (
    "SPLU-Gen has the highest error of all methods for larger gamma",
    "it grows in line with gamma",
    "Laplace noise with epsilon ln 3 leaves small counts sharper than all others",
    "small counts stay badly known (error above 0.3)",
)


def _figure_7(tables: Tables) -> Outcome:
    return _small(tables, tables.census(), (2, 4, 6, 8, 10), 300, 2, 5)


def _figure_10(tables: Tables) -> Outcome:
    return _small(tables, tables.hospital(), (2, 4, 6, 9), 150, 1, 4)


def by_selectivity(
    tables: Tables, source: TrueTable, bands: Sequence[tuple[float, float]], gamma: int, size: int, times: int
) -> dict[Method, Floats]:
    """Return for each method the (bands,) errors of large counts."""
    asked = pool(tables, source, bands, size)
    return {method: errors(tables, asked, method, (gamma,), times)[0] for method in ALL}


def _ordered(found: dict[Method, Floats]) -> tuple[str, bool]:
    """Return the mean errors in words, and whether they rise from SPLU-Gen over Anatomy to DBR, as printed."""
    mean = {method: float(np.nanmean(each)) for method, each in found.items()}
    words = ", ".join(f"{method.name} {100 * mean[method]:.1f} %" for method in sorted(mean, key=lambda m: mean[m]))
    return f"in order: {words}", mean[PRINTED] < mean[ANATOMY] < mean[DBR]


def _figure_8(tables: Tables) -> Outcome:
    found = by_selectivity(tables, tables.census(), BANDS, 5, 500, 3)
    words, ordered = _ordered(found)
    return Outcome(
        tuple(curve(each, middles(BANDS), found[each].tolist()) for each in ALL),
        (
            Finding(f"as published {told(found[PRINTED])}; ours {told(found[OURS])}", falls(found[PRINTED])),
            Finding(f"Anatomy {told(found[ANATOMY])}", not falls(found[ANATOMY])),
            Finding(words, ordered),
        ),
    )


def _figure_9(tables: Tables) -> Outcome:
    sizes = [n for n in (20_000, 40_000, 60_000, 100_000, 147_754) if n <= tables.table("census_workers").n]
    found: dict[Method, list[float]] = {each: [] for each in ALL}
    bands: dict[Method, Floats] = {}
    for n in sizes:
        bands = by_selectivity(tables, tables.census(n), BANDS, 5, 300, 2)
        for method, each in bands.items():
            found[method].append(float(np.nanmean(each)))
    words, ordered = _ordered({method: np.array(each) for method, each in found.items()})
    wide = bands[PRINTED]
    return Outcome(
        tuple(curve(each, sizes, found[each]) for each in ALL),
        (
            Finding(f"as published {told(wide[2:])}; ours {told(bands[OURS][2:])}", bool((wide[2:] <= 0.12).all())),
            Finding(f"as published {told(wide)}; ours {told(bands[OURS])}", bool((wide <= 0.2).all())),
            Finding(words, ordered),
        ),
    )


def _figure_11(tables: Tables) -> Outcome:
    found = by_selectivity(tables, tables.hospital(), WIDE, 9, 250, 1)
    known = {method: each[~np.isnan(found[OURS])] for method, each in found.items()}
    printed, alike = known[PRINTED], [float(np.nanmax(known[each]) / np.nanmin(known[each])) for each in known]
    spread = float(np.nanmax([known[each] for each in (PRINTED, ANATOMY, DBR)], axis=0).max())
    least = float(np.nanmin([known[each] for each in (PRINTED, ANATOMY, DBR)], axis=0).min())
    words, _ = _ordered(known)
    close = float(np.nanmax(np.abs(known[ANATOMY] - printed)))
    return Outcome(
        tuple(curve(each, middles(WIDE), found[each].tolist()) for each in ALL),
        (
            Finding(f"{told([least])} to {told([spread])}; ours {told(known[OURS])}", least < 0.1 and spread < 0.3),
            Finding(f"{words}; Anatomy and SPLU-Gen as published up to {100 * close:.0f} points apart", close < 0.05),
            Finding(
                f"as published {told(printed)}; largest over smallest by method {', '.join(f'{a:.1f}' for a in alike)}",
                not falls(printed),
            ),
        ),
    )


def two_sensitive(tables: Tables, gammas: Sequence[int]) -> tuple[tuple[Series, ...], Floats, Floats, Floats]:
    """Return the curves of counts of an age group and an occupation, each drawn by itself, and the errors.

    Those as published, ours, and as published of the occupation alone where its counts are large.
    """
    table = tables.table("census_workers")
    age = table["Age"]
    of = np.minimum((np.cumsum(age.counts()) - age.counts() / 2) * 10 // age.n, 9).astype(np.int64)
    ages = column_of("Age", of[age.codes]).compacted()
    names = [name for name in CENSUS if name != "Age"]
    nsas, job = tuple(table[name] for name in names), table["Occupation"]
    chance, questions, truth = np.random.default_rng(SEED), [], []
    for _ in range(200 * tables.many(150)):
        if len(questions) >= tables.many(150):
            break
        record = int(chance.integers(table.n))
        some = [nsas[at] for at in chance.choice(len(nsas), int(chance.integers(0, 3)), replace=False).tolist()]
        meets = np.logical_and.reduce([each.codes == each.codes[record] for each in (*some, ages, job)])
        if TWO[0][0] * table.n <= meets.sum() < TWO[0][1] * table.n:
            asked = tuple(Condition(each.name, (str(each.labels[each.codes[record]]),)) for each in (*some, ages, job))
            if asked not in questions:
                questions.append(asked)
                truth.append(int(meets.sum()))
    real = np.array(truth, np.float64)
    sources = [TrueTable((), each) for each in (ages, job)]
    found = np.full((2, len(gammas)), np.nan)
    for at, gamma in enumerate(gammas):
        for row, method in enumerate((PRINTED, OURS)):
            made = [published(method.system(gamma), each, SEED + seed) for seed, each in enumerate(sources)]
            shown = [each.shown for each in made if isinstance(each, Printed | Drawn)]
            if len(shown) == 2:
                draws = dict.fromkeys(("Age", "Occupation"), PlainGroups(gamma))
                release = Published(Table((*nsas, *(each.compacted() for each in shown))), draws)
                how = Estimator.AS_PUBLISHED if method is PRINTED else Estimator.POOLED
                answers = Reader(release).answers(questions, how, vanished=True)
                found[row, at] = np.mean(np.abs(np.array([each.estimate for each in answers]) - real) / real)
    alone = errors(tables, pool(tables, tables.census(), LARGE, 300), PRINTED, gammas, 1)[:, 0]
    curves = (
        series("ours, two columns", gammas, found[1].tolist()),
        series("as published, two columns", gammas, found[0].tolist(), theirs=True),
        series("as published, one column", gammas, alone.tolist(), theirs=True),
    )
    return curves, found[0], found[1], alone


def _figure_12(tables: Tables) -> Outcome:
    gammas = (2, 4, 6, 8)
    curves, printed, ours, alone = two_sensitive(tables, gammas)
    words = f"gamma 2, 4, 6, 8: two columns as published {told(printed)}, ours {told(ours)}; one column {told(alone)}"
    return Outcome(curves, (Finding(words, bool(np.nanmax(printed / alone) < 1.25)),))


FIGURES = (
    Figure(
        "journal-4",
        "Journal, Fig. 4: T_E and T_f (Theorem 3, Lemma 1)",
        (
            "an error above epsilon is at most as likely as T_E from T_f = 1 / sqrt(gamma epsilon² T_E) on",
            "T_E becomes very small towards counts of 900",
        ),
        "T_f, records",
        "T_E",
        _figure_4,
        x_log=True,
        y_log=True,
    ),
    Figure(
        "journal-5",
        "Journal, Fig. 5: small counts wrong by more than 0.3 (Lemma 2)",
        (
            "the chance follows the binomial law",
            "T_P = 0.6 for alpha 3, gamma 10 (Example 2)",
            "the choice of gamma has little impact",
        ),
        "true count",
        "chance to be wrong by more than 0.3",
        _figure_5,
    ),
    Figure("journal-7", "Journal, Fig. 7: small counts, CENSUS", _SMALL_CLAIMS, "gamma", "relative error", _figure_7),
    Figure(
        "journal-8",
        "Journal, Fig. 8: large counts by selectivity, CENSUS, gamma 5",
        (
            "SPLU-Gen's error falls with selectivity",
            "Anatomy's does not",
            "SPLU-Gen is better than Anatomy, and Anatomy than DBR",
        ),
        "selectivity, %",
        "relative error",
        _figure_8,
    ),
    Figure(
        "journal-9",
        "Journal, Fig. 9: large counts by size of the table, CENSUS, gamma 5",
        (
            "about 10 % for selectivity 2 to 5 %",
            "at most 20 % for selectivity 0.5 to 5 %",
            "SPLU-Gen is better than Anatomy, and Anatomy than DBR",
        ),
        "records",
        "relative error",
        _figure_9,
    ),
    Figure(
        "journal-10", "Journal, Fig. 10: small counts, CADRMP", _SMALL_CLAIMS, "gamma", "relative error", _figure_10
    ),
    Figure(
        "journal-11",
        "Journal, Fig. 11: large counts by selectivity, CADRMP, gamma 9",
        (
            "errors from below 10 % to below 30 %",
            "SPLU-Gen, Anatomy and DBR are alike",
            "no clear trend with selectivity",
        ),
        "selectivity, %",
        "relative error",
        _figure_11,
    ),
    Figure(
        "journal-12",
        "Journal, Fig. 12: two sensitive columns, CENSUS",
        ("at 0.1 to 0.7 % of the records the accuracy matches that of one sensitive column",),
        "gamma",
        "relative error",
        _figure_12,
    ),
)
