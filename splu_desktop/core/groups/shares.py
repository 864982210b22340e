"""How many records of each value stand in groups of each size.

The sizes and the share of the records in each leave many partitions open. The one chosen spreads every value over the
sizes in the same proportion as far as its tolerance lets it: K_ij = min(u_ij, r_i s_j), the bounded partition of
largest entropy. It is a smooth function of the counts, so a reader who knows the sizes and shares finds nearly the same
partition from the published counts, and nothing per value has to be published.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STEPS = 40  # of Newton; some ten are usual
_ROUNDS = 300  # of alternate scaling, where Newton's steps lead nowhere
_CLOSE = 1e-9


def spread(counts: Floats, room: Floats, bounds: Floats) -> Floats:
    """Return (m, q) K with rows adding up to `counts` and columns to `room`, K_ij <= bounds_ij.

    Where no such K exists (published counts need not fit exactly) the rows keep their sums as far as the bounds let
    them and the columns come as near as they can.
    """
    if bounds.shape[1] == 1:  # nothing to share out; published counts that groups can't hold had 300 rounds of it
        return np.asarray(np.minimum(counts[:, None], bounds), np.float64)
    room = room.astype(np.float64)
    columns, matrix, gap = _by_newton(counts, room, bounds)
    with np.errstate(over="ignore", invalid="ignore"):  # columns that can't be filled grow without end
        for _ in range(_ROUNDS):
            if gap <= _CLOSE * room.sum():
                break
            rows = np.divide(matrix, columns, out=np.zeros_like(matrix), where=columns > 0).max(axis=1)
            scaled = _factors(room, rows / max(float(rows.max()), 1e-300), bounds.T)
            scaled /= max(float(scaled.max()), 1e-300)
            if not np.isfinite(scaled).all():
                break
            columns = scaled
            matrix = _scaled(counts, columns, bounds)
            gap = float(np.abs(matrix.sum(axis=0) - room).max())
    return matrix


def slopes(matrix: Floats, counts: Floats, bounds: Floats) -> Floats:
    """Return (q, m, m) dK_vj / df_w at K = `spread`'s (m, q) matrix, rooms kept; parts at bounds stay there.

    K_vj = r_v s_j gives dK_vj = K_vj (d log r_v + d log s_j), and the sums settle both logarithms.
    """
    free = np.where((matrix < bounds) | (bounds >= counts[:, None]), matrix, 0.0)
    rows = free.sum(axis=1, keepdims=True)
    part = np.divide(free, rows, out=np.zeros_like(free), where=rows > 0)
    inner = np.diag(free.sum(axis=0)) - free.T @ part
    columns = -np.linalg.pinv(inner, rcond=1e-9, hermitian=True) @ part.T
    moved = free.T[:, :, None] * (columns[:, None] - part @ columns)
    moved[:, range(len(counts)), range(len(counts))] += part.T
    return np.asarray(moved, np.float64)


def _by_newton(counts: Floats, room: Floats, bounds: Floats) -> tuple[Floats, Floats, float]:
    """Return (q,) column factors, the matrix that they make and by how much its column sums miss `room`, by Newton.

    The sums' derivative by the factors' logarithms is the sum over rows of diag(k) - k k' / sum(k), with k the entries
    of the row that are not at their bounds.
    """
    columns = room / max(float(room.sum()), 1e-300)
    matrix = _scaled(counts, columns, bounds)
    gap = float(np.abs(matrix.sum(axis=0) - room).max())
    for _ in range(_STEPS):
        if gap <= _CLOSE * room.sum():
            break
        free = np.where(matrix < bounds, matrix, 0.0)
        part = np.divide(free, free.sum(axis=1, keepdims=True), out=np.zeros_like(free), where=free > 0)
        slope = np.diag(free.sum(axis=0)) - free.T @ part
        slope += (1e-12 * max(float(np.trace(slope)), 1e-300)) * np.eye(len(room)) + np.trace(slope) / len(room) ** 2
        step = np.clip(np.linalg.solve(slope, room - matrix.sum(axis=0)), -5.0, 5.0)
        for _ in range(12):
            there = columns * np.exp(step)
            there /= there.sum()
            tried = _scaled(counts, there, bounds)
            missed = float(np.abs(tried.sum(axis=0) - room).max())
            if missed < gap:
                break
            step = step / 2
        else:
            break
        columns, matrix, gap = there, tried, missed
    return columns, matrix, gap


def _factors(sums: Floats, weights: Floats, bounds: Floats) -> Floats:
    """Return r with sum over j of min(bounds_ij, r_i weights_j) = sums_i; where bounds forbid it, all at bounds."""
    capped = (bounds <= 0) | (weights <= 0)
    factor = np.zeros(len(sums))
    for _ in range(bounds.shape[1] + 1):
        left = np.maximum(sums - np.where(capped, bounds * (weights > 0), 0.0).sum(axis=1), 0.0)
        free = np.where(capped, 0.0, weights).sum(axis=1)
        factor = np.divide(left, free, out=np.full(len(sums), np.inf), where=free > 0)
        with np.errstate(invalid="ignore"):
            over = ~capped & (factor[:, None] * weights > bounds)
        if not over.any():
            break
        capped |= over
    # Rows wholly at their bounds take the factor at which the last bound was met.
    tight = ~np.isfinite(factor)
    if tight.any():
        ratio = np.divide(bounds[tight], weights, out=np.zeros((int(tight.sum()), len(weights))), where=weights > 0)
        factor[tight] = ratio.max(axis=1)
    return factor


def _scaled(counts: Floats, columns: Floats, bounds: Floats) -> Floats:
    factor = _factors(counts, columns, bounds)
    return np.minimum(bounds, factor[:, None] * columns)


def whole(matrix: Floats, counts: Ints, room: Ints, bounds: Ints) -> Ints | None:
    """Return whole numbers near `matrix` with these row and column sums and bounds; None where there are none."""
    m, q = bounds.shape
    near = np.clip(np.floor(matrix + 1e-9).astype(np.int64), 0, bounds)
    # Rounding down may still overshoot a row or column by noise; take the excess back where there is most.
    for axis, sums in ((1, counts), (0, room)):
        for line in np.flatnonzero(near.sum(axis=axis) > sums):
            cells = near[line] if axis == 1 else near[:, line]
            while (excess := int(cells.sum() - sums[line])) > 0:
                at = int(cells.argmax())
                cells[at] -= min(excess, int(cells[at]))
    left, need = counts - near.sum(axis=1), room - near.sum(axis=0)
    if int(left.sum()) != int(need.sum()):
        return None
    result = _flow(left, need, np.minimum(bounds - near, 1), m, q)
    if result is None:
        result = _flow(left, need, bounds - near, m, q)
    if result is None:
        near[:] = 0
        result = _flow(counts, room, bounds, m, q)
    return None if result is None else near + result


def _flow(left: Ints, need: Ints, spare: Ints, m: int, q: int) -> Ints | None:
    """Return (m, q) a flow of `left` into `need` within `spare`; None where it does not fit."""
    if not left.sum():
        return np.zeros((m, q), np.int64)
    from scipy.sparse import coo_array  # with its linear algebra 0.2 s to import, and only tolerances need it
    from scipy.sparse.csgraph import maximum_flow

    source, sink = m + q, m + q + 1
    at_row, at_column = np.nonzero(spare > 0)
    heads = np.r_[np.full(m, source), at_row, m + np.arange(q)]
    tails = np.r_[np.arange(m), m + at_column, np.full(q, sink)]
    flows = np.r_[left, spare[at_row, at_column], need].astype(np.int32)
    graph = coo_array((flows, (heads, tails)), shape=(m + q + 2, m + q + 2)).tocsr()
    graph.eliminate_zeros()
    found = maximum_flow(graph, source, sink)
    if found.flow_value != int(left.sum()):
        return None
    return np.maximum(found.flow.toarray()[:m, m : m + q], 0).astype(np.int64)
