"""One proposal, one verdict: true by an independent recount, and no worse than a brute force over the same ladders."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.core.answer.forecast import Forecaster
from splu_desktop.core.audience import Audience, OwnLimit
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import Age, DatePart, Part
from splu_desktop.core.mechanism import LEAST, Lenders, make_classes
from splu_desktop.core.mechanism.law import t_p
from splu_desktop.core.persons.choice import ByPerson, persons
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import (
    BLURRED,
    OK,
    RED,
    TOO_SMALL,
    UNSAFE,
    USEFUL,
    EarlierRelease,
    Proposal,
    check_reason,
    level_of,
    limits_for,
    propose,
    verdict,
)
from splu_desktop.core.policy.alternatives import fewer_tables
from splu_desktop.core.policy.draft import draft
from splu_desktop.core.policy.figures import Readable, reaches
from splu_desktop.core.policy.proposal import plan_as_given
from splu_desktop.core.policy.search import STOPS, Search, Setting, class_options, find_way
from splu_desktop.core.progress import Cancelled, WatchedProgress
from splu_desktop.core.questions import AskedTable, parse_question
from splu_desktop.core.risk.alike import alike
from splu_desktop.core.risk.certainty import certainties
from splu_desktop.core.risk.giveaway import giveaways
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Kind, Table
from splu_desktop.files.importer import read
from tests.columns import column_of
from tests.optional import real

SAMPLE = Path(__file__).parents[2] / "resources" / "sample_hospital.xlsx"


def hospital(seed: int, n: int, *, patients: int | None = None) -> Table:
    """Return invented stays: what is secret depends little on what is published."""
    chance = np.random.default_rng(seed)
    who = chance.permutation(np.arange(n) if patients is None else np.arange(n) % patients)
    age, sex = chance.integers(0, 100, who.max() + 1)[who], chance.choice(["f", "m"], who.max() + 1)[who]
    ill = chance.choice(["asthma", "diabetes", "stroke", "none"], n, p=[0.2, 0.15, 0.15, 0.5])
    texts = {
        "patient_id": (np.char.add("P", (who + 10_000).astype(str)), Kind.CATEGORY),
        "age": (age.astype(str), Kind.INTEGER),
        "sex": (sex, Kind.CATEGORY),
        "ward": (chance.choice(["North", "South", "East"], n, p=[0.5, 0.3, 0.2]), Kind.CATEGORY),
        "admission_date": ((np.datetime64("2024-01-01") + chance.integers(0, 700, n)).astype(str), Kind.DATE),
        "diagnosis": (ill, Kind.CATEGORY),
        "smoker": (chance.choice(["no", "yes"], n, p=[0.7, 0.3]), Kind.CATEGORY),
    }
    return Table(tuple(column_of(k, v.astype(object), kind=kind) for k, (v, kind) in texts.items()))


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    return propose(hospital(1, 6_000), person=None)


def test_an_ordinary_table_gets_a_proposal_that_is_useful_and_defensible(proposal: Proposal) -> None:
    plan = proposal.plan
    assert proposal.verdict.state == USEFUL
    assert plan.roles["patient_id"] is Role.IDENTIFIER
    assert {"diagnosis", "smoker"} == set(plan.sensitive), "what the table is about is secret, not left out"
    assert plan.public_values["smoker"] == ("no",), "absence is not secret"
    assert [each.kind for each in proposal.alternatives] == ["safer", "sharper"]
    assert all(step.words for step in proposal.steps)
    data = json.loads(json.dumps(proposal.as_dict()))
    wanted = {"verdict", "lines", "persons", "unique_persons", "smallest_class", "answered", "gamma", "columns"}
    assert wanted | {"alternatives"} <= data.keys()
    assert data["lines"][0].keys() == {"name", "state", "sentence", "value", "limit", "repair"}


@pytest.mark.parametrize("patients", [None, 2_500])
def test_the_verdict_is_true_by_a_recount(patients: int | None) -> None:
    table = hospital(2, 6_000, patients=patients)
    found = propose(table, person=None if patients is None else "patient_id")
    plan, figures, limits = found.plan, found.verdict.figures, found.verdict.limits
    prepared = prepare(table, plan)
    known = [prepared.table[name].codes for name in plan.nsas]
    known += [] if patients is None else [prepared.row_class]  # published, too
    rows = list(zip(*(codes.tolist() for codes in known), strict=True))
    who: dict[tuple[int, ...], set[int]] = {}
    for row, person in zip(rows, prepared.owner.tolist(), strict=True):
        who.setdefault(row, set()).add(person)
    assert figures.alike.smallest == min(map(len, who.values())) >= limits.alike
    assert figures.persons == len(set(prepared.owner.tolist()))
    most = 0.0
    for name in plan.sensitive:
        column = prepared.table[name]
        for at, label in enumerate(column.labels.tolist()):
            if label in plan.public_values.get(name, ()) or column.missing[at]:
                continue
            share = np.bincount(prepared.row_class, column.codes == at) / np.bincount(prepared.row_class)
            most = max(most, float((share + (1 - share) / plan.gamma).max()))
    assert figures.certainty.riskiest == pytest.approx(most)
    assert (most <= limits.riskiest) == (found.verdict.state == USEFUL)
    for each in found.verdict.figures.tables:
        counts = each.forecast.truth
        assert each.cells == int((counts >= 50).sum())


def brute_force(table: Table, plan: Plan, search: Search) -> bool:
    """Whether any forms, classes and strength are useful and keep the limits."""
    limits = search.limits
    for levels in itertools.product(*(range(len(each.rungs)) for each in search.tiers.candidates)):
        if not search.tiers.holds(levels):
            continue
        made = search.plan_with(levels)
        prepared = prepare(table, made)
        if prepared.left_out == table.n or giveaways(prepared, made):
            continue
        for classes in class_options(made):
            own = replace(made, classes=classes)
            columns = [prepared.table[name] for name in classes]
            ready = replace(prepared, classes=make_classes(columns, prepared.units))
            needed = certainties(ready, own).least_gamma(limits.riskiest, limits.average)
            for gamma in (each for each in STOPS if each >= needed):
                (tables,) = reaches(ready, own, [gamma])
                cells, answered = (sum(getattr(each, what) for each in tables) for what in ("cells", "readable"))
                if cells >= 3 and answered >= limits.useful * cells:
                    return True
    return False


@pytest.mark.parametrize(("seed", "n", "who"), [(3, 600, "partner"), (4, 250, "colleague"), (5, 900, "public")])
def test_a_brute_force_finds_a_way_just_where_the_proposal_does(seed: int, n: int, who: str) -> None:
    table = hospital(seed, n).select(["age", "sex", "ward", "diagnosis"])
    asked = (AskedTable("diagnosis", None, ("sex", "age")),)
    found = propose(table, Audience(who), person=None, questions=asked)
    plan = replace(found.plan, generalisations={}, blanking=None, classes=())
    for name in ("age", "sex", "ward"):
        plan = plan if plan.roles[name] is Role.NSA else plan.with_role(name, Role.NSA)
    plan = replace(plan, questions=asked)
    subjects = {"age": "age", "sex": "sex", "ward": "unit"}
    search = Search(Setting(table, subjects, limits_for(plan.audience)), plan)
    assert (found.verdict.state == USEFUL) == brute_force(table, plan, search)


def test_too_few_persons_are_told_so_with_what_would_help() -> None:
    found = propose(hospital(6, 90), person=None)
    assert found.verdict.state == TOO_SMALL
    assert len(found.alternatives) >= 2
    assert any("Wait for more" in each.words for each in found.alternatives)
    assert not any(each.works and each.plan is None for each in found.alternatives)
    repairs = [line.repair for line in found.verdict.lines if line.repair is not None]
    assert all(each.apply(found.plan) != found.plan for each in repairs), "a button would change nothing"


def test_a_table_too_small_for_rows_that_names_persons_is_not_safe_first_of_all() -> None:
    """More persons would settle the cells, and not that a number goes out."""
    table = hospital(6, 90)
    plan = propose(table, person=None).plan
    named = replace(plan.with_role("patient_id", Role.NSA), blanking=None)
    assert [verdict(table, each).state for each in (plan, named)] == [TOO_SMALL, UNSAFE]


def test_three_large_cells_are_enough_and_two_are_not(proposal: Proposal) -> None:
    some, reached = Readable(), proposal.verdict.figures.tables[0]
    for readable, cells, useful in ((2, 3, True), (1, 3, False), (2, 2, False)):
        some.tables = (replace(reached, readable=readable, cells=cells),)
        assert some.useful(2 / 3) is useful


def test_where_named_tables_cannot_be_read_others_are_offered_and_taken() -> None:
    """A wound stays in all the visits of 150 persons, who are too few for it, where its infection differs each time."""
    chance, rows = np.random.default_rng(9), np.repeat(np.arange(150), 14)
    texts = {
        "client": rows.astype(str),
        "sex": chance.choice(["f", "m"], 150)[rows],
        "wound": chance.choice(["leg ulcer", "foot", "pressure", "surgical", "arterial"], 150)[rows],
        "infection": chance.choice(["no", "suspected", "confirmed"], len(rows), p=[0.4, 0.3, 0.3]),
    }
    table = Table(tuple(column_of(k, v.astype(object)) for k, v in texts.items()))
    asked = (AskedTable("wound", None, ("sex",)),)
    found = propose(table, person="client", questions=asked)
    assert found.verdict.state == BLURRED
    assert found.alternatives
    for each in found.alternatives:
        assert each.plan is not None
        assert (each.kind, verdict(table, each.plan).state) == ("works", USEFUL)
    (line,) = found.verdict.open
    assert line.repair is not None
    assert verdict(table, line.repair.apply(found.plan)).state == USEFUL


def few_findings(n: int, **shares: float) -> Table:
    """Return persons with findings of yes and no."""
    chance, few = np.random.default_rng(7), hospital(7, n).select(["age", "sex"])
    texts = {name: chance.choice(["no", "yes"], n, p=[1 - share, share]) for name, share in shares.items()}
    columns = (column_of(k, v.astype(object), kind=Kind.CATEGORY) for k, v in texts.items())
    return Table((*few.columns, *columns))


def test_the_way_for_another_audience_is_what_is_proposed_to_it() -> None:
    # Half of the rows have a cough, which no strength hides as the public needs it: other columns are asked.
    table = few_findings(450, hiv=0.02, cough=0.48)
    found = propose(table, Audience("public"), person=None)
    own = propose(table, Audience("partner"), person=None)
    assert (found.verdict.state, own.verdict.state) == (TOO_SMALL, USEFUL)
    way = next(each for each in found.alternatives if "partner" in each.words)
    assert way.works
    assert (way.readable, way.cells) == (own.verdict.figures.readable, own.verdict.figures.cells)
    assert way.plan is not None
    assert verdict(table, way.plan).state == USEFUL


def test_a_small_table_is_asked_for_all_values_where_one_alone_has_too_few() -> None:
    found = propose(few_findings(320, response=0.46), Audience("colleague"), person=None)
    assert found.verdict.state == USEFUL
    assert [each.value for each in found.plan.questions] == [None]


def test_repairs_look_at_rows_that_do_not_go_out_too() -> None:
    table = hospital(0, 200)
    found = propose(table, Audience("public"), person=None)
    assert found.verdict.figures.left_out
    weak = found.plan.with_gamma(1.05)
    repairs = [line.repair for line in verdict(table, weak).open if line.repair is not None]
    assert repairs
    for repair in repairs:
        after = {each.name: each.state for each in verdict(table, repair.apply(weak)).lines}
        assert after["persons-alike"] == OK, repair.words


def test_columns_by_which_rows_stand_out_are_not_cut_short_in_silence() -> None:
    for *columns, by in (
        ("age", "sex", "ward", "“age”, “sex”, “ward”:"),
        ("age", "sex", "ward", "admission_date", "“age”, “sex”, “ward”, …:"),
    ):
        table = hospital(0, 60).select([*columns, "diagnosis"])
        plan = plan_as_given(table, Audience(), person=None, roles=dict.fromkeys(columns, Role.NSA))
        assert by in next(each for each in verdict(table, plan).lines if each.name == "persons-alike").sentence


def test_columns_of_tables_are_left_out_where_no_form_of_theirs_is_enough() -> None:
    table = hospital(0, 60)
    asked = (AskedTable("diagnosis", None, ("sex", "age")),)
    found = propose(table, Audience("public"), person=None, questions=asked)
    line = next(each for each in found.verdict.open if each.name == "persons-alike")
    assert line.repair is not None
    plan = line.repair.apply(found.plan)
    assert "persons-alike" not in {each.name for each in verdict(table, plan).open}
    assert all(set(each.by) <= set(plan.nsas) for each in plan.questions)


def test_the_sample_is_useful_and_defensible_for_a_partner() -> None:
    found = propose(read(SAMPLE).table, person=None)
    assert found.verdict.state == USEFUL
    assert found.plan.roles["Diagnosis"] is Role.SA
    assert found.plan.questions[0].sa == "Diagnosis"
    # Both tell a diagnosis; without the ward the day of admission, by its quarter, tells none.
    assert [found.plan.roles[name] for name in ("Ward", "Admission date")] == [Role.DROPPED, Role.NSA]


@pytest.mark.parametrize(
    ("name", "person"),
    [("adult.csv.gz", None), ("sparcs_1000.csv", None), ("diabetes130.csv.gz", "patient_nbr")],
)
def test_tables_of_the_world_get_a_useful_proposal(name: str, person: str | None) -> None:
    found = propose(read(real(name)).table, person=person)
    assert found.verdict.state == USEFUL
    assert len(found.plan.blocks) <= 3


def test_each_repair_settles_its_line() -> None:
    table = hospital(9, 5_000)
    roles = {"patient_id": Role.NSA, "admission_date": Role.NSA}
    plan = propose(table, person=None).plan.with_gamma(1.2)
    for name, role in roles.items():
        plan = plan.with_role(name, role)
    plan = replace(plan, blanking=None, classes=(), audience=replace(plan.audience, signed=False))
    seen = set()
    for _ in range(12):
        found = verdict(table, plan)
        if not found.open:
            break
        line = found.open[0]
        seen.add(line.name)
        assert line.repair is not None, line.name
        plan = line.repair.apply(plan)
        after = {each.name: each.state for each in verdict(table, plan).lines}
        assert after.get(line.name, OK) == OK, line.name
    assert not found.open
    assert {"names-persons", "persons-alike"} <= seen


@pytest.mark.parametrize("seed", [0, 1])
def test_columns_are_made_coarser_until_few_persons_leave(seed: int) -> None:
    """Who leaves a class of as many rows takes others along: of seed 0 the mildest forms lose 15 of 257."""
    random, number = np.random.default_rng(seed), 260
    owner = np.repeat(np.arange(number), np.clip(random.lognormal(3.2, 0.7, number).astype(int), 6, 160))
    columns = {
        "patient_id": [f"P{7 * k}" for k in owner],
        "sex": random.choice(["m", "f"], number)[owner],
        "age": random.integers(18, 95, number)[owner].astype(str),
        "unit": random.choice(["A", "B", "C"], number)[owner],
        "pulse": random.choice(["low", "normal", "high"], len(owner)),
    }
    table = table_of(columns, age=Kind.INTEGER)
    plan = plan_as_given(table, Audience("colleague"), person="patient_id")
    line = next(each for each in verdict(table, plan).lines if each.name == "persons-alike")
    assert line.repair is not None
    after = verdict(table, line.repair.apply(plan)).lines
    assert next(each for each in after if each.name == "persons-alike").state == OK


def test_a_measured_finding_that_is_made_secret_can_be_drawn() -> None:
    random, n = np.random.default_rng(3), 3_000
    columns = {
        "sex": random.choice(["f", "m"], n),
        "diagnosis": random.choice(["I50", "J18", "E11"], n),
        "weight": random.normal(70, 15, n).round(1).astype(str),
    }
    table = table_of(columns, weight=Kind.DECIMAL)
    as_it_is = propose(table, person=None, roles={"weight": Role.NSA}).plan.with_steps(["weight"], ())
    plan = replace(as_it_is, blanking=None)
    line = next(each for each in verdict(table, plan).lines if each.name == "sensitive-as-is")
    assert line.repair is not None
    made = line.repair.apply(plan)
    assert "weight" in made.sensitive
    assert prepare(table, made).table["weight"].m < 20


def test_a_second_release_is_no_way_around_the_limit_of_small_counts(proposal: Proposal) -> None:
    plan = proposal.plan.with_gamma(1.5)
    for earlier in ([], [EarlierRelease("University", gamma=5)]):
        lines = {line.name: line for line in verdict(hospital(1, 6_000), plan, earlier=earlier).lines}
        assert lines["small-counts"].state == RED
        assert lines["small-counts"].value == t_p(Lenders(1.5), 0.3, 3)
        assert ("second-release" in lines) is bool(earlier)


def test_a_second_release_of_the_same_persons_needs_a_reason(proposal: Proposal) -> None:
    table, plan = hospital(1, 6_000), proposal.plan
    plan = replace(plan, audience=replace(plan.audience, recipient="Health Office"))
    other = verdict(table, plan, earlier=[EarlierRelease("University", gamma=5)])
    same = verdict(table, plan, earlier=[EarlierRelease("health office ", gamma=5)])
    (line,), (again,) = other.open, same.open
    assert line.name == again.name == "second-release"
    assert line.state != RED
    assert again.state == RED
    assert other.state == same.state == UNSAFE
    assert other.figures.joint > proposal.verdict.figures.certainty.riskiest
    assert not other.list_waiting({"second-release": "only totals are needed"})
    assert other.list_waiting({}) == other.open
    with pytest.raises(BadSetting):
        other.list_waiting({"second-release": "ok"})
    with pytest.raises(BadSetting):
        other.list_waiting({"no-such-line": "only totals are needed"})
    assert other.list_waiting({}, "only totals are needed") == ()
    with pytest.raises(BadSetting):
        other.list_waiting({}, "ok")


@pytest.mark.parametrize(
    "text", ["ok", ".", "x", "  fine ", "1 2 3", "yes !!", "ok ok ok", "a b c", "yes no ok", "n/a n/a n/a", "无无无"]
)
def test_reasons_that_say_nothing_are_none(text: str) -> None:
    with pytest.raises(BadSetting):
        check_reason(text)


@pytest.mark.parametrize("text", ["only totals are needed", "Freigabe durch DSB", "已经获得伦理委员会批准"])
def test_a_reason_may_be_written_in_any_language(text: str) -> None:
    assert check_reason(f"  {text} ") == text


def test_limits_follow_from_who_gets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert level_of(Audience("partner", signed=False)) == "public"
    assert level_of(Audience("colleague", holds_records=True)) == "partner"
    colleague, partner, public = (limits_for(Audience(who)) for who in ("colleague", "partner", "public"))
    assert (colleague.alike, partner.alike, public.alike) == (3, 5, 11)
    assert (colleague.gamma, partner.gamma, public.gamma) == (3, 5, 10)
    assert colleague.riskiest > partner.riskiest > public.riskiest
    assert limits_for(Audience(limits=(OwnLimit("alike", 4, "the ethics board agreed"),))).alike == 4
    for none in (OwnLimit("alike", 4, "because"), OwnLimit("k", 4, "the ethics board agreed")):
        with pytest.raises(BadSetting):
            limits_for(Audience(limits=(none,)))
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path))
    (tmp_path / "policy").mkdir()
    own = (SAMPLE.parent / "policy" / "partner.toml").read_text("utf-8").replace("alike = 5", "alike = 7")
    (tmp_path / "policy" / "partner.toml").write_text(own, "utf-8")
    assert limits_for(Audience()).alike == 7


def test_a_column_that_tells_the_secret_is_left_out() -> None:
    table = hospital(10, 4_000)
    code = table["diagnosis"].codes
    told = column_of("ward code", np.array([f"W{each}" for each in code], object))
    wide = Table((*table.columns, told, replace(told, name="bed code")))
    roles = {"ward code": Role.NSA, "bed code": Role.NSA}
    found = propose(wide, person=None, roles=roles)
    assert found.plan.roles["ward code"] is Role.DROPPED
    assert found.verdict.state == USEFUL
    plan = found.plan.with_roles(["ward code", "bed code"], Role.NSA)
    line = next(line for line in verdict(wide, plan).lines if line.name == "gives-away")
    assert line.state == RED
    # Its repair leaves out all that tells, not just what the line names.
    assert line.repair is not None
    assert "gives-away" not in {each.name for each in verdict(wide, line.repair.apply(plan)).open}


def test_an_age_that_tells_the_secret_becomes_coarser_before_it_is_left_out() -> None:
    table = hospital(10, 20_000).select(("age", "sex", "diagnosis"))
    young = table["age"].labels[table["age"].codes].astype(int) < 12
    drinks = np.random.default_rng(10).choice(["rarely", "weekly", "daily"], table.n)
    columns = [*table.columns, column_of("drinks", np.where(young, "too young", drinks).astype(object))]
    found = propose(Table(tuple(columns)), person=None, questions=[AskedTable("diagnosis", None, ("sex",))])
    assert found.verdict.state == USEFUL
    assert found.plan.roles["age"] is Role.NSA
    assert "too young" in next(str(step.why) for step in found.steps if (step.name, step.column) == ("coarser", "age"))


def test_what_is_left_out_for_what_it_tells_is_a_step_also_where_fewer_tables_are_asked_for() -> None:
    table = hospital(11, 4_000).select(("age", "sex", "diagnosis"))
    told = column_of("ward code", np.array([f"W{each}" for each in table["diagnosis"].codes], object))
    asked = [AskedTable("diagnosis", None, ("sex", "age"), within=0.05)]
    setting = draft(Table((*table.columns, told)), Audience(), roles={"ward code": Role.NSA}, questions=asked)
    way = find_way(setting.setting, setting.plan)
    others = [other for _, other in fewer_tables(setting.setting, way)]
    assert "ward code" in way.left_out
    assert others
    assert all("ward code" in other.left_out for other in others)
    totals = [not any(each.by for each in other.plan.questions) for other in others]
    assert totals == sorted(totals), "totals come last"


def test_a_number_of_each_person_is_left_out_and_nobody_stands_out_by_what_remains() -> None:
    random, number = np.random.default_rng(15), 900
    owner = np.repeat(np.arange(number), random.integers(1, 5, number))
    columns = {
        "patient_id": [f"P{7 * k}" for k in owner],
        "age": random.integers(1, 95, number)[owner].astype(str),
        "ward": random.choice(["A1", "A2", "B1", "ICU"], len(owner)),
        "diagnosis": random.choice(["asthma", "sepsis", "stroke", "burn"], len(owner)),
    }
    table = table_of(columns, age=Kind.INTEGER)
    roles = {"patient_id": Role.IDENTIFIER, "age": Role.NSA, "ward": Role.NSA, "diagnosis": Role.SA}
    plan = plan_as_given(table, Audience(), person="patient_id", roles=roles)
    assert plan.persons is not None
    plan = replace(plan, persons=replace(plan.persons, number=True))
    line = next(line for line in verdict(table, plan).lines if line.name == "persons-alike")
    assert "by “person number”" in line.sentence
    assert line.repair is not None
    after = line.repair.apply(plan)
    assert after.persons is not None
    assert not after.persons.number
    assert "persons-alike" not in {each.name for each in verdict(table, after).open}


def test_asked_tables_are_kept_and_roles_follow_them() -> None:
    table = hospital(11, 5_000)
    asked = (parse_question("smoker=yes by ward", table), parse_question("diagnosis by sex", table))
    found = propose(table, Audience("colleague"), person=None, questions=asked)
    assert found.plan.questions == asked
    assert found.plan.roles["ward"] is Role.NSA
    with pytest.raises(BadSetting):
        propose(table, person="sex", questions=asked)


def test_the_search_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        propose(hospital(12, 500), person=None, progress=WatchedProgress(lambda *_: None, lambda: True))


def test_a_search_ends_by_the_rows_that_it_looked_at_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for clock in ("thread_time", "process_time", "perf_counter", "monotonic", "time"):  # as on a computer without end
        monkeypatch.setattr(time, clock, partial(next, itertools.count(0, 10**6)))
    words = "The search ended at its limit"
    whole = propose(hospital(11, 1_000), person=None)
    assert words not in whole.verdict.sentence
    monkeypatch.setattr("splu_desktop.core.policy.search._EFFORT", 0)
    cut = propose(hospital(11, 1_000), person=None)
    assert words in cut.verdict.sentence
    assert cut.verdict.lines


def test_forecasts_of_independent_rows_are_no_wider() -> None:
    """What can't be better by these is left out of a search, so they must never promise less than those by person."""
    table = hospital(13, 3_000, patients=600)
    found = propose(table)
    prepared, plan = prepare(table, found.plan), found.plan
    exact, hopeful = (Forecaster(prepared, plan, hopeful=each) for each in (False, True))
    assert prepared.stay_alike(plan.blocks[0].columns) > 0
    for asked in plan.questions:
        wide, narrow = (each.forecast(asked, STOPS) for each in (exact, hopeful))
        assert (narrow.high - narrow.low <= wide.high - wide.low + 1e-9).all()


