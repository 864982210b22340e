"""The one door through which numbers leave besides the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from splu_desktop.core.mechanism.classes import ClassCell
from splu_desktop.core.mechanism.draw import Block, draw_as_dict

_EFFECT_STEP = 0.25  # design effects are rounded up to these steps, so that no one record moves them


def release_numbers(
    blocks: Sequence[Block],
    class_columns: Sequence[str],
    cells: Sequence[ClassCell],
    *,
    person: bool,
    design_effect: float,
    rare: Mapping[str, int],
) -> dict[str, Any]:
    """Return, as plain data, all that is published of a draw besides the table.

    Law: nothing in it follows from the true counts of a drawn column. Proof: strengths, blocks and limits of rare
    values are the custodian's choice; classes follow from unchanged columns and numbers of rows; the design effect is
    rounded up to quarters. Test: tests/core/test_published_numbers.py enumerates f -> f + 1 for f = 1..60.
    """
    return {
        "blocks": [{"columns": list(block.columns), **draw_as_dict(block.draw)} for block in blocks],
        "classes": {
            "columns": list(class_columns),
            "cells": [{"labels": [list(each) for each in cell.labels], "rows": list(cell.rows)} for cell in cells],
        },
        "person": person,
        "design_effect": design_effect,
        "rare": dict(rare),
    }


def round_effect(effect: float) -> float:
    """Return a design effect as it is published: at least 1, rounded up to quarters."""
    return max(1.0, math.ceil(effect / _EFFECT_STEP - 1e-9) * _EFFECT_STEP)
