"""Times asking: opening a release, its first answer, counts, cross-tables, and what the window's thread bears.

    .venv/bin/python benchmarks/query.py [--records 1000000] [--values 700]

Aims (1 million records): the first answer of a release opened from disk within 2 s, a count within 10 ms, a cross-table
of 10,000 cells within 1 s. Each is timed on the clock and on the processor: where other work shares the machine, only
the second says what the program needs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.crosstab_grid import CrosstabGrid, Side, Wanted, compute
from splu_desktop.core.query.reader import Condition, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release.folder import read_release
from tests.draws import plain
from tests.seeded import Seeded
from tests.written import write_release

SIZES = {"age": 90, "sex": 2, "region": 50, "ward": 100, "year": 10, "plan": 5, "visit": 7, "class": 20, "unit": 30}


def made(n: int, values: int) -> Table:
    """Return a table with nine NSAs and two SAs: "disease" of many values, "drug" of 50."""
    chance = np.random.default_rng(0)

    def column(name: str, m: int, weights: NDArray[np.float64] | None = None) -> Column:
        codes = chance.choice(m, n, p=weights).astype(np.int32)
        number = name == "age"
        labels = np.array([str(at) if number else f"{name} {at:04}" for at in range(m)], dtype=object)
        kind, numbers = (Kind.INTEGER, np.arange(m, dtype=float)) if number else (Kind.CATEGORY, None)
        return Column(name, kind, codes, labels, np.zeros(m, bool), numbers)

    weights = np.minimum(1 / np.arange(1, values + 1), 0.5)
    weights = np.minimum(weights / weights.sum(), 0.08)
    columns = [column(name, m) for name, m in SIZES.items()]
    return Table((*columns, column("disease", values, weights / weights.sum()), column("drug", 50)))


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds on the clock and on the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def show(what: str, times: list[tuple[float, float]], aim: str = "") -> None:
    """Print one line: medians and the worst, in milliseconds."""
    clock, processor = ([1000 * time[at] for time in times] for at in (0, 1))
    print(
        f"{what:<46} {statistics.median(clock):8.1f} {max(clock):8.1f} {statistics.median(processor):8.1f} "
        f"{max(processor):8.1f}   {aim}",
        flush=True,
    )


def asked(table: Table, columns: tuple[str, ...], count: int) -> Iterator[list[Condition]]:
    """Give questions that each name one random value of every column."""
    chance = np.random.default_rng(1)
    for _ in range(count):
        yield [Condition(name, (str(chance.choice(table[name].labels)),)) for name in columns]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--values", type=int, default=700)
    args = parser.parse_args()
    table = made(args.records, args.values)
    roles = {name: Role.SA if name in ("disease", "drug") else Role.NSA for name in table.names}
    published = sanitise.run(table, Plan(roles, plain({"disease": 5, "drug": 4})), randomness=Seeded(1))
    print(f"{args.records:,} records, a sensitive column of {args.values} values and one of 50; milliseconds")
    print(f"{'':<46} {'clock':>8} {'worst':>8} {'process':>8} {'worst':>8}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "release"
        write_release(published, folder)
        for what, columns in (("", ("disease",)), (" on both", ("disease", "drug"))):
            first = next(asked(table, ("sex", "region", *columns), 1))
            times = [timed(lambda asked=first: Reader(read_release(folder).published).answer(asked)) for _ in range(3)]
            show(f"open from disk and give the first answer{what}", times, "2,000")
    reader = Reader(published)
    reader.answer(first)
    for what, columns in (
        (f"count: 3 columns and 1 of {args.values} values", ("ward", "region", "age", "disease")),
        (f"count: 2 wide columns and 1 of {args.values} values", ("sex", "plan", "disease")),
        ("count: 2 columns and 1 of 50 values", ("ward", "age", "drug")),
        ("count: 2 columns and both sensitive ones", ("ward", "sex", "disease", "drug")),
    ):
        questions = list(asked(table, columns, 61))
        reader.answer(questions[0])
        show(what, [timed(lambda asked=question: reader.answer(asked)) for question in questions[1:]], "10")
    grids: list[CrosstabGrid] = []
    for sides, sa in (((Side("ward"), Side("sex")), "drug"), ((Side("age", 14),), "disease")):
        wanted = Wanted(sides, sa)

        def fresh(wanted: Wanted = wanted) -> None:
            grids.append(compute(Reader(published), wanted, Silent()))

        def again(wanted: Wanted = wanted) -> None:
            grids.append(compute(reader, wanted, Silent()))

        times = [timed(fresh) for _ in range(3)]
        show(f"cross-table of {grids[-1].answers.size:,} cells, from nothing", times, "1,000")
        show(f"cross-table of {grids[-1].answers.size:,} cells", [timed(again) for _ in range(3)], "1,000")
    picture(grids[0])


def picture(grid: CrosstabGrid) -> None:
    """Time what exporting a heat map takes of the window's thread, and of the worker."""
    from PySide6.QtWidgets import QApplication

    from splu_desktop.gui.base.tasks import Tasks
    from splu_desktop.gui.query.crosstab.export import write_picture
    from splu_desktop.gui.query.crosstab.tab import CrosstabTab
    from splu_desktop.gui.shell import app

    application = QApplication(["query"])
    app.prepare(application)
    tasks = Tasks(application)
    tab = CrosstabTab(tasks)
    show("show the cells in the window", [timed(lambda: tab.seen.take(grid)) for _ in range(5)])
    show("heat map as a picture: the window's thread", [timed(tab.picture) for _ in range(5)], "16")
    shot = tab.picture()
    with tempfile.TemporaryDirectory() as place:
        times = [timed(lambda: write_picture(shot, Path(place) / "map.svg", Silent())) for _ in range(3)]
    show("heat map as a picture: the worker", times)
    tasks.shutdown()


if __name__ == "__main__":
    main()
