"""`splu query` and `splu queries` on a release folder, with nothing else at hand."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from splu_desktop.cli import main
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.crosstab_grid import TRUST, Side, Wanted, compute
from splu_desktop.core.query.reader import Badge, Condition, Method, Reader
from splu_desktop.files.questions.batch import ANSWER_COLUMNS
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.handover import hand_over
from tests.core.published_tables import dependent_table, release, table_of, true_count
from tests.files.kit_releases import kit
from tests.written import write_release

TABLE = dependent_table(4_000)
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("query") / "release"
    write_release(release(TABLE, {"disease": 4, "ward": 3}), path)
    return path


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    status = main([str(part) for part in argv])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("method", ["pooled", "unbiased", "shrunk", "bayes", "as-published"])
def test_query_answers_with_every_estimator(folder, capsys, method):
    status, out, err = run(capsys, "query", folder, "sex=f", "disease=d3|d4", "--method", method, "--json")
    answer = json.loads(out)
    assert (status, err) == (0, "")
    assert answer["method"] == method
    truth = true_count(TABLE, sex="f", disease="d3") + true_count(TABLE, sex="f", disease="d4")
    assert answer["low"] <= truth <= answer["high"]  # one release of a fixed table and 5 looks: may fail 1 in 20 seeds
    assert 0 <= answer["published"] <= answer["selected"] == true_count(TABLE, sex="f")


def test_query_speaks_to_people(folder, capsys):
    status, out, _ = run(capsys, "query", folder, "age=30..39", "ward=2")
    assert status == 0
    assert "age is from 30 to 39; ward is 2" in out
    assert "95 % interval" in out


@pytest.mark.usefixtures("brief_attacks")
def test_an_encrypted_zip_is_asked_with_its_password(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("SPLU_PASSWORD", raising=False)
    packed, word = tmp_path / "release.zip", tmp_path / "word.txt"
    write_release(release(TABLE, {"disease": 4, "ward": 3}, seed=2), tmp_path / "release")
    hand_over(tmp_path / "release", packed, password="correct horse battery staple")
    (tmp_path / "asked.csv").write_text("sex\nf\n", encoding="utf-8")
    commands = (
        ["query", packed, "sex=f"],
        ["queries", packed, tmp_path / "asked.csv", "--out", tmp_path / "answers.csv"],
        ["crosstab", packed, "--by", "sex", "--sa", "ward"],
        ["verify", packed],
        ["report", packed, "--out", tmp_path / "report.json"],
    )
    for command in commands:
        status, out, err = run(capsys, *command)
        assert (status, out) == (2, "")
        assert "--password-file" in err
        word.write_text("wrong horse\n", encoding="utf-8")
        status, out, err = run(capsys, *command, "--password-file", word)
        assert (status, out) == (2, "")
        assert "does not open" in err
        word.write_text("correct horse battery staple\n", encoding="utf-8")
        status, _, err = run(capsys, *command, "--password-file", word)
        assert (status, err) == (0, "")


def test_answers_go_into_a_workbook_where_its_ending_says_so(folder, tmp_path, capsys):
    (tmp_path / "asked.csv").write_text("sex,disease\nf,d3\n", encoding="utf-8")
    status, out, _ = run(capsys, "queries", folder, tmp_path / "asked.csv", "--out", tmp_path / "answers.xlsx")
    assert (status, out.splitlines()[0]) == (0, f"1 answer written to {tmp_path / 'answers.xlsx'}.")
    assert pd.read_excel(tmp_path / "answers.xlsx", engine="calamine").shape == (1, 2 + len(ANSWER_COLUMNS))


def test_conditions_may_stand_behind_options(folder, capsys):
    together = run(capsys, "query", folder, "sex=f", "ward=2", "--json")
    apart = run(capsys, "query", folder, "sex=f", "--json", "ward=2")
    assert together == apart
    assert together[0] == 0
    with pytest.raises(SystemExit) as left:
        run(capsys, "query", folder, "sex=f", "--json", "ward=2", "-x")
    assert left.value.code == 2
    assert "-x" in capsys.readouterr().err


def test_no_label_steers_the_terminal(tmp_path, capsys):
    """A label may hold escapes that clear a screen or rename a window, line ends, and marks that turn a line round."""
    at = np.arange(60)
    odd = "\x1b[2J\x1b]0;x\x07a\r\n\u202e"
    write_release(release(table_of({"g": np.where(at % 2, odd, "b"), "s": at % 5}), {"s": 2}), tmp_path / "r")
    for command in (
        ["query", tmp_path / "r", f"g={odd}"],
        ["query", tmp_path / "r", f"g={odd}?"],
        ["crosstab", tmp_path / "r", "--by", "g", "--where", f"g={odd}"],
        ["verify", tmp_path / "r"],
    ):
        _, out, err = run(capsys, *command)
        assert not set(out + err) & {"\x1b", "\x07", "\r", "\u202e"}
        assert err.count("\n") <= 1


@pytest.mark.parametrize(
    ("condition", "part"),
    [("sx=f", "no column"), ("sex=x", "No published record"), ("age=9..1", "backwards"), ("sex", "not a condition")],
)
def test_a_bad_condition_is_one_sentence_and_status_2(folder, capsys, condition, part):
    status, out, err = run(capsys, "query", folder, condition)
    assert (status, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


def test_queries_answers_each_row_in_order(folder, tmp_path, capsys):
    asked = tmp_path / "asked.csv"
    asked.write_text("sex,age,disease\nf,,d3\n,30..39,d1|d2\nm,40,\n,,d99\n,,\n", encoding="utf-8")
    out = tmp_path / "answers.csv"
    status, text, _ = run(capsys, "queries", folder, asked, "--out", out, "--json")
    assert status == 0
    assert json.loads(text)["answers"] == 5
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["age"] for row in rows] == ["", "30..39", "40", "", ""]
    reader = Reader(read_release(folder).published)
    first = reader.answer([Condition("sex", ("f",)), Condition("disease", ("d3",))])
    assert float(rows[0]["estimate"]) == pytest.approx(first.estimate)
    assert int(rows[0]["published"]) == first.published
    assert int(rows[2]["estimate"]) == true_count(TABLE, sex="m", age="40")
    assert rows[3]["note"]
    assert float(rows[3]["high"]) > 0
    assert int(rows[4]["estimate"]) == TABLE.n
    # A file of answers is read far from the release: it says of how many records a count is, and of which release.
    assert {row["release"] for row in rows} == {json.loads(text)["release"]}
    for row in rows:
        for share, figure in (("share", "estimate"), ("share low", "low"), ("share high", "high")):
            assert float(row[share]) == pytest.approx(float(row[figure]) / int(row["selected"]))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("sex,disese\nf,d1\n", ["row 1", "disese", "disease"]),
        ("sex,disease\nq,d1\n", ["row 2", "sex", "q"]),
        ("sex,age\nf,9..1\n", ["row 2", "age", "backwards"]),
        ("sex\nf,m\n", ["row 2"]),
        ("", ["empty"]),
        ("sex,sex\nf,f\n", ["twice"]),
    ],
)
def test_a_bad_file_of_questions_names_its_place_and_leaves_nothing(folder, tmp_path, capsys, text, parts):
    asked = tmp_path / "asked.csv"
    asked.write_text(text, encoding="utf-8")
    status, _, err = run(capsys, "queries", folder, asked, "--out", tmp_path / "answers.csv")
    assert status == 2
    assert all(part in err for part in parts), err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asked.csv"]


def test_answers_are_not_overwritten_unless_asked(folder, tmp_path, capsys):
    asked, out = tmp_path / "asked.csv", tmp_path / "answers.csv"
    asked.write_text("sex\nf\n", encoding="utf-8")
    out.write_text("mine", encoding="utf-8")
    status, _, err = run(capsys, "queries", folder, asked, "--out", out)
    assert status == 2
    assert "exists" in err
    assert out.read_text(encoding="utf-8") == "mine"
    assert run(capsys, "queries", folder, asked, "--out", out, "--overwrite")[0] == 0


def test_formulas_in_questions_come_out_inert(folder, tmp_path, capsys):
    asked, out = tmp_path / "asked.csv", tmp_path / "answers.csv"
    asked.write_text('disease\n"=HYPERLINK(""x"")"\n', encoding="utf-8")
    assert run(capsys, "queries", folder, asked, "--out", out)[0] == 0
    assert "'=HYPERLINK" in out.read_text(encoding="utf-8")


def test_a_cross_table_is_that_of_the_window(folder, capsys, tmp_path):
    """The same code counts for both: margins agree, every cell is the answer to its question but for the fit."""
    status, out, err = run(capsys, "crosstab", folder, "--by", "sex", "--by", "age:4", "--sa", "disease", "--json")
    made = json.loads(out)
    assert (status, err) == (0, "")
    assert made["records"] == TABLE.n
    grid = compute(Reader(read_release(folder).published), Wanted((Side("sex"), Side("age", 4)), "disease"), Silent())
    estimates = grid.numbers("estimate")
    assert [line["records"] for line in made["lines"]] == np.round(estimates.sum(axis=1)).tolist()
    assert [total.estimate for total in grid.totals] == pytest.approx(estimates.sum(axis=0), abs=0.5)
    hidden = grid.trust == TRUST.index(Badge.PROTECTED)
    found = np.array([[cell["estimate"] for cell in line["cells"]] for line in made["lines"]], float)
    assert found == pytest.approx(np.where(hidden, np.nan, estimates), nan_ok=True)
    for name in ("cells.csv", "cells.xlsx"):
        status, out, err = run(
            capsys, "crosstab", folder, "--by", "sex", "--by", "age:4", "--sa", "disease", "--out", tmp_path / name
        )
        assert (status, err) == (0, "")
    with (tmp_path / "cells.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8 * len(made["values"])
    stated = np.array([float(row["estimate"] or "nan") for row in rows])
    assert stated == pytest.approx(found.ravel(), nan_ok=True)
    assert {row["release"] for row in rows} == {made["release"]}
    sheets = pd.read_excel(tmp_path / "cells.xlsx", sheet_name=None, engine="calamine")
    assert sheets["Cells"]["low"].tolist() == pytest.approx([float(row["low"]) for row in rows])
    assert sheets["Estimates"].shape == (len(made["values"]) + 1, 2 + 8)


def test_a_cross_table_of_some_records_and_for_people(folder, capsys):
    status, out, err = run(capsys, "crosstab", folder, "--by", "city", "--sa", "ward", "--where", "city=Aa|C|d")
    assert (status, err) == (0, "")
    assert "city is one of Aa, C|d" in out
    kept = true_count(TABLE, city="Aa") + true_count(TABLE, city="C|d")
    assert f"{kept:,}" in out
    assert "Bb=c" not in out
    assert "Trust: " in out


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--by", "cty", "--sa", "ward"], "did you mean “city”"),
        (["--by", "ward", "--by", "sex", "--sa", "disease"], "“ward” is sensitive"),
        (["--by", "ward:2", "--sa", "disease"], "“ward” is sensitive"),
        (["--by", "ward", "--sa", "disease", "--method", "pooled"], "“ward” is sensitive"),
        (["--by", "ward", "--sa", "ward"], "“ward” is sensitive"),
        (["--by", "city:3", "--sa", "ward"], "neither numbers nor dates"),
        (["--by", "age:1", "--sa", "ward"], "fewer than 2"),
        (["--by", "sex", "--by", "sex", "--sa", "ward"], "stands twice"),
        (["--by", "sex", "--by", "city", "--by", "age", "--sa", "ward"], "at most twice"),
        (["--by", "sex", "--sa", "city"], "not a sensitive column"),
        (["--by", "sex"], "several sensitive columns"),
        (["--by", "sex", "--sa", "ward", "--where", "disease=d3"], "not sensitive"),
        (["--by", "sex", "--sa", "ward", "--where", "sex=f", "--where", "sex=m"], "contradict each other"),
        (["--by", "age:" + "9" * 5_000, "--sa", "ward"], "no column"),
        (["--by", "sex", "--sa", "ward", "--out", "cells.txt"], "must end in .csv or .xlsx"),
    ],
)
def test_what_is_no_cross_table_is_one_sentence(folder, capsys, options, part):
    status, out, err = run(capsys, "crosstab", folder, *options)
    assert (status, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


def test_the_draw_is_repeated_where_asked(folder, capsys, tmp_path):
    asked = ["sex=f", "disease=d3", "ward=2"]
    by = {}
    for option in ("--bootstrap", "--no-bootstrap"):
        status, out, _ = run(capsys, "query", folder, *asked, option, "--json")
        assert status == 0
        by[option] = json.loads(out)
    assert by["--bootstrap"]["interval_by"] == "repetition"
    assert by["--no-bootstrap"]["interval_by"] == "theory"
    assert by["--bootstrap"]["published"] == by["--no-bootstrap"]["published"]
    (tmp_path / "q.csv").write_text("disease,ward,city\nd3,2,Aa\nd11,5,\n,,(empty)\n", encoding="utf-8")
    status, out, _ = run(capsys, "queries", folder, tmp_path / "q.csv", "--out", tmp_path / "b.csv", "--bootstrap")
    assert (status, "1 question can't be understood" in out) == (0, True)
    (tmp_path / "q.csv").write_text("disease,ward,city\nd3,2,Aa\nd11,5,\n", encoding="utf-8")
    status, _, err = run(capsys, "queries", folder, tmp_path / "q.csv", "--out", tmp_path / "a.csv", "--bootstrap")
    assert (status, err) == (0, "")


def _facts(path: Path, **changes: object) -> None:
    facts = json.loads((path / "release.json").read_text("utf-8"))
    (path / "release.json").write_text(json.dumps(facts | changes), "utf-8")


DAMAGES = {
    "truncated": (lambda p: (p / "table.csv").write_bytes((p / "table.csv").read_bytes()[:9_000]), "SHA-256 differs"),
    "one letter": (
        lambda p: (p / "table.csv").write_bytes((p / "table.csv").read_bytes().replace(b"m", b"f", 1)),
        "SHA-256 differs",
    ),
    "another version": (lambda p: _facts(p, version=2), "has release format 2"),
    "another program": (lambda p: _facts(p, format="other"), "not describe a release"),
    "half a file": (lambda p: (p / "release.json").write_text('{"format":', "utf-8"), "not valid JSON"),
    "no facts": (lambda p: (p / "release.json").unlink(), "holds no release.json"),
    "no table": (lambda p: (p / "table.csv").unlink(), "lacks its table"),
    "no columns": (lambda p: _facts(p, columns=[]), "names no columns"),
    "no structure": (lambda p: _facts(p, columns="x"), "structure is broken"),
}


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.parametrize("command", [["query", "sex=f"], ["crosstab", "--by", "sex", "--sa", "ward"]])
def test_a_release_that_is_not_whole_is_one_sentence(folder, capsys, tmp_path, command, what):
    damage, part = DAMAGES[what]
    copied = tmp_path / "release"
    shutil.copytree(folder, copied)
    damage(copied)
    status, out, err = run(capsys, command[0], copied, *command[1:])
    assert (status, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_an_output_that_finds_no_room_or_no_reader_is_no_fault_of_the_program(folder):
    program = "import sys; from splu_desktop.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "query", str(folder), "sex=f"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert "make room" in done.stderr
    assert done.stderr.count("\n") == 1
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bad_row_of_a_file_is_told_and_the_others_are_answered(folder, tmp_path, capsys):
    asked, out = tmp_path / "asked.csv", tmp_path / "answers.csv"
    asked.write_text("sex,age\nm,40\nm,spring\nf,\nx,1,2\n")
    status, text, _ = run(capsys, "queries", folder, asked, "--out", out, "--json")
    assert status == 0
    assert (json.loads(text)["answers"], json.loads(text)["bad"]) == (2, 2)
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["badge"] for row in rows] == ["exact", "bad", "exact", "bad"]
    assert int(rows[2]["estimate"]) == true_count(TABLE, sex="f")
    assert "spring" in rows[1]["note"]
    assert rows[1]["estimate"] == ""
    asked.write_text("sex,age\nm,spring\n")
    assert run(capsys, "queries", folder, asked, "--out", out, "--overwrite")[0] == 2


def _figures(held: object) -> set[float]:
    """Return every number in plain data, keys apart."""
    if isinstance(held, dict):
        return set().union(*map(_figures, held.values()))
    if isinstance(held, list):
        return set().union(*map(_figures, held))
    return {float(held)} if isinstance(held, int | float) else set()


def test_no_answer_states_the_raw_figures_of_a_protected_count(tmp_path, capsys):
    """Only what people are shown: no estimate, no ends but those shown, nothing that either follows from."""
    rng = np.random.default_rng(5)
    sites = np.where(np.arange(3_000) < 24, np.where(np.arange(3_000) % 2, "a", "b"), "all others")
    table = table_of({"site": sites, "sick": rng.choice([f"s{at}" for at in range(7)], 3_000)})
    folder = tmp_path / "r"
    write_release(release(table, {"sick": 5}), folder)
    published = read_release(folder).published
    reader = Reader(published)
    grid = compute(reader, Wanted((Side("site"),), "sick"), Silent())
    questions = [[Condition("site", (site,)), Condition("sick", ("s1",))] for site in ("a", "b")]
    answers = reader.answers(questions)
    assert {answer.badge for answer in answers} == {Badge.PROTECTED}
    cells = [cell for cell in grid.answers.ravel() if cell.badge is Badge.PROTECTED]
    assert len(cells) == 14

    def hidden(answer):  # figures that are no whole number, so that none can stand there by chance
        raw = [each for each in (answer.estimate, answer.low, answer.high) if abs(each - round(each)) > 1e-4]
        return {round(of, 6) for figure in raw for of in (figure, figure / answer.n_p)}

    secret = set().union(*map(hidden, [*answers, *cells]))
    assert secret
    held: list[object] = []
    for site, answer in zip("ab", answers, strict=True):
        _, out, _ = run(capsys, "query", folder, f"site={site}", "sick=s1", "--json")
        held.append(json.loads(out))
        low, high = answer.ends
        found = held[-1]
        assert (found["estimate"], found["low"], found["high"], found["variance"]) == (None, low, high, None)
        assert found["share"] == {"estimate": None, "low": low / answer.n_p, "high": high / answer.n_p}
    asked = tmp_path / "asked.csv"
    asked.write_text("site,sick\na,s1\nb,s1\n", encoding="utf-8")
    cross = ["crosstab", folder, "--by", "site"]
    held.append(json.loads(run(capsys, *cross, "--json")[1]))
    for ending in ("csv", "xlsx"):
        assert run(capsys, "queries", folder, asked, "--out", tmp_path / f"answers.{ending}")[0] == 0
        assert run(capsys, *cross, "--out", tmp_path / f"cells.{ending}")[0] == 0
    for name in ("answers", "cells"):
        sheets = {"csv": pd.read_csv(tmp_path / f"{name}.csv")}
        sheets |= pd.read_excel(tmp_path / f"{name}.xlsx", sheet_name=None, engine="calamine")
        for sheet in sheets.values():
            held.append(json.loads(sheet.to_json(orient="values", double_precision=12)))
            if "badge" in sheet:
                small = sheet[sheet["badge"] == "protected"]
                assert len(small) == (2 if name == "answers" else 14)
                assert small["estimate"].isna().all()
    assert not {round(figure, 6) for figure in _figures(held)} & secret


@pytest.mark.parametrize("method", ["unbiased", "bayes", "as-published"])
def test_a_cross_table_is_answered_by_any_estimator(folder, capsys, method):
    asked = Wanted((Side("city"),), "ward", (), Method.named(method))
    reader = Reader(read_release(folder).published)
    grid = compute(reader, asked, Silent())
    found = grid.numbers("estimate")
    assert found.sum(axis=0) == pytest.approx([total.estimate for total in grid.totals], abs=0.5)
    if method == "unbiased":  # a fit would bias it: every cell is the answer to its question
        single = reader.answers([answer.conditions for answer in grid.answers.ravel()], asked.method)
        assert found.ravel() == pytest.approx([answer.estimate for answer in single])
    else:
        assert found.sum(axis=1) == pytest.approx([line.published for line in grid.lines])
    status, out, _ = run(capsys, "crosstab", folder, "--by", "city", "--sa", "ward", "--method", method, "--json")
    made = json.loads(out)
    assert (status, made["method"], made["fitted"]) == (0, method, method != "unbiased")
    stated = [cell["estimate"] for line in made["lines"] for cell in line["cells"]]
    assert stated == pytest.approx([answer.stated[0] for answer in grid.answers.ravel()])


@pytest.mark.parametrize("where", [[], ["--where", "sex=f"]])
def test_a_cross_table_of_two_sensitive_columns_is_that_of_analyse(folder, capsys, tmp_path, where):
    cross = ["crosstab", folder, "--by", "ward", "--sa", "disease", *where]
    made = json.loads(run(capsys, *cross, "--json")[1])
    parts = json.loads(run(capsys, "analyse", folder, "crosstab", "ward", "disease", *where, "--json")[1])["parts"]
    expected = {tuple(part["values"]): part for part in parts.values()}
    reader = Reader(read_release(folder).published)
    within = [Condition("sex", ("f",))] if where else []
    assert (made["method"], made["records"]) == ("unbiased", true_count(TABLE, sex="f") if where else TABLE.n)
    stated = 0
    for line in made["lines"]:
        for value, cell in zip(made["values"], line["cells"], strict=True):
            part = expected[line["values"][0], value]
            asked = [*within, Condition("ward", (line["values"][0],)), Condition("disease", (value,))]
            assert cell["published"] == reader.answer(asked).published
            assert cell["low"] <= max(part["low"], 0)
            assert cell["high"] >= part["high"]
            assert (cell["estimate"] is None) == (cell["badge"] == "protected")
            if cell["estimate"] is not None:
                stated += 1
                assert cell["estimate"] == pytest.approx(part["estimate"])
    assert stated
    for value, total in zip(made["values"], made["totals"], strict=True):
        if total["badge"] != "protected":
            assert total["estimate"] == pytest.approx(expected[None, value]["estimate"])
    for ending in ("csv", "xlsx"):
        assert run(capsys, *cross, "--out", tmp_path / f"cells.{ending}")[0] == 0
    status, out, _ = run(capsys, *cross)
    assert (status, "Trust: " in out) == (0, True)


def test_what_the_release_does_not_tell_is_no_interval(tmp_path, capsys):
    """Two values of half of the records each: in groups of two a record shows either, whatever its own is."""
    told, half = dependent_table(400), np.repeat(["a", "b"], 200)
    write_release(release(table_of({"s": half, "w": np.arange(400) % 4}), {"s": 2}), tmp_path / "half")
    write_release(release(told, {"disease": 2}), tmp_path / "told")
    (tmp_path / "half.csv").write_text("w,s\n1,a\n1,\n", encoding="utf-8")
    _, out, _ = run(capsys, "query", tmp_path / "half", "w=1", "s=a", "--json")
    answer = json.loads(out)
    assert (answer["low"], answer["high"], answer["variance"]) == (0, 100, None)
    assert answer["interval_by"] == "possible"
    assert answer["badge_text"] == "uncertain: the release does not tell this count, only which are possible"
    _, out, _ = run(capsys, "query", tmp_path / "half", "w=1", "s=a")
    assert "Possible" in out
    assert "95 %" not in out
    status, _, _ = run(capsys, "queries", tmp_path / "half", tmp_path / "half.csv", "--out", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        by = [row["interval_by"] for row in csv.DictReader(file)]
    assert status == 0
    assert by == ["possible", "theory"], "all of w = 1 are counted"
    cross = ("crosstab", tmp_path / "half", "--by", "w", "--sa", "s")
    _, out, _ = run(capsys, *cross, "--json")
    assert {cell["interval_by"] for line in json.loads(out)["lines"] for cell in line["cells"]} == {"possible"}
    assert run(capsys, *cross, "--out", tmp_path / "cells.csv")[0] == 0
    assert set(pd.read_csv(tmp_path / "cells.csv")["interval_by"]) == {"possible"}
    figures = ("analyse", tmp_path / "half", "crosstab", "w", "s")
    _, out, _ = run(capsys, *figures, "--json", "--out", tmp_path / "figures.csv")
    parts = json.loads(out)["parts"]
    assert {parts[f"{w} | {s}"]["interval_by"] for w in range(4) for s in "ab"} == {"possible"}
    assert parts["1 | (all)"]["interval_by"] == "theory"
    assert "possible" in set(pd.read_csv(tmp_path / "figures.csv")["interval_by"])
    _, out, _ = run(capsys, *figures)
    assert any(line.endswith("  possible") for line in out.splitlines())
    assert "(possible: 0 to 100)" in repr(kit().Release(tmp_path / "half").count(["w=1", "s=a"]))
    _, out, _ = run(capsys, "query", tmp_path / "told", "disease=d1", "sex=f", "--json")
    assert json.loads(out)["interval_by"] == "theory"
