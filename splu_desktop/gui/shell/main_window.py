"""The main window: the rail, one page at a time, menus and the status bar; it folds with the room there is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDropEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QMenuBar,
    QSizePolicy,
    QStackedWidget,
    QStatusBar,
    QVBoxLayout,
    QWidget,
)

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.resources import sample_path
from splu_desktop.files.project.opening import is_release
from splu_desktop.gui.base.focus import Stops, finish_typing
from splu_desktop.gui.base.page import Fold, Page
from splu_desktop.gui.base.session import RAIL, Session, State, Step
from splu_desktop.gui.base.widgets import ElidedLabel, Picture, Rule, label, margins, put
from splu_desktop.gui.base.words import t
from splu_desktop.gui.base.work import Work
from splu_desktop.gui.importing.recent_files import RecentFiles
from splu_desktop.gui.shell import languages
from splu_desktop.gui.shell.appearance import appearance_menu
from splu_desktop.gui.shell.rail import Rail, TopBar, step_name

if TYPE_CHECKING:
    from splu_desktop.gui.base.recipes import Memory

_WRITING = 17  # pixels of a line of writing, for which these are meant
_WIDE, _HIGH, _NARROW = 1100, 560, 900  # pixels from which everything, and below which one column, is shown
_STEP = 50  # pixels above the drawn size from which half goes to a line of a table


def import_ahead(progress: Progress = SILENT) -> None:
    """Import what a table needs, in that order, in a worker: two seconds of work that nobody has to wait for."""
    for name in ("open.reading", *(f"{step.value}.page" for step in Step), "base.recipes", "shell.guide"):
        progress.report(name, 0.0)
        import_module(f"splu_desktop.gui.{name}")


class MainWindow(Stops, QMainWindow):
    """One window, six steps."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(640, 300)
        self.setAcceptDrops(True)
        self.session, self.work = Session(self), Work(self)
        self.memory: Memory | None = None
        self.step, self.fold = Step.OPEN, Fold.WIDE
        self.pages: dict[Step, Page] = {}
        self._furnish()
        self.session.changed.connect(self._attend)
        self.session.changed.connect(self.refresh)
        self.session.noticed.connect(self.say)

    def _furnish(self) -> None:
        """Make all that shows words, in the language in force; what is open and chosen lies in the session."""
        if self.pages:  # else the next page would be shown for each one that goes, and begin its work
            self.centralWidget().hide()
        typed = {step: page.read_typed() for step, page in self.pages.items()}
        for page in self.pages.values():
            page.setParent(None)
            page.deleteLater()
        self.pages = {}
        self._build_menus()
        self.rail = Rail(self.session)
        self.rail.chosen.connect(self.show_step)
        self.bar = TopBar(self.session, self._all_menus)
        self.bar.chosen.connect(self.show_step)
        self.stack = QStackedWidget()
        middle, row = QWidget(), margins(QHBoxLayout(), 0, spacing=0)
        self.rail_edge = Rule(vertical=True)
        put(row, self.rail, self.rail_edge, (self.stack, 1))
        column = put(margins(QVBoxLayout(middle), 0, spacing=0), self.bar, (row, 1))
        # The window may be smaller than its parts ask for: pages fold and scroll.
        column.setSizeConstraint(column.SizeConstraint.SetNoConstraint)
        self.setCentralWidget(middle)
        self._build_status_bar()
        self._fit()
        self.show_step(self.step)
        for step, each in typed.items():
            if each:
                self.page(step).type_again(each)
        self.refresh()

    def _attend(self) -> None:
        """Judge and keep what is decided about a table, from the first one on."""
        if self.memory is None and self.session.source is not None:
            # NumPy and SciPy come with the first table; the window is there before them.
            from splu_desktop.gui.base.judge import Judge
            from splu_desktop.gui.base.recipes import Memory

            Judge(self.session, self.work, self)
            self.memory = Memory(self.session, self)
            self.work.start(import_ahead)

    def _late(self, module: str, act: str, *args: Any) -> Any:
        """Call a function of a module that the first window does without."""
        return getattr(import_module(f"splu_desktop.gui.{module}"), act)(*args, self)

    def change_language(self) -> None:
        """Say everything in the language that is chosen now, once no work is under way; all choices stay."""
        # Work is heard by the page that began it, and all pages are made anew.
        if not self.work.idle():
            QTimer.singleShot(100, self, self.change_language)
            return
        application = QApplication.instance()
        if isinstance(application, QApplication):
            languages.speak(application, languages.language_in_force())
        self._furnish()

    def page(self, step: Step) -> Page:
        """Return a page, made when it is first wanted."""
        if step not in self.pages:
            module = import_module(f"splu_desktop.gui.{step.value}.page")  # the first window needs one of eight
            page: Page = getattr(module, f"{step.value.title()}Page")(self.session, self.work)
            page.go.connect(self.show_step)
            page.set_fold(self.fold)
            self.pages[step] = page
            self.stack.addWidget(page)
        return self.pages[step]

    # --- the frame

    def _build_status_bar(self) -> None:
        bar = QStatusBar()
        self.setStatusBar(bar)
        bar.setSizeGripEnabled(False)
        holder = QWidget()
        row = put(margins(QHBoxLayout(holder), 12, 0, 8, 0, spacing=8), Picture("wifi-off", "quiet", 14))
        row.addWidget(label(t("Offline – nothing leaves this computer"), "quiet"))
        bar.addWidget(holder)
        self.source_label, self.release_label = ElidedLabel("", "quiet"), ElidedLabel("", "quiet")
        for each in (self.source_label, self.release_label):
            each.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            each.setMaximumWidth(400)
            each.setContentsMargins(8, 0, 12, 0)
            bar.addPermanentWidget(each)

    def _build_menus(self) -> None:
        # Those of the language before have the same keys, and Qt does nothing for keys that two parts have.
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        for old in (*self.findChildren(QMenu, options=direct), *self.findChildren(QShortcut, options=direct)):
            old.setParent(None)
            old.deleteLater()
        self.setMenuBar(QMenuBar())
        self._all_menus = QMenu(self)  # behind the menu sign of a window without a menu bar
        for menu in (self._file_menu(), self._edit_menu(), self._view_menu(), self._help_menu()):
            self.menuBar().addMenu(menu)
            self._all_menus.addMenu(menu)
            self.addActions(menu.actions())  # keys work while the bar is hidden, too
        # Qt calls the key of the number pad Enter, and the other one Return.
        for each in ("Ctrl+Return", "Ctrl+Enter"):
            self._key(each, lambda: self.page(self.step).do_primary())
        self._key("Esc", lambda: self.page(self.step).leave())
        self._key("F6", self.next_region)

    def _key(self, keys: str, do: Callable[[], object]) -> None:
        shortcut = QShortcut(QKeySequence(keys), self)
        # Held down, Ctrl+Return would press the next page's button, too.
        shortcut.setAutoRepeat(False)
        shortcut.activated.connect(finish_typing)
        shortcut.activated.connect(lambda: do())

    def _file_menu(self) -> QMenu:
        files = QMenu(t("&File"), self)
        self._act(files, t("&Open a table…"), lambda: self._at(Step.OPEN, "ask_file"), QKeySequence.StandardKey.Open)
        self.recent = RecentFiles(files)
        self.recent.chosen.connect(self.open_path)
        files.addMenu(self.recent)
        self._act(files, t("Open the &sample hospital"), lambda: self.open_path(sample_path()))
        self._act(files, t("Open a &release…"), lambda: self._at(Step.ASK, "ask_release"))
        files.addSeparator()
        show = partial(self._late, "proposal.releases_dialog", "ReleasesDialog", self.session)
        self._act(files, t("&Releases made from this computer…"), show)
        files.addSeparator()
        save = partial(self._late, "base.recipes", "save", self.session, self.work, self.say)
        use = partial(self._late, "base.recipes", "use", self.session, self.say)
        self._act(files, t("Save a re&cipe…"), save, QKeySequence.StandardKey.Save)
        self._act(files, t("&Use a recipe…"), use)
        files.addSeparator()
        self._act(files, t("&Quit"), self.close, QKeySequence.StandardKey.Quit)
        return files

    def _edit_menu(self) -> QMenu:
        edit = QMenu(t("&Edit"), self)
        self.undo_action = self._act(edit, t("&Undo"), self.session.undo, QKeySequence.StandardKey.Undo)
        self.redo_action = self._act(edit, t("&Redo"), self.session.redo, QKeySequence.StandardKey.Redo)
        return edit

    def _view_menu(self) -> QMenu:
        view = QMenu(t("&View"), self)
        for number, step in enumerate(RAIL, 1):
            self._act(view, f"&{number} {step_name(step)}", partial(self.show_step, step), f"Ctrl+{number}")
        self._act(view, t("&Columns"), partial(self.show_step, Step.COLUMNS), "Ctrl+L")
        self._act(view, t("&Expert"), partial(self.show_step, Step.EXPERT), "Ctrl+E")
        view.addSeparator()
        view.addMenu(appearance_menu(view))
        view.addMenu(languages.language_menu(view, self.change_language))
        return view

    def _help_menu(self) -> QMenu:
        about = QMenu(t("&Help"), self)
        self._act(about, t("About this &page"), lambda: self._late("shell.guide", "show_page_help", self.step), "F1")
        self._act(about, t("&User guide"), lambda: self._late("shell.guide", "guide"), "Shift+F1")
        self._act(about, t("&Licences"), lambda: self._late("shell.guide", "licences"))
        self._act(about, t("&About SPLU Desktop"), lambda: self._late("shell.guide", "about"))
        return about

    def _act(
        self, menu: QMenu, text: str, do: Callable[[], object], keys: QKeySequence.StandardKey | str | None = None
    ) -> QAction:
        action = QAction(text, menu)
        if isinstance(keys, str):
            action.setShortcut(QKeySequence(keys))
        elif keys is not None:
            action.setShortcuts(QKeySequence.keyBindings(keys))
        action.triggered.connect(finish_typing)
        action.triggered.connect(lambda: do())
        menu.addAction(action)
        return action

    def _fit(self) -> None:
        """Fold with the room there is: the drawn sizes at 100, 150 and 200 %, and larger ones for larger writing."""
        larger = max(1.0, self.fontMetrics().height() / _WRITING)
        wide, high = self.width() / larger, self.height() / larger
        fold = Fold.WIDE if wide >= _WIDE and high >= _HIGH else Fold.MIDDLE
        if wide < _NARROW:
            fold = Fold.NARROW
        self.fold = fold
        spare = max(0, int(high - {Fold.WIDE: 698, Fold.MIDDLE: 442}.get(fold, high))) // _STEP
        narrow = fold is Fold.NARROW
        self.bar.setVisible(narrow)
        for part in (self.rail, self.rail_edge):
            part.setVisible(not narrow)
        self.rail.narrow = fold is not Fold.WIDE
        self.rail.refresh(self.rail.current)
        self.statusBar().setVisible(fold is Fold.WIDE)
        self.menuBar().setVisible(fold is Fold.WIDE)
        for page in self.pages.values():
            page.set_fold(fold, spare)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # A window that comes back from the task bar is shown, too, and keeps its focus.
        if not event.spontaneous():
            self.page(self.step).keep_focus(arriving=True)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Alt and self.fold is not Fold.WIDE:  # no room for the menu bar but when wanted
            self.menuBar().setVisible(not self.menuBar().isVisible())
        super().keyReleaseEvent(event)

    # --- pages

    def show_step(self, step: Step) -> None:
        """Bring a page to the front."""
        blocked = step in (Step.COLUMNS, Step.EXPERT) and self.session.state(step) is State.BLOCKED
        step = Step.PROPOSAL if blocked else step
        before = self.pages.get(self.step)
        # It is asked before the page is hidden, as Qt moves the focus on then.
        held = before is None or before.has_focus()
        page = self.page(step)
        if step is not self.step and before is not None:
            before.banner.hide()
        self.step = step
        self.stack.setCurrentWidget(page)
        self.rail.refresh(step)
        self.bar.refresh(step)
        if held and page is not before:
            page.keep_focus(arriving=True)

    def refresh(self) -> None:
        """Show the session anew; pages read it themselves."""
        session = self.session
        self.rail.refresh(self.step)
        self.bar.refresh(self.step)
        source, release = session.source, session.release
        name, released = source.name if source else "", release.content.path.name if release else ""
        self.source_label.setText(t("Source: {name}", name=name or t("none")))
        self.release_label.setText(t("Release: {name}", name=released or t("none")))
        front = released if self.step in (Step.ASK, Step.REPORT) and released else name
        self.setWindowTitle(f"{front} – SPLU Desktop" if front else "SPLU Desktop")
        for action, words, step in (
            (self.undo_action, t("&Undo"), session.undo_name),
            (self.redo_action, t("&Redo"), session.redo_name),
        ):
            action.setText(f"{words}: {step}" if step else words)
            action.setEnabled(bool(step))

    def next_region(self) -> None:
        """Put the focus on the next region: the rail, the page, its footer."""
        page, focus = self.page(self.step), QApplication.focusWidget()
        steps = self.bar.steps if self.fold is Fold.NARROW else self.rail.buttons[RAIL[0]]
        if focus is not None and page.isAncestorOf(focus) and not page.footer.isAncestorOf(focus):
            (page.primary if page.primary.isEnabled() else page.back).setFocus(Qt.FocusReason.TabFocusReason)
        elif focus is not None and page.footer.isAncestorOf(focus):
            steps.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            if focus is not None:
                focus.clearFocus()
            page.keep_focus()

    def open_path(self, path: Path) -> None:
        """Open a table, or a release: its folder, its release.json or its ZIP."""
        if is_release(path):
            self._at(Step.ASK, "open_release", path)
        else:
            self._at(Step.OPEN, "open_file", path)

    def dragEnterEvent(self, event: QDropEvent) -> None:
        if event.mimeData().hasUrls() and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        first, *others = event.mimeData().urls()
        event.acceptProposedAction()
        self.open_path(Path(first.toLocalFile()))
        if others:
            self.say("warning", t("Only “{name}” was opened. Open one file after the other.", name=first.fileName()))

    def _at(self, step: Step, act: str, *args: object) -> None:
        """Bring a page to the front and let it do something."""
        self.show_step(step)
        # Pages are imported when they are first wanted, so their classes are not known here.
        getattr(self.page(step), act)(*args)

    def say(self, kind: str, sentence: str) -> None:
        """Show a sentence on the page in front."""
        self.page(self.step).banner.say(kind, sentence)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.work.busy("publish") and not self._late("shell.guide", "asked_to_stop"):
            event.ignore()
            return
        finish_typing()
        if self.memory is not None:
            # What was changed in the last two seconds still waits to be kept.
            self.memory.keep()
        self.work.shutdown()
        event.accept()
