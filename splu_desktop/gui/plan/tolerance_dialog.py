"""A tolerance per value, for columns that one group size can't protect or whose values are unequally sensitive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QMenu, QPushButton, QWidget

from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.ways import by_tolerances
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Dialog, label, last_row, put, room_above
from splu_desktop.gui.base.words import caption, t, tip, told
from splu_desktop.gui.plan.tolerance_editor import ToleranceEditor
from splu_desktop.gui.plan.tolerance_figures import Designed, edited, proposed


def _by_rule(
    columns: Mapping[str, Column], rule: Callable[[Column], Tolerances], progress: Progress
) -> dict[str, Draw]:
    """Return the draws that keep what a rule gives these columns. Runs in a worker. Raises SpluError, Cancelled."""
    return {name: by_tolerances(column, rule(column), progress=progress) for name, column in columns.items()}


class ToleranceDialog(Dialog):
    """The values and their tolerances, and what follows from them."""

    def __init__(self, name: str, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(t("A tolerance per value of {column}", column=name), (900, 640), parent)
        self._name, self._session, self._tasks = name, session, tasks
        _, choices = session.opened
        shown = edited(session, name)
        given = shown.limits is not None and shown.draw is not None and shown.draw.follows is None
        column = room_above(self.parts)
        intro = t(
            "Say how sensitive each value is: which share of the rows that show it may be right, on average. "
            "A value that fills many records can't be very sensitive; a rare illness can."
        )
        self.editor = ToleranceEditor(tasks)
        put(column, label(intro, wrap=True), (self.editor, 1))
        self.promises = label("", wrap=True, selectable=True, live=True)
        column.addWidget(self.promises)
        self.others = QMenu(self)
        for other in choices.sensitive:
            if other != name:
                action = self.others.addAction(caption(other))
                action.setData(other)
                action.setCheckable(True)
        self.also = QPushButton(t("Same r&ule for…"))
        tip(self.also, t("Other sensitive columns that get their tolerances by the rule above, too"))
        self.also.setMenu(self.others)
        self.others.triggered.connect(lambda _: self._count())
        self.also.setVisible(not self.others.isEmpty())
        self.also.setAutoDefault(False)
        column.addWidget(self.also, 0, Qt.AlignmentFlag.AlignLeft)
        others = () if not given else ((t("One gro&up size instead"), self._plain),)
        self.use = last_row(self, self.parts, t("&Use these tolerances"), *others)
        self.use.setEnabled(False)
        self.editor.edited.connect(self._unknown)
        self.editor.failed.connect(self._unknown)
        self.editor.found.connect(self._known)
        limits = shown.limits if given else None
        if limits is None:  # its draw keeps others
            shown, limits = replace(shown, draw=None), proposed(shown.column)
        self.editor.open(shown, limits, choices.thresholds)

    def _unknown(self) -> None:
        self.use.setEnabled(False)
        self.promises.setText("")

    def _known(self, found: Designed) -> None:
        self.use.setEnabled(True)
        self.promises.setText("\n".join(told(each) for each in found.figures["sentences"][:4]))

    def _take(self, draw: Draw | None) -> None:
        choices = self._session.choices
        if choices is not None:
            after = choices.without_draw(self._name)
            if draw is not None:
                after = replace(choices, draws={**choices.draws, self._name: draw})
            self._session.choose(after, t("tolerances of {column}", column=self._name))

    def _plain(self) -> None:
        self._take(None)
        super().accept()

    def _ticked(self) -> list[str]:
        return [str(action.data()) for action in self.others.actions() if action.isChecked()]

    def _count(self) -> None:
        number = len(self._ticked())
        self.also.setText(t("Same r&ule for {number} more…", number=number) if number else t("Same r&ule for…"))

    def accept(self) -> None:
        """Take the tolerances over, and the rule's for the other columns ticked, as one step of undo."""
        found, choices = self.editor.designed, self._session.choices
        if found is None or choices is None:
            return super().accept()
        columns = {name: self._session.drawn(name)[0] for name in self._ticked()}
        if not columns:
            self._take(found.draw)
            return super().accept()
        self.use.setEnabled(False)
        rules, own = self.editor.rule_for, {self._name: found.draw}
        job = self._tasks.run("rule", lambda progress: _by_rule(columns, rules, progress))

        def take(draws: dict[str, Draw]) -> None:
            self._session.choose(
                replace(choices, draws={**choices.draws, **own, **draws}), t("tolerances of several columns")
            )
            self.done(QDialog.DialogCode.Accepted)

        def say_why(text: str) -> None:
            self.use.setEnabled(True)
            self.promises.setText(told(text))

        job.done.connect(take)
        job.failed.connect(say_why)
        return None

    def drop_work(self) -> None:
        self.editor.close_work()
