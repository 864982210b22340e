"""k-anonymity of random parts, each generalised by itself: the classes of all of them side by side.

Every class has k records still, since classes of different parts only add to each other where their boxes agree; boxes
are wider, since a part has fewer records to make classes of. (Footnote 1 of the paper: where ranges must be the same in
the whole table, k-anonymity of the parts does not give that of the whole.)
"""

from __future__ import annotations

import numpy as np

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.generalise.classes import Generalised
from splu_desktop.compare.generalise.k_anonymity import KAnonymity
from splu_desktop.compare.partition.parts import dealt_to_parts, tables
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass


@dataclass(frozen=True)
class KAnonymityOfParts(KAnonymity):
    """Classes of `k` records and more within each of `parts` random parts."""

    parts: int = 2

    name = "k-anonymity-of-parts"
    title = say("k-anonymity of random parts")
    words = say(
        "The records are dealt at random to parts, and each part is generalised by itself: it can be done in several "
        "places, and the ranges get wider."
    )
    first = False
    points = ((5, 2), (5, 10))
    setting_said = say("k = {k}, {parts} parts")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Generalised:
        if source.n < self.parts * self.k:
            raise Impossible(
                "{n} records are too few for {parts} parts of {k} each.", n=source.n, parts=self.parts, k=self.k
            )
        part = dealt_to_parts(source.n, self.parts, chance)
        classes, start = np.empty(source.n, np.int64), 0
        for number, table in enumerate(tables(source, part)):
            own = super().publish(table, chance, progress).classes
            classes[part == number] = own + start
            start += int(own.max()) + 1
        return Generalised(source, classes)
