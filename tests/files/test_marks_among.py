"""Marks for "no value" are looked for only where length and first character allow one: none may be overlooked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.files.importer.columns.missing import _KNOWN, candidates, first_look, is_blank, neutral, proposal

_LIKE_MARKS = st.sampled_from(
    [*sorted(_KNOWN), "", " ", "\u00a0", "\u200b", "0000-00-00", "****", "0", "1", "19", "-9"]
)
_TEXTS = st.lists(
    st.text(max_size=25) | st.builds(str.__add__, st.sampled_from(["", " ", "\t"]), _LIKE_MARKS), max_size=30
)


def test_no_mark_begins_with_a_digit_but_zero() -> None:
    assert not [mark for mark in _KNOWN if mark[0] in "123456789"]


@given(_TEXTS)
def test_whatever_says_nothing_is_looked_at(texts: list[str]) -> None:
    looked_at = set(first_look(texts)[2])
    for at, text in enumerate(texts):
        assert at in looked_at or not (neutral(text) or is_blank(text))


@given(_TEXTS)
def test_whatever_is_proposed_is_a_candidate(texts: list[str]) -> None:
    found = set(candidates(texts, first_look(texts)[2]))
    for at, text in enumerate(texts):
        assert at in found or proposal(text, valued=True) is None or text.strip().lower().startswith("err:")
