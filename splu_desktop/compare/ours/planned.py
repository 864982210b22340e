"""The draw of the current plan: what all others are held to be as strong as."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_desktop.compare.base.source import Floats, TrueTable
from splu_desktop.compare.base.system import Sanitised, System
from splu_desktop.compare.ours.groups import SpluGen
from splu_desktop.compare.ours.splu import Splu
from splu_desktop.core.mechanism import DecoyGroups, Lenders
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table


@dataclass(frozen=True)
class Planned(System):
    """Our draw at the plan's strength, by lenders or by decoy groups."""

    gamma: float
    draw: str = Lenders.name

    name = "plan"
    title = say("This plan")
    points = ()  # there is one plan alone
    setting_said = say("gamma {gamma}")

    @property
    def _own(self) -> System:
        return SpluGen(int(self.gamma)) if self.draw == DecoyGroups.name else Splu(self.gamma)

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        return self._own.publish(source, chance, progress)

    def count_law(self, source: TrueTable, count: int) -> tuple[Floats, Floats]:
        return self._own.count_law(source, count)

    def exact_epsilon(self, source: TrueTable) -> float:
        return self._own.exact_epsilon(source)


def of_plan(table: Table, plan: Plan, name: str) -> tuple[TrueTable, Planned]:
    """Return the table that a plan's draw and all others begin with, and the draw of one of its sensitive columns.

    One record per person where that is planned, columns generalised and blanked as planned. A block's column by itself
    is drawn as if alone, since law 1 holds for any function of the block; persons are compared record by record. Raises
    SpluError.
    """
    draw = plan.block_of(name).draw
    return TrueTable.of(prepare(table, plan).table, plan.nsas, name, plan.classes), Planned(draw.gamma, draw.name)
