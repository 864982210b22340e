"""One piece of work beside another: the second core does what does not depend on the first's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from splu_desktop.core.progress import Progress, WatchedProgress

T = TypeVar("T")


@contextmanager
def in_background(
    work: Callable[[Progress], T], progress: Progress, stage: str = "Checking the release"
) -> Iterator[Callable[[], T]]:
    """Start `work` in a thread and give a function that waits for its result, or raises its fault.

    The work's own progress is not shown; it stops at its next report when the block is left early. The thread has
    ended when the block ends.

    Parameters
    ----------
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
