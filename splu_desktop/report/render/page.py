"""What stands on the pages of a document, as `layout` sets it and `pdf` draws it.

All lengths are points, origin at the upper left.
"""

from __future__ import annotations

import dataclasses
from dataclasses import field

from splu_desktop.frozen import dataclass
from splu_desktop.report.scene import Scene


@dataclasses.dataclass
class Node:
    """An element of the structure tree: kind such as "H1" or "TD", text alternative, parent (None: the document)."""

    kind: str
    parent: Node | None = None
    words: str | None = None


@dataclass(frozen=True)
class Text:
    """A line of text, baseline at (x, y). Without a node it is decoration that readers aloud skip."""

    x: float
    y: float
    text: str
    size: float
    bold: bool
    colour: str
    node: Node | None


@dataclass(frozen=True)
class Fill:
    """A filled rectangle, decoration."""

    x: float
    y: float
    width: float
    height: float
    colour: str


@dataclass(frozen=True)
class Drawing:
    """A scene with its upper left corner at (x, y), scaled."""

    x: float
    y: float
    scale: float
    scene: Scene
    node: Node


Op = Text | Fill | Drawing


@dataclasses.dataclass
class PdfPage:
    """What stands on a page, in reading order."""

    ops: list[Op] = field(default_factory=list)


@dataclass(frozen=True)
class Bookmark:
    """A heading in the outline; `page` from 0."""

    text: str
    level: int
    page: int
    y: float


@dataclasses.dataclass
class PdfLayout:
    """All pages of a document."""

    width: float
    height: float
    pages: list[PdfPage] = field(default_factory=list)
    bookmarks: list[Bookmark] = field(default_factory=list)
