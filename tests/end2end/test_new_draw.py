"""A draw of one file and one line goes the whole way: plan, publish, query, guarantee, report, window."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core import sanitise
from splu_desktop.core.draw import draw, draw_from, registered
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.query import Condition, Method, Reader
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.core.trial import trial
from splu_desktop.files.recipe import read_recipe
from splu_desktop.files.release import read_release
from tests.half_kept import HalfKept
from tests.seeded import Seeded

N = 4_000
AGAIN = ("--accept", "earlier-release")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "_KNOWN", dict(draw._KNOWN))
    registered(HalfKept)


def table() -> Table:
    """The ward goes by the illness."""
    chance = np.random.default_rng(7)
    illness = chance.choice(["flu", "cold", "gout", "none"], N, p=[0.3, 0.25, 0.05, 0.4])
    ward = np.where((illness == "gout") & (chance.random(N) < 0.7), "A", chance.choice(["A", "B", "C"], N))
    return Table((Column.from_labels("ward", ward.tolist()), Column.from_labels("illness", illness.tolist())))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    cells = [column.labels[column.codes].tolist() for column in table().columns]
    path = tmp_path / "table.csv"
    path.write_text("ward,illness\n" + "".join(f"{w},{i}\n" for w, i in zip(*cells, strict=True)), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, object]:
    status = main([*map(str, words), "--json"])
    out, err = capsys.readouterr()
    assert status == 0, err
    return json.loads(out)  # type: ignore[no-any-return]


def test_by_command(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, out = tmp_path / "r.toml", tmp_path / "release"
    said = run(capsys, "plan", source, "--draw", "illness=half kept", "--save-recipe", recipe)["sensitive"]["illness"]  # type: ignore[index]
    assert said["eligible"]
    assert {row["value"] for row in said["values"]} == {"flu", "cold", "gout", "none"}
    assert read_recipe(recipe).plan.draws == {"illness": HalfKept()}
    published = run(capsys, "publish", source, "--recipe", recipe, "--out", out)
    assert all(check["passed"] for check in published["checks"])  # type: ignore[attr-defined]
    assert read_release(out).published.draws == {"illness": HalfKept()}
    for text in (("verify", out), ("publish", source, "--recipe", recipe, "--out", tmp_path / "again", *AGAIN)):
        assert main([str(word) for word in text]) == 0  # the second is told of the first
    assert "every second value kept" in capsys.readouterr().out
    assert main(["releases"]) == 0
    assert "illness: every second value kept" in capsys.readouterr().out
    found = run(capsys, "guarantee", "--draw", "half kept")
    assert 0 < found["t_p"] < 1 < found["t_f"]  # type: ignore[operator]
    answer = run(capsys, "query", out, "ward=A", "illness=gout")
    assert answer["low"] <= answer["estimate"] <= answer["high"]  # type: ignore[operator]
    for ending in ("html", "json", "pdf"):
        assert main(["report", str(out), "--out", str(tmp_path / f"report.{ending}")]) == 0
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "Of the rows that show any value under" in text
    assert "Group sizes, with the share" not in text


def test_answers_by_every_estimator_hold() -> None:
    """95 % intervals of 12 questions in 10 releases: 5 or more of 120 missed by more than chance is one in 10,000."""
    made = table()
    plan = Plan({"ward": Role.NSA, "illness": Role.SA}, {"illness": HalfKept()})
    asked = [
        (Condition("ward", (str(w),)), Condition("illness", (str(i),)))
        for w in made["ward"].labels
        for i in made["illness"].labels
    ]
    codes = [made["ward"].codes, made["illness"].codes]
    true = np.array([int(np.sum((codes[0] == w) & (codes[1] == i))) for w in range(3) for i in range(4)])
    missed, off = 0, []
    for seed in range(10):
        reader = Reader(sanitise.run(made, plan, randomness=Seeded(seed)))
        for method in Method:
            answers = reader.answers(asked, method)
            if method is Method.UNBIASED:
                off.append([answer.estimate for answer in answers] - true)
                missed += sum(not one.low <= t <= one.high for one, t in zip(answers, true, strict=True))
    assert missed <= 16  # Binomial(120, 0.05) exceeds it with 1e-4
    error = np.std(off, axis=0) / 10**0.5
    assert (np.abs(np.mean(off, axis=0)) < 5 * error).all()


def test_a_trial_and_the_exact_law() -> None:
    plan = Plan({"ward": Role.NSA, "illness": Role.SA}, {"illness": HalfKept()})
    assert trial(table(), plan, 1_000).published.draws == {"illness": HalfKept()}
    law = HalfKept().count_law(3)
    assert law.sum() == pytest.approx(1)
    assert law @ np.arange(len(law)) == pytest.approx(3)
    alone = [1 - law[3] for law in (HalfKept().count_law(3),)]
    assert HalfKept().t_p(Thresholds()) <= alone[0]


def test_an_unknown_draw_is_told_by_name() -> None:
    with pytest.raises(BadSetting, match="doesn't know the draw “double or quits”"):
        draw_from({"draw": "double or quits"})
