"""Random designs of tolerances with and without fake values: every law adds up, every interval holds.

    python benchmarks/random_designs.py [--designs 1000] [--covered 20] [--releases 60] [--start 0]

Prints each design whose law is not one (NaN, a row that does not add up to 1, a published count not right on average),
then, for the first `--covered` designs, the share of 95 % intervals of every true count of 20 and more that hold, with
its standard error between releases, and "least": how often ends that each miss in 2.5 % at most must hold. An end
leaves out whole counts alone (`least`, by the law of those published, here and in all the table; "by the count alone":
of those here); and where compositions differ in directions that T takes to nothing, ends must hold for each of them, so
that a count between them is missed more seldom (`least_hidden`). Where a release tells nothing of a value, the answer
says so and gives all that is possible instead of an interval: such ranges hold nearly always, and are counted apart.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import binom, norm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


from splu_desktop.core import sanitise
from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.groups.tolerances import Infeasible
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Condition, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.core.transition.matrix import MatrixTransition
from tests.core.random_designs import faults, of_seed
from tests.core.tables import column
from tests.seeded import Seeded

FEWEST = 20  # records of a count that is asked about


def least(cell: NDArray[np.int64], value: int, through: MatrixTransition, *, alone: bool = False) -> float:
    """Return how often ends of 2.5 % at most must hold the count of a value among records of these (m,) true counts.

    The estimate moves with two whole numbers, the value's published count here and among all other records, of which T
    is computed. Each is a sum of binomial ones. An end can leave out whole pairs of them alone, from either side as
    many as have 2.5 % together; beyond a deviation of 20 records that is 2.5 % to a tenth. No lower end lies above a
    count of all records.

    alone : for ends that move with the count published here only, as they nearly do in steps that large.
    """
    sides = 1 if cell[value] == cell.sum() else 2
    matrix, rest = through.matrix, np.maximum(through.counts - cell, 0).astype(np.int64)
    if float(cell @ (matrix[:, value] * (1 - matrix[:, value]))) > 20**2:
        return 1 - 0.025 * sides
    own = float(through.counts[value]) / through.n
    gain = (through.inverse[value, value] - own) / (1 - own)
    follows = through.groups.moments(through.inverse)[0][:, :, value] @ cell  # of the estimate, by published counts
    moved = float(follows[value] - through.counts @ follows / through.n) / (1 - own)
    y, chance = _law(cell, matrix[:, value])
    others, there = (np.zeros(1, np.int64), np.ones(1)) if alone else _law(rest, matrix[:, value])
    moves = np.round(gain * y[:, None] - moved * (y[:, None] + others), 9)
    atoms, at = np.unique(moves, return_inverse=True)
    law = np.bincount(at.ravel(), np.outer(chance, there).ravel(), len(atoms))
    ends = (np.cumsum(side) for side in (law, law[::-1])[:sides])
    return 1 - sum(float(end[end <= 0.025].max(initial=0.0)) for end in ends)


def _law(counts: NDArray[np.int64], chances: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the sums of binomial numbers that are likelier than 1e-9, and how likely."""
    law = np.ones(1)
    for count, chance in zip(counts.tolist(), chances.tolist(), strict=True):
        law = np.convolve(law, binom.pmf(np.arange(count + 1), count, chance))
    kept = np.flatnonzero(law > 1e-9)
    return kept, law[kept]


def least_hidden(cell: NDArray[np.int64], value: int, through: MatrixTransition) -> float:
    """Return the same where T hides directions: compositions of the records that differ in these look alike.

    They reach as far as no value has less than no record, inside the cell and outside (a linear programme). Ends that
    move with the estimate, and lie beyond the outermost in all but 2.5 %, miss a count at a distance of d by
    Phi(-1.96 - d / sd).
    """
    ways, here = through.hidden, cell.astype(np.float64)
    if not len(ways):
        return 0.0
    limits = np.concatenate([here, through.counts - here])
    found = [
        linprog(sign * ways[:, value], np.concatenate([-ways.T, ways.T]), limits, bounds=(None, None)).fun
        for sign in (-1, 1)
    ]
    deviation = float(np.sqrt(through.variance(here[None, :])[0, value]))
    missed = norm.cdf(-NORMAL_95 + np.minimum(found, 0.0) / deviation)
    return float(1 - missed[: 1 if cell[value] == cell.sum() else 2].sum())


