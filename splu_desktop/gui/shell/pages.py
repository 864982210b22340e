"""Which class each page is."""

from __future__ import annotations

from importlib import import_module

from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Step

_NAMES = ("Open", "Questions", "Proposal", "Publish", "Ask", "Report", "Columns", "Expert")


class Unbuilt(Page):
    """Stands where a page is not written yet."""

    def build(self) -> None:
        self.set_primary(self.step.value)

    def refresh(self) -> None:
        """Show nothing."""

    def act(self) -> None:
        """Do nothing."""


def _page(name: str) -> type[Page]:
    try:
        found: type[Page] = getattr(import_module(f"splu_desktop.gui.{name.lower()}.page"), f"{name}Page")
    except ModuleNotFoundError:
        return type(f"{name}Page", (Unbuilt,), {"step": Step(name.lower())})
    return found


PAGES: dict[Step, type[Page]] = {Step(name.lower()): _page(name) for name in _NAMES}
