"""Words that several pages say: persons, rows, shares, columns."""

from __future__ import annotations

from splu_desktop.core.plan import Plan
from splu_desktop.files.language import language
from splu_desktop.gui.base.session import Answers
from splu_desktop.gui.base.words import number, percent, spoken, t


def row_words() -> tuple[str, ...]:
    """Return what one row may be."""
    return t("a patient"), t("a stay"), t("a test"), t("a visit")


def rows_of(n: int, row_word: str) -> str:
    """Return "15,524 tests"."""
    plurals = dict(zip(row_words(), (t("patients"), t("stays"), t("tests"), t("visits")), strict=True))
    return f"{number(n)} {plurals.get(row_word, t('rows'))}"


def persons_of(answers: Answers | Plan | None) -> str:
    """Return "patients" where a column names them, else "rows"."""
    person = answers.person if isinstance(answers, Answers) else answers and answers.persons
    return t("rows") if person is None else t("patients")


def value_words(label: str) -> str:
    """Return a value of a table as it is shown: of groups that we made, in the window's language."""
    return language(spoken()).value(label)


def one_in(share: float) -> str:
    """Return a share as "1 in 3", "6 in 10" or "97 %", rounded up."""
    for whole in (2, 3, 4, 5, 10):
        part = round(share * whole)
        if 0 < part < whole and abs(part / whole - share) < 0.005:
            return t("{part} in {whole}", part=part, whole=whole)
    return percent(min(1.0, -(-share * 100 // 1) / 100), 0)
