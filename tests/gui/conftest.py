"""The window under test: offscreen, with settings of its own, and nothing left behind by any test."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QSettings, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.shell import app
from splu_desktop.gui.shell.main_window import MainWindow

PATIENCE = 600_000  # ms after which a worker hangs: no judgement of speed, since others may have the processors
for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitExposed):
    wait.__kwdefaults__["timeout"] = PATIENCE


def _at_home(home: Path, patch: pytest.MonkeyPatch) -> None:
    (home / "Documents").mkdir(parents=True)
    patch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "SPLU_DATA_DIR"):
        patch.setenv(name, str(home / name.lower()))
    QStandardPaths.setTestModeEnabled(True)
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(home / "settings"))


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, brief_attacks: None, dressed: None) -> None:
    """Give every test a home, settings and data folder of its own."""
    _at_home(tmp_path / "home", monkeypatch)
    monkeypatch.setattr("splu_desktop.gui.compare.dialog.LIMIT", 3_600.0)  # seconds: as tests/conftest.py's _no_clock


@pytest.fixture(scope="session")
def dressed(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let a test that opens no window find the same language, numbers and colours whichever test ran before it."""
    with pytest.MonkeyPatch.context() as patch:
        _at_home(tmp_path_factory.mktemp("dressed") / "home", patch)
        app.prepare(qapp)


_aside: list[weakref.ref[QTimer]] = []  # timers there were before


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """Set aside what is there already, so that looking for leaks costs a millisecond, whatever ran before."""
    gc.collect()
    _aside.extend(map(weakref.ref, _made()))
    gc.freeze()


def _made() -> Iterator[QTimer]:
    return (found for found in gc.get_objects() if isinstance(found, QTimer))


def _timers() -> set[int]:
    there = (*_made(), *filter(None, (each() for each in _aside)))
    return {id(found) for found in there if shiboken6.isValid(found) and found.isActive()}


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a thread, a running timer or a top-level widget behind."""
    widgets = set(qapp.topLevelWidgets())
    threads, timers = set(threading.enumerate()), _timers()
    yield
    qapp.processEvents()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    gc.collect()
    left = [thread.name for thread in threading.enumerate() if thread not in threads]
    assert not left, f"threads left: {left}"
    assert not (_timers() - timers), "timers left"
    windows = [w for w in qapp.topLevelWidgets() if w not in widgets]
    assert not windows, f"widgets left: {windows}"


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    """The main window, shown, and gone again after the test."""
    app.prepare(qapp)
    made = app.make_window()
    made.resize(1280, 720)
    made.show()
    yield made
    made.close()
    made.tasks.shutdown()
    made.deleteLater()


@pytest.fixture
def idle(qtbot: QtBot) -> Callable[[MainWindow], None]:
    """Wait until no work is under way."""

    def wait(window: MainWindow) -> None:
        qtbot.waitUntil(lambda: not window.tasks.busy())

    return wait


@pytest.fixture
def small_csv(tmp_path: Path) -> Path:
    """A table of 600 invented patients: a record number, sex, age, ward, and a diagnosis with a few rare values."""
    diagnoses = ["flu"] * 90 + ["asthma"] * 80 + ["fracture"] * 80 + ["migraine"] * 80 + ["gout"] * 80
    diagnoses += ["anaemia"] * 80 + ["measles"] * 70 + ["rabies"] * 2 + [f"rare {i}" for i in range(38)]
    lines = ["Record number,Sex,Age,Ward,Diagnosis"]
    for i, diagnosis in enumerate(diagnoses):
        lines.append(f"R{i:05},{'fm'[i % 2]},{20 + i % 7},{'ABC'[i % 3]},{diagnosis}")
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def opened(window: MainWindow, small_csv: Path, idle: Callable[[MainWindow], None]) -> MainWindow:
    """The window with the small table open and Diagnosis as its sensitive column, gamma 5."""
    window.import_page.open_file(small_csv)
    idle(window)
    window.session.set_roles(
        {
            "Record number": Role.IDENTIFIER,
            "Sex": Role.NSA,
            "Age": Role.NSA,
            "Ward": Role.NSA,
            "Diagnosis": Role.SA,
        },
        "roles",
    )
    window.session.end_history()
    return window
