"""The dialog that overrules how a file is read: rows, spellings, marks and dictionaries are chosen there, too."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from splu_desktop.files.importer import ImportChoices
from splu_desktop.gui.base.work import Work
from splu_desktop.gui.importing.columns import ColumnsForm
from splu_desktop.gui.importing.dialog import ReadDialog
from splu_desktop.gui.shell.main_window import MainWindow

_DICTIONARY = """Variable / Field Name,Form Name,Field Type,"Choices, Calculations, OR Slider Labels"
record_id,basics,text,
sex,basics,radio,"1, Male | 2, Female"
dx,basics,text,
"""


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> Iterator[ReadDialog]:
    (tmp_path / "fields.csv").write_text(_DICTIONARY, encoding="utf-8")
    path = tmp_path / "export.csv"
    kinds, findings = ("", "labs", "visits"), ("Flu", "flu ", "gout", "none given")
    rows = [[k, 1 + k % 2, kinds[k % 3], findings[k % 4]] for k in range(60)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["record_id", "sex", "redcap_repeat_instrument", "dx"], *rows])
    work = Work()
    made = ReadDialog(path, ImportChoices(), work)
    qtbot.addWidget(made)
    qtbot.waitUntil(work.idle)
    yield made
    work.shutdown()
    work.deleteLater()


def _shown(dialog: ReadDialog, qtbot: QtBot) -> dict[str, list[str]]:
    qtbot.waitUntil(dialog._work.idle)
    qtbot.waitUntil(dialog.use.isEnabled)
    model = dialog.records.model()
    names = [model.headerData(k, Qt.Orientation.Horizontal) for k in range(model.columnCount())]
    cells = [[model.index(row, k).data() for row in range(model.rowCount())] for k in range(len(names))]
    return dict(zip(names, cells, strict=True))


def test_rows_of_one_instrument_are_read(dialog: ReadDialog, qtbot: QtBot) -> None:
    rows = dialog.rows
    rows.column.setCurrentIndex(rows.column.findData("redcap_repeat_instrument"))
    rows.column.activated.emit(rows.column.currentIndex())
    listed = [rows.values.item(at).text() for at in range(rows.values.count())]
    assert sorted(listed) == ["(empty)", "labs", "visits"]
    rows.values.item(listed.index("labs")).setCheckState(Qt.CheckState.Checked)
    assert set(_shown(dialog, qtbot)["redcap_repeat_instrument"]) == {"labs"}
    assert dialog.asked.rows == {"redcap_repeat_instrument": ("labs",)}
    assert rows.values.count() == 3  # the others can still be ticked
    rows.column.setCurrentIndex(0)
    rows.column.activated.emit(0)
    assert len(_shown(dialog, qtbot)["dx"]) == 60
    assert not dialog.asked.rows


def test_spellings_are_kept_apart(dialog: ReadDialog, qtbot: QtBot) -> None:
    box = dialog.columns.apart["dx"]
    assert not box.isHidden()
    assert dialog.columns.apart["sex"].isHidden()
    box.click()
    _shown(dialog, qtbot)
    assert dialog.asked.keep_spellings == ("dx",)
    assert not box.isHidden()
    box.click()
    _shown(dialog, qtbot)
    assert dialog.asked.keep_spellings == ()


def test_a_field_is_chosen_as_no_value(dialog: ReadDialog, qtbot: QtBot) -> None:
    dialog.null.setText("none given")
    dialog.null.textEdited.emit("none given")
    _shown(dialog, qtbot)
    assert dialog.asked.null == "none given"
    assert any(token.column == "dx" and token.applied for token in dialog.tokens_model.rows)


def test_the_dictionary_is_chosen_or_left_out(dialog: ReadDialog, qtbot: QtBot) -> None:
    assert set(_shown(dialog, qtbot)["sex"]) == {"Male", "Female"}
    box = dialog.boxes["catalog"]
    box.setCurrentIndex(box.findData(""))
    box.activated.emit(box.currentIndex())
    assert set(_shown(dialog, qtbot)["sex"]) == {"1", "2"}
    assert dialog.asked.catalog == ""


@pytest.mark.parametrize("small_csv", [60], indirect=True)
def test_of_many_columns_some_rows_are_made_at_each_turn(opened: MainWindow, qtbot: QtBot) -> None:
    form, source = ColumnsForm(), opened.session.source
    qtbot.addWidget(form)
    assert source is not None
    form.show_columns(source.reading, ImportChoices())
    assert 0 < len(form.types) < 30, "400 columns at once hold the window up for two seconds"
    assert len(form.names) == 65, "a new name is compared with all others"
    qtbot.waitUntil(lambda: len(form.types) == 65)
    assert form.types["Finding 59"].currentText() == "detected: category"
