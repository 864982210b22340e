"""Which secret columns tell most, for whoever asks for tables or fills blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from splu_desktop.core.generalise import system_of
from splu_desktop.core.interval_texts import interval_ends
from splu_desktop.core.mechanism import LEAST
from splu_desktop.core.table import Column, Table

_FEWEST_ROWS = 2 * LEAST
_NEARLY_NOBODYS = 5  # rows below which nothing can be told of a value, and it may name somebody
_GRADES, _LARGE = 6, 1_000  # so many whole numbers below that are grades or codes rather than amounts
_SAME_ANSWERS = 3  # columns with the same values, as a questionnaire's items; more come last, or would leave no room


def rank_sensitive(
    table: Table, sensitive: Sequence[str], public_values: Mapping[str, Sequence[str]], doubtful: Collection[str] = ()
) -> list[str]:
    """Return the columns by how much their secret values tell; doubtful ones, amounts and dates, rare ones come last.

    What a column tells is the entropy of its values of five rows and more, the others taken as one. That a diagnosis of
    many values has none of many rows makes it no less what the table is about.
    """
    keys = []
    for place, name in enumerate(sensitive):
        column = table[name]
        counts = column.counts()
        secret = ~column.missing & ~np.isin(column.labels, list(public_values.get(name, ())))
        if column.m < 2 or not secret.any():
            continue
        several = counts[secret & (counts >= _NEARLY_NOBODYS)]
        shares = np.append(several, max(column.n - several.sum(), 0)) / column.n
        bits = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
        keys.append((several.sum() < _FEWEST_ROWS, _is_amount(column), name in doubtful, -min(bits, 2.5), place, name))
    ranked: list[tuple[object, ...]] = []
    answers = Counter[frozenset[str]]()
    for each in sorted(keys):
        column = table[str(each[-1])]
        same = frozenset(column.labels[~column.missing].tolist())
        answers[same] += 1
        ranked.append((answers[same] > _SAME_ANSWERS, *each))
    return [str(each[-1]) for each in sorted(ranked)]


def _is_amount(column: Column) -> bool:
    """Whether a column holds amounts or dates, as they are or in bands, and no few grades."""
    numbers = () if column.values is None else column.values[~column.marks].tolist()
    amounts = len(numbers) > _GRADES or not {*range(_LARGE)}.issuperset(numbers)  # doses are few, and large or parts
    return amounts or interval_ends(column) is not None or bool(column.grain)


def is_mostly_rare(column: Column) -> bool:
    """Whether most rows have values of fewer than five rows, as names and notes do; codes are told by chapters."""
    counts = column.counts()[~column.missing]
    rare = int(counts[counts < _NEARLY_NOBODYS].sum())
    return column.values is None and system_of(column) is None and 2 * rare > int(counts.sum())
