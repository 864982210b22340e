"""Asks why something is to be done all the same."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from splu_desktop.gui.base.widgets import Dialog, WholeLines, label, last_row, line_edit, put, scrolled
from splu_desktop.gui.base.words import t

_WIDE, _BESIDE, _HIGH = 540, 48, 220  # pixels: the dialog, what stands beside its lines in it, and what scrolls at most


class ReasonDialog(Dialog):
    """What speaks against it, a line each, and a field that must not stay empty.

    lines : what speaks against it; text : what the reason is for; act : what is done then, in words.

    Signals
    -------
    given (reason) : the user typed a reason and goes on.
    """

    given = Signal(str)

    def __init__(
        self, title: str, lines: Sequence[str], text: str, act: str, parent: QWidget | None = None, example: str = ""
    ) -> None:
        super().__init__(title, (_WIDE, 0), parent)
        against = label("\n\n".join(lines), "strong", fitting=True)
        said = scrolled(against, WholeLines)
        said.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the keyboard scrolls, too
        said.setAccessibleName(title)
        tall = against.heightForWidth(_WIDE - _BESIDE)
        said.setMinimumHeight(min(tall, _HIGH))
        said.setMaximumHeight(tall)
        put(self.parts, said, label(text, wrap=True))
        self.reason = line_edit(t("Reason"), example)
        self.parts.addWidget(self.reason)
        self.go_on = last_row(self, self.parts, act)
        self.go_on.setEnabled(False)
        self.reason.textChanged.connect(lambda text: self.go_on.setEnabled(bool(text.strip())))
        self.reason.setFocus()

    @classmethod
    def of_columns(cls, names: Sequence[str], reasons: Sequence[str], parent: QWidget | None = None) -> ReasonDialog:
        """Return the dialog that asks why columns that name persons are published."""
        lines = [t("“{column}”: {reason}", column=each, reason=why) for each, why in zip(names, reasons, strict=True)]
        text = t(
            "Whoever reads the release could recognise persons by this. To make it coarser instead, cancel and group"
            " its values first. To publish it all the same, say why; the report shows your reason."
        )
        example = t("for example: numbers drawn afresh")
        return cls(t("Publish what may name a person?"), lines, text, t("&Publish it for this reason"), parent, example)

    def accept(self) -> None:
        """Go on, with a reason alone."""
        reason = self.reason.text().strip()
        if reason:
            self.given.emit(reason)
            super().accept()
