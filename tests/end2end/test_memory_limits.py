"""Imports under limits of memory: done or refused in a sentence, and never ended by a signal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.end2end.memory_limits import LIMITS, fault_of, one_run, source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")


@pytest.mark.parametrize(
    ("run", "places"),
    [
        ("csv", (0, 10, 14)),
        ("xlsx", (9,)),
        ("release", (11,)),
        ("publish xlsx", (12, 13)),
        ("publish in blocks", (12,)),
    ],
)
def test_a_few_limits(tmp_path: Path, run: str, places: tuple[int, ...]) -> None:
    """`python -m tests.end2end.memory_limits` tries all, on every format."""
    path = source(run, tmp_path)
    for place in (*places, -1):
        status, out, said = one_run(path, run, LIMITS[place])
        assert fault_of(path, run, status, out, said) is None
    assert status == 0
