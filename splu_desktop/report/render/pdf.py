"""PDF: pages set by `layout`, drawn by fpdf2 with embedded fonts, bookmarks and a structure tree. No Qt.

fpdf2 was chosen over reportlab (whose open edition can't tag) and WeasyPrint (which needs Pango from the system): pure
Python, subsets and embeds fonts, falls back to other fonts per letter, runs the bidirectional algorithm, and shapes
Arabic, Thai and the scripts of India through HarfBuzz. Its structure tree knows figures only; `_Tree` extends it to
headings, paragraphs and tables.
"""

from __future__ import annotations

import logging
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path as FilePath
from typing import Any

with warnings.catch_warnings():
    # fpdf2 warns where Pillow is missing, as in the installers: it reads bitmaps, and our figures are vectors.
    warnings.simplefilter("ignore")
    from fpdf import FPDF
    from fpdf.bidi import BidiParagraph
    from fpdf.enums import TextDirection
    from fpdf.structure_tree import StructElem, StructureTreeBuilder
    from fpdf.syntax import PDFObject

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.disk.resources import resource_path
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.report.document import Document
from splu_desktop.report.render import fonts
from splu_desktop.report.render.layout import PAPERS, set_pages
from splu_desktop.report.render.page import Drawing, Fill, Node, PdfLayout, Text
from splu_desktop.report.scene import Box, Dot, Path, Words

_STAGE = "Writing the PDF"
_MAIN = "main"
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT, _END = "\u2066", "\u2067", "\u2069"
_ISOLATES = (_LEFT_TO_RIGHT, _RIGHT_TO_LEFT, "\u2068", _END)


def write_pdf(document: Document, target: FilePath, *, paper: str = "A4", progress: Progress = SILENT) -> None:
    """Write the document as PDF, whole or not at all, over an existing file.

    Parameters
    ----------
    paper : "A4" or "Letter".

    Raises
    ------
    BadSetting : unknown paper. CannotWrite. Cancelled; nothing is left behind then.
    """
    if paper not in PAPERS:
        raise BadSetting("There is no paper “{paper}”; choose among {known}.", paper=paper, known=", ".join(PAPERS))
    pen = _Pen(document, paper)
    try:
        if pen.lacks(document):
            document = replace(document, note=document.strange_letters)
        _draw(pen, set_pages(document, paper, pen.width, progress), progress)
        with whole_file(target, overwrite=True) as partial:
            pen.pdf.output(str(partial))
            progress.report(_STAGE, 1.0)
    finally:
        pen.close()


def _draw(pen: _Pen, layout: PdfLayout, progress: Progress) -> None:
    for number, page in enumerate(layout.pages):
        progress.report(_STAGE, number / len(layout.pages))
        pen.pdf.add_page()
        for mark in layout.bookmarks:
            if mark.page == number:
                pen.pdf.set_y(mark.y)
                pen.pdf.start_section(pen.clean(mark.text), mark.level)
        pen.draw(page.ops)


def in_order_of_sight(text: str) -> str:
    """Return a line whose runs stand from left to right as they are seen, each isolated.

    fpdf2 finds the runs of a line from left to right and writes them one after another: what runs from left to right
    within a name from right to left, a number or “(ICD-10)”, then stands on its wrong side (rule L2 of Unicode's
    Standard Annex 9 is the one that it leaves out).
    """
    line = BidiParagraph(text)
    if line.base_direction is not TextDirection.LTR:
        return text
    letters = [each for each in line.characters if each.character not in _ISOLATES]
    runs = [
        (level, "".join(each.character for each in run))
        for level, run in groupby(letters, lambda each: int(each.embedding_level))
    ]
    highest = max((level for level, _ in runs), default=0)
    if highest < 2:
        return text
    for least in range(highest, 0, -1):
        parts = [list(part) for _, part in groupby(runs, lambda run, least=least: run[0] >= least)]  # type: ignore[misc]
        runs = [run for part in parts for run in (part[::-1] if part[0][0] >= least else part)]
    return "".join(f"{_RIGHT_TO_LEFT if level % 2 else _LEFT_TO_RIGHT}{run}{_END}" for level, run in runs)


