"""One piece of work beside another: the second core does what does not depend on the first's."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from splu_desktop.core.progress import Progress, WatchedProgress

T = TypeVar("T")
_AT_ONCE = 1 << 22  # bytes: between two blocks a thread waits until the one that loads lets go of the interpreter
_begun: dict[tuple[Path, int], tuple[threading.Thread, list[str]]] = {}  # by file and when it was changed


@contextmanager
def in_background(
    work: Callable[[Progress], T], progress: Progress, stage: str = "Checking the release"
) -> Iterator[Callable[[], T]]:
    """Start `work` in a thread and give a function that waits for its result, or raises its fault.

    The work's own progress is not shown; it stops at its next report when the block is left early. The thread has
    ended when the block ends.

    work : takes a Progress.
    progress : asked again and again while the result is waited for, so that cancelling works then, too.
    stage : what is said to go on meanwhile.
    """
    stopped = threading.Event()
    watch = WatchedProgress(lambda stage, done: None, stopped.is_set)
    with ThreadPoolExecutor(1, thread_name_prefix="splu") as pool:
        future = pool.submit(work, watch)

        def result() -> T:
            while not wait([future], timeout=0.05).done:
                progress.report(stage, 0.9)
            return future.result()

        try:
            yield result
        finally:
            stopped.set()


def begin_digest(*parts: str) -> None:
    """Work out a file's SHA-256 for `digest_begun` while the libraries are loaded that read it: both take as long."""

    def work() -> None:
        digest = hashlib.sha256()
        with suppress(OSError), path.open("rb", buffering=0) as file:
            while threading.main_thread().is_alive() and (block := file.read(_AT_ONCE)):  # a program that ends waits
                digest.update(block)
            done.append(digest.hexdigest())

    path, done = Path(*parts), list[str]()
    with suppress(OSError):  # as of a name too long for the system: who reads the file says so
        if path.is_file():
            thread = threading.Thread(target=work)
            _begun[path, path.stat().st_mtime_ns] = thread, done
            thread.start()


def digest_begun(path: Path, progress: Progress) -> str:
    """Return the digest that was begun of a file, unchanged since; "" where none was. Raises OSError; Cancelled."""
    thread, done = _begun.pop((path, path.stat().st_mtime_ns), (None, []))
    while thread is not None and thread.is_alive():
        progress.report("Checking the file", 0.5)
        thread.join(0.05)
    return "".join(done)
