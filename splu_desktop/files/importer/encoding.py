"""Which encoding a text file has: its mark, then UTF-8 if valid, then the most plausible of the others."""

from __future__ import annotations

import codecs
from collections.abc import Iterable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def detect(head: bytes, rest: Iterable[bytes] = ()) -> tuple[str, str]:
    """Find the encoding of a file from its first bytes; returns a Python codec name and the reason in words."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, "the file begins with a byte order mark"
    if b"\x00" in head[:4000]:
        even, odd = head[:4000:2].count(0), head[1:4000:2].count(0)
        if odd > 4 * even and odd > 0.2 * len(head[1:4000:2]):
            return "utf-16-le", "every second byte is zero"
        if even > 4 * odd and even > 0.2 * len(head[:4000:2]):
            return "utf-16-be", "every second byte is zero"
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        ascii_only = head.isascii()
        decoder.decode(head)
        for block in rest:
            decoder.decode(block)
            ascii_only = ascii_only and block.isascii()
        return "utf-8", "plain ASCII" if ascii_only else "all bytes are valid UTF-8"
    except UnicodeDecodeError:
        pass
    import charset_normalizer

    best = charset_normalizer.from_bytes(
        head[:200_000], cp_isolation=["cp1252", "gb18030", "big5", "cp1250", "shift_jis", "euc_kr", "cp1251"]
    ).best()
    if best is not None:
        return best.encoding, "the most plausible letters among the encodings that fit"
    return "cp1252", "not UTF-8; the usual Windows encoding"
