"""Words and marks that the importer knows, in the languages of hospitals' files: `resources/importer/words.toml`."""

from __future__ import annotations

import re
import tomllib

from splu_desktop.core.resources import resource_path

_LISTS = tomllib.loads(resource_path("importer/words.toml").read_text(encoding="utf-8"))

_TURNS = "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))  # of the direction of writing
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u061c" + _TURNS
# Digits and marks as wide as ideographs, or as Arabs and Persians write them; a point in the middle.
_DRAWN = "０１２３４５６７８９．，／：－＋％", "٠١٢٣٤٥٦٧٨٩٫٬", "۰۱۲۳۴۵۶۷۸۹·"
DRAWN = str.maketrans("".join(_DRAWN), "0123456789.,/:-+%0123456789.,0123456789.")
UNSEEN = re.compile(f"[{INVISIBLE}\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _parts(text: str, mark: str = "|") -> list[str]:
    return [part.strip() for part in text.split(mark)]


_MISSING, _ANSWERS, _MEASURED = _LISTS["missing"], _LISTS["answers"], _LISTS["measured"]
ERRORS = tuple(_parts(_MISSING["errors"]))
ALWAYS = frozenset((*_parts(_MISSING["always"]), *ERRORS))
BESIDE_NUMBERS = frozenset(_parts(_MISSING["beside_numbers"]))
AMONG_NUMBERS = frozenset(_parts(_MISSING["among_numbers"]))
WORDS = frozenset(_parts(_MISSING["words"]))
RESULTS, AGES = frozenset(_parts(_MEASURED["results"])), frozenset(_parts(_MEASURED["ages"]))
MONTHS = {name: int(number) for number, names in _LISTS["months"].items() for name in names.split()}
_PAIRS = [frozenset(pair.split()) for pair in _parts(_ANSWERS["pairs"])]
_SPELLINGS = [[frozenset(half.split()) for half in _parts(pair, "/")] for pair in _parts(_ANSWERS["spellings"])]
MEANT = {text: word for pair in _SPELLINGS for half, word in zip(pair, ("yes", "no"), strict=True) for text in half}
CODECS, EAST = _LISTS["encodings"]["tried"].split(), frozenset(_LISTS["encodings"]["east"].split())
ENDINGS = {ending: tuple(kinds.split()) for kinds, endings in _LISTS["endings"].items() for ending in endings.split()}
FOREIGN = tuple((mark.encode("latin-1"), name) for name, mark in _LISTS["foreign"].items())
REDCAP = {key: tuple(_parts(names)) for key, names in _LISTS["redcap"].items()}
ANSWERS: frozenset[str] = frozenset().union(*_PAIRS)


def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of the list: upper and lower case are one, and a dot may be a line end."""
    return re.compile(_LISTS["patterns"][name], re.IGNORECASE | re.DOTALL | re.VERBOSE)


def are_answers(texts: set[str]) -> bool:
    """Whether texts, in small letters, are yes and no: two of them, or several spellings with at least one of each."""
    if len(texts) < 2:
        return False
    if len(texts) == 2:
        return any(texts == pair for pair in _PAIRS)
    return any(texts <= yes | no and texts & yes and texts & no for yes, no in _SPELLINGS)
