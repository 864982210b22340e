"""The comparison's page: every line has its name, ten at most; whatever a table holds is text."""

from __future__ import annotations

import csv
import html
import itertools
import json
import re
from pathlib import Path

import pytest

from splu_desktop.cli import main
from splu_desktop.compare.runner import compare
from splu_desktop.compare.systems import find_systems
from splu_desktop.compare.systems.splu import PlannedDraw
from splu_desktop.files.language import language
from splu_desktop.report.comparison import MOST_LINES, choose_curves, comparison_page, picture, write_comparison
from tests.compare.tables import small_source


def test_ten_lines_at_most_each_with_its_name(tmp_path: Path) -> None:
    systems = find_systems("first") + find_systems("dbr,c-l-diversity")
    comparison = compare(small_source(300), systems, plan=PlannedDraw(4), size=60, draws=1, seed=5)
    t = language("en")
    curves = choose_curves(comparison)
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
    page = html.unescape(comparison_page(comparison, t))
    for said in ("A_know 0.", "A_quot ∞", "with delta 0", *map(str, comparison.explain())):
        assert said in page
    names = write_comparison(comparison, tmp_path / "out", t)
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(names)
    data = json.loads((tmp_path / "out" / "comparison.json").read_text("utf-8"))
    with (tmp_path / "out" / "comparison.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(data["tried"])


def test_the_column_named_by_sa_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["sex,age,weight,ill,diagnosis"]
    rows += [f"{'fm'[i % 2]},{20 + i % 7},{50 + i % 90},{'yes' if i % 3 else 'no'},d{i * i % 11}" for i in range(600)]
    (tmp_path / "stays.csv").write_text("\n".join(rows), "utf-8")

    def compared(*options: str) -> str:
        words = ["--systems", "dbr", "--questions", "60", "--draws", "1", "--person", "none", "--json"]
        assert main(["compare", str(tmp_path / "stays.csv"), *words, *options]) == 0
        return str(json.loads(capsys.readouterr().out)["sensitive"])

    for name in ("weight", "ill", "diagnosis"):
        assert compared("--sa", name) == name
    assert compared("--sa", "weight,ill", "--table", "ill by sex") == "ill"
    assert compared("--sa", "weight,ill", "--about", "weight") == "weight"
