"""The parts of an Excel workbook beside its sheets, for readers that need a plain one."""

from __future__ import annotations

from collections.abc import Mapping

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"

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
