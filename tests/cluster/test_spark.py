"""Publishing on Spark itself, by two machines of one core that this computer pretends to be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy import stats

from splu_desktop.files.register.book import Register
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release
from tests.cluster.test_on_a_cluster import RARELY, SHARES, folder, people
from tests.optional import needs

MACHINES = "local-cluster[2,1,1024]"
LONGEST = 540  # seconds, on a busy machine


def started(tmp_path: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from splu_desktop.cli import main; raise SystemExit(main())"]
    options = ["--engine", "spark", "--master", MACHINES, "--sa", "diagnosis:4", "--nsa", "sex,age,ward,at"]
    options += ["--identifier", "id", "--out", str(tmp_path / "out"), "--json", *more]
    (tmp_path / "temporary").mkdir()
    own = {"SPLU_DATA_DIR": str(tmp_path / "data"), "TMPDIR": str(tmp_path / "temporary")}
    return subprocess.Popen(
        [*command, "publish", str(tmp_path / "source"), *options],
        env={**os.environ, **own, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs("Spark")
def test_two_machines_publish_by_the_laws(tmp_path: Path) -> None:
    """Counts, what is kept and the order are as the draw has them; fails by chance at most once in 1,000."""
    table = people(60_000, 9)
    folder(tmp_path / "source", table, files=2, groups=10_000)
    run = started(tmp_path, "--part-records", "15000")
    out, err = run.communicate(timeout=LONGEST)
    assert run.returncode == 0, err
    assert all(check["passed"] for check in json.loads(out)["checks"])
    values = {value for column in ("id", "diagnosis") for value in table[column].to_pylist()}
    assert not any(value in err for value in values), "nothing of the data stands in what Spark logs"
    assert not list((tmp_path / "temporary").iterdir()), "no temporary file is left"
    assert {path.name for path in tmp_path.iterdir()} == {"source", "out", "data", "temporary"}
    checks = verify_release(tmp_path / "out", register=Register(tmp_path / "data" / "register"))
    assert all(check.passed for check in checks)
    assert "register" in {check.name for check in checks}
    published = read_release(tmp_path / "out").published.table
    at = published["at"].labels[published["at"].codes].astype(int)
    assert stats.spearmanr(np.arange(len(at)), at).pvalue > RARELY
    true = np.array([table["diagnosis"].to_pylist().count(f"D{v}") for v in range(8)])
    z = (published["diagnosis"].counts() - true) / np.sqrt(true * (1 - 1 / 4))
    assert np.abs(z).max() < stats.norm.isf(RARELY / 2 / len(SHARES))


@needs("Spark")
def test_a_killed_machine_leaves_a_whole_release_or_none(tmp_path: Path) -> None:
    folder(tmp_path / "source", people(400_000, 9), files=4, groups=10_000)
    run = started(tmp_path, "--part-records", "20000")
    ended = time.monotonic() + LONGEST
    killed = False
    while run.poll() is None and time.monotonic() < ended:
        growing = [path for path in tmp_path.glob(".splu-partial-*/whole/.table-*") if path.is_file()]
        if growing and not killed:
            for machine in _machines(tmp_path / "temporary")[:1]:
                os.kill(machine, signal.SIGKILL)
                killed = True
        time.sleep(0.05)
    err = run.communicate(timeout=10)[1]
    assert killed, err
    left = {path.name for path in tmp_path.iterdir()} - {"source", "data", "temporary"}
    if run.returncode == 0:
        assert left == {"out"}
        assert all(check.passed for check in verify_release(tmp_path / "out"))
    else:
        assert run.returncode == 2
        assert [line for line in err.splitlines() if line.startswith("splu:")][-1].count(".") == 1
        assert not left, "nothing is left behind"


def _machines(temporary: Path) -> list[int]:
    """Return the numbers of a run's processes that are machines of its cluster."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes()
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if b"CoarseGrainedExecutorBackend" in words and f"TMPDIR={temporary}".encode() in environment:
                found.append(int(entry.name))
    return found
