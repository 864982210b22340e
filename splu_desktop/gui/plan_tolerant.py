"""The plan page of a column with a tolerance per value: its group sizes and its promises in sentences."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.plan import Thresholds
from splu_desktop.core.tolerant_groups import Grouping
from splu_desktop.core.tolerant_guarantees import sentences_of
from splu_desktop.gui.session import Session
from splu_desktop.gui.tasks import Tasks
from splu_desktop.gui.tolerance_dialog import ToleranceDialog, sizes_in_words
from splu_desktop.gui.widgets import Card, Picture, button, label, margins


class TolerantPart(QWidget):
    """Stands in place of slider and plots."""

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, tasks
        self._shown: tuple[str, Grouping, Thresholds] | None = None
        outer = QVBoxLayout(self)
        margins(outer, 0, spacing=12)
        card = Card(spacing=10)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Picture("shield", "protected", 18))
        self.title = label("", "strong", wrap=True)
        head.addWidget(self.title, 1)
        head.addWidget(button(self.tr("C&hange the tolerances…"), self.change, picture="sliders-horizontal"))
        card.body.addLayout(head)
        self.sentences = label("", wrap=True, selectable=True)
        card.body.addWidget(self.sentences)
        copy = button(self.tr("Copy &these sentences"), self.copy, picture="copy")
        card.body.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
        outer.addWidget(card)
        outer.addStretch(1)
        self.hide()

    def show_grouping(self, name: str, grouping: Grouping, thresholds: Thresholds) -> None:
        """Show what holds for a column."""
        if self._shown == (name, grouping, thresholds):
            return
        self._shown = name, grouping, thresholds
        self.title.setText(
            self.tr("“{column}” has a tolerance per value; its records stand in {sizes}.").format(
                column=name, sizes=sizes_in_words(grouping)
            )
        )
        self.sentences.setText("\n\n".join(sentences_of(name, grouping, thresholds)))

    def change(self) -> ToleranceDialog | None:
        """Open the dialog that sets the tolerances."""
        if self._shown is None:
            return None
        dialog = ToleranceDialog(self._shown[0], self._session, self._tasks, self)
        dialog.open()
        return dialog

    def copy(self) -> None:
        """Copy the promises as text."""
        QGuiApplication.clipboard().setText(f"{self.title.text()}\n{self.sentences.text()}")
