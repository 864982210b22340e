"""The report in words: the model's figures as headings, sentences, tables and figures, in the reader's language."""

from __future__ import annotations

from splu_desktop.files.language import Language, language
from splu_desktop.report.content import closing, opening, promise, risk, utility
from splu_desktop.report.document import Block, Document
from splu_desktop.report.model import Report

__all__ = ["document"]


def document(report: Report, code: str = "en") -> Document:
    """Return the report ready to be set. Raises BadSetting for a language it does not speak."""
    t = language(code)
    parts = (
        opening.cover,
        opening.what_was_done,
        opening.source,
        opening.columns,
        promise.mechanism,
        promise.eligibility,
        promise.guarantees,
        utility.measured,
        risk.measured,
        closing.earlier,
        closing.acknowledged,
        closing.files,
        closing.limits,
        closing.sign_off,
        closing.glossary,
        utility.annex,
    )
    blocks: list[Block] = []
    for part in parts:
        blocks += part(report, t)
    return Document(
        title=opening.title(report, t),
        edition=edition_mark(report, t),
        internal=report.original is not None,
        footer=f"{opening.title(report, t)} · {t.moment(report.public.cover.created)}",
        language=code,
        page_of=t("Page {page} of {pages}", page="{page}", pages="{pages}"),
        contents=t("Contents"),
        blocks=tuple(blocks),
        strange_letters=t(
            "Letters that the fonts of this document lack stand as their Unicode numbers in brackets, such as "
            "[U+1F9A0]."
        ),
    )


def edition_mark(report: Report, t: Language) -> str:
    """Return the mark that every page bears."""
    if report.original is None:
        return t("EXTERNAL EDITION – may be handed out with the release")
    return t("INTERNAL EDITION – holds true counts, must not be handed out")
