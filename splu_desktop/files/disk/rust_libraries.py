"""Libraries written in Rust: what they print past Python is kept back, what they break off with becomes a fault."""

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
def guard_writing() -> Iterator[None]:
    """Raise what keeps a library from writing a file as the system's OSError, panics included.

    What it says of a panic it writes past Python, so the error output itself is turned away; one thread at a time.
    """
    with _QUIET, contextlib.ExitStack() as after:
        with contextlib.suppress(OSError):  # a windowed program may have no error output at all
            saved = os.dup(2)
            after.callback(os.close, saved)
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
            after.callback(os.dup2, saved, 2)
        try:
            yield
        except BaseException as fault:
            panic = type(fault).__name__ == "PanicException"  # a BaseException, not an Exception
            number = _NUMBER.search(str(fault)) if panic or isinstance(fault, OSError) else None
            if number is not None:
                raise OSError(int(number[1]), os.strerror(int(number[1]))) from None
            if panic:
                raise OSError(errno.EIO, os.strerror(errno.EIO)) from None
            raise
