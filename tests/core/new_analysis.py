"""An analysis that the program has not, as its whole cost: the odds of a value."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.answer.analyses import OUTCOME, Analysis, Estimate, Result, register, share
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.messages import say

NAME = "odds"


@register(NAME, OUTCOME, say("odds of a value"))
def odds(reader: Reader, analysis: Analysis) -> Result:
    """Return p / (1 - p), its interval that of the share."""
    one = share(reader, analysis).first
    ends = [
        float(p / (1 - p)) for p in np.clip((one.estimate, one.low, one.high, one.low_alike, one.high_alike), 0, 0.999)
    ]
    return Result(analysis, (Estimate(NAME, *ends),), np.eye(1))
