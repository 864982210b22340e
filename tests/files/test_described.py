"""Descriptions beside a release's table: each agrees with the table, and no name of a column runs as a program."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release.described import DESCRIBED
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release
from tests.seeded import Seeded
from tests.written import write_release

NAMES = ("age", "Age!", "str5", "v1", "`=shell rm x'", 'it\'s $HOME "x" /* a', "9 lives", "stay", "x" * 90)
_DATATYPES = {"integer": r"-?\d+", "date": r"\d{4}-\d\d-\d\d", "string": r"(?s).*"}


def _table() -> Table:
    columns = []
    for at, name in enumerate(NAMES):
        cells = [f"{(record * (at + 3)) % 7}" for record in range(200)]
        kind = Kind.INTEGER if name in ("age", "stay") else Kind.CATEGORY
        if name == "9 lives":
            cells, kind = [f"2024-01-{1 + record % 28:02}" for record in range(200)], Kind.DATE
        columns.append(Column.from_labels(name, cells, kind=kind))
    return Table(tuple(columns))


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release whose columns have names that no program likes."""
    table = _table()
    roles = {name: Role.SA if name == "stay" else Role.NSA for name in NAMES}
    published = sanitise.run(table, Plan(roles, {"stay": PlainGroups(2)}), randomness=Seeded(3))
    folder = tmp_path_factory.mktemp("described") / "release"
    write_release(published, folder)
    return folder


def test_csvw_says_of_each_column_what_its_cells_are(released: Path) -> None:
    stated = json.loads((released / "table.csv-metadata.json").read_text(encoding="utf-8"))
    rows = list(csv.reader((released / "table.csv").read_text(encoding="utf-8").splitlines()))
    columns = stated["tableSchema"]["columns"]
    assert [column["titles"] for column in columns] == list(NAMES)
    assert len({column["name"].casefold() for column in columns}) == len(NAMES)
    for at, column in enumerate(columns):
        assert all(re.fullmatch(_DATATYPES[column["datatype"]], row[at]) for row in rows[1:])
    assert {column["datatype"] for column in columns} == set(_DATATYPES)


def test_label_files_name_every_column_and_run_nothing_else(released: Path) -> None:
    stata = (released / "table.do").read_text(encoding="utf-8").splitlines()
    spss = (released / "table.sps").read_text(encoding="utf-8").splitlines()
    renamed = [found for line in stata if (found := re.fullmatch(r"rename v(\d+) (\w{1,32})", line))]
    assert [int(found[1]) for found in renamed] == list(range(1, len(NAMES) + 1))
    assert len({found[2].casefold() for found in renamed}) == len(NAMES)
    for line in stata:
        inside = re.fullmatch(r"(?:label variable \w+|rename v\d+ \w+|destring \w+, replace|notes:|\*).*", line)
        assert inside or line in stata[1:4]
        text = line.removeprefix(line.partition(" `")[0]).removeprefix(' `"').removesuffix("\"'")
        assert line in stata[1:4] or not re.search(r"[`$\"]|/\*|///", text), line
    labels = [line for line in spss if line.startswith("VARIABLE LABELS")]
    assert len(labels) == len(NAMES)
    assert all(re.fullmatch(r"VARIABLE LABELS \w{1,64} '(?:[^']|'')*'\.", line) for line in labels)


def test_descriptions_bear_warning_and_id_and_are_verified(released: Path) -> None:
    facts = read_release(released).facts
    listed = {entry["name"]: entry["format"] for entry in facts["files"]}
    for name in DESCRIBED:
        assert listed[name] == "description"
        text = (released / name).read_text(encoding="utf-8")
        assert "DO NOT COUNT ROWS" in text or facts["id"] in text
    assert all(check.passed for check in verify_release(released))
    original = (released / "dcat.jsonld").read_bytes()
    (released / "dcat.jsonld").write_bytes(original.replace(b"200", b"201"))
    assert not all(check.passed for check in verify_release(released))
    (released / "dcat.jsonld").unlink()
    assert not all(check.passed for check in verify_release(released))
    (released / "dcat.jsonld").write_bytes(original)
