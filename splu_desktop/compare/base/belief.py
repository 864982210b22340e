"""What is believed of a person's value after something was read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import Floats


def posterior(prior: Floats, chances: Floats, shown: NDArray[np.integer]) -> Floats:
    """Return (K, m) P(true = v | shown u) for K shown values, from a prior (m,) and T[v, u] = P(shown u | true v)."""
    joint = prior[:, None] * chances
    seen = joint.sum(axis=0)
    belief = np.divide(joint, seen, out=np.tile(prior[:, None], (1, len(seen))), where=seen > 0)
    return np.asarray(belief.T[shown])
