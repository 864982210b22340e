"""The publish page: trial, gate in words, the register and handing out again, the states of a run."""

from __future__ import annotations

import hashlib
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from splu_desktop.core.checks.gate import Light, Line, answer_lines
from splu_desktop.core.generalise import table_after
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.disk.place import data_folder
from splu_desktop.files.register.book import Register
from splu_desktop.files.register.shelf import Place, changed, falls, shelf
from splu_desktop.files.release.folder import read_release
from splu_desktop.gui.base import widgets
from splu_desktop.gui.base.reason_dialog import ReasonDialog
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.base.widgets import Busy
from splu_desktop.gui.base.words import told
from splu_desktop.gui.publish.gate import GateView
from splu_desktop.gui.publish.page import PublishPage
from splu_desktop.gui.publish.place import PlaceCard
from splu_desktop.gui.shell.main_window import MainWindow
from tests.draws import plain
from tests.optional import ROOT

Idle = Callable[[MainWindow], None]

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


@pytest.fixture
def page(opened: MainWindow, idle: Idle, tmp_path: Path, qtbot: QtBot) -> PublishPage:
    """The publish page with its gate worked out, about to write `first`."""
    opened.show_step(Step.PUBLISH)
    _aim(opened, tmp_path / "first", idle, qtbot)
    return opened.publish_page


def _aim(window: MainWindow, target: Path, idle: Idle, qtbot: QtBot) -> None:
    made = window.publish_page
    made.set_target(target)
    qtbot.waitUntil(lambda: made._found is not None and made._found[0] == made._key())
    idle(window)


def _publish(window: MainWindow, idle: Idle) -> None:
    page = window.publish_page
    page.gate.accept_all()
    assert page.publish() is not None, page.foot_note.text()
    idle(window)
    assert window.session.state(Step.PUBLISH) is State.DONE, page.banner.text.text()


def _sums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_a_trial_shows_the_sample_and_writes_nothing(opened: MainWindow, page: PublishPage, idle: Idle) -> None:
    def written() -> dict[Path, int]:  # but what the window keeps of its choices, every few seconds
        every = (path for path in data_folder().rglob("*") if path.is_file() and "recovery" not in path.parts)
        return {path: path.stat().st_mtime_ns for path in every}

    before = written()
    dialog = page.try_sample()
    assert dialog is not None
    dialog.records.setValue(300)
    dialog.run()
    idle(opened)
    assert "300 records" in dialog.title.text()
    first, second = dialog.compared.columns["Diagnosis"]
    assert sum(first.counts) <= 300
    assert first.labels == second.labels
    assert "Diagnosis" in [dialog.compared.column.itemText(at) for at in range(dialog.compared.column.count())]
    assert written() == before
    assert not Register().read().entries
    assert opened.session.release is None
    dialog.reject()


def test_a_trial_that_can_not_be_made_says_why(opened: MainWindow, page: PublishPage, idle: Idle) -> None:
    choices = opened.session.choices
    assert choices is not None
    dialog = page.try_sample()
    assert dialog is not None
    idle(opened)
    dialog._plan = replace(dialog._plan, draws=plain({"Diagnosis": 400}))
    dialog.run()
    idle(opened)
    assert dialog.banner.kind == "fault"
    assert "Diagnosis" in dialog.banner.text.text()
    assert dialog.again.isEnabled()
    dialog.reject()


def test_a_missed_threshold_is_accepted_in_words_alone(
    opened: MainWindow, page: PublishPage, idle: Idle, qtbot: QtBot, tmp_path: Path
) -> None:
    choices = opened.session.choices
    assert choices is not None
    opened.session.choose(replace(choices, thresholds=replace(choices.thresholds, t_p=0.9)), "more")
    _aim(opened, tmp_path / "short", idle, qtbot)
    for name in {line.name for line in page.gate.lines} - {"thresholds"}:
        page.gate._accept([line for line in page.gate.lines if line.name == name], "agreed")
    for reason in ("", "agreed by the board"):
        page.gate.accept_kind("thresholds")
        dialog = page.gate.findChildren(ReasonDialog)[-1]
        dialog.reason.setText(reason)
        (dialog.accept if reason else dialog.reject)()
        assert [line.name for line in page.gate.open_lines()] == ([] if reason else ["thresholds"])
    assert page.primary.isEnabled()
    _publish(opened, idle)
    assert Register().read().releases[0].body["accepted"]["thresholds"] == "agreed by the board"


