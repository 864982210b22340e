"""Ranges asked of labels that are intervals, and records without a value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.answer.conditions import Condition, parse_condition, takes_range
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.generalise.intervals import interval_labels
from splu_desktop.core.interval_texts import interval_ends
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column, Kind, Table
from tests.core.releases import Releases, table


def column(labels: list[str], missing: tuple[str, ...] = ()) -> Column:
    texts = np.array([*labels, *missing], dtype=object)
    gone = np.array([text in missing for text in texts])
    return Column("age", Kind.CATEGORY, np.arange(len(texts), dtype=np.int32), texts, gone)


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(-50, 200), min_size=2, max_size=8), st.booleans(), st.data())
def test_a_range_that_follows_the_cuts_selects_the_intervals_between(
    cuts: set[int], whole: bool, data: st.DataObject
) -> None:
    ordered = sorted(cuts)
    labels = interval_labels([float(cut) for cut in ordered], whole=whole)
    shuffled = data.draw(st.permutations(labels))
    made = column(list(shuffled), ("NA",))
    assert takes_range(made)
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(labels) - 1)] * 2)))
    low = "" if first == 0 else f"{ordered[first - 1]}"
    high = "" if last == len(labels) - 1 else f"{ordered[last] - 1}"
    if not low and not high:
        return
    chosen = Condition("age", (), low, high).select(made)
    assert set(made.labels[chosen]) == set(labels[first : last + 1])


@pytest.mark.parametrize(
    ("labels", "text", "chosen"),
    [
        (["[0-10)", "[10-20)", "[20-30)"], "10..29", ["[10-20)", "[20-30)"]),
        (["0-9", "10-19", "20+"], "..19", ["0-9", "10-19"]),
        (["0–9", "10–19", "20 and over"], "10..", ["10–19", "20 and over"]),
        (["below 0.5", "0.5 to below 1.5", "1.5 and more"], "0.5..", ["0.5 to below 1.5", "1.5 and more"]),
        (["below 18", "18", "19 to 64", "65 and more"], "18..64", ["18", "19 to 64"]),
        (["0.5 to 1.4", "1.5 to 2.4"], "0.5..1.4", ["0.5 to 1.4"]),
    ],
)
def test_intervals_are_read_however_they_are_written(labels: list[str], text: str, chosen: list[str]) -> None:
    low, _, high = text.partition("..")
    made = column(labels)
    assert made.labels[Condition("age", (), low, high).select(made)].tolist() == chosen


@pytest.mark.parametrize(
    "labels",
    [
        ["1", "2", "3"],
        ["a to b", "1 to 2"],
        ["1 to 5", "4 to 8"],
        ["9 to 3", "10 to 12"],
        ["Aa", "Bb"],
        ["2024-03", "x"],
    ],
)
def test_other_labels_are_no_intervals(labels: list[str]) -> None:
    assert interval_ends(column(labels)) is None


def released(**columns: np.ndarray) -> Published:
    marked = [
        Column(c.name, c.kind, c.codes, c.labels, np.isin(c.labels.astype(str), ["", "NA", "?"]))
        for c in table(columns).columns
    ]
    return Releases(Table(tuple(marked)), {("illness",): 3}).draw(1)


@pytest.fixture(scope="module")
def published() -> Published:
    chance = np.random.default_rng(2)
    return released(
        age=chance.choice(["below 20", "20 to 39", "40 and more"], 3_000),
        town=chance.choice(["Aa", "Bb", "NA", "?"], 3_000),
        sex=chance.choice(["f", "m"], 3_000),
        illness=chance.choice(["flu", "cold", "gout", "mumps", ""], 3_000),
    )


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("illness=", ("",)),
        ("illness= (Empty) ", ("",)),
        ("illness=flu|(empty)", ("flu", "")),
        ("town=", ("?", "NA")),
        ("town=(empty)", ("?", "NA")),
        ("town=Aa|(empty)", ("Aa", "?", "NA")),
        ("age=20..39|40..", ("20 to 39", "40 and more")),
        ("age=20–39|>= 40", ("20 to 39", "40 and more")),
        ("age=[20, 40)|<20", ("20 to 39", "below 20")),
    ],
)
def test_records_without_a_value_can_be_asked_for(published: Published, text: str, labels: tuple[str, ...]) -> None:
    condition = parse_condition(text, published)
    assert set(condition.values) == set(labels)
    codes = published.table[condition.column].codes
    shown = np.isin(codes, [published.table[condition.column].code_of(label) for label in labels]).sum()
    assert Reader(published).answer([condition]).published_count == shown


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sex=", "chooses nothing; name a value"),
        ("sex=(empty)", "No published record has sex = “(empty)”"),
        ("age=20..45", "45 is not where one of them begins or ends"),
        ("age=25..39", "25 is not where one of them begins or ends"),
        ("age=40..20", "backwards"),
        ("age=old..", "not a number"),
        ("age=20–40", "No published record"),
        ("town=Aa..Bb", "No published record"),
    ],
)
def test_what_can_not_be_answered_is_one_sentence(published: Published, text: str, part: str) -> None:
    with pytest.raises(BadQuestion) as fault:
        Reader(published).answer([parse_condition(text, published)])
    assert part in str(fault.value)
    assert str(fault.value).endswith(".")
    assert "\n" not in str(fault.value)


def test_counts_over_intervals_add_up(published: Published) -> None:
    reader = Reader(published)
    parts = [
        reader.answer([parse_condition(text, published)]).published_count
        for text in ("age=..19", "age=20..39", "age=40..")
    ]
    assert sum(parts) == published.n
    assert reader.answer([parse_condition("age=..39", published)]).published_count == sum(parts[:2])
