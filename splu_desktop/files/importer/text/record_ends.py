"""Records ended by ASCII's own character for that, 0x1E, where other files end lines."""

from __future__ import annotations

import io
from typing import IO

_END = b"\x1e"


def of_ascii(head: bytes) -> bool:
    """Whether a file ends its records by 0x1E and has no line ends; `head` is its first part."""
    return _END in head and not any(mark in head for mark in (b"\n", b"\r", b"\x00"))


def as_lines(file: IO[bytes]) -> IO[bytes]:
    """Return a file whose records end as lines do."""
    return io.BufferedReader(_Lines(file), 1 << 20)


class _Lines(io.RawIOBase):
    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        part = self._file.read(len(buffer)).replace(_END, b"\n")
        buffer[: len(part)] = part
        return len(part)
