"""What a report is made of, whatever its format: headings, paragraphs, tables and drawings in reading order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from splu_desktop.core.messages import count_to_name
from splu_desktop.report.scene import Scene, Words

Row = TypeVar("Row")


@dataclass(frozen=True)
class Number:
    """A figure in a cell: as it is written and as it is."""

    text: str
    value: float | None


Cell = str | Number


def cell_text(cell: Cell) -> str:
    """Return a cell as it is written."""
    return cell if isinstance(cell, str) else cell.text


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 opens a section and makes a bookmark."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """Text. Styles: "body", "title", "subtitle", "verdict" (set off), "missed" (the same as a warning), "note" (quiet),
    "source" (quiet, kept with what follows), "item" (of a list)."""

    text: str
    style: str = "body"


@dataclass(frozen=True)
class TableBlock:
    """A table.

    Attributes
    ----------
    header : one text per column; empty for a list of facts, whose first column then names the rows.
    rows : the cells.
    align : "l" or "r" per column.
    weights : relative widths.
    most : rows that are shown on pages, or one more; the workbook has all. None for all.
    more : says below how many rows are not shown.
    tall : whether there must be room to write in each row.
    name : what it shows, also the sheet's name in a workbook; "" for the heading that it stands under.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    align: str
    weights: Sequence[float]
    most: int | None = None
    tall: bool = False
    name: str = ""
    more: Callable[[int], str] = str

    @property
    def shown_rows(self) -> Sequence[Sequence[Cell]]:
        """The rows that are shown on pages."""
        return self.rows if self.most is None else self.rows[: count_to_name(len(self.rows), self.most)]

    @property
    def note(self) -> str:
        """What is said below it, "" where all rows are shown."""
        rest = len(self.rows) - len(self.shown_rows)
        return self.more(rest) if rest else ""


@dataclass(frozen=True)
class FigureBlock:
    """A drawing, and the same in words, which stand below it."""

    scene: Scene
    words: str


Block = Heading | Paragraph | TableBlock | FigureBlock


@dataclass(frozen=True)
class Document:
    """A report ready to be set.

    Attributes
    ----------
    title : of the document.
    edition : the mark that every page bears.
    internal : whether it must not be handed out.
    footer : what identifies the report on every page.
    language : "en", "de", "fr".
    page_of : text with {page} and {pages}.
    front : the pages that are signed.
    annex : what stands behind them.
    most_annex : pages it may have.
    """

    title: str
    edition: str
    internal: bool
    footer: str
    language: str
    page_of: str
    front: tuple[Block, ...]
    annex: tuple[Block, ...] = ()
    most_annex: int = 6

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All of it."""
        return (*self.front, *self.annex)

    def texts(self) -> Iterator[str]:
        """Give every text that pages show."""
        yield from (self.title, self.edition, self.footer)
        for block in self.blocks:
            if isinstance(block, Heading | Paragraph):
                yield block.text
            elif isinstance(block, TableBlock):
                yield from block.header
                for row in block.shown_rows:
                    yield from map(cell_text, row)
                yield block.note
            else:
                yield block.words
                yield from (item.text for item in block.scene.items if isinstance(item, Words))


def name_by_headings(blocks: Iterable[Block]) -> Iterator[Block]:
    """Give blocks, each table without a name with that of its heading, up to the first mark."""
    name = ""
    for block in blocks:
        if isinstance(block, Heading):
            name = re.split("[,:?]", block.text)[0]
        yield replace(block, name=name) if isinstance(block, TableBlock) and not block.name else block


def table(
    of: Iterable[Row],
    *columns: tuple[str, str, float, Callable[[Row], Cell]],
    most: int | None = None,
    more: Callable[[int], str] = str,
) -> TableBlock:
    """Return a table with a row for each of `of`, and for each column its header, "l" or "r", its width, its cells."""
    header, align, weights, cells = zip(*columns, strict=True)
    rows = [tuple(cell(each) for cell in cells) for each in of]
    return TableBlock(header, rows, "".join(align), weights, most, more=more)


def fact_list(rows: Sequence[tuple[str, Cell]]) -> TableBlock:
    """Return a list of named facts."""
    return TableBlock((), rows, "ll", (1.0, 2.4))
