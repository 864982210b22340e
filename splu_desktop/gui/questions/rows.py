"""One table that must come out, as a sentence of boxes: [Count] [positive] of [result] by [age] and [nothing else]."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise.measurements import is_measurement
from splu_desktop.core.messages import isolated
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.parts import Flow
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import button, label, margins, put
from splu_desktop.gui.base.words import bare, join, t, translate

_MOST_VALUES = 200


class TableRow(QWidget):
    """One table.

    Signals
    -------
    changed : another table is asked for, or none that makes sense; `asked` and `fault` say which.
    removed : it is not wanted.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, number: int) -> None:
        super().__init__()
        flow = Flow(across=6)
        table = t("Table {n}", n=number)
        names = t("Count"), t("Value"), t("Secret column"), t("by"), t("and")
        self.kind, self.value, self.sa, self.by, self.also = (Choice(join((table, name), ":"), 6) for name in names)
        self.kind.offer([(t("Count"), "count"), (t("Average of"), "mean"), (bare(t("&Compare")), "compare")])
        self._of, by, last = label(t("of")), label(t("by")), QWidget()
        put(margins(QHBoxLayout(last), 0, spacing=6), label(t("and")), self.also)  # no line ends in “and”
        for part in (self.kind, self.value, self._of, self.sa, by, self.by, last):
            flow.addWidget(part)
        self.remove = button("", self.removed.emit, look="flat", picture="x")
        self.remove.setAccessibleName(t("Take away: {condition}", condition=table))
        self.remove.setFixedWidth(30)
        line = put(margins(QHBoxLayout(self), 0, spacing=6), (flow, 1))
        # In the flow the cross would get a line of its own where words are long, as in German.
        line.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignTop)
        self._source: Source | None = None
        self._within = 0.3
        self.fault = ""
        self.kind.activated.connect(self._tell)
        self.sa.activated.connect(self._other_column)
        for each in (self.value, self.by, self.also):
            each.activated.connect(self._tell)

    def show_table(self, source: Source, asked: AskedTable) -> None:
        """Show a table that is asked for."""
        if source is not self._source:
            self._source = source
            secret, others = columns_to_ask(source)
            self.sa.offer([(isolated(name), name) for name in (*secret, *others)])
            lines = [(isolated(name), name) for name in (*others, *secret)]
            self.by.offer([(t("nothing"), ""), *lines])
            self.also.offer([(t("nothing else"), ""), *lines])
        self._within = asked.within
        self.kind.choose(asked.kind)
        self.sa.choose(asked.sa)
        self._offer_values(asked.value)
        self.by.choose(asked.by[0] if asked.by else "")
        self.also.choose(asked.by[1] if len(asked.by) > 1 else "")
        self._fit()

    def read_table(self) -> AskedTable | None:
        """Return the table that the boxes say; None where they make none, and `fault` says why."""
        by = tuple(dict.fromkeys(name for name in (self.by.currentData(), self.also.currentData()) if name))
        kind = self.kind.currentData()
        value = None if kind == "mean" else self.value.currentData()
        self.fault = ""
        try:
            return AskedTable(self.sa.currentData(), value, by, kind, self._within)
        except BadSetting as fault:
            self.fault = translate(str(fault))
            return None

    def _offer_values(self, value: str | None) -> None:
        source = self._source
        if source is None:
            return
        column = source.table[self.sa.currentData()]
        labels: Sequence[str] = ()
        if not is_measurement(column):  # its bands are not known yet
            counts = column.counts()
            order = sorted(range(column.m), key=lambda at: -counts[at])
            labels = [str(column.labels[at]) for at in order if not column.missing[at]][:_MOST_VALUES]
        # A value that is asked for stays on offer, however rare it is.
        known = list(labels) if value is None or value in labels else [value, *labels]
        self.value.offer([(t("each value"), None), *((isolated(each), each) for each in known)], value)

    def _other_column(self) -> None:
        self._offer_values(None)
        self._tell()

    def _tell(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        mean = self.kind.currentData() == "mean"
        self.value.setVisible(not mean)
        self._of.setVisible(not mean)
        for each in (self.kind, self.value, self.sa, self.by, self.also):
            each.fit()


def columns_to_ask(source: Source) -> tuple[list[str], list[str]]:
    """Return the columns that are taken as secret, and the other columns that may be published."""
    roles = {name: source.suggestions[name].role for name in source.table.names}
    secret = [name for name, role in roles.items() if role.sensitive]
    of_age = [name for name in roles if source.suggestions[name].subject == "age"]
    births = of_age if all(roles[name] is Role.IDENTIFIER for name in of_age) else ()  # an age is made of the first
    others = [name for name, role in roles.items() if role not in (Role.SA, Role.IDENTIFIER) or name in births]
    return secret, others
