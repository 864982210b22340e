"""Which encoding a text file has: its mark, then UTF-8 if valid, then the encoding whose letters look right.

Nearly every run of bytes is valid in several 8-bit encodings, so validity proves nothing there. chardet says how alike
each candidate's text is to a language's; that is multiplied by the share of words written as words are: "für" is,
"fŠr" and "f³r" are not.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

from splu_desktop.core.messages import say
from splu_desktop.files.importer.columns.words import CODECS, EAST

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BELIEVED = {"cp1252": 1.35, "mac_latin2": 0.6}  # those in which hospitals write more or fewer files than in others
_SAMPLE = 300_000
_ASKED, _LONGEST = 40_000, 2_000  # bytes of different fields that are judged, and of one of them
_PARTS = re.compile(rb'[,;\t"]')  # no second byte of a letter
_UNIT = re.compile(rb"(?<![\x80-\xff])(?:\xb5(?=(?:g|l|m|s|M|U|k)[a-zA-Z]{0,3}\b)|\xb0(?=[CF]?$))")
_WORD = re.compile(r"[^\W\d_]*[^\x00-\x7f](?:[^\W\d_]|[^\x00-\x7f])*")
_RUNS = re.compile(r"[^\x00-\x7f]+")
_SIGNS = frozenset("°§–—‘’“”„•€£©®™²³µ½¼¾×·«»…¿¡±†‰ºª№\xa0´`¨")
_WITHIN = frozenset("’'‘´–—-·\xa0")  # signs that stand between the letters of a word
_DOUBLE = ("cp949", "gb18030", "big5hkscs", "cp932", "euc_jis_2004")  # encodings with kana and ideographs
_USUAL = frozenset(  # characters of names, sexes, days and wards, which other bytes hardly ever become
    "男女性不明年月日歳岁大小中上下山田川村木本林佐藤高橋王李张張刘劉陈陳杨楊黄吴吳医院内外科病京市东東北南西海太郎子美花"
)
_FAINT = 0.002  # likelihood up to which nothing is sure
_THIN = 8  # different words below which a second encoding needs be but half as likely to leave it unsure
_FIRST = "the file's first bytes tell it"
UNSURE = 0.6  # plausibility below which the user is asked to look


@dataclass(frozen=True)
class Encoding:
    """A Python codec, why it was chosen, how plausible its text is (0..1), and whether all bytes are valid in it."""

    name: str
    reason: str
    plausible: float = 1.0
    valid: bool = True


def detect(blocks: Iterable[bytes]) -> Encoding:
    """Find the encoding of a file from all of its bytes, in blocks."""
    stream = iter(blocks)
    head = next(stream, b"")
    encoding = by_head(head)
    return _of_bytes(chain([head], stream)) if encoding is None else encoding


def by_head(head: bytes) -> Encoding | None:
    """Return the encoding that a file's first part tells for certain, None where all bytes have to be seen."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return _by_mark(head, name)
    wide = _without_mark(head[:8000])
    if wide is not None:
        return wide
    if b"\x1b$" in head[:_SAMPLE]:
        with suppress(UnicodeDecodeError):
            head[: head.rfind(b"\n") + 1].decode("iso2022_jp")
            return Encoding("iso2022_jp", _FIRST)
    return None


def _by_mark(head: bytes, name: str) -> Encoding:
    """Return the encoding a byte order mark tells, unless the bytes after it are another's, as joined files have it."""
    encoding = Encoding(name, _FIRST)
    if name != "utf-8-sig":
        return encoding
    guess = _of_bytes([head[3 : head.rfind(b"\n") + 1] or head[3:]])
    return guess if guess.name != "utf-8" else replace(encoding, valid=guess.valid)


def _without_mark(head: bytes) -> Encoding | None:
    even, odd = head[::2], head[1::2]
    if not odd:
        return None
    zero_even, zero_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    if zero_odd > 0.3 and zero_even < 0.05 * zero_odd + 0.01:
        return Encoding("utf-16-le", _FIRST)
    if zero_even > 0.3 and zero_odd < 0.05 * zero_even + 0.01:
        return Encoding("utf-16-be", _FIRST)
    return None


def _of_bytes(blocks: Iterable[bytes]) -> Encoding:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    good = bad = sampled = 0
    fields: dict[bytes, None] = {}
    for block in blocks:
        if block.isascii() and not decoder.getstate()[0]:
            continue
        text = decoder.decode(block)
        damaged = text.count("\ufffd")
        bad += max(damaged - block.count(b"\xef\xbf\xbd"), 0)
        good += len(text) - len(text.encode("ascii", "ignore")) - damaged
        for line in block.splitlines() if sampled < _SAMPLE else ():
            if not line.isascii() and sampled < _SAMPLE:
                sampled += len(line)
                fields.update((field, None) for field in _PARTS.split(line) if not field.isascii())
    bad += decoder.decode(b"", final=True).count("\ufffd")
    if not bad:
        return Encoding("utf-8", "all bytes are valid UTF-8")
    best = _most_plausible(b"\n".join(field[:_LONGEST] for field in fields)[:_ASKED])
    # In a one-byte encoding hardly two letters in a row are also valid UTF-8; in an Asian one some are.
    if good > 10 * bad or (good > bad and best.plausible < UNSURE):
        return Encoding("utf-8", "nearly all bytes are valid UTF-8", 0.9, valid=False)
    return best