def test_persons_are_counted_where_a_column_names_them() -> None:
    table = hospital(13, 3_000, patients=600)
    found = propose(table)
    assert found.plan.persons is not None
    assert found.plan.persons.column == "patient_id"
    assert found.verdict.figures.persons <= 600
    prepared = prepare(table, found.plan)
    assert len(alike(prepared, found.plan).sizes) == found.verdict.figures.persons
    assert len(np.unique(persons(table["patient_id"]))) == 600


def test_one_day_for_all_rows_stands_against_no_release() -> None:
    table = hospital(3, 3_000)
    day = column_of("extract", np.full(table.n, "2026-11-01", object), kind=Kind.DATE)
    found = propose(Table((*table.columns, day)), person=None)
    assert found.verdict.state == USEFUL
    assert found.plan.roles["extract"] is Role.NSA


def table_of(columns: Mapping[str, Any], **kinds: Kind) -> Table:
    return Table(tuple(column_of(name, each, kind=kinds.get(name, Kind.CATEGORY)) for name, each in columns.items()))


def test_most_rows_of_persons_are_kept_where_another_form_of_a_table_does() -> None:
    random = np.random.default_rng(11)
    owner = np.repeat(np.arange(1500), random.integers(3, 20, 1500))
    analytes = random.choice(["sodium", "potassium", "CRP", "haemoglobin"], len(owner))
    columns = {
        "patient_id": [f"P{7 * k}" for k in owner],
        "sex": random.choice(["m", "f"], 1500)[owner],
        "age": random.integers(18, 90, 1500)[owner].astype(str),
        "analyte": analytes,
    }
    found = propose(table_of(columns, age=Kind.INTEGER))
    assert found.verdict.state == USEFUL
    assert found.verdict.figures.rows == len(owner)


