"""What every part of Expert is: a heading, a form that follows the session, and how a change is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from splu_desktop.core.messages import isolated
from splu_desktop.core.plan import Plan
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import empty, label, make_grid, margins, put
from splu_desktop.gui.base.words import join, t
from splu_desktop.gui.base.work import Work

Box = TypeVar("Box", bound=QWidget)


class Section(QWidget):
    """A part of Expert; it overrides `build` and `show_plan`."""

    def __init__(self, session: Session, work: Work, title: str, aside: str) -> None:
        super().__init__()
        self.session, self.work, self.title = session, work, title
        self.body = margins(QVBoxLayout(self), 16, 12, 16, 12, spacing=8)
        put(self.body, label(title, "strong"), label(aside, "quiet", wrap=True))
        self.fault = label("", "fault", wrap=True, live=True)
        self.build()
        put(self.body, self.fault, 0)  # room that is left goes to what stretches, or below
        self.fault.hide()

    def build(self) -> None:
        """Make the parts, once."""
        raise NotImplementedError

    def show_plan(self, plan: Plan, source: Source) -> None:
        """Show the plan of now."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show what there is now."""
        if self.session.plan is not None and self.session.source is not None:
            self.show_plan(self.session.plan, self.session.source)

    def change(self, make: Callable[[Plan], Plan], name: str, merge: str = "") -> None:
        """Change the plan; what is wrong with it is said below the form, and the plan stays."""
        self.fault.tell(self.session.make_plan(make, name, merge, expert=name))

    def change_part(self, name: str, merge: str = "", **parts: object) -> None:
        """Replace parts of the plan."""
        self.change(lambda plan: replace(plan, **parts), name, merge)  # type: ignore[arg-type]


class Rows(QWidget, Generic[Box]):
    """A line for each of some columns: its name, and a box."""

    def __init__(self, heading: str, make: Callable[[str], Box]) -> None:
        super().__init__()
        self._heading, self._make = heading, make
        self._room = margins(QVBoxLayout(self), 0)
        self.boxes: dict[str, Box] = {}

    def show_names(self, names: tuple[str, ...]) -> None:
        """Have a line for each of these columns."""
        # Made anew at each change, the box that made the change would lose the focus.
        if tuple(self.boxes) == names:
            return
        empty(self._room)
        holder = QWidget()
        grid = grid_of((t("Secret column"), self._heading))
        holder.setLayout(grid)
        self.boxes = {name: self._make(name) for name in names}
        for at, (name, box) in enumerate(self.boxes.items(), 1):
            box.setAccessibleName(join((name, self._heading), ":"))
            grid.addWidget(label(isolated(name), "protected", wrap=True), at, 0)
            grid.addWidget(box, at, 1)
        self._room.addWidget(holder)


def grid_of(headings: tuple[str, ...]) -> QGridLayout:
    """Return a grid whose first line has headings."""
    grid = make_grid(12, 6, filling=len(headings))
    for at, each in enumerate(headings):
        grid.addWidget(label(each, "quiet-small", wrap=True), 0, at)
    return grid
