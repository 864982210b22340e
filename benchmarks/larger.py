"""Publishing tables larger than the memory they may take: time, memory, and what a stopped run leaves.

    python -m benchmarks.larger [--records 10000000] [--memory 1G] [--format parquet] [--unbounded] [--folder DIR]

Writes a CSV of 12 columns as hospitals have them to DIR (default: the folder for temporary files; 70 bytes a record,
and 200 more while it is published) and publishes it by command line in a fresh process: within the memory given and,
with `--unbounded`, as ever; of each release a count is asked three times, in fresh processes. Then a further run is
stopped (SIGTERM) while it writes its table. Peak memory is looked at every 50 ms: what the process has for itself, and
that with what it has mapped of files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SPLU = "import sys; from splu_desktop.cli import main; sys.exit(main())"
UNCHANGED = "--nsa=admitted,smoker,weight,height,charge"
_AT_ONCE = 500_000


def make_csv(path: Path, records: int) -> None:
    """Write the table of `benchmarks.publish`, piece by piece."""
    rng = np.random.default_rng(1)
    share = 1 / np.arange(1, 201) ** 0.7
    for _ in range(20):
        share = np.minimum(share / share.sum(), 0.08)
    days = (np.datetime64("2020-01-01") + np.arange(1500)).astype(str)
    with path.open("w") as file:
        file.write("sex,age,postcode,ward,admitted,stay,smoker,weight,height,insurance,charge,diagnosis\n")
        for done in range(0, records, _AT_ONCE):
            n = min(_AT_ONCE, records - done)
            columns = (
                rng.choice(["F", "M"], n),
                rng.integers(0, 100, n),
                np.char.zfill(np.arange(3000).astype(str), 5)[rng.integers(0, 3000, n)],
                np.array([f"Ward {i}" for i in range(40)])[rng.integers(0, 40, n)],
                days[rng.integers(0, 1500, n)],
                rng.poisson(5, n),
                rng.choice(["yes", "no", "?"], n),
                rng.normal(75, 15, n).round(1),
                rng.normal(170, 10, n).round().astype(int),
                rng.choice(["public", "private", "none"], n),
                rng.integers(100, 50_000, n),
                np.array([f"Diagnosis {i}" for i in range(200)])[rng.choice(200, n, p=share / share.sum())],
            )
            lines = zip(*(column.tolist() for column in columns), strict=True)
            file.write("".join(",".join(map(str, line)) + "\n" for line in lines))


def resident(process: int) -> tuple[int, int]:
    """Return MB that a process has for itself, and that with what is mapped of files."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0, 0
    found = {line.split(":")[0]: int(line.split()[1]) >> 10 for line in lines if line.startswith("Rss")}
    return found.get("RssAnon", 0), sum(found.values())


def published(source: Path, folder: Path, options: list[str], *, kill: bool = False) -> str:
    """Publish once; returns what it took, or what is left where it is killed while it writes its table."""
    environment = {**os.environ, "SPLU_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", SPLU, "publish", str(source), "--sa", "diagnosis:5", UNCHANGED, *options]
    start, own, whole = time.perf_counter(), 0, 0
    process = subprocess.Popen([*command, "--out", str(folder / "release")], env=environment, stdout=subprocess.DEVNULL)
    ended = status = 0
    while not ended:
        now = resident(process.pid)
        own, whole = max(own, now[0]), max(whole, now[1])
        if kill and any(folder.glob(".splu-partial-*/*/table.csv")):
            process.send_signal(signal.SIGTERM)
            kill = False
        time.sleep(0.05)
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
    left = sorted(path.name for path in folder.iterdir() if path.name not in ("data", source.name))
    processor = used.ru_utime + used.ru_stime
    return (
        f"{time.perf_counter() - start:7.0f} s  processor {processor:6.1f} s  peak {own:6} MB of its own, {whole:6} MB "
        f"with what is mapped  ended with {os.waitstatus_to_exitcode(status)}, left {left}"
    )


def counted(folder: Path) -> str:
    """Ask a release for a count by command line, again and again; returns what each time took."""
    environment = {**os.environ, "SPLU_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(Path(__file__).parents[1])}
    question = ["sex=F", "ward=Ward 3", "diagnosis=Diagnosis 3"]
    found = []
    for _ in range(3):
        start = time.perf_counter()
        command = [sys.executable, "-c", SPLU, "query", str(folder / "release"), *question]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit("the question failed")
        found.append(f"{time.perf_counter() - start:.2f} s (processor {used.ru_utime + used.ru_stime:.2f} s)")
    return ", ".join(found)


def main() -> None:
    """Print what each run took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--format", default="csv", help="besides CSV, which is always written")
    parser.add_argument("--unbounded", action="store_true")
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="splu-bench-", dir=args.folder) as named:
        folder = Path(named)
        source = folder / "source.csv"
        make_csv(source, args.records)
        print(f"{args.records} records x 12 columns, {source.stat().st_size >> 20} MB", flush=True)
        form = ["--format", args.format]
        runs: dict[str, list[str]] = {f"--memory {args.memory}": ["--memory", args.memory, *form]}
        if args.unbounded:
            runs["unbounded"] = form
        for name, options in runs.items():
            print(f"{name:14}", published(source, folder, options), flush=True)
            print(f"{'a count':14}", counted(folder), flush=True)
            shutil.rmtree(folder / "release")
            shutil.rmtree(folder / "data")
        print(f"{'stopped':14}", published(source, folder, ["--memory", args.memory, *form], kill=True))


if __name__ == "__main__":
    main()
