"""Which texts stand for "no value": applied where nothing else is possible, else only proposed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.said import say

# What a spreadsheet shows where a formula failed.
ERRORS = ("#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!", "#getting_data", "#spill!", "#calc!")
# Never a real value, whatever the column holds.
ALWAYS = frozenset({"?", "??", "n/a", "#n/a", "#na", "<na>", "#n/v", "#nv", "\\n", "(null)", "<null>", *ERRORS})
# No value in a column of numbers or dates; in a column of words it may be a name, a code or a finding.
BESIDE_NUMBERS = frozenset(
    {
        "na",
        "nan",
        "null",
        ".",
        "-",
        "--",
        "---",
        "*",
        "n.a.",
        "n.a",
        "nd",
        "n.d.",
        "k.a.",
        "k. a.",
        "s/d",
        "n/d",
        "nat",
        "…",
        "–",
        "—",
        "_",
        "x",
    }
)
# Words that a person wrote on purpose; only ever proposed.
WORDS = frozenset(
    {"none", "nil", "missing", "unknown", "unk", "not known", "not available", "not recorded", "not reported",
     "no data", "not stated", "unspecified", "not specified", "refused", "declined", "keine angabe", "unbekannt",
     "fehlt", "fehlend", "inconnu", "inconnue",
     "non renseigné", "non précisé", "manquant", "desconocido", "desconocida", "sin dato", "sin datos", "no consta",
     "unknown/invalid", "not applicable", "not mapped", "invalid"}
)  # fmt: skip
_CODES = (-1.0, -2.0, -7.0, -8.0, -9.0, -88.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0)


_KNOWN = ALWAYS | BESIDE_NUMBERS | WORDS


def candidates(texts: Sequence[str]) -> list[int]:
    """Return the positions of the texts that `proposal` could have something to say about."""
    known = _KNOWN
    return [
        i
        for i, text in enumerate(texts)
        if not text or text.isspace() or (len(text) <= 20 and (text.strip().lower() in known or text[0] == "*"))
    ]


def is_blank(text: str) -> bool:
    """Whether a text is empty or nothing but blanks."""
    return not text or text.isspace()


def neutral(text: str) -> bool:
    """Whether a text says nothing about its column's type."""
    if is_blank(text):
        return True
    if len(text) > 20:
        return False
    low = text.strip().lower()
    return low in ALWAYS or low in BESIDE_NUMBERS or low in WORDS or not low.strip("*")


def proposal(text: str, *, valued: bool) -> tuple[bool, str] | None:
    """Say whether a text is taken as missing (True), proposed (False) or neither (None), with the reason.

    `valued` : the column holds numbers, dates or yes/no.
    """
    if is_blank(text):
        return True, say("the field is empty") if not text else say("the field holds blanks only")
    if len(text) > 20:
        return None
    low = text.strip().lower()
    if valued and not low.strip("*"):
        return True, say("asterisks among numbers: a value suppressed or unknown")
    if low in ALWAYS:
        return True, say("a usual mark for no value")
    if low in BESIDE_NUMBERS:
        if valued:
            return True, say("a usual mark for no value, among numbers or dates")
        return (False, say("may be a mark for no value, or a real value")) if low not in ("x", "_", "*") else None
    if low in WORDS:
        return False, say("may mean no value; decide whether it is a finding of its own")
    return None


def code_proposals(values: NDArray[np.float64], counts: NDArray[np.int64]) -> list[int]:
    """Return the positions among a column's (m,) numbers that look like codes for "no value" (-1, -9, 999 ...).

    A negative one where every other number is at least 0; nines where every other number is below a third of it.
    """
    found: list[int] = []
    finite = np.isfinite(values)
    if finite.sum() < 3:
        return found
    ordinary = finite & ~np.isin(values, _CODES)
    if not ordinary.any():
        return found
    low, high = float(values[ordinary].min()), float(values[ordinary].max())
    for code in _CODES:
        at = np.flatnonzero(values == code)
        if not len(at) or not counts[at].sum():
            continue
        if (code < 0 <= low) or (code > 0 and high < code / 3):
            found.extend(at.tolist())
    return found
