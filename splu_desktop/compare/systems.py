"""The register of systems, in the order in which they are shown: a system becomes known by its line here."""

from __future__ import annotations

from splu_desktop.compare.base.system import System
from splu_desktop.compare.buckets.anatomy import Anatomy
from splu_desktop.compare.buckets.optimum import BestSizes
from splu_desktop.compare.buckets.tolerant import ManySizes, TwoSizes
from splu_desktop.compare.buckets.trivial import TrivialSanitisation
from splu_desktop.compare.counts.cell_key import CellKey
from splu_desktop.compare.counts.laplace import Laplace, LaplaceEach
from splu_desktop.compare.generalise.closeness import Closeness, OrderedCloseness
from splu_desktop.compare.generalise.delta_disclosure import DeltaDisclosure
from splu_desktop.compare.generalise.diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from splu_desktop.compare.generalise.k_anonymity import KAnonymity
from splu_desktop.compare.marginals.kifer import Marginals
from splu_desktop.compare.ours.as_published import AsPublished
from splu_desktop.compare.ours.splu import Splu, SpluJoined, SpluSeveralSizes
from splu_desktop.compare.partition.blocks import SpluBlocks
from splu_desktop.compare.partition.generalised_parts import KAnonymityOfParts
from splu_desktop.compare.partition.noisy_parts import LaplaceOfParts
from splu_desktop.compare.perturb.alpha_beta import AlphaBeta
from splu_desktop.compare.perturb.distribution import DistributionBased
from splu_desktop.compare.perturb.local import RandomisedResponse, SubsetSelection
from splu_desktop.compare.perturb.pram import InvariantPram, Pram
from splu_desktop.compare.perturb.retention import Retention
from splu_desktop.core.errors import BadSetting

SYSTEMS: tuple[type[System], ...] = (
    Splu,
    SpluSeveralSizes,
    SpluJoined,
    SpluBlocks,
    AsPublished,
    Anatomy,
    TwoSizes,
    ManySizes,
    BestSizes,
    KAnonymity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    Closeness,
    OrderedCloseness,
    DeltaDisclosure,
    KAnonymityOfParts,
    Marginals,
    TrivialSanitisation,
    Retention,
    DistributionBased,
    Pram,
    InvariantPram,
    RandomisedResponse,
    SubsetSelection,
    AlphaBeta,
    CellKey,
    Laplace,
    LaplaceEach,
    LaplaceOfParts,
)


def named(names: str) -> tuple[type[System], ...]:
    """Return the systems of these names, by comma, or "all". Raises BadSetting."""
    known = {system.name: system for system in SYSTEMS}
    wanted = list(known) if names.strip() == "all" else [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted or [names]:
        if name not in known:
            raise BadSetting(
                "There is no system “{name}”; say all, or some of {known}.", name=name, known=", ".join(known)
            )
    return tuple(known[name] for name in dict.fromkeys(wanted))
