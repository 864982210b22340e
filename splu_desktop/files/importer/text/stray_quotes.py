"""Quotes out of place: `"good" today`, `said "no"` undoubled within quotes, a quote that is never closed.

The standard library drops such quotes, or lets a field swallow the lines after it. Here the field is quoted as it
should have been, so that every character of it stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache

_AHEAD = 50  # lines that a field in quotes may reach over before its quote counts as never closed
_LONGEST = 1 << 16  # characters, likewise


@cache
def _patterns(delimiter: str, quote: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    d, q = re.escape(delimiter), re.escape(quote)
    proper = re.compile(rf"{q}(?:[^{q}]|{q}{q})*+{q}(?=[ \t]*(?:{d}|[\r\n]|$))")
    undoubled = re.compile(rf"{q}((?:(?!{q}?{d}{q}|{q}[\r\n])[^\r\n])*){q}(?={d}|[\r\n]|$)")
    return proper, undoubled


def records(
    lines: Iterable[str], delimiter: str, quote: str, *, blanks: bool = False, told: Callable[[int], None] | None = None
) -> Iterator[tuple[str, int]]:
    """Yield each record as a text that is quoted rightly, with the number of lines it takes.

    Parameters
    ----------
    lines : with their ends.
    delimiter, quote : one character each.
    blanks : whether blanks may stand before a quote that opens a field.
    told : gets the number, from 0, of each record that had a quote out of place.
    """
    source = iter(lines)
    waiting: list[str] = []
    usual: Counter[int] = Counter()
    at = 0
    while (line := waiting.pop(0) if waiting else next(source, None)) is not None:
        if quote not in line:
            usual[line.count(delimiter)] += 1
            yield line, 1
        else:
            text, taken, stray = _record(line, waiting, source, delimiter, quote, blanks, usual)
            if stray and told is not None:
                told(at)
            yield text, taken
        at += 1


def _record(
    line: str,
    waiting: list[str],
    source: Iterator[str],
    delimiter: str,
    quote: str,
    blanks: bool,
    usual: Counter[int],
) -> tuple[str, int, bool]:
    proper, undoubled = _patterns(delimiter, quote)
    out: list[str] = []
    place, taken, stray = 0, 1, False
    fields = 0
    while True:
        start = place
        while blanks and line[start : start + 1] == " ":
            start += 1
        if line[start : start + 1] != quote:
            end = _next(line, delimiter, place)
            out.append(line[place:end])
        elif found := proper.match(line, start):
            end = _next(line, delimiter, found.end())
            out.append(line[place:end])
        elif found := undoubled.match(line, start):
            end = found.end()
            out.append(quote + found[1].replace(quote * 2, quote).replace(quote, quote * 2) + quote)
            stray = True
        elif (further := _closed(line, start, waiting, source, delimiter, quote, fields, usual)) > 0:
            line += "".join(waiting[:further])
            del waiting[:further]
            taken += further
            continue
        else:
            closing = line.find(quote, start + 1)
            end = _next(line, delimiter, closing + 1 if closing > 0 else start)
            out.append(quote + line[start:end].replace(quote, quote * 2) + quote)
            stray = True
        fields += 1
        if line[end : end + 1] != delimiter:
            if not stray:
                usual[fields - 1] += 1
            return "".join(out) + line[end:], taken, stray
        out.append(delimiter)
        place = end + 1


def _next(line: str, delimiter: str, start: int) -> int:
    """Return where the field that reaches to `start` ends: at a delimiter or at the line's end."""
    end = line.find(delimiter, start)
    return end if end >= 0 else max(start, len(line.rstrip("\r\n")))


def _closed(
    line: str,
    start: int,
    waiting: list[str],
    source: Iterator[str],
    delimiter: str,
    quote: str,
    fields: int,
    usual: Counter[int],
) -> int:
    """Return how many further lines a field takes whose quote is closed in one of them, 0 where it is a stray one."""
    if line.count(quote, start) % 2 == 0:
        return 0  # closed in this line, with more text after it
    proper, _ = _patterns(delimiter, quote)
    most = usual.most_common(1)
    text = line[start:]
    for k in range(_AHEAD):
        if len(waiting) <= k:
            if (more := next(source, None)) is None:
                return 0
            waiting.append(more)
        text += waiting[k]
        if len(text) > _LONGEST:
            return 0
        if quote in waiting[k] and (found := proper.match(text)):
            whole = fields + text.count(delimiter, found.end())
            alone = fields + line.count(delimiter, start)
            if not most or alone != most[0][0]:
                return k + 1
            # Lines that are whole records each are no text within quotes, though their fields may add up.
            each = alone > 1 and all(further.count(delimiter) == alone for further in waiting[: k + 1])
            return 0 if whole != alone or each else k + 1
    return 0
