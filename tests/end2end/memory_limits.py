"""Runs imports and publishes under twenty limits of memory, from too little to enough.

    python -m tests.end2end.memory_limits [FORMAT ...] ["publish csv" ...]

Each ends with its own status, 0 or 2, never by a signal, and with one sentence where it was refused; a publish leaves a
whole, registered release or nothing. Linux only.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.register.book import Register
from tests.hostile.files import FORMATS

LIMITS = tuple(int(mb) << 20 for mb in np.geomspace(80, 3000, 20))
"""Bytes of address space: the least lets the interpreter itself begin."""
PUBLISHES = {
    "publish csv": ("csv", ()),
    "publish xlsx": ("xlsx", ("--xlsx",)),
    "publish parquet": ("parquet", ("--parquet",)),
    "publish zip": ("csv", ("--xlsx", "--zip", "--password-file")),
    "publish in blocks": ("csv", ("--memory", "600M")),
    "publish parquet in blocks": ("parquet", ("--memory", "600M", "--parquet")),
}
"""Format of the source, and what is said besides."""
_LARGE, _BLOCK = 2_000_000, 1 << 18  # records of what is published in blocks, and of a block
RUNS = (*(form for form in FORMATS if form == "release" or form in list(FORMATS)[:10]), *PUBLISHES)
_MAIN = "import sys; from splu_desktop.cli import main; sys.exit(main())"
# With blocks of fewer records, so that the table need not be as large; each that is drawn is written down. Once the
# program has begun, which asks for room itself before it loads anything.
_IN_BLOCKS = f"""
import sys
import splu_desktop.cli
program = sys.modules["splu_desktop.cli.main"]
first = program._module
def module(name):
    found = first(name)
    from splu_desktop.core.groups import blocks
    blocks.RECORDS, members = {_BLOCK}, blocks.members
    def written_down(*given, **more):
        for at in members(*given, **more):
            with open({{reached!r}}, "a") as file:
                file.write("x")
            yield at
    blocks.members = written_down
    return found
program._module = module
"""
_ROWS = 400_000


def source(run: str, folder: Path) -> Path:
    """Write a sound file for a run; the text has so many distinct values that memory runs out in its middle."""
    form, _ = PUBLISHES.get(run, (run, ()))
    name, sound, _, _ = FORMATS[form]
    path = folder / name
    os.environ["SPLU_DATA_DIR"] = str(folder / "data")
    if form == "csv":
        rows, alike = (_LARGE, 8) if run == "publish in blocks" else (_ROWS, 1)
        body = (f"x{k // alike:09d},{k * 7919 % 99991},{'ABCD'[k * 31 % 4]}\n" for k in range(rows))
        path.write_text("a,b,ward\n" + "".join(body), encoding="ascii")
    elif run == "publish parquet in blocks":
        import pyarrow as pa
        import pyarrow.parquet as pq

        k = np.arange(_LARGE)
        pq.write_table(
            pa.table({"a": k // 2, "b": k * 7919 % 99_991, "ward": np.array(list("ABCD"))[k * 31 % 4]}), path
        )
    else:
        path.write_bytes(sound())
    return path


def one_run(path: Path, run: str, limit: int) -> tuple[int, str, str]:
    """Return the status and what was said of an import (a release: a check) or a publish under a limit."""
    words = ["verify" if run == "release" else "inspect", str(path)]
    if run in PUBLISHES:
        _, more = PUBLISHES[run]
        words = ["publish", str(path), "--sa", "ward:3", "--out", str(_target(path, run)), *more]
        if "--password-file" in more:
            (path.parent / "password").write_text("Seven old pears, not ripe\n", encoding="utf-8")
            words.append(str(path.parent / "password"))
    _reached(path).unlink(missing_ok=True)
    first = _IN_BLOCKS.format(reached=str(_reached(path))) if "--memory" in words else ""
    done = subprocess.run(
        [sys.executable, "-c", first + _MAIN, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    return done.returncode, done.stdout, done.stderr


def _target(path: Path, run: str) -> Path:
    return path.parent / ("r.zip" if "--zip" in PUBLISHES[run][1] else "r")


def _reached(path: Path) -> Path:
    return path.with_name("blocks")


def fault_of(path: Path, run: str, status: int, out: str, said: str) -> str | None:
    """Return what is wrong with an ending, None where nothing is. A release that was made is removed."""
    if status not in (0, 2):
        return f"status {status}: {said[-200:]}"
    lines = said.strip().splitlines()
    if (
        status == 2 and not (lines and lines[-1].startswith("splu: ") and lines[-1].endswith("."))
    ) or "Traceback" in said:
        return f"no sentence: {said[-200:]}"
    if run in PUBLISHES:
        return _fault_of_publish(path, run, status, out)
    return None


def _fault_of_publish(path: Path, run: str, status: int, out: str) -> str | None:
    target, register = _target(path, run), Register()
    drawn = _reached(path).stat().st_size if _reached(path).exists() else 0
    if status == 0 and "in blocks" in run and drawn != -(-_LARGE // _BLOCK):
        return f"{drawn} blocks were drawn"
    left = [found.name for found in path.parent.iterdir() if found.name.startswith(MARK)]
    reading = register.read()
    there = target.exists()
    if left or reading.faults or there != (status == 0) or there != ("Published" in out):
        return f"status {status}, release {there}, {out[:40]}, left {left}, register {reading.faults}"
    if there:
        target.rename(target.with_name(f"{len(reading.releases)}-{target.name}"))
    made = sum(found.name.endswith(f"-{target.name}") for found in path.parent.iterdir())
    return None if made == len(reading.releases) else f"{made} releases, {len(reading.releases)} registered"


def main(runs: Sequence[str]) -> int:
    """Run all. Returns the exit status."""
    bad = 0
    for run in runs or RUNS:
        statuses, faults = "", []
        with tempfile.TemporaryDirectory() as folder:
            path = source(run, Path(folder))
            for limit in LIMITS:
                status, out, said = one_run(path, run, limit)
                statuses += str(status) if 0 <= status < 10 else "!"
                if fault := fault_of(path, run, status, out, said):
                    faults.append(f"  {limit >> 20} MB: {fault}\n")
        bad += len(faults) + ("0" not in statuses)
        sys.stdout.write(f"{run}: {statuses}\n{''.join(faults)}")
        sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
