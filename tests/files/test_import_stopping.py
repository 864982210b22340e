"""Reading stops soon when it is told to, wherever it is, and leaves no thread at work."""

from __future__ import annotations

import threading
import zipfile
from pathlib import Path

import pytest
import xlsxwriter

from splu_desktop.core.progress import Cancelled, WatchedProgress
from splu_desktop.files.importer import read


def stopping_at(stage: str) -> tuple[WatchedProgress, list[str]]:
    said: list[str] = []
    return WatchedProgress(lambda what, done: said.append(what), lambda: stage in said), said


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("stop")
    rows = [(i, f"{i % 97}.5", f"name {i}", f"2020-01-{i % 28 + 1:02d}") for i in range(60_000)]
    with (folder / "t.csv").open("w") as file:
        file.write("id,x,name,seen\n")
        file.writelines(",".join(map(str, row)) + "\n" for row in rows)
    with xlsxwriter.Workbook(str(folder / "t.xlsx"), {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for y, row in enumerate([("id", "x", "name", "seen"), *rows[:20_000]]):
            sheet.write_row(y, 0, row)
    # A comment between its cells, and the sheet is read by calamine.
    with zipfile.ZipFile(folder / "t.xlsx") as plain, zipfile.ZipFile(folder / "t.odd.xlsx", "w") as odd:
        for name in plain.namelist():
            odd.writestr(name, plain.read(name).replace(b"<sheetData>", b"<sheetData><!-- odd -->"))
    return {kind: folder / f"t.{kind}" for kind in ("csv", "xlsx", "odd.xlsx")}


@pytest.mark.parametrize(
    ("kind", "stage"),
    [
        ("csv", "Reading"),
        ("csv", "Finding types"),
        ("xlsx", "Opening the workbook"),
        ("xlsx", "Reading"),
        ("odd.xlsx", "Opening the workbook"),
        ("odd.xlsx", "Reading"),
        ("xlsx", "Finding types"),
    ],
)
def test_it_stops_at_every_stage(files: dict[str, Path], kind: str, stage: str) -> None:
    before = set(threading.enumerate())
    watched, said = stopping_at(stage)
    with pytest.raises(Cancelled):
        read(files[kind], progress=watched)
    assert said[-1] == stage  # nothing was begun after that
    for thread in set(threading.enumerate()) - before:  # a workbook being opened is walked away from
        thread.join(60)
        assert not thread.is_alive()
