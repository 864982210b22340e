"""What a file holds, column by column: for `splu inspect`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from splu_desktop.core.roles.suggest import suggest_roles
from splu_desktop.files.importer.choices import TableReading

_CHOICES = (
    "format", "encoding", "delimiter", "quote", "escape", "null", "decimal", "thousands", "sheet", "header_row",
    "header_rows", "date_order",
)  # fmt: skip


def inspect_columns(imported: TableReading) -> list[dict[str, Any]]:
    """Return what is to be known about each column before its role is chosen."""
    suggestions = suggest_roles(imported.table)
    facts = []
    for column in imported.table.columns:
        counts = column.counts()
        top = int(counts.argmax()) if column.n else -1
        facts.append(
            {
                "name": column.name,
                "type": column.kind.value,
                "distinct": int((~column.missing).sum()),
                "missing": int(counts[column.missing].sum()),
                "most_frequent": str(column.labels[top]) if top >= 0 else "",
                "most_frequent_share": float(counts[top] / column.n) if top >= 0 else 0.0,
                # The largest group size that the column allows (mechanism.md section 8).
                "largest_gamma": int(column.n // counts[top]) if top >= 0 else 0,
                "role": suggestions[column.name].role.value,
                "reason": suggestions[column.name].reason,
            }
        )
    return facts


def inspection(imported: TableReading) -> dict[str, Any]:
    """Return plain data, as printed by `splu inspect --json`."""
    tokens: dict[str, list[dict[str, Any]]] = {}
    for token in imported.missing_tokens:
        entry = asdict(token)
        tokens.setdefault(entry.pop("column"), []).append(entry)
    return {
        "file": imported.source.name,
        "size": imported.source.size,
        "sha256": imported.source.sha256,
        **{name: getattr(imported.choices, name) for name in _CHOICES},
        "sheets": [
            {"name": sheet.name, "visible": sheet.visible, "rows": sheet.rows, "read": sheet.chosen}
            for sheet in imported.sheets
        ],
        "renames": dict(imported.choices.renames),
        "records": imported.table.n,
        "columns": inspect_columns(imported),
        "missing_tokens": tokens,
        "problems": [problem.as_dict() for problem in imported.problems],
        "reasons": dict(imported.reasons),
    }
