"""The figures of a report are those of the verdict, and what is missed stands first."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.messages import cases_of_100
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import AskedTable, parse_question
from splu_desktop.core.risk.attack import attack
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Table
from splu_desktop.files.disk.digests import file_sha256
from splu_desktop.files.importer import read
from splu_desktop.files.language import language
from splu_desktop.files.publish.publishing import Options, publish
from splu_desktop.files.register import Register
from splu_desktop.report.content.words import first_line, limit_figures, standing_words
from splu_desktop.report.document import Paragraph, TableBlock
from splu_desktop.report.fields import Fields
from splu_desktop.report.limit_facts import ALIKE, READ, Limit
from splu_desktop.report.make import DERIVED, as_json, make_report
from tests.report.conftest import FIELDS, REASON, Case


def test_each_line_and_figure_is_the_verdicts(case: Case) -> None:
    facts, judged = case.report(internal=True).facts, case.judged
    lines = {each.name: each for each in facts.limits}
    for line in judged.lines:
        assert lines[line.name].met is not line.open, line.name
        assert lines[line.name].sentence == line.sentence
        assert lines[line.name].accepted is line.open
    figures = judged.figures
    assert facts.state == judged.state
    assert (facts.persons, facts.rows) == (figures.persons, figures.rows)
    assert lines["persons-alike"].value == figures.alike.smallest
    assert lines["certainty"].value == facts.average == figures.certainty.average
    assert lines["riskiest-group"].value == facts.riskiest == figures.certainty.riskiest
    assert facts.cells == (figures.readable, figures.cells)
    assert facts.other == figures.other
    assert facts.person == figures.person


@pytest.mark.parametrize("internal", [True, False])
def test_no_edition_says_that_some_may_be_found_where_enough_look_alike(case: Case, internal: bool) -> None:
    """A recipient may not know how many do, where no row says whose it is: that the original keeps it is said."""
    report = case.report(internal=internal)
    alike = report.facts.limit(ALIKE)
    assert alike is not None
    text = " ".join(each.text for each in report.document("en").front if isinstance(each, Paragraph))
    assert ("Some may be found" in text) is not alike.met
    assert ("finds its group." in text) is alike.met
    assert ("Least number of persons in one" in text) is (alike.met and alike.value is not None)


def test_risk_by_value_is_the_attacks(case: Case) -> None:
    found = attack(prepare(case.source, case.plan), case.plan)
    stated = {(each.column, each.value): each for each in case.report(internal=True).facts.secrets}
    for column in found:
        for value in column.values:
            own = stated[column.column, value.value]
            assert own.bearers == value.bearers
            assert own.without == pytest.approx(value.baseline)
            assert own.with_release == pytest.approx(value.right, abs=0.15)  # two draws; 7 standard errors or more


def test_all_who_have_a_value_are_counted_where_the_attack_judges_some(
    cases: dict[str, Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splu_desktop.core.risk.attack._ROWS", 500)
    case = cases["kept"]
    stated = {each.value: each for each in case.report(internal=True).facts.secrets}
    persons, symptom = case.source["patient_id"].codes, case.source["symptom"]
    for value in ("fever", "cough"):
        at = symptom.labels.tolist().index(value)
        assert stated[value].bearers == len(np.unique(persons[symptom.codes == at]))


@pytest.mark.parametrize("internal", [True, False])
def test_a_missed_limit_stands_first_with_who_accepted_it(cases: dict[str, Case], internal: bool) -> None:
    kept, missed = (cases[name].report(internal=internal) for name in ("kept", "missed"))
    assert kept.first_line.startswith("All ")
    assert kept.verdict_as_dict()["code"] == "useful"
    assert "NOT met" in missed.first_line.split(".")[0]
    assert missed.verdict_as_dict()["code"] == "missed"
    assert (REASON in missed.first_line) is internal
    signed = [row[0] for block in missed.document("en").front if isinstance(block, TableBlock) for row in block.rows]
    open_lines = sum(not each.met for each in missed.facts.limits)
    assert f"Who publishes, and accepts no. 1–{open_lines}" in signed
    document = missed.document("en")
    assert document.front[2].text == missed.first_line  # type: ignore[union-attr]


@pytest.mark.parametrize(("first", "second", "grave"), [("", "", False), ("Uni", "Uni", True), ("Uni", "Amt", False)])
def test_both_editions_call_a_second_release_what_its_verdict_called_it(
    first: str, second: str, grave: bool, tmp_path: Path
) -> None:
    """Nobody may be somebody else; the recipient's edition took nobody twice for the same."""
    path = tmp_path / "tests.csv"
    rng = np.random.default_rng(3)
    rows = [f"P{n:04d},{rng.choice(['f', 'm'])},{rng.choice(['yes', 'no'])}" for n in range(400)]
    path.write_text("\n".join(["patient_id,sex,result", *rows]), encoding="utf-8")
    table, register = read(path).table, Register()
    roles = {"patient_id": Role.IDENTIFIER, "sex": Role.NSA, "result": Role.SA}
    plan = Plan(roles, (Block(("result",), Lenders(5)),), questions=(AskedTable("result", "yes", ("sex",)),))
    for name, recipient in (("a", first), ("b", second)):
        own = replace(plan, audience=Audience(recipient=recipient))
        options = Options(source=path, source_sha256=file_sha256(path), accept_all=REASON)
        done = publish(table, own, tmp_path / name, options=options, register=register)
    for source in (None, table):
        report = make_report(done.release, Fields(), entry=done.entry, source=source)
        facts, text = report.facts, " ".join(report.document("en").texts())
        # What it was made from stands in the files of one's own alone.
        assert (f"source: tests.csv, {file_sha256(path)[:32]}." in text) is (source is not None)
        assert (b"tests.csv" in as_json(report)) is (source is not None)
        line = next(each for each in facts.limits if each.name == "second-release")
        assert (line.met, line.grave, line.accepted) == (False, grave, True)


