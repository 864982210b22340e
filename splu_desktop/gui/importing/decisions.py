"""What is done with values and rows that don't fit, to be decided per kind."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from splu_desktop.files.importer import Decision, ImportChoices, ProblemKind
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.widgets import label
from splu_desktop.gui.base.words import t


class DecisionsForm(QWidget):
    """One box for each kind of problem that can be decided. `decided` carries a ProblemKind and a Decision."""

    decided = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        form = QFormLayout(self)
        form.setContentsMargins(0, 8, 8, 0)
        form.setRowWrapPolicy(form.RowWrapPolicy.WrapAllRows)  # else the first rows beside it have no room
        self.boxes: dict[ProblemKind, Choice] = {}
        keep, missing = Decision.KEEP, Decision.MISSING
        drop = {Decision.DROP: t("drop the row")}
        kinds = {
            ProblemKind.MISFIT: (
                t("A value that does not fit its column"),
                {keep: t("keep it as a text"), missing: t("treat it as missing"), **drop},
            ),
            ProblemKind.LONG_ROW: (t("A row with too many fields"), {keep: t("leave out what is too much"), **drop}),
            ProblemKind.SHORT_ROW: (t("A row with too few fields"), {keep: t("treat the others as empty"), **drop}),
            ProblemKind.DOUBTFUL_ROW: (
                t("A row that may be a title, a total or a note"),
                {keep: t("keep it as a record"), **drop},
            ),
        }
        for kind, (name, ways) in kinds.items():
            box = Choice(name)
            box.offer((words, way) for way, words in ways.items())
            box.activated.connect(lambda _, kind=kind, box=box: self.decided.emit(kind, box.currentData()))
            self.boxes[kind] = box
            form.addRow(name, box)
        hint = t("Whatever is decided, the list of problems names every row and keeps what was left out.")
        form.addRow(label(hint, "quiet", wrap=True))

    def show_choices(self, asked: ImportChoices) -> None:
        """Show what was decided."""
        for kind, box in self.boxes.items():
            box.choose(asked.decisions.get(kind, Decision.KEEP))