class _Tree(StructureTreeBuilder):
    """fpdf2's structure tree with elements inside elements and several kinds."""

    def __init__(self, pdf: FPDF) -> None:
        super().__init__()
        self._pdf = pdf
        self._all: list[StructElem] = []
        self._counts: dict[int, int] = defaultdict(int)
        self._made: dict[int, StructElem] = {}

    def element(self, node: Node) -> StructElem:
        """Return the element of a node, made where it is new, below its parent's."""
        found = self._made.get(id(node))
        if found is None:
            above = self.doc_struct_elem if node.parent is None else self.element(node.parent)
            found = StructElem(
                struct_type=f"/{node.kind}", parent=above, kids=[], page_number=self._pdf.page, alt=node.words
            )
            above.k.append(found)
            self._made[id(node)] = found
            self._all.append(found)
        return found

    def content(self, node: Node) -> int:
        """Return the number of a fresh piece of content of a node on the current page."""
        page, here = self._pdf.page, self._pdf.pages[self._pdf.page]
        parents = self.spid_per_page_number.setdefault(page, len(self.spid_per_page_number))
        number, self._counts[page] = self._counts[page], self._counts[page] + 1
        element: Any = self.element(node)  # fpdf2 declares `pg` as None and sets it late
        if element.pg not in (None, here):
            # An element that runs over the page's end goes on in one of its own beside it.
            del self._made[id(node)]
            element = self.element(node)
        element.pg = here
        element.k.append(number)
        self.struct_tree_root.parent_tree.nums[parents].append(element)
        here.struct_parents = parents
        return number

    def __iter__(self) -> Iterator[PDFObject]:
        yield self.struct_tree_root
        yield self.doc_struct_elem
        yield self.struct_tree_root.parent_tree
        yield from self._all


