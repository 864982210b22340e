"""What is done about persons with several records, chosen on Classify."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QInputDialog, QWidget

from splu_desktop.core import sanitise
from splu_desktop.core.checks.gate import table_lines
from splu_desktop.core.checks.proposing import GAMMAS
from splu_desktop.core.draw import DrawPerPerson, PlainGroups, by_person
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.generalise import by_quantiles
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column
from splu_desktop.files.publish.order import Order
from splu_desktop.gui.base import languages
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.base.words import told
from splu_desktop.gui.plan.taking_groups import take_groups
from splu_desktop.gui.shell import app
from splu_desktop.gui.shell.main_window import MainWindow
from splu_desktop.gui.shell.project_keeper import as_project

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")
Idle = Callable[[MainWindow], None]


def visits(path: Path) -> Path:
    chance = np.random.default_rng(2)
    who = np.repeat(np.arange(600), np.minimum(chance.geometric(0.6, 600), 9))
    rows = [f"{500_000 + 7 * x},{'AB'[x % 2]},{'flu gout cold none'.split()[chance.integers(4)]}\n" for x in who]  # noqa: SIM905
    path.write_text("patient_id,ward,illness\n" + "".join(rows), encoding="utf-8")
    return path


def test_the_ways(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    window.import_page.open_file(visits(tmp_path / "visits.csv"))
    idle(window)
    window.import_page.act()
    session, way = window.session, window.classify_page.risk.way
    session.set_roles({"illness": Role.SA}, "role")
    idle(window)
    assert way.isVisibleTo(window.classify_page)
    assert way.currentData() == ""
    way.take("draw")
    idle(window)
    assert way.currentData() == "draw"
    assert "drawn at once" in window.classify_page.risk.persons.text()
    window.show_step(Step.PLAN)
    idle(window)
    page = window.plan_page
    assert page.gamma.isVisibleTo(page)
    assert not page.plots.isVisibleTo(page)
    assert page.primary.text() == "Continue with gamma 5"
    assert page.primary.isEnabled()
    assert "Whoever sees all records of a person" in page.tolerant.sentences.text()
    page.gamma.slider.setValue(3)
    idle(window)
    draws = session.choices.plan().draws
    assert draws == {"illness": DrawPerPerson(3, "patient_id")}
    project = as_project(session.source, session.choices)
    assert project.plan().draws == draws
    window.show_step(Step.CLASSIFY)
    way.take("first")
    idle(window)
    assert "keeps one record" in window.classify_page.risk.persons.text()
    assert session.choices.plan().draws == {"illness": PlainGroups(3)}
    session.undo_stack.undo()
    idle(window)
    assert way.currentData() == "draw"


def test_classify_says_of_persons_what_the_gate_says(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    """Also of a joined draw, of whose tolerances the table's own persons leave less than was asked for."""
    path = visits(tmp_path / "visits.csv")
    text = path.read_text(encoding="utf-8").replace("gout", "flu").replace("cold", "flu")  # 3 of 4 records
    path.write_text(text, encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    window.import_page.act()
    window.session.set_roles({"illness": Role.SA}, "role")
    idle(window)
    window.classify_page.risk.way.take("draw")
    idle(window)
    plan = window.session.choices.plan()
    (draw,) = plan.draws.values()
    table = window.session.source.imported.table
    assert draw.learned(table, "illness", plan.thresholds).chance() != draw.chance()
    (said,) = (line.sentence for line in table_lines(table, plan) if line.name == "persons")
    assert window.classify_page.risk.persons.text() == told(said)


@pytest.mark.parametrize("way", ["first", "last", "random", "draw", "record"])
def test_records_that_stand_out_are_counted_as_the_gate_counts_them(
    window: MainWindow, tmp_path: Path, idle: Idle, way: str
) -> None:
    """Of the records that are published: Classify counted those that are left out, too."""
    chance = np.random.default_rng(6)
    who = np.repeat(np.arange(600), chance.integers(1, 5, 600))
    rows = [f"P{x:03},{chance.integers(20, 90)},{'ABCDEFGH'[x % 8]},{'wxyz'[chance.integers(4)]}\n" for x in who]
    path = tmp_path / "visits.csv"
    path.write_text("patient_id,age,ward,illness\n" + "".join(rows), encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    roles = {"patient_id": Role.IDENTIFIER, "age": Role.NSA, "ward": Role.NSA, "illness": Role.SA}
    window.session.set_roles(roles, "roles")
    window.show_step(Step.CLASSIFY)
    idle(window)
    risk = window.classify_page.risk
    risk.way.take(way, "a test" if way == "record" else "")
    idle(window)
    window.show_step(Step.PUBLISH)
    idle(window)
    lines = {line.name: line for line in window.publish_page.gate.lines}
    alone, records = re.findall(r"^([\d,]+) of ([\d,]+) records", lines["unique-records"].sentence)[0]
    assert (f"{risk.shown.whole.unique:,}", f"{risk.shown.whole.records:,}") == (alone, records)
    assert risk.persons.text() == told(lines["persons"].sentence)


def test_each_record_by_itself_needs_words(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    window.import_page.open_file(visits(tmp_path / "visits.csv"))
    idle(window)
    window.import_page.act()
    window.session.set_roles({"illness": Role.SA}, "role")
    idle(window)
    way = window.classify_page.risk.way
    way.setCurrentIndex(way.findData("record"))
    way.activated.emit(way.currentIndex())
    asking = way.findChild(QInputDialog)
    asking.reject()
    idle(window)
    assert way.currentData() == ""
    way.take("record", "stays are years apart")
    idle(window)
    assert "stays are years apart" in window.classify_page.risk.persons.text()
    asking.deleteLater()


def test_one_record_per_person_is_planned_with_the_records_that_stay(
    window: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    """Counts, limits and draws of Plan are those of what is published, and it can be."""
    path = tmp_path / "visits.csv"
    chance = np.random.default_rng(5)
    who = np.repeat(np.arange(500), chance.integers(1, 6, 500))
    ill = np.where(chance.random(len(who)) < 0.1, "yes", "no")
    rows = [f"{500_000 + 7 * x},{'AB'[x % 2]},{y}\n" for x, y in zip(who, ill, strict=True)]
    path.write_text("patient_id,ward,ill\n" + "".join(rows), encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    session = window.session
    session.set_roles({"ill": Role.SA}, "role")
    for way in ("first", "random"):
        session.choose(replace(session.choices, persons=ByPerson("patient_id", way)), "persons")
        column, fact = session.drawn("ill")
        assert (column.n, fact.records) == (500, 500)
        assert session.choices.draws["ill"].surest(column) is not None
        window.show_step(Step.PLAN)
        idle(window)
        shown = window.plan_page.ahead.shown
        assert shown.ahead.table.n == 500
        assert shown.ahead.table["ill"].counts().tolist() == column.counts().tolist(), "chosen anew at random"
        must = window.plan_page.open_must()
        must.look()
        idle(window)
        (proposed,) = must._found.draws.values()
        gamma = proposed.follows
        assert gamma is None or by_gamma(column, gamma) == proposed
        assert gamma is not None or all(by_gamma(column, each).unbound() != proposed for each in GAMMAS), way
        must.reject()
        order = Order(session.source.imported.table, session.choices.plan(), tmp_path / way)
        sanitise.check(order.table, order.plan)


def test_keeping_one_record_per_person_never_holds_the_window_up(
    window: MainWindow, tmp_path: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sorting the records by person is record-sized work: neither choosing it nor the order to publish does it here."""
    where: list[str] = []
    kept = by_person.records_kept

    def watched(*given: object) -> object:
        where.append(threading.current_thread().name)
        return kept(*given)

    monkeypatch.setattr(by_person, "records_kept", watched)
    window.import_page.open_file(visits(tmp_path / "visits.csv"))
    idle(window)
    window.import_page.act()
    window.session.set_roles({"illness": Role.SA}, "role")
    idle(window)
    window.classify_page.risk.way.take("random")
    idle(window)
    for step in (Step.PLAN, Step.PUBLISH):
        window.show_step(step)
        idle(window)
    page = window.publish_page
    page.set_target(tmp_path / "release")
    idle(window)
    assert page.primary.text() == "Publish 600 records", "those of the persons, not those of the file"
    page.gate.accept_all()
    page.act()
    idle(window)
    assert window.session.release is not None, page.banner.text.text()
    assert window.session.release.published.n == 600
    assert where
    assert threading.main_thread().name not in where


@pytest.mark.parametrize("way", ["first", "random"])
def test_opening_a_project_with_one_record_per_person_never_holds_the_window_up(
    window: MainWindow, tmp_path: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Neither the records are sorted by person on the window's thread, nor a column's taken from them."""
    window.import_page.open_file(visits(tmp_path / "visits.csv"))
    idle(window)
    window.import_page.act()
    window.session.set_roles({"illness": Role.SA}, "role")
    idle(window)
    window.classify_page.risk.way.take(way)
    idle(window)
    wanted = window.session.choices
    assert window.keeper.save(tmp_path / "mine.splu")
    window.import_page.open_sample()
    idle(window)
    where: list[str] = []

    def watch(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def watched(*given: Any) -> Any:
            where.append(threading.current_thread().name)
            return real(*given)

        monkeypatch.setattr(owner, name, watched)

    watch(by_person, "records_kept")
    watch(Column, "take")
    window.open_path(tmp_path / "mine.splu")
    idle(window)
    for step in (Step.CLASSIFY, Step.PLAN):
        window.show_step(step)
        idle(window)
    assert window.session.choices.persons == wanted.persons
    assert window.session.drawn("illness")[0].n == 600
    assert where
    assert threading.main_thread().name not in where


def test_a_project_whose_persons_have_no_order_opens_without_them(
    window: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    window.import_page.open_file(visits(tmp_path / "visits.csv"))
    idle(window)
    window.import_page.act()
    session = window.session
    session.set_roles({"illness": Role.SA}, "role")
    idle(window)
    window.classify_page.risk.way.take("first")
    idle(window)
    assert window.keeper.save(tmp_path / "mine.splu")
    saved = json.loads((tmp_path / "mine.splu").read_text(encoding="utf-8"))
    saved["persons"]["order"] = "ward"
    (tmp_path / "mine.splu").write_text(json.dumps(saved), encoding="utf-8")
    window.open_path(tmp_path / "mine.splu")
    idle(window)
    assert "“ward” has no order" in window.import_page.banner.text.text()
    assert session.choices.persons is None
    assert session.choices.roles["illness"] is Role.SA


def test_marking_a_column_with_one_record_per_person_leaves_records_out_in_a_worker(
    window: MainWindow, tmp_path: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is marked next: a column left out before, or put into groups since."""
    path = visits(tmp_path / "visits.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    more = [f"{line},{at % 7},{40 + at % 30}" for at, line in enumerate(lines[1:])]
    path.write_text("\n".join([lines[0] + ",note,age", *more]) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    window.import_page.act()
    roles = {"illness": Role.SA, "note": Role.DROPPED, "age": Role.NSA, "ward": Role.NSA}
    window.session.set_roles(roles, "role")
    idle(window)
    page = window.classify_page
    page.risk.way.take("first")
    idle(window)
    threads: list[threading.Thread] = []
    take = Column.take

    def watched(column: Column, records: Any) -> Column:
        if column.name in ("note", "age"):
            threads.append(threading.current_thread())
        return take(column, records)

    monkeypatch.setattr(Column, "take", watched)
    page.set_role("note", Role.SA)
    idle(window)
    assert window.session.choices.roles["note"] is Role.SA
    take_groups(window.session, window.tasks, "age", (by_quantiles(window.session.column("age"), 4),))
    idle(window)
    page.set_role("age", Role.SA)
    idle(window)
    assert window.session.drawn("age")[0].n == 600
    assert threads
    assert threading.main_thread() not in threads


def test_dates_move_and_persons_are_numbered(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    rows = [
        f"{500_000 + 7 * (x // 2)},2024-0{1 + x % 9}-11,{'AB'[x % 2]},{['flu', 'gout', 'cold', 'none'][x % 4]}\n"
        for x in range(400)
    ]
    (tmp_path / "stays.csv").write_text("patient_id,admitted,ward,illness\n" + "".join(rows), encoding="utf-8")
    window.import_page.open_file(tmp_path / "stays.csv")
    idle(window)
    window.import_page.act()
    window.session.set_roles({"illness": Role.SA, "admitted": Role.NSA, "ward": Role.NSA}, "role")
    idle(window)
    session, risk = window.session, window.classify_page.risk
    risk.way.take("draw")
    idle(window)
    options = risk.person_options
    assert options.days.isVisibleTo(window.classify_page)
    options.days.setValue(30)
    idle(window)
    options.number.click()
    idle(window)
    chosen = session.choices.plan().persons
    assert chosen == ByPerson("patient_id", "draw", number=True, shift=("admitted",), days=30)
    published = sanitise.run(session.source.imported.table, session.choices.plan())
    assert by_person.NUMBER in published.table
    assert as_project(session.source, session.choices).plan().persons == chosen
    risk.way.take("first")  # another way keeps the dates moved, and has no numbers
    idle(window)
    assert session.choices.plan().persons == ByPerson("patient_id", "first", shift=("admitted",), days=30)
    window.session.set_roles({"admitted": Role.SA}, "role")  # drawn anew now, so it isn't moved, too
    idle(window)
    assert session.choices.plan().persons.shift == ()
    assert not options.days.isVisibleTo(window.classify_page)
    window.session.set_roles({"admitted": Role.NSA}, "role")
    idle(window)
    options.days.setValue(0)
    idle(window)
    assert session.choices.plan().persons == ByPerson("patient_id", "first")


def test_columns_drawn_together_by_person_all_the_way(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    """They say a gamma, but none to move: Plan stopped in the middle of showing them."""
    path = visits(tmp_path / "visits.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    chance = np.random.default_rng(4)
    flags = [
        f"{line},{'yn'[int(x)]},{'yn'[int(y)]}"
        for line, x, y in zip(lines[1:], *(chance.random((2, len(lines) - 1)) < 0.8), strict=True)
    ]
    path.write_text("\n".join([lines[0] + ",asthma,gout", *flags]) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    window.import_page.act()
    session, page = window.session, window.plan_page
    session.set_roles(dict.fromkeys(("asthma", "gout", "illness"), Role.SA), "role")
    idle(window)
    window.classify_page.risk.way.take("draw")
    idle(window)
    window.show_step(Step.PLAN)
    idle(window)
    dialog = page.open_together()
    dialog.choose(["asthma", "gout", "illness"])
    idle(window)
    ((_, whole),) = (
        replace(session.choices, draws={**session.choices.draws, **dialog._result.draws}).plan().blocks.items()
    )
    assert dialog.costs.text() == "\n\n".join(told(each) for each in whole.costs(session.prepared())), "by person"
    dialog.accept()
    idle(window)
    assert not page.gamma.isVisibleTo(page)
    assert not page.per_value.isVisibleTo(page)
    assert page.primary.text() == "Continue with these groups"
    assert "together by person" in page.tolerant.title.text()
    assert "Fake values" not in page.tolerant.help_text()
    page.act()
    window.publish_page.set_target(tmp_path / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.act()
    idle(window)
    assert session.state(Step.PUBLISH) is State.DONE, window.publish_page.banner.text.text()
    assert {draw.name for draw in session.release.published.draws.values()} == {whole.name}


def test_workers_that_ask_at_once_look_at_the_same_records(
    window: MainWindow, tmp_path: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each chose its own ones at random, and a table could have columns of several choices."""
    window.import_page.open_file(visits(tmp_path / "visits.csv"))
    idle(window)
    window.import_page.act()
    window.session.set_roles({"illness": Role.NSA, "ward": Role.NSA}, "role")
    idle(window)
    source, persons = window.session.source, ByPerson("patient_id", "random")
    choices = replace(window.session.choices, persons=persons)
    both, chosen = threading.Barrier(2), by_person.records_kept

    def at_once(*asked: Any) -> Any:
        found = chosen(*asked)
        both.wait(10)
        return found

    monkeypatch.setattr(by_person, "records_kept", at_once)
    tables = []
    workers = [threading.Thread(target=lambda: tables.append(source.published(choices))) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    stay = source.stay(persons)
    for table in tables:
        for name in ("ward", "illness"):
            whole = source.column(name)
            told = [str(table[name].labels[code]) for code in table[name].codes]
            assert told == [str(whole.labels[code]) for code in whole.codes[stay]]


@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_the_decision_about_persons_is_read_whole_on_a_small_screen(
    code: str, qapp: QApplication, tmp_path: Path, idle: Idle
) -> None:
    """Words, choice and what goes with it, before anything is scrolled; it stood below all else, in a hand's breadth.

    960 x 540 is a screen of 1080 lines at 200 %.
    """
    chance = np.random.default_rng(3)
    who = np.repeat(np.arange(9_000), np.minimum(chance.geometric(0.6, 9_000), 40))
    codes = ("V57", "V58", "250", "401")
    rows = [f"{8_500_000 + 7 * x},{chance.integers(14)},{'AB'[x % 2]},{codes[chance.integers(4)]}\n" for x in who]
    path = tmp_path / "visits.csv"
    path.write_text("patient_nbr,time_in_hospital,medical_specialty,diagnosis\n" + "".join(rows), encoding="utf-8")
    languages.choose(code)
    app.prepare(qapp)
    window = app.make_window()
    try:
        window.resize(960, 540)
        window.show()
        window.import_page.open_file(path)
        idle(window)
        window.session.set_roles({"diagnosis": Role.SA, "medical_specialty": Role.NSA}, "role")
        window.show_step(Step.CLASSIFY)
        idle(window)
        page = window.classify_page
        for chosen in ("", "first", "draw"):
            page.risk.way.take(chosen)
            idle(window)
            for _ in range(4):
                qapp.processEvents()
            assert not page.room.horizontalScrollBar().maximum(), f"{chosen}: sideways"
            options = page.risk.person_options
            parts = [page.risk.persons, page.risk.way]
            parts += [part for part in options.findChildren(QWidget) if part.isVisible() and part.parent() is options]
            assert (len(parts) > 2) == bool(chosen)
            for part in parts:
                seen = part.visibleRegion().boundingRect()
                assert seen == part.rect(), (chosen, type(part).__name__, seen, part.rect())
            lines = page.risk.persons.heightForWidth(page.risk.persons.width())
            assert page.risk.persons.height() >= lines, chosen
    finally:
        window.close()
        window.tasks.shutdown()
        window.deleteLater()
        languages.speak(qapp, "en")
