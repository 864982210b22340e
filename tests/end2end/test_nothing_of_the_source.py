"""Nothing that is handed out tells what only the source knows: names, left-out values, order, place, person."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.canaries import kinds_in, told
from tests.end2end.hospital import Splu, hospital, write

ROLES = (
    *("--sa", "diagnosis,smoker", "--nsa", "sex,ward"),
    *("--drop", "age,canarycolumn", "--identifier", "patient_id,surname"),
)


@pytest.fixture
def splu(capsys: pytest.CaptureFixture[str]) -> Splu:
    return Splu(capsys)


def test_no_file_and_no_output_holds_a_canary(splu: Splu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Identifiers, columns left out, who published from where, and for which reasons lines were accepted."""
    for variable in ("USER", "LOGNAME"):
        monkeypatch.setenv(variable, "custodian-name")
    frame = hospital(800)
    frame["surname"] = [f"Canaryson{i:04}" for i in range(len(frame))]
    frame["canarycolumn"] = [f"left out {i % 7} canarynote" for i in range(len(frame))]
    (tmp_path / "secret-place").mkdir()
    source = write(frame, tmp_path / "secret-place/secret-source.csv")
    handed = tmp_path / "handed"
    handed.mkdir()
    words = ("--gamma", 3, "--person", "patient_id", "--accept-all", "reason of our own")
    written = ("--set", "xlsx", "--set", "operator=operator-name", "--out", handed / "r")
    assert splu("publish", source, *ROLES, *words, *written) == 0, splu.err
    said = splu.out + splu.err
    assert splu("handover", handed / "r", "--out", handed / "open.zip", "--no-password") == 0
    for ending in ("json", "html"):
        assert splu("report", handed / "r", "--out", handed / f"report.{ending}") == 0, splu.err
    canaries = {
        "identifier": ["P000001", "P000077", "P000799", "Canaryson0001", "Canaryson0500", "surname", "patient_id"],
        "left out": ["canarynote", "canarycolumn"],
        "place": ["secret-source", "secret-place", str(tmp_path)],
        "person": ["custodian-name", "operator-name", "reason of our own"],
    }
    assert told(handed)
    for path, content in told(handed):
        assert not kinds_in(content, canaries), path
    assert not kinds_in(said.encode(), {"value": ["P000001", "Canaryson", "canarynote"]})
    (workbook,) = (handed / "r").glob("*.xlsx")
    with zipfile.ZipFile(workbook) as book:
        assert {entry.date_time for entry in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"<dc:creator></dc:creator><cp:lastModifiedBy></cp:lastModifiedBy>" in book.read("docProps/core.xml")


def test_the_order_of_the_source_is_in_no_file(splu: Splu, tmp_path: Path) -> None:
    """Two sources of the same rows in other orders: domains and all else but the drawn cells come out alike."""
    frame = hospital(800)
    facts = []
    for at, order in enumerate((np.arange(800), np.random.default_rng(1).permutation(800))):
        source = write(frame.iloc[order], tmp_path / f"source{at}.csv")
        roles = ("--sa", "diagnosis", "--nsa", "sex,ward", "--drop", "age,smoker,patient_id", "--gamma", 3)
        out = tmp_path / f"r{at}"
        assert splu("publish", source, *roles, "--person", "none", "--accept-all", "a test of order",
                    "--set", "title=t", "--out", out) == 0  # fmt: skip
        table = pd.read_csv(out / "table.csv", dtype=str, keep_default_na=False)
        facts.append((table[["sex", "ward"]], (out / "dictionary.csv").read_text("utf-8-sig")))
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
    (one, first), (other, second) = facts
    assert one.value_counts().to_dict() == other.value_counts().to_dict()
    assert [line.split(",")[0] for line in first.splitlines()] == [line.split(",")[0] for line in second.splitlines()]
    same = (one.to_numpy() == other.to_numpy()).all(axis=1).mean()
    assert same < 0.3  # six cells, so a sixth by chance; published in the source's order it would be all or none
