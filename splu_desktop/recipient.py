"""For recipients who have the program: releases read, counts and analyses answered, without a window (no Qt).

The same figures as the files `splu_release.py` and `splu_release.R` of a release, and the program's default estimator
beside them: docs/recipient.md, “The library”, has an example, which is run.
"""

from __future__ import annotations

from splu_desktop.core.analyse.analyses import crosstab, difference, mean, odds_ratio, quantile, ratio, share, trend
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.analyse.regression import logit, poisson
from splu_desktop.core.query.condition import Condition, parse_condition
from splu_desktop.core.query.reader import Answer, Method, Reader
from splu_desktop.files.release.reading import OpenRelease, read_release

__all__ = [
    "Analysed",
    "Answer",
    "Condition",
    "Method",
    "OpenRelease",
    "Reader",
    "crosstab",
    "difference",
    "logit",
    "mean",
    "odds_ratio",
    "parse_condition",
    "poisson",
    "quantile",
    "ratio",
    "read_release",
    "share",
    "trend",
]
