"""What memory a file is estimated to take holds: never less than it takes, and not much more."""

from __future__ import annotations

import ctypes
import io
import os
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter

from splu_desktop.core import sanitise
from splu_desktop.core.checks.gate import Light
from splu_desktop.core.errors import FileFault, SpluError
from splu_desktop.core.progress import SILENT
from splu_desktop.core.table import IN_MEMORY
from splu_desktop.files.disk.storage import LEAST
from splu_desktop.files.importer import parquet, read, statistical, statistical_file
from splu_desktop.files.isolation import memory
from splu_desktop.files.isolation.faults import TooLarge, TooSpread, TooWide
from splu_desktop.files.publish.gate_lines import destination_lines
from splu_desktop.files.publish.order import Order
from splu_desktop.files.release.facts import BadRelease
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.package import open_package, storage_of
from splu_desktop.files.release.verify import verify_release
from tests.files.releases import awkward_table, plan_of
from tests.hostile.files import claims, contained, shared, shared_texts, xls_stream, xlsb_sharing
from tests.messy.office import ods
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


def _written(folder: Path, records: int, form: str = "csv") -> Path:
    table = awkward_table(records)
    write_release(sanitise.run(table, plan_of(table), randomness=Seeded(1)), folder, formats=(form,))
    return folder


def _coded(encoding: str) -> dict[str, Any]:
    return {"use_dictionary": False, "column_encoding": {"a": encoding}}


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


