"""The attack programmed anew from mechanism.md alone, sections 3, 4 and 7: the report's figures lie within 3 points."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_desktop.core.risk.attack import attack
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from tests.core.risk_tables import coded, plan_for
from tests.seeded import Seeded

Codes = NDArray[np.int64]


def draw(true: Codes, owner: Codes, gamma: float, rng: np.random.Generator) -> Codes:
    """Persons whose rows stand side by side lend to those with as many rows."""
    sizes = np.bincount(owner)
    first, lender = np.cumsum(sizes) - sizes, np.arange(len(sizes))
    for size in np.unique(sizes):
        alike = np.flatnonzero(sizes == size)
        lender[alike] = np.where(rng.random(len(alike)) < 1 / gamma, alike, rng.choice(alike, len(alike)))
    parts = []
    for who, of in enumerate(lender.tolist()):
        rows = true[first[of] : first[of] + sizes[of]]
        parts.append(rows if of == who else rng.permutation(rows))
    return np.concatenate(parts)


def guess_right(true: Codes, shown: Codes, hints: list[Codes], owner: Codes, gamma: float) -> float:
    """How often the best guess is right of who knows shares, lifts drawn towards 1, and what a person's rows show."""
    n, m, a = len(true), int(true.max()) + 1, 1 / gamma
    share = np.bincount(shown, minlength=m) / n
    logs = np.tile(np.log(share), (n, 1))
    for hint in hints:
        seen = np.bincount(hint * m + shown, minlength=(hint.max() + 1) * m).reshape(-1, m)
        mu = seen.sum(axis=1, keepdims=True) * share
        x, v, t = (seen - (1 - a) * mu) / a, mu * (1 - a**2) / a**2, 0.0
        for _ in range(10):
            weight = mu**2 / (v + t * mu**2) ** 2
            t = max(float((weight * ((x - mu) ** 2 - v)).sum() / (weight * mu**2).sum()), 0.0)
        lift = 1 + t * mu**2 / (t * mu**2 + v) * (x - mu) / mu
        logs += np.log(np.maximum(lift, 0.02))[hint]
    by_hints, at = np.exp(logs - logs.max(axis=1, keepdims=True)), np.arange(n)
    by_hints /= by_hints.sum(axis=1, keepdims=True)
    odds = np.bincount(owner, np.log(by_hints[at, shown] / share[shown])).clip(-40, 40)
    kept = (1 / (1 + (gamma - 1) * np.exp(-odds)))[owner]
    sure = by_hints * (1 - kept)[:, None]
    sure[at, shown] += kept
    return float((sure.argmax(axis=1) == true).mean())


@pytest.mark.parametrize("gamma", [2, 5])
@pytest.mark.parametrize("most", [1, 6], ids=["rows", "persons"])
def test_rows_and_persons(most: int, gamma: float) -> None:
    rng = np.random.default_rng(most)
    owner = np.repeat(np.arange(12_000 // most), rng.integers(1, most + 1, 12_000 // most))
    true = rng.integers(0, 8, len(owner))
    hint = np.where(rng.random(len(owner)) < 0.5, true, rng.integers(0, 8, len(owner)))
    table = Table((coded("id", owner), coded("hint", hint), coded("finding", true)))
    plan = plan_for(table, [["finding"]], gamma, person="id")
    report = attack(prepare(table, plan), plan, randomness=Seeded(1))[0].right
    own = [guess_right(true, draw(true, owner, gamma, rng), [hint], owner, gamma) for _ in range(3)]
    assert report == pytest.approx(np.mean(own), abs=0.03)


@pytest.mark.parametrize("gamma", [2, 5])
def test_eight_columns_of_one_illness(gamma: float) -> None:
    """Without drawing lifts towards 1 the text's attack finds .38 at gamma 5, with it .41."""
    rng = np.random.default_rng(1)
    kind = rng.choice(10, 20_000, p=(share := 1 / np.sqrt(np.arange(1, 11))) / share.sum())
    signs = [np.where(rng.random(20_000) < 0.9, kind, rng.permutation(kind)) for _ in range(8)]
    table = Table((coded("sex", rng.integers(0, 2, 20_000)), *(coded(f"sign {at}", s) for at, s in enumerate(signs))))
    plan = plan_for(table, [[f"sign {at}"] for at in range(8)], gamma)
    report = attack(prepare(table, plan), plan, randomness=Seeded(1))[0].right
    owner = np.arange(20_000)
    shown = [draw(each, owner, gamma, rng) for each in signs]
    own = guess_right(signs[0], shown[0], [table["sex"].codes.astype(np.int64), *shown[1:]], owner, gamma)
    assert report == pytest.approx(own, abs=0.03)
