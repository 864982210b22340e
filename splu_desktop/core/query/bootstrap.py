"""Intervals by repeating the draw on paper, for questions on which theory gives out or whose asker wants it so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.engine import Engine, Found, Question
from splu_desktop.core.query.several_sas import Several
from splu_desktop.core.reconstruct import bootstrap as reconstruct_bootstrap
from splu_desktop.core.reconstruct.bootstrap import Law
from splu_desktop.core.reconstruct.interval import Chosen


def bootstrapped(engine: Engine, several: Several, question: Question, found: Found, progress: Progress) -> Found:
    """Return an answer with the ends of its interval from repetitions of the draw.

    Unchanged where the release tells nothing about a chosen value: no repetition helps there. Raises Cancelled.
    """
    if found.variance == 0 or not np.isfinite(found.variance):
        return found
    if any(engine.widened(sa, question.picked) > 1 for sa, _ in question.chosen):
        return found  # repetitions draw records for themselves
    whole = [sa for sa, _ in question.chosen if engine.by_matrix(sa)]
    if any(engine.tight(sa) and len(engine.matrix(sa).hidden) for sa in whole):
        return found  # nor of how far a hidden direction may stray
    laws, sets = [], []
    for sa, chosen in question.chosen:
        if sa in whole:
            way = engine.matrix(sa)
            laws.append(Law.of(way.weights(chosen), way.matrix, chosen, way.counts))
        else:
            plain = engine.transition(sa)
            laws.append(Law.plain(plain.a, plain.b, plain.signal, chosen, plain.counts))
            sets.append(Chosen.of(plain, np.flatnonzero(chosen)))
    top = float(found.n_p)
    alone = [several.alone(question, at).estimate for at in range(len(laws))] if len(laws) > 1 else [0.0]
    centre = _centre(engine, several, question, bool(whole))

    def common(x: float) -> float:
        if whole:  # what its theory says beyond the records themselves is small beside them
            return 0.0
        return sum(
            one.common(x, top if len(sets) == 1 else max(min(other for at, other in enumerate(alone) if at != bit), x))
            for bit, one in enumerate(sets)
        )

    aim = None
    if len(laws) > 1 and not whole:
        aim = float(several.aims(question)[0, question.chosen[0][1]].sum())
    reach = found.low, found.high
    low, high = reconstruct_bootstrap.ends(centre, top, alone, laws, common, aim, reach, progress)
    return replace(found, low=low, high=high, bootstrapped=True)


def _centre(engine: Engine, several: Several, question: Question, by_matrix: bool) -> float:
    """Return the unbiased estimate that intervals are about."""
    if not by_matrix and len(question.chosen) > 1:
        return several.weighed(question).centre
    if not by_matrix:
        sa, chosen = question.chosen[0]
        return engine.centre(sa, question.picked, chosen)
    return engine.product(question, [engine.best(sa).weights(chosen) for sa, chosen in question.chosen])[0]
