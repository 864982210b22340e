"""Keyed 64-bit hashes of many short messages at once.

SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012); and multilinear hashing, in a tenth of
its time (Lemire and Kaser, "Strongly universal string hashing is fast", 2014), for hashes that nobody sees: whatever
two texts are, their hashes are two independent uniform numbers over the choice of the key.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.packed.texts import Texts
from splu_desktop.files.disk.in_blocks import encoded

Words = NDArray[np.uint64]
_AT_ONCE = 1 << 13  # messages, so that all of the state stays in the processor's cache
_HALF = np.uint64(0xFFFFFFFF)
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def derived(key: bytes, purpose: str) -> bytes:
    """Return 16 bytes that follow from a key for one purpose."""
    return hmac.digest(key, purpose.encode("utf-8", "surrogatepass"), "sha256")[:16]


def siphash(texts: Sequence[str], key: bytes) -> Words:
    """Return (m,) 64-bit hashes of the texts' UTF-8 bytes under a key of 16 bytes."""
    return _of_texts(texts, lambda message: _hashed(message, key))


def multilinear(texts: Sequence[str], key: bytes) -> Words:
    """Return (m,) 64-bit hashes of the texts' UTF-8 bytes, equal ones of two different texts once for 2^64 keys.

    Not to be stored or shown: two of them tell more of the key than two of SipHash's do.
    """
    return _of_texts(texts, lambda message: _summed(message, key))


def _of_texts(texts: Sequence[str], hashed: Callable[[Words], Words]) -> Words:
    """Return (m,) hashes of texts by a function of (K, n) words: those of n texts of as many words."""
    packed = texts if isinstance(texts, Texts) else None
    raw = encoded(texts) if packed is None else []
    length = packed.length.astype(np.int64) if packed is not None else np.fromiter(map(len, raw), np.int64, len(raw))
    found = np.empty(len(length), np.uint64)
    words = length // 8 + 1  # the last one holds what is left over, and the length
    for count in np.flatnonzero(np.bincount(words)).tolist():
        at = np.flatnonzero(words == count)
        message = np.zeros((count, len(at)), np.uint64)
        if packed is not None:
            of_texts = packed.words if len(at) == len(found) else packed.words[at]
            message[: of_texts.shape[1]] = of_texts.T[:count]
        else:
            some = raw if len(at) == len(raw) else [raw[i] for i in at.tolist()]
            message[:] = np.array(some, f"S{8 * count}").view("<u8").reshape(-1, count).T
        message[-1] |= (length[at].astype(np.uint64) & np.uint64(0xFF)) << np.uint64(56)
        found[at] = hashed(message)
    return found


def siphash_words(words: Sequence[Words], key: bytes) -> Words:
    """Return (n,) hashes of messages of as many 64-bit words as there are arrays, each (n,)."""
    end = np.broadcast_to(np.uint64((8 * len(words)) % 256 << 56), len(words[0]))
    return _hashed([*words, end], key)


def _summed(message: Words, key: bytes) -> Words:
    """Return twice the upper half of a sum of factors, drawn by the key, times the message's 32-bit halves."""
    count, n = message.shape
    drawn = np.frombuffer(hashlib.shake_256(key).digest(32 * (count + 1)), "<u8").astype(np.uint64).reshape(-1, 2, 2)
    # Messages of fewer words are none of more with zeros at the end: their number is a part of each.
    first, second = (drawn[0, :, 0] * np.uint64(count) + drawn[0, :, 1]).tolist()
    found = np.empty(n, np.uint64)
    for at in range(0, n, _AT_ONCE):
        part = slice(at, at + _AT_ONCE)
        upper = np.full(min(_AT_ONCE, n - at), first, np.uint64)
        lower = np.full_like(upper, second)
        for word, factors in zip(message, drawn[1:], strict=True):
            for half, (one, other) in zip((word[part] & _HALF, word[part] >> np.uint64(32)), factors, strict=True):
                upper += half * one
                lower += half * other
        upper &= ~_HALF
        lower >>= np.uint64(32)
        np.bitwise_or(upper, lower, out=found[part])
    return found


def _hashed(message: Sequence[Words] | Words, key: bytes) -> Words:
    n = len(message[0])
    found = np.empty(n, np.uint64)
    halves = np.frombuffer(key, "<u8").astype(np.uint64)
    start = [np.uint64(each) ^ half for each, half in zip(_START, (*halves, *halves), strict=True)]
    for at in range(0, n, _AT_ONCE):
        part = slice(at, at + _AT_ONCE)
        state = [np.full(min(_AT_ONCE, n - at), each) for each in start]
        state.append(np.empty_like(state[0]))
        for word in message:
            state[3] ^= word[part]
            _rounds(state, 2)
            state[0] ^= word[part]
        state[2] ^= np.uint64(0xFF)
        _rounds(state, 4)
        np.bitwise_xor(state[0], state[1], out=found[part])
        found[part] ^= state[2]
        found[part] ^= state[3]
    return found


def _rounds(state: list[Words], times: int) -> None:
    """Change the four words of the state in place; the fifth is room to work in."""
    v0, v1, v2, v3, room = state
    for _ in range(times):
        v0 += v1
        v2 += v3
        _turn(v1, 13, room)
        _turn(v3, 16, room)
        v1 ^= v0
        v3 ^= v2
        _turn(v0, 32, room)
        v2 += v1
        v0 += v3
        _turn(v1, 17, room)
        _turn(v3, 21, room)
        v1 ^= v2
        v3 ^= v0
        _turn(v2, 32, room)


def _turn(words: Words, bits: int, room: Words) -> None:
    np.left_shift(words, np.uint64(bits), out=room)
    words >>= np.uint64(64 - bits)
    words |= room
