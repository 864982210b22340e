"""Each page: its empty, busy and error states, its words, and that keyboard and screen reader reach everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.classify.roles_view import role_name
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]
CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no file"),
        (b"", "empty"),
        (b"PK\x03\x04 not really a workbook", "patients.csv"),
    ],
)
def test_a_bad_file_is_told_in_one_sentence_and_work_is_kept(
    opened: MainWindow, tmp_path: Path, idle: Idle, content: bytes | None, words: str
) -> None:
    source = opened.session.source
    bad = tmp_path / "bad" / "patients.csv"
    bad.parent.mkdir()
    if content is not None:
        bad.write_bytes(content)
    opened.show_step(Step.IMPORT)
    opened.import_page.open_file(bad)
    idle(opened)
    banner = opened.import_page.banner
    assert banner.isVisible()
    assert banner.kind == "fault"
    assert words in banner.text.text()
    assert "Error" not in banner.text.text()
    assert "went wrong inside" not in banner.text.text()
    assert opened.session.source is source


def test_dropping_a_file_opens_it(window: MainWindow, small_csv: Path, idle: Idle) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(small_csv))])
    event = QDropEvent(
        QPointF(QPoint(50, 50)),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.import_page.dropEvent(event)
    idle(window)
    assert window.session.source is not None
    assert window.import_page.name.text() == "patients.csv"
    assert window.import_page.preview_model.rowCount() == 200
    assert window.import_page.preview_model.index(0, 4).data() == "flu"


def test_reading_can_be_cancelled(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i % 97}\n" for i in range(300_000)))
    job = window.import_page.open_file(path)
    assert window.import_page.stack.currentWidget() is window.import_page.busy
    stopped = qtbot.waitSignal(job.stopped)
    window.import_page.busy.cancel.click()
    stopped.wait()
    assert stopped.signal_triggered
    assert window.session.source is None
    assert "cancelled" in window.import_page.banner.text.text()


def test_several_columns_get_a_role_at_once(opened: MainWindow) -> None:
    opened.show_step(Step.CLASSIFY)
    page = opened.classify_page
    page.table.select_rows([1, 2])
    assert page.selected() == ["Sex", "Age"]
    page.role_buttons[Role.DROPPED].click()
    assert opened.session.choices.roles["Sex"] is Role.DROPPED
    assert opened.session.choices.roles["Age"] is Role.DROPPED
    opened.session.undo_stack.undo()
    assert opened.session.choices.roles["Sex"] is Role.NSA
    assert opened.session.choices.roles["Age"] is Role.NSA
    assert role_name(Role.NSA) in page.model.index(1, 1).data()


def test_columns_can_be_found_and_sorted(opened: MainWindow) -> None:
    opened.show_step(Step.CLASSIFY)
    page = opened.classify_page
    page.search.setText("diag")
    assert page.sorted.rowCount() == 1
    assert page.sorted.index(0, 0).data() == "Diagnosis"
    page.search.clear()
    values = next(i for i, field in enumerate(page.model.fields) if field.title == "Values")
    page.table.sortByColumn(values, Qt.SortOrder.DescendingOrder)
    assert page.sorted.index(0, 0).data() == "Record number"


def test_a_skewed_sensitive_column_can_be_planned(opened: MainWindow, tmp_path: Path, idle: Idle) -> None:
    path = tmp_path / "skewed.csv"
    path.write_text(
        "Age,Result\n" + "".join(f"{i % 50},{'positive' if i % 5 == 0 else 'negative'}\n" for i in range(500))
    )
    opened.import_page.open_file(path)
    idle(opened)
    opened.session.set_roles({"Age": Role.NSA, "Result": Role.SA}, "roles")
    opened.show_step(Step.CLASSIFY)
    page = opened.classify_page
    assert page.primary.isEnabled()
    assert not page.foot_note.text()
    choices = opened.session.choices
    assert choices is not None
    assert choices.draws["Result"].gamma is None, "a draw by tolerances, where plain groups have no room"


def test_publishing_waits_until_the_risks_are_accepted(opened: MainWindow, idle: Idle, tmp_path: Path) -> None:
    opened.session.set_roles({"Record number": Role.NSA}, "keep an identifier")
    opened.show_step(Step.PUBLISH)
    idle(opened)
    page = opened.publish_page
    page.set_target(tmp_path / "release")
    idle(opened)
    assert not page.primary.isEnabled()
    page.gate.accept_all()
    assert not page.primary.isEnabled(), "an identifier is not published by a mere tick"
    page.gate.reason_given.emit("Record number", "the recipient links by it; agreed on 3 May")
    idle(opened)
    page.gate.accept_all()
    assert page.primary.isEnabled()
    assert page.primary.text() == "Publish 600 records"
    assert any("agreed on 3 May" in line.sentence for line in page.gate.lines)
    # What was accepted is asked anew when the facts change: 600 records are unique now, fewer without the number.
    opened.session.set_roles({"Record number": Role.IDENTIFIER}, "no identifier")
    opened.session.set_roles({"Diagnosis": Role.NSA, "Ward": Role.SA}, "another sensitive column")
    idle(opened)
    assert [line.name for line in page.gate.open_lines()][:1] == ["sensitive"] or not page.gate.open_lines()


@pytest.mark.parametrize("name", ["", "a/b", ".."])
def test_a_bad_name_for_a_release_is_refused(opened: MainWindow, idle: Idle, tmp_path: Path, name: str) -> None:
    opened.show_step(Step.PUBLISH)
    idle(opened)
    page = opened.publish_page
    page.place.folder.setText(str(tmp_path))
    page.place.name.setText(name)
    idle(opened)
    page.gate.accept_all()
    assert not page.primary.isEnabled()
    assert page.place.note.text()


def test_an_existing_folder_is_refused(opened: MainWindow, idle: Idle, tmp_path: Path) -> None:
    opened.show_step(Step.PUBLISH)
    idle(opened)
    opened.publish_page.set_target(tmp_path)
    idle(opened)
    opened.publish_page.gate.accept_all()
    assert not opened.publish_page.primary.isEnabled()
    assert "exists already" in opened.publish_page.place.note.text()


def test_a_folder_that_is_no_release_is_told_in_one_sentence(window: MainWindow, idle: Idle, tmp_path: Path) -> None:
    window.open_path(tmp_path)
    idle(window)
    assert window.query_page.banner.kind == "fault"
    assert "release.json" in window.query_page.banner.text.text()
    assert window.query_page.stack.currentWidget() is window.query_page.empty


def test_promises_can_be_copied(opened: MainWindow, idle: Idle) -> None:
    opened.show_step(Step.PLAN)
    idle(opened)
    opened.plan_page.promises.copy()
    text = QGuiApplication.clipboard().text()
    assert "With gamma = 5" in text
    assert "“Diagnosis”" in text


def _named(widget: QWidget) -> bool:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return bool(text.replace("&", "").strip() or widget.accessibleName().strip())


def test_every_control_has_a_name_and_can_be_reached(opened: MainWindow, idle: Idle) -> None:
    for step in Step:
        opened.show_step(step)
        idle(opened)
        for kind in CONTROLS:
            for widget in opened.findChildren(kind):
                # Parts inside a table or box belong to their owner.
                own = not isinstance(widget, QScrollBar) and not (widget.objectName().startswith("qt_"))
                inside = isinstance(widget.parent(), (QAbstractSpinBox, QComboBox, QAbstractItemView, QLineEdit))
                inside = inside or type(widget).__name__ in ("QHeaderView", "QTableCornerButton", "QComboBoxListView")
                if own and not inside and widget.isVisible():
                    where = f"{step.name}: {type(widget).__name__} {widget.accessibleName() or widget.toolTip()}"
                    assert _named(widget), where
                    group = widget.group() if isinstance(widget, QAbstractButton) else None
                    if group is not None and group.exclusive() and not widget.isChecked():
                        continue  # of such a group Tab comes to the one that is down, the arrow keys to the others
                    if widget.isEnabled() and type(widget).__name__ not in ("QTabBar", "QAbstractButton"):
                        policy = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
                        assert policy, f"{where} can't be reached by Tab"


def test_steps_are_told_as_buttons_with_the_one_in_front(opened: MainWindow) -> None:
    opened.show_step(Step.PLAN)
    for step, made in opened.rail.buttons.items():
        told = QAccessible.queryAccessibleInterface(made)
        assert told.role() == QAccessible.Role.PushButton
        assert told.text(QAccessible.Text.Name).endswith(", shown now") is (step is Step.PLAN)


def test_tab_walks_through_a_page_and_comes_back(opened: MainWindow, qtbot: QtBot, idle: Idle) -> None:
    opened.show_step(Step.PLAN)
    idle(opened)
    opened.activateWindow()
    opened.plan_page.gamma.slider.setFocus()
    seen = []
    for _ in range(80):
        widget = opened.focusWidget()
        if widget in seen:
            break
        seen.append(widget)
        opened.focusNextChild()
    assert opened.plan_page.primary in seen
    assert opened.plan_page.epsilon in seen
    assert any(widget in seen for widget in opened.rail.buttons.values())


def test_the_status_bar_says_what_is_open(opened: MainWindow) -> None:
    assert opened.offline.text() == "Offline - nothing leaves this computer"
    assert "patients.csv" in opened.source_label.text()


def test_light_and_dark_have_enough_contrast() -> None:
    from splu_desktop.gui.base.theme import DARK, LIGHT

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for scheme in (LIGHT, DARK):
        pairs = [(name, ground) for ground in ("window", "page", "card", "sunken") for name in ("text", "quiet")]
        pairs += [("on_accent", "accent"), ("accent", "card"), ("accent", "accent_soft"), ("accent", "page")]
        pairs += [("text", "accent_soft"), ("quiet", "accent_soft")]
        for name in ("protected", "answerable", "between", "warning", "fault"):
            pairs += [(name, "card"), (name, "page"), (name, f"{name}_soft"), ("text", f"{name}_soft")]
        needed = dict.fromkeys(pairs, 4.5) | {("edge", ground): 3.0 for ground in ("card", "page")}  # WCAG 1.4.11
        for (ink, ground), least in needed.items():
            a, b = sorted((luminance(getattr(scheme, ink)), luminance(getattr(scheme, ground))))
            ratio = (b + 0.05) / (a + 0.05)
            assert ratio >= least, f"{ink} on {ground} ({'dark' if scheme.dark else 'light'}): {ratio:.2f}"
