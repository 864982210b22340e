"""Dates moved per person: nothing beside them tells by how many days, and what would tell is found."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.persons.choice import ByPerson, persons
from splu_desktop.core.persons.dates import OPEN, UNKNOWN, possible_shifts, try_recover_shift
from splu_desktop.core.persons.treatment import number_persons, one_per_person, rehearse_shift, shift_dates
from splu_desktop.core.table import Column, Kind, Table
from tests.columns import column_of
from tests.seeded import Seeded

_DAY = np.datetime64("2020-01-01", "D")


def _dates(name: str, texts: list[str]) -> Column:
    """Return a column of dates; texts that are no whole date have no value."""
    labels, codes = np.unique(np.array(texts, object), return_inverse=True)
    whole = [len(str(label)) >= 10 and str(label)[:4].isdecimal() for label in labels]
    values = np.array([str(x) if ok else "NaT" for x, ok in zip(labels, whole, strict=True)], "datetime64[us]")
    kind = Kind.DATETIME if any(len(str(label)) > 10 for label in labels) else Kind.DATE
    return Column.from_codes(name, codes, labels.astype(object), labels == "", values, kind=kind)


def _days(offsets: np.ndarray) -> list[str]:
    return [str(_DAY + int(each)) for each in offsets]


def _persons(number: int, rows: int) -> Column:
    return column_of("id", [f"P{at:04d}" for at in np.repeat(np.arange(number), rows)])


def test_persons_are_moved_by_whole_weeks_never_by_none_and_keep_their_distances() -> None:
    rng = np.random.default_rng(1)
    start = rng.integers(0, 900, 300)
    table = Table((_persons(100, 3), _dates("a", _days(start)), _dates("b", _days(start + rng.integers(0, 9, 300)))))
    moved = shift_dates(table, ByPerson("id", shift=("a", "b"), days=90), Seeded(1))
    before = {name: table[name].values[table[name].codes].astype("datetime64[D]") for name in "ab"}
    after = {name: moved[name].values[moved[name].codes].astype("datetime64[D]") for name in "ab"}
    by = (after["a"] - before["a"]).astype(int)
    assert (by == (after["b"] - before["b"]).astype(int)).all()
    assert (by.reshape(100, 3) == by[::3, None]).all()
    assert (by % 7 == 0).all()
    assert (by != 0).all()
    assert abs(by).max() <= 90
    assert len(possible_shifts(90)) == 24
    assert len(set(by.tolist())) >= 20  # of 24 by 100 persons: fewer once in 10,000 runs


@pytest.mark.parametrize(("rows", "mark"), [(4, False), (5, True)])
def test_a_day_far_from_all_others_is_a_mark_where_rows_share_it(rows: int, mark: bool) -> None:
    texts = _days(np.random.default_rng(9).integers(0, 900, 400))
    texts[:rows] = ["1977-07-07"] * rows
    table = Table((_persons(200, 2), _dates("seen", texts)))
    shown = shift_dates(table, ByPerson("id", shift=("seen",), days=90), Seeded(3))["seen"]
    assert (set(shown.labels[shown.codes[:rows]]) == {UNKNOWN}) == mark


def test_no_mark_is_moved_and_no_partial_date_stays() -> None:
    """9999-12-31, 1900-01-01 and a dummy of the house's own in each column tell no shift."""
    rng = np.random.default_rng(2)
    texts = _days(rng.integers(0, 900, 400))
    texts[:40] = ["9999-12-31"] * 40
    texts[40:80] = ["1900-01-01"] * 40
    texts[80:120] = ["1977-07-07"] * 40
    texts[120:160] = ["2020-05"] * 40
    texts[160:170], texts[170:180], texts[180:190] = ["about 3 May"] * 10, ["ongoing"] * 10, [""] * 10
    table = Table((_persons(200, 2), _dates("end", texts)))
    for days in (200, 30):
        moved = shift_dates(table, ByPerson("id", shift=("end",), days=days), Seeded(3))["end"]
        shown = moved.labels[moved.codes].tolist()
        assert set(shown[:40]) == {OPEN}
        assert set(shown[40:120]) == {UNKNOWN}
        assert set(shown[160:190]) == {UNKNOWN, "ongoing", ""}
        assert np.isnat(moved.values[[moved.code_of(OPEN), moved.code_of(UNKNOWN)]]).all()
        months = shown[120:160]
        if days == 200:
            assert all(len(text) == 7 for text in months)
            assert months.count("2020-05") < 12
        else:
            assert set(months) == {UNKNOWN}
        years = moved.values[~np.isnat(moved.values)].astype("datetime64[Y]").astype(int) + 1970
        assert years.min() >= 2019
        assert years.max() <= 2023


@pytest.mark.parametrize(
    ("shared", "beyond", "shown"), [(700, 2, OPEN), (150, 2, UNKNOWN), (150, 40, ""), (430, 0, "")]
)
def test_the_day_on_which_a_study_began_or_closed_is_not_moved(shared: int, beyond: int, shown: str) -> None:
    """A day at an end that a quarter of the rows share; one in the middle, as of a screening, stays a date."""
    rng = np.random.default_rng(6)
    low, high = (0, shared) if shared == 700 else (shared, 700) if shared == 150 else (0, 700)
    offsets = rng.integers(low, high, 400)
    offsets[:100], offsets[100 : 100 + beyond] = shared, shared + 30 if shared == 700 else shared - 30
    moved = shift_dates(
        Table((_persons(200, 2), _dates("end", _days(offsets)))), ByPerson("id", shift=("end",), days=90), Seeded(7)
    )
    texts = moved["end"].labels[moved["end"].codes].tolist()
    assert set(texts[:100]) == {shown} if shown else not {OPEN, UNKNOWN} & set(texts)
    assert not {OPEN, UNKNOWN} & set(texts[100:])


