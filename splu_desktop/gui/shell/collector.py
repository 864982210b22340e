"""Python's garbage collector, on the window's thread alone, while nothing is under way and nobody is at it.

Left to itself it starts in whichever thread makes an object too many, and a full collection stops every thread, the
window's too, for a twentieth of a second and longer: in the midst of writing a report, or of a drag of the slider.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

from splu_desktop.gui.base.tasks import Tasks

_EVERY = 2000  # ms
_WORTH = 20_000  # objects made and still there since the last time, from which it is worth looking for rubbish
_PRESSING = 3_000_000  # from which it is looked for even while work is under way: their room may be needed
_WHOLE = 30  # times that only new objects are looked at, until all are


class Collector(QObject):
    """Takes over from the automatic collector when it is made."""

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._times = 0
        self._begun = tasks.begun
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.turn)
        self._timer.start(_EVERY)

    def turn(self) -> bool:
        """Collect if it is worth it and nobody waits, nor did since the last turn. Returns whether it did."""
        idle, begun = self._tasks.idle(), self._tasks.begun
        made, rested = gc.get_count()[0], idle and begun == self._begun
        self._begun = begun if idle else -1
        if made < _WORTH or (made < _PRESSING and not rested):
            return False
        self._times += 1
        gc.collect(2 if self._times % _WHOLE == 0 else 1)
        return True
