"""Draws per person on a table in which persons have several records: bias, coverage, and what all their rows tell.

    python -m benchmarks.persons [TABLE.csv[.gz]] [--gamma 5] [--releases 20]

The table is diabetes130 (101,766 admissions of 71,518 persons, 1 to 40 each). Questions are each value of an unchanged
column with each frequent diagnosis; "today" draws each record by itself.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from splu_desktop.core import sanitise
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.by_person import ByPerson, persons
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.files.importer import read

_PERSON, _SENSITIVE = "patient_nbr", "diag_1"
_TIMES = "records of the person"
_KEPT = (_TIMES, "number_inpatient", "age", "gender", "race", "insulin")
_BANDS = ((1, 50), (50, 150), (150, 500), (500, 1500), (1500, 100_000))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--gamma", type=int, default=5)
    parser.add_argument("--releases", type=int, default=20)
    args = parser.parse_args(arguments)
    table = read(args.table).table
    column = table[_PERSON]
    own = np.bincount(persons(column))[persons(column)]
    how_many = np.select([own == 1, own == 2, own <= 5, own <= 10], ["1", "2", "3 to 5", "6 to 10"], "more")
    table = replace(table, columns=(*table.columns, Column.from_labels(_TIMES, how_many.tolist())))
    roles = {name: Role.NSA if name in _KEPT else Role.DROPPED for name in table.names}
    roles |= {_SENSITIVE: Role.SA, _PERSON: Role.IDENTIFIER}
    sensitive = table[_SENSITIVE]
    frequent = np.flatnonzero(sensitive.counts() >= 200)
    asked, true, weight = [], [], []
    who = persons(table[_PERSON])
    times = np.bincount(who)
    print(f"{table.n:,} records of {len(times):,} persons, at most {times.max()} each")
    print(f"sum k^2 / sum k = {(times**2).sum() / times.sum():.2f}")
    for name in _KEPT:
        column = table[name]
        counts = np.zeros((column.m, sensitive.m), np.int64)
        np.add.at(counts, (column.codes, sensitive.codes), 1)
        for at in np.flatnonzero(column.counts() >= 200):
            for code in frequent:
                asked.append((Condition(name, (str(column.labels[at]),)), _value(table, int(code))))
                true.append(int(counts[at, code]))
                weight.append(f"{name}: {column.labels[at]}" if name == _TIMES else name)
    truth = np.array(true)
    for title, way in (("per person", ByPerson(_PERSON, "draw")), ("today", None)):
        plan = Plan(roles, {_SENSITIVE: PlainGroups(args.gamma)}, persons=way)
        print(f"\n{title}, gamma {args.gamma}, {args.releases} releases")
        _measure(table, plan, asked, truth, np.array(weight), args.releases)


def _value(table: Table, code: int) -> Condition:
    return Condition(_SENSITIVE, (str(table[_SENSITIVE].labels[code]),))


def _measure(
    table: Table, plan: Plan, asked: list[tuple[Condition, ...]], truth: np.ndarray, names: np.ndarray, releases: int
) -> None:
    estimates, inside = [], []
    for _ in range(releases):
        reader = Reader(sanitise.run(table, plan))
        answers = reader.answers(asked, Method.UNBIASED)
        estimates.append([answer.estimate for answer in answers])
        inside.append([one.low <= t <= one.high for one, t in zip(answers, truth, strict=True)])
    off, held = np.array(estimates) - truth, np.array(inside)
    scatter = off.std(axis=0, ddof=1)
    surprise = np.divide(off.mean(axis=0), scatter, out=np.zeros_like(scatter), where=scatter > 1)
    print(f"{'':32}{'cells':>7}{'rel. rmse':>11}{'bias / sd':>11}{'coverage':>10}")
    for low, high in _BANDS:
        mine = (truth >= low) & (truth < high)
        if mine.any():
            _line(f"{low}-{high}", off[:, mine], truth[mine], surprise[mine], held[:, mine])
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        _line(name, off[:, mine], np.maximum(truth[mine], 1), surprise[mine], held[:, mine])


def _line(title: str, off: np.ndarray, truth: np.ndarray, surprise: np.ndarray, held: np.ndarray) -> None:
    error = float(np.median(np.sqrt((off**2).mean(axis=0)) / truth))
    print(f"{title:32}{len(truth):7}{error:11.3f}{surprise.mean():11.2f}{held.mean():10.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
