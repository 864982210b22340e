"""Texts that were spoilt before they came here: UTF-8 read as another encoding and saved again, lost letters, HTML.

Such a file is valid, and nothing in it can be told from what somebody wrote on purpose; so it is read as it stands, and
said once per column, with an example.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from html import unescape

import numpy as np

from splu_desktop.core.messages import Said, listed, say
from splu_desktop.core.table import Column, Kind
from splu_desktop.files.importer.columns.missing import is_blank
from splu_desktop.files.importer.columns.number_texts import LONGEST
from splu_desktop.files.importer.columns.words import MONTHS
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn

_LOOKED_AT = 1000  # texts per column
_LONGEST = 2_000  # characters of a text, which show as well as all of them whether it is spoilt
_RUN = re.compile(r"[^\x00-\x7f]{2,}")
_READ_AS = ("cp1252", "mac_roman", "cp850", "cp437", "cp1250", "cp1251")
_HTML = re.compile(r"&(?:#\d{2,5}|#x[0-9a-fA-F]{2,4}|[a-zA-Z]{2,8});")
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"
_UNSEEN = re.compile(f"[{INVISIBLE}\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_EDGE = re.compile(
    rf"^[\u00a0{INVISIBLE}\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\u00a0{INVISIBLE}\x00-\x08\x0b\x0c\x0e-\x1f\x7f]$"
)
_THE_FIRST = np.datetime64("1899-12-31", "us")


def spoilt(
    columns: Sequence[RawColumn], typed: Sequence[Column], number_cells: Collection[str] = ()
) -> Iterator[Problem]:
    """Yield a problem for each column whose name or texts look spoilt, with the first of them.

    Parameters
    ----------
    columns, typed : the columns as they stand in the file, and what was made of them.
    number_cells : names of columns whose numbers are no texts, so that their marks are beyond doubt.
    """
    for column, made in zip(columns, typed, strict=True):
        name = made.name
        step = max(1, len(column.labels) // _LOOKED_AT)
        texts = [name, *column.labels[::step]]
        foreign = [text for text in texts if not text.isascii()]
        found = _twice(name, foreign) or _lost(name, foreign) or _html(name, texts)
        found = found or _first_year(name, texts[1:], made) or _bands(name, texts[1:])
        if found is None and name not in number_cells:
            found = _cut_off(name, texts[1:]) or _either(name, texts[1:], made)
        if found is not None:
            sentence, text = found
            yield Problem(ProblemKind.NOTE, sentence, column=name, value=text)
        if (edged := _edged(name, texts[1:])) is not None:
            sentence, text = edged
            yield Problem(ProblemKind.NOTE, sentence, column=name, value=text)


def _bands(name: str, texts: Sequence[str]) -> tuple[Said, str] | None:
    """Tell of bands such as 5-9 that a spreadsheet took for dates, where other bands stand beside them."""
    short = [text.strip() for text in texts if len(text) <= LONGEST]
    dated = {text: found for text in short if (found := _DAY_OF_BAND.fullmatch(text))}
    dated = {text: found for text, found in dated.items() if (found["month"] or found["before"]).lower() in MONTHS}
    if not dated or sum(_BAND.fullmatch(text) is not None for text in short) < 2:
        return None
    bands = {}
    for text, found in dated.items():
        month = MONTHS[(found["month"] or found["before"]).lower()]
        bands[text] = "-".join(map(str, sorted((month, int(found["day"] or found["behind"])))))
    sentence = say(
        "Column “{column}” holds bands and days of the year, which a spreadsheet makes of bands: {listed}; mend "
        "them in the file.",
        column=name,
        listed=listed([say("“{text}” was “{band}”", text=text, band=band) for text, band in list(bands.items())[:6]]),
    )
    return sentence, next(iter(bands))


_BAND = re.compile(r"\d{1,3}\s?(?:-|–|to|bis)\s?\d{1,3}|(?:[<>≥≤]\s?)\d{1,3}|\d{1,3}\s?\+")
_DAY_OF_BAND = re.compile(
    r"(?P<day>\d{1,2})[-. ](?P<month>[^\W\d_]{3,4})\.?|(?P<before>[^\W\d_]{3,4})\.?[- ](?P<behind>\d{1,2})"
)


def meant(text: str) -> str | None:
    """Return what a text says whose UTF-8 was read as another encoding; None where it wasn't."""
    for codec in _READ_AS:
        changed = _RUN.sub(lambda run, codec=codec: _again(run[0], codec), text)  # type: ignore[misc]
        if changed != text:
            return changed
    return None


def _again(run: str, codec: str) -> str:
    try:
        data = b"".join(_byte(char, codec) for char in run)
        read = data.decode("utf-8")
    except UnicodeError:
        return run
    # What comes out must be letters or marks in use: two letters that happen to make a valid one are no proof.
    usual = all(char.isalpha() or char in "°§–—‘’“”„•€£©®²³µ½¼×·«»…¿¡ª\u00a0" for char in read)
    if codec == "cp1251":
        usual &= len(run) >= 6 and all("\u0400" <= char < "\u0460" for char in read)
    return read if usual else run


