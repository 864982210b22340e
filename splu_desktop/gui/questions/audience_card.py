"""Question 1: who gets it, on which terms, what for, until when."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QDate, QLocale, QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from splu_desktop.core.audience import Audience, day_to_delete
from splu_desktop.core.errors import BadSetting
from splu_desktop.gui.base.parts import ChoiceCard, Flow
from splu_desktop.gui.base.widgets import label, line_edit, margins, put, turn
from splu_desktop.gui.base.words import date_words, t, translate

_FORMATS = ("yyyy-M-d", "d.M.yyyy", "d MMM yyyy", "d. MMM yyyy", "d MMMM yyyy", "d. MMMM yyyy", "MMMM d, yyyy")


def date_from(text: str) -> str:
    """Return a date as a person types it in ISO form, the text itself where it can't be read."""
    locale = QLocale()
    short = locale.dateFormat(QLocale.FormatType.ShortFormat)
    # 01/03/2027 is another day in Paris than in Chicago.
    slashes = "M/d/yyyy" if short.startswith("M") else "d/M/yyyy"
    for each in (*_FORMATS, slashes, short, locale.dateFormat(QLocale.FormatType.LongFormat)):
        date = locale.toDate(text, each)
        # Qt takes a year of two digits for one of the last century: 12/31/27 is read as 1927.
        if date.isValid() and date.year() > 1950:
            return date.toString("yyyy-MM-dd")
    return text


class AudienceForm(QWidget):
    """Three ways to choose from, two ticks and three fields.

    Signals
    -------
    changed (Audience) : another answer.
    """

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        column = margins(QVBoxLayout(self), 0, spacing=8)
        self._audience = Audience()
        self.cards = {
            "colleague": ChoiceCard(t("A colleague in this hospital"), t("bound by the hospital’s rules")),
            "partner": ChoiceCard(t("A partner under contract"), t("university, register, company")),
            "public": ChoiceCard(t("Anyone, or not sure"), t("as if it stood on the internet")),
        }
        self._beside = put(margins(QHBoxLayout(), spacing=12), *((card, 1) for card in self.cards.values()))
        column.addLayout(self._beside)
        self._group = QButtonGroup(self)
        for who, card in self.cards.items():
            self._group.addButton(card.radio)
            card.radio.clicked.connect(lambda _=False, who=who: self._say("who", who))
        self.signed = QCheckBox(t("They have signed not to try to recognise anybody"))
        self.holds = QCheckBox(t("They already hold records of these people"))
        self.signed.clicked.connect(lambda on: self._say("signed", on))
        self.holds.clicked.connect(lambda on: self._say("holds_records", on))
        ticks = Flow(across=28)
        ticks.addWidget(self.signed)
        ticks.addWidget(self.holds)
        column.addLayout(ticks)
        self._fields = margins(QHBoxLayout(), spacing=12)
        column.addLayout(self._fields)
        self.recipient = self._field(t("Name of the recipient"), "recipient", 5)
        self.purpose = self._field(t("What they need it for"), "purpose", 6)
        self.until = self._field(t("They delete it by"), "until", 3)
        self.until.setPlaceholderText(date_words(f"{QDate.currentDate().year() + 1}-12-31"))
        self.fault = label("", "fault", wrap=True)
        self.fault.hide()
        column.addWidget(self.fault)
        self.fold(False)

    def _field(self, name: str, key: str, stretch: int) -> QLineEdit:
        edit = line_edit(name)
        edit.editingFinished.connect(lambda: self._edit(key, edit))
        caption, both = label(name, "quiet-small"), QWidget()
        caption.setBuddy(edit)
        put(margins(QVBoxLayout(both), 0, spacing=2), caption, edit)
        self._fields.addWidget(both, stretch)
        return edit

    def fold(self, one: bool) -> None:
        """Put cards and fields below each other."""
        turn(self._beside, down=one)
        turn(self._fields, down=one)

    def show_audience(self, audience: Audience) -> None:
        """Show an answer."""
        if audience != self._audience:  # undone, or of another table
            self.fault.hide()
        self._audience = audience
        with QSignalBlocker(self._group):
            for who, card in self.cards.items():
                card.radio.setChecked(who == audience.who)
        self.signed.setChecked(audience.signed)
        self.holds.setChecked(audience.holds_records)
        self.signed.setVisible(audience.who != "public")
        self.holds.setVisible(audience.who != "public")
        for field, text in (
            (self.recipient, audience.recipient),
            (self.purpose, audience.purpose),
            (self.until, date_words(audience.until)),
        ):
            # What is being typed, or can't be read, must not be written over by the answer before.
            if not field.isModified() or (self.fault.isHidden() and not field.hasFocus()):
                field.setText(text)

    def _edit(self, key: str, field: QLineEdit) -> None:
        text = " ".join(field.text().split())
        if key == "until":
            self.fault.hide()
            try:
                text = day_to_delete(date_from(text))
            except BadSetting as fault:
                self.fault.tell(translate(str(fault)))
                self.changed.emit(self._audience)  # the same answer, but nobody may go on from here
                return
        # It is an answer now, which a refresh may show in its own way.
        field.setModified(False)
        self._audience = replace(self._audience, **{key: text})  # type: ignore[arg-type]
        self.changed.emit(self._audience)

    def _say(self, key: str, value: object) -> None:
        now = replace(self._audience, **{key: value})  # type: ignore[arg-type]
        if now != self._audience:
            self._audience = now
            self.changed.emit(now)
