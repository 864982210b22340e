"""Descriptions beside a release's table: each agrees with the table, and no name of a column runs as a program."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path

import pyreadstat
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.release import facts as facts_of_releases
from splu_desktop.files.release.described import DESCRIBED
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release
from tests.optional import needs
from tests.seeded import Seeded
from tests.written import write_release

NAMES = ("age", "Age!", "str5", "v1", "`=shell rm x'", 'it\'s $HOME "x" /* a', "9 lives", "stay", "x" * 90)
NAMES += ("a_12", "a", "A", "Größe.", "=SUM(A1)")  # whose names collide, are not ASCII, end a line, are guarded
DRAWN = ("stay", NAMES[5], "x" * 90, "Größe.")
_DATATYPES = {"integer": r"-?\d+", "date": r"\d{4}-\d\d-\d\d", "string": r"(?s).*"}


def _table() -> Table:
    columns = []
    for at, name in enumerate(NAMES):
        cells = [f"{(record * (at + 3)) % 7}" for record in range(200)]
        kind = Kind.INTEGER if name in ("age", "stay") else Kind.CATEGORY
        if name == "9 lives":
            cells, kind = [f"2024-01-{1 + record % 28:02}" for record in range(200)], Kind.DATE
        if name == "Größe.":
            cells = [("--", "'", "ß")[record % 3] for record in range(200)]
        columns.append(Column.from_labels(name, cells, kind=kind, missing=("--",) if name == "Größe." else ("",)))
    return Table(tuple(columns))


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release whose columns have names that no program likes."""
    table = _table()
    draws = {name: PlainGroups(2) for name in DRAWN}
    roles = {name: Role.SA if name in draws else Role.NSA for name in NAMES}
    published = sanitise.run(table, Plan(roles, draws), randomness=Seeded(3))
    folder = tmp_path_factory.mktemp("described") / "release"
    write_release(published, folder)
    return folder


def test_csvw_says_of_each_column_what_its_cells_are(released: Path) -> None:
    stated = json.loads((released / "table.csv-metadata.json").read_text(encoding="utf-8"))
    rows = list(csv.reader((released / "table.csv").read_text(encoding="utf-8").splitlines()))
    columns = stated["tableSchema"]["columns"]
    assert [column["titles"] for column in columns] == rows[0]
    (nulls,) = (column["null"] for column in columns if column["name"] == "Gro_e")
    assert nulls == ["'--"]
    assert "'--" in {row[NAMES.index("Größe.")] for row in rows[1:]}
    assert len({column["name"].casefold() for column in columns}) == len(NAMES)
    for at, column in enumerate(columns):
        assert all(re.fullmatch(_DATATYPES[column["datatype"]], row[at]) for row in rows[1:])
    assert {column["datatype"] for column in columns} == set(_DATATYPES)


# Of the tabular metadata vocabulary (W3C, 17 December 2015): what table, dialect, schema and column may have.
_CSVW = {
    "table": {"@context", "@type", "url", "dialect", "notes", "tableDirection", "tableSchema", "transformations"},
    "dialect": {"encoding", "header", "delimiter", "quoteChar", "doubleQuote", "lineTerminators", "headerRowCount"},
    "schema": {"columns", "foreignKeys", "primaryKey", "rowTitles"},
    "column": {"name", "titles", "datatype", "null", "required", "virtual", "suppressOutput", "lang", "ordered"},
}


def test_csvw_has_what_its_vocabulary_asks_for_and_nothing_that_it_lacks(released: Path) -> None:
    """Other properties have a prefix; a name is a variable of a URI template, and none begins with _."""
    stated = json.loads((released / "table.csv-metadata.json").read_text(encoding="utf-8"))
    assert stated["@context"] == "http://www.w3.org/ns/csvw"
    assert (released / stated["url"]).is_file()  # the one property that a table must have
    columns = stated["tableSchema"]["columns"]
    parts = {"table": [stated], "dialect": [stated["dialect"]], "schema": [stated["tableSchema"]], "column": columns}
    for kind, each in parts.items():
        for part in each:
            assert all(name in _CSVW[kind] or name.startswith("dc:") for name in part), kind
    for column in columns:
        assert re.fullmatch(r"(?!_)[A-Za-z0-9_]([A-Za-z0-9_.]|%[0-9A-F]{2})*", column["name"])
        assert all(type(text) is str for text in column.get("null", []))


def test_label_files_name_every_column_and_run_nothing_else(released: Path) -> None:
    stata = (released / "table.do").read_text(encoding="utf-8").splitlines()
    spss = (released / "table.sps").read_text(encoding="utf-8").splitlines()
    renamed = [found for line in stata if (found := re.fullmatch(r"rename v(\d+) (\w{1,32})", line))]
    assert [int(found[1]) for found in renamed] == list(range(1, len(NAMES) + 1))
    assert len({found[2].casefold() for found in renamed}) == len(NAMES)
    for line in stata:
        inside = re.fullmatch(r"(?:label variable \w+|rename v\d+ \w+|destring \w+, replace force|notes:|\*).*", line)
        assert inside or line in stata[2:5]
        text = line.removeprefix(line.partition(" `")[0]).removeprefix(' `"').removesuffix("\"'")
        assert line in stata[2:5] or not re.search(r"[`$\"]|/\*|///", text), line
    assert stata[2] == "version 14"
    assert 'delimiters(",")' in stata[3], "by itself it takes : where times have more of them"
    assert max(len(line.encode()) for line in stata) < 67_784, "a note's limit, the least of Stata's for a command"
    assert all(len(re.findall(r"`\"(.*)\"'", line)[0]) <= 80 for line in stata if line.startswith("label"))
    assert max(map(len, spss)) < 256
    comment = spss[: spss.index("PRESERVE.")]
    assert len(comment) > 1  # and ends at its own end alone
    assert [line.endswith(".") for line in comment] == [False] * (len(comment) - 1) + [True]
    assert all(line.startswith("  ") for line in comment[1:])
    labels = [line for line in spss if line.startswith("VARIABLE LABELS")]
    assert len(labels) == len(NAMES)
    assert all(re.fullmatch(r"VARIABLE LABELS \w{1,64} '(?:[^']|'')*'\.", line) for line in labels)


