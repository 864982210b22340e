"""What the classify page shows of a column, against counting by hand, on columns of every kind."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.table import Column, Kind
from splu_desktop.gui.base.facts import column_facts


@given(st.lists(st.sampled_from(["", "1", "2", "3.5", "10", "?"]), min_size=1, max_size=60), st.booleans())
def test_facts_are_those_of_counting(texts: list[str], question_is_missing: bool) -> None:
    labels = np.array(sorted(set(texts)), dtype=object)
    absent = np.array([t == "" or (t == "?" and question_is_missing) for t in labels])
    values = np.array([np.nan if t in ("", "?") else float(t) for t in labels])
    codes = np.array([labels.tolist().index(t) for t in texts], np.int32)
    column = Column.from_codes("x", codes, labels, absent, values, kind=Kind.DECIMAL)
    facts = column_facts(column)
    counts = Counter(texts)
    missing = {"", "?"} if question_is_missing else {""}
    assert facts.missing == sum(counts[t] for t in missing)
    assert facts.distinct == len(set(texts) - missing)
    assert facts.top_share == pytest.approx(max(counts.values()) / len(texts))
    assert counts[facts.top] == max(counts.values())
    assert facts.largest_gamma == min(len(texts) // max(counts.values()), len(counts))
    numbers = sum(counts[t] for t in ("1", "2", "3.5", "10"))
    assert sum(facts.bars) * len(texts) == pytest.approx(numbers if facts.distinct else 0)


def test_dates_with_a_text_among_them_have_facts() -> None:
    labels = np.array(["2024-01-01", "2024-02-01", "unknown"], dtype=object)
    values = np.array(["2024-01-01", "2024-02-01", "NaT"], "datetime64[us]")
    column = Column.from_codes("d", np.array([0, 1, 1, 2]), labels, np.zeros(3, bool), values, kind=Kind.DATE)
    facts = column_facts(column)
    assert facts.distinct == 3
    assert sum(facts.bars) == pytest.approx(0.75)
