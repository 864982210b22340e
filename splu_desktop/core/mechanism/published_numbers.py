"""The one way by which numbers leave besides the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain, combinations, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import cross_codes, pair_keys
from splu_desktop.core.mechanism.classes import LEAST, ClassCell, Ints
from splu_desktop.core.mechanism.draw import Block, Floats, draw_as_dict
from splu_desktop.core.mechanism.units import Units

_STEP = 0.05  # correlations are rounded up to these steps
_BINS = 60  # of a column, of which any function is looked at


def release_numbers(
    blocks: Sequence[Block],
    class_columns: Sequence[str],
    cells: Sequence[ClassCell],
    *,
    person: bool,
    correlations: Sequence[float],
    rare: Mapping[str, int],
) -> dict[str, Any]:
    """Return, as plain data, all that is published of a draw besides the table.

    Law: nothing in it follows from the true counts of a drawn column. Proof: strengths, blocks and limits of rare
    values are the custodian's choice; classes follow from unchanged columns and numbers of rows; correlations of a
    person's rows follow from the drawn rows, coarsely. Test: tests/core/test_sanitise.py enumerates f -> f + 1
    for f = 1..60.
    """
    return {
        "blocks": [
            {"columns": list(block.columns), **draw_as_dict(block.draw), "correlation": correlation}
            for block, correlation in zip(blocks, correlations, strict=True)
        ],
        "classes": {
            "columns": list(class_columns),
            "cells": [{"labels": [list(each) for each in cell.labels], "rows": cell.rows} for cell in cells],
        },
        "person": person,
        "rare": dict(rare),
    }


def row_correlation(columns: Sequence[NDArray[np.int32]], units: Units, classes: NDArray[np.integer]) -> float:
    """Return how alike a person's rows are in columns (N,) of a block, in what stays most of them, in twentieths.

    classes : (U,) of the units; in one all have equally many rows.
    Of a value that s of a person's n rows show, the share g of the class: the sum of (s - g n)^2 - n g (1 - g), over
    that of g (1 - g) n (n - 1); of those that 50 rows show, pairs of two columns among them, and of that function of
    60 bins in the order of labels which stays most (maximal correlation: Hirschfeld 1935, Gebelein 1941).
    Law: 0 on average where rows are independent, 1 where all rows of a person are the same; ranges widened by it are
    too narrow for no value, chapter or mean. Proof: E[(s - g n)^2] = g (1 - g) (n + n (n - 1) rho), summed and solved
    for rho; ranges grow with it. Test: test_sanitise.py, test_counts.py.
    """
    rows = np.flatnonzero(units.sizes[units.owner] > 1)  # single rows add nothing to either sum
    owner, of, found, number = units.owner[rows].astype(np.int64), classes[units.owner[rows]], 0.0, classes.max() + 1
    size = np.bincount(of, minlength=number)[:, None].astype(float)
    squares = np.bincount(of, units.sizes[owner], number)[:, None].astype(float)
    for codes in chain(columns, starmap(_show_together, combinations(columns, 2))) if len(rows) else ():
        values, m = codes[rows], int(codes.max()) + 1
        counts = np.bincount(of * m + values, minlength=number * m).reshape(number, m)
        shown, share = counts.sum(axis=0), counts / np.maximum(size, 1)
        both, times = np.unique(owner * m + values, return_counts=True)
        person, value = np.divmod(both, m)
        together = np.bincount(value, times.astype(float) ** 2, m) - (squares * share**2).sum(axis=0)
        alone, pairs = ((each * share * (1 - share)).sum(axis=0) for each in (size, squares - size))
        alike = np.divide(together - alone, pairs, out=np.zeros(m), where=(shown >= LEAST) & (pairs > 0))
        to = np.unique((shown.cumsum() - shown) // max(LEAST, len(rows) / _BINS), return_inverse=True)[1]
        # A bin of few rows joins the one before it: else two persons at the end of the labels widened every range.
        to = np.maximum((np.bincount(to, shown) >= LEAST).cumsum() - 1, 0)[to]
        share = np.add.reduceat(share, np.flatnonzero(np.diff(to, prepend=-1)), axis=1)
        first = np.flatnonzero(np.diff(person * share.shape[1] + to[value], prepend=-1))  # ascending, as values are
        shows = person[first], to[value[first]], np.add.reduceat(times, first)
        found = max(found, float(alike.max()), _correlate_at_most(*shows, share, size, squares))
    return round(min(math.ceil(found / _STEP - 1e-9) * _STEP, 1.0), 2)


def _show_together(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (N,) codes of what two columns show together, all that fewer than 50 rows show as one."""
    m = int(other.max()) + 1
    codes = cross_codes(pair_keys(one, m, other), m * (int(one.max()) + 1))[0]
    often = np.bincount(codes) >= LEAST
    return (np.cumsum(often) * often).astype(np.int32)[codes]


def _correlate_at_most(who: Ints, shows: Ints, times: Ints, share: Floats, size: Floats, squares: Floats) -> float:
    """Return the correlation of that function of K bins which stays most, in classes of (C, 1) sums of n and n^2.

    who, shows, times : (P,) each person and bin, ascending, and how many rows of the one show the other.
    """
    bins = share.shape[1]
    pair, product = [shows * (bins + 1)], [times * times]
    for lag in range(1, int(np.bincount(who).max(initial=1))):  # until nobody shows so many
        one = np.flatnonzero(who[lag:] == who[:-lag])
        pair += [shows[one] * bins + shows[one + lag], shows[one + lag] * bins + shows[one]]
        product += [times[one] * times[one + lag]] * 2
    together = np.bincount(np.concatenate(pair), np.concatenate(product), bins**2)

    def spread(weight: Floats) -> Floats:
        return np.asarray(np.diag((weight * share).sum(axis=0)) - (weight * share).T @ share)

    apart = spread(squares - size)
    scale = np.sqrt(np.maximum(np.diag(apart), 1e-300))
    sizes, axes = np.linalg.eigh(apart / np.outer(scale, scale))
    white = axes[:, sizes > 1e-6] / np.sqrt(sizes[sizes > 1e-6]) / scale[:, None]
    beyond = together.reshape(bins, bins) - (squares * share).T @ share - spread(size)
    most = float(np.linalg.eigvalsh(white.T @ beyond @ white).max(initial=0))
    # The largest of so many is too large by chance: of independent rows 2 sqrt(chance) (Baik, Ben Arous, Peche 2005).
    chance = (bins - 1) / float((squares - size).sum())
    return (most + math.sqrt(max(most**2 - 4 * chance, 0))) / 2
