"""How long the window stands still while a large table goes through the gate, is published and reported on.

    .venv/bin/python -m benchmarks.pauses [--records 1000000] [--columns 30] [--plan] [--sweep 20] [--distinct]
        [--formats csv,xlsx]

A timer beats every 5 ms on the window's thread; a pause is the time by which a beat comes late. Whatever holds the
window up shows: its own work, and work in a thread that does not let go of the interpreter. Of each stage the longest
pause is printed, with the processor time that the whole program used in it: a pause with little of it is another
program's doing. The aim is no pause over 50 ms.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).absolute().parent.parent))

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.publish import make_csv, make_distinct_csv
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell import app
from splu_desktop.gui.shell.main_window import MainWindow
from tests.draws import plain

LIMIT = 0.05  # seconds
_BEAT = 0.005


class Heart:
    """Notes, for each phase and stage, the longest pause between two beats."""

    def __init__(self) -> None:
        self.phase = ""
        self.longest: dict[str, tuple[float, float, float]] = {}
        self.over: dict[str, int] = {}
        self.own: dict[str, float] = {}
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._last = (time.perf_counter(), time.process_time(), time.thread_time())
        self._timer.start(int(1000 * _BEAT))

    def _beat(self) -> None:
        now = (time.perf_counter(), time.process_time(), time.thread_time())
        late, used, own = (a - b for a, b in zip(now, self._last, strict=True))
        self._last = now
        found = (late - _BEAT, used, own)
        self.longest[self.phase] = max(self.longest.get(self.phase, found), found)
        self.own[self.phase] = max(self.own.get(self.phase, 0), own)
        self.over[self.phase] = self.over.get(self.phase, 0) + (late - _BEAT > LIMIT)


def wait(application: QApplication, window: MainWindow, until: Callable[[], bool] = lambda: True) -> None:
    """Let the window live until no work is under way."""
    end = time.perf_counter() + 0.3
    while window.tasks.busy() or time.perf_counter() < end or not until():
        application.processEvents()
        time.sleep(0.0005)


def tell(heart: Heart, records: int, columns: int) -> None:
    """Print a line for each phase, with the processor time that the window's thread spent in any one beat at most."""
    print(f"{records} records x {columns}")
    print(f"{'phase':44}{'longest pause':>14}{'program':>9}{'window':>8}{'over 50 ms':>11}{'most own':>10}")
    for phase, (late, used, own) in heart.longest.items():
        figures = f"{1000 * late:11.0f} ms{1000 * used:6.0f} ms{1000 * own:5.0f} ms{heart.over[phase]:11}"
        print(f"{phase:44}{figures}{1000 * heart.own[phase]:7.0f} ms")


def main() -> None:
    """Print the longest pause of each phase."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=30, help="12 or more")
    parser.add_argument("--distinct", action="store_true", help="columns with a value per record")
    parser.add_argument("--plan", action="store_true", help="no further than the slider of Plan")
    parser.add_argument("--sweep", type=float, default=20, help="seconds for which the slider moves")
    parser.add_argument("--formats", default="csv,xlsx")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="splu-bench-") as name:
        folder = Path(name)
        os.environ.update(HOME=name, XDG_CONFIG_HOME=name, XDG_DATA_HOME=name, SPLU_DATA_DIR=str(folder / "data"))
        if args.distinct:
            make_distinct_csv(folder / "source.csv", args.records)
        else:
            make_csv(folder / "source.csv", args.records, args.columns - 12)
        application = QApplication(["pauses"])
        app.prepare(application)
        window = app.make_window()
        window.resize(1280, 720)
        window.show()
        app.share_the_interpreter(window)
        app.settle(window)
        wait(application, window)
        heart = Heart()
        heart.phase = "reading the file (import)"
        window.import_page.open_file(folder / "source.csv")
        wait(application, window, lambda: window.session.source is not None)
        heart.phase = "choosing roles (classify, plan)"
        names = window.session.source.imported.table.names  # type: ignore[union-attr]
        roles = dict.fromkeys(names, Role.NSA) | {"diagnosis": Role.SA}
        if args.distinct:
            roles["record number"] = Role.IDENTIFIER
        window.session.set_roles(roles, "roles")
        choices = window.session.choices
        assert choices is not None
        kept = dict.fromkeys((n for n in names if roles[n] is Role.NSA), "a benchmark")
        window.session.choose(replace(choices, kept=kept, draws=plain({"diagnosis": 10})), "benchmark")
        wait(application, window)
        heart.phase = "plan, before the slider moves"
        window.show_step(Step.PLAN)
        wait(application, window)
        heart.phase = "the slider moves (plan)"
        there_and_back = cycle((*range(5, 13), *range(12, 4, -1)))
        end = time.perf_counter() + args.sweep
        while time.perf_counter() < end:
            window.plan_page.gamma.slider.setValue(next(there_and_back))
            beats = time.perf_counter() + 0.05
            while time.perf_counter() < beats:
                application.processEvents()
        wait(application, window)
        if args.plan:
            tell(heart, args.records, len(names))
            window.close()
            return
        heart.phase = "the gate"
        page = window.publish_page
        window.show_step(Step.PUBLISH)
        page.place.xlsx.setChecked("xlsx" in args.formats)
        wait(application, window)
        page.set_target(folder / "release")
        wait(application, window, lambda: page._found is not None)
        page.gate.accept_all()
        wait(application, window)
        job = page.publish()
        assert job is not None, page.banner.text.text()
        job.progressed.connect(lambda stage, done: setattr(heart, "phase", f"publishing: {stage}"))
        wait(application, window)
        assert window.session.release is not None, page.banner.text.text()
        heart.phase = "showing the release"
        wait(application, window)
        report = window.report_page
        for internal in (False, True):
            heart.phase = f"the {'internal' if internal else 'external'} report's figures"
            report.form.internal.setChecked(internal)
            window.show_step(Step.REPORT)
            wait(application, window, lambda: internal in report._figures)  # noqa: B023
            heart.phase = f"writing the {'internal' if internal else 'external'} report"
            began = time.perf_counter()
            report.save(folder / f"report-{internal}.pdf")
            wait(application, window, (folder / f"report-{internal}.pdf").exists)
            print(f"{heart.phase}: {time.perf_counter() - began:.1f} s")
        tell(heart, args.records, len(names))
        window.close()


if __name__ == "__main__":
    main()
