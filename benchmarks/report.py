"""How long a report takes: figures, then each format, of both editions.

python benchmarks/report.py [RECORDS]   (default 100,000 records x 8 columns, 40 secret values)
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
import numpy as np
import pandas as pd

from splu_desktop.core.policy.proposal import propose
from splu_desktop.files.importer import read
from splu_desktop.files.publish.publishing import publish
from splu_desktop.files.register.book import Register
from splu_desktop.report.fields import Fields
from splu_desktop.report.make import ENDINGS, make_report, write_report


@contextmanager
def timed(what: str) -> Iterator[None]:
    wall, processor = time.perf_counter(), time.process_time()
    yield
    print(f"{what:<28}{time.perf_counter() - wall:8.2f} s   processor {time.process_time() - processor:7.2f} s")


def source(records: int, path: Path) -> None:
    rng = np.random.default_rng(2)
    columns = {f"c{i}": rng.integers(0, k, records) for i, k in enumerate([4, 2, 12, 7, 5, 30])}
    share = 1 / np.arange(1, 41) ** 0.8
    codes = rng.choice(40, records, p=share / share.sum())
    columns["age"] = rng.integers(0, 95, records)
    pd.DataFrame({**columns, "diagnosis": np.char.add("D", codes.astype(str))}).to_csv(path, index=False)


def run(records: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source(records, folder / "source.csv")
        table = read(folder / "source.csv").table
        found = propose(table)
        accepted = {line.name: "This is a benchmark" for line in found.verdict.open}
        register = Register(folder / "register")
        done = publish(table, found.plan, folder / "release", accepted=accepted, register=register)
        for edition, original in (("internal", table), ("external", None)):
            with timed(f"{edition}: figures"):
                report = make_report(done.opened, Fields(), entry=done.entry, source=original)
            for ending in ENDINGS:
                with timed(f"{edition}: {ending}"):
                    write_report(report, folder / f"{edition}{ending}")


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
