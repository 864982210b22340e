"""Words that several pages say: persons, rows, shares, columns."""

from __future__ import annotations

import math

from splu_desktop.core.messages import cases_of_100
from splu_desktop.core.plan import Plan
from splu_desktop.files.language import language
from splu_desktop.gui.base.session import Answers
from splu_desktop.gui.base.words import join, language_code, number, t

_SAYS_LITTLE = 4  # letters


def row_words() -> tuple[str, ...]:
    """Return what one row may be."""
    return t("a patient"), t("a stay"), t("a test"), t("a visit")


def rows_of(n: int, of: Answers | Plan) -> str:
    """Return "15,524 tests"; "15,524 rows" where no column names the person: then all figures count rows."""
    plurals = dict(zip(row_words(), (t("patients"), t("stays"), t("tests"), t("visits")), strict=True))
    word = plurals.get(of.row_word) if persons_of(of) == t("patients") else None
    return f"{number(n)} {word or t('rows')}"


def persons_of(answers: Answers | Plan | None) -> str:
    """Return "patients" where a column names them, else "rows"."""
    person = answers.person if isinstance(answers, Answers) else answers and answers.persons
    return t("rows") if person is None else t("patients")


def value_words(label: str) -> str:
    """Return a value of a table as it is shown: of groups that we made, in the window's language."""
    return language(language_code()).value(label)


def one_in(share: float) -> str:
    """Return a limit as "1 in 3", "6 in 10", "34 in 100", rounded up. What is reached is said of 100."""
    for whole in (1, 2, 3, 4, 5, 10, 20):
        # The little less lets 0.2 + 0.8 / 2, which as a float lies above 0.6, be told as 3 of 5.
        part = math.ceil(share * whole - 1e-9)
        if part > 0 and part / whole - share <= 0.02 and (part < whole or share == 1):  # 99 of 100 is not certain
            break
    else:
        part, whole = cases_of_100(share), 100
    return t("{part} in {whole}", part=part, whole=whole)


def name_value(column: str, value: str) -> str:
    """Return a value, with its column where many columns have such a one: yes, no, ja, 1."""
    words = value_words(value)
    return join((column, words), ":") if len(value) <= _SAYS_LITTLE else words