def test_most_rows_of_persons_are_kept_though_a_lesser_table_is_read_sooner() -> None:
    random = np.random.default_rng(21)
    owner = np.repeat(np.arange(8000), 1 + random.poisson(3, 8000))
    columns = {
        "patient_id": [f"P{7 * k}" for k in owner],
        "centre": random.choice(["Bern", "Basel", "Genf", "Chur", "Thun"], 8000)[owner],
        "sex": random.choice(["F", "M"], 8000, p=[0.3, 0.7])[owner],
        "year of birth": random.integers(1940, 2004, 8000)[owner].astype(str),
        "viral load": random.choice(["low", "raised", "high"], len(owner), p=[0.85, 0.1, 0.05]),
        "regimen": random.choice(["BIC", "DTG", "ABC", "other"], len(owner)),
    }
    found = propose(table_of(columns, **{"year of birth": Kind.INTEGER}))
    assert found.verdict.state == USEFUL
    # Who has many rows stands out by their number, too, and leaves: a twentieth of the persons at most.
    assert found.verdict.figures.rows > 0.9 * len(owner)


def test_persons_give_up_some_rows_before_all_give_up_all_but_one() -> None:
    random, n, number = np.random.default_rng(11), 12_000, 1_800
    owner = random.integers(0, number, n)
    columns = {
        "patient_id": [f"P{7 * k}" for k in owner],
        "sex": random.choice(["m", "f"], number)[owner],
        "age": random.integers(1, 95, number)[owner].astype(str),
        "ward": random.choice(["A1", "A2", "B1", "ICU"], n),
        "sampled": (np.datetime64("2023-01-01") + random.integers(0, 700, n)).astype(str),
        "analyte": random.choice(["sodium", "potassium", "CRP", "TSH", "glucose", "troponin"], n),
    }
    table = table_of(columns, age=Kind.INTEGER, sampled=Kind.DATE)
    for who, share in (("partner", 0.8), ("public", 0.5)):  # by a fifth of the persons, by half of them
        found = propose(table, Audience(who))
        assert found.verdict.state == USEFUL, who
        assert found.plan.persons is not None
        assert found.plan.draws_persons
        assert found.verdict.figures.rows > share * n
        prepared = prepare(table, found.plan)
        assert np.unique(np.bincount(prepared.owner), return_counts=True)[1].min() >= LEAST
        # What is done about persons is told, and kept in a recipe.
        assert found.plan.persons.least > LEAST
        assert any("gives some up" in step.words for step in found.steps if step.name == "person")
        assert ByPerson.from_dict(found.plan.persons.as_dict()) == found.plan.persons


