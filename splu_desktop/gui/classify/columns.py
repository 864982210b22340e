"""The table of columns: one row each, with what is known of it, its role, and what it does to the risk."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from splu_desktop.core.generalise import Steps
from splu_desktop.core.roles.suggest import Role, Suggestion
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.facts import ColumnFacts
from splu_desktop.gui.base.models import Field, Index, RowsModel
from splu_desktop.gui.base.words import beside, joined, number, percent, t, told
from splu_desktop.gui.classify.risk import WhatIf
from splu_desktop.gui.classify.roles_view import role_name

ROLE_COLUMN, WHY_COLUMN, BARS_COLUMN = 1, 2, 3


@dataclass(frozen=True)
class ColumnRow:
    """One line of the table."""

    place: int
    fact: ColumnFacts
    role: Role
    suggestion: Suggestion
    steps: Steps = ()
    what: WhatIf | None = None


class ColumnsModel(RowsModel[ColumnRow]):
    """The columns as rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__((), parent)
        self.fields = (
            Field(t("Column"), lambda r: r.fact.name),
            Field(t("Role"), lambda r: role_name(r.role), key=lambda r: list(Role).index(r.role)),
            Field(t("Why"), self.why, hint=t("Why this role is suggested"), colour=lambda r: "quiet", tip=self.reason),
            Field(
                t("Distribution"),
                lambda r: "",
                key=lambda r: r.fact.top_share,
                bar=lambda r: r.fact.bars,
                hint=t("Share of the records, by value for numbers and dates, else the most frequent first"),
                tip=lambda r: t(
                    "Most frequent: “{value}”, {share} of the records",
                    value=r.fact.top,
                    share=percent(r.fact.top_share),
                ),
            ),
            Field(
                t("Values"),
                lambda r: number(r.fact.distinct),
                key=lambda r: r.fact.distinct,
                right=True,
                hint=t("How many different values the column has"),
            ),
            Field(
                t("Missing"),
                lambda r: number(r.fact.missing) if r.fact.missing else "–",
                key=lambda r: r.fact.missing,
                right=True,
                hint=t("Records without a value"),
            ),
            Field(t("Most frequent"), lambda r: r.fact.top if r.fact.top.strip() else t("(empty)")),
            Field(
                t("Share"),
                lambda r: percent(r.fact.top_share),
                key=lambda r: r.fact.top_share,
                right=True,
                hint=t("The most frequent value's share of all records"),
            ),
            Field(
                t("Unique without"),
                lambda r: number(r.what.cause.without.unique) if r.what else "",
                key=lambda r: r.what.cause.without.unique if r.what else math.inf,
                right=True,
                hint=t(
                    "Records unique in the columns published as they are, if this one were left out. The smaller,"
                    " the more this column tells."
                ),
            ),
            Field(
                t("Unique if grouped"),
                lambda r: number(r.what.cause.generalised.unique) if r.what and r.what.cause.generalised else "",
                key=lambda r: r.what.cause.generalised.unique if r.what and r.what.cause.generalised else math.inf,
                right=True,
                hint=t("The same, if this column's values were put into the groups that suit them"),
                tip=lambda r: joined(told(step.words) for step in r.what.steps) if r.what else "",
            ),
            Field(
                t("Largest γ"),
                lambda r: number(r.fact.largest_gamma),
                key=lambda r: r.fact.largest_gamma,
                right=True,
                hint=t(
                    "The largest group size gamma possible if this column is sensitive. It needs 2 or more: a value"
                    " that fills more than half of the records leaves no room for decoys."
                ),
                colour=lambda r: "fault" if r.role is Role.SA and r.fact.largest_gamma < 2 else None,
            ),
            Field(
                t("Grouped"),
                lambda r: joined(told(step.words) for step in r.steps) or "–",
                hint=t("How the values are put into groups before they are published"),
                colour=lambda r: "accent" if r.steps else "quiet",
            ),
            Field(t("Type"), lambda r: told(r.fact.kind.value)),
            Field(t("Sample values"), lambda r: beside(r.fact.samples), colour=lambda r: "quiet"),
        )

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = super().flags(index)
        return usual | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == ROLE_COLUMN else usual

    def why(self, row: ColumnRow) -> str:
        """Return the reason in few words: what is done for it stands beside it, as the role."""
        if row.role is row.suggestion.role:
            return told(row.suggestion.why)
        return t("changed; suggested: {role}", role=role_name(row.suggestion.role))

    def reason(self, row: ColumnRow) -> str:
        """Return why its role is suggested, or what was."""
        if row.role is row.suggestion.role:
            return told(row.suggestion.reason)
        role = role_name(row.suggestion.role)
        return t("Changed; suggested was “{role}”: {reason}", role=role, reason=told(row.suggestion.reason))
