"""The ways of asking as tabs, each made when it is first wanted: all at once, the window would stand still."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from splu_desktop.gui.query.tab import Tab

Maker = Callable[[], Tab]


class Ways(QTabWidget):
    """Tabs that are empty until someone looks at them.

    Signals
    -------
    made (Tab) : a tab was made; nobody has seen it yet.
    turned : another tab is in front, and it is made.
    """

    made = Signal(Tab)
    turned = Signal()

    def __init__(self, makers: tuple[tuple[str, Maker], ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tabBar().setDrawBase(False)  # one line below the tabs, none above
        self._makers = tuple(maker for _, maker in makers)
        self._tabs: list[Tab | None] = [None] * len(makers)
        for name, _ in makers:
            self.addTab(QWidget(), name)
        self.currentChanged.connect(self._front)

    def way(self, at: int) -> Tab:
        """Return a tab; it is made if need be."""
        found = self._tabs[at]
        if found is None:
            found = self._tabs[at] = self._makers[at]()
            room, front = self.widget(at), self.currentIndex()
            name, shown = self.tabText(at), self.isTabVisible(at)
            with QSignalBlocker(self):
                self.removeTab(at)
                self.insertTab(at, found, name)
                self.setTabVisible(at, shown)
                self.setCurrentIndex(front)
            if room is not None:
                room.deleteLater()
            self.made.emit(found)
        return found

    def front(self) -> Tab:
        """Return the tab in front."""
        return self.way(max(0, self.currentIndex()))

    def there(self) -> tuple[Tab, ...]:
        """Return the tabs made by now."""
        return tuple(tab for tab in self._tabs if tab is not None)

    def _front(self, at: int) -> None:
        if at >= 0:
            self.way(at)
            self.turned.emit()