@pytest.mark.parametrize("who", ["colleague", "partner", "public"])
def test_a_table_that_nobody_named_costs_no_rows(who: str) -> None:
    """By 60 wards nobody with several rows looks like others, so that the table by wards goes, and not the rows."""
    random, number = np.random.default_rng(13), 3_000
    owner = np.repeat(np.arange(number), random.integers(1, 7, number))
    n = len(owner)
    columns = {
        "patient_id": [f"P{7 * k}" for k in owner],
        "sex": random.choice(["m", "f"], number)[owner],
        "age": random.integers(1, 95, number)[owner].astype(str),
        "ward": np.array([f"W{each}" for each in range(60)])[random.integers(0, 60, number)[owner]],
        "diagnosis": random.choice(["asthma", "sepsis", "stroke"], number)[owner],
        "result": random.choice(["low", "normal", "high"], n, p=[0.3, 0.4, 0.3]),
    }
    table = table_of(columns, age=Kind.INTEGER)
    found = propose(table, Audience(who))
    assert found.verdict.state == USEFUL
    assert found.verdict.figures.rows > 0.5 * n
    setting, plan = (each := draft(table, Audience(who))).setting, each.plan
    assert "ward" in {name for asked in plan.questions for name in asked.by}
    # A search for plainer tables asks for none by a column that has been left out.
    less = find_way(setting, plan.with_role("sex", Role.DROPPED))
    assert all(asked.by != ("sex",) for _, way in fewer_tables(setting, less) for asked in way.plan.questions)


