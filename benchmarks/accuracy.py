"""Error and coverage of the estimators by size of the true count (mechanism.md section 4, journal section 6).

    python benchmarks/accuracy.py FILE --sa COLUMN [--sa COLUMN2] [--gamma 3 5 10] [--queries 6000] [--releases 20]
        [--sets] [--from-records] [--papers-groups] [--intervals COLUMN:10] [--nsa COLUMN,...]

Questions: one to three NSA conditions and one value of each SA (`--sets`: two to five values), half of the selections
with the values of a random record, half with uniform ones; each band of true counts gets an equal share
(`splu_desktop.core.query.workload`). `--from-records` asks what random records say instead, NSA and SA values alike,
which is how the table of mechanism.md section 4 comes out. Every release is asked the same questions.

Error is the mean of |estimate - truth| / truth; coverage the share of 95 % intervals (the default's) that hold the
truth; "ratio" the default's error over that of "as-published", "best" over that of the best of all estimators asked;
"unsafe" the share of true counts of 1 to 3 that are answered wrong by more than 30 %, to be compared with T_P.
`--papers-groups` answers "as-published" from releases with the papers' groups (largest buckets first, not mixed; the
last N mod gamma records keep their values), as the papers did, beside our groups for all others.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.speed import papers_loop
from splu_desktop.core import sanitise
from splu_desktop.core.errors import SpluError
from splu_desktop.core.groups import forming as groups
from splu_desktop.core.guarantees.exact import t_p
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Method
from splu_desktop.core.query.selection import Selector
from splu_desktop.core.query.workload import BANDS, Measured, Workload, bands_of, draw, measure
from splu_desktop.core.randomness import below, permutation
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from tests.draws import plain
from tests.seeded import Seeded

_WIDEST_SHARE = (
    0.5  # a column with more distinct values than this share of the records identifies them: not asked about
)


_TRIES = 10  # records looked at for each question wanted


def draw_from_records(table: Table, nsas: Sequence[str], sas: Sequence[str], *, size: int, seed: int) -> Workload:
    """Draw questions that each repeat what one random record says: one to three NSA values and a value of every SA.

    This is how the table of mechanism.md section 4 comes out; `draw` asks harder questions, since its rare values meet
    wide selections as well. Each band gets its equal share while records are found for it. Parameters as for `draw`.
    """
    chance = np.random.default_rng(seed)
    selector = Selector(table)
    left = np.full(len(BANDS) + 1, -(-size // (len(BANDS) + 1)))
    questions: list[tuple[Condition, ...]] = []
    truth: list[int] = []
    for _ in range(_TRIES * size):
        if not left.any():
            break
        record = int(chance.integers(table.n))
        count = int(chance.integers(1, min(3, len(nsas)) + 1))
        names = [nsas[at] for at in sorted(chance.choice(len(nsas), count, replace=False).tolist())]
        codes = {name: int(table[name].codes[record]) for name in [*names, *sas]}
        records = selector.records([(name, (np.arange(table[name].m) == codes[name]).tobytes()) for name in names])
        if records is None:
            continue
        meets = np.ones(len(records), bool)
        for sa in sas:
            meets &= table[sa].codes[records] == codes[sa]
        true = int(meets.sum())
        band = int(bands_of(np.array([true]), table.n)[0])
        if band < 0 or not left[band]:
            continue
        left[band] -= 1
        questions.append(tuple(Condition(name, (str(table[name].labels[code]),)) for name, code in codes.items()))
        truth.append(true)
    true_counts = np.array(truth, np.int64)
    return Workload(tuple(questions), true_counts, bands_of(true_counts, table.n), table.n)


def in_intervals(column: Column, count: int) -> Column:
    """Return a numeric column cut into `count` intervals of about equally many records."""
    if column.values is None:
        raise SystemExit(f"{column.name} is not numeric")
    numbers = column.values[column.codes]
    edges = np.unique(np.nanquantile(numbers, np.linspace(0, 1, count + 1)))
    place = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    labels = np.array([f"{low:g} to {high:g}" for low, high in itertools.pairwise(edges)], dtype=object)
    return Column(column.name, Kind.CATEGORY, place.astype(np.int32), labels, np.zeros(len(labels), bool))


def papers_release(table: Table, gammas: dict[str, int], seed: int) -> Published:
    """Return a release with the papers' groups."""
    source = Seeded(seed)
    order = permutation(source, table.n)
    columns = []
    for column in table.columns:
        if column.name in gammas:
            gamma = gammas[column.name]
            members = papers_loop(column.codes[order], column.m, gamma)
            drawn = below(source, gamma, members.size).reshape(members.shape)
            codes = column.codes[order].copy()
            codes[members] = codes[np.take_along_axis(members, drawn.astype(np.int64), axis=1)]
            back = np.empty(table.n, np.int32)
            back[order] = codes
            column = column.with_codes(back).compacted()
        columns.append(column)
    return Published(Table(tuple(columns)), plain(gammas))


