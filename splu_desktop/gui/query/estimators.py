"""The "Advanced" door: every estimator's answer to the same question, and why the default is the default."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QHeaderView, QWidget

from splu_desktop.core.query.reader import DEFAULT, Answer, Method
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.widgets import Card, Choice, button, label, put
from splu_desktop.gui.base.words import t, tip, told


class MethodChoice(Choice):
    """A choice among the estimators, the recommended one first."""

    def __init__(self) -> None:
        super().__init__(t("Estimator"))
        self._names = {
            Method.POOLED: t("Pooled"),
            Method.SHRUNK: t("Shrunk"),
            Method.UNBIASED: t("Unbiased"),
            Method.BAYES: t("Iterative Bayes"),
            Method.AS_PUBLISHED: t("As published"),
        }
        others = ((self.name(method), method) for method in Method if method is not DEFAULT)
        self.offer([(t("{name} (recommended)", name=self.name(DEFAULT)), DEFAULT), *others])

    def name(self, method: Method) -> str:
        """Return an estimator's name in words."""
        return self._names.get(method, method.value)

    def chosen(self) -> Method:
        """Return the estimator chosen."""
        method: Method = self.currentData()
        return method


class Estimators(Card):
    """Choose an estimator, and see what each of them answers."""

    closed = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(spacing=6, parent=parent)
        head = put(QHBoxLayout(), (label(t("Estimators"), "strong"), 1))
        self.back = button(
            t("&Back"), self.closed.emit, look="flat", picture="undo-2", hint=t("Back to the answer (Esc)")
        )
        head.addWidget(self.back)
        self.body.addLayout(head)
        leave = QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.closed.emit)
        leave.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        column = self.body
        self.method = MethodChoice()
        self.method.currentIndexChanged.connect(self._chosen)
        column.addWidget(self.method)
        self.meaning = label("", "quiet", wrap=True)
        column.addWidget(self.meaning)
        self.model: RowsModel[Answer] = RowsModel(
            [
                Field(t("Estimator"), lambda a: self.method.name(a.method)),
                Field(t("Answer"), lambda a: told(a.shown), right=True),
            ],
            self,
        )
        self.table = TableView(t("Answers of all estimators"))
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        rows = self.table.verticalHeader().defaultSectionSize() * self.method.count()
        self.table.setFixedHeight(rows + self.table.horizontalHeader().sizeHint().height() + 4)  # all of them
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column.addWidget(self.table)
        column.addWidget(
            label(
                t(
                    "95 % intervals come from the draw itself. One goes with {names}, and is given by the files beside"
                    " the release as well; the others share another.",
                    names=", ".join(self.method.name(method) for method in Method if method.straight),
                ),
                "quiet",
                wrap=True,
            )
        )
        self.repeat = QCheckBox(t("Repeat the &draw for it"))
        tip(
            self.repeat,
            t(
                "Draws on paper 2,000 times what a count could have been published as. Done by itself where theory"
                " gives out; takes a tenth of a second."
            ),
        )
        self.repeat.toggled.connect(lambda _: self.changed.emit())
        column.addWidget(self.repeat)
        column.addStretch(1)
        self._chosen()

    def chosen(self) -> Method:
        """Return the estimator that answers."""
        return self.method.chosen()

    def show_answers(self, answers: Sequence[Answer]) -> None:
        """Show what every estimator answers."""
        self.model.show(())
        self.model.show(tuple(answers))

    def _chosen(self) -> None:
        self.meaning.setText(told(self.chosen().words))
        self.changed.emit()
