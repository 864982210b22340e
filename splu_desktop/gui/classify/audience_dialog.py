"""Who gets the release: five questions in plain words, and the limits that follow, each to be changed with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLineEdit, QSpinBox, QWidget

from splu_desktop.core.guarantees.audience import HOLDS, NAMES, WHO, Audience
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.widgets import (
    Choice,
    Dialog,
    label,
    last_row,
    line_edit,
    new_grid,
    percent_box,
    room_above,
    whole_box,
)
from splu_desktop.gui.base.words import t, tip
from splu_desktop.gui.classify.parts import meanings_of_limits

_TIMES = {"k": 1, "unique": 100, "certainty": 100, "cell": 1}  # what a box shows of a limit: shares in per cent


class AudienceDialog(Dialog):
    """The five questions, and below them the limits."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(t("Who gets it?"), (760, 600), parent)
        self.setMinimumWidth(720)
        self._session = session
        choices = session.choices
        given = choices.audience if choices is not None and choices.audience is not None else Audience("partner")
        column = room_above(self.parts)
        column.addWidget(
            label(
                t("Five questions say how careful the release has to be. The limits below follow from the answers."),
                "quiet",
                fitting=True,
            )
        )
        grid = new_grid(16, 4)
        grid.setColumnStretch(0, 1)
        column.addLayout(grid)
        no_yes = (False, True), (t("No"), t("Yes"))
        self.who = self._question(
            grid,
            t("Who gets the release?"),
            WHO,
            (t("A colleague in our house"), t("A research partner elsewhere"), t("The public, or I don't know")),
            given.who,
        )
        self.signed = self._question(grid, t("Have they signed not to recognise anybody?"), *no_yes, given.signed)
        self.holds = self._question(
            grid,
            t("What do they hold about the same people already?"),
            HOLDS,
            (t("Nothing that we know of"), t("Other data about some of them"), t("Records of the same people")),
            given.holds,
        )
        self.passes_on = self._question(grid, t("May they pass it on to others?"), *no_yes, given.passes_on)
        self.tables = self._question(grid, t("Will they print or publish tables made from it?"), *no_yes, given.tables)
        column.addWidget(label(t("What follows"), "strong"))
        limits = new_grid(16, 4)
        limits.setColumnStretch(0, 3)
        limits.setColumnStretch(2, 2)
        column.addLayout(limits)
        self._numbers: dict[str, QSpinBox | QDoubleSpinBox] = {}
        self._reasons: dict[str, QLineEdit] = {}
        titles = {
            "k": t("Records alike, at least"),
            "unique": t("Unique records, at most"),
            "certainty": t("A row about a person is right in at most"),
            "cell": t("Least number in a printed table"),
        }
        for row, (name, meaning) in enumerate(meanings_of_limits().items()):
            box: QSpinBox | QDoubleSpinBox
            if _TIMES[name] == 1:
                box = whole_box(1, 1000, titles[name])
            else:
                box = percent_box(0.0 if name == "unique" else 1.0, 100.0, 2, titles[name])
            why = line_edit(t("Reason for another limit: {limit}", limit=titles[name]), t("Reason for the change"))
            box.setValue(_TIMES[name] * getattr(given.limits, name))
            why.setText(given.changed[name][1] if name in given.changed else "")
            box.valueChanged.connect(self._show)
            why.textChanged.connect(self._show)
            text = label(titles[name], fitting=True)
            text.setBuddy(box)
            for at, part in enumerate((text, box, why)):
                limits.addWidget(part, 2 * row, at)
            limits.addWidget(label(meaning, "quiet", fitting=True), 2 * row + 1, 0, 1, 3)
            self._numbers[name], self._reasons[name] = box, why
        self.note = label("", "quiet", fitting=True, live=True)
        column.addWidget(self.note)
        column.addStretch(1)
        self.take = last_row(self, self.parts, t("&Use these limits"))
        self._proposed = self.plain().proposed
        self._show()

    def _question(
        self, grid: QGridLayout, text: str, answers: Sequence[object], words: Sequence[str], given: object
    ) -> QComboBox:
        row = grid.rowCount()
        box = Choice(text)
        box.offer(zip(words, answers, strict=True), given)
        box.currentIndexChanged.connect(self._answered)
        grid.addWidget(label(text, fitting=True), row, 0)
        grid.addWidget(box, row, 1)
        return box

    def plain(self) -> Audience:
        """Return the answers, without limits of one's own."""
        return Audience(
            self.who.currentData(),
            self.signed.currentData(),
            self.holds.currentData(),
            self.passes_on.currentData(),
            self.tables.currentData(),
        )

    def _answered(self) -> None:
        """Let the limits that were not changed by hand follow the answers."""
        before, self._proposed = self._proposed, self.plain().proposed
        for name, box in self._numbers.items():
            if self._value(name) == self._rounded(name, getattr(before, name)):
                with QSignalBlocker(box):
                    box.setValue(_TIMES[name] * getattr(self._proposed, name))
        self._show()

    def _value(self, name: str) -> float:
        return self._numbers[name].value()

    def _rounded(self, name: str, value: float) -> float:
        return round(_TIMES[name] * value, 2)

    def changed(self) -> dict[str, tuple[float, str]]:
        """Return the limits that differ from what follows from the answers, with their reasons."""
        return {
            name: (
                self._value(name) / 100 if _TIMES[name] > 1 else self._value(name),
                self._reasons[name].text().strip(),
            )
            for name in NAMES
            if self._value(name) != self._rounded(name, getattr(self._proposed, name))
        }

    def _show(self) -> None:
        own = self.changed()
        for name, why in self._reasons.items():
            why.setEnabled(name in own)
        lacking = [name for name, (_, why) in own.items() if not why]
        self.take.setEnabled(not lacking)
        level = self.plain().level
        widest = (
            t("The usual limits for a colleague under contract."),
            t("The usual limits for a research partner under contract."),
            t("The limits of a public release: whoever wants to may look."),
        )[level]
        self.note.setText(t("Say why you change a limit; recipe and gate keep the reason.") if lacking else widest)
        tip(self.take, self.note.text() if lacking else "")

    def accept(self) -> None:
        """Take the answers as one step of undo."""
        choices = self._session.choices
        if choices is None or not self.take.isEnabled():
            return
        audience = replace(self.plain(), changed=self.changed())
        self._session.choose(replace(choices, audience=audience), t("who gets the release"))
        super().accept()
