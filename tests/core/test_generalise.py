"""Laws of generalisation: a partition of the labels, order kept, missing stays missing, the same after being stored."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core import generalise as g
from splu_desktop.core.risk.ladders import ladder_of
from splu_desktop.core.table import Column, Kind, Table
from tests.columns import column_of

TEXTS = st.text("abAB12.- ", min_size=1, max_size=6)
CATEGORIES = st.lists(st.one_of(TEXTS, st.sampled_from(["", "?"])), min_size=1, max_size=60)
NUMBERS = st.lists(
    st.one_of(
        st.integers(-10_000, 10_000).map(str),
        st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: f"{x:.3f}"),
        st.sampled_from(["", "?"]),
    ),
    min_size=1,
    max_size=60,
)
DATES = st.lists(
    st.one_of(st.dates(date(1890, 1, 1), date(2030, 12, 31)).map(date.isoformat), st.just("")), min_size=1, max_size=60
)
CUTS = st.lists(st.floats(-1e5, 1e5, allow_nan=False), min_size=1, max_size=8, unique=True)
WORDS = st.text("XYZ", min_size=1, max_size=2)


@st.composite
def groups(draw: st.DrawFn) -> g.Groups:
    values = draw(st.lists(st.one_of(TEXTS, st.integers(-5, 5).map(str)), unique=True, max_size=8))
    names = draw(st.lists(WORDS, min_size=len(values), max_size=len(values)))
    members: dict[str, list[str]] = {}
    for name, value in zip(names, values, strict=True):
        members.setdefault(name, []).append(value)
    return g.Groups.of(members, draw(WORDS) if not members else draw(st.none() | WORDS))


PREFIXES = st.one_of(
    st.integers(1, 4).map(lambda n: g.Prefix(length=n)),
    st.sampled_from(".-1").map(lambda mark: g.Prefix(before=mark)),
    st.integers(1, 3).map(lambda n: g.Prefix(drop_last=n)),
)
RARES = st.builds(g.Rare, st.integers(2, 10), WORDS)
FOR_ALL = st.one_of(PREFIXES, RARES, groups(), st.just(g.OneMissing("none given")))
PARTS = st.sampled_from(g.Part).map(g.DatePart)
AGES = st.dates(date(2031, 1, 1), date(2060, 1, 1)).map(g.Age)


def columns_with_steps() -> st.SearchStrategy[tuple[Column, g.Steps]]:
    category = st.tuples(
        CATEGORIES.map(lambda r: column_of("c", r, missing=("", "?"))),
        st.lists(FOR_ALL, max_size=3).map(tuple),
    )
    number = st.tuples(
        NUMBERS.map(lambda r: column_of("c", r, kind=Kind.DECIMAL, missing=("", "?"))),
        st.one_of(CUTS.map(lambda c: (g.by_cuts(c),)), st.lists(FOR_ALL, max_size=2).map(tuple)),
    )
    dated = st.tuples(
        DATES.map(lambda r: column_of("c", r, kind=Kind.DATE)),
        st.one_of(
            PARTS.map(lambda p: (p,)),
            st.tuples(AGES, CUTS.map(g.by_cuts)),
            st.tuples(st.just(g.DatePart(g.Part.YEAR)), CUTS.map(g.by_cuts), RARES),
        ),
    )
    return st.one_of(category, number, dated)


@given(columns_with_steps())
def test_generalising_partitions_the_labels(case: tuple[Column, g.Steps]) -> None:
    column, steps = case
    after, to = g.label_map(column, steps)
    assert np.array_equal(after.codes, to[column.codes]), "records with equal labels stay equal"
    assert np.array_equal(g.column_after(column, steps).codes, after.codes)
    assert to.shape == (column.m,)
    assert set(to.tolist()) == set(range(after.m)), "every group has a label, every label one group"
    assert len(set(after.labels.tolist())) == after.m
    assert np.array_equal(after.missing[to], column.missing), "missing stays missing, and nothing else becomes it"
    assert after.name == column.name
    assert after.n == column.n
    assert (after.values is not None) == after.kind.has_order
    if after.values is not None:
        known = after.values[~after.missing]
        assert (known[1:] >= known[:-1]).all()
        assert not after.missing[:-1][~after.missing[1:]].any(), "missing labels stand last"


@given(columns_with_steps())
def test_a_stored_choice_does_the_same(case: tuple[Column, g.Steps]) -> None:
    column, steps = case
    stored = json.loads(json.dumps([step.as_dict() for step in steps]))
    again = g.steps_from(stored)
    assert again == steps
    first, second = g.column_after(column, steps), g.column_after(column, again)
    assert first.labels.tolist() == second.labels.tolist()
    assert np.array_equal(first.codes, second.codes)
    for step in steps:
        assert step.words
        assert hash(step) == hash(g.from_dict(step.as_dict()))


@given(NUMBERS, CUTS)
def test_intervals_keep_the_order_and_hold_what_they_say(records: list[str], cuts: list[float]) -> None:
    column = column_of("c", records, kind=Kind.DECIMAL, missing=("", "?"))
    after, to = g.label_map(column, (g.by_cuts(cuts),))
    known = np.flatnonzero(~column.missing)
    assert (np.diff(to[known]) >= 0).all(), "labels stand in the order of their values"
    for code in known.tolist():
        value, words = float(column.values[code]), after.labels[to[code]].split(" ")  # type: ignore[index]
        if words[0] == "below":
            assert value < float(words[1])
        elif words[1:] == ["and", "more"]:
            assert value >= float(words[0])
        else:
            assert float(words[0]) <= value < float(words[3])


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=200), st.integers(1, 50))
def test_intervals_of_whole_numbers_name_their_first_and_last(records: list[int], width: int) -> None:
    column = column_of("c", [str(r) for r in records], kind=Kind.INTEGER)
    try:
        step = g.by_width(column, width)
    except g.CannotGeneralise:
        return
    after, to = g.label_map(column, (step,))
    assert all(cut % width == 0 for cut in step.cuts)
    for code, value in enumerate(column.values.astype(int).tolist()):  # type: ignore[union-attr]
        words = str(after.labels[to[code]]).split(" to ")
        if len(words) == 2:
            assert int(words[0]) <= value <= int(words[1])
            assert int(words[1]) - int(words[0]) == width - 1
    counts = after.counts()
    assert after.labels[0].startswith("below")
    assert after.labels[-1].endswith("more")
    assert min(counts[0], counts[-1]) >= 10, "the ends are open and hold a fair number of records"


def test_a_column_as_people_know_it() -> None:
    ages = column_of("Age", ["7", "30", "39", "40", "93", "?"] * 20, kind=Kind.INTEGER, missing=("?",))
    labels = g.column_after(ages, (g.by_cuts([40, 18, 30]),)).labels.tolist()
    assert labels == ["below 18", "30 to 39", "40 and more", "?"]
    assert g.column_after(ages, (g.by_width(ages, 10),)).labels.tolist() == [
        "below 10", "30 to 39", "40 to 49", "90 and more", "?",
    ]  # fmt: skip
    money = column_of("Charge", ["0.5", "1000000", "12.25"] * 5, kind=Kind.DECIMAL)
    assert g.column_after(money, (g.by_cuts([0.1, 12.25, "1e3"]),)).labels.tolist() == [
        "0.1 to below 12.25", "12.25 to below 1000", "1000 and more",
    ]  # fmt: skip


@given(st.dates(date(1900, 1, 1), date(2020, 12, 31)), st.dates(date(2021, 1, 1), date(2100, 1, 1)))
def test_ages_are_completed_years(born: date, at: date) -> None:
    column = column_of("born", [born.isoformat()], kind=Kind.DATE)
    age = int(g.Age(at).apply(column).labels[0])
    assert age == at.year - born.year - ((at.month, at.day) < (born.month, born.day))
    assert g.Age(at).apply(column).kind is Kind.INTEGER


@given(st.dates(date(1890, 1, 1), date(2100, 1, 1)))
def test_parts_of_a_date_are_those_of_the_calendar(day: date) -> None:
    column = column_of("d", [day.isoformat()], kind=Kind.DATE)
    labels = {part: str(g.DatePart(part).apply(column).labels[0]) for part in g.Part}
    assert labels == {
        g.Part.YEAR: f"{day.year}",
        g.Part.QUARTER: f"{day.year} Q{(day.month + 2) // 3}",
        g.Part.MONTH: f"{day:%Y-%m}",
        g.Part.WEEKDAY: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][day.weekday()],
    }


def test_age_bands_at_a_reference_date() -> None:
    born = column_of("born", ["1990-05-01", "1990-05-02", "1950-01-01", ""], kind=Kind.DATE)
    steps = (g.Age(date(2020, 5, 1)), g.by_cuts([30, 60]))
    assert g.column_after(born, steps).labels[g.column_after(born, steps).codes].tolist() == [
        "30 to 59", "below 30", "60 and more", "",
    ]  # fmt: skip
    with pytest.raises(g.CannotGeneralise, match="choose a later one"):
        g.Age(date(1980, 1, 1)).apply(born)


@given(CATEGORIES, st.integers(2, 12))
def test_no_rare_value_stays_and_their_group_is_not_rare(records: list[str], k: int) -> None:
    column = column_of("c", records, missing=("", "?"))
    after = g.Rare(k, "all others").apply(column)
    counts = after.counts()[~after.missing]
    assert (counts >= k).all() or (len(counts) == 1 and counts.sum() == column.counts()[~column.missing].sum())


def test_rare_values_take_the_next_rarest_along_where_too_few() -> None:
    column = column_of("c", ["a"] * 50 + ["b"] * 12 + ["c"] * 10 + ["d"])
    after = g.Rare(10).apply(column)
    assert dict(zip(after.labels.tolist(), after.counts().tolist(), strict=True)) == {"a": 50, "b": 12, "Other": 11}
    assert g.Rare(10).apply(after) is after, "done once, there is nothing left to do"


def test_groups_by_hand() -> None:
    wards = column_of("Ward", ["A1", "A2", "B1", "C", ""])
    after = g.Groups.of({"Surgery": ["B1", "A2"], "Medicine": ["A1", "not there"]}).apply(wards)
    assert after.labels[after.codes].tolist() == ["Medicine", "Surgery", "Surgery", "C", ""]
    assert after.labels.tolist() == ["Surgery", "Medicine", "C", ""], "in the order given, the rest behind"
    assert g.Groups.of({"A": ["A1"]}, "Else").apply(wards).labels.tolist() == ["A", "Else", ""]
    scale = column_of("Scale", ["1", "2", "3", "4", "5"], kind=Kind.INTEGER)
    after = g.Groups.of({"high": ["4", "5"], "low": ["2"]}).apply(scale)
    assert after.labels.tolist() == ["1", "low", "3", "high"], "numbers keep their order"
    with pytest.raises(g.CannotGeneralise, match="“A1” is in two groups"):
        g.Groups.of({"x": ["A1"], "y": ["A1"]})
    with pytest.raises(g.CannotGeneralise, match="has a meaning already"):
        g.Groups.of({"?": ["x"]}).apply(column_of("c", ["x", "?"], missing=("?",)))
    with pytest.raises(g.CannotGeneralise, match="Name every group"):
        g.Groups.of({"": ["A1"]})


def test_chapters_of_diagnosis_codes() -> None:
    nine = column_of("d", ["250.83", "V57", "E909", "8", "486", "1000", "?"], missing=("?",))
    after = g.Chapter("icd9").apply(nine)
    assert after.labels[after.codes].tolist() == [
        "Endocrine, nutritional, metabolic and immunity disorders",
        "Factors influencing health status (V codes)",
        "External causes of injury (E codes)",
        "Infectious and parasitic diseases",
        "Respiratory system",
        "No valid code",
        "?",
    ]
    ten = column_of("d", ["A00", "D48.9", "D50", "H59", "H60", "T98", "U07.1", "V01", "Z99.9", "i10"])
    after = g.Chapter("icd10").apply(ten)
    assert [label.split(" ")[0] for label in after.labels[after.codes].tolist()] == [
        "Infectious", "Neoplasms", "Blood,", "Eye", "Ear", "Injury,", "Codes", "External", "Factors", "Circulatory",
    ]  # fmt: skip
    with pytest.raises(g.CannotGeneralise, match="no ICD-10 codes"):
        g.Chapter("icd10").apply(nine)


def test_one_spelling_for_missing() -> None:
    column = column_of("c", ["3", "", "NA", "10"], kind=Kind.INTEGER, missing=("", "NA"))
    after = g.OneMissing("not known").apply(column)
    assert after.labels.tolist() == ["3", "10", "not known"]
    assert after.kind is Kind.INTEGER
    assert np.isnan(after.values[2])  # type: ignore[index]
    with pytest.raises(g.CannotGeneralise, match="“3” has a meaning already"):
        g.OneMissing("3").apply(column)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda c: g.by_width(c, 0), "above 0"),
        (lambda c: g.by_width(c, "wide"), "numbers such as 10 or 0.5, widths above 0, not “wide”"),
        (lambda c: g.by_width(c, "1e-9"), "choose another width"),
        (lambda c: g.by_width(c, 1e9), "choose another width"),
        (lambda c: g.Rare(5, " "), "Name every group"),
        (lambda c: g.by_cuts([]), "must be 1 to 1,000 numbers"),
        (lambda c: g.by_cuts([1, 1]), "each above the one before"),
        (lambda c: g.by_cuts(["inf"]), "numbers such as 10"),
        (lambda c: g.Prefix(length=0), "whole number from 1"),
        (lambda c: g.Prefix(), "set by its length"),
        (lambda c: g.Rare(1), "from 2"),
        (lambda c: g.Chapter("icd11"), "did you mean"),
        (lambda c: g.DatePart(g.Part.YEAR).apply(c), "no dates"),
        (lambda c: g.reference_date("31.12.2024"), "like 2024-12-31, not “31.12.2024”"),
        (lambda c: g.Hierarchy((("1", "low"),), 2), "levels 1 to 1, no level 2"),
        (lambda c: g.Hierarchy((("1", "low"),), 1).apply(c), "lacks: 99, such as “2”"),
        (lambda c: g.from_dict({"how": "magic"}), "“magic” can't be understood"),
        (lambda c: g.from_dict({"how": "intervals", "cuts": "12"}), "can't be understood"),
        (lambda c: g.from_dict({"how": "rare", "k": "many"}), "from 2"),
        (lambda c: g.from_dict({"how": "age", "at": 5}), "can't be understood"),
        (lambda c: g.steps_from("rare"), "can't be understood"),
    ],
)
def test_wrong_settings_get_a_sentence(make: object, says: str) -> None:
    column = column_of("c", [str(i) for i in range(1, 101)], kind=Kind.INTEGER)
    with pytest.raises(g.CannotGeneralise) as fault:
        make(column)  # type: ignore[operator]
    assert says in str(fault.value)
    assert str(fault.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("kind", "step", "fits"),
    [
        (Kind.INTEGER, g.Intervals((40.0,)), "52"),
        (Kind.DATE, g.from_dict({"how": "date", "part": "year"}), "2024-05-01"),
    ],
)
def test_a_way_refuses_contents_of_which_nothing_fits(kind: Kind, step: g.Generalisation, fits: str) -> None:
    """A recipe for ages on a column that holds names by now left each as it was, without a word."""
    words = ["Anna", "Otto", ""]

    def column(*texts: str) -> Column:
        made = column_of("c", texts, kind=kind, missing=words)
        return replace(made, missing=made.labels == "")

    with pytest.raises(g.CannotGeneralise, match="holds"):
        step.apply(column(*words))
    assert {"Anna", "Otto"} <= set(step.apply(column(*words, fits)).labels.tolist())
    step.apply(column("", ""))  # nothing is there that could be told


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=25, max_size=80),
    st.floats(1e-300, 1e300),
)
def test_no_number_is_too_odd(numbers: list[float], width: float) -> None:
    """Found intervals either hold the numbers or are refused with a sentence, however huge or tiny the numbers are."""
    column = column_of("c", [repr(x) for x in numbers], kind=Kind.DECIMAL)
    for find in (
        lambda: g.by_magnitude(column),
        lambda: g.by_width(column, width),
        lambda: g.by_width(column, g.round_width(column)),
        lambda: g.suggest(column)[0],
    ):
        try:
            after = find().apply(column)
        except (g.CannotGeneralise, IndexError):
            continue
        assert after.counts().sum() == len(numbers)
        assert after.m >= 2


def whole(name: str, numbers: object, kind: Kind = Kind.INTEGER) -> Column:
    return column_of(name, [str(x) for x in np.asarray(numbers).tolist()], kind=kind)


@pytest.mark.parametrize(
    ("column", "measured"),
    [
        (whole("Occupation", np.arange(46)), False),
        (whole("LOS", np.r_[1:40, 55, 83]), True),
        (whole("Length of stay", np.arange(1, 40)), True),
        (whole("time_in_hospital", np.arange(1, 15)), False),
        (whole("CCS Procedure Code", np.arange(0, 260, 2)), False),
        (whole("Procedure", np.arange(0, 1_300)), False),
        (whole("Marks", np.arange(0, 2_600)), True),
        (whole("Charges", np.arange(50) + 0.5, Kind.DECIMAL), True),
        (whole("Severity", [1.5, 2.5], Kind.DECIMAL), False),
        (column_of("Admitted", ["2020-01-01"], kind=Kind.DATE), True),
        (column_of("Diagnosis", [f"D{i}" for i in range(900)]), False),
    ],
    ids=lambda c: c.name if isinstance(c, Column) else "",
)
def test_measurements_are_told_from_codes(column: Column, measured: bool) -> None:
    assert g.is_measurement(column) is measured
    if measured:
        with pytest.raises(g.NeedsGroups, match=f"--generalise '{column.name}:"):
            g.check_sensitive(column)
    else:
        g.check_sensitive(column)
        assert g.suggest(column) == ()


def test_a_step_that_leaves_a_measurement_as_fine_is_not_enough() -> None:
    charges = whole("charge", np.arange(400) / 4, Kind.DECIMAL)
    with pytest.raises(g.NeedsGroups):
        g.check_sensitive(charges, g.OneMissing("none given").apply(charges))
    for enough in (g.by_cuts([10, 50]), g.Prefix(length=1), g.Rare(5)):
        g.check_sensitive(charges, enough.apply(charges))
    born = column_of("born", [f"{y}-05-0{d}" for y in range(1930, 2010, 2) for d in (1, 2)], kind=Kind.DATE)
    for enough in (g.DatePart(g.Part.YEAR), g.Age(date(2020, 1, 1))):
        g.check_sensitive(born, enough.apply(born))


def test_suggested_intervals_divide_a_skewed_measurement_at_round_cut_points() -> None:
    rng = np.random.default_rng(8)
    for numbers, kind in (
        (rng.lognormal(8, 1.2, 5_000).round(2), Kind.DECIMAL),
        (rng.poisson(60, 5_000), Kind.INTEGER),
    ):
        column = whole("charge", numbers, kind)
        (step,) = g.suggest(column)
        assert isinstance(step, g.Intervals)
        assert 2 * step.apply(column).counts().max() <= column.n
        assert all(f"{cut:.0e}"[0] in "123456789" and cut == float(f"{cut:.2g}") for cut in step.cuts)


def test_no_frequent_value_joins_a_rare_one() -> None:
    sex = column_of("sex", ["f"] * 400 + ["m"] * 400 + ["x"] * 3)
    assert [rung.steps for rung in ladder_of(sex, "", asked=False)] == [(), None]
    rare = column_of("c", ["a"] * 50 + ["b"] * 15 + ["c"] * 5)
    assert [rung.steps for rung in ladder_of(rare, "", asked=False)] == [(), (g.Rare(20),), None]


def test_a_table_is_generalised_column_by_column() -> None:
    table = Table((whole("a", np.arange(30)), whole("b", np.arange(30))))
    after = g.table_after(table, {"a": (g.by_cuts([10]),), "b": ()})
    assert after["a"].labels.tolist() == ["below 10", "10 and more"]
    assert after["b"] is table["b"]
    assert g.words_for("a", (g.by_cuts([10]), g.Rare(5))) == (
        "Column “a”: numbers into groups, cut at 10, then values of fewer than 5 records into “Other”."
    )


def test_magnitudes_begin_where_amounts_do() -> None:
    rng = np.random.default_rng(6)
    visits = rng.poisson(0.3, 4_000)
    gains = np.where(rng.random(4_000) < 0.9, 0, np.round(rng.lognormal(8, 1, 4_000)))
    for amounts in (visits, gains):
        cuts = g.by_magnitude(column_of("x", [f"{each:.0f}" for each in amounts], kind=Kind.INTEGER)).cuts
        assert 1 <= cuts[0] <= np.quantile(amounts[amounts > 0], 0.02)
        assert len(cuts) < 20


@pytest.mark.parametrize(
    ("name", "most", "cuts"),
    [
        ("PHQ9", 27, (5, 10, 15, 20)),
        ("GAD-7 total", 21, (5, 10, 15)),
        ("MMSE", 30, (10, 21, 27)),
        ("Barthel-Index", 100, (21, 61, 91)),
        ("FEV1 % pred", 110, (30, 50, 80)),
    ],
)
def test_scores_are_put_into_the_grades_that_clinicians_use(name: str, most: int, cuts: tuple[int, ...]) -> None:
    """Their points have no gaps, as codes have none."""
    points = np.random.default_rng(6).integers(0, most + 1, 2_000)
    steps = g.suggest(column_of(name, points.astype(str).tolist(), kind=Kind.INTEGER))
    assert [each.cuts for each in steps if isinstance(each, g.Intervals)] == [cuts]
