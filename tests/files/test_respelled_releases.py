"""However half of the cells are written, the release promises, counts and dates the same; its shift stays unknown."""

from __future__ import annotations

import csv
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.audience import Audience
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import propose
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from splu_desktop.files.tables.spelling import parse_values, plain
from tests.seeded import Seeded

N = 1_500
RESPELLED: dict[str, Callable[[str], str]] = {
    "pat_id": str.lower,
    "sex": lambda text: f" {text.upper()} ",
    "age": lambda text: f"{text}.0",
    "admitted": lambda text: ".".join(reversed(text.split("-"))),
    "seen at": lambda text: text.replace(" ", "T") + "+02:00",
    "diagnosis": lambda text: unicodedata.normalize("NFD", text).upper() + "  ",
    "visits": lambda text: f"{text}.00",
}


def _cells() -> dict[str, list[str]]:
    rng = np.random.default_rng(8)
    days = np.datetime64("2024-01-01") + rng.integers(0, 200, N)
    hours = [f"{hour:02}:30:00" for hour in rng.integers(0, 24, N)]
    return {
        "pat_id": [f"P{each:04}" for each in rng.integers(0, 700, N)],
        "sex": rng.choice(["female", "male"], N).tolist(),
        "age": rng.integers(18, 90, N).astype(str).tolist(),
        "admitted": days.astype(str).tolist(),
        "seen at": [f"{day} {hour}" for day, hour in zip(days.astype(str), hours, strict=True)],
        "diagnosis": rng.choice(["Ménière", "flu", "Sjögren", "gout"], N, p=[0.3, 0.3, 0.2, 0.2]).tolist(),
        "visits": rng.integers(0, 4, N).astype(str).tolist(),
    }


def _table(path: Path, cells: dict[str, list[str]]) -> Table:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(cells)
        writer.writerows(zip(*cells.values(), strict=True))
    return read(path).table


def _meanings(published: Published) -> Counter[tuple[str, ...]]:
    columns = [
        [unicodedata.normalize("NFC", str(label)).casefold().strip() for label in column.labels[column.codes]]
        if column.values is None
        else [str(value) for value in column.values[column.codes]]
        for column in published.table.columns
    ]
    return Counter(zip(*columns, strict=True))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, Table]:
    folder, cells = tmp_path_factory.mktemp("respelled"), _cells()
    plain = _table(folder / "plain.csv", cells)
    other = {name: list(texts) for name, texts in cells.items()}
    half = np.random.default_rng(9).random(N) < 0.5
    for name, texts in other.items():
        other[name] = [RESPELLED[name](text) if turn else text for turn, text in zip(half, texts, strict=True)]
        half = np.roll(half, 1)
    return plain, _table(folder / "other.csv", other)


def test_a_verdict_goes_by_meanings(both: tuple[Table, Table]) -> None:
    plain, other = (propose(table, Audience()) for table in both)
    assert plain.plan.persons is not None
    assert [str(line.sentence) for line in other.verdict.lines] == [str(line.sentence) for line in plain.verdict.lines]
    figures = ("persons", "unique_persons", "smallest_class", "gamma")
    assert [other.as_dict()[name] for name in figures] == [plain.as_dict()[name] for name in figures]
    assert {n: r.value for n, r in other.plan.roles.items()} == {n: r.value for n, r in plain.plan.roles.items()}


def test_a_release_counts_by_meanings(both: tuple[Table, Table]) -> None:
    proposed: Plan = propose(both[0], Audience()).plan
    assert proposed.persons is not None
    # A row of each: where persons have several, a seed gives its bits to persons as their spellings are in order.
    plan = proposed.with_persons(replace(proposed.persons, way="first"))
    plain, other = (sanitise.run(table, plan, randomness=Seeded(3)) for table in both)
    for name in plain.table.names:
        counts = [sorted(each.table[name].counts()[each.table[name].counts() > 0].tolist()) for each in (plain, other)]
        assert counts[0] == counts[1], name
    assert _meanings(plain) == _meanings(other)


@pytest.mark.parametrize("ending", ["Z", "+01:00", "-05:00", "-0500", "-05", ".250-05:00", ""])
def test_times_are_those_of_the_clock_of_their_place_and_nothing_is_said_of_it(ending: str) -> None:
    """NumPy warns of "Z" on the error stream, and turns other offsets to UTC: these are written anew, without one."""
    texts = [f"2024-03-1{k} 22:45:00{ending}" for k in range(5)]
    values = parse_values(texts, Kind.DATETIME)
    clock = [np.datetime64(f"2024-03-1{k}T22:45:00", "us") for k in range(5)]
    assert values.tolist() == ([each.tolist() for each in clock] if ending in ("", "Z") else [None] * 5)
    labels, none = np.array(texts, object), np.zeros(5, bool)
    shown = plain(Column.from_codes("at", np.arange(5), labels, none, np.array(clock), kind=Kind.DATETIME))
    assert [text[:19].replace("T", " ") for text in shown.labels] == [f"2024-03-1{k} 22:45:00" for k in range(5)]
