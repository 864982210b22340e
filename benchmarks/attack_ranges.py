"""Whether the external edition's range of right guesses holds the true share, on made tables.

    .venv/bin/python -m benchmarks.attack_ranges [--seed 1300]

Twenty tables of 2,000 to 12,000 records, four attackers each: twelve whose columns tell the sensitive one more or less,
four of a hospital's shape, four that tell nothing of it and have a value near the eligibility limit. Prints ends,
estimate and true share of each.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
import numpy as np

from benchmarks.coverage import generated, hospital
from splu_desktop.core.groups.forming import largest_gamma
from splu_desktop.core.risk import attack
from splu_desktop.core.table import Table
from tests.core.test_attack import released, telling

SENSITIVE = "s"


def made(seed: int) -> Iterator[tuple[str, Table, int]]:
    """Give tables, the sensitive column named "s", and the gamma to draw it with."""
    for each in range(seed, seed + 12):
        chance = np.random.default_rng(each)
        size, values, others = (int(chance.integers(*ends)) for ends in ((2_000, 12_000), (3, 20), (2, 16)))
        table = telling(size, values, others, each, float(chance.choice([0.12, 0.18, 0.3])))
        yield f"telling {each}", table, int(chance.integers(2, 7))
    for each in range(4):
        table = hospital(seed + each)
        table = table.take(np.arange(min(table.n, 6_000)))
        told = ("code", "exit")[each % 2]
        columns = (replace(column, name=SENSITIVE) if column.name == told else column for column in table.columns)
        yield f"hospital {seed + each}", Table(tuple(column.compacted() for column in columns)), 2
    for each, (top, values) in enumerate(((0.24, 7), (0.32, 6), (0.17, 15), (0.45, 5))):
        table = generated(top, values, n=8_000, seed=seed + each)
        yield f"silent {top:.0%}", table, largest_gamma(table[SENSITIVE]) - each % 2


def main() -> None:
    """Attack and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1_300)
    held, widths = 0, []
    for name, table, gamma in made(parser.parse_args().seed):
        most = largest_gamma(table[SENSITIVE])
        published, _ = released(table, max(2, min(gamma, most)), 1)
        carried = attack.attack(published, SENSITIVE)
        ours, theirs = attack.align(table, published.table)
        judged = attack.judged(carried, theirs, ours, published.nsas)
        print(f"{name}, {table.n:,} records, {table[SENSITIVE].m} values, gamma {gamma} of {most}")
        for said, true in zip(carried.attack.figures, judged.figures, strict=True):
            if said.ends is not None:
                low, high = said.ends
                widths.append(high - low)
                held += (inside := low <= true.right <= high)
                print(
                    f"    {said.name:<20} {low:6.1%} to {high:6.1%}  ({said.right:6.1%})  true {true.right:6.1%}"
                    f"{'' if inside else '  missed'}",
                    flush=True,
                )
    print(f"{held} of {len(widths)} hold the true share; median width {np.median(widths):.1%}")


if __name__ == "__main__":
    main()
