"""An empty Qt window, frozen as the program is: what any start costs. See cold_start.py."""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

application = QApplication(sys.argv)
window = QMainWindow()
window.resize(1280, 800)
window.show()
turns = QTimer(window)
waited = 0


def turn() -> None:  # as when_idle in splu_desktop/gui/shell/app.py
    """End once the window is on the screen and no event is left."""
    global waited
    shown = window.windowHandle() is not None and window.windowHandle().isExposed()
    waited = waited + 1 if shown else 0
    if waited == 3:
        turns.stop()
        window.close()


turns.timeout.connect(turn)
turns.start(0)
sys.exit(application.exec())
