"""Open: is this my table?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.resources import sample_path
from splu_desktop.gui.base.page import Fold, Page
from splu_desktop.gui.base.parts import Empty, link
from splu_desktop.gui.base.session import Choices, Step
from splu_desktop.gui.base.widgets import ElidedLabel, Picture, button, empty, label, margins, put
from splu_desktop.gui.base.words import bare, caption, number, t
from splu_desktop.gui.importing.recent_files import recent_files

if TYPE_CHECKING:
    from splu_desktop.files.importer import ImportChoices
    from splu_desktop.gui.base.models import TableView
    from splu_desktop.gui.base.source import Source
    from splu_desktop.gui.importing.dialog import ReadDialog
    from splu_desktop.gui.open.how_read import HowRead

_FIRST = 200  # rows that are shown
_RECENT = 4  # files that are offered on the first screen
CHANNEL = "open"
_OF_TABLE = "proposal", "verdict", "figures", "repair", "protect", "bounds", "systems"  # worked out from one


def _read(path: Path, choices: ImportChoices | None, progress: Progress = SILENT) -> tuple[Source, Choices, bool]:
    # NumPy, SciPy and the importer come in the worker: the first window is there before them.
    from splu_desktop.gui.open.reading import read_source

    return read_source(path, choices, progress)


class OpenPage(Page):
    """The first page."""

    step = Step.OPEN
    scrolls = False

    def build(self) -> None:
        self._asked: tuple[Path, ImportChoices | None] | None = None  # the file that was wanted last, and how
        self._build_start()
        self.use_busy(CHANNEL)
        top = margins(QHBoxLayout(), 0, spacing=8)
        words = margins(QVBoxLayout(), 0, spacing=2)
        self.name, self.summary = ElidedLabel("", "title"), label("", "quiet", wrap=True, live=True)
        put(words, self.name, self.summary)
        self.change = button(t("Change how it is &read…"), self.change_reading, picture="sliders-horizontal")
        self.another = button(t("&Open a table…"), self.ask_file, picture="folder-open")
        put(top, (words, 1), (self.change, 0, Qt.AlignmentFlag.AlignTop), (self.another, 0, Qt.AlignmentFlag.AlignTop))
        self.head.addLayout(top)
        self.result = QFrame()
        self.result.setProperty("look", "card")
        row = margins(QHBoxLayout(self.result), 12, 4, 8, 4, spacing=8)
        self.mark, self.done = Picture("circle-check", "answerable"), label("", wrap=True)
        self.more_mark, self.more = Picture("info", "quiet"), label("", "quiet", wrap=True)
        self.how = link(t("How it was read"), self.show_how)
        put(row, self.mark, (self.done, 3), self.more_mark, (self.more, 2), self.how)
        self.body.addWidget(self.result)
        self._shown: object = None  # the table of which rows are shown
        self.preview: TableView | None = None  # made with the first table

    def _build_start(self) -> None:
        self.start = QWidget()
        column = margins(QVBoxLayout(self.start), 0, 4, 0, 4, spacing=8)
        well = QFrame()
        well.setProperty("look", "well")
        inside = Empty("file-spreadsheet", t("Drop a table here, or open one"), t("Nothing leaves this computer."))
        self.open_button = button(t("&Open a table…"), self.ask_file, look="primary", picture="folder-open")
        self.sample_button = button(t("Open the &sample hospital"), lambda: self.open_file(sample_path()))
        put(inside.buttons, self.open_button, self.sample_button)
        put(margins(QVBoxLayout(well), 0), inside)
        self.recent = QWidget()
        self._recent_row = margins(QHBoxLayout(self.recent), 0, spacing=4)
        put(column, (well, 1), self.recent)
        self.stack.addWidget(self.start)

    def apply_fold(self, fold: Fold) -> None:
        self.change.setText(t("Change how it is &read…") if fold is Fold.WIDE else t("&Change…"))
        self._show_more()

    # --- what the user does

    def ask_file(self) -> None:
        """Let the user choose a file, and read it."""
        from splu_desktop.files.importer.columns.words import ENDINGS  # which takes NumPy along
        from splu_desktop.gui.base.dialogs import asked_file

        patterns = " ".join(f"*{ending}" for ending in ENDINGS)
        path = asked_file(self, t("&Open a table…"), patterns, str(self._asked[0].parent) if self._asked else "")
        if path is not None:
            self.open_file(path)

    def open_file(self, path: Path, choices: ImportChoices | None = None) -> None:
        """Read a file in the worker; the newest request wins."""
        self._asked = path, choices
        self.head_shown(False)
        self.work_on(t("Reading “{name}”", name=path.name), self._take_over, _read, path, choices, channel=CHANNEL)
        self.set_primary(t("Continue"), False)

    def change_reading(self, asked: tuple[Path, ImportChoices | None] | None = None) -> ReadDialog | None:
        """Open the dialog that overrules how a file is read: the open one, unless another is given."""
        source = self.session.source
        if asked is None and source is not None:
            asked = source.path, source.wishes
        if asked is None:
            return None
        path, wishes = asked
        # As in _read.
        from splu_desktop.gui.importing.dialog import ReadDialog

        dialog = ReadDialog(path, wishes, self.work, self)
        dialog.chosen.connect(lambda choices: self.open_file(path, choices))
        dialog.open()
        return dialog

    def show_how(self) -> HowRead | None:
        """Show how the file was read, and what did not fit, with row numbers."""
        source = self.session.source
        if source is None:
            return None
        # As in _read.
        from splu_desktop.gui.open.how_read import HowRead

        dialog = HowRead(source.reading, self.work, self)
        dialog.open()
        return dialog

    def act(self) -> None:
        self.session.confirm(Step.OPEN)
        self.go.emit(Step.QUESTIONS)

    def show_what_waits(self) -> None:
        self.open_button.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- what comes of it

    def _take_over(self, result: tuple[Source, Choices, bool]) -> None:
        source, choices, again = result
        for channel in _OF_TABLE:  # what comes of the table before belongs to no other
            self.work.drop(channel)
        self.session.open_source(source, choices)
        if again and self.banner.isHidden():  # a warning of what was not read counts more
            self.banner.say("note", t("Your answers of the last time are back; change what is different now."))

    def tell_end(self, kind: str, sentence: str) -> None:
        # It is the file that failed which may be read otherwise, and not the one that is open still.
        there = kind == "fault" and self._asked is not None and self._asked[0].is_file()
        act = bare(t("Change how it is &read…")) if there else ""
        self.banner.say(kind, sentence, act, partial(self.change_reading, self._asked))

    def head_shown(self, shown: bool) -> None:
        """Show or hide what stands above the content."""
        for part in (self.name, self.summary, self.change, self.another):
            part.setVisible(shown)

    def refresh(self) -> None:
        # Another change of the session must not put the table before over the reading.
        if self.work.busy(CHANNEL):
            return
        source = self.session.source
        self.head_shown(source is not None)
        if source is None:
            self._show_recent()
            self._show_part(self.start)
            self.set_primary(t("Continue"), False, t("Open a table first."))
            return
        self.show_content()
        table = source.table
        self.name.setText(source.name)
        self.summary.setText(
            t(
                "{rows} {rows:row|rows} and {columns} {columns:column|columns} were read. "
                "Look at the first rows: do they look as you know them?",
                rows=number(table.n),
                columns=number(len(table.columns)),
            )
        )
        self._tell_of(source)
        words = t("Continue with {n} {n:row|rows}", n=number(table.n))
        self.set_primary(words, True, t("The file stays as it is; it is never changed."))

    def _tell_of(self, source: Source) -> None:
        """Show how a table was read, and its first rows."""
        # As in _read.
        from splu_desktop.gui.base.models import TableView
        from splu_desktop.gui.open.reading import all_sheets, emptiest, reading_words

        if self.preview is None:
            self.preview = TableView(t("The first rows as they were read"))
            self.preview.verticalHeader().show()
            self.body.addWidget(self.preview, 1)
        words, changed = reading_words(source.reading)
        self.done.setText(words)
        self.mark.show_picture(*(("triangle-alert", "warning") if changed else ("circle-check", "answerable")))
        self.more.setText(emptiest(source))
        self._show_more()
        # Shown anew at every change, the table would scroll back and the message come again.
        if self._shown is source.table:
            return
        self._shown = source.table
        self.preview.show_table(source.table, _FIRST, 200)
        rest, choices = all_sheets(source.reading)
        if rest:
            self.banner.say(
                "warning",
                t("Not read: {rows} {rows:row|rows} of other sheets with the same columns.", rows=number(rest)),
                t("Read them as one table"),
                partial(self.open_file, source.path, choices),
            )

    def _show_more(self) -> None:
        for part in (self.more, self.more_mark):
            part.setVisible(bool(self.more.text()) and self.fold is Fold.WIDE)

    def _show_recent(self) -> None:
        empty(self._recent_row)
        latest = recent_files()[:_RECENT]
        self.recent.setVisible(bool(latest))
        self._recent_row.addWidget(label(t("Opened last:"), "quiet"))
        for path in latest:
            entry = button(caption(path.name), partial(self.open_file, path), look="flat", hint=str(path))
            entry.setMaximumWidth(200)
            self._recent_row.addWidget(entry)
        self._recent_row.addStretch(1)
