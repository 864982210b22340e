"""What a figure is: axes, what the paper says, and a function that returns curves and what was found."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.papers.tables import Tables


@dataclass(frozen=True)
class Series:
    """One curve.

    Attributes
    ----------
    x, y : its points; NaN where there is none.
    theirs : whether it is the papers' (by their formula, or their method with their estimator): drawn dashed.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    theirs: bool = False


def series(name: str, x: Sequence[float], y: Sequence[float], *, theirs: bool = False) -> Series:
    """Return a curve of plain numbers."""
    return Series(name, tuple(map(float, x)), tuple(map(float, y)), theirs)


@dataclass(frozen=True)
class Finding:
    """What was found of one claim, in a sentence with its numbers, and whether the claim holds."""

    found: str
    holds: bool


@dataclass(frozen=True)
class Outcome:
    """Curves of one figure, and the findings, in the order of its claims."""

    curves: tuple[Series, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Figure:
    """One figure of a paper.

    Attributes
    ----------
    name : what files and the command line call it.
    title : paper, number and subject.
    claims : what the paper says of it.
    x, y : titles of the axes; x_log, y_log : whether they are logarithmic.
    make : computes it from the tables, with a fixed seed.
    """

    name: str
    title: str
    claims: tuple[str, ...]
    x: str
    y: str
    make: Callable[[Tables], Outcome]
    x_log: bool = False
    y_log: bool = False


def verdict(findings: Sequence[Finding]) -> str:
    """Return what becomes of a figure's claims taken together."""
    held = sum(each.holds for each in findings)
    return "holds" if held == len(findings) else "contradicted" if held == 0 else "holds with changes"


def falls(values: Sequence[float]) -> bool:
    """Return whether values only fall."""
    return all(b <= a for a, b in itertools.pairwise(values))


def told(values: Sequence[float]) -> str:
    """Return values in per cent, for a sentence."""
    return ", ".join("–" if math.isnan(each) else f"{100 * each:.3g} %" for each in values)
