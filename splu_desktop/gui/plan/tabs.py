"""Below the plots of the plan page: the promises in sentences, and the values of the sensitive column one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.gui.base.models import Field, RowsModel, SortFilter, TableView
from splu_desktop.gui.base.widgets import Picture, WholeLines, button, copy_text, label, margins, put
from splu_desktop.gui.base.words import filled, number, percent, t
from splu_desktop.gui.plan.figures import ValueRow, Values
from splu_desktop.gui.plan.ways_out import WayOut, WaysOutRow


class PromisesTab(QWidget):
    """One sentence per promise, what the thresholds fail to give, and a button that copies all of it.

    Signals
    -------
    warned (str) : what the thresholds fail to give; "" for nothing.
    """

    warned = Signal(str)

    def __init__(self, take: Callable[[WayOut], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        self.small, self.large, self.readers = (label(selectable=True, fitting=True) for _ in range(3))
        self.warnings = label(selectable=True, fitting=True, live=True)
        said = QWidget()
        lines = margins(QVBoxLayout(said), 0, spacing=8)
        self._warning_picture = Picture("triangle-alert", "warning")
        for picture, text in (
            (Picture("shield", "protected"), self.small),
            (Picture("circle-check", "answerable"), self.large),
            (Picture("info"), self.readers),
            (self._warning_picture, self.warnings),
        ):
            row = put(margins(QHBoxLayout(), spacing=12), (picture, 0, Qt.AlignmentFlag.AlignTop), (text, 1))
            lines.addLayout(row)
        lines.addStretch(1)
        # Long sentences scroll: what a slider says must not lay out the whole page anew.
        room = WholeLines()
        room.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        room.setAccessibleName(t("Promises"))
        room.setWidget(said)
        column.addWidget(room, 1)
        foot = margins(QHBoxLayout(), spacing=8)
        self.ways_out = WaysOutRow(take)
        put(foot, (self.ways_out, 1), 0)
        self.copy_button = button(t("&Copy these sentences"), self.copy, picture="copy")
        foot.addWidget(self.copy_button)
        column.addLayout(foot)
        self.show_warnings(())

    def show_promises(self, sentences: tuple[str, str, str]) -> None:
        """Show what is promised of small and of large counts, and what a row tells to whom."""
        for text, said in zip((self.small, self.large, self.readers), sentences, strict=True):
            text.setText(said)

    def show_warnings(self, sentences: Sequence[str]) -> None:
        """Show what the thresholds fail to give."""
        said = "\n".join(sentences)
        self.warnings.setText(said)
        for part in (self.warnings, self._warning_picture):
            part.setVisible(bool(said))
        self.warned.emit(said)

    def copy(self) -> None:
        """Copy the promises as text."""
        said = (self.small.text(), self.large.text(), self.readers.text(), self.warnings.text())
        copy_text("\n".join(text for text in said if text))


class ValuesTab(QWidget):
    """The values with their figures, totals above."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        self.totals = label("", "quiet")
        column.addWidget(self.totals)
        self.model: RowsModel[ValueRow] = RowsModel(self._fields())
        self.table = TableView(t("Values of the sensitive column"))
        ordered = SortFilter()
        ordered.setParent(self.table)
        ordered.setSourceModel(self.model)
        self.table.setModel(ordered)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        column.addWidget(self.table, 1)

    def _fields(self) -> list[Field[ValueRow]]:
        words = {
            "protected": t("protected"),
            "between": t("in between"),
            "answerable": t("answerable"),
        }
        pictures = {"protected": "shield", "between": "circle", "answerable": "circle-check"}
        return [
            Field(t("Value"), lambda r: r.value or t("(empty)")),
            Field(t("Records"), lambda r: number(r.count), key=lambda r: r.count, right=True),
            Field(
                t("Count is"),
                lambda r: words[r.group],
                key=lambda r: r.count,
                colour=lambda r: r.group,
                picture=lambda r: pictures[r.group],
                hint=t("Protected: small, shown wrong on purpose. Answerable: large, can be relied on."),
            ),
            Field(
                t("Shown wrong"),
                lambda r: percent(r.wrong),
                key=lambda r: r.wrong,
                right=True,
                hint=t("Probability that the published count is wrong by more than the error set above"),
            ),
            Field(
                t("Usual error"),
                lambda r: percent(r.error),
                key=lambda r: r.error,
                right=True,
                hint=t("Expected relative error of the published count"),
            ),
            Field(
                t("Signal left"),
                lambda r: percent(r.signal),
                key=lambda r: r.signal,
                right=True,
                hint=t(
                    "How much of this value's link to the other columns is left. 100 %: all that the group size allows;"
                    " 0 %: nothing can be told any more."
                ),
            ),
        ]

    def show_values(self, found: Values) -> None:
        """Show the values under another plan."""
        first = not self.model.rows
        self.model.show(found.rows)
        if first:
            self.table.fit_columns(filling=0, least=140)
        said = {
            "protected": t("{values} protected ({records} records)"),
            "between": t("{values} in between ({records} records)"),
            "answerable": t("{values} answerable ({records} records)"),
        }
        self.totals.setText(
            ", ".join(
                filled(said[group], values=number(values), records=number(records))
                for group, (values, records) in found.totals.items()
            )
        )
