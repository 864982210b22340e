"""One source per figure: window, command line, register, report and README of a release say the same number."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees.exact import t_p
from splu_desktop.core.progress import Silent
from splu_desktop.files.register.book import Register
from splu_desktop.files.register.shelf import falls
from splu_desktop.files.release.folder import OpenRelease, read_release
from splu_desktop.gui.plan import figures as window
from tests.conftest import attack_briefly

ON_PAGES = 6  # sentences of promises; more stand in the workbook
CHOICES = {
    "plain": ("--sa", "illness:5", "--sa", "smoker:3", "--t-p", "0.5"),
    "persons": ("--sa", "illness:4"),
    "tiny": ("--sa", "illness:5"),
    "tolerances": ("--tolerance", "result:positive=0.2", "--tolerance", "result:unclear=0.5"),
    "fakes": ("--tolerance", "result:positive=0.2", "--tolerance", "result:unclear=0.5", "--fakes", "result=1"),
    "declared": ("--tolerance", "result:*=0.3", "--tolerance", "result:negative=1", "--declared", "result=codes.csv"),
    # All at once: drawn by person, one column with a gamma, one with tolerances, two together.
    "hard": (
        *("--person", "patient number=draw", "--sa", "illness:4", "--together", "diabetes,insulin", "--gamma", "3"),
        *("--tolerance", "result:positive=0.3", "--tolerance", "result:unclear=0.5"),
    ),
}


def _rows(case: str) -> list[str]:
    rng = np.random.default_rng(3)
    if case == "tiny":
        return ["ward,illness", *(f"W{i % 2},ill {i % 5}" for i in range(10))]
    if case in ("tolerances", "fakes", "declared"):
        result = rng.choice(["negative", "unclear", "positive"], 1_500, p=[0.8, 0.14, 0.06])
        return ["ward,age,result", *(f"W{rng.integers(0, 3)},{rng.integers(0, 40)},{each}" for each in result)]
    weights = 1 / np.arange(5, 17)
    ill = rng.choice(12, 900, p=weights / weights.sum())
    smoker = rng.choice(["no", "yes", "stopped", ""], 900, p=[0.3, 0.25, 0.25, 0.2])
    person = rng.permutation(900) % (400 if case == "persons" else 900)
    ward, age = (ill + rng.integers(0, 2, 900)) % 5, rng.integers(20, 90, 900)
    if case == "hard":
        person = rng.permutation(900) % 400
        result = rng.choice(["negative", "unclear", "positive"], 900, p=[0.8, 0.14, 0.06])
        diabetes = rng.choice(["no", "yes"], 900, p=[0.7, 0.3])
        insulin = np.where((diabetes == "yes") & (rng.random(900) < 0.6), "yes", "no")
        rows = zip(person, ward, age, ill, result, diabetes, insulin, strict=True)
        return [
            "patient number,ward,age,illness,result,diabetes,insulin",
            *(f"{70_000 + p},W{w},{a},ill {i},{r},{d},{n}" for p, w, a, i, r, d, n in rows),
        ]
    rows = zip(person, ward, age, smoker, ill, strict=True)
    return ["patient number,ward,age,smoker,illness", *(f"{70_000 + p},W{w},{a},{s},ill {i}" for p, w, a, s, i in rows)]


@dataclass(frozen=True, eq=False)
class Said:
    """What every place says of one release."""

    planned: dict[str, Any]
    published: dict[str, Any]
    facts: dict[str, Any]
    registered: dict[str, Any]
    external: dict[str, Any]
    internal: dict[str, Any]
    html: str
    readme: str
    dictionary: str
    opened: OpenRelease
    register: Register
    folder: Path


def run(*words: object) -> str:
    """Return what a command prints; it must end well."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*map(str, words)])
    assert status == 0, err.getvalue()
    return out.getvalue()


@pytest.fixture(scope="module", params=list(CHOICES))
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def said(case: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Said]:
    with pytest.MonkeyPatch.context() as patch:
        tmp_path = tmp_path_factory.mktemp(case)
        patch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
        patch.chdir(tmp_path)
        attack_briefly(patch)
        yield _said(case, tmp_path)


def _said(case: str, tmp_path: Path) -> Said:
    source, folder = tmp_path / "source.csv", tmp_path / "release"
    source.write_text("\n".join(_rows(case)) + "\n", encoding="utf-8")
    (tmp_path / "codes.csv").write_text("negative\nunclear\npositive\nlost\nspoilt\n", encoding="utf-8")
    planned = json.loads(run("plan", source, *CHOICES[case], "--json"))
    published = json.loads(run("publish", source, *CHOICES[case], "--out", folder, "--json"))
    run("verify", folder)
    for name in ("external.json", "external.html"):
        run("report", folder, "--out", tmp_path / name)
    run("report", folder, "--internal", "--source", source, "--out", tmp_path / "internal.json")
    run("verify", tmp_path / "external.json", folder)
    return Said(
        planned,
        published,
        json.loads((folder / "release.json").read_text("utf-8")),
        json.loads(run("releases", "--json"))["releases"][0],
        json.loads((tmp_path / "external.json").read_text("utf-8"))["public"],
        json.loads((tmp_path / "internal.json").read_text("utf-8")),
        _plain(re.sub(r"<[^>]+>", " ", unescape((tmp_path / "external.html").read_text("utf-8")))),
        _plain((folder / "README.txt").read_text("utf-8-sig")),
        (folder / "dictionary.csv").read_text("utf-8-sig"),
        read_release(folder),
        Register(),
        folder,
    )


