"""Diabetes130 with 28 sensitive columns at one gamma: how long planning and publishing take, and how many cells hold.

    python -m benchmarks.drugs diabetes130.csv.gz [--gamma 3] [--releases 5]

Sensitive are the 23 drug columns, the three diagnoses, readmitted and A1Cresult, as gamma alone draws them; each record
by itself, and by person. The cross-table is readmitted by age and sex; a cell is reliable where the longer arm of its
95 % interval is at most half of the estimate. Seconds are those of the processor; each release is publishing in a
process of its own (`splu publish`), so that it counts gate, self-check, files and register.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.publish import SPLU
from splu_desktop.cli.base.planning import make_plan
from splu_desktop.core.query.answer import Badge
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.crosstab import table as crosstab
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Table
from splu_desktop.files.importer import read
from splu_desktop.files.release.folder import read_release

PERSON, LEAST = "patient_nbr", 300
DRUG = {"Up", "Steady", "Down", "No"}  # diabetes130 says all drugs by these; two columns of other names say yes and no


def sensitive(table: Table) -> list[str]:
    """Return the 28 columns."""
    drugs = [c.name for c in table.columns if "No" in set(map(str, c.labels)) <= DRUG]
    return [*drugs, "diag_1", "diag_2", "diag_3", "readmitted", "A1Cresult"]


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--gamma", type=int, default=3)
    parser.add_argument("--releases", type=int, default=5)
    args = parser.parse_args(arguments)
    table = read(args.table).table
    names = sensitive(table)
    start = time.process_time()
    make_plan(table, sensitive=names, gamma=args.gamma)
    print(f"{table.n:,} records, {len(names)} sensitive columns, gamma {args.gamma}")
    print(f"planned in {time.process_time() - start:.1f} s")
    for title, way in (("each record by itself", "record"), ("by person", "draw")):
        print(title)
        of, told = 0, []
        for _ in range(args.releases):
            seconds, reliable, cells = _released(args.table, names, args.gamma, way, table)
            told.append(reliable)
            of = cells
            print(f"  published in {seconds:.1f} s: {reliable} of {cells} cells above {LEAST} records reliable")
        print(f"  mean {100 * np.mean(told) / of:.0f} %, least {100 * min(told) / of:.0f} %")


def _released(source: Path, names: list[str], gamma: int, way: str, table: Table) -> tuple[float, int, int]:
    """Publish; return processor seconds, cells that are reliable and all whose true count is above LEAST."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "release"
        said = [each for name in names for each in ("--sa", name)]
        said += ["--gamma", str(gamma), "--person", f"{PERSON}={way}", "--out", str(out)]
        said += ["--person-reason", "a benchmark"] if way == "record" else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", SPLU, "publish", str(source), *said],
            env={**os.environ, "SPLU_DATA_DIR": str(Path(folder) / "data")},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        reader = Reader(read_release(out).published)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    sex, age, asked = table["gender"], table["age"], table["readmitted"]
    lines = [(Condition("age", (str(a),)), Condition("gender", (str(s),))) for a in age.labels for s in sex.labels]
    counted = crosstab(reader, lines, "readmitted")
    truth = np.zeros((age.m, sex.m, asked.m), np.int64)
    np.add.at(truth, (age.codes, sex.codes, asked.codes), 1)
    true = truth.reshape(-1, asked.m)[:, [asked.code_of(label) for label in counted.labels]]
    large = np.argwhere(true > LEAST).tolist()
    reliable = sum(counted.answers(line)[value].badge is Badge.RELIABLE for line, value in large)
    return seconds, reliable, len(large)


if __name__ == "__main__":
    main(sys.argv[1:])
