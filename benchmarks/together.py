"""Errors of answers about flags drawn together and one by one (mechanism.md section 9), and what together costs.

    .venv/bin/python benchmarks/together.py [--releases 10] [--diabetes FILE.csv.gz]

Generated: 15,750 admissions, 35 flags that go by how ill one is, 27 of them below 16 %, gamma 5. Root mean square error
of unbiased estimates, divided by the true count, over cells of unchanged columns: one flag; two flags drawn one by one
in random groups; two flags drawn together in random groups; the same with the caps that every promise needs, which is
what the program does. With a file of diabetes130, its drug columns with “No”, “Steady”, “Up” and “Down” likewise.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.draw.together import Together, planned
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.randomness import SystemRandomness
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table

_BANDS = ((50, 150), (150, 500), (500, 1500))
_RECORDS, _FLAGS = 15_750, 35
_MOST_ASKED = 120  # questions of one kind


def generated() -> tuple[Table, list[str], list[str], dict[str, str]]:
    """Return admissions, their unchanged columns, their flags and the value of each that is asked for."""
    chance = np.random.default_rng(7)
    ill = chance.gamma(2.0, 0.5, _RECORDS)
    shares = np.concatenate([np.exp(chance.uniform(np.log(0.01), np.log(0.16), 27)), chance.uniform(0.16, 0.4, 8)])
    columns = [
        Column.from_labels("sex", chance.choice(["f", "m"], _RECORDS).tolist()),
        Column.from_labels("age", chance.choice(["30", "40", "50", "60", "70"], _RECORDS).tolist()),
        Column.from_labels("ward", chance.choice(["A", "B", "C"], _RECORDS, p=[0.5, 0.3, 0.2]).tolist()),
    ]
    for at, share in enumerate(shares):
        has = chance.random(_RECORDS) < np.clip(share * ill, 0, 0.95)
        columns.append(Column.from_labels(f"flag {at + 1}", np.where(has, "yes", "no").tolist()))
    flags = [column.name for column in columns[3:]]
    return Table(tuple(columns)), ["sex", "age", "ward"], flags, dict.fromkeys(flags, "yes")


def diabetes(path: Path) -> tuple[Table, list[str], list[str], dict[str, str]]:
    """Return diabetes130 with the drugs that at least 1 in 200 records take."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if {"No", "Steady"} <= {row[name] for row in rows}]
    columns = [Column.from_labels(name, [row[name] for row in rows]) for name in ("gender", "age", "race", *names)]
    table = Table(tuple(columns))
    often = [name for name in names if table[name].n - table[name].counts().max() >= table.n / 200]
    return (
        table.select(("gender", "age", "race", *often)),
        ["gender", "age", "race"],
        often,
        dict.fromkeys(often, "Steady"),
    )


def questions(
    table: Table, nsas: list[str], flags: list[str], value: dict[str, str]
) -> dict[str, list[tuple[tuple[Condition, ...], int]]]:
    """Return questions about one and two flags in cells, with the true counts, evenly over the bands."""
    has = {name: table[name].codes == table[name].code_of(value[name]) for name in flags}
    cells = [()] + [
        tuple(zip(names, labels, strict=True))
        for size in (1, 2)
        for names in itertools.combinations(nsas, size)
        for labels in itertools.product(*(table[name].labels.tolist() for name in names))
    ]
    chance = np.random.default_rng(1)
    asked: dict[str, list[tuple[tuple[Condition, ...], int]]] = {}
    for kind, size in (("one", 1), ("two", 2)):
        pool: dict[tuple[int, int], list[tuple[tuple[Condition, ...], int]]] = {band: [] for band in _BANDS}
        for cell in cells:
            inside: NDArray[np.bool_] = np.ones(table.n, bool)
            for name, label in cell:
                inside &= table[name].codes == table[name].code_of(label)
            for chosen in itertools.combinations(flags, size):
                count = int(np.logical_and.reduce([inside, *(has[name] for name in chosen)]).sum())
                for low, high in _BANDS:
                    if low <= count < high:
                        said = (*cell, *((name, value[name]) for name in chosen))
                        pool[low, high].append((tuple(Condition(name, (label,)) for name, label in said), count))
        asked[kind] = [
            found[at]
            for found in pool.values()
            for at in chance.choice(len(found), min(_MOST_ASKED, len(found)), replace=False)
        ]
    return asked


def together(
    table: Table, plan: Plan, asked: dict[str, list[tuple[tuple[Condition, ...], int]]], releases: int
) -> None:
    """Print relative errors and coverage of each kind and band."""
    for kind, listed in asked.items():
        true = np.array([count for _, count in listed], float)
        estimates, held = [], []
        start = time.perf_counter()
        for _ in range(releases):
            answers = Reader(sanitise.run(table, plan)).answers([said for said, _ in listed], Method.UNBIASED)
            estimates.append([answer.estimate for answer in answers])
            held.append([one.low <= t <= one.high for one, t in zip(answers, true, strict=True)])
        show(kind, true, np.array(estimates), np.array(held))
        print(f"      {(time.perf_counter() - start) / releases:.1f} s a release, {len(listed)} questions")


def promise(table: Table, draws: dict[str, Together], value: dict[str, str], releases: int) -> None:
    """Print how often rows that show a flag are right, beside pi + (1 - pi) / gamma, all releases together."""
    names = list(draws)
    whole, shown, right = draws[names[0]].of_block(draws), np.zeros(len(names)), np.zeros(len(names))
    codes = [table[name].code_of(value[name]) for name in names]
    for _ in range(releases):
        for at, drawn in enumerate(whole.redraw_block(table, names, SystemRandomness(), SILENT)):
            there = drawn.codes == codes[at]
            shown[at] += there.sum()
            right[at] += (there & (table[names[at]].codes == codes[at])).sum()
    pi = np.array([table[name].counts()[code] / table.n for name, code in zip(names, codes, strict=True)])
    cap, rate = pi + (1 - pi) / whole.size, right / shown
    worst = int(np.argmax(rate - cap))
    error = (rate * (1 - rate) / shown) ** 0.5
    print(
        f"    rows that show a flag are right in {rate.mean():.3f}, {cap.mean():.3f} said; furthest above in "
        f"{rate[worst]:.3f} (+-{error[worst]:.3f}), {cap[worst]:.3f} said"
    )


def one_by_one(
    table: Table, flags: list[str], gamma: int, asked: list[tuple[tuple[Condition, ...], int]], releases: int
) -> None:
    """Print the same of pairs, each flag in random groups of its own: the product of both flags' weights."""
    chance = np.random.default_rng(3)
    n, true = table.n, np.array([count for _, count in asked], float)
    estimates = np.zeros((releases, len(asked)))
    inside = []
    for said, _ in asked:
        cell: NDArray[np.bool_] = np.ones(n, bool)
        for condition in said:
            if condition.column not in flags:
                cell &= table[condition.column].codes == table[condition.column].code_of(condition.values[0])
        inside.append(cell)
    for turn in range(releases):
        weights = {}
        for name, label in {(c.column, c.values[0]) for said, _ in asked for c in said if c.column in flags}:
            has = table[name].codes == table[name].code_of(label)
            order = chance.permutation(n)[: n // gamma * gamma].reshape(-1, gamma)
            shown = has.copy()
            shown[order] = has[np.take_along_axis(order, chance.integers(0, gamma, order.shape), axis=1)]
            weights[name] = gamma * (shown - (1 - 1 / gamma) * shown.mean())
        for at, (said, _) in enumerate(asked):
            product = np.prod([weights[c.column] for c in said if c.column in flags], axis=0)
            estimates[turn, at] = product[inside[at]].sum()
    show("two", true, estimates, None)


def show(kind: str, true: NDArray[np.float64], estimates: NDArray[np.float64], held: NDArray[np.bool_] | None) -> None:
    """Print a line for each band."""
    for low, high in _BANDS:
        there = (true >= low) & (true < high)
        if there.any():
            error = float(np.sqrt((((estimates[:, there] - true[there]) / true[there]) ** 2).mean()))
            covers = "" if held is None else f", 95 % intervals hold in {100 * held[:, there].mean():.1f} %"
            print(f"    {kind} of {low}-{high}: {error:.2f}{covers}")


def compare(table: Table, nsas: list[str], flags: list[str], value: dict[str, str], gamma: int, releases: int) -> None:
    """Print all ways for one table."""
    asked = questions(table, nsas, flags, value)
    roles = {name: Role.SA if name in flags else Role.NSA for name in table.names}
    start = time.perf_counter()
    draws = planned(table, flags, gamma)
    print(f"{table.n:,} records, {len(flags)} columns, gamma {gamma}; planned in {time.perf_counter() - start:.2f} s")
    print("  one by one, random groups")
    one_by_one(table, flags, gamma, asked["two"], releases)
    free = {name: replace(draw, caps=dict.fromkeys(draw.caps, gamma)) for name, draw in draws.items()}
    for words, chosen in (("together, random groups without caps", free), ("together, as the program draws", draws)):
        print(f"  {words}")
        together(table, Plan(roles, dict(chosen)), asked, releases)
        promise(table, dict(chosen), value, releases)
    ((names, whole),) = Plan(roles, dict(draws)).blocks.items()
    assert isinstance(whole, Together)
    print(f"  what it costs, {len(names)} columns: who knows all others and finds the row")
    for each in sorted(whole.recognised(table), key=lambda one: -one.certainty)[:5]:
        limit = float(whole.members[names.index(each.column)].confidence)
        print(
            f"    {each.column}: a protected value shown is right in {each.certainty:.2f} (alone at most {limit:.2f}), "
            f"read in {each.learnt:.2f}; {each.alone:.2f} of the combinations of the others are unique"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--releases", type=int, default=10)
    parser.add_argument("--gamma", type=int, default=5)
    parser.add_argument("--diabetes", type=Path)
    args = parser.parse_args()
    compare(*generated(), args.gamma, args.releases)
    if args.diabetes is not None:
        compare(*diabetes(args.diabetes), args.gamma, args.releases)


if __name__ == "__main__":
    main()
