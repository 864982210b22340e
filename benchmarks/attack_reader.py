"""Naive Bayes as a reader programs it from the report's own words, beside the internal edition's figures.

    splu report RELEASE --internal --source FILE --out internal.json
    .venv/bin/python -m benchmarks.attack_reader RELEASE internal.json FILE [--forest]

Nothing of the program is used: the release's table.csv and release.json, and what the report prints below its attack.
Right guesses are judged against the source (delimited text), rows being told apart by their unchanged columns; where
several agree in all of these, by the chance of each true value under T. `--forest` adds a random forest (scikit-learn,
`pip install --group benchmark`) whose shares of the shown values are undone by the inverse of T.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FEW, HALF = 10, 0.5
RARE, ALONE = 20, 64  # records below which sensitive values are one, and how many are told apart


class Release:
    """What a recipient has, and what the source then tells of it."""

    def __init__(self, folder: Path, source: Path, sensitive: str) -> None:
        facts = json.loads((folder / "release.json").read_text("utf-8"))
        texts: dict[str, Any] = {"dtype": str, "keep_default_na": False, "encoding": "utf-8-sig"}
        self.table, self.truth = pd.read_csv(folder / "table.csv", **texts), pd.read_csv(source, **texts)
        said = {column["name"]: column for column in facts["columns"]}
        self.unchanged = [name for name, column in said.items() if column["role"] == "nsa"]
        self.numbers = {name for name, column in said.items() if column["kind"] in ("integer", "decimal")}
        self.dates = {name for name, column in said.items() if column["kind"] in ("date", "datetime")}
        self.sensitive, self.draw = sensitive, facts["transitions"]["columns"][sensitive]
        self.values = said[sensitive]["domain"]
        place = {value: at for at, value in enumerate(self.values)}
        self.shown = self.table[sensitive].map(place).to_numpy()
        self.n, self.m = len(self.table), len(place)
        counts = self.draw.get("counts", np.bincount(self.shown, minlength=self.m))
        self.share = np.asarray(counts, np.float64) / self.n
        if "T" in self.draw:
            self.chances = np.array(self.draw["T"], np.float64)
        else:
            self.chances = np.tile((1 - self.draw["a"]) * self.share / (1 - self.share), (self.m, 1))
            np.fill_diagonal(self.chances, self.draw["a"])
        rows = pd.concat([each[self.unchanged].agg("\x1f".join, axis=1) for each in (self.table, self.truth)])
        alike = pd.factorize(rows)[0]
        self.here, there = alike[: self.n], alike[self.n :]
        true = self.truth[sensitive].map(place)
        self.having = np.zeros((alike.max() + 1, self.m))
        np.add.at(self.having, (there[true.notna()], true.dropna().astype(int)), 1)
        self.alike = np.maximum(np.bincount(there, minlength=len(self.having)), 1)

    def number(self, name: str) -> pd.Series:
        """Return what a column of numbers or dates counts, dates in days; NaN where a text is neither."""
        if name in self.numbers:
            return pd.to_numeric(self.table[name], errors="coerce")
        return (pd.to_datetime(self.table[name], errors="coerce") - pd.Timestamp(0)) / pd.Timedelta(days=1)

    @property
    def apart(self) -> Floats:
        """(m, M) which values are which: rare ones are one."""
        order = np.argsort(-self.share, kind="stable")
        alone = min(max(int((self.share * self.n >= RARE).sum()), 1), ALONE)
        return np.eye(min(alone + 1, self.m))[np.minimum(np.argsort(order), alone)]

    def undone(self, counts: Floats) -> Floats:
        """Return true counts (k, M) by the two numbers of groups of gamma, by the stated inverse else."""
        if "gamma" not in self.draw:
            return np.asarray(counts @ np.array(self.draw["inverse"], np.float64) @ self.apart)
        a, share = self.draw["a"], self.share @ self.apart
        b = (1 - a) * share / (1 - share)
        selected, told = counts.sum(axis=1, keepdims=True), a - b > 0.01
        return np.where(told, (counts @ self.apart - selected * b) / np.where(told, a - b, 1.0), selected * share)

    def judged(self, beliefs: Floats) -> tuple[float, float]:
        """Return the shares of right guesses without the row, and with it."""
        likely = self.chances[:, self.shown].T
        alone, read = beliefs.argmax(axis=1), (beliefs * likely).argmax(axis=1)
        having = self.having[self.here]
        paired = having * likely
        right = having[np.arange(self.n), alone] / self.alike[self.here]
        paired /= np.maximum(paired.sum(axis=1, keepdims=True), 1e-300)
        return float(right.mean()), float(paired[np.arange(self.n), read].mean())


def naive_bayes(release: Release, intervals: int, most: int | None) -> Floats:
    """Return (N, m) beliefs by the settings that the report prints."""
    share = release.share @ release.apart
    score = np.tile(np.log(np.maximum(share, 1e-9)), (release.n, 1))
    for name in release.unchanged:
        texts = release.table[name]
        if name in release.numbers | release.dates and texts.nunique() > intervals:
            numbers = release.number(name)
            cuts = np.unique(numbers.quantile(np.arange(1, intervals) / intervals))
            codes = np.where(numbers.isna(), intervals, np.searchsorted(cuts, numbers, side="right"))
        else:
            codes = np.asarray(texts.where(texts.map(texts.value_counts()) >= FEW, "\0"))
        codes, labels = pd.factorize(codes)
        if most is not None and len(labels) > most:
            continue
        counts = np.zeros((len(labels), release.m))
        np.add.at(counts, (codes, release.shown), 1)
        real = np.maximum(release.undone(counts), HALF)
        score += np.log(real / real.sum(axis=0))[codes]
    beliefs = np.exp(score - score.max(axis=1, keepdims=True))
    beliefs /= beliefs.sum(axis=1, keepdims=True)
    return np.asarray((beliefs / np.maximum(share, 1e-9)) @ release.apart.T * release.share)


def forest(release: Release) -> Floats:
    """Return (N, m) beliefs of a random forest about what rows show that it has not seen, undone."""
    from sklearn.ensemble import RandomForestClassifier  # only where it is asked for
    from sklearn.model_selection import cross_val_predict

    features = np.column_stack(
        [
            release.number(name).fillna(-1)
            if name in release.numbers | release.dates
            else pd.factorize(release.table[name])[0]
            for name in release.unchanged
        ]
    )
    learner = RandomForestClassifier(100, min_samples_leaf=20, random_state=0)
    shown = cross_val_predict(learner, features, release.shown, cv=4, method="predict_proba")
    real = np.maximum(shown @ np.linalg.pinv(release.chances), 1e-4)
    return np.asarray(real / real.sum(axis=1, keepdims=True))


def main() -> None:
    """Print the reader's figures beside the report's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("report", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("--forest", action="store_true")
    args = parser.parse_args()
    for each in json.loads(args.report.read_text("utf-8"))["original"]["disclosure"]:
        said, release = each["attack"], Release(args.release, args.source, each["attack"]["column"])
        reported = {figures["name"]: figures["right"] for figures in said["figures"]}
        print(f"{said['column']}: naive Bayes without the row, with it; the strongest learner likewise")
        print("  report  " + " ".join(f"{reported[k]:6.1%}" for k in ("naive-bayes", "naive-bayes-and-row")), end=" ")
        print(" ".join(f"{reported[k]:6.1%}" for k in ("release", "release-and-row")))
        learned = release.judged(naive_bayes(release, said["intervals"], said["labels"]))
        print("  reader  " + " ".join(f"{right:6.1%}" for right in learned), flush=True)
        if args.forest:
            print("  forest  " + " ".join(f"{right:6.1%}" for right in release.judged(forest(release))), flush=True)


if __name__ == "__main__":
    main()
