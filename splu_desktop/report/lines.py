"""Texts broken into lines no wider than there is room, in scripts of either direction."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_FROM, _TO = "\u2068", "\u2069"  # around a name in a sentence (core.messages.isolated)
Width = Callable[[str, float, bool], float]  # (text, size, bold) -> width in points


def wrapped(text: str, room: float, size: float, bold: bool, measure: Width) -> list[str]:
    """Return the lines of a text no wider than `room`: broken at spaces, else within words."""
    found: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split(" "):
            tried = f"{line} {word}" if line else word
            if measure(tried, size, bold) <= room:
                line = tried
                continue
            if line:
                found.append(line)
            line = word
            while measure(line, size, bold) > room and len(line) > 1:
                cut = _cut(line, room, size, bold, measure)
                found.append(line[:cut])
                line = line[cut:]
        found.append(line)
    return found if text.isascii() else _held_direction(text, found)


def _cut(word: str, room: float, size: float, bold: bool, measure: Width) -> int:
    """Return where to break a word that is too wide: after a mark in the last third that fits, else between letters."""
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(word[:middle], size, bold) <= room:
            low = middle
        else:
            high = middle - 1
    for at in range(low, max(1, 2 * low // 3), -1):
        if word[at - 1] in "-_/.,;:)]|":
            return at
    at = low
    while at > 1 and at < len(word) and unicodedata.category(word[at]).startswith("M"):
        at -= 1  # accents and vowel signs stay with their letter
    return at if at > 1 else low


def _held_direction(text: str, lines: list[str]) -> list[str]:
    """Return the lines of a text, each led by the text's own direction: a line that happens to begin with a word in a
    right-to-left script must not run from right to left where its sentence does not. A name that is isolated and runs
    over lines is isolated on each."""
    held, carried = [], ""
    for line in lines:
        line = carried + line
        carried = _FROM if line.rfind(_FROM) > line.rfind(_TO) else ""
        held.append(line + (_TO if carried else ""))
    if _leading(text) != "L":
        return held
    return ["\u200e" + line if _leading(line) == "R" else line for line in held]


def _leading(text: str) -> str:
    """Return "L" or "R", the direction of the first letter that has one and is not isolated; "L" where none has."""
    inside = 0
    for letter in text:
        kind = unicodedata.bidirectional(letter)
        if kind in ("LRI", "RLI", "FSI"):
            inside += 1
        elif kind == "PDI":
            inside = max(0, inside - 1)
        elif kind in ("L", "R", "AL") and not inside:
            return "L" if kind == "L" else "R"
    return "L"