def test_a_table_that_nobody_named_needs_no_far_stronger_draw() -> None:
    """Where 39 in 100 have a value, a draw of 31 keeps the public's limits, and would blur all else."""
    random, n = np.random.default_rng(14), 9_000
    columns = {
        "sex": random.choice(["m", "f"], n),
        "age": random.integers(1, 95, n).astype(str),
        "diagnosis": random.choice(["asthma", "sepsis", "stroke", "HIV disease"], n),
        "surgery": random.choice(["yes", "no"], n, p=[0.38, 0.62]),
    }
    found = propose(table_of(columns, age=Kind.INTEGER), Audience("public"), person=None)
    assert found.verdict.state == USEFUL
    assert found.plan.gamma <= 2 * found.verdict.limits.gamma
    assert found.plan.questions[0].sa == "diagnosis"


@pytest.mark.parametrize("who", ["colleague", "partner", "public"])
def test_a_number_of_each_row_of_a_person_is_not_what_a_table_is_about(who: str) -> None:
    """The doses of a person are 1 to its number of rows, so no draw of persons hides them."""
    random, number = np.random.default_rng(12), 5_000
    rows = random.choice([1, 2, 3, 4], number, p=[0.1, 0.35, 0.4, 0.15])
    owner = np.repeat(np.arange(number), rows)
    columns = {
        "patient_id": [f"P{7 * k}" for k in owner],
        "sex": random.choice(["f", "m"], number)[owner],
        "age": random.integers(5, 95, number)[owner].astype(str),
        "dose": [str(each) for count in rows for each in range(1, count + 1)],
        "vaccine": random.choice(["BNT162b2", "mRNA-1273", "ChAdOx1"], number, p=[0.4, 0.3, 0.3])[owner],
    }
    found = propose(table_of(columns, age=Kind.INTEGER, dose=Kind.INTEGER), Audience(who, signed=who != "public"))
    assert found.verdict.state == USEFUL
    assert {each.sa for each in found.plan.questions} == {"vaccine"}
    assert found.verdict.figures.rows > 0.9 * len(owner)


