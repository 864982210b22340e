"""Publish: check, write the release whole or not at all, and show what was written."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from splu_desktop.core.errors import SpluError
from splu_desktop.core.gate import Light, Line
from splu_desktop.files.release import OpenRelease
from splu_desktop.files.whole import check_new_folder
from splu_desktop.gui.gate import GateView
from splu_desktop.gui.page import Page
from splu_desktop.gui.release_work import gate_lines, make_release, room_for
from splu_desktop.gui.session import Choices, Release, Session, Source, State, Step
from splu_desktop.gui.tasks import Job, Tasks
from splu_desktop.gui.widgets import Busy, Card, Empty, button, label, line_edit, margins, restyle
from splu_desktop.gui.words import number, size


class PublishPage(Page):
    """The fourth page."""

    step = Step.PUBLISH

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(self.tr("Publish"), self.tr("Check once more, choose a place, and write the release."))
        empty = Empty(
            "package-check",
            self.tr("Nothing to publish yet"),
            self.tr("Open a table, mark its sensitive column and choose a group size. Then it can be published here."),
        )
        empty.buttons.addWidget(
            button(self.tr("&Import a table"), lambda: self.go.emit(Step.IMPORT), look="primary", picture="file-input")
        )
        self.use_empty(empty)
        busy = Busy(self.tr("Publishing"), self.tr("Cancel; nothing will be written"))
        busy.cancelled.connect(self.cancel)
        self.use_busy(busy)
        self._job: Job | None = None
        self._named_for: Source | None = None
        self._checked: tuple[Source, Choices] | None = None
        self._build()
        self.refresh()

    # -- parts ---------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(area.Shape.NoFrame)
        inside = QWidget()
        column = QVBoxLayout(inside)
        margins(column, 0, 0, 4, 0, spacing=12)
        column.addWidget(self._build_done())
        column.addWidget(self._build_gate())
        column.addWidget(self._build_place())
        column.addStretch(1)
        area.setWidget(inside)
        self.body.addWidget(area, 1)

    def _build_gate(self) -> QWidget:
        self.gate_card = Card(self.tr("Before publishing"), spacing=10)
        self.gate = GateView()
        self.gate.changed.connect(self._offer)
        self.gate.go.connect(self.go)
        self.gate.reason_given.connect(self._keep_identifier)
        self.gate_card.body.addWidget(self.gate)
        return self.gate_card

    def _build_place(self) -> QWidget:
        self.place_card = Card(self.tr("Where to"), spacing=10)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self.parent_edit = line_edit(self.tr("Folder that the release is written into"))
        self.name_edit = line_edit(self.tr("Name of the release"))
        for row, (text, edit) in enumerate(
            ((self.tr("In the &folder"), self.parent_edit), (self.tr("&Name of the release"), self.name_edit))
        ):
            caption = label(text)
            caption.setBuddy(edit)
            edit.textChanged.connect(self._offer)
            grid.addWidget(caption, row, 0)
            grid.addWidget(edit, row, 1)
        grid.addWidget(button(self.tr("&Choose…"), self.ask_folder, picture="folder-open"), 0, 2)
        formats = QHBoxLayout()
        formats.setSpacing(16)
        self.csv = QCheckBox(self.tr("CSV"))
        self.csv.setChecked(True)
        self.csv.setEnabled(False)
        self.csv.setToolTip(self.tr("Always written, since it is what every program reads"))
        self.xlsx = QCheckBox(self.tr("&Excel workbook"))
        self.parquet = QCheckBox(self.tr("Par&quet"))
        self.parquet.setVisible(importlib.util.find_spec("pyarrow") is not None)
        for box in (self.csv, self.xlsx, self.parquet):
            formats.addWidget(box)
        formats.addStretch(1)
        grid.addWidget(label(self.tr("Formats")), 2, 0)
        grid.addLayout(formats, 2, 1)
        self.place_card.body.addLayout(grid)
        self.place_note = label("", "quiet", wrap=True)
        self.place_card.body.addWidget(self.place_note)
        return self.place_card

    def _build_done(self) -> QWidget:
        self.done_card = Card(self.tr("The release is written"), spacing=8)
        self.done_text = label("", wrap=True, selectable=True)
        self.done_files = label("", "quiet", wrap=True, selectable=True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(button(self.tr("&Open the folder"), self.open_folder, picture="folder-open"))
        row.addWidget(button(self.tr("Copy its &path"), self.copy_path, picture="copy"))
        row.addStretch(1)
        self.again = button(self.tr("Publish &again…"), self._ask_again, picture="refresh-cw")
        self.again.setToolTip(self.tr("Write a second release of the same table. Read first what that costs."))
        row.addWidget(self.again)
        self.done_card.body.addWidget(self.done_text)
        self.done_card.body.addWidget(self.done_files)
        self.done_card.body.addLayout(row)
        return self.done_card

    # -- what the user does --------------------------------------------------------------------------------------

    def target(self) -> Path:
        """Return the folder that would be written."""
        return Path(self.parent_edit.text().strip()).expanduser() / self.name_edit.text().strip()

    def set_target(self, folder: Path) -> None:
        """Name the folder to write."""
        self.parent_edit.setText(str(folder.parent))
        self.name_edit.setText(folder.name)

    def formats(self) -> tuple[str, ...]:
        """Return the formats chosen."""
        chosen = (("csv", True), ("xlsx", self.xlsx.isChecked()), ("parquet", self.parquet.isChecked()))
        return tuple(name for name, on in chosen if on)

    def ask_folder(self) -> None:
        """Let the user choose the folder above the release."""
        name = QFileDialog.getExistingDirectory(self, self.tr("Choose a folder"), self.parent_edit.text())
        if name:
            self.parent_edit.setText(name)

    def act(self) -> None:
        if self.session.state(Step.PUBLISH) is State.DONE and self.place_card.isHidden():
            self.go.emit(Step.QUERY)
            return
        self.publish()

    def publish(self) -> Job | None:
        """Write the release in the worker."""
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None or self._job is not None:
            return None
        self.banner.hide()
        folder, formats = self.target(), self.formats()
        try:
            plan = choices.plan()
        except SpluError as fault:
            self.fault(str(fault))
            return None
        table = source.imported.table
        assert self.busy is not None
        self.busy.begin(self.tr("Publishing {n} records to “{name}”").format(n=number(table.n), name=folder.name))
        self.show_part(self.busy)
        job = self.tasks.run("publish", lambda progress: make_release(table, plan, folder, formats, progress))
        self._job = job
        self.set_primary(self.tr("Publishing…"), False)
        job.progressed.connect(self.busy.show_progress)
        job.done.connect(partial(self._published, source, choices))
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)
        return job

    def cancel(self) -> None:
        """Stop publishing; nothing of the unfinished release is left."""
        if self._job is not None:
            self._job.cancel()

    def _keep_identifier(self, column: str, reason: str) -> None:
        choices = self.session.choices
        if choices is not None:
            kept = {**choices.kept, column: reason}
            self.session.choose(
                replace(choices, kept=kept), self.tr("reason for publishing {column}").format(column=column)
            )

    def open_folder(self) -> None:
        """Show the release's folder in the system's file manager."""
        release = self.session.release
        if release is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(release.folder)))

    def copy_path(self) -> None:
        """Copy the path of the release's folder."""
        release = self.session.release
        if release is not None:
            QGuiApplication.clipboard().setText(str(release.folder))

    def _ask_again(self) -> None:
        self.banner.say(
            "warning",
            self.tr(
                "A second release of the same table weakens the first: whoever holds both can average their counts, and"
                " small counts become less protected. Better hand out the release you have."
            ),
            self.tr("Publish again all the same"),
            self._again,
        )

    def _again(self) -> None:
        self.banner.hide()
        self._propose(self.session.source, force=True)
        self.place_card.show()
        self.gate_card.show()
        self._offer()

    # -- what comes back -----------------------------------------------------------------------------------------

    def _published(self, source: Source, choices: Choices, opened: OpenRelease) -> None:
        self._job = None
        self.place_card.hide()
        self.session.take_release(Release(opened.published, opened.facts, opened.folder, (source, choices)))

    def _failed(self, text: str) -> None:
        self._job = None
        self.refresh()
        self.fault(text)

    def _stopped(self) -> None:
        self._job = None
        self.refresh()
        self.banner.say("note", self.tr("Publishing was cancelled; nothing was written."))

    def _lines_ready(self, lines: tuple[Line, ...]) -> None:
        self.gate.show_lines(lines)
        self._offer()

    def _lines_failed(self, text: str) -> None:
        self._checked = None
        self.fault(text)

    # -- showing -------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        if self._job is not None:
            return
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None or not self.session.ready_to_plan():
            self.show_part(self.empty)
            self.set_primary(self.tr("Publish"), False, "")
            return
        self.show_part(None)
        self._propose(source)
        state = self.session.state(Step.PUBLISH)
        release = self.session.release
        done = state is State.DONE and release is not None
        self.done_card.setVisible(done)
        self.place_card.setVisible(not done)
        if done and release is not None:
            self._show_done(release)
        elif self.session.dropped is not None:
            if self.target() == self.session.dropped.folder:
                self._propose(source, force=True)
            old = self.session.dropped
            self.banner.say(
                "warning",
                self.tr(
                    "“{name}” was published from other choices. Publish again to have a release of these, or undo."
                ).format(name=old.folder.name),
            )
        self.gate_card.setVisible(not done)
        self._check(source, choices)

    def _show_done(self, release: Release) -> None:
        self.done_text.setText(
            self.tr("{n} records in {folder}").format(n=number(release.published.n), folder=release.folder)
        )
        lines = [
            self.tr("{name}, {size}, SHA-256 {sha}").format(
                name=entry["name"], size=size(int(entry["bytes"])), sha=str(entry["sha256"])
            )
            for entry in release.facts["files"]
        ]
        self.done_files.setText("\n".join(lines))

    def _propose(self, source: Source | None, *, force: bool = False) -> None:
        if source is None or (source is self._named_for and not force):
            return
        self._named_for = source
        parent = source.path.resolve().parent
        documents = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        # The sample lies inside the program's own folder, where no release belongs.
        if parent.name == "resources" or not os.access(parent, os.W_OK):
            parent = documents if documents.is_dir() else Path.home()
        stem = source.path.name.split(".")[0]
        base = f"{stem}-release-{date.today().isoformat()}"
        name, again = base, 2
        while (parent / name).exists():
            name, again = f"{base}-{again}", again + 1
        self.set_target(parent / name)

    def _check(self, source: Source, choices: Choices) -> None:
        if self._checked != (source, choices):
            self._checked = (source, choices)
            self.gate.show_waiting()
            table, plan = source.imported.table, choices.plan()
            job = self.tasks.run("gate", lambda progress: gate_lines(table, plan, progress))
            job.done.connect(self._lines_ready)
            job.failed.connect(self._lines_failed)
        self._offer()

    def _place_fault(self, source: Source) -> str:
        if not self.parent_edit.text().strip() or not self.name_edit.text().strip():
            return self.tr("Name a folder for the release.")
        folder = self.target()
        if folder.name in ("", ".", "..") or folder.parent != Path(self.parent_edit.text().strip()).expanduser():
            return self.tr("The name of the release must be a plain name, without / or \\.")
        try:
            check_new_folder(folder)
            free, needed = room_for(folder.parent, source.imported.source.size)
        except SpluError as fault:
            return str(fault)
        except OSError as fault:
            return self.tr("The folder can't be used ({why}); choose another.").format(why=fault.strerror or "?")
        if free < needed:
            return self.tr("Only {free} are free there, and the release may need {needed}; make room first.").format(
                free=size(free), needed=size(needed)
            )
        return ""

    def _offer(self) -> None:
        source = self.session.source
        if source is None or self._job is not None:
            return
        if not self.done_card.isHidden() and self.place_card.isHidden():
            self.set_primary(self.tr("Ask the release for counts"), True)
            return
        problem = self._place_fault(source)
        self.place_note.setText(problem or self.tr("Will be written: {folder}").format(folder=self.target()))
        restyle(self.place_note, "problem" if problem else "quiet")
        text = self.tr("Publish {n} records").format(n=number(source.imported.table.n))
        waiting = self.gate.open_lines()
        if self.gate.waiting:
            self.set_primary(text, False, self.tr("Still checking…"))
        elif any(line.light is Light.RED for line in waiting):
            self.set_primary(text, False, self.tr("Something above is in the way; change it first."))
        elif waiting:
            self.set_primary(text, False, self.tr("Accept what is marked above, or change it."))
        else:
            self.set_primary(text, not problem, self.tr("Choose another place first.") if problem else "")

    def help_text(self) -> str:
        return self.tr(
            "<p>Publishing writes a new folder with the table and a file <b>release.json</b> that tells its reader how"
            " to interpret the counts. Nothing in it names a group, an original value or the order of your records.</p>"
            "<p>It is written whole or not at all. Your own table is never touched.</p>"
            "<p><b>What should I check?</b></p>"
            "<p>A published file can't be called back. Are all columns needed? Does a rare combination of age, ward and"
            " postcode point at one person?</p>"
            "<p>Publish a table once and hand out the same release again: two releases of the same records protect less"
            " than one.</p>"
        )
