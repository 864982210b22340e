"""Faults of a Qt binding that this program would meet: docs/decisions/qt-6.10.3.md."""

from __future__ import annotations

import subprocess
import sys

from PySide6.QtCore import QTimer


def test_calls_that_return_nothing_take_no_reference_to_none() -> None:
    timer, before = QTimer(), sys.getrefcount(None)
    for _ in range(100_000):
        timer.setInterval(7)
    assert abs(sys.getrefcount(None) - before) < 10_000


def test_no_type_of_qt_is_left_to_be_made_by_a_worker() -> None:
    """Workers import pyqtgraph, which asks for each: made while the window hears events, one start of 100 crashed."""
    code = """if True:
        import splu_desktop.gui
        from PySide6 import QtCore, QtGui, QtWidgets
        asked = [(each, name) for each in (QtCore, QtGui, QtWidgets) for name in dir(each)]
        print([name for each, name in asked if "." not in name and name not in vars(each)])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr
