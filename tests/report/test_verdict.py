"""No document says that all checks passed while it holds one that failed; and the register's plan makes the report."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.core.checks.gate import NAMES
from splu_desktop.core.checks.selfcheck import Check, check_alone
from splu_desktop.core.draw import DecoyGroups, PlainGroups
from splu_desktop.core.generalise import Groups, Intervals
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.importer import read
from splu_desktop.files.publish import entry as register_entry
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.folder import read_release
from splu_desktop.gui.report.work import ReportFigures
from splu_desktop.report import make
from splu_desktop.report.content import document
from splu_desktop.report.history import background
from splu_desktop.report.make import make_report, write_report
from splu_desktop.report.model import CheckResult, Report
from splu_desktop.report.render.html import write_html
from splu_desktop.report.verify import verify_report
from tests.report.conftest import FIELDS, Case

PASSED = "All checks passed"


def said(report: Report, language: str, folder: Path) -> str:
    target = folder / "report.html"
    write_html(document(report, language), target)
    return target.read_text(encoding="utf-8")


def test_each_check_against_the_source_decides_the_verdict(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    behind = case.internal.original
    assert behind is not None
    assert len(behind.checks) > 4
    known = background(case.opened, case.imported, register=Register())
    for at in range(len(behind.checks)):
        failed = tuple(replace(check, passed=i != at) for i, check in enumerate(behind.checks))
        monkeypatch.setattr(make, "original", lambda *_, found=failed, **__: replace(behind, checks=found))
        report = make_report(case.opened, FIELDS, known)
        assert report.public.cover.verdict.code == "fails"
        assert "check-failed" in report.public.cover.verdict.reasons
        text = said(report, "en", tmp_path)
        assert "FAILED" in text
        assert PASSED not in text
    write_report(report, tmp_path / "report.json")
    assert verify_report(tmp_path / "report.json", case.release).differences == ()


def test_each_check_of_the_release_alone_decides_the_verdict(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = check_alone(case.opened.published)
    for at in range(len(every)):
        failed = tuple(replace(check, passed=check.passed and i != at) for i, check in enumerate(every))

        def checks(*_: object, found: tuple[Check, ...] = failed, **__: object) -> tuple[Check, ...]:
            return found

        monkeypatch.setattr("splu_desktop.report.public.selfcheck.check_alone", checks)
        report = make_report(case.opened, FIELDS)
        assert report.public.cover.verdict.code == "fails"
        text = said(report, "en", tmp_path)
        assert "FAILED" in text
        assert PASSED not in text


def test_a_sound_report_says_so_in_both_editions(case: Case, tmp_path: Path) -> None:
    for report in (case.external, case.internal):
        text = said(report, "en", tmp_path)
        assert PASSED in text
        assert "FAILED" not in text
    assert make.weighed(case.external.public, (CheckResult("rows", None, True, ""),)) is case.external.public


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    path = tmp_path / "patients.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "ward", "result"])
        for _ in range(600):
            writer.writerow([rng.integers(20, 90), f"W{rng.integers(0, 6)}", f"r{rng.integers(0, 6)}"])
    return path


def published(source: Path, folder: Path, *options: str) -> Path:
    release = folder / "release"
    words = ["--accept", "unique-records=ok", "--accept", "sensitive"]
    assert main(["publish", str(source), "--out", str(release), *words, *options]) == 0
    return release


@pytest.mark.parametrize("column", [1, 2], ids=["left out", "sensitive"])
def test_a_source_altered_where_the_release_does_not_show_it_is_not_its_source(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], column: int
) -> None:
    """A value altered in a column re-drawn or left out gave "All checks passed" over another table's true counts."""
    release = published(source, tmp_path, "--sa", "result", "--nsa", "age", "--drop", "ward", "--gamma", "3")
    same = ["report", str(release), "--internal", "--source", str(source)]
    assert main([*same, "--out", str(tmp_path / "same.json")]) == 0
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    rows[7][column] = next(row[column] for row in rows[1:] if row[column] != rows[7][column])
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    capsys.readouterr()
    assert main([*same, "--out", str(tmp_path / "altered.json")]) == 2
    assert "NOT to be relied on" in capsys.readouterr().out
    checks = json.loads((tmp_path / "altered.json").read_text(encoding="utf-8"))["original"]["checks"]
    assert [check["name"] for check in checks if not check["passed"]] == ["source"]


