"""How long the window's thread stands still while a large CSV file and a large workbook are read.

    python -m benchmarks.window [--rows 1000000] [--sheet-rows 300000] [--repeat 3]

The window runs offscreen, its thread's event loop turns as fast as it can, and the longest time between two turns is
kept: while nothing is done (what this machine and its other work add), and while the file is read and shown. The worst
pause of a run is split into the processor time of the turn itself and the time the thread waited: for Python's lock
or for the machine. Last comes how soon a reading stops after the user cancels it, at five moments.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtWidgets import QApplication


def pauses(app: QApplication, until: Callable[[], bool]) -> tuple[list[tuple[float, float]], float]:
    """Turn the event loop until told to stop; return (seconds, own processor seconds) of each turn, and the time."""
    turns: list[tuple[float, float]] = []
    begun = before = time.perf_counter()
    own = time.thread_time()
    while not until():
        app.processEvents()
        time.sleep(0.0005)  # what the event loop does between events: it lets go of Python's lock
        now, mine = time.perf_counter(), time.thread_time()
        turns.append((now - before, mine - own))
        before, own = now, mine
    return turns, time.perf_counter() - begun


def said(name: str, turns: list[tuple[float, float]], took: float) -> None:
    """Print a line of figures."""
    order = sorted(turns, reverse=True)
    many = sum(pause > 0.05 for pause, _ in turns)
    worst, own = order[0]
    tenth = order[min(9, len(order) - 1)][0]
    print(f"{name:28}{took:7.2f}{1000 * worst:9.0f}{1000 * own:9.0f}{1000 * tenth:9.0f}{many:8}")


def main() -> None:
    """Print one line per reading."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sheet-rows", type=int, default=300_000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    files = importlib.import_module("benchmarks.import")
    with tempfile.TemporaryDirectory() as home:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "SPLU_DATA_DIR"):
            os.environ[name] = home
        paths = []
        for kind, rows, write in (("csv", args.rows, files.write_csv), ("xlsx", args.sheet_rows, files.write_xlsx)):
            if rows:
                paths.append(Path(home) / f"t.{kind}")
                write(paths[-1], rows)
        app = QApplication([])
        from splu_desktop.gui.shell.app import prepare, settle, share_the_interpreter
        from splu_desktop.gui.shell.main_window import MainWindow

        prepare(app)
        window = MainWindow()
        window.resize(1280, 720)
        window.show()
        share_the_interpreter(window)
        settle(window)
        page, tasks = window.import_page, window.tasks
        pauses(app, tasks.idle)
        print(f"{'ms at worst':28}{'s':>7}{'pause':>9}{'own':>9}{'10th':>9}{'> 50 ms':>8}")
        for _ in range(args.repeat):
            end = time.perf_counter() + 3
            said("nothing", *pauses(app, lambda end=end: time.perf_counter() > end))  # type: ignore[misc]
            for path in paths:
                page.open_file(path)
                said(f"reading {path.suffix[1:]}", *pauses(app, tasks.idle))
        for path in paths:
            for wait in (0.1, 0.3, 0.6, 1.0, 1.5):
                page.open_file(path)
                end = time.perf_counter() + wait
                pauses(app, lambda end=end: time.perf_counter() > end or tasks.idle())  # type: ignore[misc]
                if tasks.idle():
                    break
                begun = time.perf_counter()
                page.cancel()
                pauses(app, tasks.idle)
                print(f"{path.suffix[1:]} cancelled after {wait:.1f} s: {1000 * (time.perf_counter() - begun):.0f} ms")
        window.close()
        tasks.shutdown()


if __name__ == "__main__":
    main()
