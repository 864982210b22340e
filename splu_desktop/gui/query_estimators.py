"""The "Advanced" door: every estimator's answer to the same question, and why the default is the default."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from splu_desktop.core.query import DEFAULT, Answer, Method
from splu_desktop.gui.models import Field, RowsModel, TableView
from splu_desktop.gui.widgets import Card, button, label


class Estimators(Card):
    """Choose an estimator, and see what each of them answers."""

    closed = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Estimators"), spacing=6, parent=parent)
        self._names = {
            Method.SHRUNK: self.tr("Shrunk"),
            Method.UNBIASED: self.tr("Unbiased"),
            Method.BAYES: self.tr("Iterative Bayes"),
            Method.AS_PUBLISHED: self.tr("As published"),
        }
        self._meanings = {
            Method.SHRUNK: self.tr(
                "Pulls what is uncertain towards what the rest of the release says. Smallest error on real tables,"
                " so it is the default."
            ),
            Method.UNBIASED: self.tr("Right on average, but far off for a single count of a small selection."),
            Method.BAYES: self.tr("Fits the likeliest counts step by step; never negative, a little slower."),
            Method.AS_PUBLISHED: self.tr("The papers' way. Biased towards the usual: only for comparison."),
        }
        column = self.body
        self.method = QComboBox()
        self.method.setAccessibleName(self.tr("Estimator"))
        for method in (DEFAULT, *(each for each in Method if each is not DEFAULT)):
            name = self.name(method)
            self.method.addItem(
                self.tr("{name} (recommended)").format(name=name) if method is DEFAULT else name, method
            )
        self.method.currentIndexChanged.connect(self._chosen)
        column.addWidget(self.method)
        self.meaning = label("", "quiet", wrap=True)
        column.addWidget(self.meaning)
        self.model: RowsModel[Answer] = RowsModel(
            [
                Field(self.tr("Estimator"), lambda a: self.name(a.method)),
                Field(self.tr("Answer"), lambda a: a.shown, right=True),
            ],
            self,
        )
        self.table = TableView(self.tr("Answers of all estimators"))
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        self.table.setMinimumHeight(100)
        column.addWidget(self.table, 1)
        column.addWidget(
            label(self.tr("The 95 % interval is the same for all: it comes from the draw itself."), "quiet", wrap=True)
        )
        column.addWidget(button(self.tr("&Back to the answer"), self.closed.emit, look="flat", picture="undo-2"))
        self._chosen()

    def name(self, method: Method) -> str:
        """Return an estimator's name in words."""
        return self._names.get(method, method.value)

    def chosen(self) -> Method:
        """Return the estimator that answers."""
        method: Method = self.method.currentData()
        return method

    def show_answers(self, answers: Sequence[Answer]) -> None:
        """Show what every estimator answers."""
        self.model.show(())
        self.model.show(tuple(answers))
        self.table.fit_columns(160)

    def _chosen(self) -> None:
        self.meaning.setText(self._meanings.get(self.chosen(), ""))
        self.changed.emit()
