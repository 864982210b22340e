"""The comparison itself, its files, and `splu compare`."""

from __future__ import annotations

import csv
import itertools
import json
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import ByGamma, Sanitised
from splu_desktop.compare.ours.splu import Planned
from splu_desktop.compare.runner import Comparison, compare
from splu_desktop.compare.systems import SYSTEMS, named
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.ways import GROUPS, JOINED, by_gamma
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.progress import Cancelled, Progress, Watched
from splu_desktop.core.query.condition import Condition
from splu_desktop.files.language import language
from splu_desktop.frozen import dataclass
from splu_desktop.report.comparison import comparison_document, write_comparison
from splu_desktop.report.content.comparison import COLOURS, letters
from splu_desktop.report.document import FigureBlock
from tests.compare.tables import small_source

OWN = ((Condition("a", ("v0001",)), Condition("s", ("v0002",))), ())


@pytest.fixture(scope="module")
def compared() -> Comparison:
    source = small_source(400)
    chance = np.random.default_rng(3)
    return compare(source, SYSTEMS, plan=Planned(PlainGroups(2), "s"), size=120, own=OWN, chance=chance)


def test_every_system_stands_in_it_with_every_setting(compared: Comparison) -> None:
    expected = [each.as_dict() for each in compared.tried]
    assert [each["system"] for each in expected] == [
        "plan",
        *(system.name for system in SYSTEMS for _ in system.curve()),
    ]
    assert all((each["achieved"] is None) == bool(each["impossible"]) for each in expected)


def test_shares_are_shares_and_what_does_not_exist_is_none(compared: Comparison) -> None:
    for each in compared.tried:
        a = each.achieved
        if a is None:
            continue
        for share in (a.small_wrong, a.answerable, a.covered, a.stranger, a.colleague, a.insider, a.refused):
            assert share is None or 0 <= share <= 1 + 1e-9
        rows = a.stranger is not None
        assert rows == (a.uniques is not None)


def test_own_questions_have_their_truth_and_answers(compared: Comparison) -> None:
    said = compared.as_dict()["own"]
    assert [question["truth"] for question in said] == compared.own_truth.tolist()
    assert said[1]["conditions"] == []
    assert said[1]["truth"] == compared.source.n
    exact = dict(zip([each.system.name for each in compared.tried], said[1]["answers"], strict=True))
    assert exact["splu"]["estimate"] == pytest.approx(compared.source.n)


def test_a_question_about_another_column_is_refused() -> None:
    with pytest.raises(BadQuestion):
        compare(small_source(), named("dbr"), own=((Condition("z", ("1",)),),))


def test_it_stops_when_asked_to() -> None:
    seen: list[str] = []
    watched = Watched(lambda stage, done: seen.append(stage), lambda: len(seen) > 8)
    with pytest.raises(Cancelled):
        compare(small_source(), SYSTEMS, size=60, progress=watched)


_now = [0.0]  # seconds by the clock of the next test, which goes on only while the endless method works


@dataclass(frozen=True)
class Endless(ByGamma):
    """A method that never ends, but for a report now and then."""

    name: ClassVar[str] = "endless"
    title: ClassVar[str] = "Endless"
    words: ClassVar[str] = "Never done."

    @property
    def promise(self) -> str:
        return "Nothing."

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        while True:
            progress.report(self.title, 0.5)
            _now[0] += 0.1


def test_a_method_that_takes_too_long_costs_itself_alone_and_is_said_to_be_unfinished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: _now[0])
    found = compare(small_source(200), [Endless, *named("trivial")], size=60, limit=0.3)
    endless, (trivial,) = found.tried[:-1], found.tried[-1:]
    assert [each.system for each in endless] == list(Endless.curve())
    assert all("0.3 seconds" in each.impossible and each.achieved is None for each in endless)
    assert trivial.achieved is not None
    assert not trivial.impossible


