"""Runs imports under twenty limits of memory, from too little to enough: `python -m tests.end2end.memory_limits`.

Each ends with its own status, 0 or 2, never by a signal, and with one sentence where it was refused. Linux only.
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

from tests.hostile.files import FORMATS

LIMITS = tuple(int(mb) << 20 for mb in np.geomspace(80, 3000, 20))
"""Bytes of address space: the least lets the interpreter itself begin."""
_MAIN = "import sys; from splu_desktop.cli import main; sys.exit(main())"


def source(form: str, folder: Path) -> Path:
    """Write a sound file of a format; the text has so many distinct values that memory runs out in its middle."""
    name, sound, _, _ = FORMATS[form]
    path = folder / name
    if form == "csv":
        path.write_text("a,b\n" + "".join(f"x{k:09d},{k * 7919 % 99991}\n" for k in range(400_000)), encoding="ascii")
    else:
        path.write_bytes(sound())
    return path


def one_run(path: Path, form: str, limit: int) -> tuple[int, str]:
    """Return the status and what was said of an import (a release: a check) under a limit."""
    command = "verify" if form == "release" else "inspect"
    done = subprocess.run(
        [sys.executable, "-c", _MAIN, command, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    return done.returncode, done.stderr


def fault_of(status: int, said: str) -> str | None:
    """Return what is wrong with an ending, None where nothing is."""
    if status not in (0, 2):
        return f"status {status}: {said[-200:]}"
    lines = said.strip().splitlines()
    if status == 2 and not (len(lines) == 1 and lines[0].startswith("splu: ") and lines[0].endswith(".")):
        return f"no sentence: {said[-200:]}"
    return None


def main(forms: Sequence[str]) -> int:
    """Run all. Returns the exit status."""
    bad = 0
    for form in forms or [name for name in FORMATS if name not in ("recipe", "project")]:
        with tempfile.TemporaryDirectory() as folder:
            path = source(form, Path(folder))
            ends = [one_run(path, form, limit) for limit in LIMITS]
        faults = [(limit >> 20, fault) for limit, end in zip(LIMITS, ends, strict=True) if (fault := fault_of(*end))]
        bad += len(faults)
        statuses = "".join(str(status) if 0 <= status < 10 else "!" for status, _ in ends)
        sys.stdout.write(f"{form}: {statuses}\n" + "".join(f"  {limit} MB: {fault}\n" for limit, fault in faults))
        sys.stdout.flush()
    return 1 if bad or "0" not in statuses else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
