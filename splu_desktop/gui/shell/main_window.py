"""The main window: the rail, one page at a time, "What this means", menus and the status bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QDateTime, QEvent, QLocale, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QMenuBar,
    QMessageBox,
    QStatusBar,
    QWidget,
)

from splu_desktop import __version__
from splu_desktop.gui.base import languages
from splu_desktop.gui.base.appearance import appearance_menu
from splu_desktop.gui.base.focus import Stops
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Session, Step
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Picture, Rule, asked_file, label, margins, put
from splu_desktop.gui.base.words import t
from splu_desktop.gui.importing.recent_files import RecentFiles
from splu_desktop.gui.shell.guide import GuideDialog, guide, licences
from splu_desktop.gui.shell.help_panel import HelpPanel
from splu_desktop.gui.shell.page_stack import PageStack
from splu_desktop.gui.shell.project_keeper import Loaded, ProjectKeeper
from splu_desktop.gui.shell.rail import Rail
from splu_desktop.gui.shell.recipes import Recipes

if TYPE_CHECKING:
    from splu_desktop.files.project.file import Project
    from splu_desktop.files.project.recovery import Recovery
    from splu_desktop.gui.classify.page import ClassifyPage
    from splu_desktop.gui.importing.page import ImportPage
    from splu_desktop.gui.plan.page import PlanPage
    from splu_desktop.gui.publish.page import PublishPage
    from splu_desktop.gui.query.page import QueryPage
    from splu_desktop.gui.report.page import ReportPage

_WIDE = 1160  # logical pixels from which "What this means" has room beside a page


class MainWindow(Stops, QMainWindow):
    """One window, six steps."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("SPLU Desktop")
        self.setMinimumSize(880, 480)
        self.session = Session(self)
        self.tasks = Tasks(self)
        self.keeper = ProjectKeeper(self.session, self.tasks, self)
        self.keeper.failed.connect(self.show_fault)
        self.keeper.opened.connect(self._project_opened)
        self.keeper.needs_source.connect(self._ask_source)
        self.keeper.changed.connect(self._show_title)
        self.recipes = Recipes(self.session, self.tasks, self.keeper, self)
        self.recipes.said.connect(self._say)
        self.ask_before_closing = False
        self.step = Step.IMPORT
        self._behind: set[Step] = set()
        self._narrow = False
        self._furnish()
        self.session.changed.connect(self.refresh)
        self.session.noticed.connect(self._notice)

    def _furnish(self) -> None:
        """Make all that shows words, in the language in force; what is open and chosen lies in the session."""
        names = {
            Step.IMPORT: t("Import"),
            Step.CLASSIFY: t("Classify"),
            Step.PLAN: t("Plan"),
            Step.PUBLISH: t("Publish"),
            Step.QUERY: t("Query"),
            Step.REPORT: t("Report"),
        }
        self.rail = Rail(names)
        self.rail.chosen.connect(self.show_step)
        self.help = HelpPanel()
        self.pages = PageStack(self.session, self.tasks)
        self.pages.made.connect(self._page_made)
        middle = QWidget()
        row = margins(QHBoxLayout(middle), 0, spacing=0)
        for part, stretch in (
            (self.rail, 0),
            (Rule(vertical=True), 0),
            (self.pages, 1),
            (Rule(vertical=True), 0),
            (self.help, 0),
        ):
            row.addWidget(part, stretch)
        self.setCentralWidget(middle)
        self._build_status_bar()
        self._build_menus(names)
        self.refresh()
        self.show_step(self.step)
        self._fit_help()
        self._show_title()

    def change_language(self) -> None:
        """Say everything in the language that is chosen now, once no work is under way; all choices stay."""
        if not self.tasks.idle():
            QTimer.singleShot(100, self, self.change_language)
            return
        application = QApplication.instance()
        if isinstance(application, QApplication):
            languages.speak(application, languages.in_force())
        self._furnish()

    @property
    def import_page(self) -> ImportPage:
        """The first page."""
        return cast("ImportPage", self.pages[Step.IMPORT])

    @property
    def classify_page(self) -> ClassifyPage:
        """The second page."""
        return cast("ClassifyPage", self.pages[Step.CLASSIFY])

    @property
    def plan_page(self) -> PlanPage:
        """The third page."""
        return cast("PlanPage", self.pages[Step.PLAN])

    @property
    def publish_page(self) -> PublishPage:
        """The fourth page."""
        return cast("PublishPage", self.pages[Step.PUBLISH])

    @property
    def query_page(self) -> QueryPage:
        """The fifth page."""
        return cast("QueryPage", self.pages[Step.QUERY])

    @property
    def report_page(self) -> ReportPage:
        """The sixth page."""
        return cast("ReportPage", self.pages[Step.REPORT])

    def _page_made(self, page: Page) -> None:
        page.go.connect(self.show_step)
        page.help_changed.connect(self._show_help)
        if page.step is Step.PUBLISH:
            cast("PublishPage", page).open_release.connect(self._open_release)
        if page.step in (Step.PLAN, Step.PUBLISH):
            cast("PlanPage | PublishPage", page).mend.connect(self._mend)

    def _mend(self, step: Step, column: str) -> None:
        """Show the page where what was found is mended, and the column it is about or, of several, the most telling."""
        self.show_step(step)
        page = self.classify_page
        if step is Step.CLASSIFY and (name := column or page.risk.most_telling()):
            page.show_column(name)

    def _build_status_bar(self) -> None:
        bar = QStatusBar()
        self.setStatusBar(bar)
        bar.setSizeGripEnabled(False)
        holder = QWidget()
        row = put(margins(QHBoxLayout(holder), 16, 4, 8, 4, spacing=8), Picture("wifi-off", "quiet", 14))
        self.offline = label(t("Offline - nothing leaves this computer"), "quiet")
        row.addWidget(self.offline)
        bar.addWidget(holder)
        self.source_label = label("", "quiet")
        self.release_label = label("", "quiet")
        for part in (self.source_label, self.release_label):
            part.setContentsMargins(8, 0, 16, 0)
            bar.addPermanentWidget(part)

    def _build_menus(self, names: dict[Step, str]) -> None:
        self.setMenuBar(QMenuBar())  # an old one goes, with its menus and their shortcuts
        files = self.menuBar().addMenu(t("&File"))
        self._act(files, t("&Open a table…"), self._ask_file, QKeySequence.StandardKey.Open)
        self._act(files, t("Open the &sample hospital"), self._open_sample)
        self.recent = RecentFiles(files)
        self.recent.chosen.connect(self.open_path)
        files.addMenu(self.recent)
        self._act(files, t("Open a &release…"), self._ask_release, "Ctrl+Shift+O")
        self._act(files, t("Releases &made from this computer…"), self._show_releases)
        files.addSeparator()
        self._act(files, t("Open a &project…"), self._ask_project)
        self._act(files, t("Sa&ve the project"), self.save_project, QKeySequence.StandardKey.Save)
        self._act(files, t("Save the project &as…"), self.save_project_as, QKeySequence.StandardKey.SaveAs)
        files.addSeparator()
        self._act(files, t("Save a re&cipe…"), self.recipes.ask_save)
        self._act(files, t("&Use a recipe…"), self.recipes.ask_use)
        files.addSeparator()
        self._act(files, t("&Quit"), self.close, QKeySequence.StandardKey.Quit)
        edit = self.menuBar().addMenu(t("&Edit"))
        for made, keys in (
            (self.session.undo_stack.createUndoAction(edit, t("&Undo")), QKeySequence.StandardKey.Undo),
            (self.session.undo_stack.createRedoAction(edit, t("&Redo")), QKeySequence.StandardKey.Redo),
        ):
            made.setShortcuts(QKeySequence.keyBindings(keys))
            edit.addAction(made)
        view = self.menuBar().addMenu(t("&View"))
        for step, name in names.items():
            self._act(view, f"&{step + 1} {name}", partial(self.show_step, step), f"Ctrl+{step + 1}")
        view.addSeparator()
        self.help_action = QAction(t("&What this means"), view, checkable=True, checked=True)
        self.help_action.setShortcut(QKeySequence(Qt.Key.Key_F1))
        self.help_action.toggled.connect(lambda _: self._fit_help(asked=True))
        view.addAction(self.help_action)
        view.addMenu(appearance_menu(view))
        spoken = languages.LanguageMenu(view)
        spoken.changed.connect(self.change_language, Qt.ConnectionType.QueuedConnection)
        view.addMenu(spoken)
        about = self.menuBar().addMenu(t("&Help"))
        self._act(about, t("&User guide"), self.show_guide, "Shift+F1")
        self._act(about, t("&Licences"), self.show_licences)
        self._act(about, t("&About SPLU Desktop"), self.show_about)

    def _act(
        self, menu: QMenu, text: str, do: Callable[[], object], keys: QKeySequence.StandardKey | str | None = None
    ) -> None:
        made = QAction(text, menu)
        if keys is not None:
            made.setShortcut(QKeySequence(keys))
        made.triggered.connect(lambda: do())
        menu.addAction(made)

    def show_step(self, step: Step) -> None:
        """Bring a page to the front."""
        left = self.pages[self.step]
        held = left.has_focus()
        self.step = Step(step)
        page = self.pages[self.step]
        if self.step in self._behind:
            self._behind.discard(self.step)
            page.refresh()
        self.pages.setCurrentWidget(page)
        self.rail.show_current(self.step)
        page.arrived()
        if held and page is not left:
            page.keep_focus(arriving=True)
        self._show_help()

    def refresh(self) -> None:
        """Read the session anew: the rail, the page in front and the status bar; other pages when they are shown."""
        for step in Step:
            self.rail.show_state(step, self.session.state(step))
        self._behind = set(self.pages.steps() - {self.step})
        self.pages[self.step].refresh()
        source, release = self.session.source, self.session.release
        if source is not None:
            self.recent.remember(source.path)
        name = source.imported.source.name if source else t("none")
        self.source_label.setText(t("Source: {name}", name=name))
        name = release.folder.name if release else t("none")
        self.release_label.setText(t("Release: {name}", name=name))
        self._show_help()

    def open_path(self, path: Path) -> None:
        """Open a table, a project, or a release: its folder, its release.json or its ZIP."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.opening import Opens, opens

        match opens(path):
            case Opens.PROJECT:
                self.open_project(path)
            case Opens.RELEASE:
                self.show_step(Step.QUERY)
                self.query_page.open_release(path)
            case Opens.TABLE:
                self.show_step(Step.IMPORT)
                self.import_page.open_file(path)

    def show_fault(self, text: str) -> None:
        """Show a fault that no page expected, on the page in front."""
        self.pages[self.step].fault(text)

    def _say(self, kind: str, text: str) -> None:
        self.pages[self.step].banner.say(kind, text)

    def show_guide(self) -> GuideDialog:
        """Open the user guide, beside which the work goes on."""
        found = guide(self)
        found.show()
        return found

    def show_licences(self) -> GuideDialog:
        """Open the list of what the program is made of."""
        found = licences(self)
        found.show()
        return found

    def show_about(self) -> None:
        """Tell what this program is."""
        box = QMessageBox(self)
        box.setWindowTitle(t("About SPLU Desktop"))
        box.setText(f"SPLU Desktop {__version__}")
        box.setInformativeText(
            t(
                "Turns a sensitive table into one that can be handed out: counts of a few patients are protected,"
                " counts of many can be answered. It works offline; nothing leaves this computer."
            )
        )
        box.open()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_help()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.pages[self.step].keep_focus(arriving=True)  # Qt begins at the rail, where there is nothing to do

    def _fit_help(self, *, asked: bool = False) -> None:
        # In a narrow window the page needs the room; F1 still brings the panel for as long as it is wanted.
        narrow = self.width() < _WIDE
        if asked or narrow != self._narrow:
            self._narrow = narrow
            self.help.setVisible(self.help_action.isChecked() and (asked or not narrow))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.tasks.busy("publish") and not self._may_stop_publishing():
            event.ignore()
            return
        if self.ask_before_closing and self.keeper.unsaved and not self._may_close():
            event.ignore()
            return
        self.tasks.shutdown()
        self.keeper.end()
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "pages"):
            self._show_help()

    def _may_stop_publishing(self) -> bool:
        answer = QMessageBox.question(
            self,
            t("A release is being written"),
            t("Publishing is not finished. Stop it and close? Nothing of the unfinished release will be left."),
        )
        return answer == QMessageBox.StandardButton.Yes

    # -- project file --------------------------------------------------------------------------------------------

    def open_project(self, path: Path) -> None:
        """Open a project file with its source."""
        self.show_step(Step.IMPORT)
        job = self.keeper.open(path)
        if job is not None:
            self.import_page.follow(job, t("Opening “{name}”", name=path.name))

    def offer_recovery(self) -> None:
        """Offer the choices of a session that did not end well, if there is one."""
        found = self.keeper.recoverable()
        if found is None:
            return
        when = QDateTime.fromSecsSinceEpoch(int(found.saved_at.timestamp()))
        self.import_page.banner.say(
            "note",
            t(
                "The program ended unexpectedly. Your choices for “{name}” of {time} were kept.",
                name=found.source.name,
                time=QLocale().toString(when, "d MMMM HH:mm"),
            ),
            t("Take them up again"),
            lambda: self._recover(found),
        )

    def _recover(self, found: Recovery) -> None:
        self.import_page.banner.hide()
        job = self.keeper.recover(found)
        self.import_page.follow(job, t("Opening “{name}”", name=found.source.name))

    def save_project(self) -> bool:
        """Save the project, asking for a file the first time."""
        return self.keeper.save(self.keeper.path) if self.keeper.path is not None else self.save_project_as()

    def save_project_as(self) -> bool:
        """Ask for a file and save the project there."""
        source = self.session.source
        if source is None:
            self.show_fault(t("Open a table first; a project holds your choices about it, never its data."))
            return False
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.file import SUFFIX

        start = self.keeper.path or source.path.with_name(source.path.name.split(".")[0] + SUFFIX)
        name, _ = QFileDialog.getSaveFileName(
            self, t("Save the project"), str(start), t("Projects (*{ending})", ending=SUFFIX)
        )
        if not name:
            return False
        path = Path(name)
        return self.keeper.save(path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX))

    def _ask_project(self) -> None:
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.file import SUFFIX

        path = asked_file(self, t("Open a project"), t("Projects (*{ending})", ending=SUFFIX))
        if path is not None:
            self.open_project(path)

    def _ask_source(self, project: Project) -> None:
        path = asked_file(self, t("Where is “{name}” now?", name=project.source.name))
        if path is not None:
            job = self.keeper.open_with(project, path)
            self.import_page.follow(job, t("Opening “{name}”", name=project.source.name))
        else:
            self.show_fault(
                t("“{name}”, which the project is about, was not found; nothing was opened.", name=project.source.name)
            )

    def _project_opened(self, found: Loaded) -> None:
        if found.notes:
            self.import_page.banner.say("warning", " ".join(found.notes))

    def _may_close(self) -> bool:
        kinds = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            t("Save your choices?"),
            t("Roles, groups and group sizes are not saved in a project file yet. Your table is not touched."),
            kinds.Save | kinds.Discard | kinds.Cancel,
            kinds.Save,
        )
        return answer == kinds.Discard or (answer == kinds.Save and self.save_project())

    def _show_title(self) -> None:
        name = self.keeper.path.name if self.keeper.path is not None else ""
        self.setWindowTitle(f"{name}[*] – SPLU Desktop" if name else "SPLU Desktop[*]")
        self.setWindowModified(self.keeper.unsaved)

    def _notice(self, text: str) -> None:
        self.pages[self.step].banner.say(
            "warning", text, t("Undo") if self.session.undo_stack.canUndo() else "", self.session.undo_stack.undo
        )

    def _show_help(self) -> None:
        self.help.show_text(self.pages[self.step].help_text())

    def _ask_file(self) -> None:
        self.show_step(Step.IMPORT)
        self.import_page.ask_file()

    def _open_sample(self) -> None:
        self.show_step(Step.IMPORT)
        self.import_page.open_sample()

    def _open_release(self, path: Path) -> None:
        self.show_step(Step.QUERY)
        self.query_page.open_release(path)

    def _show_releases(self) -> None:
        self.publish_page.show_releases()

    def _ask_release(self) -> None:
        self.show_step(Step.QUERY)
        self.query_page.ask_release()