def test_of_tables_that_are_not_safe_together_the_one_that_is_safe_alone_is_found() -> None:
    chance, n = np.random.default_rng(9), 600
    columns = {
        "age": chance.integers(16, 70, n),
        "sex": chance.choice(["f", "m"], n),
        "department": chance.choice(["IT", "HR", "Nursing", "Kitchen"], n, p=[0.2, 0.1, 0.5, 0.2]),
        "burnout": chance.choice(["no", "mild", "severe"], n, p=[0.6, 0.3, 0.1]),
        "smoker": chance.choice(["yes", "no"], n, p=[0.25, 0.75]),
    }
    found = propose(table_of(columns, age=Kind.INTEGER), Audience("public"), person=None)
    assert found.verdict.state == USEFUL
    assert len(found.plan.questions) > 0


@pytest.mark.parametrize("seed", [6, 12, 14, 23])
def test_what_a_table_is_asked_about_is_left_out_only_where_no_classes_protect_it(seed: int) -> None:
    chance, n = np.random.default_rng(seed), 1_100
    columns = {
        "age": chance.integers(18, 80, n).astype(str),
        "sex": chance.choice(["f", "m"], n, p=[0.55, 0.45]),
        "satisfaction": chance.choice(["high", "fair", "low", "none"], n, p=[0.43, 0.34, 0.16, 0.07]),
        "pain": chance.integers(0, 8, n).astype(str),
        "diagnosis": chance.choice(["asthma", "diabetes", "stroke", "angina"], n, p=[0.3, 0.3, 0.2, 0.2]),
    }
    found = propose(table_of(columns, age=Kind.INTEGER, pain=Kind.INTEGER), Audience("public"), person=None)
    # In the smallest groups by sex and age half of the persons are satisfied; in those by sex nowhere.
    assert {"satisfaction", "pain", "diagnosis"} == {*found.plan.sensitive}
    assert found.verdict.state == USEFUL


