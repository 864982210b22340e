"""Tables larger than the memory they may take: read and published as any others, their codes on disk meanwhile."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Silent
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.files.disk import storage as disk_storage
from splu_desktop.files.disk.storage import LEAST, DiskFull, OnDisk
from splu_desktop.files.importer import Imported, parquet, read, reader
from splu_desktop.files.importer.text import delimited
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import BadChoice, TooVaried
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.read_back import written_differs
from splu_desktop.files.release.verify import verify_release
from splu_desktop.files.tables.table_writers import write_parquet
from tests.draws import plain


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text is larger than memory, and brought to disk 50 records at a time."""
    monkeypatch.setattr(reader, "_storage", lambda *_: OnDisk(LEAST))
    monkeypatch.setattr(OnDisk, "records", 50)


def both(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Imported, Imported]:
    monkeypatch.setattr(delimited, "HEAD", 2_048)  # bytes that are read at once, so that the codes have many parts
    monkeypatch.setattr(delimited, "_BLOCK", 1_024)
    usual = read(path)
    monkeypatch.setattr(memory, "need_of_text", lambda size, sample: 1e18)
    monkeypatch.setattr(OnDisk, "records", 50)
    found = read(path, most=LEAST)
    assert isinstance(found.storage, OnDisk)
    return usual, found


def same(one: Table, other: Table) -> bool:
    return one.names == other.names and all(
        a.kind is b.kind
        and a.labels.tolist() == b.labels.tolist()
        and np.array_equal(a.codes, b.codes)
        and np.array_equal(a.missing, b.missing)
        and np.array_equal(a.counts(), b.counts())
        for a, b in zip(one.columns, other.columns, strict=True)
    )


def rows(kind: str) -> bytes:
    rng = np.random.default_rng(1)
    body = [f"{i:05d},{rng.integers(0, 40)},{'FM'[i % 2]},{rng.normal():.3f}\n" for i in range(1_000)]
    match kind:
        case "plain":
            pass
        case "quoted":
            body[300] = '00300,"a ""b""",F,1.5\n'
            body[700] = '00700,"x\ny",M,?\n'
        case "ragged":
            body[400], body[650], body[651] = "00400,3\n", "00650,1,F,2.5,more\n", "\n"
        case "totals":
            body.append("Total,1000,,\n")
            body.append("Source: the register,,,\n")
        case "letters":
            body[500] = "00500,Zürich,F,1.5\n"
            return ("id,count,sex,value\n" + "".join(body)).encode("cp1252")
    return ("id,count,sex,value\n" + "".join(body)).encode()


@pytest.mark.parametrize("kind", ["plain", "quoted", "ragged", "totals", "letters"])
def test_it_is_read_as_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    (tmp_path / "t.csv").write_bytes(rows(kind))
    usual, found = both(tmp_path / "t.csv", monkeypatch)
    assert same(usual.table, found.table)
    assert found.choices == usual.choices
    assert found.problems[1:] == usual.problems, "but for the sentence that it is larger than memory"
    assert "larger than the memory" in found.problems[0].sentence


def published(folder: Path, small: None) -> tuple[Imported, Order, Path]:
    rng = np.random.default_rng(2)
    body = "".join(f"{a},{b},{c}\n" for a, b, c in zip(*rng.integers(0, 20, (3, 1_000)).tolist(), strict=True))
    (folder / "t.csv").write_text("age,ward,diagnosis\n" + body)
    imported = read(folder / "t.csv", most=LEAST)
    plan = Plan({"age": Role.NSA, "ward": Role.NSA, "diagnosis": Role.SA}, plain({"diagnosis": 4}))
    order = Order(imported.table, plan, folder / "r", source=folder / "t.csv", storage=imported.storage)
    return imported, order, folder / "r"


def test_it_is_published_as_any_other(tmp_path: Path, small: None) -> None:
    imported, order, release = published(tmp_path, small)
    outcome = publish(order, strict=False, register=Register(tmp_path / "register"))
    assert all(check.passed for check in outcome.checks)
    assert all(check.passed for check in verify_release(release))
    opened = read_release(release).published.table
    assert same(outcome.opened.published.table, opened)
    unchanged = [
        np.stack([t[x].labels[t[x].codes].astype(int) for x in ("age", "ward")]) for t in (imported.table, opened)
    ]
    first, second = (np.sort(np.array([100, 1]) @ pair) for pair in unchanged)
    assert np.array_equal(first, second)
    assert not np.array_equal(unchanged[0], unchanged[1]), "in another order"


