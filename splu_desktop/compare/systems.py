"""The register of systems, in the order in which they are shown: a system becomes known by its line here."""

from __future__ import annotations

from splu_desktop.compare.base.system import System
from splu_desktop.compare.buckets.anatomy import Anatomy
from splu_desktop.compare.buckets.fakes import FakeValues
from splu_desktop.compare.buckets.optimum import BestSizes
from splu_desktop.compare.buckets.tolerant import ManySizes, TwoSizes
from splu_desktop.compare.counts.cell_key import CellKey
from splu_desktop.compare.counts.laplace import Laplace, LaplaceEach, LaplaceOfParts
from splu_desktop.compare.counts.noisy_margins import NoisyMargins
from splu_desktop.compare.generalise.conditions import (
    Closeness,
    DeltaDisclosure,
    DistinctDiversity,
    KAnonymity,
    RecursiveDiversity,
)
from splu_desktop.compare.marginals.kifer import Marginals
from splu_desktop.compare.ours.as_published import AsPublished
from splu_desktop.compare.ours.splu import Splu, SpluGen
from splu_desktop.compare.perturb.alpha_beta import AlphaBeta
from splu_desktop.compare.perturb.matrices import DistributionBased, Pram, Retention
from splu_desktop.core.errors import BadSetting

SYSTEMS: tuple[type[System], ...] = (
    Splu,
    SpluGen,
    AsPublished,
    Laplace,
    NoisyMargins,
    LaplaceEach,
    LaplaceOfParts,
    KAnonymity,
    DistinctDiversity,
    RecursiveDiversity,
    Closeness,
    DeltaDisclosure,
    Anatomy,
    TwoSizes,
    ManySizes,
    BestSizes,
    FakeValues,
    Retention,
    DistributionBased,
    Pram,
    AlphaBeta,
    Marginals,
    CellKey,
)
FIRST = tuple(system for system in SYSTEMS if system.first)  # the nine that are shown first, beside the plan


def named(names: str) -> tuple[type[System], ...]:
    """Return the systems of these names, by comma, "first" or "all". Raises BadSetting."""
    known = {system.name: system for system in SYSTEMS}
    if names.strip() in ("all", "first"):
        return SYSTEMS if names.strip() == "all" else FIRST
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted or [names]:
        if name not in known:
            raise BadSetting(
                "There is no system “{name}”; say all, first, or some of {known}.", name=name, known=", ".join(known)
            )
    return tuple(known[name] for name in dict.fromkeys(wanted))
