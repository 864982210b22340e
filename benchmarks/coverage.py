"""How often 95 % intervals of every estimator hold the truth, for skewed columns with plain groups, over many releases.

    python benchmarks/coverage.py [--data ../shared/data] [--releases 20] [--queries 3000] [--columns N] [--largest]

For each table of `--data`, the columns in which one value fills 25 to 50 % of the records, and generated columns in
which one does (30, 35, 40 and 45 %; 4, 6 and 20 values; going strongly with the columns asked about), and five tables
of a hospital's shape, each at gamma 2 and at the largest gamma it allows.
Bands with fewer than 300 questions are left out. All questions of a release share its draw: a band's coverage strays by
some 2 points among 10 releases, by 1.4 among 20.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from splu_desktop.core import sanitise
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.estimate import Method
from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.workload import draw, measure
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from tests.seeded import Seeded

FILES = ("adult.csv.gz", "census_workers.csv.gz", "diabetes130.csv.gz", "linelist_raw.xlsx", "sparcs_1000.csv")
FEWEST = 300  # questions of a band that is judged


def generated(top: float, values: int, n: int = 40_000, seed: int = 3) -> Table:
    """Return a table whose column "s" goes strongly with three others, and of which one value fills `top`."""
    chance = np.random.default_rng(seed)
    rest = 1 / np.arange(1, values) ** 0.8
    for _ in range(50):
        rest = np.minimum(rest / rest.sum() * (1 - top), 0.97 * top)
    level = chance.normal(size=n)
    order = np.argsort(np.argsort(level + 0.7 * chance.normal(size=n)))
    s = np.searchsorted(np.round(np.cumsum([top, *rest]) * n), order, side="right").clip(max=values - 1)
    columns = {"sex": chance.integers(0, 2, n)}
    for number, (noise, cuts) in enumerate([(0.3, 4), (0.5, 8), (0.7, 5), (1.0, 12), (1.5, 3), (2.0, 7)]):
        seen = level + noise * chance.normal(size=n)
        columns[f"q{number}"] = np.digitize(seen, np.quantile(seen, np.linspace(0, 1, cuts + 1)[1:-1] ** 1.5))
    columns["s"] = s
    return Table(tuple(Column.from_labels(name, codes.astype(str).astype(object)) for name, codes in columns.items()))


def hospital(seed: int) -> Table:
    """Return a table like a hospital's: skewed flags, codes that follow age and ward, stays with a long tail.

    3,000 to 40,000 admissions; "code" has 12 to 60 values whose first fills 25 to 45 %, "exit" 5 whose first does.
    """
    chance = np.random.default_rng(1_000 + seed)
    n, codes = int(10 ** chance.uniform(3.5, 4.6)), int(chance.integers(12, 61))
    age = np.clip(chance.gamma(9, 7, n), 0, 100)
    sex = chance.integers(0, 2, n)
    ward = np.minimum((chance.exponential(1.6, n) + age / 40).astype(int), 9)
    illness = chance.normal(size=n) + age / 25 + 0.4 * ward
    order = np.argsort(np.argsort(illness + chance.normal(size=n)))
    tail = 1 / np.arange(1, codes) ** 1.1
    first = chance.uniform(0.25, 0.45)
    shares = np.r_[first, tail / tail.sum() * (1 - first)]
    code = np.searchsorted(np.round(np.cumsum(shares) * n), order, side="right").clip(max=codes - 1)
    stay = np.ceil(chance.lognormal(1 + 0.02 * code, 0.8, n)).clip(1, 90)
    worse = np.argsort(np.argsort(0.5 * illness + 0.3 * np.log(stay) + chance.normal(size=n)))
    left = np.digitize(worse / n, np.cumsum([chance.uniform(0.35, 0.45), 0.25, 0.15, 0.1]))
    flags = {f"flag{k}": chance.random(n) < 0.03 * (k + 1) * (1 + (code % 5 == k)) for k in range(4)}
    seen = {
        "sex": sex,
        "age": (age // 10).astype(int),
        "ward": ward,
        "stay": np.digitize(stay, [2, 3, 5, 8, 15, 30]),
        **{name: flag.astype(int) for name, flag in flags.items()},
        "code": code,
        "exit": left,
    }
    return Table(tuple(Column.from_labels(name, found.astype(str).astype(object)) for name, found in seen.items()))


def cases(data: Path, most: int) -> Iterator[tuple[str, Table, str]]:
    """Yield name, table and sensitive column of every case."""
    for top in (0.30, 0.35, 0.40, 0.45):
        for values in (4, 6, 20):
            yield f"generated {top:.2f} of {values}", generated(top, values), "s"
    for seed in range(5):
        table = hospital(seed)
        for sa in ("code", "exit"):
            yield (
                f"hospital {seed} {sa} {table[sa].counts().max() / table.n:.2f} of {table[sa].m}, n {table.n}",
                table,
                sa,
            )
    for file in FILES:
        table = read(data / file).table
        codes = [c for c in table.columns if c.kind is Kind.CATEGORY and c.m > 2]
        skewed = [c for c in codes if 0.25 <= c.counts().max() / c.n <= 0.5]
        for column in sorted(skewed, key=lambda c: abs(c.counts().max() / c.n - 0.4))[:most]:
            yield f"{file} {column.name} {column.counts().max() / column.n:.2f} of {column.m}", table, column.name


def main() -> None:
    """Print one line per case, gamma and band."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--releases", type=int, default=20)
    parser.add_argument("--queries", type=int, default=3_000)
    parser.add_argument("--columns", type=int, default=5, help="of each table at most")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--methods", default="pooled")
    args = parser.parse_args()
    for name, table, sa in cases(args.data, args.columns):
        if args.only not in name:
            continue
        start = time.perf_counter()
        nsas = [c.name for c in table.columns if c.name != sa and 1 < c.m <= table.n // 2][:12]
        asked = draw(table, nsas, [sa], size=args.queries, seed=3)
        table = table.select([*nsas, sa])
        for gamma in sorted({2, largest_gamma(table[sa])} - {0, 1}):
            plan = Plan({n: Role.SA if n == sa else Role.NSA for n in table.names}, {sa: PlainGroups(gamma)})
            for method in map(Method.named, args.methods.split(",")):
                found = [
                    measure(asked, [sanitise.run(table, plan, randomness=Seeded(seed))], [method])
                    for seed in range(args.releases)
                ]
                full = found[0].queries >= FEWEST
                covered = np.mean([one.coverage for one in found], axis=0)
                bands = " ".join(f"{100 * c:.1f}" if told else "-" for c, told in zip(covered, full, strict=True))
                worst = f"least {100 * covered[full].min():.1f}" if full.any() else "no band has questions enough"
                print(f"{name}, gamma {gamma}, {method.value}: {bands}  {worst}", flush=True)
        print(f"  {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
