"""What every way of asking is: a panel that works for one release at a time."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from splu_desktop.gui.ask.asking import Opened
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.work import Work


class Panel(QWidget):
    """One way of asking; it overrides `build`, `fold` and `show_release`, and is disabled until there is a release.

    say : tells "done" or "fault", and a sentence, above the panel.
    """

    opened: Opened

    def __init__(self, work: Work, say: Callable[[str, str], object]) -> None:
        super().__init__()
        self.work, self.say = work, say
        self.build()

    def build(self) -> None:
        """Make the parts, once."""
        raise NotImplementedError

    def fold(self, fold: Fold) -> None:
        """Lay them out for so much room."""
        raise NotImplementedError

    def show_release(self, opened: Opened) -> None:
        """Ask another release."""
        self.opened = opened
