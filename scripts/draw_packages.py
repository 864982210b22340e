"""Draws the packages of splu_desktop and which of them imports which: docs/images/packages.svg.

    python scripts/draw_packages.py

A package is a folder, or a module that stands beside the folders. `tests/test_structure.py` takes its laws from here.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "splu_desktop"
FLOORS = (("gui",), ("cli", "api"), ("report", "cluster"), ("files", "compare"), ("core",))  # from the roof down

Arrows = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Module:
    """One file: where it is, its text and its tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree, which a dozen laws look through."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def known(self) -> frozenset[str]:
        """The modules of the package that it imports anywhere."""
        return frozenset(_imported(self.nodes, modules())) - {self.name}

    @property
    def package(self) -> str:
        """The folder that it stands in below a floor, or itself where it stands beside the folders."""
        inside = self.path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        return ".".join(inside[:2]).removesuffix(".__init__")


@cache
def modules() -> dict[str, Module]:
    """Return every module of the package by its name."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        found[name] = Module(name, path, text, ast.parse(text))
    return found


def _imported(nodes: Iterable[ast.AST], known: Mapping[str, object]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if inside in known else node.module or ""


def between_rooms() -> Arrows:
    """Return which packages each package imports."""
    found: dict[str, set[str]] = defaultdict(set)
    for module in modules().values():
        others = {modules()[name].package for name in module.known}
        if "." in module.package:  # and not the `__init__` of a whole layer
            found[module.package] |= {other for other in others if "." in other} - {module.package}
    return {package: frozenset(others) for package, others in found.items()}


def circles(arrows: Arrows) -> list[list[str]]:
    """Return the sets of two or more that know each other in a circle (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(arrows.get(node, ())):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(arrows):
        if node not in order:
            visit(node)
    return found


def picture() -> str:
    """Return the packages as SVG: layers from the top down, in each the packages, and arrows that only go down."""
    arrows = between_rooms()
    boxes: dict[str, tuple[float, float, float]] = {}  # package -> x, y, width
    parts: list[str] = []
    top = 30.0
    for floor in FLOORS:
        packages, said = _rooms(floor, arrows)
        inner = {package: frozenset(arrows[package]) & set(packages) for package in packages}
        levels: dict[int, list[str]] = defaultdict(list)
        for package in packages:
            levels[_level(package, inner)].append(package)
        height = 44 * len(levels) + 34
        parts.append(f'<rect class="floor" x="10" y="{top:g}" width="1180" height="{height:g}" rx="8"/>')
        parts.append(f'<text class="name" x="22" y="{top + 20:g}">{escape(" | ".join(floor))}</text>')
        for row, level in enumerate(sorted(levels, reverse=True)):
            widths = [max(70.0, 7.2 * len(said[package]) + 18) for package in sorted(levels[level])]
            x = 600 - (sum(widths) + 16 * (len(widths) - 1)) / 2
            for package, width in zip(sorted(levels[level]), widths, strict=True):
                boxes[package] = x, top + 14 + 44 * row, width
                x += width + 16
        for package in packages:
            for other in sorted(_direct(package, inner)):
                (x1, y1, w1), (x2, y2, w2) = boxes[package], boxes[other]
                parts.append(f'<path d="M{x1 + w1 / 2:g} {y1 + 26:g} L{x2 + w2 / 2:g} {y2:g}"/>')
        for package in packages:
            x, y, width = boxes[package]
            parts.append(f'<rect class="package" x="{x:g}" y="{y:g}" width="{width:g}" height="26" rx="5"/>')
            parts.append(
                f'<text x="{x + width / 2:g}" y="{y + 17:g}" text-anchor="middle">{escape(said[package])}</text>'
            )
        top += height + 14
    style = (
        "text{font:12px sans-serif;fill:#1f2933}.name{font-weight:bold}.floor{fill:#f4f6f8;stroke:#c5ced6}"
        ".package{fill:#fff;stroke:#52606d}path{stroke:#9aa5b1;fill:none;marker-end:url(#tip)}"
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 {top + 6:g}" role="img">'
        "<title>The packages of splu_desktop; each imports only what stands below it</title>"
        f"<style>{style}</style>"
        '<rect width="100%" height="100%" fill="#fff"/><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" style="fill:#9aa5b1"/></marker>'
        '</defs><text x="12" y="20">Each package imports only what stands below it. Every layer may use all layers '
        "below; arrows show the nearest within a layer.</text>"
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def _rooms(floor: tuple[str, ...], arrows: Arrows) -> tuple[list[str], dict[str, str]]:
    """Return the packages of a floor and what stands on each; single modules that know no folder share one."""
    there = [package for package in sorted(arrows) if package.split(".")[0] in floor and "." in package]
    folders = {package for package in there if (ROOT / PACKAGE / package.replace(".", "/")).is_dir()}
    ground = [package for package in there if package not in folders and not arrows[package] & folders]
    said = {package: package.split(".", 1)[1].replace(".", "/") for package in there}
    if ground:
        said[ground[0]] = ", ".join(said[package] for package in ground)
        for package in ground[1:]:
            there.remove(package)
    return there, said


def _level(package: str, arrows: Arrows) -> int:
    return 1 + max((_level(other, arrows) for other in arrows[package]), default=-1)


def _direct(package: str, arrows: Arrows) -> set[str]:
    """Return the packages that a package knows and none of them knows for it."""

    def reached(start: str) -> set[str]:
        return set(arrows[start]).union(*(reached(other) for other in arrows[start]))

    return set(arrows[package]) - set().union(*(reached(other) for other in arrows[package]))


if __name__ == "__main__":
    (ROOT / "docs/images/packages.svg").write_text(picture(), encoding="utf-8")
