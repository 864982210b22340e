"""Publishes that are refused, and publishes that are stopped by a signal at a random moment, each in its own process.

    python -m tests.end2end.stopped_runs FOLDER RUNS SEED

FOLDER holds `source.csv`. Fails where a run ends by a signal, with another status than its own, or leaves anything. Run
it on a loaded machine, some at a time, to try what the order of threads at the end of the interpreter does.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# Installed handlers are what is tried, not the milliseconds in which Python itself starts: it says when it is ready.
_RUN = (
    "import sys\nfrom splu_desktop.cli.base import endings\nheed = endings.heed\n"
    "def ready():\n    heed()\n    sys.stderr.write('ready\\n')\n    sys.stderr.flush()\n"
    "endings.heed = ready\nfrom splu_desktop.cli.main import main\nraise SystemExit(main())\n"
)


def one_run(folder: Path, number: int, wait: float | None, refused: bool) -> tuple[int, str, float]:
    """Run `splu publish`; after `wait` seconds send it a signal. Returns its status, what it said and how long."""
    command = [sys.executable, "-c", _RUN, "publish", str(folder / "source.csv"), "--out", str(folder / f"r{number}"),
               "--sa", "illness:4", "--xlsx", *(["--strict"] if refused else [])]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        ready = time.monotonic()
        if wait is not None:
            time.sleep(wait)
            process.send_signal(_SIGNALS[number % len(_SIGNALS)])
        said += process.stderr.read()
    return process.returncode, said, time.monotonic() - ready


def main() -> None:
    """Run them, print how many ended how."""
    folder, runs, moments = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    os.environ["SPLU_DATA_DIR"] = str(folder / "data")
    ends: Counter[str] = Counter()
    status, said, usual = one_run(folder, 1_000_000, None, refused=False)
    if status:
        raise SystemExit(f"a run that was left alone ended with {status}: {said}")
    for number in range(runs):
        refused = number % 4 == 0
        status, said, took = one_run(folder, number, None if refused else moments.random() * usual, refused)
        usual = min(usual, took) if status == 0 else usual  # other work on the machine comes and goes
        asked = 128 + _SIGNALS[number % len(_SIGNALS)]
        if status not in ((2,) if refused else (0, asked)):
            raise SystemExit(f"run {number} ended with {status}: {said}")
        if "Traceback" in said or "Exception" in said:
            raise SystemExit(f"run {number} said {said}")
        left = [path.name for path in folder.iterdir() if path.name.startswith(".splu-partial-")]
        if left:
            raise SystemExit(f"run {number} left {left}")
        ends["refused" if refused else "stopped" if status else "done"] += 1
    sys.stdout.write(", ".join(f"{count} {end}" for end, count in sorted(ends.items())) + "\n")


if __name__ == "__main__":
    main()
