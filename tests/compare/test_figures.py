"""The papers' figures: the command runs on small tables, known values come out, and the document is what it writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers.__main__ import main
from benchmarks.papers.document import BEGIN, END, sections, with_sections
from benchmarks.papers.register import FIGURES
from benchmarks.papers.tables import CENSUS, SMALL, Tables, pool

DOCUMENT = Path(__file__).parents[2] / "docs/papers.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of workers as small as it can be."""
    made, chance = tmp_path_factory.mktemp("tables"), np.random.default_rng(4)
    jobs = chance.integers(0, 14, 2_000)
    columns = {name: (jobs + chance.integers(0, 4, len(jobs))) % (at + 3) for at, name in enumerate(CENSUS)}
    with (made / "census_workers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "Occupation"])
        writer.writerows(
            [*(f"{name}{code}" for name, code in zip(columns, row, strict=False)), f"job{row[-1]}"]
            for row in zip(*columns.values(), jobs, strict=True)
        )
    return made


def test_the_command_draws_what_it_is_asked_for_and_says_known_numbers(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["journal-4", "journal-5", "journal-8", "arxiv-1", "arxiv-2", "partition"]
    document = tmp_path / "papers.md"
    document.write_text(f"# Before\n\n{BEGIN}\n{END}\n\nAfter\n", "utf-8")
    main(
        [*names, "--out", str(tmp_path / "out"), "--data", str(folder), "--effort", "0.05", "--document", str(document)]
    )
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *(f"{name}.svg" for name in names),
        "figures.json",
        "figures.md",
    }
    data = json.loads((tmp_path / "out/figures.json").read_text("utf-8"))
    for name in names:
        assert (tmp_path / f"out/{name}.svg").read_text("utf-8").startswith("<svg")
        assert {each["theirs"] for each in data[name]["curves"]} == {True, False}
    written = sections(document.read_text("utf-8"))
    assert list(written) == names
    # mechanism.md section 3: printed T_f, how many fail there, the exact one; T_P; the papers' worked examples.
    for name, numbers in {
        "journal-4": ("printed 4.7, where 48.0 % fail; right 41;", "printed 11.2, where 44.7 % fail; right 126"),
        "journal-5": ("T_P 0.6126", "50 %, 59 %, 61.3 % for alpha 3", "28.9 %, 40.2 %, 42.9 % for alpha 5"),
        "arxiv-1": ("its formula gives 111.8; right 12,201",),
        "arxiv-2": ("0.4801",),
        "partition": ("printed 1.3863", "sharp 0.6931"),
    }.items():
        for number in numbers:
            assert number in written[name]
    assert document.read_text("utf-8").endswith(f"{END}\n\nAfter\n")
    assert "journal-8: " in capsys.readouterr().out


def test_the_command_knows_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["journal-99", "--out", str(tmp_path)])
    assert "no figure journal-99" in capsys.readouterr().err


def test_questions_have_counts_of_their_band_and_four_at_most_are_of_one_selection(folder: Path) -> None:
    bands = (SMALL, (0.02, 0.05))
    tables = Tables(folder, 0.2)
    asked = pool(tables, tables.census(), bands)
    truth, n = asked.questions.truth, asked.questions.source.n
    assert (asked.band == 0).any()
    assert (asked.band == 1).any()
    assert ((truth[asked.band == 0] >= 1) & (truth[asked.band == 0] <= 10)).all()
    assert ((truth[asked.band == 1] >= 0.02 * n) & (truth[asked.band == 1] < 0.05 * n)).all()
    for band in (0, 1):
        assert np.bincount(asked.questions.row[asked.band == band]).max() <= 4


def test_the_document_is_what_the_command_writes() -> None:
    """Figures, claims, findings and verdicts as they are written; numbers are those of the last run."""
    text = DOCUMENT.read_text("utf-8")
    written = sections(text)
    assert list(written) == [figure.name for figure in FIGURES]
    assert with_sections(text, {}, tuple(written)) == text
    for figure in FIGURES:
        head, *lines = [line for line in written[figure.name].splitlines() if line]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[3:]]
        assert lines[0] == f"`{figure.name}`"
        assert [row[0] for row in rows] == list(figure.claims)
        assert all(row[1] for row in rows)
        held = [row[2] == "holds" for row in rows]
        assert {row[2] for row in rows} <= {"holds", "**does not hold**"}
        word = "holds" if all(held) else "holds with changes" if any(held) else "contradicted"
        assert head == f"### {figure.title}: {word}"
