"""The chosen column: its values with their counts, which of them are secret, and coarser forms."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class ValueRow:
    """One value: its label, how often it stands there, whether it is secret, its share of the most frequent one."""

    label: str
    count: int
    secret: bool
    share: float
    empty: bool = False


def read_column(source: Source, name: str, plan: Plan) -> tuple[list[ValueRow], list[tuple[str, object]]]:
    """Return a column's values as they go out, and the forms it may have. For workers: it may have a million."""
    column, steps, secret = source.table[name], plan.generalisations.get(name, ()), plan.roles[name].sensitive
    values, public = values_after(column, steps), set(plan.public_values.get(name, ()))
    top = float(values.counts.max(initial=1))
    rows = [
        ValueRow(each, int(count), secret and each not in public, count / top)
        for each, count in zip(values.labels, values.counts, strict=True)
    ]
    if values.empty:
        rows.append(ValueRow(t("(empty)"), values.empty, False, min(1.0, values.empty / top), empty=True))
    ways: list[tuple[str, object]] = list(forms_of(source, name))
    if steps not in [each for _, each in ways]:
        ways.append((form_words(column, steps), steps))
    if column.kind.is_number:
        ways.append((t("own cut points…"), _CUTS))
    return rows, [*ways, (t("by hand…"), _HAND)]


class BarDelegate(QStyledItemDelegate):
    """Draws how often a value stands there."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        row, c = index.data(ROW), theme.colours()
        share, secret = (row.share, row.secret) if isinstance(row, ValueRow) else (0.0, False)
        box = QRectF(option.rect).adjusted(4, 0, -4, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(c.protected if secret else c.edge))
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
        fields: list[Field[ValueRow]] = [
            Field(
                t("Value"),
                lambda r: value_words(r.label),
                colour=lambda r: "protected" if r.secret else None,
                tick=lambda r: r.secret if self._asks and not r.empty else None,
            ),
            Field("", lambda r: ""),
            Field(t("Rows"), lambda r: number(r.count), right=True),
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
        self.values.setItemDelegateForColumn(1, BarDelegate(self.values))
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
        self._take(([], []))

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
                self._take(([], []))  # never another column's values below this one's name
            self._key, self._asks = key, secret
            for each in (self.coarser, self.forms):
                each.setVisible(role.is_published)
            self._work.start(
                read_column, source, name, plan, on_done=self._take, on_exception=self._refuse, channel="column"
            )
        self._show_consequence(secret)

    def _take(self, result: tuple[list[ValueRow], list[tuple[str, object]]]) -> None:
        rows, ways = result
        self.model.show(rows)
        self.forms.offer(ways, self._key[2] if ways else None)
        self.cuts.hide()
        self._refuse("")

    def _refuse(self, words: str) -> None:
        """Say what is wrong, "" for nothing."""
        self.fault.setText(words)
        self.fault.setVisible(bool(words))

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
        if not self.model.rows:  # a worker still reads them
            return
        rows = [(on if place in (None, at) else row.secret, row) for at, row in enumerate(self.model.rows)]
        self.public_chosen.emit(self._name, tuple(row.label for secret, row in rows if not secret and not row.empty))

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
            self._refuse(translate(str(fault)))
            return
        self._refuse("")
        self.steps_chosen.emit(self._name, steps)