def test_a_limit_that_the_original_keeps_is_not_called_met_beside_a_figure_that_says_otherwise(
    cases: dict[str, Case],
) -> None:
    t = language("en")
    own, out = (cases["kept"].report(internal=internal).facts for internal in (True, False))
    over, under = Limit("riskiest-group", 0.504, 0.5, True), Limit("riskiest-group", 0.5, 0.5, True)
    assert (standing_words(over, out, t), standing_words(under, out, t)) == ("met by the original", "met")
    assert standing_words(over, own, t) == "met"
    # Which rows are one person's no release tells.
    untold, none = Limit("persons-alike", None, 5, True), Limit("no-giveaway", None, None, True)
    assert (standing_words(untold, out, t), standing_words(none, out, t)) == ("met by the original", "met")


def test_the_first_line_counts_the_lines_that_its_table_shows(cases: dict[str, Case]) -> None:
    t = language("en")
    for case in cases.values():
        for facts in (case.report(internal=internal).facts for internal in (True, False)):
            rough = [replace(each, met=each.met and each.name != READ, accepted=True) for each in facts.limits]
            for stated in (facts, replace(facts, limits=tuple(rough))):  # one that is decided counts for nothing
                said = [standing_words(each, stated, t) for each in stated.limits]
                missed, met = said.count("NOT met"), sum(each.startswith("met") for each in said)
                found = re.match(r"All (\d+) limits|NOT met: (\d+) of (\d+) limits", first_line(stated, t))
                assert found is not None
                expected = (missed, missed + met) if missed else (met,)
                assert tuple(int(each) for each in found.groups() if each) == expected


def test_a_table_of_small_numbers_alone_is_shown_by_them(cases: dict[str, Case]) -> None:
    for internal in (True, False):
        asked = cases["kept"].report(internal=internal).facts.tables[0]
        small = replace(asked, cells=tuple(replace(each, true=9.0, estimate=9.0) for each in asked.cells))
        assert len(asked.cells) > 1
        assert len(small.ends) == 2
        assert replace(asked, cells=()).ends == ()


