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
KINDS = ("", "_80", "_95")  # of the rows: all, and those known at 80 and 95 %


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
    found: dict[str, list[tuple[bool, float]]] = {kind: [] for kind in KINDS}
    for name, table, gamma in made(parser.parse_args().seed):
        most = largest_gamma(table[SENSITIVE])
        published, _ = released(table, max(2, min(gamma, most)), 1)
        carried = attack.attack(published, SENSITIVE)
        ours, theirs = attack.align(table, published.table)
        judged = attack.judged(carried, theirs, ours, published.nsas)
        print(f"{name}, {table.n:,} records, {table[SENSITIVE].m} values, gamma {gamma} of {most}")
        for said, true in zip(carried.attack.figures, judged.figures, strict=True):
            for kind in KINDS:
                ends, really = getattr(said, f"ends{kind}"), getattr(true, f"right{kind}")
                if ends is not None and really is not None:
                    inside = ends[0] <= really <= ends[1]
                    found[kind].append((inside, ends[1] - ends[0]))
                    print(
                        f"    {said.name + kind:<24} {ends[0]:6.1%} to {ends[1]:6.1%}  "
                        f"({getattr(said, f'right{kind}'):6.1%})  true {really:6.1%}{'' if inside else '  missed'}",
                        flush=True,
                    )
    for kind, each in found.items():
        held, widths = zip(*each, strict=True)
        print(f"right{kind}: {sum(held)} of {len(held)} hold the true share; median width {np.median(widths):.1%}")


if __name__ == "__main__":
    main()