LONG = [f"{k:03d}" * 160 for k in range(30)]
PLAIN: dict[str, Any] = {"use_dictionary": False}
PARQUETS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "texts": (lambda: [f"{k:06x}" for k in range(400_000)], {}),
    "texts by codes": (lambda: [f"{k:06x}" for k in range(300_000)], {"dictionary_pagesize_limit": 1 << 30}),
    "long texts repeated": (lambda: [LONG[k * 7 % 30] for k in range(300_000)], {}),
    "long texts spelled out": (lambda: [LONG[k * 7 % 30] for k in range(100_000)], PLAIN),
    "long texts": (lambda: [f"{k} " * 300 for k in range(10_000)], {}),
    "texts in two alphabets": (lambda: ["漢字é" * 20 + str(k) for k in range(100_000)], {}),
    "texts that begin alike": (lambda: ["patient-" * 10 + f"{k}" for k in range(200_000)], _coded("DELTA_BYTE_ARRAY")),
    "long texts in order": (lambda: [LONG[k // 10_000] for k in range(300_000)], _coded("DELTA_BYTE_ARRAY")),
    "lengths apart": (lambda: [f"{k:07d}" for k in range(300_000)], _coded("DELTA_LENGTH_BYTE_ARRAY")),
    "numbers in steps": (lambda: np.arange(2_000_000), _coded("DELTA_BINARY_PACKED")),
    "numbers": (lambda: np.arange(500_000, dtype=np.int32), {}),
    "decimals": (lambda: np.sqrt(np.arange(300_000)), _coded("BYTE_STREAM_SPLIT")),
    "few numbers": (lambda: np.arange(3_000_000) * 7919 % 9, {}),
    "moments": (lambda: np.arange(200_000).astype("datetime64[s]"), {}),
    "nothing": (lambda: [None] * 2_000_000, {}),
    "lists": (lambda: [[k, k % 7] for k in range(100_000)], {}),
}
UNTOLD = ("long texts spelled out", "long texts in order")
"""Of these a footer doesn't tell how many differ, so the estimate is that of as many as there are cells."""


@linux
@pytest.mark.parametrize("kind", PARQUETS)
def test_the_estimate_of_a_parquet_file_holds_and_it_is_read(tmp_path: Path, kind: str) -> None:
    """Of any encoding, length and repetition: few bytes may hold very many values."""
    path = tmp_path / "t.parquet"
    values, stored = PARQUETS[kind]

    def write() -> None:
        pq.write_table(pa.table({"a": values()}), path, compression="zstd", **stored)

    _peak(write)
    need, _ = parquet.footer(path, path.stat().st_size, SILENT).need()
    taken = _peak(lambda: read(path))
    assert taken <= need
    assert need <= 3 * (taken + memory.AT_LEAST) or kind in UNTOLD


@linux
def test_what_a_footer_claims_is_no_room_that_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    sound = io.BytesIO()
    pq.write_table(pa.table({"a": range(40_000)}), sound, **_coded("DELTA_BINARY_PACKED"))
    path.write_bytes(sound.getvalue())
    usual = _peak(lambda: read(path))
    path.write_bytes(claims(sound.getvalue(), 40_000, 4_900_000))
    assert parquet.footer(path, path.stat().st_size, SILENT).need()[0] > 1 << 30

    def refused() -> None:
        with pytest.raises(FileFault):
            read(path)

    assert _peak(refused) < 2 * usual
    path.write_bytes(claims(sound.getvalue(), 40_000, 1 << 40))
    with pytest.raises(TooSpread):
        read(path)


CELLS: dict[str, Callable[[int, int], Any]] = {
    "few": lambda row, column: "ABC"[(row + column) % 3],
    "different": lambda row, column: f"x{row * 4 + column:08d}",
    "long": lambda row, column: f"word {row // 8} " * 20,
    "uneven": lambda row, column: "x" * (1 if row % 500 else 250),
    "numbers": lambda row, column: row * 7 + column + 0.5,
}


def _saved(kind: str, cells: str, path: Path) -> None:
    rows = [[CELLS[cells](row, column) for column in range(4)] for row in range(8_000 if cells == "long" else 80_000)]
    match kind:
        case "xlsx":
            with xlsxwriter.Workbook(path) as book:
                sheet = book.add_worksheet()
                for at, row in enumerate([["a", "b", "c", "d"], *rows]):
                    sheet.write_row(at, 0, row)
        case "ods":
            path.write_bytes(ods([["a", "b", "c", "d"], *rows]))
        case "marked_up":
            lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in [["a", "b", "c", "d"], *rows])
            path.write_text(f"<html><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table></html>")
        case _:
            frame = pd.DataFrame(rows, columns=list("abcd"))
            write = {"spss": pyreadstat.write_sav, "stata": pyreadstat.write_dta, "sas": pyreadstat.write_xport}[kind]
            write(frame, str(path))


@linux
@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("kind", ["xlsx", "ods", "marked_up"])
def test_the_estimate_of_other_formats_holds(tmp_path: Path, kind: str, cells: str) -> None:
    path = tmp_path / f"t.{'html' if kind == 'marked_up' else kind}"
    _peak(lambda: _saved(kind, cells, path))
    size = memory.unpacked_size(path) if kind in ("xlsx", "ods") else path.stat().st_size
    need, taken = memory.need(kind, size), _peak(lambda: read(path))
    assert taken <= need <= 4 * (taken + memory.AT_LEAST)


SHARED = [f"long shared text {k:03d} " * 200 for k in range(40)]


def _sharing(kind: str, path: Path) -> None:
    """Write a table of 16,000 cells that show forty texts of 4,000 letters, which stand once."""
    rows = [[(row + column) % 40 for column in range(8)] for row in range(2_000)]
    match kind:
        case "xls":
            cells = b"".join(shared(y, x, text) for y, row in enumerate(rows) for x, text in enumerate(row))
            path.write_bytes(contained(xls_stream(cells, shared_texts(SHARED))))
        case "xlsb":
            path.write_bytes(xlsb_sharing(rows, SHARED))
        case _:
            made = io.BytesIO()
            with xlsxwriter.Workbook(made) as book:
                sheet = book.add_worksheet()
                for at, row in enumerate(rows):
                    sheet.write_row(at, 0, [SHARED[text] for text in row])
            with zipfile.ZipFile(made) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as odd:
                for name in archive.namelist():  # with a remark in it, for calamine alone
                    odd.writestr(name, archive.read(name).replace(b'<row r="5"', b'<!-- --><row r="5"', 1))


# In a program of its own: to a process that a large one starts, the system says the large one's peak.
READ_SHARING = """
import resource, sys
from pathlib import Path
from splu_desktop.files.importer import read
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.isolation import limits
needs, allowed = [], limits.allowed
limits.allowed = lambda size, need, free: needs.append(need) or allowed(size, need, free)
limits._LEAST = 64 << 20
values = read(Path(sys.argv[1]), ImportChoices(header_row=0)).table.columns[7].m
print(values, needs[-1], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
"""


@linux
@pytest.mark.parametrize("kind", ["xls", "xlsb", "xlsx"])
def test_texts_that_many_cells_share_are_estimated_by_all_that_show_them(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file of 1 MB a quarter of what it takes was estimated, and with less room for it it was not read."""
    path = tmp_path / f"t.{kind}"
    _sharing(kind, path)
    said = subprocess.run([sys.executable, "-c", READ_SHARING, str(path)], capture_output=True, text=True, check=True)
    values, need, taken = map(float, said.stdout.split())
    assert values == len(SHARED)
    assert taken <= need <= 4 * taken
    monkeypatch.setattr(memory, "available", lambda: int(need / 2))
    with pytest.raises(TooLarge, match="would need about"):
        read(path)


@linux
def test_the_estimate_of_a_wide_transport_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "t.xpt"
    frame = {f"c{k}": np.arange(300.0) % 7 for k in range(400)}
    _peak(lambda: pyreadstat.write_xport(pd.DataFrame(frame), str(path)))
    need = memory.AT_LEAST + statistical.need_of(path, "sas", None, SILENT)[0]
    # In this process: beside what it has itself, a child's own would hardly be seen.
    taken = _peak(lambda: statistical_file.columns(path, SILENT, kind="sas", encoding=None, limit=None))
    assert taken <= need <= 2 * (taken + memory.AT_LEAST)


@linux
@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("kind", ["spss", "stata", "sas"])
def test_the_estimate_of_a_statistics_programs_file_holds(tmp_path: Path, kind: str, cells: str) -> None:
    """By its cells and its own values: a text takes its column's width in the file, in memory its letters."""
    path = tmp_path / f"t.{ {'spss': 'sav', 'stata': 'dta', 'sas': 'xpt'}[kind] }"
    _peak(lambda: _saved(kind, cells, path))
    need = memory.AT_LEAST + statistical.need_of(path, kind, None, SILENT)[0]
    taken = _peak(lambda: read(path))
    assert taken <= need <= 2 * (taken + memory.AT_LEAST)


@linux
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_is_kept_where_its_estimate_says(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release, told = tmp_path / "r", list[float]()
    _peak(lambda: _written(release, records=20_000, form=form))
    lacking = memory.lacking

    def noted(need: float) -> float | None:
        told.append(need)
        return lacking(need)

    monkeypatch.setattr(memory, "lacking", noted)
    assert storage_of(open_package(release)) is IN_MEMORY
    need = told[-1]
    taken = _peak(lambda: read_release(release))
    assert taken <= need <= 4 * (taken + memory.AT_LEAST)
    monkeypatch.setattr(memory, "usable", lambda: float(LEAST << 1))
    monkeypatch.setattr(memory, "lacking", lambda need: memory.usable())
    kept = storage_of(open_package(release))
    assert kept.memory == LEAST << 1
    monkeypatch.setattr(memory, "usable", lambda: LEAST - 1.0)
    with pytest.raises(BadRelease, match="would need about"):
        storage_of(open_package(release))


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
