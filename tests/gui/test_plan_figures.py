"""Every figure on the plan page equals the command line's; what is not met says what would meet it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QPushButton

from splu_desktop.cli.main import main
from splu_desktop.core import generalise as g
from splu_desktop.core.guarantees import planning, sentences
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.project.recipe import Recipe, write_recipe
from splu_desktop.gui.base.facts import facts_after
from splu_desktop.gui.base.plot_saving import SavePlotButton
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.plan.tradeoff import TradeOffTab
from splu_desktop.gui.plan.ways_out import ways_out
from splu_desktop.gui.shell.main_window import MainWindow
from tests.draws import plain
from tests.gui.test_grouping import hospital as hospital  # a fixture

Idle = Callable[[MainWindow], None]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def as_said(label: QLabel) -> str:
    """Return a label's text; that no line begins with a per cent sign is not what the command line says."""
    return label.text().replace("\N{NO-BREAK SPACE}", " ")


def _cli(capsys: pytest.CaptureFixture[str], *args: object) -> dict:
    capsys.readouterr()
    assert main([str(arg) for arg in args]) == 0
    return json.loads(capsys.readouterr().out)


def _choose(window: MainWindow, name: str, gamma: int, thresholds: Thresholds, steps: g.Steps = ()) -> None:
    session = window.session
    column = session.source.imported.table[name]
    if steps:
        made = g.column_after(column, steps)
        session.source.variants[name, steps] = made, facts_after(column, made)
    roles = {each: Role.SA if each == name else Role.NSA for each in session.choices.roles}
    session.choose(
        replace(
            session.choices,
            roles=roles,
            draws=plain({name: gamma}),
            thresholds=thresholds,
            generalisations={name: steps},
        ),
        "all",
    )


CASES = [
    ("Diagnosis", 5, Thresholds(0.3, 0.05, 3, 0.5), False),
    ("Diagnosis", 7, Thresholds(0.2, 0.02, 5, 0.9), False),
    ("Code", 3, Thresholds(0.1, 0.05, 10, None), True),
    ("Ward", 4, Thresholds(1.0, 0.3, 20, 0.0), False),
]


@pytest.mark.parametrize(("name", "gamma", "thresholds", "grouped"), CASES)
def test_every_figure_equals_the_command_lines(
    hospital: MainWindow,
    idle: Idle,
    tmp_path: Path,
    capsys,
    name: str,
    gamma: int,
    thresholds: Thresholds,
    grouped: bool,
) -> None:
    steps = (g.Chapter("icd10"), g.Rare(20)) if grouped else ()
    _choose(hospital, name, gamma, thresholds, steps)
    hospital.show_step(Step.PLAN)
    idle(hospital)
    page = hospital.plan_page
    session = hospital.session
    imported = session.source.imported
    write_recipe(Recipe(imported.choices, session.choices.plan(), imported.source), tmp_path / "r.toml")
    said = _cli(capsys, "plan", session.source.path, "--recipe", tmp_path / "r.toml", "--curves", "--json")
    column = said["sensitive"][name]
    assert column["gamma"] == page.gamma.value() == gamma

    # The values, one by one, with their totals.
    names = {"protected": "protected", "between": "in between", "answerable": "answerable"}
    shown = {
        row.value: (row.count, names[row.group], row.wrong, row.error, row.signal) for row in page.values.model.rows
    }
    listed = {
        row["value"]: (row["count"], row["state"], row["error_probability"], row["expected_error"], row["signal"])
        for row in column["values"]
    }
    assert shown == listed
    for group, words in names.items():
        total = column["totals"][words]
        assert f"{total['values']} {words.replace('in between', 'in between')}" in page.values.totals.text()
        assert f"({total['records']} records)" in page.values.totals.text(), group

    # The sentences, what is not met, and the recommendation.
    assert [as_said(page.promises.small), as_said(page.promises.large)] == column["sentences"][:2]
    assert as_said(page.promises.warnings).split("\n") == (column["warnings"] or [""])
    told = [each["column"] for each in column["given_away_by"]]
    assert [each.column for each in page.giveaway.found] == told
    if thresholds.t_p is not None:
        assert as_said(page.trade_off.tab.words) == column["recommendation"]["words"]
        assert page._advice.gamma == column["recommendation"]["gamma"]

    # What the plots draw.
    small, large = page.small.plot._shown, page.large.plot._shown
    assert small.probability[: thresholds.alpha].tolist() == column["curves"]["probability"]
    assert small.t_p == pytest.approx(column["t_p"], rel=1e-12)
    assert large.chosen == (thresholds.t_e, column["t_f"])
    curve, offer = page._advice.curve, column["trade_off"]
    for key in ("gammas", "t_p", "large_error", "subgroup_error", "signal"):
        assert getattr(curve, key).tolist() == offer[key]
    x, y = page.trade_off.tab.plot._t_p.getData()
    assert np.array_equal(x, offer["gammas"])
    assert np.array_equal(y, offer["t_p"])

    # And `splu guarantee`.
    asked = ["--gamma", gamma, "--epsilon", thresholds.epsilon, "--t-e", thresholds.t_e, "--alpha", thresholds.alpha]
    alone = _cli(capsys, "guarantee", *asked, "--json")
    assert alone["t_f"] == large.chosen[1]
    if not small.told:  # which without the table can't be seen
        assert alone["t_p"] == pytest.approx(small.t_p, rel=1e-12)
    assert alone["t_f_chebyshev"] == column["t_f_chebyshev"]


