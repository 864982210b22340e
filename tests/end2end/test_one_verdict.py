"""One verdict: window, plan, recipe, publish, report and verify say the same lines of the same plan."""

from __future__ import annotations

import csv
import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.core.audience import Audience, OwnLimit
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.generalise import DatePart, Intervals, Part
from splu_desktop.core.mechanism import Block, DecoyGroups, Lenders
from splu_desktop.core.persons.blanking import Blanking
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import USEFUL, Line, limits_for, propose, verdict
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.roles.suggest import suggest_roles
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.importer import ImportChoices, read
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.files.register.earlier import earlier_releases
from splu_desktop.files.register.ledger import Register
from splu_desktop.files.release.facts import audience_of
from splu_desktop.files.release.reading import open_release
from splu_desktop.gui.base.judge import judge
from splu_desktop.gui.base.source import Source
from splu_desktop.report.document import Paragraph
from splu_desktop.report.fields import Fields
from splu_desktop.report.make import make_report, write_report
from splu_desktop.report.verify import verify_report
from tests.end2end.hospital import Splu

WHY = "the board has agreed to it"
OLDER = {"--keep": f"ward={WHY}", "--limit": f"alike=2:{WHY}", "--shift-dates": "admission_date=40",
         "--identifier": "age", "--read": "missing.smoker=no"}  # fmt: skip
SAID = (f"kept_identifiers.ward={WHY}", f"limits.alike=2:{WHY}", "person_number",
        "shift_dates=admission_date=40", "missing.smoker=no")  # fmt: skip
PLANS, TABLES, WHOLE_WAYS = 200, 5, 5


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
    """Return a plan that differs from another in everything that a plan holds; BadSetting where no such plan is."""

    def one(*of: Any) -> Any:
        return of[chance.integers(len(of))]

    for name in ("ward", "admission_date", "age", "smoker"):
        plan = plan.with_role(name, one(Role.NSA, Role.NSA, Role.DROPPED, Role.SA if name == "smoker" else Role.NSA))
    kept = one(False, False, False, True)
    plan = plan.with_role("patient_id", Role.NSA if kept else Role.IDENTIFIER)
    shift = ("admission_date",) if one(True, False) and plan.roles["admission_date"] is Role.NSA else ()
    persons = one(
        None,
        ByPerson("patient_id", number=one(True, False), shift=shift, days=40 if shift else 0),
        ByPerson("patient_id", one("first", "last"), order=one("", "admission_date")),
        ByPerson("patient_id", "record", reason=WHY),
    )
    steps = {
        "age": one((), (Intervals((20.0, 65.0)),), (Intervals((40.0,)),)),
        "admission_date": () if shift else one((), (DatePart(Part.MONTH),), (DatePart(Part.YEAR),)),
    }
    steps = {name: each for name, each in steps.items() if plan.roles[name] is Role.NSA}
    secret, shown = plan.sensitive, [name for name in plan.nsas if name != "patient_id"]
    blocks = [secret] if one(True, False) else [(name,) for name in secret]
    draw = one(Lenders, Lenders, Lenders, DecoyGroups)(float(one(1, 1.5, 2, 3, 5, 10, 20)))
    own = (OwnLimit("alike", float(chance.integers(1, 9)), WHY), OwnLimit("riskiest", 0.9, WHY),
           OwnLimit("useful", 0.5, WHY), OwnLimit("small_counts", 0.6, WHY))  # fmt: skip
    audience = Audience(
        one("colleague", "partner", "public"), one(True, True, True, False), one(True, False, False),
        recipient=one("", "Health Office", "University"), limits=own[: chance.integers(0, 5)],
    )  # fmt: skip
    return replace(
        plan,
        persons=None if kept else persons,
        kept_identifiers={"patient_id": WHY} if kept else {},
        generalisations=steps,
        blocks=tuple(Block(each, draw) for each in blocks),
        classes=tuple(chance.permutation(shown)[: chance.integers(0, 3)].tolist()),
        blanking=one(None, Blanking(int(chance.integers(2, 6)), (("admission_date",), ("age", "ward")))),
        public_values=one({}, {"diagnosis": ("none",)}, {"diagnosis": ("none", "asthma")}),
        rare=one({}, {}, {"diagnosis": int(chance.integers(2, 30))}),
        questions=tuple(AskedTable("diagnosis", one(None, "asthma"), (name,), within=one(0.1, 0.3))
                        for name in shown[: chance.integers(0, 3)]),
        thresholds=one(Thresholds(), Thresholds(0.2, 0.02, 5)),
        audience=audience,
        row_word=one("", "stay"),
    )  # fmt: skip


