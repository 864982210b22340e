"""Random pre-partitioning (Clifton, Hanson, Merrill, Merrill, Zahraa, PSD 2020): each part is published by itself.

The N records are dealt at random to B parts of n' = N / B, each within one record of it, and a system publishes every
part; what it answers of all of them adds up, x = sum over parts of x_b. If the system is epsilon-differentially
private, then (bounded: neighbours differ in one record's entries, so a changed record stays in its part) so are all
parts together; and who gets one part alone has, by Theorem 2 with beta = n' / N,
epsilon' = ln((e^epsilon beta + 1 - beta) / (1 - beta)).

That bound is above epsilon itself once beta is not small (ln 4 for ln 3 and half the records). Drawing without
replacement has epsilon' = ln(1 + beta (e^epsilon - 1)), always below epsilon, and met with equality (Balle, Barthe,
Gaboardi, Privacy amplification by subsampling, NeurIPS 2018; tests enumerate both).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.source import TrueTable


def epsilon_of_part(epsilon: float, beta: float) -> float:
    """Return epsilon' of Theorem 2, of who gets a random part alone, the share `beta` of all records, below 1."""
    return math.log((math.exp(epsilon) * beta + 1 - beta) / (1 - beta))


def sharp_epsilon_of_part(epsilon: float, beta: float) -> float:
    """Return the least epsilon' of who gets a random part alone, the share `beta` of all records."""
    return math.log1p(beta * math.expm1(epsilon))


def dealt_to_parts(n: int, parts: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """Return (N,) the part of each record, from 0; parts differ by one record at most."""
    part = np.empty(n, np.int64)
    part[chance.permutation(n)] = np.arange(n) % parts
    return part


def dealt_by_value(codes: NDArray[np.integer], blocks: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """Return (N,) the block of each record, dealt value by value, so that no two differ by more than one of a value."""
    order = np.lexsort((chance.random(len(codes)), codes))
    block = np.empty(len(codes), np.int64)
    block[order] = np.arange(len(codes)) % blocks
    return block


def tables(source: TrueTable, part: NDArray[np.int64]) -> list[TrueTable]:
    """Return the parts of a table, all with its labels and values, though some may not occur in one."""
    members = [np.flatnonzero(part == number) for number in range(int(part.max()) + 1)]
    return [
        TrueTable(tuple(column.take(some) for column in source.columns), source.sensitive.take(some))
        for some in members
    ]
