"""Formula-like text is made inert, numbers and plain words are left alone, and both ways are exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.files.disk.inert_texts import inert, restore_text


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "=HYPERLINK(...)",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t1",
        "\r1",
        " =1",
        '"=1"',
        "' \"+A1",
        "＝1+1",
        "'=1",
        "-A1",
        "+49-151",
    ],
)
def test_what_a_spreadsheet_would_run(text: str) -> None:
    assert inert(text) == "'" + text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "-5",
        "+3.5",
        "- 50000.",
        "-1,234.50",
        "-5 %",
        "-1.5e-3",
        "<30",
        ">30",
        "?",
        "a=b",
        "'tis",
        "=",
        "@",
    ],
)
def test_what_is_harmless(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"),
        ("-5;+A1;-3", "-5;'+A1;-3"),
        ("two\n=1+1", "two\n'=1+1"),
        ("a\t@x", "a\t'@x"),
        ("\t=1", "'\t'=1"),
        ('x;"=1"', 'x;\'"=1"'),
        ("120; -3", "120; -3"),
    ],
)
def test_what_a_spreadsheet_with_another_separator_would_run(text: str, written: str) -> None:
    """Excel in half of Europe takes a semicolon for the end of a cell, within what commas and quotes hold together."""
    assert inert(text) == written
    assert restore_text(written) == text


@given(st.text(alphabet="=+-@'\t\r\n＝ab1. ,;\"\0", max_size=8) | st.text(max_size=8))
def test_there_and_back(text: str) -> None:
    assert restore_text(inert(text)) == text
