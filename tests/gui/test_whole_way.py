"""The main job through the window alone: open, classify, plan, publish, ask, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.files.disk.resources import sample_path
from splu_desktop.files.release.folder import read_release
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.shell.main_window import MainWindow
from tests.draws import plain
from tests.optional import real

Idle = Callable[[MainWindow], None]


def _rows(table: Table, names: tuple[str, ...]) -> Counter[tuple[str, ...]]:
    columns = [table[name].labels[table[name].codes].tolist() for name in names]
    return Counter(zip(*columns, strict=True))


def _press(qtbot: QtBot, window: MainWindow) -> None:
    """Press the primary button of the page in front, as a user does."""
    button = window.pages[window.step].primary
    assert button.isEnabled(), button.toolTip()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(
    ("name", "sensitive", "gamma"),
    [
        ("sample", "Diagnosis", 7),
        ("adult.csv.gz", "occupation", 5),
        ("census_workers.csv.gz", "Occupation", 10),
        ("diabetes130.csv.gz", "diag_1", 9),
        ("linelist_raw.xlsx", None, 3),
    ],
)
def test_from_file_to_answers(
    name: str, sensitive: str | None, gamma: int, window: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path
) -> None:
    window.import_page.open_file(sample_path() if name == "sample" else real(name))
    idle(window)
    source = window.session.source
    assert source is not None, window.import_page.banner.text.text()
    table = source.imported.table
    _press(qtbot, window)
    assert window.step is Step.CLASSIFY
    if sensitive is None:  # whichever column allows it
        sensitive = max((f for f in source.facts if 3 <= f.distinct <= 40), key=lambda f: f.largest_gamma).name
    marked = [n for n, role in window.session.choices.roles.items() if role is Role.SA and n != sensitive]
    window.session.set_roles({**dict.fromkeys(marked, Role.NSA), sensitive: Role.SA}, "roles")
    _press(qtbot, window)
    assert window.step is Step.PLAN
    window.plan_page.gamma.slider.setValue(gamma)
    assert window.session.choices.draws == plain({sensitive: gamma})
    _press(qtbot, window)
    assert window.step is Step.PUBLISH
    qtbot.waitUntil(lambda: not window.tasks.busy())
    folder = tmp_path / "release"
    window.publish_page.set_target(folder)
    idle(window)
    window.publish_page.gate.accept_all()
    _press(qtbot, window)
    idle(window)
    assert window.publish_page.banner.kind != "fault", window.publish_page.banner.text.text()
    assert window.session.state(Step.PUBLISH) is State.DONE

    opened = read_release(folder)
    nsas = opened.published.nsas
    assert set(nsas) == {n for n, role in window.session.choices.roles.items() if role is Role.NSA}
    assert opened.published.n == table.n
    assert _rows(opened.published.table, nsas) == _rows(table, nsas)

    _press(qtbot, window)
    assert window.step is Step.QUERY
    value = str(opened.published.table[sensitive].labels[int(opened.published.table[sensitive].counts().argmax())])
    question = (Condition(sensitive, (value,)),)
    window.query_page.one.builder.set_conditions(question)
    _press(qtbot, window)
    idle(window)
    answer = window.query_page.one.asked_model.rows[0].answer
    expected = Reader(opened.published).answer(question, answer.method)
    assert (answer.published, answer.n_p) == (expected.published, expected.n_p)
    assert (answer.estimate, answer.low, answer.high) == pytest.approx((expected.estimate, expected.low, expected.high))
    assert window.query_page.one.answer_card.figure.text() == expected.shown

    window.show_step(Step.REPORT)
    idle(window)
    window.report_page.save(tmp_path / "report.html")
    idle(window)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    for entry in opened.facts["files"]:
        assert entry["sha256"] in report
    assert f"With gamma = {gamma}" in report


def test_a_recipient_needs_no_source(
    opened: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path, qapp: object
) -> None:
    _publish(opened, idle, tmp_path / "release")
    other = MainWindow()
    qtbot.addWidget(other)
    other.show()
    assert other.session.state(Step.QUERY) is State.BLOCKED
    other.open_path(tmp_path / "release")
    idle(other)
    assert other.session.source is None
    assert other.session.state(Step.QUERY) is State.OPEN
    other.query_page.one.builder.set_conditions((Condition("Sex", ("f",)),))
    other.query_page.act()
    idle(other)
    assert other.query_page.one.asked_model.rows[0].answer.published == 300
    other.close()


def _publish(window: MainWindow, idle: Idle, folder: Path) -> None:
    window.show_step(Step.PUBLISH)
    idle(window)
    window.publish_page.set_target(folder)
    idle(window)
    window.publish_page.gate.accept_all()
    assert window.publish_page.primary.isEnabled()
    window.publish_page.act()
    idle(window)
    assert window.session.state(Step.PUBLISH) is State.DONE, window.publish_page.banner.text.text()


def test_changing_an_earlier_step_drops_later_results_and_says_so(
    opened: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    window = opened
    _publish(window, idle, tmp_path / "release")
    release = window.session.release
    assert release is not None
    window.show_step(Step.CLASSIFY)
    window.classify_page.set_role("Ward", Role.DROPPED)
    assert window.session.release is None
    for step in (Step.PUBLISH, Step.QUERY, Step.REPORT):
        assert window.session.state(step) is State.STALE
    assert "dropped" in window.classify_page.banner.text.text()
    assert (tmp_path / "release" / "release.json").exists(), "the folder on disk is not ours to remove"
    for step in (Step.QUERY, Step.REPORT):
        window.show_step(step)
        page = window.pages[step]
        assert page.stack.currentWidget() is page.stale_panel
        assert not page.primary.isEnabled()
    # Undoing back to the choices of the release brings its results back.
    window.session.undo_stack.undo()
    assert window.session.release is release
    window.show_step(Step.QUERY)
    assert window.query_page.stack.currentWidget() is window.query_page.content


def test_opening_another_table_drops_the_release(opened: MainWindow, idle: Idle, tmp_path: Path) -> None:
    _publish(opened, idle, tmp_path / "release")
    opened.show_step(Step.IMPORT)
    opened.import_page.open_sample()
    idle(opened)
    assert opened.session.release is None
    assert opened.session.state(Step.QUERY) is State.BLOCKED
    assert "another table" in opened.import_page.banner.text.text()


def test_cancelling_a_publish_leaves_nothing(window: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path) -> None:
    window.import_page.open_sample()
    idle(window)
    window.show_step(Step.PUBLISH)
    idle(window)
    page = window.publish_page
    parent = tmp_path / "out"
    parent.mkdir()
    for seen in ("Mixing", "Shuffling", "Writing"):
        page.set_target(parent / f"release {seen}")
        idle(window)
        page.gate.accept_all()
        job = page.publish()
        assert job is not None

        def stop(stage: str, done: float, job: object = job, seen: str = seen) -> None:
            if stage.startswith(seen):
                page.busy.cancel.click()

        job.progressed.connect(stop)
        with qtbot.waitSignal(job.stopped):
            pass
        idle(window)
        assert list(parent.iterdir()) == [], f"something was left after a cancel while {seen}"
        assert window.session.release is None
        assert "nothing was written" in page.banner.text.text()
        assert page.stack.currentWidget() is page.content, "the session is still open"
        assert page.primary.isEnabled()


def test_closing_the_window_while_publishing_leaves_nothing(
    window: MainWindow, qtbot: QtBot, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.import_page.open_sample()
    idle(window)
    window.show_step(Step.PUBLISH)
    idle(window)
    parent = tmp_path / "out"
    parent.mkdir()
    window.publish_page.set_target(parent / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    monkeypatch.setattr(window, "_may_stop_publishing", lambda: True)
    assert window.publish_page.publish() is not None
    window.close()
    assert list(parent.iterdir()) == []
