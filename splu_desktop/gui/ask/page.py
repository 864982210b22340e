"""The page Ask: one number, a table, or a comparison; the answer first, with one sentence of trust."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QLineEdit, QStackedWidget, QTabBar, QVBoxLayout

from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.release.package import PasswordNeeded
from splu_desktop.files.release.reading import OpenRelease, open_release
from splu_desktop.gui.ask.asking import AskableRelease, open_for_asking
from splu_desktop.gui.ask.book_panel import BookPanel
from splu_desktop.gui.ask.compare_panel import ComparePanel
from splu_desktop.gui.ask.one_number import OneNumber
from splu_desktop.gui.ask.table_panel import TablePanel
from splu_desktop.gui.base.dialogs import RELEASES, asked_file
from splu_desktop.gui.base.page import Fold, Page
from splu_desktop.gui.base.parts import link
from splu_desktop.gui.base.session import Release, Step
from splu_desktop.gui.base.widgets import button, label, margins, put
from splu_desktop.gui.base.words import bare, t
from splu_desktop.gui.proposal.page_height import FillingBox

_CHANNEL = "ask file"


def read_release(path: Path, password: str | None, progress: Progress = SILENT) -> OpenRelease | None:
    """Return a release; None where it wants a password. Raises BadRelease; Cancelled."""
    try:
        return open_release(path, password=password, progress=progress)
    except PasswordNeeded:
        # A missing password is asked for; a wrong one is a fault, and is told.
        if password is not None:
            raise
        return None


class AskPage(Page):
    """Asks the release as its recipient would."""

    step, before = Step.ASK, Step.PUBLISH

    def build(self) -> None:
        self._release: Release | None = None
        row = margins(QHBoxLayout(), 0, spacing=12)
        self.name = label(t("Ask the release"), "title")
        self.tabs = QTabBar()
        self.tabs.setAccessibleName(t("Ask the release"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        for words in (t("One number"), t("A table"), t("Compare groups"), t("Table book")):
            self.tabs.addTab(words)
        self.another = link(t("Open a &release…"), self.ask_release)
        put(row, self.name, self.tabs, 1, self.another)
        self.head.addLayout(row)
        say = self.banner.say
        self.one, self.table = OneNumber(self.work, say), TablePanel(self.work, say)
        self.compare, self.book = ComparePanel(self.work, say), BookPanel(self.work, say)
        self.each = self.one, self.table, self.compare, self.book
        self.table.kept.connect(self.book.add)
        self.panels = QStackedWidget()
        self.fitted: list[FillingBox] = []
        for panel in self.each:
            room = FillingBox()
            margins(QVBoxLayout(room), 0).addWidget(panel)
            self.fitted.append(room)
            self.panels.addWidget(room)
        self.tabs.currentChanged.connect(self._show_panel)
        self.body.addWidget(self.panels, 1)
        self.clear = button(t("Clear"), self.one.clear)
        self.foot.insertWidget(1, self.clear, 0, Qt.AlignmentFlag.AlignVCenter)
        waits = t("Publish a table, or open a release.")
        self.use_empty("circle-question-mark", waits, t("Open a &release…"), self.ask_release)
        self.empty.buttons.addWidget(button(t("Publish"), lambda: self.go.emit(Step.PUBLISH)))
        self.use_busy(_CHANNEL)

    def apply_fold(self, fold: Fold) -> None:
        for panel in self.each:
            panel.fold(fold)
        least = {Fold.WIDE: (480, 300, 300, 300), Fold.MIDDLE: (350, 260, 300, 260), Fold.NARROW: (0, 0, 0, 0)}[fold]
        for room, height in zip(self.fitted, least, strict=True):
            room.set_least(height)
        self._show_panel(self.tabs.currentIndex())

    def _show_head(self) -> None:
        there = self.session.release is not None
        self.tabs.setVisible(there)
        self.another.setVisible(there and self.fold is Fold.WIDE)
        self.name.setVisible(self.fold is Fold.WIDE or not there)
        self.clear.setVisible(there and self.tabs.currentIndex() == 0)

    def _show_panel(self, at: int) -> None:
        self.panels.setCurrentIndex(at)
        self._show_head()

    # --- the session

    def refresh(self) -> None:
        release = self.session.release
        self._show_head()
        if release is None:
            self._release = None
            self.show_empty(t("Continue to the report"))
            return
        self.set_primary(
            t("Continue to the report"), True, t("Recipients get the same answers with splu_release.py or .R.")
        )
        if release is self._release:
            return
        self._release = release
        self.show_content()
        # Until this release is open the panels hold the one before, and would answer from it.
        self.panels.setEnabled(False)
        self.work.start(
            open_for_asking, release, on_done=self._take_release, on_exception=self.show_error, channel="open to ask"
        )

    def _take_release(self, opened: AskableRelease) -> None:
        """Ask a release, first for the first of the tables that had to come out."""
        self.panels.setEnabled(True)
        for panel in self.each:
            panel.show_release(opened)
        release = self._release
        questions = release.plan.questions if release is not None and release.plan is not None else ()
        first = questions[0] if questions else None
        if first is None or not {first.sa, *first.by} <= set(opened.columns):
            return
        self.table.ask_for(first.sa, first.by[:2])
        column = opened.published.table[first.sa]
        counts = column.counts()
        order = sorted(range(column.m), key=lambda at: (bool(column.missing[at]), -int(counts[at])))
        value = first.value or (str(column.labels[order[0]]) if order else None)  # one that many rows show
        self.compare.ask_for(first.sa, value, first.by)
        if value is not None:
            self.one.show_question((Condition(first.sa, (value,)),))

    # --- files

    def ask_release(self) -> None:
        """Let the user choose a release, and open it."""
        path = asked_file(self, t("Open a &release…"), RELEASES)
        if path is not None:
            self.open_release(path)

    def open_release(self, path: Path, password: str | None = None) -> None:
        """Open a release that lies in a folder or a ZIP."""

        def take(opened: OpenRelease | None) -> None:
            self.refresh()
            if opened is not None:
                self.session.take_release(Release(opened))
                return
            words = t("“{name}” is locked. Its password:", name=path.name)
            typed, given = QInputDialog.getText(self, bare(t("Open a &release…")), words, QLineEdit.EchoMode.Password)
            if given and typed:
                self.open_release(path, typed)

        self.work_on(t("Reading “{name}”", name=path.name), take, read_release, path, password, channel=_CHANNEL)

    # --- the page

    def act(self) -> None:
        self.session.confirm(Step.ASK)
        self.go.emit(Step.REPORT)