class _Pen:
    """Draws with fpdf2 and remembers what is set, so that it is not set again for every line."""

    def __init__(self, document: Document, paper: str) -> None:
        logging.getLogger("fontTools").setLevel(logging.ERROR)
        pdf = FPDF(unit="pt", format=paper)
        pdf.set_auto_page_break(False)
        pdf.set_margin(0)
        pdf.c_margin = 0
        pdf.add_font(_MAIN, "", resource_path(f"fonts/{fonts.REGULAR}"))
        pdf.add_font(_MAIN, "B", resource_path(f"fonts/{fonts.BOLD}"))
        others = [fonts.HAN, *fonts.needed(document.texts())]
        for name in others:
            pdf.add_font(name, "", resource_path(f"fonts/{name}"))
        pdf.set_fallback_fonts(others, exact_match=False)
        pdf.set_font(_MAIN, "", 10)
        pdf.set_lang(document.language)
        pdf.set_creator("SPLU Desktop")
        pdf.set_subject(document.edition)
        self.pdf = pdf
        self.tree = _Tree(pdf)
        pdf.struct_builder = self.tree
        pdf._set_min_pdf_version("1.7")
        self._fonts: dict[bool, Any] = {False: pdf.fonts[_MAIN], True: pdf.fonts[_MAIN + "B"]}
        self._others: list[Any] = [pdf.fonts[name.lower()] for name in others]
        self._known = set(self._fonts[False].cmap).union(*(font.cmap for font in self._others))
        self._advance: dict[tuple[str, bool], float] = {}
        self._cleaned: dict[str, str] = {}
        self._shaping = False
        pdf.set_title(self.clean(document.title))

    def close(self) -> None:
        """Let go of the font files, which fpdf2 keeps open."""
        for font in (*self._fonts.values(), *self._others):
            font.ttfont.close()

    def clean(self, text: str) -> str:
        """Return a text that the fonts can write (`fonts.written`)."""
        if text.isascii() and text.isprintable():
            return text
        found = self._cleaned.get(text)
        if found is None:
            found = self._cleaned[text] = fonts.written(text, self._known.__contains__)
        return found

    def lacks(self, document: Document) -> bool:
        """Return whether a letter of the document has to stand as its number."""
        return any("[U+" in self.clean(text) and "[U+" not in text for text in document.texts())

    def width(self, text: str, size: float, bold: bool) -> float:
        """Return the width of a line in points."""
        if not text.isascii():
            text = self.clean(text)
            if fonts.SHAPED.search(text):
                self._font(bold, size)
                self._shape(True)
                return float(self.pdf.get_string_width(text))
        total, advance = 0.0, self._advance
        for letter in text:
            key = (letter, bold)
            if key not in advance:
                have = (font for font in (self._fonts[bold], *self._others) if ord(letter) in font.cmap)
                font = next(have, self._fonts[bold])
                advance[key] = float(font.get_text_width(letter, 1000, None)[1]) / 1000
            total += advance[key]
        return total * size

    def draw(self, ops: list[Text | Fill | Drawing]) -> None:
        """Draw a page; each run of pieces of one node is one piece of marked content."""
        current: Node | None = None
        opened = False
        for op in ops:
            node = None if isinstance(op, Fill) else op.node
            if not opened or node is not current:
                if opened:
                    self.pdf._out("EMC")
                if node is None:
                    self.pdf._out("/Artifact BMC")
                else:
                    self.pdf._out(f"/{node.kind} <</MCID {self.tree.content(node)}>> BDC")
                current, opened = node, True
            if isinstance(op, Text):
                self.text(op.x, op.y, op.text, op.size, op.bold, op.colour)
            elif isinstance(op, Fill):
                self.pdf.set_fill_color(op.colour)
                self.pdf.rect(op.x, op.y, op.width, op.height, style="F")
            else:
                self.scene(op)
        if opened:
            self.pdf._out("EMC")

    def text(self, x: float, y: float, text: str, size: float, bold: bool, colour: str) -> None:
        """Write one line with its baseline at (x, y)."""
        text = self.clean(text)
        self._font(bold, size)
        shaped = bool(fonts.SHAPED.search(text))
        self._shape(shaped)
        if shaped:
            text = in_order_of_sight(text)
        self.pdf.set_text_color(colour)
        self.pdf.set_xy(x, y - 0.8 * size)  # fpdf2's baseline lies 0.5 h + 0.3 size below the top of a cell
        self.pdf.cell(0, size, text)

    def scene(self, drawing: Drawing) -> None:
        """Draw a figure as lines and shapes."""
        pdf, k = self.pdf, drawing.scale

        def at(x: float, y: float) -> tuple[float, float]:
            return drawing.x + k * x, drawing.y + k * y

        for item in drawing.scene.items:
            if isinstance(item, Path):
                pdf.set_draw_color(item.colour)
                pdf.set_line_width(item.width * k)
                pdf.set_dash_pattern(item.dash * k, item.dash * k) if item.dash else pdf.set_dash_pattern()
                pdf.polyline([at(x, y) for x, y in item.points])
            elif isinstance(item, Box):
                pdf.set_fill_color(item.colour)
                pdf.rect(*at(item.x, item.y), item.width * k, item.height * k, style="F")
            elif isinstance(item, Dot):
                pdf.set_fill_color(item.colour)
                x, y = at(item.x, item.y)
                if item.square:
                    pdf.rect(x - item.size * k, y - item.size * k, 2 * item.size * k, 2 * item.size * k, style="F")
                else:
                    pdf.circle(x, y, item.size * k, style="F")
            else:
                self._words(item, *at(item.x, item.y), k)
        pdf.set_dash_pattern()

    def _words(self, item: Words, x: float, y: float, k: float) -> None:
        width = self.width(item.text, item.size * k, False)
        back = {"start": 0.0, "middle": width / 2, "end": width}[item.anchor]
        if item.up:
            with self.pdf.rotation(90, x, y + back):
                self.text(x, y + back, item.text, item.size * k, False, item.colour)
        else:
            self.text(x - back, y, item.text, item.size * k, False, item.colour)

    def _font(self, bold: bool, size: float) -> None:
        pdf = self.pdf
        pdf.set_font(_MAIN, "B" if bold else "", size)
        # fpdf2 puts a new font off to the next text, and where that begins in the fallback font sets it within the
        # text's own state only, so that what follows is written in the font before.
        if pdf.page and not pdf.current_font_is_set_on_page:
            pdf._out(pdf._set_font_for_page(self._fonts[bold], pdf.font_size_pt))

    def _shape(self, wanted: bool) -> None:
        if wanted != self._shaping:
            self.pdf.set_text_shaping(wanted)
            self._shaping = wanted
