"""Speed of the sanitiser, stage by stage, beside the papers' own group loop on the same data.

    python benchmarks/speed.py [--records 100000 500000 ...] [--values 50] [--gamma 5] [--loop-up-to 1000000]

The sensitive column is drawn from a power law over the values, capped so that gamma is eligible. "Papers' loop" is the
group creation of Anatomy that the journal adopts (section 6): while records are left, take one record from each of the
gamma largest buckets. It is written as well as NumPy allows: counts in an array, argpartition for the gamma largest,
records of each bucket contiguous and taken by a moving index. It only forms groups; the sanitiser's total holds
classes, draw and shuffle. Peak memory is that of a fresh process that holds the column and runs the sanitiser.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Kind, Table


def make_table(records: int, values: int, gamma: int) -> Table:
    """Return a table of one sensitive column."""
    rng = np.random.default_rng(1)
    share = 1 / np.arange(1, values + 1) ** 0.7
    for _ in range(50):
        share = np.minimum(share / share.sum(), 0.9 / gamma)
    codes = rng.choice(values, records, p=share / share.sum()).astype(np.int32)
    labels = np.array([f"value {i}" for i in range(values)], dtype=object)
    return Table((Column("s", Kind.CATEGORY, codes, labels, np.zeros(values, bool)),))


def papers_loop(codes: NDArray[np.int32], values: int, gamma: int) -> NDArray[np.int64]:
    """Return (groups, gamma) record numbers, the largest buckets first; the last N mod gamma records stay out."""
    counts = np.bincount(codes, minlength=values)
    records = np.argsort(codes, kind="stable")
    next_record = np.cumsum(counts) - counts
    groups = np.empty((len(codes) // gamma, gamma), np.int64)
    for group in groups:
        largest = np.argpartition(counts, -gamma)[-gamma:]
        group[:] = records[next_record[largest]]
        next_record[largest] += 1
        counts[largest] -= 1
    return groups


class Stopwatch:
    """A Progress that adds up the time between reports under the stage that was reported last."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._stage, self._since = "", time.perf_counter()

    def report(self, stage: str, done: float) -> None:
        """Book the time since the last report on its stage."""
        now = time.perf_counter()
        if self._stage:
            self.spent[self._stage] = self.spent.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage, now


def run_once(table: Table, gamma: int) -> dict[str, float]:
    """Return seconds per stage and under "total" for one run with the operating system's randomness."""
    plan = Plan({"s": Role.SA}, (Block(("s",), Lenders(gamma)),))
    watch = Stopwatch()
    start = time.perf_counter()
    sanitise.run(table, plan, progress=watch)
    total = time.perf_counter() - start
    watch.report("", 1.0)
    return {**watch.spent, "total": total}


def peak_memory(records: int, values: int, gamma: int) -> int:
    """Return the peak resident MB of a fresh process that makes the table and runs the sanitiser once."""
    child = [sys.executable, __file__, "--child", str(records), str(values), str(gamma)]
    return int(subprocess.run(child, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[100_000, 500_000, 1_000_000, 10_000_000])
    parser.add_argument("--values", type=int, default=50)
    parser.add_argument("--gamma", type=int, default=5)
    parser.add_argument("--loop-up-to", type=int, default=1_000_000)
    parser.add_argument("--child", type=int, nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        records, values, gamma = args.child
        run_once(make_table(records, values, gamma), gamma)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        return
    stages = ["Preparing", "Drawing", "Putting rows in random order", "total"]
    print(f"gamma {args.gamma}, {args.values} values; milliseconds, best of three runs")
    print(f"{'records':>10} " + " ".join(f"{s.split()[0]:>9}" for s in stages) + "  papers' loop   ratio   peak MB")
    for records in args.records:
        table = make_table(records, args.values, args.gamma)
        best = min((run_once(table, args.gamma) for _ in range(3)), key=lambda spent: spent["total"])
        line = f"{records:>10} " + " ".join(f"{1e3 * best.get(s, 0.0):>9.1f}" for s in stages)
        if records <= args.loop_up_to:
            start = time.perf_counter()
            papers_loop(table["s"].codes, args.values, args.gamma)
            loop = time.perf_counter() - start
            line += f"  {1e3 * loop:>12.1f} {best['total'] / loop:>7.3f}"
        else:
            line += f"  {'-':>12} {'-':>7}"
        print(line + f"  {peak_memory(records, args.values, args.gamma):>8}", flush=True)


if __name__ == "__main__":
    main()
