"""Which encoding a text file has: its mark, then UTF-8 if valid, then the encoding whose letters look right.

Nearly every run of bytes is valid in several 8-bit encodings, so validity proves nothing there. Each candidate's text
is judged by how its non-ASCII characters stand among their neighbours: "für" looks right, "fŠr" and "f³r" don't.
charset-normalizer is asked as well, and followed where it is the better judge (`_SECOND_KNOWS`): by measurement on
`tests/messy` in Japanese, Big5, Greek and KOI8, not in western and central European languages, GB18030 or Korean.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from splu_desktop.core.messages import say

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# First of equals wins: the order is how often hospitals' files are written so.
_SINGLE = (
    "cp1252", "cp1250", "cp850", "mac_roman", "cp437", "cp1254", "cp1257", "cp1251", "cp1255", "koi8_r", "cp866",
    "iso8859_5", "cp1253", "cp1256", "iso8859_2", "cp852", "cp874", "cp1258", "cp857", "iso8859_6", "cp737", "cp862",
    "mac_cyrillic", "mac_greek", "mac_latin2",
)  # fmt: skip
# Encodings that differ from another in a few letters: the better of the two is taken, however little better it is.
_NEAR = {
    "cp1252": ("iso8859_15",), "cp1250": ("iso8859_2",), "cp1253": ("iso8859_7",), "koi8_r": ("koi8_u",),
}  # fmt: skip
_DOUBLE = ("cp949", "gb18030", "big5", "cp932", "euc_jp")
_COMMON = frozenset("äöüßÄÖÜéèêàâçùûîïôëñáíóúÁÉÍÓÚÑåæøÅØÉÇãõºª")
_MARKS_ALONE = frozenset("°§–—‘’“”„•€£©®™²³µ½¼¾×·«»…¿¡±†‰\xa0")
# The accented letters of one language each: a text is in one of them, not in a bit of all.
_ALPHABETS = tuple(
    map(
        frozenset,
        (
            "äöüß", "éèêàâçùûîïôëœÿ", "ñáíóúüºª", "àèéìòù", "ãõçáéíóúâêôàª", "æøåéö", "åäöé", "áðéíóúýþæö",
            "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "çğıiöşüâî", "ăâîșțşţ", "čćđšž",
            "ėęąčįšųūž", "āčēģīķļņšūž", "õäöüšž", "éëïóöüèêí", "ăâđêôơưàáãèéìíòóõùúý",
        ),
    )
)  # fmt: skip
# The letters that the languages of a script use most, and the least share of all letters that they make up.
_FREQUENT = {
    "cyrillic": (frozenset("оеаинтсрвліуя"), 0.68),
    "greek": (frozenset("αοιετσνηυρςάέήίόύώ"), 0.75),
    "hebrew": (frozenset("יוהלאתרבשמנםן"), 0.72),
    "arabic": (frozenset("الينمروتبةدسهعح"), 0.7),
    "thai": (frozenset("านรอกเงมยลวดทสตะไปคแ"), 0.6),
}
_SAMPLE = 300_000
_ASKED = 20_000  # bytes that charset-normalizer is shown, from a little before the first letter beyond ASCII
_FOUND = re.compile(rb"[\x80-\xff]")
# What charset-normalizer says -> the codec; where it says one of these and we another, it was right each time.
_SECOND_KNOWS = {
    "cp932": "cp932", "shift_jis": "cp932", "shift_jis_2004": "cp932", "shift_jisx0213": "cp932", "euc_jp": "euc_jp",
    "euc_jis_2004": "euc_jp", "euc_jisx0213": "euc_jp", "big5": "big5", "big5hkscs": "big5", "cp950": "cp950",
    "cp1253": "cp1253", "koi8_r": "koi8_r",
}  # fmt: skip
_TOLD = 14  # different letters from which on their frequencies tell a language
_THIN = 8  # different words below which two judges that disagree leave it unsure
_SCARCE = 4  # different words that fit several East Asian encodings alike
_HIGH = 0.7  # for each different second byte that is no ASCII where all are such, as in EUC-JP: Big5 has 6 in 10
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
    told = by_head(head)
    return _of_bytes(chain([head], stream)) if told is None else told


def by_head(head: bytes) -> Encoding | None:
    """Return the encoding that a file's first part tells for certain, None where all bytes have to be seen."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return _marked(head, name)
    wide = _without_mark(head[:8000])
    if wide is not None:
        return wide
    if b"\x1b$" in head[:_SAMPLE]:
        try:
            head[: head.rfind(b"\n") + 1].decode("iso2022_jp")
            return Encoding("iso2022_jp", _FIRST)
        except UnicodeDecodeError:
            pass
    return None


