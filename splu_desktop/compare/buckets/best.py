"""The best buckets of any number of sizes (inferential privacy paper, Definition 3.10), by integer programming.

The least sum over sizes S of b_S (S - 1)^2 such that sum of S b_S = N and all records have room. A bucket of S has room
for min(S, sum over i in X of floor(f'_i S)) records of the values in X; by Gale's theorem on flows the records fit iff
for every set X of values all buckets together have room for its records. The sets are too many to write down, so the
programme begins with a few and gets the one that the flow's smallest cut names, for as long as records are left over.
Unknowns are the numbers b; the paper's programme has one more per value and size.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from splu_desktop.compare.base import Flags, Impossible, Ints, system
from splu_desktop.compare.buckets.settings import Caps, Part, Parts
from splu_desktop.compare.buckets.tolerant import TwoSizes
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress

NODES = 1_000  # of all programmes together: 46 values take up to 4, 60 up to 423; 651 are not settled
_NONE = 2  # what HiGHS says of constraints that nothing meets


def best_sizes(counts: Ints, caps: Caps, progress: Progress = SILENT) -> Parts | None:
    """Return the buckets of least loss over any number of sizes; None where none keep the limits.

    Raises Impossible where the optimum takes more than `NODES`, on any machine alike; Cancelled.
    """
    sizes, room, left = np.array(list(caps)), np.stack(list(caps.values()), axis=1), NODES
    below = np.tri(len(counts), dtype=bool)[:, np.argsort(np.argsort(counts, kind="stable"))]
    # Each value by itself, the rarest ones, the most frequent ones.
    sets = np.concatenate([np.eye(len(counts), dtype=bool), below, ~below])
    while left > 0:
        progress.report("Comparing", 1 - left / NODES)
        found = milp(
            (sizes - 1.0) ** 2,
            integrality=np.ones(len(sizes), np.int64),
            bounds=Bounds(0, np.inf),
            constraints=[
                LinearConstraint(sizes[None], counts.sum(), counts.sum()),
                LinearConstraint(np.minimum(sizes, sets.astype(np.int64) @ room), sets @ counts, np.inf),
            ],
            options={"node_limit": left, "mip_rel_gap": 0.0},
        )
        if found.status == _NONE:
            return None
        if found.status != 0:
            break
        left -= max(int(found.mip_node_count), 1)
        number = np.rint(found.x).astype(np.int64)
        held, crowded = _deal(counts, np.minimum(room * number, counts[:, None]), sizes * number)
        if not crowded.any():
            return tuple(Part(int(sizes[at]), int(number[at]), held[:, at]) for at in np.flatnonzero(number))
        sets = np.vstack([sets, crowded])
    raise Impossible("The columns have more combinations of values than this method can go through.")


def _deal(counts: Ints, room: Ints, places: Ints) -> tuple[Ints, Flags]:
    """Return (m, q) records of each value for the buckets of each size, and (m,) the values with too little room."""
    m, q = room.shape
    edges = np.zeros((m + q + 2, m + q + 2), np.int32)
    edges[0, 1 : m + 1], edges[1 : m + 1, m + 1 : -1], edges[m + 1 : -1, -1] = counts, room, places
    flow = maximum_flow(sparse.csr_array(edges), 0, m + q + 1).flow.toarray()
    crowded = np.zeros(m + q + 2, bool)
    if flow[0].sum() < counts.sum():
        crowded[breadth_first_order(sparse.csr_array(edges - flow), 0, return_predecessors=False)] = True
    return flow[1 : m + 1, m + 1 : -1].astype(np.int64), crowded[1 : m + 1]


@system("buckets-best-sizes", say("F'-privacy, the best buckets"), span=None)
class BestSizes(TwoSizes):
    """Buckets of the sizes with the least loss."""

    find_parts = staticmethod(best_sizes)
