"""A saved import recipe reads next month's file in the same way, or says why not; so does the command line."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import xlsxwriter

from splu_desktop.cli import main
from splu_desktop.core.errors import SpluError
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import Decision, ImportChoices, ProblemKind, TableReading, read, write_problems
from splu_desktop.files.isolation.faults import BadChoice
from splu_desktop.files.project.entries import Entry
from splu_desktop.files.project.import_section import IMPORT
from splu_desktop.files.project.recipe import BadRecipe, Recipe, RecipeDoesNotFit, read_recipe, write_recipe
from splu_desktop.files.project.release_section import PLANNING, RELEASE

pytestmark = pytest.mark.usefixtures("readers_here")

JANUARY = "Report\n\nid;größe;seen;x\n1;1,80;03/04/2020;-9\n2;1,75;05/06/2020;4\n3;1,66;07/08/2020;5\n"
FEBRUARY = "Report\n\nid;größe;seen;x\n4;1.000;03/05/2020;-9\n5;1,70;01/06/2020;6\n"


def reading(*texts: str) -> list[str]:
    return [word for text in texts for word in ("--read", text)]


def save_reading(imported: TableReading, path: Path) -> None:
    write_recipe(Recipe(imported.choices, None, imported.source, columns=imported.table.names), path, overwrite=True)


def read_by(recipe: Path, path: Path) -> TableReading:
    found = read_recipe(recipe)
    imported = read(path, found.choices)
    found.check(imported.table, recipe.name)
    return imported


@pytest.fixture
def january(tmp_path: Path) -> Path:
    path = tmp_path / "january.csv"
    path.write_bytes(JANUARY.encode("cp1252"))
    return path


def test_a_recipe_replays_every_choice(tmp_path: Path, january: Path) -> None:
    choices = ImportChoices(
        date_order="mdy",
        missing={"x": ("-9",)},
        types={"id": Kind.CATEGORY},
        decisions={ProblemKind.MISFIT: Decision.MISSING},
    )
    first = read(january, choices)
    recipe = tmp_path / "r.toml"
    save_reading(first, recipe)
    again = read_by(recipe, january)
    assert again.choices == first.choices
    assert again.table.names == first.table.names
    for mine, theirs in zip(again.table.columns, first.table.columns, strict=True):
        assert mine.kind is theirs.kind
        assert mine.labels.tolist() == theirs.labels.tolist()
        assert mine.codes.tolist() == theirs.codes.tolist()
        assert mine.missing.tolist() == theirs.missing.tolist()
    later = tmp_path / "february.csv"
    later.write_bytes(FEBRUARY.encode("cp1252"))
    found = read_by(recipe, later)
    assert found.table["x"].labels[found.table["x"].missing].tolist() == ["-9"]
    size = found.table["größe"]
    assert size.values is not None
    assert sorted(size.values) == [1.7, 1000.0]
    assert found.choices.date_order == "mdy"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("id;größe;seen", "lacks the column “x”"),
        ("id;größe;seen;x;y", "doesn't know the column “y”"),
        ("id;grösse;seen;x", "lacks the column “größe”;.* doesn't know the column “grösse”"),
    ],
)
def test_other_columns_are_refused_by_name(tmp_path: Path, january: Path, header: str, words: str) -> None:
    recipe = tmp_path / "r.toml"
    save_reading(read(january), recipe)
    width = header.count(";") + 1
    later = tmp_path / "february.csv"
    later.write_bytes(f"Report\n\n{header}\n{';'.join('1234'[:1] * width)}\n".encode("cp1252"))
    with pytest.raises(RecipeDoesNotFit, match=words):
        read_by(recipe, later)


@pytest.mark.parametrize(
    "content",
    ["", "x = ", "[recipe]\nversion = 99\n", "[recipe]\nversion = 3\ncolumns = 3\n", "[recipe]\nversion = 3\n"],
)
def test_what_is_no_recipe(tmp_path: Path, content: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(content)
    with pytest.raises(BadRecipe):
        read_recipe(path)


def test_inspect_prints_all_as_json(january: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(january), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "csv"
    assert found["encoding"] == "cp1252"
    assert found["delimiter"] == ";"
    assert found["header_row"] == 3
    assert found["records"] == 3
    assert [c["name"] for c in found["columns"]] == ["id", "größe", "seen", "x"]
    assert found["columns"][1]["type"] == "decimal number"
    assert found["missing_tokens"]["x"][0]["token"] == "-9"
    assert any(p["kind"] == ProblemKind.DATE_ORDER.value for p in found["problems"])


def test_every_choice_has_an_option(january: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "r.toml"
    said = (
        "encoding=cp1252 delimiter=semicolon quote=none escape=none decimal=, thousands=. header_row=3 "
        "header-rows=1 last_row=5 date_order=mdy types.id=category missing.x=-9|4 decisions.misfit=drop"
    )
    assert main(["inspect", str(january), *reading(*said.split()), "--save-recipe", str(recipe), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["records"] == 2
    assert found["quote"] == ""
    assert found["columns"][0]["type"] == "category"
    assert found["columns"][3]["missing"] == 2
    assert main(["inspect", str(january), "--recipe", str(recipe), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["columns"] == found["columns"]


def test_names_can_be_given(january: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(january), *reading('names=key,"size, m",when,n'), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [c["name"] for c in found["columns"]] == ["key", "size, m", "when", "n"]
    assert main(["inspect", str(january), *reading("names=a,a,b,c")]) == 2


def test_bad_use_is_one_sentence(january: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, told in (
        ("types.id", "types.COLUMN=TYPE: type of a column: integer"),
        ("types=text", "types.COLUMN=TYPE"),
        ("types.id=colour", "types.COLUMN=TYPE"),
        ("decisions.misfit=hide", "keep, missing or drop"),
        ("decisions.stray_quote=drop", "misfit, long_row, short_row, doubtful_row"),
        ("quote=ab", "one mark, or none"),
        ("header_row=-1", "header_row=ROW"),
        ("last_row", "last_row=ROW"),
        ("encodng=utf-8", "did you mean “encoding”?"),
        ("=x", "is none of encoding, delimiter"),
    ):
        assert main(["inspect", str(january), *reading(text)]) == 2, text
        said = capsys.readouterr().err
        assert said.startswith("splu: ")
        assert said.count("\n") == 1
        assert told in said
    assert main(["inspect", str(january), *reading("types.id=text", "types.id=category")]) == 2
    assert "two things about “id”" in capsys.readouterr().err
    for path, told in ((january.with_name("nowhere.csv"), "There is no file"), ("x" * 5000, "can't be opened")):
        assert main(["inspect", str(path)]) == 2
        assert told in capsys.readouterr().err


def test_the_text_output_names_columns_and_problems(january: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(january)]) == 0
    said = capsys.readouterr().out
    assert "january.csv: csv, encoding=cp1252" in said
    assert "day first or month first" in said


def test_the_problem_list_can_be_exported(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("a,b\n" + "1,2\n" * 20 + "=1+1,2\n1,2,3\n")
    found = read(source)
    target = tmp_path / "p.csv"
    write_problems(found.problems, target)
    assert os.name == "nt" or target.stat().st_mode & 0o077 == 0, "it holds values of the source"
    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["kind"], row["row"], row["column"]) for row in rows] == [
        (p.kind.value, str(p.row or ""), p.column or "") for p in found.problems
    ]
    assert any(row["value"] == "'=1+1" for row in rows)  # a spreadsheet must not run it


def test_columns_are_renamed_and_the_recipe_remembers(tmp_path: Path, january: Path) -> None:
    renames = {"größe": "height", "x": "score"}
    first = read(january, ImportChoices(renames=renames, missing={"score": ("-9",)}, types={"id": Kind.CATEGORY}))
    assert first.table.names == ("id", "height", "seen", "score")
    assert first.table["score"].labels[first.table["score"].missing].tolist() == ["-9"]
    assert "größe" in first.reasons["name of height"]
    assert read(january, first.choices).table.names == first.table.names
    recipe = tmp_path / "r.toml"
    save_reading(first, recipe)
    later = tmp_path / "february.csv"
    later.write_bytes(FEBRUARY.encode("cp1252"))
    again = read_by(recipe, later)
    assert again.table.names == first.table.names
    assert again.choices.renames == renames
    later.write_bytes(FEBRUARY.replace("größe", "gewicht").encode("cp1252"))
    with pytest.raises(SpluError, match="no column “größe” to rename"):
        read_by(recipe, later)


def test_names_given_for_all_columns_are_remembered_too(tmp_path: Path, january: Path) -> None:
    first = read(january, ImportChoices(names=("a", "b", "c", "x")))
    assert first.choices.renames == {"id": "a", "größe": "b", "seen": "c"}
    recipe = tmp_path / "r.toml"
    save_reading(first, recipe)
    assert read_by(recipe, january).table.names == ("a", "b", "c", "x")


@pytest.mark.parametrize(
    ("renames", "words"),
    [({"nowhere": "a"}, "no column “nowhere”"), ({"id": "x"}, "“x” can")],
)
def test_impossible_names_are_refused(january: Path, renames: dict[str, str], words: str) -> None:
    with pytest.raises(SpluError, match=words):
        read(january, ImportChoices(renames=renames))


def test_renaming_on_the_command_line(january: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = reading("renames.größe=height", "renames.id=key", "types.key=category")
    assert main(["inspect", str(january), *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [c["name"] for c in found["columns"]] == ["key", "height", "seen", "x"]
    assert found["columns"][0]["type"] == "category"
    assert found["renames"] == {"größe": "height", "id": "key"}
    for wrong in ("größe", "größe=", "=x"):
        assert main(["inspect", str(january), *reading(f"renames.{wrong}")]) == 2


def _replayed(path: Path, recipe: Path) -> None:
    """The recipe of a file must give the very same table again."""
    first = read(path)
    save_reading(first, recipe)
    again = read_by(recipe, path)
    for mine, theirs in zip(again.table.columns, first.table.columns, strict=True):
        assert (mine.name, mine.kind) == (theirs.name, theirs.kind)
        assert mine.written_texts().tolist() == theirs.written_texts().tolist()
        assert mine.missing[mine.codes].tolist() == theirs.missing[theirs.codes].tolist()
        if theirs.values is None:
            assert mine.values is None
        else:
            assert mine.values is not None
            np.testing.assert_array_equal(mine.values[mine.codes], theirs.values[theirs.codes])


@pytest.mark.parametrize(
    "text",
    [
        "id,Aufnahmedatum\n1,43496\n2,43537\n3,43578\n",
        "id,n\n1,12\u200b\n2,34\n3,56\n",
        "id|#|Datum|#|x\n1|#|20200131|#|007\n2|#|00000000|#|010\n3|#|20200229|#|\n",
        "id;Betrag;flag\n1;1.234,50;ja\n2;7,25-;nein\n3;n.b.;Nein\n",
        "ID    NAME          AGE  DAY\n1000  Anna Müller   34   2020-01-31\n1001  Jan Groß      56   2020-02-01\n"
        "1002  van der Berg  7    2020-02-02\n1003  Ute           61   2020-02-03\n"
        "1004  Li            4    2020-02-04\n",
    ],
)
def test_a_recipe_gives_the_same_table_again(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    _replayed(path, tmp_path / "r.toml")


@pytest.mark.parametrize("since", [1900, 1904])
def test_a_recipe_gives_the_same_sheet_again(tmp_path: Path, since: int) -> None:
    book = xlsxwriter.Workbook(tmp_path / "t.xlsx", {"date_1904": since == 1904})
    page = book.add_worksheet()
    rows = [["id", "Datum", "Betrag"], [1, 43496, 1.5], [2, 43537, "100,75"], [3, 43578, 200.25], [4, 43600, "2,5"]]
    for i, row in enumerate(rows):
        page.write_row(i, 0, row)
    book.close()
    _replayed(tmp_path / "t.xlsx", tmp_path / "r.toml")


def test_a_delimiter_of_several_characters_by_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.txt"
    path.write_text("0001Anna 34\n0002Berta56\n", encoding="utf-8")
    fixed = reading("delimiter=fixed 0 4 9", "header_row=0", "names=a,b,c")
    assert main(["inspect", str(path), *fixed, "--json"]) == 0
    assert [column["name"] for column in json.loads(capsys.readouterr().out)["columns"]] == ["a", "b", "c"]
    assert main(["inspect", str(path), *reading("delimiter=too long")]) != 0


def test_a_table_without_header_is_refused_where_its_columns_are_more(tmp_path: Path) -> None:
    path, recipe = tmp_path / "t.csv", tmp_path / "r.toml"
    path.write_text("1,,x,5\n2,,y,6\n3,,z,7\n", encoding="utf-8")
    _replayed(path, recipe)
    for text in ("1,,x,5,9\n2,,y,6,8\n", "1,a,x,5,7\n2,b,y,6,8\n", "1,x\n2,y\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BadChoice, match="3 column names"):
            read_by(recipe, path)


@pytest.mark.parametrize("text", ["types.foo=text", "missing.foo=x", "names=a,b"])
def test_options_for_columns_that_are_not_there(january: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert main(["inspect", str(january), *reading(text)]) != 0
    assert "column" in capsys.readouterr().err


def test_every_choice_of_an_import_is_an_entry() -> None:
    # The format is seen in the file itself, and never said.
    assert {entry.name for entry in IMPORT} | {"format"} == {each.name for each in fields(ImportChoices)}


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("sheet=A", "sheets=all"), "leave out “sheet”"),
        (("header_row=0", "header_rows=2"), "header_rows"),
        (("quote=;", "delimiter=semicolon"), "same mark"),
        (("sheet=A",), "leave out “sheet”"),
    ],
)
def test_choices_that_contradict_each_other_or_the_file(
    january: Path, capsys: pytest.CaptureFixture[str], texts: tuple[str, ...], told: str
) -> None:
    assert main(["inspect", str(january), *reading(*texts)]) == 2
    assert told in capsys.readouterr().err


def test_the_command_line_overrules_a_recipe_of_reading(
    january: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "r.toml"
    save_reading(read(january, ImportChoices(types={"id": Kind.CATEGORY})), recipe)
    words = ["inspect", str(january), "--recipe", str(recipe), *reading("types.x=text", "date_order=mdy"), "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert [column["type"] for column in found["columns"]][::3] == ["category", "free text"]
    assert found["date_order"] == "mdy"


@pytest.mark.parametrize("entry", [*IMPORT, *RELEASE, *PLANNING], ids=lambda entry: entry.name)
def test_what_an_entry_refuses_is_a_short_sentence(entry: Entry) -> None:
    assert len(str(entry.misfit("x")).split()) <= 25