def fitting_plan(table: Table, plan: Plan, chance: np.random.Generator) -> Plan:
    while True:
        with suppress(BadSetting, EmptyTable):  # groups draw no persons; everybody may stand out
            found = random_plan(table, plan, chance)
            prepare(table, found)
            return found


def told(lines: tuple[Line, ...]) -> list[dict[str, object]]:
    return [line.as_dict() for line in lines]


def test_lines_of_200_random_plans_are_equal_from_plan_to_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    splu, chance, names = Splu(capsys), np.random.default_rng(11), Counter[str]()
    for seed in range(TABLES):
        source, recipe = tmp_path / f"{seed}.csv", tmp_path / f"{seed}.toml"
        monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / f"home {seed}"))  # whose register knows more and more
        table = write_table(source, seed)
        known, first = suggest_roles(table), propose(table).plan
        window = Source(source, read(source), None, known)
        for number in range(PLANS // TABLES):
            plan = fitting_plan(table, first, chance)
            judged = verdict(table, plan, suggestions=known, earlier=earlier_releases(Register(), table, plan))
            names.update(line.name for line in judged.open)
            assert (judged.state == USEFUL) == (not judged.open)
            assert len(judged.lines) <= 8
            assert [line.sentence for line in judged.lines if len(line.sentence.split()) > 25] == []
            recipe.unlink(missing_ok=True)
            write_recipe(Recipe(ImportChoices(), plan.as_dict()), recipe)
            stored = read_recipe(recipe).plan_for(table)
            assert stored == plan
            assert told(judge(window, stored).verdict.lines) == told(judged.lines), "the window's"
            if number % (PLANS // TABLES // (WHOLE_WAYS // TABLES)):
                continue
            out, accepted = tmp_path / f"{seed}-{number}", {line.name: WHY for line in judged.open}
            assert judged.list_waiting(accepted) == ()
            accepting = [word for name, why in accepted.items() for word in ("--accept", f"{name}={why}")]
            for words in (("plan",), ("publish", "--out", out, *accepting)):
                splu(words[0], source, "--recipe", recipe, *words[1:], "--json")
                assert "lines" in json.loads(splu.out), splu.out
                assert json.loads(splu.out)["lines"] == told(judged.lines)
            splu("verify", out, "--json")
            assert json.loads(splu.out)["lines"] == told(judged.lines)
            opened = open_release(out)
            entry = Register().find(opened.id)
            assert entry is not None
            assert entry.body["accepted"] == accepted
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
    assert len(names) > 8, "lines of many names stand open"
    assert names["second-release"] > PLANS // 4


def test_an_older_option_means_what_set_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    splu, source = Splu(capsys), tmp_path / "stays.csv"
    write_table(source, 3)
    own = ("plan", source, "--sa", "diagnosis", "--nsa", "sex", "--person", "patient_id")
    said = [word for text in SAID for word in ("--set", text)]
    older = ("--person-number", *(word for each in OLDER.items() for word in each))
    found = [splu.json(*own, *words)["recipe"] for words in (older, (*said, "--drop", "age"))]
    assert [each["roles"].pop("age") for each in found] == ["identifier", "dropped"]
    assert found[0] == found[1]
    assert found[0]["persons"]["shift"] == ["admission_date"]
