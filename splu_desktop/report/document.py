"""What a report is made of, whatever its format: headings, paragraphs, tables and figures in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from splu_desktop.frozen import dataclass
from splu_desktop.report.scene import Scene, Words


@dataclass(frozen=True)
class Number:
    """A figure in a cell: as it is written and as it is."""

    text: str
    value: float | None


@dataclass(frozen=True)
class Pages:
    """Where something stands: page numbers of sections on pages, `text` (their titles) where there are none.

    keys : of the sections' headings.
    """

    keys: tuple[str, ...]
    text: str = ""


Cell = str | Number | Pages


def cell_text(cell: Cell) -> str:
    """Return a cell as it is written where there are no pages."""
    return cell if isinstance(cell, str) else cell.text


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 opens a section and starts a bookmark. `key` is what `Pages` know it by."""

    text: str
    level: int = 1
    new_page: bool = False
    key: str = ""


@dataclass(frozen=True)
class Paragraph:
    """Text. Styles: "body", "lead" (a promise, set off), "note" (small), "item", "title", "subtitle"."""

    text: str
    style: str = "body"


@dataclass(frozen=True)
class TableBlock:
    """A table with a header row.

    Attributes
    ----------
    name : what it shows, also the sheet's name in a workbook.
    header : one text per column; empty for a list of facts, whose first column then names the rows.
    rows : the cells.
    align : "l" or "r" per column.
    weights : relative widths, summing to anything.
    most : rows that are shown on pages, 0 for none of it; the workbook has all. None for all.
    """

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    align: str
    weights: Sequence[float]
    most: int | None = None

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows that are shown on pages."""
        return self.rows if self.most is None else self.rows[: self.most]


@dataclass(frozen=True)
class FigureBlock:
    """A drawing with a caption and the same in words, for those who can't see it."""

    scene: Scene
    caption: str
    words: str


@dataclass(frozen=True)
class SignatureLines:
    """Lines to sign on, beside each other: what each is for."""

    labels: Sequence[str]


Block = Heading | Paragraph | TableBlock | FigureBlock | SignatureLines


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
    strange_letters : what is said where a format's fonts lack letters.
    note : said at the end.
    """

    title: str
    edition: str
    internal: bool
    footer: str
    language: str
    page_of: str
    blocks: tuple[Block, ...]
    strange_letters: str = ""
    note: str = ""

    def texts(self) -> Iterator[str]:
        """Yield every text that is shown."""
        yield from (self.title, self.edition, self.footer)
        for block in self.blocks:
            if isinstance(block, Heading | Paragraph):
                yield block.text
            elif isinstance(block, TableBlock):
                yield from block.header
                for row in block.shown:
                    yield from map(cell_text, row)
            elif isinstance(block, FigureBlock):
                yield block.caption
                yield from (item.text for item in block.scene.items if isinstance(item, Words))
            else:
                yield from block.labels
