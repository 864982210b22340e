"""Publishes in forked children and kills them with SIGKILL at random moments. Run by test_faults.py, not by hand.

    python -m tests.end2end.killed_publishes FOLDER RUNS SEED

A process of its own with one thread, so that forking is sound; it has published once itself, so that the children find
everything loaded and the moments fall on their work. Prints how many runs were killed before they finished.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from splu_desktop.files.importer import Imported, read
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from tests.files.releases import plan_of


def one_run(folder: Path, imported: Imported, number: int) -> None:
    """Publish as another process would; the folder and the ZIP in turn."""
    packed = number % 4 == 3
    order = Order(
        imported.table,
        plan_of(imported.table),
        folder / (f"r{number}.zip" if packed else f"r{number}"),
        formats=("csv", "xlsx"),
        packed=packed,
        source=folder / "source.csv",
        source_sha256=imported.source.sha256,
    )
    publish(order, strict=False, register=Register(folder / "register"))


def main() -> None:
    """Fork, wait a random while, kill."""
    folder, runs, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    moments = random.Random(seed)
    killed, usual = 0, 0.0
    imported = read(folder / "source.csv")
    one_run(folder, imported, 20_000)
    for number in range(runs):
        if number % 25 == 0:
            # Left alone, to know how long a run takes just now: other work on the machine comes and goes.
            start = time.monotonic()
            child = os.fork()
            if not child:
                one_run(folder, imported, 10_000 + number)
                os._exit(0)
            if os.waitpid(child, 0)[1]:
                raise SystemExit("a run that was left alone failed")
            usual = time.monotonic() - start
        start = time.monotonic()
        child = os.fork()
        if not child:
            try:
                one_run(folder, imported, number)
            except BaseException:
                os._exit(1)
            os._exit(0)
        time.sleep(moments.random() * 1.1 * usual)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            if os.WEXITSTATUS(status):
                raise SystemExit(f"run {number} failed by itself")
            usual = min(usual, time.monotonic() - start)  # the machine has grown idle since
        else:
            killed += 1
    sys.stdout.write(f"{killed}\n")


if __name__ == "__main__":
    main()
