"""Expert: nothing here is needed; everything here is written into the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QStackedWidget, QVBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.page import Fold, Page, title_row
from splu_desktop.gui.base.parts import Card
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.widgets import margins, put, put_in_scroll_area
from splu_desktop.gui.base.words import bare, join, t
from splu_desktop.gui.expert.blocks import ClassesSection, TogetherSection
from splu_desktop.gui.expert.bounds import BoundsSection, LimitsSection, RareSection
from splu_desktop.gui.expert.persons import PersonsSection
from splu_desktop.gui.expert.recipe import RecipeSection
from splu_desktop.gui.expert.section import Section
from splu_desktop.gui.expert.strength import StrengthSection
from splu_desktop.gui.expert.systems import SystemsSection


def _sections() -> tuple[tuple[type[Section], str, str], ...]:
    """Return the parts with their titles, and what they are for."""
    return (
        (StrengthSection, t("Strength per column"), t("γ, the papers’ group size: 1 of γ rows keeps its own value.")),
        (
            TogetherSection,
            t("Drawn together"),
            t("Columns of one block are kept or lent as a whole, so that laying them beside each other tells nothing."),
        ),
        (
            ClassesSection,
            t("Classes of lenders"),
            t("Values are lent within the cells of these columns; small cells are joined with a neighbour."),
        ),
        (BoundsSection, t("Promises and bounds"), t("What the two plots and the report are stated for.")),
        (LimitsSection, t("Limits and law"), t("Own limits need a reason, which stands in the report.")),
        (
            RareSection,
            t("Rare values"),
            t("Published values of fewer rows become “Other”, after the draw; every bound of small counts stands."),
        ),
        (PersonsSection, t("Persons, dates and courses"), t("Question 2 asks which column names the person.")),
        (
            SystemsSection,
            t("Other systems"),
            t("Each publishes your table for trial, and is asked the same questions, read by the same readers."),
        ),
        (RecipeSection, t("Recipe"), t("All choices as text; the command line takes the same file.")),
    )


class ExpertPage(Page):
    """For statisticians, under the proposal."""

    step, before = Step.EXPERT, Step.PROPOSAL
    scrolls = False

    def build(self) -> None:
        aside = t("For statisticians. Nothing here is needed; everything is written into the report.")
        self.head.addLayout(title_row(bare(t("&Expert")), aside))
        self.parts, self.sections = _sections(), dict[int, Section]()
        self.list, self.short = QListWidget(), Choice(bare(t("&Expert")))
        self.list.setAccessibleName(bare(t("&Expert")))
        self.list.setProperty("look", "parts")
        self.list.setFixedWidth(210)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.stacked = QStackedWidget()
        for at, (_, title, _) in enumerate(self.parts):
            self.list.addItem(title)
            self.short.addItem(title, at)
        self.list.currentRowChanged.connect(self._show_section)
        self.short.activated.connect(lambda at: self.list.setCurrentRow(at))
        card = Card("", 1, spacing=0)
        card.body.addWidget(self.stacked)
        row = QWidget()
        put(margins(QHBoxLayout(row), 0, spacing=14), self.list, (card, 1))
        column = QWidget()
        put(margins(QVBoxLayout(column), 0, spacing=6), self.short, (row, 1))
        self.body.addWidget(column, 1)
        self.list.setCurrentRow(0)

    def apply_fold(self, fold: Fold) -> None:
        narrow = fold is Fold.NARROW
        self.list.setVisible(not narrow)
        self.short.setVisible(narrow)

    def section(self, at: int) -> Section:
        """Return a part, made when it is first wanted: all of them at once hold the window up."""
        if at not in self.sections:
            make, title, below = self.parts[at]
            section = self.sections[at] = make(self.session, self.work, title, below)
            # A text scrolls by itself.
            self.stacked.addWidget(section if isinstance(section, RecipeSection) else put_in_scroll_area(section))
        return self.sections[at]

    def _show_section(self, at: int) -> None:
        section = self.section(at)
        self.stacked.setCurrentIndex([*self.sections].index(at))
        self.short.setCurrentIndex(at)
        # A page that is not in front reads the session once it is shown.
        if self.isVisible():
            section.refresh()

    def type_again(self, typed: Mapping[str, Any]) -> None:
        for at, (make, _, _) in enumerate(self.parts):
            if any(make.__name__ in place for place in typed):
                self.section(at).refresh()
        super().type_again(typed)

    def refresh(self) -> None:
        if self.session.plan is None:
            return
        self.section(self.list.currentRow()).refresh()
        if self.session.judge_fault:
            self.show_error(self.session.judge_fault)
        elif self.banner.kind == "fault":
            self.banner.hide()
        changed = self.session.choices.expert
        note = t("Changed here: {what}.", what=join(changed, ";")) if changed else ""
        self.set_primary(t("Back to the proposal"), True, note)
        if changed and self.session.proposal is not None:
            self.set_back(t("Undo all of it"))
        else:
            self.back.hide()

    def act(self) -> None:
        self.go.emit(Step.PROPOSAL)

    def press_back(self) -> None:
        """Take all back that was changed here."""
        proposal, plan = self.session.proposal, self.session.plan
        if proposal is None or plan is None:
            return
        now = replace(self.session.choices, plan=as_proposed(plan, proposal.plan), expert=())
        self.session.do(now, t("Undo all of it"))


def as_proposed(plan: Plan, before: Plan) -> Plan:
    """Return a plan with all that Expert changes as the proposal had it, roles and groups as they are now."""
    try:
        return replace(
            plan,
            # Blocks name the secret columns, so that those of before don't fit others.
            blocks=before.blocks if before.sensitive == plan.sensitive else plan.blocks,
            classes=tuple(name for name in before.classes if name in plan.nsas),
            thresholds=before.thresholds,
            rare={name: least for name, least in before.rare.items() if name in plan.sensitive},
            persons=before.persons,
            audience=replace(plan.audience, limits=before.audience.limits),
        )
    except SpluError:  # what is published now no longer allows it
        return before