def _plain(text: str) -> str:
    """One blank between words: lines break elsewhere at each place."""
    return " ".join(text.replace("\u00a0", " ").replace("\u202f", " ").split())


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:[.,]\d+)*", text)


def test_every_place_says_the_same(said: Said, case: str) -> None:
    published = said.opened.published
    asked = published.thresholds
    assert said.internal["public"]["persons"] == said.external["persons"]
    assert said.internal["public"]["guarantees"] == said.external["guarantees"]
    assert said.published["guarantees"] == said.registered["guarantees"]
    for sentence in published.readers():
        assert _plain(sentence) in said.readme
        assert _plain(sentence) in said.html
    for name in published.sensitive:
        stated, draw = said.facts["guarantees"][name], published.draws[name]
        promised = said.registered["guarantees"][name]
        assert {key: promised[key] for key in stated} == stated
        planned = said.planned["sensitive"][name]
        if draw.gamma is not None:
            _plain_groups(said, name, stated, planned)
        else:
            _tolerances(said, name, stated, planned)
        # What one row tells to whom, and the promises, word for word.
        readers = list(draw.readers(name))
        assert planned["readers"] == readers
        assert asked.as_dict() == said.facts["thresholds"] == said.planned["thresholds"]


def _plain_groups(said: Said, name: str, stated: dict[str, Any], planned: dict[str, Any]) -> None:
    published = said.opened.published
    asked, gamma = published.thresholds, published.draws[name].gamma
    values = published.table[name].m
    assert gamma is not None
    (guarantee,) = (each for each in said.external["guarantees"] if each["column"] == name)
    options = ("--gamma", gamma, "--epsilon", asked.epsilon, "--t-e", asked.t_e, "--alpha", asked.alpha, "--json")
    printed = json.loads(run("guarantee", *options, "--records", published.n, "--values", values))
    reported = {**guarantee["law"], **guarantee}
    for key in ("t_p", "t_f", "t_f_chebyshev"):
        assert stated[key] == planned[key] == reported[key] == printed[key], key
    (entry,) = said.register.read().releases
    (fall,) = (each for each in falls(entry) if each.column == name)
    for repeated in guarantee["repeated"]:
        k = repeated["releases"]
        again = json.loads(run("guarantee", *options, "--releases", k))
        if stated["t_p"]:
            assert repeated["t_p"] == again["t_p"]
        if k in fall.t_p:
            assert fall.t_p[k] == pytest.approx(repeated["t_p"], rel=1e-9)
    shown = window.promises(gamma, asked, name, published.n, values, Silent())
    # What hinders that figures tell small counts is said to who can do it alone, and to no recipient.
    relief = "" if guarantee["unprotected"] is None else published.draws[name].relief
    assert shown[0].endswith(relief)
    assert not relief or relief not in said.readme + said.html
    for sentence in (shown[0].removesuffix(relief).strip(), shown[1]):
        assert _plain(sentence) in said.readme
    assert [_plain(each) for each in shown[2].split("\n\n")] == [_plain(each) for each in planned["readers"]]
    assert guarantee["unprotected"] is None or _plain(guarantee["unprotected"]) in said.readme
    assert [line["light"] for line in said.published["gate"] if line["name"] == "public-figures"] == [
        "amber" for each in said.external["guarantees"] if each["unprotected"]
    ]
    mine = next(row for row in said.dictionary.splitlines() if row.startswith(f"{name},"))
    assert f",{gamma}," in mine
    # 1 in gamma of the report is of this table: r/N, of which 1/gamma is the rounding.
    assert guarantee["confidence"] == pytest.approx(1 / gamma, abs=1 / published.n)


