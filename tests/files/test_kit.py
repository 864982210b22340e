"""The recipient's kit against the program, on releases of every draw: the same counts, shares, ratios, regressions."""

from __future__ import annotations

import ast
import contextlib
import datetime
import itertools
import json
import math
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core import sanitise
from splu_desktop.core.analyse import analyses, regression
from splu_desktop.core.draw import DecoyGroups, Draw, PlainGroups
from splu_desktop.core.draw.draw import _KNOWN
from splu_desktop.core.draw.joined import design
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import JOINED, by_gamma
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.generalise.intervals import Intervals
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.cells import CellTable, Floats
from splu_desktop.core.query.engine import Engine
from splu_desktop.core.query.reader import Condition, Method, Reader, parse_condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.files.release.facts import seal_of
from splu_desktop.files.release.folder import read_release
from tests.core.random_designs import of_seed
from tests.files.kit_questions import (
    Question,
    alike,
    asked_elsewhere,
    asked_in_r,
    asked_of_kit,
    asked_of_program,
    of_every_kind,
)
from tests.files.kit_releases import DRAWS, KIT, kit, kit_plan, sharing_a_rest, table_of
from tests.optional import PYTHONS, needs
from tests.seeded import Seeded
from tests.written import write_release

TABLE = table_of(2_500)
VALUES = {"code": "02", "stay": "4", "test": "positive", "flag": "yes", "other": "yes"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a release folder for each kind of draw."""
    base = tmp_path_factory.mktemp("kit")
    for name in DRAWS:
        write_release(sanitise.run(TABLE, kit_plan(TABLE, name), randomness=Seeded(4)), base / name)
    return {name: base / name for name in DRAWS}


def test_every_draw_is_among_those_asked_about_of_records_and_of_persons(folders: dict[str, Path]) -> None:
    """The joined draw of each column by person was not, so nobody asked the kit of it."""
    drawn = {draw.name for folder in folders.values() for draw in read_release(folder).published.draws.values()}
    assert drawn == set(_KNOWN)
    asked: dict[bool, set[str]] = {False: set(), True: set()}
    for name, made in DRAWS.items():
        asked[kit_plan(TABLE, name).persons is not None] |= {draw.name for draw in made(TABLE).values()}
    assert asked[True] == asked[False] == {name for name in _KNOWN if not name.endswith("by person")}


@pytest.mark.parametrize("name", DRAWS)
def test_every_kind_of_question_is_answered_as_by_the_program(name: str, folders: dict[str, Path]) -> None:
    """300 of each draw, the command lines and other Pythons: benchmarks/kit.py."""
    release, published = kit().Release(folders[name]), read_release(folders[name]).published
    reader, answered = Reader(published), 0
    # Of a number as the outcome the program's interval had the design effect of all records, not of those meant.
    told = Question("poisson", ("age", [published.sensitive[0]], ["ward=A"]))
    for question in (*of_every_kind(published, 24, seed=2), told, all_shown(published)):
        ours = asked_of_program(reader, question)
        assert alike(ours, asked_of_kit(release, question)), question
        answered += ours is not None
        assert ours is None or all(inside(question, figure) for figure in ours.values()), question
    assert answered >= 15
    asked = ["ward=B", f"{published.sensitive[0]}={published.table[published.sensitive[0]].labels[0]}"]
    one = reader.answer([parse_condition(text, published) for text in asked], Method.UNBIASED)
    assert (one.published, one.n_p) == (release.count(asked).published, release.count(asked).selected)


def all_shown(published: Published) -> Question:
    """Return the question of all values that are shown, which some records may not have had."""
    name = published.sensitive[0]
    return Question("share", ([f"{name}={'|'.join(map(str, published.table[name].labels))}"], ["ward=A"], "unbiased"))


def inside(question: Question, figure: list[float]) -> bool:
    """Return whether an estimate lies in its own interval; an end without bound is infinite, either of them above.

    Unbiased counts may be what none can be, so that cells add up: their interval holds the nearest that can.
    """
    estimate, low, high, _ = figure
    if question.kind in ("count", "crosstab"):
        return low <= min(max(estimate, 0.0) + 1e-9, high)
    return (low <= estimate or math.isinf(low)) and estimate <= high


@needs("R")
@pytest.mark.parametrize("name", DRAWS)
def test_the_kit_in_r_says_the_same(name: str, folders: dict[str, Path]) -> None:
    release, published = kit().Release(folders[name]), read_release(folders[name]).published
    asked = [*of_every_kind(published, 12, seed=3), all_shown(published)]
    for question, found in zip(asked, asked_in_r(folders[name], asked), strict=True):
        assert alike(asked_of_kit(release, question), found), question
        assert found is None or all(inside(question, figure) for figure in found.values()), question


def test_a_mean_of_what_is_left_ends_there(folders: dict[str, Path]) -> None:
    """Of one number it is that number, of some it lies among them; with the ends of all it reached beyond."""
    release, reader = kit().Release(folders["plain"]), Reader(read_release(folders["plain"]).published)
    for asked, least, most in (("stay=4", 4, 4), ("stay=3..5", 3, 5), ("stay=1|9", 1, 9)):
        question = Question("mean", ("stay", ["ward=A", asked]))
        for found in (asked_of_program(reader, question), asked_of_kit(release, question)):
            assert found is not None
            assert least <= found[""][1] <= found[""][0] <= found[""][2] <= most, (asked, found)


@pytest.fixture(scope="module")
def spelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a release with numbers that are spelled in several ways."""
    chance, n = np.random.default_rng(1), 800
    a = chance.choice(["-0.0", "0.0", "0", "1.5", "-2.5", "1.50", "1.500", "2"], n)
    columns = {"a": (a, Kind.DECIMAL), "s": (chance.choice(["x", "y", "z", "u"], n), Kind.CATEGORY)}
    table = Table(tuple(Column.from_labels(name, of.tolist(), kind=kind) for name, (of, kind) in columns.items()))
    plan = Plan({"a": Role.NSA, "s": Role.SA}, {"s": PlainGroups(2)})
    return write_release(
        sanitise.run(table, plan, randomness=Seeded(1)), tmp_path_factory.mktemp("spelled") / "r"
    ).folder


SPELLED = [
    *(
        Question("count", ([asked], "unbiased"))
        for asked in ("a=0", "a=0,0", "a=-0,0|2", "a=+1.5", "a!=1,50", "a<=0,0")
    ),
    Question("trend", ("s=x", "a", "")),
    Question("crosstab", ("a", "s", [])),
    Question("mean", ("a", ["s=x"])),
    Question("logit", ("s=x", ["a"], [])),
]


def test_a_number_spelled_in_several_ways_is_one(spelled: Path) -> None:
    """1,5 was refused where both 1.5 and 1.50 are there, and each of them was a period of the kit's trend."""
    release, reader = kit().Release(spelled), Reader(read_release(spelled).published)
    for question in SPELLED:
        ours = asked_of_program(reader, question)
        assert ours is not None, question
        assert alike(ours, asked_of_kit(release, question)), question
    trend = asked_of_program(reader, Question("trend", ("s=x", "a", "")))
    assert list(trend or ()) == ["", "-2.5", "-0.0", "1.5", "2"]


@needs("R")
def test_a_number_spelled_in_several_ways_is_one_in_r(spelled: Path) -> None:
    release = kit().Release(spelled)
    for question, found in zip(SPELLED, asked_in_r(spelled, SPELLED), strict=True):
        assert alike(asked_of_kit(release, question), found), question


def in_intervals(n: int) -> Table:
    """Return hours in four wide intervals, of which wards differ within them, too."""
    chance = np.random.default_rng(8)
    ward = chance.choice(["north", "south", "west"], n)
    age = chance.integers(20, 80, n)
    band = np.select([age < 40, age < 60], ["20 to 39", "40 to 59"], "60 to 79")
    hours = chance.gamma(2, 5 + 4 * (ward == "south") + age / 20, n).astype(int)
    made = {"ward": ward, "age": age.astype(str), "band": band, "hours": hours.astype(str)}
    kinds = {"age": Kind.INTEGER, "hours": Kind.INTEGER}
    return Table(tuple(Column.from_labels(x, y.tolist(), kind=kinds.get(x, Kind.CATEGORY)) for x, y in made.items()))


@pytest.fixture(scope="module")
def hours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of such a release."""
    table = in_intervals(1_800)
    roles = dict.fromkeys(table.names, Role.NSA) | {"hours": Role.SA}
    coarse = {"hours": (Intervals((8.0, 16.0, 24.0)),)}
    plan = Plan(roles, {"hours": PlainGroups(2)}, generalisations=coarse)
    return write_release(sanitise.run(table, plan, randomness=Seeded(3)), tmp_path_factory.mktemp("hours") / "r").folder


# What is asked -> whether groups are compared by numbers that stand for intervals.
WITHIN = [
    (Question("mean", ("hours", ["ward=south"])), True),
    (Question("mean", ("hours", ["hours=8 to 15", "age=20..50"])), True),
    (Question("mean", ("band", ["hours=8 to 15"])), True),
    (Question("poisson", ("hours", ["ward"], [])), True),
    (Question("mean", ("hours", [])), False),
    (Question("mean", ("hours", ["hours=8 to 15|16 to 23"])), False),  # whole intervals, whose numbers are told
    (Question("mean", ("hours", ["ward=north|south|west"])), False),
    (Question("mean", ("age", ["hours=8 to 15"])), False),
    (Question("quantile", ("hours", 0.5, ["ward=south"])), False),  # whose ends are those of intervals
    (Question("share", (["hours=8 to 15"], ["ward=south"], "unbiased")), False),
    (Question("logit", ("hours=8 to 15", ["band"], [])), False),
    (Question("poisson", ("ward=south", ["hours"], [])), False),
]


def test_who_compares_groups_by_intervals_is_told_what_is_missing(
    hours: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Means of wards in four wide intervals held their own numbers in .23 to .93, and nothing in the answer said so."""
    missing = "all groups count with the same number: what they differ by there is missing from this answer"
    for question, told in WITHIN:
        notes = []
        for ask, words in ((main, ["analyse", str(hours)]), (kit().main, ["--release", str(hours)])):
            assert ask([*words, *question.typed, "--json"]) == 0
            notes.append(json.loads(capsys.readouterr().out).get("notes", []))
            assert ask([*words, *question.typed]) == 0
            assert (missing in capsys.readouterr().out) is told, question
        assert notes[0] == notes[1], question
        assert [note for note in notes[0] if missing in note] == notes[0]
        assert len(notes[0]) == told, question


@needs("R")
def test_who_compares_groups_by_intervals_is_told_so_in_r(hours: Path) -> None:
    script = [
        f"source({json.dumps(str(hours / 'splu_release.R'))}); r <- splu_release({json.dumps(str(hours))})",
        *(f"x <- {asked.in_r}; cat(r$json(x$notes), '\\n'); print(x)" for asked, _ in WITHIN),
    ]
    ran = subprocess.run(["Rscript", "-"], input="\n".join(script), capture_output=True, text=True, check=True)
    stated = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith(("[", "null"))]
    release = kit().Release(hours)
    for (asked, _), notes in zip(WITHIN, stated, strict=True):
        ours = getattr(release, asked.kind)(*asked.given).notes
        assert (notes or []) == ours, asked
        assert ran.stdout.count(f"\n{ours[0]}\n" if ours else "\n") > 0


