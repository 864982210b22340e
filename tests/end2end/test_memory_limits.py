"""Imports under limits of memory: done or refused in a sentence, and never ended by a signal."""

from __future__ import annotations

import os
import subprocess
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


def test_parquet_takes_no_more_room_than_it_needs() -> None:
    # Arrow's own way takes a GB at once where a limit leaves as much, and a thread finds no room then.
    asked = "import pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    code = f"from splu_desktop.cli import main; main(['releases']); {asked}"
    own = {name: value for name, value in os.environ.items() if not name.startswith("ARROW_")}
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=own)
    assert told.stdout.split()[-1] == "system"
