"""What --sa says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.table import Table


def sensitive_named(texts: Iterable[str], table: Table) -> Iterator[tuple[str, int | None]]:
    """Give every column of --sa with its own group size, if any. Raises UnknownColumn, BadSetting."""
    for text in texts:
        yield from sensitive_column(text, table)


def sensitive_column(text: str, table: Table) -> list[tuple[str, int | None]]:
    """Split ``COL``, ``COL:GAMMA`` or a comma-separated list of them. Raises UnknownColumn, BadSetting."""
    if text in table:
        return [(text, None)]
    name, colon, number = text.rpartition(":")
    if colon and name in table:
        try:
            return [(name, int(number))]
        except ValueError:
            raise BadSetting(
                "The group size gamma of column “{name}” must be a whole number from 2, not “{number}”.",
                name=name,
                number=number,
            ) from None
    if "," in text:
        return [entry for part in text.split(",") for entry in sensitive_column(part.strip(), table)]
    raise UnknownColumn(name if colon and number.strip().lstrip("+-").isdigit() else text, table.names)
