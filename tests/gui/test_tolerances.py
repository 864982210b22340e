"""A skewed column becomes sensitive by a tolerance per value, and is published, queried and undone in the window."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from splu_desktop.core.groups.rules import Sensitivity
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.release.folder import read_release
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.plan.tolerance_dialog import ToleranceDialog
from splu_desktop.gui.plan.tolerance_editor import ToleranceEditor
from splu_desktop.gui.shell.main_window import MainWindow
from tests.optional import real

Idle = Callable[[MainWindow], None]

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path) -> ToleranceDialog:
    lines = ["Age,Result"]
    results = ["negative"] * 820 + ["borderline"] * 120 + ["positive"] * 60
    lines += [f"{20 + i % 50},{result}" for i, result in enumerate(results)]
    path = tmp_path / "results.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    window.session.set_roles({"Age": Role.NSA, "Result": Role.SA}, "roles")
    window.show_step(Step.PLAN)
    idle(window)
    made = window.plan_page.open_tolerances()
    idle(window)
    return made


def test_from_a_skewed_column_to_an_answer(
    dialog: ToleranceDialog, window: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    assert dialog.use.isEnabled(), dialog.editor.banner.text.text()
    assert window.session.state(Step.PLAN) is State.OPEN  # gamma serves it, too
    dialog.accept()
    grouping = window.session.choices.draws["Result"]
    assert grouping.tolerances.limits["negative"] >= Fraction(82, 100)
    assert grouping.tolerances.limits["positive"] == Sensitivity.HIGH.tolerance
    assert window.session.state(Step.PLAN) is State.OPEN
    window.show_step(Step.PLAN)
    page = window.plan_page
    page.tabs.setCurrentWidget(page.tolerant_room)
    assert page.tolerant.isVisible()
    assert not page.tabs.isTabVisible(page.tabs.indexOf(page.promises))
    idle(window)
    assert "10\u00a0%" in page.tolerant.sentences.text()
    page.act()
    window.publish_page.set_target(tmp_path / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.act()
    idle(window)
    assert window.session.state(Step.PUBLISH) is State.DONE, window.publish_page.banner.text.text()
    window.show_step(Step.QUERY)
    idle(window)
    assert window.session.release is not None
    assert window.session.release.published.n == 1000
    window.session.undo_stack.undo()
    assert window.session.choices.follows == {"Result": 5}
    assert window.session.release is None
    window.session.undo_stack.redo()
    assert window.session.release is not None


def test_an_impossible_tolerance_says_why_and_what_is_possible(
    dialog: ToleranceDialog, window: MainWindow, idle: Idle
) -> None:
    row = next(
        i
        for i in range(dialog.editor.table.model().rowCount())
        if dialog.editor.table.model().index(i, 0).data() == "negative"
    )
    dialog.editor.table.select_rows([row])
    dialog.editor.class_buttons[Sensitivity.LOW].click()
    idle(window)
    assert not dialog.use.isEnabled()
    assert "82" in dialog.editor.banner.text.text()
    dialog.editor.banner.act_button.click()
    idle(window)
    assert dialog.use.isEnabled()
    dialog.reject()
    assert all(draw.follows for draw in window.session.choices.draws.values())


def select(editor: ToleranceEditor, *values: str) -> None:
    model = editor.table.model()
    editor.table.select_rows([i for i in range(model.rowCount()) if model.index(i, 0).data() in values])


def shown(editor: ToleranceEditor, value: str) -> list[str]:
    model = editor.table.model()
    (row,) = [i for i in range(model.rowCount()) if model.index(i, 0).data() == value]
    return [str(model.index(row, at).data()) for at in range(model.columnCount())]


@pytest.fixture
def planned(dialog: ToleranceDialog, window: MainWindow, idle: Idle) -> ToleranceEditor:
    """The plan page of Result with the tolerances proposed for it."""
    dialog.accept()
    window.show_step(Step.PLAN)
    idle(window)
    return window.plan_page.tolerant.editor


def test_the_plan_follows_slider_and_number(planned: ToleranceEditor, window: MainWindow, idle: Idle) -> None:
    before = window.session.choices.draws["Result"]
    select(planned, "positive")
    assert planned.slider.value() == 100
    assert shown(planned, "positive")[3] == "10 %"
    figures = shown(planned, "positive")[4:]
    assert "–" not in figures
    planned.slider.setValue(250)
    assert shown(planned, "positive")[3] == "25 %", "at once"
    assert shown(planned, "positive")[4:] == ["–"] * 3, "figures belong to the tolerances shown or are not shown"
    assert not window.plan_page.primary.isEnabled(), "the plan does not have these tolerances yet"
    idle(window)
    after = window.session.choices.draws["Result"]
    assert after.tolerances.limits["positive"] == Fraction(1, 4)
    assert after.sizes != before.sizes
    assert "–" not in shown(planned, "positive")[4:]
    assert shown(planned, "positive")[4:] != figures
    assert window.plan_page.primary.isEnabled()
    for part in ("The records stand in", "show it, of the others", "With one group size for all"):
        assert part in planned.effect.text() + planned.compared.text()
    assert "25\u00a0%" in window.plan_page.tolerant.sentences.text()
    planned.box.setValue(33.0)
    idle(window)
    assert window.session.choices.draws["Result"].tolerances.limits["positive"] == Fraction(33, 100)
    window.session.undo_stack.undo()
    idle(window)
    undone = window.session.choices.draws["Result"].tolerances.limits["positive"]
    assert undone in (Fraction(1, 10), Fraction(1, 4)), "what is done within a second is one step"
    assert Fraction(shown(planned, "positive")[3].removesuffix(" %")) == 100 * undone, "the editor follows"


def test_what_cannot_be_kept_is_said_at_once_and_the_nearest_offered(
    planned: ToleranceEditor, window: MainWindow, idle: Idle
) -> None:
    before = window.session.choices.draws["Result"]
    select(planned, "negative")
    planned.box.setValue(50.0)
    assert "can't be kept" in planned.banner.text.text(), "without waiting for a worker"
    assert "0.82" in planned.banner.text.text()
    assert not window.plan_page.primary.isEnabled()
    idle(window)
    assert window.session.choices.draws["Result"] == before
    planned.banner.act_button.click()
    idle(window)
    assert planned.banner.isHidden()
    reached = window.session.choices.draws["Result"].tolerances.limits["negative"]
    assert Fraction(82, 100) <= reached <= Fraction(9, 10), "the nearest, not just anything"
    assert window.plan_page.primary.isEnabled()


def test_fake_values_are_planned_published_and_said(
    planned: ToleranceEditor, window: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    planned.fakes.setValue(1)
    idle(window)
    assert window.session.choices.draws["Result"].fakes == 1
    assert "at most 50\u00a0% sure" in window.plan_page.tolerant.sentences.text()
    assert "fake values, 1 in each" in planned.effect.text()
    planned.fakes.setValue(12)
    assert "stands once at most in a group" in planned.banner.text.text()
    planned.fakes.setValue(1)
    idle(window)
    window.plan_page.act()
    window.publish_page.set_target(tmp_path / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.act()
    idle(window)
    assert window.session.state(Step.PUBLISH) is State.DONE, window.publish_page.banner.text.text()
    assert read_release(tmp_path / "release").published.draws["Result"].fakes == 1


def test_cross_tables_and_measured_accuracy_take_tolerances(
    planned: ToleranceEditor, window: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    window.plan_page.act()
    window.publish_page.set_target(tmp_path / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.act()
    idle(window)
    window.show_step(Step.QUERY)
    page = window.query_page
    page.tabs.setCurrentWidget(page.crosstab)
    page.act()
    idle(window)
    assert not page.banner.isVisible(), page.banner.text.text()
    page.tabs.setCurrentWidget(page.workload)
    page.workload.amount.setCurrentIndex(0)
    page.act()
    idle(window)
    assert page.workload.stack.currentWidget() is page.workload.results, page.banner.text.text()
    assert page.workload.model.rowCount() == 6


def test_rules_and_files(planned: ToleranceEditor, window: MainWindow, idle: Idle, tmp_path: Path) -> None:
    planned.theta.setValue(3.0)
    planned.offset.setValue(5.0)
    planned.rule.click()
    idle(window)
    limits = window.session.choices.draws["Result"].tolerances.limits
    assert limits["positive"] == Fraction(1, 6), "3 x 0.06 + 0.05 = 0.23, and 6 % rounded down to tens; then a rung"
    path = tmp_path / "tolerances.csv"
    path.write_text("value,tolerance\npositive,high\nborderline,0.4\n", encoding="utf-8")
    planned.from_file(path)
    idle(window)
    limits = window.session.choices.draws["Result"].tolerances.limits
    assert (limits["positive"], limits["borderline"]) == (Fraction(1, 10), Fraction(2, 5))
    for text, sentence in (
        ("positve,0.2\n", "has no value “positve”"),
        ("positive,0.2\npositive,0.3\n", "two tolerances"),
        ("positive,lots\n", "must be a number"),
    ):
        path.write_text(text, encoding="utf-8")
        planned.from_file(path)
        assert sentence in planned.banner.text.text()
    assert window.session.choices.draws["Result"].tolerances.limits == limits, "a bad file changes nothing"


def test_a_plain_column_gets_tolerances_and_back(opened: MainWindow, idle: Idle) -> None:
    opened.show_step(Step.PLAN)
    idle(opened)
    assert opened.plan_page.per_value.isVisible()
    dialog = opened.plan_page.open_tolerances()
    idle(opened)
    dialog.accept()
    assert "Diagnosis" not in opened.session.choices.gammas
    page = opened.plan_page
    assert page.tabs.isTabVisible(page.tabs.indexOf(page.tolerant_room))
    opened.plan_page.tolerant.plain()
    idle(opened)
    assert all(draw.gamma for draw in opened.session.choices.draws.values())
    assert opened.session.choices.draws["Diagnosis"].gamma >= 2
    assert opened.plan_page.plots.isVisible()


@pytest.mark.parametrize(
    ("file", "column", "limits", "commonest"),
    [
        ("diabetes130.csv.gz", "readmitted", {">30": 50.0, "<30": 30.0, "NO": 100.0}, "NO"),
        ("diabetes130.csv.gz", "A1Cresult", {">7": 25.0, ">8": 25.0, "Norm": 25.0, "None": 100.0}, "None"),
        ("adult.csv.gz", "income", {">50K": 40.0, "<=50K": 100.0}, "<=50K"),
    ],
)
def test_real_skewed_columns_all_the_way(
    file: str,
    column: str,
    limits: dict[str, float],
    commonest: str,
    window: MainWindow,
    idle: Idle,
    tmp_path: Path,
) -> None:
    window.import_page.open_file(real(file))
    idle(window)
    roles = window.session.choices.roles
    kept = {name: Role.NSA if role is Role.SA else role for name, role in roles.items()}
    window.session.set_roles({**kept, column: Role.SA}, "roles")
    idle(window)
    dialog = ToleranceDialog(column, window.session, window.tasks, window)
    dialog.open()
    for value, share in limits.items():
        select(dialog.editor, value)
        dialog.editor.box.setValue(share)
    idle(window)
    dialog.accept()
    window.show_step(Step.PLAN)
    idle(window)
    grouping = window.session.choices.draws[column]
    assert {value: float(100 * limit) for value, limit in grouping.tolerances.limits.items()} == limits
    kept, others = (float(each.removesuffix(" %")) for each in shown(window.plan_page.tolerant.editor, commonest)[5:7])
    if column != "income":
        assert kept - others >= 35
    window.plan_page.act()
    window.publish_page.set_target(tmp_path / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.act()
    idle(window)
    assert window.session.state(Step.PUBLISH) is State.DONE, window.publish_page.banner.text.text()
    window.show_step(Step.QUERY)
    window.query_page.one.builder.set_conditions((Condition(column, (commonest,)),))
    window.query_page.act()
    idle(window)
    answer = window.query_page.one.asked_model.rows[0].answer
    assert abs(answer.estimate - answer.published) < 1, "the count of a value in the whole table is what is published"
    assert answer.low < answer.published < answer.high
    window.show_step(Step.REPORT)
    idle(window)
    window.report_page.save(tmp_path / "report.html")
    idle(window)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f">{column}<" in report.partition("Group sizes (share of records)")[2]


def test_a_rule_serves_several_columns_at_once(window: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path) -> None:
    results = ["negative"] * 820 + ["borderline"] * 120 + ["positive"] * 60
    lines = [
        f"{20 + i % 50},{result},{results[(7 * i) % 1000]},{results[(3 * i) % 1000]}"
        for i, result in enumerate(results)
    ]
    (tmp_path / "tests.csv").write_text("\n".join(["Age,First,Second,Third", *lines]) + "\n", encoding="utf-8")
    window.import_page.open_file(tmp_path / "tests.csv")
    idle(window)
    window.session.set_roles({"Age": Role.NSA, **dict.fromkeys(("First", "Second", "Third"), Role.SA)}, "roles")
    window.show_step(Step.PLAN)
    idle(window)
    dialog = window.plan_page.open_tolerances()
    idle(window)
    before = window.session.choices
    dialog.editor.rule.click()
    idle(window)
    assert [action.text() for action in dialog.others.actions()] == ["Second", "Third"]
    dialog.others.actions()[0].trigger()
    assert "1 more" in dialog.also.text()
    dialog.accept()
    idle(window)
    draws = window.session.choices.draws
    assert draws["First"].tolerated() == draws["Second"].tolerated()
    assert draws["First"].limit("positive") == Fraction(1, 8)  # 2 x 6 % + 2 % on the ladder
    assert draws["Third"] == before.draws["Third"]
    window.session.undo_stack.undo()  # one step
    assert window.session.choices.draws == before.draws


def test_a_joined_draw_is_edited_by_the_same_editor(dialog: ToleranceDialog, window: MainWindow, idle: Idle) -> None:
    """Gamma gives a skewed column its tolerances, joined; the editor refines these, alone and by person."""
    dialog.reject()
    page, session = window.plan_page, window.session
    assert not session.choices.draws["Result"].true_shares
    assert session.choices.follows == {"Result": 5}
    editor = page.tolerant.editor
    idle(window)
    assert editor.isVisibleTo(page.tolerant)
    assert not editor.fakes.isVisibleTo(editor), "there are no groups to put fake values into"
    assert "–" not in shown(editor, "positive")[4:]
    before = editor.effect.text()
    select(editor, "positive")
    editor.box.setValue(40.0)
    assert not page.primary.isEnabled()
    idle(window)
    draw = session.choices.draws["Result"]
    assert (draw.true_shares, draw.follows, draw.limit("positive")) == (False, None, Fraction(2, 5))
    assert page.primary.isEnabled()
    assert editor.effect.text() != before
    select(editor, "negative")
    editor.box.setValue(50.0)
    assert "can't be kept" in editor.banner.text.text()
    editor.banner.act_button.click()
    idle(window)
    assert editor.banner.isHidden()
    assert Fraction(82, 100) < session.choices.draws["Result"].limit("negative") < Fraction(84, 100)
    editor.rule.click()
    idle(window)
    assert session.choices.draws["Result"].limit("positive") == Fraction(1, 8)
    assert not session.choices.draws["Result"].true_shares
    page.tolerant.plain()
    assert session.choices.follows == {"Result": 5}


def test_values_declared_in_a_file_are_shown_whether_or_not_somebody_has_them(
    dialog: ToleranceDialog, window: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    dialog.accept()
    window.show_step(Step.PLAN)
    part = window.plan_page.tolerant
    before = window.session.choices.draws["Result"]
    idle(window)
    listed = tmp_path / "codes.csv"
    listed.write_text("Result\nnegative\nborderline\n", encoding="utf-8")
    part.declare_values(listed)
    idle(window)
    assert "lacks 1 values" in part.banner.text.text()
    assert window.session.choices.draws["Result"] == before
    listed.write_text(
        "value;meaning\nnegative;\nborderline;\npositive;\nindeterminate;too little blood\n", encoding="utf-8"
    )
    part.declare_values(listed)
    idle(window)
    draw = window.session.choices.draws["Result"]
    assert draw.limit("indeterminate") == Sensitivity.HIGH.tolerance
    assert "with values declared in advance" in part.title.text()
    assert "learns no more" in part.sentences.text()
    assert not part.banner.isVisible()
    select(part.editor, "positive")
    part.editor.box.setValue(20.0)
    idle(window)
    draw = window.session.choices.draws["Result"]
    assert draw.limit("positive") == draw.limit("indeterminate") == Fraction(1, 5), "the strictest of those protected"
    window.session.undo_stack.undo()
    window.session.undo_stack.undo()
    assert window.session.choices.draws["Result"] == before
