"""Rows in random order, however many there are: laid on heaps at random, then each heap shuffled in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np
from Cryptodome.Cipher import AES
from numpy.typing import NDArray

from splu_desktop.core.mechanism import Randomness, below, permutation

Codes = NDArray[np.int32]
_IN_MEMORY = 1 << 21  # rows that are shuffled at once
_HEAPS = 100  # at most: each is an open file
_AT_ONCE = 1 << 16  # rows that are read


def shuffle(parts: Iterable[Codes], about: int, folder: Path, source: Randomness) -> Iterator[Codes]:
    """Give rows (N, k), a million or two at a time, in random order; the first of them once all parts were taken.

    Heaps are files without a name, which end with the process, hidden by AES-256 under a key that is in memory alone.

    about : how many rows there are. folder : what memory does not hold lies there. Raises OSError.

    Law: every order is as likely. Proof: a row's heap is independent of all else, so given their sizes every division
    into heaps is as likely; within each every order is. Test: tests/files/test_large.py.
    """
    if about <= _IN_MEMORY:
        whole = np.concatenate(list(parts))
        yield whole[permutation(source, len(whole))]
        return
    number, width, key = min(2 * about // _IN_MEMORY, _HEAPS), 0, source.bits(8).tobytes()
    with ExitStack() as opened:
        heaps = [opened.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in range(number)]
        ciphers = [_cipher(key, at) for at in range(number)]
        for rows in parts:
            own, width = below(source, number, len(rows)), rows.shape[1]
            ends = np.cumsum(np.bincount(own, minlength=number))
            for at, some in enumerate(np.split(rows[np.argsort(own, kind="stable")], ends[:-1])):
                heaps[at].write(ciphers[at].encrypt(some.tobytes()))
        for at, heap in enumerate(heaps):
            yield from shuffle(_read(heap, _cipher(key, at), width), heap.tell() // (4 * width), folder, source)


def _cipher(key: bytes, heap: int) -> Any:
    return AES.new(key, AES.MODE_CTR, nonce=heap.to_bytes(8, "big"))


def _read(heap: IO[bytes], cipher: Any, width: int) -> Iterator[Codes]:
    with heap:
        heap.seek(0)
        while block := heap.read(4 * width * _AT_ONCE):
            yield np.frombuffer(cipher.decrypt(block), np.int32).reshape(-1, width)
