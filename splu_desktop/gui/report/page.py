"""Report: fill in the cover, look at the report as it will be, and save it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QPalette, QTextDocument, QTextOption
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QStackedWidget, QTextBrowser

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Release, Session, Step
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Busy, Empty, button, copy_text, margins, put
from splu_desktop.gui.base.words import t
from splu_desktop.gui.report.fields import ReportFields
from splu_desktop.gui.report.work import ReportFigures, ReportPreview, figures, preview, write
from splu_desktop.report.make import ENDINGS
from splu_desktop.report.model import Alternative


class ReportPage(Page):
    """The sixth page."""

    step = Step.REPORT

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(t("Report"), t("What was released, with which promise, to read, check and sign."))
        empty = Empty(
            "file-text",
            t("No release to report on"),
            t("Publish a table, or open a release. Its report can then be read here, filled in and saved."),
        )
        empty.buttons.addWidget(
            button(t("&Publish"), lambda: self.go.emit(Step.PUBLISH), look="primary", picture="package-check")
        )
        self.use_empty(empty)
        self._build_stale()
        saving = Busy("", t("Cancel; nothing will be written"))
        saving.cancelled.connect(self._cancel_saving)
        self.use_busy(saving)
        self._release: Release | None = None
        self._beside: tuple[Alternative, ...] = ()  # of the comparison that the figures are made with
        self._figures: dict[bool, ReportFigures] = {}  # by edition: whether internal
        self._saving: Job | None = None
        self._saved: Path | None = None
        self._build()
        self.refresh()

    def _build_stale(self) -> None:
        self.stale_panel = Empty(
            "refresh-cw",
            t("The report is out of date"),
            t("Table, roles or group sizes have changed since the release was published."),
        )
        put(
            self.stale_panel.buttons,
            button(t("&Publish again"), lambda: self.go.emit(Step.PUBLISH), look="primary"),
            button(t("&Undo the change"), self.session.undo_stack.undo, picture="undo-2"),
        )
        self.stack.addWidget(self.stale_panel)

    def _build(self) -> None:
        row = margins(QHBoxLayout(), spacing=12)
        self.form = ReportFields()
        self.form.changed.connect(self._show_preview)
        self.form.edition_changed.connect(self._edition_changed)
        row.addWidget(self.form, 2)
        self.preview_stack = QStackedWidget()
        self.computing = Busy("", t("Cancel"))
        self.computing.cancelled.connect(self._cancel_computing)
        self.waiting = Empty("file-text", t("No preview yet"), t("Its figures have not been computed."))
        self.waiting.buttons.addWidget(button(t("Compute the &figures"), self._compute, picture="refresh-cw"))
        self.view = QTextBrowser()
        self.view.setOpenLinks(False)
        self.view.setAccessibleName(t("Report"))
        self.view.document().setDocumentMargin(20)
        # A SHA-256 has no place to break at, and would push the page wider than the window.
        self.view.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        # All fits in the end; a long report is laid out bit by bit, and a bar would come and go beneath it.
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._paint_white()
        for part in (self.view, self.computing, self.waiting):
            self.preview_stack.addWidget(part)
        row.addWidget(self.preview_stack, 5)
        self.body.addLayout(row, 1)
        self.copy_button = button(t("Cop&y as text"), self.copy, look="flat", picture="copy")
        self.open_button = button(t("&Open it"), self._open_saved, look="flat", picture="folder-open")
        self.open_button.hide()
        self.foot.insertWidget(1, self.open_button)
        self.foot.insertWidget(1, self.copy_button)
        self._computing: Job | None = None

    def _paint_white(self) -> None:
        # The preview is paper: black on white in either scheme, as it will be printed.
        light = theme.LIGHT
        palette = QPalette(self.view.palette())
        for role, colour in (
            (QPalette.ColorRole.Base, light.card),
            (QPalette.ColorRole.Text, light.text),
            (QPalette.ColorRole.WindowText, light.text),
        ):
            palette.setColor(role, QColor(colour))
        self.view.setPalette(palette)
        self.view.setStyleSheet(f"QTextBrowser {{ background: {light.card}; color: {light.text}; }}")

    # -- what the user does --------------------------------------------------------------------------------------

    def act(self) -> None:
        release = self.session.release
        if release is None:
            return
        edition = "internal" if self.form.internal.isChecked() else "external"
        start = release.folder.parent / f"{release.folder.stem}-report-{edition}.pdf"
        kinds = (
            (t("PDF document"), "pdf"),
            (t("Web page"), "html"),
            (t("Excel workbook"), "xlsx"),
            (t("JSON, for checking"), "json"),
        )
        name, chosen = QFileDialog.getSaveFileName(
            self, t("Save the report"), str(start), ";;".join(f"{words} (*.{end})" for words, end in kinds)
        )
        if name:
            path = Path(name)
            if path.suffix.lower() not in ENDINGS:
                path = Path(f"{name}.{next((end for _, end in kinds if f'*.{end}' in chosen), 'pdf')}")
            self.save(path)

    def save(self, path: Path) -> Job | None:
        """Write the report in the worker, as the file's ending says, whole or not at all."""
        internal = self.form.internal.isChecked()
        release, found = self._release, self._figures.get(internal)
        if release is None or found is None or self._saving is not None:
            return None
        self.banner.hide()
        self.form.keep()
        report = found.edition(self.form.fields(), internal=internal)
        language, paper = self.form.language_code(), self.form.paper_size()
        assert self.busy is not None
        self.busy.begin(t("Writing “{name}”", name=path.name))
        self.show_part(self.busy)
        job = self.tasks.run("report-save", lambda progress: write(report, path, language, paper, progress))
        self._saving = job
        self._offer()
        job.progressed.connect(self.busy.show_progress)
        job.done.connect(self._written)
        job.failed.connect(self._not_written)
        job.stopped.connect(lambda: self._not_written(""))
        return job

    def copy(self) -> None:
        """Copy the report as it is seen."""
        copy_text(self.view.toPlainText())

    def _open_saved(self) -> None:
        if self._saved is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._saved)))

    def _cancel_saving(self) -> None:
        if self._saving is not None:
            self._saving.cancel()

    def _cancel_computing(self) -> None:
        if self._computing is not None:
            self._computing.cancel()

    # -- computing and showing -----------------------------------------------------------------------------------

    def refresh(self) -> None:
        release, beside = self.session.release, self.session.alternatives
        if release is not self._release or beside != self._beside:
            self._release, self._beside = release, beside
            self._figures = {}
            self.form.stop()
            for channel in ("report", "report-preview"):
                self.tasks.drop(channel)
            self._computing = None
            self.view.clear()
            self.open_button.hide()
            self.form.offer_internal(release is not None and release.made_from is not None)
            if release is not None:
                self._compute()
        if self._saving is None:
            if release is None:
                self.show_part(self.stale_panel if self.session.stale else self.empty)
            else:
                self.show_part(None)
        self._offer()

    def _offer(self) -> None:
        ready = self.form.internal.isChecked() in self._figures and self._saving is None
        words = t("Save the report…")
        self.set_primary(words, ready and self._release is not None, "")
        self.copy_button.setVisible(self._release is not None)
        self.copy_button.setEnabled(ready)

    def _edition_changed(self) -> None:
        if self.form.internal.isChecked() in self._figures:
            self._show_preview()
        else:
            self._compute()
        self._offer()

    def _compute(self) -> None:
        """Compute the figures of the edition chosen, in the worker."""
        release, internal = self._release, self.form.internal.isChecked()
        if release is None:
            return
        self.banner.hide()
        self.computing.begin(t("Computing the figures of the report"))
        self.preview_stack.setCurrentWidget(self.computing)
        beside = self._beside
        job = self.tasks.run("report", lambda progress: figures(release, beside, progress, internal=internal))
        self._computing = job
        job.progressed.connect(self.computing.show_progress)
        job.done.connect(partial(self._computed, release, internal))
        job.failed.connect(self._not_computed)
        job.stopped.connect(lambda: self._not_computed(""))

    def _computed(self, release: Release, internal: bool, found: ReportFigures) -> None:
        if release is not self._release:
            return
        self._computing = None
        # The internal figures hold the external ones.
        for edition in {internal, False}:
            self._figures[edition] = found
        self.form.suggest(found.typed)
        self._show_preview()
        self._offer()

    def _not_computed(self, text: str) -> None:
        self._computing = None
        self.preview_stack.setCurrentWidget(self.waiting)
        if text:
            self.fault(text)

    def _show_preview(self) -> None:
        internal = self.form.internal.isChecked()
        found, release = self._figures.get(internal), self._release
        if found is None or release is None:
            return
        report, language = found.edition(self.form.fields(), internal=internal), self.form.language_code()
        job = self.tasks.run("report-preview", lambda progress: preview(report, language, progress))
        job.done.connect(partial(self._previewed, release))
        job.failed.connect(self._not_computed)

    def _previewed(self, release: Release, made: ReportPreview) -> None:
        if release is not self._release:
            return
        at = self.view.verticalScrollBar().value()
        self.view.clear()
        for name, image in made.pictures.items():
            self.view.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
        self.view.setHtml(made.html)
        self.view.verticalScrollBar().setValue(at)
        if self._computing is None:
            self.preview_stack.setCurrentWidget(self.view)

    def _written(self, path: Path) -> None:
        self._saving = None
        self._saved = path
        self.open_button.show()
        self.session.confirm(Step.REPORT)
        self.refresh()
        self.banner.say("done", t("The report was saved as “{path}”.", path=path))

    def _not_written(self, text: str) -> None:
        self._saving = None
        self.refresh()
        if text:
            self.fault(text)
        else:
            self.banner.say("note", t("Saving was cancelled; nothing was written."))

    def help_text(self) -> str:
        return t(
            "<p>The report tells what was released, from what, with which promise, and how anyone can check that the "
            "files are still the same.</p><p><b>External</b>: follows from the release alone; you may hand it out with "
            "it.</p><p><b>Internal</b>: adds true counts and measured errors, for your own records and your reviewer. "
            "Never hand it out.</p><p><b>SHA-256</b> is a fingerprint of a file: if one letter changes, the "
            "fingerprint does.</p><p><b>What should I choose?</b></p><p>Save both editions as PDF: sign and keep the "
            "internal one, send the external one with the release.</p>"
        )
