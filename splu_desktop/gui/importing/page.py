"""Import: open a table and see how it was read."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.resources import sample_path
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.models import Field, PreviewModel, RowsModel, TableView
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Session, Source, Step
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Busy, Empty, asked_file, button, emptied, label, margins, put
from splu_desktop.gui.base.words import beside, caption, number, size, t, told
from splu_desktop.gui.importing.ahead import get_ready
from splu_desktop.gui.importing.problem_list import ProblemList, tab_title
from splu_desktop.gui.importing.recent_files import recent_files
from splu_desktop.gui.importing.settings import names_of_settings

if TYPE_CHECKING:  # imported where a table is read: no window waits for it
    from splu_desktop.files.importer import ImportChoices, Imported
    from splu_desktop.gui.importing.dialog import ReadDialog

_RECENT = 4  # files that are offered on the first screen


def read_source(path: Path, choices: ImportChoices | None, progress: Progress, stage: str) -> Source:
    """Read a file and find the facts and suggested roles of its columns. Runs in a worker."""
    # Not above: brings NumPy, which the window that opens does without.
    from splu_desktop.core.roles.suggest import suggest_roles
    from splu_desktop.files import importer
    from splu_desktop.gui.base.facts import table_facts

    imported: Imported = importer.read(path, choices, progress=progress)
    facts = table_facts(imported.table, progress, stage)
    return Source(path, imported, suggest_roles(imported.table), facts)


@dataclass(frozen=True)
class _ReadingOf:
    """One line of "How it was read"."""

    what: str
    how: str
    why: str


class ImportPage(Page):
    """The first page."""

    step = Step.IMPORT

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.setAcceptDrops(True)
        self.set_title(t("Import"), t("Open the table that holds the sensitive data."))
        self._job: Job | None = None
        self._path: Path | None = None
        self._asked: dict[Path, ImportChoices | None] = {}

        well = Empty(
            "file-spreadsheet",
            t("Drop a table here"),
            t(
                "A CSV file or an Excel workbook, one row for each person or stay, with the columns' names in the first"
                " row. The file is only read; it is never changed."
            ),
        )
        self._well = QFrame()
        self._well.setProperty("look", "well")
        put(margins(QVBoxLayout(self._well), 0), well)
        self.open_button = button(t("&Choose a file…"), self.ask_file, look="primary", picture="folder-open")
        self.sample_button = button(t("Open the &sample hospital"), self.open_sample)
        for made in (self.open_button, self.sample_button):
            well.buttons.addWidget(made)
        self._start = QWidget()
        column = put(
            margins(QVBoxLayout(self._start), 0, spacing=8),
            label(t("Turn a sensitive table into one that you can hand out"), "strong", wrap=True),
            label(
                t(
                    "You open a table and say which columns are sensitive. Before anything is written you see what its"
                    " recipients can count, and what a row still tells about a person. In the table you hand out,"
                    " counts of many people stay right and counts of a few are hidden."
                ),
                "quiet",
                wrap=True,
            ),
        )
        column.addSpacing(4)
        column.addWidget(self._well, 1)
        self.recent = QWidget()
        self._recent_row = margins(QHBoxLayout(self.recent), 0, spacing=4)
        column.addWidget(self.recent)
        self.stack.addWidget(self._start)

        busy = Busy("", t("Cancel reading"))
        busy.cancelled.connect(self.cancel)
        self.use_busy(busy)
        self._build_content()
        self.refresh()

    def _build_content(self) -> None:
        row = margins(QHBoxLayout(), spacing=8)
        texts = margins(QVBoxLayout(), spacing=2)
        self.name = label("", "strong", selectable=True)
        self.summary = label("", "quiet", wrap=True, selectable=True, live=True)
        put(texts, self.name, self.summary)
        row.addLayout(texts, 1)
        change = button(t("Change how it is &read…"), self.change_reading, picture="sliders-horizontal")
        row.addWidget(change, 0, Qt.AlignmentFlag.AlignTop)
        again = button(t("&Choose another file…"), self.ask_file, picture="folder-open")
        row.addWidget(again, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(row)

        self.tabs = QTabWidget()
        self.tabs.tabBar().setDrawBase(False)  # one line below the tabs, none above
        self.preview_model = PreviewModel()
        self.preview = TableView(t("The first records as they were read"))
        self.preview.setModel(self.preview_model)
        self.preview.verticalHeader().show()
        self.preview.horizontalHeader().setStretchLastSection(False)
        self.tabs.addTab(self.preview, t("Firs&t records"))

        self.reading_model: RowsModel[_ReadingOf] = RowsModel(
            [
                Field(t("What"), lambda r: r.what),
                Field(t("How it was read"), lambda r: r.how),
                Field(t("Why"), lambda r: told(r.why), colour=lambda r: "quiet"),
            ]
        )
        self.reading = TableView(t("How the file was read"))
        self.reading.setModel(self.reading_model)
        self.tabs.addTab(self.reading, t("How it w&as read"))

        self.problems = ProblemList(self.tasks)
        self.problems.saved.connect(
            lambda name: self.banner.say("done", t("The list of problems was saved as “{name}”.", name=name))
        )
        self.problems.failed.connect(self.fault)
        self.tabs.addTab(self.problems, "")
        self.body.addWidget(self.tabs, 1)

    def ask_file(self) -> None:
        """Let the user choose a file, and read it."""
        kinds = t("Tables (*.csv *.tsv *.txt *.gz *.xlsx *.xls *.xlsb *.ods *.parquet *.sav *.dta *.sas7bdat)")
        start = str(self._path.parent) if self._path else ""
        path = asked_file(self, t("Open a table"), f"{kinds};;{t('All files (*)')}", start)
        if path is not None:
            self.open_file(path)

    def change_reading(self) -> ReadDialog | None:
        """Open the dialog that overrules how the open file is read."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.importer import ImportChoices
        from splu_desktop.gui.importing.dialog import ReadDialog

        source = self.session.source
        if source is None:
            return None
        asked = self._asked.get(source.path) or ImportChoices()
        path = source.path
        dialog = ReadDialog(path, asked, self.tasks, self)
        dialog.chosen.connect(lambda choices: self.open_file(path, choices))
        dialog.open()
        return dialog

    def open_sample(self) -> None:
        """Read the sample hospital's spreadsheet."""
        self.open_file(sample_path())

    def open_file(self, path: Path, choices: ImportChoices | None = None) -> Job:
        """Read a file in the worker; the newest request wins."""
        self._path = path
        self._asked[path] = choices
        stage = t("Looking at the columns")
        get_ready(self.tasks)
        job = self.tasks.run("import", lambda progress: read_source(path, choices, progress, stage))
        job.done.connect(self.session.open_source)
        self.follow(job, t("Reading “{name}”", name=path.name))
        return job

    def follow(self, job: Job, heading: str) -> None:
        """Show a job that will put a table into the session: its progress, and how it ends."""
        self.banner.hide()
        self._job = job
        if self.busy is not None:
            self.busy.begin(heading)
            self.show_part(self.busy)
            job.progressed.connect(self.busy.show_progress)
        self.set_primary(t("Continue"), False, "")
        job.done.connect(self._read)
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)

    def cancel(self) -> None:
        """Stop reading; what was open stays open."""
        if self._job is not None:
            self._job.cancel()

    def _read(self) -> None:
        self._job = None
        self.refresh()

    def _failed(self, text: str) -> None:
        self._job = None
        self.fault(text)
        self.refresh()

    def _stopped(self) -> None:
        self._job = None
        self.banner.say("note", t("Reading was cancelled; nothing was changed."))
        self.refresh()

    def act(self) -> None:
        self.session.confirm(Step.IMPORT)
        self.go.emit(Step.CLASSIFY)

    def refresh(self) -> None:
        if self._job is not None:
            return
        source = self.session.source
        if source is None:
            self._show_recent()
            self.show_part(self._start)
            self.set_primary(t("Continue"), False, t("Open a table to begin."))
            return
        self.show_part(None)
        imported = source.imported
        table = imported.table
        self.name.setText(imported.source.name)
        self.summary.setText(
            t(
                "{records} records, {columns} columns, {size}",
                records=number(table.n),
                columns=number(len(table.columns)),
                size=size(imported.source.size),
            )
        )
        if self.preview_model.table is not table:
            self.preview_model.show_table(table)
            self.preview.fit_columns(200)
            self.reading_model.show(self._readings(imported))
            self.reading.fit_columns(320, filling=2, least=300)
            self.problems.show_problems(imported.problems)
            found = len(imported.problems)
            self.tabs.setTabText(2, tab_title(found))
            self._offer_sheets(source.path, imported)
            if found and not self.banner.isVisible():
                # Not above: brings NumPy, which the window that opens does without.
                from splu_desktop.files.importer import ProblemKind

                misfit = t(
                    "Not everything in the file fitted; the tab Problems lists what and where ({count}).",
                    count=number(found),
                )
                noted = all(problem.kind is ProblemKind.NOTE for problem in imported.problems)
                self.banner.say(
                    "note" if noted else "warning",
                    told(imported.problems[0].sentence) if noted or found == 1 else misfit,
                    t("Show them"),
                    lambda: self.tabs.setCurrentIndex(2),
                )
        self.set_primary(t("Continue with {n} records", n=number(table.n)), True)

    def _show_recent(self) -> None:
        emptied(self._recent_row)
        latest = recent_files()[:_RECENT]
        self.recent.setVisible(bool(latest))
        self._recent_row.addWidget(label(t("Opened last:"), "quiet"))
        for path in latest:
            made = button(caption(path.name), partial(self.open_file, path), look="flat", hint=str(path))
            self._recent_row.addWidget(made)
        self._recent_row.addStretch(1)

    def _offer_sheets(self, path: Path, imported: Imported) -> None:
        """Offer to read all sheets with the same columns as one table, where only one of them was read."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.importer import ALL_SHEETS, ImportChoices, alike

        same = alike(imported.sheets) if imported.choices.sheets is None else ()
        if not same or self.banner.isVisible():
            return
        asked = self._asked.get(path) or ImportChoices()
        rest = sum(sheet.rows for sheet in same if not sheet.chosen)
        self.banner.say(
            "warning",
            t(
                "Only the sheet “{sheet}” was read; {rows} rows on other sheets with the same columns were not.",
                sheet=imported.choices.sheet,
                rows=number(rest),
            ),
            t("Read them as one table"),
            lambda: self.open_file(path, replace(asked, sheet=None, sheets=ALL_SHEETS, names=None)),
        )

    def _readings(self, imported: Imported) -> list[_ReadingOf]:
        chosen, why = imported.choices, imported.reasons
        names = {"\t": t("tab"), ",": t("comma"), ".": t("point"), ";": t("semicolon"), " ": t("blank")}
        lines = []
        for key, what in names_of_settings().items():
            value = getattr(chosen, key)
            if value is not None and (value != "" or key in why):
                lines.append(_ReadingOf(what, names.get(str(value), str(value)) or t("none"), why.get(key, "")))
        if chosen.sheets is not None:
            joined = beside(sheet.name for sheet in imported.sheets if sheet.chosen)
            lines.append(_ReadingOf(t("Sheets read as one table"), joined, why.get("sheets", "")))
        for old, new in chosen.renames.items():
            lines.append(_ReadingOf(t("Name of a column"), new, told(str(why.get(f"name of {new}", old)))))
        for token in imported.missing_tokens:
            if token.applied:
                what = t("Missing in “{column}”", column=token.column)
                how = t("“{token}” in {n} records", token=token.token or t("(empty)"), n=number(token.count))
                lines.append(_ReadingOf(what, how, token.reason))
        if imported.source.sha256:
            lines.append(_ReadingOf(t("Fingerprint (SHA-256)"), imported.source.sha256, ""))
        return lines

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()
            self._glow(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._glow(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._glow(False)
        path = Path(event.mimeData().urls()[0].toLocalFile())
        event.acceptProposedAction()
        self.open_file(path)

    def _glow(self, on: bool) -> None:
        self._well.setProperty("active", on)
        self._well.style().unpolish(self._well)
        self._well.style().polish(self._well)

    def help_text(self) -> str:
        return t(
            "<p>The table is read into memory. Nothing is changed, copied or sent anywhere.</p><p><b>What should I "
            "check?</b></p><p>That each row is one person or one stay, that the names of the columns stand in the "
            "header, and that accented letters and dates look right.</p><p>A wrong separator or encoding shows at once "
            "in the first records.</p><p>No table at hand? The sample hospital is invented; try everything with it.</p>"
        )
