"""How often 95 % intervals hold the truth for skewed real columns with a tolerance per value, over many releases.

    python benchmarks/tolerance_coverage.py [--data ../shared/data] [--releases 60] [--queries 2400] [--fakes 0 1]
        [--pairs]

Columns: diabetes130 readmitted (1 / 0.5 / 0.3 for NO / >30 / <30) and A1Cresult (1 for None, 0.25 for the rest), adult
income (0.4 for >50K). Questions as in benchmarks/accuracy.py, the same for every release; `--pairs` asks for readmitted
and A1Cresult at once. All questions of a release share its draw, so ten releases say little about one band: coverage by
band strays by some 3 points among ten, by 1 among sixty.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from splu_desktop.core import sanitise
from splu_desktop.core.errors import SpluError
from splu_desktop.core.estimate import Method
from splu_desktop.core.group_design import design
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table
from splu_desktop.core.tolerance_rules import by_hand
from splu_desktop.core.workload import draw, measure
from splu_desktop.files.importer import read
from tests.seeded import Seeded

CASES = {
    "readmitted": ("diabetes130.csv.gz", {">30": "0.5", "<30": "0.3"}, "1"),
    "A1Cresult": ("diabetes130.csv.gz", {"None": "1"}, "0.25"),
    "income": ("adult.csv.gz", {">50K": "0.4"}, "1"),
}


def show(table: Table, columns: list[str], fakes: int, releases: int, queries: int) -> None:
    """Print coverage and errors by band for releases of these columns."""
    groupings = {}
    for name in columns:
        _, given, rest = CASES[name]
        rating = design(table[name], by_hand(table[name], given, rest), fakes=fakes)
        groupings[name] = rating.grouping
        shares = [
            f"{size} ({100 * float(s):g} %)"
            for size, s in zip(rating.grouping.sizes, rating.grouping.shares, strict=True)
        ]
        print(f"{name}, fakes {fakes}: groups of {', '.join(shares)}, signal {rating.signal:.3f}, MSE {rating.mse:.2f}")
    nsas = [c.name for c in table.columns if c.name not in columns and 1 < c.m <= table.n // 2]
    table = table.select([*nsas, *columns])
    workload = draw(table, nsas, columns, size=queries, seed=3)
    plan = Plan({n: Role.SA if n in columns else Role.NSA for n in table.names}, groupings)
    methods = (Method.POOLED, Method.SHRUNK, Method.UNBIASED, Method.BAYES, Method.AS_PUBLISHED)
    found = []
    for number in range(releases):  # one at a time: many releases would not fit into memory
        published = sanitise.run(table, plan, randomness=Seeded(100 + number))
        found.append(measure(workload, [published], methods if number < 3 else methods[:1]))
    print(f"  {'true count / N':<15} {'queries':>7} {'covered':>8}  {' / '.join(method.value for method in methods)}")
    for at, name in enumerate(found[0].names):
        covered = 100 * np.mean([one.coverage[at] for one in found])
        errors = [f"{np.mean([one.errors[method][at] for one in found[:3]]):.3f}" for method in methods]
        print(f"  {name:<15} {found[0].queries[at]:>7} {covered:>6.1f} %  {' / '.join(errors)}", flush=True)


def main() -> None:
    """Print one table per column and number of fake values."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--releases", type=int, default=60)
    parser.add_argument("--queries", type=int, default=2_400)
    parser.add_argument("--fakes", type=int, nargs="+", default=[0])
    parser.add_argument("--pairs", action="store_true")
    args = parser.parse_args()
    start = time.perf_counter()
    for columns in [["A1Cresult", "readmitted"]] if args.pairs else [[name] for name in CASES]:
        table = read(args.data / CASES[columns[0]][0]).table
        for fakes in args.fakes:
            try:
                show(table, columns, fakes, args.releases, args.queries)
            except SpluError as fault:
                print(fault)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
