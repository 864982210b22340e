"""Which class each page is."""

from __future__ import annotations

from importlib import import_module

from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Step


def page_class(step: Step) -> type[Page]:
    """Return the class of a page, which is imported when it is first wanted: the first window needs one of eight."""
    module = import_module(f"splu_desktop.gui.{step.value}.page")
    made: type[Page] = getattr(module, f"{step.value.title()}Page")
    return made