def _most_plausible(fields: bytes) -> Encoding:
    """Return the likeliest encoding of different fields, each on a line of its own."""
    rest = b"\n".join(field for each in fields.split(b"\n") if not (field := _UNIT.sub(b"", each)).isascii())
    scores: dict[str, float] = {}
    confidences = dict(_confidences(rest, CODECS))
    for name in _DOUBLE:
        with suppress(UnicodeDecodeError):
            confidences[name] = max(confidences.get(name, 0.0), _usual(rest.decode(name)))
    for name, confidence in confidences.items():
        text = rest.decode(name, errors="replace")
        cased = [char for char in text if "\u0370" <= char < "\u0530"]
        if cased and not any(map(str.islower, cased)):
            # Small letters of Greek and Russian in one encoding are capitals in another, which chardet knows less well.
            small = text.lower().encode(name, errors="ignore")
            confidence = max(confidence, _confidences(small, [name]).get(name, 0.0))
        scores[name] = confidence * _BELIEVED.get(name, 1.0) * _share_of_words(text, name) ** 2
    best = max(scores, key=scores.__getitem__, default="cp1252")
    text = fields.decode(best, errors="replace")
    second = max((score for name, score in scores.items() if fields.decode(name, "replace") != text), default=0.0)
    most, few = scores.get(best, 0.0), len(set(_RUNS.findall(text))) < _THIN
    sure = not rest or (most > _FAINT and second < (0.35 if few else 0.9) * most)
    usual = (*_PLAINER.get(best, ()), *CODECS)
    name = next(each for each in usual if fields.decode(each, "replace") == text)
    because = say("not UTF-8; the letters are likeliest in {name}", name=name)
    return Encoding(name, because, 1.0 if sure else 0.5, "\ufffd" not in text)


# An encoding with additions -> the usual ones, whose name says more where they do as well.
_PLAINER = {"big5hkscs": ("big5", "cp950"), "euc_jis_2004": ("euc_jp",)}


def _confidences(data: bytes, names: Iterable[str]) -> Mapping[str, float]:
    """Return name of a codec -> how alike its text is to a language's, for those in which all bytes are valid."""
    from chardet import detect_all  # only where a file is neither ASCII nor UTF-8

    first = next(iter(names))  # said where there is nothing to tell by
    guesses = detect_all(
        data, ignore_threshold=True, max_bytes=len(data) or 1, include_encodings=names, compat_names=False,
        no_match_encoding=first, empty_input_encoding=first,
    )  # fmt: skip
    return {each["encoding"].replace("-", "_"): each["confidence"] for each in guesses if each["encoding"]}


def _usual(text: str) -> float:
    """Return the share of kana and usual ideographs among the characters beyond ASCII, 0 where it is no half."""
    beyond = [char for char in text if not char.isascii()]
    share = sum("\u3041" <= char <= "\u30fe" or char in _USUAL for char in beyond) / max(len(beyond), 1)
    return share if share >= 0.5 else 0.0


def _share_of_words(text: str, name: str) -> float:
    """Return the share of characters beyond ASCII that stand in words as they are written; 1 where there are none."""
    good = total = 0.0
    # A lone letter between the numbers of bands is a word of any script, and no more so the more bands there are.
    fields = text.split("\n")
    words = {(word, len(word) > 1 and at): at for at, field in enumerate(fields) for word in _WORD.findall(field)}
    for (word, _), at in words.items():
        beyond = sum(not char.isascii() for char in word)
        total += beyond
        good += 0.1 * beyond if _is_odd(word, fields[at], name) else beyond
    return good / total if total else 1.0


def _is_odd(word: str, field: str, name: str) -> bool:
    """Whether a word mixes scripts, upper and lower case, or letters and signs as no language does."""
    letters = "".join(char for char in word if char.isalpha() and char not in "µºª")
    scripts = {unicodedata.name(char, "?").split()[0] for char in letters}
    if scripts & EAST and scripts <= EAST | {"LATIN"}:
        beyond = [char for char in word if not char.isascii()]
        # "°C" and "µg" are one letter each in such an encoding; as a field by itself a letter is a word.
        return len(beyond) == 1 and word != field.strip() and beyond[0].encode(name, "replace")[-1] < 0x80
    signs = [char for char in word if not (char.isalpha() or char.isascii() or unicodedata.combining(char))]
    if (
        len(scripts) > 1
        or (letters and not set("½¼¾").isdisjoint(signs))
        or any(c not in _SIGNS and unicodedata.category(c)[0] not in "MPN" for c in signs)
    ):
        return True
    kinds = [char.isalpha() or unicodedata.combining(char) > 0 or char in _WITHIN for char in word]
    if scripts != {"THAI"} and not all(kinds[word.find(letters[:1]) : word.rfind(letters[-1:]) + 1]):
        return True
    cased = letters.lower() != letters.upper()
    return cased and not (letters.islower() or letters.isupper() or letters.istitle())
