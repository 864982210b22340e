"""A table written and read back is the same table, whatever its values, encoding, delimiter, quotes and line ends."""

from __future__ import annotations

import csv
import gzip
import io
import string
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from splu_desktop.core.table import Table
from splu_desktop.files.importer import ImportChoices, read
from splu_desktop.files.importer.text import fields
from splu_desktop.files.importer.text.delimited_text import _record_end

pytestmark = pytest.mark.usefixtures("readers_here")

WORDS = string.ascii_letters + string.digits + " .,;|:'\"-_/()äöüßéñŁж漢"
SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@st.composite
def tables(draw: st.DrawFn, alphabet: str = WORDS, breaks: bool = True) -> list[list[str]]:
    width = draw(st.integers(2, 6))
    texts = st.text(alphabet=alphabet + ("\n" if breaks else ""), max_size=12)
    rows = draw(st.lists(st.lists(texts, min_size=width, max_size=width), min_size=1, max_size=25))
    kept = [row for row in rows if any(cell.strip() for cell in row)]
    return [[f"name_{i}" for i in range(width)], *(kept or [["x"] * width])]


def cells(table: Table) -> list[list[str]]:
    return [list(row) for row in zip(*(column.written_texts() for column in table.columns), strict=True)]


def written(rows: list[list[str]], delimiter: str, quoting: Any, end: str) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    return stream.getvalue()


@SETTINGS
@given(
    rows=tables(),
    delimiter=st.sampled_from([",", ";", "\t", "|", "^", "~"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    packed=st.booleans(),
)
@example([["a", "b"], ["x", "N\n"]], ",", csv.QUOTE_MINIMAL, "\n", "utf-8", False)  # not MySQL's "N for NULL
@example([["a", "b"], ["N\nx, y", "N\n"], ["z", "N\nu, v"]], ",", csv.QUOTE_MINIMAL, "\n", "utf-8", False)
def test_with_the_dialect_given(
    tmp_path: Path, rows: list[list[str]], delimiter: str, quoting: Any, end: str, encoding: str, packed: bool
) -> None:
    data = written(rows, delimiter, quoting, end).encode(encoding)
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    # Everything that is a matter of judgement is given; what remains must be exact.
    last = len(rows)
    found = read(
        path,
        ImportChoices(encoding=encoding, delimiter=delimiter, quote='"', escape="", header_row=1, last_row=last),
    )
    assert found.table.names == tuple(rows[0])
    assert cells(found.table) == rows[1:]


@SETTINGS
@given(
    seed=st.integers(0, 10_000),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "latin-1"]),
)
def test_with_everything_detected(
    tmp_path: Path, seed: int, delimiter: str, quoting: Any, end: str, encoding: str
) -> None:
    import random

    draw = random.Random(seed)
    towns = ["Köln", "Zürich", "Paris", "Málaga", "Besançon", "Ulm, alt", "5; rue X", 'Haus "Süd"', "A|B", ""]
    rows = [["patient", "größe_cm", "town", "seen", "code"]]
    for i in range(draw.randint(5, 40)):
        day = f"{draw.randint(1, 28):02d}.{draw.randint(1, 12):02d}.{draw.randint(1990, 2024)}"
        rows.append([str(i + 1), f"{draw.randint(150, 199)}", draw.choice(towns), day, f"{draw.randint(0, 999):03d}"])
    path = tmp_path / "t.csv"
    path.write_bytes(written(rows, delimiter, quoting, end).encode(encoding))
    found = read(path)
    assert found.choices.delimiter == delimiter
    assert found.table.names == tuple(rows[0])
    assert cells(found.table) == rows[1:]


