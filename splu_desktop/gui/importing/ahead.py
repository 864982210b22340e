"""What the later pages need, imported before they are wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module

from PySide6 import QtCore, QtGui, QtWidgets

from splu_desktop.core.progress import Progress
from splu_desktop.gui.base.tasks import Job, Tasks, in_turns

_ON_THIS_THREAD = (
    "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "multiprocessing.connection", "pyqtgraph",
    *(f"splu_desktop.gui.{name}" for name in (
        "classify.group_dialog", "classify.page", "base.plots", "plan.must_dialog", "plan.tolerant", "plan.page",
    )),
)  # fmt: skip
_TURN = 25  # ms between two turns, in which the window does what else there is
_NAMES = 40  # that one turn looks at


def get_ready(tasks: Tasks) -> Job:
    """Import what the later pages need: in a worker what has nothing to do with Qt, then the rest turn by turn."""
    job = tasks.run("ahead", load_ahead)
    job.done.connect(lambda _: in_turns(tasks, _turns(), _TURN))
    return job


def load_ahead(progress: Progress) -> None:
    """Import what the later pages need while a table is read, in the worker: the window would stand still for it.

    Only what has nothing to do with Qt. Raises Cancelled.
    """
    for name in (
        "core.analyse.two_sensitive", "core.checks.gate", "core.checks.proposing", "core.checks.selfcheck",
        "core.checks.trial", "core.draw.belonging", "core.guarantees.planning", "core.query.crosstab_grid",
        "core.query.engine", "files.disk.rust_libraries", "files.disk.settings", "files.publish.publishing",
        "files.questions.batch", "files.questions.crosstab_file", "files.questions.figures_file",
        "files.questions.rows", "files.register.shelf", "files.release.handover", "files.tables.sheets",
        "report.history", "report.make",
    ):  # fmt: skip
        progress.report("Getting ready", 0.0)
        import_module(f"splu_desktop.{name}")


def _turns() -> Iterator[str]:
    """Import the pages that are opened next, on the window's thread, since they make types of Qt.

    PySide makes each of its own classes when somebody first names it, and pyqtgraph names all of them: half of its
    time, which can be had in pieces.
    """
    if _ON_THIS_THREAD[-1] in sys.modules:
        return
    for module in (QtCore, QtGui, QtWidgets):
        for at, name in enumerate(dir(module)):
            getattr(module, name, None)  # a part of a class goes once it is made, perhaps by other turns
            if at % _NAMES == 0:
                yield name
    for name in _ON_THIS_THREAD:
        import_module(name)
        yield name
