"""Quotes out of place: `"good" today`, `said "no"` undoubled within quotes, a quote that is never closed.

The standard library drops such quotes, or lets a field swallow the lines after it. Here the field is quoted as it
should have been, so that every character of it stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

_AHEAD = 50  # lines that a field in quotes may reach over before its quote counts as never closed
_LONGEST = 1 << 16  # characters, likewise


def records(
    lines: Iterable[str], delimiter: str, quote: str, *, blanks: bool = False, tell: Callable[[int], None] | None = None
) -> Iterator[tuple[str, int]]:
    """Yield each record as a text that is quoted rightly, with the number of lines it takes.

    lines : with their ends.
    delimiter, quote : one character each.
    blanks : whether blanks may stand before a quote that opens a field.
    tell : gets the number, from 0, of each record that had a quote out of place.
    """
    reader = _Reader(lines, delimiter, quote, blanks)
    at = 0
    while (line := reader.line()) is not None:
        if quote not in line:
            reader.usual[line.count(delimiter)] += 1
            yield line, 1
        else:
            text, taken, stray = reader.record(line)
            if stray and tell is not None:
                tell(at)
            yield text, taken
        at += 1


class _Reader:
    """The lines of a text, some of them looked at ahead, and how many delimiters sound records have."""

    def __init__(self, lines: Iterable[str], delimiter: str, quote: str, blanks: bool) -> None:
        self._source, self._delimiter, self._quote, self._blanks = iter(lines), delimiter, quote, blanks
        self._waiting: list[str] = []
        self.usual: Counter[int] = Counter()
        d, q = re.escape(delimiter), re.escape(quote)
        self._proper = re.compile(rf"{q}(?:[^{q}]|{q}{q})*+{q}(?=[ \t]*(?:{d}|[\r\n]|$))")
        self._undoubled = re.compile(rf"{q}((?:(?!{q}?{d}{q}|{q}[\r\n])[^\r\n])*){q}(?={d}|[\r\n]|$)")

    def line(self) -> str | None:
        """Return the next line, None where there is none."""
        return self._waiting.pop(0) if self._waiting else next(self._source, None)

    def record(self, line: str) -> tuple[str, int, bool]:
        """Return the record that begins with a line, the lines it takes, and whether a quote was out of place."""
        quote = self._quote
        out: list[str] = []
        place, taken, stray = 0, 1, False
        fields = 0
        while True:
            start = place
            while self._blanks and line[start : start + 1] == " ":
                start += 1
            if line[start : start + 1] != quote:
                end = self._next(line, place)
                out.append(line[place:end])
            elif match := self._proper.match(line, start):
                end = self._next(line, match.end())
                out.append(line[place:end])
            elif (further := self._count_until_closed(line, start, fields)) > 0:
                line += "".join(self._waiting[:further])
                del self._waiting[:further]
                taken += further
                continue
            elif match := self._undoubled.match(line, start):
                end = match.end()
                out.append(quote + match[1].replace(quote * 2, quote).replace(quote, quote * 2) + quote)
                stray = True
            else:
                closing = line.find(quote, start + 1)
                end = self._next(line, closing + 1 if closing > 0 else start)
                out.append(quote + line[start:end].replace(quote, quote * 2) + quote)
                stray = True
            fields += 1
            if line[end : end + 1] != self._delimiter:
                if not stray:
                    self.usual[fields - 1] += 1
                return "".join(out) + line[end:], taken, stray
            out.append(self._delimiter)
            place = end + 1

    def _next(self, line: str, start: int) -> int:
        """Return where the field that reaches to `start` ends: at a delimiter or at the line's end."""
        end = line.find(self._delimiter, start)
        return end if end >= 0 else max(start, len(line.rstrip("\r\n")))

    def _count_until_closed(self, line: str, start: int, fields: int) -> int:
        """Return how many further lines a field takes whose quote is closed in one of them, 0 where it is stray."""
        if line.count(self._quote, start) % 2 == 0:
            return 0  # closed in this line, with more text after it
        most = self.usual.most_common(1)
        text = line[start:]
        for k in range(_AHEAD):
            if len(self._waiting) <= k:
                if (more := next(self._source, None)) is None:
                    return 0
                self._waiting.append(more)
            text += self._waiting[k]
            if len(text) > _LONGEST:
                return 0
            if self._quote in self._waiting[k] and (match := self._proper.match(text)):
                whole = fields + text.count(self._delimiter, match.end())
                alone = fields + line.count(self._delimiter, start)
                if not most or alone != most[0][0]:
                    return k + 1
                # Lines that are whole records each are no text within quotes, though their fields may add up.
                each = alone > 1 and all(further.count(self._delimiter) == alone for further in self._waiting[: k + 1])
                return 0 if whole != alone or each else k + 1
        return 0
