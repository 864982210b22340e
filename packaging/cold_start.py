"""Time from the start of the frozen program to its first idle moment, beside an empty window frozen the same way.

    python packaging/cold_start.py BUNDLE/splu-desktop EMPTY/empty-window [--cold] [--runs 9]

Both start without a screen, in turns, so that whatever else the machine does hits both. The figure is the ratio of the
medians. With --cold (root only) the disk's cache is emptied before each start, as after switching the computer on; then
2.0 is the most that is accepted. Without it the figure is only told.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_MOST = 2.0


def start(command: list[str], scratch: str, *, cold: bool) -> float:
    """Return the seconds that a program takes to its first idle moment, at which it ends."""
    if cold:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
    environment = {"QT_QPA_PLATFORM": "offscreen", "HOME": scratch, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> int:
    """Measure. Returns 0 where the ratio is accepted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("empty", type=Path)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--runs", type=int, default=9)
    args = parser.parse_args()
    times: dict[str, list[float]] = {"program": [], "empty": []}
    with tempfile.TemporaryDirectory() as scratch:
        commands = {"program": [str(args.program), "--until-idle"], "empty": [str(args.empty)]}
        for command in commands.values():  # once unmeasured
            start(command, scratch, cold=False)
        for _ in range(args.runs):
            for name, command in commands.items():
                times[name].append(start(command, scratch, cold=args.cold))
    medians = {name: statistics.median(found) for name, found in times.items()}
    ratio = medians["program"] / medians["empty"]
    kind = "cold disk" if args.cold else "warm disk"
    for name, found in times.items():
        print(
            f"{kind}, {name}: median {medians[name]:.3f} s, {min(found):.3f} to {max(found):.3f} s, {len(found)} starts"
        )
    print(f"{kind}: {ratio:.2f} times the empty window" + (f" (at most {_MOST})" if args.cold else ""))
    return 1 if args.cold and ratio > _MOST else 0


if __name__ == "__main__":
    sys.exit(main())
