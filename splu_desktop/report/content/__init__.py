"""The report in words: the model's figures as headings, sentences, tables and figures, in the reader's language.

Two pages in front are to be signed; what they rest on follows in sections, each left out where it has nothing to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import compress

from splu_desktop.files.language import Language, language, mark
from splu_desktop.report.content import closing, described, front, promise, risk, worth
from splu_desktop.report.content.parts import unbroken
from splu_desktop.report.document import (
    Block,
    Cell,
    Document,
    FigureBlock,
    Heading,
    Pages,
    Paragraph,
    TableBlock,
    cell_text,
)
from splu_desktop.report.model import Report

__all__ = ["document"]

Section = Callable[[Report, Language], list[Block]]
SECTIONS: tuple[tuple[str, str, Section], ...] = (
    ("law", mark("Law and guidance"), described.law),
    ("done", mark("What was done"), described.done),
    ("columns", mark("Columns"), described.columns),
    ("promise", mark("The promise"), promise.promised),
    ("worth", mark("What the table is worth"), worth.measured),
    ("risk", mark("Measured risk"), risk.measured),
    ("repeat", mark("Other releases and what another one costs"), closing.repeat),
    ("alternatives", mark("Alternatives considered"), closing.alternatives),
    ("accepted", mark("Risks known before publishing"), closing.accepted),
    ("source", mark("Source"), closing.source),
    ("files", mark("Files and checks"), closing.files),
    ("glossary", mark("Words"), closing.glossary),
)


def document(report: Report, code: str = "en") -> Document:
    """Return the report ready to be set. Raises BadSetting for a language it does not speak."""
    t = language(code)
    blocks, titles = front.pages(report, t), {"front": t("Summary"), "evidence": t("Summary")}
    within: dict[str, str] = {}  # what headings in sections are known by, and those sections' titles
    for key, title, section in SECTIONS:
        if found := section(report, t):
            first = len(titles) == 2
            titles[key] = f"{chr(ord('A') + len(titles) - 2)} {t(title)}"
            blocks += [Heading(titles[key], new_page=first, key=key), *found]
            within |= {each.key: titles[key] for each in found if isinstance(each, Heading) and each.key}
    return Document(
        title=front.title(report, t),
        edition=edition_mark(report, t),
        internal=report.original is not None,
        footer=f"{front.title(report, t)} · {t.moment(report.public.cover.created)}",
        language=code,
        page_of=t("Page {page} of {pages}", page="{page}", pages="{pages}"),
        blocks=tuple(_found(block, titles | within) for block in blocks),
        strange_letters=t(
            "Letters that the fonts of this document lack stand as their Unicode numbers in brackets, such as "
            "[U+1F9A0]."
        ),
    )


def _found(block: Block, titles: Mapping[str, str]) -> Block:
    """Return a block with no line that begins with %, and of a table references to sections that there are.

    A table loses the columns in which nothing stands.
    """
    if isinstance(block, Heading | Paragraph):
        return replace(block, text=unbroken(block.text))
    if isinstance(block, FigureBlock):
        return replace(block, caption=unbroken(block.caption))
    if not isinstance(block, TableBlock):
        return block

    def told(cell: Cell) -> Cell:
        if isinstance(cell, str):
            return unbroken(cell)
        if not isinstance(cell, Pages):
            return cell
        keys = tuple(key for key in cell.keys if key in titles)
        return Pages(keys, ", ".join(dict.fromkeys(titles[key] for key in keys)) if keys else cell.text)

    block = replace(block, header=tuple(map(unbroken, block.header)))
    rows = [tuple(map(told, row)) for row in block.rows]
    says = [any(cell_text(row[i]) not in ("", "–") for row in rows) for i in range(len(block.align))]
    if not block.header or not any(says):
        return replace(block, rows=rows)
    return replace(
        block,
        header=tuple(compress(block.header, says)),
        rows=[tuple(compress(row, says)) for row in rows],
        align="".join(compress(block.align, says)),
        weights=tuple(compress(block.weights, says)),
    )


def edition_mark(report: Report, t: Language) -> str:
    """Return the mark that every page bears."""
    if report.original is None:
        return t("EXTERNAL EDITION – may be handed out with the release")
    return t("INTERNAL EDITION – holds true counts, must not be handed out")
