"""Files of questions as people send them: every one is read for what it says, or refused naming row and column."""

from __future__ import annotations

import csv
import datetime
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Badge, Reader
from splu_desktop.core.table import Kind
from splu_desktop.files.disk.inert import restored
from splu_desktop.files.disk.whole import CannotWrite
from splu_desktop.files.questions.batch import (
    ANSWER_COLUMNS,
    BadQuestions,
    Questions,
    check_answers_path,
    read_questions,
    write_answers,
)
from splu_desktop.files.release.folder import read_release
from tests.core.published_tables import release, table_of
from tests.files.releases import awkward_release
from tests.written import write_release

pytestmark = pytest.mark.usefixtures("readers_here")

N = 400
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = np.arange(N)
    table = table_of(
        {
            "age": at % 50,
            "day": np.datetime64("2024-01-01") + at % 60,
            "name; of, ward": np.where(at % 2, "left", "right"),
            "code": np.where(at % 3, "=one", "C|d"),
            "illness": np.array(["=none", "C|d", "flu", "cold"])[at % 4],
        },
        {"age": Kind.INTEGER, "day": Kind.DATE},
    )
    path = tmp_path_factory.mktemp("questions") / "release"
    write_release(release(table, {"illness": 3}), path)
    return path


@pytest.fixture(scope="module")
def published(folder: Path) -> Published:
    return read_release(folder).published


def read(tmp_path: Path, content: str | bytes, published: Published) -> Questions:
    path = tmp_path / "asked.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_questions(path, published)


@pytest.mark.parametrize(
    "content",
    [
        "age,illness\n7,flu\n",
        "\ufeffage;illness\r\n7;flu\r\n",
        "age\tillness\n7\tflu\n",
        "sep=;\nage;illness\n7;flu\n",
        "age,illness\n7,flu\n".encode("utf-16"),
        "age,illness,\n7,flu,\n",  # a trailing comma is no column
        "age,illness\n7,flu,\n",
        ",age,illness\n,7,flu\n",
        "age,illness\r7,flu\r\r",
        "age,illness\n7,flu\n\n\n",
    ],
)
def test_one_question_in_every_dialect(tmp_path: Path, published: Published, content: str | bytes) -> None:
    questions = read(tmp_path, content, published)
    assert (questions.header, questions.cells) == (("age", "illness"), (("7", "flu"),))


def test_a_name_may_hold_the_delimiters(tmp_path: Path, published: Published) -> None:
    for content in (
        "name; of, ward\nleft\n".replace("name; of, ward", '"name; of, ward"'),
        '"name; of, ward";age\nleft;7\n',
        '"name; of, ward",age\nleft,7\n',
        "name; of, ward\tage\nleft\t7\n",
    ):
        assert read(tmp_path, content, published).header[0] == "name; of, ward"


def test_a_workbook_is_read_by_its_cells(tmp_path: Path, published: Published) -> None:
    asked = pd.DataFrame(
        {
            "age": [7, None, "30..39"],
            "day": [datetime.date(2024, 1, 8), None, "2024-02"],
            "illness": ["flu", None, "C|d"],
        }
    )
    asked.to_excel(tmp_path / "asked.xlsx", index=False)
    (tmp_path / "asked.xlsx").rename(tmp_path / "asked.csv")  # known by its content
    questions = read_questions(tmp_path / "asked.csv", published)
    assert questions.cells[0] == ("7", "2024-01-08", "flu")
    assert questions.cells[-1] == ("30..39", "2024-02", "C|d")
    answers = questions.answered(Reader(published))
    write_answers(questions, answers, "r1", tmp_path / "answers.xlsx")
    back = pd.read_excel(tmp_path / "answers.xlsx", engine="calamine")
    stated = [np.nan if answer.badge is Badge.PROTECTED else answer.estimate for answer in answers]
    assert back["estimate"].tolist() == pytest.approx(stated, nan_ok=True)
    assert back["published"].tolist() == [answer.published for answer in answers]


