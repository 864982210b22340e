"""The small button beside a plot that saves it as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from splu_desktop.files.disk.whole import CannotWrite
from splu_desktop.gui.base.plots import Plot
from splu_desktop.gui.base.widgets import IconButton
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
