"""Text that a spreadsheet would run as a formula, made inert, and back.

A spreadsheet that opens a CSV runs a cell that starts with one of ``= + - @``, a tab or a carriage return, perhaps
behind blanks or quotes. Where it takes another separator than the file's, as Excel takes the semicolon in half of
Europe, cells begin inside values, too: behind each ``;``, tab and line end, quoted or not. Wherever such text begins,
it gets an apostrophe in front. Text of that kind that already starts with apostrophes gets one more, so that
`restored` undoes it without a doubt. A number with a sign stays as it is: to run it is to read it.

Every export goes through here, and every copy for the clipboard (`gui.base.words`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splu_desktop.core.packed.texts import Texts

# U+FF1D, U+FF0B, U+FF0D and U+FF20 are the full-width forms that spreadsheets in East Asian locales take for the same.
_SIGNS = "=+\\-@＝＋－＠"
_SEPARATORS, _LINES = ";", "\t\r\n"
_BEFORE = "'\" \u00a0\u3000"  # what may stand before the sign
_DOUBTFUL = 10_000  # packed texts that are looked at one by one
_BETWEEN = "\0"  # of texts worked on together
# Nothing runs but behind one of these.
_MARKS = [*_SEPARATORS, *_LINES, *(_BETWEEN + first for first in "=+-@＝＋－＠" + _BEFORE)]


def _runs(more: str) -> re.Pattern[str]:
    """Return the pattern of the places before what would run; a text ends where it ends, and at one of `more`."""
    ends = _SEPARATORS + _LINES + more
    first = f"(?<![^{more}])" if more else r"\A"
    blank = rf"[^\S{ends}]"
    number = rf"[+-]?(?:{blank}|[\d.,%])*(?:\d[eE][+-]?\d+)?{blank}*"
    harmless = rf"{blank}*(?:{number}|[=@])(?:[{ends}]|\Z)"
    text_end = rf"[{more}]|\Z" if more else r"\Z"
    return re.compile(
        rf"{first}(?=[{_BEFORE}]*[{_LINES}])(?!\s*(?:{text_end}))"
        rf"|(?:{first}|(?<=[{ends}]))(?=[{_BEFORE}]*[{_SIGNS}])(?!{harmless})"
    )


_ONE, _MANY = _runs(""), _runs(_BETWEEN)
_GUARDED = re.compile(rf"\A'(?=[{_BEFORE}]*[{_SIGNS}{_LINES}])|(?<=[{_SEPARATORS}{_LINES}])'(?=[{_BEFORE}]*[{_SIGNS}])")


def inert(text: str) -> str:
    """Return `text` with an apostrophe wherever it begins what a spreadsheet would run."""
    return _ONE.sub("'", text)


def inert_packed(texts: Texts) -> Texts | None:
    """Return the texts where none of them needs an apostrophe, None where they have to be looked at one by one."""
    import numpy as np  # not above: the window's words come here, and the empty window waits for no large library

    first = texts.raw[:, 0]
    if texts.has((_SEPARATORS + _LINES).encode()) or np.isin(first, np.frombuffer(b"=@'\" ", np.uint8)).any():
        return None
    signed = np.flatnonzero((first == 43) | (first == 45))
    rest = texts.raw[signed, 1:]
    number = ((rest >= 48) & (rest <= 57)) | np.isin(rest, np.frombuffer(b" .,%\0", np.uint8))
    doubtful = signed[~number.all(1)]  # such as -1e-05
    looked_at = texts[doubtful] if len(doubtful) <= _DOUBTFUL else [""]
    return texts if all(inert(text) == text != "" for text in looked_at) else None


def restored(text: str) -> str:
    """Return what `inert` was given."""
    return _GUARDED.sub("", text) if "'" in text else text


def all_inert(texts: Sequence[str]) -> list[str]:
    """Return the list of `inert` texts."""
    together = _BETWEEN.join(texts)
    if together.count(_BETWEEN) != len(texts) - 1:  # a text has such characters of its own
        return [inert(text) for text in texts]
    lined = _BETWEEN + together
    if not any(mark in lined for mark in _MARKS):
        return list(texts)
    return _MANY.sub("'", together).split(_BETWEEN) if texts else []
