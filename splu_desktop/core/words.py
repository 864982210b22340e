"""A column's name, or a value, as words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_LETTERS = str.maketrans(
    {"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "œ": "oe", "đ": "d", "ı": "i"}
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a column's name into lower-case words without accents: `PatientGröße` -> patient, grosse."""
    if not name.isascii():
        apart = unicodedata.normalize("NFKD", name.translate(_LETTERS))  # each letter, and its accents behind it
        name = "".join(c for c in apart if not unicodedata.combining(c))
    return tuple(re.findall(r"[a-z]+|\d+", _CAMEL.sub(" ", name).lower()))


def fold(word: str) -> str:
    """Return a word with ae, oe and ue as a, o and u, as words with and without umlauts both are looked up."""
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def join_words(text: str) -> str:
    """Return a value as it stands in lists: its words joined by "_"."""
    return "_".join(map(fold, words_of(text)))
