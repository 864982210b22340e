"""What the report page does in the worker: compute the figures once, then set, preview and write the report."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from splu_desktop.core.progress import Progress
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Release
from splu_desktop.gui.base.words import filled as sentence
from splu_desktop.gui.base.words import t
from splu_desktop.report.content import document
from splu_desktop.report.document import Block, Cell, Document, FigureBlock, Heading, Paragraph, TableBlock, cell_text
from splu_desktop.report.history import background, entry_of, typed_in
from splu_desktop.report.make import edition, make_report, write_report
from splu_desktop.report.model import Alternative, Fields, Report
from splu_desktop.report.public import filled

_MOST_ROWS = 60  # of a table in the preview; the saved report has them all
_FIGURE = 360  # width of a figure in the preview, logical pixels: it fits a window of 960
_SCALE = 2  # a screen of 200 % still shows sharp figures


@dataclass(frozen=True, eq=False)
class ReportFigures:
    """A report without what is typed: all that costs time to compute.

    Attributes
    ----------
    report : the internal edition where it was computed, else the external one.
    typed : fields as they were typed when the release was published here.
    """

    report: Report
    typed: Mapping[str, str]

    def edition(self, fields: Fields, *, internal: bool) -> Report:
        """Return an edition with its cover filled in, dated now."""
        now = datetime.now().astimezone()
        public = self.report.public
        cover = replace(public.cover, created=now.isoformat(timespec="seconds"), time_zone=now.tzname() or "")
        return edition(filled(replace(public, cover=cover), fields), self.report.original if internal else None)


def figures(
    release: Release, alternatives: tuple[Alternative, ...], progress: Progress, *, internal: bool
) -> ReportFigures:
    """Compute the figures of a report. Raises BadRelease, NotItsSource, RegisterFault; Cancelled."""
    opened = OpenRelease(release.folder, dict(release.facts), release.published)
    entry = entry_of(Register().read(), opened)
    typed = typed_in(entry, internal=False)  # the fields serve both editions
    behind = None
    if internal:
        assert release.made_from is not None
        source, choices = release.made_from
        behind = background(opened, source.imported, plan=choices.plan(), alternatives=alternatives, progress=progress)
    return ReportFigures(make_report(opened, background=behind, password=release.password, progress=progress), typed)


@dataclass(frozen=True, eq=False)
class ReportPreview:
    """A report for the window: simple HTML, and its figures as pictures by name."""

    html: str
    pictures: Mapping[str, QImage] = field(default_factory=dict)


def preview(report: Report, language: str, progress: Progress) -> ReportPreview:
    """Set a report for the window, on white like its pages. Raises Cancelled."""
    made = document(report, language)
    parts, pictures = [_top(made)], {}
    for at, block in enumerate(made.blocks):
        progress.report("Setting the preview", at / len(made.blocks))
        if isinstance(block, FigureBlock):
            name = f"figure:{at}"
            pictures[name] = _drawn(block)
            caption = html.escape(block.caption)
            parts.append(f"<p><img src='{name}' width='{_FIGURE}'></p><p class='note'>{caption}</p>")
        else:
            parts.append(_block(block))
    return ReportPreview("".join(parts), pictures)


def write(report: Report, path: Path, language: str, paper: str, progress: Progress) -> Path:
    """Write a report in the format its ending says. Raises BadSetting, CannotWrite; Cancelled."""
    progress.report("Setting the report", 0.0)
    write_report(report, path, language=language, paper=paper, progress=progress)
    return path


def _top(made: Document) -> str:
    colour = "#b03a00" if made.internal else "#00629b"
    return (
        "<style>h1{font-size:x-large} h2{color:#00629b; font-size:large; margin-top:24px} h3{font-size:medium}"
        ".note,.subtitle{color:#52606d} th{background:#e8ecef; text-align:left} table{margin-top:6px}</style>"
        f"<p style='color:{colour}'><b>{html.escape(made.edition)}</b></p>"
    )


def _drawn(figure: FigureBlock) -> QImage:
    drawing = QSvgRenderer(QByteArray(figure.scene.svg(figure.words).encode()))
    height = round(_FIGURE * figure.scene.height / figure.scene.width)
    image = QImage(QSize(_FIGURE, height) * _SCALE, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    drawing.render(painter, QRectF(0, 0, image.width(), image.height()))
    painter.end()
    return image


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        level = block.level + 1
        return f"<h{level}>{_text(block.text)}</h{level}>"
    if isinstance(block, Paragraph):
        if block.style == "title":
            return f"<h1>{_text(block.text)}</h1>"
        return f"<p class='{block.style}'>{_text(block.text)}</p>"
    if isinstance(block, TableBlock):
        return _table(block) if block.shown else ""
    if isinstance(block, FigureBlock):
        return ""
    return "".join(f"<p><br>______________________________<br>{_text(label)}</p>" for label in block.labels)


def _table(table: TableBlock) -> str:
    rows = []
    if table.header:
        heads = zip(table.header, table.align, strict=True)
        rows.append("<tr>" + "".join(f"<th{_side(side)}>{_text(text)}</th>" for text, side in heads) + "</tr>")
    for row in table.shown[:_MOST_ROWS]:
        cells = zip(row, table.align, strict=True)
        rows.append("<tr>" + "".join(f"<td{_side(side)}>{_cell(cell)}</td>" for cell, side in cells) + "</tr>")
    # Qt rounds each column's width up: a table of the whole width would be a pixel too wide, and the page would scroll.
    made = f"<table width='99%' cellspacing='0' cellpadding='3'>{''.join(rows)}</table>"
    more = len(table.shown) - _MOST_ROWS
    if more > 0:
        words = sentence(t("{n} further rows stand in the saved report."), n=more)
        made += f"<p class='note'>{_text(words)}</p>"
    return made


def _cell(cell: Cell) -> str:
    return _text(cell_text(cell))


def _side(side: str) -> str:
    return " align='right'" if side == "r" else ""


def _text(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
