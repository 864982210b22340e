"""One meaning for each value: texts that differ in no more than how they are written become one value of the column.

Texts of words differ so in blanks, upper case, letters that look alike, and how accents are put; codes in zeros before
them and the point of the ICD; numbers and moments in whatever
leaves the number or the moment the same; usual marks for "no value" among one another. What else is written beside a
number (a bound, a unit, a result in words) is part of its meaning, as is a mark that somebody declared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import Phrase, say
from splu_desktop.core.table import Column
from splu_desktop.files.importer.columns.missing import is_blank, neutral
from splu_desktop.files.importer.columns.words import UNSEEN, WORDS, pattern

_MARK = "\x1f"  # between texts that are looked at all at once
_FEW = 20_000  # texts up to which some may be codes of a list
_LOOSE = pattern("loose")  # what one program or person writes and another leaves out
# Letters, numerals and units as wide as those of China and Japan, or half as wide; three points in one.
_WIDE = re.compile("[\uff01-\uffee\u2160-\u217f\u3300-\u33ff\u2026]+")
# Cyrillic letters that look like Latin ones, marks as word processors set them, an i that is small in Turkish alone,
# digits of Arabs and Persians; and what only draws a letter longer or coloured.
_ALIKE = str.maketrans(
    "авекмнорстухѕіјάέήίόύώ’‘ʼ‐‑‒–—−“”„ı٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹",
    "abekmhopctyxsijαεηιουω'''------\"\"\"i" + 2 * "0123456789",
    "ـ\ufe0f",
)
_WESTERN = bytes(ord(" ") if chr(code).isspace() and chr(code) != _MARK else code for code in range(256))
_UNSEEN_WESTERN = bytes(code for code in range(256) if UNSEEN.match(chr(code)) and not chr(code).isspace())


@dataclass(frozen=True)
class FoldedTexts:
    """Values of a column that are written in several ways.

    Attributes
    ----------
    column : its name.
    values : how many there are.
    records : that are written otherwise than most of their value.
    example : two ways of writing one of them.
    """

    column: str
    values: int
    records: int
    example: tuple[str, str]


def fold(column: Column, bounds: Mapping[str, str]) -> tuple[Column, FoldedTexts | None]:
    """Return the column with one label per meaning, and what was told apart before; None where nothing was.

    column : as typed, a label for each text.
    bounds : label -> what it means: of bounds, which count as a number beside them, and of answers.
    """
    if column.values is not None and (column.values[1:] > column.values[:-1]).all():
        return column, None  # as of most numbers: each label has a value of its own
    meaning = _meanings(column, bounds)
    if len(meaning) == 0 or int(meaning.max()) + 1 == column.m:
        return column, None
    tidy = np.fromiter((_is_tidy(label) for label in column.labels), bool, column.m)
    result = column.fold_by(meaning, tidy)
    counts = column.counts()
    of = np.bincount(meaning)
    several = np.zeros(len(of), bool)
    there = ~column.missing & (counts > 0)
    several[np.flatnonzero(np.bincount(meaning[there], minlength=len(of)) > 1)] = True
    if not several.any():
        return result, None
    most = np.zeros(len(of), np.int64)
    np.maximum.at(most, meaning, counts)
    records = int(np.bincount(meaning, counts)[several].sum() - most[several].sum())
    first = np.flatnonzero(several)[0]
    pair = column.labels[np.flatnonzero((meaning == first) & there)[:2]]
    return result, FoldedTexts(column.name, int(several.sum()), records, (str(pair[0]), str(pair[1])))


def _meanings(column: Column, bounds: Mapping[str, str]) -> NDArray[np.int64]:
    """Return (m,) which labels mean the same, numbered without a gap."""
    meanings = np.empty(column.m, np.int64)
    valued = np.zeros(column.m, bool)
    count = 0
    if column.values is not None:
        none = np.isnat(column.values) if column.values.dtype.kind == "M" else np.isnan(column.values)
        valued = ~none & ~column.missing
        if bounds:
            valued &= ~np.isin(column.labels, list(bounds))
        # Labels stand in the order of their values, so that equal ones are neighbours.
        keys = column.values[valued]
        meanings[valued] = np.cumsum(np.r_[False, keys[1:] != keys[:-1]][: len(keys)])
        count = int(meanings[valued].max(initial=-1)) + 1
    others = np.flatnonzero(~valued)
    texts: list[str] = column.labels[others].tolist()
    gone = np.flatnonzero(column.missing[others]).tolist()
    plain = _write_all_plainly(texts)
    plain = _bare_codes(plain) if len(texts) <= _FEW else plain
    if not bounds and (plain is texts or len(set(plain)) == len(plain)) and len(gone) < 2:
        meanings[others] = count + np.arange(len(others))
        return meanings
    if bounds:
        plain = [bounds.get(text, folded) for text, folded in zip(texts, plain, strict=True)]
    marks = {at: "\0" + ("" if usual_mark(texts[at]) else plain[at]) for at in gone}
    index: dict[str, int] = {}
    of = (index.setdefault(marks.get(at, folded), len(index)) for at, folded in enumerate(plain))
    meanings[others] = count + np.fromiter(of, np.int64, len(plain))
    return meanings


def _write_all_plainly(texts: list[str]) -> list[str]:
    """Return texts without what nobody sees, as `write_plainly` does; those of Western letters all at once.

    The texts themselves where none can say what another does, being written plainly in capitals or small letters alone.
    """
    joined = _MARK.join(["", *texts, ""])
    shown = joined.replace(_MARK * 2, _MARK, 1).replace(_MARK, " ")  # one may be empty
    if shown.isascii() and shown.isprintable() and "  " not in shown and shown in (shown.lower(), shown.upper()):
        return texts
    try:
        western = joined.encode("latin-1").translate(_WESTERN, _UNSEEN_WESTERN)
    except UnicodeEncodeError:
        western = b""
    if western.count(b"\x1f") != len(texts) + 1:
        return list(map(write_plainly, texts))
    plain = western.decode("latin-1").casefold()
    while "  " in plain:
        plain = plain.replace("  ", " ")
    plain = plain.replace(f" {_MARK}", _MARK).replace(f"{_MARK} ", _MARK)
    return plain.split(_MARK)[1:-1]


def _bare_codes(texts: list[str]) -> list[str]:
    """Return texts without what programs take off them: zeros before codes of one length, and what is loose."""
    numbers = {text for text in texts if text.isdecimal()}
    padded = {len(text) for text in numbers if text.startswith("0") and text.strip("0")}
    same = len(padded) == 1 and max(map(len, numbers)) in padded
    return [text.lstrip("0") or text if same and text in numbers else _LOOSE.sub("", text) for text in texts]


def usual_mark(text: str) -> bool:
    """Whether a text is a usual mark for nothing at all, and no word that says why there is no value."""
    return is_blank(text) or (neutral(text) and text.strip().casefold() not in WORDS)


def write_plainly(text: str) -> str:
    """Return a text without what nobody sees: blanks around it, several in a row, upper case, how accents are put."""
    if text.isascii():
        return " ".join(text.split()).casefold()
    text = _WIDE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), UNSEEN.sub("", text))
    text = unicodedata.normalize("NFC", " ".join(text.split())).casefold()
    text = text.replace("i\u0307", "i").translate(_ALIKE)  # the small letter of a Turkish capital with a dot
    return unicodedata.normalize("NFC", text)


def _is_tidy(text: str) -> bool:
    if text.isascii():
        return text == " ".join(text.split())
    return text == unicodedata.normalize("NFC", " ".join(UNSEEN.sub("", text).split()))


def say_folded(folds: Sequence[FoldedTexts]) -> Phrase:
    """Say once what was taken as one value."""
    first = folds[0]
    values = sum(each.values for each in folds)
    names = ", ".join(f"“{each.column}”" for each in folds[:6]) + (", …" if len(folds) > 6 else "")
    one, other = (repr_of(text) for text in first.example)
    return say(
        "{n} {n:value|values} of {columns} {n:is|are} written in several ways, such as {one} and {other};"
        " {n:it|each} counts as one value.",
        n=values,
        columns=names,
        one=one,
        other=other,
    )


def repr_of(text: str) -> str:
    """Return a text in quotation marks with what nobody sees made visible."""
    shown = "".join(c if c.isprintable() and not UNSEEN.match(c) else f"\\u{ord(c):04x}" for c in text[:60])
    loose = unicodedata.normalize("NFC", shown) != shown
    return f"“{shown}”" + (" (loose accents)" if loose else "")
