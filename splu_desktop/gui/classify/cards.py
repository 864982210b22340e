"""The four cards that columns are sorted into: how many each has, and a filter by one of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from splu_desktop.core.roles.vocabulary import RoleCard
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import margins
from splu_desktop.gui.base.words import number, t, tip

_GAP = 6  # between picture and text
_PICTURE = 20 + _GAP  # width of a picture and the space beside it
PICTURES = {
    None: "tags",
    RoleCard.IDENTIFIES: "eye-off",
    RoleCard.RECOGNISES: "search",
    RoleCard.SPECIAL: "shield",
    RoleCard.HARMLESS: "file-text",
}


def card_name(card: RoleCard | None) -> str:
    """Return a card as a custodian says it; None stands for all."""
    return {
        None: t("All"),
        RoleCard.IDENTIFIES: t("Identifies"),
        RoleCard.RECOGNISES: t("Recognises"),
        RoleCard.SPECIAL: t("Health and the like"),
        RoleCard.HARMLESS: t("Harmless"),
    }[card]


def card_meaning(card: RoleCard | None) -> str:
    """Return what belongs on a card, in one sentence."""
    return {
        None: t("Show every column of the table."),
        RoleCard.IDENTIFIES: t("Names, numbers of persons and stays, addresses, free text: not published."),
        RoleCard.RECOGNISES: t(
            "Dates, ages, places, and numbers that nearly every record has of its own: make them coarser."
        ),
        RoleCard.SPECIAL: t(
            "Health, origin, religion, politics, sex life, money, and what nothing is known of: sensitive or left out."
        ),
        RoleCard.HARMLESS: t("How care is organised, and how records were made: published as it is."),
    }[card]


class CardBar(QWidget):
    """A button for each card and one for all; one of them is down.

    Signals
    -------
    chosen : another card is shown now; `card` has it, None for all.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(t("Show the columns of one card"))
        self.card: RoleCard | None = None
        row = QHBoxLayout(self)
        margins(row, 0, spacing=4)
        self._group = QButtonGroup(self)
        self.buttons: dict[RoleCard | None, QPushButton] = {}
        for card in (None, *RoleCard):
            made = QPushButton()
            made.setCheckable(True)
            made.setChecked(card is None)
            tip(made, card_meaning(card))
            made.clicked.connect(partial(self.choose, card))
            self._group.addButton(made)
            self.buttons[card] = made
            row.addWidget(made)
        row.addStretch(1)

    def choose(self, card: RoleCard | None) -> None:
        """Show the columns of one card, None for all."""
        self.card = card
        with QSignalBlocker(self._group):
            self.buttons[card].setChecked(True)
        self.chosen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._picture()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "buttons"):
            self._picture()

    def _picture(self) -> None:
        """Give the buttons pictures where there is room for them."""
        c = theme.colours()
        for made in self.buttons.values():
            made.setIcon(QIcon())
        room = self.width() - sum(made.sizeHint().width() + 4 for made in self.buttons.values())
        if room >= len(self.buttons) * _PICTURE:
            for card, made in self.buttons.items():
                made.setIconSize(QSize(16 + _GAP, 16))
                made.setIcon(theme.icon(PICTURES[card], c.quiet, gap=_GAP))

    def count(self, found: Mapping[RoleCard, int]) -> None:
        """Show how many columns each card has."""
        for card, made in self.buttons.items():
            many = sum(found.values()) if card is None else found.get(card, 0)
            made.setText(t("{card} ({n})", card=card_name(card), n=number(many)))
        self._picture()
