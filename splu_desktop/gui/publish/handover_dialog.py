"""Packs a release into one ZIP to hand over, with a password where wanted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFileDialog, QHBoxLayout, QProgressBar, QPushButton, QWidget

from splu_desktop.core.errors import BadSetting
from splu_desktop.files.release.handover import check_password, hand_over, new_password
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Banner, Dialog, button, copy_exactly, label, line_edit, new_grid, put
from splu_desktop.gui.base.words import t, told


class HandOverDialog(Dialog):
    """Where the ZIP goes, and its password; then what was written.

    release : the release folder.
    """

    def __init__(self, release: Path, tasks: Tasks, parent: QWidget | None = None) -> None:
        intro = t(
            "Packs the very files of the release into one ZIP. Each is checked on its way; nothing is drawn anew, and"
            " nothing else that lies in the folder goes along."
        )
        super().__init__(t("Hand over {name}", name=release.name), (620, 300), parent, intro)
        self._release, self._tasks = release, tasks
        self._job: Job | None = None
        column, self.banner = self.parts, Banner()
        column.addWidget(self.banner)
        grid = new_grid(12, 8)
        self.file = line_edit(t("ZIP file"))
        self.file.setText(str(_free(release)))
        caption = label(t("ZIP &file"))
        caption.setBuddy(self.file)
        grid.addWidget(caption, 0, 0)
        grid.addWidget(self.file, 0, 1)
        grid.addWidget(button(t("&Choose…"), self.ask_file, picture="folder-open"), 0, 2)
        self.locked = QCheckBox(t("&Lock it with a password (AES-256)"))
        grid.addWidget(self.locked, 1, 1)
        self.password = line_edit(t("Password of the ZIP file"))
        self.password.setMaxLength(200)
        grid.addWidget(self.password, 2, 1)
        self.copy = button(t("Co&py it"), self.copy_password, picture="copy")
        grid.addWidget(self.copy, 2, 2)
        self.note = label("", "quiet", wrap=True, live=True)
        grid.addWidget(self.note, 3, 1, 1, 2)
        put(column, grid, 1)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(t("Progress"))
        self.bar.hide()
        column.addWidget(self.bar)
        row = QHBoxLayout()
        buttons = QDialogButtonBox()
        self.act = self.save = QPushButton(t("&Write the ZIP"))
        self.save.setProperty("look", "primary")
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.ActionRole)
        self.close_button = buttons.addButton(t("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.save.clicked.connect(lambda: self.write())
        buttons.rejected.connect(self.reject)
        row.addWidget(buttons)
        column.addLayout(row)
        self.locked.toggled.connect(self._lock)
        self.password.textChanged.connect(lambda _: self._offer())
        self.file.textChanged.connect(lambda _: self._offer())
        self.locked.setChecked(True)

    def _lock(self, on: bool) -> None:
        if on and not self.password.text():
            self.password.setText(new_password())
        for part in (self.password, self.copy):
            part.setVisible(on)
        self._offer()

    def _offer(self) -> None:
        weak = False
        if self.locked.isChecked():
            said = t(
                "Tell it by another way than the file, such as by telephone. It is kept nowhere. It hides the release"
                " and the names of its files; the name of the ZIP itself stays visible."
            )
            try:
                check_password(self.password.text())
            except BadSetting as fault:
                weak, said = True, told(str(fault))
        else:
            said = t("Whoever gets hold of the file can read it.")
        self.note.setText(said)
        self.save.setEnabled(not weak and bool(self.file.text().strip()) and self._job is None)

    def ask_file(self) -> None:
        """Let the user choose the file."""
        name, _ = QFileDialog.getSaveFileName(self, t("Write the ZIP"), self.file.text(), t("ZIP (*.zip)"))
        if name:
            self.file.setText(name if name.lower().endswith(".zip") else f"{name}.zip")

    def copy_password(self) -> None:
        """Copy the password."""
        copy_exactly(self.password.text())

    def write(self) -> Job:
        """Write the ZIP in the worker."""
        target = Path(self.file.text().strip()).expanduser()
        password = self.password.text() if self.locked.isChecked() else None
        release = self._release
        self.banner.hide()
        self.bar.show()
        job = self._tasks.run(
            "handover", lambda progress: hand_over(release, target, password=password, progress=progress)
        )
        self._job = job
        job.progressed.connect(lambda stage, done: self.bar.setValue(round(1000 * done)))
        job.done.connect(self._done)
        job.failed.connect(self._failed)
        job.stopped.connect(self._end)
        self._offer()
        return job

    def drop_work(self) -> None:
        if self._job is not None:
            self._job.drop()

    def _done(self, target: Path) -> None:
        self._end()
        self.banner.say("done", t("“{path}” is written.", path=target))
        self.close_button.setText(t("Close"))
        self.save.setEnabled(False)

    def _failed(self, text: str) -> None:
        self._end()
        self.banner.say("fault", text)

    def _end(self) -> None:
        self._job = None
        self.bar.hide()
        self._offer()


def _free(release: Path) -> Path:
    """Return a free name beside the release."""
    target, again = release.with_name(f"{release.name}.zip"), 2
    while target.exists():
        target, again = release.with_name(f"{release.name}-{again}.zip"), again + 1
    return target
