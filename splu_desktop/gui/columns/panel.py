"""The chosen column: its values with their counts, which of them are secret, and coarser forms."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout

from splu_desktop.core.generalise import Steps, by_cuts
from splu_desktop.core.generalise.step import CannotGeneralise
from splu_desktop.core.messages import cases_of_100, isolated
from splu_desktop.core.plan import Plan
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.messages import value_words
from splu_desktop.gui.base.models import ROW, Field, Index, TableView
from splu_desktop.gui.base.parts import Card, link
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.source import Source, count_values
from splu_desktop.gui.base.widgets import ElidedLabel, label, line_edit, margins, put, restyle
from splu_desktop.gui.base.words import as_rich, bold, number, t, translate
from splu_desktop.gui.base.work import Work
from splu_desktop.gui.columns.facts import form_words, forms_of, values_after
from splu_desktop.gui.columns.group_dialog import GroupDialog

_CUTS, _HAND = "cuts", "hand"


@dataclass(frozen=True, eq=False)
class ValueRows:
    """A column's values as they go out, the most frequent first, the empty one last, with its count of rows or 0.

    A row of the list is no more than a place in them, as there may be a million.
    """

    labels: list[str]
    counts: NDArray[np.int64]
    secret: NDArray[np.bool_]


def read_column(source: Source, name: str, plan: Plan) -> tuple[ValueRows, list[tuple[str, object]]]:
    """Return a column's values as they go out, and the forms it may have. For workers: it may have a million."""
    column, steps, secret = source.table[name], plan.generalisations.get(name, ()), plan.roles[name].sensitive
    values, public = values_after(column, steps), set(plan.public_values.get(name, ()))
    flags = np.array([secret and each not in public for each in values.labels] + [False])
    rows = ValueRows([*values.labels, t("(empty)")], np.append(values.counts, values.empty), flags)
    ways: list[tuple[str, object]] = list(forms_of(source, name))
    if steps not in [each for _, each in ways]:
        ways.append((form_words(column, steps), steps))
    if column.kind.is_number:
        ways.append((t("own cut points…"), _CUTS))
    return rows, [*ways, (t("by hand…"), _HAND)]


_NO_ROWS = ValueRows([""], np.zeros(1, np.int64), np.zeros(1, bool))


class BarDelegate(QStyledItemDelegate):
    """Draws how often a value stands there."""

    def __init__(self, panel: ColumnPanel) -> None:
        super().__init__(panel)
        self._panel = panel

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        at, rows, c = index.data(ROW), self._panel.rows, theme.colours()
        share = min(1.0, rows.counts[at] / rows.counts[0])
        box = QRectF(option.rect).adjusted(4, 0, -4, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(c.protected if rows.secret[at] else c.edge))
        painter.drawRoundedRect(QRectF(box.left(), box.center().y() - 4, max(2.0, box.width() * share), 8), 2, 2)
        painter.restore()


