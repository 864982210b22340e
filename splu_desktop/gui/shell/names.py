"""What the pages are called."""

from __future__ import annotations

from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.base.words import bare, t


def step_name(step: Step) -> str:
    """Return a page's name."""
    return {
        Step.OPEN: t("Open"),
        Step.QUESTIONS: t("Questions"),
        Step.PROPOSAL: t("Proposal"),
        Step.PUBLISH: t("Publish"),
        Step.ASK: t("Ask"),
        Step.REPORT: t("Report"),
        Step.COLUMNS: bare(t("&Columns")),
        Step.EXPERT: bare(t("&Expert")),
    }[step]


def state_name(state: State) -> str:
    """Return a state in words."""
    return {
        State.OPEN: t("open"),
        State.DONE: t("done"),
        State.STALE: t("out of date"),
        State.BLOCKED: t("not yet"),
    }[state]