def test_a_source_altered_after_publishing_fails_on_the_cover_and_in_the_exit_status(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = published(source, tmp_path, "--sa", "result:3")
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    source.write_text("".join([lines[0], "21,W9,r0\n", *lines[2:]]), encoding="utf-8")
    capsys.readouterr()
    command = [
        "report",
        str(release),
        "--internal",
        "--source",
        str(source),
        "--out",
        str(tmp_path / "r.html"),
        "--json",
    ]
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert "not to be relied on" in err
    assert json.loads(out)["verdict"]["code"] == "fails"
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "FAILED" in text
    assert PASSED not in text


@pytest.mark.parametrize("old", [False, True])
def test_the_register_is_enough_for_the_report_of_equal_tolerances_and_groups(
    source: Path, tmp_path: Path, old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two equal tolerances, a column in ranges, one in groups made by hand: no recipe is asked for."""
    if old:  # as version 0.1.0 wrote it

        def bare(recipe: dict) -> dict:  # type: ignore[type-arg]
            draws = {name: each | {"tolerances": {"1/4": 6}} for name, each in recipe["draws"].items()}
            return recipe | {"draws": draws}

        monkeypatch.setattr(register_entry, "_without_values", bare)
        monkeypatch.setattr(register_entry, "_locked", lambda recipe, secret: None)
    imported = read(source)
    limits = Tolerances(dict.fromkeys((f"r{i}" for i in range(6)), "0.25"))
    plan = Plan(
        {"age": Role.NSA, "ward": Role.NSA, "result": Role.SA},
        {"result": DecoyGroups((4,), (Fraction(1),), limits)},
        generalisations={
            "age": (Intervals((40, 60, 80)),),
            "ward": (Groups((("north", ("W0", "W1")), ("south", ("W2", "W3")))),),
        },
    )
    order = Order(imported.table, plan, tmp_path / "release", source=source, source_sha256=imported.source.sha256)
    register = Register(tmp_path / "register")
    publish(order, strict=False, register=register)
    opened = read_release(tmp_path / "release")
    if old:
        path = register.folder / "register.jsonl"
        assert '"recipe_locked": null' in path.read_text(encoding="utf-8")
        monkeypatch.setattr("splu_desktop.report.history.unlocked", lambda *_, **__: pytest.fail("nothing is locked"))
    report = make_report(opened, FIELDS, background(opened, imported, register=register))
    assert report.original is not None
    assert all(check.passed for check in report.original.checks)


def test_records_released_twice_are_weighed_and_what_was_accepted_is_said(source: Path, tmp_path: Path) -> None:
    """Of each of two releases the internal edition weighs the other, earlier or later; a role has its own reason."""
    imported, register = read(source), Register(tmp_path / "register")
    roles = {"age": Role.DROPPED, "ward": Role.NSA, "result": Role.SA}
    limits = Tolerances(dict.fromkeys((f"r{i}" for i in range(6)), "0.25"))
    plan = Plan(roles, {"result": DecoyGroups((4,), (Fraction(1),), limits)})
    reports = []
    for name in ("first", "second"):
        order = Order(imported.table, plan, tmp_path / name, source=source, source_sha256=imported.source.sha256)
        publish(order, strict=False, register=register)
    for name in ("first", "second"):
        opened = read_release(tmp_path / name)
        reports.append(make_report(opened, FIELDS, background(opened, imported, register=register)))
        write_report(reports[-1], tmp_path / f"{name}.json")
        assert verify_report(tmp_path / f"{name}.json", tmp_path / name).differences == ()
        assert "released-again" in reports[-1].public.cover.verdict.reasons
    told = [each for report in reports for each in report.original.acknowledged if each.name == "earlier-release"]  # type: ignore[union-attr]
    assert len(told) == 1, "the first had none before it"
    assert "released once before" in told[0].sentence
    plain = replace(plan, roles={**roles, "result": Role.NSA, "ward": Role.SA}, draws={"ward": PlainGroups(3)})
    order = Order(imported.table, plain, tmp_path / "third", source=source, source_sha256=imported.source.sha256)
    publish(order, strict=False, register=register)
    known = background(read_release(tmp_path / "first"), imported, register=register).earlier
    assert known is not None
    assert [("“result”" in each.relation) for each in known] == [False, True]
    reasons = {column.name: column.reason for column in reports[0].original.columns}  # type: ignore[union-attr]
    assert reasons["age"].startswith("chosen so; ")
    assert "chosen so" not in reasons["ward"]


@pytest.mark.parametrize("gaps", [True, False])
def test_both_tables_of_values_agree_and_say_where_no_value_is_one(gaps: bool, tmp_path: Path) -> None:
    """One table said 4 values and another 5 for one column: the former alone leaves “no value” out."""
    ills = ["flu", "cold", "cough", "fever", *([""] if gaps else [])]
    source = tmp_path / "visits.csv"
    source.write_text("ward,ill\n" + "".join(f"{'AB'[i % 2]},{ills[i % len(ills)]}\n" for i in range(400)))
    out = tmp_path / "release"
    assert main(["publish", str(source), "--sa", "ill:2", "--nsa", "ward", "--out", str(out)]) == 0
    report = make_report(read_release(out), FIELDS)
    (told,) = (column for column in report.public.columns if column.name == "ill")
    (eligible,) = report.public.eligibility
    assert eligible.values - told.distinct == (1 if told.missing else 0) == int(gaps)
    assert ("“No value” is one of the values here." in said(report, "en", tmp_path)) is gaps


def test_an_edition_made_of_figures_at_hand_is_the_one_made_anew(source: Path, tmp_path: Path) -> None:
    """The window computes the figures once: its external edition kept what only the source tells, and of reasons put
    in another order `splu verify` said that the release gives others."""
    imported, register = read(source), Register(tmp_path / "register")
    roles = {"age": Role.DROPPED, "ward": Role.NSA, "result": Role.SA}
    audience = Audience("public")
    plan = Plan(roles, {"result": PlainGroups(3)}, audience=audience)
    for name in ("first", "second"):
        order = Order(imported.table, plan, tmp_path / name, source=source, source_sha256=imported.source.sha256)
        publish(order, accepted=dict.fromkeys(NAMES, "known"), register=register)
    opened = read_release(tmp_path / "second")
    known = background(opened, imported, register=register)
    fields = replace(FIELDS, threshold="0.001")
    at_hand = ReportFigures(make_report(opened, background=known), {})
    for internal, behind in ((True, known), (False, None)):
        made, anew = at_hand.edition(fields, internal=internal), make_report(opened, fields, behind)
        assert made.public.cover.verdict == anew.public.cover.verdict
        assert {"risk-above"} <= set(anew.public.cover.verdict.reasons)
        assert ({"released-again", "row-above"} <= set(anew.public.cover.verdict.reasons)) == internal
        target = tmp_path / f"{internal}.json"
        write_report(made, target)
        assert verify_report(target, tmp_path / "second").differences == ()
