"""SipHash-2-4 of many short texts at once (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.files.disk.in_blocks import encoded

Words = NDArray[np.uint64]


def siphash(texts: Sequence[str], key: bytes) -> Words:
    """Return (m,) 64-bit hashes of the texts' UTF-8 bytes under a key of 16 bytes."""
    raw = encoded(texts)
    length = np.fromiter(map(len, raw), np.int64, len(raw))
    found = np.empty(len(raw), np.uint64)
    words = length // 8 + 1  # the last one holds what is left over, and the length
    for count in np.unique(words).tolist():
        at = np.flatnonzero(words == count)
        some = raw if len(at) == len(raw) else [raw[i] for i in at.tolist()]
        message = np.array(some, f"S{8 * count}").view("<u8").reshape(-1, count).T.astype(np.uint64)
        message[-1] |= (length[at].astype(np.uint64) & np.uint64(0xFF)) << np.uint64(56)
        found[at] = _hashed(message, key)
    return found


def _hashed(message: Words, key: bytes) -> Words:
    first, second = np.frombuffer(key, "<u8").astype(np.uint64)
    start = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    state = [np.full(message.shape[1], np.uint64(s) ^ k) for s, k in zip(start, (first, second) * 2, strict=True)]
    for word in message:
        state[3] ^= word
        _rounds(state, 2)
        state[0] ^= word
    state[2] ^= np.uint64(0xFF)
    _rounds(state, 4)
    found: Words = state[0] ^ state[1] ^ state[2] ^ state[3]
    return found


def _rounds(state: list[Words], times: int) -> None:
    v0, v1, v2, v3 = state
    for _ in range(times):
        v0 += v1
        v2 += v3
        v1, v3 = _turned(v1, 13) ^ v0, _turned(v3, 16) ^ v2
        v0 = _turned(v0, 32)
        v2 += v1
        v0 += v3
        v1, v3 = _turned(v1, 17) ^ v2, _turned(v3, 21) ^ v0
        v2 = _turned(v2, 32)
    state[:] = v0, v1, v2, v3


def _turned(words: Words, bits: int) -> Words:
    turned: Words = (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))
    return turned
