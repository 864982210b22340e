"""The one door through which numbers leave besides the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from splu_desktop.core.mechanism.classes import ClassCell
from splu_desktop.core.mechanism.draw import Block, draw_as_dict

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
    person's rows follow from the drawn rows, coarsely. Test: tests/core/test_published_numbers.py enumerates f -> f + 1
    for f = 1..60.
    """
    return {
        "blocks": [
            {"columns": list(block.columns), **draw_as_dict(block.draw), "correlation": correlation}
            for block, correlation in zip(blocks, correlations, strict=True)
        ],
        "classes": {
            "columns": list(class_columns),
            "cells": [
                {
                    "labels": [list(each) for each in cell.labels],
                    "rows": list(cell.rows),
                    "mean_rows": cell.mean_rows,
                }
                for cell in cells
            ],
        },
        "person": person,
        "rare": dict(rare),
    }


def round_correlation(correlation: float) -> float:
    """Return a correlation of a person's rows as it is published: in [0, 1], rounded up to twentieths."""
    return min(max(math.ceil(correlation / _STEP - 1e-9) * _STEP, 0.0), 1.0)
