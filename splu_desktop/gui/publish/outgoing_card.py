"""What goes out: to whom, what for, until when; name, folder, form; and what the folder holds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QLineEdit, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.files.disk.whole_files import check_name
from splu_desktop.files.release.dictionary import DICTIONARY_NAME
from splu_desktop.files.release.facts import TABLE_NAME
from splu_desktop.files.release.readme import README_NAME
from splu_desktop.files.release.score_columns import SCORES_NAME
from splu_desktop.gui.base.messages import rows_of
from splu_desktop.gui.base.page import KEPT
from splu_desktop.gui.base.parts import Card, line_of, link
from splu_desktop.gui.base.widgets import ElidedLabel, Picture, Rule, button, label, line_edit, make_grid, margins, put
from splu_desktop.gui.base.words import bare, date_words, join, t, translate

_SECTION, _FOLDER = "publish", "folder"
_LONGEST = 120  # letters of a name
_REPLACED = dict.fromkeys(map(ord, '<>:"|?*\\'), "-")  # what Windows allows in no name, as `check_name` says


class OutgoingCard(Card):
    """Signals: `changed` (name, folder or form), `answers_wanted`."""

    changed = Signal()
    answers_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(t("What goes out"), 14, 10, spacing=6)
        self._proposed = ""
        grid = make_grid(16, 5, filling=1)
        self.to, self.purpose, self.until = (ElidedLabel() for _ in range(3))
        for at, (name, field) in enumerate(((t("To"), self.to), (t("For"), self.purpose), (t("Until"), self.until))):
            grid.addWidget(label(name, "quiet"), at, 0)
            grid.addWidget(field, at, 1)
        grid.addWidget(link(t("Change the answers"), self.answers_wanted.emit), 3, 1, Qt.AlignmentFlag.AlignLeft)
        self.body.addLayout(grid)
        self.name = line_edit(t("Name of the release"))
        self.name.setMaxLength(_LONGEST)
        self.folder = line_edit(t("In the folder"))
        self.choose = button(t("Choose…"), self._choose)
        self.choose.setAccessibleName(join((bare(t("Choose…")), t("In the folder")), ":"))
        put(self.body, label(t("Name of the release"), "quiet"), self.name, label(t("In the folder"), "quiet"))
        self.body.addLayout(put(margins(QHBoxLayout(), 0, spacing=8), (self.folder, 1), self.choose))
        put(self.body, Rule(), label(t("The folder holds"), "strong"))
        self.files = make_grid(8, 5, filling=2)
        self.table_words = label("", "quiet", wrap=True)
        self._add_file(0, "file-spreadsheet", TABLE_NAME, self.table_words)
        for at, (picture, name, words) in enumerate(
            (
                ("file-spreadsheet", SCORES_NAME, t("the same rows, as numbers to add up")),
                ("file-text", README_NAME, t("one page for the researcher")),
                ("file-text", DICTIONARY_NAME, t("names, units, groups")),
                ("download", "splu_release.py, .R", t("read the counts with their ranges")),
            )
        ):
            self._add_file(at + 1, picture, name, label(words, "quiet", wrap=True))
        self.body.addLayout(self.files)
        self.workbook, self.packed = QCheckBox(t("also as Excel workbook")), QCheckBox(t("one ZIP file"))
        self.body.addLayout(put(margins(QHBoxLayout(), 0, spacing=8), self.workbook, self.packed, 1))
        put(self.body, 1, line_of("info", "quiet", t("What is handed out can’t be called back.")))
        for tick in (self.workbook, self.packed):
            tick.setProperty(KEPT, True)
        for edit in (self.name, self.folder):
            edit.textChanged.connect(lambda: self.changed.emit())
        self.packed.toggled.connect(lambda: self.changed.emit())
        kept = read_section(_SECTION).get(_FOLDER)
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        self.folder.setText(str(kept or Path(documents) / "Releases"))

    def _add_file(self, row: int, picture: str, name: str, words: QWidget) -> None:
        self.files.addWidget(Picture(picture, "quiet", 15), row, 0)
        self.files.addWidget(label(name), row, 1)
        self.files.addWidget(words, row, 2)

    def hold(self, on: bool) -> None:
        """Let nobody change what was published."""
        for part in (self.name, self.folder, self.choose, self.workbook, self.packed):
            part.setEnabled(not on)

    def show_plan(self, plan: Plan, rows: int) -> None:
        """Show whom a plan is for, and the size of its table."""
        who = plan.audience
        fields = (self.to, who.recipient), (self.purpose, who.purpose), (self.until, date_words(who.until))
        for field, words in fields:
            field.setText(words.strip() or (t("nobody named yet") if field is self.to else t("not said")))
        columns = len(plan.nsas) + len(plan.sensitive)
        self.table_words.setText(t("{rows}, {n} {n:column|columns}", rows=rows_of(rows, plan), n=columns))

    def take_form(self, entries: Mapping[str, Any]) -> None:
        """Show the form of the release that a recipe asks for."""
        self.workbook.setChecked(bool(entries.get("xlsx")))
        self.packed.setChecked(bool(entries.get("zip")))

    def propose_name(self, stem: str, *, anew: bool) -> None:
        """Propose a name: `anew` for another table, else where a release has the proposed one by now."""
        if not anew and (self.name.text() != self._proposed or not self.target.exists()):
            return
        # Cut before the day and the number, which tell releases of one table apart.
        name = f"{stem.translate(_REPLACED)[: _LONGEST - 20]}-{date.today().isoformat()}"
        taken, at = name, 2
        while self._target(taken).exists() or self._target(f"{taken}.zip").exists():
            taken, at = f"{name}-{at}", at + 1
        self._proposed = taken
        self.name.setText(taken)

    @property
    def target(self) -> Path:
        """The folder or ZIP to be made."""
        target = self._target(self.name.text().strip())
        return target.with_name(f"{target.name}.zip") if self.packed.isChecked() else target

    def _target(self, name: str) -> Path:
        return Path(self.folder.text().strip()).expanduser() / (name or "release")

    def problem(self) -> str:
        """Return what is wrong with name or folder, "" for nothing."""
        name = self.name.text().strip()
        if not name or name != Path(name).name or name in (".", ".."):
            return t("Give the release a name without slashes.")
        if not self.target.is_absolute():  # nobody knows which folder the program was started in
            return t("Choose a folder for the release.")
        if self.target.exists():
            return t("There is a release of this name already; choose another name.")
        try:
            check_name(self.target)
        except SpluError as fault:
            return translate(str(fault))
        return ""

    def first_wrong(self) -> QLineEdit:
        """Return the field that the problem is about."""
        return self.name if self.target.is_absolute() else self.folder

    def keep_folder(self) -> None:
        """Make the folder, and propose it the next time."""
        Path(self.folder.text().strip()).expanduser().mkdir(parents=True, exist_ok=True)
        remember(_SECTION, {**read_section(_SECTION), _FOLDER: self.folder.text().strip()})

    def _choose(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, t("In the folder"), self.folder.text())
        if chosen:
            self.folder.setText(chosen)
            self.folder.setModified(True)
