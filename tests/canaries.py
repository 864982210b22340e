"""Texts that nothing else says, and where they are found again: in any file of a folder, its name included."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path


def told(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield each file of a folder with all that it tells: its path there, its bytes, and what a ZIP holds unpacked."""
    for path in sorted(folder.rglob("*")):
        raw = path.read_bytes() if path.is_file() else b""
        if raw[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                raw = b"\n".join(
                    [raw, *(archive.read(entry) for entry in archive.infolist() if not entry.flag_bits & 1)]
                )
        yield path, bytes(path.relative_to(folder)) + b"\n" + raw


def kinds_in(content: bytes, canaries: Mapping[str, Iterable[str | bytes]]) -> set[str]:
    """Return the kinds of canaries of which one stands in bytes, as UTF-8 or UTF-16."""

    def forms(one: str | bytes) -> Iterator[bytes]:
        yield from [one] if isinstance(one, bytes) else (one.encode(), one.encode("utf-16-le"))

    return {kind for kind, some in canaries.items() if any(form in content for one in some for form in forms(one))}
