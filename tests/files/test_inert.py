"""Formula-like text is made inert, numbers and plain words are left alone, and both ways are exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.files.inert import inert, restored


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "=HYPERLINK(...)",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
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


@given(st.text(alphabet="=+-@'\t\r＝ab1. ,", max_size=6) | st.text(max_size=8))
def test_there_and_back(text: str) -> None:
    assert restored(inert(text)) == text
