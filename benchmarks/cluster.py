"""Publishing a folder of Parquet files on a Spark cluster that this computer pretends to be.

    python -m benchmarks.cluster [--records 5000000] [--master local-cluster[2,1,1024]] [--keep FOLDER]

Prints seconds, processor seconds of all processes (this program, Spark's and its Python workers), their largest
resident size together, and bytes in and out; then the release is read back and its counts are held against the law:
means and variances of both sensitive columns, and whether the order of the records has anything to do with the
source's. Needs pyspark, Java 17 and pyarrow.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats

PER_FILE = 500_000
SENSITIVE = {"diagnosis": (40, 5), "stage": (8, 4)}
SPLU = "import sys; from splu_desktop.cli import main; sys.exit(main())"
TICKS = os.sysconf("SC_CLK_TCK")


def generated(folder: Path, records: int) -> int:
    """Write a table of 12 columns; returns its bytes."""
    folder.mkdir(parents=True)
    for at, start in enumerate(range(0, records, PER_FILE)):
        n, rng = min(PER_FILE, records - start), np.random.default_rng(at)
        region = rng.integers(0, 16, n)
        table = {
            "number": pa.array(np.arange(start, start + n) // 25_000),
            "sex": pa.array(np.array(["f", "m", "x"])[rng.choice(3, n, p=[0.5, 0.49, 0.01])]),
            "age": pa.array(rng.integers(0, 100, n)),
            "region": pa.array(np.array([f"R{r:02d}" for r in range(16)])[region]),
            **{f"code{k}": pa.array(rng.integers(0, 10 ** (1 + k % 3), n).astype(str)) for k in range(6)},
        }
        for name, (m, _) in SENSITIVE.items():
            table[name] = pa.array(np.array([f"V{v:02d}" for v in range(m)])[(rng.integers(0, m, n) + region) % m])
        pq.write_table(pa.table(table), folder / f"part-{at:05d}.parquet", row_group_size=PER_FILE // 2)
    return size(folder)


def size(folder: Path) -> int:
    """Return the bytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.iterdir())


class Watched:
    """Processor seconds and memory of all processes that have a mark in their environment."""

    def __init__(self, mark: str) -> None:
        self._mark, self.seconds, self.memory = mark.encode(), {}, 0

    def look(self) -> None:
        """Look once."""
        held = 0
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal():
                continue
            try:
                if self._mark not in (entry / "environ").read_bytes():
                    continue
                words = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            self.seconds[entry.name] = (int(words[11]) + int(words[12])) / TICKS
            held += int(words[21]) * os.sysconf("SC_PAGE_SIZE")
        self.memory = max(self.memory, held)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=5_000_000)
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--part-records", type=int, default=500_000)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        base = args.keep or Path(temporary)
        source, out = base / "source", base / "out"
        told = size(source) if source.is_dir() else generated(source, args.records)
        unchanged = ["number", "sex", "age", "region", *(f"code{k}" for k in range(6))]
        options = [word for name, (_, gamma) in SENSITIVE.items() for word in ("--sa", f"{name}:{gamma}")]
        options += ["--nsa", ",".join(unchanged), "--out", str(out), "--json", "--part-records", str(args.part_records)]
        mark = f"SPLU_BENCHMARK={os.getpid()}"
        own = {"SPLU_DATA_DIR": str(base / "data"), "SPLU_BENCHMARK": str(os.getpid()), "SPARK_LOCAL_IP": "127.0.0.1"}
        command = [sys.executable, "-c", SPLU, "publish", str(source), "--engine", "spark", "--master", args.master]
        watched, start = Watched(mark), time.perf_counter()
        run = subprocess.Popen([*command, *options], env={**os.environ, **own}, stdout=subprocess.PIPE, text=True)
        while run.poll() is None:
            watched.look()
            time.sleep(0.2)
        print(f"{args.records} records, {told / 1e6:.0f} MB in, {args.master}")
        print(f"{time.perf_counter() - start:.0f} s, {sum(watched.seconds.values()):.0f} s of processors, ", end="")
        print(f"{watched.memory / 1e9:.2f} GB of memory in all processes")
        assert run.stdout is not None
        if run.returncode:
            sys.exit(run.returncode)
        checks = json.loads(run.stdout.read())["checks"]
        print(f"{size(out) / 1e6:.0f} MB out; checks: {', '.join(check['name'] for check in checks)}")
        laws(source, out)


def laws(source: Path, out: Path) -> None:
    """Print how far the release's counts, and its order, are from the law's."""
    true = pq.read_table(source)
    shown = pq.read_table(sorted(out.glob("*.parquet")))
    for name, (_, gamma) in SENSITIVE.items():
        before, after = counts(true[name]), counts(shown[name])
        z = np.array([(after[v] - before[v]) / np.sqrt(before[v] * (1 - 1 / gamma)) for v in before])
        print(f"{name}: mean z {z.mean():+.2f}, chi-square p {stats.chi2.sf((z * z).sum(), len(z)):.3f}")
    at = shown["number"].to_numpy()
    parts = np.repeat(
        np.arange(len(list(out.glob("*.parquet")))),
        [pq.read_metadata(p).num_rows for p in sorted(out.glob("*.parquet"))],
    )
    table = np.zeros((parts.max() + 1, at.max() + 1))
    np.add.at(table, (parts, at), 1)
    print(f"order: part and place in the source independent, p {stats.chi2_contingency(table).pvalue:.3f}; ", end="")
    ranks = [stats.spearmanr(np.arange((parts == p).sum()), at[parts == p]).pvalue for p in range(parts.max() + 1)]
    print(f"places within parts, least p of {len(ranks)} {min(ranks):.3f}")


def counts(column: pa.ChunkedArray) -> dict[str, int]:
    """Return how many records have each value."""
    return {each["values"]: each["counts"] for each in column.value_counts().to_pylist()}


if __name__ == "__main__":
    main()
