"""Tables unlike the sample get a proposal that is useful and defensible, and a verdict that pandas counts alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from splu_desktop.core.audience import Audience
from splu_desktop.core.policy import USEFUL, Proposal, propose
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import DrawInput, prepare
from tests.core.unseen_tables import TABLES


def shown(prepared: DrawInput) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what goes out, before the draw, with the person and class of each row; and which of it is missing."""
    columns = prepared.table.columns
    frame = pd.DataFrame({each.name: each.labels[each.codes].astype(str) for each in columns})
    missing = pd.DataFrame({each.name: each.missing[each.codes] for each in columns})
    return frame.assign(_person=prepared.owner, _class=prepared.row_class), missing


def certainty(found: Proposal, frame: pd.DataFrame, missing: pd.DataFrame) -> tuple[float, float]:
    """Return how often a shown secret value is right, on average and in the riskiest class (law 2)."""
    averages, most = [0.0], [0.0]
    for name in found.plan.sensitive:
        secret = ~missing[name] & ~frame[name].isin(found.plan.public_values.get(name, ()))
        bearers = frame[secret].groupby(["_class", name]).size()
        pi = bearers / frame.groupby("_class").size().reindex(bearers.index, level="_class")
        right = pi + (1 - pi) / found.plan.block_of(name).draw.gamma
        averages.append(float((right * bearers).sum() / bearers.sum()))
        most.append(float(right.max()))
    return max(averages), max(most)


@pytest.mark.parametrize("name", TABLES)
def test_unseen_tables_get_a_useful_proposal_whose_figures_pandas_counts_alike(name: str) -> None:
    table = TABLES[name](np.random.default_rng(5))
    for who in ("colleague", "partner", "public"):
        found = propose(table, Audience(who))
        figures, limits, plan = found.verdict.figures, found.verdict.limits, found.plan
        frame, missing = shown(prepare(table, plan))
        assert found.verdict.state == USEFUL, who
        assert figures.persons == frame["_person"].nunique()
        if plan.knowable:
            # How many rows a person has left is published, too.
            told = ["_class"] if plan.draws_persons else []
            alike = frame.groupby([*plan.knowable, *told])["_person"].transform("nunique")
            each = alike.groupby(frame["_person"]).min()
            assert figures.alike.smallest == each.min() >= limits.alike
            assert figures.alike.below(2) == (each < 2).sum() == 0
        average, riskiest = certainty(found, frame, missing)
        assert figures.certainty.average == pytest.approx(average)
        assert figures.certainty.riskiest == pytest.approx(riskiest)
        assert average <= limits.average + 1e-9
        assert riskiest <= limits.riskiest + 1e-9
        for reach in found.verdict.figures.tables:
            asked = reach.table
            inside = ~missing[asked.sa] & (True if asked.value is None else frame[asked.sa] == asked.value)
            cells = frame[inside].groupby([*asked.by, asked.sa]).size()
            assert reach.cells == (cells >= 50).sum()
            # No cell is said to be readable that the law of its own class does not tell within the error.
            told = cells >= (1.96 / asked.within) ** 2 * (1 - 1 / plan.gamma**2)
            assert reach.readable <= (told & (cells >= 50)).sum()
            # Nobody named it, so it is not asked for where it could not be read by itself.
            assert reach.readable >= limits.useful * reach.cells > 0
        naming = [column for column in table.names if column in ("Patienten-ID", "subject", "lab_no", "patient", "pid")]
        assert all(plan.roles[column] is Role.IDENTIFIER for column in naming)
