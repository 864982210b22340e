"""Packed texts are the texts they stand for, whatever is asked of them, and a column of them is the same column."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.packed.texts import Texts, left_aligned, picked, places_of
from splu_desktop.core.table import Column, Kind
from splu_desktop.files.importer.columns.date_texts import parse_dates
from splu_desktop.files.importer.columns.kinds import decide
from splu_desktop.files.importer.columns.missing import _KNOWN, candidates, neutral, proposal
from splu_desktop.files.importer.columns.number_texts import NumberFormat, parse_plain
from splu_desktop.files.register.hashes import siphash

_NUMBERS = st.from_regex(r"-?[0-9]{0,18}\.?[0-9]{0,4}", fullmatch=True)
_DATES = st.from_regex(r"20[0-2][0-9]-[01][0-9]-[0-3][0-9]([ T][0-2][0-9]:[0-5][0-9]:[0-5][0-9])?", fullmatch=True)
_MARKS = st.builds(
    lambda a, mark, b: a + mark + b,
    st.sampled_from(["", " "]),
    st.sampled_from([each for each in sorted(_KNOWN) if each.isascii()]).map(str.upper),
    st.sampled_from(["", " ", "x"]),
)
_WORDS = st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=33)
_DISTINCT = st.lists(_NUMBERS | _DATES | _MARKS | _WORDS, min_size=1, max_size=40, unique=True)


def packed(texts: list[str]) -> Texts:
    width = max(8, -(-max(map(len, texts)) // 8) * 8)
    raw = np.array([text.encode("ascii") for text in texts], f"S{width}").view(np.uint8).reshape(-1, width)
    return Texts(raw, np.array(list(map(len, texts)), np.uint8))


@given(_DISTINCT, st.randoms())
def test_packed_texts_are_their_texts(texts: list[str], chance) -> None:
    found = packed(texts)
    assert list(found) == texts == found[:] == np.asarray(found).tolist()
    assert [found[at] for at in range(len(texts))] == texts
    assert set(found.shapes()) in ({re.sub("[0-9]", "0", text) for text in texts}, set(texts))
    assert [texts[at] for at in found.order()] == sorted(texts)
    at = np.array(chance.sample(range(len(texts)), len(texts) // 2), np.intp)
    some = [texts[i] for i in at]
    assert list(found.take(at)) == list(picked(found, at)) == some
    sought = {*some, "not there", "\u00e9", "0" * 99}
    assert places_of(sought, found).tolist() == places_of(sought, texts).tolist() == sorted(at)
    assert all(text in found and found.index(text) == texts.index(text) for text in texts)
    assert "not there" not in found
    with pytest.raises(ValueError, match="not there"):
        found.index("not there")


@given(_DISTINCT)
def test_what_is_made_of_packed_texts_is_what_is_made_of_texts(texts: list[str]) -> None:
    found, ones, key = packed(texts), np.ones(len(texts), np.int64), bytes(range(16))
    assert np.array_equal(siphash(found, key), siphash(texts, key))
    for mine, theirs in zip(parse_plain(found), parse_plain(texts), strict=True):
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
    many = [*texts, *(f"{number} " for number in range(300))]  # few dates are read one by one
    mine, theirs = (parse_dates(each, np.ones(len(many), np.int64)) for each in (packed(many), many))
    assert np.array_equal(mine.values, theirs.values, equal_nan=True)
    assert np.array_equal(mine.timed, theirs.timed)
    looked_at = set(candidates(found))
    for at, text in enumerate(texts):
        assert at in looked_at or proposal(text, valued=True) is None or text.strip().lower().startswith("err:")
    for name in ("a column", "date"):
        typed = [decide(name, each, ones, NumberFormat()) for each in (found, texts)]
        assert typed[0].kind is typed[1].kind
        assert str(typed[0].reason) == str(typed[1].reason)
        assert np.array_equal(typed[0].misfits, typed[1].misfits)
    assert all(neutral(text) <= (text in found) for text in texts)


@given(_DISTINCT, st.data())
def test_a_column_of_packed_texts_is_the_same_column(texts: list[str], data: st.DataObject) -> None:
    codes = np.arange(len(texts), dtype=np.int32).repeat(2)[1:]
    missing = np.array([not text.strip() for text in texts])
    values = data.draw(st.none() | st.just(np.array([float(len(text)) for text in texts])))
    array = np.empty(len(texts), object)
    array[:] = texts
    made = [
        Column.from_codes("a", codes, labels, missing, values, kind=Kind.CATEGORY) for labels in (packed(texts), array)
    ]
    some = data.draw(st.lists(st.integers(0, len(codes) - 1), min_size=1))
    order = np.array(some)
    for mine, theirs in (
        made,
        [each.take(order).compacted() for each in made],
        [each.shuffled(order) for each in made],
    ):
        assert mine.m == theirs.m
        assert isinstance(mine.texts, Texts)
        assert mine.codes.tolist() == theirs.codes.tolist()
        assert mine.missing.tolist() == theirs.missing.tolist()
        assert mine.labels.tolist() == theirs.labels.tolist()
        assert mine.counts().tolist() == theirs.counts().tolist()
        assert mine.labels is mine.labels
        assert not mine.labels.flags.writeable


@given(st.lists(st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=24), min_size=1, max_size=20))
def test_fields_are_moved_to_the_left(texts: list[str]) -> None:
    # As `fields.pack` gives them: the last eight bytes of each, the eight before them, and so on.
    for width in (8, 16, 24):
        fields = [text.encode()[:width] for text in texts]
        right = np.array([list(field.rjust(width, b"\0")) for field in fields], np.uint8).view("<u8")
        words = [right[:, k].copy() for k in reversed(range(width // 8))]
        raw = left_aligned(words, np.array(list(map(len, fields)), np.uint8))
        assert [row.tobytes() for row in raw] == [field.ljust(width, b"\0") for field in fields]


def test_moments_stand_in_their_order_and_those_that_are_none_behind() -> None:
    texts = np.array(["2020-02-30", "1969-12-31", "none", "2020-01-01T01:02:03", "0001-01-01", "1970-01-01"], object)
    moments = np.array(
        ["NaT", "1969-12-31", "NaT", "2020-01-01T01:02:03", "0001-01-01", "1970-01-01"], "datetime64[us]"
    )
    found = Column.from_codes("a", np.arange(6), texts, texts == "none", moments, kind=Kind.DATETIME)
    assert found.labels.tolist() == texts[[4, 1, 5, 3, 0, 2]].tolist()
    assert found.labels[found.codes].tolist() == texts.tolist()