def test_parquet_is_read_as_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With row groups that begin and end within parts, and the same parts checked when one is written."""
    import pyarrow as pa  # an optional part
    import pyarrow.parquet as pq

    rng = np.random.default_rng(3)
    known = pa.table(
        {
            "n": rng.integers(0, 9, 700),
            "x": pa.array(rng.normal(size=700).round(1), mask=rng.random(700) < 0.1),
            "s": pa.array(rng.choice(["a", "b", "ü"], 700)).dictionary_encode(),
        }
    )
    pq.write_table(known, tmp_path / "t.parquet", row_group_size=150)
    usual = read(tmp_path / "t.parquet")
    monkeypatch.setattr(parquet, "AT_ONCE", 220)
    monkeypatch.setattr(reader, "_storage", lambda *_: OnDisk(LEAST))
    found = read(tmp_path / "t.parquet", most=LEAST)
    assert isinstance(found.storage, OnDisk)
    assert same(usual.table, found.table)
    write_parquet(found.table, tmp_path / "w.parquet", Silent())
    assert written_differs(tmp_path / "w.parquet", "parquet", found.table, Silent()) is None
    changed = replace(found.table["n"], codes=np.roll(found.table["n"].codes, 1))
    other = Table((changed, *found.table.columns[1:]))
    assert written_differs(tmp_path / "w.parquet", "parquet", other, Silent()) == "n"
    shorter = found.table.take(np.arange(699))
    assert written_differs(tmp_path / "w.parquet", "parquet", shorter, Silent()) == "n"


def test_too_many_different_values_are_refused(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnDisk, "room_for_labels", lambda self, labels, letters: labels < 300)
    (tmp_path / "t.csv").write_bytes(rows("plain"))
    with pytest.raises(TooVaried, match=r"Column “id” has [\d,]+ different values"):
        read(tmp_path / "t.csv", most=LEAST)


def test_a_full_disk_is_told(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    (tmp_path / "t.csv").write_bytes(rows("plain"))
    with pytest.raises(DiskFull, match="there is no room for it"):
        read(tmp_path / "t.csv", most=LEAST)


def test_only_texts_are_read_within_a_given_memory(tmp_path: Path) -> None:
    import xlsxwriter  # writes a workbook for this test alone

    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        book.add_worksheet().write_row(0, 0, ["a", "b"])
    with pytest.raises(BadChoice, match="Only delimited texts"):
        read(tmp_path / "t.xlsx", most=LEAST)
    (tmp_path / "t.csv").write_bytes(rows("plain"))
    with pytest.raises(BadChoice, match="are the least"):
        read(tmp_path / "t.csv", most=LEAST - 1)


def test_what_fits_is_read_as_ever(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(rows("plain"))
    assert read(tmp_path / "t.csv", most=LEAST).storage.records is None


def test_arrays_keep_what_they_hold() -> None:
    storage = OnDisk(LEAST)
    arrays = [storage.array(size) for size in (1, 0, 1_000, 7)]
    for at, array in enumerate(arrays):
        array[:] = at
    storage.let_go()
    assert [set(array.tolist()) for array in arrays] == [{0}, set(), {2}, {3}]


def test_arrays_asked_for_side_by_side_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    real = np.frombuffer

    def slow(*given: object) -> object:
        found = real(*given)
        time.sleep(0.0001)  # others have their turn meanwhile
        return found

    monkeypatch.setattr(disk_storage, "_SLAB", 1 << 12)
    monkeypatch.setattr(np, "frombuffer", slow)
    storage = OnDisk(LEAST)
    begin = threading.Barrier(4)

    def ask(_: int) -> list[np.ndarray]:
        begin.wait()
        return [storage.array(400) for _ in range(60)]

    with ThreadPoolExecutor(4) as pool:
        arrays = [each for some in pool.map(ask, range(4)) for each in some]
    for at, array in enumerate(arrays):
        array[:] = at
    assert all((array == at).all() for at, array in enumerate(arrays))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows shows such files until they are closed")
def test_nothing_is_left_of_a_killed_run(tmp_path: Path) -> None:
    code = """
import os, signal
from splu_desktop.files.disk import storage as disk_storage
from splu_desktop.files.disk.storage import LEAST, OnDisk
array = OnDisk(LEAST).array(1000)
array[:] = 1
print(os.listdir(os.environ["TMPDIR"]), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ended.returncode == -9
    assert ended.stdout == "[]\n", "the file has no name while it is used"
    assert not list(tmp_path.iterdir())
