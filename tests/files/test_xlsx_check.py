"""A written workbook is compared with its table cell by cell, in blocks of any size; one wrong cell is found."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.core.progress import Cancelled, Silent
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release.read_back import differing
from splu_desktop.files.tables import xlsx_check
from splu_desktop.files.tables.xlsx_check import workbook_differs
from splu_desktop.files.tables.xlsx_writer import write_xlsx
from tests.files.releases import awkward_table

pytestmark = pytest.mark.usefixtures("readers_here")


@pytest.fixture(scope="module")
def table() -> Table:
    return awkward_table()


@pytest.fixture
def book(table: Table, tmp_path: Path) -> Path:
    """Three sheets of 150 records and one of 100 do not fit any block."""
    write_xlsx(table, tmp_path / "t.xlsx", Silent(), sheet_rows=151)
    return tmp_path / "t.xlsx"


@pytest.mark.parametrize("block", [700, 4_096, 50_000, 1 << 20])
def test_a_sound_workbook_agrees(book: Path, table: Table, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_check, "_BLOCK", block)
    assert workbook_differs(book, table, Silent()) is None


@pytest.mark.parametrize("at", [0, 1, 149, 150, 299, 399])
@pytest.mark.parametrize("name", ["code", "age", "admitted", "seen", "illness"])
def test_any_other_cell_is_found(book: Path, table: Table, at: int, name: str) -> None:
    column = table[name]
    codes = column.codes.copy()
    codes[at] = (codes[at] + 1) % column.m
    other = Table(tuple(column.with_codes(codes) if c is column else c for c in table.columns))
    assert workbook_differs(book, other, Silent()) == name


def test_other_columns_records_and_names_are_found(book: Path, table: Table) -> None:
    assert workbook_differs(book, table.take(np.arange(399)), Silent()) is not None
    assert workbook_differs(book, table.take(np.arange(400) % 399), Silent()) is not None
    assert workbook_differs(book, table.select(table.names[:-1]), Silent()) is not None
    from dataclasses import replace

    renamed = Table((*table.columns[:-1], replace(table.columns[-1], name="sickness")))
    assert workbook_differs(book, renamed, Silent()) == "sickness"


def rewritten(book: Path, member: str, change: Callable[[bytes], bytes]) -> Path:
    """Return a copy of a workbook with one part changed, its sums put right."""
    target = book.with_name("changed.xlsx")
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            raw = old.read(name)
            new.writestr(name, change(raw) if name == member else raw)
    return target


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("xl/sharedStrings.xml", lambda raw: raw.replace(b"illness 7<", b"illness 8<")),
        ("xl/worksheets/sheet2.xml", lambda raw: raw.replace(b'<c r="C9"', b'<c r="C8"')),
        ("xl/worksheets/sheet2.xml", lambda raw: raw.replace(b"</row>", b"", 1)),
        ("xl/worksheets/sheet3.xml", lambda raw: raw[: len(raw) // 2]),
        ("xl/worksheets/sheet1.xml", lambda raw: raw.replace(b'<c r="G2" t="s"><v>', b'<c r="G2"><f>1</f><v>', 1)),
        ("xl/worksheets/sheet1.xml", lambda raw: raw.replace(b' s="2"', b"", 1)),
    ],
)
def test_a_workbook_gone_wrong_is_found(
    book: Path, table: Table, member: str, change: Callable[[bytes], bytes]
) -> None:
    assert workbook_differs(rewritten(book, member, change), table, Silent()) is not None


def test_damage_on_disk_is_found_by_the_sums_of_the_archive(book: Path, table: Table) -> None:
    raw = bytearray(book.read_bytes())
    raw[len(raw) // 2] ^= 0x10
    book.write_bytes(raw)
    assert workbook_differs(book, table, Silent()) is not None
    book.write_bytes(raw[:-100])
    assert workbook_differs(book, table, Silent()) is not None


def test_it_can_be_stopped(book: Path, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_check, "_BLOCK", 2_000)
    asked: list[float] = []

    class Stops:
        def report(self, stage: str, done: float) -> None:
            asked.append(done)
            if len(asked) > 25:
                raise Cancelled

    with pytest.raises(Cancelled):
        workbook_differs(book, table, Stops())
    assert 0 < asked[-1] < 1


texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",)), max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(texts | st.sampled_from(["_x000D_", "a\rb", "&amp;", "<c>", " x", "\ufffe"]), min_size=1, max_size=20),
    st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=20),
)
def test_any_labels_agree_and_a_library_reads_the_same(labels: list[str], numbers: list[float]) -> None:
    import tempfile

    n = max(len(labels), len(numbers))
    table = Table(
        (
            Column.from_labels("a<b>&", [labels[i % len(labels)] for i in range(n)], missing=()),
            Column.from_labels("x", [repr(numbers[i % len(numbers)]) for i in range(n)], kind=Kind.DECIMAL),
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.xlsx"
        write_xlsx(table, path, Silent(), sheet_rows=6)
        assert workbook_differs(path, table, Silent()) is None
        if not any(ord(c) < 32 or c in "\ufffe\uffff" for label in labels for c in label):  # not XML's, so marked
            assert differing(path.read_bytes(), path, "xlsx", table, Silent()) is None
