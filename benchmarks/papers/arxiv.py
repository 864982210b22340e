"""The figures of the arXiv paper (mechanism A', sections 6 and 9), whose l' is gamma."""

from __future__ import annotations

import numpy as np

from benchmarks.papers.figure import Figure, Finding, Outcome, series, told
from benchmarks.papers.journal import (
    BANDS,
    GAMMA,
    LARGE,
    middles,
    small_counts,
    small_errors,
    t_f_curves,
    two_sensitive,
)
from benchmarks.papers.methods import ANATOMY, OURS, PRINTED, WHOLE_DOMAIN, Method, curve, errors
from benchmarks.papers.tables import SEED, SMALL, Tables, pool
from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.ours.splu import Stream
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.guarantees.exact import (
    expected_relative_error,
    failure_probability,
    t_f_as_published,
    t_f_exact,
    t_p,
)
from splu_desktop.core.progress import Silent

_L = (2, 4, 6, 8, 10)
_THREE = ((0.005, 0.01), (0.01, 0.02), (0.02, 0.05))
_UP = tuple((at / 100, (at + 1) / 100) for at in range(1, 5))


def _figure_1(tables: Tables) -> Outcome:
    printed, exact = t_f_as_published(GAMMA, "0.02", "0.02"), int(t_f_exact(GAMMA, "0.02", [0.02])[0])
    small, right = t_f_as_published(GAMMA, "0.2", "0.02"), int(t_f_exact(GAMMA, "0.2", [0.02])[0])
    failing = float(failure_probability(GAMMA, "0.2", [round(small)])[0])
    return Outcome(
        t_f_curves(("0.2", "0.1", "0.02")),
        (
            Finding(
                f"its formula gives {small:.1f}; there {100 * failing:.1f} % fail; right {right:,}", failing <= 0.02
            ),
            Finding(f"its formula gives {printed:.1f}; right {exact:,}", round(printed) == 49),
        ),
    )


def _figure_2(tables: Tables) -> Outcome:
    curves, gap, room = small_counts(tables)
    wrong = float(1 - PlainGroups(10).count_law(5)[4:7].sum())
    return Outcome(
        curves,
        (
            Finding(f"real draws stray from it by {gap:.3f} at most, chance allows {room:.3f}", gap <= room),
            Finding(f"{wrong:.4f}; 0.52 is the chance to be right, as its next line has it", abs(wrong - 0.52) < 0.005),
            Finding(f"T_P for alpha 3: {t_p(10, '0.3', 3):.4f}", t_p(10, "0.3", 3) > 0.5),
        ),
    )


def _figure_4(tables: Tables) -> Outcome:
    asked = pool(tables, tables.census(), _THREE, 300)
    printed, ours = (errors(tables, asked, method, _L, 1) for method in (PRINTED, OURS))
    names = ("0.5 to 1 %", "1 to 2 %", "2 to 5 %")
    curves = [
        series(f"{how}, {name}", _L, found[:, at].tolist(), theirs=how != "ours")
        for at, name in enumerate(names)
        for how, found in (("as published", printed), ("ours", ours))
    ]
    least = printed.argmin(axis=0)
    return Outcome(
        tuple(curves),
        (
            Finding(
                f"as published {told(printed[:, 2])}; ours {told(ours[:, 2])}",
                bool(printed[:, 2].min() <= 0.2),
            ),
            Finding(
                f"as published at most {told([float(printed.max())])}; ours {told([float(ours.max())])}",
                bool(printed.max() <= 0.4),
            ),
            Finding(
                f"least at l' = {', '.join(str(_L[at]) for at in least)} by selectivity as published; ours at "
                f"{', '.join(str(_L[at]) for at in ours.argmin(axis=0))}",
                bool((least > 0).all() and (least < len(_L) - 1).all()),
            ),
        ),
    )


