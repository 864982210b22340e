"""One figure: whatever number a report holds, window and command line say the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.project.recipe import Recipe, write_recipe
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.words import number
from splu_desktop.gui.proposal.figures import band_figures
from splu_desktop.gui.proposal.page import ProposalPage
from splu_desktop.gui.report.page import make
from splu_desktop.gui.shell.main_window import MainWindow
from splu_desktop.report.fields import Fields
from splu_desktop.report.law import DEFAULT
from splu_desktop.report.make import as_json
from splu_desktop.report.verify import verify_report
from tests.end2end.hospital import Splu
from tests.gui.conftest import Idle, publish

# Only reports say these: who can be named, measured by a rehearsal (tests/report/test_figures.py holds it against the
# attack), how rare a combination is (tests/core/test_risk.py), and what a reader of differential privacy computes.
ALONE = re.compile(r"custodian\.(attacked|stand_out)\b|release\.(secrets|blocks\.\d+\.(alone|histories|sole))\b")
# Settings and numbers of the format, not figures.
SET = re.compile(r"version|custodian\.(fields|audience|number)\b|release\.(epsilon|alpha|t_e)")


def _numbers(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield all numbers of a JSON document with where they stand."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers(each, f"{path}.{key}".lstrip("."))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _said_by_verdict(verdict: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    """Return what a verdict says, where a report says it: of the window, or of the command line as JSON."""
    lines = {each["name"]: each for each in verdict["lines"]}
    shown = [
        {"value": lines[each["name"]]["value"], "limit": lines[each["name"]]["limit"]}
        if each["name"] not in ("too-blurred", "second-release")
        else {"value": verdict["answered"]["cells"] / verdict["answered"]["of"], "limit": each["limit"]}
        for each in report["verdict"]["lines"]
    ]
    return {
        "verdict": {"lines": shown, "answered": verdict["answered"]},
        "custodian": {
            "limits": shown,
            "other": verdict["other_questions"],
            "person": verdict["certainty"]["person"],
        },
        "release": {"rows": verdict["rows"], "persons": verdict["persons"], **verdict["certainty"]},
    }


def test_a_way_of_another_strength_says_what_is_said_once_it_is_taken(proposed: MainWindow, idle: Idle) -> None:
    proposed.show_step(Step.PROPOSAL)
    page, session = proposed.page(Step.PROPOSAL), proposed.session
    assert isinstance(page, ProposalPage)
    idle(proposed)
    page._show_ways()  # which a timer does else
    assert page._ways
    for way in list(page._ways):
        (told,) = (words.removeprefix("rows right: ") for _, words in way.figures if words.startswith("rows right"))
        way.take()
        idle(proposed)
        assert session.verdict is not None
        assert band_figures(session.verdict, "persons")[2][1] == f"{told} right"
        session.undo()
        idle(proposed)


def test_every_number_of_a_report_is_that_of_window_and_command_line(
    proposed: MainWindow, idle: Idle, small_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    splu, recipe = Splu(capsys), tmp_path / "recipe.toml"
    session = proposed.session
    assert session.plan is not None
    assert session.verdict is not None
    write_recipe(Recipe(ImportChoices(), session.plan.as_dict()), recipe)
    judged, window = splu.json("plan", small_csv, "--recipe", recipe), session.verdict
    judged["persons"] = judged["persons"]["number"]
    assert {name: judged[name] for name in window.as_dict()} == json.loads(json.dumps(window.as_dict()))
    bands = [text for _, text, _ in band_figures(window, "persons")]
    assert bands[0] == f"{number(judged['answered']['cells'])} of {number(judged['answered']['of'])}"
    assert bands[1] == f"{number(judged['smallest_class'])} alike"

    publish(proposed, idle, tmp_path)
    assert session.release is not None
    release = session.release.content.path
    splu("report", release, "--internal", "--source", small_csv, "--out", tmp_path / "own.json")
    splu("report", release, "--out", tmp_path / "theirs.json")
    own, theirs = (json.loads((tmp_path / name).read_text("utf-8")) for name in ("own.json", "theirs.json"))
    _, shown, _ = make(session.release, Fields(law=DEFAULT), "de", internal=True)
    assert json.loads(as_json(shown)) == own
    promise = splu.json("guarantee", "--gamma", session.plan.gamma)
    cells = splu.json("crosstab", release, "--by", "Sex", "--by", "Ward", "--sa", "Result")
    said = _said_by_verdict(judged, own)
    facts = json.loads((release / "release.json").read_text("utf-8"))
    values = {each["name"]: len(each.get("values", ())) for each in facts["columns"]}
    said["custodian"] |= {
        "emptied": window.figures.blanked_persons,
        "left_out": window.figures.left_out,
        "rows_left_out": judged["rows_left_out"],
        "most_rows": 2,
        "number": splu.json("releases")["releases"][0]["number"],
        "printed": window.limits.printed,
    }
    said["release"] |= {
        "riskiest_share": window.figures.certainty.riskiest_share,
        "classes": len(facts["classes"]["cells"]),
        "columns": [{"values": values.get(each["name"])} for each in own["release"]["columns"]],
        "blocks": [{"gamma": promise["gamma"], "t_p": promise["t_p"], "t_f": promise["t_f"]}],
        "files": [["", (release / name).stat().st_size] for name, _, _ in own["release"]["files"]],
        "tables": [
            {
                "readable": table.readable,
                "of": table.cells,
                "within": table.table.within,
                "cells": [
                    {"true": found.truth[at, 0], "low": found.low[0, at, 0], "high": found.high[0, at, 0]}
                    for at in range(len(found.lines))
                ],
            }
            for table in window.figures.tables
            for found in [table.forecast]
        ],
    }
    read = {(*each["values"], each["value"]): each for each in cells["cells"]}
    for each in theirs["release"]["tables"][0]["cells"]:
        told = read[(*each["line"], each["value"])]
        assert [each[name] for name in ("estimate", "low", "high")] == [
            pytest.approx(told[name]) for name in ("estimate", "low", "high")
        ]
    elsewhere = dict(_numbers(said))
    lacking = []
    for path, value in _numbers(own):
        if ALONE.search(path) or SET.search(path):
            continue
        if path not in elsewhere:
            lacking.append(path)
        else:
            assert value == pytest.approx(elsewhere[path]), path
    assert lacking == []
    assert verify_report(tmp_path / "theirs.json", release) == []