@pytest.mark.parametrize(("seed", "n"), [(2, 500), (21, 500), (34, 500), (10, 700)])
def test_a_secret_that_nobody_asks_for_makes_no_named_table_unreadable(seed: int, n: int) -> None:
    chance = np.random.default_rng(seed)
    bands = ["under 20", "20 to 39", "40 to 59", "60 to 79", "80 and more"]
    columns = {
        "age": chance.choice(bands, n, p=[0.05, 0.12, 0.23, 0.38, 0.22]),
        "sex": chance.choice(["f", "m"], n),
        "ulcer": chance.choice(["none", "1", "2", "3"], n, p=[0.84, 0.09, 0.05, 0.02]),
        "risk of falls": chance.choice(["low", "middle", "high"], n, p=[0.4, 0.35, 0.25]),
    }
    asked = (AskedTable("ulcer", None, ("sex", "age")),)
    found = propose(table_of(columns), Audience("public"), person=None, questions=asked)
    assert found.plan.questions == asked
    assert found.verdict.state == USEFUL
    # The other one needs a stronger draw in some class, and is left out for it.
    assert "risk of falls" not in found.plan.sensitive
    assert any(step.name == "left-out" and "risk of falls" in step.words for step in found.steps)


def test_columns_that_no_named_table_needs_go_before_nothing_can_be_read() -> None:
    chance, n = np.random.default_rng(8), 1_200
    columns = {
        "place": chance.choice([f"7{at:04d}" for at in range(0, 9_999, 47)], n),
        "sex": chance.choice(["f", "m", "x"], n, p=[0.5, 0.494, 0.006]),
        "born": chance.normal(1960, 19, n).astype(int).clip(1922, 2023).astype(str),
        "unit": chance.choice(["A", "B", "C", "D", "E"], n),
        "ill": chance.choice(["a", "b", "c"], n, p=[0.42, 0.33, 0.25]),
    }
    asked = (AskedTable("ill", None, ("unit", "sex")),)
    found = propose(table_of(columns, born=Kind.INTEGER), Audience("public"), person=None, questions=asked)
    assert found.verdict.state == USEFUL
    assert found.plan.questions == asked


