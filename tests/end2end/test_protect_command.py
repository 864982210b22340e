"""What `splu propose` says of a table too small for rows can be copied, and hands out tables."""

from __future__ import annotations

import json
import shlex
import zipfile
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.cli import main


def test_the_way_out_of_a_table_too_small_is_a_command_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows = [f"P{at:03},{'fm'[at % 2]},{20 + at % 60},{'died' if rng.random() < 0.2 else 'lived'}" for at in range(200)]
    Path("icu stays.csv").write_text("\n".join(["Patient number,Sex,Age,Outcome", *rows]), encoding="utf-8")
    asked = ["icu stays.csv", "--table", "Outcome=died by Sex", "--table", "Outcome=died by Age"]
    assert main(["propose", *asked, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "too small"
    assert main(shlex.split(found["protect"])[1:]) == 0
    with zipfile.ZipFile("icu stays-tables.docx") as packed:
        assert b"P000" not in packed.read("word/document.xml")
    assert main(shlex.split(found["protect"])[1:]) == 2  # never over a file that is there
    assert "exists already" in capsys.readouterr().err
    assert main(["propose", *asked]) == 3
    assert found["protect"] in capsys.readouterr().out
