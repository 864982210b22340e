"""Text that a spreadsheet would run as a formula, made inert, and back.

A spreadsheet that opens a CSV runs a cell that starts with one of ``= + - @``, a tab or a carriage return. Such text
gets an apostrophe in front. Text of that kind that already starts with apostrophes gets one more, so that `restored`
undoes it without a doubt. A number with a sign stays as it is: to run it is to read it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# U+FF1D, U+FF0B, U+FF0D and U+FF20 are the full-width forms that spreadsheets in East Asian locales take for the same.
_SIGNS = "=+\\-@\t\r＝＋－＠"
_STARTERS = _SIGNS + "\n"
_RUNS = re.compile(f"'*[{_STARTERS}]")
_GUARDED = re.compile(f"'+[{_STARTERS}]")
_HARMLESS = re.compile(r"[+-]?[\s\d.,%]*(?:\d[eE][+-]?\d+)?\s*|[=@]?")
# The same on many texts at once, one to a line: where a line begins that is to be guarded.
_LINES = re.compile(
    rf"(?m)^(?='*[{_SIGNS}])(?!(?:[+-]?(?:[^\S\n]|[\d.,%])*(?:\d[eE][+-]?\d+)?[^\S\n]*|[=@]?)$)",
)


def inert(text: str) -> str:
    """Return `text` with an apostrophe in front if a spreadsheet would run it."""
    return "'" + text if _RUNS.match(text) and not _HARMLESS.fullmatch(text) else text


def restored(text: str) -> str:
    """Return what `inert` was given."""
    return text[1:] if _GUARDED.match(text) and not _HARMLESS.fullmatch(text) else text


def all_inert(texts: Sequence[str]) -> list[str]:
    """Return the list of `inert` texts."""
    lines = "\n".join(texts)
    if lines.count("\n") != len(texts) - 1:  # a text has line ends of its own
        return [inert(text) for text in texts]
    return _LINES.sub("'", lines).split("\n") if texts else []
