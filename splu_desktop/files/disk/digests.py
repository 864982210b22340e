"""Digests of files, which need not fit into memory."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO

import numpy as np

from splu_desktop.core.distinct import stir
from splu_desktop.core.progress import SILENT, Progress

_ODD_NUMBERS = stir(np.arange(1 << 13, dtype=np.uint64)) | np.uint64(1)


def file_sha256(path: Path, progress: Progress = SILENT) -> str:
    """Return the SHA-256 of a file as hexadecimal text. Raises OSError; Cancelled."""
    with path.open("rb") as file:
        return sha256_of(file, path.stat().st_size, progress)


def sha256_of(file: IO[bytes], size: int, progress: Progress) -> str:
    """Return the SHA-256 of an open file of about `size` bytes. Raises what reading it raises; Cancelled."""
    digest, seen = hashlib.sha256(), 0
    while block := file.read(1 << 18):  # what the processor holds: more would be asked of the system anew each time
        digest.update(block)
        seen += len(block)
        progress.report("Checking the file", min(1.0, seen / max(size, 1)))
    return digest.hexdigest()


class DigestedFile:
    """An open file that is written to, with the SHA-256 of what it was given: `digest`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.digest = file, hashlib.sha256()
        self._blocks: list[tuple[int, int]] = []  # length and sum of each

    def write(self, block: bytes | bytearray) -> int:
        """Write a block. Raises OSError."""
        self.digest.update(block)
        self._blocks.append((len(block), _sum_of(block)))
        return self._file.write(block)

    def reads_back(self, path: Path, progress: Progress) -> bool:
        """Say whether a file holds what was written, by a sum of each block: a tenth of the time of a digest.

        Raises OSError; Cancelled.
        """
        with path.open("rb") as file:
            for done, (length, checksum) in enumerate(self._blocks):
                progress.report("Checking the file", done / len(self._blocks))
                block = file.read(length)
                if len(block) != length or _sum_of(block) != checksum:
                    return False
            return not file.read(1)


def _sum_of(block: bytes | bytearray) -> int:
    """Return 64 bits by which a changed block is told, but for chances of 2^-60: words times numbers of their places.

    A word that changes changes the sum, since all of the numbers are odd; words that change places do, too.
    """
    words = np.frombuffer(block, np.uint64, len(block) // 8)
    total = int.from_bytes(block[8 * len(words) :], "little")
    for start in range(0, len(words), len(_ODD_NUMBERS)):
        some = words[start : start + len(_ODD_NUMBERS)]
        total = (total * 0x9E3779B97F4A7C15 + int(some @ _ODD_NUMBERS[: len(some)])) % 2**64
    return total
