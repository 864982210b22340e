"""Which of the bundled fonts a text needs, and how letters stand that none of them has.

DejaVu Sans writes Latin, Greek, Cyrillic, Hebrew, Arabic, Armenian, Georgian and Lao; Droid Sans Fallback Chinese and
Japanese. The others write one script each and are opened only where it occurs (resources/fonts/README.md).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

REGULAR, BOLD, HAN = "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DroidSansFallbackFull.ttf"
_SCRIPTS = (
    ("NotoSansDevanagari.ttf", 0x0900, 0x097F),
    ("NotoSansBengali.ttf", 0x0980, 0x09FF),
    ("NotoSansGurmukhi.ttf", 0x0A00, 0x0A7F),
    ("NotoSansGujarati.ttf", 0x0A80, 0x0AFF),
    ("NotoSansOriya.ttf", 0x0B00, 0x0B7F),
    ("NotoSansTamil.ttf", 0x0B80, 0x0BFF),
    ("NotoSansTelugu.ttf", 0x0C00, 0x0C7F),
    ("NotoSansKannada.ttf", 0x0C80, 0x0CFF),
    ("NotoSansMalayalam.ttf", 0x0D00, 0x0D7F),
    ("NotoSansSinhala.ttf", 0x0D80, 0x0DFF),
    ("NotoSansThai.ttf", 0x0E00, 0x0E7F),
    ("NotoSansMyanmar.ttf", 0x1000, 0x109F),
    ("NotoSansEthiopic.ttf", 0x1200, 0x139F),
    ("NotoSansKhmer.ttf", 0x1780, 0x17FF),
    ("SPLUHangul.ttf", 0xAC00, 0xD7A3),
)
# Scripts whose letters join, stack or run from right to left, accents that combine, and what isolates: shaped, it
# has no width and no picture.
SHAPED = re.compile(
    "[\u0300-\u036f\u0590-\u08ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]"
)
_STRANGE = re.compile("\ue000+")  # a private letter stands for each that no font has, while they are counted


def needed(texts: Iterable[str]) -> list[str]:
    """Return the files of the fonts that texts need besides the three that are always there."""
    letters = {ord(letter) for text in texts if not text.isascii() for letter in text}
    return [name for name, first, last in _SCRIPTS if any(first <= letter <= last for letter in letters)]


def written(text: str, known: Callable[[int], bool]) -> str:
    """Return a text that fonts can write: composed, without control characters.

    Letters that no font has stand as their Unicode numbers, [U+1F9A0], so that values stay told apart.

    known : whether a font has the letter of a number.
    """
    text = unicodedata.normalize("NFC", text)
    strange = [letter for letter in text if not _writable(letter, known)]
    if strange:
        numbers = iter(f"U+{ord(letter):04X}" for letter in strange)
        marked = "".join(letter if _writable(letter, known) else "\ue000" for letter in text)
        text = _STRANGE.sub(lambda found: f"[{' '.join(next(numbers) for _ in found[0])}]", marked)
    return "".join(" " if _blank(letter) else letter for letter in text)


def _blank(letter: str) -> bool:
    return unicodedata.category(letter) == "Cc" or (letter.isspace() and letter not in "\u00a0\u202f")


def _writable(letter: str, known: Callable[[int], bool]) -> bool:
    return known(ord(letter)) or unicodedata.category(letter) == "Cf" or _blank(letter)
