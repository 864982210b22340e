"""Digests of files, which need not fit into memory."""

from __future__ import annotations

import hashlib
from pathlib import Path

from splu_desktop.core.progress import SILENT, Progress


def file_sha256(path: Path, progress: Progress = SILENT) -> str:
    """Return the SHA-256 of a file as hexadecimal text. Raises OSError; Cancelled."""
    digest = hashlib.sha256()
    size, seen = max(path.stat().st_size, 1), 0
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            digest.update(block)
            seen += len(block)
            progress.report("Checking the file", min(1.0, seen / size))
    return digest.hexdigest()