def test_the_gate_notes_how_few_cells_can_be_answered(
    opened: MainWindow, page: PublishPage, idle: Idle, qtbot: QtBot, tmp_path: Path
) -> None:
    """As the command line and a cluster do, in one sentence from one source; nobody has to accept it."""
    choices = opened.session.choices
    assert choices is not None
    opened.session.choose(replace(choices, draws=plain(dict.fromkeys(choices.draws, 6))), "blurred")
    _aim(opened, tmp_path / "blurred", idle, qtbot)
    plan = opened.session.choices.plan()
    assert opened.session.source is not None
    (note,) = answer_lines(table_after(opened.session.source.imported.table, plan.generalisations), plan)
    assert [line for line in page.gate.lines if line.light is Light.NOTE] == [note]
    assert note not in page.gate.open_lines()


def test_the_earlier_release_is_offered_and_handed_out_again(
    opened: MainWindow, page: PublishPage, idle: Idle, qtbot: QtBot, tmp_path: Path
) -> None:
    """The same bytes go out again: nothing is drawn anew, and the register has no further entry."""
    page.place.recipient.setText("Dr Lee")
    _publish(opened, idle)
    first = _sums(tmp_path / "first")
    page._ask_again()
    assert "average" in page.banner.text.text()
    page._publish_again()
    _aim(opened, tmp_path / "second", idle, qtbot)
    line = next(line for line in page.gate.lines if line.name == "earlier-release")
    assert line.light.value == "amber"
    (said,) = (each for each in page.gate.findChildren(QLabel) if each.text() == told(line.short))
    (more,) = (each for each in page.gate.findChildren(QPushButton) if each.text() == "Details")
    assert len(line.short) < 120
    assert more.focusPolicy() & Qt.FocusPolicy.TabFocus
    more.click()
    assert said.text() == told(line.sentence), "the whole is one press away"
    with qtbot.waitSignal(page.gate.earlier):
        page.gate.earlier.emit()
    opened_dialogs = [d for d in page.children() if type(d).__name__ == "RegisterDialog"]
    idle(opened)
    dialog = opened_dialogs[-1]
    chosen = dialog.chosen()
    assert chosen is not None
    assert chosen.path == tmp_path / "first"
    assert "Dr Lee" in [dialog.model.index(0, at).data() for at in range(dialog.model.columnCount())]
    assert "with 2 releases" in dialog.details.text()
    dialog.check_files()
    idle(opened)
    assert dialog.banner.kind == "done"
    hand = dialog.hand_out()
    assert hand is not None
    hand.file.setText(str(tmp_path / "again.zip"))
    password = hand.password.text()
    assert len(password) >= 12
    hand.write()
    idle(opened)
    assert hand.banner.kind == "done", hand.banner.text.text()
    packed = read_release(tmp_path / "again.zip", password=password)
    assert packed.facts["id"] == Register().read().releases[0].release
    hand.locked.setChecked(False)
    hand.file.setText(str(tmp_path / "open.zip"))
    hand.write()
    idle(opened)
    with zipfile.ZipFile(tmp_path / "open.zip") as archive:
        again = {Path(n).name: hashlib.sha256(archive.read(n)).hexdigest() for n in archive.namelist()}
    assert again == first
    assert len(Register().read().entries) == 1
    hand.reject()
    dialog.reject()


def test_the_register_is_searched_and_harm_is_named(
    opened: MainWindow, page: PublishPage, idle: Idle, qtbot: QtBot, tmp_path: Path
) -> None:
    page.place.purpose.setText("falls on ward 3")
    _publish(opened, idle)
    page._publish_again()
    _aim(opened, tmp_path / "second", idle, qtbot)
    page.place.purpose.setText("diabetes")
    _publish(opened, idle)
    dialog = page.show_releases()
    idle(opened)
    assert dialog.model.rowCount() == 2
    details = "\n".join(dialog._told(dialog.chosen()))
    assert "earlier release (accepted)" in details
    assert "earlier-release" not in details
    dialog.search.setText("diabetes")
    assert dialog._sorted.rowCount() == 1
    dialog.search.setText("")
    # A changed file, a release that is gone, a changed entry.
    (tmp_path / "second" / "table.csv").write_bytes(b"x")
    dialog.choose(Register().read().releases[1].release)
    dialog.check_files()
    idle(opened)
    assert dialog.banner.kind == "fault"
    assert "table.csv" in dialog.banner.text.text()
    assert not dialog.again.isEnabled()
    dialog.reject()
    (tmp_path / "first").rename(tmp_path / "elsewhere")
    path = data_folder() / "register" / "register.jsonl"
    path.write_text(path.read_text("utf-8").replace("falls on ward 3", "something else"), "utf-8")
    dialog = page.show_releases()
    idle(opened)
    assert dialog.banner.kind == "fault"
    assert "Entry 1 of the register was changed" in dialog.banner.text.text()
    dialog.choose(Register().read().releases[0].release)
    state = [dialog.model.index(row, 2).data() for row in range(2)]
    assert state == ["there", "entry was changed"]
    assert not dialog.again.isEnabled()
    dialog.reject()


