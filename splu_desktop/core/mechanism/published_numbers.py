"""The one way by which numbers leave besides the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.mechanism.classes import ClassCell
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


def round_correlation(correlation: float) -> float:
    """Return a correlation of a person's rows as it is published: in [0, 1], rounded up to twentieths.

    Law: ranges widened by it are never too narrow for the rounding. Proof: they grow with it. Test: test_counts.py.
    """
    return round(min(max(math.ceil(correlation / _STEP - 1e-9) * _STEP, 0.0), 1.0), 2)


def row_correlation(values: NDArray[np.int32], units: Units) -> float:
    """Return how alike the rows of a person are: the correlation of what two of them show, over all values.

    sum over values and persons of (s - g n)^2 - n g (1 - g), over g (1 - g) n (n - 1): s of the n rows of a person show
    the value, which has the share g. Of (N,) values as published, so that it tells less than person numbers would.
    Law: 0 on average where rows are independent, 1 where all rows of a person are the same. Proof:
    E[(s - g n)^2] = g (1 - g) (n + n (n - 1) rho), summed and solved for rho.
    Test: test_sanitise.py (test_rows_of_a_person_correlate_wholly_or_not_at_all).
    """
    rows, counts = len(values), np.bincount(values)
    share = counts / rows
    sizes = units.sizes.astype(float)
    both, times = np.unique(units.owner.astype(np.int64) * len(counts) + values, return_counts=True)
    who, what = np.divmod(both, len(counts))
    together = (times.astype(float) ** 2).sum() - 2 * (share[what] * times * sizes[who]).sum()
    together += (share**2).sum() * (sizes**2).sum()
    spread = float((share * (1 - share)).sum())
    pairs = float((sizes * (sizes - 1)).sum())
    return float((together - rows * spread) / (spread * pairs)) if spread * pairs > 0 else 0.0
