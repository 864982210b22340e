"""The main job by command line, on real tables: publish, compare with the source, query.

Statistical bounds: each test fails by chance at most once in 10,000 runs; releases use the operating system's
randomness here, since that is what a user gets.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from splu_desktop.cli import main
from splu_desktop.files.disk.in_blocks import file_sha256
from splu_desktop.files.release.folder import read_release
from tests.optional import real

REAL = [
    ("adult.csv.gz", "occupation", 5),
    ("census_workers.csv.gz", "Occupation", 5),
    ("census_workers.csv.gz", "Occupation", 10),
    ("diabetes130.csv.gz", "diag_1", 9),
]


def splu(*words: object) -> int:
    return main([str(word) for word in words])


def as_text(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)


def sorted_rows(frame: pd.DataFrame) -> np.ndarray:
    return frame.sort_values(list(frame.columns), ignore_index=True).to_numpy()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV of 2,000 patients with awkward text in it."""
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("small") / "patients.csv"
    illnesses = [
        "flu",
        "asthma",
        "HIV",
        "=cmd|' /C calc'!A0",
        "- 50000.",
        "Ménière, type “1”",
        "?",
        "back\npain",
        "007",
        "x",
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient no", "age", "ward, floor", "illness"])
        for number in range(2_000):
            writer.writerow(
                [f"P{number:06d}", rng.integers(0, 100), rng.choice(["A,1", 'B"2', "C"]), rng.choice(illnesses)]
            )
    return path


@pytest.mark.parametrize(("name", "sa", "gamma"), REAL)
def test_real_tables(name: str, sa: str, gamma: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = real(name)
    out = tmp_path / "release"
    assert splu("publish", source, "--sa", sa, "--gamma", gamma, "--out", out, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    original, published = as_text(source), as_text(out / "table.csv")
    assert len(published) == len(original) == told["records"], "no record is lost"
    nsas = told["roles"]["nsa"]
    assert list(published.columns) == [c for c in original.columns if c in {*nsas, sa}]
    assert np.array_equal(sorted_rows(published[nsas]), sorted_rows(original[nsas])), "NSAs are unchanged as rows"

    true, seen = original[sa].value_counts(), published[sa].value_counts()
    assert set(seen.index) <= set(true.index)
    counts = true.to_numpy()
    published_counts = seen.reindex(true.index, fill_value=0).to_numpy()
    law = stats.binom(gamma * counts, 1 / gamma)  # groups of gamma + 1 bend it by less than 1 in 10,000 here
    p = 2 * np.minimum(law.cdf(published_counts), law.sf(published_counts - 1))
    assert p.min() > 1e-4 / len(counts), "each value's count follows its law"

    facts = json.loads((out / "release.json").read_text(encoding="utf-8"))
    assert facts["records"] == len(original)
    assert facts["gammas"] == {sa: gamma}
    assert facts["files"][0]["sha256"] == file_sha256(out / "table.csv")
    domain = next(column["domain"] for column in facts["columns"] if column["name"] == sa)
    assert set(domain) == set(seen.index), "the domain is the published one"
    top = str(true.index[0])
    assert splu("query", out, f"{sa}={top}", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["published"] == seen[top]
    assert answer["low"] <= answer["estimate"] <= answer["high"]


def test_text_survives_to_the_letter(small: Path, tmp_path: Path) -> None:
    assert splu("publish", small, "--sa", "illness:4", "--out", tmp_path / "r") == 0
    original, published = as_text(small), as_text(tmp_path / "r" / "table.csv")
    assert list(published.columns) == ["age", "ward, floor", "illness"], "the identifier is left out"
    nsas = ["age", "ward, floor"]
    assert np.array_equal(sorted_rows(published[nsas]), sorted_rows(original[nsas]))
    assert "'=cmd|' /C calc'!A0" in set(published["illness"]), "a formula is handed out inert"
    opened = read_release(tmp_path / "r").published.table["illness"]
    assert set(opened.labels) == set(original["illness"]), "and reads back as it was"


def test_queries_in_all_forms(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert splu("publish", small, "--sa", "illness:4", "--out", tmp_path / "r") == 0
    published = as_text(tmp_path / "r" / "table.csv")
    age = published["age"].astype(int)
    cases: list[tuple[list[str], Any]] = [
        (["illness=flu"], published["illness"] == "flu"),
        (["illness=flu|asthma"], published["illness"].isin(["flu", "asthma"])),
        (["illness=flu", "age=30..39"], (published["illness"] == "flu") & age.between(30, 39)),
        (["illness=007", "ward, floor=A,1"], (published["illness"] == "007") & (published["ward, floor"] == "A,1")),
        (["age=41"], age == 41),
    ]
    for conditions, mask in cases:
        for method in ("unbiased", "shrunk", "bayes", "as-published"):
            capsys.readouterr()
            assert splu("query", tmp_path / "r", *conditions, "--method", method, "--json") == 0
            answer = json.loads(capsys.readouterr().out)
            assert answer["published"] == int(mask.sum())
            assert answer["method"] == method or answer["exact"]
            assert 0 <= answer["low"] <= answer["high"] <= len(published)

    questions = tmp_path / "questions.csv"
    questions.write_text('illness,age,"ward, floor"\nflu,30..39,\n,,C\nasthma|flu,,"A,1"\n', encoding="utf-8")
    assert splu("queries", tmp_path / "r", questions, "--out", tmp_path / "answers.csv") == 0
    answers = as_text(tmp_path / "answers.csv")
    assert {"published", "estimate", "low", "high"} <= set(answers.columns)
    expected = [
        ((published["illness"] == "flu") & age.between(30, 39)).sum(),
        (published["ward, floor"] == "C").sum(),
        (published["illness"].isin(["asthma", "flu"]) & (published["ward, floor"] == "A,1")).sum(),
    ]
    assert answers["published"].astype(int).tolist() == expected


REFUSED = [
    # Without fake values, which need decoy groups, a joined draw would serve both.
    (["--sa", "illness:12", "--fakes", "illness=1"], "flu.*illness.*fills.*fewer fake values"),
    (["--sa", "illness:1"], "gamma.*1.*2 or more"),
    (["--sa", "illness", "--gamma", "11", "--fakes", "illness=1"], "12 different values"),
    (["--sa", "disease"], "no column “disease”"),
    (["--sa", "illness:4", "--drop", "nothing"], "no column “nothing”"),
    (["--sa", "illness:four"], "whole number"),
    (["--sa", "illness:4", "--nsa", "illness"], "two roles"),
    (["--sa", "illness:4", "--format", "docx"], "docx"),
    ([], "No sensitive column"),
]


@pytest.mark.parametrize(("options", "sentence"), REFUSED)
def test_refusals_write_nothing(
    small: Path, tmp_path: Path, options: list[str], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    import re

    if not options:  # with nothing marked, the suggestion may mark a column; forbid that
        options = ["--nsa", "illness"]
    assert splu("publish", small, *options, "--out", tmp_path / "r") == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert re.search(sentence, err), err
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_never_touched(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r").mkdir()
    assert splu("publish", small, "--sa", "illness:4", "--out", tmp_path / "r") == 2
    assert "exists already" in capsys.readouterr().err
    assert list((tmp_path / "r").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"a,b\n"])
def test_an_empty_file(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.csv").write_bytes(content)
    assert splu("publish", tmp_path / "empty.csv", "--sa", "a", "--out", tmp_path / "r") == 2
    assert "empty.csv" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_the_command_line_never_imports_qt(small: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from splu_desktop.cli import main\n"
        f"assert main(['publish', {str(small)!r}, '--sa', 'illness:4', '--out', {str(tmp_path / 'r')!r}, "
        "'--format', 'xlsx']) == 0\n"
        f"assert main(['query', {str(tmp_path / 'r')!r}, 'illness=flu']) == 0\n"
        "assert main(['guarantee', '--gamma', '5', '--epsilon', '0.3', '--t-e', '0.05', '--alpha', '3']) == 0\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('PySide6', 'shiboken6', 'pyqtgraph', 'socket', 'ssl')]\n"
        "assert not [m for m in bad if m not in ('socket',)], bad\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=Path(__file__).parents[2])


def test_an_unforeseen_fault_shows_no_traceback_and_no_value(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from splu_desktop.core import sanitise

    def broken(*args: object, **kwargs: object) -> None:
        raise ValueError("could not convert string to float: 'HIV'")

    monkeypatch.setattr(sanitise, "permutation", broken)
    assert splu("publish", small, "--sa", "illness:4", "--out", tmp_path / "r") == 1
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "HIV" not in err
    assert "ValueError in core/sanitise.py" in err
    assert list(tmp_path.iterdir()) == []


def test_blank_lines_are_counted_aloud(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{'abcd'[i % 4]}" if i % 5 else "" for i in range(100)]
    (tmp_path / "one.csv").write_text("illness\n" + "\n".join(lines) + "\nend\n", encoding="utf-8")
    assert splu("publish", tmp_path / "one.csv", "--sa", "illness:3", "--out", tmp_path / "r", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["records"] == 81
    assert any("20 blank rows" in note for note in told["notes"])


def test_a_header_of_two_rows_is_told_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"{i},{20 + i},{1.5 * i}\n" for i in range(9))
    path.write_text("Patient,,Blood\nNo,Age,Sodium\n" + rows, "utf-8")
    assert main(["inspect", str(path), "--header-row", "2", "--header-rows", "2"]) == 0
    assert "header in rows 1 to 2;" in capsys.readouterr().out
    assert main(["inspect", str(path), "--header-row", "2"]) == 0
    assert "header in row 2;" in capsys.readouterr().out
