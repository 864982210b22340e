"""Codes of classifications and terminologies of medicine, told by their form and check digit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from splu_desktop.core.generalise.chapters import SYSTEMS, system_of
from splu_desktop.core.roles.vocabulary import Matter, matters
from splu_desktop.core.table import Column, Kind, remembered

_MOST = 0.9  # of the labels looked at
_LOOKED_AT = 500
_FEWEST = 3
_BARE = 12  # labels without a mark of their system (a dot, a check digit) that are needed to tell it

_ATC = re.compile(r"[ABCDGHJLMNPRSV](?:0[1-9]|1[0-6]|20|5[1-4])[A-Z]{2}\d{2}")
_OPS = re.compile(r"[135689]-\d{2}[0-9a-z](?:\.[0-9a-z]{1,3})?")
_PCS = re.compile(r"[0-9A-HJ-NP-Z]{7}")
_TEN = re.compile(r"[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}[-+*!GVZALRB]{0,2}")
_VARIANT = re.compile(r"(?:N[MCGP]_\d+(?:\.\d+)?:)?[cgpmn]\.[\w>*_+\-=()]+|rs\d{3,}", re.IGNORECASE)
_STAGE = re.compile(r"[cpy]{0,2}T(?:is|[0-4x])[a-d]?\s?N[0-3x][a-c]?\s?(?:M[01x][a-c]?)?", re.IGNORECASE)
_LOINC = re.compile(r"(\d{3,7})-(\d)")
_SNOMED = re.compile(r"[1-9]\d{5,17}")
_ICDO = re.compile(r"[89]\d{3}/[012369]")


def loinc(text: str) -> bool:
    """Whether a text is a LOINC number: up to seven digits, a dash and the Luhn (mod 10) check digit."""
    found = _LOINC.fullmatch(text.strip())
    if found is None:
        return False
    total = sum(sum(divmod(int(d) * (2 if i % 2 == 0 else 1), 10)) for i, d in enumerate(reversed(found[1])))
    return -total % 10 == int(found[2])


_D = [[(i + j) % 5 if j < 5 else 5 + (i + j) % 5 for j in range(10)] for i in range(5)]
_D += [[5 + (i - j) % 5 if j < 5 else (i - j) % 5 for j in range(10)] for i in range(5)]
_P = [list(range(10)), [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]]
for _ in range(6):
    _P.append([_P[1][each] for each in _P[-1]])


def snomed(text: str) -> bool:
    """Whether a text is a SNOMED CT concept: 6 to 18 digits, partition 00 or 10, the last Verhoeff's check digit."""
    digits = text.strip()
    if not _SNOMED.fullmatch(digits) or digits[-3:-1] not in ("00", "10"):
        return False
    check = 0
    for at, digit in enumerate(reversed(digits)):
        check = _D[check][_P[at % 8][int(digit)]]
    return check == 0


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text.strip()) is not None


# System, the matter its codes are, whether a text is one, and how many labels are needed.
_SYSTEMS: tuple[tuple[str, str, Callable[[str], bool], int], ...] = (
    ("ICD-10", "a diagnosis or illness", _matches(_TEN), _FEWEST),
    ("ICD-O", "a diagnosis or illness", _matches(_ICDO), _FEWEST),
    ("TNM", "a diagnosis or illness", _matches(_STAGE), _FEWEST),
    ("ATC", "a treatment", _matches(_ATC), _FEWEST),
    ("OPS", "a treatment", _matches(_OPS), _FEWEST),
    ("LOINC", "a finding, laboratory value or measurement", loinc, _FEWEST),
    ("SNOMED CT", "a diagnosis or illness", snomed, _FEWEST),
    ("HGVS", "genetic or biometric data", _matches(_VARIANT), _FEWEST),
    (
        "ICD-10-PCS",
        "a treatment",
        lambda text: _PCS.fullmatch(text.strip()) is not None and text[:1] in "0123456789BCDFGHX",
        _BARE,
    ),
)


def _mostly(check: Callable[[str], bool], labels: list[str]) -> bool:
    """Whether most of the labels are of a form; no more of them are looked at once too many are not."""
    others = len(labels) - math.ceil(_MOST * len(labels))
    for label in labels:
        others -= not check(label)
        if others < 0:
            return False
    return True


@remembered
def codes_of(column: Column) -> tuple[Matter, str] | None:
    """Return what the codes in a column are about and the system they are of, None where they are of none.

    Record numbers may have the form of the ICD without a dot (A123456), but are all of one length.
    """
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN, Kind.DECIMAL, Kind.TEXT):
        return None
    present = np.flatnonzero(~column.missing)
    labels = [str(label) for label in column.labels[present[:: max(1, len(present) // _LOOKED_AT)]]]
    of = {matter.what: matter for matter in matters()}
    for system, what, check, fewest in _SYSTEMS:
        if len(labels) >= fewest and _mostly(check, labels):
            mixed = system != "ICD-10-PCS" or len({label.isdigit() for label in labels}) > 1
            if mixed:
                return of[what], system
    known = system_of(column)
    if known is not None and (any("." in label for label in labels) or len({len(t.strip()) for t in labels}) > 1):
        return of["a diagnosis or illness"], SYSTEMS[known]
    return None
