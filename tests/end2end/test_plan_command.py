"""`splu plan` and the choices it shares with `splu publish`: figures, generalisation, recipes, refusals."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xlsxwriter

from splu_desktop.cli import main
from splu_desktop.core import generalise as g
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.files.importer import read
from splu_desktop.files.project.recipe import read_recipe
from splu_desktop.files.release.folder import read_release
from tests.draws import plain
from tests.optional import real


def splu(*words: object) -> int:
    return main([str(word) for word in words])


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "remembered"))


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3,000 patients: a number each, birth dates, ages, wards, ICD codes, charges."""
    rng, n = np.random.default_rng(12), 3_000
    path = tmp_path_factory.mktemp("plan") / "patients.csv"
    born = np.datetime64("1930-01-01") + rng.integers(0, 30_000, n)
    share = 1 / np.arange(1, 31)
    codes = rng.choice([f"{'CEIJK'[i % 5]}{10 + i}.{i % 3}" for i in range(30)], n, p=share / share.sum())
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Patient number", "Birth date", "Ward: today", "Diagnosis", "Charges", "Sex"])
        for i in range(n):
            charge = f"{rng.lognormal(8, 1):.2f}"
            writer.writerow(
                [10_000 + i, born[i], f"W{rng.integers(0, 12)}", codes[i], charge, "mf"[rng.integers(0, 2)]]
            )
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def planned(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert splu("plan", *words, "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("gamma", [2, 3])
def test_every_figure_is_that_of_splu_guarantee(patients: Path, capsys: pytest.CaptureFixture[str], gamma: int) -> None:
    asked = ["--epsilon", "0.25", "--t-e", "0.04", "--alpha", "4"]
    found = planned(capsys, patients, "--sa", f"Diagnosis:{gamma}", *asked, "--curves")["sensitive"]["Diagnosis"]
    assert splu("guarantee", "--gamma", gamma, *asked, "--curves", "--json") == 0
    alone = json.loads(capsys.readouterr().out)
    for key in ("gamma", "epsilon", "t_e", "alpha", "t_p", "t_f", "t_f_chebyshev", "t_f_as_published", "curves"):
        assert found[key] == alone[key]
    counts = Counter(row["Diagnosis"] for row in rows_of(patients))
    assert {row["value"]: row["count"] for row in found["values"]} == counts
    for row in found["values"]:
        exact = guarantees.miss_probability(gamma, "0.25", [row["count"]])[0]
        assert row["error_probability"] == pytest.approx(exact, rel=1e-12)
        assert row["state"] == (
            "protected" if row["count"] <= 4 else "answerable" if row["count"] >= alone["t_f"] else "in between"
        )
    assert found["largest_gamma"] == 3_000 // max(counts.values())
    assert found["trade_off"]["gammas"][0] == 2


def test_generalising_risk_and_remedies_are_told(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--sa", "Diagnosis:2", "--drop", "Charges", "--generalise", "Birth date:age=2024-12-31;width=10"]
    found = planned(capsys, patients, *words)
    assert found["roles"]["Patient number"] == "identifier"
    assert found["roles"]["Birth date"] == "nsa", "an age band names nobody any more"
    assert found["generalisations"]["Birth date"]["distinct_after"] < 12
    risk = found["risk"]
    assert risk["columns"] == ["Birth date", "Ward: today", "Sex"]
    assert risk["without_generalisation"]["below"]["2"] > 2_900
    assert risk["below"]["2"] < 50
    assert {cause["column"] for cause in risk["causes"]} == set(risk["columns"])
    rows = [
        (2024 - int(row["Birth date"][:4]) - (row["Birth date"][5:] > "12-31"), row["Ward: today"], row["Sex"])
        for row in rows_of(patients)
    ]
    steps = g.steps_from(found["generalisations"]["Birth date"]["steps"])
    assert isinstance(steps[1], g.Intervals)
    bands = Counter((int(np.searchsorted(steps[1].cuts, age, side="right")), ward, sex) for age, ward, sex in rows)
    assert risk["below"]["10"] == sum(count for count in bands.values() if count < 10)


def test_the_law_packs_of_the_report_stand_in_the_recipe(patients: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "r.toml"
    assert splu("plan", patients, "--sa", "Diagnosis", "--save-recipe", recipe) == 0
    lawful = ("--law", "hipaa,ico", "--save-recipe", tmp_path / "law.toml")
    assert splu("plan", patients, "--recipe", recipe, *lawful) == 0
    assert splu("plan", patients, "--recipe", tmp_path / "law.toml", "--save-recipe", tmp_path / "kept.toml") == 0
    for name in ("law", "kept"):
        assert read_recipe(tmp_path / f"{name}.toml") == replace(read_recipe(recipe), laws=("hipaa", "ico"))
    assert splu("plan", patients, "--sa", "Diagnosis", *lawful[:2]) == 2, "nowhere to keep it"
    assert splu("plan", patients, "--sa", "Diagnosis", "--law", "gdrp", "--save-recipe", tmp_path / "x.toml") == 2
    assert not (tmp_path / "x.toml").exists()


def _rounded(data: Any) -> Any:
    """Return plain data with floats of ten digits: the last ones follow from where in memory an array lies."""
    if isinstance(data, dict):
        return {key: _rounded(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_rounded(value) for value in data]
    return float(f"{data:.10g}") if isinstance(data, float) else data


def test_a_recipe_replays_the_same_choices(patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "r.toml"
    words = [
        "--sa", "Diagnosis:3", "--sa", "Charges", "--gamma", "4", "--epsilon", "0.2", "--t-p", "0.5",
        "--generalise", "Birth date:year;cuts=1950,1980", "--generalise", "Ward: today:rare=240,Small wards",
        "--generalise", "Charges:auto", "--generalise", "Diagnosis:before=.",
    ]  # fmt: skip
    first = planned(capsys, patients, *words, "--save-recipe", recipe)
    again = planned(capsys, patients, "--recipe", recipe)
    assert _rounded({**again, "notes": 0, "recipe": 0}) == _rounded({**first, "notes": 0, "recipe": 0})
    assert splu("plan", patients, "--recipe", recipe, "--save-recipe", tmp_path / "s.toml") == 0
    assert read_recipe(tmp_path / "s.toml") == read_recipe(recipe)
    amber = ["uniques", "budget", "identifiers"]
    capsys.readouterr()
    status = splu("publish", patients, "--recipe", recipe, "--out", tmp_path / "out", *_accepting(amber))
    assert status == 0, capsys.readouterr().err
    published = read_release(tmp_path / "out").published
    assert published.draws == plain({"Diagnosis": 3, "Charges": 4})
    after = g.table_after(read(patients).table, read_recipe(recipe).plan.generalisations)
    for name in ("Birth date", "Ward: today", "Sex"):
        before, kept = after[name], published.table[name]
        assert dict(zip(before.labels, before.counts(), strict=True)) == dict(
            zip(kept.labels, kept.counts(), strict=True)
        )
        assert before.labels.tolist() == kept.labels.tolist(), "groups stand in their order, for the reader too"
    assert set(published.table["Charges"].labels) <= set(after["Charges"].labels)
    assert "Small wards" in published.table["Ward: today"].labels


def _accepting(names: list[str]) -> list[str]:
    from splu_desktop.core.checks.gate import NAMES

    return [word for name in NAMES for word in ("--accept", f"{name}=agreed in the test")] if names else []


def test_the_text_says_it_all(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        splu("plan", patients, "--sa", "Diagnosis:2", "--t-p", "0.5", "--keep", "Patient number=needed for linkage")
        == 0
    )
    text = capsys.readouterr().out
    for part in (
        "Sensitive column “Diagnosis”, gamma 2",
        "Largest gamma possible",
        "is shown wrong by more than 30 %",
        "signal left",
        "Gamma 2 is recommended",
        "Recognisable records",
        "“Patient number” alone makes 3,000 unique",
        "published all the same: needed for linkage",
    ):
        assert part in text


def test_what_cannot_be_protected_is_refused_with_its_remedies(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "never.toml"
    fine = ("--generalise", "Charges:missing=none")  # else the suggested intervals were taken
    assert splu("plan", patients, "--sa", "Charges:5", *fine, "--json", "--save-recipe", recipe) == 2
    said = capsys.readouterr()
    found = json.loads(said.out)["sensitive"]["Charges"]
    assert found["eligible"] is False
    assert found["measurement"] is True
    assert found["remedies"][0]["kind"] == "generalise"
    assert "--generalise 'Charges:quantiles=10'" in said.err
    assert said.err.count("\n") == 1
    assert not recipe.exists()


def test_no_column_is_too_skewed_for_a_gamma(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "r.toml"
    assert splu("plan", patients, "--sa", "Diagnosis:40", "--save-recipe", recipe, "--json") == 0
    found = json.loads(capsys.readouterr().out)["sensitive"]["Diagnosis"]
    assert found["eligible"]
    assert "gamma 40" in found["words"]
    assert read_recipe(recipe).plan.draws["Diagnosis"].follows == 40
    accepted = ("--accept", "unique-records", "--accept", "sensitive")
    assert splu("publish", patients, "--recipe", recipe, "--out", tmp_path / "release", *accepted) == 0
    said = capsys.readouterr()
    assert "of those that show a sensitive value are right" in said.out
    readme = (tmp_path / "release" / "README.txt").read_text("utf-8-sig")
    assert "Published shares of “Diagnosis” are not true" in " ".join(readme.split())
    assert "published shares are not true" in (tmp_path / "release" / "dictionary.csv").read_text("utf-8-sig")
    assert splu("query", tmp_path / "release", "Sex=F", "Diagnosis=C10.0", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["low"] <= answer["estimate"] <= answer["high"]
    assert splu("verify", tmp_path / "release") == 0
    assert splu("report", tmp_path / "release", "--out", tmp_path / "report.html") == 0
    assert "are not true" in (tmp_path / "report.html").read_text("utf-8")


def test_groups_or_joined_for_any_number_of_columns(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("plan", patients, "--sa", "Diagnosis,Sex", "--json")

    def drawn(*more: str) -> dict[str, str]:
        assert splu(*words, *more) == 0
        found = json.loads(capsys.readouterr().out)["sensitive"]
        return {name: column.get("draw", {}).get("draw", "groups") for name, column in found.items()}

    assert drawn("--gamma", "4")["Sex"] == "joined"
    assert drawn("--gamma", "4", "--draw", "*=joined") == {"Diagnosis": "joined", "Sex": "joined"}
    one_rule = drawn("--tolerance-rule", "*=3,0.1", "--draw", "Sex=joined,leave=0.1")
    assert one_rule["Sex"] == "joined"
    assert splu(*words, "--draw", "Sex=joined,leave=2") == 2
    assert "write COLUMN=joined,leave=0.1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--generalise", "Sex"], "has no “:” between column and way"),
        (["--generalise", "Gender:rare=5"], "no column “Gender”"),
        (["--generalise", "Sex:magic=5"], "is no way to generalise column “Sex”"),
        (["--generalise", "Sex:width=5"], "holds no numbers"),
        (["--generalise", "Charges:width"], "lacks its setting, as in width=10"),
        (["--generalise", "Charges:quantiles=ten"], "must be a whole number"),
        (["--generalise", "Sex:auto"], "Nothing is suggested for column “Sex”"),
        (["--generalise", "Sex:rare=5", "--generalise", "Sex:rare=6"], "with --generalise or --intervals twice"),
        (["--generalise", "Birth date:age=yesterday"], "must be written like 2024-12-31"),
        (["--generalise", "Sex:hierarchy=nowhere.csv,2"], "There is no file “nowhere.csv”"),
        (["--nsa", "Patient number"], "give the reason with --keep 'Patient number=REASON'"),
        (["--nsa", "Birth date"], "looks like an identifier"),
        (["--keep", "Patient number"], "gives no reason"),
        (["--keep", "Nobody=why"], "no column “Nobody”"),
        (["--keep", "Sex=why", "--drop", "Sex"], "left out and kept at once"),
        (["--make-safe", "k=5,k=6"], "k is given after --make-safe twice"),
        (["--draw", "Sex=banana"], "no draw “banana”; write groups or joined"),
        (["--make-safe", "k=5.5"], "k is a whole number"),
        (["--must", "Sex,Diagnosis within 10% from 0"], "asks for counts from 0 on"),
        (["--must", "Sex,Diagnosis within 0%"], "say 1 to 99 %"),
        (["--t-p", "7"], "T_P must lie between 0 and 1"),
        (["--recipe", "nowhere.toml", "--gamma", "5"], "leave out --sa, --gamma, or leave out --recipe"),
    ],
)
def test_wrong_options_get_one_sentence(
    patients: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert splu("plan", patients, "--sa", "Diagnosis:2", *words) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert said.err.startswith("splu: ")
    assert said.err.count("\n") == 1
    assert said.out == ""


# Options that name a column, with one that is nearly there.
_NEARLY = {
    "--sa": "diagnosi:2", "--nsa": "sexx", "--drop": "Charges,sexx", "--identifier": "sexx",
    "--together": "Diagnosi,Sex", "--generalise": "Charge:width=5", "--intervals": "Charge=clinical",
    "--keep": "Patient numbr=why", "--person": "Patient numbr=draw", "--person-order": "Charge",
    "--shift-dates": "Birth dat=5", "--tolerance": "Diagnosi:A=0.3", "--tolerances": "Diagnosi=x.csv",
    "--tolerance-rule": "Diagnosi=3,0.1", "--fakes": "Diagnosi=2", "--declared": "Diagnosi=x.csv",
    "--draw": "Diagnosi=joined", "--type": "Charge=integer", "--missing": "Charge=x", "--rename": "Charge=x",
    "--show-table": "Sexx,Diagnosis", "--must": "Sexx,Diagnosis within 20%",
}  # fmt: skip


def test_every_option_that_names_a_column_is_tried(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        splu("plan", "--help")
    found = re.findall(r"^  (--[\w-]+)(?:, --\w+)? '?(?:COL|OLD)", capsys.readouterr().out, re.MULTILINE)
    assert {"--generalise" if name == "--generalize" else name for name in found} == set(_NEARLY)


@pytest.mark.parametrize("option", _NEARLY)
def test_a_column_named_nearly_is_guessed(patients: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    more = ["--person", f"Patient number={'first' if option == '--person-order' else 'draw'}"]
    words = more if option in ("--person-order", "--shift-dates") else []
    assert (
        splu("plan", patients, *(() if option == "--sa" else ("--sa", "Diagnosis:2")), *words, option, _NEARLY[option])
        == 2
    )
    said = capsys.readouterr().err
    assert re.fullmatch(
        r"splu: There is no column “.*did you mean “(Diagnosis|Sex|Charges|Patient number|Birth date)”\?\n", said
    )


def test_the_plan_says_which_limits_of_its_audience_it_breaks(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the gate would: from two for the public, none once they are kept; and in words."""
    words = (patients, "--sa", "Diagnosis:2", "--drop", "Birth date,Charges")
    asked = planned(capsys, *words, "--audience", "public")
    assert {each["limit"] for each in asked["audience"]["broken"]} >= {"certainty"}
    assert splu("plan", *words, "--audience", "public") == 0
    assert "This plan breaks limits" in capsys.readouterr().out
    wide = [f"--limit={limit}:a test" for limit in ("k=1", "unique=1", "certainty=1")]
    assert planned(capsys, *words, "--audience", "public", *wide)["audience"]["broken"] == []


@pytest.mark.parametrize(
    ("file", "kept", "among"),
    [
        ("sparcs_1000.csv", 7, {"Age Group", "Gender", "Length of Stay"}),
        ("linelist_raw.xlsx", 5, {"age", "gender", "hospital", "source"}),
        ("diabetes130.csv.gz", 7, {"age", "gender", "medical_specialty", "time_in_hospital"}),
    ],
)
def test_make_safe_keeps_what_recipients_need(
    capsys: pytest.CaptureFixture[str], file: str, kept: int, among: set[str]
) -> None:
    found = planned(capsys, real(file), "--make-safe")
    unchanged = {name for name, role in found["roles"].items() if role == "nsa"}
    assert found["made_safe"]["reached"]
    assert len(unchanged) >= kept
    assert among <= unchanged


def test_a_recipe_for_other_columns_is_refused(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert splu("plan", patients, "--sa", "Diagnosis:2", "--save-recipe", tmp_path / "r.toml") == 0
    other = tmp_path / "other.csv"
    other.write_text(patients.read_text(encoding="utf-8").replace("Sex", "Gender", 1), encoding="utf-8")
    capsys.readouterr()
    for command in (["plan"], ["publish", "--out", tmp_path / "never"]):
        assert splu(command[0], other, *command[1:], "--recipe", tmp_path / "r.toml") == 2
        assert (
            "lacks the column “Sex”, and the recipe “r.toml” doesn't know the column “Gender”"
            in capsys.readouterr().err
        )
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize(
    ("file", "sensitive", "telling"),
    [
        ("adult.csv.gz", "occupation", ["workclass", "education"]),
        ("census_workers.csv.gz", "Occupation", None),
        ("diabetes130.csv.gz", "diag_1", ["medical_specialty"]),
    ],
)
def test_real_tables_are_planned(
    capsys: pytest.CaptureFixture[str], file: str, sensitive: str, telling: list[str] | None
) -> None:
    found = planned(capsys, real(file), "--sa", f"{sensitive}:5", "--t-p", "0.5")
    said = found["sensitive"][sensitive]
    assert said["eligible"]
    assert said["recommendation"]["gamma"] is not None
    assert said["t_p"] == guarantees.t_p(5, "0.3", 3)
    assert sum(row["count"] for row in said["values"]) == found["records"]
    assert [each["columns"] for each in said["given_away_by"]][:1] == ([telling] if telling else [])
    persons = found["persons"]
    if file.startswith("diabetes"):
        assert (persons["column"], persons["persons"], persons["largest"]) == ("patient_nbr", 71_518, 40)
    else:
        assert persons is None


def test_the_plan_shows_what_recipients_will_be_told(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table asked for, with true counts; a proposal that the plan can be given; groups beside the joined draw."""
    told = planned(
        capsys,
        patients,
        *("--sa", "Sex:3", "--nsa", "Ward: today", "--drop", "Birth date,Charges,Diagnosis", "--draw", "Sex=groups"),
        *("--show-table", "Ward: today,Sex=f within 50%", "--must", "Sex within 20% from 100"),
    )
    (shown,) = told["expected"]
    cells = {cell["values"][0]: cell for cell in shown["cells"]}
    counted = Counter(row["Ward: today"] for row in rows_of(patients) if row["Sex"] == "f")
    assert {ward: cell["true"] for ward, cell in cells.items()} == dict(counted)
    assert all(cell["low"] <= cell["true"] <= cell["high"] for cell in cells.values())
    assert shown["answered"] <= shown["asked"] == len(counted)
    assert shown["readers"]["stranger"] <= shown["readers"]["colleague"] + 1e-9
    assert told["proposal"]["met"]
    assert told["proposal"]["draws"]["Sex"]
    assert "would" in told["sensitive"]["Sex"]["compared"]["words"]
    assert splu("plan", patients, "--sa", "Sex:3", "--drop", "Birth date,Charges,Diagnosis") == 0
    printed = capsys.readouterr().out
    assert "What recipients will be told of" in printed
    assert "A stranger who goes by a person's row is right in" in printed


def test_a_sheet_that_is_passed_over_is_named_by_plan_and_publish(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = xlsxwriter.Workbook(str(tmp_path / "wards.xlsx"))
    for name, heading in (("North", ("id", "age", "test")), ("South", ("id", "age", "test")), ("Old", ("nr", "test"))):
        sheet = book.add_worksheet(name)
        for y, row in enumerate([heading, *([i, 20 + i % 50, "abcd"[i % 4]][: len(heading)] for i in range(30))]):
            sheet.write_row(y, 0, row)
    book.close()
    asked = [str(tmp_path / "wards.xlsx"), "--sheets", "all", "--sa", "test", "--gamma", "2", "--drop", "id"]
    for words in (["plan", *asked], ["publish", *asked, "--out", str(tmp_path / "out")]):
        assert main(words) == 0
        said = capsys.readouterr()
        assert "Sheet “Old” with 30 rows was not read." in said.out + said.err


def test_a_recipe_serves_next_months_file(tmp_path: Path, capsys: Any) -> None:
    """The chances of a joined column are those of one table; the recipe's gamma gives them for the next."""
    first, second, recipe = tmp_path / "may.csv", tmp_path / "june.csv", tmp_path / "r.toml"
    for path, n in ((first, 240), (second, 301)):
        rows = (f"w{i % 3},{'no' if i % 5 else 'yes'}" for i in range(n))
        path.write_text("ward,smoker\n" + "\n".join(rows) + "\n", encoding="utf-8")
    wanted = ["--sa", "smoker:3", "--nsa", "ward", "--save-recipe", str(recipe)]
    assert main(["plan", str(first), *wanted]) == 0
    for source, anew in ((first, False), (second, True)):
        capsys.readouterr()
        assert main(["plan", str(source), "--recipe", str(recipe)]) == 0
        said = capsys.readouterr().out
        assert ("planned anew for this table, by the recipe's gamma 3" in said) == anew
        assert "gamma 3" in said


def test_what_is_alike_of_many_columns_is_said_once(tmp_path: Path, capsys: Any) -> None:
    rng, names = np.random.default_rng(5), ["HIV", "Cancer", "Asthma", "Stroke", "Covid", "Sepsis"]
    flags = rng.random((1_000, len(names))) < np.linspace(0.15, 0.3, len(names))
    path = tmp_path / "flags.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [["Ward", *names], *(["AB"[at % 2], *("yes" if x else "no" for x in row)] for at, row in enumerate(flags))]
        )
    splu("plan", path, "--sa", ",".join(names))
    lines = capsys.readouterr().out.splitlines()
    asked = [line for line in lines if line.startswith("  Of the rows that show “yes”")]
    assert [("under “HIV”" in line) for line in asked] == [True]
    assert sum(line.startswith(f"{name} ") for line in lines for name in names) == 2 * len(names), "figures of each"
    assert sum(line.startswith("What recipients will be told of Ward, ") for line in lines) == 1
    assert sum(line.startswith("Ward, ") and line.endswith(" %") for line in lines) == len(names) - 1
    splu("plan", path, "--sa", ",".join(names[:3]))
    few = capsys.readouterr().out
    assert few.count("What recipients will be told of Ward, ") == few.count("Of the rows that show “yes”") == 3


def test_a_column_that_is_asked_to_be_coarser_keeps_the_role_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """“Délivré le” says treatment; its days are known to be dates, its months are texts like any others."""
    days = np.datetime64("2024-01-01") + np.arange(400) % 180
    rows = [f"{day},{'abcd'[at % 4]},{at % 2}" for at, day in enumerate(days.tolist())]
    (tmp_path / "t.csv").write_text("\n".join(["Délivré le,Molécule,Sexe", *rows]), encoding="utf-8")
    asked = [tmp_path / "t.csv", "--sa", "Molécule:2"]
    assert planned(capsys, *asked, "--generalise", "Délivré le:month")["roles"]["Délivré le"] == "nsa"


def test_bounds_in_intervals_are_told_where_they_are_published(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{'abc'[at % 3]},{'<5' if at % 4 == 0 else at % 50 + 5.5}" for at in range(400)]
    (tmp_path / "t.csv").write_text("\n".join(["Ward,CRP", *rows]), encoding="utf-8")
    assert splu("publish", tmp_path / "t.csv", "--sa", "CRP:2", "--nsa", "Ward", "--out", tmp_path / "r") == 0
    told = capsys.readouterr()
    assert "Column “CRP” has bounds such as “<5”" in told.out + told.err
