"""How sensitive values were carried to the published ones, as release.json states it: all that an estimator needs.

Nothing here is known only at home: it follows from the published table and the published settings of its draws.
`docs/recipient.md` has the formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import say
from splu_desktop.core.query.reader import Reader

MOST_VALUES = 300  # of a column whose matrix is written out
_DIGITS = 12  # of a chance


def stated(reader: Reader) -> dict[str, Any]:
    """Return the transitions of a release as plain data.

    Returns
    -------
    "columns" : SA name -> the transition of its own, see `docs/recipient.md`.
    "blocks" : for each block of columns drawn together, how its combinations share groups (`Draw.sharing`).
    """
    published = reader.published
    blocks = [draw.sharing(published.table.select(names)) for names, draw in published.blocks.items() if len(names) > 1]
    found: dict[str, Any] = {"columns": {name: _column(reader, name) for name in published.sensitive}}
    if blocks:
        found["blocks"] = blocks
    return found


def _column(reader: Reader, sa: str) -> dict[str, Any]:
    """Return the transition of one SA: the numbers a and r where they are enough, T and its inverse where not."""
    engine = reader.engine
    through = engine.two_numbers(sa)
    most, unseen = _rounded(np.array([reader.most(sa), reader.unseen(sa)]))
    found: dict[str, Any] = {"most": most, "unseen": unseen}
    if through is not None:
        found["a"] = through.a
        found["gamma"] = through.gamma
    stand = reader.published.typical(sa)
    if stand is not None:
        found["numbers"] = [None if number != number else float(f"{number:.{_DIGITS}g}") for number in stand.tolist()]
    if through is None or engine.by_matrix(sa):
        whole = engine.whole(sa)
        if whole is None or len(whole.counts) > MOST_VALUES:
            found["left_out"] = say("the matrix of more than {most} values", most=MOST_VALUES)
            return found
        found |= {
            "counts": _rounded(whole.counts),
            "T": _rounded(whole.matrix),
            "inverse": _rounded(whole.inverse),
            "readable": whole.readable.tolist(),
            "hidden": len(whole.hidden),
            "moving": whole.moving.tolist(),
        }
        shift = whole.shift
        if shift.any():
            found["shift"] = _rounded(shift)
    return found


def _rounded(numbers: NDArray[np.float64]) -> Any:
    """Return numbers as plain data, with so many digits that no answer differs."""
    if numbers.ndim > 1:
        return [_rounded(row) for row in numbers]
    return [float(f"{number:.{_DIGITS}g}") for number in numbers.tolist()]