def test_times_of_day_stay() -> None:
    table = Table((_persons(2, 2), _dates("t", [f"2020-03-0{at} 22:45:0{at}" for at in range(1, 5)])))
    moved = shift_dates(table, ByPerson("id", shift=("t",), days=70), Seeded(1))["t"]
    assert [text[10:] for text in moved.labels[moved.codes]] == [f" 22:45:0{at}" for at in range(1, 5)]


@pytest.mark.parametrize(
    ("case", "days", "hint", "most"),
    [
        ("any day", 10, "", 21),
        ("tuesdays", 10, "weekdays", 4),
        ("tuesdays", 70, "", 21),
        ("unmoved", 70, "unmoved", 6),
        ("one visit", 200, "", 60),
    ],
)
def test_what_gives_shifts_back_is_found(case: str, days: int, hint: str, most: float) -> None:
    """Remaining shifts as anybody counts them: 3 of 20 by Tuesdays, all but the range's ends otherwise."""
    rng = np.random.default_rng(4)
    number, rows = (300, 1) if case == "one visit" else (120, 4)
    offsets = rng.integers(0, 700, number * rows)
    if case == "tuesdays":
        offsets = offsets // 7 * 7 + 6
    columns = [_persons(number, rows), _dates("visited", _days(offsets))]
    if case == "unmoved":
        columns.append(_dates("sampled", _days(offsets - rng.integers(0, 3, len(offsets)))))
    source = Table(tuple(columns))
    moved = shift_dates(source, ByPerson("id", shift=("visited",), days=days), Seeded(5))
    found = try_recover_shift(moved.select(moved.names[1:]), ("visited",), days, persons(source["id"]))
    assert found.possible == len(possible_shifts(days))
    assert found.perplexity <= min(most, found.possible)
    assert found.enough == (not hint)
    if hint:
        assert found.hint == hint
    else:
        assert found.perplexity > 0.6 * found.possible


def test_one_row_of_each_person_is_kept_and_the_same_one_again() -> None:
    when = _dates("when", _days(np.array([5, 1, 3, 9, 7, 8])))
    table = Table((_persons(2, 3), when))
    for way, order, kept in (("first", "", [5, 9]), ("last", "", [3, 8]), ("first", "when", [1, 7])):
        found = one_per_person(table, ByPerson("id", way, order=order))["when"]
        assert found.labels[found.codes].tolist() == _days(np.array(kept))
    # Who has no day in some rows has a last one all the same.
    gone = Table((table["id"], _dates("when", [*_days(np.array([5, 1])), "", *_days(np.array([9, 7, 8]))])))
    for way, kept in (("first", [1, 7]), ("last", [5, 9])):
        found = one_per_person(gone, ByPerson("id", way, order="when"))["when"]
        assert found.labels[found.codes].tolist() == _days(np.array(kept))
    one, two = (one_per_person(table, ByPerson("id", "random"))["when"] for _ in range(2))
    assert one.labels[one.codes].tolist() == two.labels[two.codes].tolist()


def test_persons_get_new_numbers_and_spellings_of_one_name_are_one() -> None:
    who = persons(column_of("id", ["a1", "b", "A1 ", "", "b", ""]))
    assert who[0] == who[2]
    assert len(set(who.tolist())) == 4
    numbers = number_persons(who, Seeded(1))
    assert numbers.codes[0] == numbers.codes[2]
    assert sorted(set(numbers.labels)) == ["1", "2", "3", "4"]


def test_a_rehearsal_says_what_a_release_would_give_back() -> None:
    rng = np.random.default_rng(6)
    tuesdays = _days(rng.integers(0, 100, 480) * 7 + 6)
    table = Table((_persons(120, 4), _dates("visited", tuesdays)))
    short = rehearse_shift(table, ByPerson("id", shift=("visited",), days=10), ("visited",))
    assert (short.hint, short.enough) == ("weekdays", False)
    assert "visited" in short.sentence
    assert short == rehearse_shift(table, ByPerson("id", shift=("visited",), days=10), ("visited",))
    assert rehearse_shift(table, ByPerson("id", shift=("visited",), days=70), ("visited",)).enough
    assert rehearse_shift(table, ByPerson("id", shift=("visited",), days=10), ()).enough  # months go out instead


def test_a_quarter_that_is_not_moved_tells_where_a_moved_day_lies() -> None:
    """Of 50 shifts 34 were told to remain beside a quarter, where who reads "2024Q3" is left 6 of a person's."""
    rng = np.random.default_rng(7)
    offsets, wards = rng.integers(0, 1_000, 2_000), rng.integers(0, 300, 2_000)
    quarters = column_of("quarter", [f"Q{each}" for each in offsets // 90])
    ward = column_of("ward", [f"w{each}" for each in wards])
    table = Table((_persons(500, 4), _dates("visited", _days(offsets)), quarters, ward))
    choice = ByPerson("id", shift=("visited",), days=180)
    alone, beside = (rehearse_shift(table, choice, ("visited", name)) for name in ("ward", "quarter"))
    assert (alone.hint, alone.enough) == ("range", True)
    assert (beside.hint, beside.column, beside.enough) == ("unmoved", "quarter", False)
    first = offsets // 90 * 90 - offsets
    least, most = (np.array(each).reshape(500, 4) for each in (first, first + 89))
    every = possible_shifts(180)[:, None]  # of one who was not moved, so many could be
    left = ((every >= least.max(axis=1)) & (every <= most.min(axis=1))).sum(axis=0) + 1
    assert beside.perplexity <= 1.2 * left.mean()