class ColumnPanel(Card):
    """One column.

    Signals
    -------
    public_chosen (name, values) : these values are not secret.
    steps_chosen (name, steps) : the column is to be made so much coarser.
    """

    public_chosen = Signal(str, object)
    steps_chosen = Signal(str, object)

    def __init__(self, session: Session, work: Work) -> None:
        super().__init__(spacing=6)
        self._session, self._work = session, work
        self._name = ""
        self._key: tuple[object, ...] = ()
        # A name has no blank at which a label could break it, and a wider one would push all beside it out of sight.
        self.name, self.below = ElidedLabel("", "strong"), label("", "quiet", wrap=True)
        row = margins(QHBoxLayout(), 0, spacing=4)
        self.question = label("", "strong", wrap=True)
        self.all = link(t("All"), lambda: self._tick(None, True), t("Which values are secret?"))
        self.none = link(t("None"), lambda: self._tick(None, False), t("Which values are secret?"))
        put(row, (self.question, 1), self.all, self.none)
        self._asks = True  # whether the values are those of a secret column
        self.rows = _NO_ROWS
        fields: list[Field[int]] = [
            Field(
                t("Value"),
                lambda at: value_words(self.rows.labels[at]),
                colour=lambda at: "protected" if self.rows.secret[at] else None,
                tick=lambda at: bool(self.rows.secret[at]) if self._asks and at + 1 < len(self.rows.labels) else None,
            ),
            Field(t("Rows"), lambda at: ""),  # as bars
            Field(t("Rows"), lambda at: number(self.rows.counts[at]), right=True),
        ]
        self.values = TableView(t("Values"))
        self.model = self.values.hold(fields, bare=True)
        self.model.changed.connect(self._tick)
        self.values.setMinimumHeight(130)
        # Where there is little room, values scroll, not all around them.
        room = self.values.sizePolicy()
        room.setVerticalPolicy(room.Policy.Ignored)
        self.values.setSizePolicy(room)
        header = self.values.horizontalHeader()
        header.hide()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(1, 40)
        self.values.setItemDelegateForColumn(1, BarDelegate(self))
        self.forms = Choice(t("Coarser values"), 20)
        self.forms.activated.connect(self._form_chosen)
        self.cuts = line_edit(t("own cut points…"), t("for example 18, 45, 65"))
        self.cuts.returnPressed.connect(self._cut)
        self.cuts.editingFinished.connect(self._cut)
        self.fault = label("", "fault", wrap=True)
        self.consequence = label(wrap=True)
        # Its figure is bold, and `label` shows plain text.
        self.consequence.setTextFormat(Qt.TextFormat.RichText)
        below = margins(QVBoxLayout(), 0, spacing=6)
        self.coarser = label(t("Coarser values"), "strong")
        self.coarser.setBuddy(self.forms)
        put(below, self.coarser, self.forms, self.cuts, self.fault, self.consequence)
        put(self.body, self.name, self.below, row, (self.values, 1), below)
        self._take((_NO_ROWS, []))

    def show_column(self, name: str) -> None:
        """Show a column of the plan of now."""
        source, plan = self._session.source, self._session.plan
        if source is None or plan is None or name not in source.table:
            return
        role, steps = plan.roles[name], plan.generalisations.get(name, ())
        self._name = name
        self.name.setText(isolated(name))  # else it would stand at the right
        restyle(self.name, "protected" if role.sensitive else "strong")
        values, empty = map(number, count_values(source.table[name]))
        kind = translate(source.table[name].kind.value)
        self.below.setText(t("{kind}; {n} {n:value|values}, {empty} empty", kind=kind, n=values, empty=empty))
        wide = self.fontMetrics().horizontalAdvance(number(source.table.n))
        self.values.horizontalHeader().resizeSection(2, 34 + wide)
        secret = role.sensitive
        self.question.setText(t("Which values are secret?") if secret else t("Values"))
        for part in (self.all, self.none):
            part.setVisible(secret)
        key = (source, name, steps, role, tuple(plan.public_values.get(name, ())))
        # A verdict comes here, too, and forms offered anew would hide the cut points that are being typed.
        if key != self._key:
            if self._key[:2] != key[:2]:
                self._take((_NO_ROWS, []))  # never another column's values below this one's name
            self._key, self._asks = key, secret
            for each in (self.coarser, self.forms):
                each.setVisible(role.is_published)
            self._work.start(
                read_column, source, name, plan, on_done=self._take, on_exception=self.fault.tell, channel="column"
            )
        self._show_consequence(secret)

    def _take(self, result: tuple[ValueRows, list[tuple[str, object]]]) -> None:
        self.rows, ways = result
        self.model.show(range(len(self.rows.labels) - (not self.rows.counts[-1])))
        self.forms.offer(ways, self._key[2] if ways else None)
        self.cuts.hide()
        self.fault.tell("")

    def _show_consequence(self, secret: bool) -> None:
        verdict = self._session.verdict
        self.consequence.setVisible(secret)
        if verdict is None:
            self.consequence.setText(t("Working it out…") if secret else "")
            return
        right = bold(t("{part} in {whole}", part=cases_of_100(verdict.figures.certainty.average), whole=100))
        self.consequence.setText(as_rich(t("A row that shows a secret value is right {share} times.", share=right)))

    def _tick(self, place: int | None, on: bool) -> None:
        """Take the value at a place, or all of them, for secret or not."""
        if self.model.rows:  # else a worker still reads them
            secret = self.rows.secret.copy()
            secret[slice(None) if place is None else place] = on
            self.public_chosen.emit(self._name, tuple(compress(self.rows.labels[:-1], ~secret)))

    def _form_chosen(self) -> None:
        chosen = self.forms.currentData()
        self.cuts.setVisible(chosen == _CUTS)
        if chosen == _CUTS:
            self.cuts.setFocus(Qt.FocusReason.OtherFocusReason)
        elif chosen == _HAND:
            self.group_by_hand()
        else:
            self.steps_chosen.emit(self._name, chosen)

    def group_by_hand(self) -> GroupDialog | None:
        """Open the dialog in which values get the names of groups."""
        source, plan = self._session.source, self._session.plan
        if source is None or plan is None:
            return None
        name = self._name
        dialog = GroupDialog(source.table[name], self._work, self)
        dialog.chosen.connect(lambda steps: self.steps_chosen.emit(name, steps))
        # The box shows “by hand” by now, which is no form that the column has.
        dialog.rejected.connect(lambda: self.forms.choose(plan.generalisations.get(name, ())))
        dialog.open()
        return dialog

    def _cut(self) -> None:
        parts = [part for part in self.cuts.text().replace(";", ",").split(",") if part.strip()]
        if not parts:
            return
        try:
            steps: Steps = (by_cuts([part.strip() for part in parts]),)
        except CannotGeneralise as fault:
            self.fault.tell(translate(str(fault)))
            return
        self.fault.tell("")
        self.steps_chosen.emit(self._name, steps)
