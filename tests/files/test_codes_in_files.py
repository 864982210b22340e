"""Codes of many records stand in files without a name: same table, same release, nothing left."""

from __future__ import annotations

import errno
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.progress import SILENT
from splu_desktop.core.table import Column
from splu_desktop.files.disk import codes as stores
from splu_desktop.files.importer import read
from splu_desktop.files.importer.columns import grid
from splu_desktop.files.importer.text import layout
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import TooLarge
from splu_desktop.files.publish.publishing import Options, publish
from splu_desktop.files.release import csv_table
from splu_desktop.files.release.facts import Dialect
from splu_desktop.files.release.reading import open_release
from tests.files.releases import ward_plan, ward_table
from tests.seeded import Seeded


@pytest.fixture(autouse=True)
def _few_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(stores, "IN_MEMORY", 100)
    monkeypatch.setattr(grid, "_AT_ONCE", 50)
    monkeypatch.setattr(csv_table, "_CODED", 50)


def in_file(column: Column) -> bool:
    return isinstance(getattr(column.codes.base, "obj", None), mmap.mmap)


def test_a_table_in_files_is_that_in_memory_whatever_its_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The quotes within quotes make some blocks irregular, between regular ones.
    lines = [f'{at % 7},{at},"a ""b"" {at % 3}"' if at % 50_000 == 9 else f"{at % 7},{at},c" for at in range(200_000)]
    path = tmp_path / "t.csv"
    path.write_text("x,y,z\n" + "\n".join(lines) + "\n", encoding="utf-8")
    small = read(path).table
    monkeypatch.setattr(stores, "IN_MEMORY", 1 << 30)
    monkeypatch.setattr(grid, "_AT_ONCE", 1 << 30)
    whole = read(path).table
    for one, other in zip(small.columns, whole.columns, strict=True):
        assert in_file(one)
        assert not in_file(other)
        assert one.labels.tolist() == other.labels.tolist()
        assert np.array_equal(one.codes, other.codes)
    assert small["z"].labels[small["z"].codes[9]] == 'a "b" 0'


def test_the_same_bits_draw_the_same_in_files_and_in_memory() -> None:
    table = ward_table(1_000)
    plan = ward_plan(table)
    here = sanitise.run(table, plan, randomness=Seeded(4))
    there = sanitise.run(table, plan, randomness=Seeded(4), keep=stores.store_codes)
    for one, other in zip(here.table.columns, there.table.columns, strict=True):
        assert np.array_equal(one.written_texts(), other.written_texts())
    assert any(map(in_file, there.table.columns))


def test_a_release_from_files_is_whole_and_leaves_no_file_behind(tmp_path: Path) -> None:
    table = ward_table(1_000)
    source = tmp_path / "source.csv"
    csv_table.write_table(table, source, Dialect(), SILENT)
    publish(read(source).table, ward_plan(table), tmp_path / "r", options=Options(accept_all="A test of large tables"))
    opened = open_release(tmp_path / "r")
    assert opened.published.n == 1_000
    assert in_file(opened.published.table.columns[0])
    assert not [path for path in (tmp_path / "data").iterdir() if path.name.startswith("tmp")]


@pytest.mark.parametrize("writes", [0, 3])
def test_codes_stay_in_memory_where_the_disk_refuses(writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = stores.nameless_file

    class Full:
        """A disk that takes so many writes and no more, the last of them in part."""

        def __init__(self) -> None:
            self.file, self.left = real(), writes

        def write(self, data: Any) -> int:
            if not self.left:
                raise OSError(errno.ENOSPC, "no space left")
            self.left -= 1
            return int(self.file.write(data if self.left else data[:6]))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    monkeypatch.setattr(stores, "nameless_file", Full)
    parts = [np.arange(at, at + 60, dtype=np.int32) for at in range(0, 600, 60)]
    collected = stores.CodeCollector()
    for part in parts:
        collected.add(part)
    assert np.array_equal(collected.all_codes(), np.arange(600))


def test_a_text_that_fills_the_memory_is_refused_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "\n".join(f"{at},{at % 3}" for at in range(90_000)) + "\n", encoding="utf-8")
    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    monkeypatch.setattr(layout, "_CHECKED", 1 << 18)
    with pytest.raises(TooLarge, match="not enough memory"):
        read(path)


def test_a_table_whose_verdict_would_need_more_than_is_free_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,2\n" * 10_000, encoding="utf-8")
    monkeypatch.setattr(memory, "available", lambda: 1_000_000)
    with pytest.raises(TooLarge, match="not enough memory"):
        read(path)
