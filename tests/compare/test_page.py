"""The comparison's page: every line has its name, ten at most; whatever a table holds is text."""

from __future__ import annotations

import csv
import itertools
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
    for dark in (False, True):
        drawn = picture(comparison, t, dark=dark)
        width, height = map(float, re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', drawn).groups())  # type: ignore[union-attr]
        assert width < 900, "beside the list of Expert's parts on a screen of 1366"
        places: dict[str, list[tuple[float, float]]] = {}
        for x, y, text in re.findall(r'<text x="([0-9.]+)" y="([0-9.]+)"[^>]*>([^<]*)<', drawn):
            assert float(y) < height
            places.setdefault(text, []).append((float(x), float(y)))
        letters = [places["ABCDEFGHIJ"[number]] for number in range(MOST_LINES)]
        for number, curve in enumerate(curves):
            (_, own), ((_, legend),) = letters[number], places[t.sentence(curve[0].system.title)]
            assert own[1] == legend, "the letter stands beside the name"
        ends = [each[0] for each in letters]
        assert all(abs(a - c) > 9 or abs(b - d) > 9 for (a, b), (c, d) in itertools.combinations(ends, 2))
    names = write_comparison(comparison, tmp_path / "out", t)
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(names)
    data = json.loads((tmp_path / "out" / "comparison.json").read_text("utf-8"))
    with (tmp_path / "out" / "comparison.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(data["tried"])
