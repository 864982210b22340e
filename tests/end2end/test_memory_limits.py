"""Imports under limits of memory: done or refused in a sentence, and never ended by a signal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.end2end.memory_limits import LIMITS, fault_of, one_run, source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")


@pytest.mark.parametrize(("form", "places"), [("csv", (0, 10, 14)), ("xlsx", (9, 12)), ("release", (11,))])
def test_a_few_limits(tmp_path: Path, form: str, places: tuple[int, ...]) -> None:
    """`python -m tests.end2end.memory_limits` tries all, on every format."""
    path = source(form, tmp_path)
    for place in places:
        assert fault_of(*one_run(path, form, LIMITS[place])) is None
    assert one_run(path, form, LIMITS[-1])[0] == 0
