"""The register of systems, in the order in which they are shown: a system becomes known by its line here."""

from __future__ import annotations

from splu_desktop.compare.base import System
from splu_desktop.compare.systems import (
    alpha_beta,
    anatomy,
    cell_key,
    generalise,
    laplace,
    marginals,
    matrices,
    noisy_margins,
    splu,
    tolerant,
)
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import none_of

SYSTEMS: tuple[type[System], ...] = (
    splu.Splu,
    splu.SpluGen,
    splu.AsPublished,
    laplace.Laplace,
    noisy_margins.NoisyMargins,
    laplace.LaplaceOfParts,
    generalise.KAnonymity,
    generalise.DistinctDiversity,
    generalise.RecursiveDiversity,
    generalise.Closeness,
    generalise.DeltaDisclosure,
    anatomy.Anatomy,
    tolerant.TwoSizes,
    tolerant.ManySizes,
    tolerant.BestSizes,
    anatomy.FakeValues,
    matrices.Retention,
    matrices.DistributionBased,
    matrices.Pram,
    alpha_beta.AlphaBeta,
    marginals.Marginals,
    cell_key.CellKey,
)
FIRST = tuple(system for system in SYSTEMS if system.first)  # the nine that are shown first, beside the plan


def find_systems(names: str) -> tuple[type[System], ...]:
    """Return the systems of these names, by comma, "first" or "all". Raises BadSetting."""
    known = {system.name: system for system in SYSTEMS}
    if names.strip() in ("all", "first"):
        return SYSTEMS if names.strip() == "all" else FIRST
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted or [names]:
        if name not in known:
            raise BadSetting(none_of(name, ("all", "first", *known)))
    return tuple(known[name] for name in dict.fromkeys(wanted))
