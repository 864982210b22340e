"""A generator of hostile files: the same 300 of each format on every machine, by mutation and by hand.

A mutated file is a sound one with bytes turned, cut out, doubled or replaced by extreme numbers; in a ZIP the parts are
mutated and packed again, so that readers get past its checksums. Those made by hand are the known ways to make a small
file cost much: sizes that lie, cells far away, repeated and merged ones, chains in circles, bombs, deep nesting.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import xlsxwriter

from splu_desktop.core.generalise.intervals import Intervals
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import run
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.importer import read
from splu_desktop.files.project.recipe import Recipe, write_recipe
from splu_desktop.files.release.facts import seal
from splu_desktop.files.release.folder import Form, fill_folder
from tests.files.releases import released, ward_plan, ward_table
from tests.seeded import Seeded

COUNT = 300
_EXTREMES = [struct.pack("<I", n) for n in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)] + [
    struct.pack("<d", x) for x in (float("nan"), float("inf"), -1e308, 5e-324)
]
_TEXTS = [
    b"4294967295",
    b"-1",
    b"9" * 400,
    b"1e999",
    b"NaN",
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b'"',
    b"<",
    b"&#0;",
]
ROWS = [
    ["id", "age", "seen", "ward"],
    *[[f"p{i}", 20 + i % 60, f"2024-01-{i % 28 + 1:02d}", "ABCD"[i % 4]] for i in range(60)],
]

File = tuple[str, bytes]
"""File name and content."""


def mutated(content: bytes, seed: int) -> bytes:
    """Return a content with a few places spoilt."""
    chance = random.Random(seed)
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(7):
            case 0 if data:
                data[at % len(data)] ^= 1 << chance.randrange(8)
            case 1:
                data[at : at + 4] = chance.choice(_EXTREMES)
            case 2:
                data[at : at + chance.randrange(200)] = b""
            case 3:
                data[at:at] = data[at : at + chance.randrange(400)] * chance.choice((1, 3, 100))
            case 4:
                data[at:at] = chance.choice(_TEXTS)
            case 5:
                del data[at:]
            case _:
                digits = [k for k, byte in enumerate(data[:65536]) if 48 <= byte <= 57]
                if digits:
                    data[(k := chance.choice(digits)) : k + 1] = chance.choice(_TEXTS)
    return bytes(data)


def repacked(content: bytes, seed: int) -> bytes:
    """Return a ZIP with one of its parts mutated, sometimes itself."""
    chance = random.Random(seed)
    if chance.random() < 0.2:
        return mutated(content, seed)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(parts))
    parts[name] = mutated(parts[name], seed)
    return packed(parts)


def packed(parts: dict[str, bytes | str]) -> bytes:
    """Return a ZIP."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return out.getvalue()


