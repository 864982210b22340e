"""Publishing a file by command line, beside reading and writing the same file without sanitising.

    python -m benchmarks.publish [--records 1000000] [--gamma 10] [--rounds 3] [--distinct]

Both sides are fresh processes that start Python, import what they need, and turn one CSV of 12 columns into another:
`splu publish` with all that belongs to it (verdict, fingerprints, drawing, hashes, reading back, register), and reading
and writing the same exact texts with nothing in between by polars, DuckDB and pyarrow (those that are installed),
interleaved. On a busy machine the ratio of processor seconds says more than that of seconds. `--distinct`: five of the
columns have nearly as many values as records. Peak memory is each process's largest resident size.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

POLARS = """
import sys
import polars as pl
pl.scan_csv(sys.argv[1], infer_schema=False, empty_string_is_null=False).sink_csv(sys.argv[2])
"""
DUCKDB = """
import sys
import duckdb
source = f"read_csv('{sys.argv[1]}', all_varchar=true, nullstr='\\x01')"
duckdb.sql(f"copy (from {source}) to '{sys.argv[2]}' (header)")
"""
PYARROW = """
import csv
import sys
import pyarrow as pa
import pyarrow.csv as pc
names = next(csv.reader(open(sys.argv[1])))
texts = pc.ConvertOptions(column_types={name: pa.string() for name in names}, strings_can_be_null=False)
pc.write_csv(pc.read_csv(sys.argv[1], convert_options=texts), sys.argv[2], pc.WriteOptions(quoting_style="needed"))
"""
PEERS = {"polars": POLARS, "duckdb": DUCKDB, "pyarrow": PYARROW}
SIDES = {name: code for name, code in PEERS.items() if find_spec(name)}
OURS = {"splu publish": ["--engine", "memory"]}
if "duckdb" in SIDES and "pyarrow" in SIDES:
    OURS["splu, duckdb"] = ["--engine", "duckdb"]
SPLU = "import sys; from splu_desktop.cli import main; sys.exit(main())"


def make_csv(path: Path, records: int) -> None:
    """Write a table of 12 columns as hospitals have them, 200 diagnoses, none above 8 %."""
    rng = np.random.default_rng(1)
    share = 1 / np.arange(1, 201) ** 0.7
    for _ in range(20):
        share = np.minimum(share / share.sum(), 0.08)
    days = np.datetime64("2020-01-01") + rng.integers(0, 1500, records)
    pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], records),
            "age": rng.integers(0, 100, records),
            "postcode": np.char.zfill(rng.integers(0, 3000, records).astype(str), 5),
            "ward": rng.choice([f"Ward {i}" for i in range(40)], records),
            "admitted": days.astype(str),
            "stay": rng.poisson(5, records),
            "smoker": rng.choice(["yes", "no", "?"], records),
            "weight": rng.normal(75, 15, records).round(1),
            "height": rng.normal(170, 10, records).round().astype(int),
            "insurance": rng.choice(["public", "private", "none"], records),
            "charge": rng.integers(100, 50_000, records),
            "diagnosis": rng.choice([f"Diagnosis {i}" for i in range(200)], records, p=share / share.sum()),
        }
    ).to_csv(path, index=False)


def make_distinct_csv(path: Path, records: int) -> None:
    """Write a table of 12 columns of which five have nearly as many values as records: what costs per value shows."""
    rng = np.random.default_rng(1)
    moments = np.datetime64("2020-01-01T00:00:00") + rng.integers(0, 100_000_000, records).astype("timedelta64[s]")
    pd.DataFrame(
        {
            "record number": rng.permutation(records) + 10_000_000,
            "admitted at": moments.astype(str),
            "charge": (rng.random(records) * 1e7).round(2),
            "note": [f"seen by {a:05d}, bed {b}" for a, b in rng.integers(0, 99_999, (records, 2)).tolist()],
            "reading": rng.normal(0, 1, records).round(8),
            "sex": rng.choice(["F", "M"], records),
            "age": rng.integers(0, 100, records),
            "ward": rng.choice([f"Ward {i}" for i in range(40)], records),
            "stay": rng.poisson(5, records),
            "smoker": rng.choice(["yes", "no", "?"], records),
            "insurance": rng.choice(["public", "private", "none"], records),
            "diagnosis": rng.choice([f"Diagnosis {i}" for i in range(200)], records),
        }
    ).to_csv(path, index=False)


def timed(command: list[str], environment: dict[str, str]) -> tuple[float, float, int]:
    """Return wall-clock seconds, processor seconds and peak resident MB of a fresh process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("the run failed")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def plan_words(source: Path, gamma: int) -> list[str]:
    """Return the options of a plan by hand: the diagnosis drawn anew, all other columns as they are."""
    with source.open(encoding="utf-8") as file:
        others = file.readline().strip().split(",")[:-1]
    words = ["--sa", "diagnosis", "--nsa", ",".join(others), "--gamma", str(gamma), "--person", "none"]
    return [*words, "--accept-all", "a run of the benchmark"]


def main() -> None:
    """Print both sides, the ratio and the stages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--gamma", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--make", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.make:
        (make_distinct_csv if args.distinct else make_csv)(Path(args.make), args.records)
        return
    folder = Path(tempfile.mkdtemp(prefix="splu-bench-"))
    try:
        source = folder / "source.csv"
        # In a process of its own: a child's peak memory starts from its parent's.
        making = [sys.executable, "-m", "benchmarks.publish", "--make", str(source), "--records", str(args.records)]
        subprocess.run([*making, *(["--distinct"] if args.distinct else [])], check=True)
        size = source.stat().st_size / 1e6
        print(f"{args.records} records x 12 columns, {size:.0f} MB; best of {args.rounds} rounds")
        root = str(Path(__file__).parents[1])
        paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])  # peers may lie elsewhere
        environment = {**os.environ, "PYTHONPATH": paths, "SPLU_DATA_DIR": str(folder / "data")}
        # As in an installed program modules are compiled once, in the first round.
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        took: dict[str, list[tuple[float, float, int]]] = {name: [] for name in (*SIDES, *OURS)}
        for turn in range(args.rounds):
            for name, code in SIDES.items():
                command = [sys.executable, "-c", code, str(source), str(folder / "p.csv")]
                took[name].append(timed(command, environment))
            for name, words in OURS.items():
                environment["SPLU_DATA_DIR"] = str(folder / f"data{turn}{name}")
                command = [sys.executable, "-c", SPLU, "publish", str(source), *plan_words(source, args.gamma)]
                took[name].append(timed([*command, *words, "--out", str(folder / "release")], environment))
                shutil.rmtree(folder / "release")
        least = {name: [min(each[at] for each in runs) for at in range(3)] for name, runs in took.items()}
        print(f"{'':20}{'seconds':>9}{'processor':>11}{'peak MB':>9}   times the faster peer, by processor")
        fastest = min((least[name][1] for name in SIDES), default=float("nan"))
        for name, (seconds, processor, peak) in least.items():
            print(f"{name:20}{seconds:9.2f}{processor:11.2f}{peak:9}{processor / fastest:9.2f}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
