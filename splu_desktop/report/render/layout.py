"""A document on pages: where each line of text, rule and drawing stands, before any PDF is written.

Setting first and drawing afterwards gives page numbers to the contents, "page 3 of 17" without guessing, and a place to
check that nothing leaves the page (tests/report/test_layout.py). All lengths are points, origin at the upper left.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.report.document import (
    Block,
    Cell,
    Document,
    FigureBlock,
    Heading,
    Pages,
    Paragraph,
    SignatureLines,
    TableBlock,
    cell_text,
)
from splu_desktop.report.lines import Width, wrapped
from splu_desktop.report.render.page import Bookmark, Drawing, Fill, Node, Op, PdfLayout, PdfPage, Text
from splu_desktop.report.scene import ACCENT, GRID, INK, QUIET, SOFT

PAPERS = {"A4": (595.28, 841.89), "Letter": (612.0, 792.0)}
MARGIN, TOP, BOTTOM = 50.0, 62.0, 56.0
_SIGNED = 44.0  # height of lines to sign on
_STAGE = "Setting the pages"
_NARROWEST = 24.0  # of a column
_CLOSEST = 0.1
_CLOSER = (
    (1.0, 1.0),
    (0.7, 1.0),
    (0.55, 1.0),
    (0.4, 1.0),
    (_CLOSEST, 1.0),
)  # times the space between blocks, all lengths
_SMALLER = tuple((_CLOSEST, size / 100) for size in range(97, 75, -3))
_WIDER = ((1.3, 1.0), (1.6, 1.0), (2.0, 1.0))
_LEAST = 0.36  # of each page is filled
_PAGES = {False: 10, True: 14}  # of an external and an internal edition at most, where closer spaces help


_STYLES = {  # size, bold, colour, space before, space after
    "title": (18.0, True, INK, 0.0, 2.0),
    "subtitle": (10.0, False, QUIET, 0.0, 4.0),
    "body": (9.0, False, INK, 0.0, 5.0),
    "lead": (9.5, False, INK, 1.0, 6.0),
    "note": (7.5, False, QUIET, 0.0, 5.0),
    "item": (9.0, False, INK, 0.0, 3.0),
}
_HEADINGS = {1: (14.0, 12.0, 5.0), 2: (10.5, 7.0, 3.0)}  # size, before, after
_TOGETHER = 0.25  # of a page: the most that a table takes, or a longer one's last two rows, to stand on one
_BEGUN = 3  # lines of a row below its table's header, and of a paragraph, with which they begin on a page
_PARTED = 0.5  # of a page: the most that a row takes to stand on one whatever stands above it
_PART = 8  # lines of a longer one on either page
_CELL, _PAD, _GAP, _LEADING = 7.5, 1.8, 4.0, 1.3  # size of a cell's letters, its inset above and beside


def set_pages(document: Document, paper: str, width: Width, progress: Progress = SILENT) -> PdfLayout:
    """Return the document on pages.

    Parameters
    ----------
    paper : of PAPERS.
    width : (text, size, bold) -> width in points.
    """
    marks = _Setter(document, *PAPERS[paper], width, progress, {}).run().bookmarks
    headings = (block for block in document.blocks if isinstance(block, Heading))
    found = {block.key: mark.page + 1 for block, mark in zip(headings, marks, strict=True)}
    return _Setter(document, *PAPERS[paper], width, progress, found).run()


class _Measured(NamedTuple):
    """A table's cells in lines, its widths, how tall its header is, and the heights that rows need to begin with."""

    header: list[list[str]]
    widths: list[float]
    tall: float
    rows: list[list[list[str]]]
    needed: Mapping[int, float]


