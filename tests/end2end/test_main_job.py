"""The main job by command line, on real tables: publish, compare with the source, ask.

Releases draw from the tests' seeded bits; each bound is missed by chance at most once in 10,000 seeds.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from splu_desktop.files.disk.digests import file_sha256
from splu_desktop.files.release.reading import open_release
from tests.end2end.hospital import Splu
from tests.optional import real

REAL = [("adult.csv.gz", "occupation", "gender,education", 5), ("census_workers.csv.gz", "Occupation", "Gender", 3)]
AWKWARD = ("flu", "HIV", "=cmd|' /C calc'!A0", "- 50000.", "Ménière, type “1”", "?", "back\npain", "007", "x")
ACCEPTED = ("--person", "none", "--accept-all", "A test of the main job")


@pytest.fixture
def splu(capsys: pytest.CaptureFixture[str]) -> Splu:
    return Splu(capsys)


def as_text(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)


def sorted_rows(frame: pd.DataFrame) -> np.ndarray:
    return frame.sort_values(list(frame.columns), ignore_index=True).to_numpy()


@pytest.mark.parametrize(("name", "sa", "nsa", "gamma"), REAL)
def test_real_tables(splu: Splu, name: str, sa: str, nsa: str, gamma: int, tmp_path: Path) -> None:
    source, out = real(name), tmp_path / "release"
    original = as_text(source)
    rest = ",".join(column for column in original.columns if column not in (sa, *nsa.split(",")))
    told = splu.json(
        "publish", source, "--sa", sa, "--nsa", nsa, "--drop", rest, "--gamma", gamma, "--out", out, *ACCEPTED
    )
    published = as_text(out / "table.csv")
    assert len(published) == len(original) == told["rows"], "no row is lost"
    unchanged = nsa.split(",")
    assert np.array_equal(sorted_rows(published[unchanged]), sorted_rows(original[unchanged])), "unchanged columns stay"

    true = original[sa].replace("?", "").value_counts()  # a question mark is no value
    seen = published[sa].value_counts()
    assert set(seen.index) <= set(true.index)
    f = true.to_numpy()
    off = seen.reindex(true.index, fill_value=0).to_numpy() - f
    spread = np.sqrt(f * (1 - 1 / gamma**2))
    assert (np.abs(off) <= 5 * spread + 4).all(), "each value's count follows its law"

    facts = open_release(out).facts
    table = next(each for each in facts["files"] if each["name"] == "table.csv")
    assert table["sha256"] == file_sha256(out / "table.csv")
    top = str(true.index[0])
    answer = splu.json("query", out, f"{sa}={top}")
    assert answer["published"] == seen[top]
    assert answer["low"] <= answer["estimate"] <= answer["high"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV of 2,000 patients with awkward text in it."""
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("small") / "patients.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient no", "age", "ward, floor", "illness"])
        for number in range(2_000):
            age, ward, illness = rng.integers(0, 100), rng.choice(["A,1", 'B"2', "C"]), rng.choice(AWKWARD)
            writer.writerow([f"P{number:06d}", age, ward, illness])
    return path


@pytest.fixture
def release(splu: Splu, small: Path, tmp_path: Path) -> Path:
    roles = ("--sa", "illness", "--nsa", "age,ward, floor", "--identifier", "patient no", "--gamma", 4)
    assert splu("publish", small, *roles, "--out", tmp_path / "r", *ACCEPTED) == 0, splu.err
    return tmp_path / "r"


def test_text_survives_to_the_letter_and_runs_nowhere(small: Path, release: Path) -> None:
    original, published = as_text(small), as_text(release / "table.csv")
    assert "patient no" not in published, "the identifier is left out"
    nsas = ["age", "ward, floor"]
    assert np.array_equal(sorted_rows(published[nsas]), sorted_rows(original[nsas]))
    assert "'=cmd|' /C calc'!A0" in set(published["illness"]), "a formula is handed out inert"
    opened = open_release(release).published.table["illness"]
    assert {*opened.labels, "?"} == {*AWKWARD, ""}, "and reads back as it was; a question mark is no value"


def test_questions_in_all_forms_count_what_is_published(splu: Splu, release: Path, tmp_path: Path) -> None:
    published = as_text(release / "table.csv")
    age, illness, ward = published["age"].astype(int), published["illness"], published["ward, floor"]
    for conditions, mask in (
        (["illness=flu|x"], illness.isin(["flu", "x"])),
        (["illness=flu", "age=30..39"], (illness == "flu") & age.between(30, 39)),
        (["illness=007", "ward, floor=A,1"], (illness == "007") & (ward == "A,1")),
        (["age=41"], age == 41),
    ):
        for method in ("shrunk", "unbiased", "as-published"):
            answer = splu.json("query", release, *conditions, "--method", method)
            assert answer["published"] == int(mask.sum())
            assert 0 <= answer["low"] <= answer["high"] <= len(published)
    questions = tmp_path / "questions.csv"
    questions.write_text('illness,age,"ward, floor"\nflu,30..39,\n,,C\nx|flu,,"A,1"\n', encoding="utf-8")
    assert splu("queries", release, questions, "--out", tmp_path / "answers.csv") == 0
    answers = pd.read_csv(tmp_path / "answers.csv", encoding="utf-8-sig")
    inside = [(illness == "flu") & age.between(30, 39), ward == "C", illness.isin(["x", "flu"]) & (ward == "A,1")]
    assert answers["published"].tolist() == [int(each.sum()) for each in inside]


def test_an_existing_folder_is_never_touched(splu: Splu, small: Path, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r/mine").write_text("x")
    assert splu("publish", small, "--out", tmp_path / "r") == 2
    assert [path.name for path in (tmp_path / "r").iterdir()] == ["mine"]