def test_the_shelf_knows_what_became_of_each_release(
    opened: MainWindow, page: PublishPage, idle: Idle, tmp_path: Path
) -> None:
    page.place.packed.setChecked(True)
    page.place.password.setText("Seven old pears, not ripe")
    idle(opened)
    _publish(opened, idle)
    (found,) = shelf().releases
    assert found.place is Place.THERE
    assert found.path == tmp_path / "first.zip"
    release = opened.session.release
    assert release is not None
    assert release.password == "Seven old pears, not ripe", "the report reads the files again"
    assert release.password not in repr(release)
    assert changed(found) is None  # an encrypted ZIP needs no password for this
    (fall,) = falls(found.entry)
    assert fall.t_p[1] > fall.t_p[2] > fall.t_p[5] > fall.t_p[10]
    found.path.write_bytes(found.path.read_bytes() + b"x")
    assert "first.zip" in str(changed(found))
    found.path.unlink()
    assert shelf().releases[0].place is Place.GONE


@pytest.mark.parametrize("name", ["CON", "aux.2020", "a/b", "..", "ends with a dot.", 'a"b', "x" * 300])
def test_names_that_can_not_be_are_told_at_once(page: PublishPage, name: str) -> None:
    page.place.name.setText(name)
    assert page.place.problem()
    assert page.place.note.property("look") == "problem"
    assert not page.primary.isEnabled()


def test_a_password_is_proposed_and_a_short_one_told(page: PublishPage) -> None:
    assert not page.place.password.isVisible()
    page.place.packed.setChecked(True)
    assert page.place.password.isVisible()
    assert len(page.place.password.text()) == 23, "locked unless told otherwise"
    page.place.password.setText("short")
    assert "16 characters" in page.place.problem()
    page.place.propose_password.click()
    assert len(page.place.password.text()) == 23
    assert not page.place.problem()


def test_cancel_leaves_nothing_and_says_so(opened: MainWindow, page: PublishPage, idle: Idle, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    page.gate.accept_all()
    job = page.publish()
    assert job is not None
    assert page.stack.currentWidget() is page.busy
    assert not page.try_it.isVisible()
    assert not page.earlier.isVisible()
    page.cancel()
    idle(opened)
    if opened.session.release is None:  # else it was done before the cancel came through, and says so
        assert "nothing was written" in page.banner.text.text()
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        assert not Register().read().releases
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(MARK)]
    assert page.try_it.isVisible() is (opened.session.release is None)


