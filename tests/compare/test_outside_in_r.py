"""Comparators against packages of R, where these are installed.

The draws of sdcMicro's pram (its repository, commit 0394d0c5) are not held against ours: it draws value after value in
place, so a row that became a later value is drawn once more, and what comes out has not the matrix that it was given.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.mechanism.cell_noise import noise_law
from splu_desktop.core.plan import Plan
from splu_desktop.core.risk.alike import alike
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from tests.compare.tables import small_source
from tests.optional import R_LIBRARY, needs


def _run(script: str) -> list[list[float]]:
    """Return the numbers of each line that a script of R prints."""
    environment = os.environ | {"R_LIBS": R_LIBRARY}
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    return [[float(each) for each in line.split()] for line in ran.stdout.splitlines()]


@needs("ptable")
def test_cell_key_noise_is_that_of_ptable() -> None:
    script = ""
    for count in range(1, 6):
        script += (
            f"v <- max(-{count}, -4):4; k <- length(v)\n"
            "p <- ptable:::pt_optim_entropy(4, FALSE, v, 3, rep(1e-8, k), rep(1, k), 7)$result\n"
            "cat(rep(0, 9 - k), p, '\\n')\n"
        )
    for count, theirs in enumerate(_run(script), start=1):
        assert noise_law(min(count, 4), 4, 3.0) == pytest.approx(theirs, abs=1e-4)


@needs("sdcMicro")
def test_rows_alike_are_those_that_sdc_micro_counts(tmp_path: Path) -> None:
    source = small_source(2_000)
    table = Table((*source.columns, source.sensitive))
    secret = source.sensitive.name
    plan = Plan(dict.fromkeys(table.names, Role.NSA) | {secret: Role.SA}, (Block((secret,), Lenders(3)),))
    path = tmp_path / "keys.csv"
    np.savetxt(path, np.stack([column.codes for column in source.columns], axis=1), fmt="%d", delimiter=",")
    script = (
        f'x <- read.csv("{path}", header = FALSE); f <- sdcMicro::freqCalc(x, 1:3); cat(f$fk, "\\n"); cat(f$n1, f$n2)'
    )
    sizes, few = _run(script)
    ours = alike(prepare(table, plan), plan)
    assert ours.sizes.tolist() == sizes
    assert [ours.below(2), ours.below(3) - ours.below(2)] == few
