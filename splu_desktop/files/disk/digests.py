"""Digests of files, which need not fit into memory."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO

from splu_desktop.core.progress import SILENT, Progress


def file_sha256(path: Path, progress: Progress = SILENT) -> str:
    """Return the SHA-256 of a file as hexadecimal text. Raises OSError; Cancelled."""
    with path.open("rb") as file:
        return sha256_of(file, path.stat().st_size, progress)


def sha256_of(file: IO[bytes], size: int, progress: Progress) -> str:
    """Return the SHA-256 of an open file of about `size` bytes. Raises what reading it raises; Cancelled."""
    digest, seen = hashlib.sha256(), 0
    while block := file.read(1 << 22):
        digest.update(block)
        seen += len(block)
        progress.report("Checking the file", min(1.0, seen / max(size, 1)))
    return digest.hexdigest()


class DigestedFile:
    """An open file that is written to, with the SHA-256 of what it was given: `digest`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.digest = file, hashlib.sha256()

    def write(self, block: bytes | bytearray) -> int:
        """Write a block. Raises OSError."""
        self.digest.update(block)
        return self._file.write(block)
