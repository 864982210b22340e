"""What the settings of a reading are called: by itself, as the first page tells them before anything large is there."""

from __future__ import annotations

from splu_desktop.gui.base.words import t


def mark_words(mark: str) -> str:
    """Return a mark that can be seen as it is, and the others by name."""
    return {"\t": t("tab"), " ": t("blank"), ",": t("comma ,"), ".": t("point .")}.get(mark, mark)


def names_of_settings() -> dict[str, str]:
    """The settings of `ImportChoices` that a file is read by, as the page tells and the dialog asks them."""
    return {
        "format": t("File format"),
        "sheet": t("Sheet"),
        "encoding": t("Character encoding"),
        "delimiter": t("Between fields"),
        "quote": t("Quote mark"),
        "null": t("Written for “no value”"),
        "decimal": t("Decimal mark"),
        "thousands": t("Thousands mark"),
        "header_row": t("Header in row (0: none)"),
        "last_row": t("Last record in row"),
        "date_order": t("Order of day and month"),
        "catalog": t("Words for codes from"),
    }