class _Setter:
    def __init__(
        self,
        document: Document,
        width: float,
        height: float,
        measure: Width,
        progress: Progress,
        found: Mapping[str, int],
    ) -> None:
        self.document, self.measure, self.progress = document, measure, progress
        self.layout = PdfLayout(width, height)
        self.left, self.right = MARGIN, width - MARGIN
        self.bottom = height - BOTTOM
        self.y, self.spread, self.found = TOP, 1.0, found

    def run(self) -> PdfLayout:
        """Set all blocks, in order: what begins on a page of its own by itself."""
        blocks = list(self.document.blocks)
        if self.document.note:
            blocks.append(Paragraph(self.document.note, "note"))
        begins = [at for at, block in enumerate(blocks) if isinstance(block, Heading) and block.new_page and at]
        for first, end in itertools.pairwise([0, *begins, len(blocks)]):
            self.progress.report(_STAGE, first / len(blocks))
            self._part(blocks[first:end], signed=end < len(blocks))
        self._marks()
        return self.layout

    def _part(self, blocks: Sequence[Block], *, signed: bool) -> None:
        """Set blocks on pages of their own, with such spaces between them that no page has a few lines only.

        What is `signed`, all but the annex, is one page: where no closer spaces help, its letters are made smaller.
        """
        layout, best = self.layout, (False, -1.0)
        pages, bookmarks = len(layout.pages), len(layout.bookmarks)
        chosen: tuple[list[PdfPage], list[Bookmark]] = ([], [])
        right, bottom = self.right, self.bottom
        for self.spread, size in (*_CLOSER, *(_SMALLER if signed else _WIDER)):
            self.right, self.bottom = self.left + (right - self.left) / size, TOP + (bottom - TOP) / size
            self._page()
            for at, block in enumerate(blocks):
                self._block(block, blocks[at + 1 :])
            found = layout.pages[pages:], layout.bookmarks[bookmarks:]
            del layout.pages[pages:], layout.bookmarks[bookmarks:]
            # A single page is as full as it is; what nearly fits on one is set closer before it takes two.
            least = min(map(self._filled, found[0])) if len(found[0]) > 1 else 1.0
            short = pages + len(found[0]) <= _PAGES[self.document.internal]
            if (short, least) > best:
                marks = [replace(mark, y=TOP + (mark.y - TOP) * size) for mark in found[1]]
                chosen, best = ([self._sized(page, size) for page in found[0]], marks), (short, least)
            closest = self.spread <= _CLOSEST
            done = best[1] > _LEAST and (best[0] or closest) and (len(found[0]) != 2 or closest)
            if len(found[0]) == 1 if signed else done:
                break
        self.right, self.bottom = right, bottom
        layout.pages += chosen[0]
        layout.bookmarks += chosen[1]

    def _sized(self, page: PdfPage, size: float) -> PdfPage:
        """Return a page that was set in more room, as it is in the room that there is."""

        def sized(op: Op) -> Op:
            lengths = (
                ("size",) if isinstance(op, Text) else ("scale",) if isinstance(op, Drawing) else ("width", "height")
            )
            changed = {name: getattr(op, name) * size for name in lengths}
            return replace(op, x=self.left + (op.x - self.left) * size, y=TOP + (op.y - TOP) * size, **changed)

        return page if size == 1 else PdfPage(list(map(sized, page.ops)))

    def _filled(self, page: PdfPage) -> float:
        """Return which share of a page's height is used."""
        ends = (op.y + op.scale * op.scene.height if isinstance(op, Drawing) else op.y for op in page.ops)
        return (max(ends, default=TOP) - TOP) / (self.bottom - TOP)

    def _block(self, block: Block, after: Sequence[Block]) -> None:
        if isinstance(block, Heading):
            self._heading(block, after)
        elif isinstance(block, Paragraph):
            self._paragraph(block, after)
        elif isinstance(block, TableBlock):
            if block.shown:
                self._table(block, after)
        elif isinstance(block, FigureBlock):
            self._figure(block)
        else:
            self._signatures(block)

    def _written(self, cell: Cell) -> str:
        """Return a cell as it is written: of sections, the pages on which they begin; "00" until these are known."""
        if not isinstance(cell, Pages) or not cell.keys:
            return cell_text(cell)
        if not self.found:
            return ", ".join(["00"] * len(cell.keys))
        return ", ".join(map(str, sorted({self.found[key] for key in cell.keys if key in self.found})))

    def _lines(self, text: str, room: float, size: float, bold: bool) -> list[str]:
        return wrapped(text, room, size, bold, self.measure)

    # pages

    def _page(self) -> None:
        self.layout.pages.append(PdfPage())
        self.y = TOP

    @property
    def _ops(self) -> list[Op]:
        return self.layout.pages[-1].ops

    def _room(self, height: float) -> bool:
        """Open a new page unless `height` fits; returns whether one was opened."""
        if self.y + height <= self.bottom or self.y <= TOP:
            return False
        self._page()
        return True

    # blocks

    def _heading(self, block: Heading, after_it: Sequence[Block]) -> None:
        size, before, after = _HEADINGS[block.level]
        before, after = before * self.spread, after * self.spread
        lines = self._lines(block.text, self.right - self.left, size, True)
        # A heading never stands alone at the foot of a page.
        company = self._company(after_it)
        if not self._room(before + len(lines) * size * _LEADING + after + company) and self.y > TOP:
            self.y += before
        self.layout.bookmarks.append(Bookmark(block.text, block.level - 1, len(self.layout.pages) - 1, self.y))
        node = Node(f"H{block.level}")
        for line in lines:
            self.y += size * _LEADING
            colour = ACCENT if block.level == 1 else INK
            self._ops.append(Text(self.left, self.y - 0.3 * size, line, size, True, colour, node))
        self.y += after

    def _company(self, blocks: Sequence[Block]) -> float:
        """Return the height of what a heading stands above."""
        if not blocks:
            return 0.0
        block, *after = blocks
        if isinstance(block, Heading):
            return 26.0 + self._company(after)
        if isinstance(block, TableBlock) and block.shown:
            return self._measured(block, after).needed[0]
        if isinstance(block, FigureBlock):
            return block.scene.height + 30
        return 70.0 + (self._led(block, after) if isinstance(block, Paragraph) else 0.0)

    def _led(self, block: Paragraph, after: Sequence[Block]) -> float:
        """Return the height of the table or list that a paragraph leads to, for below its last two lines; else 0."""
        table = after and isinstance(after[0], TableBlock) and after[0].shown and block.style == "body"
        return self._company(after) if table or block.text.endswith(":") else 0.0

    def _paragraph(self, block: Paragraph, after_it: Sequence[Block]) -> None:
        size, bold, colour, before, after = _STYLES[block.style]
        before, after = before * self.spread, after * self.spread
        inset = {"lead": 12.0, "item": 12.0}.get(block.style, 0.0)
        lines = self._lines(block.text, self.right - self.left - inset, size, bold)
        self.y += before
        node = Node("P")
        step = size * _LEADING
        # Nor does what leads to something else.
        led, short = self._led(block, after_it), len(lines) <= _BEGUN
        self._room(min(len(lines), _BEGUN) * step + (led if short else 0.0))
        for number, line in enumerate(lines):
            # The last line never stands alone at the head of a page.
            last = number == len(lines) - 2
            self._room(step * (2 if last else 1) + (led if last and not short else 0.0))
            if block.style == "lead":
                self._ops.append(Fill(self.left, self.y, 3, step, ACCENT))
            if block.style == "item" and number == 0:
                self._ops.append(Fill(self.left + 2, self.y + 0.5 * step, 3, 3, ACCENT))
            self.y += step
            self._ops.append(Text(self.left + inset, self.y - 0.3 * size, line, size, bold, colour, node))
        self.y += after

    def _figure(self, block: FigureBlock) -> None:
        scale = min(1.0, (self.right - self.left) / block.scene.width)
        height = block.scene.height * scale
        caption = self._lines(block.caption, self.right - self.left, 8.0, False)
        self._room(height + len(caption) * 8 * _LEADING + 8)
        self._ops.append(Drawing(self.left, self.y, scale, block.scene, Node("FigureBlock", words=block.words)))
        self.y += height + 4
        node = Node("Caption")
        for line in caption:
            self.y += 8 * _LEADING
            self._ops.append(Text(self.left, self.y - 2.4, line, 8.0, False, QUIET, node))
        self.y += 8 * self.spread

    def _signatures(self, block: SignatureLines) -> None:
        self._room(_SIGNED)
        self.y += _SIGNED - 14
        each = (self.right - self.left + 20) / len(block.labels)
        for place, label in enumerate(block.labels):
            x, node = self.left + place * each, Node("P")
            self._ops.append(Fill(x, self.y, each - 20, 0.75, INK))
            line = self._lines(label, each - 20, 7.5, False)[0]
            self._ops.append(Text(x, self.y + 10, line, 7.5, False, QUIET, node))
        self.y += 14

    # tables

    def _table(self, block: TableBlock, after: Sequence[Block]) -> None:
        table = Node("TableBlock", words=block.name)
        header, widths, tall, rows, needed = self._measured(block, after)
        for number, cells in enumerate(rows):
            opened = number in needed and self._room(needed[number])
            if block.header and (opened or not number):
                self._header(block, header, widths, tall, None if number else table)
            self._row(block, cells, widths, tall, header, table, first=number == 0)
        self.y += 8 * self.spread

    def _measured(self, block: TableBlock, after: Sequence[Block]) -> _Measured:
        widths = self._columns(block)
        header = [self._lines(text, w - 2 * _GAP, _CELL, True) for text, w in zip(block.header, widths, strict=False)]
        step = _CELL * _LEADING
        tall = step * max((len(lines) for lines in header), default=0) + 2 * _PAD if block.header else 0.0
        rows = []
        for number, row in enumerate(block.shown):
            if number % 100 == 0:
                self.progress.report(_STAGE, number / len(block.shown))
            cells = [
                self._lines(self._written(cell), w - 2 * _GAP, _CELL, not block.header and i == 0)
                for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            ]
            rows.append(cells)
        heights = [step * max(map(len, cells)) + 2 * _PAD for cells in rows]
        below, last, most = self._noted(after), len(rows) - 1, _TOGETHER * self.bottom
        whole, kept = tall + sum(heights) + below, sum(heights[-2:]) + below
        # The last row begins no page, but where it and the one before are long.
        ends = {max(last - 1, 1): kept} if kept < most else {last: heights[last] + below}
        least = max(_BEGUN * step + 4 * _PAD, heights[0] if heights[0] < most else 0.0)
        begins = tall + least + (0.0 if last else below)
        return _Measured(header, widths, tall, rows, {0: whole} if whole < most else {**ends, 0: begins})

    def _noted(self, after: Sequence[Block]) -> float:
        """Return the height that the note on a table takes below its last row, or begins with: it stands there too."""
        if not after or not isinstance(after[0], Paragraph) or after[0].style != "note":
            return 0.0
        size = _STYLES["note"][0]
        lines = self._lines(after[0].text, self.right - self.left, size, False)
        return 8 * self.spread + min(len(lines), _BEGUN) * size * _LEADING

    def _header(
        self, block: TableBlock, header: list[list[str]], widths: list[float], tall: float, table: Node | None
    ) -> None:
        """Set the header row; as decoration where it is repeated on a further page (`table` None)."""
        row = None if table is None else Node("TR", table)
        self._ops.append(Fill(self.left, self.y, sum(widths), tall, SOFT))
        x = self.left
        for lines, w, align in zip(header, widths, block.align, strict=True):
            self._cell(lines, x, w, align, self.y, True, None if row is None else Node("TH", row))
            x += w
        self.y += tall

    def _row(
        self,
        block: TableBlock,
        cells: list[list[str]],
        widths: list[float],
        tall: float,
        header: list[list[str]],
        table: Node,
        *,
        first: bool,
    ) -> None:
        step, row = _CELL * _LEADING, Node("TR", table)
        nodes = [Node("TH" if not block.header and i == 0 else "TD", row) for i in range(len(cells))]
        left = max(len(lines) for lines in cells)
        start = 0
        while start < left:
            fits = int((self.bottom - self.y - 2 * _PAD) / step)
            whole_page = int((self.bottom - TOP - tall - 2 * _PAD) / step)
            # A row goes on on the next page where it is long, and the first where a page's foot would stay empty.
            long = left * step + 2 * _PAD >= (_TOGETHER if first else _PARTED) * self.bottom
            begun = _BEGUN if first else _PART
            if fits < min(left - start, begun if long and start == 0 else whole_page):
                self._page()
                if block.header:
                    self._header(block, header, widths, tall, None)
                continue
            count = min(fits, left - start)
            if 0 < left - start - count < begun < count:  # nor does it end there with a line or two
                count = left - start - begun
            x = self.left
            for i, (lines, w, align) in enumerate(zip(cells, widths, block.align, strict=True)):
                bold = not block.header and i == 0
                self._cell(lines[start : start + count], x, w, align, self.y, bold, nodes[i])
                x += w
            self.y += count * step + 2 * _PAD
            self._ops.append(Fill(self.left, self.y - 0.4, sum(widths), 0.4, GRID))
            start += count

    def _cell(
        self, lines: Sequence[str], x: float, w: float, align: str, y: float, bold: bool, node: Node | None
    ) -> None:
        for number, line in enumerate(lines):
            if not line:
                continue
            at = x + _GAP
            if align == "r":
                at = x + w - _GAP - self.measure(line, _CELL, bold)
            base = y + _PAD + (number + 1) * _CELL * _LEADING - 0.3 * _CELL
            self._ops.append(Text(at, base, line, _CELL, bold, INK, node))

    def _columns(self, block: TableBlock) -> list[float]:
        """Return column widths: figures and single words get what they need, the rest is shared by weight."""
        total = self.right - self.left
        needed = []
        for i, align in enumerate(block.align):
            title = block.header[i] if block.header else ""
            word = max((self.measure(word, _CELL, True) for word in title.split()), default=0.0)
            if align == "r":  # never broken, unless nothing else helps
                widest = max((self.measure(self._written(row[i]), _CELL, False) for row in block.shown), default=0.0)
                most = total / 3
            else:
                words = {word for row in block.shown for word in self._written(row[i]).split()}
                widest = max((self.measure(word, _CELL, not block.header and i == 0) for word in words), default=0.0)
                most = total / 4
            needed.append(max(min(max(widest, word) + 2 * _GAP + 2, most), _NARROWEST))
        if sum(needed) > total:
            needed = [need * total / sum(needed) for need in needed]
        widths = [total * weight / sum(block.weights) for weight in block.weights]
        short = sum(max(0.0, need - w) for need, w in zip(needed, widths, strict=True))
        spare = sum(max(0.0, w - need) for need, w in zip(needed, widths, strict=True))
        share = min(1.0, short / spare) if spare else 0.0
        return [need if w < need else w - share * (w - need) for need, w in zip(needed, widths, strict=True)]

    def _marks(self) -> None:
        """Put the edition mark, the footer and the page number on every page, outside of the reading order."""
        document, height = self.document, self.layout.height
        colour = "#b03a00" if document.internal else ACCENT
        for number, page in enumerate(self.layout.pages, 1):
            edition = self._lines(document.edition, self.right - self.left, 8.0, True)[0]
            counter = document.page_of.format(page=number, pages=len(self.layout.pages))
            width = self.measure(counter, 7.5, False)
            footer = self._lines(document.footer, self.right - self.left - width - 16, 7.5, False)[0]
            page.ops += [
                Text(self.left, 36, edition, 8.0, True, colour, None),
                Fill(self.left, 42, self.right - self.left, 0.75, colour),
                Fill(self.left, height - 42, self.right - self.left, 0.4, GRID),
                Text(self.left, height - 30, footer, 7.5, False, QUIET, None),
                Text(self.right - width, height - 30, counter, 7.5, False, QUIET, None),
            ]
