"""Numbers told apart by their digits: the texts come back to the letter, and the numbers are those of `float`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.progress import Silent
from splu_desktop.files.importer.columns.number_texts import parse_plain
from splu_desktop.files.importer.raw import Gatherer, RawColumn, float_texts
from splu_desktop.files.importer.text import digits, fields

pytestmark = pytest.mark.usefixtures("readers_here")

SIGN = st.sampled_from(["", "", "-"])
WHOLE = st.integers(0, 10**15 - 1).map(str) | st.integers(0, 999).map(str)
CODES = st.text("0123456789", min_size=1, max_size=17)


@st.composite
def columns(draw: st.DrawFn) -> list[str]:
    """Texts of one shape: whole numbers, a fixed number of decimals, codes with zeros, or anything."""
    places = draw(st.integers(0, 4))
    tail = st.text("0123456789", min_size=places, max_size=places)
    decimal = st.builds(lambda s, w, t: f"{s}{w}{'.' + t if t else ''}", SIGN, WHOLE, tail)
    short = st.builds(lambda w, t: f"{w}{'.' + t if t else ''}", st.integers(0, 99999).map(str), tail)
    shape = draw(st.sampled_from([decimal, short, CODES, st.text("0123456789.-+ ax", max_size=20)]))
    blank = st.just("") if draw(st.booleans()) else shape
    return draw(st.lists(shape | shape | blank, min_size=1, max_size=60))


def gathered(texts: list[str]) -> RawColumn:
    block = "".join(f"x,{text}\n" for text in texts).encode()
    parts, _ = fields.split(block, fields.FieldLayout(2, ord(","), -1))
    return fields.gather([parts[1]], "utf-8")


@settings(max_examples=400, deadline=None)
@given(texts=columns())
def test_texts_and_numbers(texts: list[str]) -> None:
    column = gathered(texts)
    assert [column.labels[code] for code in column.codes] == texts
    assert len(set(column.labels)) == len(column.labels)
    if column.plain is None:
        return
    labels = np.array(column.labels, object)
    values, zeros = parse_plain(labels)
    assert np.array_equal(column.plain, values, equal_nan=True)
    assert column.zeros is not None
    assert column.zeros.tolist() == zeros.tolist()
    if column.ordered:
        filled = values[~np.isnan(values)]
        assert (np.diff(filled) > 0).all()
        assert not np.isnan(values[:-1]).any()


@settings(max_examples=150, deadline=None)
@given(
    numbers=st.lists(
        st.integers(-(10**14), 10**14) | st.decimals(-9999, 9999, places=2).map(float), min_size=1, max_size=40
    )
)
def test_what_is_a_number_is_read_as_one(numbers: list[float]) -> None:
    """All of one form: then no hashing is needed, which is what makes large files quick."""
    for texts in ([str(int(n)) for n in numbers], [f"{n:.2f}" for n in numbers]):
        length = np.array([len(text) for text in texts], np.uint8)
        if int(length.max()) > 16 or any(float(text) == 0 and text[0] == "-" for text in texts):
            continue
        raw = b"".join(text.rjust(16, "\0").encode() for text in texts)
        both = np.frombuffer(raw, "<u8").reshape(-1, 2)
        found = digits.figures([both[:, 1].copy(), both[:, 0].copy()], length, Silent())
        if any(len(text.strip("-").replace(".", "")) > 15 for text in texts):
            assert found is None
            continue
        assert found is not None
        assert [found.values[code] for code in found.codes] == [float(text) for text in texts]


def test_far_apart_numbers_are_sorted_instead() -> None:
    texts = ["0", "999999999999", "5", "0", "123456789012"]
    column = gathered(texts * 3)
    assert column.labels == ["0", "5", "123456789012", "999999999999"]
    assert [column.labels[code] for code in column.codes] == texts * 3


@settings(max_examples=150, deadline=None)
@given(
    chunks=st.lists(
        st.lists(st.floats(-1e17, 1e17, allow_nan=False) | st.just(float("nan")), min_size=1, max_size=9),
        min_size=1,
        max_size=5,
    )
)
def test_number_cells_become_texts_once(chunks: list[list[float]]) -> None:
    gatherer, expected = Gatherer(), []
    for cells in chunks:
        distinct, codes = np.unique(np.array(cells), return_inverse=True)
        gatherer.add(codes, distinct)
        expected += float_texts(np.array(cells))
    column = gatherer.column(Silent())
    assert [column.labels[code] for code in column.codes] == expected
    assert all(not text or abs(float(text)) >= 0 for text in expected)