def _marked(head: bytes, name: str) -> Encoding:
    """Return the encoding a byte order mark tells, unless the bytes after it are another's, as joined files have it."""
    told = Encoding(name, _FIRST)
    if name != "utf-8-sig":
        return told
    found = _of_bytes([head[3 : head.rfind(b"\n") + 1] or head[3:]])
    return found if found.name != "utf-8" else replace(told, valid=found.valid)


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
    sample: list[bytes] = []
    shown = b""
    for block in blocks:
        if block.isascii() and not decoder.getstate()[0]:
            continue
        if not shown and (first := _FOUND.search(block)) is not None:
            start = block.rfind(b"\n", 0, max(first.start() - _ASKED // 4, 0)) + 1
            shown = block[start : start + _ASKED]
        text = decoder.decode(block)
        damaged = text.count("\ufffd")
        bad += max(damaged - block.count(b"\xef\xbf\xbd"), 0)
        good += len(text) - len(text.encode("ascii", "ignore")) - damaged
        if sampled < _SAMPLE:
            lines = b"\n".join(line for line in block.splitlines() if not line.isascii())[: _SAMPLE - sampled]
            sample.append(lines)
            sampled += len(lines)
    bad += decoder.decode(b"", final=True).count("\ufffd")
    if not bad:
        return Encoding("utf-8", "all bytes are valid UTF-8")
    best = _most_plausible(b"\n".join(sample), shown)
    # In a one-byte encoding hardly two letters in a row are also valid UTF-8; in an Asian one some are.
    if good > 10 * bad or (good > bad and best.plausible < 0.9):
        return Encoding("utf-8", "nearly all bytes are valid UTF-8", 0.9, valid=False)
    return best


def _most_plausible(sample: bytes, shown: bytes) -> Encoding:
    best = _called("cp1252", 0.0, valid=True)
    scores: dict[str, float] = {}
    for name in (*_SINGLE, *_DOUBLE):
        text = sample.decode(name, errors="replace")
        wrong = text.count("\ufffd")
        score = scores[name] = _double(sample, text, wrong, name) if name in _DOUBLE else _single(text)
        if score > best.plausible + 0.02:
            best = _called(name, score, valid=not wrong)
    if best.name == "big5" and not best.valid and "\ufffd" not in sample.decode("cp950", errors="replace"):
        best = replace(best, name="cp950", valid=True)  # Big5 with Microsoft's additions
    best = _confirmed(shown, best, scores)
    score = _single(sample.decode(best.name, errors="replace")) if best.name in _NEAR else 0.0
    for name in _NEAR.get(best.name, ()):
        text = sample.decode(name, errors="replace")
        if (near := _single(text)) > score:
            best, score = _called(name, min(best.plausible, near), valid="\ufffd" not in text), near
    return best


def _called(name: str, score: float, *, valid: bool) -> Encoding:
    return Encoding(name, say("not UTF-8; the letters are likeliest in {name}", name=name), score, valid=valid)


def _confirmed(shown: bytes, best: Encoding, scores: dict[str, float]) -> Encoding:
    """Ask charset-normalizer; where it reads other letters it is followed, or what was found becomes unsure."""
    from charset_normalizer import from_bytes  # only where a file is neither ASCII nor UTF-8

    shown = shown[: shown.rfind(b"\n") + 1] or shown
    second = from_bytes(shown).best()
    ours = shown.decode(best.name, errors="replace")
    words = len(set(_RUNS.findall(ours)))
    name = _SECOND_KNOWS.get(second.encoding) if second is not None else None
    if name in _DOUBLE and best.name not in _DOUBLE and _within_words(shown.decode(name, errors="replace")):
        name = None
    if name in _DOUBLE and (best.name in _DOUBLE or name == "cp932") and scores[name] < best.plausible / 2:
        name = None
    rivals = [other for other in _DOUBLE if other != best.name and scores[other] > best.plausible - 0.1]
    if name is not None and best.name != name and "\ufffd" not in (theirs := shown.decode(name, errors="replace")):
        if theirs != ours:
            return _called(name, best.plausible if words >= _THIN else 0.5, valid=best.valid)
    elif (best.name in _DOUBLE and rivals and words < _SCARCE) or (
        words < _THIN
        and any(
            scores[other] > best.plausible - 0.02 and shown.decode(other, errors="replace") != ours for other in _SINGLE
        )
    ):
        return _called(best.name, 0.5, valid=best.valid)
    elif (
        words < _THIN and (second is None or str(second) != ours) and (best.name == "mac_roman" or not _everyday(ours))
    ):
        return _called(best.name, min(best.plausible, 0.5), valid=best.valid)
    return best


def _within_words(text: str) -> bool:
    """Whether most characters beyond ASCII stand among ASCII letters, as those of no East Asian text do."""
    found = _MIXED.findall(text)
    return 2 * sum(bool(before or after) for before, after in found) > len(found)


def _everyday(text: str) -> bool:
    """Whether most letters beyond ASCII are those of the languages written in the usual Windows encoding."""
    letters = [char for char in text if char.isalpha() and not char.isascii()]
    return sum(char in _COMMON or char.lower() in _COMMON for char in letters) > 0.6 * len(letters)


def _script(char: str) -> str:
    code = ord(char)
    if 0x400 <= code < 0x530:
        return "cyrillic"
    if 0x370 <= code < 0x400:
        return "greek"
    if 0x590 <= code < 0x600:
        return "hebrew"
    if 0x600 <= code < 0x700:
        return "arabic"
    if 0xE00 < code < 0xE5C:
        return "thai"
    return "latin" if char.isalpha() and code < 0x250 else ""


def _single(text: str) -> float:
    """Mean plausibility of the non-ASCII characters of a text, each judged between its two neighbours."""
    total = 0.0
    seen = 0
    letters: list[str] = []
    text = text[:120_000]
    for found in _RUNS.finditer(text):
        run, start, end = found[0], *found.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        long = len(run) >= 3 and not run[1:].islower()  # "lığı" and "Żółć" are a word's part, "Ã¼Å" is not
        script = _script(run[0])
        for at, char in enumerate(run):
            seen += 1
            if char.isalpha() and char != "µ":
                letters.append(char)
            left = run[at - 1] if at else before
            right = run[at + 1] if at + 1 < len(run) else after
            if script in _FREQUENT:
                total += _foreign(char, left, right, script)
            else:
                total += _latin(char, left, right, long)
        if seen > 5000:
            break
    return total / seen * (_coherence(letters) if letters else 1.0) if seen else 0.0


def _coherence(letters: list[str]) -> float:
    """How well the letters fit one language: its alphabet, or beyond Latin the letters that a script uses most."""
    capitals = any(map(str.isupper, letters))
    letters = [char.lower()[0] for char in letters]
    scripts = [_script(char) for char in letters]
    for name, (frequent, least) in _FREQUENT.items():
        if scripts.count(name) > len(letters) / 2:
            known = min(1.0, len(set(letters)) / _TOLD)
            share = min(1.0, sum(char in frequent for char in letters) / len(letters) / (least * known))
            # Whole tables in capitals are written more often than without any, which another encoding makes of them.
            small = known == 1.0 and not capitals and name in ("cyrillic", "greek")
            return 0.97 * share if small else share
    if scripts.count("latin") < len(letters) / 2:
        return 1.0
    share = max(sum(char in alphabet for char in letters) for alphabet in _ALPHABETS) / len(letters)
    return 0.6 + 0.4 * share


def _latin(char: str, left: str, right: str, long: bool) -> float:
    worded = (left.isalpha() if left else False) or (right.isalpha() if right else False)
    if char.isalpha() and ord(char) < 0x250:
        if char == "µ":
            return 1.0 if right in "glmsLMUkV" and not left.isalpha() else 0.1
        weight = 1.0 if char in _COMMON else 0.97 if char.islower() else 0.9
        if char in "ºª":
            return 0.9 if left.isdigit() or left in ("n", "N", " ") else 0.1
        if char.isupper() and left.islower():
            weight *= 0.1
        if ((char.islower() and right.isupper()) or (char.isupper() and right.islower())) and left.isupper():
            weight *= 0.2
        if long:
            weight *= 0.3
        return weight if worded else 0.5 * weight
    if char in "’'‘´":
        return 1.0
    if "\u0300" <= char < "\u0370":  # a tone above or below the letter before it
        return 0.97 if left.isalpha() else 0.0
    if (char == "©" and not (right.isspace() or right.isdigit())) or (char in "»®" and right.isalpha()):
        return 0.4  # the first byte of a name in another encoding sooner than a mark of its own
    if char in _MARKS_ALONE:
        enclosed = bool(left) and bool(right) and left.isalpha() and right.isalpha()
        return 0.1 if enclosed and char not in "–—·\xa0" else 0.9
    return 0.0


def _foreign(char: str, left: str, right: str, script: str) -> float:
    if script == "thai":  # a vowel or tone stands above or below a consonant, some vowels before one
        follows, before = "\u0e01" <= (left or " ") <= "\u0e4e", "\u0e01" <= (right or " ") <= "\u0e2e"
        hangs = char == "\u0e31" or "\u0e34" <= char <= "\u0e3a" or "\u0e47" <= char <= "\u0e4e"
        leads = "\u0e40" <= char <= "\u0e44"
        return 0.97 if char <= "\u0e4e" and (not hangs or follows) and (not leads or before) else 0.0
    if not char.isalpha():
        return 0.7 if char in _MARKS_ALONE or char == "№" else 0.0
    if _script(char) != script:
        return 0.1
    if (left.isascii() and left.isalpha()) or (right.isascii() and right.isalpha()):
        return 0.1  # nobody mixes alphabets within a word
    neighbours = [c for c in (left, right) if c and not c.isascii()]
    if not neighbours:
        return 0.3  # a lone letter of a foreign script among ASCII ones is an accident
    if char.isupper() and left.islower():
        return 0.1
    return 0.97 if all(_script(c) == script or not c.isalpha() for c in neighbours) else 0.4


# Lead bytes of each character set's first level, which holds the characters in daily use.
_FIRST_LEVEL = {
    "gb18030": re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"),
    "big5": re.compile(rb"[\xa1\xa4-\xc6][\x40-\x7e\xa1-\xfe]"),
    "cp932": re.compile(rb"[\x81-\x83\x88-\x97][\x40-\x7e\x80-\xfc]"),
    "euc_jp": re.compile(rb"[\xa1-\xa5\xb0-\xcf][\xa1-\xfe]"),
    "cp949": re.compile(rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]"),
}
_PAIR = {
    "gb18030": re.compile(rb"[\x81-\xfe](?:[\x40-\x7e\x80-\xfe]|[0-9][\x81-\xfe][0-9])|[\x80-\xff]"),
    "big5": re.compile(rb"[\x81-\xfe][\x40-\x7e\xa1-\xfe]|[\x80-\xff]"),
    "cp932": re.compile(rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]|[\x80-\xff]"),
    "euc_jp": re.compile(rb"\x8f[\xa1-\xfe]{2}|[\x8e\xa1-\xfe][\xa1-\xfe]|[\x80-\xff]"),
    "cp949": re.compile(rb"[\x81-\xfe][\x41-\x5a\x61-\x7a\x81-\xfe]|[\x80-\xff]"),
}
_HALF_WIDTH = re.compile("[ｦ-ﾟ]+")
_SPOKEN = re.compile("(?:(?:[ｳｶ-ﾄﾊ-ﾎ]ﾞ|[ﾊ-ﾎ]ﾟ|[ｱ-ﾜｦ])[ｧ-ｯｰﾝ]*)+")  # a word of half width whose marks stand where they can
_MIXED = re.compile(r"([A-Za-z]?)[^\x00-\x7f]+([A-Za-z]?)")
_RUNS = re.compile(r"[^\x00-\x7f]+")
_ALONE = re.compile(r"(?<![^\x00-@\[-`{-\x7f])[^\x00-\x7f](?![^\x00-@\[-`{-\x7f])")


def _double(sample: bytes, text: str, wrong: int, name: str) -> float:
    """Share of characters in daily use, less where they stand alone between ASCII letters, which no such text does."""
    pairs = _PAIR[name].findall(sample)
    if not pairs or wrong > 0.02 * len(pairs):
        return 0.0
    daily = sum(_FIRST_LEVEL[name].fullmatch(pair) is not None for pair in pairs) / len(pairs)
    kana = sum(0x3040 <= ord(c) < 0x3100 for c in text) / len(pairs)
    if name == "cp932":  # katakana of half width (ﾔﾏﾀﾞ), one byte each: one in ten is a mark on some of the others
        words = _HALF_WIDTH.findall(text)
        half = sum(map(len, words))
        if sum(map(text.count, "ﾞﾟ")) > 0.04 * half and all(map(_SPOKEN.fullmatch, words)):
            daily, kana = daily + half / len(pairs), kana + half / len(pairs)
    hangul = sum(0xAC00 <= ord(c) < 0xD7B0 for c in text) / len(pairs)
    runs = _RUNS.findall(text)
    # One character may be a whole field (男, 岁 behind a number), but not one of an ASCII byte: that is "°C" or "µg".
    lone = sum(run.encode(name, "replace")[-1:] >= b"\x80" for run in _ALONE.findall(text))
    together = (sum(len(run) for run in runs if len(run) > 1) + lone) / max(sum(map(len, runs)), 1)
    score = daily * together
    if name in ("cp932", "euc_jp"):
        score *= 0.75 + min(kana, 0.25)  # Japanese without kana is rare
    elif name == "gb18030" and kana > 0.02:
        score /= 2  # kana lie at the same bytes as in EUC-JP, and Chinese has none
    elif name == "big5" and all(pair[-1] >= 0x80 for pair in pairs):
        score *= _HIGH ** (len(set(pairs)) - 1)
    elif name == "cp949":
        score *= 0.3 + 0.7 * min(1.0, 1.3 * hangul)
    return float(0.99 * score)
