"""Memory over hours: round after round of open, plan, publish, query and report in one window.

    .venv/bin/python -m benchmarks.long_use [--rounds 400] [--records 400] [--every 10]

A small table goes the whole way each round, in the same process and window. Every tenth round prints the memory of its
own (resident and anonymous, after what was freed is given back: pages of mapped libraries come and go as the system
likes), all that is resident, what the C library holds of it, and the Python objects alive. The aim is that memory after
the last round lies within 10 % of that after round 50.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import gc
import math
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from splu_desktop.core.query.condition import Condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell import app
from splu_desktop.gui.shell.main_window import MainWindow


def resident() -> tuple[float, float]:
    """Return the MB of the process's own memory, and of all that is resident, after what is free was given back."""
    gc.collect()
    name = ctypes.util.find_library("c")
    if name is not None and hasattr(ctypes.CDLL(name), "malloc_trim"):
        ctypes.CDLL(name).malloc_trim(0)
    told = Path("/proc/self/status").read_text(encoding="ascii")
    own, whole = (int(re.findall(rf"{name}:\s*(\d+) kB", told)[0]) * 1024 / 1e6 for name in ("RssAnon", "VmRSS"))
    return own, whole


def held() -> float:
    """Return the MB that the program holds of the C library, over all its heaps: without what lies free between.

    To the point only with PYTHONMALLOC=malloc, which lets Python's objects lie there too; NaN where there is no glibc.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "malloc_info"):
        return math.nan
    library.fopen.restype = ctypes.c_void_p
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        stream = ctypes.c_void_p(library.fopen(file.name.encode(), b"w"))
        library.malloc_info(0, stream)
        library.fclose(stream)
        told = Path(file.name).read_text(encoding="ascii")
    free, mapped, whole = (
        int(re.findall(f'<{tag}[^>]* size="(\\d+)"', told)[-1])
        for tag in ('total type="rest"', 'total type="mmap"', 'system type="current"')
    )
    fast = int(re.findall(r'<total type="fast"[^>]* size="(\d+)"', told)[-1])
    return (whole + mapped - free - fast) / 1e6


def alive() -> Counter[str]:
    """Return how many Python objects there are of each kind; of the objects none is kept, or it would never go away."""
    return Counter(type(each).__name__ for each in gc.get_objects())


def make_table(path: Path, records: int) -> Path:
    """Write a table of invented patients."""
    lines = ["Record number,Sex,Age,Ward,Diagnosis"]
    lines += [f"R{i:05},{'fm'[i % 2]},{20 + i % 7},{'ABC'[i % 3]},D{i % 9}" for i in range(records)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def wait(application: QApplication, window: MainWindow) -> None:
    """Turn the event loop until no work is under way."""
    application.processEvents()
    while window.tasks.busy():
        application.processEvents()
        time.sleep(0.001)
    application.processEvents()
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def one_round(application: QApplication, window: MainWindow, path: Path, folder: Path) -> None:
    """Go the whole way once."""
    window.show_step(Step.IMPORT)
    window.import_page.open_file(path)
    wait(application, window)
    window.import_page.act()
    roles = {"Record number": Role.IDENTIFIER, "Diagnosis": Role.SA}
    window.session.set_roles({**dict.fromkeys(("Sex", "Age", "Ward"), Role.NSA), **roles}, "roles")
    wait(application, window)
    for step in (Step.CLASSIFY, Step.PLAN):
        window.show_step(step)
        wait(application, window)
    for gamma in (3, 7, 5):
        window.plan_page.gamma.slider.setValue(gamma)
        wait(application, window)
    window.show_step(Step.PUBLISH)
    page = window.publish_page
    page.set_target(folder)
    wait(application, window)
    page.gate.accept_all()
    page.publish()
    wait(application, window)
    if window.session.release is None:
        raise SystemExit("nothing was published")
    window.show_step(Step.QUERY)
    query = window.query_page
    query.tabs.setCurrentWidget(query.one)
    query.one.builder.set_conditions((Condition("Diagnosis", ("D1",)), Condition("Sex", ("f",))))
    query.one.ask()
    wait(application, window)
    query.tabs.setCurrentWidget(query.crosstab)
    query.crosstab.count()
    wait(application, window)
    window.show_step(Step.REPORT)
    wait(application, window)
    window.report_page.save(folder.with_suffix(".pdf"))
    wait(application, window)


def main() -> None:
    """Print a line every ten rounds, and what grew most since round 50."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--records", type=int, default=400)
    parser.add_argument("--every", type=int, default=10, help="rounds between two lines")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "SPLU_DATA_DIR"):
            os.environ[name] = home
        path = make_table(Path(home) / "patients.csv", args.records)
        application = QApplication([])
        app.prepare(application)
        window = app.make_window()
        window.resize(1280, 720)
        window.show()
        base, kinds, grown = 0.0, Counter[str](), Counter[str]()
        print(f"{'round':>6}{'own MB':>9}{'all MB':>9}{'held':>9}{'objects':>10}{'CPU s':>8}", flush=True)
        for round_ in range(1, args.rounds + 1):
            one_round(application, window, path, Path(home) / f"r{round_}")
            if round_ % args.every and round_ != args.rounds:
                continue
            (now, whole), grown = resident(), alive()
            line = f"{round_:6}{now:9.1f}{whole:9.1f}{held():9.2f}{grown.total():10}{time.process_time():8.0f}"
            print(line, flush=True)
            if round_ == min(50, args.rounds // 2 // 10 * 10):
                base, kinds = now, grown
        grown = grown - kinds
        print(f"last over round 50: {now / base:.3f}" if base else "too few rounds")
        print("grew most:", ", ".join(f"{name} {count:+}" for name, count in grown.most_common(12)))
        window.ask_before_closing = False
        window.close()
        window.tasks.shutdown()


if __name__ == "__main__":
    main()
