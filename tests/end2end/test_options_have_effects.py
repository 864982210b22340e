"""An option that is given has an effect or is refused: all of `splu plan` and `publish`, and what contradicts."""

from __future__ import annotations

import argparse
import copy
import random
import tomllib
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from splu_desktop.cli.base.planning import table_and_plan
from splu_desktop.cli.main import build_parser, main
from splu_desktop.core.errors import SpluError
from splu_desktop.files.project.recipe import read_recipe
from tests.messy.cases import csv_bytes, xlsx_bytes

_BY = ["--person", "patient=draw"]
# Option -> what must stand beside it, and its value; the plan or the table that is read differs from the one without.
PLANNED: dict[str, tuple[list[str], list[str]]] = {
    "--sa": ([], ["smoker"]), "--nsa": ([], ["follow_up"]), "--drop": ([], ["age"]), "--identifier": ([], ["age"]),
    "--gamma": (["--sa", "illness"], ["4"]), "--epsilon": ([], ["0.2"]), "--t-e": ([], ["0.1"]),
    "--alpha": ([], ["5"]),
    "--t-p": ([], ["0.4"]), "--together": ([], ["smoker,diabetes"]), "--generalise": ([], ["age:width=20"]),
    "--intervals": ([], ["age=40,65"]), "--tolerance": ([], ["smoker:yes=0.5"]),
    "--tolerances": ([], ["smoker=limits.csv"]),
    "--tolerance-rule": ([], ["smoker=1.2,0.1"]), "--fakes": (["--sa", "illness"], ["illness=1"]),
    "--declared": (["--sa", "illness"], ["illness=codes.csv"]),
    "--draw": (["--sa", "illness", "--gamma", "3"], ["illness=joined"]),
    "--keep": (["--drop", "follow_up"], ["patient=asked by the board"]), "--person": ([], ["patient=first"]),
    "--person-order": (["--person", "patient=first"], ["admitted"]), "--person-number": (_BY, []),
    "--shift-dates": ([*_BY, "--nsa", "admitted"], ["admitted=30"]), "--audience": ([], ["public"]),
    "--limit": (["--audience", "public"], ["k=3:asked by the board"]), "--encoding": ([], ["utf-16-le"]),
    "--delimiter": ([], ["tab"]), "--quote": ([], ["'"]), "--escape": ([], ["\\"]), "--decimal": ([], [","]),
    "--thousands": ([], ["none"]), "--header-row": ([], ["0"]), "--header-rows": ([], ["2"]),
    "--last-row": ([], ["90"]),
    "--names": ([], ["patient,sex,years,ward,illness,smoker,diabetes,admitted,follow_up,remark"]),
    "--rename": ([], ["age=years"]), "--date-order": ([], ["mdy"]), "--type": ([], ["age=category"]),
    "--missing": ([], ["ward=ICU"]), "--on-problem": ([], ["misfit=drop"]),
}  # fmt: skip
# Those that need other ground: a reason belongs to one way, sheets to a workbook; a recipe says all by itself.
ELSEWHERE = {"--person-reason", "--sheet", "--sheets", "--recipe"}
# Those that change what is printed or written, not the plan, each with the file of tests that shows it.
SHOWN = {
    "--help", "--lang", "--json", "--curves", "--show-table", "--must", "--make-safe", "--save-recipe", "--overwrite",
    "--law", "--out", "--format", "--xlsx", "--parquet", "--bom", "--zip", "--password-file", "--no-password",
    "--memory",
    "--operator", "--purpose", "--recipient", "--language", "--strict", "--accept", "--trial", "--engine", "--master",
    "--part-records",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("options")
    chance = random.Random(16)
    names = ["patient", "sex", "age", "ward", "illness", "smoker", "diabetes", "admitted", "follow_up", "remark"]
    rows = [
        [
            f"P{chance.randint(100, 180)}", chance.choice("MF"), str(chance.randint(18, 95)) if i != 7 else "old",
            chance.choice(("Surgery", "Medicine", "ICU")),
            chance.choice(("asthma", "flu", "copd", "sepsis", "angina", "none")),
            chance.choice(("yes", "no", "no", "no")), chance.choice(("yes", "no", "no")),
            f"{chance.randint(1, 12):02d}/{chance.randint(1, 12):02d}/2024", f"{chance.uniform(1, 9):.2f}",
            "'a, b'" if i % 3 else "c\\d",
        ]
        for i in range(160)
    ]  # fmt: skip
    (made / "t.csv").write_bytes(csv_bytes([names, *rows]))
    (made / "b.xlsx").write_bytes(xlsx_bytes({"A": [names, *rows[:80]], "B": [names, *rows[80:]]}))
    (made / "limits.csv").write_text("value,tolerance\nyes,0.5\n")
    (made / "codes.csv").write_text("illness\nasthma\nflu\ncopd\nsepsis\nangina\nnone\ngout\n")
    return made


def told(folder: Path, *words: str, file: str = "t.csv") -> str:
    """Return what is read and planned, or the sentence of a refusal."""
    args = build_parser("plan").parse_args(["plan", str(folder / file), *words])
    try:
        imported, plan, _ = table_and_plan(args)
    except SpluError as fault:
        return str(fault)
    table = imported.table
    columns = [(c.name, c.kind, c.missing.sum(), c.labels[c.codes].tolist(), str(c.values)) for c in table.columns]
    return repr((plan.as_dict(), table.n, columns, imported.choices.thousands, imported.choices.escape))


def options(command: str) -> dict[str, argparse.Action]:
    parser = build_parser(command)
    sub = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return {
        a.option_strings[-1 if a.dest != "generalise" else 0]: a
        for a in sub.choices[command]._actions
        if a.option_strings
    }


@pytest.mark.parametrize("command", ["plan", "publish"])
def test_every_option_is_shown_to_have_an_effect(command: str) -> None:
    assert set(options(command)) <= {*PLANNED, *ELSEWHERE, *SHOWN}


def test_each_changes_the_plan_or_what_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    without: dict[tuple[str, ...], str] = {}
    for option, (beside, value) in PLANNED.items():
        if tuple(beside) not in without:
            without[tuple(beside)] = told(folder, *beside)
        assert told(folder, *beside, option, *value) != without[tuple(beside)], option
    by_hand = ["--person", "patient=record", "--person-reason"]
    assert told(folder, *by_hand, "one") != told(folder, *by_hand, "another")
    assert len({told(folder, *said, file="b.xlsx") for said in ([], ["--sheet", "B"], ["--sheets", "all"])}) == 3


REFUSED = (
    (["plan", "t.csv", "--sa", "illness", "--gamma", "161"], "there are 160 records"),
    (["plan", "t.csv", "--together", "smoker,diabetes", "--gamma", "170"], "there are 160 records"),
    (["plan", "t.csv", "--sa", "illness:3", "--nsa", "smoker,diabetes", "--gamma", "4"], "serves no column"),
    (["plan", "t.csv", "--sa", "illness", "--gamma", "3", "--gamma", "4"], "Give --gamma once"),
    (["plan", "t.csv", "--sa", "illness", *_BY, "--person-reason", "why"], "belongs to the way “record”"),
    (["plan", "t.csv", "--sa", "illness", "--drop", "age", "--intervals", "age=40,65"], "left out of the release"),
    (["plan", "t.csv", "--sa", "diabetes", "--draw", "diabetes=groups", "--gamma", "5"], "No groups keep"),
    (["plan", "t.csv", "--draw", "*=joined"], "stands for the columns of --sa"),
    (["plan", "t.csv", "--keep", "patient=a", "--keep", "patient=b"], "two reasons"),
    (["plan", "t.csv", "--overwrite"], "no effect without --save-recipe"),
    (["plan", "t.csv", "--law", "gdpr"], "no effect without --save-recipe"),
    (["plan", "t.csv", "--sheet", "A"], "is no workbook"),
    (["plan", "b.xlsx", "--delimiter", "tab", "--encoding", "utf-8"], "is no delimited text: leave out --encoding"),
    (["plan", "b.xlsx", "--sheet", "A", "--sheets", "all"], "not both"),
    (["plan", "t.csv", "--decimal", ",", "--thousands", ","], "can't be the same mark"),
    (["plan", "t.csv", "--header-row", "1", "--header-rows", "2"], "there are not so many above"),
    (["plan", "t.csv", "--header-row", "0", "--header-rows", "2"], "there is no header"),
    (["plan", "t.csv", "--type", "age=text", "--type", "age=integer"], "two things about “age”"),
    (["publish", "t.csv", "--trial", "--out", "x", "--strict"], "--trial writes nothing: leave out --out, --strict"),
    (["publish", "t.csv", "--out", "x", "--no-password"], "no effect without --zip"),
    (["publish", "t.csv", "--out", "x", "--master", "local"], "--master belongs to --engine spark"),
    (["inspect", "t.csv", "--import-recipe", "r.toml", "--decimal", ","], "says itself how the file is read"),
    (["compare", "t.csv", "--language", "de"], "no effect without --out"),
    (["guarantee", "--gamma", "5", "--fakes", "1"], "leave out --fakes"),
    (["guarantee", "--tolerance", "0.5", "--sizes", "4", "--curves"], "leave out --curves"),
    (["query", ".", "sex=M", "--password-file", "limits.csv"], "a folder, which has no password"),
    (["crosstab", ".", "--by", "sex", "--overwrite"], "no effect without --out"),
    (["analyse", ".", "mean", "age", "--overwrite"], "no effect without --out"),
    (["report", ".", "--out", "r.html", "--paper", "Letter"], "has no pages: leave out --paper"),
    (["report", ".", "--out", "r.pdf", "--delimiter", "tab"], "no effect without --source"),
)


@pytest.mark.parametrize(("words", "sentence"), REFUSED, ids=[" ".join(words[:1] + words[-2:]) for words, _ in REFUSED])
def test_what_has_no_effect_or_contradicts_is_refused_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(folder)
    try:
        status = main([*words, "--lang", "en"])
    except SystemExit as ended:
        status = ended.code  # type: ignore[assignment]
    said = capsys.readouterr().err
    assert (status, said.count("\n")) == (2, 1)
    assert sentence in said


RECIPE = [
    *("--sa", "illness:3", "--sa", "smoker,diabetes", "--together", "smoker,diabetes", "--identifier", "patient"),
    *("--nsa", "admitted", "--drop", "remark", *_BY, "--shift-dates", "admitted=30", "--generalise", "age:width=20"),
    *("--audience", "public", "--limit", "k=3:asked by the board"),
]
Altered = Callable[[dict[str, Any]], object]
# What stands in a recipe, and what is said of it: entries that nobody reads, and those that contradict each other.
RECIPES: tuple[tuple[str, Altered, list[str], str], ...] = (
    (
        "a kept column left out",
        lambda r: r.update(kept_identifiers={"remark": "x"}),
        [],
        "“remark” is published, which",
    ),
    ("a step left out", lambda r: r["columns"].update(age="dropped"), [], "“age” is published, which it leaves out"),
    ("dates left out", lambda r: r["columns"].update(admitted="dropped"), [], "“admitted” is left out of the release"),
    ("one mark twice", lambda r: r["import"].update(thousands="."), [], "“thousands” of the recipe can't be the same"),
    ("by an option", lambda r: r["import"].update(decimal="."), ["--thousands", "."], "--thousands can't be the same"),
    ("no workbook", lambda r: r["import"].update(sheet="A"), [], "no workbook: leave out “sheet” of the recipe"),
    ("no such column", lambda r: r["import"]["types"].update(years="text"), [], "“years” as “type” of the recipe says"),
)


@pytest.fixture(scope="module")
def recipe(folder: Path) -> dict[str, Any]:
    made = folder / "made.toml"
    assert main(["plan", str(folder / "t.csv"), *RECIPE, "--save-recipe", str(made)]) == 0
    return tomllib.loads(made.read_text("utf-8"))


def sections(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the places of all tables of a recipe."""
    if isinstance(data, dict):
        yield at
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from sections(value, (*at, name))


def test_no_entry_of_a_recipe_is_passed_over(folder: Path, recipe: dict[str, Any]) -> None:
    assert len(list(sections(recipe))) > 20
    for at in sections(recipe):
        altered = copy.deepcopy(recipe)
        reduce(lambda found, name: found[name], at, altered)["gama"] = "x"
        (folder / "altered.toml").write_text(tomli_w.dumps(altered), "utf-8")
        with pytest.raises(SpluError):
            read_recipe(folder / "altered.toml")


@pytest.mark.parametrize(("alter", "words", "sentence"), [row[1:] for row in RECIPES], ids=[row[0] for row in RECIPES])
def test_what_contradicts_in_a_recipe_is_refused_in_a_sentence(
    folder: Path, recipe: dict[str, Any], alter: Altered, words: list[str], sentence: str
) -> None:
    assert "'smoker'" in told(folder, "--recipe", str(folder / "made.toml"))
    altered = copy.deepcopy(recipe)
    alter(altered)
    (folder / "altered.toml").write_text(tomli_w.dumps(altered), "utf-8")
    assert sentence in told(folder, "--recipe", str(folder / "altered.toml"), *words)


def test_a_sheet_said_beside_a_recipe_of_several_is_the_one_read(folder: Path) -> None:
    made = folder / "sheets.toml"
    assert (
        main(["plan", str(folder / "b.xlsx"), "--sheets", "A,B", "--sa", "illness:3", "--save-recipe", str(made)]) == 0
    )
    both = told(folder, "--recipe", str(made), file="b.xlsx")
    assert "160" in both
    refused = told(folder, "--recipe", str(made), "--sheet", "B", file="b.xlsx")
    assert "the table lacks the column “Sheet”" in refused


def test_the_language_may_be_said_again(capsys: pytest.CaptureFixture[str]) -> None:
    """An alias may name one already; the last one counts."""
    assert main(["--lang", "en", "--lang", "de", "query", "nothing", "a=b"]) == 2
    assert "keinen Freigabeordner" in capsys.readouterr().err
