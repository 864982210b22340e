"""HTML: one file without scripts, links or outside resources; figures as SVG."""

from __future__ import annotations

import html
from pathlib import Path

from splu_desktop.files.disk.whole import whole_file
from splu_desktop.report.document import (
    Block,
    Document,
    FigureBlock,
    Heading,
    Number,
    Pages,
    Paragraph,
    TableBlock,
    cell_text,
)

_STYLE = """
:root{color-scheme:light}
body{font:15px/1.5 system-ui,sans-serif;color:#1b252f;background:#fff;max-width:60rem;margin:0 auto;
padding:3.5rem 1.5rem}
.edition{position:fixed;top:0;left:0;right:0;padding:.4rem 1.5rem;font-weight:600;font-size:.8rem;background:#fff;
border-bottom:2px solid currentColor;color:#00629b}.internal{color:#b03a00}
h1{font-size:2rem;margin:.5rem 0}h2{font-size:1.4rem;color:#00629b;margin:2.5rem 0 .5rem;scroll-margin-top:3rem}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
.lead{border-left:3px solid #00629b;padding:.2rem .8rem;margin:.7rem 0}.note,.subtitle,figcaption{color:#52606d}
.note,figcaption{font-size:.85rem}
.scroll{overflow-x:auto;margin:.8rem 0}
table{border-collapse:collapse;width:100%;font-size:.85rem}
th,td{text-align:start;vertical-align:top;padding:.3rem .5rem;border-bottom:1px solid #d3dae1;overflow-wrap:anywhere}
thead th{background:#e8ecef}
td.r,th.r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
figure{margin:1rem 0}svg{max-width:100%;height:auto;width:40rem}
.signs{display:flex;gap:2rem}
.sign{border-top:1px solid #1b252f;width:22rem;margin-top:4rem;padding-top:.2rem;font-size:.85rem;color:#52606d}
footer{margin-top:3rem;color:#52606d;font-size:.85rem}
@media print{.edition{position:fixed}h2{break-after:avoid}tr,figure{break-inside:avoid}
thead{display:table-header-group}}
"""


def as_html(document: Document) -> str:
    """Return the document as one HTML page."""
    e = html.escape
    mark = "edition internal" if document.internal else "edition"
    body = "".join(_block(block) for block in document.blocks)
    return (
        f'<!DOCTYPE html>\n<html lang="{document.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{e(document.title)}</title><style>{_STYLE}</style></head><body>"
        f'<div class="{mark}">{e(document.edition)}</div>'
        f"<main>{body}</main>"
        f"<footer>{_text(document.footer)} · {e(document.edition)}</footer></body></html>\n"
    )


def write_html(document: Document, target: Path) -> None:
    """Write the document as HTML, whole or not at all, over an existing file. Raises CannotWrite."""
    with whole_file(target, overwrite=True) as partial:
        partial.write_text(as_html(document), encoding="utf-8")


def _text(text: str) -> str:
    # Values in foreign scripts must not turn the words around them: <bdi> isolates whole texts.
    escaped = html.escape(text).replace("\n", "<br>")
    return escaped if text.isascii() else f"<bdi>{escaped}</bdi>"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        tag, key = ("h2" if block.level == 1 else "h3"), (f' id="{block.key}"' if block.key else "")
        return f"<{tag}{key}>{_text(block.text)}</{tag}>"
    if isinstance(block, Paragraph):
        if block.style == "title":
            return f"<h1>{_text(block.text)}</h1>"
        tag = f' class="{block.style}"' if block.style != "body" else ""
        return f"<p{tag}>{_text(block.text)}</p>"
    if isinstance(block, TableBlock):
        return _table(block) if block.shown else ""
    if isinstance(block, FigureBlock):
        return f"<figure>{block.scene.svg(block.words)}<figcaption>{_text(block.caption)}</figcaption></figure>"
    lines = "".join(f'<div class="sign">{_text(label)}</div>' for label in block.labels)
    return f'<div class="signs">{lines}</div>'


def _table(table: TableBlock) -> str:
    side = ["r" if align == "r" else "" for align in table.align]
    head = ""
    if table.header:
        cells = "".join(
            f'<th scope="col"{_class(c)}>{_text(text)}</th>' for text, c in zip(table.header, side, strict=True)
        )
        head = f"<thead><tr>{cells}</tr></thead>"
    rows = []
    for row in table.shown:
        cells = ""
        for i, (cell, c) in enumerate(zip(row, side, strict=True)):
            tag, scope = ("th", ' scope="row"') if i == 0 and not table.header else ("td", "")
            value = f' data-value="{cell.value!r}"' if isinstance(cell, Number) and cell.value is not None else ""
            text = _text(cell_text(cell))
            if isinstance(cell, Pages) and cell.keys:
                parts = zip(cell.keys, cell.text.split(", "), strict=False)
                text = ", ".join(f'<a href="#{key}">{_text(title)}</a>' for key, title in parts)
            cells += f"<{tag}{scope}{_class(c)}{value}>{text}</{tag}>"
        rows.append(f"<tr>{cells}</tr>")
    label = html.escape(table.name)
    return f'<div class="scroll"><table aria-label="{label}">{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