def test_a_limit_of_time_is_in_force_only_where_one_is_named(
    patients: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = itertools.count(0.0, 3_600.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(hours))
    assert all(each.achieved is not None for each in compare(small_source(200), named("retention"), size=60).tried)
    asked = ["--sa", "s:3", "--nsa", "a", "--systems", "retention", "--questions", "60", "--json"]
    for named_one, unfinished in (([], False), (["--time-limit", "61"], True)):
        assert main(["compare", str(patients), *asked, *named_one]) == 0
        tried = json.loads(capsys.readouterr().out)["tried"][1:]
        assert [each["achieved"] is None for each in tried] == [unfinished] * len(tried)


def test_the_plan_has_no_limit_and_no_limit_is_none() -> None:
    plan = Planned(PlainGroups(2), "s")
    with_plan = compare(small_source(200), named("retention"), plan=plan, size=60, limit=1e-9)
    assert [each.achieved is not None for each in with_plan.tried] == [True, *[False] * 4]
    without = compare(small_source(200), named("retention"), size=60, limit=None)
    assert all(each.achieved is not None for each in without.tried)


def test_it_can_be_cancelled_while_a_method_is_limited() -> None:
    seen: list[str] = []
    watched = Watched(lambda stage, done: seen.append(stage), lambda: seen[-3:] == ["Endless"] * 3)
    with pytest.raises(Cancelled):
        compare(small_source(200), [Endless], size=60, progress=watched)


def test_progress_never_goes_back() -> None:
    done: list[float] = []
    watched = Watched(lambda stage, at: done.append(at))
    compare(small_source(200), named("retention,laplace,k-anonymity"), size=60, progress=watched)
    assert done[-1] == 1.0
    assert done == sorted(done)


@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_its_page_is_whole_in_every_language(compared: Comparison, code: str) -> None:
    t = language(code)
    document = comparison_document(compared, t)
    texts = list(document.texts())
    for each in compared.tried:
        assert t.sentence(each.system.title) in " ".join(texts)
        assert t.sentence(each.system.words) in texts
    (figure,) = [block for block in document.blocks if isinstance(block, FigureBlock)]
    assert figure.words
    assert not any("{" in text for text in texts)


def test_the_picture_names_every_system_that_was_possible(compared: Comparison) -> None:
    possible = {each.system.name for each in compared.tried if each.achieved is not None}
    assert set(letters(compared)) == possible
    assert len(set(letters(compared).values())) == len(possible)


def test_every_method_weighed_first_has_a_colour_of_its_own() -> None:
    assert len(COLOURS) >= sum(system.first for system in SYSTEMS)
    assert len(set(COLOURS)) == len(COLOURS)


def test_files_hold_the_same_figures(compared: Comparison, tmp_path: Path) -> None:
    names = write_comparison(compared, tmp_path / "out", language("en"))
    assert sorted(names) == sorted(path.name for path in (tmp_path / "out").iterdir())
    data = json.loads((tmp_path / "out/comparison.json").read_text("utf-8"))
    rows = list(csv.DictReader((tmp_path / "out/comparison.csv").read_text("utf-8").splitlines()))
    assert len(rows) == len(data["tried"])
    for row, each in zip(rows, data["tried"], strict=True):
        assert row["method"] == each["system"]
        if each["achieved"] is not None:
            assert float(row["colleague"]) == each["achieved"]["colleague"]
    assert (tmp_path / "out/comparison.svg").read_text("utf-8").startswith("<svg")
    assert (tmp_path / "out/comparison.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    source = small_source(300)
    lines = ["a,b,c,s"]
    texts = [column.labels[column.codes] for column in source.table.columns]
    lines += [",".join(row) for row in zip(*texts, strict=True)]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_command_compares_and_writes_only_where_asked(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (patients.parent / "own.csv").write_text("a,s\nv0001,v0002\n,v0000\n", encoding="utf-8")
    asked = ["--sa", "s:3", "--nsa", "a,b,c", "--systems", "splu,anatomy,laplace", "--questions", "60"]
    before = sorted(patients.parent.iterdir())
    assert main(["compare", str(patients), *asked, "--own", str(patients.parent / "own.csv"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert sorted(patients.parent.iterdir()) == before
    assert {each["system"] for each in said["tried"]} == {"plan", "splu", "anatomy", "laplace"}
    assert [len(question["answers"]) for question in said["own"]] == [len(said["tried"])] * 2
    out = patients.parent / "out"
    assert main(["compare", str(patients), *asked, "--out", str(out), "--language", "de"]) == 0
    assert (out / "comparison.html").read_text("utf-8").startswith('<!DOCTYPE html>\n<html lang="de">')
    assert "keep them inside" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--systems", "nonsense"], "no system “nonsense”"),
        (["--questions", "3"], "--questions must be a number"),
        (["--about", "a"], "not a sensitive column of this plan"),
        (["--language", "xx"], "does not speak"),
        (["--time-limit", "-1"], "--time-limit must be a number of seconds"),
    ],
)
def test_the_command_refuses_in_one_sentence(
    patients: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["compare", str(patients), "--sa", "s:3", "--nsa", "a,b,c", *words]) == 2
    fault = capsys.readouterr().err
    assert sentence in fault
    assert fault.count("\n") == 1


def test_the_setting_of_a_plan_is_as_short_as_that_of_any_method() -> None:
    """It was the whole sentence on its draw, of which the table showed the first words."""
    source = small_source(400)
    for gamma, way, setting in ((2, GROUPS, "gamma 2"), (5, JOINED, "gamma 5")):
        plan = Planned(by_gamma(source.sensitive, gamma, way), "s")
        assert plan.setting == setting
        assert plan.draw.words() in plan.promise
    tolerant = by_gamma(source.sensitive, 5, JOINED).unbound()
    assert Planned(tolerant, "s").setting == "tolerances per value"