def _byte(char: str, codec: str) -> bytes:
    """Return the byte that was read as a character; the few that cp1252 leaves open pass as control characters."""
    try:
        return char.encode(codec)
    except UnicodeEncodeError:
        if codec == "cp1252" and ord(char) < 0x100:
            return bytes([ord(char)])
        raise


def _twice(name: str, texts: Sequence[str]) -> tuple[Said, str] | None:
    for text in texts:
        if (right := meant(text[:_LONGEST])) is not None:
            sentence = say(
                "Column “{column}”: “{text}” seems to mean “{meant}”. The letters were spoilt when the file was saved "
                "before, which choosing an encoding here can't mend; export the table again from its source as UTF-8.",
                column=name,
                text=text[:60],
                meant=right[:60],
            )
            return sentence, text
    return None


def _lost(name: str, texts: Sequence[str]) -> tuple[Said, str] | None:
    for text in texts:
        if "\ufffd" in text:
            sentence = say(
                "Column “{column}”: letters in “{text}” can't be read. If no other encoding mends them, they were "
                "lost when the file was saved before; export the table again from its source as UTF-8.",
                column=name,
                text=text[:60],
            )
            return sentence, text
    return None


def _html(name: str, texts: Sequence[str]) -> tuple[Said, str] | None:
    for text in texts:
        if "&" in text and _HTML.search(text) and unescape(text) != text:
            sentence = say(
                "Column “{column}”: “{text}” is written as for a web page and means “{meant}”; it was read as it is.",
                column=name,
                text=text[:60],
                meant=unescape(text)[:60],
            )
            return sentence, text
    return None


def _edged(name: str, texts: Sequence[str]) -> tuple[Said, str] | None:
    """Tell of values that begin or end with what nobody sees, such as a no-break space or a new page."""
    for text in texts:
        if not (text.isascii() and text.isprintable()) and not is_blank(text) and _EDGE.search(text.strip(" \t\r\n")):
            sentence = say(
                "Column “{column}”: {text} begins or ends with characters that nobody sees, which belong to the value.",
                column=name,
                text=_shown(text),
            )
            return sentence, text
    return None


def _first_year(name: str, texts: Sequence[str], made: Column) -> tuple[Said, str] | None:
    """Tell of dates that all lie in the first months a spreadsheet counts: small numbers shown as dates."""
    if made.kind not in (Kind.DATE, Kind.DATETIME) or made.values is None or not len(texts):
        return None
    days = made.values[~np.isnat(made.values)]
    if len(days) < _FEWEST_EITHER or days.max() >= _THE_FIRST + np.timedelta64(366, "D") or days.min() < _THE_FIRST:
        return None
    sentence = say(
        "Column “{column}”: all its dates lie in 1900, as small numbers do that a spreadsheet shows as dates; give the "
        "cells the format of a number and export the table again, if they are numbers.",
        column=name,
    )
    return sentence, texts[0]


def _cut_off(name: str, texts: Sequence[str]) -> tuple[Said, str] | None:
    """Tell of long numbers that a spreadsheet has written as 4.711E+12: different ones have become the same."""
    filled = [text.strip() for text in texts if text.strip()]
    long = [text for text in filled if _EXPONENT.fullmatch(text)]
    if len(long) < max(2, 0.5 * len(filled)):
        return None
    sentence = say(
        "Column “{column}”: “{text}” is a long number of which a spreadsheet has cut digits off; export the table "
        "again with this column as text, if it is needed.",
        column=name,
        text=long[0],
    )
    return sentence, long[0]


def _either(name: str, texts: Sequence[str], made: Column) -> tuple[Said, str] | None:
    """Tell of numbers such as 35.008 that were read with three decimals and may be thousands."""
    if made.kind is not Kind.DECIMAL:
        return None
    marked = [text.strip() for text in texts if "." in text or "," in text]
    if len(marked) < _FEWEST_EITHER or not all(map(_THREE.fullmatch, marked)) or len(marked) < 0.5 * len(texts):
        return None
    sentence = say(
        "Column “{column}”: the mark in “{text}” was taken for a decimal mark, and always three digits follow; if it "
        "groups thousands, choose the decimal mark yourself.",
        column=name,
        text=marked[0],
    )
    return sentence, marked[0]


_EXPONENT = re.compile(r"[1-9](?:[.,]\d{1,7})?E\+(?:0?[89]|[1-9]\d)", re.IGNORECASE)
_THREE = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_FEWEST_EITHER = 10  # different numbers


def _shown(text: str) -> str:
    """Write a text so that its blanks and invisible characters are seen."""
    plain = _UNSEEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text[:40])
    return "“" + plain.replace("\u00a0", "<U+00A0>").replace("\t", "<U+0009>") + "”"
