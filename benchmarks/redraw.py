"""Times the plan page: one move of the gamma slider, both plots computed, drawn and on the screen.

    .venv/bin/python benchmarks/redraw.py [--values 1500] [--records 1000000]

For each epsilon the slider goes from 2 to 50 and back on a column of many values. A move counts from the slider's
signal until Qt has painted all that changed (offscreen, so without a graphics card's help). The aim is 16 ms in the
median and 50 ms at worst, whatever the thresholds; the table of values is made in a worker once the slider rests.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).absolute().parent.parent))

import numpy as np
from PySide6.QtWidgets import QApplication

from splu_desktop.core.roles.suggest import Role, Suggestion
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import ImportChoices, Imported, SourceFile
from splu_desktop.gui.base.facts import column_facts
from splu_desktop.gui.base.session import Source, Step
from splu_desktop.gui.shell import app


def skewed(values: int, records: int) -> Column:
    """Return an SA with counts like a hospital's diagnoses: steep, with many rare values, none above 1/50."""
    weights = 1.0 / np.arange(1, values + 1)
    for _ in range(200):  # until none is above the limit that gamma 50 sets
        weights = np.minimum(weights / weights.sum(), 0.019)
    counts = np.maximum(1, (weights / weights.sum() * records).astype(np.int64))
    codes = np.repeat(np.arange(values, dtype=np.int32), counts)
    labels = np.array([f"value {i:05}" for i in range(values)], dtype=object)
    return Column("Diagnosis", Kind.CATEGORY, codes, labels, np.zeros(values, bool))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--values", type=int, default=1500)
    parser.add_argument("--records", type=int, default=1_000_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        measure(args.values, args.records)


def measure(values: int, records: int) -> None:
    """Move the slider and print the times."""
    application = QApplication(["redraw"])
    app.prepare(application)
    window = app.make_window()
    window.resize(1280, 800)
    window.show()
    column = skewed(values, records)
    table = Table((column,))
    imported = Imported(table, ImportChoices(), (), SourceFile("made.csv", 0, ""), {})
    roles = {"Diagnosis": Suggestion(Role.SA, "made for this measurement")}
    window.session.open_source(Source(Path("made.csv"), imported, roles, (column_facts(column),)))
    window.show_step(Step.PLAN)
    page = window.plan_page
    app.quieten_collector()  # as the program does once its window is up
    print(f"{column.m} values, {column.n:,} records, {column_facts(column).largest_gamma=}")
    print("epsilon  T_E     alpha  median ms  worst ms  own work: median  worst  moves")
    everything, own_work = [], []
    for epsilon in (0.02, 0.05, 0.1, 0.3, 1.0):
        for t_e, alpha in ((0.05, 3), (0.001, 30)):
            page.epsilon.setValue(100 * epsilon)
            page.t_e.setValue(100 * t_e)
            page.alpha.setValue(alpha)
            application.processEvents()
            times, own = [], []
            for gamma in [*range(2, 51), *range(49, 1, -1)]:
                start, work = time.perf_counter(), time.thread_time()
                page.gamma.slider.setValue(gamma)
                application.processEvents()
                times.append(1000 * (time.perf_counter() - start))
                own.append(1000 * (time.thread_time() - work))
            everything += times
            own_work += own
            line = f"{epsilon:7g}  {t_e:<6g}  {alpha:5}"
            print(f"{line}  {_figures(times, own)}")
    print(f"all{'':17}  {_figures(everything, own_work)}")
    window.close()


def _figures(times: list[float], own: list[float]) -> str:
    # On a busy machine the window waits for its turn; its own work is what the program answers for.
    mine = f"{statistics.median(own):16.1f}  {max(own):5.1f}"
    return f"{statistics.median(times):9.1f}  {max(times):8.1f}  {mine}  {len(times):5}"


if __name__ == "__main__":
    main()
