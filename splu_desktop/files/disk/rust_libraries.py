"""Libraries written in Rust: what they print past Python is kept back, and what they break off with becomes a fault."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

_QUIET = threading.Lock()
_NUMBER = re.compile(r"(?:os error|code:) (\d+)")  # the system's, in a text of Rust


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what Rust writes to the process's error output, as when a damaged file makes a library panic.

    It writes past Python, so the file descriptor itself is turned away; one thread at a time.
    """
    with _QUIET:
        try:
            saved = os.dup(2)
        except OSError:  # a windowed program may have no error output at all
            yield
            return
        try:
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
                yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


@contextlib.contextmanager
def guard_writing() -> Iterator[None]:
    """Raise what keeps a library from writing a file as the system's OSError, panics included."""
    try:
        with silence():
            yield
    except BaseException as fault:
        panic = type(fault).__name__ == "PanicException"  # a BaseException, not an Exception
        number = _NUMBER.search(str(fault)) if panic or isinstance(fault, OSError) else None
        if number is not None:
            raise OSError(int(number[1]), os.strerror(int(number[1]))) from None
        if panic:
            raise OSError(errno.EIO, os.strerror(errno.EIO)) from None
        raise
