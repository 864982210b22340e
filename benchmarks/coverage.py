"""How often 95 % intervals hold the truth: every draw, every column of every table, values, sets and pairs of columns.

    python benchmarks/coverage.py [--data ../shared/data] [--kinds plain sets pairs tolerances joined together persons]
        [--only WORD] [--queries 2000] [--records 12000] [--first 10] [--most 40] [--fewest 300]

Tables: those of `--data` (a sample of their records), generated ones in which one value fills 30 to 45 % (4, 6 and 20
values, going strongly with the columns asked about), five of a hospital's shape, and one of 300 records. Gammas: 2, 5
and the largest that a column allows. Bands with fewer than `--fewest` questions are left out. All questions of a
release share its draw, so a case gets `--first` releases, and more, `--most` at most, while a band's coverage less two
standard errors, those between releases, lies below 93 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from splu_desktop.core import sanitise
from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import GROUPS, JOINED, by_tolerances, gamma_tolerances
from splu_desktop.core.errors import SpluError
from splu_desktop.core.estimate import Method
from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.workload import draw, measure
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from tests.seeded import Seeded

FILES = ("adult.csv.gz", "census_workers.csv.gz", "diabetes130.csv.gz", "linelist_raw.xlsx", "sparcs_1000.csv")
LEAST = 0.93  # asked for


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


@dataclass(frozen=True)
class Case:
    """What is released and asked."""

    name: str
    table: Table
    plan: Plan
    sas: tuple[str, ...]
    sets: bool = False


def tables(data: Path, records: int) -> Iterator[tuple[str, Table]]:
    """Yield all tables, the real ones cut to a sample of their records."""
    for top in (0.30, 0.35, 0.40, 0.45):
        for values in (4, 6, 20):
            yield f"generated {top:.2f} of {values}", generated(top, values, records)
    for seed in range(5):
        yield f"hospital {seed}", hospital(seed)
    yield "tiny 0.40 of 5", generated(0.40, 5, 300, 9)
    for file in FILES:
        table = read(data / file).table
        kept = np.sort(np.random.default_rng(1).permutation(table.n)[:records])
        yield file.split(".")[0], Table(tuple(c.with_codes(c.codes[kept]).compacted() for c in table.columns))


def cases(name: str, table: Table, kinds: list[str]) -> Iterator[Case]:
    """Yield all that is tried on a table."""
    codes = [c.name for c in table.columns if c.kind is Kind.CATEGORY and 1 < c.m <= table.n // 4]
    codes = ["s"] if "s" in table else ["code", "exit"] if "code" in table else codes
    others = [c.name for c in table.columns if 1 < c.m <= table.n // 2]

    def case(title: str, draws: dict[str, Draw], *, sets: bool = False, person: str = "") -> Case:
        kept = [one for one in others if one not in draws and one != person][:12]
        roles = dict.fromkeys(kept, Role.NSA) | dict.fromkeys(draws, Role.SA)
        by = ByPerson(person, "draw") if person else None
        roles |= {person: Role.IDENTIFIER} if person else {}
        said = ", ".join(f"{one} {table[one].counts().max() / table.n:.2f} of {table[one].m}" for one in draws)
        title = f"{name}: {said}, {title}"
        return Case(title, table.select(list(roles)), Plan(roles, draws, persons=by), tuple(draws), sets)

    for sa in codes:
        largest = largest_gamma(table[sa])
        for gamma in sorted({2, min(5, largest), largest} if largest > 1 else ()):
            if "plain" in kinds:
                yield case(f"gamma {gamma}", {sa: PlainGroups(gamma)})
            if "sets" in kinds and table[sa].m > 5:
                yield case(f"gamma {gamma}, sets", {sa: PlainGroups(gamma)}, sets=True)
        for kind, way in (("tolerances", GROUPS), ("joined", JOINED)):
            if kind in kinds:
                top = [str(table[sa].labels[table[sa].counts().argmax()])]
                for free in ([], top):
                    try:
                        found = by_tolerances(table[sa], gamma_tolerances(table[sa], 5, free), way)
                    except SpluError:
                        continue
                    words = f"{kind}, tolerances of gamma 5{' but for the most frequent' if free else ''}"
                    yield case(words, {sa: found})
                    if "sets" in kinds and table[sa].m > 5:
                        yield case(f"{words}, sets", {sa: found}, sets=True)
        if "persons" in kinds and "patient_nbr" in table and largest > 2:
            yield case("gamma 3, by person", {sa: PlainGroups(3)}, person="patient_nbr")
    chance = np.random.default_rng(2)
    able = [sa for sa in (codes if len(codes) > 1 else others) if largest_gamma(table[sa]) > 1]
    for _ in range(4 if len(able) > 1 else 0):
        both = [able[at] for at in sorted(chance.choice(len(able), 2, replace=False).tolist())]
        if "pairs" in kinds:
            for gamma in (2, 5):
                draws = {sa: PlainGroups(min(gamma, largest_gamma(table[sa]))) for sa in both}
                yield case(f"gamma {gamma}", dict(draws))
                yield case(f"gamma {gamma}, sets", dict(draws), sets=True)
        if "together" in kinds:
            yield case("gamma 3, together", dict(planned(table, both, 3)))


def judge(case: Case, args: argparse.Namespace) -> str:
    """Return a line on a case: coverage by band, with the standard error of the least."""
    nsas = list(case.plan.named(Role.NSA))
    asked = draw(case.table, nsas, list(case.sas), size=args.queries, sets=case.sets, seed=3)
    full = np.bincount(asked.band, minlength=6) >= args.fewest
    if not full.any():
        return "no band has questions enough"
    found: list[np.ndarray] = []
    covered = error = np.full(len(full), np.inf)
    while len(found) < args.first or (len(found) < args.most and (covered - 2 * error)[full].min() < LEAST):
        release = sanitise.run(case.table, case.plan, randomness=Seeded(len(found)))
        found.append(measure(asked, [release], [Method.POOLED]).coverage)
        covered = np.mean(found, axis=0)
        error = np.std(found, axis=0, ddof=1) / len(found) ** 0.5 if len(found) > 1 else covered
    bands = " ".join(f"{100 * c:.1f}" if told else "-" for c, told in zip(covered, full, strict=True))
    least = int(np.argmin(np.where(full, covered, 2)))
    low = " BELOW 93" if covered[least] < LEAST else ""
    return f"{bands}  least {100 * covered[least]:.1f} +- {100 * error[least]:.1f} of {len(found)} releases{low}"


def main() -> None:
    """Print one line per case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--kinds", nargs="+", default=["plain"])
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--queries", type=int, default=2_000)
    parser.add_argument("--records", type=int, default=12_000)
    parser.add_argument("--fewest", type=int, default=300, help="questions of a band that is judged")
    parser.add_argument("--first", type=int, default=6)
    parser.add_argument("--most", type=int, default=40)
    args = parser.parse_args()
    for name, table in tables(args.data, args.records):
        for case in cases(name, table, args.kinds):
            if args.only in case.name:
                start = time.process_time()
                try:
                    said = judge(case, args)
                except SpluError as fault:
                    said = str(fault)
                print(f"{case.name}: {said}  ({time.process_time() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
