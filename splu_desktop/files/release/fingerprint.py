"""Six words for the telephone: the SHA-256 of release.json, which holds the digests of all other files."""

from __future__ import annotations

import re

WORDS = 6
_LETTERS = ("bdfghjklmnprstvz", "aiou") * 3  # of a word, by turns for four bits and two; the last stay away


def fingerprint(digest: str) -> str:
    """Return six words of five letters that stand for the first 96 bits of a SHA-256 (proquints, Wilkerson 2009)."""
    bits = f"{int(digest[: 4 * WORDS], 16):0{16 * WORDS}b}"
    words = re.findall("(....)(..)(....)(..)(....)", bits)
    return " ".join("".join(of[int(part, 2)] for of, part in zip(_LETTERS, word, strict=False)) for word in words)
