"""A report rehearses its release alike in every run, and no release can be drawn by what it rehearses with."""

from __future__ import annotations

import ast
import csv
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from scripts.draw_packages import modules
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.mechanism.randomness import below
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.files.importer import read
from splu_desktop.files.publish.publishing import Options, publish
from splu_desktop.files.register import Register
from splu_desktop.report import rehearsal
from splu_desktop.report.fields import Fields
from splu_desktop.report.make import as_json, make_report
from splu_desktop.report.rehearsal import FixedRandomness

_WHY = "the board has agreed"
_CHOSEN = ("--sa", "illness,sign", "--nsa", "sex,visited", "--gamma", "3", "--person", "patient_id=random",
           "--accept", f"all={_WHY}")  # fmt: skip


def _splu(home: Path, *words: object) -> None:
    found = subprocess.run(
        [sys.executable, "-c", "from splu_desktop.cli import main; raise SystemExit(main())", *map(str, words)],
        env=os.environ | {"SPLU_DATA_DIR": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = np.random.default_rng(11)
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "sex", "visited", "illness", "sign"])
        for person in range(700):
            sex = chance.choice(["f", "m"])
            for _ in range(int(chance.integers(1, 4))):
                illness = int(chance.integers(0, 40)) if chance.random() < 0.3 else 0
                day = np.datetime64("2024-01-01") + chance.integers(0, 200)
                writer.writerow([f"P{person:04}", sex, day, f"I{illness}", f"S{illness % 7}"])
    return path


def test_each_process_and_language_prints_the_same_figures(visits: Path, tmp_path: Path) -> None:
    """Of one row of each person, too, of which nobody knows any more which it was."""
    home, release = tmp_path / "home", tmp_path / "release"
    _splu(home, "publish", visits, *_CHOSEN, "--out", release)
    for code in ("en", "de"):
        out = ("--out", tmp_path / f"{code}.json", "--language", code)
        _splu(home, "--lang", code, "report", release, "--internal", "--source", visits, *out)
    one, two = ((tmp_path / f"{code}.json").read_bytes() for code in ("en", "de"))
    assert one == two
    stated = json.loads(one)["release"]
    assert stated["persons"] == stated["rows"]
    assert b'"named"' in one


def test_a_report_of_a_release_that_no_register_here_knows_is_the_same_in_each_run_too(
    visits: Path, tmp_path: Path
) -> None:
    table = read(visits).table
    roles = dict(zip(table.names, (Role.DROPPED, Role.NSA, Role.NSA, Role.SA, Role.SA), strict=True))
    plan = Plan(roles, (Block(("illness",), Lenders(3)), Block(("sign",), Lenders(3))))
    elsewhere = Register(tmp_path / "elsewhere")
    made = publish(table, plan, tmp_path / "r", options=Options(accept_all=_WHY), register=elsewhere)
    found = [as_json(make_report(made.release, Fields(law="none"), source=read(visits).table)) for _ in range(2)]
    assert found[0] == found[1]
    assert b'"named"' in found[0]


def test_only_who_has_the_registers_key_can_rehearse_the_same(tmp_path: Path) -> None:
    one, other = Register(tmp_path / "one"), Register(tmp_path / "other")
    keys = {one.rehearsal_key("a"), one.rehearsal_key("b"), other.rehearsal_key("a"), one.key()}
    assert len(keys) == 4
    assert one.rehearsal_key("a") == Register(tmp_path / "one").rehearsal_key("a")


def test_its_bits_are_even_and_others_at_each_call() -> None:
    source = FixedRandomness(b"key")
    assert not np.array_equal(source.bits(8), source.bits(8))
    assert np.array_equal(FixedRandomness(b"key").bits(8), FixedRandomness(b"key").bits(8))
    assert stats.chisquare(np.bincount(below(source, 7, 100_000))).pvalue > 1e-4


def test_a_rehearsal_may_be_fixed_and_a_release_never() -> None:
    """Only the facts of a report know the fixed source, and what publishes can be given none (pyproject.toml, too)."""
    naming = {name for name, module in modules().items() if "FixedRandomness" in module.text}
    assert naming == {rehearsal.__name__, "splu_desktop.report.facts"}
    given = {
        name
        for name, module in modules().items()
        if "randomness=" in module.text
        for node in ast.walk(ast.parse(module.text))
        if isinstance(node, ast.Call) and any(each.arg == "randomness" for each in node.keywords)
    }
    assert given == {"splu_desktop.report.facts"}
    assert not {name for name in modules()["splu_desktop.report.facts"].known if ".publish" in name}
    assert not {"randomness", "source"} & set(inspect.signature(publish).parameters)
