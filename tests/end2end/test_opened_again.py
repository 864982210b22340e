"""From an untidy source to the published files, opened again by pandas, LibreOffice and the program's own importer."""

from __future__ import annotations

import csv
import datetime
import importlib.util
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splu_desktop.cli import main
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.table import Column, Table
from splu_desktop.files.disk.inert import inert
from splu_desktop.files.importer import read
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release
from tests.draws import plain
from tests.optional import needs

N = 360
NSAS = ["Größe, cm", "患者コード", "=SUM(A1)", "aufgenommen", "gesehen um", "Kosten", "x" * 200, "Notiz zweite Zeile"]


def rows() -> list[dict[str, str]]:
    """Records as a German hospital's export has them: commas in numbers, days first, codes with zeros, formulas."""
    rng = np.random.default_rng(4)
    notes = ["", '=HYPERLINK("http://x")', "-", 'er sagte "ja"', "a;b,c", "ümlaut ß 漢", "+49 30 1234"]
    found = []
    for i in range(N):
        day = datetime.date(2021, 1, 1) + datetime.timedelta(days=int(rng.integers(0, 700)))
        found.append(
            {
                "Größe, cm": f"{150 + int(rng.integers(0, 40))},{int(rng.integers(0, 10))}",
                "患者コード": f"{int(rng.integers(0, 60)):05d}",
                "=SUM(A1)": ["ja", "nein", "?"][int(rng.integers(0, 3))],
                "aufgenommen": day.strftime("%d.%m.%Y"),
                "gesehen um": f"{day.isoformat()} {int(rng.integers(0, 24)):02d}:{int(rng.integers(0, 60)):02d}:00",
                "Kosten": "{}.{:03d},{:02d}".format(*rng.integers([1, 0, 0], [90, 1000, 100]).tolist()),
                "x" * 200: str(int(rng.integers(-5, 6))),
                "Notiz\nzweite Zeile": notes[int(rng.integers(0, len(notes)))],
                "Diagnose": f"Diagnose {i % 24}",
                "Blut/gruppe": ["A", "B", "AB", "0"][i % 4],
            }
        )
    return found


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("quelle") / "Ausgabe März.csv"
    records = rows()
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(records)
    return path


