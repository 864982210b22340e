"""DOCX: headings, paragraphs and tables as WordprocessingML, with the styles of `resources/report/docx`."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from splu_desktop.core.resources import resource_path
from splu_desktop.report.document import Block, Document, FigureBlock, Heading, Paragraph, TableBlock, cell_text

_SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {  # what stands in every such file -> its name in `resources/report/docx`
    "[Content_Types].xml": "content_types.xml",
    "_rels/.rels": "package_relations.xml",
    "word/_rels/document.xml.rels": "document_relations.xml",
    "word/styles.xml": "styles.xml",
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # which XML can't hold
_LONG, _SHORT, _MARGIN = 16_838, 11_906, 1_134  # twentieths of a point: A4, and 2 cm
_WIDE, _WIDEST = 95, 40  # letters of a line from which pages lie on their side; of a column at most
_NAMES = {"title": "Title", "subtitle": "Subtitle", "note": "Note", "source": "Note"}
_LANGUAGES = {"en": "en-GB", "de": "de-DE", "fr": "fr-FR"}


def as_docx(document: Document) -> bytes:
    """Return the document as a DOCX file; of drawings what they show in words."""
    parts = {name: resource_path(f"report/docx/{part}").read_text(encoding="utf-8") for name, part in _PARTS.items()}
    parts["word/styles.xml"] = parts["word/styles.xml"].replace("{language}", _LANGUAGES[document.language])
    parts["word/footer.xml"] = f"{_HEAD}<w:ftr {_SPACES}>{_footer(document)}</w:ftr>"
    parts["word/document.xml"] = f"{_HEAD}<w:document {_SPACES}><w:body>{_body(document)}</w:body></w:document>"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same document makes the same bytes
            file.writestr(entry, text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _body(document: Document) -> str:
    wide = any(sum(_letters(block)) > _WIDE for block in document.blocks if isinstance(block, TableBlock))
    across, down = (_LONG, _SHORT) if wide else (_SHORT, _LONG)
    margins = "".join(f' w:{side}="{_MARGIN}"' for side in ("top", "right", "bottom", "left"))
    parts = [part for block in document.blocks for part in _block(block, across - 2 * _MARGIN)]
    return (
        f'{"".join(parts)}<w:sectPr><w:footerReference w:type="default" r:id="rId2"/><w:pgSz w:w="{across}" '
        f'w:h="{down}" w:orient="{"landscape" if wide else "portrait"}"/>'
        f'<w:pgMar{margins} w:header="567" w:footer="567" w:gutter="0"/></w:sectPr>'
    )


def _block(block: Block, width: int) -> Iterator[str]:
    if isinstance(block, Heading):
        yield _paragraph(block.text, f"Heading{block.level}")
    elif isinstance(block, Paragraph):
        text = f"• {block.text}" if block.style == "item" else block.text
        yield _paragraph(text, _NAMES.get(block.style, "Normal"))
    elif isinstance(block, FigureBlock):
        yield _paragraph(block.words, "Note")
    elif block.shown_rows:
        letters = _letters(block)
        widths = [width * each // sum(letters) for each in letters]
        grid = "".join(f'<w:gridCol w:w="{each}"/>' for each in widths)
        rows = [_row(block.header, block.align, widths, "TableHead", "<w:tblHeader/>")] if block.header else []
        rows += [_row([cell_text(cell) for cell in row], block.align, widths, "TableText") for row in block.shown_rows]
        look = '<w:tblPr><w:tblStyle w:val="Book"/><w:tblW w:w="5000" w:type="pct"/></w:tblPr>'
        yield f"<w:tbl>{look}<w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>{_paragraph('', 'Normal')}"


def _letters(table: TableBlock) -> list[int]:
    """Return how wide columns want to be, in letters of their longest texts."""
    rows = [table.header or [""] * len(table.align), *([cell_text(cell) for cell in row] for row in table.shown_rows)]
    return [min(max(map(len, column)) + 3, _WIDEST) for column in zip(*rows, strict=True)]


def _row(texts: Sequence[str], align: str, widths: Sequence[int], style: str, more: str = "") -> str:
    cells = ""
    for text, side, width in zip(texts, align, widths, strict=True):
        cell = _paragraph(text, style, '<w:jc w:val="right"/>' if side == "r" else "")
        cells += f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>{cell}</w:tc>'
    return f"<w:tr><w:trPr><w:cantSplit/>{more}</w:trPr>{cells}</w:tr>"


def _paragraph(text: str, style: str, more: str = "") -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{more}</w:pPr>{_run(text)}</w:p>'


def _run(text: str) -> str:
    lines = '</w:t><w:br/><w:t xml:space="preserve">'.join(escape(_CONTROL.sub("\ufffd", text)).split("\n"))
    return f'<w:r><w:t xml:space="preserve">{lines}</w:t></w:r>'


def _footer(document: Document) -> str:
    """Return what every page bears: what identifies it, for whom it is, and its number."""
    before, between, after = re.split(r"\{pages?\}", document.page_of)
    fields = [f'<w:fldSimple w:instr="{name}">{_run("1")}</w:fldSimple>' for name in ("PAGE", "NUMPAGES")]
    text = _run(f"{document.footer} · {document.edition} · {before}") + fields[0] + _run(between) + fields[1]
    return f'<w:p><w:pPr><w:pStyle w:val="Note"/></w:pPr>{text}{_run(after)}</w:p>'
