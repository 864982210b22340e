"""What a column's values say about it: e-mail addresses, telephone numbers, official numbers with check digits."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from splu_desktop.core.table import Column, Kind

LOOKED_AT = 2000  # labels looked at per column
MOST = 0.8  # of the labels looked at
REFERENCES = 0.3  # of a column's labels that are labels of a key
NEAR_UNIQUE = 0.9  # distinct values per record
FEWEST = 50  # records below which being near-unique says nothing

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_PHONE = re.compile(
    r"(?:\+|00)\d{1,3}[\s./()-]*(?:\d[\s./()-]*){6,12}|\(?0?\d{2,4}\)?[\s./-]\d{3,4}[\s./-]\d{2,4}(?:[\s.-]?\d{2,4})?"
)
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_UUID = re.compile(r"\{?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")
_IP = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
_URL = re.compile(r"(?:https?://|www\.)\S+")
_STREET = re.compile(
    r"\d{1,5}[a-z]?,?\s+(?:[\w.'-]+\s+){1,4}(?:st|street|ave|avenue|rd|road|ln|lane|dr|drive|blvd|way|court|ct|close)\b\.?.*"
    r"|.*(?:stra(?:ß|ss)e|str\.|gasse|platz|weg|allee)\s*\d+\s?[a-z]?\b.*|(?:\d+\s?(?:bis|ter)?,?\s+)?(?:rue|avenue|boulevard|place|chemin|calle|avenida|plaza|paseo)\s.*\d*.*",
    re.IGNORECASE,
)
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def nhs_number(text: str) -> bool:
    """Whether a text is an NHS number: ten digits, the last the modulus-11 check digit of the others.

    NHS Data Dictionary, NHS number: weights 10 down to 2, check digit 11 - (sum mod 11), 11 written as 0, 10 invalid.
    """
    digits = re.sub(r"[\s-]", "", text)
    if len(digits) != 10 or not digits.isdecimal():
        return False
    check = 11 - sum(int(d) * w for d, w in zip(digits, range(10, 1, -1), strict=False)) % 11
    return check % 11 == int(digits[9]) and check != 10


def spanish_dni(text: str) -> bool:
    """Whether a text is a Spanish DNI or NIE: eight digits and the letter of their remainder by 23."""
    found = re.fullmatch(r"([XYZ]?)(\d{7,8})-?([A-Z])", text.strip().upper())
    if found is None or len(found[1] + found[2]) != 8:
        return False
    number = int({"X": "0", "Y": "1", "Z": "2", "": ""}[found[1]] + found[2])
    return _DNI_LETTERS[number % 23] == found[3]


def french_nir(text: str) -> bool:
    """Whether a text is a French NIR: thirteen digits (2A, 2B for Corsica) and the key 97 - (number mod 97)."""
    digits = re.sub(r"\s", "", text).upper().replace("2A", "19").replace("2B", "18")
    return len(digits) == 15 and digits.isdecimal() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def german_insurance_number(text: str) -> bool:
    """Whether a text is a German health-insurance number: a letter, eight digits and the check digit of them all."""
    found = re.fullmatch(r"([A-Z])(\d{8})(\d)", text.strip().upper())
    if found is None:
        return False
    digits = f"{ord(found[1]) - 64:02d}{found[2]}"
    total = sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(digits))
    return total % 10 == int(found[3])


def iban(text: str) -> bool:
    """Whether a text is an IBAN: remainder 1 by 97 (ISO 13616)."""
    plain = re.sub(r"\s", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


# Checks whose chance agreement is small enough that most labels passing is proof.
_CHECKS = (
    ("NHS number", nhs_number),
    ("Spanish identity number", spanish_dni),
    ("French social-security number", french_nir),
    ("German health-insurance number", german_insurance_number),
    ("bank account number (IBAN)", iban),
    ("e-mail address", lambda text: _EMAIL.fullmatch(text.strip()) is not None),
    ("social-security number", lambda text: _SSN.fullmatch(text.strip()) is not None),
    ("telephone number", lambda text: _PHONE.fullmatch(text.strip()) is not None),
    ("unique key", lambda text: _UUID.fullmatch(text.strip()) is not None),
    ("network address", lambda text: _IP.fullmatch(text.strip()) is not None),
    ("web address", lambda text: _URL.fullmatch(text.strip()) is not None),
    ("street address", lambda text: _STREET.fullmatch(text.strip()) is not None),
)


def sample_labels(column: Column) -> Sequence[str]:
    """Return up to LOOKED_AT labels spread over the column's, missing ones left out."""
    present = column.labels[~column.missing]
    step = max(1, len(present) // LOOKED_AT)
    return [str(label) for label in present[::step]]


def identifier_by_content(column: Column) -> str | None:
    """Return what kind of direct identifier most of a column's values are, None where they are none."""
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN):
        return None
    labels = sample_labels(column)
    if len(labels) < 3:
        return None
    for what, check in _CHECKS:
        # A quick look first: most columns fail every check within a few labels.
        if sum(map(check, labels[:10])) >= 0.5 * len(labels[:10]) and sum(map(check, labels)) >= MOST * len(labels):
            return what
    return None


def distinct_share(column: Column) -> float:
    """Return the distinct values per record that has one, 0 where none has."""
    filled = int(column.counts()[~column.missing].sum())
    return float(np.count_nonzero(~column.missing)) / filled if filled else 0.0


def near_unique(column: Column) -> bool:
    """Whether nearly every record has a value of its own, in a table large enough for that to mean something."""
    filled = int(column.counts()[~column.missing].sum())
    return filled >= FEWEST and distinct_share(column) >= NEAR_UNIQUE


def counts_records(column: Column) -> bool:
    """Whether a column's whole numbers run on from 0 or 1, or are long keys, each in one record only."""
    if column.kind is not Kind.INTEGER or column.values is None or column.missing.any() or column.m < column.n:
        return False
    low, high = float(column.values.min()), float(column.values.max())
    return (low in (0.0, 1.0) and high - low < 1.5 * column.n) or (low >= 10_000 and high - low > 20.0 * column.n)


def refers_to(column: Column, key: Column) -> bool:
    """Whether many of a column's values are values of a key column: a reference to another record.

    Many is enough: a table rarely holds all the persons it refers to (the case that infected this one, a mother).
    """
    if column.kind.ordered or np.count_nonzero(~column.missing) < FEWEST:
        return False
    own = sample_labels(column)  # a column of free text may have a label per record
    known = set(key.labels[~key.missing].tolist())
    return sum(label in known for label in own) >= REFERENCES * len(own)