def main() -> None:
    """Print one table per gamma."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sa", action="append", required=True)
    parser.add_argument("--nsa", help="columns to ask about, by comma; otherwise all but near-unique ones")
    parser.add_argument("--gamma", type=int, nargs="+", default=[3, 5, 10])
    parser.add_argument("--queries", type=int, default=6_000)
    parser.add_argument("--releases", type=int, default=20)
    parser.add_argument("--methods", default=",".join(method.value for method in Method))
    parser.add_argument("--sets", action="store_true")
    parser.add_argument("--from-records", action="store_true")
    parser.add_argument("--papers-groups", action="store_true")
    parser.add_argument("--intervals", action="append", default=[], metavar="COLUMN:COUNT")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    table = read(args.file).table
    for text in args.intervals:
        name, _, count = text.rpartition(":")
        cut = in_intervals(table[name], int(count))
        table = replace(table, columns=tuple(cut if column.name == name else column for column in table.columns))
    nsas = (
        args.nsa.split(",")
        if args.nsa
        else [
            column.name
            for column in table.columns
            if column.name not in args.sa and 1 < column.m <= _WIDEST_SHARE * table.n
        ]
    )
    table = table.select([*nsas, *args.sa])
    start = time.perf_counter()
    if args.from_records:
        workload = draw_from_records(table, nsas, args.sa, size=args.queries, seed=args.seed)
    else:
        workload = draw(table, nsas, args.sa, size=args.queries, sets=args.sets, seed=args.seed)
    print(
        f"{args.file.name}, {' and '.join(args.sa)}: {table.n:,} records, {len(workload.questions):,} questions"
        f"{' over sets' if args.sets else ''}, {args.releases} releases"
    )
    for gamma in args.gamma:
        gammas = {sa: min(gamma, groups.largest_gamma(table[sa])) for sa in args.sa}
        roles = {name: Role.SA if name in gammas else Role.NSA for name in table.names}
        try:
            releases = [
                sanitise.run(table, Plan(roles, plain(gammas)), randomness=Seeded(args.seed * 1000 + number))
                for number in range(args.releases)
            ]
        except SpluError as fault:
            print(fault)
            continue
        measured = measure(workload, releases, [Method.named(name) for name in args.methods.split(",")])
        if args.papers_groups:
            papers = [papers_release(table, gammas, args.seed * 1000 + number) for number in range(args.releases)]
            measured.errors[Method.AS_PUBLISHED] = measure(workload, papers, [Method.AS_PUBLISHED]).errors[
                Method.AS_PUBLISHED
            ]
        show(measured, gammas, markdown=args.markdown)
    print(f"{time.perf_counter() - start:.0f} s")


def _ratios(errors: dict[Method, float]) -> list[str]:
    """Return the default's error over that of "as published", and over that of the best."""
    mine = errors.get(DEFAULT, np.nan)
    printed = errors.get(Method.AS_PUBLISHED, np.nan)
    return [f"{mine / printed:.2f}", f"{mine / min(errors.values()):.2f}"]


def show(measured: Measured, gammas: dict[str, int], *, markdown: bool) -> None:
    """Print one table: bands down, estimators across."""
    methods = list(measured.errors)
    head = ["true count / N", "queries", *[method.value for method in methods], "ratio", "best", "covered"]
    rows = [
        [
            name,
            str(measured.queries[at]),
            *[f"{measured.errors[method][at]:.3f}" for method in methods],
            *_ratios({method: float(errors[at]) for method, errors in measured.errors.items()}),
            f"{100 * measured.coverage[at]:.1f} %",
        ]
        for at, name in enumerate(measured.names)
    ]
    least = min(t_p(gamma, "0.3", 3) for gamma in gammas.values())
    unsafe = [f"{measured.unsafe[method]:.3f}" for method in methods]
    rows.append(["unsafe, 1 to 3", str(measured.small), *unsafe, "", "", f"T_P {least:.3f}"])
    print(f"\ngamma {', '.join(f'{gamma} ({name})' for name, gamma in gammas.items())}")
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for number, row in enumerate([head, *rows]):
        cells = [
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print(("| " + " | ".join(cells) + " |") if markdown else "  ".join(cells))
        if markdown and not number:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
