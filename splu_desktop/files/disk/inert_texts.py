"""Text that a spreadsheet would run as a formula, made inert, and back.

A spreadsheet that opens a CSV runs a cell that starts with one of ``= + - @``, a tab or a carriage return, perhaps
behind blanks or quotes. Where it takes another separator than the file's, as Excel takes the semicolon in half of
Europe, cells begin inside values, too: behind each ``;``, tab and line end, quoted or not. Wherever such text begins,
it gets an apostrophe in front. Text of that kind that already starts with apostrophes gets one more, so that
`restore_text` undoes it without a doubt. A number with a sign stays as it is: to run it is to read it.

Every export goes through here, and every copy for the clipboard (`gui.base.words`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# U+FF1D, U+FF0B, U+FF0D and U+FF20 are the full-width forms that spreadsheets in East Asian locales take for the same.
_SIGNS = "=+\\-@＝＋－＠"
_SEPARATORS, _LINES = ";", "\t\r\n"
_BEFORE = "'\" \u00a0\u3000"  # what may stand before the sign
_ENDS = _SEPARATORS + _LINES
_BLANK = rf"[^\S{_ENDS}]"
_NUMBER = rf"[+-]?(?:{_BLANK}|[\d.,%])*(?:\d[eE][+-]?\d+)?{_BLANK}*"
_HARMLESS = rf"{_BLANK}*(?:{_NUMBER}|[=@])(?:[{_ENDS}]|\Z)"
# The places before what would run.
_RUNS = rf"\A(?=[{_BEFORE}]*[{_LINES}])(?!\s*\Z)|(?:\A|(?<=[{_ENDS}]))(?=[{_BEFORE}]*[{_SIGNS}])(?!{_HARMLESS})"
_SIGN = f"[{_SIGNS}{_LINES}]"
_GUARDED = rf"\A'(?=[{_BEFORE}]*[{_SIGNS}{_LINES}])|(?<=[{_SEPARATORS}{_LINES}])'(?=[{_BEFORE}]*[{_SIGNS}])"


def inert(text: str) -> str:
    """Return `text` with an apostrophe wherever it begins what a spreadsheet would run."""
    return re.sub(_RUNS, "'", text)


def inert_texts(texts: Sequence[str]) -> Sequence[str]:
    """Return texts, each as `inert` makes it; columns of plain numbers and words are told at once."""
    return [inert(text) for text in texts] if re.search(_SIGN, "".join(texts)) else texts


def restore_text(text: str) -> str:
    """Return what `inert` was given."""
    return re.sub(_GUARDED, "", text) if "'" in text else text
