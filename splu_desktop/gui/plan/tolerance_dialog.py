"""A tolerance per value, for columns that one group size can't protect or whose values are unequally sensitive."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from splu_desktop.core.draw import DecoyGroups
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import label, last_row, margins
from splu_desktop.gui.base.words import filled, told
from splu_desktop.gui.plan.tolerance_editor import ToleranceEditor
from splu_desktop.gui.plan.tolerance_figures import Designed, proposed


class ToleranceDialog(QDialog):
    """The values and their tolerances, and what follows from them."""

    def __init__(self, name: str, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._name, self._session = name, session
        if session.choices is None:
            raise RuntimeError("nothing is open")
        draw = session.choices.draws.get(name)
        now = draw if isinstance(draw, DecoyGroups) else None  # the only draws that this dialog gives
        self.setWindowTitle(filled(self.tr("A tolerance per value of {column}"), column=name))
        self.resize(900, 640)
        column = QVBoxLayout(self)
        margins(column, 16, spacing=12)
        column.addWidget(
            label(
                self.tr(
                    "Say how sensitive each value is: which share of the rows that show it may be right, on average. "
                    "A value that fills many records can't be very sensitive; a rare illness can."
                ),
                wrap=True,
            )
        )
        self.editor = ToleranceEditor(tasks)
        column.addWidget(self.editor, 1)
        self.promises = label("", wrap=True, selectable=True)
        column.addWidget(self.promises)
        others = () if now is None else ((self.tr("One gro&up size instead"), self._plain),)
        self.use = last_row(self, column, self.tr("&Use these tolerances"), *others)
        self.use.setEnabled(False)
        self.editor.edited.connect(self._unknown)
        self.editor.failed.connect(self._unknown)
        self.editor.found.connect(self._known)
        values = session.drawn(name)[0]
        limits = dict(now.tolerances.limits) if now is not None else proposed(values)
        self.editor.open(values, limits, session.choices.thresholds, now)

    def _unknown(self) -> None:
        self.use.setEnabled(False)
        self.promises.setText("")

    def _known(self, found: Designed) -> None:
        self.use.setEnabled(True)
        self.promises.setText("\n".join(told(each) for each in found.promises[:4]))

    def _take(self, grouping: DecoyGroups | None) -> None:
        choices = self._session.choices
        if choices is not None:
            after = choices.without_draw(self._name)
            if grouping is not None:
                after = replace(choices, draws={**choices.draws, self._name: grouping})
            self._session.choose(after, filled(self.tr("tolerances of {column}"), column=self._name))

    def _plain(self) -> None:
        self._take(None)
        self._close(QDialog.DialogCode.Accepted)

    def accept(self) -> None:
        """Take the tolerances over, as one step of undo."""
        if self.editor.designed is not None:
            self._take(self.editor.designed.grouping)
        self._close(QDialog.DialogCode.Accepted)

    def reject(self) -> None:
        """Leave everything as it was."""
        self._close(QDialog.DialogCode.Rejected)

    def _close(self, code: QDialog.DialogCode) -> None:
        self.editor.close_work()
        self.done(code)