def test_no_name_turns_round_the_line_that_it_stands_in(tmp_path: Path) -> None:
    """“ward” behind U+202E showed the label of another column, and “re-drawn” from right to left."""
    names = ("\u202eward", "\u2066sex\u2069\u202e", "שם", "age")
    table = Table(tuple(Column.from_labels(name, [str(at % 4) for at in range(80)]) for name in names))
    draws = {names[0]: PlainGroups(2)}
    roles = {name: Role.SA if name in draws else Role.NSA for name in names}
    write_release(sanitise.run(table, Plan(roles, draws), randomness=Seeded(3)), tmp_path / "r")
    for file in ("table.do", "table.sps"):
        text = (tmp_path / "r" / file).read_text(encoding="utf-8")
        assert not re.search("[\u202a-\u202e\u2066\u2067]", text)
        assert "\u2068ward\u2069 (re-drawn)" in text
        assert "\u2068שם\u2069" in text
    stated = (tmp_path / "r" / "table.csv-metadata.json").read_text(encoding="utf-8")
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", stated)
    titles = [column["titles"] for column in json.loads(stated)["tableSchema"]["columns"]]
    assert titles == list(next(csv.reader((tmp_path / "r" / "table.csv").read_text(encoding="utf-8").splitlines())))


def test_the_dictionary_lists_values_that_turn_nothing_round(tmp_path: Path) -> None:
    values = ("a", "\u202eb", "c", "שם")
    table = Table((Column.from_labels("s", [values[at % 4] for at in range(80)]), Column.from_labels("n", ["1"] * 80)))
    plan = Plan({"s": Role.SA, "n": Role.NSA}, {"s": PlainGroups(2)})
    write_release(sanitise.run(table, plan, randomness=Seeded(3)), tmp_path / "r")
    rows = list(csv.reader((tmp_path / "r" / "dictionary.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert sorted(rows[2][-1].split(" | ")) == sorted(["a", "\u2068b\u2069", "c", "\u2068שם\u2069"])


@needs("PSPP")
def test_what_spss_reads_is_the_table(released: Path, tmp_path: Path) -> None:
    """PSPP runs the same syntax: names, labels, and every cell, whatever the decimal mark of its country."""
    (tmp_path / "run.sps").write_text(
        f'SET DECIMAL=COMMA.\nCD "{released}".\nINSERT FILE="table.sps".\nSAVE OUTFILE="{tmp_path}/back.sav".\n'
    )
    ran = subprocess.run(["pspp", "-b", str(tmp_path / "run.sps")], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")
    back, meta = pyreadstat.read_sav(str(tmp_path / "back.sav"))
    rows = list(csv.reader((released / "table.csv").read_text(encoding="utf-8").splitlines()))[1:]
    said = [f"{name[:67]} (re-drawn)" if name in DRAWN else name[:78] for name in NAMES]
    assert meta.column_labels == said
    for row, read in zip(rows, back.itertuples(index=False), strict=True):
        assert [f"{cell:g}" if isinstance(cell, float) else cell for cell in read] == row


def test_the_dataset_is_described_by_terms_that_its_context_names(released: Path) -> None:
    """Parsed as JSON-LD: every term has a prefix of the context, every address is one, and DCAT-AP's duties are met."""
    stated = json.loads((released / "dcat.jsonld").read_text(encoding="utf-8"))
    context = stated.pop("@context")
    prefixes = set(context)

    def check(node: dict[str, object]) -> None:
        for term, value in node.items():
            assert term in ("@type", "@id", "@value") or term.partition(":")[0] in prefixes, term
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    check(each)
                elif term == "@type":
                    assert str(each).partition(":")[0] in prefixes

    check(stated)
    assert stated["@type"] == "dcat:Dataset"
    assert stated["dct:title"]
    assert stated["dct:description"]  # a dataset must have both (DCAT-AP 3.0)
    assert context["healthdcatap"] == "http://healthdataportal.eu/ns/health#"
    assert stated["healthdcatap:numberOfRecords"]["@type"] == "xsd:nonNegativeInteger"  # the range of HealthDCAT-AP
    (distribution,) = stated["dcat:distribution"]
    assert (released / distribution["dcat:accessURL"]["@id"]).is_file()  # as every distribution its address
    assert int(stated["healthdcatap:numberOfRecords"]["@value"]) == 200


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


def test_recipients_read_where_the_program_is_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As said by whoever built it, in README and citation; a build that nobody filled in says nothing."""
    own = tmp_path / "publisher.toml"
    monkeypatch.setattr(facts_of_releases, "resource_path", lambda name: own)
    plan = Plan(dict.fromkeys(("age", "stay"), Role.NSA) | {"stay": Role.SA}, {"stay": PlainGroups(2)})
    published = sanitise.run(_table().select(["age", "stay"]), plan, randomness=Seeded(3))
    for homepage, told in (("https://splu.example.org", True), ("https://splu-desktop.invalid", False)):
        own.write_text(f'homepage = "{homepage}"\n', encoding="utf-8")
        folder = write_release(published, tmp_path / str(told)).folder
        assert all((homepage in (folder / name).read_text("utf-8")) is told for name in ("README.txt", "CITATION.cff"))
        assert all(check.passed for check in verify_release(folder))