@pytest.fixture(scope="module")
def release(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "Freigabe ä 漢"
    keep = [part for name in NSAS for part in ("--keep", f"{name}=known to all")]
    formats = ["--xlsx", "--parquet"] if importlib.util.find_spec("pyarrow") else ["--xlsx"]
    status = main(
        ["publish", str(source), "--sa", "Diagnose:6", "--sa", "Blut/gruppe:3", *keep, *formats, "--out", str(folder)]
    )
    assert status == 0
    return folder


@pytest.fixture(scope="module")
def opened(source: Path) -> Table:
    """The source as the program reads it: what the published columns are compared with."""
    return read(source).table


def typed(column: Column) -> Counter[Any]:
    """Return what a typed reader should find, as a multiset: numbers, moments, texts, None."""
    if column.values is None:
        return Counter(text or None for text in column.labels[column.codes].tolist())
    values = column.values[column.codes]
    if values.dtype.kind == "M":
        return Counter(values.astype("datetime64[us]").tolist())
    return Counter(None if v != v else float(v) for v in values.tolist())


def found_by(cells: list[Any]) -> Counter[Any]:
    """Return cells of a reader in the same form."""
    made = []
    for cell in cells:
        if cell is None or cell != cell or cell == "":
            made.append(None)
        elif isinstance(cell, pd.Timestamp | datetime.datetime):
            made.append(cell.to_pydatetime() if isinstance(cell, pd.Timestamp) else cell)
        elif isinstance(cell, datetime.date):
            made.append(datetime.datetime.combine(cell, datetime.time()))
        else:
            made.append(float(cell) if isinstance(cell, int | float | np.number) else cell)
    return Counter(made)


def test_the_source_is_read_as_meant(opened: Table) -> None:
    """What follows would say nothing if dates and numbers had been taken for text."""
    kinds = {name: opened[name].kind.value for name in NSAS}
    assert kinds["aufgenommen"] == "date"
    assert kinds["gesehen um"] == "date and time"
    assert kinds["Kosten"] == kinds["Größe, cm"] == "decimal number"
    assert kinds["患者コード"] not in ("whole number", "decimal number")


def test_the_csv_is_what_pandas_reads(release: Path, opened: Table) -> None:
    frame = pd.read_csv(release / "table.csv", keep_default_na=False, dtype={"患者コード": str})
    assert list(frame.columns) == [inert(name) for name in opened.names]
    assert len(frame) == N
    for name in NSAS:
        column, got = opened[name], frame[inert(name)]
        if column.kind.ordered and column.kind.value.startswith("date"):
            assert found_by(list(pd.to_datetime(got))) == typed(column), name
        elif column.values is not None:
            assert found_by(list(pd.to_numeric(got))) == typed(column), name
        else:
            assert Counter(got) == Counter(inert(t) for t in column.labels[column.codes].tolist()), name


def test_the_workbook_is_what_pandas_reads(release: Path, opened: Table) -> None:
    sheets = pd.read_excel(
        release / "table.xlsx", engine="calamine", sheet_name=None, keep_default_na=False, dtype={"患者コード": str}
    )
    assert list(sheets) == ["Read first", "Table"]
    assert sheets["Read first"].columns[0].startswith("DO NOT COUNT ROWS of “"), "what must not be done, on top"
    frame = sheets["Table"]
    assert list(frame.columns) == list(opened.names)
    for name in NSAS:
        assert found_by(frame[name].tolist()) == typed(opened[name]), name


def test_parquet_is_what_pandas_reads(release: Path, opened: Table) -> None:
    frame = pd.read_parquet(release / "table.parquet")
    for name in NSAS:
        assert found_by([None if pd.isna(cell) else cell for cell in frame[name].tolist()]) == typed(opened[name]), name


@pytest.mark.parametrize("name", ["table.csv", "table.xlsx"])
def test_the_program_reads_its_own_files(release: Path, opened: Table, name: str) -> None:
    table = read(release / name).table
    assert table.n == N
    # Formulas in a CSV are marked.
    for wanted, got in zip(opened.columns, table.columns, strict=True):
        if wanted.name in ("Diagnose", "Blut/gruppe"):
            continue
        if wanted.values is not None:
            assert typed(got) == typed(wanted), wanted.name
        else:
            marked = inert if name.endswith("csv") else str
            labels = Counter(marked(text) for text in wanted.labels[wanted.codes].tolist())
            assert Counter(got.labels[got.codes].tolist()) == labels, wanted.name


@needs("LibreOffice")
def test_libreoffice_opens_it_with_text_as_text(release: Path, opened: Table, tmp_path: Path) -> None:
    # The second sheet, cells as they are, not as shown.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,2"
    subprocess.run(
        ["soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/profile", "--convert-to", form,
         "--outdir", str(tmp_path), str(release / "table.xlsx")],
        check=True, capture_output=True, timeout=180,
    )  # fmt: skip
    with (tmp_path / "table-Table.csv").open(encoding="utf-8", newline="") as file:
        header, *cells = list(csv.reader(file))
    assert header == list(opened.names)
    for place, column in enumerate(opened.columns):
        if column.name in ("Diagnose", "Blut/gruppe"):
            continue
        got = Counter(row[place] for row in cells)
        if column.kind.value in ("whole number", "decimal number"):
            assert Counter(float(c) if c else None for c in got.elements()) == typed(column), column.name
        elif column.kind.value == "date":
            assert Counter(datetime.datetime.fromisoformat(c) for c in got.elements()) == typed(column), column.name
        elif column.values is None:
            assert got == Counter(column.labels[column.codes].tolist()), column.name  # =HYPERLINK(...) among them


def test_it_verifies_and_reads_back(release: Path, opened: Table) -> None:
    assert [check for check in verify_release(release) if not check.passed] == []
    published = read_release(release).published
    assert published.draws == plain({"Diagnose": 6, "Blut/gruppe": 3})
    for name in NSAS:
        assert typed(published.table[name]) == typed(opened[name]), name
    assert {c["name"] for c in json.loads((release / "release.json").read_text("utf-8"))["columns"]} == set(
        opened.names
    )


def write(path: Path, header: list[str], lines: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *lines])
    return path


