"""An invented hospital as a CSV file, and the command line on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splu_desktop.cli import main

DIAGNOSES = ("none", "flu", "asthma", "gout", "Ménière, type “1”", "=cmd|' /C calc'!A0", "HIV")


def hospital(rows: int = 4_000, seed: int = 0, rows_each: int = 1) -> pd.DataFrame:
    """Return stays of persons, each with as many rows on average."""
    rng = np.random.default_rng(seed)
    people = rows // rows_each
    who = rng.permutation(np.arange(rows) % people)
    sex, age = rng.choice(["female", "male"], people), rng.integers(18, 90, people)
    weights = np.array([0.45, 0.2, 0.12, 0.1, 0.08, 0.04, 0.01])
    lean = np.where(age[:, None] > 60, np.array([0.7, 1, 1.4, 1.6, 1, 1, 1]), 1.0) * weights
    chance = (lean / lean.sum(axis=1, keepdims=True)).cumsum(axis=1)
    value = (rng.random(rows)[:, None] > chance[who]).sum(axis=1).clip(0, len(weights) - 1)
    return pd.DataFrame(
        {
            "patient_id": [f"P{each:06}" for each in who],
            "sex": sex[who],
            "age": age[who],
            "ward": rng.choice(["north", "south", "east"], rows),
            "diagnosis": np.array(DIAGNOSES)[value],
            "smoker": np.where(rng.random(rows) < 0.25, "yes", "no"),
        }
    )


def write(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path, index=False)
    return path


class Splu:
    """The command line, and what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *words: object) -> int:
        """Return the exit status."""
        self._capsys.readouterr()
        try:
            status = main([str(word) for word in words])
        except SystemExit as left:
            status = int(left.code or 0)
        self.out, self.err = self._capsys.readouterr()
        return status

    def json(self, *words: object) -> Any:
        """Return the object that a command prints with --json."""
        self(*words, "--json")
        return json.loads(self.out)