def coverage(
    seed: int, grouping: DecoyGroups, releases: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]:
    """Return (releases, counts) whether the truth is held, and whether it was to be by an interval, not by a range.

    And (2, counts) how often an interval must hold it (`least`), and one of ends that move with its count alone.
    """
    sa, _, _ = of_seed(seed)
    chance = np.random.default_rng(seed)
    ward = (sa.codes + chance.integers(0, 3, sa.n)) % 4
    table = Table((column("ward", ward), sa))
    plan = Plan({"ward": Role.NSA, "s": Role.SA}, {"s": grouping})
    counts = np.zeros((table["ward"].m, sa.m), np.int64)
    np.add.at(counts, (ward, sa.codes), 1)
    cells = np.argwhere(counts >= FEWEST)
    names = table["ward"].labels
    asked = [[Condition("ward", (str(names[w]),)), Condition("s", (str(sa.labels[v]),))] for w, v in cells]
    truth = counts[tuple(cells.T)]
    held, told = [], []
    for release in range(releases):
        answers = Reader(sanitise.run(table, plan, randomness=Seeded(release))).answers(asked, vanished=True)
        held.append([answer.low <= x <= answer.high for answer, x in zip(answers, truth, strict=True)])
        told.append([answer.variance is not None for answer in answers])
    through = grouping.transition(sa.counts().astype(float), sa.labels)
    hidden = [least_hidden(counts[w], int(v), through) for w, v in cells]
    ends = [[least(counts[w], int(v), through, alone=alone) for w, v in cells] for alone in (False, True)]
    return np.array(held, bool), np.array(told, bool), np.maximum(ends, hidden)


def main() -> None:
    """Print what is wrong with the designs, how many were tried, and coverage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", type=int, default=1_000)
    parser.add_argument("--covered", type=int, default=20)
    parser.add_argument("--releases", type=int, default=60)
    parser.add_argument("--start", type=int, default=0)
    args = parser.parse_args()
    start, good, none, covered, wrong, every = time.perf_counter(), 0, 0, [], 0, []
    for seed in range(args.start, args.start + args.designs):
        sa, limits, fakes = of_seed(seed)
        try:
            grouping = DecoyGroups.designed(sa, limits, fakes=fakes)
        except Infeasible:
            none += 1
            continue
        found = faults(grouping.transition(sa.counts().astype(float), sa.labels))
        good, wrong = good + (not found), wrong + bool(found)
        if found:
            print(seed, grouping.sizes, fakes, found, flush=True)
        if len(covered) < args.covered and grouping.largest > 1:  # in groups of one nothing is drawn
            held, told, ends = coverage(seed, grouping, args.releases)
            what = f"{seed}: sizes {grouping.sizes}, {fakes} fakes, {held.shape[1]} counts, n {sa.n}"
            if told.any():
                every.append(held[told])
                covered.append(float(held[told].mean()))
                must, alone = (100 * float(np.broadcast_to(end, told.shape)[told].mean()) for end in ends)
                astray = ((held - covered[-1]) * told).sum(axis=1)  # by release: all counts of one share its draw
                error = 100 * float(np.sqrt((astray**2).sum())) / int(told.sum())
                what += f": {100 * covered[-1]:.1f} +- {error:.1f} % of {int(told.sum())} intervals"
                what += f", least {must:.1f} %, by the count alone {alone:.1f} %"
                often = told.sum(axis=0) > args.releases // 2
                single = (held & told).sum(axis=0)[often] / told.sum(axis=0)[often]
                within = (single >= 0.93) & (single <= 0.98)
                what += f"; {int(within.sum())} of {len(single)} counts held in 93 to 98 %"
                what += "".join(
                    f", one in {100 * one:.1f} (least {100 * end:.1f})"
                    for one, end in zip(
                        single[~within], np.broadcast_to(ends[0], often.shape)[often][~within], strict=True
                    )
                )
            if not told.all():
                what += f"; {100 * float(held[~told].mean()):.1f} % of {int((~told).sum())} ranges"
            print(what, flush=True)
    print(f"{good} laws add up, {wrong} do not, {none} tolerances without sizes")
    if covered:
        mean, low, most = 100 * np.mean(covered), 100 * min(covered), 100 * max(covered)
        together = np.concatenate(every)
        print(f"coverage {mean:.1f} %, least {low:.1f} %, most {most:.1f} %")
        print(f"of all {len(together)} intervals {100 * together.mean():.1f} %")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