def _tolerances(said: Said, name: str, stated: dict[str, Any], planned: dict[str, Any]) -> None:
    published = said.opened.published
    draw, asked = published.draws[name], published.thresholds
    (tolerant,) = (each for each in said.external["guarantees"] if each["column"] == name)
    for promise in draw.promises(asked):
        # A draw with one promise for all values states that alone.
        entry = stated["by_tolerance"][str(promise.confidence)] if "by_tolerance" in stated else stated
        assert (entry["t_p"], entry["t_f"], entry["confidence"]) == (
            promise.t_p,
            promise.t_f,
            float(promise.confidence),
        )
        every = (planned["values"], tolerant["values"])
        # Before anything is published a value that nobody has stands nowhere.
        for value in set(promise.values) & {row["value"] for row in planned["values"]}:
            rows = [next(row for row in rows if row["value"] == value) for rows in every]
            assert all(row["t_p"] == promise.t_p for row in rows)
            assert all(row["tolerance"] == float(promise.confidence) for row in rows)
    assert planned["t_f"] == tolerant["t_f"]
    assert planned["sentences"] == tolerant["sentences"] == draw.sentences(name, asked)
    promised = {each["column"]: each["sentences"] for each in said.external["guarantees"]}
    once = attackers.said_once(promised, by_column=True)
    for place, sentence in enumerate(once):
        assert _plain(sentence) in said.readme
        assert place >= ON_PAGES or _plain(sentence) in said.html


def test_persons_and_unique_records_are_the_same_everywhere(said: Said, case: str) -> None:
    (line,) = (line for line in said.published["gate"] if line["name"] == "persons")
    told = said.external["persons"]["sentences"]
    # On the front, too: it once said "about single records" of a draw by person.
    promised = [set(re.findall(r"promise is (\w+ \w+)", text)) for text in (said.readme, said.html)]
    assert promised[0] == promised[1]
    for sentence in told:
        assert _plain(sentence) in said.readme
        assert _plain(sentence) in said.html
    if case == "persons":
        assert said.planned["persons"]["largest"] == 3
        assert "up to 3 each" in line["sentence"]
        assert (said.external["persons"]["most_records"], said.external["persons"]["mean_records"]) == (3, 2.2)
        assert told[1] in line["sentence"]
        chances = re.findall(r"(\d+) %", told[1])
        # Before the draw the figure is of the true counts, of which nothing is handed out.
        before = re.findall(r"(\d+) %", next(note for note in said.planned["notes"] if "Persons have several" in note))
        # From 2 records, from 3, and what anybody may guess; of the first two the larger is told where one decides.
        assert len(chances) == 3
        assert all(abs(int(one) - int(other)) <= 3 for one, other in zip(chances[1:], before, strict=True))
    unique = said.planned["risk"]["below"]["2"]
    assert said.external["risk"]["recognisable"]["below"]["2"] == unique
    (line,) = (line for line in said.published["gate"] if line["name"] == "unique-records")
    assert (_numbers(line["sentence"])[0] == f"{unique:,}") if unique else line["light"] == "green"


def test_the_example_of_the_readme_is_answered_as_query_does(said: Said, case: str) -> None:
    example = re.search(
        r"Example: how many records have (.+?) = (.+?) and (.+?) = (.+?)\? The table shows", said.readme
    )
    if example is None:
        assert case == "tiny"
        return
    nsa, label, sa, value = example.groups()
    words = (said.folder, f"{nsa}={label}", f"{sa}={value}")
    answer, text = json.loads(run("query", *words, "--json")), run("query", *words)
    assert f"The table shows {answer['published']} of the {answer['selected']} records" in said.readme
    ((kind, *ends),) = re.findall(r"(95 % interval|Possible) +([\d,]+) to ([\d,]+)", text)
    low, high = (each.replace(",", "") for each in ends)
    if kind == "Possible":
        assert f"does not tell the true count: {low} to {high} are possible" in said.readme
        return
    assert re.search(rf"the true count lies between {low} and {high}\b", said.readme)
    about = re.search(r"Estimate +about ([\d,]+)", text)
    if about is not None:
        assert re.search(rf"(about|the estimate is) {about[1].replace(',', '')}, and", said.readme)


def test_the_figures_printed_in_the_projects_readme() -> None:
    readme = _plain((Path(__file__).parents[2] / "README.md").read_text("utf-8"))
    said = run("guarantee", "--gamma", 5, "--epsilon", 0.3, "--t-e", 0.05, "--alpha", 3)
    chance, count = (re.search(text, said) for text in (r"at least (\d+) %", r"shared by (\d+) records or more"))
    assert chance is not None
    assert count is not None
    assert f"with a probability of at least {chance[1]} %, and a value that {count[1]} records or more share" in readme
    (owner,) = re.findall(r"own in 1 in 5 rows.* right with (\d+) %", said)
    assert f"a row that shows it is right with {owner} %" in readme
    (named,) = re.findall(r"in up to (\d+) % of releases", said)
    assert f"is shown in up to {named} % of releases" in readme
    several = [t_p(10, "0.3", 3, k) * 100 for k in (1, 2, 5)]
    assert (
        "the {:.0f} % or more for a small count to be wrong by more than 30 % falls to {:.0f} % after two".format(
            *(each // 1 for each in several)
        )
        in readme
    )
    assert f"and {several[2] // 1:.0f} % after five" in readme