def test_a_cell_that_failed_is_not_taken_for_no_condition(tmp_path: Path, published: Published) -> None:
    book = openpyxl.Workbook()
    book.active.append(["age", "illness"])
    book.active.append([7, "=A1&A9"])  # a formula without a stored result reads as an empty cell
    book.save(tmp_path / "asked.xlsx")
    with pytest.raises(BadQuestions, match=r"row 2: the cell in column 2 .* formula without a result"):
        read_questions(tmp_path / "asked.xlsx", published)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("age,illness\n7,flu\nx,flu\n8,flu\n8,flu,3\n9..1,flu\n", ["row 3", "“age”", "“x”", "2 more", "rows 5, 6"]),
        ("age\n7\nx\n", ["row 3", "“x”"]),
        (",age\n0,7\n1,8\n", ["row 2", "“0”", "column 1", "no name"]),
        ('age,illness\n7,flu\n"8,flu\n9,flu\n', ["from line 3 on", "quotation marks"]),
        ("age\n" + "7\n" * 40 + "x\n" * 40, ["row 42", "39 more", "rows 43, 44", "54, …"]),
        (",sex\n0,f\n", ["row 1", "“sex”"]),  # what is no question at all is told by the name that no release has
        ("name; of, ward,age\nleft,7\n", ["row 1", "no column"]),
    ],
)
def test_what_can_not_be_understood_is_named_with_all_its_rows(
    tmp_path: Path, published: Published, content: str, parts: list[str]
) -> None:
    with pytest.raises(BadQuestions) as fault:
        read(tmp_path, content, published)
    message = str(fault.value)
    assert all(part in message for part in parts), message
    assert "\n" not in message


def test_known_values_beside_a_vanished_one_are_counted(tmp_path: Path, published: Published) -> None:
    """A label with a bar in it fell apart where another value of the cell had vanished."""
    questions = read(tmp_path, "illness\nC|d\nC|d|gone\ngone\n'=none\n=none|gone\n", published)
    alone, beside, gone, guarded, formula = questions.answered(Reader(published))
    assert beside.published == alone.published > 0
    assert (alone.vanished, beside.vanished, gone.vanished) == (False, True, True)
    assert gone.published == 0
    # As table.csv writes it, where a spreadsheet would run it otherwise.
    assert guarded.published == formula.published > 0
    assert not guarded.vanished


def test_another_program_counts_the_same_in_the_published_table(tmp_path: Path) -> None:
    """300 questions at random over awkward labels, numbers and dates, counted by pandas from table.csv."""
    write_release(awkward_release(), tmp_path / "release")
    table = pd.read_csv(tmp_path / "release" / "table.csv", dtype=str, keep_default_na=False)
    table = table.rename(columns=restored).map(restored)
    published = read_release(tmp_path / "release").published
    chance = np.random.default_rng(4)
    rows, truth = [], []
    for _ in range(300):
        row, meets = dict.fromkeys(table.columns, ""), np.ones(len(table), bool)
        for name in chance.choice(table.columns, chance.integers(1, 4), replace=False):
            column = published.table[name]
            labels = [label for label in column.labels[~column.missing].tolist() if label == label.strip()]
            low, high = sorted(chance.choice(len(labels), 2, replace=False))
            if column.kind in (Kind.DATE, Kind.DATETIME) and chance.random() < 0.3:
                row[name] = labels[low][:7]  # a month
                meets &= table[name].str.startswith(row[name])
            elif column.kind.ordered and chance.random() < 0.6:
                row[name] = f"{labels[low]}..{labels[high]}"
                meets &= table[name].isin(labels[low : high + 1])
            elif column.missing.any() and chance.random() < 0.2:
                row[name] = "(empty)"
                meets &= table[name].isin(column.labels[column.missing].tolist())
            else:
                row[name] = labels[low]
                meets &= table[name] == labels[low]
        rows.append(row)
        truth.append(int(meets.sum()))
    pd.DataFrame(rows).to_csv(tmp_path / "asked.csv", index=False, sep=";")
    answers = read_questions(tmp_path / "asked.csv", published).answered(Reader(published))
    assert [answer.published for answer in answers] == truth
    assert sum(truth) > 0


