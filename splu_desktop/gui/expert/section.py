"""What every part of Expert is: a heading, a form that follows the session, and how a change is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.widgets import label, margins
from splu_desktop.gui.base.words import told
from splu_desktop.gui.base.work import Work


class Section(QWidget):
    """A part of Expert; it says its `title` and `aside`, and overrides `build` and `refresh`."""

    def __init__(self, session: Session, work: Work, title: str, aside: str = "") -> None:
        super().__init__()
        self.session, self.work, self.title = session, work, title
        self.body = margins(QVBoxLayout(self), 16, 12, 16, 12, spacing=8)
        heading = label(title, "strong")
        self.body.addWidget(heading)
        if aside:
            below = label(aside, "quiet", wrap=True)
            self.body.addWidget(below)
        self.fault = label("", "problem", wrap=True, live=True)
        self.build()
        self.body.addWidget(self.fault)
        self.fault.hide()

    def build(self) -> None:
        """Make the parts, once."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show the plan of now."""
        raise NotImplementedError

    def change(self, make: Callable[[Plan], Plan], name: str, merge: str = "") -> None:
        """Change the plan; what is wrong with it is said below the form, and the plan stays."""
        plan = self.session.plan
        if plan is None:
            return
        try:
            made = make(plan)
        except SpluError as fault:
            self.say_fault(told(str(fault)))
            return
        self.say_fault("")
        self.session.change_plan(made, name, merge, expert=name)

    def change_part(self, name: str, merge: str = "", **parts: object) -> None:
        """Replace parts of the plan."""
        self.change(lambda plan: replace(plan, **parts), name, merge)  # type: ignore[arg-type]

    def say_fault(self, sentence: str) -> None:
        """Say what is wrong, "" for nothing."""
        self.fault.setText(sentence)
        self.fault.setVisible(bool(sentence))


def grid_of(headings: tuple[str, ...]) -> QGridLayout:
    """Return a grid whose first line has headings."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(6)
    for at, each in enumerate(headings):
        head = label(each, "quiet")
        head.setFont(theme.small_font(head.font()))
        grid.addWidget(head, 0, at)
    grid.setColumnStretch(len(headings), 1)
    return grid