def test_a_table_of_which_nothing_can_be_read_is_told_where_somebody_named_it() -> None:
    chance, n = np.random.default_rng(3), 2_000
    columns = {
        "sex": chance.choice(["f", "m"], n),
        "ward": chance.choice(["N", "S"], n),
        "ill": chance.choice(["a", "b", "c", "d"], n),
        "rare": np.where(np.arange(n) < 60, "yes", "no"),
    }
    asked = (AskedTable("ill", None, ("sex", "ward")), AskedTable("rare", "yes", ("sex",), within=0.05))
    found = propose(table_of(columns), person=None, questions=asked)
    assert found.plan.questions == asked
    assert found.verdict.state == USEFUL
    line = next(line for line in found.verdict.lines if line.name == "too-blurred")
    assert line.sentence.endswith("tables without any: 1.")
    read, cells = map(int, re.findall(r"\d+", line.sentence)[:2])
    assert cells > 1
    assert line.value == pytest.approx(read / cells)
    assert "your tables" not in found.verdict.sentence
    assert len(propose(table_of(columns), person=None).plan.questions) > 0


def test_no_step_says_how_a_column_is_published_that_is_left_out() -> None:
    random = np.random.default_rng(4)
    columns = {"sex": random.choice(["m", "f"], 600)}
    columns |= {f"measure {at}": random.normal(50, 9, 600).round(1).astype(str) for at in range(30)}
    found = propose(table_of(columns, **{name: Kind.DECIMAL for name in columns if name != "sex"}))
    assert any(step.name == "left-out" for step in found.steps)
    assert all(found.plan.roles[step.column].is_published for step in found.steps if step.name == "coarser")


def test_a_column_that_somebody_calls_secret_names_no_person() -> None:
    random = np.random.default_rng(9)
    columns = {"sex": random.choice(["m", "f"], 900), "patient no": random.integers(1, 30, 900).astype(str)}
    found = propose(table_of(columns), roles={"patient no": Role.SA})
    assert found.plan.sensitive == ("patient no",)


def diary(persons_each: int, rows_each: int) -> Table:
    """Return days of persons: what stays the same of each, and what differs from day to day."""
    random = np.random.default_rng(21)
    owner = np.repeat(np.arange(persons_each), rows_each)
    columns = {
        "patient_id": np.char.add("P", (owner + 100).astype(str)),
        "age": random.integers(20, 80, persons_each)[owner].astype(str),
        "sex": random.choice(["f", "m"], persons_each)[owner],
        "diagnosis": random.choice(["asthma", "copd", "fibrosis"], persons_each, p=[0.5, 0.3, 0.2])[owner],
        "symptom": random.choice(["none", "mild", "severe"], len(owner), p=[0.8, 0.15, 0.05]),
    }
    return table_of(columns, age=Kind.INTEGER)


@pytest.mark.parametrize("who", ["colleague", "partner", "public"])
def test_tables_that_nobody_named_give_way_before_most_of_the_rows_do(who: str) -> None:
    table = diary(300, 20)
    found = propose(table, Audience(who, signed=who != "public"), person="patient_id")
    assert found.verdict.state == USEFUL
    assert 2 * found.verdict.figures.rows >= table.n, [str(each.words) for each in found.steps]
    named = [AskedTable("diagnosis", None, ("sex", "age"))]
    own = propose(table, Audience(who, signed=who != "public"), person="patient_id", questions=named)
    assert list(own.plan.questions) == named, "what somebody named stays"


def test_newborns_are_told_apart_by_their_month_of_birth() -> None:
    random = np.random.default_rng(22)
    n, now = 3_000, np.datetime64("today").astype("datetime64[Y]").astype("datetime64[D]")
    columns = {
        "date of birth": (now - 364 + random.integers(0, 364, n)).astype(str),
        "sex": random.choice(["f", "m"], n),
        "hearing": random.choice(["passed", "refer", "refused"], n, p=[0.8, 0.15, 0.05]),
    }
    plan = propose(table_of(columns, **{"date of birth": Kind.DATE}), person=None).plan
    assert plan.generalisations["date of birth"] == (DatePart(Part.MONTH),), "in years all have one age"
    columns["date of birth"] = (now - 30_000 + random.integers(0, 25_000, n)).astype(str)
    plan = propose(table_of(columns, **{"date of birth": Kind.DATE}), person=None).plan
    assert isinstance(plan.generalisations["date of birth"][0], Age)
