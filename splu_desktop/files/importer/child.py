"""The reader's side: a process that reads one file, within its limits, and ends.

Only what a reader needs is imported, and late: the window waits meanwhile.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import IO, Any, NoReturn

from splu_desktop.core.errors import SpluError
from splu_desktop.core.progress import Progress
from splu_desktop.files.isolation import limits, wire
from splu_desktop.files.isolation.faults import TooLarge
from splu_desktop.files.isolation.wire import Plain

_OFTEN = 0.03  # seconds between two reports of the same stage
_LOOK = 0.5  # seconds between two looks whether the parent is there


class _Told:
    """A Progress that tells the parent; it never raises Cancelled, since the parent ends the process instead."""

    def __init__(self, channel: int) -> None:
        self._channel, self._stage, self._next = channel, "", 0.0

    def report(self, stage: str, done: float) -> None:
        """Tell of a new stage at once, of progress in it now and then."""
        now = time.monotonic()
        if not stage or (stage == self._stage and now < self._next):
            return
        self._stage, self._next = stage, now + _OFTEN
        os.write(self._channel, json.dumps([stage, done]).encode() + b"\n")


def main() -> NoReturn:
    """Read the request on standard input, write the answer on standard output, and end the process.

    It ends at once, whatever happens, without taking down, cell by cell, what was read, and no thread is waited for.
    """
    try:
        _serve()
    finally:
        os._exit(0)  # that there is no answer tells enough


def _serve() -> None:
    channel = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what libraries print there is no progress
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    request = wire.read(memoryview(os.fdopen(0, "rb").read()))
    limits.limit_self(request["memory"], request["seconds"])
    threading.Thread(target=_watch, args=(os.getppid(),)).start()
    gc.disable()  # what a reader makes does not refer to itself
    with os.fdopen(1, "wb") as file:
        answer(request, _Told(channel), file)


def answer(request: dict[str, Any], progress: Progress, file: IO[bytes]) -> None:
    """Write into a file what comes of a request: what was found, or the sentence on why nothing was."""
    path = Path(request["path"])
    try:
        wire.write({"found": _do(request["work"], path, progress, request)}, file)
    except SpluError as fault:
        wire.write({"fault": type(fault).__name__, "says": fault.args[0], "facts": vars(fault)}, file)
    except MemoryError:
        gc.collect()
        file.seek(0)
        wire.write({"fault": "TooLarge", "says": TooLarge(path).args[0]}, file)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


def _do(work: str, path: Path, progress: Progress, request: dict[str, Any]) -> Plain:
    """Do one piece of work; its reader alone is imported, so that the process is there in a moment."""
    given = request["given"]
    match work:
        case "workbook":
            from splu_desktop.files.importer.workbook import opened_workbook  # brings calamine

            return opened_workbook.choose(path, progress, **given)
        case "statistical":
            from splu_desktop.files.importer import statistical_file  # brings pyreadstat

            return statistical_file.columns(path, progress, **given)
        case _:
            from splu_desktop.files.importer import parquet_file  # whose library is optional

            return parquet_file.columns(path, progress, **given)


if __name__ == "__main__":
    main()
