"""The one way by which numbers leave besides the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import count_keys, count_pairs, cross_codes, pair_keys
from splu_desktop.core.mechanism.classes import LEAST, ClassCell, Ints, Units
from splu_desktop.core.mechanism.draw import Block, Floats, draw_as_dict
from splu_desktop.core.table import remember

Codes = NDArray[np.integer]
_STEP = 0.05  # correlations are rounded up to these steps
_FEW = 8  # rows of a person of which each two are looked at; more are counted in bins
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


def row_correlation(columns: Sequence[Codes], units: Units, classes: Codes, *, crossed: bool = True) -> float:
    """Return how alike a person's rows are in columns (N,) of a block, in what stays most of them, in twentieths.

    classes : (U,) of the units; in one all have equally many rows.
    crossed : whether what two columns show together is looked at, too.
    Of a value that s of a person's n rows show, the share g of the class: the sum of (s - g n)^2 - n g (1 - g), over
    that of g (1 - g) n (n - 1); of those that 50 rows show, pairs of two columns among them, and of that function of
    60 bins in the order of labels which stays most (maximal correlation: Hirschfeld 1935, Gebelein 1941).
    Law: 0 on average where rows are independent, 1 where all rows of a person are the same; ranges widened by it are
    too narrow for no value, chapter or mean, 1 being taken of what fewer rows show (Published.correlation_of). Proof:
    E[(s - g n)^2] = g (1 - g) (n + n (n - 1) rho), summed and solved for rho. Test: test_sanitise.py, test_counts.py.
    """
    rows, one, other, many, who = _find_pairs(units)  # single rows add nothing to either sum
    of, there = cross_codes(classes.take(units.owner.take(rows)), int(classes.max()) + 1)
    sizes, persons, worst = units.sizes.take(units.owner.take(rows)), int(who.max(initial=-1)) + 1, 0
    size, squares = (np.bincount(of, each, len(there))[:, None].astype(float) for each in (None, sizes))
    pairs_of = starmap(_show_together, combinations(columns, 2)) if crossed else ()
    for codes in chain(columns, pairs_of) if len(rows) else ():
        if worst * _STEP >= 1:  # what stays in all rows is told by one column
            break
        m, (values, first, second, theirs) = int(codes.max()) + 1, map(codes.take, (rows, one, other, many))
        shown = np.bincount(values, minlength=m)
        # The sum of s^2: each row with itself and with those alike, each two of persons with few rows.
        single, large = shown - np.bincount(theirs, minlength=m), np.flatnonzero(shown >= LEAST)
        both, times = count_keys(pair_keys(who, m, theirs), persons * m)
        alike = single + np.bincount(both % m, times**2, m)
        alike += 2 * np.bincount(first.compress(first == second), minlength=m)
        by_class = count_pairs(of, len(there), values, m)
        share = by_class[:, large] / size
        alone, pairs = ((each * share * (1 - share)).sum(axis=0) for each in (size, squares - size))
        beyond = alike[large] - (squares * share**2).sum(axis=0) - alone
        most = np.divide(beyond, pairs, out=np.zeros(len(large)), where=pairs > 0).max(initial=0)
        # The same in bins, of each two.
        to = np.unique((shown.cumsum() - shown) // max(LEAST, len(rows) / _BINS), return_inverse=True)[1]
        # A bin of few rows joins the one before it: else two persons at the end of the labels widened every range.
        to = np.maximum((np.bincount(to, shown) >= LEAST).cumsum() - 1, 0)[to]
        bins = int(to[-1]) + 1
        shows = count_pairs(who, persons, to.take(theirs), bins).astype(float)
        two = count_pairs(to.take(first), bins, to.take(second), bins)
        together = np.diag(np.bincount(to, single)) + two + two.T + shows.T @ shows
        share = np.add.reduceat(by_class, np.flatnonzero(np.diff(to, prepend=-1)), axis=1) / size
        worst = max(worst, math.ceil(most / _STEP - 1e-9))
        most = _correlate_at_most(together, share, size, squares, worst * _STEP)
        worst = max(worst, math.ceil(most / _STEP - 1e-9))
    return round(min(worst * _STEP, 1.0), 2)


def _show_together(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (N,) codes of what two columns show together, all that fewer than 50 rows show as one."""
    m = int(other.max()) + 1
    codes = cross_codes(pair_keys(one, m, other), m * (int(one.max()) + 1))[0]
    often = np.bincount(codes) >= LEAST
    return (np.cumsum(often) * often).astype(np.int32)[codes]


@remember
def _find_pairs(units: Units) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return rows of units with several, by unit; each two of those with few; rows of the others, and whose."""
    several = np.flatnonzero(units.sizes.take(units.owner) > 1)
    owner, rows = np.divmod(np.sort(pair_keys(units.owner.take(several), len(units.owner), several)), len(units.owner))
    many = units.sizes.take(owner) > _FEW
    mine, few = owner[~many], rows[~many]
    two = [np.stack([few[:-lag], few[lag:]])[:, mine[lag:] == mine[:-lag]] for lag in range(1, _FEW)]
    return rows, *np.concatenate(two, axis=1), rows[many], cross_codes(owner[many], units.number)[0].astype(np.int64)


def _correlate_at_most(together: Floats, share: Floats, size: Floats, squares: Floats, known: float) -> float:
    """Return the correlation of that function of K bins which stays most, in classes of (C, 1) sums of n and n^2.

    together : (K, K) sums over persons of rows that show the one bin times rows that show the other.
    known : a correlation up to which 0 is returned.
    """

    def spread(weight: Floats) -> Floats:
        return np.asarray(np.diag((weight * share).sum(axis=0)) - (weight * share).T @ share)

    apart = spread(squares - size)
    scale = np.sqrt(np.maximum(np.diag(apart), 1e-300))
    outer, beyond = np.outer(scale, scale), together - (squares * share).T @ share - spread(size)
    apart, beyond = apart / outer, beyond / outer
    # The largest of so many is too large by chance: of independent rows 2 sqrt(chance) (Baik, Ben Arous, Peche 2005).
    chance = (len(together) - 1) / float((squares - size).sum())
    # Whether it is larger than what is known costs a tenth of how large it is; functions are told apart without a bin.
    if known**2 > chance:
        with suppress(np.linalg.LinAlgError):
            np.linalg.cholesky(((known + chance / known) * apart - beyond)[:-1, :-1])
            return 0.0
    sizes, axes = np.linalg.eigh(apart)
    white = axes[:, sizes > 1e-6] / np.sqrt(sizes[sizes > 1e-6])
    most = float(np.linalg.eigvalsh(white.T @ beyond @ white).max(initial=0))
    return (most + math.sqrt(max(most**2 - 4 * chance, 0))) / 2
