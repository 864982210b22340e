"""The recipient's kit against the program on releases of every draw, and by other Pythons without packages.

    python benchmarks/kit.py [--questions 300] [--draw plain] [--python python3.9 --python ...]

Prints for each draw how many of the counts (both estimates and the ends of their intervals) differ by more than 1 in
10,000, and for each Python how many answers of every kind, typed with -I -S, differ from this one's.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from splu_desktop.core import sanitise
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.files.release.folder import read_release
from tests.files.kit_releases import kit, plans, table_of
from tests.files.test_kit import VALUES, questions
from tests.seeded import Seeded
from tests.written import write_release


def differing(folder: Path, number: int) -> int:
    """Return how many of so many counts the kit answers otherwise than the program."""
    release, published = kit().Release(folder), read_release(folder).published
    reader, found = Reader(published), 0
    for asked in questions(published, number):
        conditions = [Condition(column, tuple(values)) for column, values in asked.items()]
        for method in ("unbiased", "bayes"):
            ours, theirs = reader.answer(conditions, Method.named(method)), release.count(asked, method)
            ends = [[one.estimate, one.low, one.high] for one in (ours, theirs)]
            found += not np.allclose(*ends, rtol=1e-4, atol=1e-3)
    return found


def every_kind(sa: str) -> list[list[str]]:
    """Return one question of each kind, as typed on the command line."""
    met = f"{sa}={VALUES[sa]}"
    return [
        ["count", "ward=B", met],
        ["count", "ward=B", met, "--method", "bayes"],
        ["share", met, "--where", "ward=B"],
        ["difference", met, f"{sa}!={VALUES[sa]}", "--where", "ward=B"],
        ["ratio", met, f"{sa}!={VALUES[sa]}"],
        ["odds-ratio", "age=20..49", met],
        ["mean", "age", met],
        ["quantile", "age", "--q", "0.5", met],
        ["trend", met, "--by", "day:quarter"],
        ["crosstab", "ward", sa],
        ["logit", met, "--on", "age", "--on", "ward"],
        ["poisson", met, "--on", "age"],
    ]


def said(python: str, folder: Path, asked: list[str]) -> str:
    """Return what the release's own file answers, run by a Python without packages; its refusal where it refuses."""
    call = [python, "-I", "-S", str(folder / "splu_release.py"), *asked, "--json"]
    ran = subprocess.run(call, capture_output=True, text=True, check=False)
    return ran.stdout or ran.stderr


def alike(one: str, other: str) -> bool:
    """Return whether two answers are the same but for what rounding leaves: from 3.12 on sums round otherwise."""
    number = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
    ours, theirs = (np.array(number.findall(text), np.float64) for text in (one, other))
    same = number.sub("#", one) == number.sub("#", other)
    return same and bool(np.allclose(ours, theirs, rtol=1e-7, atol=1e-9))


def main() -> None:
    """Print a line for each draw and Python."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--records", type=int, default=2_500)
    parser.add_argument("--draw", action="append")
    parser.add_argument("--python", action="append", default=[])
    args = parser.parse_args()
    table = table_of(args.records)
    with tempfile.TemporaryDirectory() as base:
        for name, plan in plans(table).items():
            if args.draw and name not in args.draw:
                continue
            folder = write_release(sanitise.run(table, plan, randomness=Seeded(3)), Path(base) / name).folder
            if args.questions:
                print(f"{name}: {differing(folder, args.questions)} of {2 * args.questions} counts differ", flush=True)
            asked = every_kind(next(iter(plan.draws)))
            own = [said(sys.executable, folder, each) for each in asked] if args.python else []
            for python in args.python:
                other = sum(not alike(said(python, folder, each), one) for each, one in zip(asked, own, strict=True))
                print(f"{name}: {python}: {other} of {len(asked)} answers differ", flush=True)


if __name__ == "__main__":
    main()
