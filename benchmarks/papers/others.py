"""Figures of the other papers, and two of where the papers err: the printed matrix and groups, and Theorem 2."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.figure import Figure, Finding, Outcome, series
from benchmarks.papers.journal import BANDS, middles
from benchmarks.papers.tables import SEED, Tables, pool, published
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import System
from splu_desktop.compare.generalise.classes import ClassDisclosure, Generalised
from splu_desktop.compare.generalise.closeness import Closeness
from splu_desktop.compare.generalise.delta_disclosure import DeltaDisclosure
from splu_desktop.compare.generalise.diversity import DistinctDiversity
from splu_desktop.compare.generalise.k_anonymity import KAnonymity
from splu_desktop.compare.ours.as_published import AsPublished, Printed
from splu_desktop.compare.ours.splu import Drawn, Splu, Stream
from splu_desktop.compare.partition.parts import epsilon_of_part, sharp_epsilon_of_part
from splu_desktop.compare.perturb.alpha_beta import DeletedAndInserted, chances
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.progress import Silent

_FOLDS = 5
_HALF = 0.5


def learnt(features: list[NDArray[np.integer]], target: NDArray[np.integer], chance: np.random.Generator) -> float:
    """Return how often naive Bayes, cross-validated on what was published, is right about the target."""
    fold = chance.integers(0, _FOLDS, len(target))
    classes, right = int(target.max()) + 1, 0
    for number in range(_FOLDS):
        test = fold == number
        prior = np.bincount(target[~test], minlength=classes) + _HALF
        score = np.tile(np.log(prior / prior.sum()), (int(test.sum()), 1))
        for feature in features:
            width = int(feature.max()) + 1
            counts = np.bincount(feature[~test] * classes + target[~test], minlength=width * classes)
            table = counts.reshape(width, classes) + _HALF
            score += np.log(table / table.sum(axis=0))[feature[test]]
        right += int((score.argmax(axis=1) == target[test]).sum())
    return right / len(target)


def categories(outcome: Generalised) -> list[NDArray[np.integer]]:
    """Return for each column (N,) the range that each record shows."""
    found = []
    for low, high in zip(outcome.low, outcome.high, strict=True):
        pair = low.astype(np.int64) * (int(high.max()) + 1) + high
        found.append(np.unique(pair, return_inverse=True)[1][outcome.classes])
    return found


def _brickell(tables: Tables) -> Outcome:
    """Gain of privacy's loss and of utility over the trivial sanitisation, each in points.

    Utility: how often income, a neutral attribute, is learnt from the published columns and the occupation; the trivial
    sanitisation leaves out the occupation, or all columns beside it, whichever is better for the learner.
    """
    source, income = tables.adult(), tables.table("adult")["income"].codes.astype(np.int64)
    chance = np.random.default_rng(SEED)
    columns = [column.codes.astype(np.int64) for column in source.columns]
    job = source.sensitive.codes.astype(np.int64)
    base = max(learnt(columns, income, chance), learnt([job], income, chance))
    top = learnt([*columns, job], income, chance)
    guess = float(source.shares.max())
    families: dict[str, list[System]] = {
        "k-anonymity, k 2 to 1,000": [KAnonymity(k) for k in (2, 10, 50, 200, 1_000)],
        "l-diversity, l 2 to 14": [DistinctDiversity(l_) for l_ in (2, 5, 8, 11, 14)],
        "t-closeness, t 0.5 to 0.1": [Closeness(t) for t in (0.5, 0.4, 0.3, 0.2, 0.1)],
        "delta-disclosure, delta 3 to 0.5": [DeltaDisclosure(delta) for delta in (3.0, 2.0, 1.5, 1.0, 0.5)],
    }
    curves, gains, losses, best = [], [], [], -math.inf
    for title, systems in families.items():
        lost, gained = [], []
        for system in systems:
            outcome = published(system, source)
            assert isinstance(outcome, Generalised | None)
            if outcome is None:
                continue
            disclosed = ClassDisclosure.of(outcome.counts)
            lost.append(100 * disclosed.accuracy)
            gained.append(100 * (learnt([*categories(outcome), job], income, chance) - base))
        curves.append(series(title, lost, gained, theirs=True))
        gains += gained
        losses += lost
        best = max(best, *gained)
    ours_lost, ours_gained = [], []
    for gamma in (2, 3, 5, 7):
        drawn = published(Splu(gamma), source)
        if isinstance(drawn, Drawn):
            shown = drawn.shown.codes.astype(np.int64)
            belief = drawn.row(np.arange(source.n, dtype=np.int64))
            ours_lost.append(100 * (float((belief.argmax(axis=1) == job).mean()) - guess))
            ours_gained.append(100 * (learnt([*columns, shown], income, chance) - base))
    curves += [
        series("SPLU, gamma 2 to 7, row alone", ours_lost, ours_gained),
        series("original", [100 * (1 - guess)], [100 * (top - base)]),
        series("trivial", [0.0], [0.0], theirs=True),
    ]
    more = sum(loss > gain for loss, gain in zip(losses, gains, strict=True))
    return Outcome(
        tuple(curves),
        (
            Finding(
                f"income learnt rightly: trivial {100 * base:.1f} %, original {100 * top:.1f} %; best generalised "
                f"{best:+.1f} points on the trivial; SPLU {', '.join(f'{gain:+.1f}' for gain in ours_gained)}",
                best <= 1.0,
            ),
            Finding(
                f"{more} of {len(gains)} settings cost the persons more points (A_acc) than they bring the learner",
                more > 0.8 * len(gains),
            ),
        ),
    )


def _rho(source: TrueTable, tables: Tables, alpha: float, beta: float) -> float:
    """Return the 95 % quantile of |estimate - truth| / sqrt(n)."""
    asked = pool(tables, source, ((0.0005, 1.0),), 200)
    gaps: list[Floats] = []
    for seed in range(tables.many(4)):
        outcome = DeletedAndInserted(source, alpha, beta, np.random.default_rng(SEED + seed))
        gaps.append(np.abs(outcome.unbiased(asked.questions) - asked.questions.truth))
    return float(np.quantile(np.concatenate(gaps), 0.95) / math.sqrt(source.n))


def _rastogi(tables: Tables) -> Outcome:
    names, believed = ("Age", "Education", "Marital", "WorkClass", "Gender", "Race"), (0.2, 0.5)
    whole, chance = tables.table("census_workers"), np.random.default_rng(SEED)
    order = chance.permutation(whole.n)
    sizes = [n for n in (2_000, 5_000, 15_000, 50_000, 147_754) if n <= whole.n] or [whole.n]
    # The domain is that of the whole table, however many records are drawn from it.
    columns, sensitive = [whole[name].compacted() for name in names], whole["Occupation"].compacted()
    domain = math.prod([*(column.m for column in columns), sensitive.m])
    curves, steady, words, near = [], [], [], []
    for belief in believed:
        found = []
        for n in sizes:
            some = order[:n]
            source = TrueTable(tuple(column.take(some) for column in columns), sensitive.take(some))
            alpha, beta = chances(n / domain, belief)
            found.append(_rho(source, tables, alpha, beta))
        curves += [
            series(f"belief {belief}, measured, 19 in 20", sizes, found),
            series(f"belief {belief}, sqrt(k / gamma)", sizes, [math.sqrt(1 / belief)] * len(sizes), theirs=True),
        ]
        steady.append(max(found) / min(found))
        near.append(max(found) / math.sqrt(1 / belief))
        words.append(f"belief {belief}: {', '.join(f'{rho:.2f}' for rho in found)}")
    return Outcome(
        tuple(curves),
        (
            Finding(f"{'; '.join(words)} for n = {', '.join(f'{n:,}' for n in sizes)}", max(steady) < 2),
            Finding(
                f"at most {', '.join(f'{each:.2f}' for each in near)} times sqrt(k / gamma), k = 1", max(near) <= 1
            ),
        ),
    )


def _matrix_and_groups(tables: Tables) -> Outcome:
    """Mean signed error of large counts, by whose groups and whose matrix, gamma 5."""
    source = tables.census()
    asked = pool(tables, source, BANDS, 400)
    truth = asked.questions.truth
    found: dict[tuple[str, str], list[Floats]] = {}
    for seed in range(tables.many(3)):
        theirs, chance = published(AsPublished(5), source, SEED + seed), np.random.default_rng(SEED + seed)
        assert isinstance(theirs, Drawn)
        shown = PlainGroups(5).redraw(source.sensitive, Stream(chance), Silent())
        for groups, codes in (("their groups", theirs.shown), ("our groups", shown)):
            for matrix, kind in (("their matrix", Printed), ("right matrix", Drawn)):
                answers = kind(source, PlainGroups(5), codes).answer(asked.questions)
                gap = (answers.estimate - truth) / truth
                bias = np.array([gap[asked.band == at].mean() for at in range(asked.bands)])
                found.setdefault((groups, matrix), []).append(bias)
    mean = {key: np.mean(each, axis=0) for key, each in found.items()}
    curves = [
        series(", ".join(key), middles(BANDS), each.tolist(), theirs=key[1] == "their matrix")
        for key, each in mean.items()
    ]
    at = {key: float(np.mean(each)) for key, each in mean.items()}

    def off(groups: str, matrix: str) -> str:
        return f"{groups}, {matrix} {100 * at[groups, matrix]:+.1f} %"

    alone = abs(at["our groups", "right matrix"])
    return Outcome(
        tuple(curves),
        (
            Finding(
                f"{off('our groups', 'their matrix')}; {off('our groups', 'right matrix')}",
                abs(at["our groups", "their matrix"]) <= alone + 0.02,
            ),
            Finding(
                f"{off('their groups', 'right matrix')}; {off('our groups', 'right matrix')}; "
                f"{off('their groups', 'their matrix')}",
                abs(at["their groups", "right matrix"]) <= alone + 0.02,
            ),
        ),
    )


def _partition(tables: Tables) -> Outcome:
    epsilon, shares = math.log(3), [at / 20 for at in range(1, 20)]
    printed = [epsilon_of_part(epsilon, share) for share in shares]
    sharp = [sharp_epsilon_of_part(epsilon, share) for share in shares]
    above = next(share for share, value in zip(shares, printed, strict=True) if value > epsilon)
    half = shares.index(0.5)
    return Outcome(
        (
            series("Theorem 2, printed", shares, printed, theirs=True),
            series("ln(1 + beta (e^epsilon - 1)), sharp", shares, sharp),
            series("epsilon itself, ln 3", [0.05, 0.95], [epsilon, epsilon]),
        ),
        (
            Finding(
                f"epsilon {epsilon:.4f}: at half the records printed {printed[half]:.4f}, above epsilon from "
                f"{100 * above:.0f} % on; sharp {sharp[half]:.4f}, never above",
                max(printed) <= epsilon,
            ),
        ),
    )


FIGURES = (
    Figure(
        "matrix-and-groups",
        "Bias of the journal’s matrix (Fig. 6) and groups (step 2), CENSUS, gamma 5",
        (
            "the printed transition of other values, f_s / N, is right",
            "groups of the largest buckets first serve as well as any",
        ),
        "selectivity, %",
        "mean of (estimate - truth) / truth",
        _matrix_and_groups,
    ),
    Figure(
        "partition",
        "Clifton and others: epsilon' of a random part (Theorem 2)",
        ("who gets one random part learns less than from the whole: epsilon' bounds it below epsilon",),
        "share of the records in the part",
        "epsilon'",
        _partition,
    ),
    Figure(
        "brickell",
        "Brickell and Shmatikov: the cost of privacy, adult",
        (
            "generalising brings the learner no more than the trivial sanitisation",
            "it costs the persons more than it brings the learner",
        ),
        "what a row tells more than the whole table does (A_acc), points",
        "income learnt better than from the trivial, points",
        _brickell,
    ),
    Figure(
        "rastogi",
        "Rastogi, Suciu and Hong: rho against n",
        (
            "the error is at most rho sqrt(n), with a rho that does not depend on n",
            "rho = sqrt(k / gamma), gamma being the largest belief",
        ),
        "records n",
        "rho",
        _rastogi,
        x_log=True,
    ),
)
