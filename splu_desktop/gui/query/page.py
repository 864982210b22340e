"""Query: ask a release for counts, with honest error bars. Needs nothing but the release."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QMenu

from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Release, Session, State, Step
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Busy, Empty, asked_file, button, put
from splu_desktop.gui.base.words import plain, t
from splu_desktop.gui.query.analyse.tab import AnalysisTab
from splu_desktop.gui.query.crosstab.tab import CrosstabTab
from splu_desktop.gui.query.many import ManyTab
from splu_desktop.gui.query.question import QuestionTab
from splu_desktop.gui.query.tab import Tab
from splu_desktop.gui.query.ways import Ways
from splu_desktop.gui.query.work import Asker, Locked, open_release
from splu_desktop.gui.query.workload import WorkloadTab

_ONE, _CROSSTAB, _ANALYSES, _MANY, _WORKLOAD = range(5)  # places of the tabs
QUESTION_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx")
_AROUND = 120  # pixels of a button around its words, and of the page around it


class QueryPage(Page):
    """The fifth page."""

    step = Step.QUERY

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(t("Query"), t("Ask the release for counts. Each answer says how far it can be trusted."))
        self.setAcceptDrops(True)
        empty = Empty(
            "search",
            t("No release is open"),
            t(
                "Publish a table, or open a release that you were given: its folder or its ZIP file. You need nothing"
                " else. You can also drop it here."
            ),
        )
        put(
            empty.buttons,
            button(t("&Open a release…"), self.ask_release, look="primary", picture="folder-open"),
            button(t("Open a &ZIP file…"), self.ask_zip, picture="package-check"),
        )
        self.use_empty(empty)
        self._build_stale()
        busy = Busy("", t("Cancel opening"))
        busy.cancelled.connect(self._cancel_opening)
        self.use_busy(busy)
        self._opening: Job | None = None
        self._asker: Asker | None = None
        self._build()
        self.refresh()

    def _build_stale(self) -> None:
        self.stale_panel = Empty(
            "refresh-cw",
            t("The release is out of date"),
            t(
                "Table, roles or group sizes have changed since it was published, so its answers were dropped here. The"
                " folder itself stays as it is."
            ),
        )
        for made in (
            button(t("&Publish again"), lambda: self.go.emit(Step.PUBLISH), look="primary"),
            button(t("&Undo the change"), self.session.undo_stack.undo, picture="undo-2"),
            button(t("&Open it as it is"), self._open_dropped),
        ):
            self.stale_panel.buttons.addWidget(made)
        self.stack.addWidget(self.stale_panel)

    def _build(self) -> None:
        self.tabs = Ways(
            (
                (t("One &question"), lambda: QuestionTab(self.tasks)),
                (t("C&ross-table"), lambda: CrosstabTab(self.tasks)),
                (t("Analyses"), lambda: AnalysisTab(self.tasks)),
                (t("&Many questions"), lambda: ManyTab(self.tasks)),
                (t("Meas&ured accuracy"), lambda: WorkloadTab(self.tasks)),
            )
        )
        self.tabs.setAccessibleName(t("Ways of asking"))
        self.tabs.made.connect(self._made)
        self.tabs.turned.connect(self._tab_changed)
        self.open_button = button(t("&Open a release…"), lambda: None, look="flat", picture="folder-open")
        menu = QMenu(self.open_button)
        menu.addAction(t("A &folder…")).triggered.connect(lambda: self.ask_release())
        menu.addAction(t("A &ZIP file…")).triggered.connect(lambda: self.ask_zip())
        self.open_button.setMenu(menu)
        self.tabs.setCornerWidget(self.open_button)
        self.body.addWidget(self.tabs, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Where there is little room every tab is in sight, and the button beside them is told by its picture.
        tabs, words = self.tabs.tabBar().sizeHint().width(), t("&Open a release…")
        asked = tabs + self.open_button.fontMetrics().horizontalAdvance(words) + _AROUND
        # Not by the tabs' own width: they are laid out after this.
        self.open_button.setText(words if asked <= event.size().width() else "")
        self.open_button.setAccessibleName(words.replace("&", ""))

    # -- the ways of asking, imported and made when they are first wanted -----------------------------------------

    @property
    def one(self) -> QuestionTab:
        """One question at a time."""
        return cast("QuestionTab", self.tabs.way(_ONE))

    @property
    def crosstab(self) -> CrosstabTab:
        """A cross-table."""
        return cast("CrosstabTab", self.tabs.way(_CROSSTAB))

    @property
    def analyses(self) -> AnalysisTab:
        """Shares, ratios, means, trends and regressions."""
        return cast("AnalysisTab", self.tabs.way(_ANALYSES))

    @property
    def many(self) -> ManyTab:
        """A file of questions."""
        return cast("ManyTab", self.tabs.way(_MANY))

    @property
    def workload(self) -> WorkloadTab:
        """How well the release answers, for who has the source."""
        return cast("WorkloadTab", self.tabs.way(_WORKLOAD))

    def _made(self, tab: Tab) -> None:
        tab.offered.connect(self._offer)
        tab.failed.connect(self._failed)
        tab.told.connect(lambda text: self.banner.say("done", text))
        tab.answered.connect(self._answered)
        if self._asker is not None:
            tab.take(self._asker)
        self.put_primary_last()

    # -- opening -------------------------------------------------------------------------------------------------

    def ask_release(self) -> None:
        """Let the user choose a release folder, and open it."""
        name = QFileDialog.getExistingDirectory(self, t("Choose the folder of a release"))
        if name:
            self.open_release(Path(name))

    def ask_zip(self) -> None:
        """Let the user choose the ZIP file of a release, and open it."""
        path = asked_file(self, t("Choose the ZIP file of a release"), t("ZIP files (*.zip);;All files (*)"))
        if path is not None:
            self.open_release(path)

    def open_release(self, path: Path, password: str | None = None) -> Job:
        """Open a release, its folder or ZIP, in the worker."""
        self.banner.hide()
        assert self.busy is not None
        self.busy.begin(t("Opening “{name}”", name=path.name))
        self.show_part(self.busy)
        self.set_primary(t("Count"), False)
        job = self.tasks.run("open", lambda progress: open_release(path, password, progress))
        self._opening = job
        job.progressed.connect(self.busy.show_progress)
        job.done.connect(partial(self._opened, password))
        job.failed.connect(self._not_opened)
        job.stopped.connect(lambda: self._not_opened(""))
        return job

    def ask_password(self, words: str) -> str | None:
        """Ask for the password of an encrypted ZIP; None where the user gives up."""
        text, given = QInputDialog.getText(
            self, t("The release is encrypted"), plain(words), QLineEdit.EchoMode.Password
        )
        return text if given else None

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(event.mimeData().urls()) == 1 and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        urls: list[QUrl] = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()
            path = Path(urls[0].toLocalFile())
            if self._asks(path):
                self.many.open_file(path)
            else:
                self.open_release(path)

    def _asks(self, path: Path) -> bool:
        """Return whether a file that was dropped is one of questions: nothing else ends so that could be a release."""
        many = self.session.release is not None and self.tabs.currentIndex() == _MANY
        return many and path.suffix.lower() in QUESTION_ENDINGS and path.is_file()

    def _open_dropped(self) -> None:
        if self.session.dropped is not None:
            self.open_release(self.session.dropped.folder)

    def _cancel_opening(self) -> None:
        if self._opening is not None:
            self._opening.cancel()

    def _opened(self, password: str | None, opened: OpenRelease | Locked) -> None:
        self._opening = None
        if isinstance(opened, Locked):
            self.refresh()
            given = self.ask_password(opened.words)
            if given is not None:
                self.open_release(opened.path, given)
            return
        self.session.take_release(Release(opened.published, opened.facts, opened.folder, password=password))
        if self.isVisible():  # the button that was pressed is gone
            self.tab().first().setFocus()

    def _not_opened(self, text: str) -> None:
        self._opening = None
        self.refresh()
        if text:
            self.fault(text)

    # -- asking --------------------------------------------------------------------------------------------------

    def tab(self) -> Tab:
        """Return the way of asking that is in front."""
        return self.tabs.front()

    def act(self) -> None:
        self.tab().act()

    def _tab_changed(self) -> None:
        self.banner.hide()
        if self.tabs.currentIndex() == _CROSSTAB:
            self.crosstab.offer_within(self.one.builder.conditions())
        self._offer()
        self.help_changed.emit()

    def _offer(self) -> None:
        if self.session.release is not None and self._opening is None:
            self.set_primary(*self.tab().offer())

    def _failed(self, text: str) -> None:
        if text:
            self.fault(text)
        else:
            self.banner.hide()

    def _answered(self) -> None:
        if self.session.release is not None and self.session.state(Step.QUERY) is not State.DONE:
            self.session.confirm(Step.QUERY)

    def refresh(self) -> None:
        if self._opening is not None:
            return
        release = self.session.release
        if release is None:
            self.show_part(self.stale_panel if self.session.stale else self.empty)
            self.set_primary(t("Count"), False, "")
            return
        self.show_part(None)
        if self._asker is None or self._asker.release is not release:
            self._asker = Asker(release)
            for tab in self.tabs.there():
                tab.take(self._asker)
            # Who holds only the release has no true counts to compare with.
            self.tabs.setTabVisible(_WORKLOAD, self._asker.knows_truth)
        self._offer()

    def help_text(self) -> str:
        if self.session.release is not None:
            return self.tab().help_text()
        return t(
            "<p>A <b>release</b> is what is handed out: a folder, or a ZIP of it, with the table, a list of its columns"
            " and the file release.json. Open the folder that holds release.json.</p>"
            "<p>It is checked first: a table that was changed or cut off on its way is not opened.</p>"
            "<p><b>What do I get?</b></p><p>Counts of records, each with a range for the true count and with how far to"
            " trust it. The original table is not needed.</p>"
        )
