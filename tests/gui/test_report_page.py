"""The report page: fields that are remembered, two editions, a preview of the real report, files written whole."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from splu_desktop.core.progress import Progress
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.release.folder import OpenRelease
from splu_desktop.gui.report import page as report_page
from splu_desktop.gui.report.fields import ReportFields
from splu_desktop.report.model import Alternative
from tests.gui.conftest import PATIENCE
from tests.gui.query_fixtures import Idle, Stage, custodian, folder, made, recipient, stage

__all__ = ["custodian", "folder", "made", "recipient", "stage"]


def _turn_to_report(stage: Stage) -> None:
    stage.session.changed.connect(stage.report_page.refresh)
    stage.report_page.refresh()
    stage.pages.setCurrentWidget(stage.report_page)


@pytest.fixture
def reported(custodian: Stage, idle: Idle) -> Stage:
    """The window on its report page, with the external edition previewed."""
    _turn_to_report(custodian)
    idle(custodian)
    return custodian


def test_the_preview_is_the_report_with_what_is_typed(reported: Stage, folder: OpenRelease, idle: Idle) -> None:
    page = reported.report_page
    assert page.preview_stack.currentWidget() is page.view
    page.form.edits["organisation"].setText("St. Mary's & <sons>")
    page.form.remarks.setPlainText("Seen by the board.")
    page.form.changed.emit()
    idle(reported)
    text = page.view.toPlainText()
    assert "St. Mary's & <sons>" in text
    assert "Seen by the board." in text
    assert str(folder.facts["id"]) in text
    for entry in folder.facts["files"]:
        assert entry["sha256"] in text


def test_only_the_internal_edition_speaks_of_the_source(reported: Stage, idle: Idle, tmp_path: Path) -> None:
    page = reported.report_page
    source = reported.session.source
    assert source is not None
    assert source.imported.source.sha256 not in page.view.toPlainText()
    page.save(tmp_path / "external.json")
    idle(reported)
    assert "original" not in json.loads((tmp_path / "external.json").read_text(encoding="utf-8"))
    page.form.internal.setChecked(True)
    idle(reported)
    assert source.imported.source.sha256 in page.view.toPlainText()
    page.save(tmp_path / "internal.json")
    idle(reported)
    assert "original" in json.loads((tmp_path / "internal.json").read_text(encoding="utf-8"))
    assert "Anatomy" not in page.view.toPlainText()
    reported.session.take_alternatives((Alternative("Diagnosis", "Anatomy", "l = 5", 0.5, 0.5, 0.5),))
    page.refresh()
    idle(reported)
    assert "Anatomy" in page.view.toPlainText(), "a comparison made since"
    page.form.external.setChecked(True)
    idle(reported)
    assert source.imported.source.sha256 not in page.view.toPlainText(), "back without computing again"


def test_a_recipient_is_offered_the_external_edition_alone(recipient: Stage, idle: Idle) -> None:
    _turn_to_report(recipient)
    idle(recipient)
    form = recipient.report_page.form
    assert not form.internal.isEnabled()
    assert form.external.isChecked()
    assert "source" in form.why.text()


@pytest.mark.parametrize("ending", ["html", "xlsx", "pdf"])
def test_every_format_is_written(reported: Stage, idle: Idle, tmp_path: Path, ending: str) -> None:
    page = reported.report_page
    page.save(tmp_path / f"report.{ending}")
    idle(reported)
    assert page.banner.kind == "done", page.banner.text.text()
    start = {"html": b"<!DO", "xlsx": b"PK\x03\x04", "pdf": b"%PDF"}[ending]
    assert (tmp_path / f"report.{ending}").read_bytes().startswith(start)
    assert page.open_button.isVisible()


def test_what_is_typed_is_remembered(reported: Stage, qtbot: QtBot, idle: Idle, tmp_path: Path) -> None:
    form = reported.report_page.form
    form.edits["organisation"].setText("Clinic")
    form.edits["recipient"].setText("Registry")
    form.paper.setCurrentIndex(form.paper.findData("Letter"))
    idle(reported)
    reported.report_page.save(tmp_path / "report.json")
    idle(reported)
    other = ReportFields()
    qtbot.addWidget(other)
    assert other.fields().organisation == "Clinic"
    assert other.fields().recipient == "Registry"
    assert other.paper_size() == "Letter"


def test_a_place_that_refuses_is_told(reported: Stage, idle: Idle, tmp_path: Path) -> None:
    page = reported.report_page
    for path, words in ((tmp_path / "no" / "report.pdf", "does not exist"), (tmp_path / "report.doc", "must end in")):
        page.save(path)
        idle(reported)
        assert page.banner.kind == "fault"
        assert words in page.banner.text.text()
        assert page.stack.currentWidget() is page.content, "the report is still there"
        assert not path.exists()


def test_saving_can_be_cancelled(
    reported: Stage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, go_on = reported.report_page, threading.Event()
    real = report_page.write

    def slow(report: object, path: Path, language: str, paper: str, progress: Progress) -> Path:
        go_on.wait(PATIENCE / 1000)
        return real(report, path, language, paper, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(report_page, "write", slow)
    job = page.save(tmp_path / "report.pdf")
    assert job is not None
    assert page.stack.currentWidget() is page.busy
    page.busy.cancel.click()
    with qtbot.waitSignal(job.stopped):
        go_on.set()
    assert not list(tmp_path.glob("report*"))
    assert "nothing was written" in page.banner.text.text()
    assert page.primary.isEnabled()


def test_another_release_brings_another_report(reported: Stage, folder: OpenRelease, idle: Idle) -> None:
    page = reported.report_page
    reported.session.end_history()
    choices = reported.session.choices
    assert choices is not None
    reported.session.set_roles({"Ward": Role.DROPPED}, "leave one out")
    assert page.stack.currentWidget() is page.stale_panel
    assert not page.primary.isEnabled()
    reported.session.undo_stack.undo()
    idle(reported)
    assert page.stack.currentWidget() is page.content
    assert page.preview_stack.currentWidget() is page.view
    assert str(folder.facts["id"]) in page.view.toPlainText()