def test_cases_of_100_round_against_the_release() -> None:
    assert [cases_of_100(share) for share in (0.0, 0.55, 0.551, 0.999, 1.0)] == [0, 55, 56, 100, 100]
    assert [cases_of_100(share, down=True) for share in (0.29, 0.295, 0.999, 1.0)] == [29, 29, 99, 100]


def test_what_was_decided_is_said_first_and_few_cells_by_their_number(cases: dict[str, Case]) -> None:
    t, facts = language("en"), cases["kept"].report(internal=True).facts
    limits = facts.limits[:-1]
    decided = (*limits, Limit("dates", 1, 0, False, grave=False, reason=REASON, accepted=True))
    assert first_line(replace(facts, limits=decided), t).endswith("Decided by hand, in section 6: 1.")
    assert "Decided" not in first_line(facts, t)
    assert limit_figures(Limit(READ, 2, 3, False, grave=False), t) == ("3", "2")
    assert limit_figures(Limit(READ, 1.0, 0.75, True, grave=False), t) == ("75 of 100", "100 of 100")


def test_an_own_threshold_is_a_limit_more(cases: dict[str, Case]) -> None:
    case = cases["kept"]
    strict = case.report(internal=False, fields=Fields(threshold=0.05))
    assert "NOT met" in strict.first_line
    assert strict.verdict_as_dict()["code"] == "missed"
    assert case.report(internal=False, fields=Fields(threshold=1.0)).first_line.startswith("All 6 limits are met")
    with pytest.raises(BadSetting):
        case.report(internal=False, fields=Fields(threshold=5))


def test_the_recipients_edition_follows_from_the_release(case: Case) -> None:
    """The register adds which lines were accepted, and none of its words or numbers."""
    told = json.loads(as_json(case.report(internal=False)))
    alone = json.loads(as_json(make_report(case.opened, FIELDS)))
    assert told["release"] == alone["release"]
    assert set(told["release"]) == set(DERIVED)
    text = json.dumps(told)
    for sentence in case.entry.body["open"].values():
        assert str(sentence) not in text
    assert REASON not in text
    assert all(cell["true"] is None for each in told["release"]["tables"] for cell in each["cells"])
    assert told["custodian"]["attacked"] == []


def test_another_table_is_no_source(cases: dict[str, Case]) -> None:
    case = cases["kept"]
    with pytest.raises(BadSetting, match="not made from this file"):
        make_report(case.opened, FIELDS, entry=case.entry, source=case.source.take(np.arange(1, case.source.n)))
    with pytest.raises(BadSetting, match="not made from this file"):
        make_report(case.opened, FIELDS, entry=case.entry, source=case.source.select(case.source.names[1:]))


def test_pages_name_each_column_the_lenders_and_the_release_as_the_release_does(case: Case, tmp_path: Path) -> None:
    report = case.report(internal=True)
    printed = "\n".join(report.document("en").texts())
    assert all(name in printed for name in case.source.names)
    assert "Left out: patient_id" in printed
    assert "Only those alike in sex, age_group and number of rows lend to each other." in printed
    readme = (Path(case.opened.path) / "README.md").read_text(encoding="utf-8")
    cited = re.search(r"protected release (\w+) of", readme)
    assert cited is not None
    assert f"Release {cited[1]} (" in printed
    alone = _visits(tmp_path, 1)
    roles = dict(zip(alone.names, (Role.DROPPED, Role.NSA, Role.DROPPED, Role.SA), strict=True))
    plan = Plan(roles, (Block(("diagnostic",), Lenders(4)),), classes=("sexe",))
    options, register = Options(accept_all=REASON), Register(tmp_path / "register")
    done = publish(alone, plan, tmp_path / "r", options=options, register=register)
    rows = "\n".join(make_report(done.release, Fields(), entry=done.entry).document("en").texts())
    assert "Only those alike in sexe lend to each other." in rows


def _visits(folder: Path, each: int = 2) -> Table:
    """Return 400 persons with so many visits each, the days as a French export spells them."""
    lines = [
        f"P{at // each:04};{'FM'[at // each % 2]};{1 + at % 28:02}/03/2024;{'ab'[at // 3 % 2]}"
        for at in range(400 * each)
    ]
    path = folder / "visites.csv"
    path.write_text("\n".join(["patient no.;sexe;entrée le;diagnostic", *lines]) + "\n", encoding="utf-8")
    return read(path).table


