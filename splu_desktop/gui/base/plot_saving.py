"""A plot in a card of its own, and the small button beside a plot that saves it as a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.files.disk.whole import CannotWrite
from splu_desktop.gui.base.plots import LEAST, Plot
from splu_desktop.gui.base.widgets import Card, IconButton, Picture, label, margins, put, tab_after
from splu_desktop.gui.base.words import t, tip, told

Drawn = TypeVar("Drawn", bound=Plot)


class SavePlotButton(IconButton):
    """Asks where to, then writes SVG or PNG by the file's ending.

    Signals
    -------
    failed (str) : a sentence on why it could not be written.
    """

    failed = Signal(str)

    def __init__(self, plot: Plot, title: str, parent: QWidget | None = None) -> None:
        super().__init__("", "download", "flat", parent)
        self.plot = plot
        self.setAutoDefault(False)
        tip(self, t("Save this plot as a picture (SVG or PNG)"))
        self.setAccessibleName(t("Save the plot “{title}” as a picture", title=title))
        self.clicked.connect(lambda: self.ask())

    def ask(self) -> None:
        """Let the user choose where the plot is saved."""
        name, _ = QFileDialog.getSaveFileName(
            self, t("Save the plot"), f"{self.plot.accessibleName()}.svg", t("Pictures (*.svg *.png)")
        )
        if not name:
            return
        path = Path(name)
        try:
            self.plot.save(path if path.suffix.lower() in (".svg", ".png") else path.with_suffix(".svg"))
        except CannotWrite as fault:
            self.failed.emit(told(str(fault)))


class PlotCard(Card, Generic[Drawn]):
    """A plot below its title, with the point that matters in words.

    The plot, of a hundred parts, is made when it is first asked for: a page that opens shows the card first.

    Signals
    -------
    failed (str) : a sentence on why the plot could not be saved.
    """

    failed = Signal(str)

    def __init__(self, make: Callable[[], Drawn], title: str, picture: str, colour: str) -> None:
        super().__init__(spacing=4)
        margins(self.body, 12, 8, 8, 6, spacing=4)
        self._make, self._title = make, title
        self._drawing: Callable[[Drawn], None] = lambda _: None
        self.head = margins(QHBoxLayout(), spacing=8)
        put(self.head, Picture(picture, colour), (label(title, "strong", wrap=True), 1))
        self.body.addLayout(self.head)
        self._room = QWidget()
        self._room.setMinimumSize(LEAST)
        self.body.addWidget(self._room, 1)
        self.note = label("", "quiet", wrap=True)
        self.note.setMinimumHeight(3 * self.note.fontMetrics().height())
        self.note.setFont(self.font())
        self.body.addWidget(self.note)

    @cached_property
    def plot(self) -> Drawn:
        """The plot; it is made if need be."""
        plot = self._make()
        save = SavePlotButton(plot, self._title)
        save.failed.connect(self.failed)
        self.head.addWidget(save)
        margins(QVBoxLayout(self._room), 0).addWidget(plot)
        tab_after(self._room, save, plot)
        plot.readout.connect(lambda text: self.note.setText(text or plot.accessibleDescription()))
        self._draw(plot)
        return plot

    def draw(self, drawing: Callable[[Drawn], None]) -> None:
        """Let the plot draw; once it is made, where it is not yet."""
        self._drawing = drawing
        if "plot" in self.__dict__:
            self._draw(self.plot)

    def _draw(self, plot: Drawn) -> None:
        self._drawing(plot)
        self.note.setText(plot.accessibleDescription())
