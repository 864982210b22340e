"""One drawing for all figures, by the report's own scenes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.papers.figure import Figure, Outcome, Series
from splu_desktop.report.content.comparison import COLOURS
from splu_desktop.report.scene import INK, QUIET, Axis, Box, Dot, Path, Scene, Words, frame

_WIDTH, _HEIGHT, _PLOT = 560.0, 270.0, 330.0
_LINE = 12.0


def drawn(figure: Figure, outcome: Outcome) -> str:
    """Return the picture as SVG: the papers' curves dashed, ours solid."""
    height = max(_HEIGHT, 60 + _LINE * len(outcome.curves))
    scene = Scene(_WIDTH, height)
    scene.add(Box(0, 0, _WIDTH, height, "#ffffff"), Words(52, 14, figure.title, size=9, colour=INK))
    x = _axis([each.x for each in outcome.curves], figure.x_log, 52, 52 + _PLOT, zero=False)
    y = _axis([each.y for each in outcome.curves], figure.y_log, height - 34, 26, zero=not figure.y_log)
    frame(scene, x, y, _texts(x), _texts(y), figure.x, figure.y)
    for number, curve in enumerate(outcome.curves):
        colour = COLOURS[number % len(COLOURS)]
        for part in _parts(curve):
            points = tuple((x.at(a), y.at(b)) for a, b in part)
            scene.add(Path(points, colour, 1.3, 3 if curve.theirs else 0))
            if len(part) <= 12:
                scene.add(*(Dot(a, b, 2, colour, square=curve.theirs) for a, b in points))
        at = 30 + _LINE * number
        scene.add(Path(((x.end + 12, at - 3), (x.end + 30, at - 3)), colour, 1.3, 3 if curve.theirs else 0))
        scene.add(Words(x.end + 34, at, curve.name, size=7.5, colour=INK))
    scene.add(Words(x.end + 12, height - 8, "dashed: the papers’", size=7, colour=QUIET))
    return scene.svg(f"{figure.title}: {'; '.join(each.name for each in outcome.curves)}")


def _axis(values: Sequence[Sequence[float]], log: bool, start: float, end: float, *, zero: bool) -> Axis:
    known = [value for some in values for value in some if math.isfinite(value) and (value > 0 or not log)]
    low, high = min(known, default=1.0), max(known, default=1.0)
    low = 0.0 if zero and low > 0 else low
    if high <= low:
        high = low + 1 if not log else 10 * low
    return Axis(low, high, start, end, log)


def _texts(axis: Axis) -> list[tuple[float, str]]:
    ticks = axis.ticks()
    return [(tick, f"{tick:,.6g}" if 1e-4 <= abs(tick) < 1e7 or tick == 0 else f"{tick:.0e}") for tick in ticks]


def _parts(curve: Series) -> list[list[tuple[float, float]]]:
    """Return the runs of points between those that are not there."""
    parts: list[list[tuple[float, float]]] = [[]]
    for point in zip(curve.x, curve.y, strict=True):
        if all(map(math.isfinite, point)):
            parts[-1].append(point)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]
