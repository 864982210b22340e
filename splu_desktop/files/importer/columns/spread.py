"""The columns of a table worked on side by side, and stopped soon when the user cancels."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from splu_desktop.core.progress import Progress, Watched

T = TypeVar("T")
_WORTH_THREADS = 50_000  # records from which columns are worked on side by side
_TASKS = 256
_LOOK = 0.05  # seconds between two looks whether to stop


def workers(records: int) -> int:
    """Return how many threads to spread the columns of a table over; NumPy leaves the interpreter free meanwhile."""
    return min(4, os.cpu_count() or 1) if records >= _WORTH_THREADS else 1


@contextmanager
def pool(count: int) -> Iterator[tuple[ThreadPoolExecutor, Progress]]:
    """Give `count` threads, and a Progress that stops their work when the block is left early."""
    stopped = threading.Event()
    own = Watched(lambda stage, done: None, stopped.is_set)
    with ThreadPoolExecutor(count, "splu-import") as threads:
        try:
            yield threads, own
        except BaseException:
            stopped.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def spread(
    work: Callable[[int, Progress], T],
    count: int,
    records: int,
    progress: Progress,
    stage: str,
    *,
    load: Callable[[int], float] = float,
) -> list[T]:
    """Do `work` for each of `count` columns, side by side in a large table; results are in the columns' order.

    Parameters
    ----------
    work : takes a column's place and a Progress that it reports to every 50 ms or so, which may raise Cancelled.
    records : of the table.
    progress, stage : told how far it is; may raise Cancelled.
    load : how much work a column makes, by its place; most first, lest one is left at the end.
    """
    places = sorted(range(count), key=load, reverse=True)
    size = -(-count // _TASKS)  # waiting for 16,000 tasks would take longer than most of them
    bunches = [places[start : start + size] for start in range(0, count, max(size, 1))]
    with pool(workers(records)) as (threads, own):
        begun = [threads.submit(lambda bunch: [work(i, own) for i in bunch], bunch) for bunch in bunches]
        left = set(begun)
        while left:
            done, left = wait(left, timeout=_LOOK, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
            progress.report(stage, 1.0 - len(left) / len(begun))
        found = dict(zip(places, (result for future in begun for result in future.result()), strict=True))
        return [found[i] for i in range(count)]
