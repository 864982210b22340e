"""What the later pages need, imported before they are wanted."""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec, module_from_spec
from itertools import chain

from PySide6 import QtCore, QtGui, QtWidgets

from splu_desktop.core.progress import Progress
from splu_desktop.gui.base.tasks import Job, Tasks, in_turns

_ON_THIS_THREAD = (
    "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "multiprocessing.connection", "pyqtgraph",
    *(f"splu_desktop.gui.{name}" for name in (
        "classify.group_dialog", "classify.page", "base.plots", "plan.must_dialog", "plan.tolerant", "plan.page",
        "publish.page", "query.question", "query.crosstab.tab", "query.analyse.tab", "query.many", "query.page",
        "report.page",
    )),
)  # fmt: skip
_TURN = 25  # ms between two turns, in which the window does what else there is
_NAMES = 40  # that one turn looks at
_PIECE = 0.01  # seconds of the processor for which one turn runs a package's statements


def get_ready(tasks: Tasks, then: Iterable[object] = ()) -> Job:
    """Import what the later pages need: in a worker what is not Qt's, the rest turn by turn, and do `then` so."""
    job = tasks.run("ahead", load_ahead)
    job.done.connect(lambda _: in_turns(tasks, chain(_turns(), then), _TURN))
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
        yield from _in_pieces(name) if name == "pyqtgraph" else ()
        import_module(name)
        yield name


def _in_pieces(name: str) -> Iterator[str]:
    """Run a package's own statements, a few each turn; to import it is then to finish that, or to begin anew.

    Between two turns only its parts are known, so that whoever asks for the package meanwhile gets the whole of it.
    """
    spec = find_spec(name)
    source = spec.loader.get_source(name) if spec is not None and isinstance(spec.loader, InspectLoader) else None
    if name in sys.modules or spec is None or source is None:  # an installer brings no sources
        return
    made = module_from_spec(spec)
    began = time.thread_time()
    for statement in ast.parse(source).body:
        sys.modules[name] = made
        exec(compile(ast.Module([statement], []), str(spec.origin), "exec"), made.__dict__)  # noqa: S102 # the package's own
        if time.thread_time() - began > _PIECE:
            del sys.modules[name]
            yield name
            if name in sys.modules:
                return
            began = time.thread_time()