@SETTINGS
@given(rows=tables(alphabet='ab,"0 é', breaks=True), cut=st.integers(1, 400))
def test_regular_blocks_agree_with_the_csv_module(rows: list[list[str]], cut: int) -> None:
    data = written(rows, ",", csv.QUOTE_MINIMAL, "\n").encode()
    form = fields.FieldLayout(len(rows[0]), ord(","), ord('"'))
    end = _record_end(data[: cut + 1], form) or len(data)
    got: list[list[str]] = []
    for block in (data[:end], data[end:]):
        if not block:
            continue
        expected = list(csv.reader(io.StringIO(block.decode(), newline="")))
        try:
            parts, _ = fields.split(block, form)
        except fields.Irregular:
            got.extend(expected)
            continue
        columns = [fields.gather([part], "utf-8") for part in parts]
        mine = [list(row) for row in zip(*([c.labels[k] for k in c.codes] for c in columns), strict=True)]
        assert mine == expected
        got.extend(mine)
    assert got == rows


def test_long_short_and_equal_fields_across_blocks(tmp_path: Path) -> None:
    """More than one block, fields of 0 to 200 bytes, one irregular record in the middle."""
    rows = [["id", "text", "group"]]
    rows += [[str(i), "x" * (i % 9) + ("long " * 40 if i % 5000 == 7 else ""), f"g{i % 7}"] for i in range(600_000)]
    rows[300_000][1] = 'said "yes", then\nleft'
    path = tmp_path / "big.csv"
    path.write_text(written(rows, ",", csv.QUOTE_MINIMAL, "\n"), encoding="utf-8", newline="")
    assert path.stat().st_size > 2 * (4 << 20)
    table = read(path).table
    assert table.n == 600_000
    for i in (0, 6, 7, 299_999, 300_000, 599_999):
        assert [column.labels[column.codes[i]] for column in table.columns] == rows[i + 1]
    assert table["group"].counts().sum() == 600_000


def test_blocks_of_short_and_of_long_fields_join() -> None:
    form = fields.FieldLayout(2, ord(","), ord('"'))
    blocks = [b"a,short\nb,fourteen bytes\n", b"a,short\nb," + b"x" * 200 + b"\n"]
    parts = [fields.split(block, form)[0][1] for block in blocks]
    column = fields.gather(parts, "utf-8")
    assert [column.labels[code] for code in column.codes] == ["short", "fourteen bytes", "short", "x" * 200]


NUMBERS = np.random.default_rng(1).permutation(6000).tolist()


@pytest.mark.parametrize(
    "texts",
    [
        [str(number) for number in NUMBERS],
        [f"{number:05d}" for number in NUMBERS] + ["7", "007", ""],
        [str(10_000_000 + 1009 * number) for number in NUMBERS],
        [f"{number / 100:.2f}" for number in NUMBERS] + [f"-{number}.5" for number in NUMBERS],
        [f"{number:04d};" for number in NUMBERS] + [f"{number:05d}" for number in NUMBERS],
        [f"{number:04d}\t" for number in NUMBERS] + [f"{number:04d}9" for number in NUMBERS],
        [f"K{number:x}" for number in NUMBERS],
        [f"ä{number}" for number in NUMBERS] + [f"é{number}" for number in NUMBERS],
    ],
    ids=["whole", "zeros", "long", "points", "signs that look like digits", "blanks", "letters", "accents"],
)
def test_many_different_short_fields_keep_their_texts(texts: list[str]) -> None:
    texts = texts + texts[::3]
    block = "".join(f"{text},x\n" for text in texts).encode()
    (part, _), _ = fields.split(block, fields.FieldLayout(2, ord(","), ord('"')))
    column = fields.gather([part], "utf-8")
    assert [column.labels[code] for code in column.codes] == texts
    assert len(set(column.labels)) == len(column.labels) == len(set(texts))


def test_many_numbers_and_codes_come_in_the_order_of_their_column() -> None:
    layout = fields.FieldLayout(2, ord(","), ord('"'))
    (numbers, codes), _ = fields.split("".join(f"{number},K{number:04d}\n" for number in NUMBERS).encode(), layout)
    assert fields.gather([numbers], "utf-8").labels == [str(number) for number in range(6000)]
    assert fields.gather([codes], "utf-8").labels == [f"K{number:04d}" for number in range(6000)]
