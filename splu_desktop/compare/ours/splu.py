"""SPLU as this program does it, by lenders or in decoy groups, and the draw of the current plan (mechanism.md).

Lenders: a record keeps its value with chance a = 1/gamma, else shows that of a random record of its class:
T_c = a I + (1 - a) 1 g_c'. Decoy groups, SPLU-Gen as the journal has it with the right matrix: r = floor(N/gamma)
groups of records with different values from (random id, value) alone, and a record shows the value of a random member:
T[v, u] = w_v w_u / f_v, T[v, v] = 1/gamma; f' = Bin(gamma f, 1/gamma).
"""

from __future__ import annotations

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import GAMMAS, system
from splu_desktop.compare.ours.redrawn import Redraw
from splu_desktop.core.mechanism import DecoyGroups, Lenders
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table


@system("splu", say("SPLU, lenders"), first=True, points=GAMMAS, span=(1.05, 50.0))
class Splu(Redraw):
    """Lenders within classes, at one gamma."""

    gamma: float

    draw = Lenders.name


@system("splu-gen", say("SPLU-Gen, decoy groups"), points=(2, 3, 5), span=(2, 30), whole=True)
class SpluGen(Redraw):
    """Decoy groups of `gamma` records with different values, in the whole table."""

    gamma: int

    draw, in_classes = DecoyGroups.name, False


@system("plan", say("This plan"), points=(), setting_said="gamma = {gamma}")
class PlannedDraw(Redraw):
    """The plan's draw: what all others are held to be as strong as."""

    gamma: float
    draw: str = Lenders.name


def of_plan(table: Table, plan: Plan, name: str) -> tuple[TrueTable, PlannedDraw]:
    """Return the table that a plan's draw and all others begin with, and the draw of one of its sensitive columns.

    One record per person where that is planned, columns generalised and blanked as planned. A block's column by itself
    is drawn as if alone, since law 1 holds for any function of the block; persons are compared record by record. Raises
    SpluError.
    """
    draw = plan.block_of(name).draw
    return TrueTable.of(prepare(table, plan).table, plan.nsas, name, plan.classes), PlannedDraw(draw.gamma, draw.name)