def test_a_recipe_of_the_window_replays_the_same_release_settings(
    hospital: MainWindow, idle: Idle, tmp_path: Path, capsys
) -> None:
    _choose(hospital, "Code", 3, Thresholds(0.25, 0.04, 4, 0.5), (g.Prefix(length=1), g.Rare(15, "Few")))
    session = hospital.session
    imported = session.source.imported
    plan = session.choices.plan()
    write_recipe(Recipe(imported.choices, plan, imported.source), tmp_path / "r.toml")
    path = session.source.path
    said = _cli(
        capsys, "plan", path, "--recipe", tmp_path / "r.toml", "--save-recipe", tmp_path / "again.toml", "--json"
    )
    stored = plan.as_dict()
    assert said["roles"] == stored["roles"]
    assert said["thresholds"] == stored["thresholds"]
    assert {name: each["steps"] for name, each in said["generalisations"].items()} == stored["generalisations"]
    assert (tmp_path / "again.toml").read_text() == (tmp_path / "r.toml").read_text()


def test_the_numbers_of_the_design_stand_on_the_page(hospital: MainWindow, idle: Idle) -> None:
    """mechanism.md section 3: exact T_f at gamma 10, and T_P(0.3, 3) = 0.5000, 0.5904, 0.6126 for gamma 2, 5, 10."""
    hospital.show_step(Step.PLAN)
    page = hospital.plan_page
    for epsilon, t_e, t_f in ((20, 2, 126), (30, 5, 41), (10, 5, 351), (2, 2, 12201)):
        page.epsilon.setValue(epsilon)
        page.t_e.setValue(t_e)
        page.gamma.slider.setValue(10)
        assert page.large.plot._shown.chosen[1] == t_f
    page.epsilon.setValue(30)
    for alpha, expected in ((3, (0.5000, 0.5904, 0.6126)), (5, (0.2891, 0.4019, 0.4291))):
        page.alpha.setValue(alpha)
        for gamma, t_p in zip((2, 5, 10), expected, strict=True):
            page.gamma.slider.setValue(gamma)
            assert round(page.small.plot._shown.t_p, 4) == t_p
    idle(hospital)


ASKED = [
    (5, Thresholds(0.3, 0.05, 3, 0.6)),  # a larger gamma would
    (5, Thresholds(0.3, 0.05, 5, 0.55)),  # no gamma would, a smaller epsilon or alpha would
    (5, Thresholds(0.3, 0.05, 3, 1.0)),  # nothing would
    (5, Thresholds(0.05, 0.001, 3, None)),  # no value is frequent enough to be answered
    (3, Thresholds(1.0, 0.4, 12, None)),  # small counts are promised to be answered
]


@pytest.mark.parametrize(("gamma", "thresholds"), ASKED)
def test_what_is_not_met_says_by_how_much_and_each_way_offered_helps(
    hospital: MainWindow, idle: Idle, gamma: int, thresholds: Thresholds
) -> None:
    _choose(hospital, "Diagnosis", gamma, thresholds)
    hospital.show_step(Step.PLAN)
    idle(hospital)
    page, session = hospital.plan_page, hospital.session
    page.tabs.setCurrentWidget(page.promises)

    def warnings() -> list[str]:
        counts = session.column("Diagnosis").counts()
        choices = session.choices
        values = planning.plan_values(counts[counts > 0], 800, choices.draws["Diagnosis"].gamma, choices.thresholds)
        return sentences.value_warnings(values, column="Diagnosis")

    before = warnings()
    assert before
    assert page.promises.warnings.isVisible()
    assert before[0] in as_said(page.promises.warnings)
    row = page.promises.ways_out
    offered = row.shown
    assert row.isVisibleTo(page.promises) == bool(offered)
    if thresholds.t_p == 1.0:
        assert not offered
        assert "lower probability" in page.trade_off.tab.words.text()
        return
    assert offered
    start = session.choices
    for at in range(min(3, len(offered))):
        buttons = [made for made in row.findChildren(QPushButton) if not made.isHidden()]
        buttons[at].click()
        idle(hospital)
        assert session.choices != start
        assert len(warnings()) < len(before), row.shown[at]
        session.undo_stack.undo()
        idle(hospital)
        assert session.choices == start, "one step of undo"


