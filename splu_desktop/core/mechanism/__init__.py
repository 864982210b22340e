"""The trusted core: all that touches randomness, with law, proof and test in each public docstring."""

from __future__ import annotations

from splu_desktop.core.mechanism.classes import (
    CLASS,
    LEAST,
    NUMBER,
    ClassCell,
    Classes,
    Units,
    keep_even_rows,
    make_classes,
)
from splu_desktop.core.mechanism.decoy_groups import DecoyGroups
from splu_desktop.core.mechanism.draw import Block, Draw, draw_as_dict, draw_from, draw_names, register
from splu_desktop.core.mechanism.lenders import LenderPool, Lenders
from splu_desktop.core.mechanism.randomness import Randomness, SystemRandomness, below, permutation
