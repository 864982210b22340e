"""What the papers' future work asks for, and their attacks, each with a measured figure."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.papers.claim import Tables
from splu_desktop.compare.base.laws import t_f, t_p
from splu_desktop.compare.base.source import Floats
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.buckets.anatomy import Anatomy, Bucketed
from splu_desktop.compare.generalise.diversity import DistinctDiversity
from splu_desktop.compare.ours.splu import Planned
from splu_desktop.compare.outcome import CURVE
from splu_desktop.compare.runner import compare
from splu_desktop.compare.systems import SYSTEMS
from splu_desktop.core.progress import SILENT
from splu_desktop.core.thresholds import Thresholds

_ROUNDS = 10  # of the de Finetti attack


def small_sum_table(tables: Tables) -> list[str]:
    """Return lines: how far each method supports small-sum privacy, by the exact laws of its counts."""
    source, asked = tables.source("adult"), Thresholds()
    lines = [
        "| method | setting | epsilon of a record | T_P (0.3, alpha 3) | T_f (0.3, 0.05) |",
        "|---|---|---|---|---|",
    ]
    for kind in SYSTEMS:
        for system in kind.curve():
            try:
                epsilon = system.exact_epsilon(source)
                figures = t_p(system, source, asked), t_f(system, source, asked)
            except Impossible as fault:
                lines.append(f"| {system.title} | {system.setting} | – | not possible: {fault} | – |")
                continue
            said = "none" if math.isinf(epsilon) else f"{epsilon:.2f}"
            large = "none" if figures[1] is None else f"{figures[1]:,}"
            lines.append(f"| {system.title} | {system.setting} | {said} | {figures[0]:.3f} | {large} |")
    return lines


def attack_table(tables: Tables, draws: int) -> list[str]:
    """Return lines: the attacks that the papers name, each with how often it is right."""
    source = tables.source("adult")
    names = ("splu", "anatomy", "l-diversity", "retention", "laplace")
    kinds = [kind for kind in SYSTEMS if kind.name in names]
    found = compare(source, kinds, plan=Planned(5), size=tables.questions, draws=draws, seed=tables.seed)
    lines = [
        f"Guessing is right in {found.guess:.0%}, a classifier of the original in {found.classifier:.0%}.",
        "",
        "| method | setting | row alone | classifier (Cormode) | row and classifier (foreground) | all others known "
        "(corruption) |",
        "|---|---|---|---|---|---|",
    ]
    for tried in found.tried:
        if tried.line == CURVE and tried.draws:
            figures = [tried.spread(name) for name in ("row", "classifier", "best_reader", "insider")]
            cells = [
                "–" if s is None else f"{100 * s[1]:.0f} % ({100 * s[0]:.0f} to {100 * s[2]:.0f})" for s in figures
            ]
            lines.append(f"| {tried.system.title} | {tried.system.setting} | {' | '.join(cells)} |")
    chance = np.random.default_rng(tables.seed)
    finetti = [de_finetti(tables, chance) for _ in range(draws)]
    lines += [
        "",
        "- **de Finetti** (Kifer 2009), Anatomy with l = 5: who learns from the buckets which value goes with which "
        f"record is right in {_ranged(finetti)}; promised is 20 %.",
        "- **minimality** (Wong, Fu, Wang, Pei 2007), l-diversity with l = 3: in "
        f"{minimality(tables):.0%} of the classes of six and more one value has half of the records or more, and who "
        "knows the algorithm knows why they were not halved. Ours makes no such decision: whether a value is lent "
        "depends on no value.",
    ]
    return lines


def _ranged(values: list[float]) -> str:
    return f"{100 * np.median(values):.0f} % ({100 * min(values):.0f} to {100 * max(values):.0f})"


def de_finetti(tables: Tables, chance: np.random.Generator) -> float:
    """Return how often a learner is right who deals each bucket's values by naive Bayes, and learns from what it dealt.

    Expectation and maximisation: the shares of values of each record, within its bucket, teach the chances of labels
    given values, and these the shares.
    """
    source = tables.source("adult")
    outcome = Anatomy(5).publish(source, chance, SILENT)
    assert isinstance(outcome, Bucketed)
    within = outcome.parts[outcome.bucket].toarray()
    belief: Floats = within.copy()
    for _ in range(_ROUNDS):
        score = np.zeros_like(belief)
        for column in source.columns:
            counts = np.zeros((column.m, source.m))
            np.add.at(counts, column.codes, belief)
            score += np.log((counts + 0.5) / (counts.sum(axis=0) + 0.5 * column.m))[column.codes]
        belief = within * np.exp(score - score.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)
    return float((belief.argmax(axis=1) == source.sensitive.codes).mean())


def minimality(tables: Tables) -> float:
    """Return of how many classes a value fills half or more, though all classes have three values and more."""
    outcome = DistinctDiversity(3).publish(tables.source("adult"), np.random.default_rng(1), SILENT)
    tops = outcome.counts.max(axis=1).toarray().ravel() / outcome.sizes
    large = outcome.sizes >= 6
    return float((tops[large] >= 0.5).mean())
