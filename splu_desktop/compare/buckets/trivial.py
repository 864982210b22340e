"""Trivial sanitisation: the sensitive column published apart from all others (Brickell, Shmatikov, KDD 2008).

The baseline of their measures: A_know = A_acc = A_quot = 0, since nothing links a row to a value. All buckets of
Anatomy in one. The only estimate is independence: x = N_P f_s / N.
"""

from __future__ import annotations

import numpy as np

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import System
from splu_desktop.compare.buckets.anatomy import Bucketed
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass


@dataclass(frozen=True)
class TrivialSanitisation(System):
    """Two tables, with nothing to link them."""

    name = "trivial"
    title = say("Two tables apart")
    words = say(
        "The sensitive column is handed out by itself, all others without it. Whatever a method answers better than "
        "this is what it is worth; what it tells of persons beyond this is what it costs."
    )
    promise_said = say("Nothing links a person's row to a value (A_know, A_acc and A_quot are 0).")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Bucketed:
        return Bucketed(source, np.zeros(source.n, np.int64))
