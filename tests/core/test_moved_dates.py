"""Dates moved per person: whole weeks, never 0, and nothing unmoved from which the shift can be told."""

import numpy as np
import pytest

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.persons.choice import ByPerson, persons
from splu_desktop.core.persons.treatment import (
    draw_shifts,
    number_persons,
    one_per_person,
    possible_shifts,
    shift_dates,
)
from splu_desktop.core.table import Column, Kind, Table
from tests.seeded import Seeded


def dates(name, texts):
    known = np.array([text if len(text) == 10 else "NaT" for text in texts], "datetime64[us]")
    labels, codes = np.unique(np.array(texts, object), return_inverse=True)
    values = np.array([known[codes == k][0] for k in range(len(labels))])
    return Column.from_codes(name, codes, labels, labels == "", values, kind=Kind.DATE)


def test_shifts_are_weeks_of_equal_chance_and_never_none():
    assert possible_shifts(20).tolist() == [-14, -7, 7, 14]
    assert possible_shifts(3).tolist() == [-3, -2, -1, 1, 2, 3]
    drawn = draw_shifts(20, 8000, Seeded(3))
    assert set(drawn.tolist()) == {-14, -7, 7, 14}
    # Each 2,000 times, sd 39: six of those either way fail 1 in 10^8.
    assert np.abs(np.unique(drawn, return_counts=True)[1] - 2000).max() < 240


def test_marks_stay_and_partial_dates_go():
    who = Column.from_labels("who", ["a", "a", "b", "b", "c"])
    start = dates("start", ["2020-01-06", "2020-01-13", "2020-01-06", "2019-03", ""])
    end = dates("end", ["9999-12-31", "2020-02-03", "9999-12-31", "2020-03-02", "1900-01-01"])
    choice = ByPerson("who", "draw", shift=("start", "end"), days=30)
    moved = shift_dates(Table((who, start, end)), choice, Seeded(1))
    first, last = moved["start"].written_texts().tolist(), moved["end"].written_texts().tolist()
    assert first[3] == first[4] == ""
    assert last[0] == last[2] == "9999-12-31"
    assert last[4] == "1900-01-01"
    between = np.array(first[:2], "datetime64[D]")
    assert between[1] - between[0] == np.timedelta64(7)
    assert between[0] != np.datetime64("2020-01-06")
    assert (np.array(last[1], "datetime64[D]") - between[0]) == np.timedelta64(28)
    assert shift_dates(moved, choice, Seeded(2)) is moved


def test_one_row_and_a_number_per_person():
    table = Table(
        (Column.from_labels("who", ["a", "b", "A ", "", "b"]), dates("day", [f"2020-01-0{9 - k}" for k in range(5)]))
    )
    owner = persons(table["who"])
    assert len(set(owner.tolist())) == 3
    assert owner[0] == owner[2]
    kept = one_per_person(table, ByPerson("who", "last", order="day"))
    assert kept["day"].written_texts().tolist() == ["2020-01-09", "2020-01-08", "2020-01-06"]
    numbers = number_persons(owner, Seeded(1)).written_texts()
    assert numbers[0] == numbers[2]
    assert len(set(numbers)) == 3


def test_what_is_no_date_is_not_moved():
    table = Table((Column.from_labels("who", ["a"]), Column.from_labels("x", ["1"])))
    with pytest.raises(BadSetting):
        shift_dates(table, ByPerson("who", "draw", shift=("x",), days=5), Seeded(1))
