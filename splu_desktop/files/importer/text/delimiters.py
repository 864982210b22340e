"""Which delimiters a text could have: single characters, doubled ones and runs of several ("|#|", "~|~")."""

from __future__ import annotations

import re
from collections import Counter

USUAL = (",", ";", "\t", "|")
_SINGLE = (*USUAL, *":^~ #&*!@+$", "\x1f", "\x1e", "\x01", "\x02", "\x14", *"§¦¬¤þ")
# Characters that runs are made of. Signs of numbers, of missing values and of quoting stand beside delimiters, not in
# them: ",$" before each amount and "|?|" around each unknown value are no delimiters.
_RUN = re.compile(r"[|~^¦§¤#@;:!&=%*$+,\t]{2,5}|<\|>|\[\|\]|\{\|\}")
_QUOTED = re.compile(r'"[^"\n]*"')
_NEVER_MIXED = frozenset("%*$,=+")
_PRESENT = 0.9  # of the lines with any of its characters


def candidates(text: str) -> list[str]:
    """Return the delimiters worth a try, the likelier ones first."""
    runs = _runs(text)
    inside = set("".join(runs))
    return [*runs, *(mark for mark in _SINGLE if mark in text and mark not in inside)]


def _runs(text: str) -> list[str]:
    """Return the runs of characters that stand between fields in nearly every line, always the same number of them."""
    lines = [_QUOTED.sub('""', line) for line in re.split(r"[\r\n]+", text) if line.strip()]
    if len(lines) < 2:
        return []
    seen = Counter(run for line in lines for run in set(_RUN.findall(line)))
    runs = [run for run, count in seen.most_common(12) if count >= 0.5 * len(lines) and _divides(run, lines)]
    return [run for run in runs if not any(run in other for other in runs if other != run)]


def _divides(run: str, lines: list[str]) -> bool:
    marks = set(run)
    if len(marks) > 1 and marks & _NEVER_MIXED:
        return False
    counts = [line.count(run) for line in lines if any(mark in line for mark in marks)]  # titles and notes have none
    most, agree = Counter(counts).most_common(1)[0]
    if not most or agree < _PRESENT * len(counts):
        return False
    if len(marks) > 1:  # "+;" is none where ";" stands alone in the lines as well: values that end in "+" before it
        usual = marks.intersection(USUAL)
        alone = sum(any(line.count(mark) > run.count(mark) * line.count(run) for mark in usual) for line in lines)
        return alone < _PRESENT * len(lines)
    # A doubled mark: all of them stand in such runs, where an empty field between two single marks leaves some alone.
    mark = run[0]
    alone = sum(line.count(mark) - len(run) * line.count(run) for line in lines)
    return not alone and (mark not in ",;\t" or most > 1)
