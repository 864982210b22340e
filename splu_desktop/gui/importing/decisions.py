"""What is done with values and rows that don't fit, to be decided per kind."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from splu_desktop.files.importer import Decision, ImportChoices, ProblemKind
from splu_desktop.gui.base.widgets import Choice, label


class DecisionsForm(QWidget):
    """One box for each kind of problem that can be decided. `decided` carries a ProblemKind and a Decision."""

    decided = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        form = QFormLayout(self)
        form.setContentsMargins(0, 8, 8, 0)
        self.boxes: dict[ProblemKind, QComboBox] = {}
        keep, missing, drop = Decision.KEEP, Decision.MISSING, Decision.DROP
        kinds = {
            ProblemKind.MISFIT: (
                self.tr("A value that does not fit its column"),
                {keep: self.tr("keep it as a text"), missing: self.tr("treat it as missing"), drop: self._drop()},
            ),
            ProblemKind.LONG_ROW: (
                self.tr("A row with too many fields"),
                {keep: self.tr("leave out what is too much"), drop: self._drop()},
            ),
            ProblemKind.SHORT_ROW: (
                self.tr("A row with too few fields"),
                {keep: self.tr("treat the others as empty"), drop: self._drop()},
            ),
            ProblemKind.DOUBTFUL_ROW: (
                self.tr("A row that may be a title, a total or a note"),
                {keep: self.tr("keep it as a record"), drop: self._drop()},
            ),
        }
        for kind, (name, ways) in kinds.items():
            box = Choice(name)
            for way, words in ways.items():
                box.addItem(words, way)
            box.activated.connect(lambda _, kind=kind, box=box: self.decided.emit(kind, box.currentData()))
            self.boxes[kind] = box
            form.addRow(name, box)
        said = self.tr("Whatever is decided, the list of problems names every row and keeps what was left out.")
        form.addRow(label(said, "quiet", wrap=True))

    def _drop(self) -> str:
        return self.tr("drop the row")

    def show_choices(self, asked: ImportChoices) -> None:
        """Show what was decided."""
        for kind, box in self.boxes.items():
            box.setCurrentIndex(max(0, box.findData(asked.decisions.get(kind, Decision.KEEP))))