def test_a_failed_run_keeps_the_session_open(
    opened: MainWindow, page: PublishPage, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("splu_desktop.files.release.folder.write_readme", full)
    page.gate.accept_all()
    page.publish()
    idle(opened)
    assert page.banner.kind == "fault"
    assert "no space left on device" in page.banner.text.text()
    assert not (tmp_path / "first").exists()
    assert opened.session.source is not None
    assert page.form.isVisible()
    monkeypatch.undo()


def test_without_a_column_to_protect_the_page_leads_to_choosing_one(opened: MainWindow, page: PublishPage) -> None:
    opened.session.set_roles({"Diagnosis": Role.NSA}, "none")
    assert page.stack.currentWidget() is page.empty
    assert page.classify_button.isVisible()
    assert not page.import_button.isVisible()


def test_the_time_left_is_told_once_it_can_be_known(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(widgets.time, "monotonic", lambda: now[0])
    busy = Busy("Publishing", "Cancel")
    qtbot.addWidget(busy)
    busy.begin()
    busy.show_progress("Writing CSV", 0.0)
    assert "left" not in busy.stage.text()
    now[0] += 10
    busy.show_progress("Writing CSV", 0.25)
    assert "about 30 seconds left" in busy.stage.text()
    now[0] += 290
    busy.show_progress("Writing CSV", 0.5)
    assert "about 5 minutes left" in busy.stage.text()
    busy.show_progress("Reading the files back", 0.01)
    assert "left" not in busy.stage.text(), "what the last stage took says nothing of this one"
    now[0] += 10
    busy.show_progress("Reading the files back", 0.26)
    assert "about 30 seconds left" in busy.stage.text()


def test_the_recipient_is_spoken_to_in_the_language_chosen(
    opened: MainWindow, page: PublishPage, idle: Idle, tmp_path: Path, qtbot: QtBot
) -> None:
    """English unless another is chosen, which is kept for the next time."""
    assert page.place.spoken() == "en"
    page.place.language.setCurrentIndex(page.place.language.findData("de"))
    page.place.language.activated.emit(page.place.language.currentIndex())
    _publish(opened, idle)
    assert "WIE DIESE TABELLE ZU LESEN IST" in (tmp_path / "first" / "README.txt").read_text("utf-8-sig")
    again = PlaceCard()
    qtbot.addWidget(again)
    assert again.spoken() == "de"


def test_damage_of_the_register_is_acknowledged_by_name_and_in_words(
    opened: MainWindow, page: PublishPage, idle: Idle
) -> None:
    _publish(opened, idle)
    path = Register().folder / "register.jsonl"
    path.write_bytes(b"")
    dialog = page.show_releases()
    idle(opened)
    assert dialog.banner.kind == "fault"
    assert "Entry 1 of the register is gone." in dialog.banner.text.text()
    asked = dialog.acknowledge()
    asked.who.setText("A. Müller")
    assert not asked.enter.isEnabled()
    asked.why.setText("The disk was full")
    assert asked.enter.isEnabled()
    asked.accept()
    idle(opened)
    assert dialog.banner.kind == "note"
    assert Register().read().faults == ()


def test_many_lines_of_a_kind_are_shown_a_few_at_a_time(qtbot: QtBot) -> None:
    """400 columns of a kind would hold the window for a second; none is out of reach, and the focus goes along."""
    gate = GateView()
    qtbot.addWidget(gate)
    gate.show()
    gate.show_lines(
        Line("sensitive", Light.AMBER, f"Column {i} looks sensitive.", "classify", f"{i}") for i in range(50)
    )
    seen = []
    for _ in range(3):
        QApplication.processEvents()
        boxes = [box for box in gate.findChildren(QCheckBox) if box.isVisible()]
        seen.append(len(boxes))
        more = next((b for b in gate.findChildren(QPushButton) if b.isVisible() and "more lines" in b.text()), None)
        if more is not None:
            more.click()
            focus = gate.focusWidget()
            assert isinstance(focus, QCheckBox)
            assert focus.accessibleName().endswith(f"Column {len(boxes)} looks sensitive.")
    assert seen == [20, 40, 50]
    assert more is None
    assert len(gate.open_lines()) == 50
    gate.accept_all()
    assert not gate.open_lines()


def test_another_table_starts_clean(opened: MainWindow, page: PublishPage, idle: Idle, tmp_path: Path) -> None:
    _publish(opened, idle)
    assert opened.session.release is not None
    name = opened.session.release.folder.name
    opened.session.set_roles({"Ward": Role.DROPPED}, "roles")
    idle(opened)
    assert "published from other choices" in page.banner.text.text()
    other = tmp_path / "other.csv"
    other.write_text("Ward,Diagnosis\n" + "A,flu\nB,gout\nC,asthma\n" * 50, encoding="utf-8")
    said: list[str] = []
    opened.session.noticed.connect(said.append)
    opened.import_page.open_file(other)
    idle(opened)
    opened.show_step(Step.PUBLISH)
    idle(opened)
    assert not opened.session.stale
    assert opened.session.dropped is None
    assert opened.session.release is None
    assert State.STALE not in {opened.session.state(step) for step in Step}
    assert [text for text in said if name in text] == [
        f"“{name}” is no longer shown here, since another table was read. Its folder stays as it is."
    ]
    assert page.banner.isHidden() or "other choices" not in page.banner.text.text()


def test_what_passed_fills_the_width_that_acts_leave_empty(qtbot: QtBot) -> None:
    said = "A sentence that is long enough to be broken over lines in a narrow view of the gate, as many of them are."
    gate = GateView()
    qtbot.addWidget(gate)
    gate.resize(700, 400)
    gate.show()
    gate.show_lines(
        Line(name, light, f"{name}: {said}", "plan", None)
        for name, light in (("passed", Light.GREEN), ("open", Light.AMBER))
    )
    QApplication.processEvents()
    texts = {each.text().partition(":")[0]: each for each in gate.findChildren(QLabel) if said in each.text()}
    assert texts["passed"].width() > 1.4 * texts["open"].width()


def test_no_symbol_stands_where_publishing_is_decided() -> None:
    """A custodian reads what becomes of small counts, never T_P."""
    known = tomllib.loads((ROOT / "resources/translations/core.de.toml").read_text(encoding="utf-8"))
    symbols = [each for pair in known.items() for each in pair if "T_P" in each]
    assert {each for each in symbols if "small counts" in each.lower() or "Kleine Anzahlen" in each} == set()
