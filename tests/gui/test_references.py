"""Void calls must not lose references to None: some versions of PySide6 do, and die after minutes of use."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QLabel


def test_void_calls_keep_their_references(qapp: QApplication) -> None:
    thing, text = QObject(), QLabel()
    before = sys.getrefcount(None)
    for _ in range(50_000):
        thing.setObjectName("a")
        text.update()
    # A loss of one reference per call would show as -100,000; other code may gain or drop a few meanwhile.
    # On Python 3.12 and later None is immortal and the count stands still.
    assert abs(sys.getrefcount(None) - before) < 1_000
    text.deleteLater()
