"""Drawings as lists of lines and words in points, which HTML (as SVG) and PDF draw alike."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

# The program's light palette: Okabe and Ito's hues, dark enough for text.
INK, QUIET, GRID = "#1b252f", "#52606d", "#d3dae1"
ACCENT, PROTECTED = "#00629b", "#96376d"


@dataclass(frozen=True)
class Path:
    """A line through points; `dash` in points, 0 for a solid one."""

    points: tuple[tuple[float, float], ...]
    colour: str = INK
    width: float = 1.0
    dash: float = 0.0


@dataclass(frozen=True)
class Words:
    """A line of text; `x`, `y` is its baseline at the anchor."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    size: float = 9.0
    colour: str = INK


Item = Path | Words


@dataclass
class Scene:
    """A drawing of `width` x `height` points, origin at the upper left."""

    width: float
    height: float
    items: list[Item] = field(default_factory=list)

    def add(self, *items: Item) -> None:
        """Draw on top of what is there."""
        self.items.extend(items)

    def svg(self, words: str) -> str:
        """Return the drawing as an SVG element with `words` as its text alternative."""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-label="{html.escape(words)}" font-family="sans-serif"><title>{html.escape(words)}</title>'
        ]
        parts += [_svg(item) for item in self.items]
        return "".join(parts) + "</svg>"


def _svg(item: Item) -> str:
    if isinstance(item, Path):
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in item.points)
        dash = f' stroke-dasharray="{item.dash:g}"' if item.dash else ""
        return f'<polyline points="{points}" fill="none" stroke="{item.colour}" stroke-width="{item.width:g}"{dash}/>'
    return (
        f'<text x="{item.x:.2f}" y="{item.y:.2f}" font-size="{item.size:g}" text-anchor="{item.anchor}" '
        f'fill="{item.colour}">{html.escape(item.text)}</text>'
    )


@dataclass(frozen=True)
class Axis:
    """A scale from data to points, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where a value lies, in points; values outside lie at the edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round values to mark on a linear scale, ascending."""
        span = self.high - self.low
        step = 10 ** math.floor(math.log10(span / 4))
        step = next(step * k for k in (1, 2, 5, 10) if span / (step * k) <= 6)
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def frame(
    scene: Scene,
    x: Axis,
    y: Axis,
    x_texts: Sequence[tuple[float, str]],
    y_texts: Sequence[tuple[float, str]],
    title: str,
) -> None:
    """Draw grid, ticks and the title of the axis below. Tick texts come as (value, text)."""
    for value, text in y_texts:
        at = y.at(value)
        scene.add(Path(((x.start, at), (x.end, at)), GRID, 0.5), Words(x.start - 4, at + 3, text, "end", 9, QUIET))
    for value, text in x_texts:
        at = x.at(value)
        scene.add(Path(((at, y.start), (at, y.start + 3)), QUIET, 0.5))
        scene.add(Words(at, y.start + 13, text, "middle", 9, QUIET))
    scene.add(Path(((x.start, y.start), (x.end, y.start)), QUIET, 0.75))
    scene.add(Words((x.start + x.end) / 2, y.start + 27, title, "middle", 9))