def test_a_slip_is_not_taken_for_a_value_that_vanished(tmp_path: Path) -> None:
    """Of numbers and intervals it is known how a value looks; what looks otherwise would be counted as 0."""
    at = np.arange(N)
    table = table_of(
        {
            "ward": at % 3,
            "score": at % 8,
            "age": np.array(["below 20", "20 to 39", "40 to 59", "60 and more"])[at % 4],
        },
        {"score": Kind.INTEGER},
    )
    published = release(table, {"score": 3, "age": 2})
    reader = Reader(published)
    for column, gone, slips in (
        ("score", "12", ["twelve", "1,200", "3 - 5"]),
        ("age", "70 to 79", ["25", "older", "4O to 59"]),
    ):
        (answer,) = read(tmp_path, f'{column}\n"{gone}"\n', published).answered(reader)
        assert (answer.published, answer.vanished) == (0, True)
        for slip in slips:
            with pytest.raises(BadQuestions, match=f"row 2, column “{column}”"):
                read(tmp_path, f'{column}\n"{slip}"\n', published)
    with pytest.raises(BadQuestions, match="25 lies in “20 to 39”"):
        read(tmp_path, "age\n25\n", published)


def test_answers_never_replace_a_file_of_the_release(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(CannotWrite, match="a file of the release itself"):
        check_answers_path(folder / "table.csv", overwrite=True, release=folder)
    with pytest.raises(CannotWrite, match="a file of the release itself"):
        check_answers_path(folder / "table.csv", overwrite=True, release=folder / "release.json")
    check_answers_path(folder / "answers.csv", overwrite=False, release=folder)
    with pytest.raises(CannotWrite, match="a file of the release itself"):
        check_answers_path(folder / "dictionary.csv", overwrite=True, release=folder)
    (tmp_path / "table.csv").write_text("mine")
    check_answers_path(tmp_path / "table.csv", overwrite=True, release=folder)
    with pytest.raises(CannotWrite, match=r"must end in \.csv or \.xlsx"):
        check_answers_path(tmp_path / "answers.xls", overwrite=True)
    with pytest.raises(CannotWrite, match="can't be written"):
        check_answers_path(tmp_path / ("long" * 100), overwrite=True, release=folder)


def test_what_no_workbook_holds_is_refused_whole(tmp_path: Path, published: Published) -> None:
    questions = read(tmp_path, "illness\n" + "x" * 40_000 + "\n", published)
    answers = questions.answered(Reader(published))
    with pytest.raises(CannotWrite, match="save as CSV"):
        write_answers(questions, answers, "r1", tmp_path / "answers.xlsx")
    write_answers(questions, answers, "r1", tmp_path / "answers.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.csv", "asked.csv"]
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        assert [len(row) for row in csv.reader(file)] == [1 + len(ANSWER_COLUMNS)] * 2


@pytest.mark.skipif(importlib.util.find_spec("resource") is None, reason="the system sets no limits on files")
def test_a_workbook_that_finds_no_room_is_a_sentence_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    """The library panics, past every `except Exception`, and writes to the error output by itself."""
    program = f"""
import resource, sys
from pathlib import Path
from splu_desktop.core.progress import Silent
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.files.disk.whole import CannotWrite
rows = [(str(i) * 20, float(i)) for i in range(20_000)]
resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))
try:
    write_sheets([Sheet("Answers", ("text", "number"), rows)], Path({str(tmp_path / "out.xlsx")!r}), Silent())
except CannotWrite as fault:
    sys.exit(0 if "file too large" in str(fault) else 3)
sys.exit(4)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []
