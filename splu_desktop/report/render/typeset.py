"""PDF and pictures of pages, set by typst: two pages to sign and an annex, none of them half empty.

Texts reach typst as data (`resources/report/report.typ`), so that none is ever read as markup.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import typst

from splu_desktop.core.resources import resource_path
from splu_desktop.files.disk.room import return_freed_memory
from splu_desktop.report.document import Block, Document, FigureBlock, Heading, Paragraph, TableBlock, cell_text

FRONT_PAGES = 2
SMALLEST = 9.0  # points; no letter is set smaller
# Sizes of letters in points, and blanks between in what is usual: the first with which the pages are enough is taken.
_FRONT = ((10.4, 1.7), (10.4, 1.4), (10.2, 1.2), (10.0, 1.0), (9.7, 0.95), (9.4, 0.9), (9.2, 0.8), (SMALLEST, 0.7))
# Closer and wider ones by turns: some save a page, others fill one that would be half empty.
_ANNEX = ((9.5, 1.1), (9.3, 1.0), (9.3, 1.3), (9.6, 1.5), (SMALLEST, 0.85), (SMALLEST, 0.7), (10.0, 1.8))
_CUTS = (1.0, 0.7, 0.5, 0.3)  # of the rows of an annex's tables
_HALF = 421.0  # points: the middle of a page
_PPI = 110.0
_REMEMBERED = 10  # documents whose parts typst keeps: those of a report alone take up to 130 MB
_STANDARDS = ["a-2a", "ua-1"]
_LONG = re.compile(r"\S{22,}")
_BREAKS = re.compile(r"(?<=[_/.:])(?=\w)|(?<=\D-)(?=\w)|(?<=\d-)(?=[^\W\d])")  # a day stays whole


def as_pdf(document: Document) -> bytes:
    """Return the document as tagged PDF (PDF/A-2a and PDF/UA-1)."""
    compiler, inputs = _set(document)
    try:
        pdf: bytes = compiler.compile(format="pdf", sys_inputs=inputs, pdf_standards=_STANDARDS)
    except typst.TypstError:  # a letter with a mark that no font has together: tagged PDF, but not to the standards
        pdf = compiler.compile(format="pdf", sys_inputs=inputs)
    _forget(compiler)
    return pdf


def as_pages(document: Document) -> list[bytes]:
    """Return each page as PNG."""
    compiler, inputs = _set(document)
    pages = compiler.compile(format="png", sys_inputs=inputs, ppi=_PPI)
    _forget(compiler)
    return [pages] if isinstance(pages, bytes) else list(pages)


def _forget(compiler: Any) -> None:
    """Have typst let go of what it keeps of documents, and the system get it: a window may make many reports."""
    for _ in range(_REMEMBERED + 1):  # empty ones
        # Not by new compilers, of each of which typst never lets go of a little.
        compiler.compile(b"", format="svg")
    return_freed_memory()


@lru_cache(maxsize=1)
def _fonts() -> tuple[Any, tuple[str, ...]]:
    """Return the fonts that came with the program, and the names of those for single scripts."""
    folder = resource_path("fonts/NotoSans.ttf").parent
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(folder)])
    return fonts, tuple(name for name in fonts.families() if name != "Noto Sans")


def _set(document: Document) -> tuple[Any, dict[str, str]]:
    """Return a compiler and its inputs, with letters and blanks as large as the pages allow."""
    template = resource_path("report/report.typ")

    def compiler(inputs: dict[str, str]) -> Any:
        return typst.Compiler(
            str(template),
            root=str(template.parent),
            font_paths=_fonts()[0],
            sys_inputs=inputs,
            ignore_system_fonts=True,
        )

    # What is signed is fitted by itself, so that an annex of many pages is not set anew with each try.
    alone = _inputs(replace(document, annex=()))
    front: dict[str, str] = {}
    for size, gap in _FRONT:
        front = {"front": str(size), "gap": str(gap)}
        if _end(compiler({**alone, **front, "annex": "9", "annex_gap": "1"}), "front")[0] <= FRONT_PAGES:
            break
    best: tuple[float, Any, dict[str, str]] | None = None
    for cut in _CUTS:
        texts = _inputs(replace(document, annex=tuple(_cut_tables(document.annex, cut))))
        for size, gap in _ANNEX:
            inputs = {**texts, **front, "annex": str(size), "annex_gap": str(gap)}
            result = compiler(inputs)
            pages, y = _end(result, "annex")
            over = max(0, pages - _end(result, "front")[0] - document.most_annex)
            # A page too many weighs 1 and an empty half less, so the number of pages comes first.
            fault = over + max(0.0, (_HALF - y) / _HALF)
            if best is None or fault < best[0]:
                best = (fault, result, inputs)
            if not fault:
                return result, inputs
        # Rows are cut to save a page, never because one is half empty.
        if best is not None and best[0] < 1:
            break
    assert best is not None
    return best[1], best[2]


def _end(compiler: Any, name: str) -> tuple[int, float]:
    """Return the page and the height at which a part ends."""
    place = json.loads(compiler.query(f"<{name}>", field="value", one=True))
    return int(place["page"]), float(place["y"])


def _cut_tables(blocks: Sequence[Block], share: float) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, TableBlock) and block.most is not None and len(block.rows) > block.most * share:
            yield replace(block, most=max(3, int(block.most * share)))
        else:
            yield block


def _inputs(document: Document) -> dict[str, str]:
    data = {
        "title": _breakable(document.title),
        "edition": document.edition,
        "internal": document.internal,
        "footer": _breakable(document.footer),
        "language": document.language,
        "page_of": document.page_of,
        "scripts": list(_fonts()[1]),
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
            yield {"kind": "heading", "level": block.level + 1, "text": _breakable(block.text)}
        elif isinstance(block, Paragraph) and block.style == "title":
            yield {"kind": "heading", "level": 1, "text": _breakable(block.text)}
        elif isinstance(block, Paragraph):
            yield {"kind": "text", "style": block.style, "text": _breakable(block.text)}
        elif isinstance(block, TableBlock) and block.shown_rows:
            yield {
                "kind": "table",
                "header": list(map(_breakable, block.header)),
                "rows": [[_breakable(cell_text(cell)) for cell in row] for row in block.shown_rows],
                "align": list(block.align),
                "weights": list(block.weights),
                "tall": block.tall,
            }
            if block.note:
                yield {"kind": "text", "style": "note", "text": block.note}
        elif isinstance(block, FigureBlock):
            # Only fonts that came with the program are used, and none is called sans-serif.
            svg = block.scene.svg(block.words).replace('font-family="sans-serif"', 'font-family="Noto Sans"')
            yield {"kind": "figure", "svg": svg, "alt": block.words, "caption": block.words}


@lru_cache(maxsize=1)
def _letters() -> frozenset[int]:
    """Return the Unicode numbers of all letters that the fonts have."""
    lines = resource_path("fonts/letters.txt").read_text(encoding="ascii").split()
    ends = [[int(end, 16) for end in line.split("-")] for line in lines]
    return frozenset(letter for first, last in ends for letter in range(first, last + 1))


def _printable(letter: str) -> str:
    """Return a letter as it is set: one that no font has by its Unicode number, so that two stay two."""
    if ord(letter) in _letters() or unicodedata.category(letter) == "Cf":
        return letter
    if letter.isspace() or unicodedata.category(letter) in ("Cc", "Cs"):
        return " "
    return f"[U+{ord(letter):04X}]"


def _breakable(text: str) -> str:
    """Return a text as it is set, whose long words may be broken where they are put together, else anywhere."""
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_printable, text))

    def break_word(word: re.Match[str]) -> str:
        parts = _BREAKS.sub("\u200b", word[0]).split("\u200b")
        return "\u200b".join("\u200b".join(part[at : at + 20] for at in range(0, len(part), 20)) for part in parts)

    return _LONG.sub(break_word, text)
