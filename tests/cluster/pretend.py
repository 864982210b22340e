"""What of Spark the cluster's work uses, in this very process: so that it is tested where there is no Java.

Everything goes through pickle, as it does from machine to machine.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from splu_desktop.cluster.machines import Cluster

Work = Callable[[int, Iterable[Any]], Iterator[Any]]


class Parts:
    """A collection in parts, made when it is asked for, once for each asking, but for what was sent: that is kept."""

    def __init__(self, made: Callable[[], list[list[Any]]]) -> None:
        self._made = made

    def mapPartitionsWithIndex(self, work: Work) -> Parts:
        """Return what `work` makes of each part."""
        return Parts(lambda: [list(work(at, iter(part))) for at, part in enumerate(self._made())])

    def partitionBy(self, number: int, receiver: Callable[[int], int]) -> Parts:
        """Return the parts that receive what was sent; that was written down, as Spark does."""
        kept: list[list[list[Any]]] = []

        def made() -> list[list[Any]]:
            if not kept:
                found: list[list[Any]] = [[] for _ in range(number)]
                for part in self._made():
                    for each in part:
                        found[receiver(each[0])].append(each)
                kept.append(found)
            return pickle.loads(pickle.dumps(kept[0]))

        return Parts(made)

    def collect(self) -> list[Any]:
        """Return what all parts hold. Raises RuntimeError with all that is known of a fault, as Spark does."""
        try:
            return [each for part in self._made() for each in part]
        except Exception as fault:
            raise RuntimeError("".join(traceback.format_exception(fault))) from None


class Context:
    """Stands for Spark's own."""

    def parallelize(self, items: list[Any], number: int) -> Parts:
        """Return as many parts as items."""
        assert number == len(items)
        return Parts(lambda: [[item] for item in pickle.loads(pickle.dumps(items))])


def pretended() -> Cluster:
    """Return a cluster of this process alone."""
    return Cluster(Context())
