"""The attack of the report beside a stronger learner, judged on true values.

    python benchmarks/attack.py FILE --sa COLUMN [--gamma 5] [--records 40000] [--drop COLUMN,...] [--trees 60]

Prints the share of right guesses as the external edition estimates it and as the internal one judges it, of each of the
report's attackers, and those of gradient boosting by scikit-learn's trees on the corrected likelihood
(`pip install --group benchmark`), taught by one half of the release and judged on the other.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sklearn.tree import DecisionTreeRegressor

from splu_desktop.core import sanitise
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.guarantees.attackers import Figures
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk import attack
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.core.transition.two_numbers import Transition
from splu_desktop.files.importer import read
from tests.seeded import Seeded

_RATE, _LEAF, _DEPTH = 0.3, 100, 6


def boosted(features: np.ndarray, shown: np.ndarray, matrix: np.ndarray, share: np.ndarray, trees: int) -> np.ndarray:
    """Return (N, m) beliefs of each half of the records by trees taught on the other half."""
    likely, half = matrix[:, shown].T, np.arange(len(shown)) % 2
    result = np.empty((len(shown), len(share)))
    for taught in (0, 1):
        here = half == taught
        score = np.tile(np.log(share), (len(shown), 1))
        for number in range(trees):
            beliefs = _softmax(score)
            joint = beliefs * likely
            slope = joint / joint.sum(axis=1, keepdims=True) - beliefs
            tree = DecisionTreeRegressor(
                max_depth=_DEPTH, min_samples_leaf=_LEAF, max_features=0.5, random_state=number
            )
            leaves = tree.fit(features[here], slope[here]).apply(features)
            moved, weight = (np.zeros((tree.tree_.node_count, len(share))) for _ in range(2))
            np.add.at(moved, leaves[here], slope[here])
            np.add.at(weight, leaves[here], slope[here] ** 2)
            score += _RATE * np.clip(moved / (weight + 5), -4, 4)[leaves]
        result[~here] = _softmax(score[~here])
    return result


def _softmax(score: np.ndarray) -> np.ndarray:
    power = np.exp(score - score.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sa", required=True)
    parser.add_argument("--gamma", type=int, default=5)
    parser.add_argument("--records", type=int, default=40_000)
    parser.add_argument("--drop", default="")
    parser.add_argument("--trees", type=int, default=60)
    args = parser.parse_args()
    table = read(args.file).table
    table = table.select([name for name in table.names if name not in args.drop.split(",")])
    some = np.random.default_rng(0).permutation(table.n)[: args.records]
    table = Table(tuple(each.compacted() for each in table.take(some).columns))
    n, texts = table.n, np.array([str(i) for i in range(table.n)], dtype=object)
    row = Column("(row)", Kind.CATEGORY, np.arange(n, dtype=np.int32), texts, np.zeros(n, bool))
    roles = {name: Role.SA if name == args.sa else Role.NSA for name in (*table.names, row.name)}
    made = sanitise.run(
        Table((*table.columns, row)), Plan(roles=roles, draws={args.sa: PlainGroups(args.gamma)}), randomness=Seeded(1)
    )
    published = replace(made, table=made.table.select(table.names))
    order = made.table[row.name].labels[made.table[row.name].codes].astype(np.int64)
    began = time.perf_counter()
    carried = attack.attack(published, args.sa)
    took = time.perf_counter() - began
    ours, theirs = attack.align(table, published.table)
    judged = attack.judged(carried, theirs, ours, published.nsas)
    print(f"{args.file.name}, {args.sa}, gamma {args.gamma}: {n:,} records, {len(published.nsas)} NSAs, {took:.1f} s")
    print(f"  strongest: {judged.learner}; betrayed {100 * judged.betrayed:.1f} %")
    for told, true in zip(carried.attack.figures, judged.figures, strict=True):
        _show(true, told.right)
    _show(attack.from_original(ours, published.nsas, args.sa), None)
    transition = Transition.of(published, args.sa)
    if transition.matrix is None or len(transition.counts) > 60:
        return
    true, shown = ours[args.sa].codes[order], published.table[args.sa].codes
    codes = np.stack([published.table[name].codes for name in published.nsas], axis=1).astype(np.float32)
    beliefs = boosted(codes, shown, transition.matrix, np.maximum(transition.counts, 0.5) / n, args.trees)
    with_row = beliefs * transition.matrix[:, shown].T
    with_row /= with_row.sum(axis=1, keepdims=True)
    for name, each in (("trees", beliefs), ("trees-and-row", with_row)):
        right, sure = each.argmax(axis=1) == true, each.max(axis=1)
        known = [float((sure >= least).mean()) for least in (0.8, 0.95)]
        _show(Figures(name, float(right.mean()), *known, None, None), None)


def _show(figures: Figures, told: float | None) -> None:
    estimated = "" if told is None else f"  estimated {100 * told:5.1f} %"
    known = f"known at 80 % {100 * figures.known_80:5.1f} %, at 95 % {100 * figures.known_95:5.1f} %"
    print(f"  {figures.name:<20} right {100 * figures.right:5.1f} %  {known}{estimated}")


if __name__ == "__main__":
    main()
