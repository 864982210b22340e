"""HTML: one file without scripts, links or outside resources; drawings as SVG."""

from __future__ import annotations

import html

from splu_desktop.report.document import Block, Document, FigureBlock, Heading, Number, Paragraph, TableBlock, cell_text

_STYLE = """
:root{color-scheme:light}
body{font:15px/1.5 system-ui,sans-serif;color:#1b252f;background:#fff;max-width:60rem;margin:0 auto;
padding:3.5rem 1.5rem}
.edition{position:fixed;top:0;left:0;right:0;padding:.4rem 1.5rem;font-weight:600;font-size:.85rem;background:#fff;
border-bottom:2px solid currentColor;color:#00629b}.internal{color:#a03400}
h1{font-size:2rem;margin:.5rem 0}h2{font-size:1.3rem;color:#00629b;margin:2rem 0 .5rem;scroll-margin-top:3rem}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
.verdict,.missed{border-left:4px solid #00629b;background:#ebf3f8;padding:.6rem .9rem;margin:1rem 0;font-weight:600;
font-size:1.1rem}.missed{border-color:#a03400;background:#f9efeb}
.note,.source,.subtitle,figcaption{color:#52606d}.note,.source,figcaption{font-size:.9rem}
.scroll{overflow-x:auto;margin:.8rem 0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:start;vertical-align:top;padding:.3rem .5rem;border-bottom:1px solid #d3dae1;overflow-wrap:anywhere}
thead th{border-bottom:2px solid #52606d}
td.r,th.r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
figure{margin:1rem 0}svg{max-width:100%;height:auto;width:46rem}
footer{margin-top:3rem;color:#52606d;font-size:.85rem}
@media print{h2{break-after:avoid}tr,figure{break-inside:avoid}thead{display:table-header-group}}
"""


def as_html(document: Document, style: str = _STYLE) -> str:
    """Return the document as one HTML page."""
    e = html.escape
    mark = "edition internal" if document.internal else "edition"
    parts, items = [], list[str]()
    # None closes a list that the document ends with.
    for block in (*document.blocks, None):
        if isinstance(block, Paragraph) and block.style == "item":
            items.append(f"<li>{_text(block.text)}</li>")
            continue
        if items:
            parts.append(f"<ul>{''.join(items)}</ul>")
            items = []
        if block is not None:
            parts.append(_block(block))
    return (
        f'<!DOCTYPE html>\n<html lang="{document.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        # Whatever a value of the table says, no browser runs or fetches anything for it.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{e(document.title)}</title><style>{style}</style></head><body>"
        f'<div class="{mark}">{e(document.edition)}</div>'
        f"<main>{''.join(parts)}</main>"
        f"<footer>{_text(document.footer)} · {e(document.edition)}</footer></body></html>\n"
    )


def _text(text: str) -> str:
    # Values in foreign scripts must not turn the words around them: <bdi> isolates whole texts.
    escaped = html.escape(text).replace("\n", "<br>")
    return escaped if text.isascii() else f"<bdi>{escaped}</bdi>"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        tag = f"h{block.level + 1}"
        return f"<{tag}>{_text(block.text)}</{tag}>"
    if isinstance(block, Paragraph):
        if block.style == "title":
            return f"<h1>{_text(block.text)}</h1>"
        tag = f' class="{block.style}"' if block.style != "body" else ""
        return f"<p{tag}>{_text(block.text)}</p>"
    if isinstance(block, TableBlock):
        return _table(block) if block.shown_rows else ""
    assert isinstance(block, FigureBlock)
    return f"<figure>{block.scene.svg(block.words)}<figcaption>{_text(block.words)}</figcaption></figure>"


def _table(table: TableBlock) -> str:
    side = [' class="r"' if align == "r" else "" for align in table.align]
    head = ""
    if table.header:
        cells = "".join(f'<th scope="col"{c}>{_text(text)}</th>' for text, c in zip(table.header, side, strict=True))
        head = f"<thead><tr>{cells}</tr></thead>"
    rows = []
    for row in table.shown_rows:
        cells = ""
        for i, (cell, c) in enumerate(zip(row, side, strict=True)):
            tag, scope = ("th", ' scope="row"') if i == 0 and not table.header else ("td", "")
            value = f' data-value="{cell.value!r}"' if isinstance(cell, Number) and cell.value is not None else ""
            cells += f"<{tag}{scope}{c}{value}>{_text(cell_text(cell))}</{tag}>"
        rows.append(f"<tr>{cells}</tr>")
    label, body = html.escape(table.name), "".join(rows)  # and a table is scrolled by keys, too
    markup = f'<div class="scroll" tabindex="0"><table aria-label="{label}">{head}<tbody>{body}</tbody></table></div>'
    return markup + (f'<p class="note">{_text(table.note)}</p>' if table.note else "")
