"""`splu-desktop --smoke-test`: whether this installation works, from the sample to the report, with nobody watching.

Opens every page on the sample hospital without a screen, publishes it, asks the release for counts, writes the report,
and compares what comes out with the laws it must follow. Nothing is left behind, no setting is read or written, and
any word that a library or Qt says meanwhile is a failure. A sound installation fails by chance once in 10^8 runs.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QSettings, QStandardPaths, qInstallMessageHandler
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from splu_desktop.core.errors import place_of
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.release.reading import read_release
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.session import Step

if TYPE_CHECKING:
    from splu_desktop.core.table import Column, Table
    from splu_desktop.gui.shell.main_window import MainWindow

_PATIENCE = 300.0  # seconds for one piece of work, on the slowest computer
_SENSITIVE, _GAMMA = "Diagnosis", 5
_LOG_ALARM = math.log(1e12)  # each law fails a sound program with a probability below 2e-12
_WIDER = 3.6  # times the longer side of a 95 % interval, seven standard deviations; the short side of one that is
# lopsided, as those of small counts are, measures nothing


class Unfit(Exception):
    """Something is not as it must be; str() says what."""


def run() -> int:
    """Run the test, telling each step on standard output. Returns 0 where all is well, else 1."""
    with tempfile.TemporaryDirectory(prefix="splu-smoke-test-") as scratch:
        here = Path(scratch)
        _alone(here)
        said: list[str] = []
        try:
            with _listening(here / "said", said):
                told = _walk(here)
        except Unfit as fault:
            told, problem = [], str(fault)
        except Exception as fault:
            told, problem = [], f"the program failed in {place_of(fault)} ({type(fault).__name__})"
        else:
            problem = ""
    lines = [f"ok  {line}" for line in told]
    if not problem and said:
        problem = "unexpected output"
    if problem:
        lines += [f"FAILED  {problem}", *(f"        {line}" for line in said)]
    else:
        lines.append("SPLU Desktop works: every page was opened, and all that came out follows its law.")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if problem else 0


def _alone(scratch: Path) -> None:
    """Keep the test apart from the user's settings, register and screen."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if sys.platform.startswith("linux"):  # Qt complains of a locale that the system does not have
        os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["SPLU_DATA_DIR"] = str(scratch / "data")
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = str(scratch / name.lower())
    QStandardPaths.setTestModeEnabled(True)
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(scratch / "settings"))


@contextlib.contextmanager
def _listening(path: Path, said: list[str]) -> Iterator[None]:
    """Collect all that is said meanwhile: by Qt, by Python's warnings, and by anybody on the two output channels."""
    _flush()
    kept: dict[int, int] = {}
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for channel in (1, 2):
        with contextlib.suppress(OSError):  # a program of the desktop on Windows has no channels
            kept[channel] = os.dup(channel)
            os.dup2(file, channel)
    os.close(file)
    before = qInstallMessageHandler(lambda kind, context, text: said.append(f"Qt: {text}"))
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default")
            yield
    finally:
        qInstallMessageHandler(before)
        _flush()
        for channel, own in kept.items():
            os.dup2(own, channel)
            os.close(own)
        said += [f"Python: {entry.category.__name__} in {entry.filename}" for entry in warned]
        said += path.read_text("utf-8", "replace").splitlines()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def _walk(scratch: Path) -> list[str]:
    """Do the main job through the window. Returns what was found in order."""
    from splu_desktop.gui.shell import app  # once the settings stand apart from the user's

    given = QApplication.instance()
    application = given if isinstance(given, QApplication) else QApplication([sys.argv[0]])
    app.prepare(application)
    faults: list[str] = []
    before, sys.excepthook = sys.excepthook, lambda kind, fault, trace: faults.append(kind.__name__)
    window = app.make_window()
    try:
        window.resize(1280, 800)
        window.show()
        told = _Walk(application, window, scratch, faults).run()
    finally:
        sys.excepthook = before
        window.ask_before_closing = False
        window.close()
        window.deleteLater()
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        theme.forget_pictures()
    return told


