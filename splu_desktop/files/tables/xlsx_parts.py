"""The fixed parts of an Excel workbook (ECMA-376, part 1), and text as its cells hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from html import escape as escape_html

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"

escape = partial(escape_html, quote=False)  # xml.sax.saxutils would do, but brings the network libraries along

BOLD, DATE, DATETIME, NOTE = 1, 2, 3, 4  # places in the styles below
TABLE_SHEET = "Table"

STYLES = (
    f'{_HEAD}<styleSheet xmlns="{MAIN}">'
    '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" applyAlignment="1">'
    '<alignment vertical="top" wrapText="1"/></xf></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
ROOT_RELATIONS = (
    f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
)


def content_types(sheets: Mapping[str, str]) -> str:
    """Return [Content_Types].xml for sheets: name of each -> its part."""
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/{part}" ContentType="{_KIND}.worksheet+xml"/>' for part in sheets.values()
    )
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_KIND}.sharedStrings+xml"/>{overrides}</Types>'
    )


def workbook(sheets: Mapping[str, str]) -> str:
    """Return xl/workbook.xml."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>' for number, name in enumerate(sheets, 1)
    )
    return f'{_HEAD}<workbook xmlns="{MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'


def workbook_relations(sheets: Mapping[str, str]) -> str:
    """Return xl/_rels/workbook.xml.rels."""
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet" Target="worksheets/{part}"/>'
        for number, part in enumerate(sheets.values(), 1)
    )
    return (
        f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{listed}'
        f'<Relationship Id="rId{len(sheets) + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="rId{len(sheets) + 2}" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
        "</Relationships>"
    )


def sheet_start(widths: list[float], selected: bool) -> str:
    """Return a worksheet up to its first row: the header frozen, widths set in characters."""
    columns = "".join(
        f'<col min="{place}" max="{place}" width="{width:g}" customWidth="1"/>' for place, width in enumerate(widths, 1)
    )
    chosen = ' tabSelected="1"' if selected else ""
    return (
        f'{_HEAD}<worksheet xmlns="{MAIN}"><sheetViews><sheetView{chosen} workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/>'
        f'</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>{columns}</cols><sheetData>'
    )


SHEET_END = "</sheetData></worksheet>"


def note_sheet(string: int) -> str:
    """Return a worksheet of one cell, which holds a shared string."""
    return (
        f'{_HEAD}<worksheet xmlns="{MAIN}"><sheetViews><sheetView tabSelected="1" workbookViewId="0"/></sheetViews>'
        '<cols><col min="1" max="1" width="100" customWidth="1"/></cols><sheetData>'
        f'<row r="1"><c r="A1" s="{NOTE}" t="s"><v>{string}</v></c></row>{SHEET_END}'
    )


def strings_start(count: int, unique: int) -> str:
    """Return xl/sharedStrings.xml up to its first string."""
    return f'{_HEAD}<sst xmlns="{MAIN}" count="{count}" uniqueCount="{unique}">'


STRINGS_END = "</sst>"
# What XML can't hold is written _xHHHH_, and what looks like that already has its underscore written so.
_SPECIAL = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")


def shared_string(text: str) -> str:
    """Return one entry of the shared strings. A shared string is text and nothing else: it is never run."""
    marked = _SPECIAL.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    kept = ' xml:space="preserve"' if text != text.strip() or "\n" in text else ""
    return f"<si><t{kept}>{escape(marked)}</t></si>"


def column_letters(place: int) -> str:
    """Return the letters of a column, from 0: A, …, Z, AA, …"""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
