"""How much memory work took, watched from beside it: tracing every allocation made the work three times as long."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

_STATM = Path("/proc/self/statm")
_EVERY = 0.005  # seconds


class Peak:
    """The most memory of the process since it began to be watched, in bytes beyond what it held then.

    grown : None where the system does not tell (other than Linux).
    """

    grown: int | None = None


@contextlib.contextmanager
def watched() -> Iterator[Peak]:
    """Watch the memory of this process, other threads' included."""
    peak, start, over = Peak(), _resident(), threading.Event()
    if start is None:
        yield peak
        return

    def look() -> None:
        now = _resident()
        if now is not None:
            peak.grown = max(peak.grown or 0, now - start)

    def keep_looking() -> None:
        while not over.wait(_EVERY):
            look()

    watcher = threading.Thread(target=keep_looking, name="memory")  # ended below, however the work ends
    watcher.start()
    try:
        yield peak
        look()
    finally:
        over.set()
        watcher.join()


def _resident() -> int | None:
    try:
        return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):
        return None