def _parts(content: bytes) -> dict[str, bytes | str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@cache
def xlsx() -> bytes:
    """Return a sound workbook."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Data")
        for y, row in enumerate(ROWS):
            sheet.write_row(y, 0, row)
    return out.getvalue()


def _xlsx_with(old: bytes, new: bytes, part: str = "xl/worksheets/sheet1.xml") -> bytes:
    parts = _parts(xlsx())
    content = parts[part]
    assert isinstance(content, bytes)
    assert old in content
    parts[part] = content.replace(old, new, 1)
    return packed(parts)


def _xlsx_by_hand() -> Iterator[bytes]:
    strings, data = "xl/sharedStrings.xml", b"<sheetData>"
    for count in (b"4294967295", b"18446744073709551615", b"-1", b"99999999999999999999", b"1e9"):
        yield _xlsx_with(b"uniqueCount=", b'uniqueCount="' + count + b'" was=', strings)
        yield _xlsx_with(b" count=", b' count="' + count + b'" was=', strings)
        yield _xlsx_with(b'<dimension ref="', b'<dimension ref="A1:XFD' + count)
        yield _xlsx_with(b"<v>0</v>", b"<v>" + count + b"</v>")
        yield _xlsx_with(b'<row r="2"', b'<row r="' + count + b'"')
    for far in (b"XFD1048576", b"ZZZZZZ9", b"A4294967295", b"A0", b"1A", b"", b"XFE2"):
        cell = b'<row r="1048576"><c r="' + far + b'"><v>1</v></c></row>'
        yield _xlsx_with(data, b"<!-- calamine -->" + data + cell)
        yield _xlsx_with(b"</sheetData>", cell + b"</sheetData>")
        yield _xlsx_with(b"</sheetData>", cell + b"<!-- calamine --></sheetData>")
    yield _xlsx_with(data, data + b"<a>" * 300_000)
    yield _xlsx_with(data, data + b"<row>" * 300_000)
    yield _xlsx_with(data, b"<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]>" + data)
    yield _xlsx_with(data, data + b'<row r="1"><c r="A1"' + b' s="1"' * 200_000 + b"><v>1</v></c></row>")
    yield _xlsx_with(data, data + b'<row r="1"><c r="A1" ' + b" " * 5_000_000 + b"><v>1</v></c></row>")
    yield _xlsx_with(data, data + b'<row r="1"><c r="A1"><f>' + b"A" * 5_000_000)
    yield _xlsx_with(data, data + b"<c " * 1_500_000)
    yield _xlsx_with(data, data + b'<c t="e" r="A1"><f' * 300_000)
    yield _xlsx_with(data, data + b'<c r="A1"><f>' * 300_000)
    yield _xlsx_with(data, b'<cols><col hidden="1" min="1" max="99999999"/></cols>' * 20_000 + data)
    yield _xlsx_with(data, b'<cols><col hidden="1" ' * 100_000 + data)
    yield _xlsx_with(b"</sheetData>", b"</sheetData>" + b'<mergeCell ref="A1:XFD1048576"/>' * 100_000)
    yield _xlsx_with(b"<si><t>", b"<si><t>" + b"x" * 30_000_000, strings)
    yield _xlsx_with(b"<si>", b"<si>" * 300_000, strings)
    yield _xlsx_with(b"<cellXfs", b"<cellXfs " * 200_000, "xl/styles.xml")
    yield _xlsx_with(b"<sheets>", b"<sheets>" + b'<sheet name="a" sheetId="1" r:id="rId1"/>' * 2_000, "xl/workbook.xml")
    yield _xlsx_with(b"<sheets>", b"<sheets>" + b"<sheet " * 100_000, "xl/workbook.xml")
    yield packed({**_parts(xlsx()), "xl/worksheets/sheet1.xml": b" " * 200_000_000})
    yield packed({**_parts(xlsx()), "xl/media/zeros": bytes(99_000_000), "xl/sharedStrings.xml": bytes(90_000_000)})


def _biff(kind: int, content: bytes = b"") -> bytes:
    """Return a record of a BIFF8 stream ([MS-XLS] 2.1.4)."""
    return struct.pack("<HH", kind, len(content)) + content


def xls_stream(cells: bytes, texts: bytes = b"") -> bytes:
    """Return a BIFF8 workbook with one sheet of these records. `texts` : those that its cells share."""
    begin = struct.pack("<HHHHII", 0x0600, 5, 0, 0, 0, 0)
    name = b"Data"

    def globals_(at: int) -> bytes:
        sheet = struct.pack("<IHBB", at, 0, len(name), 0) + name
        fonts = _biff(0x0031, struct.pack("<HHHHHBBBBBB", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0, 1, 0) + b"A") * 5
        return (
            _biff(0x0809, begin) + fonts + _biff(0x00E0, bytes(20)) * 16 + _biff(0x0085, sheet) + texts + _biff(0x000A)
        )

    head = globals_(len(globals_(0)))
    sheet = struct.pack("<HHHHII", 0x0600, 0x10, 0, 0, 0, 0)
    return head + _biff(0x0809, sheet) + cells + _biff(0x000A)


def contained(stream: bytes) -> bytes:
    """Return a compound file that holds a stream "Workbook"."""
    stream = stream.ljust(max(4096, -(-len(stream) // 512) * 512), b"\0")
    count = len(stream) // 512
    fat_sectors = -(-(count + 2) // 126)
    fat = [*range(1, count), 0xFFFFFFFE, 0xFFFFFFFE, *[0xFFFFFFFD] * fat_sectors]
    fat += [0xFFFFFFFF] * (fat_sectors * 128 - len(fat))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, fat_sectors, count, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    places = [count + 1 + k for k in range(fat_sectors)]
    head += struct.pack("<109I", *places, *[0xFFFFFFFF] * (109 - fat_sectors))

    def entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
        coded = name.encode("utf-16-le")
        told = coded.ljust(64, b"\0") + struct.pack("<HBB", len(coded) + 2 if name else 0, kind, 1)
        return told + struct.pack("<III", 0xFFFFFFFF, 0xFFFFFFFF, child) + bytes(36) + struct.pack("<IQ", first, size)

    folder = entry("Root Entry", 5, 1, 0xFFFFFFFE, 0) + entry("Workbook", 2, 0xFFFFFFFF, 0, len(stream))
    folder += entry("", 0, 0xFFFFFFFF, 0, 0) * 2
    return head + stream + folder + struct.pack(f"<{len(fat)}I", *fat)


def label(row: int, column: int, text: str) -> bytes:
    """Return a cell with a text of Latin letters."""
    return _biff(0x0204, struct.pack("<HHHHB", row, column, 0, len(text), 0) + text.encode("latin-1"))


def shared_texts(texts: list[str]) -> bytes:
    """Return texts of Latin letters that cells share; a record holds 8,224 bytes, and the rest goes on in the next."""
    records = [struct.pack("<II", len(texts), len(texts))]
    for text in texts:
        if len(records[-1]) > 8000:
            records.append(b"")
        records[-1] += struct.pack("<HB", len(text), 0)
        rest = text.encode("latin-1")
        while len(records[-1]) + len(rest) > 8224:
            cut = 8224 - len(records[-1])
            records[-1] += rest[:cut]
            records.append(b"\0")
            rest = rest[cut:]
        records[-1] += rest
    return b"".join(_biff(0x003C if at else 0x00FC, record) for at, record in enumerate(records))


def shared(row: int, column: int, text: int) -> bytes:
    """Return a cell with the text of that number."""
    return _biff(0x00FD, struct.pack("<HHHI", row, column, 0, text))


def number(row: int, column: int, value: float) -> bytes:
    """Return a cell with a number."""
    return _biff(0x0203, struct.pack("<HHHd", row, column, 0, value))


def formula(row: int, column: int, text: str) -> bytes:
    """Return a formula whose result is a text: it stands in a record of its own behind it, STRING (0x0207)."""
    wide = not text.isascii()
    coded = text.encode("utf-16-le" if wide else "ascii")
    begin = struct.pack("<HHH", row, column, 0) + bytes(6) + b"\xff\xff" + bytes(6)
    parsed = struct.pack("<H", 3) + b"\x1e\x01\x00"  # =1
    return _biff(0x0006, begin + parsed) + _biff(0x0207, struct.pack("<HB", len(text), wide) + coded)


@cache
def _xls_cells() -> bytes:
    return b"".join(
        label(y, x, value) if isinstance(value, str) else number(y, x, value)
        for y, row in enumerate(ROWS)
        for x, value in enumerate(row)
    )


@cache
def xls() -> bytes:
    """Return a sound old workbook."""
    return contained(xls_stream(_xls_cells()))


def _xls_by_hand() -> Iterator[bytes]:
    cells = _xls_cells()
    for row, column in ((65535, 255), (65535, 65535), (0, 256), (65535, 0)):
        yield contained(xls_stream(cells + number(row, column, 1.0)))
        yield contained(xls_stream(number(row, column, 1.0) + cells))
    for value in (float("nan"), float("inf"), 1e308, -1e308):
        yield contained(xls_stream(cells + number(70, 0, value)))
    broken = _biff(0x0006, struct.pack("<HHH", 61, 0, 0) + b"\0" * 6 + b"\xff\xff" + bytes(6))
    yield contained(xls_stream(cells + broken + _biff(0x0207, struct.pack("<HB", 3, 0) + b"yes")))
    yield contained(xls_stream(cells + broken + _biff(0x0207, struct.pack("<HB", 65535, 1) + b"\xff\xff\xff\xff")))
    yield contained(xls_stream(_biff(0x00FC, struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF)) + cells))
    yield contained(_biff(0x00FC, struct.pack("<II", 0x7FFFFFFF, 0x7FFFFFFF)) + xls_stream(cells))
    yield contained(xls_stream(_biff(0x0200, struct.pack("<IIHHH", 0, 0xFFFFFFFF, 0, 0xFFFF, 0)) + cells))
    yield contained(xls_stream(_biff(0x00E5, struct.pack("<H", 65535) + bytes(8)) + cells))
    yield contained(xls_stream(_biff(0x00BD, struct.pack("<HH", 0, 0) + bytes(6) + struct.pack("<H", 255)) + cells))
    yield contained(xls_stream(_biff(0x000C) * 200_000 + cells))
    yield contained(xls_stream(_biff(0x0809, bytes(16)) * 50_000 + cells))
    sound = xls()
    for at in (30, 44, 48, 60, 64, 68, 72, 76, 80, 512 + 9):
        for value in (0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 63):
            yield sound[:at] + struct.pack("<I", value) + sound[at + 4 :]
    fat = len(sound) - 512
    for k in range(4):  # chains in circles
        yield sound[: fat + 4 * k] + struct.pack("<I", k) + sound[fat + 4 * k + 4 :]


def xlsb_record(kind: int, content: bytes = b"") -> bytes:
    """Return a record of a workbook: what it is, how long, and what it holds."""
    head = bytes([kind]) if kind < 128 else bytes([(kind & 127) | 128, kind >> 7])
    length = len(content)
    while length > 127:
        head += bytes([(length & 127) | 128])
        length >>= 7
    return head + bytes([length]) + content


def xlsb_text(value: str) -> bytes:
    """Return a text as such a record holds it."""
    return struct.pack("<I", len(value)) + value.encode("utf-16-le")


def _xlsb_of(cells: bytes, before: bytes = b"") -> bytes:
    book = (
        xlsb_record(131)
        + xlsb_record(143)
        + xlsb_record(156, struct.pack("<II", 0, 1) + xlsb_text("rId1") + xlsb_text("Data"))
    )
    sheet = xlsb_record(129) + before + xlsb_record(148, struct.pack("<IIII", 0, 60, 0, 2)) + xlsb_record(145) + cells
    link = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" Target="{}"/></Relationships>'
    )
    types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    return packed(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": link.format("officeDocument", "xl/workbook.bin"),
            "xl/_rels/workbook.bin.rels": link.format("worksheet", "worksheets/sheet1.bin"),
            "xl/workbook.bin": book + xlsb_record(144) + xlsb_record(132),
            "xl/worksheets/sheet1.bin": sheet + xlsb_record(146) + xlsb_record(130),
        }
    )


def _xlsb_row(row: int) -> bytes:
    return xlsb_record(0, struct.pack("<IIHBBI", row, 0, 300, 0, 0, 0) + bytes(9))


def _xlsb_cell(column: int, value: str | float) -> bytes:
    place = struct.pack("<II", column, 0)
    coded = xlsb_text(value) if isinstance(value, str) else struct.pack("<d", value)
    return xlsb_record(6 if isinstance(value, str) else 5, place + coded)


@cache
def _xlsb_cells() -> bytes:
    return b"".join(
        _xlsb_row(y) + b"".join(_xlsb_cell(x, value) for x, value in enumerate(row)) for y, row in enumerate(ROWS)
    )


def xlsb_sharing(rows: list[list[int]], texts: list[str]) -> bytes:
    """Return a binary workbook whose cells share texts, by their numbers."""
    cells = b"".join(
        _xlsb_row(y) + b"".join(xlsb_record(7, struct.pack("<III", x, 0, text)) for x, text in enumerate(row))
        for y, row in enumerate(rows)
    )
    parts = _parts(_xlsb_of(cells))
    links = str(_parts(xlsb())["xl/_rels/workbook.bin.rels"], "ascii")  # type: ignore[arg-type]
    more = links[links.index("<Relationship ") : links.index("</Relationships>")]
    more = more.replace("rId1", "rId2").replace("worksheets/sheet1.bin", "sharedStrings.bin")
    more = more.replace("relationships/worksheet", "relationships/sharedStrings")
    strings = b"".join(xlsb_record(19, b"\0" + xlsb_text(text)) for text in texts)
    strings = xlsb_record(159, struct.pack("<II", len(texts), len(texts))) + strings + xlsb_record(160)
    links = links.replace("</Relationships>", f"{more}</Relationships>")
    return packed({**parts, "xl/_rels/workbook.bin.rels": links, "xl/sharedStrings.bin": strings})


@cache
def xlsb() -> bytes:
    """Return a sound binary workbook."""
    return _xlsb_of(_xlsb_cells())


def _xlsb_by_hand() -> Iterator[bytes]:
    cells = _xlsb_cells()
    for row, column in ((1048575, 16383), (0xFFFFFFFF, 0), (0, 0xFFFFFFFF), (0x7FFFFFFF, 0x7FFFFFFF), (1048575, 20)):
        yield _xlsb_of(cells + _xlsb_row(row) + _xlsb_cell(column, 1.0))
        yield _xlsb_of(_xlsb_row(row) + _xlsb_cell(column, 1.0) + cells)
    for length in (0xFFFFFFFF, 0x7FFFFFFF, 0x80000000):
        yield _xlsb_of(cells + xlsb_record(6, struct.pack("<III", 0, 0, length)))
        yield _xlsb_of(cells + xlsb_record(7, struct.pack("<III", 0, 0, length)))
    yield _xlsb_of(cells, xlsb_record(148, struct.pack("<IIII", 0, 0xFFFFFFFF, 0, 0xFFFFFFFF)))
    yield _xlsb_of(_xlsb_row(0) * 300_000 + cells)
    yield _xlsb_of(b"\x85" * 300_000)
    yield _xlsb_of(cells + b"\x05\xff\xff\xff\x7f")
    parts = _parts(xlsb())
    strings = xlsb_record(159, struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF)) + xlsb_record(160)
    yield packed({**parts, "xl/sharedStrings.bin": strings})
    yield packed({**parts, "xl/styles.bin": xlsb_record(278) + xlsb_record(617, struct.pack("<I", 0xFFFFFFFF))})
    yield packed({**parts, "xl/workbook.bin": b"\xff" * 100_000})


_ODS_HEAD = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"><office:body>'
    '<office:spreadsheet><table:table table:name="Data">'
)
_ODS_END = "</table:table></office:spreadsheet></office:body></office:document-content>"


def _ods_of(rows: str, end: str = _ODS_END) -> bytes:
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return packed({"mimetype": kind, "content.xml": _ODS_HEAD + rows + end, "META-INF/manifest.xml": manifest})


def _ods_cell(value: str | int, more: str = "") -> str:
    kind = f'float" office:value="{value}' if isinstance(value, int) else "string"
    return f'<table:table-cell office:value-type="{kind}" {more}><text:p>{value}</text:p></table:table-cell>'


@cache
def _ods_rows() -> str:
    return "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in ROWS)


@cache
def ods() -> bytes:
    """Return a sound OpenDocument sheet."""
    return _ods_of(_ods_rows())


def _ods_by_hand() -> Iterator[bytes]:
    rows = _ods_rows()
    for n in ("1048576", "4294967295", "-1", "99999999999999999999", "1000000"):
        yield _ods_of(rows + f'<table:table-row table:number-rows-repeated="{n}">{_ods_cell("x")}</table:table-row>')
        again = _ods_cell("x", f'table:number-columns-repeated="{n}"')
        yield _ods_of(rows + f"<table:table-row>{again}</table:table-row>")
        yield _ods_of(
            rows + f'<table:table-row table:number-rows-repeated="{n}">{again}</table:table-row>{rows[-200:]}'
        )
        yield _ods_of(rows + f'<table:table-row table:number-rows-repeated="{n}"/>' + rows)
        spans = _ods_cell("x", f'table:number-rows-spanned="{n}" table:number-columns-spanned="{n}"')
        yield _ods_of(f"<table:table-row>{spans}</table:table-row>" + rows)
    yield _ods_of("<table:table-row>" * 200_000)
    yield _ods_of("<text:p>" * 200_000)
    yield _ods_of("<table:table-row><table:table-cell " + " " * 5_000_000 + "/></table:table-row>")
    yield _ods_of("<!-- " + "-" * 3_000_000)
    yield _ods_of("<table:table-row>" + "<table:table-cell " * 300_000)
    yield _ods_of("<table:table-row>" + "<table:table-cell/>" * 2_000_000 + "</table:table-row>" + rows)
    yield _ods_of(rows, "</table:table>" + '<table:table table:name="x"/>' * 100_000 + _ODS_END)
    yield _ods_of("x" * 50_000_000)


def _web_of(body: str) -> bytes:
    return f"<html><body><table>{body}</table></body></html>".encode()


@cache
def _web_rows() -> str:
    return "".join(f"<tr>{''.join(f'<td>{value}</td>' for value in row)}</tr>\n" for row in ROWS)


def _html_by_hand() -> Iterator[bytes]:
    rows = _web_rows()
    for n in (16384, 1048576, 99999999, -1, 0):
        yield _web_of(rows + f"<tr>{f'<td colspan={n}>x</td>' * 50}</tr>" * 20)
        yield _web_of(f"<tr><td rowspan={n} colspan={n}>x</td><td>y</td></tr>" + rows)
        yield _web_of(f"<tr>{f'<td rowspan={n} colspan=300>x</td>' * 60}</tr>" + "<tr><td>y</td></tr>" * 5_000)
        yield _web_of((f"<tr><td colspan={n}>x</td></tr>" * 4_000) + rows)
    yield _web_of(rows + "<table>" * 20_000)
    yield _web_of(rows + "<tr><td>" * 300_000)
    yield _web_of(rows + "<tr>" * 1_000_000)
    yield _web_of(rows + "<td " * 1_000_000)
    yield _web_of(rows + "<!--" * 1_000_000)
    yield _web_of(rows + "<![CDATA[" * 400_000)
    yield _web_of(rows + "<!" * 1_000_000)
    yield _web_of(rows + "</" * 1_000_000)
    yield _web_of(rows + "<?" * 1_000_000)
    yield _web_of(rows + "&" * 2_000_000)
    yield _web_of(rows + "&#" + "9" * 2_000_000)
    yield _web_of(rows + "<td a='" + "x" * 3_000_000)
    yield _web_of(rows + "<a " + "b=" * 1_000_000 + ">")
    yield _web_of(rows + "<script>" * 300_000)
    yield _web_of(rows + "<script>" + "</scrip" * 500_000)
    yield _web_of("".join(f"<tr><td>{'x' * 1000}</td></tr>" for _ in range(5_000)))


_BOOK = '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" ' + (
    'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="Data"><Table>'
)
_BOOK_END = "</Table></Worksheet></Workbook>"


def _book_cell(value: str | int, more: str = "") -> str:
    kind = "Number" if isinstance(value, int) else "String"
    return f'<Cell {more}><Data ss:Type="{kind}">{value}</Data></Cell>'


@cache
def _book_rows() -> str:
    return "".join(f"<Row>{''.join(map(_book_cell, row))}</Row>\n" for row in ROWS)


def _xml_of(rows: str, end: str = _BOOK_END) -> bytes:
    return (_BOOK + rows + end).encode()


def _xml_by_hand() -> Iterator[bytes]:
    rows = _book_rows()
    for n in (16384, 1048576, 99999999, -1, 0):
        yield _xml_of(rows + f'<Row ss:Index="{n}">{_book_cell("x")}</Row>')
        far, across = _book_cell("x", f'ss:Index="{n}"'), _book_cell("x", f'ss:MergeAcross="{n}"')
        both = _book_cell("x", f'ss:MergeAcross="{n}" ss:MergeDown="{n}"')
        yield _xml_of(rows + f"<Row>{far}</Row>" * 3_000)
        yield _xml_of(rows + f"<Row>{both}</Row>" * 500)
        yield _xml_of(rows + f"<Row>{across * 10}</Row>" * 3_000)
        sheet = f'</Table></Worksheet><Worksheet ss:Name="b"><Table><Row ss:Index="{n}">{_book_cell("x")}</Row>'
        yield _xml_of(rows + sheet * 60)
    entities = "".join(f"<!ENTITY a{k} '{f'&a{k - 1};' * 10 if k else 'aaaaaaaaaa'}'>" for k in range(10))
    yield (_BOOK.replace("?>", f"?><!DOCTYPE a [{entities}]>", 1) + _book_cell("&a9;") + _BOOK_END).encode()
    yield _xml_of("<a>" * 500_000)
    yield _xml_of(rows + "<Row>" * 200_000)
    yield _xml_of(rows + "<Row " + " " * 5_000_000)
    yield _xml_of(rows + "<Row " + "".join(f'a{k}="1" ' for k in range(200_000)) + "/>")
    yield _xml_of(rows + "<Row>" + _book_cell("x" * 20_000_000) + "</Row>")
    yield _xml_of(rows + "<Row>" + "<Cell/>" * 1_000_000 + "</Row>")


@cache
def statistical(kind: str) -> bytes:
    """Return a sound SPSS or Stata file."""
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame(ROWS[1:], columns=ROWS[0])
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{kind}"
        labels = {"age": {20: "young", 79: "old"}}
        (pyreadstat.write_sav if kind == "sav" else pyreadstat.write_dta)(
            frame, str(path), variable_value_labels=labels
        )
        return path.read_bytes()


def _fields(sound: bytes, places: range) -> Iterator[bytes]:
    for at in places:
        for value in (0, 0xFFFFFFFF, 0x7FFFFFFF, 0x10000000):
            yield sound[:at] + struct.pack("<I", value) + sound[at + 4 :]


@cache
def parquet() -> bytes:
    """Return a sound Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    columns = {name: [row[k] for row in ROWS[1:]] for k, name in enumerate(ROWS[0])}
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def claims(sound: bytes, count: int, other: int) -> bytes:
    """Return a Parquet file whose footer says that there are other many records and values than there are."""

    def varint(number: int) -> bytes:
        number, found = number << 1, b""
        while number > 127:
            found, number = found + bytes([number & 127 | 128]), number >> 7
        return found + bytes([number])

    (size,) = struct.unpack("<I", sound[-8:-4])
    footer = sound[-8 - size : -8].replace(varint(count), varint(other))
    return sound[: -8 - size] + footer + struct.pack("<I", len(footer)) + sound[-4:]


def _parquet_by_hand() -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for column in (
        pa.repeat(pa.scalar("x"), 20_000_000),
        pa.nulls(20_000_000, pa.string()),
        pa.repeat(pa.scalar("y" * 1_000), 300_000),
    ):
        out = io.BytesIO()
        pq.write_table(pa.table({"a": column}), out, compression="zstd")
        yield out.getvalue()
    for added in ("DELTA_BINARY_PACKED", "PLAIN"):
        out = io.BytesIO()
        pq.write_table(pa.table({"a": range(40_000)}), out, use_dictionary=False, column_encoding={"a": added})
        for claimed in (0, 1, 4_900_000, 1 << 31, 1 << 62):
            yield claims(out.getvalue(), 40_000, claimed)
    sound = parquet()
    for at in range(len(sound) - 12, len(sound) - 4):
        for value in (0, 0xFFFFFFFF, 0x7FFFFFFF, 1):
            yield sound[:at] + struct.pack("<I", value) + sound[at + 4 :]


@cache
def csv() -> bytes:
    """Return a sound text."""
    return "\n".join(",".join(map(str, row)) for row in ROWS).encode() + b"\n"


def _csv_by_hand() -> Iterator[bytes]:
    rows = csv()
    yield b"a,b\n" + b"x" + b" " * 50_000 + b"y,1\n" + rows
    for blank in (b" ", b"\t", "\u00a0".encode(), "\u3000".encode(), b"\x0b"):
        yield b"id,age,seen\n" + (b"p" + blank * 50_000 + b"q,1,2\n") * 20
        yield b"id,age,seen\n" + (blank * 50_000 + b",1,2\n") * 20
        yield blank * 3_000_000 + b"\n" + rows
    for mark in (b'"', b",", b";", b"|", b"'", b"\n", b"\r", b"-", b"=", b".", b"\\", b"0", b"9", b"1,", b'","', b"a "):
        yield mark * (2_000_000 // len(mark))
        yield rows + mark * (2_000_000 // len(mark))
        yield b"id,age\n" + (b"x" + mark * 20_000 + b",1\n") * 20
    yield b"id,age\n" + b"9" * 400 + b",1\n" + b"1e999,2\n-1e999,3\nnan,4\n"
    yield b"id,age\n" + b"1," + b"9" * 2_000_000 + b"\n"
    yield b"id\n" + b"".join(b"%d/%d/%d\n" % (k, k, k) for k in range(100_000))
    yield (b"a" * 3_000_000 + b",") * 2 + b"\n"
    yield b",".join(b"c%d" % k for k in range(200_000)) + b"\n" + b"," * 199_999 + b"\n"
    yield b"fixed  width " * 10 + b"\n" + b"--- " * 100_000 + b"\n" + b"abc " * 100_000
    yield "\ufeff".encode() * 500_000 + rows
    yield rows.decode().encode("utf-16") * 3
    yield b"\xff\xfe" + b"\x00\xd8" * 500_000
    yield rows.decode().encode("utf-32")
    yield bytes(1_000_000)


def _recipe_by_hand() -> Iterator[bytes]:
    sound = recipe()
    for huge in ("9" * 400, "1e999", "-1", "nan", "inf", "true", '"x"', "[]", "{}", "0", "1979-05-27", "9" * 5_000):
        yield sound.replace("gamma = 3", f"gamma = {huge}").encode()
        yield sound.replace("0.1", huge).encode()
        yield sound.replace("30", huge).encode()
        yield sound.replace("version = 3", f"version = {huge}").encode()
    yield sound.encode() + b"[x.groupings.ward]\nx = " + b"[" * 5_000 + b"]" * 5_000
    yield sound.encode() + b"\n[a" + b".a" * 5_000 + b"]\n"
    yield b"a.b.c=1\n" * 20_000
    yield b"x = '" + b"y" * 3_000_000
    yield b"a = [" + b"1," * 200_000 + b"]"
    yield "".join(f'[[a]]\nb{k} = "{k}"\n' for k in range(20_000)).encode()


def _json_by_hand(sound: str) -> Iterator[bytes]:
    for huge in (
        "9" * 400,
        "9" * 5_000,
        "1e999",
        "-1",
        "NaN",
        "Infinity",
        "true",
        '"x"',
        "[]",
        "{}",
        "null",
        '"\\ud800"',
    ):
        for number in ("1", "3", "0.1", "30", "61", "60"):
            for place in (f": {number},", f": {number}\n", f":{number},"):
                if place in sound:
                    yield sound.replace(place, place.replace(number, huge)).encode()
    yield b"[" * 200_000
    yield b'{"a":' * 200_000
    yield b'{"format": "x", ' + b'"a": 1, ' * 200_000 + b'"b": 2}'


@cache
def recipe() -> str:
    """Return a sound recipe that holds much of what there is to choose."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "t.csv"
        source.write_bytes(csv())
        made = read(source)
        plan = Plan(
            roles={"id": Role.IDENTIFIER, "age": Role.NSA, "seen": Role.NSA, "ward": Role.SA},
            blocks=(Block(("ward",), Lenders(3.0)),),
            classes=("age",),
            thresholds=Thresholds(0.1, 0.3, 30, 0.2),
            generalisations={"age": (Intervals((30, 50)),)},
            kept_identifiers={"age": "it is none"},
            persons=ByPerson("id", "record", reason="asked by the board"),
            public_values={"ward": ("A",)},
            rare={"ward": 3},
            questions=(AskedTable("ward", None, ("age",)),),
        )
        write_recipe(Recipe(made.choices, plan.as_dict(), made.source), Path(folder) / "r.toml")
        return (Path(folder) / "r.toml").read_text(encoding="utf-8")


def _plan(table: Table) -> Plan:
    roles = {"id": Role.DROPPED, "age": Role.NSA, "seen": Role.NSA, "ward": Role.SA}
    return Plan({name: roles[name] for name in table.names}, (Block(("ward",), Lenders(3.0)),))


@cache
def release() -> dict[str, bytes]:
    """Return the files of a sound release."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "t.csv"
        source.write_bytes(csv())
        table = read(source).table
        plan = _plan(table)
        to = Path(folder) / "release"
        to.mkdir()
        fill_folder(run(table, plan, randomness=Seeded(3)), plan, to, form=Form(workbook=True))
        return {path.name: path.read_bytes() for path in sorted(to.iterdir())}


def _sealed(facts: bytes) -> bytes:
    """Return facts with the seal that they should have: whoever alters them can seal them, too."""
    try:
        return json.dumps(seal(json.loads(facts))).encode()
    except (ValueError, TypeError, AttributeError, RecursionError):
        return facts


def hierarchy() -> bytes:
    """Return a sound hierarchy of values, which questions can be read from, too."""
    return b"value;group;all\n" + b"".join(
        b"%c;%s;any\n" % (letter, b"low" if letter < 67 else b"high") for letter in b"ABCD"
    )


def questions() -> bytes:
    """Return a sound file of questions."""
    return b"age,ward\n20-30,A\n25,\n,B|C\n"


def _rows_by_hand() -> Iterator[bytes]:
    for sound in (hierarchy(), questions()):
        for mark in (b'"', b",", b";", b"\n", b"\r", b"|", b"-", b"9", b" ", b"\x00", b"=", b"..", b"\xff"):
            yield sound + mark * 300_000
            yield sound.replace(b"A", mark * 20_000)
        yield sound.replace(b"A", b"9" * 400) * 2_000
        yield sound.decode().encode("utf-16")
        yield sound + b"x,1e999\nx,nan\nx,1/0\n"
    yield b",".join(b"c%d" % k for k in range(100_000)) + b"\n"


def _zipped_release(parts: dict[str, bytes]) -> bytes:
    return packed({f"release/{name}": part for name, part in parts.items()})


def _release_by_hand() -> Iterator[bytes]:
    sound = release()
    for facts in _json_by_hand(sound["release.json"].decode()):
        yield _zipped_release({**sound, "release.json": _sealed(facts)})
    for book in _xlsx_by_hand():
        if len(book) < 100_000:
            yield _zipped_release({**sound, "release.xlsx": book})
    yield _zipped_release({**sound, "table.csv": b"a" * 100_000_000})
    yield _zipped_release({**sound, "table.csv": b'"' * 3_000_000})
    yield _zipped_release({**sound, "table.csv": b"," * 3_000_000})
    yield _zipped_release({**sound, "table.csv": sound["table.csv"] + b'"\n' * 1_000_000})
    yield packed({f"r{k}/release.json": b"{}" for k in range(5_000)})


def _mutated_release(content: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    parts = dict(release())
    name = chance.choice(["release.json", "release.json", "table.csv", "release.xlsx"])
    parts[name] = repacked(parts[name], seed) if name.endswith("xlsx") else mutated(parts[name], seed)
    parts["release.json"] = _sealed(parts["release.json"])
    packed_ = _zipped_release(parts)
    return mutated(packed_, seed) if chance.random() < 0.1 else packed_


@cache
def releases() -> tuple[dict[str, bytes], ...]:
    """Return the files of sound releases of rows and of persons, without the programs that come with them."""
    found = []
    for kind in ("rows", "persons", "numbered"):
        with TemporaryDirectory() as folder:
            to = Path(folder) / "release"
            table = ward_table(400, persons=kind != "rows")
            released(table, ward_plan(table, number=kind == "numbered"), to)
            parts = sorted(to.iterdir())
            found.append({path.name: path.read_bytes() for path in parts if not path.name.startswith("splu_release.")})
    return tuple(found)


def _facts_by_hand() -> Iterator[bytes]:
    """Yield releases whose facts, sealed again, have one of their values replaced or left out."""
    chance = random.Random(5)
    for number in range(200):
        parts = releases()[number % len(releases())]
        facts = json.loads(parts["release.json"])
        inside, key = _somewhere(facts, chance, ("columns", "blocks", "classes", "spread", "thresholds"))
        worse: object = chance.choice(
            [None, 0, -1, 1e308, 5e-324, 10**400, True, "x", "\ud800", [], {}, [[1]], float("nan"), "1/0", [0] * 1000]
        )
        if chance.random() < 0.2:
            del inside[key]
        else:
            inside[key] = worse
        yield _zipped_release({**parts, "release.json": _sealed(json.dumps(facts).encode())})


def _somewhere(facts: Any, chance: random.Random, likely: tuple[str, ...]) -> tuple[Any, Any]:
    """Return a place in nested data: what holds it, and its key or index."""
    inside, key = facts, chance.choice([name for name in likely if name in facts])
    while isinstance(inside[key], dict | list) and inside[key] and chance.random() < 0.85:
        inside = inside[key]
        key = chance.choice(list(inside)) if isinstance(inside, dict) else chance.randrange(len(inside))
    return inside, key


def _parts_by_hand() -> Iterator[bytes]:
    """Yield releases of which a part is missing, another, empty, too large, twice there or named to lead elsewhere."""
    sound = releases()[0]
    for name in sound:
        yield _zipped_release({each: part for each, part in sound.items() if each != name})
        for worse in (b"", b"\x00" * 1000, b"\xff\xfe", b"=1+1\n", b"[" * 100_000, sound[name] * 2, sound[name][:-3]):
            yield _zipped_release({**sound, name: worse})
        for other in sound:
            if other > name:
                yield _zipped_release({**sound, name: sound[other]})
    for name in (
        "../out",
        "/etc/passwd",
        "C:\\x",
        "a\x00b",
        "\u202etxt",
        "con",
        "x" * 300,
        ".",
        "d/",
        "<b>x</b>",
        "=1+1",
    ):
        yield _zipped_release({**sound, name: b"x"})
        facts = json.loads(sound["release.json"])
        facts["files"][0]["name"] = name
        yield _zipped_release({**sound, "release.json": _sealed(json.dumps(facts).encode())})


def _mutated_parts(content: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    parts = dict(chance.choice(releases()))
    name = chance.choice(sorted(parts))
    parts[name] = mutated(parts[name], seed)
    if chance.random() < 0.7:
        parts["release.json"] = _sealed(_hashed(parts))
    return _zipped_release(parts)


def _hashed(parts: dict[str, bytes]) -> bytes:
    """Return facts that state the parts as they are now."""
    try:
        facts = json.loads(parts["release.json"])
        for entry in facts["files"]:
            entry.update(bytes=len(parts[entry["name"]]), sha256=hashlib.sha256(parts[entry["name"]]).hexdigest())
        return json.dumps(facts).encode()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return parts["release.json"]


Maker = tuple[str, Callable[[], bytes], Callable[[], Iterator[bytes]], Callable[[bytes, int], bytes]]
FORMATS: dict[str, Maker] = {
    "csv": ("t.csv", csv, _csv_by_hand, mutated),
    "xlsx": ("t.xlsx", xlsx, _xlsx_by_hand, repacked),
    "xls": ("t.xls", xls, _xls_by_hand, mutated),
    "xlsb": ("t.xlsb", xlsb, _xlsb_by_hand, repacked),
    "ods": ("t.ods", ods, _ods_by_hand, repacked),
    "html": ("page.xls", lambda: _web_of(_web_rows()), _html_by_hand, mutated),
    "xml": ("book.xls", lambda: _xml_of(_book_rows()), _xml_by_hand, mutated),
    "sav": ("t.sav", lambda: statistical("sav"), lambda: _fields(statistical("sav"), range(64, 104, 2)), mutated),
    "dta": ("t.dta", lambda: statistical("dta"), lambda: _fields(statistical("dta"), range(0, 120, 6)), mutated),
    "parquet": ("t.parquet", parquet, _parquet_by_hand, mutated),
    "recipe": ("recipe.toml", lambda: recipe().encode(), _recipe_by_hand, mutated),
    "hierarchy": ("h.csv", hierarchy, _rows_by_hand, mutated),
    "questions": ("q.csv", questions, _rows_by_hand, mutated),
    "release": ("release.zip", lambda: _zipped_release(release()), _release_by_hand, _mutated_release),
    "release of every draw": ("release.zip", lambda: _zipped_release(releases()[0]), _facts_by_hand, _mutated_parts),
    "release parts": ("release.zip", lambda: _zipped_release(releases()[0]), _parts_by_hand, _mutated_parts),
}


def hostile(form: str, count: int = COUNT, *, by_hand: bool = True, first: int = 0) -> Iterator[File]:
    """Yield `count` hostile files of a format: by hand, then mutations of a sound one (seeds from `first`)."""
    name, sound, made, mutate = FORMATS[form]
    given = 0
    for content in made() if by_hand else ():
        if given == count:
            return
        yield name, content
        given += 1
    for seed in range(first, first + count - given):
        yield name, mutate(sound(), seed)
