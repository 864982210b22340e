"""Columns that no list knows: what name, values and neighbours say together where none of them says it alone."""

from __future__ import annotations

from collections.abc import Mapping

from splu_desktop.core.generalise.interval_texts import interval_ends
from splu_desktop.core.roles import content
from splu_desktop.core.roles.absence import says_absence
from splu_desktop.core.roles.lexicon import HARMLESS, Reading, fold, is_clinical, lexicon
from splu_desktop.core.roles.role import Role, Suggestion
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.core.words import words_of

_ENOUGH = 2
_MOST_VALUES = 200  # of a column whose values are kinds of something
_MOST = 0.5  # of the values that say something harmless, from which they say it for all
_SUBJECTS = HARMLESS[3:]  # ages, sexes and dates are told by their values
# What a name must not say: health, persons, and what happened to somebody.
_BARRED = ("health", "act", "death", "exit", "birth", "somebody", "case", "called", "text", "reach")


def harmless_by_signs(column: Column, reading: Reading, among: bool) -> str | None:
    """Return what a column of words tells by two signs at least, None where they are fewer.

    Signs are a harmless word in its name, values that are harmless words (most of them count twice), and that it
    stands `among` harmless columns, as tables are written part by part; there a word for sorts ("type") is one, too.
    Answers, findings, numbers and codes have none.
    """
    if column.kind is not Kind.CATEGORY or reading.says(*_BARRED) or not _may_be_harmless(column, reading):
        return None
    links = lexicon().values["link"]  # what stands behind "for" or "de" says nothing: "motive for visit"
    named = reading.lists[: next((at for at, word in enumerate(reading.words) if at and word in links), None)]
    said = [subject for subject in _SUBJECTS if any(subject in lists for lists in named)]
    signs = among + (bool(said) or (among and _says_sort(reading))) + _signs_of_values(column)
    return (said or ["administrative"])[0] if signs >= _ENOUGH else None


def _may_be_harmless(column: Column, reading: Reading) -> bool:
    labels = content.sample_labels(column)
    told = content.holds_answers(column) or content.holds_icd(column) or content.tells_findings(column)
    coded = interval_ends(column) is not None or any(map(str.isdecimal, labels))
    if told or coded or len(labels) > _MOST_VALUES:
        return False
    words = {fold(word) for text in labels for word in words_of(text)}
    health = any(lexicon().lists_of(word) & {"health", "death"} for word in words)
    return not (health or any(map(is_clinical, words.union(reading.words))))


def _says_sort(reading: Reading) -> bool:
    """Whether a name says sorts of something, as an unknown compound may: "Vertragsart"."""
    sorts = tuple(lexicon().values["sorts"])
    ended = (word for word, lists in zip(reading.words, reading.lists, strict=True) if not lists)
    return not set(reading.words).isdisjoint(sorts) or any(word.endswith(sorts) for word in ended)


def _signs_of_values(column: Column) -> int:
    labels = content.sample_labels(column)
    told = sum(map(content.says_harmless, labels))
    return (2 if told >= _MOST * len(labels) else int(told > 0)) - any(says_absence(text, column) for text in labels)


def among_harmless(table: Table, found: Mapping[str, Suggestion]) -> set[str]:
    """Return the columns on both sides of which the next one of which something is known is harmless."""
    among = set(table.names)
    for names in (table.names, table.names[::-1]):
        harmless = False
        for name in names:
            if not harmless:
                among.discard(name)
            role, known = found[name].role, not found[name].doubt or table[name].kind in (Kind.INTEGER, Kind.DECIMAL)
            if role is Role.NSA or (role is Role.SA and known):
                harmless = role is Role.NSA
    return among
