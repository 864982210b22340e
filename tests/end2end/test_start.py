"""What is settled before the large libraries are loaded."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Says what NumPy finds when it is loaded: it reads the variable then and never again.
_WATCHED = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"))
sys.meta_path.insert(0, Watch())
from {entry} import main
try:
    main(["--version"])
except SystemExit:
    import numpy
"""


@pytest.mark.parametrize("entry", ["splu_desktop.cli", "splu_desktop.__main__"])
@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("3", "3")])
def test_matrices_stay_on_one_thread_unless_told_otherwise(entry: str, before: str | None, after: str) -> None:
    """A report takes four times as long where threads quarrel over small matrices."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if before is not None:
        environment["OPENBLAS_NUM_THREADS"] = before
    command = [sys.executable, "-c", _WATCHED.format(entry=entry)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert next(line for line in done.stdout.splitlines() if not line.startswith("splu")) == after
