"""What a cross-table is made of: one or two columns, or intervals of them, against a sensitive one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.crosstab_grid import Side, Wanted
from splu_desktop.core.query.reader import sentence
from splu_desktop.gui.base.widgets import Choice, label, margins, put
from splu_desktop.gui.base.words import joined, number, t, tip, told
from splu_desktop.gui.query.crosstab.work import settled
from splu_desktop.gui.query.estimators import MethodChoice

MANY = 15  # values of an ordered column from which on intervals are proposed
_INTERVALS = (4, 5, 10, 20)


class SideChoice(QWidget):
    """A column, and into how many intervals its values go."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._published: Published | None = None
        row = margins(QHBoxLayout(self), 0, spacing=4)
        self.column, self.intervals = Choice(name), Choice(t("Intervals of {name}", name=name))
        for box, letters in ((self.column, 9), (self.intervals, 8)):
            box.keep_short(letters)
            row.addWidget(box, 1)
        tip(self.intervals, t("Intervals hold about equally many records each"))
        self.column.currentTextChanged.connect(partial(tip, self.column))  # the box may be too narrow for it
        self.column.currentIndexChanged.connect(lambda _: self._column_chosen())
        self.intervals.currentIndexChanged.connect(lambda _: self.changed.emit())

    def show_release(self, published: Published | None, names: Sequence[str], none: str = "", start: int = 0) -> None:
        """Offer columns of a release; `none` is what stands for no column."""
        self._published = published
        first = [(none, "")] if none else []
        self.column.offer([*first, *((name, name) for name in names)], names[start] if names and not none else "")
        for at, name in enumerate(names, len(first)):
            assert published is not None
            values = t("{m} values", m=number(published.table[name].m))
            self.column.setItemData(at, values, Qt.ItemDataRole.ToolTipRole)
        self._column_chosen()

    def side(self) -> Side | None:
        """Return what is chosen, None for no column."""
        name = self.column.currentData()
        return Side(name, self.intervals.currentData() or 0) if name else None

    def _column_chosen(self) -> None:
        name = self.column.currentData()
        # Values of a sensitive column are counted one by one.
        column = self._published.table[name] if self._published is not None and name in self._published.nsas else None
        m = column.m if column is not None and column.kind.ordered else 0
        wider = [(t("{n} intervals", n=count), count) for count in _INTERVALS if count < m]
        self.intervals.offer([(t("each value"), 0), *wider], 10 if m > MANY else 0)
        self.intervals.setVisible(m > 2)
        self.changed.emit()


class Setup(QWidget):
    """The choices of a cross-table."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = margins(QVBoxLayout(self), 0, spacing=4)
        row = margins(QHBoxLayout(), spacing=8)
        self.first = SideChoice(t("First column"))
        self.second = SideChoice(t("Second column"))
        self.sensitive = Choice(t("Sensitive column"))
        self.sensitive.keep_short(9)
        for words, part, stretch in (
            (t("Columns"), self.first, 2),
            (t("and"), self.second, 2),
            (t("against"), self.sensitive, 2),
        ):
            put(row, label(words, "quiet"), (part, stretch))
        column.addLayout(row)
        self.within = QCheckBox()
        self.within.setAccessibleName(t("Only the records of the question"))
        self.within.hide()
        self.method = MethodChoice()
        tip(self.method, t("What the cells are estimated by; two sensitive columns by “unbiased” alone"))
        second = put(margins(QHBoxLayout(), spacing=8), label(t("Estimator"), "quiet"), self.method, self.within)
        second.addStretch(1)
        column.addLayout(second)
        self._conditions: tuple[Condition, ...] = ()
        self._published: Published | None = None
        self.first.changed.connect(self.changed)
        self.second.changed.connect(self.changed)
        self.sensitive.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.within.toggled.connect(lambda _: self.changed.emit())
        self.method.currentIndexChanged.connect(lambda _: self.changed.emit())

    def show_release(self, published: Published | None) -> None:
        """Offer the columns of another release."""
        self._published = published
        start = 0
        if published is not None and published.nsas:
            # Something readable to begin with: the column with the fewest values above one.
            sizes = [(published.table[name].m < 2, published.table[name].m) for name in published.nsas]
            start = sizes.index(min(sizes))
        nsas = published.nsas if published is not None else ()
        others = published.sensitive if published is not None and len(published.sensitive) > 1 else ()
        self.first.show_release(published, (*nsas, *others), start=start)
        self.second.show_release(published, nsas, none=t("nothing else"))
        self.sensitive.offer((name, name) for name in (published.sensitive if published is not None else ()))
        self.offer_within(())
        self.changed.emit()

    def offer_within(self, conditions: tuple[Condition, ...]) -> None:
        """Offer to count only the records that meet the conditions on NSAs of the question."""
        self._conditions = conditions
        self.within.setVisible(bool(conditions))
        if not conditions:
            self.within.setChecked(False)
        words = joined(told(condition.words()) for condition in conditions)
        self.within.setText(t("Only where {conditions}", conditions=words))
        tip(self.within, told(sentence(conditions)))

    def wanted(self) -> Wanted | None:
        """Return the cross-table chosen, None where it can't be one."""
        sides = tuple(side for side in (self.first.side(), self.second.side()) if side is not None)
        sensitive = self.sensitive.currentData()
        names = {side.column for side in sides}
        if not sides or not sensitive or sensitive in names or len(names) < len(sides):
            return None
        within = self._conditions if self.within.isChecked() else ()
        assert self._published is not None
        return settled(self._published, Wanted(sides, sensitive, within, self.method.chosen()))
