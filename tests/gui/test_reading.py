"""Overruling how a file is read, with the first records live, and reading the whole file so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter
from PySide6.QtCore import Qt

from splu_desktop.core.table import InMemory, Kind
from splu_desktop.files.importer import Decision, ProblemKind, reader
from splu_desktop.files.importer.workbook import reading as workbook
from splu_desktop.gui.importing.dialog import ReadDialog
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


@pytest.fixture
def reading(window: MainWindow, idle: Idle, tmp_path: Path) -> ReadDialog:
    lines = ["code;amount;state"] + [f"{i % 7};{i % 40},5;{'fine' if i % 3 else 'Keine'}" for i in range(400)]
    path = tmp_path / "ämter.csv"
    path.write_bytes("\n".join(lines).encode("cp1252"))
    window.import_page.open_file(path)
    idle(window)
    dialog = window.import_page.change_reading()
    assert dialog is not None
    idle(window)
    return dialog


def _pick(dialog: ReadDialog, key: str, value: object) -> None:
    box = dialog.boxes[key]
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_what_was_detected_stands_there_with_its_reason(reading: ReadDialog) -> None:
    assert reading.boxes["delimiter"].currentText() == "Detected: semicolon ;"
    assert reading.reasons["delimiter"].text()
    assert reading.boxes["decimal"].currentText() == "Detected: comma ,"
    assert reading.records_model.columnCount() == 3
    reading.reject()


def test_a_choice_shows_at_once_and_reads_the_file_so(reading: ReadDialog, window: MainWindow, idle: Idle) -> None:
    _pick(reading, "delimiter", ",")
    idle(window)
    assert reading.records_model.columnCount() == 2
    _pick(reading, "delimiter", None)
    idle(window)
    box = reading.type_boxes["code"]
    box.setCurrentIndex(box.findData(Kind.CATEGORY))
    box.activated.emit(box.currentIndex())
    idle(window)
    assert reading.asked.types == {"code": Kind.CATEGORY}
    reading.accept()
    idle(window)
    table = window.session.source.imported.table
    assert table.names == ("code", "amount", "state")
    assert table["code"].kind is Kind.CATEGORY
    assert table["amount"].kind is Kind.DECIMAL


def test_nothing_changes_without_consent(reading: ReadDialog, window: MainWindow, idle: Idle) -> None:
    before = window.session.source
    _pick(reading, "delimiter", ",")
    idle(window)
    reading.reject()
    idle(window)
    assert window.session.source is before


def test_a_row_that_is_none_is_told(reading: ReadDialog, window: MainWindow, idle: Idle) -> None:
    reading.header.setText("two")
    reading.header.textEdited.emit("two")
    assert "“two”" in reading.banner.text.text()
    assert not reading.use.isEnabled()
    reading.reject()


def test_a_mark_for_no_value_can_be_ticked(window: MainWindow, idle: Idle, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    path.write_text("a,b\n" + "".join(f"{'?' if i % 9 == 0 else i % 5},{i % 4}\n" for i in range(300)))
    window.import_page.open_file(path)
    idle(window)
    dialog = window.import_page.change_reading()
    idle(window)
    row = next(i for i, token in enumerate(dialog.tokens_model.rows) if token.token == "?")
    was = dialog.tokens_model.rows[row].applied
    state = Qt.CheckState.Unchecked if was else Qt.CheckState.Checked
    dialog.tokens_model.setData(dialog.tokens_model.index(row, 0), state, Qt.ItemDataRole.CheckStateRole)
    idle(window)
    dialog.accept()
    idle(window)
    column = window.session.source.imported.table["a"]
    assert bool(column.missing.any()) is not was


def test_a_column_is_given_another_name(reading: ReadDialog, window: MainWindow, idle: Idle) -> None:
    box = reading.type_boxes["code"]
    box.setCurrentIndex(box.findData(Kind.CATEGORY))
    box.activated.emit(box.currentIndex())
    idle(window)
    reading.columns.names["code"].setText("ward")
    reading.columns.names["code"].editingFinished.emit()
    idle(window)
    assert reading.asked.renames == {"code": "ward"}
    assert reading.asked.types == {"ward": Kind.CATEGORY}
    reading.columns.names["amount"].setText("ward")
    reading.columns.names["amount"].editingFinished.emit()
    idle(window)
    assert "“ward”" in reading.banner.text.text()
    assert not reading.use.isEnabled()
    reading.columns.names["amount"].setText("")
    reading.columns.names["amount"].editingFinished.emit()
    idle(window)
    reading.accept()
    idle(window)
    imported = window.session.source.imported
    assert imported.table.names == ("ward", "amount", "state")
    assert imported.table["ward"].kind is Kind.CATEGORY
    assert any(line.how == "ward" and "code" in line.why for line in window.import_page.reading_model.rows)


@pytest.fixture
def odd(window: MainWindow, idle: Idle, tmp_path: Path) -> MainWindow:
    path = tmp_path / "odd.csv"
    rows = [f"{i},{20 + i % 50},x" for i in range(60)]
    rows[10], rows[20], rows[30] = "10,forty,x", "20,30,x,surplus", "30,31"
    path.write_text("id,age,ward\n" + "\n".join(rows) + "\n")
    window.import_page.open_file(path)
    idle(window)
    return window


def test_problems_are_narrowed_and_saved(odd: MainWindow, idle: Idle, tmp_path: Path) -> None:
    problems = odd.import_page.problems
    assert problems.model.rowCount() == 3
    problems.search.setText("forty")
    assert problems.sorted.rowCount() == 1
    problems.search.clear()
    problems.kinds.setCurrentIndex(problems.kinds.findData(ProblemKind.LONG_ROW))
    problems.kinds.activated.emit(problems.kinds.currentIndex())
    assert [p.row for p in problems.shown()] == [22]
    target = tmp_path / "list.csv"
    problems.save(target)
    idle(odd)
    assert "surplus" in target.read_text(encoding="utf-8-sig")
    assert "list.csv" in odd.import_page.banner.text.text()


def test_what_is_done_with_problems_is_decided(odd: MainWindow, idle: Idle) -> None:
    dialog = odd.import_page.change_reading()
    idle(odd)
    for kind, what in (
        (ProblemKind.MISFIT, Decision.MISSING),
        (ProblemKind.LONG_ROW, Decision.DROP),
        (ProblemKind.SHORT_ROW, Decision.DROP),
    ):
        box = dialog.decisions.boxes[kind]
        box.setCurrentIndex(box.findData(what))
        box.activated.emit(box.currentIndex())
        idle(odd)
    dialog.accept()
    idle(odd)
    imported = odd.session.source.imported
    assert imported.table.n == 58
    assert imported.table["age"].labels[imported.table["age"].missing].tolist() == ["forty"]
    assert {p.decision for p in imported.problems} == {Decision.MISSING, Decision.DROP}


def test_a_workbook_tried_out_is_not_opened_again_to_be_read(
    window: MainWindow, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for y in range(40):
            sheet.write_row(y, 0, ["id", "age"] if not y else [y, 20 + y])
    window.import_page.open_file(path)
    idle(window)
    real, opened = workbook.isolated, []
    monkeypatch.setattr(workbook, "isolated", lambda *a, **b: (opened.append(1), real(*a, **b))[1])
    for taken, times in ((True, 1), (False, 2)):
        dialog = window.import_page.change_reading()
        assert dialog is not None
        idle(window)
        dialog.accept() if taken else dialog.reject()
        idle(window)
        assert len(opened) == times
        assert window.session.source is not None
        assert window.session.source.imported.table.n == 39
        assert not workbook._remembered


def test_what_is_only_noted_of_a_file_is_not_told_as_not_fitting(
    window: MainWindow, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_parts = InMemory()
    by_parts.records = 1 << 20  # as where little memory is free
    monkeypatch.setattr(reader, "_storage", lambda *_: by_parts)
    path = tmp_path / "large.csv"
    path.write_text("sex,ward\n" + "".join(f"{'mf'[i % 2]},Ward {i % 9}\n" for i in range(300)))
    window.import_page.open_file(path)
    idle(window)
    (problem,) = window.session.source.imported.problems
    assert problem.kind is ProblemKind.NOTE
    assert window.import_page.banner.text.text() == problem.sentence
