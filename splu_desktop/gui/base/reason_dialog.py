"""Asks why a column that names persons is to be published all the same."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from splu_desktop.gui.base.widgets import Dialog, label, last_row, line_edit, put
from splu_desktop.gui.base.words import t

_SHOWN = 6


class ReasonDialog(Dialog):
    """A sentence per column, and a field that must not stay empty.

    Signals
    -------
    given (reason) : the user typed a reason and goes on.
    """

    given = Signal(str)

    def __init__(self, names: Sequence[str], reasons: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(t("Publish what may name a person?"), None, parent)
        lines = [
            t("“{column}”: {reason}", column=name, reason=reason)
            for name, reason in list(zip(names, reasons, strict=True))[:_SHOWN]
        ]
        put(
            self.parts,
            label("\n".join(lines), "strong", wrap=True),
            label(
                t(
                    "Whoever reads the release could recognise persons by this. To make it coarser instead, cancel and"
                    " group its values first. To publish it all the same, say why; the report shows your reason."
                ),
                wrap=True,
            ),
        )
        self.reason = line_edit(t("Reason for publishing"), t("for example: numbers drawn afresh"))
        self.parts.addWidget(self.reason)
        self.publish = last_row(self, self.parts, t("&Publish it for this reason"))
        self.publish.setEnabled(False)
        self.reason.textChanged.connect(lambda text: self.publish.setEnabled(bool(text.strip())))
        self.reason.setFocus()

    def accept(self) -> None:
        """Go on, with a reason alone."""
        reason = self.reason.text().strip()
        if reason:
            self.given.emit(reason)
            super().accept()
