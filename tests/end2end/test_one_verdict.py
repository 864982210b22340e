"""One verdict: plan, recipe, publish, report and verify say the same lines of the same plan."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.audience import Audience, OwnLimit
from splu_desktop.core.errors import EmptyTable
from splu_desktop.core.generalise import Intervals
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import USEFUL, Line, limits_for, propose, verdict
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import suggest_roles
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from splu_desktop.files.importer import ImportChoices, read
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.facts import audience_of
from splu_desktop.files.release.reading import open_release
from splu_desktop.report.document import Paragraph
from splu_desktop.report.fields import Fields
from splu_desktop.report.make import make_report, write_report
from splu_desktop.report.verify import verify_report
from tests.end2end.hospital import Splu

WHY = "the board has agreed to it"
OLDER = {"--keep": f"patient_id={WHY}", "--limit": f"alike=2:{WHY}", "--shift-dates": "admission_date=40",
         "--identifier": "ward", "--read": "missing.smoker=no"}  # fmt: skip
SAID = (f"kept_identifiers.patient_id={WHY}", f"limits.alike=2:{WHY}", "person_number",
        "shift_dates=admission_date=40", "missing.smoker=no")  # fmt: skip
PLANS, TABLES, WHOLE_WAYS = 200, 5, 10


def write_table(path: Path, seed: int) -> Table:
    chance = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "age", "sex", "ward", "admission_date", "diagnosis", "smoker"])
        for row in range(240):
            ill = chance.choice(["asthma", "diabetes", "none"], p=[0.3, 0.1 * (seed % 3), 0.7 - 0.1 * (seed % 3)])
            day = np.datetime64("2024-01-01") + chance.integers(0, 300)
            known = [f"P{row // (1 + seed % 2):04d}", chance.integers(0, 100), chance.choice(["f", "m"])]
            writer.writerow([*known, chance.choice(["N", "S", "E"]), day, ill, chance.choice(["yes", "no"])])
    return read(path).table


def random_plan(table: Table, plan: Plan, chance: np.random.Generator) -> Plan:
    who = str(chance.choice(["colleague", "partner", "public"]))
    own = (OwnLimit("alike", float(chance.integers(1, 9)), WHY), OwnLimit("riskiest", 0.9, WHY))
    limits = own[: chance.integers(0, 3)]
    audience = Audience(who, signed=bool(chance.random() < 0.8), recipient="Health Office", limits=limits)
    for name in ("ward", "admission_date", "patient_id", "age"):
        roles = [Role.NSA, Role.DROPPED] if name != "patient_id" else [Role.IDENTIFIER, Role.IDENTIFIER, Role.NSA]
        plan = plan.with_role(name, roles[chance.integers(len(roles))])
    if plan.roles["patient_id"] is not Role.IDENTIFIER:
        plan = replace(plan, persons=None)
    if plan.roles["age"] is Role.NSA and chance.random() < 0.7:
        bands = (Intervals((20.0, 65.0)) if chance.random() < 0.5 else Intervals((40.0,)),)
        plan = replace(plan, generalisations={**plan.generalisations, "age": bands})
    plan = replace(plan, blanking=None if chance.random() < 0.5 else plan.blanking, audience=audience)
    plan = plan.with_gamma(float(chance.choice([1, 1.5, 2, 3, 5, 10, 20])))
    try:
        prepare(table, plan)
    except EmptyTable:  # everybody stands out, so that nobody would be left
        return replace(plan, blanking=None)
    return plan


def told(lines: tuple[Line, ...]) -> list[dict[str, object]]:
    return [line.as_dict() for line in lines]


def test_lines_of_200_random_plans_are_equal_from_plan_to_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    splu, chance, open_ = Splu(capsys), np.random.default_rng(11), 0
    for seed in range(TABLES):
        source, recipe = tmp_path / f"{seed}.csv", tmp_path / f"{seed}.toml"
        table = write_table(source, seed)
        known, first = suggest_roles(table), propose(table).plan
        for number in range(PLANS // TABLES):
            plan = random_plan(table, first, chance)
            judged = verdict(table, plan, suggestions=known)
            open_ += bool(judged.open)
            assert (judged.state == USEFUL) == (not judged.open)
            assert len(judged.lines) <= 8
            assert all(len(line.sentence.split()) <= 25 for line in judged.lines)
            recipe.unlink(missing_ok=True)
            write_recipe(Recipe(ImportChoices(), plan.as_dict()), recipe)
            stored = read_recipe(recipe).plan_for(table)
            assert stored == plan
            assert told(verdict(table, stored, suggestions=known).lines) == told(judged.lines)
            if number % (PLANS // TABLES // (WHOLE_WAYS // TABLES)):
                continue
            out = tmp_path / f"{seed}-{number}"
            monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / f"home {seed}-{number}"))
            for words in (("plan",), ("publish", "--out", out, "--accept-all", WHY)):
                splu(words[0], source, "--recipe", recipe, *words[1:], "--json")
                assert json.loads(splu.out)["lines"] == told(judged.lines)
            splu("verify", out, "--json")
            assert json.loads(splu.out)["lines"] == told(judged.lines)
            opened = open_release(out)
            entry = Register().find(opened.id)
            inside = make_report(opened, Fields(), entry=entry, source=table)
            for line in judged.lines:
                said = inside.facts.limit(line.name)
                assert said is not None
                assert (said.sentence, said.met) == (str(line.sentence), not line.open)
            assert [(each.name, each.why) for each in inside.facts.changed] == [
                (each.name, each.why) for each in plan.audience.limits
            ]
            heads = [block.text for block in inside.document("en").front[2:] if isinstance(block, Paragraph)]
            for at, changed in enumerate(plan.audience.limits):  # said first, before the verdict
                assert heads[at].startswith("A limit was changed by")
                assert changed.why in heads[at]
            assert limits_for(audience_of(opened.facts)) == judged.limits
            write_report(make_report(opened, Fields(law="none"), entry=entry), out.with_suffix(".json"))
            assert verify_report(out.with_suffix(".json"), out) == []
    assert open_ > PLANS // 4, "lines stand open in many of them"


def test_an_older_option_means_what_set_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    splu, source = Splu(capsys), tmp_path / "stays.csv"
    write_table(source, 3)
    own = ("plan", source, "--sa", "diagnosis", "--nsa", "sex,age", "--person", "patient_id")
    said = [word for text in SAID for word in ("--set", text)]
    older = ("--person-number", *(word for each in OLDER.items() for word in each))
    found = [splu.json(*own, *words)["recipe"] for words in (older, (*said, "--drop", "ward"))]
    assert [each["roles"].pop("ward") for each in found] == ["identifier", "dropped"]
    assert found[0] == found[1]
    assert found[0]["persons"]["shift"] == ["admission_date"]
