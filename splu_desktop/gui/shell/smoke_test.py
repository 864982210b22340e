"""`splu-desktop --smoke-test`: whether this installation works, from the sample to the report, with nobody watching.

Opens every page on the sample hospital without a screen, takes the proposal, publishes, asks, makes the report.
Nothing is left behind, no setting is read or written, and any word that Qt or Python says is a failure.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QStandardPaths, qInstallMessageHandler
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from splu_desktop.core.errors import place_of
from splu_desktop.core.resources import sample_path
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell import app
from splu_desktop.gui.shell.guide import page_help
from splu_desktop.gui.shell.main_window import MainWindow

_PATIENCE = 300.0  # seconds for one piece of work, on the slowest computer
_ROWS = 20_000


class SmokeFault(Exception):
    """Something is not as it must be; str() says what."""


def run() -> int:
    """Run the test, telling each step on standard output. Returns 0 where all is well, else 1."""
    problem, steps, complaints = "", list[str](), list[str]()
    with tempfile.TemporaryDirectory(prefix="splu-smoke-test-") as scratch:
        # Platform and locale are read when the application is made, which `_walk` does.
        _stand_alone(Path(scratch))
        try:
            steps = _walk(Path(scratch), complaints)
        except SmokeFault as fault:
            problem = str(fault)
        except Exception as fault:
            problem = f"the program failed in {place_of(fault)} ({type(fault).__name__})"
    if not problem and complaints:
        problem = "unexpected output"
    lines = [f"ok  {line}" for line in steps]
    if problem:
        lines += [f"FAILED  {problem}", *(f"        {line}" for line in complaints)]
    else:
        lines.append("SPLU Desktop works: every page was opened, and all that came out is as it must be.")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if problem else 0


def _stand_alone(scratch: Path) -> None:
    """Keep the test apart from the user's settings, register and screen."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if sys.platform.startswith("linux"):  # Qt complains of a locale that the system does not have
        os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["SPLU_DATA_DIR"] = str(scratch / "data")
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = str(scratch / name.lower())
    QStandardPaths.setTestModeEnabled(True)


def _walk(scratch: Path, complaints: list[str]) -> list[str]:
    """Do the main job through the window. Returns what was found in order; what Qt says goes to `said`."""
    given = QApplication.instance()
    application = given if isinstance(given, QApplication) else QApplication([sys.argv[0]])
    app.prepare(application)
    handler = qInstallMessageHandler(lambda kind, context, text: complaints.append(f"Qt: {text}"))
    before, sys.excepthook = sys.excepthook, lambda kind, fault, trace: complaints.append(kind.__name__)
    window = app.make_window()
    try:
        window.resize(1366, 698)
        window.show()
        return _Walk(application, window, scratch, complaints).run()
    finally:
        sys.excepthook = before
        qInstallMessageHandler(handler)
        window.close()
        window.deleteLater()
        # deleteLater waits for an event loop, and none is running here.
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        theme.pixmap.cache_clear()


class _Walk:
    def __init__(self, application: QApplication, window: MainWindow, scratch: Path, complaints: list[str]) -> None:
        self.application, self.window, self.scratch, self.said = application, window, scratch, complaints

    def run(self) -> list[str]:
        # Pages are opened twice, since an empty one shows other parts than one with a release.
        return [self._open_pages(), self._read(), self._publish(), self._open_pages(), self._ask()]

    def _rest(self, what: str) -> None:
        """Wait until nothing is under way, and see that all is well."""
        end = time.monotonic() + _PATIENCE
        while self.window.work.busy():
            self.application.processEvents()
            time.sleep(0.005)
            if time.monotonic() > end:
                raise SmokeFault(f"{what}: not done after {_PATIENCE:.0f} s")
        # Pages go on by timers of no time after the work has ended.
        for _ in range(5):
            self.application.processEvents()
        if self.said:
            raise SmokeFault(f"{what}: unexpected words")
        banner = self.window.page(self.window.step).banner
        if banner.isVisible() and banner.kind == "fault":
            raise SmokeFault(f"{what}: {banner.text.text()}")

    def _open_pages(self) -> str:
        """Open each page and see that something is drawn and its help says something."""
        if not QFontDatabase.families():
            raise SmokeFault("the system has no font at all; install one, such as DejaVu")
        for step in Step:
            self.window.show_step(step)
            self._rest(f"page {step.value}")
            picture = self.window.grab().toImage()
            colours = {picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)}
            if len(colours) < 4:
                raise SmokeFault(f"page {step.value} was drawn empty")
            if len(page_help(step)) < 40:
                raise SmokeFault(f"page {step.value} has no help")
        return f"{len(Step)} pages opened and drawn"

    def _press(self, step: Step) -> None:
        """Press the primary button of a page, and wait."""
        self.window.show_step(step)
        self._rest(f"page {step.value}")
        page = self.window.page(step)
        page.do_primary()
        self._rest(page.primary.text())

    def _read(self) -> str:
        self.window.open_path(sample_path())
        self._rest("reading the sample")
        source = self.window.session.source
        if source is None or source.table.n != _ROWS:
            raise SmokeFault("the sample was not read as it is")
        return f"sample read: {source.table.n} rows, {len(source.table.names)} columns"

    def _publish(self) -> str:
        session = self.window.session
        self._press(Step.QUESTIONS)
        if session.verdict is None:
            raise SmokeFault("there is no proposal")
        for line in session.verdict.open:
            session.accept(line.name, "this is a test alone")
        page: Any = self.window.page(Step.PUBLISH)
        page.outgoing.folder.setText(str(self.scratch / "releases"))
        self._press(Step.PUBLISH)
        release = session.release
        if release is None or not (release.content.path / "release.json").is_file():
            raise SmokeFault("the release was not written")
        return f"{session.verdict.state}; release written: {release.content.published.n} rows"

    def _ask(self) -> str:
        ask: Any = self.window.page(Step.ASK)
        report: Any = self.window.page(Step.REPORT)
        answer, pages = ask.one.answer.number.text(), len(report.pages.pages)
        if not any(map(str.isdigit, answer)) or not pages:
            raise SmokeFault("the release was not answered, or has no report")
        return f"a count asked: {answer}; {pages} pages of report"