def _figure_5(tables: Tables) -> Outcome:
    found = small_errors(tables, tables.census(), _L, (PRINTED, OURS), 300, 2)
    straight = float(np.corrcoef(_L, found[PRINTED])[0, 1])
    return Outcome(
        tuple(curve(each, _L, found[each].tolist()) for each in found),
        (
            Finding(
                f"as published {told(found[PRINTED])}; by our estimator {told(found[OURS])}",
                bool(found[OURS].min() > 0.3),
            ),
            Finding(f"correlation with l' {straight:.2f}", straight > 0.9),
        ),
    )


def _sensitive_alone(tables: Tables, gammas: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """Return (m,) counts of Occupation, and (len(gammas), m) errors of its published counts: by the law, and drawn."""
    # So few records that some occupations have 10 or fewer.
    column, chance, times = tables.census(10_000).sensitive, np.random.default_rng(SEED), tables.many(60)
    counts = column.counts()
    law = np.array([expected_relative_error(gamma, counts) for gamma in gammas])
    drawn = np.zeros(law.shape)
    for at, gamma in enumerate(gammas):
        for _ in range(times):
            drawn[at] += np.abs(PlainGroups(gamma).redraw(column, Stream(chance), Silent()).counts() - counts)
    return counts.astype(np.float64), law, drawn / times / counts


def _figure_6(tables: Tables) -> Outcome:
    counts, law, drawn = _sensitive_alone(tables, _L)
    few, many = counts <= SMALL[1], counts >= LARGE[0][0] * counts.sum()
    if not few.any():
        few = counts <= np.sort(counts)[2]
    gap = float(np.abs(drawn[:, many].mean(axis=1) / law[:, many].mean(axis=1) - 1).max())
    curves = [
        series(f"{words}, {how}", _L, found[:, some].mean(axis=1).tolist(), theirs=how == "law")
        for words, some in (("small counts", few), ("large counts", many))
        for how, found in (("law", law), ("drawn", drawn))
    ]
    words = f"small {told(law[:, few].mean(axis=1))}; large {told(law[:, many].mean(axis=1))}"
    return Outcome(
        tuple(curves),
        (
            Finding(f"{words} by the law; draws within {100 * gap:.0f} % of it", gap < 0.15),
            Finding(
                f"small over large counts: {law[1, few].mean() / law[1, many].mean():.1f} times at l' 4",
                bool(law[1, few].mean() > 2 * law[1, many].mean()),
            ),
        ),
    )


def _figure_7(tables: Tables) -> Outcome:
    counts, law, drawn = _sensitive_alone(tables, (5,))
    order = np.argsort(counts)
    share = 100 * counts[order] / counts.sum()
    rank = float(np.corrcoef(np.argsort(np.argsort(counts)), np.argsort(np.argsort(drawn[0])))[0, 1])
    return Outcome(
        (
            series("law", share.tolist(), law[0, order].tolist(), theirs=True),
            series("drawn", share.tolist(), drawn[0, order].tolist()),
        ),
        (Finding(f"rank correlation of error and count {rank:.2f}", rank < -0.9),),
    )


def _by_size(tables: Tables, method: Method) -> tuple[tuple[int, ...], Floats]:
    sizes = tuple(n for n in (20_000, 60_000, 100_000, 147_754) if n <= tables.table("census_workers").n)
    found = [errors(tables, pool(tables, tables.census(n), BANDS, 300), method, (5,), 2)[0] for n in sizes]
    return sizes, np.array(found)


def _figure_8(tables: Tables) -> Outcome:
    sizes, found = _by_size(tables, ANATOMY)
    return Outcome(
        tuple(
            series(f"Anatomy, {n:,} records", middles(BANDS), each.tolist(), theirs=True)
            for n, each in zip(sizes, found, strict=True)
        ),
        (Finding(f"{told([float(found.min())])} to {told([float(found.max())])}", bool(found.max() > 0.4)),),
    )


def _figure_9(tables: Tables) -> Outcome:
    (sizes, printed), (_, ours), (_, anatomy) = (_by_size(tables, each) for each in (PRINTED, OURS, ANATOMY))
    curves = [
        series(f"{how}, {n:,} records", middles(BANDS), each.tolist(), theirs=how != "ours")
        for how, found in (("as published", printed), ("ours", ours))
        for n, each in zip(sizes, found, strict=True)
    ]
    better, sharper = (float((found < anatomy).mean()) for found in (printed, ours))
    mean = ours.mean(axis=1)
    return Outcome(
        tuple(curves),
        (
            Finding(f"at most {told([float(printed.max())])}; ours {told([float(ours.max())])}", printed.max() <= 0.3),
            Finding(
                f"as published in {told([better])} of sizes and selectivities; ours in {told([sharper])}", better > 0.5
            ),
            Finding(
                f"as published {told(printed.mean(axis=1))} by size; ours {told(mean)}: noise shrinks with the root of "
                f"the count, their bias stays",
                bool(np.ptp(printed.mean(axis=1)) < 0.1),
            ),
        ),
    )


def _figure_10(tables: Tables) -> Outcome:
    asked = pool(tables, tables.census(100_000), _UP, 300)
    found = {each: errors(tables, asked, each, (5,), 2)[0] for each in (OURS, PRINTED, WHOLE_DOMAIN)}
    inverse = [float((1 / asked.questions.truth[asked.band == at]).mean()) for at in range(len(_UP))]
    noise = {epsilon: [100 / epsilon * each for each in inverse] for epsilon in (0.01, 0.05)}  # E|Lap(b)| = b
    x = middles(_UP)
    curves = [curve(each, x, found[each].tolist()) for each in found]
    curves += [series(f"Laplace, epsilon {e}, 100 questions", x, y, theirs=True) for e, y in noise.items()]
    whole, printed = found[WHOLE_DOMAIN], found[PRINTED]
    return Outcome(
        tuple(curves),
        (
            Finding(f"epsilon 0.01: {told(noise[0.01])}; 0.05: {told(noise[0.05])}", noise[0.05][0] > 1),
            Finding(f"as published {told(printed)}; ours {told(found[OURS])}", bool(np.ptp(printed) < 0.2)),
            Finding(
                f"mechanism A by our unbiased estimator {told(whole)}, as published {told(printed)}, ours "
                f"{told(found[OURS])}",
                bool((printed < whole).all()),
            ),
        ),
    )


def _figure_11(tables: Tables) -> Outcome:
    asked, numbers = pool(tables, tables.census(100_000), ((0.01, 0.05),), 300), (10, 25, 50, 75, 100)
    chance, inverse = np.random.default_rng(SEED), 1 / asked.questions.truth
    curves, drawn = [], {}
    for epsilon in (0.01, 0.05):
        law = [m / epsilon * float(inverse.mean()) for m in numbers]
        drawn[epsilon] = [
            float((np.abs(chance.laplace(0, m / epsilon, (50, len(inverse)))) * inverse).mean()) for m in numbers
        ]
        curves += [
            series(f"Laplace, epsilon {epsilon}, by its formula", numbers, law, theirs=True),
            series(f"Laplace, epsilon {epsilon}, drawn", numbers, drawn[epsilon]),
        ]
    flat = {each: float(errors(tables, asked, each, (5,), 2)[0, 0]) for each in (OURS, PRINTED)}
    curves += [curve(each, numbers, [error] * len(numbers)) for each, error in flat.items()]
    straight = float(np.corrcoef(numbers, drawn[0.01])[0, 1])
    return Outcome(
        tuple(curves),
        (
            Finding(f"correlation {straight:.3f}; {told(drawn[0.05])} with epsilon 0.05", straight > 0.99),
            Finding(
                f"as published {told([flat[PRINTED]])}, ours {told([flat[OURS]])}, for any number: a release is read, "
                f"not asked",
                flat[PRINTED] < drawn[0.05][-1],
            ),
        ),
    )


def _figure_12(tables: Tables) -> Outcome:
    gammas = (2, 5, 8)
    curves, printed, ours, alone = two_sensitive(tables, gammas)
    words = f"l' 2, 5, 8: two columns as published {told(printed)}, ours {told(ours)}; one column {told(alone)}"
    return Outcome(curves, (Finding(words, bool(np.nanmax(printed / alone) < 1.25)),))


FIGURES = (
    Figure(
        "arxiv-1",
        "arXiv, Fig. 1: T_E and T_f (Lemma 4, Example 1)",
        ("T_f = 11 for epsilon 0.2, T_E 0.02, l' 10", "T_f = 49 for epsilon 0.02"),
        "T_f, records",
        "T_E",
        _figure_1,
        x_log=True,
        y_log=True,
    ),
    Figure(
        "arxiv-2",
        "arXiv, Fig. 2: small counts wrong by more than 0.3 (Example 2)",
        (
            "the chance follows the binomial law",
            "5 of 10 records are missed by more than 0.3 with about 0.52",
            "the error of small counts is large",
        ),
        "true count",
        "chance to be wrong by more than 0.3",
        _figure_2,
    ),
    Figure(
        "arxiv-4",
        "arXiv, Fig. 4: large counts by l'",
        (
            "as low as 20 % for selectivity 2 to 5 %",
            "at most 40 % for others",
            "the error first falls with l', then rises",
        ),
        "l'",
        "relative error",
        _figure_4,
    ),
    Figure(
        "arxiv-5",
        "arXiv, Fig. 5: small counts by l'",
        ("small counts stay badly known (error above 0.3)", "the error grows in line with l'"),
        "l'",
        "relative error",
        _figure_5,
    ),
    Figure(
        "arxiv-6",
        "arXiv, Fig. 6: counts of the sensitive column alone, by l'",
        ("results agree with the analysis", "small counts are known much worse than large ones"),
        "l'",
        "relative error",
        _figure_6,
        y_log=True,
    ),
    Figure(
        "arxiv-7",
        "arXiv, Fig. 7: counts of the sensitive column alone, by selectivity, l' 5",
        ("the error falls with selectivity",),
        "selectivity, %",
        "relative error",
        _figure_7,
        x_log=True,
        y_log=True,
    ),
    Figure(
        "arxiv-8",
        "arXiv, Fig. 8: Anatomy by selectivity and size of the table, l 5",
        ("errors can be over 40 %",),
        "selectivity, %",
        "relative error",
        _figure_8,
    ),
    Figure(
        "arxiv-9",
        "arXiv, Fig. 9: mechanism A' by selectivity and size of the table, l' 5",
        (
            "errors are at most 30 %",
            "smaller than Anatomy's in most cases",
            "no correlation with the size of the table",
        ),
        "selectivity, %",
        "relative error",
        _figure_9,
    ),
    Figure(
        "arxiv-10",
        "arXiv, Fig. 10: beside Laplace noise for 100 questions, and mechanism A",
        (
            "Laplace noise is unacceptable for smaller selectivity",
            "selectivity matters little to mechanism A'",
            "mechanism A' is much better than mechanism A",
        ),
        "selectivity, %",
        "relative error",
        _figure_10,
        y_log=True,
    ),
    Figure(
        "arxiv-11",
        "arXiv, Fig. 11: Laplace noise by the number of questions",
        (
            "the error of Laplace answers grows linearly with their number",
            "that of a release does not depend on it, and is lower for 100 questions",
        ),
        "questions",
        "relative error",
        _figure_11,
        y_log=True,
    ),
    Figure(
        "arxiv-12",
        "arXiv, Fig. 12: two sensitive columns",
        ("at 0.1 to 0.7 % of the records the accuracy matches that of one sensitive column",),
        "l'",
        "relative error",
        _figure_12,
    ),
)
