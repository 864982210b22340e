"""SPLU in blocks: records are dealt to blocks value by value, decoy groups made in each (mechanism.md section 11).

Every value's count in a block is within one of its share, so that groups of gamma exist in each wherever they do in the
whole, but for one record. The number of groups, the sum of floor(n_b / gamma), falls short of floor(N / gamma) by fewer
than the blocks, and the published count of a value is a sum of the same chances of 1 in gamma: the estimator is the
whole table's.
"""

from __future__ import annotations

import numpy as np

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import Impossible
from splu_desktop.compare.ours.splu import Drawn, Splu, Stream
from splu_desktop.compare.partition.parts import dealt_by_value
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass


@dataclass(frozen=True)
class SpluBlocks(Splu):
    """Plain decoy groups within each of `blocks` blocks."""

    blocks: int = 10

    name = "splu-blocks"
    title = say("SPLU in blocks")
    words = say(
        "As decoy groups, made within random blocks of rows, so that each block can be drawn by itself. Promises and "
        "ranges stay what they are."
    )
    first = False
    points = (2, 5)
    setting_said = say("gamma {gamma}, {blocks} blocks")
    promise_said = say("Someone who finds a person's row is right about the value in 1 in {gamma} rows on average.")

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Drawn:
        draw = PlainGroups(self.gamma)
        codes = source.sensitive.codes
        block, shown = dealt_by_value(codes, self.blocks, chance), codes.copy()
        try:
            for number in range(self.blocks):
                mine = np.flatnonzero(block == number)
                progress.report(self.title, number / self.blocks)
                column = source.sensitive.take(mine)
                draw.check(column)
                drawn = draw.redraw(column, Stream(chance), progress)
                shown[mine] = drawn.codes
            return Drawn(source, draw, source.sensitive.with_codes(shown))
        except SpluError as fault:
            raise Impossible(str(fault)) from None