class _Walk:
    def __init__(self, application: QApplication, window: MainWindow, scratch: Path, faults: list[str]) -> None:
        self.application, self.window, self.scratch, self.faults = application, window, scratch, faults

    def run(self) -> list[str]:
        told = [self._pages(), self._import(), self._plan()]
        folder = self.scratch / "release"
        told += [self._publish(folder), *self._laws(), self._query(), self._report()]
        told.append(self._pages())
        return told

    def _until(self, ready: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not ready():
            self.application.processEvents()
            time.sleep(0.005)
            if self.faults:
                raise Unfit(f"{what}: the program failed ({self.faults[0]})")
            if time.monotonic() > end:
                raise Unfit(f"{what}: not done after {_PATIENCE:.0f} s")

    def _idle(self, what: str) -> None:
        self._until(lambda: not self.window.tasks.busy(), what)
        for _ in range(5):
            self.application.processEvents()
        page = self.window.pages[self.window.step]
        if page.banner.isVisible() and page.banner.kind == "fault":
            raise Unfit(f"{what}: {page.banner.text.text()}")

    def _pages(self) -> str:
        """Open each page and see that something is drawn and the help beside it says something."""
        if not QFontDatabase.families():
            raise Unfit("the system has no font at all; install one, such as DejaVu")
        for step in Step:
            self.window.show_step(step)
            self._idle(f"page {step.name.lower()}")
            picture = self.window.grab().toImage()
            colours = {picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)}
            if len(colours) < 4:
                raise Unfit(f"page {step.name.lower()} was drawn empty")
            if len(self.window.help.text.toPlainText()) < 100:
                raise Unfit(f"page {step.name.lower()} has no help")
        return f"{len(Step)} pages opened and drawn, with their help"

    def _import(self) -> str:
        self.window.show_step(Step.IMPORT)
        self.window.import_page.open_sample()
        self._idle("reading the sample")
        source = self.window.session.source
        if source is None:
            raise Unfit("the sample was not read")
        self.table: Table = source.imported.table
        if self.table.n != 20_000:
            raise Unfit(f"the sample has {self.table.n} records instead of 20000")
        self._act()
        return f"sample read: {self.table.n} records, {len(self.table.names)} columns"

    def _act(self) -> None:
        page = self.window.pages[self.window.step]
        if not page.primary.isEnabled():
            raise Unfit(f"page {self.window.step.name.lower()} does not go on: {page.foot_note.text()}")
        page.act()

    def _plan(self) -> str:
        session = self.window.session
        assert session.choices is not None
        others = [n for n, role in session.choices.roles.items() if role is Role.SA and n != _SENSITIVE]
        session.set_roles({**dict.fromkeys(others, Role.NSA), _SENSITIVE: Role.SA}, "roles")
        self._idle("roles")
        self._act()
        self._idle("plan")
        self.window.plan_page.gamma.slider.setValue(_GAMMA)
        self._idle("plan")
        if self.window.step is not Step.PLAN or session.choices.gammas != {_SENSITIVE: _GAMMA}:
            raise Unfit("the plan does not hold the gamma that was set")
        self._act()
        self._idle("publish")
        return f"plan made: gamma {_GAMMA} for {_SENSITIVE}"

    def _publish(self, folder: Path) -> str:
        page = self.window.publish_page
        page.set_target(folder)
        self._idle("gate")
        page.gate.accept_all()
        self._act()
        self._idle("publishing")
        if not (folder / "release.json").is_file():
            raise Unfit("no release was written")
        self.published = read_release(folder).published
        return f"release published and read again: {self.published.n} records"

    def _laws(self) -> list[str]:
        """Compare the release with its source: what stays must be equal, what is drawn must follow its law."""
        table = self.published.table
        if self.published.n != self.table.n:
            raise Unfit("records were lost")
        kept = [name for name in table.names if name != _SENSITIVE]
        if _rows(table, kept) != _rows(self.table, kept):
            raise Unfit("columns that are published unchanged were changed")
        before, after = _counts(self.table[_SENSITIVE]), _counts(table[_SENSITIVE])
        if not set(after) <= set(before):
            raise Unfit("a value was published that the source does not have")
        squares, many = 0.0, 0
        for value, true in before.items():
            # f' has mean f and variance f (1 - 1/gamma) (mechanism.md section 3); Bernstein's bound on its tails.
            variance, off = true * (1 - 1 / _GAMMA), after.get(value, 0) - true
            far = _LOG_ALARM / 3 + math.sqrt(_LOG_ALARM**2 / 9 + 2 * variance * _LOG_ALARM)
            if abs(off) > far:
                raise Unfit("a value's published count is further from its true count than its law allows")
            if true >= 30:
                squares, many = squares + off**2 / variance, many + 1
        # Sum of squares of `many` (about 50) nearly normal deviations: by Chernoff's bound on chi squared outside
        # these factors with a probability below 1e-8. Too small would mean that the values were hardly drawn anew.
        if not many / 5 < squares < 3 * many:
            raise Unfit("the published counts scatter otherwise than their law")
        return [
            f"{len(kept)} unchanged columns equal as a set of rows",
            f"counts of {len(before)} values scatter about the true ones as their law says",
        ]

    def _query(self) -> str:
        self.window.show_step(Step.QUERY)
        self._idle("query")
        reader = Reader(self.published)
        # Rare, but not so rare that it could vanish in the draw.
        rare = min(_counts(self.table[_SENSITIVE]).items(), key=lambda found: (abs(found[1] - 60), found[0]))[0]
        questions = [
            (Condition(_SENSITIVE, ("Heart failure",)),),
            (Condition("Ward", ("Respiratory",)), Condition(_SENSITIVE, ("Pneumonia",))),
            (Condition("Sex", ("female",)), Condition(_SENSITIVE, (rare,))),
            (Condition("Sex", ("female",)),),
        ]
        for conditions in questions:
            tab = self.window.query_page.one
            tab.builder.set_conditions(conditions)
            self.window.query_page.act()
            self._idle("counting")
            answer = tab.asked_model.rows[0].answer
            if answer.conditions != conditions or answer.published != reader.answer(conditions).published:
                raise Unfit("the query page did not answer the question that was asked")
            if not _within(answer.estimate, answer.low, answer.high, _true(self.table, conditions)):
                raise Unfit("an estimate is further from the true count than its error bars allow")
        return f"{len(questions)} questions answered within their error bars"

    def _report(self) -> str:
        self.window.show_step(Step.REPORT)
        self._idle("report")
        target = self.scratch / "report.pdf"
        if self.window.report_page.save(target) is None:
            raise Unfit("the report page is not ready to write")
        self._idle("writing the report")
        if not target.is_file():
            raise Unfit("no report was written")
        written = target.read_bytes()
        if not written.startswith(b"%PDF-1.7") or not written.rstrip().endswith(b"%%EOF"):
            raise Unfit("the report is no whole PDF")
        if written.count(b"/FontFile2") < 2 or written.count(b"/Type /Page\n") + written.count(b"/Type /Page ") < 3:
            raise Unfit("the report lacks fonts or pages")
        return "report written as PDF with its fonts"


def _rows(table: Table, names: list[str]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for row in zip(*(table[name].labels[table[name].codes].tolist() for name in names), strict=True):
        found[row] = found.get(row, 0) + 1
    return found


def _counts(column: Column) -> dict[str, int]:
    return {str(label): int(count) for label, count in zip(column.labels, column.counts(), strict=True) if count}


def _within(estimate: float, low: float, high: float, true: float) -> bool:
    """Whether an estimate is as near the true count as its error bars allow, with much to spare."""
    return abs(estimate - true) <= _WIDER * max(estimate - low, high - estimate) + 3


def _true(table: Table, conditions: Sequence[Condition]) -> int:
    """Count the records of the source itself, label by label: not by the code under test."""
    selected = np.ones(table.n, bool)
    for condition in conditions:
        column, wanted = table[condition.column], set(condition.values)
        selected &= np.array([str(label) in wanted for label in column.labels])[column.codes]
    return int(selected.sum())
