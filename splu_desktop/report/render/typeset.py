"""PDF and pictures of pages, set by typst: two pages to sign and an annex, none of them half empty.

Texts reach typst as data (`resources/report/report.typ`), so that none is ever read as markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import typst

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.report.document import Block, Document, FigureBlock, Heading, Paragraph, TableBlock, cell_text

FRONT_PAGES = 2
SIZES = (10.0, 9.7, 9.4, 9.2, 9.0)  # of letters, in points; nothing is set smaller
_GAPS = (1.0, 0.85, 1.25, 0.7, 1.5)  # of blanks between, in what is usual
_CUTS = (1.0, 0.7, 0.5, 0.3)  # of the rows of an annex's tables
_HALF = 421.0  # points: the middle of a page
_PPI = 110.0
_STANDARDS = ["a-2a", "ua-1"]
_LONG = re.compile(r"\S{22,}")
_BREAKS = re.compile(r"(?<=[_/.:\-])(?=\w)")


def as_pdf(document: Document) -> bytes:
    """Return the document as tagged PDF (PDF/A-2a and PDF/UA-1)."""
    compiler, inputs = _set(document)
    found: bytes = compiler.compile(format="pdf", sys_inputs=inputs, pdf_standards=_STANDARDS)
    return found


def as_pages(document: Document, ppi: float = _PPI) -> list[bytes]:
    """Return each page as PNG."""
    compiler, inputs = _set(document)
    found = compiler.compile(format="png", sys_inputs=inputs, ppi=ppi)
    return [found] if isinstance(found, bytes) else list(found)


def _set(document: Document) -> tuple[Any, dict[str, str]]:
    """Return a compiler and its inputs, with letters and blanks as large as the pages allow."""
    template = resource_path("report/report.typ")
    fonts = resource_path("fonts/DejaVuSans.ttf").parent

    def compiler(inputs: dict[str, str]) -> Any:
        return typst.Compiler(
            str(template),
            root=str(template.parent),
            font_paths=[str(fonts)],
            ignore_system_fonts=True,
            sys_inputs=inputs,
        )

    scripts = sorted({f"Noto Sans {path.stem[8:]}" for path in fonts.glob("NotoSans?*.ttf") if "-" not in path.stem})
    front, front_gap = SIZES[-1], 0.7
    alone = _inputs(replace(document, annex=()), scripts)
    for gap, size in product((1.0, 0.85, 0.7), SIZES):
        inputs = {**alone, "front": str(size), "annex": str(size), "gap": str(gap), "annex_gap": "1"}
        if _end(compiler(inputs), "front")[0] <= FRONT_PAGES:
            front, front_gap = size, gap
            break
    best: tuple[float, Any, dict[str, str]] | None = None
    for cut in _CUTS:
        texts = _inputs(replace(document, annex=tuple(_cut(document.annex, cut))), scripts)
        for gap, size in product(_GAPS, SIZES[2:]):
            inputs = {**texts, "front": str(front), "annex": str(size), "gap": str(front_gap), "annex_gap": str(gap)}
            made = compiler(inputs)
            pages, y = _end(made, "annex")
            over = max(0, pages - _end(made, "front")[0] - document.most_annex)
            fault = over + (0.0 if y >= _HALF else (_HALF - y) / _HALF)
            if best is None or fault < best[0]:
                best = (fault, made, inputs)
            if not fault:
                return made, inputs
        if best is not None and best[0] < 1:
            break
    assert best is not None
    return best[1], best[2]


def _end(compiler: Any, name: str) -> tuple[int, float]:
    """Return the page and the height at which a part ends."""
    found = json.loads(compiler.query(f"<{name}>", field="value", one=True))
    return int(found["page"]), float(found["y"])


def _cut(blocks: Sequence[Block], share: float) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, TableBlock) and block.most is not None and len(block.rows) > block.most * share:
            yield replace(block, most=max(3, int(block.most * share)))
        else:
            yield block


def _inputs(document: Document, scripts: Sequence[str]) -> dict[str, str]:
    data = {
        "title": document.title,
        "edition": document.edition,
        "internal": document.internal,
        "footer": document.footer,
        "language": document.language,
        "page_of": document.page_of,
        "scripts": list(scripts),
        "front": list(_blocks(document.front)),
        "annex": list(_blocks(document.annex)),
    }
    return {"data": json.dumps(data, ensure_ascii=False)}


def _blocks(blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    items: list[str] = []
    for block in (*blocks, None):
        if isinstance(block, Paragraph) and block.style == "item":
            items.append(_breakable(block.text))
            continue
        if items:
            yield {"kind": "list", "texts": items}
            items = []
        if isinstance(block, Heading):
            yield {"kind": "heading", "level": block.level + 1, "text": block.text}
        elif isinstance(block, Paragraph) and block.style == "title":
            yield {"kind": "heading", "level": 1, "text": _breakable(block.text)}
        elif isinstance(block, Paragraph):
            yield {"kind": "text", "style": block.style, "text": _breakable(block.text)}
        elif isinstance(block, TableBlock) and block.shown:
            yield {
                "kind": "table",
                "header": list(block.header),
                "rows": [[_breakable(cell_text(cell)) for cell in row] for row in block.shown],
                "align": list(block.align),
                "weights": list(block.weights),
            }
        elif isinstance(block, FigureBlock):
            svg = block.scene.svg(block.words).replace('font-family="sans-serif"', 'font-family="Noto Sans"')
            yield {"kind": "figure", "svg": svg, "alt": block.words, "caption": block.caption}


def _breakable(text: str) -> str:
    """Return a text whose long words may be broken where they are put together, else anywhere."""

    def broken(word: re.Match[str]) -> str:
        parts = _BREAKS.sub("\u200b", word[0]).split("\u200b")
        return "\u200b".join("\u200b".join(part[at : at + 20] for at in range(0, len(part), 20)) for part in parts)

    return _LONG.sub(broken, text)
