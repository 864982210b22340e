"""`splu analyse`, and conditions that exclude values or range over published months."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop import recipient
from splu_desktop.cli import main
from splu_desktop.core import sanitise
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.generalise.dates import DatePart, Part
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.release.folder import read_release
from tests.draws import plain
from tests.files.kit_releases import kit, kit_plan, table_of
from tests.seeded import Seeded
from tests.written import write_release

TABLE = table_of(3_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("analyse") / "r"
    write_release(sanitise.run(TABLE, kit_plan(TABLE, "tight"), randomness=Seeded(1)), place)
    return place


def ask(capsys: Any, folder: Path, *words: str) -> dict[str, Any]:
    assert main(["analyse", str(folder), *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (["share", "ward=B", "code=02"], "share(['ward=B', 'code=02'])"),
        (
            ["difference", "ward=A; code=02", "ward!=A; code=02"],
            "difference(['ward=A', 'code=02'], ['ward!=A', 'code=02'])",
        ),
        (["ratio", "ward=A; stay=4", "ward=B; stay=4"], "ratio(['ward=A', 'stay=4'], ['ward=B', 'stay=4'])"),
        (
            ["odds-ratio", "age=20..49", "stay=4", "--where", "ward=A|B"],
            "odds_ratio('age=20..49', 'stay=4', 'ward=A|B')",
        ),
        (["mean", "stay", "ward=B"], "mean('stay', 'ward=B')"),
        (["quantile", "stay", "--q", "0.25"], "quantile('stay', 0.25)"),
        (["trend", "code=02", "--by", "day:quarter"], "trend('code=02', 'day', 'quarter')"),
        (["crosstab", "stay", "code"], "crosstab('stay', 'code')"),
        (["logit", "code=02", "--on", "age", "--on", "ward=A"], "logit('code=02', ['age', 'ward=A'])"),
        (["poisson", "stay", "--on", "ward"], "poisson('stay', ['ward'])"),
    ],
)
def test_each_analysis_is_the_kits(capsys: Any, folder: Path, words: list[str], same: str) -> None:
    found = ask(capsys, folder, *words)
    expected = eval(f"release.{same}", {"release": kit().Release(folder)}).as_dict()
    assert found["release"] == expected["release"]
    assert list(found.get("parts", {})) == list(expected.get("parts", {}))
    pairs = [(found, expected), *((found["parts"][name], part) for name, part in expected.get("parts", {}).items())]
    for one, other in pairs:
        ours, theirs = (
            [np.inf if x[end] is None else x[end] for end in ("estimate", "low", "high")] for x in (one, other)
        )
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-5)
    assert main(["analyse", str(folder), *words]) == 0
    assert f"Release {found['release']}." in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["mean", "nowhere"],
        ["mean", "ward"],
        ["trend", "code=02", "--by", "code"],
        ["trend", "code=02", "--by", "ward"],
        ["trend", "code=02", "--by", "age:month"],
        ["logit", "ward=A", "--on", "ward"],
        ["crosstab", "code", "code"],
        ["quantile", "stay", "--q", "1"],
        ["share", "code=zz"],
        ["poisson", "stay", "--on", "ward", "--on", "stay"],
    ],
)
def test_what_cannot_be_answered_is_one_sentence(capsys: Any, folder: Path, words: list[str]) -> None:
    assert main(["analyse", str(folder), *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("splu: ")
    assert said.count("\n") == 1


def test_excluded_values_and_the_library(folder: Path) -> None:
    published = recipient.read_release(folder).published
    reader = recipient.Reader(published)

    def count(text: str) -> float:
        return reader.answer([recipient.parse_condition(text, published)], recipient.Method.UNBIASED).estimate

    assert count("ward!=A") == TABLE.n - count("ward=A") == count("ward=B|C")
    assert count("age!=20..49") == count("age=50..")
    assert str(recipient.parse_condition("ward!=A|B", published)) == "ward!=A|B"
    with pytest.raises(BadQuestion, match="leaves no value"):
        count("ward!=A|B|C")


def test_ranges_of_published_months(tmp_path: Path) -> None:
    roles = {name: Role.NSA if name in ("day", "ward") else Role.DROPPED for name in TABLE.names} | {"code": Role.SA}
    for part, low, high, last in (
        (Part.MONTH, "2023-12", "2024-02", "2024-03-01"),
        (Part.QUARTER, "2023 Q4", "2024 Q1", "2024-04-01"),
    ):
        plan = Plan(roles, plain({"code": 3}), generalisations={"day": (DatePart(part),)})
        write_release(sanitise.run(TABLE, plan, randomness=Seeded(1)), tmp_path / part.value)
        days = TABLE["day"].values[TABLE["day"].codes]
        first = "2023-12-01" if part is Part.MONTH else "2023-10-01"
        true = int(((days >= np.datetime64(first)) & (days < np.datetime64(last))).sum())
        published = recipient.read_release(tmp_path / part.value).published
        asked = recipient.parse_condition(f"day={low}..{high}", published)
        assert recipient.Reader(published).answer([asked]).estimate == true
        assert kit().Release(tmp_path / part.value).count(f"day={low}..{high}").estimate == true
        for wrong in (f"day={high}..{low}", "day=spring.."):
            with pytest.raises(BadQuestion):
                recipient.Reader(published).answer([recipient.parse_condition(wrong, published)])


def test_whoever_asks_a_release_by_person_is_told_how_often_intervals_hold(tmp_path: Path, capsys: Any) -> None:
    """Counts alone said so; shares, odds ratios and cross-tables, where it shows most, did not."""
    for draw, told in (("joined persons", True), ("joined", False)):
        folder = write_release(
            sanitise.run(TABLE, kit_plan(TABLE, draw), randomness=Seeded(1)), tmp_path / draw.replace(" ", "")
        ).folder
        questions = tmp_path / "questions.csv"
        sensitive = read_release(folder).published.sensitive[0]
        value = str(read_release(folder).published.table[sensitive].labels[0])
        asked = [
            ["query", str(folder), f"{sensitive}={value}", "ward=A"],
            ["queries", str(folder), str(questions), "--out", str(tmp_path / f"{told}.csv")],
            ["crosstab", str(folder), "--by", "ward", "--sa", sensitive],
            ["analyse", str(folder), "odds-ratio", "ward=A", f"{sensitive}={value}"],
        ]
        questions.write_text(f"ward,{sensitive}\nA,{value}\n", encoding="utf-8")
        for words in asked:
            assert main(words) == 0, words
            assert ("80 to 93 of 100 cases" in " ".join(capsys.readouterr().out.split())) is told, words
