"""Which class each page is."""

from __future__ import annotations

from splu_desktop.gui.ask.page import AskPage
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.columns.page import ColumnsPage
from splu_desktop.gui.expert.page import ExpertPage
from splu_desktop.gui.open.page import OpenPage
from splu_desktop.gui.proposal.page import ProposalPage
from splu_desktop.gui.publish.page import PublishPage
from splu_desktop.gui.questions.page import QuestionsPage
from splu_desktop.gui.report.page import ReportPage

PAGES: dict[Step, type[Page]] = {
    each.step: each
    for each in (
        OpenPage,
        QuestionsPage,
        ProposalPage,
        PublishPage,
        AskPage,
        ReportPage,
        ColumnsPage,
        ExpertPage,
    )
}
