"""What the papers' future work asks for, and their attacks, each with a measured figure."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.papers.claim import Tables
from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.outcome import CURVE
from splu_desktop.compare.runner import compare
from splu_desktop.compare.systems import SYSTEMS
from splu_desktop.compare.systems.anatomy import Anatomy
from splu_desktop.compare.systems.generalise import DistinctDiversity
from splu_desktop.compare.systems.splu import PlannedDraw, Splu
from splu_desktop.core.progress import SILENT
from splu_desktop.core.thresholds import Thresholds

_ROUNDS = 10  # of the de Finetti attack
_ATTACKED = ("splu", "splu-as-published", "laplace", "l-diversity", "anatomy", "retention", "cell-key")
WORDS = """- **l'-diverted zero-differential privacy** (arXiv, Definition 3): each person has l' - 1 others with whom it
  could have exchanged values, every release being exactly as likely. SPLU-Gen as published has it, with the members of
  its decoy group (Theorem 1). Its reach are these: it bounds neither what the row tells nor what many rows teach, see
  above. Ours has it of the release at hand, not of every release: a person could have exchanged its value with each
  other one of its class that shows the same value, the release being exactly as likely: {enough} of the persons with 4
  others at least, the one in the middle with {middle} (gamma 5); who alone shows a value, with nobody.
- **de Finetti** (Kifer 2009), Anatomy with l = 5: who learns from the buckets which value goes with which record is
  right in {finetti}; promised is 20 %. Ours publishes no groups: what is to be learnt is *row and classifier*.
- **minimality** (Wong, Fu, Wang, Pei 2007), l-diversity with l = 3: in {half} of the classes of six and more one value
  has half of the records or more, and who knows the algorithm knows why they were not halved. Ours makes no such
  decision: whether a value is lent depends on no value.
- **corruption** (Tao, Xiao, Li, Zhang 2008): where values are true, who knows all others knows the last. Ours is drawn
  record by record, so that all others add nothing to the row but the value's share; of a value that nobody else has,
  they name the bearer."""


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
                figures = system.t_p(source, asked), system.t_f(source, asked)
            except Impossible as fault:
                lines.append(f"| {system.title} | {system.setting} | – | not possible: {fault} | – |")
                continue
            said = "none" if math.isinf(epsilon) else f"{epsilon:.2f}"
            large = "none" if figures[1] is None else f"{figures[1]:,}"
            lines.append(f"| {system.title} | {system.setting} | {said} | {figures[0]:.3f} | {large} |")
    return lines


def attack_table(tables: Tables, draws: int) -> list[str]:
    """Return lines: the attacks that the papers name on the sample hospital, each with how often it is right."""
    source = tables.sample()
    kinds = [kind for kind in SYSTEMS if kind.name in _ATTACKED]
    found = compare(source, kinds, plan=PlannedDraw(5), size=tables.questions, draws=draws, seed=tables.seed)
    lines = [
        f"Guessing is right in {found.guess:.0%}, a classifier of the original in {found.classifier:.0%}.",
        "",
        "| method | setting | row alone | classifier (Cormode) | row and classifier (foreground) | all others known "
        "(corruption) |",
        "|---|---|---|---|---|---|",
    ]
    for tried in found.systems:
        if tried.line == CURVE and tried.draws:
            figures = [tried.spread(name) for name in ("row", "classifier", "best_reader", "insider")]
            cells = ["–" if each is None else _per_cent(each) for each in figures]
            lines.append(f"| {tried.system.title} | {tried.system.setting} | {' | '.join(cells)} |")
    chance = np.random.default_rng(tables.seed)
    finetti = _per_cent([de_finetti(source, chance) for _ in range(draws)])
    partners = [exchangeable(source, 5, chance) for _ in range(draws)]
    middle, enough = (
        np.median([np.median(each) for each in partners]),
        _per_cent([(each >= 4).mean() for each in partners]),
    )
    words = {"enough": enough, "middle": f"{middle:,.0f}", "finetti": finetti, "half": f"{minimality(source):.0%}"}
    return [*lines, "", WORDS.format(**words)]


def _per_cent(values: Sequence[float]) -> str:
    return f"{100 * np.median(values):.0f} % ({100 * min(values):.0f} to {100 * max(values):.0f})"


def exchangeable(source: TrueTable, gamma: float, chance: np.random.Generator) -> Floats:
    """Return (N,) with how many others a person could have exchanged values, the release being exactly as likely.

    T[x, y] T[x', y] is the same after an exchange of x and x' where both show the same y: so with all who show the same
    value and have another.
    """
    outcome, own = Splu(gamma).publish(source, chance, SILENT), source.sensitive.codes
    shown = outcome.drawn_values
    both = np.zeros((source.m, source.m))
    np.add.at(both, (shown, own), 1)
    return np.asarray(both.sum(axis=1)[shown] - both[shown, own])


def de_finetti(source: TrueTable, chance: np.random.Generator) -> float:
    """Return how often a learner is right who deals each bucket's values by naive Bayes, and learns from what it dealt.

    Expectation and maximisation: the shares of values of each record, within its bucket, teach the chances of labels
    given values, and these the shares.
    """
    outcome = Anatomy(5).publish(source, chance, SILENT)
    within = outcome.counts[outcome.group].toarray()
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


def minimality(source: TrueTable) -> float:
    """Return of how many classes a value fills half or more, though all classes have three values and more."""
    outcome = DistinctDiversity(3).publish(source, np.random.default_rng(1), SILENT)
    tops = outcome.counts.max(axis=1).toarray().ravel() / outcome.sizes
    large = outcome.sizes >= 6
    return float((tops[large] >= 0.5).mean())
