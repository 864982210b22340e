"""Group sizes for a tolerance per value: loss beside Anatomy, and run time against N and m.

    python benchmarks/tolerance.py loss [--data ../shared/data/census_workers.csv.gz] [--ilp]
    python benchmarks/tolerance.py records [--records 100000 ... 10000000]
    python benchmarks/tolerance.py values [--factors 1 2 4 8 16 32 64]

The tolerances are f'_i = min(1, theta f_i + 0.02), sizes from M = min ceil(1/f'_i) to M' = 50, as in section 7 of
papers/inferential_privacy.txt. `loss` is its Fig. 4: MSE against theta for census Occupation and Education by the
two-size optimum, the multi-size heuristic, with --ilp the integer optimum of Definition 3.10,
and by Anatomy with l = ceil(1/min f'), groups of l and l + 1 as the paper does, whether l-diversity is possible or not.
`records` and `values` are its Figs. 6 and 7: seconds of the two-size search with no, loss-based and full pruning, all
of which find the same setting. Unpruned search validates every setting at O(m) each, thousands at once; --most-cells
skips it where settings times values are more than that.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from splu_desktop.compare.buckets.optimum import SECONDS, best_sizes
from splu_desktop.core.groups.multi_size import many_sizes
from splu_desktop.core.groups.search import CapsOf, PairList, Pruning, loss_of, two_sizes
from splu_desktop.core.groups.tolerances import caps
from splu_desktop.core.progress import Silent
from splu_desktop.files.importer import read

Ints = NDArray[np.int64]
LARGEST = 50
OFFSET = Fraction(2, 100)


def tolerances(counts: Ints, theta: int) -> tuple[Fraction, ...]:
    """Return min(1, theta f_i + 0.02)."""
    n = int(counts.sum())
    return tuple(min(Fraction(1), Fraction(theta * int(o), n) + OFFSET) for o in counts)


def problem(counts: Ints, theta: int) -> tuple[CapsOf, int, tuple[Fraction, ...]]:
    """Return caps per size, M, and the tolerances."""
    limits = tolerances(counts, theta)
    return (lambda size: caps(limits, size)), min(math.ceil(1 / limit) for limit in limits), limits


def loss(data: Path, ilp: bool) -> None:
    """Print Fig. 4."""
    table = read(data).table
    for name in ("Occupation", "Education"):
        counts = table[name].counts()
        counts = counts[counts > 0]
        n = int(counts.sum())
        print(f"\n{name}: {n:,} records, {len(counts)} values, most frequent {100 * counts.max() / n:.1f} %")
        print(
            f"{'theta':>6} {'two sizes':>10} {'many sizes':>11} {'optimum':>9} {'Anatomy':>9} {'l':>4}  "
            "l-diversity  sizes"
        )
        for theta in (2, 4, 8, 16, 32):
            caps_of, least, limits = problem(counts, theta)
            two = two_sizes(counts, caps_of, least, LARGEST)
            many = many_sizes(counts, caps_of, least, LARGEST)
            l_ = math.ceil(1 / min(limits))
            rest = n % l_
            anatomy = ((n // l_ - rest) * (l_ - 1) ** 2 + rest * l_**2) / (n - 1)
            possible = "possible" if counts.max() * l_ <= n else "impossible"
            best = best_sizes(counts, caps_of, least, LARGEST, Silent(), SECONDS) if ilp else None
            said = [
                "-" if two is None else f"{loss_of(two) / (n - 1):.3f}",
                "-" if many is None else f"{sum(bucket.loss for bucket, _ in many) / (n - 1):.3f}",
                "-" if best is None else f"{sum(bucket.loss for bucket, _ in best) / (n - 1):.3f}",
            ]
            sizes = " ".join(f"{bucket.size}x{bucket.number}" for bucket, _ in many or ())
            print(
                f"{theta:>6} {said[0]:>10} {said[1]:>11} {said[2]:>9} {anatomy:>9.3f} {l_:>4}  {possible:<11}  {sizes}",
                flush=True,
            )


def power_law(records: int, values: int) -> Ints:
    """Return counts like those of census Occupation: 50 values, 7.5 % down to 0.2 %."""
    share = 1 / np.arange(1, values + 1) ** 0.9
    share = np.minimum(share / share.sum(), 0.075)
    counts = np.maximum((share / share.sum() * records).astype(np.int64), 1)
    counts[0] += records - counts.sum()
    return counts


def settings(records: int, least: int) -> int:
    """Return how many settings the unpruned search validates."""
    lists = (PairList.of(records, a, b) for a in range(least, LARGEST) for b in range(a + 1, LARGEST + 1))
    return sum(len(pairs) for pairs in lists if pairs is not None)


def timed(counts: Ints, most_cells: float) -> str:
    """Return one line: settings, and seconds and loss with each pruning."""
    caps_of, least, _ = problem(counts, 8)
    feasible = settings(int(counts.sum()), least)
    cells, losses = [], set()
    for pruning in (Pruning.NONE, Pruning.LOSS, Pruning.FULL):
        if pruning is Pruning.NONE and feasible * len(counts) > most_cells:
            cells.append(f"{'-':>10}")
            continue
        start = time.perf_counter()
        found = two_sizes(counts, caps_of, least, LARGEST, pruning=pruning)
        cells.append(f"{time.perf_counter() - start:>10.3f}")
        losses.add(None if found is None else loss_of(found))
    assert len(losses) == 1, "all prunings find the same optimum"
    return f"{feasible:>12,} " + " ".join(cells)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["loss", "records", "values"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/census_workers.csv.gz"))
    parser.add_argument("--ilp", action="store_true")
    parser.add_argument("--records", type=int, nargs="+", default=[10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7])
    parser.add_argument("--of", type=int, default=500_000, help="records of `values`")
    parser.add_argument("--factors", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--most-cells", type=float, default=2e10)
    args = parser.parse_args()
    if args.what == "loss":
        loss(args.data, args.ilp)
        return
    print("theta 8, M' = 50; seconds of one search")
    print(f"{'records':>10} {'values':>7} {'settings':>12} {'unpruned':>10} {'loss':>10} {'full':>10}")
    cases = [(n, 50) for n in args.records] if args.what == "records" else [(args.of, 50 * f) for f in args.factors]
    for n, m in cases:
        print(f"{n:>10} {m:>7} {timed(power_law(n, m), args.most_cells)}", flush=True)


if __name__ == "__main__":
    main()
