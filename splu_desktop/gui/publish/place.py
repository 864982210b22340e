"""Where a release goes, in which formats, and for whom: the inputs of the publish page."""

from __future__ import annotations

import importlib.util
import os
from datetime import date
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QGridLayout, QHBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.files.disk.settings import remember, remembered
from splu_desktop.files.disk.whole import check_name, check_new_file, check_new_folder
from splu_desktop.files.language import LANGUAGES
from splu_desktop.files.release.handover import check_password, new_password
from splu_desktop.gui.base.languages import in_force
from splu_desktop.gui.base.widgets import Card, Choice, button, label, line_edit, margins, new_grid, restyle
from splu_desktop.gui.base.words import t, tip, told

_SECTION, _LANGUAGE = "publish", "language"


class PlaceCard(Card):
    """Folder, name, formats, packing, purpose, recipient, and the language of what the recipient reads."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", spacing=8, parent=parent)
        self.body.addWidget(label(t("Where to, and for whom"), "strong"))
        grid = new_grid(12, 8)
        self.folder = line_edit(t("Folder that the release is written into"))
        self.name = line_edit(t("Name of the release"))
        self.recipient = line_edit(t("Recipient"), t("who gets it; kept in your register of releases"))
        self.purpose = line_edit(t("Purpose"), t("what for; kept in your register of releases"))
        for row, (text, edit) in enumerate(
            (
                (t("In the fo&lder"), self.folder),
                (t("&Name of the release"), self.name),
                (t("Rec&ipient"), self.recipient),
                (t("Pur&pose"), self.purpose),
            )
        ):
            caption = label(text)
            caption.setBuddy(edit)
            edit.textChanged.connect(self._edited)
            grid.addWidget(caption, row, 0)
            grid.addWidget(edit, row, 1)
        grid.addWidget(button(t("&Choose…"), self.ask_folder, picture="folder-open"), 0, 2)
        grid.addWidget(label(t("Formats")), 4, 0)
        grid.addLayout(self._build_formats(), 4, 1, 1, 2)
        self._build_language(grid, 5)
        self._build_password(grid, 6)
        self.body.addLayout(grid)
        self.note = label("", "quiet", wrap=True, live=True)
        self.body.addWidget(self.note)

    def _build_formats(self) -> QHBoxLayout:
        row = margins(QHBoxLayout(), spacing=16)
        self.csv = QCheckBox(t("CSV"))
        self.csv.setChecked(True)
        self.csv.setEnabled(False)
        tip(self.csv, t("Always written, since it is what every program reads"))
        self.xlsx = QCheckBox(t("Excel w&orkbook"))
        self.parquet = QCheckBox(t("Par&quet"))
        self.parquet.setVisible(importlib.util.find_spec("pyarrow") is not None)
        self.packed = QCheckBox(t("One &ZIP file"))
        for box in (self.csv, self.xlsx, self.parquet, self.packed):
            row.addWidget(box)
            box.toggled.connect(self._edited)
        row.addStretch(1)
        return row

    def _build_language(self, grid: QGridLayout, at: int) -> None:
        self.language = Choice(t("Language of README.txt and dictionary.csv"))
        known = ((name, code) for code, name in LANGUAGES.items())
        self.language.offer(known, remembered(_SECTION).get(_LANGUAGE, in_force()))
        tip(self.language, t("Language of README.txt and dictionary.csv, which explain the table"))
        self.language.activated.connect(lambda: remember(_SECTION, {**remembered(_SECTION), _LANGUAGE: self.spoken()}))
        caption = label(t("Explained in"))
        tip(caption, self.language.toolTip())
        grid.addWidget(caption, at, 0)
        grid.addWidget(self.language, at, 1)

    def _build_password(self, grid: QGridLayout, at: int) -> None:
        self.password = line_edit(t("Password of the ZIP file"), t("none: anyone can open the file"))
        self.password.setMaxLength(200)
        caption = label(t("Pass&word"))
        caption.setBuddy(self.password)
        self.propose_password = button(t("Propo&se one"), self._propose_password, picture="lock")
        tip(self.propose_password, t("Tell it to the recipient by another way than the file"))
        self.password.textChanged.connect(self._edited)
        for column, part in enumerate((caption, self.password, self.propose_password)):
            grid.addWidget(part, at, column)
            part.setVisible(False)
            self.packed.toggled.connect(part.setVisible)
        self.packed.toggled.connect(self._lock)

    def _lock(self, on: bool) -> None:
        """Lock a ZIP unless the user decides otherwise: an empty password is his choice."""
        if on and not self.password.text():
            self.password.setText(new_password())

    def _propose_password(self) -> None:
        self.password.setText(new_password())
        self.password.selectAll()
        self.password.setFocus()

    def _edited(self) -> None:
        self.show_note()
        self.changed.emit()

    def target(self) -> Path:
        """Return the folder or ZIP file that would be written."""
        name = self.name.text().strip()
        if self.packed.isChecked() and not name.lower().endswith(".zip"):
            name += ".zip"
        return Path(self.folder.text().strip()).expanduser() / name

    def set_target(self, folder: Path) -> None:
        """Name the folder to write."""
        self.folder.setText(str(folder.parent))
        self.name.setText(folder.name)

    def formats(self) -> tuple[str, ...]:
        """Return the formats chosen."""
        chosen = (("csv", True), ("xlsx", self.xlsx.isChecked()), ("parquet", self.parquet.isChecked()))
        return tuple(name for name, on in chosen if on)

    def spoken(self) -> str:
        """Return the code of the language of what the recipient reads."""
        return str(self.language.currentData())

    def zip_password(self) -> str | None:
        """Return the password of the ZIP file, None for none."""
        return self.password.text() or None if self.packed.isChecked() else None

    def propose(self, source: Path) -> None:
        """Fill in a folder and a name that is still free."""
        parent = source.resolve().parent
        documents = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        # The sample lies inside the program's own folder, where no release belongs.
        if parent.name == "resources" or not os.access(parent, os.W_OK):
            parent = documents if documents.is_dir() else Path.home()
        base = f"{source.name.split('.')[0]}-release-{date.today().isoformat()}"
        name, again = base, 2
        while (parent / name).exists() or (parent / f"{name}.zip").exists():
            name, again = f"{base}-{again}", again + 1
        self.set_target(parent / name)

    def problem(self) -> str:
        """Return what is wrong with the place, in words; "" where nothing is."""
        folder, name = self.folder.text().strip(), self.name.text().strip()
        if not folder or not name:
            return t("Name a folder for the release.")
        target = self.target()
        if name in (".", "..") or Path(name).name != name or target.parent != Path(folder).expanduser():
            return t("The name of the release must be a plain name, without / or \\.")
        try:
            check_password(self.zip_password())
            check_name(target)
            (check_new_file if self.packed.isChecked() else check_new_folder)(target)
        except SpluError as fault:
            return told(str(fault))
        except (OSError, ValueError):
            return t("“{folder}” can't be used; choose another folder.", folder=folder)
        return ""

    def show_note(self) -> None:
        """Say what would be written, or what is wrong with the place."""
        problem = self.problem()
        self.note.setText(problem or t("Will be written: {path}", path=self.target()))
        restyle(self.note, "problem" if problem else "quiet")

    def ask_folder(self) -> None:
        """Let the user choose the folder above the release."""
        name = QFileDialog.getExistingDirectory(self, t("Choose a folder"), self.folder.text())
        if name:
            self.folder.setText(name)
