"""Faults of a Qt binding that this program would meet: docs/decisions/qt-6.10.3.md."""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer


def test_calls_that_return_nothing_take_no_reference_to_none() -> None:
    timer, before = QTimer(), sys.getrefcount(None)
    for _ in range(100_000):
        timer.setInterval(7)
    assert abs(sys.getrefcount(None) - before) < 10_000
