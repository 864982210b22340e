"""Times what the classify and plan pages ask of the core: 1 million records, 20 columns, 1,500 sensitive values.

    .venv/bin/python benchmarks/plan.py [--records 1000000] [--values 1500]

Prints the median and the worst of each figure: those behind the slider over gamma 2 to 50 at each epsilon, a trial of
every way to generalise, and the risk by all columns, for each column left out, and with one column on trial.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
sys.path.insert(0, str(Path(__file__).absolute().parent.parent))

import numpy as np

from splu_desktop.core import generalise as g
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees import planning, remedies
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.risk import uniqueness as risk
from splu_desktop.core.risk.giveaway import giveaways
from splu_desktop.core.table import Column, Kind, Table

EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


def categories(name: str, n: int, m: int, rng: np.random.Generator, steep: float = 1.5) -> Column:
    """Return n records over m labels, the frequent ones much more so; each label has a record."""
    share = 1 / np.arange(1, m + 1) ** steep
    codes = rng.choice(m, n, p=share / share.sum()).astype(np.int32)
    codes[:m] = np.arange(m)
    labels = np.array([f"{'CEIJKM'[i % 6]}{i // 6 % 100:02d}.{i // 600}" for i in range(m)], object)
    order = np.argsort(labels.astype(str))
    return Column(name, Kind.CATEGORY, np.argsort(order).astype(np.int32)[codes], labels[order], np.zeros(m, bool))


def numbers(name: str, n: int, rng: np.random.Generator) -> Column:
    """Return n charges, all of their cents."""
    values, codes = np.unique((rng.lognormal(8, 1, n) * 100).round() / 100, return_inverse=True)
    labels = np.array([f"{value:.2f}" for value in values], object)
    return Column(name, Kind.DECIMAL, codes.astype(np.int32), labels, np.zeros(len(values), bool), values)


def dates(name: str, n: int, rng: np.random.Generator) -> Column:
    """Return n dates of birth over 90 years."""
    days = np.arange(np.datetime64("1930-01-01"), np.datetime64("2020-01-01"))
    codes = rng.integers(0, len(days), n).astype(np.int32)
    codes[: len(days)] = np.arange(len(days))
    labels = np.array([str(day) for day in days], object)
    return Column(name, Kind.DATE, codes, labels, np.zeros(len(days), bool), days.astype("datetime64[us]"))


def timed(words: str, calls: list[Callable[[], object]]) -> None:
    """Time each call once and print."""
    times = []
    for call in calls:
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    print(f"{words:<62}{statistics.median(times):>10.1f}{max(times):>10.1f}{len(times):>7}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--values", type=int, default=1_500)
    args = parser.parse_args()
    n, rng = args.records, np.random.default_rng(1)
    sizes = [2, 2, 3, 4, 5, 5, 6, 8, 8, 10, 10, 12, 15, 20, 20, 30, 40, 80]
    columns = [categories(f"column {i}", n, m, rng, 2.0) for i, m in enumerate(sizes)]
    charge, born = numbers("charge", n, rng), dates("born", n, rng)
    secret = categories("diagnosis", n, args.values, rng, 0.6)
    table = Table((*columns, charge, born, secret))
    names = [name for name in table.names if name != "diagnosis"]
    print(f"{n:,} records, {len(names)} columns published unchanged, {secret.m:,} sensitive values")
    print(f"{'milliseconds':<62}{'median':>10}{'worst':>10}{'calls':>7}")

    counts = secret.counts()
    settings = [(gamma, Thresholds(epsilon=e)) for e in EPSILONS for gamma in range(2, 51)]
    grid = guarantees.T_E_GRID
    timed("both curves, a move of the slider", [
        lambda gamma=gamma, asked=asked: (
            guarantees.t_f_curve(gamma, asked.epsilon, grid),
            guarantees.small_count_curve(gamma, asked.epsilon, 60),
        )
        for gamma, asked in settings
    ])  # fmt: skip
    timed("the table of values", [
        lambda gamma=gamma, asked=asked: planning.plan_values(counts, n, gamma, asked) for gamma, asked in settings
    ])  # fmt: skip
    timed(
        "trade-off over all gammas",
        [lambda e=e: planning.trade_off(counts, n, Thresholds(epsilon=e)) for e in EPSILONS],
    )
    timed("eligibility of a sensitive column", [lambda: remedies.eligibility(secret) for _ in range(9)])

    ways: dict[str, tuple[Column, Callable[[], g.Steps]]] = {
        f"intervals of a width, {charge.m:,} numbers": (charge, lambda: (g.by_width(charge, 1000),)),
        "intervals by quantiles": (charge, lambda: (g.by_quantiles(charge, 10),)),
        f"age bands, {born.m:,} dates": (born, lambda: (g.Age(date(2020, 1, 1)), g.by_cuts([18, 40, 65]))),
        "quarters": (born, lambda: (g.DatePart(g.Part.QUARTER),)),
        f"prefix, {secret.m:,} codes": (secret, lambda: (g.Prefix(length=3),)),
        "chapters": (secret, lambda: (g.Chapter("icd10"),)),
        "rare values": (secret, lambda: (g.Rare(100),)),
    }
    for words, (column, steps) in ways.items():
        timed(f"found and tried: {words}", [lambda c=column, s=steps: g.column_after(c, s()) for _ in range(5)])

    banded = {"charge": (g.by_quantiles(charge, 10),), "born": (g.Age(date(2020, 1, 1)), g.by_cuts([18, 40, 65]))}
    after = g.table_after(table, banded)
    timed("risk by all columns, as they are", [lambda: risk.risk(table, names) for _ in range(3)])
    timed("risk by all columns, generalised", [lambda: risk.risk(after, names) for _ in range(3)])
    timed("what leaving out each column would change", [lambda: risk.causes(after, names)])
    rest = risk.others(after, names, "born")
    timed("risk with one column on trial", [lambda: risk.with_column(rest, after["born"]) for _ in range(9)])
    timed("columns that give the sensitive one away", [lambda: giveaways(after, names, ["diagnosis"])])


if __name__ == "__main__":
    main()
