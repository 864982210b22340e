"""Texts that were spoilt before they came here: UTF-8 read as another encoding and saved again, lost letters, HTML.

Such a file is valid, and nothing in it can be told from what somebody wrote on purpose; so it is read as it stands, and
said once per column, with an example.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from html import unescape

import numpy as np

from splu_desktop.core.messages import say
from splu_desktop.core.table import Column, Kind
from splu_desktop.files.importer.columns.number_texts import LONGEST
from splu_desktop.files.importer.columns.words import MONTHS, pattern
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn

_LOOKED_AT = 1000  # texts per column
_LONGEST = 2_000  # characters of a text, which show as well as all of them whether it is spoilt
_RUN = re.compile(r"[^\x00-\x7f]{2,}")
_READ_AS = ("cp1252", "mac_roman", "cp850", "cp437", "cp1250", "cp1251")
_HTML = re.compile(r"&(?:#\d{2,5}|#x[0-9a-fA-F]{2,4}|[a-zA-Z]{2,8});")
_BAND = re.compile(r"\d{1,3}\s?(?:-|–|to|bis)\s?\d{1,3}|(?:[<>≥≤]\s?)\d{1,3}|\d{1,3}\s?\+")
_DAY_OF_BAND = pattern("day_of_band")
_EXPONENT = re.compile(r"[1-9](?:[.,]\d{1,7})?E\+(?:0?[89]|[1-9]\d)", re.IGNORECASE)
_FEWEST = 10  # different numbers or days
_CELL, _TEXT = re.compile(r"(\d{4})-(\d\d)-(\d\d)( .*)?"), re.compile(r"\s*(\d\d?)([./-])(\d\d?)\2\d{2,4}\b.*")
_THE_FIRST = np.datetime64("1899-12-31", "us")

# What is told, each with the first text that shows it.
_MEANS = "Column “{column}”: “{text}” seems to mean “{meant}”; it was read as it stands: export the table again if so."
_LOST = "Column “{column}”: letters in “{text}” can't be read; choose another encoding, or export the table again."
_SHOWN = (
    "Column “{column}”: “{text}” is what a spreadsheet shows of another number; give the cells another format, and "
    "export the table again."
)


def report_mojibake(
    columns: Sequence[RawColumn], typed: Sequence[Column], number_cells: Collection[str] = ()
) -> Iterator[Problem]:
    """Yield a problem for each column whose name or texts look spoilt, with the first of them.

    columns, typed : the columns as they stand in the file, and what was made of them.
    number_cells : names of columns whose numbers are no texts, so that their marks are beyond doubt.
    """
    for column, typed_column in zip(columns, typed, strict=True):
        texts = column.labels[:: max(1, len(column.labels) // _LOOKED_AT)]
        trace = (
            _letters([typed_column.name, *texts])
            or _bands(texts, typed_column.kind)
            or _find_shown(texts, typed_column, cells=typed_column.name in number_cells)
        )
        if trace is not None:
            template, text, means = trace
            sentence = say(template, column=typed_column.name, text=text[:60], meant=means[:60])
            yield Problem(ProblemKind.NOTE, sentence, column=typed_column.name, value=text)


_Found = tuple[str, str, str] | None  # what is told, the text, and what it means


def _letters(texts: Sequence[str]) -> _Found:
    """Tell of letters that are spoilt or lost, and of those written as for a web page."""
    foreign = [text for text in texts if not text.isascii()]
    for text in foreign:
        if (right := mend_text(text[:_LONGEST])) is not None:
            return _MEANS, text, right
    if (lost := next((text for text in foreign if "\ufffd" in text), None)) is not None:
        return _LOST, lost, ""
    for text in texts:
        if "&" in text and _HTML.search(text) and unescape(text) != text:
            return _MEANS, text, unescape(text)
    return None


def _bands(texts: Sequence[str], kind: Kind) -> _Found:
    """Tell of bands such as 5-9 that a spreadsheet took for dates, where other bands stand beside them."""
    short = [text.strip() for text in texts if len(text) <= LONGEST] if kind is Kind.CATEGORY else []
    bands = {}
    for text in short:
        if (match := _DAY_OF_BAND.fullmatch(text)) is None:
            continue
        day, month = (next(filter(None, match.group(*names))) for names in ("defgh", "mnopq"))
        if number := int(month) if month.isdecimal() else MONTHS.get(month.lower()):
            bands[text] = "-".join(map(str, sorted((number, int(day)))))
    if not bands or sum(_BAND.fullmatch(text) is not None for text in short) < 2:
        return None
    return _MEANS, ", ".join([*bands][:6]), ", ".join([*bands.values()][:6])


def _find_shown(texts: Sequence[str], column: Column, *, cells: bool) -> _Found:
    """Tell of numbers that a spreadsheet shows as something else. `cells` : no texts.

    Small numbers shown as dates lie in the first months it counts; long ones written as 4.711E+12 have become the same.
    """
    filled = [*filter(None, map(str.strip, texts))]
    if column.kind.is_date and column.values is not None and filled:
        days = column.values[~np.isnat(column.values)]
        near = len(days) >= _FEWEST and days.min() >= _THE_FIRST and days.max() < _THE_FIRST + np.timedelta64(366, "D")
        return (_SHOWN, filled[0], "") if near else _find_swapped(filled)
    long = [text for text in filled if "+" in text and _EXPONENT.fullmatch(text)]
    if not cells and len(long) >= max(2, 0.5 * len(filled)):
        return _SHOWN, long[0], ""
    return None


def _find_swapped(texts: Sequence[str]) -> _Found:
    """Tell of days whose month a spreadsheet took for the day where it could: the others stayed texts."""
    cells, others = (list(filter(None, map(form.fullmatch, texts))) for form in (_CELL, _TEXT))
    known = any(int(cell[3]) > 12 for cell in cells) or any(max(int(text[1]), int(text[3])) < 13 for text in others)
    shown = next((cell for cell in cells if cell[2] != cell[3]), None)
    if known or shown is None or min(len(cells), len(others)) < 5:  # may be by chance
        return None
    return _MEANS, shown[0], f"{shown[1]}-{shown[3]}-{shown[2]}"


def mend_text(text: str) -> str | None:
    """Return what a text says whose UTF-8 was read as another encoding; None where it wasn't."""
    for codec in _READ_AS:
        changed = _RUN.sub(lambda run, codec=codec: _again(run[0], codec), text)  # type: ignore[misc]
        if changed != text:
            return changed
    return None


def _again(run: str, codec: str) -> str:
    try:
        # The few bytes that cp1252 leaves open pass as control characters.
        data = (char.encode("latin-1" if codec == "cp1252" and "\x80" <= char < "\xa0" else codec) for char in run)
        read = b"".join(data).decode("utf-8")
    except UnicodeError:
        return run
    # What comes out must be letters or marks in use: two letters that happen to make a valid one are no proof.
    usual = all(char.isalpha() or char in "°§–—‘’“”„•€£©®²³µ½¼×·«»…¿¡ª\u00a0" for char in read)
    if codec == "cp1251":
        usual &= len(run) >= 6 and all("\u0400" <= char < "\u0460" for char in read)
    return read if usual else run
