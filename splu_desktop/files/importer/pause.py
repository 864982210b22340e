"""Python's garbage collector held back while millions of short-lived cells pass by.

A full collection stops every thread, the window's too, for longer the larger the program is, and rows of cells would
set one off several times a second. Nothing the readers make refers to itself, so nothing needs collecting.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_LOCK = threading.Lock()
_readers = 0
_was_on = False


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector for the block; the last of several threads to leave puts it back as it was."""
    global _readers, _was_on
    with _LOCK:
        if not _readers:
            _was_on = gc.isenabled()
            gc.disable()
        _readers += 1
    try:
        yield
    finally:
        with _LOCK:
            _readers -= 1
            if not _readers and _was_on:
                gc.enable()
