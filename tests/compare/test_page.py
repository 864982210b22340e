"""The comparison's page: every line has its name, ten at most; whatever a table holds is text."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from splu_desktop.compare.ours.splu import Planned
from splu_desktop.compare.runner import compare
from splu_desktop.compare.systems import named
from splu_desktop.files.language import language
from splu_desktop.report.comparison import MOST_LINES, drawn_curves, picture, write_comparison
from tests.compare.tables import small_source


def test_ten_lines_at_most_each_with_its_name(tmp_path: Path) -> None:
    systems = named("first") + named("dbr,c-l-diversity")
    comparison = compare(small_source(300), systems, plan=Planned(4), size=60, draws=1, seed=5)
    t = language("en")
    curves = drawn_curves(comparison)
    assert len(curves) == MOST_LINES
    assert curves[0][0].system.name == "plan"
    drawn = picture(comparison, t)
    for curve in curves:
        assert f">{t.sentence(curve[0].system.title)}<" in drawn
    heights = [float(y) for y in re.findall(r'y="([0-9.]+)"', drawn)]
    assert max(heights) < 345
    names = write_comparison(comparison, tmp_path / "out", t)
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(names)
    data = json.loads((tmp_path / "out" / "comparison.json").read_text("utf-8"))
    with (tmp_path / "out" / "comparison.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(data["tried"])
