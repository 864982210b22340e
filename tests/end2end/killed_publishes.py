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
import traceback
from pathlib import Path

from splu_desktop.core.policy.verdict import verdict
from splu_desktop.files.publish.publishing import Options, publish
from splu_desktop.files.register import Register, ledger
from tests.files.releases import ward_plan, ward_table


def main() -> None:
    """Fork, wait a random while, kill."""
    folder, runs, moments = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    table = ward_table(600)
    plan = ward_plan(table)
    judged = verdict(table, plan)

    def publish_one(number: int) -> None:
        packed = number % 4 == 3
        options = Options(accept_all="A test of kills", as_zip=packed)
        target = folder / (f"r{number}.zip" if packed else f"r{number}")
        publish(table, plan, target, judged=judged, options=options, register=Register(folder / "register"))

    publish_one(20_000)
    start = time.monotonic()
    publish_one(20_001)
    usual = time.monotonic() - start
    killed = 0
    for number in range(runs):
        start = time.monotonic()
        child = os.fork()
        if not child:
            ledger._LOCKS.clear()  # filelock refuses what came along by forking
            try:
                publish_one(number)
            except BaseException:
                traceback.print_exc()
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