def test_ways_out_hold_whatever_is_asked() -> None:
    """Random columns and thresholds: each way offered leaves fewer thresholds unmet, at a feasible gamma."""
    from splu_desktop.core.progress import Silent
    from splu_desktop.core.table import Column

    rng = random.Random(20261121)
    offered = 0
    for _ in range(25):
        labels = [f"{'ABCDEFGH'[min(7, int(rng.expovariate(0.4)))]}{rng.randrange(90):02d}" for _ in range(500)]
        column = Column.from_labels("code", labels)
        most = 500 // int(column.counts().max())
        gamma = rng.randint(2, min(most, 12))
        t_p = rng.choice([None, 0.3, 0.5, 0.6, 0.65, 0.8])
        thresholds = Thresholds(rng.choice([0.05, 0.2, 0.3, 0.9]), 0.05, rng.choice([1, 3, 5, 30]), t_p)
        counts = column.counts()
        now = sentences.value_warnings(planning.plan_values(counts, 500, gamma, thresholds))
        for way in ways_out(column, (), gamma, thresholds, Silent()):
            offered += 1
            after = g.column_after(column, way.steps or ())
            assert 500 // int(after.counts().max()) >= (way.gamma or gamma)
            values = planning.plan_values(after.counts(), 500, way.gamma or gamma, way.thresholds or thresholds)
            assert len(sentences.value_warnings(values)) < len(now)
    assert offered > 10


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_all_three_plots_are_saved_by_their_buttons(
    hospital: MainWindow, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    from PySide6.QtWidgets import QFileDialog

    hospital.show_step(Step.PLAN)
    idle(hospital)
    page = hospital.plan_page
    plots = (page.small.plot, page.large.plot, page.trade_off.tab.plot)
    page.tabs.setCurrentWidget(page.trade_off)
    for plot in plots:
        path = tmp_path / f"{plot.accessibleName()}.{ending}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (str(path), ""))
        (save,) = (made for made in page.findChildren(SavePlotButton) if made.plot is plot)
        assert save.accessibleName()
        save.click()
        if ending == "svg":
            assert "<svg" in path.read_text(encoding="utf-8")
        else:
            assert QImage(str(path)).width() >= 1200


def test_hovering_reads_out_each_plot(hospital: MainWindow, idle: Idle) -> None:
    hospital.show_step(Step.PLAN)
    idle(hospital)
    page = hospital.plan_page
    for plot, note, starts in (
        (page.small.plot, page.small.note, "Count "),
        (page.large.plot, page.large.note, "Failing in "),
        (page.trade_off.tab.plot, page.trade_off.tab.readout, "Gamma "),
    ):
        page.tabs.setCurrentWidget(page.trade_off if plot is page.trade_off.tab.plot else page.ahead_room)
        box = plot.getPlotItem().vb
        place = float(plot.places()[2])
        where = box.mapViewToScene(QPointF(place, box.viewRange()[1][0]))
        plot._mouse(QPointF(where.x(), box.sceneBoundingRect().center().y()))
        assert plot.cursor_line.isVisible()
        assert note.text() == plot.words_at(2)
        assert note.text().startswith(starts)
        assert plot.accessibleDescription()
        plot.point_at(None)
        assert not plot.cursor_line.isVisible()


def test_the_trade_off_is_made_when_it_is_looked_at(opened: MainWindow, idle: Callable[[MainWindow], None]) -> None:
    opened.show_step(Step.PLAN)
    idle(opened)
    page = opened.plan_page
    assert page.findChildren(TradeOffTab) == []
    page.tabs.setCurrentWidget(page.trade_off)
    assert page.findChildren(TradeOffTab) == [page.trade_off.tab]
    assert page.trade_off.tab.words.text(), "what was worked out meanwhile is there"
