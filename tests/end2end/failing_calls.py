"""Every call by which this program changes a disk, numbered, and the n-th of them failing once.

Python's own calls are replaced: those of `os`, and the write and the close of every file that `open` gives. What a
call would have changed is left as it is, but for `close`, which closes and then says that it failed, as network
drives do.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_CALLS = (
    "write", "fsync", "close", "ftruncate", "mkdir", "chmod", "fchmod", "link", "unlink", "remove", "rename", "replace",
    "rmdir",
)  # fmt: skip


class Calls:
    """Counts calls; the one with number `failing` raises OSError, of this thread or any other.

    Attributes
    ----------
    seen : names of the calls so far, in order.
    files : name of the file that each of them is about; "" where a call is given a handle.
    savers : modules of the program in which a file or folder was to appear under its name.
    """

    def __init__(self, failing: int | None = None) -> None:
        self.failing, self.seen, self.files, self.savers = failing, list[str](), list[str](), set[str]()
        self._lock = threading.Lock()

    def count(self, name: str, about: object = None) -> None:
        with self._lock:
            self.seen.append(name)
            self.files.append(Path(os.fsdecode(about)).name if isinstance(about, str | bytes | os.PathLike) else "")
            if name in ("rename", "replace"):
                self.savers |= {str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_stack(None)}
            fails = len(self.seen) - 1 == self.failing
        if fails:
            raise OSError(errno.EIO, "Input/output error")


@contextmanager
def failing(number: int | None) -> Iterator[Calls]:
    """Let the call with this number fail; None lets none fail."""
    calls = Calls(number)

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            if args and isinstance(args[0], int) and stat.S_ISFIFO(os.fstat(args[0]).st_mode):
                return real(*args, **more)  # a pipe to another process, on no disk
            if name == "close":
                real(*args, **more)
                calls.count(name)
                return None
            calls.count(name, args[0] if args else None)
            return real(*args, **more)

        return call

    class File(io.FileIO):
        def write(self, data: Any) -> int:
            calls.count("file.write", self.name)
            return super().write(data)

        def close(self) -> None:
            counts = not self.closed and self.writable()
            super().close()
            if counts:
                calls.count("file.close", self.name)

    real_open = io.open

    def opened(
        file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None, newline: Any = None,
        closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        if not set(mode) & set("wxa+") or buffering != -1:
            return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = File(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding, errors, newline)

    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            if hasattr(os, name):
                patch.setattr(os, name, wrapped(name, getattr(os, name)))
        patch.setattr(io, "open", opened)
        patch.setattr("builtins.open", opened)
        yield calls
