"""The gate before publishing: one line per check, each passed, to be accepted, or in the way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.guarantees import t_p_reaches
from splu_desktop.core.roles import Role
from splu_desktop.gui.release_work import Recognisable
from splu_desktop.gui.session import Choices, Source, Step
from splu_desktop.gui.widgets import Picture, button, label
from splu_desktop.gui.words import number, percent


class Light(Enum):
    """How a check came out."""

    PASSED = "passed"
    ACCEPT = "to be accepted"
    BLOCKED = "in the way"
    WAITING = "being checked"


@dataclass(frozen=True)
class Check:
    """One line of the gate.

    Attributes
    ----------
    key : names the check; an acceptance is remembered by key and text, so that changed facts ask again.
    light : how it came out.
    text : what was found, in words.
    step : where it can be mended, None where only here.
    """

    key: str
    light: Light
    text: str
    step: Step | None = None


translate = QCoreApplication.translate


def checks(source: Source, choices: Choices, found: Recognisable | None) -> list[Check]:
    """Return the lines about table and plan; `found` None while it is being looked for."""
    lines = []
    for name in choices.sensitive:
        fact, gamma = source.fact(name), choices.gammas[name]
        if fact.largest_gamma >= gamma:
            text = translate("gate", "“{name}” can be re-drawn in groups of {gamma}.").format(
                name=name, gamma=number(gamma)
            )
            lines.append(Check(f"eligible {name}", Light.PASSED, text))
        else:
            text = translate("gate", "“{name}” allows groups of at most {most}, not {gamma}.").format(
                name=name, most=number(fact.largest_gamma), gamma=number(gamma)
            )
            lines.append(Check(f"eligible {name}", Light.BLOCKED, text, Step.PLAN))
    lines += _identifiers(source, choices)
    lines.append(_recognisable(choices, found))
    lines += _thresholds(choices)
    return lines


def _identifiers(source: Source, choices: Choices) -> list[Check]:
    held = [name for name, role in choices.roles.items() if role is Role.IDENTIFIER]
    kept = [
        name
        for name, role in choices.roles.items()
        if role.published and source.suggestions[name].role is Role.IDENTIFIER
    ]
    lines = []
    for name in kept:
        text = translate("gate", "“{name}” would be published although it may name a person: {why}").format(
            name=name, why=source.suggestions[name].reason
        )
        lines.append(Check(f"identifier {name}", Light.ACCEPT, text, Step.CLASSIFY))
    if held:
        text = translate("gate", "Not published, since they name a person: {names}.").format(names=", ".join(held))
        lines.append(Check("identifiers", Light.PASSED, text))
    elif not kept:
        lines.append(Check("identifiers", Light.PASSED, translate("gate", "No column names a person by itself.")))
    return lines


def _recognisable(choices: Choices, found: Recognisable | None) -> Check:
    names = [name for name, role in choices.roles.items() if role is Role.NSA]
    if not names:
        return Check(
            "unique",
            Light.PASSED,
            translate("gate", "No column is published as it is, so no record can be recognised."),
        )
    if found is None:
        return Check("unique", Light.WAITING, translate("gate", "Looking for recognisable records…"))
    if found.unique == 0:
        return Check(
            "unique", Light.PASSED, translate("gate", "No record is unique in the columns published as they are.")
        )
    text = translate(
        "gate",
        "{unique} of {records} records ({share}) are unique in the columns published as they are. Whoever knows those"
        " columns of a person can find the row; the sensitive value read there is right with probability 1 in {gamma}.",
    ).format(
        unique=number(found.unique),
        records=number(found.records),
        share=percent(found.unique / max(1, found.records)),
        gamma=number(min(choices.gammas.values())),
    )
    return Check("unique", Light.ACCEPT, text, Step.CLASSIFY)


def _thresholds(choices: Choices) -> list[Check]:
    asked = choices.thresholds
    if asked.t_p is None:
        return []
    lines = []
    for name in choices.sensitive:
        try:
            kept = t_p_reaches(choices.gammas[name], asked.epsilon, asked.alpha, asked.t_p)
        except SpluError as fault:
            lines.append(Check(f"threshold {name}", Light.BLOCKED, str(fault), Step.PLAN))
            continue
        text = (
            translate("gate", "Small counts of “{name}” are protected as asked.").format(name=name)
            if kept
            else translate("gate", "Small counts of “{name}” are protected less than asked.").format(name=name)
        )
        lines.append(Check(f"threshold {name}", Light.PASSED if kept else Light.ACCEPT, text, Step.PLAN))
    return lines


_LOOKS = {
    Light.PASSED: ("circle-check", "answerable"),
    Light.ACCEPT: ("triangle-alert", "warning"),
    Light.BLOCKED: ("circle-alert", "fault"),
    Light.WAITING: ("circle", "quiet"),
}


class GateView(QWidget):
    """Shows the lines, with a box to tick or a button that leads to the page where a line can be mended."""

    changed = Signal()
    go = Signal(Step)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(10)
        self._grid.setColumnStretch(1, 1)
        self._accepted: set[tuple[str, str]] = set()
        self.checks: tuple[Check, ...] = ()

    def show_checks(self, lines: list[Check]) -> None:
        """Show other lines; what was accepted stays accepted where key and text are the same."""
        if tuple(lines) == self.checks:
            return
        self.checks = tuple(lines)
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        names = {
            Light.PASSED: self.tr("Passed"),
            Light.ACCEPT: self.tr("To be accepted"),
            Light.BLOCKED: self.tr("In the way"),
            Light.WAITING: self.tr("Being checked"),
        }
        for row, line in enumerate(lines):
            picture = Picture(*_LOOKS[line.light], 18)
            text = label(line.text, wrap=True)
            text.setAccessibleName(f"{names[line.light]}: {line.text}")
            self._grid.addWidget(picture, row, 0)
            self._grid.addWidget(text, row, 1)
            if line.light is Light.ACCEPT:
                box = QCheckBox(self.tr("I accept this"))
                box.setAccessibleName(self.tr("I accept: {text}").format(text=line.text))
                box.setChecked((line.key, line.text) in self._accepted)
                box.toggled.connect(partial(self._accept, line))
                self._grid.addWidget(box, row, 2)
            if line.light in (Light.ACCEPT, Light.BLOCKED) and line.step is not None:
                act = button(self.tr("Change"), partial(self.go.emit, line.step), look="flat")
                act.setAccessibleName(self.tr("Change what is behind: {text}").format(text=line.text))
                self._grid.addWidget(act, row, 3)

    def open_lines(self) -> list[Check]:
        """Return the lines that still keep the gate shut."""
        return [
            line
            for line in self.checks
            if line.light in (Light.BLOCKED, Light.WAITING)
            or (line.light is Light.ACCEPT and (line.key, line.text) not in self._accepted)
        ]

    def accept_all(self) -> None:
        """Tick every box (tests, and a second release of the same choices)."""
        for box in self.findChildren(QCheckBox):
            box.setChecked(True)

    def _accept(self, line: Check, on: bool) -> None:
        (self._accepted.add if on else self._accepted.discard)((line.key, line.text))
        self.changed.emit()
