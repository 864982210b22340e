"""A workload of random questions, asked of the release and judged by the source. Runs in the worker."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.query import workload
from splu_desktop.core.query.reader import DEFAULT, Method
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.words import number, percent, told
from splu_desktop.gui.query.work import Asker

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Accuracy:
    """How well the release answers.

    Attributes
    ----------
    bands : names of the B bands of true counts.
    ends : the upper ends of the bands, alone.
    queries : (B,) questions asked.
    error, error_published : (B,) mean relative error of the estimate, and of the count as published by the papers.
    coverage : (B,) share of 95 % intervals that hold the true count.
    wrong : (10,) share of the answers to true counts of 1, 2, ... that are wrong by more than epsilon; NaN for none.
    asked : (10,) questions behind it.
    epsilon, alpha : as asked of the guarantees.
    t_p : what is promised up to alpha, None where several columns were asked together.
    """

    bands: tuple[str, ...]
    ends: tuple[str, ...]
    queries: NDArray[np.int64]
    error: Floats
    error_published: Floats
    coverage: Floats
    wrong: Floats
    asked: NDArray[np.int64]
    epsilon: float
    alpha: int
    t_p: float | None

    @property
    def total(self) -> int:
        """Questions asked."""
        return int(self.queries.sum())


def judge(asker: Asker, sas: tuple[str, ...], size: int, sets: bool, progress: Progress) -> Accuracy:
    """Draw questions from the source, ask the release, compare. Raises BadQuestion; Cancelled."""
    published = asker.published
    with asker.lock:
        source = asker.truth(progress).table
        drawn = workload.draw(source, published.nsas, sas, size=size, sets=sets, progress=progress)
        measured = workload.measure(drawn, [published], (DEFAULT, Method.AS_PUBLISHED), progress=progress)
        small = np.flatnonzero(drawn.truth <= workload.SMALL)
        progress.report("Asking", 0.9)
        answers = asker.reader.answers([drawn.questions[at] for at in small], vanished=True)
    truth = drawn.truth[small]
    asked = published.thresholds
    off = np.abs(np.array([answer.estimate for answer in answers]) - truth) > asked.epsilon * truth
    counts = np.bincount(truth, minlength=workload.SMALL + 1)[1:]
    wrong = np.bincount(truth, off, minlength=workload.SMALL + 1)[1:]
    promised = None
    draw = published.draws[sas[0]] if len(sas) == 1 else None
    if draw is not None and all(draw.limit(str(label)) < 1 for label in published.table[sas[0]].labels):
        promised = draw.t_p(asked)  # of values that are not to be protected nothing is promised
    return Accuracy(
        bands=tuple(told(name) for name in measured.names),
        ends=(number(workload.SMALL), *(percent(high) for _, high in workload.BANDS)),
        queries=measured.queries,
        error=measured.errors[DEFAULT],
        error_published=measured.errors[Method.AS_PUBLISHED],
        coverage=measured.coverage,
        wrong=np.divide(wrong, counts, out=np.full(len(counts), np.nan), where=counts > 0),
        asked=counts,
        epsilon=asked.epsilon,
        alpha=asked.alpha,
        t_p=promised,
    )
