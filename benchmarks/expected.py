"""Compares what Plan says recipients will read with what they read of real releases.

    python -m benchmarks.expected FOLDER [--releases 20]

FOLDER holds adult.csv.gz and diabetes130.csv.gz. For each draw: the width of all expected 95 % intervals over
their mean width in the releases, the same cell by cell (quantiles), and the CPU seconds of the first and of a further
look at the plan. The aim is 0.9 to 1.1 in every cell. Means of 20 releases of a small cell have a standard error of up
to 10 % themselves, so it tells beside the share of the cells within 10 %: the share that would be, were the expected
widths exact (noise alone), and the share within 10 % beyond twice that standard error.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from splu_desktop.core import sanitise
from splu_desktop.core.checks.asked import AskedTable, cells
from splu_desktop.core.checks.expected import Ahead
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.files.importer import ImportChoices, read
from tests.seeded import Seeded

CASES = (
    ("adult.csv.gz", ("gender", "race"), "occupation", 5, None),
    ("adult.csv.gz", ("gender", "race"), "income", 2, None),
    ("adult.csv.gz", ("gender", "age"), "income", 5, "joined"),
    ("diabetes130.csv.gz", ("gender", "age"), "readmitted", 3, None),
    ("diabetes130.csv.gz", ("gender", "age"), "readmitted", 3, "groups"),
    ("diabetes130.csv.gz", ("gender", "race"), "diag_1", 5, None),
    ("diabetes130.csv.gz", ("gender", "race"), "readmitted", 2, "by person"),
    ("diabetes130.csv.gz", ("gender", "race"), "readmitted", 2, "together"),
)
PERSON, BESIDE = "patient_nbr", "diabetesMed"  # whose records are drawn at once; what is drawn with another column


def _plan(table: Table, nsas: Sequence[str], sa: str, gamma: int, way: str | None) -> Plan:
    roles = {**dict.fromkeys(nsas, Role.NSA), sa: Role.SA}
    if way == "together":
        return Plan({**roles, BESIDE: Role.SA}, planned(table, (sa, BESIDE), gamma))
    if way == "by person":
        draw = by_gamma(table[sa], gamma).by_person(PERSON)
        return Plan({PERSON: Role.IDENTIFIER, **roles}, {sa: draw}, persons=ByPerson(PERSON, "draw"))
    return Plan(roles, {sa: by_gamma(table[sa], gamma, way)})


def main() -> None:
    """Print a line per case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--releases", type=int, default=20)
    args = parser.parse_args()
    tables = {name: read(args.folder / name, ImportChoices()).table for name in {case[0] for case in CASES}}
    for name, nsas, sa, gamma, way in CASES:
        more = {"by person": (PERSON,), "together": (BESIDE,)}.get(way or "", ())
        table = tables[name].select((*more, *nsas, sa))
        plan = _plan(table, nsas, sa, gamma, way)
        asked = [cell.conditions for cell in cells(table, AskedTable((*nsas, sa)))]
        ahead, took = Ahead.of(table, plan), []
        for _ in range(2):
            start = time.process_time()
            told = ahead.told(plan.draws, plan.thresholds, asked)
            took.append(time.process_time() - start)
        widths = []
        for seed in range(args.releases):
            reader = Reader(sanitise.run(table, plan, randomness=Seeded(seed)))
            widths.append([answer.high - answer.low for answer in reader.answers(asked, vanished=True)])
        there = np.mean(widths, axis=0)
        here = np.array([one.answer.high - one.answer.low for one in told])
        some = there > 0
        off, error = np.abs(here - there)[some], (np.std(widths, axis=0, ddof=1) / args.releases**0.5)[some]
        tenth = 0.1 * there[some]
        noise = np.mean([math.erf(a / b / 2**0.5) if b else 1.0 for a, b in zip(tenth, error, strict=True)])
        within = (
            f"{np.mean(off <= tenth):.3f} ({noise:.3f} by noise alone; {np.mean(off <= tenth + 2 * error):.3f} beyond)"
        )
        parts = np.quantile(here[some] / there[some], [0.05, 0.25, 0.5, 0.75, 0.95]).round(3)
        print(
            f"{sa}, {plan.draws[sa].words()}: {len(asked)} cells, in all {here.sum() / there.sum():.3f}, "
            f"by cell {parts.tolist()}, within 10 % {within}, CPU s {took[0]:.3f} and {took[1]:.3f}"
        )


if __name__ == "__main__":
    main()
