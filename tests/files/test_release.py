"""A release reads as it was written, tells its reader how to count, and shows when it was touched."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

from splu_desktop.core.answer.conditions import parse_condition
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.audience import WHO, Audience
from splu_desktop.core.mechanism import CLASS, Block, DecoyGroups, Draw, Lenders
from splu_desktop.core.mechanism.law import t_f
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import absence_values
from splu_desktop.core.table import Kind, Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.disk.background import begin_digest, digest_begun
from splu_desktop.files.disk.digests import file_sha256
from splu_desktop.files.register import Register
from splu_desktop.files.release.dictionary import LABEL_FILES
from splu_desktop.files.release.facts import BadRelease, Dialect, seal
from splu_desktop.files.release.fingerprint import fingerprint
from splu_desktop.files.release.folder import KIT as PROGRAMS
from splu_desktop.files.release.folder import Form
from splu_desktop.files.release.handover import hand_over, new_password
from splu_desktop.files.release.package import PasswordNeeded
from splu_desktop.files.release.reading import OpenRelease, open_release
from splu_desktop.files.release.verify import verify
from tests.columns import column_of
from tests.files.releases import KIT, awkward_table, load_kit, released, ward_plan, ward_table
from tests.optional import needs


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    table = ward_table()
    return released(table, ward_plan(table), tmp_path_factory.mktemp("ward") / "stays", form=Form(workbook=True))


def _awkward(folder: Path, dialect: Dialect | None = None) -> tuple[Table, OpenRelease]:
    table = awkward_table()
    roles = {name: Role.SA if name == "illness" else Role.NSA for name in table.names}
    plan = Plan(roles, (Block(("illness",), Lenders(4)),))
    return table, released(table, plan, folder, form=Form(dialect=dialect or Dialect()))


def _rows(table: Table, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return sorted(zip(*(column.labels[column.codes].tolist() for column in table.select(names).columns), strict=True))


@pytest.mark.parametrize("dialect", [Dialect(), Dialect(";", ",")])
def test_unchanged_columns_come_back_to_the_letter(tmp_path: Path, dialect: Dialect) -> None:
    table, release = _awkward(tmp_path / "r", dialect)
    kept = tuple(name for name in table.names if name != "illness")
    assert _rows(open_release(release.path).published.table, kept) == _rows(table, kept)
    raw = (release.path / "table.csv").read_text(encoding="utf-8")
    assert "'=HYPERLINK" in raw
    assert "'@here" in raw
    if dialect.decimal == ",":
        assert re.search(r";\d\d,\d", raw)
        assert load_kit().load(release.path).table["weight"].mean() == pytest.approx(75, abs=2)


@pytest.mark.parametrize("dialect", [Dialect(), Dialect(";", ",")])
def test_who_publishes_gets_the_release_that_its_reader_gets(tmp_path: Path, dialect: Dialect) -> None:
    _, release = _awkward(tmp_path / "r", dialect)
    read = open_release(release.path)
    assert read.facts == release.facts
    assert read.published.blocks == release.published.blocks
    for own, other in zip(release.published.table.columns, read.published.table.columns, strict=True):
        assert (own.name, own.kind, own.labels.tolist()) == (other.name, other.kind, other.labels.tolist())
        assert np.array_equal(own.codes, other.codes)
        assert np.array_equal(own.missing, other.missing)
        assert (own.values is None) == (other.values is None)
        assert own.values is None or np.array_equal(own.values, other.values, equal_nan=True)


def test_for_one_count_only_the_columns_it_names_are_read_and_those_drawn_with_them(tmp_path: Path) -> None:
    names = ("sex", "ward", "dx", "test", "drug")
    columns = [column_of(name, [f"{name}{at * (at + 1) // 2 % 5}" for at in range(400 + i, 800 + i)])
               for i, name in enumerate(names)]  # fmt: skip
    roles = {name: Role.SA if at > 1 else Role.NSA for at, name in enumerate(names)}
    blocks = (Block(("dx", "test"), Lenders(3)), Block(("drug",), Lenders(2)))
    path = released(Table(tuple(columns)), Plan(roles, blocks, ("ward",)), tmp_path / "r").path
    whole = open_release(path).published
    for asked, needed in ((["sex=sex1", "dx=dx1"], {"sex", "dx", "test"}), (["drug=drug1", "dx!=dx0"], set(names[2:]))):
        part = open_release(path, conditions=asked).published
        assert set(part.table.names) == needed | {CLASS} & set(whole.table.names)
        one, other = (Reader(each).answer([parse_condition(text, each) for text in asked]) for each in (whole, part))
        assert one == other
    assert open_release(path, conditions=["sx=f"]).published.table.names == whole.table.names


def test_no_value_is_the_empty_cell_everywhere(tmp_path: Path) -> None:
    labels = ["?", "NA", "7", "None", "9"] * 40
    numbers = column_of("score", ["1", "?", "3", "", "5"] * 40, kind=Kind.INTEGER, missing=("?", ""))
    words = column_of("word", labels, missing=("?", "NA"))
    dx = column_of("dx", ["a", "b", "c", "d"] * 50)
    plan = Plan({"score": Role.NSA, "word": Role.NSA, "dx": Role.SA}, (Block(("dx",), Lenders(2)),))
    release = released(Table((numbers, words, dx)), plan, tmp_path / "r")
    frame = pd.read_csv(release.path / "table.csv", dtype=str, keep_default_na=False)
    assert set(frame["score"]) == {"1", "3", "5", ""}
    assert set(frame["word"]) == {"7", "None", "9", ""}
    assert "keep_default_na" in (release.path / "README.md").read_text(encoding="utf-8")
    column = release.published.table["word"]
    assert int(column.counts()[column.missing].sum()) == 80


def test_the_dictionary_is_a_table(ward: OpenRelease) -> None:
    frame = pd.read_csv(ward.path / "dictionary.csv").set_index("column")
    table, scores = (pd.read_csv(ward.path / name).columns for name in ("table.csv", "scores.csv"))
    assert list(frame.index) == list(table)  # a line each, as who reads it by a program joins it to the table
    assert "lender class" in table
    assert frame.loc["dx", "score columns"] == "dx_yes: counts rows with “yes” in “dx”"
    named = [part.partition(": ")[0] for cell in frame["score columns"].dropna() for part in cell.split("; ")]
    assert sorted(named) == sorted(scores)


def test_the_dictionary_counts_in_numbers_that_any_program_reads(tmp_path: Path) -> None:
    score = column_of("score", ["", "1", "2"] * 2000, kind=Kind.INTEGER, missing=("",))
    dx = column_of("dx", ["a", "b"] * 3000)
    release = released(
        Table((score, dx)), Plan({"dx": Role.SA, "score": Role.NSA}, (Block(("dx",), Lenders(2)),)), tmp_path / "r"
    )
    frame = pd.read_csv(release.path / "dictionary.csv").set_index("column")
    assert frame.loc[["score", "dx"], "missing"].tolist() == [2000, 0]


def test_the_readme_fits_a_page_and_its_example_holds(ward: OpenRelease) -> None:
    lines = (ward.path / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 150
    text = "\n".join(lines)
    assert "Institute of Epidemiology" in text
    assert "who falls ill" in text
    columns = [line.partition(":")[0] for line in lines if line.startswith("- ")]
    assert columns[:2] == ["- dx", "- sex"]  # what tables were asked of
    call, told = re.search(r"(r\.count\(.*?\))\s+# about ([\d,]+)", text).groups()  # type: ignore[union-attr]
    found = eval(call, {"r": load_kit(ward.path / "splu_release.py").load(ward.path)})
    assert round(found.estimate) == int(told.replace(",", ""))


@pytest.mark.parametrize("draw", [Lenders(2), DecoyGroups(2)], ids=lambda draw: draw.name)
def test_the_readme_names_the_kit_where_it_reads_the_release(draw: Draw, tmp_path: Path) -> None:
    table = Table((column_of("sex", ["f", "m"] * 120), column_of("dx", ["a", "b", "c", "d", "e"] * 48)))
    folder = released(table, Plan({"sex": Role.NSA, "dx": Role.SA}, (Block(("dx",), draw),)), tmp_path / "r").path
    text = (folder / "README.md").read_text(encoding="utf-8")
    kit = load_kit(folder / "splu_release.py")
    try:
        reads = kit.load(folder).n == table.n
    except kit.Refused:
        reads = False
    assert reads is (draw.name == "lenders")
    assert [word in text for word in ("splu_release.load()", "load_release(", "needs regress", "fit.bse")] == [
        reads
    ] * 4
    assert ("decoy groups" in text) is not reads
    assert "d.groupby(" in text


@pytest.mark.parametrize("who", WHO)
def test_only_what_is_for_anyone_may_be_passed_on(who: str, tmp_path: Path) -> None:
    table = ward_table()
    plan = replace(ward_plan(table), audience=Audience(who, signed=who != "public"))
    text = (released(table, plan, tmp_path / "r").path / "README.md").read_text(encoding="utf-8")
    assert ("pass it on" in text) == (who != "public")


def test_the_readme_says_how_good_every_asked_table_is_as_the_report_does(tmp_path: Path) -> None:
    """Tables of means, too, of groups of 50 rows and more: 60, 30 and 150 here."""
    rng = np.random.default_rng(5)
    units = column_of("unit", ["a"] * 60 + ["b"] * 30 + ["c"] * 150)
    days = column_of("days", [str(days) for days in rng.integers(1, 9, 240)], kind=Kind.INTEGER)
    asked = (AskedTable("days", None, ("unit",), "mean"), AskedTable("days", "4", ("unit",)))
    plan = Plan({"unit": Role.NSA, "days": Role.SA}, (Block(("days",), Lenders(1.2)),), questions=asked)
    text = (released(Table((units, days)), plan, tmp_path / "r").path / "README.md").read_text(encoding="utf-8")
    assert "mean of “days” by unit: 2 of 2 answers about 50 rows and more within 30 %." in text
    assert "“days: 4” by unit: no cell is as large as 50." in text
    assert "Bands of" not in text
    bands = column_of("days", ["below 5", "5 to 9"] * 120)
    plan = replace(plan, questions=asked[:1])
    text = (released(Table((units, bands)), plan, tmp_path / "b").path / "README.md").read_text(encoding="utf-8")
    assert "Bands of “days” count as one number each: the true mean may lie outside." in text


@pytest.mark.parametrize("gammas", [(2, 2), (3, 8)])
def test_the_readme_trusts_numbers_from_where_verdict_and_report_do(gammas: tuple[int, int], tmp_path: Path) -> None:
    """It said 10 of every release, beside a report by which one of 30 is wrong in 7 of 100 releases."""
    table, thresholds = ward_table(), Thresholds()
    columns = (("smoker",), ("dx", "los"))
    blocks = tuple(Block(names, Lenders(gamma)) for names, gamma in zip(columns, gammas, strict=True))
    plan = replace(ward_plan(table, blocks=columns), blocks=blocks)
    text = (released(table, plan, tmp_path / "r").path / "README.md").read_text(encoding="utf-8")
    least = max(t_f(block.draw, thresholds.epsilon, thresholds.t_e) for block in blocks)
    assert f"trust no number below about {least} without its range." in text


@pytest.mark.parametrize("contact", ["", "data@hospital.example"])
def test_the_readme_names_somebody_to_ask(contact: str, tmp_path: Path) -> None:
    table = ward_table()
    release = released(table, ward_plan(table), tmp_path / "r", form=Form(contact=contact))
    text = (release.path / "README.md").read_text(encoding="utf-8")
    assert f"Questions and mistakes to: {contact or 'whoever handed this out'}." in text


@pytest.mark.parametrize("gaps", [True, False])
def test_the_readme_tells_that_sums_count_rows_without_a_value_where_the_kit_does_not(
    gaps: bool, tmp_path: Path
) -> None:
    dx = column_of("dx", ["yes", "", "no", "no"] * 60 if gaps else ["yes", "no"] * 120, missing=("",))
    table = Table((column_of("sex", ["f", "m", "m", "f"] * 60), dx))
    plan = Plan({"sex": Role.NSA, "dx": Role.SA}, (Block(("dx",), Lenders(2)),))
    folder = released(table, plan, tmp_path / "r").path
    kit = load_kit(folder / "splu_release.py").load(folder)
    by_sums = kit.score("dx=yes").sum() / kit.n
    assert ("Sums count rows without a value" in (folder / "README.md").read_text(encoding="utf-8")) == gaps
    assert (kit.share("dx=yes").estimate == pytest.approx(by_sums)) == (not gaps)


def test_the_readme_says_how_many_rows_a_person_has(tmp_path: Path) -> None:
    """Persons with more rows may have lost some, so that a count is one of the rows that are here."""
    release = released(ward_table(persons=True), ward_plan(ward_table(persons=True), 5), tmp_path / "r")
    most = max(cell.rows for cell in release.published.cells)
    assert f"A person has up to {most} rows here" in (release.path / "README.md").read_text(encoding="utf-8")


def test_the_readme_names_whole_values(tmp_path: Path) -> None:
    jobs = [f"{'senior ' * k}clerk in department {k}" for k in range(12)]
    table = Table((column_of("job", jobs * 20), column_of("dx", ["a", "b", "c"] * 80)))
    release = released(table, Plan({"job": Role.NSA, "dx": Role.SA}, (Block(("dx",), Lenders(2)),)), tmp_path / "r")
    line = next(
        each for each in (release.path / "README.md").read_text(encoding="utf-8").splitlines() if "- job" in each
    )
    named, more = re.fullmatch(r"- job: (.*) and (\d+) more", line).groups()  # type: ignore[union-attr]
    assert set(named.split("; ")) < set(jobs)
    assert len(named.split("; ")) + int(more) == 12


def test_the_readme_names_the_ends_of_what_has_an_order(tmp_path: Path) -> None:
    ages = column_of("age", list(map(str, range(20, 32))) * 20, kind=Kind.INTEGER)
    table = Table((ages, column_of("dx", ["a", "b", "c"] * 80)))
    release = released(table, Plan({"age": Role.NSA, "dx": Role.SA}, (Block(("dx",), Lenders(2)),)), tmp_path / "r")
    lines = (release.path / "README.md").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("An empty cell has no value, or") for line in lines[lines.index("- age: 20 to 31") :])


def test_the_readme_names_the_first_and_the_last_day(tmp_path: Path) -> None:
    days = column_of("admitted", [f"2024-03-{day:02}" for day in range(1, 13)] * 20, kind=Kind.DATE)
    table = Table((days, column_of("dx", ["a", "b", "c"] * 80)))
    plan = Plan({"admitted": Role.NSA, "dx": Role.SA}, (Block(("dx",), Lenders(2)),))
    text = (released(table, plan, tmp_path / "r").path / "README.md").read_text(encoding="utf-8")
    assert "“admitted”: 2024-03-01 to 2024-03-12." in text


def _readme_lines(folder: Path, language: str) -> list[str]:
    (block,) = re.findall(rf"```{language}\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.S)
    return str(block).splitlines()


@pytest.fixture(scope="module")
def persons(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    table = ward_table(persons=True)
    return released(table, ward_plan(table, 5, number=True), tmp_path_factory.mktemp("persons") / "release")


def _errors_of_the_kit(release: OpenRelease) -> Any:
    fit = load_kit(release.path / "splu_release.py").load(release.path).regress("dx=yes ~ sex=m")
    return np.sqrt(np.diag(fit.vcov()))


@needs("statsmodels")
@pytest.mark.parametrize("name", ["ward", "persons"])
def test_the_readme_lines_for_python_run_and_their_errors_are_right(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HC1 errors of the sexes, which make classes, would be 2 to 3.5 times those of the kit."""
    release = request.getfixturevalue(name)
    monkeypatch.chdir(release.path)
    monkeypatch.syspath_prepend(str(release.path))
    monkeypatch.delitem(sys.modules, "splu_release", raising=False)
    *lines, errors = _readme_lines(release.path, "python")
    known: dict[str, Any] = {}
    exec("\n".join(lines), known)
    (group,) = (line for line in lines if "groupby" in line)
    sums, counted = eval(group, known), eval(lines[1], known)
    assert sums["m"] == pytest.approx(known["r"].score("dx=yes")[known["d"].sex == "m"].sum(), rel=1e-5)
    assert counted.low_table <= counted.estimate <= counted.high_table
    ratio = eval(errors, known).to_numpy() / _errors_of_the_kit(release)
    assert (ratio > 0.93).all()
    assert (ratio < 1.2).all()


