"""What a file holds, column by column: for `splu inspect` and the classify page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from splu_desktop.core.roles.suggest import suggest_roles
from splu_desktop.core.table import Column
from splu_desktop.files.importer.choices import Imported

_CHOICES = (
    "format", "encoding", "delimiter", "quote", "escape", "null", "decimal", "thousands", "sheet", "header_row",
    "header_rows", "date_order",
)  # fmt: skip


@dataclass(frozen=True)
class InspectedColumn:
    """What is to be known about a column before its role is chosen."""

    name: str
    type: str
    distinct: int
    missing: int
    most_frequent: str
    most_frequent_share: float
    largest_gamma: int
    role: str
    reason: str


@dataclass(frozen=True, eq=False)
class Inspection:
    """A file read, and the facts of its columns."""

    imported: Imported
    columns: tuple[InspectedColumn, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, as printed by `splu inspect --json`."""
        imported, choices = self.imported, self.imported.choices
        tokens: dict[str, list[dict[str, Any]]] = {}
        for token in imported.missing_tokens:
            tokens.setdefault(token.column, []).append(
                {"token": token.token, "count": token.count, "applied": token.applied, "reason": token.reason}
            )
        return {
            "file": imported.source.name,
            "size": imported.source.size,
            "sha256": imported.source.sha256,
            **{name: getattr(choices, name) for name in _CHOICES},
            "sheets": [
                {"name": sheet.name, "visible": sheet.visible, "rows": sheet.rows, "read": sheet.chosen}
                for sheet in imported.sheets
            ],
            "renames": dict(choices.renames),
            "records": imported.table.n,
            "columns": [dict(vars(column)) for column in self.columns],
            "missing_tokens": tokens,
            "problems": [problem.as_dict() for problem in imported.problems],
            "reasons": dict(imported.reasons),
        }


def largest_gamma(column: Column) -> int:
    """Return floor(N / largest count), the largest group size a column allows (mechanism.md section 2)."""
    counts = column.counts()
    return int(column.n // counts.max()) if column.n else 0


def describe(imported: Imported) -> Inspection:
    """Describe the columns of a table that was read."""
    table = imported.table
    suggestions = suggest_roles(table)
    facts = []
    for column in table.columns:
        counts = column.counts()
        top = int(counts.argmax()) if column.n else -1
        suggestion = suggestions[column.name]
        facts.append(
            InspectedColumn(
                name=column.name,
                type=column.kind.value,
                distinct=int((~column.missing).sum()),
                missing=int(counts[column.missing].sum()),
                most_frequent=str(column.labels[top]) if top >= 0 else "",
                most_frequent_share=float(counts[top] / column.n) if top >= 0 else 0.0,
                largest_gamma=largest_gamma(column),
                role=suggestion.role.value,
                reason=suggestion.reason,
            )
        )
    return Inspection(imported, tuple(facts))
