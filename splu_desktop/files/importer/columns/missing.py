"""Which texts stand for "no value": applied where nothing else is possible, else only proposed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import say
from splu_desktop.core.table import DUMMY_DAYS, NO_END
from splu_desktop.files.importer.columns.many_texts import ManyTexts
from splu_desktop.files.importer.columns.words import ALWAYS, AMONG_NUMBERS, BESIDE_NUMBERS, INVISIBLE, WORDS

# What SAP, MySQL and others write where there is no date.
_NO_DATE = re.compile(r"\s*0{1,4}([-./])0{1,2}\1(?:0{4}|0{1,2})(?:[ T]0{1,2}:00(?::00)?)?\s*|\s*0{8}\s*")
_LIBRE_ERROR = re.compile(r"err:\d{3}")
_FAR = np.timedelta64(365 * 5, "D")
_CODES = (-1.0, -2.0, -7.0, -8.0, -9.0, -88.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0)

_BLANKS = f" \t\r\n\u00a0{INVISIBLE}"
_NEUTRAL = ALWAYS | BESIDE_NUMBERS | WORDS
_LONGEST_MARK = 20  # characters


def is_blank(text: str) -> bool:
    """Whether a text is empty or nothing but blanks, seen or unseen."""
    return not text or text.isspace() or (not text.isascii() and not text.strip(_BLANKS))


def _likely_ends() -> NDArray[np.bool_]:
    """Return (256, 256), by a text's first and last byte, whether it may be neutral."""
    likely = np.zeros((256, 256), bool)
    odd = [*range(ord(" ") + 1), *range(0x7F, 256)]
    likely[odd] = likely[:, odd] = likely[[ord("*"), ord("#")]] = True
    likely[ord("0"), ord("0")] = True  # a date of nothing but zeros
    for word in _NEUTRAL | AMONG_NUMBERS:
        for first, last in product({word[0], word[0].upper()}, {word[-1], word[-1].upper()}):
            likely[first.encode()[0], last.encode()[-1]] = True
    return likely


_LIKELY = _likely_ends()


def neutral_places(texts: Sequence[str], many: ManyTexts, among: NDArray[np.bool_]) -> list[int]:
    """Return the places, of (m,) `among`, of the texts that say nothing about their column's type."""
    if not among.any():  # as of numbers: their first and last bytes are not looked for
        return []
    likely = np.flatnonzero(_LIKELY[many.first, many.data[many.marks[1:] - 1]] & among).tolist()
    return [at for at in likely if neutral(texts[at]) or texts[at].strip().lower() in AMONG_NUMBERS]


@lru_cache(10_000)  # several rules ask about the same few texts
def neutral(text: str) -> bool:
    """Whether a text says nothing about its column's type."""
    first = text[:1]
    if not " " < first < "\x7f" and is_blank(text):
        return True
    if len(text) > _LONGEST_MARK:
        return False
    low = text.strip().lower()
    return low in _NEUTRAL or (low[:1] in ("*", "0") and (not low.strip("*") or is_no_date(text))) or _too_narrow(low)


def _too_narrow(low: str) -> bool:
    """Whether a text is what a spreadsheet shows of a number or date in a column too narrow for it."""
    return len(low) > 2 and not low.strip("#")


def is_no_date(text: str) -> bool:
    """Whether a text is a date of nothing but zeros."""
    return text.lstrip()[:1] == "0" and _NO_DATE.fullmatch(text) is not None


def proposal(text: str, *, valued: bool) -> tuple[bool, str] | None:
    """Say whether a text is taken as missing (True), proposed (False) or neither (None), with the reason.

    `valued` : the column holds numbers, dates or yes/no.
    """
    if is_blank(text):
        return True, say("the field is empty")
    if len(text) > _LONGEST_MARK:
        return None
    low = text.strip().lower()
    if _too_narrow(low):
        return True, say("what a spreadsheet shows in a column that is too narrow: export it again for the value")
    among = low in BESIDE_NUMBERS or low in AMONG_NUMBERS or _LIBRE_ERROR.fullmatch(low) or not low.strip("*")
    if low in ALWAYS or text.strip() == "NULL" or (valued and (among or is_no_date(text))):
        return True, say("a usual mark for no value")
    if low in WORDS or is_no_date(text) or (low in BESIDE_NUMBERS and low not in ("x", "_", "*")):
        return False, MAY_BE
    return None


MAY_BE = say("may be a mark for no value, or a value of its own")


def code_proposals(values: NDArray[np.float64], counts: NDArray[np.int64]) -> list[int]:
    """Return the positions among a column's (m,) numbers that look like codes for "no value" (-1, -9, 999 ...).

    A negative one where every other number is at least 0; nines where every other number is below a third of it.
    """
    proposals: list[int] = []
    finite, coded = np.isfinite(values), np.isin(values, _CODES)
    ordinary = finite & ~coded
    if finite.sum() < 3 or not ordinary.any():
        return proposals
    places = np.flatnonzero(coded)
    low, high = float(values[ordinary].min()), float(values[ordinary].max())
    for code in _CODES:
        at = places[values[places] == code]
        if counts[at].sum() and (code < 0 <= low or (code > 0 and high < code / 3)):
            proposals.extend(at.tolist())
    return proposals


def day_proposals(values: NDArray[np.datetime64]) -> list[int]:
    """Return the positions among a column's (m,) dates that look like marks for "not known" or "no end"."""
    early = np.isin(values.astype("datetime64[D]"), DUMMY_DAYS)
    marked = ~np.isnat(values) & (early | (values >= NO_END))
    ordinary = values[~np.isnat(values) & ~marked]
    if len(ordinary) < 3:
        return []
    first, last = ordinary.min(), ordinary.max()
    far = (early & (values < first - _FAR)) | (values > max(last + _FAR, NO_END))
    return np.flatnonzero(marked & far).tolist()
