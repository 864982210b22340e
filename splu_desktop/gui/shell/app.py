"""The application: style, locale, the main window, and what happens to a fault nobody caught."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEvent, QSize, QSocketNotifier, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QFileOpenEvent, QIcon
from PySide6.QtWidgets import QApplication

from splu_desktop import __version__
from splu_desktop.core.messages import say
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.focus import show_focus
from splu_desktop.gui.base.work import sentence
from splu_desktop.gui.shell import appearance, languages
from splu_desktop.gui.shell.main_window import MainWindow, import_ahead

_SWITCH = 0.0005  # seconds that a worker keeps the interpreter while the window's thread waits for it
_ARENA_MAX = -8  # glibc's M_ARENA_MAX (malloc.h)


def prepare(application: QApplication) -> None:
    """Dress an application: name, locale, Fusion style, our palette; light, dark or high contrast."""
    application.setApplicationName("SPLU Desktop")
    application.setApplicationDisplayName("SPLU Desktop")
    application.setOrganizationName("SPLU Desktop")
    application.setApplicationVersion(__version__)
    # Wayland finds the window's name and icon by that of the desktop file.
    application.setDesktopFileName("splu-desktop")
    languages.speak(application, languages.language_in_force())
    # Tests dress one application for many windows, and its signals must be connected once.
    if application.property("prepared"):
        return
    application.setProperty("prepared", True)
    spare_memory()
    appearance.dress(application)
    appearance.follow_system(application)
    show_focus(application)


def spare_memory() -> None:
    """Let all threads share two heaps of the C library, where it is glibc.

    Else it gives each of them one of its own, and what one thread frees the others can't use: the same work round after
    round took 337 to 376 MB in 50 rounds.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is not None and hasattr(library, "mallopt"):
        library.mallopt(_ARENA_MAX, 2)


def make_window() -> MainWindow:
    """Return the main window, not yet shown."""
    window = MainWindow()
    window.setWindowIcon(QIcon(theme.pixmap("shield-check", theme.colours().accent, 64)))
    return window


def when_idle(window: MainWindow, do: Callable[[], object]) -> None:
    """Call `do` once the window is on the screen and nothing waits to be done, work in the background included."""
    turns = QTimer(window)
    waited = 0

    def turn() -> None:  # a timer of no time fires when no event is left
        nonlocal waited
        shown = window.windowHandle() is not None and window.windowHandle().isExposed()
        ready = shown and not window.work.busy()
        waited = waited + 1 if ready else 0
        turns.setInterval(0 if ready else 20)  # while it waits for others it keeps out of their way
        if waited == 3:
            turns.stop()
            do()

    turns.timeout.connect(turn)
    turns.start(0)


class Application(QApplication):
    """Opens the files that macOS hands over as events, as when a project is clicked twice."""

    window: MainWindow | None = None

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and self.window is not None and event.file():
            self.window.open_path(Path(event.file()))
            return True
        return super().event(event)


def heed_signals(application: QApplication, window: MainWindow) -> None:
    """Let `kill`, a closed terminal and the end of a session stop all work whole, and then the program.

    Python calls no handler while Qt waits for events, but tells of a signal through a pipe, which Qt listens to. What
    was chosen stays to be recovered. Windows has no such signals for a window.
    """
    if sys.platform == "win32":
        return
    near, far = os.pipe()
    os.set_blocking(near, False)
    # Python takes no file here that could block.
    os.set_blocking(far, False)
    signal.set_wakeup_fd(far, warn_on_full_buffer=False)
    heeded = QSocketNotifier(near, QSocketNotifier.Type.Read, application)

    def end() -> None:
        heeded.setEnabled(False)
        number = os.read(near, 1)[0]
        window.work.shutdown()
        # This is how shells tell that a signal ended a program.
        application.exit(128 + number)

    heeded.activated.connect(end)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        # What nohup started goes on when its terminal closes.
        if signal.getsignal(number) is not signal.SIG_IGN:
            # With no handler of Python's the signal would end the program at once and write nothing to the pipe.
            signal.signal(number, lambda *_: None)


def _application(argv: list[str]) -> Application:
    """Return the application; where there is no screen, say so in a sentence and end, since Qt would abort."""

    notes: list[str] = []

    def end(kind: QtMsgType, _context: object, text: str) -> None:
        notes.append(text.splitlines()[0].rstrip("."))
        if kind == QtMsgType.QtFatalMsg:
            why = notes[0] if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else "no DISPLAY is set"
            no_screen = say(
                "The window finds no screen to open on ({reason}); start it in a desktop session, or use the command"
                " line “splu”.",
                reason=why,
            )
            sys.stderr.write(f"splu-desktop: {no_screen}\n")
            sys.stderr.flush()
            os._exit(2)  # Qt aborts as soon as this returns

    before = qInstallMessageHandler(end)
    try:
        return Application(argv)
    finally:
        qInstallMessageHandler(before)


def run(file: str | None = None, argv: Sequence[str] = (), *, until_idle: bool = False) -> int:
    """Show the window and run until it is closed, or until it first waits for the user (to measure the start)."""
    application = _application([sys.argv[0], *argv])
    prepare(application)
    # With its title bar inside what the screen leaves beside the system's own bars.
    size = QSize(1366, 698).boundedTo(application.primaryScreen().availableGeometry().size() - QSize(0, 30))
    window = make_window()
    application.window = window

    def report(_kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        # The text of a foreign exception may quote data, so neither window nor console shows it.
        window.say("fault", sentence(fault.with_traceback(trace)))

    sys.excepthook = report
    window.resize(size)
    window.show()
    if file:
        path = Path(file)
        QTimer.singleShot(0, lambda: window.open_path(path))
    when_idle(window, window.close if until_idle else partial(window.work.start, import_ahead))
    sys.setswitchinterval(_SWITCH)
    heed_signals(application, window)
    gc.freeze()
    gc.enable()
    status = application.exec()
    window.work.shutdown()  # no thread outlives the interpreter, however the loop was left
    theme.pixmap.cache_clear()  # pixmaps must go before the application
    return status
