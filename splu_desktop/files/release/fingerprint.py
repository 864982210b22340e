"""Six words for the telephone: the SHA-256 of release.json, which holds the digests of all other files."""

from __future__ import annotations

WORDS = 6
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"


def fingerprint(digest: str) -> str:
    """Return six words of five letters that stand for the first 96 bits of a SHA-256 (proquints, Wilkerson 2009)."""
    number = int(digest[: 4 * WORDS], 16)
    words = []
    for at in range(WORDS):
        part = (number >> 16 * (WORDS - 1 - at)) & 0xFFFF
        word = ""
        for shift, letters in ((12, _CONSONANTS), (10, _VOWELS), (6, _CONSONANTS), (4, _VOWELS), (0, _CONSONANTS)):
            word += letters[(part >> shift) & (len(letters) - 1)]
        words.append(word)
    return " ".join(words)