@needs("sandwich")
@pytest.mark.parametrize("name", ["ward", "persons"])
def test_the_readme_lines_for_r_run_and_their_errors_are_right(name: str, request: pytest.FixtureRequest) -> None:
    release = request.getfixturevalue(name)
    *lines, test = _readme_lines(release.path, "r")
    script = "\n".join([*lines, f'cat("", {test}[, 2])'])
    ran = subprocess.run(["Rscript", "-e", script], cwd=release.path, capture_output=True, text=True, check=True)
    ratio = np.array([float(each) for each in ran.stdout.split()[-2:]]) / _errors_of_the_kit(release)
    assert (ratio > 0.93).all()
    assert (ratio < 1.2).all()


def test_long_code_lists_have_a_score_for_each_large_chapter(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    codes = [f"{chapter}{i:02d}.{j}" for chapter in "IJ" for i in range(20, 40) for j in range(3)] + ["M10.1", "M11"]
    dx = rng.choice(codes, 3_000, p=[0.0082] * 120 + [0.008] * 2).tolist()
    table = Table((column_of("sex", ["f", "m"] * 1_500), column_of("icd", dx)))
    plan = Plan({"sex": Role.NSA, "icd": Role.SA}, (Block(("icd",), Lenders(3)),))
    release = released(table, plan, tmp_path / "r")
    scores = pd.read_csv(release.path / "scores.csv")
    chapters = [name for name in scores.columns if name.endswith("_system")]
    assert chapters == ["icd_Circulatory_system", "icd_Respiratory_system"]
    r = load_kit().load(release.path)
    circulatory = r.score("icd=" + "|".join(label for label in r.labels["icd"] if label.startswith("I")))
    assert np.abs(scores[chapters[0]] - circulatory).max() < 1e-5
    assert sum(code.startswith("I") for code in dx) == pytest.approx(scores[chapters[0]].sum(), rel=0.15)


def test_score_columns_stand_beside_the_tables_own(tmp_path: Path) -> None:
    columns = [column_of(name, ["a", "b"] * 100) for name in ("dx", "dx_a")]
    release = released(Table(tuple(columns)), Plan({"dx": Role.SA, "dx_a": Role.NSA}, (Block(("dx",), Lenders(2)),)),
                       tmp_path / "r")  # fmt: skip
    table, scores = (pd.read_csv(release.path / name) for name in ("table.csv", "scores.csv"))
    assert not set(table.columns) & set(scores.columns)


def test_no_score_column_is_called_as_a_column_that_another_program_renames(tmp_path: Path) -> None:
    """Stata and SAS read “dx (a)” as dx_a, beside which the score of a in dx must stand; SAS takes DX_B for dx_b."""
    drawn = column_of("dx", ["a", "b", "B", "c"] * 100)
    columns = (drawn, column_of("dx (a)", ["x", "y"] * 200), column_of("DX_c", ["x", "y"] * 200))
    plan = Plan({"dx": Role.SA, "dx (a)": Role.NSA, "DX_c": Role.NSA}, (Block(("dx",), Lenders(2)),), ("DX_c",))
    release = released(Table(columns), plan, tmp_path / "r")
    renamed = re.findall(r"^rename _\d+ (\w+)$", (release.path / "labels.do").read_text(encoding="utf-8"), re.M)
    scores = pd.read_csv(release.path / "scores.csv").columns
    assert "lender_class" in scores, "README's lines name it"
    beside = [name.casefold() for name in (*renamed, *scores.drop("lender_class"))]
    assert len(renamed) == 4
    assert len({*beside}) == len(beside), beside


def test_nothing_of_true_counts_leaves_beside_the_table(tmp_path: Path) -> None:
    """release.json of tables that differ in one bearer is the same but for what the drawn column itself shows."""
    stated = []
    for bearers in (10, 11):
        n = 2_000
        dx = ["Psychiatry"] * bearers + ["Home"] * (n - bearers)
        sex = column_of("sex", ["f", "m"] * (n // 2))
        table = Table((sex, column_of("to", dx)))
        plan = Plan({"sex": Role.NSA, "to": Role.SA}, (Block(("to",), Lenders(3)),), ("sex",))
        facts = dict(released(table, plan, tmp_path / str(bearers), seed=bearers).facts)
        for follows_from_table_or_chance in ("id", "created", "files", "sha256", "spread", "title"):
            facts.pop(follows_from_table_or_chance)
        stated.append(facts)
    assert stated[0] == stated[1]


def test_scores_estimate_counts_in_a_pivot_table(ward: OpenRelease) -> None:
    frame = pd.read_csv(ward.path / "table.csv", dtype=str).join(pd.read_csv(ward.path / "scores.csv"))
    sums = frame.groupby("sex")["dx_yes"].sum()
    reader = Reader(ward.published)
    for sex in "fm":
        conditions = [parse_condition(text, ward.published) for text in (f"sex={sex}", "dx=yes")]
        assert sums[sex] == pytest.approx(reader.answer(conditions, "unbiased").estimate, abs=0.01)


_FORMULA = re.compile(r"`=(SUMIFS|SUMMEWENNS|SOMME\.SI\.ENS)\(([A-Z]+):\2([,;]) ([A-Z]+):\4\3 \"(.*)\"\)`")


def _number_of(letters: str) -> int:
    return functools.reduce(lambda number, letter: 26 * number + ord(letter) - 64, letters, 0) - 1


@pytest.mark.parametrize(
    ("group", "language"),
    [("below 18", "en"), ("<18", "de"), (">=18?", "fr"), ('aged "18*"', "en"), ("~18", "en"), ("دون 18", "de")],
)
def test_the_readme_formula_gives_the_sum_in_a_spreadsheet(tmp_path: Path, group: str, language: str) -> None:
    """Followed as a spreadsheet does: columns by letters, "" for one mark, = < > first and * ? ~ as they say."""
    columns = [column_of(f"unit {at}", ["a", "b"] * 60) for at in range(26)]
    columns += [column_of("age", [group, group, "younger"] * 40), column_of("dx", ["x", "y", "z", "y"] * 30)]
    roles = {each.name: Role.SA if each.name == "dx" else Role.NSA for each in columns}
    plan = Plan(roles, (Block(("dx",), Lenders(2)),), questions=(AskedTable("dx", None, ("age",)),))
    form = Form(workbook=True, language=language, dialect=Dialect() if language == "en" else Dialect(";", ","))
    release = released(Table(tuple(columns)), plan, tmp_path / "r", form=form)
    text = (release.path / "README.md").read_text(encoding="utf-8")
    name, numbers, mark, words, wanted = _FORMULA.search(text).groups()  # type: ignore[union-attr]
    assert (name, mark) == {"en": ("SUMIFS", ","), "de": ("SUMMEWENNS", ";"), "fr": ("SOMME.SI.ENS", ";")}[language]
    wanted = wanted.replace('""', '"')
    assert wanted[:1] not in ("<", ">")
    pattern = re.sub(r"~(.)|([*?])|(.)", _as_pattern, wanted.removeprefix("="))
    _, *rows = openpyxl.load_workbook(release.path / "release.xlsx")["table"].iter_rows(values_only=True)
    found = [row[_number_of(numbers)] for row in rows if re.fullmatch(pattern, str(row[_number_of(words)]))]
    example = re.search(r'r\.count\("(.*?)", ', text).group(1)  # type: ignore[union-attr]
    kit = load_kit(release.path / "splu_release.py").load(release.path)
    shown = kit.table["age"] == group
    assert len(found) == shown.sum() == 80
    assert sum(found) == pytest.approx(kit.score(example)[shown].sum(), abs=1e-3)


def _as_pattern(found: re.Match[str]) -> str:
    escaped, wild, letter = found.groups()
    return {"*": ".*", "?": "."}[wild] if wild else re.escape(escaped or letter)


def test_the_workbook_holds_the_same(ward: OpenRelease) -> None:
    book = pd.read_excel(
        ward.path / "release.xlsx",
        sheet_name="table",
        engine="calamine",
        dtype={"the ward": str},
        keep_default_na=False,
    )
    frame = pd.read_csv(ward.path / "table.csv", dtype=str, keep_default_na=False)
    assert list(book["the ward"]) == list(frame["the ward"])
    assert list(book["limits"]) == list(frame["limits"])
    assert book["bmi"].sum() == pytest.approx(frame["bmi"].astype(float).sum())
    scores = pd.read_csv(ward.path / "scores.csv")
    assert all(list(book[name]) == list(scores[name]) for name in scores if name in book)
    assert "dx_yes" in book


_MARK = re.compile(r"""(?:delimiters\(|/DELIMITERS=|sep = )("[^"]*")|dlm='(\w\w)'x""")


@pytest.mark.parametrize("dialect", [Dialect(), Dialect(";", ","), Dialect("\t", ".")], ids=repr)
def test_labels_read_the_table_as_it_is_written_and_name_every_column(tmp_path: Path, dialect: Dialect) -> None:
    table, release = _awkward(tmp_path / "r", dialect)
    with (release.path / "table.csv").open(encoding="utf-8", newline="") as file:
        header = file.readline().rstrip("\n")
    for name in LABEL_FILES:
        text = (release.path / name).read_text(encoding="utf-8")
        (quoted, number) = _MARK.search(text).groups()  # type: ignore[union-attr]
        assert (json.loads(quoted) if quoted else chr(int(number, 16))) == dialect.delimiter
        assert all(column in text for column in table.names)
        assert "scores.csv, not by rows" in text
        assert "It has the same rows" in text
        assert not re.search(r"\{\w+\}", text)
    assert header.count(dialect.delimiter) >= len(table.names) - 1


def test_stata_renames_no_column_to_what_another_is_called_still(tmp_path: Path) -> None:
    """What Stata reads is called v1, v2 ... at first."""
    table = Table((column_of("v2", ["a", "b"] * 60), column_of("v1", ["c", "d"] * 60)))
    release = released(table, Plan({"v2": Role.NSA, "v1": Role.SA}, (Block(("v1",), Lenders(2)),)), tmp_path / "r")
    now = ["v1", "v2"]
    for old, new in re.findall(r"^rename (\w+) (\w+)$", (release.path / "labels.do").read_text("utf-8"), re.M):
        assert new not in now
        now[now.index(old)] = new
    assert now == list(release.published.table.names)


@needs("R")
@pytest.mark.parametrize("dialect", [Dialect(), Dialect(";", ","), Dialect("\t", ".")], ids=repr)
def test_labels_in_r(tmp_path: Path, dialect: Dialect) -> None:
    _, release = _awkward(tmp_path / "r", dialect)
    script = (
        'source("labels.R"); cat(vapply(release, attr, "", "label"), dim(release), sum(is.na(release)), sep = "\\n")'
    )
    ran = subprocess.run(["Rscript", "-e", script], cwd=release.path, capture_output=True, text=True, check=True)
    published = release.published.table
    gone = sum(int(column.counts()[column.missing].sum()) for column in published.columns)
    assert ran.stdout.splitlines() == [*published.names, str(published.n), str(len(published.names)), str(gone)]


# --- verify


def _check(release: Path, name: str, register: Register | None = None) -> str:
    found = verify(release, register=register or Register(release / "no register"))
    return next((check.state for check in found.checks if check.name == name and check.state == "wrong"), "ok")


def _seal_again(folder: Path) -> None:
    """Write all fingerprints anew, as anybody can who may write the folder."""
    facts = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    for entry in facts["files"]:
        raw = (folder / entry["name"]).read_bytes()
        entry |= {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    (folder / "release.json").write_text(json.dumps(seal(facts)), encoding="utf-8")


def _copy(release: OpenRelease, folder: Path) -> Path:
    shutil.copytree(release.path, folder)
    return folder


def test_an_untouched_release_is_sound(ward: OpenRelease, tmp_path: Path) -> None:
    found = verify(ward.path, register=Register(tmp_path / "none"))
    assert found.sound, [check for check in found.checks if check.state != "ok"]
    assert re.fullmatch(r"([a-z]{5} ){5}[a-z]{5}", found.fingerprint)


@pytest.mark.parametrize("values", [("Y", ""), ("yes", "no"), ("yes", "no", ""), ("positive", "n/a")])
def test_a_release_of_flags_is_sound_whatever_is_no_secret(values: tuple[str, ...], tmp_path: Path) -> None:
    sex, flag = column_of("sex", list("fm") * 150), column_of("flag", [*values * 150][:300])
    plan = Plan({"sex": Role.NSA, "flag": Role.SA}, (Block(("flag",), Lenders(4)),))
    plan = replace(plan, public_values={"flag": absence_values(flag)})
    released(Table((sex, flag)), plan, tmp_path / "r")
    assert _check(tmp_path / "r", "scores") == "ok"


def test_a_file_less_is_told_though_it_is_sealed_again(ward: OpenRelease, tmp_path: Path) -> None:
    for name in ("README.md", "labels.R", "splu_release.R"):
        folder = _copy(ward, tmp_path / name)
        facts = json.loads((folder / "release.json").read_text(encoding="utf-8"))
        facts["files"] = [each for each in facts["files"] if each["name"] != name]
        (folder / "release.json").write_text(json.dumps(facts), encoding="utf-8")
        (folder / name).unlink()
        _seal_again(folder)
        assert _check(folder, "files") == "wrong", name


def test_a_changed_file_is_told(ward: OpenRelease, tmp_path: Path) -> None:
    folder = _copy(ward, tmp_path / "r")
    path = folder / "README.md"
    path.write_text(path.read_text(encoding="utf-8") + "x", encoding="utf-8")
    assert _check(folder, "files") == "wrong"


def test_a_digest_begun_early_is_of_the_file_as_it_is(ward: OpenRelease, tmp_path: Path) -> None:
    path = _copy(ward, tmp_path / "r") / "table.csv"
    begin_digest(str(path))
    assert digest_begun(path, SILENT) == file_sha256(path)
    assert digest_begun(path, SILENT) == ""  # asked once: whoever asks again wants to know of the file as it is then
    begin_digest(str(path))
    before = path.stat().st_mtime_ns
    head, *rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([head, *reversed(rows)]))
    os.utime(path, ns=(before + 1, before + 1))
    with pytest.raises(BadRelease, match="changed"):
        open_release(path.parent)


@pytest.mark.parametrize("name", [*PROGRAMS, *LABEL_FILES])
def test_a_changed_program_is_told_though_it_is_sealed_again(name: str, ward: OpenRelease, tmp_path: Path) -> None:
    folder = _copy(ward, tmp_path / "r")
    path = folder / name
    path.write_text("import os\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    _seal_again(folder)
    assert _check(folder, "files") == "ok"
    assert _check(folder, "kit") == "wrong"


def test_programs_of_an_earlier_version_are_no_fault_where_the_register_knows_the_release(
    ward: OpenRelease, tmp_path: Path
) -> None:
    folder, register = _copy(ward, tmp_path / "r"), Register(tmp_path / "register")
    for name in ("splu_release.py", "labels.R"):
        path = folder / name
        path.write_text("# of 0.2\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    _seal_again(folder)
    assert _check(folder, "kit", register) == "wrong", "nobody knows it"
    register.add(ward.id, {"facts_sha256": verify(folder, register=register).digest})
    assert _check(folder, "kit", register) != "wrong"
    assert verify(folder, register=register).sound
    lines = register.folder / "register.jsonl"
    lines.write_text(lines.read_text(encoding="utf-8").replace('"time": "2', '"time": "1'), encoding="utf-8")
    assert _check(folder, "kit", register) == "wrong", "its line was changed, so it may be another's"


def test_a_program_that_is_added_is_told_though_it_is_sealed_again(ward: OpenRelease, tmp_path: Path) -> None:
    folder = _copy(ward, tmp_path / "r")
    (folder / "setup.py").write_text("import os\n", encoding="utf-8")
    assert _check(folder, "files") == "ok", "it lies beside the release"
    facts = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    facts["files"].append({"name": "setup.py"})
    (folder / "release.json").write_text(json.dumps(facts), encoding="utf-8")
    _seal_again(folder)
    assert _check(folder, "files") == "wrong"


def test_a_table_sealed_again_has_other_words_and_the_register_knows(ward: OpenRelease, tmp_path: Path) -> None:
    folder = _copy(ward, tmp_path / "r")
    before = verify(folder, register=Register(tmp_path / "none"))
    register = Register(tmp_path / "register")
    register.add(ward.id, {"facts_sha256": before.digest})
    assert _check(folder, "register", register) == "ok"
    path = folder / "table.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",001,", ",002,"), encoding="utf-8")
    _seal_again(folder)
    after = verify(folder, register=Register(tmp_path / "none"))
    assert after.fingerprint != before.fingerprint
    assert _check(folder, "register", register) == "wrong"


def test_scores_of_another_strength_are_told(ward: OpenRelease, tmp_path: Path) -> None:
    folder = _copy(ward, tmp_path / "r")
    facts = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    facts["blocks"][0]["gamma"] = 7
    (folder / "release.json").write_text(json.dumps(seal(facts)), encoding="utf-8")
    assert _check(folder, "scores") == "wrong"


@pytest.mark.parametrize(
    "spoil",
    [
        {"records": -1},
        {"columns": []},
        {"blocks": [{"columns": ["dx"], "gamma": 0, "draw": "lenders", "correlation": 0}]},
        {"files": [{"name": "../x", "bytes": 1, "sha256": "0" * 64}]},
        {"classes": {"columns": [], "cells": []}},
        {"version": 2},
        {"thresholds": {"epsilon": 9}},
    ],
)
def test_altered_facts_get_a_sentence(ward: OpenRelease, tmp_path: Path, spoil: dict[str, object]) -> None:
    folder = _copy(ward, tmp_path / "r")
    facts = json.loads((folder / "release.json").read_text(encoding="utf-8")) | spoil
    (folder / "release.json").write_text(json.dumps(seal(facts)), encoding="utf-8")
    with pytest.raises(BadRelease, match=r"release\.json"):
        open_release(folder)


def test_a_table_without_its_rows_is_refused(ward: OpenRelease, tmp_path: Path) -> None:
    folder = _copy(ward, tmp_path / "r")
    lines = (folder / "table.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "table.csv").write_text("".join(lines[:-5]), encoding="utf-8")
    _seal_again(folder)
    with pytest.raises(BadRelease, match=r"table\.csv"):
        open_release(folder)


def test_a_release_travels_in_an_encrypted_zip(ward: OpenRelease, tmp_path: Path) -> None:
    password = new_password()
    packed = hand_over(ward.path, tmp_path / "stays.zip", password=password)
    with pytest.raises(PasswordNeeded):
        open_release(packed)
    opened = open_release(packed, password=password)
    assert np.array_equal(opened.published.table["dx"].counts(), ward.published.table["dx"].counts())
    assert verify(packed, password=password, register=Register(tmp_path / "none")).sound


def test_six_words_stand_for_96_bits() -> None:
    assert fingerprint("0" * 64) == "babab babab babab babab babab babab"
    assert fingerprint("f" * 64) == "zuzuz zuzuz zuzuz zuzuz zuzuz zuzuz"


def test_the_folder_holds_the_kit_of_the_program(ward: OpenRelease) -> None:
    assert (ward.path / "splu_release.R").read_bytes() == (KIT / "splu_release.R").read_bytes()


def test_the_readme_lines_stand_for_any_name_and_show_what_is_frequent(tmp_path: Path) -> None:
    name = 'mode d\'entrée, "A" `b` \\ c'
    entry = column_of(name, ["d'urgence", "prévu"] * 120)
    table = Table((entry, column_of("dx", ["a", "b", "b", "c", "b"] * 48)))
    release = released(table, Plan({name: Role.NSA, "dx": Role.SA}, (Block(("dx",), Lenders(2)),)), tmp_path / "r")
    text = (release.path / "README.md").read_text(encoding="utf-8")
    (call, group, model, formula) = (
        re.search(pattern, text).group(1)  # type: ignore[union-attr]
        for pattern in (r"(r\.count\(.*\))  ", r"(d\.groupby.*)", r"(fit = smf.*)", r"lm\((.*), d\)")
    )
    for line in (call, group, model):
        ast.parse(line)
    assert '"dx=b"' in call
    assert name in ast.literal_eval(ast.parse(group).body[0].value.func.value.value.args[0])  # type: ignore[attr-defined]
    assert formula == "dx_b ~ `" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def test_values_in_a_readme_of_any_language_stand_in_the_table(tmp_path: Path) -> None:
    ages = column_of("age", ["below 18", "18 to 64", "65 and more"] * 80)
    table = Table((ages, column_of("dx", ["a", "b", "c"] * 80)))
    plan = Plan({"age": Role.NSA, "dx": Role.SA}, (Block(("dx",), Lenders(2)),))
    release = released(table, plan, tmp_path / "r", form=Form(language="de"))
    text = (release.path / "README.md").read_text(encoding="utf-8")
    line = next(each for each in text.splitlines() if each.startswith("- age: "))
    named, _, words = line.removeprefix("- age: ").split("; ")[0].partition(" = ")
    assert {named, *line.split("; ")[1:]} == {"below 18", "18 to 64", "65 and more"}
    assert words == {"below 18": "unter 18", "18 to 64": "18 bis 64", "65 and more": "65 und mehr"}[named]
