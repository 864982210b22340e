"""What memory a file is estimated to take holds: never less than it takes, and not much more."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.checks.gate import Light
from splu_desktop.core.errors import SpluError
from splu_desktop.files.importer import read
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import TooLarge, TooWide
from splu_desktop.files.publish.gate_lines import destination_lines
from splu_desktop.files.publish.order import Order
from splu_desktop.files.release.facts import BadRelease
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release
from tests.files.releases import awkward_table, plan_of
from tests.seeded import Seeded
from tests.written import write_release

linux = pytest.mark.skipif(sys.platform != "linux", reason="it measures with Linux's means")


def _peak(work: Callable[[], object]) -> int:
    """Return the bytes of memory that a piece of work takes beyond what the process has, or its own child if more."""
    ours, childs = os.pipe()
    ctypes.CDLL(None).malloc_trim(0)  # what earlier tests freed would be used again, and not be seen
    if (child := os.fork()) == 0:
        status = 1
        try:
            # Of its own start: a fork does not take over the pages of files that its parent has mapped.
            os.write(childs, str(int(Path("/proc/self/statm").read_text().split()[1])).encode())
            work()
            status = 0
        finally:
            os._exit(status)
    _, status, use = os.wait4(child, 0)
    before = int(os.read(ours, 40)) * resource.getpagesize()
    os.close(ours)
    os.close(childs)
    assert status == 0
    return (use.ru_maxrss << 10) - before


def _written(folder: Path, records: int) -> Path:
    table = awkward_table(records)
    write_release(sanitise.run(table, plan_of(table), randomness=Seeded(1)), folder)
    return folder


def _text(kind: str, fields: int) -> bytes:
    chance = np.random.default_rng(1)
    match kind:
        case "few":
            return b"a,b,c,d\n" + b"".join(b"A,B,C,%d\n" % (k % 7) for k in range(fields // 4))
        case "narrow":
            return b"a\n" + b"".join(b"%d\n" % k for k in chance.integers(0, 10**9, fields).tolist())
        case "wide":
            head = ",".join(f"c{k}" for k in range(100)).encode()
            rows = chance.integers(0, 10**9, (fields // 100, 100)).tolist()
            return head + b"\n" + b"".join(",".join(map(str, row)).encode() + b"\n" for row in rows)
        case _:
            return b"a,b\n" + b"".join(
                b"%024x,%024x\n" % (k, k * 7) for k in chance.integers(0, 1 << 62, fields // 2).tolist()
            )


@linux
@pytest.mark.parametrize("kind", ["few", "narrow", "wide", "long"])
def test_the_estimate_of_a_text_holds(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t.csv"
    _peak(lambda: path.write_bytes(_text(kind, 600_000)))  # or this process would hold its memory, free to be used
    need = memory.need_of_text(path.stat().st_size, memory.sample_of(path))
    taken = _peak(lambda: read(path))
    assert taken <= need <= 2 * (taken + memory.AT_LEAST)  # a process that does nothing yet takes that, too


@linux
def test_the_estimate_of_a_release_holds(tmp_path: Path) -> None:
    release = tmp_path / "r"
    _peak(lambda: _written(release, records=20_000))
    table = (release / "table.csv").read_bytes()
    facts = (release / "release.json").stat().st_size
    assert _peak(lambda: read_release(release)) <= memory.need_of_release(facts, len(table), table)


def test_a_text_is_sampled_in_all_its_parts(tmp_path: Path) -> None:
    # Sorted by its first column, a text's head holds one value of it.
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"".join(b"%07d,x\n" % (k // 50_000) for k in range(500_000)))
    assert {b"%07d" % k for k in range(10)} <= set(memory.sample_of(path).replace(b"\n", b",").split(b","))


def test_an_enormous_release_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = _written(tmp_path / "r", records=200)
    with (release / "table.csv").open("r+b") as file:
        file.truncate(8_000_000_000)  # takes no room on the disk
    monkeypatch.setattr(memory, "available", lambda: 8_000_000_000)
    with pytest.raises(BadRelease, match="is not the table that was released"):  # by its size, before any is read
        read_release(release)
    monkeypatch.setattr(memory, "available", lambda: 400_000_000)  # less than any large table takes
    for work in (read_release, verify_release):
        with pytest.raises(BadRelease, match=r"would need about [1-9][0-9]*\.\d GB of memory, but only 0\.4 GB"):
            work(release)


def test_a_table_has_no_more_columns_than_it_can_have(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"1," * 60_000)
    with pytest.raises(TooWide, match="has 60,001 columns"):
        read(path)


@linux
def test_a_limit_on_the_process_counts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n1\n")

    def limited() -> None:
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + (64 << 20), resource.RLIM_INFINITY))
        with pytest.raises(TooLarge):
            read(path)

    _peak(limited)


@linux
def test_the_gate_tells_of_a_limit_on_the_process(tmp_path: Path) -> None:
    # As the reader refuses by it: `ulimit -v`, or a container's.
    table = awkward_table(100)
    order = Order(table, plan_of(table), tmp_path / "release")

    def limited() -> None:
        (before,) = (line for line in destination_lines(order) if line.name == "memory")
        assert before.light is Light.GREEN
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + (64 << 20), resource.RLIM_INFINITY))
        (after,) = (line for line in destination_lines(order) if line.name == "memory")
        assert after.light is Light.AMBER

    _peak(limited)


def test_a_release_whose_table_can_not_be_read_is_told_as_before(tmp_path: Path) -> None:
    release = _written(tmp_path / "r", records=200)
    (release / "table.csv").unlink()
    (release / "table.csv").mkdir()
    with pytest.raises(SpluError, match="table"):
        read_release(release)
