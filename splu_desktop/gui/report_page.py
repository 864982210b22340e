"""Report: the facts of the release, to read, copy and save."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QTextBrowser

from splu_desktop.core.errors import SpluError
from splu_desktop.files.whole import whole_file
from splu_desktop.gui import theme
from splu_desktop.gui.page import Page
from splu_desktop.gui.report_content import as_html, as_text, sections
from splu_desktop.gui.session import Release, Session, Step
from splu_desktop.gui.tasks import Tasks
from splu_desktop.gui.widgets import Empty, button


class ReportPage(Page):
    """The sixth page."""

    step = Step.REPORT

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(self.tr("Report"), self.tr("What was released, with which promise, and how to check it."))
        empty = Empty(
            "file-text",
            self.tr("No release to report on"),
            self.tr("Publish a table, or open a release. Its facts then stand here, to be read, copied and saved."),
        )
        empty.buttons.addWidget(
            button(self.tr("&Publish"), lambda: self.go.emit(Step.PUBLISH), look="primary", picture="package-check")
        )
        self.use_empty(empty)
        self.stale_panel = Empty(
            "refresh-cw",
            self.tr("The report is out of date"),
            self.tr("Table, roles or group sizes have changed since the release was published."),
        )
        self.stale_panel.buttons.addWidget(
            button(self.tr("&Publish again"), lambda: self.go.emit(Step.PUBLISH), look="primary")
        )
        self.stale_panel.buttons.addWidget(
            button(self.tr("&Undo the change"), self.session.undo_stack.undo, picture="undo-2")
        )
        self.stack.addWidget(self.stale_panel)
        self.view = QTextBrowser()
        self.view.setOpenLinks(False)
        self.view.setAccessibleName(self.tr("Report"))
        self.view.document().setDocumentMargin(16)
        self.body.addWidget(self.view, 1)
        row = QHBoxLayout()
        self.copy_button = button(self.tr("&Copy as text"), self.copy, picture="copy")
        row.addWidget(self.copy_button)
        row.addStretch(1)
        self.body.addLayout(row)
        self._shown: Release | None = None
        self.refresh()

    def _title(self, release: Release) -> str:
        return self.tr("Release “{name}”").format(name=release.folder.name)

    def copy(self) -> None:
        """Copy the report as text."""
        release = self.session.release
        if release is not None:
            QGuiApplication.clipboard().setText(as_text(self._title(release), sections(release)))

    def act(self) -> None:
        release = self.session.release
        if release is None:
            return
        start = release.folder.parent / f"{release.folder.name}-report.html"
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save the report"), str(start), self.tr("Web page (*.html);;Text (*.txt)")
        )
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Write the report, as text or HTML by the file's ending, whole or not at all."""
        release = self.session.release
        if release is None:
            return
        parts, title = sections(release), self._title(release)
        text = as_text(title, parts) if path.suffix.lower() == ".txt" else as_html(title, parts)
        try:
            with whole_file(path, overwrite=True) as partial:
                partial.write_text(text, encoding="utf-8")
        except SpluError as fault:
            self.fault(str(fault))
            return
        self.banner.say("done", self.tr("The report was saved as “{path}”.").format(path=path))
        self.session.confirm(Step.REPORT)

    def refresh(self) -> None:
        release = self.session.release
        if release is None:
            self._shown = None
            self.show_part(self.stale_panel if self.session.stale else self.empty)
            self.set_primary(self.tr("Save the report…"), False, "")
            return
        self.show_part(None)
        self.set_primary(self.tr("Save the report…"), True)
        if release is not self._shown:
            self._shown = release
            self._render()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and getattr(self, "_shown", None) is not None:
            self._render()

    def _render(self) -> None:
        if self._shown is not None:
            c = theme.colours()
            parts = sections(self._shown)
            self.view.setHtml(as_html(self._title(self._shown), parts, ink=c.text, quiet=c.quiet, line=c.line))

    def help_text(self) -> str:
        return self.tr(
            "<p>The report tells what was released, from what, with which promise, and how anyone can check that the"
            " files are still the same.</p>"
            "<p><b>SHA-256</b> is a fingerprint of a file: if one letter changes, the fingerprint does.</p>"
            "<p>The part about the source is for your own records. It stands in no file of the release.</p>"
        )
