"""How long the report of a large release takes: figures, then each format; internal edition too.

python benchmarks/report.py [RECORDS]   (default 1,000,000 records x 12 columns, 300 sensitive values, gamma 7)
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
import numpy as np
import pandas as pd

from splu_desktop.cli import main
from splu_desktop.files.importer import read
from splu_desktop.files.release.folder import read_release
from splu_desktop.report.make import ENDINGS, make_report, write_report
from splu_desktop.report.original import Background
from splu_desktop.report.verify import verify_report


@contextmanager
def timed(what: str) -> Iterator[None]:
    wall, processor = time.perf_counter(), time.process_time()
    yield
    print(f"{what:<34}{time.perf_counter() - wall:8.2f} s   processor {time.process_time() - processor:7.2f} s")


def source(records: int, path: Path) -> None:
    rng = np.random.default_rng(2)
    columns = {f"c{i}": rng.integers(0, k, records) for i, k in enumerate([90, 2, 40, 12, 7, 5, 30, 100, 3, 15, 8])}
    share = np.minimum(1 / np.arange(1, 301) ** 0.8 / (1 / np.arange(1, 301) ** 0.8).sum(), 0.1)
    codes = rng.choice(300, records, p=share / share.sum())
    columns["c2"] = (codes + rng.integers(0, 5, records)) % 40
    pd.DataFrame({**columns, "diagnosis": np.char.add("D", codes.astype(str))}).to_csv(path, index=False)


def run(records: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["SPLU_DATA_DIR"] = str(folder / "data")
        source(records, folder / "source.csv")
        nsas = ",".join(f"c{i}" for i in range(11))
        words = ["--sa", "diagnosis:7", "--nsa", nsas, "--out", str(folder / "release")]
        assert main(["publish", str(folder / "source.csv"), *words]) == 0
        with timed("read the release"):
            opened = read_release(folder / "release")
        with timed("external: all figures"):
            external = make_report(opened)
        with timed("read the source"):
            imported = read(folder / "source.csv")
        with timed("internal: all figures"):
            internal = make_report(opened, None, Background(imported))
        for edition, report in (("external", external), ("internal", internal)):
            for ending in ENDINGS:
                with timed(f"{edition}: write {ending}"):
                    write_report(report, folder / f"{edition}{ending}")
        with timed("verify"):
            assert not verify_report(folder / "internal.json", folder / "release").differences
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
