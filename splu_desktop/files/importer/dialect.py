"""Which delimiter, quote and escape character a text file uses.

Every candidate is tried on a sample and judged by two things multiplied: how regular the rows become, and what share of
the cells then look like something a table holds. After van den Burg, Nazabal and Sutton, Wrangling messy CSV files by
detecting row and type patterns, Data Mining and Knowledge Discovery 33 (2019), sections 3.2 and 3.3.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_SAMPLE_LINES = 200
_SAMPLE_CHARACTERS = 60_000
DELIMITERS = (",", ";", "\t", "|", ":", "^", "~", " ", "#", "&", "*", "/", "!", "\x1f", "\x01", "§", "¦")
# What is rarely a delimiter has to win clearly.
_HANDICAP = {":": 0.6, " ": 0.5, "#": 0.8, "&": 0.8, "*": 0.8, "/": 0.4, "!": 0.8}
_CELL = re.compile(
    r"""\s*(?:
      |[+\-−]?[$€£¥]?\s?\d{1,3}(?:[,.  ']\d{3})*(?:[.,]\d*)?\s?(?:%|[$€£¥])?  # number, grouped, currency, percent
      |[+\-−]?\d*[.,]?\d+(?:[eE][+-]?\d+)?
      |\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T\ ,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[aApP][mM])?(?:Z|[+-]\d{2}:?\d{2})?)?
      |\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?
      |(?:https?|ftp)://\S+|www\.\S+
      |[\w.+\-]+@[\w\-]+\.[\w.\-]+
      |[?.\-*]|[nN]/?[aA][nN]?|NULL|null
    )\s*""",
    re.VERBOSE,
)
_WORDS = re.compile(r"[^\W_][\w\ \-.'’()/%°&+]*[?!.:]?", re.UNICODE)


@dataclass(frozen=True)
class Dialect:
    """How fields stand in a line. `quote` and `escape` are "" where there is none."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""

    def reader_options(self) -> dict[str, object]:
        """Return the options of csv.reader for it."""
        options: dict[str, object] = {"delimiter": self.delimiter, "doublequote": True, "strict": False}
        if self.quote:
            options["quotechar"] = self.quote
        else:
            options["quoting"] = csv.QUOTE_NONE
            options["quotechar"] = None
        if self.escape:
            options["escapechar"] = self.escape
        return options


def split_lines(text: str) -> list[str]:
    """Split at line ends of any kind, keeping them."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


def parse(lines: Sequence[str], dialect: Dialect) -> list[list[str]]:
    """Split lines (with their ends) into fields."""
    return list(csv.reader(lines, **dialect.reader_options()))  # type: ignore[arg-type]


def detect(
    text: str, *, delimiter: str | None = None, quote: str | None = None, escape: str | None = None
) -> tuple[Dialect, str]:
    """Find the dialect of a sample. Choices given are kept. Returns it with the reason in words."""
    lines = split_lines(text[:_SAMPLE_CHARACTERS])[:_SAMPLE_LINES]
    if lines and delimiter is None and (found := re.fullmatch(r"\"?sep=(.)\"?\s*", lines[0])):
        return Dialect(found[1], '"' if quote is None else quote, escape or ""), "the first line says “sep=”"
    joined = "".join(lines)
    delimiters = [delimiter] if delimiter is not None else [d for d in DELIMITERS if d in joined]
    quotes = [quote] if quote is not None else ['"', *(["'"] if "'" in joined else [])]
    best, best_score = Dialect(delimiter or ",", '"' if quote is None else quote, escape or ""), 0.0
    for d in delimiters:
        for q in quotes:
            for e in _escapes(joined, d, q) if escape is None else [escape]:
                candidate = Dialect(d, q, e)
                score = _score(lines, candidate, best_score)
                if score > best_score * 1.0001:
                    best, best_score = candidate, score
    if not best_score:
        return best, "one field in every row: no delimiter"
    return best, f"splitting at {describe(best.delimiter)} gives the most regular rows"


def describe(delimiter: str) -> str:
    """Name a delimiter in words."""
    names = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks", ":": "colons"}
    return names.get(delimiter, f"“{delimiter}”")


def _escapes(text: str, delimiter: str, quote: str) -> list[str]:
    if "\\" not in text:
        return [""]
    return ["", "\\"] if f"\\{quote}" in text or f"\\{delimiter}" in text else [""]


def _score(lines: Sequence[str], dialect: Dialect, least: float) -> float:
    try:
        rows = [row for row in parse(lines, dialect) if row]
    except csv.Error:
        return 0.0
    if len(rows) > 2:
        rows = rows[:-1] if len(rows[-1]) != len(rows[-2]) else rows  # the sample may end in the middle of a row
    if not rows:
        return 0.0
    patterns = Counter(map(len, rows))
    # Pattern score: rows of equal length, many of them, with more than one field.
    pattern = sum(count * max(length - 1, 0.001) / length for length, count in patterns.items()) / len(patterns)
    if pattern <= least:
        return 0.0
    known = total = 0.0
    for row in rows:
        for cell in row:
            total += 1
            if _CELL.fullmatch(cell):
                known += 1
            elif _WORDS.fullmatch(cell.strip()):
                known += 0.95
    return pattern * max(known / total, 1e-10) * _HANDICAP.get(dialect.delimiter, 1.0)