@pytest.mark.parametrize(("way", "persons"), [("draw", None), ("first", 400)])
def test_dates_of_any_spelling_and_one_row_of_each_person_are_told(
    tmp_path: Path, way: str, persons: int | None
) -> None:
    source = _visits(tmp_path)
    roles = dict(zip(source.names, (Role.IDENTIFIER, Role.NSA, Role.NSA, Role.SA), strict=True))
    small = AskedTable("diagnostic", "a", ("sexe", "entrée le"))
    plan = Plan(roles, (Block(("diagnostic",), Lenders(4)),), persons=ByPerson("patient no.", way), questions=(small,))
    done = publish(
        source, plan, tmp_path / "r", options=Options(accept_all=REASON), register=Register(tmp_path / "register")
    )
    inside, outside = (make_report(done.release, Fields(), entry=done.entry, source=each) for each in (source, None))
    assert inside.facts.persons == 400
    assert outside.facts.persons == persons
    assert inside.facts.one_row == outside.facts.one_row == ("" if way == "draw" else "first")
    readme = (tmp_path / "r" / "README.md").read_text(encoding="utf-8")
    assert ("only the first is here" in readme) is (way == "first")
    values = {each.name: each.values for each in outside.facts.columns}
    assert (values["sexe"], values["diagnostic"]) == (2, 2)
    assert "no cell is as large as 50" in readme
    for each in (inside, outside):
        useful = each.facts.limit("too-blurred")
        assert useful is not None
        assert useful.value is None
        printed = "\n".join(each.document("en").texts())
        assert "0 of 0" not in printed
        assert not re.search(r"\b0 (persons|rows|cells)\b|\b1 (persons|rows|cells)\b|\.\.(?!\.)(?<!\.\.\.)", printed)


def test_a_recipient_reads_how_many_look_alike_where_each_row_is_a_person(tmp_path: Path) -> None:
    source = _visits(tmp_path, 1)
    roles = dict(zip(source.names, (Role.IDENTIFIER, Role.NSA, Role.DROPPED, Role.SA), strict=True))
    plan = Plan(roles, (Block(("diagnostic",), Lenders(4)),), persons=ByPerson("patient no."))
    done = publish(
        source, plan, tmp_path / "r", options=Options(accept_all=REASON), register=Register(tmp_path / "register")
    )
    facts = make_report(done.release, Fields(), entry=done.entry).facts
    alike = facts.limit("persons-alike")
    assert alike is not None
    assert (facts.persons, facts.most_rows, alike.value) == (400, 1, 200)


def test_a_recipient_reads_the_means_that_were_asked_for(tmp_path: Path) -> None:
    """They were left out without a word: “all limits are met” told of one of two tables."""
    rng = np.random.default_rng(3)
    lines = [f"{'AB'[at % 2]};{rng.integers(2, 9)}" for at in range(900)]
    lines += ["few;3"] * 20
    path = tmp_path / "stays.csv"
    path.write_text("\n".join(["ward;days", *lines]) + "\n", encoding="utf-8")
    source = read(path).table
    asked = parse_question("mean of days by ward", source)
    plan = Plan({"ward": Role.NSA, "days": Role.SA}, (Block(("days",), Lenders(3)),), questions=(asked,))
    done = publish(
        source, plan, tmp_path / "r", options=Options(accept_all=REASON), register=Register(tmp_path / "register")
    )
    (table,) = make_report(done.release, Fields(), entry=done.entry).facts.tables
    assert [cell.line for cell in table.cells] == [("A",), ("B",)]
    assert (table.readable, table.of) == (2, 2)
    days = np.array([int(line.partition(";")[2]) for line in lines[:900]])
    for at, cell in enumerate(table.cells):
        assert cell.true is None
        assert cell.low < cell.estimate < cell.high
        assert abs(cell.estimate - days[at::2].mean()) < cell.high - cell.low
