"""The one way by which numbers leave besides the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism.classes import LEAST, ClassCell
from splu_desktop.core.mechanism.draw import Block, draw_as_dict
from splu_desktop.core.mechanism.units import Units

_STEP = 0.05  # correlations are rounded up to these steps


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
    """Return how alike a person's rows are in columns (N,) of a block, for the value that stays most, in twentieths.

    classes : (U,) of the units; in one all have equally many rows.
    Of a value that s of a person's n rows show, the share g of the class: the sum of (s - g n)^2 - n g (1 - g), over
    that of g (1 - g) n (n - 1). Of values as published, and of those that 50 rows show: no count of others can be read.
    Law: 0 on average where rows are independent, 1 where all rows of a person are the same; ranges widened by it are
    too narrow for no value. Proof: E[(s - g n)^2] = g (1 - g) (n + n (n - 1) rho), summed and solved for rho; ranges
    grow with it. A mean over values or columns tells of those that change most: a diagnosis stays beside a pulse of
    each hour, insulin beside antibiotics. Test: test_sanitise.py, test_counts.py.
    """
    rows = np.flatnonzero(units.sizes[units.owner] > 1)  # single rows add nothing to either sum
    owner, of, found, number = units.owner[rows].astype(np.int64), classes[units.owner[rows]], 0.0, classes.max() + 1
    size = np.bincount(of, minlength=number)[:, None].astype(float)
    squares = np.bincount(of, units.sizes[owner], number)[:, None]
    for codes in columns:
        values, m = codes[rows], int(codes.max()) + 1
        counts = np.bincount(of * m + values, minlength=number * m).reshape(number, m)
        share = counts / np.maximum(size, 1)
        both, times = np.unique(owner * m + values, return_counts=True)
        together = np.bincount(both % m, times.astype(float) ** 2, m) - (squares * share**2).sum(axis=0)
        alone, pairs = ((each * share * (1 - share)).sum(axis=0) for each in (size, squares - size))
        known = (counts.sum(axis=0) >= LEAST) & (pairs > 0)
        found = max(found, float(((together - alone)[known] / pairs[known]).max(initial=0)))
    return round(min(math.ceil(found / _STEP - 1e-9) * _STEP, 1.0), 2)