def test_two_hundred_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    header = [f"column {i}" for i in range(199)] + ["illness"]
    codes = rng.integers(0, 9, (300, 200))
    source = write(tmp_path / "wide.csv", header, [[f"v{c}" for c in row] for row in codes.tolist()])
    # Left to itself, publish leaves out unknown names beside an illness.
    kept = [option for name in header[:-1] for option in ("--nsa", name)]
    assert main(["publish", str(source), "--sa", "illness:3", *kept, "--xlsx", "--out", str(tmp_path / "r")]) == 0
    assert all(check.passed for check in verify_release(tmp_path / "r"))
    got = read_release(tmp_path / "r").published.table
    before = Counter(tuple(f"v{c}" for c in row[:-1]) for row in codes.tolist())
    labels = [got[name].labels[got[name].codes].tolist() for name in header[:-1]]
    assert Counter(zip(*labels, strict=True)) == before


@pytest.mark.parametrize(("records", "said"), [(0, "no records"), (1, "can't be protected"), (3, "can't be protected")])
def test_tables_too_small_to_publish(tmp_path: Path, capsys: Any, records: int, said: str) -> None:
    source = write(tmp_path / "small.csv", ["ward", "illness"], [[f"W{i}", f"ill {i % 2}"] for i in range(records)])
    assert main(["publish", str(source), "--sa", "illness:4", "--out", str(tmp_path / "r")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert not (tmp_path / "r").exists()


def test_the_least_table_that_can_be_published(tmp_path: Path) -> None:
    """Two records with two values in one group, and a column without any value."""
    source = write(tmp_path / "least.csv", ["ward", "empty", "illness"], [["A", "", "flu"], ["A", "", "gout"]])
    left: set[tuple[str, ...]] = set()
    for attempt in range(16):  # in one of two, a value vanishes
        folder = tmp_path / f"r{attempt}"
        assert main(["publish", str(source), "--sa", "illness:2", "--xlsx", "--out", str(folder)]) == 0
        assert [check.sentence for check in verify_release(folder) if not check.passed] == []
        published = read_release(folder).published
        assert published.table.n == 2
        left.add(tuple(sorted(published.table["illness"].labels.tolist())))
        for value in published.table["illness"].labels.tolist():
            answer = Reader(published).answer((Condition("illness", (value,)),))
            assert answer.low == 0, "one of the two records has the other value, as everybody knows of groups of 2"
            assert answer.variance is None or answer.variance > 0
            assert answer.high == 2
        *_, low, high, _ = Reader(published).cells([()], "illness")
        assert low.min() == 0
        assert high.max() == 2
    assert left == {("flu",), ("gout",), ("flu", "gout")}


@pytest.mark.parametrize("name", ["CON", "nul.txt", "release.", "a|b", "x" * 300])
def test_names_that_can_not_be_are_refused_in_one_sentence(tmp_path: Path, capsys: Any, name: str) -> None:
    source = write(tmp_path / "t.csv", ["ward", "illness"], [[f"W{i % 5}", f"ill {i % 9}"] for i in range(90)])
    before = sorted(path.name for path in tmp_path.iterdir())
    assert main(["publish", str(source), "--sa", "illness:3", "--out", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("splu: ")
    assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_name_as_long_as_the_file_system_takes(tmp_path: Path) -> None:
    """In letters of three bytes each: names are counted in bytes, also while the release is under way."""
    source = write(tmp_path / "t.csv", ["ward", "illness"], [[f"W{i % 5}", f"ill {i % 9}"] for i in range(90)])
    name = "漢" * 80
    assert main(["publish", str(source), "--sa", "illness:3", "--out", str(tmp_path / name)]) == 0
    assert all(check.passed for check in verify_release(tmp_path / name))
