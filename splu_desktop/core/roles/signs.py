"""Columns that no list knows: what name and values say together where neither says it alone."""

from __future__ import annotations

from splu_desktop.core.generalise.interval_texts import interval_ends
from splu_desktop.core.roles import content
from splu_desktop.core.roles.absence import says_absence
from splu_desktop.core.roles.lexicon import HARMLESS, Reading, fold, lexicon
from splu_desktop.core.table import Column, Kind
from splu_desktop.core.words import words_of

_ENOUGH = 2
_MOST_VALUES = 200  # of a column whose values are kinds of something
_MOST = 0.5  # of the values that say something harmless, from which they say it for all
_SUBJECTS = HARMLESS[3:]  # ages, sexes and dates are told by their values
# What a name must not say: health, persons, and what happened to somebody.
_BARRED = ("health", "act", "death", "exit", "birth", "somebody", "case", "called", "text", "reach")


def harmless_by_signs(column: Column, reading: Reading) -> str | None:
    """Return what a column of words tells by two signs at least, None where they are fewer.

    Signs are a harmless word in its name, values that are such words (most of them count twice), and values that are
    names of their own or codes. Answers, findings and numbers have none. Other columns say nothing, so that their
    order never matters.
    """
    barred = reading.secret or reading.says(*_BARRED)
    if column.kind is not Kind.CATEGORY or barred or not _may_be_harmless(column):
        return None
    links = lexicon().values["link"]  # what stands behind "for" or "de" says nothing: "motive for visit"
    named = reading.lists[: next((at for at, word in enumerate(reading.words) if at and word in links), None)]
    said = [subject for subject in _SUBJECTS if any(subject in lists and "unsure" not in lists for lists in named)]
    own = bool(said) and content.borne_out(column)
    signs = bool(said) + own + _signs_of_values(column)
    return (said or ["administrative"])[0] if signs >= _ENOUGH else None


def _may_be_harmless(column: Column) -> bool:
    labels = content.sample_labels(column)
    told = content.holds_answers(column) or content.holds_icd(column) or content.tells_findings(column)
    coded = interval_ends(column) is not None or any(map(str.isdecimal, labels))
    if told or coded or len(labels) > _MOST_VALUES:
        return False
    words = {fold(word) for text in labels for word in words_of(text)}
    return not any(lexicon().lists_of(word) & {"health", "death"} for word in words)


def _signs_of_values(column: Column) -> int:
    labels = content.sample_labels(column)
    told = sum(map(content.says_harmless, labels))
    return (2 if told >= _MOST * len(labels) else int(told > 0)) - any(says_absence(text, column) for text in labels)
