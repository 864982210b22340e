"""Files of questions: answers stand in the order of the questions, faults in their rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from splu_desktop.core.answer.analyses import Analysis, analyse
from splu_desktop.core.answer.crosstab import crosstab
from splu_desktop.core.answer.reader import Reader
from splu_desktop.files.disk.whole_files import CannotWrite
from splu_desktop.files.questions.batch import read_questions, write_answers
from splu_desktop.files.questions.results import write_cells, write_result
from splu_desktop.files.questions.rows import BadQuestions
from splu_desktop.files.release.reading import OpenRelease, check_answers_path
from tests.files.releases import released, ward_plan, ward_table


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    table = ward_table(600)
    return released(table, ward_plan(table), tmp_path_factory.mktemp("ward") / "stays")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_answers_stand_beside_their_questions(ward: OpenRelease, tmp_path: Path, mark: str, ending: str) -> None:
    asked = tmp_path / "q.csv"
    asked.write_text(f"sex{mark}dx\nf{mark}yes\n{mark}yes\n{mark}a rare one\n", encoding="utf-8")
    questions = read_questions(asked, ward.published)
    answers = questions.answers(Reader(ward.published))
    out = tmp_path / f"a.{ending}"
    write_answers(questions, answers, ward.id, out)
    read = pd.read_csv(out) if ending == "csv" else pd.read_excel(out, engine="calamine")
    assert list(read["estimate"]) == pytest.approx([answer.estimate for answer in answers])
    assert ((read["low_alike"] <= read["low"]) & (read["high"] <= read["high_alike"])).all()
    assert set(read["release"]) == {ward.id}


def test_a_blank_line_asks_of_all_rows_where_a_file_has_one_column_alone(ward: OpenRelease, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("dx\nyes\n\nyes\n", encoding="utf-8")
    assert [len(asked) for asked in read_questions(tmp_path / "q.csv", ward.published).conditions] == [1, 0, 1]
    (tmp_path / "q.csv").write_text("sex,dx\nf,yes\n\nm,yes\n", encoding="utf-8")
    assert [len(asked) for asked in read_questions(tmp_path / "q.csv", ward.published).conditions] == [2, 2]


def test_a_question_that_is_none_says_why_in_its_row(ward: OpenRelease, tmp_path: Path) -> None:
    asked = tmp_path / "q.csv"
    asked.write_text("sex,dx\nf,yes\nx,yes\n", encoding="utf-8")
    with pytest.raises(BadQuestions, match="row 3"):
        read_questions(asked, ward.published)
    questions = read_questions(asked, ward.published, strict=False)
    write_answers(questions, questions.answers(Reader(ward.published)), ward.id, tmp_path / "a.csv")
    read = pd.read_csv(tmp_path / "a.csv")
    assert "sex" in read["note"][1]
    assert pd.isna(read["estimate"][1])


@pytest.mark.parametrize(
    ("text", "match"),
    [("", "empty"), ("sex,sax\nf,m\n", "sax"), ("sex,sex\nf,m\n", "twice"), ("sex,dx\nf,yes,7\n", "no column")],
)
def test_a_header_that_is_none_gets_a_sentence(ward: OpenRelease, tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "q.csv").write_text(text, encoding="utf-8")
    with pytest.raises(BadQuestions, match=match):
        read_questions(tmp_path / "q.csv", ward.published)


def test_nothing_is_written_into_a_release(ward: OpenRelease, tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="release"):
        check_answers_path(ward.path / "answers.csv", overwrite=True, release=ward.path)
    with pytest.raises(CannotWrite, match="end in"):
        check_answers_path(tmp_path / "answers.txt", overwrite=True)


def test_tables_and_results_go_to_files(ward: OpenRelease, tmp_path: Path) -> None:
    reader = Reader(ward.published)
    table = crosstab(reader, ["sex"], "dx")
    write_cells(table, ward.id, tmp_path / "t.xlsx")
    cells = pd.read_excel(tmp_path / "t.xlsx", sheet_name="Cells", engine="calamine")
    assert len(cells) == table.estimate.size
    result = analyse(reader, Analysis("linear", "los", covariates=("sex",)))
    write_result(result, ward.id, tmp_path / "r.csv")
    assert list(pd.read_csv(tmp_path / "r.csv")["figure"]) == [each.name for each in result.estimates]