def test_an_interval_without_end_whose_mean_is_not_told_is_no_outcome(folders: dict[str, Path]) -> None:
    """The mean was refused, and a Poisson regression took the interval to be as wide as the one beside it."""
    release, reader = kit().Release(folders["numbers"]), Reader(read_release(folders["numbers"]).published)
    for question in (Question("mean", ("dose", [])), Question("poisson", ("dose", ["ward"], []))):
        assert asked_of_program(reader, question) is None
        assert asked_of_kit(release, question) is None


def test_values_that_share_what_is_left_are_answered_alike(tmp_path: Path) -> None:
    """Of a draw by person: their shares move with their published counts, the sum of them does not."""
    table, plan = sharing_a_rest()
    folder = write_release(sanitise.run(table, plan, randomness=Seeded(3)), tmp_path / "rest").folder
    release, reader = kit().Release(folder), Reader(read_release(folder).published)
    assert 0 < sum(reader.engine.matrix("ill").moving) < table["ill"].m
    asked = [Question("count", (["ward=A", f"ill={some}"], "unbiased")) for some in ("r1", "r1|r2", "a|r1", "a")]
    asked += [Question("count", ([f"ill={some}"], "unbiased")) for some in ("r1", "r1|r2", "a|r1")]
    asked += [Question("odds_ratio", (["ward=A"], ["ill=a|r1"], [])), Question("poisson", ("ill=a|r1", ["ward"], []))]
    for question in asked:
        ours = asked_of_program(reader, question)
        assert ours is not None, question
        assert alike(ours, asked_of_kit(release, question)), question


def near_the_limit(seed: int, column: str) -> Published:
    """Return a release of which directions are told whose eigenvalues lie below 3 / sqrt(N): one, or several."""
    chance = np.random.default_rng(4)
    if column == "one":
        s = np.repeat(np.arange(5), [120, 72, 45, 36, 27])
    else:
        drawn, limits, fakes = of_seed(39)
        s = drawn.codes
    ward = np.where(s + chance.normal(size=len(s)) > 2, "A", "B")
    age = 40 + 3 * s + chance.integers(0, 20, len(s))
    made = {"ward": (ward, Kind.CATEGORY), "age": (age, Kind.INTEGER), "s": (s, Kind.INTEGER)}
    table = Table(tuple(Column.from_labels(n, c.astype(str).tolist(), kind=kind) for n, (c, kind) in made.items()))
    draw: Draw = PlainGroups(2)
    if column != "one":
        each = {str(code): limits.limits[str(label)] for code, label in enumerate(drawn.labels)}
        draw = DecoyGroups.designed(table["s"], Tolerances(each), fakes=fakes)
    roles = {"ward": Role.NSA, "age": Role.NSA, "s": Role.SA}
    return sanitise.run(table, Plan(roles, {"s": draw}), randomness=Seeded(seed))


@pytest.fixture(scope="module", params=["one", "several"])
def near(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of such a release."""
    for seed in range(10):
        published = near_the_limit(seed, request.param)
        whole = Engine(published).matrix("s")
        if len(whole.hidden) < len(MatrixTransition.of(whole.counts, replace(whole.groups, stated=False)).hidden):
            return write_release(published, tmp_path_factory.mktemp("near") / request.param).folder
    raise AssertionError("no release tells such a direction")


@pytest.fixture(scope="module")
def half_told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small release of columns drawn together, of which a direction tells nothing."""
    chance, n = np.random.default_rng(14), 1_000
    ill = chance.random(n) < 0.2
    test = np.where(chance.random(n) < 0.06, "unclear", np.where(ill, "positive", "negative"))
    flag = np.where(chance.random(n) < np.where(ill, 0.6, 0.1), "yes", "no")
    band = np.where(np.arange(n) < 4, "few", chance.choice(["old", "young"], n))
    made = {"band": band, "age": chance.integers(20, 80, n).astype(str), "test": test, "flag": flag}
    columns = (
        Column.from_labels(x, y.tolist(), kind=Kind.INTEGER if x == "age" else Kind.CATEGORY) for x, y in made.items()
    )
    table = Table(tuple(columns))
    drawn = planned(table, ["test", "flag"], 4)
    roles = {name: Role.SA if name in drawn else Role.NSA for name in table.names}
    published = sanitise.run(table, Plan(roles, dict(drawn)), randomness=Seeded(5))
    return write_release(published, tmp_path_factory.mktemp("half") / "told").folder


HALF_TOLD = [
    question
    for one, other in (
        ("test=unclear", "test=negative|positive"),
        ("flag=yes", "flag=no"),
        ("test=positive", "test!=positive"),
    )
    for each in (one, other)
    for question in (
        *(
            Question("count", ([*where, each], method))
            for where in ([], ["band=old"])
            for method in ("unbiased", "bayes")
        ),
        Question("share", ([each], [], "unbiased")),
        Question("share", ([each], ["band=few"], "unbiased")),
        Question("mean", ("age", [each])),
        Question("ratio", (["band=old", each], ["band=young", each], [])),
        Question("logit", (each, ["band"], [])),
        Question("crosstab", ("band", each.split("=")[0].rstrip("!"), ["age>=30"])),
    )
]


def test_states_of_columns_together_are_told_whichever_is_asked_for(half_told: Path) -> None:
    """A value was told and its complement not, in a kit the other way round, as their classes happened to stand."""
    release, reader = kit().Release(half_told), Reader(read_release(half_told).published)
    ours = {str(question): asked_of_program(reader, question) for question in HALF_TOLD}
    for question in HALF_TOLD:
        assert alike(ours[str(question)], asked_of_kit(release, question)), question
    each = len(HALF_TOLD) // 3 // 2
    for at in range(0, len(HALF_TOLD), 2 * each):
        for one, other in zip(HALF_TOLD[at : at + each], HALF_TOLD[at + each : at + 2 * each], strict=True):
            assert (ours[str(one)] is None) == (ours[str(other)] is None), (one, other)


@needs("R")
def test_states_of_columns_together_are_told_so_in_r(half_told: Path) -> None:
    release = kit().Release(half_told)
    for question, found in zip(HALF_TOLD, asked_in_r(half_told, HALF_TOLD), strict=True):
        assert alike(asked_of_kit(release, question), found), question


NEAR = [
    *(Question("count", (["ward=A", f"s={some}"], method)) for some in range(5) for method in ("unbiased", "bayes")),
    *(Question("ratio", (["ward=A", f"s={some}"], ["ward=B", f"s={some}"], [])) for some in range(5)),
    *(Question("odds_ratio", (["ward=A"], [f"s={some}"], [])) for some in range(5)),
    *(Question("mean", ("age", [f"s={some}"])) for some in range(5)),
    *(Question("logit", (["ward=A"], [f"s={some}", "age"], [])) for some in (1, 3)),
    Question("mean", ("s", ["ward=A"])),
]


def test_directions_near_the_limit_are_told_by_the_kit_as_by_the_program(near: Path) -> None:
    """Which are, G says, which a release states: the program answered by the narrower of two that were not."""
    release, published = kit().Release(near), read_release(near).published
    reader, answered = Reader(published), 0
    for question in NEAR:
        ours = asked_of_program(reader, question)
        assert alike(ours, asked_of_kit(release, question)), question
        answered += ours is not None
    assert answered > len(NEAR) / 2


@pytest.mark.parametrize(("seed", "column"), [(5, "one"), (0, "several")])
def test_a_count_that_nothing_tells_is_one_that_can_be(seed: int, column: str, tmp_path: Path) -> None:
    """Of 23 records “possible: 0 to 51” were said to have some codes; the kits said 23 at most."""
    folder = write_release(near_the_limit(seed, column), tmp_path / "r").folder
    release, published = kit().Release(folder), read_release(folder).published
    reader, labels, untold = Reader(published), [str(label) for label in published.table["s"].labels], 0
    for age, some in itertools.product((45, 55, 60, 63), [*labels, "|".join(labels[-2:])]):
        question = Question("count", ([f"age>={age}", f"s={some}"], "unbiased"))
        ours = asked_of_program(reader, question)
        assert alike(ours, asked_of_kit(release, question)), question
        if ours is not None and ours[""][3]:
            untold += 1
            assert 0 <= ours[""][0] <= ours[""][2] <= release.count(question.given[0]).selected, question
    assert untold


@needs("R")
def test_directions_near_the_limit_are_told_so_in_r(near: Path) -> None:
    release = kit().Release(near)
    for question, found in zip(NEAR, asked_in_r(near, NEAR), strict=True):
        assert alike(asked_of_kit(release, question), found), question


# What hurried people ask, and what the sentence that refuses it has to say; in R a NULL stands for what is left out.
HURRIED = [
    (Question("count", ("wrad=A",)), r"its columns are: ward, age"),
    (Question("count", ("ward=Z",)), r"its values are: A, B, C\."),
    (Question("count", ("test=positiv",)), "the nearest is “positive”"),
    (Question("count", ("test=ill",)), "its values are: "),
    (Question("count", ("age=old",)), r"run from 20 to 79, a range is low\.\.high"),
    (Question("count", ("age=45.5",)), r"run from 20 to 79, a range is low\.\.high"),
    (Question("count", ("age=50..40",)), "the smaller end first"),
    (Question("count", ("age=40 to 50",)), r"a range is low\.\.high"),
    (Question("count", ("age>40",)), r"write Column=value, .* Column>=low"),
    (Question("count", ("day=2019",)), r"run from 2023-11-15 to \d{4}-\d\d-\d\d, a range"),
    (Question("count", ("day=2024-02-31",)), "run from 2023-11-15 to "),
    (Question("count", ("day=Feb 2024..Mar 2024",)), "run from 2023-11-15 to "),
    (Question("count", ("test=positive & ward=A",)), "join conditions that are to be met at once by “;”"),
    (Question("count", ("ward=A; ward=B",)), r"write a\|b for either"),
    (Question("count", ("ward=A", "exact")), "choose among unbiased, bayes"),
    (Question("mean", ("test", [])), "ask for counts or shares"),
    (Question("mean", ("code", [])), "ask for counts or shares"),
    (Question("quantile", ("age", 50.0, [])), "lies between 0 and 1"),
    (Question("trend", ("test=positive", "ward", "")), "ask for counts or shares"),
    (Question("trend", ("test=positive", "day", "fortnight")), "choose among year"),
    (Question("trend", ("test=positive", ["day", "age"], "")), "One column's name is asked for"),
    (Question("mean", (["age", "stay"], [])), "One column's name is asked for"),
    (Question("trend", ("test", "day", "month")), "write Column=value"),
    (Question("crosstab", ("ward", "ward", [])), "two different columns"),
    (Question("odds_ratio", ("ward=A", "ward=B", [])), "ask about larger groups"),
    (Question("logit", ("test", ["age"], [])), "write Column=value"),
    (Question("logit", ("test=positive", ["age + ward"], [])), "write Column=value"),
    (Question("poisson", ("age", ["ward", "age"], [])), "“age” explains itself"),
]


def test_a_refusal_says_what_to_do(folders: dict[str, Path]) -> None:
    """“No published record has age = 50..40.” did not; of days of other years it named the nearest by its letters."""
    release = kit().Release(folders["several sizes"])
    for question, told in HURRIED:
        with pytest.raises(kit().Refused, match=told):
            getattr(release, question.kind)(*question.given)


@needs("R")
def test_a_refusal_says_what_to_do_in_r(folders: dict[str, Path]) -> None:
    folder = folders["several sizes"]
    script = [
        f"source({json.dumps(str(folder / 'splu_release.R'))})",
        f"r <- splu_release({json.dumps(str(folder))})",
        *(
            f"cat(tryCatch({{{question.in_r}; 'answered'}}, splu_refused = conditionMessage), '\\n')"
            for question, _ in HURRIED
        ),
    ]
    ran = subprocess.run(["Rscript", "-"], input="\n".join(script), capture_output=True, text=True, check=True)
    for said, (question, told) in zip(ran.stdout.splitlines(), HURRIED, strict=True):
        assert re.search(told, said), (question, said)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a release whose two sensitive columns have 60 and 40 values."""
    columns = {"code": 60, "step": 40}
    table = Table(tuple(Column.from_labels(name, [str(at % m) for at in range(2_400)]) for name, m in columns.items()))
    plan = Plan(dict.fromkeys(columns, Role.SA), {name: PlainGroups(3) for name in columns})
    return write_release(sanitise.run(table, plan, randomness=Seeded(5)), tmp_path_factory.mktemp("wide") / "r").folder


TOO_MANY = (
    "That tells 2400 combinations of sensitive values apart, too many for one answer: 60 of “code” alone; ask about "
    "fewer of its values, or leave it out."
)


def test_too_many_values_are_said_to_be_whose_they_are(wide: Path) -> None:
    with pytest.raises(kit().Refused) as refused:
        kit().Release(wide).crosstab("step", "code")
    with pytest.raises(BadQuestion) as bad:
        analyses.crosstab(Reader(read_release(wide).published), "step", "code")
    assert str(refused.value) == str(bad.value).replace("2,400", "2400") == TOO_MANY


@needs("R")
def test_too_many_values_are_said_to_be_whose_they_are_in_r(wide: Path) -> None:
    script = [
        f"source({json.dumps(str(wide / 'splu_release.R'))}); r <- splu_release({json.dumps(str(wide))})",
        "tryCatch(r$crosstab('step', 'code'), splu_refused = function(e) cat(conditionMessage(e)))",
    ]
    ran = subprocess.run(["Rscript", "-"], input="\n".join(script), capture_output=True, text=True, check=True)
    assert ran.stdout == TOO_MANY


def ask(release: Any, asked: str) -> Any:
    """Return what a call written as a recipient writes it answers."""
    return eval(f"release.{asked}", {"release": release})


@needs("other Pythons")
def test_the_kit_says_the_same_in_other_pythons(folders: dict[str, Path]) -> None:
    release, published = kit().Release(folders["numbers"]), read_release(folders["numbers"]).published
    asked = of_every_kind(published, 24, seed=4)
    ours = [asked_of_kit(release, question) for question in asked]
    for python in PYTHONS:
        assert all(map(alike, ours, asked_elsewhere(python, folders["numbers"], asked))), python


@pytest.mark.parametrize("name", ["plain", "together", "numbers"])
def test_the_readme_shows_questions_that_are_answered(name: str, folders: dict[str, Path]) -> None:
    text = (folders[name] / "README.txt").read_text("utf-8-sig")
    lines = [shlex.split(line) for line in re.findall(r"^    python splu_release\.py (.+)$", text, re.M)]
    assert [words[0] for words in lines] == [
        "count",
        "odds-ratio",
        "difference",
        "crosstab",
        "mean",
        "trend",
        "logit",
    ]
    for words in lines:
        assert kit().main([*words, "--release", str(folders[name])]) == 0, words


def test_a_readme_asks_nothing_that_its_release_can_not_tell(tmp_path: Path) -> None:
    """It showed an odds ratio, and its kit refused it: of this release the odds may be anything."""
    plan = kit_plan(TABLE, "plain")
    folder = write_release(sanitise.run(TABLE, plan, randomness=Seeded(3)), tmp_path / "r").folder
    lines = re.findall(r"^    python splu_release\.py (.+)$", (folder / "README.txt").read_text("utf-8-sig"), re.M)
    assert kit().main(["odds-ratio", "flag=no", "code=04", "--release", str(folder)]) == 2
    assert not [line for line in lines if line.startswith("odds-ratio")]
    assert lines
    for line in lines:
        assert kit().main([*shlex.split(line), "--release", str(folder)]) == 0, line


@needs("R")
def test_the_readmes_questions_are_answered_in_r(folders: dict[str, Path]) -> None:
    text = (folders["plain"] / "README.txt").read_text("utf-8-sig")
    for line in re.findall(r"^    python splu_release\.py (.+)$", text, re.M):
        call = ["Rscript", str(folders["plain"] / "splu_release.R"), *shlex.split(line), "--json"]
        ran = subprocess.run(call, capture_output=True, text=True, check=True)
        found = json.loads(ran.stdout)
        assert isinstance(found["estimate"], int | float), line


def test_cells_add_up_to_their_margins(folders: dict[str, Path]) -> None:
    table = kit().Release(folders["plain"]).crosstab("ward", "code")
    rows, columns = ({key[at] for key in table.parts} - {None} for at in (0, 1))
    for row in rows:
        assert sum(table[row, one].estimate for one in columns) == pytest.approx(table[row, None].estimate)
    for one in columns:
        assert sum(table[row, one].estimate for row in rows) == pytest.approx(table[None, one].estimate)
    assert table[None, None].estimate == pytest.approx(TABLE.n)


@pytest.mark.parametrize("name", ["plain", "together"])
def test_a_count_has_one_interval_wherever_it_stands(name: str, folders: dict[str, Path]) -> None:
    """That of the count by itself, in a cross-table and as a share of a trend; kit and program agree above."""
    release = kit().Release(folders[name])
    sa = release.sensitive[-1]
    cells, where = release.crosstab("ward", sa, {"age": "20..49"}).parts, {"age": "20..49"}
    for (one, other), cell in cells.items():
        alone = release.count({**where, **({"ward": one} if one else {}), **({sa: other} if other else {})})
        can = (max(alone.low, 0.0), min(alone.high, alone.selected))
        assert (max(cell.low, 0.0), min(cell.high, alone.selected)) == can, (one, other)
        ends = [can, (alone.low, alone.high)]  # beyond what can be, each reaches to its own estimate, and no further
        for each, (low, high) in zip((alone, cell), ends, strict=True):
            assert (each.low, each.high) == (min(low, each.estimate), max(high, each.estimate)), (one, other)
    for month, part in release.trend(f"{sa}={VALUES[sa]}", "day").parts.items():
        alone = release.share([f"{sa}={VALUES[sa]}", f"day={month}"])
        assert (part.low, part.high) == pytest.approx((alone.low, alone.high))


@pytest.mark.parametrize("name", ["plain", "fakes", "together"])
def test_every_estimate_lies_in_its_interval(name: str, folders: dict[str, Path]) -> None:
    """Of counts, too, which are unbiased and may be below 0, and of their cells, which add up."""
    release = kit().Release(folders[name])
    sa, below = release.sensitive[-1], 0
    for conditions in ({"age": str(age), sa: value} for age in range(20, 80, 3) for value in release.labels[sa]):
        ours = release.count(conditions)
        assert ours.low <= ours.estimate <= ours.high, conditions
        below += ours.estimate < 0
    assert below > 3
    reader = Reader(read_release(folders[name]).published)
    cells = [*analyses.crosstab(reader, "age", sa).parts.values(), *release.crosstab("age", sa).parts.values()]
    assert all(cell.low <= cell.estimate <= cell.high for cell in cells)
    assert sum(cell.estimate < 0 for cell in cells) > 6
    assert "below 0 stands for few records or none" in repr(release.crosstab("age", sa))


def test_no_sentence_counts_one_of_many() -> None:
    """What may be one is told as "(records: 1)" or by `messages.counted`, in program and kit: never "the 1 records"."""
    rooms = (KIT, *(Path(analyses.__file__).parents[1] / room for room in ("analyse", "query")))
    texts = [path.read_text("utf-8") for room in rooms for path in room.iterdir() if path.suffix in (".py", ".R")]
    assert len(texts) > 20
    many = r"(?:records|values|rows|columns|persons)\b"
    assert not [found for text in texts for found in re.findall(rf"(?:(?<!most)\}}|\), \") {many}", text)]


def test_quantiles_are_the_fewest_values(folders: dict[str, Path]) -> None:
    """Tried by all runs of values: none shorter holds the quantile with 95 %, by how surely each share is known."""
    reader = Reader(read_release(folders["plain"]).published)
    of = (parse_condition("age=60..79", reader.published),)
    for q in (0.2, 0.5, 0.7):
        found = analyses.quantile(reader, "stay", q, of)
        cells = CellTable(Engine(reader.published), [analyses.chosen(reader, of)], ["stay"])
        numbers = analyses.numbers_of(reader, "stay")
        order, each = np.unique(numbers), numbers[cells.codes("stay")]
        inside = cells.meets(analyses.chosen(reader, of))
        gaps = [cells.sums([inside * ((each <= most) - q)]) for most in order.tolist()]
        below = np.maximum.accumulate([NormalDist().cdf(g.values[0] / math.sqrt(g.variance(0))) for g in gaps])
        below[-1] = 1.0
        before = np.concatenate([[0.0], below[:-1]])
        long = {(a, b): below[b] - before[a] for a in range(len(order)) for b in range(a, len(order))}
        fewest = min(b - a for (a, b), held in long.items() if held >= 0.95)
        first, last = (int(np.searchsorted(order, end)) for end in (found.low, found.high))
        assert long[first, last] >= 0.95
        assert last - first == fewest


def test_coefficients_of_a_rare_outcome_are_held_as_often_as_is_said() -> None:
    """200 releases: .95, not the .99 to 1 of Wald's intervals, which grow with an estimate that strays.

    Parts of a release share its noise: the standard error of each of two shares is .017 at most. One in seven releases
    can't tell the coefficients, and says so.
    """
    table = table_of(2_500)
    plan = kit_plan(table, "plain")
    kept = {
        name: design(table[name], Tolerances(dict.fromkeys(map(str, table[name].labels), 1))) for name in plan.draws
    }
    held: dict[str, list[bool]] = {"age": [], "ward=B": []}

    def ask(reader: Reader) -> analyses.Analysed:
        return regression.logit(reader, (parse_condition("code=03|04", reader.published),), ["age", "ward"])

    truth = ask(Reader(Published(table, kept)))
    for seed in range(9_000, 9_200):
        try:
            found = ask(Reader(sanitise.run(table, plan, randomness=Seeded(seed))))
        except BadQuestion:
            continue
        for name, ones in held.items():
            ones.append(found.parts[name].low <= truth.parts[name].estimate <= found.parts[name].high)
    assert all(len(ones) > 160 and 0.9 <= np.mean(ones) <= 0.985 for ones in held.values())


def test_ends_of_coefficients_are_where_their_law_puts_them(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There a coefficient's own equation, the others solved as far as they can be, is 1.96 standard errors from 0."""
    search, found = regression._end, list[float]()

    def watched(
        equations: regression._Equations, own: regression._Own, fit: tuple[Floats, Floats], at: int, arm: float
    ) -> float:
        end = search(equations, own, fit, at, arm)
        if math.isfinite(end):
            along = (end - fit[0][at]) * fit[1][:, at] / fit[1][at, at]
            there = equations.solved(equations.solved(fit[0] + along, at)[0], at)
            moved = own(at, *there)
            found.append(abs(float(moved.values[0])) / math.sqrt(moved.variance(0)))
        return end

    monkeypatch.setattr(regression, "_end", watched)
    for name, outcome in (("plain", "code=03|04"), ("fakes", "test=positive"), ("skewed persons", "test=positive")):
        reader = Reader(read_release(folders[name]).published)
        met = (parse_condition(outcome, reader.published),)
        for ask, first, on in (
            (regression.logit, met, ["age", "ward"]),
            (regression.poisson, met, ["ward", "flag"]),
            (regression.logit, (parse_condition("ward=A", reader.published),), [met, "age"]),
        ):
            with contextlib.suppress(BadQuestion):  # where no coefficient has an end; those of the intercept were found
                ask(reader, first, on)
    assert len(found) > 40
    assert found == pytest.approx([1.96] * len(found), abs=5e-4)


def test_types_are_those_of_the_table(folders: dict[str, Path]) -> None:
    rows = kit().Release(folders["plain"]).rows()
    assert len(rows) == TABLE.n
    assert all(type(row["age"]) is int and type(row["code"]) is str and len(row["code"]) == 2 for row in rows)
    assert rows[0]["day"].year in (2023, 2024)
    frame = kit().Release(folders["plain"]).frame()
    assert "02" in set(frame["code"])


def test_ranges_of_dates_and_negation(folders: dict[str, Path]) -> None:
    release, published = kit().Release(folders["plain"]), read_release(folders["plain"]).published
    reader = Reader(published)
    for text in ("day=2023-12..2024-02", "day=2024-01", "day=2024-01-10..", "age=30..39", "ward!=A", "ward!=A|B"):
        theirs = release.count([text])
        assert theirs.exact
        assert theirs.estimate == reader.answer([parse_condition(text, published)]).estimate


def test_the_oldest_python_named_reads_the_kit() -> None:
    ast.parse((KIT / "splu_release.py").read_text("utf-8"), feature_version=(3, 9))


def test_on_the_command_line_without_packages(folders: dict[str, Path]) -> None:
    """The file that lies in the release, run as it is said in the README; -I -S: nothing but the standard library."""
    call = [sys.executable, "-I", "-S", str(folders["plain"] / "splu_release.py")]
    ran = subprocess.run([*call, "count", "ward=A", "code=02", "--json"], capture_output=True, text=True, check=True)
    answer = json.loads(ran.stdout)
    published = read_release(folders["plain"]).published
    asked = [parse_condition(text, published) for text in ("ward=A", "code=02")]
    assert answer["estimate"] == pytest.approx(Reader(published).answer(asked, Method.UNBIASED).estimate)
    assert answer["release"] == json.loads((folders["plain"] / "release.json").read_text())["id"]
    refused = subprocess.run([*call, "count", "ward=Z"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr == "splu_release: No published record has ward = “Z”; its values are: A, B, C.\n"


ACCENTED = ("Diagnose für Ärzte", "Übelkeit", "Krankenhäuser", "Orléans")


@pytest.fixture(scope="module")
def accented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a release whose values are written as macOS writes them: accents after their letters."""
    chance = random.Random(3)
    wards, ills = (("Köln", ACCENTED[3], "Łódź"), ("Grippe", ACCENTED[1], "Ménière"))
    columns = {ACCENTED[2]: wards, ACCENTED[0]: ills}
    cells = {
        name: [unicodedata.normalize("NFD", chance.choice(some)) for _ in range(900)] for name, some in columns.items()
    }
    years = Column.from_labels("Länge", [str(chance.randint(1, 6)) for _ in range(900)], kind=Kind.INTEGER)
    table = Table((*(Column.from_labels(name, each) for name, each in cells.items()), years))
    plan = Plan({ACCENTED[2]: Role.NSA, ACCENTED[0]: Role.SA, "Länge": Role.NSA}, {ACCENTED[0]: PlainGroups(2)})
    folder = tmp_path_factory.mktemp("accented") / "release"
    return write_release(sanitise.run(table, plan, randomness=Seeded(4)), folder).folder


def in_both_forms() -> list[Question]:
    asked = f"{ACCENTED[0]}={ACCENTED[1]}; {ACCENTED[2]}={ACCENTED[3]}".split("; ")
    return [Question("count", ([unicodedata.normalize(form, x) for x in asked], "bayes")) for form in ("NFC", "NFD")]


def test_accents_are_found_put_together_or_not(accented: Path) -> None:
    """A kit said that no record has “Übelkeit”, and that the nearest is “Übelkeit”."""
    release, reader = kit().Release(accented), Reader(read_release(accented).published)
    one, other = (asked_of_kit(release, question) for question in in_both_forms())
    assert one is not None
    assert one == other
    assert all(alike(asked_of_program(reader, question), one) for question in in_both_forms())
    found = release.count({unicodedata.normalize("NFD", ACCENTED[0]): ACCENTED[1]}, "bayes")
    assert found.published == release.counts(ACCENTED[0])[release.labels[ACCENTED[0]].index("U\u0308belkeit")]


def of_every_argument(form: str) -> list[Question]:
    """Every place where a question names a column, typed in a form."""
    ill, value, ward, place = (unicodedata.normalize(form, each) for each in ACCENTED)
    years = unicodedata.normalize(form, "Länge")
    return [
        Question("mean", (years, [f"{ill}={value}"])),
        Question("quantile", (f" {years}", 0.5, [])),
        Question("trend", ([f"{ill}={value}"], years, "")),
        Question("crosstab", (ill, ward)),
        Question("logit", (f"{ill}={value}", [ward, years])),
        Question("poisson", (years, [ward, f"{ill}={value}"])),
        Question("count", (f"{ill}={value}; {ward}={place}", "bayes")),
    ]


def test_a_column_is_found_wherever_a_question_names_it(accented: Path) -> None:
    """Conditions found “Länge” put together or not; mean, trend and regressions as the release writes it alone."""
    release = kit().Release(accented)
    for one, other in zip(of_every_argument("NFC"), of_every_argument("NFD"), strict=True):
        assert (found := asked_of_kit(release, one)) is not None, one
        assert sorted(map(str, found.values())) == sorted(map(str, (asked_of_kit(release, other) or {}).values())), one
    apart = unicodedata.normalize("NFD", ACCENTED[0])
    assert (
        release.count({apart + "!": ACCENTED[1]}).estimate == release.count({ACCENTED[0] + "!": ACCENTED[1]}).estimate
    )


@needs("R")
def test_a_column_is_found_wherever_a_question_names_it_in_r(accented: Path) -> None:
    release = kit().Release(accented)
    asked = of_every_argument("NFD")
    for question, answer in zip(asked, asked_in_r(accented, asked), strict=True):
        assert answer is not None, question
        assert alike(asked_of_kit(release, question), answer), question
    # `--by COLUMN` without a period, whose accents stand apart.
    call = ["Rscript", "splu_release.R", *asked[2].typed, "--json"]
    ran = subprocess.run(call, cwd=accented, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@needs("R")
def test_what_r_reads_from_a_pipe_is_no_command_line(folders: dict[str, Path]) -> None:
    """It ended where the block for Rscript looked for its own file."""
    text = (folders["plain"] / "splu_release.R").read_text("utf-8") + "\ncat(class(splu_release))\n"
    ran = subprocess.run(["Rscript", "-"], input=text, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "function", "")


@needs("R")
def test_accents_are_found_put_together_or_not_in_r(accented: Path) -> None:
    release = kit().Release(accented)
    for question, answer in zip(in_both_forms(), asked_in_r(accented, in_both_forms()), strict=True):
        assert answer is not None
        assert alike(asked_of_kit(release, question), answer)


@pytest.mark.parametrize(
    "asked",
    [
        "count({'nowhere': 'A'})",
        "count('no condition')",
        "count({'ward': 'A', 'ward!': 'A'})",
        "count({'code': '02'}, 'pooled')",
        "mean('ward')",
        "quantile('age', 2)",
        "trend('code=02', 'code')",
        "trend('code=02', 'day', 'decade')",
        "trend('code=02', 'age', 'month')",
        "logit('code=02', ['nowhere'])",
        "logit('ward=A', ['ward'])",
        "trend('code=02', 'nowhere')",
        "count(3)",
        "quantile('age', 'half')",
        "counts('nowhere')",
        "logit('stay=1..5', ['stay'])",
        "poisson('stay=3..5', ['stay=3..8'])",
        "crosstab('ward', 'ward')",
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(asked: str, folders: dict[str, Path]) -> None:
    release = kit().Release(folders["plain"])
    with pytest.raises(kit().Refused, match=r"\A.{15,}[.]\Z"):
        ask(release, asked)


WRONG = [
    ["count", "nowhere=1"],
    ["count", "code=99"],
    ["count", "code"],
    ["share", "code=02", "--where", "ward=Z"],
    ["mean", "ward"],
    ["quantile", "age", "--q", "half"],
    ["trend", "code=02", "--by", "day:decade"],
    ["trend", "code=02", "--by", "age:month"],
    ["trend", "code=02", "--by", "age", "--by", "day"],
    ["odds-ratio", "code=02"],
    ["logit", "code=02", "--on", "nowhere"],
    ["median", "age"],
    ["count", "age=60..40"],
    ["count", "day=2024-03..2024-01"],
    ["count", "band=50..20"],
    ["count", "--where"],
    ["count", "code=02", "--wher", "ward=A"],
    ["count", "code=02", "--method", "best"],
    ["mean"],
    [],
]


def test_what_is_asked_wrongly_is_told_in_one_line(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(folders["plain"])

    def program(words: list[str]) -> int:
        return main(["query", folder, *words[1:]] if words[:1] == ["count"] else ["analyse", folder, *words])

    for words in WRONG:
        for ask in (program, lambda words: kit().main([*words, "--release", folder] if words else [])):
            try:
                status = ask(words)
            except SystemExit as end:
                status = end.code
            said = capsys.readouterr()
            assert (status, said.out, said.err.count("\n")) == (2, "", 1), (words, said.err)
            assert said.err.startswith(("splu: ", "splu_release: ")), said.err


@needs("R")
def test_what_is_asked_wrongly_is_told_in_one_line_in_r(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for words in WRONG:
        call = ["Rscript", str(folders["plain"] / "splu_release.R"), *words]
        ran = subprocess.run(call, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1), (words, ran.stderr)
        assert kit().main([*words, "--release", str(folders["plain"])]) == 2
        assert capsys.readouterr().err == ran.stderr, "one kit says what the other does"
    folder = json.dumps(str(folders["plain"]))
    asked = "tryCatch(r$median, error = conditionMessage)"
    call = f"source(file.path({folder}, 'splu_release.R')); r <- splu_release({folder}); {asked}"
    ran = subprocess.run(["Rscript", "-e", call], capture_output=True, text=True, check=False)
    with pytest.raises(AttributeError) as fault:
        _ = kit().Release(folders["plain"]).median
    assert str(fault.value) in ran.stdout


def test_packed_altered_and_missing_releases_are_told(folders: dict[str, Path], tmp_path: Path) -> None:
    module: ModuleType = kit()
    packed = tmp_path / "release.zip"
    with zipfile.ZipFile(packed, "w") as file:
        file.write(folders["plain"] / "release.json", "release.json")
    altered = shutil.copytree(folders["plain"], tmp_path / "altered")
    (altered / "table.csv").write_text((altered / "table.csv").read_text().replace("A", "B", 1))
    for place, said in ((packed, "unpack"), (altered, "not the table"), (tmp_path, "no release.json")):
        with pytest.raises(module.Refused, match=said):
            module.Release(place)


def test_intervals_hold_the_truth() -> None:
    """30 releases of two draws, 4 analyses each: Binomial(240, .95) outside .90 to .99 is under 1 in 500.

    The whole run, of every draw and analysis, is benchmarks/analyses.py.
    """
    table = table_of(4_000)
    held = []
    for name, met in (("tight", "stay=3..5"), ("joined", "flag=yes")):
        plan = kit_plan(table, name)
        one, other = table[met.partition("=")[0]], table["ward"]
        true_met = parse_condition(met, Published(table, {})).select(one)[one.codes]
        inside = other.codes == other.code_of("B")
        a, b, c, d = (float((x & y).sum()) for x, y in itertools.product((inside, ~inside), (true_met, ~true_met)))
        ages = table["age"].values[table["age"].codes]
        truth = (a / (a + b), a / (a + b) - c / (c + d), a * d / (b * c), float(ages[true_met].mean()))
        for seed in range(1000, 1030):
            reader = Reader(sanitise.run(table, plan, randomness=Seeded(seed)))
            asked, ward, rest = ((parse_condition(text, reader.published),) for text in (met, "ward=B", "ward!=B"))
            found = (
                analyses.share(reader, asked, ward),
                analyses.difference(reader, (*ward, *asked), (*rest, *asked)),
                analyses.odds_ratio(reader, ward, asked),
                analyses.mean(reader, "age", asked),
            )
            held += [one.low <= right <= one.high for one, right in zip(found, truth, strict=True)]
    assert 0.90 <= sum(held) / len(held) <= 0.99
    assert math.isfinite(sum(truth))


ODD = [
    "01",
    'a"b',
    "x\ny",
    "\r\n",
    "=1+1",
    "@cmd",
    "שלום",
    "",
    " lead",
    "a|b",
    "a=b",
    "1..5",
    "NA",
    "-3",
    "a;=b",
    "'q",
    "😀",
]


def odd_release(folder: Path) -> tuple[Table, Path]:
    """Write a release whose names and values are what programs stumble over."""
    chance = random.Random(1)
    names = ("=SUM(A1)", 'na"me', "Ward=", "שם", "sa!", "a,b")
    cells = [[chance.choice(ODD) for _ in range(600)] for _ in range(4)]
    cells += [[str(chance.randrange(20)) for _ in range(600)], ["same"] * 600]
    table = Table(tuple(Column.from_labels(name, each) for name, each in zip(names, cells, strict=True)))
    draws = {'na"me': PlainGroups(4), "sa!": PlainGroups(3)}
    plan = Plan({name: Role.SA if name in draws else Role.NSA for name in names}, draws)
    return table, write_release(sanitise.run(table, plan, randomness=Seeded(1)), folder).folder


CODES_AND_MONTHS = (
    # Each was answered by the kit, some by the program too, as if texts were numbers or months days.
    Question("mean", ("postcode", [])),
    Question("mean", ("month", ["sick=yes"])),
    Question("quantile", ("postcode", 0.5, [])),
    Question("trend", ("sick=yes", "postcode", "year")),
    Question("count", (["site=7", "sick=yes"], "unbiased")),
    Question("count", (["site=5..8", "sick=yes"], "unbiased")),
    Question("count", (["postcode>=20", "sick=yes"], "unbiased")),
    Question("count", (["month=2024-01-15..2024-03-20", "sick=yes"], "unbiased")),
    Question("count", (["month=2024 Q2..", "sick=yes"], "unbiased")),
    Question("count", (["month=2024-13", "sick=yes"], "unbiased")),
    Question("count", (["age=5_0", "sick=yes"], "unbiased")),
    Question("count", (["crp=1..4", "sick=yes"], "unbiased")),
    Question("poisson", ("sick!=(empty)", ["sick", "site"], [])),  # all meet it: coefficients were 0, exactly
    Question("poisson", ("sick=yes", ["site"], ["sick=yes"])),
)
TOLD = (
    Question("count", (["site=007", "sick=yes"], "unbiased")),
    Question("count", (["month=2024-01..2024-02", "sick=yes"], "unbiased")),
    Question("count", (["crp>=5", "sick=yes"], "unbiased")),
    Question("mean", ("crp", ["sick=yes"])),
    Question("trend", ("sick=yes", "month", "month")),
)
UNCHANGED = (  # nothing sensitive is asked: the conditions are the question, not the group
    (Question("share", ("site=007", [], "unbiased")), 1 / 3),
    (Question("share", ("site=007", ["postcode=0002"], "bayes")), 0.0),
    (Question("difference", ("site=007", "site=Zürich, Süd", [])), 0.0),
    (Question("ratio", ("site=007", ["site!=007"], [])), 0.5),
    (Question("trend", ("site=007", "month", "month")), 0.0),
)


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a release of codes that look like numbers, months, intervals, and an illness that hangs on nothing."""
    n, rest = 1_800, np.random.default_rng(4)
    columns = {
        "site": (["007", "Zürich, Süd", 'Bern "Insel"'] * n)[:n],
        "postcode": [f"{1 + at % 3:04}" for at in range(n)],
        "month": [f"2024-0{1 + at // 3 % 4}" for at in range(n)],
        "age": [str(20 + at % 60) for at in range(n)],
        "crp": [("0 to below 5", "5 to below 20", "20 to below 50")[each] for each in rest.integers(0, 3, n)],
        "sick": ["yes" if each < 0.3 else "no" for each in rest.random(n)],
    }
    table = Table(
        tuple(
            Column.from_labels(name, cells, kind=Kind.INTEGER if name == "age" else Kind.CATEGORY)
            for name, cells in columns.items()
        )
    )
    drawn = {"sick": by_gamma(table["sick"], 2, JOINED)}
    plan = Plan({name: Role.SA if name in drawn else Role.NSA for name in table.names}, drawn)
    folder = tmp_path_factory.mktemp("coded") / "release"
    write_release(sanitise.run(table, plan, randomness=Seeded(2)), folder)
    return folder


def test_codes_are_no_numbers_and_unchanged_columns_are_answered_exactly(coded: Path) -> None:
    """A mean of postcodes, of months 1015, “7” for “007”, a range of days that cut through months, a share of 1."""
    release, reader = kit().Release(coded), Reader(read_release(coded).published)
    for question in CODES_AND_MONTHS:
        assert asked_of_kit(release, question) is None, question
        assert asked_of_program(reader, question) is None, question
    for question in TOLD:
        assert (ours := asked_of_program(reader, question)) is not None, question
        assert alike(ours, asked_of_kit(release, question)), question
    for question, right in UNCHANGED:
        found = asked_of_kit(release, question)
        assert found is not None, question
        assert found[""][:3] == pytest.approx([right] * 3, abs=1e-9), question
        if "bayes" not in question.given:
            assert alike(asked_of_program(reader, question), found), question


STRANGERS = (  # a stranger's question and the same as the program reads it: (kit in Python, in R, conditions)
    ("{'seen': True, 'sick': 'YES'}", "list(seen = TRUE, sick = 'YES')", ("seen=TRUE", "sick=yes")),
    ("'seen=true; sick=yes'", "'seen=true; sick=yes'", ("seen=TRUE", "sick=yes")),
    ("'sick=yes', where={'seen': True}", "'sick=yes', where = 'seen=TRUE'", ("seen=TRUE", "sick=yes")),
    ("['group=a|b|c', 'sick=yes']", "c('group=a|b|c', 'sick=yes')", ("group=a|b|c", "sick=yes")),
    ("['group=c|a|b', 'sick=yes']", "c('group=c|a|b', 'sick=yes')", ("group=c|a|b", "sick=yes")),
    ("['group=d|c', 'sick=yes']", "c('group=d|c', 'sick=yes')", ("group=d|c", "sick=yes")),
    ("['group= d|c', 'sick=yes']", "c('group= d|c', 'sick=yes')", ("group= d|c", "sick=yes")),
)
NONE = ("sick=yes|", "group=|c", "long=..", "sick=maybe", "day=2024-00..2024-03", "day=2024-01-00..2024-01-05")


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a release with yes and no as TRUE and FALSE, values with a bar, of 17 digits, and without any."""
    n, rest = 900, np.random.default_rng(4)
    columns = {
        "seen": (["TRUE", "FALSE", "TRUE"] * n)[:n],
        "group": (["a|b", "c", "", " d"] * n)[:n],
        "long": [f"1234567890123456{at % 9}" for at in range(n)],
        "sick": ["yes" if each < 0.3 else "no" for each in rest.random(n)],
        "day": [f"2024-01-{1 + at % 28:02}" for at in range(n)],
        "ill": ["x" if each < 0.4 else "y" for each in rest.random(n)],
    }
    kinds = {"long": Kind.INTEGER, "seen": Kind.BOOLEAN, "day": Kind.DATE}
    table = Table(
        tuple(Column.from_labels(name, cells, kind=kinds.get(name, Kind.CATEGORY)) for name, cells in columns.items())
    )
    drawn = {name: by_gamma(table[name], 2, JOINED) for name in ("sick", "ill")}
    plan = Plan({name: Role.SA if name in drawn else Role.NSA for name in table.names}, drawn)
    return write_release(
        sanitise.run(table, plan, randomness=Seeded(2)), tmp_path_factory.mktemp("strange") / "r"
    ).folder


def test_what_a_stranger_writes_is_what_was_meant(strange: Path) -> None:
    """Truth values, small letters, ; between conditions, a where of counts, a bar within a value; types are kept."""
    release, published = kit().Release(strange), read_release(strange).published
    for asked, _, meant in STRANGERS:
        conditions = [parse_condition(text, published) for text in meant]
        ours = Reader(published).answer(conditions, Method.UNBIASED).estimate
        assert ask(release, f"count({asked})").estimate == pytest.approx(ours, abs=1e-6), asked
    for asked in NONE:
        with pytest.raises(kit().Refused, match=r"No published record|has an empty place"):
            release.count(asked)
        with pytest.raises(BadQuestion):
            parse_condition(asked, published)
    with pytest.raises(kit().Refused, match="can vanish"):
        release.count("sick=maybe")
    for given, text in ((float("nan"), "group=(empty)"), (datetime.datetime(2024, 1, 5), "day=2024-01-05")):
        assert release.count({text.partition("=")[0]: given}).estimate == release.count(text).estimate > 0
    row = release.rows()[0]
    assert type(row["seen"]) is bool
    assert 12345678901234560 <= row["long"] <= 12345678901234568
    assert {each["long"] for each in release.rows()} == {int(label) for label in release.labels["long"]}
    cells = release.crosstab("group", "sick").as_dict()["parts"]
    assert {"(empty) | yes", "a|b | (all)"} <= set(cells)
    assert cells.keys() == analyses.crosstab(Reader(published), "group", "sick").as_dict()["parts"].keys()


def test_coefficients_that_may_be_anything_are_refused(strange: Path) -> None:
    """As an odds ratio of the same is; where one has an end, all are told."""
    release, reader = kit().Release(strange), Reader(read_release(strange).published)
    asked = Question("logit", ("ill=x", ["sick=yes"], ["group=c"]))
    with pytest.raises(kit().Refused, match="each may be anything"):
        release.logit(*asked.given)
    assert asked_of_program(reader, asked) is None
    with pytest.raises(kit().Refused, match="may be anything"):
        release.odds_ratio("ill=x", "sick=yes", ["group=c"])


@needs("R")
def test_what_a_stranger_writes_is_so_in_r(strange: Path) -> None:
    release = kit().Release(strange)
    code = ["source('splu_release.R'); r <- splu_release('.')"]
    code += [f"cat(format(r$count({asked})$estimate, digits = 15), '')" for _, asked, _ in STRANGERS]
    refused = [
        *(f"r$count('{asked}')" for asked in NONE),
        "r$logit('ill=x', 'sick=yes', 'group=c')",
    ]
    code += [f"cat(tryCatch({{{asked}; 'answered'}}, splu_refused = function(e) 'refused'), '')" for asked in refused]
    code += [
        "cat(class(r$table$seen), class(r$table$long), '(empty) | yes' %in% names(r$crosstab('group', 'sick')$parts))"
    ]
    ran = subprocess.run(
        ["Rscript", "-"], input="\n".join(code), cwd=strange, capture_output=True, text=True, check=True
    )
    *found, seen, long, named = ran.stdout.split()
    ours = [ask(release, f"count({asked})").estimate for asked, _, _ in STRANGERS]
    assert [float(each) for each in found[: len(ours)]] == pytest.approx(ours, abs=1e-6)
    assert (found[len(ours) :], seen, long, named) == (["refused"] * len(refused), "logical", "numeric", "TRUE")


@needs("R")
def test_codes_are_no_numbers_in_r(coded: Path) -> None:
    release, asked = kit().Release(coded), (*CODES_AND_MONTHS, *TOLD, *(each for each, _ in UNCHANGED))
    for question, found in zip(asked, asked_in_r(coded, asked), strict=True):
        assert alike(asked_of_kit(release, question), found), question


def test_odd_names_and_values_are_asked_for_as_they_are(tmp_path: Path) -> None:
    table, folder = odd_release(tmp_path / "r")
    release, reader = kit().Release(folder), Reader(read_release(folder).published)
    for name in table.names:
        for label in map(str, reader.published.table[name].labels):
            asked = {name: [label], 'na"me': ["01"]} if name != 'na"me' else {name: [label]}
            conditions = [Condition(column, tuple(values)) for column, values in asked.items()]
            assert release.count(asked).estimate == pytest.approx(reader.answer(conditions, Method.UNBIASED).estimate)


@needs("R")
def test_odd_names_and_values_are_so_in_r(tmp_path: Path) -> None:
    """A blank in the folder's own name, too: Rscript hands it on as ~+~, and the kit found no release there."""
    _, folder = odd_release(tmp_path / "a release")
    whole = kit().Release(folder).crosstab("Ward=", 'na"me')
    call = ["Rscript", str(folder / "splu_release.R"), "crosstab", "Ward=", 'na"me', "--json"]
    ran = subprocess.run(call, capture_output=True, text=True, check=True)
    found = [part["estimate"] for part in json.loads(ran.stdout)["parts"].values()]
    assert sorted(found) == pytest.approx(sorted(part.estimate for part in whole.parts.values()), abs=1e-3)


def altered_facts() -> list[Callable[[dict[str, Any]], object]]:
    """Return changes to release.json, each of which leaves JSON."""
    way = lambda facts: facts["transitions"]["columns"]["code"]  # noqa: E731
    return [
        lambda facts: facts.pop("columns"),
        lambda facts: facts.update(records="many"),
        lambda facts: facts.update(files=[]),
        lambda facts: facts["columns"].pop(),
        lambda facts: facts["columns"][3].update(domain=["1", "2"]),
        lambda facts: way(facts).update(most="many"),
        lambda facts: way(facts).pop("a"),
        lambda facts: way(facts).update(T=[[1]], inverse=[[1]], counts=[1], readable=[True], hidden=0, moving=[True]),
        lambda facts: facts.update(transitions=7),
        lambda facts: facts.update(transitions={"columns": {}}),
    ]


@pytest.mark.parametrize("sealed", [False, True])
def test_an_altered_release_is_refused_in_a_sentence(sealed: bool, folders: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(folders["plain"], tmp_path / "r")
    whole = (folders["plain"] / "release.json").read_text("utf-8")
    texts = ["[" * 20_000, "7", "null", '{"format": "splu-release", "version": 1}', whole[:-20], "\udcff"]
    for change in altered_facts():
        facts = json.loads(whole)
        change(facts)
        facts["sha256"] = seal_of(facts) if sealed else facts["sha256"]
        texts.append(json.dumps(facts))
    for text in texts:
        (tmp_path / "r" / "release.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(kit().Refused, match=r"\A.{15,}[.]\Z"):
            kit().Release(tmp_path / "r")
    if sealed and shutil.which("Rscript"):  # by command for the last, in one session for all; R takes long to start
        call = ["Rscript", str(tmp_path / "r" / "splu_release.R"), "count", "code=02"]
        ran = subprocess.run(call, capture_output=True, text=True, check=False)
        assert ran.returncode == 2
        assert len(ran.stderr.strip().splitlines()) == 1
        for number, text in enumerate(texts[1:]):
            altered = shutil.copytree(folders["plain"], tmp_path / str(number))
            (altered / "release.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        code = (
            f"source('r/splu_release.R'); for (at in 1:{len(texts) - 1} - 1) {{cat(tryCatch("
            "{splu_release(as.character(at))$count('code=02'); 'answered'}, "
            "error = function(fault) c(class(fault)[1], conditionMessage(fault))), sep = '\\t'); cat('\\n')}"
        )
        ran = subprocess.run(["Rscript", "-"], input=code, cwd=tmp_path, capture_output=True, text=True, check=False)
        said = [line.rstrip("\t").split("\t") for line in ran.stdout.splitlines()]
        assert len(said) == len(texts) - 1, ran.stderr
        assert all(len(each) == 2 and each[0] == "splu_refused" and len(each[1]) > 15 for each in said), said


LATER: list[Callable[[dict[str, Any]], object]] = [  # what opening a release does not look at
    lambda facts: [entry.update(missing=7) for entry in facts["columns"]],
    lambda facts: [entry.pop("missing") for entry in facts["columns"]],
]


def test_altered_facts_are_told_by_every_question(folders: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(folders["plain"], tmp_path / "r")
    whole = (folders["plain"] / "release.json").read_text("utf-8")
    for change in LATER:
        facts = json.loads(whole)
        change(facts)
        facts["sha256"] = seal_of(facts)
        (tmp_path / "r" / "release.json").write_text(json.dumps(facts), "utf-8")
        for question in ("count('code=02')", "share('code=02', 'ward=A')", "rows()"):
            with pytest.raises(kit().Refused, match=r"\A.{15,}[.]\Z"):
                ask(kit().Release(tmp_path / "r"), question)


@needs("R")
def test_altered_facts_are_told_in_r_as_a_library(folders: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(folders["plain"], tmp_path / "r")
    facts = json.loads((folders["plain"] / "release.json").read_text("utf-8"))
    facts["persons"] = 7
    facts["sha256"] = seal_of(facts)
    (tmp_path / "r" / "release.json").write_text(json.dumps(facts), "utf-8")
    code = (
        "source('splu_release.R'); for (ask in c(function() r$count(3), function() r$count('code=02'), "
        "function() r$trend('code=02', 'x'))) {r <- splu_release('.'); said <- tryCatch(ask(), error = identity)\n"
        "cat(inherits(said, 'splu_refused'), names(formals(r$count))[1], '\\n')}"
    )
    ran = subprocess.run(["Rscript", "-e", code], cwd=tmp_path / "r", capture_output=True, text=True, check=False)
    assert ran.stdout.split("\n") == ["TRUE conditions "] * 3 + [""], ran.stderr


def test_names_that_an_output_has_no_letters_for(tmp_path: Path) -> None:
    """As where what a Windows console would show goes into a file."""
    _, folder = odd_release(tmp_path / "r")
    call = [sys.executable, str(folder / "splu_release.py"), "crosstab", "Ward=", 'na"me']
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
