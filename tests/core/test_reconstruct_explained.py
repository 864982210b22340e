"""How the unchanged columns explain that two sensitive ones go together."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.query.engine import Engine
from splu_desktop.core.query.several_sas import Several
from splu_desktop.core.reconstruct.explained import Design, together
from splu_desktop.core.reconstruct.weights import weights_by_value
from splu_desktop.core.table import Table
from tests.core.published_tables import release, table_of

_N, _VALUES = 60_000, 6


def linked(n: int = _N, *, by_town: bool) -> Table:
    """Return a table whose two SAs both go with the town, or with nothing at all."""
    chance = np.random.default_rng(20)
    town = chance.integers(0, _VALUES, n)
    moved = [np.where(chance.random(n) < 0.5, town, chance.integers(0, _VALUES, n)) for _ in range(2)]
    if not by_town:
        moved = [chance.permutation(column) for column in moved]
    return table_of(
        {
            "town": np.char.add("t", town.astype(str)),
            "street": np.char.add("s", chance.integers(0, 300, n).astype(str)),
            "disease": np.char.add("d", moved[0].astype(str)),
            "ward": np.char.add("w", moved[1].astype(str)),
        }
    )


def d_of(table: Table) -> np.ndarray:
    """Return (ward, disease) d over the whole table, from a release with gamma 3."""
    published = release(table, {"disease": 3, "ward": 3})
    engine = Engine(published)
    design = Design.of(published)
    assert design is not None
    fits = {}
    for sa in ("disease", "ward"):
        through, codes = engine.transition(sa), engine.codes(sa)

        def crossed(name: str, groups: np.ndarray, codes: np.ndarray = codes, m: int = _VALUES) -> np.ndarray:
            found = np.zeros((int(groups.max()) + 1, m))
            np.add.at(found, (groups[published.table[name].codes], codes), 1.0)
            return found

        fits[sa] = design.fitted(through, weights_by_value(through), crossed), through.counts / published.n
    (beta, shares), (other, others) = fits["disease"], fits["ward"]
    return np.array([together(design, beta, shares, other[:, at], others[at], None) for at in range(_VALUES)])


def test_what_the_columns_explain_is_found() -> None:
    """Both SAs keep the town's number with probability 0.5 + 0.5/6 = 7/12, else 1/12.

    So d is 6 (49 + 5)/144 = 2.25 for equal numbers and 6 (7 + 7 + 4)/144 = 0.75 for others. Over 24 releases d was
    2.19 +- 0.08 and 0.76 +- 0.07; the bounds are five standard deviations away, missed by one in 100,000 of 36 cells.
    """
    d = d_of(linked(by_town=True))
    assert np.diag(d) == pytest.approx(2.25, abs=0.5)
    assert d[~np.eye(_VALUES, dtype=bool)] == pytest.approx(0.75, abs=0.35)


def test_columns_that_explain_nothing_change_nothing() -> None:
    """As above; the truth is 1."""
    assert d_of(linked(by_town=False)) == pytest.approx(1.0, abs=0.1)


def test_a_release_without_other_columns_has_no_design() -> None:
    table = table_of({"disease": np.array(["a", "b", "c", "d"] * 30), "ward": np.array(["x", "y", "z"] * 40)})
    published = release(table, {"disease": 2, "ward": 2})
    assert Design.of(published) is None
    assert (Several(Engine(published))._together("disease", "ward", np.array([True, False, False]), None) > 0).all()


def test_many_columns_of_many_values_stay_few_groups() -> None:
    chance = np.random.default_rng(3)
    columns = {f"c{at}": chance.integers(0, 400, 2_000) for at in range(60)}
    table = table_of({**columns, "disease": np.array(["a", "b", "c", "d"] * 500)})
    design = Design.of(release(table, {"disease": 2}))
    assert design is not None
    assert len(design.mean) <= 500
    assert design.places.max() == len(design.mean) - 1
